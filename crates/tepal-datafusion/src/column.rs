//! An Arrow column as keys. It is read in place: no text is copied, and the library hashes it.

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, FixedSizeBinaryArray, GenericByteViewArray,
};
use datafusion::arrow::buffer::{BooleanBuffer, MutableBuffer, NullBuffer};
use datafusion::arrow::datatypes::{
    ByteViewType, DataType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use tepal::{AnyFilter, Column, Error, KeyDomain, KeyRef, KeySink, Keys};

/// Checks that columns of the type are keys. The error is the reason, with what to do.
pub(crate) fn check_type(kind: &DataType) -> Result<(), String> {
    let reason = match kind {
        DataType::Null
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => return Ok(()),
        DataType::Dictionary(_, values) => return check_type(values),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => {
            "floating-point numbers have other bytes and texts in other languages; cast them to bigint or varchar"
        }
        DataType::Boolean => "say which text or number stands for true: case when x then 'yes' else 'no' end",
        DataType::Timestamp(..)
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_) => {
            "dates and times have a unit and a zone, which a key has not; cast them to bigint or varchar in every \
             query"
        }
        DataType::Duration(_) | DataType::Interval(_) => "cast it to bigint or varchar in every query",
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => "1.0 and 1.00 would be two keys; cast decimals to bigint or varchar",
        DataType::RunEndEncoded(..) => "cast it to the type of its values",
        _ => {
            "keys are integers, strings and bytes; take one of its fields or elements, or cast it to varchar"
        }
    };
    Err(format!("a column of the type {kind} holds no keys: {reason}"))
}

/// Whether columns of the type are keys of this domain and of no other: Parquet's FLOAT and DOUBLE.
pub(crate) fn is_float_of(kind: &DataType, domain: KeyDomain) -> bool {
    matches!(
        (kind, domain),
        (DataType::Float32, KeyDomain::Float32) | (DataType::Float64, KeyDomain::Float64)
    )
}

/// Hands the keys of all rows to `take`. A NULL is some key; [`nulls`] has the rows.
fn with_keys<T>(array: &dyn Array, take: &mut dyn FnMut(&dyn Keys) -> Result<T, Error>) -> Result<T, Error> {
    macro_rules! numbers {
        ($type:ty) => {{
            let numbers: &[_] = array.as_primitive::<$type>().values();
            take(&numbers)
        }};
    }
    match array.data_type() {
        DataType::Int8 => take(&Small(array.as_primitive::<Int8Type>().values(), i64::from)),
        DataType::UInt8 => take(&Small(array.as_primitive::<UInt8Type>().values(), i64::from)),
        DataType::Int16 => numbers!(Int16Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::UInt16 => numbers!(UInt16Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::UInt64 => numbers!(UInt64Type),
        DataType::Utf8 => {
            let texts = array.as_string::<i32>();
            take(&Column::new(texts.offsets(), texts.value_data())?)
        }
        DataType::LargeUtf8 => {
            let texts = array.as_string::<i64>();
            take(&Column::new(texts.offsets(), texts.value_data())?)
        }
        DataType::Binary => {
            let bytes = array.as_binary::<i32>();
            take(&Column::new(bytes.offsets(), bytes.value_data())?)
        }
        DataType::LargeBinary => {
            let bytes = array.as_binary::<i64>();
            take(&Column::new(bytes.offsets(), bytes.value_data())?)
        }
        DataType::Utf8View => take(&Views(array.as_string_view())),
        DataType::BinaryView => take(&Views(array.as_binary_view())),
        DataType::FixedSizeBinary(_) => take(&Fixed(array.as_fixed_size_binary())),
        DataType::Float32 => take(&Floats(array.as_primitive::<Float32Type>().values())),
        DataType::Float64 => take(&Floats(array.as_primitive::<Float64Type>().values())),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            if dictionary.values().is_empty() {
                return take(&AllNull(array.len()));
            }
            let rows = dictionary.normalized_keys();
            with_keys(dictionary.values(), &mut |keys| take(&Picked { keys, rows: &rows }))
        }
        // `check_type` refuses every other type before a row comes.
        _ => take(&AllNull(array.len())),
    }
}

/// The rows that are not NULL, if any is.
fn nulls(array: &dyn Array) -> Option<NullBuffer> {
    array.logical_nulls().filter(|nulls| nulls.null_count() > 0)
}

/// Hands the keys of the rows that are not NULL to `take`.
pub(crate) fn each_key<T>(
    array: &dyn Array,
    take: &mut dyn FnMut(&dyn Keys) -> Result<T, Error>,
) -> Result<T, Error> {
    match nulls(array) {
        None => with_keys(array, take),
        Some(nulls) => {
            let rows: Vec<usize> = nulls.valid_indices().collect();
            with_keys(array, &mut |keys| take(&Picked { keys, rows: &rows }))
        }
    }
}

/// Hands the keys of all rows to `take`, and returns which rows are not NULL. What `take` gets for
/// a NULL means nothing.
pub(crate) fn each_row<T>(
    array: &dyn Array,
    mut take: impl FnMut(&dyn Keys) -> T,
) -> Result<(T, Option<NullBuffer>), Error> {
    Ok((with_keys(array, &mut |keys| Ok(take(keys)))?, nulls(array)))
}

/// Looks the rows up. NULL gives NULL.
pub(crate) fn contains(filter: &AnyFilter, array: &ArrayRef) -> Result<BooleanArray, Error> {
    let (answers, nulls) = each_row(array, |keys| {
        let mut bits = MutableBuffer::from_len_zeroed(keys.len().div_ceil(8));
        filter.contains_many_bits(keys, bits.as_slice_mut());
        BooleanBuffer::new(bits.into(), 0, keys.len())
    })?;
    Ok(BooleanArray::new(answers, nulls))
}

/// Integers of one byte, which the library reads as bytes of one key.
struct Small<'a, T>(&'a [T], fn(T) -> i64);

