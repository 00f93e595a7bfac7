//! Shows how much of the inputs has been read: on a terminal only, and only after a second.

use std::io::{self, IsTerminal, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::input::source::Source;

/// Nothing is shown during this time.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts the bytes that are read from all inputs of a command, and shows them on standard error.
///
/// It counts bytes of files, before they are unpacked: their sum is known from the start, the
/// number of keys is not.
#[derive(Clone)]
pub struct Progress(Option<Arc<State>>);

struct State {
    start: Instant,
    shown: AtomicBool,
    over: AtomicBool,
    bar: ProgressBar,
}

impl Progress {
    /// Shows how much of `sources` has been read, if standard error is a terminal and `quiet` is
    /// not set.
    pub fn of(sources: &[Source], quiet: bool) -> Self {
        if quiet || !io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = new_bar(sources.iter().map(Source::file_len).sum());
        let (shown, over) = (AtomicBool::new(false), AtomicBool::new(false));
        Self(Some(Arc::new(State { start: Instant::now(), shown, over, bar })))
    }

    /// Counts the bytes of a reader.
    pub fn count<R: Read>(&self, reader: R) -> Counted<R> {
        Counted { reader, progress: self.clone() }
    }

    /// Removes the progress bar for good, so that something else can be written.
    pub fn clear(&self) {
        if let Some(state) = &self.0 {
            state.over.store(true, Ordering::Relaxed);
            state.bar.finish_and_clear();
        }
    }

    /// Counts bytes that were read.
    pub fn add(&self, bytes: usize) {
        let Some(state) = &self.0 else {
            return;
        };
        if state.over.load(Ordering::Relaxed) {
            return;
        }
        state.bar.inc(bytes as u64);
        if !state.shown.load(Ordering::Relaxed) && state.start.elapsed() >= PATIENCE {
            state.shown.store(true, Ordering::Relaxed);
            state.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A progress bar that draws nothing yet. It counts from the start, so that its speed is right
/// later.
fn new_bar(total: Option<u64>) -> ProgressBar {
    let template = match total {
        Some(_) => "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        None => "{spinner} {bytes}, {bytes_per_sec}",
    };
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A reader whose bytes are counted for a [`Progress`].
pub struct Counted<R> {
    reader: R,
    progress: Progress,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.progress.add(n);
        Ok(n)
    }
}
