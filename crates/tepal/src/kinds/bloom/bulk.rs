//! Inserts and lookups of millions of keys at once, on several threads.
//!
//! Building sorts hashes by the part of the array that they fall on ([`Queues`]). Then it fills
//! part after part, each while it is in the second-level cache. Parts are disjoint, so threads need
//! no atomics, and the bits are the same for every number of threads. All pieces of work are alike,
//! so threads take one after the other (`std::thread::scope`) and need no scheduler. Hashes that
//! the caller has already sorted are inserted by [`parts`].
//!
//! A bulk lookup is the batch lookup, on several threads. Sorting the lookups too, and putting the
//! answers back in order, took 1.2 to 1.3 times as long, at 25 MB and at 124 MB.

#[cfg(feature = "parallel")]
pub(crate) mod parts;

use alloc::vec;
use alloc::vec::Vec;
use core::num::NonZeroUsize;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::BloomFilter;
use super::insert::after;
use super::storage::{PlainStorage, Storage};
use super::tally::{Given, Tally};
use crate::bits::part::{LineSpan, Pass};
use crate::bits::radix::{BLOCK, BLOCK_BYTES, Queues};
use crate::bits::{Bits, LINE_BYTES};
use crate::error::{Error, Result};
use crate::key::{KeyRef, KeySink, Keys};

/// The most bytes of scratch memory for a call.
const SCRATCH: usize = 128 << 20;

/// Keys in a chunk for each line of the array. With fewer keys the pass over all lines costs more
/// per key. With more the chunk falls out of the cache while it is sorted.
const KEYS_A_LINE: usize = 8;

/// Parts that a thread fills in a row. While it fills one it prefetches the next, which takes a
/// third less time than fetching each at its turn.
const IN_A_ROW: usize = 8;

/// Lookups that a thread takes at a time.
const QUESTIONS: usize = 1 << 14;

/// The sizes of the pieces of a bulk insert.
#[derive(Clone, Copy, Debug)]
struct Cut {
    threads: usize,
    /// Lines in a part, a power of two.
    part_lines: usize,
    /// The most keys in a chunk.
    chunk: usize,
    /// With fewer keys a batch is faster.
    least: usize,
}

impl Cut {
    /// The pieces for an array of this many lines and passes over it; `None` if a batch is faster.
    ///
    /// At 32 MiB, about the third-level cache, sorting costs one thread as much as it saves. Each
    /// pass sorts again. Several threads share the cost, while a batch runs on one thread. Below 4
    /// MiB memory hardly slows a batch.
    fn new(lines: usize, passes: usize, threads: NonZeroUsize) -> Option<Self> {
        let threads = threads.get().min(256);
        let least_bytes = ((32 << 20) * passes.pow(2) / threads.pow(2)).max(4 << 20);
        if lines < least_bytes / LINE_BYTES as usize {
            return None;
        }
        let blocks = SCRATCH / BLOCK_BYTES;
        // 128 KiB, unless that gives too many parts: each thread keeps a line of each part in its
        // second-level cache, and blocks that are not full may take half of the scratch memory.
        let most_parts = (blocks / 4 / threads).min(1 << 11);
        let part_lines = lines.div_ceil(most_parts).next_power_of_two().max(1 << 11);
        let parts = lines.div_ceil(part_lines);
        let chunk = (KEYS_A_LINE * lines).min((blocks - threads * (2 * parts + 1)) * BLOCK);
        let least = 2 * lines / threads;
        // Every chunk must be large enough: with 2.3 keys a line, one thread took 1.1 times the
        // batch's time.
        (chunk >= 2 * least).then_some(Cut { threads, part_lines, chunk, least })
    }
}

/// The counts of a filter before the caller's code runs, which might panic.
pub(super) struct SavedCounts {
    tally: Tally,
    inserted: Given,
}

