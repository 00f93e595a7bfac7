//! `tepal convert`: the same bits in the format of another program, or a static filter of a table.

use serde::Serialize;
use tepal::{AnyFilter, Error, KeyDomain, Opened, error::Obstacle, file::Format};

use super::shrink::LEAST_BYTES;
use crate::args::{ConvertArgs, To, check_form};
use crate::describe::{Description, Told, warn_past_promise};
use crate::error::{Failure, Outcome};
use crate::open::open;
use crate::output::{Change, Stdout, complain, refuse_both, say};
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number::{counted, rate, size};
use crate::text::words::Words;

/// Runs the verb.
pub fn run(args: &ConvertArgs) -> Outcome {
    refuse_both(args.json, Some(&args.make.output))?;
    match args.to {
        Some(To::Format(to)) if !args.is_static => same_bits(args, to),
        Some(To::Format(to)) if to != Format::Tepal => Err(Failure::new(format!(
            "--static makes a filter that only tepal files can hold, and --to is {to}; leave one of the two out"
        ))),
        _ => to_static(args),
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// The format of the old file.
    from: &'static str,
    /// Bytes of the bits before.
    size_before: u64,
    filter: Description,
}

impl Report {
    /// Prints it, where it is asked for.
    fn print(args: &ConvertArgs, from: Format, size_before: u64, name: &str, told: &Told) -> Outcome {
        if args.json {
            let filter = Description::of(name, told);
            Stdout::new().document(&Self { from: from.name(), size_before, filter })?;
        }
        Ok(0)
    }
}

/// No static filter errs more often.
const HIGHEST: f64 = 0.5;

/// Makes a static filter of it.
fn to_static(args: &ConvertArgs) -> Outcome {
    let name = shown(&args.filter);
    let secrets = Secrets::read(&args.keyed, args.make.quiet)?;
    let open_it = || open(&args.filter, args.file, &secrets);
    let make = args.make.as_change();
    let change = Change::lock(&args.filter, &make, open_it)?;
    let (mut file, mut target) = (open_it()?, change.target()?);
    let (from, before) = (file.format(), file.filter().size_in_bytes());
    make_static(&name, &mut file, args.fpr)?;
    target.save(&file, secrets.seal.as_ref())?;
    let told = Told::of(&target.name(), &file)?.sealed(secrets.seal.is_some());
    let now = told.facts.size_in_bytes;
    if !args.make.quiet {
        let numbers = counted(told.facts.capacity, "number");
        let (was, is) = (size(before), size(now));
        say(&format!("a static filter of {numbers}: {was} before, {is} now; {}", told.rates(",")));
    }
    if now >= before {
        let text = match now {
            ..=LEAST_BYTES => "no smaller than the old one, since no filter is smaller",
            _ => {
                "no smaller than the old one: a static filter that may hardly err on top of it takes many bits; give a higher rate with -p"
            }
        };
        complain(&format!("{}: ! {text}", target.name()));
    }
    if !args.make.quiet {
        say("keys can be added to it, and none removed or counted");
    }
    warn_past_promise(&target.name(), &told);
    Report::print(args, from, before, &target.name(), &told)
}

/// Makes a static filter of it, at this rate.
fn make_static(name: &str, file: &mut Opened, wanted: Option<f64>) -> Result<(), Failure> {
    let wanted = match wanted {
        None if file.can().become_static => return Err(Failure::at(name, no_rate(file.filter()))),
        // Of another kind there is none at any rate.
        wanted => wanted.unwrap_or(HIGHEST),
    };
    file.make_static(wanted).map_err(|error| match error {
        Error::RateOutOfReach { .. } => {
            Failure::at(name, format!("{}; the rate is that of -p", error.words()))
        }
        other => Failure::at(name, other),
    })
}

/// What to do where no rate was given for a static filter of a table.
fn no_rate(table: &AnyFilter) -> String {
    let own = table.false_positive_rate().max(table.promised_false_positive_rate());
    let (least, usual) = (rate(own), (10.0 * own).min(HIGHEST));
    // As -p takes it.
    let usual = format!("{:.2e}", 100.0 * usual).parse::<f64>().unwrap_or(100.0 * HIGHEST);
    format!(
        "which rate the static filter is to have is said with -p, for the errors of this one and its own together: this one errs at {least}, so \
         give one clearly above that, such as -p {usual}%"
    )
}

/// Writes the same bits in another format.
fn same_bits(args: &ConvertArgs, to: Format) -> Outcome {
    let name = shown(&args.filter);
    if args.fpr.is_some() {
        let text = format!(
            "-p is given with --to, and the same bits have the rate that they have; leave it out, or make the filter smaller: tepal shrink \
             {name} -p RATE -o NEW"
        );
        return Err(Failure::new(text));
    }
    check_form(args.form, to)?;
    let secrets = Secrets::read(&args.keyed, args.make.quiet)?;
    let open_it = || open(&args.filter, args.file, &secrets);
    let make = args.make.as_change();
    let change = Change::lock(&args.filter, &make, open_it)?;
    let (opened, mut target) = (open_it()?, change.target()?);
    let (from, size_before) = (opened.format(), opened.filter().size_in_bytes());
    // From one form of RedisBloom to the other nothing is lost.
    let before = (from != Format::Tepal && from != to).then(|| opened.clone());
    let mut file = opened.convert_to(to).map_err(|error| Failure::at(&name, refusal(&error, to)))?;
    if let Some(form) = args.form {
        file = file.in_form(form).map_err(|error| Failure::at(&name, error))?;
    }
    // Another program's file has no seal: that the filter had one was checked, and is over.
    let seal = secrets.seal.as_ref().filter(|_| to == Format::Tepal);
    target.save(&file, seal)?;
    if !args.make.quiet {
        report(args, to, &target.name(), (before, from), &file);
    }
    if !args.json {
        return Ok(0);
    }
    let told = Told::of(&target.name(), &file)?.sealed(seal.is_some());
    Report::print(args, from, size_before, &target.name(), &told)
}

/// Says what was done, and what is lost by it.
fn report(
    args: &ConvertArgs,
    to: Format,
    name: &str,
    (before, from): (Option<Opened>, Format),
    file: &Opened,
) {
    let form = args.form.map(|form| format!(" ({form})")).unwrap_or_default();
    say(&format!("{from} to {}{form}, scheme {}: the same bits", to, file.filter().scheme()));
    if let Some(text) = recorded_encoding((args, to), from, file).or_else(|| unrecorded_encoding(file)) {
        complain(&format!("{name}: ! {text}"));
    }
    if before.is_some_and(|before| !comes_back(&before, file)) {
        let text = format!(
            "what {from} keeps beside the bits (whether it grows, user data) is not in it, and cannot be had back from it"
        );
        complain(&format!("{name}: ! {text}"));
    }
}

/// Whether the new file can be made the old one again, byte for byte.
fn comes_back(old: &Opened, new: &Opened) -> bool {
    let back = new.clone().convert_to(old.format()).and_then(|file| file.to_bytes());
    matches!((back, old.to_bytes()), (Ok(back), Ok(old)) if back == old)
}

/// Why the bits cannot be in that format, and what to do.
fn refusal(error: &Error, to: Format) -> String {
    match error {
        Error::Unconvertible {
            obstacle: Obstacle::Scheme { .. } | Obstacle::Layout { .. } | Obstacle::Chain { .. },
            ..
        } => {
            format!("{} with: tepal build LIST --to {to} -o FILTER", error.words())
        }
        other => other.words(),
    }
}

/// What the new file says of the keys for good, where nobody has told it.
fn recorded_encoding((args, to): (&ConvertArgs, Format), from: Format, file: &Opened) -> Option<String> {
    let is_told = from == Format::Tepal || args.file.encoding.is_some();
    (to == Format::Tepal && !is_told).then(|| {
        format!(
            "from now on its keys are {}, since --keys was not given; if they are not, convert again with --keys. \
             `tepal test {}{} --members LIST` finds out",
            file.filter().key_domain(),
            args.file.from.map_or(String::new(), |format| format!("--from {format} ")),
            shown(&args.filter)
        )
    })
}

/// How the keys were encoded, where the new file does not say it and it is not the default.
fn unrecorded_encoding(file: &Opened) -> Option<String> {
    match (file.format(), file.filter().key_domain()) {
        (Format::Tepal, _) | (_, KeyDomain::Bytes) => None,
        (_, domain) => Some(format!("the file does not keep that keys are {domain}: say --keys {domain}")),
    }
}
