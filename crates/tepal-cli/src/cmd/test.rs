//! `tepal test`: measures whether a filter keeps its promise.

mod encodings;
mod segments;

use std::path::PathBuf;

use serde::Serialize;
use tepal::{Opened, file::Format};

use crate::args::TestArgs;
use crate::asking::{Answers, Ask};
use crate::clock;
use crate::error::{Failure, Outcome};
use crate::input::bad::BadPolicy;
use crate::input::field::KeyRules;
use crate::input::pages::Page;
use crate::input::pipeline::{Flow, Sink, Work};
use crate::input::source::Source;
use crate::keys::read_lists;
use crate::measure::{Missed, SURE_95, Tally, between, random, wilson};
use crate::open::open;
use crate::output::Stdout;
use crate::rows;
use crate::secrets::Secrets;
use crate::segments::{ByField, check_fields};
use crate::text::message::{shown, shown_key};
use crate::text::number::{count, counted, promise, rate};
use crate::text::words::Words;
use crate::unsaid;
use encodings::{All, Tried};
use segments::Members;

/// How many random keys are asked for where no absent keys are given.
const RANDOM_KEYS: u64 = 1_000_000;
/// The promise counts as broken if the measurement is above it by more than so many standard
/// errors. So a filter that just keeps its promise fails one test in 2,000, not one in 40.
const BEYOND_DOUBT: f64 = 3.29;

/// What was measured; `--json` prints it.
#[derive(Serialize)]
struct Measured {
    /// Keys of `--members`, and for how many of them the filter says no.
    members: u64,
    members_missed: u64,
    /// The first of those that were missed, with its input and line.
    first_missed: Option<Missed>,
    /// Records of both lists that were left out because they have no key.
    bad_records: u64,
    /// How keys became bytes.
    key_domain: &'static str,
    /// Where the file does not say it and nobody else did: what came of every encoding.
    encodings: Option<Vec<Tried>>,
    /// Keys that are not in the filter, and for how many of them it says yes.
    absent: u64,
    absent_wrong: u64,
    /// The segments that these are said to be in, of a filter that has some; null else.
    absent_wrong_segments: Option<u64>,
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
    let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
    if args.members.iter().chain(&args.absent).filter(|path| is_stdin(path)).count() > 1 {
        return Err(Failure::new(
            "- is given twice, and standard input can be read once; name a file for one of them",
        ));
    }
    let secrets = Secrets::read(&args.keyed, args.quiet)?;
    let mut filter = open(&args.filter, args.file, &secrets)?;
    clock::tell(&shown(&args.filter), &mut filter, false)?;
    let reads = !args.members.is_empty() || !args.absent.is_empty();
    let file_rows = [(args.filter.as_path(), &filter)];
    let rules = rows::rules(&args.keys, BadPolicy::Fail, file_rows, reads, args.quiet)?;
    let lists: Vec<Source> = args.members.iter().chain(&args.absent).map(|path| Source::of(path)).collect();
    unsaid::refuse_fields(&lists, &rules)?;
    let is_told = filter.format() == Format::Tepal || args.file.encoding.is_some();
    let (mut encodings, mut bad) = (None, 0);
    let members = match args.members.as_slice() {
        [] => Tally::default(),
        paths if args.by.is_some() || args.map.is_some() => {
            in_segments(&filter, paths, args, &rules, &mut bad)?
        }
        paths if is_told => asked(&filter, paths, args, &rules, &mut bad)?,
        paths => {
            let mut all = All::of(&mut filter)?;
            let work = all.work(filter.filter());
            run_through(paths, args, &rules, &work, &mut all, &mut bad)?;
            let (domain, members) = all.best();
            filter.set_key_domain(domain)?;
            encodings = Some(all);
            members
        }
    };
    let absent = match args.absent.as_slice() {
        [] => random(&filter, RANDOM_KEYS, args.random_seed)?,
        paths => asked(&filter, paths, args, &rules, &mut bad)?,
    };
    let mut measured = measure(&filter, &members, &absent, args.absent.is_empty());
    measured.bad_records = bad;
    measured.encodings = encodings.as_ref().map(|all| all.tried().to_vec());
    let mut stdout = Stdout::new();
    if args.json {
        stdout.document(&measured)?;
    } else if !args.quiet {
        stdout.write(report(&measured, encodings.as_ref()).as_bytes())?;
        // What random keys do not show.
        for warning in filter.filter().warnings() {
            stdout.write(format!("            ! {}\n", warning.words()).as_bytes())?;
        }
        stdout.flush()?;
    }
    Ok(if measured.promise_kept { 0 } else { 1 })
}

