"""Writes the Parquet files of this folder with pyarrow 26.0.1: python make.py

Every file has the same 150 rows in three row groups, in another way of writing them. `rows.json`
has the text of each value, which pyarrow knows nothing of.
"""

import datetime
import decimal
import json
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

decimal.getcontext().prec = 60
N = 150
texts = ["a,b", 'say "so"', "two\nlines", "", "ends with\r", "é", None, "x" * 200]
names = [texts[i % 8] if i % 3 == 0 else f"name {i % 40}" for i in range(N)]
days = [None if i % 50 == 7 else datetime.date(1, 1, 1) + datetime.timedelta(days=12_000 * i) for i in range(N)]
prices = [decimal.Decimal(i * 7919 - 1_000_000).scaleb(-2) for i in range(N)]
large = [decimal.Decimal(f"{-i if i % 2 else i}{i:030}").scaleb(-4) for i in range(N)]
uuids = [uuid.UUID(int=i * 0x1234567890ABCDEF1234567890ABCD) for i in range(N)]
long = [(-1) ** i * 2**62 // (i + 1) for i in range(N)]
unsigned = [2**64 - 1 - i for i in range(N)]
raw = [bytes([i % 256, 0, 10]) for i in range(N)]

columns = {
    "id": pa.array(range(N), pa.int64()),
    "name": pa.array(names, pa.string()),
    "short": pa.array([i % 256 - 128 for i in range(N)], pa.int8()),
    "long": pa.array(long, pa.int64()),
    "unsigned": pa.array(unsigned, pa.uint64()),
    "unsigned short": pa.array([65_535 - i for i in range(N)], pa.uint16()),
    "day": pa.array(days, pa.date32()),
    "price": pa.array(prices, pa.decimal128(9, 2)),
    "large": pa.array(large, pa.decimal128(38, 4)),
    "raw": pa.array(raw, pa.binary()),
    "fixed": pa.array(raw, pa.binary(3)),
    "uuid": pa.array([u.bytes for u in uuids], pa.uuid()),
    "flag": pa.array([i % 3 == 0 for i in range(N)], pa.bool_()),
    "who": pa.array([None if i % 11 == 5 else {"name": f"n{i}", "id.x": i} for i in range(N)]),
    "who.name": pa.array([f"top {i}" for i in range(N)], pa.string()),
    "nothing": pa.array([None] * N, pa.string()),
    "rate": pa.array([i / 7 for i in range(N)], pa.float64()),
    "at": pa.array([i * 1_000_000 for i in range(N)], pa.timestamp("us", "UTC")),
    "tags": pa.array([[str(i)] * (i % 3) for i in range(N)], pa.list_(pa.string())),
}
table = pa.table(columns)

as_text = {
    "id": [str(i) for i in range(N)],
    "name": names,
    "short": [str(i % 256 - 128) for i in range(N)],
    "long": [str(i) for i in long],
    "unsigned": [str(i) for i in unsigned],
    "unsigned short": [str(65_535 - i) for i in range(N)],
    "day": [None if d is None else d.isoformat() for d in days],
    "price": [f"{p:f}" for p in prices],
    "large": [f"{p:f}" for p in large],
    "raw": [b.decode("latin-1") for b in raw],
    "fixed": [b.decode("latin-1") for b in raw],
    "uuid": [str(u) for u in uuids],
    "flag": ["true" if i % 3 == 0 else "false" for i in range(N)],
    "/who/name": [None if i % 11 == 5 else f"n{i}" for i in range(N)],
    "/who/id.x": [None if i % 11 == 5 else str(i) for i in range(N)],
    "who.name": [f"top {i}" for i in range(N)],
    "nothing": [None] * N,
}
with open("rows.json", "w") as file:
    json.dump(as_text, file, separators=(",", ":"))

pages = {"row_group_size": 50, "data_page_size": 600, "write_batch_size": 20}


def write(name, **options):
    pq.write_table(table, f"{name}.parquet", **pages, **options)


write("none", compression="none", use_dictionary=False)
write("snappy", compression="snappy")
write("gzip", compression="gzip", data_page_version="2.0", write_page_checksum=True)
write("zstd", compression="zstd", data_page_version="2.0")
write("lz4", compression="lz4", write_page_checksum=True)
write("old", compression="snappy", version="1.0", store_decimal_as_integer=True)
plain = {name: "PLAIN" for name in ["flag", "rate", "price", "large", "uuid", "fixed"]}
delta = {name: "DELTA_BYTE_ARRAY" for name in ["name", "raw", "who.name"]}
packed = {name: "DELTA_BINARY_PACKED" for name in ["id", "short", "long", "unsigned", "unsigned short", "day"]}
split = {"at": "BYTE_STREAM_SPLIT", "nothing": "DELTA_LENGTH_BYTE_ARRAY"}
write("delta", compression="zstd", use_dictionary=False, column_encoding=plain | delta | packed | split)
pq.write_table(table.slice(0, 5), "brotli.parquet", compression="brotli")
pq.write_table(table.slice(0, 0), "empty.parquet")
