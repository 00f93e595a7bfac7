//! `tepal build`: makes a filter from a list.

mod check;
mod described;
mod exact;
pub mod gather;
pub mod grow;
mod like;
pub mod map;
pub mod ribbon;
pub mod segments;
pub mod table;
mod way;
pub mod window;

use serde::Serialize;
use tepal::build::Built;
use tepal::{
    AnyFilter, Error, KeyDomain, OverCapacity, Scheme, builders::BloomFilterBuilder, error::Obstacle,
    facts::Labels, file::Format,
};

use super::plan::has_own_sizes;
use crate::args::{BuildArgs, Preset, SchemeArgs, ShapeArgs};
use crate::describe::{Description, Told};
use crate::error::{Failure, Outcome};
use crate::input::field::KeyRules;
use crate::input::pages::Inputs;
use crate::input::source::Source;
use crate::open::no_such_keys;
use crate::output::{Stdout, Target, complain, keep, refuse_both, say};
use crate::rows::{self, Origin};
use crate::secrets::Secrets;
use crate::text::number;
use crate::text::words::Words;
use crate::unsaid;
use way::Way;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Keys that were read, with repeats.
    keys: u64,
    /// Different keys among them.
    different_keys: u64,
    /// Whether that number is exact, not an estimate.
    different_keys_exact: bool,
    /// Records that were left out because they have no key.
    bad_records: u64,
    /// Records that were left out because their key is empty.
    empty_records: u64,
    /// How the records were read, for each form of the inputs.
    read_as: Vec<String>,
    /// With `--exact-on`: what was found in the universe.
    exact_on: Option<exact::ExactOn>,
    filter: Description,
}

/// Runs the verb.
pub fn run(args: &BuildArgs) -> Outcome {
    refuse_both(args.json, Some(&args.output))?;
    check::check(args)?;
    let output = Some(args.output.as_path());
    keep(output, "a list of keys", args.inputs.iter().chain(&args.exact_on))?;
    keep(output, "a key", args.secret.iter().chain(&args.seal))?;
    let mut target = Target::new(&args.output, args.force)?;
    let secrets = Secrets::from_files(args.secret.as_deref(), args.seal.as_deref(), args.quiet)?;
    let sources = Source::list(&args.inputs);
    let (like, rules) = way::rules(args, &secrets)?;
    let mut inputs = Inputs::new(sources.clone(), rules, args.keys.threads(), args.quiet)?;
    let all: Vec<_> = sources.into_iter().chain(args.exact_on.iter().map(|path| Source::of(path))).collect();
    unsaid::refuse(&all, inputs.rules(), args.keys.whole, None)?;
    let forms = inputs.settle()?;
    let rules = inputs.rules().clone();
    let way = Way::new(args, like, &rules, Origin::of(&rules, &forms), &secrets, &target)?;
    let (mut built, exact) = way.build(&mut inputs)?;
    if let Some(form) = args.chain.form {
        built.file = built.file.in_form(form)?;
    }
    inputs.end(&args.keys, args.quiet);
    if let (0, 1.., false) = (built.keys, inputs.bad.empty(), args.allow_empty) {
        let text = format!(
            "nothing was built{}; take empty ones with --empty-keys, or add --allow-empty where that is meant",
            inputs.left_out()
        );
        return Err(Failure::at(&target.name(), text));
    }
    if let (0, Some(told), false) = (built.keys, inputs.bad.told(), args.allow_empty) {
        let text =
            format!("nothing was built: {told}, and none had one; where that is meant, add --allow-empty");
        return Err(Failure::at(&target.name(), text));
    }
    if built.keys == 0 && target.replaces() && !args.allow_empty {
        let text =
            "no keys came, so it stays as it is; where the list is meant to be empty, add --allow-empty";
        return Err(Failure::at(&target.name(), text));
    }
    refuse_useless(args, &built)?;
    target.save(&built.file, secrets.seal.as_ref())?;
    let filter = built.file.filter();
    if filter.over_capacity() == OverCapacity::Warn && filter.is_over_capacity() {
        warn_over(&target.name(), filter);
    }
    if !args.quiet {
        let bad = inputs.left_out();
        let on = exact.as_ref().map_or(String::new(), |exact| exact.told(built.different));
        say(&format!("{}{on}{bad}", summary(&built, &rules)));
        rows::tell(&inputs, secrets.secret.is_some());
        if args.scheme.to == Some(Format::ParquetSbbf)
            && args.shape.size.is_some_and(|size| !size.is_power_of_two())
        {
            let text = "its size is no power of two, so that pyarrow and whoever else has Parquet's C++ library refuse it";
            complain(&format!("{}: ! {text}", target.name()));
        }
        for warning in filter.warnings() {
            complain(&format!("{}: ! {}", target.name(), warning.words()));
        }
    }
    if args.json {
        let told = Told::of(&target.name(), &built.file)?.sealed(secrets.seal.is_some());
        Stdout::new().document(&Report {
            keys: built.keys,
            different_keys: built.different,
            different_keys_exact: built.is_exact,
            bad_records: inputs.bad.records(),
            empty_records: inputs.bad.empty(),
            read_as: rows::read_as(&inputs),
            exact_on: exact,
            filter: Description::of(&target.name(), &told),
        })?;
    }
    Ok(0)
}

