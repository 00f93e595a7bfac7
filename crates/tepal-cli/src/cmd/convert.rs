//! `tepal convert`: the same bits in the format of another program, or a static filter of a table.

use tepal::{Error, KeyDomain, Opened, error::Obstacle, file::Format};

use super::shrink;
use crate::args::{ConvertArgs, ShrinkArgs, To, check_form};
use crate::error::{Failure, Outcome};
use crate::open::open;
use crate::output::{Change, complain, say};
use crate::secrets::Secrets;
use crate::text::message::shown;

/// Runs the verb.
pub fn run(args: &ConvertArgs) -> Outcome {
    match args.to {
        Some(To::Format(to)) if !args.is_static => same_bits(args, to),
        Some(To::Format(to)) if to != Format::Tepal => Err(Failure::new(format!(
            "--static makes a filter that only tepal files can hold, and --to is {to}; leave one of the two out"
        ))),
        _ => to_static(args),
    }
}

/// Makes a static filter of it, which is what `tepal shrink --static` does.
fn to_static(args: &ConvertArgs) -> Outcome {
    if args.form.is_some() {
        return Err(Failure::new(
            "--form is one of --to redisbloom, and a static filter has none; leave it out",
        ));
    }
    shrink::run(&ShrinkArgs {
        filter: args.filter.clone(),
        fpr: args.fpr,
        size: None,
        is_static: true,
        file: args.file,
        keyed: args.keyed.clone(),
        change: args.make.as_change(),
        json: false,
    })
}

/// Writes the same bits in another format.
fn same_bits(args: &ConvertArgs, to: Format) -> Outcome {
    let name = shown(&args.filter);
    if args.fpr.is_some() {
        let text = format!(
            "-p is given with --to, and the same bits have the rate that they have; leave it out, or make the filter smaller: tepal shrink \
             {name} -p RATE"
        );
        return Err(Failure::new(text));
    }
    check_form(args.form, to)?;
    let secrets = Secrets::read(&args.keyed, args.make.quiet)?;
    let open_it = || open(&args.filter, args.file, &secrets);
    let make = args.make.as_change();
    let change = Change::lock(&args.filter, &make, open_it)?;
    let (opened, mut target) = (open_it()?, change.target()?);
    let from = opened.format();
    // From one form of RedisBloom to the other nothing is lost.
    let before = (from != Format::Tepal && from != to).then(|| opened.clone());
    let mut file = opened.convert_to(to).map_err(|error| Failure::at(&name, refusal(&error, to)))?;
    if let Some(form) = args.form {
        file = file.in_form(form).map_err(|error| Failure::at(&name, error))?;
    }
    // Another program's file has no seal: that the filter had one was checked, and is over.
    let seal = secrets.seal.as_ref().filter(|_| to == Format::Tepal);
    target.save(&file, seal)?;
    if args.make.quiet {
        return Ok(0);
    }
    let form = args.form.map(|form| format!(" ({form})")).unwrap_or_default();
    say(&format!("{from} to {}{form}, scheme {}: the same bits", to, file.filter().scheme()));
    if let Some(text) = recorded_encoding((args, to), from, &file).or_else(|| unrecorded_encoding(&file)) {
        complain(&format!("{}: ! {text}", target.name()));
    }
    if before.is_some_and(|before| !comes_back(&before, &file)) {
        let text = format!(
            "what {from} keeps beside the bits (whether it grows, user data) is not in it, and cannot be had back from it"
        );
        complain(&format!("{}: ! {text}", target.name()));
    }
    Ok(0)
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
            format!("{error} with: tepal build LIST --to {to} -o FILTER")
        }
        other => other.to_string(),
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
