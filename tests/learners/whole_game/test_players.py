"""The players of the whole game: choices, rules, budgets, the look ahead, the score, and explanations."""

import json
from itertools import permutations

import numpy as np
import pytest
from support import whole_game_twin as twin
from support.whole_game_players import halfway, nets

from heartlab import Deal, Rules, make_player
from heartlab.cards import CardSet
from heartlab.compiled.rng import seed_key
from heartlab.kernel.layout import STATE
from heartlab.learners.whole_game.ace import AcePlayer, Plan, candidates, worth_trying
from heartlab.learners.whole_game.explain import Opinion, WholeGameExplainer
from heartlab.learners.whole_game.model import Learned, load_learned, make_model, worth_weights
from heartlab.learners.whole_game.network import HEADS, SHOT
from heartlab.learners.whole_game.player import NetPlayer, Parts
from heartlab.learners.whole_game.score import Score, packed, unpacked, win_chances
from heartlab.learners.whole_game.words import card_names, pass_names, position_names
from heartlab.players.base import Observations
from heartlab.players.registry import PlayerError
from heartlab.search.roots import draw_worlds
from heartlab.training.explain import Decision, Question
from heartlab.training.model import ModelError, save_model

pytestmark = pytest.mark.slow  # the look ahead compiles for long


def ace(**plan):
    return AcePlayer(Parts(*nets(), None, None, None), Plan(**plan))


@pytest.fixture
def model(tmp_path):
    """A model with random weights, and chances of which nobody has won before."""
    chances = np.full((26,) * 4, 0.25, np.float32)
    save_model(tmp_path / "net.npz", make_model(*nets(), Rules.parse("standard"), packed(chances)))
    return tmp_path / "net.npz"


def finish(deal, player):
    while deal.to_pass:
        seat = deal.to_pass[0]
        deal.pass_cards(seat, player.pass_cards(deal.observe(seat)))
    while deal.to_move is not None:
        deal.play(player.play(deal.observe(deal.to_move)))
    return deal


@pytest.mark.parametrize("rules", ["standard", "seed", "omnibus", "gnome", "openspiel", "standard,passing=hold"])
def test_they_play_the_rules_they_know(rules):
    for player in (NetPlayer(*nets()), ace(worlds=2)):
        player.check_rules(Rules.parse(rules))
        assert finish(Deal(rules, seed=2, number=1), player).points


@pytest.mark.parametrize(
    ("rules", "needed"),
    [
        ("standard,players=3", "four players"), ("spot", "hearts of one point"), ("black-maria", "four players"),
        ("standard,doubler=TC", "no card that doubles"), ("standard,pass_count=4", "a pass of at most 3"),
        ("standard,passing=scatter", "a pass of at most 3"), ("standard,bonus=TD", "no bonus card but J♦"),
        ("standard,no_tricks=-5", "no bonus for taking no trick"), ("standard,king_points=10", "no points for other"),
    ],
)  # fmt: skip
def test_they_refuse_other_rules_in_a_sentence(rules, needed):
    with pytest.raises(PlayerError, match=needed):
        NetPlayer(*nets()).check_rules(Rules.parse(rules))


def test_the_network_plays_the_card_with_the_best_prediction():
    playing, passing = nets()
    player, weights = NetPlayer(playing, passing), worth_weights(Rules.parse("standard"))
    for cards in range(4, 44, 3):
        obs = halfway(5, cards).observe(halfway(5, cards).to_move)
        choices = candidates(Observations.of(obs)).tolist()
        known = twin.rows_of(twin.position_features(obs))
        worth = {card: twin.forward(playing, known, twin.card_rows(obs, card))[2] @ weights for card in choices}
        assert worth[player.play(obs)] == pytest.approx(min(worth.values()), abs=1e-4)


