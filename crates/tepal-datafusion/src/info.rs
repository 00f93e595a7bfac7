//! `bloom_info(filter)`: what the filter is, under the names of `tepal info --json`.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, BooleanArray, Float64Array, StringArray, StructArray, UInt32Array, UInt64Array,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use tepal::facts::{Facts, Unrecorded};

use crate::args::{Value, check_count, check_filter, signature, unpacked};
use crate::bytes;
use crate::words::{failed, warning};

/// The function: a struct.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Info {
    signature: Signature,
}

const NAME: &str = "bloom_info";

impl Info {
    pub(crate) fn new() -> Self {
        Info { signature: signature(Volatility::Immutable) }
    }
}

/// Whether the file records this of its filter.
fn records(facts: &Facts, what: Unrecorded) -> bool {
    !facts.file.as_ref().is_some_and(|file| file.not_recorded.contains(&what))
}

/// Makes the fields of the struct, and their columns for the filters of a call. Each line has the
/// type of its column, the name, and the value of one filter.
macro_rules! fields {
    ($($kind:ident $array:ident $name:literal = |$facts:ident| $value:expr;)+) => {
        fn fields() -> Fields {
            Fields::from(vec![$(Field::new($name, DataType::$kind, true)),+])
        }

        fn columns(all: &[Option<Facts>]) -> Vec<ArrayRef> {
            vec![$(Arc::new(all.iter().map(|facts| facts.as_ref().and_then(|$facts| $value)).collect::<$array>())),+]
        }
    };
}

fields! {
    Utf8 StringArray "kind" = |facts| Some(facts.kind.name());
    Utf8 StringArray "format" = |facts| facts.file.as_ref().map(|file| file.format.name());
    Utf8 StringArray "layout" = |facts| facts.parts.first().map(|part| part.layout.name());
    UInt32 UInt32Array "num_hashes" = |facts| facts.parts.first().map(|part| part.num_hashes);
    Utf8 StringArray "scheme" = |facts| Some(facts.scheme.name());
    Utf8 StringArray "key_domain" = |facts| Some(facts.key_domain.name());
    UInt64 UInt64Array "capacity" = |facts| (records(facts, Unrecorded::Plan) && facts.ribbon.is_none()).then_some(facts.capacity);
    Float64 Float64Array "promised_false_positive_rate" = |facts| records(facts, Unrecorded::Plan).then_some(facts.promised_false_positive_rate);
    UInt64 UInt64Array "keys_inserted" = |facts| facts.keys_inserted;
    Float64 Float64Array "estimated_len" = |facts| Some(facts.estimated_len);
    Float64 Float64Array "false_positive_rate" = |facts| Some(facts.false_positive_rate);
    Boolean BooleanArray "over_capacity" = |facts| Some(facts.is_over_capacity);
    UInt64 UInt64Array "size_in_bytes" = |facts| Some(facts.size_in_bytes);
    UInt64 UInt64Array "file_len" = |facts| facts.file.as_ref().map(|file| file.file_len);
    Utf8 StringArray "name" = |facts| facts.labels.name.as_deref();
    Utf8 StringArray "warnings" = |facts| (!facts.warnings.is_empty()).then(|| facts.warnings.iter().map(warning).collect::<Vec<_>>().join("; "));
}

/// The structs of a column of filters. NULL gives NULL.
fn structs(filters: &ArrayRef) -> Result<StructArray> {
    let filters = unpacked(filters)?;
    let facts = |row| match Value::at(&filters, row) {
        Some(filter) => bytes::open(NAME, &filter)?.facts().map(Some).map_err(|error| failed(NAME, &error)),
        None => Ok(None),
    };
    let all = (0..filters.len()).map(facts).collect::<Result<Vec<_>>>()?;
    let nulls: NullBuffer = all.iter().map(Option::is_some).collect::<Vec<_>>().into();
    Ok(StructArray::new(fields(), columns(&all), Some(nulls)))
}

impl ScalarUDFImpl for Info {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, given: &[DataType]) -> Result<DataType> {
        check_count(NAME, given, 1, "bloom_info(filter)")?;
        check_filter(NAME, &given[0])?;
        Ok(DataType::Struct(fields()))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Ok(match &args.args[0] {
            ColumnarValue::Scalar(filter) => {
                ColumnarValue::Scalar(ScalarValue::Struct(Arc::new(structs(&filter.to_array()?)?)))
            }
            ColumnarValue::Array(filters) => ColumnarValue::Array(Arc::new(structs(filters)?)),
        })
    }
}
