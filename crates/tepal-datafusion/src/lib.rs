//! SQL functions for DataFusion: an aggregate that builds a filter, and functions that look keys up
//! in a filter or in its file.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> datafusion::error::Result<()> {
//! use datafusion::prelude::SessionContext;
//!
//! let mut context = SessionContext::new();
//! tepal_datafusion::register_all(&mut context)?;
//! let rows = context
//!     .sql(
//!         "with seen as (select bloom_build(id, 1000, 0.01) as filter from (values (17), (23)) t(id))
//!          select id from (values (17), (99)) t(id) where bloom_contains((select filter from seen), id)",
//!     )
//!     .await?
//!     .collect()
//!     .await?;
//! assert_eq!(rows.iter().map(|batch| batch.num_rows()).sum::<usize>(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! [`column`] turns an Arrow column into keys, and is the only file that knows the types of
//! columns; the library hashes them. [`file`] holds the opened files of a process, [`bytes`] the
//! filters that a query gives as values. [`args`] reads the arguments of a call, [`words`] has
//! SQL's words for the library's errors. The other files are the functions: the aggregates
//! [`build`], [`count`] and [`merge`], the lookups [`contains`], [`value`] and [`segments`], and
//! [`info`] and [`read`].
//!
//! `docs/sql.md` in the repository is the page for people who write SQL.

mod args;
mod build;
mod bytes;
mod column;
mod contains;
mod count;
mod file;
mod info;
mod merge;
mod read;
mod segments;
mod value;
mod words;

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

/// Registers all functions with a session, a scheduler or an executor.
///
/// # Errors
/// An error of the registry, if it takes no functions.
pub fn register_all(registry: &mut dyn FunctionRegistry) -> Result<()> {
    for function in scalar_functions() {
        registry.register_udf(function)?;
    }
    for function in aggregate_functions() {
        registry.register_udaf(function)?;
    }
    Ok(())
}

/// The functions of one row: `bloom_contains`, `bloom_contains_file`, `bloom_value_file`,
/// `bloom_segments_file`, `bloom_info` and `bloom_read_file`.
#[must_use]
pub fn scalar_functions() -> Vec<Arc<ScalarUDF>> {
    vec![
        Arc::new(contains::Contains::new().into()),
        Arc::new(contains::ContainsFile::new().into()),
        Arc::new(value::ValueFile::new().into()),
        Arc::new(segments::SegmentsFile::new().into()),
        Arc::new(info::Info::new().into()),
        Arc::new(read::ReadFile::new().into()),
    ]
}

/// The functions of many rows: `bloom_build`, `bloom_count` and `bloom_merge`.
#[must_use]
pub fn aggregate_functions() -> Vec<Arc<AggregateUDF>> {
    vec![
        Arc::new(build::Build::new().into()),
        Arc::new(count::Count::new().into()),
        Arc::new(merge::Merge::new().into()),
    ]
}
