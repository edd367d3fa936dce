"""How dates, prices and counts are written on a page. A filter returns plain text, or a <time> element."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import ROUND_HALF_EVEN, Decimal

from babel.dates import format_date, format_datetime
from flask import Flask
from markupsafe import Markup

from market.money import UNITS_PER_CENT, UNITS_PER_CREDIT
from market.periods import parse_period

LOCALE = "en_GB"
MINUS = "\N{MINUS SIGN}"
UP, DOWN = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"
NO_BREAK = "\N{NO-BREAK SPACE}"


def day(value: date) -> str:
    """Saturday 16 May 2026"""
    return format_date(value, "EEEE d MMMM y", locale=LOCALE)


def short_day(value: date) -> str:
    """Sat 16 May 2026"""
    return format_date(value, "EEE d MMM y", locale=LOCALE)


def plain_day(value: date) -> str:
    """16 May 2026"""
    return format_date(value, "d MMMM y", locale=LOCALE)


def short_date(value: date) -> str:
    """16 May: where the year stands beside it."""
    return format_date(value, "d MMM", locale=LOCALE)


def moment(value: datetime) -> str:
    """17 May 2026, 20:00 UTC"""
    return format_datetime(value.astimezone(UTC), "d MMMM y, HH:mm 'UTC'", tzinfo=UTC, locale=LOCALE)


def full_moment(value: datetime) -> str:
    """Sunday 17 May 2026, 20:00 UTC"""
    return format_datetime(value.astimezone(UTC), "EEEE d MMMM y, HH:mm 'UTC'", tzinfo=UTC, locale=LOCALE)


def when(value: date | datetime) -> Markup:
    """A day or a moment as a <time> element with its machine-readable form."""
    text = moment(value) if isinstance(value, datetime) else plain_day(value)
    return Markup('<time datetime="{}">{}</time>').format(value.isoformat(), text)


def clock(value: datetime) -> Markup:
    """17 May 2026, 20:00 as a <time> element: for a column whose head says that it is in UTC."""
    text = format_datetime(value.astimezone(UTC), "d MMM y, HH:mm", tzinfo=UTC, locale=LOCALE)
    return Markup('<time datetime="{}">{}</time>').format(value.isoformat(), text)


def short_period(name: str) -> str:
    """week of 18 May, or Jun 2026: for a column of periods of one year."""
    found = parse_period(name)
    if found.kind == "week":
        return f"week of {short_date(found.first_day)}"
    return format_date(found.first_day, "MMM y", locale=LOCALE)


def period(name: str) -> str:
    """the week of 18 May 2026, or June 2026; `name` as "2026-W21" or "2026-06"."""
    found = parse_period(name)
    if found.kind == "week":
        return f"the week of {plain_day(found.first_day)}"
    return format_date(found.first_day, "MMMM y", locale=LOCALE)


def number(value: int) -> str:
    """12,345 with a real minus sign."""
    return f"{value:,}".replace("-", MINUS)


def counted(value: int, one: str, many: str | None = None) -> str:
    """1 paper, 3 papers, 0 papers."""
    return f"{number(value)}{NO_BREAK}{one if value == 1 else many or one + 's'}"


def cents(units: int) -> str:
    """A price in cents without its sign: 61.2, and below ten 4.05."""
    return _rounded(Decimal(units) / UNITS_PER_CENT)


def papers(milli: int) -> str:
    """A forecast in papers from thousandths: 61.2, and below ten 4.05."""
    return _rounded(Decimal(milli) / 1000)


def change(units: int) -> str:
    """A change of price in cents with its sign: +3.1, −0.42; 0 when it rounds to nothing."""
    text = _rounded(Decimal(abs(units)) / UNITS_PER_CENT)
    if not Decimal(text.replace(",", "")):
        return "0"
    return f"{'+' if units > 0 else MINUS}{text}"


def direction(units: int) -> str:
    """"up", "down" or "flat", as `change` shows it."""
    return {"+": "up", MINUS: "down"}.get(change(units)[0], "flat")


def glyph(units: int) -> str:
    """The triangle that goes with a change; nothing for none."""
    return {"up": UP, "down": DOWN, "flat": ""}[direction(units)]


def credits(units: int) -> str:
    """Credits with two decimals and a real minus sign, rounded to the cent: 1,000.00."""
    value = (Decimal(units) / UNITS_PER_CREDIT).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    return f"{value:,}".replace("-", MINUS)


def decimal(value: Decimal | float, digits: int = 1) -> str:
    """A number with so many decimals and a real minus sign."""
    return f"{value:,.{digits}f}".replace("-", MINUS)


def signed(value: int) -> str:
    """A change of a count: +3, −2, ±0."""
    return f"+{number(value)}" if value > 0 else number(value) if value else "±0"


def percent(part: float, whole: int) -> str:
    """A part in per cent: 12.5 %, below one 0.61 %, below that under 0.01 %; nothing of nothing is 0 %."""
    share = 100 * part / whole if whole else 0.0
    if 0 < share < 0.01:
        return f"under 0.01{NO_BREAK}%"
    return f"{decimal(share, 1 if share >= 1 else 2 if share else 0)}{NO_BREAK}%"


def _rounded(value: Decimal) -> str:
    step = Decimal("0.01") if value < Decimal("9.995") else Decimal("0.1")
    return f"{value.quantize(step, ROUND_HALF_EVEN):,}"


FILTERS = (
    day, short_day, plain_day, short_date, moment, full_moment, when, clock, period, short_period, number,
    counted, cents, papers, change, direction, glyph, credits, decimal, signed, percent,
)  # fmt: skip


def install(app: Flask) -> None:
    """Give the templates every filter, by its name here."""
    app.jinja_env.filters.update({filter_.__name__: filter_ for filter_ in FILTERS})
