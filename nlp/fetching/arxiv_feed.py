"""arXiv's daily feed: what was announced today, and nothing older.

A feed whose date is new may hold the papers of the day before, and then looks like a quiet day: the papers
announced last are remembered, and no paper is announced on two days. https://info.arxiv.org/help/rss.html
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeGuard

from nlp.arxiv_calendar import SATURDAY, is_listing_day
from nlp.fetching.answers import Answer, Validators, Wanted
from nlp.fetching.client import Client
from nlp.fetching.errors import OldBatch, WrongContent
from nlp.fetching.pages import FetchedPage, as_text, place_in, read
from nlp.records import RawPaper, Section
from nlp.sources.arxiv_feed import NAME, FeedPage, read_page

__all__ = ["NAME", "feed_page"]

MOST_ITEMS = 2000  # a feed ends there, whatever else was announced
WANTED = Wanted(("xml", "rss", "atom"), (b"</rss>", b"</feed>"))
MISSED_DAYS = 30  # looked back for, no more: a longer gap is plain to see


@dataclass(frozen=True, slots=True)
class FeedPlace:
    """The day of the last feed that announced anything, and the identifiers that it announced."""

    day: date
    batch: tuple[str, ...]


def feed_page(
    client: Client, address: str, category: str, cursor: str, validators: Validators | None
) -> FetchedPage:
    """The feed of today; without papers where it is the one that the cursor and ``validators`` are of.

    Raises `FetchError`, and `OldBatch` where it has the papers of another day than its own.
    """
    url = f"{address.rstrip('/')}/{category}"
    last = place_in(FeedPlace, cursor)
    answer = client.get(url, {}, WANTED, validators if last else None)
    if answer is None:
        return FetchedPage(url, (), cursor, 0, 0, True, validators, "nothing new since the last time")
    feed = read(answer, read_page, category)
    batch = tuple(paper.identifier for paper in feed.papers if _announces(paper))
    if not batch:
        said = "nothing is announced in it" + (f" on {feed.day:%-d %B %Y}" if feed.day else "")
        return _page(answer, feed, cursor, said)
    if feed.day is None:
        raise WrongContent(answer.address, "a feed that does not say of which day it is")
    if last is not None and feed.day > last.day and _is_the_same(batch, last.batch):
        if is_listing_day(feed.day):
            advice = "Nothing was stored; run the same command again in an hour."
            raise OldBatch(url, f"the feed of {feed.day} still has the papers of {last.day}", advice)
        return FetchedPage(url, (), cursor, 0, 0, True, answer.validators, f"still the papers of {last.day}")
    if feed.day.weekday() >= SATURDAY:
        reason = f"the feed is of {feed.day:%A %-d %B %Y}, when nothing is announced; its papers are older"
        advice = f"Nothing was stored; read them with --since {feed.day - timedelta(days=3)}."
        raise OldBatch(url, reason, advice)
    said = "" if len(feed.papers) < MOST_ITEMS else f"it ends at {MOST_ITEMS:,} papers, and there may be more"
    if last is not None and feed.day < last.day:
        return _page(answer, feed, cursor, f"it is of {feed.day}, before the last one")
    missed = _missed(last.day, feed.day) if last else ()
    return _page(answer, feed, as_text(FeedPlace(feed.day, batch)), said, missed)


def _page(
    answer: Answer, feed: FeedPage, cursor: str, remark: str, missed: tuple[date, ...] = ()
) -> FetchedPage:
    count = len(feed.papers)
    return FetchedPage(
        answer.address, feed.papers, cursor, count, count, True, answer.validators, remark, missed
    )


def _announces(paper: object) -> TypeGuard[RawPaper]:
    return isinstance(paper, RawPaper) and paper.section is not Section.REPLACED


def _is_the_same(batch: tuple[str, ...], last: tuple[str, ...]) -> bool:
    """Whether most of it was announced then; corrections may add a few and take a few away."""
    return 2 * len(set(batch) & set(last)) > len(batch)


def _missed(last: date, day: date) -> tuple[date, ...]:
    """The days between two feeds on which arXiv listed papers too."""
    between = (last + timedelta(days=count) for count in range(1, min((day - last).days, MISSED_DAYS)))
    return tuple(each for each in between if is_listing_day(each))
