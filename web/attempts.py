"""How often somebody may try: wrong sign-ins and new accounts, by the name that is tried and by address.

Wrong answers, not sign-ins, are counted: by name, so that one account is not guessed at from many addresses,
and by address, so that one address does not guess at many accounts. The counts are in this process's memory;
each process counts for itself.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable
from math import ceil
from typing import Any

from flask import Flask, Response, request
from flask_limiter import Limiter, RateLimitExceeded, RequestLimit

from market.traders import name_key
from web import frame
from web.names import name_fault, normal_name

WRONG_PER_NAME = "10 per 15 minutes"
WRONG_PER_ADDRESS = "15 per 15 minutes"
SIGN_UPS_PER_NAME = "10 per hour"
SIGN_UPS_PER_ADDRESS = "20 per hour"
JUDGEMENTS_PER_TRADER = "60 per 15 minutes"
WRONG_STATUS = 403  # of the answer to a wrong name or password

Key = Callable[[], str]
Refuse = Callable[[int], Response]


class Attempts:
    """The limits of one application; give each endpoint its own."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._limiter = Limiter(_address, app=app, storage_uri="memory://", strategy="moving-window")
        app.register_error_handler(RateLimitExceeded, lambda error: error.response or error.get_response())

    def limit_sign_ins(self, endpoint: str, refuse: Refuse) -> None:
        """Limit wrong answers to `endpoint`; `refuse` makes the page that says how many minutes to wait."""
        for amount, key in ((WRONG_PER_NAME, _name), (WRONG_PER_ADDRESS, _address)):
            self._limit(endpoint, amount, key, refuse, _is_wrong)

    def limit_sign_ups(self, endpoint: str, refuse: Refuse) -> None:
        """Limit every attempt on `endpoint`: hashing takes long, and each account is given credits."""
        for amount, key in ((SIGN_UPS_PER_NAME, _name), (SIGN_UPS_PER_ADDRESS, _address)):
            self._limit(endpoint, amount, key, refuse, None)

    def limit_judgements(self, endpoint: str, refuse: Refuse) -> None:
        """Limit what one reader says, or takes back, on `endpoint`: operators read all of it."""
        self._limit(endpoint, JUDGEMENTS_PER_TRADER, _trader, refuse, None)

    def _limit(
        self, endpoint: str, amount: str, key: Key, refuse: Refuse, counts: Callable[[Response], bool] | None
    ) -> None:
        def breached(limit: RequestLimit) -> Response:
            seconds = limit.reset_at - time.time() - 1  # the limiter has rounded it up
            minutes = max(1, ceil(seconds / 60))
            response = refuse(minutes)
            response.headers["Retry-After"] = str(60 * minutes)
            return response

        limited = self._limiter.limit(amount, key_func=key, on_breach=breached, deduct_when=counts)
        view: Any = limited(self._app.view_functions[endpoint])
        self._app.view_functions[endpoint] = view


def _is_wrong(response: Response) -> bool:
    return response.status_code == WRONG_STATUS


def _name() -> str:
    """The name an attempt is for, as names are compared; one key for everything that is no name."""
    name = normal_name(request.form.get("name", ""))
    return "name:" + (name_key(name) if name_fault(name) is None else "")


def _trader() -> str:
    """Who is signed in; a guest by address."""
    trader_id = frame.trader_id()
    return _address() if trader_id is None else f"trader:{trader_id}"


def _address() -> str:
    """The address of the socket, whatever headers say; of IPv6 the network that one customer is given."""
    text = request.remote_addr or "unknown"
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text
    return str(ipaddress.ip_network((address, 64 if address.version == 6 else 32), strict=False))
