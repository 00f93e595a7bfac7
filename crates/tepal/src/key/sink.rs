//! Keys that are made on the way: compound ones, and texts that are not stored (FORMAT.md, section 1.1.1).

use alloc::vec::Vec;
use core::fmt;

use super::domain::with_decimal;
use super::key_ref::{Key, KeyRef};

/// A [`Key`] writes itself here where it is not held as one value: the parts of a compound key, or bytes and text that are
/// made on the way.
///
/// Short keys take no memory from the heap.
///
/// ```
/// use tepal::{BloomFilter, Key, KeyRef, KeySink};
///
/// struct Visit { user: u64, page: String }
///
/// impl Key for Visit {
///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
///         sink.put(&self.user).put(&self.page).finish()
///     }
/// }
///
/// let mut seen = BloomFilter::builder().capacity(1000).build()?;
/// seen.insert(&Visit { user: 7, page: "/home".into() })?;
/// assert!(seen.contains(&(7, "/home")));      // a tuple of the same parts is the same key
/// assert!(!seen.contains(&("7/", "home")));   // the borders between parts count
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone)]
pub struct KeySink {
    len: usize,
    short: [u8; SHORT],
    /// All of it, where it is longer.
    long: Vec<u8>,
    /// Is it the parts of a compound key?
    has_parts: bool,
}

/// Bytes of a key that need no memory of their own.
const SHORT: usize = 96;

/// The first byte of a compound key. No UTF-8 text has it, so no text is a compound key.
pub(super) const COMPOUND: u8 = 0xFF;

impl KeySink {
    /// An empty one. The filters make one for each key; only who calls [`Key::key`] needs it.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        KeySink { len: 0, short: [0; SHORT], long: Vec::new(), has_parts: false }
    }

    /// Adds the next part of a compound key. A part can be any key, a compound one too. An integer counts as its decimal
    /// text here, as everywhere: `7` and `"7"` are the same part.
    ///
    /// As many parts as wanted: where their number varies, and other parts follow, put them into a key of their own, such
    /// as a struct that puts each element of a list.
    pub fn put<K: Key + ?Sized>(&mut self, part: &K) -> &mut Self {
        if !self.has_parts {
            // Whatever else was written is not a part.
            self.clear();
            self.push(&[COMPOUND]);
            self.has_parts = true;
        }
        match part.key(&mut KeySink::new()) {
            KeyRef::Bytes(bytes) => self.push_part(bytes, false),
            KeyRef::Unsigned(n) => with_decimal(false, n, |text| self.push_part(text, false)),
            KeyRef::Signed(n) => with_decimal(n < 0, n.unsigned_abs(), |text| self.push_part(text, false)),
            KeyRef::Compound(compound) => self.push_part(compound.parts(), true),
        }
        self
    }

    /// The compound key of all parts that were put; of none, too.
    #[must_use]
    pub fn finish(&self) -> KeyRef<'_> {
        let written = if self.has_parts { self.written() } else { &[COMPOUND] };
        KeyRef::Compound(Compound(written))
    }

    /// A key that is these bytes, for a key that does not hold them so. Parts that were put before are forgotten: bytes that
    /// are a part go to [`put`](Self::put).
    ///
    /// ```
    /// use tepal::{Key, KeyRef, KeySink};
    /// struct Colour { red: u8, green: u8, blue: u8 }
    /// impl Key for Colour {
    ///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
    ///         sink.bytes(&[self.red, self.green, self.blue])
    ///     }
    /// }
    /// ```
    pub fn bytes(&mut self, bytes: &[u8]) -> KeyRef<'_> {
        self.clear();
        self.push(bytes);
        KeyRef::Bytes(self.written())
    }

    /// A key that is the text as which `value` is shown: the same key as that text. Parts that were put before are forgotten.
    /// Of a `value` whose `Display` fails, the key is what it has written until then.
    ///
    /// ```
    /// use tepal::{Key, KeyRef, KeySink};
    /// struct Version(u16, u16);
    /// impl Key for Version {
    ///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
    ///         sink.text(format_args!("{}.{}", self.0, self.1))
    ///     }
    /// }
    /// ```
    pub fn text(&mut self, value: impl fmt::Display) -> KeyRef<'_> {
        self.clear();
        // Nothing else of it can fail.
        let _ = fmt::write(&mut Text(self), format_args!("{value}"));
        KeyRef::Bytes(self.written())
    }

    /// The same, empty, for the next key.
    #[inline(always)]
    pub(crate) fn cleared(&mut self) -> &mut Self {
        self.clear();
        self
    }

    /// Forgets what was written.
    #[inline]
    fn clear(&mut self) {
        (self.len, self.has_parts) = (0, false);
        self.long.clear();
    }

    #[inline]
    fn written(&self) -> &[u8] {
        if self.long.is_empty() { &self.short[..self.len] } else { &self.long }
    }

    fn push_part(&mut self, bytes: &[u8], is_compound: bool) {
        let (head, len) = head_of_part(bytes.len(), is_compound);
        self.push(&head[..len]);
        self.push(bytes);
    }

    fn push(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if self.long.is_empty() && end <= SHORT {
            self.short[self.len..end].copy_from_slice(bytes);
        } else {
            if self.long.is_empty() {
                self.long.extend_from_slice(&self.short[..self.len]);
            }
            self.long.extend_from_slice(bytes);
        }
        self.len = end;
    }
}

impl Default for KeySink {
    fn default() -> Self {
        Self::new()
    }
}

/// A sink that takes text, for nobody but [`KeySink::text`].
struct Text<'a>(&'a mut KeySink);

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push(text.as_bytes());
        Ok(())
    }
}

impl fmt::Debug for KeySink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeySink").field("len", &self.len).finish_non_exhaustive()
    }
}

/// A key of parts, as a [`KeySink`] has framed them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compound<'a>(&'a [u8]);

impl<'a> Compound<'a> {
    /// What is hashed.
    pub(super) fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// The framed parts, one after the other.
    fn parts(self) -> &'a [u8] {
        &self.0[1..]
    }

    /// What is hashed, with each part that is no compound changed by `change`.
    pub(super) fn map(self, change: &dyn Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let mut out = Vec::from([COMPOUND]);
        map_parts(self.parts(), change, &mut out);
        out
    }
}

/// The number before a part: twice its length, plus one where it is a compound, seven bits a byte, the lowest first.
fn head_of_part(len: usize, is_compound: bool) -> ([u8; 10], usize) {
    // No slice is longer than `isize::MAX` bytes, so nothing is lost.
    let mut number = (len as u64) << 1 | u64::from(is_compound);
    let (mut head, mut at) = ([0; 10], 0);
    while number >= 0x80 {
        head[at] = number as u8 | 0x80;
        number >>= 7;
        at += 1;
    }
    head[at] = number as u8;
    (head, at + 1)
}

fn map_parts(mut parts: &[u8], change: &dyn Fn(&[u8]) -> Vec<u8>, out: &mut Vec<u8>) {
    while !parts.is_empty() {
        let mut number = 0u64;
        let mut shift = 0;
        while let [byte, rest @ ..] = parts {
            parts = rest;
            number |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        // They were framed by `push_part`, so the length is right.
        let (part, rest) = parts.split_at((number >> 1) as usize);
        let changed = if number & 1 == 0 {
            change(part)
        } else {
            let mut inner = Vec::new();
            map_parts(part, change, &mut inner);
            inner
        };
        let (head, len) = head_of_part(changed.len(), number & 1 == 1);
        out.extend_from_slice(&head[..len]);
        out.extend_from_slice(&changed);
        parts = rest;
    }
}

#[cfg(test)]
mod tests;