impl BloomFilter {
    /// [`insert_many`](Self::insert_many) for millions of keys, on this many threads. Bits, counts
    /// and errors are the same for every number of threads.
    ///
    /// Takes up to 128 MiB of scratch memory, and for smaller filters about their own size. If
    /// sorting would not pay, it is `insert_many` itself, on one thread:
    ///
    /// - for filters of less than 32 MiB, divided by the square of the number of threads, but not
    ///   below 4 MiB; in the layout [`Double`](crate::Layout::Double), whose keys are hashed and
    ///   sorted twice, 128 MiB in place of 32;
    /// - for filters of more than about 250 MB with one thread, 500 MB with two, and so on, since
    ///   the scratch memory then holds too few keys for each line of the filter;
    /// - for fewer keys than two for each 64 bytes of the filter, divided by the number of threads;
    /// - for the last keys before the capacity;
    /// - in the layout [`Scattered`](crate::Layout::Scattered), for schemes [without a
    ///   hash](Self::has_hash), and if the machine has no memory for it.
    ///
    /// `bench/measure/run bulk` compares the two.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_bulk<K>(&mut self, keys: &K, threads: NonZeroUsize) -> Result<()>
    where
        K: Keys + Sync + ?Sized,
    {
        let cut = self.cut(threads);
        self.insert_cut(keys, cut)
    }

    /// [`insert_bulk`](Self::insert_bulk) for hashes.
    ///
    /// # Errors
    /// As [`insert_many_hashes`](Self::insert_many_hashes).
    pub fn insert_bulk_hashes(&mut self, hashes: &[u64], threads: NonZeroUsize) -> Result<()> {
        let cut = self.cut(threads);
        self.insert_cut_hashes(hashes, cut)
    }

    /// The sizes of the pieces for a bulk insert here; `None` if a batch is faster.
    fn cut(&self, threads: NonZeroUsize) -> Option<Cut> {
        let passes = self.kernel.rules().passes(self.lines.as_lines().len()).iter().flatten().count();
        Cut::new(self.lines.as_lines().len(), passes, threads)
    }

    fn insert_cut<K: Keys + Sync + ?Sized>(&mut self, keys: &K, cut: Option<Cut>) -> Result<()> {
        let hasher = self.meta.keys.clone();
        let done =
            self.insert_chunks(keys.len(), cut, |i| hasher.hash_ref(keys.key(i, &mut KeySink::new())))?;
        let rest = Piece { keys, range: done..keys.len() };
        self.insert_many(&rest).map_err(after(done))
    }

    fn insert_cut_hashes(&mut self, hashes: &[u64], cut: Option<Cut>) -> Result<()> {
        let done = self.insert_chunks(hashes.len(), cut, |i| Ok(hashes[i]))?;
        self.insert_many_hashes(&hashes[done..]).map_err(after(done))
    }

    /// Inserts up to this many keys in chunks that surely fit, while that pays. Returns how many
    /// were inserted. At a key without a hash, the keys before it are inserted.
    fn insert_chunks(
        &mut self,
        keys: usize,
        cut: Option<Cut>,
        hash: impl Fn(usize) -> Result<u64> + Sync,
    ) -> Result<usize> {
        // Independent positions have no passes: those of the layout `scattered`, and of every
        // scheme without a hash.
        let passes = self.kernel.rules().passes(self.lines.as_lines().len());
        let Some(cut) = cut.filter(|cut| passes[0].is_some() && keys >= cut.least) else {
            return Ok(0);
        };
        let parts = self.lines.as_lines().len().div_ceil(cut.part_lines);
        let share = cut.chunk.min(keys).div_ceil(cut.threads);
        let queues: Result<Vec<_>> = (0..cut.threads).map(|_| Queues::new(parts, share)).collect();
        let Ok(mut queues) = queues else { return Ok(0) };

        self.settle();
        let mut done = 0;
        loop {
            let left = keys - done;
            let count = self.surely_fit(left.min(cut.chunk));
            if count < cut.least.max(1) {
                let half_way =
                    self.meta.keys_left(self.meta.inserted.get()).is_some_and(|keys| keys > count as u64);
                if !(self.refuses() && half_way && 0 < count && count < left) {
                    return Ok(done);
                }
                // Inserts a few keys up to the check at half of the capacity, then chunks again.
                let few: Result<Vec<u64>> = (done..done + count).map(&hash).collect();
                let Ok(few) = few else { return Ok(done) };
                self.insert_many_hashes(&few).map_err(after(done))?;
                done += count;
                continue;
            }
            let chunk = done..done + count;
            // Counts the bits while they are in the cache, if the next chunk needs the count.
            let counting = self.refuses()
                && self.meta.keys_left(self.meta.inserted.get()).is_none_or(|keys| keys <= count as u64);
            let (mut sorted, mut set_bits) = (Sorted::default(), 0);
            // Copies a file's bits now or not at all.
            self.own_lines()?;
            let known = self.forget_counts();
            for pass in passes.iter().flatten() {
                sorted = sort(chunk.clone(), &mut queues, cut, pass, &hash);
                set_bits = self.fill(&queues[..sorted.shares], count, cut, pass, counting)?;
            }
            self.restore_counts(known);
            if counting {
                self.tally.recounted(set_bits);
            } else {
                self.tally.add_uncounted(sorted.hashes as u64);
            }
            self.tally.free = self.tally.free.saturating_sub(count as u64);
            self.add_to_inserted(sorted.hashes as u64);
            match sorted.refused {
                Some(error) => return Err(error),
                None => done += count,
            }
        }
    }

