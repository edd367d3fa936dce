"""The spaCy Language that holds the highlighter; built once by the caller, with no model to download."""

from __future__ import annotations

import spacy
from spacy.language import Language

from nlp.components import HIGHLIGHTER, Highlighter
from nlp.lexicon import Lexicon, compile_matcher


def build_language(lexicon: Lexicon) -> Language:
    """A blank English Language with the highlighter of this lexicon."""
    language = spacy.blank("en")
    highlighter = language.add_pipe(HIGHLIGHTER)
    assert isinstance(highlighter, Highlighter)
    highlighter.use(compile_matcher(lexicon))
    return language
