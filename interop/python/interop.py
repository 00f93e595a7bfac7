"""DuckDB, pyarrow and flor for .ci/differential.

make PROGRAM DOMAIN N RATE KEYS OUT, answers PROGRAM DOMAIN FILE KEYS OUT. For duckdb and pyarrow FILE is the
filter and FILE.parquet the whole file it was cut from; asking puts the filter back into its place there.
"""

import sys


def keys(path, domain):
    with open(path) as lines:
        text = lines.read().splitlines()
    return [int(line) if domain == "int64" else bytes.fromhex(line) for line in text]


def place(path):
    """Where DuckDB says the filter of the only column stands."""
    import duckdb

    rows = duckdb.sql(
        f"select bloom_filter_offset, bloom_filter_length from parquet_metadata('{path}')"
    ).fetchall()
    assert len(rows) == 1, f"{len(rows)} row groups"
    return rows[0]


def make_parquet(program, domain, rate, values, out):
    import pyarrow as pa
    import pyarrow.parquet as pq

    whole = out + ".parquet"
    kind = pa.int64() if domain == "int64" else pa.binary()
    table = pa.table({"k": pa.array(values, kind)})
    if program == "pyarrow":
        options = {"k": {"ndv": len(values), "fpp": rate}}
        pq.write_table(table, whole, bloom_filter_options=options, row_group_size=1 << 20)
    else:
        import duckdb

        duckdb.register("keys", table)
        duckdb.sql(
            f"copy keys to '{whole}' (format parquet, row_group_size 1048576, write_bloom_filter true, "
            f"dictionary_size_limit 1048576, string_dictionary_page_size_limit 100000000, "
            f"bloom_filter_false_positive_ratio {rate})"
        )
    offset, length = place(whole)
    with open(whole, "rb") as file:
        file.seek(offset)
        bits = file.read(length)
    with open(out, "wb") as file:
        file.write(bits)


def ask_parquet(domain, path, values):
    """DuckDB's answers: its probe takes one constant, so only as many as its time allows."""
    import duckdb

    whole = path + ".parquet"
    offset, length = place(whole)
    with open(path, "rb") as file:
        bits = file.read()
    assert len(bits) == length
    with open(whole, "r+b") as file:
        file.seek(offset)
        file.write(bits)
    answers = []
    for value in values:
        rows = duckdb.execute(f"select bloom_filter_excludes from parquet_bloom_probe('{whole}', 'k', ?)", [value])
        answers.append(not rows.fetchone()[0])
    return answers


def main():
    what, program, domain = sys.argv[1:4]
    if what == "make":
        n, rate, path, out = int(sys.argv[4]), float(sys.argv[5]), sys.argv[6], sys.argv[7]
        values = keys(path, domain)
        if program == "flor":
            from flor import BloomFilter

            bloom = BloomFilter(n=n, p=rate)
            for value in values:
                bloom.add(value)
            with open(out, "wb") as file:
                bloom.write(file)
        else:
            make_parquet(program, domain, rate, values, out)
        return
    path, values, out = sys.argv[4], keys(sys.argv[5], domain), sys.argv[6]
    if program == "flor":
        from flor import BloomFilter

        bloom = BloomFilter(n=1, p=0.5)
        with open(path, "rb") as file:
            bloom.read(file)
        answers = [bloom.check(value) for value in values]
    else:
        answers = ask_parquet(domain, path, values)
    with open(out, "w") as file:
        file.write("".join("1" if answer else "0" for answer in answers) + "\n")


main()
