//! Union, intersection, and folding to a smaller size.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt::Display;

use super::storage::{Owned, PlainStorage, Storage};
use super::{BloomFilter, BloomMeta};
use crate::bits;
use crate::bits::shape::Shape;
use crate::error::{Error, Result, advice};
use crate::ids::Layout;
use crate::params::{Request, bits_per_key, check_rate};

impl<L: Storage> BloomFilter<L> {
    /// Whether both filters set the same bits for the same key: then they can be united and can
    /// share hashes.
    ///
    /// Capacity, promise, policy and labels do not matter. The error of
    /// [`union_with`](BloomFilter::union_with) names the property in which they differ.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let monday = BloomFilter::builder().capacity(1000).build()?;
    /// let tuesday = BloomFilter::builder().capacity(1000).build()?;
    /// let other = BloomFilter::builder().capacity(1000).seed(7).build()?;
    /// assert!(monday.is_compatible(&tuesday) && !monday.is_compatible(&other));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn is_compatible<M: Storage>(&self, other: &BloomFilter<M>) -> bool {
        self.check_compatible(other).is_ok()
    }

    /// Whether all set bits of this filter are set in `other` too.
    ///
    /// If all its keys are in `other`, the answer is `true`. The converse is no proof, since the
    /// bits of a key may come from other keys.
    ///
    /// ```
    /// let builder = tepal::BloomFilter::builder().capacity(1000);
    /// let few = builder.clone().build_from(["apple"])?;
    /// let many = builder.clone().build_from(["apple", "banana"])?;
    /// assert!(few.is_subset(&many)? && !many.is_subset(&few)? && few.is_subset(&few)?);
    /// assert!(few.is_subset(&builder.seed(7).build()?).is_err());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Incompatible`] if the two set different bits for the same key, as
    /// [`union_with`](BloomFilter::union_with).
    pub fn is_subset<M: PlainStorage>(&self, other: &BloomFilter<M>) -> Result<bool>
    where
        L: PlainStorage,
    {
        self.check_compatible(other)?;
        Ok(bits::is_subset(self.lines.as_lines(), other.lines.as_lines()))
    }

    /// Checks that both filters set the same bits for the same key. The error names the first
    /// property in which they differ.
    pub(crate) fn check_compatible<M: Storage>(&self, other: &BloomFilter<M>) -> Result<()> {
        fn same<T: PartialEq + Display>(property: &'static str, here: T, there: T) -> Result<()> {
            if here == there {
                return Ok(());
            }
            Err(Error::Incompatible { property, expected: here.to_string(), found: there.to_string() })
        }
        same("layout", self.layout(), other.layout())?;
        same("number of hashes", self.num_hashes(), other.num_hashes())?;
        same("size in bits", self.bit_len(), other.bit_len())?;
        self.meta.keys.check_same(&other.meta.keys)
    }
}

impl BloomFilter {
    /// Adds all keys of `other`. The bits are the same as after inserting both sets of keys.
    ///
    /// [`keys_inserted`](Self::keys_inserted) is then the sum of both: a key that both have counts
    /// twice, like a repeated insert. [`estimated_len`](Self::estimated_len) uses the bits, and
    /// counts it once.
    ///
    /// ```
    /// let builder = tepal::BloomFilter::builder().capacity(1000);    // one size for all parts
    /// let mut all = builder.clone().build_from(["apple"])?;
    /// all.union_with(&builder.build_from(["banana"])?)?;
    /// assert!(all.contains("apple") && all.contains("banana"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::Incompatible`] if the filters differ in layout, number of hashes, size, key
    ///   domain, scheme, seed or recipe;
    /// - [`Error::CapacityReached`] if the policy is
    ///   [`OverCapacity::Refuse`](crate::OverCapacity::Refuse), the keys of both are more than the
    ///   capacity, and the rate of the union is past the promise;
    /// - [`Error::Damaged`] if `other` was opened [quick](crate::Open::quick) and its bits are
    ///   damaged.
    ///
    /// The filter is unchanged then.
    pub fn union_with<M: PlainStorage>(&mut self, other: &BloomFilter<M>) -> Result<()> {
        self.check_union(other)?;
        bits::union(self.own_lines()?, other.lines.as_lines());
        self.settle();
        match other.keys_inserted() {
            Some(keys) => self.add_to_inserted(keys),
            None => self.meta.inserted = None.into(),
        }
        self.count_anew();
        Ok(())
    }

