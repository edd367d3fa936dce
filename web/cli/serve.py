"""`peer-revenue serve`: the pages."""

from __future__ import annotations

import click

from web.cli.database import database_option, opened


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; 0.0.0.0: everywhere.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free.")
@database_option
def serve(host: str, port: int, database: str) -> None:
    """Serve the pages until Ctrl-C.

    Behind HTTPS set PEER_REVENUE_PRODUCTION=true and SECRET_KEY; README.md has all settings.

    \b
    Example:
        peer-revenue serve --port 9000
    """
    from web import create_app
    from web.cli.serving import listen, say_who_is_answered, serve_until_stopped
    from web.cli.settings import settings

    bound = listen(host, port, or_next=False)
    with opened(database):
        pass  # the tables are made or brought up to date before the first request
    chosen = settings(database_url=database)
    say_who_is_answered(host, chosen)
    serve_until_stopped(create_app(chosen), bound)
