"""A set past one message of Spark: several files, of which each key is in one.

Which one follows from a hash of its own, and never from the filter's: the keys that one range of a filter's hash chooses fall
on a few of its lines, and its rate is lost. The rule, for whoever reads such a folder in another language: h is XXH3-64 of the
key with the seed of the purpose `shard` (FORMAT.md, section 5; of a number in the key domain `int64`, that domain's
hash), and the key is in file floor(h * N / 2**64) of N.
"""

import json
import math
import os

from .. import BloomFilter, FileError, FormatError, ParameterError, shards_of
from .. import open as open_file
from . import _build, _keys

MANIFEST = "shards.json"
_VERSION = 1


class Shards:
    """Filters in one folder, of which each key is in one; `Shards.open` opens what `build_shards` has written."""

    def __init__(self, filters, key_domain, folder=None):
        self.filters, self.key_domain, self.folder = filters, key_domain, folder

    @classmethod
    def open(cls, folder, *, quick=False):
        """Opens all files of a folder, mapped. `quick` leaves their bits unchecked, as in `tepal.open`."""
        folder = os.path.abspath(folder)
        manifest = _read_manifest(folder)
        filters = []
        for number in range(manifest["shards"]):
            path = os.path.join(folder, _name(number, manifest["shards"]))
            opened = open_file(path, quick=quick)
            if opened.key_domain != manifest["key_domain"]:
                raise FormatError(
                    f"{path} has keys of the domain {opened.key_domain}, and {MANIFEST} says {manifest['key_domain']}; "
                    "it is a file of another set: build the shards anew"
                )
            filters.append(opened)
        return cls(filters, manifest["key_domain"], folder)

    def __contains__(self, key):
        return self.contains_many([key])[0]

    def contains_many(self, keys):
        """Answers for many keys, in their order: a list for a list, else a pyarrow array, null where the key is null."""
        import pyarrow
        from pyarrow import compute

        # As they are now: what is read twice may change meanwhile, and an iterator is read once.
        is_list = isinstance(keys, (list, tuple))
        if is_list:
            keys = list(keys)
        elif isinstance(keys, pyarrow.ChunkedArray):
            keys = keys.combine_chunks()
        elif not isinstance(keys, (pyarrow.Array, str, bytes, bytearray)):
            keys = pyarrow.array(keys)
        # A text is one key, which this refuses.
        shards = memoryview(shards_of(keys, len(self.filters), self.key_domain)).cast("I")
        if is_list:
            return [self.filters[shard].contains_many([key])[0] for key, shard in zip(keys, shards)]
        numbers = pyarrow.Array.from_buffers(pyarrow.uint32(), len(keys), [None, pyarrow.py_buffer(shards)])
        # The keys of each shard together, and their answers back in their places.
        order = compute.sort_indices(numbers)
        counts = {count["values"]: count["counts"] for count in compute.value_counts(numbers).to_pylist()}
        sorted_keys, answers, start = keys.take(order), [], 0
        for shard in sorted(counts):
            answers.append(self.filters[shard].contains_many(sorted_keys.slice(start, counts[shard])))
            start += counts[shard]
        if not answers:
            return pyarrow.array([], pyarrow.bool_())
        return pyarrow.concat_arrays(answers).take(compute.sort_indices(order))

    @property
    def size_in_bytes(self):
        """Bytes of all files' bits."""
        return sum(part.size_in_bytes for part in self.filters)

    def close(self):
        """Closes all files."""
        for part in self.filters:
            part.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __len__(self):
        return len(self.filters)

    def __repr__(self):
        place = f" in {self.folder}" if self.folder else ""
        return f"<tepal.spark.Shards: {len(self)} filters, {self.size_in_bytes:,} bytes{place}>"


