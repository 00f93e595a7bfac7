//! Files: damage is refused, saving is atomic, sizes are as promised.

use std::fs;
use std::path::Path;

use tepal::{
    BloomFilter, Error, KeyDomain, Layout, Open, OverCapacity, Recipe, Result, SecretKey, facts::Labels,
};

static SECRET: SecretKey = SecretKey::new(*b"0123456789abcdef");

/// Filters that use every feature of a file.
fn filters() -> Vec<BloomFilter> {
    let labels = Labels::new().name("Märchen").field("id");
    let mut filters = Vec::new();
    for &layout in Layout::ALL {
        let builder = BloomFilter::builder().layout(layout).capacity(300);
        filters.push(builder.clone().seed(3).build().unwrap());
        let builder = builder.secret_key(SECRET.clone()).key_domain(KeyDomain::Integer);
        let builder = builder.recipe(Recipe::new().trim(true).nocase(true)).labels(labels.clone());
        filters.push(builder.over_capacity(OverCapacity::Warn).build().unwrap());
    }
    for filter in &mut filters {
        filter.insert_many(&(0..300u64).collect::<Vec<_>>()).unwrap();
    }
    filters
}

fn read(bytes: &[u8], keyed: bool) -> Result<BloomFilter> {
    let open = if keyed { Open::new().secret_key(&SECRET) } else { Open::new() };
    let opened = open.from_bytes(bytes)?;
    opened.into_filter().into_bloom()?.into_owned()
}

#[test]
fn reading_gives_the_filter_and_writing_it_the_same_bytes() {
    for filter in filters() {
        let keyed = filter.seed().is_none();
        let bytes = filter.to_bytes().unwrap();
        assert_eq!(bytes.len() as u64, filter.file_len());
        // No more memory than the file takes, sealed or not.
        assert!(bytes.capacity() as u64 <= filter.file_len() + 32);
        let again = read(&bytes, keyed).unwrap();
        assert!(again == filter);
        assert_eq!((again.facts(), again.labels()), (filter.facts(), filter.labels()));
        assert_eq!(again.over_capacity(), filter.over_capacity());
        assert_eq!(again.set_bits(), filter.set_bits());
        assert_eq!(again.to_bytes().unwrap(), bytes);
        let mut written = Vec::new();
        filter.write_to(&mut written).unwrap();
        assert_eq!(written, bytes);
    }
}

#[test]
fn every_flip_cut_and_addition_is_refused() {
    for filter in filters() {
        let keyed = filter.seed().is_none();
        let mut bytes = filter.to_bytes().unwrap();
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&bytes, keyed).is_err(), "{filter:?}: bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        for len in 0..bytes.len() {
            assert!(read(&bytes[..len], keyed).is_err(), "{filter:?}: {len} bytes");
        }
        bytes.push(0);
        assert!(read(&bytes, keyed).is_err(), "{filter:?}: one byte more");
    }
}

#[test]
fn the_secret_is_needed_and_is_not_in_the_file() {
    let filter = BloomFilter::builder().capacity(10).secret_key(SECRET.clone()).build().unwrap();
    let bytes = filter.to_bytes().unwrap();
    assert!(matches!(BloomFilter::from_bytes(&bytes), Err(Error::KeyRequired)));
    let other = SecretKey::new([0; 16]);
    assert!(matches!(BloomFilter::from_bytes_with_key(&bytes, &other), Err(Error::WrongKey)));
    assert!(bytes.windows(8).all(|window| !b"0123456789abcdef".windows(8).any(|part| part == window)));
    let open = BloomFilter::builder().capacity(10).build().unwrap().to_bytes().unwrap();
    assert!(matches!(BloomFilter::from_bytes_with_key(&open, &SECRET), Err(Error::KeyNotUsed)));
}

#[test]
fn the_errors_say_what_was_found() {
    let good = BloomFilter::builder().capacity(10).build().unwrap().to_bytes().unwrap();
    let text = |bytes: &[u8]| BloomFilter::from_bytes(bytes).unwrap_err().to_string();
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] ^= byte;
        text(&bytes)
    };
    assert_eq!(text(b""), "not a tepal filter: it is empty; give a filter's file (`save`)");
    for (bytes, part) in [
        (&b"570108428378\n5701084"[..], "it looks like text (\"57010842\")"),
        (b"\x1f\x8b\x08\x00rest", "gzip"),
        (b"\x28\xb5\x2f\xfdrest", "zstd"),
        (b"PK\x03\x04rest", "zip"),
        (b"\x89TEPAL\n\x01\x00", "text mode"),
        (b"\x89TEP", "it ends within the first 8 bytes"),
        (b"\x00\x01\x02\x03\x04\x05\x06\x07", "it starts with the bytes [00, 01"),
        (&good[..20], "it ends at byte 20"),
        (&good[..100], "it has 100 bytes, and 256 were written"),
    ] {
        let found = text(bytes);
        assert!(found.contains(part), "{found}");
        assert!(!found.contains('\n'), "{found}");
    }
    assert!(changed(8, 3).contains("file format version 2 is not known to this build"));
    assert!(changed(10, 64).contains("filter kind 65"));
    assert!(changed(13, 0x40).contains("the body cannot start at byte"));
    assert!(changed(72, 1).contains("the header has the checksum"));
    assert!(changed(200, 1).contains("bytes 192 to 255 have the checksum"));
}

