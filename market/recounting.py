"""A settlement counted again from the papers' texts, and what differs from its statement. Pure.

The lexicon that the statement froze is compiled once more and every text is read with it, so nothing of what
was stored at the time is believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from market.statement_documents import ListedPaper, Statement, TermForms, faults_of
from nlp.highlight import HIGHLIGHTER_VERSION, find_mentions
from nlp.lexicon import Lexicon, LexiconTerm, compile_matcher
from nlp.matcher import Matcher
from nlp.records import ReadingText
from nlp.typeset import TYPESETTER_VERSION, text_hash


@dataclass(frozen=True, slots=True)
class PaperText:
    """A paper of the board on one of the period's days, and the reading text of its abstract."""

    identifier: str
    day: date
    reading: ReadingText


@dataclass(frozen=True, slots=True)
class Difference:
    """A paper that the statement counts and the texts do not, or the other way round, and why."""

    identifier: str
    is_in_statement: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Recounted:
    """``papers`` carry the term by their texts; ``faults`` are what in the statement contradicts itself, and
    ``notes`` what has changed since without changing the count."""

    papers: tuple[str, ...]
    differences: tuple[Difference, ...]
    faults: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def is_equal(self) -> bool:
        """Whether the count comes out as the statement says."""
        return not self.differences and not self.faults


def recount(
    statement: Statement, texts: Iterable[PaperText], lexicon: Iterable[TermForms] | None = None
) -> Recounted:
    """Count again. ``texts`` are of all papers that the board lists in the period; they are read one by one.

    ``lexicon`` stands in for that of a statement that has none of its own.
    """
    frozen = statement.lexicon if statement.lexicon is not None else tuple(lexicon or ())
    matcher = matcher_of(frozen)
    hashes: dict[str, str] = {}
    carrying = []
    for text in texts:
        hashes[text.identifier] = text_hash(text.reading.text)
        if carries(text.reading, matcher, statement.term_key):
            carrying.append(text.identifier)
    listed = {paper.identifier: paper for paper in statement.listed or ()}
    found, stated = set(carrying), set(statement.papers)
    differences = [Difference(each, True, _gone(each, hashes, listed)) for each in stated - found]
    differences += [
        Difference(each, False, _come(each, hashes, listed, statement)) for each in found - stated
    ]
    differences.sort(key=lambda each: each.identifier)
    return Recounted(
        tuple(sorted(carrying)),
        tuple(differences),
        faults_of(statement),
        tuple(_notes(statement, hashes, listed, found ^ stated)),
    )


def matcher_of(lexicon: Iterable[TermForms]) -> Matcher:
    """The matcher of a frozen lexicon; its terms' order says who has a form that two claim."""
    terms = tuple(LexiconTerm(term.key, "", term.forms[0], term.forms[1:]) for term in lexicon)
    return compile_matcher(Lexicon(terms, ""))


def carries(reading: ReadingText, matcher: Matcher, term_key: str) -> bool:
    """Whether the text carries the term."""
    return any(mention.term == term_key for mention in find_mentions(reading, matcher))


def _gone(identifier: str, hashes: Mapping[str, str], listed: Mapping[str, ListedPaper]) -> str:
    if identifier not in hashes:
        return "does not stand on the board in this period any more"
    if _is_replaced(identifier, hashes, listed):
        return "its text was replaced since and does not carry the term"
    return "its text does not carry the term"


def _come(
    identifier: str, hashes: Mapping[str, str], listed: Mapping[str, ListedPaper], statement: Statement
) -> str:
    if statement.listed is not None and identifier not in listed:
        return "was listed in this period after the settlement"
    if _is_replaced(identifier, hashes, listed):
        return "its text was replaced since and carries the term now"
    return "its text carries the term"


def _is_replaced(
    identifier: str, hashes: Mapping[str, str], listed: Mapping[str, ListedPaper]
) -> bool:
    return identifier in listed and listed[identifier].text_hash != hashes[identifier]


def _notes(
    statement: Statement,
    hashes: Mapping[str, str],
    listed: Mapping[str, ListedPaper],
    differing: set[str],
) -> Iterator[str]:
    if statement.lexicon is None:
        yield "the statement froze no lexicon; the count is made with the one of today"
    if statement.highlighter_version not in (None, HIGHLIGHTER_VERSION):
        versions = f"version {HIGHLIGHTER_VERSION}, the statement's was {statement.highlighter_version}"
        yield f"the highlighter is {versions}"
    if any(paper.typesetter_version != TYPESETTER_VERSION for paper in listed.values()):
        yield f"some texts were made by another typesetter than version {TYPESETTER_VERSION}"
    if statement.listed is None:
        return
    since = [each for each in hashes if each not in listed and each not in differing]
    gone = [each for each in listed if each not in hashes and each not in differing]
    replaced = [
        each
        for each in hashes
        if each in listed and each not in differing and _is_replaced(each, hashes, listed)
    ]
    for papers, what in (
        (since, "listed in this period after the settlement, without the term"),
        (gone, "no longer listed in this period; the statement does not count them"),
        (replaced, "whose text was replaced since, with no effect on the count"),
    ):
        if papers:
            yield f"{len(papers)} {'paper' if len(papers) == 1 else 'papers'} {what}"
