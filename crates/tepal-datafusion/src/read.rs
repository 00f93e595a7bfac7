//! `bloom_read_file(path)`: a filter's file as a value.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};

use crate::args::{FILTER, bytes_at, bytes_of, check_count, check_path, filter_value, signature, unpacked};
use crate::file;
use crate::words::failed;

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct ReadFile {
    signature: Signature,
}

const NAME: &str = "bloom_read_file";

impl ReadFile {
    pub(crate) fn new() -> Self {
        ReadFile { signature: signature(Volatility::Stable) }
    }
}

/// The bytes of the file, which was checked when it was opened.
fn read(path: &[u8]) -> Result<ScalarValue> {
    let bytes = file::open(NAME, path)?.to_bytes().map_err(|error| failed(NAME, &error))?;
    filter_value(NAME, bytes)
}

impl ScalarUDFImpl for ReadFile {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, given: &[DataType]) -> Result<DataType> {
        check_count(NAME, given, 1, "bloom_read_file('seen.tepal')")?;
        check_path(NAME, &given[0])?;
        Ok(FILTER)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let none = ScalarValue::BinaryView(None);
        match &args.args[0] {
            ColumnarValue::Scalar(path) => Ok(ColumnarValue::Scalar(bytes_of(path).map_or(Ok(none), read)?)),
            ColumnarValue::Array(paths) => {
                let paths = unpacked(paths)?;
                let one = |row| bytes_at(&paths, row).map_or(Ok(none.clone()), read);
                let all = (0..paths.len()).map(one).collect::<Result<Vec<_>>>()?;
                match all.is_empty() {
                    true => Ok(ColumnarValue::Array(none.to_array_of_size(0)?)),
                    false => Ok(ColumnarValue::Array(ScalarValue::iter_to_array(all)?)),
                }
            }
        }
    }
}
