//! The Bloom filter with every layout, scheme and key domain, in tepal's files and in those of
//! other programs.

#[cfg(feature = "foreign")]
use tepal::hash::Md5Split;
use tepal::{
    BloomFilter, KeyDomain, Kind, Layout, Opened, OverCapacity, Recipe, Result, Scheme, SecretKey,
    builders::BloomFilterBuilder, facts::Labels, file::Format,
};

use super::{CALLER_HASH, KeyForm, Numbered, Opener, SECRET, Subject};

/// One Bloom filter.
struct Bloom {
    name: String,
    keys: KeyForm,
    builder: BloomFilterBuilder,
    sealed: bool,
    format: Format,
}

impl Subject for Bloom {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> Kind {
        Kind::Bloom
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
        self.keys.of(numbers)
    }

    fn opener(&self) -> Opener {
        let hasher = self.builder.key_hasher().unwrap();
        let other = self.format != Format::Tepal;
        Opener {
            secret: (hasher.scheme() == Scheme::SipHash13).then(|| SecretKey::new(SECRET)),
            #[cfg(feature = "seal")]
            seal: self.sealed.then(super::seal),
            format: other.then_some(self.format),
            key_domain: other.then(|| hasher.key_domain()),
        }
    }

    fn builder(&self) -> Option<&BloomFilterBuilder> {
        (self.format == Format::Tepal).then_some(&self.builder)
    }
}

pub(super) fn subjects() -> Vec<Box<dyn Subject>> {
    #[cfg(feature = "foreign")]
    let blooms = blooms().into_iter().chain(foreign_blooms());
    #[cfg(not(feature = "foreign"))]
    let blooms = blooms().into_iter();
    blooms.map(|bloom| Box::new(bloom) as Box<dyn Subject>).collect()
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
