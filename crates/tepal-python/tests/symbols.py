"""What a wheel's library for musl needs from outside, all of which CPython and musl must have.

python symbols.py LIBRARY PYTHON FOLDER: the symbols of an interpreter, and of the libraries in a folder.
"""

import pathlib
import re
import subprocess
import sys


def read(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(file):
    """Those that it has, and those that it needs and is nothing without."""
    has, needs = set(), set()
    for line in read("readelf", "--dyn-syms", "--wide", file).splitlines():
        fields = line.split()
        if len(fields) > 7 and fields[0].rstrip(":").isdigit():
            name = fields[7].partition("@")[0]
            (has if fields[6] != "UND" else needs if fields[4] != "WEAK" else set()).add(name)
    return has, needs


def main():
    library, python, folder = map(pathlib.Path, sys.argv[1:])
    needed = re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", read("readelf", "-d", library))
    others = [name for name in needed if not name.startswith(("libc.", "ld-"))]
    files = [folder / "libc.so", *(folder / name for name in others)]
    if missing := [file.name for file in files if not file.is_file()]:
        sys.exit(f"needs {', '.join(missing)}, which {folder} does not have")
    has = set.union(*(symbols(file)[0] for file in files))
    of_python, (_, needs) = symbols(python)[0], symbols(library)
    if unknown := sorted(needs - has - of_python):
        sys.exit(f"needs {', '.join(unknown)}, which neither CPython nor the C library has")
    names = ", ".join(sorted(needed))
    print(f"needs {names}; {len(needs & of_python)} symbols of CPython, {len(needs - of_python)} of the C library, all there")


if __name__ == "__main__":
    main()
