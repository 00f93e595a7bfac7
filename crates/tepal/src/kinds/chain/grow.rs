//! How a chain grows: the rule of its program, or our own.

use core::fmt;

/// The rule by which the next filter of the chain follows from the last.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Growth {
    /// Never: the chain is full when its one filter is.
    Fixed,
    /// RedisBloom: `expansion` times the entries, half the error.
    RedisBloom { expansion: u32 },
    /// valkey-bloom: `expansion` times the capacity, filter j at `rate · tightening^j`.
    ValkeyBloom { expansion: u32, rate: f64, tightening: f64 },
    /// Our own: [`promise`](super::promise) has the plan of its links.
    Promise { expansion: u32, rate: f64 },
}

impl Growth {
    /// How many times the keys of the last link the next one is for.
    pub(super) fn expansion(&self) -> Option<u32> {
        match self {
            Growth::Fixed => None,
            Growth::RedisBloom { expansion } | Growth::ValkeyBloom { expansion, .. } => Some(*expansion),
            Growth::Promise { expansion, .. } => Some(*expansion),
        }
    }

    /// Is it our own, which keeps one promise and can be in a tepal file?
    pub(crate) fn is_own(&self) -> bool {
        match self {
            Growth::Fixed | Growth::RedisBloom { .. } | Growth::ValkeyBloom { .. } => false,
            Growth::Promise { .. } => true,
        }
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Growth::Fixed => f.write_str("none"),
            Growth::RedisBloom { expansion } => write!(f, "{expansion} times the keys at half the rate"),
            Growth::ValkeyBloom { expansion, rate, tightening } => {
                write!(f, "{expansion} times the keys at {tightening} of the rate, from {rate} on")
            }
            Growth::Promise { expansion, rate } => {
                write!(f, "{expansion} times the keys, and {rate} for all filters together")
            }
        }
    }
}
