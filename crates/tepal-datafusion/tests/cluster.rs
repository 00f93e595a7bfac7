//! A Ballista cluster on this machine: a scheduler and two executors, each a process of its own
//! that listens on loopback. It ends with the test.
//!
//! `TEPAL_CLUSTER=20000000,50000000` sets the number of keys and of rows that are looked up; the
//! last result of that is in `testdata/records/cluster.md`.
#![cfg(all(feature = "ballista", target_os = "linux"))]

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, fs};

use tepal::BloomFilter;
use tepal::build::Gather;
use tepal::file::Format;

/// How long a query runs before an executor is killed, in milliseconds.
const DELAYS: [u64; 6] = [100, 300, 500, 700, 900, 1200];

/// Partitions of both tables.
const PARTS: u64 = 8;

fn program() -> PathBuf {
    let program = env::current_exe().unwrap().parent().unwrap().with_file_name("examples").join("tepal-sql");
    assert!(
        program.exists(),
        "{} is missing: cargo build --all-features --example tepal-sql",
        program.display()
    );
    program
}

/// A process that ends with the test.
struct Process(Child);

impl Process {
    fn start(args: &[&str], folder: &Path) -> Self {
        let log = fs::File::create(folder.join(format!("{}.log", args.join("-").replace('/', "_")))).unwrap();
        let mut command = Command::new(program());
        command.args(args).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        Process(command.spawn().unwrap())
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that is free, and the next one too.
fn ports() -> u16 {
    for _ in 0..100 {
        let first = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = first.local_addr().unwrap().port();
        if port < u16::MAX && TcpListener::bind(("127.0.0.1", port + 1)).is_ok() {
            return port;
        }
    }
    panic!("no two free ports in a row");
}

fn await_port(port: u16) {
    let started = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(started.elapsed() < Duration::from_secs(60), "nothing listens on {port} after a minute");
        sleep(Duration::from_millis(50));
    }
}

struct Cluster {
    folder: PathBuf,
    scheduler_port: u16,
    _scheduler: Process,
    executors: Vec<Process>,
    started: usize,
}

impl Cluster {
    fn start(folder: &Path) -> Self {
        let scheduler_port = ports();
        let scheduler = Process::start(&["scheduler", &scheduler_port.to_string()], folder);
        await_port(scheduler_port);
        let mut cluster = Cluster {
            folder: folder.into(),
            scheduler_port,
            _scheduler: scheduler,
            executors: Vec::new(),
            started: 0,
        };
        cluster.add_executor();
        cluster.add_executor();
        cluster
    }

    fn add_executor(&mut self) {
        let port = ports();
        let work = self.folder.join(format!("work-{}", self.started));
        fs::create_dir_all(&work).unwrap();
        let args =
            ["executor", &self.scheduler_port.to_string(), &port.to_string(), &work.display().to_string()];
        self.executors.push(Process::start(&args, &self.folder));
        self.started += 1;
        await_port(port);
        // It says to the scheduler that it is there.
        sleep(Duration::from_secs(1));
    }

