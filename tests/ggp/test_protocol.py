"""The wire: messages, the player's side, the manager's side, fuzzed and soaked.

Clocks are short and the grace after them shorter than the protocol's second, so that failures cost little time.
HEARTLAB_SCALE=10 soaks 500 matches, every day it is 50.
"""

import gc
import json
import os
import random
import socket
import socketserver
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.ggp_rulesheets import SCALE

from heartlab.ggp.gdl.parse import UNNAMED, parse_game, parse_term
from heartlab.ggp.gdl.scramble import Scrambler
from heartlab.ggp.gdl.terms import GdlError, show
from heartlab.ggp.machine.load import load_game, make_machine, read_game
from heartlab.ggp.players.base import GamePlayer
from heartlab.ggp.players.random import RandomPlayer
from heartlab.ggp.players.registry import make_game_player
from heartlab.ggp.protocol import agent as agent_module
from heartlab.ggp.protocol import manager as manager_module
from heartlab.ggp.protocol import matches
from heartlab.ggp.protocol import seats as seats_module
from heartlab.ggp.protocol import server as server_module
from heartlab.ggp.protocol.agent import Agent
from heartlab.ggp.protocol.manager import Clocks, Manager
from heartlab.ggp.protocol.matches import make_agent, make_seat, play_matches
from heartlab.ggp.protocol.messages import ProtocolError, parse_message, start_text
from heartlab.ggp.protocol.seats import CONNECTION, GARBAGE, ILLEGAL, TIMEOUT, LocalSeat, RemoteSeat, Seat, SeatFailure
from heartlab.ggp.protocol.server import PlayerServer
from heartlab.learners.transfer import player as td_module
from heartlab.learners.transfer.discovery import learn_features
from heartlab.learners.transfer.models import FeatureModel
from heartlab.learners.transfer.player import Knowledge, TdPlayer
from heartlab.learners.transfer.positions import find_position
from heartlab.learners.transfer.settings import Opponent
from heartlab.learners.transfer.trainer import TurnGame

NIM = " ".join(map(str, read_game("nim").rules))
COIN = """
(role random) (role guesser) (side heads) (side tails) (init ready)
(<= (legal random (toss ?s)) (side ?s) (true ready)) (<= (legal random wait) (not (true ready)))
(<= (legal guesser wait) (true ready)) (<= (legal guesser (say ?s)) (side ?s) (not (true ready)))
(<= (next (lies ?s)) (does random (toss ?s)))
(<= (next (lies ?s)) (true (lies ?s)))
(<= (next (said ?s)) (does guesser (say ?s)))
(<= (sees guesser landed) (does random (toss ?s)))
(<= terminal (true (said ?s)))
(<= right (true (said ?s)) (true (lies ?s)))
(<= (goal guesser 100) right) (<= (goal guesser 0) (not right)) (goal random 50)
"""


@pytest.fixture(autouse=True)
def short_grace(monkeypatch):
    monkeypatch.setattr(seats_module, "GRACE", 0.05)


@pytest.fixture(scope="module")
def nim():
    return read_game("nim"), load_game("nim")


def manager(nim, clocks=Clocks(600, 600), **options):  # noqa: B008
    return Manager(*nim, clocks, **options)


# Messages


@pytest.mark.parametrize("text", ["(INFO)", "info", " ( info ) ", "(PING)", "(ping)"])
def test_info_and_ping(text):
    assert make_agent("random").answer(text) == "((name random)(status available))"


def test_messages_are_read():
    start = parse_message("(START M1 White ((ROLE white) (init (P 1))) 10 5.5)")
    assert (start.kind, start.match, start.role, start.start_clock, start.play_clock) == (
        "start",
        "m1",
        "white",
        10,
        5.5,
    )
    assert [rule.term for rule in start.rules] == [("role", "white"), ("init", ("p", "1"))]
    assert parse_message("(PLAY m NIL)").moves is None
    assert parse_message("(stop m ((A 1) noop))").moves == (("a", "1"), "noop")


@pytest.mark.parametrize(("clock", "sent"), [(10, "10"), (0.5, "0.5"), (86400, "86400"), (0.001, "0.001")])
def test_clocks_are_sent_as_plain_numbers(clock, sent):
    text = start_text("m", "white", "(role white)", clock, clock)
    assert text == f"(START m white ((role white)) {sent} {sent})"
    assert parse_message(text).play_clock == clock


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "(HELLO)",
        "(INFO 1)",
        "(START m white",
        "(START m white 5 5 5)",
        "(START m white () x 5)",
        "(PLAY m)",
        "(PLAY m x)",
        "(PLAY (m) NIL)",
        "(PLAY m (()))",
        "(ABORT)",
        "(INFO) (INFO)",
        "(START m w () -1 5)",
        "\x00" * 50,
    ],
)
def test_what_is_no_message(text):
    with pytest.raises(ProtocolError):
        parse_message(text)


