"""The lexicon that the committee lists from papers of the past."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from market.committee import Thresholds, Verdict
from market.reviews import Reviewed, load_review
from market.starting_lexicon import Listed, list_terms
from nlp.candidates import FoundSpan
from nlp.discovery import ReadPaper
from nlp.errors import BadLexicon
from nlp.typeset import typeset

ASKED = Thresholds(papers=3, days=2, most_share=1.0, marked_share=0.5)
FIRST = date(2026, 5, 4)


def papers(*rows: tuple[str, tuple[str, ...]], times: int = 3) -> list[ReadPaper]:
    """Each text on several days, with what was found in it."""
    made = []
    for text, terms in rows:
        reading = typeset(text)
        for number in range(times):
            found = tuple(
                FoundSpan(reading.text.index(term), reading.text.index(term) + len(term), 0.9, "TERM")
                for term in terms
            )
            made.append(ReadPaper(f"{text}{number}", FIRST + timedelta(days=number), reading, found))
    return made


def rules(listed: Listed) -> dict[str, tuple[str, str]]:
    return {key: (each.verdict, each.rule) for key, each in listed.decisions.items()}


def test_what_enough_papers_carry_is_listed_and_every_decision_says_why() -> None:
    many = papers(
        ("We pour tea by diffusion models and call it a method.", ("tea", "diffusion models", "method")),
        ("Kettle noise is heard.", ("Kettle noise",)),
        ("Kettle noise everywhere: kettle noise, kettle noise.", ()),
    )
    rare = papers(("A samovar.", ("samovar",)), times=1)
    listed = list_terms([*many, *rare], thresholds=ASKED)
    assert [term.label for term in listed.terms] == ["diffusion models", "tea"]
    assert rules(listed) == {
        "diffusion model": (Verdict.LIST, "papers"),
        "tea": (Verdict.LIST, "papers"),
        "method": (Verdict.REFUSE, "generic"),
        "kettle noise": (Verdict.REFUSE, "share of mentions found"),
        "samovar": (Verdict.WAIT, "papers"),
    }
    assert listed.decisions["tea"].reason == "3 papers on 3 days; asked for 3 on 2"


def test_a_name_waits_until_other_papers_carry_it() -> None:
    own = papers(("We propose KettleNet.", ("KettleNet",)))
    assert rules(list_terms(own, thresholds=ASKED))["kettlenet"] == (Verdict.WAIT, "coined")
    others = papers(("A study of KettleNet.", ("KettleNet",)))
    assert [term.label for term in list_terms([*own, *others], thresholds=ASKED).terms] == ["KettleNet"]


def test_who_read_the_list_has_the_last_word() -> None:
    found = ("Steering vectors", "activation steering", "Texas")
    some = papers(("Steering vectors and activation steering in Texas.", found))
    reviewed = Reviewed(
        refused={"texas": "a place"},
        labels={"activation steering": "Activation steering"},
        same={"steering vector": "activation steering"},
    )
    listed = list_terms(some, reviewed, ASKED)
    (term,) = listed.terms
    assert (term.label, term.forms) == ("Activation steering", ("Steering vectors",))
    assert rules(listed)["texas"] == (Verdict.REFUSE, "reviewed")


def test_a_review_is_read(tmp_path: Path) -> None:
    path = tmp_path / "review.toml"
    path.write_text(
        '[[refused]]\nreason = "a place"\nterms = ["Texas"]\n'
        '[[term]]\nlabel = "Adam"\nsame = ["Adam optimizers"]\n[[term]]\nlabel = "KettleNet"\n'
    )
    reviewed = load_review(path)
    assert reviewed.refused == {"texas": "a place"}
    assert reviewed.labels == {"adam": "Adam", "kettlenet": "KettleNet"}
    assert reviewed.same == {"adam optimizer": "adam"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[refused]]\nterms = ['x']", "[[refused]] 1 has no reason"),
        ("[[term]]\nlabel = 'x'\nsame = 'y'", "same must be a list of words"),
        ("[[term]]\nlabel = 'x'\nforms = ['y']", "other fields than label and same"),
        ("[[terms]]\n", "only [[refused]] and [[term]] are known, not terms"),
        ("[[term]]\nlabel = 'x'\nsame = ['y']\n[[term]]\nlabel = 'y'", "'y' is the same as 'x'"),
        ("[[term", "Expected ']]'"),
    ],
)
def test_a_bad_review_is_refused_with_what_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "review.toml"
    path.write_text(text)
    with pytest.raises(BadLexicon, match=r"review\.toml") as caught:
        load_review(path)
    assert complaint in str(caught.value)
