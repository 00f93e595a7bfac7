//! The manual pages: one for the program and one for each verb, from the definition of the command
//! line.

use crate::place::Place;

/// The verbs in the help of the program.
fn verbs(place: &Place) -> Vec<String> {
    let help = place.run("--help");
    let lines = help.text().lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| *line != "Options:");
    let verbs = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    verbs.filter(|verb| !verb.is_empty() && *verb != "help").map(str::to_owned).collect()
}

/// The text of a section.
fn section<'a>(page: &'a str, name: &str) -> &'a str {
    let head = format!("\n.SH {}\n", if name.contains(' ') { format!("\"{name}\"") } else { name.into() });
    let start = page.find(&head).unwrap_or_else(|| panic!("no section {name} in {page}")) + head.len();
    let text = &page[start..];
    &text[..text.find("\n.SH ").map_or(text.len(), |end| end + 1)]
}

#[test]
fn every_page_has_its_sections() {
    let place = Place::new();
    let verbs = verbs(&place);
    assert!(verbs.len() > 10 && verbs.contains(&"which".to_owned()), "{verbs:?}");
    for verb in verbs.iter().map(String::as_str).chain([""]) {
        let ran = place.run(&format!("man {verb}"));
        let page = ran.text();
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        for name in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "FILES", "SEE ALSO"] {
            assert!(section(page, name).len() > 10, "{verb} {name}");
        }
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "LANG", "TMPDIR"] {
            assert!(
                section(page, "ENVIRONMENT").contains(&format!("\\fB{name}")) || name == "LANG",
                "{name}"
            );
        }
        // Every flag with what it does, also those that -h leaves out.
        for item in page.split("\n.TP\n").skip(1) {
            assert!(item.lines().nth(1).is_some_and(|text| !text.is_empty()), "{verb}: {item}");
        }
        if !matches!(verb, "completions" | "man") {
            let examples = section(page, "EXAMPLES").lines().filter(|line| line.contains("tepal ")).count();
            assert!(matches!(examples, 2 | 3), "{verb}");
        }
        let codes = section(page, "EXIT STATUS");
        assert!(codes.contains('0') && codes.contains("2 "), "{verb}: {codes}");
        let says_no = matches!(verb, "" | "has" | "which" | "get" | "test" | "uniq");
        assert_eq!(codes.contains("1 "), says_no, "{verb}: {codes}");
        assert!(!page.contains("Exit codes") && page.ends_with('\n'), "{verb}");
    }
}

#[test]
fn what_would_be_an_order_to_the_formatter_is_text() {
    let place = Place::new();
    let page = place.run("man has");
    assert!(section(page.text(), "FILES").contains("\\fB.NAME."));
    assert!(!page.text().lines().any(|line| line.starts_with('\'')));
    // A hyphen of a flag is one that can be copied.
    assert!(section(page.text(), "EXAMPLES").contains("tepal has \\-v list.tepal"));
}

/// Where there is a formatter, it finds nothing to complain of.
#[cfg(target_os = "linux")]
#[test]
fn the_formatter_takes_it() {
    use std::process::{Command, Stdio};
    let place = Place::new();
    if Command::new("groff").arg("--version").stdout(Stdio::null()).status().is_err() {
        return crate::place::not_run("the_formatter_takes_it", "groff");
    }
    for verb in verbs(&place).iter().map(String::as_str).chain([""]) {
        place.write("page.1", place.run(&format!("man {verb}")).out);
        let mut groff = Command::new("groff");
        groff.args(["-man", "-Tutf8", "-ww", "-z", "page.1"]).current_dir(place.path(""));
        let said = String::from_utf8(groff.output().unwrap().stderr).unwrap();
        assert_eq!(said, "", "{verb}");
    }
}
