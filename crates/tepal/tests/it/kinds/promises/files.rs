//! Files: damage, saving, secret keys and seals.

use std::fs;

use tepal::{Error, Kind, Result, SecretKey, file::Format};

use super::{FOREIGN, MAPPED, MEMBERS, MORE, STRANGERS, check, clear, empty, filled};
use crate::shared::kinds::{Opener, SECRET, Subject, all_kinds, fixed_kinds, is_large, numbers};
use crate::shared::random::Random;

/// A file with a checksum is refused or right: each byte is changed, and each other length is
/// tried. Without a checksum, impossible contents are refused, for example every other length.
#[test]
fn a_file_is_refused_or_right() {
    let mut with_checksum = 0;
    for subject in all_kinds() {
        let subject = &*subject;
        let name = subject.name();
        let opener = subject.opener();
        let filter = filled(subject, MEMBERS);
        let mut file = opener.file(&filter);
        let has_checksum = filter.facts().unwrap().file.unwrap().has_checksum;
        // In files of megabytes only some bytes are tried.
        let step = (file.len() / 5000).max(1);
        let places: Vec<usize> = (0..file.len()).step_by(step).chain([file.len() - 1]).collect();
        if has_checksum {
            with_checksum += 1;
            for &at in &places {
                for change in [1 << (at % 8), 0xFF] {
                    file[at] ^= change;
                    assert!(opener.read(&file).is_err(), "{name}: byte {at} ^ {change:#x}");
                    file[at] ^= change;
                }
            }
        }
        for &len in &places {
            // Any number of whole blocks is a bare filter of Parquet.
            let bare = subject.format() == Format::ParquetSbbf && len > 0 && len % 32 == 0;
            assert!(bare || opener.read(&file[..len]).is_err(), "{name}: {len} bytes");
        }
        file.push(0);
        // The bytes behind a DCSO filter are its user's data.
        assert_eq!(opener.read(&file).is_ok(), subject.format() == Format::Dcso, "{name}: a byte more");
        file.pop();
        assert!(opener.file(&opener.read(&file).unwrap()) == file, "{name}");
    }
    assert!(with_checksum >= if FOREIGN { 28 } else { 24 }, "{with_checksum}");
}

/// A filter that is read without a checksum answers and can be written again: nothing panics.
#[test]
fn nothing_that_is_read_panics() {
    let mut read = 0;
    for (seed, subject) in (0..).zip(all_kinds()) {
        let subject = &*subject;
        let opener = subject.opener();
        let good = opener.file(&filled(subject, MEMBERS));
        let mut random = Random(seed);
        for _ in 0..if is_large(subject) { 10 } else { 1000 } {
            let mut file = good.clone();
            for _ in 0..random.size(3) {
                let at = random.below(file.len().min(200));
                file[at] = random.next() as u8;
            }
            let Ok(opened) = opener.read(&file) else { continue };
            read += 1;
            let facts = opened.facts().unwrap();
            assert!(facts.size_in_bytes <= 2 * file.len() as u64 + 8192, "{}: {facts:?}", subject.name());
            let _ = subject.keys(&numbers(MEMBERS)).held(&opened);
            let written = opener.file(&opened);
            assert!(opener.file(&opener.read(&written).unwrap()) == written, "{}", subject.name());
        }
    }
    assert!(read > 1000 || !FOREIGN, "{read}");
}

/// A quick opening finds damage before the bits, and `verify` finds the rest; every operation that
/// copies the bits verifies first.
#[test]
fn a_quick_opening_finds_it_later() {
    let folder = tempfile::tempdir().unwrap();
    let (path, saved) = (folder.path().join("f"), folder.path().join("saved"));
    for subject in all_kinds().into_iter().filter(|subject| subject.format() == Format::Tepal) {
        let subject = &*subject;
        let name = subject.name();
        let opener = subject.opener();
        let good = filled(subject, MEMBERS);
        let mut file = opener.file(&good);
        let head = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
        for at in (0..head).step_by(7) {
            file[at] ^= 0x10;
            fs::write(&path, &file).unwrap();
            assert!(opener.quick(&path).is_err(), "{name}: byte {at}");
            file[at] ^= 0x10;
        }
        file[head + 5] ^= 4;
        fs::write(&path, &file).unwrap();
        assert!(opener.open(&path).is_err(), "{name}");
        let opened = opener.quick(&path);
        if !MAPPED {
            assert!(opened.is_err(), "{name}: it was read, so all of it was checked");
            continue;
        }
        let mut opened = opened.unwrap();
        let _ = subject.keys(&numbers(MEMBERS)).held(&opened);
        let damaged = |what: &str, result: Result<()>| {
            assert!(matches!(result, Err(Error::Damaged { .. })), "{name}: {what}: {result:?}");
        };
        damaged("verify", opened.verify());
        damaged("to_bytes", opened.to_bytes().map(drop));
        damaged("save", opened.save(&saved));
        assert!(!saved.exists(), "{name}: a file was left");
        if subject.kind() == Kind::Bloom {
            damaged("into_owned", opened.clone().into_filter().into_bloom().unwrap().into_owned().map(drop));
            let mut other = good.clone();
            damaged("union", other.union_with(&opened));
            damaged("intersection", other.intersect_with(&opened));
            assert!(opener.file(&other) == opener.file(&good), "{name}: changed by what it refused");
            damaged("union into it", opened.union_with(&good));
        }
        if fixed_kinds().iter().any(|kind| kind.kind() == subject.kind()) {
            continue;
        }
        damaged("the first change", subject.keys(&numbers(MORE)).insert_all(&mut opened));
        damaged("verify, again", opened.verify());
        clear(subject, &mut opened);
        assert!(opener.file(&opened) == opener.file(&empty(subject)), "{name}: clearing looks at no bit");
    }
}

