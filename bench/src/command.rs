//! The command beside the floor: whole processes, interleaved, CPU time and the clock.

mod uniq;

use std::error::Error;
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::args::CommandArgs;
use crate::machine;
use crate::measure::median;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The two lists that `tepal demo` leaves.
const LIST: &str = "iin.txt";
const QUESTIONS: &str = "questions.txt";
/// The filter of the list that it leaves, which is asked.
const FILTER: &str = "iin.tepal";
/// What the timed builds write. No `demo` wrote it, so it is put beside the demo's folder.
const BUILT: &str = "built.tepal";

/// Threads that `build` and `has` are given.
const THREADS: [u32; 2] = [1, 2];

/// One kind of process, and its rounds.
struct Work {
    name: String,
    program: PathBuf,
    args: Vec<String>,
    /// The row that CPU time is divided by.
    floor: usize,
    /// The row that the time of the clock is divided into.
    alone: usize,
    cpu: Vec<f64>,
    wall: Vec<f64>,
}

/// Makes the lists, times everything, prints the table.
pub(crate) fn run(args: &CommandArgs) -> Result<()> {
    if let Some(urls) = args.urls {
        return uniq::run(args, urls);
    }
    let tepal = match &args.tepal {
        Some(program) => program.clone(),
        None => build_tepal()?,
    };
    for verb in ["build", "has"] {
        check_threads(&tepal, verb)?;
    }
    let temporary = std::env::temp_dir().join(format!("tepal-bench-{}", std::process::id()));
    let dir = args.dir.as_ref().unwrap_or(&temporary);
    let measured = measure(args, &tepal, dir);
    let removed = if args.dir.is_none() { fs::remove_dir_all(dir) } else { Ok(()) };
    print!("{}", report(args, &measured?));
    Ok(removed?)
}

/// Builds the command of this repository and says where it is.
fn build_tepal() -> Result<PathBuf> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--release", "-p", "tepal-cli", "--message-format", "json-render-diagnostics"])
        .args(["--manifest-path", manifest])
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err("tepal does not build".into());
    }
    let messages = String::from_utf8(output.stdout)?;
    Ok(executable(&messages).ok_or("cargo named no program")?.into())
}

/// The first program in cargo's messages, which are JSON; libraries have `null` there.
fn executable(messages: &str) -> Option<&str> {
    messages.split_once("\"executable\":\"")?.1.split('"').next()
}

/// # Errors
/// Where the verb has no flag `-j`: without it the rows of one and two threads would be the same.
fn check_threads(tepal: &Path, verb: &str) -> Result<()> {
    let help = Command::new(tepal).args([verb, "-h"]).output()?;
    let text = String::from_utf8(help.stdout)?;
    if !text.lines().any(|line| line.trim_start().starts_with("-j")) {
        return Err(format!(
            "`{} {verb}` has no flag -j; expected one that sets its threads",
            tepal.display()
        )
        .into());
    }
    Ok(())
}

fn measure(args: &CommandArgs, tepal: &Path, dir: &Path) -> Result<Vec<Work>> {
    let demo = dir.join("demo");
    let path = |name: &str| demo.join(name).display().to_string();
    eprintln!("writing the lists into {}", demo.display());
    fs::create_dir_all(dir)?;
    let keys = args.keys.to_string();
    let mut command = Command::new(tepal);
    let made =
        command.args(["demo", "--json", "-n", &keys, "--dir"]).arg(&demo).stdout(Stdio::null()).status()?;
    if !made.success() {
        return Err("tepal demo failed".into());
    }

    let bench = std::env::current_exe()?;
    let mut works = Vec::new();
    let mut add = |name: String, program: &Path, args: &[&str], floor: usize, alone: usize| {
        let args = args.iter().map(ToString::to_string).collect();
        works.push(Work {
            name,
            program: program.to_owned(),
            args,
            floor,
            alone,
            cpu: Vec::new(),
            wall: Vec::new(),
        });
    };
    let (list, questions, filter) = (path(LIST), path(QUESTIONS), path(FILTER));
    add("floor, the list".into(), &bench, &["floor", &list], 0, 0);
    add("floor, the questions".into(), &bench, &["floor", &questions], 1, 1);
    for threads in THREADS {
        let (j, out) = (threads.to_string(), dir.join(BUILT).display().to_string());
        let args = ["build", "-j", &j, "--quiet", "--force", &list, "-o", &out];
        add(format!("tepal build -j {j}"), tepal, &args, 0, 2);
    }
    for threads in THREADS {
        let j = threads.to_string();
        add(format!("tepal has -j {j}"), tepal, &["has", "-j", &j, &filter, &questions], 1, 4);
    }

    for round in 0..args.rounds {
        eprintln!("round {} of {}", round + 1, args.rounds);
        for work in &mut works {
            let (cpu, wall) = time(Command::new(&work.program).args(&work.args))?;
            work.cpu.push(cpu);
            work.wall.push(wall);
        }
    }
    Ok(works)
}

/// Seconds of CPU time and of the clock that a process takes, from its start to its end. What it
/// prints goes to `/dev/null`.
fn time(command: &mut Command) -> Result<(f64, f64)> {
    command.stdout(File::create("/dev/null")?);
    let (before, start) = (children_cpu()?, Instant::now());
    let status = command.status()?;
    let wall = start.elapsed().as_secs_f64();
    if !status.success() {
        return Err(format!("{command:?}: {status}").into());
    }
    Ok((children_cpu()? - before, wall))
}

/// CPU seconds of all children that have ended, user and system.
#[cfg(unix)]
fn children_cpu() -> Result<f64> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(micros as f64 / 1e6)
}

#[cfg(not(unix))]
fn children_cpu() -> Result<f64> {
    Err("the CPU time of other processes is read on Unix only".into())
}

fn report(args: &CommandArgs, works: &[Work]) -> String {
    let mut text = format!(
        "# tepal, the command\n\n{}\n{} keys on the list, 12 digits each; half as many questions, 10 % of them on \
         the list. Seconds, medians of {} rounds. The floor reads the lines and hashes them with XXH3-64.\n\n\
         | process | CPU | CPU / floor | clock | -j 1 / this, clock |\n| --- | --: | --: | --: | --: |\n",
        machine::describe(),
        args.keys,
        args.rounds,
    );
    for work in works {
        let (cpu, wall) = (median(&work.cpu), median(&work.wall));
        let floor = cpu / median(&works[work.floor].cpu);
        let faster = median(&works[work.alone].wall) / wall;
        let _ = writeln!(text, "| {} | {cpu:.3} | {floor:.2} | {wall:.3} | {faster:.2} |", work.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_the_messages() {
        let messages = r#"{"reason":"compiler-artifact","executable":null,"fresh":true}
{"reason":"compiler-artifact","executable":"/somewhere/release/tepal","fresh":true}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages), Some("/somewhere/release/tepal"));
        assert_eq!(executable("{}"), None);
    }
}
