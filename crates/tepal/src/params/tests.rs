//! Inverse pairs, choices and refusals.

use alloc::string::ToString;

use super::rate::{bits_per_key, least_bits};
use super::sizes::{FOLDABLE, foldable};
use super::*;

const RATES: [f64; 8] = [0.5, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6];

fn request(capacity: Option<u64>, rate: Option<f64>, bit_len: Option<u64>, layout: Layout) -> Request {
    Request { capacity, false_positive_rate: rate, bit_len, layout: Some(layout), ..Request::default() }
}

/// Keys and rate give a size; size and keys give the rate back; size and rate give the keys back.
#[test]
fn inverse_pairs() {
    for &layout in Layout::ALL {
        for wanted in RATES {
            for capacity in [1, 2, 3, 10, 1000, 123_456, 20_000_000, 3_000_000_000] {
                let plan = request(Some(capacity), Some(wanted), None, layout).plan().unwrap();
                assert_eq!(plan.false_positive_rate, wanted);
                let fixed_k = Some(plan.num_hashes);

                let back = Request {
                    num_hashes: fixed_k,
                    ..request(Some(capacity), None, Some(plan.bit_len), layout)
                };
                let rate = back.plan().unwrap().false_positive_rate;
                assert!(rate <= wanted * 1.000_001, "{layout} {wanted} {capacity}: {rate}");
                if capacity > 1_000_000 {
                    assert!(rate >= wanted * 0.98, "{layout} {wanted} {capacity}: {rate}");
                }

                let back = Request {
                    num_hashes: fixed_k,
                    ..request(None, Some(wanted), Some(plan.bit_len), layout)
                };
                let keys = back.plan().unwrap().capacity;
                assert!(keys >= capacity, "{layout} {wanted} {capacity}: {keys}");
                if capacity > 1_000_000 {
                    assert!(keys as f64 <= 1.002 * capacity as f64, "{layout} {wanted} {capacity}: {keys}");
                }
            }
        }
    }
}

/// With few keys the rate differs between filters: the size allows for it, by one line if needed.
#[test]
fn small_filters_are_large_enough_and_no_larger() {
    for &layout in Layout::ALL {
        let mut wider = 0;
        for wanted in [0.1, 0.01, 1e-4] {
            for capacity in (1..100).step_by(3).chain((100..2000).step_by(61)) {
                let plan = request(Some(capacity), Some(wanted), None, layout).plan().unwrap();
                let rate = |bit_len| promise(layout, plan.num_hashes, bit_len, capacity);
                assert!(rate(plan.bit_len) <= wanted, "{layout}: {capacity} keys at {wanted}");
                let one_less = plan.bit_len - LINE_BITS;
                let formula = bits_per_key(layout, plan.num_hashes, wanted).unwrap() * capacity as f64;
                let is_wider = one_less as f64 >= formula;
                assert!(!is_wider || rate(one_less) > wanted, "{layout}: {capacity} keys at {wanted}");
                wider += u32::from(is_wider);
            }
        }
        assert!(wider > 0, "{layout}");
    }
}

/// Size and keys just at the rate: not a line more, not a key less.
#[test]
fn small_filters_hold_as_many_keys_as_the_rate_allows() {
    for (k, wanted) in [(3, 0.1), (7, 0.01), (13, 1e-4)] {
        let fixed = |capacity, rate, bit_len| Request {
            num_hashes: Some(k),
            ..request(capacity, rate, bit_len, Layout::Scattered)
        };
        for bit_len in (128..40_000).step_by(1088) {
            let at = |keys| promise(Layout::Scattered, k, bit_len, keys);
            let capacity = fixed(None, Some(wanted), Some(bit_len)).plan().unwrap().capacity;
            assert!(at(capacity) <= wanted && at(capacity + 1) > wanted, "{k} {bit_len}: {capacity}");
        }
        let exact = promise(Layout::Scattered, k, 20 * LINE_BITS, 700);
        assert_eq!(fixed(Some(700), Some(exact), None).plan().unwrap().bit_len, 20 * LINE_BITS, "{k}");
    }
    assert_eq!([0, 1, 2, 6, 7].map(|last| last_that(8, |n| n <= last)), [0, 1, 2, 6, 7]);
}

