//! How many bits are set, and how many keys may go in before anybody looks at the bits.

/// How many bits are set, as far as inserting has to know, and when it has to look at them.
///
/// One key at a time reports each bit it sets, so the count is exact. A batch far from the capacity reports
/// nothing, for speed; its keys are added up, each good for k bits at most, and the bits are counted again
/// where somebody has to know.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// Set bits when last known.
    pub(super) counted: u64,
    /// Bits that may have been set since.
    pub(super) uncounted: u64,
    /// Where keys may be refused: so many may be given before anybody looks again. None, to begin with: the first look
    /// tells.
    pub(super) free: u64,
    /// With fewer set bits than this nothing is refused.
    pub(super) look_at: u64,
    /// What the last look found that new keys are refused for.
    pub(super) refusal: Option<Refusal>,
}

/// Why new keys are refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Refusal {
    /// The keys that it was planned for are in, and one more might break the promise.
    Full,
    /// Keys like the members get in at this rate, far above the promise.
    Spoiled(f64),
}

impl Tally {
    pub(super) fn new(set_bits: u64) -> Self {
        Tally { counted: set_bits, uncounted: 0, free: 0, look_at: 0, refusal: None }
    }

    /// For bits that change without being told of.
    pub(super) fn unknown() -> Self {
        Tally { uncounted: u64::MAX, ..Tally::new(0) }
    }

    /// Is the count exact?
    pub(super) fn is_exact(&self) -> bool {
        self.uncounted == 0
    }

    /// Some keys went in, and may have set so many bits.
    pub(super) fn add_uncounted(&mut self, bits: u64) {
        self.uncounted = self.uncounted.saturating_add(bits);
    }

    /// All bits were counted.
    pub(super) fn recounted(&mut self, bits: u64) {
        (self.counted, self.uncounted) = (bits, 0);
    }
}
