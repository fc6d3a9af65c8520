"""The page in a test: its states, and what a person does there."""

from __future__ import annotations

from support.browser import Browser

STAGE = "(document.getElementById('stage')?.dataset ?? {})"
TURN = f"{STAGE}.idle === 'true' && {STAGE}.turn === 'true'"
OVER = f"{STAGE}.idle === 'true' && ['over', 'end'].includes({STAGE}.phase)"
PASSING = f"{STAGE}.idle === 'true' && {STAGE}.phase === 'pass'"
QUICK = '{"pace": 1, "hold": "0.01", "motion": "none"}'
TOAST = "(document.getElementById('toast')?.textContent ?? '')"


def lobby(browser: Browser, page: str, key: str, options: str = QUICK) -> None:
    browser.goto(f"{page}#{key}")
    browser.wait("!!document.querySelector('.lobby')")
    browser.evaluate(f"localStorage.clear(); localStorage.setItem('heartlab-options', {options!r})")
    browser.goto(f"{page}#{key}")
    browser.wait("!!document.querySelector('.lobby')")


def more(browser: Browser) -> None:
    """Open the form of a game of one's own."""
    browser.evaluate("document.querySelector('.more').open = true")
    browser.wait("!!document.querySelector('.lobby-form')")


def start(browser: Browser, *, seed: int | str = 5, practice: bool = False, rules: str = "standard") -> None:
    more(browser)
    browser.evaluate(
        f"(() => {{ const f = document.querySelector('.lobby-form'); f.elements.rules.value = '{rules}';"
        "f.elements.rules.dispatchEvent(new Event('change'));"
        f"f.elements.seed.value = '{seed}'; f.elements.practice.checked = {str(practice).lower()};"
        "for (const s of f.querySelectorAll('[name=player]')) s.value = 'gnome'; })()"
    )
    browser.click("button.start")
    browser.wait(f"({PASSING}) || ({TURN})")


def button(browser: Browser, text: str) -> None:
    """Click a button by its text, once it is there."""
    browser.wait(
        "(() => { document.querySelector('[data-wanted]')?.removeAttribute('data-wanted');"
        f"const n = [...document.querySelectorAll('button')].find((n) => n.textContent === {text!r});"
        "if (n) n.dataset.wanted = 1; return Boolean(n); })()"
    )
    browser.click("[data-wanted]")


def pass_three(browser: Browser, *, touch: bool = False) -> list[str]:
    cards = browser.evaluate("[...document.querySelectorAll('.hand .card')].slice(-3).map((n) => n.dataset.card)")
    for card in cards:
        browser.click(f".hand [data-card='{card}']", touch=touch)
    browser.wait("!document.querySelector('.actions .main').disabled")
    browser.click(".actions .main", touch=touch)
    browser.wait(f"{STAGE}.phase === 'play'")
    return cards


def play_one(browser: Browser, *, touch: bool = False) -> None:
    """Click the last legal card, and wait for the next turn."""
    plays = browser.evaluate(f"{STAGE}.plays")
    card = browser.evaluate("[...document.querySelectorAll('.hand .card.legal')].at(-1).dataset.card")
    browser.click(f".hand [data-card='{card}']", touch=touch)
    browser.wait(f"{STAGE}.plays !== '{plays}' && (({TURN}) || ({OVER}))")


def finish_deal(browser: Browser, *, touch: bool = False) -> None:
    browser.wait(f"({TURN}) || ({OVER})")
    while not browser.evaluate(OVER):
        play_one(browser, touch=touch)


def open_file(browser: Browser, text: str) -> None:
    browser.evaluate(
        "(() => { const t = new DataTransfer();"
        f"t.items.add(new File([{text!r}], 'deal.hearts')); const f = document.getElementById('record-file');"
        "f.files = t.files; f.dispatchEvent(new Event('change')); })()"
    )
