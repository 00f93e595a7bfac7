//! Guava by the side: a Java program that measures the same cases in a process of its own.

use std::error::Error;
use std::fmt::Write;
use std::process::{Command, Stdio};

use crate::case::{Case, Group, rate_name};
use crate::keys::Kind;
use crate::report::percent;

/// Compiles and runs the program, and gives its table.
///
/// # Errors
/// Where there is no JDK or no Guava; the script says what to install.
pub(crate) fn run(cases: &[Case]) -> Result<String, Box<dyn Error>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/guava/run");
    let mut text = String::from(
        "\n## Guava, by the side\n\nIn a Java process of its own, after warming up: not interleaved with the tables \
         above, so compare with care. Hashed keys are `long`s, which Guava hashes once more.\n\n\
         | keys | bits/key | rate | insert | hit | miss |\n| --- | --: | --: | --: | --: | --: |\n",
    );
    for case in cases {
        let Group::Alone(kind) = case.group else { continue };
        let name = match kind {
            Kind::Hashed => "hashed",
            Kind::Ids => "ids",
            Kind::Urls => "urls",
        };
        eprintln!("measuring {:e} keys at {}: Guava, {name}", case.keys, rate_name(case.rate));
        let (keys, rate) = (case.keys.to_string(), case.rate.to_string());
        let rounds = case.rounds().to_string();
        let questions = case.questions().to_string();
        let output = Command::new(script)
            .args([name, &keys, &rate, &rounds, &questions])
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("{script}: {error}"))?;
        if !output.status.success() {
            return Err("bench/guava/run failed; it says why above".into());
        }
        let line = String::from_utf8(output.stdout)?;
        let figures: Vec<f64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let [bits, rate, insert, hit, miss] = figures[..] else {
            return Err(format!("bench/guava/run printed {line:?}; expected five numbers").into());
        };
        let _ = writeln!(
            text,
            "| {}: {name} | {bits:.2} | {} | {insert:.2} | {hit:.2} | {miss:.2} |",
            case.short(),
            percent(rate)
        );
    }
    Ok(text)
}
