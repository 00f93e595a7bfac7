"""What the tests share: where the repository's files are, and the command. A test that cannot run fails."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def testdata():
    """The files that all implementations are held against."""
    folder = ROOT / "testdata"
    assert (folder / "vectors" / "hashes.json").is_file(), f"{folder} has no vectors; run the tests in the repository"
    return folder


@pytest.fixture(scope="session")
def command():
    """The command `tepal`, which `cargo build --release` makes."""
    path = pathlib.Path(os.environ.get("TEPAL_COMMAND", ROOT / "target" / "release" / "tepal"))
    assert path.is_file(), f"{path} is not there; run `cargo build --release`, or set TEPAL_COMMAND"
    return str(path)
