"""The coach on the page: brief first, everything else under "More", and a warning of the moon that comes by itself."""

from __future__ import annotations

import threading

import pytest

pytest.importorskip("websockets", reason="needs the extra web")

from support.browser import Browser
from support.page import STAGE, TURN, button, finish_deal, pass_three, play_one, start

from heartlab.coach.coach import Coach
from heartlab.coach.values import MoonRisk

pytestmark = pytest.mark.slow
BRIEF = "document.querySelector('.coach').innerText"


def test_a_hint_is_brief_until_more_is_opened(browser):
    start(browser, seed=5)
    pass_three(browser)
    browser.wait(TURN)
    button(browser, "Hint")
    browser.wait("!!document.querySelector('.coach .more')")
    assert browser.evaluate("document.querySelectorAll('.coach .words li').length") <= 2
    assert browser.evaluate("document.querySelector('.coach .judged').checkVisibility()") is False
    assert browser.evaluate(f"{BRIEF}.split(/\\s+/).length") <= 45
    browser.evaluate("document.querySelector('.coach .more summary').click()")
    assert browser.evaluate("document.querySelector('.coach .judged').checkVisibility()") is True
    titles = browser.evaluate("[...document.querySelectorAll('.coach .judged thead th')].map((one) => one.textContent)")
    cells = browser.evaluate("[...document.querySelectorAll('.coach .judged tbody tr')].map((one) => one.cells.length)")
    assert set(cells) == {len(titles)}
    moons = browser.evaluate(
        "[...document.querySelectorAll('.coach .judged td:nth-child(5)')].map((n) => n.textContent)"
    )
    assert titles == ["Card", "Points", "Q♠", "Hearts", *(["Moon"] if len(titles) == 6 else []), "Spread"]
    assert len(titles) == 5 or any(moons), "a column without a figure takes the room of the spread"
    browser.picture("hint-more")


def play_until_one_has_points(browser: Browser) -> None:
    """Then the page asks for a warning; whoever plays on before the answer may find the points split."""
    browser.wait(TURN)
    while browser.evaluate("document.querySelectorAll('.points.bad').length") != 1:
        play_one(browser)


@pytest.mark.parametrize(("seat", "kind"), [(1, "alarm"), (0, "good")])
def test_the_warning_of_a_moon_comes_by_itself(browser, monkeypatch, seat, kind):
    """Nobody presses anything; one's own moon is a wink, not an alarm."""
    told = "Ada may shoot the moon." if seat else "You may 😉"
    monkeypatch.setattr(Coach, "moon", lambda self, obs, seats: MoonRisk(len(obs.history), seat, 0.4, told))
    start(browser, seed=5)
    pass_three(browser)
    play_until_one_has_points(browser)
    browser.wait("!!document.querySelector('.moon-risk')")
    assert browser.evaluate("document.querySelector('.moon-risk').textContent") == told
    assert browser.evaluate(f"document.querySelector('.moon-risk').classList.contains('{kind}')")


def test_the_warning_goes_with_the_card_that_was_played(browser, monkeypatch):
    """It may name that card: the old warning does not stay until the coach has answered for the next decision."""
    answer, asked = threading.Event(), []

    def moon(self, obs, seats):
        asked.append(len(obs.history))
        if len(asked) > 1:
            answer.wait(30)
        return MoonRisk(len(obs.history), 1, 0.4, "Ada may shoot the moon.")

    monkeypatch.setattr(Coach, "moon", moon)
    start(browser, seed=5)
    pass_three(browser)
    play_until_one_has_points(browser)
    browser.wait("!!document.querySelector('.moon-risk')")
    plays = browser.evaluate(f"{STAGE}.plays")
    card = browser.evaluate("[...document.querySelectorAll('.hand .card.legal')].at(-1).dataset.card")
    try:
        browser.click(f".hand [data-card='{card}']")
        browser.wait(f"{STAGE}.plays !== '{plays}'")
        assert not browser.evaluate("!!document.querySelector('.moon-risk')")
    finally:
        answer.set()


def test_a_review_opens_the_coachs_line(browser):
    """Three sentences, and from a mistake the coach's line as a replay."""
    start(browser, seed=5)
    pass_three(browser)
    finish_deal(browser)
    button(browser, "Review")
    browser.wait("!!document.querySelector('.side .coach .chart')")
    assert browser.evaluate("document.querySelector('.side .verdict').textContent.split('. ').length") <= 3
    if browser.evaluate("!!document.querySelector('.mistake .actions')"):
        button(browser, "See the coach's line")
        browser.wait("!!document.querySelector('.viewer')")
        assert "coach's line" in browser.evaluate("document.querySelector('.viewer .title').textContent")


def test_the_keys_of_a_replay_ask_the_coach(browser):
    """As its button says: H. Beside another seat's decision it says to whom it speaks, and who is meant by South."""
    start(browser, seed=6)
    pass_three(browser)
    finish_deal(browser)
    button(browser, "Replay")
    browser.wait("!!document.querySelector('.viewer')")
    told = []
    for _ in range(2):  # of two decisions in a row at most one is the person's
        browser.press("ArrowRight")
        browser.wait("!document.querySelector('.replay-hint')")
        browser.press("h")
        browser.wait("!!document.querySelector('.replay-hint .verdict')")
        told.append(browser.evaluate("document.querySelector('.replay-hint').innerText"))
    assert not any("“" in text for text in told)
    assert any("; your own seat is called South here." in text for text in told)
