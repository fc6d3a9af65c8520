"""The daily deal: the same for everybody, played once, compared."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.page import OVER, PASSING, button, finish_deal, pass_three
from support.web_client import serving

from heartlab.web import daily
from heartlab.web.bots import Bots

DAY = "2026-11-17"


@pytest.fixture
def day(monkeypatch):
    """A server on a fixed day, whose comparison does not compile the learned player."""
    monkeypatch.setattr(daily, "LEVELS", daily.LEVELS[:2])
    with serving() as server:
        server.house.today = lambda: DAY
        yield server


def begin(client, server, name="You"):
    client.ask("daily", "opened", house=server.key, name=name)
    return client.my_turn()


def test_everybody_gets_the_same_deal_and_only_one(day):
    with day.client() as one, day.client() as other:
        mine, theirs = begin(one, day), begin(other, day, "Zoe")
        assert mine["hand"] == theirs["hand"]
        assert (mine["daily"], mine["branch"], mine["practice"]) == (DAY, None, False)
        key = one.ask("daily", "opened", house=day.key)["key"]
        assert one.ask("daily", "opened", house=day.key)["key"] == key, "a second try is the first one"
        assert one.ask("compare", "compared")["code"] == "table", "nothing is told before the end"
        end = one.finish_deal()
        assert end["phase"] == "end"
        levels = one.ask("compare", "compared")
        assert [made["name"] for made in levels["levels"]] == ["beginner", "casual"]
        assert begin(one, day)["phase"] == "end", "it stays played"
        day.house.today = lambda: "2026-11-18"
        assert begin(one, day)["hand"] != mine["hand"]


def test_the_comparison_is_what_the_player_makes_of_it():
    """The same again, whoever asks; and the person's own bot would have made just that."""
    bots = Bots()
    assert daily.play_out(bots, DAY, "gnome") == daily.play_out(Bots(), DAY, "gnome")
    assert 0 <= daily.play_out(bots, DAY, "random") <= 26


@pytest.mark.slow
def test_the_daily_deal_on_the_page(browser, served, monkeypatch):
    monkeypatch.setattr(daily, "LEVELS", daily.LEVELS[:2])
    monkeypatch.setattr(served.house, "today", lambda: DAY)
    button(browser, "Daily deal")
    browser.wait(PASSING)
    assert "daily deal of 2026-11-17" in browser.evaluate("document.querySelector('.markers').innerText")
    pass_three(browser)
    finish_deal(browser)
    browser.wait("document.querySelectorAll('.daily li').length === 3")
    apart = """(() => { const box = document.querySelector('.result').getBoundingClientRect();
    return [...document.querySelectorAll('.seat')].every((n) => { const r = n.getBoundingClientRect();
    return r.right <= box.left || r.left >= box.right || r.bottom <= box.top || r.top >= box.bottom; }); })()"""
    assert browser.evaluate(apart), "the result covers no seat"
    browser.picture("daily")
    browser.click(".actions .main")
    browser.wait("!!document.querySelector('.lobby')")
    button(browser, "Daily deal")
    browser.wait(OVER)
