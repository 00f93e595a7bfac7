//! `tepal which`: which of several filters, or which segments of one, may hold each key?

use std::sync::Arc;

use serde::Serialize;
use tepal::Opened;

use super::answer::{Field, Printer, Question};
use crate::args::WhichArgs;
use crate::asking::{How, named_segments};
use crate::error::{Failure, Outcome};
use crate::names::{NONE, Names};
use crate::output::complain;
use crate::text::message::shown;
use crate::text::number::counted;

/// Runs the verb.
pub fn run(args: &WhichArgs) -> Outcome {
    let (paths, lines) = args.filters.files(&args.ask.asked.asked);
    let mut question = Question::new("which", paths, lines, &args.ask, Field::Names);
    question.totals = args.ask.grep.count.then_some(totals);
    let filters = question.open(|_, _| Ok(()))?.with_names_told();
    let (names, how) = names(&question, args.filters.stem, &filters.now())?;
    question.run(&filters, names, how)
}

/// What is asked, and the names in the answers: of several filters those, of one with segments
/// these. A key that one of several filters cannot have is not in it.
fn names(question: &Question<'_>, stem: bool, filters: &[Arc<Opened>]) -> Result<(Names, How), Failure> {
    let grep = &question.ask.grep;
    let text = (question.prints_lines() || (grep.count && !question.ask.json)) && !grep.invert;
    let paths = || question.paths.iter().copied();
    let with_segments = filters
        .iter()
        .zip(paths())
        .find_map(|(filter, path)| Some((path, filter.can().values, named_segments(filter)?)));
    match with_segments {
        Some((path, ..)) if stem && filters.len() == 1 => Err(Failure::at(
            &shown(path),
            "--stem is about the names of files, and here the segments are named; leave it out",
        )),
        Some((_, of_map, segments)) if filters.len() == 1 => {
            Ok((Names::of_segments(of_map, segments), How { segments: true, ..How::default() }))
        }
        found => {
            let several = found.filter(|(_, _, segments)| segments.len() > 1 && !grep.quiet);
            if let Some((path, of_map, segments)) = several {
                let (what, has) = if of_map { ("value", "has") } else { ("segment", "is in") };
                complain(&format!(
                    "{}: one of several filters, so that which of its {} a key {has} is not said; ask it alone for that",
                    shown(path),
                    counted(segments.len() as u64, what)
                ));
            }
            Ok((Names::of(paths(), stem, text)?, How { each: true, mixed: true, ..How::default() }))
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
    let none = if of.ask.grep.invert { selected } else { lines - selected };
    // A segment that was dropped has left a number without a name.
    if of.ask.json {
        let named = printer.names.all().iter().zip(&printer.counts).filter(|(name, _)| !name.is_empty());
        let filters = named.map(|(filter, &lines)| Total { filter, lines }).collect();
        return printer.stdout.json(&Totals { lines, none, filters });
    }
    let mut text = format!("{none}\n");
    if !of.ask.grep.invert {
        let listed = printer.names.all_listed().iter().zip(&printer.counts);
        let named = listed.filter(|(name, _)| !name.is_empty());
        text = named.map(|(name, count)| format!("{name}\t{count}\n")).collect();
        text.push_str(&format!("{NONE}\t{none}\n"));
    }
    printer.stdout.write(text.as_bytes())
}
