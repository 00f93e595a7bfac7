"""Files that Python has opened, for `save` and `open`."""

import errno
import io

from ._errors import ParameterError, ParameterTypeError


def check(file, way, mode):
    """Refuses a file of text, and one that was opened for the other way."""
    name = type(file).__name__
    if isinstance(file, io.TextIOBase) or getattr(file, "encoding", None) is not None:
        raise ParameterTypeError(f"the file ({name}) is one of text, and bytes are expected; open it with the mode {mode!r}")
    can = getattr(file, way, None)
    call = "write" if way == "writable" else "read"
    if not hasattr(file, call) or (callable(can) and not can()):
        raise ParameterTypeError(f"the file ({name}) is not {way}; open it with the mode {mode!r}")


def write(file, data):
    """Writes all of it. A raw file may take less at once."""
    rest = data
    while rest:
        written = file.write(rest)
        if written is None and isinstance(file, io.RawIOBase):
            raise BlockingIOError(errno.EAGAIN, "the file takes no bytes now; give one that waits")
        # Other files take all, and some of them do not say so.
        if not isinstance(written, int) or written >= len(rest):
            return
        rest = memoryview(rest)[written:]


def read(file):
    """Reads it to its end."""
    data = file.read()
    if data is None:
        raise BlockingIOError(errno.EAGAIN, "the file has no bytes now; give one that waits")
    if not isinstance(data, (bytes, bytearray, memoryview)):
        name = type(data).__name__
        raise ParameterTypeError(f"the file gives {name}, and bytes are expected; open it with the mode 'rb'")
    if not len(data) and (place := _place(file)):
        raise ParameterError(f"the file has no bytes after its place, {place}; call seek(0) first, to read it from its start")
    return data


def _place(file):
    """Where it stands, if it can say so."""
    try:
        return file.tell()
    except (AttributeError, OSError, ValueError):
        return 0
