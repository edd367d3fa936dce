"""A real server on a demonstration built once, and the system's chromium to open its pages with."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, sync_playwright

from tests.browser.visits import Visit

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from web.cli import main; main(prog_name='peer-revenue')"]
CHROMIUM_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a demonstration that is built and not served."""
    folder = tmp_path_factory.mktemp("demonstration")
    command = [*COMMAND, "demo", "--no-serve", "--data", str(folder)]
    subprocess.run(command, check=True, env=_environment(), cwd=ROOT)
    return folder


@pytest.fixture(scope="session")
def origin(demonstration: Path) -> Iterator[str]:
    """The address at which `peer-revenue demo` serves that demonstration."""
    command = [*COMMAND, "demo", "--data", str(demonstration), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=_environment(), cwd=ROOT) as server:
        assert server.stdout is not None
        line = server.stdout.readline().strip()
        try:
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+", line), line
            yield line
        finally:
            server.terminate()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("there is no chromium on this machine; Debian's package is called chromium")
    with sync_playwright() as playwright:
        yield from _launched(playwright, path)


def _launched(playwright: Playwright, path: str) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
    yield browser
    browser.close()


@pytest.fixture
def visit(browser: Browser, origin: str) -> Iterator[Callable[..., Visit]]:
    """Makes visitors: `visit(java_script_enabled=False, ...)`. No fault that a browser saw is forgiven."""
    contexts: list[BrowserContext] = []
    visits: list[Visit] = []

    def make(**options: object) -> Visit:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        context.set_default_timeout(10_000)
        contexts.append(context)
        visits.append(Visit(context, origin))
        return visits[-1]

    yield make
    for context in contexts:
        context.close()
    assert [fault for one in visits for fault in one.faults] == []


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where pictures of pages are kept: the folder SCREENSHOTS names, or tests/output/screenshots."""
    folder = Path(os.environ.get("SCREENSHOTS") or ROOT / "tests" / "output" / "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _environment() -> dict[str, str]:
    """The machine's environment without settings of the program that somebody may have made."""
    ours = ("DATABASE_URL", "SECRET_KEY")
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ours and not name.startswith("PEER_REVENUE_")
    }
