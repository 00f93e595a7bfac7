// Lists of ranges; some lists have one range.
#![allow(clippy::single_range_in_vec_init)]

/// The numbers of keys are checked against the lengths before they are used: at most the old keys
/// that fit in the old file, and the new keys that fit in the code.
#[test]
fn numbers_of_keys_are_bounded_by_the_lengths() {
    use super::{Added, NUMBERS};
    let tail = |old: u64, put: u64, code: usize| {
        let mut tail = [old, 0, put].map(u64::to_le_bytes).concat();
        tail.resize(NUMBERS + code, 0);
        tail
    };
    let len = |keys: u64| if keys == 0 { 0 } else { 8 * keys + 8 };
    // This number of keys in a file of 1,000 bytes.
    for (old, is_read) in [(0, true), (124, true), (125, true), (126, false), (1 << 40, false)] {
        let read = Added::read(&tail(old, 0, 0), false, 1000, len(old));
        assert_eq!(read.is_ok(), is_read, "{old}");
    }
    // The fewest bytes of code for `put` hashes: a hash takes 64 bits minus the bits of the count,
    // plus one bit.
    for (put, least) in [(1u64, 8), (2, 16), (3, 24), (4, 31), (255, 1817), (256, 1792)] {
        assert!(Added::read(&tail(0, put, least), false, 1000, len(put)).is_ok(), "{put}");
        assert!(Added::read(&tail(0, put, least - 1), false, 1000, len(put)).is_err(), "{put}");
    }
}
