//! The kinds of filter, one module each.

pub(crate) mod bloom;
