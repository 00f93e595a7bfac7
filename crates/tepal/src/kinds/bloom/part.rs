//! The Bloom filter's own part of a tepal file (FORMAT.md, section 4.2), and the checks of its
//! body.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::{BloomFilter, BloomMeta, shape_of};
use crate::bits::rules::Rules;
use crate::bits::shape::Shape;
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::ids::{KeyDomain, Kind, Layout, OverCapacity, Scheme};
use crate::key::schemes::{Hasher, known};
use crate::key::{KeyHasher, SecretKey};
use crate::kinds::in_file::BodyChecked;
use crate::kinds::storage::{Owned, PlainStorage, Ref};
use crate::kinds::{AwaitsBody, CheckBody, FilePart, KindEntry, Kinded, OWN_BYTES, SELF_TEST_KEYS, Trailer};
use crate::params::{is_rate, no_rate};

const UNKNOWN_COUNT: u64 = u64::MAX;

impl<L: PlainStorage> BloomFilter<L> {
    /// The filter's part of a tepal file.
    pub(crate) fn part(&self) -> FilePart<'_> {
        let meta = &self.meta;
        let own = own_part(meta, self.kernel.rules(), self.keys_inserted(), self.set_bits());
        FilePart::new(own, &meta.keys, self.labels(), vec![self.lines.as_lines()])
    }
}

fn own_part(meta: &BloomMeta, rules: &Rules, inserted: Option<u64>, set_bits: u64) -> [u8; OWN_BYTES] {
    let (shape, hasher) = (meta.shape, meta.keys.hasher());
    let mut out = Vec::with_capacity(OWN_BYTES);
    let ids = [shape.layout.id(), hasher.scheme().id(), meta.keys.key_domain().id(), meta.over_capacity.id()];
    out.extend(ids);
    out.extend(shape.num_hashes.to_le_bytes());
    for field in [
        shape.bit_len,
        meta.capacity,
        meta.promised_rate.to_bits(),
        hasher.parameters(),
        inserted.unwrap_or(UNKNOWN_COUNT),
        set_bits,
    ] {
        out.extend(field.to_le_bytes());
    }
    self_test(hasher, rules, shape).iter().for_each(|sum| out.extend(sum.to_le_bytes()));
    core::array::from_fn(|i| out[i])
}

/// The sum of the bit positions of each self-test key.
fn self_test(hasher: &Hasher, rules: &Rules, shape: Shape) -> [u64; 4] {
    core::array::from_fn(|number| {
        let key: &[u8] = SELF_TEST_KEYS[number];
        let mut sum = 0u64;
        let mut add = |position| {
            sum = sum.wrapping_add(position);
            true
        };
        match hasher {
            Hasher::Own(own) => own.all(key, shape.num_hashes, shape.bit_len, add),
            // A scheme that cannot hash these keys has fixed hashes for them.
            Hasher::Hash(scheme) => scheme
                .self_test_hash(number as u64, key)
                .is_ok_and(|hash| rules.positions(shape, hash).into_iter().all(&mut add)),
        };
        sum
    })
}

/// A filter that is read from a file up to its body.
pub(crate) struct BloomBodiless {
    meta: BloomMeta,
    set_bits: u64,
    /// The sums of the writer's self-test.
    sums: [u64; 4],
}

/// Reads a filter from an own part, which may be a link's.
pub(crate) fn bodiless(
    own: &[u8; OWN_BYTES],
    part: &FilePart<'_>,
    secret: Option<&SecretKey>,
) -> Result<BloomBodiless> {
    let number = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| own[at + i]));
    let layout = Layout::from_id(own[0])?;
    let scheme = Scheme::from_id(own[1])?;
    known(scheme)?;
    let domain = KeyDomain::from_id(own[2])?;
    domain.check_known()?;
    let over_capacity = OverCapacity::from_id(own[3])?;
    let num_hashes = u32::from_le_bytes(core::array::from_fn(|i| own[4 + i]));
    let bit_len = number(8);
    let shape = shape_of(scheme, layout, num_hashes, bit_len)?;
    let capacity = number(16);
    let promised_rate = f64::from_bits(number(24));
    let parameters = number(32);
    let inserted = Some(number(40)).filter(|keys| *keys != UNKNOWN_COUNT).into();
    let set_bits = number(48);
    let sums = [number(56), number(64), number(72), number(80)];
    if capacity == 0 {
        return Err(Error::parameter("the capacity", 0u64, "1 key or more"));
    }
    if !is_rate(promised_rate) {
        // Prints the float's bits: the code that prints floats is larger than all other code for
        // opening a file.
        return Err(no_rate(format_args!("the float of the bits {:#018x}", promised_rate.to_bits())));
    }
    if set_bits > shape.bit_len {
        return Err(Error::parameter("the number of set bits", set_bits, shape.bit_len));
    }
    let record = part.scheme_record.as_ref().map(|(tag, text)| (*tag, text.as_str()));
    let hasher = Hasher::of_file(scheme, parameters, record, secret)?;
    let keys = KeyHasher::new(hasher, domain, part.recipe);
    let labels = part.labels.kept();
    let meta = BloomMeta { shape, keys, over_capacity, capacity, promised_rate, inserted, labels };
    Ok(BloomBodiless { meta, set_bits, sums })
}

impl Kinded for BloomFilter {
    const ENTRY: KindEntry = KindEntry::new(Kind::Bloom).behind(Trailer::Exceptions);

    type Bodiless = BloomBodiless;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        bodiless(&part.own, part, secret)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let mut filter = bodiless.filter(lines);
        filter.body_check = checked.map(Box::new);
        filter
    }
}

impl AwaitsBody for BloomBodiless {
    fn lines(&self) -> u64 {
        self.meta.shape.lines()
    }

    fn self_test(&self) -> Result<()> {
        self.meta.keys.hasher().check_key()?;
        let (shape, there) = (self.meta.shape, self.sums);
        let here = self_test(self.meta.keys.hasher(), &Rules::new(shape), shape);
        if here == there {
            return Ok(());
        }
        Err(Error::damaged("this build's hash and layout do not give the positions that the writer's gave"))
    }

    fn check(&self) -> Box<dyn CheckBody> {
        Box::new(BloomCheck { bit_len: self.meta.shape.bit_len, set_bits: self.set_bits })
    }
}

impl BloomBodiless {
    /// All properties but the bits.
    pub(crate) fn meta(&self) -> &BloomMeta {
        &self.meta
    }

    /// The filter with these bits, which have no checks.
    pub(crate) fn filter(self, lines: Owned) -> BloomFilter {
        BloomFilter::from_parts(self.meta, lines, self.set_bits)
    }
}

/// The check that this many bits are set, and none past the last bit.
struct BloomCheck {
    bit_len: u64,
    set_bits: u64,
}

impl CheckBody for BloomCheck {
    fn check(&self, lines: &[Line]) -> Result<()> {
        let set_bits = bits::count_within(lines, self.bit_len)?;
        if set_bits != self.set_bits {
            return Err(Error::damaged(format_args!(
                "{set_bits} bits are set, and the header says {}",
                self.set_bits
            )));
        }
        Ok(())
    }
}