# The player's side


def test_a_match_from_start_to_stop():
    agent = make_agent("random")
    assert agent.answer(f"(START M first ({NIM.upper()}) 5 1)") == "ready"
    move = parse_term(agent.answer("(PLAY m NIL)"))
    assert move[0] == "leave"
    assert agent.answer(f"(PLAY M ({show(move)} WAIT))") == "wait"
    assert agent.answer(f"(PLAY M ({show(move)} WAIT))") == "wait", (
        "the same message again gets the same kind of answer"
    )
    assert agent.answer("(PLAY other NIL)") == "busy"
    assert agent.answer("(PLAY m (nonsense wait))") == "busy"
    assert agent.answer("(PLAY m (wait))") == "busy"
    assert agent.answer("(STOP m (wait (leave a 0)))") == "done"
    assert agent.answer("(STOP m (wait (leave a 0)))") == "busy"
    assert not agent.sessions


def test_restarts_aborts_and_several_matches_at_once():
    agent = make_agent("random")
    for match in ("one", "two", "one"):
        assert agent.answer(f"(START {match} second ({NIM}) 5 1)") == "ready"
    assert sorted(agent.sessions) == ["one", "two"]
    assert agent.answer(f"(START one first ({NIM}) 5 1)") == "busy", "a match has one role here"
    assert agent.answer("(PLAY one NIL)") == agent.answer("(PLAY two NIL)") == "wait"
    assert agent.answer("(ABORT one)") == "aborted"
    assert agent.answer("(ABORT one)") == "busy"
    assert agent.answer("(PLAY two NIL)") == "wait"


def test_unplayable_starts_are_refused():
    agent = make_agent("random")
    assert agent.answer(f"(START m nobody ({NIM}) 5 1)") == "busy"
    assert agent.answer("(START m x () 5 1)") == "busy"
    assert agent.answer("(START m x ((role x) (<= (p ?x) (not))) 5 1)") == "busy"
    assert agent.answer("(PREVIEW ((role x) (<=)) 5)") == "busy"
    assert agent.answer(f"(PREVIEW ({NIM}) 5)") == "ready"
    assert not agent.sessions


LONG = "9" * 5000


@pytest.mark.parametrize(
    "rule",
    [
        f"(<= (next (n {LONG})) (does x go)) (goal x 100)",
        f"(<= (legal x (go {LONG})) (true (n 1))) (goal x 100)",
        f"(goal x {LONG})",
        "(goal x 5000000000)",
        f"(goal x {'0' * 5000}100)",
    ],
    ids=["fact", "move", "goal", "goal of 33 bits", "zeros"],
)
def test_numbers_of_any_length_get_an_answer(rule):
    rules = f"(role x) (init (n 1)) (legal x go) (<= terminal (true (n 2))) (<= (next (n 2)) (does x go)) {rule}"
    agent = make_agent("random")
    assert agent.answer(f"(PREVIEW ({rules}) 5)") == "ready"
    assert agent.answer(f"(START m x ({rules}) 5 1)") == "ready"
    move = agent.answer("(PLAY m NIL)")
    assert move in ("go", f"(go {LONG})")
    assert agent.answer(f"(STOP m ({move}))") == "done"


@pytest.mark.parametrize(("clock", "seconds"), [(0, 1.0), (10, 6.0), (86400, agent_module.MOST_GROUNDING)])
def test_a_long_start_clock_does_not_ground_for_hours(clock, seconds, monkeypatch):
    budgets = []
    monkeypatch.setattr(
        agent_module, "make_machine", lambda *args: budgets.append(args[2].seconds) or load_game("nim", "prover")
    )
    assert make_agent("random").answer(f"(PREVIEW ({NIM}) {clock})") == "ready"
    assert budgets == [seconds]