/// The largest plan has the most lines allowed; a plan that is too large is reported in bytes.
#[test]
fn too_large_is_told_in_bytes() {
    let most = MOST_BITS / LINE_BITS;
    for layout in [Layout::Line, Layout::Scattered] {
        let ask = |capacity| request(Some(capacity), Some(0.01), None, layout);
        let (_, bits) =
            usual::find(layout, 0.01).unwrap_or_else(|| least_bits(layout, 1..=64, 0.01).unwrap());
        let bytes_of = |capacity| match ask(capacity).plan() {
            Err(Error::TooLarge { bytes }) => bytes,
            other => panic!("{layout}: {other:?}"),
        };
        // All lines: a number that cannot be folded evenly, and is too large once it is rounded up.
        let all = (MOST_BITS as f64 / bits) as u64;
        assert_eq!(libm::ceil(bits * all as f64 / 512.0) as u64, most, "{layout}");
        assert_eq!(bytes_of(all), (most + 5040 - most % 5040) * LINE_BYTES, "{layout}");
        // A larger number is reported unrounded.
        let more = all + 1000;
        assert_eq!(bytes_of(more), libm::ceil(bits * more as f64 / 512.0) as u64 * LINE_BYTES, "{layout}");
    }
}

/// A k outside the layout's range is reported as that, whatever parameters fix the plan and
/// whatever its rate.
#[test]
fn numbers_of_hashes_have_limits() {
    for (layout, k, range) in [
        (Layout::Line, 0, "1 to 16"),
        (Layout::Line, 17, "1 to 16"),
        (Layout::Double, 1, "2 to 32"),
        (Layout::Double, 33, "2 to 32"),
        (Layout::SplitBlock, 7, "8 to 8"),
        (Layout::Scattered, 0, "1 to 64"),
        (Layout::Scattered, 65, "1 to 64"),
    ] {
        for (capacity, rate, bit_len) in
            [(Some(10), Some(1e-6), None), (Some(10), None, Some(512)), (None, Some(1e-6), Some(512))]
        {
            let asked = Request { num_hashes: Some(k), ..request(capacity, rate, bit_len, layout) };
            let text = asked.plan().unwrap_err().to_string();
            let expected = format!("the number of hashes is {k}; it must be {range} in the layout {layout}");
            assert_eq!(text, expected);
        }
    }
}

#[test]
fn sizes_stay_within_half_a_percent_of_the_formula() {
    for &layout in Layout::ALL {
        for wanted in RATES {
            for capacity in [1_000_000, 7_654_321, 20_000_000, 100_000_000] {
                let plan = request(Some(capacity), Some(wanted), None, layout).plan().unwrap();
                let formula = bits_per_key(layout, plan.num_hashes, wanted).unwrap();
                let ratio = plan.bits_per_key() / formula;
                assert!((1.0 - 1e-9..1.005).contains(&ratio), "{layout} {wanted} {capacity}: {ratio}");
            }
        }
    }
}

#[test]
fn the_goal_chooses_the_layout() {
    let layout = |rate, goal| {
        let request =
            Request { capacity: Some(1000), false_positive_rate: Some(rate), goal, ..Request::default() };
        request.plan().unwrap().layout
    };
    assert_eq!(layout(0.01, Goal::Speed), Layout::Line);
    assert_eq!(layout(0.001, Goal::Speed), Layout::Line);
    assert_eq!(layout(0.0009, Goal::Speed), Layout::Double);
    assert_eq!(layout(0.01, Goal::Memory), Layout::Double);
    let by_size = Request { capacity: Some(1_000_000), bit_len: Some(20_480_000), ..Request::default() };
    assert_eq!(by_size.plan().unwrap().layout, Layout::Double);
    let by_size = Request { bit_len: Some(10_240_000), ..by_size };
    assert_eq!(by_size.plan().unwrap().layout, Layout::Line);
}

