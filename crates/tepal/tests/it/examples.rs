//! The short answers in `examples/` do what they say.

#[path = "../../examples/dedupe_urls.rs"]
mod dedupe_urls;
#[cfg(feature = "foreign")]
#[path = "../../examples/foreign_files.rs"]
mod foreign_files;
#[path = "../../examples/iterators.rs"]
mod iterators;
#[path = "../../examples/lsm_table.rs"]
mod lsm_table;
#[cfg(feature = "static")]
#[path = "../../examples/map.rs"]
mod map;
#[path = "../../examples/own_keys.rs"]
mod own_keys;
#[path = "../../examples/partial_filters.rs"]
mod partial_filters;
#[cfg(feature = "serde")]
#[path = "../../examples/serde_formats.rs"]
mod serde_formats;
#[cfg(feature = "parallel")]
#[path = "../../examples/unknown_size.rs"]
mod unknown_size;
#[path = "../../examples/web_service.rs"]
mod web_service;
#[cfg(feature = "extras")]
#[path = "../../examples/white_list.rs"]
mod white_list;

#[test]
fn dedupe_urls_runs() {
    dedupe_urls::main().unwrap();
}

#[test]
fn own_keys_runs() {
    own_keys::main().unwrap();
}

#[cfg(feature = "static")]
#[test]
fn map_runs() {
    map::main().unwrap();
}

#[test]
fn lsm_table_runs() {
    lsm_table::main().unwrap();
}

#[test]
fn web_service_runs() {
    web_service::main().unwrap();
}

#[test]
fn partial_filters_runs() {
    partial_filters::main().unwrap();
}

#[cfg(feature = "foreign")]
#[test]
fn foreign_files_runs() {
    foreign_files::main().unwrap();
}

#[cfg(feature = "serde")]
#[test]
fn serde_formats_runs() {
    serde_formats::main().unwrap();
}

#[test]
fn iterators_runs() {
    iterators::main().unwrap();
}

#[cfg(feature = "parallel")]
#[test]
fn unknown_size_runs() {
    unknown_size::main().unwrap();
}

#[cfg(feature = "extras")]
#[test]
fn white_list_runs() {
    white_list::main().unwrap();
}
