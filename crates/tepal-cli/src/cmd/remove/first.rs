//! The first reading of `tepal remove`: which keys are not in the filter.

use tepal::{AnyFilter, facts::TableFacts, hash::PreparedKeys};

use crate::error::Failure;
use crate::input::pages::Page;
use crate::input::pipeline::{Flow, Sink};
use crate::keys::Hashes;
use crate::text::number::count;

/// Looks up all keys in the filter, which is not changed meanwhile.
pub struct FirstReading<'a> {
    filter: &'a AnyFilter,
    /// The hashes of all keys that may be removed, ascending.
    members: Option<&'a [u64]>,
    /// For each input, whether it cannot be read a second time.
    once: &'a [bool],
    /// Keys read, repeats included.
    pub keys: u64,
    /// Those of them that no list of `--members` has.
    pub not_members: u64,
    /// Those of the others that are surely not in the filter.
    pub absent: u64,
    /// The keys of the inputs that cannot be read a second time.
    pub kept: Hashes,
    /// What was read of each input.
    pub stamps: Vec<Stamp>,
    answers: Vec<bool>,
}

impl<'a> FirstReading<'a> {
    /// Nothing is read yet.
    pub fn new(filter: &'a AnyFilter, members: Option<&'a [u64]>, once: &'a [bool]) -> Self {
        Self {
            filter,
            members,
            once,
            keys: 0,
            not_members: 0,
            absent: 0,
            kept: Hashes::default(),
            stamps: vec![Stamp::default(); once.len()],
            answers: Vec::new(),
        }
    }

    /// Looks up keys of this input.
    fn look_up(&mut self, keys: &PreparedKeys, input: usize) -> Result<(), Failure> {
        self.keys += keys.len() as u64;
        match input.checked_sub(1).map(|input| self.once[input]) {
            Some(true) => self.kept.add(keys)?,
            Some(false) => Stamp::of_input(&mut self.stamps, input).add(keys),
            // The keys of `-e` do not change.
            None => {}
        }
        let Some(members) = self.members else {
            self.count_absent(keys);
            return Ok(());
        };
        let hashes = keys.hashes().unwrap_or_default().iter().copied();
        let on_a_list: Vec<u64> = hashes.filter(|hash| members.binary_search(hash).is_ok()).collect();
        self.not_members += (keys.len() - on_a_list.len()) as u64;
        self.count_absent(&PreparedKeys::from_hashes(on_a_list));
        Ok(())
    }

    fn count_absent(&mut self, keys: &PreparedKeys) {
        self.answers.clear();
        self.answers.resize(keys.len(), false);
        self.filter.contains_prepared(keys, &mut self.answers);
        self.absent += self.answers.iter().filter(|is_in| !**is_in).count() as u64;
    }

    /// How many members are lost on average where the keys are removed all the same. Of n keys that
    /// are not in, n times the rate look as if they were; the others are surely absent.
    pub fn members_lost(&self, rate: f64) -> f64 {
        let looked_in = (self.keys - self.not_members - self.absent) as f64;
        lost(self.absent, rate).min(looked_in)
    }
}

/// How many keys look as if they were in, on average, beside so many that surely are not.
pub fn lost(absent: u64, rate: f64) -> f64 {
    absent as f64 * rate / (1.0 - rate)
}

/// The rate at which keys are found that were removed from the oldest tables before: later keys
/// with the same number have their copies there.
pub fn rate_of_former(tables: &[TableFacts], rate: f64) -> f64 {
    let (mut later, mut held) = (0, 0.0_f64);
    for table in tables.iter().rev() {
        later += table.taken_slots;
        held = held.max(1.0 - (-(later as f64) / table.numbers as f64).exp());
    }
    1.0 - (1.0 - held) * (1.0 - rate)
}

impl Sink<PreparedKeys> for FirstReading<'_> {
    fn take(&mut self, page: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        self.look_up(keys, page.input).map(|()| Flow::Continue)
    }
}

/// Tells whether the keys of an input are the same in both readings: their number, and a checksum
/// of their hashes in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    keys: u64,
    sum: u64,
}

impl Stamp {
    /// The one of this input, by its number from 1.
    pub fn of_input(stamps: &mut Vec<Self>, input: usize) -> &mut Self {
        if stamps.len() < input {
            stamps.resize_with(input, Self::default);
        }
        &mut stamps[input - 1]
    }

    /// These keys come next.
    pub fn add(&mut self, keys: &PreparedKeys) {
        self.keys += keys.len() as u64;
        for hash in keys.hashes().unwrap_or_default() {
            self.sum = (self.sum.rotate_left(5) ^ hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }
}

/// Why nothing is removed, where keys are not in the filter: how many, what may be lost, and what
/// to do.
pub fn absent(found: &FirstReading<'_>) -> String {
    let (keys, absent) = (found.keys - found.not_members, found.absent);
    let all = match found.members {
        Some(_) => "keys that are on the list of members",
        None if keys == 1 => "key",
        None => "keys",
    };
    let are = if absent == 1 { "is" } else { "are" };
    let others = match keys - absent {
        0 if keys == 1 => ". It may have been removed before. Build it again".to_owned(),
        0 => ". They may have been removed before. Build it again".to_owned(),
        1 => ": the other one may be a member or look like one. Build it again".to_owned(),
        others => format!(": the other {} may be members or look like them. Build it again", count(others)),
    };
    format!(
        "{} of {} {all} {are} not in it, so nothing was removed{others}, or go on with --allow-absent.",
        count(absent),
        count(keys)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_tells_other_keys_another_order_and_another_number() {
        let stamp = |hashes: &[u64]| {
            let mut stamp = Stamp::default();
            // However they are cut into pages.
            for page in hashes.chunks(2) {
                stamp.add(&PreparedKeys::from_hashes(page.to_vec()));
            }
            stamp
        };
        let mut whole = Stamp::default();
        whole.add(&PreparedKeys::from_hashes(vec![1, 2, 3]));
        assert_eq!(whole, stamp(&[1, 2, 3]));
        for other in [&[][..], &[1, 2], &[1, 2, 4], &[2, 1, 3], &[1, 2, 3, 0], &[0, 1, 2, 3]] {
            assert_ne!(whole, stamp(other), "{other:?}");
        }
        assert_ne!(stamp(&[]), stamp(&[0]));
    }
}
