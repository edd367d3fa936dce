"""Why something could not be fetched, one class per reason; each names the address and says what to do."""

from __future__ import annotations

from urllib.parse import urlsplit

from nlp.errors import NlpError

LATER = "Run the same command again later; it goes on where it stopped."


class FetchError(NlpError):
    """Base: ``reason`` is what happened at ``address``, ``advice`` what to do about it."""

    def __init__(self, address: str, reason: str, advice: str = LATER) -> None:
        super().__init__(f"{address}: {reason}. {advice}")
        self.address = address
        self.reason = reason
        self.advice = advice

    @property
    def brief(self) -> str:
        """What happened and where, without what to do: for people who can do nothing about it."""
        return f"{urlsplit(self.address).hostname or self.address}: {self.reason}"


class Unreachable(FetchError):
    """No whole answer came: no connection, one that broke off, or none in time."""


class ServerFailed(FetchError):
    """The server kept answering that it cannot now (429, 500, 502, 503, 504)."""


class TooLongToWait(FetchError):
    """The server asks to be left alone for longer than a command should wait."""


class RequestRefused(FetchError):
    """The server answers with a status that asking again will not change."""


class NotWhole(FetchError):
    """The answers are empty, or end before their document does."""


class WrongContent(FetchError):
    """The answer is of another kind than was asked for, as a page in HTML for people."""


class TooLarge(FetchError):
    """The answer is larger than any page of papers."""


class Unsteady(FetchError):
    """The pages of one list contradict each other: it shrinks, or a page that should be there is empty."""


class OldBatch(FetchError):
    """A daily feed has a new date and the papers of an earlier day."""


class Passing(Exception):
    """What went wrong may be over soon, so it is asked for again; ``asked_seconds`` is how long the server
    asked to wait."""

    def __init__(self, error: FetchError, asked_seconds: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.asked_seconds = asked_seconds
