"""`peer-revenue model rank` and `reliability`: the order of what a pipeline finds; whether scores hold."""

from __future__ import annotations

from pathlib import Path

import click

from web.cli.model import FILE, model
from web.cli.progress import Progress

__all__ = ["model", "rank", "reliability"]

FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@model.command()
@click.option("--model", "folder", type=FOLDER, required=True, help="The folder of a trained pipeline.")
@click.option("--gold", type=FILE, required=True, help="The annotated abstracts that it was trained with.")
@click.option("--corpus", type=FILE, required=True, help='Papers: lines of {"id", "title", "abstract"}.')
@click.option("--wide", type=FILE, required=True,
              help='Texts with phrases after another guide: lines of {"id", "title", "abstract", "gold"}.')
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Where chance begins.")
def rank(folder: Path, gold: Path, corpus: Path, wide: Path, seed: int) -> None:
    """Train the ranker of a pipeline, after `model train`, and put it into its folder.

    Held-out abstracts are not looked at. It needs the extra "train" and takes some ten minutes.

    \b
    Example:
        peer-revenue model rank --model model/ --gold gold.jsonl.gz --corpus corpus.jsonl.gz \\
            --wide scirex.jsonl.gz
    """
    from nlp.errors import NlpError
    from nlp.training.ranking_files import rank_from_files

    try:
        rank_from_files(folder, gold, corpus, wide, seed, Progress())
    except NlpError as error:
        raise click.ClickException(str(error)) from error
    except ImportError as error:
        raise click.ClickException(f"{error}: pip install 'peer-revenue[train]'") from error
    click.echo(f"The ranker is in {folder / 'ranker'}.")


@model.command()
@click.option("--model", "folder", type=FOLDER, help="Its folder; otherwise the shipped one.")
@click.option("--gold", type=FILE, required=True,
              help='Annotated abstracts: lines of {"id", "title", "abstract", "spans"}.')
def reliability(folder: Path | None, gold: Path) -> None:
    """Show how many of the extracted terms are right among those of like scores, on held-out abstracts.

    \b
    Example:
        peer-revenue model reliability --gold gold.jsonl.gz
    """
    from nlp.errors import NlpError
    from nlp.extract import extract_many
    from nlp.pipeline import SHIPPED, load_language
    from nlp.ranker import load_ranker
    from nlp.training import reliability as measures
    from nlp.training.annotated import held_apart, read_annotated
    from nlp.training.ranking import papers_of, strings_of

    try:
        _, kept = held_apart(read_annotated(gold))
        if not kept:
            raise click.ClickException(f"{gold}: none of its abstracts is held out")
        language, ranker = load_language(folder or SHIPPED), load_ranker(folder or SHIPPED)
    except NlpError as error:
        raise click.ClickException(str(error)) from error
    found = extract_many(language, ranker, papers_of((row.title, row.abstract) for row in kept))
    bins = measures.reliability(zip(found, map(strings_of, kept), strict=True))
    click.echo(f"{len(kept)} abstracts (held-out)\n\n{measures.reliability_table(bins)}")
