//! Processes the records of one long input with several threads.
//!
//! One thread reads pieces of whole records. Several workers work on one piece each. The caller's
//! own thread takes the results in the order of the input. The number of pieces is fixed, so memory
//! is bounded: a thread that is too far ahead of the others finds no piece, and waits. While a
//! piece has a record that is longer than a buffer, no other piece is read.
//!
//! The reading thread may wait for a pipe for ever. So [`run`] does not wait for it: when the rest
//! of the input is not needed, that thread ends at its next read, or with the process. The workers
//! end before [`run`] returns.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::error::Failure;
use crate::input::bad::{BadRecords, BadTotal};
use crate::input::extractor::Extractor;
use crate::input::field::Empty;
use crate::input::pages::{Keys, OpenInput, PAGE, Page};
use crate::input::pieces::{Piece, Pieces, ReadError};
use crate::input::pipeline::{AnyResults, AnyWork, Flow, Refused, Sink};

/// The number of jobs for each worker: one that it processes, and one that waits. With more jobs, a
/// piece would leave the processor's cache before a worker takes it.
const JOBS_PER_WORKER: usize = 2;

/// A piece of the input and the results of its records. Jobs are used again and again.
struct Job {
    /// The number of the piece in the input, from 0.
    number: u64,
    piece: Piece,
    results: Box<AnyResults>,
    refused: Option<Refused>,
    bad: BadRecords,
}

/// What the other threads send to the caller's thread.
enum Message {
    /// A worker has finished a job.
    Done(Box<Job>),
    /// The reading has ended, after this many pieces.
    End(u64, Result<(), ReadError>),
    /// A thread has panicked.
    Panicked,
}

/// Processes the rest of an input with this many workers. The rest does not include the header row.
pub fn run(
    mut input: OpenInput,
    workers: NonZeroUsize,
    work: &dyn AnyWork,
    sink: &mut dyn Sink<AnyResults>,
    total: &mut BadTotal,
) -> Result<Flow, Failure> {
    let count = JOBS_PER_WORKER * workers.get() + 1;
    let (free, free_jobs) = mpsc::channel();
    for _ in 0..count {
        let (piece, results, bad) = (Piece::default(), work.results(), input.no_bad_records());
        // The receiver is still there.
        let _ = free.send(Box::new(Job { number: 0, piece, results, refused: None, bad }));
    }
    let (todo, todo_jobs) = mpsc::channel();
    let (to_caller, messages) = mpsc::channel();
    let todo_jobs = Mutex::new(todo_jobs);
    let reader =
        Reader { pieces: input.pieces, count, free_jobs, todo: todo.clone(), to_caller: to_caller.clone() };
    started(thread::Builder::new().name("tepal read".to_owned()).spawn(move || reader.read_all()))?;
    thread::scope(|scope| {
        let _stop = StopWorkers { todo: &todo, workers: workers.get() };
        for _ in 0..workers.get() {
            let (todo_jobs, to_caller) = (&todo_jobs, &to_caller);
            let mut extractor = input.extractor.another();
            let empty = input.empty;
            let worker = move || work_on_jobs(work, todo_jobs, to_caller, &mut extractor, empty);
            started(thread::Builder::new().name("tepal work".to_owned()).spawn_scoped(scope, worker))?;
        }
        let mut collector = Collector {
            total,
            name: &input.name,
            input: input.number,
            line: input.line,
            extractor: &mut input.extractor,
            empty: input.empty,
        };
        collector.collect_all(&messages, &free, sink)
    })
}

/// The failure if the system starts no more threads.
fn started<T>(thread: io::Result<T>) -> Result<(), Failure> {
    match thread {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::new(format!("cannot start a thread ({error}); give fewer with -j"))),
    }
}

/// Stops the workers when it is dropped: at the end, after an error and after a panic.
struct StopWorkers<'a> {
    todo: &'a Sender<Option<Box<Job>>>,
    workers: usize,
}

impl Drop for StopWorkers<'_> {
    fn drop(&mut self) {
        for _ in 0..self.workers {
            // The receiver lives longer than the workers.
            let _ = self.todo.send(None);
        }
    }
}

/// Tells the caller's thread if this thread panics, because it would wait for ever otherwise.
struct PanicNotice<'a>(&'a Sender<Message>);

impl Drop for PanicNotice<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(Message::Panicked);
        }
    }
}

/// The state of the reading thread.
struct Reader {
    pieces: Pieces,
    /// The number of jobs.
    count: usize,
    free_jobs: Receiver<Box<Job>>,
    todo: Sender<Option<Box<Job>>>,
    to_caller: Sender<Message>,
}

