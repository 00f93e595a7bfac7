//! A file that cannot be mapped is read, and checked in the same way.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{fs, thread};

#[cfg(feature = "foreign")]
use tepal::Opened;
use tepal::{BloomFilter, Error, Open, error::Looks};

fn filter() -> BloomFilter {
    let mut filter = BloomFilter::builder().capacity(20_000).build().unwrap();
    filter.insert_many(&(0..15_000u32).collect::<Vec<_>>()).unwrap();
    filter
}

/// A pipe into which another thread writes these bytes.
#[cfg(feature = "foreign")]
struct Pipe {
    path: std::path::PathBuf,
    _folder: tempfile::TempDir,
}

#[cfg(feature = "foreign")]
impl Pipe {
    fn new(bytes: Vec<u8>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let to = path.clone();
        // Ends when the reader has read everything or has closed the pipe.
        thread::spawn(move || fs::write(to, bytes));
        Pipe { path, _folder: folder }
    }
}

/// The system reports no length for this file, although it has bytes.
#[cfg(target_os = "linux")]
#[test]
fn a_file_of_unknown_length_is_read() {
    let error = BloomFilter::open("/proc/version").unwrap_err();
    assert!(
        matches!(&error, Error::NotTepal { found: Looks::Text(start) , .. } if start == "Linux ve"),
        "{error}"
    );
    assert!(error.to_string().contains("text (\"Linux ve\")"), "{error}");
}

/// Each opening returns the whole file or an error, and an opened filter never changes.
#[test]
fn a_file_that_is_overwritten_while_it_is_read_is_right_or_refused() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let filter = filter();
    let bytes = filter.to_bytes().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    fs::write(&path, &bytes).unwrap();
    let done = AtomicBool::new(false);
    let (mut right, mut refused) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
                fs::write(&path, &bytes).unwrap();
                thread::yield_now();
            }
        });
        let begun = Instant::now();
        while (right < 100 || refused < 100) && begun.elapsed() < Duration::from_secs(60) {
            match Open::new().in_memory().open(&path) {
                Ok(opened) => {
                    right += 1;
                    assert_eq!(opened.to_bytes().unwrap(), bytes);
                }
                Err(Error::Damaged { .. } | Error::NotTepal { .. }) => refused += 1,
                Err(other) => panic!("{other}"),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(right >= 100 && refused >= 100, "{right} and {refused} are too few to tell");
}

/// Calls `run` while another thread writes these bytes into a pipe again and again, until the
/// reader closes it.
fn from_an_endless_pipe<T>(first: Vec<u8>, then: Vec<u8>, run: impl FnOnce(&Path) -> T) -> T {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let to = path.clone();
    let writer = thread::spawn(move || {
        let mut pipe = File::options().write(true).open(to).unwrap();
        let mut written = pipe.write_all(&first);
        while written.is_ok() {
            written = pipe.write_all(&then);
        }
    });
    let begun = Instant::now();
    let result = run(&path);
    writer.join().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    result
}

#[test]
fn a_pipe_that_does_not_end_is_refused() {
    let filter = filter();
    let bytes = filter.to_bytes().unwrap();
    for open in [Open::new(), Open::new().quick(), Open::new().in_memory()] {
        // More bytes after a filter.
        let error = from_an_endless_pipe(bytes.clone(), vec![7; 4096], |path| open.open(path).unwrap_err());
        assert!(error.to_string().contains("bytes, and"), "{error}");
        // Text.
        let error = from_an_endless_pipe(vec![], b"y\n".repeat(4096), |path| open.open(path).unwrap_err());
        assert!(matches!(error, Error::NotTepal { found: Looks::Text(_), .. }), "{error}");
    }
    // A wrong header is not used.
    let mut damaged = bytes.clone();
    damaged[23] = 0x40;
    let error = from_an_endless_pipe(damaged, vec![7; 4096], |path| BloomFilter::open(path).unwrap_err());
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
}

/// Bytes that could be another program's filter are read up to the limit.
#[cfg(feature = "foreign")]
#[test]
fn of_another_programs_filter_so_much_is_read_out_of_a_pipe() {
    use tepal::file::Format;
    for (open, first) in [
        (Open::new(), &[0u8; 4][..]),
        (Open::new(), b"{\"m\":"),
        (Open::new().format(Format::ParquetSbbf), b"text"),
    ] {
        let error =
            from_an_endless_pipe(first.to_vec(), vec![0; 1 << 16], |path| open.open(path).unwrap_err());
        assert!(matches!(error, Error::PastLimit { most: 0x1000_0000, .. }), "{error}");
        assert!(error.to_string().contains("save it to a file"), "{error}");
    }
    // A pipe that ends is read like a file.
    let filter = BloomFilter::builder().scheme(tepal::Scheme::GuavaMitz64).capacity(100_000).build().unwrap();
    let bytes = Opened::new(filter, Format::Guava).unwrap().to_bytes().unwrap();
    let open = Open::new().format(Format::Guava);
    assert_eq!(open.open(&Pipe::new(bytes.clone()).path).unwrap().to_bytes().unwrap(), bytes);
    let error = Open::new().open(&Pipe::new(bytes).path).unwrap_err();
    assert!(matches!(&error, Error::NotTepal { found: Looks::Unmarked(_), .. }), "{error}");
}

#[test]
fn devices_are_refused() {
    for device in ["/dev/zero", "/dev/urandom", "/dev/null"] {
        for open in [Open::new(), Open::new().quick(), Open::new().in_memory()] {
            let error = open.open(device).unwrap_err();
            assert!(std::format!("{error:?}").contains("a device, which need not end"), "{error}");
        }
        assert!(matches!(BloomFilter::open(device).unwrap_err(), Error::Io { .. }));
    }
}
