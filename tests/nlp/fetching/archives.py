"""arXiv as it answers: queries by the moment of submission, and lists of records that changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from tests.nlp.fetching.documents import Made, atom, oai, oai_error
from tests.nlp.fetching.misbehaving import Asked, Reply


class Queried:
    """The query interface; `capped` is the most that it gives in a page."""

    def __init__(self, papers: Sequence[Made], capped: int = 2000) -> None:
        self.papers = sorted(papers, key=lambda paper: paper.submitted_at)
        self.capped = capped
        self.count = len(papers)

    def __call__(self, asked: Asked) -> Reply:
        start, most = int(asked.query["start"]), int(asked.query["max_results"])
        found = self.found(asked)
        return Reply(atom(found[start : start + min(most, self.capped)], len(found), start))

    def found(self, asked: Asked) -> list[Made]:
        category, _, dates = asked.query["search_query"].partition(" AND submittedDate:")
        assert category == "cat:cs.LG"
        assert (asked.query["sortBy"], asked.query["sortOrder"]) == ("submittedDate", "ascending")
        first, last = (
            datetime.strptime(moment, "%Y%m%d%H%M").replace(tzinfo=UTC)
            for moment in dates.strip("[]").split(" TO ")
        )
        return [paper for paper in self.papers if first <= paper.submitted_at < last + timedelta(minutes=1)]


class Harvested:
    """The archive: parts of `size`; `forgets` how many tokens."""

    def __init__(self, papers: Sequence[tuple[Made, date]], size: int = 10, forgets: int = 0) -> None:
        self.papers, self.size, self.forgets = list(papers), size, forgets

    def __call__(self, asked: Asked) -> Reply:
        assert asked.query["verb"] == "ListRecords"
        if "resumptionToken" not in asked.query:
            assert (asked.query["metadataPrefix"], asked.query["set"]) == ("arXivRaw", "cs:cs:LG")
            return self.part(f"{asked.query['from']}|{asked.query.get('until', '9999-12-31')}", 0)
        assert set(asked.query) == {"verb", "resumptionToken"}
        if self.forgets:
            self.forgets -= 1
            return Reply(oai_error("badResumptionToken"), kind="text/xml")
        days, _, start = asked.query["resumptionToken"].rpartition("|")
        return self.part(days, int(start))

    def part(self, days: str, start: int) -> Reply:
        first, last = map(date.fromisoformat, days.split("|"))
        found = [(paper, stamp) for paper, stamp in self.papers if first <= stamp <= last]
        if not found:
            return Reply(oai_error("noRecordsMatch"), kind="text/xml")
        end = start + self.size
        return Reply(oai(found[start:end], f"{days}|{end}" if end < len(found) else None), kind="text/xml")
