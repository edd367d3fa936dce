"""`peer-revenue link-accounts` and `unlink-accounts`: which accounts are one person's, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from web.cli.database import database_option, opened
from web.cli.remark import remark_options

if TYPE_CHECKING:
    from market.links import Link, LinkChange


@click.command("link-accounts")
@click.argument("first", required=False)
@click.argument("second", required=False)
@remark_options("Why; shown to the two.", is_required=False)
@database_option
def link_accounts(
    first: str | None, second: str | None, reason: str | None, operator: str, database: str
) -> None:
    """Say that two accounts are one person's, or list who is linked.

    What the one buys and the other sells on a day does not count as traded, where traders are counted they
    are one, and neither is on the leaderboard. Nothing is taken from anybody. Every link is kept with its
    time, reason and operator; linking what is linked changes nothing.

    \b
    Example:
        peer-revenue link-accounts Ana-Kettle Bob-Lid --reason "They sign in from one address, in turns."
        peer-revenue link-accounts
    """
    if first is None:
        _list(database)
        return
    if second is None:
        raise click.UsageError("A link is between two accounts: say both names.")
    if reason is None:
        raise click.UsageError("Missing option '--reason'.")
    from market.links import link_accounts as link

    changed = _changed(link, first, second, reason, operator, database)
    assert changed.link is not None
    one, other = changed.names
    if changed.is_changed:
        click.echo(f"{one} and {other} are linked.")
    else:
        click.echo(f"Nothing changed. {one} and {other} are linked {_standing(changed.link)}")


@click.command("unlink-accounts")
@click.argument("first")
@click.argument("second")
@remark_options("Why; kept beside the link that it ends.")
@database_option
def unlink_accounts(first: str, second: str, reason: str, operator: str, database: str) -> None:
    """Say that two accounts are not one person's after all.

    Ends the link between exactly these two. Accounts that are linked with both go on being linked with them.

    \b
    Example:
        peer-revenue unlink-accounts Ana-Kettle Bob-Lid --reason "Two people of one office."
    """
    from market.links import unlink_accounts as unlink

    changed = _changed(unlink, first, second, reason, operator, database)
    one, other = changed.names
    if changed.is_changed:
        click.echo(f"{one} and {other} are linked no more.")
    else:
        click.echo(f"Nothing changed. {one} and {other} were not linked with each other.")


def _changed(
    work: Callable[..., LinkChange], first: str, second: str, reason: str, operator: str, database: str
) -> LinkChange:
    from market.db import transact
    from market.remarks import Remark
    from web.cli.settings import settings

    with opened(database, create=False) as engine:
        remark, now = Remark(reason, operator), settings().now()
        return transact(engine, lambda session: work(session, first, second, remark, now))


def _list(database: str) -> None:
    from market.db import read_session
    from market.links import links_now
    from market.traders import names_of

    with opened(database, create=False) as engine, read_session(engine) as session:
        links = links_now(session)
        names = names_of(session, {number for link in links for number in (link.first_id, link.second_id)})
    for link in links:
        click.echo(f"{names[link.first_id]}\t{names[link.second_id]}\t{_standing(link)}")
    if not links:
        click.echo("No accounts are linked.", err=True)


def _standing(link: Link) -> str:
    from web.filters import full_moment

    return f"since {full_moment(link.since)} by {link.operator}: {link.reason}"
