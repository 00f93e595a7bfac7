//! A filter that is replaced while other processes read it: each answers from the old one or the
//! new one.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use tepal::BloomFilter;

use crate::place::Place;

const REPLACEMENTS: u32 = 300;

fn filter(keys: &[String]) -> BloomFilter {
    let mut filter = BloomFilter::builder().capacity(20_000).false_positive_rate(1e-9).build().unwrap();
    filter.insert_many(keys).unwrap();
    filter
}

#[test]
fn processes_answer_from_the_old_filter_or_the_new_one() {
    let place = Place::new();
    let keys = |side: &str| (0..200).map(|i| format!("{side}{i}")).collect::<Vec<_>>();
    let sides = [keys("a"), keys("b")];
    let texts = sides.each_ref().map(|keys| keys.join("\n") + "\n");
    place.write("both", texts.concat());
    let filters = sides.each_ref().map(|keys| filter(keys));
    filters[0].save(place.path("f")).unwrap();

    // One process that has the filter open the whole time, and is asked before and after.
    let mut holder = place.command("has f").stdin(Stdio::piped()).spawn().unwrap();
    let mut questions = holder.stdin.take().unwrap();
    // More than a pipe holds: when it is written, the program is reading, and has the filter.
    questions.write_all(texts[1].repeat(1000).as_bytes()).unwrap();

    let done = AtomicBool::new(false);
    let seen = [AtomicU32::new(0), AtomicU32::new(0)];
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let ran = place.run("has f both");
                    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
                    let side = texts.iter().position(|text| text.as_bytes() == ran.out);
                    seen[side.expect("a mixture of both sides")].fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for i in 1..=REPLACEMENTS {
            filters[i as usize % 2].save(place.path("f")).unwrap();
            // The other processes need the time of a start to see anything of it.
            thread::yield_now();
        }
        done.store(true, Ordering::Relaxed);
    });
    let [old, new] = seen.each_ref().map(|count| count.load(Ordering::Relaxed));
    assert!(old >= 3 && new >= 3, "{old} and {new} processes are too few to tell");

    questions.write_all(texts.concat().as_bytes()).unwrap();
    drop(questions);
    let lines: Vec<String> =
        BufReader::new(holder.stdout.take().unwrap()).lines().map(Result::unwrap).collect();
    assert!(holder.wait().unwrap().success());
    assert_eq!(lines, sides[0]);
    assert_eq!(place.names(), ["both", "f"]);
}
