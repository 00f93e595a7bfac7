//! Many keys, as a slice or as a column of offsets and data.

use alloc::vec::Vec;

use super::key_ref::KeyRef;
use super::sink::{Key, KeySink};
use crate::error::{Error, Result};

/// A list of keys for the batch calls: slices, arrays and vectors of any [`Key`], and [`Column`].
///
/// No caller has to copy keys into another form.
///
/// For the keys of an iterator, use the calls whose names end in `_iter`. A slice of `u64` is a
/// list of integer keys, and each is hashed. For hashes that were computed before, use the calls
/// whose names end in `_hashes`, which do not hash again.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of keys",
    label = "not a slice, an array, a vector of keys, or a `Column`",
    note = "keys of an iterator go to the calls whose names end in `_iter`; a single key to `insert` and `contains`"
)]
pub trait Keys {
    /// The number of keys.
    fn len(&self) -> usize;

    /// Is the list empty?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Key number `i`, from 0: borrowed, or written into `sink` as in [`Key::key`]. `sink` must be
    /// empty.
    ///
    /// # Panics
    /// If `i` is not below [`len`](Self::len).
    fn key<'a>(&'a self, i: usize, sink: &'a mut KeySink) -> KeyRef<'a>;

    /// All keys, if each is a 64-bit integer. They are then hashed in one loop.
    #[doc(hidden)]
    #[inline]
    fn integers(&self) -> Option<&[u64]> {
        None
    }
}

impl<K: Key> Keys for [K] {
    #[inline]
    fn len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn key<'a>(&'a self, i: usize, sink: &'a mut KeySink) -> KeyRef<'a> {
        self[i].key(sink)
    }

    #[inline]
    fn integers(&self) -> Option<&[u64]> {
        K::integers(self)
    }
}

macro_rules! as_slice {
    ($([$($generics:tt)*] $type:ty),*) => {$(
        impl<$($generics)*> Keys for $type {
            #[inline]
            fn len(&self) -> usize {
                self.as_slice().len()
            }

            #[inline]
            fn key<'a>(&'a self, i: usize, sink: &'a mut KeySink) -> KeyRef<'a> {
                self[i].key(sink)
            }

            #[inline]
            fn integers(&self) -> Option<&[u64]> {
                K::integers(self)
            }
        }
    )*};
}
as_slice!([K: Key, const N: usize] [K; N], [K: Key] Vec<K>);

impl<K: Keys + ?Sized> Keys for &K {
    #[inline]
    fn len(&self) -> usize {
        (**self).len()
    }

    #[inline]
    fn key<'a>(&'a self, i: usize, sink: &'a mut KeySink) -> KeyRef<'a> {
        (**self).key(i, sink)
    }

    #[inline]
    fn integers(&self) -> Option<&[u64]> {
        (**self).integers()
    }
}

/// A part of a list: `len` keys from number `start` on.
pub(crate) struct Stretch<'a, K: ?Sized> {
    keys: &'a K,
    start: usize,
    len: usize,
}

impl<'a, K: Keys + ?Sized> Stretch<'a, K> {
    /// The keys `start` to `start + len`, which must exist.
    pub(crate) fn new(keys: &'a K, start: usize, len: usize) -> Self {
        Stretch { keys, start, len }
    }
}

impl<K: Keys + ?Sized> Keys for Stretch<'_, K> {
    #[inline]
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn key<'a>(&'a self, i: usize, sink: &'a mut KeySink) -> KeyRef<'a> {
        self.keys.key(self.start + i, sink)
    }

    #[inline]
    fn integers(&self) -> Option<&[u64]> {
        self.keys.integers().map(|all| &all[self.start..][..self.len])
    }
}

/// A column of texts or byte strings in the form of Apache Arrow and other columnar systems: key
/// `i` is the data from `offsets[i]` up to `offsets[i + 1]`. Checked once, borrowed, never copied.
///
/// ```
/// use tepal::{BloomFilter, Column};
/// let column = Column::new(&[0, 5, 5, 11], b"applebanana")?;
/// let mut filter = BloomFilter::builder().capacity(10).build()?;
/// filter.insert_many(&column)?;
/// assert!(filter.contains("apple") && filter.contains("") && filter.contains("banana"));
/// let mut bitmap = [0];
/// filter.contains_many_bits(&column, &mut bitmap);
/// assert_eq!(bitmap, [0b111]);
/// # Ok::<(), tepal::Error>(())
/// ```
///
/// A column does not know about nulls. The data at the place of a null is looked up like any key.
/// The caller combines the bitmap of answers with the validity bitmap.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a, O = i32> {
    offsets: &'a [O],
    data: &'a [u8],
}

/// A type of offsets: `i32` and `i64` as in Arrow, and the unsigned types.
pub trait Offset: Copy + TryInto<usize> + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! offsets {
    ($($type:ty),*) => {$(
        impl Offset for $type {}
        impl sealed::Sealed for $type {}
    )*};
}
offsets!(i32, i64, u32, u64, usize);

