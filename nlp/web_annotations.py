"""Annotations as JSON-LD of the Web Annotation Data Model (W3C Recommendation, February 2017), one a line.

The model counts a TextPositionSelector in code points, as offsets are counted here. What it has no word for
(the hash of the text, the key of the term, versions) is named in a context of our own beside its context;
both are names, and nothing is fetched. Pure.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote as escaped
from urllib.parse import unquote

from nlp.annotation_lines import objects
from nlp.annotations import Annotation, Quote, Verdict
from nlp.json_values import Faults
from nlp.records import Refusal

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
OWN_CONTEXT = {
    "peer": "urn:peer-revenue:", "textHash": "peer:textHash", "termKey": "peer:termKey",
    "lexiconVersion": "peer:lexiconVersion", "highlighterVersion": "peer:highlighterVersion",
}  # fmt: skip
WORDS = {Verdict.TERM: "should be a term", Verdict.NOT_A_TERM: "not a term"}
_HASH = re.compile(r"[0-9a-f]{64}")
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`\x00-\x20]+")
_KEPT = ":/?#[]@!$&'()*+,;=-._~"  # of an identifier in an IRI


def annotation_line(annotation: Annotation) -> str:
    """The line of an annotation, without its end; one without an id gets one that follows from the rest."""
    return json.dumps(_document(annotation), ensure_ascii=False)


def read_annotation_lines(lines: Iterable[bytes], origin: str) -> Iterator[Annotation | Refusal]:
    """For each line its annotation, or a refusal for each of its faults, as they come.

    Whether the text still says so is for `annotations.anchored`. Blank lines are passed over.
    """
    for number, record in objects(lines, origin):
        if isinstance(record, Refusal):
            yield record
            continue
        faults = Faults()
        annotation = _annotation(record, faults)
        if faults:
            yield from (Refusal(origin, number, fault) for fault in faults)
        else:
            yield annotation


def _document(annotation: Annotation) -> dict[str, Any]:
    tag: dict[str, Any] = {
        "type": "TextualBody", "purpose": "tagging", "format": "text/plain", "value": annotation.label,
        "termKey": annotation.key,
    }  # fmt: skip
    if annotation.lexicon:
        tag["lexiconVersion"] = annotation.lexicon
    if annotation.highlighter is not None:
        tag["highlighterVersion"] = annotation.highlighter
    document: dict[str, Any] = {"type": "Annotation", "motivation": "tagging", "body": [tag]}
    if annotation.verdict is not Verdict.MENTION:
        word = {"type": "TextualBody", "purpose": "assessing", "format": "text/plain"}
        document["motivation"] = "assessing"
        document["body"].append({**word, "value": WORDS[annotation.verdict]})
    if annotation.by:
        document["creator"] = {"type": "Person", "name": annotation.by}
    if annotation.at is not None:
        document["created"] = annotation.at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    document["target"] = _target(annotation)
    named = annotation.id or _id_of(document)
    return {"@context": [CONTEXT, OWN_CONTEXT], "id": named, **document}


def _target(annotation: Annotation) -> dict[str, Any]:
    quote = annotation.quote
    target: dict[str, Any] = {
        "type": "SpecificResource",
        "source": escaped(annotation.paper, safe=_KEPT),
        "selector": [
            {"type": "TextPositionSelector", "start": annotation.start, "end": annotation.end},
            {
                "type": "TextQuoteSelector", "exact": quote.exact, "prefix": quote.prefix,
                "suffix": quote.suffix,
            },
        ],
    }  # fmt: skip
    return {**target, "textHash": annotation.hash} if annotation.hash else target


def _id_of(document: dict[str, Any]) -> str:
    said = json.dumps(document, sort_keys=True)
    return uuid.uuid5(uuid.NAMESPACE_URL, f"{CONTEXT}#{said}").urn


def _annotation(record: dict[str, Any], faults: Faults) -> Annotation:
    if CONTEXT not in _several(record.get("@context")):
        faults.append(f"@context must name {CONTEXT}")
    if "Annotation" not in _several(record.get("type")):
        faults.append("type must be Annotation")
    named = faults.text(record.get("id"), "id")
    if named and not _IRI.fullmatch(named):
        faults.append("id must be an IRI")
    target = faults.member(record.get("target"), "target")
    start, end, quote = _place(target, faults)
    tag, verdict = _bodies(record, faults)
    return Annotation(
        named, _paper(target.get("source"), faults), _hash(target, faults),
        start, end, quote, faults.text(tag.get("value"), "value of the tag"),
        faults.text(tag.get("termKey", tag.get("value")), "termKey"), verdict,
        faults.text(tag.get("lexiconVersion", ""), "lexiconVersion", may_be_empty=True),
        None if tag.get("highlighterVersion") is None
        else faults.whole(tag["highlighterVersion"], "highlighterVersion"),
        _creator(record, faults), _moment(record.get("created"), faults),
    )  # fmt: skip


def _paper(source: object, faults: Faults) -> str:
    name = faults.text(source.get("id") if isinstance(source, dict) else source, "target source")
    try:
        return unquote(name, errors="strict")
    except UnicodeDecodeError:
        faults.append("target source is escaped in another encoding than UTF-8")
        return ""


def _place(target: dict[str, Any], faults: Faults) -> tuple[int, int, Quote]:
    """Start, end and quote; without a position selector the first two are those in the quote alone."""
    selectors = {
        str(each.get("type")): each for each in _several(target.get("selector")) if isinstance(each, dict)
    }
    found = selectors.get("TextQuoteSelector")
    if found is None:
        faults.append("target has no TextQuoteSelector")
        return 0, 0, Quote("")
    quote = Quote(
        faults.text(found.get("exact"), "exact"),
        faults.text(found.get("prefix", ""), "prefix", may_be_empty=True),
        faults.text(found.get("suffix", ""), "suffix", may_be_empty=True),
    )
    position = selectors.get("TextPositionSelector")
    if position is None:
        if "textHash" in target:
            faults.append("target has a textHash and no TextPositionSelector")
        return 0, len(quote.exact), quote
    start, end = faults.whole(position.get("start"), "start"), faults.whole(position.get("end"), "end")
    if quote.exact and not faults and end - start != len(quote.exact):
        faults.append(f"{start} to {end} is not as long as the quote of {len(quote.exact)} characters")
    return start, end, quote


def _bodies(record: dict[str, Any], faults: Faults) -> tuple[dict[str, Any], Verdict]:
    """The tag, and what is said of it."""
    bodies = {
        str(each.get("purpose", record.get("motivation"))): each
        for each in _several(record.get("body"))
        if isinstance(each, dict)
    }
    if "tagging" not in bodies:
        faults.append("body has no TextualBody with the purpose tagging")
    assessed = bodies.get("assessing")
    if assessed is None:
        return bodies.get("tagging", {"value": "-"}), Verdict.MENTION
    verdicts = {words: verdict for verdict, words in WORDS.items()}
    said = assessed.get("value")
    if not isinstance(said, str) or said not in verdicts:
        faults.append(f"what is assessed must be {' or '.join(map(repr, verdicts))}")
        return bodies.get("tagging", {"value": "-"}), Verdict.MENTION
    return bodies.get("tagging", {"value": "-"}), verdicts[said]


def _hash(target: dict[str, Any], faults: Faults) -> str:
    found = target.get("textHash", "")
    if found and not (isinstance(found, str) and _HASH.fullmatch(found)):
        faults.append("textHash must be a SHA-256 in 64 hexadecimal digits")
        return ""
    return str(found or "")


def _creator(record: dict[str, Any], faults: Faults) -> str:
    creator = record.get("creator", "")
    if isinstance(creator, dict):
        creator = creator.get("name", "")
    return faults.text(creator, "creator", may_be_empty=True)


def _moment(value: object, faults: Faults) -> datetime | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    faults.append("created must be a moment with its zone, as 2026-05-17T20:00:00Z")
    return None


def _several(value: object) -> list[Any]:
    """A value of JSON-LD that may be one or a list of them."""
    return value if isinstance(value, list) else [value]
