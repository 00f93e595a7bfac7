//! What `tepal info` says of a filter whose keys expire.

use std::cmp::Ordering;

use tepal::facts::{Window, WindowFacts};

use crate::args::span;
use crate::clock;
use crate::text::number::{count, counted};

/// How long it keeps keys.
pub fn text(of: WindowFacts) -> String {
    let generations = counted(of.generations.into(), "generation");
    match (of.window, of.now) {
        (Window::Keys(keys), now) => format!(
            "the last {}, in {generations}; {} came so far",
            counted(keys, "key"),
            count(now.unwrap_or(0))
        ),
        (Window::Time(length), None) => {
            format!("{}, in {generations}; it was told no time yet", span(length))
        }
        (Window::Time(length), Some(told)) => {
            format!("{}, in {generations}; {}", span(length), told_the_time(told, clock::now()))
        }
        _ => generations,
    }
}

/// The latest time that it was told, beside this machine's clock.
fn told_the_time(told: u64, now: u64) -> String {
    match told.cmp(&now) {
        _ if !clock::is_seconds(told) => {
            format!(
                "its clock says {}, which is no time in seconds since 1970, so no key expires",
                count(told)
            )
        }
        Ordering::Less => format!("it was told the time {} ago", span(now - told)),
        Ordering::Equal => "it was told the time now".to_owned(),
        Ordering::Greater => format!(
            "its clock is {} ahead of this machine's, and until then no key expires; set the clock that is wrong",
            span(told - now)
        ),
    }
}

/// How many keys came, how many different ones the file has, and how many of these are still in
/// now.
pub fn keys(came: u64, different: &str, still_in: Option<f64>) -> String {
    let came = format!("{} came, about {different} different ones are", count(came));
    let still_in = still_in.map(|keys| count(keys.round() as u64));
    match still_in.filter(|still_in| still_in != different) {
        None => format!("{came} in it"),
        Some(still_in) => format!("{came} in the file, of which about {still_in} are still in now"),
    }
}
