//! `bloom_contains` of a filter that a subquery makes: the engine shares its bytes with every batch
//! of rows.

use crate::{answers, error, filter, number, numbers, rows, session, table};

/// Ten batches of rows for each part of the query.
const SMALL_BATCHES: &str = "set datafusion.execution.batch_size = 100";
const IN_SEEN: &str = "bloom_contains((select bloom_build(key, 1000, 1e-9) from seen), key)";

#[tokio::test]
async fn a_subquery_is_a_struct_of_its_filter_and_answers_alike() {
    let context = session(2);
    rows(&context, SMALL_BATCHES).await;
    table(&context, "seen", numbers(1000, 3));
    table(&context, "rows", numbers(2000, 3));
    let count = format!("select count(*) from rows where {IN_SEEN}");
    let plan = format!("{:?}", rows(&context, &format!("explain {count}")).await);
    assert!(plan.contains("struct("), "{plan}");
    assert_eq!(number(&context, &count).await, 1000);
    let negated = format!("select count(*) from rows where not {IN_SEEN}");
    assert_eq!(number(&context, &negated).await, 1000);

    // By hand, where the planner does not ask the function: a function of another library.
    let by_hand = IN_SEEN.replace("bloom_build(key, 1000, 1e-9)", "struct(bloom_build(key, 1000, 1e-9))");
    assert_eq!(number(&context, &format!("select count(*) from rows where {by_hand}")).await, 1000);

    // A dictionary, as a table of Parquet may have it, here and below as a column.
    let packed = "select arrow_cast(bloom_build(key, 1000, 1e-9), 'Dictionary(Int32, Binary)') from seen";
    let packed = format!("select count(*) from rows where bloom_contains(({packed}), key)");
    assert_eq!(number(&context, &packed).await, 1000);

    // A literal.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    let bytes = filter(&context, "select bloom_build(key, 1000, 1e-9) from seen").await;
    std::fs::write(&path, bytes).unwrap();
    let literal = format!("bloom_contains(bloom_read_file('{}'), key)", path.display());
    assert_eq!(number(&context, &format!("select count(*) from rows where {literal}")).await, 1000);

    // As a column, which a join repeats for each row.
    rows(&context, "set datafusion.optimizer.enable_physical_uncorrelated_scalar_subquery = false").await;
    assert_eq!(number(&context, &count).await, 1000);
    assert_eq!(number(&context, &packed).await, 1000);
}

#[tokio::test]
async fn a_subquery_without_a_filter_gives_null() {
    let context = session(1);
    table(&context, "rows", numbers(3, 1));
    for physical in [false, true] {
        let setting = "datafusion.optimizer.enable_physical_uncorrelated_scalar_subquery";
        rows(&context, &format!("set {setting} = {physical}")).await;
        for filters in ["values (x'00') limit 0", "select cast(null as bytea)"] {
            let sql = format!("select bloom_contains((select * from ({filters}) t(filter)), key) from rows");
            assert_eq!(answers(&context, &sql).await, [None; 3], "{sql}");
        }
    }
    let two = "select bloom_contains((select * from (values (x'00'), (x'01')) t(filter)), key) from rows";
    assert!(error(&context, two).await.contains("more than one row"));
    let text = error(&context, "select bloom_contains((select 'seen.tepal'), key) from rows").await;
    assert!(text.contains("bloom_contains_file"), "{text}");
    let none = error(&context, "select bloom_contains((select x'00'), key) from rows").await;
    assert!(none.contains("bloom_contains: ") && !none.contains("struct"), "{none}");
}

#[tokio::test]
async fn several_filters_of_one_column_are_told_apart() {
    let context = session(2);
    rows(&context, SMALL_BATCHES).await;
    table(&context, "rows", numbers(1000, 2));
    // Six filters, more than are kept, each of the keys with its remainder.
    let days =
        "(select key % 6 as day, bloom_build(key, 500, 1e-9) as filter from rows group by key % 6) days";
    for _ in 0..2 {
        let right = format!(
            "select count(*) from rows cross join {days} where bloom_contains(filter, key) = (key % 6 = day)"
        );
        assert_eq!(number(&context, &right).await, 6000);
        let own = format!(
            "select count(*) from rows join {days} on key % 6 = day where bloom_contains(struct(filter), key)"
        );
        assert_eq!(number(&context, &own).await, 1000);
    }
}
