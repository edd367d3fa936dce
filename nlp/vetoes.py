"""Where a surface form stands in a text and is no mention of its term.

Rules, each a predicate on the text and the place [start, end): part of something longer, a capitalised
product name, a verb, another sense. They are words and patterns to be read and changed, not a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from nlp.records import FORMULA
from nlp.surfaces import is_word_character

_HYPHENS = "\u2010\u2011\u2012\u2013-"  # the longer dashes part clauses, not words
_JOINS = frozenset(f"{_HYPHENS}.{FORMULA}")

# What may follow a term and a hyphen: the compound is about the term ("redshift-conditioned").
_AFTER = re.compile(
    r"(?:based|style|driven|guided|aware|free|like|level|specific|agnostic|wise|side|centric|oriented|related"
    r"|friendly|ready|scale|compatible|optimal|efficient|only|native|heavy|intensive|rich|internal|theoretic"
    r"|in-the-loop|[a-z]{2,}(?:ed|ing))(?![\w])(?!-\w)"
)
# And after a name: the size or make of a model or data set ("ImageNet-1K", "Qwen3-8B", "Llama-3-Instruct").
_AFTER_NAME = re.compile(
    r"(?:v?\d+(?:\.\d+)?[BMKbmk]?|Instruct|Base|Chat|Mini|Pro|[Ss]mall|[Ll]arge|base|mini)\b"
)
# What may stand before a term and a hyphen: its size, number or state ("high-entropy", "post-RLHF").
_BEFORE = re.compile(
    r"(?:^|[^\w-])(?:high|low|big|small|large|single|dual|multi|per|intra|inter|pre|post|mini|full|average|total"
    r"|mean|[a-z]{3,}(?:trained|tuned|conditioned|guided|based|aligned))$"
)
_BROKEN_BEFORE = re.compile(rf"\w[{_HYPHENS}]\s$")
_DECIMALS = re.compile(r"\.\d")

# Words that are capitalised for standing first in a sentence and belong to no name.
_CAPITALISED = """
    A All Although An And As At Because Both But By Compared Current Despite Each Existing Finally
    For From Given How However If In Into Its Large Like Many Modern Most Of On Our Recent Recently
    Several Since Some Standard Such That The Their These This Those To Traditional Training Two
    Unlike Using Via We When While With Without
