//! Runs a command's work over the records of all its inputs.
//!
//! A command has two parts: its [`Work`] processes each record, on any thread; its [`Sink`] takes
//! the results, in the order of the records. Short inputs are processed here, page by page, and so
//! is every input with `-j 1`. The rest of a long input goes to [`parallel`], which gives the same
//! results.
//!
//! All commands run the same compiled code: it passes results on as [`AnyResults`], and [`run`]
//! knows their type.

use std::any::Any;

use crate::error::Failure;
use crate::input::pages::{Inputs, Keys, Page};
use crate::input::parallel;
use crate::input::pieces::Piece;

/// The number of bytes of an input that are processed before threads are started for the rest.
pub const SHORT: usize = 1 << 20;

/// What follows a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The next page.
    Continue,
    /// The next input.
    NextInput,
    /// Nothing: the other records are not needed.
    Stop,
}

/// A record that cannot be processed.
#[derive(Debug)]
pub struct Refused {
    /// The number of the record in its page, from 0.
    pub record: usize,
    /// The reason.
    pub text: String,
}

/// Processes records. The result for a record does not depend on the records before it, so any
/// thread can do the work.
pub trait Work: Sync {
    /// The tools of one thread.
    type Tools;
    /// The results of some records.
    type Results: Default + Send + 'static;

    /// Makes the tools of one thread.
    fn tools(&self) -> Self::Tools;

    /// Removes the results of the records before.
    fn clear(results: &mut Self::Results);

    /// Processes some records and appends their results. Adds a record without a key to
    /// [`Keys::bad`], and stops at the first one that this refuses.
    fn work(
        &self,
        tools: &mut Self::Tools,
        keys: &mut Keys<'_>,
        results: &mut Self::Results,
    ) -> Result<(), Refused>;
}

/// Takes the results, in the order of the records.
pub trait Sink<R: ?Sized> {
    /// Takes a header row, which has no key.
    fn header(&mut self, _page: &mut Page<'_>) -> Result<(), Failure> {
        Ok(())
    }

    /// Takes the results of a page. If a record was refused, they are the results of the records
    /// before it. A sink that needs no more records sets [`Page::taken`] to the number that it has
    /// taken.
    fn take(&mut self, page: &mut Page<'_>, results: &R) -> Result<Flow, Failure>;

    /// Is called if the next results may take a while, because the input has no more bytes at the
    /// moment.
    fn pause(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}

/// The results of a [`Work`], whatever their type is.
pub type AnyResults = dyn Any + Send;

/// A [`Work`] whose results may have any type.
pub trait AnyWork: Sync {
    /// Makes room for the results of a piece.
    fn results(&self) -> Box<AnyResults>;

    /// Makes a worker with the tools of one thread.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// A [`Work`] with the tools of one thread.
pub trait Worker {
    /// See [`Work::clear`].
    fn clear(&self, results: &mut AnyResults);

    /// See [`Work::work`].
    fn work(&mut self, keys: &mut Keys<'_>, results: &mut AnyResults) -> Result<(), Refused>;
}

impl<W: Work> AnyWork for W {
    fn results(&self) -> Box<AnyResults> {
        Box::new(W::Results::default())
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Equipped { work: self, tools: self.tools() })
    }
}

struct Equipped<'a, W: Work> {
    work: &'a W,
    tools: W::Tools,
}

impl<W: Work> Worker for Equipped<'_, W> {
    fn clear(&self, results: &mut AnyResults) {
        if let Some(results) = results.downcast_mut() {
            W::clear(results);
        }
    }

    fn work(&mut self, keys: &mut Keys<'_>, results: &mut AnyResults) -> Result<(), Refused> {
        // `AnyWork::results` of the same work has made `results`.
        let results = results.downcast_mut().unwrap_or_else(|| unreachable!());
        self.work.work(&mut self.tools, keys, results)
    }
}

/// A sink of results of one type, as a sink of any results.
pub struct SinkOf<'a, R>(pub &'a mut dyn Sink<R>);

impl<R: 'static> Sink<AnyResults> for SinkOf<'_, R> {
    fn header(&mut self, page: &mut Page<'_>) -> Result<(), Failure> {
        self.0.header(page)
    }

    fn take(&mut self, page: &mut Page<'_>, results: &AnyResults) -> Result<Flow, Failure> {
        self.0.take(page, results.downcast_ref().unwrap_or_else(|| unreachable!()))
    }

    fn pause(&mut self) -> Result<(), Failure> {
        self.0.pause()
    }
}

/// Processes all records of all inputs.
///
/// # Errors
/// A record is refused, after the sink has taken the results before it; the sink fails; an input
/// cannot be read.
pub fn run<W: Work>(inputs: &mut Inputs, work: &W, sink: &mut dyn Sink<W::Results>) -> Result<(), Failure> {
    run_any(inputs, work, &mut SinkOf(sink))
}

fn run_any(inputs: &mut Inputs, work: &dyn AnyWork, sink: &mut dyn Sink<AnyResults>) -> Result<(), Failure> {
    let (mut worker, mut results, mut piece) = (work.worker(), work.results(), Piece::default());
    'inputs: while let Some(mut input) = inputs.next_input()? {
        let mut bytes = 0;
        while input.read(&mut piece)? {
            while piece.next_page_alone(input.limit()) {
                let batch = piece.page();
                if input.take_header(&piece)? {
                    sink.header(&mut input.page(&piece))?;
                } else {
                    worker.clear(&mut *results);
                    let form = input.form;
                    let mut page = input.page(&piece);
                    inputs.note_first(form, &mut page);
                    let worked = worker.work(&mut page.keys, &mut *results);
                    let flow = sink.take(&mut page, &*results)?;
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
