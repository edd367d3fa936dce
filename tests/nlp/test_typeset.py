"""What each piece of TeX, Markdown and HTML becomes; every fault the design lists for text is here."""

from __future__ import annotations

import time
from unicodedata import normalize

import pytest

from nlp.records import ReadingText, Run, RunKind
from nlp.typeset import TYPESETTER_VERSION, runs_to_json, source_range, typeset


def text(source: str) -> str:
    return typeset(source).text


def runs_of(source: str, *kinds: RunKind) -> list[tuple[str, str]]:
    """(text, content) of the runs of these kinds."""
    reading = typeset(source)
    return [(reading.text[run.start : run.end], run.content) for run in reading.runs if run.kind in kinds]


def formulas(source: str) -> list[str]:
    return [content for _, content in runs_of(source, RunKind.MATH, RunKind.DISPLAY)]


def emphasised(source: str) -> list[str]:
    return [shown for shown, _ in runs_of(source, RunKind.EMPHASIS)]


def test_version_is_a_number() -> None:
    assert TYPESETTER_VERSION >= 1


def test_plain_text_is_one_identity_run() -> None:
    source = "A state-of-the-art model (LoRA) improves x_i_j and a*b*c by 40%, i.e. 3 < 4 & 5 > 2."
    assert typeset(source) == ReadingText(source, (Run(RunKind.TEXT, 0, len(source), 0, len(source), True),))


def test_empty_text_has_no_runs() -> None:
    assert typeset("") == typeset(" \n ") == ReadingText("", ())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("half % is text\nand stays", "half % is text and stays"),
        (r"40\% of \$5 \& \#1, a\_b, \{x\}", "40% of $5 & #1, a_b, {x}"),
        ("lines\nwrap  and\tblanks collapse ", "lines wrap and blanks collapse"),
        ("one.\n  Two.\n\nThree.\n \n \nFour.", "one.\n\nTwo.\n\nThree.\n\nFour."),
        ("CRLF.\r\n\r\nNext\r\nline", "CRLF.\n\nNext line"),
        (r"a\,b\;c\ d\quad e\!f\\g", "a b c d ef g"),
        (r"Opus~4.6 and i)~the S\&P~500", "Opus 4.6 and i) the S&P 500"),
        ("(~10% of 5), ~ 1K, ~$5, 0.6~3.7% in ~/data", "(~10% of 5), ~ 1K, ~$5, 0.6~3.7% in ~/data"),
        ("word ~\\cite{a}", "word [ref]"),
        ("one.\\par two", "one.\n\ntwo"),
    ],
)
def test_escapes_and_white_space(source: str, expected: str) -> None:
    assert text(source) == expected


