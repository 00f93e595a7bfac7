//! The filters of a long-running command: other programs may replace their files (`--reload`), and
//! keys may expire.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use tepal::Opened;

use crate::args::KeyArgs;
use crate::asking::{Answers, Groups, How, named_segments};
use crate::clock;
use crate::error::Failure;
use crate::input::pages::Keys;
use crate::input::parallel::lock;
use crate::input::pipeline::{Refused, Work};
use crate::output::complain;
use crate::rows::KeysFrom;
use crate::text::message::shown;

/// The time between two checks of the files while keys arrive without a pause. Before the first
/// keys after a pause the files are always checked.
const OFTEN: Duration = Duration::from_millis(100);

/// Seconds after which a filter is given the time again, if this failed.
const AGAIN: u64 = 60;

/// The filters at one moment.
pub type Set = Arc<Vec<Arc<Opened>>>;

/// Opens a file as the flags say.
type Opener<'a> = dyn Fn(&Path) -> Result<Opened, Failure> + Sync + 'a;

/// The filters, with their files and the function that opens these again.
pub struct Filters<'a> {
    paths: Vec<PathBuf>,
    open: Box<Opener<'a>>,
    /// Where the keys of records are, if this was taken from the filters: a successor must record
    /// the same.
    keys: Option<KeysFrom>,
    /// The names of segments, or of values, were printed: a successor must have the same names.
    names_told: bool,
    now: RwLock<Now>,
    /// The number of times that a filter was exchanged.
    exchanged: AtomicU64,
    /// `None` if the files are never checked again.
    watch: Option<Mutex<Watch>>,
    /// When the next filter must be given the time, in seconds since 1970.
    turn: AtomicU64,
    /// Held by the thread that gives filters the time.
    telling: Mutex<()>,
}

/// The present filters, and when each may be given the time.
#[derive(Clone)]
struct Now {
    set: Set,
    /// For each filter the time before which it is not given the time again, because the last try
    /// failed; else 0.
    not_before: Vec<u64>,
}

impl Now {
    fn of(set: Vec<Arc<Opened>>) -> Self {
        Self { not_before: vec![0; set.len()], set: Arc::new(set) }
    }

    /// When a filter must be given the time, in seconds since 1970. `None` for a filter without a
    /// clock.
    fn turn_of(&self, number: usize) -> Option<u64> {
        let turn = clock::next_turn(self.set[number].filter())?;
        Some(turn.max(self.not_before[number]))
    }

    /// When the first of the filters must be given the time.
    fn turn(&self) -> u64 {
        (0..self.set.len()).filter_map(|number| self.turn_of(number)).min().unwrap_or(u64::MAX)
    }
}

/// The last check of the files.
struct Watch {
    /// The time of the last check; `None` if the files must be checked now.
    looked: Option<Instant>,
    files: Vec<Watched>,
}

#[derive(Default)]
struct Watched {
    /// The file at the last check.
    seen: Option<Seen>,
    /// The warning that its successor cannot be opened was printed.
    warned: bool,
}

/// The file that has a name, and its state.
#[derive(PartialEq)]
struct Seen {
    #[cfg(unix)]
    file: (u64, u64),
    len: u64,
    written: Option<SystemTime>,
}

impl Seen {
    fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        let found = fs::metadata(path).ok()?;
        Some(Self {
            #[cfg(unix)]
            file: (found.dev(), found.ino()),
            len: found.len(),
            written: found.modified().ok(),
        })
    }
}

