//! The file in which `tepal uniq` remembers what was seen.

use std::path::Path;

use tepal::{
    AnyFilter, ExpiringFilter, Opened, Recipe, ScalableBloomFilter, SealKey, SecretKey, facts::Labels,
    file::Format,
};

use super::recent;
use super::seen::empty_chain;
use crate::args::{FileArgs, OpenedAs, UniqArgs};
use crate::error::Failure;
use crate::input::field::Field;
use crate::open::open;
use crate::output::Target;
use crate::rows::{Origin, Rows, is_whole, may_be, same};
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number;

/// What a state remembers with.
pub enum Memory {
    /// A chain that grows.
    Chain(ScalableBloomFilter),
    /// A filter whose keys expire.
    Window(Box<ExpiringFilter>),
}

impl Memory {
    /// In which nothing was seen, as the flags want it.
    pub fn empty(args: &UniqArgs, secret: Option<&SecretKey>, rows: Origin) -> Result<Self, Failure> {
        Ok(match args.window {
            None => Self::Chain(empty_chain(args, secret, rows)?),
            Some(window) => Self::Window(Box::new(recent::empty(args, window, secret, rows)?)),
        })
    }

    fn labels(&self) -> &Labels {
        match self {
            Self::Chain(chain) => chain.links()[0].labels(),
            Self::Window(filter) => filter.labels(),
        }
    }

    fn recipe(&self) -> Recipe {
        match self {
            Self::Chain(chain) => chain.key_hasher().recipe(),
            Self::Window(filter) => filter.key_hasher().recipe(),
        }
    }

    fn promised_rate(&self) -> f64 {
        match self {
            Self::Chain(chain) => chain.promised_false_positive_rate(),
            Self::Window(filter) => filter.promised_false_positive_rate(),
        }
    }

    fn into_filter(self) -> AnyFilter {
        match self {
            Self::Chain(chain) => chain.into(),
            Self::Window(filter) => (*filter).into(),
        }
    }
}

/// A state that is locked, or only looked at.
pub struct State {
    /// How the rows of its keys are written, where they are a field of rows.
    pub rows: Option<Rows>,
    /// It records that whole lines are its keys.
    pub whole: bool,
    memory: Option<Memory>,
    /// Nothing where the state stays as it is.
    target: Option<Target>,
    seal: Option<SealKey>,
}

impl State {
    /// Opens the state, and makes it where it is not there. Nobody else uses it from then on.
    ///
    /// What is made keeps `rows`: how rows are written. `asked` is the field of the flags, as the
    /// first record has it.
    pub fn open(
        path: &Path,
        args: &UniqArgs,
        secrets: &Secrets,
        rows: &Origin,
        asked: Option<&Field>,
    ) -> Result<Self, Failure> {
        let name = shown(path);
        if path.as_os_str() == "-" {
            return Err(Failure::at("--state", "- is no file; name one, which is read and written"));
        }
        if args.count_new || args.quiet {
            let memory = if path.exists() { Some(memory_of(path, args, secrets, asked)?) } else { None };
            let rows = memory.as_ref().and_then(rows_of);
            let whole = memory.as_ref().is_some_and(|memory| is_whole(memory.labels()));
            return Ok(Self { rows, whole, memory, target: None, seal: None });
        }
        if !path.exists() {
            make(path, args, secrets, rows)?;
        }
        let Some(target) = Target::lock(path, args.no_wait, false)? else {
            return Err(Failure::at(&name, "no ordinary file; expected one that is read and replaced"));
        };
        let memory = memory_of(path, args, secrets, asked)?;
        // A folder in which nothing can be made is found before any line is judged.
        Target::new(path, true)?;
        Ok(Self {
            rows: rows_of(&memory),
            whole: is_whole(memory.labels()),
            memory: Some(memory),
            target: Some(target),
            seal: secrets.seal.clone(),
        })
    }

    /// What was seen, to be changed. Nothing where there is no file and none is made.
    pub fn take(&mut self) -> Option<Memory> {
        self.memory.take()
    }

    /// Is a file written?
    pub fn is_written(&self) -> bool {
        self.target.is_some()
    }

    /// The name of the file, for messages.
    pub fn name(&self) -> String {
        self.target.as_ref().map_or(String::new(), Target::name)
    }

    /// Puts what was seen in the place of what was seen before, as a whole. So many lines passed
    /// since the last save, and so many keys were new.
    pub fn save(&mut self, file: &Opened, passed: u64, new: u64) -> Result<(), Failure> {
        let Some(target) = &mut self.target else { return Ok(()) };
        target.save(file, self.seal.as_ref()).map_err(|failure| match failure {
            Failure::Message(text) => Failure::new(format!(
                "{text}; {} passed, and the state stays as it was: for the next run {} new again",
                number::counted(passed, "line"),
                match new {
                    1 => "1 key is".to_owned(),
                    keys => format!("{} keys are", number::count(keys)),
                }
            )),
            Failure::ClosedPipe => Failure::ClosedPipe,
        })
    }
}

