//! The number of set bits, and how many keys may be inserted before the next check of the bits.

/// The number of set bits, as far as inserts need it, and when they need a check.
///
/// Near the capacity keys are inserted one at a time and report each bit they set, so the count is
/// exact. Far from the capacity neither keys nor batches report anything, for speed, and the bits
/// are counted again when the number is needed. Keys that are inserted one at a time are not even
/// added up there: a number of keys is granted at once, and the rest of the grant tells how many
/// were inserted ([`BloomFilter::settle`](super::BloomFilter::settle)).
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Tally {
    /// With fewer set bits than this nothing is refused.
    pub(super) look_at: u64,
    /// Why new keys are refused, by the last check.
    pub(super) refusal: Option<Refusal>,
    /// Whether all bits set since the last count were reported.
    pub(super) is_all_counted: bool,
    /// Whether all free keys are granted, for uncounted inserts one by one.
    is_under_grant: bool,
    /// The number of set bits when last known.
    pub(super) counted: u64,
    /// If keys may be refused: how many may be given before the next check. At first 0, so that the
    /// first key causes a check.
    pub(super) free: u64,
    /// Granted keys that have not been inserted yet.
    left: u64,
}

/// Why new keys are refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Refusal {
    /// The keys of the capacity are inserted, and one more might break the promise.
    Full,
    /// The rate for keys like the members, far above the promise.
    Spoiled(Rate),
}

/// A rate in four bytes, without alignment, to keep a filter small.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, packed)]
pub(super) struct Rate(f32);

impl Rate {
    pub(super) fn get(self) -> f64 {
        self.0.into()
    }
}

impl From<f64> for Rate {
    fn from(rate: f64) -> Self {
        Rate(rate as f32)
    }
}

impl Tally {
    pub(super) fn new(set_bits: u64) -> Self {
        Tally {
            left: 0,
            is_under_grant: false,
            counted: set_bits,
            free: 0,
            look_at: 0,
            refusal: None,
            is_all_counted: true,
        }
    }

    /// For bits that change without reports.
    pub(super) fn unknown() -> Self {
        Tally { is_all_counted: false, ..Tally::new(0) }
    }

    /// Whether the count is exact.
    pub(super) fn is_exact(&self) -> bool {
        self.is_all_counted && self.ungathered() == 0
    }

    /// Takes one key of the grant, if one is left.
    #[inline(always)]
    pub(super) fn take(&mut self) -> bool {
        // Stores the difference first, in one instruction, and corrects it in the rare case.
        let (left, was_none) = self.left.overflowing_sub(1);
        self.left = left;
        if was_none {
            self.left = 0;
        }
        !was_none
    }

    /// Takes up to `most` keys of the grant ahead; they count as inserted from then on.
    pub(super) fn take_ahead(&mut self, most: u64) -> u64 {
        let keys = self.left.min(most);
        self.left -= keys;
        keys
    }

    /// Gives back keys that were taken ahead and not inserted. The grant must not have been settled
    /// meanwhile.
    pub(super) fn give_back(&mut self, keys: u64) {
        self.left += keys;
    }

    /// Grants this many keys, for uncounted inserts. The grant before must have been taken back.
    pub(super) fn grant(&mut self, keys: u64) {
        (self.free, self.left, self.is_under_grant) = (keys, keys, true);
    }

    /// Whether anything is left of a grant.
    pub(super) fn is_granted(&self) -> bool {
        self.left > 0
    }

    /// The number of keys that were inserted under the grant.
    pub(super) fn ungathered(&self) -> u64 {
        if self.is_under_grant { self.free - self.left } else { 0 }
    }

    /// Ends the grant, and returns how many keys were inserted under it. The others are free.
    pub(super) fn take_back(&mut self) -> u64 {
        let keys = self.ungathered();
        self.free -= keys;
        (self.left, self.is_under_grant) = (0, false);
        keys
    }

    /// Counts keys that were inserted without counting the bits that they set.
    pub(super) fn add_uncounted(&mut self, keys: u64) {
        self.is_all_counted &= keys == 0;
    }

    /// Sets the number of bits after a full count.
    pub(super) fn recounted(&mut self, bits: u64) {
        (self.counted, self.is_all_counted) = (bits, true);
    }
}

/// The number of keys inserted, repeats included, if it is known: in one word, as in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Given(u64);

impl Given {
    const UNKNOWN: u64 = u64::MAX;

    pub(crate) fn get(self) -> Option<u64> {
        (self.0 != Given::UNKNOWN).then_some(self.0)
    }
}

impl From<Option<u64>> for Given {
    fn from(keys: Option<u64>) -> Self {
        Given(keys.unwrap_or(Given::UNKNOWN))
    }
}