def test_a_title_is_one_paragraph() -> None:
    assert typeset("Tea for\n  Two\\par Cups", paragraphs=False).text == "Tea for Two Cups"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"R\'enyi, R\'{e}nyi, R{\'e}nyi", "Rényi, Rényi, Rényi"),
        (r"na\"{\i}ve na\"\i ve G\"odel", "naïve naïve Gödel"),
        (r"\"{O}\"{O}m \"O\"{o}m", "ÖÖm Ööm"),
        (r"Ku{\'s}mierz, a model\'s, don\'t, Ga{\'t}", "Kuśmierz, a model’s, don’t, Gat́"),
        (r"Erd\H{o}s Ho\v{r}ava \v Sid\'ak Fran\c{c}ois gar\c con", "Erdős Hořava Šidák François garçon"),
        (r"Stra\ss e Stra{\ss}e \O rsted", "Straße Straße Ørsted"),
        (r"\L{}ojasiewicz \AA ngstr\"om", "Łojasiewicz Ångström"),
        (r"\~n \^o \`a \=o \.z \u{g} \k{a} \r{a} \d{s} \b{d} \t{oo}", "ñ ô à ō ż ğ ą å ṣ ḏ o͡o"),
        (r"\'{Elan} \alpha-stable \times", "Élan α-stable ×"),
        (r"\r{ho} > 0.7, \k{appa}", "ρ > 0.7, κ"),  # what a converter makes of \rho and \kappa
        (r"don\'t say \"Attention\" twice", "don’t say “Attention” twice"),  # quotes escaped as in JSON
        ("e\u0301 and \u1112\u1161\u11ab and A\u030a", "é and 한 and Å"),
    ],
)
def test_accents_and_letters(source: str, expected: str) -> None:
    assert text(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("``x'' and ``y\" and \"z\"", "“x” and “y” and “z”"),
        ("a model's `x' don't, the models' 'quoted' ones", "a model’s ‘x’ don’t, the models’ ‘quoted’ ones"),
        ("(\"x\"), [\"y\"] and a 5\" disk", "(“x”), [“y”] and a 5\" disk"),
        ("STOC `22, the policy`s", "STOC ’22, the policy’s"),
        ("\"wind-tunnel'' settings", "“wind-tunnel” settings"),
        ("1980's 5' long", "1980’s 5' long"),
        ("Fokker--Planck, 10--20, so---and -- so", "Fokker–Planck, 10–20, so—and – so"),
        ("use --foo-bar or --x", "use --foo-bar or --x"),
        ("a --as said-- dash", "a –as said– dash"),
        (r"\texttt{--foo 'a' ``b``} `--c`", "--foo 'a' ``b`` --c"),
        ("-------", "-------"),
    ],
)
def test_quotes_and_dashes(source: str, expected: str) -> None:
    assert text(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\method beats \ours{}, \our's", "method beats ours, our’s"),
        (r"\revise{kept text} and \foo{a}{b}{c}", "kept text and a b c"),
        (r"\ECUAS{n} and \textitHow", "ECUAS n and How"),
        (r"\textbf unclosed \emph{to the end", "unclosed to the end"),
        (r"\vspace*{6pt} \noindent\textcolor{red}{warm} \color{blue} cold\label{x}", "warm cold"),
        (r"\eg, \ie{} \etal. and \wrt x", "e.g., i.e. et al. and w.r.t. x"),
        (r"{Fed}erated {\bf F}ed \underline{S}oft {}", "Federated Fed Soft"),
        ("in {0, 1}, Qwen3-{0.6B, 8B}, 1{,}000", "in {0, 1}, Qwen3-{0.6B, 8B}, 1,000"),
        ("p<10^{-6}, O(T^{2/3}), x_{max}", "p<10⁻⁶, O(T^(2/3)), x_max"),
        (r"CO\textsubscript{2}, 10\textsuperscript{-3}, 4\textsuperscript{th}", "CO₂, 10⁻³, 4th"),
        (r"\unicode{x2013} \ding{51} \ding{172} \ding{183}", "– ✓ ① ❷"),
        ("} a { b }{", "a b"),
        (r"\begin{itemize}\item one \item two\end{itemize}", "• one • two"),
        ("tail\\", "tail"),
    ],
)
def test_commands_never_swallow_text(source: str, expected: str) -> None:
    assert text(source) == expected


def test_styles_nest_and_the_stronger_is_shown() -> None:
    source = r"a \emph{b \textbf{c} d} {\em e {\bf f}} \textbf{g \emph{h}} \texttt{i}"
    reading = typeset(source)
    assert reading.text == "a b c d e f g h i"
    assert emphasised(source) == ["b ", " d", "e "]
    assert [shown for shown, _ in runs_of(source, RunKind.STRONG)] == ["c", "f", "g ", "h"]
    assert runs_of(source, RunKind.CODE) == [("i", "")]


@pytest.mark.parametrize(
    ("source", "tex"),
    [
        (r"$x^2$ and $$y$$", ["x^2", "y"]),
        (r"\(a\) and \[b=1\]", ["a", "b=1"]),
        (r"$\phi_\alpha$ and $φ_α$", [r"\phi_\alpha", "φ_α"]),
        (r"$50\%$, 18$\times$, $2$-hop, $6,192$ pairs", [r"50\%", r"\times", "2", "6,192"]),
        (r"$a \text{ if $b$}$.", [r"a \text{ if $b$}"]),
        (r"cost \$5 for $n$ items", ["n"]),
        ("\\begin{equation}\nx\n\\end{equation}", ["x"]),
        (r"\begin{align*}a&=b\end{align*}", [r"\begin{aligned}a&=b\end{aligned}"]),
        (r"\frac{1}{2} of \mathcal{O}(n)", [r"\frac{1}{2}", r"\mathcal{O}"]),
    ],
)
def test_formulas(source: str, tex: list[str]) -> None:
    assert formulas(source) == tex
    assert text(source).count("\ufffc") == len(tex)


