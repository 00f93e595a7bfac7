//! Every error tells in one line what was found, what was expected and what to do.

use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use core::error::Error as _;

use super::*;

/// What to do about a file that is not a filter of any program.
const MADE_BY: &str = "; give a filter's file (`save`)";

/// One error of every kind, with the words that its text must contain; also one for every kind of
/// obstacle, and for every kind of unknown bytes.
fn all() -> Vec<(Error, Vec<&'static str>)> {
    let refused = |domain| Error::KeyRefused { domain, found: "4.2".into() };
    let unconvertible = |obstacle| Error::Unconvertible { format: Format::Dcso, obstacle };
    let not_tepal = |found| Error::NotTepal { found };
    vec![
        (Error::parameter("the size", 7, "8 or more"), vec!["the size is 7", "it must be 8 or more"]),
        (
            Error::rate_out_of_reach(1e-9, "the layout ends at 1e-8"),
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
        (
            Error::CapacityReached { capacity: 1, inserted: 1 },
            vec!["planned for 1 key and", "(the first key of this call is in)"],
        ),
        (refused(KeyDomain::Bytes), vec!["this filter has keys of bytes; \"4.2\" is not bytes"]),
        (
            refused(KeyDomain::Integer),
            vec!["has integer keys; \"4.2\" is not the shortest decimal form of a 64-bit integer"],
        ),
        (
            refused(KeyDomain::Integer32),
            vec!["has integer keys; \"4.2\" is not the shortest decimal form of a 32-bit integer"],
        ),
        (refused(KeyDomain::Utf16), vec!["has text keys; \"4.2\" is not text in UTF-8"]),
        (
            refused(KeyDomain::Float32),
            vec!["has keys that are numbers; \"4.2\" is not a number in decimal form"],
        ),
        (
            refused(KeyDomain::Float64),
            vec!["has keys that are numbers; \"4.2\" is not a number in decimal form"],
        ),
        (
            Error::NoHash { scheme: Scheme::Dcso },
            vec!["the scheme dcso", "no 64-bit hash", "give keys, not hashes"],
        ),
        (
            Error::CallerHashes { name: "wyhash 4.2".into() },
            vec![
                "hashes that its caller computes (\"wyhash 4.2\")",
                "cannot hash a key",
                "a program that computes this hash (`contains_hash`, `insert_hash`)",
            ],
        ),
        (
            Error::NotPossible {
                kind: Kind::Scalable,
                operation: Operation::Fold,
                instead: advice!("cut its links", Freeze, ", or not"),
            },
            vec![
                "a chain of Bloom filters cannot be folded; cut its links (`GrowingFilter::freeze`), or not",
            ],
        ),
        (
            Error::Incompatible { property: "layout", expected: "line".into(), found: "double".into() },
            vec!["differ in layout", "line here", "double in the other", "rebuild one of them"],
        ),
        (
            unconvertible(Obstacle::Scheme {
                found: Scheme::Xxh3,
                expected: &[Scheme::GuavaMitz64, Scheme::GuavaMitz32],
            }),
            vec![
                "the format dcso cannot hold this filter: its hash scheme is xxh3",
                "expected guava-mitz64 or guava-mitz32",
                "bits cannot be turned into those of another hash",
                "rebuild it from the keys",
            ],
        ),
        (
            unconvertible(Obstacle::Scheme { found: Scheme::Xxh3, expected: &[Scheme::Dcso] }),
            vec!["its hash scheme is xxh3, expected dcso; bits"],
        ),
        (
            unconvertible(Obstacle::Layout { found: Layout::Line, expected: Layout::SplitBlock }),
            vec!["its layout is line, expected split-block", "rebuild it from the keys"],
        ),
        (
            unconvertible(Obstacle::Chain { links: 3 }),
            vec![
                "a chain of 3 filters, which grows",
                "holds no such chain",
                "build one filter from the keys",
            ],
        ),
        (
            unconvertible(Obstacle::Recipe),
            vec!["it trims keys or ignores their case", "rebuild it from keys without a recipe"],
        ),
        (
            unconvertible(Obstacle::Number { name: "the number of hashes", found: 256, most: 255 }),
            vec!["the number of hashes is 256", "has room up to 255", "rebuild it from the keys"],
        ),
        (
            unconvertible(Obstacle::KeyDomain {
                found: KeyDomain::Integer32,
                expected: &[KeyDomain::Bytes, KeyDomain::Integer],
            }),
            vec!["its keys are int32, and that program's are bytes or int64", "rebuild it from keys"],
        ),
        (
            unconvertible(Obstacle::Form { asked: "dump" }),
            vec!["format dcso", "have no form dump, which those of redisbloom have", "leave the form out"],
        ),
        (
            unconvertible(Obstacle::Kind { found: Kind::Scalable }),
            vec!["format dcso", "it is a chain of Bloom filters", "rebuild it from the keys"],
        ),
        #[cfg(feature = "extras")]
        (
            unconvertible(Obstacle::Exceptions),
            vec!["format dcso", "it has exceptions", "only tepal files hold these"],
        ),
        (not_tepal(Looks::Empty), vec!["not a tepal filter: it is empty", MADE_BY]),
        (not_tepal(Looks::Packed("gzip")), vec!["it looks like gzip data", MADE_BY]),
        (not_tepal(Looks::TextMode), vec!["a copy in text mode has changed its line ends", MADE_BY]),
        (not_tepal(Looks::Cut), vec!["it ends within the first 8 bytes", MADE_BY]),
        (not_tepal(Looks::Text("no \"f".into())), vec!["it looks like text (\"no \\\"f\")", MADE_BY]),
        (
            not_tepal(Looks::Unmarked(vec![Format::Guava, Format::ParquetSbbf])),
            vec!["by its lengths it could be guava or parquet-sbbf", "name its format (`Open::format`)"],
        ),
        (not_tepal(Looks::Other(vec![0, 0xAB])), vec!["it starts with the bytes [00, ab]", MADE_BY]),
        #[cfg(feature = "foreign")]
        (
            not_tepal(Looks::Parquet(ParquetFile::Filters { first: vec![in_parquet(Some(528))], total: 9 })),
            vec![
                "a whole Parquet file, and 9 Bloom filters are in it: row group 2, column \"a.b\", 528 bytes from byte 4399 \
                 on (tail -c +4400 FILE | head -c 528); and 8 more",
                "cut it out and open that",
            ],
        ),
        #[cfg(feature = "foreign")]
        (
            not_tepal(Looks::Parquet(ParquetFile::Filters { first: vec![in_parquet(None)], total: 1 })),
            vec![
                "and 1 Bloom filter is in it",
                "of unknown length from byte 4399 on",
                "cut it out and open that",
            ],
        ),
        #[cfg(feature = "foreign")]
        (
            not_tepal(Looks::Parquet(ParquetFile::WithoutFilters)),
            vec![
                "a whole Parquet file, without Bloom filters",
                "write it anew with them: bloom_filter_options",
            ],
        ),
        #[cfg(feature = "foreign")]
        (
            not_tepal(Looks::Parquet(ParquetFile::Encrypted)),
            vec!["a whole Parquet file, whose footer is encrypted", "write it anew without encryption"],
        ),
        #[cfg(feature = "foreign")]
        (
            not_tepal(Looks::Parquet(ParquetFile::Damaged { what: "it ends".into() })),
            vec![
                "begins as a Parquet file does, and its footer cannot be read: it ends",
                "get the file again",
            ],
        ),
        #[cfg(feature = "foreign")]
        (
            not_tepal(Looks::DumpAndLineEnd),
            vec!["a DUMP payload of Redis with one line end behind it", "cut off the last byte"],
        ),
        (
            Error::Unsupported { what: "filter kind", found: 2, known: "kind 1" },
            vec!["filter kind 2 is not known", "which knows kind 1", "use a newer tepal"],
        ),
        (
            Error::NotOfFormat { format: Format::Guava, found: Format::Spark },
            vec!["its mark says spark, not guava", "name that format, or none (`Open::format`)"],
        ),
        (Error::damaged("bit 5 is set"), vec!["damaged: bit 5 is set", "restore the file", "build it again"]),
        (Error::KeyRequired, vec!["made with a secret key", "open it with that key (`Open::secret_key`)"]),
        (Error::WrongKey, vec!["not the one that the filter was made with", "open it with that key"]),
        (Error::KeyNotUsed, vec!["a secret key was given", "made without one", "leave the key out"]),
        (Error::SealRequired, vec!["the file is sealed", "open it with that key (`Open::seal_key`)"]),
        (Error::WrongSeal, vec!["does not fit the key", "get the file from its maker again"]),
        (Error::NotSealed, vec!["the file has no seal", "get the sealed file", "leave the key out"]),
        (Error::NotInPlace { past: 0 }, vec!["big-endian", "`from_bytes`"]),
        (
            Error::NotInPlace { past: 24 },
            vec!["24 past a multiple of 64 bytes", "`tepal::include_aligned!`", "`from_embedded`"],
        ),
        (
            Error::OtherKeys { property: "key domain", expected: "int64".into(), found: "bytes".into() },
            vec!["key domain is bytes", "int64 was asked for", "made with"],
        ),
        (
            Error::KeysClustered { rate: 0.5, promised: 0.01, inserted: 17 },
            vec![
                "of keys like those in the filter one in 2 is found by mistake, where one in 100 is promised",
                "they had been chosen by its own hash",
                "a seed of its own (`seed_for`)",
                "(the first 17 keys of this call are in)",
            ],
        ),
        (
            Error::PastLimit { what: "a pipe gives more", most: 99, instead: advice!("save it to a file") },
            vec!["a pipe gives more, expected 99 bytes or less; save it to a file"],
        ),
        (
            Error::OtherName { expected: "b".into(), found: Some("a".into()) },
            vec![
                "the filter's name is \"a\", and \"b\" was expected",
                "it is another filter",
                "`Labels::name`",
            ],
        ),
        (
            Error::OtherName { expected: "b".into(), found: None },
            vec!["the filter has no name, and \"b\" was expected"],
        ),
        (
            Error::NoSuchKeys {
                format: Format::Spark,
                found: KeyDomain::Integer32,
                expected: &[KeyDomain::Bytes, KeyDomain::Integer],
            },
            vec!["the format spark has no keys of the domain int32", "ask for bytes or int64"],
        ),
        #[cfg(feature = "std")]
        (
            Error::Io {
                path: None,
                doing: "making a secret key".into(),
                source: std::io::Error::other(Gone),
            },
            vec!["making a secret key failed"],
        ),
        #[cfg(feature = "std")]
        (Error::io("f".as_ref(), "opening", std::io::Error::other(Gone)), vec!["f: opening failed"]),
        #[cfg(feature = "std")]
        (
            Error::FileExists { path: "f".into() },
            vec!["f: exists", "was to be a new file", "name another file, or replace this one (`save`)"],
        ),
        #[cfg(feature = "std")]
        (
            Error::FileChanged { path: "f".into() },
            vec!["f: replaced or changed", "nothing was saved", "open it again"],
        ),
        #[cfg(feature = "extras")]
        (Error::OtherOld { is_new: false }, vec!["for another file", "get one that was made from this file"]),
        #[cfg(feature = "extras")]
        (Error::OtherOld { is_new: true }, vec!["already the result of the patch", "nothing to do"]),
        #[cfg(feature = "table")]
        (
            Error::TooManyCopies { most: 64, inserted: 5 },
            vec!["a key is in 64 times", "`count_bits`", "(the first 5 keys of this call are in)"],
        ),
        #[cfg(feature = "table")]
        (
            Error::NumbersClustered { inserted: 5 },
            vec![
                "equal or neighbouring hash values",
                "by chance in a table for very few keys",
                "a secret key",
                "`secret_key`",
                "(the first 5 keys of this call are in)",
            ],
        ),
        #[cfg(feature = "static")]
        (
            Error::SeveralValues { hash: 77, values: ["3".into(), "5".into()] },
            vec!["the value 3 and with 5", "one value for each key", "0x000000000000004d", "`seed_for`"],
        ),
    ]
}

/// A filter in a Parquet file.
#[cfg(feature = "foreign")]
fn in_parquet(length: Option<u64>) -> ParquetFilter {
    ParquetFilter {
        key_domain: None,
        row_group: 2,
        column: "a.b".into(),
        file: None,
        offset: 4399,
        length,
        is_encrypted: false,
    }
}

/// An error of the system.
#[cfg(feature = "std")]
#[derive(Debug)]
struct Gone;

#[cfg(feature = "std")]
impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the disk is gone")
    }
}

