//! Queues keep every hash, in order and in the right part.

use alloc::vec;

use super::*;

/// More parts than a block has hashes.
const PARTS: usize = 300;

/// A queue begins in its own block at the start of a line. Neighbours begin at different lines.
#[test]
fn queues_begin_apart() {
    for part in 0..PARTS {
        assert_eq!((start(part) / BLOCK, start(part) % IN_LINE), (part, 0), "{part}");
        let lines = |part| start(part) % BLOCK / IN_LINE;
        assert!((1..BLOCK_LINES).all(|i| lines(part + i) != lines(part)), "{part}");
    }
}

#[test]
fn every_hash_is_in_its_queue_in_order() {
    for (parts, hashes) in [(1, 0), (1, 1), (1, 127), (1, 128), (1, 129), (3, 5000), (PARTS, 60_000)] {
        let hash = |i: usize| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // Uneven: every second hash falls on the last part.
        let part = |h: u64| if h >> 63 == 0 { parts - 1 } else { (h >> 20) as usize % parts };
        let mut queues = Queues::new(parts, hashes).unwrap();
        // Used twice: the second sort starts from empty queues.
        for items in [0..hashes, hashes / 3..hashes] {
            let (sorted, stopped) = queues.sort(items.clone(), |i| Ok(hash(i)), part);
            assert!(sorted == items.len() && stopped.is_ok());
            let mut expected = vec![Vec::new(); parts];
            items.map(hash).for_each(|h| expected[part(h)].push(h));
            for (p, expected) in expected.iter().enumerate() {
                let mut found = Vec::new();
                queues.each(p, |block| found.extend_from_slice(block));
                assert!(found == *expected, "part {p} of {parts}");
            }
        }
    }
}

#[test]
fn sorting_stops_at_an_item_without_a_hash() {
    let mut queues = Queues::new(2, 100).unwrap();
    let hash = |i| if i < 57 { Ok(i as u64) } else { Err(Error::damaged("no hash")) };
    let (sorted, stopped) = queues.sort(10..100, hash, |h| (h % 2) as usize);
    assert!(sorted == 47 && stopped.is_err());
    let mut found = Vec::new();
    (0..2).for_each(|part| queues.each(part, |block| found.extend_from_slice(block)));
    found.sort_unstable();
    assert_eq!(found, (10..57).collect::<Vec<u64>>());
}
