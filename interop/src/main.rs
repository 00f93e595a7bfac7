//! tepal's side of `.ci/differential`, and the two other programs that are crates (`parquet`, and
//! `bloomfilter` as valkey-bloom uses it).
//!
//! Keys are lines: hexadecimal bytes where the domain is `bytes`, else decimal integers. Answers
//! are written as one line of 0 and 1.

use std::collections::HashSet;
use std::error::Error;
use std::{env, fs, iter};

use bloomfilter::Bloom;
use parquet::bloom_filter::Sbbf;
use tepal::{BloomFilter, Key, KeyDomain, KeyRef, Open, Opened, Scheme, file::Format};

type Done = Result<(), Box<dyn Error>>;

/// valkey-bloom's seed where it is told not to draw one.
const VALKEY_SEED: [u8; 32] = [
    0x59, 0x0f, 0xf5, 0x22, 0xea, 0x78, 0x11, 0xda, 0xa7, 0x14, 0xd8, 0x09, 0x3b, 0x3e, 0x7b, 0xd9, 0x1d,
    0x89, 0x8a, 0x73, 0x3e, 0x98, 0x88, 0x87, 0x30, 0x7f, 0x97, 0xcd, 0x28, 0x07, 0x33, 0x83,
];

fn main() -> Done {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["keys", seed, count, folder] => keys(seed.parse()?, count.parse()?, folder),
        ["make", scheme, format, domain, n, p, keys, out] => {
            let domain: KeyDomain = domain.parse()?;
            let builder = BloomFilter::builder().scheme(scheme.parse::<Scheme>()?).key_domain(domain);
            let mut filter = builder.capacity(n.parse()?).false_positive_rate(p.parse()?).build()?;
            filter.insert_many(&read(keys, domain)?)?;
            Ok(fs::write(out, Opened::new(filter, format.parse()?)?.to_bytes()?)?)
        }
        ["rebuild", format, domain, file, keys, out] => {
            let mut theirs = open(format, domain, file)?;
            theirs.clear()?;
            for key in read(keys, domain.parse()?)? {
                theirs.insert(&key)?;
            }
            Ok(fs::write(out, theirs.to_bytes()?)?)
        }
        ["again", format, domain, file, out] => Ok(fs::write(out, open(format, domain, file)?.to_bytes()?)?),
        ["answers", format, domain, file, keys, out] => {
            let file = open(format, domain, file)?;
            write(out, &file.filter().contains_many(&read(keys, domain.parse()?)?))
        }
        ["parquet-make", domain, bytes, keys, out] => {
            let mut sbbf = Sbbf::new_with_num_of_bytes(bytes.parse()?);
            read(keys, domain.parse()?)?.iter().for_each(|key| match key {
                Line::Bytes(bytes) => sbbf.insert(bytes.as_slice()),
                Line::Integer(n) => sbbf.insert(n),
            });
            let mut file = Vec::new();
            sbbf.write(&mut file)?;
            Ok(fs::write(out, file)?)
        }
        ["parquet-answers", domain, file, keys, out] => {
            let file = fs::read(file)?;
            let sbbf = Sbbf::new(&file[file.len() % 32..]);
            let answers: Vec<bool> = read(keys, domain.parse()?)?
                .iter()
                .map(|key| match key {
                    Line::Bytes(bytes) => sbbf.check(bytes.as_slice()),
                    Line::Integer(n) => sbbf.check(n),
                })
                .collect();
            write(out, &answers)
        }
        ["valkey-make", n, p, keys, out] => {
            let (n, p): (usize, f64) = (n.parse()?, p.parse()?);
            let mut bloom = Bloom::<[u8]>::new_for_fp_rate_with_seed(n, p, &VALKEY_SEED)?;
            let keys = read(keys, KeyDomain::Bytes)?;
            let mut items = 0i64;
            for key in &keys {
                items += i64::from(!bloom.check_and_set(key.bytes()));
            }
            let inner = bloom.to_bytes();
            let mut file = vec![1];
            file.extend(0u32.to_le_bytes());
            file.extend(p.to_le_bytes());
            file.extend(0.5f64.to_le_bytes());
            file.push(0);
            file.extend(1u64.to_le_bytes());
            file.extend((inner.len() as u64).to_le_bytes());
            file.extend(inner);
            file.extend(items.to_le_bytes());
            file.extend((n as i64).to_le_bytes());
            Ok(fs::write(out, file)?)
        }
        ["valkey-answers", file, keys, out] => {
            let file = fs::read(file)?;
            let bloom = Bloom::<[u8]>::from_bytes(file[38..file.len() - 16].to_vec())?;
            let keys = read(keys, KeyDomain::Bytes)?;
            write(out, &keys.iter().map(|key| bloom.check(key.bytes())).collect::<Vec<_>>())
        }
        _ => Err("this helper is for .ci/differential, which knows its arguments".into()),
    }
}

