"""The database of a command: which one, brought up to date, and what to do when it cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from web import DEFAULT_DATABASE

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.engine import URL

Command = TypeVar("Command", bound=Callable[..., Any])


def database_option(command: Command) -> Command:
    """The option --database, given to the command as `database`."""
    return click.option(
        "--database",
        metavar="URL",
        envvar="DATABASE_URL",
        default=DEFAULT_DATABASE,
        show_default=True,
        show_envvar=True,
        help="sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME.",
    )(command)


@contextmanager
def opened(database: str, *, create: bool = True) -> Iterator[Engine]:
    """An engine on the database, migrations made; what any layer refuses becomes a message and status 1.

    Without `create`, a SQLite file that is not there is refused instead of made.
    """
    from alembic.util import CommandError
    from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError

    from market.db import engine_for, upgrade
    from market.errors import MarketError
    from nlp.errors import NlpError

    try:
        engine = engine_for(database)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError):
        raise click.ClickException(
            f"{database!r} is no database that can be used. Write sqlite:///FILE or "
            f"postgresql://USER:PASSWORD@HOST/NAME, in --database or DATABASE_URL."
        ) from None
    _prepare_file(engine.url, create)
    try:
        upgrade(engine)
        yield engine
    except (MarketError, NlpError) as error:
        raise click.ClickException(str(error)) from error
    except CommandError as error:
        raise click.ClickException(
            f"The tables in {_shown(engine.url)} are not of this version of Peer Revenue ({error}). "
            f"Update the program, or name another database."
        ) from error
    except DatabaseError as error:
        raise click.ClickException(
            f"The database {_shown(engine.url)} cannot be used: {_reason(error.orig)}. Check that it is "
            f"there, that you may write to it, and what --database or DATABASE_URL says."
        ) from error
    finally:
        engine.dispose()


def _prepare_file(url: URL, create: bool) -> None:
    """The folder of a SQLite file; the file itself is made when it is opened."""
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return
    path = Path(url.database)
    if not create and not path.exists():
        raise click.ClickException(
            f"There is no database {path}. Name another with --database or DATABASE_URL."
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(f"The folder {path.parent} cannot be made: {error.strerror}.") from None


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)


def _reason(error: BaseException | None) -> str:
    return str(error).strip().splitlines()[0] if error and str(error).strip() else "no reason given"
