//! Reads and writes numbers as people write them: `20M`, `24MiB`, `1%`, `1 in 100`.
//!
//! Letters are those of the SI: `k`, `M`, `G`, `T` are powers of 1000; with an `i` (`KiB`, `MiB`)
//! powers of 1024. What may stand between digits is in `separators.rs`.

use crate::text::separators::without_separators;

/// Reads a number of keys: `20M`, `1.5k`, `20_000_000`, `20,000,000`, `2e7`. At least 1.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let help = "expected a whole number such as 20000000, 20M or 1.5k";
    let text = without_separators(text).map_err(|misspelt| misspelt.told_by(parse_count))?;
    let (digits, unit) = split_unit(&text);
    let scale = multiplier(unit).ok_or_else(|| format!("not a number of keys; {help}"))?;
    match whole(digits, scale) {
        Some(0) => Err("0 keys; expected 1 or more".to_owned()),
        Some(n) => Ok(n),
        None => Err(format!("not a whole number, or one past 2^64; {help}, up to 2^64 - 1")),
    }
}

/// As [`parse_count`], but 0 is allowed.
pub fn parse_count_or_zero(text: &str) -> Result<u64, String> {
    if text.trim() == "0" {
        return Ok(0);
    }
    parse_count(text)
}

/// Reads a size in bytes: `24MiB`, `24MB`, `24M`, `4096`. At least 1.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let help = "expected a size such as 24MiB, 24MB or 4096 (bytes)";
    let text = without_separators(text).map_err(|misspelt| misspelt.told_by(parse_size))?;
    let (digits, unit) = split_unit(&text);
    let letter = unit.strip_suffix(['B', 'b']).unwrap_or(unit);
    let scale = multiplier(letter).ok_or_else(|| format!("not a size; {help}"))?;
    match whole(digits, scale) {
        Some(0) => Err("a size of 0 bytes; expected 1 or more".to_owned()),
        Some(n) => Ok(n),
        None => Err(format!("not a whole number of bytes below 2^64; {help}")),
    }
}

/// Reads a rate of false positives: `1%`, `0.01`, `1e-6`, `1 in 100`, `1/100`. Above 0 and below 1.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    let help = "expected a share above 0 and below 1, such as 1%, 0.01, 1e-6 or \"1 in 100\"";
    let lower = text.to_ascii_lowercase();
    let value = if let Some((one, many)) = lower.split_once("in").or_else(|| lower.split_once('/')) {
        match (decimal(&without_separators(one)?), decimal(&without_separators(many)?)) {
            (Some(one), Some(many)) => Some(one / many),
            _ => None,
        }
    } else {
        let plain = without_separators(text).map_err(|misspelt| misspelt.told_by(parse_rate))?;
        match plain.strip_suffix('%') {
            Some(percent) => decimal(percent).map(|v| v / 100.0),
            None => decimal(&plain),
        }
    };
    match value {
        Some(rate) if rate > 0.0 && rate < 1.0 => Ok(rate),
        Some(_) => Err(format!("not a rate a filter can have; {help}")),
        None => Err(format!("not a rate; {help}")),
    }
}

/// Reads a whole number from `least` to `most`, without a unit.
pub fn parse_whole<N: TryFrom<u64>>(text: &str, least: u64, most: u64) -> Result<N, String> {
    let expected = format!("expected a number from {least} to {most}, such as 4");
    let read = |way: &str| parse_whole::<N>(way, least, most);
    let plain = without_separators(text).map_err(|misspelt| misspelt.told_by(read))?;
    let value = plain.parse().ok().filter(|n| (least..=most).contains(n));
    value.and_then(|n| N::try_from(n).ok()).ok_or(expected)
}

/// Parses a number in its usual spelling (no `+`, no leading 0); `None` for other text.
pub fn plain_number(text: &str) -> Option<u32> {
    let is_plain = text == "0" || !text.starts_with(['0', '+']);
    text.parse().ok().filter(|_| is_plain)
}

