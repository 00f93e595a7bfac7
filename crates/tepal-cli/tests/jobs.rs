//! The transcripts of `docs/jobs.md`: every command is run anew, and what comes is compared.
//!
//! `TEPAL_WRITE_DOCS=1 cargo test -p tepal-cli --test jobs` writes the answers anew.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

const REPO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What a person at a terminal sees: standard output and standard error, in their order.
fn answer(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_tepal"));
    let path = env::var("PATH").unwrap_or_default();
    let mut bash = Command::new("timeout");
    bash.args(["60", "bash", "-c", &format!("exec 2>&1\n{command}")]).current_dir(folder);
    bash.env("PATH", format!("{}:{path}", program.parent().unwrap().display()));
    bash.env("TEPAL_REPO", Path::new(REPO).canonicalize().unwrap()).env("LC_ALL", "C");
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "CARGO"] {
        bash.env_remove(name);
    }
    let ran = bash.stdin(Stdio::null()).stderr(Stdio::null()).output().expect("bash and timeout are needed");
    assert_ne!(ran.status.code(), Some(124), "this did not end in a minute: {command}");
    let mut text = String::from_utf8(ran.stdout).unwrap();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The page with what comes now. A line that begins with `$ ` is a command, one that begins with `>
/// ` goes on with it, and each job has a folder of its own.
fn run_again(page: &str) -> (String, u32) {
    let (mut now, mut commands) = (String::new(), 0);
    let mut folder = tempfile::tempdir().unwrap();
    let mut typed: Option<String> = None;
    let mut inside = false;
    for line in page.split_inclusive('\n') {
        let (starts, goes_on) = (line.strip_prefix("$ "), line.strip_prefix("> "));
        if inside && (starts.is_some() || line.starts_with("```")) {
            if let Some(command) = typed.take() {
                now.push_str(&answer(&command, folder.path()));
                commands += 1;
            }
        }
        match (inside, starts, goes_on) {
            (true, Some(command), _) => typed = Some(command.to_owned()),
            (true, None, Some(more)) => typed.as_mut().unwrap().push_str(more),
            // What came when it was written.
            (true, None, None) if !line.starts_with("```") => continue,
            _ => {}
        }
        if line.starts_with("```") {
            inside = line.starts_with("```console");
        }
        if line.starts_with("## ") {
            folder = tempfile::tempdir().unwrap();
        }
        now.push_str(line);
    }
    (now, commands)
}

#[test]
fn the_transcripts_are_what_comes() {
    let file = format!("{REPO}/docs/jobs.md");
    let page = fs::read_to_string(&file).unwrap();
    let (now, commands) = run_again(&page);
    assert!(commands > 40, "{commands} commands");
    if env::var_os("TEPAL_WRITE_DOCS").is_some() {
        return fs::write(file, now).unwrap();
    }
    for (number, (written, now)) in (1..).zip(page.lines().zip(now.lines())) {
        assert_eq!(written, now, "docs/jobs.md, line {number}; TEPAL_WRITE_DOCS=1 writes it anew");
    }
    assert_eq!(page.len(), now.len(), "docs/jobs.md");
}
