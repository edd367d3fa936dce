"""Where a surface form stands in a text and is no mention of its term.

Four rules, each a predicate on the text and the place: a longer hyphenated word, a capitalised product
name, a verb, another sense. They are words and patterns to be read and changed, not a model.
"""

from __future__ import annotations

import re

from nlp.matcher import Match, is_word_character
from nlp.records import FORMULA

_HYPHENS = "\u2010\u2011\u2012\u2013-"  # the longer dashes part clauses, not words
_IS_HYPHEN = frozenset(_HYPHENS)

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
_BROKEN_BEFORE = re.compile(rf"\w[{_HYPHENS}]\s$")  # "cross- entropy", a word broken at the end of a line
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
_WORD_AFTER = re.compile(rf"[ \u00a0{_HYPHENS}]([^\W_]+)")

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
_OTHER_SENSES: dict[str, tuple[str, str]] = {
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
    for form, (before, after) in _OTHER_SENSES.items()
}
_BOTH_SIDES = frozenset({"embedding"})  # vetoed only when both the words before and the words after say so


def is_vetoed(text: str, match: Match) -> bool:
    """Whether any rule says that the match is no mention."""
    start, end = match.start, match.end
    before = text[start - 1] if start else ""
    after = text[end] if end < len(text) else ""
    # Most matches stand between a blank and a blank or a stop: what is not beside them cannot veto them.
    return (
        before == FORMULA
        or after == FORMULA
        or is_inside_compound(text, start, end, before, after)
        or (text[start].isupper() and is_in_product_name(text, match))
        or (text[end - 1] == "g" and is_verb(text, match))
        or is_other_sense(text, match)
    )


def is_inside_compound(text: str, start: int, end: int, before: str, after: str) -> bool:
    """Part of a longer hyphenated word ("cross-entropy", "StaR-MoE") whose other part is not transparent, or
    of a longer number; ``before`` and ``after`` are the characters beside the place, "" at the text's ends."""
    if after == "." and text[end - 1].isdigit() and _DECIMALS.match(text, end):
        return True  # "Gemini 3" of "Gemini 3.1"
    if after in _IS_HYPHEN and _goes_on(text, end + 1) and not _is_about(text, start, end):
        return True
    if start < 2:
        return False
    if before in _IS_HYPHEN:
        return _goes_on(text, start - 2) and not _BEFORE.search(text[max(0, start - 40) : start - 1])
    # "cross- entropy" is a word broken at the end of a line.
    return text[start - 2] in _IS_HYPHEN and _BROKEN_BEFORE.search(text, start - 3, start) is not None


def is_in_product_name(text: str, match: Match) -> bool:
    """A common noun capitalised beside another capitalised word: "Stable Diffusion", "Swin Transformer"."""
    rest = text[match.start + 1 : match.end]
    if not text[match.start].isupper() or (rest != rest.lower() and _is_name_or_title(rest)):
        return False
    before = _WORD_BEFORE.search(text, max(0, match.start - 40), match.start)
    if before is not None and before[1][0].isupper() and before[1] not in _FIRST_WORDS:
        return True
    after = _WORD_AFTER.match(text, match.end)
    return after is not None and after[1][0].isupper() and not _JOINT.search(rest)


def is_verb(text: str, match: Match) -> bool:
    """An -ing form with an object: "pruning the network"."""
    quote = text[match.start : match.end]
    return " " not in quote and quote.endswith("ing") and _OBJECT.match(text, match.end) is not None


def is_other_sense(text: str, match: Match) -> bool:
    """A form of the table above among words that give it another sense: "received increasing attention"."""
    senses = _SENSES.get(text[match.start : match.end].lower())
    if senses is None:
        return False
    before = senses[0].search(text, max(0, match.start - 30), match.start) is not None
    after = senses[1].match(text, match.end) is not None
    return (before and after) if text[match.start : match.end].lower() in _BOTH_SIDES else (before or after)


def _is_name_or_title(rest: str) -> bool:
    """Of what follows a capital: whether it holds one inside a word ("LoRA"), or the last of its words begins
    with one, as in "Graph Neural Networks (GNNs)"."""
    head, *words = _JOINT.split(rest)
    return any(word != word.lower() for word in (head, *(word[1:] for word in words))) or words[-1][:1].isupper()


def _is_about(text: str, start: int, end: int) -> bool:
    """Whether what follows the hyphen at ``end`` leaves the compound a mention: "based", "ImageNet-1K"."""
    rest = text[end + 1 : end + 60].replace("\u2010", "-").replace("\u2011", "-")
    is_name = any(ch.isupper() for ch in text[start + 1 : end])
    return bool(_AFTER.match(rest) or (is_name and _AFTER_NAME.match(rest)))


def _goes_on(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (is_word_character(text[at]) or text[at] == FORMULA)
