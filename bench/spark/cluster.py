"""The cluster of these measurements: a driver and two executors, each a JVM of 1 GiB, on this machine."""

import os
import sys
import time

os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable


def session(**settings):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("tepal bench")
    usual = {
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "8",
        "spark.driver.host": "127.0.0.1",
    }
    for name, value in (usual | settings).items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def cpu_seconds():
    """CPU time of all processes of the cluster so far: the driver's, the executors', the Python workers'."""
    import psutil

    total = 0.0
    own = psutil.Process()
    for process in [own, *own.children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        # Of workers that have ended, too.
        total += times.user + times.system + times.children_user + times.children_system
    return total


def measured(run):
    """What `run` gives, its seconds on the clock and of CPU."""
    cpu, wall = cpu_seconds(), time.monotonic()
    result = run()
    return result, time.monotonic() - wall, cpu_seconds() - cpu
