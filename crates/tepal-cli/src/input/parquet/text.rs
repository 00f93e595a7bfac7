//! The text of a value, which is the key.

use ::parquet::basic::{ConvertedType, LogicalType, Type};
use ::parquet::schema::types::ColumnDescriptor;

/// How the values of a column become text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// `true` and `false`.
    Bool,
    /// The digits of an integer, with a `-` before a negative one.
    Signed,
    /// The digits of an integer without a sign.
    Unsigned,
    /// `2026-11-26`.
    Date,
    /// An integer with so many digits after the point.
    Decimal(usize),
    /// The bytes as they are.
    Bytes,
    /// `550e8400-e29b-41d4-a716-446655440000`.
    Uuid,
}

/// The most digits of a decimal number: those that 128 bits have room for.
const MOST_DIGITS: i32 = 38;

impl Text {
    /// The text of this column's values. An error says why they have none.
    pub fn of(column: &ColumnDescriptor) -> Result<Self, String> {
        let (logical, converted) = (column.logical_type_ref(), column.converted_type());
        let physical = column.physical_type();
        let many = |what: &str| {
            Err(format!(
                "{what}, which has no single text form; write the column as text or as an integer first"
            ))
        };
        match (physical, logical) {
            (Type::FLOAT | Type::DOUBLE, _) | (_, Some(LogicalType::Float16)) => {
                many("a floating-point number")
            }
            (Type::INT96, _) | (_, Some(LogicalType::Timestamp { .. })) => many("a timestamp"),
            (_, Some(LogicalType::Time { .. })) => many("a time of day"),
            (_, Some(LogicalType::Unknown)) => Err("of the type null, so no row has a key".to_owned()),
            (Type::BOOLEAN, None) => Ok(Self::Bool),
            (Type::INT32, Some(LogicalType::Date)) => Ok(Self::Date),
            (Type::INT32 | Type::INT64, Some(LogicalType::Integer { is_signed, .. })) => {
                Ok(if *is_signed { Self::Signed } else { Self::Unsigned })
            }
            (_, Some(LogicalType::Decimal { scale, precision })) => Self::decimal(*scale, *precision),
            (
                Type::BYTE_ARRAY,
                Some(LogicalType::String | LogicalType::Enum | LogicalType::Json | LogicalType::Bson),
            ) => Ok(Self::Bytes),
            (Type::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Uuid)) => Ok(Self::Uuid),
            (_, Some(other)) => Err(format!("of the type {other:?}, which is not read")),
            (_, None) => Self::of_old(physical, converted, column),
        }
    }

    /// As [`of`](Self::of), for files that only have the older names of types.
    fn of_old(physical: Type, converted: ConvertedType, column: &ColumnDescriptor) -> Result<Self, String> {
        use ConvertedType as Old;
        match (physical, converted) {
            (Type::INT32 | Type::INT64, Old::NONE | Old::INT_8 | Old::INT_16 | Old::INT_32 | Old::INT_64) => {
                Ok(Self::Signed)
            }
            (Type::INT32 | Type::INT64, Old::UINT_8 | Old::UINT_16 | Old::UINT_32 | Old::UINT_64) => {
                Ok(Self::Unsigned)
            }
            (Type::INT32, Old::DATE) => Ok(Self::Date),
            (_, Old::DECIMAL) => Self::decimal(column.type_scale(), column.type_precision()),
            (Type::BYTE_ARRAY, Old::NONE | Old::UTF8 | Old::ENUM | Old::JSON | Old::BSON)
            | (Type::FIXED_LEN_BYTE_ARRAY, Old::NONE) => Ok(Self::Bytes),
            (_, other) => Err(format!("of the type {other}, which has no single text form")),
        }
    }

    fn decimal(scale: i32, precision: i32) -> Result<Self, String> {
        match usize::try_from(scale) {
            Ok(digits) if scale <= precision && precision <= MOST_DIGITS => Ok(Self::Decimal(digits)),
            _ => Err(format!(
                "a decimal number of {precision} digits, {scale} of them after the point; at most {MOST_DIGITS} are read"
            )),
        }
    }

    /// Appends the text of an integer of 32 bits.
    pub fn int32(self, value: i32, out: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Self::Unsigned => digits(u128::from(value as u32), 1, out),
            Self::Date => return date(value, out),
            _ => self.int64(value.into(), out)?,
        }
        Ok(())
    }

    /// Appends the text of an integer of 64 bits.
    pub fn int64(self, value: i64, out: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Self::Unsigned => digits(u128::from(value as u64), 1, out),
            Self::Decimal(scale) => decimal(value.into(), scale, out),
            _ => {
                if value < 0 {
                    out.push(b'-');
                }
                digits(value.unsigned_abs().into(), 1, out);
            }
        }
        Ok(())
    }

    /// Appends the text of bytes.
    pub fn bytes(self, value: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Self::Decimal(scale) => decimal(big_endian(value)?, scale, out),
            Self::Uuid => {
                for (i, byte) in value.iter().enumerate() {
                    if matches!(i, 4 | 6 | 8 | 10) {
                        out.push(b'-');
                    }
                    out.extend([byte >> 4, byte & 15].map(|half| b"0123456789abcdef"[usize::from(half)]));
                }
            }
            _ => out.extend_from_slice(value),
        }
        Ok(())
    }
}