def test_a_game_that_does_not_ground_is_played_by_the_prover(monkeypatch):
    """Counted, not timed: grounding ends at a number of rules. The rest of the start clock is left for the player."""
    digits = " ".join(f"(d {number})" for number in range(12))
    rules = f"""(role x) (init on) (<= terminal (not (true on))) (goal x 50) {digits}
        (<= (legal x (go ?a ?b ?c)) (d ?a) (d ?b) (d ?c) (true on))"""
    clocks = []

    class Noting(GamePlayer):
        def begin(self, machine, player, seconds):
            super().begin(machine, player, seconds)
            clocks.append(seconds)

        def choose(self, state, seconds):
            return self.machine.legal(state, self.player)[-1]

    def ground_little(description, kind, budget):
        assert budget.seconds <= agent_module.GROUNDING_SHARE * 5
        return make_machine(description, kind, replace(budget, rules=500))

    monkeypatch.setattr(agent_module, "make_machine", ground_little)
    agent = Agent(Noting)
    assert agent.answer(f"(START m x ({rules}) 5 1)") == "ready"
    assert agent.sessions["m"].machine.kind == "prover"
    assert "more than 500 ground rules" in agent.sessions["m"].machine.note
    assert clocks[0] <= 5
    assert agent.answer("(PLAY m NIL)") == "(go 11 11 11)"


def test_a_full_agent_says_so_before_it_works(monkeypatch):
    """Matches that are still being prepared have their places as well."""
    monkeypatch.setattr(agent_module, "MOST_MATCHES", 2)
    begun, prepared, made = threading.Event(), threading.Event(), []

    class Slow(RandomPlayer):
        def begin(self, machine, player, seconds):
            super().begin(machine, player, seconds)
            made.append(self)
            if len(made) == 2:
                begun.set()
                prepared.wait()

    agent = Agent(Slow)
    assert agent.answer(f"(START a first ({NIM}) 5 1)") == "ready"
    answers = []
    second = threading.Thread(target=lambda: answers.append(agent.answer(f"(START b first ({NIM}) 5 1)")))
    second.start()
    begun.wait()
    try:
        assert "busy" in agent.answer("(INFO)")
        assert agent.answer("(START c x ((role x) (goal x 50)) 5 1)") == "busy"
        assert len(agent.games) == 1, "no machine was made"
        assert agent.answer(f"(START a first ({NIM}) 5 1)") == "ready", "a match that has its place may begin anew"
    finally:
        prepared.set()
        second.join()
    assert answers == ["ready"]
    assert sorted(agent.sessions) == ["a", "b"]
    assert agent.answer("(ABORT a)") == "aborted"
    assert agent.answer(f"(START c nobody ({NIM}) 5 1)") == "busy"
    assert agent.answer(f"(START c first ({NIM}) 5 1)") == "ready", "what was refused keeps no place"


def test_full_agents_and_silent_matches(monkeypatch):
    monkeypatch.setattr(agent_module, "MOST_MATCHES", 2)
    agent = make_agent("random")
    for match in "ab":
        assert agent.answer(f"(START {match} first ({NIM}) 5 1)") == "ready"
    assert agent.answer(f"(START c first ({NIM}) 5 1)") == "busy"
    assert "busy" in agent.answer("(INFO)")
    agent.sessions["a"].heard -= 1000
    assert "available" in agent.answer("(INFO)")
    assert agent.answer("(PLAY a NIL)") == "busy"


# Manager and players together


def test_a_match_is_not_lost_behind_a_torn_line(nim, tmp_path):
    """A record that was broken off ends without a line end; the next match must not become a part of that line."""
    record = tmp_path / "matches.jsonl"
    play_matches(manager(nim), ["random", "random"], 1, record=record)
    with record.open("a") as out:
        out.write('{"match": "torn')
    play_matches(manager(nim), ["random", "random"], 1, record=record)
    first, torn, last = record.read_text().splitlines()
    assert torn == '{"match": "torn'
    assert json.loads(first)["moves"] == json.loads(last)["moves"]


def test_matches_may_be_written_to_a_pipe(nim):
    reading, writing = os.pipe()
    play_matches(manager(nim), ["random", "random"], 1, record=Path(f"/dev/fd/{writing}"))
    os.close(writing)
    with open(reading) as lines:
        assert [json.loads(line)["finished"] for line in lines] == [True]


@pytest.mark.parametrize("content", [b"\x00\xff\xfe", b"a letter\n"])
def test_matches_are_not_written_behind_something_else(nim, tmp_path, content):
    record = tmp_path / "letter"
    record.write_bytes(content)
    with pytest.raises(GdlError, match="letter: holds no matches; name a new file"):
        play_matches(manager(nim), ["random", "random"], 1, record=record)
    assert record.read_bytes() == content


