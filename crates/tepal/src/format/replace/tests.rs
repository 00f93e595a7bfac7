//! Dead temporary files are swept, living ones are not, and no other file is touched.

#[cfg(unix)]
pub(super) mod disk;
mod looks;
#[cfg(unix)]
mod modes;
mod names;

use std::cell::Cell;
use std::collections::BTreeSet;
#[cfg(unix)]
use std::fs::OpenOptions;
use std::string::String;
use std::vec::Vec;

use super::super::write::writing;
use super::place::folder_of;
use super::*;
use crate::{BloomFilter, Layout};

std::thread_local! {
    /// The step that fails in this thread, the system error, and the number of failures.
    static FAULT: Cell<Option<(Step, i32, u32)>> = const { Cell::new(None) };
}

pub(super) fn fault(step: Step) -> io::Result<()> {
    #[cfg(unix)]
    disk::look();
    match FAULT.get() {
        Some((failing, code, times)) if failing == step && times > 0 => {
            FAULT.set(Some((failing, code, times - 1)));
            Err(io::Error::from_raw_os_error(code))
        }
        _ => Ok(()),
    }
}

/// Prints the name of a skipped test directly, since the test harness would hide the output.
fn not_run(what: &str, needs: &str) {
    let _ = writeln!(io::stderr(), "not run: {what}: this needs {needs}");
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn save(path: &Path, bytes: &[u8]) {
    replace(path, Over::Any, |out| out.write_all(bytes).map_err(writing)).unwrap();
    assert_eq!(fs::read(path).unwrap(), bytes);
}

#[cfg(unix)]
#[test]
fn a_dead_temporary_is_swept_and_a_living_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("f");
    let name = OsStr::new("f");
    let living = Temporary::create(folder.path(), name).unwrap();
    let living_name = living.name.path.file_name().unwrap().to_str().unwrap().to_owned();
    // The state after a process was killed: the file, without the lock.
    let mut dead = Temporary::create(folder.path(), name).unwrap();
    dead.file.write_all(b"half").unwrap();
    dead.name.is_gone = true;
    drop(dead);
    fs::write(folder.path().join(".f.0123456789abcdef.tepal-tmp"), b"").unwrap();
    assert_eq!(names(folder.path()).len(), 3);
    save(&target, b"new");
    assert_eq!(names(folder.path()), BTreeSet::from(["f".to_owned(), living_name]));
    // The living file can still be saved.
    (&living.file).write_all(b"newer").unwrap();
    living.rename(&target).unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"newer");
    assert_eq!(names(folder.path()), BTreeSet::from(["f".to_owned()]));
}

#[cfg(unix)]
#[test]
fn only_temporary_files_of_this_target_are_swept() {
    let folder = tempfile::tempdir().unwrap();
    let others = [
        ".g.0123456789abcdef.tepal-tmp",
        ".f.g.0123456789abcdef.tepal-tmp",
        ".f.0123456789abcde.tepal-tmp",
        ".f.0123456789ABCDEF.tepal-tmp",
        ".f.0123456789abcdef.tepal-tmp2",
        "f.0123456789abcdef.tepal-tmp",
        ".f.tepal-tmp",
        "f.tepal-tmp",
    ];
    for name in others {
        fs::write(folder.path().join(name), b"mine").unwrap();
    }
    // A folder, a link to another file and a pipe, with the names of temporary files.
    let odd =
        [".f.1111111111111111.tepal-tmp", ".f.2222222222222222.tepal-tmp", ".f.3333333333333333.tepal-tmp"];
    fs::create_dir(folder.path().join(odd[0])).unwrap();
    std::os::unix::fs::symlink("f.tepal-tmp", folder.path().join(odd[1])).unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path().join(odd[2])).status().unwrap();
    assert!(made.success());
    save(&folder.path().join("f"), b"new");
    let expected: BTreeSet<String> = others.into_iter().chain(odd).chain(["f"]).map(str::to_owned).collect();
    assert_eq!(names(folder.path()), expected);
    assert_eq!(fs::read(folder.path().join("f.tepal-tmp")).unwrap(), b"mine");
}

