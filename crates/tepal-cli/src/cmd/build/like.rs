//! `tepal build --like`: another list in the shape of a filter that is there.

use std::path::Path;

use tepal::{Filter, Opened, error::Operation, file::Format};

use crate::args::{BuildArgs, FileArgs, OpenedAs};
use crate::clock;
use crate::error::Failure;
use crate::input::bad::BadPolicy;
use crate::input::field::KeyRules;
use crate::open::open;
use crate::output::complain;
use crate::rows::{self, Origin};
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number;

/// The filter for another list of the shape, hash, recipe and promise of the one at `path`, and
/// from where its keys came where nothing else is said.
pub fn file(path: &Path, args: &BuildArgs, secrets: &Secrets) -> Result<(Opened, KeyRules), Failure> {
    let name = shown(path);
    // Of another program's file the flags say what it does not.
    let told = FileArgs {
        from: args.scheme.to,
        encoding: args.scheme.encoding,
        opened_as: OpenedAs::Like,
        ..FileArgs::default()
    };
    let mut file = open(path, told, secrets)?;
    // Its keys come now.
    clock::tell(&name, &mut file, true)?;
    if file.format() != Format::Tepal {
        super::refuse_what_is_lost(args, file.format())?;
    }
    if let Some(policy) = args.over {
        file.set_over_capacity(policy).map_err(|error| Failure::at(&name, error))?;
    }
    let rules = rows::rules(&args.keys, BadPolicy::Fail, [(path, &file)], true, args.quiet)?;
    let can = file.can();
    if !can.refill {
        return Err(Failure::at(&name, file.filter().refusal(Operation::Clear)));
    }
    if can.segments {
        let text = "a filter with segments; build the other with --by or --set, and with the -n and -p of this one, in place of --like";
        return Err(Failure::at(&name, text));
    }
    if can.grow && !can.unite {
        let text =
            "a chain of filters, which grows; --like needs one filter, so build it anew without --like";
        return Err(Failure::at(&name, text));
    }
    let exceptions = file.filter().facts().exceptions;
    if exceptions > 0 && !args.quiet {
        complain(&format!(
            "{name}: its {} are about its own members, and stay with it; give the new filter its own by tepal except, or build it with \
             --exact-on in place of --like",
            number::counted(exceptions, "exception")
        ));
    }
    Ok((file, rules))
}

/// The filter with the texts of another list: the name and the source stay where no others are
/// given; the date and the origin are those of the list.
pub fn relabelled(path: &Path, mut file: Opened, args: &BuildArgs, rows: Origin) -> Result<Opened, Failure> {
    if file.format() != Format::Tepal {
        return Ok(file);
    }
    let mut labels = rows.label(file.filter().facts().labels);
    labels.date = None;
    for (label, given) in
        [(&mut labels.name, &args.name), (&mut labels.source, &args.source), (&mut labels.date, &args.date)]
    {
        if given.is_some() {
            label.clone_from(given);
        }
    }
    file.set_labels(labels).map_err(|error| Failure::at(&shown(path), error))?;
    Ok(file)
}