impl Reader {
    /// Reads the whole input. It stops early when the other threads have ended.
    fn read_all(mut self) {
        let _notice = PanicNotice(&self.to_caller);
        let mut number = 0;
        let mut free = Vec::with_capacity(self.count);
        loop {
            // The job that became free last is used first: its buffer is still in the processor's
            // cache.
            free.extend(self.free_jobs.try_iter());
            let Some(mut job) = free.pop().or_else(|| self.free_jobs.recv().ok()) else {
                return;
            };
            job.number = number;
            match self.pieces.read(&mut job.piece) {
                Ok(true) => {}
                ended => {
                    let _ = self.to_caller.send(Message::End(number, ended.map(|_| ())));
                    return;
                }
            }
            number += 1;
            let is_long = job.piece.is_long();
            if self.todo.send(Some(job)).is_err() {
                return;
            }
            // Only one buffer may be as long as the longest record, so this job must come back
            // first.
            while is_long && free.len() < self.count {
                match self.free_jobs.recv() {
                    Ok(job) => free.push(job),
                    Err(_) => return,
                }
            }
        }
    }
}

/// Processes one job after the other until [`StopWorkers`] stops it.
fn work_on_jobs(
    work: &dyn AnyWork,
    todo_jobs: &Mutex<Receiver<Option<Box<Job>>>>,
    to_caller: &Sender<Message>,
    extractor: &mut Extractor,
    empty: Empty,
) {
    let _notice = PanicNotice(to_caller);
    let mut worker = work.worker();
    loop {
        let next = lock(todo_jobs).recv();
        let Ok(Some(mut job)) = next else {
            return;
        };
        worker.clear(&mut *job.results);
        job.refused = None;
        job.bad.clear();
        let mut before = 0;
        while job.refused.is_none() && job.piece.next_page(PAGE) {
            let batch = job.piece.page();
            let ((broken, first), bad) = (job.piece.broken(), &mut job.bad);
            let mut keys = Keys { batch, extractor, broken, first, empty, bad };
            let worked = worker.work(&mut keys, &mut *job.results);
            job.refused = worked.err().map(|refused| Refused { record: before + refused.record, ..refused });
            before += batch.len();
            job.bad.next_page(batch.len());
        }
        if to_caller.send(Message::Done(job)).is_err() {
            return;
        }
    }
}

/// Passes the results to the sink in the order of the input, and counts lines.
struct Collector<'a> {
    /// The name of the input.
    name: &'a str,
    /// The number of the input, from 1.
    input: usize,
    /// The line of the first record that the sink has not taken.
    line: u64,
    extractor: &'a mut Extractor,
    empty: Empty,
    total: &'a mut BadTotal,
}

impl Collector<'_> {
    /// Collects the results of all pieces, or of those before the sink stops.
    fn collect_all(
        &mut self,
        messages: &Receiver<Message>,
        free: &Sender<Box<Job>>,
        sink: &mut dyn Sink<AnyResults>,
    ) -> Result<Flow, Failure> {
        // Jobs that are done before an earlier one.
        let mut early = BTreeMap::new();
        let mut end = None;
        for next in 0.. {
            let mut job = loop {
                if let Some(job) = early.remove(&next) {
                    break job;
                }
                if let Some((_, result)) = end.take_if(|(pieces, _)| *pieces == next) {
                    return match result {
                        Ok(()) => Ok(Flow::Continue),
                        Err(error) => Err(ReadError::failure(error, self.name, self.line)),
                    };
                }
                match messages.recv() {
                    Ok(Message::Done(job)) => drop(early.insert(job.number, job)),
                    Ok(Message::End(pieces, result)) => end = Some((pieces, result)),
                    // The message of the panic is on standard error.
                    Ok(Message::Panicked) | Err(_) => panic!("a thread of this program has panicked"),
                }
            };
            let flow = self.collect(&mut job, sink)?;
            if flow != Flow::Continue {
                return Ok(flow);
            }
            // The reading thread may have ended.
            let _ = free.send(job);
        }
        Ok(Flow::Continue)
    }

    /// Passes the results of one job to the sink.
    fn collect(&mut self, job: &mut Job, sink: &mut dyn Sink<AnyResults>) -> Result<Flow, Failure> {
        let batch = job.piece.whole();
        let (broken, bad) = (job.piece.all_broken(), &mut job.bad);
        let keys = Keys { batch, extractor: self.extractor, broken, first: 0, empty: self.empty, bad };
        let mut page = Page::new(self.name, self.input, self.line, keys);
        let flow = sink.take(&mut page, &*job.results)?;
        self.total.add(&page);
        if let (Flow::Continue, Some(Refused { record, text })) = (flow, job.refused.take()) {
            return Err(page.failure(record, text));
        }
        self.line += batch.lines(0, batch.len());
        if job.piece.drained && flow == Flow::Continue {
            sink.pause()?;
        }
        job.piece.shrink();
        Ok(flow)
    }
}

/// Locks a mutex, even if a thread that held the lock has panicked.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
