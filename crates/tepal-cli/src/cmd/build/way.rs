//! How the keys of a list become a filter: which kind is asked for, and what makes it.

use std::path::Path;

use tepal::build::{Built, Gather};
use tepal::{BloomFilterBuilder, ExpiringFilterBuilder, Opened};

use super::exact::{self, ExactOn};
use super::grow::{self, Growth};
use super::{gather, keyed, like, map, ribbon, segments, table, window};
use crate::args::BuildArgs;
use crate::error::Failure;
use crate::input::bad::BadPolicy;
use crate::input::field::KeyRules;
use crate::input::pages::Inputs;
use crate::input::source::Source;
use crate::output::Target;
use crate::rows::Rows;
use crate::secrets::Secrets;
use crate::text::message::shown;

/// How the keys of the list become a filter.
pub enum Way {
    /// They go into one as they come, or wait until their number is known.
    Gather(Box<Gather>),
    /// They are compared with a universe first.
    Exact(Box<BloomFilterBuilder>),
    /// They are sorted into a table.
    Table(table::Shape),
    /// They go into a table that forgets them one day.
    Window(Box<ExpiringFilterBuilder>),
    /// They go into one that grows.
    Grow(Box<Growth>),
    /// They go into a table that says in which segments they are.
    Segments(Box<segments::Shape>),
    /// They are all there are, and each has a value.
    Map(Box<map::Shape>),
}

impl Way {
    /// What the flags ask for, and what a key of a record is.
    pub fn of(
        args: &BuildArgs,
        sources: &[Source],
        secrets: &Secrets,
        target: &Target,
    ) -> Result<(Self, KeyRules), Failure> {
        if let Some(path) = &args.like {
            let (file, rules) = like::file(path, args, sources, secrets)?;
            return Ok((Self::like(path, file)?, rules));
        }
        let rules = KeyRules { by: map::field(args), ..args.keys.rules(BadPolicy::Fail)? };
        args.keys.check_field()?;
        let rows = Rows::label(&rules, sources);
        let way = if args.window.window.is_some() {
            Self::Window(Box::new(window::described(args, rows, secrets)?))
        } else if map::flag(args).is_some() {
            Self::Map(Box::new(map::described(args, rows, secrets)?))
        } else if args.ribbon.is_static {
            Self::Gather(Box::new(ribbon::new_gather(args, rows, secrets, target)?))
        } else if args.grow.growing {
            Self::Grow(Box::new(grow::described(args, rows, secrets)?))
        } else if args.segments.flag().is_some() {
            Self::Segments(Box::new(segments::described(args, rows, secrets)?))
        } else if args.table.flag().is_some() {
            Self::Table(table::Shape::Flags(Box::new(table::described(args, rows, secrets)?)))
        } else if args.exact_on.is_empty() {
            Self::Gather(Box::new(gather::new_gather(args, keyed(args, rows, secrets)?, target)?))
        } else {
            Self::Exact(Box::new(keyed(args, rows, secrets)?))
        };
        Ok((way, rules))
    }

    /// How keys become a filter like the one at `path`, which is `file`.
    fn like(path: &Path, file: Opened) -> Result<Self, Failure> {
        let failed = |error| Failure::at(&shown(path), error);
        match table::like(file).map_err(failed)? {
            Ok(shape) => Ok(Self::Table(shape)),
            Err(file) => Ok(Self::Gather(Box::new(Gather::like(file).map_err(failed)?))),
        }
    }

    /// Reads all keys and builds the filter of them. Says what a universe had.
    pub fn build(
        self,
        args: &BuildArgs,
        target: &Target,
        rules: &KeyRules,
        inputs: &mut Inputs,
    ) -> Result<(Built, Option<ExactOn>), Failure> {
        let built = match self {
            Self::Gather(gather) => gather::gather_all(*gather, inputs, args.like.as_deref())?,
            Self::Exact(builder) => {
                let (built, exact) = exact::build(*builder, args, target, rules, inputs)?;
                return Ok((built, Some(exact)));
            }
            Self::Table(shape) => table::build(shape, args, inputs)?,
            Self::Window(builder) => window::build(*builder, args, inputs)?,
            Self::Grow(growth) => grow::build(*growth, args, inputs)?,
            Self::Segments(shape) => segments::build(*shape, args, inputs)?,
            Self::Map(shape) => map::build(*shape, args, inputs)?,
        };
        Ok((built, None))
    }
}
