//! What batches do where keys are refused.

use alloc::vec::Vec;

use super::super::tests::{OF_EACH_SORT, builders};
use super::*;
use crate::{KeyDomain, bits};

#[test]
fn a_refused_key_stops_a_batch_of_any_scheme() {
    for &scheme in OF_EACH_SORT {
        let builder = BloomFilter::builder().scheme(scheme);
        let mut filter = builder.capacity(10).key_domain(KeyDomain::Integer).build().unwrap();
        let refused = filter.insert_many(&["1", "2", "x", "3"]).unwrap_err();
        assert!(matches!(&refused, Error::KeyRefused { found, .. } if found == "x"), "{refused}");
        assert_eq!((filter.keys_inserted(), filter.contains("2")), (Some(2), true));
        assert!(!filter.contains("3") && !filter.contains("x"));
        assert_eq!(filter.contains_many(&["1", "x", "2", "3"]), [true, false, true, false]);
    }
}

/// A batch far from the end reports no bit; with fewer than four keys of room a line, it reports every one.
#[test]
fn a_batch_counts_near_the_end() {
    for builder in builders() {
        let empty = builder.capacity(20_000).build().unwrap();
        let (k, lines) = (u64::from(empty.num_hashes()), empty.lines.0.len() as u64);
        for (room, counts) in [(4 * lines + 1, false), (4 * lines, false), (4 * lines - 1, true), (600, true)]
        {
            // As if so much room had been found.
            let mut filter = empty.clone();
            filter.tally.free = room;
            filter.insert_many(&(0..500u64).collect::<Vec<_>>()).unwrap();
            let (counted, uncounted) = if counts { (bits::count(&filter.lines.0), 0) } else { (0, 500 * k) };
            assert_eq!(
                (filter.tally.counted, filter.tally.uncounted),
                (counted, uncounted),
                "{filter:?}: {room}"
            );
            assert_eq!(filter.tally.free, room - 500);
        }
    }
}
