//! The content of a file beside its filter, the allowed operations, and chains that are converted
//! to a format of one filter.

#[cfg(feature = "seal")]
use tepal::SealKey;
use tepal::{
    AnyFilter, BloomFilter, Error, Kind, Layout, Opened, OverCapacity, Recipe, Scheme,
    error::Obstacle,
    facts::{FileFacts, Unrecorded},
    file::Format,
    hash::PreparedKeys,
};

use crate::format::foreign::FOREIGN;
use crate::format::foreign::filter;
use crate::format::foreign::growing_by;
use crate::format::foreign::parts;
use crate::format::foreign::read;
use crate::format::foreign::with;
use crate::format::foreign::written;

/// Every format with one of its schemes, tepal's included.
fn formats() -> impl Iterator<Item = (Format, Scheme)> {
    FOREIGN.into_iter().chain([(Format::Tepal, Scheme::Xxh3), (Format::Tepal, Scheme::GuavaMitz64)])
}

/// The facts about the file.
fn file_facts(opened: &Opened) -> FileFacts {
    opened.facts().unwrap().file.unwrap()
}

#[test]
fn a_chain_of_one_is_a_filter_and_a_longer_one_is_not() {
    let file = Opened::new(filter(Scheme::ValkeyBloom, 200), Format::ValkeyBloom).unwrap();
    assert!(matches!(file.filter(), AnyFilter::Scalable(_)));
    let single = file.convert_to(Format::Tepal).unwrap();
    assert!(matches!(single.filter(), AnyFilter::Bloom(_)));

    let mut grown = growing_by(2);
    (1000..1100u64).for_each(|key| assert!(grown.insert(&key).is_ok()));
    assert_eq!(parts(&grown).len(), 2);
    let refused = grown.convert_to(Format::Tepal).unwrap_err();
    assert!(matches!(
        &refused,
        Error::Unconvertible { format: Format::Tepal, obstacle: Obstacle::Chain { links: 2, .. }, .. }
    ));
    let refused = refused.to_string();
    assert!(
        refused.contains(
            "it is a chain of 2 filters, which grows as keys come, and the format holds no such chain"
        ),
        "{refused}"
    );
}

#[test]
fn who_has_a_checksum() {
    let own = BloomFilter::builder().capacity(200).build().unwrap();
    assert!(file_facts(&Opened::new(own, Format::Tepal).unwrap()).has_checksum);
    for (format, scheme) in FOREIGN {
        let file = Opened::new(filter(scheme, 1), format).unwrap();
        assert!(!file_facts(&file).has_checksum, "{format}");
    }
    // RedisBloom's other form has one: see the tests of that format.
}

