//! A filter in memory: its parameters and its bits. Inserting, asking, folding and the self-test.

use crate::bits::Layout;
use crate::hash::Scheme;
use crate::key::{Domain, Key};
use crate::records::Record;

/// What a writer does when more keys come than planned (offset 35). The file only carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Id 1: refuse the key.
    Refuse,
    /// Id 2: take it and warn.
    Warn,
    /// Id 3: take it.
    Ignore,
}

impl Policy {
    /// All policies, in the order of their ids.
    pub const ALL: [Policy; 3] = [Policy::Refuse, Policy::Warn, Policy::Ignore];

    /// The id in the header.
    pub fn id(self) -> u8 {
        match self {
            Policy::Refuse => 1,
            Policy::Warn => 2,
            Policy::Ignore => 3,
        }
    }

    /// The name in section 4.2.
    pub fn name(self) -> &'static str {
        match self {
            Policy::Refuse => "refuse",
            Policy::Warn => "warn",
            Policy::Ignore => "ignore",
        }
    }
}

/// "Keys inserted" of a filter that does not know.
pub const UNKNOWN: u64 = u64::MAX;

/// A Bloom filter: everything a file says about it, and its bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Which bits a hash sets.
    pub layout: Layout,
    /// How many, `k`.
    pub num_hashes: u32,
    /// How the bytes of a key become bits.
    pub scheme: Scheme,
    /// What the keys are.
    pub domain: Domain,
    /// What a writer does beyond the capacity.
    pub policy: Policy,
    /// Keys it was planned for.
    pub capacity: u64,
    /// The promised false-positive rate.
    pub rate: f64,
    /// What whoever asks does to a key first (section 1.2). The filter itself does not apply it.
    pub recipe: u32,
    /// Name, source, date and field (section 4.3).
    pub records: Vec<Record>,
    /// Keys given to it, repeats included, or [`UNKNOWN`].
    pub keys_inserted: u64,
    /// The body: `bits[p]` is bit `p` of section 2.
    pub bits: Vec<bool>,
}

impl Filter {
    /// An empty filter without recipe and records, for 1 key at a rate of 0.01; the fields are public.
    pub fn new(
        layout: Layout,
        k: u32,
        bit_len: u64,
        scheme: Scheme,
        domain: Domain,
    ) -> Result<Filter, String> {
        scheme.check(layout, k, bit_len)?;
        let bit_len = usize::try_from(bit_len).map_err(|_| format!("{bit_len} bits do not fit in memory"))?;
        Ok(Filter {
            layout,
            num_hashes: k,
            scheme,
            domain,
            policy: Policy::Refuse,
            capacity: 1,
            rate: 0.01,
            recipe: 0,
            records: Vec::new(),
            keys_inserted: 0,
            bits: vec![false; bit_len],
        })
    }

    /// How many bits the filter has.
    pub fn bit_len(&self) -> u64 {
        self.bits.len() as u64
    }

    /// How many bits are 1.
    pub fn set_bits(&self) -> u64 {
        self.bits.iter().filter(|&&bit| bit).count() as u64
    }

    /// Inserts a key and counts it.
    pub fn insert(&mut self, key: Key) -> Result<(), String> {
        for p in self.positions(key)? {
            self.bits[p as usize] = true;
        }
        if self.keys_inserted != UNKNOWN {
            self.keys_inserted += 1;
        }
        Ok(())
    }

    /// Whether a key is in the filter: `false` is certain, `true` means perhaps.
    pub fn contains(&self, key: Key) -> Result<bool, String> {
        Ok(self.positions(key)?.into_iter().all(|p| self.bits[p as usize]))
    }

    /// The bits of a key in this filter.
    fn positions(&self, key: Key) -> Result<Vec<u64>, String> {
        let bytes = self.domain.bytes_of(key)?;
        Ok(self.scheme.positions(self.layout, self.num_hashes, self.bit_len(), &bytes))
    }

    /// The four sums at offset 88.
    pub fn self_test(&self) -> [u64; 4] {
        self_test(self.layout, self.num_hashes, self.bit_len(), &self.scheme)
    }

