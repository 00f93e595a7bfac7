//! Runs statements, prints what they give, and writes a filter to a file.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::SessionContext;
use datafusion::sql::parser::DFParser;

use crate::Failure;

/// Runs the statements of a text. Prints each result, or returns the last one.
pub(crate) async fn statements(
    context: &SessionContext,
    text: &str,
    print: bool,
) -> Result<Option<Vec<RecordBatch>>, Failure> {
    let mut last = None;
    for statement in DFParser::parse_sql(text)? {
        let plan = context.state().statement_to_plan(statement).await?;
        let batches = context.execute_logical_plan(plan).await?.collect().await?;
        if print && batches.iter().any(|batch| batch.num_columns() > 0) {
            let shown = batches.iter().map(shown).collect::<Result<Vec<_>, _>>()?;
            println!("{}", pretty_format_batches(&shown)?);
        }
        last = Some(batches);
    }
    Ok(last)
}

/// The same rows with the number of its bytes in place of a filter.
fn shown(batch: &RecordBatch) -> Result<RecordBatch, Failure> {
    let (mut fields, mut columns): (Vec<Field>, Vec<ArrayRef>) = (Vec::new(), Vec::new());
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        if *field.data_type() == DataType::BinaryView {
            let sizes = column.as_binary_view().iter();
            let sizes: StringArray =
                sizes.map(|bytes| bytes.map(|bytes| format!("{} bytes", bytes.len()))).collect();
            fields.push(Field::new(field.name(), DataType::Utf8, true));
            columns.push(Arc::new(sizes));
        } else {
            fields.push(field.as_ref().clone());
            columns.push(Arc::clone(column));
        }
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}

/// Writes the filter that a statement gave.
pub(crate) fn save(batches: &[RecordBatch], path: &Path) -> Result<(), Failure> {
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let filter = batches.iter().find(|batch| batch.num_rows() > 0).filter(|batch| {
        rows == 1 && batch.num_columns() == 1 && *batch.column(0).data_type() == DataType::BinaryView
    });
    let filter = filter.map(|batch| batch.column(0)).filter(|column| !column.is_null(0)).ok_or(
        "-o needs one filter, and the last statement gives something else; let it be \
         select bloom_build(key, n, 0.01) from t",
    )?;
    let opened = tepal::from_bytes(filter.as_binary_view().value(0))?;
    opened.save(path)?;
    println!(
        "{} keys, {} bytes",
        opened.filter().keys_inserted().unwrap_or(0),
        opened.filter().size_in_bytes()
    );
    Ok(())
}
