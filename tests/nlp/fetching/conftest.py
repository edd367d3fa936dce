"""One server for the tests of a module, and a clock and a client for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nlp.fetching.client import Client
from tests.nlp.fetching.clocks import Clock, client_on
from tests.nlp.fetching.misbehaving import Reply, Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda _asked: Reply(status=404)) as server:
        yield server


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(clock: Clock) -> Iterator[Client]:
    with client_on(clock) as client:
        yield client
