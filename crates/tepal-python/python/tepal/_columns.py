"""Columns of other packages: what pandas has inside, and answers in the form of the question.

Nothing is imported here that the caller has not imported already.
"""


def of_pandas(column):
    """What a pandas Series or Index holds, as something that is read without pandas."""
    if hasattr(column, "columns"):
        names = ", ".join(map(str, column.columns))
        if len(column.columns) != 1:
            from ._errors import KeyTypeError

            raise KeyTypeError(
                f"a table of {len(column.columns)} columns ({names}), and one is expected; give the column of the keys"
            )
        return of_pandas(column.iloc[:, 0])
    dtype = column.dtype
    if getattr(dtype, "kind", "O") in "iu" and type(dtype).__module__.startswith("numpy"):
        return column.to_numpy()
    try:
        import pyarrow
    except ImportError:
        return column.tolist()
    try:
        return pyarrow.Array.from_pandas(column)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        # Objects of several types, which the keys' own rules then judge one by one.
        return column.tolist()


def in_form_of(question, answers):
    """Answers (a list, a byte each, or a `BooleanColumn`) in the form of the question."""
    package = type(question).__module__.partition(".")[0]
    if package == "numpy":
        import numpy

        if isinstance(answers, list):
            return numpy.array(answers, dtype=bool)
        return numpy.frombuffer(answers, dtype=bool)
    if package == "pandas":
        return _pandas(question, answers)
    if package == "polars":
        import polars

        series = polars.Series(answers)
        return series.rename(question.name) if isinstance(question, polars.Series) else series
    try:
        import pyarrow
    except ImportError:
        return answers
    array = pyarrow.array(answers)
    return pyarrow.chunked_array([array]) if isinstance(question, pyarrow.ChunkedArray) else array


def _pandas(question, answers):
    import pandas

    index = question.index if isinstance(question, (pandas.Series, pandas.DataFrame)) else None
    if isinstance(answers, bytearray):
        import numpy

        return pandas.Series(numpy.frombuffer(answers, dtype=bool), index=index)
    if isinstance(answers, list):
        return pandas.Series(answers, index=index, dtype=bool)
    import pyarrow

    # With a null, it is pandas' own boolean, which has one.
    array = pyarrow.array(answers)
    if array.null_count == 0:
        return pandas.Series(array.to_numpy(zero_copy_only=False), index=index)
    return pandas.Series(array.to_pylist(), index=index, dtype="boolean")


def values_in_form_of(question, values, valid, names):
    """Values of a map (32 bits each, and a bit each that says whether there is one) in the form of the question.

    Where values have names, `names` has them, that of the value 0 first; it is empty else.
    """
    package = type(question).__module__.partition(".")[0]
    if package == "numpy":
        import numpy

        numbers, missing = _numbers(values, valid)
        return _texts(numbers, missing, names) if names else numpy.ma.masked_array(numbers, missing)
    if package == "pandas":
        import pandas

        index = question.index if isinstance(question, (pandas.Series, pandas.DataFrame)) else None
        numbers, missing = _numbers(values, valid)
        if names:
            return pandas.Series(_texts(numbers, missing, names), index=index, dtype=object)
        return pandas.Series(pandas.arrays.IntegerArray(numbers, missing), index=index)
    try:
        import pyarrow
    except ImportError:
        numbers = [
            value if valid[i // 8] >> i % 8 & 1 else None for i, value in enumerate(memoryview(values).cast("I"))
        ]
        if package != "polars":
            return [None if value is None else names[value] for value in numbers] if names else numbers
    else:
        buffers = [pyarrow.py_buffer(valid), pyarrow.py_buffer(values)]
        numbers = pyarrow.Array.from_buffers(pyarrow.uint32(), len(values) // 4, buffers)
    if package == "polars":
        import polars

        series = polars.Series(numbers, dtype=polars.UInt32)
        if names:
            series = polars.Series(names, dtype=polars.String).gather(series)
        return series.rename(question.name if isinstance(question, polars.Series) else "")
    array = pyarrow.DictionaryArray.from_arrays(numbers, pyarrow.array(names, pyarrow.string())) if names else numbers
    return pyarrow.chunked_array([array]) if isinstance(question, pyarrow.ChunkedArray) else array


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