/// Saving replaces the old file by the whole new one; readers of the old one go on. If saving
/// fails, the old file stays.
#[test]
fn saving_is_all_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for subject in all_kinds() {
        let subject = &*subject;
        let name = subject.name();
        let opener = subject.opener();
        let (old, new) = (filled(subject, MEMBERS), filled(subject, STRANGERS.start..STRANGERS.start + 80));
        opener.save(&old, &path).unwrap();
        let readers = [opener.open(&path).unwrap(), opener.quick(&path).unwrap()];
        let refused = opener.save(&new, folder.path());
        assert!(matches!(refused, Err(Error::Parameter { .. })), "{name}: {refused:?}");
        assert!(fs::read(&path).unwrap() == opener.file(&old), "{name}");
        opener.save(&new, &path).unwrap();
        assert!(fs::read(&path).unwrap() == opener.file(&new), "{name}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}: something is left beside it");
        let asked = subject.keys(&numbers(STRANGERS));
        for reader in &readers {
            reader.verify().unwrap();
            check(subject, reader, MEMBERS, "replacing the file");
            assert_eq!(asked.held(reader), asked.held(&old), "{name}: a reader sees something else");
        }
        let mut out = Vec::new();
        old.write_to(&mut out).unwrap();
        assert!(out == old.to_bytes().unwrap(), "{name}");
        fs::remove_file(&path).unwrap();
    }
}

/// A secret is in no file. A file is opened only with the keys that it needs: without them, with
/// others, or with more it is refused.
#[test]
fn secrets_and_seals() {
    let other = SecretKey::new(*b"another sixteen!");
    for subject in all_kinds() {
        let subject = &*subject;
        let name = subject.name();
        let opener = subject.opener();
        let file = opener.file(&filled(subject, MEMBERS));
        let holds = |part: &[u8]| file.windows(part.len()).any(|window| window == part);
        assert!(!holds(&SECRET), "{name}: the secret is in the file");
        let under = |secret: Option<&SecretKey>| {
            let opener = Opener { secret: secret.cloned(), ..subject.opener() };
            opener.read(&file).map(drop)
        };
        match &opener.secret {
            Some(secret) => {
                assert!(under(Some(secret)).is_ok(), "{name}");
                assert!(matches!(under(None), Err(Error::KeyRequired)), "{name}");
                assert!(matches!(under(Some(&other)), Err(Error::WrongKey)), "{name}");
            }
            None => {
                assert!(under(None).is_ok(), "{name}");
                assert!(matches!(under(Some(&other)), Err(Error::KeyNotUsed)), "{name}");
            }
        }
        let shown = format!("{:?} {:?}", opener.read(&file).unwrap(), opener.secret);
        assert!(
            !shown.contains("kept for testing") && !shown.contains(&format!("{SECRET:?}")),
            "{name}: {shown}"
        );
        check_seal(subject, &file);
    }
}

#[cfg(feature = "seal")]
fn check_seal(subject: &dyn Subject, file: &[u8]) {
    use crate::shared::kinds::SEAL;
    use tepal::SealKey;
    let name = subject.name();
    let opener = subject.opener();
    assert!(!file.windows(SEAL.len()).any(|window| window == SEAL), "{name}: the seal's key is in it");
    let other = SealKey::new(b"another key of a seal").unwrap();
    let under_other = opener.without_seal().seal_key(&other).from_bytes(file).map(drop);
    let unsealed = opener.without_seal().from_bytes(file).map(drop);
    assert_eq!(opener.read(file).unwrap().is_sealed(), opener.is_sealed(), "{name}");
    if opener.is_sealed() {
        assert!(matches!(under_other, Err(Error::WrongSeal)), "{name}: {under_other:?}");
        assert!(matches!(unsealed, Err(Error::SealRequired)), "{name}: {unsealed:?}");
    } else {
        assert!(matches!(under_other, Err(Error::NotSealed)), "{name}: {under_other:?}");
        assert!(unsealed.is_ok(), "{name}: {unsealed:?}");
    }
    let sealed = filled(subject, MEMBERS).to_bytes_sealed(&other);
    match subject.format() {
        Format::Tepal => {
            let opened = opener.without_seal().seal_key(&other).from_bytes(&sealed.unwrap()).unwrap();
            assert!(opened.is_sealed() && opened.facts().unwrap().file.unwrap().is_sealed, "{name}");
        }
        _ => assert!(sealed.is_err(), "{name}: other programs know no seal"),
    }
}

#[cfg(not(feature = "seal"))]
fn check_seal(_: &dyn Subject, _: &[u8]) {}
