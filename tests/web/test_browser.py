"""The page in real Chromium: whole games by clicking, keys, touch, reloads, a killed server, screenshots."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.browser import PROGRAM
from support.page import (
    OVER,
    PASSING,
    STAGE,
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
from support.web_client import QUICK_WORLDS, moon_hands, serving

from heartlab.cards import card_name
from heartlab.coach.judgement import Judge
from heartlab.coach.puzzles import make_puzzle, origin_of
from heartlab.coach.values import Decision
from heartlab.deal import Deal
from heartlab.records.format import to_json
from heartlab.rules import Rules
from heartlab.web.house import House
from heartlab.web.messages import Opponent

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="needs Chromium (Debian: apt-get install chromium)"),
]


def test_a_whole_game_to_100_by_clicking(browser):
    start(browser, seed=31)
    for _deal in range(40):
        if browser.evaluate(PASSING):
            pass_three(browser)
        finish_deal(browser)
        if browser.evaluate(f"{STAGE}.phase") == "end":
            break
        button(browser, "Next deal")
        browser.wait(f"({PASSING}) || ({TURN})")
    totals = browser.evaluate(
        "[...document.querySelectorAll('.tally small')].map((n) => Number(n.textContent.split(' ')[1]))"
    )
    assert max(totals) >= 100
    assert "won the game" in browser.evaluate("document.querySelector('.result h2').textContent")
    assert browser.evaluate("document.querySelectorAll('.chart .series').length") == 4
    browser.picture("game-over")


def test_passing_marks_received_cards_and_an_illegal_click_names_the_rule(browser):
    more(browser)
    browser.evaluate("document.querySelector('[name=person]').value = '<b>Zoe</b>'")
    start(browser, seed=5)
    assert browser.evaluate("document.querySelector('.seat.own strong').textContent") == "<b>Zoe</b>"
    browser.picture("passing")
    given = pass_three(browser)
    browser.wait(TURN)
    hand = browser.evaluate("[...document.querySelectorAll('.hand .card')].map((n) => n.dataset.card)")
    assert not set(given) & set(hand)
    assert browser.evaluate("document.querySelectorAll('.hand .mark').length") == 3
    assert browser.evaluate("document.querySelector('.broken').textContent") == "♥ not broken"
    browser.click(".promise")
    promised = browser.wait("document.getElementById('question-text')?.textContent.match(/[0-9a-f]{64}/)?.[0]")
    button(browser, "Done")
    bad = browser.evaluate("document.querySelector('.hand .card.illegal').dataset.card")
    plays = browser.evaluate(f"{STAGE}.plays")
    browser.click(f".hand [data-card='{bad}']")
    text = browser.wait("(document.getElementById('toast')?.textContent ?? '').match(/.* is not allowed: .*/)?.[0]")
    assert len(promised) == 64
    assert re.search(r"is not allowed: (clubs were led and must be followed|penalty cards may not fall)", text)
    assert browser.evaluate(f"{STAGE}.plays") == plays
    assert browser.evaluate(f"document.querySelector('[data-card=\"{bad}\"]').getAttribute('aria-disabled')") == "true"


def test_undo_hint_count_and_check(browser):
    start(browser, seed=5, practice=True)
    pass_three(browser)
    browser.wait(TURN)
    hand = "[...document.querySelectorAll('.hand .card')].map((n) => n.dataset.card).join(' ')"
    before = browser.evaluate(hand)
    play_one(browser)
    button(browser, "Take back")
    browser.wait(f"{hand} === {before!r} && {TURN}")
    button(browser, "Hint")
    browser.wait("!!document.querySelector('.coach .judged')")
    legal = browser.evaluate("document.querySelectorAll('.hand .card.legal').length")
    assert browser.evaluate("document.querySelectorAll('.judged tbody tr').length") == legal
    assert browser.evaluate("document.querySelectorAll('.words li').length") >= 1
    browser.picture("hint")
    button(browser, "Count")
    browser.wait("!!document.querySelector('.counts')")
    play_one(browser)
    button(browser, "Check my card")
    text = browser.wait("document.querySelector('.side').innerText.match(/something better|Nothing was clearly/)?.[0]")
    assert text
    button(browser, "Last trick")
    browser.wait("document.querySelectorAll('.side .row-of-cards li').length === 4")


def test_a_reload_in_mid_trick_loses_nothing(browser):
    start(browser, seed=8)
    pass_three(browser)
    browser.wait(TURN)
    while not browser.evaluate("document.querySelectorAll('.laid').length"):
        play_one(browser)
    shown = "document.querySelector('.hand').innerHTML.length + document.querySelector('.trick').innerText"
    cards = "[...document.querySelectorAll('[data-card]')].map((n) => n.dataset.card).join()"
    laid = "[...document.querySelectorAll('.laid')].map((n) => n.getAttribute('aria-label')).join()"
    before = [browser.evaluate(what) for what in (cards, laid)]
    browser.evaluate("window.old = true")
    browser.reload()
    browser.wait(f"!window.old && !!document.querySelector('.hand') && {TURN}")
    assert [browser.evaluate(what) for what in (cards, laid)] == before
    assert browser.evaluate(shown) is not None
    play_one(browser)


def test_a_server_killed_in_mid_trick_loses_nothing(chromium, tmp_path):
    file = tmp_path / "games.sqlite"

    def serve(port: int) -> tuple[subprocess.Popen[str], str, str]:
        command = [
            sys.executable,
            "-m",
            "heartlab.cli",
            "play",
            "--port",
            str(port),
            "--no-browser",
            "--file",
            str(file),
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert process.stdout is not None
        found = re.search(r"(http://127.0.0.1:\d+/)#(\S+)", process.stdout.readline())
        assert found
        return process, found[1], found[2]

    chromium.size(1280, 800)
    process, page, key = serve(0)
    try:
        lobby(chromium, page, key)
        start(chromium, seed=8)
        pass_three(chromium)
        chromium.wait(TURN)
        while not chromium.evaluate("document.querySelectorAll('.laid').length"):
            play_one(chromium)
        cards = "[...document.querySelectorAll('[data-card]')].map((n) => n.dataset.card).join()"
        before = chromium.evaluate(cards)
        process.send_signal(signal.SIGKILL)
        process.wait()
        chromium.wait("document.body.dataset.line === 'lost'")
        assert not chromium.evaluate(TURN), "without a line, what the page shows may be old"
        chromium.picture("line-lost")
        process, _, _ = serve(int(page.rsplit(":", 1)[1].strip("/")))
        chromium.wait("document.body.dataset.line === 'open'")
        chromium.wait(TURN)
        assert chromium.evaluate(cards) == before
        finish_deal(chromium)
    finally:
        chromium.goto("about:blank")
        process.terminate()
        process.wait(600)


def test_a_phone_in_dark_by_touch(browser):
    browser.size(390, 844, phone=True, dark=True)
    start(browser, seed=12)
    pass_three(browser, touch=True)
    browser.wait(TURN)
    play_one(browser, touch=True)
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the phone"
    inside = browser.evaluate(
        "[...document.querySelectorAll('.hand .card, .seat')].every((n) => { const r = n.getBoundingClientRect();"
        "return r.left >= -1 && r.right <= innerWidth + 1; })"
    )
    assert inside, "a card or a seat sticks out"
    small = browser.evaluate(
        "[...document.querySelectorAll('.hand .card')].filter((n) => n.getBoundingClientRect().height < 44).length"
    )
    assert small == 0
    assert browser.evaluate("document.querySelector('.promise').getBoundingClientRect().height") >= 24
    browser.picture("phone-dark")
    browser.size(844, 390, phone=True, dark=True)
    below = "Math.max(...[...document.querySelectorAll('.hand .card')].map((n) => n.getBoundingClientRect().bottom))"
    browser.evaluate("scrollTo(0, 0)")
    assert browser.evaluate(f"{below} <= innerHeight + 4"), "on a phone lying on its side the hand is out of sight"
    browser.picture("phone-landscape")
    browser.size(390, 844, phone=True, dark=True)
    finish_deal(browser, touch=True)
    browser.picture("phone-dark-over")


OVERLAPS = (
    "[...document.querySelectorAll('.laid')].flatMap((n) => { const a = n.getBoundingClientRect();"
    "return [...document.querySelectorAll('.seat, .markers *')].filter((m) => { const b = m.getBoundingClientRect();"
    "return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom; })"
    ".map((m) => `${n.getAttribute('aria-label')} on ${m.textContent}`); })"
)


LARGE_SCORES = (
    "for (const n of document.querySelectorAll('.facts'))"
    "['126', '+26', '13'].forEach((text, i) => { n.children[i].querySelector('b').textContent = text; })"
)
INSIDE = (
    "(() => { const a = document.querySelector('.felt').getBoundingClientRect();"
    "return [...document.querySelectorAll('.seat')].every((n) => { const b = n.getBoundingClientRect();"
    "return b.left >= a.left && b.right <= a.right && b.top >= a.top && b.bottom <= a.bottom; }); })()"
)


def play_until_a_trick_is_won(browser):
    """Play legal cards until a whole trick lies on the table."""
    for _ in range(12):
        browser.wait(f"({TURN}) || document.querySelectorAll('.laid.wins').length === 1")
        if browser.evaluate("document.querySelectorAll('.laid.wins').length === 1"):
            break
        card = browser.evaluate("document.querySelector('.hand .card.legal').dataset.card")
        browser.click(f".hand [data-card='{card}']")
        browser.wait(f"document.querySelectorAll('.laid.wins').length === 1 || !({TURN})")


SMALLEST = "Math.min(...[...document.querySelectorAll('.laid')].map((n) => n.getBoundingClientRect().width))"
SIZES = [
    (320, 568), (320, 640), (360, 560), (360, 640), (360, 740), (375, 553), (390, 844), (568, 320), (667, 375),
    (844, 390), (768, 1024), (900, 500), (1024, 500), (1280, 540), (1280, 600), (1280, 800),
]  # fmt: skip
"""Small and large phones upright and on their side, a tablet, low and usual windows."""


@pytest.mark.parametrize("rules", ["standard,players=3", "standard", "standard,players=5", "spot,players=6"])
def test_every_card_of_the_trick_is_seen_and_lies_on_no_name(browser, served, rules):
    lobby(browser, served.page, served.key, '{"pace": 1, "hold": "click", "motion": "none"}')
    players = Rules.parse(rules).players
    with served.client() as client:
        client.create(served.key, ["gnome"] * (players - 1), rules=rules, seed=5)
        browser.goto(f"{served.page}#{served.key}/{client.key}")
        browser.wait("!!document.querySelector('.board')")
        browser.wait(f"({PASSING}) || ({TURN}) || document.querySelectorAll('.laid.wins').length === 1")
    if browser.evaluate(PASSING):
        pass_three(browser)
    play_until_a_trick_is_won(browser)
    assert browser.evaluate("document.querySelectorAll('.laid').length") == players
    for width, height in SIZES:
        browser.size(width, height, phone=width < 900)
        assert browser.evaluate(SMALLEST) >= 38, f"the trick is too small: {rules} at {width} x {height}"
        assert browser.evaluate(OVERLAPS) == [], f"{rules} at {width} x {height}"
        browser.evaluate(LARGE_SCORES)
        assert browser.evaluate(OVERLAPS) == [], f"{rules} at {width} x {height}, with large scores"
        assert browser.evaluate(INSIDE), f"a seat sticks out of the table: {rules} at {width} x {height}"
        browser.picture(f"trick-{players}-{width}-{height}")


COVERED = """(() => {
const box = (n) => n.getBoundingClientRect(), felt = box(document.querySelector('.felt')), found = [];
const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
const cut = (b) => b.left < felt.left || b.right > felt.right || b.top < felt.top || b.bottom > felt.bottom;
const hands = [...document.querySelectorAll('.open-hand')];
const parts = hands.map((n) => [n.querySelector('strong'), ...n.querySelectorAll('li')].map(box));
parts.forEach((hand, i) => {
  if (hand.some(cut)) found.push(`${i} is cut`);
  if (parts.some((other, j) => j > i && other.some((b) => hand.some((a) => meet(a, b))))) found.push(`on ${i}: a hand`);
  const cards = [...document.querySelectorAll('.laid')].map(box);
  if (cards.some((a) => hand.some((b) => meet(a, b)))) found.push(`on ${i}: a card`);
});
return found; })()"""
"""What is wrong with the open hands: cut by the felt's edge, or with a card of the trick or another hand on it."""


