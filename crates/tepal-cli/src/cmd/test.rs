//! `tepal test`: measures whether a filter keeps its promise.

mod encodings;

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;
use tepal::{Format, KeyDomain, Opened, PreparedKeys};

use crate::args::TestArgs;
use crate::error::{Failure, Outcome};
use crate::input::pages::{Inputs, PAGE, Page};
use crate::input::pipeline::{self, Flow, Sink, Work};
use crate::input::progress::Progress;
use crate::input::source::Source;
use crate::keys::{Answers, Ask, refusal};
use crate::open::open;
use crate::output::Stdout;
use crate::random::Random;
use crate::secrets::Secrets;
use crate::text::number::{count, four_digits, rate};
use encodings::{All, Tried};

/// How many random keys are asked for where no absent keys are given.
const RANDOM_KEYS: u64 = 1_000_000;
/// 95 % of all measurements are within so many standard errors.
const SURE_95: f64 = 1.96;
/// The promise counts as broken if the measurement is above it by more than so many standard errors. So a filter that
/// just keeps its promise fails one test in 2,000, not one in 40.
const BEYOND_DOUBT: f64 = 3.29;

/// What was measured; `--json` prints it.
#[derive(Serialize)]
struct Measured {
    /// Keys of `--members`, and for how many of them the filter says no.
    members: u64,
    members_missed: u64,
    /// How keys became bytes.
    key_domain: &'static str,
    /// Where the file does not say it and nobody else did: what came of every encoding.
    encodings: Option<Vec<Tried>>,
    /// Keys that are not in the filter, and for how many of them it says yes.
    absent: u64,
    absent_wrong: u64,
    /// Whether the absent keys are random.
    absent_random: bool,
    /// The measured rate, and the interval that contains the true rate with a probability of 95 %.
    false_positive_rate: f64,
    false_positive_rate_low: f64,
    false_positive_rate_high: f64,
    /// Null where the file records none.
    promised_false_positive_rate: Option<f64>,
    /// No member was missed, and the rate is not clearly above the promise.
    promise_kept: bool,
}

/// Runs the verb.
pub fn run(args: &TestArgs) -> Outcome {
    let secrets = Secrets::read(&args.keyed, args.quiet)?;
    let mut filter = open(&args.filter, args.file, &secrets)?;
    let is_told = filter.format() == Format::Tepal || args.file.encoding.is_some();
    let mut encodings = None;
    let members = match args.members.as_slice() {
        [] => Tally::default(),
        paths if is_told => asked(&filter, paths, args)?,
        paths => {
            let mut all = All::of(&mut filter)?;
            let work = all.work(filter.filter());
            run_through(paths, args, &work, &mut all)?;
            let (domain, members) = all.best();
            filter.set_key_domain(domain)?;
            encodings = Some(all);
            members
        }
    };
    let absent = match args.absent.as_slice() {
        [] => random(&filter, args.seed)?,
        paths => asked(&filter, paths, args)?,
    };
    let mut measured = measure(&filter, &members, &absent, args.absent.is_empty());
    measured.encodings = encodings.as_ref().map(|all| all.tried().to_vec());
    let mut stdout = Stdout::new();
    if args.json {
        stdout.document(&measured)?;
    } else if !args.quiet {
        stdout.write(report(&measured, encodings.as_ref()).as_bytes())?;
        // What random keys do not show.
        for warning in filter.filter().warnings() {
            stdout.write(format!("            ! {warning}\n").as_bytes())?;
        }
        stdout.flush()?;
    }
    Ok(if measured.promise_kept { 0 } else { 1 })
}

/// Counts of one list.
#[derive(Debug, Default)]
pub struct Tally {
    /// Keys in it.
    pub keys: u64,
    /// Those that the filter holds.
    pub held: u64,
}

impl Sink<Answers> for Tally {
    fn take(&mut self, _page: &mut Page<'_>, answers: &Answers) -> Result<Flow, Failure> {
        let held = answers.held.iter().filter(|&&held| held).count();
        // An empty row has no key, so it does not count.
        self.keys += (answers.held.len() - answers.keyless) as u64;
        self.held += held as u64;
        Ok(Flow::Continue)
    }
}

/// Asks for all keys of some lists.
fn asked(filter: &Opened, paths: &[PathBuf], args: &TestArgs) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    run_through(paths, args, &Ask { filters: std::slice::from_ref(filter) }, &mut tally)?;
    Ok(tally)
}

