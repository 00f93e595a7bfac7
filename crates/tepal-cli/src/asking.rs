//! Asks filters for the keys of records: each key is hashed once for all filters that hash alike.

use std::borrow::Borrow;

use tepal::{KeyHasher, Opened, PreparedKeys};

use crate::error::Failure;
use crate::input::pages::{Keys, PAGE};
use crate::input::pipeline::{Refused, Work};
use crate::keys::{prepare, refusal};

/// Filters of which a set is one word.
pub const WORD: usize = u64::BITS as usize;

/// What is asked of several filters.
#[derive(Clone, Copy, Default)]
pub struct How {
    /// Which of them hold each key, not only whether one does.
    pub each: bool,
    /// A key that some of them cannot have is in none of these. Else such a record is refused.
    pub mixed: bool,
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
}

impl Answers {
    /// The set of the filters, of so many, that hold the key of record `i`: filter `n` is bit `n % 64` of word `n / 64`.
    pub fn holders(&self, i: usize, filters: usize) -> &[u64] {
        let words = filters.div_ceil(WORD);
        &self.holders[i * words..(i + 1) * words]
    }

    /// Removes them.
    pub fn clear(&mut self) {
        self.held.clear();
        self.keyless = 0;
        self.holders.clear();
    }
}

/// The numbers of the filters in a set.
pub fn members(set: &[u64]) -> impl Iterator<Item = usize> {
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
        Self { filters: std::slice::from_ref(filter), how: How::default() }
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
        Self { groups, answers: Vec::with_capacity(PAGE), bad: Vec::new() }
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
        let (before, words) = (answers.held.len(), filters.len().div_ceil(WORD));
        answers.held.resize(before + asked, false);
        if how.each {
            answers.holders.resize((before + asked) * words, 0);
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
        answers.keyless += self.groups.last().map_or(0, |group| group.keyless.len());
        worked?;
        // What is no key of some filters may be one of others, and in them.
        self.bad.retain(|(record, _)| !answers.held[before + record]);
        self.bad.drain(..).try_for_each(|(record, text)| keys.bad.push(record, text))
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

    /// Prepares the keys for each group. One that a group refuses cannot be in its filters. Those that are bad for the whole are
    /// kept: with `mixed` what all groups refuse, else what one of them refuses.
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

/// Gives each answer to its record: `found` is for those records that have a key, in order.
#[inline(always)]
fn merge<T>(records: impl IntoIterator<Item = T>, found: &[bool], keyless: &[usize], give: impl Fn(T, bool)) {
    let records = records.into_iter();
    if keyless.is_empty() {
        return records.zip(found).for_each(|(record, &found)| give(record, found));
    }
    let (mut keyless, mut found) = (keyless.iter().peekable(), found.iter());
    for (number, record) in records.enumerate() {
        if keyless.next_if_eq(&&number).is_none() {
            give(record, found.next().copied().unwrap_or(false));
        }
    }
}

/// Which of `filters` hold one key, as a set.
pub fn holders_of<F: Borrow<Opened>>(filters: &[F], how: How, key: &[u8]) -> Result<Vec<u64>, Failure> {
    let mut set = vec![0; filters.len().div_ceil(WORD)];
    let mut refused = Vec::new();
    for (number, filter) in filters.iter().map(Borrow::borrow).enumerate() {
        match filter.key_hasher().check(key) {
            Ok(()) => set[number / WORD] |= u64::from(filter.contains(key)) << (number % WORD),
            Err(error) => refused.push(error),
        }
    }
    match refused.first() {
        Some(error) if !how.mixed || refused.len() == filters.len() => Err(Failure::at("-e", refusal(error))),
        _ => Ok(set),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn members_of_a_set() {
        assert_eq!(members(&[]).count(), 0);
        assert_eq!(members(&[1 | 1 << 63, 0, 6]).collect::<Vec<_>>(), [0, 63, 129, 130]);
        assert_eq!(members(&[u64::MAX]).count(), 64);
    }
}
