//! The flags about other programs' files and schemes, and the verbs `merge` and `convert`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use tepal::{KeyDomain, Scheme, facts::Form, file::Format, hash::Md5Split};

use super::chain::parse_form;
use super::encoding::parse_encoding;
use super::{MakeArgs, SecretArgs};
use crate::text::number;

/// What a static filter may be taken to be called, where a format is expected.
pub const GUESSED_STATIC: [&str; 4] = ["static", "ribbon", "frozen", "immutable"];

/// What the file of a filter may not say about itself, and how it is opened.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct FileArgs {
    /// The format of the filter, where its file does not record it
    #[arg(long, value_name = "FORMAT", value_parser = parse_format())]
    pub from: Option<Format>,
    /// How keys become bytes, where the file does not record it [default: bytes]
    #[arg(long = "keys", value_name = "ENCODING", ignore_case = true, value_parser = parse_encoding())]
    pub encoding: Option<KeyDomain>,
    /// Read the filter into memory, do not map it: a mapped file that others cut or overwrite in
    /// place (cp, rsync --inplace) ends its reader with a bare "Bus error"
    #[arg(long)]
    pub read: bool,
    /// What it is opened as, for errors.
    #[arg(skip)]
    pub opened_as: OpenedAs,
    /// Without a look at the bits, for the verbs that have --quick.
    #[arg(skip)]
    pub quick: bool,
    /// Also without its secret and the key of its seal, for the verbs that ask no key.
    #[arg(skip)]
    pub without_keys: bool,
    /// Copied page by page when it is changed, not as a whole.
    #[arg(skip)]
    pub copy_on_write: bool,
}

/// What a verb opens a filter as. The errors name other ways out.
#[derive(Clone, Copy, Debug, Default)]
pub enum OpenedAs {
    /// A filter whose format --from names.
    #[default]
    Filter,
    /// The filter of `build --like`, whose format --to names.
    Like,
    /// The state of `uniq`, which has tepal's format.
    State,
}

/// Which scheme sets the bits, and which program is to read the file.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct SchemeArgs {
    /// How keys become bits [default: xxh3, or what the format of --to has]
    #[arg(long, value_name = "SCHEME", value_parser = parse_scheme())]
    pub scheme: Option<Scheme>,
    /// Write the file of another program
    #[arg(long, value_name = "FORMAT", value_parser = parse_format())]
    pub to: Option<Format>,
    /// How keys become bytes [default: bytes]
    #[arg(long = "keys", value_name = "ENCODING", ignore_case = true, value_parser = parse_encoding())]
    #[arg(conflicts_with = "integer")]
    pub encoding: Option<KeyDomain>,
    /// The rate by its name in the scheme md5-presets: 10%, 1% or 0.1%
    #[arg(long, value_name = "RATE", conflicts_with = "fpr")]
    pub preset: Option<Preset>,
    /// Variants of the scheme md5-split: le (little-endian halves), i0 (from 0), wrap (at 2^64)
    #[arg(long, value_name = "CHOICES", value_parser = parse_md5_split)]
    pub md5_split: Option<Md5Split>,
}

/// The presets of the scheme `md5-presets`, named after the rate.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Preset {
    /// 10 % wrong answers, 4.8 bits a key
    #[value(alias = "10%")]
    High,
    /// 1 % wrong answers, 9.6 bits a key
    #[value(alias = "1%")]
    Middle,
    /// 0.1 % wrong answers, 14.4 bits a key
    #[value(alias = "0.1%")]
    Low,
}

impl Preset {
    /// The rate it stands for.
    pub fn rate(self) -> f64 {
        match self {
            Self::High => 0.1,
            Self::Middle => 0.01,
            Self::Low => 0.001,
        }
    }
}

/// `tepal merge`.
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// The filters, all of one format, size and scheme
    #[arg(value_name = "FILTER", required = true)]
    pub filters: Vec<PathBuf>,
    /// Keep only the keys that all of the filters have
    #[arg(long)]
    pub and: bool,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    /// Merge even if the promised rate is exceeded. Filters of other programs, which refuse
    /// nothing, are merged in any case, with a warning
    #[arg(long)]
    pub past_promise: bool,
    #[command(flatten)]
    pub make: MakeArgs,
    /// Describe the new filter as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// What a filter can be converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// A file of this format, with the same bits.
    Format(Format),
    /// A static filter of it, as `--static` says: whoever guesses its name means that.
    Static,
}

