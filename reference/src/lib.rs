//! Every frozen rule of `FORMAT.md` as plain code.
//!
//! This crate is the yardstick of the library, not a part of it: it shares no code with it, takes its XXH3
//! and XXH64 from another crate and writes out every other hash, and prefers the words of the specification
//! to speed. Bits are a `Vec<bool>`, loops are loops. Whoever ports the format to another language can read
//! it beside `FORMAT.md`; whoever has ported it can compare with the JSON files in `testdata/vectors/`, which
//! the command in `vectors/` writes with this crate:
//!
//! ```text
//! cargo run -p tepal-reference -- write testdata/vectors
//! cargo run -p tepal-reference -- check testdata/vectors
//! ```
//!
//! | module | section of `FORMAT.md` |
//! | --- | --- |
//! | [`key`] | 1.1 key domains, 1.2 recipe |
//! | [`hash`], [`siphash`] | 1.3 schemes |
//! | [`schemes`] | 1.4 schemes with a rule of their own |
//! | [`bits`] | 2.1 to 2.5: from a hash to bit positions |
//! | [`filter`] | 2.6 folding; insert, ask, self-test |
//! | [`records`] | 4.3 |
//! | [`encode`] | 3 and 4: from a filter to a file |
//! | [`decode`] | 4.6: from a file to a filter, with every check |
//! | [`seal`] | 4.7 |
//! | [`size`] | 5: rates and sizes |

pub mod bits;
pub mod decode;
pub mod encode;
pub mod filter;
pub mod hash;
pub mod key;
pub mod records;
pub mod schemes;
pub mod seal;
pub mod siphash;
pub mod size;
