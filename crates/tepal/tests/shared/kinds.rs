//! The kinds of filter there are, for every test that holds all of them: a new one is one more line of [`kinds`].

#![allow(dead_code)] // What one test does not need, another does.

use std::path::Path;

use tepal::{
    AnyFilter, BloomFilter, BloomFilterBuilder, FilterFile, KeyDomain, Labels, Layout, Md5Split, Open,
    OverCapacity, Reading, Recipe, Result, Scheme, SecretKey,
};

/// A secret that is no secret: it stands beside the kept files.
pub(crate) const SECRET: [u8; 16] = *b"kept for testing";
#[cfg(feature = "seal")]
const SEAL: &[u8] = b"a seal for testing";

/// A kind: its name, what its keys begin with, its filter for 1,000 keys or fewer, and whether its file is sealed.
pub(crate) struct Kind {
    pub(crate) name: String,
    pub(crate) prefix: &'static str,
    pub(crate) builder: BloomFilterBuilder,
    pub(crate) sealed: bool,
}

/// A file of a kind, and what is in it.
pub(crate) struct Sample {
    pub(crate) kind: Kind,
    pub(crate) file: Vec<u8>,
    /// Bytes before the bits.
    pub(crate) head: usize,
    pub(crate) members: u64,
}

/// Every kind.
pub(crate) fn kinds() -> Vec<Kind> {
    let mut kinds = Vec::new();
    let kind = |name: &str, prefix, builder| Kind { name: name.into(), prefix, builder, sealed: false };
    let at = |rate| BloomFilter::builder().capacity(1000).false_positive_rate(rate);
    let labels = Labels {
        name: Some("Gesperrte Konten".into()),
        source: Some("konten.csv".into()),
        date: Some("2026-11-20".into()),
        field: Some("/konto/nummer".into()),
    };
    for (layout, rate) in Layout::ALL.into_iter().zip([0.05, 0.01, 0.02, 0.001]) {
        let builder = at(rate).layout(layout);
        let mut add =
            |name: &str, prefix, builder| kinds.push(kind(&format!("{layout}-{name}"), prefix, builder));
        add("xxh3", "key ", builder.clone().seed(0xFEDC_BA98_7654_3210));
        add("siphash13", "key ", builder.clone().secret_key(SecretKey::new(SECRET)));
        add("xxh64", "key ", builder.clone().scheme(Scheme::Xxh64));
        add(
            "integer",
            "",
            builder.clone().key_domain(KeyDomain::Integer).over_capacity(OverCapacity::Ignore),
        );
        let recipe = Recipe { trim: true, nocase: true };
        add("recipe-labels", "\u{df} ", builder.recipe(recipe).labels(labels.clone()));
    }
    for (domain, prefix) in [
        (KeyDomain::Integer32, "-1"),
        (KeyDomain::Utf16, "\u{1d11e} "),
        (KeyDomain::Float32, "2"),
        (KeyDomain::Float64, "-7"),
    ] {
        kinds.push(kind(
            &format!("line-{domain}"),
            prefix,
            at(0.05).scheme(Scheme::Xxh64).key_domain(domain),
        ));
    }
    for scheme in Scheme::ALL {
        let builder = match scheme {
            Scheme::Xxh3 | Scheme::SipHash13 | Scheme::Xxh64 => continue,
            // 2^25 bits whatever the capacity: few keys, so that the JSON stays small.
            Scheme::Bkdr7 => BloomFilter::builder().capacity(50),
            _ => at(0.05),
        };
        kinds.push(kind(&format!("scheme-{scheme}"), "key ", builder.scheme(scheme)));
    }
    let split = Md5Split { little_endian: true, from_zero: true, wrapping: true };
    kinds.push(kind("scheme-md5-split-other-reading", "key ", at(0.05).md5_split(split)));
    kinds.push(kind("scheme-spark-v2-seed", "key ", at(0.05).scheme(Scheme::SparkV2).seed(-7i64 as u64)));
    let seed = core::array::from_fn(|i| i as u8);
    kinds.push(kind("scheme-valkey-bloom-seed", "key ", at(0.05).valkey_seed(seed)));
    let integers = at(0.05).scheme(Scheme::GuavaMitz64).key_domain(KeyDomain::Integer);
    kinds.push(kind("scheme-guava-mitz64-integer", "", integers));
    #[cfg(feature = "seal")]
    kinds.push(Kind { sealed: true, ..kind("line-sealed", "key ", at(0.01)) });
    #[cfg(feature = "seal")]
    kinds.push(Kind {
        sealed: true,
        ..kind("double-sealed", "key ", at(0.001).secret_key(SecretKey::new(SECRET)))
    });
    kinds
}

