"""Servers for tests: one inside the test's process, and real ones that can be killed."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from typing import Any, Self, TypeVar

import httpx
import uvicorn
from tests.web.forms import Form, Page

from skyjo.cli.serve import bound
from skyjo.web.app import Application

T = TypeVar("T")

#: Seconds that anything may take; only ever waited for when something is wrong.
PATIENCE = 60.0


def wait_for(found: Callable[[], T | None], what: str, within: float = PATIENCE) -> T:
    """Ask again until there is an answer."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        answer = found()
        if answer:
            return answer
        time.sleep(0.02)
    raise AssertionError(f"waited {within} s in vain for {what}")


@contextmanager
def in_thread(app: Application, *, send_buffer: int = 0) -> Iterator[str]:
    """Serve an application from a thread; its address without the last slash.

    With ``send_buffer`` the system takes no more than about so many bytes of an answer in advance.
    """
    listener = bound("127.0.0.1", 0)
    if send_buffer:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        lifespan="on",
        timeout_graceful_shutdown=2,
        ws_max_size=app.state.site.settings.socket_message_limit,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        wait_for(lambda: server.started or not thread.is_alive(), "the server in a thread")
        assert server.started
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        app.state.site.closing.set()
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


class Person:
    """A browser without scripts: one cookie jar, one seat or several."""

    def __init__(self, url: str, **headers: str) -> None:
        self.url = url
        self.http = httpx.Client(
            base_url=url,
            headers={"origin": url, "accept-language": "en", **headers},
            timeout=PATIENCE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.http.get(path, headers=headers, follow_redirects=True)

    def page(self, path: str) -> Page:
        answer = self.get(path)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return Page(answer.text)

    def post(
        self, path: str, fields: dict[str, Any] | None = None, **headers: str
    ) -> httpx.Response:
        """Send a form, and stay with its answer."""
        return self.http.post(path, data=fields or {}, headers=headers)

    def send(self, path: str, fields: dict[str, Any] | None = None) -> httpx.Response:
        """Send a form, and follow where it leads."""
        return self.http.post(path, data=fields or {}, follow_redirects=True)

    def press(self, form: Form, value: str = "", **fields: Any) -> httpx.Response:
        """Send a form as it stands, by the button of this value."""
        data = {**form.fields, **fields}
        for name, own, _label in form.buttons:
            if name and own == value:
                data[name] = value
        return self.send(form.action, data)

    def play(self, count: int = 1, bot: str = "greedy", **fields: Any) -> str:
        """A game against bots; the table's path."""
        answer = self.post("/play", {"count": count, "bot": bot, **fields})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def make(self, name: str = "Ana") -> str:
        """A new table; its path."""
        answer = self.post("/tables", {"name": name})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def join(self, path: str, name: str) -> None:
        """Sit down at a table."""
        answer = self.post(f"{path}/join", {"name": name})
        assert answer.status_code == 303, answer.text

    def version(self, path: str) -> int:
        """The version that the table's page shows."""
        found = re.search(r'data-version="(\d+)"', self.get(path).text)
        assert found
        return int(found[1])


class Process:
    """``skyjo serve`` as a process of its own."""

    def __init__(self, data: Path, *arguments: str, **environment: str) -> None:
        self.data = data
        command = [sys.executable, "-m", "skyjo", "serve", "--data", str(data), *arguments]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            env={**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": "en", "PYTHONUNBUFFERED": "1",
                 "PYTHONIOENCODING": "utf-8", **environment},
        )  # fmt: skip
        self.lines: list[str] = []
        self._queue: Queue[str | None] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._queue.put(line.rstrip("\n"))
        self._queue.put(None)

    @property
    def output(self) -> str:
        """Everything that it has said so far."""
        while True:
            try:
                line = self._queue.get_nowait()
            except Empty:
                return "\n".join(self.lines)
            if line is not None:
                self.lines.append(line)

    @property
    def url(self) -> str:
        """The address on this computer, as soon as it has been printed."""
        ports = wait_for(
            lambda: self._runs() and re.findall(r"http://[^\s/]+:(\d+)/", self.output), "an address"
        )
        assert isinstance(ports, list)
        return f"http://127.0.0.1:{ports[0]}"

    def _runs(self) -> bool:
        if self.process.poll() is not None:
            time.sleep(0.2)
            raise AssertionError(f"the server has ended: {self.output}")
        return True

    def ready(self) -> str:
        """The address, once it answers."""
        url = self.url
        wait_for(lambda: self._runs() and answers(url), f"an answer from {url}")
        return url

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self, number: int = signal.SIGINT) -> int:
        """End it as its user would; the exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()
        self._reader.join(PATIENCE)
        if self.process.stdout and not self._reader.is_alive():
            self.process.stdout.close()


def answers(url: str) -> bool:
    """Whether a server answers there."""
    try:
        return httpx.get(f"{url}/robots.txt", timeout=PATIENCE).status_code == 200
    except httpx.HTTPError:
        return False


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
