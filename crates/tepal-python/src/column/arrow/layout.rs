//! How Arrow lays out the columns that can be keys, and how they are read where they lie.

use tepal::{Column as Texts, KeyRef, hash::Offset};

use super::super::numbers::Numbers;
use super::super::{Column, Fault, Take};
use super::ffi::{ArrowArray, ArrowSchema};

/// What an array holds, of all that can be keys.
#[derive(Clone, Debug)]
pub(super) enum Type {
    /// Nothing but nulls.
    Null,
    /// Integers: bytes of one, and whether they have a sign.
    Integers(usize, bool),
    /// Text or bytes by offsets of 32 bits.
    Short,
    /// The same by offsets of 64 bits.
    Long,
    /// Text or bytes by views.
    Views,
    /// Byte strings of one length.
    Fixed(usize),
    /// The integers of a dictionary, and what it holds.
    Dictionary(Box<Type>, Box<Type>),
    /// A table of one column.
    OneColumn(Box<Type>),
}

/// What the schema says. The error is what is there instead, with the way out.
pub(super) fn kind(schema: &ArrowSchema) -> Result<Type, String> {
    let Some(format) = schema.format() else { return Err("an empty schema; give the column itself".into()) };
    if let Some(values) = schema.dictionary() {
        let index = integers(format).ok_or_else(|| format!("a dictionary by {format}; cast it to string"))?;
        return Ok(Type::Dictionary(Box::new(index), Box::new(kind(values)?)));
    }
    if let Some(integers) = integers(format) {
        return Ok(integers);
    }
    match format {
        "n" => Ok(Type::Null),
        "u" | "z" => Ok(Type::Short),
        "U" | "Z" => Ok(Type::Long),
        "vu" | "vz" => Ok(Type::Views),
        "+s" => one_column(schema),
        _ => match format.strip_prefix("w:").map(str::parse) {
            Some(Ok(width)) => Ok(Type::Fixed(width)),
            _ => Err(refused(format)),
        },
    }
}

fn integers(format: &str) -> Option<Type> {
    Some(match format {
        "c" => Type::Integers(1, true),
        "C" => Type::Integers(1, false),
        "s" => Type::Integers(2, true),
        "S" => Type::Integers(2, false),
        "i" => Type::Integers(4, true),
        "I" => Type::Integers(4, false),
        "l" => Type::Integers(8, true),
        "L" => Type::Integers(8, false),
        _ => return None,
    })
}

fn one_column(schema: &ArrowSchema) -> Result<Type, String> {
    let children: Vec<_> = schema.children().collect();
    match children.as_slice() {
        [only] => Ok(Type::OneColumn(Box::new(kind(only)?))),
        all => {
            let names: Vec<_> = all.iter().map(|child| child.name()).collect();
            Err(format!(
                "{} columns ({}), and one is expected; give the column of the keys",
                all.len(),
                names.join(", ")
            ))
        }
    }
}

/// The name of a type that is no key, and the way out.
fn refused(format: &str) -> String {
    let (name, advice) = match format {
        "b" => ("bool", "say which text or number stands for true: true is not 1"),
        "e" | "f" | "g" => (
            "floating-point numbers",
            "floats have other bytes and texts in other languages; cast them to int64 or string",
        ),
        _ if format.starts_with('d') => ("decimals", "cast them to int64 or string"),
        _ if format.starts_with('t') => {
            ("dates or times", "cast them to int64 or string, and say so to who asks")
        }
        "+r" => ("run-end encoded values", "cast them to the type of the values"),
        _ if format.starts_with('+') => {
            ("lists, maps or structs", "give a column of strings, bytes or integers")
        }
        _ => ("a type that is no key", "cast it to int64 or string"),
    };
    format!("{name} (Arrow's {format:?}) is no column of keys; {advice}")
}

/// Says of an array that it is not what its schema says.
fn broken(what: &str) -> Fault {
    Fault::Column(format!("the Arrow array {what}; have it made again by who made it"))
}

