//! The page of `tepal info` about one filter: what it is, its keys, size, rate, recipe and hash.

use std::fmt::Write;

use tepal::{
    Opened, Scheme,
    facts::{Facts, RibbonFacts, TableFacts, Unrecorded},
};

use super::{parts, window};
use crate::article::Article;
use crate::describe::{Told, bits_of, bits_per_key, hex};
use crate::open::KeysOf;
use crate::rows::Rows;
use crate::text::message::one_line;
use crate::text::number::{count, counted, size};
use crate::text::picture;
use crate::text::words::Words;

/// A filter to which so many times its different keys were given had repeats among them: its
/// estimate is never that far off.
const REPEATED: f64 = 1.1;

/// The page about one filter.
pub fn page(name: &str, told: &Told, article: Option<&Article>, opened: &Opened, keys_of: KeysOf) -> String {
    let mut page = String::new();
    let mut line = |label: &str, text: String| {
        let _ = writeln!(page, "{label:<11} {text}");
    };
    let facts = &told.facts;
    line(name, what(told));
    let labels = &facts.labels;
    for (label, text) in [("name", &labels.name), ("source", &labels.source), ("date", &labels.date)] {
        if let Some(text) = text {
            line(label, one_line(text));
        }
    }
    line("keys", keys(told));
    line("size", size_of(told));
    line("rate", rates(told));
    if let Some(article) = article {
        line("measured", article.measured());
        line("article", article.terms.clone());
    }
    if told.is_ours() {
        line("recipe", recipe(facts));
    }
    line("hash", hash(told, keys_of));
    if facts.exceptions > 0 {
        let divided = if facts.is_divided { "; known by a divider, so that no key can be added" } else { "" };
        let keys = counted(facts.exceptions, "key");
        line("exceptions", format!("{keys} that it says no for, though its bits say yes{divided}"));
    }
    if let Some(checked) = keys_of.seal {
        let text = match checked {
            true => "under the key of --seal, and unbroken",
            false => "not checked without its key (--seal)",
        };
        line("seal", text.to_owned());
    }
    if facts.parts.len() > 1 {
        for (n, part) in (1..).zip(&facts.parts) {
            line(if n == 1 { "chain" } else { "" }, parts::link(n, part));
        }
    }
    if !facts.parts.is_empty() && !told.can.set_over_capacity {
        line("growth", parts::growth(facts));
    }
    if let Some(of) = facts.window {
        line("window", window::text(of));
    }
    for (n, text) in parts::segments(&facts.segments).into_iter().enumerate() {
        let first = if told.can.values { "values" } else { "segments" };
        line(if n == 0 { first } else { "" }, text);
    }
    for table in &facts.tables {
        line("table", parts::lines(table, told.can));
    }
    if let Some(text) =
        facts.ribbon.as_ref().filter(|_| !told.can.values).and_then(|ribbon| parts::least(facts, ribbon))
    {
        line("least", text);
    }
    let unicode = picture::has_unicode();
    if facts.ribbon.is_none() {
        line("fill", parts::fill(opened.filter(), facts, unicode));
    }
    if told.is_ours() && facts.ribbon.is_none() {
        line("room", parts::room(told, unicode));
    }
    if !told.file.not_recorded.is_empty() {
        line("unrecorded", unrecorded(&told.file.not_recorded));
    }
    for warning in &facts.warnings {
        line("!", warning.words());
    }
    page
}

/// What it is.
fn what(told: &Told) -> String {
    let (facts, can) = (&told.facts, told.can);
    let of = |things: usize, thing| counted(things as u64, thing);
    let kind = match facts.parts.as_slice() {
        _ if can.values => map(facts),
        _ if can.segments => {
            let segments = of(facts.segments.len(), "segment");
            format!("filter of {segments}: tepal which says in which of them a key is")
        }
        _ if can.expire => "filter with a window: it forgets keys by itself".to_owned(),
        _ if facts.ribbon.is_some() => {
            let numbers = facts.ribbon.as_ref().and_then(|ribbon| ribbon.numbers);
            let made_of = numbers.map_or(String::new(), |numbers| {
                let numbers = counted(numbers, "number");
                format!(", made of a table: a key is known by which of {numbers} it has")
            });
            format!("static filter: the smallest one, of a set that does not change{made_of}")
        }
        [] if can.grow => {
            let removable = if can.remove { ": its keys can be removed" } else { "" };
            format!("growing filter of {}{removable}", of(facts.tables.len(), "table"))
        }
        [] if can.count && can.remove => table(&facts.tables),
        [] if can.count => {
            "one table of a growing filter: keys may share a number, and none can be removed".to_owned()
        }
        [] => format!("filter of the kind {}", facts.kind),
        [one] => {
            let layout = if told.is_ours() { format!("layout {}, ", one.layout) } else { String::new() };
            format!("Bloom filter, {layout}{} a key", counted(u64::from(one.num_hashes), "bit"))
        }
        parts => format!("chain of {} Bloom filters", parts.len()),
    };
    match told.is_ours() {
        true => kind,
        false => format!("{kind}, in the format {}", told.file.format),
    }
}

/// A map from keys to numbers, or to names.
fn map(facts: &Facts) -> String {
    let bits = facts.ribbon.as_ref().map_or(0, |ribbon| ribbon.value_bits);
    let values = match facts.segments.len() as u64 {
        0 => format!("a number of {}", counted(bits.into(), "bit")),
        1 => "the same value".to_owned(),
        names => format!("one of {}", counted(names, "value")),
    };
    let others = match facts.promised_false_positive_rate {
        1.0 => ", and other keys some value or other",
        _ => "",
    };
    format!("map that does not change: each key has {values}{others} (tepal get)")
}

