"""What the commands of TeX do that authors leave in running text; a name not here is an author's own."""

from __future__ import annotations

from nlp.records import RunKind

_EMPHASIS, _STRONG, _CODE, _TEXT = RunKind.EMPHASIS, RunKind.STRONG, RunKind.CODE, RunKind.TEXT

# Commands that set their one argument in a style.
STYLES: dict[str, RunKind] = {
    **dict.fromkeys(("emph", "textit", "textsl", "mathit", "underline", "uline"), _EMPHASIS),
    **dict.fromkeys(("textbf", "mathbf"), _STRONG),
    **dict.fromkeys(("texttt", "mathtt", "lstinline", "path", "code"), _CODE),
    **dict.fromkeys(("text", "textrm", "textup", "textmd", "textsc", "textsf", "mbox", "hbox"), _TEXT),
    **dict.fromkeys(("mathrm", "mathsf", "operatorname", "boldsymbol", "bm", "uppercase"), _TEXT),
}

# Commands that hold to the end of the group around them.
SWITCHES: dict[str, RunKind] = {
    **dict.fromkeys(("em", "it", "itshape", "sl"), _EMPHASIS),
    **dict.fromkeys(("bf", "bfseries"), _STRONG),
    **dict.fromkeys(("tt", "ttfamily"), _CODE),
}

# Commands of mathematics that are formulas by themselves, with their number of arguments.
FORMULAS: dict[str, int] = {
    **dict.fromkeys(("frac", "tfrac", "dfrac", "binom"), 2),
    **dict.fromkeys(("sqrt", "mathcal", "mathbb", "mathfrak", "mathscr", "ensuremath"), 1),
    **dict.fromkeys(("hat", "widehat", "tilde", "widetilde", "bar", "overline", "vec"), 1),
}

# Commands that print nothing, with the number of arguments that go with them.
DROPPED: dict[str, int] = {
    **dict.fromkeys(("label", "vspace", "hspace", "color", "textcolor", "colorbox", "includegraphics"), 1),
    **dict.fromkeys(("raisebox", "scalebox", "pagestyle", "thispagestyle", "begin", "end"), 1),
    **dict.fromkeys(("noindent", "centering", "xspace", "protect", "normalfont", "displaystyle"), 0),
    **dict.fromkeys(("small", "footnotesize", "large", "Large", "sc", "scshape", "rm", "sf", "boldmath"), 0),
    **dict.fromkeys(("left", "right", "maketitle", "relax", "smallskip", "medskip", "bigskip"), 0),
    **dict.fromkeys(("selectfont", "romannumeral"), 0),
    "fontsize": 2,
}

CITATIONS = (
    "cite", "citep", "citet", "citealp", "citealt", "citeauthor", "citeyear", "citeyearpar", "parencite",
    "textcite", "autocite", "footcite", "ref", "eqref", "cref", "Cref",
)  # fmt: skip
FOOTNOTES = ("footnote", "footnotetext", "thanks")
SPACES = ("newline", "linebreak", "quad", "qquad", "enspace", "hfill", "item")
