//! Asks filters for the keys of records: each key is hashed once for all filters that hash alike.

use std::borrow::Borrow;
use std::sync::Arc;

use tepal::{
    AnyFilter, Opened,
    hash::{KeyHasher, PreparedKeys},
    segments::{Segment, SegmentAnswers},
    values::Value,
};

use crate::input::pages::{Keys, PAGE};
use crate::input::pipeline::{Refused, Work};
use crate::keys::prepare;
use crate::live::Set;

/// Filters of which a set is one word.
pub const WORD: usize = u64::BITS as usize;

/// What is asked of several filters.
#[derive(Clone, Copy, Default)]
pub struct How {
    /// Which of them hold each key, not only whether one does.
    pub each: bool,
    /// A key that some of them cannot have is in none of these. Else such a record is refused.
    pub mixed: bool,
    /// There is one filter, and which of its segments hold each key is asked; of a map, which value
    /// it has.
    pub segments: bool,
}

/// Filters, or the segments of one, that hold a key, by their numbers.
#[derive(Clone, Copy)]
pub enum Holders<'a> {
    /// Filter `n` is bit `n % 64` of word `n / 64`.
    Set(&'a [u64]),
    /// These segments, ascending.
    Segments(&'a [u16]),
    /// The value of a map.
    Value(Option<u32>),
}

impl<'a> Holders<'a> {
    /// Their numbers.
    pub fn members(self) -> impl Iterator<Item = usize> + 'a {
        let (set, segments, value): (&[u64], &[u16], _) = match self {
            Self::Set(set) => (set, &[], None),
            Self::Segments(segments) => (&[], segments, None),
            Self::Value(value) => (&[], &[], value),
        };
        let segments = segments.iter().map(|number| usize::from(*number));
        members(set).chain(segments).chain(value.map(|value| value as usize))
    }
}

/// The answers for some records.
#[derive(Default)]
pub struct Answers {
    /// For each record, whether its key is probably in a filter. A record without a key is in none.
    pub held: Vec<bool>,
    /// How many records have no key, blank rows among them.
    pub keyless: usize,
    /// For each record, if that is asked, a set of the filters that hold its key.
    holders: Vec<u64>,
    /// The segments of all records, and where those of each one end; where these are asked.
    segments: Vec<u16>,
    ends: Vec<usize>,
    /// For each record the value of its key, where a map is asked for it.
    values: Vec<Option<u32>>,
    /// From which record on which filters were asked, where these may be exchanged.
    asked: Vec<(usize, Set)>,
}

impl Answers {
    /// What holds the key of record `i`, of so many filters.
    pub fn holders(&self, i: usize, filters: usize) -> Holders<'_> {
        if let Some(&end) = self.ends.get(i) {
            let start = if i == 0 { 0 } else { self.ends[i - 1] };
            return Holders::Segments(&self.segments[start..end]);
        }
        if let Some(&value) = self.values.get(i) {
            return Holders::Value(value);
        }
        let words = filters.div_ceil(WORD);
        Holders::Set(&self.holders[i * words..(i + 1) * words])
    }

    /// How many segments all keys have, where these are asked.
    pub fn all_segments(&self) -> Option<usize> {
        (!self.ends.is_empty()).then_some(self.segments.len())
    }

    /// The filters that were asked for record `i`.
    pub fn filters(&self, i: usize) -> &[Arc<Opened>] {
        let before = self.asked.partition_point(|(first, _)| *first <= i);
        before.checked_sub(1).map_or(&[], |last| &self.asked[last].1)
    }

    /// How often the key of record `i` is in the first filter that was asked.
    pub fn copies(&self, i: usize, key: &[u8]) -> Option<u64> {
        self.filters(i).first()?.filter().count(key)
    }

    /// The value of record `i`.
    pub fn value(&self, i: usize) -> Option<Value<'_>> {
        let number = *self.values.get(i)?.as_ref()?;
        Some(self.filters(i).first()?.filter().as_valued()?.value(number))
    }

    /// These filters are asked for the next records.
    pub fn ask(&mut self, filters: &Set) {
        if self.asked.last().is_none_or(|(_, last)| !Arc::ptr_eq(last, filters)) {
            self.asked.push((self.held.len(), filters.clone()));
        }
    }

    /// Removes them.
    pub fn clear(&mut self) {
        self.held.clear();
        self.keyless = 0;
        self.holders.clear();
        self.segments.clear();
        self.ends.clear();
        self.values.clear();
        self.asked.clear();
    }
}

