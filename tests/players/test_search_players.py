"""Players that search: time budgets that bind, weights that count, ties, bounds of evaluators, and clear refusals."""

import threading
import time
import warnings
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from support import search_twin as twin
from support.searching import closed_batch, make_options, open_batch, opening, root_table, search_all
from support.slow import slow

from heartlab import Deal, Rules, make_player
from heartlab.compiled.bits import ZERO
from heartlab.compiled.rng import substream
from heartlab.kernel.layout import compile_rules
from heartlab.kernel.ranks import QUEEN_BIT
from heartlab.players import Observations, PlayerError
from heartlab.players.analysis import analyse
from heartlab.players.search import InformationSetPlayer, SearchPlayer
from heartlab.search.budget import watch
from heartlab.search.evaluators.base import Bounds, EvaluatorError, evaluator, exact_points, height, make_evaluator
from heartlab.search.ordering import MAX_MOVES, candidates
from heartlab.search.playouts import PolicyError, policy
from heartlab.search.walk import LIMIT, NODES, new_counters
from heartlab.search.weights import weight


def think(player, deal):
    return player.search.think(open_batch(deal) if player.is_open else closed_batch(deal))


def searched_cards(found):
    """{card: visits} of the first world."""
    return {int(row[0]): row[-1] for row in found.children[0, 0] if row[-1] > 0}


# --- second opinions ---


@pytest.mark.slow  # trees compile for long
@pytest.mark.parametrize("endgame", [0, 13])
def test_a_second_opinion_is_asked_in_the_same_worlds(endgame):
    """Values are the mean of both; where the endgame is solved nothing else is asked."""
    deal = opening()
    while len(deal.history) < 44 or len(deal.legal) < 2:
        deal.play(min(deal.legal))
    alone = think(make_player(f"uct:worlds=5,sims=30,endgame={endgame}"), deal)
    second = think(make_player("td-closed:worlds=5"), deal)
    both = think(make_player(f"uct:worlds=5,sims=30,also=td,endgame={endgame}"), deal)
    cards = sorted(deal.legal)
    assert (both.states == alone.states).all()
    assert (second.states == alone.states).all()
    expected = alone.values if endgame else (alone.values + second.values) / 2
    assert both.values[..., cards] == pytest.approx(expected[..., cards])
    assert not np.allclose(alone.values[..., cards], second.values[..., cards])


@pytest.mark.slow  # trees compile for long
def test_a_second_opinion_does_not_depend_on_other_rows():
    """An early and a late position together: only the late one is solved, and each gets what it gets alone."""
    early, late = opening(), opening()
    while len(late.history) < 44 or len(late.legal) < 2:
        late.play(min(late.legal))
    player = make_player("uct:worlds=5,sims=30,also=td,endgame=3")
    rows = [closed_batch(deal) for deal in (early, late)]
    both = player.search.think(
        Observations(rows[0].rules, rows[0].compiled, np.concatenate([row.records for row in rows]))
    )
    for row, deal in enumerate((early, late)):
        assert (both.values[row] == think(player, deal).values[0]).all()


@pytest.mark.slow  # trees compile for long
def test_a_second_opinion_within_a_time_budget():
    deal = opening()
    found = think(make_player("uct:ms=30,also=td"), deal)
    alone = think(make_player("td-closed:ms=30"), deal)
    shared = min(found.values.shape[1], alone.values.shape[1])
    assert (found.states[:, :shared] == alone.states[:, :shared]).all()
    assert found.done.all()


# --- trees ---


@evaluator("far-off", "points on a scale of its own, far beyond what the rules allow")
def far_off(rules, state, root, floats, ints, scratch, out):
    exact_points(rules, state, out)
    for seat in range(rules["players"]):
        out[seat] = 100.0 * out[seat] + 1000.0


@evaluator("no-number", "nothing that could be compared")
def no_number(rules, state, root, floats, ints, scratch, out):
    for seat in range(rules["players"]):
        out[seat] = np.nan


