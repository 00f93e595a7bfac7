//! The lines of `tepal info` about what a filter is made of and how full it is.

use tepal::{
    AnyFilter, OverCapacity,
    facts::{Can, Facts, PartFacts, RibbonFacts, SegmentFacts, TableFacts},
};

use crate::cmd::plan::at_next_power;
use crate::describe::{Told, load};
use crate::text::message::one_line;
use crate::text::number::{count, counted, percent, rate};
use crate::text::picture::{WIDTH, bar, columns};

/// So many segments are shown.
const MOST_SEGMENTS: usize = 20;

/// What a static filter takes over the least that any filter of its rate can, and what the next
/// power of two would cost.
pub fn least(facts: &Facts, ribbon: &RibbonFacts) -> Option<String> {
    let least = -facts.false_positive_rate.log2();
    if ribbon.keys == 0 || !least.is_finite() {
        return None;
    }
    let over = ribbon.bit_len as f64 / ribbon.keys as f64 / least;
    let power = at_next_power(ribbon.keys, facts.promised_false_positive_rate);
    let next = match (ribbon.numbers, power) {
        (None, Some((power, bytes))) => {
            let bits = 8.0 * bytes as f64 / ribbon.keys as f64;
            format!("; for {} wrong it would take {bits:.2}", rate(power))
        }
        (Some(numbers), _) => {
            let own = ribbon.distinct_numbers().unwrap_or(0) as f64 / numbers as f64;
            format!("; {} of all other keys have a number of the table", rate(own))
        }
        (None, None) => String::new(),
    };
    let second = match ribbon.picked {
        0 => String::new(),
        picked => format!("; of {} of its keys one bit more is kept", count(picked)),
    };
    Some(format!(
        "{over:.3} times the {least:.2} bits a key that no filter of its rate can go below{next}{second}"
    ))
}

/// What a chain does when it is full.
pub fn growth(facts: &Facts) -> String {
    match facts.expansion {
        Some(_) if facts.is_full => "none any more: no other filter can follow".to_owned(),
        Some(1) => "when it is full, a filter for as many keys follows".to_owned(),
        Some(times) => {
            format!("when it is full, a filter for {} times the keys follows", count(times.into()))
        }
        None => "none: when it is full, it refuses more keys".to_owned(),
    }
}

/// One filter of a chain.
pub fn link(n: u32, part: &PartFacts) -> String {
    let keys = part.keys_inserted.map_or("?".to_owned(), count);
    format!(
        "{n:>2}. {keys:>12} of {:>12} keys  {:>15} bits  k {:>2}  {:>6} full  {}",
        count(part.capacity),
        count(part.bit_len),
        part.num_hashes,
        percent(part.fill_ratio()),
        rate(part.false_positive_rate),
    )
}

/// The first segments, each with its keys.
pub fn segments(all: &[SegmentFacts]) -> Vec<String> {
    let named = all.iter().take(MOST_SEGMENTS).map(|segment| {
        let name = match &segment.name {
            Some(name) => one_line(name),
            None => format!("#{}", segment.number),
        };
        format!("{name:<24} {:>12}", counted(segment.keys, "key"))
    });
    let mut lines: Vec<String> = named.collect();
    if all.len() > MOST_SEGMENTS {
        let more = (all.len() - MOST_SEGMENTS) as u64;
        lines.push(format!("and {} more (--json shows all)", count(more)));
    }
    lines
}

/// How a table is laid out.
pub fn lines(table: &TableFacts, can: Can) -> String {
    let of_count = match table.tag_bits {
        0 => String::new(),
        bits if can.expire => format!(" and {bits} of a generation"),
        bits if can.segments => format!(" and {bits} of a segment"),
        bits if can.count => format!(" and {bits} of a count"),
        bits => format!(" and {bits} of a tag"),
    };
    format!(
        "{} below {}, in {} of {} slots, {} bits each{of_count}",
        counted(table.distinct_numbers, "number"),
        count(table.numbers),
        counted(table.lines, "line"),
        table.slots,
        table.remainder_bits,
    )
}

/// How full its bits or slots are, in the whole and in slices.
pub fn fill(filter: &AnyFilter, facts: &Facts, unicode: bool) -> String {
    let largest = facts.parts.iter().max_by_key(|part| part.bit_len).map(PartFacts::fill_ratio);
    let full = largest.unwrap_or_else(|| load(&facts.tables));
    let slices = filter.fill_of_slices(WIDTH);
    let least = slices.iter().copied().fold(f64::INFINITY, f64::min);
    let most = slices.iter().copied().fold(0.0, f64::max);
    let spread = match slices.len() {
        1 => String::new(),
        n => format!("; {n} slices from {:.1} to {:.1} %", least * 100.0, most * 100.0),
    };
    let which = if facts.parts.len() > 1 { " of the largest" } else { "" };
    let what = if facts.tables.is_empty() { "" } else { " of the slots" };
    format!("{} {}{what}{which}{spread}", columns(&slices, unicode), percent(full))
}

/// How many more keys it takes.
pub fn room(told: &Told, unicode: bool) -> String {
    let (facts, capacity) = (&told.facts, told.facts.capacity);
    let (keys, what) = match told.can.segments {
        true => (facts.keys_inserted.unwrap_or(0), "pair"),
        false => (facts.estimated_len.round() as u64, "key"),
    };
    let used = keys as f64 / capacity as f64;
    let words = match capacity.saturating_sub(keys) {
        _ if facts.is_full => format!("full: it takes no new {what}"),
        0 if facts.is_over_capacity => "past its capacity".to_owned(),
        0 if facts.over_capacity == OverCapacity::Refuse => "room for a few more".to_owned(),
        0 => "at its capacity".to_owned(),
        left => format!("room for about {} more", count(left)),
    };
    let (color, reset) = if facts.is_over_capacity { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
    format!(
        "{color}{}{reset} {} of {}; {words}; past it: {}",
        bar(used, unicode),
        percent(used),
        counted(capacity, what),
        match facts.expansion {
            Some(_) if facts.is_full => "it refuses".to_owned(),
            Some(_) => "it grows".to_owned(),
            None => facts.over_capacity.to_string(),
        }
    )
}
