"""The introduction and the analysis board, in real Chromium."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.page import STAGE, TOAST, button

from heartlab.deal import Deal
from heartlab.records.format import to_json

pytestmark = pytest.mark.slow


def test_the_introduction_is_played_to_its_end(browser, served):
    button(browser, "Learn Hearts in 5 minutes")
    browser.wait(f"{STAGE}.screen === 'learn'")
    button(browser, "Go on")
    for card in ("AH", "KH", "QS"):
        assert browser.evaluate("document.querySelector('.actions .main').disabled")
        browser.click(f".hand [data-card='{card}']")
    browser.picture("learn")
    button(browser, "Go on")
    browser.click(".hand [data-card='5C']")
    browser.wait("document.querySelector('.side .alarm')?.textContent.includes('not allowed')")
    for card in ("2C", "5C", "QS", "9S", "3D", "4S", "KH"):
        browser.click(f".hand [data-card='{card}']")
        browser.wait("!!document.querySelector('.side .good')?.textContent")
        button(browser, "Go on")
    browser.wait("document.querySelector('.side h2').textContent === 'That is all'")
    button(browser, "Play against Beginners")
    browser.wait("document.querySelector('.level input:checked')?.value === 'beginner'")


def test_a_lesson_is_read_beside_its_cards_on_a_phone(browser):
    browser.size(390, 844, phone=True)
    button(browser, "Learn Hearts in 5 minutes")
    browser.wait(f"{STAGE}.screen === 'learn'")
    text, hand = (
        browser.evaluate(
            f"(() => {{ const r = document.querySelector({one!r}).getBoundingClientRect();"
            "return [r.top, r.bottom]; })()"
        )
        for one in (".side p", ".hand")
    )
    assert 0 <= text[0] < text[1] < hand[0] < hand[1] <= 844 + 1


def test_any_position_can_be_set_up_and_asked_about(browser, served):
    deal = Deal("standard", 4, 3)
    button(browser, "Analysis board")
    browser.wait(f"{STAGE}.screen === 'analysis'")
    fill = "document.querySelectorAll('.set-up [name=hand]').forEach((n, i) => { n.value = hands[i]; })"
    browser.evaluate(f"window.hands = {[hand.names() for hand in deal.dealt]!r}; hands[0] = hands[1]; {fill}")
    button(browser, "Open")
    browser.wait(f"{TOAST} !== ''")
    browser.evaluate(f"hands[0] = {deal.dealt[0].names()!r}; {fill}")
    button(browser, "Open")
    browser.wait("!!document.querySelector('.viewer')")
    button(browser, "Hint")
    browser.wait("!!document.querySelector('.replay-hint .judged')")
    deal.play(min(deal.legal))
    browser.press("ArrowRight")
    browser.picture("analysis")
    button(browser, "Close")
    browser.wait(f"{STAGE}.screen === 'analysis'")


def test_the_coach_answers_about_any_decision_of_a_record(served):
    deal = Deal("standard", 4, 3)
    deal.play_randomly(4)
    text = to_json(deal.to_record())
    with served.client() as client:
        answer = client.ask("analyse", "coaching", house=served.key, record=text, at=5)
        before = deal.before(6)
        assert (answer["at"], len(answer["cards"])) == (6, len(before.legal))
        for at, record in ((52, text), (0, ""), (0, Deal("standard", 4).to_text()), (0, "rubbish")):
            assert client.ask("analyse", "coaching", house=served.key, record=record, at=at)["type"] == "failed"
        assert client.ask("analyse", "coaching", house="x" * 22, record=text, at=5)["code"] == "key"
