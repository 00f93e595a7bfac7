//! `tepal build --map`, and `--by` and `--set` with `--static`: a map from the key of each row to a
//! number or a name.
//!
//! The list is read once and kept as hashes with the numbers of their values; then all of them go
//! in at once.

use tepal::build::Built;
use tepal::{Opened, RibbonMap, builders::RibbonMapBuilder, file::Format, hash::KeyHasher};

use super::described::described;
use super::segments;
use super::way::Way;
use crate::args::BuildArgs;
use crate::error::Failure;
use crate::input::field::Field;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::keys::{Place, Placed, make_room, takes_keys};
use crate::rows::Origin;
use crate::secrets::Secrets;
use crate::segments::{ByField, Named, Names};
use crate::text::message::shown_key;
use crate::text::number::{count, plain_number};

/// The most values that have names.
const MOST_NAMES: usize = 1 << 16;

/// The flag that asks for a map.
pub fn flag(args: &BuildArgs) -> Option<&'static str> {
    match (&args.map.map, args.segments.flag()) {
        (Some(_), _) => Some("--map"),
        (None, Some(flag)) if args.ribbon.is_static => Some(flag),
        _ => None,
    }
}

/// The field that the value of each key is in, or its segment.
pub fn field(args: &BuildArgs) -> Option<(Field, &'static str)> {
    let by = |field: &Field| (field.clone(), "--by");
    args.map.map.as_ref().map(|field| (field.clone(), "--map")).or_else(|| args.segments.by.as_ref().map(by))
}

/// Builds a map, as the flags describe it, with the secret key.
pub fn way<'a>(args: &'a BuildArgs, rows: Origin, secrets: &Secrets) -> Result<Way<'a>, Failure> {
    let mut builder = described!(RibbonMap::builder(), args, rows, secrets).threads(args.keys.threads());
    if args.map.known_keys {
        builder = builder.known_keys_only();
    }
    // What cannot be is refused before the list is read.
    builder.clone().build_from_hashes(Vec::new())?;
    let hasher = takes_keys(builder.key_hasher()?)?;
    Ok(Way::of(move |inputs| build(builder, hasher, args, inputs)))
}

/// Reads all keys and builds the map of them.
fn build(
    builder: RibbonMapBuilder,
    hasher: KeyHasher,
    args: &BuildArgs,
    inputs: &mut Inputs,
) -> Result<Built, Failure> {
    let mut rows = Rows::default();
    match field(args) {
        Some((_, flag)) => {
            // The name of a segment is a name, whatever it looks like.
            rows.names = (flag == "--by").then(Names::default);
            pipeline::run(inputs, &ByField { hasher, flag }, &mut rows)?;
        }
        None => {
            let lists = segments::names_of_lists(args)?;
            let (mut names, list) = (Names::default(), args.list());
            let of_lists = lists.all().iter().map(|name| number(&mut names, &list, name));
            let of_lists = of_lists.collect::<Result<Vec<u32>, _>>()?;
            rows.names = Some(names);
            pipeline::run(inputs, &Place { hasher }, &mut Lists { of_lists, rows: &mut rows })?;
        }
    }
    let keys = rows.entries.len() as u64;
    let names = rows.sorted_names();
    rows.entries.sort_unstable();
    rows.check_values(args, &names)?;
    let pairs = rows.entries.into_iter().map(|(hash, value, _)| (hash, value)).collect();
    let map = builder.names(names).build_from_hashes(pairs)?;
    let different = map.len();
    Ok(Built::counted(Opened::new(map, Format::Tepal)?, keys, different))
}

/// The value that has this name.
fn number(names: &mut Names, list: &str, name: &str) -> Result<u32, Failure> {
    names.number(name, |number| match number < MOST_NAMES {
        true => Ok(()),
        false => Err(Failure::at(
            list,
            format!(
                "{} would be value {}, and a map has at most {} that are no numbers from 0 to 4294967295; is it the right field? Else \
                 number them",
                shown_key(name.as_bytes()),
                count(number as u64 + 1),
                count(MOST_NAMES as u64)
            ),
        )),
    })
}

/// What of the rows is kept: 16 bytes each.
#[derive(Default)]
struct Rows {
    /// Hash, value, and the line, counted over all inputs; the greatest number where there is no
    /// room for it.
    entries: Vec<(u64, u32, u32)>,
    /// The names of the values; nothing as long as all are numbers.
    names: Option<Names>,
    /// The inputs: their names, and how many lines were before each.
    inputs: Vec<(String, u64)>,
    /// Lines so far.
    lines: u64,
}

impl Rows {
    /// The numbers of values that came together.
    fn values(&mut self, list: &str, texts: &[String]) -> Result<Vec<u32>, Failure> {
        if self.names.is_none() {
            if let Some(numbers) = texts.iter().map(|text| plain_number(text)).collect() {
                return Ok(numbers);
            }
            self.name_numbers(list)?;
        }
        let names = self.names.get_or_insert_default();
        texts.iter().map(|text| number(names, list, text)).collect()
    }

    /// A value came that is no number: from now on all have names.
    fn name_numbers(&mut self, list: &str) -> Result<(), Failure> {
        let mut names = Names::default();
        for (_, value, _) in &mut self.entries {
            *value = number(&mut names, list, &value.to_string())?;
        }
        self.names = Some(names);
        Ok(())
    }

