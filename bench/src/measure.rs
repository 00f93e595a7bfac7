//! One case: the answers are checked and the false-positive rate measured, then rounds over all
//! contenders are timed.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Duration;

use cpu_time::ProcessTime;

use crate::contender::{Calls, Contender};
use crate::keys::{ABSENT, Family, numbered};

/// What is measured: so many keys, at this wanted rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) keys: usize,
    pub(crate) rate: f64,
}

impl Case {
    /// More rounds where they are cheap.
    fn rounds(&self) -> usize {
        if self.keys > 4_000_000 { 3 } else { 7 }
    }

    /// Absent keys asked for the false-positive rate: enough for 20,000 wrong answers, which makes the
    /// standard deviation of the measured rate 0.7 % of it.
    fn questions(&self) -> u64 {
        ((20_000.0 / self.rate) as u64).max(2_000_000)
    }
}

/// What was found of one contender.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) calls: Calls,
    pub(crate) bits_per_key: f64,
    /// The measured share of wrong answers; a limit row has none.
    pub(crate) rate: Option<f64>,
    pub(crate) insert: Times,
    pub(crate) hit: Times,
    pub(crate) miss: Times,
}

/// CPU nanoseconds a key, one figure a round.
#[derive(Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    /// The middle one.
    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }

    /// From the fastest round to the slowest, as a share of the median.
    pub(crate) fn spread(&self) -> f64 {
        let (least, most) = self.0.iter().fold((f64::MAX, 0.0_f64), |(a, b), &t| (a.min(t), b.max(t)));
        (most - least) / self.median()
    }
}

/// Every timed cell works at least this long, so that reading the clock does not matter.
const LEAST_WORK: Duration = Duration::from_millis(20);

/// Keys asked in one call of [`Contender::contains`].
const CHUNK: usize = 1 << 13;

/// At least so many different absent keys are asked in turn: with fewer, the branch predictor learns the
/// answers by heart and filters that leave at the first missing bit look faster than they are.
const FEWEST_MISSES: usize = 1 << 20;
/// At most so many present or absent keys are asked in one pass.
const MOST_ASKED: usize = 1 << 22;

/// Checks and times everyone.
pub(crate) fn run<K: Family>(case: Case) -> Vec<Row> {
    let present: Vec<K> = numbered(0..case.keys as u64);
    let misses = case.keys.clamp(FEWEST_MISSES, MOST_ASKED) as u64;
    let absent: Vec<K> = numbered(ABSENT..ABSENT + misses);
    let hits = &present[..case.keys.min(MOST_ASKED)];

    let mut field = K::contenders(case.keys, case.rate);
    let mut rows = check(&mut field, &present, case);
    // Seeded, so that a run can be repeated.
    let mut random = fastrand::Rng::with_seed(case.keys as u64);
    let mut order: Vec<usize> = (0..field.len()).collect();
    for _ in 0..case.rounds() {
        random.shuffle(&mut order);
        for &i in &order {
            let (contender, row) = (field[i].as_mut(), &mut rows[i]);
            row.insert.0.push(time_inserts(contender, &present));
            row.hit.0.push(time_questions(contender, hits));
            row.miss.0.push(time_questions(contender, &absent));
        }
    }
    rows
}

fn time_inserts<K>(contender: &mut dyn Contender<K>, keys: &[K]) -> f64 {
    let (mut spent, mut passes) = (Duration::ZERO, 0);
    while spent < LEAST_WORK {
        contender.clear();
        let start = ProcessTime::now();
        contender.insert(black_box(keys));
        spent += start.elapsed();
        passes += 1;
    }
    spent.as_nanos() as f64 / (passes * keys.len()) as f64
}

fn time_questions<K>(contender: &dyn Contender<K>, keys: &[K]) -> f64 {
    let mut answers = [false; CHUNK];
    let (mut spent, mut passes) = (Duration::ZERO, 0);
    while spent < LEAST_WORK {
        let start = ProcessTime::now();
        for keys in keys.chunks(CHUNK) {
            contender.contains(keys, &mut answers[..keys.len()]);
            black_box(&answers);
        }
        spent += start.elapsed();
        passes += 1;
    }
    spent.as_nanos() as f64 / (passes * keys.len()) as f64
}

/// Inserts all keys into everyone and asks for them and for keys that were never inserted.
///
/// # Panics
/// If a contender denies a key it holds, or two rows of one name answer differently.
fn check<K: Family>(field: &mut [Box<dyn Contender<K>>], present: &[K], case: Case) -> Vec<Row> {
    let mut wrong = vec![Wrong::default(); field.len()];
    for contender in field.iter_mut() {
        contender.clear();
        contender.insert(present);
        if contender.calls() != Calls::Limit {
            let mut answers = [false; CHUNK];
            for keys in present.chunks(CHUNK) {
                contender.contains(keys, &mut answers[..keys.len()]);
                assert!(
                    answers[..keys.len()].iter().all(|a| *a),
                    "{} denies a key it holds",
                    contender.name()
                );
            }
        }
    }
    // Absent keys come and go in pieces: for low rates they would fill the memory.
    let questions = ABSENT..ABSENT + case.questions();
    for from in questions.clone().step_by(CHUNK) {
        let keys: Vec<K> = numbered(from..questions.end.min(from + CHUNK as u64));
        let mut answers = [false; CHUNK];
        for (contender, wrong) in field.iter().zip(&mut wrong) {
            contender.contains(&keys, &mut answers[..keys.len()]);
            wrong.add(from, &answers[..keys.len()]);
        }
    }
    let mut seen: HashMap<&str, &Wrong> = HashMap::new();
    for (contender, wrong) in field.iter().zip(&wrong) {
        let first = seen.entry(contender.name()).or_insert(wrong);
        assert_eq!(*first, wrong, "{}: a batch and single keys are answered differently", contender.name());
    }
    let row = |(contender, wrong): (&dyn Contender<K>, &Wrong)| Row {
        name: contender.name().to_string(),
        calls: contender.calls(),
        bits_per_key: contender.bits() as f64 / case.keys as f64,
        rate: (contender.calls() != Calls::Limit).then(|| wrong.count as f64 / case.questions() as f64),
        insert: Times::default(),
        hit: Times::default(),
        miss: Times::default(),
    };
    field.iter().map(AsRef::as_ref).zip(&wrong).map(row).collect()
}

/// The wrong answers of one contender: how many, and a number that tells which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Wrong {
    count: u64,
    which: u64,
}

impl Wrong {
    fn add(&mut self, from: u64, answers: &[bool]) {
        for (question, _) in (from..).zip(answers).filter(|(_, answer)| **answer) {
            self.count += 1;
            self.which = (self.which ^ question).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }
}
