//! `bloom_merge(filter)`: one filter with the keys of all.

use std::mem::size_of_val;
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use tepal::{Error, Opened};

use crate::args::{FILTER, bytes_at, check_count, check_filter, filter_value, signature, unpacked};
use crate::words::{failed, refused};

/// The function. Its filters have one shape and one hash, as those of one `bloom_build` with a
/// `group by` have.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Merge {
    signature: Signature,
}

const NAME: &str = "bloom_merge";

impl Merge {
    pub(crate) fn new() -> Self {
        Merge { signature: signature(Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for Merge {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, given: &[DataType]) -> Result<DataType> {
        check_count(NAME, given, 1, "bloom_merge(filter)")?;
        check_filter(NAME, &given[0])?;
        Ok(FILTER)
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format!("{}[filter]", args.name), DataType::LargeBinary, true))])
    }

    fn accumulator(&self, _: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Merging(None)))
    }
}

/// The union of the filters that came, `None` before the first.
#[derive(Debug)]
struct Merging(Option<Opened>);

impl Merging {
    fn bytes(&self) -> Result<Option<Vec<u8>>> {
        self.0.as_ref().map(|all| all.to_bytes()).transpose().map_err(|error| failed(NAME, &error))
    }
}

impl Accumulator for Merging {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let filters = unpacked(&values[0])?;
        for row in 0..filters.len() {
            let Some(bytes) = bytes_at(&filters, row) else { continue };
            let united = tepal::from_bytes(bytes).and_then(|filter| match &mut self.0 {
                Some(all) => all.union_with(&filter),
                none => {
                    *none = Some(filter);
                    Ok(())
                }
            });
            united.map_err(|error| match error {
                Error::CapacityReached { capacity, .. } => refused(
                    NAME,
                    format!(
                        "the filters hold more keys than one of them has room for, {capacity}; build them with a greater \
                         second argument of bloom_build"
                    ),
                ),
                other => failed(NAME, &other),
            })?;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::LargeBinary(self.bytes()?)])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.bytes()?.map_or(Ok(ScalarValue::BinaryView(None)), |bytes| filter_value(NAME, bytes))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.0.as_ref().map_or(0, |all| all.filter().size_in_bytes() as usize)
    }
}
