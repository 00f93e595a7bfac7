//! The only JSON document here: `{"m":1000,"k":4,"b":"base64"}`, as Go's encoding/json writes it.
//!
//! Parsed strictly: one object with exactly these three fields in any order, with white space
//! between.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Error, Result};

/// m, k and the text of b.
pub(super) fn read(bytes: &[u8]) -> Result<(u64, u64, &str)> {
    let text = core::str::from_utf8(bytes).map_err(|_| Error::damaged("its JSON is not UTF-8"))?;
    let (mut m, mut k, mut b) = (None, None, None);
    let object = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let object = object.ok_or_else(|| Error::damaged("its JSON is no object {...}"))?;
    // No value contains a comma or a colon: numbers and base64.
    for field in object.split(',') {
        let refused = || {
            let shown: String = field.chars().take(40).collect();
            Error::damaged(format_args!("its JSON has {shown:?} where m, k and b are expected, once each"))
        };
        let (name, value) = field.split_once(':').ok_or_else(refused)?;
        let number = || value.trim().parse::<u64>().map_err(|_| refused());
        let previous = match name.trim() {
            "\"m\"" => m.replace(number()?).is_some(),
            "\"k\"" => k.replace(number()?).is_some(),
            "\"b\"" => {
                let inner = value.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                let inner = inner.filter(|text| !text.contains(['"', '\\'])).ok_or_else(refused)?;
                b.replace(inner).is_some()
            }
            _ => true,
        };
        if previous {
            return Err(refused());
        }
    }
    match (m, k, b) {
        (Some(m), Some(k), Some(b)) => Ok((m, k, b)),
        _ => Err(Error::damaged("its JSON lacks one of m, k and b")),
    }
}

pub(super) fn write(m: u64, k: u64, b: &str) -> Vec<u8> {
    format!("{{\"m\":{m},\"k\":{k},\"b\":\"{b}\"}}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents() {
        let good = br#" { "k" : 4, "b":"QUJD" ,"m":1000 } "#;
        assert_eq!(read(good).unwrap(), (1000, 4, "QUJD"));
        assert_eq!(write(1000, 4, "QUJD"), br#"{"m":1000,"k":4,"b":"QUJD"}"#);
        for bad in [
            "",
            "{}",
            "[]",
            r#"{"m":1,"k":2}"#,
            r#"{"m":1,"k":2,"b":"x","m":3}"#,
            r#"{"m":-1,"k":2,"b":"x"}"#,
            r#"{"m":1.5,"k":2,"b":"x"}"#,
            r#"{"m":99999999999999999999,"k":2,"b":"x"}"#,
            r#"{"m":1,"k":2,"b":3}"#,
            r#"{"m":1,"k":2,"b":"a\"b"}"#,
            r#"{"m":1,"k":2,"b":"x","c":1}"#,
            r#"{"m":1,"k":2,"b":"x""#,
        ] {
            assert!(read(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(read(b"{\"m\":1,\"k\":2,\"b\":\"\xff\"}").is_err());
    }
}
