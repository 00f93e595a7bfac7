//! The definition of the command line for `clap`. Each value is checked by itself.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tepal::Scheme;

use crate::text::number;

mod build;
mod chain;
mod encoding;
mod except;
mod foreign;
mod keys;
mod live;
mod patch;
mod secret;
mod shape;
mod shrink;
mod uniq;
mod which;

use build::EXACT_HELP;
pub use build::{BuildArgs, ExactAs};
pub use chain::{ChainArgs, check_form};
pub use encoding::listed;
use except::EXCEPT_HELP;
pub use except::ExceptArgs;
pub use foreign::{ConvertArgs, FileArgs, MergeArgs, Preset, SchemeArgs};
use keys::KEYS_HELP;
pub use keys::{HeaderArgs, KeyArgs};
pub use live::LiveArgs;
use patch::PATCH_HELP;
pub use patch::{DiffArgs, PatchArgs};
pub use secret::SecretArgs;
pub use shape::ShapeArgs;
pub use shrink::ShrinkArgs;
use uniq::UNIQ_HELP;
pub use uniq::UniqArgs;
pub use which::WhichArgs;

/// What it costs to add to a large filter.
const ADD_COST: &str = "\
Cost: the filter is replaced as a whole or not at all, so however few the keys, it is read twice (checked, then written) and \
written once, and the disk needs room for both. Of a filter of 256 MiB or more only the pages that keys change are in memory of \
the program's own; the rest is the file's, which the system keeps in memory as far as there is room. One key into 2 GiB: 1.1 MB \
of its own memory, 7 to 10 s of CPU on a slow machine (/usr/bin/time -v tepal add big.tepal one.txt). Add many keys at once.";

/// Help begins with what the verb does and three examples.
const TEMPLATE: &str = "{about-with-newline}\nExamples:\n{before-help}\
                        {usage-heading} {usage}\n\n{all-args}{after-help}";

/// Have I seen this key? Bloom filters over lists of any size.
#[derive(Debug, Parser)]
#[command(
    name = "tepal",
    version,
    help_template = TEMPLATE,
    before_help = "  tepal build list.txt -o list.tepal          make a filter; it counts the keys itself
  tepal has list.tepal today.txt              print the lines that are (probably) on the list
  tepal has -v list.tepal today.txt           print the lines that are surely not on it",
    after_help = "A filter answers \"no\" with certainty and \"yes\" with a known rate of error. `tepal VERB --help` tells more.
