"""`peer-revenue demo`: everything at once, on the seed documents."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from web.cli.database import opened
from web.cli.progress import Progress

if TYPE_CHECKING:
    from web.config import Settings

PORT = 8000


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help=f"Otherwise {PORT}, or the next free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--no-robots", is_flag=True, help="Leave the simulated traders out.")
@click.option("--reset", is_flag=True, help="Start over; accounts, trades and watches are lost.")
@click.option("--no-serve", is_flag=True, help="Build only; serve nothing.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default="instance",
    show_default=True,
    envvar="PEER_REVENUE_INSTANCE",
    show_envvar=True,
    help="The folder that everything is kept in.",
)
def demo(port: int | None, host: str, no_robots: bool, reset: bool, no_serve: bool, data: Path) -> None:
    """Open a demonstration on three documents.

    Reads the seed documents, lets simulated traders trade, and serves the pages. The clock stands still on
    the evening of 17 May 2026, the last seed day. Sign up on the page with any name. A second run builds
    nothing again, and your account is still there.

    \b
    Example:
        peer-revenue demo
        peer-revenue demo --port 9000 --no-robots
    """
    from web.cli.serving import listen, say_who_is_answered, serve_until_stopped

    bound = None if no_serve else listen(host, PORT if port is None else port, or_next=port is None)
    file = data / "demo.sqlite"
    if reset:
        _remove(file)
    _build(file, with_robots=not no_robots)
    if bound is None:
        return
    from web import create_app

    if port is None and bound.getsockname()[1] != PORT:
        click.echo(f"Port {PORT} is taken, so this is another one.", err=True)
    chosen = _settings(data, file)
    say_who_is_answered(host, chosen)
    click.echo("Ctrl-C stops it. Open:", err=True)
    serve_until_stopped(create_app(chosen), bound)


def _build(file: Path, *, with_robots: bool) -> None:
    from market.demonstration import build
    from web.cli.seeds import seed

    began = time.monotonic()
    try:
        with opened(f"sqlite:///{file}") as engine:
            build(engine, seed("manifest.toml").parent, Progress(), with_robots=with_robots)
    except click.ClickException as error:
        raise click.ClickException(f"{error.message} To start over: peer-revenue demo --reset") from None
    click.echo(f"The demonstration is in {file} ({time.monotonic() - began:.1f} s).", err=True)


def _settings(data: Path, file: Path) -> Settings:
    from market.demonstration import CLOCK
    from web.cli.settings import settings

    return settings(database_url=f"sqlite:///{file}", market_clock=CLOCK, instance_folder=data)


def _remove(file: Path) -> None:
    for path in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
        path.unlink(missing_ok=True)
