//! What each kind that is a table promises alone, against a list of its keys.

mod copies;
mod generations;
mod growing;
mod segments;
