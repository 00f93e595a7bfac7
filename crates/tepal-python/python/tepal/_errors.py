"""The exceptions of the package. Each says what was found, what was expected, and what to do.

All of them are a `tepal.Error`. Each is also the exception that Python people would look for: a `ValueError`, a `TypeError`,
an `OSError`, an `OverflowError` or a `RuntimeError`.
"""


class Error(Exception):
    """Whatever tepal refuses."""


class ParameterError(Error, ValueError):
    """A value that a call cannot take."""


class ParameterTypeError(Error, TypeError):
    """An argument of a type that a call does not take."""


class KeyTypeError(Error, TypeError):
    """An object that is no key, or holds no keys: a float, a bool, None, a column of dates."""


class KeyValueError(Error, ValueError):
    """A value that is no key of this filter: text among integers, a surrogate."""


class CapacityError(Error, OverflowError):
    """The filter is full, and refuses more keys to keep its promise."""


class TooLargeError(Error, OverflowError):
    """A filter that no memory or file holds."""


class IncompatibleError(Error, ValueError):
    """Filters that cannot be combined, or a file format that cannot hold the filter."""


class NotPossibleError(Error, TypeError):
    """Something that a filter of this kind cannot do."""


class ClosedError(Error, ValueError):
    """A filter that was closed."""


class ForkError(Error, RuntimeError):
    """A filter that a thread of the parent process was changing when the process forked."""


class FormatError(Error, ValueError):
    """Bytes that are no filter, or one that this version does not know."""


class DamagedError(FormatError):
    """A filter's file that is not what was written."""


class SecretError(Error, ValueError):
    """A secret key or the key of a seal that is missing, wrong, or not needed."""


class FileError(Error, OSError):
    """A file that the operating system refuses to read or write."""


class FileMissingError(FileError, FileNotFoundError):
    """A file that is not there."""


class FilePermissionError(FileError, PermissionError):
    """A file that may not be read or written."""


class FileIsADirectoryError(FileError, IsADirectoryError):
    """A folder where a file was expected."""


for _class in list(globals().values()):
    # They are known under the package's name.
    if isinstance(_class, type) and issubclass(_class, Error):
        _class.__module__ = "tepal"
del _class