impl Sink<Answers> for Tally {
    fn take(&mut self, page: &mut Page<'_>, answers: &Answers) -> Result<Flow, Failure> {
        if self.first_missed.is_none() {
            self.first_missed = first_missed(page, answers);
        }
        let held = answers.held.iter().filter(|&&held| held).count();
        // An empty row has no key, so it does not count.
        self.keys += (answers.held.len() - answers.keyless) as u64;
        self.held += held as u64;
        if let Some(segments) = answers.all_segments() {
            self.segments = Some(self.segments.unwrap_or(0) + segments as u64);
        }
        Ok(Flow::Continue)
    }
}

/// The first key of a page that is not held. What has no key is not missed.
fn first_missed(page: &mut Page<'_>, answers: &Answers) -> Option<Missed> {
    for record in answers.held.iter().enumerate().filter(|(_, held)| !**held).map(|(record, _)| record) {
        if let Ok(Some(key)) = page.keys.key(record) {
            let key = shown_key(key);
            return Some(Missed { input: page.name.to_owned(), line: page.line(record), key });
        }
    }
    None
}

/// Asks for all keys of some lists.
fn asked(
    filter: &Opened,
    paths: &[PathBuf],
    args: &TestArgs,
    rules: &KeyRules,
    bad: &mut u64,
) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    run_through(paths, args, rules, &Ask::one(filter), &mut tally, bad)?;
    Ok(tally)
}

/// Looks for all keys of some lists in the segments, or for the values, that their rows name.
fn in_segments(
    filter: &Opened,
    paths: &[PathBuf],
    args: &TestArgs,
    rules: &KeyRules,
    bad: &mut u64,
) -> Result<Tally, Failure> {
    let flag = if args.map.is_some() { "--map" } else { "--by" };
    let mut members = Members::of(&shown(&args.filter), filter, flag)?;
    let field = args.map.as_ref().or(args.by.as_ref());
    let rules = KeyRules { by: field.map(|field| (field.clone(), flag)), ..rules.clone() };
    if let Some((by, _)) = &rules.by {
        check_fields(flag, by, rules.field.as_ref())?;
    }
    let work = ByField { hasher: filter.key_hasher(), flag };
    run_through(paths, args, &rules, &work, &mut members, bad)?;
    Ok(members.tally)
}

/// Does some work on all keys of some lists.
fn run_through<W: Work>(
    paths: &[PathBuf],
    args: &TestArgs,
    rules: &KeyRules,
    work: &W,
    sink: &mut dyn Sink<W::Results>,
    bad: &mut u64,
) -> Result<(), Failure> {
    *bad += read_lists(paths, rules, (&args.keys, args.quiet), work, sink)?;
    Ok(())
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
        first_missed: members.first_missed.clone(),
        bad_records: 0,
        key_domain: filter.filter().key_domain().name(),
        encodings: None,
        absent: absent.keys,
        absent_wrong: absent.held,
        absent_wrong_segments: absent.segments,
        absent_random: made_up,
        false_positive_rate: absent.held as f64 / absent.keys.max(1) as f64,
        false_positive_rate_low: low,
        false_positive_rate_high: high,
        promised_false_positive_rate: promised,
        promise_kept: missed == 0 && promised.is_none_or(|promised| surely_above <= promised),
    }
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
        if let Some(Missed { input, line, key }) = &measured.first_missed {
            text.push_str(&format!("              the first missed: {input}: line {line}: {key}\n"));
        }
        text.push_str(&encodings.map(All::report).unwrap_or_default());
    }
    if measured.bad_records > 0 {
        text.push_str(&format!("{:>13} left out: they have no key\n", count(measured.bad_records)));
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
            Some(promised) => format!("promised {}", promise(promised)),
            None => "no promise on record".to_owned(),
        },
        if broken { "   BROKEN" } else { "" },
    ));
    if let Some(segments) = measured.absent_wrong_segments {
        let each = match segments {
            0 => String::new(),
            _ => format!(", {} a key", rate(segments as f64 / measured.absent.max(1) as f64)),
        };
        text.push_str(&format!(
            "              {} of theirs in all{each}\n",
            counted(segments, "wrong segment")
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_was_asked() {
        let tally = |keys, held| Tally { keys, held, ..Tally::default() };
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
