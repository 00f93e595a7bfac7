//! `tepal merge`: makes one filter of several, without their keys.

use tepal::{AnyFilter, Error, FilterFile, Format, OverCapacity};

use crate::args::MergeArgs;
use crate::describe_foreign::{estimated_len, records_plan};
use crate::error::{Failure, Outcome};
use crate::open::{Filter, open_all, promised};
use crate::output::{Target, say};
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number;

/// Runs the verb.
pub fn run(args: &MergeArgs) -> Outcome {
    let target = Target::new(&args.output, args.force)?;
    let secrets = Secrets::read(&args.keyed)?;
    let paths = args.filters.iter().map(|path| path.as_path());
    let filters = open_all(paths, args.file, &secrets)?;
    let mut names = args.filters.iter().map(|path| shown(path));
    let mut filters = filters.into_iter();
    let (Some(first), Some(first_name)) = (filters.next(), names.next()) else {
        return Err(Failure::new("no filter named"));
    };
    let mut file = first.into_file().map_err(|error| Failure::at(&first_name, error))?;
    let policy = file.filter().parts()[0].over_capacity();
    if let (true, AnyFilter::Bloom(filter)) = (args.force, file.filter_mut()) {
        filter.set_over_capacity(OverCapacity::Ignore);
    }
    for (other, name) in filters.zip(names) {
        let merged = join(&mut file, other, args.and);
        merged.map_err(|text| Failure::at(&name, format!("cannot be merged with {first_name}: {text}")))?;
    }
    if let AnyFilter::Bloom(filter) = file.filter_mut() {
        filter.set_over_capacity(policy);
    }
    target.save_file(&file, secrets.seal.as_ref())?;
    if !args.quiet {
        report(args.filters.len(), &file);
    }
    Ok(0)
}

/// Adds the keys of `other` to `file`, or with `and` keeps only what both have. An error says why it cannot.
fn join(file: &mut FilterFile, other: Filter, and: bool) -> Result<(), String> {
    let here = file.format();
    let format = match &other {
        Filter::Own(_) => Format::Tepal,
        Filter::Foreign(file) => file.format(),
    };
    if format != here {
        return Err(format!(
            "its format is {format}, not {here}; bring both to one format with: tepal convert"
        ));
    }
    let joined = match (file.filter_mut(), &other, and) {
        (AnyFilter::Bloom(a), Filter::Own(b), false) => a.union_with(b),
        (AnyFilter::Bloom(a), Filter::Own(b), true) => a.intersect_with(b),
        (a, Filter::Foreign(b), false) => a.union_with(b.filter()),
        (AnyFilter::Bloom(a), Filter::Foreign(b), true) => match b.filter() {
            AnyFilter::Bloom(b) => a.intersect_with(b),
            _ => return Err("it is a chain, and --and is for single filters; leave --and out".to_owned()),
        },
        _ => return Err("they are chains, and --and is for single filters; leave --and out".to_owned()),
    };
    joined.map_err(|error| match error {
        Error::Incompatible { property, expected, found } => format!(
            "its {property} is {found}, not {expected}; only filters of one shape and one hash can be merged, build \
             one of them again from its keys"
        ),
        Error::CapacityReached { capacity, .. } => format!(
            "together they hold more than the {} the first was planned for; add --force to go past its promised rate, \
             or build them with more room (-n)",
            number::counted(capacity, "key")
        ),
        other => other.to_string(),
    })
}

fn report(merged: usize, file: &FilterFile) {
    let filter = file.filter();
    let promise = match records_plan(file.format()) {
        true => format!(", {} promised", number::rate(promised(filter))),
        false => String::new(),
    };
    say(&format!(
        "{} merged: about {} by the bits; {} wrong now{promise}",
        number::counted(merged as u64, "filter"),
        number::counted(estimated_len(filter).round() as u64, "different key"),
        number::rate(filter.false_positive_rate()),
    ));
}
