"""TD(λ) over conjunctions: the learning rule card by card against its plain twin, models, players, recipes."""

from dataclasses import replace

import numpy as np
import pytest
from support import feature_twin as twin

from heartlab import Deal, Rules, make_player
from heartlab.arena import Match, run_match
from heartlab.compiled.rng import seed_key, substream
from heartlab.kernel.dealing import deal as deal_cards
from heartlab.kernel.layout import OVER, SEATS, STATE, compile_rules
from heartlab.kernel.play import play, points
from heartlab.learners.td_features.conjunctions import Conjunctions
from heartlab.learners.td_features.growth import promising
from heartlab.learners.td_features.kernels import NOTE, choose, choose_closed, new_choice
from heartlab.learners.td_features.network import CHANGE, Network
from heartlab.learners.td_features.player import to_model, to_network
from heartlab.learners.td_features.selection import select_by_weight, select_distinct, signatures_in, support_in
from heartlab.learners.td_features.trainer import (
    TASKS,
    TdParameters,
    TdTrainer,
    best_conjunctions,
    chosen_conjunctions,
    eliminate,
    learning_search,
    watched_states,
)
from heartlab.players import PlayerError
from heartlab.players.search import SearchPlayer
from heartlab.search.evaluators.base import EvaluatorError, make_evaluator
from heartlab.search.options import SearchOptions, compile_options
from heartlab.search.walk import Judge, new_counters
from heartlab.training import ModelError, RecipeError, load_model, save_model
from heartlab.training.recipes import find_recipe
from heartlab.training.run import new_run, train