#[test]
fn refused() {
    let error = |request: Request| request.plan().unwrap_err().to_string();
    for bad in [0.0, -0.0, 1.0, 2.0, -1.0, f64::NAN, f64::INFINITY] {
        let text = error(request(Some(10), Some(bad), None, Layout::Line));
        assert!(text.contains("false-positive rate") && text.contains("less than 1"), "{text}");
    }
    let zero = error(request(Some(0), Some(0.01), None, Layout::Line));
    assert_eq!(zero, "the capacity is 0; it must be 1 key or more");
    let huge = error(request(Some(1 << 60), Some(0.5), None, Layout::Line));
    assert!(huge.contains("a 64-bit hash alone errs") || huge.contains("bytes, more than"), "{huge}");
    let large = request(Some(1 << 50), Some(0.01), None, Layout::Line).plan();
    assert!(matches!(large, Err(Error::TooLarge { .. })));
    let low = error(request(Some(10), Some(1e-9), None, Layout::SplitBlock));
    assert!(low.contains("split-block") && low.contains("1e-8"), "{low}");
    let contradiction = error(request(Some(1000), Some(1e-6), Some(5120), Layout::Line));
    assert!(contradiction.contains("5120 bits at a capacity of 1000"), "{contradiction}");
    let fewer = error(request(Some(1000), None, None, Layout::Line));
    assert!(fewer.contains("two of capacity"), "{fewer}");
    let way_out = "must be given; two of capacity, false-positive rate and size fix a plan";
    assert_eq!(fewer, alloc::format!("the false-positive rate is missing; it {way_out}"));
    let none = error(request(None, Some(0.01), None, Layout::Line));
    assert_eq!(none, alloc::format!("the capacity is missing; it {way_out}"));
    let tiny = Request { num_hashes: Some(1), ..request(None, Some(1e-3), Some(64), Layout::Scattered) };
    let tiny = error(tiny);
    assert!(tiny.contains("or more for one key"), "{tiny}");
    let odd = error(request(Some(10), None, Some(1000), Layout::Line));
    assert!(odd.contains("a multiple of 512"), "{odd}");
    let k = error(Request { num_hashes: Some(17), ..request(Some(10), Some(0.1), None, Layout::Line) });
    assert!(k.contains("1 to 16"), "{k}");
    let reach = error(Request { num_hashes: Some(1), ..request(Some(10), Some(1e-9), None, Layout::Line) });
    assert!(reach.contains("does not reach it"), "{reach}");
}

/// The limits themselves are allowed.
#[test]
fn limits_themselves_are_within() {
    for &layout in Layout::ALL {
        let lowest = if layout == Layout::SplitBlock { 1e-8 } else { 1e-12 };
        let at = request(Some(1000), Some(lowest), None, layout).plan().unwrap();
        assert_eq!(at.false_positive_rate, lowest, "{layout}");
        assert!(request(Some(1000), Some(lowest * 0.999), None, layout).plan().is_err(), "{layout}");
        let free = request(Some(1000), None, Some(10_240), layout).plan().unwrap();
        let rate = free.false_positive_rate;
        assert_eq!(request(Some(1000), Some(rate), Some(10_240), layout).plan().unwrap(), free);
        let below = request(Some(1000), Some(rate * (1.0 - 1e-15)), Some(10_240), layout).plan();
        assert!(matches!(below, Err(Error::RateOutOfReach { .. })), "{layout}");
    }
}

