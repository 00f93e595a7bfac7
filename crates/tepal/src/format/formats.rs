//! The properties of each format.

use super::envelope::MAGIC;
#[cfg(feature = "foreign")]
use super::foreign;
use crate::ids::{Format, KeyDomain, Layout, Scheme};

impl Format {
    /// The format of a file with a mark, otherwise `None`: then the caller must name the format. A
    /// mark is a byte sequence that has no other purpose, or a length that fits too closely to be
    /// chance. A mark of another program counts only if the rest can be parsed, so this costs as
    /// much as reading the file. One exception: the ten bytes at the start of a RedisBloom `DUMP`
    /// always count, also in a damaged one.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Format> {
        if bytes.starts_with(&MAGIC) {
            return Some(Format::Tepal);
        }
        #[cfg(feature = "foreign")]
        return foreign::read_marked(bytes, Default::default()).map(|(format, _)| format);
        #[cfg(not(feature = "foreign"))]
        None
    }

    /// The schemes that the format can hold, the one that its program uses today first.
    #[must_use]
    pub fn schemes(self) -> &'static [Scheme] {
        #[cfg(feature = "foreign")]
        if let Some(foreign) = foreign::of(self) {
            return foreign.schemes();
        }
        match self {
            Format::Tepal => Scheme::ALL,
            // Not compiled into this build.
            _ => &[],
        }
    }

    /// The only layout that the format can hold, if the scheme alone does not determine it.
    #[must_use]
    pub fn layout(self) -> Option<Layout> {
        #[cfg(feature = "foreign")]
        if let Some(foreign) = foreign::of(self) {
            return foreign.layout();
        }
        None
    }

    /// The key domains of the format: how its program can make bytes from its keys.
    ///
    /// Other domains have no meaning there. A program that takes only bytes has
    /// [`KeyDomain::Bytes`] and, for bytes that are not text, [`KeyDomain::Hex`].
    #[must_use]
    pub fn key_domains(self) -> &'static [KeyDomain] {
        #[cfg(feature = "foreign")]
        if let Some(foreign) = foreign::of(self) {
            return foreign.key_domains();
        }
        match self {
            Format::Tepal => KeyDomain::ALL,
            // Not compiled into this build.
            _ => &[],
        }
    }

    /// Do files of the format record the capacity and the rate?
    #[must_use]
    pub fn records_plan(self) -> bool {
        #[cfg(feature = "foreign")]
        if let Some(foreign) = foreign::of(self) {
            return foreign.records_plan();
        }
        true
    }
}
