//! `tepal has`: which of these lines are in the filter? Flags mean what they mean to grep.

use super::answer::{Field, Question};
use crate::args::HasArgs;
use crate::asking::How;
use crate::error::{Failure, Outcome};
use crate::names::Names;
use crate::text::message::shown;

/// Runs the verb.
pub fn run(args: &HasArgs) -> Outcome {
    let (paths, lines) = args.filters.files(&args.ask.asked.asked);
    if args.copies && paths.len() > 1 {
        return Err(Failure::new("--copies is about one filter; ask each by itself"));
    }
    let field = if args.copies { Field::Copies } else { Field::None };
    let question = Question::new("has", paths, lines, &args.ask, field);
    let filters = question.open(|path, filter| {
        if args.copies && !filter.can().count {
            let text = "does not count how often a key is in, so --copies cannot be done; build it again with --count-bits 4";
            return Err(Failure::at(&shown(path), text));
        }
        Ok(())
    })?;
    let names = Names::of(question.paths.iter().copied(), args.filters.stem, false)?;
    question.run(&filters, names, How { each: args.ask.json, ..How::default() })
}
