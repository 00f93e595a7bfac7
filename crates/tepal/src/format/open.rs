//! Opening a file: the keys, the expected type, and how much is checked before the first lookup.

use alloc::vec::Vec;
use core::ops::Range;

use super::behind;
use super::check::BodyCheck;
use super::chunks::Done;
use super::envelope::{FIXED_BYTES, GivenKeys, Header, Lengths, MAGIC, looks_like};
use super::opened::{Opened, check_domain};
use super::seal::SealKey;
use crate::bits;
#[cfg(feature = "foreign")]
use crate::error::Looks;
use crate::error::{Error, Result};
use crate::ids::{Format, KeyDomain, Operation};
use crate::key::SecretKey;
use crate::kinds::Behind;
use crate::kinds::storage::Owned;
use crate::kinds::{AnyFilter, AwaitsBody, BodyChecked, Filter, FromFile, HONOURS_EXCEPTIONS, Ref};

/// Options for opening a filter's file: keys, properties that the file may not record, and how much
/// is checked first.
///
/// [`tepal::open`](crate::open), [`BloomFilter::open`](crate::BloomFilter::open) and similar calls
/// are this with one option each.
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
    pub(super) format: Option<Format>,
    pub(super) key_domain: Option<KeyDomain>,
    pub(super) name: Option<&'a str>,
    pub(super) quick: bool,
    pub(super) without_keys: bool,
    #[cfg(feature = "std")]
    pub(super) in_memory: bool,
    #[cfg(feature = "std")]
    pub(super) copy_on_write: bool,
}

impl<'a> Open<'a> {
    /// Options with no keys, the format from the file's mark, and all checks.
    #[must_use]
    pub const fn new() -> Self {
        Open {
            secret: None,
            seal: None,
            format: None,
            key_domain: None,
            name: None,
            quick: false,
            without_keys: false,
            #[cfg(feature = "std")]
            in_memory: false,
            #[cfg(feature = "std")]
            copy_on_write: false,
        }
    }

    /// Sets the secret key of the filter. A filter made without a secret key is then refused.
    #[must_use]
    pub const fn secret_key(mut self, key: &'a SecretKey) -> Self {
        self.secret = Some(key);
        self
    }

    /// Sets the key of the file's seal. A file without a seal is then refused, and so is a file
    /// that was sealed with another key or changed since.
    #[cfg(feature = "seal")]
    #[must_use]
    pub const fn seal_key(mut self, key: &'a SealKey) -> Self {
        self.seal = Some(key);
        self
    }

