"""Tables of every size of people and of text: what a plate, a result and the scores say is in sight, whole."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.page import OVER, STAGE, TURN, lobby

pytestmark = pytest.mark.slow

WRONG = """(() => {
const out = [], all = (s) => [...document.querySelectorAll(s)], box = (n) => n.getBoundingClientRect();
const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
const felt = box(document.querySelector('.felt')), things = all('.seat, .markers > *');
for (const n of all('.seat .fact small'))
  if (!n.checkVisibility()) out.push(`no word: ${n.closest('.seat').textContent}`);
for (const n of all('.seat')) {
  const b = box(n), inner = box(n.querySelector('.facts'));
  if (n.scrollWidth > n.clientWidth + 1 || inner.right > b.right || inner.left < b.left)
    out.push(`full: ${n.textContent}`);
  if (b.left < felt.left || b.right > felt.right || b.top < felt.top || b.bottom > felt.bottom)
    out.push(`outside: ${n.textContent}`);
}
for (const [i, a] of things.entries()) for (const b of things.slice(i + 1))
  if (meet(box(a), box(b))) out.push(`${a.textContent} lies on ${b.textContent}`);
for (const n of all('.laid')) for (const seat of all('.seat'))
  if (meet(box(n), box(seat))) out.push(`a card lies on ${seat.textContent}`);
if (all('.hand .card').some((n) => box(n).bottom > innerHeight + 1)) out.push('the hand is not in sight');
if (document.documentElement.scrollWidth > innerWidth) out.push('too wide');
return out; })()"""


def sit_down(browser, server, rules: str, size: str, language: str, name: str = "You", seed: int = 5) -> None:
    """Open a table of a client in the browser, at the first turn after passing."""
    options = {"pace": 1, "hold": "0.01", "motion": "none", "size": size, "language": language}
    lobby(browser, server.page, server.key, json.dumps(options))
    with server.client() as client:
        count = int(rules.partition("players=")[2] or 4)
        view = client.create(server.key, ["gnome"] * (count - 1), rules=rules, seed=seed, name=name)
        if view["phase"] == "pass":
            client.act()
        client.act()
        browser.evaluate(f"location.hash = {f'{server.key}/{client.key}'!r}")
        browser.wait(f"!!document.querySelector('.board') && ({TURN})")


@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize("size", ["normal", "large", "largest"])
def test_plates_say_what_their_figures_are(browser, served, players, size):
    for width, height in ((390, 844), (844, 390), (1440, 900)):
        if height < 400 and size != "normal":
            continue  # a phone lying on its side has no room for both large text and words
        browser.size(width, height, phone=width < 900)
        for language in ("en", "de"):
            sit_down(browser, served, f"standard,players={players}", size, language)
            browser.picture(f"plates-{players}-{size}-{width}-{language}")
            assert browser.evaluate(WRONG) == [], (width, language)


@pytest.mark.parametrize("size", ["normal", "largest"])
def test_the_warning_of_a_moon_leaves_the_hand_in_sight(browser, served, size):
    browser.size(390, 844, phone=True)
    sit_down(browser, served, "standard", size, "de")
    text = "Bisher gehören alle Punkte dir (13), und in 41 von 100 Fällen holst du alle 26."
    browser.evaluate(
        "(() => { const n = document.createElement('p'); n.className = 'moon-risk good'; n.id = 'risk';"
        f"n.textContent = {text!r}; document.querySelector('.felt').after(n); }})()"
    )
    browser.picture(f"risk-{size}")
    assert browser.evaluate(WRONG) == []


@pytest.mark.parametrize("size", ["normal", "largest"])
def test_scores_of_six_are_whole(browser, served, size):
    browser.size(1440, 900)
    sit_down(browser, served, "standard,players=6", size, "de", "Maximiliane von Berg")
    while not browser.evaluate(OVER):
        plays = browser.evaluate(f"{STAGE}.plays")
        browser.click(".hand .card.legal:last-of-type, .hand .card.legal")
        browser.wait(f"{STAGE}.plays !== '{plays}' && (({TURN}) || ({OVER}))")
    browser.picture(f"scores-{size}")
    cut = "[...document.querySelectorAll('.scores td, .scores th')].filter((n) => n.getBoundingClientRect().right >"
    assert browser.evaluate(f"{cut} document.querySelector('.side').getBoundingClientRect().right).length") == 0
    browser.size(390, 844, phone=True)
    browser.picture(f"result-{size}")
    names = "[...document.querySelectorAll('.result .name')].filter((n) => n.scrollWidth > n.clientWidth)"
    assert browser.evaluate(f"{names}.map((n) => n.textContent).filter((one) => !one.startsWith('Max'))") == []
