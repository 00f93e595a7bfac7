//! Several threads against one, over random records in random pieces.

use std::io::{self, Read};

use super::*;
use crate::input::bad::BadPolicy;
use crate::input::csv::Csv;
use crate::input::field::KeyRules;
use crate::input::field::RowFormat;
use crate::input::pages::Inputs;
use crate::input::pipeline::{self, SinkOf, Work};
use crate::input::records::Cut;
use crate::input::source::{Input, Source};
use crate::random::Random;

/// Gives its bytes in pieces of random length, and may fail at their end.
struct Trickle {
    bytes: Vec<u8>,
    at: usize,
    random: Random,
    longest: u64,
    fails: bool,
}

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n =
            (1 + self.random.below(self.longest) as usize).min(buffer.len()).min(self.bytes.len() - self.at);
        if n == 0 && self.fails {
            return Err(io::Error::other("the disk is gone"));
        }
        buffer[..n].copy_from_slice(&self.bytes[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

/// Takes the length of each key; refuses keys with a `!`.
struct Lengths;

impl Work for Lengths {
    type Tools = ();
    type Results = Vec<usize>;

    fn tools(&self) {}

    fn clear(results: &mut Vec<usize>) {
        results.clear();
    }

    fn work(&self, (): &mut (), keys: &mut Keys<'_>, results: &mut Vec<usize>) -> Result<(), Refused> {
        for record in 0..keys.batch.len() {
            let length = match keys.key(record) {
                Ok(Some(key)) if key.contains(&b'!') => Err("an exclamation".to_owned()),
                key => key.map(|key| key.map_or(usize::MAX, <[u8]>::len)),
            };
            if let Err(text) = &length {
                keys.bad.push(record, text.clone())?;
            }
            results.push(length.unwrap_or(usize::MAX - 1));
        }
        Ok(())
    }
}

/// Writes down all that it is given. It may stop after some records.
#[derive(Debug, Default, PartialEq, Eq)]
struct Log {
    records: Vec<(Vec<u8>, u64, usize)>,
    stop_after: Option<usize>,
    stopped: bool,
}

impl Sink<Vec<usize>> for Log {
    fn take(&mut self, page: &mut Page<'_>, results: &Vec<usize>) -> Result<Flow, Failure> {
        assert_eq!((page.name, page.input), ("x", 1));
        for (i, &len) in results.iter().enumerate() {
            if self.stop_after.is_some_and(|most| self.records.len() >= most) {
                self.stopped = true;
                page.taken = i;
                return Ok(Flow::Stop);
            }
            self.records.push((page.keys.batch.bytes(i, i + 1).to_vec(), page.line(i), len));
        }
        Ok(Flow::Continue)
    }
}

/// The longest record.
const LONGEST: usize = 64 << 20;

fn open(
    bytes: &[u8],
    cut: Cut,
    extractor: Extractor,
    random: &mut Random,
    fails: bool,
    bad: BadPolicy,
) -> OpenInput {
    let longest = 1 + random.below(300);
    let trickle =
        Trickle { bytes: bytes.to_vec(), at: 0, random: Random::new(random.next_u64()), longest, fails };
    let pieces = Pieces::new(Input::of_bytes("x", trickle), cut, LONGEST);
    OpenInput::of_pieces(pieces, extractor, bad)
}

fn logged(run: impl FnOnce(&mut Log) -> Result<(), Failure>, stop_after: Option<usize>) -> (Log, String) {
    let mut log = Log { stop_after, ..Log::default() };
    let end = match run(&mut log) {
        Ok(()) if log.stopped => "stopped".to_owned(),
        Ok(()) => "the end".to_owned(),
        Err(failure) => format!("{failure:?}"),
    };
    (log, end)
}

/// Works on the rest of an input with so many workers, and checks how that ends.
fn run_threads(input: OpenInput, workers: u64, log: &mut Log, total: &mut BadTotal) -> Result<(), Failure> {
    let workers = NonZeroUsize::new(workers as usize).unwrap();
    let flow = run(input, workers, &Lengths, &mut SinkOf(log), total)?;
    assert_eq!(flow == Flow::Stop, log.stopped);
    Ok(())
}

#[test]
fn several_threads_give_what_one_gives() {
    let mut random = Random::new(0x5eed);
    let (mut ends, mut left_out) = (BTreeMap::new(), 0);
    for case in 0..600 {
        let alphabet: &[u8] = if random.below(4) == 0 { b"ab,\"\r\n\0!" } else { b"abc,,\r\n\n\0" };
        let len = random.below(3000) as usize;
        let bytes: Vec<u8> =
            (0..len).map(|_| alphabet[random.below(alphabet.len() as u64) as usize]).collect();
        let csv = Cut::Csv(Csv { delimiter: b',', escape: None });
        let cut = [Cut::Lines, Cut::Null, csv][random.below(3) as usize];
        let row = RowFormat { quotes: cut == csv, ..RowFormat::plain(b',') };
        let extractor = match random.below(3) {
            0 => Extractor::column(1, row),
            _ => Extractor::Whole,
        };
        let fails = random.below(4) == 0;
        let stop_after = (random.below(4) == 0).then(|| random.below(100) as usize);
        let bad = [BadPolicy::Fail, BadPolicy::Warn][random.below(2) as usize];
        let open_again = |seed| open(&bytes, cut, extractor.another(), &mut Random::new(seed), fails, bad);
        let mut inputs = Inputs::of_open(open_again(case + 1));
        let expected = logged(|log| pipeline::run(&mut inputs, &Lengths, log), stop_after);
        let expected = (expected, format!("{:?}", inputs.bad));
        left_out += inputs.bad.records();
        for threads in [1, 2, 3, 8] {
            let mut total = BadTotal::default();
            let threaded = |log: &mut Log| run_threads(open_again(case + threads), threads, log, &mut total);
            let found = logged(threaded, stop_after);
            assert_eq!((found, format!("{total:?}")), expected, "case {case}, {threads} threads");
        }
        let kind = expected.0.1.split("line").next().unwrap_or_default().to_owned();
        *ends.entry(kind).or_insert(0) += 1;
    }
    assert!(left_out > 1000, "{left_out}");
    // Every way to end was met: the end of the input, a stop, a refused record, a failed read.
    assert!(ends.len() >= 4 && ends.values().all(|&cases| cases > 10), "{ends:?}");
}

/// An input that gives some records and then nothing, for ever.
struct Silence(Vec<u8>);

impl Read for Silence {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            loop {
                thread::park();
            }
        }
        let n = self.0.len();
        buffer[..n].copy_from_slice(&self.0);
        self.0.clear();
        Ok(n)
    }
}