    /// Opens a keyed or sealed file also without its keys, to verify its checksums or to read its
    /// [`facts`](Opened::facts). A key that is given must be the right one, as ever.
    ///
    /// Without the secret key the filter hashes no key. A lookup answers `true`, because any key
    /// may be a member. Inserting, hashing and saving return [`Error::KeyRequired`]. Without the
    /// seal key the seal is not checked: [`Opened::is_sealed`] only says that there is one.
    ///
    /// ```
    /// use tepal::{BloomFilter, Error, Open, SecretKey};
    /// let secret = SecretKey::new(*b"sixteen secrets!");
    /// let bytes = BloomFilter::builder().secret_key(secret).build_from(["apple"])?.to_bytes()?;
    /// assert!(matches!(Open::new().from_bytes(&bytes), Err(Error::KeyRequired)));
    /// let mut seen = Open::new().without_keys().from_bytes(&bytes)?;    // the checksums are right
    /// assert_eq!(seen.keys_inserted(), Some(1));
    /// assert!(seen.contains("banana"));                                 // perhaps
    /// assert!(matches!(seen.insert("banana"), Err(Error::KeyRequired)));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub const fn without_keys(mut self) -> Self {
        self.without_keys = true;
        self
    }

    /// Sets the format, for a file without a mark. A tepal file is recognized in any case.
    #[must_use]
    pub const fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets how keys become bytes, for a file that does not record it. The default is
    /// [`KeyDomain::Bytes`]. A file that records another domain is refused, and so is a file of a
    /// program that has no keys of this domain ([`Format::key_domains`]).
    #[must_use]
    pub const fn key_domain(mut self, domain: KeyDomain) -> Self {
        self.key_domain = Some(domain);
        self
    }

    /// Sets the name of the set that the file must record ([`Labels::name`](crate::facts::Labels)).
    /// A file with another name or none is refused, and so is a file of another program.
    ///
    /// Nobody can change the name in a sealed file without the key. So a sealed file cannot be
    /// exchanged for another one that was sealed with the same key. Without a seal this only
    /// detects mistakes.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tepal::{BloomFilter, Open, facts::Labels};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("blocked.tepal");
    /// let blocked = BloomFilter::builder().labels(Labels::new().name("blocked"));
    /// blocked.build_from(["570108428378"])?.save(&path)?;
    /// assert!(Open::new().expect_name("blocked").open(&path).is_ok());
    /// assert!(Open::new().expect_name("allowed").open(&path).is_err());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub const fn expect_name(mut self, name: &'a str) -> Self {
        self.name = Some(name);
        self
    }

    /// Leaves the bits unread until they are needed, for files that are so large that reading them
    /// takes too long.
    ///
    /// Checked at opening, as without this option: everything before the bits (magic, version,
    /// flags, lengths, every parameter, the hash self-test, the table of checksums), and that the
    /// file was not cut or extended.
    ///
    /// Not checked: the bits, and the seal, which covers all bytes. A changed bit may give `false`
    /// for a key that was inserted. It never makes a lookup panic. [`verify`](Opened::verify)
    /// checks both. Every operation that copies the bits (saving, union, the first change) verifies
    /// them first. Until then, the number of set bits and the rates computed from it are those in
    /// the header.
    ///
    /// A file that is not mapped (a pipe, [`in_memory`](Self::in_memory), a big-endian
    /// machine) is read into memory, and everything is checked. The same holds for a file of
    /// another program.
    #[must_use]
    pub const fn quick(mut self) -> Self {
        self.quick = true;
        self
    }

    /// Reads the file into memory instead of mapping it, for files that others cut or overwrite in
    /// place (`cp`, `rsync --inplace`, an editor). With a map, the system would then stop this
    /// process (`SIGBUS`), or answers would change.
    ///
    /// The filter in memory does not depend on the file any more. Everything is checked, even with
    /// [`quick`](Self::quick). A file that is changed while it is read is refused; for another
    /// program's file, only if its format has a checksum or its lengths do not fit. The price: the
    /// bits are read from disk before the first lookup, each process has its own copy, and opening
    /// holds two copies.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tepal::{BloomFilter, Open};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("seen.tepal");
    /// BloomFilter::builder().build_from(["apple"])?.save(&path)?;
    /// let seen = Open::new().in_memory().open(&path)?;
    /// std::fs::write(&path, "")?;                 // would stop a mapped reader
    /// assert!(seen.contains("apple"));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub const fn in_memory(mut self) -> Self {
        self.in_memory = true;
        self
    }

    /// Does not copy a mapped filter at its first change: the system copies only the pages (mostly
    /// 4 KiB) that a change touches; all others stay the file's. Useful to insert few keys into a
    /// filter that is large compared with the machine's memory.
    ///
    /// The file itself never changes; everything is checked first, even with
    /// [`quick`](Self::quick). The price: nobody may cut or overwrite the file in place as long as
    /// the filter lives, also after changes; and many keys take longer than in a copy. A clone is a
    /// copy in memory. Files of other programs, and files that are not mapped, are in memory in any
    /// case.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tepal::{BloomFilter, Open};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("seen.tepal");
    /// BloomFilter::builder().capacity(1000).build_from(["apple"])?.save(&path)?;
    /// let mut seen = Open::new().copy_on_write().open(&path)?;
    /// seen.insert("banana")?;
    /// assert!(seen.contains("apple") && seen.contains("banana"));
    /// assert!(!tepal::open(&path)?.contains("banana"));
    /// seen.save(&path)?;
    /// assert!(tepal::open(&path)?.contains("banana"));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub const fn copy_on_write(mut self) -> Self {
        self.copy_on_write = true;
        self
    }

    /// Reads the bytes of a file into a filter in memory. Everything is checked, even with
    /// [`quick`](Self::quick). Lengths are compared with the real length before anything is
    /// allocated.
    ///
    /// Few formats of other programs have a checksum
    /// ([`FileFacts::has_checksum`](crate::facts::FileFacts)). Without one, a file with changed
    /// *bits* cannot be distinguished from a good one.
    ///
    /// # Errors
    /// [`Error::NotTepal`] for bytes that are not a filter, or whose format must be named;
    /// [`Error::Unsupported`] for a newer version or an unknown kind, layout, scheme or flag;
    /// [`Error::Damaged`] and [`Error::Parameter`] for content that no program writes;
    /// [`Error::KeyRequired`], [`Error::WrongKey`] and [`Error::KeyNotUsed`] for a secret key, and
    /// [`Error::SealRequired`], [`Error::WrongSeal`] and [`Error::NotSealed`] for a seal, that does
    /// not match; [`Error::OtherKeys`] if another key domain is recorded, [`Error::NoSuchKeys`] for
    /// a domain that the format's program does not have, and [`Error::OtherName`] for another name.
    pub fn from_bytes(&self, bytes: &[u8]) -> Result<Opened> {
        if !bytes.starts_with(&MAGIC) {
            return self.foreign(bytes, None);
        }
        let (filter, is_sealed) = self.read::<AnyFilter>(bytes)?;
        self.opened(filter, is_sealed)
    }

    /// [`from_bytes`](Self::from_bytes) for a file in consecutive pieces, such as those of a network
    /// protocol. The bits are copied once, from the pieces into the filter. The pieces are joined
    /// first if the header lies in several, if the file has more than bits behind the header (such
    /// as a seal), and if it is another program's.
    ///
    /// ```
    /// use tepal::{BloomFilter, Open};
    /// let file = BloomFilter::builder().build_from(["apple"])?.to_bytes()?;
    /// let pieces: Vec<&[u8]> = file.chunks(1000).collect();
    /// assert!(Open::new().from_pieces(&pieces)?.contains("apple"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn from_pieces(&self, pieces: &[impl AsRef<[u8]>]) -> Result<Opened> {
        let pieces: Vec<&[u8]> = pieces.iter().map(AsRef::as_ref).collect();
        match self.read_pieces(&pieces)? {
            Some(filter) => self.opened(filter, false),
            None => self.from_bytes(&pieces.concat()),
        }
    }

    /// Reads a tepal file that has its header in the first piece, and ends with its bits.
    fn read_pieces(&self, pieces: &[&[u8]]) -> Result<Option<AnyFilter>> {
        let [first, rest @ ..] = pieces else { return Ok(None) };
        if first.len() < FIXED_BYTES as usize || !first.starts_with(&MAGIC) {
            return Ok(None);
        }
        let lengths = Lengths::read(first, pieces.iter().map(|piece| piece.len() as u64).sum())?;
        let Some((head, body)) = first.split_at_checked(lengths.body_offset as usize) else {
            return Ok(None);
        };
        let (mut header, bodiless) = Header::decode::<AnyFilter>(lengths, head, self.given_keys())?;
        if header.seal_len() > 0 || header.behind_len > 0 {
            return Ok(None);
        }
        let check = BodyCheck::new(&mut header, bodiless.check(), head, &[], &[], self.seal)?;
        // The header's body length was compared with the real length.
        let lines = bits::from_pieces(bodiless.lines(), core::iter::once(body).chain(rest.iter().copied()))?;
        check.run(&lines)?;
        Ok(Some(AnyFilter::with_body(bodiless, Owned::new(lines), None)))
    }

    /// The filter of a tepal file, opened.
    pub(super) fn opened(&self, filter: AnyFilter, is_sealed: bool) -> Result<Opened> {
        self.check_what_it_records(filter.as_dyn())?;
        Ok(Opened::of_tepal(filter, is_sealed))
    }

    /// Refuses a file that records another key domain or name than requested.
    pub(super) fn check_what_it_records(&self, filter: &dyn Filter) -> Result<()> {
        if self.name.is_some() {
            self.check_name(filter.labels().name.as_deref())?;
        }
        self.key_domain.map_or(Ok(()), |asked| check_domain(filter, asked))
    }

    /// Refuses a filter with another name than requested.
    fn check_name(&self, found: Option<&str>) -> Result<()> {
        match self.name {
            Some(expected) if found != Some(expected) => {
                Err(Error::OtherName { expected: expected.into(), found: found.map(Into::into) })
            }
            _ => Ok(()),
        }
    }

    /// Reads the bytes of another program's file. Calls `done` with bytes that are no longer
    /// needed.
    #[cfg(feature = "foreign")]
    pub(super) fn foreign(&self, bytes: &[u8], done: Option<Done<'_>>) -> Result<Opened> {
        use super::foreign;
        if let Some(found) = foreign::around(bytes) {
            return Err(Error::NotTepal { found });
        }
        let reading = foreign::Reading { domain: self.key_domain.unwrap_or_default(), done };
        let (format, read) = match self.format.filter(|format| *format != Format::Tepal) {
            Some(format) => (format, foreign::read(format, bytes, reading)?),
            None if self.format.is_some() => {
                return Err(match foreign::read_marked(bytes, reading) {
                    Some((found, Ok(_))) => Error::NotOfFormat { format: Format::Tepal, found },
                    _ => Error::NotTepal { found: looks_like(bytes) },
                });
            }
            None => match foreign::read_marked(bytes, reading) {
                Some((format, read)) => (format, read?),
                None => return Err(Error::NotTepal { found: unmarked(bytes) }),
            },
        };
        foreign::check_domain(format, reading.domain)?;
        match (self.secret, self.seal) {
            (Some(_), _) => Err(Error::KeyNotUsed),
            (None, Some(_)) => Err(Error::NotSealed),
            // These files have no name.
            (None, None) => self.check_name(None).map(|()| Opened::of_foreign(format, read)),
        }
    }

    /// This build reads no other programs' files.
    #[cfg(not(feature = "foreign"))]
    pub(super) fn foreign(&self, bytes: &[u8], _: Option<Done<'_>>) -> Result<Opened> {
        match self.format.filter(|format| *format != Format::Tepal) {
            Some(format) => Err(super::opened::unknown(format)),
            None => Err(Error::NotTepal { found: looks_like(bytes) }),
        }
    }

    /// Reads a tepal file as the requested type, in memory. Also returns whether it was sealed.
    pub(super) fn read<F: FromFile>(&self, bytes: &[u8]) -> Result<(F, bool)> {
        let read = self.dissect::<F>(bytes)?;
        // The header's body length was compared with the real length.
        let mut lines = bits::zeroed(read.lines())?;
        bits::fill_from_bytes(&mut lines, &bytes[read.body.clone()]);
        read.check.run(&lines)?;
        let is_sealed = read.check.is_sealed();
        Ok((read.with_lines(Owned::new(lines)), is_sealed))
    }

    /// [`read`](Self::read) of one kind.
    pub(super) fn read_as<F: FromFile>(&self, bytes: &[u8]) -> Result<F> {
        Ok(self.read(bytes)?.0)
    }

    /// The keys of a file.
    pub(super) fn given_keys(&self) -> GivenKeys<'a> {
        GivenKeys { secret: self.secret, seal: self.seal, may_lack: self.without_keys }
    }

    /// Splits a tepal file: the filter without its bits, the checks of the bits, and their range.
    pub(super) fn dissect<F: FromFile>(&self, file: &[u8]) -> Result<Dissected<F>> {
        let lengths = Lengths::read(file, file.len() as u64)?;
        let body_offset = lengths.body_offset as usize;
        let (head, rest) = file.split_at(body_offset);
        let (mut header, bodiless) = Header::decode::<F>(lengths, head, self.given_keys())?;
        let (rest, seal) = rest.split_at(rest.len() - header.seal_len());
        let (body, behind) = rest.split_at(rest.len() - header.behind_len as usize);
        let check = BodyCheck::new(&mut header, bodiless.check(), head, behind, seal, self.seal)?;
        Ok(Dissected {
            bodiless,
            behind: header.behind_of::<F>(behind, head)?,
            check,
            body: body_offset..body_offset + body.len(),
        })
    }
}

