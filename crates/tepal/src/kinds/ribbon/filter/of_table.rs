//! Makes a ribbon filter from the fingerprints of a table.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::num::NonZeroU64;

use super::RibbonFilter;
use super::builder::{MOST_RATE, check_reachable};
use super::numbers::hash_of;
use crate::error::{Error, Result, advice};
use crate::facts::Labels;
use crate::key::KeyHasher;
use crate::kinds::ribbon::lines::RibbonMeta;
use crate::kinds::ribbon::{LEAST_RATE, second};

impl RibbonFilter {
    /// Makes the filter of this many different fingerprints of a table, which has `all` possible
    /// ones and this hasher.
    pub(crate) fn of_numbers(
        keys: &KeyHasher,
        labels: Option<Box<Labels>>,
        all: u64,
        mut numbers: Vec<u64>,
        rate: f64,
    ) -> Result<RibbonFilter> {
        let of_ribbon = left_for_ribbon(rate, numbers.len() as f64 / all as f64)?;
        numbers.iter_mut().for_each(|number| *number = hash_of(*number));
        let built = second::ribbon_of(numbers, of_ribbon, false, 1)?;
        let meta = RibbonMeta { keys: keys.clone(), promised_rate: rate, labels };
        Ok(RibbonFilter { numbers: NonZeroU64::new(all), ..RibbonFilter::from_parts(meta, built) })
    }
}

