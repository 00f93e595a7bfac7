//! `tepal remove --segment`: whole segments out of a filter.

use serde::Serialize;
use tepal::Opened;

use crate::args::RemoveArgs;
use crate::describe::{Description, Told};
use crate::error::{Failure, Outcome};
use crate::output::{Stdout, Target, say};
use crate::secrets::Secrets;
use crate::text::message::shown_key;
use crate::text::nearest::nearest;
use crate::text::number::counted;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// The segments that were dropped, and how many different keys each had.
    dropped: Vec<Dropped>,
    filter: Description,
}

/// A segment that was dropped.
#[derive(Serialize)]
struct Dropped {
    name: String,
    keys: u64,
}

/// Drops all of them, or none.
pub fn drop_all(
    args: &RemoveArgs,
    name: &str,
    mut file: Opened,
    mut target: Target,
    secrets: &Secrets,
) -> Outcome {
    let mut dropped: Vec<Dropped> = Vec::new();
    for segment in &args.segment {
        // Twice is once.
        if dropped.iter().any(|dropped| dropped.name == *segment) {
            continue;
        }
        let Some(filter) = file.filter().as_segmented() else {
            let text = "--segment is given, and this filter has no segments; leave it out, and name the keys to be removed";
            return Err(Failure::at(name, text));
        };
        let Some(number) = filter.segment_by_name(segment) else {
            let names = filter.all_segments().filter_map(|segment| filter.segment_name(segment));
            let hint = match nearest(segment, names) {
                Some(near) => format!("did you mean {}?", shown_key(near.as_bytes())),
                None => format!("tepal info {name} shows those there are"),
            };
            return Err(Failure::at(name, format!("no segment {}; {hint}", shown_key(segment.as_bytes()))));
        };
        let keys = file.drop_segment(number).map_err(|error| Failure::at(name, error))?;
        dropped.push(Dropped { name: segment.clone(), keys });
    }
    target.save(&file, secrets.seal.as_ref())?;
    let told = Told::of(&target.name(), &file)?.sealed(secrets.seal.is_some());
    if !args.change.quiet {
        let keys = dropped.iter().map(|dropped| dropped.keys).sum();
        let segments = counted(dropped.len() as u64, "segment");
        say(&format!("{segments} dropped, with {}; {}", counted(keys, "key"), told.rates(",")));
    }
    if args.json {
        let filter = Description::of(&target.name(), &told);
        Stdout::new().document(&Report { dropped, filter })?;
    }
    Ok(0)
}
