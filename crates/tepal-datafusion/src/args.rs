//! The arguments of a call: a filter or the path of its file, and a column of keys.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, ByteView, MAX_INLINE_VIEW_LEN, StructArray, new_empty_array,
    new_null_array,
};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::compute::{cast, concat, nullif};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::{Column, ScalarValue};
use datafusion::error::Result;
use datafusion::functions::core;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlanBuilder, ReturnFieldArgs, ScalarFunctionArgs, Signature, Volatility, lit,
    scalar_subquery,
};

use crate::words::{planned, refused};

/// Checks the number of arguments. `example` is a call with all of them.
pub(crate) fn check_count(function: &str, given: &[DataType], expected: usize, example: &str) -> Result<()> {
    if given.len() == expected {
        return Ok(());
    }
    let s = if given.len() == 1 { "" } else { "s" };
    let are = if expected == 1 { "is" } else { "are" };
    Err(planned(function, format!("{} argument{s}, and {expected} {are} expected: {example}", given.len())))
}

/// The type of a filter as a value: a query that repeats it for each row has its bytes once.
pub(crate) const FILTER: DataType = DataType::BinaryView;

/// A filter that a literal or a subquery gives, as a struct of the filter alone. The engine copies
/// a value for each batch of rows: all bytes of a filter, and of a struct only a pointer. `None`
/// for every other expression.
pub(crate) fn shared(filter: &Expr) -> Result<Option<Expr>> {
    match filter {
        Expr::Literal(value, _) if bytes_of(value).is_some() => {
            let field = Arc::new(Field::new("c0", value.data_type(), true));
            let row = StructArray::from(vec![(field, value.to_array()?)]);
            Ok(Some(lit(ScalarValue::Struct(Arc::new(row)))))
        }
        Expr::ScalarSubquery(subquery) if subquery.outer_ref_columns.is_empty() => {
            let plan = &subquery.subquery;
            let (table, field) = plan.schema().qualified_field(0);
            if matches!(field.data_type(), DataType::Struct(_)) {
                return Ok(None);
            }
            let value = core::r#struct().call(vec![Expr::from(Column::from((table, field)))]);
            let plan = LogicalPlanBuilder::from(plan.as_ref().clone()).project([value])?.build()?;
            Ok(Some(scalar_subquery(Arc::new(plan))))
        }
        _ => Ok(None),
    }
}

/// The filter of these bytes as a value.
pub(crate) fn filter_value(function: &str, bytes: Vec<u8>) -> Result<ScalarValue> {
    if i32::try_from(bytes.len()).is_err() {
        let text = format!(
            "the filter has {} bytes, and a value has less than 2 GiB; build it with `tepal build`, and look it up by \
             bloom_contains_file",
            bytes.len()
        );
        return Err(refused(function, text));
    }
    Ok(ScalarValue::BinaryView(Some(bytes)))
}

/// The arguments of every function are checked when its type is asked for, so that an error is told
/// as it is. The engine wraps the errors of its own check of types into three lines of its own
/// words.
pub(crate) fn signature(volatility: Volatility) -> Signature {
    Signature::variadic_any(volatility)
}

/// Checks that the argument can be the path of a file.
pub(crate) fn check_path(function: &str, given: &DataType) -> Result<()> {
    match given {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => Ok(()),
        DataType::Dictionary(_, values) => check_path(function, values),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            let text = "the first argument is the path of a filter's file, and bytes are given; a filter itself goes \
                        to bloom_contains or bloom_info";
            Err(planned(function, text))
        }
        other => {
            let text =
                format!("the first argument is the path of a filter's file, a text, and {other} is given");
            Err(planned(function, text))
        }
    }
}

/// Checks that the argument can be a filter.
pub(crate) fn check_filter(function: &str, given: &DataType) -> Result<()> {
    const WHAT: &str = "the argument is a filter, the bytes that bloom_build makes, and";
    match given {
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_)
        | DataType::Null => Ok(()),
        DataType::Dictionary(_, values) => check_filter(function, values),
        DataType::Struct(fields) if fields.len() == 1 => check_filter(function, fields[0].data_type()),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let text =
                "a text is given; for the path of a file take bloom_contains_file, or bloom_read_file(path)";
            Err(planned(function, format!("{WHAT} {text}")))
        }
        other => Err(planned(function, format!("{WHAT} {other} is given"))),
    }
}

/// The types of a call's arguments.
pub(crate) fn types(args: &ReturnFieldArgs<'_>) -> Vec<DataType> {
    args.arg_fields.iter().map(|field| field.data_type().clone()).collect()
}

