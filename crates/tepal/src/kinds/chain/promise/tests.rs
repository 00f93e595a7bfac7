//! The plan of links over years of runs, by arithmetic, and real chains that are opened and saved
//! in each run.

use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::BloomFilter;
use crate::params::Request;

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
