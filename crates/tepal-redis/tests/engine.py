"""A redis-server on loopback with the module, a random port and a folder of its own."""

import ctypes
import os
import random
import signal
import socket
import subprocess
import tempfile
import time

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

REDIS = os.environ["TEPAL_REDIS_SERVER"]
MODULE = os.environ["TEPAL_REDIS_MODULE"]


def die_with_parent():
    """A server ends when the process that started it ends, however that ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def free_port():
    """A port for a server; its cluster uses the one 10,000 above."""
    while True:
        port = random.randrange(20_000, 32_000)
        try:
            for number in [port, port + 10_000]:
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", number))
            return port
        except OSError:
            continue


def client(port):
    """A client that tells an error at once: the usual one waits for seconds and tries again."""
    return redis.Redis(port=port, retry=Retry(NoBackoff(), 0))


class Engine:
    """One server. `args` are the module's arguments, `options` the server's. Without a folder it has
    one of its own until it stops."""

    def __init__(self, folder, *args, **options):
        self.own = None if folder else tempfile.TemporaryDirectory(prefix="tepal-redis-")
        self.folder, self.args, self.port = str(folder or self.own.name), args, free_port()
        self.options = {"save": "", "appendonly": "no", "enable-debug-command": "yes",
                        "repl-diskless-sync-delay": "0", **options}
        self.start()

    def start(self):
        command = [REDIS, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder]
        for name, value in self.options.items():
            command += ["--" + name.replace("_", "-"), *([value] if isinstance(value, str) else value)]
        command += ["--loadmodule", MODULE, *self.args]
        self.log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen(
            command, stdout=self.log, stderr=self.log, preexec_fn=die_with_parent
        )
        self.client = client(self.port)
        for _ in range(600):
            try:
                if self.client.ping():
                    return
            except (redis.ConnectionError, redis.BusyLoadingError):
                if self.process.poll() is not None:
                    raise RuntimeError("the server ended: " + self.tail()) from None
                time.sleep(0.05)
        raise RuntimeError("the server does not answer: " + self.tail())

    def tail(self):
        self.log.flush()
        with open(os.path.join(self.folder, "log"), "rb") as log:
            return log.read()[-3000:].decode(errors="replace")

    def run(self, *command):
        return self.client.execute_command(*command)

    def kill(self):
        """As by kill -9."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()
        self.client.close()
        self.log.close()

    def remove(self):
        """Stops it for good, and removes its own folder."""
        self.stop()
        if self.own:
            self.own.cleanup()

    def restart(self):
        self.stop()
        self.start()

    def is_alive(self):
        return self.process.poll() is None

    def cpu(self):
        """Seconds of processor time of the server so far."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def raw(engine, *command, protocol=2):
    """The bytes of the reply, as the server sends them."""
    with socket.create_connection(("127.0.0.1", engine.port)) as link:
        if protocol == 3:
            link.sendall(b"HELLO 3\r\n")
            link.sendall(b"PING\r\n")
            received = b""
            while not received.endswith(b"+PONG\r\n"):
                received += link.recv(65536)
        parts = [part if isinstance(part, bytes) else str(part).encode() for part in command]
        link.sendall(b"*%d\r\n" % len(parts))
        for part in parts:
            link.sendall(b"$%d\r\n%s\r\n" % (len(part), part))
        link.sendall(b"PING end-of-reply\r\n")
        received, end = b"", b"$12\r\nend-of-reply\r\n"
        while not received.endswith(end):
            piece = link.recv(65536)
            if not piece:
                raise ConnectionError("the server closed the connection: " + engine.tail())
            received += piece
        return received[: -len(end)]
