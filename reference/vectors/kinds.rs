//! What the files of every kind have in common: their keys, how they are written, and the fields
//! that the JSON has of them.

use crate::json::{Json, decimal, hex, hex64, list, object, only, optional, plain};
use crate::names;
use tepal_reference::hash::{siphash13, xxh3};
use tepal_reference::write::KEY_CHECK;

/// The secret key of the files under scheme 2.
pub(crate) const SECRET: [u8; 16] = *b"sixteen secrets!";
/// The seal key of the sealed files.
pub(crate) const SEAL: &[u8] = b"a key for the seals of the vectors";

/// The secret key and the seal key.
pub(crate) type Keys<'a> = (Option<&'a [u8; 16]>, Option<&'a [u8]>);
/// Writes the file of a filter, sealed if there is a seal key.
pub(crate) type Write<Filter> = fn(&Filter, Option<&[u8]>) -> Result<Vec<u8>, String>;
/// Reads a file, with its keys.
pub(crate) type Read<Filter> = fn(&[u8], Option<&[u8; 16]>, Option<&[u8]>) -> Result<Filter, String>;
/// Fields of an object.
pub(crate) type Fields = Vec<(&'static str, Json)>;

/// A good file: its name and its bytes.
pub(crate) type Named = (&'static str, Vec<u8>);
/// The good files, by their names.
pub(crate) type Good = [Named];
/// A file: its name, its bytes, and its JSON.
pub(crate) type File = (&'static str, Vec<u8>, Json);

/// The scheme, the secret key and the key check of a filter under the secret key.
pub(crate) fn under_a_secret() -> (u8, [u8; 16], u64) {
    (2, SECRET, siphash13(&SECRET, KEY_CHECK))
}

/// The scheme and the records of a filter that takes hashes in place of keys.
pub(crate) fn of_hashes() -> (u8, Vec<(u16, String)>) {
    (4, vec![(6, "a hash, finished".to_string())])
}

/// The keys of a file of this scheme.
pub(crate) fn keys_of(scheme: u8, sealed: bool) -> Keys<'static> {
    ((scheme == 2).then_some(&SECRET), sealed.then_some(SEAL))
}

/// The file of a filter. Checks that the file is read as this filter.
pub(crate) fn written<Filter: PartialEq>(
    name: &str,
    filter: &Filter,
    (write, read): (Write<Filter>, Read<Filter>),
    (secret, seal): Keys<'_>,
) -> Result<Vec<u8>, String> {
    let file = write(filter, seal)?;
    match read(&file, secret, seal)? == *filter {
        true => Ok(file),
        false => Err(format!("{name}: the file read again is not the same")),
    }
}

/// The JSON of all planned files, and the files by their names.
pub(crate) fn all_files<Plan>(
    plans: Vec<Plan>,
    file: fn(Plan) -> Result<File, String>,
) -> Result<(Json, Vec<Named>), String> {
    let (mut files, mut good) = (Vec::new(), Vec::new());
    for plan in plans {
        let (name, bytes, json) = file(plan)?;
        good.push((name, bytes));
        files.push(json);
    }
    Ok((list(files), good))
}

/// Fields of a header that several kinds have.
pub(crate) struct Header<'a> {
    pub(crate) scheme: u8,
    /// The seed or the key check of the scheme.
    pub(crate) parameter: u64,
    pub(crate) domain: u8,
    /// `None` for a kind without it.
    pub(crate) policy: Option<u8>,
    pub(crate) recipe: u32,
    pub(crate) records: &'a [(u16, String)],
    /// `None` for a kind without it.
    pub(crate) capacity: Option<u64>,
    pub(crate) rate: f64,
}

impl Header<'_> {
    /// The fields at the beginning of a file's JSON.
    pub(crate) fn fields(&self, name: &str, keys: Keys<'_>) -> Fields {
        let mut fields = beginning(name, (self.scheme, self.parameter), self.records, keys);
        fields.extend([
            ("key_domain", plain(names::domain(self.domain))),
            ("over_capacity", optional(self.policy.map(|policy| plain(names::policy(policy))))),
            ("recipe", plain(self.recipe)),
            ("records", records(self.records)),
            ("capacity", optional(self.capacity.map(decimal))),
            ("false_positive_rate", plain(self.rate)),
        ]);
        fields
    }
}

/// The first fields of a file's JSON: its name, and how its keys become hashes.
pub(crate) fn beginning(
    name: &str,
    (scheme, parameter): (u8, u64),
    records: &[(u16, String)],
    (secret, seal): Keys<'_>,
) -> Fields {
    let caller_hash = records.iter().find(|record| record.0 == 6).map(|record| plain(record.1.as_str()));
    vec![
        ("name", plain(name)),
        ("scheme", plain(names::scheme(scheme))),
        ("seed", only(scheme == 1, hex64(parameter))),
        ("secret_key", optional(secret.map(|key| hex(key)))),
        ("caller_hash", optional(caller_hash)),
        ("seal_key", optional(seal.map(hex))),
    ]
}

/// The records that have no field of their own, as records 5 and 6 have.
pub(crate) fn records(records: &[(u16, String)]) -> Json {
    let others = records.iter().filter(|record| !matches!(record.0, 5 | 6));
    list(others.map(|(tag, value)| object([("tag", plain(*tag)), ("value", plain(value.as_str()))])))
}

/// The keys prefix + "0" to prefix + (count - 1).
pub(crate) fn numbered_keys(prefix: &str, count: u64) -> Json {
    object([("prefix", plain(prefix)), ("count", decimal(count))])
}

/// The fields of a file's bytes. All bytes are there only if the JSON has the file whole.
pub(crate) fn bytes_of(file: &[u8], whole: bool) -> [(&'static str, Json); 3] {
    [
        ("file_len", decimal(file.len() as u64)),
        ("file_xxh3", hex64(xxh3(file, 0))),
        ("file", only(whole, hex(file))),
    ]
}

/// The bytes before the body of a file that the JSON does not have whole.
pub(crate) fn header_of(file: &[u8], whole: bool) -> Json {
    only(!whole, hex(&file[..offset_of(file)]))
}

/// The offset of a file's body.
pub(crate) fn offset_of(file: &[u8]) -> usize {
    u32_at(file, 12) as usize
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
