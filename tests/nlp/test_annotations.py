"""Annotations out and in: round trips of hostile texts, faults by line, and finding a quote again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import DocBin

from nlp.annotation_docs import docbin_of, read_docbin
from nlp.annotation_lines import read_text_lines, text_line
from nlp.annotations import (
    AnnotatedText,
    Annotation,
    Quote,
    Span,
    Verdict,
    anchored,
    annotated,
    find_quote,
    mention_annotation,
    quote_at,
)
from nlp.errors import UnknownSource
from nlp.records import Mention, Refusal
from nlp.typeset import text_hash
from nlp.web_annotations import CONTEXT, annotation_line, read_annotation_lines

HOSTILE = (
    "a\U0001d400e\u0301\u200f\u05d0\ufffc\u2028\u0085\n\t \x00\x1f\ufeff\u202e\U0001f469\u200d"
    "\U0001f52c-.,İß\\\""
)
letters = st.text(st.one_of(st.sampled_from(HOSTILE), st.characters(exclude_categories=["Cs"])), max_size=40)
labels = letters.filter(bool)


@st.composite
def texts(draw: st.DrawFn) -> AnnotatedText:
    abstract = draw(letters)
    spans = []
    if abstract:
        for _ in range(draw(st.integers(0, 4))):
            start = draw(st.integers(0, len(abstract) - 1))
            spans.append(Span(start, draw(st.integers(start + 1, len(abstract))), draw(labels)))
    return AnnotatedText(draw(labels), draw(letters), abstract, tuple(spans))


@st.composite
def annotations(draw: st.DrawFn) -> Annotation:
    text = draw(labels)
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start + 1, len(text)))
    verdict = draw(st.sampled_from(Verdict))
    return Annotation(
        "urn:uuid:7d9f0f7e-5b0a-4d55-8d53-0d6f3c7d8d10", draw(labels), text_hash(text), start, end,
        quote_at(text, start, end), draw(labels), draw(labels), verdict, draw(letters),
        draw(st.none() | st.integers(0, 9)), draw(letters),
        draw(st.none() | st.datetimes(timezones=st.just(UTC))),
    )  # fmt: skip


def as_lines(*lines: str) -> list[bytes]:
    """The file as Python gives its lines: parted by line feeds alone, whatever else ends a line elsewhere."""
    return [line + b"\n" for line in "\n".join(lines).encode().split(b"\n")]


@given(st.lists(texts(), max_size=4))
def test_lines_give_the_same_texts_back(given_texts: list[AnnotatedText]) -> None:
    assert list(read_text_lines(as_lines(*map(text_line, given_texts)), "f")) == given_texts


@given(st.lists(annotations(), max_size=4))
def test_web_annotations_give_the_same_back(given_annotations: list[Annotation]) -> None:
    lines = as_lines(*map(annotation_line, given_annotations))
    assert list(read_annotation_lines(lines, "f")) == given_annotations


@settings(max_examples=30)
@given(st.lists(texts(), max_size=3))
def test_a_docbin_gives_the_same_texts_back(given_texts: list[AnnotatedText]) -> None:
    assert list(read_docbin(docbin_of(given_texts), "f")) == given_texts


@given(texts())
def test_every_annotation_of_a_text_stands_where_it_did(text: AnnotatedText) -> None:
    for annotation in annotated(text):
        assert anchored(annotation, text.abstract) == annotation


@given(texts(), letters, letters)
def test_in_a_changed_text_the_quote_is_found_or_the_reason_is_given(
    text: AnnotatedText, before: str, after: str
) -> None:
    changed = before + text.abstract + after
    for annotation in annotated(text):
        found = anchored(annotation, changed)
        if isinstance(found, Annotation):
            assert changed[found.start : found.end] == annotation.quote.exact == found.quote.exact
            assert found.hash == text_hash(changed)
        else:
            assert "places that fit" in found or "other words" in found


def test_a_mention_as_the_model_has_it() -> None:
    text = "We train \U0001d400 a diffusion model on \ufffc."
    mention = Mention(13, 28, "diffusion model", "diffusion model")
    annotation = mention_annotation("arxiv:2605.00001", text, mention, "Diffusion model", "5 terms", 2)
    document = json.loads(annotation_line(annotation))
    assert document["@context"][0] == CONTEXT
    assert document["id"].startswith("urn:uuid:")
    assert (document["type"], document["motivation"]) == ("Annotation", "tagging")
    assert document["body"] == [
        {
            "type": "TextualBody", "purpose": "tagging", "format": "text/plain", "value": "Diffusion model",
            "termKey": "diffusion model", "lexiconVersion": "5 terms", "highlighterVersion": 2,
        }
    ]  # fmt: skip
    assert document["target"] == {
        "type": "SpecificResource",
        "source": "arxiv:2605.00001",
        "selector": [
            {"type": "TextPositionSelector", "start": 13, "end": 28},
            {
                "type": "TextQuoteSelector", "exact": "diffusion model", "prefix": "We train \U0001d400 a ",
                "suffix": " on \ufffc.",
            },
        ],
        "textHash": text_hash(text),
    }  # fmt: skip
    # Every property is a word of the model or one that the context beside it defines.
    own = set(document["@context"][1])
    assert {"textHash", "termKey", "lexiconVersion", "highlighterVersion"} <= own


def test_the_same_annotation_has_the_same_id_and_another_has_another() -> None:
    one = annotated(AnnotatedText("p", "", "a term", (Span(2, 6, "term"),)))[0]
    other = replace(one, verdict=Verdict.NOT_A_TERM, by="Ana Kettle", at=datetime(2026, 5, 17, tzinfo=UTC))
    ids = [json.loads(annotation_line(each))["id"] for each in (one, one, other)]
    assert ids[0] == ids[1] != ids[2]


def test_a_word_of_a_reader_keeps_who_said_what_when() -> None:
    said = replace(
        annotated(AnnotatedText("p", "", "a term", (Span(2, 6, "term"),)))[0],
        verdict=Verdict.NOT_A_TERM, by="Ana Kettle", at=datetime(2026, 5, 17, 20, 0, tzinfo=UTC),
    )  # fmt: skip
    document = json.loads(annotation_line(said))
    assert document["motivation"] == "assessing"
    assert [body["purpose"] for body in document["body"]] == ["tagging", "assessing"]
    assert document["creator"] == {"type": "Person", "name": "Ana Kettle"}
    assert document["created"] == "2026-05-17T20:00:00Z"
    [back] = read_annotation_lines(as_lines(json.dumps(document)), "f")
    assert isinstance(back, Annotation)
    assert replace(back, id="") == said


MINIMAL: dict[str, Any] = {
    "@context": CONTEXT, "id": "http://example.org/1", "type": "Annotation",
    "body": {"type": "TextualBody", "value": "term", "purpose": "tagging"},
    "target": {"source": "arxiv:1", "selector": {"type": "TextQuoteSelector", "exact": "term"}},
}  # fmt: skip


def test_an_annotation_of_another_program_is_read() -> None:
    [found] = read_annotation_lines(as_lines(json.dumps(MINIMAL)), "f")
    assert isinstance(found, Annotation)
    assert (found.paper, found.hash, found.label, found.key, found.verdict) == (
        "arxiv:1", "", "term", "term", Verdict.MENTION,
    )  # fmt: skip
    placed = anchored(found, "One term.")
    assert isinstance(placed, Annotation)
    assert (placed.start, placed.end) == (4, 8)


def changed(**values: object) -> str:
    return json.dumps({**MINIMAL, **values})


QUOTE = {"type": "TextQuoteSelector", "exact": "term"}


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("{", ["not JSON: "]),
        ("[]", ["not a JSON object"]),
        (
            "{}",
            [
                f"@context must name {CONTEXT}", "type must be Annotation", "id must be text",
                "target must be an object", "target has no TextQuoteSelector",
                "body has no TextualBody with the purpose tagging", "target source must be text",
            ],
        ),
        (changed(id="no iri"), ["id must be an IRI"]),
        (changed(target={"source": "a", "selector": {"type": []}}), ["target has no TextQuoteSelector"]),
        (changed(target={"source": "%ff", "selector": QUOTE}), ["target source is escaped in another"]),
        (
            changed(
                target={
                    "source": "a",
                    "selector": [QUOTE, {"type": "TextPositionSelector", "start": 1, "end": 3}],
                }
            ),
            ["1 to 3 is not as long as the quote of 4 characters"],
        ),
        (
            changed(
                target={
                    "source": "a",
                    "selector": [QUOTE, {"type": "TextPositionSelector", "start": -1, "end": True}],
                }
            ),
            ["start must be a whole number from 0", "end must be a whole number from 0"],
        ),
        (
            changed(target={"source": "a", "selector": QUOTE, "textHash": "0" * 63}),
            ["textHash must be", "no TextPositionSelector"],
        ),
        (changed(created="yesterday"), ["created must be a moment"]),
        (changed(created="0001-01-01T00:00:00+14:00"), ["created must be a moment"]),
        (
            changed(body=[MINIMAL["body"], {"purpose": "assessing", "value": "good"}]),
            ["what is assessed must be"],
        ),
        (changed(body=[{"purpose": ["tagging"]}]), ["body has no TextualBody"]),
        (
            json.dumps(MINIMAL).replace('"term"', '"\\ud800"', 1),
            ["value of the tag holds half a surrogate pair", "termKey holds half a surrogate pair"],
        ),
    ],
)  # fmt: skip
def test_every_fault_of_a_web_annotation_is_told(line: str, faults: list[str]) -> None:
    found = list(read_annotation_lines(as_lines("", annotation_line(_minimal()), line), "notes"))
    assert isinstance(found[0], Annotation)
    told = found[1:]
    assert all(isinstance(each, Refusal) and each.line == 3 and each.origin == "notes" for each in told)
    assert len(told) == len(faults)
    for fault in faults:
        assert any(fault in str(each) for each in told), (fault, told)


def _minimal() -> Annotation:
    return annotated(AnnotatedText("p", "", "a term", (Span(2, 6, "term"),)))[0]


def test_every_fault_of_a_line_is_told() -> None:
    lines = as_lines(
        '{"id": "1", "title": "", "abstract": "a term", "spans": [[2, 6, "TERM"]]}',
        '{"id": "", "abstract": "a term", "spans": [[2, 7, "TERM"], [3, 3, "TERM"], ["a", 2, ""], [1]]}',
        '{"id": "2", "id": "3"}',
        '{"id": "4", "title": 4, "spans": {}}',
    )
    found = list(read_text_lines([*lines, b'{"id": "\xff"}\n'], "f"))
    assert [str(each) for each in found if isinstance(each, Refusal)] == [
        "f:2: id is empty",
        "f:2: span 1: 2 to 7 is no stretch of a text of 6 characters",
        "f:2: span 2: 3 to 3 is no stretch of a text of 6 characters",
        "f:2: span 3: start must be a whole number from 0",
        "f:2: span 3: label is empty",
        "f:2: span 4 must be [start, end, label]",
        "f:3: the key 'id' stands twice",
        "f:4: title must be text",
        "f:4: abstract must be text",
        "f:4: spans must be a list",
        "f:5: not UTF-8 at byte 8",
    ]
    assert found[0] == AnnotatedText("1", "", "a term", (Span(2, 6, "TERM"),))


def test_spans_of_a_doc_are_whole_tokens_and_the_exact_offsets_stay() -> None:
    text = AnnotatedText("1", "A title", "A GRPO-style loss", (Span(2, 6, "GRPO"), Span(3, 5, "part")))
    data = docbin_of([text])
    [doc] = DocBin().from_bytes(data).get_docs(spacy.blank("en").vocab)
    found = [(span.text, span.label_) for span in doc.spans["terms"]]
    assert [label for _, label in found] == ["GRPO", "part"]
    assert all("GRPO" in words for words, _ in found)
    assert list(read_docbin(data, "f")) == [text]


def test_a_docbin_without_our_offsets_has_those_of_its_spans() -> None:
    language = spacy.blank("en")
    doc = language("One diffusion model.")
    doc.spans["terms"] = [doc.char_span(4, 19, label="TERM")]
    doc.user_data["id"] = "1"
    nameless = language("Nothing.")
    data = DocBin(store_user_data=True, docs=[doc, nameless]).to_bytes()
    assert list(read_docbin(data, "f")) == [
        AnnotatedText("1", "", "One diffusion model.", (Span(4, 19, "TERM"),)),
        Refusal("f", 2, "id must be text"),
    ]


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: b"", lambda data: b"{}"])
def test_what_is_no_docbin_is_refused(damage: Callable[[bytes], bytes]) -> None:
    data = docbin_of([AnnotatedText("1", "", "a term", ())])
    with pytest.raises(UnknownSource, match="f: no DocBin that can be read"):
        list(read_docbin(damage(data), "f"))


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("a term", Quote("term"), 2),
        ("term and term", Quote("term"), "stands in 2 places"),
        ("term and term", Quote("term", "and "), 9),
        ("a term or term", Quote("term", "a ", " and"), 2),
        ("aterm", Quote("term", "the ", " is"), "among other words"),
        ("x term, x term", Quote("term", "x "), "stands in 2 places"),
        ("aaa", Quote("aa"), "stands in 2 places"),
        ("nothing", Quote("term"), "does not stand in it"),
        ("nothing", Quote(""), "there is no quote"),
    ],
)
def test_finding_a_quote_again(text: str, quote: Quote, found: int | str) -> None:
    place = find_quote(text, quote)
    assert place == found if isinstance(found, int) else isinstance(place, str) and found in place


def test_an_annotation_that_lies_about_its_own_text_is_refused() -> None:
    text = "a term"
    wrong = replace(_minimal(), start=1, end=5)
    assert anchored(wrong, text) == "at 1 to 5 stands something else than the quote"