/// Why there can be no such filter. The library speaks of one with keys; here there are none yet,
/// and the flag can go.
fn refusal(error: Error) -> Failure {
    let (flag, format, found) = match &error {
        Error::Unconvertible { format, obstacle: Obstacle::Scheme { found, expected, .. }, .. } => {
            let expected = expected.iter().map(|scheme| scheme.name()).collect::<Vec<_>>().join(" or ");
            ("--scheme", format, format!("its hash scheme is {found}, expected {expected}"))
        }
        Error::Unconvertible { format, obstacle: Obstacle::Layout { found, expected, .. }, .. } => {
            ("--layout", format, format!("its layout is {found}, expected {expected}"))
        }
        Error::Unconvertible { format, obstacle: Obstacle::KeyDomain { found, expected, .. }, .. } => {
            return Failure::new(no_such_keys(*format, *found, expected));
        }
        _ => return error.into(),
    };
    Failure::new(format!(
        "a file of the format {format} cannot hold this filter: {found}; leave out {flag}, it follows from --to"
    ))
}

/// Refuses flags whose value only a tepal file can keep.
fn refuse_what_is_lost(args: &BuildArgs, format: Format) -> Result<(), Failure> {
    let lost = [
        ("--trim", args.recipe.trim),
        ("--nocase", args.recipe.nocase),
        ("--secret", args.secret.is_some()),
        ("--seal", args.seal.is_some()),
        ("--name", args.name.is_some()),
        ("--source", args.source.is_some()),
        ("--date", args.date.is_some()),
    ];
    match lost.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::new(format!(
            "{flag} is kept in tepal files only, not in those of {format}; leave it out, or leave --to out"
        ))),
        None => Ok(()),
    }
}

/// The scheme that is asked for, or the one that the format has by default.
fn scheme(args: &SchemeArgs) -> Result<Option<Scheme>, Failure> {
    let default = match args.to {
        None | Some(Format::Tepal) => args.md5_split.map(|_| Scheme::Md5Split),
        Some(format) => format.schemes().first().copied(),
    };
    let scheme = args.scheme.or(default).or(args.preset.map(|_| Scheme::Md5Presets));
    for (flag, given, wanted) in [
        ("--md5-split", args.md5_split.is_some(), Scheme::Md5Split),
        ("--preset", args.preset.is_some(), Scheme::Md5Presets),
    ] {
        if let (true, Some(scheme)) = (given && scheme != Some(wanted), scheme) {
            let text = format!("{flag} belongs to the scheme {wanted}, not to {scheme}; leave it out");
            return Err(Failure::new(text));
        }
    }
    Ok(scheme)
}

/// The texts about the set, and of which rows one field is the key.
fn labels(args: &BuildArgs, rows: Origin) -> Labels {
    let mut labels = Labels::new();
    labels.name.clone_from(&args.name);
    labels.source.clone_from(&args.source);
    labels.date.clone_from(&args.date);
    rows.label(labels)
}

