"""The stored highlighter: kept while nothing changes, and never out of date."""

from __future__ import annotations

from sqlalchemy import Engine
from sqlmodel import Session

from market.db import transact, write_session
from market.highlighter import stored_highlighter
from market.lexicon import install_lexicon
from market.merging import merge_terms
from market.renaming import rename_term
from market.settlement import settle_due
from market.splitting import split_term
from market.trading import place_order
from nlp.lexicon import load_lexicon
from nlp.typeset import typeset
from tests.market.factories import NOW, add_trader, close_board_day, order
from tests.market.terms import LEXICON, begin, by, read_in, term
from tests.market.test_term_changes import IN_PERIOD, OVER, the_board
from tests.web.conftest import statements


def test_an_intake_with_an_unchanged_lexicon_asks_once(engine: Engine) -> None:
    transact(engine, begin)
    with write_session(engine) as session:
        kept = stored_highlighter(session)
        with statements(engine) as sent:
            assert stored_highlighter(session) is kept
        assert len(sent) == 1
    # The same lexicon again is one question too.
    with write_session(engine) as session, statements(engine) as sent:
        install_lexicon(session, load_lexicon(LEXICON), NOW)
    assert len(sent) == 1


def test_every_change_of_terms_is_seen(engine: Engine) -> None:
    transact(engine, begin)

    def owners(session: Session, text: str) -> list[str]:
        matcher, _ = stored_highlighter(session).layers[0]
        return [standing.term for _, _, standing in matcher.matches(typeset(text).text)]

    with write_session(engine) as session:
        model = term(session, "diffusion-model")
        assert owners(session, "a DDPM, a score model, a flow") == ["ddpm", "diffusion model"]
        merge_terms(session, term(session, "ddpm"), model, by())
        assert owners(session, "a DDPM, a score model, a flow") == ["diffusion model", "diffusion model"]
        split_term(session, model, ["score model"], "score model", by())
        assert owners(session, "a DDPM, a score model, a flow") == ["diffusion model", "score model"]
        rename_term(session, term(session, "flow-matching"), "flow", by())
        assert owners(session, "a DDPM, a score model, a flow")[-1] == "flow matching"


def test_a_layer_stays_as_long_as_its_contract_is_open(engine: Engine) -> None:
    transact(engine, begin)
    with write_session(engine) as session:
        trader = add_trader(session, "Ana Kettle").id
        assert trader is not None
        place_order(session, trader, order(term="ddpm"), "one", NOW)
        assert len(stored_highlighter(session).layers) == 1
        merge_terms(session, term(session, "ddpm"), term(session, "diffusion-model"), by())
        assert len(stored_highlighter(session).layers) == 2
        read_in(session, ["A DDPM."], IN_PERIOD)
        close_board_day(session, the_board(session), IN_PERIOD)
        (settled,) = settle_due(session, OVER)
        assert settled.counted == 1
        assert len(stored_highlighter(session).layers) == 1