#[test]
fn promises_that_a_format_cannot_keep() {
    let warnings = |scheme, bits, k| {
        let filter = BloomFilter::builder().scheme(scheme).bit_len(bits).capacity(10).num_hashes(k);
        let facts = Opened::new(filter.build().unwrap(), Format::Tepal).unwrap().facts().unwrap();
        facts.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let expected = "positions of the scheme guava-mitz32 are 31 bits: half full, a filter of this size errs at \
                    3.12 %, where 3.12 % would be expected";
    assert_eq!(warnings(Scheme::GuavaMitz32, 1 << 28, 5), [expected]);
    assert!(warnings(Scheme::GuavaMitz32, (1 << 28) - 64, 5).is_empty());
    assert!(warnings(Scheme::GuavaMitz64, 1 << 28, 5).is_empty());
    let weak = "the scheme bkdr7 is weak: colliding keys can be written down by hand";
    assert_eq!(warnings(Scheme::Bkdr7, 1 << 25, 7), [weak]);
}

/// The facts of a file that was read equal those of the filter and of the file, in every format.
#[test]
fn facts_of_each_format() {
    use Unrecorded::{KeyDomain, KeysInserted, Plan};
    for (format, scheme) in formats() {
        let bytes = written((format, scheme), 150);
        let opened = read(format, &bytes).unwrap();
        let facts = opened.facts().unwrap();
        let file = facts.file.clone().unwrap();
        let is_ours = format == Format::Tepal;
        let not_recorded: &[Unrecorded] = match format {
            Format::Tepal => &[],
            Format::Dcso | Format::RedisBloom | Format::ValkeyBloom => &[KeyDomain],
            Format::Guava | Format::Spark | Format::ParquetSbbf | Format::BitsAndBlooms => {
                &[KeyDomain, Plan, KeysInserted]
            }
            other => panic!("{other}"),
        };
        assert_eq!(file.not_recorded, not_recorded, "{format}");
        assert_eq!(format.records_plan(), !not_recorded.contains(&Plan), "{format}");
        assert_eq!((file.format, file.has_checksum, file.is_sealed), (format, is_ours, false), "{format}");
        assert_eq!((file.format_version, file.chunks), (is_ours.then_some(1), is_ours.then_some(1)));
        assert_eq!(file.file_len, bytes.len() as u64, "{format}");
        assert_eq!(opened.file_len().unwrap(), opened.to_bytes().unwrap().len() as u64, "{format}");

        let is_chain = matches!(format, Format::RedisBloom | Format::ValkeyBloom);
        assert_eq!(facts.kind, if is_chain { Kind::Scalable } else { Kind::Bloom }, "{format}");
        assert_eq!((facts.scheme, facts.key_domain), (scheme, tepal::KeyDomain::Bytes));
        assert_eq!((facts.recipe, &facts.caller_hash), (Recipe::default(), &None));
        let counted = if not_recorded.contains(&KeysInserted) { None } else { facts.keys_inserted };
        assert_eq!(facts.keys_inserted, counted, "{format}");
        // Some new keys have all bits set already; not every program counts these.
        assert!(counted.is_none_or(|keys| (145..=150).contains(&keys)), "{format}: {counted:?}");
        assert!((facts.estimated_len - 150.0).abs() < 15.0, "{format}: {}", facts.estimated_len);
        assert!(facts.promised_false_positive_rate < 0.05 && facts.false_positive_rate < 0.02, "{format}");
        let [part] = &facts.parts[..] else { panic!("{format}: {:?}", facts.parts) };
        let one = &parts(&opened)[0];
        assert_eq!((part.layout, part.num_hashes), (one.layout(), one.num_hashes()));
        assert_eq!((part.bit_len, part.set_bits), (one.bit_len(), one.set_bits()));
        assert_eq!((part.capacity, facts.capacity), (one.capacity(), one.capacity()));
        assert!((part.fill_ratio() - one.fill_ratio()).abs() < 1e-12);
        assert_eq!(part.bits_per_key(), one.bits_per_key());
        assert_eq!((facts.size_in_bytes, facts.is_over_capacity), (one.size_in_bytes(), false));
        // Equal facts without a file.
        let mut facts = facts;
        facts.file = None;
        assert_eq!(opened.filter().facts(), facts, "{format}");
    }
}

#[test]
fn facts_of_a_chain_are_of_all_its_links() {
    let mut grown = growing_by(2);
    (1000..1100u64).for_each(|key| assert!(grown.insert(&key).is_ok()));
    let facts = grown.facts().unwrap();
    let capacities: Vec<_> = facts.parts.iter().map(|part| part.capacity).collect();
    assert_eq!((capacities.as_slice(), facts.capacity), (&[200, 400][..], 600));
    assert_eq!(facts.keys_inserted, facts.parts.iter().map(|part| part.keys_inserted).sum());
    assert_eq!(facts.size_in_bytes, parts(&grown).iter().map(BloomFilter::size_in_bytes).sum::<u64>());
    assert_eq!(file_facts(&grown).file_len, grown.to_bytes().unwrap().len() as u64);
}

/// Only files of one format are united: the union of two formats would be in neither.
#[test]
fn files_of_two_formats_are_not_united() {
    let keys = |filter: &Opened, keys: std::ops::Range<u64>| keys.filter(|key| filter.contains(key)).count();
    let made = |format, keys: std::ops::Range<u64>| {
        let mut filter = filter(Scheme::GuavaMitz64, 0);
        keys.for_each(|key| assert!(filter.insert(&key).is_ok()));
        Opened::new(filter, format).unwrap()
    };
    let (mut guava, mut ours) = (made(Format::Guava, 0..100), made(Format::Tepal, 100..200));
    let before = [guava.to_bytes().unwrap(), ours.to_bytes().unwrap()];
    for (error, texts) in [
        (guava.union_with(&ours).unwrap_err(), ["guava here", "tepal in the other"]),
        (guava.intersect_with(&ours).unwrap_err(), ["guava here", "tepal in the other"]),
        (ours.union_with(&guava).unwrap_err(), ["tepal here", "guava in the other"]),
        (ours.intersect_with(&guava).unwrap_err(), ["tepal here", "guava in the other"]),
    ] {
        assert!(matches!(error, Error::Incompatible { property: "file format", .. }), "{error}");
        assert!(texts.iter().all(|text| error.to_string().contains(text)), "{error}");
    }
    assert_eq!([guava.to_bytes().unwrap(), ours.to_bytes().unwrap()], before);

    guava.union_with(&made(Format::Guava, 100..200)).unwrap();
    assert_eq!(keys(&guava, 0..200), 200);
    ours.union_with(&guava.clone().convert_to(Format::Tepal).unwrap()).unwrap();
    assert_eq!(keys(&ours, 0..200), 200);
    ours.intersect_with(&made(Format::Tepal, 0..100)).unwrap();
    assert_eq!(keys(&ours, 0..100), 100);
    assert!(keys(&ours, 100..200) < 20);
}

/// After any changes of an opened file, the written file contains every member.
#[test]
fn a_changed_file_holds_all_its_members() {
    for (format, scheme) in formats() {
        let mut opened = read(format, &written((format, scheme), 20)).unwrap();
        let before = opened.clone();
        let texts: Vec<_> = (20..60u64).map(|key| key.to_string()).collect();
        opened.insert_many(&texts).unwrap();
        let mut prepared = PreparedKeys::default();
        for key in 60..90u64 {
            opened.key_hasher().prepare(&key, &mut prepared).unwrap();
        }
        opened.insert_prepared(&prepared).unwrap();
        for key in 90..200u64 {
            opened.insert(&key).unwrap();
        }
        match opened.insert_many_hashes(&[7]) {
            Ok(()) => assert!(opened.key_hasher().has_hash(), "{format}"),
            Err(error) => assert!(matches!(error, Error::NoHash { .. }), "{format}: {error}"),
        }
        let keys: Vec<u64> = (0..200).collect();
        assert_eq!(opened.contains_many(&keys), [true; 200], "{format}");
        let bytes = opened.to_bytes().unwrap();
        let again = read(format, &bytes).unwrap();
        assert_eq!(again.contains_many(&keys), [true; 200], "{format}");
        assert_eq!(again.to_bytes().unwrap(), bytes, "{format}");
        assert!(parts(&again) == parts(&opened), "{format}");
        // A clone made before does not contain the new keys.
        assert!(keys[20..].iter().filter(|key| before.contains(*key)).count() < 20, "{format}");

        opened.clear().unwrap();
        assert_eq!(opened.filter().keys_inserted(), Some(0));
        let again = read(format, &opened.to_bytes().unwrap()).unwrap();
        assert_eq!(again.contains_many(&keys), [false; 200], "{format}");
    }
}

/// A Guava file that takes far more keys than its capacity.
#[test]
fn a_guava_file_with_many_inserts_holds_them_all() {
    let mut opened = Opened::new(filter(Scheme::GuavaMitz64, 0), Format::Guava).unwrap();
    let keys: Vec<u64> = (0..20_000).map(|key| key * 7919).collect();
    opened.insert_many(&keys[..10_000]).unwrap();
    keys[10_000..].iter().for_each(|key| _ = opened.insert(key).unwrap());
    let again = read(Format::Guava, &opened.to_bytes().unwrap()).unwrap();
    assert!(again.contains_many(&keys).iter().all(|answer| *answer));
    assert!(parts(&again) == parts(&opened));

    // A file with enough capacity returns `false` for the same keys after it is read again.
    let builder = BloomFilter::builder().scheme(Scheme::GuavaMitz64).capacity(20_000);
    let mut opened = Opened::new(builder.build().unwrap(), Format::Guava).unwrap();
    opened.insert_many(&keys).unwrap();
    let again = read(Format::Guava, &opened.to_bytes().unwrap()).unwrap();
    assert!(again.contains_many(&keys).iter().all(|answer| *answer));
    let others: Vec<u64> = (0..20_000).map(|key| key * 7919 + 1).collect();
    let wrong = again.contains_many(&others);
    assert_eq!(wrong, opened.contains_many(&others));
    assert!(wrong.iter().filter(|answer| **answer).count() < 400);
}

/// A filter that the format cannot hold is not accepted.
#[test]
fn a_file_is_what_its_format_says() {
    let recipe = Recipe::new().trim(true);
    for (format, scheme) in FOREIGN {
        let builder = BloomFilter::builder().scheme(scheme).capacity(100).recipe(recipe);
        let layout =
            format.layout().unwrap_or(if scheme == Scheme::Xxh64 { Layout::Line } else { Layout::Scattered });
        let trimmed = builder.layout(layout).build().unwrap();
        let refused = Opened::new(trimmed.clone(), format).unwrap_err();
        assert!(matches!(&refused, Error::Unconvertible { obstacle: Obstacle::Recipe, .. }), "{refused}");
        assert!(Opened::new(trimmed, Format::Tepal).is_ok());
        let refused = Opened::new(filter(Scheme::Xxh3, 1), format).unwrap_err();
        assert!(
            matches!(
                &refused,
                Error::Unconvertible { obstacle: Obstacle::Scheme { found: Scheme::Xxh3, expected, .. }, .. }
                    if *expected == format.schemes()
            ),
            "{refused}"
        );
    }
    let line = BloomFilter::builder().capacity(10).scheme(Scheme::Xxh64).layout(Layout::Line);
    let refused = Opened::new(line.build().unwrap(), Format::ParquetSbbf).unwrap_err();
    assert!(
        matches!(
            &refused,
            Error::Unconvertible {
                obstacle: Obstacle::Layout { found: Layout::Line, expected: Layout::SplitBlock, .. },
                ..
            }
        ),
        "{refused}"
    );
}

/// A tepal file records the policy; other formats do not, and a chain has the policy of its
/// program.
#[test]
fn policies_are_kept_where_the_file_has_a_place() {
    for (format, scheme) in formats() {
        let mut opened = read(format, &written((format, scheme), 10)).unwrap();
        let usual = opened.filter().over_capacity();
        let set = opened.set_over_capacity(OverCapacity::Ignore);
        let again = read(format, &opened.to_bytes().unwrap()).unwrap();
        match opened.filter().kind() {
            kind @ (Kind::Scalable | Kind::Growing | Kind::Ribbon | Kind::Map) => {
                assert!(
                    matches!(set, Err(Error::NotPossible { kind: found, .. }) if found == kind),
                    "{format}"
                );
                assert!(opened.set_over_capacity(usual).is_ok(), "{format}");
            }
            Kind::Bloom | Kind::Quotient | Kind::Expiring | Kind::Segment => {
                assert_eq!(opened.filter().over_capacity(), OverCapacity::Ignore)
            }
            other => panic!("{other}"),
        }
        let expected = if format == Format::Tepal { OverCapacity::Ignore } else { usual };
        assert_eq!(again.filter().over_capacity(), expected, "{format}");
    }
}

/// Only tepal files are sealed. A sealed file that was opened reports its seal and the length of
/// the sealed file.
#[cfg(feature = "seal")]
#[test]
fn seals_are_of_our_files_alone() {
    let key = SealKey::new(b"the key of this seal").unwrap();
    for (format, scheme) in formats() {
        let opened = Opened::new(filter(scheme, 50), format).unwrap();
        if format == Format::Tepal {
            let bytes = opened.to_bytes_sealed(&key).unwrap();
            let again = tepal::Open::new().seal_key(&key).from_bytes(&bytes).unwrap();
            let file = file_facts(&again);
            assert_eq!((file.is_sealed, file.file_len), (true, bytes.len() as u64));
            assert_eq!(again.to_bytes_sealed(&key).unwrap(), bytes);
            assert_eq!(again.to_bytes().unwrap(), opened.to_bytes().unwrap());
            assert!(again.is_sealed() && !opened.is_sealed());
        } else {
            let refused = opened.to_bytes_sealed(&key).unwrap_err().to_string();
            assert_eq!(
                refused,
                std::format!(
                    "the seal is given for {format}; it must be left out: only tepal files have one"
                )
            );
            #[cfg(feature = "std")]
            {
                let folder = tempfile::tempdir().unwrap();
                assert!(opened.save_sealed(folder.path().join("f"), &key).is_err());
                assert!(opened.write_to_sealed(std::io::sink(), &key).is_err());
                assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
            }
            let sealed = tepal::Open::new().format(format).seal_key(&key);
            let refused = sealed.from_bytes(&opened.to_bytes().unwrap());
            assert!(matches!(refused, Err(Error::NotSealed)), "{format}");
        }
    }
}

/// Unread bits are checked before they are written to another program's file, which has no checksum
/// that would detect damage.
#[cfg(all(feature = "std", target_endian = "little"))]
#[test]
fn damaged_bits_do_not_go_into_another_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for (format, scheme) in FOREIGN {
        let mut bytes = filter(scheme, 100).to_bytes().unwrap();
        let last = bytes.len() - 64;
        bytes[last] ^= 0x10;
        std::fs::write(&path, &bytes).unwrap();
        let quick = tepal::Open::new().quick().open(&path).unwrap();
        let refused = quick.clone().convert_to(format).unwrap_err();
        assert!(matches!(refused, Error::Damaged { .. }), "{format}: {refused}");
        let refused = Opened::new(quick.into_filter(), format).unwrap_err();
        assert!(matches!(refused, Error::Damaged { .. }), "{format}: {refused}");
    }
}

