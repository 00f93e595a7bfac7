//! Every error says in one line what was found, what was expected and what to do.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use core::error::Error as _;

use super::*;

/// One error of every kind, with the words that its text must have.
fn all() -> Vec<(Error, Vec<&'static str>)> {
    let refused = |domain| Error::KeyRefused { domain, found: "4.2".into() };
    vec![
        (Error::parameter("the size", 7, "8 or more"), vec!["the size is 7", "it must be 8 or more"]),
        (
            Error::RateOutOfReach { rate: 1e-9, reason: "the layout ends at 1e-8".into() },
            vec!["1e-9", "out of reach: the layout ends at 1e-8"],
        ),
        (
            Error::TooLarge { bytes: 12_345 },
            vec!["12345 bytes", "more than this machine", "plan for fewer keys"],
        ),
        (
            Error::CapacityReached { capacity: 500, inserted: 0 },
            vec!["planned for 500 keys", "refuses more", "build a larger one"],
        ),
        (
            Error::CapacityReached { capacity: 500, inserted: 499 },
            vec!["planned for 500 keys", "the first 499 keys of this call are in"],
        ),
        (refused(KeyDomain::Bytes), vec!["\"4.2\"", "`bytes`", "expected bytes"]),
        (refused(KeyDomain::Integer), vec!["\"4.2\"", "`integer`", "decimal form of a 64-bit integer"]),
        (refused(KeyDomain::Integer32), vec!["\"4.2\"", "`integer32`", "decimal form of a 32-bit integer"]),
        (refused(KeyDomain::Utf16), vec!["\"4.2\"", "`utf16`", "text in UTF-8"]),
        (refused(KeyDomain::Float32), vec!["\"4.2\"", "`float32`", "a number in decimal form"]),
        (refused(KeyDomain::Float64), vec!["\"4.2\"", "`float64`", "a number in decimal form"]),
        (
            Error::NoHash { scheme: Scheme::Dcso },
            vec!["`dcso`", "no 64-bit hash", "use the calls that take keys"],
        ),
        (
            Error::Incompatible { property: "layout", expected: "line".into(), found: "double".into() },
            vec!["differ in layout", "line here", "double in the other", "rebuild one of them"],
        ),
        (
            Error::Unconvertible {
                format: Format::Dcso,
                reason: "its bits are others; build it anew".into(),
            },
            vec!["the format dcso", "cannot hold this filter: its bits are others; build it anew"],
        ),
        (
            Error::NotTepal { found: "it is empty".into() },
            vec!["not a tepal filter: it is empty", "`tepal build`"],
        ),
        (
            Error::Unsupported { what: "filter kind", found: 2, known: "kind 1" },
            vec!["filter kind 2 is not known", "which knows kind 1", "use a newer tepal"],
        ),
        (Error::damaged("bit 5 is set"), vec!["damaged: bit 5 is set", "restore the file", "build it again"]),
        (Error::KeyRequired, vec!["made with a secret key", "open it with that key"]),
        (Error::WrongKey, vec!["not the one the filter was made with", "open it with that one"]),
        (Error::KeyNotUsed, vec!["a secret key was given", "made without one", "open it without a key"]),
        (Error::SealRequired, vec!["the file is sealed", "open it with the key of its seal"]),
        (Error::WrongSeal, vec!["not that of this key", "get it from its maker again"]),
        (Error::NotSealed, vec!["the file has no seal", "get the sealed one", "open it without a seal key"]),
        #[cfg(feature = "std")]
        (
            Error::Io { doing: "f: opening".into(), source: std::io::Error::other("the disk is gone") },
            vec!["f: opening: the disk is gone"],
        ),
    ]
}

/// The kinds by number: a new one does not compile until it stands here, and in [`all`].
fn number(error: &Error) -> usize {
    match error {
        Error::Parameter { .. } => 0,
        Error::RateOutOfReach { .. } => 1,
        Error::TooLarge { .. } => 2,
        Error::CapacityReached { .. } => 3,
        Error::KeyRefused { .. } => 4,
        Error::NoHash { .. } => 5,
        Error::Incompatible { .. } => 6,
        Error::Unconvertible { .. } => 7,
        Error::NotTepal { .. } => 8,
        Error::Unsupported { .. } => 9,
        Error::Damaged { .. } => 10,
        Error::KeyRequired => 11,
        Error::WrongKey => 12,
        Error::KeyNotUsed => 13,
        Error::SealRequired => 14,
        Error::WrongSeal => 15,
        Error::NotSealed => 16,
        #[cfg(feature = "std")]
        Error::Io { .. } => 17,
    }
}

#[test]
fn every_error_names_found_expected_and_the_way_out() {
    let mut told = Vec::new();
    for (error, parts) in all() {
        let text = error.to_string();
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
        assert!(!text.contains('\n') && !text.ends_with('.'), "{text:?}");
        assert!(!text.contains("  "), "{text:?}");
        told.push(number(&error));
    }
    told.dedup();
    assert!(told.into_iter().eq(0..if cfg!(feature = "std") { 18 } else { 17 }));
}

#[test]
fn the_words_about_a_call_come_only_where_keys_went_in() {
    let text = Error::CapacityReached { capacity: 500, inserted: 0 }.to_string();
    assert!(text.ends_with("change its over-capacity policy"), "{text}");
}

#[test]
fn only_the_system_is_a_source() {
    for (error, _) in all() {
        let source = error.source().map(ToString::to_string);
        let expected = (number(&error) == 17).then(|| "the disk is gone".to_string());
        assert_eq!(source, expected, "{error}");
    }
}