@pytest.mark.parametrize(
    "source",
    [
        "from $5 to $9",
        "costs $1.2M, $3M and up",
        "$5-$10, $5/$10",
        "fell from $4,500/task to $12/task in a year",
        "$10 for one, that is $7 less",
        "$ and $$ and $$$ restaurants",
        "an unclosed $ dollar",
        "costs 6,240 USD per million $ PDF pages and so on for many more words $ here",
        r"a bracket \[1\] or \(never closed",
        "a price of $5\n\nanother of $6",
    ],
)
def test_what_is_no_formula(source: str) -> None:
    assert formulas(source) == []
    assert text(source).count("$") == source.count("$")


def test_currency_and_formulas_in_one_text() -> None:
    assert text("$x$ costs $5 or $6") == "\ufffc costs $5 or $6"
    assert text("costs $5, whereas $x$ costs $6") == "costs $5, whereas \ufffc costs $6"


def test_a_formula_does_not_leave_the_group_it_began_in() -> None:
    assert text(r"\textbf{costs $5} and \emph{only $6}") == "costs $5 and only $6"


def test_words_set_in_a_formula_are_words() -> None:
    source = r"by $\textit{knowledge distillation}$ and $\textbf{F}$ew-shot"
    assert text(source) == "by knowledge distillation and Few-shot"
    assert emphasised(source) == ["knowledge distillation"]


@pytest.mark.parametrize(
    ("source", "link"),
    [
        ("see https://a.org/b.", ("https://a.org/b", "https://a.org/b")),
        ("(see https://a.org/b_(c)), or", ("https://a.org/b_(c)", "https://a.org/b_(c)")),
        ("at:https://a.org/~x--y?q=1&r=2,then", ("https://a.org/~x--y?q=1&r=2,then",) * 2),
        (r"https://a.org/b\_c\%20.", ("https://a.org/b_c%20",) * 2),
        (r"\url{https://a.org/b\_c~d}", ("https://a.org/b_c~d",) * 2),
        (r"\url {https://a.org}", ("https://a.org",) * 2),
        (r"\href{https://a.org}{this url}", ("this url", "https://a.org")),
        (r"$\href{https://a.org}{here}$", ("here", "https://a.org")),
        ("[code](https://a.org/x) there", ("code", "https://a.org/x")),
        ("**https://a.org**", ("https://a.org",) * 2),
        (r"\footnote{https://a.org}", ("https://a.org",) * 2),
        (r"\href{https://a.org}{\texttt{never closed}", ("https://a.org",) * 2),
    ],
)
def test_links(source: str, link: tuple[str, str]) -> None:
    assert runs_of(source, RunKind.LINK) == [link]


@pytest.mark.parametrize(
    "source",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\url{javascript:x}",
        r"\href{https://a.org/<script>}{x}",
        "\\href{ht\ttp://a.org\x00\u2028/\"onclick=x}{x}",
        r"\href{https://user:pw@a.org}{x}",
        "[x](javascript:alert(1))",
        "https:// nothing, http://-x, ftp://a.org, www.a.org",
        "data:text/html,x",
    ],
)
def test_only_plain_web_addresses_are_linked(source: str) -> None:
    assert runs_of(source, RunKind.LINK) == []
    assert "x" in text(source)


def test_citation_and_footnote_are_parted_from_their_word() -> None:
    assert text(r"as in \citep[see][]{a2020,b} or~\ref{c}") == "as in [ref] or [ref]"
    assert runs_of(r"\cite{a2020, b}", RunKind.CITE) == [("[ref]", "a2020, b")]
    assert text(r"word\footnote{A note.} goes on") == "word (A note.) goes on"


@pytest.mark.parametrize(
    ("source", "expected", "emphasis"),
    [
        ("**b** and *c*, _d_.", "b and c, d.", ["c", "d"]),
        ("a*b*c, x_i_j, __init__, 2 * 3 * 4, *unclosed", "a*b*c, x_i_j, __init__, 2 * 3 * 4, *unclosed", []),
        ("(*whole phrase*) O(n*k*d)", "(whole phrase) O(n*k*d)", ["whole phrase"]),
        ("<i>x</i> <think> </think> a<b>c 1 < 2", "x <think> </think> a<b>c 1 < 2", ["x"]),
        ("x<sub>2</sub> y<br>z", "x₂ y z", []),
    ],
)
def test_markdown_and_tags(source: str, expected: str, emphasis: list[str]) -> None:
    assert text(source) == expected
    assert emphasised(source) == emphasis


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("&amp;amp; &lt;b&gt; &#36;5&#x24; &nosuch; AT&T", "&amp; <b> $5$ &nosuch; AT&T"),
        ("a&nbsp;&nbsp;b&#8203;c&#65532;&#0;", "a bc\ufffd"),
    ],
)
def test_entities_are_decoded_once(source: str, expected: str) -> None:
    assert text(source) == expected


