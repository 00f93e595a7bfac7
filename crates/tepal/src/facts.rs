//! What a filter is, as data: the source of every description, in words or as JSON.

#[cfg(any(feature = "table", feature = "static"))]
mod touched;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Calls, Door, Error, InWords, Result, Told, advice};
use crate::fields::check_text;
use crate::ids::{Format, KeyDomain, Kind, Layout, OverCapacity, Scheme};
use crate::key::Recipe;
#[cfg(any(feature = "table", feature = "static"))]
#[doc(hidden)]
pub use touched::Touched;

/// What a filter can do, for programs that take a filter of any kind. It follows from the kind and
/// the parameters of the filter. It costs nothing; [`Facts`] count bits.
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
    /// New keys can be inserted.
    pub insert: bool,
    /// Insert keys in large batches: each call copies the list of the added keys.
    pub prefers_all_at_once: bool,
    /// Keys can be removed.
    pub remove: bool,
    /// It counts the copies of a key.
    pub count: bool,
    /// Its keys expire.
    pub expire: bool,
    /// It grows past its capacity.
    pub grow: bool,
    /// The policy past its capacity can be changed.
    pub set_over_capacity: bool,
    /// It can be cleared and filled again.
    pub refill: bool,
    /// It can become the union with another filter.
    pub unite: bool,
    /// It can become the intersection with another filter.
    pub intersect: bool,
    /// It can be folded to a smaller filter of its kind.
    pub fold: bool,
    /// It can be made a static filter.
    pub become_static: bool,
    /// Known non-members can be excepted: they get `false`.
    pub except: bool,
    /// Its keys belong to segments.
    pub segments: bool,
    /// Its keys have values.
    pub values: bool,
}

/// Free text about the set, kept in the file. It never changes an answer.
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
    /// The name of the set.
    pub name: Option<String>,
    /// Where the keys came from.
    pub source: Option<String>,
    /// The date of the set, in the writer's own form.
    pub date: Option<String>,
    /// The field of a row that is the key. The filter sees only keys: a program that reads rows has
    /// to extract the field.
    pub field: Option<String>,
    /// The syntax of the rows that contain [`field`](Self::field): `csv 2c`, `plain 09`, `json`; or
    /// `whole` if whole records are the keys (FORMAT.md, section 4.3).
    pub rows: Option<String>,
}

impl Labels {
    /// Labels without any text.
    #[must_use]
    pub const fn new() -> Self {
        Labels { name: None, source: None, date: None, field: None, rows: None }
    }

    /// The labels in the form that a filter stores: `None` for no text, since most have none.
    pub(crate) fn kept(&self) -> Option<Box<Labels>> {
        self.tagged().next().is_some().then(|| Box::new(self.clone()))
    }

    /// Sets the name of the set.
    #[must_use]
    pub fn name(mut self, text: impl Into<String>) -> Self {
        self.name = Some(text.into());
        self
    }

    /// Sets the source of the keys.
    #[must_use]
    pub fn source(mut self, text: impl Into<String>) -> Self {
        self.source = Some(text.into());
        self
    }

    /// Sets the date, in the writer's own form.
    #[must_use]
    pub fn date(mut self, text: impl Into<String>) -> Self {
        self.date = Some(text.into());
        self
    }

    /// Sets the field of a row that is the key.
    #[must_use]
    pub fn field(mut self, text: impl Into<String>) -> Self {
        self.field = Some(text.into());
        self
    }

    /// Sets the syntax of the rows that contain the field, or `whole` for whole records as keys.
    ///
    /// ```
    /// use tepal::{BloomFilter, facts::Labels};
    /// let of_rows = |rows| BloomFilter::builder().capacity(9).labels(Labels::new().field("email").rows(rows)).build();
    /// assert!(of_rows("csv 2c").is_ok());             // between commas, perhaps in quotes
    /// assert!(of_rows("csv 2c 5c").is_ok());          // and a backslash escapes the next byte
    /// assert!(of_rows("plain 09 nul").is_ok());       // between tabs; records end with NUL
    /// assert!(of_rows("plain 09 empty").is_ok());     // empty fields are keys too
    /// assert!(of_rows("whole").is_err());             // only without a field
    /// assert!(of_rows("CSV").is_err());
    /// ```
    #[must_use]
    pub fn rows(mut self, text: impl Into<String>) -> Self {
        self.rows = Some(text.into());
        self
    }

