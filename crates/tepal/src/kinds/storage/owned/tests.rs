//! The stored address is the one that the holder of the lines gives when it is asked again.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::*;

fn lines(count: u64) -> Vec<Line> {
    (0..count).map(|i| Line([i ^ 0x5A5A; 8])).collect()
}

/// The safe twin: asks the holder. A box belongs to the value alone.
fn asked(owned: &Owned) -> &[Line] {
    match owned.holder.as_deref() {
        #[cfg(all(feature = "std", target_endian = "little"))]
        Some(Holder::File(file)) => file.as_lines(),
        #[cfg(all(feature = "std", target_endian = "little"))]
        Some(Holder::Private(private)) => private.as_lines(),
        #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
        Some(Holder::Part(lines, part)) => &lines[part.clone()],
        _ => owned.as_lines(),
    }
}

/// Checks the address, before and after a move.
fn check(owned: Owned) -> Owned {
    let moved = Box::new(owned);
    assert!(core::ptr::eq(moved.as_lines(), asked(&moved)) && moved.as_lines() == asked(&moved));
    *moved
}

#[test]
fn in_memory() {
    for count in [0, 1, 5, 1000] {
        let given = lines(count);
        let at = given.as_ptr();
        let mut owned = check(Owned::new(given));
        assert!(owned.is_in_memory() && owned.as_lines() == lines(count));
        // The lines are neither copied on the way in nor on the way out.
        assert_eq!(owned.as_lines().as_ptr(), at);
        for round in 0..3 {
            let own = owned.own().unwrap();
            own.iter_mut().for_each(|line| line.0[7] = round);
            assert!(owned.as_lines().iter().all(|line| line.0[7] == round));
        }
        let mut clone = check(owned.clone());
        assert!(clone == owned);
        clone.own().unwrap().iter_mut().for_each(|line| line.0[0] = 99);
        assert!(owned.as_lines().iter().all(|line| line.0[0] != 99));
        assert_eq!(check(clone).into_lines().unwrap().len() as u64, count);
        let taken = check(owned).into_lines().unwrap();
        assert_eq!(taken.as_ptr(), at);
    }
}

/// A vector with room for more lines gives it back.
#[test]
fn with_room_for_more() {
    let mut given = lines(9);
    given.reserve(100);
    let owned = check(Owned::new(given));
    assert_eq!(owned.as_lines(), lines(9));
    assert_eq!(owned.into_lines().unwrap().capacity(), 9);
}

#[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
#[test]
fn in_parts() {
    let shared = check(Owned::new(lines(100)).shared());
    let part = check(shared.part(10..60));
    drop(shared);
    let mut inner = check(check(part.clone()).part(5..8));
    drop(part);
    assert!(inner.as_lines() == &lines(100)[15..18] && inner.own().is_none());
    assert_eq!(check(inner.clone()).into_lines().unwrap(), inner.as_lines());
    let copy = check(Owned::new(lines(20))).part(3..5);
    assert!(copy.is_in_memory() && copy.as_lines() == &lines(20)[3..5]);
}

#[cfg(all(feature = "std", target_endian = "little"))]
#[test]
fn in_files() {
    use crate::kinds::bloom::BloomFilter;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    let filter = BloomFilter::builder().capacity(1000).build_from(0..1000u64).unwrap();
    filter.save(&path).unwrap();
    let opened = BloomFilter::open(&path).unwrap();
    let mut mapped = check(check(opened.lines.clone()));
    assert!(mapped == filter.lines && mapped.own().is_none() && !mapped.is_in_memory());
    let copy = check(Owned::new(mapped.clone().into_lines().unwrap()));
    assert!(copy == mapped && copy.is_in_memory());
}
