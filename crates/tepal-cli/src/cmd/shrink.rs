//! `tepal shrink`: a smaller filter of a filter, without its keys.

use serde::Serialize;
use tepal::{Error, Opened, file::Format};

use crate::args::ShrinkArgs;
use crate::describe::{Description, Told, warn_past_promise};
use crate::error::{Failure, Outcome};
use crate::open::open;
use crate::output::{Change, Stdout, complain, refuse_both, say};
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number::{count, promise, rate, size};
use crate::text::words::Words;

/// Such a filter tells a non-member from a member no better than a coin.
const USELESS: f64 = 0.5;

/// No filter has fewer.
pub(super) const LEAST_BYTES: u64 = 64;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// So many lines or blocks became one; 1 for a table that was laid out for the keys in it, and
    /// for one of all of a growing filter.
    factor: u64,
    /// Bytes of the bits before.
    size_before: u64,
    filter: Description,
}

/// Runs the verb.
pub fn run(args: &ShrinkArgs) -> Outcome {
    let name = shown(&args.filter);
    refuse_both(args.json, args.change.output.as_deref())?;
    let secrets = Secrets::read(&args.keyed, args.change.quiet)?;
    let open_it = || open(&args.filter, args.file, &secrets);
    let change = Change::lock(&args.filter, &args.change, open_it)?;
    let (mut file, mut target) = (open_it()?, change.target()?);
    let before = file.filter().size_in_bytes();
    let promised = file.filter().promised_false_positive_rate();
    let shares_numbers = is_growing(&file) && !file.can().remove;
    let factor = match (args.fpr, args.size) {
        (Some(wanted), _) => to_rate(&name, &mut file, wanted)?,
        (None, bytes) => to_size(&name, &mut file, bytes.unwrap_or(0))?,
    };
    if args.change.output.is_none() && !args.change.force {
        let (was, is) = (size(before), size(file.filter().size_in_bytes()));
        let text = format!(
            "{was} now, and {is} with {} wrong afterwards, which cannot be undone; write that to another file with -o, or \
             replace this one with --force",
            rate(file.filter().false_positive_rate())
        );
        return Err(Failure::at(&name, text));
    }
    target.save(&file, secrets.seal.as_ref())?;
    let told = Told::of(&target.name(), &file)?.sealed(secrets.seal.is_some());
    if !args.change.quiet {
        let (was, is) = (size(before), size(told.facts.size_in_bytes));
        let how = match factor {
            1 => "for the keys in it".to_owned(),
            factor => format!("{factor} to 1"),
        };
        say(&format!("{how}: {was} before, {is} now; {}", told.rates(",")));
    }
    let promises = told.facts.promised_false_positive_rate;
    if told.has_plan() && promises > promised {
        let (was, is) = (promise(promised), promise(promises));
        complain(&format!("{}: ! promised {was} before, {is} from now on", target.name()));
    }
    if shares_numbers {
        complain(&format!(
            "{}: ! a table now, from which no key can be removed: it grew without --deletable, so that two keys may share a number",
            target.name()
        ));
    }
    warn_past_promise(&target.name(), &told);
    if args.json {
        let filter = Description::of(&target.name(), &told);
        Stdout::new().document(&Report { factor, size_before: before, filter })?;
    }
    Ok(0)
}

/// Folds to the smallest size of this rate.
fn to_rate(name: &str, file: &mut Opened, wanted: f64) -> Result<u64, Failure> {
    let before = file.filter().size_in_bytes();
    match file.shrink_to(wanted) {
        // A table is laid out for the keys that are left in it.
        Ok(1) if file.filter().size_in_bytes() < before => Ok(1),
        Ok(1) => {
            let way_out = match sizes(file, file.filter().size_in_bytes()) {
                _ if is_one_line(file) => SMALLEST.to_owned(),
                _ if file.filter().fold_factors().is_empty() => {
                    "its lines fold to no other size; give a higher rate with -p".to_owned()
                }
                Some(sizes) => format!("its sizes are {sizes}; give a higher rate with -p"),
                None => SMALLEST.to_owned(),
            };
            let (now, wanted) = (rate(file.filter().false_positive_rate()), rate(wanted));
            let text = format!("at {now} now, and no smaller size keeps {wanted}; {way_out}");
            Err(Failure::at(name, text))
        }
        Ok(factor) => Ok(factor),
        Err(error @ Error::RateOutOfReach { .. }) if is_growing(file) => {
            Err(Failure::at(name, format!("{}; the rate is that of -p", error.words())))
        }
        Err(Error::RateOutOfReach { .. }) => {
            let (now, wanted) = (rate(file.filter().false_positive_rate()), rate(wanted));
            let text = format!(
                "at {now} now, above {wanted}, and folding only raises that; give a higher rate with -p"
            );
            Err(Failure::at(name, text))
        }
        Err(error) => Err(refusal(name, &error)),
    }
}

