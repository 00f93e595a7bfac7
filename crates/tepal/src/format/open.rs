//! Opening: with which keys, and how much of the file is checked before the first answer.

use super::check::BodyCheck;
use super::header::{Header, Lengths};
use super::seal::SealKey;
use crate::bits;
use crate::error::Result;
use crate::filters::bloom::BloomFilter;
use crate::hash::SecretKey;

/// How to open a filter's file: the keys it needs, and how much is checked first.
///
/// [`BloomFilter::open`] and its short forms are this with one choice each.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tepal::{BloomFilter, Open, SecretKey};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.tepal");
/// let secret = SecretKey::new(*b"sixteen secrets!");
/// let mut seen = BloomFilter::builder().capacity(1000).secret_key(secret.clone()).build()?;
/// seen.insert("570108428378")?;
/// seen.save(&path)?;
///
/// let seen = Open::new().secret_key(&secret).quick().open(&path)?;
/// assert!(seen.contains("570108428378"));     // at once, however large the file is
/// seen.verify()?;                             // later, or beside: every bit
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Open<'a> {
    pub(super) secret: Option<&'a SecretKey>,
    pub(super) seal: Option<&'a SealKey>,
    pub(super) quick: bool,
}

impl<'a> Open<'a> {
    /// No keys, and everything checked.
    pub const fn new() -> Self {
        Open { secret: None, seal: None, quick: false }
    }

    /// The secret key that the filter was made with. A filter made without one is then refused.
    #[must_use]
    pub const fn secret_key(mut self, key: &'a SecretKey) -> Self {
        self.secret = Some(key);
        self
    }

    /// The key of the file's seal. A file without a seal is then refused, for its maker seals all, and so is one
    /// that was sealed under another key or changed since.
    #[cfg(feature = "seal")]
    #[must_use]
    pub const fn seal_key(mut self, key: &'a SealKey) -> Self {
        self.seal = Some(key);
        self
    }

    /// Leave the bits unread until they are asked for, for files so large that reading them takes too long.
    ///
    /// Found at once, as without it: whatever is wrong before the bits (magic, version, flags, lengths, every
    /// parameter, the hash self-test, the table of checksums), and a file that was cut or extended. Not found:
    /// a change in the bits themselves, which may then answer `false` for a key that was inserted, and a sealed
    /// file that someone has changed, for the seal is of all its bytes. Neither makes an answer panic. [`verify`](BloomFilter::verify) finds both, and so does whatever copies the bits
    /// ([`save`](BloomFilter::save), [`into_owned`](BloomFilter::into_owned),
    /// [`union_with`](BloomFilter::union_with)), which verifies first. Until then the number of set bits, and
    /// the rates that follow from it, are those that the header says.
    ///
    /// Where the file cannot be mapped (a pipe, a build without the feature `mmap`) it is read into memory,
    /// and then everything is checked.
    #[must_use]
    pub const fn quick(mut self) -> Self {
        self.quick = true;
        self
    }

    /// Reads a file's bytes into a filter in memory. Everything is checked, with [`quick`](Self::quick) too.
    ///
    /// # Errors
    /// As [`BloomFilter::open`], save for reading itself; [`Error::WrongKey`](crate::Error::WrongKey) and
    /// [`Error::KeyNotUsed`](crate::Error::KeyNotUsed) for a secret that is not the filter's,
    /// [`Error::WrongSeal`](crate::Error::WrongSeal) and [`Error::NotSealed`](crate::Error::NotSealed) for a
    /// seal key that is not the file's.
    pub fn from_bytes(&self, bytes: &[u8]) -> Result<BloomFilter> {
        self.read(bytes).map(|(filter, _)| filter)
    }

    /// The filter and what its bits were held against.
    pub(super) fn read(&self, bytes: &[u8]) -> Result<(BloomFilter, BodyCheck)> {
        let lengths = Lengths::read(bytes, bytes.len() as u64)?;
        let (head, rest) = bytes.split_at(lengths.body_offset as usize);
        let mut header = Header::decode(lengths, head, self)?;
        let (body, seal) = rest.split_at(rest.len() - header.seal_len());
        // The header's body length was compared with the bytes that are there.
        let mut lines = bits::zeroed(header.meta.shape.lines())?;
        bytemuck::cast_slice_mut(&mut lines).copy_from_slice(body);
        bits::words_mut(&mut lines).iter_mut().for_each(|word| *word = u64::from_le(*word));
        let check = BodyCheck::new(&mut header, head, seal, self.seal)?;
        check.run(&lines)?;
        Ok((BloomFilter::from_parts(header.meta, lines, header.set_bits), check))
    }
}

impl BloomFilter {
    /// Reads a file's bytes into a filter in memory, with every check of [`open`](BloomFilter::open).
    ///
    /// # Errors
    /// As [`open`](BloomFilter::open), save for reading itself.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Open::new().from_bytes(bytes)
    }

    /// [`from_bytes`](Self::from_bytes) for a filter made with a secret key.
    ///
    /// # Errors
    /// As [`open_with_key`](BloomFilter::open_with_key), save for reading itself.
    pub fn from_bytes_with_key(bytes: &[u8], key: &SecretKey) -> Result<Self> {
        Open::new().secret_key(key).from_bytes(bytes)
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
