//! What is refused before a row is read, in the words of a person who writes SQL.

use crate::{numbers, session, table};

/// Each call with a part of its error.
const REFUSED: &[(&str, &str)] = &[
    ("bloom_build(key)", "bloom_build: 1 argument, and 3 are expected: bloom_build(key, 1000000, 0.01)"),
    ("bloom_build(key, 10)", "2 arguments, and 3 are expected"),
    (
        "bloom_build(cast(key as double), 10, 0.01)",
        "a column of the type Float64 holds no keys: floating-point",
    ),
    ("bloom_build(key > 3, 10, 0.01)", "a column of the type Boolean holds no keys: say which text"),
    ("bloom_build(to_timestamp(key), 10, 0.01)", "holds no keys: dates and times"),
    ("bloom_build(cast('2026-01-01' as date), 10, 0.01)", "a column of the type Date32 holds no keys"),
    ("bloom_build(cast(key as decimal(10, 2)), 10, 0.01)", "1.0 and 1.00 would be two keys"),
    ("bloom_build([key], 10, 0.01)", "take one of its fields or elements"),
    ("bloom_build(key, 10.5, 0.01)", "the second argument is a number of keys, an integer such as"),
    ("bloom_build(key, 'ten', 0.01)", "the second argument is a number of keys, an integer such as"),
    ("bloom_build(key, 10, 'low')", "the third argument is a rate such as 0.01"),
    ("bloom_build(key, key > 1, 0.01)", "an integer such as 1000000"),
    ("bloom_count(key, key)", "bloom_count: 2 arguments, and 1 is expected: bloom_count(key)"),
    ("bloom_count(key > 3)", "bloom_count: a column of the type Boolean holds no keys"),
    ("bloom_merge('seen.tepal')", "bloom_merge: the argument is a filter"),
    (
        "bloom_merge(key)",
        "bloom_merge: the argument is a filter, the bytes that bloom_build makes, and Int64 is given",
    ),
    ("bloom_contains('seen.tepal', key)", "take bloom_contains_file, or bloom_read_file(path)"),
    ("bloom_contains(x'00')", "bloom_contains: 1 argument, and 2 are expected"),
    ("bloom_contains(x'00', key > 1)", "bloom_contains: a column of the type Boolean holds no keys"),
    (
        "bloom_contains(x'00', cast(key as real))",
        "bloom_contains: a column of the type Float32 holds no keys",
    ),
    ("bloom_contains_file(x'00', key)", "a filter itself goes to bloom_contains or bloom_info"),
    (
        "bloom_contains_file(7, key)",
        "the first argument is the path of a filter's file, a text, and Int64 is given",
    ),
    ("bloom_contains_file('seen.tepal', now())", "bloom_contains_file: a column of the type Timestamp"),
    (
        "bloom_value_file('seen.tepal', cast(key as double))",
        "bloom_value_file: a column of the type Float64 holds no keys",
    ),
    (
        "bloom_segments_file('seen.tepal', key > 1)",
        "bloom_segments_file: a column of the type Boolean holds no keys",
    ),
    ("bloom_info('seen.tepal')", "bloom_info: the argument is a filter"),
    ("bloom_read_file(7)", "bloom_read_file: the first argument is the path of a filter's file"),
];

#[tokio::test]
async fn calls_are_refused_at_planning_with_the_reason() {
    let context = session(1);
    table(&context, "t", numbers(3, 1));
    for (call, part) in REFUSED {
        // The plan alone: no row is read.
        let planned = match context.sql(&format!("select {call} from t")).await {
            Ok(frame) => frame.create_physical_plan().await.map(|_| ()),
            Err(error) => Err(error),
        };
        let error = planned.expect_err(call).to_string();
        assert!(error.contains(part), "{call}: {error}");
    }
}

#[tokio::test]
async fn an_error_has_the_functions_of_sql_and_no_call_of_another_door() {
    let context = session(1);
    table(&context, "t", numbers(3, 1));
    for (call, _) in REFUSED {
        let error = match context.sql(&format!("select {call} from t")).await {
            Ok(frame) => frame.collect().await.expect_err(call),
            Err(error) => error,
        };
        let text = error.to_string();
        for other in ["::", "--capacity", "tepal."] {
            assert!(!text.replace("seen.tepal", "").contains(other), "{call} says {other}: {text}");
        }
    }
}
