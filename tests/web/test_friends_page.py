"""Two people at one table, each in a Chromium of the own: the link, the cards, leaving and coming back."""

from __future__ import annotations

import pytest
from support import browser as driver
from support.browser import Browser
from support.page import OVER, PASSING, STAGE, TOAST, TURN, button, lobby
from support.web_client import serving

pytest.importorskip("starlette", reason="needs the extra web")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(driver.PROGRAM is None, reason="no Chromium here"),
]

SEATS = "[...document.querySelectorAll('.seats-list li')].map((n) => n.innerText.replace(/\\s+/g, ' ').trim())"
NAMES = "[...document.querySelectorAll('.seat .who strong')].map((n) => n.textContent)"
HAND = "[...document.querySelectorAll('.hand .card')].map((n) => n.dataset.card)"
LABEL = "document.querySelector('[data-seat=\"1\"]').getAttribute('aria-label')"


@pytest.fixture
def two(tmp_path):
    """Two browsers and a server."""
    pages = [Browser(tmp_path / name) for name in ("zoe", "max")]
    for page in pages:
        page.size(1280, 800)
    with serving() as served:
        yield served, *pages
    for page in pages:
        assert page.problems == []
        page.close()


def say_name(page: Browser, name: str) -> None:
    page.wait("!!document.querySelector('input[name=person]')")
    page.evaluate(f"document.querySelector('input[name=person]').value = {name!r}")
    page.click("form button[type=submit]")


def pass_cards(page: Browser) -> None:
    """Pass the last three cards; others may still have to pass."""
    for card in page.evaluate(f"{HAND}.slice(-3)"):
        page.click(f'.hand [data-card="{card}"]')
    page.press("p")
    page.wait(f"!document.querySelector('.card.chosen') || {STAGE}.phase === 'play'")


def settle(*pages: Browser) -> Browser | None:
    """Wait until one of the pages has to do something; it is returned, or nothing if the deal is over."""
    while True:
        for page in pages:
            if page.evaluate(OVER):
                return None
            if page.evaluate(f"({TURN}) || (({PASSING}) && !!document.querySelector('.card.legal'))"):
                return page


def play_on(*pages: Browser, cards: int = 99) -> None:
    """Let everybody pass and play what is allowed."""
    for _ in range(cards):
        page = settle(*pages)
        if page is None:
            return
        if page.evaluate(f"{STAGE}.phase") == "pass":
            pass_cards(page)
            continue
        before = page.evaluate(f"{STAGE}.plays")
        page.click(".hand .card.legal")
        page.wait(f"{STAGE}.plays !== {before!r} || {STAGE}.phase !== 'play'")


def test_a_page_that_is_left_for_another_one_keeps_nobody_waiting(two):
    """A browser may keep a page asleep, with its line open, for the way back."""
    served, zoe, max_ = two
    lobby(zoe, served.page, served.key)
    zoe.evaluate(f"location.hash = {f'{served.key}/~friends'!r}")
    say_name(zoe, "Zoe")
    link = zoe.wait("document.querySelector('.invitation .link')?.value")
    max_.goto(link)
    say_name(max_, "Max")
    zoe.wait(f"{SEATS}.some((one) => one.includes('Max') && one.includes('here'))")
    max_.evaluate("void (location.href = 'about:blank')")
    zoe.wait(f"{SEATS}.some((one) => one.includes('Max') && one.includes('connection lost'))", 60)
    max_.evaluate("history.back()")
    zoe.wait(f"{SEATS}.some((one) => one.includes('Max') && one.includes('here'))", 60)


def test_friends_play_together(two):
    served, zoe, max_ = two
    quick = '{"pace": 1, "hold": "0.01", "motion": "none"}'
    lobby(zoe, served.page, served.key, quick)
    button(zoe, "Play with friends")
    say_name(zoe, "  ")
    zoe.wait(f"{TOAST} === 'Say what the others shall call you.'")
    say_name(zoe, "Zoe")
    zoe.wait("!!document.querySelector('.invitation .link')")
    assert zoe.evaluate(TOAST) == "", "the complaint is old"
    link = zoe.evaluate("document.querySelector('.invitation .link').value")
    assert link.startswith(f"{served.page}#~join/")
    assert served.key not in link, "the key of the house is not in it"
    zoe.picture("friends-room")
    # a guest has nothing but the link
    max_.goto(link)
    max_.wait("!!document.querySelector('input[name=person]')")
    max_.evaluate(f"localStorage.setItem('heartlab-options', {quick!r})")
    max_.goto(link)
    say_name(max_, "Max")
    max_.wait(f"{SEATS}.length === 4")
    zoe.wait(f"{SEATS}[1]?.startsWith('Max')")
    assert max_.evaluate(SEATS)[3].startswith("Zoe host")
    assert "Waiting for Zoe" in max_.evaluate("document.querySelector('.busy').textContent")
    zoe.click(".begin")
    for page in (zoe, max_):
        page.wait(PASSING)
    assert zoe.evaluate(NAMES) == ["Zoe", "Max", "Ada", "Emil"]
    assert max_.evaluate(NAMES) == ["Max", "Ada", "Emil", "Zoe"]
    assert not set(zoe.evaluate(HAND)) & set(max_.evaluate(HAND))
    pass_cards(zoe)
    zoe.wait("document.querySelector('.status').textContent === 'Waiting for Max …'")
    zoe.picture("friends-passing")
    # reactions
    max_.click(".react summary")
    button(max_, "Ouch!")
    zoe.wait("document.querySelector('[data-seat=\"1\"] .reaction')?.textContent === 'Ouch!'")
    assert max_.evaluate("!document.querySelector('.react').open"), "the choice covers no card for longer than needed"
    zoe.picture("friends-reaction")
    play_on(zoe, max_, cards=6)
    assert zoe.evaluate("![...document.querySelectorAll('.actions button')].some((n) => n.textContent === 'Hint')")
    zoe.press("h")
    zoe.wait("(document.getElementById('toast')?.textContent ?? '').includes('against friends')")
    # Max leaves and comes back by the same link: one seat for one browser
    button(max_, "Leave")
    max_.wait("document.body.innerText.includes('only tables to which you are invited')")
    zoe.wait(
        "[...document.querySelectorAll('[data-seat=\"1\"]')][0].getAttribute('aria-label').includes('a bot plays')"
    )
    zoe.picture("friends-away")
    max_.goto(link)
    max_.wait("!!document.querySelector('.hand')")
    zoe.wait(f"!{LABEL}.includes('a bot')")
    play_on(zoe, max_)
    for page in (zoe, max_):
        page.wait(OVER)
    zoe.picture("friends-over")
    button(max_, "Next deal")
    max_.wait("[...document.querySelectorAll('button')].some((n) => n.textContent === 'Waiting for the others')")
    button(zoe, "Next deal")
    for page in (zoe, max_):
        page.wait(PASSING)
    # the host gives the seat away
    button(zoe, "Friends")
    zoe.wait("!!document.querySelector('.seats-list button')")
    zoe.picture("friends-panel")
    zoe.click(".seats-list button")
    button(zoe, "Give the seat to a bot")
    max_.wait("document.body.innerText.includes('Your host has given this seat to a bot')")
