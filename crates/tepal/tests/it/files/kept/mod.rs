//! The kept files in `testdata/kept`, which released versions wrote. Every later version reads
//! them, gives the same answers for every key, and writes them again byte for byte. These files are
//! never rewritten (`testdata/kept/README.md`).

#[cfg(feature = "extras")]
mod exceptions;
#[cfg(feature = "table")]
mod expiring;
#[cfg(feature = "table")]
mod growing_tables;
#[cfg(feature = "static")]
mod map;
#[cfg(feature = "table")]
mod quotient;
#[cfg(feature = "static")]
mod ribbon;
#[cfg(feature = "table")]
mod segment;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
#[cfg(feature = "seal")]
use tepal::SealKey;
use tepal::{
    BloomFilter, Error, KeyDomain, Kind, Layout, Open, Opened, Scheme, SecretKey, facts::Facts, file::Format,
    hash::finish_hash, storage::Storage,
};

use crate::shared::files::files_in;
use crate::shared::recorded::recorded;

struct Kept {
    path: PathBuf,
    json: Value,
    file: Vec<u8>,
}

fn all() -> Vec<Kept> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/kept");
    let versions =
        fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files =
        versions.flat_map(|version| fs::read_dir(version).unwrap().map(|entry| entry.unwrap().path()));
    let descriptions = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let kept: Vec<Kept> = descriptions.map(read).collect();
    // None may be lost: the first version alone has these.
    assert!(kept.len() >= 49, "only {} kept files", kept.len());
    // A build without other programs' schemes refuses their files, and one without seals refuses
    // sealed files.
    let (known, foreign): (Vec<_>, Vec<_>) = kept.into_iter().partition(Kept::is_known);
    for kept in foreign {
        let refused = kept.opened().map(|_| ());
        assert!(matches!(refused, Err(Error::Unsupported { .. })), "{}", kept.path.display());
    }
    known
}

/// The files of one of the folders for a kind.
#[cfg(any(feature = "extras", feature = "table", feature = "static"))]
fn in_folder(folder: &str) -> Vec<Kept> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/kept/v1").join(folder);
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "json")).map(read).collect()
}

