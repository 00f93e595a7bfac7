//! `bloom_value_file(path, key)`: the value that a map has for the key.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, StringBuilder, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use tepal::{AnyFilter, Opened, RibbonMap};

use crate::args::{answer_each, bytes_of, check_count, check_path, signature, types};
use crate::words::{failed, planned, refused};
use crate::{column, file};

/// The function: texts of a map whose values have names, else numbers.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct ValueFile {
    signature: Signature,
}

const NAME: &str = "bloom_value_file";

impl ValueFile {
    pub(crate) fn new() -> Self {
        ValueFile { signature: signature(Volatility::Stable) }
    }
}

fn map(opened: &Opened) -> std::result::Result<&RibbonMap, String> {
    match opened.filter() {
        AnyFilter::Map(map) => Ok(map),
        other => Err(format!(
            "the file has a {}, and a map is expected, as `tepal build --map` makes; keys of it are looked up by \
             bloom_contains_file",
            other.kind().common_name()
        )),
    }
}

/// The type of the map's values.
fn type_of(map: &RibbonMap) -> DataType {
    if map.num_names() > 0 { DataType::Utf8 } else { DataType::UInt32 }
}

fn values(map: &RibbonMap, keys: &ArrayRef) -> std::result::Result<ArrayRef, tepal::Error> {
    let (mut numbers, nulls) = column::each_row(keys, |keys| {
        let mut numbers = vec![None; keys.len()];
        map.get_many_into(keys, &mut numbers);
        numbers
    })?;
    if let Some(nulls) = nulls {
        numbers
            .iter_mut()
            .enumerate()
            .filter(|(row, _)| nulls.is_null(*row))
            .for_each(|(_, number)| *number = None);
    }
    if map.num_names() == 0 {
        return Ok(Arc::new(UInt32Array::from(numbers)));
    }
    let mut names = StringBuilder::new();
    for number in numbers {
        names.append_option(number.and_then(|number| map.value(number).name()));
    }
    Ok(Arc::new(names.finish()))
}

impl ScalarUDFImpl for ValueFile {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Err(planned(NAME, "the type of the values is known from the file alone"))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let given = types(&args);
        check_count(NAME, &given, 2, "bloom_value_file('countries.tepal', key)")?;
        check_path(NAME, &given[0])?;
        column::check_type(&given[1]).map_err(|reason| planned(NAME, reason))?;
        let Some(path) = args.scalar_arguments[0].and_then(bytes_of) else {
            let text = "the path is no literal, and the file has to be known before the query runs: its values are \
                        texts or numbers; write 'countries.tepal'";
            return Err(planned(NAME, text));
        };
        let opened = file::open(NAME, path)?;
        let kind = type_of(map(&opened).map_err(|text| planned(NAME, text))?);
        Ok(Arc::new(Field::new(NAME, kind, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        answer_each(&args, &|path, keys| {
            let opened = file::open(NAME, path.bytes)?;
            let map = map(&opened).map_err(|text| refused(NAME, text))?;
            let values = values(map, keys).map_err(|error| failed(NAME, &error))?;
            if values.data_type() != args.return_type() {
                let text = "the file was replaced while the query ran, and its values have another type now; run the \
                            query again";
                return Err(refused(NAME, text));
            }
            Ok(values)
        })
    }
}
