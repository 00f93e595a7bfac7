//! The arguments of `--loadmodule`.

use std::sync::OnceLock;

use crate::server::Text;

/// What the arguments say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    /// `types own`: only the module's own data type, beside another module with its own.
    pub(crate) own_types: bool,
    /// `compat valkey`: the replies and errors of valkey-bloom.
    pub(crate) valkey: bool,
    /// `max-bytes N`: the largest filter that a command makes or loads.
    pub(crate) max_bytes: u64,
}

const DEFAULT: Settings = Settings { own_types: false, valkey: false, max_bytes: 1 << 30 };

static SETTINGS: OnceLock<Settings> = OnceLock::new();

pub(crate) fn set(settings: Settings) {
    let _ = SETTINGS.set(settings);
}

pub(crate) fn get() -> Settings {
    SETTINGS.get().copied().unwrap_or(DEFAULT)
}

impl Settings {
    pub(crate) fn read(args: &[Text]) -> Result<Self, String> {
        let words: Vec<_> = args.iter().map(|arg| String::from_utf8_lossy(arg.bytes())).collect();
        Settings::parse(&words.iter().map(AsRef::as_ref).collect::<Vec<_>>())
    }

    fn parse(words: &[&str]) -> Result<Self, String> {
        let mut settings = DEFAULT;
        for pair in words.chunks(2) {
            match *pair {
                ["types", "own"] => settings.own_types = true,
                ["types", "all"] => settings.own_types = false,
                ["compat", "valkey"] => settings.valkey = true,
                ["compat", "redisbloom"] => settings.valkey = false,
                ["max-bytes", bytes] => {
                    settings.max_bytes = bytes
                        .parse()
                        .map_err(|_| format!("max-bytes is {bytes:?}, expected a number of bytes"))?;
                }
                _ => {
                    return Err(format!(
                        "the argument {:?} is not known; expected are `types own`, `compat valkey` and `max-bytes N`",
                        pair.join(" ")
                    ));
                }
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        assert_eq!(Settings::parse(&[]), Ok(DEFAULT));
        let all = Settings { own_types: true, valkey: true, max_bytes: 5 };
        assert_eq!(Settings::parse(&["compat", "valkey", "max-bytes", "5", "types", "own"]), Ok(all));
        for wrong in [&["types"][..], &["types", "mine"], &["max-bytes", "1k"], &["speed", "high"]] {
            let error = Settings::parse(wrong).unwrap_err();
            assert!(error.contains("expected"), "{error}");
        }
    }
}
