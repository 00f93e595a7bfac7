//! What help shows of each verb, and in which order: `-h` the flags that most people use, `--help`
//! all of them, in groups. Manual pages and completions are made from the same [`command`].

use clap::{Arg, Command, CommandFactory, builder::StyledStr};

use super::Cli;

/// How the line of a verb's help begins that says its exit codes.
pub const EXIT_CODES: &str = "Exit codes: ";
/// The exit codes of a verb that has no such line.
pub const USUAL_CODES: &str = "0 done, 2 error.";

/// The verbs that help of the program shows last.
const MORE: [&str; 3] = ["demo", "completions", "man"];

/// Every flag by its long name, in the group under which `--help` shows it.
#[rustfmt::skip]
const GROUPS: &[(&str, &[&str])] = &[
    ("Size and rate", &[
        "fpr", "capacity", "size", "small", "layout", "num-hashes", "like", "memory", "over", "past-promise", "universe",
        "segments", "values",
    ]),
    ("Kinds of filters", &[
        "static", "prefer-speed", "deletable", "count-bits", "growing", "window", "generations", "set-clock", "exact-on", "exact-as",
        "exact", "and",
    ]),
    ("Segments and values", &["by", "set", "segment", "map", "known-keys"]),
    ("Keys", &[
        "key", "field", "whole", "trim", "nocase", "ignore-case", "integer", "keys", "members", "absent", "non-members",
        "allow-absent",
    ]),
    ("Records", &[
        "csv", "tsv", "delimiter", "escape", "header", "null", "text", "empty-keys", "bad", "threads", "max-record", "max-window",
    ]),
    ("Selected lines", &[
        "in", "invert", "repeated", "count", "count-new", "line-number", "with-filename", "no-filename", "files-with-matches",
        "files-without-match", "max-count", "copies", "no-header",
    ]),
    ("Output", &[
        "output", "force", "allow-empty", "dir", "name", "source", "date", "list", "stem", "quiet", "json", "color",
    ]),
    ("Files of filters", &["state", "save-every", "from", "read", "quick", "reload", "no-wait", "expect-name"]),
    ("Other programs", &["to", "scheme", "preset", "md5-split", "expansion", "valkey-seed", "form"]),
    ("Hash and secrets", &["secret", "seal", "require-seal", "seed", "seed-for", "random-seed"]),
];

/// The flags of each verb that its `-h` shows, in this order. `--help` has them first.
#[rustfmt::skip]
const USUAL: &[(&str, &[&str])] = &[
    ("build", &[
        "output", "fpr", "capacity", "field", "trim", "nocase", "static", "deletable", "map", "force",
    ]),
    ("add", &["key", "field", "output", "force", "past-promise", "quiet", "json"]),
    ("remove", &["key", "members", "allow-absent", "field", "segment", "output", "force", "quiet", "json"]),
    ("has", &[
        "key", "invert", "count", "quiet", "line-number", "with-filename", "files-with-matches", "max-count", "field",
        "in",
    ]),
    ("which", &["key", "in", "invert", "count", "quiet", "line-number", "stem", "field", "no-header", "json"]),
    ("get", &[
        "key", "invert", "count", "quiet", "line-number", "with-filename", "files-with-matches", "max-count", "field",
        "json",
    ]),
    ("uniq", &[
        "exact", "state", "window", "fpr", "capacity", "repeated", "count-new", "max-count", "field", "json",
    ]),
    ("info", &["json", "from", "secret", "seal"]),
    ("plan", &["capacity", "fpr", "size", "layout", "segments", "values", "universe", "json"]),
    ("merge", &["output", "and", "past-promise", "from", "force", "quiet", "json"]),
    ("except", &["key", "members", "non-members", "list", "field", "output", "force", "quiet", "json"]),
    ("diff", &["output", "force", "quiet", "json"]),
    ("patch", &["output", "force", "no-wait", "quiet", "json"]),
    ("shrink", &["fpr", "size", "output", "force", "quiet", "json"]),
    ("convert", &["to", "static", "fpr", "from", "keys", "output", "force", "quiet", "json"]),
    ("verify", &["quiet", "json", "from", "secret", "seal", "require-seal"]),
    ("test", &["members", "absent", "by", "map", "field", "random-seed", "quiet", "json"]),
    ("demo", &["capacity", "dir", "random-seed", "json"]),
];

/// The definition of the command line, with its help arranged.
pub fn command() -> Command {
    let all = Cli::command().mut_args(|flag| placed(flag, &[])).mut_subcommands(arranged);
    let template = overview(&all);
    all.help_template(template)
}

