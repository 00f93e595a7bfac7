"""What rate a filter has that Spark made, and one that tepal made on the same cluster, where 1 % was asked.

    python bench/spark/rates.py [KEYS]      10,000,000 unless told; needs `pip install pyspark pyarrow pandas psutil` and the wheel

Spark's filter is read by `tepal.spark.read` and asked there; a sample of the answers is compared with those of the JVM's
own object.
"""

import sys

import cluster
import numpy
import tepal
import tepal.spark

KEYS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
STRANGERS = numpy.arange(1 << 40, (1 << 40) + 1_000_000)
LIMITS = ("maxNumItems", "maxNumBits")


def of_spark(spark, rows):
    """Spark's filter as its object and its bytes."""
    made = rows._jdf.stat().bloomFilter("id", KEYS, 0.01)
    out = spark._jvm.java.io.ByteArrayOutputStream()
    made.writeTo(out)
    return made, bytes(out.toByteArray())


def row(name, filter, wall, cpu):
    members = numpy.arange(0, KEYS, max(1, KEYS // 1_000_000))
    missed = int((~filter.contains_many(members)).sum())
    rate = filter.contains_many(STRANGERS).mean()
    print(f"| {name} | {filter.size_in_bytes:,} | {100 * rate:.2f} % | {missed} | {wall:.1f} s | {cpu:.1f} s |", flush=True)


def main():
    spark = cluster.session()
    rows = spark.range(0, KEYS, 1, 4)
    # The workers are begun, and all is compiled.
    tepal.spark.build(spark.range(0, 100_000, 1, 4), "id")
    rows._jdf.stat().bloomFilter("id", 1000, 0.01)
    print(f"{KEYS:,} keys (bigint), 1 % asked; Spark {spark.version}, two executors")
    print("| filter | bytes | wrong answers, of 1,000,000 strangers | missed | clock | CPU |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    (made, blob), wall, cpu = cluster.measured(lambda: of_spark(spark, rows))
    read = tepal.spark.read(blob, "int64")
    for key in STRANGERS[:2000].tolist():
        assert made.mightContainLong(key) == (key in read)
    row(f"`df.stat.bloomFilter(col, {KEYS:,}, 0.01)`", read, wall, cpu)
    for limit in LIMITS:
        spark.conf.set(f"spark.sql.optimizer.runtime.bloomFilter.{limit}", str(100 * KEYS))
    (_, blob), wall, cpu = cluster.measured(lambda: of_spark(spark, rows))
    row("the same, `maxNumItems` and `maxNumBits` raised", tepal.spark.read(blob, "int64"), wall, cpu)
    built, wall, cpu = cluster.measured(lambda: tepal.spark.build(rows, "id", KEYS))
    row(f"`tepal.spark.build(df, col, {KEYS:,})`", built, wall, cpu)
    built, wall, cpu = cluster.measured(lambda: tepal.spark.build(rows, "id"))
    row("`tepal.spark.build(df, col)`, which counts first", built, wall, cpu)
    spark.stop()


main()
