//! Random operations on a filter, and the exact set whose members it must never miss.
//!
//! A filter that said yes to every key would miss no member. So non-members are looked up too: an
//! empty filter answers no to all, another one has as many false positives as its bits give.

use std::collections::BTreeSet;
use std::ops::AddAssign;

use tepal::{BloomFilter, Error, Opened, OverCapacity, Result};

use super::kinds::{Door, Opener, Operation, Subject};
use super::random::Random;

/// The most operations of a sequence.
const MOST: usize = 24;
/// The number of non-members that are looked up at the end.
const STRANGERS: u64 = 32;
/// Numbers in this range are no members. Up to its end each number is another key in every key
/// domain: 32-bit floats have 24 bits.
const STRANGE: std::ops::Range<u64> = 10_000..90_000;

/// What the sequences did and found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    pub(crate) operations: u64,
    /// Members that were looked up at the end; none was missing.
    pub(crate) members: u64,
    /// Keys that a filter refused, because it was full.
    pub(crate) refused: u64,
    /// Keys, batches and unions for which a second way decided whether they had to be taken; and
    /// how many of them were refused.
    pub(crate) judged: u64,
    pub(crate) judged_too_much: u64,
    /// Non-members that were looked up, how many were false positives, and how many are expected by
    /// the bits of their filters.
    pub(crate) strangers: u64,
    pub(crate) let_in: u64,
    pub(crate) expected: f64,
    /// Keys that were inserted for the first time, one by one; how many were not called new, and
    /// how many are expected.
    pub(crate) first: u64,
    pub(crate) not_new: u64,
    pub(crate) expected_not_new: f64,
}

impl AddAssign for Found {
    fn add_assign(&mut self, other: Self) {
        self.operations += other.operations;
        self.members += other.members;
        self.refused += other.refused;
        self.judged += other.judged;
        self.judged_too_much += other.judged_too_much;
        self.strangers += other.strangers;
        self.let_in += other.let_in;
        self.expected += other.expected;
        self.first += other.first;
        self.not_new += other.not_new;
        self.expected_not_new += other.expected_not_new;
    }
}

impl Found {
    /// Whether non-members and new keys were told from members as often as expected. `false` if
    /// there were too few to tell.
    ///
    /// # Panics
    /// If there were more false positives than chance explains.
    pub(crate) fn assert_selective(&self, name: &str) -> bool {
        let mut is_told = true;
        for (what, found, expected, all) in [
            ("strangers let in", self.let_in, self.expected, self.strangers),
            ("keys not called new", self.not_new, self.expected_not_new, self.first),
        ] {
            // In a filter of few bits the positions of a key often coincide, so its rate is higher
            // than its bits say.
            let most = 2.0 * expected + 8.0 * expected.sqrt() + 8.0;
            assert!(found as f64 <= most, "{name}: {found} of {all} {what}, {expected:.1} expected");
            is_told &= most < 0.9 * all as f64;
        }
        is_told
    }
}

/// Runs one sequence on a small filter of the kind: every second one on the filter's own type, if
/// the tests know it, the others on the opened file; under each policy in turn.
///
/// # Panics
/// If a member is missing or was called new; if an empty filter has a member; if a key or a union
/// was taken that had to be refused, or the reverse.
pub(crate) fn sequence(subject: &dyn Subject, opener: &Opener, seed: u64) -> Found {
    match subject.builder() {
        Some(_) if seed & 1 == 0 => through::<BloomFilter>(subject, opener, seed),
        _ => through::<Opened>(subject, opener, seed),
    }
}

/// A filter, and its exact set of members.
struct Run<'a, D> {
    subject: &'a dyn Subject,
    filter: D,
    members: BTreeSet<u64>,
    seed: u64,
    /// Whether the policy is to refuse.
    refuses: bool,
    found: Found,
}