def numbers(words):
    return {place for place in range(128) if int(words[place // 64]) >> place % 64 & 1}


def replay_training(trainer, before, number, orders, seed):
    """What one training deal should have done to the weights: the deal played card by card, the plain rule after it."""
    parameters, rules = trainer.parameters, compile_rules(trainer.rules)
    network = Network(trainer.network.conjunctions, rest=trainer.network.rest)
    network.weights[:] = before
    judge, expert = network.evaluator(), make_evaluator("pie")
    specs = [
        compile_options(learning_search("maxn")),
        compile_options(SearchOptions(), expert.bounds_under(trainer.rules, True)),
    ]
    states, rng = np.zeros(1, STATE), np.array([substream(seed_key(seed, "td"), number)], np.uint64)
    state = states[0]
    deal_cards(rules[0], state, number, rng)
    learner, seen, had = number % 4, [[] for _ in range(4)], [[] for _ in range(4)]
    choice, out = new_choice(0, new_counters()), np.zeros((SEATS, 2), np.uint64)
    worth = {card: trainer.rules.card_points(card) for card in range(52)}
    while state["phase"] != OVER:
        if state["trick_size"] == 0:
            hands = [{card for card in range(52) if int(state["hands"][seat]) >> card & 1} for seat in range(4)]
            if not sum(worth[card] for hand in hands for card in hand):
                break
            network.extract(rules[0], state, out)
            for seat in range(4):
                atoms = numbers(out[seat]) & network.conjunctions.used
                seen[seat].append(sorted(twin.active(atoms, orders)))
                taken = sum(worth[card] for card in range(52) if int(state["taken"][seat]) >> card & 1)
                had[seat].append(taken if network.rest else 0)
        own = parameters.partners == "self" or state["to_move"] == learner
        mind, spec = (judge, specs[0]) if own else (expert, specs[1])
        card = choose(rules[0], state, spec[0], Judge(mind.function, *mind.data()), rng, choice)
        play(rules[0], state, card)
    result = np.zeros(SEATS, np.int64)
    points(rules[0], state, result)
    find = network.conjunctions.find
    weights = {conjunction: float(before[find(conjunction)]) for view in seen for s in view for conjunction in s}
    for step in range(4 if parameters.views == 4 else 1):
        seat = (learner + step) % 4
        rate = parameters.rate / (1 + number / parameters.halving) if parameters.halving else parameters.rate
        twin.learn(weights, seen[seat], had[seat], float(result[seat]), parameters.decay, rate)
    return {find(conjunction): weight for conjunction, weight in weights.items()}, int(result[learner])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "orders", "partners", "views", "halving", "rest"),
    [
        ("queen", "1,3", "expert", 1, 0, False),
        ("queen", "1,2", "self", 4, 0, False),
        ("hearts", "1,2", "self", 1, 3, False),
        ("full", "1", "expert", 1, 0, False),
        ("full", "1,2", "self", 4, 0, True),
    ],
)
def test_every_update_is_that_of_the_papers_rule(task, orders, partners, views, halving, rest):
    parameters = TdParameters(orders=orders, partners=partners, views=views, halving=halving)
    trainer = TdTrainer(task, parameters, seed=5, rest=rest)
    changed = 0
    for number in range(6):
        before = trainer.network.weights.copy()
        metrics = trainer.step(number, 1)[0]
        expected, result = replay_training(trainer, before, number, parameters.order_numbers, seed=5)
        assert metrics["points"] == result
        after = before.copy()
        for node, weight in expected.items():
            after[node] = weight
        assert trainer.network.weights == pytest.approx(after, abs=2e-5)
        changed += int((trainer.network.weights != before).sum())
    assert changed > 50


def test_one_update_moves_the_output_by_its_share_of_the_error():
    """The rate is divided by the number of active conjunctions: with λ = 1 the last state's error shrinks by 1/13."""
    weights = {(0,): 0.5, (1,): 0.25, (0, 1): 0.0}
    twin.learn(weights, [list(weights)], [0], 13.0, 1.0, 1 / 13)
    assert sum(weights.values()) == pytest.approx(0.75 + (13 - 0.75) / 13)


@pytest.mark.slow
def test_initial_weights_are_small_and_random():
    trainer = TdTrainer("queen", TdParameters(orders="1,2"), seed=1)
    live = trainer.network.live_weights
    assert np.abs(live).max() <= 1 / len(live)
    assert live.std() > 0.4 / len(live)
    assert not np.array_equal(live, TdTrainer("queen", TdParameters(orders="1,2"), seed=2).network.live_weights)


@pytest.mark.slow
def test_learning_beats_the_expert_and_a_beginner():
    trainer = TdTrainer("queen", TdParameters(orders="1,2"), seed=1)
    for first in range(0, 6000, 1000):
        trainer.step(first, 1000)
    learned = SearchPlayer("maxn", {"worlds": "0"}, evaluator=trainer.network.evaluator())
    beginner = SearchPlayer("maxn", {"worlds": "0", "eval": "points"})
    for other in (make_player("pie"), beginner):
        match = Match([learned, other], Rules.parse("seed-queen"), 60, seed=1, open=True)
        mine, theirs = run_match(match).points.mean(axis=0)
        assert mine < theirs


@pytest.mark.slow
def test_a_run_can_be_resumed_to_the_identical_model(tmp_path):
    recipe = find_recipe("td-queen")
    changes = {"orders": "1,2"}
    whole = train(new_run(tmp_path / "whole", recipe, 3, 2500, changes))
    part = train(new_run(tmp_path / "part", recipe, 3, 2500, changes), stop_after=1000)
    assert not part.finished
    train(part)
    for name in ("model.npz", "metrics.jsonl"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "part" / name).read_bytes()
    assert whole.finished


@pytest.mark.slow
def test_closed_training_chooses_like_a_closed_player():
    """Changing only the hands that a seat cannot see, worlds and choice stay; with all hands known it may change."""
    rules = Rules.parse("seed-nomoon")
    trainer = TdTrainer("full", TdParameters(orders="1,2", worlds=4), seed=2)
    trainer.step(0, 300)
    judge, spec = trainer.network.evaluator(), compile_options(learning_search("maxn"))
    compiled, dice = compile_rules(rules), np.random.default_rng(1)
    answers = {"closed": 0, "open": 0}
    for number in range(40):
        states = np.zeros(2, STATE)
        deal_cards(compiled[0], states[0], number, np.array([number], np.uint64))
        seat = int(states[0]["to_move"])
        states[1] = states[0]
        others = [other for other in range(4) if other != seat]
        hidden = [card for other in others for card in range(52) if int(states[0]["hands"][other]) >> card & 1]
        dice.shuffle(hidden)
        for place, other in enumerate(others):
            states[1]["hands"][other] = sum(1 << card for card in hidden[13 * place : 13 * place + 13])
        chosen = {"closed": [], "open": []}
        for state in states:
            common = compiled[0], state, spec[0], Judge(judge.function, *judge.data())
            for kind, select in (("closed", choose_closed), ("open", choose)):
                card = select(*common, np.array([7], np.uint64), new_choice(4, new_counters()))
                chosen[kind].append(card)
        for kind, (one, two) in chosen.items():
            answers[kind] += one == two
    assert answers["closed"] == 40
    assert answers["open"] < 40


@pytest.mark.slow
def test_with_leaf_no_deal_is_learned_from_its_start():
    """TDLeaf learns from the ends of expected tricks: the state before the first card is never among them."""
    rules, start = compile_rules(Rules.parse("seed-queen")), np.zeros(1, STATE)
    deal_cards(rules[0], start[0], 0, np.array([substream(seed_key(3, "td"), 0)], np.uint64))
    for leaf in (False, True):
        trainer = TdTrainer("queen", TdParameters(orders="1", leaf=leaf), seed=3)
        trainer.notes = np.zeros(100, NOTE)
        before = trainer.network.weights.copy()
        trainer.step(0, 1)
        masks = np.zeros((SEATS, 2), np.uint64)
        trainer.network.extract(rules[0], start[0], masks)
        met = set(masks[:4, 0].tolist()) & set(trainer.notes["low"][: trainer.noted].tolist())
        assert len(met) == (0 if leaf else 4)
        assert not np.array_equal(trainer.network.weights, before)


@pytest.mark.slow
def test_growth_adds_what_explains_errors():
    """Errors that come from one triple alone: its parts are found on the way, then the triple itself."""
    dice = np.random.default_rng(1)
    notes = np.zeros(4000, NOTE)
    notes["low"] = dice.integers(0, 1 << 6, 4000)
    hit = np.uint64(0b100110)
    notes["error"] = 2.0 * ((notes["low"] & hit) == hit) + dice.normal(0, 0.5, 4000)
    singles = Conjunctions.of([[number] for number in range(6)])
    pairs = promising(singles, notes, 1, 3, 50)
    assert set(pairs) == {(1, 2), (1, 5), (2, 5)}
    network = Network(singles, np.arange(6, dtype=np.float32))
    grown = network.over(Conjunctions.of([*network.conjunctions, *pairs]))
    assert [grown.weights[grown.conjunctions.find([number])] for number in range(6)] == list(range(6))
    assert promising(grown.conjunctions, notes, 2, 1, 50) == [(1, 2, 5)]
    assert promising(grown.conjunctions, notes, 2, 1, 4000) == []


@pytest.mark.slow
def test_a_growing_run_can_be_resumed_and_has_the_size_that_was_asked_for(tmp_path):
    recipe = find_recipe("td-grown")
    changes = {"order": "3", "size": "400", "stage": "1000"}
    whole = train(new_run(tmp_path / "whole", recipe, 3, 3000, changes))
    part = train(new_run(tmp_path / "part", recipe, 3, 3000, changes), stop_after=2000)
    train(part)
    assert (tmp_path / "whole" / "model.npz").read_bytes() == (tmp_path / "part" / "model.npz").read_bytes()
    network = to_network(load_model(tmp_path / "whole"))
    assert whole.finished
    assert {len(atoms) for atoms in network.conjunctions} == {1, 2, 3}
    assert 350 < len(network.conjunctions) <= 400
    with pytest.raises(RecipeError, match="order=9: 2 to 8"):
        recipe.settings({"order": "9"})


# --- models and players ---


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    trainer = TdTrainer("full", TdParameters(orders="1,2"), seed=1)
    trainer.step(0, 300)
    path = tmp_path_factory.mktemp("models") / "full.npz"
    save_model(path, trainer.model())
    return path, trainer.network


@pytest.mark.slow
def test_a_model_keeps_every_weight(model_file):
    path, network = model_file
    again = to_network(load_model(path))
    assert set(again.conjunctions) <= set(network.conjunctions)
    for conjunction in again.conjunctions:
        assert (
            again.weights[again.conjunctions.find(conjunction)]
            == network.weights[network.conjunctions.find(conjunction)]
        )
    assert len(again.conjunctions) == int((network.weights != 0).sum())


@pytest.mark.slow
def test_models_become_players_and_evaluators(model_file):
    path, _ = model_file
    match = Match([make_player(f"td:{path}"), make_player("random")], Rules.parse("seed"), 3, seed=1, open=True)
    assert run_match(match).forfeits.sum() == 0
    for name in (f"td-closed:{path},worlds=3", f"uct:worlds=2,sims=20,cut=1,eval=td:{path}"):
        match = Match([make_player(name), make_player("random")], Rules.parse("standard"), 2, seed=1)
        assert run_match(match).forfeits.sum() == 0
    with pytest.raises(PlayerError, match="no such model"):
        make_player("td:/nowhere/model.npz")
    with pytest.raises(PlayerError, match="no option is called 'world'"):
        make_player(f"td:{path},world=3")
    with pytest.raises(EvaluatorError, match="no evaluator is called"):
        make_evaluator("nothing")


@pytest.mark.slow
def test_a_network_without_its_atoms_is_refused(model_file, tmp_path):
    path, _ = model_file
    model = load_model(path)
    strange = replace(model, names=("a feature of yours", *model.names[1:]))
    with pytest.raises(ModelError, match=r"nobody has added: .*'a feature of yours'"):
        to_network(strange)
    with pytest.raises(ModelError, match="do not fit together"):
        to_network(replace(model, arrays={**model.arrays, "weights": model.arrays["weights"][:-1]}))
    broken = np.where(model.arrays["weights"] == model.arrays["weights"][0], np.nan, model.arrays["weights"])
    with pytest.raises(ModelError, match="weights that are not numbers"):
        to_network(replace(model, arrays={**model.arrays, "weights": broken}))
    with pytest.raises(ModelError, match="lacks its"):
        to_network(replace(model, arrays={"weights": model.arrays["weights"]}))


@pytest.mark.slow
def test_selected_features_come_from_models(model_file):
    path, network = model_file
    trainer = TdTrainer("full", TdParameters(select=f"{path}:40"), seed=1)
    assert len(trainer.network.conjunctions) == 40
    largest = np.sort(np.abs(network.weights))[-40:]
    kept = [abs(network.weights[network.conjunctions.find(c)]) for c in trainer.network.conjunctions]
    assert sorted(kept) == pytest.approx(largest)


@pytest.mark.slow
def test_features_can_be_selected_by_their_effect(tmp_path):
    """Equal weights: what is active half of the time moves predictions more than what is rare, or always so."""
    lead, single, took_none = [36], [33], [64]
    network = Network(Conjunctions.of([lead, single, took_none]), np.full(3, 0.5, np.float32))
    support = support_in(network, watched_states(network, "seed-nomoon", deals=40))
    shares = [support[network.conjunctions.find(atoms)] for atoms in (lead, single, took_none)]
    assert shares[0] == pytest.approx(0.25), "one of four has the lead"
    assert 0 < shares[1] < 0.1 < shares[2] < 1
    save_model(tmp_path / "three.npz", to_model(network, "seed-nomoon"))
    chosen = chosen_conjunctions("full", TdParameters(select=f"{tmp_path / 'three.npz'}:2:effect"))
    assert set(chosen) == {(36,), (64,)}


@pytest.mark.slow
def test_features_that_say_the_same_count_once(tmp_path):
    """Who has an exit in diamonds has diamonds: three twins with a weight of 0.4 each weigh more than one with 1."""
    exit_in, lead, single, never = (16,), (36,), (33,), (33, 34)
    weights = {exit_in: 0.4, (14, 16): 0.4, (14, 16, 36): -0.7, (14,): 0.1, lead: 1.0, single: 0.2, never: 3.0}
    network = Network(Conjunctions.of(weights))
    for atoms, weight in weights.items():
        if (node := network.conjunctions.find(atoms)) is not None:
            network.weights[node] = weight
    twins = signatures_in(network, watched_states(network, "seed-nomoon", deals=200))
    at = {atoms: twins[network.conjunctions.find(atoms)] for atoms in weights if atoms != never}
    assert at[exit_in] == at[14, 16] != 0
    assert len(set(at.values())) == len(at) - 1, "nothing else is the same"
    save_model(tmp_path / "twins.npz", to_model(network, "seed-nomoon"))
    picked = chosen_conjunctions("full", TdParameters(select=f"{tmp_path / 'twins.npz'}:3:distinct"))
    assert set(picked) == {lead, exit_in, (14, 16, 36)}, "by weight (14, 16) would be among them"
    assert (14, 16) not in select_distinct(network, twins, 6)


@pytest.mark.slow
def test_features_can_be_selected_by_how_well_they_fit_together(tmp_path):
    """Having the lead is said twice, once with a detail that hardly matters: by effect both are taken, by fit one."""
    lead, lead_too, single, took_none = (36,), (36, 64), (33,), (64,)
    weights = {lead: 3.0, lead_too: 2.0, single: 2.0, took_none: 0.5}
    network = Network(Conjunctions.of(weights))
    for atoms, weight in weights.items():
        network.weights[network.conjunctions.find(atoms)] = weight
    save_model(tmp_path / "four.npz", to_model(network, "seed-nomoon"))

    def chosen(criterion):
        return set(chosen_conjunctions("full", TdParameters(select=f"{tmp_path / 'four.npz'}:2:{criterion}")))

    assert chosen("effect") == {lead, lead_too}
    assert lead in chosen("fit")
    assert lead_too not in chosen("fit")


@pytest.mark.slow
def test_elimination_lets_the_rest_learn_what_was_dropped(capsys):
    """One thing said nine times over: what is left of it takes over the weight of the others."""
    atoms = [(64,), *((number, 64) for number in range(33, 41))]
    network = Network(Conjunctions.of(atoms))
    network.weights[network.conjunctions.live] = 0.4
    network.weights[network.conjunctions.find((64,))] = 0.5
    left = eliminate(network, "seed-nomoon", 2, deals=200)
    assert (64,) in set(left.conjunctions)
    assert len(left.conjunctions) == 2
    assert left.weights[left.conjunctions.find((64,))] > 1.0, "it stands for all of them now"
    assert "4 of 9 conjunctions left, 2 wanted" in capsys.readouterr().err
    assert best_conjunctions(network, "seed-nomoon", 9, "elimination") == select_by_weight(network, 9), "nothing to do"


@pytest.mark.parametrize("select", ["td:0", "td:5:best", "td", ":5"])
def test_a_wrong_selection_is_named(select):
    with pytest.raises(ValueError, match=f"select={select}: write MODEL:COUNT or MODEL:COUNT:CRITERION, one of weight"):
        TdTrainer("full", TdParameters(select=select), seed=1)


@pytest.mark.slow
def test_a_run_keeps_its_selected_features_when_their_source_changes(model_file, tmp_path):
    source = tmp_path / "source.npz"
    source.write_bytes(model_file[0].read_bytes())
    recipe = find_recipe("td-full")
    changes = {"select": f"{source}:40"}
    train(new_run(tmp_path / "whole", recipe, 3, 2000, changes))
    part = train(new_run(tmp_path / "part", recipe, 3, 2000, changes), stop_after=1000)
    save_model(source, to_model(Network(Conjunctions.of([[0], [36]]), np.ones(2, np.float32)), "seed-nomoon"))
    train(part)
    assert (tmp_path / "whole" / "model.npz").read_bytes() == (tmp_path / "part" / "model.npz").read_bytes()
    assert len(chosen_conjunctions("full", TdParameters(**changes))) == 2, "a changed file is read again"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"orders": "0"}, "orders=0: write numbers from 1 to 8"),
        ({"rate": "-1"}, "rate=-1.0: between 0 and 1"),
        ({"rate": "nan"}, "rate=nan: between 0 and 1"),
        ({"halving": "-5"}, "halving=-5.0: a number of deals"),
        ({"select": "td:5", "clauses": "yes"}, "clauses=yes goes with orders"),
        ({"partners": "nobody"}, "partners=nobody is unknown; choose from expert, self"),
        ({"partners": "expert"}, "views=4 needs partners=self.*add views=1"),
        ({"orders": "one"}, "orders=one: write numbers"),
        ({"decay": "2"}, "decay=2.0: between 0 and 1"),
        ({"worlds": "3", "partners": "expert", "views": "1"}, "worlds=3: a number of worlds, with partners=self"),
    ],
)
def test_wrong_parameters_are_named(changes, sentence):
    with pytest.raises(RecipeError, match=sentence):
        find_recipe("td-queen").settings(changes)


