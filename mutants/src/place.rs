//! Puts all changes into the sources, each behind the number that switches it on.
//!
//! `a + b` becomes `(if on(7) { a - b } else if on(8) { a * b } else { a + b })`. What stands
//! behind the last `else` is the old text, so that changes within `a` and `b` have their place
//! there; only one is on at a time, so the other branches need none. All is done by insertions:
//! nothing of the source is moved or lost.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::Path;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::Result;
use crate::list::{Genre, Mutant};

/// The module that knows which change is on, or that it is to say which ones a test comes to. It
/// reads that before `main` and writes it after: no test sees either. A program that a test starts
/// has the same environment, and so the same change on; one that is killed does not say what it
/// came to.
const SWITCH: &str = r#"
pub(crate) mod mutant_switch {
    extern crate std;
    use super::COUNT;
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
    const NONE: usize = usize::MAX;
    const TRACE: usize = usize::MAX - 1;
    static ON: AtomicUsize = AtomicUsize::new(NONE);
    static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
    #[used]
    #[unsafe(link_section = ".init_array")]
    static READ: extern "C" fn() = {
        extern "C" fn read() {
            let trace = std::env::var_os("TEPAL_TRACE").is_some();
            let number = std::env::var("TEPAL_MUTANT").ok().and_then(|n| n.parse().ok());
            ON.store(if trace { TRACE } else { number.unwrap_or(NONE) }, Relaxed);
        }
        read
    };
    #[used]
    #[unsafe(link_section = ".fini_array")]
    static WRITE: extern "C" fn() = {
        extern "C" fn write() {
            use std::io::Write;
            let Some(path) = std::env::var_os("TEPAL_TRACE") else { return };
            let text: std::string::String = (0..COUNT)
                .filter(|&n| REACHED[n].load(Relaxed))
                .map(|n| std::format!("{n}\n"))
                .collect();
            let file = std::fs::File::options().append(true).create(true).open(path);
            let _ = file.and_then(|mut file| file.write_all(text.as_bytes()));
        }
        write
    };
    #[inline(always)]
    pub(crate) fn on(number: usize) -> bool {
        let on = ON.load(Relaxed);
        on == number || on == TRACE && reached(number)
    }
    #[cold]
    fn reached(number: usize) -> bool {
        REACHED[number].store(true, Relaxed);
        false
    }
}
"#;

/// The part of a source that changes have in common: an expression, or where a function's body
/// begins.
struct Site {
    range: Range<usize>,
    form: Form,
    /// Number, and the text that stands there when it is on.
    changes: Vec<(usize, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `if on(..) { return value; }` before the body.
    Body,
    /// ` if !on(..)` behind a pattern.
    Pattern,
    /// `!on(..) && (guard)`.
    Guard,
    /// `(if on(..) { changed } else { old })`.
    Expression,
}

struct Source {
    text: String,
    syntax: syn::File,
    sites: Vec<Site>,
    /// Where what is matched begins, for each change that takes an arm from it.
    matches: BTreeMap<usize, Vec<usize>>,
}

/// All sources with their sites.
pub struct Sources {
    files: BTreeMap<String, Source>,
    /// The first file of each crate in which something changes, for the switch.
    roots: BTreeSet<String>,
    /// Those for which there is no site.
    pub unplaced: BTreeSet<usize>,
}

impl Sources {
    /// Reads the files in which something changes, and finds where.
    pub fn read(project: &Path, mutants: &[Mutant]) -> Result<Self> {
        let mut sources = Self { files: BTreeMap::new(), roots: BTreeSet::new(), unplaced: BTreeSet::new() };
        for (number, mutant) in mutants.iter().enumerate() {
            let root = root(&mutant.file).ok_or_else(|| format!("{}: in no crate's src/", mutant.file))?;
            sources.source(project, &root)?;
            sources.roots.insert(root);
            let source = sources.source(project, &mutant.file)?;
            if mutant.is_other_type() || source.add(number, mutant).is_none() {
                sources.unplaced.insert(number);
            }
        }
        Ok(sources)
    }

    /// A file, which is read where it is not there yet.
    fn source(&mut self, project: &Path, name: &str) -> Result<&mut Source> {
        if !self.files.contains_key(name) {
            let text = read(&project.join(name))?;
            let source = Source::new(text).map_err(|e| format!("{name}: {e}"))?;
            self.files.insert(name.to_owned(), source);
        }
        Ok(self.files.get_mut(name).expect("just put there"))
    }

    /// Writes the sources with this change and nothing else.
    pub fn write_alone(&self, project: &Path, mutant: &Mutant) -> Result<()> {
        for (name, source) in &self.files {
            if *name != mutant.file {
                write(&project.join(name), &source.text)?;
                continue;
            }
            let changed = source.with_only(mutant);
            let changed = changed.ok_or_else(|| format!("{}: there is no such place", mutant.name))?;
            write(&project.join(name), &changed)?;
        }
        Ok(())
    }

