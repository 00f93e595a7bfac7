//! The rounds over all contenders of one case.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use crate::case::Case;
use crate::check;
use crate::contender::{Calls, Contender};
use crate::keys::{ABSENT, Family, numbered};

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

impl Row {
    /// Insert, hit, miss.
    pub(crate) fn times(&self) -> [&Times; 3] {
        [&self.insert, &self.hit, &self.miss]
    }
}

/// Nanoseconds a key, one figure a round.
#[derive(Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    /// The middle one.
    pub(crate) fn median(&self) -> f64 {
        median(&self.0)
    }

    /// These times divided by those of another contender in the same round: the middle quotient. A
    /// busy neighbour slows down both times of a round.
    pub(crate) fn over(&self, other: &Times) -> f64 {
        let quotients: Vec<f64> = self.0.iter().zip(&other.0).map(|(this, other)| this / other).collect();
        median(&quotients)
    }

    pub(crate) fn push(&mut self, time: f64) {
        self.0.push(time);
    }

    /// From the fastest round to the slowest, as a share of the median.
    pub(crate) fn spread(&self) -> f64 {
        let (least, most) = self.0.iter().fold((f64::MAX, 0.0_f64), |(a, b), &t| (a.min(t), b.max(t)));
        (most - least) / self.median()
    }
}

/// The middle one of some figures; the upper of the two middle ones.
pub(crate) fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Every timed cell works at least this long, so that reading the clock does not matter.
const LEAST_WORK: Duration = Duration::from_millis(20);

/// Keys asked in one call of [`Contender::contains`] that need not be more.
pub(crate) const CHUNK: usize = 1 << 13;

/// At least so many different absent keys are asked in turn: with fewer, the branch predictor
/// learns the answers by heart and filters that leave at the first missing bit look faster than
/// they are.
const FEWEST_MISSES: usize = 1 << 20;
/// At most so many present or absent keys are asked in one pass.
const MOST_ASKED: usize = 1 << 22;

/// Checks and times everyone.
pub(crate) fn run<K: Family>(case: Case, mut field: Vec<Box<dyn Contender<K>>>) -> Vec<Row> {
    let present: Vec<K> = numbered(0..case.keys as u64);
    let misses = case.keys.clamp(FEWEST_MISSES, MOST_ASKED) as u64;
    let absent: Vec<K> = numbered(ABSENT..ABSENT + misses);
    let hits = &present[..case.keys.min(MOST_ASKED)];
    let mut answers = vec![false; MOST_ASKED];

    let mut rows = check::run(&mut field, &present, case);
    // Seeded, so that a run can be repeated.
    let mut random = fastrand::Rng::with_seed(case.keys as u64);
    let mut order: Vec<usize> = (0..field.len()).collect();
    for _ in 0..case.rounds() {
        random.shuffle(&mut order);
        for &i in &order {
            let (contender, row) = (field[i].as_mut(), &mut rows[i]);
            row.insert.push(time_inserts(contender, &present));
            row.hit.push(time_questions(contender, hits, &mut answers));
            row.miss.push(time_questions(contender, &absent, &mut answers));
        }
    }
    rows
}

/// The clock that a row is timed by.
enum Clock {
    Cpu(ProcessTime),
    Wall(Instant),
}

impl Clock {
    fn start(calls: Calls) -> Self {
        if calls.by_the_clock() { Clock::Wall(Instant::now()) } else { Clock::Cpu(ProcessTime::now()) }
    }

    fn elapsed(&self) -> Duration {
        match self {
            Clock::Cpu(start) => start.elapsed(),
            Clock::Wall(start) => start.elapsed(),
        }
    }
}

/// Nanoseconds a key to insert these into a cleared filter.
pub(crate) fn time_inserts<K>(contender: &mut dyn Contender<K>, keys: &[K]) -> f64 {
    let (mut spent, mut passes) = (Duration::ZERO, 0);
    while spent < LEAST_WORK {
        contender.clear();
        let clock = Clock::start(contender.calls());
        contender.insert(black_box(keys));
        spent += clock.elapsed();
        passes += 1;
    }
    spent.as_nanos() as f64 / (passes * keys.len()) as f64
}

/// Nanoseconds a key to ask for these.
pub(crate) fn time_questions<K>(contender: &dyn Contender<K>, keys: &[K], answers: &mut [bool]) -> f64 {
    let piece = if contender.calls().takes_all() { keys.len() } else { CHUNK };
    let (mut spent, mut passes) = (Duration::ZERO, 0);
    while spent < LEAST_WORK {
        let clock = Clock::start(contender.calls());
        for keys in keys.chunks(piece) {
            contender.contains(keys, &mut answers[..keys.len()]);
            black_box(&mut *answers);
        }
        spent += clock.elapsed();
        passes += 1;
    }
    spent.as_nanos() as f64 / (passes * keys.len()) as f64
}
