//! What threads count while they insert, without waiting for each other.

use alloc::boxed::Box;
use core::array;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use crate::bits::atomic::{AtomicBool, AtomicU64};

/// As many threads as can add to a counter without meeting. A model of all interleavings keeps to
/// one.
const STRIPES: usize = if cfg!(all(test, loom)) { 1 } else { 64 };

/// After so many keys of a stripe it is worth a look at how many there are; after fewer where few
/// are to come.
const LOOK_EVERY: u64 = 256;
const LOOK_EVERY_SMALL: u64 = 16;

/// A number on a cache line of its own; two lines, since CPUs fetch them in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct Stripe(AtomicU64);

/// An exact count to which each thread adds at a place of its own.
#[derive(Debug)]
pub(super) struct Counter {
    stripes: Box<[Stripe; STRIPES]>,
    /// After 2 to this many keys of a stripe it is worth a look.
    look_every: u32,
}

impl Counter {
    /// For so many keys, about.
    pub(super) fn new(capacity: u64) -> Self {
        let look_every = (capacity / LOOK_EVERY).clamp(LOOK_EVERY_SMALL, LOOK_EVERY).ilog2();
        Counter { stripes: Box::new(array::from_fn(|_| Stripe(AtomicU64::new(0)))), look_every }
    }

    /// Adds to it. Now and then, after some hundreds at most, that is worth a look at the sum: then
    /// it says so.
    #[inline]
    pub(super) fn add(&self, count: u64) -> bool {
        let before = self.stripes[stripe()].0.fetch_add(count, Relaxed);
        before >> self.look_every != before.wrapping_add(count) >> self.look_every
    }

    /// All that was added before, and perhaps some of what is being added.
    pub(super) fn sum(&self) -> u64 {
        self.stripes.iter().map(|stripe| stripe.0.load(Relaxed)).sum()
    }
}

/// A number for the running thread, from where its stack lies: it needs no operating system.
/// Threads that get the same one count as exactly, and slower.
#[inline]
fn stripe() -> usize {
    let here = 0u8;
    let stack = (&raw const here).addr() as u64 >> 16;
    (stack.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % STRIPES
}

/// What a look at the filter found.
pub(super) enum Next {
    /// So many bits may surely be set before it is full; look again when so many are.
    Room { bits: u64, look_in: u64 },
    /// It is full.
    Full,
}

/// When to look whether the filter is full, judged by the bits set in a sample of its lines.
///
/// One thread looks while the others wait at their next bit of the sample.
#[derive(Debug)]
pub(super) struct Watch {
    /// The share of the lines that are in the sample.
    share: f64,
    /// It never changes back: it lies on a line that every thread may keep.
    full: AtomicBool,
    /// At so many set bits of the sample, look again; [`LOOKING`] while a thread does.
    look_at: AtomicU64,
    /// Up to so many set bits of the sample the filter is surely not full.
    room_to: AtomicU64,
    /// Set bits of the sample.
    bits: Stripe,
}

/// Less than any number of bits, so that whoever sets one in the sample comes and waits.
const LOOKING: u64 = 0;

impl Watch {
    /// For a filter of which `share` is watched, with `in_sample` set bits in that: to be looked at
    /// with the next one.
    pub(super) fn new(share: f64, in_sample: u64) -> Self {
        let watch = Watch {
            share,
            full: AtomicBool::new(false),
            look_at: AtomicU64::new(LOOKING),
            room_to: AtomicU64::new(LOOKING),
            bits: Stripe(AtomicU64::new(in_sample)),
        };
        watch.plan(Next::Room { bits: 1, look_in: 1 }, in_sample);
        watch
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// So many bits of the whole filter may still be set, as far as is known.
    pub(super) fn room(&self) -> u64 {
        let in_sample = self.room_to.load(Relaxed).saturating_sub(self.bits.0.load(Relaxed));
        (in_sample as f64 / self.share) as u64
    }

    /// Bits were set in the sample; `look` looks at the filter.
    #[inline]
    pub(super) fn add(&self, sampled: u64, look: impl FnOnce() -> Next) {
        if sampled > 0 && self.bits.0.fetch_add(sampled, Relaxed) + sampled >= self.look_at.load(Relaxed) {
            self.look(look);
        }
    }

    #[cold]
    fn look(&self, look: impl FnOnce() -> Next) {
        loop {
            let look_at = self.look_at.load(Acquire);
            if look_at == LOOKING {
                wait();
            } else if self.bits.0.load(Relaxed) < look_at {
                return;
            } else if self.look_at.compare_exchange(look_at, LOOKING, AcqRel, Relaxed).is_ok() {
                return self.look_alone(look);
            }
        }
    }

    /// Looks now, whatever bits were set in the sample; unless another thread does.
    #[cold]
    pub(super) fn look_now(&self, look: impl FnOnce() -> Next) {
        if self.look_at.swap(LOOKING, AcqRel) != LOOKING {
            self.look_alone(look);
        }
    }

    /// Does what must meet neither a look nor another of its kind: `work` sets so many bits of the
    /// sample, and then it is looked; or nothing is changed. Whoever sets a bit of the sample
    /// meanwhile waits.
    pub(super) fn alone(&self, work: impl FnOnce() -> Option<u64>, look: impl FnOnce() -> Next) -> bool {
        let look_at = loop {
            let look_at = self.look_at.load(Relaxed);
            if look_at == LOOKING {
                wait();
            } else if self.look_at.compare_exchange(look_at, LOOKING, AcqRel, Relaxed).is_ok() {
                break look_at;
            }
        };
        let sampled = work();
        match sampled {
            Some(sampled) => {
                self.bits.0.fetch_add(sampled, Relaxed);
                self.look_alone(look);
            }
            None => self.look_at.store(look_at, Release),
        }
        sampled.is_some()
    }

    /// The others stop too, at their next bit of the sample: the look is of about the middle of its
    /// time.
    fn look_alone(&self, look: impl FnOnce() -> Next) {
        let before = self.bits.0.load(Relaxed);
        let next = look();
        let after = self.bits.0.load(Relaxed);
        self.plan(next, before.midpoint(after));
    }

    /// When to look next, where the sample has `in_sample` bits set.
    fn plan(&self, next: Next, in_sample: u64) {
        let grown = |bits: u64| in_sample.saturating_add(((bits as f64 * self.share) as u64).max(1));
        let look_at = match next {
            Next::Room { bits, look_in } => {
                self.room_to.store(grown(bits), Relaxed);
                grown(look_in)
            }
            Next::Full => {
                self.full.store(true, Relaxed);
                self.room_to.store(0, Relaxed);
                u64::MAX
            }
        };
        // Whoever sees this sees the lines above.
        self.look_at.store(look_at, Release);
    }
}

/// Lets the thread that counts go on.
fn wait() {
    #[cfg(all(test, loom))]
    loom::thread::yield_now();
    #[cfg(all(feature = "std", not(all(test, loom))))]
    std::thread::yield_now();
    #[cfg(not(any(feature = "std", all(test, loom))))]
    core::hint::spin_loop();
}

#[cfg(all(test, not(loom)))]
mod tests;
