//! False-positive rates: the planned, the promised, the reported and the measured one.

mod plan;
mod promise;
#[cfg(feature = "std")]
mod reported;
mod sharded;
