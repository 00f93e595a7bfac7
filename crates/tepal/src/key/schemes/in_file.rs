//! Makes a scheme from the values in a file.

#[cfg(feature = "foreign")]
use super::parameters::Md5Split;
use super::parameters::{Parameter, Parameters, SecretKey};
use super::siphash13::SipHash13;
use super::{HashScheme, Hasher, Scheme, parameter};
use crate::error::{Error, Result};

impl Hasher {
    /// The scheme of a file, from the value at offset 64 and the record of the scheme. Without its
    /// secret it hashes no key, and its self-test is [`Error::KeyRequired`].
    pub(crate) fn of_file(
        scheme: Scheme,
        field: u64,
        record: Option<(u16, &str)>,
        secret: Option<&SecretKey>,
    ) -> Result<Self> {
        let mut given = Parameters::default();
        let its = parameter(scheme);
        match (its, secret) {
            (Parameter::Secret, None) if record.is_none() => {
                return Ok(Hasher::Hash(HashScheme::SipHash13(SipHash13::without_key(field))));
            }
            (Parameter::Secret, None) => {}
            (Parameter::Secret, Some(key)) => given.secret = Some(key.clone()),
            (_, Some(_)) => return Err(Error::KeyNotUsed),
            (_, None) => {}
        }
        if record.map(|(tag, _)| tag) != its.record_tag() {
            return Err(Error::damaged(format_args!(
                "a record of a scheme's parameter does not fit the scheme {scheme}"
            )));
        }
        let wrong = || Error::damaged(format_args!("the scheme {scheme} has no parameter {field}"));
        match its {
            Parameter::Seed => given.seed = Some(field),
            Parameter::Name => given.name = record.map(|(_, text)| text.into()),
            #[cfg(feature = "foreign")]
            Parameter::Choices => given.md5_split = Some(Md5Split::from_flags(field).ok_or_else(wrong)?),
            #[cfg(feature = "foreign")]
            Parameter::Seed32 => {
                let seed = record.and_then(|(_, text)| seed_from_hex(text));
                given.seed32 =
                    Some(seed.ok_or_else(|| Error::damaged("the seed record is not 64 hex digits"))?);
            }
            Parameter::Secret | Parameter::None => {}
        }
        let hasher = Hasher::new(scheme, &given)?;
        match hasher.parameters() == field {
            true => Ok(hasher),
            false if its == Parameter::Secret => Err(Error::WrongKey),
            false => Err(wrong()),
        }
    }
}

/// 32 bytes from 64 hexadecimal digits in small letters.
#[cfg(feature = "foreign")]
fn seed_from_hex(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut seed = [0; 32];
    for (byte, pair) in seed.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    (digits.len() == 64).then_some(seed)
}