fn through<D: Door>(subject: &dyn Subject, opener: &Opener, seed: u64) -> Found {
    let mut random = Random(seed);
    let capacity = random.size(9) as u64;
    let policy = OverCapacity::ALL[(seed >> 1) as usize % OverCapacity::ALL.len()];
    let filter = empty(subject, capacity, policy);
    let refuses = filter.filter().over_capacity() == OverCapacity::Refuse;
    let (filter, members, found) = (D::of(filter), BTreeSet::new(), Found::default());
    let mut run = Run { subject, filter, members, seed, refuses, found };
    // Some keys are used again and again, so that intersections and repeats are frequent.
    let range = 1 + random.below(4 * capacity as usize);
    let operations = 1 + random.below(MOST);
    for _ in 0..operations {
        let count = random.below(40);
        let numbers: Vec<u64> = (0..count).map(|_| random.below(range) as u64).collect();
        match random.below(12) {
            0..=3 => run.insert_each(&numbers),
            4..=6 => run.insert_all(&numbers),
            7 | 8 => run.combine(&numbers, random.below(3) > 0),
            9 => {
                let rate = (run.filter.false_positive_rate() * 4.0).clamp(1e-4, 0.9);
                if run.filter.false_positive_rate() <= rate {
                    run.filter.shrink_to(rate).unwrap();
                }
            }
            10 => {
                let file = run.filter.file(opener);
                run.filter = D::of(opener.read(&file).unwrap());
                let again = run.filter.file(opener);
                assert!(again == file, "{}, {seed}: written again, another file", subject.name());
                run.set_policy(policy);
            }
            _ => {
                if random.below(4) == 0 {
                    run.filter.clear().unwrap();
                    run.members.clear();
                    run.nobody();
                }
            }
        }
    }
    run.ask(&mut random);
    Found { operations: operations as u64, ..run.found }
}

/// An empty filter with this policy, if its kind can have it.
fn empty(subject: &dyn Subject, capacity: u64, policy: OverCapacity) -> Opened {
    let mut filter = subject.empty(capacity).unwrap();
    match filter.set_over_capacity(policy) {
        Ok(()) => assert_eq!(filter.filter().over_capacity(), policy, "{}", subject.name()),
        Err(Error::NotPossible { .. }) => assert!(subject.cannot().contains(&Operation::SetOverCapacity)),
        Err(error) => panic!("{}: {error}", subject.name()),
    }
    filter
}

