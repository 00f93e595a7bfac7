"""What a cluster builds is what one machine builds."""

import os

import pytest
import tepal
import tepal.spark
from pyspark.errors import PythonException
from pyspark.sql import functions as F


def numbers(spark, n, partitions):
    return spark.range(0, n, 1, partitions)


def alone(keys, capacity, **options):
    """The filter of one machine."""
    made = tepal.BloomFilter(capacity, **options)
    made.update(keys)
    return made


def test_bits_and_bytes_are_those_of_one_machine(spark):
    n = 200_000
    for partitions in (1, 3, 20):
        built = tepal.spark.build(numbers(spark, n, partitions), "id", n)
        here = alone(list(range(n)), n, key_domain="int64")
        assert built == here
        assert built.to_bytes() == here.to_bytes()
    texts = numbers(spark, 50_000, 5).select(F.concat(F.lit("ключ "), "id").alias("name"))
    built = tepal.spark.build(texts, "name", 60_000, 0.001, name="names", seed=7)
    here = alone([f"ключ {i}" for i in range(50_000)], 60_000, false_positive_rate=0.001, name="names", seed=7)
    assert built.to_bytes() == here.to_bytes()


def test_keys_are_counted_as_one_machine_counts_them(spark):
    for n, different in ((1000, 500), (300_000, 150_000)):
        keys = numbers(spark, n, 7).select((F.col("id") % different).alias("key"))
        counter = tepal.KeyCounter("int64")
        counter.update([i % different for i in range(n)])
        built = tepal.spark.build(keys, "key")
        assert built.capacity == counter.capacity
        assert different <= built.capacity <= different * 1.004
        assert built == alone(range(different), counter.capacity, key_domain="int64")


def test_none_one_and_skewed(spark):
    empty = spark.createDataFrame([], "k string")
    built = tepal.spark.build(empty, "k")
    assert (built.capacity, built.keys_inserted, "" in built) == (1, 0, False)
    assert tepal.spark.build(empty, "k", 100) == tepal.BloomFilter(100)
    # No partition at all.
    none = spark.createDataFrame(spark.sparkContext.emptyRDD(), "k string")
    assert none.rdd.getNumPartitions() == 0
    assert tepal.spark.build(none, "k", 100) == tepal.BloomFilter(100)
    one = spark.createDataFrame([("x",)], "k string")
    assert "x" in tepal.spark.build(one, "k")
    # All rows in one of nine partitions, most of them the same key.
    skewed = numbers(spark, 100_000, 9).select(F.when(F.col("id") % 10 > 0, 7).otherwise(F.col("id")).alias("k"))
    skewed = skewed.repartitionById(9, F.lit(4))
    built = tepal.spark.build(skewed, "k")
    assert built == alone([7, *range(0, 100_000, 10)], built.capacity, key_domain="int64")


def test_nulls_are_left_out(spark):
    keys = numbers(spark, 1000, 4).select(F.when(F.col("id") % 2 == 0, F.col("id")).alias("k"))
    built = tepal.spark.build(keys, "k")
    assert (built.capacity, built.keys_inserted) == (500, 500)
    nulls = keys.where("k is null")
    assert tepal.spark.build(nulls, "k").keys_inserted == 0


def test_each_type_is_the_key_that_is_said(spark):
    values = spark.sql("select 7Y b, 7S s, 7 i, 7L l, '7' t, cast('7' as binary) x, cast('7' as varchar(3)) v")
    number = alone([7], 10, key_domain="int64")
    text = alone(["7"], 10)
    for column in "bsil":
        assert tepal.spark.build(values, column, 10) == number, column
        # Among bytes a number is its decimal text.
        assert tepal.spark.build(values, column, 10, key_domain="bytes") == text, column
    for column in "txv":
        assert tepal.spark.build(values, column, 10) == text, column
    # A column of Spark's own making, and a nested one.
    assert tepal.spark.build(values, F.col("i") + 0, 10) == number
    nested = values.select(F.struct("i", "t").alias("s"))
    assert tepal.spark.build(nested, "s.t", 10) == text


REFUSED = {
    "true": "boolean",
    "1.5f": "float",
    "1.5d": "double",
    "1.5bd": "decimal",
    "date'2026-11-23'": "date",
    "timestamp'2026-11-23 08:00:00'": "timestamp",
    "timestamp_ntz'2026-11-23 08:00:00'": "timestamp_ntz",
    "array(1)": "array",
    "map(1, 2)": "map",
    "struct(1)": "struct",
    "null": "void",
    "interval 1 day": "interval",
    "'a' collate UNICODE_CI": "collate",
}


