//! The table that tells which segments may hold a key. The tests of the list insert without a
//! segment, so each filter here has one.

use tepal::{
    KeyDomain, Kind, Opened, OverCapacity, SegmentFilter, builders::SegmentFilterBuilder, facts::Labels,
    file::Format,
};
use tepal::{Recipe, Result, SecretKey};

use super::{BloomFilterBuilder, CALLER_HASH, Numbered, Opener, Operation, SECRET, Subject, finish_hash};

/// A segment filter.
struct Segmented {
    name: &'static str,
    builder: SegmentFilterBuilder,
    keys: Keys,
    /// The number of its segment: the segments before it were dropped.
    segment: u16,
    is_keyed: bool,
    is_sealed: bool,
}

#[derive(Clone, Copy)]
enum Keys {
    Texts,
    Integers,
    Hashes,
}

pub(super) fn segment() -> Vec<Box<dyn Subject>> {
    let at = |rate| SegmentFilter::builder().false_positive_rate(rate);
    let labels = Labels::new().name("Wer war wann da?").field("id");
    let recipe = Recipe::new().trim(true).nocase(true);
    let integers = at(0.3).key_domain(KeyDomain::Integer).over_capacity(OverCapacity::Ignore);
    let secret = SecretKey::new(SECRET);
    [
        ("segment-xxh3", at(0.01).seed_for("who"), Keys::Texts, 0, false, false),
        ("segment-siphash13", at(1e-6).secret_key(secret), Keys::Texts, 600, true, false),
        ("segment-recipe-labels", at(0.02).recipe(recipe).labels(labels), Keys::Texts, 2, false, false),
        ("segment-int64", integers, Keys::Integers, 1, false, false),
        ("segment-caller-hash", at(0.1).caller_hash(CALLER_HASH), Keys::Hashes, 30, false, false),
        ("segment-sealed", at(0.001), Keys::Texts, 300, false, true),
    ]
    .map(|(name, builder, keys, segment, is_keyed, is_sealed)| Segmented {
        name,
        builder,
        keys,
        segment,
        is_keyed,
        is_sealed,
    })
    .into_iter()
    .filter(|kind| cfg!(feature = "seal") || !kind.is_sealed)
    .map(|kind| Box::new(kind) as Box<dyn Subject>)
    .collect()
}

impl Subject for Segmented {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> Kind {
        Kind::Segment
    }

    fn cannot(&self) -> &'static [Operation] {
        &[Operation::BeAnother]
    }

    fn format(&self) -> Format {
        Format::Tepal
    }

    fn empty(&self, capacity: u64) -> Result<Opened> {
        let mut filter = self.builder.clone().capacity(capacity).build()?;
        let before = (0..self.segment).map(|_| filter.add_unnamed_segment()).collect::<Result<Vec<_>>>()?;
        filter.add_segment("heute")?;
        for segment in before {
            filter.drop_segment(segment)?;
        }
        Opened::new(filter, Format::Tepal)
    }

    fn keys(&self, numbers: &[u64]) -> Numbered {
        match self.keys {
            Keys::Texts => Numbered::texts("key ", numbers),
            Keys::Integers => Numbered::texts("", numbers),
            Keys::Hashes => Numbered::Hashes(numbers.iter().map(|number| finish_hash(*number)).collect()),
        }
    }

    fn opener(&self) -> Opener {
        Opener {
            secret: self.is_keyed.then(|| SecretKey::new(SECRET)),
            #[cfg(feature = "seal")]
            seal: self.is_sealed.then(super::seal),
            ..Opener::default()
        }
    }

    fn builder(&self) -> Option<&BloomFilterBuilder> {
        None
    }
}
