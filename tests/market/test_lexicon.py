"""The stored lexicon: versions that are frozen, and papers read with every version that is still in force."""

from __future__ import annotations

import threading
from decimal import Decimal

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.contracts import open_contract
from market.db import read_session, transact, write_session
from market.highlighter import stored_highlighter
from market.lexicon import install_lexicon
from market.periods import parse_period
from market.tables import Contract
from nlp.errors import BadLexicon
from nlp.lexicon import Lexicon, load_lexicon
from nlp.tables import Term, TermVersion
from nlp.typeset import typeset
from tests.market.factories import NOW, PERIOD, add_board


def lexicon(**forms: str) -> Lexicon:
    """A lexicon of terms (blanks as underscores) with their further forms, parted by commas."""
    entries = []
    for label, others in forms.items():
        listed = ", ".join(f'"{form}"' for form in others.split(",") if form)
        entries.append(f'[[term]]\nlabel = "{label.replace("_", " ")}"\nforms = [{listed}]\n')
    return load_lexicon("".join(entries))


FIRST = lexicon(diffusion_model="score model", flow_matching="", large_language_model="LLM")


def versions(session: Session) -> list[tuple[str, int, bool, list[str]]]:
    found = session.execute(
        sa.select(
            col(Term.slug), col(TermVersion.version), col(Term.current_version) == TermVersion.version,
            col(TermVersion.forms),
        )
        .join(TermVersion, col(TermVersion.term_id) == Term.id)
        .order_by(col(Term.slug), col(TermVersion.version))
    )  # fmt: skip
    return [(slug, version, is_current, forms) for slug, version, is_current, forms in found]


def found(session: Session, text: str) -> list[tuple[str, int, str]]:
    """(slug, version, quote) of the mentions in a text, by every version in force."""
    names = {
        identifier: (slug, version)
        for identifier, slug, version in session.execute(
            sa.select(col(TermVersion.id), col(Term.slug), col(TermVersion.version)).join(
                Term, col(Term.id) == TermVersion.term_id
            )
        )
    }
    mentions = stored_highlighter(session).mentions(typeset(text))
    return [(*names[version], mention.quote) for version, mention in mentions]


def test_the_same_lexicon_again_changes_nothing(engine: Engine) -> None:
    with write_session(engine) as session:
        install_lexicon(session, FIRST, NOW)
        stored = versions(session)
        assert stored == [
            ("diffusion-model", 1, True, ["diffusion model", "score model"]),
            ("flow-matching", 1, True, ["flow matching"]),
            ("large-language-model", 1, True, ["LLM", "large language model"]),
        ]
        install_lexicon(session, FIRST, NOW)
        session.expire_all()
        assert versions(session) == stored


def test_changed_forms_make_a_new_version_and_a_missing_term_stays(engine: Engine) -> None:
    with write_session(engine) as session:
        install_lexicon(session, FIRST, NOW)
        install_lexicon(session, lexicon(diffusion_model="score model,DDPM", kettle=""), NOW)
        assert versions(session) == [
            ("diffusion-model", 1, False, ["diffusion model", "score model"]),
            ("diffusion-model", 2, True, ["DDPM", "diffusion model", "score model"]),
            ("flow-matching", 1, True, ["flow matching"]),
            ("kettle", 1, True, ["kettle"]),
            ("large-language-model", 1, True, ["LLM", "large language model"]),
        ]
        assert found(session, "A DDPM, a kettle, and flow matching.") == [
            ("diffusion-model", 2, "DDPM"), ("kettle", 1, "kettle"), ("flow-matching", 1, "flow matching"),
        ]  # fmt: skip


def test_stored_terms_find_what_the_lexicon_finds(engine: Engine) -> None:
    with write_session(engine) as session:
        install_lexicon(session, FIRST, NOW)
        text = "LLMs, llms, Flow-Matching of large language models, a Diffusion Model."
        quotes = [quote for _, _, quote in found(session, text)]
    assert quotes == ["LLMs", "Flow-Matching", "large language models", "Diffusion Model"]


def test_a_form_of_a_term_that_stays_cannot_go_to_another(engine: Engine) -> None:
    with write_session(engine) as session:
        install_lexicon(session, FIRST, NOW)
        with pytest.raises(BadLexicon, match="LLM"):
            install_lexicon(session, lexicon(language_modelling="LLM"), NOW)


def test_papers_are_read_with_the_version_that_an_open_contract_is_bound_to(engine: Engine) -> None:
    text = "A score model, a DDPM, and a diffusion model of flow."
    with write_session(engine) as session:
        board = add_board(session)
        install_lexicon(session, FIRST, NOW)
        term = session.exec(select(Term).where(Term.slug == "diffusion-model")).one()
        assert board.id is not None
        assert term.id is not None
        open_contract(session, board.id, term.id, parse_period(PERIOD), Decimal(2), NOW)
        second = lexicon(diffusion_model="DDPM", score_model_of_old="score model", diffusion_model_of_flow="")
        install_lexicon(session, second, NOW)
        # Now its own forms; for the contract the form that has moved on too; the longer match wins in both.
        assert found(session, text) == [
            ("score-model-of-old", 1, "score model"), ("diffusion-model", 2, "DDPM"),
            ("diffusion-model-of-flow", 1, "diffusion model of flow"), ("diffusion-model", 1, "score model"),
        ]  # fmt: skip
        session.execute(sa.update(Contract).values(settled_at=NOW))
        assert ("diffusion-model", 1, "score model") not in found(session, text)


def test_two_installations_at_once_make_one_lexicon(engine: Engine) -> None:
    barrier = threading.Barrier(3)

    def work() -> None:
        barrier.wait()
        transact(engine, lambda session: install_lexicon(session, FIRST, NOW))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with read_session(engine) as session:
        assert [version for _, version, _, _ in versions(session)] == [1, 1, 1]
