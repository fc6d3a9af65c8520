"""The learners against a plain twin that draws the same numbers; the features of the paper; models as files."""

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from ggp_rulesheets import SCALE
from hypothesis import given
from hypothesis import strategies as st

from heartlab.ggp.learners import FeatureModel, TurnGame, learn, learn_features, learn_runs, make_settings
from heartlab.ggp.learners import _generators as generators
from heartlab.ggp.learning import LEARNERS, OPPONENTS, READINGS, RECORDINGS, Settings, make_table, update
from heartlab.ggp.load import load_game, make_machine
from heartlab.ggp.lookahead import describe_shape, look_ahead, parse_shape
from heartlab.ggp.parse import parse_game
from heartlab.ggp.shapes import features_svg, features_text
from heartlab.ggp.simulate import draw_below, draw_share
from heartlab.ggp.terms import GdlError

TWELVE = {
    "{N{W,N}, N{N}}": (412, 50),
    "{N{W,N}}": (264, 100),
    "{L, N{W}}": (240, 0),
    "{L, N{W,N}, N{N}}": (204, 0),
    "{L, N{W,N}}": (176, 0),
    "{N{D}, N{W}}": (168, 50),
    "{L, N{D}}": (88, 0),
    "{L}": (88, 0),
    "{N{W}}": (80, 100),
    "{L, N{N}}": (64, 0),
    "{N{W,N}, N{W}}": (48, 100),
    "{N{D}}": (32, 50),
}
"""The features of tic-tac-toe for the first player: afterstates with each, and their value by minimax (spec, 3)."""


class Twin:
    """The learner once more, over terms and dictionaries, by the text of the paper."""

    def __init__(self, machine, idle, settings, features, seed):
        self.machine, self.idle, self.settings, self.features = machine, idle, settings, features
        self.mine, self.theirs = generators(seed, 0)
        self.q, self.visits, self.expanded = {}, {}, {}

    def expand(self, state):
        """Who moves, and for each move in order: the state behind it and the goals there, if it is over."""
        if state not in self.expanded:
            machine = self.machine
            legal = machine.legal_moves(state)
            turn = next(p for p in (0, 1) if not all(self.idle[machine.move_number(p, m)] for m in legal[p]))
            found = []
            for move in legal[turn]:
                joint = (move, legal[1][0]) if turn == 0 else (legal[0][0], move)
                after = machine.next(state, joint)
                found.append((after, machine.goals(after) if machine.is_terminal(after) else None))
            self.expanded[state] = turn, found
        return self.expanded[state]

    def classify(self, goals):
        return "N" if goals is None else {100: "W", 50: "D", 0: "L"}[goals[self.settings.role]]

    def look_ahead(self, state):
        """The shape as a set, and the values by minimax, avgmax and maxmax."""
        shape, values = set(), []
        for after, goals in self.expand(state)[1]:
            if goals is not None:
                shape.add(self.classify(goals))
                values.append(goals[self.settings.role])
            else:
                replies = self.expand(after)[1]
                shape.add(frozenset(self.classify(goals) for _, goals in replies))
                values.append(max(50 if goals is None else goals[self.settings.role] for _, goals in replies))
        return shape, (min(values), sum(values) / len(values), max(values))

    def initial(self, state):
        shape, values = self.look_ahead(state)
        learner = LEARNERS[self.settings.learner]
        if learner == "transfer":
            return self.features.get(frozenset(shape), 50.0)
        return {"look-ahead": values[0], "avgmax": values[1], "maxmax": values[2]}.get(learner, 50.0)

    def candidate(self, state, goals):
        learner, reading = LEARNERS[self.settings.learner], READINGS[self.settings.reading]
        if state in self.q:
            return self.q[state]
        if reading == "literal" or learner == "baseline":
            return 50.0
        if goals is not None:
            return goals[self.settings.role]
        if reading == "look-up" and learner != "terminal-only":
            self.q[state] = self.initial(state)
            return self.q[state]
        return 50.0

    def choose_own(self, children):
        if draw_share(self.mine) < self.settings.epsilon:
            return draw_below(self.mine, len(children))
        worth = [self.candidate(*child) for child in children]
        best = [number for number, value in enumerate(worth) if value == max(worth)]
        return best[draw_below(self.mine, len(best)) if len(best) > 1 else 0]

    def choose_theirs(self, children):
        name = OPPONENTS[self.settings.opponent]
        if name == "random" or draw_share(self.theirs) < self.settings.opponent_epsilon:
            return draw_below(self.theirs, len(children))
        goals = [None if goals is None else goals[1 - self.settings.role] for _, goals in children]
        liked, shunned = (0, 100) if name == "weak" else (100, 0)
        chosen = [n for n, goal in enumerate(goals) if goal == liked]
        chosen = chosen or [n for n, goal in enumerate(goals) if goal != shunned] or list(range(len(children)))
        if name == "blocking" and goals[chosen[0]] != liked:
            safe = [n for n in chosen if goals[n] is not None or not self.loses(children[n][0])]
            chosen = safe or chosen
        return chosen[draw_below(self.theirs, len(chosen))]

    def loses(self, state):
        return any(self.classify(goals) == "W" for _, goals in self.expand(state)[1])

    def match(self):
        settings, state, sequence, goals = self.settings, self.machine.initial, [], None
        while goals is None:
            turn, children = self.expand(state)
            own = turn == settings.role
            state, goals = children[self.choose_own(children) if own else self.choose_theirs(children)]
            recording = RECORDINGS[settings.recording]
            if own or recording == "all" or (recording == "own-and-last" and goals is not None):
                sequence.append(state)
                if state not in self.q:
                    known = goals is not None and LEARNERS[settings.learner] != "baseline"
                    value = float(goals[settings.role]) if known else 50.0
                    self.q[state] = self.initial(state) if own and goals is None else value
        reward = goals[settings.role]
        old = [self.q[one] for one in sequence]
        following = [*old[1:], reward]
        for p in range(len(sequence)):
            change = sum(settings.trace ** (t - p) * (following[t] - old[t]) for t in range(p, len(sequence)))
            self.q[sequence[p]] = old[p] + settings.alpha * change
        return reward


