//! What a filter is, as a dict: the library's facts under the names of `tepal info --json`
//! (docs/json.md).

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tepal::facts::{Can, Facts, FileFacts, Form, PartFacts, RibbonFacts, TableFacts, Unrecorded, Window};

use crate::{error, over};

/// A dict of these entries.
macro_rules! dict {
    ($py:ident, $($name:literal: $value:expr,)+) => {{
        let dict = PyDict::new($py);
        $(dict.set_item($name, $value)?;)+
        dict
    }};
}

/// What a filter is, and can do.
pub(crate) fn dict<'py>(py: Python<'py>, facts: &Facts, can: Can) -> PyResult<Bound<'py, PyDict>> {
    let file = facts.file.as_ref();
    let missing = file.map_or(Vec::new(), unrecorded);
    let has_plan = !missing.contains(&"capacity");
    // Such a filter is made full: it has no capacity, and no rule for more keys.
    let is_static = facts.ribbon.is_some();
    // A map takes no key later, and has no second ribbon.
    let of_keys = facts.ribbon.as_ref().filter(|_| !can.values);
    let is_ours = file.is_some_and(|file| file.format_version.is_some());
    let (bits, set_bits) = (sum(facts, |part| part.bit_len), sum(facts, |part| part.set_bits));
    let parts = facts.parts.iter().map(|part| part_dict(py, part, has_plan)).collect::<PyResult<Vec<_>>>()?;
    let tables = facts.tables.iter().map(|table| table_dict(py, table)).collect::<PyResult<Vec<_>>>()?;
    let segments = facts.segments.iter().map(|segment| {
        Ok(dict! { py, "number": segment.number, "name": &segment.name, "keys": segment.keys, })
    });
    let segments = segments.collect::<PyResult<Vec<_>>>()?;
    // A promise that is not on record cannot be passed.
    let over = has_plan.then(|| over::of_facts(facts)).flatten();
    let warnings: Vec<_> = facts.warnings.iter().map(error::warning).chain(over).collect();
    Ok(dict! { py,
        "format": file.map(|file| file.format.name()),
        "form": file.and_then(|file| file.form).map(Form::name),
        "format_version": file.and_then(|file| file.format_version),
        "kind": facts.kind.name(),
        "layout": facts.parts.first().map(|part| part.layout.name()),
        "num_hashes": only(facts).map(|part| part.num_hashes),
        "bit_len": bit_len(facts),
        "size_in_bytes": facts.size_in_bytes,
        "file_len": file.map(|file| file.file_len),
        "sealed": file.is_some_and(|file| file.is_sealed),
        "checksum": file.is_some_and(|file| file.has_checksum),
        "not_recorded": missing,
        "bits_per_key": has_plan.then(|| bits_per_key(facts)),
        "capacity": (has_plan && !is_static).then_some(facts.capacity),
        "keys_inserted": facts.keys_inserted,
        "estimated_len": facts.estimated_len,
        "set_bits": (bits > 0).then_some(set_bits),
        "fill_ratio": fill_ratio(facts),
        "false_positive_rate": facts.false_positive_rate,
        "promised_false_positive_rate": has_plan.then_some(facts.promised_false_positive_rate),
        "over_capacity": facts.is_over_capacity,
        "full": facts.is_full,
        "exceptions": facts.exceptions,
        "divided": facts.is_divided,
        "deletable": can.remove,
        "expansion": facts.expansion,
        "over_capacity_policy": (is_ours && !is_static).then(|| facts.over_capacity.name()),
        "scheme": facts.scheme.name(),
        "seed": facts.seed.map(|seed| format!("{seed:#018x}")),
        "valkey_seed": facts.valkey_seed.map(|seed| seed.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        "caller_hash": &facts.caller_hash,
        "key_domain": facts.key_domain.name(),
        "trim": facts.recipe.trim,
        "nocase": facts.recipe.nocase,
        "name": &facts.labels.name,
        "source": &facts.labels.source,
        "date": &facts.labels.date,
        "field": &facts.labels.field,
        "rows": &facts.labels.rows,
        "filters": PyList::new(py, parts)?,
        "tables": PyList::new(py, tables)?,
        "segments": PyList::new(py, segments)?,
        "value_bits": facts.ribbon.as_ref().map(|ribbon| ribbon.value_bits).filter(|bits| *bits > 0),
        "added_keys": of_keys.map(|ribbon| ribbon.added),
        "of_numbers": facts.ribbon.as_ref().and_then(|ribbon| ribbon.numbers),
        "distinct_numbers": facts.ribbon.as_ref().and_then(RibbonFacts::distinct_numbers),
        "picked_keys": of_keys.map(|ribbon| ribbon.picked),
        "window": window(py, facts)?,
        "warnings": warnings,
    })
}

