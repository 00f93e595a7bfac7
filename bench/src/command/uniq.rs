//! `tepal uniq` beside the floor and beside what else prints each line once.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Result, build_tepal, time};
use crate::args::CommandArgs;
use crate::machine;
use crate::measure::median;

/// The list: half of its lines are repeats of any line before.
const LIST: &str = "urls.txt";
const HOSTS: [&str; 4] = ["www.example.com", "shop.example.org", "news.example.net", "blog.example.io"];

/// The peers: what they are called here, the program, what it is given before the list, whether it
/// reads standard input alone, and how it is got.
const PEERS: [(&str, &str, &[&str], bool, &str); 5] = [
    ("runiq", "runiq", &[], false, "cargo install runiq"),
    ("runiq, a Bloom filter of its own", "runiq", &["-f", "compact"], false, "cargo install runiq"),
    ("huniq", "huniq", &[], true, "cargo install huniq"),
    ("mawk '!seen[$0]++'", "mawk", &["!seen[$0]++"], false, "apt-get install mawk"),
    ("sort -u", "sort", &["-u"], false, "part of every Unix"),
];

/// One program, and its rounds.
struct Row {
    name: String,
    program: PathBuf,
    args: Vec<String>,
    /// From standard input: it takes no file.
    piped: bool,
    cpu: Vec<f64>,
    wall: Vec<f64>,
}

/// Makes the list, times everything, prints the table.
pub(super) fn run(args: &CommandArgs, urls: usize) -> Result<()> {
    let tepal = args.tepal.clone().map_or_else(build_tepal, Ok)?;
    let temporary = std::env::temp_dir().join(format!("tepal-bench-{}", std::process::id()));
    let dir = args.dir.as_ref().unwrap_or(&temporary);
    fs::create_dir_all(dir)?;
    let list = dir.join(LIST);
    eprintln!("writing {urls} lines into {}", list.display());
    let different = write_list(&list, urls)?;
    let measured = measure(args, &tepal, &list);
    let removed = if args.dir.is_none() { fs::remove_dir_all(dir) } else { Ok(()) };
    let (rows, missing) = measured?;
    print!("{}", report(args, urls, different, &rows, &missing));
    Ok(removed?)
}

/// Writes so many lines. Says how many are different.
fn write_list(path: &Path, urls: usize) -> Result<u64> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let (mut random, mut different) = (0x9E37_79B9_7F4A_7C15u64, 0u64);
    for _ in 0..urls {
        // Xorshift.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let is_repeat = different > 0 && random >> 63 == 1;
        let n = if is_repeat { (random >> 8) % different } else { different };
        different += u64::from(!is_repeat);
        let (host, x) = (HOSTS[(n % 4) as usize], n.wrapping_mul(2_654_435_761) as u32);
        writeln!(out, "https://{host}/articles/{x:08x}/{n}.html?page={}", n % 7)?;
    }
    out.flush()?;
    Ok(different)
}

fn measure(args: &CommandArgs, tepal: &Path, list: &Path) -> Result<(Vec<Row>, Vec<String>)> {
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    let file = list.display().to_string();
    let mut add = |name: &str, program: &Path, args: &[&str], piped| {
        let args = args.iter().map(ToString::to_string).collect();
        rows.push(Row {
            name: name.to_owned(),
            program: program.to_owned(),
            args,
            piped,
            cpu: Vec::new(),
            wall: Vec::new(),
        });
    };
    let bench = std::env::current_exe()?;
    add("floor: read, split, hash", &bench, &["floor", &file], false);
    for (name, flags) in [
        ("tepal uniq -j 1", &["-j", "1"][..]),
        ("tepal uniq -j 2", &["-j", "2"]),
        ("tepal uniq -j 1, out of a pipe", &["-j", "1"]),
        ("tepal uniq --exact -j 1", &["--exact", "-j", "1"]),
    ] {
        let piped = name.ends_with("pipe");
        let mut flags = [&["uniq"], flags].concat();
        if !piped {
            flags.push(&file);
        }
        add(name, tepal, &flags, piped);
    }
    for (name, program, flags, piped, how) in PEERS {
        if Command::new(program).arg("--version").output().is_err() {
            missing.push(format!("{name} ({how})"));
            continue;
        }
        let file: &[&str] = if piped { &[] } else { &[&file] };
        add(name, Path::new(program), &[flags, file].concat(), piped);
    }
    for round in 0..args.rounds {
        eprintln!("round {} of {}", round + 1, args.rounds);
        for row in &mut rows {
            let mut command = Command::new(&row.program);
            // Without it `sort` compares by the rules of a language.
            command.args(&row.args).env("LC_ALL", "C");
            if row.piped {
                command.stdin(File::open(list)?);
            }
            let (cpu, wall) = time(&mut command)?;
            row.cpu.push(cpu);
            row.wall.push(wall);
        }
    }
    Ok((rows, missing))
}

fn report(args: &CommandArgs, urls: usize, different: u64, rows: &[Row], missing: &[String]) -> String {
    let mut text = format!(
        "# tepal uniq\n\n{}\n{urls} URLs of some 62 bytes, {different} of them different. Seconds, medians of {} rounds. The floor \
         reads the lines and hashes them with XXH3-64.\n\n| process | CPU | CPU / floor | CPU / tepal uniq -j 1 | clock |\n\
         | --- | --: | --: | --: | --: |\n",
        machine::describe(),
        args.rounds,
    );
    let cpu = |row: &Row| median(&row.cpu);
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {:.3} | {:.2} | {:.2} | {:.3} |",
            row.name,
            cpu(row),
            cpu(row) / cpu(&rows[0]),
            cpu(row) / cpu(&rows[1]),
            median(&row.wall)
        );
    }
    for peer in missing {
        let _ = writeln!(text, "\nNot there, and not measured: {peer}.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_list_are_repeats() {
        let path = std::env::temp_dir().join(format!("tepal-bench-test-{}", std::process::id()));
        let different = write_list(&path, 20_000).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let lines: std::collections::HashSet<&str> = text.lines().collect();
        assert_eq!((text.lines().count(), lines.len() as u64), (20_000, different));
        assert!((9_500..10_500).contains(&different), "{different}");
    }
}