    /// Writes the sources with those changes that are wanted, of so many.
    pub fn write(&self, project: &Path, wanted: impl Fn(usize) -> bool, count: usize) -> Result<Written> {
        let mut written = Written::default();
        for (name, source) in &self.files {
            let (mut text, parts, matches) = source.with_changes(&wanted);
            if self.roots.contains(name) {
                text.push_str(&format!("{SWITCH}const COUNT: usize = {count};\n"));
            }
            write(&project.join(name), &text)?;
            written.files.insert(name.clone(), parts);
            written.matches.insert(name.clone(), matches);
        }
        Ok(written)
    }
}

/// A part of what was written, and the changes in it.
pub struct Part {
    range: Range<usize>,
    /// Their numbers.
    pub changes: Vec<usize>,
    /// Is it the text that comes with one change, and nothing else?
    pub is_changed: bool,
}

/// Where the changes stand in what was written.
#[derive(Default)]
pub struct Written {
    files: BTreeMap<String, Vec<Part>>,
    matches: BTreeMap<String, BTreeMap<usize, Vec<usize>>>,
}

impl Written {
    /// The smallest part that contains this byte.
    pub fn at(&self, file: &str, offset: usize) -> Option<&Part> {
        let around = self.files.get(file).into_iter().flatten().filter(|part| part.range.contains(&offset));
        around.min_by_key(|part| part.range.len())
    }

    /// The changes that take an arm from the match whose value begins at this byte.
    pub fn arms_at(&self, file: &str, offset: usize) -> Option<&Vec<usize>> {
        self.matches.get(file)?.get(&offset)
    }
}

impl Source {
    fn new(text: String) -> syn::Result<Self> {
        let syntax = syn::parse_file(&text)?;
        Ok(Self { text, syntax, sites: Vec::new(), matches: BTreeMap::new() })
    }

    /// The text in which the change was made.
    fn with_only(&self, mutant: &Mutant) -> Option<String> {
        let Range { start, end } = mutant.span.range(&self.text)?;
        Some([&self.text[..start], &mutant.replacement, &self.text[end..]].concat())
    }

    /// Adds the change to its site, a new one where there is none yet; none, if there is no site
    /// for it.
    fn add(&mut self, number: usize, mutant: &Mutant) -> Option<()> {
        let Range { start, end } = mutant.span.range(&self.text)?;
        let (range, form) = if mutant.genre == Genre::FnValue {
            (start..start, Form::Body)
        } else {
            let mut finder = Finder { start, genre: mutant.genre, found: None, matched: None };
            finder.visit_file(&self.syntax);
            if let Some(matched) = finder.matched {
                self.matches.entry(matched).or_default().push(number);
            }
            finder.found?
        };
        let changed = match form {
            Form::Body => mutant.replacement.clone(),
            Form::Pattern | Form::Guard => String::new(),
            Form::Expression => {
                format!(
                    "{}{}{}",
                    &self.text[range.start..start],
                    mutant.replacement,
                    &self.text[end..range.end]
                )
            }
        };
        let old = self.sites.iter_mut().find(|site| site.range == range && site.form == form);
        match old {
            Some(site) => site.changes.push((number, changed)),
            None => self.sites.push(Site { range, form, changes: vec![(number, changed)] }),
        }
        Some(())
    }

