"""The learners against a plain twin that draws the same numbers; the features of the paper; models as files."""

import json
import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import run_file
from support.ggp_rulesheets import SCALE

from heartlab.compiled.rng import below_fast, uniform
from heartlab.ggp.gdl.parse import parse_game
from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.machine.load import load_game, make_machine
from heartlab.learners.transfer.discovery import SOURCE, learn_features
from heartlab.learners.transfer.explain import features_svg, features_text
from heartlab.learners.transfer.kernels import make_memory, update
from heartlab.learners.transfer.lookahead import (
    CLASS_NAMES,
    NO_FEATURE,
    describe_shape,
    look_ahead,
    parse_shape,
    shape_text,
    shape_word,
)
from heartlab.learners.transfer.models import FeatureModel, pool
from heartlab.learners.transfer.positions import find_position
from heartlab.learners.transfer.settings import Learner, Opponent, Reading, Recording, Settings
from heartlab.learners.transfer.trainer import TurnGame, generators, learn, learn_runs, parse_outcomes

pytestmark = pytest.mark.slow  # the kernels of learning take long to compile

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


def make_settings(learner="baseline", reading="terminal-check", opponent="eps-greedy", recording="all", **others):
    """Settings from texts and numbers."""
    choices = Learner.parse(learner), Reading.parse(reading), Opponent.parse(opponent), Recording.parse(recording)
    return Settings(*choices, **others)