@pytest.mark.parametrize("value", REFUSED)
def test_other_types_are_refused_in_words(spark, value):
    rows = spark.sql(f"select {value} as k")
    made = tepal.BloomFilter(10)
    for call in (
        lambda: tepal.spark.build(rows, "k", 10),
        lambda: tepal.spark.semi_join(rows, made, "k"),
        lambda: tepal.spark.anti_join(rows, made, "k"),
    ):
        with pytest.raises(tepal.KeyTypeError, match=REFUSED[value]) as error:
            call()
        assert ";" in str(error.value)


def test_what_cannot_be_built(spark):
    rows = numbers(spark, 1000, 2)
    with pytest.raises(tepal.ParameterError, match="no column 'nope'.*its columns are id"):
        tepal.spark.build(rows, "nope")
    with pytest.raises(tepal.ParameterError, match="the column is a int"):
        tepal.spark.build(rows, 3)
    for capacity in (0, -1, 1.5, "many"):
        with pytest.raises(tepal.ParameterError, match="must be a whole number of keys"):
            tepal.spark.build(rows, "id", capacity)
    with pytest.raises(tepal.ParameterError, match="rate"):
        tepal.spark.build(rows, "id", false_positive_rate=2)
    with pytest.raises(tepal.KeyTypeError, match="cast the column to bigint"):
        tepal.spark.build(rows.select(F.col("id").cast("string")), "id", key_domain="int64")
    with pytest.raises(tepal.CapacityError, match="the filter was to have 10;"):
        tepal.spark.build(rows, "id", 10)
    warned = tepal.spark.build(rows, "id", 10, over_capacity="ignore")
    assert all(warned.contains_many(list(range(1000))))


def test_past_the_line_shards_are_named(spark, monkeypatch):
    monkeypatch.setattr(tepal.spark._build, "LIMIT", 100_000)
    rows = numbers(spark, 1000, 2)
    with pytest.raises(tepal.TooLargeError, match="build_shards"):
        tepal.spark.build(rows, "id", 100_000)
    with pytest.raises(tepal.TooLargeError, match="save it where all"):
        tepal.spark.contains(tepal.BloomFilter(100_000), "id")


def test_a_task_that_dies_is_repeated_and_gives_the_same(spark, tmp_path):
    once = tmp_path / "died"

    def die_once(batches):
        from pyspark import TaskContext

        for batch in batches:
            if TaskContext.get().partitionId() == 1 and not os.path.exists(once):
                open(once, "x").close()
                # As if the machine had gone: no exception, no last words.
                os._exit(9)
            yield batch

    n = 100_000
    rows = numbers(spark, n, 3).mapInArrow(die_once, "id bigint")
    built = tepal.spark.build(rows, "id", n)
    assert once.exists()
    assert built.to_bytes() == alone(list(range(n)), n, key_domain="int64").to_bytes()


def test_an_executor_that_dies_is_replaced_and_gives_the_same(spark, tmp_path):
    once = tmp_path / "killed"

    def kill_once(batches):
        import signal

        from pyspark import TaskContext

        for batch in batches:
            if TaskContext.get().partitionId() == 2 and not os.path.exists(once):
                open(once, "x").close()
                # The worker's parent is the daemon of Python, and that one's the executor's JVM.
                with open(f"/proc/{os.getppid()}/stat") as stat:
                    os.kill(int(stat.read().rpartition(")")[2].split()[1]), signal.SIGKILL)
            yield batch

    n = 100_000
    rows = numbers(spark, n, 4).mapInArrow(kill_once, "id bigint")
    built = tepal.spark.build(rows, "id", n)
    assert once.exists()
    assert built.to_bytes() == alone(list(range(n)), n, key_domain="int64").to_bytes()


def test_an_error_on_an_executor_keeps_its_words(spark):
    def fails(batches):
        for batch in batches:
            raise RuntimeError("the disk is on fire")
        yield from ()

    rows = numbers(spark, 10, 2).mapInArrow(fails, "id bigint")
    with pytest.raises(PythonException, match="the disk is on fire"):
        tepal.spark.build(rows, "id")
