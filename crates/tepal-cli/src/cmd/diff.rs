//! `tepal diff`: what makes one filter's file another, in few bytes.

use std::path::Path;

use serde::Serialize;
use tepal::{
    Error, Opened,
    file::{Format, Patch},
};

use crate::args::DiffArgs;
use crate::error::{Failure, Outcome};
use crate::open::{first_bytes, open_all};
use crate::output::{Stdout, Target, complain, keep, refuse_both, say};
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number;

/// What `--json` prints of a patch.
#[derive(Serialize)]
pub(super) struct Report {
    /// Bytes of the three files.
    pub(super) old_len: u64,
    pub(super) new_len: u64,
    pub(super) patch_len: u64,
    /// Bits that differ.
    pub(super) flips: u64,
    /// Keys beside a static filter that the new one alone has, and the old one alone.
    pub(super) added_keys: u64,
    pub(super) removed_keys: u64,
}

impl Report {
    /// Describes a patch.
    pub(super) fn of(patch: &Patch) -> Self {
        Self {
            old_len: patch.old_len(),
            new_len: patch.new_len(),
            patch_len: patch.as_bytes().len() as u64,
            flips: patch.flips(),
            added_keys: patch.added_keys(),
            removed_keys: patch.removed_keys(),
        }
    }
}

/// Runs the verb.
pub fn run(args: &DiffArgs) -> Outcome {
    refuse_both(args.json, Some(&args.output))?;
    for path in [&args.old, &args.new] {
        if path.as_os_str() == "-" {
            return Err(Failure::new("- is given for a filter; both are read twice, so name files"));
        }
    }
    keep(Some(&args.output), "a filter", [&args.old, &args.new])?;
    let mut target = Target::new(&args.output, args.force)?;
    let old = shown(&args.old);
    check_foreign(args)?;
    let patch = Patch::between_files(&args.old, &args.new).map_err(|error| match error {
        Error::Incompatible { property: "kind", expected, found, .. } => Failure::at(
            &shown(&args.new),
            format!(
                "it is a {found}, and {old} is a {expected}; a patch is between two filters of one kind: send the new one whole"
            ),
        ),
        Error::Incompatible { property, expected, found, .. } => Failure::at(
            &shown(&args.new),
            format!(
                "its {property} is {found}, and that of {old} is {expected}{}",
                way_out(property, &args.old, &args.new)
            ),
        ),
        error => named(args, error),
    })?;
    target.save_patch(&patch)?;
    if !args.quiet {
        say(&summary(&patch));
        // A sixteenth of all bits: fewer are not those of another list.
        let are_many = 2 * patch.flips() > patch.new_len();
        if are_many && 2 * patch.as_bytes().len() as u64 > patch.new_len() && is_static(&args.new) {
            complain(&format!("{}: ! {STATIC}", target.name()));
        }
    }
    if args.json {
        Stdout::new().document(&Report::of(&patch))?;
    }
    Ok(0)
}

/// What a patch of a static filter is.
const STATIC: &str = "of a static filter nearly half of the bits differ when a few keys do (of a million keys: one makes a patch of 8 % of the \
                      file, 10 of half of it), and its length mostly does: send it whole, or add the new keys to the old one (tepal add) and \
                      send a patch of that, about 7 bytes for each";

