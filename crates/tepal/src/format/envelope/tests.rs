use super::*;
use crate::{AnyFilter, BloomFilter};

/// One checksum of 8 bytes for each chunk, and no more memory.
#[test]
fn the_table_takes_what_it_needs() {
    let bytes = BloomFilter::builder().capacity(1000).build().unwrap().to_bytes().unwrap();
    let lengths = Lengths::read(&bytes, bytes.len() as u64).unwrap();
    let head = &bytes[..lengths.body_offset as usize];
    let (header, _) = Header::decode::<AnyFilter>(lengths, head, GivenKeys::default()).unwrap();
    assert_eq!((header.chunk_table.len(), header.chunk_table.capacity()), (1, 1));
}
