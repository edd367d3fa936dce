"""Every table of the market: importing this package registers them all.

Units and ranges are in `money.py`; what each invariant L1..L19 means is in this package's README.
"""

from __future__ import annotations

from market.tables.activity import Activity, DayCount, PastActivity, Ranking, RankingRow, TermCounter
from market.tables.boards import Board, BoardDay, BoardPaper, Fetch, Listing, PlacementEvent
from market.tables.contracts import Contract, ForecastRecord, SettlementStatement, StatementPart
from market.tables.judgements import Judgement, JudgementDecision, JudgementEvent, OperatorEvent
from market.tables.ledger import Account, Checkpoint, CheckpointHead, Entry, Posting, Trader
from market.tables.orders import Cancellation, Fill, LimitOrder, Order, Roll
from market.tables.oversight import HaltEvent, LeaderboardMember, LinkEvent
from market.tables.terms import CandidateCount, LexiconState, TermEvent, TermName, TermProposal
from market.tables.watching import Watch, WatchEvent

__all__ = [
    "Account",
    "Activity",
    "Board",
    "BoardDay",
    "BoardPaper",
    "Cancellation",
    "CandidateCount",
    "Checkpoint",
    "CheckpointHead",
    "Contract",
    "DayCount",
    "Entry",
    "Fetch",
    "Fill",
    "ForecastRecord",
    "HaltEvent",
    "Judgement",
    "JudgementDecision",
    "JudgementEvent",
    "LeaderboardMember",
    "LexiconState",
    "LimitOrder",
    "LinkEvent",
    "Listing",
    "OperatorEvent",
    "Order",
    "PastActivity",
    "PlacementEvent",
    "Posting",
    "Ranking",
    "RankingRow",
    "Roll",
    "SettlementStatement",
    "StatementPart",
    "TermCounter",
    "TermEvent",
    "TermName",
    "TermProposal",
    "Trader",
    "Watch",
    "WatchEvent",
]