    /// The names in their order, which are the values from now on: whatever the order of the rows,
    /// the map is the same.
    fn sorted_names(&mut self) -> Vec<String> {
        let Some(names) = self.names.take().map(Names::into_all) else { return Vec::new() };
        let mut order: Vec<u32> = (0..names.len() as u32).collect();
        order.sort_unstable_by_key(|number| &names[*number as usize]);
        let mut places = vec![0; names.len()];
        (0..).zip(&order).for_each(|(place, number)| places[*number as usize] = place);
        self.entries.iter_mut().for_each(|entry| entry.1 = places[entry.1 as usize]);
        order.iter().map(|number| names[*number as usize].clone()).collect()
    }

    /// Refuses a key with two values. The entries are sorted.
    fn check_values(&self, args: &BuildArgs, names: &[String]) -> Result<(), Failure> {
        let differ = |two: &&[(u64, u32, u32)]| two[0].0 == two[1].0 && two[0].1 != two[1].1;
        // The first line that says something else than one before it.
        let two = self.entries.windows(2).filter(differ).min_by_key(|two| two[0].2.max(two[1].2));
        let Some((before, later)) = two.map(|two| match two[0].2 <= two[1].2 {
            true => (two[0], two[1]),
            false => (two[1], two[0]),
        }) else {
            return Ok(());
        };
        let value = |value: u32| match names.get(value as usize) {
            Some(name) => shown_key(name.as_bytes()),
            None => value.to_string(),
        };
        let (what, instead) = match flag(args) {
            Some("--map") => ("value", "a map has one value for each key, so leave one of the rows out"),
            _ => ("segment", "leave --static out: a filter with segments takes keys that are in several"),
        };
        let other = match self.place(before.2) {
            Some((list, line)) => format!("{list}, line {line}"),
            None => "a row before it".to_owned(),
        };
        let text = format!(
            "its key has the {what} {} here and {} in {other}; {instead}. (Where these are two keys, they have one 64-bit hash: build with \
             another --seed-for)",
            value(later.1),
            value(before.1)
        );
        Err(match self.place(later.2) {
            Some((list, line)) => Failure::at_line(list, line, text),
            None => Failure::new(text),
        })
    }

    /// The input of a line and its number there.
    fn place(&self, line: u32) -> Option<(&str, u64)> {
        let line = Some(u64::from(line)).filter(|line| *line < u32::MAX.into())?;
        let (name, before) = self.inputs.iter().rev().find(|(_, before)| *before < line)?;
        Some((name, line - before))
    }

    /// The page is of this input: how many lines were before it.
    fn before(&mut self, page: &Page<'_>) -> u64 {
        while self.inputs.len() < page.input {
            self.inputs.push((page.name.to_owned(), self.lines));
        }
        self.inputs[page.input - 1].1
    }

    /// Adds the pairs of a page: the record, the hash of its key, and the value.
    fn take_pairs(
        &mut self,
        page: &Page<'_>,
        pairs: impl Iterator<Item = (usize, u64, u32)>,
    ) -> Result<(), Failure> {
        // No repeat is known before a key's values are compared.
        make_room(
            &mut self.entries,
            page.keys.batch.len(),
            |_| {},
            |keys| {
                format!(
                    "the keys of a list wait with their values, 16 bytes each, and there is no memory for more than {keys}; build maps of \
                 shorter lists"
                )
            },
        )?;
        let (mut line, mut counted) = (self.before(page) + page.first_line, 0);
        for (record, hash, value) in pairs {
            line += page.keys.batch.lines(counted, record);
            counted = record;
            self.push(hash, value, line);
        }
        Ok(())
    }

    /// Adds an entry.
    fn push(&mut self, hash: u64, value: u32, line: u64) {
        self.lines = self.lines.max(line);
        self.entries.push((hash, value, u32::try_from(line).unwrap_or(u32::MAX)));
    }
}

impl Sink<Named> for Rows {
    fn take(&mut self, page: &mut Page<'_>, named: &Named) -> Result<Flow, Failure> {
        let values = self.values(page.name, named.names())?;
        let pairs = named.hashes().iter().enumerate();
        let pairs = pairs.map(|(i, hash)| (named.record_of(i), *hash, values[named.name_of(i)]));
        self.take_pairs(page, pairs)?;
        Ok(Flow::Continue)
    }
}

/// Keys of lists of which each is a segment.
struct Lists<'a> {
    of_lists: Vec<u32>,
    rows: &'a mut Rows,
}

impl Sink<Placed> for Lists<'_> {
    fn take(&mut self, page: &mut Page<'_>, placed: &Placed) -> Result<Flow, Failure> {
        let value = self.of_lists[page.input - 1];
        let hashes = placed.keys.hashes().unwrap_or_default();
        self.rows
            .take_pairs(page, placed.records().zip(hashes).map(|(record, hash)| (record, *hash, value)))?;
        Ok(Flow::Continue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_came_before_a_name_become_names() {
        let mut rows = Rows::default();
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(rows.values("l", &texts(&["70", "9"])).unwrap(), [70, 9]);
        for value in [70, 9, 70] {
            rows.push(1, value, 1);
        }
        let named = rows.values("l", &texts(&["x", "9", "007"])).unwrap();
        assert_eq!(named, [2, 1, 3]);
        rows.push(1, named[0], 1);
        assert_eq!(rows.sorted_names(), ["007", "70", "9", "x"]);
        assert_eq!(rows.entries.iter().map(|entry| entry.1).collect::<Vec<_>>(), [1, 2, 1, 3]);
    }
}
