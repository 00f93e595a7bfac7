//! Prints the lines that pass, as soon as they were judged.

use super::seen::{Hash, Hashed, Seen};
use super::session::Progress;
use crate::args::UniqArgs;
use crate::error::Failure;
use crate::input::pages::Page;
use crate::input::pipeline::{Flow, Sink, Work};
use crate::output::{Header, Judged, Lines, Record, Stdout, complain};

/// How many times the keys that are expected there is room for: another filter would take more.
const RESERVE: f64 = 1.03;

/// Judges records and prints those that pass.
pub struct Printer<'a> {
    args: &'a UniqArgs,
    pub seen: Seen,
    stdout: Stdout,
    /// For each key of a page, whether it is new.
    is_new: Vec<bool>,
    /// For each record of a page, whether it passes.
    passes: Vec<bool>,
    /// Room for the places where that changes.
    edges: Vec<usize>,
    passed: u64,
    new: u64,
    seen_before: u64,
    keyless: u64,
    /// Bytes of all inputs, where that is known, and of those that were judged.
    len: Option<u64>,
    judged: u64,
    header: Header,
    out: Lines,
}

impl<'a> Printer<'a> {
    /// `len`: bytes of all inputs, where that is known.
    pub fn new(args: &'a UniqArgs, seen: Seen, out: Lines, len: Option<u64>) -> Self {
        Self {
            args,
            seen,
            stdout: Stdout::new(),
            is_new: Vec::new(),
            passes: Vec::new(),
            edges: Vec::new(),
            passed: 0,
            new: 0,
            seen_before: 0,
            keyless: 0,
            len,
            judged: 0,
            header: Header::default(),
            out,
        }
    }

    /// Whether no input has to be read.
    pub fn is_done(&self) -> bool {
        self.args.max_count == Some(0)
    }

