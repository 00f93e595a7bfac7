//! Marks, conversions and refusals; the golden files are in `tests/it/files/golden.rs`.

mod parquet;
mod redisbloom;
mod valkey_bloom;

use tepal::{
    AnyFilter, BloomFilter, Error, KeyDomain, Layout, Open, Opened, Result, Scheme, SecretKey, file::Format,
};

pub(crate) const FOREIGN: [(Format, Scheme); 9] = [
    (Format::Guava, Scheme::GuavaMitz32),
    (Format::Guava, Scheme::GuavaMitz64),
    (Format::Spark, Scheme::SparkV1),
    (Format::Spark, Scheme::SparkV2),
    (Format::ParquetSbbf, Scheme::Xxh64),
    (Format::BitsAndBlooms, Scheme::BitsAndBlooms),
    (Format::Dcso, Scheme::Dcso),
    (Format::RedisBloom, Scheme::RedisBloom),
    (Format::ValkeyBloom, Scheme::ValkeyBloom),
];

pub(crate) fn filter(scheme: Scheme, keys: u64) -> BloomFilter {
    let builder = BloomFilter::builder().scheme(scheme).capacity(200).false_positive_rate(0.01);
    let builder = if scheme == Scheme::Xxh64 { builder.layout(Layout::SplitBlock) } else { builder };
    let mut filter = builder.build().unwrap();
    (0..keys).for_each(|key| assert!(filter.insert(&key).is_ok()));
    filter
}

/// The file of a filter with this number of keys.
pub(crate) fn written((format, scheme): (Format, Scheme), keys: u64) -> Vec<u8> {
    Opened::new(filter(scheme, keys), format).unwrap().to_bytes().unwrap()
}

/// A copy with other bytes from `at` on.
pub(crate) fn with(bytes: &[u8], at: usize, other: &[u8]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    changed[at..at + other.len()].copy_from_slice(other);
    changed
}

pub(crate) fn read(format: Format, bytes: &[u8]) -> Result<Opened> {
    Open::new().format(format).from_bytes(bytes)
}

/// The Bloom filters of an opened file, the oldest first.
pub(crate) fn parts(file: &Opened) -> Vec<BloomFilter> {
    match file.filter().clone() {
        AnyFilter::Scalable(chain) => {
            chain.links().iter().map(|link| link.clone().into_owned().unwrap()).collect()
        }
        other => vec![other.into_bloom().unwrap().into_owned().unwrap()],
    }
}

/// A full chain of one filter; the next filter will be `factor` times as large.
pub(crate) fn growing_by(factor: u32) -> Opened {
    const EXPANSION: usize = 1;
    let bytes = written((Format::ValkeyBloom, Scheme::ValkeyBloom), 200);
    read(Format::ValkeyBloom, &with(&bytes, EXPANSION, &factor.to_le_bytes())).unwrap()
}

pub(crate) fn refused(format: Format, bytes: &[u8], part: &str) {
    let text = read(format, bytes).unwrap_err().to_string();
    assert!(text.contains(part), "{part:?} is not in {text:?}");
}

/// The tests here cover every format with every scheme that it holds.
#[test]
fn every_format_is_on_the_list() {
    for &format in Format::ALL {
        let listed: Vec<_> =
            FOREIGN.iter().filter(|(of, _)| *of == format).map(|(_, scheme)| *scheme).collect();
        let held = format.schemes();
        assert!(held.len() == listed.len() || format == Format::Tepal, "{format}: {listed:?}, {held:?}");
        assert!(listed.iter().all(|scheme| held.contains(scheme)), "{format}: {listed:?}, {held:?}");
    }
}

#[test]
fn formats_have_names() {
    for &format in Format::ALL {
        assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        assert!(!format.key_domains().is_empty(), "{format}");
    }
    assert_eq!(Format::Tepal.key_domains(), KeyDomain::ALL);
    let refused = "Guava".parse::<Format>().unwrap_err().to_string();
    assert!(refused.contains("the format is Guava; it must be one of: tepal, guava, spark"), "{refused}");
}

