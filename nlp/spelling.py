"""British and American spelling of one English word."""

from __future__ import annotations

import re
from functools import lru_cache

# Words in -ise that both sides spell so: "noise", "supervise", "exercise", "otherwise", "advertise".
_ALWAYS_ISE = re.compile(
    r"(?:nois|vis|^(?:a|sun)?ris|(?:er|o|u|su)r?pris|compris|wis|rais|uis|pois|romis|^(?:pr|d)emis|rcis|ecis|ncis"
    r"|xcis|umcis|rtis|ctis|eatis|chis|adis|andis)$"
)
_ISE = re.compile(
    r"(?:nois|vis|ris|wis|prais|rais|uis|pois|rmis|emis|romis|rcis|ecis|ncis|xcis|umcis|rtis|ctis|eatis|chis|"
    r"adis|andis)$"
)
_ISE = re.compile(r"^(\w{2,}is)(e|es|ed|er|ers|ing|able|ation|ations|ational)$")

# Stems with -our, with the endings that follow.
_OUR = re.compile(
    r"^(behavi|col|fav|neighb|hon|lab|harb|hum|rum|tum|vap|flav|endeav|arm|rig|vig|od|clam|sav|val|cand|splend|parl)"
    r"our(?=$|s|ed|ing|al|able|ably|hood|ite|ful|less|er|ers|ally|ism|ist)"
)
_DOUBLED = re.compile(
    r"^(\w*(?:model|label|travel|signal|channel|level|cancel|fuel|tunnel|total|equal|marshal|funnel|kernel|panel"
    r"|spiral|unravel|tail|initial))l(ed|ing|er|ers|ings)$"
)
_ENDINGS = (
    (re.compile(r"lys(e|ed|er|ers|ing|able)$"), r"lyz\1"),  # analyse, catalyse, paralyse
    (re.compile(r"^((?:\w*(?:cent|lit|fib|theat|calib|lust|sab|spect|meag))|(?:\w*met))re(s?)$"), r"\1er\2"),
    (re.compile(r"^(\w+)centring$"), r"\1centering"),
    (re.compile(r"^(cata|dia|ana|mono|homo|pro|epi)logue"), r"\1log"),
    (re.compile(r"(def|off|lic)ence(s?)$"), r"\1ense\2"),
    (re.compile(r"programme(s?)$"), r"program\1"),
    (re.compile(r"haem"), "hem"),
    (re.compile(r"(an|leuk|glyc|isch|ur|sept)aem"), r"\1em"),
    (re.compile(r"paed"), "ped"),
    (re.compile(r"(an|hyper|kin|syn)aesth"), r"\1esth"),
    (re.compile(r"oesoph"), "esoph"),
    (re.compile(r"oedema"), "edema"),
    (re.compile(r"foet"), "fet"),
    (re.compile(r"aetiolog"), "etiolog"),
    (re.compile(r"gynaec"), "gynec"),
    (re.compile(r"sulph"), "sulf"),
)
_WORD_PAIRS = """
    acknowledgement acknowledgment, ageing aging, aluminium aluminum, artefact artifact, cheque check, enrol
    enroll, enrolment enrollment, fulfil fulfill, grey gray, greyscale grayscale, instalment installment,
    judgement judgment, manoeuvre maneuver, mediaeval medieval, mould mold, moulding molding, orthopaedic
    orthopedic, plough plow, sceptic skeptic, sceptical skeptical, scepticism skepticism, skilful skillful
"""
_WORDS: dict[str, str] = dict(pair.split() for pair in _WORD_PAIRS.split(","))


@lru_cache(maxsize=32_768)  # the same few words come again and again
def american(word: str) -> str:
    """The American spelling of a lower-case word in the singular; any other word comes back as it is."""
    if word in _WORDS:
        return _WORDS[word]
    ise = _ISE.match(word)
    if ise and not _ALWAYS_ISE.search(ise[1]):
        return f"{ise[1][:-1]}z{ise[2]}"
    word = _OUR.sub(r"\1or", word)
    word = _DOUBLED.sub(r"\1\2", word)
    for pattern, replacement in _ENDINGS:
        word = pattern.sub(replacement, word)
    return word


_TO_BRITISH = (
    (re.compile(r"iz(e|es|ed|er|ers|ing|able|ation|ations|ational)$"), r"is\1"),
    (re.compile(r"^(behavi|col|fav|neighb|hon|lab|hum|tum|vap|flav)or(?=$|s|ed|ing|al|able|hood)"), r"\1our"),
    (re.compile(r"el(ed|ing|er|ers)$"), r"ell\1"),
    (re.compile(r"lyz(e|ed|er|ers|ing)$"), r"lys\1"),
    (re.compile(r"(cent|fib|met)er(s?)$"), r"\1re\2"),
    (re.compile(r"log(s?)$"), r"logue\1"),
    (re.compile(r"artifact"), "artefact"),
    (re.compile(r"hemo"), "haemo"),
    (re.compile(r"gray"), "grey"),
)


@lru_cache(maxsize=32_768)
def british(word: str) -> str:
    """The British spelling of a lower-case American word, or the word itself where both spell it alike."""
    for pattern, replacement in _TO_BRITISH:
        changed = pattern.sub(replacement, word)
        if changed != word and american(changed) == american(word):
            return changed
    return word
