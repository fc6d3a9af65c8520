"""The history: every finished deal, replayed, exported and imported."""

from __future__ import annotations

import json

import msgspec
import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.page import OVER, QUICK, TOAST, button, finish_deal, lobby, pass_three, start
from support.web_client import moon_hands, serving

from heartlab.deal import Deal
from heartlab.records.format import to_json
from heartlab.web.history import Result
from heartlab.web.messages import DealFacts
from heartlab.web.store import Settings


@pytest.fixture(scope="module")
def played():
    """A server with two finished deals of a game, one of another person, and an unfinished one."""
    with serving() as server:
        with server.client() as client:
            client.create(server.key, seed=3)
            client.finish_deal()
            client.act()
            client.finish_deal()
            client.create(server.key, seed=4)
            client.create(server.key, seed=4, name="Zoe")
            client.finish_deal()
        yield server


def games(server, **person):
    with server.client() as client:
        return client.ask("history", "games", house=server.key, **person)["games"]


def test_every_finished_deal_is_in_the_history(played):
    (game,) = games(played)
    assert [deal["number"] for deal in game["deals"]] == [0, 1]
    assert [sum(column) for column in zip(*(deal["points"] for deal in game["deals"]), strict=True)] == game["scores"]
    assert (game["names"][0], game["players"], game["over"]) == ("You", ["gnome"] * 3, False)
    assert game["deals"][0]["hand"] == Deal("standard", 3).dealt[0].names()
    assert games(played) == [game], "asked twice, it is the same"
    assert len(games(played, name="Zoe")) == 1
    assert games(played, name="Nobody") == []


def test_who_took_the_queen_and_who_shot_the_moon():
    def dealer(rules, _seed, _number, scores):
        return Deal.from_hands(moon_hands(), rules, number=3, scores=scores)

    cards = iter(["AC", "AS", "KS", "QS", "AH", "KH", "QH", "JH", "TH", "9H", "8H", "7H", "6H"])
    with serving(dealer=dealer) as server, server.client() as client:
        client.create(server.key)
        while client.view["phase"] == "play":
            client.act(lambda view: next(cards))
        (game,) = client.ask("history", "games", house=server.key)["games"]
        assert (game["deals"][0]["queen"], game["deals"][0]["shooter"]) == (0, 0)


def test_a_game_is_replayed_and_a_deal_proven(played):
    (game,) = games(played)
    with played.client() as client:
        deals = client.ask("game", "deals", house=played.key, key=game["key"])
        assert [record["deal"] for record in deals["records"]] == [0, 1]
        proof = client.ask("game", "deals", house=played.key, key=game["key"], number=1)["proof"]
        assert proof["record"] == deals["records"][1]
        assert client.ask("game", "deals", house=played.key, name="Nobody")["text"] == "no deal is finished yet"
        assert client.ask("game", "deals", house="x" * 22)["code"] == "key"
        refused = client.ask("game", "deals", house=played.key, key=game["key"], number=1, name="Zoe")
        assert refused["type"] == "failed"


def test_what_is_exported_can_be_imported_once(played):
    with played.client() as client:
        records = client.ask("game", "deals", house=played.key)["records"]
        text = "\n".join(json.dumps(record) for record in records)
        with serving() as other, other.client() as there:
            assert there.ask("read", "imported", house=other.key, text=text, into="Pia")["deals"] == 2
            assert there.ask("read", "imported", house=other.key, text=text, into="Pia")["deals"] == 0
            (game,) = there.ask("history", "games", house=other.key, name="Pia")["games"]
            assert [deal["points"] for deal in game["deals"]] == [record["points"] for record in records]
            assert there.ask("game", "deals", house=other.key, name="Pia")["records"] == records
            assert there.ask("read", "imported", house=other.key, text="rubbish", into="Pia")["type"] == "failed"
        assert client.ask("read", "imported", house=played.key, text=text, into="You")["deals"] == 0