/// The column in the array, read where it lies.
pub(super) fn column<'a>(array: &'a ArrowArray, kind: &Type) -> Result<Box<dyn Column + 'a>, Fault> {
    let (Ok(start), Ok(len)) = (usize::try_from(array.offset), usize::try_from(array.length)) else {
        return Err(broken("has a negative length or offset"));
    };
    if start.checked_add(len).is_none_or(|end| end > isize::MAX as usize / 16) {
        return Err(broken("is longer than memory"));
    }
    slice(array, kind, start, len)
}

/// Rows of the array, counted from the start of its buffers.
fn slice<'a>(
    array: &'a ArrowArray,
    kind: &Type,
    start: usize,
    len: usize,
) -> Result<Box<dyn Column + 'a>, Fault> {
    let nulls = Nulls::of(array, start, len);
    let buffer = array.buffer(1);
    let is_there =
        |from: *const u8| if from.is_null() && len > 0 { Err(broken("lacks a buffer")) } else { Ok(from) };
    Ok(match kind {
        Type::Null => Box::new(AllNull(len)),
        Type::Integers(width, is_signed) => {
            let from = is_there(buffer)?.wrapping_add(start * width);
            // SAFETY: the interface says that `start + len` integers are there, and the array is
            // borrowed for as long.
            let numbers = unsafe { Numbers::new(from, *width as isize, len, (*width, *is_signed, false)) };
            Box::new(WithNulls { values: numbers, nulls })
        }
        Type::Short => Box::new(WithNulls { values: by_offsets::<i32>(array, start, len)?, nulls }),
        Type::Long => Box::new(WithNulls { values: by_offsets::<i64>(array, start, len)?, nulls }),
        Type::Views => {
            let views = bytes(is_there(buffer)?, 16 * (start + len));
            Box::new(WithNulls { values: Views { array, views: &views[16 * start..] }, nulls })
        }
        Type::Fixed(width) => {
            let all = width.checked_mul(start + len).ok_or_else(|| broken("is longer than memory"))?;
            let data = bytes(is_there(buffer)?, all);
            Box::new(WithNulls { values: Fixed { data: &data[width * start..], width: *width, len }, nulls })
        }
        Type::Dictionary(index, values) => {
            let dictionary = array.dictionary().ok_or_else(|| broken("has no dictionary"))?;
            let Type::Integers(width, is_signed) = **index else {
                return Err(broken("has no integers for its dictionary"));
            };
            let from = is_there(buffer)?.wrapping_add(start * width);
            // SAFETY: as above.
            let index = unsafe { Numbers::new(from, width as isize, len, (width, is_signed, false)) };
            Box::new(Dictionary { index, nulls, values: column(dictionary, values)? })
        }
        Type::OneColumn(kind) => {
            if nulls.bits.is_some() {
                return Err(broken("has rows that are null as a whole, which no table has"));
            }
            let child = array.only_child().ok_or_else(|| broken("has not one column"))?;
            let offset = usize::try_from(child.offset).map_err(|_| broken("has a negative offset"))?;
            let holds = usize::try_from(child.length).unwrap_or(0);
            if start.checked_add(len).is_none_or(|end| end > holds) {
                return Err(broken("is longer than its column"));
            }
            return slice(child, kind, offset + start, len);
        }
    })
}

/// `len` bytes of a buffer.
fn bytes<'a>(from: *const u8, len: usize) -> &'a [u8] {
    if from.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: the interface says that the buffer has so many, and that nobody changes them; the
    // array lives as long.
    unsafe { std::slice::from_raw_parts(from, len) }
}

/// Which rows are null.
#[derive(Clone, Copy)]
struct Nulls<'a> {
    bits: Option<&'a [u8]>,
    start: usize,
}

impl<'a> Nulls<'a> {
    fn of(array: &'a ArrowArray, start: usize, len: usize) -> Self {
        let from = array.buffer(0);
        let has_some = array.null_count != 0 && !from.is_null();
        Nulls { bits: has_some.then(|| bytes(from, (start + len).div_ceil(8))), start }
    }

