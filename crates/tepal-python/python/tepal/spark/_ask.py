"""Filters asked by DataFrames: only the column of the keys goes to Python, and only its answers come back."""

import os

from .. import FileError, Filter, ParameterError, ParameterTypeError, TooLargeError
from .. import open as open_file
from . import _build, _keys
from ._shards import MANIFEST, Shards


def contains(asked, column, *, quick=False):
    """A boolean column: is the key perhaps in the filter? False is certain, True means perhaps; null where the key is null.

    `asked` is a filter, which goes to all executors by a broadcast, as it is now; or the path of a file, or of the folder of
    `build_shards`, that every executor and the driver see. A file is opened once by each Python worker and mapped, so that all
    workers of a machine share its pages: for a filter of 100 MiB and more. When it is replaced, the next batch of rows
    asks the new one. `quick` leaves its bits unchecked, for files of many GiB (`tepal.open`).

    Keys are told by their type (`help(tepal.spark)`). Where a DataFrame is at hand, `semi_join` and `anti_join` say so
    before anything runs.
    """
    from pyspark.sql import functions
    from pyspark.sql.types import BooleanType

    arrow_udf = getattr(functions, "arrow_udf", None)
    if arrow_udf is None:
        raise ParameterError("this PySpark has no arrow_udf; tepal.spark needs PySpark 4.1 or newer")
    ask = _asker(_source(asked, quick))
    return arrow_udf(ask, BooleanType())(column)


def semi_join(df, asked, column, *, quick=False):
    """The rows whose key is perhaps in the filter: all that are, and about the filter's rate of those that are not.

    It is Spark's left semi join, save for that rate: a null key is in no set, so its rows go. `asked` is as for `contains`.
    A join that follows drops the rest.
    """
    _check(df, asked, column, quick)
    return df.where(contains(asked, column, quick=quick))


def anti_join(df, asked, column, *, quick=False):
    """The rows whose key is surely not in the filter: none that is, and all but about the filter's rate of the others.

    It is Spark's left anti join, save for that rate: rows with a null key stay, since no key equals null. (SQL's `NOT IN` drops
    them.) `asked` is as for `contains`.
    """
    from pyspark.sql import functions

    _check(df, asked, column, quick)
    is_in = functions.coalesce(contains(asked, column, quick=quick), functions.lit(False))
    return df.where(~is_in)


def _check(df, asked, column, quick):
    """That the keys of this column may be asked for, before anything runs."""
    _, kind = _keys.column_of(df, column)
    if isinstance(asked, (Filter, Shards)):
        _check_filter(kind, asked)
    elif isinstance(asked, (str, os.PathLike)):
        # Whatever is not checked yet: the executors do it.
        with _open(asked, quick=True) as opened:
            _check_filter(kind, opened)


def _check_filter(kind, asked):
    # Only there the scheme matters; to ask for it costs passes over the bits.
    may_be_sparks = kind == _keys.INTEGERS and asked.key_domain == "bytes" and isinstance(asked, Filter)
    _keys.check(kind, asked.key_domain, asked.info()["scheme"] if may_be_sparks else None)


def _open(path, quick):
    """The filter in a file, or in the files of a folder."""
    if os.path.isdir(path):
        return Shards.open(path, quick=quick)
    return open_file(path, quick=quick)


# How a filter gets to the executors: a `source` gives it there.


def _source(asked, quick):
    if isinstance(asked, Filter):
        return _sent(asked)
    if isinstance(asked, Shards):
        if asked.folder is None:
            raise ParameterError("these shards are in no folder; give the folder that build_shards has written")
        return _File(asked.folder, quick)
    if isinstance(asked, (str, os.PathLike)):
        path = os.fspath(asked)
        if "://" in path:
            raise ParameterError(
                f"{path} is no path of a file system; copy the file to one that all executors see, or open it here "
                "(tepal.open) and give the filter"
            )
        # Relative to the driver's folder; an executor has another one.
        path = os.path.abspath(path)
        _open(path, quick=True).close()
        return _File(path, quick)
    raise ParameterTypeError(
        f"a {type(asked).__name__} cannot be asked; give a filter, the path of its file, or the folder of build_shards"
    )


def _sent(asked):
    size = asked.size_in_bytes
    if size > _build.LIMIT:
        raise TooLargeError(
            f"the filter takes {size:,} bytes, and {_build.LIMIT:,} is the most that is sent to executors; save it where all "
            "of them see it, and give the path"
        )
    from pyspark.sql.utils import is_remote

    if is_remote():
        # Spark Connect has no broadcasts: it goes with the function.
        return _Here(asked.copy())
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None:
        raise ParameterError("there is no Spark session; begin one, with SparkSession.builder.getOrCreate()")
    # A worker reads it once, whatever the number of its tasks.
    return _Broadcast(session.sparkContext.broadcast(asked))


class _Here:
    def __init__(self, asked):
        self.asked = asked

    def get(self):
        return self.asked


class _Broadcast:
    def __init__(self, broadcast):
        self.broadcast = broadcast

    def get(self):
        return self.broadcast.value


class _File:
    # The files that this Python worker has open, each with what it was when it was opened.
    opened: dict = {}

    def __init__(self, path, quick):
        self.path, self.quick = path, quick

    def get(self):
        stamp = self._stamp()
        held = _File.opened.get((self.path, self.quick))
        if held is None or held[0] != stamp:
            while len(_File.opened) >= 16:
                _File.opened.pop(next(iter(_File.opened)))
            held = _File.opened[self.path, self.quick] = (stamp, self._open())
        return held[1]

    def _stamp(self):
        try:
            folder = os.path.isdir(self.path)
            stat = os.stat(os.path.join(self.path, MANIFEST) if folder else self.path)
        except OSError as error:
            raise self._missing(error) from None
        return stat.st_ino, stat.st_size, stat.st_mtime_ns

    def _open(self):
        try:
            return _open(self.path, self.quick)
        except FileError as error:
            raise self._missing(error) from None

    def _missing(self, error):
        import socket

        missing = FileError(
            f"{self.path}: {error.strerror or error}, on the executor {socket.gethostname()}; the filter's file must be "
            "where the driver and every executor see it for as long as the query runs"
        )
        missing.errno = error.errno
        return missing


def _asker(source):
    import pyarrow

    checked = None

    def ask(keys: pyarrow.Array) -> pyarrow.Array:
        nonlocal checked
        asked = source.get()
        if checked is not asked:
            _check_filter(_keys.of_arrow(keys.type), asked)
            checked = asked
        return asked.contains_many(keys)

    return ask
