"""Addresses in running text: where one ends, and whether it may be linked."""

from __future__ import annotations

import re

from nlp.records import RunKind
from nlp.typesetting.scan import Scan

_LONGEST = 2000
# The characters of RFC 3986, and those of them that TeX authors escape. `$` begins a formula.
_CHARACTER = r"(?:[A-Za-z0-9\-._~:/?#\[\]@!&'()*+,;=%]|\\[_%#&~-]|\{\\_\}|\\~\{\})"
_ADDRESS = re.compile(r"https?://(?=[A-Za-z0-9])" + _CHARACTER + f"{{1,{_LONGEST}}}", re.IGNORECASE)
_SAFE = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.\-]*(?::[0-9]{1,5})?(?:[/?#][!-~]*)?", re.IGNORECASE)
_UNSAFE = re.compile(r"[<>\"\\^`{|}]")
_SPELLED = re.compile(r"(?:[^<>\"\\^`{|}]|\{?\\[_%#&~$-](?:\{\})?\}?)+")
_ESCAPED = re.compile(r"\{?\\([_%#&~$-])(?:\{\})?\}?")
_TRAILING = ".,;:!?'*"
_PAIRS = {")": "(", "]": "["}


def safe_address(source: str, start: int, end: int) -> str | None:
    """The address that [start, end) spells, with TeX's escapes undone; None unless it is plain http or https.

    What is given back is printable ASCII without quotes, angle brackets or backslashes, and names
    a host without a user or password before it.
    """
    if end - start > _LONGEST or not _SPELLED.fullmatch(source, start, end):
        return None
    address = _ESCAPED.sub(r"\1", "".join(source[start:end].split()))
    return address if _SAFE.fullmatch(address) and not _UNSAFE.search(address) else None


def take_colon(scan: Scan, at: int) -> int:
    """``://`` after http or https: the address around it becomes a link."""
    source = scan.source
    if not source.startswith("://", at):
        return at + 1
    for scheme in ("https", "http"):
        start = at - len(scheme)
        if start >= scan.plain and source[start:at].lower() == scheme:
            return take_address(scan, start, at)
    return at + 1


def take_address(scan: Scan, start: int, at: int) -> int:
    """Write the address that begins at ``start`` as a link; one that may not be linked stays text."""
    found = _ADDRESS.match(scan.source, start)
    if found is None or scan.style is RunKind.LINK:
        return at + 1
    end = _end_of_address(scan.source, start, min(found.end(), scan.frame_end or found.end()))
    address = safe_address(scan.source, start, end)
    if address is None:
        return max(end, at + 1)
    scan.put_run(RunKind.LINK, address, start, end, address)
    return end


def _end_of_address(source: str, start: int, end: int) -> int:
    """Without the punctuation of the sentence, and without a bracket that was opened before it."""
    address = source[start:end]
    surplus = {right: address.count(right) - address.count(left) for right, left in _PAIRS.items()}
    while end > start:
        char = source[end - 1]
        if surplus.get(char, 0) > 0:
            surplus[char] -= 1
        elif char not in _TRAILING:
            break
        end -= 1
    return end
