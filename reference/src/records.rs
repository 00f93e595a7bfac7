//! Section 4.3: what a file says about itself in words.

/// The largest length of all records together.
pub const MAX_LEN: usize = 65_536;

/// Name of the set.
pub const NAME: u16 = 1;
/// Where the keys came from.
pub const SOURCE: u16 = 2;
/// Date, as the writer gave it.
pub const DATE: u16 = 3;
/// Which field of a row is the key.
pub const FIELD: u16 = 4;
/// The seed of scheme 28, as 64 hexadecimal digits. What it says is checked with the scheme.
pub const SEED: u16 = 5;

/// Unknown tags from here on are ignored; below, they are refused.
const FIRST_OPTIONAL: u16 = 0x8000;

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it means.
    pub tag: u16,
    /// Its text.
    pub value: String,
}

impl Record {
    /// A record from its parts.
    pub fn new(tag: u16, value: &str) -> Record {
        Record { tag, value: value.to_string() }
    }

    /// Refuses an empty value, one with control characters, and an unknown tag below 0x8000.
    fn check(&self) -> Result<(), String> {
        let tag = self.tag;
        if !matches!(tag, NAME | SOURCE | DATE | FIELD | SEED) && tag < FIRST_OPTIONAL {
            return Err(format!("record {tag} is not known"));
        }
        if self.value.is_empty() {
            return Err(format!("record {tag} is empty"));
        }
        if self.value.bytes().any(|byte| byte < 0x20 || byte == 0x7F) {
            return Err(format!("record {tag} has a control character"));
        }
        Ok(())
    }
}

/// The bytes of all records.
pub fn encode(records: &[Record]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut last = None;
    for record in records {
        record.check()?;
        check_order(last, record.tag)?;
        last = Some(record.tag);

        bytes.extend(record.tag.to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend((record.value.len() as u32).to_le_bytes());
        bytes.extend(record.value.as_bytes());
        while bytes.len() % 8 != 0 {
            bytes.push(0);
        }
    }
    if bytes.len() > MAX_LEN {
        return Err(format!("the records take {} bytes, more than {MAX_LEN}", bytes.len()));
    }
    Ok(bytes)
}

/// The records in some bytes, whose length is a multiple of 8. Ignored tags are checked and left out.
pub fn decode(bytes: &[u8]) -> Result<Vec<Record>, String> {
    let mut records = Vec::new();
    let mut last = None;
    let mut rest = bytes;
    while !rest.is_empty() {
        if rest.len() < 8 {
            return Err("a record is cut short".to_string());
        }
        let tag = u16::from_le_bytes([rest[0], rest[1]]);
        if rest[2..4] != [0, 0] {
            return Err(format!("record {tag} has no 0 after its tag"));
        }
        let len = u32::from_le_bytes([rest[4], rest[5], rest[6], rest[7]]);
        rest = &rest[8..];
        if u64::from(len) > rest.len() as u64 {
            return Err(format!("record {tag} claims {len} bytes, {} are there", rest.len()));
        }
        let len = len as usize;
        // `rest` is a multiple of 8 long, so the padding is there whenever the value is.
        let padded = len.next_multiple_of(8);
        let value = std::str::from_utf8(&rest[..len]).map_err(|_| format!("record {tag} is not UTF-8"))?;
        if rest[len..padded].iter().any(|&byte| byte != 0) {
            return Err(format!("record {tag} has padding that is not 0"));
        }
        rest = &rest[padded..];

        let record = Record::new(tag, value);
        record.check()?;
        check_order(last, tag)?;
        last = Some(tag);
        if tag < FIRST_OPTIONAL {
            records.push(record);
        }
    }
    Ok(records)
}

/// Tags ascend and do not repeat.
fn check_order(last: Option<u16>, tag: u16) -> Result<(), String> {
    match last {
        Some(last) if last >= tag => Err(format!("record {tag} comes after record {last}")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_byte_by_byte() {
        let records = [Record::new(NAME, "ids"), Record::new(FIELD, "customer")];
        let bytes = encode(&records).unwrap();
        let expected: &[u8] = b"\x01\0\0\0\x03\0\0\0ids\0\0\0\0\0\x04\0\0\0\x08\0\0\0customer";
        assert_eq!(bytes, expected);
        assert_eq!(decode(&bytes).unwrap(), records);
    }

    #[test]
    fn an_optional_unknown_record_is_ignored() {
        let name = Record::new(NAME, "n");
        let bytes = encode(&[name.clone(), Record::new(0x8000, "later")]).unwrap();
        assert_eq!(decode(&bytes).unwrap(), [name]);
    }

    #[test]
    fn bad_records_are_refused() {
        for (tag, value) in [(0, "a"), (6, "a"), (0x7FFF, "a"), (1, ""), (1, "a\nb"), (1, "\x7F")] {
            assert!(encode(&[Record::new(tag, value)]).is_err(), "{tag} {value:?}");
        }
        assert!(encode(&[Record::new(2, "a"), Record::new(1, "a")]).is_err());
        assert!(encode(&[Record::new(2, "a"), Record::new(2, "b")]).is_err());
        assert!(encode(&[Record::new(1, &"a".repeat(65_529))]).is_err());
        assert!(encode(&[Record::new(1, &"a".repeat(65_528))]).is_ok());
        // C1 controls are not in the range the specification names.
        assert!(encode(&[Record::new(1, "\u{85}")]).is_ok());

        let good = encode(&[Record::new(1, "abc")]).unwrap();
        for (at, byte, why) in [
            (2, 1, "no 0 after its tag"),
            (4, 200, "claims"),
            (4, 2, "padding"),
            (15, 1, "padding"),
            (8, 0xFF, "UTF-8"),
            (0, 9, "not known"),
        ] {
            let mut bad = good.clone();
            bad[at] = byte;
            let message = decode(&bad).unwrap_err();
            assert!(message.contains(why), "{at}: {message}");
        }
    }
}
