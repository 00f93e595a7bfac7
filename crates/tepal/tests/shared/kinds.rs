//! The kinds of filter, for every test that runs over all of them: a list of trait objects. A new
//! kind of filter is one more implementation of [`Subject`], and its lines in [`kinds`].

#![allow(dead_code)] // What one test does not need, another does.

#[cfg(feature = "foreign")]
#[path = "chains.rs"]
mod chains;
#[path = "doors.rs"]
mod doors;
#[cfg(feature = "table")]
#[path = "expiring.rs"]
mod expiring;
#[cfg(feature = "extras")]
#[path = "growing.rs"]
mod growing;
#[cfg(feature = "table")]
#[path = "growing_tables.rs"]
mod growing_tables;
#[cfg(feature = "static")]
#[path = "map.rs"]
mod map;
#[cfg(feature = "table")]
#[path = "quotient.rs"]
mod quotient;
#[cfg(feature = "static")]
#[path = "ribbon.rs"]
mod ribbon;
#[cfg(feature = "table")]
#[path = "segment.rs"]
mod segment;

use std::path::Path;

#[cfg(feature = "foreign")]
use tepal::hash::Md5Split;
use tepal::{
    BloomFilter, KeyDomain, Kind, Layout, Open, Opened, OverCapacity, Recipe, Result, Scheme, SecretKey,
    builders::BloomFilterBuilder, facts::Labels, file::Format, hash::finish_hash,
};

#[allow(unused_imports)] // As above.
pub(crate) use doors::{Door, Numbered};
#[allow(unused_imports)] // As above.
pub(crate) use tepal::error::Operation;

/// A secret that is not secret: it is stored beside the kept files.
pub(crate) const SECRET: [u8; 16] = *b"kept for testing";
#[cfg(feature = "seal")]
pub(crate) const SEAL: &[u8] = b"a seal for testing";
/// The name of the hash that the tests compute for the scheme `caller-hash`: the hash of number `i`
/// is `finish_hash(i)`.
pub(crate) const CALLER_HASH: &str = "tests, finished";

/// A kind of filter under test: how its filters are made, which keys they take, and what their
/// files need.
///
/// Keys have numbers, from 0. The kind decides the key of a number: a text, or a hash if the caller
/// hashes.
pub(crate) trait Subject {
    /// Its name, in messages and in `testdata/kept`.
    fn name(&self) -> &str;

    /// Its kind in the library.
    fn kind(&self) -> Kind;

    /// Operations that its filters do not support: the library's error names the kind and the
    /// operation.
    fn cannot(&self) -> &'static [Operation];

    /// The format of its files.
    fn format(&self) -> Format;

    /// The capacity of its filters, unless a test wants another number.
    fn usual_capacity(&self) -> u64 {
        1000
    }

    /// An empty filter for this many keys.
    fn empty(&self, capacity: u64) -> Result<Opened>;

    /// A filter for this many keys with the keys of these numbers.
    fn filled(&self, capacity: u64, numbers: &[u64]) -> Result<Opened> {
        let mut filter = self.empty(capacity)?;
        self.keys(numbers).insert_all(&mut filter)?;
        Ok(filter)
    }

    /// The keys with these numbers.
    fn keys(&self, numbers: &[u64]) -> Numbered;

    /// The keys and options for writing and opening its files.
    fn opener(&self) -> Opener;

    /// The builder of its filters, if they are Bloom filters in tepal files.
    fn builder(&self) -> Option<&BloomFilterBuilder>;
}

/// Operations that some kinds do not support.
pub(crate) const NOT_BY_ALL: [Operation; 4] =
    [Operation::Unite, Operation::Intersect, Operation::SetOverCapacity, Operation::BeAnother];

/// One Bloom filter.
struct Bloom {
    name: String,
    keys: KeyForm,
    builder: BloomFilterBuilder,
    sealed: bool,
    format: Format,
}

