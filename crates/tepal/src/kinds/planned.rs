//! The sizes of filters that are no Bloom filters, for programs that plan: from two of keys, rate
//! and size to the third.

use super::ribbon::{RibbonFilter, RibbonMap};
use super::table::{ExpiringFilter, GrowingFilter, QuotientFilter, SegmentFilter};
use crate::error::Result;

/// A kind of filter and the parameters that change its size. `BloomFilterBuilder::plan` plans the
/// Bloom filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlannedKind {
    /// The smallest, of a complete list.
    Static,
    /// Keys can be removed.
    Deletable,
    /// Keys are counted, in this number of bits.
    Counting(u8),
    /// A growing filter that holds just the keys that it began with.
    Growing,
    /// A filter with a window, which has this many keys.
    Window,
    /// Which of this many segments have a key; its keys are pairs of key and segment.
    Segments(u64),
    /// A value of this many for each key. The values have names, if there are not too many.
    Map(u64),
    /// A map that tells only its own keys from each other. It has no rate.
    KnownKeys(u64),
}

/// Rates are tried down to this one.
const LEAST_RATE: f64 = 1e-15;

/// Steps from one end of a range of rates to the other: as fine as a number can be.
const STEPS: u32 = 64;

impl PlannedKind {
    /// Bytes of the filter for this many keys, at this rate.
    ///
    /// # Errors
    /// As the `planned_size_in_bytes` of the kind's builder.
    pub fn size_in_bytes(self, keys: u64, rate: f64) -> Result<u64> {
        match self {
            Self::Static => RibbonFilter::builder().false_positive_rate(rate).planned_size_in_bytes(keys),
            Self::Deletable => Self::Counting(0).size_in_bytes(keys, rate),
            Self::Counting(bits) => {
                let described = QuotientFilter::builder().capacity(keys).false_positive_rate(rate);
                described.count_bits(bits).planned_size_in_bytes()
            }
            Self::Growing => {
                GrowingFilter::builder().first(keys).false_positive_rate(rate).planned_size_in_bytes()
            }
            Self::Window => {
                // Of a window of time only the number of generations counts.
                let described = ExpiringFilter::builder().window_of_time(86_400).capacity(keys);
                described.false_positive_rate(rate).planned_size_in_bytes()
            }
            Self::Segments(segments) => {
                let described = SegmentFilter::builder().capacity(keys).false_positive_rate(rate);
                described.planned_size_in_bytes(usize::try_from(segments).unwrap_or(usize::MAX))
            }
            Self::Map(values) => map(values).false_positive_rate(rate).planned_size_in_bytes(keys),
            Self::KnownKeys(values) => map(values).known_keys_only().planned_size_in_bytes(keys),
        }
    }

    /// Does it have a rate?
    #[must_use]
    pub fn has_rate(self) -> bool {
        !matches!(self, Self::KnownKeys(_))
    }

    fn fitting(self, keys: u64, rate: f64, most: u64) -> Option<u64> {
        self.size_in_bytes(keys, rate).ok().filter(|bytes| *bytes <= most)
    }

    /// The lowest rate for this many keys in at most this many bytes, and the bytes. A kind without
    /// a rate has the rate 1.
    #[must_use]
    pub fn least_rate(self, keys: u64, most: u64) -> Option<(f64, u64)> {
        if !self.has_rate() {
            return self.fitting(keys, 1.0, most).map(|bytes| (1.0, bytes));
        }
        let (mut low, mut high) = (libm::log(LEAST_RATE), libm::log(0.5));
        self.fitting(keys, libm::exp(high), most)?;
        for _ in 0..STEPS {
            let middle = (low + high) / 2.0;
            match self.fitting(keys, libm::exp(middle), most) {
                Some(_) => high = middle,
                None => low = middle,
            }
        }
        let rate = libm::exp(high);
        self.fitting(keys, rate, most).map(|bytes| (rate, bytes))
    }

    /// The most keys at this rate in at most this many bytes, and the bytes.
    #[must_use]
    pub fn most_keys(self, rate: f64, most: u64) -> Option<(u64, u64)> {
        // A key takes more than a bit.
        let (mut least, mut above) = (1, most.saturating_mul(8));
        self.fitting(least, rate, most)?;
        while above - least > 1 {
            let middle = least + (above - least) / 2;
            match self.fitting(middle, rate, most) {
                Some(_) => least = middle,
                None => above = middle,
            }
        }
        self.fitting(least, rate, most).map(|bytes| (least, bytes))
    }

