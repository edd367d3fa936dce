"""arXiv's daily feeds, RSS 2.0 and Atom: what was announced on one day.

Every item's date is midnight in New York on the day it was served, so the day is that of the feed. Each
says how it was announced: new, cross, replace or replace-cross. An error is a feed that looks valid and
whose title says "Feed error"; a day without an announcement is a feed without items.
https://info.arxiv.org/help/rss_specifications.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import characters, xml
from nlp.sources.arxiv_api import NAMES as ATOM
from nlp.sources.arxiv_api import is_category
from nlp.sources.arxiv_ids import arxiv_id
from nlp.sources.arxiv_names import arxiv_names
from nlp.sources.moments import moment
from nlp.sources.source import Page, Source
from nlp.sources.withdrawal import says_withdrawn

NAME = "arxiv-feed"
NAMES = {**ATOM, "dc": "http://purl.org/dc/elements/1.1/"}
ZONE = "America/New_York"

_SECTIONS = {
    "new": Section.NEW,
    "cross": Section.CROSS,
    "replace": Section.REPLACED,
    "replace-cross": Section.REPLACED,
}
_DESCRIPTION = re.compile(
    r"\s*arXiv:(?P<id>\S+)\s+Announce Type:\s*(?P<type>[a-z-]+)\s*Abstract:(?P<abstract>.*)",
    re.DOTALL,
)
_ANCHOR = re.compile(r"</?a\b[^<>]*>", re.IGNORECASE)  # round each author in feeds of old


@dataclass(frozen=True, slots=True)
class FeedPage:
    """A feed: its papers, the day it announces, and when it was built; the last two None where not said."""

    papers: tuple[RawPaper | Refusal, ...]
    day: date | None
    built_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Form:
    """Where the two kinds of feed keep what they share."""

    feed: str
    item: str
    title: str
    description: str
    published: str
    built: str


_RSS = _Form("channel", "item", "title", "description", "pubDate", "lastBuildDate")
_ATOM = _Form(".", "atom:entry", "atom:title", "atom:summary", "atom:published", "atom:updated")


def recognises(head: str, name: str) -> bool:
    """Whether it is RSS or Atom that speaks of arXiv, and no answer to a query."""
    is_feed = "<rss" in head or ("<feed" in head and NAMES["search"] not in head and "api/errors" not in head)
    return is_feed and "arxiv.org" in head.lower()


def parse(text: str, page: Page) -> Iterator[RawPaper | Refusal]:
    """The papers of the feed, in its order."""
    return iter(read_page(text.encode("utf-8", "surrogateescape"), page).papers)


def read_page(data: bytes, page: Page) -> FeedPage:
    """The same, with the feed's day; raises `UnknownSource` for anything else, for a feed that is an error,
    and for one of another day than was given."""
    root = xml.document(data, page.origin)
    if root.tag not in ("rss", f"{{{NAMES['atom']}}}feed"):
        raise UnknownSource(page.origin, "not a feed")
    form = _RSS if root.tag == "rss" else _ATOM
    feed = root.find(form.feed, NAMES)
    if feed is None:
        raise UnknownSource(page.origin, "a feed without a channel")
    title = xml.text_of(feed, form.title, NAMES)
    if title.startswith("Feed error"):
        reason = xml.text_of(feed, "description" if form is _RSS else "atom:subtitle", NAMES)
        raise UnknownSource(page.origin, f"arXiv answers with an error: {title}: {reason}")
    day = _day(feed, form, page)
    papers = tuple(_paper(item, form, page, day) for item in feed.iterfind(form.item, NAMES))
    return FeedPage(papers, day, moment(xml.text_of(feed, form.built, NAMES)))


def _day(feed: xml.Element, form: _Form, page: Page) -> date | None:
    """The day that the feed is dated, or else its first item: all items are of one day."""
    dated = xml.text_of(feed, form.published, NAMES)
    dated = dated or xml.text_of(feed, f"{form.item}/{form.published}", NAMES)
    published = moment(dated)
    if dated and published is None:
        raise UnknownSource(page.origin, f"the feed's date is no moment: {dated[:40]!a}")
    stated = published.astimezone(ZoneInfo(ZONE)).date() if published else None
    if page.day is not None and stated not in (None, page.day):
        raise UnknownSource(page.origin, f"the feed is of {stated}, but the day given is {page.day}")
    return stated or page.day


def _paper(item: xml.Element, form: _Form, page: Page, day: date | None) -> RawPaper | Refusal:
    line = xml.line_of(item)
    title = xml.text_of(item, form.title, NAMES)
    found = _DESCRIPTION.match(xml.text_of(item, form.description, NAMES))
    identity = arxiv_id(found["id"]) if found else None
    if found is None or identity is None:
        return Refusal(page.origin, line, f"no arXiv identifier and abstract: {title[:60]!a}")
    abstract = found["abstract"].strip()
    kind = xml.text_of(item, "arxiv:announce_type", NAMES) or found["type"]
    if kind not in _SECTIONS:
        return Refusal(page.origin, line, f"{identity.number}: no announcement is called {kind[:40]!a}")
    if reason := xml.flaw_of(item):
        return Refusal(page.origin, line, f"{identity.number}: {reason}")
    categories = _categories(item)
    if not abstract or not categories:
        what = "categories" if abstract else "abstract"
        return Refusal(page.origin, line, f"{identity.number} has no {what}")
    return RawPaper(
        identifier=identity.identifier,
        title=characters.squeeze(title),
        abstract=abstract,
        authors=_authors(item),
        categories=categories,
        day=day,
        section=_SECTIONS[kind],
        url=None,
        source=NAME,
        line=line,
        version=identity.version,
        is_withdrawn=says_withdrawn("", abstract),
    )


def _categories(item: xml.Element) -> tuple[str, ...]:
    terms = [found.get("term") or (found.text or "") for found in item.iterfind("category")]
    terms += [found.get("term") or "" for found in item.iterfind("atom:category", NAMES)]
    return tuple(dict.fromkeys(term for term in map(str.strip, map(str, terms)) if is_category(term)))


def _authors(item: xml.Element) -> tuple[str, ...]:
    """One string with all names and, in brackets, affiliations; or an element for each author."""
    creators = xml.texts_of(item, "dc:creator", NAMES) or xml.texts_of(item, "atom:author/atom:name", NAMES)
    return tuple(name for creator in creators for name in arxiv_names(_ANCHOR.sub("", creator)))


SOURCE = Source(NAME, "arXiv's daily feed (RSS or Atom)", recognises, parse)
