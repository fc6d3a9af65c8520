"""Takes the pictures of the table in the browser: `python docs/make_screens.py` (needs Chromium and the extra `web`).

Six pictures: the lobby, a hint where Q♠ can be thrown away, the review of a carelessly played deal, the table on
a phone, a table of friends, and a general game. `python docs/make_screens.py NAME...`
(hearts, friends, ggp) takes only some of them.
Each position is found by playing deals of rising seeds through the server until one fits.
"""

import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.browser import Browser
from support.friends import Friends
from support.gdl_server import serving_game
from support.web_client import Client, Served, serving

from heartlab.ggp import load_game
from heartlab.web.gdl_serve import Matches

PICTURES = Path(__file__).parent / "pictures"
PLAYERS = ["gnome", "gnome:jake", "gnome:peter"]
RANKS = "23456789TJQKA"
SETTLED = "document.getElementById('stage').dataset.idle === 'true'"
STILL = "document.getAnimations().every((one) => one.playState === 'finished')"


def find(
    client: Client, key: str, wanted: Callable[[dict[str, Any]], bool], play: Callable[[dict[str, Any]], str]
) -> None:
    """Play deals of seeds 1, 2, ... until a view is as wanted."""
    for seed in range(1, 200):
        client.create(key, PLAYERS, seed=seed)
        while client.view["phase"] in ("pass", "play"):
            if wanted(client.view):
                return
            client.act(play)
        if wanted(client.view):
            return
    raise SystemExit("no such position was found")


def throws_the_queen(view: dict[str, Any]) -> bool:
    """The last to play, void in the suit led, with Q♠ and other cards to choose from."""
    if len(view["trick"]) != 3 or "QS" not in view["legal"] or not 5 <= len(view["hand"]) <= 8:
        return False
    return view["trick"][0][1][1] not in {card[1] for card in view["hand"]}


def has_mistakes(client: Client, view: dict[str, Any]) -> bool:
    """A finished deal in which the review finds some."""
    return view["phase"] == "over" and len(client.ask("review", "reviewed", number=0)["worst"]) >= 2


def low(view: dict[str, Any]) -> str:
    """The lowest legal card."""
    return str(min(view["legal"], key=lambda card: RANKS.index(card[0])))


def high(view: dict[str, Any]) -> str:
    """The highest legal card: careless, so that the review has something to say."""
    return str(max(view["legal"], key=lambda card: RANKS.index(card[0])))


def show(browser: Browser, server: Served, client: Client) -> None:
    """Open a table in the browser."""
    browser.goto(f"{server.page}#{server.key}/{client.key}")
    browser.wait(f"!!document.querySelector('.board') && {SETTLED}")


def take_friends(browser: Browser, server: Served) -> None:
    """A table of friends in the middle of a deal, with a reaction."""
    with ExitStack() as stack:
        table = Friends(server, stack, people=3)
        table.begin()
        for _ in range(8):
            table.act()
        browser.goto(f"{server.page}#{server.key}/{table.host.key}")
        browser.wait(f"!!document.querySelector('.board') && {SETTLED}")
        table.clients[2].say("react", what="oops")
        browser.wait("!!document.querySelector('.reaction')")
        browser.evaluate("[...document.querySelectorAll('button')].find((n) => n.textContent === 'Friends').click()")
        browser.wait(f"!!document.querySelector('.seats-list') && {STILL}")
        browser.picture("friends", PICTURES)


def take_game(browser: Browser) -> None:
    """A general game with what the tree thinks."""
    matches = Matches(load_game("kinghunt"), "uct:sims=2000", 1.0)
    with serving_game(matches) as port:
        browser.goto(f"http://127.0.0.1:{port}/#{matches.key}")
        browser.wait("!!document.querySelector('.start button')")
        browser.click(".start button")
        for _ in range(4):
            browser.wait("!!document.querySelector('.moves button')")
            browser.click(".moves button:last-child")
            browser.wait("document.getElementById('stage').dataset.ready === 'true'")
        browser.wait("!!document.querySelector('.moves button')")
        browser.evaluate("[...document.querySelectorAll('button')].find((n) => n.textContent === 'Ask').click()")
        browser.wait("!!document.querySelector('.opinion tr')")
        browser.picture("ggp", PICTURES)


def take_others(names: list[str]) -> None:
    """The pictures of friends and of a general game."""
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(Path(folder))
        browser.size(1280, 800)
        if "friends" in names:
            with serving() as server:
                take_friends(browser, server)
        if "ggp" in names:
            take_game(browser)
        browser.close()


def main() -> None:
    """Take them all."""
    names = sys.argv[1:] or ["hearts", "friends", "ggp"]
    take_others(names)
    if "hearts" not in names:
        return
    with tempfile.TemporaryDirectory() as folder, serving(worlds=512) as server, server.client() as client:
        browser = Browser(Path(folder))
        browser.size(1280, 800)
        browser.goto(f"{server.page}#{server.key}")
        browser.wait("!!document.querySelector('.lobby')")
        browser.picture("lobby", PICTURES)
        find(client, server.key, throws_the_queen, low)
        show(browser, server, client)
        browser.press("h")
        browser.wait("!!document.querySelector('.coach .judged')")
        browser.picture("table", PICTURES)
        browser.size(390, 780, phone=True, dark=True)
        browser.command("Emulation.setDeviceMetricsOverride", width=390, height=780, deviceScaleFactor=1, mobile=True)
        browser.evaluate("scrollTo(0, 0)")
        browser.picture("table-phone", PICTURES)
        browser.size(1280, 800)
        find(client, server.key, lambda view: has_mistakes(client, view), high)
        show(browser, server, client)
        browser.evaluate("[...document.querySelectorAll('button')].find((n) => n.textContent === 'Review').click()")
        browser.wait(f"!!document.querySelector('.mistake') && {STILL}")
        browser.picture("review", PICTURES)
        browser.close()


if __name__ == "__main__":
    main()
