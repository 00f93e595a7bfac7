//! A ribbon with its lines, and what filters and maps of a ribbon share.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::bits::ribbon::shape::RibbonShape;
use crate::bits::ribbon::thin::{self, Thin};
use crate::bits::ribbon::{ask, fingerprint, lowest, rate};
use crate::bits::{self, LINE_BYTES, Line};
use crate::error::{Error, Result};
use crate::facts::{Labels, RibbonFacts, Touched};
use crate::key::KeyHasher;
use crate::kinds::CheckBody;
use crate::kinds::in_file::BodyChecked;
use crate::kinds::storage::{Owned, PlainStorage, Ref};

/// A ribbon has fewer keys, and a table that becomes a ribbon has fewer fingerprints.
pub(super) const MOST_KEYS: u64 = 1 << 56;

/// A ribbon, its second ribbon (if any), and their lines. `Ribbon<()>` is without the lines.
#[derive(Clone)]
pub(crate) struct Ribbon<L = Owned> {
    pub(crate) shape: RibbonShape,
    /// The second ribbon; a map has none.
    pub(crate) thin: Option<Box<Thin>>,
    /// The number of its different keys.
    pub(crate) keys: u64,
    /// The greatest value that a key can have; 0 in a filter.
    pub(crate) greatest: u32,
    lines: L,
    /// The checks of the lines, if they are an opened file's.
    body_check: Option<Ref<dyn BodyChecked>>,
}

/// The properties beside the ribbon that filters and maps share.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RibbonMeta {
    pub(super) keys: KeyHasher,
    /// 1 in a map that gives every key a value.
    pub(super) promised_rate: f64,
    pub(super) labels: Option<Box<Labels>>,
}

impl RibbonMeta {
    pub(super) fn new(keys: KeyHasher, promised_rate: f64, labels: Labels) -> Result<Self> {
        labels.check()?;
        Ok(RibbonMeta { keys, promised_rate, labels: labels.kept() })
    }

    /// For an embedded form, which keeps neither the promised rate nor labels.
    pub(super) fn of_embedded(keys: &KeyHasher) -> Self {
        RibbonMeta { keys: keys.clone(), promised_rate: f64::MIN_POSITIVE, labels: None }
    }
}

impl Ribbon {
    /// Makes a ribbon that was just built.
    pub(super) fn built(shape: RibbonShape, thin: Option<Box<Thin>>, lines: Vec<Line>, keys: u64) -> Self {
        Ribbon { shape, thin, keys, greatest: 0, lines: Owned::new(lines), body_check: None }
    }
}

impl Ribbon<()> {
    /// Makes a ribbon without lines. It must have a shape if and only if it has keys, and fewer
    /// than 2^56 keys.
    pub(crate) fn new(shape: RibbonShape, keys: u64) -> Result<Self> {
        if keys >= MOST_KEYS {
            return Err(Error::parameter("the number of keys of a ribbon", keys, "fewer than 2^56"));
        }
        if (keys == 0) != shape.is_empty() {
            return Err(Error::damaged(format_args!(
                "the number of keys is {keys} in a ribbon of {} words",
                shape.words()
            )));
        }
        Ok(Ribbon { shape, thin: None, keys, greatest: 0, lines: (), body_check: None })
    }

    /// Adds a second ribbon, which picks `most` of 65,536 random keys: it must have at most as many
    /// keys as the first.
    pub(crate) fn with_second(self, second: &Ribbon<()>, most: u16) -> Result<Self> {
        let (picked, keys) = (second.keys, self.keys);
        if picked > keys {
            return Err(Error::damaged(format_args!(
                "{picked} keys in the second ribbon behind one of {keys}"
            )));
        }
        let thin = Thin::new(&self.shape, second.shape, picked, most)?;
        Ok(Ribbon { thin: Some(Box::new(thin)), ..self })
    }

    /// The same with these lines, whose unused bits must be 0.
    pub(super) fn with_checked_lines<L: PlainStorage>(self, lines: L) -> Result<Ribbon<L>> {
        self.check(lines.as_lines())?;
        Ok(self.with_lines(lines))
    }
}

/// Checks that unused bits are 0. The other bits may have any value.
impl CheckBody for Ribbon<()> {
    fn check(&self, lines: &[Line]) -> Result<()> {
        let words = bits::words(lines);
        match &self.thin {
            None => self.shape.check_padding(words),
            Some(thin) => thin.check_padding(&self.shape, words),
        }
    }
}

