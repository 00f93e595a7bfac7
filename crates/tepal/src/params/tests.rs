//! Inverse pairs, choices and refusals.

use alloc::string::ToString;

use super::rate::{bits_per_key, least_bits};
use super::sizes::{FOLDABLE, foldable};
use super::*;

const RATES: [f64; 8] = [0.5, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6];

fn request(capacity: Option<u64>, rate: Option<f64>, bit_len: Option<u64>, layout: Layout) -> Request {
    Request { capacity, false_positive_rate: rate, bit_len, layout: Some(layout), ..Request::default() }
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