@pytest.mark.slow
@pytest.mark.parametrize("name", ["far-off", "no-number"])
@pytest.mark.parametrize("kind", ["ismcts", "uct"])
def test_values_of_any_size_keep_the_walk_in_the_tree(kind, name):
    """Bounds below any that is hoped for, or no numbers at all: a child is chosen all the same."""
    for number in range(6):
        deal, _ = twin.late_position(Rules.parse("seed"), number, 6, number % 4)
        worlds = "worlds=1," if kind == "uct" else ""
        found = think(make_player(f"{kind}:{worlds}sims=600,playout=evaluate,eval={name},merge=no"), deal)
        assert set(searched_cards(found)) == set(deal.legal)
        assert found.simulations.tolist() == [[600.0]]


@evaluator("keep-high", "likes high cards in hand, on a scale of its own")
def keep_high(rules, state, root, floats, ints, scratch, out):
    for seat in range(rules["players"]):
        out[seat] = 5000.0 - 10.0 * height(state["hands"][seat])


def test_uct_prefers_what_is_better_on_any_scale():
    """The lowest card, not the first: too few simulations to come to the end, where points would count."""
    for number in range(12):
        deal, _ = twin.late_position(Rules.parse("seed"), 100 + number, 12, number % 4)
        found, _, visits = root_table(deal, "uct", "keep-high", sims=40, playout="evaluate", merge="no")
        tried_most = list(found)[int(np.argmax(visits))]
        assert tried_most % 13 == min(card % 13 for card in deal.legal)


@pytest.mark.parametrize(
    "name", [slow("ismcts:sims=3,pick=value,merge=no"), "uct:worlds=3,sims=1", "uct:worlds=0,sims=2"]
)
def test_every_card_is_tried_however_few_simulations(name):
    deal = opening(legal=6)
    found = think(make_player(name), deal)
    legal = sorted(deal.legal)
    assert (found.visits[0][:, legal] >= 1).all()
    assert (found.places[0][:, legal] >= 0).all()


def test_long_sums_stay_exact():
    """A decided deal is worth the same after a few simulations and after very many."""
    deal, referee = twin.late_position(Rules.parse("seed"), 5, 1)
    while referee.phase != "over":
        referee.play(min(referee.legal()))
    found, _, visits = root_table(deal, "uct", sims=400_000, playout="random")
    assert visits.tolist() == [400_000]
    assert next(iter(found.values())) == pytest.approx(twin.final_points(referee), abs=1e-6)


# --- time ---


def test_the_clock_ends_a_search():
    late, soon, never = new_counters(), new_counters(), new_counters()
    with watch.over(late, time.perf_counter() - 1):
        assert late[LIMIT] == 0
    with watch.over(never, time.perf_counter() + 3600), watch.over(soon, time.perf_counter() + 0.01):
        for _ in range(10_000):
            if soon[LIMIT] == 0:
                break
            time.sleep(0.001)
    assert soon[LIMIT] == 0
    assert never[LIMIT] == new_counters()[LIMIT]


@pytest.mark.parametrize("options", [{"endgame": 9}, {"tricks": "all"}])
def test_searches_and_solver_give_up_beyond_a_limit(options):
    deal, _ = twin.late_position(Rules.parse("seed"), 3, 9)
    states, keys = np.repeat(deal._states, 3), np.arange(3, dtype=np.uint64)
    points = make_evaluator("points")
    found = search_all(deal.rules, states, keys, make_options("maxn", **options), points, 400, bounded=False)
    assert found.rows.tolist() == [0, 0, 0], "no rows: it gave up, and left out the others"
    assert 400 < found.counters[NODES] < 900


@pytest.mark.parametrize("name", [slow("ismcts:sims=400000"), "uct:sims=400000", "uct:worlds=0,sims=400000"])
def test_trees_are_cut_short(name):
    """One tree as asked would take a thousand times the budget."""
    deal = opening()
    found = think(make_player(f"{name},ms=1"), deal)
    assert found.done.all()
    assert len(searched_cards(found)) > 1
    assert found.simulations.sum() < 200_000