#[test]
fn a_silent_input_is_not_waited_for_when_its_rest_is_not_needed() {
    let input = Input::of_bytes("x", Silence(b"one\ntwo\nthree\n".to_vec()));
    let open =
        OpenInput::of_pieces(Pieces::new(input, Cut::Lines, LONGEST), Extractor::Whole, BadPolicy::Fail);
    let (log, end) = logged(|log| run_threads(open, 3, log, &mut BadTotal::default()), Some(2));
    assert_eq!((log.records.len(), end.as_str()), (2, "stopped"));
    let input = Input::of_bytes("x", Silence(b"one\ntwo!\n".to_vec()));
    let open =
        OpenInput::of_pieces(Pieces::new(input, Cut::Lines, LONGEST), Extractor::Whole, BadPolicy::Fail);
    let (log, end) = logged(|log| run_threads(open, 3, log, &mut BadTotal::default()), None);
    assert_eq!((log.records.len(), end.contains("x: line 2: an exclamation")), (1, true));
}

/// Panics at some record.
struct Falls;

impl Work for Falls {
    type Tools = ();
    type Results = Vec<usize>;

    fn tools(&self) {}

    fn clear(_results: &mut Vec<usize>) {}

    fn work(&self, (): &mut (), keys: &mut Keys<'_>, _results: &mut Vec<usize>) -> Result<(), Refused> {
        assert!(keys.batch.content(0) != b"fall", "as wanted");
        Ok(())
    }
}

#[test]
fn a_thread_that_panics_is_not_taken_for_the_end() {
    let input = Input::of_bytes("x", Silence(b"fall\n".to_vec()));
    let open =
        OpenInput::of_pieces(Pieces::new(input, Cut::Lines, LONGEST), Extractor::Whole, BadPolicy::Fail);
    let mut total = BadTotal::default();
    let mut log = Log::default();
    let run = || run(open, NonZeroUsize::new(2).unwrap(), &Falls, &mut SinkOf(&mut log), &mut total);
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
}

#[test]
fn a_long_record_is_taken_with_its_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let mut bytes = b"short\n".repeat(200_000);
    bytes.extend(vec![b'y'; 9 << 20]);
    bytes.extend(b"\nshort\n".repeat(200_000));
    std::fs::write(&path, &bytes).unwrap();
    let lengths = |threads| {
        let rules = KeyRules::default();
        let (sources, threads) = (vec![Source::Path(path.clone())], NonZeroUsize::new(threads).unwrap());
        let mut inputs = Inputs::new(sources, rules, threads, true).unwrap();
        let mut lengths = Total::default();
        pipeline::run(&mut inputs, &Lengths, &mut lengths).unwrap();
        lengths
    };
    assert_eq!(lengths(3), Total { records: 600_000, longest: 9 << 20, last_line: 600_000 });
    assert_eq!(lengths(1), lengths(3));
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Total {
    records: usize,
    longest: usize,
    last_line: u64,
}

impl Sink<Vec<usize>> for Total {
    fn take(&mut self, page: &mut Page<'_>, results: &Vec<usize>) -> Result<Flow, Failure> {
        self.records += results.len();
        self.longest = self.longest.max(results.iter().copied().max().unwrap_or(0));
        self.last_line = page.line(results.len() - 1);
        Ok(Flow::Continue)
    }
}
