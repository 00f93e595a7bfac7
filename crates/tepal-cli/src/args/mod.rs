//! The definition of the command line for `clap`. Each value is checked by itself.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tepal::Scheme;

use crate::text::number;

mod add;
mod ask;
mod build;
mod chain;
mod encoding;
mod except;
mod filters;
mod foreign;
mod get;
mod grow;
mod has;
pub mod help;
mod keys;
mod map;
mod output;
mod patch;
mod remove;
mod ribbon;
mod secret;
mod segment;
mod shape;
mod shrink;
mod table;
mod test;
mod uniq;
mod which;
mod window;
mod words;

use add::ADD_COST;
pub use add::AddArgs;
pub use ask::AskArgs;
use build::EXACT_HELP;
pub use build::{BuildArgs, ExactAs};
pub use chain::{ChainArgs, check_form};
pub use encoding::listed;
use except::EXCEPT_HELP;
pub use except::ExceptArgs;
pub use filters::FiltersArgs;
use foreign::CONVERT_HELP;
pub use foreign::{ConvertArgs, FileArgs, GUESSED_STATIC, MergeArgs, OpenedAs, Preset, SchemeArgs, To};
pub use get::GetArgs;
use grow::GROW_HELP;
pub use grow::GrowArgs;
pub use has::HasArgs;
use keys::KEYS_HELP;
pub use keys::{AskedArgs, EmptyArgs, HeaderArgs, KeyArgs, RecipeArgs};
use map::MAP_HELP;
pub use map::MapArgs;
pub use output::{ChangeArgs, MakeArgs};
use patch::PATCH_HELP;
pub use patch::{DiffArgs, PatchArgs};
pub use remove::RemoveArgs;
use ribbon::RIBBON_HELP;
pub use ribbon::RibbonArgs;
pub use secret::SecretArgs;
use segment::SEGMENT_HELP;
pub use segment::SegmentArgs;
pub use shape::ShapeArgs;
pub use shrink::ShrinkArgs;
use table::TABLE_HELP;
pub use table::TableArgs;
pub use test::TestArgs;
use uniq::UNIQ_HELP;
pub use uniq::UniqArgs;
pub use which::WhichArgs;
use window::WINDOW_HELP;
pub use window::{WindowArgs, span};
pub use words::with_whole_keys;

/// Help begins with what the verb does and two or three examples.
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
    after_help = "Every verb: tepal VERB -h; all about it: tepal VERB --help. Numbers and exit codes: tepal --help.",
    after_long_help = "A filter answers \"no\" with certainty and \"yes\" with a known rate of error. `tepal VERB --help` tells more.
Numbers: 20M, 1.5k, 20,000,000 or 20_000_000; sizes: 24MiB or 24MB; rates: 1%, 0.01, 1e-6 or \"1 in 1,000,000\". The decimal mark is \
                  a point. A comma separates thousands, only in a number without a point, a unit and %.
