//! In which encoding does a filter hold its members? Where the file does not say it, all that its
//! program has are tried.

use serde::Serialize;
use tepal::{
    AnyFilter, KeyDomain, Opened,
    hash::{KeyHasher, PreparedKeys},
};

use crate::error::Failure;
use crate::input::pages::{Keys, Page};
use crate::input::pipeline::{Flow, Refused, Sink, Work};
use crate::measure::Tally;
use crate::text::number::count;

/// What came of one encoding.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// Its name, as `--keys` takes it.
    key_domain: &'static str,
    /// Members that the filter holds in it.
    held: u64,
    /// Members that are no keys in it.
    refused: u64,
}

/// Every encoding, with what came of it.
#[derive(Debug)]
pub struct All {
    domains: &'static [KeyDomain],
    hashers: Vec<KeyHasher>,
    keys: u64,
    tried: Vec<Tried>,
}

impl All {
    /// The encodings that the filter's format has.
    pub fn of(file: &mut Opened) -> Result<Self, Failure> {
        let domains = file.format().key_domains();
        let mut all = Self { domains, hashers: Vec::new(), keys: 0, tried: Vec::new() };
        for domain in domains {
            file.set_key_domain(*domain)?;
            all.hashers.push(file.key_hasher());
            all.tried.push(Tried { key_domain: domain.name(), held: 0, refused: 0 });
        }
        Ok(all)
    }

    /// The work of asking a filter in all of them.
    pub fn work<'a>(&self, filter: &'a AnyFilter) -> TryAll<'a> {
        TryAll { filter, hashers: self.hashers.clone() }
    }

    /// The one in which most members are held, of equal ones the most usual; and what came of it.
    pub fn best(&self) -> (KeyDomain, Tally) {
        let most = self.tried.iter().map(|tried| tried.held).max().unwrap_or(0);
        let best = self.tried.iter().position(|tried| tried.held == most).unwrap_or(0);
        (self.domains[best], Tally { keys: self.keys, held: most, ..Tally::default() })
    }

    /// For `--json`.
    pub fn tried(&self) -> &[Tried] {
        &self.tried
    }

    /// The lines about it under that of the members; none where nobody has to know.
    pub fn report(&self) -> String {
        let (best, Tally { keys, held, .. }) = self.best();
        let as_good: Vec<_> = self.tried.iter().filter(|tried| tried.held == held).collect();
        if keys == 0 || (held == keys && best == KeyDomain::Bytes && as_good.len() == 1) {
            return String::new();
        }
        let each = |tried: &Tried| {
            let no_keys = match tried.refused {
                0 => String::new(),
                refused => format!(" ({} are no such keys)", count(refused)),
            };
            format!("{} {}{no_keys}", tried.key_domain, count(tried.held))
        };
        let all: Vec<String> = self.tried.iter().map(each).collect();
        let refused = as_good.first().map_or(0, |tried| tried.refused);
        let advice = match (held + refused == keys && held > 0, as_good.as_slice()) {
            (true, [one]) if refused > 0 => format!(
                "{} holds all that are such keys, and {} of the list are none",
                one.key_domain,
                count(refused)
            ),
            (false, _) => {
                "in none of them are all members held: another list, another filter, or keys that were \
                           changed before they were put in"
                    .to_owned()
            }
            (true, [_]) => format!("the file does not say how keys become bytes: use it with --keys {best}"),
            (true, several) => {
                let names: Vec<_> = several.iter().map(|tried| tried.key_domain).collect();
                format!("{} hold all of them, so more members are needed to tell", names.join(" and "))
            }
        };
        format!("              held in each encoding: {}\n            ! {advice}\n", all.join(", "))
    }
}

/// Asks a filter for the keys of records, in every encoding.
pub struct TryAll<'a> {
    filter: &'a AnyFilter,
    hashers: Vec<KeyHasher>,
}

/// What came of some records.
#[derive(Default)]
pub struct Found {
    keys: u64,
    /// Held and refused, of each encoding.
    counts: Vec<(u64, u64)>,
}

impl Work for TryAll<'_> {
    type Tools = (PreparedKeys, Vec<bool>);
    type Results = Found;

    fn tools(&self) -> Self::Tools {
        Default::default()
    }

    fn clear(found: &mut Found) {
        found.keys = 0;
        found.counts.clear();
    }

    fn work(
        &self,
        (prepared, answers): &mut Self::Tools,
        keys: &mut Keys<'_>,
        found: &mut Found,
    ) -> Result<(), Refused> {
        found.counts.resize(self.hashers.len(), (0, 0));
        let (mut first, mut keys_here) = (true, 0);
        for (hasher, (held, refused)) in self.hashers.iter().zip(&mut found.counts) {
            prepared.clear();
            let mut no_keys = 0;
            for record in 0..keys.batch.len() {
                match keys.key(record) {
                    Ok(Some(key)) => no_keys += u64::from(hasher.prepare(key, prepared).is_err()),
                    Ok(None) => {}
                    // Each encoding finds the same.
                    Err(text) if first => keys.bad.push(record, text)?,
                    Err(_) => {}
                }
            }
            first = false;
            answers.clear();
            answers.resize(prepared.len(), false);
            self.filter.contains_prepared(prepared, answers);
            *held += answers.iter().filter(|held| **held).count() as u64;
            *refused += no_keys;
            keys_here = no_keys + prepared.len() as u64;
        }
        found.keys += keys_here;
        Ok(())
    }
}

impl Sink<Found> for All {
    fn take(&mut self, _page: &mut Page<'_>, found: &Found) -> Result<Flow, Failure> {
        self.keys += found.keys;
        for (tried, (held, refused)) in self.tried.iter_mut().zip(&found.counts) {
            tried.held += held;
            tried.refused += refused;
        }
        Ok(Flow::Continue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_of_each_is_told_where_it_matters() {
        let told = |keys, held: [u64; 3]| {
            let domains = &[KeyDomain::Bytes, KeyDomain::Integer, KeyDomain::Hex];
            let tried =
                |(domain, held): (&KeyDomain, u64)| Tried { key_domain: domain.name(), held, refused: 0 };
            let tried = domains.iter().zip(held).map(tried).collect();
            All { domains, hashers: Vec::new(), keys, tried }
        };
        assert_eq!(told(0, [0, 0, 0]).report(), "");
        assert_eq!(told(100, [100, 1, 0]).report(), "");
        let all = told(100, [1, 100, 0]);
        assert_eq!((all.best().0, all.best().1.held), (KeyDomain::Integer, 100));
        let text = all.report();
        assert!(
            text.contains("bytes 1, int64 100, hex 0\n") && text.ends_with("use it with --keys int64\n"),
            "{text}"
        );
        let all = told(2, [2, 2, 0]);
        assert_eq!(all.best().0, KeyDomain::Bytes);
        assert!(all.report().contains("bytes and int64 hold all of them, so more members are needed"));
        let text = told(100, [1, 99, 0]).report();
        assert!(text.contains("in none of them are all members held"), "{text}");
    }
}
