"""A game, not a form: movement, sound, great moments, the end of a game and the next one."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.page import OVER, PASSING, STAGE, TURN, button, finish_deal, lobby, pass_three, play_one
from support.web_client import moon_hands, serving

from heartlab.deal import Deal

pytestmark = pytest.mark.slow

MOVING = '{"pace": 1, "hold": "0.01", "sound": false}'
SPY = """(() => { window.moved = {}; const real = Element.prototype.animate;
Element.prototype.animate = function (...more) { const kind = this.className.split(' ')[0];
moved[kind] = (moved[kind] ?? 0) + 1; return real.apply(this, more); }; })()"""
AUDIO = """(() => { window.heard = []; const node = () => ({ connect: (n) => n, start() {}, stop() {}, type: '',
frequency: {}, gain: { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} } });
window.AudioContext = class { constructor() { this.currentTime = 0; this.sampleRate = 8000; this.state = 'running'; }
createOscillator() { heard.push('tone'); return node(); } createGain() { return node(); }
createBiquadFilter() { return node(); } createBufferSource() { heard.push('card'); return node(); }
createBuffer(_, n) { return { getChannelData: () => new Float32Array(n) }; } }; })()"""


def begin(browser, server, rules="standard", seed=5):
    """Open a table that a client has made."""
    with server.client() as client:
        client.create(server.key, rules=rules, seed=seed)
        browser.evaluate(f"location.hash = {f'{server.key}/{client.key}'!r}")
        browser.wait(f"!!document.querySelector('.board') && (({PASSING}) || ({TURN}))")


def test_cards_are_dealt_passed_played_and_swept(browser, served):
    lobby(browser, served.page, served.key, MOVING)
    browser.evaluate(SPY)
    begin(browser, served)
    browser.wait("moved.card >= 13 && document.getAnimations().length === 0")
    browser.evaluate("moved = {}")
    pass_three(browser)
    browser.wait("moved.flying >= 3 && moved.card >= 3")
    for _ in range(2):
        browser.wait(f"{TURN} && document.getAnimations().length === 0")
        play_one(browser)
    browser.wait("moved.laid >= 4 && moved.flying >= 4")
    browser.wait("!document.querySelector('.flying')")


def test_an_arrow_points_to_the_seat_that_gets_the_cards(browser, served):
    begin(browser, served)
    browser.wait("!!document.querySelector('.pass-way')")
    turn = browser.evaluate("document.querySelector('.pass-way').style.getPropertyValue('--turn')")
    assert turn == "180deg", "the first pass goes to the left"
    pass_three(browser)
    assert not browser.evaluate("!!document.querySelector('.pass-way')")


def test_the_name_of_the_tab_says_whose_turn_it_is(browser, served):
    assert browser.evaluate("document.title") == "Hearts · heartlab"
    begin(browser, served)
    assert browser.evaluate("document.title") == "● Your turn · Hearts"
    pass_three(browser)
    browser.wait(TURN)
    assert browser.evaluate("document.title") == "● Your turn · Hearts"
    finish_deal(browser)
    assert browser.evaluate("document.title") == "Hearts · heartlab"


def test_the_score_sheet_has_the_deal_being_played_and_the_last_trick(browser, served):
    begin(browser, served)
    sheet = "[...document.querySelectorAll('.side .scores .running td')].map((n) => n.textContent)"
    assert browser.evaluate(sheet) == ["0", "0", "0", "0"]
    pass_three(browser)
    browser.wait(TURN)
    play_one(browser)
    assert browser.evaluate("document.querySelectorAll('.side .row-of-cards li').length") == 4
    finish_deal(browser)
    assert browser.evaluate(sheet) == []
    assert browser.evaluate("document.querySelectorAll('.side .scores tbody tr').length") == 1


def test_nothing_moves_with_reduced_motion(browser, served):
    lobby(browser, served.page, served.key, MOVING)
    features = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.command("Emulation.setEmulatedMedia", features=features)
    browser.evaluate(SPY)
    begin(browser, served)
    pass_three(browser)
    browser.wait(TURN)
    play_one(browser)
    assert browser.evaluate("moved") == {}


def test_one_switch_for_sound_which_is_off_on_phones(browser, served):
    quick = '{"pace": 1, "hold": "0.01", "motion": "none"}'
    pressed = "document.querySelector('.icon').getAttribute('aria-pressed')"
    for phone in (True, False):
        browser.size(390, 844, phone=phone)
        lobby(browser, served.page, served.key, quick)
        assert browser.evaluate(pressed) == ("false" if phone else "true")
    browser.size(1280, 800)
    browser.evaluate(AUDIO)
    begin(browser, served)
    pass_three(browser)
    browser.wait(TURN)
    play_one(browser)
    assert browser.evaluate("heard.includes('card') && heard.includes('tone')")
    browser.click(".icon")
    browser.wait(f"{pressed} === 'false'")
    browser.evaluate("heard.length = 0")
    play_one(browser)
    assert browser.evaluate("heard") == []


def test_sounds_wait_for_a_click_and_do_not_pile_up(browser, served):
    """A browser lets nothing be heard before a click or key; what was silent until then is not heard all at once."""
    lobby(browser, served.page, served.key, '{"pace": 1, "hold": "0.01", "motion": "none"}')
    asleep = AUDIO.replace("this.state = 'running'", "this.state = 'suspended'")
    browser.evaluate(asleep)
    browser.evaluate(
        "AudioContext.prototype.resume = async function () { if (navigator.userActivation.isActive)"
        "this.state = 'running'; }"
    )
    begin(browser, served, rules="seed")
    plays = browser.evaluate(f"{STAGE}.plays")
    tap = "dispatchEvent(new MouseEvent('click', { detail: 1, bubbles: true }))"
    browser.evaluate(f"document.querySelector('.hand .card.legal').{tap}")
    browser.wait(f"{STAGE}.plays !== '{plays}' && ({TURN})")
    assert browser.evaluate("heard") == []
    browser.click(".status")
    play_one(browser)
    assert browser.evaluate("heard.includes('card')")
    silent = "document.querySelector('.icon').getAttribute('aria-pressed') === 'false'"
    browser.click(".icon")
    browser.wait(silent)
    browser.evaluate("heard.length = 0")
    browser.click(".icon")
    browser.wait(f"!({silent})")
    assert browser.evaluate("heard") == ["tone"], "whoever turns sounds on hears that"


def test_a_moon_has_its_moment_and_the_result_is_sorted(browser):
    def dealer(rules, _seed, _number, scores):
        return Deal.from_hands(moon_hands(), rules, number=3, scores=scores)

    with serving(dealer=dealer) as other:
        lobby(browser, other.page, other.key, MOVING)
        browser.evaluate(
            "window.moments = new Set(); new MutationObserver(() => { const n = document.querySelector('.moment p');"
            "if (n) moments.add(n.textContent); }).observe(document.body, { childList: true, subtree: true })"
        )
        begin(browser, other, rules="standard,limit=26")
        for card in ["AC", "AS", "KS", "QS", "AH", "KH", "QH", "JH", "TH", "9H", "8H", "7H", "6H"]:
            browser.wait(f"{TURN} && !document.getAnimations().some((one) => one.effect.target.matches('.card'))")
            browser.click(f".hand [data-card='{card}']")
            browser.wait(f"!document.querySelector(\".hand [data-card='{card}']\")")
        browser.wait(OVER)
        assert browser.evaluate("[...moments]") == ["You take the queen", "You shot the moon!"]
        assert browser.evaluate("document.querySelector('.result h2').textContent") == "You won the game!"
        assert browser.evaluate("!!document.querySelector('.rain i')")
        assert browser.evaluate("document.querySelector('.status').textContent") == "The game is over."
        totals = browser.evaluate(
            "[...document.querySelectorAll('.tally small')].map((n) => Number(n.textContent.split(' ')[1]))"
        )
        assert totals == sorted(totals)
        assert browser.evaluate("document.querySelector('.tally li .name').textContent") == "You"
        browser.picture("won")
        before = browser.evaluate("location.hash")
        button(browser, "Rematch")
        browser.wait(f"location.hash !== {before!r} && {TURN}")
        assert browser.evaluate("document.querySelectorAll('.hand .card').length") == 13
        browser.goto("about:blank")
        browser.requests.clear()


def test_a_moon_that_is_chosen_has_its_moment(browser):
    """Under rules that let the shooter choose, the moment comes with the choice."""

    def dealer(rules, _seed, _number, scores):
        return Deal.from_hands(moon_hands(), rules, number=3, scores=scores)

    with serving(dealer=dealer) as other:
        lobby(browser, other.page, other.key, '{"pace": 1, "hold": "0.01", "sound": false}')
        with other.client() as client:
            client.create(other.key, rules="standard,moon=choice", seed=5)
            while client.view["phase"] == "play":
                client.say("play", card=client.view["legal"][-1], at=client.view["plays"])
                client.until(lambda got: got["type"] == "view" and (got["legal"] or got["phase"] == "moon"))
            browser.evaluate(f"location.hash = {f'{other.key}/{client.key}'!r}")
        browser.wait(f"{STAGE}.idle === 'true' && {STAGE}.phase === 'moon'")
        browser.press("1")
        browser.wait("document.querySelector('.moment p')?.textContent === 'You shot the moon!'")
        browser.goto("about:blank")
        browser.requests.clear()


def test_the_felt_uses_a_large_screen(browser, served):
    browser.size(1920, 1080)
    lobby(browser, served.page, served.key)
    begin(browser, served)
    share = browser.evaluate(
        "(() => { const r = document.querySelector('.felt').getBoundingClientRect();"
        "return r.width * r.height / (innerWidth * innerHeight); })()"
    )
    assert share > 0.5
    assert browser.evaluate("document.querySelector('.hand .card').getBoundingClientRect().width") > 100
    pass_three(browser)
    finish_deal(browser)
    assert browser.evaluate(f"{STAGE}.screen") == "game"
