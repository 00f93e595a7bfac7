//! Which flags of `tepal build` do not go together. It is found before anything is read.

use tepal::file::Format;

use super::map;
use crate::args::BuildArgs;
use crate::error::Failure;
use crate::input::source::Source;
use crate::output::is_same_file;
use crate::segments::check_fields;
use crate::text::message::shown;

/// What a filter made of tables is, and what sizes it.
const TABLE: (&str, &str) =
    ("a table of numbers", "the table is sized by -n and -p, and by the keys that are in it");

/// Refuses flags that do not go together.
pub fn check(args: &BuildArgs) -> Result<(), Failure> {
    let (has_room, has_policy) = (args.shape.capacity.is_some(), args.over.is_some());
    let (counts, window) = (args.table.bits() > 0, args.window.window.is_some());
    if let Some(flag) = args.table.flag() {
        no_bloom_filter(flag, TABLE, args)?;
    }
    if args.grow.growing {
        let window_has = "what forgets keys by itself has a fixed room, and what grows forgets none";
        let counts_none = "it counts no copies; with --deletable keys can be removed from it";
        let grows = "there is no room that keys could be over: it grows, and keeps its promise";
        let others = [
            ("--window", window, window_has),
            ("--count-bits", counts, counts_none),
            ("--over", has_policy, grows),
        ];
        refuse("--growing", &others)?;
        no_bloom_filter("--growing", TABLE, args)?;
    }
    if window {
        no_bloom_filter("--window", TABLE, args)?;
    }
    if let Some(flag) = args.segments.flag() {
        check_segments(flag, args)?;
    }
    if args.ribbon.is_static {
        let complete = "it is as large as its keys make it, and takes no others";
        refuse("--static", &[("-n", has_room, complete), ("--over", has_policy, complete)])?;
        no_bloom_filter("--static", ("a static filter", "it is sized by -p and by its keys"), args)?;
    }
    if let Some(flag) = map::flag(args) {
        let wait = "the keys of a map wait in memory alone, 16 bytes each";
        refuse(flag, &[("--memory", args.memory.is_some(), wait)])?;
    } else if args.map.known_keys {
        return Err(Failure::new(
            "--known-keys is about maps, where a key has a value whether it is told from others or not; give --map FIELD too, or leave it out",
        ));
    }
    if let Some(field) = &args.map.map {
        let complete = "a map is as large as its keys make it, and takes no others";
        refuse("--map", &[("-n", has_room, complete), ("--over", has_policy, complete)])?;
        no_bloom_filter("--map", ("a map", "it is sized by -p and by its keys"), args)?;
        check_fields("--map", field, args.keys.field.as_ref())?;
    }
    if args.exact_on.is_empty() { Ok(()) } else { check_exact(args) }
}

fn check_segments(flag: &str, args: &BuildArgs) -> Result<(), Failure> {
    let (window, counts) = (args.window.window.is_some(), args.table.bits() > 0);
    let dropped = "of a filter with segments whole ones are dropped (tepal remove --segment)";
    refuse(
        flag,
        &[
            ("--window", window, "a filter with segments forgets no key by itself"),
            ("--growing", args.grow.growing, "a filter with segments has a room, which -n makes larger"),
            ("--deletable", args.table.deletable, dropped),
            ("--count-bits", counts, "a filter with segments counts no copies"),
        ],
    )?;
    no_bloom_filter(flag, TABLE, args)?;
    match &args.segments.by {
        Some(by) => check_fields("--by", by, args.keys.field.as_ref()),
        None if args.inputs.is_empty() || args.inputs.iter().any(|path| path.as_os_str() == "-") => {
            Err(Failure::new(
                "--set gives each list the name of its file, and standard input has none; name files, or say with --by which \
                 field of a row names its segment",
            ))
        }
        None => Ok(()),
    }
}

/// Refuses what cannot be exact.
fn check_exact(args: &BuildArgs) -> Result<(), Failure> {
    if Source::reads_stdin_twice(&args.inputs, &args.exact_on) {
        return Err(Failure::new(
            "standard input can be read once; name files for the keys, for --exact-on, or for both",
        ));
    }
    let twice = args.exact_on.iter().find(|path| args.inputs.iter().any(|list| is_same_file(list, path)));
    if let Some(path) = twice {
        return Err(Failure::new(format!(
            "--exact-on {}: that is the list of members too; name the list of all keys that will be asked, or leave it out",
            shown(path)
        )));
    }
    match args.scheme.to {
        None | Some(Format::Tepal) => Ok(()),
        Some(format) => Err(Failure::new(format!(
            "--exact-on needs exceptions, which only tepal files have, not those of {format}; leave it out, or leave --to out"
        ))),
    }
}

/// Refuses what only Bloom filters have, for a flag that asks for another filter: what that is, and
/// what sizes it.
fn no_bloom_filter(flag: &str, (what, sized): (&str, &str), args: &BuildArgs) -> Result<(), Failure> {
    let (shape, chain) = (&args.shape, &args.chain);
    let bloom = &format!("that is about Bloom filters, and this is {what}");
    let (waits, has_memory) =
        ("its keys wait in memory alone, 8 bytes each", args.memory.is_some() && !args.ribbon.is_static);
    refuse(
        flag,
        &[
            ("-s", shape.size.is_some(), sized),
            ("--layout", shape.layout.is_some(), bloom),
            ("-k", shape.num_hashes.is_some(), bloom),
            ("--small", shape.small, bloom),
            ("--preset", args.scheme.preset.is_some(), bloom),
            ("--md5-split", args.scheme.md5_split.is_some(), bloom),
            ("--expansion", chain.expansion.is_some(), bloom),
            ("--valkey-seed", chain.valkey_seed.is_some(), bloom),
            ("--form", chain.form.is_some(), bloom),
            ("--memory", has_memory, waits),
            ("--exact-on", !args.exact_on.is_empty(), "its exceptions are those of a Bloom filter"),
            ("--like", args.like.is_some(), "that filter says itself what kind it is"),
        ],
    )?;
    match args.scheme.to {
        None | Some(Format::Tepal) => Ok(()),
        Some(format) => Err(Failure::new(format!(
            "{flag} makes a filter that only tepal files can hold, not those of {format}; leave --to out"
        ))),
    }
}

/// Refuses the first of the flags that is given.
fn refuse(flag: &str, others: &[(&str, bool, &str)]) -> Result<(), Failure> {
    match others.iter().find(|(_, given, _)| *given) {
        Some((other, _, why)) => {
            Err(Failure::new(format!("{other} is given with {flag}: {why}; leave {other} out")))
        }
        None => Ok(()),
    }
}