/// A chain that is moved from its file to a new one grows by the same rule, link by link.
#[test]
fn a_chain_stays_what_it_is() {
    for (format, scheme) in
        [(Format::RedisBloom, Scheme::RedisBloom), (Format::ValkeyBloom, Scheme::ValkeyBloom)]
    {
        // Formats whose file records how the chain grows.
        let bytes = written((format, scheme), 200);
        let grown = match format {
            Format::RedisBloom => with(&with(&bytes, 24, &5u32.to_le_bytes()), 28, &3u32.to_le_bytes()),
            _ => with(&with(&bytes, 1, &3u32.to_le_bytes()), 13, &0.25f64.to_le_bytes()),
        };
        for (file, grows) in [(bytes, false), (grown, true)] {
            let mut opened = read(format, &file).unwrap();
            let first = opened.clone();
            for mut again in [first.into_filter(), {
                let keys = (1000..1300u64).take_while(|key| opened.insert(key).is_ok()).count();
                assert_eq!(keys > 250, grows, "{format}: {keys}");
                opened.clone().into_filter()
            }] {
                let links = again.facts().parts.len();
                let file = Opened::new(again.clone(), format).unwrap();
                let same = read(format, &file.to_bytes().unwrap()).unwrap();
                assert!(parts(&same) == parts(&file), "{format}");
                let rates = |filter: &AnyFilter| match filter {
                    AnyFilter::Scalable(chain) => chain
                        .links()
                        .iter()
                        .map(|link| link.promised_false_positive_rate())
                        .collect::<Vec<_>>(),
                    filter => panic!("{filter:?}"),
                };
                assert_eq!(rates(same.filter()), rates(&again), "{format}");
                // From here on both grow, or neither.
                let (mut same, keys) = (same.into_filter(), 5000..7000u64);
                let outcome = |filter: &mut AnyFilter| {
                    keys.clone().map(|key| filter.insert(&key).is_ok()).collect::<Vec<_>>()
                };
                assert!(outcome(&mut same) == outcome(&mut again), "{format}");
                assert_eq!(same, again, "{format}");
                assert_eq!(rates(&same), rates(&again), "{format}");
                assert_eq!(same.facts().parts.len() > links, grows, "{format}");
            }
            if format == Format::ValkeyBloom || grows {
                let same = Opened::new(read(format, &file).unwrap().into_filter(), format).unwrap();
                assert!(same.to_bytes().unwrap() == file, "{format}");
            }
        }
    }
}