def test_characters_that_are_not_shown() -> None:
    assert text("\ufb01t\u00adting zero\u200bwidth \ufeff\u202ea\u2069") == "fitting zerowidth a"
    assert text("\x00\x07nul \ud800x \ufffc.") == "nul x ."
    assert text("thin\u2009\u00a0space, non\u2011breaking") == "thin space, non-breaking"


def test_characters_that_stay() -> None:
    joined = "\U0001f469\u200d\U0001f52c, \u0645\u06cc\u200c\u062e"  # an emoji and a Persian word
    source = f"“so” – it’s \u2212x, \U0001d465, {joined}"
    assert text(source) == source


def test_formula_and_link_contents_hold_no_control_characters() -> None:
    assert formulas("$x\x00\ud800y$") == ["xy"]


def test_source_range_of_a_word_after_markup() -> None:
    source = r"50\% of R\'enyi \textbf{D}iscriminative nets"
    reading = typeset(source)
    spelled = {"of": "of", "Rényi": r"R\'enyi", "Discriminative": r"D}iscriminative", "nets": "nets"}
    for word, expected in spelled.items():
        at = reading.text.index(word)
        start, end = source_range(reading, at, at + len(word))
        assert source[start:end] == expected


def test_source_range_refuses_what_is_outside() -> None:
    with pytest.raises(ValueError, match=r"\[2, 9\)"):
        source_range(typeset("abc"), 2, 9)
    assert source_range(typeset(""), 0, 0) == (0, 0)


HOSTILE = [
    "{", "}", "\\textbf{", "$", "$$", "$a", "\\", "\\(", "\\[ a", "*", "**a", "_a ", "`", "`a", "'", '"',
    "--a", "~", "&#", "<b>", "[a](http://a.b", "http://", "https://a.b/(", "http://a).,;", "e\u0301 ",
    "\u0316\u0301", "\u0316\u0301\ufeff", "\u0316\u0301{}", "\u0316\u0301\\-",
    "\\verb|" + "\u0316\u0301" * 9 + "|", "&#790;&#769;", "\ufffc", "\ud800", "\\cite{",
    "\\href{http://a}{", "\\frac{a}{", "\\x{a}", "\\c{", "{a,b}", "^{", "\\url{", "\\footnote{",
    "\\textsuperscript{", "\u200b", "\u212b", "{\\em a} ", "<b>{", "$\\text{", "$5 and ",
    "\\begin{align}", "\\verb|", " ",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_length_alone(piece: str) -> None:
    def seconds(length: int) -> float:
        source = (piece * (length // len(piece) + 1))[:length]
        began = time.process_time()
        reading = typeset(source)
        runs_to_json(reading)
        return time.process_time() - began

    assert seconds(50_000) < 2.0  # a tenth of a second on an idle machine; quadratic would be a minute


@pytest.mark.parametrize("piece", [piece for piece in HOSTILE if piece.endswith("{")])
def test_time_grows_with_length_alone_in_nested_groups(piece: str) -> None:
    times = 50_000 // (len(piece) + 1)
    source = piece * times + "}" * times
    began = time.process_time()
    typeset(source)
    assert time.process_time() - began < 1.0  # nested addresses took 2.3 s, and four times that twice as long


def test_no_letter_has_more_marks_than_anyone_can_read() -> None:
    kept = normalize("NFC", "a" + "\u0316" * 15 + "\u0301" * 15 + "b")
    assert text("a" + "\u0316\u0301" * 20 + "b") == kept
    assert text("a" + "\u0316{}\ufeff" * 40) == "a" + "\u0316" * 30
    assert text("e\u0301 " * 40).split() == ["é"] * 40


def test_no_depth_of_nesting_is_too_much() -> None:
    assert text("\\textbf{" * 5000 + "x" + "}" * 5000) == "x"
    assert text("{" * 5000) == ""
    assert text("**" + "{" * 140 + "x" + "}" * 140 + "**") == "x"
