//! Kept files of quotient filters.

use serde_json::{Value, json};
use tepal::AnyFilter;

use super::{Numbered, Subject, add_keys, numbers};

/// Members, each once; each tenth is inserted three times.
const MEMBERS: u64 = 800;

/// Fills the filter; returns its JSON and its file.
pub(super) fn kept(kind: &dyn Subject) -> tepal::Result<(Value, Vec<u8>)> {
    let mut opened = kind.empty(kind.usual_capacity())?;
    kind.keys(&numbers(0..MEMBERS)).insert_each(&mut opened, |_, _| ())?;
    let tenths: Vec<u64> = (0..MEMBERS).step_by(10).collect();
    for _ in 0..2 {
        kind.keys(&tenths).insert_each(&mut opened, |_, _| ())?;
    }
    let AnyFilter::Quotient(filter) = opened.filter() else { unreachable!("{opened:?}") };
    let count = |numbered: &Numbered| -> u64 {
        match numbered {
            Numbered::Texts(texts) => filter.count(&texts[0]),
            Numbered::Hashes(hashes) => filter.count_hash(hashes[0]),
        }
    };
    let digit = |i| char::from(b'0' + u8::try_from(count(&kind.keys(&[i])).min(9)).unwrap_or(9));
    let counts: String = (0..MEMBERS + 1000).map(digit).collect();
    let (opener, facts) = (kind.opener(), opened.facts()?);
    let table = &facts.tables[0];
    let mut expected = json!({
        "scheme": facts.scheme.to_string(),
        "seed": facts.seed.map(|seed| seed.to_string()),
        "caller_hash": facts.caller_hash,
        "key_domain": facts.key_domain.to_string(),
        "over_capacity": facts.over_capacity.to_string(),
        "capacity": facts.capacity,
        "false_positive_rate": facts.promised_false_positive_rate,
        "recipe": { "trim": facts.recipe.trim, "nocase": facts.recipe.nocase },
        "labels": { "name": facts.labels.name, "field": facts.labels.field },
        "keys_inserted": facts.keys_inserted,
        "table": {
            "numbers": table.numbers,
            "remainder_bits": table.remainder_bits,
            "tag_bits": table.tag_bits,
            "buckets": table.buckets,
            "slots": table.slots,
            "lines": table.lines,
            "taken_slots": table.taken_slots,
            "distinct_numbers": table.distinct_numbers,
        },
        "members": MEMBERS,
        "counts": counts,
    });
    add_keys(&mut expected, kind, &opener);
    Ok((expected, opener.file(&opened)))
}