    /// Tag and text of each label that is set, in file order (FORMAT.md, section 4.3).
    pub(crate) fn tagged(&self) -> impl Iterator<Item = (u16, &str)> {
        [(1, &self.name), (2, &self.source), (3, &self.date), (4, &self.field), (ROWS, &self.rows)]
            .into_iter()
            .filter_map(|(tag, text)| Some((tag, text.as_deref()?)))
    }

    /// Sets the text of a tag; returns `false` if no label has this tag.
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

    /// Checks that a file can hold the texts.
    pub(crate) fn check(&self) -> Result<()> {
        self.tagged().try_for_each(|(_, text)| check_text("a label", text))?;
        self.check_rows()?;
        let len: usize = self.tagged().map(|(_, text)| text.len()).sum();
        if len > MOST_LABEL_BYTES {
            let expected = alloc::format!("at most {MOST_LABEL_BYTES} together");
            return Err(Error::parameter("the length of the labels", format_args!("{len} bytes"), expected));
        }
        Ok(())
    }

    /// Checks that the label for rows has the syntax of section 4.3, with the label of the field.
    pub(crate) fn check_rows(&self) -> Result<()> {
        match &self.rows {
            Some(rows) if !is_rows(rows, self.field.as_deref()) => Err(Error::parameter(
                "the label for rows",
                rows,
                "csv 2c, plain 09 or json with the label of the field set, or whole without it",
            )),
            _ => Ok(()),
        }
    }
}

/// Is this the label for rows of which `field` is the key?
fn is_rows(rows: &str, field: Option<&str>) -> bool {
    let Some(field) = field else { return rows == "whole" };
    if rows == "empty" {
        return true;
    }
    let is_pointer = field.starts_with('/');
    let form = rows.strip_suffix(" empty").unwrap_or(rows);
    let (form, nul) = form.strip_suffix(" nul").map_or((form, false), |form| (form, true));
    let mut words = form.split(' ');
    match (words.next(), words.next(), words.next(), words.next()) {
        (Some("json"), None, ..) => is_pointer,
        (Some("plain"), Some(separator), None, _) => is_separator(separator) && !is_pointer,
        (Some("csv"), Some(separator), escape, None) => {
            is_separator(separator)
                && escape.is_none_or(|escape| is_separator(escape) && escape != separator)
                && !is_pointer
                && !nul
        }
        _ => false,
    }
}

/// The tag of the label for the syntax of rows.
const ROWS: u16 = 7;

/// Are these the two hexadecimal digits of a byte that can separate fields?
fn is_separator(digits: &str) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    digits.len() == 2
        && digits.as_bytes().iter().all(is_digit)
        && !matches!(digits, "00" | "0a" | "0d" | "22")
}

/// The most bytes of labels. The rest of a file's records is left for their tags and padding and
/// for a scheme's parameter.
const MOST_LABEL_BYTES: usize = 65_000;

