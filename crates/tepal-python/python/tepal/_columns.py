"""Columns of other packages: what pandas has inside, and answers in the form of the question.

Nothing is imported here that the caller has not imported already.
"""


def of_pandas(column):
    """What a column of pandas holds, as something that is read without pandas; any other object as it is.

    In a list, `None` is a null.
    """
    import pandas

    if isinstance(column, pandas.DataFrame):
        if len(column.columns) != 1:
            names = ", ".join(map(str, column.columns))
            raise _wrong_type(
                f"a table of {len(column.columns)} columns ({names}), and one is expected; give the column of the keys"
            )
        return of_pandas(column.iloc[:, 0])
    if isinstance(column, pandas.MultiIndex):
        # A row is a tuple, which is a key.
        return column.tolist()
    if not isinstance(column, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        return column
    dtype = column.dtype
    held = dtype.categories.dtype if isinstance(dtype, pandas.CategoricalDtype) else dtype
    if getattr(held, "kind", "O") == "f":
        raise _wrong_type(
            f"a pandas column of {held} is no column of keys: floats have other bytes and texts in other languages; whole "
            "numbers, of which some may be missing, are keys as column.astype('Int64')"
        )
    if isinstance(held, (pandas.PeriodDtype, pandas.IntervalDtype)):
        raise _wrong_type(f"a pandas column of {held} is no column of keys; convert it with astype(str)")
    if getattr(dtype, "kind", "O") in "iu" and type(dtype).__module__.startswith("numpy"):
        return column.to_numpy()
    # pyarrow has types of its own for some objects, such as UUIDs and tuples; the rules of a list judge them one by one.
    if getattr(held, "kind", "O") == "O" and getattr(held, "hasobject", False):
        objects = dtype.categories if held is not dtype else column
        if pandas.api.types.infer_dtype(objects, skipna=True) not in ("string", "bytes", "integer", "empty"):
            return _objects(column)
    try:
        import pyarrow
    except ImportError:
        return _objects(column)
    try:
        return pyarrow.Array.from_pandas(column)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError, OverflowError, UnicodeEncodeError):
        # What Arrow has no one type for: the keys' own rules judge it one by one.
        return _objects(column)


def of_polars(column):
    """Refuses what has no values yet, and lists objects, whose addresses polars would hand on."""
    import polars

    if isinstance(column, polars.Expr):
        raise _wrong_type(
            "an expression of polars has no values to read; `import tepal.polars`, and write pl.col(...).tepal.isin(seen)"
        )
    if isinstance(column, polars.LazyFrame):
        raise _wrong_type(
            "a LazyFrame of polars has no values to read; call collect() first, or use an expression: "
            "`import tepal.polars`, and write pl.col(...).tepal.isin(seen)"
        )
    if isinstance(column, polars.DataFrame) and column.width == 1 and column.dtypes[0] == polars.Object:
        column = column.to_series()
    if isinstance(column, polars.Series) and column.dtype == polars.Object:
        return column.to_list()
    return column


def of_duckdb(relation):
    """Refuses bit strings, which come as bytes with a count of padding before them."""
    types = getattr(relation, "types", None) or ()
    if len(types) == 1 and str(types[0]).upper() == "BIT":
        raise _wrong_type("DuckDB's BIT is no column of keys; cast it in SQL: bits::varchar, or bits::bigint")
    return relation


def of_package(column):
    """A column of pandas, polars or DuckDB as something that is read as it is. In a list, `None` is a null."""
    package = type(column).__module__.partition(".")[0]
    if package == "pandas":
        return of_pandas(column)
    return of_polars(column) if package == "polars" else of_duckdb(column)


def _objects(column):
    """Its values one by one, `None` for a null."""
    if getattr(column.dtype, "kind", "O") in "fcbmM":
        # Floats, booleans and times have no place for `None`, and are no keys: an error says so.
        return column.tolist()
    return [None if is_null else value for value, is_null in zip(column.tolist(), column.isna())]


def _wrong_type(text):
    from ._errors import KeyTypeError

    return KeyTypeError(text)


def asked(question):
    """What is asked, and the form that its answers get.

    The form is known before anything is asked: other threads may give the question another index or name meanwhile.
    """
    package = type(question).__module__.partition(".")[0]
    if package == "numpy":
        return question, _Numpy()
    if package == "pandas":
        import pandas

        if isinstance(question, (pandas.Series, pandas.DataFrame)):
            # Of one moment: its index is the one of the values that are read.
            question = question.copy(deep=False)
            is_table = isinstance(question, pandas.DataFrame)
            name = (question.columns[0] if len(question.columns) == 1 else None) if is_table else question.name
            return question, _Series(question.index, name)
        return question, _PandasArray()
    if package == "polars":
        import polars

        objects = of_polars(question)
        name = question.name if isinstance(question, polars.Series) else ""
        return question, _Polars(name, objects if isinstance(objects, list) else [])
    if package == "pyarrow":
        import pyarrow

        return question, Arrow(isinstance(question, pyarrow.ChunkedArray))
    return question, Arrow()