/// An empty file of DCSO's: 1000 bits, 7 for each key.
fn dcso(flags: u64, capacity: u64, rate: f64) -> Vec<u8> {
    let head = [flags, capacity, rate.to_bits(), 7, 1000, 0];
    head.into_iter().chain([0; 16]).flat_map(u64::to_le_bytes).collect()
}

#[test]
fn versions_are_refused_by_their_number() {
    for (flags, version) in [(0, 0), (2, 2), (0x0102, 2), (0x01FF, 0xFF)] {
        let part = format!("DCSO version {version} is not known");
        refused(Format::Dcso, &dcso(flags, 100, 0.01), &part);
    }
    // The bits above the version are other flags.
    assert!(read(Format::Dcso, &dcso(0x0101, 100, 0.01)).is_ok());
}

/// The header's capacity and rate are used if they are possible; otherwise they are computed from
/// the bits.
#[test]
fn capacities_and_rates_of_headers() {
    let read = |capacity, rate| {
        let file = read(Format::Dcso, &dcso(1, capacity, rate))?;
        let filter = file.filter();
        Ok::<_, Error>((filter.capacity(), filter.promised_false_positive_rate()))
    };
    assert_eq!(read(1, 0.25).unwrap(), (1, 0.25));
    // At most 64 keys for each bit, in whole bits.
    assert_eq!(read(64_063, 0.25).unwrap().0, 64_063);
    let refused = read(64_064, 0.25).unwrap_err().to_string();
    assert!(refused.contains("1000 bits are said to hold 64064 keys"), "{refused}");
    // Half of the bits set: 1000 · ln 2 / 7.
    assert_eq!(read(0, 0.25).unwrap(), (99, 0.25));
    for impossible in [0.0, 1.0, -0.5, 2.0, f64::NAN, f64::INFINITY] {
        let (_, rate) = read(100, impossible).unwrap();
        assert!((rate - 0.008_193_722_065_862).abs() < 1e-12, "{impossible}: {rate}");
    }
}

#[test]
fn numbers_that_a_guava_file_cannot_have() {
    for (words, text) in [(0i32, "0"), (-1, "-1")] {
        let bytes = [&[1, 5][..], &words.to_be_bytes()].concat();
        let refused = read(Format::Guava, &bytes).unwrap_err().to_string();
        assert_eq!(refused, format!("the number of words is {text}; it must be 1 or more"));
    }
    let made = |k| {
        let builder = BloomFilter::builder().scheme(Scheme::GuavaMitz64).bit_len(1024).capacity(10);
        Opened::new(builder.num_hashes(k).build().unwrap(), Format::Guava)
    };
    assert!(made(255).is_ok());
    let refused = made(256).unwrap_err().to_string();
    assert!(refused.contains("the number of hashes is 256, and the format has room up to 255"), "{refused}");
}

/// A mark alone is not enough, and neither is a file that can be parsed: both are needed.
#[test]
fn marks() {
    let json = br#"{"m":64,"k":1,"b":"AAAAAAAAAEAAAAAAAAAAAA=="}"#;
    let block: &[u8] = &[0; 32];
    let header = &[0x1C, 0x1C, 0, 0, 0x1C, 0x1C, 0, 0, 0x1C, 0x1C, 0, 0, 0][..];
    for (bytes, format, marked) in [
        (json.to_vec(), Format::BitsAndBlooms, true),
        ([&[0x15, 0x40], header, block].concat(), Format::ParquetSbbf, true),
        // The same with the field's number written in full, which no writer does.
        ([&[0x05, 0x02, 0x40], header, block].concat(), Format::ParquetSbbf, false),
        // Bits without a header that begin like a header.
        ([&[0x15], &block[1..]].concat(), Format::ParquetSbbf, false),
    ] {
        assert!(read(format, &bytes).is_ok(), "{bytes:02x?}");
        assert_eq!(Format::of(&bytes), marked.then_some(format), "{bytes:02x?}");
        match Open::new().key_domain(KeyDomain::Hex).from_bytes(&bytes) {
            Ok(file) => {
                assert!(marked && file.format() == format);
                assert_eq!(file.filter().key_domain(), KeyDomain::Hex);
                assert_eq!(file.to_bytes().unwrap(), bytes);
            }
            Err(error) => assert!(!marked && error.to_string().contains("could be parquet-sbbf"), "{error}"),
        }
    }
}

