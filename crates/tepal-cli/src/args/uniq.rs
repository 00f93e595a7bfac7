//! The flags of `tepal uniq`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use tepal::facts::Window;

use super::window::{parse_time, parse_window};
use super::{EmptyArgs, HeaderArgs, KeyArgs, RecipeArgs};
use crate::error::Failure;
use crate::text::message::shown;
use crate::text::number;

/// The end of the help.
pub const UNIQ_HELP: &str = "\
A line passes when its key is new. Lines come out at once, in their order and as they are. Without --exact a new line is \
taken for seen, and held back, at the rate of -p at most, however many lines come; a line that was seen never passes.

The state is saved every minute (--save-every) and at the end, after the lines were printed. Ctrl-C, SIGTERM and SIGHUP end the input: \
the lines that came are printed, the state is saved, and the exit code is 130, 143 or 129. A line that was written into a pipe counts as \
printed. After a full disk, kill -9 and a second Ctrl-C (more than a second after the first) the state is as it was saved last, and the next run prints the lines since then \
again; after a reader that ends early too, with a message and exit code 2. A state is a filter: info, verify, has, add and test take \
it. Blank rows, which have no key, pass.

A state grows with its keys, in a run or over years of runs: with the default rate and size to more than 10^10 keys. One that \
cannot grow any more still holds back what it has seen. New lines pass, but their keys are not remembered; a message says so, \
and the exit code is 2.

With --window 7d a key that was seen less than seven days ago is held back, by the clock of this machine, and one that was last seen \
seven days and a sixth of that ago passes; in between it may do either. A key that comes again stays for another window. The state is \
a filter that forgets: one that was made without --window never does, and is refused. -n is how many different keys a window has; \
past it new lines pass and are not remembered, until others are forgotten, and the exit code is 2.

A header row (of --header, or where -f names a field by its name) comes out first and once, also in a run in which no row passes; \
the exit code is then 1 all the same. An input that has none gives none. --no-header leaves it out.

";

/// `tepal uniq`.
#[derive(Args, Debug)]
pub struct UniqArgs {
    /// Files of lines; none or - is standard input
    #[arg(value_name = "LINES")]
    pub inputs: Vec<PathBuf>,
    /// Remember in this file what was seen, for the next run. It is made where it is not there; one
    /// run at a time uses it
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// The most new lines that may be held back by mistake, such as 1e-6 or "1 in 1000000"
    /// [default: 1e-6]
    #[arg(short = 'p', long = "fpr", value_name = "RATE", value_parser = number::parse_rate)]
    pub fpr: Option<f64>,
    /// Room for this many different keys: memory for them is taken at once. More may come, except
    /// with --window, where it is how many a window has [default: 65536, with --window 1048576]
    #[arg(short = 'n', long, value_name = "KEYS", value_parser = number::parse_count)]
    pub capacity: Option<u64>,
    /// Hold back no new line by mistake: keeps 128 bits of a hash for each different key, 20 to 60
    /// bytes with their table
    ///
    /// Of 10^9 keys, the chance that any two are mixed up is 1 in 10^21.
    #[arg(long)]
    pub exact: bool,
    /// A key is new again when it was not seen for this time: 90min, 12h, 7d, 4w, 6mo, 1y; or for
    /// this number of keys: 1Mkeys
    #[arg(long, value_name = "WINDOW", value_parser = parse_window)]
    pub window: Option<Window>,
    /// With --state: save what was seen after each such time while lines come, 30s or 10min
    /// [default: 1min]
    ///
    /// A save writes the whole state. One that takes long is made less often, so that saving takes
    /// at most a tenth of the time.
    #[arg(long, value_name = "TIME", value_parser = parse_time, requires = "state")]
    pub save_every: Option<u64>,
    /// Print the repeats instead: the lines whose key was seen before
    #[arg(short = 'D', long)]
    pub repeated: bool,
    /// Print only how many lines are new, and how many were seen. A state is asked and stays as it
    /// is
    #[arg(long)]
    pub count_new: bool,
    /// Print nothing, and end with exit code 0 at the first line that would pass. A state stays as
    /// it is
    #[arg(short, long)]
    pub quiet: bool,
    /// Stop after this many printed lines
    #[arg(short, long, value_name = "NUM", value_parser = number::parse_count_or_zero)]
    pub max_count: Option<u64>,
    #[command(flatten)]
    pub header: HeaderArgs,
    #[command(flatten)]
    pub keys: KeyArgs,
    #[command(flatten)]
    pub empty: EmptyArgs,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// Hash keys with the secret in this file (16 bytes, or 32 hex digits), so that nobody without
    /// it can choose lines that make others be held back. The state needs it again
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
    /// Seal the state with the key in this file, so that nobody can replace it unnoticed. It needs
    /// it again
    #[arg(long, value_name = "FILE", requires = "state")]
    pub seal: Option<PathBuf>,
    /// If another program is using the state, end with an error instead of waiting for it
    #[arg(long, requires = "state")]
    pub no_wait: bool,
    /// Print one JSON object for each line, also for those that are held back; with
    /// --count-new one for the totals
    #[arg(long, conflicts_with_all = ["quiet", "max_count", "repeated"])]
    pub json: bool,
}

impl UniqArgs {
    /// The name of what remembers keys, for messages.
    pub fn memory(&self) -> String {
        self.state.as_deref().map_or_else(|| "--window".to_owned(), shown)
    }

    /// The time between two saves of the state.
    pub fn save_every(&self) -> Duration {
        Duration::from_secs(self.save_every.unwrap_or(60))
    }

    /// Refuses what does not go with `--exact`.
    pub fn check(&self) -> Result<(), Failure> {
        let given = [
            ("--state", self.state.is_some(), "what it remembers goes into no file"),
            (
                "--secret",
                self.secret.is_some(),
                "it hashes with random secrets of its own, so that nobody can choose lines",
            ),
            ("-p", self.fpr.is_some(), "it holds back no line by mistake"),
            ("-n", self.capacity.is_some(), "it takes its memory as keys come"),
            ("--window", self.window.is_some(), "it forgets no key"),
        ];
        if let (Some(Window::Keys(_)), true) = (self.window, self.capacity.is_some()) {
            return Err(Failure::new(
                "-n is given with --window, which says how many keys it has; leave -n out",
            ));
        }
        match given.iter().find(|(_, given, _)| self.exact && *given) {
            Some((flag, _, why)) => Err(Failure::new(format!(
                "--exact and {flag} are given, and with --exact {why}; leave one of them out"
            ))),
            None => Ok(()),
        }
    }
}
