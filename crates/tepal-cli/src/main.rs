//! The command `tepal`, to come.
fn main() {}
