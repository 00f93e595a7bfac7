//! The Python package `tepal_datafusion`: tepal's SQL functions in a session of the package
//! `datafusion`.
//!
//! The functions are not written again: each is handed over by DataFusion's own interface between
//! two builds of it (`datafusion-ffi`), as a capsule.

use std::sync::Arc;

use datafusion::logical_expr::{AggregateUDF, ScalarUDF};
use datafusion_ffi::udaf::FFI_AggregateUDF;
use datafusion_ffi::udf::FFI_ScalarUDF;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A function of one row, as `datafusion.udf` takes it.
#[pyclass(frozen)]
struct ScalarFunction(Arc<ScalarUDF>);

#[pymethods]
impl ScalarFunction {
    fn __datafusion_scalar_udf__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        PyCapsule::new_with_value(py, FFI_ScalarUDF::from(Arc::clone(&self.0)), c"datafusion_scalar_udf")
    }
}

/// A function of many rows, as `datafusion.udaf` takes it.
#[pyclass(frozen)]
struct AggregateFunction(Arc<AggregateUDF>);

#[pymethods]
impl AggregateFunction {
    fn __datafusion_aggregate_udf__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        PyCapsule::new_with_value(
            py,
            FFI_AggregateUDF::from(Arc::clone(&self.0)),
            c"datafusion_aggregate_udf",
        )
    }
}

/// register(context)
///
/// Registers `bloom_build`, `bloom_count`, `bloom_merge`, `bloom_contains`, `bloom_contains_file`,
/// `bloom_value_file`, `bloom_segments_file`, `bloom_info` and `bloom_read_file` with a
/// `datafusion.SessionContext`.
#[pyfunction]
fn register(py: Python<'_>, context: &Bound<'_, PyAny>) -> PyResult<()> {
    let datafusion = py.import("datafusion")?;
    for function in functions::scalar_functions() {
        let function = datafusion.call_method1("udf", (ScalarFunction(function),))?;
        context.call_method1("register_udf", (function,))?;
    }
    for function in functions::aggregate_functions() {
        let function = datafusion.call_method1("udaf", (AggregateFunction(function),))?;
        context.call_method1("register_udaf", (function,))?;
    }
    Ok(())
}

#[pymodule]
#[pyo3(name = "tepal_datafusion")]
fn package(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(register, module)?)
}
