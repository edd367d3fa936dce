"""The spaCy Languages of this package, built or loaded by the caller; nothing is ever downloaded."""

from __future__ import annotations

from pathlib import Path

import spacy
from spacy.language import Language
from spacy.util import load_model_from_path

import nlp.tagger
import nlp.term_finder  # noqa: F401  # registers the components that a stored pipeline names
from nlp.components import HIGHLIGHTER, Highlighter
from nlp.errors import NlpError
from nlp.lexicon import Lexicon, compile_matcher

SHIPPED = Path(__file__).parent / "model"


class NoModel(NlpError):
    """A folder holds no pipeline of ours; the message names it."""


def build_language(lexicon: Lexicon) -> Language:
    """A blank English Language with the highlighter of this lexicon."""
    language = spacy.blank("en")
    highlighter = language.add_pipe(HIGHLIGHTER)
    assert isinstance(highlighter, Highlighter)
    highlighter.use(compile_matcher(lexicon))
    return language


def load_language(folder: Path = SHIPPED) -> Language:
    """The trained pipeline of this folder: parts of speech, and ``doc.spans["candidate_terms"]``.

    It reads reading texts (`nlp.typeset`), in which a formula is one U+FFFC. Raises NoModel.
    """
    if not (folder / "config.cfg").is_file():
        raise NoModel(f"{folder}: holds no pipeline (there is no config.cfg in it)")
    try:
        return load_model_from_path(folder)
    except (OSError, ValueError, KeyError) as error:
        raise NoModel(f"{folder}: the pipeline there cannot be loaded: {error}") from error
