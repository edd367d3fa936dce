"""`peer-revenue highlight`: terms of texts from standard input, without a database."""

from __future__ import annotations

from pathlib import Path

import click

from web.cli.answering import answer_lines, places


@click.command()
@click.option(
    "--lexicon",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A TOML file of terms; otherwise the one that a site starts with.",
)
@places
def highlight(lexicon: Path | None, workers: int, cluster: str | None) -> None:
    """Find terms: JSON lines in and out.

    Reads {"id", "title", "abstract"} on each line of standard input and writes {"id", "text", "mentions"}:
    the abstract as it is read, and for each mention its start and end (in code points of the text), quote and
    term.
    Lines that cannot be used are named on standard error, and the status is then 1.

    \b
    Example:
        echo '{"id": "1", "title": "", "abstract": "We study federated learning."}' | peer-revenue highlight
        peer-revenue highlight --workers 4 < papers.jsonl > mentions.jsonl
    """
    from nlp.errors import NlpError
    from nlp.lexicon import load_lexicon
    from nlp.process import Highlighting
    from web.cli.seeds import seed

    try:
        recipe = Highlighting(load_lexicon(lexicon or seed("lexicon.toml")))
    except NlpError as error:
        raise click.ClickException(str(error)) from error
    answer_lines(recipe, workers, cluster, one_by_one=True)
