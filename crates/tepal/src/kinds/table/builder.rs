//! Code that the builders of tables share.

use super::core::TableMeta;
use super::lines::Table;
use crate::bits::table::packing::Packing;
use crate::error::{Error, Result};
use crate::facts::Labels;
use crate::ids::OverCapacity;
use crate::key::KeyHasher;
use crate::params::{DEFAULT_RATE, check_rate};

/// The capacity, rate and policy of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Promise {
    pub(super) capacity: Option<u64>,
    pub(super) rate: Option<f64>,
    pub(super) over_capacity: OverCapacity,
}

/// A planned table, and the other properties of its filter.
pub(super) struct Planned {
    pub(super) meta: TableMeta,
    pub(super) numbers: u64,
    tag_bits: u8,
    /// The number of slots that it is laid out for.
    pub(super) slots: u64,
}

/// The names of keys in errors.
pub(super) struct Called {
    /// The least possible capacity, as a text.
    pub(super) least: &'static str,
    /// The name of the keys of a capacity.
    pub(super) all: &'static str,
    pub(super) fewer: &'static str,
}

impl Promise {
    /// Plans the table for a capacity, with this number of slots and at most this many possible
    /// fingerprints.
    pub(super) fn plan(
        &self,
        (keys, labels): (KeyHasher, &Labels),
        (capacity, slots): (u64, u128),
        (tag_bits, most): (u8, u64),
        called: &Called,
    ) -> Result<Planned> {
        let rate = self.rate.unwrap_or(DEFAULT_RATE);
        check_rate(rate)?;
        if capacity == 0 {
            return Err(Error::parameter("the capacity", 0u64, called.least));
        }
        let wanted = libm::ceil(slots as f64 / rate);
        if wanted > (most - 64) as f64 {
            return Err(Error::rate_out_of_reach(
                rate,
                format_args!(
                    "{capacity} {} would need more than {most} possible fingerprints; plan for fewer {} or a higher rate",
                    called.all, called.fewer
                ),
            ));
        }
        let numbers = (wanted as u64).next_multiple_of(64);
        labels.check()?;
        let meta = TableMeta {
            keys,
            over_capacity: self.over_capacity,
            capacity,
            promised_rate: rate,
            labels: labels.kept(),
        };
        Ok(Planned { meta, numbers, tag_bits, slots: slots as u64 })
    }
}

impl Planned {
    /// The bytes of the table.
    pub(super) fn size_in_bytes(&self) -> Result<u64> {
        Ok(Packing::for_slots(self.slots, self.numbers, self.tag_bits)?.bytes())
    }

    /// Makes the empty table.
    pub(super) fn table(&self) -> Result<Table> {
        Table::new(self.numbers, self.tag_bits, self.slots)
    }
}
