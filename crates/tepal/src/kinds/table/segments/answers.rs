//! Lookups of the segments of many keys.

use alloc::vec::Vec;
use core::fmt;
use core::mem::take;

use super::SegmentFilter;
use super::wide::IN_TABLE;
use crate::bits::table::several::TagsOfMany;
use crate::key::{Batch, KeySink, Keys, One, PreparedKeys, is_perhaps_in};
use crate::kinds::named::Segment;

/// The number of keys that are hashed before they are looked up.
const BATCH: usize = 512;

/// The segments that may hold each of many keys: [`SegmentFilter::segments_many`]. It can be reused
/// for other keys, and keeps its memory.
#[derive(Clone, Default)]
pub struct SegmentAnswers {
    /// Those of the first key, then those of the second, and so on.
    segments: Vec<Segment>,
    /// Where those of each key end.
    ends: Vec<usize>,
}

impl SegmentAnswers {
    /// Makes answers for no keys.
    #[must_use]
    pub const fn new() -> Self {
        SegmentAnswers { segments: Vec::new(), ends: Vec::new() }
    }

    /// The number of keys that were looked up.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether no key was looked up.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The segments that may hold key `i`, by their numbers.
    ///
    /// # Panics
    /// If there is no key `i`.
    #[must_use]
    pub fn of(&self, i: usize) -> &[Segment] {
        let from = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.segments[from..self.ends[i]]
    }

    /// The segments of each key, in the order of the keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Segment]> + Clone + '_ {
        (0..self.len()).map(|i| self.of(i))
    }

    fn clear(&mut self) {
        self.segments.clear();
        self.ends.clear();
    }

    /// Replaces the answers by those that `ask` appends to none.
    fn fill(&mut self, ask: impl FnOnce(&mut TagsOfMany)) {
        self.clear();
        // A segment is its number, so both vectors keep their memory.
        let tags = take(&mut self.segments).into_iter().map(Segment::number).collect();
        let mut found = TagsOfMany { tags, ends: take(&mut self.ends) };
        ask(&mut found);
        self.segments = found.tags.into_iter().map(Segment).collect();
        self.ends = found.ends;
    }
}

impl fmt::Debug for SegmentAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = |of_key: &[Segment]| of_key.iter().map(|s| s.number()).collect::<Vec<_>>();
        f.debug_list().entries(self.iter().map(numbers)).finish()
    }
}

impl SegmentFilter {
    /// [`segments`](Self::segments) for many keys; the answers are in the order of the keys. The
    /// memory accesses of a batch run at the same time.
    ///
    /// ```
    /// # use tepal::SegmentFilter;
    /// let days = SegmentFilter::builder().build_from([("mo", "alice"), ("tu", "bob"), ("we", "alice")])?;
    /// let keys = ["alice", "carol"];
    /// let answers = days.segments_many(&keys);
    /// for (key, segments) in keys.iter().zip(answers.iter()) {
    ///     let names: Vec<_> = segments.iter().filter_map(|day| days.segment_name(*day)).collect();
    ///     println!("{key}: {names:?}");           // alice: ["mo", "we"], then carol: []
    /// }
    /// assert_eq!((answers.of(0).len(), answers.of(1).len()), (2, 0));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn segments_many<K: Keys + ?Sized>(&self, keys: &K) -> SegmentAnswers {
        let mut answers = SegmentAnswers::new();
        answers.fill(|found| {
            let (mut sink, mut hashes) = (KeySink::new(), Vec::with_capacity(BATCH.min(keys.len())));
            for i in 0..keys.len() {
                match self.core.meta.keys.hash_ref(keys.key(i, sink.cleared())) {
                    Ok(hash) => hashes.push(hash),
                    Err(error) => {
                        self.append(&hashes, found);
                        hashes.clear();
                        self.append_perhaps(is_perhaps_in(&error), found);
                    }
                }
                if hashes.len() == BATCH {
                    self.append(&hashes, found);
                    hashes.clear();
                }
            }
            self.append(&hashes, found);
        });
        answers
    }

    /// [`segments_many`](Self::segments_many) for hashes; it replaces the earlier answers.
    pub fn segments_many_hashes(&self, hashes: &[u64], answers: &mut SegmentAnswers) {
        answers.fill(|found| self.append(hashes, found));
    }

    /// [`segments_many`](Self::segments_many) for keys that this filter's
    /// [`key_hasher`](Self::key_hasher) has prepared; it replaces the earlier answers. For keys
    /// that another hasher has prepared the answer is always all segments.
    pub fn segments_prepared(&self, keys: &PreparedKeys, answers: &mut SegmentAnswers) {
        answers.fill(|found| match keys.batch() {
            Batch::Hashes(hashes) => self.append(hashes, found),
            Batch::One(One::Key(_) | One::Encoded(_)) | Batch::Bytes(_) => {
                (0..keys.len()).for_each(|_| self.append_perhaps(true, found));
            }
        });
    }

    fn append(&self, hashes: &[u64], found: &mut TagsOfMany) {
        let more = |number, tags: &mut Vec<u16>| tags.extend_from_slice(self.wide.of(number));
        self.core.table.tags_of_many(hashes, IN_TABLE, &more, found);
    }

    /// Appends the answer for a key without a hash.
    fn append_perhaps(&self, perhaps: bool, found: &mut TagsOfMany) {
        found.tags.extend(self.perhaps(perhaps).iter().map(|listed| listed.number));
        found.ends.push(found.tags.len());
    }
}
