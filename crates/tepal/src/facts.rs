//! What a filter is, as data: the one source of whatever shows a filter, in words or as JSON.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, Result};
use crate::fields::check_text;
use crate::ids::{Format, KeyDomain, Kind, Layout, OverCapacity, Scheme};
use crate::key::Recipe;

/// What a filter can do: for programs that take a filter of any kind. It follows from the kind and
/// from how the filter was built, and costs nothing, where [`Facts`] take passes over the bits.
///
/// ```
/// use tepal::Filter;
/// let seen = tepal::BloomFilter::builder().capacity(100).build()?;
/// assert!(seen.can().insert && !seen.can().remove);
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Can {
    /// It takes keys as they come.
    pub insert: bool,
    /// It takes keys better all at once: each call copies a list beside what was built.
    pub prefers_all_at_once: bool,
    /// Keys can be removed.
    pub remove: bool,
    /// It counts copies of keys.
    pub count: bool,
    /// Its keys expire.
    pub expire: bool,
    /// It grows: its capacity is no limit.
    pub grow: bool,
    /// What happens past its capacity can be changed.
    pub set_over_capacity: bool,
    /// It can be cleared and filled again.
    pub refill: bool,
    /// It takes on all keys of another one.
    pub unite: bool,
    /// It keeps what another one has too.
    pub intersect: bool,
    /// It becomes a smaller filter of its kind.
    pub fold: bool,
    /// It becomes a static filter.
    pub become_static: bool,
    /// It says no for known keys.
    pub except: bool,
    /// Its keys are in segments.
    pub segments: bool,
    /// Its keys have values.
    pub values: bool,
}

/// Free text about the set that travels in the file. None of it changes an answer.
///
/// ```
/// use tepal::{BloomFilter, facts::Labels};
/// let labels = Labels::new().name("blocked accounts").source("accounts.csv").date("2026-11-22");
/// let filter = BloomFilter::builder().capacity(1000).labels(labels).build()?;
/// assert_eq!(filter.labels().name.as_deref(), Some("blocked accounts"));
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Labels {
    /// Name of the set.
    pub name: Option<String>,
    /// Where the keys came from.
    pub source: Option<String>,
    /// When, in the writer's own form.
    pub date: Option<String>,
    /// Which field of a row is the key. Whoever reads rows has to take it from there; the filter
    /// sees keys.
    pub field: Option<String>,
    /// How the rows are written of which [`field`](Self::field) names one: `csv 2c`, `plain 09`,
    /// `json` (FORMAT.md, section 4.3).
    pub rows: Option<String>,
}

impl Labels {
    /// No text.
    #[must_use]
    pub const fn new() -> Self {
        Labels { name: None, source: None, date: None, field: None, rows: None }
    }

    /// As a filter keeps them: most have none.
    pub(crate) fn kept(&self) -> Option<Box<Labels>> {
        self.tagged().next().is_some().then(|| Box::new(self.clone()))
    }

    /// Name of the set.
    #[must_use]
    pub fn name(mut self, text: impl Into<String>) -> Self {
        self.name = Some(text.into());
        self
    }

    /// Where the keys came from.
    #[must_use]
    pub fn source(mut self, text: impl Into<String>) -> Self {
        self.source = Some(text.into());
        self
    }

    /// When, in the writer's own form.
    #[must_use]
    pub fn date(mut self, text: impl Into<String>) -> Self {
        self.date = Some(text.into());
        self
    }

    /// Which field of a row is the key.
    #[must_use]
    pub fn field(mut self, text: impl Into<String>) -> Self {
        self.field = Some(text.into());
        self
    }

    /// How the rows are written of which a field is the key.
    ///
    /// ```
    /// use tepal::{BloomFilter, facts::Labels};
    /// let of_rows = |rows| BloomFilter::builder().capacity(9).labels(Labels::new().field("email").rows(rows)).build();
    /// assert!(of_rows("csv 2c").is_ok());             // between commas, perhaps in quotes
    /// assert!(of_rows("plain 09 nul").is_ok());       // between tabs; records end with NUL
    /// assert!(of_rows("CSV").is_err());
    /// ```
    #[must_use]
    pub fn rows(mut self, text: impl Into<String>) -> Self {
        self.rows = Some(text.into());
        self
    }

    /// Tag and text of each label that is there, in file order (FORMAT.md, section 4.3).
    pub(crate) fn tagged(&self) -> impl Iterator<Item = (u16, &str)> {
        [(1, &self.name), (2, &self.source), (3, &self.date), (4, &self.field), (ROWS, &self.rows)]
            .into_iter()
            .filter_map(|(tag, text)| Some((tag, text.as_deref()?)))
    }

