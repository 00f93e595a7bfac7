//! `tepal build --exact-on`: a filter that is right about every key of a known universe.
//!
//! It is a Bloom filter whose wrong answers within the universe are its exceptions, as a list or as
//! a divider. The rate is chosen so that all together takes the fewest bytes: at a lower one the
//! filter is larger and the exceptions are fewer. That needs the numbers of members and of
//! non-members, so both lists are read first, once each, and kept as hashes.
//!
//! An exception is known by the 64-bit hash of its key, and a member with the same hash would be
//! missed. So each key has a second hash, of a random key: a key of the universe is a member if
//! both are one's, and if just the first is, nothing can be built.

use serde::Serialize;
use tepal::build::Built;
use tepal::{
    BloomFilter, Error, Exceptions, SecretKey,
    builders::BloomFilterBuilder,
    hash::{KeyHasher, PreparedKeys},
};

use crate::args::{BuildArgs, ExactAs};
use crate::error::Failure;
use crate::input::field::KeyRules;
use crate::input::pages::{Inputs, Keys, Page};
use crate::input::pipeline::{self, Flow, Refused, Sink, Work};
use crate::input::source::Source;
use crate::keys::{distinct, make_room, read_lists};
use crate::output::Target;
use crate::text::message::{shown, shown_key};
use crate::text::number;
use crate::text::words::Words;

/// Keys that a filter is given or asked for together.
const PIECE: usize = 1024;

/// What was found in the universe.
#[derive(Serialize)]
pub struct ExactOn {
    /// Keys that were read, repeats included.
    keys: u64,
    /// Different ones that are no members.
    non_members: u64,
    /// Members that are not in it.
    members_missing: u64,
    /// Records that were left out because they have no key.
    bad_records: u64,
    /// Non-members for which the bits say yes.
    exceptions: u64,
    /// Bytes of the file that they take.
    exceptions_len: u64,
    /// How it knows them; nothing where there are none.
    form: Option<ExactAs>,
}

impl ExactOn {
    /// `; right about the whole universe, 20,000 keys, with 20 exceptions in a list of 168 bytes`.
    /// So many different `members` the list has.
    pub fn told(&self, members: u64) -> String {
        let different = members - self.members_missing + self.non_members;
        let keys = match different == self.keys {
            true => number::counted(self.keys, "key"),
            false => {
                let keys = number::counted(self.keys, "key");
                format!("{}, of which {} are different", keys, number::count(different))
            }
        };
        let missing = match self.members_missing {
            0 => String::new(),
            keys => format!("; {} of the list not in it", number::counted(keys, "key")),
        };
        let bad = match self.bad_records {
            0 => String::new(),
            records => format!("; {} of it left out", number::counted(records, "bad record")),
        };
        let form = match self.form {
            None => String::new(),
            Some(ExactAs::List) => format!(" in a list of {}", number::size(self.exceptions_len)),
            Some(ExactAs::Divider) => format!(" in a divider of {}", number::size(self.exceptions_len)),
        };
        format!(
            "; right about the whole universe, {keys}, with {}{form}{missing}{bad}",
            number::counted(self.exceptions, "exception"),
        )
    }
}