Exit codes: 0 done (`has`, `which`, `uniq`: a line was selected), 1 these selected none, or `test` found a broken promise, \
                  2 error."
)]
pub struct Cli {
    /// Colour on terminals
    #[arg(long, global = true, display_order = 900, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub color: Color,
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Also into files and pipes
    Always,
    /// Not at all
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Make a filter from a list of keys
    #[command(
        alias = "create",
        help_template = TEMPLATE,
        before_help = "  tepal build list.txt -o list.tepal
  zcat old.gz | tepal build - new.txt -p 0.1% -o all.tepal
  tepal build mail.csv -f email --nocase --trim -o mail.tepal",
        after_help = format!("{KEYS_HELP}\n\n{EXACT_HELP}")
    )]
    Build(BuildArgs),
    /// Add keys to a filter
    #[command(
        alias = "insert",
        help_template = TEMPLATE,
        before_help = "  tepal add list.tepal more.txt
  tepal add list.tepal more.txt -o larger.tepal
  generate | tepal add list.tepal --past-promise",
        after_help = format!("{KEYS_HELP}\n\n{ADD_COST}")
    )]
    Add(AddArgs),
    /// Print the lines whose key is (probably) in a filter
    #[command(
        aliases = ["check", "query", "contains"],
        help_template = TEMPLATE,
        before_help = "  tepal has list.tepal today.txt > maybe.txt
  tepal has -v list.tepal today.txt > surely-not.txt
  tepal has -q -e 570108428378 list.tepal && echo \"perhaps on the list\"",
        after_help = format!("{KEYS_HELP}\n\nExit codes: 0 a line was selected, 1 none was, 2 error.")
    )]
    Has(HasArgs),
    /// Say which of several filters may hold each key
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal which north.tepal south.tepal -e 570108428378
  tepal which segments/*.tepal --stem -- today.txt > named.tsv
  crawl | tepal which 2024.tepal 2025.tepal -v > never-seen.txt",
        after_help = which::HELP
    )]
    Which(WhichArgs),
    /// Print each line once: those whose key was not seen before
    #[command(
        aliases = ["dedup", "dedupe", "unique"],
        help_template = TEMPLATE,
        before_help = "  tepal uniq urls.txt > once.txt
  crawl | tepal uniq --state seen.tepal | fetch
  tepal uniq -c orders.csv -f customer",
        after_help = format!("{UNIQ_HELP}{KEYS_HELP}\n\nExit codes: 0 a line passed (with -D: a repeat), 1 none did, 2 error.")
    )]
    Uniq(UniqArgs),
    /// Show what a filter is, how full it is, and its rate of error now
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal info list.tepal
  tepal info *.tepal
  tepal info --json list.tepal"
    )]
    Info(InfoArgs),
    /// Calculate keys, rate or size of a filter from the other two
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal plan -n 20M -p 1%
  tepal plan -n 20M -s 24MiB
  tepal plan -s 1GiB -p 1e-6 --layout double"
    )]
    Plan(PlanArgs),
    /// Unite filters: the new filter has the keys of all of them
    #[command(
        alias = "union",
        help_template = TEMPLATE,
        before_help = "  tepal merge monday.tepal tuesday.tepal -o both.tepal
  tepal merge --and a.tepal b.tepal -o common.tepal
  tepal merge --from guava part-*.bin -o whole.bin"
    )]
    Merge(MergeArgs),
    /// Let a filter say no for known strangers that it says yes for by mistake
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal has list.tepal customers.txt | tepal except list.tepal --members list.txt
  tepal except list.tepal innocent.txt --strangers
  tepal except list.tepal --list",
        after_help = EXCEPT_HELP
    )]
    Except(ExceptArgs),
    /// Write what makes one filter another of the same shape, in few bytes
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal diff monday.tepal tuesday.tepal -o tuesday.patch
  tepal build list.txt --like old.tepal -o new.tepal && tepal diff old.tepal new.tepal -o new.patch
  tepal diff old.tepal new.tepal -o - | ssh phone 'cat > new.patch'",
        after_help = PATCH_HELP
    )]
    Diff(DiffArgs),
    /// Make the new filter of an old one and a patch
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal patch list.tepal tuesday.patch
  tepal patch monday.tepal tuesday.patch -o tuesday.tepal
  tepal patch list.tepal tuesday.patch --no-wait || echo \"try again later\"",
        after_help = PATCH_HELP
    )]
    Patch(PatchArgs),
    /// Make a filter smaller without its keys: its rate of error rises
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal shrink list.tepal -p 1%
  tepal shrink list.tepal -p 1% -o small.tepal
  tepal shrink list.tepal -s 2MiB",
        after_help = shrink::HELP
    )]
    Shrink(ShrinkArgs),
    /// Write a filter in the format of another program that has the same hash
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal convert words.bin --from guava --to tepal -o words.tepal
  tepal convert words.tepal --to guava -o words.bin
  tepal convert ids.bin --from guava --keys longFunnel --to tepal -o ids.tepal"
    )]
    Convert(ConvertArgs),
    /// Check that no byte of a filter has changed since it was written
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal verify list.tepal
  tepal verify *.tepal || echo \"restore what is named above\"
  tepal verify --from guava old.bin",
        after_help = "Every verb checks the filters that it opens; this verb does nothing else. For a damaged tepal file it names \
                      the bytes of the first damaged chunk (64 KiB). Most other programs' formats have no checksum: their \
                      lengths and fields are checked, but not their bits.
Exit codes: 0 nothing wrong was found, 2 something wrong was found."
    )]
    Verify(VerifyArgs),
    /// Measure how many members a filter misses (must be 0), and its rate of error
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal test list.tepal --members list.txt
  tepal test list.tepal --members list.txt --absent others.txt
  tepal test list.tepal --json",
        after_help = "Exit codes: 0 the promise is kept, 1 it is broken or a member is missed, 2 error."
    )]
    Test(TestArgs),
    /// Build and ask a filter of 20 million made-up identity numbers
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal demo
  tepal demo -n 1M
  tepal demo -n 100M --dir /var/tmp/demo"
    )]
    Demo(DemoArgs),
    /// Print the completions of a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, of the program or of one verb
    Man {
        /// The verb
        verb: Option<String>,
    },
}

/// `tepal add`.
#[derive(Args, Debug)]
pub struct AddArgs {
    /// The filter
    #[arg(value_name = "FILTER")]
    pub filter: PathBuf,
    /// Lists of keys; none or - is standard input
    #[arg(value_name = "KEYS")]
    pub inputs: Vec<PathBuf>,
    /// Write the new filter to this file, and do not change the old one
    #[arg(short, long, value_name = "FILTER")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub keys: KeyArgs,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    /// With -o, replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Add keys even if the promised rate is exceeded
    #[arg(long)]
    pub past_promise: bool,
    /// If another program is changing the filter, end with an error instead of waiting for it
    #[arg(long)]
    pub no_wait: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Describe the filter as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// `tepal has`.
#[derive(Args, Debug)]
pub struct HasArgs {
    /// The filter
    #[arg(value_name = "FILTER")]
    pub filter: PathBuf,
    /// Files of lines; none or - is standard input
    #[arg(value_name = "LINES")]
    pub inputs: Vec<PathBuf>,
    /// Another filter: a line is selected when any of them has its key
    #[arg(long = "in", value_name = "FILTER")]
    pub others: Vec<PathBuf>,
    /// Ask for this key; may be given several times. Standard input is then read only if - is given
    #[arg(short = 'e', long = "key", value_name = "KEY", allow_hyphen_values = true)]
    pub asked: Vec<std::ffi::OsString>,
    /// Select the lines whose key is surely not in the filter
    #[arg(short = 'v', long)]
    pub invert: bool,
    /// Print only the number of selected lines, of all inputs together
    #[arg(short, long)]
    pub count: bool,
    /// Print nothing, and end with exit code 0 at the first selected line
    #[arg(short, long)]
    pub quiet: bool,
    /// Print before each line its number in its file
    #[arg(short = 'n', long)]
    pub line_number: bool,
    /// Print before each line the name of its file; with -c, the number of each file by itself
    #[arg(short = 'H', long)]
    pub with_filename: bool,
    /// Print only the names of the files of which a line is selected, and read each no further than that
    #[arg(short = 'l', long, conflicts_with_all = ["count", "line_number", "with_filename"])]
    pub files_with_matches: bool,
    #[command(flatten)]
    pub header: HeaderArgs,
    /// Stop reading each input after this many selected lines
    #[arg(short, long, value_name = "NUM", value_parser = number::parse_count_or_zero)]
    pub max_count: Option<u64>,
    /// Check that the filter ignores case. That is decided when it is built, with --nocase
    #[arg(short = 'i', long)]
    pub ignore_case: bool,
    /// Compare whole lines, as `has` always does; accepted because grep has this flag
    #[arg(short = 'x', long, hide = true)]
    pub line_regexp: bool,
    #[command(flatten)]
    pub keys: KeyArgs,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    #[command(flatten)]
    pub live: LiveArgs,
    /// With --in: after each line a tab and the filters that may hold its key, with a comma between them, as `tepal which`
    /// prints them
    #[arg(long, conflicts_with_all = ["invert", "count", "quiet", "json"])]
    pub which: bool,
    /// Name the filters without folder and ending
    #[arg(long)]
    pub stem: bool,
    /// Print one JSON object for each record, also for those that are not in the filter; it names the filters
    #[arg(long, conflicts_with_all = ["with_filename", "files_with_matches", "invert", "count", "quiet", "line_number", "max_count"])]
    pub json: bool,
}

/// `tepal info`.
#[derive(Args, Debug)]
pub struct InfoArgs {
    /// The filters
    #[arg(value_name = "FILTER", required = true)]
    pub filters: Vec<PathBuf>,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    /// Print everything as one JSON array
    #[arg(long)]
    pub json: bool,
}

/// `tepal verify`.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// The filters
    #[arg(value_name = "FILTER", required = true)]
    pub filters: Vec<PathBuf>,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    /// Print what was found as one JSON array
    #[arg(long)]
    pub json: bool,
}

/// `tepal plan`.
#[derive(Args, Debug)]
pub struct PlanArgs {
    #[command(flatten)]
    pub shape: ShapeArgs,
    /// Use the formulas of the program of this scheme
    #[arg(long, value_name = "SCHEME", value_parser = foreign::parse_scheme(), conflicts_with_all = ["layout", "small"])]
    pub scheme: Option<Scheme>,
    /// How many different keys are possible: shows the size of an exact set too
    #[arg(long, value_name = "KEYS", value_parser = number::parse_count)]
    pub universe: Option<u64>,
    /// Print the plan as JSON
    #[arg(long)]
    pub json: bool,
}

/// `tepal test`.
#[derive(Args, Debug)]
pub struct TestArgs {
    /// The filter
    #[arg(value_name = "FILTER")]
    pub filter: PathBuf,
    /// Lists of keys that are in the filter; none may be missed
    #[arg(long, value_name = "KEYS", num_args = 1..)]
    pub members: Vec<PathBuf>,
    /// Lists of keys that are not in the filter [default: a million random keys]
    #[arg(long, value_name = "KEYS", num_args = 1..)]
    pub absent: Vec<PathBuf>,
    /// Seed of the random keys
    #[arg(long, value_name = "SEED", default_value = "1", value_parser = number::parse_seed)]
    pub seed: u64,
    #[command(flatten)]
    pub keys: KeyArgs,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    /// Print nothing; the exit code is the result
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the measurement as JSON
    #[arg(long)]
    pub json: bool,
}

/// `tepal demo`.
#[derive(Args, Debug)]
pub struct DemoArgs {
    /// How many identity numbers are on the list
    #[arg(short = 'n', long, value_name = "KEYS", default_value = "20M", value_parser = number::parse_count)]
    pub keys: u64,
    /// The folder for the files. It is created if it is missing, and may contain only files of the demo
    #[arg(long, value_name = "FOLDER", default_value = "tepal-demo")]
    pub dir: PathBuf,
    /// Seed of the random numbers
    #[arg(long, value_name = "SEED", default_value = "1", value_parser = number::parse_seed)]
    pub seed: u64,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_begins_its_help_with_three_examples() {
        for mut verb in Cli::command().get_subcommands().cloned() {
            let name = verb.get_name().to_owned();
            if matches!(name.as_str(), "completions" | "man") {
                continue;
            }
            let help = verb.render_help().to_string();
            let examples = help.split("Examples:").nth(1).and_then(|rest| rest.split("Usage:").next());
            let lines = examples.map(|text| text.lines().filter(|l| l.contains("tepal ")).count());
            assert_eq!(lines, Some(3), "{name}: {help}");
        }
    }
}
