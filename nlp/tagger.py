"""Parts of speech, as a spaCy component."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from nlp.chain import Chain, best_labels, scores_of
from nlp.chain_files import read_chain, write_chain
from nlp.token_columns import pos_features, set_pos
from nlp.words import WordTable

TAGGER = "peer_revenue_tagger"
BATCH = 64  # texts that are labelled side by side


class Tagger:
    """Sets ``token.pos_``, and holds the words that the whole pipeline knows."""

    def __init__(self, name: str = TAGGER) -> None:
        self.name = name
        self._words: WordTable | None = None
        self._chain: Chain | None = None

    @property
    def words(self) -> WordTable:
        """The words that the pipeline knows; raises ValueError before there are any."""
        if self._words is None:
            raise ValueError(f"component {self.name!r} has no words yet: train it or load it")
        return self._words

    @property
    def chain(self) -> Chain:
        """Its weights; raises ValueError before there are any."""
        if self._chain is None:
            raise ValueError(f"component {self.name!r} has no weights yet: train it or load it")
        return self._chain

    def use(self, words: WordTable, chain: Chain) -> None:
        """The words and the weights to be used from now on."""
        self._words, self._chain = words, chain

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], *, batch_size: int = BATCH) -> Iterator[Doc]:
        for batch in in_batches(docs, min(batch_size, BATCH)):
            self._tag([doc for doc in batch if len(doc)])
            yield from batch

    def _tag(self, docs: Sequence[Doc]) -> None:
        if not docs:
            return
        lengths = [len(doc) for doc in docs]
        rows = pos_features(docs, self.words, self.chain.bits)
        labels = best_labels(scores_of(rows, self.chain), lengths, self.chain)
        for doc, end in zip(docs, np.cumsum(lengths).tolist(), strict=True):
            set_pos(doc, labels[end - len(doc) : end])

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        lines = "".join(f"{word}\n" for word in self.words.words)
        (folder / "words.txt").write_text(lines, "utf-8", newline="\n")
        np.save(folder / "groups.npy", self.words.groups)
        write_chain(folder / "chain.npz", self.chain)

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> Tagger:
        folder = Path(path)
        words = (folder / "words.txt").read_text("utf-8").split("\n")[:-1]
        self.use(WordTable(words, np.load(folder / "groups.npy")), read_chain(folder / "chain.npz"))
        return self


def in_batches(docs: Iterable[Doc], size: int) -> Iterator[list[Doc]]:
    """Lists of at most so many Docs."""
    batch: list[Doc] = []
    for doc in docs:
        batch.append(doc)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def tagger_of(language: Language) -> Tagger:
    """The tagger in a pipeline."""
    tagger = language.get_pipe(TAGGER)
    assert isinstance(tagger, Tagger)
    return tagger


@Language.factory(TAGGER, assigns=["token.pos"])
def make_tagger(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """What spaCy calls to build the component; its first argument must have this name."""
    return Tagger(name)
