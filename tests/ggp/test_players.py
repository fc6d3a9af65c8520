"""The searching players: they see what is forced, keep to their clocks, and play every kind of game."""

import itertools
import random
import time

import numpy as np
import pytest
from support.slow import slow

from heartlab.ggp.gdl.parse import parse_game
from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.machine.load import load_game, make_machine
from heartlab.ggp.players.alphabeta import AlphaBeta
from heartlab.ggp.players.growth import grow_reckoned, grow_wide
from heartlab.ggp.players.nodes import keep_visited
from heartlab.ggp.players.registry import make_game_player
from heartlab.ggp.players.tree import Opinion, Tree
from heartlab.ggp.protocol.matches import warm_up

PENNIES = """
(role even) (role odd) (init start) (side heads) (side tails)
(<= (legal ?p ?s) (role ?p) (side ?s))
(<= (next same) (does even ?s) (does odd ?s))
(<= (next differ) (does even ?s) (does odd ?t) (distinct ?s ?t))
(<= terminal (not (true start)))
(<= (goal even 100) (true same)) (<= (goal odd 100) (true differ))
(<= (goal even 0) (not (true same))) (<= (goal odd 0) (not (true differ)))
"""


def marks(x, o, turn):
    """A tic-tac-toe position from two lists of points."""
    found = {("marked", *point, who) for who, points in (("x", x), ("o", o)) for point in points}
    return frozenset(found | {("turn", turn)})


def play(machine, specs, seed=0):
    """The goals of a match; players with limits of their own have all the time they need."""
    players = [make_game_player(spec, seed + number) for number, spec in enumerate(specs)]
    for number, player in enumerate(players):
        player.begin(machine, number, 1.0)
    state = machine.initial
    while not machine.is_terminal(state):
        state = machine.next(state, [player.choose(state, 600.0) for player in players])
    return machine.goals(state)


@pytest.mark.parametrize("kind", ["network", "prover"])
@pytest.mark.parametrize("spec", ["alphabeta:depth=2", slow("uct:sims=300")])
def test_wins_are_taken_and_losses_prevented(spec, kind):
    machine = load_game("tictactoe", kind)
    for position, number, move in (
        (marks(["11", "12"], ["21", "22"], "x"), 0, ("mark", "1", "3")),
        (marks(["11", "12", "31"], ["22", "21"], "o"), 1, ("mark", "2", "3")),
        (marks(["11", "12"], ["22"], "o"), 1, ("mark", "1", "3")),
    ):
        player = make_game_player(spec, 1)
        player.begin(machine, number, 1.0)
        assert player.choose(machine.state_of(position), 600.0) == move


@pytest.mark.slow
def test_perfect_players_draw_tictactoe():
    machine = load_game("tictactoe")
    assert play(machine, ["alphabeta:depth=9", "alphabeta:depth=9"]) == [50, 50]


def test_alphabeta_knows_the_value_of_nim_positions():
    """A position of nim is lost for the side to move exactly if the heaps' sizes cancel out bit by bit."""
    machine = load_game("nim")
    for heaps in itertools.product(range(2), range(3), range(3), range(3)):
        balance = heaps[0] ^ heaps[1] ^ heaps[2] ^ heaps[3]
        facts = {("holds", name, str(size)) for name, size in zip("abcd", heaps, strict=True)} | {("turn", "first")}
        state = machine.state_of(frozenset(facts))
        if machine.is_terminal(state) or balance == 0:
            continue
        search = AlphaBeta(machine, 0, time.monotonic() + 600, random.Random(0))
        move = search.best_move(state, machine.legal(state, 0))
        after = dict(zip("abcd", heaps, strict=True)) | {move[1]: int(move[2])}
        assert after["a"] ^ after["b"] ^ after["c"] ^ after["d"] == 0


@pytest.mark.slow
def test_uct_beats_random_play():
    machine = load_game("connect4")
    results = [play(machine, ["random", "uct:sims=200"], seed) for seed in range(0, 12, 2)]
    assert sum(goals[1] for goals in results) >= 500


@pytest.mark.parametrize("spec", ["alphabeta", "random", "td", slow("uct:sims=500")])
def test_simultaneous_moves_are_played(spec):
    machine = make_machine(parse_game(PENNIES))
    assert sorted(play(machine, [spec, "random"])) == [0, 100]


