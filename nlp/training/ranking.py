"""From annotated abstracts to a ranker: each is read by a pipeline that has not learnt from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from spacy.language import Language

from nlp.candidates import Candidates
from nlp.chain import Chain
from nlp.extract import Paper, batches, candidates_in, candidates_of, texts_of
from nlp.ranker import Ranker
from nlp.tagger import tagger_of
from nlp.term_finder import POSSIBLE, finder_of, possible_spans, read
from nlp.training.annotated import Annotated
from nlp.training.frequencies import count_corpus
from nlp.training.keyphrases import Keyphrases
from nlp.training.ranker import FOLDS, example_of, train_ranker
from nlp.training.reading import cut
from nlp.training.recipe import Progress, Step
from nlp.training.steps import learn_spans
from nlp.typeset import typeset

PARTS = 6  # the annotated abstracts of each are read by a chain that learnt from the others
SPAN_STEPS = 60


def train_shipped_ranker(
    language: Language,
    annotated: Sequence[Annotated],
    corpus: Sequence[tuple[str, str]],
    others: Sequence[Keyphrases],
    seed: int,
    progress: Progress,
) -> Ranker:
    """The ranker of a trained pipeline, from the abstracts that it was trained on.

    ``corpus`` has (title, abstract) of papers none of which is annotated or held out; ``others`` are
    annotated after another guide, and the pipeline has not seen them. The same material, seed and versions
    give the same ranker.
    """
    with progress.step("Counting candidates in the corpus", len(corpus)) as step:
        frequencies = count_corpus(_watched(read_all(language, papers_of(corpus)), step))
        step.outcome = f"{len(frequencies.hashes):,} words and phrases"
    own = []
    for number in range(PARTS):
        with progress.step(f"Reading part {number + 1} without having learnt from it", SPAN_STEPS) as step:
            own += _unseen_part(language, annotated, number, step)
    examples = [example_of(found, strings_of(row)) for row, found in own]
    rows = [(row.title, row.abstract) for row in others]
    wide = zip(others, read_all(language, papers_of(rows)), strict=True)
    with progress.step("Learning to rank", FOLDS + 2) as step:
        done = iter(range(1, FOLDS + 3))
        ranker = train_ranker(
            examples,
            [example_of(found, row.phrases, is_abstract=False) for row, found in wide],
            frequencies,
            seed,
            lambda: step.reach(next(done)),
        )
        step.outcome = f"{len(ranker.trees.leaves)} trees from {len(own)} abstracts"
    return ranker


def _unseen_part(
    language: Language, annotated: Sequence[Annotated], part: int, step: Step
) -> list[tuple[Annotated, Candidates]]:
    """The abstracts of one part, as the pipeline reads them with a chain that learnt from all others."""
    seen = [row for number, row in enumerate(annotated) if number % PARTS != part]
    unseen = [row for number, row in enumerate(annotated) if number % PARTS == part]
    finder = finder_of(language)
    parts = finder.parts
    done = iter(range(1, SPAN_STEPS * 2))
    finder.use(replace(parts, chain=chain_of(language, seen, SPAN_STEPS, lambda: step.reach(next(done)))))
    try:
        found = list(read_all(language, papers_of((row.title, row.abstract) for row in unseen)))
    finally:
        finder.use(parts)
    step.outcome = f"{len(unseen)} abstracts"
    return list(zip(unseen, found, strict=True))


def chain_of(
    language: Language, annotated: Sequence[Annotated], steps: int, step: Callable[[], None] = lambda: None
) -> Chain:
    """A chain of spans that learnt from these abstracts."""
    texts = [each for each in cut(language, annotated) if len(each.doc)]
    for _ in tagger_of(language).pipe([each.doc for each in texts]):
        pass
    return learn_spans(tagger_of(language).words, texts, steps, step)


def read_all(language: Language, papers: Iterable[Paper]) -> Iterator[Candidates]:
    """The candidates of each paper."""
    for batch in batches(papers):
        yield from candidates_of(language, batch)


def read_by_chain(language: Language, chain: Chain, papers: Iterable[Paper]) -> Iterator[Candidates]:
    """The same where this chain alone says which spans are likely: one that learnt after another guide."""
    for batch in batches(papers):
        docs = list(tagger_of(language).pipe([language.make_doc(text) for text in texts_of(batch)]))
        filled = [doc for doc in docs if len(doc)]
        spans = possible_spans(read(filled, tagger_of(language).words), chain) if filled else []
        for doc, each in zip(filled, spans, strict=True):
            doc.user_data[POSSIBLE] = each
        yield from candidates_in(batch, docs)


def papers_of(rows: Iterable[tuple[str, str]]) -> Iterator[Paper]:
    """(title, abstract) as their sources have them, as they are read."""
    for title, abstract in rows:
        yield typeset(title, paragraphs=False), typeset(abstract)


def strings_of(row: Annotated) -> set[str]:
    """The strings that were marked in an abstract."""
    return {row.abstract[start:end] for start, end, _ in row.spans}


def _watched(found: Iterator[Candidates], step: Step) -> Iterator[Candidates]:
    for number, each in enumerate(found, start=1):
        yield each
        step.reach(number)
