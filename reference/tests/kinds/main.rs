//! The kinds one by one, and the damage to their files.

mod bloom;
mod every_kind;
mod expiring;
mod quotient;
mod segment;