/// A tepal file that has passed every check that does not need the bits.
pub(super) struct Dissected<F: FromFile> {
    bodiless: F::Bodiless,
    behind: Option<Behind>,
    pub(super) check: BodyCheck,
    /// The range of the bits in the file.
    pub(super) body: Range<usize>,
}

impl<F: FromFile> Dissected<F> {
    /// Lines of the body.
    pub(super) fn lines(&self) -> u64 {
        self.bodiless.lines()
    }

    /// The filter with its bits, which have passed every check.
    pub(super) fn with_lines(self, lines: Owned) -> F {
        Self::whole(F::with_body(self.bodiless, lines, None), self.behind)
    }

    /// The filter with its bits. They are checked again before they are copied, unless they have
    /// passed.
    pub(super) fn checked_with(self, lines: Owned) -> F {
        let check = Ref::new(self.check);
        Self::whole(F::with_body(self.bodiless, lines, Some(check)), self.behind)
    }

    fn whole(filter: F, behind: Option<Behind>) -> F {
        match (F::WITH_BEHIND, behind) {
            (Some(take), Some(behind)) => take(filter, behind),
            _ => filter,
        }
    }
}

impl Header {
    /// Parses the section after the body, if the requested type has one.
    fn behind_of<F: FromFile>(&self, bytes: &[u8], head: &[u8]) -> Result<Option<Behind>> {
        let Some(what) = self.behind.filter(|_| !bytes.is_empty()) else { return Ok(None) };
        match F::WITH_BEHIND {
            Some(_) => behind::decode(bytes, what, self.is_divided(), head).map(Some),
            None => Err(Error::NotPossible {
                kind: self.lengths.kind,
                operation: Operation::BeAnother,
                instead: HONOURS_EXCEPTIONS,
            }),
        }
    }
}

/// A description of bytes without any mark, with the formats that they could be in.
#[cfg(feature = "foreign")]
fn unmarked(bytes: &[u8]) -> Looks {
    if let Some(looks) = super::foreign::around_or_cut(bytes) {
        return looks;
    }
    let looks = looks_like(bytes);
    let formats = match looks {
        Looks::Other(_) => super::foreign::possible(bytes),
        _ => return looks,
    };
    if formats.is_empty() { looks } else { Looks::Unmarked(formats) }
}

/// Reads the bytes of a file into a filter in memory, of tepal or of another program, with every
/// check. It calls [`Open::from_bytes`] without keys, and takes the format from the file's mark.
///
/// # Errors
/// As [`Open::from_bytes`].
pub fn from_bytes(bytes: &[u8]) -> Result<Opened> {
    Open::new().from_bytes(bytes)
}

#[cfg(all(test, feature = "std"))]
mod tests;