/// Folds to the largest size that is no larger than so many bytes.
fn to_size(name: &str, file: &mut Opened, bytes: u64) -> Result<u64, Failure> {
    let now = file.filter().size_in_bytes();
    if is_growing(file) {
        let text = "a growing filter, of which one table is made for a rate, and not for a size; give that with -p, such as the one that \
                    it promises";
        return Err(Failure::at(name, text));
    }
    let fits = |factor: &u64| file.filter().folded_size_in_bytes(*factor).is_some_and(|size| size <= bytes);
    let folded = match file.filter().fold_factors().into_iter().find(fits) {
        _ if bytes >= now && !file.filter().fold_factors().is_empty() => {
            let way_out = folds_to(sizes(file, now), "give less with -s");
            return Err(Failure::at(name, format!("{} bytes already; {way_out}", count(now))));
        }
        Some(factor) => factor,
        None if is_one_line(file) => {
            return Err(Failure::at(name, format!("{} bytes; {SMALLEST}", count(now))));
        }
        // The library says why it does not fold.
        None if file.filter().fold_factors().is_empty() => 2,
        None => {
            let text = match sizes(file, bytes) {
                Some(sizes) => format!("folds to no size so small, but to {sizes}"),
                None => format!("{} bytes; {SMALLEST}", count(now)),
            };
            return Err(Failure::at(name, text));
        }
    };
    let possible = folds_to(sizes(file, bytes), "give more with -s");
    file.fold(folded).map_err(|error| match error {
        Error::Parameter { .. } if file.can().count => {
            Failure::at(name, format!("in so few bytes all non-members would be found; {possible}"))
        }
        error => refusal(name, &error),
    })?;
    let rate_then = file.filter().false_positive_rate();
    if rate_then > USELESS {
        let text = format!(
            "at {} bytes {} of all non-members would be found by mistake; {possible}",
            count(file.filter().size_in_bytes()),
            rate(rate_then)
        );
        return Err(Failure::at(name, text));
    }
    Ok(folded)
}

/// Why a filter of the least size there is stays as it is.
const SMALLEST: &str = "it cannot be made smaller";

/// Is it a growing filter, which becomes one table?
fn is_growing(file: &Opened) -> bool {
    file.can().grow && file.can().become_static
}

/// Is it a Bloom filter of one line, of which there is no half?
fn is_one_line(file: &Opened) -> bool {
    let is_least = file.format() == Format::Tepal && file.filter().size_in_bytes() <= LEAST_BYTES;
    is_least && file.can().set_over_capacity && !file.filter().facts().parts.is_empty()
}

/// The sizes that it folds to, and what to give; or that there are none.
fn folds_to(sizes: Option<String>, give: &str) -> String {
    sizes.map_or(SMALLEST.to_owned(), |sizes| format!("it folds to {sizes}; {give}"))
}

/// The sizes in bytes that it can be folded to, next to the wanted one, each with its rate; nothing
/// where it has the least.
fn sizes(file: &Opened, wanted: u64) -> Option<String> {
    let now = file.filter().size_in_bytes();
    let factors = file.filter().fold_factors();
    let size_of = |factor| Some((file.filter().folded_size_in_bytes(factor)?, factor));
    let mut all: Vec<(u64, u64)> =
        factors.into_iter().filter_map(size_of).filter(|(size, _)| *size < now).collect();
    all.dedup_by_key(|(size, _)| *size);
    if all.is_empty() {
        return None;
    }
    let near = all.partition_point(|&(size, _)| size > wanted);
    let shown = &all[near.saturating_sub(3)..(near + 3).min(all.len())];
    let with_rate = shown.iter().map(|&(size, factor)| format!("{size} bytes ({})", rate_at(file, factor)));
    let mut text = with_rate.collect::<Vec<_>>().join(", ");
    if shown.len() < all.len() {
        text.push_str(&format!(" and {} more", count((all.len() - shown.len()) as u64)));
    }
    Some(text)
}

/// The rate of a copy that is folded so.
fn rate_at(file: &Opened, factor: u64) -> String {
    let mut copy = file.clone();
    match copy.fold(factor).map(|()| copy.filter().false_positive_rate()) {
        Ok(folded) if folded <= USELESS => format!("{} wrong", rate(folded)),
        _ => "too small".to_owned(),
    }
}

/// Why it cannot be folded at all.
fn refusal(name: &str, error: &Error) -> Failure {
    match error {
        Error::Parameter { found, .. } => Failure::at(
            name,
            format!(
                "cannot be folded: the positions of {found} are remainders; build it again from its keys, with -p or -s"
            ),
        ),
        other => Failure::at(name, other),
    }
}