    /// Takes the text of a tag; `false` where it is none of theirs.
    pub(crate) fn set(&mut self, tag: u16, text: String) -> bool {
        let place = match tag {
            1 => &mut self.name,
            2 => &mut self.source,
            3 => &mut self.date,
            4 => &mut self.field,
            ROWS => &mut self.rows,
            _ => return false,
        };
        *place = Some(text);
        true
    }

    /// The texts must be such as a file can hold.
    pub(crate) fn check(&self) -> Result<()> {
        self.tagged().try_for_each(|(_, text)| check_text("a label", text))?;
        self.check_rows()?;
        let len: usize = self.tagged().map(|(_, text)| text.len()).sum();
        if len > MOST_LABEL_BYTES {
            let expected = alloc::format!("at most {MOST_LABEL_BYTES} together");
            return Err(Error::parameter("the labels", format_args!("{len} bytes"), expected));
        }
        Ok(())
    }

    /// How rows are written must be said as section 4.3 says, and of a field.
    pub(crate) fn check_rows(&self) -> Result<()> {
        let Some(rows) = &self.rows else { return Ok(()) };
        let is_pointer = self.field.as_ref().map(|field| field.starts_with('/'));
        let (form, nul) = rows.strip_suffix(" nul").map_or((rows.as_str(), false), |form| (form, true));
        let is_known = match form.split_once(' ') {
            None => form == "json" && is_pointer == Some(true),
            Some((form, separator)) => {
                (form == "plain" || (form == "csv" && !nul))
                    && is_separator(separator)
                    && is_pointer == Some(false)
            }
        };
        match is_known {
            true => Ok(()),
            false => {
                Err(Error::parameter("the label rows", rows, "csv 2c, plain 09 or json, and the label field"))
            }
        }
    }
}

/// The tag of the label that says how rows are written.
const ROWS: u16 = 7;

/// Two hexadecimal digits of a byte that may stand between fields.
fn is_separator(digits: &str) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    digits.len() == 2
        && digits.as_bytes().iter().all(is_digit)
        && !matches!(digits, "00" | "0a" | "0d" | "22")
}

/// Labels that leave room in a file's records for their tags and padding and for a scheme's
/// parameter.
const MOST_LABEL_BYTES: usize = 65_000;

/// Everything that is to know of a filter, as data ([`AnyFilter::facts`](crate::AnyFilter::facts),
/// [`Opened::facts`](crate::Opened::facts)). Made by passes over the bits.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Facts {
    /// What the filter is.
    pub kind: Kind,
    /// How key bytes become a hash, or bits.
    pub scheme: Scheme,
    /// The public seed of the hash, where the scheme has one.
    pub seed: Option<u64>,
    /// The seed of [`Scheme::ValkeyBloom`].
    pub valkey_seed: Option<[u8; 32]>,
    /// The name of the hash that the caller computes, under [`Scheme::CallerHash`].
    pub caller_hash: Option<String>,
    /// What the keys are.
    pub key_domain: KeyDomain,
    /// What is done to a key first.
    pub recipe: Recipe,
    /// Different keys it was planned for; of a chain, of all its filters.
    pub capacity: u64,
    /// The share of wrong answers promised up to that capacity.
    pub promised_false_positive_rate: f64,
    /// How many times the keys of its newest filter the next one of a chain is for; nothing of what
    /// does not grow.
    pub expansion: Option<u32>,
    /// How long it keeps a key; nothing of what forgets none.
    pub window: Option<WindowFacts>,
    /// Keys that it says no for though its bits say yes.
    pub exceptions: u64,
    /// Does it know them by a divider, so that it takes no further key?
    pub is_divided: bool,
    /// What happens when more keys come.
    pub over_capacity: OverCapacity,
    /// Does it hold more than its capacity, going by the bits?
    pub is_over_capacity: bool,
    /// Does it refuse every new key? [`AnyFilter::is_full`](crate::AnyFilter::is_full).
    pub is_full: bool,
    /// Keys given to it, repeats included, where that is known; of a union the sum of both, of a
    /// table what it holds ([`AnyFilter::keys_inserted`](crate::AnyFilter::keys_inserted)). At most
    /// so many are different.
    pub keys_inserted: Option<u64>,
    /// Different keys in it, going by the bits.
    pub estimated_len: f64,
    /// The share of wrong answers now.
    pub false_positive_rate: f64,
    /// Bytes of the bits in memory.
    pub size_in_bytes: u64,
    /// Free text about the set.
    pub labels: Labels,
    /// The Bloom filters that it consists of, the oldest first: one, or the links of a chain; none
    /// of a kind that has [`tables`](Self::tables).
    pub parts: Vec<PartFacts>,
    /// The tables of numbers that it consists of, the oldest first; none of a Bloom filter.
    pub tables: Vec<TableFacts>,
    /// The segments of a segment filter, by their numbers, and the values of a map that have names;
    /// none of another kind.
    pub segments: Vec<SegmentFacts>,
    /// The ribbon that it is; nothing of other kinds.
    pub ribbon: Option<RibbonFacts>,
    /// What its user should know.
    pub warnings: Vec<Warning>,
    /// The file, where it is one that was opened or is to be written.
    pub file: Option<FileFacts>,
}

