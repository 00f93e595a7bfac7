//! Lookups of the segments of many keys.

use alloc::vec::Vec;
use core::fmt;

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
pub struct SegmentAnswers(TagsOfMany);

impl SegmentAnswers {
    /// Makes answers for no keys.
    #[must_use]
    pub const fn new() -> Self {
        SegmentAnswers(TagsOfMany { tags: Vec::new(), ends: Vec::new() })
    }

    /// The number of keys that were looked up.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.ends.len()
    }

    /// Whether no key was looked up.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.ends.is_empty()
    }

    /// The segments that may hold key `i`, by their numbers.
    ///
    /// # Panics
    /// If there is no key `i`.
    pub fn of(&self, i: usize) -> impl ExactSizeIterator<Item = Segment> + Clone + '_ {
        let from = if i == 0 { 0 } else { self.0.ends[i - 1] };
        self.0.tags[from..self.0.ends[i]].iter().map(|number| Segment(*number))
    }

    fn clear(&mut self) {
        self.0.tags.clear();
        self.0.ends.clear();
    }
}

impl fmt::Debug for SegmentAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = |i| self.of(i).map(Segment::number).collect::<Vec<_>>();
        f.debug_list().entries((0..self.len()).map(each)).finish()
    }
}

impl SegmentFilter {
    /// [`segments`](Self::segments) for many keys; the answers are in the order of the keys. The
    /// memory accesses of a batch run at the same time.
    ///
    /// ```
    /// # use tepal::SegmentFilter;
    /// let days = SegmentFilter::builder().build_from([("mo", "alice"), ("tu", "bob"), ("we", "alice")])?;
    /// let answers = days.segments_many(&["alice", "carol"]);
    /// assert_eq!((answers.of(0).len(), answers.of(1).len()), (2, 0));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn segments_many<K: Keys + ?Sized>(&self, keys: &K) -> SegmentAnswers {
        let mut answers = SegmentAnswers::new();
        let (mut sink, mut hashes) = (KeySink::new(), Vec::with_capacity(BATCH.min(keys.len())));
        for i in 0..keys.len() {
            match self.core.meta.keys.hash_ref(keys.key(i, sink.cleared())) {
                Ok(hash) => hashes.push(hash),
                Err(error) => {
                    self.append(&hashes, &mut answers);
                    hashes.clear();
                    self.append_perhaps(is_perhaps_in(&error), &mut answers);
                }
            }
            if hashes.len() == BATCH {
                self.append(&hashes, &mut answers);
                hashes.clear();
            }
        }
        self.append(&hashes, &mut answers);
        answers
    }

    /// [`segments_many`](Self::segments_many) for hashes; it replaces the earlier answers.
    pub fn segments_many_hashes(&self, hashes: &[u64], answers: &mut SegmentAnswers) {
        answers.clear();
        self.append(hashes, answers);
    }

    /// [`segments_many`](Self::segments_many) for keys that this filter's
    /// [`key_hasher`](Self::key_hasher) has prepared; it replaces the earlier answers. For keys
    /// that another hasher has prepared the answer is always all segments.
    pub fn segments_prepared(&self, keys: &PreparedKeys, answers: &mut SegmentAnswers) {
        answers.clear();
        match keys.batch() {
            Batch::Hashes(hashes) => self.append(hashes, answers),
            Batch::One(One::Key(_) | One::Encoded(_)) | Batch::Bytes(_) => {
                (0..keys.len()).for_each(|_| self.append_perhaps(true, answers));
            }
        }
    }

    fn append(&self, hashes: &[u64], answers: &mut SegmentAnswers) {
        let more = |number, tags: &mut Vec<u16>| tags.extend_from_slice(self.wide.of(number));
        self.core.table.tags_of_many(hashes, IN_TABLE, &more, &mut answers.0);
    }

    /// Appends the answer for a key without a hash.
    fn append_perhaps(&self, perhaps: bool, answers: &mut SegmentAnswers) {
        answers.0.tags.extend(self.perhaps(perhaps).iter().map(|listed| listed.number));
        answers.0.ends.push(answers.0.tags.len());
    }
}
