//! Arrow columns as keys of tepal's filters, for the front ends that get Arrow columns.
//!
//! A column comes through Arrow's C data interface ([`ArrowSchema`], [`ArrowArray`],
//! [`ArrowArrayStream`]), so no Arrow crate is needed. [`Type::of`] tells whether it holds keys,
//! and which. [`column`] reads it where it lies: a [`Column`] gives its keys by pieces.
//!
//! One rule: what is not sure is refused, with the cast to type. A value is the same key in each
//! column that holds it.
//!
//! | the column | its keys |
//! | --- | --- |
//! | integers of every width | the integers |
//! | strings and binary, with their large and view forms; fixed-size binary; `arrow.json` | the bytes |
//! | `arrow.uuid` | the text in lower case, with hyphens |
//! | a dictionary | its values |
//! | a table of one column | the column |
//! | anything else, and every other extension type | refused by name |
//!
//! `unsafe` stands in `ffi/` alone, which reads the memory of other programs.

mod column;
mod ffi;
mod kind;

pub use column::{Broken, Column, PIECE, column, uuid_text};
pub use ffi::export::booleans;
pub use ffi::numbers::Numbers;
pub use ffi::{ArrowArray, ArrowArrayStream, ArrowSchema};
pub use kind::Type;
