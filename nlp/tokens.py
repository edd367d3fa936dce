"""Where a text is cut into tokens: spaCy's English rules, and cuts that terms need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.util import compile_infix_regex, compile_suffix_regex

# Beyond the English rules, so that a term can begin or end there: brackets inside a word ("Mixer(CSIM",
# "LLM)-based"), slashes and ampersands between letters, hyphens between a letter and a digit ("GPT-2").
CUTS = (
    r"(?<=\w)[(\[]",
    r"(?<=[)\]])[-–/]",
    r"(?<=\w)[)\]](?=[-–/])",
    r"(?<=[A-Za-z0-9])[/&+=](?=[A-Za-z])",
    r"(?<=[A-Za-z])-(?=\d)|(?<=\d)-(?=[A-Za-z])",
)
# A full stop after a name that ends in one capital ("IoU.", "GSM8K."), which those rules leave on it.
ENDS = (r"(?<=[a-z0-9][A-Z])\.",)


def cut_for_terms(language: Language) -> None:
    """Adds the cuts to the tokenizer of an English Language."""
    infixes = cast(Iterable[str], language.Defaults.infixes or ())
    tokenizer = language.tokenizer
    assert isinstance(tokenizer, Tokenizer)
    tokenizer.infix_finditer = compile_infix_regex([*infixes, *CUTS]).finditer
    suffixes = cast(Iterable[str], language.Defaults.suffixes or ())
    tokenizer.suffix_search = compile_suffix_regex([*suffixes, *ENDS]).search
