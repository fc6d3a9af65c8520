"""The history: every finished deal, replayed, exported and imported."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.page import OVER, TOAST, button, finish_deal, lobby, pass_three, start
from support.web_client import moon_hands, serving

from heartlab.deal import Deal
from heartlab.records.format import to_json


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
