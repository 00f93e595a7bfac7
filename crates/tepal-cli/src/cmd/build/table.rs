//! `tepal build --deletable` and `--count-bits`: a filter from which keys can be removed, and which counts them.
//!
//! Its table is sorted, so the list is read once and kept as hashes; then the different keys are counted exactly, and all
//! numbers go in at once.

use tepal::build::Built;
use tepal::{Error, Format, KeyHasher, Kind, Opened, QuotientFilter, QuotientFilterBuilder};

use super::described::described;
use super::grow::mix;
use crate::args::BuildArgs;
use crate::error::Failure;
use crate::input::pages::Inputs;
use crate::input::pipeline;
use crate::keys::{Hashes, Prepare};
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number;

/// So few keys at once are not sorted into a table of another size.
const LAID_OUT_AS_IT_IS: usize = 1024;

/// What the filter is before there are keys.
pub enum Shape {
    /// As the flags say.
    Flags(Box<QuotientFilterBuilder>),
    /// As another filter, which is empty by now.
    Like(Box<Opened>),
}

/// Refuses what only Bloom filters have, before anything is read.
pub fn check(args: &BuildArgs) -> Result<(), Failure> {
    args.table.flag().map_or(Ok(()), |flag| check_of(flag, TABLE, args))
}

/// What such a filter is, and what sizes it.
pub const TABLE: (&str, &str) =
    ("a table of numbers", "the table is sized by -n and -p, and by the keys that are in it");

/// The same for the flag that asks for such a filter, or for one that is something else than a Bloom filter too.
pub fn check_of(flag: &str, (what, sized): (&str, &str), args: &BuildArgs) -> Result<(), Failure> {
    let (shape, chain) = (&args.shape, &args.chain);
    let bloom = &format!("that is about Bloom filters, and this is {what}");
    let others: &[(&str, bool, &str)] = &[
        ("-s", shape.size.is_some(), sized),
        ("--layout", shape.layout.is_some(), bloom),
        ("-k", shape.num_hashes.is_some(), bloom),
        ("--small", shape.small, bloom),
        ("--preset", args.scheme.preset.is_some(), bloom),
        ("--md5-split", args.scheme.md5_split.is_some(), bloom),
        ("--expansion", chain.expansion.is_some(), bloom),
        ("--valkey-seed", chain.valkey_seed.is_some(), bloom),
        ("--form", chain.form.is_some(), bloom),
        (
            "--memory",
            args.memory.is_some() && !args.ribbon.is_static,
            "its keys wait in memory alone, 8 bytes each",
        ),
        ("--exact-on", !args.exact_on.is_empty(), "its exceptions are those of a Bloom filter"),
        ("--like", args.like.is_some(), "that filter says itself what kind it is"),
    ];
    refuse(flag, others)?;
    match args.scheme.to {
        None | Some(Format::Tepal) => Ok(()),
        Some(format) => Err(Failure::new(format!(
            "{flag} makes a filter that only tepal files can hold, not those of {format}; leave --to out"
        ))),
    }
}

/// Refuses the first of the flags that is given.
pub fn refuse(flag: &str, others: &[(&str, bool, &str)]) -> Result<(), Failure> {
    match others.iter().find(|(_, given, _)| *given) {
        Some((other, _, why)) => {
            Err(Failure::new(format!("{other} is given with {flag}: {why}; leave {other} out")))
        }
        None => Ok(()),
    }
}

/// The filter that the flags describe, with the secret key.
pub fn described(
    args: &BuildArgs,
    rows: Option<String>,
    secrets: &Secrets,
) -> Result<QuotientFilterBuilder, Failure> {
    let mut builder = described!(QuotientFilter::builder(), args, rows, secrets)
        .count_bits(args.table.bits())
        .over_capacity(args.over.unwrap_or_default());
    if let Some(keys) = args.shape.capacity {
        builder = builder.capacity(keys);
    }
    // What cannot be is refused before the list is read.
    builder.clone().capacity(args.shape.capacity.unwrap_or(1)).planned_size_in_bytes()?;
    Ok(builder)
}

/// The shape of an opened filter, where it is one of these.
pub fn like(file: Opened) -> Result<Result<Shape, Opened>, Error> {
    match file.filter().kind() {
        Kind::Quotient | Kind::Growing => {
            let mut file = file;
            file.clear()?;
            Ok(Ok(Shape::Like(Box::new(file))))
        }
        _ => Ok(Err(file)),
    }
}