/// Everything known about a filter, as data ([`AnyFilter::facts`](crate::AnyFilter::facts),
/// [`Opened::facts`](crate::Opened::facts)). Computed in passes over all bits.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Facts {
    /// The kind of the filter.
    pub kind: Kind,
    /// How the bytes of a key become a hash, or bits.
    pub scheme: Scheme,
    /// The public seed of the hash, if the scheme has one.
    pub seed: Option<u64>,
    /// The seed of [`Scheme::ValkeyBloom`].
    pub valkey_seed: Option<[u8; 32]>,
    /// The name of the caller's hash, for [`Scheme::CallerHash`].
    pub caller_hash: Option<String>,
    /// The key domain.
    pub key_domain: KeyDomain,
    /// The changes made to a key before hashing.
    pub recipe: Recipe,
    /// The planned number of different keys; for a chain, the sum over its filters.
    pub capacity: u64,
    /// The false-positive rate promised up to that capacity.
    pub promised_false_positive_rate: f64,
    /// For a chain: the capacity of the next filter divided by that of the newest one. `None` for a
    /// filter that does not grow.
    pub expansion: Option<u32>,
    /// How long it keeps a key; `None` for a filter without a window.
    pub window: Option<WindowFacts>,
    /// The number of keys that get `false` although their bits are set.
    pub exceptions: u64,
    /// Does a divider know the exceptions, so that no further key can be inserted?
    pub is_divided: bool,
    /// What happens past the capacity.
    pub over_capacity: OverCapacity,
    /// Does it hold more keys than its capacity, estimated from the bits?
    pub is_over_capacity: bool,
    /// Does it refuse every new key? [`AnyFilter::is_full`](crate::AnyFilter::is_full).
    pub is_full: bool,
    /// Keys given to it, repeats included, if known. For a union the sum of both, for a table the
    /// number of copies in it ([`AnyFilter::keys_inserted`](crate::AnyFilter::keys_inserted)). The
    /// number of different keys is at most this.
    pub keys_inserted: Option<u64>,
    /// Estimated number of different keys, from the bits.
    pub estimated_len: f64,
    /// The false-positive rate now.
    pub false_positive_rate: f64,
    /// Bytes of the bits in memory.
    pub size_in_bytes: u64,
    /// Free text about the set.
    pub labels: Labels,
    /// Its Bloom filters, the oldest first: one, or the links of a chain. Empty for a kind that has
    /// [`tables`](Self::tables).
    pub parts: Vec<PartFacts>,
    /// Its tables of numbers, the oldest first. Empty for a Bloom filter.
    pub tables: Vec<TableFacts>,
    /// The segments of a segment filter, by their numbers, or the named values of a map. Empty for
    /// other kinds.
    pub segments: Vec<SegmentFacts>,
    /// Its ribbon; `None` for other kinds.
    pub ribbon: Option<RibbonFacts>,
    /// What its user should know.
    pub warnings: Vec<Warning>,
    /// Its file, if it was opened from one or is to be written.
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
    /// The planned number of different keys.
    pub capacity: u64,
    /// Keys given to it, repeats included, if known; for a union the sum of both.
    pub keys_inserted: Option<u64>,
    /// Bits that are set.
    pub set_bits: u64,
    /// The false-positive rate of this filter now.
    pub false_positive_rate: f64,
}

impl PartFacts {
    /// The share of bits that are set.
    #[must_use]
    pub fn fill_ratio(&self) -> f64 {
        self.set_bits as f64 / self.bit_len as f64
    }

    /// Bits of the array divided by the capacity.
    #[must_use]
    pub fn bits_per_key(&self) -> f64 {
        self.bit_len as f64 / self.capacity as f64
    }
}

/// A ribbon, as data (FORMAT.md, section 2.8).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RibbonFacts {
    /// The number of different keys in it.
    pub keys: u64,
    /// The number of keys that were added beside the ribbon, at 8 bytes each.
    pub added: u64,
    /// Bits of the whole filter, with the added keys.
    pub bit_len: u64,
    /// Stored bits for each key; some keys have one more.
    pub columns: u8,
    /// How many of the stored bits are the value of the key; 0 in a filter.
    pub value_bits: u8,
    /// Layers of slots.
    pub layers: u8,
    /// Slots for the keys that are in no layer.
    pub last_slots: u16,
    /// U, the size of the range of numbers, if it was made from a table; `None` if it was built
    /// from keys.
    pub numbers: Option<u64>,
    /// The number of keys with one more bit, in a second ribbon. It gives a rate between two powers
    /// of two. 0 if there is no second ribbon.
    pub picked: u64,
}

impl RibbonFacts {
    /// Different numbers in it, if it was made from a table: the [`keys`](Self::keys) that were not
    /// added later.
    #[must_use]
    pub fn distinct_numbers(&self) -> Option<u64> {
        self.numbers.map(|_| self.keys.saturating_sub(self.added))
    }
}

/// The window of an expiring filter: how long it keeps a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Window {
    /// A time span in the unit of the caller's clock; seconds in the files of the command.
    Time(u64),
    /// A number of keys: a key stays until this number of further keys is inserted.
    Keys(u64),
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Window::Time(length) => write!(f, "a time of {length}"),
            Window::Keys(1) => f.write_str("1 key"),
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
    /// The number of generations in a window. A key stays for up to one generation longer.
    pub generations: u8,
    /// The latest time given to the filter, `None` before the first. For a window of keys, the
    /// number of inserted keys.
    pub now: Option<u64>,
}

/// A segment of a segment filter, as data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SegmentFacts {
    /// The number of the segment.
    pub number: u16,
    /// The name of the segment, if it has one.
    pub name: Option<String>,
    /// The count of numbers in it: its different keys, except for the few keys with equal numbers.
    pub keys: u64,
}

