"""The audit: every balance and invariant recomputed from the postings, the orders and the fills.

It only reads, as of one moment, and holds no more than one entry or one contract in memory. Each check is a
generator of findings; what it finds beyond the first thousand is not listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import sqlalchemy as sa
from sqlmodel import Session

from market.audit.accounts import check_account_names, check_asset_sums, check_balances, check_signs
from market.audit.chains import check_chains
from market.audit.checkpoints import check_checkpoints
from market.audit.entries import check_entries, check_grants
from market.audit.fills import check_fills
from market.audit.findings import Finding, Progress, Verification
from market.audit.halts import check_halts
from market.audit.limits import check_holds, check_limit_orders, check_resting_counts
from market.audit.moment import see_one_moment
from market.audit.order_log import replay
from market.audit.orders import check_orders
from market.audit.pools import check_openings, check_pools
from market.audit.settlements import check_corrections, check_parts, check_settlements
from market.audit.terms import check_terms
from market.audit.watches import check_watches
from market.checkpoints import SignedRoot
from market.tables import Account, Entry, Fill, Posting

__all__ = ["Finding", "Verification", "replay", "verify"]

MOST_FINDINGS = 1000  # of one check


def verify(
    session: Session,
    progress: Callable[[int, int], None] | None = None,
    *,
    key: str | None = None,
    written: Sequence[SignedRoot] = (),
) -> Verification:
    """Check the whole ledger; ``progress(done, total)`` is called from time to time.

    With the ``key`` of the checkpoints their signatures are checked too; ``written`` are the checkpoints kept
    outside the database.
    Give it a session in which nothing was read yet: then it sees one moment, whatever is traded meanwhile.
    """
    see_one_moment(session)
    entries, postings, accounts, fills = (_count(session, table) for table in (Entry, Posting, Account, Fill))
    steps = Progress(2 * entries + fills, progress)
    checks: tuple[Iterable[Finding], ...] = (
        check_entries(session, steps),
        check_chains(session, steps),
        check_grants(session),
        check_fills(session, steps),
        check_orders(session),
        check_limit_orders(session),
        check_resting_counts(session),
        check_holds(session),
        check_halts(session),
        check_openings(session),
        check_settlements(session),
        check_parts(session),
        check_corrections(session),
        check_balances(session),
        check_signs(session),
        check_asset_sums(session),
        check_account_names(session),
        check_pools(session),
        check_checkpoints(session, key, written),
        check_watches(session),
        check_terms(session),
    )
    found = [finding for check in checks for finding in islice(check, MOST_FINDINGS)]
    steps.finish()
    found.sort(key=lambda finding: (finding.entry_id is None, finding.entry_id or 0))
    return Verification(entries, postings, accounts, tuple(found))


def _count(session: Session, table: type[Account] | type[Entry] | type[Fill] | type[Posting]) -> int:
    return session.scalar(sa.select(sa.func.count()).select_from(table)) or 0
