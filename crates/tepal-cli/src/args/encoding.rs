//! `--keys`: how keys become bytes, by the field's words and by those of other programs.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tepal::KeyDomain;

/// What `--keys` takes for one key domain.
struct Encoding {
    domain: KeyDomain,
    /// Its line of help.
    about: &'static str,
    /// What other programs call it, in any case of letters, with a space between the words.
    also: &'static str,
}

/// One for each domain.
const ENCODINGS: &[Encoding] = &[
    Encoding {
        domain: KeyDomain::Bytes,
        about: "the bytes of the key; text is UTF-8 (byteArrayFunnel, stringFunnel, BYTE_ARRAY, putString)",
        also: "byteArrayFunnel stringFunnel BYTE_ARRAY FIXED_LEN_BYTE_ARRAY putString putBinary utf8 utf-8 string text binary",
    },
    Encoding {
        domain: KeyDomain::Integer,
        about: "integers of 64 bits, little-endian (long, longFunnel, INT64, putLong)",
        also: "long longFunnel INT64 putLong BIGINT i64 u64 integer64",
    },
    Encoding {
        domain: KeyDomain::Integer32,
        about: "integers of 32 bits, little-endian (integerFunnel, INT32)",
        also: "integerFunnel INT32 i32 u32 integer32",
    },
    Encoding {
        domain: KeyDomain::Utf16,
        about: "text as its UTF-16 units, little-endian (unencodedCharsFunnel, UTF-16LE)",
        also: "unencodedCharsFunnel UTF-16LE utf16le",
    },
    Encoding {
        domain: KeyDomain::Float32,
        about: "numbers as IEEE 754 binary32, little-endian (FLOAT)",
        also: "FLOAT f32",
    },
    Encoding {
        domain: KeyDomain::Float64,
        about: "numbers as IEEE 754 binary64, little-endian (DOUBLE)",
        also: "DOUBLE f64",
    },
    Encoding {
        domain: KeyDomain::Hex,
        about: "bytes, written in hexadecimal: UUIDs, digests, DECIMAL (uuid)",
        also: "uuid hexadecimal",
    },
];

/// Words that mean one thing here and another there, with what to say instead.
const AMBIGUOUS: [(&str, &str); 4] =
    [("integer", INT), ("int", INT), ("utf-16", UTF_16), ("utf-16be", UTF_16)];
const INT: &str =
    "say int64 (Java's long, Guava's longFunnel, Spark) or int32 (Guava's integerFunnel, Parquet's INT32)";
const UTF_16: &str = "say utf16 for UTF-16LE, which Guava's unencodedCharsFunnel is too; keys in another order of bytes, or with a mark of it \
     before each as Java's \"UTF-16\" has it, give as hex";

/// The parser of `--keys`. Letters count in either case where the argument says `ignore_case`.
pub fn parse_encoding() -> impl TypedValueParser<Value = KeyDomain> {
    let named = ENCODINGS.iter().map(|encoding| {
        PossibleValue::new(encoding.domain.name()).help(encoding.about).aliases(encoding.also.split(' '))
    });
    let ambiguous = AMBIGUOUS.map(|(word, _)| PossibleValue::new(word).hide(true));
    PossibleValuesParser::new(named.chain(ambiguous)).try_map(|word| {
        let means = |encoding: &&Encoding| {
            encoding.domain.name().eq_ignore_ascii_case(&word)
                || encoding.also.split(' ').any(|also| also.eq_ignore_ascii_case(&word))
        };
        let found = ENCODINGS.iter().find(means).map(|encoding| encoding.domain);
        let instead = || AMBIGUOUS.iter().find(|(other, _)| other.eq_ignore_ascii_case(&word));
        found.ok_or_else(|| instead().map_or("no such encoding", |(_, instead)| instead))
    })
}

/// The key domains of a list, in words.
pub fn listed(domains: &[KeyDomain]) -> String {
    domains.iter().map(|domain| domain.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a program or a person would write in `--keys`.
    fn parsed(word: &str) -> Result<KeyDomain, String> {
        let arg = clap::Arg::new("keys").long("keys").ignore_case(true).value_parser(parse_encoding());
        let matches = clap::Command::new("t").arg(arg).try_get_matches_from(["t", "--keys", word]);
        let found = matches.map(|matches| *matches.get_one::<KeyDomain>("keys").unwrap());
        found.map_err(|error| error.to_string())
    }

    #[test]
    fn every_domain_has_its_words() {
        let mut domains: Vec<_> = ENCODINGS.iter().map(|encoding| encoding.domain).collect();
        assert_eq!(domains, KeyDomain::ALL);
        domains.dedup();
        for encoding in ENCODINGS {
            for word in encoding.also.split(' ').chain([encoding.domain.name()]) {
                assert_eq!(parsed(word), Ok(encoding.domain), "{word}");
                assert_eq!(parsed(&word.to_uppercase()), Ok(encoding.domain), "{word}");
                assert_eq!(parsed(&word.to_lowercase()), Ok(encoding.domain), "{word}");
            }
        }
    }

    #[test]
    fn what_means_two_things_is_asked_about() {
        for word in ["integer", "Int"] {
            let text = parsed(word).unwrap_err();
            assert!(text.contains("say int64 (Java's long") && text.contains("or int32 (Guava's"), "{text}");
        }
        for word in ["UTF-16", "utf-16be"] {
            let text = parsed(word).unwrap_err();
            assert!(text.contains("say utf16 for UTF-16LE") && text.contains("give as hex"), "{text}");
        }
        let text = parsed("int46").unwrap_err();
        let expected = "[possible values: bytes, int64, int32, utf16, float32, float64, hex]";
        assert!(text.contains(expected) && text.contains("int64"), "{text}");
    }
}
