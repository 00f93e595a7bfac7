//! What someone can do to a filter who knows its seed, and what is left to someone who does not.
//!
//! ```sh
//! cargo run --release -p tepal --example adversary
//! ```

use cpu_time::ProcessTime;
use tepal::{BloomFilter, Error, OverCapacity, SecretKey};

const KEYS: u64 = 1_000_000;
/// Keys that an attacker looks at to choose some.
const CANDIDATES: u64 = 40_000_000;

/// With the seed in hand: keys that the filter takes for members, found without asking anybody.
fn forge(filter: &BloomFilter, wanted: usize) -> f64 {
    let start = ProcessTime::now();
    let forged = (1u64 << 40..).filter(|key| filter.contains(key)).take(wanted).count();
    assert_eq!(forged, wanted);
    start.elapsed().as_secs_f64()
}

/// With the seed in hand: a million inserts at most that all fall on a part of the lines and all
/// set bits there, until the filter refuses, as being full or by what its keys have in common. Says
/// how many strangers from anywhere it lets in then, and how many inserts that took.
fn fill_part(mut filter: BloomFilter) -> (f64, u64) {
    const PART: u64 = u64::MAX / 100 * 25;
    let hasher = filter.key_hasher();
    for key in (0..CANDIDATES).filter(|key| hasher.hash(key).is_ok_and(|hash| hash < PART)) {
        let inserted = if filter.contains(&key) { Ok(false) } else { filter.insert(&key) };
        match inserted {
            Ok(_) if filter.keys_inserted() < Some(KEYS) => {}
            Ok(_) | Err(Error::CapacityReached { .. } | Error::KeysClustered { .. }) => break,
            Err(other) => panic!("{other}"),
        }
    }
    (share_of_strangers(&filter), filter.keys_inserted().unwrap_or(0))
}

/// Without the secret key: an insert for each question that was answered with no, a million times,
/// so that every one of them sets bits. Says how many fresh strangers are let in then, in terms of
/// the promise.
fn adaptive(rate: f64, secret: [u8; 16]) -> tepal::Result<f64> {
    let builder = BloomFilter::builder().capacity(KEYS).false_positive_rate(rate);
    let mut filter = builder.secret_key(SecretKey::new(secret)).build()?;
    for key in 0..2 * KEYS {
        if !filter.contains(&key) && filter.insert(&key).is_err() {
            break;
        }
    }
    // What is left to the attacker is asking: those of the strangers that got yes are known, and no
    // others.
    Ok(filter.false_positive_rate() / rate)
}

fn share_of_strangers(filter: &BloomFilter) -> f64 {
    let strangers: Vec<u64> = (1 << 50..(1 << 50) + KEYS).collect();
    filter.contains_many(&strangers).into_iter().filter(|held| *held).count() as f64 / KEYS as f64
}

fn main() -> tepal::Result<()> {
    let public = BloomFilter::builder().capacity(KEYS).false_positive_rate(0.01);
    let filter = public.clone().build_from(0..KEYS)?;
    println!("public seed: 100,000 false positives forged in {:.2} s", forge(&filter, 100_000));
    for policy in [OverCapacity::Refuse, OverCapacity::Ignore] {
        let (share, inserts) = fill_part(public.clone().over_capacity(policy).build()?);
        println!(
            "public seed, {policy}: {inserts} chosen inserts let {:.1} % of strangers in, where 1 % is promised",
            100.0 * share
        );
    }
    for rate in [1e-2, 1e-3, 1e-4] {
        let worst = (0..20)
            .map(|seed| adaptive(rate, [seed; 16]))
            .try_fold(0.0, |worst, now| Ok::<f64, Error>(f64::max(worst, now?)))?;
        println!(
            "secret key, {rate:e}: after a million adaptive inserts at most {worst:.3} times the promise (20 keys)"
        );
        assert!(worst < 1.1);
    }
    Ok(())
}
