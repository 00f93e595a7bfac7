//! The clock of a filter whose keys expire: a time in the future that was told by mistake is
//! mended by `set_clock` and forgotten by `clear`, and no key is lost.

use tepal::{AnyFilter, Error, ExpiringFilter, MutableFilter, Opened, file::Format};

/// Milliseconds where seconds are meant.
const WRONG: u64 = 1_790_000_000_000;
const NOW: u64 = 1_790_000_000;

fn filter() -> ExpiringFilter {
    ExpiringFilter::builder().capacity(1000).window_of_time(600).build().unwrap()
}

fn from_file(filter: &ExpiringFilter) -> Opened {
    let bytes = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    tepal::from_bytes(&bytes).unwrap()
}

/// The filter after it was saved and opened.
fn saved(filter: &ExpiringFilter) -> ExpiringFilter {
    let AnyFilter::Expiring(saved) = from_file(filter).into_filter() else { panic!() };
    saved
}

/// A filter with keys of several generations, and a time in the future.
fn spoiled() -> ExpiringFilter {
    let mut filter = filter();
    filter.advance_to(WRONG).unwrap();
    for i in 0..900u32 {
        filter.insert_at(&i, WRONG + u64::from(i / 2)).unwrap();
    }
    filter
}

#[test]
fn a_clock_that_is_set_back_loses_no_key_and_expires_them_again() {
    let spoiled = spoiled();
    let members: Vec<u32> = (0..900).collect();
    let check = |name: &str, mut filter: ExpiringFilter| {
        assert_eq!((filter.now(), filter.keys_inserted()), (Some(NOW), Some(900)), "{name}");
        assert!(members.iter().all(|key| filter.age_estimate(key) == Some(0)), "{name}");
        assert!(saved(&filter) == filter, "{name}");
        filter.advance_to(NOW + 600).unwrap();
        assert!(filter.contains_many(&members).iter().all(|held| *held), "{name}");
        filter.advance_to(NOW + 700).unwrap();
        assert!(filter.is_empty() && !filter.contains(&5u32), "{name}");
        filter.insert("new").unwrap();
        assert!(from_file(&filter).contains("new"), "{name}");
    };
    let mut own = spoiled.clone();
    own.set_clock(NOW).unwrap();
    check("the filter", own);
    let mut file = from_file(&spoiled);
    file.set_clock(NOW).unwrap();
    let AnyFilter::Expiring(opened) = file.into_filter() else { panic!() };
    check("a file", opened);
    let mut object: Box<dyn MutableFilter> = Box::new(AnyFilter::from(spoiled.clone()));
    object.set_clock(NOW).unwrap();
    assert_eq!(object.facts().window.unwrap().now, Some(NOW));
    // An earlier time that is only told changes nothing, as before.
    let mut told = spoiled.clone();
    assert_eq!(told.advance_to(NOW).unwrap(), 0);
    assert!(told == spoiled);
}

/// Every step of a second in two windows, forward and back.
#[test]
fn any_time_can_be_set() {
    for (start, to) in [(1000, 0), (1000, 1), (1000, 999), (1000, 400), (59, 7), (u64::MAX, 3)] {
        let mut filter = ExpiringFilter::builder().capacity(20).window_of_time(60).build().unwrap();
        filter.insert_at("early", start - 35).unwrap();
        filter.insert_at("late", start).unwrap();
        filter.set_clock(to).unwrap();
        for after in 0..130 {
            let held = filter.contains_at("early", to + after);
            assert_eq!(held, filter.contains_at("late", to + after), "{start} {to} {after}");
            assert!(held || after >= 60, "{start} {to}: lost after {after}");
            assert!(!held || after < 70, "{start} {to}: kept after {after}");
        }
        assert!(saved(&filter) == filter, "{start} {to}");
    }
}

#[test]
fn a_later_time_is_told_as_ever() {
    let mut set = filter();
    set.insert("before").unwrap();
    let mut told = set.clone();
    for time in [NOW, NOW, NOW + 70, NOW + 640, NOW + 5000] {
        set.set_clock(time).unwrap();
        told.advance_to(time).unwrap();
        assert!(set == told, "{time}");
        set.insert(&time).unwrap();
        told.insert(&time).unwrap();
    }
    assert!(!set.contains("before"));
}

#[test]
fn a_cleared_filter_forgets_the_time() {
    let mut filter = spoiled();
    filter.clear().unwrap();
    assert_eq!((filter.now(), filter.keys_inserted(), filter.is_empty()), (None, Some(0), true));
    assert!(filter == self::filter() && saved(&filter) == filter);
    filter.insert("key").unwrap();
    assert!(filter.contains_at("key", NOW));
    filter.advance_to(NOW).unwrap();
    assert_eq!((filter.now(), filter.age_estimate("key")), (Some(NOW), Some(0)));
    assert!(!filter.contains_at("key", NOW + 700));
}

#[test]
fn a_clock_of_keys_cannot_be_set_and_starts_again_when_cleared() {
    let mut last = ExpiringFilter::builder().window_of_keys(100).build().unwrap();
    last.insert_many(&(0..250u32).collect::<Vec<_>>()).unwrap();
    let before = last.clone();
    assert!(matches!(last.set_clock(7), Err(Error::NotPossible { .. })));
    assert!(last == before && last.now() == Some(250));
    last.clear().unwrap();
    assert_eq!((last.now(), last.keys_inserted()), (Some(0), Some(0)));
}

/// A run in which no key comes or goes still moves the clock, also within a generation.
#[test]
fn time_alone_changes_the_file() {
    let mut filter = filter();
    filter.insert_at("key", NOW).unwrap();
    let bytes =
        |filter: &ExpiringFilter| Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    for later in [1, 99, 100, 599] {
        let before = bytes(&filter);
        filter.advance_to(NOW + later).unwrap();
        assert!(bytes(&filter) != before && saved(&filter).now() == Some(NOW + later), "{later}");
        assert!(saved(&filter).contains("key"), "{later}");
    }
    // The edge of the window and of the generation after it.
    assert!(filter.contains_at("key", NOW + 600) && filter.contains_at("key", NOW + 699));
    assert!(!filter.contains_at("key", NOW + 700));
    assert_eq!(filter.advance_to(NOW + 699).unwrap(), 1);
    assert!(filter.contains("key"));
    filter.advance_to(NOW + 700).unwrap();
    assert!(!filter.contains("key"));
}
