//! The checks of the target before the rename, one by one.

#[cfg(unix)]
use std::sync::mpsc;
#[cfg(unix)]
use std::time::Duration;

use super::super::super::stamp::Stamp;
use super::*;

/// The act of another program: a new file at the name, without a lock.
fn moved_over(target: &Path) {
    let other = target.with_extension("other");
    fs::write(&other, b"another's").unwrap();
    fs::rename(other, target).unwrap();
}

/// The file was correct at first, and another one took its place while the new one was written.
#[test]
fn a_file_that_changes_meanwhile_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("f");
    save(&target, b"old");
    let stamp = Stamp::of_file(&File::open(&target).unwrap()).unwrap();
    let saved = replace(&target, Over::Only(&stamp), |out| {
        moved_over(&target);
        out.write_all(b"new").map_err(writing)
    });
    assert!(matches!(saved, Err(Error::FileChanged { .. })), "{saved:?}");
    assert_eq!(fs::read(&target).unwrap(), b"another's");
    assert_eq!(names(folder.path()), BTreeSet::from(["f".to_owned()]));
}

/// The last check and the rename are one step for all savers: they wait for the holder of the
/// folder's lock, and then see its changes.
#[cfg(unix)]
#[test]
fn the_last_look_waits_for_whoever_gives_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("f");
    save(&target, b"old");
    let stamp = Stamp::of_file(&File::open(&target).unwrap()).unwrap();
    let (written, is_written) = mpsc::channel();
    std::thread::scope(|scope| {
        let guard = system::guard(folder.path()).unwrap();
        let target = &target;
        scope.spawn(move || {
            is_written.recv().unwrap();
            std::thread::sleep(Duration::from_millis(200));
            moved_over(target);
            drop(guard);
        });
        let saved = replace(target, Over::Only(&stamp), |out| {
            out.write_all(b"new").map_err(writing)?;
            written.send(()).unwrap();
            Ok(())
        });
        assert!(matches!(saved, Err(Error::FileChanged { .. })), "{saved:?}");
    });
    assert_eq!(fs::read(&target).unwrap(), b"another's");
}
