//! What threads count while they insert, without waiting for each other.

use alloc::boxed::Box;
use core::array;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use crate::bits::atomic::{AtomicBool, AtomicU64};

/// As many threads as can add to a counter without meeting. A model of all interleavings keeps to one.
const STRIPES: usize = if cfg!(all(test, loom)) { 1 } else { 64 };

/// A number on a cache line of its own; two lines, since CPUs fetch them in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct Stripe(AtomicU64);

/// An exact count to which each thread adds at a place of its own.
#[derive(Debug)]
pub(super) struct Counter(Box<[Stripe; STRIPES]>);

impl Counter {
    pub(super) fn new() -> Self {
        Counter(Box::new(array::from_fn(|_| Stripe(AtomicU64::new(0)))))
    }

    #[inline]
    pub(super) fn add(&self, count: u64) {
        self.0[stripe()].0.fetch_add(count, Relaxed);
    }

    /// All that was added before, and perhaps some of what is being added.
    pub(super) fn sum(&self) -> u64 {
        self.0.iter().map(|stripe| stripe.0.load(Relaxed)).sum()
    }
}

/// A number for the running thread, from where its stack lies: it needs no operating system. Threads that get the
/// same one count as exactly, and slower.
#[inline]
fn stripe() -> usize {
    let here = 0u8;
    let stack = (&raw const here).addr() as u64 >> 16;
    (stack.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % STRIPES
}

/// Whether the filter is full, judged by the bits set in a sample of its lines.
///
/// At an eighth and at a 64th before the limit one thread counts all bits while the others wait, so that the sample
/// has to tell only of the little that was set since. Where the sample is the whole filter nothing needs that.
#[derive(Debug)]
pub(super) struct Watch {
    /// Set bits of the whole filter that are its capacity.
    limit: u64,
    /// The share of the lines that are in the sample.
    share: f64,
    /// It never changes back: it lies on a line that every thread may keep.
    full: AtomicBool,
    /// At so many set bits of the sample, look again; [`LOOKING`] while a thread does.
    look_at: AtomicU64,
    /// At so many set bits of the sample the filter is full, as far as is known.
    full_at: AtomicU64,
    /// Set bits of the sample.
    bits: Stripe,
}

/// Less than any number of bits, so that whoever sets one in the sample comes and waits.
const LOOKING: u64 = 0;

impl Watch {
    /// For a filter with `limit` set bits at its capacity and `total` of them now, `in_sample` of these in the
    /// `share` of its lines that is watched.
    pub(super) fn new(limit: u64, share: f64, total: u64, in_sample: u64) -> Self {
        let watch = Watch {
            limit,
            share,
            full: AtomicBool::new(false),
            look_at: AtomicU64::new(LOOKING),
            full_at: AtomicU64::new(LOOKING),
            bits: Stripe(AtomicU64::new(in_sample)),
        };
        watch.plan(total, in_sample);
        watch
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// So many bits of the whole filter may still be set, as far as is known.
    pub(super) fn room(&self) -> u64 {
        let in_sample = self.full_at.load(Relaxed).saturating_sub(self.bits.0.load(Relaxed));
        (in_sample as f64 / self.share) as u64
    }

    /// Bits were set in the sample; `count` counts those of the whole filter.
    #[inline]
    pub(super) fn add(&self, sampled: u64, count: impl Fn() -> u64) {
        if sampled > 0 && self.bits.0.fetch_add(sampled, Relaxed) + sampled >= self.look_at.load(Relaxed) {
            self.look(count);
        }
    }

    #[cold]
    fn look(&self, count: impl Fn() -> u64) {
        loop {
            let look_at = self.look_at.load(Acquire);
            if look_at == LOOKING {
                wait();
                continue;
            }
            if self.bits.0.load(Relaxed) < look_at {
                return;
            }
            if look_at == self.full_at.load(Relaxed) {
                return self.full.store(true, Relaxed);
            }
            if self.look_at.compare_exchange(look_at, LOOKING, AcqRel, Relaxed).is_ok() {
                break;
            }
        }
        // The others stop here too at their next bit of the sample: the count is of about the middle of its time.
        let before = self.bits.0.load(Relaxed);
        let total = count();
        let after = self.bits.0.load(Relaxed);
        self.plan(total, before.midpoint(after));
    }

    /// When to look next, where the sample has `in_sample` bits set and the whole filter `total`.
    fn plan(&self, total: u64, in_sample: u64) {
        let room = self.limit.saturating_sub(total);
        if room == 0 {
            self.full.store(true, Relaxed);
        }
        let grown = |bits: f64| in_sample + ((bits * self.share) as u64).max(1);
        let full_at = grown(room as f64);
        let is_near = self.share == 1.0 || room <= self.limit / 32;
        self.full_at.store(full_at, Relaxed);
        // Whoever sees this sees the line above.
        self.look_at.store(if is_near { full_at } else { grown(room as f64 * 0.875) }, Release);
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
