//! The file operations of every kind, written once for each type in the list.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::io::{Read, Write};
#[cfg(feature = "std")]
use std::path::Path;

use super::open::Open;
#[cfg(feature = "std")]
use super::replace::{Over, replace};
#[cfg(any(feature = "std", feature = "seal"))]
use super::seal::SealKey;
use super::write::bytes;
#[cfg(feature = "std")]
use super::write::{checked_part, to_writer};
use crate::error::Result;
use crate::key::SecretKey;
#[cfg(feature = "std")]
use crate::kinds::Filter;
use crate::kinds::storage::{Owned, PlainStorage};
use crate::kinds::{self, AnyFilter};

/// Saves a filter's file.
#[cfg(feature = "std")]
fn save(filter: &dyn Filter, path: &Path, over: Over<'_>, seal: Option<&SealKey>) -> Result<()> {
    // Fail before a temporary file is made.
    checked_part(filter)?;
    replace(path, over, |out| to_writer(filter, seal, out)).map(drop)
}

/// An expression for examples: a filter of a kind that contains `apple`.
macro_rules! example {
    (BloomFilter) => {
        "BloomFilter::builder().build_from([\"apple\"])?"
    };
    (ScalableBloomFilter) => {
        "tepal::BloomFilter::builder().build_growing()?"
    };
    (GrowingFilter) => {
        "GrowingFilter::builder().build()?"
    };
    (ExpiringFilter) => {
        "ExpiringFilter::builder().capacity(100).window_of_keys(100).build()?"
    };
    (SegmentFilter) => {
        "SegmentFilter::builder().build_from([(\"monday\", \"apple\")])?"
    };
    (RibbonMap) => {
        "RibbonMap::builder().build_from([(\"apple\", 7)])?"
    };
    (AnyFilter) => {
        "AnyFilter::from(tepal::BloomFilter::builder().build_from([\"apple\"])?)"
    };
    ($type:ident) => {
        concat!(stringify!($type), "::builder().build_from([\"apple\"])?")
    };
}

