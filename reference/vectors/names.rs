//! The names of the ids in `FORMAT.md`.

use tepal_reference::bits::{DOUBLE, LINE, SCATTERED, SPLIT_BLOCK};

/// All layouts.
pub(crate) const LAYOUTS: [u8; 4] = [LINE, DOUBLE, SPLIT_BLOCK, SCATTERED];

/// The name of a layout (section 2).
pub(crate) fn layout(id: u8) -> &'static str {
    ["line", "double", "split-block", "scattered"][usize::from(id) - 1]
}

/// The name of a key domain (section 1.1).
pub(crate) fn domain(id: u8) -> &'static str {
    ["bytes", "int64", "int32", "utf16", "float32", "float64", "hex"][usize::from(id) - 1]
}

/// The name of an over-capacity policy (section 4.2).
pub(crate) fn policy(id: u8) -> &'static str {
    ["refuse", "warn", "ignore"][usize::from(id) - 1]
}

/// The name of a scheme (sections 1.3 and 1.4).
pub(crate) fn scheme(id: u8) -> &'static str {
    match id {
        1 => "xxh3",
        2 => "siphash13",
        3 => "xxh64",
        4 => "caller-hash",
        16 => "md5-presets",
        17 => "md5-split",
        18 => "bkdr7",
        19 => "fnv-crc",
        20 => "sha384",
        21 => "guava-mitz32",
        22 => "guava-mitz64",
        23 => "spark-v1",
        24 => "spark-v2",
        25 => "bits-and-blooms",
        26 => "dcso",
        27 => "redisbloom",
        28 => "valkey-bloom",
        _ => panic!("scheme {id} has no name"),
    }
}