# Each form takes `answers` (a list, a byte each, or a `BooleanColumn`), and `values` of a map: 32 bits each, and a bit each
# that says whether there is one. Where values have names, `names` has them, that of the value 0 first; it is empty else.


class _Numpy:
    def answers(self, answers):
        import numpy

        if isinstance(answers, list):
            return numpy.array(answers, dtype=bool)
        return numpy.frombuffer(answers, dtype=bool)

    def values(self, values, valid, names):
        import numpy

        numbers, missing = _numbers(values, valid)
        return _texts(numbers, missing, names) if names else numpy.ma.masked_array(numbers, missing)


class _PandasArray:
    """For an `Index`, and whatever else of pandas has values and no index: an array, as `Index.isin` gives.

    A `Series` with an index of its own would be aligned by it with other rows. The answers are numpy's `bool`, as those of
    `isin` of pandas: no null is in the filter, so that the type does not depend on whether there is one.
    """

    def answers(self, answers):
        if isinstance(answers, (list, bytearray)):
            return _Numpy().answers(answers)
        import pyarrow

        return pyarrow.array(answers).fill_null(False).to_numpy(zero_copy_only=False)

    def values(self, values, valid, names):
        import pandas

        numbers, missing = _numbers(values, valid)
        return _texts(numbers, missing, names) if names else pandas.arrays.IntegerArray(numbers, missing)


class _Series:
    """With the index and the name of the question."""

    def __init__(self, index, name):
        self.index, self.name = index, name

    def answers(self, answers):
        return self._series(_PandasArray().answers(answers))

    def values(self, values, valid, names):
        return self._series(_PandasArray().values(values, valid, names), object if names else None)

    def _series(self, data, dtype=None):
        import pandas

        return pandas.Series(data, index=self.index, dtype=dtype, name=self.name)


class _Polars:
    """With the name of the question; `objects` are those of a column of objects."""

    def __init__(self, name, objects):
        self.name, self.objects = name, objects

    def answers(self, answers):
        import polars

        if isinstance(answers, list):
            answers = [None if key is None else answer for key, answer in zip(self.objects, answers)]
            return polars.Series(self.name, answers, dtype=polars.Boolean)
        return polars.Series(answers).rename(self.name)

    def values(self, values, valid, names):
        import polars

        numbers = polars.Series(Arrow().values(values, valid, []), dtype=polars.UInt32)
        texts = polars.Series(names, dtype=polars.String).gather(numbers) if names else numbers
        return texts.rename(self.name)


class Arrow:
    """Columns of pyarrow, and of whatever else gives Arrow columns; without pyarrow, what there is."""

    def __init__(self, is_chunked=False):
        self.is_chunked = is_chunked

    def answers(self, answers):
        try:
            import pyarrow
        except ImportError:
            return answers
        return self._whole(pyarrow.array(answers))

    def values(self, values, valid, names):
        try:
            import pyarrow
        except ImportError:
            numbers = [
                value if valid[i // 8] >> i % 8 & 1 else None for i, value in enumerate(memoryview(values).cast("I"))
            ]
            return [None if value is None else names[value] for value in numbers] if names else numbers
        buffers = [pyarrow.py_buffer(valid), pyarrow.py_buffer(values)]
        numbers = pyarrow.Array.from_buffers(pyarrow.uint32(), len(values) // 4, buffers)
        if names:
            numbers = pyarrow.DictionaryArray.from_arrays(numbers, pyarrow.array(names, pyarrow.string()))
        return self._whole(numbers)

    def _whole(self, array):
        if not self.is_chunked:
            return array
        import pyarrow

        return pyarrow.chunked_array([array])


def _numbers(values, valid):
    """The values as numpy's numbers, and which of them are missing."""
    import numpy

    numbers = numpy.frombuffer(values, dtype=numpy.uint32)
    bits = numpy.unpackbits(numpy.frombuffer(valid, dtype=numpy.uint8), count=len(numbers), bitorder="little")
    return numbers, bits == 0


def _texts(numbers, missing, names):
    """Their names as objects, `None` where one is missing."""
    import numpy

    return numpy.array([*names, None], dtype=object)[numpy.where(missing, len(names), numbers)]
