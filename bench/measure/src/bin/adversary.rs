//! What an attacker who knows a filter's seed can do to it, and what one who does not know it can
//! do.
//!
//! ```sh
//! bench/measure/run adversary
//! ```

use cpu_time::ProcessTime;
use tepal::{BloomFilter, Error, OverCapacity, SecretKey};

const KEYS: u64 = 1_000_000;
/// Keys among which an attacker searches.
const CANDIDATES: u64 = 40_000_000;

/// With the seed: false positives, found without a lookup in the real filter.
fn forge(filter: &BloomFilter, wanted: usize) -> f64 {
    let start = ProcessTime::now();
    let forged = (1u64 << 40..).filter(|key| filter.contains(key)).take(wanted).count();
    assert_eq!(forged, wanted);
    start.elapsed().as_secs_f64()
}

/// With the seed: up to a million inserts that all fall on a part of the lines and all set bits
/// there. They end when the filter refuses: because it is full, or because of what its keys have in
/// common. Returns the false-positive rate for evenly spread keys then, and the number of inserts.
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

/// Without the secret key: an insert after each lookup that answered no, a million times, so that
/// every insert sets bits. Returns the false-positive rate for fresh non-members then, as a
/// multiple of the promise.
fn adaptive(rate: f64, secret: [u8; 16]) -> tepal::Result<f64> {
    let builder = BloomFilter::builder().capacity(KEYS).false_positive_rate(rate);
    let mut filter = builder.secret_key(SecretKey::new(secret)).build()?;
    for key in 0..2 * KEYS {
        if !filter.contains(&key) && filter.insert(&key).is_err() {
            break;
        }
    }
    // The attacker can only look keys up, and so learns the false positives among these, and no
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
