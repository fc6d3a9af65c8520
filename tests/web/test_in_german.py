"""The page in German, in real Chromium: what the coach says, broken links, nothing cut off on a phone."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.page import PASSING, TURN, lobby, pass_three, start

pytestmark = pytest.mark.slow

GERMAN = '{"pace": 1, "hold": "0.01", "motion": "none", "language": "de"}'
HINT = "document.querySelector('.panel-body.coach')"


@pytest.fixture
def german(browser, served):
    """The lobby in German."""
    lobby(browser, served.page, served.key, GERMAN)
    browser.wait("document.documentElement.lang === 'de'")
    return browser


def test_the_coach_speaks_german_and_follows_the_option(german):
    start(german)
    german.wait(PASSING)
    german.press("h")
    german.wait(f"{HINT}?.innerText.includes('Gib ')")
    german.evaluate(f"{HINT}.querySelector('details').open = true")
    text = german.evaluate(f"{HINT}.innerText")
    assert "Gezählt in" in text
    assert not any(word in text for word in (" the ", "Counted", "Pass "))
    pass_three(german)
    german.wait(TURN)
    german.evaluate(
        "[...document.querySelectorAll('#bar button')].find((n) => n.textContent === 'Einstellungen').click()"
    )
    german.wait("!!document.querySelector('dialog[open] select')")
    german.evaluate(
        "(() => { const one = [...document.querySelectorAll('dialog select')]"
        ".find((n) => [...n.options].some((o) => o.value === 'de'));"
        "one.value = 'en'; one.dispatchEvent(new Event('change')); })()"
    )
    german.press("Escape")
    german.wait("!document.querySelector('dialog[open]')")
    german.press("h")
    german.wait(f"/^(Play|Any)/m.test({HINT}?.innerText ?? '')")


def test_a_link_with_half_a_key_says_so(german, served):
    for rest in ("abc", "abcdefgh!jk"):
        german.goto(f"{served.page}#{served.key}/{rest}")
        german.wait("document.querySelector('.lost')?.innerText.includes('Diese Adresse ist nicht ganz')")
    german.click(".lost button")
    german.wait("!!document.querySelector('.lobby')")


@pytest.mark.parametrize("size", ["normal", "large", "largest"])
def test_nothing_is_cut_off_on_a_phone(german, served, size):
    """Names stand on their plates as a whole, however many points there are, and the page is as wide as the phone."""
    german.size(390, 844, phone=True)
    lobby(german, served.page, served.key, GERMAN.replace("}", f', "size": "{size}"}}'))
    start(german)
    german.wait(PASSING)
    german.evaluate(
        "document.querySelectorAll('.seat').forEach((seat) => seat.querySelectorAll('.fact b')"
        ".forEach((n, at) => { n.textContent = ['108', '+24', '13'][at]; }))"
    )
    cut = "[...document.querySelectorAll('.seat .who strong')].filter((n) => n.scrollWidth > n.clientWidth + 1).length"
    assert german.evaluate(cut) == 0
    out = (
        "[...document.querySelectorAll('.seat')].filter((seat) => { const plate = seat.getBoundingClientRect();"
        "return [...seat.querySelectorAll('.fact, .who')].some((n) => { const r = n.getBoundingClientRect();"
        "return r.left < plate.left || r.right > plate.right; }); }).length"
    )
    assert german.evaluate(out) == 0
    assert german.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_coachs_mark_is_on_its_card(german):
    """In the part of the card that the next one does not cover."""
    start(german)
    german.wait(PASSING)
    german.press("h")
    german.wait("document.querySelectorAll('.coach-mark').length === 3")
    assert german.evaluate(
        "[...document.querySelectorAll('.hand .card')].filter((n, at, all) => {"
        "const mark = n.querySelector('.coach-mark')?.getBoundingClientRect(), next = all[at + 1];"
        "return mark && next && mark.right > next.getBoundingClientRect().left + 1; }).length"
    ) == 0  # fmt: skip
