//! What a filter gives away: anyone who has its file can look up every possible key.
//!
//! A filter of a million Kazakh identity numbers (six digits of a birth date, six others) is
//! shipped. Someone who has it tries all numbers of one birth date. The cost for the whole country
//! follows from that: a century has 36,525 dates.
//!
//! ```sh
//! bench/measure/run gives_away
//! ```

use cpu_time::ProcessTime;
use tepal::{BloomFilter, Error, SecretKey};

/// The number of identity numbers that begin with one birth date.
const OF_A_DAY: u64 = 1_000_000;
/// The birth dates of a century.
const DAYS: u64 = 36_525;
/// People whose numbers are in the filter: this many for each of a hundred days.
const A_DAY: u64 = 10_000;

/// The numbers of the people born on a day.
fn members(day: u64) -> impl Iterator<Item = String> {
    (0..A_DAY).map(move |i| format!("{:06}{:06}", day, (i * 7_919) % OF_A_DAY))
}

fn main() -> tepal::Result<()> {
    let key = SecretKey::generate()?;
    let people = || (570_101..570_201).flat_map(members);
    let open = BloomFilter::builder().false_positive_rate(0.001).build_from(people())?.to_bytes()?;
    let keyed =
        BloomFilter::builder().false_positive_rate(0.001).secret_key(key).build_from(people())?.to_bytes()?;

    let filter = BloomFilter::from_bytes(&open)?;
    let start = ProcessTime::now();
    let candidates: Vec<String> = (0..OF_A_DAY).map(|i| format!("570108{i:06}")).collect();
    let found = filter.contains_many(&candidates).into_iter().filter(|held| *held).count();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{found} of a day's {OF_A_DAY} numbers are held ({A_DAY} are members); it took {seconds:.2} s of CPU time"
    );
    println!(
        "all {:.2e} numbers of a century: {:.0} minutes on one core",
        (OF_A_DAY * DAYS) as f64,
        seconds * DAYS as f64 / 60.0
    );

    // Without the secret key no lookup is possible. With it, everything above is.
    let refused = BloomFilter::from_bytes(&keyed).unwrap_err();
    assert!(matches!(refused, Error::KeyRequired));
    println!("with a secret key: {refused}");
    Ok(())
}