/// A filter from which keys can be removed.
fn table(tables: &[TableFacts]) -> String {
    match tables.iter().map(|table| table.tag_bits).max() {
        None | Some(0) => "deletable filter: its keys can be removed".to_owned(),
        Some(bits) => {
            format!("counting filter: its keys can be removed, and are counted, in {bits} bits each")
        }
    }
}

fn keys(told: &Told) -> String {
    let facts = &told.facts;
    let different = count(facts.estimated_len.round() as u64);
    let keys = facts.keys_inserted.unwrap_or(0);
    if let Some(ribbon) = &facts.ribbon {
        return keys_of_ribbon(keys, ribbon);
    }
    if told.can.expire {
        if let Some(came) = facts.keys_inserted {
            return window::keys(came, &different, told.still_in);
        }
    } else if told.can.segments {
        return format!("{} of key and segment, about {different} different keys", counted(keys, "pair"));
    } else if let (Some(keys), false) = (facts.keys_inserted, facts.tables.is_empty()) {
        return format!("{} in it, about {different} different ones", count(keys));
    }
    let by_bits = format!("about {different} different by the bits");
    let (added, known) = if told.is_ours() { ("added", "known") } else { ("recorded", "recorded") };
    match facts.keys_inserted {
        // Keys that came again, or that several of the filters had which were merged into it.
        Some(keys) if keys as f64 > REPEATED * facts.estimated_len => {
            format!("{by_bits}, at most {} with repeats", count(keys))
        }
        Some(keys) => format!("{} {added} ({by_bits})", count(keys)),
        None => format!("{by_bits}; how many were added is not {known}"),
    }
}

/// How many keys a ribbon has, of which some may have been added after it was built.
fn keys_of_ribbon(keys: u64, ribbon: &RibbonFacts) -> String {
    let (added, bytes) = (ribbon.added, size(8 * ribbon.added));
    let added = |text: String| if added == 0 { String::new() } else { text };
    match ribbon.distinct_numbers() {
        Some(numbers) => format!(
            "{} in it, those of the keys of that table, of which two may have one{}",
            counted(numbers, "different number"),
            added(format!("; and {} added later, {bytes}", counted(ribbon.added, "key")))
        ),
        None => format!(
            "{} in it, each once{}",
            count(keys),
            added(format!("; {} of them added after it was built, {bytes}", count(ribbon.added)))
        ),
    }
}

fn size_of(told: &Told) -> String {
    let bits = bits_of(&told.facts);
    let file = count(told.file.file_len);
    match told.is_ours() {
        true if !told.facts.tables.is_empty() => {
            let keys: u64 = told.facts.tables.iter().map(|table| table.distinct_numbers).sum();
            let each = match keys {
                0 => String::new(),
                keys => format!("{:.2} bits for each different key, ", bits as f64 / keys as f64),
            };
            format!("{}, {each}file of {file} bytes", size(told.facts.size_in_bytes))
        }
        true => {
            let each = bits_per_key(&told.facts);
            format!("{}, {each:.2} bits a key, file of {file} bytes", size(told.facts.size_in_bytes))
        }
        false => {
            let form = told.file.form.map(|form| format!(" ({form})")).unwrap_or_default();
            format!("{} in {} bits, file of {file} bytes{form}", size(bits.div_ceil(8)), count(bits))
        }
    }
}

fn rates(told: &Told) -> String {
    let over = if told.is_ours() && told.facts.is_over_capacity { "  ! past the promise" } else { "" };
    format!("{}{over}", told.rates(";"))
}

fn recipe(facts: &Facts) -> String {
    let mut text = match &facts.labels.field {
        Some(field) => match Rows::of(&facts.labels) {
            Some(rows) => one_line(&rows.told()),
            None => format!("field {} of each row", one_line(field)),
        },
        None => "whole record".to_owned(),
    };
    if facts.recipe.trim {
        text.push_str(", trimmed");
    }
    if facts.recipe.nocase {
        text.push_str(", capital letters as small ones");
    }
    text
}

fn hash(told: &Told, keys_of: KeysOf) -> String {
    let facts = &told.facts;
    let (scheme, domain) = (facts.scheme, facts.key_domain);
    let with = match (&facts.caller_hash, facts.seed) {
        (Some(name), _) => format!(": {name:?}, which another program computes"),
        // Spark's own has a sign.
        (None, Some(seed)) if facts.scheme == Scheme::SparkV2 => format!(" with seed {}", seed as i32),
        (None, Some(seed)) => format!(" with seed {seed:#x}"),
        (None, None) if facts.valkey_seed.is_some() => {
            format!(" with seed {}", facts.valkey_seed.as_ref().map(hex).unwrap_or_default())
        }
        (None, None) if scheme == Scheme::SipHash13 => match keys_of.secret {
            Some(false) => " with a secret key, not checked without it (--secret)".to_owned(),
            _ => " with a secret key".to_owned(),
        },
        (None, None) => String::new(),
    };
    match told.file.format_version {
        Some(version) => format!("{scheme}{with}; keys are {domain}; format version {version}"),
        None => format!("{scheme}{with}; keys are taken for {domain}"),
    }
}

/// What the file does not say about its filter.
fn unrecorded(missing: &[Unrecorded]) -> String {
    let text = |missing: &Unrecorded| match missing {
        Unrecorded::KeyDomain => Some("how keys become bytes (--keys)"),
        Unrecorded::Plan => Some("how many keys and which rate it was planned for"),
        // The line about keys says it.
        _ => None,
    };
    missing.iter().filter_map(text).collect::<Vec<_>>().join("; ")
}
