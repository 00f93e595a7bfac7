"""Joins by a filter are Spark's own joins, save for the rate that was promised."""

import os

import pytest
import tepal
import tepal.spark
from pyspark.errors import PythonException
from pyspark.sql import functions as F


@pytest.fixture(scope="module")
def rows(spark):
    """Keys 0 to 9,999 in a column each of text and of numbers, and three rows without a key."""
    rows = spark.range(0, 10_000, 1, 4).select(F.col("id").cast("int").alias("n"), F.concat(F.lit("k"), "id").alias("t"))
    none = spark.sql("select cast(null as int) n, cast(null as string) t from range(3)")
    return rows.union(none).cache()


@pytest.fixture(scope="module")
def even():
    """Of the keys the even numbers, as text."""
    made = tepal.BloomFilter(5000, 0.01)
    made.update([f"k{i}" for i in range(0, 10_000, 2)])
    return made


def ask(asked, key):
    """What the filter itself says."""
    return asked.contains_many(key)


def check(rows, even, asked):
    """Both joins against Spark's own, and against the filter."""
    keys = [f"k{i}" for i in range(10_000)]
    said = dict(zip(keys, ask(even, keys)))
    semi = {row["t"] for row in tepal.spark.semi_join(rows, asked, "t").collect()}
    assert semi == {key for key in keys if said[key]}
    assert semi >= set(keys[::2]) and len(semi) <= 5000 * 1.03
    anti = tepal.spark.anti_join(rows, asked, F.col("t")).collect()
    assert {row["t"] for row in anti} == {key for key in keys if not said[key]} | {None}
    # Spark's own anti join keeps null keys too, and its semi join drops them.
    members = rows.sparkSession.createDataFrame([(key,) for key in keys if said[key]], "t string")
    assert len(anti) == rows.join(members, "t", "left_anti").count()
    assert len(semi) == rows.join(members, "t", "left_semi").count()


def test_a_broadcast_filter_joins_as_spark_does(rows, even):
    check(rows, even, even)


def test_a_file_joins_as_spark_does(rows, even, tmp_path):
    even.save(tmp_path / "even.tepal")
    check(rows, even, tmp_path / "even.tepal")
    check(rows, even, str(tmp_path / "even.tepal"))


def test_the_answer_is_a_column_with_its_nulls(rows, even):
    asked = rows.select("t", tepal.spark.contains(even, "t").alias("seen"))
    assert dict(asked.dtypes)["seen"] == "boolean"
    counts = {row["seen"]: row["count"] for row in asked.groupBy("seen").count().collect()}
    assert counts[None] == 3
    assert counts[True] == sum(ask(even, [f"k{i}" for i in range(10_000)]))
    # In an expression, twice in one query, and under SQL's own rules for null.
    both = asked.where(F.col("seen") & ~tepal.spark.contains(tepal.BloomFilter(1), F.col("t")))
    assert both.count() == counts[True]


def test_every_whole_number_is_widened(spark, rows, even):
    numbers = tepal.BloomFilter(5000, key_domain="int64")
    numbers.update(range(0, 10_000, 2))
    texts = tepal.BloomFilter(5000)
    texts.update(range(0, 10_000, 2))
    for asked in (numbers, texts):
        expected = sum(asked.contains_many(list(range(10_000))))
        for of in ("int", "bigint"):
            assert tepal.spark.semi_join(rows, asked, F.col("n").cast(of)).count() == expected
        for of in ("tinyint", "smallint"):
            few = spark.range(100).select(F.col("id").cast(of).alias("n"))
            assert tepal.spark.semi_join(few, asked, "n").count() >= 50
    negative = spark.sql("select -7Y as n")
    made = tepal.BloomFilter(1, key_domain="int64")
    made.add(-7)
    assert tepal.spark.semi_join(negative, made, "n").count() == 1


