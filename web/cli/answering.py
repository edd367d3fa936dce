"""What `highlight` and `terms extract` share: lines of standard input answered, here or by workers."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, TypeVar

import click

from web.cli.ending import READER_GONE
from web.cli.progress import Progress, Step

if TYPE_CHECKING:
    from nlp.process import Place, Recipe

Command = TypeVar("Command", bound=Callable[..., object])


def places(command: Command) -> Command:
    """The options --workers and --cluster."""
    command = click.option(
        "--cluster", metavar="ADDRESS", help="Let the workers of this Dask cluster do it, as tcp://host:8786."
    )(command)
    return click.option(
        "--workers",
        type=click.IntRange(1, 256),
        default=1,
        show_default=True,
        metavar="N",
        help="How many processes of this machine do it; the answers and their order are the same.",
    )(command)


def answer_lines(recipe: Recipe, workers: int, cluster: str | None, *, one_by_one: bool = False) -> None:
    """Answer every line of standard input on standard output, name refused lines on standard error, and end
    the command: with status 1 where a line was refused.

    With ``one_by_one`` a line is answered as soon as it was read, where this process does it alone.
    """
    from nlp.errors import NlpError

    if cluster and workers > 1:
        raise click.UsageError("Give --workers or --cluster, not both.")
    if workers == 1 and not cluster:
        # Nothing has to be put in order when the reader goes away, so do as every filter does.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        with _place(recipe, workers, cluster, one_by_one) as place:
            refused = _write(recipe, place)
    except NlpError as error:
        raise click.ClickException(str(error)) from error
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(READER_GONE)
    sys.exit(1 if refused else 0)


@contextmanager
def _place(recipe: Recipe, workers: int, cluster: str | None, one_by_one: bool) -> Iterator[Place]:
    if workers == 1 and not cluster:
        from nlp.process import Here

        yield Here(1 if one_by_one else None)
        return
    from nlp import executors

    opened = executors.cluster(recipe, cluster) if cluster else executors.processes(recipe, workers)
    with opened as place:
        yield place


def _write(recipe: Recipe, place: Place) -> bool:
    """Whether a line was refused."""
    from nlp.process import answered
    from nlp.records import Refusal

    refused = False
    # A bar would stand between the answers where both go to a terminal.
    steps = nullcontext(Step()) if sys.stdout.isatty() else Progress().step("Lines answered")
    with steps as step:
        for number, answer in enumerate(answered(sys.stdin.buffer, recipe, place, "standard input"), start=1):
            if isinstance(answer, Refusal):
                refused = True
                click.echo(str(answer), err=True)
            else:
                click.echo(answer)
            step.reach(number)
    return refused