@pytest.mark.slow
@pytest.mark.parametrize("scramble", [False, True])
def test_local_matches_end_with_goals(nim, scramble, tmp_path):
    record = tmp_path / "matches.jsonl"
    lines = []
    found = play_matches(manager(nim, scramble=scramble), ["uct:sims=50", "random"], 4, 1, True, record, lines.append)
    assert found["finished"] == 4
    assert all(player["troubles"] == {} for player in found["players"])
    kept = [json.loads(line) for line in record.read_text().splitlines()]
    assert len(kept) == 4
    machine = nim[1]
    for one in kept:
        assert sorted(one["goals"]) == [0, 100]
        state = machine.initial
        for facts, moves in zip(one["states"], [*one["moves"], None], strict=True):
            assert machine.facts(state) == {parse_term(fact) for fact in facts}
            state = machine.next(state, [parse_term(move) for move in moves]) if moves else state
        assert machine.is_terminal(state)
        assert machine.goals(state) == one["goals"]
    assert {tuple(one["players"]) for one in kept} == {("uct:sims=50", "random"), ("random", "uct:sims=50")}
    assert len(lines) == 6


@pytest.mark.slow
def test_remote_matches(nim):
    with PlayerServer(make_agent("random")) as first, PlayerServer(make_agent("alphabeta:depth=2")) as second:
        found = play_matches(manager(nim), [first.url, second.url], 3)
    assert found["finished"] == 3
    assert [player["troubles"] for player in found["players"]] == [{}, {}]


def test_one_server_sits_in_both_seats(nim):
    with PlayerServer(make_agent("random")) as server:
        found = play_matches(manager(nim), [server.url, server.url], 3)
    assert found["finished"] == 3
    assert [player["troubles"] for player in found["players"]] == [{}, {}]


def test_names_of_matches_do_not_repeat_but_matches_do(nim):
    first, second = (manager(nim).play([Scripted("busy"), Scripted("busy")], number=3, seed=1) for _ in range(2))
    assert first.match != second.match
    assert first.moves == second.moves


def test_a_match_can_be_watched_as_it_is_played(nim):
    """Told at the beginning, after the start, after every move and at the end, when there are goals."""
    told = []

    def watch(record, state):
        told.append((record.match, len(record.moves), state, list(record.goals)))

    play_matches(manager(nim), ["random", "random"], 2, 1, watch=watch)
    machine, names = nim[1], list(dict.fromkeys(name for name, *_ in told))
    assert len(names) == 2
    for name in names:
        own = [rest for match, *rest in told if match == name]
        turns = own[-1][0]
        assert [moves for moves, _, _ in own] == [0, *range(turns + 1), turns]
        assert [machine.is_terminal(state) for _, state, _ in own] == [False] * (turns + 1) + [True, True]
        assert [sorted(goals) for _, _, goals in own] == [[]] * (turns + 2) + [[0, 100]]


@pytest.mark.slow
def test_games_with_percepts_are_played():
    description = parse_game(COIN, "coin")
    machine = make_machine(description)
    found = play_matches(Manager(description, machine, Clocks(5, 2), scramble=True), ["random"], 30)
    assert found["finished"] == 30
    assert found["players"][0]["troubles"] == {}
    assert 10 < found["players"][0]["mean"] < 90


@pytest.mark.parametrize("percepts", [True, False])
def test_seeds_and_matches_have_dice_of_their_own_under_chance(percepts, tmp_path):
    """Where all players play at random, which they do under chance and percepts, they do it by their seed."""
    text = COIN if percepts else COIN.replace("(<= (sees guesser landed) (does random (toss ?s)))", "")
    description = parse_game(text, "coin")
    referee = Manager(description, make_machine(description), Clocks(5, 2))

    def guesses(seed, name):
        record = tmp_path / name
        play_matches(referee, ["random"], 12, seed, record=record)
        return [json.loads(line)["moves"][1][1] for line in record.read_text().splitlines()]

    first, again, other = guesses(1, "first"), guesses(1, "again"), guesses(2, "other")
    assert set(first) == set(other) == {"(say heads)", "(say tails)"}
    assert first == again != other


def test_a_match_without_a_goal_is_not_a_lost_one():
    rules = "(role a) (role b) (<= (legal ?r go) (role ?r)) (<= terminal (true (over))) (<= (next (over)) (role a)) "
    description = parse_game(rules + "(goal a 70)", "odd")
    said = []
    found = play_matches(
        Manager(description, make_machine(description), Clocks(5, 2)), ["random", "random"], 3, 1, tell=said.append
    )
    first, second = found["players"]
    assert (first["mean"], first["half_width"], first["without_goal"]) == (70, 0, 0)
    assert (second["mean"], second["half_width"], second["without_goal"]) == (None, None, 3)
    assert said[-1].endswith(" mean goal none  (3 without a goal)  [3 rules]")


