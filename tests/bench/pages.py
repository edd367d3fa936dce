"""What pages cost: python -m tests.bench.pages [--database URL] [--rounds 40]

Milliseconds in the application (no network), database queries, bytes as sent to a browser that takes gzip.
Without --database a demonstration is built in a temporary folder first.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from sqlalchemy import Engine, event

from market.db import engine_for, upgrade
from market.demonstration import CLOCK, build
from web import create_app
from web.cli.progress import Progress
from web.config import load_settings

PAGES = (
    "/cs.LG/2026-05-16",
    "/tmlr/2026-02-22",
    "/cs.LG/terms/large-language-model",
    "/cs.LG/terms/",
    "/cs.LG/trending",
    "/cs.LG/trending?known=2026-05-16",
    "/cs.LG/compare?term=large-language-model&term=diffusion-model",
    "/trending",
    "/about",
)
SEEDS = Path(__file__).parents[2] / "seeds"


def measure(engine: Engine, instance: Path, rounds: int) -> None:
    """Print one line for each page."""
    client = create_app(load_settings(market_clock=CLOCK, instance_folder=instance), engine).test_client()
    queries: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *given: queries.append(given[2]))
    print(f"{'page':36} {'p50 ms':>8} {'p95 ms':>8} {'queries':>8} {'kB gzip':>8} {'kB':>8}")
    for page in PAGES:
        plain = client.get(page)
        assert plain.status_code == 200, f"{page}: {plain.status}"
        queries.clear()
        packed = client.get(page, headers={"Accept-Encoding": "gzip"})
        query_count = sum(query.startswith("SELECT") for query in queries)
        times = sorted(_milliseconds(client, page) for _ in range(rounds))
        print(
            f"{page:36} {statistics.median(times):8.1f} {times[int(len(times) * 0.95)]:8.1f} {query_count:8} "
            f"{len(packed.data) / 1000:8.1f} {len(plain.data) / 1000:8.1f}"
        )


def _milliseconds(client: object, page: str) -> float:
    began = time.perf_counter()
    client.get(page)  # type: ignore[attr-defined]
    return (time.perf_counter() - began) * 1000


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--database")
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = engine_for(given.database or f"sqlite:///{folder}/demo.sqlite")
        if given.database is None:
            upgrade(engine)
            build(engine, SEEDS, Progress(), with_robots=True)
        measure(engine, Path(folder), given.rounds)
        engine.dispose()


if __name__ == "__main__":
    main()