/// The numbers of the filters in a set.
fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    (0..).zip(set).flat_map(|(word, &bits)| {
        let mut left = bits;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (bit < WORD).then_some(word * WORD + bit)
        })
    })
}

/// Asks filters for keys.
pub struct Ask<'a> {
    /// The filters.
    pub filters: &'a [Opened],
    /// What is asked of them.
    pub how: How,
}

impl<'a> Ask<'a> {
    /// Whether one filter has the keys.
    pub fn one(filter: &'a Opened) -> Self {
        let segments = filter.filter().as_segmented().is_some();
        Self { filters: std::slice::from_ref(filter), how: How { segments, ..How::default() } }
    }
}

impl Work for Ask<'_> {
    type Tools = Groups;
    type Results = Answers;

    fn tools(&self) -> Groups {
        Groups::of(self.filters)
    }

    fn clear(results: &mut Answers) {
        results.clear();
    }

    fn work(&self, groups: &mut Groups, keys: &mut Keys<'_>, answers: &mut Answers) -> Result<(), Refused> {
        groups.ask(self.filters, self.how, keys, answers)
    }
}

/// The numbers of its segments with their names, or those of the values of a map where these have
/// names.
pub fn named_segments(filter: &Opened) -> Option<Vec<(u16, Option<String>)>> {
    if let Some(filter) = filter.filter().as_segmented() {
        let named = |segment: Segment| (segment.number(), filter.segment_name(segment).map(str::to_owned));
        return Some(filter.all_segments().map(named).collect());
    }
    let map = filter.filter().as_valued().filter(|map| map.num_names() > 0)?;
    Some((0..).zip(map.names().map(|(name, _)| Some(name.to_owned()))).collect())
}

/// Filters that hash alike, by their numbers, and what they make of a page.
struct Group {
    hasher: KeyHasher,
    filters: Vec<usize>,
    keys: PreparedKeys,
    /// Records of the page that have no key for these filters.
    keyless: Vec<usize>,
}

/// All filters, in groups that hash alike: what a thread needs to ask.
pub struct Groups {
    groups: Vec<Group>,
    answers: Vec<bool>,
    segments: SegmentAnswers,
    values: Vec<Option<u32>>,
    /// Records of the page that a group has no key for, and why.
    bad: Vec<(usize, String)>,
}

