//! Files of later versions: what must be known is refused, what may be ignored is.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::*;
use crate::BloomFilter;

/// A file's parts before the checksum of its header, which is computed anew.
struct File {
    fixed: Vec<u8>,
    records: Vec<u8>,
    table: Vec<u8>,
    body: Vec<u8>,
}

impl File {
    /// A filter with some keys and no records.
    fn new() -> Self {
        let mut filter = BloomFilter::builder().capacity(1000).build().unwrap();
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

    fn bytes(mut self) -> Vec<u8> {
        let offset = body_offset(self.body.len() as u64, self.records.len() as u64);
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
        // Its checksum may be another one, too: the version is looked at first.
        let mut bytes = File::new().set(8, &version.to_le_bytes()).bytes();
        bytes[50] ^= 1;
        assert!(BloomFilter::from_bytes(&bytes).unwrap_err().to_string().starts_with(&expected));
    }
    for kind in [0, 2, 7, u16::MAX] {
        assert!(File::new().set(10, &kind.to_le_bytes()).refused().to_string().contains("filter kind"));
    }
    for bit in 1..32 {
        for flags in [1u32 << bit, 1 << bit | 1, 1 << bit | 1 << 31] {
            let error = File::new().set(24, &flags.to_le_bytes()).refused();
            assert!(
                matches!(error, Error::Unsupported { found, .. } if found == u64::from(flags)),
                "{error}"
            );
            assert!(error.to_string().contains("required feature flags"), "{error}");
        }
    }
    for (at, id) in [(32, 5), (33, 4), (33, 29), (34, 7), (35, 4)] {
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
        // What this build does not know it does not pass on.
        assert_eq!(opened.to_bytes().unwrap(), plain);
    }
    for tag in [0x8000, 0x8001, u16::MAX] {
        let opened = BloomFilter::from_bytes(&File::new().record(tag, "later").bytes()).unwrap();
        assert_eq!(opened.to_bytes().unwrap(), plain);
        // Ignored, but looked at: what is no record at all is damage.
        for bad in ["", "a\nb"] {
            BloomFilter::from_bytes(&File::new().record(tag, bad).bytes()).unwrap_err();
        }
    }
    for tag in [6, 7, 0x7FFF] {
        let error = File::new().record(tag, "later").refused();
        assert!(matches!(error, Error::Unsupported { found, .. } if found == u64::from(tag)), "{error}");
    }
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
