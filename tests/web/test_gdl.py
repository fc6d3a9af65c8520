"""Any general game in the browser: what is drawn of a state, matches through the protocol, and the page itself."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from queue import Queue

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support import browser as driver
from support.browser import Browser
from support.gdl_server import serving_game
from websockets.sync.client import connect

from heartlab.ggp import Clocks, GdlError, Manager, known_games, load_game, make_machine, parse_game
from heartlab.ggp.protocol import tournament as tournaments
from heartlab.ggp.protocol.seats import TIMEOUT, Seat, SeatFailure
from heartlab.ggp.protocol.tournament import Tournament
from heartlab.learners.transfer import FeatureModel
from heartlab.web import gdl_live
from heartlab.web.gdl_boards import draw, find_shapes
from heartlab.web.gdl_live import LiveMatches
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


@pytest.mark.slow
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


# Matches of a manager, live

THREE_TURNS = """(role a) (role b) (init (heap h 3)) (less 3 2) (less 2 1) (less 1 0)
(legal a noop) (legal b noop) (legal b pass) (<= (next (heap h ?m)) (true (heap h ?n)) (less ?n ?m))
(<= terminal (true (heap h 0))) (goal a 100) (goal b 0)"""


class Puppet(Seat):
    """A player that answers what the test says, when it says it."""

    def __init__(self, name):
        self.name, self.answers = name, Queue()

    def ask(self, text, seconds):
        if not text.lower().startswith("(play"):
            return "ready"
        answer = self.answers.get(timeout=600)
        if isinstance(answer, SeatFailure):
            raise answer
        return answer


class Stage:
    """A manager that plays two matches between puppets on a thread, and those who watch."""

    def __init__(self):
        description = parse_game(THREE_TURNS, "three")
        self.puppets = [Puppet("uct"), Puppet("http://there:1")]
        self.live = LiveMatches([make_machine(description, "prover")], 2)
        manager = Manager(description, make_machine(description, "prover"), Clocks(600, 600))
        self.thread = threading.Thread(target=self._play, args=(manager,), daemon=True)

    def _play(self, manager):
        for number in range(2):
            manager.play(self.puppets, number, 1, self.live.watch)

    def turn(self, *answers):
        for puppet, answer in zip(self.puppets, answers, strict=True):
            puppet.answers.put(answer)


class Watcher:
    """A browser: what it would show after each message."""

    def __init__(self, line, key):
        self.line, self.key = line, key
        self.game, self.match, self.frames = None, None, []

    def say(self, kind, **values):
        self.line.send(json.dumps({"type": kind, "key": self.key, **values}))

    def hear(self):
        got = json.loads(self.line.recv(600))
        if got["type"] == "game":
            self.game = got
        elif got["type"] == "frames" and (got["first"] == 0 or got["match"] == self.match):
            self.match, self.frames = got["match"], [*self.frames[: got["first"]], *got["frames"]]
        return got

    def until(self, condition):
        while not condition():
            self.hear()

    def refused(self, kind, **values):
        self.say(kind, **values)
        while (got := self.hear())["type"] != "failed":
            pass
        return got["text"]


@contextmanager
def staging():
    stage = Stage()
    with serving_game(stage.live) as port:
        yield stage, port


def test_matches_of_a_manager_are_shown_as_they_are_played():
    with staging() as (stage, port), connect(f"ws://127.0.0.1:{port}/ws") as line:
        page = Watcher(line, stage.live.key)
        page.say("show")
        page.until(lambda: page.game)
        assert (page.game["total"], page.game["matches"], page.game["roles"]) == (2, [], ["a", "b"])
        stage.thread.start()
        page.until(lambda: page.frames)
        assert page.frames[0]["picture"]["piles"] == [{"name": "h", "count": 3}]
        stage.turn("noop", "pass")
        page.until(lambda: len(page.frames) == 2)
        assert (page.frames[1]["moves"], page.frames[1]["mishaps"]) == (["noop", "pass"], [])
        assert page.game["matches"][0]["players"] == ["uct", "http://there:1"]
        assert "only shown" in page.refused("move", match=0, at=1, number=0)
        assert "only shown" in page.refused("begin", role=0)
        assert "all matches are over" in page.refused("think", match=0, at=0)
        assert "there is no match 2" in page.refused("show", match=1)
        stage.turn("noop", "(fly away)")
        page.until(lambda: len(page.frames) == 3)
        assert page.frames[2]["mishaps"] == [
            {"role": 1, "kind": "illegal", "message": "(fly away) is not a legal move", "drawn": True}
        ]
        stage.turn(SeatFailure(TIMEOUT, "no answer within 1 s"), "noop")
        page.until(lambda: page.frames[-1]["goals"])
        assert page.frames[3]["goals"] == [100, 0]
        assert [(one["role"], one["kind"]) for one in page.frames[3]["mishaps"]] == [(0, "timeout")]
        first = page.frames
        page.until(lambda: len(page.game["matches"]) == 2)
        assert page.match == 0, "the end of a match is seen until the next one moves"
        old = page.game["matches"][1]
        assert (old["goals"], old["moves"], old["mishaps"], page.game["played"]) == ([100, 0], 3, 2, 1)
        stage.turn("noop", "noop")
        page.until(lambda: page.match == 1)
        page.say("show", match=0)
        page.until(lambda: page.match == 0)
        assert page.frames == first, "the replay of a match that is over"
        for _ in range(2):
            stage.turn("noop", "noop")
        page.until(lambda: page.game["played"] == 2)
        assert page.match == 0, "who has chosen a match stays with it"
        page.say("think", match=0, at=0)
        while (got := page.hear())["type"] != "thought":
            pass
        assert (got["role"], {one["text"] for one in got["moves"]}) == (1, {"noop", "pass"})
        stage.thread.join(600)


def test_a_page_that_comes_late_sees_all_and_old_matches_are_forgotten(monkeypatch):
    monkeypatch.setattr(gdl_live, "MOST_MATCHES", 1)
    with staging() as (stage, port):
        stage.thread.start()
        for _ in range(6):
            stage.turn("noop", "noop")
        stage.thread.join(600)
        with connect(f"ws://127.0.0.1:{port}/ws") as line:
            page = Watcher(line, stage.live.key)
            page.say("show")
            page.until(lambda: page.frames)
            assert (page.match, len(page.frames), page.frames[-1]["goals"]) == (1, 4, [100, 0])
            assert [one["match"] for one in page.game["matches"]] == [1]
            assert "no longer kept" in page.refused("show", match=0)


# A tournament, live


class Contest:
    """A tournament of two puppets in two games, in which the first role wins, on a thread; those who watch it."""

    def __init__(self, monkeypatch, record=None):
        self.puppets = {name: Puppet(name) for name in ("uct", "http://there:1")}
        monkeypatch.setattr(tournaments, "make_seat", lambda text, seed: self.puppets[text])
        games = [parse_game(text, name) for name, text in (("three", THREE_TURNS), ("other", OTHER_ROLES))]
        managers = [Manager(one, make_machine(one, "prover"), Clocks(600, 600)) for one in games]
        self.tournament = Tournament(managers, list(self.puppets), rounds=1, seed=1)
        self.live = LiveMatches([one.machine for one in managers], len(self.tournament.schedule()))
        self.record, self.enough = record, threading.Event()
        self.thread = threading.Thread(target=self._play, daemon=True)

    def _play(self):
        self.tournament.play(
            self.record,
            stopped=self.enough.is_set,
            watch=self.live.watch,
            changed=lambda: self.live.note(self.tournament),
        )

    def play(self, matches):
        """Let the puppets play some whole matches."""
        for puppet in self.puppets.values():
            for _ in range(3 * matches):
                puppet.answers.put("noop")


OTHER_ROLES = THREE_TURNS.replace("role a", "role white").replace("role b", "role black")
OTHER_ROLES = re.sub(
    r"(legal|goal) (a|b)\b", lambda found: f"{found[1]} {dict(a='white', b='black')[found[2]]}", OTHER_ROLES
)


def balance(page):
    return [(one["name"], one["won"], one["lost"], one["mean"]) for one in page.game["standings"]]


def test_the_table_of_a_tournament_stands_beside_its_matches(monkeypatch):
    contest = Contest(monkeypatch)
    with serving_game(contest.live) as port, connect(f"ws://127.0.0.1:{port}/ws") as line:
        page = Watcher(line, contest.live.key)
        page.say("show")
        page.until(lambda: page.game)
        assert (page.game["standings"], page.game["total"]) == ([], 4)
        assert page.game["games"] == {"three": ["a", "b"], "other": ["white", "black"]}
        contest.thread.start()
        page.until(lambda: page.game["standings"])
        assert balance(page) == [("uct", 0, 0, None), ("http://there:1", 0, 0, None)]
        contest.play(1)
        page.until(lambda: page.game["standings"][0]["won"])
        assert balance(page) == [("uct", 1, 0, 100.0), ("http://there:1", 0, 1, 0.0)]
        first, second = page.game["standings"]
        assert first["rating"] > 1500 > second["rating"]
        assert first["ci95"][0] < first["rating"] < first["ci95"][1]
        contest.play(3)
        contest.thread.join(600)
        page.until(lambda: page.game["played"] == 4 and sum(one["won"] for one in page.game["standings"]) == 4)
        assert {row[1:] for row in balance(page)} == {(2, 2, 50.0)}
        assert [one["game"] for one in page.game["matches"]] == ["other", "other", "three", "three"]
        page.say("show", match=2)
        page.until(lambda: page.match == 2)
        page.say("think", match=2, at=0)
        while (got := page.hear())["type"] != "thought":
            pass
        assert {one["text"] for one in got["moves"]} == {"noop", "pass"}


def test_a_tournament_that_goes_on_shows_the_results_of_before(monkeypatch, tmp_path):
    first = Contest(monkeypatch, tmp_path / "t.jsonl")
    with serving_game(first.live):
        first.play(2)
        first.live.note = lambda found: first.enough.set() if len(found.played) == 2 else None
        first.thread.start()
        first.thread.join(600)
    contest = Contest(monkeypatch, tmp_path / "t.jsonl")
    with serving_game(contest.live) as port, connect(f"ws://127.0.0.1:{port}/ws") as line:
        contest.thread.start()
        page = Watcher(line, contest.live.key)
        page.say("show")
        contest.play(1)
        page.until(lambda: page.game and page.game["played"] == 3 and sum(row[1] for row in balance(page)) == 3)
        page.until(lambda: len(page.game["matches"]) == 4)
        assert page.game["before"] == 2
        assert [(one["match"], one["kept"], one["goals"]) for one in page.game["matches"][1:]] == [
            (2, True, [100, 0]),
            (1, False, [100, 0]),
            (0, False, [100, 0]),
        ]
        assert page.game["matches"][2]["players"] == ["http://there:1", "uct"]
        assert "no longer kept" in page.refused("show", match=0)
        contest.play(1)
        contest.thread.join(600)
        page.until(lambda: page.game["played"] == 4)


@pytest.mark.slow
@pytest.mark.skipif(driver.PROGRAM is None, reason="no Chromium here")
def test_the_table_of_a_tournament_changes_on_the_page(monkeypatch, tmp_path):
    contest = Contest(monkeypatch)
    rows = "[...document.querySelectorAll('.standings tbody tr')].map((n) => n.innerText).join('|')"
    page = Browser(tmp_path)
    page.size(1280, 860)
    with serving_game(contest.live) as port:
        page.goto(f"http://127.0.0.1:{port}/#{contest.live.key}")
        page.wait("document.body?.innerText.includes('about to begin')")
        contest.thread.start()
        page.wait(f"{rows}.includes('0 / 0 / 0')")
        contest.play(1)
        page.wait(f"{rows}.includes('1 / 0 / 0')")
        assert page.evaluate(rows).startswith("1. uct")
        assert "2. http://there:1" in page.evaluate(rows)
        contest.play(2)
        page.wait("document.querySelector('h1').innerText === 'other'")
        page.wait("document.querySelector('.status').innerText.includes('white 100, black 0')")
        page.wait(f"{rows}.includes('2 / 0 / 1')")
        page.click(".list li:last-child button")
        page.wait("document.querySelector('h1').innerText === 'three'")
        page.wait("document.querySelector('.status').innerText.includes('a 100, b 0')")
        page.picture("gdl-tournament")
        contest.play(1)
        page.wait("document.body.innerText.includes('4 of 4 matches are over')")
        contest.thread.join(600)
    assert page.problems == [] or all("WebSocket" in one for one in page.problems)
    page.close()


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


@pytest.mark.slow
@pytest.mark.skipif(driver.PROGRAM is None, reason="no Chromium here")
def test_live_matches_on_the_page(tmp_path):
    """Each move appears; going back stays with the match; a match of the list; what went wrong; following again."""
    page = Browser(tmp_path)
    page.size(1280, 860)
    with staging() as (stage, port):
        page.goto(f"http://127.0.0.1:{port}/#{stage.live.key}")
        page.wait("document.body?.innerText.includes('about to begin')")
        stage.thread.start()
        stage.turn("noop", "pass")
        page.wait("document.getElementById('stage').dataset.moments == 2")
        stage.turn("noop", "(fly away)")
        page.wait("document.querySelector('.mishaps')?.innerText.includes('(fly away) is not a legal move')")
        assert page.evaluate("!document.querySelector('.start, .moves, .opinion')"), "nobody can move"
        page.picture("gdl-live")
        stage.turn("noop", "noop")
        page.wait("document.body.innerText.includes('1 of 2 matches are over')")
        page.wait("document.querySelector('.status').innerText.includes('The end: a 100, b 0')")
        stage.turn("noop", "noop")
        page.wait("document.getElementById('stage').dataset.moments == 2")
        page.click(".slider button")
        page.wait("!document.querySelector('.follow').disabled")
        page.click(".list li:last-child button")
        page.wait("document.getElementById('stage').dataset.moments == 4")
        page.evaluate("document.querySelector('[data-mishap]').click()")
        page.wait("document.querySelector('input[type=range]').getAttribute('aria-label').startsWith('moment 2')")
        page.click(".follow")
        page.wait("document.getElementById('stage').dataset.moments == 2")
        for _ in range(2):
            stage.turn("noop", "noop")
        page.wait("document.body.innerText.includes('2 of 2 matches are over')")
        page.wait("[...document.querySelectorAll('button')].some((n) => n.textContent === 'Ask')")
        page.picture("gdl-live-end")
        stage.thread.join(600)
    assert page.problems == [] or all("WebSocket" in one for one in page.problems)
    page.close()


@pytest.mark.slow
@pytest.mark.skipif(driver.PROGRAM is None, reason="no Chromium here")
def test_a_beginning_is_told_and_so_is_its_refusal(tmp_path):
    """The first match of a new computer takes a while: the page says so, and begins one match only."""
    page = Browser(tmp_path)
    page.size(1280, 860)
    with serving("tictactoe") as (matches, port):
        page.goto(f"http://127.0.0.1:{port}/#{matches.key}")
        page.wait("!!document.querySelector('.start button')")
        page.evaluate(
            "window.sent = []; window.hold = WebSocket.prototype.send;"
            "WebSocket.prototype.send = function (text) { sent.push([this, text]); }"
        )
        page.click(".start button")
        page.wait("document.querySelector('.busy')?.textContent.includes('prepared')")
        assert page.evaluate("document.querySelector('.start button').disabled")
        page.evaluate(
            "WebSocket.prototype.send = hold; for (const [socket, text] of sent)"
            'socket.send(text.replace(/("opponent":)"[^"]*"/, \'$1"nobody"\'))'
        )
        page.wait("document.querySelector('.status')?.textContent.includes('players here are')")
        assert not page.evaluate("document.querySelector('.start button').disabled")
        page.click(".start button")
        page.wait("document.getElementById('stage').dataset.moments >= 1")
        assert page.evaluate("!document.querySelector('.busy') && sent.length === 1")
    page.close()