def test_a_match_that_is_broken_off_counts_in_no_mean(monkeypatch):
    """A game may give goals in every state; they count at its end only."""
    monkeypatch.setattr(manager_module, "MAX_TURNS", 3)
    rules = "(role a) (init on) (legal a go) (<= (next on) (true on)) (<= terminal (true over)) (goal a 37)"
    description = parse_game(rules, "endless")
    said = []
    found = play_matches(Manager(description, make_machine(description), Clocks(5, 2)), ["random"], 2, tell=said.append)
    (player,) = found["players"]
    assert (found["finished"], player["mean"], player["without_goal"], player["troubles"]) == (0, None, 2, {})
    assert said[0] == "match 1: a=?  3 turns  (broken off)"


def test_intervals_over_few_matches_are_wide():
    goals = matches._means([0, 100, None, 50, 50])
    assert (goals["mean"], goals["without_goal"]) == (50, 1)
    assert goals["half_width"] == pytest.approx(3.182 * np.std([0, 100, 50, 50], ddof=1) / 2, rel=1e-3)
    assert matches._means([80])["half_width"] is None


@pytest.mark.slow
def test_a_learner_learns_between_matches(nim, tmp_path):
    learn_features(TurnGame(load_game("tictactoe")), (Opponent.RANDOM,), 30, 2).save(tmp_path / "m.json")
    with pytest.raises(GdlError, match="No such file"):
        make_game_player("td:nowhere.json")
    player = make_game_player(f"td:{tmp_path / 'm.json'}")
    assert isinstance(player, TdPlayer)
    machine = nim[1]
    player.begin(machine, 1, 1)
    states = [machine.initial]
    for move in (("leave", "d", "0"), ("leave", "c", "0"), ("leave", "b", "0"), ("leave", "a", "0")):
        player.choose(states[-1], 1)
        joint = (move, "wait") if ("turn", "first") in machine.facts(states[-1]) else ("wait", move)
        states.append(machine.next(states[-1], joint))
    player.finish(states[-1])
    game = player.knowledge.game_of(machine)
    own_afterstates = (states[4], states[2])
    numbers = [int(find_position(game.board, machine.words(one))) for one in own_afterstates]
    assert game.memory.values[numbers, 1].tolist() == [-1, 50], "it learns in the startclock of the next match"
    player.successor(1).begin(machine, 1, 1)
    assert game.memory.values[numbers, 1].tolist() == [100, pytest.approx(50 + 0.3 * 50)]
    found = play_matches(manager(nim), ["random", "td"], 100, 1)["players"][1]
    assert found["troubles"] == {}
    assert found["mean"] - found["half_width"] > 55, "a player that does not learn is level with random"


@pytest.mark.slow
def test_knowledge_is_carried_from_game_to_game_over_the_wire(tmp_path):
    """Every game is a target and then a source; opponents get names and are known again."""
    first, second, third = (tmp_path / f"{name}.json" for name in ("first", "second", "third"))
    games = {name: (read_game(name), load_game(name)) for name in ("tictactoe", "connect3")}
    agent = make_agent(f"td:save={first}")
    with PlayerServer(agent) as server:
        play_matches(manager(games["tictactoe"]), [server.url, "random"], 60, 1)
    agent.close()
    learned = FeatureModel.load(first)
    assert len(learned.games) == 1
    assert list(learned.features) == ["opponent-1"]
    assert len(learned.features["opponent-1"]) >= 8
    agent = make_agent(f"td:{first},save={second}")
    with PlayerServer(agent) as server:
        play_matches(manager(games["connect3"]), [server.url, "random"], 20, 1)
    agent.close()
    carried = FeatureModel.load(second)
    assert len(carried.games) == 2
    assert carried.games[0] == learned.games[0]
    assert list(carried.features) == ["opponent-1"], "the opponent was recognised"
    before, after = (model.features["opponent-1"] for model in (learned, carried))
    assert all(after[shape][1] >= visits for shape, (_, visits) in before.items())
    assert sum(visits for _, visits in after.values()) > sum(visits for _, visits in before.values())
    with pytest.raises(GdlError, match="one model to begin with"):
        make_game_player(f"td:{first},{second},save={third}")