#[cfg(feature = "std")]
impl core::error::Error for Gone {}

/// The number of an error's kind. A new kind does not compile before it is here and in [`all`]. The
/// second number does the same for the kinds of obstacles and of unknown bytes.
fn number(error: &Error) -> (usize, usize) {
    let number = match error {
        Error::Parameter { .. } => 0,
        Error::RateOutOfReach { .. } => 1,
        Error::TooLarge { .. } => 2,
        Error::CapacityReached { .. } => 3,
        Error::KeyRefused { .. } => 4,
        Error::NoHash { .. } => 5,
        Error::CallerHashes { .. } => 6,
        Error::NotPossible { .. } => 7,
        Error::Incompatible { .. } => 8,
        Error::Unconvertible { obstacle, .. } => return (9, number_of_obstacle(obstacle)),
        Error::NotTepal { found } => return (10, number_of_looks(found)),
        Error::Unsupported { .. } => 11,
        Error::NotOfFormat { .. } => 12,
        Error::Damaged { .. } => 13,
        Error::KeyRequired => 14,
        Error::WrongKey => 15,
        Error::KeyNotUsed => 16,
        Error::SealRequired => 17,
        Error::WrongSeal => 18,
        Error::NotSealed => 19,
        Error::NotInPlace { .. } => 20,
        Error::OtherKeys { .. } => 21,
        Error::KeysClustered { .. } => 22,
        Error::PastLimit { .. } => 23,
        Error::OtherName { .. } => 24,
        Error::NoSuchKeys { .. } => 25,
        #[cfg(feature = "std")]
        Error::Io { .. } => 26,
        #[cfg(feature = "std")]
        Error::FileExists { .. } => 27,
        #[cfg(feature = "std")]
        Error::FileChanged { .. } => 28,
        #[cfg(feature = "extras")]
        Error::OtherOld { .. } => 29,
        #[cfg(feature = "table")]
        Error::TooManyCopies { .. } => 30,
        #[cfg(feature = "table")]
        Error::NumbersClustered { .. } => 31,
        #[cfg(feature = "static")]
        Error::SeveralValues { .. } => 32,
    };
    (number, 0)
}

