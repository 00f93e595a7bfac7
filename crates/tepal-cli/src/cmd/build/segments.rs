//! `tepal build --by` and `--set`: a filter that says in which segments a key is.
//!
//! The list is read once and kept as pairs of a hash and the number of a segment; then all pairs go in at once.

use tepal::build::Built;
use tepal::{Error, Format, KeyHasher, Opened, PreparedKeys, Segment, SegmentFilter, SegmentFilterBuilder};

use super::described::described;
use super::table;
use crate::args::BuildArgs;
use crate::error::Failure;
use crate::input::field::Field;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::keys::Prepare;
use crate::names::Names;
use crate::secrets::Secrets;
use crate::segments::{ByField, Numbers, Pairs, Rows};
use crate::text::message::shown;
use crate::text::number;

/// What the filter is before there are keys.
pub struct Shape {
    builder: SegmentFilterBuilder,
    hasher: KeyHasher,
}

/// Refuses what does not go with segments, before anything is read.
pub fn check(args: &BuildArgs) -> Result<(), Failure> {
    let Some(flag) = args.segments.flag() else { return Ok(()) };
    for (other, given, why) in [
        ("--window", args.window.window.is_some(), "a filter with segments forgets no key by itself"),
        ("--growing", args.grow.growing, "a filter with segments has a room, which -n makes larger"),
        (
            "--deletable",
            args.table.deletable,
            "of a filter with segments whole ones are dropped (tepal remove --segment)",
        ),
        ("--count-bits", args.table.bits() > 0, "a filter with segments counts no copies"),
    ] {
        if given {
            return Err(Failure::new(format!("{other} is given with {flag}: {why}; leave one of them out")));
        }
    }
    table::check_of(flag, table::TABLE, args)?;
    match &args.segments.by {
        Some(by) => check_fields("--by", by, args.keys.field.as_ref()),
        None if args.inputs.is_empty() || args.inputs.iter().any(|path| path.as_os_str() == "-") => {
            Err(Failure::new(
                "--set gives each list the name of its file, and standard input has none; name files, or say with --by which \
                 field of a row names its segment",
            ))
        }
        None => Ok(()),
    }
}

/// Refuses fields of which one is none beside the other.
pub fn check_fields(flag: &str, by: &Field, key: Option<&Field>) -> Result<(), Failure> {
    let is_path = |field: &Field| matches!(field, Field::Pointer(_));
    let what = if flag == "--map" { "value" } else { "segment" };
    match key {
        None => Err(Failure::new(format!(
            "{flag} names the field of the {what}; say with -f which field is the key, such as -f 1 or -f email"
        ))),
        Some(key) if is_path(key) != is_path(by) => Err(Failure::new(format!(
            "{flag} {} and -f {}: one is a path into JSON lines and the other a field of rows; name both alike",
            by.text(),
            key.text()
        ))),
        Some(key) if key == by => Err(Failure::new(format!(
            "{flag} and -f both name the field {}; each key would be a {what} of its own, so name another field with {flag}",
            by.text()
        ))),
        Some(_) => Ok(()),
    }
}

/// The filter that the flags describe, with the secret key.
pub fn described(args: &BuildArgs, rows: Option<String>, secrets: &Secrets) -> Result<Shape, Failure> {
    let mut builder = described!(SegmentFilter::builder(), args, rows, secrets)
        .over_capacity(args.over.unwrap_or_default());
    if let Some(pairs) = args.shape.capacity {
        builder = builder.capacity(pairs);
    }
    // What cannot be is refused before the list is read.
    builder.clone().capacity(args.shape.capacity.unwrap_or(1)).planned_size_in_bytes(1)?;
    let hasher = builder.key_hasher()?;
    match hasher.check("") {
        Err(error @ Error::CallerHashes { .. }) => Err(error.into()),
        _ => Ok(Shape { builder, hasher }),
    }
}

/// Reads all keys and builds the filter of them.
pub fn build(shape: Shape, args: &BuildArgs, inputs: &mut Inputs) -> Result<Built, Failure> {
    let Shape { builder, hasher } = shape;
    let list = args.inputs.first().map_or("standard input".to_owned(), |path| shown(path));
    let mut pairs = Pairs::new(args.keys.threads());
    let names = match &args.segments.by {
        Some(_) => {
            let mut rows = Rows { numbers: Numbers::default(), pairs: &mut pairs };
            pipeline::run(inputs, &ByField { hasher, flag: "--by" }, &mut rows)?;
            rows.numbers.into_names()
        }
        None => {
            let named = names_of_lists(args)?;
            let mut numbers = Numbers::default();
            let of_lists = named.all().iter().map(|name| numbers.number(&list, name));
            let of_lists: Vec<Segment> = of_lists.collect::<Result<_, _>>()?;
            pipeline::run(inputs, &Prepare { hasher }, &mut Lists { of_lists, pairs: &mut pairs })?;
            numbers.into_names()
        }
    };
    let (keys, pairs) = pairs.into_different();
    let different = pairs.len() as u64;
    let builder = builder.capacity(args.shape.capacity.unwrap_or(different.max(1)));
    let filter = builder.build_from_hashes(&names, pairs).map_err(|error| match error {
        Error::CapacityReached { capacity, .. } => Failure::at(
            &list,
            format!(
                "{} of a key and a segment, and the room of -n is for {}; give more with -n, or leave it out so that they are counted; \
                 with --over warn more than promised are taken",
                number::counted(different, "different pair"),
                number::count(capacity)
            ),
        ),
        Error::NumbersClustered { .. } => table::clustered(&list),
        error => Failure::at(&list, error),
    })?;
    Ok(Built::counted(Opened::new(filter, Format::Tepal)?, keys, different))
}

/// The names of the lists of --set.
pub fn names_of_lists(args: &BuildArgs) -> Result<Names, Failure> {
    let paths = args.inputs.iter().map(|path| path.as_path());
    Names::of(paths, args.segments.stem, false)
}

/// Keys of lists of which each is a segment.
struct Lists<'a> {
    of_lists: Vec<Segment>,
    pairs: &'a mut Pairs,
}

impl Sink<PreparedKeys> for Lists<'_> {
    fn take(&mut self, page: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        let segment = self.of_lists[page.input - 1];
        self.pairs.take(keys.hashes().unwrap_or_default(), |_| segment)?;
        Ok(Flow::Continue)
    }
}