fn sum(facts: &Facts, of: fn(&PartFacts) -> u64) -> u64 {
    facts.parts.iter().map(of).sum()
}

fn only(facts: &Facts) -> Option<&PartFacts> {
    match facts.parts.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// Bits of all arrays, of the lines of tables, and of a ribbon.
fn bit_len(facts: &Facts) -> u64 {
    let lines = facts.tables.iter().map(|table| 512 * table.lines).sum::<u64>();
    sum(facts, |part| part.bit_len) + lines + facts.ribbon.as_ref().map_or(0, |ribbon| ribbon.bit_len)
}

/// Its bits for each key of the capacity; of a static filter or map, which may have none, for each
/// key in it.
fn bits_per_key(facts: &Facts) -> f64 {
    let keys = facts.ribbon.as_ref().map_or(facts.capacity, |ribbon| ribbon.keys);
    bit_len(facts) as f64 / keys.max(1) as f64
}

/// The share of set bits, or of taken slots. Of a ribbon no bit is free.
pub(crate) fn fill_ratio(facts: &Facts) -> f64 {
    let taken: u64 = facts.tables.iter().map(|table| table.taken_slots).sum();
    let slots: u64 = facts.tables.iter().map(slots).sum();
    match sum(facts, |part| part.bit_len) {
        _ if facts.ribbon.is_some() => 1.0,
        _ if slots > 0 => taken as f64 / slots as f64,
        bits => sum(facts, |part| part.set_bits) as f64 / bits as f64,
    }
}

fn slots(table: &TableFacts) -> u64 {
    table.lines * u64::from(table.slots)
}

/// What the file does not say.
fn unrecorded(file: &FileFacts) -> Vec<&'static str> {
    let names = |missing: &Unrecorded| -> &'static [&'static str] {
        match missing {
            Unrecorded::KeyDomain => &["key_domain"],
            Unrecorded::Plan => &["capacity", "promised_false_positive_rate"],
            Unrecorded::KeysInserted => &["keys_inserted"],
            _ => &[],
        }
    };
    file.not_recorded.iter().flat_map(names).copied().collect()
}

fn part_dict<'py>(py: Python<'py>, part: &PartFacts, has_plan: bool) -> PyResult<Bound<'py, PyDict>> {
    Ok(dict! { py,
        "num_hashes": part.num_hashes,
        "bit_len": part.bit_len,
        "capacity": has_plan.then_some(part.capacity),
        "keys_inserted": part.keys_inserted,
        "set_bits": part.set_bits,
        "fill_ratio": part.fill_ratio(),
        "false_positive_rate": part.false_positive_rate,
    })
}

fn table_dict<'py>(py: Python<'py>, table: &TableFacts) -> PyResult<Bound<'py, PyDict>> {
    Ok(dict! { py,
        "numbers": table.numbers,
        "remainder_bits": table.remainder_bits,
        "count_bits": table.tag_bits,
        "lines": table.lines,
        "buckets_per_line": table.buckets,
        "slots_per_line": table.slots,
        "slots": slots(table),
        "taken_slots": table.taken_slots,
        "load": table.load(),
        "distinct_numbers": table.distinct_numbers,
        "bits_per_key": table.bits_per_key(),
    })
}

fn window<'py>(py: Python<'py>, facts: &Facts) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(window) = facts.window else { return Ok(None) };
    let (unit, length) = match window.window {
        Window::Time(length) => ("time", length),
        Window::Keys(keys) => ("keys", keys),
        _ => return Ok(None),
    };
    let dict = dict! { py,
        "unit": unit,
        "length": length,
        "generations": window.generations,
        "now": window.now,
    };
    Ok(Some(dict))
}
