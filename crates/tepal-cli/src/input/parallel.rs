//! The records of one long input on several threads.
//!
//! One thread reads pieces of whole records, several work on them, and the caller's own thread takes the results in
//! the order of the input. A fixed number of pieces goes round, so memory is bounded, and whoever is ahead waits. A
//! piece with a record longer than a buffer goes round alone.
//!
//! The reading thread may wait for a pipe for ever. When enough is known it is left behind, and ends with the process
//! or with its next read; the others end before [`run`] returns.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::error::Failure;
use crate::input::field::Extractor;
use crate::input::pages::{Keys, OpenInput, PAGE, Page};
use crate::input::pieces::{Piece, Pieces, Trouble};
use crate::input::pipeline::{Flow, Refused, Sink, Work};

/// Pieces for each thread: one to work on, one that waits for it or for its turn. More would fall out of the
/// processor's cache before their turn comes.
const EACH: usize = 2;

/// A piece on its way round, and what came of it so far.
#[derive(Default)]
struct Task<R> {
    /// Which piece of the input it is.
    number: u64,
    piece: Piece,
    results: R,
    refused: Option<Refused>,
}

/// What the caller's thread is told.
enum Told<R> {
    /// A piece was worked on.
    Done(Task<R>),
    /// There are so many pieces, and so the reading ended.
    End(u64, Result<(), Trouble>),
    /// A thread has panicked.
    Panicked,
}

/// Works on the rest of an input, whose header row is behind, on so many threads.
pub fn run<W: Work>(
    mut open: OpenInput,
    threads: NonZeroUsize,
    work: &W,
    sink: &mut dyn Sink<W::Results>,
) -> Result<Flow, Failure> {
    let pool = EACH * threads.get() + 1;
    let (free, empty) = mpsc::channel();
    for _ in 0..pool {
        // The receiver is at hand.
        let _ = free.send(Task::<W::Results>::default());
    }
    let (todo, waiting) = mpsc::channel();
    let (tell, told) = mpsc::channel();
    let waiting = Mutex::new(waiting);
    let reader = Reader { pieces: open.pieces, pool, empty, todo: todo.clone(), tell: tell.clone() };
    let (name, number, extractor) = (open.name, open.number, &mut open.extractor);
    started(thread::Builder::new().name("tepal read".to_owned()).spawn(move || reader.run()))?;
    thread::scope(|scope| {
        let _home = SendHome { todo: &todo, threads: threads.get() };
        for _ in 0..threads.get() {
            let (waiting, tell, mut extractor) = (&waiting, &tell, extractor.another());
            let worker = move || work_all(work, waiting, tell, &mut extractor);
            started(thread::Builder::new().name("tepal work".to_owned()).spawn_scoped(scope, worker))?;
        }
        let mut taker = Taker { name: &name, input: number, line: open.line, extractor };
        taker.take_all::<W>(&told, &free, sink)
    })
}

/// The failure where the system starts no more threads.
pub fn started<T>(thread: io::Result<T>) -> Result<(), Failure> {
    match thread {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::new(format!("cannot start a thread ({error}); give fewer with -j"))),
    }
}

/// Sends the workers home, however the taking ends.
struct SendHome<'a, R> {
    todo: &'a Sender<Option<Task<R>>>,
    threads: usize,
}

impl<R> Drop for SendHome<'_, R> {
    fn drop(&mut self) {
        for _ in 0..self.threads {
            // The receiver lives longer than the workers.
            let _ = self.todo.send(None);
        }
    }
}

/// Tells the caller's thread, which would wait for ever, that this one has panicked.
struct Alarm<'a, R>(&'a Sender<Told<R>>);

impl<R> Drop for Alarm<'_, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(Told::Panicked);
        }
    }
}

/// What the reading thread has.
struct Reader<R> {
    pieces: Pieces,
    /// How many tasks there are.
    pool: usize,
    empty: Receiver<Task<R>>,
    todo: Sender<Option<Task<R>>>,
    tell: Sender<Told<R>>,
}

