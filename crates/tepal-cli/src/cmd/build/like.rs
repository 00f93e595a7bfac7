//! `tepal build --like`: another list in the shape of a filter that is there.

use std::path::Path;

use tepal::build::Gather;
use tepal::{Error, Format, Opened};

use crate::args::{BuildArgs, FileArgs};
use crate::error::Failure;
use crate::input::field::Field;
use crate::open::open;
use crate::secrets::Secrets;
use crate::text::message::shown;

/// Takes keys into a filter of the shape, hash, recipe and promise of the one at `path`.
pub fn gather(path: &Path, args: &BuildArgs, secrets: &Secrets) -> Result<Gather, Failure> {
    let name = shown(path);
    // Of another program's file the flags say what it does not.
    let told = FileArgs { from: args.scheme.to, encoding: args.scheme.encoding, ..FileArgs::default() };
    let mut file = open(path, told, secrets)?;
    if file.format() != Format::Tepal {
        super::refuse_what_is_lost(args, file.format())?;
    }
    if let Some(policy) = args.over {
        file.set_over_capacity(policy).map_err(|error| Failure::at(&name, error))?;
    }
    relabel(&mut file, args).map_err(|error| Failure::at(&name, error))?;
    Gather::like(file).map_err(|error| Failure::at(&name, error))
}

/// The name and the source stay, where no others are given; the date is that of another list.
fn relabel(file: &mut Opened, args: &BuildArgs) -> Result<(), Error> {
    if file.format() != Format::Tepal {
        return Ok(());
    }
    let mut labels = file.filter().facts().labels;
    labels.date = None;
    for (label, given) in [
        (&mut labels.name, &args.name),
        (&mut labels.source, &args.source),
        (&mut labels.date, &args.date),
        (&mut labels.field, &args.keys.field.as_ref().map(Field::text)),
    ] {
        if given.is_some() {
            label.clone_from(given);
        }
    }
    file.set_labels(labels)
}
