"""Axe finds nothing on any page, in light and dark; keys reach everything; a screen reader is told every card."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support import ROOT
from support.page import OVER, PASSING, STAGE, TURN, button, finish_deal, lobby, more, pass_three, play_one, start

pytestmark = pytest.mark.slow
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
QUICK = '{"pace": 1, "hold": "0.01", "motion": "none", "sound": false}'


def problems(browser) -> list[str]:
    """What axe finds on the page as it is."""
    if not browser.evaluate("typeof axe === 'object'"):
        browser.evaluate(AXE.read_text() + "; null")
    found = browser.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations.flatMap((one) =>"
        "one.nodes.map((node) => `${one.id}: ${node.target} ${node.failureSummary?.slice(0, 160)}`)))"
    )
    return list(found)


FAINT = """(() => {
const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
const over = (under, colour) => { paint.clearRect(0, 0, 1, 1); paint.fillStyle = `rgb(${under})`;
  paint.fillRect(0, 0, 1, 1); paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1);
  return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3); };
const light = (rgb) => { const [r, g, b] = rgb.map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92
  : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
const probe = document.body.appendChild(document.createElement('b')), out = [];
for (const node of document.querySelectorAll('.notice, .moon-risk, .status p, .actions button, .react summary')) {
  if (!node.closest('.board') || !node.checkVisibility() || node.disabled) continue;
  for (const felt of ['--felt-a', '--felt-b']) {
    probe.style.backgroundColor = `var(${felt})`;
    let ground = over([0, 0, 0], getComputedStyle(probe).backgroundColor);
    const line = [];
    for (let one = node; !one.classList.contains('board'); one = one.parentElement) line.unshift(one);
    for (const one of line) ground = over(ground, getComputedStyle(one).backgroundColor);
    const [a, b] = [light(over(ground, getComputedStyle(node).color)), light(ground)].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) out.push(`${node.className} ${node.textContent} on ${felt}`);
  }
}
return out; })()"""
"""What on the felt has too little contrast; axe does not judge what stands on a gradient."""


@pytest.mark.parametrize("dark", [False, True])
def test_what_lies_on_the_felt_can_be_read(browser, dark):
    browser.size(1280, 800, dark=dark)
    start(browser, seed=5)
    for felt in ("blue", "wine", "slate", "green"):
        browser.evaluate(f"document.documentElement.dataset.felt = {felt!r}")
        assert browser.evaluate(FAINT) == [], felt
    pass_three(browser)
    browser.wait(TURN)
    browser.click(".hand .card.illegal")
    browser.wait("!!document.querySelector('.notice')")
    browser.evaluate(
        "for (const kind of ['good', 'alarm']) { const n = document.createElement('p');"
        "n.className = `moon-risk ${kind}`; n.textContent = 'All points are yours.';"
        "document.querySelector('.felt').after(n); }"
    )
    assert browser.evaluate(FAINT) == []
    assert browser.evaluate("document.querySelector('.notice').classList.contains('warn')")


@pytest.mark.skipif(not AXE.exists(), reason="needs axe-core: npm install")
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing(browser, served, dark):
    found: dict[str, list[str]] = {}

    def look(name):
        if seen := problems(browser):
            found[name] = seen

    for width, height in ((1280, 800), (390, 844)):
        browser.size(width, height, phone=width < 900, dark=dark)
        lobby(browser, served.page, served.key)
        look("lobby")
        more(browser)
        look("more")
        for opened in ("Options", "Help"):
            button(browser, opened)
            browser.wait("document.getElementById('dialog').open && !document.querySelector('#dialog .busy')")
            look(opened)
            button(browser, "Done")
            browser.wait("!document.getElementById('dialog').open")
        start(browser, seed=5)
        look("passing")
        button(browser, "Hint")
        browser.wait("!!document.querySelector('.coach .judged')")
        look("pass hint")
        pass_three(browser)
        browser.wait(TURN)
        look("turn")
        for asked, shown in (("Hint", ".coach .range"), ("Count", ".counts"), ("Last trick", ".panel-body")):
            button(browser, asked)
            browser.wait(f"!!document.querySelector('{shown}')")
            look(asked)
        finish_deal(browser)
        look("over")
        button(browser, "Replay")
        browser.wait("!!document.querySelector('.viewer')")
        look("replay")
        for page in ("history", "fair", "learn", "analysis", "friends"):
            browser.evaluate(f"location.hash = {f'{served.key}/~{page}'!r}")
            browser.wait(f"{STAGE}.screen === {page!r} && !document.querySelector('.busy')")
            look(page)
            if page == "fair":
                browser.click(".check button")
                browser.wait("!!document.querySelector('.checks li')")
                look("checks of a deal")
            if page == "learn":  # the steps of a puzzle, which needs a mistake
                steps = "<ol class=steps><li class=done>1</li><li>3</li></ol>"
                browser.evaluate(f"document.querySelector('.side').insertAdjacentHTML('beforeend', {steps!r})")
                look("steps of a puzzle")
        browser.evaluate("document.querySelector('input[name=person]').value = 'Zoe'")
        browser.click("form button[type=submit]")
        browser.wait("!!document.querySelector('.begin')")
        look("room")
        browser.click(".begin")
        browser.wait(PASSING)
        browser.click(".react summary")
        button(browser, "Friends")
        look("friends at the table")
    assert sorted({f"{name}: {one}" for name, all in found.items() for one in all}) == []


def test_a_screen_reader_is_told_every_card_in_order(browser):
    """All 52 cards of a deal, each once, in the order of play."""
    browser.evaluate(
        "window.told = []; new MutationObserver((all) => { for (const one of all) for (const n of one.addedNodes)"
        "told.push(n.textContent); }).observe(document.getElementById('say'), { childList: true })"
    )
    start(browser, seed=9)
    pass_three(browser)
    finish_deal(browser)
    said = re.findall(r"(?<!may )plays? (\w+ of \w+)\.", "".join(browser.evaluate("told")))
    assert len(said) == len(set(said)) == 52
    button(browser, "Replay")
    browser.wait("!!document.querySelector('.viewer')")
    browser.evaluate("told = []")
    browser.press("ArrowRight")
    order = []
    for _ in range(52):
        browser.press("ArrowRight")
        order.append(browser.evaluate("document.querySelector('.status').textContent"))
    words = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"]
    ranks = dict(zip([*map(str, range(2, 11)), *"JQKA"], words, strict=True))
    suits = {"♣": "clubs", "♦": "diamonds", "♠": "spades", "♥": "hearts"}
    cards = [text.split()[-1] for text in order[:-1]]
    assert said[:51] == [f"{ranks[card[:-1]]} of {suits[card[-1]]}" for card in cards]


def test_the_focus_stays_in_the_hand_when_a_card_is_played(browser):
    start(browser, seed=5)
    pass_three(browser)
    browser.wait(TURN)
    for _ in range(2):
        browser.evaluate("document.querySelector('.hand .card.legal').focus()")
        plays = browser.evaluate(f"{STAGE}.plays")
        browser.wait("performance.now() > 0")
        while browser.evaluate(f"{STAGE}.plays") == plays:
            browser.press("Enter")
        browser.wait(f"{STAGE}.plays !== '{plays}' && ({TURN})")
        assert browser.evaluate("document.activeElement.matches('.hand .card')"), "the focus has jumped"


def press_on(browser):
    """Press Enter once it no longer belongs to the last trick, as the page's own clock has it."""
    since = browser.evaluate("performance.now()")
    browser.wait(f"performance.now() > {since} + 300")
    browser.press("Enter")