impl Kind {
    pub(crate) fn key(&self, i: u64) -> String {
        format!("{}{i}", self.prefix)
    }

    pub(crate) fn is_keyed(&self) -> bool {
        self.builder.clone().build().unwrap().scheme() == Scheme::SipHash13
    }

    /// The filter's file, sealed where the kind is.
    pub(crate) fn file(&self, filter: &BloomFilter) -> Vec<u8> {
        #[cfg(feature = "seal")]
        if self.sealed {
            return filter.to_bytes_sealed(&seal()).unwrap();
        }
        filter.to_bytes().unwrap()
    }

    /// A file as close below so many bytes as the kind has one, half full.
    pub(crate) fn sample(self, most: u64) -> Sample {
        let smallest = self.builder.clone().build().unwrap();
        let usual = smallest.capacity();
        // What labels and a seal add.
        let extra = self.file(&smallest).len() as u64 - self.builder.plan().unwrap().file_len();
        let fits = |capacity| {
            let plan = self.builder.clone().capacity(capacity).plan();
            plan.is_ok_and(|plan| plan.file_len() + extra <= most)
        };
        let (mut low, mut high) = (1, 8 * most);
        while low + 1 < high {
            let middle = (low + high) / 2;
            if fits(middle) { low = middle } else { high = middle }
        }
        let capacity = if fits(low) { low } else { usual };
        let mut filter = self.builder.clone().capacity(capacity).build().unwrap();
        let members = capacity.div_ceil(2);
        for i in 0..members {
            filter.insert(&self.key(i)).unwrap();
        }
        let file = self.file(&filter);
        let head = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
        Sample { kind: self, file, head, members }
    }
}

#[cfg(feature = "seal")]
fn seal() -> tepal::SealKey {
    tepal::SealKey::new(SEAL).unwrap()
}

/// What opens the files of a kind.
pub(crate) struct Opener {
    secret: Option<SecretKey>,
    #[cfg(feature = "seal")]
    seal: Option<tepal::SealKey>,
}

impl Opener {
    pub(crate) fn of(kind: &Kind) -> Self {
        Opener {
            secret: kind.is_keyed().then(|| SecretKey::new(SECRET)),
            #[cfg(feature = "seal")]
            seal: kind.sealed.then(seal),
        }
    }

    pub(crate) fn options(&self) -> Open<'_> {
        let mut open = Open::new();
        if let Some(secret) = &self.secret {
            open = open.secret_key(secret);
        }
        #[cfg(feature = "seal")]
        if let Some(seal) = &self.seal {
            open = open.seal_key(seal);
        }
        open
    }

    /// Reads all of the bytes, with every check.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<AnyFilter> {
        self.options().from_bytes(bytes).map(AnyFilter::Bloom)
    }

    /// Reads bytes of which it is not said what they are.
    pub(crate) fn read_any(&self, bytes: &[u8]) -> Result<FilterFile> {
        FilterFile::from_bytes(bytes, &Reading { secret: self.secret.clone(), ..Reading::default() })
    }

    /// Opens a file without its bits.
    pub(crate) fn quick(&self, path: &Path) -> Result<()> {
        self.options().quick().open(path).map(|_| ())
    }
}
