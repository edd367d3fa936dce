"""Reading text to HTML: formulas as MathML, links, emphasis, and the highlights of its terms.

The only place where markup is made outside the templates. Everything that a paper says is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import Flask
from markupsafe import Markup, escape

from nlp.highlight import segments
from nlp.mathml import formula_to_mathml
from nlp.records import PARAGRAPH, Mention, ReadingText, RunKind, Segment

PLAIN_TAGS = {RunKind.EMPHASIS: "em", RunKind.STRONG: "strong", RunKind.CODE: "code"}
FORMULAS = frozenset({RunKind.MATH, RunKind.DISPLAY})
SCHEMES = frozenset({"http", "https"})


@dataclass(frozen=True, slots=True)
class TermLink:
    """Where the first mention of a term leads, and what stands beside it ("" for nothing)."""

    href: str
    beside: Markup


def install(app: Flask) -> None:
    """Give the templates `reading`, for text without highlights."""
    app.jinja_env.filters["reading"] = reading_html


def reading_html(
    reading: ReadingText, mentions: Sequence[Mention] = (), links: Mapping[str, TermLink] | None = None
) -> Markup:
    """The text as phrasing content. A term's first mention is a link where ``links`` has its key; later ones,
    and those of terms without a link, are marked only. An inline link leaves the tab order, since the same
    links stand in the strip below.
    """
    return _joined(_pieces(segments(reading, mentions), links or {}))


def paragraphs_html(
    reading: ReadingText, mentions: Sequence[Mention] = (), links: Mapping[str, TermLink] | None = None
) -> Markup:
    """The text in <p> elements, one for each of its paragraphs."""
    paragraphs: list[list[Segment]] = [[]]
    for segment in segments(reading, mentions):
        if PARAGRAPH not in segment.text:
            paragraphs[-1].append(segment)
            continue
        first, *others = segment.text.split(PARAGRAPH)
        paragraphs[-1].append(_with_text(segment, first))
        paragraphs.extend([_with_text(segment, text)] for text in others)
    inner = (_joined(_pieces(pieces, links or {})) for pieces in paragraphs)
    return _joined(Markup(f"<p>{html}</p>") for html in inner if html)


def _joined(pieces: Iterable[Markup]) -> Markup:
    """Pieces of markup in one; not `Markup.join`, which looks through each of them once more."""
    return Markup("".join(pieces))


def _with_text(segment: Segment, text: str) -> Segment:
    """The same piece with another text: the part of it that stands in one paragraph."""
    return Segment(
        segment.kind, text, segment.content, segment.term, segment.is_first, segment.opens, segment.closes
    )


def _pieces(pieces: Iterable[Segment], links: Mapping[str, TermLink]) -> Iterable[Markup]:
    for piece in pieces:
        link = links.get(piece.term or "") if piece.is_first else None
        if piece.opens:
            yield _opening(link)
        yield _inner(piece)
        if piece.closes:
            yield _closing(link)


def _opening(link: TermLink | None) -> Markup:
    if link is None:
        return Markup("<mark>")
    return Markup('<mark><a href="{}" tabindex="-1">').format(link.href)


def _closing(link: TermLink | None) -> Markup:
    return Markup("</mark>") if link is None else Markup("</a></mark>{}").format(link.beside)


def _inner(piece: Segment) -> Markup:
    if piece.kind in FORMULAS:
        return _formula(piece)
    if piece.kind is RunKind.LINK and is_safe_address(piece.content):
        return Markup('<a href="{}" rel="noopener nofollow">{}</a>').format(piece.content, piece.text)
    tag = PLAIN_TAGS.get(piece.kind)
    if tag is None:
        return escape(piece.text)
    return Markup(f"<{tag}>{escape(piece.text)}</{tag}>")


def _formula(piece: Segment) -> Markup:
    """The formula typeset; its TeX, as the author wrote it, where that cannot be done."""
    mathml = formula_to_mathml(piece.content, display=piece.kind is RunKind.DISPLAY)
    if mathml is None:
        return Markup('<code class="tex">{}</code>').format(piece.content)
    return Markup(mathml)  # `only_mathml` lets through MathML elements and escaped text, nothing else


def is_safe_address(address: str) -> bool:
    """Whether a link of a paper may be one here: an address on the web, so neither script nor data."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in SCHEMES and bool(parts.netloc)