/// The end of the help of `tepal convert`.
pub const CONVERT_HELP: &str = "\
With --to the bits stay as they are, and the other program finds the same keys. With --static a filter from which keys can be removed \
(build --deletable), or a growing one, becomes the smallest filter that there is, for a set to which few keys come and from which none \
go: one of the numbers that its keys have in it. The list is not needed. Such a file is one of tepal.
The rate is for the errors of both together, so the old filter has to be one of a clearly lower rate: made at 0.1 % it becomes one of 1 %. \
Keys can be added to the static filter, at 8 bytes each, and none removed.";

/// `tepal convert`.
#[derive(Args, Debug)]
#[group(id = "what", required = true, multiple = true, args = ["to", "is_static"])]
pub struct ConvertArgs {
    /// The filter
    #[arg(value_name = "FILTER")]
    pub filter: PathBuf,
    /// The format to write
    #[arg(long, value_name = "FORMAT", value_parser = parse_target())]
    pub to: Option<To>,
    /// Make a static filter of one from which keys can be removed, or of a growing one, without its
    /// keys: the smallest there is at the rate of -p (build --static makes one of a list)
    #[arg(long = "static", aliases = ["ribbon", "frozen", "freeze", "immutable", "smallest"], conflicts_with = "form")]
    pub is_static: bool,
    /// With --static: the rate of false positives of the static filter, for the errors of the old
    /// one and its own together
    #[arg(short = 'p', long, value_name = "RATE", value_parser = number::parse_rate)]
    pub fpr: Option<f64>,
    /// With --to redisbloom: the pairs of BF.SCANDUMP, or the payload of DUMP that RESTORE takes
    /// [default: what the file is, else pairs]
    #[arg(long, value_name = "FORM", value_parser = parse_form())]
    pub form: Option<Form>,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    #[command(flatten)]
    pub make: MakeArgs,
    /// Describe the new filter as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

fn parse_target() -> impl TypedValueParser<Value = To> {
    let formats = Format::ALL.iter().map(|format| PossibleValue::new(format.name()));
    let guesses = GUESSED_STATIC.iter().map(|name| PossibleValue::new(*name).hide(true));
    PossibleValuesParser::new(formats.chain(guesses)).try_map(|name| match GUESSED_STATIC.contains(&&*name) {
        true => Ok(To::Static),
        false => name.parse().map(To::Format),
    })
}

fn parse_format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.iter().map(|format| format.name()))
        .try_map(|name| name.parse::<Format>())
}

/// All schemes but the keyed one, which follows from `--secret`, and the one whose hashes another
/// program computes.
pub fn parse_scheme() -> impl TypedValueParser<Value = Scheme> {
    PossibleValuesParser::new(nameable().map(Scheme::name)).try_map(|name| name.parse::<Scheme>())
}

fn nameable() -> impl Iterator<Item = Scheme> {
    let others = [Scheme::SipHash13, Scheme::CallerHash];
    Scheme::ALL.iter().copied().filter(move |scheme| !others.contains(scheme))
}

fn parse_md5_split(text: &str) -> Result<Md5Split, String> {
    let mut rule = Md5Split::default();
    for choice in text.split(',') {
        match choice {
            "be" => rule.little_endian = false,
            "le" => rule.little_endian = true,
            "i1" => rule.from_zero = false,
            "i0" => rule.from_zero = true,
            "exact" => rule.wrapping = false,
            "wrap" => rule.wrapping = true,
            _ => {
                return Err("expected a list of be or le, i1 or i0, exact or wrap, such as le,i0,wrap".into());
            }
        }
    }
    Ok(rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Verb};
    use clap::Parser;

    #[test]
    fn every_scheme_and_encoding_can_be_named() {
        let parse = |flag: &str, name: &str| {
            let build = ["tepal", "build", "-o", "f", flag, name];
            Cli::try_parse_from(build).map(|cli| match cli.verb {
                Verb::Build(args) => args.scheme,
                _ => unreachable!(),
            })
        };
        for &domain in KeyDomain::ALL {
            assert_eq!(parse("--keys", domain.name()).unwrap().encoding, Some(domain));
        }
        for scheme in nameable() {
            assert_eq!(parse("--scheme", scheme.name()).unwrap().scheme, Some(scheme));
        }
        for scheme in [Scheme::SipHash13, Scheme::CallerHash] {
            assert!(parse("--scheme", scheme.name()).is_err());
        }
    }

    #[test]
    fn choices_of_md5_split() {
        assert_eq!(parse_md5_split("be,i1,exact"), Ok(Md5Split::default()));
        let all = Md5Split { little_endian: true, from_zero: true, wrapping: true };
        assert_eq!(parse_md5_split("le,i0,wrap"), Ok(all));
        assert!(parse_md5_split("").is_err() && parse_md5_split("le i0").is_err());
    }
}