    /// Forgets the numbers of set bits and of keys before the caller's code runs while bits change:
    /// a panic then leaves no wrong count.
    pub(super) fn forget_counts(&mut self) -> SavedCounts {
        self.settle();
        let known = SavedCounts { tally: self.tally.clone(), inserted: self.meta.inserted };
        self.tally = Tally::unknown();
        self.meta.inserted = None.into();
        known
    }

    /// Restores the counts, to be increased by the changes since.
    pub(super) fn restore_counts(&mut self, known: SavedCounts) {
        (self.tally, self.meta.inserted) = (known.tally, known.inserted);
    }

    /// How many of this number of keys surely fit.
    fn surely_fit(&mut self, keys: usize) -> usize {
        if !self.refuses() {
            return keys;
        }
        self.find_room();
        usize::try_from(self.tally.free).map_or(keys, |room| room.min(keys))
    }

    /// Sets the bits of about `hashes` sorted hashes, part by part. Returns the number of all set
    /// bits, if they are to be counted.
    fn fill(
        &mut self,
        queues: &[Queues],
        hashes: usize,
        cut: Cut,
        pass: &Pass,
        counting: bool,
    ) -> Result<u64> {
        let (kernel, lines) = (self.kernel, self.own_lines()?);
        let array_lines = lines.len();
        let set_bits = AtomicU64::new(0);
        let rows = lines.chunks_mut(IN_A_ROW * cut.part_lines).enumerate();
        share_out(cut.threads, rows, |(row, mut rest)| {
            for part in row * IN_A_ROW.. {
                let (lines, others) = rest.split_at_mut(cut.part_lines.min(rest.len()));
                if lines.is_empty() {
                    break;
                }
                let mut next = &others[..cut.part_lines.min(others.len())];
                for queues in queues {
                    queues.each(part, |block| {
                        let share = (block.len() as u64 * array_lines as u64).div_ceil(hashes as u64);
                        let (ahead, later) = next.split_at(next.len().min(share as usize));
                        next = later;
                        let part = LineSpan { lines: &mut *lines, first: part * cut.part_lines };
                        kernel.insert_part(pass, part, block, ahead);
                    });
                }
                if counting {
                    set_bits.fetch_add(kernel.count(Bits::Plain(lines)), Ordering::Relaxed);
                }
                rest = others;
            }
        });
        Ok(set_bits.into_inner())
    }
}

impl<L: Storage + Sync> BloomFilter<L> {
    /// [`contains_many`](Self::contains_many) on this many threads.
    #[must_use]
    pub fn contains_bulk<K>(&self, keys: &K, threads: NonZeroUsize) -> Vec<bool>
    where
        K: Keys + Sync + ?Sized,
    {
        answer_in_bulk(keys, threads, |piece, answers| self.contains_many_into(piece, answers))
    }

