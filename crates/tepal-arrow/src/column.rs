//! How Arrow lays out the columns that can be keys, and how they are read where they lie.

use std::fmt;

use tepal::{Column as Texts, KeyRef, KeySink, Keys, hash::Offset};

use crate::ffi::ArrowArray;
use crate::ffi::numbers::Numbers;
use crate::kind::{Kind, Type};

/// Rows that are handed over at once.
pub const PIECE: usize = 8192;

/// Says of an array that it is not what its schema says, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}

fn broken(what: &str) -> Broken {
    Broken(format!("the Arrow array {what}; have it made again by who made it"))
}

/// One array of keys.
pub trait Column: Send + Sync {
    /// The number of rows.
    fn len(&self) -> usize;

    /// Whether there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows of a piece, at most: for [`keys`](Self::keys).
    fn most(&self) -> usize {
        PIECE
    }

    /// The keys of these rows. For a null it is some key.
    ///
    /// # Errors
    /// A row that is not what the type says.
    fn keys(&self, start: usize, len: usize) -> Result<Box<dyn Keys + '_>, Broken> {
        let has_nulls = self.has_nulls();
        let key = |row| if has_nulls && self.is_null(row) { Ok(KeyRef::Bytes(b"")) } else { self.key(row) };
        Ok(Box::new((start..start + len).map(key).collect::<Result<Vec<_>, _>>()?))
    }

    /// The key of a row that is no null, if it can be borrowed.
    ///
    /// # Errors
    /// A row that is not what the type says, and every row of a column whose keys are made.
    fn key(&self, row: usize) -> Result<KeyRef<'_>, Broken>;

    /// Whether a row can be null.
    fn has_nulls(&self) -> bool {
        false
    }

    /// Whether this row is null.
    fn is_null(&self, _row: usize) -> bool {
        false
    }
}

/// The column in an array of the type, read where it lies.
///
/// # Errors
/// An array that is not what the type says.
pub fn column<'a>(array: &'a ArrowArray, kind: &Type) -> Result<Box<dyn Column + 'a>, Broken> {
    let (start, len) = rows(array)?;
    slice(array, &kind.0, start, len)
}

fn rows(array: &ArrowArray) -> Result<(usize, usize), Broken> {
    array.rows().ok_or_else(|| broken("has a length or an offset that no array can have"))
}

/// Rows of the array, counted from the start of its buffers.
fn slice<'a>(
    array: &'a ArrowArray,
    kind: &Kind,
    start: usize,
    len: usize,
) -> Result<Box<dyn Column + 'a>, Broken> {
    let nulls = Nulls::of(array, start, len)?;
    let lacks = || broken("lacks a buffer");
    let fixed = |width: usize| {
        let all = width.checked_mul(start + len).ok_or_else(|| broken("is longer than memory"))?;
        let data = array.bytes(1, all).ok_or_else(lacks)?;
        // Without a row, `data` is shorter than where the rows would begin.
        Ok(Fixed { data: data.get(width * start..).unwrap_or_default(), width, len })
    };
    Ok(match kind {
        Kind::Null => Box::new(AllNull(len)),
        Kind::Integers(width, is_signed) => {
            let values = array.integers((start, len), (*width, *is_signed)).ok_or_else(lacks)?;
            Box::new(WithNulls { values, nulls })
        }
        Kind::Short => Box::new(WithNulls { values: by_offsets::<i32>(array, start, len)?, nulls }),
        Kind::Long => Box::new(WithNulls { values: by_offsets::<i64>(array, start, len)?, nulls }),
        Kind::Views => {
            let views = array.bytes(1, 16 * (start + len)).ok_or_else(lacks)?;
            Box::new(Views { array, views: views.get(16 * start..).unwrap_or_default(), nulls })
        }
        Kind::Fixed(width) => Box::new(WithNulls { values: fixed(*width)?, nulls }),
        Kind::Uuid => Box::new(WithNulls { values: Uuids(fixed(16)?), nulls }),
        Kind::Dictionary(index, values) => {
            let dictionary = array.dictionary().ok_or_else(|| broken("has no dictionary"))?;
            let Kind::Integers(width, is_signed) = **index else {
                return Err(broken("has no integers for its dictionary"));
            };
            let index = array.integers((start, len), (width, is_signed)).ok_or_else(lacks)?;
            let is_made = values.is_uuid();
            let (start, len) = rows(dictionary)?;
            let values = slice(dictionary, values, start, len)?;
            let values = if is_made { Box::new(Made::of(&*values)?) } else { values };
            Box::new(Dictionary { index, nulls, values })
        }
        Kind::OneColumn(kind) => {
            if nulls.bits.is_some() {
                return Err(broken("has rows that are null as a whole, which no table has"));
            }
            let child = array.only_child().ok_or_else(|| broken("has not one column"))?;
            let (offset, holds) = rows(child)?;
            if start.checked_add(len).is_none_or(|end| end > holds) {
                return Err(broken("is longer than its column"));
            }
            return slice(child, kind, offset + start, len);
        }
    })
}

