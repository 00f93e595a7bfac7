//! What time it is, for filters whose keys expire.

use std::time::{SystemTime, UNIX_EPOCH};

use tepal::{AnyFilter, Error, ExpiringFilter, Opened, facts::Window};

use crate::args::span;
use crate::error::Failure;
use crate::output::complain;

/// A clock of seconds since 1970 says this or more: that was in 2001.
const LEAST: u64 = 1_000_000_000;
/// It says less than this, a time in the year 5138. In milliseconds this was in 1973.
const MOST: u64 = 100_000_000_000;

/// Whether a time can be one in seconds since 1970. A clock in another unit is not judged.
pub fn is_seconds(time: u64) -> bool {
    (LEAST..MOST).contains(&time)
}

/// Seconds since 1970, by the system's clock.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Refuses to make a window by a clock that was not set: it would be wrong from then on.
pub fn check_set() -> Result<(), Failure> {
    check_set_at(now())
}

fn check_set_at(now: u64) -> Result<(), Failure> {
    match is_seconds(now) {
        true => Ok(()),
        false => Err(Failure::new(format!(
            "this machine's clock says {now} seconds since 1970, a time before 2001 or after 5137, and a window of time begins by it; \
             set the clock first"
        ))),
    }
}

/// Seconds by which the clock of a filter with a window of time is ahead of this machine's, if
/// these are more than a generation. A clock in another unit is not judged.
pub fn ahead(filter: &ExpiringFilter, now: u64) -> Option<u64> {
    let (Window::Time(length), Some(told)) = (filter.window(), filter.now()) else { return None };
    let generation = length.div_ceil(u64::from(filter.generations()).max(1));
    let ahead = told.checked_sub(now).filter(|ahead| *ahead > generation)?;
    (is_seconds(told) && is_seconds(now)).then_some(ahead)
}

/// Warns of a clock that is ahead of this machine's.
pub fn warn_ahead(name: &str, filter: &ExpiringFilter) {
    if let Some(seconds) = ahead(filter, now()) {
        complain(&format!(
            "{name}: ! its clock is {} ahead of this machine's, and until then no key expires; set the clock that is wrong \
             (of the filter: tepal add {name} --set-clock)",
            span(seconds)
        ));
    }
}

/// Refuses a filter whose clock is ahead of this machine's, where its time would go into another
/// file and end the windows of other keys.
pub fn refuse_ahead(name: &str, filter: &AnyFilter) -> Result<(), Failure> {
    match filter.as_timed().and_then(|filter| ahead(filter, now())) {
        None => Ok(()),
        Some(seconds) => Err(Failure::at(
            name,
            format!(
                "its clock is {} ahead of this machine's, and no key would expire until then; set the clock that is wrong (of the \
                 filter: tepal add {name} --set-clock)",
                span(seconds)
            ),
        )),
    }
}

/// Sets the clock of a filter to the time now. If it was ahead, its keys came now, and it gives the
/// seconds.
pub fn set(name: &str, file: &mut Opened) -> Result<Option<u64>, Failure> {
    let refuse = |text: &str| Err(Failure::at(name, text));
    let told = match file.filter().as_timed().map(|filter| (filter.window(), filter.now())) {
        Some((Window::Time(_), told)) => told,
        _ => return refuse("--set-clock is given, and this filter has no clock; leave it out"),
    };
    check_set()?;
    let now = now();
    if let Some(told) = told.filter(|told| !is_seconds(*told)) {
        let text = format!(
            "its clock says {told}, which is no time in seconds since 1970; set it with the library (set_clock)"
        );
        return refuse(&text);
    }
    file.set_clock(now).map_err(|error| Failure::at(name, error))?;
    Ok(told.and_then(|told| told.checked_sub(now)).filter(|seconds| *seconds > 0))
}

