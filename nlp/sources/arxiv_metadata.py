"""Metadata of OAI-PMH records in arXiv's forms: arXivRaw, arXiv, oai_dc.

Only arXivRaw says when the first version was submitted: `created` of the form arXiv can be that of the last
one, and `dc:date` is a day. https://info.arxiv.org/help/oa/index.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from nlp.sources import xml
from nlp.sources.arxiv_api import is_category
from nlp.sources.arxiv_names import arxiv_names
from nlp.sources.moments import moment

NAMES = {
    "oai": "http://www.openarchives.org/OAI/2.0/",
    "raw": "http://arxiv.org/OAI/arXivRaw/",
    "arxiv": "http://arxiv.org/OAI/arXiv/",
    "oai_dc": "http://www.openarchives.org/OAI/2.0/oai_dc/",
    "dc": "http://purl.org/dc/elements/1.1/",
}
_WITHDRAWN = "I"  # among a version's flags: there is no source of it


@dataclass(frozen=True, slots=True)
class Metadata:
    """What of a record the three forms share."""

    title: str
    abstract: str
    authors: tuple[str, ...]
    categories: tuple[str, ...]
    comment: str
    version: int | None = None
    submitted_at: datetime | None = None
    is_withdrawn: bool = False


def metadata_of(record: xml.Element) -> Metadata:
    """The metadata in whichever form they are; raises `ValueError`."""
    forms: dict[str, Callable[[xml.Element, xml.Element], Metadata]] = {
        "raw:arXivRaw": _raw, "arxiv:arXiv": _arxiv, "oai_dc:dc": _dublin_core,
    }  # fmt: skip
    for path, read in forms.items():
        found = record.find(f"oai:metadata/{path}", NAMES)
        if found is not None:
            return read(found, record)
    if record.find("oai:metadata", NAMES) is None:  # by the protocol only deleted ones have none, and say so
        raise ValueError("it has no metadata, and is not said to be deleted")
    raise ValueError("its metadata are in none of the forms arXivRaw, arXiv and oai_dc")


def _raw(found: xml.Element, record: xml.Element) -> Metadata:
    versions = {}
    for version in found.iterfind("raw:version", NAMES):
        named = re.fullmatch(r"v([0-9]{1,4})", version.get("version") or "")
        if named:
            versions[int(named[1])] = version
    last = max(versions, default=None)
    return Metadata(
        xml.text_of(found, "raw:title", NAMES),
        xml.text_of(found, "raw:abstract", NAMES),
        arxiv_names(xml.text_of(found, "raw:authors", NAMES)),
        _categories(xml.text_of(found, "raw:categories", NAMES).split()),
        xml.text_of(found, "raw:comments", NAMES),
        last,
        _submitted(versions[1]) if 1 in versions else None,
        last is not None and _WITHDRAWN in xml.text_of(versions[last], "raw:source_type", NAMES),
    )


def _arxiv(found: xml.Element, record: xml.Element) -> Metadata:
    names = []
    for author in found.iterfind("arxiv:authors/arxiv:author", NAMES):
        parts = (xml.text_of(author, f"arxiv:{part}", NAMES) for part in ("forenames", "keyname", "suffix"))
        names.append(" ".join(part for part in parts if part))
    return Metadata(
        xml.text_of(found, "arxiv:title", NAMES),
        xml.text_of(found, "arxiv:abstract", NAMES),
        tuple(name for line in names for name in arxiv_names(line)),
        _categories(xml.text_of(found, "arxiv:categories", NAMES).split()),
        xml.text_of(found, "arxiv:comments", NAMES),
    )


def _dublin_core(found: xml.Element, record: xml.Element) -> Metadata:
    """Categories have names here and no codes; the sets of the header have them."""
    descriptions = xml.texts_of(found, "dc:description", NAMES)
    creators = (creator.partition(", ") for creator in xml.texts_of(found, "dc:creator", NAMES))
    names = (f"{forenames} {key}".strip() for key, _, forenames in creators)
    return Metadata(
        xml.text_of(found, "dc:title", NAMES),
        descriptions[0] if descriptions else "",
        tuple(name for line in names for name in arxiv_names(line)),
        categories_of_sets(record),
        " ".join(descriptions[1:]),
    )


def categories_of_sets(record: xml.Element) -> tuple[str, ...]:
    """The categories of a header's sets: "cs:cs:LG" is cs.LG, "physics:hep-ex" is hep-ex."""
    sets = xml.texts_of(record, "oai:header/oai:setSpec", NAMES)
    return _categories(name.partition(":")[2].replace(":", ".") for name in sets)


def _categories(terms: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for term in terms if is_category(term)))


def _submitted(version: xml.Element) -> datetime:
    dated = xml.text_of(version, "raw:date", NAMES)
    found = moment(dated)
    if found is None:
        raise ValueError(f"its first version has no moment: {dated[:40]!a}")
    return found