@pytest.mark.slow
def test_habits_of_a_recognised_opponent_are_kept_where_nothing_was_seen(tmp_path):
    FeatureModel(
        ["nim"], 1, 1, 0, features={"weak": {"{N{N}}": [40.0, 3.0]}}, profiles={"weak": [0.15, None, 2.0, 1.1]}
    ).save(tmp_path / "m.json")
    knowledge = Knowledge(tmp_path / "m.json")
    assert knowledge.opponent_name() == "weak"
    assert knowledge.carried().profiles["weak"] == [0.15, None, 2.0, 1.1]
    knowledge.counts[:2] = [[0, 9, 0, 0], [0, 9, 0, 9]]
    assert knowledge.carried().profiles["weak"] == [0.15, 1.0, 2.0, pytest.approx(0.5 / 9.5, abs=1e-4)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["network", "prover"])
def test_what_was_learned_stays_with_the_rules(kind):
    """Both tictactoes have the same roles, facts and moves; only the rules tell them apart, in whatever order."""
    texts = [str(read_game(name)) for name in ("tictactoe", "tictactoe-scored")]
    texts.append("\n".join([*texts[0].splitlines()[2:], *texts[0].splitlines()[:2]]).upper())
    machines = [make_machine(parse_game(text, UNNAMED), kind).fork() for text in texts]
    knowledge = Knowledge()
    values = [knowledge.values_of(machine) for machine in machines]
    assert values[0] is values[2] is not values[1]
    games = [knowledge.game_of(machine) for machine in machines]
    if kind == "network":
        assert games[0] is games[2] is not games[1]
        assert len(knowledge.carried().games) == 2
    else:
        assert games == [None] * 3


@pytest.mark.slow
def test_old_games_are_folded_into_features(nim, monkeypatch, tmp_path):
    """Every scrambled match is a new game; what is saved does not depend on how many of them are kept."""
    saved = []
    for kept in (2, 100):
        monkeypatch.setattr(td_module, "KEPT_GAMES", kept)
        path = tmp_path / f"{kept}.json"
        agent = make_agent(f"td:save={path}")
        seats = [LocalSeat(agent, "td"), LocalSeat(make_agent("random", 5), "random")]
        for match in range(6):
            assert manager(nim, scramble=True).play(seats, match).finished
        knowledge = agent.make_player(0).knowledge
        agent.close()
        assert len(knowledge.games) == min(kept, 6)
        saved.append(FeatureModel.load(path))
    few, many = saved
    assert few.games == many.games
    assert len(few.games) == 6
    (found,), (expected,) = few.features.values(), many.features.values()
    assert found.keys() == expected.keys()
    assert found
    for shape, row in expected.items():
        assert found[shape] == pytest.approx(row), shape


@pytest.mark.slow
def test_a_game_that_is_being_played_is_kept(monkeypatch):
    monkeypatch.setattr(td_module, "KEPT_GAMES", 1)
    knowledge = Knowledge()
    player = TdPlayer(knowledge=knowledge)
    player.begin(load_game("nim"), 0, 1)
    for name in ("tictactoe", "tictactoe-scored"):
        knowledge.game_of(load_game(name))
    assert player.walk.game in knowledge.games.values()
    assert len(knowledge.games) == 2


def test_wrong_numbers_of_players_and_wrong_names(nim):
    with pytest.raises(GdlError, match="nim needs 2 players, not 1"):
        play_matches(manager(nim), ["random"], 1)
    with pytest.raises(GdlError, match="no player of games is called 'clever'"):
        make_seat("clever", 0)
    with pytest.raises(GdlError, match="no option of uct"):
        make_game_player("uct:depth=3")
    for address in ("http://nowhere", "http://h:99999", "http://h:0"):
        with pytest.raises(GdlError, match="not the address of a player"):
            RemoteSeat(address)


@pytest.mark.parametrize("host", ["a" * 70, "a..b"])
def test_impossible_host_names_are_failed_connections(host):
    with pytest.raises(SeatFailure, match="not the name of a host") as caught:
        RemoteSeat(f"http://{host}:9147").ask("(INFO)", 1)
    assert caught.value.kind == CONNECTION


class Scripted(Seat):
    """A seat that fails in a given way at every turn."""

    name = "scripted"

    def __init__(self, answer):
        self.answer = answer

    def ask(self, text, seconds):
        if not text.startswith("(PLAY"):
            return "ready"
        if isinstance(self.answer, SeatFailure):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("", GARBAGE),
        ("(((", GARBAGE),
        ("(leave a 0) (leave a 0)", GARBAGE),
        ("()", GARBAGE),
        ("busy", ILLEGAL),
        ("(leave a 9)", ILLEGAL),
        ("?x", ILLEGAL),
        ("(" + "x " * 20000 + ")", ILLEGAL),
        (SeatFailure(TIMEOUT, "late"), TIMEOUT),
        (SeatFailure(CONNECTION, "gone"), CONNECTION),
    ],
)
def test_failing_players_get_random_moves(nim, answer, kind):
    result = manager(nim).play([LocalSeat(make_agent("random"), "random"), Scripted(answer)])
    assert result.finished
    assert sorted(result.goals) == [0, 100]
    assert result.troubles_of(1)[kind] == len(result.moves)
    assert result.troubles_of(0) == {}
    json.dumps(result.to_dict())