/// The calls that write.
macro_rules! written {
    ($type:ident, $path:path $(, $storage:ident)?) => {
        impl$(<$storage: PlainStorage>)? $path {
            /// Returns the file as bytes. One filter has exactly one file, on every machine.
            ///
            /// ```
            #[doc = concat!("use tepal::", stringify!($type), ";")]
            #[doc = concat!("let filter = ", example!($type), ";")]
            /// let file = filter.to_bytes()?;
            /// assert_eq!(tepal::from_bytes(&file)?.contains("apple"), filter.contains("apple"));
            /// # Ok::<(), tepal::Error>(())
            /// ```
            ///
            /// # Errors
            /// [`Error::TooLarge`](crate::Error::TooLarge) if memory is short;
            /// [`Error::Damaged`](crate::Error::Damaged) for a filter that was opened
            /// [quick](crate::Open::quick) and whose bits are damaged;
            /// [`Error::NotPossible`](crate::Error::NotPossible) for a chain of another program.
            pub fn to_bytes(&self) -> Result<Vec<u8>> {
                bytes(self, None)
            }

            /// [`to_bytes`](Self::to_bytes), sealed: opening needs the same key, and detects every
            /// change made without it.
            ///
            /// # Errors
            /// As [`to_bytes`](Self::to_bytes).
            #[cfg(feature = "seal")]
            pub fn to_bytes_sealed(&self, key: &SealKey) -> Result<Vec<u8>> {
                bytes(self, Some(key))
            }
        }

        #[cfg(feature = "std")]
        impl$(<$storage: PlainStorage>)? $path {
            /// Writes the file to `out` in pieces of 64 KiB. Buffering is left to the caller.
            ///
            /// # Errors
            /// [`Error::Io`](crate::Error::Io) if `out` fails; and as [`to_bytes`](Self::to_bytes).
            pub fn write_to(&self, mut out: impl Write) -> Result<()> {
                to_writer(self, None, &mut out)
            }

            /// [`write_to`](Self::write_to), sealed like
            /// [`to_bytes_sealed`](Self::to_bytes_sealed).
            ///
            /// # Errors
            /// As [`write_to`](Self::write_to).
            #[cfg(feature = "seal")]
            pub fn write_to_sealed(&self, mut out: impl Write, key: &SealKey) -> Result<()> {
                to_writer(self, Some(key), &mut out)
            }

            /// Saves the filter as a file, atomically. The bytes go to a temporary file beside
            /// `path`, reach the disk, and then the file gets the name. Whatever happens, `path` is
            /// the whole old file or the whole new file.
            ///
            /// An existing file keeps its permissions. It keeps its owner and group if this process
            /// may set them; otherwise the group gets no more rights than everybody. Access lists
            /// are not kept. Programs that have opened the old file keep its content. A symbolic
            /// link is followed. A hard link is parted: `path` gets the new file, and the other
            /// names keep the old one. Until it is finished, only its owner may read the temporary
            /// file. A process that is killed while saving leaves its temporary file; on Unix the
            /// next save to the same path removes it.
            ///
            /// ```
            /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
            #[doc = concat!("use tepal::", stringify!($type), ";")]
            /// # let folder = tempfile::tempdir()?;
            /// # let path = folder.path().join("seen.tepal");
            #[doc = concat!("let filter = ", example!($type), ";")]
            /// filter.save(&path)?;
            /// assert_eq!(tepal::open(&path)?.contains("apple"), filter.contains("apple"));
            /// # Ok(())
            /// # }
            /// ```
            ///
            /// # Errors
            /// [`Error::Io`](crate::Error::Io) if the system fails;
            /// [`Error::Parameter`](crate::Error::Parameter) if a file cannot replace `path`, for
            /// example a folder or a device ([`check_place`](crate::file::check_place) tells in
            /// advance); and as [`to_bytes`](Self::to_bytes).
            pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
                save(self, path.as_ref(), Over::Any, None)
            }

            /// [`save`](Self::save) as a new file; never replaces a file. If two calls run at once,
            /// one of them creates the file.
            ///
            /// # Errors
            /// [`Error::FileExists`](crate::Error::FileExists) if `path` exists; and as
            /// [`save`](Self::save).
            pub fn save_new(&self, path: impl AsRef<Path>) -> Result<()> {
                save(self, path.as_ref(), Over::Nothing, None)
            }

            /// [`save`](Self::save), sealed: opening needs the same key, and detects every change
            /// made without it ([`SealKey`]).
            ///
            /// # Errors
            /// As [`save`](Self::save).
            #[cfg(feature = "seal")]
            pub fn save_sealed(&self, path: impl AsRef<Path>, key: &SealKey) -> Result<()> {
                save(self, path.as_ref(), Over::Any, Some(key))
            }
        }
    };
}

