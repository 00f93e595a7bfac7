//! Members, non-members, and refused keys.

use std::fs;

use tepal::{Error, KeyDomain, Kind, OverCapacity, Recipe, file::Format};

use super::{CAPACITY, FOREIGN, MEMBERS, MORE, check, clear, empty, filled};
use crate::shared::kinds::{
    CALLER_HASH, Numbered, Opener, Operation, all_kinds, fixed_kinds, is_large, kinds, numbers,
};
use crate::shared::trial::credible;

/// No member is lost, by any insert call, and after saving and opening.
#[test]
fn nobody_is_forgotten_by_inserting_and_saving() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for subject in kinds() {
        let subject = &*subject;
        let (name, opener) = (subject.name(), subject.opener());
        let mut filter = empty(subject);
        let one_by_one = subject.keys(&numbers(0..40));
        assert!(one_by_one.held(&filter).iter().all(|held| !held), "{name}: not empty");
        let mut called_new = 0;
        one_by_one.insert_each(&mut filter, |_, new| called_new += u32::from(new)).unwrap();
        assert!(called_new > 35, "{name}: {called_new}");
        one_by_one.insert_each(&mut filter, |i, new| assert!(!new, "{name}: member {i} is new")).unwrap();
        subject.keys(&numbers(40..80)).insert_all(&mut filter).unwrap();
        check(subject, &filter, MEMBERS, "inserting");

        let file = opener.file(&filter);
        check(subject, &opener.read(&file).unwrap(), MEMBERS, "reading");
        opener.save(&filter, &path).unwrap();
        check(subject, &opener.open(&path).unwrap(), MEMBERS, "opening");
        let mut opened = opener.quick(&path).unwrap();
        check(subject, &opened, MEMBERS, "opening quick");
        opened.verify().unwrap();
        subject.keys(&numbers(MORE)).insert_all(&mut opened).unwrap();
        check(subject, &opened, MEMBERS, "inserting into an opened file");
        check(subject, &opened, MORE, "inserting into an opened file");
        assert!(fs::read(&path).unwrap() == file, "{name}: the file under it has changed");
    }
}

/// No member is lost by union, by intersection with a filter that has it too, or by folding.
#[test]
fn nobody_is_forgotten_by_combining() {
    for subject in kinds() {
        let subject = &*subject;
        let filter = filled(subject, MEMBERS);
        let mut united = filter.clone();
        if !subject.cannot().contains(&Operation::Unite) {
            united.union_with(&filled(subject, MORE)).unwrap();
            check(subject, &united, MORE, "union");
        }
        check(subject, &united, MEMBERS, "union");
        if !subject.cannot().contains(&Operation::Intersect) {
            united.intersect_with(&filter).unwrap();
            check(subject, &united, MEMBERS, "intersection");
        }
        let mut folded = filter;
        let rate = (4.0 * folded.filter().false_positive_rate()).clamp(1e-4, 0.9);
        match folded.shrink_to(rate) {
            // Filters whose positions are remainders do not fold, nor does a chain; the error says
            // so.
            Err(Error::Parameter { .. }) if !folded.filter().key_hasher().has_hash() => {}
            Err(Error::NotPossible { .. })
                if matches!(
                    folded.filter().kind(),
                    Kind::Scalable | Kind::Growing | Kind::Expiring | Kind::Segment
                ) => {}
            done => drop(done.unwrap()),
        }
        check(subject, &folded, MEMBERS, "folding");
    }
}

/// No member is lost in another format, if there is one for the filter.
#[test]
fn nobody_is_forgotten_by_converting() {
    let mut converted = 0;
    for subject in all_kinds() {
        let subject = &*subject;
        let filter = filled(subject, MEMBERS);
        let opener = Opener { key_domain: Some(filter.filter().key_domain()), ..subject.opener() };
        for &format in Format::ALL.iter().filter(|format| **format != subject.format()) {
            let Ok(other) = filter.clone().convert_to(format) else { continue };
            check(subject, &other, MEMBERS, "converting");
            let open = opener.without_seal().format(format);
            let read = open.from_bytes(&other.to_bytes().unwrap()).unwrap();
            check(subject, &read, MEMBERS, "converting and reading");
            let back = read.convert_to(subject.format()).unwrap();
            check(subject, &back, MEMBERS, "converting back");
            converted += 1;
        }
    }
    assert!(converted >= 10 || !FOREIGN, "{converted}");
}

