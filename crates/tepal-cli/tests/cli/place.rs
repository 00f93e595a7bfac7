//! A folder of its own for each test, and the program run in it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A folder that vanishes with the test.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

/// What a run of the program gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// The path of a file there.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// Writes a key, which is its owner's alone.
    pub(crate) fn write_key(&self, name: &str, bytes: impl AsRef<[u8]>) {
        self.write(name, bytes);
        #[cfg(unix)]
        fs::set_permissions(self.path(name), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The names of all files there, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program with arguments split at spaces, in this folder, with nothing of the caller's
    /// surroundings that changes what it prints.
    pub(crate) fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tepal"));
        command.args(args.split_whitespace()).current_dir(self.folder.path());
        for name in ["LC_ALL", "LC_CTYPE", "LANG", "NO_COLOR", "CLICOLOR_FORCE", "CARGO"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, args: &str) -> Ran {
        finish(self.command(args))
    }

    /// Runs it with bytes on standard input.
    pub(crate) fn run_with(&self, args: &str, input: &[u8]) -> Ran {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            // The program may end before it has read everything.
            let _ = stdin.write_all(&input);
        });
        let ran = ran(child.wait_with_output().unwrap());
        writer.join().unwrap();
        ran
    }

    /// Builds a filter whose false positives are too rare for a test to meet.
    pub(crate) fn build(&self, name: &str, keys: &[u8], more: &str) {
        let ran = self.run_with(&format!("build -q -p 1e-9 -o {name} {more}"), keys);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    }
}

/// Says what a test has left out, past the test harness, which would keep it to itself.
#[cfg(target_os = "linux")]
pub(crate) fn not_run(what: &str, needs: &str) {
    let _ = writeln!(std::io::stderr(), "not run: {what}: this needs {needs}");
}

pub(crate) fn finish(mut command: Command) -> Ran {
    ran(command.output().unwrap())
}

fn ran(output: std::process::Output) -> Ran {
    let err = String::from_utf8(output.stderr).unwrap();
    // Nothing that is said names the library: neither its types nor its calls.
    let names =
        ["BloomFilter", "QuotientFilter", "GrowingFilter", "ExpiringFilter", "SegmentFilter", "RibbonFilter"];
    for name in names.into_iter().chain([
        "RibbonMap",
        "AnyFilter",
        "Builder",
        "::",
        "`quotient`",
        "`ribbon`",
        "`expiring`",
        "seed_for",
        "secret_key",
        "seal_key",
        "from_bytes",
    ]) {
        assert!(!err.contains(name), "{name} in {err}");
    }
    Ran { code: output.status.code().unwrap_or(-1), out: output.stdout, err }
}

impl Ran {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.out).unwrap()
    }

    /// The exit code and standard output, where nothing was said on standard error.
    pub(crate) fn quiet(&self) -> (i32, &[u8]) {
        assert_eq!(self.err, "");
        (self.code, &self.out)
    }
}

/// The lines of a list of numbers.
pub(crate) fn numbers(range: std::ops::Range<u32>) -> Vec<u8> {
    range.flat_map(|n| format!("{n}\n").into_bytes()).collect()
}
