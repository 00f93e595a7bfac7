//! How the keys of a list become a filter: which kind is asked for, and what makes it.

use std::path::Path;

use tepal::build::{Built, Gather};
use tepal::{Opened, file::Format};

use super::exact::{self, ExactOn};
use super::{described_bloom, gather, grow, like, map, ribbon, segments, table, window};
use crate::args::BuildArgs;
use crate::error::Failure;
use crate::input::bad::BadPolicy;
use crate::input::field::KeyRules;
use crate::input::pages::Inputs;
use crate::output::Target;
use crate::rows::Origin;
use crate::secrets::Secrets;
use crate::text::message::shown;

/// A filter that was built, and what a universe had.
type Made = (Built, Option<ExactOn>);

type Make<'a> = dyn FnOnce(&mut Inputs) -> Result<Made, Failure> + 'a;

/// Reads all keys and builds the filter of them.
pub struct Way<'a>(Box<Make<'a>>);

/// What a key of a record is, by the flags and the filter of `--like`, which is opened.
pub fn rules(args: &BuildArgs, secrets: &Secrets) -> Result<(Option<Opened>, KeyRules), Failure> {
    if let Some(path) = &args.like {
        let (file, mut rules) = like::file(path, args, secrets)?;
        if file.format() == Format::Tepal {
            let kept = rules.empty_keys;
            args.empty.apply(&mut rules, kept, file.key_hasher().recipe().trim);
        }
        return Ok((Some(file), rules));
    }
    args.keys.check_field()?;
    let mut rules = KeyRules { by: map::field(args), waits: true, ..args.keys.rules(BadPolicy::Fail)? };
    // Files of other programs have every key, as before.
    if matches!(args.scheme.to, None | Some(Format::Tepal)) {
        args.empty.apply(&mut rules, false, args.recipe.trim);
    }
    Ok((None, rules))
}

impl<'a> Way<'a> {
    /// The way of a filter that is not exact on a universe.
    pub fn of(build: impl FnOnce(&mut Inputs) -> Result<Built, Failure> + 'a) -> Self {
        Self(Box::new(|inputs| Ok((build(inputs)?, None))))
    }

    /// The filter that the flags ask for, of records of this origin: one like `like`, which
    /// [`rules`] has opened, or another.
    pub fn new(
        args: &'a BuildArgs,
        like: Option<Opened>,
        rules: &KeyRules,
        rows: Origin,
        secrets: &Secrets,
        target: &'a Target,
    ) -> Result<Self, Failure> {
        if let (Some(path), Some(file)) = (&args.like, like) {
            return Self::like(path, like::relabelled(path, file, args, rows)?, args);
        }
        Ok(if args.window.window.is_some() {
            window::way(args, rows, secrets)?
        } else if map::flag(args).is_some() {
            map::way(args, rows, secrets)?
        } else if args.ribbon.is_static {
            Self::gather(ribbon::new_gather(args, rows, secrets, target)?, None)
        } else if args.grow.growing {
            grow::way(args, rows, secrets)?
        } else if args.segments.flag().is_some() {
            segments::way(args, rows, secrets)?
        } else if args.table.flag().is_some() {
            table::way(args, rows, secrets)?
        } else if args.exact_on.is_empty() {
            Self::gather(gather::new_gather(args, described_bloom(args, rows, secrets)?, target)?, None)
        } else {
            let (builder, rules) = (described_bloom(args, rows, secrets)?, rules.clone());
            let build = move |inputs: &mut Inputs| exact::build(builder, args, target, &rules, inputs);
            Self(Box::new(move |inputs| build(inputs).map(|(built, exact)| (built, Some(exact)))))
        })
    }

    /// How keys become a filter like the one at `path`, which is `file`.
    fn like(path: &'a Path, file: Opened, args: &'a BuildArgs) -> Result<Self, Failure> {
        match table::like(file, args)? {
            Ok(way) => Ok(way),
            Err(file) => {
                let gather = Gather::like(file).map_err(|error| Failure::at(&shown(path), error))?;
                Ok(Self::gather(gather, Some(path)))
            }
        }
    }

    /// Keys go into a filter as they come, or wait until their number is known.
    fn gather(gather: Gather, like: Option<&'a Path>) -> Self {
        Self::of(move |inputs| gather::gather_all(gather, inputs, like))
    }

    /// Reads all keys and builds the filter of them. Says what a universe had.
    pub fn build(self, inputs: &mut Inputs) -> Result<Made, Failure> {
        self.0(inputs)
    }
}