@pytest.fixture(scope="module")
def games():
    return {name: TurnGame(load_game(name)) for name in ("tictactoe", "connect3", "capturego", "othello4")}


@pytest.fixture(scope="module")
def model(games):
    return learn_features(games["tictactoe"], runs=4, seed=3)


def as_sets(model, opponent):
    """A model's values by shape, in the twin's form."""
    found = {}
    for shape, (value, _) in model.features[opponent].items():
        decided, *rest = shape.strip("{}").split("N{")
        sets = [frozenset(piece.split("}")[0].split(",")) for piece in rest]
        found[frozenset([name for name in "WLD" if name in decided.split(", ")] + sets)] = float(np.float32(value))
    return found


CASES = [
    ("tictactoe", "baseline", "literal", "eps-greedy", "all", 0),
    ("tictactoe", "transfer", "look-up", "weak", "all", 0),
    ("tictactoe", "look-ahead", "terminal-check", "blocking", "own", 1),
    ("connect3", "transfer", "terminal-check", "eps-greedy", "all", 0),
    ("connect3", "avgmax", "look-up", "random", "own-and-last", 0),
    ("capturego", "maxmax", "look-up", "eps-greedy", "all", 1),
    ("capturego", "terminal-only", "terminal-check", "weak", "all", 0),
    ("othello4", "look-ahead", "literal", "eps-greedy", "all", 0),
    ("othello4", "transfer", "look-up", "blocking", "own-and-last", 0),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_learner_and_twin_play_the_same_matches(case, games, model):
    name, learner, reading, opponent, recording, role = case
    settings = make_settings(learner=learner, reading=reading, opponent=opponent, recording=recording, role=role)
    settings = settings._replace(epsilon=0.05)
    known = opponent if opponent in model.features else "eps-greedy"
    used = FeatureModel(**{**vars(model), "features": {opponent: model.features[known]}})
    game = games[name]
    twin = Twin(game.machine, game.idle, settings, as_sets(model, known), seed=9)
    matches = int(60 * SCALE)
    expected = [twin.match() for _ in range(matches)]
    rewards, table = learn(game, settings, matches, seed=9, model=used)
    assert rewards.tolist() == expected
    assert np.sort(table.values[table.keys != 0]) == pytest.approx(sorted(twin.q.values()))


def test_the_twelve_features_of_tictactoe(games):
    game = games["tictactoe"]
    machine, net = game.machine, game.net
    words = len(net.initial)
    level = lambda: (np.zeros(10, np.int64), np.zeros((10, words), np.uint64), np.zeros((10, 2), np.int64))  # noqa: E731
    levels, sums, values = (level(), level()), np.zeros(3), np.zeros(machine.network.literals, np.uint64)
    values[1::2] = np.uint64(2**64 - 1)
    counts, minimax, waiting, seen = {}, {}, [machine.initial], set()
    while waiting:
        state = waiting.pop()
        if state in seen or machine.is_terminal(state):
            continue
        seen.add(state)
        legal = machine.legal_moves(state)
        waiting += [machine.next(state, (a, b)) for a in legal[0] for b in legal[1]]
        if ("turn", "o") in machine.facts(state):
            shape = look_ahead(net, values, game.idle, machine.words(state), 0, levels, sums)
            if shape >= 0:
                name = describe_shape(int(shape))
                counts[name] = counts.get(name, 0) + 1
                minimax.setdefault(name, set()).add(sums[0])
    assert {name: (count, *minimax[name]) for name, count in counts.items()} == TWELVE
    assert sum(counts.values()) == 1864


@given(st.integers(1, (1 << 19) - 1))
def test_shapes_round_trip(shape):
    assert parse_shape(describe_shape(shape)) == shape


@pytest.mark.parametrize("text", ["{X}", "N", "{L, N{Q}}"])
def test_what_is_no_shape(text):
    with pytest.raises(ValueError, match="is no shape"):
        parse_shape(text)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8), st.sampled_from([0.0, 50.0, 100.0]))