    /// [`contains_many_hashes`](Self::contains_many_hashes) on this many threads.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn contains_bulk_hashes(&self, hashes: &[u64], answers: &mut [bool], threads: NonZeroUsize) {
        assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
        let pieces = hashes.chunks(QUESTIONS).zip(answers.chunks_mut(QUESTIONS));
        share_out(threads.get(), pieces, |(hashes, answers)| self.contains_many_hashes(hashes, answers));
    }
}

/// Looks up many keys on this many threads; each thread answers pieces of the keys with `answer`.
pub(crate) fn answer_in_bulk<K: Keys + Sync + ?Sized, A: Clone + Default + Send>(
    keys: &K,
    threads: NonZeroUsize,
    answer: impl Fn(&Piece<'_, K>, &mut [A]) + Sync,
) -> Vec<A> {
    let mut answers = vec![A::default(); keys.len()];
    let pieces = answers.chunks_mut(QUESTIONS).enumerate();
    share_out(threads.get(), pieces, |(i, answers)| {
        let start = i * QUESTIONS;
        let piece = Piece { keys, range: start..start + answers.len() };
        answer(&piece, answers);
    });
    answers
}

/// A range of the keys.
pub(crate) struct Piece<'a, K: ?Sized> {
    keys: &'a K,
    range: Range<usize>,
}

impl<K: Keys + ?Sized> Keys for Piece<'_, K> {
    #[inline]
    fn len(&self) -> usize {
        self.range.len()
    }

    #[inline]
    fn key<'a>(&'a self, i: usize, sink: &'a mut KeySink) -> KeyRef<'a> {
        self.keys.key(self.range.start + i, sink)
    }

    #[inline]
    fn integers(&self) -> Option<&[u64]> {
        self.keys.integers().map(|integers| &integers[self.range.clone()])
    }
}

/// The result of sorting a chunk.
#[derive(Default)]
struct Sorted {
    /// The number of sets of queues that hold its hashes, one for each thread.
    shares: usize,
    hashes: usize,
    /// Why a key has no hash; the queues hold only the keys before it.
    refused: Option<Error>,
}

/// Sorts the hashes of a chunk of keys, one share on each thread.
fn sort(
    chunk: Range<usize>,
    queues: &mut [Queues],
    cut: Cut,
    pass: &Pass,
    hash: impl Fn(usize) -> Result<u64> + Sync,
) -> Sorted {
    let mut outcomes: Vec<_> = queues.iter().map(|_| (0, Ok(()))).collect();
    let part_shift = cut.part_lines.trailing_zeros();
    let share = chunk.len().div_ceil(cut.threads);
    let shares = chunk.clone().step_by(share);
    let used = shares.len();
    share_out(cut.threads, shares.zip(queues).zip(&mut outcomes), |((start, queues), outcome)| {
        let hash = |i| Ok(pass.hash(hash(i)?));
        let share = start..chunk.end.min(start + share);
        *outcome = queues.sort(share, hash, |h| pass.line(h) >> part_shift);
    });
    let mut sorted = Sorted::default();
    for (hashes, outcome) in outcomes.into_iter().take(used) {
        sorted.shares += 1;
        sorted.hashes += hashes;
        if let Err(error) = outcome {
            sorted.refused = Some(error);
            break;
        }
    }
    sorted
}

/// Runs `each` on all pieces of work, on this many threads; the caller's thread is one of them.
pub(crate) fn share_out<T: Send>(
    threads: usize,
    work: impl ExactSizeIterator<Item = T> + Send,
    each: impl Fn(T) + Sync,
) {
    let helpers = threads.min(work.len()).saturating_sub(1);
    let work = Mutex::new(work);
    let run = || {
        loop {
            let piece = lock(&work).next();
            let Some(piece) = piece else { break };
            each(piece);
        }
    };
    thread::scope(|scope| {
        for _ in 0..helpers {
            // If the system gives no thread, the others do its work.
            if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
}

/// Locks the mutex, even if a thread panicked while holding it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