    /// Writes all that is collected.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.stdout.flush()
    }

    /// How many lines passed; how many had a key that was new, one that was seen, and none.
    pub fn totals(&self) -> (u64, u64, u64, u64) {
        (self.passed, self.new, self.seen_before, self.keyless)
    }

    /// How far it is, for what remembers keys.
    pub fn progress(&self) -> Progress {
        let forgotten = self.seen.forgotten();
        let noted = match self.seen {
            // A key that was seen again stays for longer.
            Seen::Window(_) => self.new + self.seen_before,
            Seen::Chain { .. } | Seen::Exact { .. } => self.new,
        };
        Progress { passed: self.passed, new: self.new - forgotten, noted: noted - forgotten }
    }

    fn prints_lines(&self) -> bool {
        !self.args.quiet && !self.args.count_new && !self.args.json
    }

    /// How many more lines may pass.
    fn left(&self) -> u64 {
        match self.args.quiet {
            true => 1,
            false => self.args.max_count.map_or(u64::MAX, |most| most - self.passed),
        }
    }

    /// Judges the records of a page: says of each whether it passes.
    fn judge(&mut self, hashed: &Hashed) -> Result<(), Failure> {
        let forgotten = self.seen.forgotten();
        self.seen.note(hashed, &mut self.is_new)?;
        if let (0, 1.., false) = (forgotten, self.seen.forgotten(), self.args.quiet) {
            // At once: there may be no end of the input.
            let text = match self.seen {
                Seen::Window(_) => {
                    "the window is full: new keys are not remembered until others are forgotten"
                }
                _ => "full, and cannot grow any more: new keys are not remembered from here on",
            };
            complain(&format!("{}: {text}", self.args.memory()));
        }
        let new = self.is_new.iter().filter(|is_new| **is_new).count() as u64;
        self.new += new;
        self.seen_before += self.is_new.len() as u64 - new;
        self.keyless += hashed.keyless.iter().filter(|(_, is_blank)| *is_blank).count() as u64;
        let repeated = self.args.repeated;
        self.passes.clear();
        if hashed.keyless.is_empty() {
            self.passes.extend(self.is_new.iter().map(|is_new| is_new != &repeated));
            return Ok(());
        }
        // What has no key was never seen. Where the key cannot be told, nobody knows that.
        let (mut keyless, mut is_new) = (hashed.keyless.iter().peekable(), self.is_new.iter());
        for record in 0..hashed.records {
            let passes = match keyless.next_if(|(keyless, _)| *keyless == record) {
                Some((_, is_blank)) => *is_blank && !repeated,
                None => is_new.next().is_some_and(|is_new| is_new != &repeated),
            };
            self.passes.push(passes);
        }
        Ok(())
    }

    /// Says how many more new keys there may be, if the rest of the inputs is like what was read of
    /// them.
    fn look_ahead(&mut self, bytes: usize) {
        self.judged += bytes as u64;
        if let Some(len) = self.len {
            let left = len.saturating_sub(self.judged) as f64;
            self.seen.expect_more((RESERVE * left / self.judged.max(1) as f64 * self.new as f64) as u64);
        }
    }

    /// Judges one record after the other, up to the last that may pass: what is not printed is not
    /// seen.
    fn judge_one_by_one(&mut self, page: &mut Page<'_>, records: usize) -> Result<(), Failure> {
        let work = self.seen.hash();
        let (mut hashed, mut left, mut passes) = (Hashed::default(), self.left(), Vec::new());
        for record in 0..records {
            if left == 0 {
                break;
            }
            Hash::clear(&mut hashed);
            if work.one(&mut page.keys, record, &mut hashed).is_err() {
                hashed.leave_out();
            }
            self.judge(&hashed)?;
            passes.append(&mut self.passes);
            left -= u64::from(passes.last() == Some(&true));
        }
        page.taken = passes.len();
        self.passes = passes;
        Ok(())
    }

    /// Prints records as they stand in their input.
    fn records(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.out.write(&mut self.stdout, bytes)
    }

    /// Prints the records that pass. Those that follow each other are written together.
    fn print(&mut self, page: &Page<'_>) -> Result<(), Failure> {
        // Where such runs begin and end, in turn. Which records pass cannot be guessed: so each
        // place is written, and counted by arithmetic instead of a branch.
        let (mut edges, mut count) = (std::mem::take(&mut self.edges), 0);
        edges.clear();
        edges.resize(self.passes.len() + 1, 0);
        let mut passed = false;
        for (i, passes) in self.passes.iter().copied().chain([false]).enumerate() {
            edges[count] = i;
            count += usize::from(passes != passed);
            passed = passes;
        }
        for run in edges[..count].chunks_exact(2) {
            self.records(page.keys.batch.bytes(run[0], run[1]))?;
        }
        self.edges = edges;
        self.stdout.show()
    }

    fn print_json(&mut self, page: &mut Page<'_>, hashed: &Hashed) -> Result<(), Failure> {
        let (name, mut line) = (page.name, page.first_line);
        let mut is_new = self.is_new.iter();
        for record in 0..hashed.records {
            let lines = page.keys.batch.lines(record, record + 1);
            let (key, bad) = match page.keys.key(record) {
                Ok(key) => (key, None),
                Err(text) => (None, Some(text)),
            };
            let new = key.and_then(|_| is_new.next().copied());
            self.stdout.json(&Record::new(Some((name, line)), key, bad, Judged { new }))?;
            line += lines;
        }
        self.stdout.show()
    }
}

impl Sink<Hashed> for Printer<'_> {
    fn header(&mut self, page: &mut Page<'_>) -> Result<(), Failure> {
        if self.prints_lines() && !self.args.header.no_header && self.header.is_first(page) {
            self.records(page.keys.batch.bytes(0, 1))?;
        }
        Ok(())
    }

    fn take(&mut self, page: &mut Page<'_>, hashed: &Hashed) -> Result<Flow, Failure> {
        if hashed.records as u64 > self.left() {
            self.judge_one_by_one(page, hashed.records)?;
        } else {
            self.judge(hashed)?;
        }
        self.passed += self.passes.iter().filter(|passes| **passes).count() as u64;
        if self.args.json && !self.args.count_new {
            self.print_json(page, hashed)?;
        } else if self.prints_lines() {
            self.print(page)?;
        }
        self.look_ahead(page.keys.batch.bytes(0, hashed.records).len());
        let is_over = self.args.quiet && self.passed > 0 || self.left() == 0;
        Ok(if is_over { Flow::Stop } else { Flow::Continue })
    }

    fn pause(&mut self) -> Result<(), Failure> {
        self.stdout.flush()
    }
}
