"""`peer-revenue model`: the text pipeline's own weights, made and judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from web.cli.progress import Progress

if TYPE_CHECKING:
    from spacy.language import Language

    from nlp.training.annotated import Annotated

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
MEASURED = 1000  # abstracts that speed is measured with, at most


@click.group()
def model() -> None:
    """Train the pipeline that finds terms, and measure it.

    A trained pipeline is part of the package: nobody needs to train one to use Peer Revenue.

    \b
    Example:
        peer-revenue model evaluate --gold gold.jsonl.gz
    """


@model.command()
@click.option("--gold", type=FILE, required=True,
              help='Annotated abstracts: lines of {"id", "title", "abstract", "spans"}.')
@click.option("--corpus", type=FILE, required=True, help='Other abstracts: lines of {"id", "abstract"}.')
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True,
              help="The folder to write, which must not be there or be empty.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Where chance begins.")
def train(gold: Path, corpus: Path, out: Path, seed: int) -> None:
    """Train a pipeline from annotated abstracts and a corpus.

    One annotated abstract of three, by its identifier, is held out and not looked at; `model evaluate` judges
    by these. The project's own annotated abstracts are added to those of --gold. Parts of speech are learnt
    from a larger pipeline, which the extra "train" installs. The same files, seed and versions give the same
    weights. It takes some twenty minutes.

    \b
    Example:
        peer-revenue model train --gold gold.jsonl.gz --corpus corpus.jsonl.gz --out model/
    """
    from nlp.errors import NlpError
    from nlp.training.production import train_from_files
    from nlp.training.recipe import Recipe

    if out.exists() and any(out.iterdir()):
        raise click.ClickException(f"{out}: is there already and not empty")
    try:
        train_from_files(gold, corpus, out, Recipe(seed=seed), Progress())
    except NlpError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"The pipeline is in {out}.")


@model.command()
@click.option("--model", "folder", type=click.Path(path_type=Path, file_okay=False),
              help="Its folder; otherwise the shipped one.")
@click.option("--gold", type=FILE, required=True,
              help='Annotated abstracts: lines of {"id", "title", "abstract", "spans"}.')
@click.option("--on", "part", type=click.Choice(["held-out", "training", "all"]), default="held-out",
              show_default=True, help="Which of them: one in three is held out from training.")
def evaluate(folder: Path | None, gold: Path, part: str) -> None:
    """Measure a pipeline: the spans it finds, its parts of speech, its size and speed.

    A span is right if it begins and ends where a reader's does, in the abstract as it is read.

    \b
    Example:
        peer-revenue model evaluate --gold gold.jsonl.gz
    """
    from nlp.errors import NlpError
    from nlp.pipeline import SHIPPED, load_language
    from nlp.training.annotated import held_apart, read_annotated

    try:
        abstracts = read_annotated(gold)
        seen, kept = held_apart(abstracts)
        chosen = {"held-out": kept, "training": seen, "all": abstracts}[part]
        if not chosen:
            raise click.ClickException(f"{gold}: none of its {len(abstracts)} abstracts is {part}")
        language = load_language(folder or SHIPPED)
    except NlpError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{len(chosen)} abstracts ({part})\n")
    _show_spans(language, chosen)
    _show_rest(folder or SHIPPED, language, chosen)


def _show_spans(language: Language, chosen: Sequence[Annotated]) -> None:
    from nlp.training.evaluation import evaluate as scores_of

    click.echo(f"{'exact spans':12} {'precision':>10} {'recall':>8} {'F1':>8} {'found':>8} {'marked':>8}")
    for name, score in scores_of(language, chosen).items():
        shares = f"{score.precision:10.1%} {score.recall:8.1%} {score.f1:8.1%}"
        click.echo(f"{name:12} {shares} {score.found:8,} {score.marked:8,}")


def _show_rest(folder: Path, language: Language, chosen: Sequence[Annotated]) -> None:
    from nlp.training.measures import cost, pos_agreement
    from nlp.training.teacher import NoTeacher
    from nlp.typeset import typeset

    texts = [typeset(abstract.abstract).text for abstract in chosen][:MEASURED]
    try:
        click.echo(f"\nparts of speech as the teacher's: {pos_agreement(language, texts):.1%} of tokens")
    except NoTeacher as error:
        click.echo(f"\nparts of speech: not measured, {error}")
    it = cost(folder, language, texts)
    click.echo(f"size {it.size / 1e6:.1f} MB, loaded in {it.seconds_to_load:.2f} s once spaCy is there")
    click.echo(f"{it.texts_per_second:,.0f} abstracts/s on one core, at most {it.peak_memory / 1e6:,.0f} MB")