/// A writer that accepts a few bytes and then fails.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_refuses_is_an_error() {
    let filter = BloomFilter::builder().capacity(1000).build().unwrap();
    for room in [0, 1, 191, 192, 500] {
        assert!(matches!(filter.write_to(Full(room)), Err(Error::Io { .. })));
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn saving_and_opening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tepal");
    for filter in filters() {
        filter.save(&path).unwrap();
        let opened: BloomFilter = match filter.seed() {
            Some(_) => BloomFilter::open(&path).unwrap(),
            None => BloomFilter::open_with_key(&path, &SECRET).unwrap(),
        };
        assert!(opened == filter);
        assert!((0..300u64).all(|key| opened.contains(&key)));
        assert_eq!(names(folder.path()), ["a.tepal"]);

        // The open map keeps its content when the file is replaced.
        let mut changed = opened.clone().into_owned().unwrap();
        changed.clear().unwrap();
        changed.save(&path).unwrap();
        assert!(opened == filter);
        assert_eq!(opened.to_bytes().unwrap(), filter.to_bytes().unwrap());
    }
}

#[test]
fn what_cannot_be_opened_or_saved_to() {
    let folder = tempfile::tempdir().unwrap();
    let filter = BloomFilter::builder().capacity(10).build().unwrap();
    // With the system's error.
    let text = |result: Result<BloomFilter>| format!("{:?}", result.unwrap_err());
    let missing = text(BloomFilter::open(folder.path().join("missing")));
    assert!(missing.contains("missing: opening failed: No such file"), "{missing}");
    assert!(text(BloomFilter::open(folder.path())).contains("directory"));
    let empty = folder.path().join("empty");
    fs::write(&empty, b"").unwrap();
    assert!(text(BloomFilter::open(&empty)).contains("it is empty"));
    let saved = filter.save(folder.path()).unwrap_err().to_string();
    assert!(saved.contains("a folder") && saved.contains("a regular file or a new name"), "{saved}");
    let nowhere = filter.save(folder.path().join("no/where")).unwrap_err().to_string();
    assert!(nowhere.contains("no/where: saving"), "{nowhere}");
    assert_eq!(names(folder.path()), ["empty"]);
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_links_are_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("a.tepal"), folder.path().join("link"));
    let filter = BloomFilter::builder().capacity(10).build().unwrap();
    filter.save(&path).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    // A new file is as readable as the umask allows, not private like a temporary file.
    fs::write(folder.path().join("plain"), b"").unwrap();
    assert_eq!(mode(&path), mode(&folder.path().join("plain")));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.tepal", &link).unwrap();
    filter.save(&link).unwrap();
    assert_eq!(mode(&path), 0o640);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(filter.save("/dev/null").unwrap_err().to_string().contains("a device"));
}

#[test]
fn files_are_small() {
    for &layout in Layout::ALL {
        for capacity in [64u64, 100, 1000, 10_000, 1_000_000, 20_000_000] {
            let plan = BloomFilter::builder().layout(layout).capacity(capacity).plan().unwrap();
            let body = plan.bit_len as f64 / 8.0;
            let most = body + 256.0 + 0.001 * body;
            assert!(plan.file_len() as f64 <= most, "{layout} {capacity}: {} of {most}", plan.file_len());
        }
    }
    let least = BloomFilter::builder().capacity(1).bit_len(512).plan().unwrap();
    assert_eq!(least.file_len(), 192 + 64);
}

#[test]
fn labels_travel() {
    let labels = Labels::new()
        .name("n")
        .source("a source of some length")
        .date("2026-11-20")
        .field("/user/id")
        .rows("json nul");
    let filter = BloomFilter::builder().capacity(10).labels(labels.clone()).build().unwrap();
    let again = BloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
    assert_eq!(again.labels(), &labels);
    let text = format!("{:?}", again.labels());
    assert!(text.contains("2026-11-20"));
}
