"""`peer-revenue terms discover`: the lexicon that a corpus of papers brings, and why each term is in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from web.cli.progress import Progress

if TYPE_CHECKING:
    from market.starting_lexicon import Listed
    from nlp.discovery import ReadPaper
    from nlp.lexicon import LexiconTerm

HEAD = """\
# Terms that a new site starts with: what the committee lists from the papers of {first} to {last}
# ({papers:,} papers), read through by eye. Made by `peer-revenue terms discover`; what was decided by hand
# stands in the file that --review names.
#
#   label          what people read; also a surface form
#   forms          other wordings of the same thing. Plurals, British and American spelling, hyphens or
#                  blanks, and capitals are varied by the program and are not listed
#   abbreviations  short forms that mean this wherever they stand, unless the text introduces them otherwise
#   bound          short forms with several meanings ("DP"): they count only in a text that introduces them
#                  with a long form of this term, as in "differential privacy (DP)"
#
# A word with a capital after its first letter, and a form that is one capitalised word, is matched in exactly
# this spelling (also with a plural s): "LoRA", "Mamba". All other words match in any case. Two terms may not
# share a form.
"""


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True,
              help="Where the lexicon is written, as TOML.")
@click.option("--review", "review_file", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="A TOML file of what somebody who read the list refused, joined and renamed.")
@click.option("--decisions", type=click.Path(path_type=Path, dir_okay=False),
              help="Write every decision here, one JSON object a line: key, label, verdict, rule, reason.")
def discover(file: Path, out: Path, review_file: Path | None, decisions: Path | None) -> None:
    """Find the terms of a corpus and let the committee decide which of them are listed.

    FILE holds JSON lines {"id", "date", "title", "authors", "abstract", "categories"}, plain or packed. The
    same file, model and review give the same lexicon. A line that cannot be used is named on standard error,
    and nothing is written then.

    \b
    Example:
        peer-revenue terms discover papers.jsonl.gz --review seeds/review.toml --out seeds/lexicon.toml
    """
    from market.reviews import NOT_REVIEWED, load_review
    from market.starting_lexicon import list_terms
    from nlp.errors import NlpError
    from nlp.lexicon import lexicon_from_entries

    progress = Progress()
    try:
        review = load_review(review_file) if review_file else NOT_REVIEWED
        papers = _read(file, progress)
        with progress.step("Deciding") as step:
            listed = list_terms(papers, review)
            lexicon_from_entries(listed.terms, str(out))
            step.outcome = f"{len(listed.terms):,} terms of {len(listed.decisions):,} that were found"
    except NlpError as error:
        raise click.ClickException(str(error)) from error
    days = [paper.day for paper in papers]
    head = HEAD.format(first=f"{min(days)}", last=f"{max(days)}", papers=len(papers))
    out.write_text(head + "".join(map(_entry, listed.terms)), encoding="utf-8", newline="\n")
    if decisions:
        decisions.write_text("".join(_decisions(listed)), encoding="utf-8", newline="\n")


def _read(file: Path, progress: Progress) -> list[ReadPaper]:
    from nlp.discovery import read_papers
    from nlp.pipeline import load_language
    from nlp.records import RawPaper, Refusal
    from nlp.sources import read_source

    with file.open("rb") as stream:
        items = list(read_source(stream, str(file), source="json-lines"))
    refused = [str(item) for item in items if isinstance(item, Refusal)]
    raw = [item for item in items if isinstance(item, RawPaper) and item.day is not None]
    if refused or not raw:
        raise click.ClickException("\n".join(refused) or f"{file}: no paper with a day is in it")
    papers = []
    with progress.step("Reading", len(raw)) as step:
        for paper in read_papers(load_language(), raw):
            papers.append(paper)
            step.reach(len(papers))
        step.outcome = f"{len(papers):,} papers"
    return papers


def _entry(term: LexiconTerm) -> str:
    lines = ["", "[[term]]", f"label = {_toml(term.label)}"]
    for field in ("forms", "abbreviations", "bound"):
        if values := getattr(term, field):
            lines.append(f"{field} = [{', '.join(map(_toml, values))}]")
    return "\n".join(lines) + "\n"


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a basic string of TOML is one of JSON


def _decisions(listed: Listed) -> Iterator[str]:
    for key in sorted(listed.decisions):
        decision = listed.decisions[key]
        row = {"key": key, "verdict": decision.verdict, "rule": decision.rule, "reason": decision.reason}
        yield json.dumps(row, ensure_ascii=False) + "\n"