@pytest.mark.parametrize(
    ("name", "rungs"),
    [
        ("maxn:worlds=0,ms=60000", [(1, 1, 0), (0, 1, 0), (0, 2, 0), (0, 3, 0), (0, 4, 0)]),
        ("pie:tricks=2,ms=60000", [(1, 1, 0), (0, 1, 0), (0, 2, 0)]),
        ("paranoid:worlds=0,tricks=all,ms=60000", [(1, 1, 0), (0, 1, 0), (0, 2, 0), (0, 3, 0), (0, 4, 0)]),
        ("probmaxn:worlds=0,plies=3,ms=60000", [(1, 1, 0), (2, 1, 0), (3, 1, 0)]),
        ("maxn:worlds=0,endgame=4,ms=60000", [(1, 1, 0), (0, 1, 0), (0, 1, 4)]),
        ("maxn:worlds=0,endgame=3,tricks=1,ms=60000", [(1, 1, 0), (0, 1, 0)]),
    ],
)
def test_deepening_goes_from_one_card_to_what_is_asked(name, rungs, monkeypatch):
    deal, _ = twin.late_position(Rules.parse("seed"), 8, 4)
    player, plain = make_player(name), make_player(name.rpartition(",")[0])
    asked, search = [], player.search.search_worlds

    def noting(batch, count, first, options, **how):
        asked.append((options.plies, 1 if options.tricks is None else options.tricks, options.endgame))
        return search(batch, count, first, options, **how)

    monkeypatch.setattr(player.search, "search_worlds", noting)
    found = think(player, deal)
    assert asked == rungs
    if "tricks=" in name or "plies=" in name:
        assert (found.values == think(plain, deal).values).all()


@pytest.mark.parametrize(
    "name", ["pie:tricks=all", "maxn:worlds=0,tricks=all", "iie:endgame=13", "iie:tricks=all", "uct:endgame=13",
     "uct:worlds=0,endgame=13", "paranoid:tricks=all", "softmaxn:tricks=4", slow("ismcts:trees=3"), "iie:threads=2"],
)  # fmt: skip
def test_no_search_runs_away_with_its_budget(name):
    """Most of these would take hours. What is found in time is whole: every card has a value, in every world."""
    deal = opening()
    player = make_player(f"{name},ms=8")
    found = think(player, deal)
    assert found.done.all()
    assert (found.places[0][:, sorted(deal.legal)] >= 0).all()
    assert int(player.search.pick(compile_rules(deal.rules), found)[0]) in deal.legal
    assert player.choose_cards(open_batch(deal) if player.is_open else closed_batch(deal))[0] in deal.legal


def test_what_is_not_finished_in_time_falls_back():
    """The solver has no time at all here: the values are those of the search to the end of the trick."""
    deal = opening()
    player = make_player("maxn:worlds=0,tricks=1,endgame=13,ms=50")
    found, hasty = think(player, deal), think(make_player("maxn:worlds=0,tricks=1"), deal)
    one_card = think(make_player("maxn:worlds=0,plies=1"), deal)
    assert np.array_equal(found.values, hasty.values) or np.array_equal(found.values, one_card.values)