impl<'a> Filters<'a> {
    /// Opens all filters with `open`. With `reload` a filter is opened again after its file was
    /// replaced.
    pub fn open<'p>(
        paths: impl IntoIterator<Item = &'p Path>,
        reload: bool,
        args: &KeyArgs,
        open: impl Fn(&Path) -> Result<Opened, Failure> + Sync + 'a,
    ) -> Result<Self, Failure> {
        let paths: Vec<PathBuf> = paths.into_iter().map(Path::to_owned).collect();
        // Taken before the files are opened: a file that is replaced in between is opened twice,
        // and never missed.
        let watched = |path: &PathBuf| Watched { seen: Seen::of(path), warned: false };
        let files = paths.iter().map(watched).collect();
        let opened: Vec<_> = paths.iter().map(|path| open(path).map(Arc::new)).collect::<Result<_, _>>()?;
        let keys = KeysFrom::of(args, opened.iter().map(|filter| &**filter));
        let now = Now::of(opened);
        Ok(Self {
            paths,
            open: Box::new(open),
            keys,
            names_told: false,
            turn: AtomicU64::new(now.turn()),
            now: RwLock::new(now),
            exchanged: AtomicU64::new(0),
            watch: reload.then(|| Mutex::new(Watch { looked: Some(Instant::now()), files })),
            telling: Mutex::new(()),
        })
    }

    /// The names of their segments, or of their values, are printed before the first lookup.
    pub fn with_names_told(self) -> Self {
        Self { names_told: true, ..self }
    }

    /// As they are now.
    pub fn now(&self) -> Set {
        self.now.read().unwrap_or_else(PoisonError::into_inner).set.clone()
    }

    /// The next keys arrive after a pause: the files are checked before these keys are looked up.
    pub fn waits(&self) {
        if let Some(watch) = &self.watch {
            lock(watch).looked = None;
        }
    }

    /// If a check of the files is due, opens each filter again whose file was replaced. If the new
    /// file cannot be opened, the old filter stays.
    fn look(&self) {
        let Some(watch) = &self.watch else { return };
        let mut watch = lock(watch);
        if watch.looked.is_some_and(|looked| looked.elapsed() < OFTEN) {
            return;
        }
        for (number, (path, file)) in self.paths.iter().zip(&mut watch.files).enumerate() {
            let found = Seen::of(path);
            if found == file.seen {
                continue;
            }
            file.seen = found;
            let opened = (self.open)(path);
            match opened.and_then(|opened| self.check_keys(number, &opened).map(|()| opened)) {
                Ok(opened) => {
                    file.warned = false;
                    self.exchange(number, opened, None);
                }
                Err(_) if file.warned => {}
                Err(failure) => {
                    file.warned = true;
                    let why = match failure {
                        Failure::Message(text) => text,
                        Failure::ClosedPipe => shown(path),
                    };
                    complain(&format!("{why}. The one opened before goes on answering"));
                }
            }
        }
        watch.looked = Some(Instant::now());
    }

    /// Replaces a filter by another one. If that was made from `old`, it replaces only `old`.
    fn exchange(&self, number: usize, opened: Opened, old: Option<&Arc<Opened>>) {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        if old.is_some_and(|old| !Arc::ptr_eq(old, &now.set[number])) {
            return;
        }
        let mut set = Vec::clone(&now.set);
        set[number] = Arc::new(opened);
        now.set = Arc::new(set);
        now.not_before[number] = 0;
        self.turn.store(now.turn(), Ordering::Relaxed);
        self.exchanged.fetch_add(1, Ordering::Release);
    }

    /// Does not give `filter` the time before `time`, if it is still one of the filters.
    fn put_off(&self, number: usize, filter: &Arc<Opened>, time: u64) {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(filter, &now.set[number]) {
            now.not_before[number] = time;
            self.turn.store(now.turn(), Ordering::Relaxed);
        }
    }

    /// Gives the time to each filter with keys that expire by now. The filter with the later time
    /// replaces it. If this fails, the filter stays as it is, and is given the time again later.
    fn tell_time(&self) {
        let is_due = || self.turn.load(Ordering::Relaxed) <= clock::now();
        if !is_due() {
            return;
        }
        let _telling = lock(&self.telling);
        if !is_due() {
            return;
        }
        let time = clock::now();
        let now = self.now.read().unwrap_or_else(PoisonError::into_inner).clone();
        for (number, filter) in now.set.iter().enumerate() {
            if now.turn_of(number).is_none_or(|turn| turn > time) {
                continue;
            }
            let name = shown(&self.paths[number]);
            let mut told = Opened::clone(filter);
            match clock::tell(&name, &mut told, false) {
                Ok(()) => self.exchange(number, told, Some(filter)),
                Err(failure) => {
                    if let Failure::Message(why) = failure {
                        complain(&format!("{why}. It goes on answering as of before"));
                    }
                    self.put_off(number, filter, time.saturating_add(AGAIN));
                }
            }
        }
    }

    /// Refuses a successor with other keys, which would answer no to every key, and one with other
    /// segments if their names were printed.
    fn check_keys(&self, number: usize, opened: &Opened) -> Result<(), Failure> {
        let path = &self.paths[number];
        if self.names_told
            && self.paths.len() == 1
            && named_segments(&self.now()[number]) != named_segments(opened)
        {
            return Err(Failure::at(
                &shown(path),
                "its successor has segments, or values, of other names than were told; start again to have these",
            ));
        }
        self.keys.as_ref().map_or(Ok(()), |keys| keys.check(path, opened))
    }
}

/// The filters that one thread uses.
pub struct Known {
    exchanged: u64,
    /// The filters.
    pub set: Set,
}

impl Filters<'_> {
    /// The present filters, for one thread.
    pub fn known(&self) -> Known {
        let exchanged = self.exchanged.load(Ordering::Acquire);
        Known { exchanged, set: self.now() }
    }

    /// Checks the files and the clock, if this is due. Returns the present filters if one differs
    /// from those of the thread.
    pub fn renewed(&self, known: &Known) -> Option<Known> {
        self.look();
        self.tell_time();
        (self.exchanged.load(Ordering::Acquire) != known.exchanged).then(|| self.known())
    }
}

/// Looks up keys in filters that may be exchanged between two pages.
pub struct AskLive<'a> {
    /// The filters.
    pub filters: &'a Filters<'a>,
    /// The kind of lookup.
    pub how: How,
}

/// The tools of one thread.
pub struct LiveGroups {
    known: Known,
    groups: Groups,
}

impl LiveGroups {
    fn of(known: Known) -> Self {
        Self { groups: Groups::of(&known.set), known }
    }
}

impl Work for AskLive<'_> {
    type Tools = LiveGroups;
    type Results = Answers;

    fn tools(&self) -> LiveGroups {
        LiveGroups::of(self.filters.known())
    }

    fn clear(results: &mut Answers) {
        results.clear();
    }

    fn work(
        &self,
        tools: &mut LiveGroups,
        keys: &mut Keys<'_>,
        answers: &mut Answers,
    ) -> Result<(), Refused> {
        if let Some(known) = self.filters.renewed(&tools.known) {
            *tools = LiveGroups::of(known);
        }
        answers.ask(&tools.known.set);
        tools.groups.ask(&tools.known.set, self.how, keys, answers)
    }
}

#[cfg(test)]
mod tests;