/// One Bloom filter, as data.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PartFacts {
    /// Which bits a hash sets.
    pub layout: Layout,
    /// Bits set for each key.
    pub num_hashes: u32,
    /// Bits of the array.
    pub bit_len: u64,
    /// Different keys it was planned for.
    pub capacity: u64,
    /// Keys given to it, repeats included, where that is known; of a union the sum of both.
    pub keys_inserted: Option<u64>,
    /// Bits that are set.
    pub set_bits: u64,
    /// The share of wrong answers of this one now.
    pub false_positive_rate: f64,
}

impl PartFacts {
    /// The share of bits that are set.
    #[must_use]
    pub fn fill_ratio(&self) -> f64 {
        self.set_bits as f64 / self.bit_len as f64
    }

    /// Bits of the array for each key of the capacity.
    #[must_use]
    pub fn bits_per_key(&self) -> f64 {
        self.bit_len as f64 / self.capacity as f64
    }
}

/// A ribbon, as data (FORMAT.md, section 2.8).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RibbonFacts {
    /// Different keys in it.
    pub keys: u64,
    /// So many of them were added beside the ribbon, 8 bytes each.
    pub added: u64,
    /// Bits of everything in it, those of the added keys too.
    pub bit_len: u64,
    /// Bits that are stored for a key; some have one more.
    pub columns: u8,
    /// How many of these bits are those of its value; 0 in a filter.
    pub value_bits: u8,
    /// Layers of slots.
    pub layers: u8,
    /// Slots of the keys that are in none of them.
    pub last_slots: u16,
    /// Of how many numbers its keys are, where it was made of a table; `None` where it was built of
    /// keys.
    pub numbers: Option<u64>,
    /// Keys that a second ribbon has one more bit of, for a rate between two powers of two; 0 where
    /// there is none.
    pub picked: u64,
}

impl RibbonFacts {
    /// Different numbers in it, where it was made of a table: of its [`keys`](Self::keys) those
    /// that were not added.
    #[must_use]
    pub fn distinct_numbers(&self) -> Option<u64> {
        self.numbers.map(|_| self.keys.saturating_sub(self.added))
    }
}

/// How long an expiring filter keeps a key: its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Window {
    /// So much time, in the unit of the caller's clock: seconds, in the files of the command.
    Time(u64),
    /// Until so many keys were inserted.
    Keys(u64),
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Window::Time(length) => write!(f, "a time of {length}"),
            Window::Keys(keys) => write!(f, "{keys} keys"),
        }
    }
}

/// The window of an expiring filter, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WindowFacts {
    /// How long keys stay.
    pub window: Window,
    /// In how many generations it is counted: keys stay for up to one more.
    pub generations: u8,
    /// The latest time that the filter was told, and nothing before it was told any; in a window of
    /// keys, how many were inserted.
    pub now: Option<u64>,
}

/// A segment of a segment filter, as data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SegmentFacts {
    /// Its number.
    pub number: u16,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// How many numbers it holds: different keys, but for those few whose numbers are equal.
    pub keys: u64,
}

/// One table of numbers, as data (FORMAT.md, section 2.7).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableFacts {
    /// U: how many numbers there are.
    pub numbers: u64,
    /// Bits of a number that stand in its slot.
    pub remainder_bits: u8,
    /// Bits of a slot beside these.
    pub tag_bits: u8,
    /// Buckets that a line is home to.
    pub buckets: u8,
    /// Slots of a line.
    pub slots: u8,
    /// Lines, of 64 bytes each.
    pub lines: u64,
    /// Slots that are taken.
    pub taken_slots: u64,
    /// Copies of keys: as many as slots that are taken, or more where copies are counted.
    pub keys: u64,
    /// Different numbers in it.
    pub distinct_numbers: u64,
    /// Different keys it was planned for.
    pub capacity: u64,
}

