//! A crawler's pages and a mail blacklist: the third article's two jobs (scheme `bkdr7`).
//!
//! The article's filter has 2^25 bits. Each text sets seven of them, by seven multiplicative hashes
//! over its UTF-16 units. A crawler looks up and inserts a page in one step (test-and-set), and
//! never fetches a page that is a false positive. A mail server blocks the addresses in the filter,
//! and keeps a small exact white list of innocent addresses that are false positives.
//!
//! The seven hashes are simple sums. Their false-positive rate depends on the form of the texts:
//! for the pages here it is higher than the formula says, for the mail addresses lower. And anyone
//! can construct seven keys that make an eighth a false positive: an attacker who gets seven
//! addresses blocked can block any address. Under tepal's secret key such keys have no effect:
//! their targets are false positives at the promised rate.
//!
//! ```sh
//! cargo run --release -p tepal --features foreign --example crawler_and_blacklist              # 2,000,000 of each
//! cargo run --release -p tepal --features foreign --example crawler_and_blacklist -- 100000
//! ```

#[path = "shared/table.rs"]
mod table;

use std::collections::HashSet;
use std::time::Instant;

use table::Row;
use tepal::{BloomFilter, OverCapacity, Result, Scheme, SecretKey, builders::BloomFilterBuilder};

/// Ten pages from the article's listing: only the sixth was there before, and an address with a
/// slash at its end is another key.
const TEN: [&str; 10] = [
    "http://www.baidu.com/",
    "http://www.example.com/a.html",
    "http://www.example.com/b.html",
    "http://www.example.net/",
    "http://www.example.org/index.html",
    "http://www.baidu.com/",
    "http://www.baidu.com",
    "http://www.example.net/news",
    "http://www.example.org/",
    "http://www.example.com/c.html",
];

/// Whether these were there before. Each is inserted when it is looked up.
fn test_and_set(filter: &mut BloomFilter, keys: &[impl AsRef<str>]) -> Result<Vec<bool>> {
    // `insert` returns `true` if the key is surely new.
    keys.iter().map(|key| Ok(!filter.insert(key.as_ref())?)).collect()
}

fn count(answers: &[bool]) -> usize {
    answers.iter().filter(|&&answer| answer).count()
}

fn crawl(filters: &[(&str, BloomFilterBuilder)], n: usize) -> Result<()> {
    let page = |i: usize| format!("https://site{}.example.org/{}/page-{i}.html", i * 7919 % 9973, i % 1000);
    let pages: Vec<String> = (0..n).map(page).collect();
    let others: Vec<String> = (n..2 * n).map(page).collect();
    println!("The crawler meets {n} pages, then the same again; {n} others are asked:");
    let mut rows = Vec::new();
    for (name, builder) in filters {
        let mut filter = builder.clone().build()?;
        let start = Instant::now();
        let skipped = count(&test_and_set(&mut filter, &pages)?);
        let build = start.elapsed();
        let again = n - count(&test_and_set(&mut filter, &pages)?);
        println!("{name:<24} new pages wrongly skipped: {skipped}; pages fetched twice: {again}");
        rows.push(Row::ask(name, &filter, build, &pages, &others));
    }
    table::print(&rows);
    Ok(())
}

fn block_mail(filters: &[(&str, BloomFilterBuilder)], n: usize) -> Result<()> {
    let blocked: Vec<String> = (0..n).map(|i| format!("offer{i}@mail{}.example.net", i % 101)).collect();
    let desk = |i: usize| ["office", "orders", "press", "help", "info", "jobs", "accounts"][i % 7];
    let innocent: Vec<String> = (0..n).map(|i| format!("{}@shop{i}.example.com", desk(i))).collect();
    println!("\nThe blacklist of {n} addresses, and {n} known innocents:");
    let mut rows = Vec::new();
    for (name, builder) in filters {
        let (filter, build) = table::fill(builder.clone(), &blocked)?;
        let white: HashSet<&str> =
            innocent.iter().map(String::as_str).filter(|mail| filter.contains(*mail)).collect();
        let blocks = |mail: &str| !white.contains(mail) && filter.contains(mail);
        let still = innocent.iter().filter(|mail| blocks(mail)).count();
        let let_in = blocked.iter().filter(|mail| !blocks(mail)).count();
        println!(
            "{name:<24} white list: {}; innocents blocked then: {still}; spam let in: {let_in}",
            white.len()
        );
        rows.push(Row::ask(name, &filter, build, &blocked, &innocent));
    }
    table::print(&rows);
    Ok(())
}

/// Seven keys of two letters that make a text of two other letters a false positive of `bkdr7`:
/// since s·(x-1) + (y+s) = s·x + y, each gives the text's position of one of the seven hashes.
fn forge(text: [char; 2]) -> impl Iterator<Item = String> {
    let [x, y] = text.map(u32::from);
    let forged = move |seed| [x - 1, y + seed].into_iter().filter_map(char::from_u32).collect();
    [5, 7, 11, 13, 31, 37, 61].into_iter().map(forged)
}

fn forgery() -> Result<()> {
    // `Z!`, and a thousand texts of two characters; only every second first character, so that none
    // is one of the forged keys.
    let mut texts = vec![['Z', '!']];
    texts.extend((0..1000).filter_map(|i| Some([char::from_u32(0x4e02 + 2 * i)?, '!'])));
    let forged: Vec<String> = texts.iter().flat_map(|&text| forge(text)).collect();
    println!("\n{} keys, seven for each of {} texts that are never inserted:", forged.len(), texts.len());
    println!("{:?} are for \"Z!\"", &forged[..7]);
    // In real use: 16 bytes from the system's random source, stored where nobody else can read
    // them.
    let secret = SecretKey::new(*b"not a secret now");
    let sized = BloomFilter::builder().capacity(forged.len() as u64);
    for (name, builder) in
        [("bkdr7", sized.clone().scheme(Scheme::Bkdr7)), ("tepal, secret key, 1 %", sized.secret_key(secret))]
    {
        let (filter, _) = table::fill(builder, &forged)?;
        let held = texts.iter().filter(|text| filter.contains(&String::from_iter(*text))).count();
        println!("{name:<24} holds \"Z!\": {}; wrongly held in all: {held}", filter.contains("Z!"));
    }
    Ok(())
}

fn main() -> Result<()> {
    let n = table::argument("crawler_and_blacklist [KEYS]", 2_000_000, 3_000_000);
    let room = n.max(TEN.len()) as u64;
    // The article has no capacity. Its hashes may set more bits than evenly spread ones, so none is
    // enforced.
    let article =
        BloomFilter::builder().scheme(Scheme::Bkdr7).capacity(room).over_capacity(OverCapacity::Ignore);
    let rate = article.plan()?.false_positive_rate;
    // For few keys the article's 2^25 bits promise more than anyone needs.
    let tepal = BloomFilter::builder().capacity(room).false_positive_rate(rate.max(1e-9));
    let filters =
        [("bkdr7", article), (if rate < 1e-9 { "tepal, 10^-9" } else { "tepal, same promise" }, tepal)];
    for (name, builder) in &filters {
        let was_there = test_and_set(&mut builder.clone().build()?, &TEN)?;
        println!(
            "{name:<24} ten pages, there before? {:?}",
            was_there.iter().map(|&w| u8::from(w)).collect::<Vec<_>>()
        );
    }
    println!();
    crawl(&filters, n)?;
    block_mail(&filters, n)?;
    forgery()
}
