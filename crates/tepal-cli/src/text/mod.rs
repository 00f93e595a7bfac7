//! Text for people: numbers, pictures, and the names in messages.

pub mod message;
pub mod nearest;
pub mod number;
pub mod picture;
pub mod separators;
pub mod words;
