"""The file that checkpoints of the ledger are kept in outside the database: a line of JSON each."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from market.checkpoints import SignedRoot


class BadCheckpointFile(Exception):
    """A line of the file is no checkpoint; the message names file and line."""


def read_checkpoints(path: Path) -> list[SignedRoot]:
    """The checkpoints of the file, in order; none where there is no file. Raises `BadCheckpointFile`."""
    if not path.exists():
        return []
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            found.append(_parsed(line))
        except (ValueError, TypeError, KeyError):
            raise BadCheckpointFile(f"{path}:{number}: this is not a checkpoint of the ledger") from None
    return found


def append_checkpoints(path: Path, checkpoints: Sequence[SignedRoot]) -> None:
    """Add the checkpoints to the file; when this returns they are on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for checkpoint in checkpoints:
            fields = {**asdict(checkpoint), "made_at": checkpoint.made_at.isoformat()}
            file.write(json.dumps(fields) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _parsed(line: str) -> SignedRoot:
    fields = json.loads(line)
    return SignedRoot(
        int(fields["number"]), datetime.fromisoformat(fields["made_at"]), str(fields["root"]),
        str(fields["signature"]),
    )  # fmt: skip
