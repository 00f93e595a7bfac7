//! How many bits are set, and how many keys may go in before anybody looks at the bits.

/// How many bits are set, as far as inserting has to know, and when it has to look at them.
///
/// Near the capacity one key at a time reports each bit it sets, so the count is exact. Far from it
/// neither a key nor a batch reports anything, for speed, and the bits are counted again where
/// somebody has to know. Keys that come one at a time are not even added up there: so many are
/// granted at once, and what is left of the grant says how many went in
/// ([`BloomFilter::settle`](super::BloomFilter::settle)).
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Tally {
    /// With fewer set bits than this nothing is refused.
    pub(super) look_at: u64,
    /// What the last look found that new keys are refused for.
    pub(super) refusal: Option<Refusal>,
    /// Were all bits reported that were set since they were counted?
    pub(super) is_all_counted: bool,
    /// Are all of the free keys granted to go in one by one without being counted?
    is_under_grant: bool,
    /// Set bits when last known.
    pub(super) counted: u64,
    /// Where keys may be refused: so many may be given before anybody looks again. None, to begin
    /// with: the first look tells.
    pub(super) free: u64,
    /// Granted keys that have not gone in yet.
    left: u64,
}

/// Why new keys are refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Refusal {
    /// The keys that it was planned for are in, and one more might break the promise.
    Full,
    /// Keys like the members get in at about this rate, far above the promise.
    Spoiled(Rate),
}

/// A rate in four bytes that lie anywhere: a filter is small.
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

    /// For bits that change without being told of.
    pub(super) fn unknown() -> Self {
        Tally { is_all_counted: false, ..Tally::new(0) }
    }

    /// Is the count exact?
    pub(super) fn is_exact(&self) -> bool {
        self.is_all_counted && self.ungathered() == 0
    }

    /// Takes a key of the grant, if one is left.
    #[inline(always)]
    pub(super) fn take(&mut self) -> bool {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    /// Takes up to so many keys of the grant ahead, which count as inserted from then on.
    pub(super) fn take_ahead(&mut self, most: u64) -> u64 {
        let keys = self.left.min(most);
        self.left -= keys;
        keys
    }

    /// Gives back keys that were taken ahead and did not come. Nothing may have settled the grant
    /// meanwhile.
    pub(super) fn give_back(&mut self, keys: u64) {
        self.left += keys;
    }

    /// So many keys are free, and may go in without being counted. The grant before must have been
    /// taken back.
    pub(super) fn grant(&mut self, keys: u64) {
        (self.free, self.left, self.is_under_grant) = (keys, keys, true);
    }

    /// Is anything left of a grant?
    pub(super) fn is_granted(&self) -> bool {
        self.left > 0
    }

    /// Keys of the grant that went in.
    pub(super) fn ungathered(&self) -> u64 {
        if self.is_under_grant { self.free - self.left } else { 0 }
    }

    /// Ends the grant, and says how many keys went in by it. The others are free.
    pub(super) fn take_back(&mut self) -> u64 {
        let keys = self.ungathered();
        self.free -= keys;
        (self.left, self.is_under_grant) = (0, false);
        keys
    }

    /// Some keys went in, and nobody has counted the bits that they set.
    pub(super) fn add_uncounted(&mut self, keys: u64) {
        self.is_all_counted &= keys == 0;
    }

    /// All bits were counted.
    pub(super) fn recounted(&mut self, bits: u64) {
        (self.counted, self.is_all_counted) = (bits, true);
    }
}

/// How many keys were given, repeats included, where that is known: in one word, as in the file.
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
