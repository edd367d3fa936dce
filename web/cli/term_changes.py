"""`peer-revenue terms list-term|delist|merge|split|rename`: everything that changes terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from web.cli.changing import Shown, board_named, change, change_options

if TYPE_CHECKING:
    from sqlmodel import Session

    from market.rehighlight import Changed
    from market.term_events import Decided

_BOARD = click.option("--board", "board_code", metavar="CODE", required=True, help="The board, as cs.LG.")


@click.command("list-term")
@click.argument("term")
@_BOARD
@click.option("--new", is_flag=True, help="Make it, if there is no such term yet.")
@click.option("--form", "forms", multiple=True, metavar="TEXT", help="A form of a new term; repeatable.")
@change_options
def list_term(
    term: str, board_code: str, new: bool, forms: tuple[str, ...], reason: str, operator: str, yes: bool,
    as_json: bool, database: str,
) -> None:  # fmt: skip
    """List TERM on a board, for the first time or again.

    With --new a term is made that no lexicon has, and the stored papers that carry it are counted.

    \b
    Example:
        peer-revenue terms list-term ddpm --board cs.LG --reason "Back in use."
        peer-revenue terms list-term "flow map" --new --form "flow maps" --board cs.LG --reason "Proposed."
    """
    from market.adding import add_term
    from market.listing import list_term as list_on
    from market.naming import NoSuchTerm, term_named

    def work(session: Session, decided: Decided, shown: Shown) -> Changed | None:
        board, changed = board_named(session, board_code), None
        try:
            found = term_named(session, term)
        except NoSuchTerm as error:
            if not new:
                raise click.ClickException(f"{error} To make it: --new.") from error
            found, changed = add_term(session, term, forms, decided, shown)
        else:
            if forms:
                raise click.UsageError(f"{found.label!r} is there already; --form is for a new term.")
        list_on(session, board, found, decided)
        return changed

    change(database, [] if new else [term], board_code, reason, operator, yes, as_json, f"List {term}", work)


@click.command()
@click.argument("term")
@_BOARD
@change_options
def delist(
    term: str, board_code: str, reason: str, operator: str, yes: bool, as_json: bool, database: str
) -> None:
    """List TERM on a board no longer: no contracts are opened on it, open ones run out, watches stay.

    \b
    Example:
        peer-revenue terms delist ddpm --board cs.LG --reason "Three papers in a year."
    """
    from market.listing import delist_term
    from market.naming import term_named

    def work(session: Session, decided: Decided, shown: Shown) -> None:
        delist_term(session, board_named(session, board_code), term_named(session, term), decided)

    change(database, [term], board_code, reason, operator, yes, as_json, f"Delist {term}", work)


@click.command()
@click.argument("term")
@click.argument("into")
@change_options
def merge(
    term: str, into: str, reason: str, operator: str, yes: bool, as_json: bool, database: str
) -> None:
    """Make TERM part of the term INTO, on every board.

    INTO has its forms from then on, its papers, and those who watch it; its address leads there. `split` with
    its label takes a merge back.

    \b
    Example:
        peer-revenue terms merge ddpm diffusion-model --reason "One thing under two names."
    """
    from market.merging import merge_terms
    from market.naming import term_named

    def work(session: Session, decided: Decided, shown: Shown) -> Changed:
        return merge_terms(session, term_named(session, term), term_named(session, into), decided, shown)

    change(database, [term, into], None, reason, operator, yes, as_json, f"Merge {term} into {into}", work)


@click.command()
@click.argument("term")
@click.argument("forms", nargs=-1, required=True)
@click.option("--into", required=True, metavar="LABEL", help="Who gets them; new, or there already.")
@change_options
def split(
    term: str, forms: tuple[str, ...], into: str, reason: str, operator: str, yes: bool, as_json: bool,
    database: str,
) -> None:  # fmt: skip
    """Give FORMS of TERM to another term, on every board.

    That is listed wherever TERM is, and watched by those who watch TERM.

    \b
    Example:
        peer-revenue terms split diffusion-model "score model" --into "score model" --reason "Two things."
    """
    from market.naming import term_named
    from market.splitting import split_term

    def work(session: Session, decided: Decided, shown: Shown) -> Changed:
        return split_term(session, term_named(session, term), forms, into, decided, shown)[1]

    change(database, [term], None, reason, operator, yes, as_json, f"Split {into} off {term}", work)


@click.command()
@click.argument("term")
@click.argument("label")
@change_options
def rename(
    term: str, label: str, reason: str, operator: str, yes: bool, as_json: bool, database: str
) -> None:
    """Call TERM by another LABEL, on every board. Its old address leads to the new one.

    \b
    Example:
        peer-revenue terms rename ddpm "denoising diffusion" --reason "What people call it now."
    """
    from market.naming import term_named
    from market.renaming import rename_term

    def work(session: Session, decided: Decided, shown: Shown) -> Changed:
        return rename_term(session, term_named(session, term), label, decided, shown)

    change(database, [term], None, reason, operator, yes, as_json, f"Rename {term}", work)