impl<D: Door> Run<'_, D> {
    /// Another program's file does not keep the policy.
    fn set_policy(&mut self, policy: OverCapacity) {
        if !self.subject.cannot().contains(&Operation::SetOverCapacity) {
            self.filter.set_over_capacity(policy).unwrap();
        }
    }

    /// Whether the sequence checks what a filter must take. Under a policy that refuses nothing it
    /// must take all. Every second sequence, to save time.
    fn judges(&self) -> bool {
        let cannot = self.subject.cannot();
        let is_fixed = cannot.contains(&Operation::SetOverCapacity) || cannot.contains(&Operation::Intersect);
        self.refuses && !is_fixed && self.seed & 8 == 0
    }

    fn insert_each(&mut self, numbers: &[u64]) {
        if self.judges() {
            return self.insert_judged(numbers);
        }
        let Run { subject, filter, members, seed, .. } = self;
        let (mut done, mut first, mut not_new) = (0, 0, 0);
        let inserted = subject.keys(numbers).insert_each(filter, |i, new| {
            let is_first = members.insert(numbers[i]);
            assert!(is_first || !new, "{}, {seed}: the member {} is new", subject.name(), numbers[i]);
            (done, first, not_new) =
                (i + 1, first + u64::from(is_first), not_new + u64::from(is_first && !new));
        });
        self.found.first += first;
        self.found.not_new += not_new;
        // An upper bound: the rate is that of the last key.
        self.found.expected_not_new += first as f64 * self.filter.false_positive_rate();
        if let Err(error) = inserted {
            let is_in = self.members.contains(&numbers[done]);
            self.was_refused(error, is_in);
        }
    }

    /// Inserts one key at a time: a new one is taken if the filter is not full, and refused if it
    /// is.
    fn insert_judged(&mut self, numbers: &[u64]) {
        for number in numbers {
            let (was_full, is_in) = (self.filter.is_full(), self.members.contains(number));
            let (name, seed, mut is_new) = (self.subject.name(), self.seed, false);
            let inserted = self.subject.keys(&[*number]).insert_each(&mut self.filter, |_, new| is_new = new);
            self.found.judged += 1;
            match inserted {
                Ok(()) => {
                    assert!(!is_new || !(was_full || is_in), "{name}, {seed}: {number} was too much, or in");
                    self.members.insert(*number);
                    self.found.first += u64::from(!is_in);
                    self.found.not_new += u64::from(!is_in && !is_new);
                    let rate = self.filter.false_positive_rate();
                    self.found.expected_not_new += if is_in { 0.0 } else { rate };
                }
                Err(error) => {
                    let is_full = matches!(error, Error::CapacityReached { .. });
                    assert!(was_full || !is_full, "{name}, {seed}: {number} was not too much");
                    self.found.judged_too_much += u64::from(is_full);
                    return self.was_refused(error, is_in);
                }
            }
        }
    }

    fn insert_all(&mut self, numbers: &[u64]) {
        let before = self.judges().then(|| self.filter.clone());
        let inserted = self.subject.keys(numbers).insert_all(&mut self.filter);
        if let Some(before) = before {
            self.judge_batch(before, numbers, &inserted);
        }
        if let Err(error) = inserted {
            let Some(inserted) = inserted_before(&error) else {
                return self.was_refused(error, false);
            };
            self.members.extend(&numbers[..inserted]);
            let is_in = self.members.contains(&numbers[inserted]);
            return self.was_refused(error, is_in);
        }
        self.members.extend(numbers);
    }

    /// A batch is taken up to the same key as its keys one by one.
    fn judge_batch(&mut self, mut one_by_one: D, numbers: &[u64], inserted: &Result<()>) {
        let mut taken = 0;
        let alone = self.subject.keys(numbers).insert_each(&mut one_by_one, |i, _| taken = i + 1);
        let in_batch = inserted.as_ref().map_or_else(inserted_before, |()| Some(numbers.len()));
        let name = format!("{}, {}", self.subject.name(), self.seed);
        assert_eq!(in_batch, Some(taken), "{name}: {inserted:?} in a batch, {alone:?} one by one");
        assert_eq!(self.filter.false_positive_rate(), one_by_one.false_positive_rate(), "{name}");
        self.found.judged += 1;
        self.found.judged_too_much += u64::from(taken < numbers.len());
    }

    /// Unites the filter with one of these keys, or intersects the two.
    fn combine(&mut self, numbers: &[u64], unites: bool) {
        let mut other = self.filter.clone();
        other.clear().unwrap();
        let others = &mut BTreeSet::new();
        match self.subject.keys(numbers).insert_all(&mut other) {
            Ok(()) => others.extend(numbers),
            Err(error) => match inserted_before(&error) {
                Some(inserted) => others.extend(&numbers[..inserted]),
                None => panic!("{}: {error}", self.subject.name()),
            },
        }
        let before = (unites && self.judges()).then(|| self.filter.clone());
        let done = if unites { self.filter.union_with(&other) } else { self.filter.intersect_with(&other) };
        if let Some(before) = before {
            self.judge_union(before, &other, &done);
        }
        match done {
            Ok(()) if unites => self.members.append(others),
            Ok(()) => self.members.retain(|number| others.contains(number)),
            Err(Error::CapacityReached { .. }) if !unites => panic!("{}: nothing came", self.subject.name()),
            Err(error) => self.was_refused(error, false),
        }
    }

    /// A union is taken if it is not over capacity, or equals the filter before; under a policy
    /// that refuses nothing it is always taken.
    fn judge_union(&mut self, before: D, other: &D, done: &Result<()>) {
        let mut forced = before.clone();
        forced.set_over_capacity(OverCapacity::Ignore).unwrap();
        if forced.union_with(other).is_err() {
            return;
        }
        forced.set_over_capacity(OverCapacity::Refuse).unwrap();
        let adds_nothing = forced.false_positive_rate() == before.false_positive_rate();
        let is_too_much = forced.is_over_capacity() && !adds_nothing;
        let refused = matches!(done, Err(Error::CapacityReached { .. }));
        let name = format!("{}, {}", self.subject.name(), self.seed);
        assert_eq!(refused, is_too_much, "{name}: {done:?}, and by force it is too much: {is_too_much}");
        self.found.judged += 1;
        self.found.judged_too_much += u64::from(refused);
    }

    /// A full filter refuses, but never a member; a chain has no intersection, may not grow, or has
    /// other links.
    fn was_refused(&mut self, error: Error, is_in: bool) {
        let name = self.subject.name();
        let is_chain = self.subject.cannot().contains(&Operation::Intersect);
        match error {
            Error::CapacityReached { .. } if self.refuses || is_chain => {
                assert!(!is_in || is_chain, "{name}, {}: a member is refused", self.seed);
                self.found.refused += 1;
            }
            Error::Incompatible { .. } | Error::NotPossible { .. } if is_chain => {}
            // A table with copies: the key has the most copies.
            #[cfg(feature = "table")]
            Error::TooManyCopies { .. } => {}
            // With so few possible fingerprints there is no table for this many copies.
            #[cfg(feature = "table")]
            Error::NumbersClustered { .. } if self.has_copies() => {}
            error => panic!("{name}, {}: {error}", self.seed),
        }
    }

    #[cfg(feature = "table")]
    fn has_copies(&self) -> bool {
        matches!(self.subject.kind(), tepal::Kind::Quotient | tepal::Kind::Growing)
    }

    /// An empty filter has no members.
    fn nobody(&self) {
        let numbers: Vec<u64> = (0..20).chain(STRANGE.take(20)).collect();
        let held = self.subject.keys(&numbers).held(&self.filter);
        assert!(!held.contains(&true), "{}, {}: empty, and it has somebody", self.subject.name(), self.seed);
    }

    /// Looks up all members, and non-members.
    fn ask(&mut self, random: &mut Random) {
        let name = self.subject.name();
        let numbers: Vec<u64> = self.members.iter().copied().collect();
        for (number, held) in numbers.iter().zip(self.subject.keys(&numbers).held(&self.filter)) {
            assert!(held, "{name}, {}: the member {number} is missing", self.seed);
        }
        // Different ones each time: a false positive of a small filter is also one of the next
        // filter of its size.
        let first = STRANGE.start + random.below((STRANGE.end - STRANGE.start) as usize) as u64;
        let strangers: Vec<u64> = (first..first + STRANGERS).collect();
        let held = self.subject.keys(&strangers).held(&self.filter);
        self.found.members += numbers.len() as u64;
        self.found.strangers += STRANGERS;
        self.found.let_in += held.iter().filter(|held| **held).count() as u64;
        self.found.expected += STRANGERS as f64 * self.filter.false_positive_rate();
    }
}

/// How many keys of the refused call were inserted, if the error tells.
fn inserted_before(error: &Error) -> Option<usize> {
    match error {
        Error::CapacityReached { inserted, .. } => Some(*inserted),
        #[cfg(feature = "table")]
        Error::TooManyCopies { inserted, .. } | Error::NumbersClustered { inserted, .. } => Some(*inserted),
        _ => None,
    }
}

/// Checks that all sequences together did enough of everything.
pub(crate) fn assert_enough(found: &Found) {
    assert!(found.operations > 1000 && found.members > 1000, "{found:?}");
    assert!(found.strangers > 1000 && found.first > 1000 && found.refused > 100, "{found:?}");
    assert!(found.judged > 300 && found.judged_too_much > 20, "{found:?}");
}
