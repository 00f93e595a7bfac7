"""The functions in a session of the package `datafusion`."""

import datafusion
import pyarrow
import pyarrow.parquet
import pytest
import tepal_datafusion


@pytest.fixture
def context():
    context = datafusion.SessionContext()
    tepal_datafusion.register(context)
    context.from_pydict({"key": list(range(10_000))}, name="t")
    return context


def one(context, sql):
    """The one value that a query gives."""
    return pyarrow.Table.from_batches(context.sql(sql).collect()).column(0)[0].as_py()


def test_a_filter_is_built_and_asked(context):
    sql = "select count(*) from t where bloom_contains((select bloom_build(key, 5000, 0.01) from t where key < 5000), key)"
    assert one(context, sql + " and key < 5000") == 5000
    assert 10 < one(context, sql + " and key >= 5000") < 150


def test_the_bytes_are_those_of_one_partition(context):
    one_part = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(1))
    tepal_datafusion.register(one_part)
    one_part.from_pydict({"key": list(range(10_000))}, name="t")
    sql = "select bloom_build(key, (select bloom_count(key) from t), 0.01) from t"
    assert one(context, sql) == one(one_part, sql)
    assert one(context, sql)[1:6] == b"TEPAL"


def test_a_file_is_asked(context, tmp_path):
    path = tmp_path / "seen.tepal"
    path.write_bytes(one(context, "select bloom_build(key, 5000, 0.001) from t where key < 5000"))
    assert one(context, f"select count(*) from t where bloom_contains_file('{path}', key) and key < 5000") == 5000
    assert one(context, f"select bloom_contains_file('{path}', 'no number')") is False
    assert one(context, f"select bloom_contains_file('{path}', null)") is None
    info = one(context, f"select bloom_info(bloom_read_file('{path}'))")
    assert (info["kind"], info["capacity"], info["keys_inserted"]) == ("bloom", 5000, 5000)


def test_filters_of_groups_are_merged(context):
    days = "select bloom_build(key, 10000, 0.01) as filter from t group by key % 7"
    merged = one(context, f"select bloom_merge(filter) from ({days})")
    assert merged == one(context, "select bloom_build(key, 10000, 0.01) from t")
    # Each row has a filter of its own.
    own = f"select count(*) from t join (select key % 7 as day, bloom_build(key, 10000, 0.01) as filter from t group by key % 7) d on t.key % 7 = d.day where bloom_contains(d.filter, t.key)"
    assert one(context, own) == 10_000


def test_errors_are_exceptions_in_the_words_of_sql(context, tmp_path):
    for sql, part in [
        ("select bloom_build(key / 2.0, 10, 0.01) from t", "holds no keys: floating-point"),
        ("select bloom_build(key, 10, 0.01) from t", "makes room for 10; give a greater one"),
        (f"select bloom_contains_file('{tmp_path}/none.tepal', key) from t", "none.tepal' cannot be opened"),
        ("select bloom_contains('seen.tepal', key) from t", "take bloom_contains_file"),
    ]:
        with pytest.raises(Exception, match=".*") as raised:
            context.sql(sql).collect()
        assert part in str(raised.value)


def test_columns_of_parquet_are_keys(context, tmp_path):
    texts = pyarrow.table({"key": pyarrow.array(["apple", None, "a text of more than twelve bytes"]).dictionary_encode()})
    pyarrow.parquet.write_table(texts, tmp_path / "texts.parquet")
    context.register_parquet("texts", str(tmp_path / "texts.parquet"))
    build = "(select bloom_build(key, 10, 0.001) from texts)"
    batches = context.sql(f"select bloom_contains({build}, key) from texts").collect()
    assert pyarrow.Table.from_batches(batches).column(0).to_pylist() == [True, None, True]
