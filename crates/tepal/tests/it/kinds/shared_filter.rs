//! A filter that threads share, read as a filter of any kind.

use tepal::{Ask, BloomFilter, Filter, OverCapacity, RibbonFilter};

#[test]
fn a_shared_filter_is_read_as_any_filter() {
    for policy in OverCapacity::ALL {
        let builder = BloomFilter::builder().capacity(2000).over_capacity(*policy).seed(4);
        let shared = builder.build().unwrap().into_shared().unwrap();
        let object: &(dyn Filter + Sync) = &shared;
        let keys: Vec<u32> = (0..3000).collect();
        std::thread::scope(|scope| {
            for piece in keys[..2000].chunks(500) {
                let shared = &shared;
                scope.spawn(move || {
                    shared.insert_many(piece).unwrap();
                    assert!(piece.iter().all(|key| object.contains(key)));
                });
            }
        });
        let copy = shared.snapshot().unwrap();
        let same: &dyn Filter = &copy;
        assert_eq!(object.contains_many(&keys), same.contains_many(&keys));
        assert_eq!(object.facts(), same.facts());
        assert_eq!(object.fill_of_slices(7), same.fill_of_slices(7));
        assert_eq!(object.contains_hash(77), same.contains_hash(77));
        assert_eq!((object.keys_inserted(), object.capacity()), (Some(2000), 2000));
        assert!(object.verify().is_ok() && format!("{object:?}").contains("BloomFilter"));
        // What it cannot do while it is shared.
        assert!(object.fold_factors().is_empty() && object.folded_size_in_bytes(2).is_none());
        let can = object.can();
        assert!(can.insert && can.unite && !can.fold && !can.intersect && !can.remove);
    }
}

/// Filters of several kinds and storages in one list.
#[test]
fn it_stands_in_a_list_with_other_kinds() {
    let shared = BloomFilter::builder().build_from(["apple"]).unwrap().into_shared().unwrap();
    let shelf: Vec<Box<dyn Filter + Send + Sync>> = vec![
        Box::new(BloomFilter::builder().build_from(["pear"]).unwrap()),
        Box::new(shared),
        Box::new(RibbonFilter::builder().build_from(["apple"]).unwrap()),
    ];
    let held: Vec<bool> = shelf.iter().map(|filter| filter.contains("apple")).collect();
    assert_eq!(held, [false, true, true]);
}