@pytest.mark.parametrize("rules", ["standard,players=3", "standard", "standard,players=5", "spot,players=6"])
def test_open_hands_are_whole_at_every_size(browser, rules):
    deal = Deal(rules, 4, Rules.parse(rules).passing.index("hold"))
    deal.play_randomly(4)
    names = ["You", "Ada (gnome:jake)", "Emil (uct:worlds=20,sims=200)", "Ines (gnome)", "Oskar (random)", "Lou (td)"]
    open_file(browser, to_json(deal.to_record(players=names[: deal.rules.players])))
    browser.wait("!!document.querySelector('.viewer')")
    for _ in range(deal.rules.players):
        browser.press("ArrowRight")
    browser.wait("document.querySelectorAll('.laid.wins').length === 1")
    for width, height in SIZES:
        browser.size(width, height, phone=width < 900)
        assert browser.evaluate(COVERED) == [], f"{rules} at {width} x {height}"
        assert browser.evaluate(SMALLEST) >= 34, f"{rules} at {width} x {height}"
        browser.picture(f"replay-{deal.rules.players}-{width}-{height}")


WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_the_lobby_is_no_wider_than_a_phone(browser, served, monkeypatch):
    long = Opponent("exec:movetime=500:./mybot.py die", "Yours", "exec:movetime=500:./mybot.py die")
    for opponents in (served.house.bots.opponents, [*served.house.bots.opponents, long]):
        monkeypatch.setattr(served.house.bots, "opponents", opponents)
        for width, height in ((390, 844), (320, 568), (1280, 800)):
            browser.size(width, height, phone=width < 900)
            lobby(browser, served.page, served.key)
            assert browser.evaluate(WIDER) == 0, f"at {width}"
            more(browser)
            if long in opponents:
                named = "document.querySelectorAll('[name=player], [name=instead]')"
                browser.evaluate(f"for (const n of {named}) n.value = {long.name!r}")
            assert browser.evaluate(WIDER) == 0, f"at {width}"
            assert browser.evaluate("document.querySelector('.inline').getBoundingClientRect().height") < 60
            browser.picture(f"lobby-{len(opponents)}-{width}")
            button(browser, "Help")
            inside = "(() => { const r = document.querySelector('#dialog').getBoundingClientRect();"
            inside += "return r.left >= 0 && r.right <= document.documentElement.clientWidth; })()"
            assert browser.evaluate(inside), f"Help is cut at {width}"
            button(browser, "Done")


