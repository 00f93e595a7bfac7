//! The kinds of table: with removal, with expiry, with segments, and the chain of tables.

use tepal::{
    ExpiringFilter, GrowingFilter, KeyDomain, Kind, OverCapacity, QuotientFilter, Recipe, SecretKey,
    SegmentFilter,
    builders::{ExpiringFilterBuilder, GrowingFilterBuilder, QuotientFilterBuilder, SegmentFilterBuilder},
    facts::Labels,
};

use super::made::{Made, subjects};
use super::{CALLER_HASH, Operation, SECRET, Subject};

const CANNOT: &[Operation] = &[Operation::BeAnother];

/// Spaces around a key and the case of its letters do not count.
fn recipe() -> Recipe {
    Recipe::new().trim(true).nocase(true)
}

fn labels(name: &str, field: &str) -> Labels {
    Labels::new().name(name).field(field)
}

/// The table from which keys can be removed.
pub(super) fn quotient() -> Vec<Box<dyn Subject>> {
    let at = |rate| QuotientFilter::builder().false_positive_rate(rate);
    let of = |name, builder: QuotientFilterBuilder| {
        let empty = move |capacity| builder.clone().capacity(capacity).build();
        Made::changing(Kind::Quotient, CANNOT, name, empty)
    };
    let labels = labels("Offene Sitzungen", "id");
    let integers = at(0.3).key_domain(KeyDomain::Integer).over_capacity(OverCapacity::Ignore);
    let keyed = at(1e-6).secret_key(SecretKey::new(SECRET)).count_bits(16);
    subjects([
        of("quotient-xxh3", at(0.01).seed_for("open")),
        of("quotient-siphash13", keyed).keyed(),
        of("quotient-recipe-labels", at(0.02).recipe(recipe()).labels(labels).count_bits(4)),
        of("quotient-int64", integers).of_integers(),
        of("quotient-caller-hash", at(0.1).caller_hash(CALLER_HASH)).of_hashes(),
        of("quotient-sealed", at(0.001).count_bits(8)).sealed(),
    ])
}

/// The table in which keys expire. The tests of the list tell it no time, so no key expires there.
pub(super) fn expiring() -> Vec<Box<dyn Subject>> {
    let week = 7 * 86_400;
    let at = |rate| ExpiringFilter::builder().false_positive_rate(rate).window_of_time(week);
    let of = |name, builder: ExpiringFilterBuilder, time: Option<u64>| {
        Made::changing(Kind::Expiring, CANNOT, name, move |capacity| {
            let mut filter = builder.clone().capacity(capacity).build()?;
            if let Some(time) = time {
                filter.advance_to(time)?;
            }
            Ok(filter)
        })
    };
    let labels = labels("Gesehene Konten", "id");
    let integers = at(0.3).key_domain(KeyDomain::Integer).over_capacity(OverCapacity::Ignore).generations(2);
    let keyed = at(1e-6).secret_key(SecretKey::new(SECRET)).generations(254);
    let hashes = at(0.1).caller_hash(CALLER_HASH).generations(14);
    let now = Some(1_790_000_000);
    subjects([
        of("expiring-xxh3", at(0.01).seed_for("seen"), None),
        of("expiring-siphash13", keyed, now).keyed(),
        of("expiring-recipe-labels", at(0.02).recipe(recipe()).labels(labels), now),
        of("expiring-int64", integers, Some(u64::MAX)).of_integers(),
        of("expiring-caller-hash", hashes, now).of_hashes(),
        of("expiring-sealed", at(0.001).window_of_time(6), Some(5)).sealed(),
    ])
}

/// The table that tells which segments may hold a key. The tests of the list insert without a
/// segment, so each filter here has one, with this number: the segments before it were dropped.
pub(super) fn segment() -> Vec<Box<dyn Subject>> {
    let at = |rate| SegmentFilter::builder().false_positive_rate(rate);
    let of = |name, builder: SegmentFilterBuilder, segment: u16| {
        Made::changing(Kind::Segment, CANNOT, name, move |capacity| {
            let mut filter = builder.clone().capacity(capacity).build()?;
            let before = (0..segment).map(|_| filter.add_unnamed_segment()).collect::<Result<Vec<_>, _>>()?;
            filter.add_segment("heute")?;
            for segment in before {
                filter.drop_segment(segment)?;
            }
            Ok(filter)
        })
    };
    let labels = labels("Wer war wann da?", "id");
    let integers = at(0.3).key_domain(KeyDomain::Integer).over_capacity(OverCapacity::Ignore);
    subjects([
        of("segment-xxh3", at(0.01).seed_for("who"), 0),
        of("segment-siphash13", at(1e-6).secret_key(SecretKey::new(SECRET)), 600).keyed(),
        of("segment-recipe-labels", at(0.02).recipe(recipe()).labels(labels), 2),
        of("segment-int64", integers, 1).of_integers(),
        of("segment-caller-hash", at(0.1).caller_hash(CALLER_HASH), 30).of_hashes(),
        of("segment-sealed", at(0.001), 300).sealed(),
    ])
}

/// The chain of tables that grows under one promise: one table for this many keys, another one for
/// more.
pub(super) fn growing() -> Vec<Box<dyn Subject>> {
    const CANNOT: &[Operation] = &[Operation::Intersect, Operation::SetOverCapacity, Operation::BeAnother];
    let at = |rate| GrowingFilter::builder().false_positive_rate(rate);
    let of = |name, builder: GrowingFilterBuilder| {
        let empty = move |capacity: u64| builder.clone().first(capacity.div_ceil(16)).build();
        Made::changing(Kind::Growing, CANNOT, name, empty)
    };
    let labels = labels("Gesehene Seiten", "url");
    let integers = at(0.3).key_domain(KeyDomain::Integer).deletable(true);
    subjects([
        of("growing-tables-xxh3", at(0.01).seed_for("seen")),
        of("growing-tables-siphash13", at(1e-6).secret_key(SecretKey::new(SECRET))).keyed(),
        of("growing-tables-recipe-labels", at(0.02).recipe(recipe()).labels(labels)),
        of("growing-tables-int64-deletable", integers).of_integers(),
        of("growing-tables-caller-hash", at(0.1).caller_hash(CALLER_HASH)).of_hashes(),
        of("growing-tables-sealed-deletable", at(0.001).deletable(true)).sealed(),
    ])
}
