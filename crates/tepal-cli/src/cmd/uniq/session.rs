//! A run of `tepal uniq`, whose state is saved while lines come: every so often, and when a signal
//! ends the input.
//!
//! Lines are judged and printed by one thread, which may wait for the next line for ever. Another
//! thread, the keeper, saves. Either of them works while it holds the lock of the session, so what
//! is saved is what was printed.

use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::print::Printer;
use super::seen::Hashed;
use super::state::State;
use crate::error::{ERROR, Failure};
use crate::input::pages::Page;
use crate::input::parallel::lock;
use crate::input::pipeline::{Flow, Sink};
use crate::output::complain;
use crate::output::interrupt::{self, Told};
use crate::text::number;

/// Saving takes at most this part of the time: a large state is saved less often.
const PART: u32 = 10;

/// What prints lines, and the state that remembers them.
pub struct Session<'a> {
    pub printer: Printer<'a>,
    /// Nothing if no file is written.
    state: Option<State>,
    /// The lines that had passed, and the keys that were remembered, at the last save.
    saved: Progress,
    /// Nobody knows which lines were printed, so that nothing more is saved.
    is_broken: bool,
}

/// How far a run is.
#[derive(Clone, Copy, Default)]
pub struct Progress {
    /// Lines that passed.
    pub passed: u64,
    /// Keys that were new, and are remembered.
    pub new: u64,
    /// Keys that changed what is remembered.
    pub noted: u64,
}

impl<'a> Session<'a> {
    pub fn new(printer: Printer<'a>, state: Option<State>) -> Self {
        let state = state.filter(State::is_written);
        Self { printer, state, saved: Progress::default(), is_broken: false }
    }

    /// Writes what is collected, and saves the state if it is another than the last one saved.
    pub fn save(&mut self) -> Result<(), Failure> {
        self.printer.flush().inspect_err(|_| self.is_broken = true)?;
        let now = self.printer.progress();
        let Some(state) = self.state.as_mut().filter(|_| now.noted > self.saved.noted) else { return Ok(()) };
        let (passed, new) = (now.passed - self.saved.passed, now.new - self.saved.new);
        self.printer.seen.lent(|filter| state.save(filter, passed, new))?;
        self.saved = now;
        Ok(())
    }

    /// The failure if the reader of the lines has ended. Without a state it is none.
    pub fn unread(&self) -> Failure {
        let Some(state) = &self.state else { return Failure::ClosedPipe };
        let lines = number::counted(self.printer.progress().passed - self.saved.passed, "line");
        Failure::at(
            &state.name(),
            format!(
                "the program that reads the lines has ended, and nobody knows which of the last {lines} it has read: \
                 they are not remembered, and the next run prints them again"
            ),
        )
    }

    /// A failure of what prints lines.
    fn told(&self, failure: Failure) -> Failure {
        match failure {
            Failure::ClosedPipe => self.unread(),
            other => other,
        }
    }
}

/// Runs `work`, and saves meanwhile: after each `every`, and if a signal ends the input. Gives the
/// session back, with what `work` returned, and the signal if one comes while it is finished.
pub fn keep<'a, T>(
    session: Session<'a>,
    every: Duration,
    work: impl FnOnce(&mut dyn Sink<Hashed>) -> T,
) -> Result<(Session<'a>, T, Signals), Failure> {
    if session.state.is_none() {
        let session = Mutex::new(session);
        let done = work(&mut &session);
        return Ok((into_inner(session), done, Signals(None)));
    }
    let session = Mutex::new(session);
    let (sender, receiver) = mpsc::channel();
    let (done, receiver) = thread::scope(|scope| -> Result<_, Failure> {
        let keeper = thread::Builder::new().name("tepal keep".to_owned());
        let keeper = keeper.spawn_scoped(scope, || keep_saving(&session, receiver, every));
        let keeper = keeper.map_err(|error| Failure::new(format!("cannot start a thread ({error})")))?;
        interrupt::tell(sender.clone());
        let end = End(&sender);
        let done = work(&mut &session);
        drop(end);
        match keeper.join() {
            Ok(receiver) => Ok((done, receiver)),
            // Its message is on standard error.
            Err(panicked) => std::panic::resume_unwind(panicked),
        }
    })?;
    Ok((into_inner(session), done, Signals(Some(receiver))))
}

/// Tells the keeper that the work is done, also if it has panicked.
struct End<'a>(&'a Sender<Told>);

impl Drop for End<'_> {
    fn drop(&mut self) {
        let _ = self.0.send(Told::Done);
    }
}

/// The signals that come while the session is finished.
pub struct Signals(Option<Receiver<Told>>);

impl Signals {
    /// The exit code of one that came.
    pub fn code(&self) -> Option<u8> {
        match self.0.as_ref()?.try_recv() {
            Ok(Told::End(code)) => Some(code),
            _ => None,
        }
    }
}

fn into_inner(session: Mutex<Session<'_>>) -> Session<'_> {
    session.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Saves every so often, until the work is done. A signal ends the process.
fn keep_saving(session: &Mutex<Session<'_>>, told: Receiver<Told>, every: Duration) -> Receiver<Told> {
    let mut pause = every;
    loop {
        match told.recv_timeout(pause) {
            Ok(Told::Done) | Err(RecvTimeoutError::Disconnected) => return told,
            Ok(Told::End(code)) => end(session, code),
            Err(RecvTimeoutError::Timeout) => {
                let mut session = lock(session);
                if session.is_broken {
                    continue;
                }
                let begun = Instant::now();
                match session.save() {
                    Ok(()) => {}
                    Err(failure) if session.is_broken => exit(&session.told(failure)),
                    // The next try may have room.
                    Err(Failure::Message(text)) => complain(&text),
                    Err(Failure::ClosedPipe) => {}
                }
                pause = every.max(begun.elapsed() * (PART - 1));
            }
        }
    }
}

/// Ends the process after a signal: what was printed is remembered.
fn end(session: &Mutex<Session<'_>>, code: u8) -> ! {
    let mut session = lock(session);
    if session.is_broken {
        exit(&session.unread());
    }
    match session.save() {
        Ok(()) => std::process::exit(i32::from(code)),
        Err(failure) => exit(&session.told(failure)),
    }
}

fn exit(failure: &Failure) -> ! {
    if let Failure::Message(text) = failure {
        complain(text);
    }
    std::process::exit(i32::from(ERROR))
}

impl Sink<Hashed> for &Mutex<Session<'_>> {
    fn header(&mut self, page: &mut Page<'_>) -> Result<(), Failure> {
        let mut session = lock(self);
        session.printer.header(page).inspect_err(|_| session.is_broken = true)
    }

    fn take(&mut self, page: &mut Page<'_>, hashed: &Hashed) -> Result<Flow, Failure> {
        let mut session = lock(self);
        session.printer.take(page, hashed).inspect_err(|_| session.is_broken = true)
    }

    fn pause(&mut self) -> Result<(), Failure> {
        let mut session = lock(self);
        session.printer.pause().inspect_err(|_| session.is_broken = true)
    }
}