/// The form of a number's key.
#[derive(Clone, Copy)]
enum KeyForm {
    /// Its decimal digits after this text.
    Text(&'static str),
    /// An even number of decimal digits after this text.
    #[cfg(feature = "foreign")]
    Pairs(&'static str),
    /// The hash that the caller computes for it.
    Hash,
}

impl Subject for Bloom {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> Kind {
        Kind::Bloom
    }

    fn cannot(&self) -> &'static [Operation] {
        &[]
    }

    fn format(&self) -> Format {
        self.format
    }

    fn usual_capacity(&self) -> u64 {
        self.builder.plan().unwrap().capacity
    }

    fn empty(&self, capacity: u64) -> Result<Opened> {
        Opened::new(self.builder.clone().capacity(capacity).build()?, self.format)
    }

    fn keys(&self, numbers: &[u64]) -> Numbered {
        match self.keys {
            KeyForm::Text(prefix) => Numbered::texts(prefix, numbers),
            #[cfg(feature = "foreign")]
            KeyForm::Pairs(prefix) => {
                let text = |n: &u64| {
                    if n.to_string().len() % 2 == 1 {
                        format!("{prefix}0{n}")
                    } else {
                        format!("{prefix}{n}")
                    }
                };
                Numbered::Texts(numbers.iter().map(text).collect())
            }
            KeyForm::Hash => Numbered::Hashes(numbers.iter().map(|number| finish_hash(*number)).collect()),
        }
    }

    fn opener(&self) -> Opener {
        let hasher = self.builder.key_hasher().unwrap();
        let other = self.format != Format::Tepal;
        Opener {
            secret: (hasher.scheme() == Scheme::SipHash13).then(|| SecretKey::new(SECRET)),
            #[cfg(feature = "seal")]
            seal: self.sealed.then(seal),
            format: other.then_some(self.format),
            key_domain: other.then(|| hasher.key_domain()),
        }
    }

    fn builder(&self) -> Option<&BloomFilterBuilder> {
        (self.format == Format::Tepal).then_some(&self.builder)
    }
}

/// Every kind whose filters change: the Bloom filter with every layout, scheme and key domain, in
/// tepal's files and in those of other programs; the chain, in the files of its programs and in
/// tepal's; the tables with removal, with expiry and with segments, and the growing chain of
/// tables.
pub(crate) fn kinds() -> Vec<Box<dyn Subject>> {
    let mut kinds: Vec<Box<dyn Subject>> = Vec::new();
    kinds.extend(blooms().into_iter().map(|bloom| Box::new(bloom) as Box<dyn Subject>));
    #[cfg(feature = "foreign")]
    kinds.extend(foreign_blooms().into_iter().map(|bloom| Box::new(bloom) as Box<dyn Subject>));
    #[cfg(feature = "foreign")]
    kinds.extend(chains::chains());
    #[cfg(feature = "extras")]
    kinds.extend(growing::growing());
    #[cfg(feature = "table")]
    kinds.extend(quotient::quotient());
    #[cfg(feature = "table")]
    kinds.extend(expiring::expiring());
    #[cfg(feature = "table")]
    kinds.extend(growing_tables::growing());
    #[cfg(feature = "table")]
    kinds.extend(segment::segment());
    kinds
}

/// Every kind whose filters are static: they are built from all their keys.
pub(crate) fn fixed_kinds() -> Vec<Box<dyn Subject>> {
    #[cfg(feature = "static")]
    return ribbon::ribbons().into_iter().chain(map::maps()).collect();
    #[cfg(not(feature = "static"))]
    Vec::new()
}

/// Every kind, changing or static.
pub(crate) fn all_kinds() -> Vec<Box<dyn Subject>> {
    kinds().into_iter().chain(fixed_kinds()).collect()
}

/// The kinds that have a tepal file.
pub(crate) fn tepal_kinds() -> Vec<Box<dyn Subject>> {
    all_kinds().into_iter().filter(|kind| kind.format() == Format::Tepal).collect()
}

fn bloom(name: &str, prefix: &'static str, builder: BloomFilterBuilder) -> Bloom {
    let keys = KeyForm::Text(prefix);
    Bloom { name: name.into(), keys, builder, sealed: false, format: Format::Tepal }
}

fn at(rate: f64) -> BloomFilterBuilder {
    BloomFilter::builder().capacity(1000).false_positive_rate(rate)
}

/// Bloom filters in tepal files.
fn blooms() -> Vec<Bloom> {
    let mut blooms = Vec::new();
    let labels =
        Labels::new().name("Gesperrte Konten").source("konten.csv").date("2026-11-20").field("/konto/nummer");
    for (layout, rate) in Layout::ALL.iter().zip([0.05, 0.01, 0.02, 0.001]) {
        let builder = at(rate).layout(*layout);
        let mut add =
            |name: &str, prefix, builder| blooms.push(bloom(&format!("{layout}-{name}"), prefix, builder));
        add("xxh3", "key ", builder.clone().seed(0xFEDC_BA98_7654_3210));
        add("siphash13", "key ", builder.clone().secret_key(SecretKey::new(SECRET)));
        for scheme in plain_hashes() {
            add(scheme.name(), "key ", builder.clone().scheme(scheme));
        }
        let integers = builder.clone().key_domain(KeyDomain::Integer);
        add("int64", "", integers.over_capacity(OverCapacity::Ignore));
        let recipe = Recipe::new().trim(true).nocase(true);
        add("recipe-labels", "\u{df} ", builder.clone().recipe(recipe).labels(labels.clone()));
        let hashes = bloom(&format!("{layout}-caller-hash"), "", builder.caller_hash(CALLER_HASH));
        blooms.push(Bloom { keys: KeyForm::Hash, ..hashes });
    }
    let rows = |field, rows| at(0.01).seed(7).labels(Labels::new().field(field).rows(rows));
    blooms.push(bloom("line-rows", "key ", rows("2", "plain 09 nul")));
    blooms.push(bloom("double-rows", "key ", rows("/konto/nummer", "json").layout(Layout::Double)));
    #[cfg(feature = "foreign")]
    {
        foreign_domains(&mut blooms);
        foreign_schemes(&mut blooms);
    }
    #[cfg(feature = "seal")]
    {
        let builders =
            [at(0.01), at(0.001).secret_key(SecretKey::new(SECRET)), at(0.02).labels(labels), at(0.05)];
        for (layout, builder) in Layout::ALL.iter().zip(builders) {
            let name = format!("{layout}-sealed");
            blooms.push(Bloom { sealed: true, ..bloom(&name, "key ", builder.layout(*layout)) });
        }
    }
    blooms
}

/// The schemes with a 64-bit hash that need nothing from the caller.
fn plain_hashes() -> impl Iterator<Item = Scheme> {
    let is_plain = |scheme: &Scheme| {
        let hasher = BloomFilter::builder().scheme(*scheme).key_hasher();
        *scheme != Scheme::Xxh3 && hasher.is_ok_and(|hasher| hasher.has_hash())
    };
    Scheme::ALL.iter().copied().filter(is_plain)
}

/// The key domains of other programs, in tepal files.
#[cfg(feature = "foreign")]
fn foreign_domains(blooms: &mut Vec<Bloom>) {
    for (domain, prefix) in [
        (KeyDomain::Integer32, "-1"),
        (KeyDomain::Utf16, "\u{1d11e} "),
        (KeyDomain::Float32, "2"),
        (KeyDomain::Float64, "-7"),
    ] {
        let builder = at(0.05).scheme(Scheme::Xxh64).key_domain(domain);
        blooms.push(bloom(&format!("line-{domain}"), prefix, builder));
    }
    let hex = bloom("line-hex", "", at(0.05).scheme(Scheme::Xxh64).key_domain(KeyDomain::Hex));
    blooms.push(Bloom { keys: KeyForm::Pairs("A0-"), ..hex });
}

/// The schemes of the articles and of other programs, in tepal files.
#[cfg(feature = "foreign")]
fn foreign_schemes(blooms: &mut Vec<Bloom>) {
    for scheme in Scheme::ALL {
        let builder = match scheme {
            // In every layout, above.
            Scheme::Xxh3 | Scheme::SipHash13 | Scheme::CallerHash => continue,
            hash if plain_hashes().any(|plain| plain == *hash) => continue,
            // 2^25 bits for every capacity: few keys, so that the JSON stays small.
            Scheme::Bkdr7 => BloomFilter::builder().capacity(50),
            _ => at(0.05),
        };
        blooms.push(bloom(&format!("scheme-{scheme}"), "key ", builder.scheme(*scheme)));
    }
    let split = Md5Split { little_endian: true, from_zero: true, wrapping: true };
    blooms.push(bloom("scheme-md5-split-other-reading", "key ", at(0.05).md5_split(split)));
    let seeded = at(0.05).scheme(Scheme::SparkV2).seed(-7i64 as u64);
    blooms.push(bloom("scheme-spark-v2-seed", "key ", seeded));
    let seed = core::array::from_fn(|i| i as u8);
    blooms.push(bloom("scheme-valkey-bloom-seed", "key ", at(0.05).valkey_seed(seed)));
    let integers = at(0.05).scheme(Scheme::GuavaMitz64).key_domain(KeyDomain::Integer);
    blooms.push(bloom("scheme-guava-mitz64-int64", "", integers));
}

/// Bloom filters in the files of other programs.
#[cfg(feature = "foreign")]
fn foreign_blooms() -> Vec<Bloom> {
    let mut blooms = Vec::new();
    for format in Format::ALL.iter().filter(|format| **format != Format::Tepal) {
        // These two hold chains.
        if matches!(format, Format::RedisBloom | Format::ValkeyBloom) {
            continue;
        }
        for scheme in format.schemes() {
            let mut builder = at(0.05).scheme(*scheme);
            if let Some(layout) = format.layout() {
                builder = builder.layout(layout);
            }
            let name = format!("file-{format}-{scheme}");
            blooms.push(Bloom { format: *format, ..bloom(&name, "key ", builder) });
        }
    }
    blooms
}

#[cfg(feature = "seal")]
fn seal() -> tepal::SealKey {
    tepal::SealKey::new(SEAL).unwrap()
}

/// The keys and options for writing and opening the files of a kind.
#[derive(Default)]
pub(crate) struct Opener {
    pub(crate) secret: Option<SecretKey>,
    #[cfg(feature = "seal")]
    pub(crate) seal: Option<tepal::SealKey>,
    pub(crate) format: Option<Format>,
    pub(crate) key_domain: Option<KeyDomain>,
}

impl Opener {
    pub(crate) fn options(&self) -> Open<'_> {
        let open = self.without_seal();
        #[cfg(feature = "seal")]
        if let Some(seal) = &self.seal {
            return open.seal_key(seal);
        }
        open
    }