def test_help_says_how_hearts_is_played(browser, served):
    """From its beginning, in the lobby by `?` as well as at a table, where it speaks of the table's rules."""
    browser.size(390, 844, phone=True)
    lobby(browser, served.page, served.key)
    browser.press("?")
    browser.wait("document.querySelectorAll('#how li').length >= 5")
    assert browser.evaluate("document.getElementById('dialog').open")
    assert browser.evaluate("document.getElementById('dialog').scrollTop") == 0
    assert browser.evaluate("document.querySelector('#dialog h2').getBoundingClientRect().top >= 0")
    text = browser.evaluate("document.getElementById('dialog').textContent")
    assert "everybody else gets 26" in text
    assert "?this help" in text
    browser.picture("help-phone")
    with served.client() as client:
        client.create(served.key, rules="standard,moon=self")
        browser.goto(f"{served.page}#{served.key}/{client.key}")
        browser.wait(f"!!document.querySelector('.board') && {PASSING}")
    button(browser, "Help")
    browser.wait("document.getElementById('how').textContent.includes('26 come off the shooter')")
    assert browser.evaluate("document.getElementById('how-rules').textContent") == "Rules: standard,moon=self."


def test_any_rules_can_be_played(browser):
    """Changes of a preset: the seats follow the number of players, and a wrong change gets one sentence."""

    def change(text):
        browser.evaluate(
            f"(() => {{ const n = document.querySelector('[name=changes]'); n.value = {text!r};"
            "n.dispatchEvent(new Event('change')); })()"
        )

    seats = "document.querySelectorAll('[name=player]').length"
    more(browser)
    change("players=5,moon=choice")
    browser.wait(f"{seats} === 4")
    change("moon=perhaps")
    browser.wait("(document.getElementById('toast')?.textContent ?? '').startsWith('moon=perhaps is unknown; choose')")
    change("")
    browser.wait(f"{seats} === 3")
    browser.evaluate("document.querySelector('[name=changes]').value = 'players=5,moon=choice'")
    button(browser, "Play with these settings")  # before the page knows how many sit down
    browser.wait("(document.getElementById('toast')?.textContent ?? '').startsWith('These rules have 5 seats')")
    assert browser.evaluate(seats) == 4
    browser.picture("lobby-changes")
    browser.evaluate("for (const n of document.querySelectorAll('[name=player]')) n.value = 'gnome'")
    button(browser, "Play with these settings")
    browser.wait(f"!!document.querySelector('.board') && (({PASSING}) || ({TURN}))")
    assert browser.evaluate("document.querySelectorAll('.seat').length") == 5
    button(browser, "Help")
    browser.wait("document.getElementById('how-rules').textContent === 'Rules: standard,players=5,moon=choice.'")