/// Appends an integer, with at least so many digits.
fn digits(mut value: u128, least: usize, out: &mut Vec<u8>) {
    let start = out.len();
    // Most are short, and division by a constant is quick in 64 bits alone.
    while value > u128::from(u64::MAX) {
        out.push(b'0' + (value % 10) as u8);
        value /= 10;
    }
    let mut value = value as u64;
    while value > 0 {
        out.push(b'0' + (value % 10) as u8);
        value /= 10;
    }
    out.resize(out.len().max(start + least), b'0');
    out[start..].reverse();
}

/// Appends a number of which the last `scale` digits are after the point.
fn decimal(value: i128, scale: usize, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    digits(value.unsigned_abs(), scale + 1, out);
    if scale > 0 {
        out.insert(out.len() - scale, b'.');
    }
}

/// The number of which these are the bytes, the highest first.
fn big_endian(bytes: &[u8]) -> Result<i128, String> {
    let sign = if bytes.first().is_some_and(|first| *first >= 0x80) { 0xFF } else { 0 };
    let (head, tail) = bytes.split_at(bytes.len().saturating_sub(16));
    let mut all = [sign; 16];
    all[16 - tail.len()..].copy_from_slice(tail);
    let value = i128::from_be_bytes(all);
    // What is longer repeats the sign.
    if head.iter().any(|byte| *byte != sign) || (value < 0) != (sign > 0) {
        return Err(format!("a decimal number of more than {MOST_DIGITS} digits"));
    }
    Ok(value)
}

/// Appends the date so many days after 1970-01-01, in the Gregorian calendar.
fn date(days: i32, out: &mut Vec<u8>) -> Result<(), String> {
    // Years begin in March here, so that a leap day is the last of its year; 400 years are an era.
    let days = i64::from(days) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * era + i64::from(month <= 2);
    if !(1..=9999).contains(&year) {
        return Err(format!("a date in the year {year}; expected 1 to 9999"));
    }
    out.extend_from_slice(format!("{year:04}-{month:02}-{day:02}").as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>) -> Result<(), String>) -> String {
        let mut out = b"x".to_vec();
        match write(&mut out) {
            Ok(()) => String::from_utf8(out.split_off(1)).unwrap(),
            Err(text) => text,
        }
    }

    #[test]
    fn integers() {
        for value in [0, 7, -7, i32::MAX, i32::MIN] {
            assert_eq!(text(|out| Text::Signed.int32(value, out)), value.to_string());
            assert_eq!(text(|out| Text::Unsigned.int32(value, out)), (value as u32).to_string());
        }
        for value in [0, 10, -10, i64::MAX, i64::MIN] {
            assert_eq!(text(|out| Text::Signed.int64(value, out)), value.to_string());
            assert_eq!(text(|out| Text::Unsigned.int64(value, out)), (value as u64).to_string());
        }
    }

    #[test]
    fn dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_783, "2026-11-26"),
            (-719_162, "0001-01-01"),
            (2_932_896, "9999-12-31"),
            (2_932_897, "a date in the year 10000; expected 1 to 9999"),
            (-719_163, "a date in the year 0; expected 1 to 9999"),
        ] {
            assert_eq!(text(|out| Text::Date.int32(days, out)), expected);
        }
        assert!(text(|out| Text::Date.int32(i32::MIN, out)).starts_with("a date in the year -"));
        assert!(text(|out| Text::Date.int32(i32::MAX, out)).starts_with("a date in the year 5"));
    }

    #[test]
    fn decimals() {
        for (value, scale, expected) in [
            (1230, 2, "12.30"),
            (-5, 2, "-0.05"),
            (0, 0, "0"),
            (0, 3, "0.000"),
            (i64::MIN, 0, "-9223372036854775808"),
            (-123, 3, "-0.123"),
        ] {
            assert_eq!(text(|out| Text::Decimal(scale).int64(value, out)), expected);
        }
        for (bytes, expected) in [
            (&[0x04, 0xCE][..], "12.30"),
            (&[0xFF], "-0.01"),
            (&[], "0.00"),
            (&[0xFF; 20], "-0.01"),
            (&[0x00, 0x80], "1.28"),
            (&[[0x7F].as_slice(), &[0xFF; 15]].concat(), "1701411834604692317316873037158841057.27"),
            (&[[0].as_slice(), &[0xFF; 16]].concat(), "a decimal number of more than 38 digits"),
            (&[1; 17], "a decimal number of more than 38 digits"),
        ] {
            assert_eq!(text(|out| Text::Decimal(2).bytes(bytes, out)), expected, "{bytes:?}");
        }
    }

    #[test]
    fn bytes() {
        assert_eq!(text(|out| Text::Bytes.bytes(b"a,b", out)), "a,b");
        let uuid: Vec<u8> = (0..16).map(|i| 16 * i + i).collect();
        assert_eq!(text(|out| Text::Uuid.bytes(&uuid, out)), "00112233-4455-6677-8899-aabbccddeeff");
    }
}