def build_shards(df, column, folder, capacity=None, false_positive_rate=0.01, *, shards=None, key_domain=None, layout=None,
                 seed=None):
    """Builds filters of a column as files in a folder that every executor and the driver see; returns them as `Shards`.

    For a set past `LIMIT`: no filter goes through the driver. Each key goes to the one task that makes its file, so that no
    filter is made twice and none is united. `shards` is the number of files; as many as keep each below `LIMIT` unless told.
    A task that is repeated writes the same file again. The folder must be new, or one where this call has failed before.
    The other arguments are those of `build`.
    """
    from pyspark.sql import functions
    from pyspark.sql.types import IntegerType

    capacity = _build.checked(capacity)
    keys, kind = _keys.column_of(df, column)
    arguments = _build.options(
        kind, false_positive_rate, key_domain=key_domain, layout=layout, seed=seed, scheme=None, name=None
    )
    domain = arguments["key_domain"]
    folder = os.path.abspath(folder)
    if os.path.exists(os.path.join(folder, MANIFEST)):
        raise FileError(f"{folder} has shards already; give another folder, or remove it first")
    os.makedirs(folder, exist_ok=True)
    if capacity is None:
        capacity = _build.count(keys, domain)[0].capacity
    if shards is None:
        shards = _enough(capacity, arguments)
    elif not isinstance(shards, int) or not 1 <= shards <= 1 << 16:
        raise ParameterError(f"the number of shards is {shards!r}; it must be from 1 to 65,536")
    # What falls to one file is above its share by chance, six standard deviations at most.
    share = capacity / shards
    room = min(capacity, math.ceil(share + 6 * math.sqrt(share)))
    BloomFilter(1, **arguments)

    number = functions.arrow_udf(_number(shards, domain), IntegerType())
    numbered = keys.where(keys["key"].isNotNull()).select("key", number("key").alias("shard"))
    save = _save(folder, shards, room, arguments)
    made = numbered.repartitionById(shards, functions.col("shard")).mapInArrow(save, "shard int, rows bigint")
    written = {row["shard"] for row in made.collect()}
    for missing in set(range(shards)) - written:
        BloomFilter(room, **arguments).save(os.path.join(folder, _name(missing, shards)))
    manifest = {"tepal shards": _VERSION, "shards": shards, "key_domain": domain, "capacity": capacity}
    _write_manifest(folder, manifest | {"false_positive_rate": false_positive_rate})
    return Shards.open(folder)


def _enough(capacity, arguments):
    """So many files that each is well below the line."""
    return max(1, math.ceil(_build.size_of(capacity, arguments) / (0.9 * _build.LIMIT)))


def _name(number, shards):
    return f"shard-{number:05}-of-{shards:05}.tepal"


def _number(shards, domain):
    import pyarrow

    def number(keys: pyarrow.Array) -> pyarrow.Array:
        numbers = pyarrow.py_buffer(shards_of(keys, shards, domain))
        return pyarrow.Array.from_buffers(pyarrow.int32(), len(keys), [None, numbers])

    return number


def _save(folder, shards, room, arguments):
    def save_partition(batches):
        import pyarrow

        filled, rows, number = None, 0, None
        for batch in batches:
            if batch.num_rows == 0:
                continue
            if filled is None:
                filled, number = BloomFilter(room, **arguments), batch.column("shard")[0].as_py()
            filled.update(batch.column("key"))
            rows += batch.num_rows
        if filled is not None:
            filled.save(os.path.join(folder, _name(number, shards)))
            numbers = [pyarrow.array([number], pyarrow.int32()), pyarrow.array([rows], pyarrow.int64())]
            yield pyarrow.record_batch(numbers, names=["shard", "rows"])

    return save_partition


def _write_manifest(folder, manifest):
    """Last of all, and whole: a folder without it is no set."""
    new = os.path.join(folder, f".{MANIFEST}.new")
    with open(new, "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, os.path.join(folder, MANIFEST))


def _read_manifest(folder):
    path = os.path.join(folder, MANIFEST)
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
    except FileNotFoundError as error:
        missing = FileError(f"{folder} has no {MANIFEST}: it is no folder of build_shards, or one where it has failed")
        missing.errno = error.errno
        raise missing from None
    except ValueError:
        manifest = None
    said = manifest if isinstance(manifest, dict) else {}
    if said.get("tepal shards") != _VERSION:
        raise FormatError(f"{path} is no manifest of shards of version {_VERSION}; build them anew, or use a newer tepal")
    shards, domain = said.get("shards"), said.get("key_domain")
    if not isinstance(shards, int) or not 1 <= shards <= 1 << 16 or not isinstance(domain, str):
        raise FormatError(f"{path} is damaged: it says {shards!r} shards and keys of {domain!r}; build the shards anew")
    return said
