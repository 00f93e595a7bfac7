//! The sizes from which the loops prefetch.

use super::*;
use crate::bits;
#[cfg(all(target_has_atomic = "64", not(loom)))]
use crate::bits::atomic::Atomics;
use crate::bits::rules::Rules;
use crate::bits::shape::Shape;
use crate::ids::Layout;

/// Loops prefetch in large arrays and not in small ones; in shared lines from the same size or a
/// smaller one.
#[test]
fn fetching_ahead_begins_where_it_pays() {
    fn check<R: Rule>(rule: &R, lines: &[Line]) {
        let from = R::FETCH_AHEAD_FROM;
        let ahead = |count, hashes| rule.ahead(&lines[..count], hashes);
        assert_eq!([from - 1, from, from + 1].map(|count| ahead(count, 1000)), [0, AHEAD, AHEAD]);
        assert_eq!([0, 7, AHEAD, AHEAD + 1].map(|hashes| ahead(from, hashes)), [0, 7, AHEAD, AHEAD]);
        #[cfg(all(target_has_atomic = "64", not(loom)))]
        {
            let lines = bits::atomic::share(lines[..1 << 14].to_vec());
            assert_eq!(rule.ahead(&Atomics::new(&lines), 1000), AHEAD);
            assert_eq!(rule.ahead(&Atomics::new(&lines[1..]), 1000), 0);
        }
    }
    let lines = bits::zeroed((1 << 17) + 1).unwrap();
    for &layout in Layout::ALL {
        match Rules::new(Shape::new(layout, 8, 512).unwrap()) {
            Rules::Line(rule) => check(&rule, &lines),
            Rules::Double(rule) => check(&rule, &lines),
            Rules::Split(rule) => check(&rule, &lines),
            Rules::Independent(rule) => check(&rule, &lines),
            other => panic!("{other:?} has more bits a line"),
        }
    }
}
