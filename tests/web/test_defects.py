"""Defects that people met at the table, each in real Chromium as they met it."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from starlette.websockets import WebSocketDisconnect
from support.page import (
    OVER,
    PASSING,
    STAGE,
    TOAST,
    TURN,
    button,
    finish_deal,
    lobby,
    more,
    open_file,
    pass_three,
    play_one,
    start,
)
from support.web_client import serving

from heartlab.deal import Deal
from heartlab.records.format import to_json
from heartlab.web.coaching import CoachService

pytestmark = pytest.mark.slow


def replay(browser) -> None:
    """Open a random deal with all hands."""
    deal = Deal("standard", 4, 3)
    deal.play_randomly(4)
    open_file(browser, to_json(deal.to_record(players=["You", "Ada", "Emil", "Ines"])))
    browser.wait("!!document.querySelector('.viewer')")


def test_the_replay_slider_can_be_dragged_and_keeps_the_focus(browser):
    replay(browser)
    browser.evaluate("window.slider = document.querySelector('.viewer input[type=range]')")
    x, y, wide = browser.evaluate(
        "(() => { const r = slider.getBoundingClientRect(); return [r.left, r.top + r.height / 2, r.width]; })()"
    )
    mouse = dict(y=y, button="left", buttons=1, clickCount=1)
    browser.command("Input.dispatchMouseEvent", type="mousePressed", x=x + 8, **mouse)
    seen = []
    for step in range(1, 9):
        browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=x + wide * step / 10, **mouse)
        seen.append(int(browser.evaluate("slider.value")))
    browser.command("Input.dispatchMouseEvent", type="mouseReleased", x=x + wide * 0.8, **mouse)
    assert seen == sorted(seen)
    assert len(set(seen)) > 5
    assert browser.evaluate("document.activeElement === slider && slider.isConnected")
    assert browser.evaluate("document.querySelector('.status').textContent.startsWith('Trick ')")


def test_the_controls_of_a_replay_are_in_sight_on_a_phone_lying_on_its_side(browser):
    browser.size(844, 390, phone=True)
    replay(browser)
    low = "Math.max(...[...document.querySelectorAll('.viewer .actions button')].map((n) => n.getBoundingClientRect()"
    assert browser.evaluate(f"{low}.bottom)) <= innerHeight")


def test_a_lost_connection_stands_in_the_status_line(browser):
    with serving() as other, other.client() as client:
        client.create(other.key)
        lobby(browser, other.page, other.key)
        browser.goto(f"{other.page}#{other.key}/{client.key}")
        browser.wait(f"!!document.querySelector('.board') && {PASSING}")
    browser.wait("document.querySelector('.status').textContent.startsWith('The connection to the server is lost')")
    browser.goto("about:blank")
    browser.requests.clear()
    browser.problems.clear()


def test_a_saved_proof_opens_again_and_a_forged_one_does_not(browser, served):
    with served.client() as client:
        client.create(served.key)
        client.finish_deal()
        proof = client.ask("replay", "deals", number=0)["proof"]
    open_file(browser, json.dumps(proof, indent=1))
    browser.wait("document.querySelector('.viewer .title')?.textContent === 'Deal 1'")
    assert browser.evaluate("[...document.querySelectorAll('button')].some((n) => n.textContent === 'Save proof')")
    button(browser, "Close")
    browser.wait("!!document.querySelector('.lobby')")
    open_file(browser, json.dumps({**proof, "salt": "00"}))
    browser.wait(f"{TOAST}.startsWith('This proof does not hold')")


def test_a_hint_on_a_lost_line_does_not_think_for_ever(browser, monkeypatch):
    """The server goes while the coach thinks, and a question without a line is not called a thought."""
    asked, released = threading.Event(), threading.Event()

    async def never(self, live, tell):
        asked.set()
        await asyncio.get_running_loop().run_in_executor(None, released.wait, 600)
        raise WebSocketDisconnect

    monkeypatch.setattr(CoachService, "hint", never)
    with serving() as other, other.client() as client:
        client.create(other.key)
        lobby(browser, other.page, other.key)
        browser.goto(f"{other.page}#{other.key}/{client.key}")
        browser.wait(f"!!document.querySelector('.board') && {PASSING}")
        browser.press("h")
        browser.wait("!!document.querySelector('.side .busy')")
        asked.wait(600)
        released.set()
    browser.wait("document.body.dataset.line === 'lost' && !document.querySelector('.side .busy')")
    browser.press("h")
    browser.wait(f"{TOAST}.startsWith('The connection to the server is lost')")
    assert not browser.evaluate("!!document.querySelector('.side .busy')")
    browser.goto("about:blank")
    browser.requests.clear()
    browser.problems.clear()


def test_a_replay_does_not_think_for_ever_on_a_lost_line(browser, monkeypatch):
    asked, released = threading.Event(), threading.Event()

    async def never(self, text, at, tell):
        asked.set()
        await asyncio.get_running_loop().run_in_executor(None, released.wait, 600)
        raise WebSocketDisconnect

    monkeypatch.setattr(CoachService, "analyse", never)
    with serving() as other:
        lobby(browser, other.page, other.key)
        replay(browser)
        browser.press("ArrowRight")
        button(browser, "Hint")
        browser.wait("!!document.querySelector('.replay-hint .busy')")
        asked.wait(600)
        released.set()
    browser.wait("document.body.dataset.line === 'lost' && !document.querySelector('.replay-hint')")
    assert browser.evaluate(f"{TOAST}.startsWith('The connection to the server was lost; ask again')")
    browser.goto("about:blank")
    browser.requests.clear()
    browser.problems.clear()


def test_the_blunder_check_waits_for_the_first_own_card_and_says_what_it_costs(browser, served):
    lobby(browser, served.page, served.key, '{"pace": 1, "hold": "0.01", "motion": "none", "check": true}')
    browser.evaluate(
        "(() => { window.sent = []; const send = WebSocket.prototype.send;"
        "WebSocket.prototype.send = function (text) { sent.push(JSON.parse(text).type); send.call(this, text); }; })()"
    )
    start(browser, seed=5)
    pass_three(browser)
    browser.wait(TURN)
    assert browser.evaluate("document.querySelectorAll('.hand .card').length === 13")
    assert "check" not in browser.evaluate("sent")
    assert browser.evaluate("!document.getElementById('toast')")
    play_one(browser)
    browser.wait("sent.includes('check')")
    play_one(browser)
    browser.wait("document.querySelector('.markers').innerText.includes('with help')")
    button(browser, "Options")
    assert "do not count for your level" in browser.evaluate("document.getElementById('dialog').textContent")


def test_watching_bots_says_nothing_of_getting_ready_once_they_are_seen(browser):
    more(browser)
    browser.evaluate(
        "document.querySelectorAll('[name=player], [name=instead]').forEach((n) => { n.value = 'random'; });"
        "window.seen = new Set(); new MutationObserver(() => { if (document.querySelector('.viewer'))"
        f"seen.add({TOAST} + (document.querySelector('.busy')?.textContent ?? '')); }})"
        ".observe(document.body, { childList: true, subtree: true, characterData: true })"
    )
    button(browser, "Watch bots instead")
    browser.wait("!!document.querySelector('.viewer')")
    for _ in range(3):
        browser.press("ArrowRight")
    assert browser.evaluate("[...seen].join('')") == ""


def test_the_recommended_card_is_marked_in_the_hand(browser):
    start(browser, seed=5)
    button(browser, "Hint")
    browser.wait("!!document.querySelector('.coach .judged')")
    best = "document.querySelectorAll('.hand .advised').length"
    assert browser.evaluate(best) == 3
    assert browser.evaluate("document.querySelector('.hand .advised').textContent.includes('coach')")
    pass_three(browser)
    browser.wait(TURN)
    assert browser.evaluate(best) == 0
    button(browser, "Hint")
    browser.wait("!!document.querySelector('.coach .range')")
    assert browser.evaluate(best) >= 1


def test_on_a_phone_a_hint_leaves_the_hand_and_the_trick_in_sight(browser):
    browser.size(390, 844, phone=True)
    start(browser, seed=12)
    pass_three(browser)
    browser.wait(TURN)
    while not browser.evaluate("document.querySelectorAll('.laid').length"):
        play_one(browser)
    button(browser, "Hint")
    browser.wait("!!document.querySelector('.coach .judged')")
    assert browser.evaluate("scrollY") == 0
    shown = browser.evaluate(
        "(() => { const side = document.querySelector('.side').getBoundingClientRect();"
        "const hand = document.querySelector('.hand').getBoundingClientRect();"
        "const laid = [...document.querySelectorAll('.laid')].map((n) => n.getBoundingClientRect());"
        "return [side.height > 100, side.bottom < hand.top, hand.bottom <= innerHeight + 4,"
        "laid.every((r) => r.height > 40 && r.top >= side.bottom)]; })()"
    )
    assert shown == [True, True, True, True]
    browser.picture("hint-phone")
    browser.click(".close-sheet")
    browser.wait("getComputedStyle(document.querySelector('.side')).display === 'none'")


def test_a_panel_on_a_phone_lying_on_its_side_covers_neither_trick_nor_buttons(browser):
    browser.size(844, 390, phone=True)
    start(browser, seed=5)
    pass_three(browser)
    browser.wait(TURN)
    button(browser, "Count")
    browser.wait("!!document.querySelector('.side.open .counts')")
    covered = browser.evaluate(
        "(() => { const a = document.querySelector('.side').getBoundingClientRect();"
        "return [...document.querySelectorAll('.laid, .board > .actions button, .hand .card')].filter((n) => {"
        "const b = n.getBoundingClientRect(); return b.right > a.left + 1 && b.top < a.bottom - 1; })"
        ".map((n) => n.textContent); })()"
    )
    assert covered == []


def test_a_notice_covers_no_seat_and_goes_with_the_next_card(browser, served):
    for width, height in ((390, 844), (1440, 900)):
        browser.size(width, height, phone=width < 900)
        lobby(browser, served.page, served.key)
        start(browser, seed=5)
        pass_three(browser)
        browser.wait(TURN)
        bad = browser.evaluate("document.querySelector('.hand .illegal').dataset.card")
        browser.click(f".hand [data-card='{bad}']")
        browser.wait("!!document.getElementById('toast')")
        covered = browser.evaluate(
            "(() => { const a = document.getElementById('toast').getBoundingClientRect();"
            "return [...document.querySelectorAll('.seat, .hand .card, .actions button')].filter((n) => {"
            "const b = n.getBoundingClientRect(); return a.left < b.right && b.left < a.right && a.top < b.bottom - 1"
            "&& b.top < a.bottom - 1; }).map((n) => n.textContent); })()"
        )
        assert covered == [], f"at {width}"
        browser.picture(f"notice-{width}")
        play_one(browser)
        assert browser.evaluate("!document.getElementById('toast')"), "the notice is old"


def test_while_passing_a_card_may_be_passed(browser):
    start(browser, seed=5)
    labels = browser.evaluate("[...document.querySelectorAll('.hand .card .unseen')].map((n) => n.textContent)")
    assert all(label.endswith("may be passed") for label in labels)


@pytest.mark.parametrize("width", [390, 1280])
def test_no_cell_of_the_table_of_cards_wraps(browser, width):
    browser.size(width, 844, phone=width < 900)
    start(browser, seed=5)
    for panel in ("passing", "cards"):
        if panel == "cards":
            pass_three(browser)
            browser.wait(TURN)
        button(browser, "Hint")
        browser.wait("!!document.querySelector('.coach .judged')")
        high = browser.evaluate(
            "Math.max(...[...document.querySelectorAll('.judged td, .judged th')].map((n) => n.clientHeight))"
        )
        line = browser.evaluate("parseFloat(getComputedStyle(document.querySelector('.judged td')).fontSize)")
        assert high < 2.6 * line, f"{panel} at {width}"


def test_a_review_is_there_again_after_a_branch_and_the_branch_has_a_name(browser):
    start(browser, seed=12)
    pass_three(browser)
    finish_deal(browser)
    button(browser, "Review")
    browser.wait("!!document.querySelector('.side .coach .chart')")
    text = browser.evaluate("document.querySelector('.side .verdict').textContent")
    button(browser, "Same deal again")
    browser.wait(PASSING)
    assert browser.evaluate("document.querySelector('.markers').innerText").startswith("♥")
    assert "practice: deal 1 again" in browser.evaluate("document.querySelector('.markers').innerText")
    titles = "JSON.parse(localStorage.getItem('heartlab-tables')).map((one) => one.title)"
    assert "practice: deal 1 again" in browser.evaluate(titles)
    browser.evaluate("history.back()")
    browser.wait(OVER)
    assert browser.evaluate("document.querySelector('.side .verdict')?.textContent") == text
    assert browser.evaluate(f"{STAGE}.screen") == "game"