/// A verb whose `-h` has the usual flags, and whose `--help` has the others in groups.
fn arranged(verb: Command) -> Command {
    let name = verb.get_name().to_owned();
    let usual = USUAL.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, flags)| flags);
    let notes = verb.get_after_help().map(text).unwrap_or_default();
    let codes = notes.lines().find(|line| line.starts_with(EXIT_CODES));
    let usual_codes = format!("{EXIT_CODES}{USUAL_CODES}");
    let more = if usual.is_empty() { String::new() } else { format!("\nAll flags: tepal {name} --help") };
    let short = format!("{}{more}", codes.unwrap_or(&usual_codes));
    let long = match codes {
        Some(_) => notes,
        None => format!("{notes}\n\n{usual_codes}").trim_start().to_owned(),
    };
    verb.mut_args(|flag| placed(flag, usual)).after_help(short).after_long_help(long)
}

/// A text as it is written here, where none has colours. `to_string` would look for colours in each
/// byte, at every start of the program: most of the time that it takes to start.
fn text(styled: &StyledStr) -> String {
    styled.ansi().to_string()
}

/// A flag in its place: among the usual ones, or in its group and only in `--help`.
fn placed(flag: Arg, usual: &[&str]) -> Arg {
    let Some(name) = flag.get_long().map(str::to_owned) else { return flag };
    if let Some(place) = usual.iter().position(|other| *other == name) {
        return flag.display_order(place);
    }
    let group = GROUPS
        .iter()
        .find_map(|(heading, flags)| Some((*heading, flags.iter().position(|other| *other == name)?)));
    let Some((heading, place)) = group else { return flag };
    // Manual pages take the text of such a flag from its long help alone.
    let text = flag.get_long_help().or(flag.get_help()).cloned().unwrap_or_default();
    flag.help_heading(heading).display_order(place).hide_short_help(true).long_help(text)
}

