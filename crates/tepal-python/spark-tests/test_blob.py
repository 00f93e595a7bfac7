"""Spark's own filters, both ways: what its JVM writes is read here, and what is written here its JVM reads."""

import pytest
import tepal
import tepal.spark
from pyspark.sql import functions as F


def of_spark(spark, df, column, items, rate):
    """The bytes of the filter that Spark's `df.stat.bloomFilter` makes."""
    made = df._jdf.stat().bloomFilter(column, items, rate)
    out = spark._jvm.java.io.ByteArrayOutputStream()
    made.writeTo(out)
    return made, bytes(out.toByteArray())


def test_sparks_filter_is_read_and_built_and_written(spark):
    rows = spark.range(0, 10_000, 1, 3).select("id", F.concat(F.lit("k"), "id").alias("t"))
    for column, domain, keys in (
        ("id", "int64", list(range(20_000))),
        ("t", "bytes", [f"k{i}" for i in range(20_000)]),
    ):
        theirs, blob = of_spark(spark, rows, column, 10_000, 0.01)
        read = tepal.spark.read(blob, domain)
        assert tepal.spark.write(read) == blob
        ask = theirs.mightContainLong if domain == "int64" else theirs.mightContainString
        assert read.contains_many(keys[9_900:10_200]) == [ask(key) for key in keys[9_900:10_200]]
        # The same bits, built by tepal on the cluster.
        built = tepal.spark.build(rows, column, 10_000, 0.01, scheme="spark-v2")
        assert tepal.spark.write(built) == blob
        assert tepal.spark.semi_join(rows, read, column).count() == 10_000


def test_spark_reads_what_is_written(spark):
    rows = spark.range(0, 5000, 1, 2)
    for version in (1, 2):
        built = tepal.spark.build(rows, "id", scheme=f"spark-v{version}")
        blob = tepal.spark.write(built, version)
        assert blob[:4] == bytes([0, 0, 0, version])
        stream = spark._jvm.java.io.ByteArrayInputStream(blob)
        theirs = spark._jvm.org.apache.spark.util.sketch.BloomFilter.readFrom(stream)
        answers = [theirs.mightContainLong(key) for key in range(4900, 5300)]
        assert answers == built.contains_many(list(range(4900, 5300)))
        assert all(answers[:100]) and sum(answers[100:]) < 20


def test_numbers_are_not_asked_of_sparks_strings(spark):
    _, blob = of_spark(spark, spark.sql("select '7' as t"), "t", 10, 0.01)
    strings = tepal.spark.read(blob, "bytes")
    with pytest.raises(tepal.KeyTypeError, match='key_domain="int64"'):
        tepal.spark.semi_join(spark.range(10), strings, "id")


def test_what_is_no_filter_of_spark():
    ours = tepal.BloomFilter(10)
    with pytest.raises(tepal.IncompatibleError, match='build it with scheme="spark-v2"'):
        tepal.spark.write(ours)
    with pytest.raises(tepal.ParameterError, match="versions are 1 and 2, not 3"):
        tepal.spark.write(ours, 3)
    with pytest.raises(tepal.ParameterError, match='"int64" for a filter of numbers'):
        tepal.spark.read(b"", "int32")
    for blob in (b"", b"\0\0\0\2", b"\0\0\0\2" + b"\1" * 100, b"\0\0\0\3" + b"\0" * 20):
        with pytest.raises(tepal.FormatError):
            tepal.spark.read(blob, "bytes")
