//! Measures the promise at any size: `bench/measure/run promise 100000000`.
//!
//! Builds a filter of each layout from this many keys at 1 %, 0.1 % and 10^-4, or at a rate given
//! as second argument. Looks up every member and the same number of non-members, and prints a
//! table. 10^8 keys take some minutes and 250 MB.

#[path = "../../../../crates/tepal/tests/shared/families.rs"]
mod families;
#[path = "../../../../crates/tepal/tests/shared/trial.rs"]
mod trial;

use families::Family;
use tepal::Layout;
use trial::{credible, run};

fn main() {
    let mut args = std::env::args().skip(1);
    let n = args.next().map_or(Ok(1_000_000), |n| n.parse::<u64>());
    let rate = args.next().map(|rate| rate.parse::<f64>()).transpose();
    let (Ok(n @ 1..), Ok(rate @ None | rate @ Some(f64::MIN_POSITIVE..1.0))) = (n, rate) else {
        eprintln!("usage: promise [KEYS [RATE]], such as 100000000, or 1000000000 0.01");
        std::process::exit(2);
    };
    let rates = rate.map_or_else(|| vec![0.01, 1e-3, 1e-4], |rate| vec![rate]);
    println!("| layout | keys | family | promised | from the bits | asked | wrong | measured / promised |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut kept = true;
    for (i, &layout) in Layout::ALL.iter().enumerate() {
        for (j, &rate) in rates.iter().enumerate() {
            let family = Family::ALL[(i + 2 * j) % Family::ALL.len()];
            let found = run(layout, rate, family, n, 0, n);
            let measured = found.wrong as f64 / found.asked as f64;
            println!(
                "| {layout} | {n} | {family:?} | {rate:e} | {:.4e} | {} | {} | {:.4} |",
                found.filter.false_positive_rate(),
                found.asked,
                found.wrong,
                measured / rate
            );
            kept &= found.missed == 0 && found.wrong as f64 <= credible(found.asked, 1.05 * rate);
        }
    }
    println!("\n{}", if kept { "No member was missed, every promise is kept." } else { "BROKEN" });
    std::process::exit(i32::from(!kept));
}
