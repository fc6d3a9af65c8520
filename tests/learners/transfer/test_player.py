"""The learner as a player of matches: its readings, and which positions it learns."""

import numpy as np
import pytest

from heartlab.ggp import load_game
from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.players.registry import make_game_player
from heartlab.learners.transfer import FeatureModel, Opponent, Reading
from heartlab.learners.transfer.player import Knowledge, TdPlayer, make_td
from heartlab.learners.transfer.wire import PaperOpponent, wire_matches

pytestmark = pytest.mark.slow  # the kernels of learning take long to compile


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.json"
    FeatureModel(["tictactoe"], 1, 1, 0, features={"random": {"{N{N}}": [90.0, 5]}}).save(path)
    return path


def play_alone(player, machine):
    """A match of the player against first moves, in process."""
    player.begin(machine, 0, 1)
    state = machine.initial
    while not machine.is_terminal(state):
        own = player.choose(state, 1)
        state = machine.next(state, [own, machine.legal(state, 1)[0]])
    player.finish(state)
    player.close()


def test_the_reading_is_part_of_the_name(model):
    assert make_td("", 1).knowledge.settings.reading is Reading.LOOK_UP
    assert make_td(f"{model},reading=terminal-check", 1).knowledge.settings.reading is Reading.TERMINAL_CHECK
    assert make_td("reading=literal", 1).knowledge.settings.reading is Reading.LITERAL
    with pytest.raises(GdlError, match="by-heart"):
        make_td("reading=by-heart", 1)
    with pytest.raises(GdlError, match=r"not 'other\.json' as well"):
        make_td(f"{model},other.json", 1)


def test_by_the_table_alone_no_features_are_looked_up(model, monkeypatch):
    asked = []
    monkeypatch.setattr("heartlab.learners.transfer.player.look_up", lambda *rest: asked.append(1))
    play_alone(make_td(f"{model},reading=terminal-check", 1), load_game("tictactoe"))
    assert asked == []
    play_alone(make_td(f"{model}", 1), load_game("tictactoe"))
    assert asked


def test_only_own_afterstates_are_learned():
    player = TdPlayer(seed=1)
    play_alone(player, load_game("tictactoe"))
    (game,) = player.knowledge.games.values()
    path = player.walk.path
    learned = [place for place, number in enumerate(path) if game.memory.values[number, 0] >= 0.0]
    assert learned == list(range(1, len(path), 2)), "after the first, third, ... move"


def test_opponents_of_the_paper_see_moves_that_end_the_game():
    machine = load_game("nim")
    for kind, wins in ((Opponent.EPS_GREEDY, True), (Opponent.WEAK, False)):
        found = set()
        for seed in range(30):
            player = PaperOpponent(kind, seed)
            player.dice.random = lambda: 1.0  # no slips
            state, mover = machine.initial, 0
            while not machine.is_terminal(state):
                player.begin(machine, mover, 1)
                options = machine.legal_moves(state)
                move = player.choose(state, 1)
                ends = []
                for own in options[mover]:
                    after = machine.next(state, [own if seat == mover else options[seat][0] for seat in range(2)])
                    if machine.is_terminal(after) and machine.goal(after, mover) == 100:
                        ends.append(own)
                if ends and len(options[mover]) > len(ends):
                    found.add(move in ends)
                state = machine.next(state, [move if seat == mover else options[seat][0] for seat in range(2)])
                mover = 1 - mover
        assert found == {wins}


@pytest.mark.slow
def test_matches_over_the_wire_go_without_trouble(model):
    rewards, troubles = wire_matches("tictactoe", Opponent.EPS_GREEDY, Knowledge(model), 3, 1)
    assert len(rewards) == 3
    assert troubles == 0


def test_what_was_learned_is_a_prior_of_the_tree_search(tmp_path):
    """Features that say that moves are won, or lost, move the opinion of a short search."""
    machine = load_game("connect3", "network")
    opinions = []
    for value in (100.0, 0.0):
        path = tmp_path / f"{value}.json"
        shapes = {"{L,N{N}}": [value, 5], "{N{W,N}}": [value, 5], "{N{N}, N{W,N}}": [value, 5]}
        FeatureModel(["tictactoe"], 1, 1, 0, features={"random": shapes}).save(path)
        player = make_game_player(f"uct:sims=200,prior=td:{path},weight=50", 1)
        player.begin(machine, 0, 1)
        state = machine.initial
        for move in (("drop", "1"), "wait"), ("wait", ("drop", "5")):
            state = machine.next(state, list(move))
        player.choose(state, 600.0)
        opinions.append(player.opinion(state, 0))
    good, bad = opinions
    assert good.counts.sum() > 200, "virtual visits"
    assert good.means.mean() > bad.means.mean()


def test_a_guide_values_moves_by_features_and_ends(tmp_path):
    path = tmp_path / "model.json"
    FeatureModel(["tictactoe"], 1, 1, 0, features={"random": {"{L, N{N}}": [10.0, 5]}}).save(path)
    machine = load_game("tictactoe", "network")
    guide = make_td(str(path), 1).make_guide(machine)
    assert np.isnan(guide.values(machine.initial, 0)).all(), "nothing is decided within two plies"
    facts = {("marked", "1", "1", "x"), ("marked", "1", "2", "x"), ("marked", "2", "1", "o"), ("marked", "2", "2", "o")}
    state = machine.state_of(frozenset(facts | {("turn", "x")}))
    values = dict(zip(machine.legal(state, 0), guide.values(state, 0), strict=True))
    assert values["mark", "1", "3"] == 100, "wins"
    assert make_td("", 1).make_guide(load_game("tictactoe", "prover")) is None


@pytest.mark.parametrize("text", ["weight=3", "prior=td,prior=td", "prior=td,weight=x"])
def test_priors_that_make_no_sense_are_refused(text):
    with pytest.raises(GdlError, match="uct"):
        make_game_player(f"uct:{text}")