@pytest.mark.parametrize("rules", ["standard", "seed,passing=left", "seed,doubler=TC"])
def test_rules_that_training_does_not_know_are_refused(rules):
    recipe = find_recipe("td-full")
    with pytest.raises(ValueError, match=f"without passing and without a doubler, not under {rules}"):
        recipe.make(recipe.settings({"rules": rules, "orders": "1"}), 0)


@pytest.mark.slow
def test_the_bonus_is_not_foreseen():
    """The evaluator adds it: what is learned are penalty points, which are never below zero."""
    trainer = TdTrainer("full", TdParameters(rules="seed-nomoon,bonus=JD", orders="1"), 1)
    assert min(trainer.step(number, 1)[0]["points"] for number in range(60)) == 0


def test_a_change_of_weights_is_seen_when_it_is_announced():
    chosen = Conjunctions.exhaustive(TASKS["queen"].atoms, [1])
    network = Network(chosen, np.full(60, 0.1, np.float32))
    judge = network.evaluator()
    memory, out = judge.scratch(), np.zeros(SEATS)
    deal = Deal("seed-queen", seed=1)
    arguments = deal._compiled[0], deal._states[0], 0, judge.floats, judge.ints, memory, out
    judge.function(*arguments)
    first = out.copy()
    network.weights[chosen.live] = 0.2
    memory.view(np.uint64)[CHANGE] += np.uint64(1)
    judge.function(*arguments)
    assert out[:4] == pytest.approx(2 * first[:4])