/// A static filter refuses changes and keeps all members.
#[test]
fn nobody_is_forgotten_by_what_does_not_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for subject in fixed_kinds() {
        let subject = &*subject;
        let (name, opener) = (subject.name(), subject.opener());
        let filter = filled(subject, MEMBERS);
        check(subject, &filter, MEMBERS, "building");
        let file = opener.file(&filter);
        opener.save(&filter, &path).unwrap();
        let opened = [opener.read(&file).unwrap(), opener.open(&path).unwrap(), opener.quick(&path).unwrap()];
        for mut opened in opened {
            check(subject, &opened, MEMBERS, "opening");
            let other = filled(subject, MORE);
            let cannot = [
                (Operation::Clear, opened.clear()),
                (Operation::Unite, opened.union_with(&other)),
                (Operation::Intersect, opened.intersect_with(&filter)),
                (Operation::SetOverCapacity, opened.set_over_capacity(OverCapacity::Warn)),
                (Operation::Fold, opened.fold(2)),
            ];
            for (operation, result) in cannot {
                // A key that the domain does not have is refused for that reason.
                let is_refused = match &result {
                    Err(Error::NotPossible { operation: of, .. }) => *of == operation,
                    Err(Error::KeyRefused { .. } | Error::CallerHashes { .. }) => true,
                    _ => false,
                };
                assert!(is_refused, "{name}: {operation}: {result:?}");
            }
            opened.verify().unwrap();
            assert!(opener.file(&opened) == file, "{name}: changed");
            // Keys are added beside the ribbon.
            let more = subject.keys(&numbers(MORE));
            match subject.kind() {
                Kind::Ribbon => more.insert_all(&mut opened).unwrap(),
                Kind::Map => {
                    assert!(more.insert_all(&mut opened).is_err(), "{name}");
                    assert!(opened.insert_many_hashes(&[7]).is_err(), "{name}");
                    assert!(opener.file(&opened) == file, "{name}: changed");
                    continue;
                }
                kind => panic!("{name}: a kind that is new here, {kind}"),
            }
            check(subject, &opened, MEMBERS.start..MORE.end, "adding");
            let mut again = filter.clone();
            more.insert_each(&mut again, |_, _| ()).unwrap();
            let added = opener.file(&opened);
            assert!(opener.file(&again) == added && added != file, "{name}");
            check(subject, &opener.read(&added).unwrap(), MEMBERS.start..MORE.end, "reading");
            let mut united = filter.clone();
            united.union_with(&opened).unwrap();
            assert!(opener.file(&united) == added, "{name}");
        }
    }
}

/// `clear` removes all keys, of an opened file too.
#[test]
fn clearing_gives_the_filter_that_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for subject in kinds() {
        let subject = &*subject;
        let opener = subject.opener();
        let began = opener.file(&empty(subject));
        let filter = filled(subject, MEMBERS);
        opener.save(&filter, &path).unwrap();
        for mut filter in [filter, opener.open(&path).unwrap(), opener.quick(&path).unwrap()] {
            clear(subject, &mut filter);
            assert!(opener.file(&filter) == began, "{}", subject.name());
        }
    }
}

/// A full filter that refuses has every key that it took, and is unchanged by a refusal.
#[test]
fn a_refused_key_changes_nothing() {
    let mut refusing = 0;
    for subject in kinds() {
        let subject = &*subject;
        let opener = subject.opener();
        let mut filter = empty(subject);
        if filter.set_over_capacity(OverCapacity::Refuse).is_err() || is_large(subject) {
            continue;
        }
        let mut taken = Vec::new();
        let refused = (0..100 * CAPACITY).find(|number| {
            match subject.keys(&[*number]).insert_each(&mut filter, |_, _| ()) {
                Ok(()) => taken.push(*number),
                Err(Error::CapacityReached { inserted: 0, .. }) => return true,
                Err(error) => panic!("{}: {error}", subject.name()),
            }
            false
        });
        let refused = refused.unwrap_or_else(|| panic!("{} takes everything", subject.name()));
        let full = opener.file(&filter);
        let mut many = subject.keys(&[refused, refused + 1]).insert_all(&mut filter);
        assert!(
            matches!(many, Err(Error::CapacityReached { inserted: 0, .. })),
            "{}: {many:?}",
            subject.name()
        );
        assert!(opener.file(&filter) == full, "{}: changed", subject.name());
        assert!(subject.keys(&taken).are_held(&filter), "{}", subject.name());
        // A member is taken again.
        many = subject.keys(&taken[..10]).insert_all(&mut filter);
        assert!(many.is_ok(), "{}: {many:?}", subject.name());
        refusing += 1;
    }
    assert!(refusing >= if FOREIGN { 28 } else { 24 }, "{refusing}");
}