def test_a_player_here_that_never_answers_holds_up_nobody(nim):
    """One hangs before the match, one in its turns; both lose their turns as if they sat elsewhere."""
    awake = threading.Event()

    class Sleeper(RandomPlayer):
        def begin(self, machine, player, seconds):
            super().begin(machine, player, seconds)
            if player == 0:
                awake.wait()

        def choose(self, state, seconds):
            awake.wait()
            return super().choose(state, seconds)

    seats = [LocalSeat(Agent(Sleeper), "sleeper") for _ in range(2)]
    try:
        result = manager(nim, Clocks(0.2, 0.1)).play(seats)
    finally:
        awake.set()
    assert result.finished
    assert sorted(result.goals) == [0, 100]
    assert next(trouble.kind for trouble in result.troubles if trouble.turn == 0) == TIMEOUT
    assert result.troubles_of(1)[TIMEOUT] >= 1


def test_a_scrambled_game_is_the_same_game():
    description = read_game("tictactoe")
    scrambler = Scrambler(description, 3)
    for word in ("mark", "turn", "opponent", " x)"):
        assert word not in scrambler.rules
    for word in ("(role ", "(legal ", " 1)", "terminal"):
        assert word in scrambler.rules
    plain, other = load_game("tictactoe"), make_machine(parse_game(scrambler.rules))
    dice, state, twin = random.Random(1), plain.initial, other.initial
    while not plain.is_terminal(state):
        assert {scrambler.unscramble(fact) for fact in other.facts(twin)} == plain.facts(state)
        joint = [dice.choice(moves) for moves in plain.legal_moves(state)]
        state = plain.next(state, joint)
        twin = other.next(twin, [scrambler.scramble(move) for move in joint])
    assert other.goals(twin) == plain.goals(state)
    with pytest.raises(GdlError, match="not a word of this match"):
        scrambler.unscramble(("mark", "1"))


def test_a_rule_that_breaks_in_mid_match_is_noted():
    description = parse_game(
        "(role p) (init a) (<= (legal p go) (true a)) (<= terminal (true z)) (goal p 30)", "broken"
    )
    result = Manager(description, make_machine(description), Clocks(2, 1)).play([LocalSeat(make_agent("random"), "r")])
    assert not result.finished
    assert result.goals == [None]
    assert "no legal move" in result.troubles[0].message


# Fuzz

PIECES = [
    "(INFO)", "(START", "(PLAY", "(STOP", "(ABORT", "m", "first", f"({NIM})", "10", "1", "NIL", "(wait (leave a 0))",
    ")", "(", "?x", "\x00", "é", "(((", "<=",  "-5", "1e9", "nan", ";", "\r\n", "(leave d 3)", "WAIT", "busy",
]  # fmt: skip


def fuzzed(dice):
    """A message that is nearly right, cut short, mangled, or nonsense."""
    whole = dice.choice(
        [
            "(INFO)",
            f"(START m first ({NIM}) 5 1)",
            "(PLAY m NIL)",
            "(PLAY m ((leave a 0) wait))",
            "(STOP m (wait wait))",
        ]
    )
    kind = dice.randrange(5)
    if kind == 0:
        return whole[: dice.randrange(len(whole))]
    if kind == 1:
        place = dice.randrange(len(whole))
        return whole[:place] + chr(dice.randrange(1, 300)) + whole[place + 1 :]
    if kind == 2:
        return " ".join(dice.choices(PIECES, k=dice.randrange(12)))
    return whole.upper() if kind == 3 else whole


def post(url, body, length=None):
    """Send raw bytes to a player and return what it says."""
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=600) as connection:
        head = f"POST / HTTP/1.0\r\nContent-Length: {len(body) if length is None else length}\r\n\r\n"
        connection.sendall(head.encode() + body)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer


