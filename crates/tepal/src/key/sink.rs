//! The trait of keys, and how a key of several parts is written.

use alloc::vec::Vec;
use core::fmt;

use super::decimal::with_decimal;
use super::key_ref::{COMPOUND, Compound, KeyRef, head_of_part};

/// A key: a value that can be inserted and looked up.
///
/// | the type | the key |
/// | --- | --- |
/// | `&str`, `String`, `char` | the text, as UTF-8 |
/// | `&[u8]`, `[u8; N]`, `Vec<u8>` | the bytes |
/// | `u16` to `u128`, `i16` to `i128`, `usize`, `isize` | the integer; in a filter of bytes the same key as its decimal text |
/// | `IpAddr`, `Ipv4Addr`, `Ipv6Addr` | the same key as its text: `192.0.2.1`, `2001:db8::1`. An IPv4 address inside IPv6 (`::ffff:192.0.2.1`) is another key: `to_canonical` makes them one |
/// | `Path`, `OsStr` and their owned forms (with `std`) | the bytes of the name as it is written: `a//b` is not `a/b` |
/// | a tuple of keys | its parts, with the borders between them: `("ab", "c")` is not `("a", "bc")` |
/// | `&K`, `Box<K>`, `Rc<K>`, `Arc<K>`, `Cow<K>` | what they point to |
/// | a struct with `#[derive(tepal::Key)]` (feature `derive`) | its fields, as the tuple of them |
/// | another type of your own | see below |
///
/// The same value is the same key in every language: FORMAT.md, section 1.1, has the rule. Floats,
/// booleans and options are not keys, on purpose: their bytes differ between languages.
/// [`core::hash::Hash`] is not used, because its framing may change between releases.
///
/// `u8` and `i8` are not keys either: a sequence of bytes is one key, never a list of keys.
///
/// **Numbers.** A filter of bytes, the default, writes each integer as decimal text first. That
/// takes some 8 times as long as hashing the number itself, and an insert or lookup takes several
/// times as long (`bench/measure/run integer_keys`). If all keys are numbers, choose
/// [`KeyDomain::Integer`](crate::KeyDomain::Integer).
///
/// ```
/// use tepal::BloomFilter;
/// let mut filter = BloomFilter::builder().capacity(10).build()?;
/// filter.insert(b"hello")?;
/// filter.insert(&std::net::Ipv4Addr::LOCALHOST)?;
/// filter.insert(&("ab", "c"))?;
/// assert!(filter.contains("hello") && filter.contains("127.0.0.1"));
/// assert!(filter.contains(&("ab", "c")) && !filter.contains(&("a", "bc")));
/// # Ok::<(), tepal::Error>(())
/// ```
///
/// # A type of your own
///
/// `#[derive(tepal::Key)]` (feature `derive`) makes a struct the key of its fields. Without it, put
/// several fields one after the other; a wrapper returns the key of its value:
///
/// ```
/// use tepal::{Key, KeyRef, KeySink};
///
/// struct Visit { user: u64, page: String }
/// impl Key for Visit {
///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
///         sink.put(&self.user).put(&self.page).finish()
///     }
/// }
///
/// struct Iin(String);
/// impl Key for Iin {
///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
///         self.0.key(sink)
///     }
/// }
/// ```
///
/// Either return one value as it is, or put every part with [`KeySink::put`]. A list must be a key
/// of its own that puts each element, so that the key shows where the list ends. Do not leave a
/// missing field out: put a list of no or one element, or a word that says whether the field is
/// there.
///
/// ```
/// use tepal::{Key, KeyRef, KeySink};
///
/// struct Article { title: String, tags: Tags, author: Option<String> }
/// struct Tags(Vec<String>);
///
/// impl Key for Tags {
///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
///         self.0.iter().fold(sink, |sink, tag| sink.put(tag)).finish()
///     }
/// }
///
/// impl Key for Article {
///     fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
///         sink.put(&self.title).put(&self.tags);
///         match &self.author {
///             Some(author) => sink.put(&("by", author)),
///             None => sink.put("anonymous"),
///         };
///         sink.finish()
///     }
/// }
/// ```
///
/// ```compile_fail
/// # let mut filter = tepal::BloomFilter::builder().capacity(10).build().unwrap();
/// filter.insert_many(b"hello"); // would be five keys, and `contains("hello")` false
/// ```
///
/// ```compile_fail
/// # let mut filter = tepal::BloomFilter::builder().capacity(10).build().unwrap();
/// filter.insert_many(&vec![104u8, 101, 108, 108, 111]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key",
    label = "not text, bytes, an integer of 16 to 128 bits, an address, a path, or a tuple of such",
    note = "for a struct of your own use `#[derive(tepal::Key)]` (feature `derive`), or implement `tepal::Key`:\n\
            fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {{ sink.put(&self.user).put(&self.page).finish() }}",
    note = "a single `u8` is no key, so that bytes in a row are one key and never a list of them: convert it to `u16`",
    note = "a float, a `bool` or an `Option` is no key: say which text or number stands for it; a `Result` has to be unwrapped",
    note = "a list is no key by itself: give it a type of its own that puts each element"
)]
pub trait Key {
    /// The key: borrowed from `self` if it is held as one value, otherwise written into `sink`,
    /// which is empty.
    fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a>;

    /// The keys themselves, if they are 64-bit integers.
    #[doc(hidden)]
    #[inline]
    fn integers(_keys: &[Self]) -> Option<&[u64]>
    where
        Self: Sized,
    {
        None
    }
}

/// The buffer for a [`Key`] that is not held as one value: the parts of a compound key, or bytes
/// and text that are made for the call.
///
/// Short keys need no heap memory.
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
    /// All bytes of a longer key.
    long: Vec<u8>,
    /// Does the sink contain the parts of a compound key?
    has_parts: bool,
}

/// Bytes of the longest key that needs no heap memory.
const SHORT: usize = 96;

impl KeySink {
    /// An empty sink. The filters make one for each key; only a caller of [`Key::key`] needs this.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        KeySink { len: 0, short: [0; SHORT], long: Vec::new(), has_parts: false }
    }

    /// Adds the next part of a compound key. A part can be any key, also a compound one. An integer
    /// counts as its decimal text here, as everywhere: `7` and `"7"` are the same part.
    ///
    /// The number of parts is not limited. If it varies and other parts follow, put the varying
    /// parts into a key of their own, for example a struct that puts each element of a list.
    pub fn put<K: Key + ?Sized>(&mut self, part: &K) -> &mut Self {
        if !self.has_parts {
            // Bytes written before are not a part.
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

    /// The compound key of all parts that were put; there may be none.
    #[must_use]
    pub fn finish(&self) -> KeyRef<'_> {
        let written = if self.has_parts { self.written() } else { &[COMPOUND] };
        KeyRef::Compound(Compound(written))
    }

    /// Makes a key of these bytes, for a value that does not hold them in this form. It discards
    /// parts that were put before. If the bytes are a part, use [`put`](Self::put).
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

    /// Makes a key of the text that `value` displays. It is the same key as that text. It discards
    /// parts that were put before. If the `Display` of `value` fails, the key is the text written
    /// until then.
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
        // Only the `Display` of `value` can fail.
        let _ = fmt::write(&mut Text(self), format_args!("{value}"));
        KeyRef::Bytes(self.written())
    }

    /// The sink, emptied for the next key.
    #[inline(always)]
    pub(crate) fn cleared(&mut self) -> &mut Self {
        self.clear();
        self
    }

    /// Removes all that was written.
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

/// A sink that takes text, used only by [`KeySink::text`].
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

#[cfg(test)]
mod tests;
