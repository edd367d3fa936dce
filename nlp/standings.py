"""What stands at a place of a text, decided once for each spelling.

Which term a place carries, and which vetoes may apply to it, follows from its own characters and from the
one beside it on each side. In a field the same few spellings come again and again: they are remembered.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Literal, NamedTuple

from nlp.surfaces import Pattern, fold, is_whole, short_form, straighten
from nlp.vetoes import Rule, is_vetoed, rules_of

_COPIED = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or chr(code) == "_" else 0x20 for code in range(256)
)
_MOST = 262_144  # spellings that are remembered; each takes some 200 bytes


class Standing(NamedTuple):
    """A surface form in one spelling.

    One that begins or ends with a sign starts ``lead`` and ends ``tail`` code points after where another form
    would that the automaton finds in the same place.
    """

    term: str  # the term key
    rules: tuple[Rule, ...] = (is_vetoed,)  # the vetoes that may apply
    lead: int = 0
    tail: int = 0
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


class Standings:
    """The surface forms of a lexicon, by the number under which the automaton finds them.

    A form that begins or ends with a sign ("C++", "β-VAE") is looked for without the character beside it:
    whether it is a whole word has to be looked up in the text, and every veto asked.
    """

    def __init__(self, entries: Iterable[tuple[str, Pattern]]) -> None:
        numbers: dict[bytes, int] = {}
        self._forms: list[list[_Form]] = []
        for term, pattern in entries:
            plain = copied(pattern.folded)
            form = _Form(term, pattern, plain[:1] != b" ", plain[-1:] != b" ")
            sought = b" " * form.begins_word + plain + b" " * form.ends_word
            number = numbers.setdefault(sought, len(numbers))
            if number == len(self._forms):
                self._forms.append([])
            self._forms[number].append(form)
        self.sought = list(numbers)  # in copied texts, for the automaton
        every = chain.from_iterable(self._forms)
        self.has_signs = any(not (form.begins_word and form.ends_word) for form in every)
        # Spelling, with the character before and after it -> what stands there, or False for nothing.
        self.known: dict[str, Standing | Literal[False]] = {}
        self._alike: dict[Standing, Standing] = {}

    def decide(self, number: int, spelling: str) -> Standing | Literal[False]:
        """What stands where this form was found in this spelling; it is `known` from now on."""
        found = (standing for form in self._forms[number] if (standing := _standing(form, spelling)))
        standing = next(found, None)
        if len(self.known) >= _MOST:
            self.known.clear()
            self._alike.clear()
        known = self.known[spelling] = self._alike.setdefault(standing, standing) if standing else False
        return known


def _standing(form: _Form, spelling: str) -> Standing | None:
    start, end = int(form.begins_word), len(spelling) - form.ends_word
    quote = spelling[start:end]
    folded, exact = form.pattern.folded, form.pattern.exact
    if not is_whole(spelling, start, end) or (quote != folded and fold(quote) != folded):
        return None
    if exact:
        straight = straighten(quote)
        if not all(straight.startswith(word, at) for at, word in exact):
            return None
    if not (form.begins_word and form.ends_word):
        return Standing(form.term, lead=start - 1, tail=1 - form.ends_word, short=short_form(quote))
    return Standing(form.term, rules_of(spelling[0], quote, spelling[-1]), short=short_form(quote))