/// Builds the filter of a list, with exceptions for all other keys of the universe for which it
/// says yes.
pub fn build(
    builder: BloomFilterBuilder,
    args: &BuildArgs,
    target: &Target,
    rules: &KeyRules,
    inputs: &mut Inputs,
) -> Result<(Built, ExactOn), Failure> {
    let hashers = Hashers::new(&builder)?;
    Source::list(&args.exact_on).iter().try_for_each(Source::check)?;
    let mut listed = Listed { keys: 0, marks: Vec::new() };
    pipeline::run(inputs, &hashers, &mut listed)?;
    let Listed { keys, mut marks } = listed;
    distinct(&mut marks);
    let mut split = Split { keys: 0, found: vec![false; marks.len()], non_members: Vec::new() };
    let compare = Compare { hashers: &hashers, members: &marks };
    let bad_records = read_lists(&args.exact_on, rules, (&args.keys, args.quiet), &compare, &mut split)?;
    let Split { keys: asked, found, mut non_members } = split;
    if asked == 0 {
        let text =
            "it has no keys, and has to have all that will be asked; name another, or leave --exact-on out";
        return Err(Failure::at(&args.exact_on.first().map_or(String::new(), |path| shown(path)), text));
    }
    distinct(&mut non_members);

    let (members, non_members_count) = (marks.len() as u64, non_members.len() as u64);
    let builder = at_least_cost(builder, args, members, non_members_count);
    let gather = super::gather::new_gather(args, builder, target)?;
    let list = args.list();
    // In the order of their hashes they would look like a part of the keys that was chosen by it.
    marks.sort_unstable_by_key(|mark| mark.second);
    for piece in marks.chunks(PIECE) {
        let hashes = piece.iter().map(|mark| mark.first).collect();
        super::gather::take(&gather, &PreparedKeys::from_hashes(hashes), &list, None)?;
    }
    let hashes = marks.iter().map(|mark| mark.first).collect();
    drop(marks);
    let mut built = gather.finish()?;
    (built.keys, built.different, built.is_exact) = (keys, members, true);

    let mut exceptions = Exceptions::new();
    for piece in non_members.chunks(PIECE) {
        exceptions.take(built.file.filter(), &PreparedKeys::from_hashes(piece.to_vec()));
    }
    drop(non_members);
    let form = form(args, exceptions.count() as u64, members);
    built.file = match form {
        // The file stays one that every program can open.
        None => built.file,
        Some(ExactAs::List) => built.file.except(&exceptions)?,
        Some(ExactAs::Divider) => {
            built.file.divide(&exceptions, &PreparedKeys::from_hashes(hashes)).map_err(no_divider)?
        }
    };
    let count = exceptions.count() as u64;
    let exact = ExactOn {
        keys: asked,
        non_members: non_members_count,
        members_missing: found.iter().filter(|found| !**found).count() as u64,
        bad_records,
        exceptions: count,
        exceptions_len: built.file.filter().exceptions_len(),
        form,
    };
    Ok((built, exact))
}

/// With the rate at which filter and exceptions together take the fewest bytes, where the flags
/// leave it open. Where there are no non-members, it is the highest of the rates.
fn at_least_cost(
    builder: BloomFilterBuilder,
    args: &BuildArgs,
    members: u64,
    non_members: u64,
) -> BloomFilterBuilder {
    if args.shape.fpr.is_some() || args.shape.size.is_some() {
        return builder;
    }
    let keys = args.shape.capacity.unwrap_or(members.max(1));
    // From 2^-2, since keys outside of the universe may be asked too, in quarters of a bit.
    let rates = (8..=160).map(|quarters| 0.5f64.powf(f64::from(quarters) / 4.0));
    let costs = rates.filter_map(|rate| {
        let plan = builder.clone().capacity(keys).false_positive_rate(rate).plan().ok()?;
        let exceptions = (rate * non_members as f64).ceil() as u64;
        let behind = form(args, exceptions, members).map_or(0, |form| len(form, exceptions, members));
        Some((plan.size_in_bytes().saturating_add(behind), rate))
    });
    match costs.min_by_key(|cost| cost.0) {
        Some((_, rate)) => builder.false_positive_rate(rate),
        // Building says why there is no such filter.
        None => builder,
    }
}

/// In which form a filter of so many members knows so many exceptions: as it is told, else in the
/// smaller.
fn form(args: &BuildArgs, exceptions: u64, members: u64) -> Option<ExactAs> {
    let smaller =
        || match len(ExactAs::Divider, exceptions, members) < len(ExactAs::List, exceptions, members) {
            true => ExactAs::Divider,
            false => ExactAs::List,
        };
    (exceptions > 0).then(|| args.exact_as.unwrap_or_else(smaller))
}

/// Bytes of the file that they take so.
fn len(form: ExactAs, exceptions: u64, members: u64) -> u64 {
    match form {
        ExactAs::List => Exceptions::list_len(exceptions),
        ExactAs::Divider => Exceptions::divider_len(exceptions, members),
    }
}

/// Why there is no divider: the hashes of members and non-members were compared.
fn no_divider(error: Error) -> Failure {
    match error {
        Error::TooLarge { .. } => Failure::new(
            "--exact-on: no memory for the divider, some 60 bytes for each member and exception; add --exact-as list, which needs \
             less",
        ),
        error => error.into(),
    }
}

/// Both hashes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mark {
    /// The filter's.
    first: u64,
    /// The other.
    second: u64,
}

/// Gives each key both hashes.
struct Hashers {
    first: KeyHasher,
    second: KeyHasher,
}

