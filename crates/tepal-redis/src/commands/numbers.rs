//! Numbers and names among the arguments.

use tepal::SecretKey;

/// A whole number.
pub(super) fn whole(bytes: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(bytes).ok()?;
    (!text.starts_with('+')).then(|| text.parse().ok()).flatten()
}

/// A whole number in this range.
pub(super) fn within(bytes: &[u8], range: std::ops::RangeInclusive<i64>) -> Option<i64> {
    whole(bytes).filter(|number| range.contains(number))
}

/// A number with or without a point.
pub(super) fn double(bytes: &[u8]) -> Option<f64> {
    std::str::from_utf8(bytes).ok()?.parse().ok().filter(|number: &f64| !number.is_nan())
}

/// A secret: 32 digits of 16.
pub(super) fn secret(bytes: &[u8]) -> Result<SecretKey, &'static str> {
    SecretKey::from_hex(bytes).map_err(|_| "ERR the secret is not 32 hexadecimal digits")
}

/// The digits of a secret.
pub(super) fn digits(secret: &SecretKey) -> String {
    secret.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!((whole(b"-7"), whole(b"+7"), whole(b"7x"), whole(b"")), (Some(-7), None, None, None));
        assert_eq!((within(b"7", 1..=7), within(b"8", 1..=7)), (Some(7), None));
        assert_eq!((double(b"1e-3"), double(b"nan"), double(b"0,1")), (Some(0.001), None, None));
    }

    #[test]
    fn secrets_go_both_ways() {
        let key = secret(b"00112233445566778899aAbBcCdDeEfF").unwrap();
        assert_eq!(digits(&key), "00112233445566778899aabbccddeeff");
        assert!(secret(b"00").is_err() && secret(&[b'g'; 32]).is_err());
    }
}
