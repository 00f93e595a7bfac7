//! The SQL functions, each as a query uses it.

mod building;
mod columns;
mod files;
mod refusals;
mod subqueries;
mod values;

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, BooleanArray, Int64Array, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::catalog::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};

/// A session with the functions, which divides a query into this many parts.
fn session(partitions: usize) -> SessionContext {
    let mut context =
        SessionContext::new_with_config(SessionConfig::new().with_target_partitions(partitions));
    tepal_datafusion::register_all(&mut context).unwrap();
    context
}

/// Makes the table `t` with one column `key`, whose rows are in these partitions.
fn table(context: &SessionContext, name: &str, partitions: Vec<ArrayRef>) {
    let field = Field::new("key", partitions[0].data_type().clone(), true);
    let schema = Arc::new(Schema::new(vec![field]));
    let batch = |keys| vec![RecordBatch::try_new(Arc::clone(&schema), vec![keys]).unwrap()];
    let batches = partitions.into_iter().map(batch).collect();
    let table = MemTable::try_new(Arc::clone(&schema), batches).unwrap();
    context.register_table(name, Arc::new(table)).unwrap();
}

/// The numbers from 0 on, cut into partitions.
fn numbers(count: i64, partitions: i64) -> Vec<ArrayRef> {
    let part =
        |i| Arc::new(Int64Array::from_iter_values((i..count).step_by(partitions as usize))) as ArrayRef;
    (0..partitions).map(part).collect()
}

/// The rows of a query in one batch.
async fn rows(context: &SessionContext, sql: &str) -> RecordBatch {
    match try_rows(context, sql).await {
        Ok(batch) => batch,
        Err(error) => panic!("{sql}: {error}"),
    }
}

async fn try_rows(context: &SessionContext, sql: &str) -> Result<RecordBatch, String> {
    let frame = context.sql(sql).await.map_err(|error| error.to_string())?;
    let schema = Arc::clone(frame.schema().inner());
    let batches = frame.collect().await.map_err(|error| error.to_string())?;
    let schema = batches.first().map_or(schema, |batch| batch.schema());
    Ok(concat_batches(&schema, &batches).unwrap())
}

/// The filter that a query gives.
async fn filter(context: &SessionContext, sql: &str) -> Vec<u8> {
    rows(context, sql).await.column(0).as_binary_view().value(0).to_vec()
}

/// The answers that a query gives, in their order.
async fn answers(context: &SessionContext, sql: &str) -> Vec<Option<bool>> {
    let batch = rows(context, sql).await;
    let answers: &BooleanArray = batch.column(0).as_boolean();
    answers.iter().collect()
}

/// The one number that a query gives.
async fn number(context: &SessionContext, sql: &str) -> i64 {
    let batch = rows(context, &format!("select cast(({sql}) as bigint)")).await;
    batch.column(0).as_primitive::<datafusion::arrow::datatypes::Int64Type>().value(0)
}

/// The error of a query that fails.
async fn error(context: &SessionContext, sql: &str) -> String {
    match try_rows(context, sql).await {
        Ok(batch) => panic!("{sql} gave {batch:?}"),
        Err(error) => error,
    }
}