fn key_domain(args: &BuildArgs) -> KeyDomain {
    match (args.scheme.encoding, args.integer) {
        (Some(encoding), _) => encoding,
        (None, true) => KeyDomain::Integer,
        (None, false) => KeyDomain::Bytes,
    }
}

/// The Bloom filter that the flags describe, with the secret key and what is kept of the rows.
fn described_bloom(args: &BuildArgs, rows: Origin, secrets: &Secrets) -> Result<BloomFilterBuilder, Failure> {
    let shape = ShapeArgs {
        fpr: args.shape.fpr.or(args.scheme.preset.map(Preset::rate)),
        layout: args.shape.layout.or(args.scheme.to.and_then(Format::layout)),
        ..args.shape
    };
    shape.check()?;
    let scheme = scheme(&args.scheme)?;
    args.chain.check(args.scheme.to, scheme, &shape)?;
    let builder = shape.describe(shape.bit_len(!scheme.is_some_and(has_own_sizes))?, scheme);
    let mut builder = described::described!(builder, args, rows, secrets)
        .over_capacity(args.over.unwrap_or(OverCapacity::Refuse));
    if let Some(rule) = args.scheme.md5_split {
        builder = builder.md5_split(rule);
    }
    Ok(args.chain.describe(builder))
}

/// More wrong answers than this help nobody.
const USELESS: f64 = 0.5;

/// Refuses a filter that says yes to most non-members, where nobody has asked for such a rate.
fn refuse_useless(args: &BuildArgs, built: &Built) -> Result<(), Failure> {
    let rate = built.file.filter().false_positive_rate();
    let is_meant = args.shape.fpr.is_some()
        || args.map.known_keys
        || args.scheme.preset.is_some()
        || args.like.is_some()
        || args.over.is_some_and(|policy| policy != OverCapacity::Refuse);
    if rate <= USELESS || is_meant || built.keys == 0 {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the filter would answer yes for {} of the keys that are not on the list; give it more room (-s, -n), fewer keys, or \
         say with -p that such a rate is meant",
        number::percent(rate)
    )))
}

/// The line at the end: `20,000,000 keys, 23.8 MiB, 1 in 100 false positives`.
pub fn summary(built: &Built, rules: &KeyRules) -> String {
    let Built { keys, different, is_exact, ref file, .. } = *built;
    let filter = file.filter();
    let keys = if keys == different {
        number::counted(keys, "key")
    } else {
        let record = match (rules.null, &rules.field) {
            (false, None) => "line",
            _ => "record",
        };
        let about = if is_exact { "" } else { "about " };
        let different = match is_exact {
            true => different,
            false => number::four_digits(different as f64),
        };
        let (what, of) = match filter.can().segments {
            true => ("different pair", " of key and segment"),
            false => ("different key", ""),
        };
        let different = format!("{}{of}", number::counted(different, what));
        format!("{}, {about}{different}", number::counted(keys, record))
    };
    // Another program's file has no line that is filled up.
    let bytes = match file.format() {
        Format::Tepal => filter.size_in_bytes(),
        _ => filter.facts().parts.iter().map(|part| part.bit_len.div_ceil(8)).sum(),
    };
    let segments = match (filter.as_segmented(), filter.as_valued()) {
        (Some(filter), _) => format!(" in {}", number::counted(filter.num_segments() as u64, "segment")),
        (_, Some(map)) if map.num_names() > 0 => {
            format!(" with {}", number::counted(map.num_names() as u64, "different value"))
        }
        (_, Some(map)) => format!(" with values of {}", number::counted(map.value_bits().into(), "bit")),
        _ => String::new(),
    };
    let rate = filter.promised_false_positive_rate();
    let wrong = match rate {
        1.0 => "other keys get a value too".to_owned(),
        rate => format!("{} false positives", number::promise(rate)),
    };
    format!("{keys}{segments}, {}, {wrong}", number::size(bytes))
}

fn warn_over(name: &str, filter: &AnyFilter) {
    complain(&format!(
        "{name}: holds more than the {} it was planned for: {} wrong now, {} promised",
        number::counted(filter.capacity(), "key"),
        number::rate(filter.false_positive_rate()),
        number::rate(filter.promised_false_positive_rate())
    ));
}