def test_caution_is_the_weight_of_another_moon():
    """With much of it the network plays the card after which another's moon is least likely, by the twin."""
    playing, passing = nets()
    player, bold = NetPlayer(playing, passing, caution=1e5), NetPlayer(playing, passing)
    chosen = []
    for cards in range(4, 44, 3):
        obs = halfway(5, cards).observe(halfway(5, cards).to_move)
        choices = candidates(Observations.of(obs)).tolist()
        known = twin.rows_of(twin.position_features(obs))
        risk = {card: twin.forward(playing, known, twin.card_rows(obs, card))[2][SHOT] for card in choices}
        assert risk[player.play(obs)] == pytest.approx(min(risk.values()), abs=1e-4)
        chosen.append((player.play(obs), bold.play(obs)))
    assert any(one != other for one, other in chosen)
    weights = ace(worlds=2).weights(Observations.of(halfway().observe(halfway().to_move)))
    assert weights == pytest.approx(worth_weights(Rules.parse("standard")))


def test_a_model_comes_back_and_a_wrong_one_is_refused(model, tmp_path):
    learned = load_learned(str(model))
    assert isinstance(learned, Learned)
    for mine, loaded in zip(nets()[0], learned.playing, strict=True):
        assert loaded == pytest.approx(mine, abs=2e-3)
    made = make_model(*nets(), Rules.parse("standard"))
    for name, array in (("play/position", np.zeros((5, 16))), ("pass/heads", np.full((HEADS, 4), np.nan))):
        save_model(tmp_path / "bad.npz", type(made)(made.kind, {**made.arrays, name: array}))
        with pytest.raises(ModelError, match=r"bad\.npz"):
            load_learned(str(tmp_path / "bad.npz"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("ms=0", "ms=0 needs a number above zero"), ("ms=fast", "ms=fast needs a number"),
        ("tricks=1.5", "a whole number"), ("ms=5,worlds=5", "two ways to say how long"),
        ("wolrds=5", "there is no option wolrds; there are model, score,"),
        ("prior=-1", "prior=-1 needs a number of at least"), ("caution=much", "caution=much needs a number"),
        ("belief=yes", "the model has no belief"), ("pass=nobody", "no player is called"),
        ("score=maybe", "score=maybe needs yes or no"),
    ],
)  # fmt: skip
def test_wrong_options_are_a_sentence(model, options, words):
    with pytest.raises(PlayerError, match=words):
        make_player(f"ace:model={model},{options}")


def test_threads_do_not_change_what_ace_finds():
    batch = Observations.of(halfway().observe(halfway().to_move))
    one, three = (ace(worlds=40, threads=threads).think(batch) for threads in (1, 3))
    assert one.choices.tolist() == three.choices.tolist()
    assert (one.heads == three.heads).all()


def test_a_look_ahead_to_the_end_is_the_deal_played_on():
    """With all tricks played out in worlds that are known, the network plays the rest of each deal itself."""
    playing, passing = nets()
    net = NetPlayer(playing, passing)
    deal = halfway(cards=40)
    seat = deal.to_move
    batch = Observations.of(deal.observe(seat))
    thought = ace(worlds=8, tricks=13, prior=0.0).think(batch)
    worlds, keys = np.zeros((1, 8), STATE), np.zeros((1, 8), np.uint64)
    draw_worlds(batch.compiled, batch.records, 0, 8, worlds, keys)
    weights = worth_weights(deal.rules)
    for world, heads in zip(worlds[0], thought.heads, strict=True):
        for card, found in zip(thought.choices.tolist(), heads, strict=True):
            copy = Deal("standard", seed=3, number=3)
            copy._states[0] = world
            before = copy.taken[seat]
            copy.play(int(card))
            while copy.to_move is not None:
                copy.play(net.play(copy.observe(copy.to_move)))
            gained = set(copy.taken[seat]) - set(before)
            assert found[0] == (36 in gained)
            assert found[1] == len([one for one in gained if one >= 39])
    assert thought.worth == pytest.approx((thought.heads @ weights).mean(axis=0))


