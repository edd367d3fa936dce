"""The settings that a command runs with; bad ones become a message and status 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from web.config import Settings


def settings(**values: object) -> Settings:
    """The settings of the environment, with `values` going first."""
    from web.config import BadSettings, load_settings

    try:
        return load_settings(**values)
    except BadSettings as error:
        raise click.ClickException(str(error)) from None