def test_verbs_fit_the_name(browser, served):
    lobby(browser, served.page, served.key, '{"pace": 1, "hold": "click", "motion": "none", "name": "Zoe"}')
    said = set()
    for name in ("Zoe", "You"):
        more(browser)
        browser.evaluate(f"document.querySelector('[name=person]').value = {name!r}")
        start(browser, seed=8, rules="seed")
        for _ in range(60):
            browser.wait(f"({TURN}) || ({OVER}) || document.querySelectorAll('.laid.wins').length === 1")
            text = browser.evaluate("document.querySelector('.status').textContent")
            if text.startswith(f"{name} "):
                said.add(text)
                break
            if text.endswith("the trick."):
                browser.click(".broken, .felt")
                continue
            card = browser.evaluate("[...document.querySelectorAll('.hand .card.legal')].at(-1).dataset.card")
            browser.click(f".hand [data-card='{card}']")
            browser.wait(f"!document.querySelector(\".hand [data-card='{card}']\")")
        browser.goto("about:blank")
        browser.goto(f"{served.page}#{served.key}")
        browser.wait("!!document.querySelector('.lobby')")
    assert said == {"Zoe takes the trick.", "You take the trick."}
    deal = Deal("seed", 4)
    deal.play_randomly(4)
    open_file(browser, to_json(deal.to_record(players=["You", "Ada", "Emil", "Ines"])))
    browser.wait("!!document.querySelector('.viewer')")
    told = set()
    for _ in range(4):
        browser.press("ArrowRight")
        told.add(" ".join(browser.evaluate("document.querySelector('.status').textContent").split()[2:4]))
    assert told == {"You play", "Ada plays", "Emil plays", "Ines plays"}


