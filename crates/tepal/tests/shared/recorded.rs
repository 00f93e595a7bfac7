//! The facts of a filter that stand beside its kept file.

use serde_json::{Value, json};
use tepal::facts::Facts;

/// The facts, of which a kept file may have only some. The seed is a text: it may be above 2^53.
pub(crate) fn recorded(facts: &Facts) -> Value {
    let labels = &facts.labels;
    let part = match &facts.parts[..] {
        [part] => Some(part),
        _ => None,
    };
    let table = match &facts.tables[..] {
        [table] => Some(table),
        _ => None,
    };
    json!({
        "scheme": facts.scheme.to_string(),
        "seed": facts.seed.map(|seed| seed.to_string()),
        "caller_hash": facts.caller_hash,
        "key_domain": facts.key_domain.to_string(),
        "over_capacity": facts.over_capacity.to_string(),
        "capacity": facts.capacity,
        "false_positive_rate": facts.promised_false_positive_rate,
        "rate_now": facts.false_positive_rate,
        "keys_inserted": facts.keys_inserted,
        "recipe": { "trim": facts.recipe.trim, "nocase": facts.recipe.nocase },
        "labels": {
            "name": labels.name, "source": labels.source, "date": labels.date, "field": labels.field,
            "rows": labels.rows,
        },
        "layout": part.map(|part| part.layout.name()),
        "num_hashes": part.map(|part| part.num_hashes),
        "bit_len": part.map(|part| part.bit_len),
        "set_bits": part.map(|part| part.set_bits),
        "table": table.map(|table| json!({
            "numbers": table.numbers,
            "remainder_bits": table.remainder_bits,
            "tag_bits": table.tag_bits,
            "buckets": table.buckets,
            "slots": table.slots,
            "lines": table.lines,
            "taken_slots": table.taken_slots,
            "distinct_numbers": table.distinct_numbers,
        })),
        "ribbon": facts.ribbon.as_ref().map(|ribbon| json!({
            "keys": ribbon.keys,
            "added": some(ribbon.added),
            "bit_len": ribbon.bit_len,
            "columns": ribbon.columns,
            "value_bits": some(ribbon.value_bits.into()),
            "layers": ribbon.layers,
            "last_slots": ribbon.last_slots,
            "numbers": ribbon.numbers,
            "picked": some(ribbon.picked),
        })),
    })
}

fn some(count: u64) -> Option<u64> {
    Some(count).filter(|count| *count > 0)
}
