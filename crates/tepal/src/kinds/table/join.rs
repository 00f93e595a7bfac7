//! Combines two ascending streams. Unions and intersections of tables differ only in what they do
//! with equal fingerprints.

use core::cmp::Ordering;
use core::iter::Peekable;

use crate::bits::table::stream::Stream;
use crate::bits::table::tagged::Recent;

/// How to combine the slots of one fingerprint, by the meaning of their tags.
#[derive(Clone, Copy)]
pub(super) enum Join {
    /// Tags count copies. A union has the sum of both counts, an intersection the lower one.
    Counted,
    /// Tags are generations, and a fingerprint has one slot. A union has the lower age, an
    /// intersection the higher one.
    Youngest(Recent),
    /// Tags are members of sets. A union has all tags, an intersection the common ones.
    Once,
}

/// The union of two streams.
pub(super) fn in_either<'e>(join: Join, tag_bits: u8, a: Stream<'e>, b: Stream<'e>) -> Stream<'e> {
    let entries = merged(a, b);
    match join {
        // Each copy has a slot.
        Join::Counted if tag_bits == 0 => entries,
        _ => Stream::of(InEither { entries: entries.peekable(), join, tag_bits, slots: Slots::default() }),
    }
}

/// The intersection of two streams.
pub(super) fn in_both<'e>(join: Join, tag_bits: u8, a: Stream<'e>, b: Stream<'e>) -> Stream<'e> {
    let (a, b) = (a.peekable(), b.peekable());
    Stream::of(InBoth { a, b, join, tag_bits, slots: Slots::default() })
}

/// Two ascending streams merged into one; equal entries follow each other.
pub(super) fn merged<'e>(mut a: Stream<'e>, mut b: Stream<'e>) -> Stream<'e> {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b,
        (_, true) => a,
        _ => Stream::of(Merged { a: a.peekable(), b: b.peekable() }),
    }
}

struct Merged<'e> {
    a: Peekable<Stream<'e>>,
    b: Peekable<Stream<'e>>,
}

impl Iterator for Merged<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        match (self.a.peek(), self.b.peek()) {
            (Some(a), Some(b)) if b < a => self.b.next(),
            (None, _) => self.b.next(),
            _ => self.a.next(),
        }
    }
}

/// Copies of a fingerprint that are still to be emitted, in slots of which all but the first count
/// the most they can.
#[derive(Default)]
struct Slots {
    number: u64,
    copies: u64,
}

impl Slots {
    fn next(&mut self, tag_bits: u8) -> u64 {
        let most = 1 << tag_bits;
        // The first slot has the remainder.
        let here = match self.copies % most {
            0 => most,
            over => over,
        };
        self.copies -= here;
        self.number << tag_bits | (here - 1)
    }
}

/// The copies that a slot counts.
fn copies_of(entry: u64, tag_bits: u8) -> u64 {
    (entry & ((1 << tag_bits) - 1)) + 1
}

/// Takes all slots of a fingerprint from a stream. Returns the sum of their copies.
fn take_copies(entries: &mut Peekable<impl Iterator<Item = u64>>, number: u64, tag_bits: u8) -> u64 {
    let mut copies = 0;
    while let Some(entry) = entries.next_if(|entry| entry >> tag_bits == number) {
        copies += copies_of(entry, tag_bits);
    }
    copies
}

struct InEither<'e> {
    entries: Peekable<Stream<'e>>,
    join: Join,
    tag_bits: u8,
    slots: Slots,
}

impl Iterator for InEither<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let tag_bits = self.tag_bits;
        if self.slots.copies > 0 {
            return Some(self.slots.next(tag_bits));
        }
        let mut entry = self.entries.next()?;
        match self.join {
            Join::Counted => {
                let number = entry >> tag_bits;
                let copies = copies_of(entry, tag_bits) + take_copies(&mut self.entries, number, tag_bits);
                self.slots = Slots { number, copies };
                entry = self.slots.next(tag_bits);
            }
            Join::Youngest(recent) => {
                let age = |entry| recent.age(tag_bits.into(), entry);
                while let Some(twin) = self.entries.next_if(|twin| twin >> tag_bits == entry >> tag_bits) {
                    if age(twin) < age(entry) {
                        entry = twin;
                    }
                }
            }
            Join::Once => while self.entries.next_if_eq(&entry).is_some() {},
        }
        Some(entry)
    }
}

struct InBoth<'e> {
    a: Peekable<Stream<'e>>,
    b: Peekable<Stream<'e>>,
    join: Join,
    tag_bits: u8,
    slots: Slots,
}

impl Iterator for InBoth<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let tag_bits = self.tag_bits;
        if self.slots.copies > 0 {
            return Some(self.slots.next(tag_bits));
        }
        // The key of comparisons: fingerprint and tag, or only the fingerprint.
        let by = if matches!(self.join, Join::Once) { 0 } else { tag_bits };
        let number = loop {
            let (a, b) = (self.a.peek()? >> by, self.b.peek()? >> by);
            match a.cmp(&b) {
                Ordering::Less => _ = self.a.next(),
                Ordering::Greater => _ = self.b.next(),
                Ordering::Equal => break a,
            }
        };
        if matches!(self.join, Join::Counted) {
            let [a, b] = [&mut self.a, &mut self.b].map(|both| take_copies(both, number, tag_bits));
            self.slots = Slots { number, copies: a.min(b) };
            return Some(self.slots.next(tag_bits));
        }
        let (a, b) = (self.a.next()?, self.b.next()?);
        Some(match self.join {
            Join::Youngest(recent) if recent.age(tag_bits.into(), b) > recent.age(tag_bits.into(), a) => b,
            _ => a,
        })
    }
}