/// Makes an empty state. Where another program makes it at the same time, that one is it.
fn make(path: &Path, args: &UniqArgs, secrets: &Secrets, rows: &Origin) -> Result<(), Failure> {
    let name = shown(path);
    let memory = Memory::empty(args, secrets.secret.as_ref(), rows.clone())?;
    let file = Opened::new(memory.into_filter(), Format::Tepal).map_err(|error| Failure::at(&name, error))?;
    let made = Target::new(path, false).and_then(|mut target| target.save(&file, secrets.seal.as_ref()));
    match made {
        Err(failure) if !path.exists() => Err(failure),
        _ => Ok(()),
    }
}

/// Of which rows the keys of a state are a field.
fn rows_of(memory: &Memory) -> Option<Rows> {
    Rows::of(memory.labels())
}

/// What a state remembers with, which fits the flags; `asked` is their field, as the first record
/// has it.
fn memory_of(
    path: &Path,
    args: &UniqArgs,
    secrets: &Secrets,
    asked: Option<&Field>,
) -> Result<Memory, Failure> {
    let name = shown(path);
    let refuse = |text: String| Err(Failure::at(&name, text));
    let file = open(path, FileArgs { opened_as: OpenedAs::State, ..FileArgs::default() }, secrets)?;
    let format = file.format();
    let memory = match file.into_filter() {
        AnyFilter::Scalable(_) if format == Format::Tepal && args.window.is_some() => {
            return refuse(
                "made without --window, and a filter that grows forgets no key; leave --window out, or name another state".to_owned(),
            );
        }
        AnyFilter::Scalable(chain) if format == Format::Tepal => Memory::Chain(chain),
        AnyFilter::Expiring(filter) if format == Format::Tepal => match recent::differs(args, &filter) {
            Some(text) => return refuse(text),
            None => Memory::Window(Box::new(filter)),
        },
        _ if format != Format::Tepal => {
            return refuse(format!(
                "a filter of {format}, and no state; name another file, which `uniq` makes"
            ));
        }
        AnyFilter::Growing(_) => {
            return refuse(
                "a growing filter of build, and no state; name another file, which `uniq` makes, or ask this one with: tepal has -v \
                 FILTER LINES, and then add the lines: tepal add FILTER LINES"
                    .to_owned(),
            );
        }
        _ => {
            return refuse(
                "one filter, which does not grow, and no state; name another file, which `uniq` makes, or ask this one \
                 with: tepal has -v FILTER LINES"
                    .to_owned(),
            );
        }
    };
    let (here, given) = (memory.recipe(), args.recipe.recipe());
    for (flag, is_here, is_given) in
        [("--trim", here.trim, given.trim), ("--nocase", here.nocase, given.nocase)]
    {
        if is_given && !is_here {
            return refuse(format!("made without {flag}; leave {flag} out, or name another state"));
        }
    }
    let kept = rows_of(&memory);
    // What a number means in JSON the first record has decided, if there was one.
    let asked = match (&args.keys.field, asked) {
        (Some(Field::Number(_)), Some(settled @ Field::Pointer(_))) => Some(settled.clone()),
        (field, _) => field.as_ref().map(|field| same(field, kept.as_ref())),
    };
    let is_it = |asked: &Field| kept.as_ref().is_some_and(|rows| may_be(asked, &rows.field));
    let (field, asked) = match asked {
        Some(asked) if is_it(&asked) => (None, None),
        asked => (memory.labels().field.clone(), asked.map(|asked| asked.text())),
    };
    match (field, asked) {
        (Some(here), None) if args.keys.whole => {
            return refuse(format!(
                "its keys are the field {here}; leave --whole out, or name another state"
            ));
        }
        (Some(here), Some(asked)) if asked != here => {
            return refuse(format!(
                "its keys are the field {here}, not the field {asked}; leave -f out, or name another state"
            ));
        }
        (None, Some(asked)) => {
            return refuse(format!(
                "its keys are whole lines, not the field {asked}; leave -f out, or name another state"
            ));
        }
        _ => {}
    }
    let promised = memory.promised_rate();
    match args.fpr {
        Some(asked) if asked != promised => refuse(format!(
            "made for {}, not {}; leave -p out, or name another state",
            number::rate(promised),
            number::rate(asked)
        )),
        _ => Ok(memory),
    }
}
