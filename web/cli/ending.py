"""How a command ends when it is interrupted or its reader has gone: quietly, with the status of a filter."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

INTERRUPTED = 128 + 2  # what a shell reports for a program that SIGINT ended
READER_GONE = 128 + 13  # the same for SIGPIPE


class Commands(click.Group):
    """A group whose commands end as filters and daemons do."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order in which one needs them, not of the alphabet

    def invoke(self, ctx: click.Context) -> Any:
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()  # now, while a reader that has gone can still be dealt with
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            # Python flushes once more on its way out; let that go nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(READER_GONE)
