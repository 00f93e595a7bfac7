use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use super::{Bits, Encoder, Positions};

fn coded(bits: u64, positions: &[u64]) -> Vec<u8> {
    let mut encoder = Encoder::new(bits, positions.len() as u64, Vec::new());
    positions.iter().for_each(|position| encoder.push(*position));
    encoder.finish()
}

fn decoded(bits: u64, count: u64, code: &[u8]) -> crate::Result<Vec<u64>> {
    let mut positions = Positions::new(bits, count, Bits::new(code));
    let mut all = Vec::new();
    while let Some(position) = positions.next()? {
        all.push(position);
    }
    positions.rest().end()?;
    Ok(all)
}

/// Random bits; each is set with the probability of its position.
fn random(bits: u64, chance: impl Fn(u64) -> f64) -> Vec<u64> {
    (0..bits).filter(|i| (xxh3_64(&i.to_le_bytes()) as f64) < chance(*i) * u64::MAX as f64).collect()
}

fn entropy(bits: f64, set: f64) -> f64 {
    let of = |share: f64| if share == 0.0 { 0.0 } else { -share * share.log2() };
    bits * (of(set / bits) + of(1.0 - set / bits))
}

#[test]
fn within_five_percent_of_the_entropy_at_every_density() {
    for (bits, density) in [
        (1 << 28, 1e-6),
        (1 << 26, 1e-5),
        (1 << 24, 1e-4),
        (1 << 22, 1e-3),
        (1 << 20, 0.01),
        (1 << 20, 0.05),
        (1 << 20, 0.1),
        (1 << 20, 0.15),
        (1 << 20, 0.2),
        (1 << 20, 0.25),
        (1 << 20, 0.3),
        (1 << 20, 0.35),
        (1 << 20, 0.38),
        (1 << 20, 0.4),
        (1 << 20, 0.45),
        (1 << 20, 0.5),
    ] {
        let positions = random(bits, |_| density);
        let code = coded(bits, &positions);
        let over = code.len() as f64 * 8.0 / entropy(bits as f64, positions.len() as f64) - 1.0;
        std::println!(
            "{density}: {} positions, {} bytes, {:+.2} %",
            positions.len(),
            code.len(),
            over * 100.0
        );
        assert!(over < 0.05, "{density}: {over}");
        assert_eq!(decoded(bits, positions.len() as u64, &code).unwrap(), positions, "{density}");
    }
}

/// If the differing bits are clustered, the code adapts.
#[test]
fn clusters_take_what_their_own_densities_ask() {
    let bits = 1 << 22;
    for (inside, period, width) in
        [(0.1, 1 << 16, 1 << 12), (0.4, 1 << 18, 1 << 14), (0.01, 1 << 20, 1 << 18)]
    {
        let positions = random(bits, |i| if i % period < width { inside } else { 0.0 });
        let code = coded(bits, &positions);
        let least = entropy((bits / period * width) as f64, positions.len() as f64);
        let over = code.len() as f64 * 8.0 / least - 1.0;
        std::println!("{inside} in {width} of {period}: {} bytes, {:+.2} %", code.len(), over * 100.0);
        assert!(over < 0.1, "{inside}: {over}");
        assert_eq!(decoded(bits, positions.len() as u64, &code).unwrap(), positions);
    }
}

#[test]
fn the_shortest_and_the_longest_gaps() {
    let far = (1 << 52) * 8 - 1;
    for positions in [&[][..], &[0], &[far], &[0, far], &[0, 1, 2, 3], &[0, 1, 2, 3, far - 1, far]] {
        let code = coded(far + 1, positions);
        assert_eq!(decoded(far + 1, positions.len() as u64, &code).unwrap(), positions);
    }
    assert!(coded(1 << 20, &[]).is_empty());
}

