//! The table compared with the search; prints the differences.

// Also for the test of a build without the feature `std`.
extern crate std;

use super::*;
use crate::params::{NARROW_WORTH, narrow_most, search};

#[test]
fn is_what_the_plain_search_finds() {
    let layouts = [Layout::Line, Layout::Double, Layout::SplitBlock];
    let mut wrong = 0;
    for wanted in RATES {
        let row = layouts.map(|layout| {
            let (least, most) = layout.num_hashes_range();
            let narrow = narrow_most(layout);
            search::plain_least(layout, least..=most, wanted, narrow, NARROW_WORTH).unwrap()
        });
        wrong += u32::from(row != layouts.map(|layout| find(layout, wanted).unwrap_or_default()));
        std::eprintln!("    {row:?},");
    }
    assert_eq!(wrong, 0, "the rows above are right");
    for layout in layouts {
        assert_eq!(find(layout, 0.011), None, "{layout}");
    }
    assert_eq!(find(Layout::Scattered, 0.01), None);
}
