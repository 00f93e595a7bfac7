"""One filter of a column: a filter for each partition, united by stages of eight, so that the driver holds one.

Nothing here has bits of its own. A partition's filter travels as the bytes of its file, and is united by the library.
"""

import operator

from .. import BloomFilter, CapacityError, KeyCounter, ParameterError, TooLargeError
from . import _keys

#: Bytes of the largest filter that `build` makes and that goes to executors by a broadcast: 1,000 MiB.
#:
#: A row, an Arrow message and an array of the JVM end at 2 GiB, and Spark's own `spark.driver.maxResultSize` at 1 GiB. Past
#: this line are `build_shards` and files.
LIMIT = 1000 << 20

# Filters that one task unites; it holds two of them at a time.
_FAN = 8
_SCHEMA = "part int, rows bigint, bytes binary"


def build(df, column, capacity=None, false_positive_rate=0.01, *, key_domain=None, layout=None, seed=None, scheme=None,
          over_capacity="refuse", name=None):
    """A filter of all keys in a column of a DataFrame, in the driver: the one that one machine would have built, bit for bit.

    Without a `capacity` the different keys are counted first, in a pass of its own: exactly up to 65,536 rows, and with a
    standard error below 0.08 % above, for which 0.16 % more room is made. So the DataFrame is computed twice; `cache()` it
    where that is dear, or say the capacity.

    Each partition makes one filter of the full size. With very many partitions and a large filter, `df.coalesce(64)` first
    makes less to send.

    `column` is a name or a `Column`. Whole numbers make a filter of the key domain `int64`, strings and binary one of `bytes`,
    unless `key_domain` says otherwise; `scheme="spark-v2"` makes a filter that `write` gives to Spark. The other arguments
    are those of `tepal.BloomFilter`. Nulls are left out.

    A filter past `LIMIT` is a `tepal.TooLargeError`: `build_shards` is for that.
    """
    capacity = checked(capacity)
    keys, kind = _keys.column_of(df, column)
    arguments = options(
        kind, false_positive_rate, key_domain=key_domain, layout=layout, seed=seed, scheme=scheme, name=name
    )
    # Before anything is computed: what cannot be made at all.
    BloomFilter(1, **arguments, over_capacity=over_capacity)
    parts = None
    if capacity is None:
        counted, parts = count(keys, arguments["key_domain"])
        capacity = counted.capacity
    size = size_of(capacity, arguments)
    if size > LIMIT:
        raise TooLargeError(
            f"a filter of {capacity:,} keys at this rate takes about {size:,.0f} bytes, and {LIMIT:,} is the most that one "
            "message of Spark carries; use tepal.spark.build_shards, which makes several files, or a higher rate"
        )
    filled = _united(keys.mapInArrow(_fill(capacity, arguments), _SCHEMA), parts, _unite_filters)
    if filled is None:
        return BloomFilter(capacity, **arguments, over_capacity=over_capacity)
    built = BloomFilter.from_bytes(filled)
    built.over_capacity = over_capacity
    if over_capacity == "refuse" and built.is_over_capacity:
        raise CapacityError(
            f"the column has about {built.estimated_len():,.0f} different keys, and the filter was to have {capacity:,}; "
            'give a larger capacity, or none to have them counted, or over_capacity="warn"'
        )
    return built


def checked(capacity):
    """A number of keys, or None."""
    if capacity is None:
        return None
    try:
        keys = operator.index(capacity)
    except TypeError:
        keys = 0
    if keys < 1:
        raise ParameterError(f"the capacity is {capacity!r}; it must be a whole number of keys, 1 or more, or left out")
    return keys


def options(kind, false_positive_rate, *, key_domain, layout, seed, scheme, name):
    """What the filters of all partitions are made with, beside the capacity."""
    domain = key_domain or _keys.usual_domain(kind)
    _keys.check(kind, domain, scheme)
    given = {"layout": layout, "seed": seed, "scheme": scheme, "name": name}
    given = {option: value for option, value in given.items() if value is not None}
    return {"false_positive_rate": false_positive_rate, "key_domain": domain, **given}


def size_of(capacity, arguments):
    """About how many bytes a filter takes, by one of a million keys where it is for more."""
    planned = min(capacity, 1_000_000)
    return BloomFilter(planned, **arguments).size_in_bytes * capacity / max(planned, 1)


def count(keys, domain):
    """A counter that has seen all keys, and how many partitions there are."""
    counts = keys.mapInArrow(_count(domain), _SCHEMA)
    counted = KeyCounter(domain)
    # Up to 3 MiB of each partition are united by stages too; how many partitions there are is not known yet.
    rows = _stages(counts, None, _unite_counters(domain)).collect()
    for row in rows:
        counted |= KeyCounter.from_bytes(row["bytes"], domain)
    return counted, max(sum(row["rows"] for row in rows), 1)


def _united(made, parts, unite):
    """The bytes of all rows' filters as one, or None where there is no row."""
    rows = _stages(made, parts, unite).collect()
    return rows[0]["bytes"] if rows else None


def _stages(made, parts, unite):
    """Unites rows until there is one at most."""
    from pyspark.sql import functions

    # Of an unknown number of partitions: to some, and to one.
    tasks = _FAN * _FAN if parts is None else parts
    while tasks > 1:
        tasks = -(-tasks // _FAN)
        made = made.repartitionById(tasks, functions.col("part") % tasks).mapInArrow(unite, _SCHEMA)
    return made


def _row(part, rows, data):
    import pyarrow

    schema = pyarrow.schema({"part": pyarrow.int32(), "rows": pyarrow.int64(), "bytes": pyarrow.binary()})
    arrays = [pyarrow.array([value], field.type) for value, field in zip((part, rows, data), schema)]
    return pyarrow.record_batch(arrays, schema=schema)


def _part():
    from pyspark import TaskContext

    return TaskContext.get().partitionId()


# What runs on executors. These are closures, and name what they need of the package, which is imported there.


def _count(domain):
    def count_partition(batches):
        counter = KeyCounter(domain)
        for batch in batches:
            counter.update(batch.column(0))
        if counter.keys:
            yield _row(_part(), 1, counter.to_bytes())

    return count_partition


def _fill(capacity, arguments):
    def fill_partition(batches):
        # Who has too many keys is found when all are united.
        filled, rows = None, 0
        for batch in batches:
            if filled is None:
                filled = BloomFilter(capacity, **arguments, over_capacity="ignore")
            filled.update(batch.column(0))
            rows += 1
        if rows:
            yield _row(_part(), 1, filled.to_bytes())

    return fill_partition


def _unite_filters(batches):
    united, parts = None, 0
    for part in _bytes_of(batches):
        filled = BloomFilter.from_bytes(part)
        united = filled if united is None else united.__ior__(filled)
        parts += 1
    if parts:
        yield _row(_part(), parts, united.to_bytes())


def _unite_counters(domain):
    def unite_counters(batches):
        united, parts = KeyCounter(domain), 0
        for part in _bytes_of(batches):
            united |= KeyCounter.from_bytes(part, domain)
            parts += 1
        if parts:
            yield _row(_part(), parts, united.to_bytes())

    return unite_counters


def _bytes_of(batches):
    """Each row's bytes, where they lie."""
    for batch in batches:
        for value in batch.column("bytes"):
            yield value.as_buffer()
