//! How a chain grows: the rule of its program, or tepal's own.

use core::fmt;

/// The rule that gives the next link of the chain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Growth {
    /// Never: the chain is full when its one link is.
    Fixed,
    /// RedisBloom: `expansion` times the keys, half the rate.
    RedisBloom { expansion: u32 },
    /// valkey-bloom: `expansion` times the capacity; link j has the rate `rate · tightening^j`.
    ValkeyBloom { expansion: u32, rate: f64, tightening: f64 },
    /// tepal's own: [`promise`](super::promise) has the plan of its links.
    Promise { expansion: u32, rate: f64 },
}

impl Growth {
    /// The next link has this many times the keys of the last one.
    pub(super) fn expansion(&self) -> Option<u32> {
        match self {
            Growth::Fixed => None,
            Growth::RedisBloom { expansion } | Growth::ValkeyBloom { expansion, .. } => Some(*expansion),
            Growth::Promise { expansion, .. } => Some(*expansion),
        }
    }

    /// Whether it is tepal's own rule, which keeps one promise and has a tepal file.
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
