"""A client that asks politely and believes no answer that is not whole.

Requests keep an interval; an answer that says "not now" is asked for again, later each time; what else goes
wrong is a `FetchError` with address, reason and advice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType

import httpx

from nlp.fetching.errors import (
    LATER,
    FetchError,
    NotWhole,
    RequestRefused,
    ServerFailed,
    TooLarge,
    TooLongToWait,
    Unreachable,
    WrongContent,
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


@dataclass(frozen=True, slots=True)
class Validators:
    """What a later request names the answer by, to be told when it is still the same; None for neither."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an answer must be: one of ``kinds`` in its content type, and ``ends`` closes its document."""

    kinds: tuple[str, ...]
    ends: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: its bytes, the address that was asked, and what it can be asked for by again."""

    address: str
    data: bytes
    validators: Validators


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
            except _Passing as passing:
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
                _check_kind(str(url), response, wanted)
                data = self._body(str(url), response, began)
        except httpx.TooManyRedirects:
            raise RequestRefused(str(url), "it leads from one address to the next", _CHECK) from None
        except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise RequestRefused(str(url), f"no address that can be asked: {error}", _CHECK) from None
        except httpx.TimeoutException:
            raise _Passing(Unreachable(str(url), "no answer in time")) from None
        except httpx.HTTPError as error:
            raise _Passing(Unreachable(str(url), _in_words(error))) from None
        _check_whole(str(url), data, wanted)
        found = response.headers
        return Answer(str(url), data, Validators(found.get("ETag"), found.get("Last-Modified")))

    def _check_status(self, address: str, response: httpx.Response) -> None:
        status = response.status_code
        if status == httpx.codes.OK:
            return
        said = f"status {status} {response.reason_phrase}".rstrip()
        if status in PASSING:
            asked = asked_seconds(response.headers.get("Retry-After"), self._timing.now())
            raise _Passing(ServerFailed(address, said), asked)
        raise RequestRefused(address, said, _CHECK)

    def _body(self, address: str, response: httpx.Response, began: datetime) -> bytes:
        data = bytearray()
        for piece in response.iter_bytes():
            data += piece
            if len(data) > MOST_BYTES:
                raise TooLarge(address, f"more than {MOST_BYTES // 2**20} MB", _CHECK)
            if (self._timing.now() - began).total_seconds() > LONGEST_ANSWER_SECONDS:
                raise _Passing(Unreachable(address, f"not done after {LONGEST_ANSWER_SECONDS} seconds"))
        return bytes(data)

    def _keep_the_interval(self) -> None:
        if self._asked_at is not None:
            passed = (self._timing.now() - self._asked_at).total_seconds()
            if passed < self._interval_seconds:
                # A clock that was set back must not make this wait for hours.
                self._timing.sleep(min(self._interval_seconds, self._interval_seconds - passed))
        self._asked_at = self._timing.now()


class _Passing(Exception):
    """What went wrong may be over soon; ``asked_seconds`` is how long the server asked to wait."""

    def __init__(self, error: FetchError, asked_seconds: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.asked_seconds = asked_seconds


_CHECK = "Check the address in the settings; README.md lists them."


def _conditions(validators: Validators | None) -> dict[str, str]:
    found = validators or Validators()
    named = {"If-None-Match": found.etag, "If-Modified-Since": found.last_modified}
    return {name: value for name, value in named.items() if value}


def _check_kind(address: str, response: httpx.Response, wanted: Wanted) -> None:
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if not any(each in kind for each in wanted.kinds):
        reason = f"content type {kind or 'missing'!r} where {' or '.join(wanted.kinds)} is wanted"
        raise WrongContent(address, reason, f"Something else answers there, or an outage. {LATER}")


def _check_whole(address: str, data: bytes, wanted: Wanted) -> None:
    """Servers that break off after sending no length are found by the end of the document."""
    body = data.rstrip()
    if not body:
        raise _Passing(NotWhole(address, "an empty answer"))
    if not body.endswith(wanted.ends):
        start = body[:60].decode("utf-8", "replace")
        raise _Passing(NotWhole(address, f"an answer that breaks off or is another document: {start!a}..."))


def _in_words(error: httpx.HTTPError) -> str:
    text = re.sub(r"^\[Errno -?[0-9]+\] ", "", str(error).strip()) or type(error).__name__
    return text[:1].lower() + text[1:].rstrip(".")
