"""Which of the keys found in many papers are one term: other spacings of it, and its short forms.

"fine tuning" and "finetuning" are written for the same thing, and "DPO" is what most papers that introduce it
say it is. Keys alone (`nlp.normalize`) cannot know either; the papers do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from nlp.discovery import Tally
from nlp.lexicon import LexiconTerm
from nlp.normalize import slug, term_key
from nlp.plurals import singular
from nlp.surfaces import in_singular

OWN_SHARE = 0.7  # of the papers that introduce a short form, those that mean one term, for it to be its own
NONE: Mapping[str, str] = MappingProxyType({})
LEAST_LOWER = 0.1  # of the papers that capitalise a word, those that do not, for it to be no name
LEAST_INTRODUCED = 2  # papers that introduce a short form, before it is anybody's


@dataclass(frozen=True, slots=True)
class Gathered:
    """One term with the keys that are it."""

    term: LexiconTerm
    keys: tuple[str, ...]


def gather(
    tallies: Mapping[str, Tally], introduced: Mapping[str, Counter[str]], same: Mapping[str, str] = NONE
) -> list[Gathered]:
    """The tallied keys as terms, by key; each key is of one term, each short form of at most one outright.

    ``same`` says of keys that somebody knows to be another's whose they are ("steering vector" of "activation
    steering").
    """
    spellings = _spellings(tallies, same)
    root = {key: group[0] for group in spellings.values() for key in group}
    own, bound = _short_forms(introduced, root)
    taken = {term_key(short) for shorts in own.values() for short in shorts}
    gathered: dict[str, Gathered] = {}
    for group in sorted(spellings.values()):
        key = group[0]
        if key in taken or slug(key) in gathered:
            continue  # a short form whose long form is a term, or an address that is another's
        label, *others = [label_of(tallies[each].surfaces) for each in group]
        term = LexiconTerm(
            term_key(label), slug(term_key(label)), label, tuple(others), tuple(own[key]), tuple(bound[key])
        )
        short = {term_key(each) for each in own[key]} & set(tallies)
        gathered[term.slug] = Gathered(term, (*group, *sorted(short)))
    return [gathered[each] for each in sorted(gathered)]


def label_of(surfaces: Counter[str]) -> str:
    """The spelling that people read: the commonest, in small letters where a capital only begins a sentence,
    in the singular if any paper writes it so."""
    common: Counter[str] = Counter()
    for surface, count in surfaces.items():
        common[_lowered(surface, surfaces)] += count
    label = max(common, key=lambda surface: (common[surface], -len(surface), surface))
    one = _in_singular(label)
    return one if one in common else label


def _lowered(surface: str, surfaces: Mapping[str, int]) -> str:
    """The surface as it is written within a sentence, if the papers show it; a name stays one."""
    for lower in (surface[:1].lower() + surface[1:], surface.lower()):
        if surfaces.get(lower, 0) >= LEAST_LOWER * surfaces[surface]:
            return lower
    return surface


def _in_singular(label: str) -> str:
    at = max(label.rfind(" "), label.rfind("-")) + 1
    word = label[at:]
    return label[:at] + (singular(word) if word.islower() else in_singular(word))


def _spellings(tallies: Mapping[str, Tally], same: Mapping[str, str]) -> dict[str, list[str]]:
    """Keys that are one term, as somebody says or as they differ in their blanks alone; the one they are the
    same as comes first, then the commonest."""
    groups: dict[str, list[str]] = defaultdict(list)
    for key in tallies:
        groups[same.get(key, key).replace(" ", "")].append(key)
    for group in groups.values():
        group.sort(key=lambda key: (key in same, -tallies[key].papers, key))
    return groups


def _short_forms(
    introduced: Mapping[str, Counter[str]], root: Mapping[str, str]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """For each term's key its own short forms, and those that mean other things as well."""
    own: dict[str, list[str]] = defaultdict(list)
    bound: dict[str, list[str]] = defaultdict(list)
    squashed = {key.replace(" ", ""): term for key, term in root.items()}
    for short in sorted(introduced):
        means = _meanings(introduced[short].items(), root, squashed)
        if not means:
            continue
        term, count = max(means.items(), key=lambda each: (each[1], each[0]))
        total = introduced[short].total()
        if term_key(short) == term:
            continue
        if total >= LEAST_INTRODUCED and count >= OWN_SHARE * total:
            own[term].append(short)
        else:
            for each in means:
                bound[each].append(short)
    return own, bound


def _meanings(
    longs: Iterable[tuple[str, int]], root: Mapping[str, str], squashed: Mapping[str, str]
) -> Counter[str]:
    """Papers by term, of the long forms that are terms; "finetuning" and "fine tuning" are one."""
    means: Counter[str] = Counter()
    for long, count in longs:
        term = root.get(long) or squashed.get(long.replace(" ", ""))
        if term is not None:
            means[term] += count
    return means