fn number_of_obstacle(obstacle: &Obstacle) -> usize {
    match obstacle {
        Obstacle::Scheme { .. } => 0,
        Obstacle::Layout { .. } => 1,
        Obstacle::Chain { .. } => 2,
        Obstacle::Recipe => 3,
        Obstacle::Number { .. } => 4,
        Obstacle::KeyDomain { .. } => 5,
        Obstacle::Form { .. } => 6,
        Obstacle::Kind { .. } => 7,
        #[cfg(feature = "extras")]
        Obstacle::Exceptions => 8,
    }
}

fn number_of_looks(looks: &Looks) -> usize {
    match looks {
        Looks::Empty => 0,
        Looks::Packed(_) => 1,
        Looks::TextMode => 2,
        Looks::Cut => 3,
        Looks::Text(_) => 4,
        Looks::Unmarked(_) => 5,
        Looks::Other(_) => 6,
        #[cfg(feature = "foreign")]
        Looks::Parquet(_) => 7,
        #[cfg(feature = "foreign")]
        Looks::DumpAndLineEnd => 8,
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
    let kinds = |error| match error {
        9 => {
            if cfg!(feature = "extras") {
                9
            } else {
                8
            }
        }
        10 if cfg!(feature = "foreign") => 9,
        10 => 7,
        _ => 1,
    };
    let errors = (0..33usize).filter(|error| match error {
        26..=28 => cfg!(feature = "std"),
        29 => cfg!(feature = "extras"),
        30 | 31 => cfg!(feature = "table"),
        32 => cfg!(feature = "static"),
        _ => true,
    });
    assert!(told.into_iter().eq(errors.flat_map(|error| (0..kinds(error)).map(move |kind| (error, kind)))));
}

#[test]
fn the_words_about_a_call_come_only_where_keys_went_in() {
    let text = Error::CapacityReached { capacity: 500, inserted: 0 }.to_string();
    assert!(
        text.ends_with("rate; build a larger one, or change its over-capacity policy (`over_capacity`)"),
        "{text}"
    );
}

/// A door that has no words: what is left are the sentences.
struct Silent;

impl Door for Silent {
    fn way_out(&self, _: WayOut) -> Option<&'static str> {
        None
    }
}

