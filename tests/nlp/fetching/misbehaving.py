"""A real HTTP server on loopback that answers as a test says, badly too, and remembers what it was asked."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

ATOM = "application/atom+xml; charset=utf-8"


@dataclass(frozen=True)
class Asked:
    """One request: its path, its query and its headers, whose names are in small letters."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass(frozen=True)
class Reply:
    """What the server sends.

    `sent` bytes of the body are sent, all if None, while the length of all is announced, and none without
    `has_length`. `is_reset` breaks the connection at once, `is_silent` says nothing while the server lives.
    """

    body: bytes = b""
    status: int = 200
    kind: str | None = ATOM
    headers: dict[str, str] = field(default_factory=dict)
    sent: int | None = None
    has_length: bool = True
    is_reset: bool = False
    is_silent: bool = False


Answering = Callable[[Asked], Reply]


class Server:
    """`address` is where it listens; `asked` what it was asked; `answer` may be exchanged at any time."""

    def __init__(self, answer: Answering) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self._over = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.serve(self)

            def log_message(self, *_arguments: object) -> None: ...

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()

    def answer_in_turn(self, *replies: Reply) -> None:
        """Give these replies one after the other, and the last one from then on."""
        left = list(replies)
        self.answer = lambda _asked: left.pop(0) if len(left) > 1 else left[0]

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        asked = Asked(parts.path, dict(parse_qsl(parts.query)), headers)
        self.asked.append(asked)
        reply = self.answer(asked)
        if reply.is_silent:
            self._over.wait(60)
        elif reply.is_reset:
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()
        else:
            _send(handler, reply)

    def close(self) -> None:
        self._over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def _send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    handler.close_connection = True
    handler.send_response(reply.status)
    if reply.kind is not None:
        handler.send_header("Content-Type", reply.kind)
    if reply.has_length and reply.status != 304:
        handler.send_header("Content-Length", str(len(reply.body)))
    for name, value in reply.headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    try:
        handler.wfile.write(reply.body[: reply.sent])
        handler.wfile.flush()
    except OSError:
        pass  # whoever asked has gone


@contextmanager
def serving(answer: Answering) -> Iterator[Server]:
    """A server while the block runs."""
    server = Server(answer)
    try:
        yield server
    finally:
        server.close()
