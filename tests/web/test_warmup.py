"""What is compiled behind the lobby, and what the page is told of it."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support import ROOT
from support.web_client import serving

from heartlab.rules import Rules
from heartlab.web.bots import EXPERT, LEVELS, OPPONENTS, BotError, Bots
from heartlab.web.warmup import DEAL, TABLE, Warmup, finish_deal, open_table, try_player, usual_steps


def steps(done, *names):
    return [(name, lambda name=name: done.append(name)) for name in names]


def test_steps_are_told_one_by_one():
    done, told = [], []
    warmup = Warmup(steps(done, TABLE, "gnome"))
    warmup.words = lambda: "words"
    warmup.listen("me", told.append)
    assert (warmup.ready.done, warmup.ready.of, warmup.ready.what, warmup.ready.words) == (0, 2, TABLE, "")
    warmup.run()
    assert done == [TABLE, "gnome"]
    assert [(one.done, one.what) for one in told] == [(0, TABLE), (1, TABLE), (1, "gnome"), (2, "")]
    assert told[-1].words == "words"


def test_what_somebody_waits_for_is_next():
    done = []
    warmup = Warmup(steps(done, TABLE, "gnome", "net", "coach"))
    warmup.want(["net"])
    warmup.run()
    assert done == [TABLE, "net", "gnome", "coach"]


def test_a_step_that_fails_does_not_stop_the_others():
    done = []

    def fail():
        raise RuntimeError

    warmup = Warmup([("gnome", fail), *steps(done, "net")])
    warmup.run()
    assert (done, warmup.ready.done) == (["net"], 2)


def test_the_page_hears_how_far_it_is(monkeypatch):
    with serving() as server:
        monkeypatch.setattr(server.house, "warmup", Warmup(steps([], TABLE, "gnome")))
        with server.client() as client:
            assert client.receive() == {"type": "ready", "done": 0, "of": 2, "what": TABLE, "words": ""}
            server.house.warmup.run()
            assert client.until(lambda got: got["type"] == "ready" and got["done"] == 2)["what"] == ""
        with server.client() as client:
            assert client.ask("level", "level", house=server.key)["type"] == "level", "all is ready: nothing to tell"


def test_everybody_of_a_plain_strength_is_offered_and_plays():
    bots = Bots()
    assert [level.name for level in LEVELS] == ["beginner", "casual", "skilled", "expert"]
    assert {name for level in LEVELS for name in level.players} <= {one.name for one in OPPONENTS}
    open_table()
    try_player(bots, "gnome")
    assert bots.faults == {}


def test_the_first_choice_comes_first():
    """As the page offers it to somebody new; what a deal needs later is ready before the other strengths."""
    names = [name for name, _ in usual_steps(Bots())]
    offered = re.search(r'level: "(\w+)"', (ROOT / "src/heartlab/web/page/options.js").read_text())
    assert offered
    players = next(level.players for level in LEVELS if level.name == offered[1])
    assert names[:3] == [TABLE, players[0], DEAL]
    *others, later = names[3:]
    assert sorted(others) == sorted({name for level in LEVELS for name in level.players} - {players[0]})
    assert later == EXPERT  # from the second deal on it plays for the game


def test_a_deal_is_prepared_to_its_end():
    session = finish_deal()
    assert session.deal.is_over
    assert sum(session.deal.points) in (26, 78)


def test_only_the_plain_strengths_under_standard_rules_need_no_admission():
    bots = Bots()
    assert bots.is_known_to_play(EXPERT, Rules())
    assert not bots.is_known_to_play(EXPERT, Rules.parse("standard,players=5"))
    assert not bots.is_known_to_play("td-closed", Rules())
    with pytest.raises(BotError, match="no player here"):
        bots.is_known_to_play("nobody", Rules())
