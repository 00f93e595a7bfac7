//! Asking for one key: whether it is in, and in which segments.

use core::slice::Iter;

use super::wide::IN_TABLE;
use super::{SegmentFilter, Wide};
use crate::bits::table::several::Tags;
use crate::key::{Batch, Key, KeyRef, KeySink, Keys, One, PreparedKeys, is_perhaps_in};
use crate::kinds::calls::ask_many;
use crate::kinds::named::{Listed, Segment};

impl SegmentFilter {
    /// Is the key in any segment?
    ///
    /// `false` is certain. `true` means perhaps: about [`false_positive_rate`](Self::false_positive_rate) of all other keys get it too.
    /// A key that the filter's domain refuses is not in; a filter of the caller's hashes cannot hash a key, and answers `true`.
    ///
    /// Costs one hash and one memory access, seldom two.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        let mut sink = KeySink::new();
        let key = key.key(&mut sink);
        match self.meta.keys.usual_hash(key) {
            Some(hash) => self.table.contains(hash),
            None => self.contains_any(&{ key }),
        }
    }

    #[inline(never)]
    fn contains_any(&self, key: &KeyRef<'_>) -> bool {
        match self.meta.keys.hash_any(key) {
            Ok(hash) => self.table.contains(hash),
            Err(error) => is_perhaps_in(&error),
        }
    }

    /// [`contains`](Self::contains) for a key hashed before by [`hash_key`](Self::hash_key), by an equal
    /// [`key_hasher`](Self::key_hasher), or by the caller.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        self.table.contains(hash)
    }

    ask_many!();

    /// [`contains_many`](Self::contains_many) for keys hashed before; `answers[i]` is for `hashes[i]`.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn contains_many_hashes(&self, hashes: &[u64], answers: &mut [bool]) {
        assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
        self.table.contains_many(hashes, answers);
    }

    /// Is the key in this segment? `false` is certain: also where there is no such segment. `true` means perhaps: about
    /// [`segment_len`](Self::segment_len) / [`numbers`](Self::numbers) of the keys that are not in it get it too.
    ///
    /// ```
    /// # use tepal::SegmentFilter;
    /// let days = SegmentFilter::builder().build_from([("monday", "alice"), ("tuesday", "bob")])?;
    /// let monday = days.segment_by_name("monday").unwrap();
    /// assert!(days.contains_in(monday, "alice") && !days.contains_in(monday, "bob"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn contains_in<K: Key + ?Sized>(&self, segment: Segment, key: &K) -> bool {
        match self.meta.keys.hash(key) {
            Ok(hash) => self.contains_hash_in(segment, hash),
            Err(error) => is_perhaps_in(&error) && self.segments.position(segment).is_some(),
        }
    }

    /// [`contains_in`](Self::contains_in) for a key hashed before.
    #[must_use]
    pub fn contains_hash_in(&self, segment: Segment, hash: u64) -> bool {
        let (number, tag) = (self.table.number(hash), segment.0.into());
        if tag >> self.table.packing().tag_bits() != 0 {
            return false;
        }
        let among = self.table.among(number, tag);
        among.has_it || (among.slots as usize >= IN_TABLE && self.wide.has(number, tag))
    }

    /// In which segments the key may be, by their numbers. Those that it is in are among them; wrong ones, for a key in none, are on
    /// average [`wrong_segments`](Self::wrong_segments). A key that the filter's domain refuses is in none; a filter of the caller's
    /// hashes cannot hash a key, and names all segments.
    ///
    /// Costs one hash and one memory access, seldom two, and more where the key is in many segments. Allocates nothing.
    ///
    /// ```
    /// # use tepal::SegmentFilter;
    /// let days = SegmentFilter::builder().build_from([("mo", "alice"), ("tu", "bob"), ("we", "alice")])?;
    /// let names: Vec<_> = days.segments("alice").map(|day| days.segment_name(day).unwrap()).collect();
    /// assert_eq!(names, ["mo", "we"]);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn segments<K: Key + ?Sized>(&self, key: &K) -> Segments<'_> {
        match self.meta.keys.hash(key) {
            Ok(hash) => self.segments_of_hash(hash),
            Err(error) => Segments(Inner::All(self.perhaps(is_perhaps_in(&error)).iter())),
        }
    }

    /// [`segments`](Self::segments) for a key hashed before.
    pub fn segments_of_hash(&self, hash: u64) -> Segments<'_> {
        let number = self.table.number(hash);
        Segments(Inner::Held { tags: self.table.tags(number), left: IN_TABLE, wide: &self.wide, number })
    }

    /// All segments, or none.
    pub(super) fn perhaps(&self, perhaps: bool) -> &[Listed] {
        if perhaps { self.segments.listed() } else { &[] }
    }
}

/// The segments that may hold a key, by their numbers: [`SegmentFilter::segments`].
#[derive(Clone)]
#[must_use]
pub struct Segments<'a>(Inner<'a>);

#[derive(Clone)]
enum Inner<'a> {
    /// What stands in the table of a number; and beside it, where that is as much as stands there.
    Held {
        tags: Tags<'a>,
        left: usize,
        wide: &'a Wide,
        number: u64,
    },
    More(Iter<'a, u16>),
    All(Iter<'a, Listed>),
}

impl Iterator for Segments<'_> {
    type Item = Segment;

    #[inline]
    fn next(&mut self) -> Option<Segment> {
        if let Inner::Held { tags, left, wide, number } = &mut self.0 {
            if *left > 0 {
                *left -= 1;
                return tags.next().map(|tag| Segment(tag as u16));
            }
            self.0 = Inner::More(wide.of(*number).iter());
        }
        match &mut self.0 {
            Inner::More(more) => more.next().map(|number| Segment(*number)),
            Inner::All(all) => all.next().map(|listed| Segment(listed.number)),
            Inner::Held { .. } => None,
        }
    }
}

impl core::fmt::Debug for Segments<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