def test_a_choice_that_is_clearly_worse_is_given_up():
    dice = np.random.default_rng(1)
    values = dice.normal(0.0, 1.0, (60, 1)) + dice.normal(0.0, 0.3, (60, 4)) + [0.0, 0.1, 3.0, 0.0]
    assert worth_trying(values).tolist() == [True, True, False, True]


def test_a_budget_of_time_ends_and_plays_a_legal_card():
    player = ace(milliseconds=0.001)
    deal = halfway()
    assert player.play(deal.observe(deal.to_move)) in deal.legal
    fresh = Deal("standard", seed=1)
    assert len(CardSet(player.pass_cards(fresh.observe(0)))) == 3


def test_passes_are_tried_where_the_network_likes_them():
    playing, passing = nets()
    batch = Observations.of(Deal("standard", seed=4).observe(2))
    thought = ace(worlds=16).think_pass(batch)
    hand = int(batch.records[0]["hand"])
    assert all(mask.bit_count() == 3 and mask & ~hand == 0 for mask in thought.choices.tolist())
    at_once = ace(milliseconds=0.0).think_pass(batch)
    assert at_once.choices[0] == NetPlayer(playing, passing).choose_passes(batch)[0]
    assert 10 <= len(at_once.choices) == len(set(at_once.choices.tolist()))


# --- the score ---


def exact_chances(deals, limit):
    """The chance to win by recursion over exact totals, for a tiny game."""
    known = {}

    def chance(totals):
        if max(totals) >= limit:
            least = min(totals)
            return (totals[0] == least) / totals.count(least)
        if totals not in known:
            known[totals] = np.mean([chance(tuple(t + p for t, p in zip(totals, deal, strict=True))) for deal in deals])
        return known[totals]

    return chance