fn read(path: PathBuf) -> Kept {
    let json: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let file = match json.get("file") {
        None => fs::read(path.with_extension("tepal")).unwrap(),
        // A file that is too long to be kept whole: its length, and the bytes that are not 0.
        Some(sparse) => {
            let mut file = vec![0; sparse["len"].as_u64().unwrap() as usize];
            for part in sparse["parts"].as_array().unwrap() {
                let (at, bytes) = (part[0].as_u64().unwrap() as usize, hex(part[1].as_str().unwrap()));
                file[at..at + bytes.len()].copy_from_slice(&bytes);
            }
            file
        }
    };
    Kept { path, json, file }
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

impl Kept {
    fn text(&self, field: &str) -> &str {
        self.json[field].as_str().unwrap_or_else(|| panic!("{}: no text {field}", self.path.display()))
    }

    fn number(&self, field: &str) -> u64 {
        self.json[field].as_u64().unwrap_or_else(|| panic!("{}: no number {field}", self.path.display()))
    }

    fn secret(&self) -> Option<SecretKey> {
        let bytes = hex(self.json["secret_key"].as_str()?);
        Some(SecretKey::new(bytes.try_into().unwrap()))
    }

    fn is_sealed(&self) -> bool {
        self.json.get("seal_key").is_some()
    }

    #[cfg(feature = "seal")]
    fn seal(&self) -> Option<SealKey> {
        Some(SealKey::new(&hex(self.json.get("seal_key")?.as_str()?)).unwrap())
    }

    /// Opens the file's bytes or a file, with the keys that it needs.
    fn with_keys<T>(&self, open: impl FnOnce(Open<'_>) -> T) -> T {
        let secret = self.secret();
        let options = secret.as_ref().map_or(Open::new(), |key| Open::new().secret_key(key));
        #[cfg(feature = "seal")]
        if let Some(seal) = self.seal() {
            return open(options.seal_key(&seal));
        }
        open(options)
    }

    fn opened(&self) -> Result<Opened, Error> {
        self.with_keys(|open| open.from_bytes(&self.file))
    }

    /// Uses the call that returns a Bloom filter at once, if possible: that call takes no seal key.
    fn open(&self) -> Result<BloomFilter, Error> {
        match self.secret() {
            _ if self.is_sealed() => {
                let refused = match self.secret() {
                    Some(key) => BloomFilter::from_bytes_with_key(&self.file, &key),
                    None => BloomFilter::from_bytes(&self.file),
                };
                assert!(matches!(refused, Err(Error::SealRequired)), "{}", self.path.display());
                self.opened()?.into_filter().into_bloom()?.into_owned()
            }
            Some(key) => BloomFilter::from_bytes_with_key(&self.file, &key),
            None => BloomFilter::from_bytes(&self.file),
        }
    }

    /// The file of the filter, sealed like this one.
    fn file(&self, filter: &BloomFilter) -> Vec<u8> {
        #[cfg(feature = "seal")]
        if let Some(seal) = self.seal() {
            return filter.to_bytes_sealed(&seal).unwrap();
        }
        filter.to_bytes().unwrap()
    }

    /// The file of any filter, sealed like this one.
    #[cfg(any(feature = "extras", feature = "table", feature = "static"))]
    fn written(&self, opened: &Opened) -> Vec<u8> {
        #[cfg(feature = "seal")]
        if let Some(seal) = self.seal() {
            return opened.to_bytes_sealed(&seal).unwrap();
        }
        opened.to_bytes().unwrap()
    }

    /// Saves the filter, sealed like this one.
    fn save(&self, filter: &BloomFilter, path: &Path) {
        #[cfg(feature = "seal")]
        if let Some(seal) = self.seal() {
            return filter.save_sealed(path, &seal).unwrap();
        }
        filter.save(path).unwrap();
    }

    /// Checks that the filter has the facts that were written beside its file.
    fn has(&self, facts: &Facts) {
        let name = self.path.display();
        let found = recorded(facts);
        assert_eq!(self.json["caller_hash"], found["caller_hash"], "{name}");
        let of_bloom = ["layout", "num_hashes", "bit_len", "set_bits", "capacity", "over_capacity"];
        let of_kind = if facts.kind == Kind::Bloom { &of_bloom[..] } else { &[] };
        for fact in ["scheme", "key_domain", "false_positive_rate", "recipe"].iter().chain(of_kind) {
            assert!(self.json.get(fact).is_some(), "{name}: no {fact}");
        }
        for (fact, kept) in self.json.as_object().unwrap() {
            match (kept, found.get(fact)) {
                (_, None) => {}
                (Value::Object(kept), Some(found)) => {
                    for (part, kept) in kept {
                        assert_eq!(kept, &found[part], "{name}: {part} of {fact}");
                    }
                    // Tables in which keys expire were kept without this one.
                    for (part, found) in found.as_object().unwrap() {
                        let is_kept =
                            kept.contains_key(part) || found.is_null() || part == "distinct_numbers";
                        assert!(is_kept, "{name}: {part} of {fact} is {found}");
                    }
                }
                // Not every float is read from JSON as it was written.
                (kept, Some(found)) if fact == "rate_now" && facts.kind == Kind::Map => {
                    let (kept, found) = (kept.as_f64().unwrap(), found.as_f64().unwrap());
                    assert!((kept / found - 1.0).abs() < 1e-15, "{name}: {fact} {kept}, now {found}");
                }
                (kept, Some(found)) => assert_eq!(kept, found, "{name}: {fact}"),
            }
        }
    }

    fn is_known(&self) -> bool {
        let is_known =
            is_known(self.text("scheme").parse().unwrap(), self.text("key_domain").parse().unwrap());
        is_known && (cfg!(feature = "seal") || !self.is_sealed())
    }

    /// Whether the members are hashes, `finish_hash` of their numbers, and not keys.
    fn members_are_hashes(&self) -> bool {
        self.json.get("members_are_hashes").is_some_and(|are| are.as_bool().unwrap())
    }

    fn keys(&self, range: std::ops::Range<u64>) -> Vec<String> {
        let prefix = self.text("key_prefix");
        let zero =
            |i: &u64| if self.text("key_domain") == "hex" && i.to_string().len() % 2 == 1 { "0" } else { "" };
        range.map(|i| format!("{prefix}{}{i}", zero(&i))).collect()
    }

    #[cfg(feature = "table")]
    fn key(&self, i: u64) -> String {
        self.keys(i..i + 1).remove(0)
    }

    fn hashes(&self, range: std::ops::Range<u64>) -> Vec<u64> {
        range.map(finish_hash).collect()
    }

    fn insert_members(&self, filter: &mut BloomFilter) {
        let members = 0..self.number("members");
        if self.members_are_hashes() {
            self.hashes(members).into_iter().for_each(|hash| assert!(filter.insert_hash(hash).is_ok()));
        } else {
            self.keys(members).iter().for_each(|key| assert!(filter.insert(key).is_ok()));
        }
    }
}

/// Whether this build knows the scheme and the key domain.
fn is_known(scheme: Scheme, domain: KeyDomain) -> bool {
    cfg!(feature = "foreign") || (scheme < Scheme::Md5Presets && domain <= KeyDomain::Integer)
}

/// Looks up every member and every non-member, one by one and in one batch.
fn check_answers(kept: &Kept, filter: &BloomFilter<impl Storage>) {
    let members = kept.number("members");
    let answers = kept.text("answers_to_others").bytes().map(|answer| answer == b'1');
    let expected: Vec<bool> = std::iter::repeat_n(true, members as usize).chain(answers).collect();
    let asked = 0..expected.len() as u64;
    assert!(asked.end == members + 1000);
    let (one_by_one, many): (Vec<bool>, Vec<bool>) = if kept.members_are_hashes() {
        let hashes = kept.hashes(asked);
        let mut many = vec![false; hashes.len()];
        filter.contains_many_hashes(&hashes, &mut many);
        (hashes.iter().map(|hash| filter.contains_hash(*hash)).collect(), many)
    } else {
        let keys = kept.keys(asked);
        (keys.iter().map(|key| filter.contains(key)).collect(), filter.contains_many(&keys))
    };
    assert_eq!(one_by_one, expected, "{}", kept.path.display());
    assert_eq!(many, expected, "{}", kept.path.display());
}

#[test]
fn every_kept_file_is_the_filter_it_was() {
    for kept in all() {
        let name = kept.path.display();
        let filter = kept.open().unwrap_or_else(|error| panic!("{name}: {error}"));
        kept.has(&filter.facts());
        check_answers(&kept, &filter);
    }
}

#[test]
fn every_kept_file_is_written_again_byte_for_byte() {
    for kept in all() {
        let name = kept.path.display();
        let filter = kept.open().unwrap();
        assert!(kept.file(&filter) == kept.file, "{name}");

        // Filled again with its keys, it is the same file.
        let mut again = filter.clone();
        again.clear().unwrap();
        kept.insert_members(&mut again);
        assert!(kept.file(&again) == kept.file, "{name}: filled anew");

        let file = kept.opened().unwrap();
        assert_eq!((file.format(), file.is_sealed()), (Format::Tepal, kept.is_sealed()), "{name}");
        // It can be written unsealed after it was opened.
        assert_eq!(file.to_bytes().unwrap() == kept.file, !kept.is_sealed(), "{name}");
    }
}

#[test]
fn every_kept_file_opens_from_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kept.tepal");
    for kept in all() {
        fs::write(&path, &kept.file).unwrap();
        let filter = match kept.secret() {
            _ if kept.is_sealed() => {
                let refused = BloomFilter::open(&path).map(|_| ());
                assert!(matches!(refused, Err(Error::SealRequired | Error::KeyRequired)));
                kept.with_keys(|open| open.open(&path)).unwrap().into_filter().into_bloom().unwrap()
            }
            Some(key) => {
                assert!(matches!(BloomFilter::open(&path), Err(Error::KeyRequired)));
                BloomFilter::open_with_key(&path, &key).unwrap()
            }
            None => BloomFilter::open(&path).unwrap(),
        };
        check_answers(&kept, &filter);
        let saved = folder.path().join("saved.tepal");
        kept.save(&filter, &saved);
        assert!(fs::read(&saved).unwrap() == kept.file, "{}", kept.path.display());
    }
}

/// A new kind, layout, scheme or key domain needs a kept file, and a new kind needs vectors.
#[test]
fn every_kind_is_kept() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    // The number in the header of each file (FORMAT.md, section 4.1).
    let kind_of = |file: Vec<u8>| u16::from_le_bytes([file[10], file[11]]);
    let found: BTreeSet<u16> =
        files_in(&root.join("kept"), "tepal").iter().map(|path| kind_of(fs::read(path).unwrap())).collect();
    for kind in Kind::ALL {
        assert!(found.contains(&kind.id()), "no kept file of the kind {kind}");
        let vectors = match kind {
            Kind::Bloom => "files",
            Kind::Scalable => "chains",
            other => other.name(),
        };
        let vectors = root.join("vectors").join(vectors).with_extension("json");
        assert!(vectors.exists(), "no vectors of the kind {kind}: {}", vectors.display());
    }
    let kept = all();
    let kinds: BTreeSet<_> = kept
        .iter()
        .flat_map(|kept| ["layout", "scheme", "key_domain"].map(|field| kept.text(field)))
        .collect();
    for layout in Layout::ALL {
        assert!(kinds.contains(layout.name()), "no kept file of the layout {layout}");
        let mut sealed = kept.iter().filter(|kept| kept.is_sealed());
        let found = sealed.any(|kept| kept.text("layout") == layout.name());
        assert!(found || !cfg!(feature = "seal"), "no sealed kept file of the layout {layout}");
        // tepal's own schemes have a hash, and so any layout.
        for scheme in Scheme::ALL.iter().filter(|scheme| **scheme < Scheme::Md5Presets) {
            let both = (layout.name(), scheme.to_string());
            let found = kept.iter().any(|kept| (kept.text("layout"), kept.text("scheme").into()) == both);
            assert!(found, "no kept file of {both:?}");
        }
    }
    for scheme in Scheme::ALL.iter().filter(|scheme| is_known(**scheme, KeyDomain::Bytes)) {
        assert!(kinds.contains(scheme.to_string().as_str()), "no kept file of the scheme {scheme}");
    }
    for domain in KeyDomain::ALL.iter().filter(|domain| is_known(Scheme::Xxh3, **domain)) {
        assert!(kinds.contains(domain.to_string().as_str()), "no kept file of the key domain {domain}");
    }
}

