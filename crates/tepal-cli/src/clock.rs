//! What time it is, for filters whose keys expire.

use std::time::{SystemTime, UNIX_EPOCH};

use tepal::{AnyFilter, Opened, Window};

use crate::error::Failure;
use crate::output::complain;

/// A clock of seconds since 1970 says more: that was in 2001.
const LEAST: u64 = 1_000_000_000;

/// Seconds since 1970, by the system's clock.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Tells an expiring filter the time, so that it forgets whom it should; others have none. One that was told no time yet is told it
/// where keys go `in`, for they come now.
pub fn tell(name: &str, file: &mut Opened, keys_go_in: bool) -> Result<(), Failure> {
    let AnyFilter::Expiring(filter) = file.filter() else { return Ok(()) };
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
