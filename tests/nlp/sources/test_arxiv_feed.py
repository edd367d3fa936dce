"""arXiv's daily feeds: how papers are announced, and feeds that only look right."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source
from nlp.sources.arxiv_feed import FeedPage, read_page
from nlp.sources.source import Page
from tests.conftest import SHARED_DATA

ITEM = """    <item>
      <title>Tea &amp; Cake for Kettle Networks</title>
      <link>https://arxiv.org/abs/2605.01234</link>
      <description>arXiv:2605.01234v1 Announce Type: new \nAbstract: Kettles with $n&lt;m$ and &lt;b&gt;bold&lt;/b&gt;; &amp;amp;.</description>
      <guid isPermaLink="false">oai:arXiv.org:2605.01234v1</guid>
      <category>cs.LG</category><category>stat.ML</category>
      <pubDate>Fri, 15 May 2026 00:00:00 -0400</pubDate>
      <arxiv:announce_type>new</arxiv:announce_type>
      <dc:creator>Ana Kettle (Pot Lab, Dept. of Tea), Bob Lid Jr</dc:creator>
    </item>
"""  # noqa: E501
BUILT = "Fri, 15 May 2026 04:00:11 +0000"


def feed(*items: str, built: str = BUILT, published: str = "Fri, 15 May 2026 00:00:00 -0400") -> bytes:
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss xmlns:arxiv="http://arxiv.org/schemas/atom" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0">\n  <channel>\n'
        "    <title>cs.LG updates on arXiv.org</title>\n    <link>http://rss.arxiv.org/rss/cs.LG</link>\n"
        f"    <lastBuildDate>{built}</lastBuildDate>\n    <pubDate>{published}</pubDate>\n"
        "    <skipDays><day>Saturday</day><day>Sunday</day></skipDays>\n"
    )
    return (head + "".join(items) + "  </channel>\n</rss>\n").encode()


def paper(item: str = ITEM) -> RawPaper:
    (found,) = read_page(feed(item), Page("feed.xml")).papers
    assert isinstance(found, RawPaper), found
    return found


def test_an_item() -> None:
    found = paper()
    assert (found.identifier, found.version, found.section) == ("arxiv:2605.01234", 1, Section.NEW)
    assert found.abstract == "Kettles with $n<m$ and <b>bold</b>; &amp;."  # decoded once
    assert found.authors == ("Ana Kettle", "Bob Lid Jr")  # the comma in brackets parts nothing
    assert found.categories == ("cs.LG", "stat.ML")
    assert found.day == date(2026, 5, 15)
    assert found.line == 9


@pytest.mark.parametrize(
    ("kind", "version", "section"),
    [
        ("new", "v1", Section.NEW),
        ("cross", "v1", Section.CROSS),
        ("replace", "v2", Section.REPLACED),
        ("replace-cross", "v3", Section.REPLACED),
    ],
)
def test_how_a_paper_is_announced(kind: str, version: str, section: Section) -> None:
    item = ITEM.replace(">new<", f">{kind}<").replace("Type: new", f"Type: {kind}")
    item = item.replace("01234v1", f"01234{version}")
    found = paper(item)
    assert (found.section, found.version) == (section, int(version[1:]))
    assert paper(item.replace(f"<arxiv:announce_type>{kind}</arxiv:announce_type>", "")).section is section


def test_yesterday_s_batch_under_a_new_build_date_is_of_yesterday() -> None:
    page = read_page(feed(ITEM, built="Sat, 16 May 2026 04:00:11 +0000"), Page("feed.xml"))
    assert page.day == date(2026, 5, 15)
    assert page.built_at == datetime(2026, 5, 16, 4, 0, 11, tzinfo=UTC)


def test_a_day_without_announcements_is_a_feed_without_items() -> None:
    built_at = datetime(2026, 5, 15, 4, 0, 11, tzinfo=UTC)
    assert read_page(feed(), Page("feed.xml")) == FeedPage((), date(2026, 5, 15), built_at)


def test_an_error_is_a_feed_that_looks_valid() -> None:
    data = feed().replace(b"cs.LG updates on arXiv.org", b"Feed error for query: cs.XX")
    data = data.replace(b"</title>", b"</title><description>Bad subject class</description>")
    with pytest.raises(UnknownSource, match=r"an error: Feed error for query: cs\.XX: Bad subject class"):
        read_page(data, Page("feed.xml"))


def test_the_day_is_that_of_new_york() -> None:
    late = feed(ITEM, published="Sat, 16 May 2026 03:59:59 +0000")
    assert read_page(late, Page("feed.xml")).day == date(2026, 5, 15)


def test_a_feed_without_a_date_is_of_its_items_day() -> None:
    data = feed(ITEM).replace(b"    <pubDate>Fri, 15 May 2026 00:00:00 -0400</pubDate>\n", b"", 1)
    assert read_page(data, Page("feed.xml")).day == date(2026, 5, 15)
    undated = data.replace(b"<pubDate>Fri, 15 May 2026 00:00:00 -0400</pubDate>", b"")
    assert read_page(undated, Page("feed.xml")).day is None
    assert read_page(undated, Page("feed.xml", day=date(2026, 5, 14))).day == date(2026, 5, 14)


@pytest.mark.parametrize("published", ["yesterday", "9999-12-31T23:59:59-12:00", "Fri, 15 May 2026 00:00:00"])
def test_a_date_that_is_no_moment_is_no_day(published: str) -> None:
    with pytest.raises(UnknownSource, match="the feed's date is no moment"):
        read_page(feed(ITEM, published=published), Page("feed.xml"))


@pytest.mark.parametrize("data", [b"", b"\n", b"<html/>", feed(ITEM)[:700], b"Too many requests", b"<rss/>"])
def test_what_is_no_feed_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(UnknownSource):
        read_page(data, Page("feed.xml"))


def test_a_feed_of_another_day_than_was_given() -> None:
    with pytest.raises(UnknownSource, match="the feed is of 2026-05-15, but the day given is 2026-05-16"):
        read_page(feed(ITEM), Page("feed.xml", day=date(2026, 5, 16)))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("arXiv:2605.01234v1 ", "", "no arXiv identifier and abstract"),
        (">new<", ">renewed<", "no announcement is called 'renewed'"),
        ("<category>cs.LG</category><category>stat.ML</category>", "", "has no categories"),
    ],
)
def test_what_is_wrong_with_an_item(old: str, new: str, reason: str) -> None:
    (refusal,) = read_page(feed(ITEM.replace(old, new)), Page("feed.xml")).papers
    assert isinstance(refusal, Refusal)
    assert (refusal.line, reason in refusal.reason) == (9, True)


def test_anchors_round_authors_of_old_feeds() -> None:
    names = '&lt;a href="http://arxiv.org/a/x"&gt;Ana Kettle&lt;/a&gt;, &lt;a href="y"&gt;Bob Lid&lt;/a&gt;'
    item = ITEM.replace("Ana Kettle (Pot Lab, Dept. of Tea), Bob Lid Jr", names)
    assert paper(item).authors == ("Ana Kettle", "Bob Lid")


def test_the_atom_form() -> None:
    data = b"""<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns="http://www.w3.org/2005/Atom">
  <id>http://rss.arxiv.org/atom/cs.LG</id>
  <title>cs.LG updates on arXiv.org</title>
  <updated>2026-05-15T04:00:11.000000+00:00</updated>
  <entry>
    <id>oai:arXiv.org:2605.01234v1</id>
    <title>Tea</title>
    <link href="https://arxiv.org/abs/2605.01234" rel="alternate" type="text/html"/>
    <summary>arXiv:2605.01234v1 Announce Type: cross \nAbstract: Kettles.</summary>
    <category term="cs.AR"/><category term="cs.LG"/>
    <published>2026-05-15T00:00:00-04:00</published>
    <arxiv:announce_type>cross</arxiv:announce_type>
    <dc:creator>Ana Kettle, Bob Lid</dc:creator>
  </entry>
</feed>"""
    (found,) = read_source(data, "atom.xml")
    assert isinstance(found, RawPaper)
    assert (found.source, found.section, found.day) == ("arxiv-feed", Section.CROSS, date(2026, 5, 15))
    assert (found.abstract, found.categories) == ("Kettles.", ("cs.AR", "cs.LG"))
    assert found.authors == ("Ana Kettle", "Bob Lid")


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="shared/data is not here")
def test_the_sample() -> None:
    found = list(read_source((SHARED_DATA / "fixtures" / "rss.xml").read_bytes(), "rss.xml"))
    sections = [each.section for each in found if isinstance(each, RawPaper)]
    assert sections == [Section.NEW, Section.REPLACED]


@given(st.integers(0, len(feed(ITEM, ITEM)) - 2))
def test_a_feed_cut_anywhere_is_no_feed(at: int) -> None:
    with pytest.raises(UnknownSource):
        read_page(feed(ITEM, ITEM)[:at], Page("feed.xml"))
