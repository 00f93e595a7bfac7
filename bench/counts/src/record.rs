//! What was counted, as a table and as the text that is kept: one line a section, the compiler
//! first. A line that begins with `#` is a remark.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

/// The section that all ratios are to.
const LIMIT: &str = "limit: hash and one word";
/// A count may be this many times the recorded one.
const TOLERANCE: f64 = 1.03;

pub(crate) struct Record {
    compiler: String,
    /// Names in the order of the run, with instructions a key.
    sections: Vec<(String, f64)>,
}

impl Record {
    pub(crate) fn new() -> Result<Self, String> {
        let out =
            Command::new("rustc").arg("--version").output().map_err(|error| format!("rustc: {error}"))?;
        let compiler = String::from_utf8_lossy(&out.stdout).trim().to_owned();
        Ok(Record { compiler, sections: Vec::new() })
    }

    pub(crate) fn read(path: &str) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let mut lines = text.lines();
        let compiler = lines.next().ok_or_else(|| format!("{path}: empty"))?.to_owned();
        let sections = lines
            .filter(|line| !line.starts_with('#'))
            .map(|line| {
                let (name, count) =
                    line.rsplit_once('\t').ok_or_else(|| format!("{path}: '{line}' has no count"))?;
                let count = count.parse().map_err(|_| format!("{path}: '{count}' is no count"))?;
                Ok((name.to_owned(), count))
            })
            .collect::<Result<_, String>>()?;
        Ok(Record { compiler, sections })
    }

    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.compiler);
        for (name, count) in &self.sections {
            writeln!(text, "{name}\t{count:.3}").expect("a string takes all");
        }
        text
    }

    pub(crate) fn add(&mut self, name: &str, count: f64) {
        self.sections.push((name.to_owned(), count));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    fn counts(&self) -> BTreeMap<&str, f64> {
        self.sections.iter().map(|(name, count)| (name.as_str(), *count)).collect()
    }

    /// Markdown; with what an earlier run counted, where there is one.
    pub(crate) fn table(&self, before: Option<&Record>) -> String {
        let limit = self.counts().get(LIMIT).copied().unwrap_or(f64::NAN);
        let before = before.map(Record::counts);
        let mut text = format!(
            "{}\n\n| section | instructions a key | times the limit | before | ratio |\n",
            self.compiler
        );
        text += "| --- | --: | --: | --: | --: |\n";
        for (name, count) in &self.sections {
            let (was, ratio) = match before.as_ref().and_then(|before| before.get(name.as_str())) {
                Some(was) => (format!("{was:.1}"), format!("{:.3}", count / was)),
                None => ("-".to_owned(), "-".to_owned()),
            };
            writeln!(text, "| {name} | {count:.1} | {:.2} | {was} | {ratio} |", count / limit)
                .expect("a string takes all");
        }
        text
    }

    /// Fails where a count has grown, or where a section of the record is gone.
    pub(crate) fn compare(&self, before: &Record) -> Result<(), String> {
        if self.compiler != before.compiler {
            println!("not compared: the record is of {}, this is {}", before.compiler, self.compiler);
            return Ok(());
        }
        let now = self.counts();
        let mut wrong = Vec::new();
        for (name, was) in &before.sections {
            match now.get(name.as_str()) {
                None => wrong.push(format!("'{name}' is not counted any more")),
                // A tenth of an instruction is how exact the record is.
                Some(count) if *count > was * TOLERANCE + 0.1 => {
                    wrong.push(format!("'{name}' takes {count:.1} instructions, {was:.1} in the record"));
                }
                Some(_) => {}
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    }
}
