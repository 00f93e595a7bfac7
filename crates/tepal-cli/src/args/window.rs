//! The flags of `tepal build` about filters whose keys expire.

use clap::Args;
use tepal::facts::Window;

use crate::text::number;
use crate::text::separators::without_separators;

/// The end of the help of `tepal build`, about these.
pub const WINDOW_HELP: &str = "\
Keys that expire: a filter of --window 7d forgets each key seven days after it came last, by the clock of this machine, and at most a \
generation later (a sixth of the window, --generations); one of --window 1Mkeys holds the last million keys that came. tepal add tells it \
the time and puts keys in; has, which and test tell it the time before they ask, and has and which again while they run on. -n is how many different keys come in one window; left \
out, as many as the list has.
  tepal build logins.txt --window 7d -n 10M -o logins.tepal
  tepal build urls.txt --window 1Mkeys -o recent.tepal
A key of the window takes 15.3 bits at 1 %. A clock that is put back makes keys stay longer; it loses none.";

/// How long keys stay.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct WindowArgs {
    /// Forget each key so long after it came last: 90min, 12h, 7d, 4w, 6mo, 1y; or after so many
    /// keys: 1Mkeys
    #[arg(long, value_name = "WINDOW", aliases = ["expire", "expires", "expiring", "ttl"], value_parser = parse_window,
        conflicts_with_all = ["deletable", "count_bits", "counting"])]
    pub window: Option<Window>,
    /// In how many generations the window is counted, 1 to 254: a key stays for up to one more
    /// [default: 6]
    #[arg(long, value_name = "N", requires = "window", value_parser = parse_generations)]
    pub generations: Option<u8>,
}

fn parse_generations(text: &str) -> Result<u8, String> {
    number::parse_whole(text, 1, 254)
}

/// Reads `7d`, `90min`, `1Mkeys`.
pub fn parse_window(text: &str) -> Result<Window, String> {
    let help =
        "expected a time such as 30s, 90min, 12h, 7d, 4w, 6mo or 1y, or a number of keys such as 1Mkeys";
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    if let Some(keys) = lower.strip_suffix("keys").or_else(|| lower.strip_suffix("key")) {
        // The letters of numbers are read as they were written.
        return number::parse_count(&text[..keys.len()]).map(Window::Keys);
    }
    seconds(text, help, true).map(Window::Time)
}

/// Reads a time, in seconds.
pub fn parse_time(text: &str) -> Result<u64, String> {
    seconds(text.trim(), "expected a time such as 30s, 10min or 1h", false)
}

/// Reads a time: `90min`, `7d`, `6mo`. A month has 30 days, and a year 365. `or_keys`: a number of
/// keys is read too.
fn seconds(text: &str, help: &str, or_keys: bool) -> Result<u64, String> {
    let again = |text: &str| seconds(text, help, or_keys);
    let text = without_separators(text).map_err(|misspelt| misspelt.told_by(again))?;
    let digits = text.find(|c: char| c.is_ascii_alphabetic()).ok_or(help)?;
    let (digits, unit) = text.split_at(digits);
    let count = digits.trim();
    if unit == "M" {
        // Of counts it is a million.
        let keys = if or_keys { format!(", or {count}Mkeys for so many keys") } else { String::new() };
        return Err(format!("M may mean minutes or millions; write {count}min for the time{keys}"));
    }
    let unit = match unit.to_ascii_lowercase().as_str() {
        "s" | "sec" | "second" | "seconds" => 1,
        "m" | "min" | "minute" | "minutes" => 60,
        "h" | "hour" | "hours" => 3600,
        "d" | "day" | "days" => 86_400,
        "w" | "week" | "weeks" => 7 * 86_400,
        "mo" | "month" | "months" => 30 * 86_400,
        "y" | "year" | "years" => 365 * 86_400,
        _ => return Err(help.to_owned()),
    };
    let count: u64 = count.parse().map_err(|_| help.to_owned())?;
    match count.checked_mul(unit) {
        None | Some(0) => Err(help.to_owned()),
        Some(length) => Ok(length),
    }
}

/// `7 days`, `1 h`, `90 min`.
pub fn span(seconds: u64) -> String {
    let units = [(7 * 86_400, "week"), (86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")];
    let (unit, name) =
        units.into_iter().find(|(unit, _)| seconds % unit == 0 && seconds > 0).unwrap_or((1, "second"));
    number::counted(seconds / unit, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read_as_people_write_them() {
        for (text, window) in [
            ("7d", Window::Time(604_800)),
            ("1 week", Window::Time(604_800)),
            ("90min", Window::Time(5400)),
            ("12H", Window::Time(43_200)),
            ("7D", Window::Time(604_800)),
            ("1m", Window::Time(60)),
            ("5MIN", Window::Time(300)),
            ("6mo", Window::Time(180 * 86_400)),
            ("1 Month", Window::Time(30 * 86_400)),
            ("1y", Window::Time(365 * 86_400)),
            ("2 years", Window::Time(730 * 86_400)),
            ("30s", Window::Time(30)),
            ("1M keys", Window::Keys(1_000_000)),
            ("1000000keys", Window::Keys(1_000_000)),
            ("1Mkeys", Window::Keys(1_000_000)),
            ("1.5k keys", Window::Keys(1500)),
            ("1,500 keys", Window::Keys(1500)),
            ("1_000s", Window::Time(1000)),
        ] {
            assert_eq!(parse_window(text), Ok(window), "{text}");
        }
        for wrong in [
            "",
            "7",
            "d",
            "0d",
            "-1d",
            "1.5d",
            "7yr",
            "1MO2",
            "600000000000y",
            "0keys",
            "keys",
            "1e30keys",
            "99999999999999999999d",
            "300000000000000w",
            "1,5d",
            "1,500s",
            "1,5Mkeys",
            "1.000s",
        ] {
            assert!(parse_window(wrong).is_err(), "{wrong}");
        }
        for (wrong, minutes, keys) in
            [("1M", "1min", "1Mkeys"), ("20 M", "20min", "20Mkeys"), ("1_000M", "1000min", "")]
        {
            let text = parse_window(wrong).unwrap_err();
            assert!(text.contains(minutes) && text.contains(keys), "{wrong}: {text}");
        }
        let text = "1,500s may be read in two ways; write 1500s";
        assert_eq!(parse_window("1,500s"), Err(text.to_owned()));
        assert_eq!(
            [span(604_800), span(86_400 * 8), span(5400), span(61)],
            ["1 week", "8 days", "90 minutes", "61 seconds"]
        );
    }
}