class Twin:
    """The learner once more, over terms and dictionaries, by the text of the paper."""

    def __init__(self, game, settings, model, seed):
        self.machine, self.idle, self.settings, self.model = game.machine, game.idle, settings, model
        self.mine, self.theirs = generators(seed, 0)
        self.memories, self.visits, self.expanded = ({}, {}), {}, {}
        self.opponent_memories = ({}, {})
        self.role, self.played = settings.role, 0
        self.features, self.habits = {}, {"W": 1, "L": 1, "D": 1, "N": 1}
        if model:
            name = settings.opponent.text
            self.features = {as_sets(parse_shape(k)): float(np.float32(v[0])) for k, v in model.features[name].items()}
            self.habits = {kind: like or 1.0 for kind, like in zip("WLDN", model.profiles[name], strict=True)}

    @property
    def q(self):
        return self.memories[self.role]

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

    def classify(self, goals, role=None):
        return "N" if goals is None else {100: "W", 50: "D", 0: "L"}[goals[self.role if role is None else role]]

    def look_ahead(self, state, depth):
        """The shape as sets, and the values by minimax, avgmax, maxmax and the opponent's habits."""
        turn, children = self.expand(state)
        shape, worths, likings = set(), [], []
        for after, goals in children:
            if goals is None and depth > 1:
                node, worth = self.look_ahead(after, depth - 1)
            else:
                node, value = self.classify(goals), 50 if goals is None else goals[self.role]
                if goals is None and self.settings.recall and after in self.q:
                    value = self.q[after]
                    node = "G" if value > 60 else "B" if value < 40 else "N"
                worth = [value] * 4
            shape.add(node)
            worths.append(worth)
            likings.append(self.habits[self.classify(goals, 1 - self.role)])
        columns = list(zip(*worths, strict=True))
        if turn == self.role:
            return frozenset(shape), [max(column) for column in columns]
        liked, weight = 0.0, 0.0
        for liking, value in zip(likings, columns[3], strict=True):
            weight += liking
            liked += (value - liked) * liking / weight
        return frozenset(shape), [min(columns[0]), sum(columns[1]) / len(worths), max(columns[2]), liked]

    def initial(self, state):
        learner = self.settings.learner.text
        if learner == "transfer":
            return self.features.get(self.look_ahead(state, 2)[0], 50.0)
        values = self.look_ahead(state, self.settings.depth)[1]
        return dict(zip(("look-ahead", "avgmax", "maxmax", "habits"), values, strict=True)).get(learner, 50.0)

    def candidate(self, state, goals):
        learner, reading = self.settings.learner.text, self.settings.reading.text
        looks_up = reading == "look-up" and learner not in ("baseline", "terminal-only")
        again = self.settings.recall and looks_up and goals is None and not self.visits.get((self.role, state))
        if state in self.q and not again:
            return self.q[state]
        if reading == "literal" or learner == "baseline":
            return 50.0
        if goals is not None:
            return goals[self.role]
        if looks_up:
            self.q[state] = self.initial(state)
            return self.q[state]
        return 50.0

    def choose_own(self, children):
        if uniform(self.mine) < self.settings.epsilon:
            return below_fast(self.mine, len(children))
        worth = [self.candidate(*child) for child in children]
        best = [number for number, value in enumerate(worth) if value == max(worth)]
        return best[below_fast(self.mine, len(best)) if len(best) > 1 else 0]

    def choose_theirs(self, children):
        name = self.settings.opponent.text
        if name == "switching":
            name = ("eps-greedy", "weak", "random")[self.played // self.settings.period % 3]
        if name == "random" or uniform(self.theirs) < self.settings.opponent_epsilon:
            return below_fast(self.theirs, len(children))
        goals = [None if goals is None else goals[1 - self.role] for _, goals in children]
        if name == "adaptive":
            table = self.opponent_memories[1 - self.role]
            worth = [table.get(s, 50.0 if g is None else g) for (s, _), g in zip(children, goals, strict=True)]
            chosen = [n for n, value in enumerate(worth) if value == max(worth)]
            return chosen[below_fast(self.theirs, len(chosen)) if len(chosen) > 1 else 0]
        liked, shunned = (0, 100) if name == "weak" else (100, 0)
        chosen = [n for n, goal in enumerate(goals) if goal == liked]
        chosen = chosen or [n for n, goal in enumerate(goals) if goal != shunned] or list(range(len(children)))
        if name == "blocking" and goals[chosen[0]] != liked:
            safe = [n for n in chosen if goals[n] is not None or not self.loses(children[n][0])]
            chosen = safe or chosen
        return chosen[below_fast(self.theirs, len(chosen)) if len(chosen) > 1 else 0]

    def loses(self, state):
        return any(self.classify(goals) == "W" for _, goals in self.expand(state)[1])

    def match(self):
        settings, state, sequence, goals, path = self.settings, self.machine.initial, [], None, []
        self.role = (settings.role + settings.alternate * self.played) % 2
        while goals is None:
            turn, children = self.expand(state)
            own = turn == self.role
            state, goals = children[self.choose_own(children) if own else self.choose_theirs(children)]
            path.append((state, goals))
            recording = settings.recording.text
            if own or recording == "all" or (recording == "own-and-last" and goals is not None):
                sequence.append((state, own, goals))
        for state, own, ends in sequence:
            if state not in self.q:
                known = ends is not None and settings.learner.text != "baseline"
                value = float(ends[self.role]) if known else 50.0
                self.q[state] = self.initial(state) if own and ends is None else value
            self.visits[self.role, state] = 1
        self.learn(self.q, [state for state, *_ in sequence], goals[self.role])
        if settings.opponent.text == "adaptive":
            table = self.opponent_memories[1 - self.role]
            for state, ends in path:
                table.setdefault(state, 50.0 if ends is None else float(ends[1 - self.role]))
            self.learn(table, [state for state, _ in path], goals[1 - self.role])
        self.played += 1
        return goals[self.role]

    def learn(self, table, sequence, reward):
        settings, old = self.settings, [table[one] for one in sequence]
        following = [*old[1:], reward]
        for p in range(len(sequence)):
            change = sum(settings.trace ** (t - p) * (following[t] - old[t]) for t in range(p, len(sequence)))
            table[sequence[p]] = old[p] + settings.alpha * change


def as_sets(tree):
    """A parsed shape in the twin's form."""
    return frozenset(as_sets(below) if below else name for name, below in tree)


@pytest.fixture(scope="module")
def games():
    return {name: TurnGame(load_game(name)) for name in ("tictactoe", "connect3", "capturego", "othello4")}


@pytest.fixture(scope="module")
def model(games):
    return learn_features(games["tictactoe"], runs=4, seed=3)


CASES = [
    ("tictactoe", "baseline", "literal", "eps-greedy", {}),
    ("tictactoe", "transfer", "look-up", "weak", {}),
    ("tictactoe", "look-ahead", "terminal-check", "blocking", {"recording": "own", "role": 1}),
    ("tictactoe", "look-ahead", "look-up", "adaptive", {"alternate": True, "depth": 3}),
    ("tictactoe", "habits", "look-up", "weak", {"recall": True}),
    ("connect3", "transfer", "terminal-check", "eps-greedy", {}),
    ("connect3", "avgmax", "look-up", "random", {"recording": "own-and-last"}),
    ("connect3", "terminal-only", "terminal-check", "switching", {"alternate": True, "period": 10}),
    ("capturego", "maxmax", "look-up", "eps-greedy", {"role": 1}),
    ("capturego", "transfer", "look-up", "random", {"alternate": True}),
    ("capturego", "transfer", "look-up", "weak", {"recall": True}),
    ("othello4", "look-ahead", "literal", "eps-greedy", {}),
    ("othello4", "transfer", "look-up", "blocking", {"recording": "own-and-last"}),
    ("othello4", "habits", "look-up", "eps-greedy", {"depth": 4}),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_learner_and_twin_play_the_same_matches(case, games, model):
    name, learner, reading, opponent, others = case
    settings = make_settings(learner=learner, reading=reading, opponent=opponent, **others)._replace(epsilon=0.05)
    used = None
    if learner in ("transfer", "habits"):
        how = SOURCE._replace(recall=others.get("recall", False))
        source = learn_features(games["tictactoe"], (settings.opponent,), runs=2, seed=3, settings=how)
        used = FeatureModel(**{**kept(source), "features": {opponent: source.features[opponent]}})
    game = games[name]
    twin = Twin(game, settings, used, seed=9)
    matches = int(40 * SCALE)
    expected = [twin.match() for _ in range(matches)]
    rewards, _ = learn(game, settings, matches, seed=9, model=used)
    assert rewards.tolist() == expected
    values = game.memory.values
    assert np.sort(values[values >= 0]) == pytest.approx(
        sorted([*twin.memories[0].values(), *twin.memories[1].values()])
    )


def kept(model):
    """The fields of a model that are saved."""
    return msgspec.structs.asdict(model)


@pytest.mark.slow
def test_the_twelve_features_of_tictactoe(games):
    game = games["tictactoe"]
    machine = game.machine
    counts, minimax, waiting, seen = {}, {}, [machine.initial], set()
    known, habits = np.zeros((1, 2)), np.ones(4)
    while waiting:
        state = waiting.pop()
        if state in seen or machine.is_terminal(state):
            continue
        seen.add(state)
        legal = machine.legal_moves(state)
        waiting += [machine.next(state, (a, b)) for a in legal[0] for b in legal[1]]
        if ("turn", "o") in machine.facts(state):
            number = find_position(game.board, machine.words(state))
            for depth in (3, 2):
                word = look_ahead(game.board, number, 0, depth, False, known, habits, game.stack)
                name = shape_text(game.board.graph, int(number), 0, depth)
                assert word in (NO_FEATURE, shape_word(parse_shape(name)))
                assert (word == NO_FEATURE) == (set(name) <= set("{}N, "))
            if word != NO_FEATURE:
                counts[name] = counts.get(name, 0) + 1
                minimax.setdefault(name, set()).add(game.stack.sums[0, 0])
    assert {name: (count, *minimax[name]) for name, count in counts.items()} == TWELVE
    assert sum(counts.values()) == 1864


TREES = st.recursive(
    st.sampled_from(CLASS_NAMES).map(lambda name: (name, ())),
    lambda nodes: st.lists(nodes, min_size=1, max_size=4).map(lambda below: ("N", tuple(below))),
    max_leaves=12,
)


@pytest.mark.slow
@given(st.lists(TREES, min_size=1, max_size=4), st.randoms())
def test_shapes_are_sets(nodes, dice):
    try:
        text = describe_shape(nodes)
        tree = parse_shape(text)
    except ValueError:
        assert describe_shape(nodes).count("{") > 6
        return
    assert describe_shape(tree) == text
    shuffled = [*nodes, *nodes]
    dice.shuffle(shuffled)
    assert shape_word(shuffled) == shape_word(tree)
    assert shape_word([*tree, ("N", (("W", ()), ("N", tuple(tree))))]) != shape_word(tree)


@pytest.mark.parametrize("text", ["{X}", "N", "{L, N{Q}}", "", "{}", "{L}}", "{L{W}}", "{N{}}", "{" * 99])
def test_what_is_no_shape(text):
    with pytest.raises(ValueError, match="is not a shape"):
        parse_shape(text)


@pytest.mark.slow
@given(st.lists(st.floats(0, 100), min_size=1, max_size=8), st.sampled_from([0.0, 50.0, 100.0]))
def test_update_is_the_formula_of_the_paper(values, reward):
    memory, settings = make_memory(16), Settings()
    memory.values[: len(values), 0] = values
    update(memory, np.arange(len(values)), len(values), 0, reward, settings.numbers())
    following = [*values[1:], reward]
    for p in range(len(values)):
        change = sum(0.7 ** (t - p) * (following[t] - values[t]) for t in range(p, len(values)))
        assert math.isclose(memory.values[p, 0], values[p] + 0.3 * change, abs_tol=1e-9)


@pytest.mark.slow
def test_single_visits_have_the_values_of_the_spec():
    memory = make_memory(16)
    memory.values[:3] = 50
    update(memory, np.array([0, 1]), 2, 0, 0.0, Settings().numbers())
    assert memory.values[0, 0] == pytest.approx(39.5)
    memory.values[:3] = 50
    update(memory, np.array([0, 1, 2]), 3, 0, 100.0, Settings().numbers())
    assert memory.values[0, 0] == pytest.approx(57.35)


def test_transfer_by_look_up_beats_the_baseline(games, model):
    found = {}
    for learner, reading in (("baseline", "literal"), ("transfer", "look-up")):
        settings = make_settings(learner=learner, reading=reading, opponent="eps-greedy")
        found[learner] = learn_runs(games["connect3"], settings, 300, 6, 1, model)
    assert found["transfer"].mean > found["baseline"].mean + 15
    assert [(one.first, one.last) for one in found["transfer"].windows] == [(1, 100), (101, 300)]


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


@pytest.mark.parametrize("text", ["", "[]", "{}", "\xff", '{"format": "heartlab-ggp-features/2"}', "{"])
def test_damaged_models_get_a_sentence(text, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(GdlError, match=r"model.json: "):
        FeatureModel.load(path)


def test_values_out_of_range_and_unknown_shapes(model, tmp_path):
    path = tmp_path / "model.json"
    for features in ({"weak": {"{L}": [700, 1]}}, {"weak": {"{Z}": [50, 1]}}, {"weak": {"{L}": "x"}}):
        path.write_text(json.dumps({**kept(model), "features": features, "format": "heartlab-ggp-features/2"}))
        with pytest.raises(GdlError, match=r"model.json: "):
            FeatureModel.load(path)
    path.write_text(json.dumps({**kept(model), "depth": 3, "format": "heartlab-ggp-features/2"}))
    with pytest.raises(GdlError, match=r"look 3 plies ahead; only 2 are supported"):
        FeatureModel.load(path)


def test_models_are_pooled(games, model):
    other = learn_features(games["capturego"], (Opponent.WEAK, Opponent.RANDOM), runs=2, seed=3)
    both = pool([model, other])
    assert both.games == ["tictactoe", "capturego"]
    mine, theirs = (one.features["weak"]["{L, N{W,N}}"] for one in (model, other))
    assert both.features["weak"]["{L, N{W,N}}"] == [pytest.approx((mine[0] + theirs[0]) / 2), mine[1] + theirs[1]]
    assert both.features["eps-greedy"] == model.features["eps-greedy"]
    assert model.profiles["weak"][1] is None, "in tic-tac-toe no move loses at once"
    assert both.profiles["weak"][1] == other.profiles["weak"][1]
    with pytest.raises(GdlError, match="with recall and without"):
        pool([model, learn_features(games["tictactoe"], runs=1, settings=SOURCE._replace(recall=True))])
    with pytest.raises(GdlError, match="no models"):
        pool([])


@pytest.mark.parametrize("opponent", ["eps-greedy", "random", "weak"])
def test_opponents_are_recognised_in_another_game(games, model, opponent):
    settings = make_settings(learner="habits", reading="look-up", opponent=opponent, recognise=True)
    learn(games["connect3"], settings, 500, seed=5, model=model)
    assert list(model.features)[int(np.argmax(games["connect3"].features.belief))] == opponent
    assert games["connect3"].features.belief.max() > 0.9


@pytest.mark.slow
def test_outcomes_are_declared():
    assert [CLASS_NAMES[kind] for kind in parse_outcomes("")[[0, 49, 50, 51, 100]]] == ["L", "L", "D", "W", "W"]
    classes = parse_outcomes("0-20=L, 40=d,80-100=W")
    assert [CLASS_NAMES[kind] for kind in classes[[0, 20, 40, 80, 100]]] == ["L", "L", "D", "W", "W"]
    for text in ("x", "0=X", "90-80=W", "0-101=W", "=W", "5"):
        with pytest.raises(GdlError, match="should look like"):
            parse_outcomes(text)
    declared = TurnGame(load_game("tictactoe-scored"), "0-20=L,40=D,80-100=W")
    found = learn_features(declared, (Opponent.RANDOM,), runs=2, seed=3)
    assert set(found.features["random"]) <= set(TWELVE), "with the declaration it has the features of tic-tac-toe"
    taken = learn_features(TurnGame(load_game("tictactoe-scored")), (Opponent.RANDOM,), runs=2, seed=3)
    assert not set(taken.features["random"]) <= set(TWELVE)


@pytest.mark.slow
def test_a_board_grows_without_losing_anything(games):
    game = TurnGame(load_game("capturego"))
    settings = make_settings(learner="look-ahead", reading="look-up")
    expected = learn(game, settings, 50, seed=3)[0].tolist()
    known, values = int(game.board.graph.used[0]), game.memory.values[game.memory.values >= 0].tolist()
    game.make_room()
    assert game.board.graph.used[0] == known
    assert game.memory.values[game.memory.values >= 0].tolist() == values
    assert learn(game, settings, 50, seed=3)[0].tolist() == expected
    assert game.board.graph.used[0] == known


def test_what_cannot_be_learned_gets_a_sentence(games, model):
    with pytest.raises(GdlError, match="transfer needs a model"):
        learn(games["tictactoe"], make_settings(learner="transfer"), 1)
    with pytest.raises(GdlError, match="not the opponent blocking"):
        learn(games["tictactoe"], make_settings(learner="transfer", opponent="blocking"), 1, model=model)
    with pytest.raises(GdlError, match="no learner is called 'genius'"):
        Learner.parse("genius")
    for wrong, sentence in ((dict(depth=7), "2 to 6 plies"), (dict(role=2), "0 or 1"), (dict(opponent_epsilon=2), "2")):
        with pytest.raises(GdlError, match=sentence):
            learn(games["tictactoe"], Settings(**wrong), 1)
    with pytest.raises(GdlError, match="adaptive does not stay the same"):
        learn_features(games["tictactoe"], (Opponent.ADAPTIVE,))
    with pytest.raises(GdlError, match="learning needs the network"):
        TurnGame(load_game("nim", "prover"))
    alone = "(role p) (init a) (legal p go) (<= terminal (true b)) (<= (next b) (does p go)) (goal p 1)"
    with pytest.raises(GdlError, match="a game for two, not 1"):
        TurnGame(make_machine(parse_game(alone)))
    over = "(role p) (role q) (legal p 1) (legal q 1) terminal (goal p 1) (goal q 1)"
    with pytest.raises(GdlError, match="over before it begins"):
        TurnGame(make_machine(parse_game(over)))
    stuck = (
        "(role p) (role q) (init a) (<= (legal p 1) (true a)) (<= (legal p 2) (true a)) (legal q 1) (next b) "
        "(<= terminal (true c)) (goal p 1) (goal q 1)"
    )
    with pytest.raises(GdlError, match="no legal move"):
        learn(TurnGame(make_machine(parse_game(stuck))), make_settings(), 5)
    hidden = "(role random) (role q) (legal random 1) (legal random 2) (legal q 1) (next b) (<= terminal (true b)) "
    with pytest.raises(GdlError, match="without chance"):
        TurnGame(make_machine(parse_game(hidden + "(goal q 1)")))
    both = (
        "(role p) (role q) (legal p 1) (legal p 2) (legal q 1) (legal q 2) (next b) (<= terminal (true b)) (goal p 1)"
    )
    with pytest.raises(GdlError, match="players take turns"):
        TurnGame(make_machine(parse_game(both + "(goal q 1)")))


def results():
    """Rewards of short runs, to be compared across processes."""
    game = TurnGame(load_game("tictactoe"))
    settings = make_settings(learner="look-ahead", reading="look-up", opponent="blocking")
    return learn(game, settings, 6, seed=4)[0].tolist()


@pytest.mark.slow
def test_compiled_and_plain_learners_agree():
    printed = run_file(__file__, jit=False)
    assert json.loads(printed) == results()


if __name__ == "__main__":
    print(json.dumps(results()))