/// What to do where two files have no patch between them. Of a filter that is keyed or sealed its
/// kind is not told.
fn way_out(property: &str, old: &Path, new: &Path) -> String {
    let is_length = matches!(property, "length" | "length without added keys");
    let [from, to] = [old, new].map(|path| tepal::open(path).ok());
    let size_of = |opened: &Option<Opened>| opened.as_ref().map(|file| file.filter().facts().size_in_bytes);
    if let (Some(from), Some(to)) = (&from, &to) {
        if from.kind() != to.kind() {
            return "; a patch is between two filters of one kind: send the new one whole".to_owned();
        }
    }
    let Some(one) = to.as_ref().or(from.as_ref()) else { return format!("; {}", rebuild(&shown(old))) };
    let can = one.can();
    match () {
        () if can.prefers_all_at_once && is_length && size_of(&from) == size_of(&to) => {
            "; these static filters differ in what stands beside their bits (name, labels, seal): send the new one whole".to_owned()
        }
        () if can.prefers_all_at_once && is_length => format!(": {STATIC}"),
        () if can.prefers_all_at_once => {
            "; a patch is between static filters of one hash, and what is new is added to the old one (tepal add) or sent whole".to_owned()
        }
        () if can.count && is_length => format!(
            ": the table of a filter from which keys can be removed follows from how many keys there are; send it whole, or build it \
             with --like {}, which keeps the length while the keys fit",
            shown(old)
        ),
        () if can.values && is_length => {
            ": a map follows from all its keys and values, and differs everywhere where one is another; send it whole".to_owned()
        }
        () if is_length && !one.filter().facts().tables.is_empty() => {
            ": the tables of such a filter follow from how many keys there are; send it whole".to_owned()
        }
        () => format!("; {}", rebuild(&shown(old))),
    }
}

fn rebuild(old: &str) -> String {
    format!(
        "a patch is between filters of one shape and one hash: build the new one with: tepal build LIST --like {old} -o NEW"
    )
}

/// `714,992 bits differ; 850 KiB, 3.5 % of the new file`
fn summary(patch: &Patch) -> String {
    let len = patch.as_bytes().len() as u64;
    format!(
        "{}{} differ; {}, {} of the new file",
        keys(patch),
        number::counted(patch.flips(), "bit"),
        number::size(len),
        number::percent(len as f64 / patch.new_len() as f64)
    )
}

/// What a patch does to the keys that were added to a static filter: `100 keys added, 2 taken away,
/// `; nothing where it does nothing.
pub(super) fn keys(patch: &Patch) -> String {
    let keys = |keys| number::counted(keys, "key");
    match (patch.added_keys(), patch.removed_keys()) {
        (0, 0) => String::new(),
        (added, 0) => format!("{} added, ", keys(added)),
        (0, removed) => format!("{} taken away, ", keys(removed)),
        (added, removed) => format!("{} added, {} taken away, ", keys(added), number::count(removed)),
    }
}

/// An error with the name of the file that is to blame.
fn named(args: &DiffArgs, error: Error) -> Failure {
    let blamed = [&args.old, &args.new].into_iter().find(|path| Patch::between_files(path, path).is_err());
    match (blamed, error) {
        (Some(path), Error::Io { source, .. }) => Failure::io(&shown(path), &source),
        (Some(path), error) => Failure::at(&shown(path), error),
        (None, error) => error.into(),
    }
}

/// Other programs' files are compared byte by byte, so what they are is looked at here.
fn check_foreign(args: &DiffArgs) -> Result<(), Failure> {
    if is_tepal(&args.old) && is_tepal(&args.new) {
        return Ok(());
    }
    // Of two files each may be what it is: a tepal file beside another program's is refused below.
    let opened = open_all([&args.old, &args.new].map(|path| path.as_path()), args.file, &Secrets::default())?;
    let (old, name) = (shown(&args.old), shown(&args.new));
    let formats = [&opened[0], &opened[1]].map(Opened::format);
    if formats[0] != formats[1] {
        let text =
            format!("its format is {}, and that of {old} is {}; {}", formats[1], formats[0], rebuild(&old));
        return Err(Failure::at(&name, text));
    }
    let shape = |file: &Opened| {
        let facts = file.filter().facts();
        let parts: Vec<_> =
            facts.parts.iter().map(|part| (part.layout, part.num_hashes, part.bit_len)).collect();
        (facts.scheme, facts.seed, facts.valkey_seed, parts)
    };
    if shape(&opened[0]) == shape(&opened[1]) {
        return Ok(());
    }
    Err(Failure::at(&name, format!("its size or its hash is not that of {old}; {}", rebuild(&old))))
}

/// Is it a file of a static filter? Of one that is keyed or sealed that is not told.
fn is_static(path: &Path) -> bool {
    tepal::open(path).is_ok_and(|file| file.can().prefers_all_at_once)
}

/// Is it a tepal file?
fn is_tepal(path: &Path) -> bool {
    Format::of(&first_bytes(path)) == Some(Format::Tepal)
}