    fn is_null(self, row: usize) -> bool {
        let at = self.start + row;
        self.bits.is_some_and(|bits| bits[at / 8] & 1 << (at % 8) == 0)
    }
}

/// A column of values some of which may be null.
struct WithNulls<'a, V> {
    values: V,
    nulls: Nulls<'a>,
}

impl<V: Column> Column for WithNulls<'_, V> {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn keys(&self, start: usize, len: usize, take: Take<'_>) -> Result<(), Fault> {
        self.values.keys(start, len, take)
    }

    fn key(&self, row: usize) -> Result<KeyRef<'_>, Fault> {
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

    fn key(&self, _: usize) -> Result<KeyRef<'_>, Fault> {
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

fn by_offsets<O: Offset>(array: &ArrowArray, start: usize, len: usize) -> Result<ByOffsets<'_, O>, Fault> {
    if len == 0 {
        return Ok(ByOffsets { offsets: &[], data: &[] });
    }
    let from = array.buffer(1).cast::<O>();
    if from.is_null() || !from.is_aligned() {
        return Err(broken("has its offsets at a place that is not theirs"));
    }
    // SAFETY: the interface says that there are `start + len + 1`, and that nobody changes them;
    // the array lives as long.
    let offsets = unsafe { std::slice::from_raw_parts(from.wrapping_add(start), len + 1) };
    let end: usize = offsets[len].try_into().map_err(|_| broken("has a negative offset"))?;
    Ok(ByOffsets { offsets, data: bytes(array.buffer(2), end) })
}

impl<O: Offset + Send + Sync> Column for ByOffsets<'_, O> {
    fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn keys(&self, start: usize, len: usize, take: Take<'_>) -> Result<(), Fault> {
        let texts = Texts::new(&self.offsets[start..=start + len], self.data);
        take(&texts.map_err(|_| broken("has offsets that go back, or past its data"))?)
    }

    fn key(&self, row: usize) -> Result<KeyRef<'_>, Fault> {
        let place = |row: usize| self.offsets[row].try_into().ok();
        let text = place(row).zip(place(row + 1)).and_then(|(start, end)| self.data.get(start..end));
        text.map(KeyRef::Bytes).ok_or_else(|| broken("has offsets that go back, or past its data"))
    }
}

/// Text by views: its length, and the text itself if it has at most 12 bytes, else where it is.
struct Views<'a> {
    array: &'a ArrowArray,
    /// 16 bytes each.
    views: &'a [u8],
}

impl Column for Views<'_> {
    fn len(&self) -> usize {
        self.views.len() / 16
    }

    fn key(&self, row: usize) -> Result<KeyRef<'_>, Fault> {
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
        let data = usize::try_from(self.array.n_buffers).unwrap_or(0).saturating_sub(3);
        let lengths = bytes(self.array.buffer(data + 2), 8 * data);
        let length = lengths
            .chunks_exact(8)
            .nth(buffer)
            .and_then(|bytes| bytes.try_into().ok())
            .map(i64::from_ne_bytes);
        let length = length.and_then(|length| usize::try_from(length).ok());
        let text =
            length.and_then(|length| bytes(self.array.buffer(buffer + 2), length).get(start..start + len));
        text.map(KeyRef::Bytes).ok_or_else(|| broken("has a view past its data"))
    }
}

/// Byte strings of one length.
struct Fixed<'a> {
    data: &'a [u8],
    width: usize,
    len: usize,
}

impl Column for Fixed<'_> {
    fn len(&self) -> usize {
        self.len
    }

    fn key(&self, row: usize) -> Result<KeyRef<'_>, Fault> {
        Ok(KeyRef::Bytes(&self.data[self.width * row..][..self.width]))
    }
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

    fn key(&self, row: usize) -> Result<KeyRef<'_>, Fault> {
        self.values.key(self.place(row).ok_or_else(|| broken("has a number past its dictionary"))?)
    }

    fn has_nulls(&self) -> bool {
        self.nulls.bits.is_some() || self.values.has_nulls()
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.is_null(row) || self.place(row).is_some_and(|place| self.values.is_null(place))
    }
}
