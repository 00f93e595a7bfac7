//! `bloom_build(key, n, rate)`: a filter of a column, with room for `n` keys.
//!
//! Each partition fills a filter of the final size. Its file is the partial state, and the states
//! are united: the bits are the same for any number of partitions.

use std::mem::size_of_val;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Int64Type, Schema};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use datafusion::physical_expr::PhysicalExpr;
use tepal::{BloomFilter, OverCapacity};

use crate::args::{FILTER, bytes_at, check_count, filter_value, signature};
use crate::column;
use crate::words::{failed, planned, refused};

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Build {
    signature: Signature,
}

const NAME: &str = "bloom_build";
const EXAMPLE: &str =
    "bloom_build(key, 1000000, 0.01), with the number of keys to make room for and the rate";

impl Build {
    pub(crate) fn new() -> Self {
        Build { signature: signature(Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for Build {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, given: &[DataType]) -> Result<DataType> {
        check_count(NAME, given, 3, EXAMPLE)?;
        column::check_type(&given[0]).map_err(|reason| planned(NAME, reason))?;
        if !given[1].is_integer() && !given[1].is_null() {
            let text = format!(
                "the second argument is a number of keys, an integer such as 1000000 or (select bloom_count(key) from t), \
                 and {} is given; cast it to bigint",
                given[1]
            );
            return Err(planned(NAME, text));
        }
        if !given[2].is_numeric() && !given[2].is_null() {
            let text = format!("the third argument is a rate such as 0.01, and {} is given", given[2]);
            return Err(planned(NAME, text));
        }
        Ok(FILTER)
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format!("{}[filter]", args.name), DataType::LargeBinary, true))])
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let size = [Arc::clone(&args.exprs[1]), Arc::clone(&args.exprs[2])];
        Ok(Box::new(Building { size, begun: None }))
    }
}

/// A filter that is being filled.
#[derive(Debug)]
struct Building {
    /// The expressions of `n` and the rate, for a group without rows.
    size: [Arc<dyn PhysicalExpr>; 2],
    begun: Option<Begun>,
}

#[derive(Debug)]
struct Begun {
    /// `None` if it came from a partial state, which no rows follow.
    plan: Option<(i64, f64)>,
    filter: BloomFilter,
}

/// An empty filter. It takes every key: whether there are too many is known when all have come.
fn empty((n, rate): (i64, f64)) -> Result<BloomFilter> {
    let Some(capacity) = u64::try_from(n).ok().filter(|n| *n > 0) else {
        return Err(refused(
            NAME,
            format!("the second argument is {n}; it must be a number of keys from 1 on"),
        ));
    };
    let builder = BloomFilter::builder().capacity(capacity).false_positive_rate(rate);
    builder.over_capacity(OverCapacity::Ignore).build().map_err(|error| failed(NAME, &error))
}

/// The one value of a column.
fn only<T: Copy + PartialEq>(values: &[T], nulls: usize, what: &str) -> Result<T> {
    if nulls > 0 {
        return Err(refused(NAME, format!("{what} is NULL")));
    }
    match values {
        [first, rest @ ..] if rest.iter().all(|value| value == first) => Ok(*first),
        _ => Err(refused(
            NAME,
            format!("{what} differs between rows of one group; give a number or a subquery"),
        )),
    }
}

fn plan_of(n: &ArrayRef, rate: &ArrayRef) -> Result<(i64, f64)> {
    let (n, rate) = (cast(n, &DataType::Int64)?, cast(rate, &DataType::Float64)?);
    let (ns, rates) = (n.as_primitive::<Int64Type>(), rate.as_primitive::<Float64Type>());
    let n = only(ns.values(), ns.null_count(), "the second argument, the number of keys,")?;
    Ok((n, only(rates.values(), rates.null_count(), "the third argument, the rate,")?))
}

impl Building {
    /// The filter of a group without rows: `n` and the rate are still known, unless they are
    /// columns.
    fn of_no_rows(&self) -> Result<Option<BloomFilter>> {
        let options = RecordBatchOptions::new().with_row_count(Some(1));
        let row = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options)?;
        let [Ok(n), Ok(rate)] = [0, 1].map(|i| self.size[i].evaluate(&row)) else { return Ok(None) };
        let (n, rate) = (n.into_array(1)?, rate.into_array(1)?);
        empty(plan_of(&n, &rate)?).map(Some)
    }
}

/// The filter as a value. Its file says that it refuses keys past its capacity, as other files do;
/// the filter itself goes on taking every key.
fn finished(filter: &mut BloomFilter) -> Result<ScalarValue> {
    filter.set_over_capacity(OverCapacity::Warn).map_err(|error| failed(NAME, &error))?;
    if filter.is_over_capacity() {
        let text = format!(
            "{} keys came, and the second argument makes room for {}; give a greater one, such as \
             (select bloom_count(key) from t)",
            filter.keys_inserted().unwrap_or_default(),
            filter.capacity()
        );
        return Err(refused(NAME, text));
    }
    filter.set_over_capacity(OverCapacity::Refuse).map_err(|error| failed(NAME, &error))?;
    let bytes = filter.to_bytes().map_err(|error| failed(NAME, &error))?;
    filter.set_over_capacity(OverCapacity::Ignore).map_err(|error| failed(NAME, &error))?;
    filter_value(NAME, bytes)
}

impl Accumulator for Building {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let [keys, n, rate] = values else { return Err(planned(NAME, EXAMPLE)) };
        if keys.is_empty() {
            return Ok(());
        }
        let plan = plan_of(n, rate)?;
        let begun = match &mut self.begun {
            Some(begun) => begun,
            none => none.insert(Begun { plan: Some(plan), filter: empty(plan)? }),
        };
        if begun.plan != Some(plan) {
            let text = "the number of keys or the rate differs between rows of one group; give a number or a subquery";
            return Err(refused(NAME, text));
        }
        column::each_key(keys, &mut |keys| begun.filter.insert_many(keys))
            .map_err(|error| failed(NAME, &error))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let state = self.begun.as_ref().map(|begun| begun.filter.to_bytes()).transpose();
        Ok(vec![ScalarValue::LargeBinary(state.map_err(|error| failed(NAME, &error))?)])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for row in 0..states[0].len() {
            let Some(state) = bytes_at(&states[0], row) else { continue };
            let united = BloomFilter::from_bytes(state).and_then(|filter| match &mut self.begun {
                Some(begun) => begun.filter.union_with(&filter),
                none => {
                    *none = Some(Begun { plan: None, filter });
                    Ok(())
                }
            });
            united.map_err(|error| failed(NAME, &error))?;
        }
        Ok(())
    }

    /// In a window with an order it is asked again and again, with more rows between.
    fn evaluate(&mut self) -> Result<ScalarValue> {
        match &mut self.begun {
            Some(begun) => finished(&mut begun.filter),
            None => self
                .of_no_rows()?
                .map_or(Ok(ScalarValue::BinaryView(None)), |mut filter| finished(&mut filter)),
        }
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.begun.as_ref().map_or(0, |begun| begun.filter.size_in_bytes() as usize)
    }
}