impl Groups {
    /// The groups of these filters.
    pub fn of<F: Borrow<Opened>>(filters: &[F]) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for (number, filter) in filters.iter().enumerate() {
            let hasher = filter.borrow().key_hasher();
            match groups.iter_mut().find(|group| group.hasher == hasher) {
                Some(group) => group.filters.push(number),
                None => groups.push(Group {
                    hasher,
                    filters: vec![number],
                    keys: PreparedKeys::default(),
                    keyless: Vec::new(),
                }),
            }
        }
        Self {
            groups,
            answers: Vec::with_capacity(PAGE),
            segments: SegmentAnswers::new(),
            values: Vec::new(),
            bad: Vec::new(),
        }
    }

    /// Asks the filters, which are those of the groups, for all keys of a page.
    pub fn ask<F: Borrow<Opened>>(
        &mut self,
        filters: &[F],
        how: How,
        keys: &mut Keys<'_>,
        answers: &mut Answers,
    ) -> Result<(), Refused> {
        let worked = match how.mixed || keys.bad.are_left_out() {
            true => self.prepare_each(how, keys),
            false => self.prepare_all(keys),
        };
        let asked = worked.as_ref().err().map_or(keys.batch.len(), |refused| refused.record);
        let before = answers.held.len();
        answers.held.resize(before + asked, false);
        let first = filters.first().map(|filter| filter.borrow().filter());
        let of_segments = first.and_then(AnyFilter::as_segmented);
        let of_map = first.and_then(AnyFilter::as_valued);
        if let (true, Some(filter), Some(group)) = (how.segments, of_segments, self.groups.first()) {
            filter.segments_prepared(&group.keys, &mut self.segments);
            append_segments(answers, before, &self.segments, &group.keyless);
        } else if let (true, Some(map), Some(group)) = (how.segments, of_map, self.groups.first()) {
            self.values.resize(group.keys.len(), None);
            map.get_prepared(&group.keys, &mut self.values);
            append_values(answers, before, &self.values, &group.keyless);
        } else {
            self.ask_each(filters, how, before, answers);
        }
        answers.keyless += self.groups.last().map_or(0, |group| group.keyless.len());
        worked?;
        // What is no key of some filters may be one of others, and in them.
        self.bad.retain(|(record, _)| !answers.held[before + record]);
        self.bad.drain(..).try_for_each(|(record, text)| keys.bad.push(record, text))
    }

    /// Asks each filter for the keys that its group has prepared.
    fn ask_each<F: Borrow<Opened>>(&mut self, filters: &[F], how: How, before: usize, answers: &mut Answers) {
        let words = filters.len().div_ceil(WORD);
        if how.each {
            answers.holders.resize(answers.held.len() * words, 0);
        }
        for Group { filters: numbers, keys: prepared, keyless, .. } in &self.groups {
            for &number in numbers {
                let found = &mut self.answers;
                found.resize(prepared.len(), false);
                filters[number].borrow().filter().contains_prepared(prepared, found);
                merge(&mut answers.held[before..], found, keyless, |held, found| *held |= found);
                if how.each {
                    let mut sets = answers.holders[before * words..].chunks_exact_mut(words);
                    let (word, bit) = (number / WORD, number % WORD);
                    merge(&mut sets, found, keyless, |set, found| set[word] |= u64::from(found) << bit);
                }
            }
        }
    }

    /// Prepares the keys for all groups, up to one that a group refuses.
    fn prepare_all(&mut self, keys: &mut Keys<'_>) -> Result<(), Refused> {
        let mut asked = keys.batch.len();
        let mut refused = Ok(());
        for Group { hasher, keys: prepared, keyless, .. } in &mut self.groups {
            keyless.clear();
            prepared.clear();
            let worked = prepare(hasher, keys, asked, prepared, |_, record, why| match why {
                Some(text) => Err(Refused { record, text }),
                None => {
                    keyless.push(record);
                    Ok(())
                }
            });
            if let Err(earlier) = worked {
                asked = earlier.record;
                refused = Err(earlier);
            }
        }
        refused
    }

    /// Prepares the keys for each group. One that a group refuses cannot be in its filters. Those
    /// that are bad for the whole are kept: with `mixed` what all groups refuse, else what one of
    /// them refuses.
    fn prepare_each(&mut self, how: How, keys: &mut Keys<'_>) -> Result<(), Refused> {
        let asked = keys.batch.len();
        self.bad.clear();
        for group in &mut self.groups {
            group.keyless.clear();
            group.keys.clear();
        }
        for Group { hasher, keys: prepared, keyless, .. } in &mut self.groups {
            prepare(hasher, keys, asked, prepared, |_, record, why| {
                keyless.push(record);
                self.bad.extend(why.map(|text| (record, text)));
                Ok(())
            })?;
        }
        self.bad.sort_by_key(|(record, _)| *record);
        if how.mixed && self.groups.len() > 1 {
            let refused: Vec<usize> = self.bad.iter().map(|(record, _)| *record).collect();
            let by_all =
                |record| refused.partition_point(|&r| r <= record) - refused.partition_point(|&r| r < record);
            self.bad.retain(|(record, _)| by_all(*record) == self.groups.len());
        }
        self.bad.dedup_by_key(|(record, _)| *record);
        match self.bad.first() {
            Some(_) if !keys.bad.are_left_out() => {
                let (record, text) = self.bad.swap_remove(0);
                Err(Refused { record, text })
            }
            _ => Ok(()),
        }
    }
}