    /// The text with the changes, where each of them and each site is in it, and where what is
    /// matched begins, with the changes of its arms.
    fn with_changes(
        &self,
        wanted: impl Fn(usize) -> bool,
    ) -> (String, Vec<Part>, BTreeMap<usize, Vec<usize>>) {
        // At one place: what ends there, then bodies' beginnings, then what begins there, the
        // largest first.
        let mut insertions = Vec::new();
        for (i, site) in self.sites.iter().enumerate() {
            let changes: Vec<_> = site.changes.iter().filter(|(n, _)| wanted(*n)).collect();
            if changes.is_empty() {
                continue;
            }
            let length = site.range.len();
            let (before, after) = site.form.around(&changes);
            let rank = if length == 0 { (1, 0, i) } else { (2, usize::MAX - length, i) };
            insertions.push((site.range.start, rank, i, before));
            if let Some(after) = after {
                insertions.push((site.range.end, (0, length, usize::MAX - i), i, vec![(None, after)]));
            }
        }
        insertions.sort_by_key(|(at, rank, ..)| (*at, *rank));

        let (mut text, mut parts) = (String::new(), Vec::new());
        let mut starts = BTreeMap::new();
        let mut from = 0;
        let mut inserted = Vec::new();
        for (at, rank, site, pieces) in insertions {
            inserted.push((at, pieces.iter().map(|(_, piece)| piece.len()).sum::<usize>()));
            text.push_str(&self.text[from..at]);
            from = at;
            let start = text.len();
            for (number, piece) in pieces {
                let piece_start = text.len();
                text.push_str(&piece);
                parts.extend(number.map(|n| Part {
                    range: piece_start..text.len(),
                    changes: vec![n],
                    is_changed: true,
                }));
            }
            let start = match rank.0 {
                0 => starts[&site],
                1 => start,
                _ => {
                    starts.insert(site, start);
                    continue;
                }
            };
            let changes = self.sites[site].changes.iter().map(|(n, _)| *n).collect();
            parts.push(Part { range: start..text.len(), changes, is_changed: false });
        }
        text.push_str(&self.text[from..]);
        let moved = |at: usize| {
            at + inserted
                .iter()
                .take_while(|(before, _)| *before < at)
                .map(|(_, length)| length)
                .sum::<usize>()
        };
        let matches = self.matches.iter().map(|(at, arms)| (moved(*at), arms.clone())).collect();
        (text, parts, matches)
    }
}

impl Form {
    /// What comes before the site, in pieces of which some are one change's, and what behind it.
    fn around(self, changes: &[&(usize, String)]) -> (Vec<(Option<usize>, String)>, Option<String>) {
        let off = || {
            let mut text = String::new();
            for (i, (number, _)) in changes.iter().enumerate() {
                let and = if i == 0 { "" } else { " && " };
                write!(text, "{and}!crate::mutant_switch::on({number})").expect("a string takes all");
            }
            text
        };
        let pieces = |keyword: &str, last: &str, open: &str, close: &str| {
            let piece = |(i, (number, changed)): (usize, &&(usize, String))| {
                let keyword = if i == 0 { keyword } else { last };
                (
                    Some(*number),
                    format!("{keyword} crate::mutant_switch::on({number}) {{ {open}{changed}{close} }}"),
                )
            };
            changes.iter().enumerate().map(piece).collect::<Vec<_>>()
        };
        match self {
            Form::Body => (pieces("if", " if", "return ", ";"), None),
            Form::Pattern => (vec![(None, format!(" if {}", off()))], None),
            Form::Guard => (vec![(None, format!("{} && (", off()))], Some(")".into())),
            Form::Expression => {
                let mut before = pieces("(if", " else if", "", "");
                before.push((None, " else { ".into()));
                (before, Some(" })".into()))
            }
        }
    }
}

/// Finds the smallest part of a source that a change is made in.
struct Finder {
    start: usize,
    genre: Genre,
    found: Option<(Range<usize>, Form)>,
    /// Where the value begins whose match the arm is of.
    matched: Option<usize>,
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        let at = |span: proc_macro2::Span| span.byte_range().start == self.start;
        let is_site = match (self.genre, expr) {
            (Genre::BinaryOperator, syn::Expr::Binary(binary)) => at(binary.op.span()),
            (Genre::UnaryOperator, syn::Expr::Unary(unary)) => at(unary.op.span()),
            (Genre::StructField, syn::Expr::Struct(all)) => all.fields.iter().any(|field| at(field.span())),
            _ => false,
        };
        if is_site {
            self.found = Some((expr.span().byte_range(), Form::Expression));
        }
        visit::visit_expr(self, expr);
    }

    fn visit_expr_match(&mut self, all: &'ast syn::ExprMatch) {
        let begins = |arm: &syn::Arm| arm.span().byte_range().start == self.start;
        if self.genre == Genre::MatchArm && all.arms.iter().any(begins) {
            self.matched = Some(all.expr.span().byte_range().start);
        }
        visit::visit_expr_match(self, all);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let at = |span: proc_macro2::Span| span.byte_range().start == self.start;
        match (self.genre, &arm.guard) {
            (Genre::MatchArmGuard, Some((_, guard))) if at(guard.span()) => {
                self.found = Some((guard.span().byte_range(), Form::Expression));
            }
            (Genre::MatchArm, Some((_, guard))) if at(arm.span()) => {
                self.found = Some((guard.span().byte_range(), Form::Guard));
            }
            (Genre::MatchArm, None) if at(arm.span()) => {
                let end = arm.pat.span().byte_range().end;
                self.found = Some((end..end, Form::Pattern));
            }
            _ => {}
        }
        visit::visit_arm(self, arm);
    }
}

/// The first file of the crate that a file belongs to.
fn root(file: &str) -> Option<String> {
    Some(format!("{}/src/lib.rs", file.split_once("/src/")?.0))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests;
