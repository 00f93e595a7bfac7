//! A filter against a hash semi join of the same tables: time, CPU time, peak memory.
//!
//! ```text
//! cargo run --release --example semi_join -- 1000000,10000000 1,10,50 5
//! ```
//!
//! The arguments are numbers of build keys, shares of rows that match in percent, and rounds. Each
//! measurement is a process of its own, so that its peak memory is the query's; the ways take
//! turns, and the table has medians.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::prelude::SessionContext;

/// Rows that are looked up.
const ROWS: u64 = 10_000_000;
const WAYS: [&str; 4] = ["semi join", "bloom_build", "bloom_contains_file", "file, then join"];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn session() -> Result<SessionContext> {
    let mut context = SessionContext::new();
    tepal_datafusion::register_all(&mut context)?;
    Ok(context.enable_url_table())
}

/// The query of a way.
fn query(way: &str, keys: u64, percent: u64) -> String {
    let (from_keys, rows) = (format!("'keys-{keys}.parquet'"), format!("'rows-{keys}-{percent}.parquet'"));
    let member = format!("id in (select id from {from_keys})");
    let filter = format!("bloom_contains_file('keys-{keys}.tepal', id)");
    let asked = match way {
        "semi join" => member,
        "bloom_build" => {
            format!("bloom_contains((select bloom_build(id, {keys}, 0.01) from {from_keys}), id)")
        }
        "bloom_contains_file" => filter,
        _ => format!("{filter} and {member}"),
    };
    format!("select count(*), sum(other) from {rows} where {asked}")
}

/// Writes the tables: ids in a mixed order, and of the rows the given share has an id of the keys.
async fn write_tables(keys: u64, percents: &[u64]) -> Result<()> {
    let context = session()?;
    let run = async |sql: String| -> Result<()> {
        context.sql(&sql).await?.collect().await?;
        Ok(())
    };
    // Multiplication by an odd number is one to one, and mixes the order.
    let id = |n: &str| format!("cast({n} as bigint) * 2654435761 % 9007199254740993");
    let path = format!("keys-{keys}.parquet");
    if !Path::new(&path).exists() {
        run(format!("copy (select {} as id from generate_series(0, {})) to '{path}'", id("value"), keys - 1))
            .await?;
        let sql = format!("select bloom_build(id, {keys}, 0.01) from '{path}'");
        let batch = context.sql(&sql).await?.collect().await?.remove(0);
        tepal::from_bytes(batch.column(0).as_binary_view().value(0))?.save(format!("keys-{keys}.tepal"))?;
    }
    for percent in percents {
        let path = format!("rows-{keys}-{percent}.parquet");
        if !Path::new(&path).exists() {
            let number = format!(
                "case when value % 100 < {percent} then value * 7919 % {keys} else value + {keys} end"
            );
            let sql = format!(
                "copy (select {} as id, value as other from generate_series(0, {})) to '{path}'",
                id(&format!("({number})")),
                ROWS - 1
            );
            run(sql).await?;
        }
    }
    Ok(())
}

/// A field of `/proc/self/status` in MB, and the CPU time of the process in seconds.
fn used() -> Result<(f64, f64)> {
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kib: f64 = peak.trim().trim_end_matches(" kB").parse()?;
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(") ").next().ok_or("no fields")?.split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok((kib * 1024.0 / 1e6, ticks / 100.0))
}

async fn measure(way: &str, keys: u64, percent: u64) -> Result<()> {
    let context = session()?;
    let started = Instant::now();
    let batch = context.sql(&query(way, keys, percent)).await?.collect().await?.remove(0);
    let seconds = started.elapsed().as_secs_f64();
    let (peak, cpu) = used()?;
    println!("{seconds} {cpu} {peak} {}", batch.column(0).as_primitive::<Int64Type>().value(0));
    Ok(())
}

fn numbers(text: &str) -> Result<Vec<u64>> {
    Ok(text.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

async fn compare(sizes: &[u64], percents: &[u64], rounds: u64) -> Result<()> {
    println!("{ROWS} rows; time and CPU time in s, peak memory in MB, rows that pass\n");
    println!("| keys | match | way | time | CPU | memory | rows |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for &keys in sizes {
        write_tables(keys, percents).await?;
        for &percent in percents {
            let mut found: BTreeMap<&str, [Vec<f64>; 4]> = BTreeMap::new();
            for _ in 0..rounds {
                for way in WAYS {
                    let args = ["one", way, &keys.to_string(), &percent.to_string()];
                    let ran = Command::new(env::current_exe()?).args(args).output()?;
                    if !ran.status.success() {
                        return Err(String::from_utf8_lossy(&ran.stderr).into());
                    }
                    let text = String::from_utf8(ran.stdout)?;
                    let all = found.entry(way).or_default();
                    for (values, word) in all.iter_mut().zip(text.split_whitespace()) {
                        values.push(word.parse()?);
                    }
                }
            }
            for way in WAYS {
                let [time, cpu, memory, rows] = found.get_mut(way).ok_or("not measured")?;
                let (time, cpu, memory) = (median(time), median(cpu), median(memory));
                println!(
                    "| {keys} | {percent} % | {way} | {time:.2} | {cpu:.2} | {memory:.0} | {} |",
                    rows[0]
                );
            }
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let folder = env::temp_dir().join("tepal-semi-join");
    fs::create_dir_all(&folder)?;
    env::set_current_dir(&folder)?;
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["one", way, keys, percent] => measure(way, keys.parse()?, percent.parse()?).await,
        [sizes, percents, rounds] => compare(&numbers(sizes)?, &numbers(percents)?, rounds.parse()?).await,
        _ => Err("usage: semi_join KEYS,KEYS PERCENT,PERCENT ROUNDS".into()),
    }
}
