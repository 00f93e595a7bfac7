//! What is known of each format.

use super::envelope::MAGIC;
#[cfg(feature = "foreign")]
use super::foreign;
use crate::ids::{Format, KeyDomain, Layout, Scheme};

impl Format {
    /// The format that a file's mark names: bytes that are there for no other reason, or that fit
    /// the length of the file so closely that chance is ruled out. `None` where the format must be
    /// told. A mark of another program counts only where the rest can be read, so this costs as
    /// much as reading the file; but for the ten bytes that begin a `DUMP` of RedisBloom: what
    /// begins so is one, if a damaged one.
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

    /// The schemes whose filters it holds, the one that its program uses today first.
    #[must_use]
    pub fn schemes(self) -> &'static [Scheme] {
        #[cfg(feature = "foreign")]
        if let Some(foreign) = foreign::of(self) {
            return foreign.schemes();
        }
        match self {
            Format::Tepal => Scheme::ALL,
            // Left out of this build.
            _ => &[],
        }
    }

    /// The one layout whose filters it holds, where the scheme alone does not say it.
    #[must_use]
    pub fn layout(self) -> Option<Layout> {
        #[cfg(feature = "foreign")]
        if let Some(foreign) = foreign::of(self) {
            return foreign.layout();
        }
        None
    }

    /// How its program can have made bytes of its keys: the key domains in which its files are
    /// asked.
    ///
    /// What is missing has no meaning there. A program that takes nothing but bytes has
    /// [`KeyDomain::Bytes`] and, for bytes that are no text, [`KeyDomain::Hex`].
    #[must_use]
    pub fn key_domains(self) -> &'static [KeyDomain] {
        #[cfg(feature = "foreign")]
        if let Some(foreign) = foreign::of(self) {
            return foreign.key_domains();
        }
        match self {
            Format::Tepal => KeyDomain::ALL,
            // Left out of this build.
            _ => &[],
        }
    }

    /// Do its files say how many keys they were planned for, and at which rate?
    #[must_use]
    pub fn records_plan(self) -> bool {
        #[cfg(feature = "foreign")]
        if let Some(foreign) = foreign::of(self) {
            return foreign.records_plan();
        }
        true
    }
}
