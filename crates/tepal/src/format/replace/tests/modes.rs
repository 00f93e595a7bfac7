//! Permissions of a filter while it is saved, and afterwards.

use super::*;

/// The mode of a file.
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Only its owner can read an unfinished file, whatever the final mode is.
#[test]
fn the_temporary_file_is_private_until_it_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("f");
    fs::write(folder.path().join("new"), b"").unwrap();
    let default = mode(&folder.path().join("new"));
    fs::remove_file(folder.path().join("new")).unwrap();
    for old in [None, Some(0o600), Some(0o640), Some(0o644), Some(0o4755), Some(0o400)] {
        let _ = fs::remove_file(&target);
        if let Some(mode) = old {
            fs::write(&target, b"old").unwrap();
            set_mode(&target, mode);
        }
        for round in 0..2 {
            replace(&target, Over::Any, |out| {
                out.write_all(b"new").map_err(writing)?;
                let names = names(folder.path());
                let temporary = names.iter().find(|name| name.ends_with(".tepal-tmp")).unwrap();
                assert_eq!(mode(&folder.path().join(temporary)), 0o600, "{old:?}");
                Ok(())
            })
            .unwrap();
            assert_eq!(mode(&target), old.unwrap_or(default), "{old:?}, round {round}");
            assert_eq!(names(folder.path()), BTreeSet::from(["f".to_owned()]));
        }
    }
}

/// If owner or group cannot be kept, nobody gets more rights than before.
#[test]
fn modes_for_another_owner_or_group_are_never_wider() {
    for (old, owner, group, new) in [
        (0o100640, true, true, 0o640),
        (0o100640, false, true, 0o640),
        (0o100640, true, false, 0o600),
        (0o100664, true, false, 0o644),
        (0o100604, true, false, 0o604),
        (0o106755, true, true, 0o6755),
        (0o106755, false, true, 0o2755),
        (0o106755, false, false, 0o755),
    ] {
        assert_eq!(system::mode_for(old, owner, group), new, "{old:o}");
    }
    // Only root may change owners; elsewhere there is no other user.
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("f");
    save(&target, b"old");
    if std::os::unix::fs::chown(&target, Some(1), Some(2)).is_ok() {
        use std::os::unix::fs::MetadataExt;
        set_mode(&target, 0o640);
        save(&target, b"new");
        let found = fs::metadata(&target).unwrap();
        assert_eq!((found.uid(), found.gid(), mode(&target)), (1, 2, 0o640));
    } else {
        not_run("the owner and the group of a file are kept", "root");
    }
}
