//! A filter with where it came from: what `open` and `from_bytes` give, whatever the file is.

mod output;
#[cfg(feature = "table")]
mod segments;

use alloc::vec::Vec;
#[cfg(feature = "parallel")]
use core::num::NonZeroUsize;

use super::beside::Beside;
#[cfg(feature = "foreign")]
use super::beside::Read;
use super::envelope;
use super::seal::SEAL_BYTES;
#[cfg(feature = "std")]
use super::stamp::Origin;
use crate::error::{Error, Result};
use crate::facts::{Can, Facts, FileFacts, Form, Labels, Unrecorded, Warning};
use crate::ids::{Format, KeyDomain, Kind, Operation, OverCapacity, Scheme};
use crate::key::{
    Batch, Key, KeyHasher, KeyRef, KeySink, Keys, PreparedKeys, insert_in_batches, insert_iter_in_batches,
};
use crate::kinds::generic::{about_calls, ask_calls, change_calls, hand_on};
use crate::kinds::{AnyFilter, FilePart, Filter, Inner, InnerMut, MutableFilter, Ref, Removal};

/// A filter with the format it was read from or is to be written in, and what its file keeps beside
/// it.
///
/// It is asked through [`filter`](Self::filter), and changed through the calls here: there is no
/// way to put another filter in its place, so that what is written is always what the format says
/// it is. The bits of a tepal file are mapped; the first change copies them into memory.
///
#[cfg_attr(feature = "foreign", doc = "```")]
#[cfg_attr(not(feature = "foreign"), doc = "```ignore")]
/// use tepal::{BloomFilter, Open, Opened, Scheme, file::Format};
/// let mut filter = BloomFilter::builder().scheme(Scheme::GuavaMitz64).capacity(1000).build()?;
/// filter.insert("570108428378")?;
/// let mut file = Opened::new(filter, Format::Guava)?;
/// file.insert("850514300021")?;
/// let bytes = file.to_bytes()?;                  // what Guava's `BloomFilter.readFrom` reads
/// let file = Open::new().format(Format::Guava).from_bytes(&bytes)?;
/// assert!(file.contains("570108428378") && file.contains("850514300021"));
/// # Ok::<(), tepal::Error>(())
/// ```
///
/// The filter itself cannot be exchanged:
///
/// ```compile_fail
/// # use tepal::{BloomFilter, Opened, Scheme, file::Format};
/// # let builder = BloomFilter::builder().scheme(Scheme::GuavaMitz64);
/// # let guava = builder.capacity(1000).build().unwrap();
/// # let other = BloomFilter::builder().capacity(1000).build().unwrap();
/// let mut file = Opened::new(guava, Format::Guava).unwrap();
/// *file.filter_mut() = other.into();
/// ```
#[derive(Clone, Debug)]
pub struct Opened {
    filter: AnyFilter,
    format: Format,
    /// Nothing of a tepal file.
    beside: Option<Ref<dyn Beside>>,
    is_sealed: bool,
    /// Nothing of what came from no file.
    #[cfg(feature = "std")]
    origin: Option<Ref<Origin>>,
}

hand_on!(Opened: self => &self.filter, &mut self.filter);

impl Opened {
    /// A filter to be written in `format`.
    ///
    /// # Errors
    /// [`Error::Unconvertible`] where the format holds filters of another scheme, kind or layout,
    /// or cannot say what the filter's recipe says; [`Error::Unsupported`] for another program's
    /// format in a build without the feature `foreign`.
    pub fn new(filter: impl Into<AnyFilter>, format: Format) -> Result<Self> {
        let filter = filter.into();
        #[cfg(feature = "foreign")]
        if let Some(foreign) = super::foreign::of(format) {
            let (filter, beside) = super::foreign::adopt(foreign, filter)?;
            let file = Opened::of_foreign(format, (filter, beside));
            // A format may not hold every number.
            file.file_len()?;
            return Ok(file);
        }
        if format != Format::Tepal {
            return Err(unknown(format));
        }
        let filter = one_of_chain(filter)?;
        filter.file_part()?;
        Ok(Opened::of_tepal(filter, false))
    }

    pub(super) fn of_tepal(filter: AnyFilter, is_sealed: bool) -> Self {
        Opened {
            filter,
            format: Format::Tepal,
            beside: None,
            is_sealed,
            #[cfg(feature = "std")]
            origin: None,
        }
    }

    #[cfg(feature = "foreign")]
    pub(super) fn of_foreign(format: Format, (filter, beside): Read) -> Self {
        Opened {
            filter,
            format,
            beside: Some(beside),
            is_sealed: false,
            #[cfg(feature = "std")]
            origin: None,
        }
    }

    /// It was read from this file.
    #[cfg(feature = "std")]
    pub(super) fn came_from(mut self, origin: Origin) -> Self {
        self.origin = Some(Ref::new(origin));
        self
    }