/// Tells an expiring filter the time, so that it forgets whom it should; others have none. One that
/// was told no time yet is told it where keys go `in`, for they come now.
pub fn tell(name: &str, file: &mut Opened, keys_go_in: bool) -> Result<(), Failure> {
    let Some(filter) = file.filter().as_timed() else { return Ok(()) };
    match (filter.window(), filter.now()) {
        (Window::Time(_), None) if !keys_go_in => Ok(()),
        // Told the seconds, it would forget everybody.
        (Window::Time(_), Some(told)) if !is_seconds(told) => {
            complain(&format!(
                "{name}: its clock says {told}, which is no time in seconds since 1970, so nothing expires here; tell it the time with \
                 the library (advance_to)"
            ));
            Ok(())
        }
        (Window::Time(_), told) => {
            if told.is_none() {
                check_set()?;
            }
            warn_ahead(name, filter);
            file.advance_to(now()).map(drop).map_err(|error| Failure::at(name, error))
        }
        _ => Ok(()),
    }
}

/// How many different keys of `held`, which the file has, are still in an expiring filter now;
/// nothing of what forgets none. The filter itself is told no time.
pub fn still_in(filter: &AnyFilter, held: f64) -> Result<Option<f64>, Error> {
    let Some(timed) = filter.as_timed() else { return Ok(None) };
    let now = now();
    // Where no key can have gone, nothing is copied.
    if next_turn(filter).is_none_or(|next| now < next) {
        return Ok(Some(held));
    }
    let mut later = AnyFilter::from(timed.clone());
    later.advance_to(now)?;
    Ok(Some(later.estimated_len()))
}

/// When a filter has to be told the time again, since keys go then; nothing of one that is told
/// none.
pub fn next_turn(filter: &AnyFilter) -> Option<u64> {
    let filter = filter.as_timed()?;
    let (Window::Time(length), Some(told)) = (filter.window(), filter.now()) else { return None };
    if !is_seconds(told) {
        return None;
    }
    let (told, length, generations) =
        (u128::from(told), u128::from(length), u128::from(filter.generations()));
    let next = (told * generations / length + 1) * length;
    u64::try_from(next.div_ceil(generations)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_not_set_begins_no_window() {
        for now in [0, 86_400, LEAST - 1, MOST] {
            assert!(check_set_at(now).is_err(), "{now}");
        }
        for now in [LEAST, 1_764_000_000, MOST - 1] {
            assert!(check_set_at(now).is_ok(), "{now}");
        }
        assert!(check_set().is_ok(), "the clock of this machine is not set");
    }

    #[test]
    fn only_a_clock_of_seconds_is_ahead() {
        let now = 1_764_000_000;
        let told = |time: u64| {
            let mut filter =
                ExpiringFilter::builder().capacity(10).window_of_time(600).generations(6).build().unwrap();
            filter.advance_to(time).unwrap();
            filter
        };
        for (time, expected) in [
            (now - 5, None),
            (now, None),
            (now + 100, None),
            (now + 101, Some(101)),
            (now + 86_400, Some(86_400)),
            // Ticks, milliseconds, nanoseconds.
            (1000, None),
            (now * 1000, None),
            (now * 1_000_000_000, None),
        ] {
            assert_eq!(ahead(&told(time), now), expected, "{time}");
        }
        // This machine's is not set: nobody knows which is wrong.
        assert_eq!(ahead(&told(now), 1000), None);
    }

    #[test]
    fn the_next_turn_is_the_first_time_that_turns() {
        let of = |window, generations| {
            ExpiringFilter::builder()
                .capacity(10)
                .window_of_time(window)
                .generations(generations)
                .build()
                .unwrap()
        };
        for (window, generations) in [(60, 6), (61, 6), (7, 7), (100, 3), (7 * 86_400, 6)] {
            for told in [LEAST, LEAST + 1, LEAST + 59, 1_764_000_007] {
                let mut filter = of(window, generations);
                filter.advance_to(told).unwrap();
                let next = next_turn(&filter.clone().into()).unwrap();
                assert!(next > told && filter.clone().advance_to(next).unwrap() == 1, "{window} {told}");
                assert_eq!(filter.advance_to(next - 1).unwrap(), 0, "{window} {told}");
            }
        }
        let mut minutes = of(60, 6);
        assert_eq!(next_turn(&minutes.clone().into()), None);
        minutes.advance_to(29_800_000).unwrap();
        assert_eq!(next_turn(&minutes.into()), None);
        let keys = ExpiringFilter::builder().window_of_keys(10).build().unwrap();
        assert_eq!(next_turn(&keys.into()), None);
    }
}
