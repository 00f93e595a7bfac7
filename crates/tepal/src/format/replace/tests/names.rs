//! Paths at which a file can or cannot be saved; the longest names, and names that must be new.

use super::*;

/// A name of 255 bytes leaves no space for more in a temporary name.
#[test]
fn the_longest_names_are_saved_to_and_swept() {
    let folder = tempfile::tempdir().unwrap();
    let mut saved = 0;
    for name in [
        "x".repeat(255),
        "x".repeat(116),
        "x".repeat(115),
        "ж".repeat(127),
        std::format!("a{}", "ж".repeat(127)),
    ] {
        let target = folder.path().join(&name);
        if fs::write(&target, b"old").is_err() {
            not_run(&std::format!("a name of {} bytes", name.len()), "a file system with names so long");
            continue;
        }
        saved += 1;
        let mut dead = Temporary::create(folder.path(), OsStr::new(&name)).unwrap();
        let left = dead.name.path.file_name().unwrap().to_owned();
        assert!(left.len() <= 143 && temporary::is_temporary(&left, OsStr::new(&name)), "{left:?}");
        assert!(!temporary::is_temporary(&left, OsStr::new(&std::format!("{name}y"))));
        dead.name.is_gone = true;
        drop(dead);
        save(&target, b"new");
        assert_eq!(names(folder.path()), BTreeSet::from([name]));
        fs::remove_file(&target).unwrap();
    }
    assert!(saved >= 2, "{saved}");
}

/// The check before the work and the save itself give the same errors.
#[cfg(unix)]
#[test]
fn places_where_nothing_can_be_saved() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("folder")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
    symlink("nowhere", path("dangling")).unwrap();
    symlink("loop", path("loop")).unwrap();
    fs::write(path("file"), b"old").unwrap();
    let long = "x".repeat(256);
    for (name, found) in [
        ("folder", "(a folder)"),
        ("pipe", "(a device, pipe or socket)"),
        ("socket", "(a device, pipe or socket)"),
        ("dangling", "(a symbolic link that leads nowhere)"),
        ("loop", "symbolic link"),
        ("file/f", "f: saving"),
        ("/dev/null", "(a device, pipe or socket)"),
        (&long, "name too long"),
    ] {
        let before = names(folder.path());
        let ahead = std::format!("{:?}", check_place(path(name)).unwrap_err());
        let after = std::format!("{:?}", replace(&path(name), Over::Any, |_| unreachable!()).unwrap_err());
        assert!(ahead.contains(found), "{ahead}");
        assert_eq!(ahead, after);
        assert_eq!(names(folder.path()), before);
    }
    assert!(check_place(path("no/f")).unwrap_err().to_string().contains("no: making a file"));
    check_place(path("file")).unwrap();
    check_place(path("new")).unwrap();
    // A link to a file is followed and stays.
    symlink("file", path("link")).unwrap();
    save(&path("link"), b"new");
    assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
    assert_eq!(fs::read(path("file")).unwrap(), b"new");
}

/// Each way to rename to a new name works once, and never replaces a file.
#[test]
fn a_new_name_is_never_another_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (number, way) in temporary::NEW_NAMES.into_iter().enumerate() {
        let _ = fs::remove_file(path("f"));
        for (name, made) in [("one", true), ("two", false)] {
            fs::write(path(name), name).unwrap();
            match way(&path(name), &path("f")) {
                Err(error) if number < 2 && error.kind() != io::ErrorKind::AlreadyExists => {
                    not_run(&std::format!("way {number} to a new name"), "a file system that has it");
                    break;
                }
                found => assert_eq!(found.is_ok(), made, "way {number}: {found:?}"),
            }
            assert_eq!(fs::read(path("f")).unwrap(), b"one", "way {number}");
        }
    }
    #[cfg(unix)]
    {
        // Neither the target of a link nor the link.
        std::os::unix::fs::symlink("precious", path("link")).unwrap();
        for way in temporary::NEW_NAMES {
            fs::write(path("one"), b"one").unwrap();
            assert_eq!(way(&path("one"), &path("link")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        }
        assert!(!path("precious").exists());
    }
}

/// If many processes make one new file, one of them succeeds.
#[test]
fn new_files_of_one_name_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..20 {
        let target = folder.path().join(std::format!("f{round}"));
        let made: Vec<u8> = std::thread::scope(|scope| {
            let makers: Vec<_> = (0..8u8)
                .map(|thread| {
                    let target = &target;
                    scope.spawn(move || {
                        match replace(target, Over::Nothing, |out| out.write_all(&[thread]).map_err(writing))
                        {
                            Ok(_) => Some(thread),
                            Err(Error::FileExists { .. }) => None,
                            Err(other) => panic!("{other}"),
                        }
                    })
                })
                .collect();
            makers.into_iter().filter_map(|maker| maker.join().unwrap()).collect()
        });
        assert_eq!(fs::read(&target).unwrap(), made);
        assert_eq!(made.len(), 1);
        assert_eq!(names(folder.path()).len(), round + 1);
    }
}
