"""Who did something as the operator, and why: checked once, for everything that says so. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from market.errors import MarketError

LONGEST_REASON = 400
LONGEST_OPERATOR = 80


class InvalidRemark(MarketError):
    """A reason or a name that cannot be shown to everybody."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Why the operator did something, and what they are called; blanks are tidied.

    The reason has 1 to 400 characters, the name 1 to 80, all of them visible. Raises `InvalidRemark`.
    """

    reason: str
    operator: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", _checked(self.reason, "A reason", LONGEST_REASON))
        object.__setattr__(self, "operator", _checked(self.operator, "An operator's name", LONGEST_OPERATOR))


def _checked(text: str, what: str, longest: int) -> str:
    tidy = " ".join(text.split())
    if not tidy:
        raise InvalidRemark(f"{what} is missing; it is shown to those whom it concerns.")
    if len(tidy) > longest:
        raise InvalidRemark(f"{what} has at most {longest} characters, not {len(tidy)}.")
    if not tidy.isprintable():
        raise InvalidRemark(f"{what} has letters, digits and signs only, nothing invisible: {tidy!r}.")
    return tidy