/// A door whose words are the names of the ways.
struct Named;

impl Door for Named {
    fn way_out(&self, way: WayOut) -> Option<&'static str> {
        let at = WayOut::ALL.iter().position(|one| *one == way).unwrap();
        Some(["<even>", "<odd>"][at % 2])
    }
}

/// The sentences of all errors are complete without a call, and each door puts its own words in.
#[test]
fn each_door_has_its_own_words() {
    for (error, _) in all() {
        let silent = error.in_words(&Silent).to_string();
        assert!(!silent.contains('`') && !silent.contains("--") && !silent.contains("::"), "{silent}");
        assert!(!silent.contains("()") && !silent.contains(" ,") && !silent.contains("  "), "{silent}");
        let named = error.in_words(&Named).to_string();
        let ways = error.advice().ways().count();
        assert_eq!(named.matches("(<even>)").count() + named.matches("(<odd>)").count(), ways, "{named}");
        assert_eq!(named.replace(" (<even>)", "").replace(" (<odd>)", ""), silent);
        assert!(!error.to_string().contains("--"), "{error}");
    }
    for way in WayOut::ALL {
        let call = Calls.way_out(*way).unwrap();
        assert!(call.starts_with('`') == (*way != WayOut::Features) && !call.contains("--"), "{call}");
    }
}

