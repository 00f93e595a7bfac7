//! The flags of `tepal build` about what filters of RedisBloom and valkey-bloom alone have.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use tepal::{Scheme, builders::BloomFilterBuilder, facts::Form, file::Format};

use super::ShapeArgs;
use crate::error::Failure;
use crate::text::number;

/// How a chain grows, its seed, and the form of its file.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ChainArgs {
    /// With --to redisbloom or valkey-bloom: let the filter grow. A full filter is followed by one
    /// for this many times its keys
    ///
    /// The servers take 2 by default. Without this flag the filter does not grow (NONSCALING) and
    /// is made for the keys of the list.
    #[arg(long, value_name = "TIMES", value_parser = parse_expansion)]
    pub expansion: Option<u32>,
    /// With --to valkey-bloom: the seed of the object, 64 hex digits [default: the one that a
    /// server takes which is told not to draw one]
    #[arg(long, value_name = "HEX", value_parser = parse_valkey_seed, conflicts_with_all = ["seed", "seed_for", "secret"])]
    pub valkey_seed: Option<[u8; 32]>,
    /// With --to redisbloom: the pairs of BF.SCANDUMP, or the payload of DUMP that RESTORE takes
    /// [default: pairs]
    #[arg(long, value_name = "FORM", value_parser = parse_form())]
    pub form: Option<Form>,
}

impl ChainArgs {
    /// Refuses what does not go with the rest.
    pub fn check(
        &self,
        to: Option<Format>,
        scheme: Option<Scheme>,
        shape: &ShapeArgs,
    ) -> Result<(), Failure> {
        if self.expansion.is_some() {
            if !matches!(to, Some(Format::RedisBloom | Format::ValkeyBloom)) {
                return Err(Failure::new(
                    "--expansion belongs to --to redisbloom and --to valkey-bloom, whose filters can grow; name one of \
                     them, or leave it out",
                ));
            }
            let given = [("-s", shape.size.is_some()), ("-k", shape.num_hashes.is_some())];
            if let Some((flag, _)) = given.iter().find(|(_, given)| *given) {
                return Err(Failure::new(format!(
                    "{flag} and --expansion are given; what grows is sized by -n and -p, leave {flag} out"
                )));
            }
            if let (Some(Format::RedisBloom), Some(rate)) = (to, shape.fpr.filter(|rate| *rate > 0.25)) {
                return Err(Failure::new(format!(
                    "-p is {rate}, and RedisBloom makes 0.25 of every rate above that where a filter grows; give -p 0.25"
                )));
            }
        }
        if self.valkey_seed.is_some() && scheme != Some(Scheme::ValkeyBloom) {
            let found = scheme.unwrap_or(Scheme::Xxh3);
            return Err(Failure::new(format!(
                "--valkey-seed belongs to the scheme {}, not to {found}; say --to valkey-bloom, or leave it out",
                Scheme::ValkeyBloom
            )));
        }
        check_form(self.form, to.unwrap_or(Format::Tepal))
    }

    /// The filter that is described so far, with these.
    pub fn describe(&self, mut builder: BloomFilterBuilder) -> BloomFilterBuilder {
        if let Some(times) = self.expansion {
            builder = builder.expansion(times);
        }
        if let Some(seed) = self.valkey_seed {
            builder = builder.valkey_seed(seed);
        }
        builder
    }
}

/// Only RedisBloom's files have two forms.
pub fn check_form(form: Option<Form>, to: Format) -> Result<(), Failure> {
    match form {
        Some(form) if to != Format::RedisBloom => Err(Failure::new(format!(
            "--form {form} belongs to --to redisbloom, and files of {to} have one form; leave it out"
        ))),
        _ => Ok(()),
    }
}

/// One of the forms, by name.
pub fn parse_form() -> impl TypedValueParser<Value = Form> {
    PossibleValuesParser::new(Form::ALL.iter().map(|form| form.name())).try_map(|name| {
        let form = Form::ALL.iter().find(|form| form.name() == name);
        form.copied().ok_or("no such form")
    })
}

fn parse_expansion(text: &str) -> Result<u32, String> {
    number::parse_whole(text, 1, u64::from(u32::MAX))
}

fn parse_valkey_seed(text: &str) -> Result<[u8; 32], String> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| Some(c.to_digit(16)? as u8)).collect();
    let pairs = digits.as_ref().filter(|digits| digits.len() == 64).map(|digits| digits.chunks_exact(2));
    let mut seed = [0; 32];
    match pairs {
        Some(pairs) => {
            seed.iter_mut().zip(pairs).for_each(|(byte, pair)| *byte = pair[0] << 4 | pair[1]);
            // They are the keys of two hashes.
            match seed[..16] == seed[16..] {
                true => Err("its halves are equal, so that its two hashes would be one; take random digits"
                    .to_owned()),
                false => Ok(seed),
            }
        }
        None => Err("expected 64 hex digits, as `tepal info` shows them".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_have_64_digits() {
        let digits = "590FF522ea7811daa714d8093b3e7bd91d898a733e988887307f97cd28073383";
        let seed = parse_valkey_seed(digits).unwrap();
        assert_eq!((seed[0], seed[1], seed[31]), (0x59, 0x0F, 0x83));
        for wrong in [
            "",
            "59",
            &"0".repeat(64),
            &digits[..32].repeat(2),
            &digits[1..],
            &format!("{digits}0"),
            &digits.replace('5', "g"),
            &"é".repeat(32),
        ] {
            assert!(parse_valkey_seed(wrong).is_err(), "{wrong}");
        }
    }
}
