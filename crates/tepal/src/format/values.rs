//! The values of a key that a module of Redis or Valkey saves: numbers, doubles and strings, one
//! after the other, as the server's module interface gives and takes them.

use alloc::vec::Vec;

/// The values of a key, as a server gives them to a module (`RedisModule_Load...`), in the order in
/// which the module saved them. [`Open::from_values`](crate::Open::from_values) reads them. Each
/// call returns `None` if there is no value, or one of another kind.
pub trait Values {
    /// The next value, an unsigned number.
    fn unsigned(&mut self) -> Option<u64>;
    /// The next value, a double.
    fn double(&mut self) -> Option<f64>;
    /// The next value, a string of bytes.
    fn string(&mut self) -> Option<Vec<u8>>;
}

/// Takes the values of a key, as a server takes them from a module (`RedisModule_Save...`).
/// [`Opened::put_values`](crate::Opened::put_values) gives them.
pub trait PutValues {
    /// Takes an unsigned number.
    fn unsigned(&mut self, value: u64);
    /// Takes a double.
    fn double(&mut self, value: f64);
    /// Takes a string of bytes.
    fn string(&mut self, value: &[u8]);
}
