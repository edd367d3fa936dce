"""Forty hard abstracts as a reader sees them, beside their sources: python -m tests.bench.sample

Prints the address of the page, tests/golden/sample/page.html, which a test keeps as it is. It takes the
site's own style sheet from where it stands, so it can be opened as a file.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from nlp.typeset import typeset
from web.rendering import paragraphs_html

FOLDER = Path(__file__).parents[1] / "golden" / "sample"
PAGE = FOLDER / "page.html"

_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Forty hard abstracts</title>
<link rel="stylesheet" href="../../../web/static/style.css">
<style>
main { max-width: 76rem; margin: 1rem auto; padding-inline: 1rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; border-top: 1px solid var(--line); }
.pair pre { white-space: pre-wrap; font-size: .8rem; margin: .5rem 0; }
.pair .abstract { font-family: var(--serif); margin: .5rem 0; min-width: 0; }
@media (max-width: 45rem) { .pair { grid-template-columns: 1fr; gap: 0; } }
</style>
<main>
<h1>Forty hard abstracts</h1>
"""


def sample() -> list[tuple[str, str]]:
    """(what is hard about it, source) of each."""
    blocks = (FOLDER / "abstracts.txt").read_text(encoding="utf-8").split("=== ")[1:]
    parts = (block.partition("\n") for block in blocks)
    return [(name, source.removesuffix("\n")) for name, _, source in parts]


def page() -> str:
    """The whole document: for each abstract a heading, its source, and what the site makes of it."""
    parts = [_HEAD]
    for number, (name, source) in enumerate(sample(), 1):
        parts.append(
            f"<h3>{number}. {escape(name)}</h3>\n"
            f'<div class="pair">\n<pre>{escape(source)}</pre>\n'
            f'<div class="abstract">{paragraphs_html(typeset(source))}</div>\n</div>\n'
        )
    return "".join([*parts, "</main>\n</html>\n"])


if __name__ == "__main__":
    print(PAGE.as_uri())
