//! A blacklist with a white list:
//! `cargo run --release -p tepal --features extras --example white_list`.
//!
//! Some people whose mail is refused by mistake complain. Their addresses are compared with the
//! blacklist and then become exceptions of the filter: from then on their mail passes, and no mail
//! of the blacklist does.

use tepal::{BloomFilter, Exceptions, Opened, file::Format, hash::PreparedKeys};

pub(crate) fn main() -> tepal::Result<()> {
    let blocked: Vec<String> = (0..10_000).map(|n| format!("spam{n}@example.com")).collect();
    let customers: Vec<String> = (0..5_000).map(|n| format!("customer{n}@example.com")).collect();
    let builder = BloomFilter::builder().false_positive_rate(0.01);
    let list = Opened::new(builder.build_from(&blocked)?, Format::Tepal)?;

    let hasher = list.key_hasher();
    let prepared = |addresses: &[String]| {
        let mut keys = PreparedKeys::default();
        addresses.iter().try_for_each(|address| hasher.prepare(address, &mut keys)).map(|()| keys)
    };
    let mut exceptions = Exceptions::new();
    let wrong = exceptions.take(list.filter(), &prepared(&customers)?);
    println!("{wrong} of {} customers are refused by mistake", customers.len());
    // A customer who is also on the blacklist would pass from now on.
    assert!(!exceptions.among(&prepared(&blocked)?).contains(&true));

    let list = list.except(&exceptions)?;
    assert!(!list.contains_many(&customers).contains(&true));
    assert!(!list.contains_many(&blocked).contains(&false));
    println!("now none is; the exceptions take {} bytes of {}", 8 * (wrong + 1), list.file_len()?);
    Ok(())
}
