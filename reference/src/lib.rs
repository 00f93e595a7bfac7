//! Every frozen rule of `FORMAT.md` as plain code.
//!
//! This crate is the yardstick of the library and not a part of it. The two share no code.
//! Everything is written as the specification says it, not as fast as it could be: bits are a
//! `Vec<bool>`, ids are the numbers of the header, and a loop is a loop. XXH3 and XXH64 come from a
//! crate that the library does not use; every other hash is written out. Whoever ports the format
//! to another language can read this beside `FORMAT.md` and compare with the JSON files in
//! `testdata/vectors/`. The command in `vectors/` writes them with this crate:
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
//! | [`filter`] | a filter: insert, ask, 2.6 folding, the self-test of 4.2, the limits of its fields |
//! | [`write`](mod@write) | 3 and 4: from a filter to a file |
//! | [`read`] | 4.6: from a file to a filter, with every check |
//! | `envelope` | 3 and 4.6, once for the kinds 2 to 8: what surrounds the filter |
//! | `hashing` | 1 and 4.2.2, once for the kinds 3 and 5 to 8: how a key becomes a hash |
//! | [`chain`] | 4.2.1: the growing chain and its file |
//! | [`quotient`] | 4.2.2: the quotient filter and its file |
//! | [`growing`] | 4.2.3: the growing filter, which is a chain of such tables, and its file |
//! | [`expiring`] | 4.2.4: the expiring filter and its file |
//! | [`segment`] | 4.2.5: the segment filter and its file |
//! | [`ribbon`] | 2.8, 4.2.6, 4.2.7, 5.7: the ribbon filter, the map, and their files |
//! | [`divider`] | 4.10: what tells members from exceptions |
//! | [`embedded`] | 4.8: the embedded form, out and in; of a ribbon (4.8.1) [`ribbon::embedded`] |
//! | [`size`] | 5: rates and sizes |
//! | [`patch`] | 6: what makes one file another |

// The loops count as the specification does.
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