    /// Starts a query.
    fn query(&self, flags: &[&str], sql: &str) -> Child {
        let scheduler = format!("127.0.0.1:{}", self.scheduler_port);
        let mut command = Command::new("timeout");
        command
            .arg("600")
            .arg(program())
            .args(["-p", &PARTS.to_string(), "--scheduler", &scheduler])
            .args(flags)
            .arg(sql);
        command.current_dir(&self.folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Runs a query, and prints its time and what the processes sent to each other.
    fn timed(&self, what: &str, flags: &[&str], sql: &str) -> String {
        let (before, started) = (sent(), Instant::now());
        let printed = self.answer(flags, sql);
        let seconds = started.elapsed().as_secs_f64();
        println!("{what}: {seconds:.1} s, {:.1} MB sent", (sent() - before) as f64 / 1e6);
        printed
    }

    fn answer(&self, flags: &[&str], sql: &str) -> String {
        told(self.query(flags, sql)).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }
}

/// What a query prints, or its error.
fn told(query: Child) -> Result<String, String> {
    let ran = query.wait_with_output().unwrap();
    assert_ne!(ran.status.code(), Some(124), "a query did not end in ten minutes");
    match ran.status.success() {
        true => Ok(String::from_utf8(ran.stdout).unwrap()),
        false => Err(String::from_utf8(ran.stderr).unwrap()),
    }
}

/// The bytes that were sent over loopback since the machine started.
fn sent() -> u64 {
    let devices = fs::read_to_string("/proc/net/dev").unwrap();
    let loopback = devices.lines().find_map(|line| line.trim().strip_prefix("lo:")).unwrap();
    loopback.split_whitespace().next().unwrap().parse().unwrap()
}

/// The one number of a table that was printed.
fn number(printed: &str) -> u64 {
    let numbers: Vec<u64> =
        printed.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
    *numbers.last().unwrap_or_else(|| panic!("no number in {printed}"))
}

/// Writes a table of the numbers from `first` on, in one file for each part.
fn table(folder: &Path, name: &str, first: u64, count: u64) {
    fs::create_dir(folder.join(name)).unwrap();
    let files: Vec<String> = (0..PARTS)
        .map(|part| {
            let (from, to) = (first + part * count / PARTS, first + (part + 1) * count / PARTS - 1);
            format!("copy (select value as id from generate_series({from}, {to})) to '{name}/{part}.parquet'")
        })
        .collect();
    let ran = Command::new(program()).arg(files.join("; ")).current_dir(folder).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

fn tables(cluster: &Path) -> (String, String) {
    let path = |name: &str| format!("'{}/'", cluster.join(name).display());
    (path("keys"), path("asked"))
}

#[test]
fn two_executors_build_what_one_machine_builds_and_answer_the_same() {
    let sizes = env::var("TEPAL_CLUSTER").unwrap_or("200000,500000".into());
    let (keys, asked) = sizes.split_once(',').expect("TEPAL_CLUSTER=KEYS,ROWS");
    let (keys, asked): (u64, u64) = (keys.parse().unwrap(), asked.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    table(folder, "keys", 0, keys);
    table(folder, "asked", keys / 2, asked);
    let (from_keys, from_asked) = tables(folder);

    // In one place, by the library alone.
    let gather = Gather::new(BloomFilter::builder().false_positive_rate(0.01), Format::Tepal).unwrap();
    gather.insert_many(&(0..keys).collect::<Vec<_>>()).unwrap();
    let built = gather.finish().unwrap().file;
    let answers = built.contains_many(&(keys / 2..keys / 2 + asked).collect::<Vec<_>>());
    let expected = answers.iter().filter(|yes| **yes).count() as u64;
    assert!(expected >= (keys - keys / 2).min(asked), "a key was lost");

    let cluster = Cluster::start(folder);
    let seen = folder.join("seen.tepal").display().to_string();
    // Ballista has no subquery inside an aggregate: the count is joined to each row.
    let counted = format!("(select bloom_count(id) as n from {from_keys})");
    let build = format!("select bloom_build(id, n, 0.01) from {from_keys} cross join {counted}");
    cluster.timed(&format!("{keys} keys counted and built"), &["-o", &seen], &build);
    assert!(fs::read(&seen).unwrap() == built.to_bytes().unwrap(), "the cluster's filter has other bytes");

    let by_file = format!("select count(*) from {from_asked} where bloom_contains_file('{seen}', id)");
    let printed = cluster.timed(&format!("{asked} rows looked up in the file"), &[], &by_file);
    assert_eq!(number(&printed), expected);

    let by_value = format!("select count(*) from {from_asked} where bloom_contains(({build}), id)");
    let printed = cluster.timed("counted, built and looked up in one query", &[], &by_value);
    assert_eq!(number(&printed), expected);

    let by_join = format!("select count(*) from {from_asked} where id in (select id from {from_keys})");
    let printed = cluster.timed("a semi join of both tables", &[], &by_join);
    assert_eq!(number(&printed), (keys - keys / 2).min(asked));

    // An error on an executor is the query's error.
    let missing = format!("select count(*) from {from_asked} where bloom_contains_file('{seen}.none', id)");
    let error = told(cluster.query(&[], &missing)).unwrap_err();
    assert!(error.contains("seen.tepal.none' cannot be opened"), "{error}");
}

/// Rows that a killed executor had read may count twice (`docs/sql.md`), which changes no bit.
#[test]
fn a_filter_that_is_built_while_an_executor_is_killed_has_the_bits_of_one_machine() {
    let keys: u64 = 300_000;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    table(folder, "keys", 0, keys);
    let mut expected = BloomFilter::builder().capacity(keys).false_positive_rate(0.01).build().unwrap();
    expected.insert_many(&(0..keys).collect::<Vec<_>>()).unwrap();
    let expected = expected.to_bits().unwrap();

    let mut cluster = Cluster::start(folder);
    let build = format!("select bloom_build(id, {keys}, 0.01) from '{}/'", folder.join("keys").display());
    let seen = folder.join("seen.tepal").display().to_string();
    let (mut right, mut failed) = (0, 0);
    for delay in DELAYS {
        let query = cluster.query(&["-o", &seen], &build);
        sleep(Duration::from_millis(delay));
        cluster.executors.remove(0).kill();
        match told(query) {
            Ok(_) => {
                let built = BloomFilter::open(&seen).unwrap().to_bits().unwrap();
                assert!(built == expected, "an executor was killed after {delay} ms");
                right += 1;
            }
            Err(error) => {
                assert!(!error.is_empty());
                failed += 1;
            }
        }
        cluster.add_executor();
    }
    println!(
        "an executor was killed in {} queries: {right} gave the right bits, {failed} an error",
        DELAYS.len()
    );
    // The others work on.
    cluster.answer(&["-o", &seen], &build);
    assert!(BloomFilter::open(&seen).unwrap().to_bits().unwrap() == expected);
}