@pytest.mark.slow
def test_more_than_two_players():
    text = """(role a) (role b) (role c) (init s) (bid 1) (bid 2) (<= (legal ?r ?n) (role ?r) (bid ?n))
    (<= (next (did ?r ?n)) (does ?r ?n)) (<= terminal (not (true s)))
    (<= (goal ?r 100) (true (did ?r 2))) (<= (goal ?r 0) (true (did ?r 1)))"""
    machine = make_machine(parse_game(text))
    assert play(machine, ["uct:sims=200", "alphabeta", "uct:sims=200"]) == [100, 100, 100]


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.slow
def test_counts_add_up_in_the_tree(wide):
    machine = load_game("tictactoe")
    tree, net = Tree(machine.network, positions=1 << 10), machine.network.net
    tree.wide, tree.wide_from, nodes = wide, 0, tree.nodes
    tree.search(net.initial, 500, np.array([1], np.uint64))
    first, last = nodes.starts[0, 0], nodes.starts[0, 1]
    assert nodes.counts[first:last].sum() == nodes.visits[0] == 500
    assert (nodes.sums[first:last] <= nodes.counts[first:last]).all()
    number, mean, tried = tree.best(net.initial, 0)
    assert tried == nodes.counts[first:last].max()
    assert 0.5 < mean < 1
    assert machine.move_of(0, number) in machine.legal(machine.initial, 0)
    tree.search(net.initial, 5000, np.array([2], np.uint64))
    assert nodes.used[0] <= 1 << 10, "a full tree goes on with playouts"


@pytest.mark.slow
def test_a_full_tree_lets_the_least_visited_go():
    machine = load_game("connect4")
    tree, words = Tree(machine.network, positions=1 << 10), machine.network.net.initial
    tree.search(words, 6000, np.array([3], np.uint64))
    before, used = tree.opinion(words, 0), int(tree.nodes.used[0])
    tree.forget()
    after = tree.opinion(words, 0)
    assert 0 < tree.nodes.used[0] < used // 2
    assert after.moves == before.moves
    assert after.counts.tolist() == before.counts.tolist()
    assert after.sums.tolist() == before.sums.tolist()
    best = machine.next(machine.initial, [machine.move_of(0, tree.best(words, 0)[0]), "wait"])
    assert tree.opinion(machine.words(best), 1).counts.sum() > 500, "what lies behind the best move is kept"
    assert tree.search(words, 100, np.array([4], np.uint64)) == 100


@pytest.mark.skipif(not hasattr(keep_visited, "signatures"), reason="nothing is compiled")
@pytest.mark.slow
def test_nothing_is_left_to_compile_while_a_clock_runs():
    """A worker that began to compile when its tree was half full was late in every match."""
    warm_up("uct:sims=5")
    assert len(keep_visited.signatures) == 1
    assert grow_wide.signatures
    assert grow_reckoned.signatures
    machine = load_game("connect4")
    tree = Tree(machine.network, positions=256)
    tree.search(machine.network.net.initial, 2000, np.array([3], np.uint64))
    tree.forget()
    assert len(keep_visited.signatures) == 1


