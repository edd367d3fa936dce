"""A client that asks politely and believes no answer that is not whole.

Requests keep an interval; an answer that says "not now" is asked for again, later each time; what else goes
wrong is a `FetchError` with address, reason and advice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from types import TracebackType

import httpx

from nlp.fetching.answers import Answer, Validators, Wanted, check_kind, check_whole
from nlp.fetching.errors import (
    FetchError,
    Passing,
    RequestRefused,
    ServerFailed,
    TooLarge,
    TooLongToWait,
    Unreachable,
)
from nlp.fetching.waiting import (
    ATTEMPTS,
    INTERVAL_SECONDS,
    LONGEST_PAUSE_SECONDS,
    Timing,
    asked_seconds,
    pause_seconds,
)

MOST_BYTES = 64 * 2**20  # unpacked; 2,000 records of arXiv have about 6 MB
MOST_REDIRECTS = 3
LONGEST_ANSWER_SECONDS = 300  # from the request to the last byte, however steadily they drip
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


class Client:
    """Asks one server, one request after another.

    ``agent`` names the program, its version and a contact; ``on_pause`` is told how many seconds pass before
    something is asked for again, and why.
    """

    def __init__(
        self,
        agent: str,
        timing: Timing,
        *,
        interval_seconds: float = INTERVAL_SECONDS,
        timeout_seconds: float = 60.0,
        on_pause: Callable[[float, FetchError], None] | None = None,
    ) -> None:
        self._timing = timing
        self._on_pause = on_pause
        self._interval_seconds = interval_seconds
        self._asked_at: datetime | None = None
        self._http = httpx.Client(
            headers={"User-Agent": agent},
            timeout=httpx.Timeout(timeout_seconds, connect=min(timeout_seconds, 15.0)),
            follow_redirects=True,
            max_redirects=MOST_REDIRECTS,
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def get(
        self,
        address: str,
        parameters: Mapping[str, str],
        wanted: Wanted,
        validators: Validators | None = None,
    ) -> Answer | None:
        """The answer, or None when it is the one that ``validators`` name. Raises `FetchError`."""
        url = httpx.URL(address).copy_merge_params(dict(parameters))
        headers = _conditions(validators)
        for attempt in range(1, ATTEMPTS + 1):
            self._keep_the_interval()
            try:
                return self._ask(url, headers, wanted)
            except Passing as passing:
                last = passing.error
                if attempt < ATTEMPTS:
                    self.pause(attempt, passing.error, passing.asked_seconds)
        raise type(last)(last.address, f"{last.reason}, {ATTEMPTS} times in a row", last.advice)

    def pause(self, attempt: int, error: FetchError, asked: float | None = None) -> None:
        """Wait before asking again after the failed ``attempt`` (1 is the first), ``asked`` seconds or more.

        Raises `TooLongToWait` where that is longer than a command should wait.
        """
        if asked is not None and asked > LONGEST_PAUSE_SECONDS:
            advice = f"It asks to wait for {asked / 60:,.0f} minutes; run the same command again then."
            raise TooLongToWait(error.address, error.reason, advice)
        seconds = pause_seconds(attempt, asked, self._timing.chance())
        if self._on_pause is not None:
            self._on_pause(seconds, error)
        self._timing.sleep(seconds)

    def _ask(self, url: httpx.URL, headers: dict[str, str], wanted: Wanted) -> Answer | None:
        began = self._timing.now()
        try:
            with self._http.stream("GET", url, headers=headers) as response:
                if headers and response.status_code == httpx.codes.NOT_MODIFIED:
                    return None
                if url.scheme == "https" and response.url.scheme != "https":
                    raise RequestRefused(str(url), f"it leads to {response.url}, unencrypted", _CHECK)
                self._check_status(str(url), response)
                check_kind(str(url), response.headers, wanted)
                data = self._body(str(url), response, began)
        except httpx.TooManyRedirects:
            raise RequestRefused(str(url), "it leads from one address to the next", _CHECK) from None
        except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise RequestRefused(str(url), f"no address that can be asked: {error}", _CHECK) from None
        except httpx.TimeoutException:
            raise Passing(Unreachable(str(url), "no answer in time")) from None
        except httpx.HTTPError as error:
            raise Passing(Unreachable(str(url), _in_words(error))) from None
        check_whole(str(url), data, wanted)
        found = response.headers
        return Answer(str(url), data, Validators(found.get("ETag"), found.get("Last-Modified")))

    def _check_status(self, address: str, response: httpx.Response) -> None:
        status = response.status_code
        if status == httpx.codes.OK:
            return
        said = f"status {status} {response.reason_phrase}".rstrip()
        if status in PASSING:
            asked = asked_seconds(response.headers.get("Retry-After"), self._timing.now())
            raise Passing(ServerFailed(address, said), asked)
        raise RequestRefused(address, said, _CHECK)

    def _body(self, address: str, response: httpx.Response, began: datetime) -> bytes:
        data = bytearray()
        for piece in response.iter_bytes():
            data += piece
            if len(data) > MOST_BYTES:
                raise TooLarge(address, f"more than {MOST_BYTES // 2**20} MB", _CHECK)
            if (self._timing.now() - began).total_seconds() > LONGEST_ANSWER_SECONDS:
                raise Passing(Unreachable(address, f"not done after {LONGEST_ANSWER_SECONDS} seconds"))
        return bytes(data)

    def _keep_the_interval(self) -> None:
        if self._asked_at is not None:
            passed = (self._timing.now() - self._asked_at).total_seconds()
            if passed < self._interval_seconds:
                # A clock that was set back must not make this wait for hours.
                self._timing.sleep(min(self._interval_seconds, self._interval_seconds - passed))
        self._asked_at = self._timing.now()


_CHECK = "Check the address in the settings; README.md lists them."


def _conditions(validators: Validators | None) -> dict[str, str]:
    found = validators or Validators()
    named = {"If-None-Match": found.etag, "If-Modified-Since": found.last_modified}
    return {name: value for name, value in named.items() if value}


def _in_words(error: httpx.HTTPError) -> str:
    text = re.sub(r"^\[Errno -?[0-9]+\] ", "", str(error).strip()) or type(error).__name__
    return text[:1].lower() + text[1:].rstrip(".")
