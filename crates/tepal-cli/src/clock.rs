//! What time it is, for filters whose keys expire.

use std::time::{SystemTime, UNIX_EPOCH};

use tepal::{AnyFilter, Error, Opened, facts::Window};

use crate::error::Failure;
use crate::output::complain;

/// A clock of seconds since 1970 says this or more: that was in 2001.
pub const LEAST: u64 = 1_000_000_000;

/// Seconds since 1970, by the system's clock.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Tells an expiring filter the time, so that it forgets whom it should; others have none. One that
/// was told no time yet is told it where keys go `in`, for they come now.
pub fn tell(name: &str, file: &mut Opened, keys_go_in: bool) -> Result<(), Failure> {
    let Some(filter) = file.filter().as_timed() else { return Ok(()) };
    match (filter.window(), filter.now()) {
        (Window::Time(_), None) if !keys_go_in => Ok(()),
        // Told the seconds, it would forget everybody.
        (Window::Time(_), Some(told)) if told < LEAST => {
            complain(&format!(
                "{name}: its clock says {told}, which is no time in seconds since 1970, so nothing expires here; tell it the time with \
                 the library (advance_to)"
            ));
            Ok(())
        }
        (Window::Time(_), _) => file.advance_to(now()).map(drop).map_err(|error| Failure::at(name, error)),
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
    if told < LEAST {
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
    use tepal::ExpiringFilter;

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
