//! Counters that threads update while they insert, without waiting for each other.

use alloc::boxed::Box;
use core::array;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use crate::bits::atomic::{AtomicBool, AtomicU64};

/// The number of threads that can add to a counter without contention. The model of all
/// interleavings uses one.
const STRIPES: usize = if cfg!(all(test, loom)) { 1 } else { 64 };

/// After this many keys of a stripe the sum is worth a check; after fewer in a filter of small
/// capacity.
const LOOK_EVERY: u64 = 256;
const LOOK_EVERY_SMALL: u64 = 16;

/// A number on a cache line of its own; in fact on two lines, since CPUs fetch them in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct Stripe(AtomicU64);

/// An exact count. Each thread adds to a stripe of its own.
#[derive(Debug)]
pub(super) struct StripedCounter {
    stripes: Box<[Stripe; STRIPES]>,
    /// The logarithm (base 2) of the keys of a stripe after which the sum is worth a check.
    look_every: u32,
}

impl StripedCounter {
    /// Makes a counter for about this many keys.
    pub(super) fn new(capacity: u64) -> Self {
        let look_every = (capacity / LOOK_EVERY).clamp(LOOK_EVERY_SMALL, LOOK_EVERY).ilog2();
        StripedCounter { stripes: Box::new(array::from_fn(|_| Stripe(AtomicU64::new(0)))), look_every }
    }

    /// Adds to the count. Returns `true` after at most some hundred keys, when the sum is worth a
    /// check.
    #[inline]
    pub(super) fn add(&self, count: u64) -> bool {
        let before = self.stripes[stripe()].0.fetch_add(count, Relaxed);
        before >> self.look_every != before.wrapping_add(count) >> self.look_every
    }

    /// The sum of all additions that have ended, and perhaps of some that run now.
    pub(super) fn sum(&self) -> u64 {
        self.stripes.iter().map(|stripe| stripe.0.load(Relaxed)).sum()
    }
}

/// A stripe for the running thread, from the address of its stack, which needs no operating system.
/// Threads that share a stripe count exactly too, but more slowly.
#[inline]
fn stripe() -> usize {
    let here = 0u8;
    let stack = (&raw const here).addr() as u64 >> 16;
    (stack.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % STRIPES
}

/// The result of a check of the filter.
pub(super) enum Next {
    /// `bits` more bits may surely be set before it is full; check again after `look_in`.
    Room { bits: u64, look_in: u64 },
    /// It is full.
    Full,
}

/// Decides when to check whether the filter is full, by the bits set in a sample of its lines.
///
/// One thread checks while the others wait at their next bit of the sample.
#[derive(Debug)]
pub(super) struct Watch {
    /// The share of the lines that are in the sample.
    share: f64,
    /// It never changes back, so its cache line can stay in every core's cache.
    full: AtomicBool,
    /// Check again at this number of set bits in the sample; [`LOOKING`] while a thread checks.
    look_at: AtomicU64,
    /// Up to this number of set bits in the sample the filter is surely not full.
    room_to: AtomicU64,
    /// The number of set bits in the sample.
    bits: Stripe,
}

/// Less than any number of bits, so a thread that sets a bit in the sample stops and waits.
const LOOKING: u64 = 0;

impl Watch {
    /// For a filter with a sample of the share `share`. The sample has `in_sample` set bits; the
    /// next one triggers a check.
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

    /// The number of bits of the whole filter that may still be set, by the last check.
    pub(super) fn room(&self) -> u64 {
        let in_sample = self.room_to.load(Relaxed).saturating_sub(self.bits.0.load(Relaxed));
        (in_sample as f64 / self.share) as u64
    }

    /// Counts bits that were set in the sample; `look` checks the filter.
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

    /// Checks now, whatever bits were set in the sample, unless another thread is checking.
    #[cold]
    pub(super) fn look_now(&self, look: impl FnOnce() -> Next) {
        if self.look_at.swap(LOOKING, AcqRel) != LOOKING {
            self.look_alone(look);
        }
    }

    /// Runs `work` while no other thread checks or runs such work. If it returns the number of bits
    /// that it set in the sample, a check follows; if it returns `None`, it changed nothing.
    /// Threads that set a bit of the sample meanwhile wait.
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

    /// Runs a check alone. Other threads wait at their next bit of the sample, so the result is
    /// that of a moment near the middle of the check.
    fn look_alone(&self, look: impl FnOnce() -> Next) {
        let before = self.bits.0.load(Relaxed);
        let next = look();
        let after = self.bits.0.load(Relaxed);
        self.plan(next, before.midpoint(after));
    }

    /// Plans the next check. The sample has `in_sample` set bits.
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
        // A thread that sees this also sees the writes above.
        self.look_at.store(look_at, Release);
    }
}

/// Lets the counting thread go on.
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
