"""Which of the keys found in many papers are one term."""

from __future__ import annotations

from collections import Counter
from datetime import date

from nlp.discovery import Tally
from nlp.normalize import term_key
from nlp.same_terms import gather, label_of


def counted(*surfaces: str, papers: int = 3) -> dict[str, Tally]:
    return {
        term_key(surface): Tally(papers, 0, {date(2026, 5, 4)}, Counter({surface: papers}), papers * 0.9)
        for surface in surfaces
    }


def test_other_spacings_are_forms_of_the_commonest() -> None:
    tallies = counted("fine-tuning", papers=9) | counted("finetuning", "kettle")
    fine, kettle = gather(tallies, {})
    assert (fine.term.label, fine.term.forms, fine.keys) == (
        "fine-tuning", ("finetuning",), ("fine tuning", "finetuning"),
    )  # fmt: skip
    assert kettle.term.label == "kettle"


def test_a_short_form_belongs_to_what_most_papers_say_it_is() -> None:
    tallies = counted("direct preference optimization", "DPO")
    longs = {"DPO": Counter({"direct preference optimization": 8, "data poisoning": 2})}
    (term,) = gather(tallies, longs)
    assert term.term.abbreviations == ("DPO",)
    assert term.keys == ("direct preference optimization", "dpo")


def test_a_short_form_of_several_terms_is_bound_to_each() -> None:
    tallies = counted("dynamic programming", "differential privacy")
    longs = {"DP": Counter({"dynamic programming": 5, "differential privacy": 5})}
    terms = [each.term for each in gather(tallies, longs)]
    assert [(term.label, term.abbreviations, term.bound) for term in terms] == [
        ("differential privacy", (), ("DP",)), ("dynamic programming", (), ("DP",)),
    ]  # fmt: skip


def test_a_short_form_that_one_paper_introduces_is_nobodys_own() -> None:
    (term,) = gather(counted("kettle net"), {"KN": Counter({"kettle net": 1})})
    assert (term.term.abbreviations, term.term.bound) == ((), ("KN",))


def test_a_term_that_somebody_says_is_another_is_its_form() -> None:
    tallies = counted("steering vector", papers=9) | counted("activation steering")
    (term,) = gather(tallies, {}, {"steering vector": "activation steering"})
    assert (term.term.label, term.term.forms) == ("activation steering", ("steering vector",))


def test_a_label_is_in_small_letters_unless_it_is_a_name() -> None:
    assert label_of(Counter({"Diffusion models": 9, "diffusion models": 1})) == "diffusion models"
    assert label_of(Counter({"ImageNet": 2})) == "ImageNet"
    assert label_of(Counter({"Gemma": 30, "gemma": 1})) == "Gemma"
    both = Counter({"Graph Neural Networks": 5, "graph neural networks": 4})
    assert label_of(both) == "graph neural networks"


def test_a_label_is_in_the_singular_if_any_paper_writes_it_so() -> None:
    assert label_of(Counter({"Gaussian processes": 3, "Gaussian process": 1})) == "Gaussian process"
    assert label_of(Counter({"BNNs": 3, "BNN": 1})) == "BNN"
    assert label_of(Counter({"k-means": 3})) == "k-means"
