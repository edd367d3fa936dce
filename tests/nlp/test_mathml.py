"""Formulas to MathML: what is understood, what is refused, and that nothing else gets through."""

from __future__ import annotations

import re
import time
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from nlp.allowed_mathml import only_mathml
from nlp.mathml import LONGEST, formula_to_mathml

HTML_ELEMENTS = re.compile(r"<(?!/?(?:math|semantics|annotation|m[a-z]+)[\s/>])")


def mathml(tex: str, *, display: bool = False) -> str:
    markup = formula_to_mathml(tex, display=display)
    assert markup is not None
    etree.fromstring(markup)  # well-formed, and no entity that only HTML knows
    return markup


def shown(tex: str) -> str:
    """What a reader sees of a formula, in one line."""
    root = etree.fromstring(mathml(tex))
    for annotation in root.iter("annotation"):
        annotation.text = ""
    return "".join(root.itertext())


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\mathbb{R}", "ℝ"),
        ("50%", "50%"),
        (r"12.5\%", "12.5%"),
        (r"\unicode{x2013}", "–"),
        (r"\mbox{if } x", "if x"),
        (r"\emph{a_b & c}", "a_b & c"),
        (r"\texttt{transformer_lens}", "transformer_lens"),
        (r"\href{https://a.org}{\text{this}}", "this"),
        (r"\textsc{Name}", "Name"),
        (r"\logρ + \boldsymbolα", "log⁡ρ+𝜶"),
        (r"\R^n, \E[X], \bigO(n)", "ℝn,𝔼[X],𝒪︀(n)"),
        (r"\AM < \Vol(A)", "AM<Vol(A)"),
        (r"\H + \c", "H+c"),  # accents of text, so in a formula an author's own
        (r"\text{Erd\H{o}s} + \'e + \"{o}", "Erdős+é+ö"),
        (r"\norm{x}_2 \le \nicefrac{1}{2}", "‖x‖2≤12"),
        (r"x \label{eq:x} 5\textsuperscript{th}", "x5th"),
        (r"\mathds{1} \mathbbm{R}", "𝟙ℝ"),
        (r"a \text{ if $b$}", "a if b"),
        (r"\operatorname{\mathbb{E}} x", "𝔼x"),
        (r"_2", "2"),
        (r"\widetilde{x}", "x~"),
    ],
)
def test_what_authors_write(tex: str, text: str) -> None:
    assert normalize("NFC", shown(tex)).replace("\u00a0", " ") == text


def test_no_mathvariant_where_a_letter_says_it() -> None:
    letters = r"\mathbb{R} \mathcal{O} \mathbf{W} \mathfrak{g} \mathscr{L} \boldsymbol\mu"
    assert "mathvariant" not in mathml(letters)


def test_display_and_annotation() -> None:
    assert mathml("x", display=True).startswith('<math display="block">')
    assert mathml("x").startswith("<math><")
    assert '<annotation encoding="application/x-tex">a&lt;b</annotation>' in mathml("a<b")


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{</math><img src=x onerror=alert(1)>}",
        r"\text{<script>alert(1)</script>}",
        r"\texttt{<think>}",
        r"\text{a<b}",
        r"\text{A&B}",
        r"\text{&lt;b&gt;}",
        r"\href{javascript:alert(1)}{x}",
        r"\eqref{x}",
        r"\textbf{b}\textit{i}\texttt{c}\textsc{s}",
        r"\color{red}x \textcolor{blue}{y}",
        r"\begin{aligned}a&=b\\c&=d\end{aligned}",
        r"\begin{array}{l|r}a&b\\\hline c&d\end{array}",
        r"\begin{align}a&=b\end{align}",
        r"\boxed{x}\cancel{y}",
    ],
)
def test_only_mathml_gets_through(tex: str) -> None:
    markup = mathml(tex)
    assert not HTML_ELEMENTS.search(markup)
    root = etree.fromstring(markup)
    for element in root.iter():
        assert not set(element.attrib) & {"style", "href", "src", "xlink:href"}
        assert not any(name.startswith("on") for name in element.attrib)
    assert "javascript:" not in markup


def test_alignment_is_left_to_classes() -> None:
    assert 'class="tex-right tex-flush"' in mathml(r"\begin{aligned}a&=b\end{aligned}")
    assert 'class="tex-right"' in mathml(r"\begin{array}{r}a\end{array}")


@pytest.mark.parametrize(
    "tex",
    [
        "", "  ", r"\frac{1}{", r"\def\x{\x\x}\x", "{" * 900, "}", r"\foo{x}", "&", "\ud800",
        "x" * (LONGEST + 1), r"\def\a{" + "x" * 900 + "}" + r"\a" * 480, r"\textbf{", r"\text{a$b}",
    ],
)  # fmt: skip
def test_what_cannot_be_typeset_is_none(tex: str) -> None:
    assert formula_to_mathml(tex, display=False) is None


def test_nesting_is_no_danger() -> None:
    began = time.process_time()
    closed = ["x^{" * 600 + "}" * 600, "{" * 990 + "}" * 990, r"\sqrt" * 390 + "x"]
    for tex in (*closed, r"\text{" * 300, r"\foo" * 400):
        formula_to_mathml(tex, display=True)
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    "piece",
    ["(", "[", r"\{", r"\langle ", r"\lfloor ", "⟨", "a(", "({x)}", "(x^)", r"(\sqrt)", r"\sin(", r"\bigl(",
     r"\\[", r"\pmod", r"^\rVert [", r"(\frac{a})"],
)  # fmt: skip
def test_delimiters_without_partner_keep_nobody_waiting(piece: str) -> None:
    began = time.process_time()
    formula_to_mathml(piece * 28, display=False)  # a converter that looks for each partner: seconds to hours
    assert time.process_time() - began < 1.0


def test_many_delimiters_look_as_they_are() -> None:
    tex = r"f(x)=[a_{[i]}\{(x_b-E[x_b])(x_c-\langle x_c\rangle)\}]\bigl(\sqrt[3]{y}\bigr)"
    assert shown(tex) == "f(x)=[a[i]{(xb−E[xb])(xc−⟨xc⟩)}](y3)"


@given(st.text(st.sampled_from(list("ab12 \\{}$&<>\"'_^%#~\x00\ud800é()[]|")), max_size=60), st.booleans())
def test_never_raises_and_never_leaks(tex: str, display: bool) -> None:
    markup = formula_to_mathml(tex, display=display)
    if markup is not None:
        assert not HTML_ELEMENTS.search(markup)
        etree.fromstring(markup)


@pytest.mark.parametrize(
    "markup",
    [
        "<math><script>x</script></math>",
        "<math><mi x='1'>y</mi></math>",
        "<math><mi>a<b</mi></math>",
        "x",
        "<p>y</p>",
    ],
)
def test_output_that_is_not_understood_is_refused(markup: str) -> None:
    assert only_mathml(markup) is None


def test_output_is_cut_to_what_is_allowed() -> None:
    inside = '<mtext><span style="x">&ApplyFunction;&amp;</span></mtext><mi href="u" lspace="0">y</mi>'
    allowed = '<mtext>\u2061&amp;</mtext><mi lspace="0">y</mi>'
    assert only_mathml(f"<math>{inside}</math>") == f"<math>{allowed}</math>"
