//! The words of the command line, as `clap` is given them.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};

/// The words, in which a key that begins with `=` stays whole: `-e=5` asks for the key `=5`, as it
/// does in grep. `clap` takes one `=` off, so it is given another.
pub fn with_whole_keys(words: impl IntoIterator<Item = OsString>, program: &Command) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let Some(verb) = words.iter().skip(1).find_map(|word| program.find_subcommand(word)) else {
        return words;
    };
    let mut is_key = false;
    for word in words.iter_mut().skip(1) {
        if std::mem::take(&mut is_key) {
            continue;
        }
        match key_in(word, verb) {
            _ if word == "--" => break,
            Some([]) => is_key = true,
            Some(key @ [b'=', ..]) => {
                let bytes = word.as_encoded_bytes();
                let flags = &bytes[..bytes.len() - key.len()];
                if let Some(doubled) = os_string([flags, b"=", key].concat()) {
                    *word = doubled;
                }
            }
            _ => is_key = word == "--key",
        }
    }
    words
}

/// What follows `-e` in a word of short flags; `None` if the word gives no key.
fn key_in<'a>(word: &'a OsStr, verb: &Command) -> Option<&'a [u8]> {
    let letters = word.as_encoded_bytes().strip_prefix(b"-")?;
    // What follows a flag with a value is the value.
    let with_value = letters.iter().position(|letter| {
        let mut flags = verb.get_arguments();
        flags.find(|flag| has(flag, char::from(*letter))).is_none_or(|flag| flag.get_action().takes_values())
    })?;
    (letters[with_value] == b'e').then(|| &letters[with_value + 1..])
}

/// Whether the letter stands for the flag.
fn has(flag: &Arg, letter: char) -> bool {
    flag.get_short() == Some(letter)
        || flag.get_all_short_aliases().is_some_and(|letters| letters.contains(&letter))
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::help;

    #[test]
    fn only_keys_get_another_equals_sign() {
        for (line, expected) in [
            ("tepal has f -e=5", "tepal has f -e==5"),
            ("tepal --color never has -ve==5 f", "tepal --color never has -ve===5 f"),
            ("tepal query -ze= f", "tepal query -ze== f"),
            // The key of another -e, the value of another flag, a name after --, a long flag.
            ("tepal has f -e -e=5 -e=5", "tepal has f -e -e=5 -e==5"),
            ("tepal has f --key -e=5", "tepal has f --key -e=5"),
            ("tepal has f -fe=5 -m=1", "tepal has f -fe=5 -m=1"),
            ("tepal has f -e -- -e=5", "tepal has f -e -- -e==5"),
            ("tepal has f -- -e=5", "tepal has f -- -e=5"),
            ("tepal has f --key=5 -e5 -e", "tepal has f --key=5 -e5 -e"),
            // Verbs without the flag.
            ("tepal plan -e=5", "tepal plan -e==5"),
            ("tepal -e=5", "tepal -e=5"),
        ] {
            let words = line.split(' ').map(OsString::from);
            let found = with_whole_keys(words, &help::command());
            assert_eq!(found.join(OsStr::new(" ")), expected, "{line}");
        }
    }
}
