//! `bloom_contains(filter, key)` and `bloom_contains_file(path, key)`: is the key perhaps in it?

use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::error::Result;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use tepal::Opened;

use crate::args::{answer_each, bytes_of, check_count, check_filter, check_path, shared, signature, types};
use crate::words::{failed, planned};
use crate::{bytes, column, file};

/// `bloom_contains(filter, key)`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Contains {
    signature: Signature,
}

/// `bloom_contains_file(path, key)`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct ContainsFile {
    signature: Signature,
}

const CONTAINS: &str = "bloom_contains";
const CONTAINS_FILE: &str = "bloom_contains_file";

impl Contains {
    pub(crate) fn new() -> Self {
        Contains { signature: signature(Volatility::Immutable) }
    }
}

impl ContainsFile {
    /// A file may change between two queries, and is one file during each.
    pub(crate) fn new() -> Self {
        ContainsFile { signature: signature(Volatility::Stable) }
    }
}

/// Looks a column up.
fn answer(function: &str, opened: &Opened, keys: &ArrayRef) -> Result<ArrayRef> {
    // A filter that takes the caller's hashes alone would say "perhaps" to every key.
    if let Err(error @ tepal::Error::CallerHashes { .. }) = opened.filter().key_hasher().check("") {
        return Err(failed(function, &error));
    }
    let answers = column::contains(opened.filter(), keys).map_err(|error| failed(function, &error))?;
    Ok(Arc::new(answers))
}

impl ScalarUDFImpl for Contains {
    fn name(&self) -> &str {
        CONTAINS
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, given: &[DataType]) -> Result<DataType> {
        check_count(CONTAINS, given, 2, "bloom_contains(filter, key)")?;
        check_filter(CONTAINS, &given[0])?;
        column::check_type(&given[1]).map_err(|reason| planned(CONTAINS, reason))?;
        Ok(DataType::Boolean)
    }

    fn simplify(&self, mut args: Vec<Expr>, _: &SimplifyContext) -> Result<ExprSimplifyResult> {
        Ok(match shared(&args[0])? {
            Some(filter) => {
                args[0] = filter;
                ExprSimplifyResult::Simplified(ScalarUDF::from(Contains::new()).call(args))
            }
            None => ExprSimplifyResult::Original(args),
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        answer_each(&args, &|filter, keys| answer(CONTAINS, &*bytes::open(CONTAINS, filter)?, keys))
    }
}

impl ScalarUDFImpl for ContainsFile {
    fn name(&self) -> &str {
        CONTAINS_FILE
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let given = types(&args);
        check_count(CONTAINS_FILE, &given, 2, "bloom_contains_file('seen.tepal', key)")?;
        check_path(CONTAINS_FILE, &given[0])?;
        if let Err(reason) = column::check_type(&given[1]) {
            // Floats are keys of the files of Parquet's floats.
            let is_float = matches!(given[1], DataType::Float32 | DataType::Float64);
            let path = args.scalar_arguments[0].and_then(bytes_of).filter(|_| is_float);
            let opened = path.map(|path| file::open(CONTAINS_FILE, path)).transpose()?;
            if !opened.is_some_and(|file| column::is_float_of(&given[1], file.filter().key_domain())) {
                return Err(planned(CONTAINS_FILE, reason));
            }
        }
        Ok(Arc::new(Field::new(CONTAINS_FILE, DataType::Boolean, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        answer_each(&args, &|path, keys| {
            answer(CONTAINS_FILE, &*file::open(CONTAINS_FILE, path.bytes)?, keys)
        })
    }
}
