//! `tepal get`: which value has a map for each key? Flags mean what they mean to `tepal has`.

use super::answer::{Field, Question};
use crate::args::GetArgs;
use crate::asking::How;
use crate::error::{Failure, Outcome};
use crate::names::Names;
use crate::text::message::shown;

/// Why what is no map cannot be asked.
const NO_VALUES: &str = "a filter, which has no values; tepal has says whether a key is in it, tepal which in which segment, and tepal build --map makes a map";

/// Runs the verb.
pub fn run(args: &GetArgs) -> Outcome {
    let question = Question::new("get", vec![&args.map], &args.inputs, &args.ask, Field::Value);
    let filters = question.open(|path, opened| match opened.filter().as_valued() {
        Some(_) => Ok(()),
        None => Err(Failure::at(&shown(path), NO_VALUES)),
    })?;
    let names = Names::of(question.paths.iter().copied(), false, false)?;
    question.run(&filters, names, How { segments: true, ..How::default() })
}