impl TableFacts {
    /// The share of slots that are taken.
    #[must_use]
    pub fn load(&self) -> f64 {
        self.taken_slots as f64 / (self.lines as f64 * f64::from(self.slots))
    }

    /// Bits of the table for each slot that is taken; for each key of the capacity where none is.
    #[must_use]
    pub fn bits_per_key(&self) -> f64 {
        let keys = if self.taken_slots == 0 { self.capacity } else { self.taken_slots };
        512.0 * self.lines as f64 / keys as f64
    }
}

/// A file, as data.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FileFacts {
    /// Its format.
    pub format: Format,
    /// Which of its forms it is, where the format has two.
    pub form: Option<Form>,
    /// The version of a tepal file.
    pub format_version: Option<u16>,
    /// Its bytes.
    pub file_len: u64,
    /// Are the bits under a checksum, so that every change of them is found?
    pub has_checksum: bool,
    /// Pieces of a tepal file with a checksum of their own.
    pub chunks: Option<u64>,
    /// Is it sealed?
    pub is_sealed: bool,
    /// What files of this format do not say, so that it was told or worked out.
    pub not_recorded: Vec<Unrecorded>,
}

/// Which form of file it is, where a program writes its filter in two: RedisBloom's.
///
/// ```
/// # #[cfg(feature = "foreign")] {
/// use tepal::{BloomFilter, Opened, Scheme, facts::Form, file::Format};
/// let filter = BloomFilter::builder().scheme(Scheme::RedisBloom).capacity(1000).build_chain()?;
/// let dump = Opened::new(filter, Format::RedisBloom)?.in_form(Form::Dump)?;
/// assert_eq!(dump.form(), Some(Form::Dump));      // `RESTORE key 0` takes its bytes
/// # }
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// The pairs that `BF.SCANDUMP` gives and `BF.LOADCHUNK` takes, one after the other.
    Pairs,
    /// The payload that `DUMP` gives and `RESTORE` takes, with a checksum.
    Dump,
}

impl Form {
    /// All of them.
    pub const ALL: &'static [Form] = &[Form::Pairs, Form::Dump];

    /// The name, as it is printed: `pairs`, `dump`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Form::Pairs => "pairs",
            Form::Dump => "dump",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Something that a file does not say of its filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unrecorded {
    /// How keys become bytes: it was told, or bytes were assumed.
    KeyDomain,
    /// How many keys it was planned for, and at which rate: both were worked out from the size.
    Plan,
    /// How many keys were given to it.
    KeysInserted,
}

/// What the user of a filter should know: promises that its scheme cannot keep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Positions of 31 bits: a large filter errs more often than its formula says.
    Positions31Bits {
        /// The scheme.
        scheme: Scheme,
        /// The rate of a half full filter of this size.
        rate: f64,
        /// The rate that would be expected of it.
        expected: f64,
    },
    /// The members fall on few of the filter's lines: keys that were chosen by the same hash are
    /// wrongly found far more often than others.
    Clustered {
        /// The rate now for keys like the members.
        rate: f64,
        /// The rate now for keys from anywhere.
        elsewhere: f64,
    },
    /// Keys that were added beside a ribbon take more than a tenth of the filter.
    ManyAdded {
        /// So many keys.
        added: u64,
        /// They take so many bytes,
        bytes: u64,
        /// of so many in all.
        of: u64,
    },
    /// Colliding keys can be written down by hand.
    Weak {
        /// The scheme.
        scheme: Scheme,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Positions31Bits { scheme, rate, expected } => write!(
                f,
                "positions of the scheme {scheme} are 31 bits: half full, a filter of this size errs at {:.2} %, \
                 where {:.2} % would be expected",
                100.0 * rate,
                100.0 * expected
            ),
            Warning::Clustered { rate, elsewhere } => write!(
                f,
                "the keys fall on few of the filter's lines, as if they had been chosen by its own hash: others like them \
                 are wrongly found at {:.2} %, keys from anywhere at {:.2} %; build it with a seed of its own \
                 (`--seed-for`, `seed_for`), or divide the keys by another hash",
                100.0 * rate,
                100.0 * elsewhere
            ),
            Warning::ManyAdded { added, bytes, of } => write!(
                f,
                "the {added} keys that were added take {:.0} % of it, 8 bytes each; build it anew of all its keys",
                100.0 * *bytes as f64 / *of as f64
            ),
            Warning::Weak { scheme } => {
                write!(f, "the scheme {scheme} is weak: colliding keys can be written down by hand")
            }
        }
    }
}
