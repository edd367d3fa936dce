"""`peer-revenue backtest`: forecasts and trend scores measured on papers of the past."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from web.cli.progress import Progress

if TYPE_CHECKING:
    from market.backtest.panel import Panel
    from nlp.lexicon import Lexicon
    from nlp.records import RawPaper, Refusal

GZIP = b"\x1f\x8b"


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--board", default="cs.LG", show_default=True, metavar="CODE",
              help="The papers that count: those with this category.")
@click.option("--lexicon", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="A TOML file of terms; otherwise the one that a site starts with.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def backtest(file: Path, board: str, lexicon: Path | None, as_json: bool) -> None:
    """Measure forecasts and trend scores on a corpus.

    FILE holds JSON lines {"id", "date", "title", "authors", "abstract", "categories"}, plain or as .gz. Terms
    are found in the abstracts as they are for the pages. Every whole week is forecast from the weeks before
    it; every day with enough before and after it is searched for what is rising; each beside plainer
    methods. Nothing is stored, and the same file gives the same figures.

    A line that cannot be used is named on standard error, the others count, and the status is then 1.

    \b
    Example:
        peer-revenue backtest papers.jsonl.gz --board cs.LG
    """
    from market.backtest import report
    from market.backtest.panel import TooFewPapers
    from nlp.errors import NlpError
    from nlp.lexicon import load_lexicon
    from web.cli.seeds import seed

    refusals: list[Refusal] = []
    progress = Progress()
    try:
        terms = load_lexicon(lexicon or seed("lexicon.toml"))
        panel = _panel(file, terms, board, refusals, progress)
    except NlpError as error:
        raise click.ClickException(str(error)) from error
    except TooFewPapers as error:
        raise click.ClickException(f"{file}: {error}") from error
    with progress.step("Scoring days") as step:
        found = report.backtest(panel, board, step.reach)
        step.outcome = f"{len(panel.listed)} days"
    for refusal in refusals:
        click.echo(str(refusal), err=True)
    click.echo(json.dumps(report.as_json(found), indent=2) if as_json else report.as_text(found))
    sys.exit(1 if refusals else 0)


def _panel(file: Path, terms: Lexicon, board: str, refusals: list[Refusal], progress: Progress) -> Panel:
    from market.backtest.panel import count_papers

    data = _bytes(file)
    with progress.step("Finding terms", data.count(b"\n")) as step:
        papers = _papers(data, file, refusals)
        panel = count_papers(papers, terms, board, step.reach)
        step.outcome = f"{int(panel.listed.sum()):,} papers of {board}"
    return panel


def _papers(data: bytes, file: Path, refusals: list[Refusal]) -> Iterator[RawPaper]:
    from nlp.records import Refusal
    from nlp.sources import read_source

    for item in read_source(data, str(file), source="json-lines"):
        if isinstance(item, Refusal):
            refusals.append(item)
        else:
            yield item


def _bytes(file: Path) -> bytes:
    """What is in the file, unpacked."""
    try:
        data = file.read_bytes()
        return gzip.decompress(data) if data.startswith(GZIP) else data
    except (OSError, EOFError, zlib.error) as error:
        raise click.ClickException(f"{file}: {getattr(error, 'strerror', None) or error}") from error