#[test]
fn a_failed_save_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("f");
    save(&target, b"old");
    let failed = replace(&target, Over::Any, |out| {
        out.write_all(b"ne").map_err(writing)?;
        Err(writing(io::ErrorKind::StorageFull.into()))
    });
    assert!(matches!(failed, Err(Error::Io { .. })));
    assert_eq!(fs::read(&target).unwrap(), b"old");
    assert_eq!(names(folder.path()), BTreeSet::from(["f".to_owned()]));
}

/// Many saves at once: every save succeeds, no sweeper removes another's file, and no file is left.
#[test]
fn saves_of_one_target_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("f");
    std::thread::scope(|scope| {
        for thread in 0..8u8 {
            let target = &target;
            scope.spawn(move || {
                for round in 0..40u8 {
                    let bytes = [thread, round].repeat(1000);
                    replace(target, Over::Any, |out| {
                        // In two pieces, with other sweeps between them.
                        out.write_all(&bytes[..1000]).map_err(writing)?;
                        std::thread::yield_now();
                        out.write_all(&bytes[1000..]).map_err(writing)
                    })
                    .unwrap();
                }
            });
        }
    });
    let last: Vec<u8> = fs::read(&target).unwrap();
    assert_eq!((last.len(), last[1]), (2000, 39));
    assert_eq!(last, [last[0], 39].repeat(1000));
    assert_eq!(names(folder.path()), BTreeSet::from(["f".to_owned()]));
}

const EIO: i32 = 5;
const ENOSPC: i32 = 28;

#[cfg(unix)]
#[test]
fn folders() {
    for (path, folder) in [("f", "."), ("./f", "."), ("a/f", "a"), ("a/b/f", "a/b"), ("/f", "/"), ("/", ".")]
    {
        assert_eq!(folder_of(Path::new(path)), Path::new(folder), "{path}");
    }
}

/// The name exists, or a sweeper locked the file first: another name is tried. The file system has
/// no locks: nobody else can lock the file either. Each time the new file exists, and no other.
#[cfg(target_os = "linux")]
#[test]
fn what_keeps_a_temporary_file_from_being_locked_is_no_reason_not_to_save() {
    const EEXIST: i32 = 17;
    const EWOULDBLOCK: i32 = 11;
    const ENOLCK: i32 = 37;
    const EOPNOTSUPP: i32 = 95;
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("f");
    for (step, code, met) in [
        (Step::Create, EEXIST, 3),
        (Step::Lock, EWOULDBLOCK, 3),
        (Step::Lock, ENOLCK, 1),
        (Step::Lock, EOPNOTSUPP, 1),
        (Step::Lock, EIO, 1),
    ] {
        FAULT.set(Some((step, code, 3)));
        save(&target, &code.to_le_bytes());
        assert_eq!(FAULT.take(), Some((step, code, 3 - met)));
        assert_eq!(names(folder.path()), BTreeSet::from(["f".to_owned()]), "{step:?}, error {code}");
    }
}

/// Every step fails in turn, for a new name and for an existing one.
#[test]
fn a_step_that_fails_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("f");
    let steps = [Step::Create, Step::Write, Step::Permissions, Step::Sync, Step::Rename, Step::SyncFolder];
    for taken in [false, true] {
        for failing in steps {
            for code in [EIO, ENOSPC] {
                let _ = fs::remove_file(&target);
                if taken {
                    save(&target, b"old");
                }
                FAULT.set(Some((failing, code, 1)));
                let saved = replace(&target, Over::Any, |out| out.write_all(b"new").map_err(writing));
                FAULT.set(None);
                let what = std::format!("{failing:?}, error {code}, taken: {taken}");
                match saved {
                    Err(Error::Io { source, .. }) => {
                        assert_eq!(source.raw_os_error(), Some(code), "{what}: {source}");
                    }
                    other => panic!("{what}: {other:?}"),
                }
                let renamed = failing == Step::SyncFolder;
                let expected = match (renamed, taken) {
                    (true, _) => Some(b"new"),
                    (false, true) => Some(b"old"),
                    (false, false) => None,
                };
                assert_eq!(fs::read(&target).ok().as_deref(), expected.map(|bytes| &bytes[..]), "{what}");
                assert_eq!(names(folder.path()).len(), usize::from(expected.is_some()), "{what}");
            }
        }
    }
}

