//! `tepal info`: shows what a filter is, how full it is, and how many of its answers are wrong now.

use std::fmt::Write;

use tepal::Scheme;

use crate::args::InfoArgs;
use crate::cmd::info_foreign;
use crate::describe::Description;
use crate::describe_foreign::Described;
use crate::error::{Failure, Outcome};
use crate::open::{Filter, Own, file_len, open_each};
use crate::output::{Stdout, complain};
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number::{count, counted, percent, rate, size};
use crate::text::picture::{self, WIDTH, bar, columns};

/// Runs the verb. If a filter cannot be opened, the others are still shown.
pub fn run(args: &InfoArgs) -> Outcome {
    let secrets = Secrets::read(&args.keyed)?;
    let mut stdout = Stdout::new();
    let mut described = Vec::new();
    let mut code = 0;
    let mut shown_before = false;
    for path in &args.filters {
        let name = shown(path);
        let opened = open_each(path, args.file, &secrets);
        let described_filter = opened.and_then(|filter| describe(&name, filter, args.json));
        match described_filter {
            Ok(Shown::Data(data)) => described.push(data),
            Ok(Shown::Page(page)) => {
                let gap = if shown_before { "\n" } else { "" };
                shown_before = true;
                stdout.styled(&format!("{gap}{page}"))?;
            }
            Err(Failure::Message(text)) => {
                complain(&text);
                code = 2;
            }
            Err(closed) => return Err(closed),
        }
    }
    if args.json {
        stdout.document(&described)?;
    }
    stdout.flush()?;
    Ok(code)
}

/// What is shown of one filter.
enum Shown {
    /// With `--json`.
    Data(Described),
    /// For people.
    Page(String),
}

fn describe(name: &str, filter: Filter, json: bool) -> Result<Shown, Failure> {
    match (filter, json) {
        (Filter::Foreign(file), true) => Described::of(name, &file).map(Shown::Data),
        (Filter::Foreign(file), false) => info_foreign::page(name, &file).map(Shown::Page),
        (Filter::Own(filter), true) => {
            let mut data = Description::of(name, &filter);
            data.sealed(filter.is_sealed());
            data.warnings = warnings(name, filter)?;
            Ok(Shown::Data(Described::Own(Box::new(data))))
        }
        (Filter::Own(filter), false) => {
            let mut page = page(name, &filter);
            for warning in warnings(name, filter)? {
                let _ = writeln!(page, "{:<11} {warning}", "!");
            }
            Ok(Shown::Page(page))
        }
    }
}

/// The warnings about the scheme of a filter. Only schemes without a 64-bit hash have some.
fn warnings(name: &str, filter: Own) -> Result<Vec<String>, Failure> {
    if filter.has_hash() {
        return Ok(Vec::new());
    }
    let file = Filter::Own(filter).into_file().map_err(|error| Failure::at(name, error))?;
    Ok(file.warnings())
}

/// The page about one filter.
fn page(name: &str, filter: &Own) -> String {
    let mut page = String::new();
    let mut line = |label: &str, text: String| {
        let _ = writeln!(page, "{label:<11} {text}");
    };
    let keys_each = counted(u64::from(filter.num_hashes()), "bit");
    line(name, format!("Bloom filter, layout {}, {keys_each} a key", filter.layout()));
    let labels = filter.labels();
    for (label, text) in [("name", &labels.name), ("source", &labels.source), ("date", &labels.date)] {
        if let Some(text) = text {
            line(label, text.clone());
        }
    }
    line("keys", keys(filter));
    line(
        "size",
        format!(
            "{}, {:.2} bits a key, file of {} bytes",
            size(filter.size_in_bytes()),
            filter.bits_per_key(),
            count(file_len(filter))
        ),
    );
    line("rate", rates(filter));
    line("recipe", recipe(filter));
    line("hash", hash(filter));
    if filter.is_sealed() {
        line("seal", "under the key of --seal, and unbroken".to_owned());
    }
    let unicode = picture::has_unicode();
    line("fill", fill(filter, unicode));
    line("room", room(filter, unicode));
    page
}

fn keys(filter: &Own) -> String {
    let estimate = filter.estimated_len().round() as u64;
    let by_bits = format!("about {} different by the bits", count(estimate));
    match filter.keys_inserted() {
        Some(keys) => format!("{} added ({by_bits})", count(keys)),
        None => format!("{by_bits}; how many were added is not known"),
    }
}

fn rates(filter: &Own) -> String {
    let (now, promised) = (filter.false_positive_rate(), filter.promised_false_positive_rate());
    let over = if filter.is_over_capacity() { "  ! past the promise" } else { "" };
    format!("{} wrong now; {} promised{over}", rate(now), rate(promised))
}

fn recipe(filter: &Own) -> String {
    let recipe = filter.recipe();
    let mut text = match &filter.labels().field {
        Some(field) => format!("field {field} of each row"),
        None => "whole record".to_owned(),
    };
    if recipe.trim {
        text.push_str(", trimmed");
    }
    if recipe.nocase {
        text.push_str(", capital letters as small ones");
    }
    text
}

fn hash(filter: &Own) -> String {
    let seed = match (filter.scheme(), filter.seed()) {
        (Scheme::SipHash13, _) => " with a secret key".to_owned(),
        (_, Some(seed)) => format!(" with seed {seed:#x}"),
        (_, None) => String::new(),
    };
    format!("{}{seed}; keys are {}; format version 1", filter.scheme(), filter.key_domain())
}

fn fill(filter: &Own, unicode: bool) -> String {
    let slices = filter.fill_of_slices(WIDTH);
    let least = slices.iter().copied().fold(f64::INFINITY, f64::min);
    let most = slices.iter().copied().fold(0.0, f64::max);
    let spread = match slices.len() {
        1 => String::new(),
        n => format!("; {n} slices from {:.1} to {:.1} %", least * 100.0, most * 100.0),
    };
    format!("{} {}{spread}", columns(&slices, unicode), percent(filter.fill_ratio()))
}

fn room(filter: &Own, unicode: bool) -> String {
    let capacity = filter.capacity();
    let keys = filter.estimated_len().round() as u64;
    let used = keys as f64 / capacity as f64;
    let words = match capacity.saturating_sub(keys) {
        0 => "full: no room left".to_owned(),
        left => format!("room for about {} more", count(left)),
    };
    let (color, reset) = if filter.is_over_capacity() { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
    format!(
        "{color}{}{reset} {} of {}; {words}; past it: {}",
        bar(used, unicode),
        percent(used),
        counted(capacity, "key"),
        filter.over_capacity()
    )
}
