"""What several sightings say together: the same, whatever order and however often they come."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from market.sightings import Announcement, Facts, merged, seen
from nlp.records import RawPaper, Section

MORNING = datetime(2026, 5, 14, 9, 0, tzinfo=UTC)
RAW = RawPaper(
    identifier="arxiv:2605.01234", title="Kettles", abstract="We pour tea.", authors=("Ana Kettle",),
    categories=("cs.LG", "stat.ML"), day=date(2026, 5, 15), section=Section.NEW, url="https://arxiv.org/abs/x",
    source="a test", line=1, version=1, submitted_at=MORNING,
)  # fmt: skip


def all_merged(facts: Iterable[Facts]) -> Facts:
    return reduce(merged, facts)


@st.composite
def sightings(draw: st.DrawFn) -> RawPaper:
    """One sighting of one paper, with few values of each kind so that they meet."""
    section = draw(st.sampled_from(Section))
    texts = ["We pour tea.", "R\\'enyi pours tea.", "Rényi pours tea.", "This paper has been withdrawn."]
    if section is Section.REPLACED:
        texts.append("")
    return replace(
        RAW,
        title=draw(st.sampled_from(["", "Kettles", "Lids"])),
        abstract=draw(st.sampled_from(texts)),
        authors=draw(st.sampled_from([(), ("Ana Kettle",), ("Ana Kettle", "Bob Lid")])),
        categories=draw(st.sampled_from([("cs.LG",), ("cs.LG", "cs.CV"), ("stat.ML", "cs.LG")])),
        day=draw(st.sampled_from([None, date(2026, 5, 15), date(2026, 5, 16)])),
        section=section,
        version=draw(st.sampled_from([None, 1, 2, 3])),
        submitted_at=draw(st.sampled_from([None, MORNING, MORNING.replace(hour=20)])),
        is_withdrawn=draw(st.booleans()),
    )


facts = sightings().map(seen)


@given(facts, facts, facts)
def test_facts_merge_in_any_order_and_any_grouping(one: Facts, two: Facts, three: Facts) -> None:
    assert merged(one, two) == merged(two, one)
    assert merged(merged(one, two), three) == merged(one, merged(two, three))
    assert merged(one, one) == one


@given(st.lists(sightings(), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_repetition_changes_nothing(raws: list[RawPaper], random: object) -> None:
    once = all_merged(map(seen, raws))
    again = [*raws, *raws]
    random.shuffle(again)  # type: ignore[attr-defined]
    assert all_merged(map(seen, again)) == once
    assert once.categories == {category for raw in raws for category in raw.categories}
    days = [raw.day for raw in raws if raw.day and raw.section is not Section.REPLACED]
    assert once.announced is None or once.announced.day == min(days, default=None)


def text_of(*raws: RawPaper) -> str:
    return all_merged(map(seen, raws)).wording.abstract


def test_a_later_version_brings_the_text_and_an_earlier_or_unnumbered_one_does_not() -> None:
    second = replace(RAW, version=2, abstract="We pour more tea.", section=Section.REPLACED)
    assert text_of(RAW, second) == "We pour more tea."
    assert text_of(second, RAW, replace(RAW, version=None, abstract="A")) == "We pour more tea."


def test_a_withdrawal_marks_a_paper_and_keeps_its_text() -> None:
    notice = replace(RAW, version=3, abstract="This paper has been withdrawn.", is_withdrawn=True)
    both = all_merged(map(seen, (RAW, notice)))
    assert both.is_withdrawn
    assert both.wording.abstract == "We pour tea."
    assert text_of(notice) == "This paper has been withdrawn."
    # A text without a version, too, is a paper's own.
    assert text_of(notice, replace(RAW, version=None)) == "We pour tea."


def test_of_two_spellings_of_a_version_the_tex_one_is_kept() -> None:
    tex, converted = replace(RAW, abstract="R\\'enyi and $\\alpha$"), replace(RAW, abstract="Rényi and $α$")
    assert text_of(tex, converted) == text_of(converted, tex) == tex.abstract


def test_what_is_complete_comes_before_what_is_not() -> None:
    blind = replace(RAW, version=None, authors=(), title="", abstract="A")
    assert all_merged(map(seen, (blind, replace(RAW, version=None)))).wording == seen(
        replace(RAW, version=None)
    ).wording


def test_a_replacement_states_no_day() -> None:
    earlier = MORNING.replace(year=2020)
    replaced = replace(RAW, section=Section.REPLACED, day=earlier.date(), submitted_at=earlier)
    assert seen(replaced).announced is None
    both = all_merged(map(seen, (replaced, RAW)))
    assert (both.announced, both.submitted_at) == (Announcement(Section.NEW, date(2026, 5, 15)), MORNING)


def test_the_first_stated_day_says_how_a_paper_was_announced() -> None:
    accepted = replace(RAW, section=Section.ACCEPTED, day=date(2026, 6, 1))
    submitted = replace(RAW, section=Section.SUBMITTED, day=date(2026, 2, 22))
    unstated = replace(RAW, section=Section.ACCEPTED, day=None)
    together = all_merged(map(seen, (unstated, accepted, submitted)))
    assert together.announced == Announcement(Section.SUBMITTED, date(2026, 2, 22))
    same_day = replace(accepted, day=submitted.day)
    assert all_merged(map(seen, (submitted, same_day))).announced == Announcement(
        Section.ACCEPTED, date(2026, 2, 22)
    )
