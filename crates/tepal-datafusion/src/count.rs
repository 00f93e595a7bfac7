//! `bloom_count(key)`: the number of keys to make room for, the second argument of `bloom_build`.

use std::mem::size_of_val;
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use tepal::BloomFilter;
use tepal::build::KeyCounter;

use crate::args::{bytes_at, check_count, signature};
use crate::column;
use crate::words::{failed, planned};

/// The function: the number of different keys, exact up to 65,536 keys, and above that an estimate
/// plus 0.16 %. At least 1.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Count {
    signature: Signature,
}

const NAME: &str = "bloom_count";

impl Count {
    pub(crate) fn new() -> Self {
        Count { signature: signature(Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for Count {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, given: &[DataType]) -> Result<DataType> {
        check_count(NAME, given, 1, "bloom_count(key)")?;
        column::check_type(&given[0]).map_err(|reason| planned(NAME, reason))?;
        Ok(DataType::UInt64)
    }

    fn is_nullable(&self) -> bool {
        false
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format!("{}[counter]", args.name), DataType::LargeBinary, true))])
    }

    fn accumulator(&self, _: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Counting(counter()?)))
    }

    fn default_value(&self, _: &DataType) -> Result<ScalarValue> {
        Ok(ScalarValue::UInt64(Some(1)))
    }
}

/// A counter of keys as `bloom_build` hashes them.
fn counter() -> Result<KeyCounter> {
    let hasher = BloomFilter::builder().key_hasher();
    hasher.and_then(KeyCounter::new).map_err(|error| failed(NAME, &error))
}

#[derive(Debug)]
struct Counting(KeyCounter);

impl Accumulator for Counting {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        column::each_key(&values[0], &mut |keys| self.0.insert_many(keys))
            .map_err(|error| failed(NAME, &error))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::LargeBinary(Some(self.0.to_bytes()))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for row in 0..states[0].len() {
            let Some(state) = bytes_at(&states[0], row) else { continue };
            let other = KeyCounter::from_bytes(self.0.key_hasher().clone(), state);
            other.and_then(|other| self.0.union_with(&other)).map_err(|error| failed(NAME, &error))?;
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::UInt64(Some(self.0.room())))
    }

    /// A counter has its hashes up to 65,536 of them, and 3 MiB from there on.
    fn size(&self) -> usize {
        let hashes = if self.0.is_exact() { 8 * self.0.keys() } else { 3 << 20 };
        size_of_val(self) + hashes as usize
    }
}