/// One table of numbers, as data (FORMAT.md, section 2.7).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableFacts {
    /// U: the size of the range of numbers.
    pub numbers: u64,
    /// Bits of the remainder: the part of a number that its slot stores.
    pub remainder_bits: u8,
    /// Bits of the tag in a slot, beside the remainder.
    pub tag_bits: u8,
    /// Buckets in a line.
    pub buckets: u8,
    /// Slots in a line.
    pub slots: u8,
    /// Lines of 64 bytes.
    pub lines: u64,
    /// Slots in use.
    pub taken_slots: u64,
    /// Copies of keys: equal to the slots in use, or more if a slot has a count.
    pub keys: u64,
    /// Different numbers in the table.
    pub distinct_numbers: u64,
    /// The planned number of different keys.
    pub capacity: u64,
}

impl TableFacts {
    /// The load factor: the share of slots in use.
    #[must_use]
    pub fn load(&self) -> f64 {
        self.taken_slots as f64 / (self.lines as f64 * f64::from(self.slots))
    }

    /// Bits of the table divided by the slots in use, or by the capacity while no slot is in use.
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
    /// Which form of the format it is, if the format has two.
    pub form: Option<Form>,
    /// The version of a tepal file.
    pub format_version: Option<u16>,
    /// The length of the file in bytes.
    pub file_len: u64,
    /// Does a checksum cover the bits, so that every change to them is detected?
    pub has_checksum: bool,
    /// Chunks of a tepal file; each has its own checksum.
    pub chunks: Option<u64>,
    /// Is it sealed?
    pub is_sealed: bool,
    /// What the format does not record, so that it was given by the caller or computed.
    pub not_recorded: Vec<Unrecorded>,
}

/// The form of a file, for a format with two: RedisBloom.
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
    /// The pairs that `BF.SCANDUMP` gives and `BF.LOADCHUNK` takes, in a row.
    Pairs,
    /// The payload that `DUMP` gives and `RESTORE` takes, with a checksum.
    Dump,
}

impl Form {
    /// All forms.
    pub const ALL: &'static [Form] = &[Form::Pairs, Form::Dump];

    /// The name as it is printed: `pairs`, `dump`.
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

/// A property of a filter that its file does not record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unrecorded {
    /// How keys become bytes. The caller gave it, or it was assumed to be bytes.
    KeyDomain,
    /// The capacity and the rate. Both were computed from the size.
    Plan,
    /// The number of inserted keys.
    KeysInserted,
}

/// What a user should know about a filter: promises that its scheme cannot keep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// The scheme has positions of 31 bits: a large filter errs more often than its formula says.
    Positions31Bits {
        /// The scheme.
        scheme: Scheme,
        /// The rate of a half full filter of this size.
        rate: f64,
        /// The rate that the formula gives for it.
        expected: f64,
    },
    /// The members fall on few of the filter's lines. Keys that were chosen by the same hash are
    /// found wrongly far more often than others.
    Clustered {
        /// The rate now for keys like the members.
        rate: f64,
        /// The rate now for keys from anywhere.
        elsewhere: f64,
    },
    /// The keys added beside a ribbon take more than a tenth of the filter's memory.
    ManyAdded {
        /// The number of added keys.
        added: u64,
        /// The bytes of the added keys.
        bytes: u64,
        /// The bytes of the whole filter.
        of: u64,
    },
    /// The scheme is weak: colliding keys can be written down by hand.
    Weak {
        /// The scheme.
        scheme: Scheme,
    },
}

impl Warning {
    /// The text in the words of a door. `Display` gives it in the library's own.
    pub fn in_words<'a>(&'a self, door: &'a dyn Door) -> impl fmt::Display + use<'a> {
        InWords(self, door)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tell(f, &Calls)
    }
}

impl Told for Warning {
    fn tell(&self, f: &mut fmt::Formatter<'_>, door: &dyn Door) -> fmt::Result {
        match self {
            Warning::Positions31Bits { scheme, rate, expected } => write!(
                f,
                "positions of the scheme {scheme} are 31 bits: half full, a filter of this size errs at {:.2} %, \
                 where {:.2} % would be expected",
                100.0 * rate,
                100.0 * expected
            ),
            Warning::Clustered { rate, elsewhere } => {
                write!(
                    f,
                    "the keys fall on few of the filter's lines, as if they had been chosen by its own hash: others like them \
                     are wrongly found at {:.2} %, keys from anywhere at {:.2} %; ",
                    100.0 * rate,
                    100.0 * elsewhere
                )?;
                advice!("build it with a seed of its own", Seed, ", or divide the keys by another hash")
                    .tell(f, door)
            }
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
