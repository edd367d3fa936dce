"""One abstract comes in two spellings: TeX, as arXiv's API gave it until 2025-11 and its other sources still
do, and Unicode without line breaks. Both are one reading text, and their formulas look alike.
"""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.mathml import formula_to_mathml
from nlp.records import RunKind
from nlp.typeset import typeset

# The table is Unicode's own: the letter that a TeX name or accent means is looked up by its name there.
SIGNS = {
    "'": "ACUTE", "`": "GRAVE", "^": "CIRCUMFLEX", '"': "DIAERESIS", "~": "TILDE", "=": "MACRON",
    ".": "DOT ABOVE",
}  # fmt: skip
NAMES = {"c": "CEDILLA", "v": "CARON", "u": "BREVE", "k": "OGONEK", "H": "DOUBLE ACUTE", "r": "RING ABOVE"}
LETTERS = "aceilnorstuyzACEOSUZ"
GREEK = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "mu", "nu", "xi", "pi",
    "rho", "sigma", "tau", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Xi", "Pi", "Sigma",
    "Phi", "Omega",
]  # fmt: skip
STRANGE = {"\\ss ": "ß", "\\o ": "ø", "\\L ": "Ł", "\\ae ": "æ", "\\aa ": "å", "{\\ss}": "ß", "\\l{}": "ł"}


def accented() -> list[tuple[str, str]]:
    pairs = []
    for letter in LETTERS:
        case = "CAPITAL" if letter.isupper() else "SMALL"
        for mark, name in (SIGNS | NAMES).items():
            try:
                char = unicodedata.lookup(f"LATIN {case} LETTER {letter.upper()} WITH {name}")
            except KeyError:
                continue
            under = f"\\{letter}" if letter == "i" and mark in SIGNS else letter
            pairs.append((f"\\{mark}{{{under}}}", char))
            if mark in SIGNS:
                pairs += [(f"\\{mark}{letter}", char), (f"{{\\{mark}{letter}}}", char)]
    return pairs


def greek(name: str) -> str:
    case = "CAPITAL" if name[0].isupper() else "SMALL"
    return unicodedata.lookup(f"GREEK {case} LETTER {name.upper()}")


ACCENTED = [*accented(), *STRANGE.items()]
WORD = st.sampled_from(["divergence", "graph", "of", "50%", "a", "k-means", "Tea"])
PLAIN = st.sampled_from("bdfgm").map(lambda char: (char, char))
NAME = st.lists(st.one_of(st.sampled_from(ACCENTED), PLAIN), min_size=1, max_size=5).map(
    # The last letter is plain: `don\'t` and `model\'s` are taken for apostrophes that were escaped.
    lambda parts: ("".join(tex for tex, _ in parts) + "m", "".join(char for _, char in parts) + "m")
)
SYMBOL = st.sampled_from(GREEK).map(lambda name: (f"\\{name} ", greek(name)))
ATOM = st.one_of(SYMBOL, st.sampled_from("xn1").map(lambda char: (char, char)))
TEMPLATE = st.sampled_from(
    ["{}", "{}_{{{}}}", "\\log {}", "\\bar{{{}}}+{}", "\\mathbf{{{}}}^2", "\\hat{{{}}}({})", "O({}/{})"]
)
FORMULA = st.tuples(TEMPLATE, st.lists(ATOM, min_size=2, max_size=2)).map(
    lambda drawn: tuple(f"${drawn[0].format(*(atom[at] for atom in drawn[1]))}$" for at in (0, 1))
)
GREEK_WORD = st.sampled_from(GREEK).map(lambda name: (f"$\\{name}$-stable", f"${greek(name)}$-stable"))
BARE_GREEK = st.sampled_from(GREEK).map(lambda name: (f"\\{name}-stable", f"{greek(name)}-stable"))
TOKEN = st.one_of(WORD.map(lambda word: (word, word)), NAME, FORMULA, GREEK_WORD, BARE_GREEK)
BETWEEN = st.sampled_from([(" ", " "), ("\n", " "), ("\n", "\n"), ("\n  ", "\n  "), ("\n\n", "\n\n")])


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, str]:
    """The same abstract twice: before and after."""
    tokens = draw(st.lists(TOKEN, min_size=1, max_size=8))
    before, after = tokens[0]
    for token in tokens[1:]:
        blank = draw(BETWEEN)
        before += blank[0] + token[0]
        after += blank[1] + token[1]
    return before, after


def shown(source: str) -> list[str]:
    """The MathML of each formula, without the TeX that it carries."""
    runs = (run for run in typeset(source).runs if run.kind in (RunKind.MATH, RunKind.DISPLAY))
    markup = [formula_to_mathml(run.content, display=run.kind is RunKind.DISPLAY) for run in runs]
    assert None not in markup
    return [re.sub("<annotation.*</annotation>", "", each or "") for each in markup]


@given(spellings())
def test_both_spellings_read_alike(pair: tuple[str, str]) -> None:
    before, after = pair
    assert typeset(before).text == typeset(after).text


@given(spellings())
def test_formulas_of_both_spellings_look_alike(pair: tuple[str, str]) -> None:
    before, after = pair
    assert shown(before) == shown(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("the R\\'enyi\ndivergence of\nErd\\H{o}s graphs", "the Rényi divergence of Erdős graphs"),
        ("$\\phi_\\alpha$ and $\\log\\rho$", "$φ_α$ and $\\logρ$"),
        ("$\\boldsymbol{\\alpha}$, $\\bar\\rho_\\gamma$", "$\\boldsymbolα$, $\\barρ_γ$"),
        ("$O(\\epsilon^{-2})$ not $\\varepsilon$", "$O(ε^{-2})$ not $\\varepsilon$"),
        ("$\\Omega(\\sqrt{T})$ lower bound", "$Ω(\\sqrt{T})$ lower bound"),
        ("One.\n  Two \\'etale.\n", "One.\n  Two étale."),
        ("{\\L}ojasiewicz, {\\AA}ngstr{\\\"o}m, na\\\"{\\i}ve", "Łojasiewicz, Ångström, naïve"),
    ],
)
def test_spellings_seen_on_both_sides_of_the_change(before: str, after: str) -> None:
    assert typeset(before).text == typeset(after).text
    assert shown(before) == shown(after)


def test_epsilon_and_varepsilon_stay_apart() -> None:
    assert shown("$ε$") == shown("$\\epsilon$") != shown("$\\varepsilon$")
