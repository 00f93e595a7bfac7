//! Records that have no key: what is done about them, how many there are, and which is the first.

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
    /// What comes behind an error about a record.
    hint: &'static str,
    /// So many records of the piece are in pages before this one.
    before: usize,
    /// Their numbers, ascending.
    records: Vec<usize>,
    /// What is wrong with the first.
    first: Option<String>,
}

impl BadRecords {
    /// None yet.
    pub fn new(policy: BadPolicy, hint: &'static str) -> Self {
        Self { policy, hint, ..Self::default() }
    }

    /// None yet, of another piece of the same input.
    pub fn another(&self) -> Self {
        Self::new(self.policy, self.hint)
    }

    /// What is wrong with a record, and what may be meant.
    pub fn hinted(&self, text: &str) -> String {
        format!("{text}{}", self.hint)
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        (self.before, self.first) = (0, None);
        self.records.clear();
    }

    /// Goes to the next page of the piece, after one of so many records.
    pub fn next_page(&mut self, records: usize) {
        self.before += records;
    }

    /// Whether they are left out.
    pub fn are_left_out(&self) -> bool {
        self.policy != BadPolicy::Fail
    }

    /// Takes a record of this page that has no key. It is refused where the first ends all.
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

/// The records without a key of all inputs.
#[derive(Debug, Default)]
pub struct BadTotal {
    records: u64,
    /// Where the first is, and what is wrong with it.
    first: Option<String>,
}

impl BadTotal {
    /// Adds those of a page, as far as the page was taken.
    pub fn add(&mut self, page: &Page<'_>) {
        let bad = &*page.keys.bad;
        let records = bad.records.partition_point(|&record| record < page.taken);
        if let (Some(text), [first, ..], None) = (&bad.first, &bad.records[..records], &self.first) {
            self.first = Some(format!("{}: {text}", page.place(*first)));
        }
        self.records += records as u64;
    }

    /// How many there are.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// `3 records had no key`; nothing where all had one.
    pub fn told(&self) -> Option<String> {
        (self.records > 0).then(|| format!("{} had no key", number::counted(self.records, "record")))
    }

    /// The failure of the first one, for a verb that went on after it.
    pub fn failure(&self) -> Option<Failure> {
        self.first.clone().map(Failure::Message)
    }

    /// Says on standard error how many there are, and which is the first.
    pub fn warn(&self) {
        if let (Some(told), Some(first)) = (self.told(), &self.first) {
            complain(&format!("{told}; the first: {first}"));
        }
    }
}
