"""A join with a filter before it, beside Spark's own ways, at three shares of rows that have a partner.

    python bench/spark/joins.py [ROWS [ROUNDS]]      5,000,000 rows and 3 rounds unless told

A table of payments in Parquet (key bigint, amount, a note of 32 characters) is joined with a table of 1,000,000 accounts, of
which a predicate keeps half, and summed by region. Ways, by turns in each round:

- `broadcast`: the accounts as a hash table in each executor (`broadcast(accounts)`).
- `shuffle`: both sides sorted by key and merged, as Spark does where a side is too large to broadcast; no filter.
- `runtime filter`: the same, with Spark's own Bloom filter of the accounts, its thresholds lowered so that it is taken.
- `tepal`: the same, after `semi_join` with a filter of the accounts that was built before.
- `tepal, built`: `build` of the filter included.

Printed are medians of clock and CPU seconds (driver, executors and Python workers), and the clock over that of `shuffle`.
"""

import shutil
import statistics
import sys
import tempfile

import cluster
import tepal.spark
from pyspark.sql import functions as F

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
ACCOUNTS = 1_000_000
SHARES = (0.01, 0.1, 0.5)
RUNTIME = "spark.sql.optimizer.runtime.bloomFilter"


def tables(spark, folder):
    """Accounts 0 to ACCOUNTS - 1, the even ones kept by the predicate; payments of which a share has such a one."""
    accounts = spark.range(0, ACCOUNTS, 1, 4).select(
        F.col("id").alias("account"), (F.col("id") % 2).alias("closed"), (F.col("id") % 16).alias("region")
    )
    accounts.write.parquet(f"{folder}/accounts")
    for share in SHARES:
        spread = F.abs(F.xxhash64("id"))
        partner = spread % (ACCOUNTS // 2) * 2
        stranger = spread % (20 * ACCOUNTS) * 2 + 1
        payments = spark.range(0, ROWS, 1, 8).select(
            F.when(F.pmod(F.xxhash64("id", F.lit(1)), F.lit(10_000)) < 10_000 * share, partner).otherwise(stranger).alias("account"),
            (spread % 1000).cast("double").alias("amount"),
            F.md5(F.col("id").cast("string")).alias("note"),
        )
        payments.write.parquet(f"{folder}/payments-{share}")


def totals(payments, accounts):
    joined = payments.join(accounts, "account")
    return joined.groupBy("region").agg(F.count("*"), F.round(F.sum("amount")), F.max("note")).orderBy("region")


def main():
    off = {f"{RUNTIME}.enabled": "false", "spark.sql.autoBroadcastJoinThreshold": "-1"}
    lowered = {f"{RUNTIME}.applicationSideScanSizeThreshold": "0", f"{RUNTIME}.creationSideThreshold": "1GB"}
    spark = cluster.session(**off, **lowered)
    folder = tempfile.mkdtemp(prefix="tepal-joins-")
    try:
        tables(spark, folder)
        print(f"{ROWS:,} payments, {ACCOUNTS:,} accounts, half of them kept; Spark {spark.version}, {ROUNDS} rounds")
        print("| rows with a partner | way | clock | CPU | clock / shuffle | rows that are shuffled |")
        print("| ---: | --- | ---: | ---: | ---: | ---: |")
        for share in SHARES:
            one(spark, folder, share)
    finally:
        spark.stop()
        shutil.rmtree(folder, ignore_errors=True)


def one(spark, folder, share):
    payments = spark.read.parquet(f"{folder}/payments-{share}")
    accounts = spark.read.parquet(f"{folder}/accounts").where("closed = 0")
    built = tepal.spark.build(accounts, "account")

    def with_runtime_filter():
        spark.conf.set(f"{RUNTIME}.enabled", "true")
        try:
            query = totals(payments, accounts)
            plan = query._jdf.queryExecution().executedPlan().toString()
            assert "might_contain" in plan, "Spark did not take its filter"
            return query.collect()
        finally:
            spark.conf.set(f"{RUNTIME}.enabled", "false")

    def with_a_filter(filter):
        return totals(tepal.spark.semi_join(payments, filter, "account"), accounts).collect()

    ways = {
        "shuffle": lambda: totals(payments, accounts).collect(),
        "broadcast": lambda: totals(payments, F.broadcast(accounts)).collect(),
        "runtime filter": with_runtime_filter,
        "tepal": lambda: with_a_filter(built),
        "tepal, built": lambda: with_a_filter(tepal.spark.build(accounts, "account")),
    }
    times, expected = {way: [] for way in ways}, None
    for turn in range(ROUNDS + 1):
        for way, run in ways.items():
            result, wall, cpu = cluster.measured(run)
            expected = expected or result
            assert result == expected, f"{way} has another result"
            # The first round begins workers and compiles.
            if turn > 0:
                times[way].append((wall, cpu))
    passed = tepal.spark.semi_join(payments, built, "account").count()
    shuffled = {"shuffle": ROWS, "broadcast": 0, "runtime filter": "", "tepal": passed, "tepal, built": passed}
    medians = {way: [statistics.median(column) for column in zip(*rows)] for way, rows in times.items()}
    for way, (wall, cpu) in medians.items():
        ratio = wall / medians["shuffle"][0]
        count = shuffled[way] if shuffled[way] == "" else f"{shuffled[way]:,}"
        print(f"| {100 * share:g} % | {way} | {wall:.1f} s | {cpu:.1f} s | {ratio:.2f} | {count} |", flush=True)


main()
