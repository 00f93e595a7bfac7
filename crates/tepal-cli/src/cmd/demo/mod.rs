//! `tepal demo`: builds and asks a filter of made-up identity numbers, with the code of the other
//! verbs.

mod iin;
mod lists;

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;
use tepal::build::Gather;
use tepal::{BloomFilter, RibbonFilter, file::Format, hash::PreparedKeys};

use self::iin::Iins;
use self::lists::{write_list, write_questions};
use crate::args::{DemoArgs, FileArgs, KeyArgs};
use crate::asking::{Answers, Ask};
use crate::describe::{Description, Told};
use crate::error::{Failure, Outcome};
use crate::input::field::KeyRules;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::input::source::Source;
use crate::keys::Prepare;
use crate::open::open;
use crate::output::{Stdout, Target};
use crate::secrets::Secrets;
use crate::text::message::{for_shell, shown};
use crate::text::number::{count, counted, percent, rate, size};

/// One question in so many is about a number on the list.
const ONE_LISTED_IN: u64 = 10;
/// The most numbers of a list. There must be enough other numbers for the questions.
const MOST_KEYS: u64 = 400_000_000;
/// The demo's own files.
const LIST: &str = "iin.txt";
const QUESTIONS: &str = "questions.txt";
const FILTER: &str = "iin.tepal";
const STATIC: &str = "iin-static.tepal";

/// What `--json` prints. Times are seconds of the clock.
#[derive(Serialize)]
struct Results {
    keys: u64,
    questions: u64,
    questions_listed: u64,
    seconds_writing: f64,
    /// The time to read the list, cut it into lines and hash them, which every tool needs.
    seconds_floor_list: f64,
    seconds_build: f64,
    seconds_save: f64,
    seconds_open: f64,
    seconds_floor_questions: f64,
    seconds_ask: f64,
    members_missed: u64,
    wrong: u64,
    wrong_rate: f64,
    filter: Description,
    /// The same numbers as a filter that does not change.
    seconds_build_static: f64,
    static_filter: Description,
}

/// Runs the verb.
pub fn run(args: &DemoArgs) -> Outcome {
    if args.capacity > MOST_KEYS {
        return Err(Failure::new(format!(
            "-n: {} keys; expected {} at most, for there are not more such numbers",
            count(args.capacity),
            count(MOST_KEYS)
        )));
    }
    prepare(&args.dir)?;
    let mut screen = Screen { stdout: Stdout::new(), silent: args.json };
    let results = perform(args, &mut screen)?;
    let kept = results.members_missed == 0;
    if args.json {
        screen.stdout.document(&results)?;
    } else {
        next_steps(args, &mut screen)?;
    }
    Ok(if kept { 0 } else { 1 })
}

/// Prints each step when it is done.
struct Screen {
    stdout: Stdout,
    silent: bool,
}

impl Screen {
    fn line(&mut self, label: &str, text: &str) -> Result<(), Failure> {
        self.plain(&format!("{label:<10} {text}"))
    }

    fn plain(&mut self, text: &str) -> Result<(), Failure> {
        if self.silent {
            return Ok(());
        }
        self.stdout.write(text.as_bytes())?;
        self.stdout.write(b"\n")?;
        self.stdout.flush()
    }
}

/// Creates the folder, or empties one that has only files of an earlier demo. Nothing that somebody
/// else has put there is followed or written over: every file of the demo is a new one.
fn prepare(dir: &Path) -> Result<(), Failure> {
    let name = shown(dir);
    let fail = |error| Failure::io(&name, &error);
    let refuse =
        |text: &str| Err(Failure::at(&name, format!("{text}; name an empty or new folder with --dir")));
    match fs::symlink_metadata(dir) {
        Ok(found) if found.is_symlink() => return refuse("a symbolic link"),
        Ok(found) if !found.is_dir() => return refuse("not a folder"),
        Ok(found) if is_anybodys(&found) => return refuse("a folder in which anybody may write"),
        _ => fs::create_dir_all(dir).map_err(fail)?,
    }
    let mut left = Vec::new();
    for entry in fs::read_dir(dir).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let own = [LIST, QUESTIONS, FILTER, STATIC].contains(&name.trim_end_matches(".part"));
        let left_by_save = [FILTER, STATIC].iter().any(|own| name.starts_with(&format!(".{own}.")));
        if !own && !left_by_save || !entry.file_type().map_err(fail)?.is_file() {
            return refuse(&format!("holds {}, which is not the demo's", shown(Path::new(name.as_ref()))));
        }
        left.push(entry.path());
    }
    left.iter().try_for_each(fs::remove_file).map_err(fail)
}

#[cfg(unix)]
fn is_anybodys(folder: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    folder.permissions().mode() & 0o002 != 0
}

#[cfg(not(unix))]
fn is_anybodys(_folder: &fs::Metadata) -> bool {
    false
}

