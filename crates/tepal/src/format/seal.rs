//! The seal of a file: HMAC-SHA256 of all its bytes with its maker's key (FORMAT.md, section 4.7).
//!
//! Without the feature `seal` the types exist and have no values: no key can be made, so no file is
//! sealed and no seal is compared.

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

/// The seal that an opened file has, and the computation of the seal that it should have, with the
/// reader's key. The computation has consumed the header; the body is still missing.
#[derive(Debug)]
pub(super) struct Seal {
    after_head: Sealing,
    /// The bytes between the body and the seal.
    exceptions: Vec<u8>,
    written: [u8; SEAL_BYTES as usize],
}

impl Seal {
    /// `exceptions` are the bytes after the body, `written` is the seal in the file.
    pub(super) fn new(key: &SealKey, head: &[u8], exceptions: &[u8], written: &[u8]) -> Result<Self> {
        let mut after_head = key.start();
        after_head.update(head);
        let written = written.try_into().map_err(|_| Error::damaged("its seal does not have 32 bytes"))?;
        Ok(Seal { after_head, exceptions: copy_of(exceptions)?, written })
    }

    /// Step 8 of FORMAT.md, section 4.6. The time does not depend on where the seals differ.
    pub(super) fn check(&self, lines: &[Line]) -> Result<()> {
        let mut sealing = self.after_head.clone();
        super::chunks::chunks(lines).for_each(|chunk| sealing.update(&chunk));
        sealing.update(&self.exceptions);
        if sealing.gives(&self.written) { Ok(()) } else { Err(Error::WrongSeal) }
    }
}

/// Computes the seal of a file from its pieces as they are written.
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

    /// The seal; `None` for a file that is not sealed.
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

    /// The key of seals: 16 random bytes or more, never stored in a file.
    ///
    /// A sealed file can be opened only with the key of its seal
    /// ([`Open::seal_key`](crate::Open::seal_key)). Nobody without the key can change it, or put
    /// another file in its place.
    ///
    /// The key holds a state of HMAC, which also suffices to make seals. It is overwritten when the
    /// key is dropped, and so is the state of each seal in progress. Other copies are not
    /// overwritten: the caller's bytes, memory that the key was moved from, and the stack that HMAC
    /// uses while it computes.
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
        /// The length of a seal in bytes.
        pub const SEAL_BYTES: u64 = super::SEAL_BYTES;

        /// Makes a key from these bytes.
        ///
        /// # Errors
        /// [`Error::Parameter`] for fewer than 16 bytes, which could be guessed.
        pub fn new(bytes: &[u8]) -> Result<Self> {
            let short = || Error::parameter("the length of the seal key", bytes.len(), "16 bytes or more");
            if bytes.len() < 16 {
                return Err(short());
            }
            // HMAC itself accepts a key of any length.
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

    /// A state of HMAC. Anyone who finds it in memory can make seals.
    #[derive(Clone)]
    struct Keyed(Hmac<Sha256>);

    impl Keyed {
        /// Overwrites the state with the state of a public key.
        fn wipe(&mut self) {
            self.0 = Mac::new(&Default::default());
            // Without this, the compiler may remove a write that nothing reads.
            core::hint::black_box(&mut self.0);
        }
    }

    impl Drop for Keyed {
        fn drop(&mut self) {
            self.wipe();
        }
    }

    /// The seal of the bytes consumed so far.
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
