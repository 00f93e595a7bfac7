//! What is measured: which keys, how many, at which rate.

use crate::keys::Kind;

/// One table of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) group: Group,
    pub(crate) keys: usize,
    pub(crate) rate: f64,
}

/// Who competes in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// One thread each, on keys of this kind.
    Alone(Kind),
    /// Filters that threads share, on hashed keys.
    Shared,
}

/// Each filter gets at least this many questions for the rate.
const FEWEST_QUESTIONS: f64 = 2e6;
/// And at most this many: at 2^-16 about 980 of them are answered wrongly.
const MOST_QUESTIONS: f64 = 6.4e7;
/// So many wrong answers are wanted: their standard deviation is 0.7 % of them.
const WRONG_ANSWERS: f64 = 20_000.0;

/// The table of shared filters: filled by more than one thread at a time.
const SHARED: Case = Case { group: Group::Shared, keys: 5_000_000, rate: 0.01 };

/// The table of `--large`.
pub(crate) const LARGE: Case = Case { group: Group::Alone(Kind::Hashed), keys: 100_000_000, rate: 0.01 };

impl Case {
    /// Rounds over all rows: fewer if a round takes a minute.
    pub(crate) fn rounds(&self) -> usize {
        if self.keys > 40_000_000 { 3 } else { 7 }
    }

    /// Absent keys asked for the false-positive rate.
    pub(crate) fn questions(&self) -> u64 {
        (WRONG_ANSWERS / self.rate).clamp(FEWEST_QUESTIONS, MOST_QUESTIONS) as u64
    }

    /// Wrong answers of a filter that has the wanted rate exactly.
    pub(crate) fn wrong_expected(&self) -> f64 {
        self.questions() as f64 * self.rate
    }

    /// Keys and rate.
    pub(crate) fn short(&self) -> String {
        format!("{:e} keys at {}", self.keys, rate_name(self.rate))
    }

    /// What stands above the table.
    pub(crate) fn title(&self) -> String {
        let about = match self.group {
            Group::Alone(kind) => kind.title(),
            Group::Shared => "filters that threads share, on hashed keys",
        };
        format!("{}: {about}", self.short())
    }
}

/// The cases of a run. Keys that each library hashes by itself differ from hashed ones in the hash
/// alone, so they are left out where they would only cost time: all of them below 0.1 %, the URLs
/// at all rates but the first.
pub(crate) fn cases(keys: &[usize], rates: &[f64], kinds: &[Kind]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &keys in keys {
        for (i, &rate) in rates.iter().enumerate() {
            for &kind in kinds {
                let wanted = match kind {
                    Kind::Hashed => true,
                    Kind::Ids => i == 0 || rate >= 0.001,
                    Kind::Urls => i == 0,
                };
                if wanted {
                    cases.push(Case { group: Group::Alone(kind), keys, rate });
                }
            }
        }
    }
    if kinds.contains(&Kind::Hashed) {
        cases.push(SHARED);
    }
    cases
}

/// A wanted rate as people write it: `1 %`, or `2^-16`.
pub(crate) fn rate_name(rate: f64) -> String {
    let power = -rate.log2();
    if power.fract() == 0.0 && power > 7.0 { format!("2^-{power}") } else { format!("{} %", 100.0 * rate) }
}
