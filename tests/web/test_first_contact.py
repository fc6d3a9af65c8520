"""The first minute of somebody who has never been here, in real Chromium."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.page import PASSING, STAGE, TOAST, TURN, button, lobby, pass_three, play_one, start
from support.web_client import serving

from heartlab.web.warmup import TABLE, Warmup

pytestmark = pytest.mark.slow

SEEN = """(() => { const seen = (n) => { const r = n.getBoundingClientRect();
return r.top >= 0 && r.bottom <= innerHeight && r.left >= 0 && r.right <= innerWidth && r.width > 0; };
return [document.querySelector('.play'), ...document.querySelectorAll('.level')].every(seen)
  && document.documentElement.scrollWidth <= innerWidth; })()"""
APART = """(() => { const box = (n) => n.getBoundingClientRect(), a = box(document.querySelector('.segments'));
return [...document.querySelectorAll('.fan i')].map(box).every((b) => b.width === 0 ||
  b.left >= a.right || b.right <= a.left || b.top >= a.bottom || b.bottom <= a.top); })()"""


@pytest.mark.parametrize("size", [(390, 844), (844, 390), (1024, 768), (1440, 900)])
def test_play_and_the_strengths_are_seen_without_scrolling(browser, served, size):
    browser.size(*size, phone=size[0] < 900)
    lobby(browser, served.page, served.key)
    assert browser.evaluate(SEEN)
    assert browser.evaluate(APART), "no card of the picture lies on the choice of strengths"
    names = browser.evaluate("[...document.querySelectorAll('.level')].map((n) => n.textContent)")
    assert names == ["Beginner", "Casual", "Skilled", "Expert"]
    assert not browser.evaluate("document.querySelector('.more').open")
    browser.picture(f"lobby-{size[0]}")


@pytest.mark.parametrize("size", [(390, 844), (844, 390), (1024, 768)])
def test_the_largest_text_does_not_make_the_lobby_wider_than_the_screen(browser, served, size):
    browser.size(*size, phone=size[0] < 900)
    lobby(browser, served.page, served.key, '{"size": "largest"}')
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_game_of_ones_own_is_offered_and_opens_what_is_below(browser):
    button(browser, "A game of your own")
    browser.wait("document.querySelector('.more').open && !!document.querySelector('.lobby-form')")
    assert browser.evaluate("document.activeElement === document.querySelector('.more summary')")


def test_one_click_to_the_table_and_the_strength_is_remembered(browser):
    browser.click(".level input[value=beginner]")
    browser.click(".play")
    browser.wait(f"({PASSING}) || ({TURN})")
    kinds = browser.evaluate("[...document.querySelectorAll('.seat .kind')].map((n) => n.textContent)")
    assert kinds == ["Beginner"] * 3
    button(browser, "Leave")
    browser.wait("!!document.querySelector('.lobby')")
    assert browser.evaluate("document.querySelector('.level input:checked').value") == "beginner"
    browser.reload()
    browser.wait("document.querySelector('.level input:checked')?.value === 'beginner'")
    browser.click(".continue")
    browser.wait(f"({PASSING}) || ({TURN})")


def test_play_is_a_few_tabs_away(browser):
    for _ in range(8):
        browser.press("Tab")
        if browser.evaluate("document.activeElement.classList.contains('play')"):
            break
    assert browser.evaluate("document.activeElement.classList.contains('play')")


def test_the_lobby_says_honestly_how_far_the_compilation_is(browser):
    with serving() as other:
        other.house.warmup = Warmup([(TABLE, lambda: None), ("gnome", lambda: None)])
        lobby(browser, other.page, other.key)
        browser.wait("document.querySelector('progress')?.max === 2")
        assert browser.evaluate("document.querySelector('progress').value") == 0
        assert "the table, 0 of 2 done" in browser.evaluate("document.querySelector('.readying').textContent")
        browser.picture("readying")
        other.house.warmup.run()
        browser.wait("!document.querySelector('progress')")
        browser.goto("about:blank")
        browser.requests.clear()


def test_leaving_loses_nothing(browser):
    start(browser, seed=5)
    pass_three(browser)
    browser.wait(TURN)
    play_one(browser)
    cards = "[...document.querySelectorAll('[data-card]')].map((n) => n.dataset.card).join()"
    before = browser.evaluate(cards)
    button(browser, "Leave")
    browser.wait(f"{STAGE}.screen === 'lobby'")
    browser.click(".continue")
    browser.wait(TURN)
    assert browser.evaluate(cards) == before


def test_wrong_addresses_and_clicks_are_answered_where_they_are_seen(browser, served):
    browser.click(".play")
    browser.wait(f"({PASSING}) || ({TURN})")
    browser.goto(f"{served.page}#mistyped")
    browser.wait("!!document.querySelector('.lobby')")
    browser.click(".play")
    browser.wait(f"{STAGE}.screen === 'lost'")
    assert "whole address" in browser.evaluate("document.getElementById('stage').textContent")
    browser.goto(f"{served.page}#~join/")
    browser.wait("document.body?.textContent.includes('holds no invitation')")
    browser.size(390, 844, phone=True)
    browser.goto(served.page)  # as an installed app does: the key that opened a table is still known
    browser.wait("!!document.querySelector('.lobby')")
    button(browser, "Puzzles from my mistakes")
    browser.wait("document.getElementById('lobby-panel').textContent.includes('No puzzles yet')")
    assert browser.evaluate("document.getElementById('lobby-panel').getBoundingClientRect().bottom - innerHeight") < 1


def test_a_position_that_opens_at_last_takes_the_complaint_away(browser, served):
    browser.goto(f"{served.page}#{served.key}/~analysis")
    browser.wait("!!document.querySelector('[name=record]')")
    button(browser, "Open")
    browser.wait(f"{TOAST}.includes('13')")
    button(browser, "Deal at random")
    button(browser, "Open")
    browser.wait(f"{STAGE}.screen === 'replay'")
    assert browser.evaluate(TOAST) == ""