    /// The same without the seal key.
    pub(crate) fn without_seal(&self) -> Open<'_> {
        let mut open = Open::new();
        if let Some(secret) = &self.secret {
            open = open.secret_key(secret);
        }
        if let Some(format) = self.format {
            open = open.format(format);
        }
        if let Some(domain) = self.key_domain {
            open = open.key_domain(domain);
        }
        open
    }

    pub(crate) fn is_sealed(&self) -> bool {
        #[cfg(feature = "seal")]
        return self.seal.is_some();
        #[cfg(not(feature = "seal"))]
        false
    }

    /// Reads all of the bytes, with every check.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<Opened> {
        self.options().from_bytes(bytes)
    }

    /// [`read`](Self::read) of bytes in pieces.
    pub(crate) fn pieces(&self, pieces: &[&[u8]]) -> Result<Opened> {
        self.options().from_pieces(pieces)
    }

    /// Opens a file with every check.
    pub(crate) fn open(&self, path: &Path) -> Result<Opened> {
        self.options().open(path)
    }

    /// Opens a file without reading its bits.
    pub(crate) fn quick(&self, path: &Path) -> Result<Opened> {
        self.options().quick().open(path)
    }

    /// The file of a filter, sealed if the kind is.
    pub(crate) fn file(&self, filter: &Opened) -> Vec<u8> {
        #[cfg(feature = "seal")]
        if let Some(seal) = &self.seal {
            return filter.to_bytes_sealed(seal).unwrap();
        }
        filter.to_bytes().unwrap()
    }

    /// The length of that file in bytes.
    fn file_len(&self, filter: &Opened) -> u64 {
        filter.file_len().unwrap() + if self.is_sealed() { 32 } else { 0 }
    }

    /// Saves the file.
    pub(crate) fn save(&self, filter: &Opened, path: &Path) -> Result<()> {
        #[cfg(feature = "seal")]
        if let Some(seal) = &self.seal {
            return filter.save_sealed(path, seal);
        }
        filter.save(path)
    }
}

