//! `refused.json`: invalid files, each refused at its step of FORMAT.md, section 4.6.

use serde_json::Value;
use tepal::{Error, Scheme};

use super::{bytes, cases, open, small, text, vectors};

/// The bytes of a case's file: hexadecimal digits, or a list of parts.
fn file(case: &Value) -> Vec<u8> {
    let part = |part: &Value| match part.as_str() {
        Some(hex) => bytes(hex),
        None => bytes(text(part, "hex")).repeat(small(part, "times") as usize),
    };
    match case["file"].as_array() {
        Some(parts) => parts.iter().flat_map(part).collect(),
        None => part(&case["file"]),
    }
}

/// The library's texts about a damaged file, by the step that finds the damage.
const DAMAGED: [(u32, &[&str]); 7] = [
    (1, &[", within the header"]),
    (2, &[" were written;", "the body cannot start at byte "]),
    (3, &["the header has the checksum "]),
    (
        4,
        &[
            "records of ",
            "the record with tag ",
            " different numbers and ",
            "exceptions of the kind ",
            "added keys of the kind ",
            "the rest of the header's part of the filter is not zero",
            "the bytes behind the spare lines are not zero",
            "it has records for parameters of two schemes",
            "a record of a scheme's parameter does not fit",
            "the seed record is not 64 hex digits",
            "has no parameter ",
            "a divider and no exceptions",
            " in a ribbon of ",
            "a seed of the ribbon is that of no layer",
            " keys in the second ribbon behind one of ",
            "the bytes before the words of the second ribbon are not zero",
            "the byte before the columns of the ribbon is not zero",
            "the list of its names ",
            "the padding in the list of its names is not zero",
            "two of its segments have one name",
            ", within a piece that begins at byte ",
            " of the growing filter ",
            "the rest of the growing filter's part",
            "the rest of the chain's part",
            "the filters of the chain ",
            "a filter of a chain has ",
            "a filter of the chain holds ",
            "the bytes behind the generations ",
            " keys inserted",
        ],
    ),
    (5, &["does not fit the file", "the padding before the body is not zero"]),
    (6, &["do not give the positions that the writer's gave", "does not give the numbers that the"]),
    (
        7,
        &[
            "bytes 192 to ",
            "bytes 256 to ",
            "the table ",
            "bits of the ribbon are set that stand for nothing",
            "bits behind the last seed of the ribbon are set",
            "added keys is not that of their bytes",
            "bits are set beyond the last one",
            " bits are set, and the header says ",
        ],
    ),
];

/// The step whose check failed.
pub(crate) fn step(error: &Error) -> u32 {
    match error {
        Error::NotTepal { .. } => 1,
        Error::Unsupported { what: "file format version" | "filter kind", .. } => 1,
        Error::Unsupported { .. } | Error::Parameter { .. } | Error::RateOutOfReach { .. } => 4,
        Error::KeyRequired | Error::WrongKey | Error::KeyNotUsed => 6,
        Error::SealRequired | Error::NotSealed => 6,
        Error::WrongSeal => 8,
        Error::Damaged { what, .. } => {
            let text = format!("{what};");
            let says = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
            let found: Vec<u32> =
                DAMAGED.iter().filter(|(_, parts)| says(parts)).map(|(step, _)| *step).collect();
            assert_eq!(found.len(), 1, "{found:?}: {what}");
            found[0]
        }
        // A machine of 32 bits has no memory for such a body, and says so before it compares its
        // length.
        Error::TooLarge { .. } if usize::BITS < 64 => 5,
        other => panic!("no file is refused with this: {other}"),
    }
}

/// Whether this build does not know the file's scheme, seal or exceptions. It then refuses it at
/// step 4.
fn is_unknown(file: &[u8]) -> bool {
    let scheme = file.get(33).and_then(|id| Scheme::ALL.iter().find(|scheme| scheme.id() == *id));
    let is_foreign = scheme.is_some_and(|scheme| *scheme >= Scheme::Md5Presets);
    let is_sealed = file.get(24).is_some_and(|flags| flags & 1 != 0);
    let is_excepted = file.get(24).is_some_and(|flags| flags & 6 != 0);
    !cfg!(feature = "foreign") && is_foreign
        || !cfg!(feature = "seal") && is_sealed
        || !cfg!(feature = "extras") && is_excepted
}

#[test]
fn refused_files_are_refused_at_their_step() {
    let vectors = vectors("refused.json");
    let mut steps = [0; 9];
    for case in cases(&vectors, "refused") {
        let (file, name, expected) = (file(case), text(case, "name"), small(case, "step"));
        // Not sealed: a seal key cannot be given.
        if !cfg!(feature = "seal") && case.get("seal_key").is_some() && file[24] == 0 {
            assert!(open(case, &file).is_ok());
            continue;
        }
        let error = open(case, &file).map(|_| ()).expect_err(name);
        let text = error.to_string();
        assert!(!text.contains('\n') && !text.is_empty(), "{name}: {text}");
        let found = step(&error);
        if is_unknown(&file) && expected > 4 {
            assert!(matches!(error, Error::Unsupported { .. }), "{name}: {text}");
        } else {
            assert_eq!(found, expected, "{name}: {text}");
        }
        steps[expected as usize] += 1;
    }
    assert!(steps[0] == 0 && steps[1..8].iter().all(|&cases| cases > 0), "{steps:?}");
}
