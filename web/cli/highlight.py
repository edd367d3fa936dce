"""`peer-revenue highlight`: terms of texts from standard input, without a database."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import click


@click.command()
@click.option(
    "--lexicon",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A TOML file of terms; otherwise the starter lexicon of machine learning.",
)
def highlight(lexicon: Path | None) -> None:
    """Find terms: JSON lines in and out.

    Reads {"id", "title", "abstract"} on each line of standard input and writes {"id", "text", "mentions"}:
    the abstract as it is read, and for each mention its start and end (in code points of the text), quote and
    term.
    Lines that cannot be used are named on standard error, and the status is then 1.

    \b
    Example:
        echo '{"id": "1", "title": "", "abstract": "We study federated learning."}' | peer-revenue highlight
    """
    from nlp.errors import NlpError
    from nlp.lexicon import load_lexicon
    from nlp.process import highlight_records
    from nlp.records import Refusal
    from web.cli.seeds import seed

    # Nothing has to be put in order when the reader goes away, so do as every filter does.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        terms = load_lexicon(lexicon or seed("lexicon.toml"))
    except NlpError as error:
        raise click.ClickException(str(error)) from error
    refused = False
    for answer in highlight_records(sys.stdin.buffer, terms, "standard input"):
        if isinstance(answer, Refusal):
            refused = True
            click.echo(str(answer), err=True)
        else:
            click.echo(json.dumps(answer, ensure_ascii=False))
    sys.exit(1 if refused else 0)