/// Reads all keys and builds the filter of them.
pub fn build(shape: Shape, args: &BuildArgs, inputs: &mut Inputs) -> Result<Built, Failure> {
    let list = args.inputs.first().map_or("standard input".to_owned(), |path| shown(path));
    let count_bits = match &shape {
        Shape::Flags(_) => args.table.bits(),
        Shape::Like(file) => file.filter().facts().tables.first().map_or(0, |table| table.tag_bits),
    };
    let mut listed = Hashes { once: count_bits == 0, ..Hashes::default() };
    pipeline::run(inputs, &Prepare { hasher: hasher(&shape)? }, &mut listed)?;
    let Hashes { keys, mut hashes, .. } = listed;
    QuotientFilter::sort_hashes(&mut hashes, args.keys.threads());
    let different = hashes.chunk_by(|one, other| one == other).count() as u64;
    let most = hashes.chunk_by(|one, other| one == other).map(<[u64]>::len).max().unwrap_or(0);
    if count_bits == 0 {
        hashes.dedup();
    }
    let file = match shape {
        Shape::Flags(builder) => {
            let capacity = args.shape.capacity.unwrap_or(different.max(1));
            // Where there are not even as many numbers as keys, no policy helps.
            if different as f64 * args.shape.fpr.unwrap_or(0.01) >= capacity as f64 {
                return Err(too_many(&list, capacity, different, args));
            }
            let filter = builder.capacity(capacity).build_from_hashes(hashes);
            filter.and_then(|filter| Opened::new(filter, Format::Tepal))
        }
        // In its own lines where they have room, so that a patch leads from the one file to the other.
        Shape::Like(mut file) => {
            if file.filter().kind() == Kind::Growing {
                mix(&mut hashes);
            }
            let mut pieces = hashes.chunks(LAID_OUT_AS_IT_IS);
            pieces.try_for_each(|piece| file.insert_many_hashes(piece)).map(|()| *file)
        }
    };
    let file = file.map_err(|error| match error {
        Error::CapacityReached { capacity, .. } => too_many(&list, capacity, different, args),
        Error::TooManyCopies { most: counted, .. } => too_many_copies(&list, most as u64, counted),
        Error::NumbersClustered { .. } => clustered(&list),
        error => error.into(),
    })?;
    Ok(Built::counted(file, keys, different))
}

/// What prepares the keys.
fn hasher(shape: &Shape) -> Result<KeyHasher, Failure> {
    let hasher = match shape {
        Shape::Flags(builder) => builder.key_hasher()?,
        Shape::Like(file) => file.key_hasher(),
    };
    // A filter of the caller's hashes takes no keys.
    match hasher.check("") {
        Err(error @ Error::CallerHashes { .. }) => Err(error.into()),
        _ => Ok(hasher),
    }
}

/// More keys than the room that was asked for.
fn too_many(list: &str, capacity: u64, different: u64, args: &BuildArgs) -> Failure {
    if args.like.is_some() {
        return super::gather::too_many(list, capacity, Format::Tepal, args.like.as_deref());
    }
    let (capacity, different) = (number::count(capacity), number::counted(different, "different key"));
    Failure::at(
        list,
        format!(
            "{different}, and the room of -n is for {capacity}; give more with -n, or leave it out so that the keys are counted; with \
             --over warn a few more than promised are taken"
        ),
    )
}

/// A key that is on the list more often than can be counted.
fn too_many_copies(list: &str, copies: u64, most: u64) -> Failure {
    let (copies, most) = (number::count(copies), number::count(most));
    Failure::at(
        list,
        format!(
            "a key comes {copies} times, and no more than {most} copies of one are counted; count in more bits \
             (--count-bits 8 or 16), or take repeats out of the list (tepal uniq)"
        ),
    )
}

/// Keys whose numbers lie side by side. Room does not help.
pub fn clustered(name: &str) -> Failure {
    Failure::at(
        name,
        "the numbers of the keys lie side by side, as if they had been chosen by the filter's own hash, and no table holds them; \
         nothing was saved. Build it with a secret (--secret FILE) or with a seed of its own (--seed-for PURPOSE)",
    )
}
