//! What `tepal uniq --window` has seen: a filter whose keys expire.

use tepal::{
    Error, ExpiringFilter, OverCapacity, SecretKey,
    facts::{Labels, Window},
    hash::PreparedKeys,
};

use super::seen::{PURPOSE, RATE, failure};
use crate::args::{UniqArgs, span};
use crate::clock;
use crate::error::Failure;
use crate::rows::Origin;
use crate::text::number;

/// The different keys of a window of time where `-n` does not say how many.
const KEYS: u64 = 1 << 20;

/// The generations of a window. A shorter one has fewer.
const GENERATIONS: u64 = 6;

/// The keys that were seen within the last window.
pub struct Recent {
    filter: ExpiringFilter,
    counts: Counts,
}

/// What is counted beside the filter.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    /// How many keys were new and are not remembered, since the window is full.
    forgotten: u64,
    /// About how many new keys were taken for seen.
    wrongly_held: f64,
}

impl Counts {
    /// The same, with the filter.
    pub fn with(self, filter: ExpiringFilter) -> Recent {
        Recent { filter, counts: self }
    }
}

/// An empty filter with the window of the flags.
pub fn empty(
    args: &UniqArgs,
    window: Window,
    secret: Option<&SecretKey>,
    rows: Origin,
) -> Result<ExpiringFilter, Failure> {
    let builder = ExpiringFilter::builder()
        .false_positive_rate(args.fpr.unwrap_or(RATE))
        .recipe(args.recipe.recipe())
        .labels(rows.label(Labels::new()))
        .over_capacity(OverCapacity::Refuse);
    let (builder, length) = match window {
        Window::Keys(keys) => (builder.window_of_keys(keys), keys),
        Window::Time(length) => {
            clock::check_set()?;
            (builder.window_of_time(length).capacity(args.capacity.unwrap_or(KEYS)), length)
        }
        // No flag says another.
        _ => (builder, 1),
    };
    // A generation is at least a second, or a key.
    let builder = builder.generations(length.clamp(1, GENERATIONS) as u8);
    let builder = match secret {
        Some(key) => builder.secret_key(key.clone()),
        None => builder.seed_for(PURPOSE),
    };
    Ok(builder.build()?)
}

impl Recent {
    /// Keys that were seen before, forgotten up to now.
    pub fn new(name: &str, filter: ExpiringFilter) -> Result<Self, Failure> {
        if let (Window::Time(_), Some(told)) =
            (filter.window(), filter.now().filter(|told| !clock::is_seconds(*told)))
        {
            let text = format!(
                "its clock says {told}, which is no time in seconds since 1970, so that its window cannot be kept here; name another state"
            );
            return Err(Failure::at(name, text));
        }
        clock::warn_ahead(name, &filter);
        let mut recent = Self { filter, counts: Counts::default() };
        recent.forget()?;
        Ok(recent)
    }

    /// Forgets what came before the window.
    fn forget(&mut self) -> Result<(), Failure> {
        match self.filter.window() {
            Window::Time(_) => Ok(self.filter.advance_to(clock::now()).map(drop)?),
            _ => Ok(()),
        }
    }

    /// The filter.
    pub fn filter(&self) -> &ExpiringFilter {
        &self.filter
    }

    /// The filter, to be saved, and what is counted beside it.
    pub fn into_parts(self) -> (ExpiringFilter, Counts) {
        (self.filter, self.counts)
    }

    /// How many keys were new and are not remembered.
    pub fn forgotten(&self) -> u64 {
        self.counts.forgotten
    }

    /// About how many new keys were taken for seen.
    pub fn wrongly_held(&self) -> f64 {
        self.counts.wrongly_held
    }

    /// Sees keys, which come now, and says of each whether it is new. A new key that has no room is
    /// new each time.
    pub fn note(&mut self, keys: &PreparedKeys, is_new: &mut [bool]) -> Result<(), Failure> {
        self.forget()?;
        let rate = self.filter.false_positive_rate();
        for (hash, is_new) in keys.hashes().unwrap_or_default().iter().zip(is_new) {
            *is_new = match self.filter.insert_hash(*hash) {
                Err(Error::CapacityReached { .. }) => {
                    self.counts.forgotten += 1;
                    true
                }
                noted => noted.map_err(failure)?,
            };
            self.counts.wrongly_held += if *is_new { rate } else { 0.0 };
        }
        Ok(())
    }

    /// The failure of a run in which keys were not remembered.
    pub fn full(&self, name: &str, then: &str) -> Failure {
        let keys = number::counted(self.counts.forgotten, "new key");
        let are = if self.counts.forgotten == 1 { "is" } else { "are" };
        Failure::at(
            name,
            format!(
                "{keys} {are} not remembered, {then}: a window has room for {}. Make another state with more keys for each window (-n)",
                number::counted(self.filter.capacity(), "different key"),
            ),
        )
    }
}

/// Why a state with this window is not the one that the flags want; nothing where it is.
pub fn differs(args: &UniqArgs, filter: &ExpiringFilter) -> Option<String> {
    let here = filter.window();
    if let Some(asked) = args.window.filter(|asked| *asked != here) {
        return Some(format!(
            "made for --window {}, not {}; leave --window out, or name another state",
            told(here),
            told(asked)
        ));
    }
    let (here, asked) = (filter.capacity(), args.capacity?);
    (here != asked).then(|| {
        format!(
            "made for {} in a window, not {}; leave -n out, or name another state",
            number::counted(here, "different key"),
            number::count(asked)
        )
    })
}

/// The window in words.
fn told(window: Window) -> String {
    match window {
        Window::Keys(keys) => number::counted(keys, "key"),
        Window::Time(length) => span(length),
        _ => "none".to_owned(),
    }
}
