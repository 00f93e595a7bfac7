//! Plans by the plain formulas alone, step by step. Every plan is compared with them, to the bit.

use alloc::string::ToString;

use super::*;

/// A slow [`Request::plan_layout`].
fn plan(request: &Request) -> Result<Plan> {
    let plan = match (request.capacity, request.false_positive_rate, request.bit_len) {
        (Some(capacity), Some(rate), None) => size_for(request, capacity, rate)?,
        (Some(capacity), None, Some(bit_len)) => rate_for(request, capacity, bit_len)?,
        (None, Some(rate), Some(bit_len)) => capacity_for(request, rate, bit_len)?,
        given => panic!("two of them fix a plan, not {given:?}"),
    };
    check_hash(plan.capacity, plan.false_positive_rate)?;
    Shape::new(plan.layout, plan.num_hashes, plan.bit_len)?;
    Ok(plan)
}

fn best(request: &Request, layout: Layout, wanted: f64) -> Result<(u32, f64)> {
    let unreachable = || Error::rate_out_of_reach(wanted, "no k reaches it".to_string());
    if wanted < lowest_rate(layout) {
        return Err(unreachable());
    }
    let ks = request.hashes(layout)?;
    let least = *ks.start();
    let best = rate::least_bits(layout, ks, wanted).ok_or_else(unreachable)?;
    let narrow_most = narrow_most(layout).unwrap_or(u32::MAX);
    if best.0 > narrow_most && least <= narrow_most {
        let narrow = bits_per_key(layout, narrow_most, wanted);
        if let Some(bits) = narrow.filter(|bits| *bits <= best.1 * NARROW_WORTH) {
            return Ok((narrow_most, bits));
        }
    }
    Ok(best)
}

fn size_for(request: &Request, capacity: u64, wanted: f64) -> Result<Plan> {
    check_hash(capacity, wanted)?;
    let layout = request.layout_for(wanted);
    let (num_hashes, bits_per_key) = best(request, layout, wanted)?;
    let needed = libm::ceil(bits_per_key * capacity as f64 / LINE_BITS as f64) as u64;
    if needed > MOST_BITS / LINE_BITS {
        return Err(Error::TooLarge { bytes: needed.saturating_mul(LINE_BYTES) });
    }
    let sizes = Sizes::of(layout, request.scheme);
    let mut bit_len = sizes.from(libm::ceil(bits_per_key * capacity as f64) as u64);
    while promise(layout, num_hashes, bit_len, capacity) > wanted {
        bit_len = sizes.after(bit_len);
    }
    if bit_len > MOST_BITS {
        return Err(Error::TooLarge { bytes: bit_len / 8 });
    }
    Ok(Plan { layout, num_hashes, bit_len, capacity, false_positive_rate: wanted })
}

fn rate_for(request: &Request, capacity: u64, bit_len: u64) -> Result<Plan> {
    let rate_in = |layout| {
        let rates = request.hashes(layout)?.map(|k| (k, promise(layout, k, bit_len, capacity)));
        Ok::<_, Error>(rates.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap())
    };
    let layout = match request.layout {
        Some(layout) => layout,
        None => request.layout_for(rate_in(Layout::Line)?.1),
    };
    let (num_hashes, rate) = rate_in(layout)?;
    let lowest = lowest_rate(layout).max(HASH_SHARE * hash_floor(capacity));
    let rate = rate.max(lowest).min(1.0 - f64::EPSILON);
    Ok(Plan { layout, num_hashes, bit_len, capacity, false_positive_rate: rate })
}

fn capacity_for(request: &Request, wanted: f64, bit_len: u64) -> Result<Plan> {
    let layout = request.layout_for(wanted);
    let (num_hashes, bits_per_key) = best(request, layout, wanted)?;
    let most = libm::floor(bit_len as f64 / bits_per_key) as u64;
    let keeps = |keys: u64| promise(layout, num_hashes, bit_len, keys) <= wanted;
    let capacity = if keeps(most.max(1)) { most } else { last_that(most, keeps) };
    if capacity == 0 {
        return Err(Error::parameter("the number of bits", bit_len, "more"));
    }
    Ok(Plan { layout, num_hashes, bit_len, capacity, false_positive_rate: wanted })
}