def test_chances_to_win_are_those_of_exact_recursion():
    """With points that are multiples of the grid's step nothing is rounded."""
    deals = [[8, 4, 4, 0], [0, 4, 4, 8], [4, 4, 4, 4], [12, 0, 0, 4]]
    rules = Rules.parse("standard,limit=24")
    orders = [order for deal in deals for order in permutations(deal)]
    chances = win_chances(np.array(orders), rules, seed_key(1, "test"))
    exact = exact_chances(orders, 24)
    for totals in ((0, 0, 0, 0), (20, 4, 8, 0), (0, 20, 16, 16), (8, 12, 20, 4)):
        assert chances[tuple(t // 4 for t in totals)] == pytest.approx(exact(totals), abs=1e-5)
        assert Score(chances, np.array(deals), 24).chance(totals) == pytest.approx(exact(totals), abs=1e-5)
    assert (unpacked(packed(chances)) == chances.astype(np.float16)).all()


def test_a_table_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="wrong shape"):
        unpacked(np.zeros((5, 7), np.float16))


SOME_DEALS = np.array([[13, 6, 4, 3], [2, 20, 4, 0], [26, 0, 26, 26], [5, 7, 7, 7], [0, 1, 18, 7], [14, 2, 9, 1]])


def test_weights_are_those_of_least_squares():
    """By NumPy: the chance after each deal against the hearts and Q♠ of the first seat; deals with a moon left out."""
    chances = np.random.default_rng(0).uniform(0.0, 1.0, (26,) * 4).astype(np.float32)
    score, rules, totals = Score(chances, SOME_DEALS, 100), Rules.parse("standard"), [30, 52, 9, 71]
    plain = score.deals[score.deals.sum(axis=1) == 26]
    assert len(plain) == 4 * (len(SOME_DEALS) - 1)
    own, queen = plain[:, 0], plain[:, 0] >= 13
    terms = np.stack([np.ones(len(plain)), own - 13 * queen, queen], axis=1)
    after = [score.chance(np.array(totals) + deal) for deal in plain]
    start, heart, black = np.linalg.lstsq(terms, np.array(after), rcond=None)[0]
    shot = [score.chance(np.array(totals) + 26 * (np.arange(4) != seat)) for seat in range(4)]
    wanted = np.array([-black, -heart, start + 13 * heart + black - shot[0], start - np.mean(shot[1:]), 0.0])
    found = score.weights(totals, rules) - 0.02 * worth_weights(rules)
    assert found / found[0] == pytest.approx(wanted / wanted[0], rel=1e-5)
    assert np.abs(found).max() == pytest.approx(52.0)


def test_weights_follow_the_totals():
    rules = Rules.parse("standard")
    orders = np.array([order for deal in SOME_DEALS for order in permutations(deal.tolist())])
    score = Score(win_chances(orders, rules, seed_key(1, "test")), SOME_DEALS, 100)
    even, last = score.weights([0, 0, 0, 0], rules), score.weights([50, 97, 50, 50], rules)
    assert even[0] > 5 * even[1] > 0 > even[2]
    assert last[0] > even[0]  # the game ends with this deal: Q♠ decides
    lost = score.weights([99, 99, 0, 99], rules)
    assert lost == pytest.approx(0.02 * worth_weights(rules), abs=1e-9)  # only points are left


def test_the_pass_of_another_player(model):
    fresh = Deal("standard", seed=1)
    for player in (
        make_player(f"net:model={model},pass=gnome:jake"),
        make_player(f"ace:model={model},pass=gnome:jake"),
    ):
        assert player.pass_cards(fresh.observe(0)) == make_player("gnome:jake").pass_cards(fresh.observe(0))


def test_the_prior_is_the_opinion_of_the_network():
    """With a huge prior and few worlds the look ahead chooses as the network does; else worlds count as well."""
    obs = halfway().observe(halfway().to_move)
    batch = Observations.of(obs)
    assert ace(worlds=2, prior=1e5).think(batch).best == NetPlayer(*nets()).play(obs)
    thought = ace(worlds=5, prior=7.0).think(batch)
    opinion = {one.card: one.worth for one in Opinion(nets()[0], obs).cards}
    shown = (thought.heads @ worth_weights(obs.rules)).mean(axis=0)
    wanted = [(7 * opinion[int(card)] + 5 * mean) / 12 for card, mean in zip(thought.choices, shown, strict=True)]
    assert thought.worth == pytest.approx(wanted, abs=1e-4)


# --- words ---


def test_every_feature_has_a_name_of_its_own():
    for names in (position_names(), card_names(), *pass_names()):
        assert len(set(names)) == len(names)
        assert all(name == name.strip() and "  " not in name for name in names)


def test_effects_of_facts_are_what_leaving_them_out_changes():
    playing, _ = nets()
    obs = halfway().observe(halfway().to_move)
    opinion = Opinion(playing, obs)
    best = opinion.cards[0]
    rows, cards = twin.rows_of(twin.position_features(obs)), twin.card_rows(obs, best.card)
    names = position_names()
    for fact in opinion.facts_for(best.card, 1, 5):
        without = [row for row in rows if names[row] != fact.text]
        gap = twin.forward(playing, rows, cards)[2][1] - twin.forward(playing, without, cards)[2][1]
        assert fact.effect == pytest.approx(gap, abs=1e-4)


def test_explanations_are_printed_and_reported(model, capsys, tmp_path):
    decision = Decision(tmp_path / "deal", 1, halfway(), None, None)
    explainer, said = WholeGameExplainer(), []
    explainer.describe_model(str(model), None)
    explainer.describe_choice(str(model), decision, Question(top=2), None)
    shown = capsys.readouterr().out
    assert "two networks, trained under standard" in shown
    assert "the network plays" in shown
    explainer.describe_model(str(model), said.append)
    explainer.describe_choice(str(model), decision, Question(top=2), said.append)
    assert json.loads(json.dumps(said[1]))["choice"] in [one["card"] for one in said[1]["cards"]]
