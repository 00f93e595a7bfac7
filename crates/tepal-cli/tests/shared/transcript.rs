//! Transcripts of a page: every command is run anew, and what comes is compared.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

/// What a person at a terminal sees: standard output and standard error, in their order. `root` is
/// what the page calls `$TEPAL_REPO`, `programs` are the folders of the programs that it calls.
fn answer(command: &str, folder: &Path, root: &Path, programs: &[&Path]) -> String {
    let mut path = String::new();
    for folder in programs {
        path += &format!("{}:", folder.display());
    }
    path += &env::var("PATH").unwrap_or_default();
    let mut bash = Command::new("timeout");
    bash.args(["60", "bash", "-c", &format!("exec 2>&1\n{command}")]).current_dir(folder);
    bash.env("PATH", path);
    bash.env("TEPAL_REPO", root).env("LC_ALL", "C");
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
fn run_again(page: &str, root: &Path, programs: &[&Path]) -> (String, u32) {
    let (mut now, mut commands) = (String::new(), 0);
    let mut folder = tempfile::tempdir().unwrap();
    let mut typed: Option<String> = None;
    let mut inside = false;
    for line in page.split_inclusive('\n') {
        let (starts, goes_on) = (line.strip_prefix("$ "), line.strip_prefix("> "));
        let ends = inside && (starts.is_some() || line.starts_with("```"));
        if let Some(command) = typed.take_if(|_| ends) {
            now.push_str(&answer(&command, folder.path(), root, programs));
            commands += 1;
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

/// Runs the commands of a page below `root`, of which there are more than `least`, and compares.
/// With `TEPAL_WRITE_DOCS=1` it writes the answers into the page.
#[allow(unreachable_pub, reason = "two programs of tests have this file")]
pub fn check(root: &Path, name: &str, programs: &[&Path], least: u32) {
    let file = root.join(name);
    let page = fs::read_to_string(&file).unwrap();
    let (now, commands) = run_again(&page, root, programs);
    assert!(commands > least, "{commands} commands");
    if env::var_os("TEPAL_WRITE_DOCS").is_some() {
        return fs::write(file, now).unwrap();
    }
    for (number, (written, now)) in (1..).zip(page.lines().zip(now.lines())) {
        assert_eq!(written, now, "{name}, line {number}; TEPAL_WRITE_DOCS=1 writes it anew");
    }
    assert_eq!(page.len(), now.len(), "{name}");
}
