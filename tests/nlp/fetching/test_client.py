"""A client against a server that misbehaves: what is asked for again, what is believed, what is said."""

from __future__ import annotations

import gzip
import socket

import pytest

from nlp.fetching import client as module
from nlp.fetching.answers import Answer, Validators, Wanted
from nlp.fetching.client import Client
from nlp.fetching.errors import (
    FetchError,
    NotWhole,
    RequestRefused,
    ServerFailed,
    TooLarge,
    TooLongToWait,
    Unreachable,
    WrongContent,
)
from tests.nlp.fetching.clocks import AGENT, Clock, client_on
from tests.nlp.fetching.misbehaving import Asked, Reply, Server

FEED = Wanted(("xml",), (b"</feed>",))
WHOLE = b"<feed>kettles</feed>\n"
GOOD = Reply(WHOLE)


def get(client: Client, server: Server, path: str = "/api") -> Answer | None:
    return client.get(server.address + path, {"start": "0"}, FEED)


def test_a_request_says_who_asks_and_what_for(client: Client, server: Server) -> None:
    server.answer_in_turn(GOOD)
    answer = client.get(f"{server.address}/api", {"q": "cat:cs.LG AND x:[1 TO 2]"}, FEED)
    assert answer is not None
    assert answer.data == WHOLE
    [asked] = server.asked
    assert (asked.path, asked.query) == ("/api", {"q": "cat:cs.LG AND x:[1 TO 2]"})
    assert asked.headers["user-agent"] == AGENT
    assert "if-none-match" not in asked.headers


def test_requests_keep_their_interval(server: Server) -> None:
    server.answer_in_turn(GOOD)
    clock = Clock()
    with client_on(clock, interval_seconds=3) as client:
        get(client, server)
        assert clock.slept == []
        get(client, server)
        clock.timing().sleep(1)
        get(client, server)
        clock.timing().sleep(4)
        get(client, server)
    assert clock.slept == [3, 1, 2, 4]


def test_a_clock_that_is_set_back_delays_by_the_interval_at_most(server: Server) -> None:
    server.answer_in_turn(GOOD)
    clock = Clock()
    with client_on(clock, interval_seconds=3) as client:
        get(client, server)
        clock.moment = clock.moment.replace(year=2025)
        get(client, server)
    assert clock.slept == [3]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_server_that_cannot_now_is_asked_again_later_each_time(
    client: Client, clock: Clock, server: Server, status: int
) -> None:
    server.answer_in_turn(Reply(status=status), Reply(status=status), GOOD)
    answer = get(client, server)
    assert answer is not None
    assert answer.data == WHOLE
    assert clock.slept == [5, 10]


def test_a_pause_is_told_with_its_reason(server: Server) -> None:
    server.answer_in_turn(Reply(status=429, headers={"Retry-After": "30"}), GOOD)
    told: list[tuple[float, str]] = []
    timing = Clock().timing()
    with Client(AGENT, timing, on_pause=lambda seconds, error: told.append((seconds, error.brief))) as client:
        get(client, server)
    assert told == [(30, "127.0.0.1: status 429 Too Many Requests")]


def test_chance_keeps_clients_from_coming_back_together(server: Server) -> None:
    server.answer_in_turn(Reply(status=500), GOOD)
    clock = Clock(chance=0.5)
    with client_on(clock) as client:
        get(client, server)
    assert clock.slept == [6.25]


@pytest.mark.parametrize(
    ("retry_after", "slept"),
    [("30", 30), ("1", 5), ("Fri, 15 May 2026 12:00:40 GMT", 40), ("Fri, 15 May 2026 11:00:00 GMT", 5),
     ("soon", 5), ("-1", 5), ("", 5)],
)  # fmt: skip
def test_what_a_server_asks_for_is_done(
    client: Client, clock: Clock, server: Server, retry_after: str, slept: float
) -> None:
    server.answer_in_turn(Reply(status=429, headers={"Retry-After": retry_after}), GOOD)
    assert get(client, server) is not None
    assert clock.slept == [slept]


def test_a_command_does_not_wait_for_hours(client: Client, clock: Clock, server: Server) -> None:
    server.answer_in_turn(Reply(status=503, headers={"Retry-After": "7200"}))
    with pytest.raises(TooLongToWait, match=r"status 503 .*It asks to wait for 120 minutes"):
        get(client, server)
    assert clock.slept == []


def test_a_server_that_stays_down_is_named_with_what_to_do(
    client: Client, clock: Clock, server: Server
) -> None:
    server.answer_in_turn(Reply(status=503))
    with pytest.raises(ServerFailed) as failed:
        get(client, server)
    assert str(failed.value) == (
        f"{server.address}/api?start=0: status 503 Service Unavailable, 5 times in a row. "
        f"Run the same command again later; it goes on where it stopped."
    )
    assert failed.value.brief == "127.0.0.1: status 503 Service Unavailable, 5 times in a row"
    assert len(server.asked) == 5
    assert clock.slept == [5, 10, 20, 40]