/// The rate that is left for the ribbon. `rate` is the rate of the whole filter, and `own` the
/// share of non-members with a fingerprint of the table.
fn left_for_ribbon(rate: f64, own: f64) -> Result<f64> {
    check_reachable(rate)?;
    let left = (rate - own) / (1.0 - own);
    if left >= LEAST_RATE {
        return Ok(left);
    }
    Err(match own + LEAST_RATE < MOST_RATE {
        true => Error::rate_out_of_reach(
            rate,
            format_args!(
                "the table errs at {own:.2e} by itself, and a static filter adds {LEAST_RATE:.1e} to that or more; ask for {:.2e}, or another rate \
                 clearly above that of the table",
                // With a margin for rounding.
                (own + own.max(1.1 * LEAST_RATE)).min(MOST_RATE)
            ),
        ),
        false => Error::rate_out_of_reach(
            rate,
            format_args!("the table errs at {own:.2e} by itself, and no static filter has a rate above 0.5"),
        )
        .with(advice!("build one of the keys", Static)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnyFilter, GrowingFilter, Open, Opened, QuotientFilter, file::Format};

    fn table(keys: u32, rate: f64, count_bits: u8) -> QuotientFilter {
        let builder = QuotientFilter::builder().false_positive_rate(rate).capacity(keys.max(1).into());
        builder.count_bits(count_bits).build_from(0..keys).unwrap()
    }

    /// Every answer is the table's, except for the ribbon's own false positives.
    #[test]
    fn a_ribbon_of_a_table_has_its_keys_at_the_rate_of_both() {
        for keys in [0, 1, 2, 256, 257, 3000, 60_000] {
            for (of_table, rate, count_bits) in
                [(1e-3, 1e-2, 0), (0.05, 0.5, 8), (1e-6, 1e-5, 4), (0.01, 0.0101, 0)]
            {
                let table = table(keys, of_table, count_bits);
                let frozen = table.to_ribbon(rate).unwrap();
                assert!(frozen.false_positive_rate() <= rate * (1.0 + 1e-12), "{keys} {rate}");
                assert_eq!(
                    (frozen.len(), frozen.numbers()),
                    (table.distinct_numbers(), Some(table.numbers()))
                );
                let asked: Vec<u32> = (0..keys + 40_000).collect();
                let answers = frozen.contains_many(&asked);
                assert!(asked.iter().zip(&answers).all(|(key, answer)| frozen.contains(key) == *answer));
                assert!(
                    asked.iter().zip(&answers).all(|(key, answer)| *answer || !table.contains(key)),
                    "{keys} {rate}"
                );
                let wrong = answers[keys as usize..].iter().filter(|answer| **answer).count() as f64;
                let expected = frozen.false_positive_rate() * 40_000.0;
                // With few possible fingerprints, many lookups share one.
                let spread = (expected * (1.0 + 40_000.0 / table.numbers() as f64)).sqrt();
                assert!((wrong - expected).abs() <= 5.0 * spread + 3.0, "{keys} {rate}: {wrong} {expected}");
            }
        }
    }

    #[test]
    fn a_growing_filter_freezes_as_long_as_its_first_table_tells_keys_apart() {
        for is_deletable in [false, true] {
            let builder =
                GrowingFilter::builder().first(1000).false_positive_rate(0.001).deletable(is_deletable);
            let mut grown = builder.build_from(0..20_000u32).unwrap();
            grown.insert_many(&(0..500u32).collect::<Vec<_>>()).unwrap();
            let frozen = AnyFilter::from(grown.clone()).to_ribbon(0.01).unwrap();
            assert!((0..20_000u32).all(|key| frozen.contains(&key)));
            assert!(frozen.false_positive_rate() <= 0.01 && frozen.size_in_bytes() < grown.size_in_bytes());
            let refused = grown.to_ribbon(0.0005).unwrap_err().to_string();
            assert!(refused.contains("by itself") && refused.contains("ask for 1.2"), "{refused}");
        }
    }

    /// The error names a rate that is possible.
    #[test]
    fn a_table_that_errs_as_often_by_itself_is_refused() {
        let (full, loose) = (table(60_000, 0.7, 0), table(2000, 0.01, 0));
        // In the last case the ribbon cannot have the rate that is left.
        let refused =
            [(&loose, 0.01 * 0.99), (&table(300, 2.4e-10, 0), 2.4e-10), (&table(300, 3e-11, 0), 2.5e-10)];
        for (table, rate) in refused {
            let refused = table.to_ribbon(rate).unwrap_err();
            assert!(matches!(refused, Error::RateOutOfReach { .. }));
            let text = refused.to_string();
            let named = text.split("ask for ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
            let named: f64 = named.parse().unwrap();
            assert!(named > rate && table.to_ribbon(named).is_ok(), "{text}");
        }
        let text = full.to_ribbon(0.5).unwrap_err().to_string();
        assert!(text.contains("`RibbonFilter::builder`"), "{text}");
        for rate in [0.0, -1.0, f64::NAN, 1.0, 0.51, 1e-12] {
            assert!(loose.to_ribbon(rate).is_err(), "{rate}");
        }
    }

    #[test]
    fn keys_are_added_beside_it_and_files_keep_it() {
        let mut frozen = table(3000, 1e-4, 0).to_ribbon(1e-3).unwrap();
        let new: Vec<u32> = (10_000..10_100).collect();
        frozen.insert_many(&new).unwrap();
        assert!(frozen.added() > 90 && new.iter().all(|key| frozen.contains(key)));
        assert!((0..3000u32).all(|key| frozen.contains(&key)));
        let file = Opened::new(frozen.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
        let opened = Open::new().from_bytes(&file).unwrap();
        assert!(*opened.filter() == AnyFilter::from(frozen.clone()) && opened.to_bytes().unwrap() == file);

        // The same hashes with other fingerprints make another ribbon.
        let mut other = table(3000, 1e-5, 0).to_ribbon(1e-3).unwrap();
        assert!(other != frozen && other.union_with(&frozen).is_err());
    }

    #[test]
    fn what_is_no_table_is_refused_by_name() {
        let bloom = crate::BloomFilter::builder().capacity(10).build().unwrap();
        let ribbon = table(10, 1e-3, 0).to_ribbon(0.1).unwrap();
        for (filter, text) in
            [(AnyFilter::from(bloom), "`RibbonFilter::builder`"), (ribbon.into(), "it is one")]
        {
            let error = filter.to_ribbon(0.1).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains(filter.kind().common_name()), "{error}");
        }
    }
}
