"""A small board whose papers come in through the intake, and a contract that is settled on them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from sqlmodel import Session, col, select

from market.activity import close_day
from market.intake import install_lexicon, take_in
from market.orders import Action, OrderRequest
from market.settlement import settle_due
from market.tables import Board, BoardDay, Contract
from market.trading import Side, place_order
from nlp.lexicon import load_lexicon
from nlp.records import RawPaper, Section
from tests.market.factories import add_board, add_trader

BEFORE = datetime(2026, 5, 15, 20, 0, tzinfo=UTC)  # the Friday before
MONDAY = date(2026, 5, 18)
PERIOD = "2026-W21"
DUE = datetime(2026, 5, 28, 20, 0, tzinfo=UTC)
LEXICON = """
[[term]]
label = "diffusion model"
abbreviations = ["DM"]
[[term]]
label = "latent diffusion model"
[[term]]
label = "flow matching"
"""
TEXTS = (
    "A diffusion model pours tea.",
    "Latent diffusion models pour tea.",
    "Flow matching, $x$ and a lid.",
    "We pour with a DM, and with \\emph{diffusion models}.",
    "A diffusion model and a latent diffusion model; flow matching.",
    "Nothing of the kind.",
)
WITH_TERM = {0, 3, 4}


def raw(number: int, text: int = 0, **values: Any) -> RawPaper:
    paper = RawPaper(
        identifier=f"arxiv:2605.{number:05d}", title="Kettles", abstract=TEXTS[text],
        authors=("Ana Kettle",), categories=("cs.LG",), day=MONDAY, section=Section.NEW, url=None,
        source="a test", line=number,
    )  # fmt: skip
    return replace(paper, **values)


def begin(session: Session) -> int:
    """A board with terms, and a trader who opens the contract of "diffusion model"; its id."""
    add_board(session)
    install_lexicon(session, load_lexicon(LEXICON), BEFORE)
    papers = [raw(90, 0), raw(91, 1), raw(92, 2)]
    take_in(session, [replace(each, day=date(2026, 5, 15)) for each in papers], now=BEFORE)
    trader = add_trader(session, "Ana Kettle")
    assert trader.id is not None
    buy = OrderRequest("cs.LG", "diffusion-model", PERIOD, Side.LONG, Action.BUY, 5, None, None)
    assert place_order(session, trader.id, buy, "key", BEFORE).is_filled
    return session.exec(select(Contract.id)).one() or 0


def settle(session: Session) -> None:
    board = session.exec(select(Board)).one()
    for day in session.exec(select(BoardDay.day).where(col(BoardDay.paper_count) > 0)).all():
        close_day(session, board, day, DUE)
    (outcome,) = settle_due(session, DUE)
    assert outcome.is_settled, outcome.reason


def settled(session: Session) -> int:
    number = begin(session)
    take_in(session, [raw(each, each) for each in range(6)], now=DUE)
    settle(session)
    return number
