//! `tepal build`: makes a filter from a list.

use serde::Serialize;
use tepal::{BloomFilter, Format, KeyDomain, Labels, Layout, OverCapacity, Recipe, Scheme, SealKey};

use crate::args::{BuildArgs, Preset, SchemeArgs, ShapeArgs};
use crate::build::{Build, Built, Settings};
use crate::build_keys::{self, Made};
use crate::describe_foreign::Described;
use crate::error::{Failure, Outcome};
use crate::input::field::{Field, KeyRules};
use crate::input::pages::Inputs;
use crate::input::progress::Progress;
use crate::input::source::Source;
use crate::output::{Stdout, Target, complain, say};
use crate::secrets::{read_seal, read_secret};
use crate::text::number;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Keys that were read, with repeats.
    keys: u64,
    /// Different keys among them.
    different_keys: u64,
    /// Whether that number is exact, not an estimate.
    different_keys_exact: bool,
    filter: Described,
}

/// Runs the verb.
pub fn run(args: &BuildArgs) -> Outcome {
    if args.json && args.output.as_os_str() == "-" {
        return Err(Failure::new("--json and -o - both write to standard output; name a file with -o"));
    }
    let target = Target::new(&args.output, args.force)?;
    let settings = settings(args)?;
    let seal = args.seal.as_deref().map(read_seal).transpose()?;
    let format = args.scheme.to.unwrap_or(Format::Tepal);
    if format != Format::Tepal {
        refuse_what_is_lost(args, format)?;
    }
    if settings.has_own_rule() || format != Format::Tepal {
        return by_key(args, &settings, format, &target, seal.as_ref());
    }
    let build = Build::new(settings)?;
    let sources = Source::list(&args.inputs);
    let progress = Progress::of(&sources, args.quiet);
    let rules = args.keys.rules();
    let mut inputs = Inputs::new(sources, rules.clone(), progress.clone(), args.keys.threads())?;
    let built = build.run(&mut inputs, &target.folder())?;
    progress.clear();
    target.save(&built.filter, seal.as_ref())?;
    if built.filter.over_capacity() == OverCapacity::Warn && built.filter.is_over_capacity() {
        warn_over(&target.name(), &built.filter);
    }
    if !args.quiet {
        let Built { filter, keys, different, exact } = &built;
        say(&summary(filter, (*keys, *different, *exact), &rules));
    }
    if args.json {
        Stdout::new().document(&Report {
            keys: built.keys,
            different_keys: built.different,
            different_keys_exact: built.exact,
            filter: Described::own(&target.name(), &built.filter).sealed(seal.is_some()),
        })?;
    }
    Ok(0)
}

/// Builds a filter whose scheme has no 64-bit hash, or another program's file.
fn by_key(
    args: &BuildArgs,
    settings: &Settings,
    format: Format,
    target: &Target,
    seal: Option<&SealKey>,
) -> Outcome {
    build_keys::check(settings, format)?;
    let sources = Source::list(&args.inputs);
    let progress = Progress::of(&sources, args.quiet);
    let rules = args.keys.rules();
    let mut inputs = Inputs::new(sources, rules.clone(), progress.clone(), args.keys.threads())?;
    let Made { file, keys, different, exact } =
        build_keys::make(settings, format, &mut inputs, &target.folder())?;
    progress.clear();
    target.save_file(&file, seal)?;
    let part = &file.filter().parts()[0];
    if settings.over == OverCapacity::Warn && part.is_over_capacity() {
        warn_over(&target.name(), part);
    }
    if !args.quiet {
        say(&summary(part, (keys, different, exact), &rules));
        file.warnings().iter().for_each(|text| complain(&format!("{}: ! {text}", target.name())));
    }
    if args.json {
        let report = Report {
            keys,
            different_keys: different,
            different_keys_exact: exact,
            filter: Described::of(&target.name(), &file)?.sealed(seal.is_some()),
        };
        Stdout::new().document(&report)?;
    }
    Ok(0)
}

/// Refuses flags whose value only a tepal file can keep.
fn refuse_what_is_lost(args: &BuildArgs, format: Format) -> Result<(), Failure> {
    let lost = [
        ("--trim", args.trim),
        ("--nocase", args.nocase),
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
        Some(Format::Guava) => Some(Scheme::GuavaMitz64),
        Some(Format::Spark) => Some(Scheme::SparkV2),
        Some(Format::ParquetSbbf) => Some(Scheme::Xxh64),
        Some(Format::BitsAndBlooms) => Some(Scheme::BitsAndBlooms),
        Some(Format::Dcso) => Some(Scheme::Dcso),
        Some(Format::RedisBloom) => Some(Scheme::RedisBloom),
        Some(Format::ValkeyBloom) => Some(Scheme::ValkeyBloom),
        Some(other) => return Err(Failure::new(format!("--to {other} is not known to this program"))),
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

fn settings(args: &BuildArgs) -> Result<Settings, Failure> {
    let secret = args.secret.as_deref().map(read_secret).transpose()?;
    Ok(Settings {
        shape: ShapeArgs {
            fpr: args.shape.fpr.or(args.scheme.preset.map(Preset::rate)),
            layout: match (args.scheme.to, args.shape.layout) {
                (Some(Format::ParquetSbbf), None) => Some(Layout::SplitBlock),
                (_, layout) => layout,
            },
            ..args.shape
        },
        recipe: Recipe { trim: args.trim, nocase: args.nocase },
        domain: match (args.scheme.encoding, args.integer) {
            (Some(encoding), _) => encoding,
            (None, true) => KeyDomain::Integer,
            (None, false) => KeyDomain::Bytes,
        },
        over: args.over,
        labels: Labels {
            name: args.name.clone(),
            source: args.source.clone(),
            date: args.date.clone(),
            field: args.keys.field.as_ref().map(Field::text),
        },
        seed: args.seed,
        secret,
        scheme: scheme(&args.scheme)?,
        md5_split: args.scheme.md5_split,
    })
}

/// The line at the end: `20,000,000 keys, 23.8 MiB, 1 in 100 false positives`.
///
/// `keys` is how many keys the list has, how many of them are different, and whether that number is exact.
pub fn summary(filter: &BloomFilter, keys: (u64, u64, bool), rules: &KeyRules) -> String {
    let (keys, different, exact) = keys;
    let keys = if keys == different {
        number::counted(keys, "key")
    } else {
        let record = match (rules.null, &rules.field) {
            (false, None) => "line",
            _ => "record",
        };
        let about = if exact { "" } else { "about " };
        let different = match exact {
            true => different,
            false => number::four_digits(different as f64),
        };
        format!("{}, {about}{}", number::counted(keys, record), number::counted(different, "different key"),)
    };
    format!(
        "{keys}, {}, {} false positives",
        number::size(filter.size_in_bytes()),
        number::rate(filter.promised_false_positive_rate())
    )
}

fn warn_over(name: &str, filter: &BloomFilter) {
    complain(&format!(
        "{name}: holds more than the {} it was planned for: {} wrong now, {} promised",
        number::counted(filter.capacity(), "key"),
        number::rate(filter.false_positive_rate()),
        number::rate(filter.promised_false_positive_rate())
    ));
}
