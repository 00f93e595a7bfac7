//! `tepal build`: a list becomes a filter.

use serde::Serialize;
use tepal::{KeyDomain, Labels, OverCapacity, Recipe};

use crate::args::BuildArgs;
use crate::build::{Build, Built, Settings};
use crate::describe::Description;
use crate::error::{Failure, Outcome, complain, say};
use crate::field::{Field, KeyRules};
use crate::input::Source;
use crate::key::read_secret;
use crate::number;
use crate::output::{Stdout, Target};
use crate::pages::Pages;
use crate::progress::Progress;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Keys read, repeats included.
    keys: u64,
    /// Different keys among them.
    different_keys: u64,
    /// Whether that is exact and no estimate.
    different_keys_exact: bool,
    filter: Description,
}

/// Runs the verb.
pub fn run(args: &BuildArgs) -> Outcome {
    if args.json && args.output.as_os_str() == "-" {
        return Err(Failure::new("--json and -o - both write to standard output; name a file with -o"));
    }
    let target = Target::new(&args.output, args.force)?;
    let build = Build::new(settings(args)?)?;
    let sources = Source::list(&args.inputs);
    let progress = Progress::of(&sources, args.quiet);
    let rules = args.keys.rules();
    let mut pages = Pages::new(sources, rules.clone(), progress.clone())?;
    let built = build.run(&mut pages, &target.folder())?;
    progress.clear();
    target.save(&built.filter)?;
    if built.filter.over_capacity() == OverCapacity::Warn && built.filter.is_over_capacity() {
        warn_over(&target.name(), &built);
    }
    if !args.quiet {
        say(&summary(&built, &rules));
    }
    if args.json {
        Stdout::new().document(&Report {
            keys: built.keys,
            different_keys: built.different,
            different_keys_exact: built.exact,
            filter: Description::of(&target.name(), &built.filter),
        })?;
    }
    Ok(0)
}

fn settings(args: &BuildArgs) -> Result<Settings, Failure> {
    let secret = args.secret.as_deref().map(read_secret).transpose()?;
    Ok(Settings {
        shape: args.shape,
        recipe: Recipe { trim: args.trim, nocase: args.nocase },
        domain: match args.integer {
            true => KeyDomain::Integer,
            false => KeyDomain::Bytes,
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
    })
}

/// The line at the end: `20,000,000 keys, 23.8 MiB, 1 in 100 false positives`.
pub fn summary(built: &Built, rules: &KeyRules) -> String {
    let keys = if built.keys == built.different {
        number::counted(built.keys, "key")
    } else {
        let record = match (rules.null, &rules.field) {
            (false, None) => "line",
            _ => "record",
        };
        let about = if built.exact { "" } else { "about " };
        let different = match built.exact {
            true => built.different,
            false => number::four_digits(built.different as f64),
        };
        format!(
            "{}, {about}{}",
            number::counted(built.keys, record),
            number::counted(different, "different key"),
        )
    };
    format!(
        "{keys}, {}, {} false positives",
        number::size(built.filter.size_in_bytes()),
        number::rate(built.filter.promised_false_positive_rate())
    )
}

fn warn_over(name: &str, built: &Built) {
    complain(&format!(
        "{name}: holds more than the {} it was planned for: {} false positives now, {} promised",
        number::counted(built.filter.capacity(), "key"),
        number::rate(built.filter.false_positive_rate()),
        number::rate(built.filter.promised_false_positive_rate())
    ));
}
