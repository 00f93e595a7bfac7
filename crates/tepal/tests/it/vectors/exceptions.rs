//! `exceptions.json`: files with exceptions.

use tepal::{BloomFilter, Error, Exceptions, Scheme, file::Format, hash::PreparedKeys};

use super::of_kind::{can_be, write};
use super::{bytes, open_file, text, vectors};

fn stranger(number: u64) -> String {
    format!("stranger {number}")
}

#[test]
fn files_with_exceptions() {
    let vectors = vectors("exceptions.json");
    for case in vectors["files"].as_array().unwrap() {
        let name = text(case, "name");
        let scheme: Scheme = text(case, "scheme").parse().unwrap();
        let left_out = !cfg!(feature = "foreign") && scheme >= Scheme::Md5Presets || !can_be(case);
        let file = bytes(text(case, "file"));
        if left_out {
            assert!(matches!(open_file(case, &file), Err(Error::Unsupported { .. })), "{name}");
            continue;
        }
        let mut opened = open_file(case, &file).unwrap();
        let exceptions: Vec<u64> =
            case["exceptions"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        assert_eq!(opened.filter().exceptions(), exceptions.len() as u64, "{name}");
        assert_eq!(write(case, &opened), file, "{name}");
        let strangers: Vec<String> = (0..60).map(stranger).collect();
        assert!(!opened.contains_many(&strangers).contains(&true), "{name}");
        let members: Vec<String> = (0..100).map(|n| format!("member {n}")).collect();
        assert!(!opened.contains_many(&members).contains(&false), "{name}");

        // With a divider in place of the list: the reference's file, and one of the library's.
        let divided = bytes(text(case, "file_divided"));
        let mut other = open_file(case, &divided).unwrap();
        assert_eq!(write(case, &other), divided, "{name}");
        let mut keys = PreparedKeys::default();
        members.iter().for_each(|key| opened.key_hasher().prepare(key, &mut keys).unwrap());
        for divided in [&other, &opened.clone().divide(&Exceptions::new(), &keys).unwrap()] {
            assert!(!divided.contains_many(&strangers).contains(&true), "{name}");
            assert!(!divided.contains_many(&members).contains(&false), "{name}");
            assert_eq!(divided.filter().exceptions(), exceptions.len() as u64, "{name}");
            assert_eq!(write(case, divided).len(), write(case, &other).len(), "{name}");
        }
        assert!(matches!(other.insert("another"), Err(Error::NotPossible { .. })), "{name}");

        opened.insert(&stranger(exceptions[0])).unwrap();
        assert!(opened.contains(&stranger(exceptions[0])), "{name}");
        assert_eq!(write(case, &opened), bytes(text(case, "file_after")), "{name}");

        // The same file, from the keys.
        let mut opened = open_file(case, &file).unwrap();
        opened.clear().unwrap();
        opened.insert_many(&members).unwrap();
        assert_eq!(opened.filter().exceptions(), 0, "{name}");
        let mut keys = PreparedKeys::default();
        strangers.iter().for_each(|key| opened.key_hasher().prepare(key, &mut keys).unwrap());
        let mut found = Exceptions::new();
        assert_eq!(found.take(opened.filter(), &keys), exceptions.len(), "{name}");
        let opened = opened.except(&found).unwrap();
        assert_eq!(opened.format(), Format::Tepal);
        assert_eq!(write(case, &opened), file, "{name}");
    }
}

#[test]
fn refused_exceptions() {
    let vectors = vectors("exceptions.json");
    assert!(vectors["refused"].as_array().unwrap().len() >= 20);
    for case in vectors["refused"].as_array().unwrap() {
        let error = open_file(case, &bytes(text(case, "file"))).expect_err(text(case, "reason"));
        let is_expected =
            matches!(error, Error::Damaged { .. } | Error::Unsupported { .. } | Error::SealRequired);
        assert!(is_expected, "{}: {error}", text(case, "reason"));
    }
    // A call that cannot honour exceptions.
    let file = bytes(text(&vectors["files"][0], "file"));
    let error = BloomFilter::from_bytes(&file).unwrap_err();
    assert!(error.to_string().contains("`tepal::from_bytes`"), "{error}");
}