/// Numbers between 0 and 1, equal in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() * end as f64) as usize
    }

    /// A number between two powers of ten.
    fn power_of_ten(&mut self, from: f64, to: f64) -> f64 {
        libm::pow(10.0, from + (to - from) * self.next())
    }

    fn request(&mut self) -> Request {
        let layout = (self.below(3) > 0).then(|| Layout::ALL[self.below(Layout::ALL.len())]);
        let goal = [Goal::Speed, Goal::Memory][self.below(2)];
        let num_hashes = (self.below(6) == 0).then(|| 1 + self.below(20) as u32);
        let scheme = (self.below(6) == 0).then_some(Scheme::Xxh64);
        // Half of the filters are small.
        let most = [4.0, 13.0][self.below(2)];
        let capacity = self.power_of_ten(0.0, most);
        let rate = match self.below(4) {
            0 => libm::round(self.power_of_ten(0.0, 3.0)).min(999.0) / 1000.0,
            1 => libm::pow(10.0, -1.0 - self.below(6) as f64),
            _ => self.power_of_ten(-12.0, -0.01),
        };
        let bits = capacity * self.power_of_ten(-1.2, 2.2) / LINE_BITS as f64;
        let mut request = Request {
            capacity: Some(capacity as u64),
            false_positive_rate: Some(rate),
            bit_len: Some((bits as u64).max(1) * LINE_BITS),
            layout,
            num_hashes,
            goal,
            scheme,
        };
        match self.below(4) {
            0 => request.capacity = None,
            1 => request.false_positive_rate = None,
            _ => request.bit_len = None,
        }
        request
    }
}

/// Compares both planners on random requests: the same plan, or the same kind of error.
fn assert_same(requests: usize, seed: u64) {
    let mut random = Random(seed);
    let mut planned = 0;
    for _ in 0..requests {
        let request = random.request();
        let (found, expected) = (request.plan_layout(), plan(&request));
        match (&found, &expected) {
            (Ok(found), Ok(expected)) => {
                assert_eq!(found, expected, "{request:?}");
                planned += 1;
            }
            (Err(Error::TooLarge { bytes }), Err(Error::TooLarge { bytes: expected })) => {
                assert_eq!(bytes, expected, "{request:?}");
            }
            (Err(found), Err(expected)) => {
                let kind = core::mem::discriminant(found);
                assert_eq!(kind, core::mem::discriminant(expected), "{request:?}: {found}, {expected}");
            }
            _ => panic!("{request:?}: {found:?}, expected {expected:?}"),
        }
    }
    assert!(planned > requests / 2, "{planned} of {requests} were plans");
}

#[test]
fn plans_are_those_of_the_plain_formulas() {
    assert_same(3000, 0x7e9a1);
}

/// Many more requests, for changes to `near`: run by `.ci/plans`.
#[test]
#[ignore = "takes minutes"]
fn a_great_many_plans_are_those_of_the_plain_formulas() {
    assert_same(400_000, 0x5eed);
}

/// With the wrong k most rates are near 1, and none is the best of its neighbours.
#[test]
fn the_best_k_of_a_small_size_is_that_of_the_plain_formulas() {
    for capacity in [20, 152] {
        let request = Request {
            capacity: Some(capacity),
            bit_len: Some(512),
            layout: Some(Layout::Scattered),
            ..Request::default()
        };
        assert_eq!(request.plan_layout().unwrap(), plan(&request).unwrap(), "{request:?}");
    }
}

/// Sizes close to the size of the formula, where one line more or less decides.
#[test]
fn small_plans_are_those_of_the_plain_formulas() {
    for &layout in Layout::ALL {
        for wanted in [0.3, 0.1, 0.0123, 0.01, 1e-3, 1e-4, 1e-6] {
            for capacity in (1..40).chain((40..3000).step_by(211)) {
                let request = Request {
                    capacity: Some(capacity),
                    false_positive_rate: Some(wanted),
                    layout: Some(layout),
                    ..Request::default()
                };
                assert_eq!(request.plan_layout().unwrap(), plan(&request).unwrap(), "{request:?}");
            }
        }
    }
}