Exit codes: 0 done (`has`, `which`, `get`, `uniq`: a line was selected), 1 these selected none, or `test` found a broken promise, \
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
#[allow(clippy::large_enum_variant, reason = "there is one in a run")]
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Make a filter from a list of keys
    #[command(
        alias = "create",
        help_template = TEMPLATE,
        before_help = "  tepal build list.txt -o list.tepal
  zcat old.gz | tepal build - new.txt -p 0.1% -o all.tepal
  tepal build mail.csv -f email --nocase --trim -o mail.tepal",
        after_help = format!("{KEYS_HELP}\n\n{EXACT_HELP}\n\n{TABLE_HELP}\n\n{GROW_HELP}\n\n{WINDOW_HELP}\n\n{SEGMENT_HELP}\n\n{RIBBON_HELP}\n\n{MAP_HELP}")
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
    /// Take keys out of a filter of build --deletable
    #[command(
        aliases = ["delete", "del", "rm"],
        help_template = TEMPLATE,
        before_help = "  tepal remove sessions.tepal ended.txt
  tepal remove sessions.tepal -e 570108428378
  tepal remove sessions.tepal ended.txt --members all.txt -o smaller.tepal",
        after_help = format!("{}\n\n{KEYS_HELP}", remove::HELP)
    )]
    Remove(RemoveArgs),
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
    /// Say which filters, or which segments of one, may hold each key
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal which north.tepal --in south.tepal -e 570108428378
  tepal which segments/*.tepal --stem -- today.txt > named.tsv
  crawl | tepal which 2024.tepal --in 2025.tepal -v > never-seen.txt",
        after_help = which::HELP
    )]
    Which(WhichArgs),
    /// Say which value a map has for each key
    #[command(
        aliases = ["lookup", "value"],
        help_template = TEMPLATE,
        before_help = "  tepal get countries.tepal -e 570108428378
  tepal get countries.tepal today.txt > with-country.tsv
  tepal get -f account countries.tepal today.csv",
        after_help = get::HELP
    )]
    Get(GetArgs),
    /// Print each line once, as it comes (--exact: no new one is lost)
    #[command(
        aliases = ["dedup", "dedupe", "unique"],
        help_template = TEMPLATE,
        before_help = "  tepal uniq urls.txt > once.txt
  crawl | tepal uniq --state seen.tepal | fetch
  tepal uniq --count-new orders.csv -f customer",
        after_help = format!("{UNIQ_HELP}{KEYS_HELP}\n\nExit codes: 0 a line passed (with -D: a repeat), 1 none did, 2 error, or new keys are not remembered.")
    )]
    Uniq(UniqArgs),
    /// Show what a filter is, how full it is, and its rate now
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
    /// Let a filter say no for non-members that it takes for members
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal has list.tepal customers.txt | tepal except list.tepal --members list.txt
  tepal except list.tepal innocent.txt --non-members
  tepal except list.tepal --list",
        after_help = EXCEPT_HELP
    )]
    Except(ExceptArgs),
    /// Write a patch that makes one filter another of the same shape
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
        before_help = "  tepal shrink list.tepal -p 1% -o small.tepal
  tepal shrink list.tepal -s 2MiB -o small.tepal
  tepal shrink list.tepal -p 1% --force",
        after_help = shrink::HELP,
        mut_arg("force", |arg| arg.help("Replace the filter itself, or with -o an existing file"))
    )]
    Shrink(ShrinkArgs),
    /// Write a filter as the file of another program, or make it static
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal convert words.bin --from guava --to tepal -o words.tepal
  tepal convert words.tepal --to guava -o words.bin
  tepal convert sessions.tepal --static -p 1% -o closed.tepal",
        after_help = CONVERT_HELP
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
Neither the secret nor the key of the seal is needed for that. A key that is given is checked too.
Exit codes: 0 nothing wrong was found, 2 something wrong was found."
    )]
    Verify(VerifyArgs),
    /// Measure the rate of a filter, and that it misses no member
    #[command(
        help_template = TEMPLATE,
        before_help = "  tepal test list.tepal --members list.txt
  tepal test list.tepal --members list.txt --absent others.txt
  tepal test list.tepal --json",
        after_help = "With --by each row of --members names the segment that its key must be in, and with --map the value that a map must \
                      have for it; a key that is in another one, or has another one, is missed.
Exit codes: 0 the promise is kept, 1 it is broken or a member is missed, 2 error."
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
    /// Refuse a file that has no seal, or whose seal was not checked since --seal was not given
    #[arg(long)]
    pub require_seal: bool,
    /// Print nothing but what is wrong
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,
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
    /// Also the size of a filter (build --by) that says in which of this many segments a key is. -n
    /// counts the pairs of a key and a segment
    #[arg(long, value_name = "SEGMENTS", value_parser = number::parse_count)]
    pub segments: Option<u64>,
    /// Also the size of a map (build --map) to this many different values. Up to 65,536 values may
    /// be names, more are numbers
    #[arg(long, value_name = "VALUES", value_parser = number::parse_count)]
    pub values: Option<u64>,
    /// Also the size of an exact set, where this many different keys are possible
    #[arg(long, value_name = "KEYS", value_parser = number::parse_count)]
    pub universe: Option<u64>,
    /// Print the plan as JSON
    #[arg(long)]
    pub json: bool,
}

/// `tepal demo`.
#[derive(Args, Debug)]
pub struct DemoArgs {
    /// How many identity numbers are on the list
    #[arg(short = 'n', long, value_name = "KEYS", default_value = "20M", value_parser = number::parse_count)]
    pub capacity: u64,
    /// The folder for the files. It is created if it is missing, and may contain only files of the
    /// demo
    #[arg(long, value_name = "FOLDER", default_value = "tepal-demo")]
    pub dir: PathBuf,
    /// Seed of the random numbers
    #[arg(long, value_name = "SEED", default_value = "1", value_parser = number::parse_seed)]
    pub random_seed: u64,
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
        help::command().debug_assert();
    }

    /// Whether a flag of a verb takes this value.
    fn takes(verb: &str, flag: &str, value: &str) -> bool {
        use clap::error::ErrorKind::{InvalidValue, ValueValidation};
        let parsed = Cli::command().try_get_matches_from(["tepal", verb, &format!("--{flag}={value}")]);
        !parsed.is_err_and(|error| matches!(error.kind(), InvalidValue | ValueValidation))
    }

    #[test]
    fn no_flag_takes_a_comma_for_anything_but_thousands() {
        let mut flags = 0;
        for verb in Cli::command().get_subcommands() {
            let verb_name = verb.get_name();
            for flag in verb.get_arguments().filter(|flag| flag.get_action().takes_values()) {
                let Some(name) = flag.get_long() else { continue };
                let is_number =
                    ["1", "4", "0.5", "7d", "1MiB"].iter().any(|value| takes(verb_name, name, value));
                if !is_number || takes(verb_name, name, "x y z") {
                    continue;
                }
                flags += 1;
                for value in ["0,1%", "0,001%", "1,5M", "1,500M", "0,5GiB", "1,5", "0,5", "1,5d", "1 in 1,5"]
                {
                    assert!(!takes(verb_name, name, value), "{verb_name} --{name} {value}");
                }
            }
        }
        assert!(flags > 40, "{flags}");
        for (flag, value) in [("fpr", "1 in 1,000,000"), ("capacity", "20,000,000"), ("size", "1,048,576")] {
            assert!(takes("build", flag, value), "{flag} {value}");
        }
    }

    #[test]
    fn every_verb_begins_its_help_with_two_or_three_examples() {
        for mut verb in Cli::command().get_subcommands().cloned() {
            let name = verb.get_name().to_owned();
            if matches!(name.as_str(), "completions" | "man") {
                continue;
            }
            let help = verb.render_help().to_string();
            let examples = help.split("Examples:").nth(1).and_then(|rest| rest.split("Usage:").next());
            let lines = examples.map(|text| text.lines().filter(|l| l.contains("tepal ")).count());
            assert!(matches!(lines, Some(2 | 3)), "{name}: {help}");
        }
    }
}
