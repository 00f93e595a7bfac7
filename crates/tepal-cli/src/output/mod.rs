//! What the command writes: results to standard output, messages to standard error, filters to
//! files.

mod change;
mod header;
pub mod interrupt;
mod lines;
mod record;
mod streams;
mod target;

pub use change::Change;
pub use header::Header;
pub use lines::Lines;
pub use record::{Held, Judged, Record, Value, why_none};
pub use streams::{Open, Stdout, check_stdout, complain, remind, say};
pub use target::{Target, is_same_file, keep, refuse_both};
