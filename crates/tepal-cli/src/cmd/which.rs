//! `tepal which`: which of several filters, or which segments of one, may hold each key?

use std::sync::Arc;

use serde::Serialize;
use tepal::Opened;

use super::answer::{Field, Printer, Question};
use crate::args::{GrepArgs, WhichArgs};
use crate::asking::{How, named_segments};
use crate::error::{Failure, Outcome};
use crate::names::{NONE, Names};
use crate::output::complain;
use crate::text::message::shown;
use crate::text::number::counted;

/// What was meant for a file of lines may be taken for the last filter.
const HINT: &str = "Files of lines come after --: tepal which FILTER... -- LINES";

/// Runs the verb.
pub fn run(args: &WhichArgs) -> Outcome {
    let paths: Vec<_> = args.filters.iter().map(|path| path.as_path()).collect();
    let hint = paths.last().filter(|_| args.inputs.is_empty()).map(|last| (*last, HINT));
    let question = Question {
        paths,
        inputs: &args.inputs,
        asked: &args.asked,
        ask: &args.ask,
        grep: GrepArgs { count: args.count, quiet: args.quiet, header: args.header, ..GrepArgs::default() },
        invert: args.invert,
        json: args.json,
        field: Field::Names,
        every: true,
        totals: args.count.then_some(totals),
        hint,
    };
    let filters = question.open(|_, _| Ok(()))?.with_names_told();
    let (names, how) = names(args, &filters.now())?;
    question.run(&filters, names, how)
}

/// What is asked, and the names in the answers: of several filters those, of one with segments
/// these. A key that one of several filters cannot have is not in it.
fn names(args: &WhichArgs, filters: &[Arc<Opened>]) -> Result<(Names, How), Failure> {
    let text = !args.json && !args.invert && !args.quiet;
    let paths = || args.filters.iter().map(|path| path.as_path());
    let with_segments =
        filters.iter().zip(paths()).find_map(|(filter, path)| Some((path, named_segments(filter)?)));
    match with_segments {
        Some((path, _)) if args.stem && filters.len() == 1 => Err(Failure::at(
            &shown(path),
            "--stem is about the names of files, and here the segments are named; leave it out",
        )),
        Some((path, segments)) if filters.len() == 1 => {
            let names = Names::of_segments(path, segments, text)?;
            Ok((names, How { segments: true, ..How::default() }))
        }
        found => {
            let several = found.filter(|(_, segments)| segments.len() > 1 && !args.quiet);
            if let Some((path, segments)) = several {
                let is_map =
                    filters.iter().zip(paths()).any(|(filter, its)| its == path && filter.can().values);
                let (what, has) = if is_map { ("value", "has") } else { ("segment", "is in") };
                complain(&format!(
                    "{}: one of several filters, so that which of its {} a key {has} is not said; ask it alone for that",
                    shown(path),
                    counted(segments.len() as u64, what)
                ));
            }
            Ok((Names::of(paths(), args.stem, text)?, How { each: true, mixed: true, ..How::default() }))
        }
    }
}

/// What `-c --json` prints.
#[derive(Serialize)]
struct Totals<'a> {
    /// Lines that were asked for.
    lines: u64,
    /// Those that are in no filter.
    none: u64,
    filters: Vec<Total<'a>>,
}

/// How many lines one filter may hold.
#[derive(Serialize)]
struct Total<'a> {
    filter: &'a str,
    lines: u64,
}

/// Prints how many lines each filter may hold, and how many none.
fn totals(printer: &mut Printer<'_>) -> Result<(), Failure> {
    let (of, lines, selected) = (printer.of, printer.records, printer.selected);
    let none = if of.invert { selected } else { lines - selected };
    // A segment that was dropped has left a number without a name.
    if of.json {
        let named = printer.names.all().iter().zip(&printer.counts).filter(|(name, _)| !name.is_empty());
        let filters = named.map(|(filter, &lines)| Total { filter, lines }).collect();
        return printer.stdout.json(&Totals { lines, none, filters });
    }
    let mut text = format!("{none}\n");
    if !of.invert {
        let listed = printer.names.all_listed().iter().zip(&printer.counts);
        let named = listed.filter(|(name, _)| !name.is_empty());
        text = named.map(|(name, count)| format!("{name}\t{count}\n")).collect();
        text.push_str(&format!("{NONE}\t{none}\n"));
    }
    printer.stdout.write(text.as_bytes())
}
