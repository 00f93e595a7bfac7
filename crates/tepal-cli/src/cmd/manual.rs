//! `tepal completions` and `tepal man`. Both are made from the definition of the command line in
//! `args`.

use clap::Command;
use clap_mangen::Man;

use crate::args::help::{self, EXIT_CODES, USUAL_CODES};
use crate::error::{Failure, Outcome};
use crate::output::Stdout;

/// What the program reads of its surroundings.
const ENVIRONMENT: [(&str, &str); 5] = [
    ("NO_COLOR", "Not empty: no colour, unless --color says so."),
    (
        "CLICOLOR_FORCE",
        "Not empty and not 0: colour into files and pipes too, unless --color says something else.",
    ),
    (
        "LC_ALL, LC_CTYPE, LANG",
        "The first that is set says whether pictures may have letters beyond ASCII (UTF-8) or not.",
    ),
    ("TMPDIR", "The folder for keys that wait, where the filter goes to standard output or a pipe [/tmp]."),
    ("COLUMNS", "The width of help, where the terminal does not say it."),
];

/// What it reads and writes besides the files that it is given.
const FILES: [(&str, &str); 2] = [
    (
        ".NAME.0123456789abcdef.tepal-tmp",
        "Beside the filter NAME while that is saved, with other digits: it takes the name when it is whole. What a killed \
         program left is removed by the next that saves NAME.",
    ),
    (
        "Temporary files without a name",
        "In the folder of the filter that is built, for keys that do not fit into --memory. They vanish with the program.",
    ),
];

/// Prints the completions of a shell.
pub fn completions(shell: clap_complete::Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::command(), "tepal", &mut script);
    print(&script)
}

/// Prints the manual page, in roff.
pub fn man(verb: Option<&str>) -> Outcome {
    let mut command = help::command();
    command.build();
    let about = match verb {
        None => &command,
        Some(name) => match command.find_subcommand(name) {
            Some(verb) => verb,
            None => return Err(Failure::new(format!("no verb {name:?}; see tepal --help"))),
        },
    };
    let mut roff = head(about).map_err(|error| Failure::new(error.to_string()))?;
    roff.extend_from_slice(tail(about, verb.is_some().then_some(&command)).as_bytes());
    print(&roff)
}

/// The sections that follow from the flags.
fn head(command: &Command) -> std::io::Result<Vec<u8>> {
    let title = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let source = concat!("tepal ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).title(title).source(source).manual("tepal");
    let mut roff = Vec::new();
    man.render_title(&mut roff)?;
    man.render_name_section(&mut roff)?;
    man.render_synopsis_section(&mut roff)?;
    man.render_description_section(&mut roff)?;
    man.render_options_section(&mut roff)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut roff)?;
    }
    Ok(roff)
}

/// The sections that follow from the rest of its help, and those that are the same everywhere.
/// `all` is the whole program, of which `command` is a verb.
fn tail(command: &Command, all: Option<&Command>) -> String {
    let mut roff = String::new();
    let help = |text: Option<&clap::builder::StyledStr>| text.map_or(String::new(), ToString::to_string);
    let notes = help(command.get_after_long_help().or(command.get_after_help()));
    let (codes, notes): (Vec<&str>, Vec<&str>) = notes.lines().partition(|line| line.starts_with(EXIT_CODES));
    if notes.iter().any(|line| !line.is_empty()) {
        roff.push_str(".SH NOTES\n");
        notes.iter().for_each(|line| match line.is_empty() {
            true => roff.push_str(".PP\n"),
            false => roff.push_str(&text(line)),
        });
    }
    roff.push_str(".SH \"EXIT STATUS\"\n");
    let codes = codes.first().and_then(|line| line.strip_prefix(EXIT_CODES)).unwrap_or(USUAL_CODES);
    roff.push_str(&text(&capital(codes)));
    roff.push_str(".SH ENVIRONMENT\n");
    ENVIRONMENT.iter().for_each(|(name, about)| roff.push_str(&item(name, about)));
    roff.push_str(".SH FILES\nNo configuration file is read.\n");
    FILES.iter().for_each(|(name, about)| roff.push_str(&item(name, about)));
    let examples = help(command.get_before_help());
    if !examples.is_empty() {
        roff.push_str(".SH EXAMPLES\n.nf\n");
        examples.lines().for_each(|line| roff.push_str(&text(line)));
        roff.push_str(".fi\n");
    }
    roff.push_str(".SH \"SEE ALSO\"\n");
    let page = |name: String| format!("\\fB{}\\fR(1)", escaped(&name));
    let others = all.unwrap_or(command).get_subcommands().filter(|other| !other.is_hide_set());
    let others = others.map(|other| other.get_name()).filter(|name| *name != "help");
    let others = others.filter(|name| *name != command.get_name()).map(|name| page(format!("tepal-{name}")));
    let pages: Vec<String> = all.map(|_| page("tepal".to_owned())).into_iter().chain(others).collect();
    roff.push_str(&format!("{}\n", pages.join(", ")));
    roff
}

/// A name and what it is about.
fn item(name: &str, about: &str) -> String {
    format!(".TP\n\\fB{}\\fR\n{}", escaped(name), text(about))
}

/// One line of text.
fn text(line: &str) -> String {
    // A line that begins so would be an order to the formatter.
    let guard = if line.starts_with(['.', '\'']) { "\\&" } else { "" };
    format!("{guard}{}\n", escaped(line))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// The same with its first letter as a capital one, and a full stop.
fn capital(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).chain(['.']).collect())
}

fn print(bytes: &[u8]) -> Outcome {
    let mut stdout = Stdout::new();
    stdout.write(bytes)?;
    stdout.flush()?;
    Ok(0)
}
