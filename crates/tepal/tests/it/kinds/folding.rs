//! A filter that was made smaller keeps its promise: no rate above the one that was asked for, and
//! the capacity for that rate.

use tepal::Error;

use crate::shared::kinds::{is_large, kinds, numbers};

const CAPACITY: u64 = 20_000;

/// For rates slightly above and below what each factor allows, a filter never shrinks to a rate
/// above the one that was asked for.
#[test]
fn nothing_shrinks_past_the_rate_that_was_asked_for() {
    let mut tried = 0;
    for kind in kinds() {
        let name = kind.name();
        if is_large(&*kind) {
            continue;
        }
        let members = numbers(0..CAPACITY / 50);
        let filter = kind.filled(CAPACITY, &members).unwrap().into_filter();
        let now = filter.false_positive_rate();
        for factor in filter.fold_factors().into_iter().filter(|factor| *factor <= 64) {
            for share in [0.93, 0.99, 1.0, 1.01, 1.07] {
                let rate = now * factor as f64 * share;
                if rate >= 0.5 {
                    continue;
                }
                let mut folded = filter.clone();
                folded.shrink_to(rate).unwrap_or_else(|error| panic!("{name}, {rate:e}: {error}"));
                let found = folded.false_positive_rate();
                assert!(found <= rate, "{name}: asked for {rate:e}, at {found:e}");
                assert!(kind.keys(&members).are_held(&tepal::Opened::new(folded, kind.format()).unwrap()));
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

/// A filter that is folded past its promise promises its rate after the fold, and never more than
/// it holds.
#[test]
fn a_fold_promises_no_less_than_its_rate() {
    let mut broken = 0;
    for kind in kinds() {
        let name = kind.name();
        if is_large(&*kind) {
            continue;
        }
        let filter = kind.filled(CAPACITY, &numbers(0..CAPACITY / 3)).unwrap().into_filter();
        for factor in filter.fold_factors().into_iter().take_while(|factor| *factor <= 64) {
            let mut folded = filter.clone();
            match folded.fold(factor) {
                Ok(()) => {}
                // No rate is left.
                Err(Error::Parameter { .. }) => continue,
                #[cfg(feature = "table")]
                Err(Error::TooManyCopies { .. }) => continue,
                Err(error) => panic!("{name}, {factor}: {error}"),
            }
            let (before, promised) =
                (filter.promised_false_positive_rate(), folded.promised_false_positive_rate());
            // A file holds a promise below 1, that of a full filter too.
            let found = folded.false_positive_rate().min(1.0 - f64::EPSILON);
            assert!(found <= promised && before <= promised, "{name}, {factor}: {promised:e}, at {found:e}");
            assert!(
                promised <= found.max(before) * 1.000_001,
                "{name}, {factor}: {promised:e}, at {found:e}"
            );
            broken += u64::from(promised > before);
        }
    }
    assert!(broken > 20, "{broken}");
}

/// A table at a rate holds that share of its fingerprints: after a fold it takes exactly that many
/// keys.
#[cfg(feature = "table")]
#[test]
fn a_table_takes_what_its_new_rate_allows() {
    use tepal::{OverCapacity, QuotientFilter};
    for count_bits in [0, 4] {
        let builder = QuotientFilter::builder().capacity(CAPACITY).count_bits(count_bits);
        let mut filter = builder.false_positive_rate(0.001).build_from(0..1000u32).unwrap();
        let factor = filter.shrink_to(0.01).unwrap();
        assert!(factor > 1);
        let most = (0.01 * filter.numbers() as f64) as u64;
        assert!(filter.capacity() == most && most > 1000, "{} of {most}", filter.capacity());
        filter.set_over_capacity(OverCapacity::Refuse).unwrap();
        let refused = (0..).find(|key: &u32| filter.insert(key).is_err()).unwrap();
        assert!(filter.distinct_numbers() == most && u64::from(refused) >= most);
    }
}

/// A table in which two keys may share a copy never becomes deletable: not by union, intersection,
/// fold or file.
#[cfg(feature = "table")]
#[test]
fn what_no_key_can_be_taken_from_gives_no_other_way() {
    use tepal::{AnyFilter, GrowingFilter, Opened, QuotientFilter, file::Format};
    let keys = 0..3000u32;
    let grown = |is_deletable| {
        let builder = GrowingFilter::builder().first(100).deletable(is_deletable);
        builder.build_from(keys.clone()).unwrap()
    };
    assert!(grown(true).union_with(&grown(false)).is_err() && grown(false).union_with(&grown(true)).is_err());
    let [with, without] = [true, false].map(|is_deletable| grown(is_deletable).freeze(0.05).unwrap());
    assert!(with.is_deletable() && !without.is_deletable());
    let check = |mut filter: QuotientFilter, is_deletable: bool, what: &str| {
        let file = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
        let AnyFilter::Quotient(read) = tepal::from_bytes(&file).unwrap().into_filter() else { panic!() };
        assert_eq!((filter.is_deletable(), read.is_deletable()), (is_deletable, is_deletable), "{what}");
        let before = filter.len();
        match filter.remove(&7u32) {
            Ok(true) => assert!(is_deletable && filter.len() == before - 1, "{what}"),
            Err(Error::NotPossible { .. }) => assert!(!is_deletable && filter.len() == before, "{what}"),
            other => panic!("{what}: {other:?}"),
        }
    };
    for (one, other, is_deletable) in [
        (&with, &with, true),
        (&with, &without, false),
        (&without, &with, false),
        (&without, &without, false),
    ] {
        let mut union = one.clone();
        union.set_over_capacity(tepal::OverCapacity::Ignore).unwrap();
        union.union_with(other).unwrap();
        check(union, is_deletable, "united");
        let mut both = one.clone();
        both.intersect_with(other).unwrap();
        check(both, is_deletable, "intersected");
    }
    for (filter, is_deletable) in [(&with, true), (&without, false)] {
        let mut folded = filter.clone();
        let factor = folded.fold_factors()[0];
        folded.fold(factor).unwrap();
        check(folded, is_deletable, "folded");
        let mut shrunk = filter.clone();
        shrunk.shrink_to(0.9).unwrap();
        check(shrunk, is_deletable, "shrunk");
        let mut fitted = filter.clone();
        fitted.shrink_to_fit().unwrap();
        check(fitted, is_deletable, "laid out");
    }
}
