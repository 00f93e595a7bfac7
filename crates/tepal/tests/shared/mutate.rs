//! Random damage to a file, and the results of reading it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use xxhash_rust::xxh3::xxh3_64;

use crate::allocator::most_held;
use crate::kinds::Sample;
use crate::random::Random;

/// Ways to change a file. `Forged` is not damage: the checksum of the header is corrected.
#[derive(Clone, Copy, Debug)]
enum Mutation {
    Bit,
    Bytes,
    Truncate,
    Extend,
    Splice,
    Swap,
    Forged,
}

const MUTATIONS: [Mutation; 7] = [
    Mutation::Bit,
    Mutation::Bytes,
    Mutation::Truncate,
    Mutation::Extend,
    Mutation::Splice,
    Mutation::Swap,
    Mutation::Forged,
];

/// A place in a file: every second time in its header, where a wrong value matters most.
fn place(random: &mut Random, sample: &Sample, len: usize) -> usize {
    let end = if random.next() & 1 == 0 { sample.head.min(len) } else { len };
    random.below(end)
}

/// The results of the mutations of one file.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) damaged: u64,
    pub(crate) refused: u64,
    /// The mutation changed nothing (it swapped equal bytes), or replaced the file by another whole
    /// one.
    pub(crate) whole: u64,
    /// Files with a forged header and a correct checksum, and how many of them were refused.
    pub(crate) forged: u64,
    pub(crate) forged_refused: u64,
    /// Damaged files that were read without an error: none is allowed.
    pub(crate) accepted: u64,
    pub(crate) panics: u64,
    /// The most bytes of memory that reading took.
    pub(crate) most_held: u64,
}

/// Changes the file this many times, each time from the original, and reads the results.
pub(crate) fn mutations(sample: &Sample, others: &[Sample], count: u64, seed: u64) -> Tally {
    let opener = sample.subject.opener();
    let (mut random, mut tally) = (Random(seed), Tally::default());
    let mut file = Vec::with_capacity(2 * sample.file.len() + 65_536);
    for _ in 0..count {
        file.clear();
        file.extend_from_slice(&sample.file);
        let mutation = MUTATIONS[random.below(MUTATIONS.len())];
        change(mutation, &mut file, sample, others, &mut random);
        let read = || catch_unwind(AssertUnwindSafe(|| opener.read(&file).map(|_| ())));
        let (read, held) = most_held(read);
        tally.most_held = tally.most_held.max(held);
        let refused = match read {
            Ok(read) => read.is_err(),
            Err(_) => {
                tally.panics += 1;
                continue;
            }
        };
        if matches!(mutation, Mutation::Forged) {
            tally.forged += 1;
            tally.forged_refused += u64::from(refused);
        } else if file == sample.file {
            tally.whole += 1;
            // Refusing a good file is an error too.
            tally.accepted += u64::from(refused);
        } else if others.iter().any(|other| file == other.file) {
            tally.whole += 1;
        } else {
            tally.damaged += 1;
            tally.refused += u64::from(refused);
            tally.accepted += u64::from(!refused);
        }
    }
    tally
}

fn change(mutation: Mutation, file: &mut Vec<u8>, sample: &Sample, others: &[Sample], random: &mut Random) {
    let len = file.len();
    match mutation {
        Mutation::Bit => {
            let at = place(random, sample, len);
            file[at] ^= 1 << random.below(8);
        }
        Mutation::Bytes => some_bytes(file, sample, random),
        Mutation::Truncate => file.truncate(place(random, sample, len)),
        Mutation::Extend => {
            let more = random.size(16);
            let byte = random.next();
            // Zeros, or bytes that look like more of the same.
            file.extend((0..more as u64).map(|i| if byte & 1 == 0 { 0 } else { (byte ^ i) as u8 }));
        }
        Mutation::Splice => {
            // A piece of another kind's file, at its own place or at any.
            let other = &others[random.below(others.len())].file;
            let from = random.below(other.len());
            let count = random.size(16).min(other.len() - from);
            let to = if random.next() & 1 == 0 { from.min(len) } else { random.below(len + 1) };
            let end = (to + count).min(len);
            file.splice(to..end, other[from..from + count].iter().copied());
        }
        Mutation::Swap => {
            // Two pieces of the file change places.
            let count = random.size(11);
            let (a, b) = (place(random, sample, len), random.below(len));
            let (a, b) = (a.min(b), a.max(b));
            let count = count.min(b - a).min(len - b);
            let (front, back) = file.split_at_mut(b);
            front[a..a + count].swap_with_slice(&mut back[..count]);
        }
        Mutation::Forged => {
            for _ in 0..random.size(2) {
                let at = random.below(sample.head - 8);
                file[at] = match random.below(4) {
                    0 => 0,
                    1 => 0xFF,
                    2 => file[at] ^ 1 << random.below(8),
                    _ => random.next() as u8,
                };
            }
            let sum = xxh3_64(&file[..sample.head - 8]).to_le_bytes();
            file[sample.head - 8..sample.head].copy_from_slice(&sum);
        }
    }
}

/// 1 to 64 bytes, adjacent or anywhere.
fn some_bytes(file: &mut [u8], sample: &Sample, random: &mut Random) {
    let count = 1 + random.below(64);
    let start = place(random, sample, file.len());
    let together = random.next() & 1 == 0;
    for i in 0..count {
        let at = if together { start + i } else { place(random, sample, file.len()) };
        if let Some(byte) = file.get_mut(at) {
            *byte = random.next() as u8;
        }
    }
}

/// Damage of single bits: every bit of the header, and every `step`th of the rest. Returns the
/// number of bits tried and the number of changes that were not found.
pub(crate) fn flips(sample: &Sample, step: usize) -> (u64, u64) {
    let opener = sample.subject.opener();
    let mut file = sample.file.clone();
    let head = 8 * sample.head;
    let (mut tried, mut accepted) = (0, 0);
    for bit in (0..head).chain((head..8 * file.len()).step_by(step)) {
        file[bit / 8] ^= 1 << (bit % 8);
        accepted += u64::from(opener.read(&file).is_ok());
        tried += 1;
        file[bit / 8] ^= 1 << (bit % 8);
    }
    assert!(opener.read(&file).is_ok());
    (tried, accepted)
}