@pytest.mark.parametrize("rules", ["standard", "seed"])
def test_the_focus_goes_on_after_the_last_card(browser, rules):
    """By keys alone: from the last card to the button that continues, and from there into the next hand."""
    start(browser, seed=5, rules=rules)
    if browser.evaluate(PASSING):
        pass_three(browser)
    browser.wait(TURN)
    browser.evaluate(
        "window.lost = []; new MutationObserver(() => document.activeElement === document.body && lost.push("
        f"{STAGE}.phase)).observe(document.getElementById('stage'), {{ attributes: true }})"
    )
    browser.press("ArrowRight")
    while not browser.evaluate(OVER):
        browser.evaluate("document.querySelector('.hand .card.legal').focus()")
        plays = browser.evaluate(f"{STAGE}.plays")
        press_on(browser)
        browser.wait(f"{STAGE}.plays !== '{plays}' && (({TURN}) || ({OVER}))")
    browser.picture("focus-over")
    assert browser.evaluate("document.activeElement.textContent") == "Next deal", "the focus has jumped"
    assert browser.evaluate("document.activeElement.matches(':focus-visible')")
    press_on(browser)
    browser.wait(f"({PASSING}) || ({TURN})")
    assert browser.evaluate("document.activeElement.matches('.hand .card:focus-visible')"), "the focus has jumped"
    assert browser.evaluate("lost") == []


@pytest.mark.parametrize("size", ["normal", "large", "largest"])
def test_cards_and_text_can_be_larger(browser, served, size):
    browser.size(390, 844, phone=True)
    lobby(browser, served.page, served.key, QUICK.replace("}", f', "size": "{size}"}}'))
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
    text = browser.evaluate("parseFloat(getComputedStyle(document.querySelector('.play')).fontSize)")
    browser.size(1440, 900)
    start(browser, seed=5)
    card = browser.evaluate("document.querySelector('.hand .card').getBoundingClientRect().width")
    least = {"normal": (24, 100), "large": (27, 112), "largest": (31, 122)}[size]
    assert (text >= least[0], card >= least[1]) == (True, True), (text, card)
    words = "[...document.querySelectorAll('.seat .fact small')]"
    assert browser.evaluate(f"{words}.every((n) => n.checkVisibility())"), "a plate does not say what its figures are"
    browser.picture(f"size-{size}")


def test_the_page_speaks_german(browser, served):
    browser.size(1280, 800)
    lobby(browser, served.page, served.key, QUICK.replace("}", ', "language": "de"}'))
    assert browser.evaluate("document.documentElement.lang") == "de"
    assert browser.evaluate("document.querySelector('.play').textContent") == "Spielen"
    browser.picture("lobby-german")
    browser.click(".play")
    browser.wait(f"({PASSING}) || ({TURN})")
    if browser.evaluate(PASSING):
        assert "Gib 3 Karten weiter" in browser.evaluate("document.querySelector('.status').textContent")
        pass_three(browser)
        browser.wait(TURN)
    assert re.search(
        r"(Kreuz|Karo|Pik|Herz)-", browser.evaluate("document.querySelector('.hand .card .unseen').textContent")
    )
    play_one(browser)
    browser.picture("table-german")
