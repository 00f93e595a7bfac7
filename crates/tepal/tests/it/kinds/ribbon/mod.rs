//! What a ribbon filter and a map promise alone.

mod filter;
mod map;
mod map_value;
