//! A filter with its origin: the result of `open` and `from_bytes` for any file.

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
use crate::kinds::extend::extend;
use crate::kinds::generic::{about_calls, ask_calls, change_calls, hand_on};
use crate::kinds::{AnyFilter, FilePart, Filter, Inner, InnerMut, MutableFilter, Ref, Removal};

/// A filter, the format that it was read from or is to be written in, and the other content of its
/// file.
///
/// Look up keys through [`filter`](Self::filter); change the filter through the calls here. The
/// filter cannot be replaced by another one, so the written file is always valid in its format. The
/// bits of a tepal file are mapped; the first change copies them into memory.
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
    /// `None` for a tepal file.
    beside: Option<Ref<dyn Beside>>,
    is_sealed: bool,
    /// `None` for a filter that did not come from a file.
    #[cfg(feature = "std")]
    origin: Option<Ref<Origin>>,
}

hand_on!(Opened: self => &self.filter, &mut self.filter);
extend!(Opened, K);

impl Opened {
    /// Prepares a filter to be written in `format`.
    ///
    /// # Errors
    /// [`Error::Unconvertible`] if the format holds filters of another scheme, kind or layout, or
    /// cannot record the filter's recipe; [`Error::Unsupported`] for another program's format in a
    /// build without the feature `foreign`.
    pub fn new(filter: impl Into<AnyFilter>, format: Format) -> Result<Self> {
        let filter = filter.into();
        #[cfg(feature = "foreign")]
        if let Some(foreign) = super::foreign::of(format) {
            let (filter, beside) = super::foreign::adopt(foreign, filter)?;
            let file = Opened::of_foreign(format, (filter, beside));
            // A format may not be able to record every number.
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

    /// What the file holds beside the filter; `None` for a tepal file.
    #[cfg(feature = "foreign")]
    pub(super) fn beside(&self) -> Option<&dyn Beside> {
        self.beside.as_deref()
    }

    /// Sets the file that it was read from.
    #[cfg(feature = "std")]
    pub(super) fn came_from(mut self, origin: Origin) -> Self {
        self.origin = Some(Ref::new(origin));
        self
    }

    /// The filter, for lookups.
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

    /// Was the file sealed? It was opened with the key of its seal, unless
    /// [`without_keys`](crate::Open::without_keys). After quick opening, only
    /// [`verify`](Self::verify) checks the seal.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.is_sealed
    }

    about_calls!();

    ask_calls!(pub);

    change_calls!(pub);

    /// Inserts all keys of another opened filter of the same format.
    ///
    /// # Errors
    /// [`Error::Incompatible`] if the formats differ; and as [`AnyFilter::union_with`].
    pub fn union_with(&mut self, other: &Opened) -> Result<()> {
        self.check_format(other)?;
        self.filter.union_with(&other.filter)
    }

    /// Keeps the keys that both filters have.
    ///
    /// # Errors
    /// [`Error::Incompatible`] if the formats differ; and as [`AnyFilter::intersect_with`].
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

    /// [`AnyFilter::fold`], within the same format.
    ///
    /// # Errors
    /// As [`AnyFilter::fold`], and as [`to_bytes`](Self::to_bytes) if the format cannot hold the
    /// result. The filter is then unchanged.
    pub fn fold(&mut self, factor: u64) -> Result<()> {
        let folded = self.filter.folded_by(factor)?;
        self.exchange(folded)
    }

    /// [`AnyFilter::shrink_to`], within the same format.
    ///
    /// # Errors
    /// As [`AnyFilter::shrink_to`], and as [`fold`](Self::fold).
    pub fn shrink_to(&mut self, rate: f64) -> Result<u64> {
        match self.filter.shrunk_to(rate)? {
            Some((factor, folded)) => self.exchange(folded).map(|()| factor),
            None => Ok(1),
        }
    }

    /// Replaces the filter by a ribbon with its keys: [`AnyFilter::to_ribbon`].
    ///
    /// # Errors
    /// As [`AnyFilter::to_ribbon`]. The filter is then unchanged.
    #[cfg(all(feature = "table", feature = "static"))]
    pub fn make_static(&mut self, rate: f64) -> Result<()> {
        let ribbon = self.filter.to_ribbon(rate)?;
        self.exchange(ribbon.into())
    }

    /// Replaces the filter by the folded one, if the format can hold it.
    fn exchange(&mut self, folded: AnyFilter) -> Result<()> {
        let old = core::mem::replace(&mut self.filter, folded);
        if let Err(error) = self.file_len() {
            self.filter = old;
            return Err(error);
        }
        Ok(())
    }

    /// Sets how keys become bytes, as [`Open::key_domain`](crate::Open::key_domain), after the file
    /// was opened. So you can find out the domain from keys that are known to be members.
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
    /// [`Error::OtherKeys`] if the file records another domain, as tepal files do;
    /// [`Error::NoSuchKeys`] if the format's program has no keys of this domain
    /// ([`Format::key_domains`]). The filter is then unchanged.
    pub fn set_key_domain(&mut self, domain: KeyDomain) -> Result<()> {
        #[cfg(feature = "foreign")]
        if self.format != Format::Tepal {
            super::foreign::check_domain(self.format, domain)?;
            InnerMut::set_key_domain(&mut self.filter, domain);
            return Ok(());
        }
        check_domain(&self.filter, domain)
    }

    /// Converts the file to another format with the same bits.
    ///
    /// # Errors
    /// [`Error::Unconvertible`] if the other format has another hash or holds another kind. Bits
    /// cannot be converted to another hash: build the filter again from its keys.
    pub fn convert_to(self, format: Format) -> Result<Self> {
        if format == self.format {
            return Ok(self);
        }
        let file = Opened::new(self.filter, format)?;
        #[cfg(feature = "std")]
        let file = Opened { origin: self.origin, ..file };
        Ok(file)
    }

    /// The form of the file, if its format has two.
    #[must_use]
    pub fn form(&self) -> Option<Form> {
        self.beside.as_ref()?.form()
    }

    /// Adds exceptions to those of the file ([`AnyFilter::except`]): the filter returns `false` for
    /// their keys. A key that is inserted later gets `true` again.
    ///
    /// # Errors
    /// As [`AnyFilter::except`]; [`Error::Unconvertible`] for another program's file.
    #[cfg(feature = "extras")]
    pub fn except(self, exceptions: &crate::kinds::exceptions::Exceptions) -> Result<Self> {
        if self.format != Format::Tepal {
            let obstacle = crate::error::Obstacle::Exceptions;
            return Err(Error::Unconvertible { format: self.format, obstacle });
        }
        Ok(Opened { filter: self.filter.except(exceptions)?, ..self })
    }

    /// Adds exceptions to those of the file, and replaces the list of exceptions by a divider
    /// ([`AnyFilter::divide`]). The filter then answers correctly for all members and exceptions,
    /// in few bits, and takes no further key.
    ///
    /// # Errors
    /// As [`AnyFilter::divide`]; [`Error::Unconvertible`] for another program's file.
    #[cfg(feature = "extras")]
    pub fn divide(
        self,
        exceptions: &crate::kinds::exceptions::Exceptions,
        members: &PreparedKeys,
    ) -> Result<Self> {
        let file = self.except(exceptions)?;
        Ok(Opened { filter: file.filter.divide(&Default::default(), members)?, ..file })
    }

    /// Converts the file to another form of its format.
    ///
    /// A `DUMP` payload that was not read from a file names version 9 of RDB. Servers accept their
    /// own version and all earlier ones: this is every Redis from 5.0 on.
    ///
    /// # Errors
    /// [`Error::Unconvertible`] if the format does not have the form.
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

    /// Everything about the filter and its file, as data. Costs several passes over the bits.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes), for the length of the file.
    pub fn facts(&self) -> Result<Facts> {
        Ok(Facts { file: Some(self.file_facts()?), ..Filter::facts(&self.filter) })
    }

    /// Everything about the file, as data.
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

/// Refuses a filter that records another key domain than requested.
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

/// The error for a format that is not compiled into this build.
pub(super) fn unknown(format: Format) -> Error {
    let known = "1 (tepal), and others with the feature foreign";
    Error::Unsupported { what: "file format", found: format.id().into(), known }
}

/// Turns a chain of one filter, read from another program's file, into that filter. A longer one
/// has no tepal file. A chain of tepal's own has one.
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
