"""`peer-revenue terms extract`: the terms of texts from standard input, without a database or a lexicon."""

from __future__ import annotations

from pathlib import Path

import click

from web.cli.answering import answer_lines, places


@click.command()
@click.option(
    "--model",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder with a model of your own; otherwise the one that comes with this program.",
)
@places
def extract(model: Path | None, workers: int, cluster: str | None) -> None:
    """Extract the terms of papers that nobody has listed: JSON lines in and out.

    Reads {"id", "title", "abstract"} on each line of standard input and writes {"id", "terms", "scores"}: the
    terms as they stand in the text, best first, and for each how likely it is to be one. Of the terms that
    are given 0.8 about 80 % are.
    Lines that cannot be used are named on standard error, and the status is then 1. 64 lines are read at a
    time.

    \b
    Example:
        peer-revenue terms extract --workers 2 < papers.jsonl > terms.jsonl
    """
    from nlp.extracting import Extracting
    from nlp.pipeline import SHIPPED

    answer_lines(Extracting(model.absolute() if model else SHIPPED), workers, cluster)
