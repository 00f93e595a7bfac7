//! `bloom_segments_file(path, key)`: the segments that may hold the key.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, ListBuilder, StringBuilder};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use tepal::{AnyFilter, Opened, SegmentFilter};

use crate::args::{answer_each, check_count, check_path, signature};
use crate::words::{failed, planned, refused};
use crate::{column, file};

/// The function: a list of names. A segment without a name gives its number, and a key that is in
/// no segment an empty list.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct SegmentsFile {
    signature: Signature,
}

const NAME: &str = "bloom_segments_file";

impl SegmentsFile {
    pub(crate) fn new() -> Self {
        SegmentsFile { signature: signature(Volatility::Stable) }
    }
}

fn segments_of(opened: &Opened) -> Result<&SegmentFilter> {
    match opened.filter() {
        AnyFilter::Segment(filter) => Ok(filter),
        other => Err(refused(
            NAME,
            format!(
                "the file has a {}, and a filter of segments is expected, as `tepal build --by` makes; keys of it are \
                 looked up by bloom_contains_file",
                other.kind().common_name()
            ),
        )),
    }
}

fn lists(filter: &SegmentFilter, keys: &ArrayRef) -> std::result::Result<ArrayRef, tepal::Error> {
    let (answers, nulls) = column::each_row(keys, |keys| filter.segments_many(keys))?;
    let mut lists = ListBuilder::new(StringBuilder::new());
    for (row, segments) in answers.iter().enumerate() {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            lists.append(false);
            continue;
        }
        for &segment in segments {
            match filter.segment_name(segment) {
                Some(name) => lists.values().append_value(name),
                None => lists.values().append_value(segment.number().to_string()),
            }
        }
        lists.append(true);
    }
    Ok(Arc::new(lists.finish()))
}

impl ScalarUDFImpl for SegmentsFile {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, given: &[DataType]) -> Result<DataType> {
        check_count(NAME, given, 2, "bloom_segments_file('days.tepal', key)")?;
        check_path(NAME, &given[0])?;
        column::check_type(&given[1]).map_err(|reason| planned(NAME, reason))?;
        Ok(DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        answer_each(&args, &|path, keys| {
            let opened = file::open(NAME, path.bytes)?;
            lists(segments_of(&opened)?, keys).map_err(|error| failed(NAME, &error))
        })
    }
}
