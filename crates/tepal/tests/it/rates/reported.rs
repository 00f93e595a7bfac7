//! The rate that a filter reports is its real rate: for every kind, from 0.0001 to 0.9, over
//! several filters, for non-members. After unions, after removals, with exceptions, in none of the
//! segments or in others, and for keys that expire.

use tepal::{Error, Opened, OverCapacity, hash::finish_hash};

use crate::shared::groups::Group;
use crate::shared::kinds::{Numbered, Operation, Subject, all_kinds, fixed_kinds, is_large, numbers};

const RATES: [f64; 5] = [0.9, 0.5, 0.1, 0.01, 0.0001];
/// Filters of each kind at each rate, with different members.
const FILTERS: u64 = 3;
const CAPACITY: u64 = 2000;

/// The number of false positives, and the expected number.
#[derive(Default)]
struct Count {
    found: f64,
    expected: f64,
    variance: f64,
}

#[cfg_attr(not(feature = "extras"), allow(dead_code))]
impl Count {
    /// Adds lookups of `asked` non-members, `found` of which were false positives, at this rate.
    fn add(&mut self, asked: u64, found: u64, rate: f64) {
        self.found += found as f64;
        self.expected += asked as f64 * rate;
        self.variance += asked as f64 * rate * (1.0 - rate).max(0.0);
    }

    /// Looks up hashes of non-members.
    fn ask(&mut self, first: u64, rate: f64, holds: impl Fn(u64) -> bool) {
        let asked = enough(rate);
        let found = (first..first + asked).filter(|i| holds(finish_hash(!*i))).count();
        self.add(asked, found as u64, rate);
    }

    /// The numbers agree within five standard errors and one key.
    #[track_caller]
    fn check(&self, what: &str) {
        let most = 5.0 * self.variance.sqrt() + 1.0;
        let differ = (self.found - self.expected).abs();
        let Count { found, expected, .. } = self;
        assert!(differ <= most, "{what}: {found} found, {expected:.1} expected, differ by {most:.1} at most");
    }
}

/// The number of lookups that tells a rate from another.
fn enough(rate: f64) -> u64 {
    (800.0 / rate.max(1e-6)).clamp(8_000.0, 100_000.0) as u64
}

/// A filter of a kind whose rate is near this one, if the kind can have it, and its number of
/// members.
fn near(subject: &dyn Subject, rate: f64, first: u64) -> Option<Opened> {
    if fixed_kinds().iter().any(|kind| kind.kind() == subject.kind()) {
        return Some(subject.filled(CAPACITY, &numbers(first..first + CAPACITY)).unwrap());
    }
    let mut filter = subject.empty(CAPACITY).unwrap();
    if !subject.cannot().contains(&Operation::SetOverCapacity) {
        filter.set_over_capacity(OverCapacity::Ignore).unwrap();
    }
    let (mut held, most) = (0, 40 * CAPACITY);
    while filter.filter().false_positive_rate() < rate && held < most {
        let next = held + 1 + held / 16;
        match subject.keys(&numbers(first + held..first + next)).insert_all(&mut filter) {
            Ok(()) => held = next,
            Err(Error::CapacityReached { .. } | Error::RateOutOfReach { .. } | Error::TooLarge { .. }) => {
                break;
            }
            Err(error) => panic!("{}: {error}", subject.name()),
        }
    }
    (held > 0).then_some(filter)
}

fn found(keys: &Numbered, filter: &Opened) -> u64 {
    let held: Vec<bool> = match keys {
        Numbered::Texts(texts) => filter.contains_many(texts),
        Numbered::Hashes(hashes) => {
            let mut held = vec![false; hashes.len()];
            filter.filter().contains_many_hashes(hashes, &mut held);
            held
        }
    };
    held.into_iter().filter(|held| *held).count() as u64
}