@pytest.mark.slow
def test_a_model_is_small_and_says_where_it_comes_from(model_file):
    path, _ = model_file
    model = load_model(path, "td")
    assert model.rules == "seed-nomoon"
    assert model.extras["task"] == "full"
    assert to_model(to_network(model), model.rules).names == model.names


@pytest.mark.slow
@pytest.mark.parametrize("search", ["paranoid", "softmaxn"])
def test_the_learner_may_search_otherwise(search):
    """Training by another search plays other cards, so that other weights come out."""
    made = []
    for kind in ("maxn", search):
        trainer = TdTrainer("full", TdParameters(orders="1", search=kind), seed=1)
        trainer.step(0, 20)
        made.append(trainer.network.weights.copy())
    assert not np.array_equal(*made)
    with pytest.raises(ValueError, match="search=best: one of maxn, paranoid, softmaxn"):
        TdParameters(search="best")


@pytest.mark.slow
def test_values_can_be_cut_to_the_whole_deal():
    """With cut=whole the bounds are none and all points, whatever a seat has; the model remembers it."""
    trainer = TdTrainer("full", TdParameters(orders="1", cut="whole"), seed=1)
    trainer.network.weights[:] = -100.0
    deal = Deal("seed-nomoon", seed=1)
    while deal._states[0]["trick_size"] or not any(deal.points):
        deal.play(sorted(deal.legal)[-1])
    rules, out = compile_rules(deal.rules), np.zeros(SEATS)
    lows = []
    for network in (trainer.network, to_network(trainer.model()), Network(trainer.network.conjunctions)):
        network.weights[:] = -100.0
        judge = network.evaluator()
        judge.function(rules[0], deal._states[0], 0, *judge.data(), out)
        lows.append(out[:4].copy())
    assert (lows[0] == 0.01).all()
    assert (lows[1] == 0.01).all()
    assert lows[2] == pytest.approx(np.array(deal.points) + 0.01)
    with pytest.raises(ValueError, match="cut=half: one of possible, whole"):
        TdParameters(cut="half")
