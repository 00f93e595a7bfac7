//! Ribbon filters, in a folder of their own: the same answers, the file is written again byte for
//! byte, and its keys build it again.

use tepal::{AnyFilter, RibbonFilter, hash::finish_hash};

use super::{Kept, in_folder};

fn contains(kept: &Kept, filter: &RibbonFilter, i: u64) -> bool {
    match kept.members_are_hashes() {
        true => filter.contains_hash(finish_hash(i)),
        false => filter.contains(&kept.key(i)),
    }
}

/// The filter built from its keys again.
fn built(kept: &Kept, filter: &RibbonFilter) -> RibbonFilter {
    let hash = |i| match kept.members_are_hashes() {
        true => finish_hash(i),
        false => filter.hash_key(&kept.key(i)).unwrap(),
    };
    let members = kept.number("members");
    let of_ribbon = kept.json["built_of"].as_u64().unwrap_or(members);
    let hashes = (0..of_ribbon).map(hash).collect();
    let builder = RibbonFilter::builder().false_positive_rate(filter.promised_false_positive_rate());
    let is_for_speed = kept.json["ribbon"]["picked"].is_null();
    let builder = if is_for_speed { builder.prefer_speed() } else { builder };
    // The hasher gives the filter's hashes; the builder handles keys in the same way.
    let builder = builder.key_domain(filter.key_domain()).recipe(filter.recipe());
    let builder = match (kept.secret(), filter.seed(), kept.json["caller_hash"].as_str()) {
        (Some(secret), ..) => builder.secret_key(secret),
        (_, _, Some(name)) => builder.caller_hash(name),
        (_, seed, None) => builder.seed(seed.unwrap()),
    };
    let mut built = match filter.numbers() {
        None => builder.build_from_hashes(hashes).unwrap(),
        Some(numbers) => of_table(filter, numbers, hashes),
    };
    for i in of_ribbon..members {
        built.insert_hash(hash(i)).unwrap();
    }
    built
}

/// A table of exactly this many possible fingerprints, as a ribbon.
#[cfg(feature = "table")]
fn of_table(filter: &RibbonFilter, numbers: u64, hashes: Vec<u64>) -> RibbonFilter {
    let halves = (0..54).take_while(|halves| numbers % (1u64 << halves) == 0);
    let halves = halves.filter(|halves| numbers >> halves >= hashes.len() as u64).last().unwrap();
    let builder =
        tepal::QuotientFilter::builder().capacity(numbers >> halves).false_positive_rate(0.5f64.powi(halves));
    let table = builder.seed(filter.seed().unwrap()).build_from_hashes(hashes).unwrap();
    assert_eq!(table.numbers(), numbers);
    table.to_ribbon(filter.promised_false_positive_rate()).unwrap()
}

#[cfg(not(feature = "table"))]
fn of_table(filter: &RibbonFilter, _: u64, _: Vec<u64>) -> RibbonFilter {
    filter.clone()
}

#[test]
fn kept_ribbon_filters_are_the_filters_they_were() {
    let all = in_folder("ribbon");
    assert!(all.len() >= 11, "{}", all.len());
    for kept in all.iter().filter(|kept| cfg!(feature = "seal") || !kept.is_sealed()) {
        let name = kept.path.display();
        let opened = kept.opened().unwrap_or_else(|error| panic!("{name}: {error}"));
        let facts = opened.facts().unwrap();
        kept.has(&facts);
        let AnyFilter::Ribbon(filter) = opened.filter() else { panic!("{name}") };
        let (answers, members) = (kept.text("answers_to_others").as_bytes(), kept.number("members"));
        assert_eq!(answers.len() as u64, members, "{name}");
        assert!((0..members).all(|i| contains(kept, filter, i)), "{name}: a member is lost");
        for (i, answer) in (members..).zip(answers) {
            assert_eq!(contains(kept, filter, i), *answer == b'1', "{name}: key {i}");
        }
        assert!(kept.written(&opened) == kept.file, "{name}: written again");
        assert!(built(kept, filter) == *filter, "{name}: built anew");
    }
}
