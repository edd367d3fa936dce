"""Commands whose arguments are not simply text: addresses, citations, footnotes, raised letters."""

from __future__ import annotations

import re

from nlp.records import RunKind
from nlp.typesetting.characters import clean
from nlp.typesetting.groups import WORD, open_group
from nlp.typesetting.links import safe_address
from nlp.typesetting.scan import Scan
from nlp.typesetting.symbols import SUBSCRIPTS, SUPERSCRIPTS, raised

CITATION = "[ref]"  # what a reader sees of a citation; its keys are the run's content

_OPTIONS = re.compile(r"\*?\s?(?:\[[^\[\]{}]{0,200}\]\s?){0,2}")
_SPACES = re.compile(r"\s*")
_DINGBAT = re.compile(r"\{([0-9]{2,3})\}")
_UNICODE = re.compile(r"\{(?:x([0-9A-Fa-f]{2,6})|([0-9]{2,7}))\}")


def drop_arguments(scan: Scan, at: int, end: int, count: int) -> int:
    """Leave out a command with its options and ``count`` arguments, or as many as there are."""
    after = end
    if count:
        after = _end_of_options(scan, end)
        for _ in range(count):
            closing = _closing(scan, after)
            if closing is None:
                break
            after = closing + 1
    scan.skip(at, after)
    return after


def cite(scan: Scan, at: int, end: int, name: str) -> int:
    """A citation or a reference: a mark that something is referred to."""
    brace = _end_of_options(scan, end)
    closing = _closing(scan, brace)
    if closing is None:
        scan.skip(at, end)
        return end
    keys = clean(scan.source[brace + 1 : closing])
    scan.put_run(RunKind.CITE, CITATION, at, closing + 1, keys)
    return closing + 1


def footnote(scan: Scan, at: int, end: int, name: str) -> int:
    """A footnote stands in brackets where it is called, parted from the word before it."""
    brace = _end_of_options(scan, end)
    closing = _closing(scan, brace)
    if closing is None:
        scan.put(" ", at, end)
        return end
    open_group(scan, at, brace + 1, closing, " (", ")")
    return brace + 1


def script(scan: Scan, at: int, end: int, name: str) -> int:
    r"""``\textsuperscript{2}``: raised where Unicode has the characters, else as it is."""
    closing = _closing(scan, end)
    if closing is None:
        scan.skip(at, end)
        return end
    table = SUPERSCRIPTS if name == "textsuperscript" else SUBSCRIPTS
    text = raised(scan.source, *_within_dollars(scan.source, end + 1, closing), table)
    if text is not None and not text.isalpha():
        scan.put(text, at, closing + 1)
        return closing + 1
    sign = "_" if name == "textsubscript" else "" if scan.previous(at).isdigit() else "^"  # 4th, x^th
    open_group(scan, at, end + 1, closing, sign if WORD.fullmatch(scan.source, end + 1, closing) else "")
    return end + 1


def show_address(scan: Scan, at: int, end: int, name: str) -> int:
    r"""``\url{...}``: a link that shows its address; text where it may not be linked."""
    brace = _end_of_spaces(scan, end)
    closing = _closing(scan, brace)
    if closing is None:
        scan.skip(at, end)
        return end
    address = safe_address(scan.source, brace + 1, closing)
    if address is None or scan.style is RunKind.LINK:
        open_group(scan, at, brace + 1, closing)
        return brace + 1
    inside = _end_of_spaces(scan, brace + 1)
    exact = scan.source.startswith(address, inside)
    scan.skip(at, inside)
    scan.put_run(RunKind.LINK, address, inside, inside + len(address) if exact else closing, address)
    scan.skip(scan.plain, closing + 1)
    return closing + 1


def link(scan: Scan, at: int, end: int, name: str) -> int:
    r"""``\href{address}{text}``: the text, linked where the address may be."""
    brace = _end_of_spaces(scan, end)
    closing = _closing(scan, brace)
    if closing is None:
        scan.skip(at, end)
        return end
    text = _end_of_spaces(scan, closing + 1)
    text_end = _closing(scan, text)
    if text_end is None or text_end == text + 1:
        after = show_address(scan, at, end, name)
        if text_end is None and scan.source.startswith("{", text) and after == closing + 1:
            scan.put(" ", after, text + 1)  # the text's brace is never closed; it must not grow together
            return text + 1
        return after
    address = safe_address(scan.source, brace + 1, closing)
    scan.skip(at, text + 1)
    scan.open(RunKind.LINK if address else scan.style, text_end, address or scan.content)
    scan.closers[text_end] = (text_end + 1, "")
    return text + 1


def _within_dollars(source: str, start: int, end: int) -> tuple[int, int]:
    r"""[start, end) without the dollars around it: ``\textsuperscript{$-2$}``."""
    while start < end and source[start] == "$":
        start += 1
    while start < end and source[end - 1] == "$":
        end -= 1
    return start, end


def unicode_character(scan: Scan, at: int, end: int, name: str) -> int:
    r"""``\unicode{x2013}``: the character with that number."""
    number = _UNICODE.match(scan.source, end)
    if number is None:
        scan.skip(at, end)
        return end
    code = int(number[1], 16) if number[1] else int(number[2])
    char = chr(code) if code <= 0x10FFFF else ""
    scan.put(" " if char.isspace() else clean(char), at, number.end())
    return number.end()


def dingbat(scan: Scan, at: int, end: int, name: str) -> int:
    r"""``\ding{51}``: a character of the Zapf Dingbats font by its number there."""
    number = _DINGBAT.match(scan.source, end)
    if number is None:
        scan.skip(at, end)
        return end
    code = int(number[1])
    shift = 0x26E0 if code < 127 else 0x2460 - 172 if code < 182 else 0x2776 - 182
    scan.put(chr(code + shift), at, number.end())
    return number.end()


def _closing(scan: Scan, brace: int) -> int | None:
    return scan.partner(brace) if scan.source.startswith("{", brace) else None


def _end_of_options(scan: Scan, end: int) -> int:
    found = _OPTIONS.match(scan.source, end)
    return found.end() if found else end


def _end_of_spaces(scan: Scan, end: int) -> int:
    found = _SPACES.match(scan.source, end)
    return found.end() if found else end