/// Does some work on all keys of some lists.
fn run_through<W: Work>(
    paths: &[PathBuf],
    args: &TestArgs,
    work: &W,
    sink: &mut dyn Sink<W::Results>,
) -> Result<(), Failure> {
    let sources = Source::list(paths);
    let progress = Progress::of(&sources, args.quiet || args.json);
    let mut inputs = Inputs::new(sources, args.keys.rules(), progress.clone(), args.keys.threads())?;
    pipeline::run(&mut inputs, work, sink)?;
    progress.clear();
    Ok(())
}

/// Asks for random keys of 128 bits, or fewer where keys are numbers. So few of them are on the list by chance that it
/// does not matter.
fn random(filter: &Opened, seed: u64) -> Result<Tally, Failure> {
    let hasher = filter.key_hasher();
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    let domain = filter.filter().key_domain();
    let (mut key, mut keys, mut held) = (Vec::new(), PreparedKeys::default(), [false; PAGE]);
    while tally.keys < RANDOM_KEYS {
        let wanted = (RANDOM_KEYS - tally.keys).min(PAGE as u64) as usize;
        keys.clear();
        for _ in 0..wanted {
            random_key(domain, &mut random, &mut key);
            hasher.prepare(&key, &mut keys).map_err(|error| Failure::new(refusal(&error)))?;
        }
        filter.filter().contains_prepared(&keys, &mut held[..wanted]);
        tally.keys += wanted as u64;
        tally.held += held[..wanted].iter().filter(|&&held| held).count() as u64;
    }
    Ok(tally)
}

/// Puts a random key of a domain in the place of `key`: bytes, or text.
fn random_key(domain: KeyDomain, random: &mut Random, key: &mut Vec<u8>) {
    let (high, low) = (random.next_u64(), random.next_u64());
    key.clear();
    let written = match domain {
        KeyDomain::Bytes => {
            key.write_all(&low.to_le_bytes()).and_then(|()| key.write_all(&high.to_le_bytes()))
        }
        KeyDomain::Integer => write!(key, "{high}"),
        KeyDomain::Integer32 => write!(key, "{}", high >> 32),
        // The highest bit of the exponent is 0, so the number is finite.
        KeyDomain::Float32 => write!(key, "{}", f32::from_bits((high >> 32) as u32 & 0xbfff_ffff)),
        KeyDomain::Float64 => write!(key, "{}", f64::from_bits(high & 0xbfff_ffff_ffff_ffff)),
        // Text, or hexadecimal.
        _ => write!(key, "{high:016x}{low:016x}"),
    };
    written.expect("a vector takes every byte");
}

fn measure(filter: &Opened, members: &Tally, absent: &Tally, made_up: bool) -> Measured {
    let is_on_record = filter.format().records_plan();
    let promised = is_on_record.then(|| filter.filter().promised_false_positive_rate());
    let (low, high) = wilson(absent.held, absent.keys, SURE_95);
    let (surely_above, _) = wilson(absent.held, absent.keys, BEYOND_DOUBT);
    let missed = members.keys - members.held;
    Measured {
        members: members.keys,
        members_missed: missed,
        key_domain: filter.filter().key_domain().name(),
        encodings: None,
        absent: absent.keys,
        absent_wrong: absent.held,
        absent_random: made_up,
        false_positive_rate: absent.held as f64 / absent.keys.max(1) as f64,
        false_positive_rate_low: low,
        false_positive_rate_high: high,
        promised_false_positive_rate: promised,
        promise_kept: missed == 0 && promised.is_none_or(|promised| surely_above <= promised),
    }
}

/// The interval for a share after `hits` of `trials` (Wilson, "Probable inference", 1927); 0 to 1 without trials.
pub fn wilson(hits: u64, trials: u64, z: f64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let n = trials as f64;
    let p = hits as f64 / n;
    let middle = p + z * z / (2.0 * n);
    let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + z * z / n;
    let low = if hits == 0 { 0.0 } else { ((middle - spread) / whole).max(0.0) };
    let high = if hits == trials { 1.0 } else { ((middle + spread) / whole).min(1.0) };
    (low, high)
}

fn report(measured: &Measured, encodings: Option<&All>) -> String {
    let mut text = String::new();
    if measured.members > 0 {
        let verdict = if measured.members_missed > 0 { "   BROKEN" } else { "" };
        text.push_str(&format!(
            "{:>13} members  {} missed{verdict}\n",
            count(measured.members),
            count(measured.members_missed)
        ));
        text.push_str(&encodings.map(All::report).unwrap_or_default());
    }
    let kind = if measured.absent_random { "random " } else { "others " };
    let broken = !measured.promise_kept && measured.members_missed == 0;
    text.push_str(&format!(
        "{:>13} {kind}  {} wrong: {} (95 % sure: {}), {}{}\n",
        count(measured.absent),
        count(measured.absent_wrong),
        rate(measured.false_positive_rate),
        between(measured.false_positive_rate_low, measured.false_positive_rate_high),
        match measured.promised_false_positive_rate {
            Some(promised) => format!("promised {}", rate(promised)),
            None => "no promise on record".to_owned(),
        },
        if broken { "   BROKEN" } else { "" },
    ));
    text
}

