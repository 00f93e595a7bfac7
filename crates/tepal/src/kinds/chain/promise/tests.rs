//! The plan of links over years of runs, by arithmetic, and real chains that are opened and saved
//! in each run.

use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::params::Request;
use crate::{BloomFilter, Opened, file::Format};

/// The first capacity of `tepal uniq`.
const FIRST: u64 = 65_536;
const EXPANSION: u32 = 4;
/// The number of keys that `tepal uniq` expects for each key that is left in a file.
const RESERVE: f64 = 1.03;

/// A chain that exists only as numbers.
struct Paper {
    links: Vec<LinkPlan>,
    expansion: u32,
    promise: f64,
    held: u64,
    bits: u64,
}

impl Paper {
    fn new(first: u64, expansion: u32, promise: f64) -> Self {
        let mut paper = Self { links: vec![], expansion, promise, held: 0, bits: 0 };
        paper.push(LinkPlan { capacity: first, rate: SHARE * promise });
        paper
    }

    fn push(&mut self, link: LinkPlan) {
        let request = Request {
            capacity: Some(link.capacity),
            false_positive_rate: Some(link.rate),
            ..Request::default()
        };
        self.bits += request.plan().unwrap().bit_len;
        self.links.push(link);
        assert!(left_of(self.links.iter().map(|link| link.rate), self.promise) >= 0.0);
    }

    fn capacity(&self) -> u64 {
        self.links.iter().map(|link| link.capacity).sum()
    }

    /// Takes the keys of a run. `unexpected` of them are read before the chain is told what to
    /// expect.
    fn run(&mut self, keys: u64, unexpected: Option<u64>) -> Result<()> {
        let end = self.held + keys;
        while end > self.capacity() {
            let (begin, left) = (end - keys, end - self.capacity());
            self.held = self.capacity();
            let is_told = unexpected.is_some_and(|first| self.held - begin >= first);
            let expected = if is_told { (RESERVE * left as f64) as u64 } else { 0 };
            self.push(next(&self.links, self.expansion, self.promise, expected)?);
        }
        self.held = end;
        Ok(())
    }
}

/// Ten years of daily runs need at most 12 links, and on every day at most 1.25 times the bits that
/// the same keys take in one run, whatever was expected.
#[test]
fn ten_years_take_few_links_and_no_more_bits_than_a_pipe() {
    for (keys, days) in [(1, 3650), (70_000, 3650), (300_000, 3650), (10_000_000, 3650)] {
        for (first, promise, unexpected) in [
            (FIRST, 1e-6, 0),
            (FIRST, 1e-6, 100_000),
            (FIRST, 0.01, 0),
            (keys, 1e-6, 0),
            (keys, 1e-6, keys / 2),
        ] {
            let [mut files, mut pipe] = [(); 2].map(|()| Paper::new(first, EXPANSION, promise));
            for day in 1..=days {
                files.run(keys, Some(unexpected)).unwrap();
                pipe.run(keys, None).unwrap();
                let case = alloc::format!("{keys} keys a day from {first}, {promise}, day {day}");
                assert!(files.links.len() <= 12, "{case}: {} links", files.links.len());
                assert!(files.bits as f64 <= 1.25 * pipe.bits as f64, "{case}: {}", files.bits);
            }
            assert_eq!(files.held, keys * days);
        }
    }
}

/// Whatever is expected, each link reaches the next total of the series.
#[test]
fn expected_keys_add_no_links() {
    let mut random = 1u64;
    for (first, expansion) in [(1, 2), (100, 4), (FIRST, 4), (1000, 256)] {
        for _ in 0..200 {
            let mut chain = Paper::new(first, expansion, 0.01);
            let (mut end, mut link, mut totals) = (first, first, 1);
            while end < 1 << 34 {
                let size = 2u64.pow((random >> 59) as u32);
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                chain.run(chain.held / size + 1, Some(0)).unwrap();
                while end < chain.capacity() {
                    (link, totals) = (link * u64::from(expansion), totals + 1);
                    end += link;
                }
                assert!(chain.links.len() <= totals, "{first}, {expansion}: {:?}", chain.links);
                // With a right guess the plan has no more room than that of a chain without a
                // guess.
                assert!(chain.capacity() <= end);
            }
        }
    }
}

/// Chains that were made with a link for each run still grow, as far as their promise allows.
#[test]
fn a_chain_of_many_links_goes_on() {
    for (count, capacity, promise, least) in [
        (41, 300_000, 1e-6, 6_000_000),
        (44, 65_536, 1e-6, 2_500_000),
        (20, 300_000, 1e-6, 1 << 30),
        (63, 10, 0.5, 200),
    ] {
        let mut chain = Paper::new(capacity, EXPANSION, promise);
        for _ in 1..count {
            let left = left_of(chain.links.iter().map(|link| link.rate), promise);
            chain.push(LinkPlan { capacity, rate: SHARE * left });
        }
        let before = chain.capacity();
        chain.held = before;
        // One more key, again and again.
        let error = loop {
            if let Err(error) = chain.run(chain.capacity() + 1 - chain.held, Some(0)) {
                break error;
            }
        };
        assert!(matches!(error, Error::RateOutOfReach { .. }), "{error}");
        let more = chain.capacity() - before;
        assert!(more >= least && chain.links.len() <= MOST_LINKS, "{count}: {more} more");
        let left = left_of(chain.links.iter().map(|link| link.rate), promise);
        assert!(left < least_rate(1) || chain.links.len() == MOST_LINKS, "{count}: {left} is left");
    }
}

/// One run of the chain: it is opened, told what to expect, given its keys in pages, and saved.
/// Returns its number of links and how many keys were new.
fn run(file: &mut Vec<u8>, keys: core::ops::Range<u64>) -> (usize, u64) {
    let crate::AnyFilter::Scalable(mut chain) = crate::from_bytes(file).unwrap().into_filter() else {
        panic!("no chain");
    };
    let (hasher, mut prepared) = (chain.key_hasher(), crate::hash::PreparedKeys::default());
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
        let state = crate::from_bytes(&file).unwrap();
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
                    && alloc::format!("{error}").contains("the chain is full"),
                "{error}"
            );
        }
        assert!((0..keys).all(|key| chain.contains(&key) && !chain.insert(&key).unwrap()));
        let opened = crate::from_bytes(&bytes).unwrap();
        assert!(opened.filter().is_full() && opened.into_filter() == chain.clone().into());
        chain.clear().unwrap();
        assert!(!is_full(&chain) && chain.insert(&keys).unwrap());
    }
}

/// A chain never has more links than a file can have: it could be saved, and not be opened.
#[test]
fn a_chain_has_no_more_links_than_a_file() {
    let link = |rate| {
        let builder = BloomFilter::builder().capacity(1).false_positive_rate(rate);
        builder.over_capacity(crate::OverCapacity::Warn).build().unwrap()
    };
    let rates = core::iter::successors(Some(0.2), |rate| Some(rate * 0.8)).take(MOST_LINKS);
    let growth = Growth::Promise { expansion: 2, rate: 0.9999999 };
    let mut chain = ScalableBloomFilter::new(rates.map(link).collect(), growth).unwrap();
    let refused = (0..100_000u64).find_map(|key| chain.insert(&key).err()).unwrap();
    assert!(
        matches!(refused, Error::RateOutOfReach { .. }) && alloc::format!("{refused}").contains("64 filters"),
        "{refused}"
    );
    assert!(Filter::is_full(&chain) && chain.links().len() == MOST_LINKS);
}