/// The text does not repeat the system's error.
#[test]
fn only_the_system_has_a_source() {
    for (error, _) in all() {
        let source = error.source().map(ToString::to_string);
        let expected = (number(&error).0 == 26).then(|| "the disk is gone".to_string());
        assert_eq!(source, expected, "{error}");
        assert!(!error.to_string().contains("the disk is gone"), "{error}");
    }
}

/// The text that `main` prints for an error that it returns.
#[test]
fn debug_is_the_text_and_its_source() {
    for (error, _) in all() {
        let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
        assert_eq!(format!("{error:?}"), format!("{error}{source}"));
    }
}

#[test]
fn a_number_or_a_name_that_is_not_known_is_named_with_those_that_are() {
    let text = Layout::from_id(9_u8).unwrap_err().to_string();
    assert!(text.contains("layout 9") && text.contains("3 (split-block), 4 (scattered)"), "{text}");
    assert_eq!(Layout::from_id(4_u8).unwrap(), Layout::Scattered);
    assert!(Layout::from_id(260_u16).is_err());
    let text = "Guava".parse::<Format>().unwrap_err().to_string();
    let names = "tepal, guava, spark, parquet-sbbf, bits-and-blooms, dcso, redisbloom, valkey-bloom";
    assert_eq!(text, format!("the format is Guava; it must be one of: {names}"));
    assert_eq!("guava".parse::<Format>().unwrap(), Format::Guava);
}
