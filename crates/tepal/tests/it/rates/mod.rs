//! False-positive rates: the promised, the reported and the measured one.

mod promise;
#[cfg(feature = "std")]
mod reported;
mod sharded;
