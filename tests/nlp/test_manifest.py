from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from nlp.errors import NlpError
from nlp.manifest import BadManifest, ManifestBoard, ManifestDocument, load_manifest

SEEDS = Path(__file__).parents[2] / "seeds"
GOOD = """
[[boards]]
code = "cs.LG"
name = "Machine Learning"
field = "Computer Science"
period = "week"
day_rule = "announced"
time_zone = "Europe/Berlin"
grace_days = 3

[[documents]]
file = "page.txt"
kind = "listing"
board = "cs.LG"
day = 2026-05-16
"""


def test_the_seeds_manifest() -> None:
    manifest = load_manifest(SEEDS / "manifest.toml")
    assert manifest.boards[0] == ManifestBoard(
        code="cs.LG",
        name="Machine Learning",
        field="Computer Science",
        period="week",
        day_rule="announced",
        time_zone="UTC",
        grace_days=3,
    )
    assert [(board.code, board.period) for board in manifest.boards] == [("cs.LG", "week"), ("tmlr", "month")]
    assert [document.day_is_inferred for document in manifest.documents] == [False, False, True]
    assert manifest.documents[2] == ManifestDocument(
        "cs.LG-2026-05-17.txt", "listing", "cs.LG", date(2026, 5, 17), day_is_inferred=True
    )
    assert {document.file for document in manifest.documents} == {file.name for file in SEEDS.glob("*.txt")}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('code = "cs.LG"\n', "", "boards[1].code: missing"),
        ('code = "cs.LG"', 'code = " "', "boards[1].code: empty"),
        ("grace_days = 3", "grace_days = -1", "boards[1].grace_days: less than 0"),
        ("grace_days = 3", "grace_days = true", "boards[1].grace_days: a whole number is wanted, not True"),
        ("grace_days = 3", "grace = 3\ngrace_days = 3", "boards[1].grace: not a key of a manifest"),
        ('"week"', '"day"', "boards[1].period: 'day' is none of week, month"),
        ('"announced"', '"guessed"', "boards[1].day_rule: 'guessed' is none of announced, submitted"),
        ("Europe/Berlin", "Mars/Base", "boards[1].time_zone: there is no time zone 'Mars/Base'"),
        ("Europe/Berlin", "../zone", "boards[1].time_zone: there is no time zone '../zone'"),
        ('"listing"', '"list"', "documents[1].kind: 'list' is none of tmlr-digest, "),
        ('board = "cs.LG"', 'board = "cs.CV"', "documents[1].board: 'cs.CV' is none of cs.LG"),
        ("day = 2026-05-16", 'day = "2026-05-16"', "documents[1].day: a day is wanted, not '2026-05-16'"),
        ("day = 2026-05-16", "day = 2026-05-16T00:00:00", "documents[1].day: a day is wanted, not datetime."),
        ("page.txt", "../page.txt", "documents[1].file: '../page.txt' does not stand beside the manifest"),
        ("page.txt", "..", "documents[1].file: '..' does not stand beside the manifest"),
        ("[[documents]]", "[[document]]", "document: not a key of a manifest"),
        ("[[documents]]", "[documents]", "documents: at least one [[documents]] is wanted"),
        (GOOD, "boards = [1]\ndocuments = []", "boards[1]: a table is wanted"),
        (GOOD, "", "boards: at least one [[boards]] is wanted"),
        (GOOD, "boards = ", "not a TOML file: Invalid value"),
        (GOOD, GOOD + GOOD, "boards[2].code: 'cs.LG' stands twice"),
        (GOOD, GOOD + GOOD[GOOD.index("[[doc") :], "documents[2].file: 'page.txt' stands twice"),
    ],
)
def test_an_error_names_the_file_and_the_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "manifest.toml"
    assert old in GOOD
    file.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(BadManifest) as caught:
        load_manifest(file)
    assert str(caught.value).startswith(f"{file}: {message}")


def test_a_manifest_that_is_no_text_or_not_there(tmp_path: Path) -> None:
    file = tmp_path / "manifest.toml"
    with pytest.raises(NlpError, match="cannot be read"):
        load_manifest(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(NlpError, match="not a TOML file"):
        load_manifest(file)
