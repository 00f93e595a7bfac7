//! The flags of `tepal build` about filters that grow.

use clap::Args;

/// The end of the help of `tepal build`, about these.
pub const GROW_HELP: &str = "\
Keys that never end: a filter of --growing takes as many as come, under one promise (tepal add), and grows with them. -n is how many \
keys it begins with room for; left out, as many as the list has, up to 16 million. With up to 16 times as many it is one table, with up to \
272 times two, and each is asked: so a good guess makes it quicker, and a wrong one breaks nothing. Keys can be removed with \
--deletable too.
  tepal build today.txt --growing -o seen.tepal
  generate | tepal build --growing -n 1M -o seen.tepal
  tepal build open.txt --growing --deletable -o open.tepal
At 1 % a key takes 11 to 16 bits. When no more keys come, tepal shrink -p makes one table of it. Memory: with -n up to twice the filter, \
while keys move into more room, and some 20 MiB; without it 128 MiB more, and with --deletable 8 bytes for each key of the list, up to \
twice that.";

/// Whether a filter grows.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct GrowArgs {
    /// Make a filter for as many keys as come, now and later: it grows, and keeps its promise
    #[arg(long, aliases = ["growable", "grow", "grows", "scalable", "unlimited"])]
    pub growing: bool,
}
