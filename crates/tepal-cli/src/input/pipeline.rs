//! What a command does with the records of its inputs: the work that each record costs, and what is done with the
//! results, in the order of the records.
//!
//! Short inputs, and all of them with `-j 1`, are worked on here, page by page. A long one goes to
//! [`parallel`], which does the same work on several threads and gives the same results.

use crate::error::Failure;
use crate::input::pages::{Inputs, Keys, OpenInput, Page};
use crate::input::parallel;
use crate::input::pieces::Piece;

/// So many bytes of an input are worked on before threads are started for the rest.
pub const SHORT: usize = 1 << 20;

/// How to go on after a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// With the next page.
    Continue,
    /// With the next input.
    NextInput,
    /// Not at all: enough is known.
    Stop,
}

/// A record that cannot be worked on.
#[derive(Debug)]
pub struct Refused {
    /// Which one of its page.
    pub record: usize,
    /// What is wrong with it.
    pub text: String,
}

/// The work that records cost, whatever was before them: done on any thread.
pub trait Work: Sync {
    /// What a thread needs for it.
    type Tools;
    /// What comes of it.
    type Results: Default + Send + 'static;

    /// The tools of one thread.
    fn tools(&self) -> Self::Tools;

    /// Forgets what was before.
    fn clear(results: &mut Self::Results);

    /// Adds the results of some records to those of the records before them, up to the first one that is refused.
    fn work(
        &self,
        tools: &mut Self::Tools,
        keys: &mut Keys<'_>,
        results: &mut Self::Results,
    ) -> Result<(), Refused>;
}

/// Takes the results, in the order of the records.
pub trait Sink<R> {
    /// A header row, which has no key.
    fn header(&mut self, _page: &Page<'_>) -> Result<(), Failure> {
        Ok(())
    }

    /// The results of a page: of all its records, or of those before the refused one.
    fn take(&mut self, page: &mut Page<'_>, results: &R) -> Result<Flow, Failure>;

    /// More may come only after a while.
    fn pause(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}

/// Works on all records of all inputs.
///
/// Where a record is refused, the results before it are taken first; then that is the failure.
pub fn run<W: Work>(inputs: &mut Inputs, work: &W, sink: &mut dyn Sink<W::Results>) -> Result<(), Failure> {
    let mut bench = Bench::new(work);
    while let Some(mut open) = inputs.next_input()? {
        let enough = if inputs.threads.get() > 1 { SHORT } else { usize::MAX };
        let flow = match bench.work_on(&mut open, enough, sink)? {
            Some(flow) => flow,
            None => parallel::run(open, inputs.threads, work, sink)?,
        };
        if flow == Flow::Stop {
            break;
        }
    }
    Ok(())
}

/// One thread's place of work.
pub struct Bench<'a, W: Work> {
    work: &'a W,
    tools: W::Tools,
    results: W::Results,
    piece: Piece,
}

impl<'a, W: Work> Bench<'a, W> {
    /// An empty place.
    pub fn new(work: &'a W) -> Self {
        Self { work, tools: work.tools(), results: W::Results::default(), piece: Piece::default() }
    }

    /// Works on an input; gives nothing where it goes on after `enough` bytes.
    pub fn work_on(
        &mut self,
        open: &mut OpenInput,
        enough: usize,
        sink: &mut dyn Sink<W::Results>,
    ) -> Result<Option<Flow>, Failure> {
        let mut done = 0;
        while done < enough {
            let more = open.pieces.read(&mut self.piece);
            if !more.map_err(|trouble| trouble.failure(&open.name, open.line))? {
                return Ok(Some(Flow::Continue));
            }
            let flow = self.work_on_piece(open, sink)?;
            if flow != Flow::Continue {
                return Ok(Some(flow));
            }
            if self.piece.drained {
                sink.pause()?;
            }
            done += self.piece.len();
        }
        Ok(None)
    }

    fn work_on_piece(
        &mut self,
        open: &mut OpenInput,
        sink: &mut dyn Sink<W::Results>,
    ) -> Result<Flow, Failure> {
        while self.piece.next_page_alone(open.limit()) {
            let batch = self.piece.page();
            if open.take_header(&batch)? {
                sink.header(&open.page(batch))?;
            } else {
                W::clear(&mut self.results);
                let mut page = open.page(batch);
                let worked = self.work.work(&mut self.tools, &mut page.keys, &mut self.results);
                let flow = sink.take(&mut page, &self.results)?;
                if flow != Flow::Continue {
                    return Ok(flow);
                }
                worked.map_err(|Refused { record, text }| page.failure(record, text))?;
            }
            open.line += batch.lines(0, batch.len());
        }
        Ok(Flow::Continue)
    }
}
