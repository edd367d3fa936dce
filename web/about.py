"""The market in plain words."""

from __future__ import annotations

from decimal import Decimal

from flask import Blueprint
from flask.typing import ResponseReturnValue

from market.maker import FEE_BPS
from market.money import GRANT_UNITS, UNITS_PER_CREDIT
from market.periods import WEEK, front_periods
from web import frame
from web.pages import AboutPage

blueprint = Blueprint("about", __name__)


@blueprint.get("/about")
def market() -> ResponseReturnValue:
    """How a price is a forecast."""
    page = AboutPage(
        grant_credits=GRANT_UNITS // UNITS_PER_CREDIT,
        fee_percent=f"{Decimal(FEE_BPS) / 100:f}",
        open_period_count=len(front_periods(WEEK, frame.now().date())),
    )
    return frame.show(page)
