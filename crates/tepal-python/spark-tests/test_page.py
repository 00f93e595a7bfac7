"""The code of docs/spark.md runs as it stands there, in a folder of its own."""

import pathlib
import re

from pyspark.sql import functions as F

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "spark.md"


def test_the_page_runs(spark, tmp_path):
    accounts = spark.range(0, 1000, 1, 3).select(F.col("id").alias("account"), (F.col("id") % 2).alias("closed"))
    accounts.write.parquet(str(tmp_path / "accounts"))
    payments = spark.range(0, 3000, 1, 3).select(F.col("id").alias("account"), F.lit(1.0).alias("amount"))
    payments.write.parquet(str(tmp_path / "payments"))
    made = spark._jvm.org.apache.spark.util.sketch.BloomFilter.create(1000, 0.01)
    made.putLong(7)
    out = spark._jvm.java.io.ByteArrayOutputStream()
    made.writeTo(out)
    names = {"blob": bytes(out.toByteArray())}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(block.replace("/shared/", f"{tmp_path}/"), names)
    joined = spark.read.parquet(str(tmp_path / "joined"))
    assert joined.count() == 500 == joined.where("closed = 0").count()
    assert 7 in names["theirs"] and names["blob"][:4] == b"\0\0\0\2"
