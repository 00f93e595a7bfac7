//! Records without a key: the rule for them, their number, and the first of them.

use clap::ValueEnum;

use crate::error::Failure;
use crate::input::pages::Page;
use crate::input::pipeline::Refused;
use crate::output::complain;
use crate::text::number;

/// What is done about a record without a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BadPolicy {
    /// End with an error: at the first one, and `which` and `get`, which answer every record, after
    /// the last record
    #[default]
    Fail,
    /// Leave them out
    Skip,
    /// Leave them out, and say at the end how many there were and which was the first
    Warn,
}

/// The records of one page or piece that have no key.
#[derive(Debug, Default)]
pub struct BadRecords {
    policy: BadPolicy,
    /// Follows an error about a record.
    hint: &'static str,
    /// The number of records of the piece in the pages before this one.
    before: usize,
    /// The numbers of the records without a key, ascending.
    records: Vec<usize>,
    /// The reason for the first.
    first: Option<String>,
    /// Records that are left out because their key is empty. They are not bad.
    pub empty: u64,
}

impl BadRecords {
    /// Makes an empty list.
    pub fn new(policy: BadPolicy, hint: &'static str) -> Self {
        Self { policy, hint, ..Self::default() }
    }

    /// Makes an empty list for another piece of the same input.
    pub fn another(&self) -> Self {
        Self::new(self.policy, self.hint)
    }

    /// The reason of a record, followed by the hint.
    pub fn hinted(&self, text: &str) -> String {
        format!("{text}{}", self.hint)
    }

    /// Empties the list.
    pub fn clear(&mut self) {
        (self.before, self.first, self.empty) = (0, None, 0);
        self.records.clear();
    }

    /// Moves to the next page of the piece, after a page of this many records.
    pub fn next_page(&mut self, records: usize) {
        self.before += records;
    }

    /// Are these records left out?
    pub fn are_left_out(&self) -> bool {
        self.policy != BadPolicy::Fail
    }

    /// Adds a record of this page that has no key. Refuses it if the policy is to end at the first
    /// one.
    #[cold]
    pub fn push(&mut self, record: usize, text: String) -> Result<(), Refused> {
        if !self.are_left_out() {
            return Err(Refused { record, text });
        }
        self.first.get_or_insert(text);
        self.records.push(self.before + record);
        Ok(())
    }

    /// The numbers of the records in the page or piece.
    pub fn records(&self) -> &[usize] {
        &self.records
    }
}

/// The count of records without a key in all inputs.
#[derive(Debug, Default)]
pub struct BadTotal {
    records: u64,
    /// The place of the first, and the reason.
    first: Option<String>,
    /// The records that were left out because their key is empty.
    empty: u64,
}

impl BadTotal {
    /// Adds the records without a key of a page, up to the last record that was taken.
    pub fn add(&mut self, page: &Page<'_>) {
        let bad = &*page.keys.bad;
        let records = bad.records.partition_point(|&record| record < page.taken);
        if let (Some(text), [first, ..], None) = (&bad.first, &bad.records[..records], &self.first) {
            self.first = Some(format!("{}: {text}", page.place(*first)));
        }
        self.records += records as u64;
        self.empty += bad.empty;
    }

    /// The number of records that were left out because their key is empty.
    pub fn empty(&self) -> u64 {
        self.empty
    }

    /// The number of these records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// `3 records had no key`; `None` if all had one.
    pub fn told(&self) -> Option<String> {
        (self.records > 0).then(|| format!("{} had no key", number::counted(self.records, "record")))
    }

    /// The failure for the first of these records, for a verb that went on after it.
    pub fn failure(&self) -> Option<Failure> {
        self.first.clone().map(Failure::Message)
    }

    /// Prints to standard error how many there are, and which is the first.
    pub fn warn(&self) {
        if let (Some(told), Some(first)) = (self.told(), &self.first) {
            complain(&format!("{told}; the first: {first}"));
        }
    }
}