"""
_FIRST_WORDS = frozenset(_CAPITALISED.split())
_JOINT = re.compile(rf"[\s{_HYPHENS}]+")
_WORD_BEFORE = re.compile(r"([^\W_]+)[ \u00a0]$")
_WORD_AFTER = re.compile(rf"[ \u00a0{_HYPHENS}][^\W_]")

_OBJECT = re.compile(
    r"\s+(?:the|a|an|this|that|these|those|its|their|our|each|every|all|both|any|some|them|it|only|such)\b"
)
_NOT_ATTENTION = (
    r"(?:recei\w+|attract\w*|dr[ae]w\w*|pa(?:y|ys|id|ying)|gain\w*|garner\w*|increas\w+|grow\w+|rising"
    r"|considerable|signifi\w+|little|much|more|most|less|special|particular|renewed|great\w*|substantial"
    r"|extensive|limited|recent|wide|widespread|close|careful|intense|enormous|tremendous|immense|scant|scarce"
    r"|deserv\w+|requir\w+|captur\w+|research|scholarly|scientific|academic|public|community|media|human|user)"
    r"\s+$"
)
_NO_NOUN_OF_EMBEDDING = (
    r"\s+(?!(?:spaces?|dimensions?|vectors?|models?|methods?|layers?|tables?|matri\w+|norms?|similarit\w+"
    r"|learning|based|families|and|or|of|in|for|is|are|with|to|from|at|on|as|across|that|which|can|has|by)\b)"
    r"[a-z]"
)
_NEVER = r"(?!)"
# Form -> what stands before, what stands after, where it is another sense or a verb.
OTHER_SENSES: dict[str, tuple[str, str]] = {
    "ai": (r"(?:scale|stability|meta|mistral|character)\s+$", _NEVER),
    "attention": (_NOT_ATTENTION, r"\s+(?:spans?\b|from\b|deficit|in recent|due to)"),
    "diffusion": (_NEVER, r".weighted"),
    "dropout": (
        r"(?:student|school|college|university|course|patient|participant|user|client)s?\s+$",
        r"\s+rates? (?:in|of) (?:stud|school)",
    ),
    "embedding": (r"(?:\b(?:each|by|while|when|and|thus|thereby|simply)|,)\s+$", _NO_NOUN_OF_EMBEDDING),
    "perfusion": (_NEVER, r".weighted"),
    "regret": (r"(?:to|not|we|they|will|may)\s+$", r"\s+(?:that|to|having)\b"),
    "transformer": (
        r"(?:power|voltage|distribution|current|electric\w*|grid)\s+$",
        r"\s+(?:oil|fault|winding|substation)",
    ),
}
_SENSES = {
    form: (re.compile(before, re.IGNORECASE), re.compile(after, re.IGNORECASE))
    for form, (before, after) in OTHER_SENSES.items()
}
_BOTH_SIDES = frozenset({"embedding"})  # vetoed only when both the words before and the words after say so


Rule = Callable[[str, int, int], bool]  # a text and a place [start, end) in it -> whether it is no mention


def is_vetoed(text: str, start: int, end: int) -> bool:
    """Whether any rule says that what stands at [start, end) is no mention."""
    rules = rules_of(text[start - 1 : start], text[start:end], text[end : end + 1])
    return any(rule(text, start, end) for rule in (*rules, is_broken_before))


def rules_of(before: str, quote: str, after: str) -> tuple[Rule, ...]:
    """The rules that may say no of a quote between these two characters, all but `is_broken_before`.

    Most mentions stand between blanks in small letters, and no rule need be asked of them.
    """
    rules: list[Rule] = []
    if after in _JOINS and (after != "." or quote[-1].isdigit()):
        rules.append(is_joined_after)
    if before in _JOINS and before != ".":
        rules.append(is_joined_before)
    if quote[0].isupper() and not _is_name_or_title(quote[1:]):
        rules.append(is_in_product_name)
    if quote.endswith("ing") and " " not in quote and after.isspace():
        rules.append(is_verb)
    if quote.lower() in _SENSES:
        rules.append(is_other_sense)
    return tuple(rules)


def is_joined_after(text: str, start: int, end: int) -> bool:
    """Before a formula, which makes another word of it; the beginning of a longer number ("Gemini 3" of
    "Gemini 3.1") or of a hyphenated word whose other part is not transparent ("StaR-MoE")."""
    if text[end] == FORMULA:
        return True
    if text[end] == ".":
        return text[end - 1].isdigit() and _DECIMALS.match(text, end) is not None
    return _goes_on(text, end + 1) and not _is_about(text, start, end)


def is_joined_before(text: str, start: int, end: int) -> bool:
    """After a formula, or the end of a hyphenated word ("cross-entropy")."""
    if text[start - 1] == FORMULA:
        return True
    if text[start - 1] == "." or not _goes_on(text, start - 2):
        return False
    begin = max(0, start - 40)
    begin = max(begin, text.rfind(" ", begin, start - 1))  # what is looked for is one word
    return not _BEFORE.search(text[begin : start - 1])


def is_broken_before(text: str, start: int, end: int) -> bool:
    """The second half of a word that was broken at the end of a line: "cross- entropy"."""
    return _BROKEN_BEFORE.search(text, max(0, start - 3), start) is not None


def is_in_product_name(text: str, start: int, end: int) -> bool:
    """A common noun capitalised beside another capitalised word: "Stable Diffusion", "Swin Transformer"."""
    rest = text[start + 1 : end]
    if _is_name_or_title(rest):
        return False
    before = _word_before(text, start)
    if before[:1].isupper() and before not in _FIRST_WORDS:
        return True
    if not text[end + 1 : end + 2].isupper():
        return False
    return _WORD_AFTER.match(text, end) is not None and not _JOINT.search(rest)


def is_verb(text: str, start: int, end: int) -> bool:
    """An -ing form with an object: "pruning the network"."""
    quote = text[start:end]
    return " " not in quote and quote.endswith("ing") and _OBJECT.match(text, end) is not None


def is_other_sense(text: str, start: int, end: int) -> bool:
    """A form of the table above among words that give it another sense: "received increasing attention"."""
    form = text[start:end].lower()
    senses = _SENSES[form]
    before = False
    if text[start - 1 : start].isspace():
        begin = max(0, start - 30)
        if start > 1 and not text[start - 2].isspace():
            begin = max(begin, text.rfind(" ", begin, start - 1))  # all that is looked for is in one word
        before = senses[0].search(text, begin, start) is not None
    after = senses[1].match(text, end) is not None
    return (before and after) if form in _BOTH_SIDES else (before or after)


def _word_before(text: str, start: int) -> str:
    """The letters and digits up to the blank before `start`; "" if none."""
    if start < 2:
        return ""
    begin = max(0, start - 40)
    word = text[max(begin, text.rfind(" ", begin, start - 1) + 1) : start - 1]
    if word.isalnum() and text[start - 1] in " \u00a0":
        return word
    found = _WORD_BEFORE.search(text, begin, start)
    return "" if found is None else found[1]


def _is_name_or_title(rest: str) -> bool:
    """Of what follows a capital: whether another is inside a word ("LoRA"), or the last of the words begins
    with one, as in "Graph Neural Networks (GNNs)"."""
    if rest == rest.lower():
        return False
    if rest.isalnum():
        return True
    head, *words = _JOINT.split(rest)
    has_inner_capital = any(word != word.lower() for word in (head, *(word[1:] for word in words)))
    return has_inner_capital or (bool(words) and words[-1][:1].isupper())


def _is_about(text: str, start: int, end: int) -> bool:
    """Whether what follows the hyphen at ``end`` leaves the compound a mention: "based", "ImageNet-1K"."""
    rest = text[end + 1 : end + 60].replace("\u2010", "-").replace("\u2011", "-")
    if _AFTER.match(rest):
        return True
    is_name = any(ch.isupper() for ch in text[start + 1 : end])
    return is_name and _AFTER_NAME.match(rest) is not None


def _goes_on(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (is_word_character(text[at]) or text[at] == FORMULA)
