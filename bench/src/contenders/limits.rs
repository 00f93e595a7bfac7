//! The limit rows: work that every filter has to do and nothing beside it. No filter that reads one
//! line a key is faster out of cache than the best of the rows that do only that.

#![allow(unsafe_code)]

use super::{FETCHED_AHEAD, FETCHED_IN_PIECES};
use crate::contender::{Calls, Contender};
use crate::keys::Family;

/// The hash of the key and nothing more.
#[derive(Default)]
pub(crate) struct HashOnly {
    sum: u64,
}

impl<K: Family> Contender<K> for HashOnly {
    fn name(&self) -> &str {
        "XXH3 alone"
    }

    fn calls(&self) -> Calls {
        Calls::Limit
    }

    fn bits(&self) -> u64 {
        0
    }

    fn clear(&mut self) {
        self.sum = 0;
    }

    fn insert(&mut self, keys: &[K]) {
        for key in keys {
            self.sum ^= key.xxh3();
        }
    }

    fn contains(&self, keys: &[K], answers: &mut [bool]) {
        for (key, answer) in keys.iter().zip(answers) {
            *answer = key.xxh3() & 1 != 0;
        }
    }
}

/// One cache line.
#[derive(Clone)]
#[repr(align(64))]
struct Line([u64; 8]);

/// As many lines as tepal's layout `line` has in the same case.
struct Lines(Vec<Line>);

impl Lines {
    fn new(bits: u64) -> Self {
        Lines(vec![Line([0; 8]); bits.div_ceil(512) as usize])
    }

    fn bits(&self) -> u64 {
        self.0.len() as u64 * 512
    }

    /// The line that a hash falls on, as every blocked filter finds it: one multiplication.
    #[inline(always)]
    fn place(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.0.len() as u128) >> 64) as usize
    }

    /// Writes one word of the line.
    #[inline(always)]
    fn write(&mut self, hash: u64) {
        let place = self.place(hash);
        self.0[place].0[0] |= hash;
    }

    /// Reads one word of the line.
    #[inline(always)]
    fn read(&self, hash: u64) -> bool {
        self.0[self.place(hash)].0[0] & 1 != 0
    }

    /// Asks for the line ahead of its use.
    #[inline(always)]
    fn fetch(&self, hash: u64) {
        let line = &self.0[self.place(hash)];
        #[cfg(target_arch = "x86_64")]
        // SAFETY: prefetching reads and writes nothing that a program can see, and takes any
        // address; SSE is part of x86-64.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>((&raw const *line).cast());
        }
        // A plain load does nearly as well: nothing waits for it.
        #[cfg(not(target_arch = "x86_64"))]
        std::hint::black_box(line.0[0]);
    }
}

/// When the lines are asked for.
#[derive(Clone, Copy)]
pub(crate) enum Fetch {
    /// When they are needed: as far ahead as the CPU itself sees.
    Never,
    /// Those of 32 keys together, then the 32 are used.
    InPieces,
    /// That of the key 32 places on, each time a line is used: some are always under way.
    Ahead,
}

/// How many lines are under way together.
const PIECE: usize = 32;

/// One random line for each key.
pub(crate) struct OneLine {
    lines: Lines,
    fetch: Fetch,
}

impl OneLine {
    pub(crate) fn new(bits: u64, fetch: Fetch) -> Self {
        OneLine { lines: Lines::new(bits), fetch }
    }
}

impl<K: Family> Contender<K> for OneLine {
    fn name(&self) -> &str {
        match self.fetch {
            Fetch::Never => "one line",
            Fetch::InPieces => FETCHED_IN_PIECES,
            Fetch::Ahead => FETCHED_AHEAD,
        }
    }

    fn calls(&self) -> Calls {
        Calls::Limit
    }

    fn bits(&self) -> u64 {
        self.lines.bits()
    }

    fn clear(&mut self) {
        self.lines.0.fill(Line([0; 8]));
    }

    fn insert(&mut self, keys: &[K]) {
        let lines = &mut self.lines;
        match self.fetch {
            Fetch::Never => keys.iter().for_each(|key| lines.write(key.line_hash())),
            Fetch::InPieces => {
                for keys in keys.chunks(PIECE) {
                    let hashes = fetched(lines, keys);
                    hashes[..keys.len()].iter().for_each(|hash| lines.write(*hash));
                }
            }
            Fetch::Ahead => {
                let mut under_way = fetched(lines, &keys[..keys.len().min(PIECE)]);
                for i in 0..keys.len() {
                    let hash = under_way[i % PIECE];
                    if let Some(key) = keys.get(i + PIECE) {
                        under_way[i % PIECE] = key.line_hash();
                        lines.fetch(under_way[i % PIECE]);
                    }
                    lines.write(hash);
                }
            }
        }
    }

    fn contains(&self, keys: &[K], answers: &mut [bool]) {
        let lines = &self.lines;
        match self.fetch {
            Fetch::Never => {
                for (key, answer) in keys.iter().zip(answers) {
                    *answer = lines.read(key.line_hash());
                }
            }
            Fetch::InPieces => {
                for (keys, answers) in keys.chunks(PIECE).zip(answers.chunks_mut(PIECE)) {
                    for (hash, answer) in fetched(lines, keys).iter().zip(answers) {
                        *answer = lines.read(*hash);
                    }
                }
            }
            Fetch::Ahead => {
                let mut under_way = fetched(lines, &keys[..keys.len().min(PIECE)]);
                for (i, answer) in answers.iter_mut().enumerate() {
                    let hash = under_way[i % PIECE];
                    if let Some(key) = keys.get(i + PIECE) {
                        under_way[i % PIECE] = key.line_hash();
                        lines.fetch(under_way[i % PIECE]);
                    }
                    *answer = lines.read(hash);
                }
            }
        }
    }
}

/// The hashes of up to 32 keys; their lines are under way.
#[inline(always)]
fn fetched<K: Family>(lines: &Lines, keys: &[K]) -> [u64; PIECE] {
    let mut hashes = [0; PIECE];
    for (key, hash) in keys.iter().zip(&mut hashes) {
        *hash = key.line_hash();
        lines.fetch(*hash);
    }
    hashes
}