/// False positives are at most as frequent as promised: counted in a filter with all keys of its
/// capacity.
#[test]
fn strangers_are_let_in_as_promised() {
    const CAPACITY: u64 = 20_000;
    const ASKED: u64 = 100_000;
    for subject in all_kinds() {
        let subject = &*subject;
        let filter = subject.filled(CAPACITY, &numbers(0..CAPACITY)).unwrap();
        let promised = filter.filter().promised_false_positive_rate();
        let strangers = subject.keys(&numbers(CAPACITY..CAPACITY + ASKED));
        let wrong = strangers.held(&filter).into_iter().filter(|held| *held).count();
        let most = credible(ASKED, 1.05 * promised);
        assert!(wrong as f64 <= most, "{}: {wrong} of {ASKED}, promised {promised:e}", subject.name());
        let now = filter.filter().false_positive_rate();
        assert!(now <= 1.1 * promised, "{}: {now:e} by the bits, promised {promised:e}", subject.name());
        assert!(!filter.filter().is_over_capacity(), "{}", subject.name());
    }
}

/// A key that the domain does not have is refused, is no member, and changes nothing; the keys
/// before it are inserted.
#[test]
fn keys_that_are_none() {
    let mut refusing = 0;
    for subject in kinds() {
        let subject = &*subject;
        let name = subject.name();
        let opener = subject.opener();
        let mut filter = filled(subject, MEMBERS);
        let before = opener.file(&filter);
        if let Numbered::Hashes(_) = subject.keys(&[]) {
            let results = [filter.insert("a key").map(drop), filter.insert_many(&["a key"])];
            for refused in results {
                let named = matches!(&refused, Err(Error::CallerHashes { name, .. }) if name == CALLER_HASH);
                assert!(named, "{name}: {refused:?}");
            }
        }
        if !filter.key_hasher().has_hash() {
            let refused = filter.insert_many_hashes(&[1, 2, 3]);
            let scheme = filter.filter().scheme();
            assert!(
                matches!(refused, Err(Error::NoHash { scheme: of, .. }) if of == scheme),
                "{name}: {refused:?}"
            );
        }
        let bad: &[u8] = match filter.filter().key_domain() {
            KeyDomain::Bytes => {
                assert!(opener.file(&filter) == before, "{name}: changed");
                continue;
            }
            KeyDomain::Utf16 => b"\xFF",
            _ => b"x7",
        };
        let refused = filter.insert(bad);
        let domain = filter.filter().key_domain();
        assert!(
            matches!(refused, Err(Error::KeyRefused { domain: of, .. }) if of == domain),
            "{name}: {refused:?}"
        );
        assert!(!filter.contains(bad) && filter.contains_many(&[bad]) == [false], "{name}");
        assert!(opener.file(&filter) == before, "{name}: changed");

        let Numbered::Texts(more) = subject.keys(&[200, 201, 202]) else {
            panic!("{name}: hashes of a domain")
        };
        let keys = [more[0].as_bytes(), more[1].as_bytes(), bad, more[2].as_bytes()];
        assert!(matches!(filter.insert_many(&keys), Err(Error::KeyRefused { .. })), "{name}");
        let mut expected = filled(subject, MEMBERS);
        expected.insert_many(&keys[..2]).unwrap();
        assert!(opener.file(&filter) == opener.file(&expected), "{name}: other keys are in");
        let answers = filter.contains_many(&keys);
        assert_eq!((&answers[..2], answers[2]), (&[true, true][..], false), "{name}");
        refusing += 1;
    }
    assert!(refusing >= if FOREIGN { 8 } else { 4 }, "{refusing}");
}

/// The recipe of a filter applies to every lookup and every insert.
#[test]
fn recipes_are_applied() {
    let mut with_recipe = 0;
    for subject in all_kinds() {
        let subject = &*subject;
        let name = subject.name();
        let filter = filled(subject, MEMBERS);
        let recipe = filter.filter().facts().recipe;
        let Numbered::Texts(texts) = subject.keys(&numbers(MEMBERS)) else { continue };
        let other = |text: &String| {
            let text = if recipe.nocase { text.to_ascii_uppercase() } else { text.clone() };
            if recipe.trim { format!("\t {text}\r\n") } else { text }
        };
        let others: Vec<String> = texts.iter().map(other).collect();
        assert_eq!(recipe == Recipe::default(), texts == others, "{name}");
        assert!(others.iter().all(|text| filter.contains(text)), "{name}");
        assert_eq!(filter.contains_many(&others), vec![true; others.len()], "{name}");
        if !fixed_kinds().iter().any(|kind| kind.kind() == subject.kind()) {
            let mut again = empty(subject);
            again.insert_many(&others).unwrap();
            assert!(subject.opener().file(&again) == subject.opener().file(&filter), "{name}");
        }
        with_recipe += u32::from(recipe != Recipe::default());
    }
    assert!(with_recipe >= 4, "{with_recipe}");
}