/// Which rows are null.
#[derive(Clone, Copy)]
struct Nulls<'a> {
    bits: Option<&'a [u8]>,
    start: usize,
}

impl<'a> Nulls<'a> {
    fn of(array: &'a ArrowArray, start: usize, len: usize) -> Result<Self, Broken> {
        let bits = array.may_have_nulls().then(|| array.bytes(0, (start + len).div_ceil(8)));
        let bits = bits.map(|bits| bits.ok_or_else(|| broken("lacks a buffer"))).transpose()?;
        Ok(Nulls { bits, start })
    }

    fn is_null(self, row: usize) -> bool {
        let at = self.start + row;
        self.bits.is_some_and(|bits| bits[at / 8] & 1 << (at % 8) == 0)
    }
}

/// A column of values, each of which can be read, some of which are null.
struct WithNulls<'a, V> {
    values: V,
    nulls: Nulls<'a>,
}

impl<V: Column> Column for WithNulls<'_, V> {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn keys(&self, start: usize, len: usize) -> Result<Box<dyn Keys + '_>, Broken> {
        self.values.keys(start, len)
    }

    fn key(&self, row: usize) -> Result<KeyRef<'_>, Broken> {
        self.values.key(row)
    }

    fn has_nulls(&self) -> bool {
        self.nulls.bits.is_some()
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.is_null(row)
    }
}

struct AllNull(usize);

impl Column for AllNull {
    fn len(&self) -> usize {
        self.0
    }

    fn key(&self, _: usize) -> Result<KeyRef<'_>, Broken> {
        Err(broken("has a key where all is null"))
    }

    fn has_nulls(&self) -> bool {
        true
    }

    fn is_null(&self, _: usize) -> bool {
        true
    }
}

/// Text by offsets.
struct ByOffsets<'a, O> {
    offsets: &'a [O],
    data: &'a [u8],
}

fn by_offsets<O: Offset>(array: &ArrowArray, start: usize, len: usize) -> Result<ByOffsets<'_, O>, Broken> {
    if len == 0 {
        return Ok(ByOffsets { offsets: &[], data: &[] });
    }
    let offsets = array.offsets::<O>(1, start, len + 1);
    let offsets = offsets.ok_or_else(|| broken("has its offsets at a place that is not theirs"))?;
    let end: usize = offsets[len].try_into().map_err(|_| broken("has a negative offset"))?;
    let data = array.bytes(2, end).ok_or_else(|| broken("lacks a buffer"))?;
    Ok(ByOffsets { offsets, data })
}

impl<O: Offset + Send + Sync> Column for ByOffsets<'_, O> {
    fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn keys(&self, start: usize, len: usize) -> Result<Box<dyn Keys + '_>, Broken> {
        let texts = Texts::new(&self.offsets[start..=start + len], self.data);
        Ok(Box::new(texts.map_err(|_| broken("has offsets that go back, or past its data"))?))
    }

    fn key(&self, row: usize) -> Result<KeyRef<'_>, Broken> {
        let place = |row: usize| self.offsets[row].try_into().ok();
        let text = place(row).zip(place(row + 1)).and_then(|(start, end)| self.data.get(start..end));
        text.map(KeyRef::Bytes).ok_or_else(|| broken("has offsets that go back, or past its data"))
    }
}

/// Text by views: its length, and the text itself if it has at most 12 bytes, else where it is. A
/// view of a null may be anything.
struct Views<'a> {
    array: &'a ArrowArray,
    /// 16 bytes each.
    views: &'a [u8],
    nulls: Nulls<'a>,
}

impl Column for Views<'_> {
    fn len(&self) -> usize {
        self.views.len() / 16
    }

    fn key(&self, row: usize) -> Result<KeyRef<'_>, Broken> {
        let view = &self.views[16 * row..][..16];
        let number = |at: usize| {
            let bytes = [view[at], view[at + 1], view[at + 2], view[at + 3]];
            usize::try_from(i32::from_ne_bytes(bytes))
                .map_err(|_| broken("has a view with a negative number"))
        };
        let len = number(0)?;
        if len <= 12 {
            return Ok(KeyRef::Bytes(&view[4..4 + len]));
        }
        let (buffer, start) = (number(8)?, number(12)?);
        // Behind the data comes a buffer with the length of each.
        let data = self.array.buffers().saturating_sub(3);
        let lengths = self.array.bytes(data + 2, 8 * data).unwrap_or_default();
        let length = lengths
            .chunks_exact(8)
            .nth(buffer)
            .and_then(|bytes| bytes.try_into().ok())
            .map(i64::from_ne_bytes);
        let length = length.and_then(|length| usize::try_from(length).ok());
        let bytes = length.and_then(|length| self.array.bytes(buffer + 2, length));
        let text = bytes.and_then(|bytes| bytes.get(start..start + len));
        text.map(KeyRef::Bytes).ok_or_else(|| broken("has a view past its data"))
    }

    fn has_nulls(&self) -> bool {
        self.nulls.bits.is_some()
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.is_null(row)
    }
}

