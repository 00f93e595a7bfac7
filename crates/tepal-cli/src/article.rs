//! A filter of one of the five articles that tepal began from, in that article's own words, and its
//! rate as it is measured: their formulas take positions for independent that are not.

use serde::Serialize;
use tepal::{
    Opened, Scheme,
    facts::PartFacts,
    hash::{KeyHasher, Md5Split},
};

use crate::error::Failure;
use crate::measure::{SURE_95, between, random, wilson};
use crate::text::number::{count, rate};

/// How many random keys are asked for: 0.1 s of the slowest scheme.
const ASKED: u64 = 100_000;

/// What it is.
#[derive(Debug, Serialize)]
pub struct Article {
    /// Which of the five, and what it calls this filter.
    pub terms: String,
    /// Random keys that were asked for, and those of them that it holds.
    pub asked: u64,
    pub held: u64,
    /// The measured rate, and the interval that contains the true rate with a probability of 95 %.
    pub false_positive_rate: f64,
    pub false_positive_rate_low: f64,
    pub false_positive_rate_high: f64,
}

impl Article {
    /// Of a filter of an article's scheme.
    pub fn of(file: &Opened, parts: &[PartFacts], capacity: Option<u64>) -> Result<Option<Self>, Failure> {
        let terms = parts.first().and_then(|part| terms(&file.key_hasher(), part, capacity));
        let Some(terms) = terms else { return Ok(None) };
        let found = random(file, ASKED, 1)?;
        let (low, high) = wilson(found.held, found.keys, SURE_95);
        Ok(Some(Self {
            terms,
            asked: found.keys,
            held: found.held,
            false_positive_rate: found.held as f64 / found.keys as f64,
            false_positive_rate_low: low,
            false_positive_rate_high: high,
        }))
    }

    /// The measured rate in words.
    pub fn measured(&self) -> String {
        let between = between(self.false_positive_rate_low, self.false_positive_rate_high);
        let asked = format!("{} of {} random keys", count(self.held), count(self.asked));
        match self.held {
            0 => format!("{asked}: {between} (95 % sure)"),
            _ => format!("{asked}: {} (95 % sure: {between})", rate(self.false_positive_rate)),
        }
    }
}

/// The article's own words for a filter of its scheme; nothing for any other.
fn terms(hasher: &KeyHasher, part: &PartFacts, capacity: Option<u64>) -> Option<String> {
    let (m, k) = (part.bit_len, part.num_hashes);
    let n = capacity.map_or(String::new(), |keys| format!(", n = {}", count(keys)));
    let size = format!("m = {}{n}, k = {k}", count(m));
    Some(match hasher.scheme() {
        Scheme::Md5Presets => format!("first article: {}, {size}", preset(m, k, capacity?)),
        Scheme::Md5Split => {
            format!(
                "second article: {size}, g = h1 + i·h2 of the halves of MD5, {}",
                reading(hasher.md5_split()?)
            )
        }
        Scheme::Bkdr7 => {
            format!(
                "third article: 2<<24 bits{n}, one function for each of the seeds 5, 7, 11, 13, 31, 37, 61"
            )
        }
        Scheme::FnvCrc => format!("fourth article: {size}, FNV-1a + i·CRC-32 for i = 0, 1, 2"),
        Scheme::Sha384 => {
            format!("fifth article: 2^{} bits{n}, the {k} words of one SHA-384 digest", m.ilog2())
        }
        _ => return None,
    })
}

/// The name of a preset and its bits a key.
fn preset(m: u64, k: u32, n: u64) -> String {
    // The third is the sum that the article computes.
    let presets = [("High", "10 %", 4.8, 3), ("Middle", "1 %", 9.6, 7), ("Low", "0.1 %", 9.6 + 4.8, 10)];
    let is_it = |(_, _, c, of): &&(&str, &str, f64, u32)| (n as f64 * c).ceil() as u64 == m && k == *of;
    match presets.iter().find(is_it) {
        Some((name, rate, c, _)) => format!("preset {name} ({rate}), c = {c:.1}"),
        None => format!("no preset, c = {:.2}", m as f64 / n as f64),
    }
}

/// How the digest becomes positions, and the flag that says it.
fn reading(rule: Md5Split) -> String {
    let Md5Split { little_endian, from_zero, wrapping } = rule;
    let (order, flag_order) = if little_endian { ("little", "le") } else { ("big", "be") };
    let (from, flag_from) = if from_zero { ("0 to k-1", "i0") } else { ("1 to k", "i1") };
    let (sum, flag_sum) = if wrapping { ("modulo 2^64", "wrap") } else { ("in full", "exact") };
    format!("{order}-endian, i from {from}, {sum} (--md5-split {flag_order},{flag_from},{flag_sum})")
}