/// A tepal file of a kind, and its contents.
pub(crate) struct Sample {
    pub(crate) subject: Box<dyn Subject>,
    pub(crate) file: Vec<u8>,
    /// The bytes before the bits.
    pub(crate) head: usize,
    pub(crate) members: u64,
}

/// A half-full filter in the largest file of a kind that is below `most` bytes.
pub(crate) fn sample(subject: Box<dyn Subject>, most: u64) -> Sample {
    let opener = subject.opener();
    let is_fixed = fixed_kinds().iter().any(|kind| kind.kind() == subject.kind());
    // The size of a static filter follows from its members.
    let made = |capacity| match is_fixed {
        true => subject.filled(capacity, &numbers(0..capacity)),
        false => subject.empty(capacity),
    };
    let fits = |capacity| made(capacity).is_ok_and(|filter| opener.file_len(&filter) <= most);
    let (mut low, mut high) = (1, 8 * most);
    while low + 1 < high {
        let middle = (low + high) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    let capacity = if fits(low) { low } else { subject.usual_capacity() };
    let members = if is_fixed { capacity } else { capacity.div_ceil(2) };
    let mut filter = made(capacity).unwrap();
    if !is_fixed {
        subject.keys(&numbers(0..members)).insert_each(&mut filter, |_, _| ()).unwrap();
    }
    let file = opener.file(&filter);
    let head = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    Sample { subject, file, head, members }
}

/// Consecutive numbers.
pub(crate) fn numbers(range: std::ops::Range<u64>) -> Vec<u64> {
    range.collect()
}

/// Whether all filters of the scheme have megabytes.
pub(crate) fn is_large(subject: &dyn Subject) -> bool {
    subject.empty(subject.usual_capacity()).unwrap().filter().size_in_bytes() > 1 << 20
}
