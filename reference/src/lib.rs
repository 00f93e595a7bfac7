//! Every frozen rule of `FORMAT.md` as plain code.
//!
//! This crate checks the library and shares no code with it. It follows the words of the
//! specification and is not made to be fast: bits are a `Vec<bool>`, ids are the numbers in the
//! header. XXH3 and XXH64 come from a crate that the library does not use; every other hash is
//! written out. To port the format to another language, read this beside `FORMAT.md` and compare
//! with the JSON files in `testdata/vectors/`. The command in `vectors/` writes them with this
//! crate:
//!
//! ```text
//! cargo run -p tepal-reference -- write testdata/vectors
//! cargo run -p tepal-reference -- check testdata/vectors
//! ```
//!
//! | module | section of `FORMAT.md` |
//! | --- | --- |
//! | [`key`] | 1.1 key domains, 1.1.1 compound keys, 1.2 recipe |
//! | [`hash`] | 1.3 schemes: the hashes and `finish`; the short hashes of 1.4 |
//! | [`digest`] | MD5 and SHA-384 of section 1.4, HMAC-SHA256 of section 4.7 |
//! | [`schemes`] | 1.4 schemes with a rule of their own |
//! | [`bits`] | 2.1 to 2.5: from a hash to bit positions |
//! | [`table`] | 2.7: the quotient table |
//! | [`filter`] | a filter: insert, lookup, 2.6 folding, the self-test of 4.2, the limits of its fields |
//! | [`write`](mod@write) | 3 and 4: from a filter to a file |
//! | [`read`] | 4.6: from a file to a filter, with every check |
//! | `envelope` | 3 and 4.6 for the kinds 2 to 8: the envelope around the filter |
//! | `hashing` | 1 and 4.2.2 for the kinds 3 and 5 to 8: how a key becomes a hash |
//! | [`chain`] | 4.2.1: the growing chain and its file |
//! | [`quotient`] | 4.2.2: the quotient filter and its file |
//! | [`growing`] | 4.2.3: the growing filter, which is a chain of such tables, and its file |
//! | [`expiring`] | 4.2.4: the expiring filter and its file |
//! | [`segment`] | 4.2.5: the segment filter and its file |
//! | [`ribbon`] | 2.8, 4.2.6, 4.2.7, 5.7: the ribbon filter, the map, and their files |
//! | [`divider`] | 4.10: bits that distinguish members from exceptions |
//! | [`embedded`] | 4.8: writing and reading the embedded form; for a ribbon (4.8.1) [`ribbon::embedded`] |
//! | [`size`] | 5: rates and sizes |
//! | [`patch`] | 6: patches from one file to another |

// The loops count like the specification.
#![allow(clippy::needless_range_loop)]

pub mod bits;
pub mod chain;
pub mod digest;
pub mod divider;
pub mod embedded;
mod envelope;
pub mod expiring;
pub mod filter;
pub mod growing;
pub mod hash;
mod hashing;
pub mod key;
pub mod patch;
pub mod quotient;
pub mod read;
pub mod ribbon;
pub mod schemes;
pub mod segment;
pub mod size;
pub mod spread;
pub mod table;
pub mod write;