/// The calls that read.
macro_rules! read {
    ($type:ident, $path:path) => {
        #[cfg(feature = "std")]
        impl $path {
            /// Opens a tepal file and checks all of it: header, lengths, parameters, hash
            /// self-test, and the checksum of every bit. A file that was damaged, cut, extended or
            /// made by something else is refused; every change of a single bit is detected.
            ///
            /// The bits are mapped, not copied: they are read from disk once, at memory speed, and
            /// all processes that open the file share them. Replacing the file by
            /// [`save`](Self::save) while it is open is safe. **Cutting or overwriting it in place
            /// is not**: then the system stops the process (`SIGBUS`) or answers change, as with
            /// every mapped file. Use [`Open::in_memory`] if that can happen.
            ///
            /// ```
            /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
            #[doc = concat!("use tepal::", stringify!($type), ";")]
            /// # let folder = tempfile::tempdir()?;
            /// # let path = folder.path().join("seen.tepal");
            #[doc = concat!("let filter = ", example!($type), ";")]
            /// filter.save(&path)?;
            #[doc = concat!("let opened = ", stringify!($type), "::open(&path)?;")]
            /// assert_eq!(opened.contains("apple"), filter.contains("apple"));
            /// # Ok(())
            /// # }
            /// ```
            ///
            /// # Errors
            /// [`Error::Io`](crate::Error::Io); [`Error::NotTepal`](crate::Error::NotTepal);
            /// [`Error::Unsupported`](crate::Error::Unsupported) for a newer version or an unknown
            /// kind, layout, scheme or flag; [`Error::Damaged`](crate::Error::Damaged);
            /// [`Error::Parameter`](crate::Error::Parameter) for impossible values;
            /// [`Error::KeyRequired`](crate::Error::KeyRequired) for a filter made with a secret
            /// key; [`Error::SealRequired`](crate::Error::SealRequired) for a sealed file;
            /// [`Error::TooLarge`](crate::Error::TooLarge) for a file of 2 GiB or more on a 32-bit
            /// machine; [`Error::NotPossible`](crate::Error::NotPossible) for a filter of another
            /// kind. Use [`tepal::open`](crate::open) for another kind or another program's file.
            pub fn open(path: impl AsRef<Path>) -> Result<Self> {
                Open::new().open_as(path.as_ref())
            }

            /// [`open`](Self::open) for a filter made with a secret key.
            ///
            /// # Errors
            /// As [`open`](Self::open), and [`Error::WrongKey`](crate::Error::WrongKey);
            /// [`Error::KeyNotUsed`](crate::Error::KeyNotUsed) for a filter made without one.
            pub fn open_with_key(path: impl AsRef<Path>, key: &SecretKey) -> Result<Self> {
                Open::new().secret_key(key).open_as(path.as_ref())
            }

            /// Opens a file without reading its bits, for files that are so large that
            /// [`open`](Self::open) takes too long.
            ///
            /// Damage before the bits is detected, and so are cuts and additions. Damage in the
            /// bits is detected only by [`verify`](Self::verify): see [`Open::quick`].
            ///
            /// # Errors
            /// As [`open`](Self::open), except for damage in the bits.
            pub fn open_quick(path: impl AsRef<Path>) -> Result<Self> {
                Open::new().quick().open_as(path.as_ref())
            }
        }

        impl $path {
            /// Reads the bytes of a tepal file into a filter in memory, with every check of
            /// [`open`](Self::open).
            ///
            /// ```
            #[doc = concat!("use tepal::", stringify!($type), ";")]
            #[doc = concat!("let filter = ", example!($type), ";")]
            /// let file = filter.to_bytes()?;
            #[doc = concat!("let read = ", stringify!($type), "::from_bytes(&file)?;")]
            /// assert_eq!(read.contains("apple"), filter.contains("apple"));
            #[doc = concat!("assert!(", stringify!($type), "::from_bytes(&file[1..]).is_err());")]
            /// # Ok::<(), tepal::Error>(())
            /// ```
            ///
            /// # Errors
            /// As [`open`](Self::open), except for errors of reading a file. Use
            /// [`tepal::from_bytes`](crate::from_bytes) for another kind or another program's file.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
                Open::new().read_as(bytes)
            }

            /// [`from_bytes`](Self::from_bytes) for a filter made with a secret key.
            ///
            /// # Errors
            /// As [`open_with_key`](Self::open_with_key), except for errors of reading a file.
            pub fn from_bytes_with_key(bytes: &[u8], key: &SecretKey) -> Result<Self> {
                Open::new().secret_key(key).read_as(bytes)
            }

            /// Reads one tepal file from a stream into a filter in memory, and no byte after it.
            /// Everything is checked.
            ///
            /// # Errors
            /// As [`from_bytes`](Self::from_bytes), and [`Error::Io`](crate::Error::Io). At the end
            /// of the stream: [`Error::NotTepal`](crate::Error::NotTepal) with
            /// [`Looks::Empty`](crate::error::Looks::Empty).
            #[cfg(feature = "std")]
            pub fn read_from(mut stream: impl Read) -> Result<Self> {
                Open::new().read_one(&mut stream)
            }
        }
    };
}

/// Implements the calls for a line of the list.
macro_rules! of_kind {
    ($kind:ident: $module:ident::$type:ident <$storage:ident>) => {
        written!($type, kinds::$module::$type<L>, L);
        read!($type, kinds::$module::$type<$storage>);
    };
    ($kind:ident: $module:ident::$type:ident) => {
        written!($type, kinds::$module::$type);
        read!($type, kinds::$module::$type);
    };
}

each_kind!(each_type of_kind);

written!(AnyFilter, AnyFilter);