/// Byte strings of one length.
struct Fixed<'a> {
    data: &'a [u8],
    width: usize,
    len: usize,
}

impl Fixed<'_> {
    fn bytes(&self, row: usize) -> &[u8] {
        &self.data[self.width * row..][..self.width]
    }
}

impl Column for Fixed<'_> {
    fn len(&self) -> usize {
        self.len
    }

    fn key(&self, row: usize) -> Result<KeyRef<'_>, Broken> {
        Ok(KeyRef::Bytes(self.bytes(row)))
    }
}

/// UUIDs of 16 bytes, whose keys are their texts.
struct Uuids<'a>(Fixed<'a>);

impl Column for Uuids<'_> {
    fn len(&self) -> usize {
        self.0.len
    }

    fn keys(&self, start: usize, len: usize) -> Result<Box<dyn Keys + '_>, Broken> {
        let text = |bytes: &[u8]| bytes.try_into().map(uuid_text).unwrap_or([0; 36]);
        Ok(Box::new((start..start + len).map(|row| text(self.0.bytes(row))).collect::<Vec<_>>()))
    }

    fn key(&self, _: usize) -> Result<KeyRef<'_>, Broken> {
        Err(broken("has keys that are made, not borrowed"))
    }
}

/// The key of a UUID: its text in lower case, with hyphens.
#[must_use]
pub fn uuid_text(bytes: &[u8; 16]) -> [u8; 36] {
    let digit = |half: u8| b"0123456789abcdef"[usize::from(half)];
    let (mut text, mut at) = ([b'-'; 36], 0);
    for byte in bytes {
        at += usize::from(matches!(at, 8 | 13 | 18 | 23));
        text[at..at + 2].copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        at += 2;
    }
    text
}

/// Values of a dictionary, by their numbers in it.
struct Dictionary<'a> {
    index: Numbers,
    nulls: Nulls<'a>,
    values: Box<dyn Column + 'a>,
}

impl Dictionary<'_> {
    fn place(&self, row: usize) -> Option<usize> {
        match self.index.key(row) {
            Ok(KeyRef::Unsigned(place)) => usize::try_from(place).ok(),
            Ok(KeyRef::Signed(place)) => usize::try_from(place).ok(),
            _ => None,
        }
        .filter(|&place| place < self.values.len())
    }
}

impl Column for Dictionary<'_> {
    fn len(&self) -> usize {
        self.index.len()
    }

    fn key(&self, row: usize) -> Result<KeyRef<'_>, Broken> {
        self.values.key(self.place(row).ok_or_else(|| broken("has a number past its dictionary"))?)
    }

    fn has_nulls(&self) -> bool {
        self.nulls.bits.is_some() || self.values.has_nulls()
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.is_null(row) || self.place(row).is_some_and(|place| self.values.is_null(place))
    }
}

/// Keys that were made ahead, so that they can be borrowed in any order.
struct Made {
    texts: Vec<Vec<u8>>,
    nulls: Vec<bool>,
}

impl Made {
    fn of(column: &dyn Column) -> Result<Self, Broken> {
        let keys = column.keys(0, column.len())?;
        let text = |row| match keys.key(row, &mut KeySink::new()) {
            KeyRef::Bytes(text) => text.to_vec(),
            _ => Vec::new(),
        };
        let texts = (0..column.len()).map(text).collect();
        Ok(Made { texts, nulls: (0..column.len()).map(|row| column.is_null(row)).collect() })
    }
}

impl Column for Made {
    fn len(&self) -> usize {
        self.texts.len()
    }

    fn key(&self, row: usize) -> Result<KeyRef<'_>, Broken> {
        Ok(KeyRef::Bytes(&self.texts[row]))
    }

    fn has_nulls(&self) -> bool {
        self.nulls.contains(&true)
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls[row]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArrowSchema, booleans};

    #[test]
    fn a_uuid_is_its_text_in_lower_case() {
        let bytes: [u8; 16] = std::array::from_fn(|i| 16 * i as u8 + 15 - i as u8);
        assert_eq!(&uuid_text(&bytes), b"0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0");
    }

    #[test]
    fn an_array_that_lacks_its_buffers_is_an_error() {
        let kind = |format| Type::of(&ArrowSchema::of_tests(format, 2, &[])).unwrap();
        // Three rows, a buffer of one byte, and neither offsets nor views.
        let (schema, array) = booleans(vec![5], None, (0, 0));
        assert!(Type::of(&schema).unwrap_err().contains("bool"));
        for format in ["n", "u", "Z", "vu", "l", "w:16"] {
            assert_eq!(column(&array, &kind(format)).unwrap().len(), 0, "{format}");
        }
        let empty = ArrowArray::empty();
        for format in ["u", "Z", "vu", "l", "w:16"] {
            assert!(column(&empty, &kind(format)).is_ok_and(|column| column.is_empty()), "{format}");
        }
    }
}