def test_slow_players_are_excused_once(browser):
    """That something is compiled is said of a player's first choice only."""

    excused = threading.Event()

    class Slow:
        def choose_cards(self, batch):
            excused.wait(600)
            time.sleep(0.25)
            return [min(batch[0].legal)]

    with serving() as other, other.client() as client:
        client.create(other.key, rules="seed", seed=next(seed for seed in range(99) if Deal("seed", seed).to_move == 0))
        other.house.bots._players["gnome"] = (Slow(), threading.Lock())
        lobby(browser, other.page, other.key)
        browser.goto(f"{other.page}#{other.key}/{client.key}")
        browser.wait(f"!!document.querySelector('.board') && {TURN}")
        browser.evaluate(
            "(() => { const real = setTimeout; window.excuses = 0;"
            "window.setTimeout = (act, wait, ...more) => real(act, wait === 6000 ? 60 : wait, ...more);"
            "new MutationObserver(() => { window.excuses += "
            "(document.getElementById('toast')?.textContent ?? '').startsWith('Still thinking'); })"
            ".observe(document.getElementById('stage'), { childList: true, subtree: true }); })()"
        )
        browser.click(".hand .card.legal")
        browser.wait("window.excuses === 1")
        excused.set()
        browser.wait(TURN)
        for _ in range(2):
            play_one(browser)
        assert browser.evaluate("window.excuses") == 1
        browser.goto("about:blank")
        browser.requests.clear()


def contrast(one: str, other: str) -> float:
    """The contrast of two colours such as `rgb(1, 2, 3)`, as WCAG has it."""

    def light(colour: str) -> float:
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_the_main_button_can_be_read(browser, dark):
    browser.size(1280, 800, dark=dark)
    style = "getComputedStyle(document.querySelector('button.main'))"
    assert contrast(*browser.evaluate(f"[{style}.color, {style}.backgroundColor]")) >= 4.5


def test_the_shooter_of_the_moon_chooses(browser):
    def dealer(rules, _seed, _number, scores):
        return Deal.from_hands(moon_hands(), rules, number=3, scores=scores)

    with serving(dealer=dealer) as other, other.client() as client:
        client.create(other.key, rules="standard,moon=choice")
        browser.goto("about:blank")
        lobby(browser, other.page, other.key)
        browser.goto(f"{other.page}#{other.key}/{client.key}")
        browser.wait(f"!!document.querySelector('.board') && {TURN}")
        for card in ["AC", "AS", "KS", "QS", "AH", "KH", "QH", "JH", "TH", "9H", "8H", "7H", "6H"]:
            browser.wait(TURN)
            browser.click(f".hand [data-card='{card}']")
            browser.wait(f"!document.querySelector(\".hand [data-card='{card}']\")")
        browser.wait(f"{STAGE}.idle === 'true' && {STAGE}.phase === 'moon'")
        browser.picture("moon")
        button(browser, "Off my own score")
        browser.wait(OVER)
        assert browser.evaluate("document.querySelector('.tally b').textContent") == "−26"
        browser.goto("about:blank")
        browser.requests.clear()