/// With 2^40 keys, a non-member's 64-bit hash equals a member's with a probability of 2^-24, which
/// may be a twentieth of the rate.
#[test]
fn the_hash_itself_errs() {
    let floor = 20.0 / f64::from(1u32 << 24);
    let plan = |rate| request(Some(1 << 40), Some(rate), None, Layout::Scattered).plan();
    assert!(plan(floor).is_ok() && plan(floor * 1.001).is_ok());
    let error = plan(floor * 0.999).unwrap_err().to_string();
    assert!(error.contains("a 64-bit hash alone errs at 6.0e-8"), "{error}");
    // With 64 bits for each key the bits could give a lower rate than the hash.
    let by_size = request(Some(1 << 40), None, Some(1 << 46), Layout::Scattered).plan().unwrap();
    assert_eq!(by_size.false_positive_rate, floor);
    let few = request(Some(1), None, Some(5120), Layout::Scattered).plan().unwrap();
    assert_eq!(few.false_positive_rate, 1e-12);
    let many = request(Some(1 << 16), None, Some(64), Layout::Scattered).plan().unwrap();
    assert_eq!(many.false_positive_rate, 1.0 - f64::EPSILON);
}

/// At most eight bits in a line if that costs at most 1 % more memory.
#[test]
fn narrow_masks_where_they_are_worth_it() {
    assert_narrow_where_worth_it(1);
}

/// The same, quickly.
#[test]
fn narrow_masks_at_every_fourth_rate() {
    assert_narrow_where_worth_it(4);
}

fn assert_narrow_where_worth_it(step: usize) {
    for (layout, narrow) in [(Layout::Line, 8), (Layout::Double, 16)] {
        let (mut narrowed, mut wide) = (0, 0);
        for i in (10..160).step_by(step) {
            let wanted = libm::pow(10.0, -f64::from(i) / 20.0);
            let ks = layout.num_hashes_range().0..=layout.num_hashes_range().1;
            let (best, bits) = least_bits(layout, ks, wanted).unwrap();
            let found = request(Some(1 << 30), Some(wanted), None, layout).plan().unwrap().num_hashes;
            let at_narrow = bits_per_key(layout, narrow, wanted).unwrap_or(f64::INFINITY);
            if best > narrow && at_narrow <= 1.01 * bits {
                assert_eq!(found, narrow, "{layout} {wanted}");
                narrowed += 1;
            } else {
                assert_eq!(found, best, "{layout} {wanted}");
                wide += u32::from(best > narrow);
            }
        }
        assert!(narrowed > 0 && wide > 0, "{layout} {narrowed} {wide}");
    }
}

#[test]
fn large_sizes_can_be_folded() {
    for (lines, rounded) in
        [(0, 1), (1, 1), (1023, 1023), (2047, 2047), (2048, 2048), (2049, 2050), (4095, 4096), (4097, 4100)]
    {
        assert_eq!(foldable(lines), rounded, "{lines}");
    }
    for step in FOLDABLE {
        let from = step * 1024;
        assert_eq!((foldable(from) % step, foldable(from + 1)), (0, from + step), "{step}");
    }
    assert_eq!(foldable((1 << 40) + 1) % 5040, 0);
}

/// The first size that fits is found without trying every size, also where the step changes.
#[test]
fn sizes_are_found_in_steps() {
    for sizes in [Sizes::Lines, Sizes::PowersOfTwo] {
        for start in [1, 2, 700, 2040, 4090, 36_800, 49_068, 49_104, 61_000] {
            let (least, mut so) = (sizes.from(512 * start), sizes.from(512 * start));
            for _ in 0..20 {
                assert_eq!(sizes.first_that(least, |bit_len| bit_len >= so), so, "{sizes:?} {start}");
                so = sizes.after(so);
            }
        }
    }
}

#[test]
fn sizes_in_bytes() {
    let plan = |bit_len| Plan {
        layout: Layout::Scattered,
        num_hashes: 5,
        bit_len,
        capacity: 100,
        false_positive_rate: 0.01,
    };
    // A header of 128 bytes, 8 bytes for each 64 KiB and 8 for its own checksum, in whole lines.
    for (bit_len, bytes, header) in [(64, 64, 192), (512, 64, 192), (576, 128, 192), (8 << 20, 1 << 20, 320)]
    {
        assert_eq!(plan(bit_len).size_in_bytes(), bytes);
        assert_eq!(plan(bit_len).file_len(), header + bytes, "{bit_len}");
        assert_eq!(plan(bit_len).bits_per_key(), bit_len as f64 / 100.0);
    }
}
