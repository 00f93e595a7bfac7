//! A filter in a line, and as a picture for notebooks.

use tepal::facts::{Facts, Unrecorded};

use crate::info;

/// A filter to which so many times its different keys were given had repeats among them: its
/// estimate is never that far off.
const REPEATED: f64 = 1.1;

/// Parts of the array whose fill is drawn.
pub(crate) const SLICES: usize = 48;

/// What it is, in a line.
pub(crate) fn line(facts: &Facts) -> String {
    let name = facts.labels.name.as_ref().map_or(String::new(), |name| format!("'{name}': "));
    // With repeats, as those of a union of filters that have keys in common, only the different
    // keys are told.
    let is_counted =
        |keys: &u64| *keys as f64 <= REPEATED * facts.estimated_len || !facts.segments.is_empty();
    let keys = match facts.keys_inserted.filter(is_counted) {
        Some(keys) => whole(keys),
        None => format!("about {}", whole(facts.estimated_len.round() as u64)),
    };
    let has_plan = facts.file.as_ref().is_none_or(|file| !file.not_recorded.contains(&Unrecorded::Plan));
    let (of, promised) = match has_plan && facts.ribbon.is_none() {
        true => (
            format!(" of {}", whole(facts.capacity)),
            format!(", promised {}", percent(facts.promised_false_positive_rate)),
        ),
        false => (String::new(), String::new()),
    };
    // A ribbon, or a map, is made full.
    let filled = match facts.ribbon {
        Some(_) => String::new(),
        None => format!(", {} filled", percent(info::fill_ratio(facts))),
    };
    let s = if keys == "1" { "" } else { "s" };
    format!(
        "{name}{keys} key{s}{of}; wrong answers {}{promised}; {}{filled}",
        percent(facts.false_positive_rate),
        bytes(facts.size_in_bytes),
    )
}

/// The same with a picture, where it is not made full: a bar for each part of the array, as high as
/// it is full.
pub(crate) fn html(class: &str, facts: &Facts, fills: Option<&[f64]>) -> String {
    let picture = fills.map(|fills| format!("<br>{}", bars(fills))).unwrap_or_default();
    format!(
        "<div style='font-family:sans-serif;font-size:13px'><b>tepal.{class}</b><br>{}{picture}</div>",
        escaped(&line(facts))
    )
}

/// A bar for each part of a filter, as high as the part is full.
fn bars(fills: &[f64]) -> String {
    const WIDTH: usize = 6;
    const HEIGHT: f64 = 36.0;
    let bars = fills.iter().enumerate().map(|(i, fill)| {
        let high = (HEIGHT * fill.clamp(0.0, 1.0)).max(0.5);
        format!("<rect x='{}' y='{:.1}' width='{}' height='{high:.1}'/>", WIDTH * i, HEIGHT - high, WIDTH - 1)
    });
    let wide = WIDTH * fills.len();
    format!(
        "<svg width='{wide}' height='{HEIGHT}' viewBox='0 0 {wide} {HEIGHT}' role='img' \
         aria-label='how full the parts of the filter are'>\
         <rect width='{wide}' height='{HEIGHT}' fill='#888' fill-opacity='0.15' />\
         <line x1='0' x2='{wide}' y1='{half}' y2='{half}' stroke='#888' stroke-opacity='0.6' stroke-dasharray='3 3'/>\
         <g fill='#2a7f62'>{}</g></svg>",
        bars.collect::<String>(),
        half = HEIGHT / 2.0,
    )
}

/// Text as HTML shows it: names come from files of strangers.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('\'', "&#39;")
        .replace('"', "&quot;")
}

/// `1,234,567`.
pub(crate) fn whole(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// To three digits.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent == 0.0 || !percent.is_finite() {
        return format!("{percent} %");
    }
    if percent < 1e-6 {
        return "under 0.000001 %".into();
    }
    let digits = (2 - percent.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{percent:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} %")
}

fn bytes(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000 => return format!("{bytes} bytes"),
        1_000..1_000_000 => (1e3, "kB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        _ => (1e9, "GB"),
    };
    format!("{:.1} {name}", bytes as f64 / unit)
}
