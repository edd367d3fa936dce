"""What a pipeline costs, and how far its parts of speech agree with the teacher's."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spacy.language import Language

from nlp.training.teacher import load_teacher, tag

_LOAD = """
import sys, time
import spacy
began = time.perf_counter()
from pathlib import Path
from nlp.pipeline import load_language
load_language(Path(sys.argv[1]))
print(time.perf_counter() - began)
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one pipeline: bytes on disk, seconds to load it once spaCy is there, texts a second of processor
    time, tokens included, and the most memory, in bytes, that this process has had."""

    size: int
    seconds_to_load: float
    texts_per_second: float
    peak_memory: int


def cost(folder: Path, language: Language, texts: Sequence[str]) -> Cost:
    """Measured on one core; loading in a process of its own."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    command = [sys.executable, "-c", _LOAD, str(folder)]
    loading = float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    for _ in language.pipe(texts):  # the first time, words are looked up that are known from then on
        pass
    began = time.process_time()
    for _ in language.pipe(texts):
        pass
    rate = len(texts) / max(time.process_time() - began, 1e-9)
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(size, loading, rate, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)


def pos_agreement(language: Language, texts: Sequence[str]) -> float:
    """Share of tokens, 0 to 1, whose part of speech is the teacher's. Raises NoTeacher."""
    teacher = load_teacher()
    docs = list(language.pipe(texts))
    pairs = [
        (token.pos_, tag_)
        for doc, tags in zip(docs, tag(teacher, docs), strict=True)
        for token, tag_ in zip(doc, tags, strict=True)
    ]
    return sum(ours == theirs for ours, theirs in pairs) / max(1, len(pairs))
