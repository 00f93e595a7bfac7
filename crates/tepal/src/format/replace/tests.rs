//! Leftovers are swept, living temporary files are not, and nothing else is touched.

use std::collections::BTreeSet;
use std::string::String;
use std::vec::Vec;

use super::*;

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn save(path: &Path, bytes: &[u8]) {
    replace(path, |out| out.write_all(bytes)).unwrap();
    assert_eq!(fs::read(path).unwrap(), bytes);
}

#[cfg(unix)]
#[test]
fn a_dead_temporary_is_swept_and_a_living_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("f");
    let name = OsStr::new("f");
    let living = Temporary::create(folder.path(), name).unwrap();
    let living_name = living.path.file_name().unwrap().to_str().unwrap().to_owned();
    // What a killed process leaves: the file, without the lock.
    let mut dead = Temporary::create(folder.path(), name).unwrap();
    dead.file.write_all(b"half").unwrap();
    dead.renamed = true;
    drop(dead);
    fs::write(folder.path().join(".f.0123456789abcdef.tepal-tmp"), b"").unwrap();
    assert_eq!(names(folder.path()).len(), 3);
    save(&target, b"new");
    assert_eq!(names(folder.path()), BTreeSet::from(["f".to_owned(), living_name]));
    // The living one goes on as if nothing had been.
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
    // Named like one, and none: a folder, a link to something precious, a pipe.
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
    let failed = replace(&target, |out| {
        out.write_all(b"ne")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    assert!(matches!(failed, Err(Error::Io { .. })));
    assert_eq!(fs::read(&target).unwrap(), b"old");
    assert_eq!(names(folder.path()), BTreeSet::from(["f".to_owned()]));
}

/// Many at once: every save succeeds, for no sweeper takes another's file, and nothing is left.
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
                    replace(target, |out| {
                        // In two pieces, with the others' sweeps between them.
                        out.write_all(&bytes[..1000])?;
                        std::thread::yield_now();
                        out.write_all(&bytes[1000..])
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