impl<L> Ribbon<L> {
    /// The same ribbon with these lines.
    pub(super) fn with_lines<M>(self, lines: M) -> Ribbon<M> {
        let Ribbon { shape, thin, keys, greatest, body_check, .. } = self;
        Ribbon { shape, thin, keys, greatest, lines, body_check }
    }

    /// The same ribbon for values up to this one.
    pub(crate) fn with_greatest(self, greatest: u32) -> Self {
        Ribbon { greatest, ..self }
    }

    /// The same ribbon with these checks of its lines.
    pub(super) fn checked_by(self, body_check: Option<Ref<dyn BodyChecked>>) -> Self {
        Ribbon { body_check, ..self }
    }

    /// The number of lines that it takes.
    pub(crate) fn num_lines(&self) -> u64 {
        thin::lines(&self.shape, self.thin.as_deref())
    }

    /// The number of words that it takes, without rounding up to whole lines.
    pub(crate) fn num_words(&self) -> u64 {
        thin::words(&self.shape, self.thin.as_deref())
    }

    /// The facts about the ribbon alone.
    pub(super) fn facts(&self) -> RibbonFacts {
        let fields = self.shape.fields();
        RibbonFacts {
            keys: self.keys,
            added: 0,
            bit_len: 64 * self.num_words(),
            columns: fields.columns,
            value_bits: fields.value_bits,
            layers: self.shape.layers().len() as u8,
            last_slots: fields.last,
            numbers: None,
            picked: self.thin.as_ref().map_or(0, |thin| thin.keys),
        }
    }
}

impl<L: PlainStorage> Ribbon<L> {
    pub(crate) fn as_lines(&self) -> &[Line] {
        self.lines.as_lines()
    }

    #[inline(always)]
    pub(super) fn words(&self) -> &[u64] {
        bits::words(self.lines.as_lines())
    }

    /// The slots of the first ribbon that a lookup of this hash adds; `None` for one without keys.
    pub(super) fn touched(&self, hash: u64) -> Option<Touched> {
        if self.shape.is_empty() {
            return None;
        }
        let (slots, columns) = ask::terms(&self.shape, self.words(), hash);
        let value_bits = self.shape.fields().value_bits.into();
        let fingerprint = lowest(fingerprint(hash), columns - value_bits);
        Some(Touched::Slots { slots, columns, fingerprint, value_bits })
    }

    /// The bytes of the lines.
    pub(super) fn size_in_bytes(&self) -> u64 {
        self.as_lines().len() as u64 * LINE_BYTES
    }

    /// The share of non-members for which it says yes. Costs a pass over a fiftieth of it, or less.
    pub(super) fn rate(&self) -> f64 {
        match self.keys {
            0 => 0.0,
            _ => {
                let passing = self.thin.as_ref().map_or(1.0, |thin| thin::share_of(thin.most));
                rate::rate(&self.shape, self.words()) * passing
            }
        }
    }

    /// Checks the lines against what the file says of them.
    pub(super) fn verify(&self) -> Result<()> {
        self.body_check.as_ref().map_or(Ok(()), |check| check.run(self.as_lines()))
    }

    /// Checks the lines before they are copied into another filter or file, whose new checksums
    /// would hide damage.
    pub(super) fn check_before_copying(&self) -> Result<()> {
        match &self.body_check {
            Some(check) if !check.has_passed() => check.run(self.as_lines()),
            _ => Ok(()),
        }
    }

    /// Moves the ribbon into memory: a copy, or the same memory.
    pub(super) fn into_owned(self) -> Result<Ribbon> {
        self.check_before_copying()?;
        let Ribbon { shape, thin, keys, greatest, lines, .. } = self;
        let lines = Owned::new(lines.into_lines()?);
        Ok(Ribbon { shape, thin, keys, greatest, lines, body_check: None })
    }
}

impl<L: PlainStorage, M: PlainStorage> PartialEq<Ribbon<M>> for Ribbon<L> {
    fn eq(&self, other: &Ribbon<M>) -> bool {
        self.keys == other.keys
            && self.shape.fields() == other.shape.fields()
            && self.thin == other.thin
            && self.as_lines() == other.as_lines()
    }
}
