"""Annotated abstracts as a spaCy DocBin: spans for spaCy to train with, and beside them the exact offsets.

A span of spaCy is whole tokens, so one that does not fall on their borders is widened in
``doc.spans["terms"]``; ``doc.user_data`` has id, title and the spans as they are, and is what is read back.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator

import spacy
from spacy.tokens import Doc, DocBin, SpanGroup

from nlp.annotations import AnnotatedText
from nlp.components import SPANS_KEY
from nlp.errors import UnknownSource
from nlp.json_values import Faults
from nlp.records import Refusal

LARGEST = 2**28  # bytes, unpacked; the format can only be read whole
_BROKEN = (
    ValueError, KeyError, TypeError, IndexError, AttributeError, AssertionError, OverflowError, struct.error,
)  # fmt: skip


def docbin_of(texts: Iterable[AnnotatedText]) -> bytes:
    """A DocBin of the texts. It is made whole, in memory: the format knows no parts."""
    language = spacy.blank("en")
    packed = DocBin(store_user_data=True)
    for text in texts:
        doc = language.make_doc(text.abstract)
        spans = [
            doc.char_span(span.start, span.end, label=span.label, alignment_mode="expand")
            for span in text.spans
        ]
        found = [span for span in spans if span is not None]
        doc.spans[SPANS_KEY] = SpanGroup(doc, name=SPANS_KEY, spans=found)
        doc.user_data = {"id": text.identifier, "title": text.title, "spans": [list(s) for s in text.spans]}
        packed.add(doc)
    return packed.to_bytes()


def read_docbin(data: bytes, origin: str) -> Iterator[AnnotatedText | Refusal]:
    """For each Doc its text, or a refusal for each of its faults, with the Doc's number, from 1, as its line.

    Raises `UnknownSource` when the bytes are no DocBin.
    """
    for number, doc in enumerate(_docs(data, origin), start=1):
        faults = Faults()
        text = _text(doc, faults)
        if faults:
            yield from (Refusal(origin, number, fault) for fault in faults)
        else:
            yield text


def _docs(data: bytes, origin: str) -> Iterator[Doc]:
    try:
        unpacking = zlib.decompressobj()
        unpacking.decompress(data, LARGEST)
        if unpacking.unconsumed_tail:
            raise UnknownSource(origin, f"a DocBin of more than {LARGEST:,} bytes")
        yield from DocBin().from_bytes(data).get_docs(spacy.blank("en").vocab)
    except (zlib.error, *_BROKEN) as error:
        raise UnknownSource(origin, f"no DocBin that can be read: {error}") from error


def _text(doc: Doc, faults: Faults) -> AnnotatedText:
    identifier = faults.text(doc.user_data.get("id"), "id")
    title = faults.text(doc.user_data.get("title", ""), "title", may_be_empty=True)
    group = doc.spans.get(SPANS_KEY, ())
    exact = doc.user_data.get("spans", [(span.start_char, span.end_char, span.label_) for span in group])
    if not isinstance(exact, list | tuple):
        faults.append("spans must be a list")
        exact = []
    spans = [faults.span(each, doc.text, f"span {at}") for at, each in enumerate(exact, start=1)]
    return AnnotatedText(identifier, title, doc.text, tuple(span for span in spans if span is not None))
