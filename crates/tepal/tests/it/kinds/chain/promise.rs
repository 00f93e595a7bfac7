//! The plan of links over years of runs, by arithmetic, and real chains that are opened and saved
//! in each run.

use tepal::{BloomFilter, Error, Filter, Opened, ScalableBloomFilter, file::Format};

/// The number of keys that `tepal uniq` expects for each key that is left in a file.
const RESERVE: f64 = 1.03;

/// One run of the chain: it is opened, told what to expect, given its keys in pages, and saved.
/// Returns its number of links and how many keys were new.
fn run(file: &mut Vec<u8>, keys: std::ops::Range<u64>) -> (usize, u64) {
    let tepal::AnyFilter::Scalable(mut chain) = tepal::from_bytes(file).unwrap().into_filter() else {
        panic!("no chain");
    };
    let (hasher, mut prepared) = (chain.key_hasher(), tepal::hash::PreparedKeys::default());
    let (mut judged, mut new) = (0, 0);
    while judged < keys.end - keys.start {
        let page = keys.start + judged..keys.end.min(keys.start + judged + 10_000);
        judged += page.end - page.start;
        prepared.clear();
        page.for_each(|key| hasher.prepare(&key, &mut prepared).unwrap());
        let mut is_new = vec![false; prepared.len()];
        chain.insert_prepared_noting(&prepared, &mut is_new).unwrap();
        new += is_new.into_iter().filter(|is_new| *is_new).count() as u64;
        let left = (keys.end - keys.start - judged) as f64;
        chain.expect_more((RESERVE * left / judged as f64 * new as f64) as u64);
    }
    let links = chain.links().len();
    *file = Opened::new(chain, Format::Tepal).unwrap().to_bytes().unwrap();
    (links, new)
}

/// What `tepal uniq --state` does each day, with the bytes of its state: 3,650 runs of 1 key, and
/// 90 of 70,000.
#[test]
fn a_state_goes_on_for_years() {
    for (keys, runs, most) in [(1, 3650, 1), (70_000, 90, 5)] {
        let uniq =
            || BloomFilter::builder().false_positive_rate(1e-6).seed_for("uniq").build_growing().unwrap();
        let bytes = |chain| Opened::new(chain, Format::Tepal).unwrap().to_bytes().unwrap();
        let (mut file, mut new) = (bytes(uniq()), 0);
        for day in 0..runs {
            let (links, new_today) = run(&mut file, day * keys..(day + 1) * keys);
            new += new_today;
            assert!(links <= most, "day {day}: {links} links");
        }
        // Of 6.3 million keys, at most 6.3 are false positives on average; more than 25 happen once
        // in 10^8 times.
        assert!(runs * keys - new <= 25, "{new} of {}", runs * keys);
        // The same keys in one run.
        let mut pipe = uniq();
        pipe.insert_many(&(0..runs * keys).collect::<Vec<_>>()).unwrap();
        let through_a_pipe = bytes(pipe).len();
        assert!(file.len() as f64 <= 1.25 * through_a_pipe as f64, "{} of {through_a_pipe}", file.len());
        let state = tepal::from_bytes(&file).unwrap();
        assert!((0..runs * keys).all(|key| state.contains(&key)));
        assert_eq!(state.filter().keys_inserted(), Some(new));
        assert!(state.filter().false_positive_rate() <= 1e-6 && !state.filter().is_full());
    }
}

/// A chain that cannot grow reports it before and at a new key, keeps its keys and still answers.
#[test]
fn a_chain_ends_where_its_promise_does() {
    for rate in [4e-12, 1e-11] {
        let mut chain = BloomFilter::builder().capacity(1).false_positive_rate(rate).build_growing().unwrap();
        let is_full = |chain: &ScalableBloomFilter| Filter::is_full(chain);
        let mut keys = 0u64;
        while !is_full(&chain) {
            assert!(chain.insert(&keys).unwrap());
            keys += 1;
        }
        assert!(keys > 20, "{rate}: {keys}");
        let bytes = Opened::new(chain.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
        for refused in [chain.insert(&keys).map(drop), chain.insert_many(&(0..keys + 9).collect::<Vec<_>>())]
        {
            let error = refused.unwrap_err();
            assert!(
                matches!(error, Error::RateOutOfReach { .. })
                    && std::format!("{error}").contains("the chain is full"),
                "{error}"
            );
        }
        assert!((0..keys).all(|key| chain.contains(&key) && !chain.insert(&key).unwrap()));
        let opened = tepal::from_bytes(&bytes).unwrap();
        assert!(opened.filter().is_full() && opened.into_filter() == chain.clone().into());
        chain.clear().unwrap();
        assert!(!is_full(&chain) && chain.insert(&keys).unwrap());
    }
}
