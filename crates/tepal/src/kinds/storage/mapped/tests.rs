//! The stored address is the one that the owner of the lines gives when it is asked again.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::*;

fn lines(count: u64) -> Vec<Line> {
    (0..count).map(|i| Line([i ^ 0x5A5A; 8])).collect()
}

/// The safe twin: asks the owner.
fn asked(mapped: &Mapped) -> &[Line] {
    match &mapped.backing {
        #[cfg(all(feature = "mmap", target_endian = "little"))]
        Backing::File(file) => file.as_lines(),
        #[cfg(all(feature = "mmap", target_endian = "little"))]
        Backing::Private(private) => private.as_lines(),
        Backing::Memory(lines) => lines,
        #[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
        Backing::Part(lines, part) => &lines[part.clone()],
    }
}

/// Checks the address, before and after a move.
fn check(mapped: Mapped) -> Mapped {
    let moved = Box::new(mapped);
    assert!(core::ptr::eq(moved.as_lines(), asked(&moved)) && moved.as_lines() == asked(&moved));
    *moved
}

#[test]
fn in_memory() {
    for count in [0, 1, 5, 1000] {
        let mut mapped = check(Mapped::new(Backing::Memory(lines(count))));
        for round in 0..3 {
            let own = mapped.own().unwrap();
            own.iter_mut().for_each(|line| line.0[7] = round);
            assert!(mapped.as_lines().iter().all(|line| line.0[7] == round));
        }
        let mut clone = check(mapped.clone());
        clone.own().unwrap().iter_mut().for_each(|line| line.0[0] = 99);
        assert!(mapped.as_lines().iter().all(|line| line.0[0] != 99));
        mapped = check(mapped);
        mapped.replace(lines(7));
        mapped = check(mapped);
        assert_eq!(mapped.as_lines(), lines(7));
        assert_eq!(check(clone).into_lines().unwrap().len() as u64, count);
    }
}

#[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
#[test]
fn in_parts() {
    let shared = check(Mapped::new(Backing::Memory(lines(100))).shared());
    let part = check(shared.part(10..60));
    drop(shared);
    let mut inner = check(check(part.clone()).part(5..8));
    drop(part);
    assert!(inner.as_lines() == &lines(100)[15..18] && inner.own().is_none());
    assert_eq!(check(inner.clone()).into_lines().unwrap(), inner.as_lines());
    inner.replace(lines(2));
    assert_eq!(check(inner).as_lines(), lines(2));
}

#[cfg(all(feature = "mmap", target_endian = "little"))]
#[test]
fn in_files() {
    use crate::kinds::bloom::BloomFilter;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    let filter = BloomFilter::builder().capacity(1000).build_from(0..1000u64).unwrap();
    filter.save(&path).unwrap();
    let opened = BloomFilter::open(&path).unwrap();
    let mut mapped = check(check(opened.lines.clone()));
    assert!(mapped.as_lines() == filter.lines.as_lines() && mapped.own().is_none());
    let copy = check(Mapped::new(Backing::Memory(mapped.clone().into_lines().unwrap())));
    mapped.replace(copy.into_lines().unwrap());
    assert!(check(mapped).as_lines() == filter.lines.as_lines());
}