    /// Whether [`union_with`](Self::union_with) would be refused.
    pub(crate) fn check_union<M: PlainStorage>(&self, other: &BloomFilter<M>) -> Result<()> {
        self.check_compatible(other)?;
        other.check_before_copying()?;
        self.check_room_for(other, || bits::count_union(self.lines.as_lines(), other.lines.as_lines()))
    }

    /// Keeps the bits that both filters have. Every key that was inserted into both is still a
    /// member. Some other keys remain too, so the rate is higher than in a filter built from the
    /// common keys alone.
    ///
    /// ```
    /// let builder = tepal::BloomFilter::builder().capacity(1000);
    /// let mut both = builder.clone().build_from(["apple", "banana"])?;
    /// both.intersect_with(&builder.build_from(["banana", "cherry"])?)?;
    /// assert!(both.contains("banana"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Incompatible`] and [`Error::Damaged`], as [`union_with`](Self::union_with). The
    /// filter is unchanged then.
    pub fn intersect_with<M: PlainStorage>(&mut self, other: &BloomFilter<M>) -> Result<()> {
        self.check_compatible(other)?;
        other.check_before_copying()?;
        bits::intersect(self.own_lines()?, other.lines.as_lines());
        self.meta.inserted = None.into();
        self.count_anew();
        Ok(())
    }
}

impl BloomFilter {
    /// Makes the filter as small as its keys allow at `rate`, without the keys. Neighbouring blocks
    /// are folded into one. Returns how many became one, or 1 if folding by 2 would already pass
    /// the rate.
    ///
    /// The result is, bit for bit, the filter that the same keys would have made at the new size.
    /// Its promise is `rate`, and its capacity is the number of keys that the new size holds at
    /// that rate. The factor divides the number of blocks; sizes that the planner chose have many
    /// factors.
    ///
    /// ```
    /// let mut seen = tepal::BloomFilter::builder().capacity(1_000_000).build_from(0..50_000u64)?;
    /// let before = seen.size_in_bytes();
    /// let factor = seen.shrink_to(0.01)?;
    /// assert_eq!(seen.size_in_bytes(), before / factor);
    /// assert!(factor > 1 && seen.contains(&49_999u64));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for a rate that is not between 0 and 1, and for a scheme whose
    /// positions are remainders and do not fold; [`Error::RateOutOfReach`] if the filter is above
    /// `rate` before folding; [`Error::TooLarge`] if there is no memory for the folded filter. The
    /// filter is unchanged then.
    pub fn shrink_to(&mut self, rate: f64) -> Result<u64> {
        Ok(match self.shrunk_to(rate)? {
            Some((factor, folded)) => {
                *self = folded;
                factor
            }
            None => 1,
        })
    }

    /// Makes the filter `factor` times smaller, without the keys. `factor` is one of
    /// [`fold_factors`](Self::fold_factors). The promised rate stays if the smaller filter keeps
    /// it; otherwise it becomes the rate after the fold.
    ///
    /// ```
    /// let mut seen = tepal::BloomFilter::builder().bit_len(6 * 512).capacity(100).build_from(["apple"])?;
    /// assert_eq!(seen.fold_factors(), [2, 3, 6]);
    /// seen.fold(3)?;
    /// assert_eq!(seen.bit_len(), 2 * 512);
    /// assert!(seen.contains("apple"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for a factor that is not one of these; [`Error::TooLarge`] if there is
    /// no memory for the folded filter. The filter is unchanged then.
    pub fn fold(&mut self, factor: u64) -> Result<()> {
        *self = self.folded_by(factor)?;
        Ok(())
    }
}

impl<L: PlainStorage> BloomFilter<L> {
    /// The factors by which [`fold`](BloomFilter::fold) can make the filter smaller, from 2 on: the
    /// divisors of its number of lines, of blocks, or (in the layout `scattered`) of bits. Empty if
    /// positions are remainders, which do not fold.
    #[must_use]
    pub fn fold_factors(&self) -> Vec<u64> {
        if !self.has_hash() {
            return Vec::new();
        }
        let units = self.units();
        let small = (1..).take_while(|factor| factor * factor <= units).filter(|factor| units % factor == 0);
        let mut factors: Vec<u64> = small.flat_map(|factor| [factor, units / factor]).collect();
        factors.sort_unstable();
        factors.dedup();
        factors.retain(|&factor| factor > 1);
        factors
    }

    /// The number of lines, of blocks, or (in the layout `scattered`) of bits.
    pub(super) fn units(&self) -> u64 {
        self.meta.shape.bit_len / self.meta.shape.layout.unit_bits()
    }