/// If the file does not record it, the domain can be set to each one that its program has, and to
/// no other.
#[test]
fn the_key_domain_is_said_later() {
    for format in Format::ALL {
        for &written in format.key_domains() {
            let scheme = format.schemes()[0];
            let mut builder = BloomFilter::builder().capacity(100).false_positive_rate(1e-6).scheme(scheme);
            if let Some(layout) = format.layout() {
                builder = builder.layout(layout);
            }
            let filter = builder.key_domain(written).build().unwrap();
            let mut file = Opened::new(filter, *format).unwrap();
            (10..30).for_each(|key| {
                assert!(file.insert(format!("{key}").as_str()).unwrap(), "{format} {written}")
            });
            let bytes = file.to_bytes().unwrap();
            let mut file = Open::new().format(*format).from_bytes(&bytes).unwrap();
            for &asked in KeyDomain::ALL {
                let before = file.key_hasher();
                match file.set_key_domain(asked) {
                    Ok(()) => assert!(asked == written || *format != Format::Tepal, "{format} {asked}"),
                    Err(Error::OtherKeys { .. }) => assert_eq!(*format, Format::Tepal),
                    Err(Error::NoSuchKeys { .. }) => assert!(!format.key_domains().contains(&asked)),
                    Err(error) => panic!("{error}"),
                }
                if file.key_hasher() == before {
                    continue;
                }
                let held = (10..30).filter(|key| file.contains(format!("{key}").as_str())).count();
                assert_eq!(held == 20, asked == written, "{format} {written} {asked}: {held}");
                assert_eq!(file.filter().key_domain(), asked);
                assert_eq!(file.to_bytes().unwrap(), bytes, "{format} {written} {asked}");
            }
        }
    }
}

/// The error for an unknown field names its offset.
#[test]
fn errors_name_the_byte() {
    // A field of a type that no header has; alone, and after the field with the number of bytes.
    for (header, at) in [(&[0x19, 0, 0][..], 1), (&[0x15, 0x40, 0x29, 0], 3), (&[0x15, 0xC0, 0x02, 0x29], 4)]
    {
        refused(Format::ParquetSbbf, header, &format!("of type 9 at byte {at} is none"));
    }
}

/// Saved over an older file, atomically; a failed save leaves the older file.
#[cfg(feature = "std")]
#[test]
fn every_format_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let own = BloomFilter::builder().capacity(200).build().unwrap();
    let files = FOREIGN.map(|(format, scheme)| (filter(scheme, 100), format));
    for (filter, format) in files.into_iter().chain([(own, Format::Tepal)]) {
        let file = Opened::new(filter, format).unwrap();
        file.save(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), file.to_bytes().unwrap(), "{format}");
        let refused = file.save(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("a folder"), "{format}: {refused}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{format}");
    }
}

#[test]
fn every_truncation_and_addition_is_refused() {
    for (format, scheme) in FOREIGN {
        let bytes = written((format, scheme), 20);
        for len in 0..bytes.len() {
            // A bare bitset of Parquet has no length: any number of whole blocks is one.
            let bare = format == Format::ParquetSbbf && len > 0 && len % 32 == 0;
            let read = read(format, &bytes[..len]);
            assert_eq!(read.is_ok(), bare, "{format}: {len} of {}", bytes.len());
        }
        let more = [bytes.as_slice(), &[0]].concat();
        // The bytes after a DCSO filter are its user's data.
        let read = read(format, &more);
        assert_eq!(read.is_ok(), format == Format::Dcso, "{format}: one byte more");
    }
}

