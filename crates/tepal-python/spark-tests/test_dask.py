"""The example runs, with workers in processes of their own."""

import pathlib
import subprocess
import sys

EXAMPLE = pathlib.Path(__file__).parents[1] / "examples" / "dask_join.py"


def test_the_example_runs():
    run = subprocess.run([sys.executable, "-W", "ignore", EXAMPLE], capture_output=True, text=True, timeout=240)
    assert run.returncode == 0, run.stderr[-3000:]
    assert "of 100,000 payments pass; of the non-members" in run.stdout
