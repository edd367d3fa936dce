"""The reason and the name that go with what an operator does."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def remark_options(why: str, *, is_required: bool = True) -> Callable[[Command], Command]:
    """The options --reason, which ``why`` explains, and --by, given to the command as `reason` and
    `operator`; the reason is None where it is not required and not given."""

    def with_options(command: Command) -> Command:
        command = click.option(
            "--by",
            "operator",
            metavar="NAME",
            default=_account,
            show_default="your account on this machine",
            help="Who does it.",
        )(command)
        return click.option("--reason", metavar="TEXT", required=is_required, help=why)(command)

    return with_options


def _account() -> str:
    """What the system calls whoever runs the command."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as in some containers
        raise click.BadParameter("this account has no name; say yours", param_hint="--by") from None
