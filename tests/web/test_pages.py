"""The introduction and the analysis board, in real Chromium."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.page import STAGE, TOAST, button, finish_deal, pass_three, start

from heartlab.cards import pretty_card
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


def test_the_introduction_stays_where_it_is_when_the_line_comes_back(browser, served):
    """The server's greeting may come late, or once more after a lost line; neither is a new beginning."""
    browser.evaluate(
        "(() => { const { send } = WebSocket.prototype;"
        "WebSocket.prototype.send = function (text) { window.socket = this; send.call(this, text); }; })()"
    )
    button(browser, "My games and statistics")
    browser.wait(f"{STAGE}.screen === 'history' && !!window.socket")
    browser.click("#home")
    browser.wait("!!document.querySelector('.lobby')")
    button(browser, "Learn Hearts in 5 minutes")
    browser.wait(f"{STAGE}.screen === 'learn'")
    button(browser, "Go on")
    browser.evaluate("window.old = window.socket; window.socket = null; window.old.close()")
    browser.wait("document.body.dataset.line === 'lost'")
    browser.wait("document.body.dataset.line === 'open' && !!window.socket")
    assert browser.evaluate("document.querySelector('.actions .main').disabled")
    browser.click(".hand [data-card='AH']")
    browser.wait("!!document.querySelector('.hand .chosen')")
    browser.click("#home")
    browser.wait("!!document.querySelector('.lobby')")
    button(browser, "Learn Hearts in 5 minutes")
    browser.wait(f"{STAGE}.screen === 'learn' && !document.querySelector('.actions .main').disabled")


def test_the_introduction_by_keys_alone(browser):
    button(browser, "Learn Hearts in 5 minutes")
    browser.wait("!!document.querySelector('.learning')")
    for _ in range(9):
        browser.press("Tab")
        if browser.evaluate("document.activeElement.matches('.actions .main')"):
            break
    browser.press("Enter")
    for chosen in (1, 2, 3):
        browser.press("ArrowLeft")
        browser.press("Enter")
        browser.wait(f"document.querySelectorAll('.hand .chosen').length === {chosen}")
    assert browser.evaluate("document.activeElement.matches('.hand .card:focus-visible')")


def test_a_click_as_soon_as_the_introduction_is_seen_counts(browser):
    """An address is followed once: what follows it a second time would begin the introduction anew."""
    browser.evaluate(
        "window.followed = new Promise((done) => addEventListener('hashchange', () => setTimeout(done, 0)));"
        "new MutationObserver((_, observer) => { const n = document.querySelector('.learning .actions .main');"
        "if (n) { observer.disconnect(); n.click(); } }).observe(document.body, { childList: true, subtree: true })"
    )
    button(browser, "Learn Hearts in 5 minutes")
    browser.evaluate("followed")
    assert browser.evaluate("document.querySelector('.learning .actions .main').disabled"), "back at the first step"


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
    browser.evaluate(
        f"hands[0] = {deal.dealt[0].names()!r}; {fill}; document.querySelector('[name=tricks]').value = '?'"
    )
    button(browser, "Open")
    browser.wait(f"{TOAST}.startsWith('Line 1: ')")
    lead = pretty_card(min(deal.legal))
    browser.evaluate(f"document.querySelector('[name=tricks]').value = '1 {deal.to_move}: {lead}'")
    button(browser, "Open")
    browser.wait("!!document.querySelector('.viewer')")
    button(browser, "Hint")
    browser.wait("!!document.querySelector('.replay-hint .judged')")
    deal.play(min(deal.legal))
    browser.press("ArrowRight")
    browser.picture("analysis")
    button(browser, "Close")
    browser.wait(f"{STAGE}.screen === 'analysis'")


def test_the_coach_names_the_seats_of_a_replay(served):
    """As the page does there: by the names of the record, also in the line; the seat to move is "you"."""
    deal = Deal("standard", 4, 3)
    deal.play_randomly(4)
    labels = ("You", "Ada (gnome)", "Emil (gnome:jake)", "Ines (gnome)")
    before = deal.before(2)
    others = [name for seat, name in enumerate(["South", "Ada", "Emil", "Ines"]) if seat != before.to_move]
    with served.client() as client:
        text = to_json(deal.to_record(players=labels))
        answer = client.ask("analyse", "coaching", house=served.key, record=text, at=1)
        assert answer["line"]["players"] == list(labels)
        assert "Seat " not in json.dumps(answer)
        assert all(name in answer["note"] for name in [*others, "you"]), answer["note"]
        assert "“" not in json.dumps(answer, ensure_ascii=False)
        spoken = {at: client.ask("analyse", "coaching", house=served.key, record=text, at=at)["to"] for at in range(8)}
        movers = {at: deal.before(at + 1).to_move for at in spoken}
        assert {to for at, to in spoken.items() if not movers[at]} == {""}
        assert all(labels[movers[at]].split()[0] in to and "South" in to for at, to in spoken.items() if movers[at])
        text = to_json(deal.to_record(players=("net", "net", "", "Ines")))
        note = client.ask("analyse", "coaching", house=served.key, record=text, at=0)["note"]
        called = ["net (seat 0)", "net (seat 1)", "Seat 2", "Ines"]
        assert [name for name in called if name not in note] == [called[deal.before(1).to_move]]


def test_a_replay_tells_the_coach_who_plays(browser):
    start(browser, seed=6)
    pass_three(browser)
    finish_deal(browser)
    button(browser, "Replay")
    browser.wait("!!document.querySelector('.viewer')")
    for _ in range(3):
        browser.press("ArrowRight")
    button(browser, "Hint")
    browser.wait("!!document.querySelector('.replay-hint .judged')")
    browser.evaluate("document.querySelectorAll('.replay-hint details').forEach((n) => { n.open = true; })")
    said = browser.evaluate("document.querySelector('.replay-hint').textContent")
    shown = browser.evaluate("[...document.querySelectorAll('.open-hand .name')].map((n) => n.textContent)")
    assert "Seat " not in said
    assert sum(name.split(" (")[0] in said for name in shown) >= 3, (shown, said)
    browser.picture("replay-hint")


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


def test_a_position_is_set_up_by_clicks(browser):
    button(browser, "Analysis board")
    browser.wait("!!document.querySelector('.deck')")
    for card in ("QS", "AH"):
        browser.click(f".deck [data-card={card}]")
    hands = "[...document.querySelectorAll('input[name=hand]')].map((n) => n.value)"
    assert browser.evaluate(hands) == ["QS AH", "", "", ""]
    browser.click(".level input[value='2']")
    browser.click(".deck [data-card=QS]")
    assert browser.evaluate(hands) == ["AH", "", "QS", ""]
    label = "document.querySelector('.deck [data-card=QS] .unseen').textContent"
    assert browser.evaluate(label) == "queen of spades, Seat 2"
    browser.evaluate("document.querySelector('.deck [tabindex=\"0\"]').focus()")
    browser.press("ArrowRight")
    browser.press("Enter")
    assert browser.evaluate(hands) == ["AH", "", "3C QS", ""]
    button(browser, "Deal at random")
    browser.wait("document.querySelectorAll('.deck .held').length === 52")
    assert browser.evaluate(f"{hands}[2].includes('QS') && {hands}[0].includes('AH')")
    button(browser, "Open")
    browser.wait(f"{STAGE}.screen === 'replay'")
