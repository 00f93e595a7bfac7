//! Identity numbers: the fifth article's job (scheme `sha384`).
//!
//! The article puts 20 million Kazakh identity numbers (12 digits: date of birth, century and sex,
//! serial, check digit) into 2^28 bits, twelve for each: the twelve words of one SHA-384 digest. It
//! computes the size for 1 %, rounds it up to a power of two, and uses twelve words although its
//! formula gives ten. It measured 0.18 %, as (1 - e^(-12n/m))^12 predicts.
//!
//! tepal's default for the same promise needs no power of two, hashes a number in some nanoseconds
//! and reads one cache line, for 5 % more memory. `Goal::Memory` reads two lines and takes no more
//! memory than the article. Without an argument the program takes 2,500,000 numbers, an eighth:
//! then the article's rule gives 2^25 bits, also an eighth, and the same rate. The article's own
//! run, in full:
//!
//! ```text
//! $ cargo run --release -p tepal --features foreign --example identity_numbers -- 20000000
//! 20000000 identity numbers such as 400101300002, and 20000000 others asked
//!
//! (1 - e^(-12n/m))^12 with m = 2^28: 0.1816 %
//!                                size bits a key    promised    measured   to build     to ask
//! sha384                    32.00 MiB       13.4    0.1816 %    0.1824 %     435 ns     478 ns
//! tepal, same promise       33.60 MiB       14.1    0.1816 %    0.1810 %      18 ns      18 ns
//! tepal, memory             31.84 MiB       13.4    0.1816 %    0.1796 %      17 ns      17 ns
//! members missed: 0
//! ```
//!
//! ```sh
//! cargo run --release -p tepal --features foreign --example identity_numbers               # an eighth
//! cargo run --release -p tepal --features foreign --example identity_numbers -- 20000000   # in full; 510 MB of memory
//! ```

#[path = "shared/table.rs"]
mod table;

use table::Row;
use tepal::{BloomFilter, Goal, Scheme};

type Iin = [u8; 12];

/// Two sex digits and 10,000 serials.
const PLACES_A_DAY: u64 = 20_000;
/// A step through the places: a prime that does not divide their number, so that each is visited
/// once.
const STEP: u64 = 433_494_437;

/// Every day from 1940 to 2024: YYMMDD, and the digit of the century for men (women have the next).
fn days() -> Vec<([u8; 6], u8)> {
    let mut days = Vec::new();
    for year in 1940..2025u32 {
        let february = if year % 4 == 0 { 29 } else { 28 };
        let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        for (month, length) in (1..).zip(lengths) {
            for day in 1..=length {
                let two = |n: u32| [b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8];
                let [[a, b], [c, d], [e, f]] = [year, month, day].map(two);
                days.push(([a, b, c, d, e, f], if year < 2000 { b'3' } else { b'5' }));
            }
        }
    }
    days
}

/// The check digit: weights 1 to 11; if the remainder is 10, again with 3 to 11, 1 and 2; if it is
/// 10 again, the number is never issued.
fn check_digit(iin: &Iin) -> Option<u8> {
    let sum = |first: u32| -> u32 {
        let weights = (0..11).map(|i| (first + i - 1) % 11 + 1);
        iin.iter().zip(weights).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum::<u32>() % 11
    };
    [sum(1), sum(3)].into_iter().find(|&remainder| remainder < 10).map(|digit| b'0' + digit as u8)
}

/// The number of one place, if it is ever issued.
fn number(days: &[([u8; 6], u8)], place: u64) -> Option<Iin> {
    let (day, rest) = (place / PLACES_A_DAY, place % PLACES_A_DAY);
    let (date, century) = days[day as usize];
    let mut iin = [b'0'; 12];
    iin[..6].copy_from_slice(&date);
    iin[6] = century + (rest / 10_000) as u8;
    for (digit, scale) in iin[7..11].iter_mut().zip([1000, 100, 10, 1]) {
        *digit = b'0' + (rest / scale % 10) as u8;
    }
    iin[11] = check_digit(&iin)?;
    Some(iin)
}

fn main() -> tepal::Result<()> {
    let n = table::argument("identity_numbers [NUMBERS]", 2_500_000, 100_000_000);
    let days = days();
    let places = days.len() as u64 * PLACES_A_DAY;
    let mut numbers = (0..places).filter_map(|i| number(&days, i * STEP % places));
    let members: Vec<Iin> = numbers.by_ref().take(n).collect();
    let others: Vec<Iin> = numbers.take(n).collect();
    let example = String::from_utf8_lossy(&members[0]);
    println!("{n} identity numbers such as {example}, and {n} others asked\n");

    // The article's size: for 1 %, then up to a power of two.
    let article = BloomFilter::builder().scheme(Scheme::Sha384).capacity(n as u64).false_positive_rate(0.01);
    let plan = article.plan()?;
    let bits = plan.bit_len as f64;
    let predicted = (1.0 - (-12.0 * n as f64 / bits).exp()).powi(12);
    println!("(1 - e^(-12n/m))^12 with m = 2^{}: {:.4} %", bits.log2(), 100.0 * predicted);

    let tepal = BloomFilter::builder().capacity(n as u64).false_positive_rate(plan.false_positive_rate);
    let builders = [
        ("sha384", article),
        ("tepal, same promise", tepal.clone()),
        ("tepal, memory", tepal.goal(Goal::Memory)),
    ];
    let mut rows = Vec::new();
    for (name, builder) in builders {
        let (filter, build) = table::fill(builder, &members)?;
        rows.push(Row::ask(name, &filter, build, &members, &others));
    }
    table::print(&rows);
    Ok(())
}