/// Growing chains are in a folder of their own: they give the same answers, and are written again
/// byte for byte.
#[cfg(feature = "extras")]
#[test]
fn kept_chains_are_the_chains_they_were() {
    let kept = in_folder("chains");
    assert!(kept.len() >= 5, "{}", kept.len());
    for kept in kept.iter().filter(|kept| cfg!(feature = "seal") || !kept.is_sealed()) {
        let (name, mut opened) = (kept.path.display(), kept.opened().unwrap());
        let facts = opened.facts().unwrap();
        let links: Vec<Value> = facts
            .parts
            .iter()
            .map(|link| {
                serde_json::json!({
                    "capacity": link.capacity, "keys_inserted": link.keys_inserted, "set_bits": link.set_bits,
                })
            })
            .collect();
        assert_eq!(kept.json["links"], Value::from(links), "{name}");
        assert_eq!(kept.json["expansion"].as_u64().unwrap(), u64::from(facts.expansion.unwrap()), "{name}");
        assert_eq!(kept.json["false_positive_rate"], facts.promised_false_positive_rate, "{name}");
        assert_eq!(kept.text("scheme"), facts.scheme.to_string(), "{name}");
        assert_eq!(kept.json["recipe"]["nocase"], facts.recipe.nocase, "{name}");
        let members = kept.json["members"].as_u64().unwrap();
        let answers = kept.text("answers_to_others").bytes().map(|answer| answer == b'1');
        let prefix = kept.json["key_prefix"].as_str();
        for (number, expected) in (0u64..).zip((0..members).map(|_| true).chain(answers)) {
            let held = match prefix {
                Some(prefix) => opened.contains(&format!("{prefix}{number}")),
                None => opened.filter().contains_hash(finish_hash(number)),
            };
            assert_eq!(held, expected, "{name}: {number}");
        }
        assert!(kept.written(&opened) == kept.file, "{name}");
        // It still grows.
        let before = facts.parts.len();
        for number in 10_000..20_000u64 {
            match prefix {
                Some(prefix) => opened.insert(&format!("{prefix}{number}")).unwrap(),
                None => opened.insert_hash(finish_hash(number)).unwrap(),
            };
        }
        let facts = opened.facts().unwrap();
        assert!(facts.parts.len() > before, "{name}");
        assert!(facts.false_positive_rate <= facts.promised_false_positive_rate, "{name}");
    }
}
