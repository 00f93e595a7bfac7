//! Types SQL with tepal's functions at Parquet files: `docs/sql.md` is its transcript.
//!
//! ```text
//! tepal-sql [-p PARTITIONS] [-o FILTER] [--scheduler HOST:PORT] [STATEMENTS]...
//! ```
//!
//! Without statements it reads them from standard input. `-o` writes the filter that the last
//! statement gives to a file. With the feature `ballista`, `--scheduler` runs the statements in a
//! cluster, and `tepal-sql scheduler` and `tepal-sql executor` are its other programs.

#[cfg(feature = "ballista")]
mod cluster;
mod run;

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

use datafusion::prelude::{SessionConfig, SessionContext};

/// What a failure prints.
type Failure = Box<dyn std::error::Error + Send + Sync>;

const USAGE: &str = "usage: tepal-sql [-p PARTITIONS] [-o FILTER] [--scheduler HOST:PORT] [STATEMENTS]...
       tepal-sql scheduler PORT
       tepal-sql executor SCHEDULER_PORT PORT FOLDER

Runs SQL statements with tepal's functions; without any it reads them from standard input.
  -p PARTITIONS          parts that a query is divided into; the number of cores unless told
  -o FILTER              write the filter that the last statement gives to this file
  --scheduler HOST:PORT  run the statements in a Ballista cluster
`scheduler` and `executor` are the programs of a cluster. An executor has two ports, PORT and the
next one, and keeps its part of a query in FOLDER.";

/// The flags of a run.
#[derive(Default)]
struct Flags {
    partitions: Option<usize>,
    output: Option<PathBuf>,
    scheduler: Option<String>,
    statements: Vec<String>,
}

impl Flags {
    fn read(mut args: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut flags = Flags::default();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} has no value\n{USAGE}"));
            match arg.as_str() {
                "-p" => {
                    let number = value()?;
                    let parsed = number.parse().ok().filter(|partitions| *partitions > 0);
                    flags.partitions =
                        Some(parsed.ok_or(format!("-p is {number}; it must be a number from 1 on"))?);
                }
                "-o" => flags.output = Some(value()?.into()),
                "--scheduler" => flags.scheduler = Some(value()?),
                "-h" | "--help" => return Err(USAGE.into()),
                _ if arg.starts_with('-') => return Err(format!("{arg} is no flag\n{USAGE}").into()),
                _ => flags.statements.push(arg),
            }
        }
        Ok(flags)
    }
}

async fn session(flags: &Flags) -> Result<SessionContext, Failure> {
    let mut config = SessionConfig::new();
    if let Some(partitions) = flags.partitions {
        config = config.with_target_partitions(partitions);
    }
    let Some(scheduler) = &flags.scheduler else {
        let mut context = SessionContext::new_with_config(config);
        tepal_datafusion::register_all(&mut context)?;
        return Ok(context.enable_url_table());
    };
    #[cfg(feature = "ballista")]
    return cluster::client(scheduler, config).await;
    #[cfg(not(feature = "ballista"))]
    Err(format!("no cluster at {scheduler}: build with --features ballista").into())
}

async fn run(args: Vec<String>) -> Result<(), Failure> {
    #[cfg(feature = "ballista")]
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["scheduler", port] => return cluster::scheduler(port.parse()?).await,
        ["executor", scheduler, port, folder] => {
            return cluster::executor(scheduler.parse()?, port.parse()?, folder).await;
        }
        _ => {}
    }
    let mut flags = Flags::read(args.into_iter())?;
    if flags.statements.is_empty() {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        flags.statements.push(text);
    }
    let context = session(&flags).await?;
    let mut last = None;
    for statements in &flags.statements {
        last = run::statements(&context, statements, flags.output.is_none()).await?.or(last);
    }
    match &flags.output {
        Some(path) => run::save(last.as_deref().unwrap_or_default(), path),
        None => Ok(()),
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("tepal-sql: {failure}");
            ExitCode::FAILURE
        }
    }
}