fn perform(args: &DemoArgs, screen: &mut Screen) -> Result<Results, Failure> {
    let path = |name: &str| args.dir.join(name);
    let iins = Iins::new(args.random_seed);
    let questions = (args.capacity / 2).max(1);
    let listed = questions / ONE_LISTED_IN;

    let clock = Instant::now();
    let end = write_list(&iins, args.capacity, &path(LIST))?;
    let truth = write_questions(&iins, args.random_seed, end, questions, listed, &path(QUESTIONS))?;
    let seconds_writing = clock.elapsed().as_secs_f64();
    screen.line("list", &format!("{} identity numbers in {}", count(args.capacity), shown(&path(LIST))))?;
    let asked =
        format!("{} in {}, {} of them listed", count(questions), shown(&path(QUESTIONS)), count(listed));
    screen.line("questions", &asked)?;
    screen.line("write", &format!("{} for both", seconds(seconds_writing)))?;

    let seconds_floor_list = floor(&path(LIST))?;
    let clock = Instant::now();
    let mut inputs = input_of(&path(LIST))?;
    let gather = Gather::with(BloomFilter::builder(), Format::Tepal, &args.dir, inputs.threads)?;
    let built = super::build::gather::gather_all(gather, &mut inputs, None)?;
    let seconds_build = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    Target::new(&path(FILTER), false)?.save(&built.file, None)?;
    let seconds_save = clock.elapsed().as_secs_f64();
    let described = super::build::summary(&built, &KeyRules::default());
    screen.line("filter", &described)?;
    screen.line("", &format!("in {}", shown(&path(FILTER))))?;
    screen.line("build", &times(seconds_build, seconds_floor_list))?;
    drop(built);

    let clock = Instant::now();
    let filter = open(&path(FILTER), FileArgs::default(), &Secrets::default())?;
    let ask = Ask::one(&filter);
    let seconds_open = clock.elapsed().as_secs_f64();
    let saved = format!("{}; open, with every check: {}", seconds(seconds_save), seconds(seconds_open));
    screen.line("save", &saved)?;

    let seconds_floor_questions = floor(&path(QUESTIONS))?;
    let mut marks = Marks::new(&truth);
    let clock = Instant::now();
    pipeline::run(&mut input_of(&path(QUESTIONS))?, &ask, &mut marks)?;
    let seconds_ask = clock.elapsed().as_secs_f64();
    let mut members = Marks::all_listed();
    pipeline::run(&mut input_of(&path(LIST))?, &ask, &mut members)?;
    let missed_by_filter = marks.missed + members.missed;
    let non_members = questions - listed;
    let wrong_rate = marks.wrong as f64 / non_members.max(1) as f64;
    screen.line("ask", &times(seconds_ask, seconds_floor_questions))?;
    let asked = format!("{} of {}: must be 0", count(missed_by_filter), counted(args.capacity, "member"));
    screen.line("missed", &asked)?;
    let (wrong, promised) = (rate(wrong_rate), rate(filter.filter().promised_false_positive_rate()));
    let non_members = counted(non_members, "non-member");
    let found = format!("{} of {non_members}: {wrong}; promised {promised}", count(marks.wrong));
    screen.line("wrong", &found)?;

    let name = shown(&path(FILTER));
    let filter = Description::of(&name, &Told::of(&name, &filter)?);
    let fixed = complete(args, filter.size_in_bytes, screen)?;
    let members_missed = missed_by_filter + fixed.missed;
    Ok(Results {
        keys: args.capacity,
        questions,
        questions_listed: listed,
        seconds_writing,
        seconds_floor_list,
        seconds_build,
        seconds_save,
        seconds_open,
        seconds_floor_questions,
        seconds_ask,
        members_missed,
        wrong: marks.wrong,
        wrong_rate,
        filter,
        seconds_build_static: fixed.seconds,
        static_filter: fixed.described,
    })
}

/// The same list as a filter that does not change.
struct Complete {
    seconds: f64,
    missed: u64,
    described: Description,
}

/// Builds and asks the smallest filter of the list, beside one of so many bytes.
fn complete(args: &DemoArgs, beside: u64, screen: &mut Screen) -> Result<Complete, Failure> {
    let (list, place) = (args.dir.join(LIST), args.dir.join(STATIC));
    let clock = Instant::now();
    let mut inputs = input_of(&list)?;
    let gather = Gather::ribbon(RibbonFilter::builder(), &args.dir, inputs.threads)?;
    let built = super::build::gather::gather_all(gather, &mut inputs, None)?;
    let seconds = clock.elapsed().as_secs_f64();
    Target::new(&place, false)?.save(&built.file, None)?;
    let mut members = Marks::all_listed();
    pipeline::run(&mut input_of(&list)?, &Ask::one(&built.file), &mut members)?;
    let (name, missed) = (shown(&place), members.missed);
    let bytes = built.file.filter().size_in_bytes();
    let share = percent(bytes as f64 / beside as f64);
    let small =
        format!("the same list and rate in {}, {share} of the filter above (build --static)", size(bytes));
    screen.line("static", &small)?;
    screen.line("", &format!("built in {}, {} missed, in {name}", self::seconds(seconds), count(missed)))?;
    Ok(Complete { seconds, missed, described: Description::of(&name, &Told::of(&name, &built.file)?) })
}