BREAKS = {
    "cut short of its length": Reply(WHOLE, sent=9),
    "cut short without a length": Reply(WHOLE[:9], has_length=False),
    "empty": Reply(b""),
    "blank": Reply(b" \n"),
    "reset": Reply(is_reset=True),
    "not the gzip that it says": Reply(WHOLE, headers={"Content-Encoding": "gzip"}),
    "cut gzip": Reply(gzip.compress(WHOLE)[:-12], headers={"Content-Encoding": "gzip"}),
}


@pytest.mark.parametrize("broken", BREAKS.values(), ids=BREAKS)
def test_an_answer_that_is_not_whole_is_asked_for_again(
    client: Client, server: Server, broken: Reply
) -> None:
    server.answer_in_turn(broken, broken, GOOD)
    answer = get(client, server)
    assert answer is not None
    assert answer.data == WHOLE
    assert len(server.asked) == 3


@pytest.mark.parametrize("broken", BREAKS.values(), ids=BREAKS)
def test_it_is_never_believed(client: Client, server: Server, broken: Reply) -> None:
    server.answer_in_turn(broken)
    with pytest.raises((NotWhole, Unreachable), match="5 times in a row"):
        get(client, server)


def test_a_silent_server_is_not_waited_for_longer_than_the_time_out(server: Server) -> None:
    clock = Clock()
    server.answer_in_turn(Reply(is_silent=True), GOOD)
    with client_on(clock, timeout_seconds=0.2) as client:
        assert get(client, server) is not None
    server.answer_in_turn(Reply(is_silent=True))
    impatient = client_on(clock, timeout_seconds=0.05)
    with impatient as client, pytest.raises(Unreachable, match="no answer in time"):
        get(client, server)


def test_an_answer_that_drips_is_given_up(server: Server) -> None:
    clock = Clock(steps=400)  # seconds pass while the body comes
    server.answer_in_turn(GOOD)
    with client_on(clock) as client, pytest.raises(Unreachable, match="not done after 300 seconds"):
        get(client, server)


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    clock = Clock()
    refused = r": connection refused, 5 times in a row\. Run the same"
    with client_on(clock) as client, pytest.raises(Unreachable, match=refused):
        client.get(address, {}, FEED)


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/json", None])
def test_another_kind_of_content_is_no_answer(
    client: Client, clock: Clock, server: Server, kind: str | None
) -> None:
    server.answer_in_turn(Reply(b"<html>come back later</html>", kind=kind))
    with pytest.raises(WrongContent, match=r"content type .* where xml is wanted"):
        get(client, server)
    assert clock.slept == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 204, 206])
def test_a_refusal_is_final(client: Client, server: Server, status: int) -> None:
    server.answer_in_turn(Reply(status=status))
    with pytest.raises(RequestRefused, match=f"status {status}"):
        get(client, server)
    assert len(server.asked) == 1


def test_a_redirect_is_followed_and_a_circle_is_not(client: Client, server: Server) -> None:
    def answer(asked: Asked) -> Reply:
        if asked.path == "/new":
            return GOOD
        return Reply(status=301, headers={"Location": "/new" if asked.path == "/old" else asked.path})

    server.answer = answer
    found = get(client, server, "/old")
    assert found is not None
    assert found.data == WHOLE
    with pytest.raises(RequestRefused, match="it leads from one address to the next"):
        get(client, server, "/round")


def test_a_redirect_to_what_is_no_web_address_is_refused(client: Client, server: Server) -> None:
    server.answer_in_turn(Reply(status=302, headers={"Location": "file:///etc/passwd"}))
    with pytest.raises(FetchError):
        get(client, server)
    assert len(server.asked) == 1


def test_an_answer_without_end_is_cut(
    client: Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 2**20)
    bomb = gzip.compress(b"<feed>" + bytes(2**21) + b"</feed>")
    server.answer_in_turn(Reply(bomb, headers={"Content-Encoding": "gzip"}))
    with pytest.raises(TooLarge, match="more than 1 MB"):
        get(client, server)


def test_the_same_answer_is_not_sent_twice(client: Client, server: Server) -> None:
    def answer(asked: Asked) -> Reply:
        if asked.headers.get("if-none-match") == '"tea"':
            return Reply(status=304)
        return Reply(WHOLE, headers={"ETag": '"tea"', "Last-Modified": "Fri, 15 May 2026 04:00:11 GMT"})

    server.answer = answer
    first = get(client, server)
    assert first is not None
    assert first.validators == Validators('"tea"', "Fri, 15 May 2026 04:00:11 GMT")
    assert client.get(f"{server.address}/api", {}, FEED, first.validators) is None
    assert server.asked[1].headers["if-modified-since"] == "Fri, 15 May 2026 04:00:11 GMT"


def test_a_server_that_answers_304_unasked_has_no_answer(client: Client, server: Server) -> None:
    server.answer_in_turn(Reply(status=304))
    with pytest.raises(RequestRefused, match="status 304"):
        get(client, server)