impl Hashers {
    fn new(builder: &BloomFilterBuilder) -> Result<Self, Failure> {
        let first = builder.key_hasher()?;
        if !first.has_hash() {
            return Err(Failure::new(format!(
                "--exact-on compares keys by 64-bit hashes, which the scheme {} does not have; leave the scheme out, or build \
                 without --exact-on and give the non-members to tepal except, with --members",
                first.scheme()
            )));
        }
        let second = BloomFilter::builder()
            .key_domain(first.key_domain())
            .recipe(first.recipe())
            .secret_key(SecretKey::generate()?)
            .key_hasher()?;
        Ok(Hashers { first, second })
    }

    /// Hands out the hashes of each key, with the record and the key.
    fn each(
        &self,
        keys: &mut Keys<'_>,
        mut with: impl FnMut(Mark, usize, &[u8]) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        for record in 0..keys.batch.len() {
            let why = match keys.key(record) {
                Ok(Some(key)) => match (self.first.hash(key), self.second.hash(key)) {
                    (Ok(first), Ok(second)) => {
                        with(Mark { first, second }, record, key)?;
                        continue;
                    }
                    (Err(error), _) | (_, Err(error)) => error.words(),
                },
                Ok(None) => continue,
                Err(text) => text,
            };
            keys.bad.push(record, why)?;
        }
        Ok(())
    }
}

impl Work for Hashers {
    type Tools = ();
    type Results = Vec<Mark>;

    fn tools(&self) {}

    fn clear(results: &mut Vec<Mark>) {
        results.clear();
    }

    fn work(&self, (): &mut (), keys: &mut Keys<'_>, marks: &mut Vec<Mark>) -> Result<(), Refused> {
        self.each(keys, |mark, _, _| {
            marks.push(mark);
            Ok(())
        })
    }
}

/// Keeps the members.
struct Listed {
    keys: u64,
    marks: Vec<Mark>,
}

impl Sink<Vec<Mark>> for Listed {
    fn take(&mut self, _: &mut Page<'_>, marks: &Vec<Mark>) -> Result<Flow, Failure> {
        self.keys += marks.len() as u64;
        keep(&mut self.marks, marks)?;
        Ok(Flow::Continue)
    }
}

/// Looks for the keys of the universe among the members.
struct Compare<'a> {
    hashers: &'a Hashers,
    /// Ascending, each once.
    members: &'a [Mark],
}

/// The keys of some records.
#[derive(Default)]
struct Compared {
    /// Which members they are.
    members: Vec<usize>,
    /// The hashes of those that are none.
    non_members: Vec<u64>,
}

impl Work for Compare<'_> {
    type Tools = ();
    type Results = Compared;

    fn tools(&self) {}

    fn clear(compared: &mut Compared) {
        compared.members.clear();
        compared.non_members.clear();
    }

    fn work(&self, (): &mut (), keys: &mut Keys<'_>, compared: &mut Compared) -> Result<(), Refused> {
        self.hashers.each(keys, |mark, record, key| {
            let at = match self.members.binary_search(&mark) {
                Ok(member) => {
                    compared.members.push(member);
                    return Ok(());
                }
                Err(at) => at,
            };
            let beside = [at.checked_sub(1), Some(at)].into_iter().flatten();
            let has_hash = |i| self.members.get(i).is_some_and(|member: &Mark| member.first == mark.first);
            if beside.into_iter().any(has_hash) {
                let text = format!(
                    "{} is not on the list, and has the 64-bit hash of a key that is, so the filter cannot be right about both; \
                     nothing was built: choose another --seed (or another --secret)",
                    shown_key(key)
                );
                return Err(Refused { record, text });
            }
            compared.non_members.push(mark.first);
            Ok(())
        })
    }
}

/// Divides the universe into members and non-members.
struct Split {
    keys: u64,
    found: Vec<bool>,
    non_members: Vec<u64>,
}

impl Sink<Compared> for Split {
    fn take(&mut self, _: &mut Page<'_>, compared: &Compared) -> Result<Flow, Failure> {
        self.keys += (compared.members.len() + compared.non_members.len()) as u64;
        compared.members.iter().for_each(|member| self.found[*member] = true);
        keep(&mut self.non_members, &compared.non_members)?;
        Ok(Flow::Continue)
    }
}

/// Appends, and throws repeats away before it takes more memory.
fn keep<T: Copy + Ord>(all: &mut Vec<T>, more: &[T]) -> Result<(), Failure> {
    make_room(all, more.len(), distinct, |keys| {
        format!(
            "--exact-on keeps both lists as hashes, and there is no memory for more than {keys}; build without it, and give the \
             non-members to tepal except, with --members"
        )
    })?;
    all.extend_from_slice(more);
    Ok(())
}