def test_a_failing_player_is_told_of_and_marked(browser):
    class Failing:
        def choose_passes(self, _batch):
            raise RuntimeError

    with serving() as other, other.client() as client:
        client.create(other.key)
        other.house.bots._players["gnome"] = (Failing(), threading.Lock())
        lobby(browser, other.page, other.key)
        browser.goto(f"{other.page}#{other.key}/{client.key}")
        browser.wait(f"!!document.querySelector('.board') && {PASSING}")
        assert not browser.evaluate("document.querySelector('.seat .fault')")
        pass_three(browser)
        told = "gnome failed (RuntimeError), and legal cards were passed for it; the server's output says more."
        browser.wait(f"(document.getElementById('toast')?.textContent ?? '') === {told!r}")
        browser.wait("document.querySelectorAll('.seat .fault').length === 3")
        browser.picture("fault")
        browser.goto("about:blank")
        browser.requests.clear()


def test_the_browser_has_a_share_in_the_seed(browser):
    start(browser, seed="")
    for _ in range(2):
        if browser.evaluate(PASSING):
            pass_three(browser)
        browser.wait(TURN)
        browser.click(".promise")
        browser.wait("document.getElementById('question-text')?.textContent.match(/promised its own: [0-9a-f]{64}/)")
        button(browser, "Done")
        finish_deal(browser)
        shares = (
            "document.querySelector('.result .proof').textContent.match(/share ([0-9a-f]{32})secret [0-9a-f]{64}/)[1]"
        )
        last = browser.evaluate(shares)
        if browser.evaluate(f"{STAGE}.phase") == "over":
            button(browser, "Next deal")
            browser.wait(f"({PASSING}) || ({TURN})")
    assert len(last) == 32
    assert not browser.evaluate("(document.getElementById('toast')?.textContent ?? '').startsWith('Careful')")


def test_keyboard_alone(browser):
    start(browser, seed=5)
    for _ in range(3):
        browser.press("ArrowLeft")
        browser.press("Enter")
    browser.wait("document.querySelectorAll('.hand .chosen').length === 3")
    browser.press("p")
    browser.wait(TURN)
    for _ in range(3):
        plays = browser.evaluate(f"{STAGE}.plays")
        time.sleep(0.35)
        for _step in range(14):
            browser.press("ArrowRight")
            if browser.evaluate("document.activeElement.classList.contains('legal')"):
                break
        browser.press("Enter")
        browser.wait(f"{STAGE}.plays !== '{plays}' && {TURN}")
    browser.press("h")
    browser.wait("!!document.querySelector('.coach')")
    browser.press("l")
    browser.wait("document.querySelectorAll('.side .row-of-cards li').length === 4")
    said = browser.evaluate("document.getElementById('say').textContent")
    assert re.search(r"(Ada|Emil|Ines) plays \w+ of (clubs|diamonds|spades|hearts)", said)
    labels = browser.evaluate("[...document.querySelectorAll('.hand .card .unseen')].map((n) => n.textContent)")
    assert all(re.match(r"\w+ of (clubs|diamonds|spades|hearts)", label) for label in labels)


def test_a_trick_stays_until_it_is_clicked_away(browser, served):
    lobby(browser, served.page, served.key, '{"pace": 1, "hold": "click", "motion": "none"}')
    start(browser, seed=5)
    pass_three(browser)
    play_until_a_trick_is_won(browser)
    time.sleep(0.4)
    assert browser.evaluate("document.querySelectorAll('.laid').length") == 4
    browser.click(".broken")
    browser.wait("document.querySelectorAll('.laid.wins').length === 0")


def test_watching_three_deals_of_bots(browser):
    """Only finished deals are to be seen, each bot is named, and the next deal can be had every time."""
    more(browser)
    browser.evaluate(
        "const bots = ['random', 'gnome', 'random'];"
        "document.querySelectorAll('[name=player]').forEach((s, i) => { s.value = bots[i]; });"
        "document.querySelector('[name=instead]').value = 'gnome:jake';"
        "document.querySelector('[name=seed]').value = '12x'"
    )
    button(browser, "Watch bots instead")
    assert browser.evaluate(
        "!document.querySelector('[name=seed]').checkValidity() && !!document.querySelector('.lobby')"
    )
    browser.evaluate(
        "document.querySelector('[name=seed]').value = ''; window.boards = 0;"
        "new MutationObserver(() => { if (document.querySelector('.board')) window.boards += 1; })"
        ".observe(document.body, { childList: true, subtree: true })"
    )
    button(browser, "Watch bots instead")
    for deal in range(3):
        browser.wait(f"document.querySelector('.viewer .title')?.textContent === 'Deal {deal + 1}'")
        browser.wait("document.querySelector('.status').textContent === 'As dealt'")
        assert browser.evaluate("document.querySelectorAll('.open-hand li').length") == 52
        seats = browser.evaluate(
            "[...document.querySelectorAll('.open-hand')].map((n) => n.getAttribute('aria-label'))"
        )
        assert seats == ["Ada (Casual)", "Emil (Anything goes)", "Ines (Beginner)", "Oskar (Anything goes)"]
        browser.press("End")
        browser.wait("document.querySelector('.status').textContent.startsWith('Points:')")
        if deal < 2:
            button(browser, "Next deal")
    browser.picture("watch")
    assert browser.evaluate("window.boards") == 0
    assert not browser.evaluate("(document.getElementById('toast')?.textContent ?? '').startsWith('Careful')")
    button(browser, "Close")
    browser.wait("!!document.querySelector('.lobby')")


