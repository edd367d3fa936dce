"""Progress on standard error: a bar while a step runs on a terminal; a line when it is done, everywhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import click


class Step:
    """A step that is running. `outcome` is what its line says in the end."""

    def __init__(self) -> None:
        self.outcome = ""

    def reach(self, done: int, total: int | None = None) -> None:
        """So many of the step's things are done, of `total` if that is known only now."""

    def shown(self) -> AbstractContextManager[object]:
        """What is on the screen while the step runs."""
        return nullcontext()


class TerminalStep(Step):
    def __init__(self, title: str, total: int | None, *, is_bytes: bool = False) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        super().__init__()
        count = DownloadColumn() if is_bytes else MofNCompleteColumn()
        columns = (TextColumn("{task.description}"), BarColumn(), count, TimeElapsedColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(title, total=total)

    def reach(self, done: int, total: int | None = None) -> None:
        self._bar.update(self._task, completed=done, total=total)

    def shown(self) -> AbstractContextManager[object]:
        return self._bar


class Progress:
    """The steps of a command, one after the other."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()

    @contextmanager
    def step(self, title: str, total: int | None = None, *, is_bytes: bool = False) -> Iterator[Step]:
        """A step of `total` things or bytes (None: nobody knows). At its end a line says its outcome, if it
        was given one, and the seconds it took."""
        began = time.monotonic()
        step = TerminalStep(title, total, is_bytes=is_bytes) if self._is_terminal else Step()
        with step.shown():
            yield step
        if step.outcome:
            click.echo(f"{title}: {step.outcome} ({time.monotonic() - began:.1f} s)", err=True)