/// The result of a faulty write.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Fails(i32),
    /// Half of it is written, and the next write fails.
    HalfThenFails(i32),
    /// Half of it is written, or nothing because of a signal: the writer goes on.
    Half,
    Interrupted,
    /// No byte is written, without an error.
    Nothing,
}

/// A writer whose write number `at` has another outcome.
struct Faulty<'a> {
    inner: &'a mut dyn Write,
    at: u32,
    fault: Outcome,
    calls: u32,
}

impl Write for Faulty<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let call = self.calls;
        self.calls += 1;
        let half = bytes.len().div_ceil(2);
        match self.fault {
            Outcome::Fails(code) if call == self.at => Err(io::Error::from_raw_os_error(code)),
            Outcome::HalfThenFails(code) if call == self.at + 1 => Err(io::Error::from_raw_os_error(code)),
            Outcome::Half | Outcome::HalfThenFails(_) if call == self.at => self.inner.write(&bytes[..half]),
            Outcome::Interrupted if call == self.at => Err(io::ErrorKind::Interrupted.into()),
            Outcome::Nothing if call == self.at => Ok(0),
            _ => self.inner.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Every write of every layout's file fails in turn, in every way.
#[test]
fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("f");
    save(&target, b"old");
    let mut rounds = 0;
    for &layout in Layout::ALL {
        let mut filter = BloomFilter::builder().layout(layout).capacity(300_000).build().unwrap();
        filter.insert_many(&(0..1000u32).collect::<Vec<_>>()).unwrap();
        let file = filter.to_bytes().unwrap();
        // The header and the chunks.
        let calls = 1 + (file.len() - 1).div_ceil(65_536) as u32;
        for at in 0..calls {
            for fault in [
                Outcome::Fails(ENOSPC),
                Outcome::Fails(EIO),
                Outcome::HalfThenFails(ENOSPC),
                Outcome::HalfThenFails(EIO),
                Outcome::Half,
                Outcome::Interrupted,
                Outcome::Nothing,
            ] {
                let saved = replace(&target, Over::Any, |inner| {
                    let mut out = Faulty { inner, at, fault, calls: 0 };
                    let written = filter.write_to(&mut out);
                    assert!(out.calls > at, "{layout}: there is no write {at}");
                    assert!(matches!(written, Ok(()) | Err(Error::Io { .. })), "{written:?}");
                    written
                });
                let what = std::format!("{layout}, write {at}: {fault:?}");
                let goes_on = matches!(fault, Outcome::Half | Outcome::Interrupted);
                assert_eq!(saved.is_ok(), goes_on, "{what}");
                let expected = if goes_on { &file[..] } else { b"old" };
                assert!(fs::read(&target).unwrap() == expected, "{what}");
                assert_eq!(names(folder.path()), BTreeSet::from(["f".to_owned()]), "{what}");
                save(&target, b"old");
                rounds += 1;
            }
        }
    }
    assert!(rounds >= 150, "{rounds}");
}

/// Failures without help from the test: a full device, and a target or folder that changes
/// meanwhile.
#[cfg(unix)]
#[test]
fn the_system_itself_refuses() {
    let filter = BloomFilter::builder().capacity(1000).build().unwrap();
    // Other systems have no full device.
    if cfg!(target_os = "linux") {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let error = filter.write_to(full).unwrap_err();
        assert!(
            matches!(&error, Error::Io { source, .. } if source.raw_os_error() == Some(ENOSPC)),
            "{error}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    // The target becomes a folder while its bytes are written.
    let target = folder.path().join("f");
    let saved = replace(&target, Over::Any, |out| {
        fs::create_dir(&target).map_err(writing)?;
        out.write_all(b"new").map_err(writing)
    });
    assert!(matches!(saved, Err(Error::Io { .. })));
    assert!(target.is_dir());
    assert_eq!(names(folder.path()), BTreeSet::from(["f".to_owned()]));
    // The folder is removed.
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let saved = replace(&inner.join("g"), Over::Any, |out| {
        fs::remove_dir_all(&inner).map_err(writing)?;
        out.write_all(b"new").map_err(writing)
    });
    assert!(matches!(saved, Err(Error::Io { .. })));
    assert!(!inner.exists());
}