/// How much higher the true rate may be. It is 0, except if the positions of a key are steps of two
/// hashes. Then, with a probability of one in the bits of the smallest filter, all of them are one
/// position, which the reported rate does not include.
fn unknown_part(filter: &Opened) -> f64 {
    let facts = filter.facts().unwrap();
    let bits = facts.parts.iter().map(|part| part.bit_len).min();
    bits.filter(|_| !filter.key_hasher().has_hash()).map_or(0.0, |bits| 1.0 / bits as f64)
}

mod the_rate_of_every_kind_is_that_of_keys_that_are_not_in_it {
    crate::shared::groups::for_each_group!(check_group);
}

fn check_group(group: Group) {
    let mut failed = Vec::new();
    for subject in group.among(all_kinds()) {
        if is_large(&*subject) {
            continue;
        }
        for rate in RATES {
            let (mut count, mut unknown) = (Count::default(), 0.0);
            for seed in 0..FILTERS {
                // No more digits than a 32-bit float has.
                let first = 300_000 * seed;
                let Some(filter) = near(&*subject, rate, first) else { continue };
                let said = filter.filter().false_positive_rate();
                let asked = enough(said);
                let strangers = subject.keys(&numbers(first + 100_000..first + 100_000 + asked));
                count.add(asked, found(&strangers, &filter), said);
                unknown += asked as f64 * unknown_part(&filter);
            }
            let most = 5.0 * count.variance.sqrt() + 1.0;
            let differ = count.found - count.expected;
            if differ < -most || differ > most + unknown {
                failed.push(format!(
                    "{} at {rate}: {} found, {:.1} expected",
                    subject.name(),
                    count.found,
                    count.expected
                ));
            }
            if fixed_kinds().iter().any(|kind| kind.kind() == subject.kind()) {
                break;
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Chains of tables at every rate, during growth, after removals that let the oldest link take keys
/// again, and after unions.
#[cfg(feature = "table")]
#[test]
fn a_chain_of_tables_knows_its_rate() {
    use tepal::GrowingFilter;
    for rate in RATES {
        let (mut grown, mut changed, mut united) = (Count::default(), Count::default(), Count::default());
        for seed in 0..FILTERS {
            let builder = || GrowingFilter::builder().first(8).false_positive_rate(rate).seed(seed);
            let key = |i: u64| finish_hash(seed << 40 | i);
            let mut filter = builder().build().unwrap();
            (0..6000).for_each(|i| _ = filter.insert_hash(key(i)).unwrap());
            assert!(filter.num_links() >= 2 && filter.false_positive_rate() <= rate, "{filter:?}");
            grown.ask(seed << 40, filter.false_positive_rate(), |h| filter.contains_hash(h));

            let mut filter = builder().deletable(true).build().unwrap();
            (0..1500).for_each(|i| _ = filter.insert_hash(key(i)).unwrap());
            (0..120).for_each(|i| _ = filter.remove_hash(key(i)).unwrap());
            (1500..1620).for_each(|i| _ = filter.insert_hash(key(i)).unwrap());
            changed.ask(seed << 40, filter.false_positive_rate(), |h| filter.contains_hash(h));

            // Both fit only if one is small.
            let (mut one, mut other) = (builder().build().unwrap(), builder().build().unwrap());
            (0..100).for_each(|i| _ = one.insert_hash(key(i)).unwrap());
            (100..124).for_each(|i| _ = other.insert_hash(key(i)).unwrap());
            one.union_with(&other).unwrap();
            united.ask(seed << 40, one.false_positive_rate(), |h| one.contains_hash(h));
        }
        grown.check(&format!("a chain of tables at {rate}"));
        changed.check(&format!("a chain from which keys were removed, at {rate}"));
        united.check(&format!("a union of chains at {rate}"));
    }
}

/// A key in no segment, and one in another segment; keys that expired, and that were removed; and
/// unions.
#[cfg(feature = "table")]
#[test]
fn tables_know_their_rates() {
    use tepal::{ExpiringFilter, QuotientFilter, SegmentFilter, segments::Segment};
    for rate in RATES {
        let (mut none, mut all_wrong, mut wrong) = (Count::default(), Count::default(), Count::default());
        let (mut expired, mut removed, mut united) = (Count::default(), Count::default(), Count::default());
        for seed in 0..FILTERS {
            let key = |i: u64| finish_hash(seed << 40 | i);
            let pairs: Vec<(u64, Segment)> =
                (0..2000).map(|i| (key(i / 2), Segment::new((i % 2 * 3 + i / 2 % 3) as u16))).collect();
            let names = ["a", "b", "c", "d", "e", "f"];
            let builder = SegmentFilter::builder().capacity(2000).false_positive_rate(rate).seed(seed);
            let filter = builder.build_from_hashes(&names, pairs.clone()).unwrap();
            none.ask(seed << 40, filter.false_positive_rate(), |h| filter.contains_hash(h));
            let asked = enough(rate);
            let found: usize =
                (0..asked).map(|i| filter.segments_of_hash(finish_hash(!(seed << 40 | i))).count()).sum();
            all_wrong.add(asked, found as u64, filter.wrong_segments());
            // The two segments of a shared fingerprint are found together.
            all_wrong.variance += asked as f64 * filter.wrong_segments();
            // Keys of some segment, looked up in one that they are not in.
            let of_it = filter.segment_len(Segment::new(5)) as f64 / filter.numbers() as f64;
            let others = pairs.iter().step_by(2).filter(|pair| pair.1 != Segment::new(2));
            let (mut asked, mut found) = (0, 0);
            for (hash, _) in others {
                asked += 1;
                found += u64::from(filter.contains_hash_in(Segment::new(5), *hash));
            }
            wrong.add(asked, found, of_it);
            wrong.ask(seed << 40, of_it, |h| filter.contains_hash_in(Segment::new(5), h));

            let builder = ExpiringFilter::builder().capacity(1000).false_positive_rate(rate).seed(seed);
            let mut filter = builder.window_of_time(60).build().unwrap();
            for i in 0..3000 {
                filter.advance_to(1000 + i / 16).unwrap();
                filter.insert_hash(key(i)).unwrap();
            }
            expired.ask(seed << 40, filter.false_positive_rate(), |h| filter.contains_hash(h));
            let (later, before) = (1000 + 3000 / 16 + 30, filter.distinct_numbers());
            let mut then = filter.clone();
            then.advance_to(later).unwrap();
            assert!(then.distinct_numbers() < before);
            expired.ask(seed << 41, then.false_positive_rate(), |h| filter.contains_hash_at(h, later));

            let builder = || QuotientFilter::builder().capacity(2000).false_positive_rate(rate).seed(seed);
            let (mut one, mut other) = (builder().build().unwrap(), builder().build().unwrap());
            (0..2000).for_each(|i| _ = one.insert_hash(key(i)).unwrap());
            (0..900).for_each(|i| _ = one.remove_hash(key(i)).unwrap());
            removed.ask(seed << 40, one.false_positive_rate(), |h| one.contains_hash(h));
            (1500..2300).for_each(|i| _ = other.insert_hash(key(i)).unwrap());
            one.union_with(&other).unwrap();
            united.ask(seed << 40, one.false_positive_rate(), |h| one.contains_hash(h));
        }
        none.check(&format!("keys in no segment at {rate}"));
        all_wrong.check(&format!("wrong segments at {rate}"));
        wrong.check(&format!("keys in another segment at {rate}"));
        expired.check(&format!("a window at {rate}"));
        removed.check(&format!("removed keys at {rate}"));
        united.check(&format!("a union of tables at {rate}"));
    }
}

/// The Bloom filters of a chain hold different keys, so they are not independent of each other: the
/// reported rate is an estimate. The true rate lies between that and the sum of the links' rates.
#[cfg(feature = "extras")]
#[test]
fn a_chain_of_bloom_filters_estimates_its_rate() {
    use tepal::BloomFilter;
    for rate in RATES {
        let (mut least, mut most) = (Count::default(), Count::default());
        for seed in 0..FILTERS {
            let builder = BloomFilter::builder().capacity(200).false_positive_rate(rate).seed(seed);
            let mut chain = builder.build_growing().unwrap();
            let keys: Vec<u64> = (0..20_000).map(|i| seed << 40 | i).collect();
            chain.insert_many(&keys).unwrap();
            assert!(chain.links().len() > 2, "{rate}");
            let asked = enough(rate);
            let strangers: Vec<u64> = (0..asked).map(|i| seed << 40 | 1 << 39 | i).collect();
            let found = strangers.iter().filter(|key| chain.contains(*key)).count();
            let sum: f64 = chain.links().iter().map(|link| link.false_positive_rate()).sum();
            assert!(sum <= rate * 1.1 && chain.false_positive_rate() <= sum, "{sum} at {rate}");
            least.add(asked, found as u64, chain.false_positive_rate());
            most.add(asked, found as u64, sum);
        }
        let error = 5.0 * most.variance.sqrt() + 1.0;
        assert!(
            (least.expected - error..most.expected + error).contains(&least.found),
            "a chain at {rate}: {} found, {:.1} to {:.1} expected",
            least.found,
            least.expected,
            most.expected
        );
    }
}

/// Filters with exceptions: other non-members are found as before, and fewer of them with a
/// divider.
#[cfg(feature = "extras")]
#[test]
fn exceptions_change_no_rate_of_others() {
    use tepal::{BloomFilter, Exceptions, file::Format, hash::PreparedKeys};
    for rate in RATES {
        let (mut list, mut divided) = (Count::default(), Count::default());
        for seed in 0..FILTERS {
            let members: Vec<u64> = (0..2000).map(|i| seed << 40 | i).collect();
            let builder = BloomFilter::builder().capacity(2000).false_positive_rate(rate).seed(seed);
            let file = Opened::new(builder.build_from(&members).unwrap(), Format::Tepal).unwrap();
            let prepared = |keys: &mut dyn Iterator<Item = u64>| {
                let mut prepared = PreparedKeys::default();
                keys.for_each(|key| file.key_hasher().prepare(&key, &mut prepared).unwrap());
                prepared
            };
            let mut exceptions = Exceptions::new();
            exceptions.take(file.filter(), &prepared(&mut (0..5000).map(|i| seed << 40 | 1 << 38 | i)));
            let said = file.filter().false_positive_rate();
            let asked = enough(said);
            let strangers: Vec<u64> = (0..asked).map(|i| seed << 40 | 1 << 39 | i).collect();
            let found =
                |file: &Opened| file.contains_many(&strangers).iter().filter(|held| **held).count() as u64;
            let excepted = file.clone().except(&exceptions).unwrap();
            list.add(asked, found(&excepted), excepted.filter().false_positive_rate());
            let with_divider =
                file.clone().divide(&exceptions, &prepared(&mut members.iter().copied())).unwrap();
            divided.add(asked, found(&with_divider), with_divider.filter().false_positive_rate());
        }
        list.check(&format!("beside a list at {rate}"));
        let most = divided.expected + 5.0 * divided.variance.sqrt() + 1.0;
        assert!(
            divided.found <= most,
            "beside a divider at {rate}: {} of {}",
            divided.found,
            divided.expected
        );
    }
}

/// Maps recognize non-members by bits that only a key has. If values have names, a non-member whose
/// value has no name is recognized too; how often depends on the values of the keys.
#[cfg(feature = "static")]
#[test]
fn maps_know_their_rates() {
    use tepal::RibbonMap;
    for rate in [0.5, 0.1, 0.01, 0.0001] {
        let mut plain = Count::default();
        for seed in 0..FILTERS {
            let pairs: Vec<(u64, u32)> = (0..3000).map(|i| (seed << 40 | i, (i % 7 == 0).into())).collect();
            let map = RibbonMap::builder().false_positive_rate(rate).seed(seed).build_from(pairs).unwrap();
            let asked = enough(rate);
            let found = (0..asked).filter(|i| map.get(&(seed << 40 | 1 << 39 | i)).is_some()).count();
            plain.add(asked, found as u64, map.false_positive_rate());
        }
        plain.check(&format!("a map at {rate}"));
    }
}
