//! `tepal has`: which of these lines are in the filter? Flags mean what they mean to grep.

use super::answer::{Field, Question};
use crate::args::HasArgs;
use crate::asking::How;
use crate::error::{Failure, Outcome};
use crate::names::Names;
use crate::text::message::shown;

/// Where --in names all filters, what was meant for a file of lines may be taken for the first of
/// them.
const HINT: &str =
    "Where --in names all filters, files of lines come after --: tepal has --in FILTER -- LINES";

/// Runs the verb.
pub fn run(args: &HasArgs) -> Outcome {
    let (paths, lines) = args.files();
    let hint = args.filter.as_deref().filter(|_| lines.is_empty() && paths.len() > 1);
    let question = Question {
        paths,
        inputs: &lines,
        asked: &args.asked,
        ask: &args.ask,
        grep: args.grep,
        invert: args.invert,
        json: args.json,
        field: match (args.which, args.copies) {
            (true, _) => Field::Names,
            (_, true) => Field::Copies,
            _ => Field::None,
        },
        every: false,
        totals: None,
        hint: hint.map(|path| (path, HINT)),
    };
    let filters = question.open(|path, filter| {
        if args.copies && !filter.can().count {
            let text = "does not count how often a key is in, so --copies cannot be done; build it again with --count-bits 4";
            return Err(Failure::at(&shown(path), text));
        }
        Ok(())
    })?;
    let names = Names::of(question.paths.iter().copied(), args.stem, args.which)?;
    question.run(&filters, names, How { each: args.json || args.which, ..How::default() })
}