def test_a_proof_is_imported_as_its_deal(played):
    """Every file that the page writes can be taken in, a proof too, if it holds."""
    (game,) = games(played)
    with played.client() as client:
        proof = client.ask("game", "deals", house=played.key, key=game["key"], number=1)["proof"]
    text = json.dumps(proof, indent=1)
    with serving() as other, other.client() as there:
        wrong = json.dumps(proof | {"salt": "00" * 16})
        refused = there.ask("read", "imported", house=other.key, text=wrong, into="You")
        assert refused["text"].startswith("this proof does not hold")
        assert there.ask("read", "imported", house=other.key, text=text, into="You")["deals"] == 1
        assert there.ask("read", "imported", house=other.key, text=text, into="You")["deals"] == 0
        (taken,) = there.ask("history", "games", house=other.key)["games"]
        assert [deal["points"] for deal in taken["deals"]] == [proof["record"]["points"]]


def test_unfinished_deals_are_not_imported(played):
    deal = Deal("standard", 4, 3)
    deal.play(min(deal.legal))
    with played.client() as client:
        text = to_json(deal.to_record())
        assert client.ask("read", "imported", house=played.key, text=text, into="You")["deals"] == 0


@pytest.mark.slow
def test_the_history_and_the_fairness_of_a_real_game(browser, served):
    """Play a deal with a shared seed; see it in the history, replay it, check it in the browser itself."""
    start(browser, seed="")
    pass_three(browser)
    finish_deal(browser)
    button(browser, "Leave")
    browser.wait("!!document.querySelector('.lobby')")
    button(browser, "My games and statistics")
    browser.wait("document.querySelectorAll('.games li').length >= 1")
    assert browser.evaluate("document.querySelectorAll('.figures tbody tr').length") >= 1
    browser.picture("history")
    browser.evaluate(
        "(() => { const n = document.querySelector('.find'); n.focus(); n.value = 'no such thing';"
        "n.dispatchEvent(new Event('input')); })()"
    )
    browser.wait("document.querySelectorAll('.games li').length === 0")
    assert browser.evaluate("document.activeElement.className") == "find"
    assert browser.evaluate(
        "document.querySelector('.sheet').textContent.includes('No game has “no such thing” in it.')"
    )
    browser.evaluate(
        "(() => { const n = document.querySelector('.find'); n.value = ''; n.dispatchEvent(new Event('input')); })()"
    )
    browser.wait("document.querySelectorAll('.games li').length >= 1")
    browser.evaluate("document.querySelector('.games button').click()")
    browser.wait("!!document.querySelector('.viewer')")
    button(browser, "Close")
    browser.wait("document.querySelectorAll('.games li').length >= 1")
    browser.evaluate("document.querySelector('.sheet-head button').click()")
    browser.wait("!!document.querySelector('.lobby')")
    button(browser, "Are the cards rigged?")
    browser.wait("!!document.querySelector('.check .main:not(:disabled)')")
    button(browser, "Check my last deal")
    browser.wait("document.querySelectorAll('.checks li').length === 5")
    assert browser.evaluate("document.querySelectorAll('.checks .good').length") == 5
    assert browser.evaluate("!!document.querySelector('.bars')")
    browser.picture("fair")


def keep_game(store, made: float, player: str, points: list[int], *, costs: tuple[float, ...] = ()) -> None:
    """A game of Zoe's in the history: finished if it has two deals; the first deals are reviewed."""
    key, names, players = f"key-{made}", ["Zoe", "Ada", "Emil", "Ines"], [player] * 3
    store.add_session(key, Settings("standard", players, "Zoe"))
    for number, mine in enumerate(points):
        facts = DealFacts(number, [mine, 26 - mine, 0, 0], int(mine < 13), None, "2C", helped=False)
        result = Result(
            "standard", names, players, facts, [0, 100, 50, 50], len(points) == 2, practice=False, record="{}"
        )
        store.add_result(key, number, "Zoe", made, msgspec.json.encode(result))
    for number, cost in enumerate(costs):
        store.add_decisions(key, number, "Zoe", [(1, cost, None)])