    /// The filter, to be asked.
    #[must_use]
    pub fn filter(&self) -> &AnyFilter {
        &self.filter
    }

    /// The filter, without its file.
    #[must_use]
    pub fn into_filter(self) -> AnyFilter {
        self.filter
    }

    /// The format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Was the file sealed, and opened with the key of its seal? After a quick opening only
    /// [`verify`](Self::verify) says whether the seal is right.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.is_sealed
    }

    about_calls!();

    ask_calls!(pub);

    change_calls!(pub);

    /// Adds all keys of another opened filter of the same format.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where the formats differ; and as [`AnyFilter::union_with`].
    pub fn union_with(&mut self, other: &Opened) -> Result<()> {
        self.check_format(other)?;
        self.filter.union_with(&other.filter)
    }

    /// Keeps what both filters have.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where the formats differ; and as [`AnyFilter::intersect_with`].
    pub fn intersect_with(&mut self, other: &Opened) -> Result<()> {
        self.check_format(other)?;
        self.filter.intersect_with(&other.filter)
    }

    fn check_format(&self, other: &Opened) -> Result<()> {
        if self.format == other.format {
            return Ok(());
        }
        let (expected, found) = (self.format.name().into(), other.format.name().into());
        Err(Error::Incompatible { property: "file format", expected, found })
    }

    /// [`AnyFilter::fold`]. The file stays one of its format.
    ///
    /// # Errors
    /// As there, and as [`to_bytes`](Self::to_bytes) where the format cannot hold what comes of it.
    /// The filter is unchanged then.
    pub fn fold(&mut self, factor: u64) -> Result<()> {
        let folded = self.filter.folded_by(factor)?;
        self.exchange(folded)
    }

    /// [`AnyFilter::shrink_to`]. The file stays one of its format.
    ///
    /// # Errors
    /// As there, and as [`fold`](Self::fold).
    pub fn shrink_to(&mut self, rate: f64) -> Result<u64> {
        match self.filter.shrunk_to(rate)? {
            Some((factor, folded)) => self.exchange(folded).map(|()| factor),
            None => Ok(1),
        }
    }

    /// Puts the ribbon of what the filter holds in its place: [`AnyFilter::to_ribbon`].
    ///
    /// # Errors
    /// As there. The filter is unchanged then.
    #[cfg(all(feature = "table", feature = "static"))]
    pub fn make_static(&mut self, rate: f64) -> Result<()> {
        let ribbon = self.filter.to_ribbon(rate)?;
        self.exchange(ribbon.into())
    }

    /// Takes the filter that its own was folded to, if the format can hold that.
    fn exchange(&mut self, folded: AnyFilter) -> Result<()> {
        let old = core::mem::replace(&mut self.filter, folded);
        if let Err(error) = self.file_len() {
            self.filter = old;
            return Err(error);
        }
        Ok(())
    }

    /// Says how keys become bytes, as [`Open::key_domain`](crate::Open::key_domain), once the file
    /// is open: to find out in which domain it holds keys that are known to be in it.
    ///
    #[cfg_attr(feature = "foreign", doc = "```")]
    #[cfg_attr(not(feature = "foreign"), doc = "```ignore")]
    /// use tepal::{BloomFilter, KeyDomain, Open, Opened, Scheme, file::Format};
    /// let builder = BloomFilter::builder().scheme(Scheme::GuavaMitz64);
    /// let ids = builder.capacity(10).key_domain(KeyDomain::Integer32);
    /// let bytes = Opened::new(ids.build_from([42u32])?, Format::Guava)?.to_bytes()?;
    ///
    /// let mut file = Open::new().format(Format::Guava).from_bytes(&bytes)?;
    /// let held = Format::Guava.key_domains().iter().filter(|domain| {
    ///     file.set_key_domain(**domain).is_ok() && file.contains("42")
    /// });
    /// assert_eq!(held.collect::<Vec<_>>(), [&KeyDomain::Integer32]);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OtherKeys`] where the file records another domain, as tepal files do; [`Error::NoSuchKeys`] where the
    /// format's program has no such keys ([`Format::key_domains`]). The filter is unchanged then.
    pub fn set_key_domain(&mut self, domain: KeyDomain) -> Result<()> {
        #[cfg(feature = "foreign")]
        if self.format != Format::Tepal {
            super::foreign::check_domain(self.format, domain)?;
            InnerMut::set_key_domain(&mut self.filter, domain);
            return Ok(());
        }
        check_domain(&self.filter, domain)
    }

    /// The same bits in another format, where that is possible.
    ///
    /// # Errors
    /// [`Error::Unconvertible`] where the other format has another hash or holds another kind: bits
    /// cannot be turned into those of another hash, so the filter must be built again from its
    /// keys.
    pub fn convert_to(self, format: Format) -> Result<Self> {
        if format == self.format {
            return Ok(self);
        }
        let file = Opened::new(self.filter, format)?;
        #[cfg(feature = "std")]
        let file = Opened { origin: self.origin, ..file };
        Ok(file)
    }

    /// Which form of file it is, where its format has two.
    #[must_use]
    pub fn form(&self) -> Option<Form> {
        self.beside.as_ref()?.form()
    }

    /// The file with these exceptions beside those it has ([`AnyFilter::except`]): it says no for
    /// their keys. Of a key that is inserted later it says yes again.
    ///
    /// # Errors
    /// As there; [`Error::Unconvertible`] for another program's file, which has no place for them.
    #[cfg(feature = "extras")]
    pub fn except(self, exceptions: &crate::kinds::exceptions::Exceptions) -> Result<Self> {
        if self.format != Format::Tepal {
            let obstacle = crate::error::Obstacle::Exceptions;
            return Err(Error::Unconvertible { format: self.format, obstacle });
        }
        Ok(Opened { filter: self.filter.except(exceptions)?, ..self })
    }

    /// The file with these exceptions beside those it has, and a divider in the place of their list
    /// ([`AnyFilter::divide`]): it is right about all members and exceptions, in few bits, and
    /// takes no further key.
    ///
    /// # Errors
    /// As there; [`Error::Unconvertible`] for another program's file, which has no place for it.
    #[cfg(feature = "extras")]
    pub fn divide(
        self,
        exceptions: &crate::kinds::exceptions::Exceptions,
        members: &PreparedKeys,
    ) -> Result<Self> {
        let file = self.except(exceptions)?;
        Ok(Opened { filter: file.filter.divide(&Default::default(), members)?, ..file })
    }

    /// The same filter in another form of its format.
    ///
    /// A payload of `DUMP` that was not read from one names version 9 of RDB: servers take their
    /// own version and all before it, so that is every Redis from 5.0 on.
    ///
    /// # Errors
    /// [`Error::Unconvertible`] where the format has no such form.
    pub fn in_form(self, form: Form) -> Result<Self> {
        if self.form() == Some(form) {
            return Ok(self);
        }
        match self.beside.as_ref().and_then(|beside| beside.in_form(form)) {
            Some(beside) => Ok(Opened { beside: Some(beside), ..self }),
            None => Err(Error::Unconvertible {
                format: self.format,
                obstacle: crate::error::Obstacle::Form { asked: form.name() },
            }),
        }
    }

    /// Everything about the filter and its file, as data. Costs some passes over the bits.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes), for the length of the file.
    pub fn facts(&self) -> Result<Facts> {
        Ok(Facts { file: Some(self.file_facts()?), ..Filter::facts(&self.filter) })
    }

    /// What there is to know of the file, as data.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes), for the length of the file.
    pub fn file_facts(&self) -> Result<FileFacts> {
        let is_ours = self.beside.is_none();
        let mut not_recorded = Vec::new();
        if !is_ours {
            not_recorded.push(Unrecorded::KeyDomain);
            if !self.format.records_plan() {
                not_recorded.push(Unrecorded::Plan);
            }
            if self.filter.keys_inserted().is_none() {
                not_recorded.push(Unrecorded::KeysInserted);
            }
        }
        Ok(FileFacts {
            format: self.format,
            form: self.form(),
            format_version: is_ours.then_some(envelope::VERSION),
            file_len: self.file_len()? + if self.is_sealed { SEAL_BYTES } else { 0 },
            has_checksum: self.beside.as_ref().is_none_or(|beside| beside.has_checksum()),
            chunks: is_ours.then(|| self.filter.size_in_bytes().div_ceil(envelope::CHUNK_BYTES)),
            is_sealed: self.is_sealed,
            not_recorded,
        })
    }
}

