"""A running ``muniment serve`` for tests of its pages and sockets."""

import contextlib
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx


class Server:
    """A running ``muniment serve`` on a port of its own."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.clients: list[httpx.Client] = []
        self.process = self.start()
        self.link = self.url = ""
        assert self.process.stdout is not None
        while not self.link:
            line = self.process.stdout.readline()
            assert line, "the server ended"
            found = re.search(r"(http://[\w.:]+)(/enter/\S+)", line)
            if found:
                self.url, self.link = found[1], found[0]

    def start(self, port: str = "0") -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "bootstrap.cli", "serve", "--data", str(self.data), "--port", port]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        for client in self.clients:
            client.close()
        self.process.send_signal(how)
        self.process.communicate(timeout=30)

    def again(self) -> None:
        """Start on the same port, and wait until it answers."""
        self.process = self.start(self.url.rsplit(":", 1)[1])
        for _ in range(200):
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"{self.url}/healthz").status_code == 200:
                    return
            self.process.poll()
            assert self.process.returncode is None

    def pair(self, *more: str) -> str:
        command = [sys.executable, "-m", "bootstrap.cli", "pair", "--data", str(self.data), *more]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.strip()

    def client(self) -> httpx.Client:
        """Return a client that sends forms as our own pages do; ``stop`` closes it."""
        self.clients.append(httpx.Client(base_url=self.url, headers={"Origin": self.url}))
        return self.clients[-1]

    def enter(self) -> httpx.Client:
        """Return a client that the one-time link let in."""
        client = self.client()
        assert client.post(self.link).status_code == 303
        return client