#[test]
fn damaged_code_is_refused_or_gives_positions() {
    let bits = 1 << 14;
    let positions = random(bits, |i| if i < 1 << 12 { 0.3 } else { 0.001 });
    let (count, code) = (positions.len() as u64, coded(bits, &positions));
    assert!(decoded(bits, count + 1, &code).is_err() && decoded(bits, count - 1, &code).is_err());
    assert!(decoded(positions[positions.len() - 1], count, &code).is_err());
    for cut in 0..code.len() {
        assert!(decoded(bits, count, &code[..cut]).is_err());
    }
    assert!(decoded(bits, count, &[&code[..], &[0]].concat()).is_err());
    for bit in 0..code.len() * 8 {
        let mut changed = code.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        if let Ok(found) = decoded(bits, count, &changed) {
            assert!(found.is_sorted() && found.iter().all(|position| *position < bits));
        }
    }
}

#[cfg(feature = "static")]
mod of_hashes {
    use super::*;
    use crate::format::patch::gaps::Hashes;

    /// The code of the hashes, after three positions.
    fn coded(hashes: &[u64]) -> Vec<u8> {
        let mut encoder = Encoder::new(10, 3, Vec::new());
        [0, 7, 9].iter().for_each(|place| encoder.push(*place));
        encoder.hashes(hashes);
        encoder.finish()
    }

    fn decoded(count: u64, code: &[u8]) -> crate::Result<Vec<u64>> {
        let mut places = Positions::new(10, 3, Bits::new(code));
        while places.next()?.is_some() {}
        let (mut hashes, mut all) = (Hashes::new(count, places.rest()), Vec::new());
        while let Some(hash) = hashes.next()? {
            all.push(hash);
        }
        hashes.rest().end()?;
        Ok(all)
    }

    fn spread(count: u64) -> Vec<u64> {
        let mut hashes: Vec<u64> = (0..count).map(|i| xxh3_64(&i.to_le_bytes())).collect();
        hashes.sort_unstable();
        hashes
    }

    /// For any distribution, a hash takes at most three bits more than the parameter.
    #[test]
    fn hashes_anywhere() {
        let far = u64::MAX;
        let few = [&[][..], &[0], &[far], &[0, far], &[far - 1, far], &[0, 1, 2, 3], &[1 << 63, far]];
        let many = [spread(1000), (0..1000).collect(), (0..1000).map(|i| far - 1000 + i).collect()];
        let halves = (0..1024).map(|i| i << 54).collect();
        for hashes in few.map(<[u64]>::to_vec).into_iter().chain(many).chain([halves, spread(1 << 16)]) {
            let (code, count) = (coded(&hashes), hashes.len() as u64);
            assert_eq!(decoded(count, &code).unwrap(), hashes);
            let most = u64::from(count.leading_zeros()) + 3;
            assert!(8 * code.len() as u64 <= 16 + count * most, "{count}");
        }
    }

    /// At most 0.3 % above the entropy of the list.
    #[test]
    fn near_the_entropy() {
        for count in [1000, 1400, 2048, 10_000, 30_000, 65_536, 100_000] {
            let least = count as f64 * (64.0 - (count as f64).log2() + std::f64::consts::LOG2_E);
            let over = coded(&spread(count)).len() as f64 * 8.0 / least - 1.0;
            std::println!("{count} hashes: {:+.2} %", over * 100.0);
            assert!(over < 0.003, "{count}: {over}");
        }
    }

    #[test]
    fn damaged_code_is_refused_or_gives_hashes() {
        let hashes = spread(100);
        let code = coded(&hashes);
        assert!(decoded(101, &code).is_err() && decoded(99, &code).is_err());
        for cut in 0..code.len() {
            assert!(decoded(100, &code[..cut]).is_err());
        }
        assert!(decoded(100, &[&code[..], &[0]].concat()).is_err());
        assert!(decoded(100, &[&[0][..], &[0xFF; 1000]].concat()).is_err());
        for bit in 0..code.len() * 8 {
            let mut changed = code.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            if let Ok(found) = decoded(100, &changed) {
                // The positions are in the first two bytes.
                assert!(bit < 16 || found != hashes);
                assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }
}
