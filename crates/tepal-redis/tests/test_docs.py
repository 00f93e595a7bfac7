"""Runs every line of docs/redis.md that begins with `$`, and compares what it prints."""

import os
import pathlib
import shutil
import subprocess
import sys

from engine import MODULE, REDIS, free_port

REPO = pathlib.Path(__file__).parents[3]


def transcript():
    """The commands, each with what it prints."""
    is_console, steps = False, []
    for line in (REPO / "docs" / "redis.md").read_text().splitlines():
        if line.startswith("```"):
            is_console = line == "```console"
        elif is_console and line.startswith("$ "):
            steps.append((line[2:], []))
        elif is_console:
            steps[-1][1].append(line)
    return steps


def test_the_page(tmp_path):
    port, bin = free_port(), tmp_path / "bin"
    bin.mkdir()
    shutil.copy(MODULE, tmp_path / "libtepal_redis.so")

    def program(name, line):
        (bin / name).write_text("#!/bin/sh\n" + line + "\n")
        (bin / name).chmod(0o755)

    pid = tmp_path / "pid"
    program("redis-server", f'exec {REDIS} --port {port} --bind 127.0.0.1 --save "" --dir {tmp_path} '
                            f'--pidfile {pid} --logfile {tmp_path}/log "$@"')
    program("redis-cli", f'exec {os.environ["TEPAL_REDIS_CLI"]} -p {port} "$@"')
    program("python3", f'exec {sys.executable} "$@"')
    program("tepal", f'exec {os.environ["TEPAL_COMMAND"]} "$@"')
    # The page names the usual port.
    (tmp_path / "sitecustomize.py").write_text(
        "import redis\n"
        "made = redis.Redis.__init__\n"
        f"redis.Redis.__init__ = lambda self, **given: made(self, **{{**given, 'port': {port}}})\n"
    )
    env = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}", "TEPAL_REPO": str(REPO), "PYTHONPATH": str(tmp_path)}
    steps = transcript()
    assert len(steps) > 30
    try:
        for command, expected in steps:
            done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True,
                                  text=True, timeout=60, stdin=subprocess.DEVNULL)
            printed = [line for line in (done.stdout + done.stderr).splitlines() if line]
            if command.startswith("redis-server"):
                wait_for(bin / "redis-cli")
            assert printed == expected, command
    finally:
        if pid.exists():
            subprocess.run(["kill", pid.read_text().strip()], capture_output=True)


def wait_for(cli):
    import time

    for _ in range(200):
        if subprocess.run([cli, "PING"], capture_output=True, text=True).stdout == "PONG\n":
            return
        time.sleep(0.05)
    raise RuntimeError("the server does not answer")