impl<T: Copy> Keys for Small<'_, T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn key<'a>(&'a self, i: usize, _: &'a mut KeySink) -> KeyRef<'a> {
        KeyRef::Signed((self.1)(self.0[i]))
    }
}

/// Texts or bytes by views.
struct Views<'a, T: ByteViewType>(&'a GenericByteViewArray<T>);

impl<T: ByteViewType> Keys for Views<'_, T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn key<'a>(&'a self, i: usize, _: &'a mut KeySink) -> KeyRef<'a> {
        KeyRef::Bytes(self.0.value(i).as_ref())
    }
}

/// Byte strings of one length.
struct Fixed<'a>(&'a FixedSizeBinaryArray);

impl Keys for Fixed<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn key<'a>(&'a self, i: usize, _: &'a mut KeySink) -> KeyRef<'a> {
        KeyRef::Bytes(self.0.value(i))
    }
}

/// Numbers for a filter of Parquet's FLOAT or DOUBLE, which takes them as decimal texts. The
/// shortest text that reads as the number gives back its bits.
struct Floats<'a, T>(&'a [T]);

impl<T: Copy + std::fmt::Display> Keys for Floats<'_, T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn key<'a>(&'a self, i: usize, sink: &'a mut KeySink) -> KeyRef<'a> {
        sink.text(self.0[i])
    }
}

/// Some rows of a list, in this order.
struct Picked<'a> {
    keys: &'a dyn Keys,
    rows: &'a [usize],
}

impl Keys for Picked<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn key<'a>(&'a self, i: usize, sink: &'a mut KeySink) -> KeyRef<'a> {
        self.keys.key(self.rows[i], sink)
    }
}

/// Rows that are all NULL.
struct AllNull(usize);

impl Keys for AllNull {
    fn len(&self) -> usize {
        self.0
    }

    fn key<'a>(&'a self, _: usize, _: &'a mut KeySink) -> KeyRef<'a> {
        KeyRef::Bytes(b"")
    }
}
