//! All forms of keys and answers agree with lookups of one key at a time.

use tepal::{BloomFilter, Column, KeyDomain, KeyRef, Layout};

use super::OF_EACH_SORT;

/// A filter with the even numbers below 600, under a scheme with a hash and under one without.
fn filters() -> impl Iterator<Item = BloomFilter> {
    OF_EACH_SORT.iter().map(|&scheme| {
        let builder = BloomFilter::builder().capacity(600).scheme(scheme);
        let mut filter = builder.build().unwrap();
        for key in (0..600u64).step_by(2) {
            filter.insert(&key).unwrap();
        }
        filter
    })
}

#[test]
fn every_form_answers_as_one_key_at_a_time() {
    for filter in filters() {
        for count in [0, 1, 7, 8, 9, 511, 512, 513, 1024, 1200] {
            let numbers: Vec<u64> = (0..count).collect();
            let texts: Vec<String> = numbers.iter().map(u64::to_string).collect();
            let bytes: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
            let mut offsets = vec![0i32];
            offsets.extend(texts.iter().scan(0, |end, text| {
                *end += text.len() as i32;
                Some(*end)
            }));
            let data = texts.concat();
            let column = Column::new(&offsets, data.as_bytes()).unwrap();
            let answers: Vec<bool> = numbers.iter().map(|key| filter.contains(key)).collect();

            assert_eq!(filter.contains_many(&numbers), answers);
            assert_eq!(filter.contains_many(&texts), answers);
            assert_eq!(filter.contains_many(&bytes[..]), answers);
            assert_eq!(filter.contains_many(&column), answers);

            // The buffers have old contents: every answer must be written.
            for before in [false, true] {
                let mut into = vec![before; answers.len()];
                filter.contains_many_into(&column, &mut into);
                assert_eq!(into, answers);
                let mut bitmap = vec![if before { 0xff } else { 0 }; answers.len().div_ceil(8)];
                filter.contains_many_bits(&texts, &mut bitmap);
                let bit = |i: usize| bitmap[i / 8] >> (i % 8) & 1 != 0;
                assert_eq!((0..answers.len()).map(bit).collect::<Vec<_>>(), answers);
                assert!((answers.len()..8 * bitmap.len()).all(|i| !bit(i)));
            }
        }
    }
}

#[test]
fn columns_and_slices_set_the_same_bits() {
    for &layout in Layout::ALL {
        let empty = BloomFilter::builder().capacity(1000).layout(layout).build().unwrap();
        let (mut rows, mut columns) = (empty.clone(), empty);
        rows.insert_many(&["a", "", "bc", "a"]).unwrap();
        columns.insert_many(&Column::new(&[1u64, 2, 2, 4, 5], b"-abca-").unwrap()).unwrap();
        assert!(rows == columns);
        assert_eq!(rows.keys_inserted(), columns.keys_inserted());
    }
}

#[test]
fn a_refused_key_is_not_in_whatever_its_batch_says() {
    let mut filter = BloomFilter::builder().capacity(10).key_domain(KeyDomain::Integer).build().unwrap();
    // The hash that stands in for a refused key.
    filter.insert_hash(0).unwrap();
    filter.insert("7").unwrap();
    let mut bitmap = [0];
    filter.contains_many_bits(&["x", "7", "07"], &mut bitmap);
    assert_eq!(bitmap, [0b010]);
    assert_eq!(filter.contains_many(&[KeyRef::Unsigned(7), KeyRef::Bytes(b"")]), [true, false]);
}

#[test]
#[should_panic = "one answer for each key"]
fn too_few_answers() {
    filters().next().unwrap().contains_many_into(&[1u64, 2], &mut [false]);
}

#[test]
#[should_panic = "one bit for each key"]
fn a_bitmap_that_is_too_long() {
    filters().next().unwrap().contains_many_bits(&[1u64; 8], &mut [0, 0]);
}