impl<R> Reader<R> {
    /// Reads the whole input; ends early where nobody takes the pieces any more.
    fn run(mut self) {
        let _alarm = Alarm(&self.tell);
        let mut number = 0;
        let mut spare = Vec::with_capacity(self.pool);
        loop {
            // The last one that was freed is still near the processor.
            spare.extend(self.empty.try_iter());
            let Some(mut task) = spare.pop().or_else(|| self.empty.recv().ok()) else {
                return;
            };
            task.number = number;
            match self.pieces.read(&mut task.piece) {
                Ok(true) => {}
                ended => {
                    let _ = self.tell.send(Told::End(number, ended.map(|_| ())));
                    return;
                }
            }
            number += 1;
            let alone = task.piece.is_long();
            if self.todo.send(Some(task)).is_err() {
                return;
            }
            // Only one buffer may be as long as the longest record.
            while alone && spare.len() < self.pool {
                match self.empty.recv() {
                    Ok(task) => spare.push(task),
                    Err(_) => return,
                }
            }
        }
    }
}

/// Works on pieces until it is sent home.
fn work_all<W: Work>(
    work: &W,
    waiting: &Mutex<Receiver<Option<Task<W::Results>>>>,
    tell: &Sender<Told<W::Results>>,
    extractor: &mut Extractor,
) {
    let _alarm = Alarm(tell);
    let mut tools = work.tools();
    loop {
        let next = lock(waiting).recv();
        let Ok(Some(mut task)) = next else {
            return;
        };
        W::clear(&mut task.results);
        task.refused = None;
        let mut before = 0;
        while task.refused.is_none() && task.piece.next_page(PAGE) {
            let batch = task.piece.page();
            let mut keys = Keys { batch, first: false, extractor };
            let worked = work.work(&mut tools, &mut keys, &mut task.results);
            let place = |refused: Refused| Refused { record: before + refused.record, ..refused };
            task.refused = worked.err().map(place);
            before += batch.len();
        }
        if tell.send(Told::Done(task)).is_err() {
            return;
        }
    }
}

/// Takes the results in order, and knows the lines.
struct Taker<'a> {
    name: &'a str,
    input: usize,
    /// The line of the first record not taken.
    line: u64,
    extractor: &'a mut Extractor,
}

impl Taker<'_> {
    fn take_all<W: Work>(
        &mut self,
        told: &Receiver<Told<W::Results>>,
        free: &Sender<Task<W::Results>>,
        sink: &mut dyn Sink<W::Results>,
    ) -> Result<Flow, Failure> {
        let mut early = BTreeMap::new();
        let mut end = None;
        for next in 0.. {
            let task = loop {
                if let Some(task) = early.remove(&next) {
                    break task;
                }
                if let Some((_, ended)) = end.take_if(|(pieces, _)| *pieces == next) {
                    return match ended {
                        Ok(()) => Ok(Flow::Continue),
                        Err(trouble) => Err(Trouble::failure(trouble, self.name, self.line)),
                    };
                }
                match told.recv() {
                    Ok(Told::Done(task)) => drop(early.insert(task.number, task)),
                    Ok(Told::End(pieces, ended)) => end = Some((pieces, ended)),
                    // Its message is on standard error.
                    Ok(Told::Panicked) | Err(_) => panic!("a thread of this program has panicked"),
                }
            };
            let (flow, task) = self.take::<W>(task, sink)?;
            if flow != Flow::Continue {
                return Ok(flow);
            }
            // The reading thread may have ended.
            let _ = free.send(task);
        }
        Ok(Flow::Continue)
    }

    fn take<W: Work>(
        &mut self,
        mut task: Task<W::Results>,
        sink: &mut dyn Sink<W::Results>,
    ) -> Result<(Flow, Task<W::Results>), Failure> {
        let batch = task.piece.whole();
        let keys = Keys { batch, first: false, extractor: self.extractor };
        let mut page = Page { name: self.name, input: self.input, first_line: self.line, keys };
        let flow = sink.take(&mut page, &task.results)?;
        if let (Flow::Continue, Some(Refused { record, text })) = (flow, task.refused.take()) {
            return Err(page.failure(record, text));
        }
        self.line += batch.lines(0, batch.len());
        if task.piece.drained && flow == Flow::Continue {
            sink.pause()?;
        }
        task.piece.shrink();
        Ok((flow, task))
    }
}

/// What is behind a lock, whatever became of the thread that had it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