def test_a_server_that_ignores_the_share_is_noticed(browser, monkeypatch):
    create = House.create
    monkeypatch.setattr(House, "create", lambda self, settings, row=None, shared=None: create(self, settings, row))
    start(browser, seed="")
    browser.wait("(document.getElementById('toast')?.textContent ?? '').startsWith('Careful: the server has ignored')")


def test_a_puzzle_shows_who_played_what(browser, served):
    """The table, the cards that have fallen, and names for a screen reader; an answer is judged once."""
    deal = Deal("standard", 4, 3)
    while deal.to_move != 0 or len(deal.history) < 18 or len(deal.observe(0).trick) < 2 or len(deal.legal) < 2:
        deal.play(min(deal.legal))
    names = ["You", "Ada", "Emil", "Ines"]
    best = card_name(Judge(worlds=QUICK_WORLDS).judge(deal, 0).best)
    body = make_puzzle(deal, Decision(19, 5, best, best, 1.0, None, 0.0, ["Because of T♣."]), names)
    served.house.store.add_puzzle("You", origin_of("You", body), body, 0.0)
    button(browser, "Puzzles from my mistakes")
    browser.wait("!!document.querySelector('.side.puzzle')")
    laid = browser.evaluate("[...document.querySelectorAll('.laid')].map((n) => n.getAttribute('aria-label'))")
    assert len(laid) == len(deal.observe(0).trick)
    assert all(re.match(r"(Ada|Emil|Ines): \w+ of (clubs|diamonds|spades|hearts)", one) for one in laid)
    assert browser.evaluate("document.querySelectorAll('.fallen tbody tr').length") == 4
    fallen = browser.evaluate("document.querySelector('.fallen tbody').textContent.match(/10|[2-9JQKA]/g).length")
    assert fallen == len(deal.history)
    labels = browser.evaluate("[...document.querySelectorAll('.hand .card .unseen')].map((n) => n.textContent)")
    assert all(re.match(r"\w+ of (clubs|diamonds|spades|hearts), may (not )?be played", label) for label in labels)
    browser.picture("puzzle")
    browser.click(f".hand [data-card='{best}']")
    browser.wait("document.getElementById('lobby-panel').textContent.startsWith('Right.')")
    said = browser.evaluate("document.getElementById('lobby-panel').textContent")
    assert "under 10♠" in said, "tens are written as people write them"
    assert browser.evaluate("document.querySelector('.status').textContent") == "Right."
    assert browser.evaluate("document.querySelectorAll('.steps .done').length") == 1, "solved once, as the text says"
    assert browser.evaluate("document.querySelectorAll('.hand .legal').length") == 0
    button(browser, "Next puzzle")
    browser.wait("document.getElementById('lobby-panel')?.textContent.startsWith('No puzzle is due')")


def test_a_puzzle_opens_at_its_top(browser, served):
    """On a phone the lobby's buttons for puzzles are far down; a message of before does not stay over the answer."""
    deal = Deal("standard", 4, 3)
    while deal.to_move != 0 or len(deal.history) < 18 or len(deal.legal) < 2:
        deal.play(min(deal.legal))
    best = card_name(Judge(worlds=QUICK_WORLDS).judge(deal, 0).best)
    body = make_puzzle(deal, Decision(19, 5, best, best, 1.0, None, 0.0, ["Because."]), ["Pia", "Ada", "Emil", "Ines"])
    served.house.store.add_puzzle("Pia", origin_of("Pia", body), body, 0.0)
    browser.size(390, 844, phone=True)
    lobby(browser, served.page, served.key, '{"motion": "none", "name": "Pia"}')
    button(browser, "Puzzles from my mistakes")
    browser.wait("!!document.querySelector('.side.puzzle')")
    assert browser.evaluate("scrollY") == 0
    bad = browser.evaluate("document.querySelector('.hand .illegal').dataset.card")
    browser.click(f".hand [data-card='{bad}']")
    browser.wait("!!document.getElementById('toast')")
    browser.click(f".hand [data-card='{best}']")
    browser.wait("document.getElementById('lobby-panel').textContent.startsWith('Right.')")
    assert browser.evaluate("!document.getElementById('toast')")
    assert browser.evaluate("document.getElementById('lobby-panel').getBoundingClientRect().top < innerHeight - 100")
    browser.picture("puzzle-phone")