/// Any byte of the first 80 set to any value: an error or a filter, but no panic, and no allocation
/// by an unchecked number.
#[test]
fn forged_headers() {
    for (format, scheme) in FOREIGN {
        let bytes = written((format, scheme), 20);
        for at in 0..bytes.len().min(160) {
            for value in [0, 1, 0x7F, 0x80, 0xFF, bytes[at] ^ 1] {
                if let Ok(file) = read(format, &with(&bytes, at, &[value])) {
                    let memory = file.filter().size_in_bytes();
                    assert!(memory <= 2 * bytes.len() as u64 + 128 + 8192, "{format}: byte {at} = {value}");
                    let _ = file.filter().contains("x");
                }
            }
        }
        for at in 0..bytes.len().min(120).saturating_sub(8) {
            for value in [1u64 << 31, u64::MAX, 1 << 63, (1 << 31) - 1, 1 << 32] {
                for number in [value.to_le_bytes(), value.to_be_bytes()] {
                    if let Ok(file) = read(format, &with(&bytes, at, &number)) {
                        let memory = file.filter().size_in_bytes();
                        assert!(
                            memory <= 2 * bytes.len() as u64 + 128 + 8192,
                            "{format}: {value:#x} at {at}"
                        );
                    }
                }
            }
        }
    }
}

/// Found by fuzzing: 0 was read as "not recorded", and another capacity was written.
#[test]
fn a_valkey_filter_without_capacity() {
    let bytes = written((Format::ValkeyBloom, Scheme::ValkeyBloom), 0);
    let forged = with(&bytes, bytes.len() - 8, &[0; 8]);
    refused(Format::ValkeyBloom, &forged, "0 items of 0");
}

#[test]
fn conversions_that_bits_allow_and_those_they_do_not() {
    for (format, scheme) in FOREIGN {
        let file = Opened::new(filter(scheme, 100), format).unwrap();
        let ours = file.clone().convert_to(Format::Tepal).unwrap();
        assert!((0..100u64).all(|key| ours.filter().contains(&key)), "{format}");
        let bytes = ours.to_bytes().unwrap();
        assert_eq!(Format::of(&bytes), Some(Format::Tepal));
        let back = tepal::from_bytes(&bytes).unwrap().convert_to(format).unwrap();
        assert!(parts(&back) == parts(&file), "{format}");
        for &other in Format::ALL {
            let refused = file.clone().convert_to(other);
            if !other.schemes().contains(&scheme) {
                let text = refused.unwrap_err().to_string();
                assert!(text.contains("rebuild it from the keys"), "{format} to {other}: {text}");
            }
        }
    }
    let own = BloomFilter::builder().capacity(10).build().unwrap();
    assert!(Opened::new(own, Format::Guava).is_err());
    let line =
        BloomFilter::builder().capacity(10).scheme(Scheme::Xxh64).layout(Layout::Line).build().unwrap();
    assert!(Opened::new(line, Format::ParquetSbbf).is_err());
}

#[test]
fn chains_grow_and_say_when_they_may_not() {
    for (format, scheme) in
        [(Format::RedisBloom, Scheme::RedisBloom), (Format::ValkeyBloom, Scheme::ValkeyBloom)]
    {
        let mut file = Opened::new(filter(scheme, 0), format).unwrap();
        let mut inserted = 0;
        let refused = (0..10_000u64).find_map(|key| match file.insert(&key) {
            Ok(new) => {
                inserted += u64::from(new);
                None
            }
            Err(error) => Some(error),
        });
        assert!(matches!(refused, Some(Error::CapacityReached { capacity: 200, .. })), "{format}");
        assert_eq!(inserted, 200);
    }
}

/// A small file whose chain would grow by a huge factor: refused, not allocated.
#[test]
fn growth_is_bounded() {
    let mut file = growing_by(u32::MAX);
    let refused = (1000..1100u64).find_map(|key| file.insert(&key).err());
    assert!(matches!(refused, Some(Error::PastLimit { .. })), "{refused:?}");
    let mut file = growing_by(4);
    assert!((1000..1100u64).all(|key| file.insert(&key).is_ok()));
    assert_eq!(parts(&file).len(), 2);
}

/// DCSO's program counts the keys that set a bit; the others count every given key.
#[test]
fn keys_are_counted_as_their_program_does() {
    for (format, scheme) in FOREIGN {
        let mut filter = filter(scheme, 0);
        for key in [1u64, 2, 1, 1] {
            filter.insert(&key).unwrap();
        }
        let expected = if format == Format::Dcso { 2 } else { 4 };
        assert_eq!(filter.keys_inserted(), Some(expected), "{format}");
    }
}

