//! Runs a command's work over the records of all its inputs.
//!
//! A command says two things: its [`Work`] is what is done with each record, on any thread; its [`Sink`] takes the
//! results, in the order of the records. Short inputs are worked on here, page by page, and so is every input with
//! `-j 1`. The rest of a long input goes to [`parallel`], which gives the same results.

use crate::error::Failure;
use crate::input::pages::{Inputs, Keys, Page};
use crate::input::parallel;
use crate::input::pieces::Piece;

/// How many bytes of an input are worked on before threads are started for its rest.
pub const SHORT: usize = 1 << 20;

/// How to go on after a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// With the next page.
    Continue,
    /// With the next input.
    NextInput,
    /// Not at all: the rest of the records is not needed.
    Stop,
}

/// A record that cannot be worked on.
#[derive(Debug)]
pub struct Refused {
    /// The number of the record in its page, from 0.
    pub record: usize,
    /// What is wrong with it.
    pub text: String,
}

/// What is done with each record. It does not depend on the records before, so any thread can do it.
pub trait Work: Sync {
    /// What one thread needs for the work.
    type Tools;
    /// What comes of it.
    type Results: Default + Send + 'static;

    /// Makes the tools of one thread.
    fn tools(&self) -> Self::Tools;

    /// Removes the results of the records before.
    fn clear(results: &mut Self::Results);

    /// Works on some records and appends their results. A record without a key goes to [`Keys::bad`]; it stops at the first
    /// one that is refused there.
    fn work(
        &self,
        tools: &mut Self::Tools,
        keys: &mut Keys<'_>,
        results: &mut Self::Results,
    ) -> Result<(), Refused>;
}

/// Takes the results, in the order of the records.
pub trait Sink<R> {
    /// Takes a header row, which has no key.
    fn header(&mut self, _page: &Page<'_>) -> Result<(), Failure> {
        Ok(())
    }

    /// Takes the results of a page. After a refused record they are those of the records before it. A sink that needs no
    /// more of them says in [`Page::taken`] how many it has taken.
    fn take(&mut self, page: &mut Page<'_>, results: &R) -> Result<Flow, Failure>;

    /// Is called when the next results may take a while, because the input gives no more bytes at the moment.
    fn pause(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}

/// Works on all records of all inputs.
///
/// # Errors
/// A record is refused, after the sink has taken the results before it; the sink fails; an input cannot be read.
pub fn run<W: Work>(inputs: &mut Inputs, work: &W, sink: &mut dyn Sink<W::Results>) -> Result<(), Failure> {
    let (mut tools, mut results, mut piece) = (work.tools(), W::Results::default(), Piece::default());
    'inputs: while let Some(mut input) = inputs.next_input()? {
        let mut bytes = 0;
        while input.read(&mut piece)? {
            while piece.next_page_alone(input.limit()) {
                let batch = piece.page();
                if input.take_header(&piece)? {
                    sink.header(&input.page(&piece))?;
                } else {
                    W::clear(&mut results);
                    let mut page = input.page(&piece);
                    let worked = work.work(&mut tools, &mut page.keys, &mut results);
                    let flow = sink.take(&mut page, &results)?;
                    inputs.bad.add(&page);
                    match flow {
                        Flow::Continue => {}
                        Flow::NextInput => continue 'inputs,
                        Flow::Stop => return Ok(()),
                    }
                    worked.map_err(|refused| page.failure(refused.record, refused.text))?;
                }
                input.line += batch.lines(0, batch.len());
            }
            if piece.drained {
                sink.pause()?;
            }
            bytes += piece.len();
            if bytes >= SHORT && inputs.threads.get() > 1 {
                match parallel::run(input, inputs.threads, work, sink, &mut inputs.bad)? {
                    Flow::Continue | Flow::NextInput => continue 'inputs,
                    Flow::Stop => return Ok(()),
                }
            }
        }
    }
    Ok(())
}