fn open(format: &str, domain: &str, file: &str) -> Result<Opened, Box<dyn Error>> {
    let open = Open::new().format(format.parse::<Format>()?).key_domain(domain.parse()?);
    Ok(open.from_bytes(&fs::read(file)?)?)
}

/// A key as the lists have it.
enum Line {
    Bytes(Vec<u8>),
    Integer(i64),
}

impl Line {
    fn bytes(&self) -> &[u8] {
        match self {
            Line::Bytes(bytes) => bytes,
            Line::Integer(_) => &[],
        }
    }
}

impl Key for Line {
    fn key<'a>(&'a self, _: &'a mut tepal::KeySink) -> KeyRef<'a> {
        match self {
            Line::Bytes(bytes) => KeyRef::Bytes(bytes),
            Line::Integer(n) => KeyRef::Signed(*n),
        }
    }
}

fn read(path: &str, domain: KeyDomain) -> Result<Vec<Line>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let line = |line: &str| -> Result<Line, Box<dyn Error>> {
        if domain == KeyDomain::Integer {
            return Ok(Line::Integer(line.parse()?));
        }
        let byte = |i| u8::from_str_radix(&line[i..i + 2], 16);
        Ok(Line::Bytes((0..line.len()).step_by(2).map(byte).collect::<Result<_, _>>()?))
    };
    text.lines().map(line).collect()
}

fn write(path: &str, answers: &[bool]) -> Done {
    let mut text: String = answers.iter().map(|held| if *held { '1' } else { '0' }).collect();
    text.push('\n');
    Ok(fs::write(path, text)?)
}

/// Random keys of 0 to 40 bytes, and random integers of every length; then as many others, to be
/// asked only.
fn keys(seed: u64, count: usize, folder: &str) -> Done {
    let mut random = fastrand::Rng::with_seed(seed);
    let bytes = |random: &mut fastrand::Rng| -> String {
        (0..random.usize(0..=40)).map(|_| format!("{:02x}", random.u8(..))).collect()
    };
    let integer = |random: &mut fastrand::Rng| (random.i64(..) >> random.u32(0..64)).to_string();
    write_keys(&format!("{folder}/bytes"), count, || bytes(&mut random))?;
    write_keys(&format!("{folder}/int64"), count, || integer(&mut random))
}

fn write_keys(path: &str, count: usize, mut key: impl FnMut() -> String) -> Done {
    let inserted: Vec<String> = (0..count).map(|_| key()).collect();
    let known: HashSet<&String> = inserted.iter().collect();
    let mut others = iter::repeat_with(key).filter(|key| !known.contains(key)).take(count);
    let lines =
        |keys: &mut dyn Iterator<Item = String>| keys.fold(String::new(), |text, key| text + &key + "\n");
    fs::write(format!("{path}.out"), lines(&mut others))?;
    Ok(fs::write(format!("{path}.in"), lines(&mut inserted.iter().cloned()))?)
}