    /// A copy of the filter, `factor` times smaller, with its capacity and promise.
    pub(crate) fn folded_by(&self, factor: u64) -> Result<BloomFilter> {
        self.folded_shape(factor)?;
        self.check_before_copying()?;
        let promised = self.promised_false_positive_rate();
        let mut folded = self.folded(factor)?;
        let rate = folded.false_positive_rate().max(promised);
        folded.promise(rate, self.keys_by_bits());
        Ok(folded)
    }

    /// The shape after [`fold`](BloomFilter::fold) by a factor, if it folds so.
    pub(super) fn folded_shape(&self, factor: u64) -> Result<Shape> {
        self.check_folds()?;
        if factor < 2 || self.units() % factor != 0 {
            let expected = "one by which its size can be divided";
            let error = Error::parameter("the factor to fold by", factor, expected);
            return Err(error.with(advice!("take one of those that there are", FoldFactors)));
        }
        let old = self.meta.shape;
        Shape::new(old.layout, old.num_hashes, old.bit_len / factor)
    }

    /// The filter as small as its keys allow at `rate`, and how many units became one; `None` if
    /// that is no smaller.
    pub(crate) fn shrunk_to(&self, rate: f64) -> Result<Option<(u64, BloomFilter)>> {
        check_rate(rate)?;
        let now = self.false_positive_rate();
        if now > rate {
            let reason = alloc::format!("the filter is at {now:.3e} now and folding only raises that");
            return Err(Error::rate_out_of_reach(rate, reason));
        }
        self.check_folds()?;
        self.check_before_copying()?;
        let shape = self.meta.shape;
        // A large filter needs this number of bits a key; this one may need slightly fewer.
        let needed = bits_per_key(shape.layout, shape.num_hashes, rate)
            .map_or(shape.bit_len as f64, |bits| bits * self.keys_by_bits() as f64);
        let most = (shape.bit_len as f64 / needed * 1.2) as u64;
        for factor in self.fold_factors().into_iter().rev().filter(|&factor| factor <= most) {
            let mut folded = self.folded(factor)?;
            if folded.false_positive_rate() <= rate {
                folded.promise(rate, self.keys_by_bits());
                return Ok(Some((factor, folded)));
            }
        }
        Ok(None)
    }

    fn check_folds(&self) -> Result<()> {
        if self.has_hash() {
            return Ok(());
        }
        let expected = "one with a 64-bit hash: this one's positions do not fold, build it again smaller";
        Err(Error::parameter("the scheme", self.scheme(), expected))
    }

    /// An estimate of the number of different keys from the bits: at least 1.
    fn keys_by_bits(&self) -> u64 {
        libm::ceil(self.estimated_len()).max(1.0) as u64
    }

    /// The filter with each group of `factor` neighbouring units made one (FORMAT.md, section 2.6).
    fn folded(&self, factor: u64) -> Result<BloomFilter> {
        let (old, shape) = (self.meta.shape, self.folded_shape(factor)?);
        let mut lines = bits::zeroed(shape.lines())?;
        let words = &bits::words(self.lines.as_lines())[..(old.bit_len / 64) as usize];
        let folded = bits::words_mut(&mut lines);
        match old.layout {
            Layout::Scattered => bits::fold_bits(words, folded, old.bit_len, factor),
            Layout::Line | Layout::Double | Layout::SplitBlock => {
                bits::fold_words(words, folded, (old.layout.unit_bits() / 64) as usize, factor as usize);
            }
        }
        let set_bits = bits::count(&lines);
        let meta = BloomMeta { shape, inserted: self.keys_inserted().into(), ..self.meta.clone() };
        Ok(BloomFilter::from_parts(meta, Owned::new(lines), set_bits))
    }
}

impl BloomFilter {
    /// Promises this rate. The capacity becomes the number of keys that the size holds at the rate,
    /// or `keys`, if that is more.
    fn promise(&mut self, rate: f64, keys: u64) {
        let shape = self.meta.shape;
        let request = Request {
            bit_len: Some(shape.bit_len),
            false_positive_rate: Some(rate),
            layout: Some(shape.layout),
            num_hashes: Some(shape.num_hashes),
            ..Request::default()
        };
        // A file holds no rate of 1.
        self.meta.promised_rate = rate.min(1.0 - f64::EPSILON);
        self.set_capacity(request.plan().map_or(keys, |plan| plan.capacity.max(keys)));
    }
}

#[cfg(test)]
mod tests;
