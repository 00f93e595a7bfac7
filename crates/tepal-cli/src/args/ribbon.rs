//! The flag of `tepal build` about filters that do not change.

use clap::Args;

/// The end of the help of `tepal build`, about these.
pub const RIBBON_HELP: &str = "\
The smallest filter: --static makes one of a list that is complete, to be sent to phones and pages or kept beside data that does not \
change. At 1 % a key takes 6.74 bits, where a Bloom filter takes 9.95 and no filter less than 6.64; powers of two such as -p 0.390625% (1 in \
256) are cheapest. No key can be taken out. tepal add puts a few keys that come later beside it, at 8 bytes each; for more of them build it again.
  tepal build blocked.txt --static -o blocked.tepal
  tepal build blocked.txt --static -p 0.1% --name blocked -o blocked.tepal
  tepal has -c blocked.tepal seen.txt
It is asked like any other filter. Memory: twice the filter, a byte a key, what --memory says for keys that wait, and some 20 MiB with two threads.";

/// Whether the list is complete, and what the filter of it is to be.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct RibbonArgs {
    /// Make the smallest filter, of a list that is complete: no key can be taken out, and a few can
    /// be added later, at 8 bytes each
    #[arg(long = "static", aliases = ["ribbon", "frozen", "freeze", "immutable", "smallest"],
        conflicts_with_all = ["deletable", "count_bits", "counting", "window", "growing"])]
    pub is_static: bool,

    /// With --static: rather a fast filter than the smallest one, at rates between powers of two
    /// above 1 in 64
    #[arg(long, requires = "is_static", aliases = ["fast"])]
    pub prefer_speed: bool,
}