@pytest.mark.slow
def test_the_player_survives_a_thousand_fuzzed_messages():
    dice, statuses = random.Random(5), set()
    with PlayerServer(make_agent("random")) as server:
        for number in range(1000):
            body = fuzzed(dice).encode("utf-8", "replace")
            if number % 50 == 49:
                body = dice.randbytes(300)
            answer = post(server.url, body, length=len(body) + (number % 97 == 0))
            assert answer.startswith(b"HTTP/1.0 "), answer
            statuses.add(answer.split()[1])
        for length in ("x", "99999999999", "9" * 5000):
            assert b" 41" in post(server.url, b"", length)
        assert b"(name random)" in post(server.url, b"(INFO)")
    assert statuses == {b"200", b"400"}


@pytest.mark.parametrize("part", ["head", "body"])
def test_clients_that_send_slowly_are_cut_off(part, monkeypatch):
    monkeypatch.setattr(server_module, "READ_SECONDS", 0.3)
    start = b"POST / HTTP/1.0\r\nX: " if part == "head" else b"POST / HTTP/1.0\r\nContent-Length: 9999\r\n\r\n"
    with PlayerServer(make_agent("random")) as server:
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=0.05) as connection:
            connection.sendall(start)
            for _ in range(10_000):
                try:
                    connection.sendall(b"x")
                    assert connection.recv(100) == b""
                    break
                except TimeoutError:
                    continue
                except OSError:
                    break
            else:
                pytest.fail("10,000 single bytes were listened to")
        monkeypatch.undo()
        assert b"(name random)" in post(server.url, b"(INFO)")


class Rogue(socketserver.ThreadingTCPServer):
    """A player that answers every message differently, and nearly always wrongly."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, seed):
        self.dice, self.count = random.Random(seed), 0
        super().__init__(("127.0.0.1", 0), RogueHandler)


class RogueHandler(socketserver.BaseRequestHandler):
    def handle(self):
        self.server.count += 1
        kind, dice = self.server.dice.randrange(9), self.server.dice
        ok = b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n"
        try:
            if kind == 0:
                return
            self.request.recv(65536)
            if kind == 1:
                self.request.sendall(dice.randbytes(200))
            elif kind == 2:
                self.request.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * (200 << 10))
            elif kind == 3:
                self.request.sendall(ok % 100 + b"(leave")
            elif kind == 4:
                self.request.sendall(b"HTTP/1.0 500 Oops\r\n\r\nno")
            elif kind == 5:
                time.sleep(0.2)
            elif kind == 6:
                self.request.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nwait")
            else:
                text = fuzzed(dice).encode("utf-8", "replace")
                self.request.sendall(ok % len(text) + text)
        except OSError:
            return


@pytest.mark.slow
def test_the_manager_survives_a_thousand_fuzzed_answers(nim):
    matches = 0
    with Rogue(7) as rogue:
        thread = threading.Thread(target=rogue.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        port = rogue.server_address[1]
        seats = [LocalSeat(make_agent("random"), "random"), RemoteSeat(f"http://127.0.0.1:{port}")]
        referee = manager(nim, Clocks(0.05, 0.02))
        while rogue.count < 1000:
            result = referee.play(seats, matches)
            assert result.finished
            assert sorted(result.goals) == [0, 100]
            matches += 1
        rogue.shutdown()
        thread.join()


# Soak


class FlakyAgent(Agent):
    """An agent that now and then crashes, sleeps through its clock, or answers nonsense."""

    def __init__(self, seed):
        super().__init__(lambda _: RandomPlayer(seed))
        self.faults = random.Random(seed)

    def answer(self, text):
        fault = self.faults.random()
        if fault < 0.02:
            raise RuntimeError("an injected failure")
        if fault < 0.03:
            time.sleep(0.4)
        if fault < 0.06:
            return self.faults.choice(["", "(((", "busy", "(leave a 7)", "x" * 100_000])
        return super().answer(text)


def open_files():
    return len(list(Path("/proc/self/fd").iterdir())) if os.path.isdir("/proc/self/fd") else 0


@pytest.mark.slow
def test_soak(nim):
    number = 500 if SCALE >= 10 else 50
    play_matches(manager(nim), ["random", "random"], 1)
    gc.collect()
    threads, files = threading.active_count(), open_files()
    with PlayerServer(FlakyAgent(1)) as first, PlayerServer(FlakyAgent(2)) as second:
        seats = [RemoteSeat(first.url), RemoteSeat(second.url)]
        referee = manager(nim, Clocks(0.3, 0.2))
        results = [referee.play(seats, match, 1) for match in range(number)]
    assert all(result.finished and sorted(result.goals) == [0, 100] for result in results)
    assert sum(len(result.troubles) for result in results) > number / 20
    gc.collect()
    deadline = time.monotonic() + 600
    while (threading.active_count() > threads or open_files() > files) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threading.active_count() <= threads
    assert open_files() <= files
