//! Before anything is timed: no filter denies a key it holds, rows of one filter answer alike, and
//! each filter's false-positive rate is measured.

use std::collections::HashMap;

use crate::case::Case;
use crate::contender::{Calls, Contender};
use crate::keys::{ABSENT, Family, numbered};
use crate::measure::{CHUNK, Row, Times};

/// Absent keys made at a time: for low rates all of them would fill the memory.
const PIECE: u64 = 1 << 20;

/// Inserts all keys into everyone and asks for them and for keys that were never inserted. Everyone
/// is filled afterwards.
///
/// # Panics
/// If a contender denies a key it holds, or two rows of one name answer differently.
pub(crate) fn run<K: Family>(field: &mut [Box<dyn Contender<K>>], present: &[K], case: Case) -> Vec<Row> {
    let mut answers = vec![false; PIECE as usize];
    for contender in field.iter_mut() {
        contender.clear();
        contender.insert(present);
        if contender.calls() == Calls::Limit {
            continue;
        }
        for keys in present.chunks(PIECE as usize) {
            ask(contender.as_ref(), keys, &mut answers);
            assert!(answers[..keys.len()].iter().all(|a| *a), "{} denies a key it holds", contender.name());
        }
    }

    let mut wrong = vec![Wrong::default(); field.len()];
    let questions = ABSENT..ABSENT + case.questions();
    for from in questions.clone().step_by(PIECE as usize) {
        let keys: Vec<K> = numbered(from..questions.end.min(from + PIECE));
        for (contender, wrong) in field.iter().zip(&mut wrong) {
            if contender.calls() != Calls::Limit {
                ask(contender.as_ref(), &keys, &mut answers);
                wrong.add(from, &answers[..keys.len()]);
            }
        }
    }

    let mut seen: HashMap<&str, &Wrong> = HashMap::new();
    for (contender, wrong) in field.iter().zip(&wrong) {
        let first = seen.entry(contender.name()).or_insert(wrong);
        assert_eq!(*first, wrong, "{}: rows of one filter are answered differently", contender.name());
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

/// Asks in the pieces in which the row is timed.
fn ask<K>(contender: &dyn Contender<K>, keys: &[K], answers: &mut [bool]) {
    let piece = if contender.calls().takes_all() { keys.len() } else { CHUNK };
    for (keys, answers) in keys.chunks(piece).zip(answers.chunks_mut(piece)) {
        contender.contains(keys, &mut answers[..keys.len()]);
    }
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