@pytest.mark.slow
def test_the_charts_follow_the_strength_of_the_opponents(browser, served):
    """Each chart ends at the number of deals, games and reviewed deals against the strength; too few are no line."""
    store = served.house.store
    for game in range(6):
        keep_game(store, game, "gnome:jake", [game, 14], costs=(game / 2, 1.0))
    keep_game(store, 6, "ace:worlds=48", [3, 9, 20, 1, 2, 5, 26], costs=(4.0, 5.0, 1.0))
    keep_game(store, 7, "gnome", [1, 2, 3])
    keep_game(store, 8, "net", [4])
    lobby(browser, served.page, served.key, QUICK.replace("}", ', "name": "Zoe"}'))
    button(browser, "My games and statistics")
    browser.wait("document.querySelectorAll('figure').length > 0 && document.querySelector('.next p').textContent")

    def drawn(against: str) -> list[str]:
        browser.click(f"[name=against][value={against}]")
        browser.wait(f"document.querySelector('[name=against]:checked').value === {against!r}")
        for width, height in ((390, 844), (1440, 900)):
            browser.size(width, height, phone=width < 400)
            browser.evaluate("scrollTo(0, 0)")
            browser.picture(f"history-{against}-{width}")
            assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
        return browser.evaluate(
            "[...document.querySelectorAll('figure')].map((figure) => figure.querySelector('p')?.textContent"
            " ?? [...figure.querySelectorAll('text')].at(-2).textContent)"
        )

    names = browser.evaluate("[...document.querySelectorAll('[name=against]')].map((one) => one.value)")
    assert names == ["all", "beginner", "casual", "expert", "other"]
    assert drawn("casual") == ["12", "12", "12", "6", "12"]
    line = browser.evaluate("document.querySelector('.series path:last-of-type').getAttribute('d')")
    few = ["Too few finished games for a chart: 0 of 5 so far.", "Too few reviewed deals for a chart: 3 of 5 so far."]
    assert drawn("expert") == ["7", "7", "7", *few]
    assert browser.evaluate("document.querySelector('.series path:last-of-type').getAttribute('d')") != line
    assert drawn("beginner") == []
    assert "Too few deals for a chart: 3 of 5 so far." in browser.evaluate("document.getElementById('stage').innerText")
    assert drawn("all") == ["23", "23", "23", "6", "15"]


@pytest.mark.slow
def test_a_replay_is_shared_by_a_link_that_holds_it(browser, served):
    start(browser, seed=6)
    pass_three(browser)
    finish_deal(browser)
    button(browser, "Replay")
    browser.wait("!!document.querySelector('.viewer')")
    browser.evaluate("Object.defineProperty(navigator, 'clipboard', { value: null, configurable: true })")
    button(browser, "Copy link")
    link = browser.wait("document.getElementById('question-text')?.textContent")
    assert served.key not in link, "a link for others must not open the house"
    browser.press("Escape")
    browser.goto("about:blank")
    browser.requests.clear()
    browser.goto(link)
    browser.wait("document.querySelector('.viewer .title')?.textContent === 'A deal from a link'")
    browser.press("End")
    browser.wait("document.querySelector('.status').textContent.startsWith('Points:')")
    assert all(len(url) < 200 for url in browser.requests), "the deal was sent somewhere"
    button(browser, "Close")
    browser.wait("!!document.querySelector('.lobby')")
    browser.goto("about:blank")
    browser.goto(link[:-30])
    browser.wait("document.querySelector('.lost')?.textContent.startsWith('This link holds no deal')")
    lobby(browser, served.page, served.key)
    assert browser.evaluate(f"!({OVER}) && {TOAST} === ''")