/// Refuses a filter that records another key domain than what is asked for.
pub(super) fn check_domain(filter: &dyn Filter, asked: KeyDomain) -> Result<()> {
    let found = filter.key_hasher().key_domain();
    if found == asked {
        return Ok(());
    }
    Err(Error::OtherKeys {
        property: "key domain",
        expected: asked.name().into(),
        found: found.name().into(),
    })
}

/// The refusal of a format that this build leaves out.
pub(super) fn unknown(format: Format) -> Error {
    let known = "1 (tepal), and others with its feature `foreign`";
    Error::Unsupported { what: "file format", found: format.id().into(), known }
}

/// A chain of another program is its one filter; a longer one has no tepal file. One of our own
/// has.
fn one_of_chain(filter: AnyFilter) -> Result<AnyFilter> {
    match filter {
        #[cfg(any(feature = "foreign", feature = "extras"))]
        AnyFilter::Scalable(chain) if !chain.is_own() => match chain.into_only_link() {
            Ok(link) => Ok(link.into()),
            Err(chain) => Err(Error::Unconvertible {
                format: Format::Tepal,
                obstacle: crate::error::Obstacle::Chain { links: chain.links().len() },
            }),
        },
        other => Ok(other),
    }
}

#[cfg(all(test, feature = "foreign"))]
mod tests;