    /// Section 2.6: the filter with a `factor`-th of the lines, blocks or bits, each the OR of `factor`
    /// neighbours. Capacity and promised rate are kept as they are: what becomes of them is the caller's
    /// business. A scheme with a rule of its own takes remainders, so its filters cannot be folded.
    pub fn fold(&self, factor: u64) -> Result<Filter, String> {
        if let Scheme::Own(own) = &self.scheme {
            return Err(format!("a filter of scheme {} cannot be folded", own.name()));
        }
        let neighbours = match self.layout {
            Layout::Line | Layout::Double => 512,
            Layout::SplitBlock => 256,
            Layout::Scattered => 1,
        };
        let count = self.bit_len() / neighbours;
        if factor == 0 || count % factor != 0 {
            return Err(format!("{factor} does not divide {count}"));
        }
        let mut folded = self.clone();
        self.layout.check(self.num_hashes, self.bit_len() / factor)?;
        folded.bits = vec![false; (self.bit_len() / factor) as usize];
        for (p, &bit) in self.bits.iter().enumerate() {
            let (piece, within) = (p as u64 / neighbours, p as u64 % neighbours);
            if bit {
                folded.bits[(piece / factor * neighbours + within) as usize] = true;
            }
        }
        Ok(folded)
    }
}

/// Section 4.2, offset 88: for each of four fixed keys, hashed as they stand, the sum of its positions.
pub fn self_test(layout: Layout, k: u32, bit_len: u64, scheme: &Scheme) -> [u64; 4] {
    [0, 1, 2, 3].map(|i| {
        let key = format!("tepal self-test {i}");
        let mut sum: u64 = 0;
        for p in scheme.positions(layout, k, bit_len, key.as_bytes()) {
            sum = sum.wrapping_add(p);
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::positions;
    use crate::hash::xxh3;

    fn filled(layout: Layout, k: u32, bit_len: u64, keys: u32) -> Filter {
        let mut filter = Filter::new(layout, k, bit_len, Scheme::Xxh3 { seed: 5 }, Domain::Bytes).unwrap();
        for i in 0..keys {
            filter.insert(Key::Integer(i.into())).unwrap();
        }
        filter
    }

    #[test]
    fn every_inserted_key_is_in_the_filter() {
        for layout in Layout::ALL {
            for k in layout.allowed_k() {
                let filter = filled(layout, k, 5120, 300);
                assert!((0..300).all(|i| filter.contains(Key::Integer(i)).unwrap()), "{layout:?} {k}");
                assert_eq!(filter.keys_inserted, 300);
            }
        }
    }

    #[test]
    fn folding_gives_the_filter_built_at_that_size() {
        for layout in Layout::ALL {
            for k in layout.allowed_k() {
                for (units, factor) in [(24, 2), (24, 3), (24, 24), (35, 5), (7, 7), (6, 1)] {
                    let big = filled(layout, k, units * layout.unit(), 60);
                    let small = filled(layout, k, units / factor * layout.unit(), 60);
                    assert_eq!(big.fold(factor).unwrap(), small, "{layout:?} k={k} {units}/{factor}");
                }
            }
        }
    }

    #[test]
    fn folding_by_what_does_not_divide_is_refused() {
        assert!(filled(Layout::Line, 6, 5 * 512, 1).fold(2).is_err());
        assert!(filled(Layout::Line, 6, 5 * 512, 1).fold(0).is_err());
        // 64 bits in halves: each a legal number of neighbours, but not of words.
        assert!(filled(Layout::Scattered, 6, 64, 1).fold(2).is_err());
    }

    #[test]
    fn the_self_test_does_not_depend_on_the_key_domain() {
        let mut filter = filled(Layout::Scattered, 3, 640, 0);
        let sums = filter.self_test();
        let h = xxh3(b"tepal self-test 3", 5);
        assert_eq!(sums[3], positions(Layout::Scattered, 3, 640, h).iter().sum::<u64>());
        filter.domain = Domain::Integer;
        assert_eq!(filter.self_test(), sums);
    }
}