    /// The rate of a filter that was planned for `planned` keys at `rate`, while it holds `keys`.
    /// `None` if it takes no more than planned, and for a kind without a rate. A growing filter
    /// keeps its promise however many keys it holds.
    #[must_use]
    pub fn rate_at(self, planned: u64, rate: f64, keys: u64) -> Option<f64> {
        match self {
            Self::Growing => Some(rate),
            Self::KnownKeys(_) => None,
            _ if keys > planned => None,
            // A ribbon has its rate whatever it holds.
            Self::Static | Self::Map(_) => Some(rate),
            // The share of a table's numbers, planned / rate, that are held.
            _ => Some(-libm::expm1(-(keys as f64) * rate / planned as f64)),
        }
    }
}

/// The most values of a map that have names.
const MOST_NAMES: usize = crate::kinds::named::MOST_SEGMENTS;

fn map(values: u64) -> super::ribbon::RibbonMapBuilder {
    match usize::try_from(values) {
        // Only the number of names has a part in the size.
        Ok(names) if names <= MOST_NAMES => RibbonMap::builder().names(core::iter::repeat_n("", names)),
        _ => RibbonMap::builder().value_bits((64 - values.saturating_sub(1).leading_zeros()) as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_follows_from_the_other_two() {
        let (keys, rate) = (1_000_000, 0.01);
        let sized = [
            (PlannedKind::Deletable, 9.5..9.8),
            (PlannedKind::Counting(4), 14.0..14.5),
            (PlannedKind::Growing, 15.0..16.0),
            (PlannedKind::Window, 15.0..16.0),
            (PlannedKind::Segments(8), 12.5..13.5),
            (PlannedKind::Static, 6.7..6.8),
            (PlannedKind::Map(64), 12.7..12.8),
            (PlannedKind::Map(5), 8.9..9.1),
            (PlannedKind::Map(100_000), 23.7..23.8),
        ];
        for (kind, bits) in sized {
            let size = kind.size_in_bytes(keys, rate).unwrap();
            assert!(bits.contains(&(8.0 * size as f64 / keys as f64)), "{kind:?}: {size}");
            let (found, used) = kind.least_rate(keys, size).unwrap();
            // Bytes follow the rate in small steps, which go back at times.
            assert!(found < 1.05 * rate && found > 0.8 * rate && used <= size, "{kind:?}: {found}");
            let (found, used) = kind.most_keys(rate, size).unwrap();
            assert!(found >= keys && found < keys + keys / 100 && used <= size, "{kind:?}: {found}");
            assert!(kind.least_rate(keys, 64).is_none() && kind.most_keys(rate, 63).is_none());
        }
        let known = PlannedKind::KnownKeys(5);
        let size = known.size_in_bytes(keys, 1.0).unwrap();
        assert_eq!(known.least_rate(keys, size), Some((1.0, size)));
        assert_eq!(known.least_rate(keys, size / 2), None);
    }

    #[test]
    fn the_rate_while_a_filter_fills() {
        let kind = PlannedKind::Deletable;
        let mut filter =
            QuotientFilter::builder().capacity(10_000).false_positive_rate(0.01).build().unwrap();
        for count in [1_000_u64, 5_000, 10_000] {
            for key in filter.len()..count {
                filter.insert(&key).unwrap();
            }
            let planned = kind.rate_at(10_000, 0.01, count).unwrap();
            let now = filter.false_positive_rate();
            assert!((planned / now - 1.0).abs() < 0.02, "{count}: {planned} planned, {now} now");
        }
        assert_eq!(kind.rate_at(10_000, 0.01, 10_001), None);
        assert_eq!(PlannedKind::Static.rate_at(10, 0.01, 5), Some(0.01));
        assert_eq!(PlannedKind::Growing.rate_at(10, 0.01, 50), Some(0.01));
        assert_eq!(PlannedKind::KnownKeys(2).rate_at(10, 0.01, 5), None);
    }
}
