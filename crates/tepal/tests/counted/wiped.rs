//! A secret key that is dropped leaves no bytes behind: an allocator checks the freed blocks.

use std::hint::black_box;

use tepal::SecretKey;

use crate::allocator::freed_with;

const BYTES: [u8; 16] = *b"sixteen secrets!";

#[test]
fn a_dropped_secret_key_leaves_no_bytes() {
    let boxed = |key: &SecretKey| black_box(Box::new(key.clone()));
    let key = SecretKey::new(BYTES);
    assert_eq!(freed_with(BYTES, || boxed(&key)), (1, 0));
    assert_eq!(freed_with(BYTES, || black_box(vec![key.clone()])), (1, 0));
    // The key itself is still there.
    assert!(key == SecretKey::new(BYTES));
    // Bytes that nobody overwrites are found.
    assert_eq!(freed_with(BYTES, || black_box(Box::new(BYTES))), (1, 1));
}
