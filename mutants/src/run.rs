//! Runs the tests with one change on, and says whether they noticed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::Result;

/// A test program.
pub struct Binary {
    pub name: String,
    pub path: PathBuf,
    /// Where cargo would run it.
    pub folder: PathBuf,
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A test failed.
    Caught,
    /// A test did not end.
    Timeout,
    /// No test noticed.
    Missed,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Caught, Self::Timeout, Self::Missed];

    /// The file for the names.
    pub fn file(self) -> &'static str {
        match self {
            Self::Caught => "caught.txt",
            Self::Timeout => "timeout.txt",
            Self::Missed => "missed.txt",
        }
    }
}

/// One test, and what is known of it.
struct Test {
    binary: usize,
    name: String,
    took: Duration,
    /// The changes it comes to.
    reaches: BTreeSet<usize>,
}

/// All tests, the quickest first.
pub struct Tests {
    binaries: Vec<Binary>,
    tests: Vec<Test>,
}

/// Tests whose outcome depends on what else the machine does: how far threads go past a limit.
const UNSTEADY: &str = "capacity_is_kept";

/// A test that takes longer than this waits for the second round,
const SLOW: Duration = Duration::from_millis(200);

/// and one that takes longer than this is left out: those that nothing notices would take hours.
const TOO_SLOW: Duration = Duration::from_millis(1500);

/// A test that takes this many times as long as it should does not end. Two run at once, on a
/// machine with other work.
const PATIENCE: u32 = 10;

impl Tests {
    /// Runs each test once without a change, to know how long it takes and which changes it comes
    /// to.
    pub fn new(binaries: Vec<Binary>, out: &Path) -> Result<Self> {
        let mut all = Self { binaries, tests: Vec::new() };
        let trace = out.join("trace.txt");
        for binary in 0..all.binaries.len() {
            for name in all.names(binary)? {
                let _ = fs::remove_file(&trace);
                let start = Instant::now();
                let traced = all.command(binary, &name).env("TEPAL_TRACE", &trace).output();
                let traced = traced.map_err(|e| format!("{name} does not start: {e}"))?;
                let took = start.elapsed();
                if !traced.status.success() {
                    let text = String::from_utf8_lossy(&traced.stdout);
                    return Err(format!("{name} fails without a change:\n{text}"));
                }
                let reached = fs::read_to_string(&trace).unwrap_or_default();
                let reaches = reached.lines().filter_map(|line| line.parse().ok()).collect();
                all.tests.push(Test { binary, name, took, reaches });
            }
        }
        all.tests.sort_by_key(|test| test.took);
        Ok(all)
    }

    /// The tests of a program.
    fn names(&self, binary: usize) -> Result<Vec<String>> {
        let listed = self.start(binary).args(["--list", "--format=terse"]).output();
        let listed = listed.map_err(|e| format!("{} does not start: {e}", self.binaries[binary].name))?;
        let text = String::from_utf8_lossy(&listed.stdout).into_owned();
        let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
        Ok(names.filter(|name| !name.contains(UNSTEADY)).map(str::to_owned).collect())
    }

    /// Tries one change with those of these tests that come to it.
    fn outcome(&self, number: usize, tests: &[Test]) -> Outcome {
        self.tried(tests.iter().filter(|test| test.reaches.contains(&number)), Some(number))
    }

    /// Tries the change that these programs were built with, in the place of those before.
    pub fn alone(&self, binaries: &[Binary]) -> Outcome {
        let is_built = |test: &&Test| binaries.iter().any(|b| b.path == self.binaries[test.binary].path);
        self.tried(self.tests.iter().filter(|test| test.took < TOO_SLOW).filter(is_built), None)
    }

    fn tried<'t>(&self, tests: impl Iterator<Item = &'t Test>, number: Option<usize>) -> Outcome {
        for test in tests {
            let mut command = self.command(test.binary, &test.name);
            command.envs(number.map(|number| ("TEPAL_MUTANT", number.to_string())));
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let limit = (test.took * PATIENCE).max(Duration::from_secs(2));
            match command.spawn().map(|child| wait(child, limit)) {
                Ok(Some(true)) => {}
                Ok(Some(false)) | Err(_) => return Outcome::Caught,
                Ok(None) => return Outcome::Timeout,
            }
        }
        Outcome::Missed
    }

    fn start(&self, binary: usize) -> Command {
        let Binary { path, folder, .. } = &self.binaries[binary];
        let mut command = Command::new(path);
        command.current_dir(folder).env("CARGO_MANIFEST_DIR", folder).stdin(Stdio::null());
        command
    }

    fn command(&self, binary: usize, name: &str) -> Command {
        let mut command = self.start(binary);
        command.args(["--exact", name]).process_group(0);
        command
    }

    /// Tries all of these, as many at once as the machine has cores.
    fn round(&self, numbers: &[usize], tests: &[Test]) -> BTreeMap<usize, Outcome> {
        let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
        let work = || {
            while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                let outcome = self.outcome(number, tests);
                let mut outcomes = outcomes.lock().expect("no thread panics");
                outcomes.insert(number, outcome);
                if outcomes.len() % 100 == 0 {
                    println!("{} of {}", outcomes.len(), numbers.len());
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, Into::into) {
                scope.spawn(work);
            }
        });
        outcomes.into_inner().expect("no thread panics")
    }

    /// Tries all of them: with the quick tests, then those that were missed with the slow ones too.
    pub fn all(&self, numbers: &[usize]) -> BTreeMap<usize, Outcome> {
        let below = |limit| self.tests.partition_point(|test| test.took < limit);
        let (quick, slow) = self.tests[..below(TOO_SLOW)].split_at(below(SLOW));
        let left_out = self.tests[quick.len() + slow.len()..].iter().map(|test| test.name.as_str());
        println!("left out: {}", left_out.collect::<Vec<_>>().join(", "));
        let mut outcomes = self.round(numbers, quick);
        let missed: Vec<usize> = numbers.iter().copied().filter(|n| outcomes[n] == Outcome::Missed).collect();
        println!("{} quick tests miss {}; {} slow ones", quick.len(), missed.len(), slow.len());
        outcomes.extend(self.round(&missed, slow));
        outcomes
    }
}

/// Whether it ended well; none where it did not end within the limit, and then it is ended.
pub fn wait(mut child: Child, limit: Duration) -> Option<bool> {
    let end = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(1)),
            _ => break,
        }
    }
    // With all that it started.
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-9", "--", &group]).status();
    let _ = child.wait();
    None
}