def test_update_is_the_formula_of_the_paper(values, reward):
    table, settings = make_table(4), Settings()
    table.values[: len(values)] = values
    update(np.arange(len(values)), len(values), reward, settings, table)
    following = [*values[1:], reward]
    for p in range(len(values)):
        change = sum(0.7 ** (t - p) * (following[t] - values[t]) for t in range(p, len(values)))
        assert math.isclose(table.values[p], values[p] + 0.3 * change, abs_tol=1e-9)


def test_single_visits_have_the_values_of_the_spec():
    table = make_table(4)
    table.values[:3] = 50
    update(np.array([0, 1]), 2, 0.0, Settings(), table)
    assert table.values[0] == pytest.approx(39.5)
    table.values[:3] = 50
    update(np.array([0, 1, 2]), 3, 100.0, Settings(), table)
    assert table.values[0] == pytest.approx(57.35)


def test_transfer_by_look_up_beats_the_baseline(games, model):
    found = {}
    for learner, reading in (("baseline", "literal"), ("transfer", "look-up")):
        settings = make_settings(learner=learner, reading=reading, opponent="eps-greedy")
        found[learner] = learn_runs(games["connect3"], settings, 300, 6, 1, model)
    assert found["transfer"]["mean"] > found["baseline"]["mean"] + 15
    assert [(one["first"], one["last"]) for one in found["transfer"]["windows"]] == [(1, 100), (101, 300)]


# Models


def test_models_are_saved_shown_and_drawn(model, tmp_path):
    path = tmp_path / "model.json"
    model.save(path)
    assert FeatureModel.load(path) == model
    assert set(model.features) == {"eps-greedy", "random", "weak"}
    assert set(TWELVE) >= set(model.features["random"])
    assert model.features["random"]["{N{D}}"][0] == pytest.approx(50)
    text = features_text(model)
    assert "{L, N{W}}" in text
    assert "our reply: won" in text
    picture = features_svg(model)
    assert picture.count("<circle") > 3 * len(model.features["random"])
    import xml.etree.ElementTree as ElementTree

    ElementTree.fromstring(picture)


@pytest.mark.parametrize("text", ["", "[]", "{}", "\xff", '{"format": "heartlab-ggp-features/1"}', "{"])
def test_damaged_models_get_a_sentence(text, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(GdlError, match=r"model.json: "):
        FeatureModel.load(path)


def test_values_out_of_range_and_unknown_shapes(model, tmp_path):
    path = tmp_path / "model.json"
    for features in ({"weak": {"{L}": [700, 1]}}, {"weak": {"{Z}": [50, 1]}}, {"weak": {"{L}": "x"}}):
        path.write_text(json.dumps({**vars(model), "features": features, "format": "heartlab-ggp-features/1"}))
        with pytest.raises(GdlError, match=r"model.json: "):
            FeatureModel.load(path)


def test_what_cannot_be_learned_gets_a_sentence(games, model):
    with pytest.raises(GdlError, match="needs a model"):
        learn(games["tictactoe"], make_settings(learner="transfer"), 1)
    with pytest.raises(GdlError, match="not the opponent blocking"):
        learn(games["tictactoe"], make_settings(learner="transfer", opponent="blocking"), 1, model=model)
    with pytest.raises(GdlError, match="no learner is called 'genius'"):
        make_settings(learner="genius")
    with pytest.raises(GdlError, match="learning needs the network"):
        TurnGame(load_game("nim", "prover"))
    alone = "(role p) (init a) (legal p go) (<= terminal (true b)) (<= (next b) (does p go)) (goal p 1)"
    with pytest.raises(GdlError, match="a game for two, not 1"):
        TurnGame(make_machine(parse_game(alone)))
    both = (
        "(role p) (role q) (legal p 1) (legal p 2) (legal q 1) (legal q 2) (next b) (<= terminal (true b)) (goal p 1)"
    )
    with pytest.raises(GdlError, match="players take turns"):
        TurnGame(make_machine(parse_game(both + "(goal q 1)")))


def results():
    """Rewards of short runs, to be compared across processes."""
    game = TurnGame(load_game("tictactoe"))
    settings = make_settings(learner="look-ahead", reading="look-up", opponent="blocking", collect=1)
    return learn(game, settings, 6, seed=4)[0].tolist()


def test_compiled_and_plain_learners_agree():
    done = subprocess.run(
        [sys.executable, "-W", "ignore::RuntimeWarning", __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.path.dirname(__file__)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout) == results()


if __name__ == "__main__":
    print(json.dumps(results()))
