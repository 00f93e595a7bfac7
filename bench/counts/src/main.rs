//! Counts the instructions of each call of each kind of filter:
//!
//! `cargo run --release --manifest-path bench/counts/Cargo.toml [-- RECORD]`
//!
//! The program starts itself under `valgrind --tool=callgrind`, where [`sections`] run, each
//! between two dumps, and prints instructions a key and their ratio to the limit: one hash and one
//! word. With a RECORD of an earlier run it compares, and fails where a count is more than 3 %
//! above it. A record of another compiler is shown and not compared. `--write RECORD` writes one.
//!
//! Counts are repeatable: the same binary on the same CPU level gives the same numbers. valgrind
//! knows AVX2, not AVX-512.

mod record;
mod sections;

use std::process::{Command, ExitCode};
use std::{env, fs};

use record::Record;

/// What takes a count to: `measure` is set by the program itself, below valgrind.
fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args[..] {
        ["measure"] => {
            sections::run();
            Ok(())
        }
        [] => counted().map(|record| print!("{}", record.table(None))),
        ["--write", path] => counted().and_then(|record| {
            print!("{}", record.table(None));
            fs::write(path, record.to_text()).map_err(|error| format!("{path}: {error}"))
        }),
        [path] => Record::read(path).and_then(|before| {
            let now = counted()?;
            print!("{}", now.table(Some(&before)));
            now.compare(&before)
        }),
        _ => Err("expected nothing, a RECORD to compare with, or --write RECORD".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("counts: {text}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the sections under valgrind and reads what it counted.
fn counted() -> Result<Record, String> {
    let folder = env::temp_dir().join(format!("tepal-counts-{}", std::process::id()));
    fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let record = count_in(&folder);
    let _ = fs::remove_dir_all(&folder);
    record
}

fn count_in(folder: &std::path::Path) -> Result<Record, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let out = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "--toggle-collect=*measured_section*"])
        .args(["--dump-after=*end_of_section*", "--combine-dumps=no"])
        .arg(format!("--callgrind-out-file={}", folder.join("out").display()))
        .arg(program)
        .arg("measure")
        .env_clear()
        .output()
        .map_err(|error| {
            format!("valgrind could not be started: {error}; Debian: apt-get install valgrind")
        })?;
    if !out.status.success() {
        return Err(format!("valgrind ended with {}: {}", out.status, String::from_utf8_lossy(&out.stderr)));
    }
    let lines = String::from_utf8(out.stdout).map_err(|error| error.to_string())?;
    let mut record = Record::new()?;
    for (i, line) in lines.lines().enumerate() {
        let (name, keys) = line.rsplit_once('\t').ok_or("a section without a number of keys")?;
        let keys: f64 = keys.parse().map_err(|_| format!("'{keys}' is no number of keys"))?;
        let path = folder.join(format!("out.{}", i + 1));
        let dump = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let total = dump
            .lines()
            .find_map(|line| line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: ")))
            .and_then(|total| total.trim().parse::<f64>().ok())
            .ok_or_else(|| format!("{}: no total of instructions", path.display()))?;
        record.add(name, total / keys);
    }
    if record.is_empty() {
        return Err("no section was counted".to_owned());
    }
    Ok(record)
}