def test_text_is_not_asked_of_numbers(rows, even):
    numbers = tepal.BloomFilter(10, key_domain="int64")
    with pytest.raises(tepal.KeyTypeError, match="the column has text.*cast the column to bigint"):
        tepal.spark.semi_join(rows, numbers, "t")
    # Without a DataFrame the executor says it.
    with pytest.raises(PythonException, match="the column has text.*cast the column to bigint"):
        rows.select(tepal.spark.contains(numbers, "t")).collect()
    with pytest.raises(PythonException, match="has no keys; floats have"):
        rows.select(tepal.spark.contains(even, F.col("n").cast("float"))).collect()


def test_a_filter_is_asked_as_it_was(rows):
    asked = tepal.BloomFilter(10)
    asked.add("k1")
    joined = tepal.spark.semi_join(rows, asked, "t")
    asked.add("k2")
    assert [row["t"] for row in joined.collect()] == ["k1"]


def test_a_file_that_is_replaced_is_asked_anew(rows, tmp_path):
    path = tmp_path / "list.tepal"
    first, second = tepal.BloomFilter(10, 1e-6), tepal.BloomFilter(10, 1e-6)
    first.add("k1")
    second.update(["k2", "k3"])
    first.save(path)
    joined = tepal.spark.semi_join(rows, path, "t")
    assert [row["t"] for row in joined.collect()] == ["k1"]
    second.save(path)
    assert sorted(row["t"] for row in joined.collect()) == ["k2", "k3"]


def test_a_file_that_is_gone_is_told(rows, even, tmp_path):
    path = tmp_path / "gone.tepal"
    with pytest.raises(tepal.FileMissingError):
        tepal.spark.semi_join(rows, path, "t")
    even.save(path)
    joined = tepal.spark.semi_join(rows, path, "t")
    assert joined.count() > 0
    os.remove(path)
    with pytest.raises(PythonException, match="gone.tepal.*on the executor.*as long as the query runs"):
        joined.count()


def test_a_damaged_file_is_refused(rows, even, tmp_path):
    path = tmp_path / "damaged.tepal"
    data = bytearray(even.to_bytes())
    data[-100] ^= 1
    path.write_bytes(data)
    with pytest.raises(PythonException, match="DamagedError"):
        rows.select(tepal.spark.contains(path, "t")).collect()
    path.write_bytes(b"no filter")
    with pytest.raises(tepal.FormatError):
        tepal.spark.contains(path, "t")


def test_what_cannot_be_asked(rows, even):
    with pytest.raises(tepal.ParameterError, match="no column 'nope'"):
        tepal.spark.semi_join(rows, even, "nope")
    with pytest.raises(tepal.ParameterError, match="s3://.*is no path of a file system"):
        tepal.spark.contains("s3://bucket/list.tepal", "t")
    with pytest.raises(tepal.ParameterTypeError, match="a set cannot be asked; give a filter"):
        tepal.spark.contains({"k1"}, "t")


def test_no_rows_and_no_keys(spark, rows, even):
    assert tepal.spark.semi_join(rows.limit(0), even, "t").collect() == []
    nothing = tepal.BloomFilter(1)
    assert tepal.spark.semi_join(rows, nothing, "t").count() == 0
    assert tepal.spark.anti_join(rows, nothing, "t").count() == 10_003


def test_a_stream_is_joined(rows, even, tmp_path):
    rows.write.parquet(str(tmp_path / "rows"))
    stream = rows.sparkSession.readStream.schema(rows.schema).parquet(str(tmp_path / "rows"))
    joined = tepal.spark.semi_join(stream, even, "t").writeStream.format("parquet").trigger(availableNow=True)
    folder = str(tmp_path / "joined")
    joined.option("checkpointLocation", str(tmp_path / "at")).start(folder).awaitTermination(120)
    assert rows.sparkSession.read.parquet(folder).count() == tepal.spark.semi_join(rows, even, "t").count()


@pytest.mark.parametrize("layout", ["line", "double", "split-block", "scattered"])
def test_every_layout_travels(rows, layout):
    made = tepal.BloomFilter(5000, layout=layout)
    made.update([f"k{i}" for i in range(0, 10_000, 2)])
    assert 5000 <= tepal.spark.semi_join(rows, made, "t").count() <= 5150
