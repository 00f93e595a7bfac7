//! What a filter past its capacity says, once, if it was made with `over_capacity="warn"`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tepal::{Opened, OverCapacity, facts::Facts, file::Format};

use crate::picture::{percent, whole};

/// A filter that is past its number of keys, and not past its promise, is looked at again after
/// this share of its capacity: a look costs a pass over the bits.
const SHARE: u64 = 64;

/// Whether a filter has warned.
#[derive(Debug, Default)]
pub(crate) struct Over {
    has_warned: AtomicBool,
    /// How many keys it had when it was looked at.
    looked_at: AtomicU64,
}

impl Over {
    /// Whether the filter may be past its promise and has not said so. Costs nothing.
    #[inline]
    pub(crate) fn is_due(&self, opened: &Opened) -> bool {
        let warns = opened.filter().over_capacity() == OverCapacity::Warn;
        warns && !self.has_warned.load(Ordering::Relaxed) && self.is_time(opened)
    }

    fn is_time(&self, opened: &Opened) -> bool {
        let (filter, looked_at) = (opened.filter(), self.looked_at.load(Ordering::Relaxed));
        let (keys, capacity) = (filter.keys_inserted().unwrap_or(u64::MAX), filter.capacity());
        // Other programs' files have no policy, and some of them no plan.
        opened.format() == Format::Tepal
            && keys > capacity
            && keys.checked_sub(looked_at).is_none_or(|since| since > capacity / SHARE)
    }

    /// Looks whether the filter is past its promise. The text of its warning, the first time.
    pub(crate) fn look(&self, opened: &Opened) -> Option<String> {
        let filter = opened.filter();
        self.looked_at.store(filter.keys_inserted().unwrap_or(u64::MAX), Ordering::Relaxed);
        if !filter.is_over_capacity() || self.has_warned.swap(true, Ordering::Relaxed) {
            return None;
        }
        let (rate, promised) = (filter.false_positive_rate(), filter.promised_false_positive_rate());
        Some(text(filter.capacity(), rate, promised))
    }
}

/// The same among the warnings of `info`.
pub(crate) fn of_facts(facts: &Facts) -> Option<String> {
    let text = || text(facts.capacity, facts.false_positive_rate, facts.promised_false_positive_rate);
    facts.is_over_capacity.then(text)
}

fn text(capacity: u64, rate: f64, promised: f64) -> String {
    format!(
        "the filter holds more keys than the {} it was planned for: {} of other keys get True now, and {} \
         were promised; build it anew with a greater capacity=",
        whole(capacity),
        percent(rate),
        percent(promised)
    )
}