fn input_of(path: &Path) -> Result<Inputs, Failure> {
    let sources = vec![Source::Path(path.to_owned())];
    Inputs::new(sources, KeyRules::default(), KeyArgs::default().threads(), false)
}

/// Seconds to read a list, cut it into lines and hash them, which every tool needs. This is the
/// shorter of two times, so that the comparison with it is fair.
fn floor(path: &Path) -> Result<f64, Failure> {
    Ok(read_and_hash(path)?.min(read_and_hash(path)?))
}

fn read_and_hash(path: &Path) -> Result<f64, Failure> {
    let hasher = BloomFilter::builder().key_hasher()?;
    let clock = Instant::now();
    pipeline::run(&mut input_of(path)?, &Prepare { hasher }, &mut Nothing)?;
    Ok(clock.elapsed().as_secs_f64())
}

/// Does nothing with the hashes.
struct Nothing;

impl Sink<PreparedKeys> for Nothing {
    fn take(&mut self, _page: &mut Page<'_>, hashes: &PreparedKeys) -> Result<Flow, Failure> {
        black_box(hashes);
        Ok(Flow::Continue)
    }
}

/// Compares answers with the truth.
struct Marks<'a> {
    /// For each key whether it is on the list; nothing where all keys are.
    truth: Option<&'a [bool]>,
    asked: usize,
    missed: u64,
    wrong: u64,
}

impl<'a> Marks<'a> {
    fn new(truth: &'a [bool]) -> Self {
        Self { truth: Some(truth), ..Self::all_listed() }
    }

    fn all_listed() -> Self {
        Self { truth: None, asked: 0, missed: 0, wrong: 0 }
    }
}

impl Sink<Answers> for Marks<'_> {
    fn take(&mut self, _page: &mut Page<'_>, answers: &Answers) -> Result<Flow, Failure> {
        let held = &answers.held;
        let held_now = held.iter().filter(|&&held| held).count() as u64;
        match self.truth {
            None => self.missed += held.len() as u64 - held_now,
            Some(truth) => {
                let truth = truth.get(self.asked..).unwrap_or_default();
                for (&held, &listed) in held.iter().zip(truth) {
                    self.missed += u64::from(listed && !held);
                    self.wrong += u64::from(held && !listed);
                }
            }
        }
        self.asked += held.len();
        Ok(Flow::Continue)
    }
}

/// A time in seconds or milliseconds, never as zero.
fn seconds(time: f64) -> String {
    match time * 1000.0 {
        1000.0.. => format!("{time:.2} s"),
        milliseconds @ 10.0.. => format!("{milliseconds:.0} ms"),
        milliseconds => format!("{:.2} ms", milliseconds.max(0.01)),
    }
}

fn times(time: f64, floor: f64) -> String {
    format!(
        "{}, {:.1} times merely reading and hashing the lines ({})",
        seconds(time),
        time / floor,
        seconds(floor)
    )
}

/// Prints commands that can be typed next.
fn next_steps(args: &DemoArgs, screen: &mut Screen) -> Result<(), Failure> {
    let tepal = program();
    let path = |name: &str| quoted(&args.dir.join(name));
    screen.plain("")?;
    screen.plain("What to type next:")?;
    for command in [
        format!("{tepal} has {} {} | head -3", path(FILTER), path(QUESTIONS)),
        format!("{tepal} info {}", path(FILTER)),
        format!("{tepal} test {} --members {}", path(FILTER), path(LIST)),
        format!("{tepal} info {}", path(STATIC)),
    ] {
        screen.plain(&format!("  {command}"))?;
    }
    Ok(())
}

/// How this program was started: by cargo, by its name or by its path.
fn program() -> String {
    if std::env::var_os("CARGO").is_some() {
        let profile = if cfg!(debug_assertions) { "" } else { "--release " };
        return format!("cargo run -q {profile}--");
    }
    match std::env::args_os().next() {
        Some(name) => quoted(&PathBuf::from(name)),
        None => "tepal".to_owned(),
    }
}

/// A path for a shell.
fn quoted(path: &Path) -> String {
    for_shell(&shown(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_needs_it() {
        for (path, expected) in [
            ("tepal-demo/list.txt", "tepal-demo/list.txt"),
            ("/a_b/c+1:@%,=", "/a_b/c+1:@%,="),
            ("two words", "'two words'"),
            ("it's", "'it'\\''s'"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(Path::new(path)), expected);
        }
    }

    #[test]
    fn times_are_told_beside_the_least() {
        assert_eq!(times(3.0, 2.0), "3.00 s, 1.5 times merely reading and hashing the lines (2.00 s)");
        let texts = [0.0, 0.000_4, 0.009_99, 0.0123, 0.9999, 1.0].map(seconds);
        assert_eq!(texts, ["0.01 ms", "0.40 ms", "9.99 ms", "12 ms", "1000 ms", "1.00 s"]);
    }

    #[test]
    fn the_floor_is_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list");
        fs::write(&list, "a\nb\n").unwrap();
        let floor = floor(&list).unwrap();
        assert!((0.0..60.0).contains(&floor) && floor > 0.0, "{floor}");
        assert!(super::floor(&folder.path().join("none")).is_err());
    }
}
