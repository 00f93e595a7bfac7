//! A folder of its own for each test, and the program run in it.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

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

    /// The program, which heeds signals also if the tests run as a job in the background, where a
    /// shell has SIGINT ignored.
    #[cfg(unix)]
    pub(crate) fn heeding(&self, args: &str) -> Command {
        let plain = self.command(args);
        if !cfg!(target_os = "linux") {
            return plain;
        }
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,TERM,HUP", env!("CARGO_BIN_EXE_tepal")]).args(plain.get_args());
        command.current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, args: &str) -> Ran {
        finish(self.command(args))
    }

    /// Runs it with bytes on standard input.
    pub(crate) fn run_with(&self, args: &str, input: &[u8]) -> Ran {
        let mut command = self.command(args);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            // The program may end before it has read everything.
            let _ = stdin.write_all(&input);
        });
        let ran = ran(&command, child.wait_with_output().unwrap());
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
    let output = command.output().unwrap();
    ran(&command, output)
}

fn ran(command: &Command, output: std::process::Output) -> Ran {
    let err = String::from_utf8(output.stderr).unwrap();
    has_its_flags(command, &err);
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

/// Checks that the verb has each flag that is named in what was said. After the words `tepal VERB`,
/// `build` or `uniq` flags are that verb's. `plan` also speaks of what `build` will be given.
fn has_its_flags(command: &Command, err: &str) {
    let given: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy()).collect();
    let Some(verb) = given.first().filter(|verb| !verb.starts_with('-') && *verb != "help") else { return };
    for line in err.lines().filter(|line| line.contains("--") && !line.contains("cargo install")) {
        let mut verb = if verb == "plan" { "build".to_owned() } else { verb.to_string() };
        let mut after_tepal = false;
        for word in line.split_whitespace() {
            let bare = word.trim_matches(|c: char| !c.is_ascii_alphabetic()).to_ascii_lowercase();
            let no_flag = |c: char| !(c.is_ascii_lowercase() || c == '-');
            let flag = word.trim_start_matches(no_flag).split(no_flag).next().unwrap_or_default();
            if matches!(&*bare, "build" | "uniq")
                || after_tepal && !bare.is_empty() && !help(&bare).is_empty()
            {
                verb = bare.clone();
            } else if flag.len() > 2
                && flag.starts_with("--")
                && !given.iter().any(|given| given.starts_with(flag))
            {
                let has_it = [&verb, &*given[0], ""].into_iter().any(|verb| help(verb).contains(flag));
                assert!(has_it, "{verb} has no flag {flag}: {given:?} said {err}");
            }
            after_tepal = bare == "tepal";
        }
    }
}

/// The help of a verb; of none that of the program.
fn help(verb: &str) -> String {
    static HELP: Mutex<Option<HashMap<String, String>>> = Mutex::new(None);
    let mut all = HELP.lock().unwrap_or_else(PoisonError::into_inner);
    let help = all.get_or_insert_default().entry(verb.to_owned()).or_insert_with(|| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_tepal")).args(verb.split_whitespace()).arg("--help").output();
        let output = output.unwrap();
        if output.status.success() { String::from_utf8(output.stdout).unwrap() } else { String::new() }
    });
    help.clone()
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
