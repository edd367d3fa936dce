"""The highlighter as a spaCy component: a thin wrapper that puts mentions into a Doc."""

from __future__ import annotations

from collections.abc import Callable

from spacy.language import Language
from spacy.tokens import Doc, SpanGroup

from nlp.highlight import find_mentions
from nlp.matcher import Matcher
from nlp.records import FORMULA, ReadingText, Run, RunKind

HIGHLIGHTER = "peer_revenue_highlighter"
SPANS_KEY = "terms"


class Highlighter:
    """Sets ``doc.spans["terms"]`` (labels are term keys) and ``doc._.mentions`` (the exact offsets).

    Spans are whole tokens and so may be wider than a mention: "GRPO" in the token "GRPO-style". Where
    the reading text of a Doc is known, set ``doc._.reading`` first and nothing is found in its
    formulas, links and code.
    """

    def __init__(self, name: str = HIGHLIGHTER) -> None:
        self.name = name
        self._matcher: Matcher | None = None

    def use(self, matcher: Matcher) -> None:
        """The matcher to be used from now on."""
        self._matcher = matcher

    def __call__(self, doc: Doc) -> Doc:
        if self._matcher is None:
            raise ValueError(f"component {self.name!r} has no matcher yet: call use(matcher)")
        reading = doc._.reading or reading_of(doc.text)
        if reading.text != doc.text:
            raise ValueError("doc._.reading is the reading text of another Doc")
        mentions = find_mentions(reading, self._matcher)
        spans = (doc.char_span(m.start, m.end, label=m.term, alignment_mode="expand") for m in mentions)
        found = [span for span in spans if span is not None]
        doc.spans[SPANS_KEY] = SpanGroup(doc, name=SPANS_KEY, spans=found)
        doc._.mentions = mentions
        return doc


def reading_of(text: str) -> ReadingText:
    """A reading text of plain text, each U+FFFC in it a formula of unknown content."""
    runs: list[Run] = []
    start = 0
    for at in [*(at for at, ch in enumerate(text) if ch == FORMULA), len(text)]:
        if at > start:
            runs.append(Run(RunKind.TEXT, start, at, start, at, identity=True))
        if at < len(text):
            runs.append(Run(RunKind.MATH, at, at + 1, at, at + 1, identity=True))
        start = at + 1
    return ReadingText(text, tuple(runs))


@Language.factory(HIGHLIGHTER, assigns=["doc.spans", "doc._.mentions"])
def make_highlighter(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """What spaCy calls to build the component; its first argument must have this name."""
    if not Doc.has_extension("mentions"):
        Doc.set_extension("mentions", default=())
    if not Doc.has_extension("reading"):
        Doc.set_extension("reading", default=None)
    return Highlighter(name)
