"""A port to listen on, and the server that answers there until it is told to stop."""

from __future__ import annotations

import errno
import logging
import signal
import socket
import sys
from types import FrameType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from flask import Flask

    from web.config import Settings

PORTS_TRIED = 20
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def listen(host: str, port: int, *, or_next: bool) -> socket.socket:
    """A socket bound to the port; with `or_next`, to the next free one when it is taken.

    Bound here and handed to the server, so that nobody else can take it in between.
    """
    last = min(port + PORTS_TRIED, 65536) if or_next and port else port + 1
    for candidate in range(port, last):
        try:
            return _bound(host, candidate)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                reason = error.strerror or error
                raise click.ClickException(f"Cannot listen on {host}:{candidate}: {reason}.") from None
    if or_next:
        raise click.ClickException(f"The ports {port} to {last - 1} are all taken; name a free one: --port")
    raise click.ClickException(
        f"Port {port} is taken by another program. Stop that one, or name another port: --port {port + 1}"
    )


def address(bound: socket.socket) -> str:
    """What to open in a browser on this machine."""
    host, port = bound.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"


def say_who_is_answered(host: str, settings: Settings) -> None:
    """Say so when the server listens to other machines and would answer none of them."""
    from web.config import LOCAL_HOSTS

    if host not in LOOPBACK and settings.trusted_hosts == LOCAL_HOSTS:
        click.echo(
            "Only requests to localhost are answered. Name the hosts that others ask for: "
            "PEER_REVENUE_TRUSTED_HOSTS=papers.example.org,localhost",
            err=True,
        )


def serve_until_stopped(app: Flask, bound: socket.socket, threads: int = 8) -> None:
    """Answer requests until Ctrl-C or SIGTERM; requests that are being answered are finished."""
    from waitress.server import create_server  # type: ignore[import-untyped]

    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a request that waits is no warning
    server = create_server(app, sockets=[bound], threads=threads, ident=None)
    signal.signal(signal.SIGTERM, _stop)
    click.echo(address(bound))
    sys.stdout.flush()
    server.run()  # ends by itself on KeyboardInterrupt and SystemExit


def _bound(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, where = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(where)
        bound.listen()  # a port that is only bound can be bound twice
    except OSError:
        bound.close()
        raise
    return bound


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