def minimax(machine, state, known):
    """The value for the first player of a game for two who take turns, by looking at everything."""
    if state not in known:
        if machine.is_terminal(state):
            known[state] = machine.goals(state)[0]
        else:
            legal = machine.legal_moves(state)
            values = [minimax(machine, machine.next(state, joint), known) for joint in itertools.product(*legal)]
            known[state] = max(values) if len(legal[0]) > 1 or legal[1] == ["wait"] else min(values)
    return known[state]


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("name", ["nim", "tictactoe", "capturego"])
@pytest.mark.slow
def test_proofs_are_right(name, wide):
    machine = load_game(name)
    tree = Tree(machine.network, positions=1 << 13)
    tree.wide, tree.wide_from = wide, 0
    tree.search(machine.network.net.initial, 40_000, np.array([5], np.uint64))
    nodes, known = tree.nodes, {}
    solved = np.flatnonzero(nodes.solved[: nodes.used[0]] >= 0)
    assert len(solved) > 100
    for position in solved[:: max(1, len(solved) // 150)]:
        state = nodes.states[position].tobytes()
        value = minimax(machine, state, known)
        mine = value if nodes.movers[position] == 0 else 100 - value
        assert round(100 * float(nodes.solved[position])) == mine


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.slow
def test_goals_that_do_not_add_up_prove_nothing(wide):
    """Both may win: the second has no reason to prevent it."""
    machine = make_machine(
        parse_game("""(role a) (role b) (init (turn a)) (m 1) (m 2)
    (<= (legal a ?m) (true (turn a)) (m ?m)) (<= (legal b wait) (true (turn a)))
    (<= (legal b ?m) (true (turn b)) (m ?m)) (<= (legal a wait) (true (turn b)))
    (<= (next (turn b)) (true (turn a))) (<= (next (a ?m)) (does a ?m) (m ?m)) (<= (next (a ?m)) (true (a ?m)))
    (<= (next (b ?m)) (does b ?m) (m ?m)) (<= terminal (true (b ?m)))
    (<= (goal a 100) (true (a 1)) (true (b 1))) (<= (goal b 100) (true (a 1)) (true (b 1)))
    (<= (goal a 0) (not (true (b 1)))) (<= (goal b 0) (not (true (b 1))))
    (<= (goal a 40) (true (a 2)) (true (b 1))) (<= (goal b 60) (true (a 2)) (true (b 1)))""")
    )
    tree = Tree(machine.network, positions=256)
    tree.wide, tree.wide_from = wide, 0
    words = machine.network.net.initial
    assert tree.search(words, 2000, np.array([1], np.uint64)) == 2000
    assert not tree.is_solved(words)
    assert machine.move_of(0, tree.best(words, 0)[0]) == "1"


@pytest.mark.slow
def test_games_for_one_are_solved():
    machine = make_machine(
        parse_game("""(role p) (init (at 0)) (s 0 1) (s 1 2) (s 2 3)
    (<= (legal p up) (true (at ?n))) (<= (legal p stop) (true (at ?n)))
    (<= (next (at ?m)) (true (at ?n)) (does p up) (s ?n ?m)) (<= (next done) (does p stop))
    (<= (next (last ?n)) (does p stop) (true (at ?n))) (<= terminal (true done)) (<= terminal (true (at 3)))
    (<= (goal p 80) (true (last 2))) (<= (goal p 30) (not (true (last 2))))""")
    )
    player = make_game_player("uct:sims=2000", 1)
    player.begin(machine, 0, 1.0)
    assert player.choose(machine.initial, 600.0) == "up"
    assert player.searchers[0].tree.is_solved(machine.words(machine.initial))
    assert player.opinion(machine.initial, 0).means.max() == pytest.approx(0.8)


@pytest.mark.slow
def test_a_number_of_simulations_and_a_seed_make_the_choice():
    machine = load_game("breakthrough")
    found = set()
    for _ in range(2):
        player = make_game_player("uct:sims=700", 9)
        player.begin(machine, 0, 1.0)
        player.choose(machine.initial, 600.0)
        found.add(tuple(player.opinion(machine.initial, 0).counts))
    assert len(found) == 1
    assert sum(found.pop()) == 700


@pytest.mark.slow
def test_trees_of_threads_are_added_up_and_kept_from_move_to_move():
    machine = load_game("connect4")
    player = make_game_player("uct:threads=2,ponder=1", 3)
    for _ in range(100):  # on a busy machine a thread may get no time within a short clock
        player.begin(machine, 0, 0.4)
        if all(one.tree.opinion(machine.words(machine.initial), 0) for one in player.searchers):
            break
    else:
        raise AssertionError("the start clock is not used")
    move = player.choose(machine.initial, 0.3)
    assert len(player.pondering) == 2
    state = machine.next(machine.initial, [move, "wait"])
    for _ in range(10_000):
        if player.searchers[1].tree.opinion(machine.words(state), 1) is not None:
            break
        time.sleep(0.01)
    player.finish(state)
    assert player.pondering == []
    both = player.opinion(machine.initial, 0)
    single = [one.tree.opinion(machine.words(machine.initial), 0) for one in player.searchers]
    assert both.counts.tolist() == (single[0].counts + single[1].counts).tolist()


@pytest.mark.slow
def test_opinions_prefer_what_is_proven():
    def best(counts, sums, proven):
        return Opinion([7, 8, 9], *(np.array(one, float) for one in (counts, sums, proven))).best()

    assert best([5, 90, 5], [1, 80, 1], [-1, -1, 1]) == 2, "a proven win"
    assert best([90, 5, 5], [60, 1, 1], [0, -1, -1]) == 1, "a proven loss is avoided"
    assert best([5, 90, 5], [1, 30, 1], [-1, -1, 0.5]) == 2, "a proven draw before a bad move"
    assert best([5, 90, 5], [1, 80, 1], [-1, -1, 0.5]) == 1
    assert best([5, 7, 6], [1, 1, 1], [0, 0, 0]) == 1, "all lost: where most had to be looked at"
    assert best([3, 3, 2], [1, 2, 2], [-1, -1, -1]) == 1, "tried as often, and better"


def test_equal_moves_are_drawn():
    """A player that always took the first of them would play on for ever where only a change of moves ends the game."""
    machine = make_machine(
        parse_game(
            "(role r) (m 1) (m 2) (m 3) (m 4) (init (last 1)) (<= (legal r (press ?x)) (m ?x))"
            "(<= (next (last ?x)) (does r (press ?x)))"
            "(<= terminal (true (last 5))) (<= (next (last 5)) (true (last 6))) (goal r 100)"
        ),
        "network",
    )
    chosen = set()
    for seed in range(12):
        player = make_game_player("uct:sims=4", seed)
        player.begin(machine, 0, 60)
        chosen.add(player.choose(machine.initial, 60))
    assert len(chosen) > 1


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("uct:ponder=2", "ponder is 0 or 1"),
        ("uct:sims=10,threads=2", "one thread runs"),
        ("uct:speed=9", "'speed=9' is no option of uct, which takes sims=NUMBER, threads=NUMBER, ponder=NUMBER"),
        ("uct:speed=9,prior=td", "'uct:speed=9,prior=td': .*weight=NUMBER, prior=PLAYER"),
        ("uct:sims=10,sims=20", "'uct:sims=10,sims=20': duplicate option sims: 10 and 20"),
        ("uct:prior=td,prior=td:x", "duplicate option prior: td and td:x"),
        ("uct:weight=3", "weight=N belongs to a prior"),
        ("alphabeta:depth=2,depth=3", "duplicate option depth: 2 and 3"),
        ("random:seed=1", "'seed=1' is no option of random, which takes no options"),
    ],
)
def test_wrong_options_are_named(spec, sentence):
    with pytest.raises(GdlError, match=sentence):
        make_game_player(spec)


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.slow
def test_the_history_holds_every_move_of_every_playout(wide):
    """In tic-tac-toe x moves 3 to 5 times; the first simulations leave the tree after a move or two."""
    machine = load_game("tictactoe", "network")
    tree, net = Tree(machine.network, positions=1 << 10), machine.network.net
    tree.wide, tree.wide_from = wide, 0
    tree.search(net.initial, 40, np.array([1], np.uint64))
    marks = [number for number in range(net.role_moves[1]) if isinstance(machine.move_of(0, number), tuple)]
    history = tree.nodes.history - [2.0, 1.0]
    assert 40 * 1.5 < history[marks, 0].sum() <= 40 * 5
    assert (history[:, 1] <= history[:, 0]).all()
    middle = machine.move_number(0, ("mark", "2", "2"))
    assert tree.nodes.history[middle, 1] > 0


@pytest.mark.slow
def test_moves_that_playouts_like_are_tried_first():
    """Untried moves of a new position are not tried at random but by what they were worth elsewhere."""
    machine = load_game("connect4", "network")
    tree, net = Tree(machine.network, positions=1 << 10), machine.network.net
    liked = machine.move_number(0, ("drop", "7"))
    tree.nodes.history[liked] = (1000.0, 999.0)
    tree.wide = False
    tree.search(net.initial, 1, np.array([1], np.uint64))
    found = tree.opinion(net.initial, 0)
    assert found.moves[int(found.counts.argmax())] == liked