def test_a_deal_is_left_in_practice(browser):
    start(browser, seed=5, practice=True)
    pass_three(browser)
    browser.wait(TURN)
    button(browser, "New deal")
    assert "unfinished" in browser.wait("document.getElementById('question-text')?.textContent")
    button(browser, "Cancel")
    assert not browser.evaluate(PASSING), "a deal was thrown away without a yes"
    browser.wait("!document.getElementById('question-text')")
    button(browser, "New deal")
    browser.wait("!!document.getElementById('question-text')")
    browser.click("#dialog .main")
    browser.wait(PASSING)
    pass_three(browser)
    finish_deal(browser)
    browser.click(".result .hands summary")
    hands = browser.evaluate("[...document.querySelectorAll('.result .hands li')].map((n) => n.textContent)")
    assert [len(hand.split(": ")[1].split()) for hand in hands] == [13] * 4


def test_a_late_close_event_does_not_take_away_the_next_question(browser):
    """A dialog tells of its closing in a task of its own, and on a busy machine a click comes before it."""
    start(browser, seed=5, practice=True)
    pass_three(browser)
    browser.wait(TURN)
    button(browser, "New deal")
    browser.wait("!!document.getElementById('question-text')")
    browser.evaluate(
        "[...document.querySelectorAll('#dialog button')].find((n) => n.textContent === 'Cancel').click();"
        "[...document.querySelectorAll('.actions button')].find((n) => n.textContent === 'New deal').click();"
        "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))"
    )
    assert browser.evaluate("document.getElementById('dialog').open")


def test_review_replay_and_playing_on_from_a_decision(browser):
    start(browser, seed=12)
    pass_three(browser)
    finish_deal(browser)
    browser.click(".result .proof summary")
    assert browser.evaluate("document.querySelector('.result').innerText.includes('salt')")
    button(browser, "Review")
    browser.wait("!!document.querySelector('.side .coach .chart')")
    browser.picture("review")
    if browser.evaluate("!!document.querySelector('.mistake button')"):
        button(browser, "Play on from here")
        browser.wait(f"{TURN} && /practice: deal 1 from trick \\d+/.test(document.querySelector('.markers').innerText)")
        browser.evaluate("history.back()")
        browser.wait(OVER)
        assert browser.evaluate("!!document.querySelector('.side .coach .chart')"), "the review is gone"
    button(browser, "Replay")
    browser.wait("!!document.querySelector('.viewer')")
    browser.press("ArrowRight")
    browser.wait("document.querySelector('.status').textContent.startsWith('After passing')")
    button(browser, "Close")
    browser.wait(OVER)
    button(browser, "Same deal again")
    browser.wait(PASSING)


def test_a_record_file_opens(browser):
    deal = Deal("standard", 4, 3)
    deal.play_randomly(4)
    open_file(browser, deal.to_text())
    browser.wait("!!document.querySelector('.viewer')")
    browser.press("End")
    browser.wait("document.querySelector('.status').textContent.startsWith('Points:')")


@pytest.mark.parametrize("form", ["text", "lines"])
def test_a_large_record_file_opens_in_parts(browser, form):
    deal = Deal("standard", 4, 3)
    deal.play_randomly(4)
    one = deal.to_text() if form == "text" else to_json(deal.to_record())
    open_file(browser, "\n".join([one] * 450))
    for part, deals in enumerate((200, 200, 50), 1):
        browser.wait(f"document.querySelector('.viewer .title')?.textContent === '{deals} deals, part {part} of 3'")
        assert browser.evaluate("document.querySelectorAll('.viewer option').length") == deals
        if part < 3:
            button(browser, "Next part of the file")
    assert not browser.evaluate("document.querySelector('.viewer').textContent.includes('Next part')")


def test_a_wrong_key_in_the_address_opens_nothing(browser, served):
    browser.goto(f"{served.page}#{served.key}/AAAAAAAAAAAAAAAAAAAAAA")
    browser.wait("document.querySelector('.lost p')?.textContent === 'This key opens no table.'")
