//! Kept files of ribbon filters.

use serde_json::{Value, json};

use super::{Subject, add_keys, digits, numbers};

/// Enough for a layer and last slots.
const MEMBERS: u64 = 3000;

/// Builds the filter; returns its JSON and its file.
pub(super) fn kept(kind: &dyn Subject) -> tepal::Result<(Value, Vec<u8>)> {
    let opened = kind.filled(MEMBERS, &numbers(0..MEMBERS))?;
    let answers = digits(kind.keys(&numbers(MEMBERS..2 * MEMBERS)).held(&opened));
    let (opener, facts) = (kind.opener(), opened.facts()?);
    let ribbon = facts.ribbon.as_ref().unwrap_or_else(|| unreachable!("{opened:?}"));
    let mut expected = json!({
        "scheme": facts.scheme.to_string(),
        "seed": facts.seed.map(|seed| seed.to_string()),
        "caller_hash": facts.caller_hash,
        "key_domain": facts.key_domain.to_string(),
        "false_positive_rate": facts.promised_false_positive_rate,
        "rate_now": facts.false_positive_rate,
        "recipe": { "trim": facts.recipe.trim, "nocase": facts.recipe.nocase },
        "labels": { "name": facts.labels.name, "field": facts.labels.field },
        "ribbon": {
            "keys": ribbon.keys,
            "bit_len": ribbon.bit_len,
            "columns": ribbon.columns,
            "layers": ribbon.layers,
            "last_slots": ribbon.last_slots,
        },
        "members": MEMBERS,
        "answers_to_others": answers,
    });
    if ribbon.picked > 0 {
        expected["ribbon"]["picked"] = ribbon.picked.into();
    }
    if ribbon.added > 0 {
        expected["ribbon"]["added"] = ribbon.added.into();
        expected["built_of"] = (MEMBERS / 2).into();
    }
    if let Some(numbers) = ribbon.numbers {
        expected["ribbon"]["numbers"] = numbers.into();
    }
    add_keys(&mut expected, kind, &opener);
    Ok((expected, opener.file(&opened)))
}