/// A column of paths or filters whose rows [`bytes_at`] reads: the values of a dictionary for each
/// row, or the only field of a struct.
pub(crate) fn unpacked(array: &ArrayRef) -> Result<ArrayRef> {
    match array.data_type() {
        DataType::Dictionary(_, values) => Ok(cast(array, values)?),
        DataType::Struct(_) => {
            let rows = array.as_struct();
            match rows.nulls() {
                Some(nulls) => unpacked(&nullif(rows.column(0), &BooleanArray::from(!nulls.inner()))?),
                None => unpacked(rows.column(0)),
            }
        }
        _ => Ok(Arc::clone(array)),
    }
}

/// The bytes of a text or of a byte string; `None` for NULL.
pub(crate) fn bytes_of(value: &ScalarValue) -> Option<&[u8]> {
    match value {
        ScalarValue::Utf8(text) | ScalarValue::LargeUtf8(text) | ScalarValue::Utf8View(text) => {
            text.as_deref().map(str::as_bytes)
        }
        ScalarValue::Binary(bytes)
        | ScalarValue::LargeBinary(bytes)
        | ScalarValue::BinaryView(bytes)
        | ScalarValue::FixedSizeBinary(_, bytes) => bytes.as_deref(),
        ScalarValue::Dictionary(_, value) => bytes_of(value),
        _ => None,
    }
}

/// The bytes of one row of a column of texts or byte strings; `None` for NULL.
pub(crate) fn bytes_at(array: &dyn Array, row: usize) -> Option<&[u8]> {
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(row).as_bytes()),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row).as_bytes()),
        DataType::Utf8View => Some(array.as_string_view().value(row).as_bytes()),
        DataType::Binary => Some(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Some(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => Some(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => Some(array.as_fixed_size_binary().value(row)),
        _ => None,
    }
}

/// A filter, or the path of one, in a column.
pub(crate) struct Value<'a> {
    array: &'a dyn Array,
    row: usize,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Value<'a> {
    /// `None` for NULL.
    pub(crate) fn at(array: &'a dyn Array, row: usize) -> Option<Self> {
        Some(Value { array, row, bytes: bytes_at(array, row)? })
    }

    /// The buffer that holds the bytes. `None` for columns of other types than [`FILTER`].
    pub(crate) fn buffer(&self) -> Option<&'a Buffer> {
        let values = self.array.as_binary_view_opt()?;
        let view = ByteView::from(*values.views().get(self.row)?);
        // The bytes of a short value stand in its view.
        (view.length > MAX_INLINE_VIEW_LEN).then(|| &values.data_buffers()[view.buffer_index as usize])
    }
}

/// Whether two rows have the same value. A value that a query repeats for each row is in the column
/// once, and its views are equal; then its bytes, which may be many, are not compared.
fn are_same(array: &dyn Array, a: usize, b: usize) -> bool {
    match array.as_binary_view_opt() {
        Some(values) => {
            values.is_null(a) == values.is_null(b)
                && (values.is_null(a) || values.views()[a] == values.views()[b])
        }
        None => bytes_at(array, a) == bytes_at(array, b),
    }
}

/// The rows in which the column has one value after the other.
fn runs(array: &dyn Array) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for row in 0..array.len() {
        match runs.last_mut() {
            Some(run) if are_same(array, run.start, row) => run.end = row + 1,
            _ => runs.push(row..row + 1),
        }
    }
    runs
}

/// Answers a call of a filter, or of the path of one, and a column of keys. `answer` gets the
/// filter once for all neighbouring rows that have the same one. NULL for the filter gives NULL.
pub(crate) fn answer_each(
    args: &ScalarFunctionArgs,
    answer: &dyn Fn(&Value<'_>, &ArrayRef) -> Result<ArrayRef>,
) -> Result<ColumnarValue> {
    let keys = &args.args[1];
    match &args.args[0] {
        ColumnarValue::Scalar(first) => {
            let first = unpacked(&first.to_array()?)?;
            match (Value::at(&first, 0), keys) {
                (None, _) => Ok(ColumnarValue::Scalar(ScalarValue::try_new_null(args.return_type())?)),
                (Some(first), ColumnarValue::Array(keys)) => Ok(ColumnarValue::Array(answer(&first, keys)?)),
                (Some(first), ColumnarValue::Scalar(key)) => {
                    let answers = answer(&first, &key.to_array()?)?;
                    Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&answers, 0)?))
                }
            }
        }
        ColumnarValue::Array(firsts) => {
            let (firsts, keys) = (unpacked(firsts)?, keys.to_array(args.number_rows)?);
            let answers = runs(&firsts)
                .into_iter()
                .map(|run| match Value::at(&firsts, run.start) {
                    Some(first) => answer(&first, &keys.slice(run.start, run.len())),
                    None => Ok(new_null_array(args.return_type(), run.len())),
                })
                .collect::<Result<Vec<ArrayRef>>>()?;
            let answers: Vec<&dyn Array> = answers.iter().map(AsRef::as_ref).collect();
            Ok(ColumnarValue::Array(match answers.is_empty() {
                true => new_empty_array(args.return_type()),
                false => concat(&answers)?,
            }))
        }
    }
}
