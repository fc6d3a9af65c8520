"""Any general game in the browser: what is drawn of a state, matches through the protocol, and the page itself."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support import browser as driver
from support.browser import Browser
from support.gdl_server import serving_game
from websockets.sync.client import connect

from heartlab.ggp import GdlError, known_games, load_game, make_machine, parse_game
from heartlab.learners.transfer import FeatureModel
from heartlab.web.gdl_boards import draw, find_shapes
from heartlab.web.gdl_match import Game, Match, opinion_of
from heartlab.web.gdl_serve import Matches, run_game_server

SIZES = {
    "breakthrough": (5, 5), "breakthrough8": (8, 8), "capturego": (3, 3), "capturego-suicide": (3, 3),
    "connect3": (5, 5), "connect4": (7, 6), "kinghunt": (8, 8), "nim": None,
    "othello4": (4, 4), "othello6": (6, 6), "tictactoe": (3, 3),
    "tictactoe-scored": (3, 3),
}  # fmt: skip


def test_there_is_a_drawing_for_every_game_of_ours():
    assert set(SIZES) == set(known_games())


@pytest.mark.parametrize("name", SIZES)
def test_the_boards_of_our_games_are_recognised(name):
    """By a machine that grounds nothing, too: from a few random games."""
    game = Game.of(load_game(name, "prover"))
    match = Match(game, 0, "random", 0.01)
    picture = match.frames[0].picture
    if SIZES[name] is None:
        assert (picture.boards, [pile.count for pile in picture.piles]) == ([], [1, 3, 5, 7])
        return
    board = picture.boards[0]
    assert len(picture.boards) == 1
    assert (len(board.columns), len(board.rows)) == SIZES[name]
    assert all(move.to is not None for move in match.frames[0].legal), "every move can be clicked"
    assert all(0 <= cell.x < len(board.columns) and 0 <= cell.y < len(board.rows) for cell in board.cells)


def test_a_disc_falls_to_the_bottom_of_its_column():
    match = Match(Game.of(load_game("connect4", "prover")), 0, "random", 0.01)
    move = next(move for move in match.frames[0].legal if move.text == "drop 3")
    assert move.to == [2]
    frame = match.step(match.frames[0].legal.index(move))
    assert [(cell.x, cell.y, cell.content) for cell in frame.picture.boards[0].cells] == [(2, 0, ["red"])]


def test_letters_are_columns_and_other_facts_are_listed():
    facts = [("cell", letter, number, "b") for letter in "abc" for number in "12"]
    shapes = find_shapes(facts)
    assert (shapes[0].is_column_first, len(shapes[0].first)) == (True, 3)
    picture = draw([("cell", "a", "1", "wp"), ("cell", "b", "2", "blank"), ("step", "7"), ("next", ("f", "x"))], shapes)
    assert [(cell.x, cell.y, cell.content) for cell in picture.boards[0].cells] == [(0, 0, ["wp"])]
    assert sorted(picture.facts) == ["next (f x)", "step 7"]
    assert find_shapes([("edge", "1", "2", "3"), ("edge", "2", "3", "4")]) == [], "numbers alone are no contents"


def test_a_match_is_played_to_its_end_and_refuses_what_cannot_be():
    match = Match(Game.of(load_game("tictactoe", "prover")), 1, "random", 0.01)
    with pytest.raises(GdlError, match="choose one of"):
        match.step(None) if match.awaits_person else (match.step(), match.step(99))
    while not match.is_over:
        match.step(0 if match.awaits_person else None)
    assert len(match.frames[-1].goals) == 2
    assert match.frames[-1].legal == []
    with pytest.raises(GdlError, match="is over"):
        match.step(0)


@pytest.mark.parametrize("kind", ["network", "prover"])
def test_the_tree_sees_a_win(kind):
    machine = load_game("tictactoe", kind)
    facts = {("marked", "1", "1", "x"), ("marked", "1", "2", "x"), ("marked", "2", "2", "o"), ("marked", "2", "1", "o")}
    state = machine.state_of(frozenset({*facts, ("turn", "x")}))
    opinions = opinion_of(Game.of(machine), state, 0, seconds=0.0)
    assert (opinions[0].text, opinions[0].value) == ("mark 1 3", 100.0)
    assert opinions[-1].value < 90


@pytest.mark.slow
def test_features_of_a_learner_stand_beside_the_moves(tmp_path):
    path = tmp_path / "model.json"
    FeatureModel(["tictactoe"], 1, 1, 0, features={"random": {"{L, N{N}}": [12.0, 5]}}).save(path)
    machine = load_game("tictactoe", "network")
    facts = {("marked", "1", "1", "x"), ("marked", "2", "1", "o"), ("marked", "2", "2", "o")}
    state = machine.state_of(frozenset({*facts, ("turn", "x")}))
    for name in (f"td:{path}", f"uct:sims=5,prior=td:{path}"):
        matches = Matches(machine, name, 0.1)
        opinions = {one.text: one for one in opinion_of(matches.game, state, 0, 0.0, 0, matches.guide)}
        assert opinions["mark 3 1"].learned == 12.0
        assert opinions["mark 3 1"].feature == "{L, N{N}}"
        assert opinions["mark 2 3"].feature != "{L, N{N}}"
        matches.threads.shutdown()


def test_a_game_that_hides_something_is_not_shown():
    text = """(role a) (role b) (init (coin heads)) (legal a look) (legal b look) (<= terminal (true seen))
    (<= (sees a (coin ?c)) (true (coin ?c))) (<= (next seen) (does a look)) (goal a 50) (goal b 50)"""
    with pytest.raises(GdlError, match="players see different things"):
        Game.of(make_machine(parse_game(text, "hidden"), "prover"))


@contextmanager
def serving(name: str, opponent: str = "random"):
    """A server of a game in this process."""
    matches = Matches(load_game(name, "prover"), opponent, 0.01)
    with serving_game(matches) as port:
        yield matches, port


def test_a_match_through_the_protocol():
    with serving("tictactoe") as (matches, port), connect(f"ws://127.0.0.1:{port}/ws") as line:

        def ask(kind, answer, **values):
            line.send(json.dumps({"type": kind, "key": matches.key, **values}))
            while True:
                got = json.loads(line.recv(300))
                if got["type"] in (answer, "failed"):
                    return got

        assert "opens nothing" in ask("show", "game", key="wrong")["text"]
        assert ask("show", "game")["roles"] == ["x", "o"]
        assert "there is no match 8" in ask("show", "frames", match=7)["text"]
        assert "players here are" in ask("begin", "frames", opponent="exec:rm")["text"]
        assert "there are 2 roles" in ask("begin", "frames", role=9)["text"]
        assert ask("begin", "frames", rolle=1)["type"] == "failed"
        frames = ask("begin", "frames", role=0, opponent="random")["frames"]
        assert "no such move" in ask("move", "frames", match=0, at=0, number=99)["text"]
        assert "has gone on" in ask("move", "frames", match=0, at=5, number=0)["text"]
        while frames[-1]["goals"] is None:
            got = ask("move", "frames", match=0, at=len(frames) - 1, number=0)
            while True:
                assert got["first"] == len(frames)
                frames += got["frames"]
                if frames[-1]["legal"] or frames[-1]["goals"] is not None:
                    break
                got = json.loads(line.recv(300))
        thought = ask("think", "thought", match=0, at=0)
        assert len(thought["moves"]) == 9
        assert ask("think", "thought", match=0, at=len(frames) - 1)["moves"] == []
        assert "moments" in ask("think", "thought", match=0, at=999)["text"]
        assert ask("show", "frames", match=0)["frames"] == frames, "the replay"
        assert ask("show", "game")["matches"][0]["goals"] == frames[-1]["goals"]


def test_wrong_input_is_one_sentence():
    machine = load_game("nim", "prover")
    for change, words in (({"opponent": "nobody"}, "nobody"), ({"port": 99999}, "a port is a number")):
        usual = dict(opponent="random", seconds=1.0, seed=0, port=0, browser=False)
        with pytest.raises(ValueError, match=words):
            run_game_server(machine, **{**usual, **change})


@pytest.mark.slow
@pytest.mark.skipif(driver.PROGRAM is None, reason="no Chromium here")
@pytest.mark.parametrize("name", sorted(SIZES))
def test_every_game_of_ours_is_played_on_the_page(name, tmp_path):
    """By clicks where there is a board, by the list where there is none; then the slider, the tree and the list."""
    page = Browser(tmp_path)
    page.size(1280, 860)
    with serving(name) as (matches, port):
        page.goto(f"http://127.0.0.1:{port}/#{matches.key}")
        page.wait("!!document.querySelector('.start button')")
        page.click(".start button")
        page.wait("document.getElementById('stage').dataset.moments >= 1")
        for moves in range(4):
            page.wait("!!document.querySelector('.moves button') || document.body.innerText.includes('The end')")
            if page.evaluate("!document.querySelector('.moves button')"):
                break
            if SIZES[name] is None or moves == 3:
                page.click(".moves button")
            else:
                page.click(".target")
                if page.evaluate("!!document.querySelector('.picked')"):
                    page.click(".target[data-leads]")
            page.wait("document.getElementById('stage').dataset.ready === 'true'")
        page.picture(f"gdl-{name}")
        page.evaluate(
            "(() => { const s = document.querySelector('input[type=range]'); s.value = 0;"
            "s.dispatchEvent(new Event('input')); })()"
        )
        page.wait("document.querySelector('input[type=range]').getAttribute('aria-label').startsWith('moment 0')")
        page.evaluate("[...document.querySelectorAll('button')].find((n) => n.textContent === 'Ask').click()")
        page.wait("document.querySelectorAll('.opinion tbody tr').length > 1")
        page.picture(f"gdl-{name}-tree")
        assert page.evaluate("document.querySelectorAll('.list li').length") == 1
    assert page.problems == [] or all("WebSocket" in one for one in page.problems)
    page.close()