def test_a_player_shared_by_threads_stays_the_same():
    deal, _ = twin.late_position(Rules.parse("seed"), 2, 8)
    player, alone = make_player("pie:ms=2"), make_player("pie")
    before = player.search.options

    def play():
        for _ in range(20):
            assert think(player, deal).done.all()

    threads = [threading.Thread(target=play) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert player.search.options is before
    assert replace(before, milliseconds=0) == alone.search.options
    assert (player.search.search_worlds(open_batch(deal), 1).values == think(alone, deal).values).all()
    with pytest.raises(FrozenInstanceError):
        player.search.options.tricks = 2


def test_worlds_of_a_budget_depend_on_their_numbers_alone():
    batch = closed_batch(opening("standard"))
    for name in ("iie:ms=5", "iie:ms=5,threads=3", "uct:ms=5"):
        player = make_player(name)
        worlds, keys = player.search.draw(batch, 12)
        for first, count in ((4, 4), (0, 1), (3, 6), (8, 4), (5, 1)):
            some, dice = player.search.draw(batch, count, first)
            assert some.tobytes() == worlds[:, first : first + count].tobytes()
            assert (dice == keys[:, first : first + count]).all()
    fixed, _ = make_player("iie").search.draw(batch, 4)
    assert fixed.tobytes() == worlds[:, :4].tobytes()


# --- kinds ---


@pytest.mark.slow
def test_pimc_is_another_way_to_write_a_kind():
    deal = opening()
    for kind, options in (("ismcts", "sims=200,trees=2"), ("uct", "worlds=3,sims=50"), ("paranoid", "worlds=3")):
        one, two = make_player(f"pimc:search={kind},{options}"), make_player(f"{kind}:{options}")
        assert one.search.options == two.search.options
        assert (think(one, deal).values == think(two, deal).values).all()


# --- weights ---


@evaluator("queen-in-seat-one", "ten points each if seat 1 holds or held Q♠")
def queen_in_seat_one(rules, state, root, floats, ints, scratch, out):
    for seat in range(rules["players"]):
        out[seat] = 10.0 if (state["hands"][1] | state["played"][1]) & QUEEN_BIT != ZERO else 0.0


@weight
def seat_one_has_it(rules, obs, state):
    return 1e-15 if state["hands"][1] & QUEEN_BIT != ZERO else 0.0


@weight
def impossible(rules, obs, state):
    return 0.0


@weight
def negative(rules, obs, state):
    return -1.0


def without_queen():
    deal = Deal("seed", seed=1)
    while deal.to_move != 0 or len(deal.legal) < 4:
        deal.play(min(deal.legal))
    assert "QS" not in deal.hands[0]
    return deal


WEIGHED = [
    slow(InformationSetPlayer, "ismcts", {"sims": "300", "playout": "evaluate", "eval": "queen-in-seat-one"}),
    (SearchPlayer, "maxn", {"worlds": "30", "eval": "queen-in-seat-one"}),
]


@pytest.mark.parametrize(("made", "kind", "options"), WEIGHED)
def test_weights_decide_which_worlds_count(made, kind, options):
    """However small they are: the weights of an inference are products of many probabilities."""
    deal = without_queen()
    legal = sorted(deal.legal)
    plain, told = made(kind, options), made(kind, options, weigh=seat_one_has_it)
    means = [found.shares[0] @ found.values[0][:, legal] / len(found.shares[0]) for found in (
        think(plain, deal), think(told, deal))]  # fmt: skip
    assert means[1] == pytest.approx(np.full(len(legal), 10.0))
    assert (means[0] < 9).all()
    assert all(report.spread == (pytest.approx(10.0), pytest.approx(10.0)) for report in analyse(deal, told).cards)


@pytest.mark.parametrize(("made", "kind", "options"), WEIGHED)
def test_worlds_that_all_weigh_nothing_count_alike(made, kind, options):
    deal = without_queen()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = analyse(deal, made(kind, options, weigh=impossible))
    assert all(0 < report.expected < 10 for report in found.cards)
    if kind == "maxn":
        assert found.cards == analyse(deal, made(kind, options)).cards


@pytest.mark.parametrize(("made", "kind", "options"), WEIGHED)
def test_a_weight_is_a_number_from_zero_on(made, kind, options):
    with pytest.raises(ValueError, match="a finite number of at least 0"):
        think(made(kind, options, weigh=negative), without_queen())


# --- ties ---


@evaluator("all-the-same", "everything is worth the same")
def all_the_same(rules, state, root, floats, ints, scratch, out):
    for seat in range(rules["players"]):
        out[seat] = 1.0


@pytest.mark.parametrize("merge", ["yes", "no"])
def test_ties_at_the_root_are_broken_as_said(merge):
    deal = opening(legal=5)
    batch = open_batch(deal)
    cards = np.zeros(MAX_MOVES, np.int64)
    count = candidates(deal._compiled[0], deal._states[0], merge == "yes", cards)
    assert count > 2
    chosen = {}
    for ties in ("first", "worst", "random"):
        player = SearchPlayer("maxn", {"worlds": "0", "ties": ties, "merge": merge, "eval": "all-the-same"})
        picks = []
        for number in range(300):
            batch.records["random"] = substream(np.uint64(9), number)
            picks.append(int(player.choose_cards(batch)[0]))
        chosen[ties] = picks
        assert picks[-1] == int(player.choose_cards(batch)[0]), "dice come from the observation's key"
    assert set(chosen["first"]) == set(chosen["worst"]) == {int(cards[0])}
    tally = [chosen["random"].count(int(card)) for card in cards[:count]]
    assert sum(tally) == 300
    assert all(0.5 < share * count / 300 < 1.6 for share in tally), "each about as often"


# --- evaluators ---


@pytest.mark.parametrize("name", ["points", "pie", "sage", "td", "far-off"])
def test_taken_names_are_refused(name):
    with pytest.raises(EvaluatorError, match=f"there is an evaluator called '{name}' already"):

        @evaluator(name)
        def mine(rules, state, root, floats, ints, scratch, out):
            out[0] = 0.0

    assert make_evaluator(name).name.partition(":")[0] == name


def test_taken_names_of_policies_are_refused():
    for name in ("random", "gnome"):
        with pytest.raises(PolicyError, match=f"there is a policy called '{name}' already"):

            @policy(name)
            def mine(rules, state, cards, rng):
                return 0


def _as_in_a_notebook(bounds):
    @evaluator("cell", "a cell that is run again", bounds=bounds)
    def cell(rules, state, root, floats, ints, scratch, out):
        for seat in range(rules["players"]):
            out[seat] = 3.0

    return cell


def test_a_cell_that_is_run_again_replaces_its_evaluator_bounds_and_all():
    first = _as_in_a_notebook(Bounds(floor=12.0, most=12.0, least=0.0))
    assert make_evaluator("cell") is first
    second = _as_in_a_notebook(Bounds())
    assert make_evaluator("cell") is second
    assert second.bounds_under(Rules.parse("seed"), True).floor < 0


# --- refusals ---


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("iie:world=3", "no option is called 'world'; known are worlds, eval, ms, threads, pass, tricks"),
        ("ismcts:tres=3", "no option is called 'tres'; known are trees, eval, ms, threads, pick, pass, sims"),
        ("pimc:serch=uct", "no option is called 'serch'; known are search, worlds"),
        ("pimc:search=minimax", "search=minimax is unknown; choose from maxn, .*ismcts"),
        ("ismcts:search=uct", "search means nothing to ismcts; known are trees"),
        ("iie:sims=7", "sims means nothing to maxn; known are worlds"),
        ("iie:playout=careful", "playout means nothing to maxn"),
        ("iie:pick=value", "pick means nothing to maxn"),
        ("softmaxn:ties=worst", "ties means nothing to softmaxn"),
        ("paranoid:ties=random", "ties means nothing to paranoid"),
        ("ismcts:endgame=5", "endgame means nothing to ismcts"),
        ("uct:tricks=3", "tricks means nothing to uct"),
        ("uct:trees=3", "trees means nothing to uct"),
        ("iie:worlds=5,worlds=6", "duplicate option worlds: worlds=5 and worlds=6"),
        ("uct:sims=0", "sims=0: at least 1"),
        ("uct:sims=99999999999999999999", "sims=99999999999999999999: at most 1000000"),
        ("uct:playout=wild", "playout=wild is unknown; choose from random, throw, careful, gnome, evaluate"),
        ("maxn:eval=nobody", "no evaluator is called 'nobody'. Known are .*pie.*td"),
        ("iie:worlds=many", "worlds=many: write a whole number"),
        ("iie:worlds=-5", "worlds=-5: at least 0"),
        ("iie:worlds=1000000000", "worlds=1000000000: at most 100000"),
        ("iie:ms=-1", "ms=-1: at least 0"),
        ("iie:threads=0", "threads=0: at least 1"),
        ("iie:pass=nobody", "no player is called 'nobody'"),
        ("uct:c=x", "c=x: write a number"),
        ("uct:c=nan", "c=nan: a finite number of at least 0"),
        ("ismcts:c=inf", "c=inf: a finite number of at least 0"),
        ("ismcts:c=-3", "c=-3: a finite number of at least 0"),
        ("ismcts:worlds=3", "ismcts draws a world for every simulation: say sims=N"),
        ("uct:pick=best", "pick=best is unknown; choose from visits, value"),
        ("uct:also=pie", "also=pie: its values are not points"),
        ("uct:also=nobody", "no evaluator is called 'nobody'"),
        ("uct:worlds=0,also=td", "also=td changes values: it needs worlds and pick=value"),
        ("uct:pick=visits,also=td", "also=td changes values: it needs worlds and pick=value"),
        ("ismcts:also=td", "also means nothing to ismcts"),
    ],
)
def test_wrong_options_are_named(name, sentence):
    with pytest.raises(PlayerError, match=sentence):
        make_player(name)
