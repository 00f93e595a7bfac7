//! What the command writes: results to standard output, messages to standard error, filters to files.

pub mod interrupt;
mod stderr;
mod stdout;
mod target;

pub use stderr::{complain, say};
pub use stdout::Stdout;
pub use target::Target;