/// 2^64 - 1 means "no count" here; a file with this number keeps it.
#[test]
fn a_count_that_stands_for_none_is_written_as_it_was() {
    let mut bytes = written((Format::Dcso, Scheme::Dcso), 1);
    bytes[40..48].fill(0xFF);
    let file = read(Format::Dcso, &bytes).unwrap();
    assert_eq!((file.filter().keys_inserted(), file.to_bytes().unwrap()), (None, bytes));
}

#[test]
fn a_secret_opens_the_filter_that_has_it() {
    let secret = SecretKey::new(*b"0123456789abcdef");
    let mut filter = BloomFilter::builder().capacity(10).secret_key(secret.clone()).build().unwrap();
    filter.insert("x").unwrap();
    let bytes = filter.to_bytes().unwrap();
    let without = tepal::from_bytes(&bytes);
    assert!(matches!(without, Err(Error::KeyRequired)));
    let file = Open::new().secret_key(&secret).from_bytes(&bytes).unwrap();
    assert!(file.format() == Format::Tepal && file.filter().contains("x"));
}

#[test]
fn secrets_and_domains_that_do_not_fit() {
    let bytes = written((Format::Dcso, Scheme::Dcso), 1);
    let secret = SecretKey::new([0; 16]);
    let told = Open::new().format(Format::Dcso).secret_key(&secret);
    assert!(matches!(told.from_bytes(&bytes), Err(Error::KeyNotUsed)));
    assert!(matches!(Open::new().secret_key(&secret).from_bytes(&bytes), Err(Error::KeyNotUsed)));
    let ours = BloomFilter::builder().capacity(1).build().unwrap().to_bytes().unwrap();
    let integer = Open::new().key_domain(KeyDomain::Integer);
    assert!(integer.from_bytes(&ours).unwrap_err().to_string().contains("key domain"));
    let unknown = tepal::from_bytes(b"some words of text").unwrap_err();
    assert!(unknown.to_string().contains("looks like text"), "{unknown}");
    let guava = written((Format::Guava, Scheme::GuavaMitz64), 1);
    let hint = tepal::from_bytes(&guava).unwrap_err().to_string();
    assert!(hint.contains("it has no mark; by its lengths it could be guava"), "{hint}");
    // The typed call knows no other program, and names the call that does.
    for file in [&guava, &bytes] {
        let hint = BloomFilter::from_bytes(file).unwrap_err();
        assert!(
            matches!(hint, Error::NotTepal { .. }) && hint.to_string().contains("`tepal::from_bytes`"),
            "{hint}"
        );
    }
}

/// If the file's mark is of another format than the caller named, the error names both.
#[test]
fn a_wrong_format_is_told() {
    for (format, scheme) in FOREIGN {
        let bytes = written((format, scheme), 20);
        let marked = Format::of(&bytes);
        for &other in Format::ALL {
            if other == format {
                continue;
            }
            let error = match read(other, &bytes) {
                // Whole blocks without a mark could be Parquet's bits without a header.
                Ok(_) => {
                    assert_eq!((other, bytes.len() % 32), (Format::ParquetSbbf, 0), "{format}");
                    continue;
                }
                Err(error) => error,
            };
            match error {
                Error::NotOfFormat { format: told, found, .. } => {
                    assert_eq!((told, Some(found)), (other, marked), "{format} as {other}");
                }
                Error::NotTepal { .. } => assert_eq!(other, Format::Tepal, "{format}"),
                error => assert_eq!(marked, None, "{format} as {other}: {error}"),
            }
        }
        // A tepal file is recognized, whatever format is named.
        let ours = filter(Scheme::Xxh3, 20).to_bytes().unwrap();
        assert_eq!(read(format, &ours).unwrap().format(), Format::Tepal);
    }
    let spark = written((Format::Spark, Scheme::SparkV2), 20);
    let text = read(Format::Dcso, &spark).unwrap_err().to_string();
    assert_eq!(text, "its mark says spark, not dcso; name that format, or none (`Open::format`)");
}
