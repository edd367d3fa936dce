"""The lexicon that a new site starts with: what the committee lists from papers of the past, and why.

Pure: papers with the spans found in them go in, terms and decisions come out. Somebody who has read the list
says what is refused, joined and renamed (`reviews`); that word stands above the committee's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from market.committee import THRESHOLDS, Candidate, Decision, Thresholds, Verdict, judge
from market.reviews import NOT_REVIEWED, Reviewed
from nlp.discovery import ReadPaper, Tally, introduced, marked_shares, tally
from nlp.generic_words import is_generic
from nlp.lexicon import Lexicon, LexiconTerm, compile_matcher
from nlp.normalize import slug, term_key
from nlp.same_terms import Gathered, gather, label_of

ROUNDS = 2  # a term that goes leaves its places to the terms within it, whose share is then another


@dataclass(frozen=True, slots=True)
class Listed:
    """The terms, by key, and the decision about each key that enough papers carry."""

    terms: tuple[LexiconTerm, ...]
    decisions: Mapping[str, Decision]


def list_terms(
    papers: Sequence[ReadPaper],
    reviewed: Reviewed = NOT_REVIEWED,
    thresholds: Thresholds = THRESHOLDS,
) -> Listed:
    """What the committee lists from these papers."""
    tallies = tally(papers)
    days = len({paper.day for paper in papers})
    candidates = {key: _candidate(key, each, len(papers), days) for key, each in tallies.items()}
    decisions = {key: _reviewed(key, judge(each, thresholds), reviewed) for key, each in candidates.items()}
    kept = {key: tallies[key] for key, each in decisions.items() if each.verdict is Verdict.LIST}
    gathered = [_renamed(each, reviewed.labels) for each in gather(kept, introduced(papers), reviewed.same)]
    for _ in range(ROUNDS):
        lexicon = Lexicon(tuple(each.term for each in gathered), "")
        shares = marked_shares(papers, compile_matcher(lexicon))
        for each in gathered:
            share = _share(shares.get(each.term.key))
            decision = judge(replace(candidates[each.keys[0]], marked_share=share), thresholds)
            decisions[each.keys[0]] = decision
        gathered = [each for each in gathered if decisions[each.keys[0]].verdict is Verdict.LIST]
    terms = sorted((each.term for each in gathered), key=lambda term: term.key)
    return Listed(tuple(terms), decisions)


def _candidate(key: str, counted: Tally, listed: int, days: int) -> Candidate:
    return Candidate(
        key=key,
        label=label_of(counted.surfaces),
        paper_count=counted.papers,
        day_count=len(counted.days),
        listed_count=listed,
        days_looked=days,
        score=counted.score,
        coined_count=counted.coined,
        is_generic=is_generic(key),
    )


def _reviewed(key: str, decision: Decision, reviewed: Reviewed) -> Decision:
    if decision.verdict is Verdict.LIST and key in reviewed.refused:
        return Decision(Verdict.REFUSE, "reviewed", reviewed.refused[key])
    return decision


def _renamed(each: Gathered, labels: Mapping[str, str]) -> Gathered:
    label = labels.get(each.keys[0])
    if label is None:
        return each
    term = each.term
    key = term_key(label)
    return replace(each, term=replace(term, key=key, slug=slug(key), label=label))


def _share(counted: tuple[int, int] | None) -> float:
    """The share of a term's mentions that were found; one whose every place is another's has none."""
    return counted[0] / counted[1] if counted else 0.0
