"""Reading text as HTML: nothing lost, nothing added, nothing let through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from markupsafe import Markup

from nlp.records import Mention, ReadingText, Run, RunKind
from nlp.typeset import typeset
from web.rendering import TermLink, is_safe_address, paragraphs_html, reading_html

LINKS = {"flow matching": TermLink("/cs.LG/terms/flow-matching", Markup("<span>1.00</span>"))}


def mention(reading: ReadingText, quote: str, term: str, nth: int = 0) -> Mention:
    start = -1
    for _ in range(nth + 1):
        start = reading.text.index(quote, start + 1)
    return Mention(start, start + len(quote), quote, term)


def text_of(markup: str) -> str:
    return html.fromstring(f"<div>{markup}</div>").text_content() if markup else ""


def test_the_first_mention_is_a_link_and_the_next_is_marked() -> None:
    reading = typeset("Flow matching & flow matching.")
    mentions = [mention(reading, quote, "flow matching") for quote in ("Flow matching", "flow matching")]
    assert reading_html(reading, mentions, LINKS) == (
        '<mark><a href="/cs.LG/terms/flow-matching" tabindex="-1">Flow matching</a></mark><span>1.00</span>'
        " &amp; <mark>flow matching</mark>."
    )


def test_a_term_without_a_link_is_marked_only() -> None:
    reading = typeset("Flow matching.")
    assert reading_html(reading, [mention(reading, "Flow matching", "x")]) == "<mark>Flow matching</mark>."


def test_a_mention_may_span_runs() -> None:
    reading = typeset(r"the \emph{flow} matching of")
    found = [mention(reading, "flow matching", "flow matching")]
    assert reading_html(reading, found, LINKS) == (
        'the <mark><a href="/cs.LG/terms/flow-matching" tabindex="-1"><em>flow</em> matching</a></mark>'
        "<span>1.00</span> of"
    )


def test_formulas_are_mathml() -> None:
    markup = reading_html(typeset(r"of $G_J$ and $\alpha<\beta$"))
    assert markup.count("<math") == 2
    assert "$" not in text_of(markup)


def test_a_formula_that_cannot_be_typeset_is_its_source() -> None:
    assert '<code class="tex">\\frac{1}{</code>' in reading_html(
        ReadingText("\N{OBJECT REPLACEMENT CHARACTER}", (Run(RunKind.MATH, 0, 1, 0, 1, False, r"\frac{1}{"),))
    )


def test_links_are_links_to_the_web_only() -> None:
    markup = reading_html(typeset("see https://example.org/a?b=1&c=2 now"))
    assert '<a href="https://example.org/a?b=1&amp;c=2" rel="noopener nofollow">' in markup
    forged = ReadingText("here", (Run(RunKind.LINK, 0, 4, 0, 4, False, "javascript:alert(1)"),))
    assert reading_html(forged) == "here"


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "data:text/html,x", "//evil.example", "/local", "", "https:///x", "http://[::1", "ftp://x"],
)
def test_unsafe_addresses(address: str) -> None:
    assert not is_safe_address(address)


def test_paragraphs() -> None:
    reading = typeset("One flow matching.\n\nTwo.")
    found = [mention(reading, "flow matching", "flow matching")]
    markup = paragraphs_html(reading, found)
    assert markup == "<p>One <mark>flow matching</mark>.</p><p>Two.</p>"


ALPHABET = st.text(alphabet=st.sampled_from("ab <>&\"'$\\{}\n~-`é\u2028"), max_size=60)


@given(ALPHABET)
def test_text_comes_through_whole(source: str) -> None:
    reading = typeset(source, paragraphs=False)
    if any(run.kind in (RunKind.MATH, RunKind.DISPLAY) for run in reading.runs):
        return
    # An HTML parser reads a lone carriage return or a control character as something else; none is left here.
    assert text_of(reading_html(reading)) == reading.text


@given(ALPHABET, st.data())
def test_marks_change_no_letter(source: str, data: st.DataObject) -> None:
    reading = typeset(source, paragraphs=False)
    if not reading.text:
        return
    start = data.draw(st.integers(0, len(reading.text) - 1))
    end = data.draw(st.integers(start + 1, len(reading.text)))
    found = [Mention(start, end, reading.text[start:end], "flow matching")]
    plain, marked = reading_html(reading), reading_html(reading, found)
    assert text_of(marked) == text_of(plain)
    assert marked.count("<mark>") == marked.count("</mark>") == 1
