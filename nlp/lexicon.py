"""The listed terms with their surface forms, and the matcher that finds all of them in one pass."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources.abc import Traversable
from itertools import pairwise
from typing import Any

from nlp.errors import BadLexicon
from nlp.matcher import Matcher
from nlp.normalize import slug, term_key
from nlp.surfaces import Pattern, is_short, patterns

_FIELDS = ("forms", "abbreviations", "bound")


@dataclass(frozen=True, slots=True)
class LexiconTerm:
    """One listed term.

    ``label`` is what people read and is itself a surface form; ``forms`` are further spellings and
    synonyms, ``abbreviations`` its short forms. The short forms in ``bound`` mean other things too
    ("DP") and count only in a text that introduces them with a long form of this term.
    """

    key: str
    slug: str
    label: str
    forms: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()

    @property
    def surfaces(self) -> tuple[str, ...]:
        """Every surface form that counts wherever it stands; number and spelling are varied by the matcher.

        These are what a version of the term is stored with: the same terms with these as their
        ``forms`` match the same texts.
        """
        return tuple(dict.fromkeys((self.label, *self.forms, *self.abbreviations)))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Terms without contradiction, sorted by key; ``version`` is 16 hex digits of their content's hash."""

    terms: tuple[LexiconTerm, ...]
    version: str


def load_lexicon(source: str | Traversable, origin: str | None = None) -> Lexicon:
    """The lexicon of a TOML file (a path) or of TOML text; `origin` names it in errors.

    Raises `BadLexicon` with the file and the entry for text that is not TOML, an unknown or wrong
    field, an empty label, a key that comes twice, or a surface form that two terms claim.
    """
    name = origin or ("lexicon" if isinstance(source, str) else str(source))
    try:
        text = source if isinstance(source, str) else source.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadLexicon(name, str(error)) from error
    unknown = sorted(set(content) - {"term"})
    if unknown or not isinstance(content.get("term", []), list):
        raise BadLexicon(name, f"only [[term]] entries are known, not {', '.join(unknown) or 'term = ...'}")
    entries = [_term(entry, number, name) for number, entry in enumerate(content.get("term", []), start=1)]
    return lexicon_from_entries(entries, name)


def lexicon_from_entries(entries: Iterable[LexiconTerm], origin: str = "lexicon") -> Lexicon:
    """The lexicon of terms that are already known by key, as those that are stored; raises `BadLexicon`."""
    terms = tuple(sorted(entries, key=lambda term: term.key))
    for before, term in pairwise(terms):
        if before.key == term.key:
            raise BadLexicon(origin, f"{before.label!r} and {term.label!r} have the same key {term.key!r}")
    slugs: dict[str, LexiconTerm] = {}
    for term in terms:
        other = slugs.setdefault(term.slug, term)
        if other is not term:
            clash = f"{other.label!r} and {term.label!r} have the same address {term.slug!r}"
            raise BadLexicon(origin, clash)
    _refuse_shared_forms(terms, origin)
    content = repr([(term.key, term.slug, term.label, term.surfaces, term.bound) for term in terms])
    return Lexicon(terms, sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16])


def compile_matcher(lexicon: Lexicon) -> Matcher:
    """One automaton over every surface form; built once, used for every text.

    Where two terms claim a form, which `lexicon_from_entries` refuses, the first of them has it.
    """
    entries: dict[tuple[str, Pattern], None] = {}
    long_forms: dict[str, str] = {}
    for term in lexicon.terms:
        for form in term.surfaces:
            entries.update(dict.fromkeys((term.key, pattern) for pattern in patterns(form)))
            if not is_short(form):
                long_forms.setdefault(term_key(form), term.key)
    return Matcher(entries, long_forms)


def _term(entry: Any, number: int, origin: str) -> LexiconTerm:
    if not isinstance(entry, dict) or not isinstance(entry.get("label"), str):
        raise BadLexicon(origin, f"entry {number} has no label")
    label: str = entry["label"].strip()
    unknown = sorted(set(entry) - {"label", *_FIELDS})
    if unknown:
        raise BadLexicon(origin, f"entry {number} ({label!r}) has unknown fields: {', '.join(unknown)}")
    lists = {field: entry.get(field, []) for field in _FIELDS}
    for field, forms in lists.items():
        if not isinstance(forms, list) or not all(isinstance(form, str) and term_key(form) for form in forms):
            raise BadLexicon(origin, f"entry {number} ({label!r}): {field} must be a list of words")
    key = term_key(label)
    if not key:
        raise BadLexicon(origin, f"entry {number} has an empty label")
    return LexiconTerm(key, slug(key), label, **{field: tuple(forms) for field, forms in lists.items()})


def shared_forms(
    terms: Iterable[LexiconTerm],
) -> Iterator[tuple[LexiconTerm, str, LexiconTerm, str]]:
    """Each pair of terms that claim one spelling, with the forms by which they do, the earlier term first.

    "MAP" and "mAP" are two spellings, being exact in different letters.
    """
    claims: dict[str, list[tuple[LexiconTerm, str, Pattern]]] = {}
    for term in terms:
        for form in term.surfaces:
            for pattern in patterns(form):
                others = claims.setdefault(pattern.folded, [])
                for other, other_form, other_pattern in others:
                    if other is not term and not _differ(pattern, other_pattern):
                        yield other, other_form, term, form
                others.append((term, form, pattern))


def _refuse_shared_forms(terms: tuple[LexiconTerm, ...], origin: str) -> None:
    for term in terms:
        if not all(map(term_key, term.surfaces)):
            raise BadLexicon(origin, f"{term.label!r} has an empty surface form")
    for other, other_form, term, form in shared_forms(terms):
        one, two = f"{other.label!r} ({other_form!r})", f"{term.label!r} ({form!r})"
        raise BadLexicon(origin, f"{one} and {two} share a form")


def _differ(one: Pattern, other: Pattern) -> bool:
    """Whether no text matches both: they are exact at one place in different letters."""
    places = dict(other.exact)
    return any(places.get(at, word) != word for at, word in one.exact)
