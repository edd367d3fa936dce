"""What is typed into forms: read strictly, kept as it was typed, and refused in words beside the field."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.maker import Side
from market.orders import Action
from web.forms import OrderForm, read_confirm, read_order, read_sign_up
from web.names import name_fault, normal_name, password_fault

GOOD = {"period": "2026-W21", "side": "LONG", "action": "buy", "by": "shares", "amount": "25"}
PASSWORD = "seven green kettles"


def read(**values: str) -> OrderForm:
    return read_order("cs.LG", "diffusion-model", {**GOOD, **values})


def test_order_by_shares() -> None:
    request = read(amount="1,000").request
    assert request is not None
    assert (request.share_count, request.spend_units, request.limit_units) == (1000, None, None)
    assert (request.board, request.term, request.period) == ("cs.LG", "diffusion-model", "2026-W21")
    assert (request.side, request.action) == (Side.LONG, Action.BUY)


def test_order_by_credits() -> None:
    request = read(by="credits", amount="12.50").request
    assert request is not None
    assert (request.share_count, request.spend_units) == (None, 125_000)


@pytest.mark.parametrize(
    "amount",
    [
        "-5", "-0", "1e3", "１", "", " ", "0", "true", "NaN", "+5", "1 000", "5;", str(10**30),
        "5" + " " * 90 + "x",
    ],
)
@pytest.mark.parametrize("by", ["shares", "credits"])
def test_bad_amount_is_refused_and_kept(by: str, amount: str) -> None:
    form = read(by=by, amount=amount)
    assert form.request is None
    assert set(form.faults) == {"amount"}
    assert form.faults["amount"].endswith(".")
    assert form.amount == amount[:60]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("period", "2026-W99"), ("period", ""), ("period", "x" * 5000), ("side", "long"), ("side", ""),
        ("action", "BUY"), ("by", "euros"),
    ],
)
def test_bad_choice_is_refused(field: str, value: str) -> None:
    form = read(**{field: value})
    assert form.request is None
    assert field in form.faults


def test_all_faults_are_told_at_once() -> None:
    assert set(read(period="soon", side="UP", action="hold", amount="many").faults) == {
        "period", "side", "action", "amount",
    }


def test_a_sale_is_by_shares() -> None:
    assert set(read(action="sell", by="credits").faults) == {"by"}


@given(st.text())
def test_no_amount_breaks_the_form(amount: str) -> None:
    form = read(amount=amount)
    assert (form.request is None) == ("amount" in form.faults)


def test_confirming_takes_limit_into_the_order() -> None:
    form = read_confirm("cs.LG", "diffusion-model", {**GOOD, "shares": "25", "limit": "16.01"})
    assert form.request is not None
    assert form.request.limit_units == 160_100
    assert form.asked is not None
    assert form.asked.limit_units is None


def test_confirming_with_a_bad_limit_can_still_be_quoted() -> None:
    form = read_confirm("cs.LG", "diffusion-model", {**GOOD, "shares": "25", "limit": "a lot"})
    assert form.request is None
    assert form.asked is not None
    assert set(form.faults) == {"limit"}
    assert form.limit == "a lot"


def test_sign_up_form() -> None:
    form = read_sign_up({"name": " Ａda ", "password": PASSWORD, "repeated": PASSWORD})
    assert form.faults == {}
    assert form.name == "Ada"
    assert PASSWORD not in repr(form)


def test_sign_up_form_tells_everything_that_is_wrong() -> None:
    def faults(**values: str) -> set[str]:
        return set(read_sign_up(values).faults)

    assert faults(name="a", password="short", repeated="other") == {"name", "password"}
    assert faults(name="ada", password=PASSWORD, repeated="other") == {"repeated"}
    assert faults() == {"name", "password"}


@pytest.mark.parametrize("name", ["ada", "Ada_L-9", "李雷", "Жанна", "Åsa", "a1", "x" * 30, "ठाकुर"])
def test_good_names(name: str) -> None:
    assert name_fault(normal_name(name)) is None


@pytest.mark.parametrize(
    "name",
    [
        "", "a", "x" * 31, "a b", "a@b", "-ada", "ada_", "a\x00b", "a\u200bb", "p\u0430ul", "<script>",
        "a\u202eb", "..", "🦊🦊",
    ],
)
def test_bad_names(name: str) -> None:
    assert name_fault(normal_name(name)) is not None


@pytest.mark.parametrize(
    "password", [PASSWORD, "x" * 5 + "abcde", "pässwörter sind lang", "1234567891011 ja", "a" * 190 + "bcdef"]
)
def test_good_passwords(password: str) -> None:
    assert password_fault(password, "ada") is None


@pytest.mark.parametrize(
    "password",
    ["", "short", "aaaaaaaaaaaa", "ababababab", "qwertyuiop", "Password 123", "Valentina1", "ab" * 101],
)
def test_bad_passwords(password: str) -> None:
    assert password_fault(password, "valentina") is not None
