//! `tepal which`.

use clap::Args;

use super::{AskArgs, FiltersArgs};

/// The end of the help.
pub const HELP: &str = "\
Each line comes out with one more field, after a tab: the filters that may hold its key, as they were named here, with \
a comma between them, or the word none. So `awk -F'\\t' '{print $NF}'` has the names. A name with a comma, the name none and a name \
that begins with a quote are in quotes, as in CSV: \"north,east\", \"none\"; --json has names as they are. none without quotes is \
certain; each name means perhaps, at the rate of its filter. These rates add up: of 1,000 filters at 1 % ten are named by mistake for every key, so \
build many with a low one (-p 1e-6).

Of one filter that was built with segments (build --by, build --set) these are named in the place of filters, at once however many \
there are, and the rate of the filter is that of all of them together:
  tepal which accounts.tepal today.txt

Filters may be of any programs, sizes and hashes; a key is hashed once for all that hash alike. A key that one of them \
cannot have, such as text among integers, is not in that one; if all refuse it, it is in none, and told of (--bad).

What the keys are, and how they are read: tepal has --help.
Exit codes: 0 a filter holds one of the keys (-v: a key is in none), 1 not so, 2 error.";

/// `tepal which`.
#[derive(Args, Debug)]
pub struct WhichArgs {
    #[command(flatten)]
    pub filters: FiltersArgs,
    #[command(flatten)]
    pub ask: AskArgs,
}
