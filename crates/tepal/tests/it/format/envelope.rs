//! Files of later versions: a feature that must be known is refused, one that may be ignored is
//! ignored.

use tepal::{BloomFilter, Error, KeyDomain, Layout, OverCapacity, Scheme};
use xxhash_rust::xxh3::xxh3_64;

/// The parts of a file before the checksum of its header, which is computed again.
struct File {
    fixed: Vec<u8>,
    records: Vec<u8>,
    table: Vec<u8>,
    body: Vec<u8>,
}

impl File {
    /// A filter with some keys and no records.
    fn new() -> Self {
        let mut filter = BloomFilter::builder().capacity(1000).seed(0).build().unwrap();
        filter.insert_many(&(0..500u32).collect::<Vec<_>>()).unwrap();
        let bytes = filter.to_bytes().unwrap();
        let body = bytes[bytes.len() - filter.size_in_bytes() as usize..].to_vec();
        File { fixed: bytes[..128].to_vec(), records: Vec::new(), table: bytes[128..136].to_vec(), body }
    }

    fn set(mut self, at: usize, bytes: &[u8]) -> Self {
        self.fixed[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    fn record(mut self, tag: u16, text: &str) -> Self {
        self.records.extend(tag.to_le_bytes());
        self.records.extend([0; 2]);
        self.records.extend((text.len() as u32).to_le_bytes());
        self.records.extend(text.as_bytes());
        self.records.resize(self.records.len().next_multiple_of(8), 0);
        let len = self.records.len() as u32;
        self.set(120, &len.to_le_bytes())
    }

    fn change_record(mut self, at: usize, byte: u8) -> Self {
        self.records[at] = byte;
        self
    }

    fn bytes(mut self) -> Vec<u8> {
        // 128 bytes, the records, 8 bytes for each 64 KiB of the body and 8 for their own
        // checksum, in whole lines.
        let header = 128 + self.records.len() + self.body.len().div_ceil(1 << 16) * 8 + 8;
        let offset = header.next_multiple_of(64) as u64;
        let file_len = offset + self.body.len() as u64;
        self = self.set(12, &(offset as u32).to_le_bytes()).set(16, &file_len.to_le_bytes());
        let mut bytes = [self.fixed, self.records, self.table].concat();
        bytes.resize(offset as usize - 8, 0);
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes.extend(self.body);
        bytes
    }

    fn refused(self) -> Error {
        BloomFilter::from_bytes(&self.bytes()).unwrap_err()
    }
}

#[test]
fn a_file_put_together_again_is_the_file() {
    let good = BloomFilter::from_bytes(&File::new().bytes()).unwrap();
    assert_eq!(good.to_bytes().unwrap(), File::new().bytes());
    let named = BloomFilter::from_bytes(&File::new().record(1, "n").record(4, "id").bytes()).unwrap();
    assert_eq!(named.labels().name.as_deref(), Some("n"));
    assert_eq!(named.labels().field.as_deref(), Some("id"));
}

#[test]
fn later_versions_kinds_and_required_flags_are_refused_by_name() {
    for version in [0, 2, 3, 0x0100, 0x0101, u16::MAX] {
        let text = File::new().set(8, &version.to_le_bytes()).refused().to_string();
        let expected =
            format!("file format version {version} is not known to this build, which knows version 1");
        assert!(text.starts_with(&expected), "{text}");
        // Its checksum may be different too: the version is checked first.
        let mut bytes = File::new().set(8, &version.to_le_bytes()).bytes();
        bytes[50] ^= 1;
        assert!(BloomFilter::from_bytes(&bytes).unwrap_err().to_string().starts_with(&expected));
    }
    for kind in [0, 70, 7000, u16::MAX] {
        assert!(File::new().set(10, &kind.to_le_bytes()).refused().to_string().contains("filter kind"));
    }
    // A kind that is not in this build: the error for a caller who expects a Bloom filter names the
    // call that opens it, and the error of that call names the feature.
    let chain = || File::new().set(10, &2u16.to_le_bytes());
    assert!(chain().refused().to_string().contains("`tepal::from_bytes`"));
    if cfg!(not(feature = "extras")) {
        let error = tepal::from_bytes(&chain().bytes()).unwrap_err().to_string();
        assert!(error.contains("filter kind 2") && error.contains("or extras"), "{error}");
    }
    // Bit 1: there are exceptions. Bit 2: they are a divider. Bit 3: keys were added beside a
    // ribbon.
    let exceptions = if cfg!(feature = "extras") { 1..3 } else { 0..0 };
    let added = if cfg!(feature = "static") { 3..4 } else { 0..0 };
    for bit in (1..32).filter(|bit| !exceptions.contains(bit) && !added.contains(bit)) {
        for flags in [1u32 << bit, 1 << bit | 1, 1 << bit | 1 << 31] {
            let error = File::new().set(24, &flags.to_le_bytes()).refused();
            assert!(
                matches!(error, Error::Unsupported { found, .. } if found == u64::from(flags)),
                "{error}"
            );
            assert!(error.to_string().contains("required feature flags"), "{error}");
        }
    }
    if cfg!(feature = "static") {
        let error = File::new().set(24, &8u32.to_le_bytes()).refused().to_string();
        assert!(error.contains("added keys of the kind bloom, which has none"), "{error}");
    }
    // The first free numbers: members stand in the order of their numbers.
    let layout = Layout::ALL[Layout::ALL.len() - 1].id() + 1;
    let scheme = Scheme::ALL[Scheme::ALL.len() - 1].id() + 1;
    let domain = KeyDomain::ALL[KeyDomain::ALL.len() - 1].id() + 1;
    let policy = OverCapacity::ALL[OverCapacity::ALL.len() - 1].id() + 1;
    for (at, id) in [(32, layout), (33, 0), (33, 15), (33, scheme), (34, domain), (35, policy)] {
        let error = File::new().set(at, &[id]).refused();
        assert!(matches!(error, Error::Unsupported { found, .. } if found == u64::from(id)), "{error}");
    }
    assert!(File::new().set(124, &[4]).refused().to_string().contains("recipe"));
}

#[test]
fn later_optional_flags_and_records_are_ignored() {
    let plain = File::new().bytes();
    let good = BloomFilter::from_bytes(&plain).unwrap();
    for bit in 0..32 {
        let bytes = File::new().set(28, &(1u32 << bit).to_le_bytes()).bytes();
        let opened = BloomFilter::from_bytes(&bytes).unwrap();
        assert!(opened == good);
        assert!((0..500u32).all(|key| opened.contains(&key)));
        // Records that this build does not know are not written.
        assert_eq!(opened.to_bytes().unwrap(), plain);
    }
    for tag in [0x8000, 0x8001, u16::MAX] {
        let opened = BloomFilter::from_bytes(&File::new().record(tag, "later").bytes()).unwrap();
        assert_eq!(opened.to_bytes().unwrap(), plain);
        // Ignored, but checked: bytes that are not a record are damage.
        for bad in ["", "a\nb", "\u{9b}2J", "\u{202e}txt"] {
            BloomFilter::from_bytes(&File::new().record(tag, bad).bytes()).unwrap_err();
        }
    }
    for tag in [8, 9, 0x7FFF] {
        let error = File::new().record(tag, "later").refused();
        assert!(matches!(error, Error::Unsupported { found, .. } if found == u64::from(tag)), "{error}");
    }
}

/// Each with matching checksums, so that only the field itself can be the reason.
#[test]
fn every_field_has_its_own_refusal() {
    let number = |n: u64| n.to_le_bytes();
    let set = |at, bytes: &[u8]| File::new().set(at, bytes);
    let bit_len = BloomFilter::from_bytes(&File::new().bytes()).unwrap().bit_len();
    let seed = "0".repeat(64);
    for (file, part) in [
        (set(36, &[0]), "the number of hashes is 0"),
        (set(40, &number(0)), "the number of bits is 0"),
        (set(40, &number(bit_len - 512)), "does not fit the file"),
        (set(40, &number(bit_len + 512)), "does not fit the file"),
        (set(48, &number(0)), "the capacity is 0; it must be 1 key or more"),
        (set(56, &number(0)), "the false-positive rate is the float of the bits 0x0000000000000000"),
        (
            set(56, &1.0f64.to_le_bytes()),
            "the false-positive rate is the float of the bits 0x3ff0000000000000",
        ),
        (
            set(56, &f64::NAN.to_le_bytes()),
            "the false-positive rate is the float of the bits 0x7ff8000000000000",
        ),
        (set(33, &[3]).set(64, &number(1)), "the scheme xxh64 has no parameter 1"),
        (set(64, &number(1)), "do not give the positions that the writer's gave"),
        (set(80, &number(bit_len + 1)), "the number of set bits is"),
        (set(80, &number(bit_len)), "bits are set, and the header says"),
        (set(88, &number(1)), "do not give the positions that the writer's gave"),
        (set(112, &number(1)), "do not give the positions that the writer's gave"),
        (set(120, &[4]), "records of 4 bytes"),
        (set(33, &[2]), "made with a secret key"),
        (set(33, &[4]), "a record of a scheme's parameter does not fit the scheme caller-hash"),
        (set(33, &[4]).record(6, "mine"), "do not give the positions that the writer's gave"),
        (set(33, &[4]).record(6, "mine").set(64, &number(1)), "the scheme caller-hash has no parameter 1"),
        (File::new().record(5, &seed), "a record of a scheme's parameter does not fit the scheme xxh3"),
        (File::new().record(6, "mine"), "a record of a scheme's parameter does not fit the scheme xxh3"),
        (File::new().record(5, &seed).record(6, "mine"), "records for parameters of two schemes"),
        (File::new().record(1, "n").record(1, "n"), "the record with tag 1 is out of order"),
        (File::new().record(2, "n").record(1, "n"), "the record with tag 1 is out of order"),
        (File::new().record(0, "n"), "the record with tag 0 is out of order"),
        (File::new().record(1, "n").change_record(2, 1), "the record with tag 1 is out of order"),
        (File::new().record(1, "n").change_record(15, 1), "the record with tag 1 is out of order"),
        (File::new().record(1, "n").change_record(8, 0xFF), "the record with tag 1 is not UTF-8"),
        (File::new().record(1, "n").change_record(4, 9), "it ends"),
    ] {
        let text = file.refused().to_string();
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}

#[cfg(feature = "foreign")]
#[test]
fn every_field_of_other_schemes_has_its_own_refusal() {
    // A file of valkey-bloom's scheme, except for the sums of the self-test.
    let valkey = || File::new().set(32, &[4, 28]);
    let seed = "0".repeat(64);
    for (file, part) in [
        (File::new().set(33, &[21]), "the layout is line; it must be scattered with the scheme guava-mitz32"),
        (valkey(), "a record of a scheme's parameter does not fit the scheme valkey-bloom"),
        (valkey().record(6, "n"), "a record of a scheme's parameter does not fit the scheme valkey-bloom"),
        (valkey().record(5, &seed), "do not give the positions that the writer's gave"),
        (valkey().record(5, &"0".repeat(62)), "the seed record is not 64 hex digits"),
        (valkey().record(5, &"0".repeat(66)), "the seed record is not 64 hex digits"),
        (valkey().record(5, &"A".repeat(64)), "the seed record is not 64 hex digits"),
        (valkey().record(5, &seed).set(64, &[1]), "the scheme valkey-bloom has no parameter 1"),
        // The choices of the second article take three bits.
        (File::new().set(32, &[4, 17]).set(64, &[8]), "the scheme md5-split has no parameter 8"),
    ] {
        let text = file.refused().to_string();
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}

#[cfg(not(feature = "foreign"))]
#[test]
fn a_build_without_other_programs_refuses_their_schemes() {
    for scheme in 16..=28 {
        let error = File::new().set(32, &[4, scheme]).refused();
        assert!(matches!(error, Error::Unsupported { what: "hash scheme", .. }), "{scheme}: {error}");
        assert!(error.to_string().contains("with the feature foreign"), "{error}");
    }
}

#[test]
fn records_go_up_to_their_limit() {
    let longest = File::new().record(0x8000, &"x".repeat(65_536 - 8));
    assert_eq!(longest.records.len() as u64, 65_536);
    assert!(BloomFilter::from_bytes(&longest.bytes()).is_ok());
    let longer = File::new().record(0x8000, &"x".repeat(65_536 - 7));
    assert!(longer.refused().to_string().contains("records of 65544 bytes"));
}

#[test]
fn a_body_starts_behind_a_header_and_before_the_end() {
    let good = File::new().bytes();
    let end = good.len() as u32;
    for offset in [0, 1, 7, 8, 63, 64, 128, 191, 193, 200, end + 64, end + 128, 1 << 31, u32::MAX - 63] {
        let mut bytes = good.clone();
        bytes[12..16].copy_from_slice(&offset.to_le_bytes());
        let text = BloomFilter::from_bytes(&bytes).unwrap_err().to_string();
        assert!(text.contains(&format!("the body cannot start at byte {offset};")), "{text}");
    }
}

#[test]
fn a_file_without_a_body_is_refused() {
    let empty = File { body: Vec::new(), ..File::new() };
    let text = empty.refused().to_string();
    assert!(text.contains("bits does not fit the file"), "{text}");
}

#[test]
fn padding_is_zero() {
    let good = File::new().bytes();
    let offset = good.len() - File::new().body.len();
    for at in [136, 150, offset - 9] {
        let mut bytes = good.clone();
        bytes[at] = 1;
        let sum = xxh3_64(&bytes[..offset - 8]);
        bytes[offset - 8..offset].copy_from_slice(&sum.to_le_bytes());
        let text = BloomFilter::from_bytes(&bytes).unwrap_err().to_string();
        assert!(text.contains("the padding before the body is not zero"), "{at}: {text}");
    }
}

#[test]
fn a_full_filter_travels() {
    let builder = BloomFilter::builder().capacity(5).over_capacity(OverCapacity::Ignore).seed(0);
    let mut filter = builder.build().unwrap();
    filter.insert_many(&(0..20_000u32).collect::<Vec<_>>()).unwrap();
    assert_eq!(filter.set_bits(), filter.bit_len());
    let again = BloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
    assert_eq!(again.set_bits(), filter.bit_len());
}

/// Every digit of a seed is read back as it was written.
#[cfg(feature = "foreign")]
#[test]
fn seeds_of_32_bytes_travel() {
    let seed = std::array::from_fn(|i| (i as u8).wrapping_mul(0x1D) ^ 0xA6);
    let mut filter = BloomFilter::builder().valkey_seed(seed).capacity(100).build().unwrap();
    filter.insert("x").unwrap();
    let again = BloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
    assert_eq!((again.facts(), again.labels()), (filter.facts(), filter.labels()));
    assert!(again == filter && again.contains("x"));
}

#[cfg(feature = "std")]
#[test]
fn quick_opening_refuses_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let cases = [(8, 2u32), (10, 2), (24, 2), (24, 1 << 31), (24, 1), (124, 4)];
    for (at, value) in cases {
        let width = if at < 12 { 2 } else { 4 };
        std::fs::write(&path, File::new().set(at, &value.to_le_bytes()[..width]).bytes()).unwrap();
        assert!(BloomFilter::open_quick(&path).is_err(), "{value} at {at}");
        assert!(BloomFilter::open(&path).is_err(), "{value} at {at}");
    }
    std::fs::write(&path, File::new().set(28, &[255; 4]).record(0x8000, "later").bytes()).unwrap();
    BloomFilter::open_quick(&path).unwrap().verify().unwrap();
}
