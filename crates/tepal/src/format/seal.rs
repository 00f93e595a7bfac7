//! The seal of a file: HMAC-SHA256 of all its bytes under its maker's key (FORMAT.md, section 4.7).
//!
//! Without the feature `seal` the types are there and have no values: no key can be made, so no
//! file is sealed and no seal is ever compared.

#![cfg_attr(
    not(feature = "seal"),
    allow(unreachable_code, unused_variables, unused_mut, reason = "what follows a value that cannot be")
)]

use alloc::vec::Vec;

use crate::bits::Line;
use crate::bits::memory::copy_of;
use crate::error::{Error, Result};

/// Bytes of a seal, at the end of its file.
pub(super) const SEAL_BYTES: u64 = 32;

#[cfg(feature = "seal")]
pub use with::SealKey;
#[cfg(not(feature = "seal"))]
pub(crate) use without::SealKey;

#[cfg(feature = "seal")]
use with::Sealing;
#[cfg(not(feature = "seal"))]
use without::Sealing;

/// What was written as the seal of an opened file, and the seal of that file under the reader's
/// key, as far as the header: the body is still to come.
#[derive(Debug)]
pub(super) struct Seal {
    after_head: Sealing,
    /// What stands between the body and the seal.
    exceptions: Vec<u8>,
    written: [u8; SEAL_BYTES as usize],
}

impl Seal {
    /// `exceptions` are the bytes after the body, `written` the last.
    pub(super) fn new(key: &SealKey, head: &[u8], exceptions: &[u8], written: &[u8]) -> Result<Self> {
        let mut after_head = key.start();
        after_head.update(head);
        let written = written.try_into().map_err(|_| Error::damaged("its seal does not have 32 bytes"))?;
        Ok(Seal { after_head, exceptions: copy_of(exceptions)?, written })
    }

    /// Step 8 of FORMAT.md, section 4.6, in a time that does not depend on where the seals differ.
    pub(super) fn check(&self, lines: &[Line]) -> Result<()> {
        let mut sealing = self.after_head.clone();
        super::chunks::chunks(lines).for_each(|chunk| sealing.update(&chunk));
        sealing.update(&self.exceptions);
        if sealing.gives(&self.written) { Ok(()) } else { Err(Error::WrongSeal) }
    }
}

/// The pieces of a file go through here on their way out.
pub(super) struct Sealer(Option<Sealing>);

impl Sealer {
    pub(super) fn new(key: Option<&SealKey>) -> Self {
        Sealer(key.map(SealKey::start))
    }

    pub(super) fn update(&mut self, piece: &[u8]) {
        if let Some(sealing) = &mut self.0 {
            sealing.update(piece);
        }
    }

    /// What comes last: nothing, in a file that is not sealed.
    pub(super) fn finish(self) -> Option<[u8; SEAL_BYTES as usize]> {
        self.0.map(Sealing::finish)
    }
}

#[cfg(feature = "seal")]
mod with {
    use core::fmt;

    use hmac::{Hmac, Mac};
    use sha2::Sha256;

    use crate::error::{Error, Result};

    /// The key of seals: 16 bytes or more from a source of random numbers, kept outside every file.
    ///
    /// A sealed file is opened with the key of its seal, or not at all
    /// ([`Open::seal_key`](crate::Open::seal_key)): nobody without the key can change it, or put
    /// another in its place.
    ///
    /// What is kept of the bytes is a state of HMAC, with which seals can be made too. It is
    /// overwritten when the key is dropped, and so is each seal under way. Not overwritten are the
    /// bytes that the key was made of, which are the caller's, places in memory that it was moved
    /// away from, and what HMAC leaves on the stack while it computes.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tepal::{BloomFilter, Error, Open, SealKey};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("seen.tepal");
    /// let key = SealKey::new(b"sixteen bytes or more")?;
    /// let mut seen = BloomFilter::builder().capacity(1000).build()?;
    /// seen.insert("570108428378")?;
    /// seen.save_sealed(&path, &key)?;
    ///
    /// let seen = Open::new().seal_key(&key).open(&path)?;
    /// assert!(seen.contains("570108428378"));
    /// assert!(matches!(BloomFilter::open(&path), Err(Error::SealRequired)));
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Clone)]
    pub struct SealKey(Keyed);

    impl SealKey {
        /// Bytes of a seal, by which a sealed file is longer.
        pub const SEAL_BYTES: u64 = super::SEAL_BYTES;

        /// The key of these bytes.
        ///
        /// # Errors
        /// [`Error::Parameter`] for fewer than 16 bytes, which could be guessed.
        pub fn new(bytes: &[u8]) -> Result<Self> {
            let short = || {
                Error::parameter("the seal key", format_args!("{} bytes", bytes.len()), "16 bytes or more")
            };
            if bytes.len() < 16 {
                return Err(short());
            }
            // HMAC itself takes a key of any length.
            Hmac::new_from_slice(bytes).map(|hmac| SealKey(Keyed(hmac))).map_err(|_| short())
        }

        pub(super) fn start(&self) -> Sealing {
            Sealing(self.0.clone())
        }
    }

    impl fmt::Debug for SealKey {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("SealKey(..)")
        }
    }

    /// A state of HMAC, which is as good as the key for whoever finds it in memory.
    #[derive(Clone)]
    struct Keyed(Hmac<Sha256>);

    impl Keyed {
        /// Puts the state under a key that everybody has in its place.
        fn wipe(&mut self) {
            self.0 = Mac::new(&Default::default());
            // Without it the compiler may leave out what nobody reads.
            core::hint::black_box(&mut self.0);
        }
    }

    impl Drop for Keyed {
        fn drop(&mut self) {
            self.wipe();
        }
    }

    /// The seal of the bytes that came so far.
    #[derive(Clone)]
    pub(super) struct Sealing(Keyed);

    impl Sealing {
        pub(super) fn update(&mut self, bytes: &[u8]) {
            self.0.0.update(bytes);
        }

        pub(super) fn finish(self) -> [u8; super::SEAL_BYTES as usize] {
            self.0.0.clone().finalize().into_bytes().into()
        }

        pub(super) fn gives(self, seal: &[u8]) -> bool {
            self.0.0.clone().verify_slice(seal).is_ok()
        }
    }

    #[cfg(test)]
    #[test]
    fn what_is_dropped_is_no_longer_the_key() {
        let key = SealKey::new(b"sixteen bytes or more").unwrap();
        let everybodys = SealKey(Keyed(Mac::new(&Default::default()))).start().finish();
        let (mut kept, mut sealing) = (key.clone(), key.start());
        sealing.update(b"apple");
        assert!(key.start().finish() != everybodys && sealing.clone().finish() != everybodys);
        kept.0.wipe();
        sealing.0.wipe();
        assert!(kept.start().finish() == everybodys && sealing.finish() == everybodys);
    }

    impl fmt::Debug for Sealing {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Sealing(..)")
        }
    }
}

#[cfg(not(feature = "seal"))]
mod without {
    #[derive(Debug)]
    pub(crate) enum SealKey {}

    impl SealKey {
        pub(super) fn start(&self) -> Sealing {
            match *self {}
        }
    }

    #[derive(Clone, Debug)]
    pub(super) enum Sealing {}

    impl Sealing {
        pub(super) fn update(&mut self, _bytes: &[u8]) {
            match *self {}
        }

        pub(super) fn finish(self) -> [u8; super::SEAL_BYTES as usize] {
            match self {}
        }

        pub(super) fn gives(self, _seal: &[u8]) -> bool {
            match self {}
        }
    }
}

#[cfg(test)]
mod tests;
