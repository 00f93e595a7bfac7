//! The flags about the size of a filter, which `tepal build` and `tepal plan` have.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use tepal::{BloomFilter, Goal, Layout, Scheme, builders::BloomFilterBuilder};

use crate::error::Failure;
use crate::text::number;

/// How large a filter is and how it works inside.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ShapeArgs {
    /// False-positive rate, the share of non-members that get a yes: 1%, 0.001, 1e-6, "1 in 1000"
    /// [default: 1%]
    #[arg(short = 'p', long, value_name = "RATE", value_parser = number::parse_rate)]
    pub fpr: Option<f64>,
    /// Room for this many different keys: 20M, 1.5k
    #[arg(short = 'n', long, value_name = "KEYS", value_parser = number::parse_count)]
    pub capacity: Option<u64>,
    /// Bytes of the filter: 24MiB, 1GB
    #[arg(short, long, value_name = "SIZE", value_parser = number::parse_size)]
    pub size: Option<u64>,
    /// Which bits a key sets
    #[arg(long, value_name = "LAYOUT", value_parser = parse_layout())]
    pub layout: Option<Layout>,
    /// How many bits each key sets [default: the best number]
    #[arg(short = 'k', long, value_name = "K", value_parser = parse_num_hashes)]
    pub num_hashes: Option<u32>,
    /// Prefer a smaller filter to a faster one
    #[arg(long, conflicts_with = "layout")]
    pub small: bool,
}

impl ShapeArgs {
    /// Refuses a shape of which too much is given.
    pub fn check(&self) -> Result<(), Failure> {
        match (self.capacity, self.fpr, self.size) {
            (Some(_), Some(_), Some(_)) => {
                Err(Failure::new("-n, -p and -s are given; leave one out, it follows from the other two"))
            }
            _ => Ok(()),
        }
    }

    /// The bits of `--size`, which must be those of whole lines or blocks, save for a scheme whose
    /// filters are not made of them.
    pub fn bit_len(&self, of_lines: bool) -> Result<Option<u64>, Failure> {
        let Some(bytes) = self.size else { return Ok(None) };
        let (unit, what) = match (of_lines, self.layout) {
            (false, _) => (1, ""),
            (true, Some(Layout::SplitBlock)) => (32, "blocks"),
            (true, _) => (64, "lines"),
        };
        let whole = bytes / unit * unit;
        if whole != bytes {
            let (less, more) = (number::count(whole), number::count(whole.saturating_add(unit)));
            let instead = if whole == 0 { format!("{more} or more") } else { format!("{less} or {more}") };
            return Err(Failure::new(format!(
                "-s: {}; the filter is made of {what} of {unit} bytes, give {instead}",
                number::counted(bytes, "byte")
            )));
        }
        match bytes.checked_mul(8) {
            Some(bits) => Ok(Some(bits)),
            None => Err(Failure::new(format!(
                "-s: {bytes} bytes, more than any machine can hold; take a smaller size"
            ))),
        }
    }

    /// What to prefer where no layout is named.
    fn goal(&self) -> Goal {
        if self.small { Goal::Memory } else { Goal::Speed }
    }

    /// The filter of this shape, of so many bits where that is given.
    pub fn describe(&self, bit_len: Option<u64>, scheme: Option<Scheme>) -> BloomFilterBuilder {
        let mut builder = BloomFilter::builder().goal(self.goal());
        if let Some(keys) = self.capacity {
            builder = builder.capacity(keys);
        }
        if let Some(rate) = self.fpr {
            builder = builder.false_positive_rate(rate);
        }
        if let Some(bits) = bit_len {
            builder = builder.bit_len(bits);
        }
        if let Some(layout) = self.layout {
            builder = builder.layout(layout);
        }
        if let Some(k) = self.num_hashes {
            builder = builder.num_hashes(k);
        }
        match scheme {
            Some(scheme) => builder.scheme(scheme),
            None => builder,
        }
    }
}

fn parse_num_hashes(text: &str) -> Result<u32, String> {
    number::parse_whole(text, 0, u64::from(u32::MAX))
}

fn parse_layout() -> impl TypedValueParser<Value = Layout> {
    PossibleValuesParser::new(Layout::ALL.iter().map(|layout| layout.name()))
        .try_map(|name| name.parse::<Layout>())
}