/// Reads a seed: any `u64`, decimal or `0x…`.
pub fn parse_seed(text: &str) -> Result<u64, String> {
    let expected = "expected a whole number from -2^63 to 2^64 - 1, or 0x and hex digits";
    let plain = |digits| without_separators(digits).map_err(|misspelt| misspelt.told_by(parse_seed));
    let value = match (text.strip_prefix("0x"), text.strip_prefix('-')) {
        (Some(hex), _) => u64::from_str_radix(hex, 16).ok(),
        // Spark's seeds have a sign.
        (None, Some(digits)) => format!("-{}", plain(digits)?).parse().ok().map(|seed: i64| seed as u64),
        (None, None) => plain(text)?.parse().ok(),
    };
    value.ok_or_else(|| expected.to_owned())
}

/// `20000000` as `20,000,000`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `n` things: `1 key`, `2 keys`.
pub fn counted(n: u64, thing: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {thing}{s}", count(n))
}

/// Bytes as `24.8 MiB`; below 1 KiB as `870 bytes`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return counted(bytes, "byte");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A promised rate, as [`rate`] writes it; 0 is `0`.
pub fn promise(promised: f64) -> String {
    if promised <= 0.0 { "0".to_owned() } else { rate(promised) }
}

/// A rate as `1 in 100`; 0 is `never`, a rate close to 0 is `0`, and a rate above a half is in
/// percent.
pub fn rate(rate: f64) -> String {
    if rate <= 0.0 {
        return "never".to_owned();
    }
    if rate > 0.5 {
        return percent(rate);
    }
    let one_in = 1.0 / rate;
    if one_in == f64::INFINITY {
        return "0".to_owned();
    }
    if one_in >= 1e18 {
        return format!("1 in {one_in:.1e}");
    }
    if one_in >= 99.95 {
        return format!("1 in {}", count(four_digits(one_in)));
    }
    let text = format!("{one_in:.1}");
    format!("1 in {}", text.strip_suffix(".0").unwrap_or(&text))
}

/// A fraction of 1 in percent: `55 %`, `0.98 %`.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    if value == 0.0 || value >= 9.95 {
        format!("{value:.0} %")
    } else if value >= 0.995 {
        format!("{value:.1} %")
    } else if value >= 0.0095 {
        format!("{value:.2} %")
    } else {
        format!("{value:.1e} %")
    }
}

/// Rounds an estimate to a whole number of at most four digits that are not 0: it is not more
/// exact.
pub fn four_digits(value: f64) -> u64 {
    let mut step = 1.0_f64;
    while value / step >= 9_999.5 {
        step *= 10.0;
    }
    ((value / step).round() * step) as u64
}

/// Splits the digits of a number from the unit after them.
fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let exponent = matches!(bytes[end], b'e' | b'E')
            && bytes.get(end + 1).is_some_and(|&b| b.is_ascii_digit() || b == b'+');
        if !(bytes[end].is_ascii_digit() || bytes[end] == b'.' || exponent) {
            break;
        }
        end += if exponent { 2 } else { 1 };
    }
    (&text[..end], text[end..].trim_start())
}

/// The factor of a unit's letters, without the `B` of bytes.
fn multiplier(unit: &str) -> Option<u64> {
    Some(match unit {
        "" => 1,
        "k" | "K" => 1_000,
        "m" | "M" => 1_000_000,
        "g" | "G" => 1_000_000_000,
        "t" | "T" => 1_000_000_000_000,
        "ki" | "Ki" => 1 << 10,
        "mi" | "Mi" => 1 << 20,
        "gi" | "Gi" => 1 << 30,
        "ti" | "Ti" => 1 << 40,
        _ => return None,
    })
}

/// `digits × scale`, exactly; `None` if this is not a whole number below 2^64.
fn whole(digits: &str, scale: u64) -> Option<u64> {
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.trim_start_matches('+').parse().ok()?),
        None => (digits, 0_u32),
    };
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value: u128 = 0;
    let mut seen = false;
    for byte in before.bytes().chain(after.bytes()) {
        match byte {
            b'0'..=b'9' => {
                value = value.checked_mul(10)?.checked_add(u128::from(byte - b'0'))?;
                seen = true;
            }
            _ => return None,
        }
    }
    let places = after.bytes().filter(u8::is_ascii_digit).count();
    let divisor = 10_u128.checked_pow(u32::try_from(places).ok()?)?;
    let value = value.checked_mul(u128::from(scale))?.checked_mul(10_u128.checked_pow(exponent)?)?;
    if !seen || value % divisor != 0 {
        return None;
    }
    u64::try_from(value / divisor).ok()
}

/// Parses a plain decimal number; words such as `nan` and `inf` are not numbers.
fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b)) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests;