/// The template of the program's help, in which some verbs stand apart.
fn overview(all: &Command) -> String {
    let header = all.get_styles().get_header();
    let longest = all.get_subcommands().map(|verb| verb.get_name().len()).max().unwrap_or(0);
    let lines = |is_more: bool| {
        let verbs = all.get_subcommands().filter(|verb| MORE.contains(&verb.get_name()) == is_more);
        let line = |verb: &Command| {
            let about = verb.get_about().map(text).unwrap_or_default();
            format!("  {:longest$}  {about}\n", verb.get_name())
        };
        verbs.map(line).collect::<String>()
    };
    format!(
        "{{about-with-newline}}\nExamples:\n{{before-help}}{{usage-heading}} {{usage}}\n\n\
         {header}Commands:{header:#}\n{}\n{header}More:{header:#}\n{}\n\
         {header}Options:{header:#}\n{{options}}{{after-help}}",
        lines(false),
        lines(true)
    )
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Flags whose text is another in some verb, with the one meaning that all of them have.
    #[rustfmt::skip]
    const IN_OTHER_WORDS: &[(&str, &str)] = &[
        ("by", "the field that names the segment of each key"),
        ("capacity", "how many different keys there are or may be"),
        ("force", "replaces a file that exists"),
        ("form", "the form of a file of RedisBloom"),
        ("fpr", "the false-positive rate that is allowed"),
        ("json", "prints JSON in place of text"),
        ("keys", "the encoding of keys"),
        ("map", "the field that has the value of each key"),
        ("max-count", "the most lines that are selected"),
        ("members", "lists of keys that are in the filter"),
        ("no-wait", "does not wait for another program"),
        ("output", "the file to write"),
        ("past-promise", "goes on past the promised rate"),
        ("quiet", "prints nothing but what is wrong"),
        ("scheme", "the scheme, and so the program, whose filter it is"),
        ("seal", "the file with the key of the seal"),
        ("secret", "the file with the secret of the hash"),
        ("segment", "the name of a segment of the filter"),
        ("size", "the bytes of the filter"),
        ("static", "makes a static filter"),
        ("stem", "names files without folder and ending"),
        ("to", "the format of the file that is written"),
        ("window", "how long a key stays, or how many keys do"),
    ];

    /// Columns of the texts in `--help`, beside their indent.
    const COLUMNS: usize = 90;

    /// The flags of all verbs, with the name of each one's verb.
    fn flags() -> Vec<(String, Arg)> {
        let (program, mut all) = (command(), Vec::new());
        for verb in program.get_subcommands().chain([&program]) {
            let flags = verb.get_arguments().filter(|flag| !flag.is_positional() && !flag.is_hide_set());
            all.extend(flags.map(|flag| (verb.get_name().to_owned(), flag.clone())));
        }
        all
    }

    fn name(flag: &Arg) -> &str {
        flag.get_long().expect("every flag has a long name")
    }

    /// How many lines a text takes.
    fn lines(text: &str, columns: usize) -> usize {
        let mut lines = (1, 0);
        for word in text.split_whitespace() {
            let width = word.chars().count();
            let end = lines.1 + usize::from(lines.1 > 0) + width;
            lines = if end > columns { (lines.0 + 1, width) } else { (lines.0, end) };
        }
        lines.0
    }

    #[test]
    fn every_flag_is_in_one_group() {
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, flags)| flags.iter().copied()).collect();
        let groups: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(groups.len(), listed.len(), "a flag is in two groups");
        let all = flags();
        let there: BTreeSet<&str> = all.iter().map(|(_, flag)| name(flag)).collect();
        assert!(there.len() > 80, "{there:?}");
        let without: Vec<_> = there.difference(&groups).collect();
        assert!(without.is_empty(), "flags without a group: {without:?}");
        let unknown: Vec<_> = groups.difference(&there).collect();
        assert!(unknown.is_empty(), "in a group, and no verb has them: {unknown:?}");
    }

    #[test]
    fn short_help_shows_the_usual_flags_of_every_verb() {
        let all = flags();
        for verb in
            command().get_subcommands().map(Command::get_name).filter(|verb| !MORE[1..].contains(verb))
        {
            let (_, usual) =
                USUAL.iter().find(|(of, _)| *of == verb).unwrap_or_else(|| panic!("{verb}: no usual flags"));
            assert!((1..=10).contains(&usual.len()), "{verb}: {} usual flags", usual.len());
            let shown = all.iter().filter(|(of, flag)| of == verb && !flag.is_hide_short_help_set());
            let shown: BTreeSet<&str> = shown.map(|(_, flag)| name(flag)).collect();
            assert_eq!(shown, usual.iter().copied().collect(), "{verb}");
        }
    }

    #[test]
    fn short_help_is_short() {
        let mut all = command().term_width(100);
        all.build();
        let help = all.render_help().to_string();
        assert!(help.lines().count() <= 40, "{help}");
        let verbs = help.lines().skip_while(|line| *line != "Commands:");
        let mut verbs = verbs.take_while(|line| *line != "Options:");
        assert!(verbs.all(|line| line.chars().count() <= 80), "{help}");
        for verb in all.get_subcommands_mut() {
            let help = verb.render_help().to_string();
            assert!(help.lines().count() <= 40, "{} lines: {help}", help.lines().count());
            assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
            let is_guide = MORE[1..].contains(&verb.get_name()) || verb.get_name() == "help";
            assert!(is_guide || help.trim_end().ends_with(" --help"), "{help}");
        }
    }

    #[test]
    fn a_flag_is_told_in_two_lines() {
        for (verb, flag) in flags() {
            let text = flag.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(lines(&text, COLUMNS) <= 2, "{verb} --{}: {text}", name(&flag));
        }
    }

    #[test]
    fn a_flag_means_one_thing() {
        let (mut meanings, mut letters) =
            (BTreeMap::<_, BTreeSet<_>>::new(), BTreeMap::<_, BTreeSet<_>>::new());
        let mut texts = BTreeMap::<_, BTreeSet<_>>::new();
        let all = flags();
        for (_, flag) in &all {
            // The file that `diff` writes is a patch.
            let has_value = flag.get_action().takes_values() && name(flag) != "output";
            let value = flag.get_value_names().filter(|_| has_value);
            let value = value.map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>());
            meanings.entry(name(flag)).or_default().insert((flag.get_short(), value));
            texts.entry(name(flag)).or_default().insert(flag.get_help().map(ToString::to_string));
            for letter in flag.get_short_and_visible_aliases().unwrap_or_default() {
                letters.entry(letter).or_default().insert(name(flag));
            }
            for other in flag.get_all_aliases().unwrap_or_default() {
                let real = all.iter().find(|(_, real)| name(real) == other && name(real) != name(flag));
                assert!(real.is_none(), "--{other} stands for --{} and is another flag", name(flag));
            }
        }
        meanings.retain(|_, found| found.len() > 1);
        assert!(meanings.is_empty(), "of one name, with other letters or values: {meanings:?}");
        // As in grep, where lines are asked for.
        let both = letters.remove(&'n').unwrap_or_default();
        assert_eq!(both.into_iter().collect::<Vec<_>>(), ["capacity", "line-number"]);
        letters.retain(|_, found| found.len() > 1);
        assert!(letters.is_empty(), "letters of two flags: {letters:?}");
        texts.retain(|_, found| found.len() > 1);
        let known: BTreeSet<&str> = IN_OTHER_WORDS.iter().map(|(flag, _)| *flag).collect();
        let found: BTreeSet<&str> = texts.keys().copied().collect();
        assert_eq!(found, known, "look whether these texts mean one thing: {texts:#?}");
    }
}
