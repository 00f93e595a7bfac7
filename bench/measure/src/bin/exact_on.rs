//! The size of a filter that is right about every key of a universe: a table of bits a member, by
//! method.
//!
//! Each number is the least over all rates of the filter, from 25 % down. List and divider are what
//! `tepal build --exact-on` writes. Layers are filters of the false positives of the layer before:
//! non-members and members in turn, at a rate of one half, each as small as a Bloom filter can be.
//! The exact set is a Golomb code of the members' sorted hashes, which are so long that no
//! non-member has one of them.
//!
//! ```sh
//! bench/measure/run exact_on
//! ```

use tepal::BloomFilter;

/// The bits a key of the smallest Bloom filter at a rate of one half.
const BITS_OF_A_LAYER: f64 = core::f64::consts::LOG2_E;
/// The bits a key of a divider, and its fixed bits.
const BITS_OF_A_DIVIDER: (f64, f64) = (1.23, 8.0 * 40.0 + 33.0);
/// The bits of a gap in a Golomb code, above the logarithm of the mean gap.
const BITS_OF_A_GAP: f64 = 1.5;

/// The least bits a member over all rates. `behind` gives the bits behind a filter with this many
/// false positives.
fn least(members: f64, strangers: f64, behind: impl Fn(f64) -> f64) -> f64 {
    let rates = (8..=160).map(|quarters| 0.5f64.powf(f64::from(quarters) / 4.0));
    let costs = rates.filter_map(|rate| {
        let plan = BloomFilter::builder().capacity(members as u64).false_positive_rate(rate).plan().ok()?;
        Some(8.0 * plan.size_in_bytes() as f64 + behind(rate * strangers))
    });
    costs.fold(f64::INFINITY, f64::min) / members
}

fn main() {
    println!("| members | strangers for each | list | layers | exact set | divider |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    for members in [1e3, 1e5, 1e7] {
        for times in [1.0, 2.0, 10.0, 100.0, 1000.0] {
            let strangers = members * times;
            let list = least(members, strangers, |wrong| 64.0 * (wrong + 1.0));
            let layers = least(members, strangers, |wrong| BITS_OF_A_LAYER * (2.0 * wrong + members));
            let (a_key, always) = BITS_OF_A_DIVIDER;
            let divider = least(members, strangers, |wrong| a_key * (members + wrong) + always);
            let exact = strangers.log2() + BITS_OF_A_GAP;
            println!("| {members:.0} | {times:.0} | {list:.1} | {layers:.1} | {exact:.1} | {divider:.1} |");
        }
    }
}
