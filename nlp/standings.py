"""What stands at a place of a text, decided once for each spelling.

Which term a place carries, and which vetoes may apply to it, follows from its own characters and from the
one beside it on each side. In a field the same few spellings come again and again: they are remembered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from nlp.surfaces import Pattern, fold, is_whole, short_form, straighten
from nlp.vetoes import Rule, is_vetoed, rules_of

_COPIED = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or chr(code) == "_" else 0x20 for code in range(256)
)
_MOST = 65_536  # spellings that are remembered; each takes some 300 bytes


@dataclass(frozen=True, slots=True)
class Standing:
    """A surface form in one spelling, and where it stands from where the automaton finds it."""

    term: str  # the term key
    quote: str
    rules: tuple[Rule, ...] = (is_vetoed,)  # the vetoes that may apply
    lead: int = 0
    tail: int = 2  # its blank, and the one before the text
    short: str = ""  # the short form in the singular, if the quote is one


Match = tuple[int, int, Standing]  # a place [start, end) of a text, and what stands there before any veto


class _Form(NamedTuple):
    term: str
    pattern: Pattern
    begins_word: bool
    ends_word: bool


def copied(text: str) -> bytes:
    """The text as the automaton reads it: one byte a code point, small Latin letters, digits and blanks."""
    # "İ" is the one character beyond Latin-1 that `straighten` makes a Latin letter.
    return text.replace("İ", "i").encode("latin-1", "replace").translate(_COPIED)


class Standings(dict[str, Standing | None]):
    """Spelling, with the character before and after it -> what stands there, or None; filled by asking.

    A form that begins or ends with a sign ("C++", "β-VAE") is looked for, and is a key here, without the
    character beside it: whether it is a whole word has to be looked up, and every veto asked.
    """

    def __init__(self, entries: Iterable[tuple[str, Pattern]]) -> None:
        self._forms: dict[bytes, list[_Form]] = {}
        for term, pattern in entries:
            plain = copied(pattern.folded)
            form = _Form(term, pattern, plain[:1] != b" ", plain[-1:] != b" ")
            sought = b" " * form.begins_word + plain + b" " * form.ends_word
            self._forms.setdefault(sought, []).append(form)

    def spellings(self) -> list[bytes]:
        """What the automaton has to look for in copied texts."""
        return list(self._forms)

    def has_signs(self) -> bool:
        """Whether a form begins or ends with a sign."""
        every = chain.from_iterable(self._forms.values())
        return any(not (form.begins_word and form.ends_word) for form in every)

    def __missing__(self, spelling: str) -> Standing | None:
        forms = self._forms[copied(spelling)]
        standing = next((found for form in forms if (found := _standing(form, spelling))), None)
        if len(self) >= _MOST:
            self.clear()
        self[spelling] = standing
        return standing


def _standing(form: _Form, spelling: str) -> Standing | None:
    start, end = int(form.begins_word), len(spelling) - form.ends_word
    quote = spelling[start:end]
    straight = straighten(quote)
    if fold(quote) != form.pattern.folded or not is_whole(spelling, start, end):
        return None
    if not all(straight.startswith(word, at) for at, word in form.pattern.exact):
        return None
    short = short_form(quote)
    if not (form.begins_word and form.ends_word):
        return Standing(form.term, quote, lead=start - 1, tail=1 + form.ends_word, short=short)
    return Standing(form.term, quote, rules_of(spelling[0], quote, spelling[-1]), short=short)