/// `1 in 94.9 to 96.1`, the higher rate first.
fn between(low: f64, high: f64) -> String {
    if low <= 0.0 {
        return format!("at most {}", rate(high));
    }
    let one_in = |rate: f64| match 1.0 / rate {
        many if many >= 99.95 => count(four_digits(many)),
        few => format!("{few:.1}"),
    };
    format!("1 in {} to {}", one_in(high), one_in(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_wilson() {
        let (low, high) = wilson(94_223, 8_999_446, SURE_95);
        assert!((1.0 / high - 94.9).abs() < 0.05 && (1.0 / low - 96.1).abs() < 0.05);
        assert_eq!(wilson(0, 0, SURE_95), (0.0, 1.0));
        assert_eq!(wilson(0, 10, SURE_95).0, 0.0);
        assert_eq!(wilson(10, 10, SURE_95).1, 1.0);
        // 1 of 10: the textbook gives 0.018 to 0.404.
        let (low, high) = wilson(1, 10, SURE_95);
        assert!((low - 0.0179).abs() < 1e-3 && (high - 0.4042).abs() < 1e-3);
        assert_eq!(between(low, high), "1 in 2.5 to 55.9");
        assert_eq!(between(0.0, 0.25), "at most 1 in 4");
        assert_eq!(between(0.001, 0.002), "1 in 500 to 1,000");
        assert_eq!(between(1.0 / 1234.0, 1.0 / 99.9), "1 in 99.9 to 1,234");
    }

    #[test]
    fn random_keys_are_of_the_domain() {
        let mut random = Random::new(1);
        let mut key = b"left over".to_vec();
        for _ in 0..1000 {
            let mut text = |domain| {
                random_key(domain, &mut random, &mut key);
                String::from_utf8(key.clone())
            };
            assert!(text(KeyDomain::Integer).unwrap().parse::<u64>().is_ok());
            assert!(text(KeyDomain::Integer32).unwrap().parse::<u32>().is_ok());
            assert!(text(KeyDomain::Float32).unwrap().parse::<f32>().unwrap().is_finite());
            assert!(text(KeyDomain::Float64).unwrap().parse::<f64>().unwrap().is_finite());
            assert_eq!(text(KeyDomain::Utf16).unwrap().len(), 32);
            random_key(KeyDomain::Bytes, &mut random, &mut key);
            assert_eq!(key.len(), 16);
        }
    }

    #[test]
    fn random_keys_measure_the_rate() {
        let mut filter =
            tepal::BloomFilter::builder().capacity(10_000).false_positive_rate(0.1).build().unwrap();
        filter.insert_iter(0..10_000u64).unwrap();
        let tally = random(&Opened::new(filter, Format::Tepal).unwrap(), 7).unwrap();
        assert_eq!(tally.keys, RANDOM_KEYS);
        let rate = tally.held as f64 / tally.keys as f64;
        assert!((0.095..0.105).contains(&rate), "{rate}");
    }

    #[test]
    fn a_report_says_what_was_asked() {
        let tally = |keys, held| Tally { keys, held };
        let text = |measured: &Measured| report(measured, None);
        let filter = tepal::BloomFilter::builder().capacity(100).false_positive_rate(0.01).build().unwrap();
        let filter = Opened::new(filter, Format::Tepal).unwrap();

        let kept = measure(&filter, &tally(100, 100), &tally(10_000, 100), true);
        let told = text(&kept);
        assert!(kept.promise_kept && told.contains("100 members  0 missed\n"), "{told}");
        assert!(told.contains("10,000 random   100 wrong: 1 in 100 (95 % sure: 1 in 82."), "{told}");
        assert!(told.ends_with("promised 1 in 100\n"), "{told}");

        let told = text(&measure(&filter, &tally(0, 0), &tally(10_000, 300), false));
        assert!(told.contains("10,000 others ") && told.ends_with("promised 1 in 100   BROKEN\n"), "{told}");
        assert!(!told.contains("members"), "{told}");

        let missed = measure(&filter, &tally(100, 99), &tally(10_000, 100), false);
        let told = text(&missed);
        assert!(!missed.promise_kept && told.contains("100 members  1 missed   BROKEN\n"), "{told}");
        assert!(told.ends_with("promised 1 in 100\n"), "{told}");
    }
}