/// Gives each record of a page, from `before`, the segments of its key: `found` is for those that
/// have one, in order.
fn append_segments(answers: &mut Answers, before: usize, found: &SegmentAnswers, keyless: &[usize]) {
    let (mut keyless, mut next) = (keyless.iter().peekable(), 0);
    for record in 0..answers.held.len() - before {
        if keyless.next_if_eq(&&record).is_none() && next < found.len() {
            answers.segments.extend(found.of(next).iter().map(|segment| segment.number()));
            answers.held[before + record] = !found.of(next).is_empty();
            next += 1;
        }
        answers.ends.push(answers.segments.len());
    }
}

/// The same of a map: each key has one value, or none.
fn append_values(answers: &mut Answers, before: usize, found: &[Option<u32>], keyless: &[usize]) {
    answers.values.resize(answers.held.len(), None);
    let records = answers.values[before..].iter_mut().zip(&mut answers.held[before..]);
    merge(records, found, keyless, |(value, held), found| (*value, *held) = (found, found.is_some()));
}

/// Gives each answer to its record: `found` is for those records that have a key, in order.
#[inline(always)]
fn merge<T, F: Copy + Default>(
    records: impl IntoIterator<Item = T>,
    found: &[F],
    keyless: &[usize],
    give: impl Fn(T, F),
) {
    let records = records.into_iter();
    if keyless.is_empty() {
        return records.zip(found).for_each(|(record, &found)| give(record, found));
    }
    let (mut keyless, mut found) = (keyless.iter().peekable(), found.iter());
    for (number, record) in records.enumerate() {
        if keyless.next_if_eq(&&number).is_none() {
            give(record, found.next().copied().unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tepal::SegmentFilter;

    #[test]
    fn answers_go_to_the_records_that_have_a_key() {
        for (found, keyless, expected) in [
            (&[true, false, true][..], &[][..], [true, false, true, false]),
            (&[true, true], &[1, 2], [true, false, false, true]),
            (&[true, true], &[0, 3], [false, true, true, false]),
            (&[], &[0, 1, 2, 3], [false; 4]),
        ] {
            let mut held = [false; 4];
            merge(&mut held, found, keyless, |held, found| *held |= found);
            assert_eq!(held, expected, "{keyless:?}");
        }
    }

    #[test]
    fn segments_go_to_the_records_that_have_a_key() {
        let filter = SegmentFilter::builder().false_positive_rate(1e-9);
        let filter = filter.build_from([("x", "a"), ("y", "a"), ("y", "b")]).unwrap();
        let mut answers = Answers { held: vec![false; 4], ..Answers::default() };
        append_segments(&mut answers, 0, &filter.segments_many(&["a", "c", "b"]), &[1]);
        assert_eq!((&answers.held[..], answers.all_segments()), (&[true, false, false, true][..], Some(3)));
        let of = |i| answers.holders(i, 1).members().collect::<Vec<_>>();
        assert_eq!([of(0), of(1), of(2), of(3)], [vec![0, 1], vec![], vec![], vec![1]]);
        // The next page of the same piece.
        answers.held.resize(6, false);
        append_segments(&mut answers, 4, &filter.segments_many(&["b"]), &[0]);
        let of = |i| answers.holders(i, 1).members().collect::<Vec<_>>();
        assert_eq!((of(3), of(4), of(5), answers.held[5]), (vec![1], vec![], vec![1], true));
    }

    #[test]
    fn members_of_a_set() {
        assert_eq!(members(&[]).count(), 0);
        assert_eq!(members(&[1 | 1 << 63, 0, 6]).collect::<Vec<_>>(), [0, 63, 129, 130]);
        assert_eq!(members(&[u64::MAX]).count(), 64);
    }
}