impl<'a, O: Offset> Column<'a, O> {
    /// A column of `offsets.len() - 1` keys; empty if there are no offsets. Data before the first
    /// offset and after the last one belongs to no key. Costs one pass over the offsets.
    ///
    /// # Errors
    /// [`Error::Parameter`] if an offset is negative, less than the one before it, or beyond the
    /// data.
    pub fn new(offsets: &'a [O], data: &'a [u8]) -> Result<Self> {
        let mut least = 0;
        for (i, &offset) in offsets.iter().enumerate() {
            match offset.try_into() {
                Ok(at) if (least..=data.len()).contains(&at) => least = at,
                _ => {
                    let expected = alloc::format!("{least} to {}, the end of the data", data.len());
                    return Err(Error::parameter(
                        "an offset",
                        format_args!("one out of order at place {i}"),
                        expected,
                    ));
                }
            }
        }
        Ok(Column { offsets, data })
    }
}

impl<O: Offset> Keys for Column<'_, O> {
    #[inline]
    fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    #[inline]
    fn key<'a>(&'a self, i: usize, _: &'a mut KeySink) -> KeyRef<'a> {
        // `new` checked that all offsets are within the data.
        let place = |i: usize| self.offsets[i].try_into().unwrap_or(0);
        KeyRef::Bytes(&self.data[place(i)..place(i + 1)])
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;

    fn keys<O: Offset>(offsets: &[O], data: &[u8]) -> Result<Vec<Vec<u8>>> {
        let column = Column::new(offsets, data)?;
        let key = |i| match column.key(i, &mut KeySink::new()) {
            KeyRef::Bytes(bytes) => bytes.to_vec(),
            other => panic!("{other:?}"),
        };
        Ok((0..column.len()).map(key).collect())
    }

    #[test]
    fn a_column_is_cut_at_its_offsets() {
        assert_eq!(keys(&[0_i32, 1, 1, 3], b"abcd").unwrap(), [&b"a"[..], b"", b"bc"]);
        assert_eq!(keys(&[2_i64, 4], b"abcd").unwrap(), [b"cd"]);
        assert_eq!(keys(&[4_u32, 4], b"abcd").unwrap(), [b""]);
        assert!(keys::<u64>(&[], b"abcd").unwrap().is_empty());
        assert!(keys(&[3_usize], b"abcd").unwrap().is_empty());
    }

    /// A key that outlives its sink.
    #[derive(Clone, Debug, PartialEq)]
    enum Held {
        Bytes(Vec<u8>),
        Unsigned(u64),
    }

    /// The keys as read through the trait alone.
    fn through(keys: &(impl Keys + ?Sized)) -> Vec<Held> {
        assert_eq!(keys.is_empty(), keys.len() == 0);
        (0..keys.len())
            .map(|i| match keys.key(i, &mut KeySink::new()) {
                KeyRef::Bytes(bytes) => Held::Bytes(bytes.to_vec()),
                KeyRef::Unsigned(n) => Held::Unsigned(n),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn keys_are_the_same_however_they_are_held() {
        let array = ["a", "", "bc"];
        let expected = [&b"a"[..], b"", b"bc"].map(|bytes| Held::Bytes(bytes.to_vec()));
        assert_eq!(through(&array), expected);
        assert_eq!(through(&array[..]), expected);
        assert_eq!(through(&array.to_vec()), expected);
        assert_eq!(through(&&array[..]), expected);
        assert_eq!(through(&&&Column::new(&[0_u32, 1, 1, 3], b"abc").unwrap()), expected);
        assert_eq!(through(&[7_u64, 8]), [Held::Unsigned(7), Held::Unsigned(8)]);
        let stretch = Stretch::new(&array, 1, 2);
        assert_eq!((through(&stretch), stretch.integers()), (expected[1..].to_vec(), None));
        let integers = [7_u64, 8, 9];
        let stretch = Stretch::new(&integers, 1, 1);
        assert_eq!((through(&stretch), stretch.integers()), (vec![Held::Unsigned(8)], Some(&integers[1..2])));
        for none in [through(&[0_u16; 0]), through(&Vec::<&str>::new()), through(&&[0_i16; 0][..])] {
            assert!(none.is_empty());
        }
    }

    #[test]
    fn offsets_that_are_no_places_in_order_are_refused() {
        for wrong in [&[-1, 0][..], &[0, 2, 1], &[0, 5], &[5], &[0, i64::MAX], &[i64::MIN]] {
            let error = keys(wrong, b"abcd").unwrap_err();
            assert!(matches!(error, Error::Parameter { .. }), "{error}");
        }
        assert!(keys(&[u64::MAX], b"abcd").is_err());
    }
}
