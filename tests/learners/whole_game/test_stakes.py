"""The look ahead for the game: what is left of a deal is shared out, and the chance to win after that is looked up."""

import numpy as np
import pytest
from support.whole_game_players import halfway, nets

from heartlab import Deal, Rules, make_player
from heartlab.compiled.rng import seed_key, uniform
from heartlab.kernel.layout import STATE
from heartlab.learners.whole_game.ace import AcePlayer, Plan
from heartlab.learners.whole_game.model import worth_weights
from heartlab.learners.whole_game.network import HEADS, SHOOT, TAKE_HEARTS, TAKE_JACK, TAKE_QUEEN
from heartlab.learners.whole_game.player import NetPlayer, Parts
from heartlab.learners.whole_game.score import Score, win_chances
from heartlab.learners.whole_game.stakes import games_lost, new_rest
from heartlab.players.base import Observations
from heartlab.search.roots import draw_worlds

pytestmark = pytest.mark.slow  # the look ahead compiles for long

HEARTS, QUEEN = range(39, 52), 36
DEALS = np.array([[13, 6, 4, 3], [2, 20, 4, 0], [26, 0, 26, 26], [5, 7, 7, 7], [0, 1, 18, 7], [14, 2, 9, 1]])


@pytest.fixture(scope="module")
def score():
    chances = win_chances(np.concatenate([DEALS, DEALS[:, ::-1]]), Rules.parse("standard"), seed_key(3, "test"))
    return Score(chances, DEALS, 100)


def ace(score, caution=1.0, **plan):
    return AcePlayer(Parts(*nets(), score, None, None, caution), Plan(**plan))


def at_totals(deal, totals):
    """The observation of the seat to move in the middle of a game."""
    obs = deal.observe(deal.to_move)
    obs.records["scores"][0][:4] = totals
    return Observations.of(obs)


def test_a_look_ahead_to_the_end_is_the_chance_to_win_after_the_deal(score):
    """With all tricks played out nothing is foreseen: the worth is that of the totals after the deal."""
    totals, rules = [61, 80, 12, 93], Rules.parse("standard")
    deal = halfway(cards=36)
    seat = deal.to_move
    batch = at_totals(deal, totals)
    player = ace(score, worlds=6, tricks=13, prior=0.0)
    thought = player.think(batch)
    mine, plain = NetPlayer(*nets(), score), NetPlayer(*nets())
    worlds, keys = np.zeros((1, 6), STATE), np.zeros((1, 6), np.uint64)
    draw_worlds(batch.compiled, batch.records, 0, 6, worlds, keys)
    own_first = np.roll(totals, -seat)
    scale = score.scale(own_first, rules)
    for world, tried in zip(worlds[0], thought.heads, strict=True):
        for card, found in zip(thought.choices.tolist(), tried, strict=True):
            copy = Deal("standard", seed=3, number=3)
            copy._states[0] = world
            copy.play(int(card))
            while copy.to_move is not None:
                obs = copy.observe(copy.to_move)
                obs.records["scores"][0][:4] = totals
                copy.play((mine if copy.to_move == seat else plain).play(obs))
            chance = score.chance(np.roll(np.array(totals) + copy.points, -seat))
            taken = set(copy.taken[seat])
            heads = [QUEEN in taken, len(taken & set(HEARTS)), copy.shooter == seat]
            heads += [copy.shooter not in (None, seat), 22 in taken]
            assert found[0] == pytest.approx(-scale * chance + 0.02 * np.dot(worth_weights(rules), heads), abs=1e-3)


def shared_out(stakes, taken, root, final, draws):
    """What `games_lost` should be, in plain Python: the mean chance over who takes Q♠ and who shoots."""
    seats = [(root + i) % 4 for i in range(4)]
    mine = [[card for card in taken[seat] if card == QUEEN or card in HEARTS] for seat in seats]
    takers = [i for i in range(4) if mine[i]]
    left = 13 - sum(card in HEARTS for cards in mine for card in cards)
    moon = np.zeros(4)
    for i, seat in enumerate(seats):
        if stakes.moon[0] != stakes.moon[1] and takers in ([], [i]) and final[seat, SHOOT] >= 0.01:
            moon[i] = min(1.0, final[seat, SHOOT]) * (stakes.caution if i else 1.0)
    queen = np.array([max(0.0, final[seat, TAKE_QUEEN] - moon[i]) for i, seat in enumerate(seats)])
    if any(QUEEN in cards for cards in mine):
        queen = np.array([float(QUEEN in cards) for cards in mine])
    share = np.array(
        [max(0.05, final[seat, TAKE_HEARTS] - sum(card in HEARTS for card in mine[i]) - moon[i] * left)
         for i, seat in enumerate(seats)]
    )  # fmt: skip
    moon /= max(1.0, moon.sum())
    queen = queen / queen.sum() if queen.sum() > 0 else np.full(4, 0.25)
    base = stakes.totals + stakes.bonus * np.clip([final[seat, TAKE_JACK] for seat in seats], 0.0, 1.0)
    hearts = np.array([sum(card in HEARTS for card in cards) for cards in mine], float)
    for draw in draws[:left]:
        hearts[min(3, int(np.searchsorted(np.cumsum(share / share.sum()), draw, side="right")))] += 1
    board = Score(stakes.chances, DEALS, stakes.limit)
    worth = [(moon[i], base + np.where(np.arange(4) == i, stakes.moon[0], stakes.moon[1])) for i in range(4) if moon[i]]
    left_over = 1.0 - moon.sum()
    worth += [(left_over * queen[i], base + hearts + 13 * (np.arange(4) == i)) for i in range(4)]
    chance = sum(weight * board.chance(after) for weight, after in worth if weight > 0)
    return -stakes.scale * chance + stakes.points @ final[root]


@pytest.mark.parametrize("rules", ["standard", "standard,moon=self", "standard,moon=off", "omnibus"])
def test_the_rest_of_a_deal_is_shared_out_as_in_plain_python(score, rules):
    dice = np.random.default_rng(5)
    moons = 0
    for number in range(60):
        deal = Deal(rules, seed=11, number=number)
        deal.play_randomly(seed=number)
        deal = deal.before(int(dice.integers(1, 53)))
        root = int(dice.integers(4))
        batch = at_totals(deal, dice.integers(0, 99, 4).tolist())
        stakes = ace(score, caution=2.0).stakes(batch)
        final = dice.normal(0.3, 0.4, (4, HEADS)) * [1, 6, 1, 1, 1]
        rng = np.array([seed_key(number, "test")], np.uint64)
        draws_rng = rng.copy()
        draws = [uniform(draws_rng) for _ in range(13)]
        found = games_lost(stakes, deal._states[0], root, final, new_rest(), rng)
        taken = [list(cards) for cards in deal.taken]
        assert found == pytest.approx(shared_out(stakes, taken, root, final, draws), abs=1e-4)
        moons += stakes.moon[0] != stakes.moon[1]
    assert moons == (0 if rules.endswith("off") else 60)


def test_for_the_game_it_matters_who_takes_the_queen(score):
    """Q♠ for the seat at 90 points ends the game, and the rival at 10 wins it; Q♠ for the rival does not."""
    deal = Deal("standard", seed=1, number=3)
    batch = at_totals(deal, [0, 0, 0, 0])
    batch.records["scores"][0][:4] = np.roll([20, 90, 60, 10], int(batch.records["seat"][0]))
    stakes = ace(score).stakes(batch)
    worth = []
    for taker in (1, 3):
        final = np.zeros((4, HEADS))
        final[(int(batch.records["seat"][0]) + taker) % 4, TAKE_QUEEN] = 1.0
        final[:, TAKE_HEARTS] = 3.25
        root = int(batch.records["seat"][0])
        worth.append(games_lost(stakes, deal._states[0], root, final, new_rest(), np.zeros(1, np.uint64)))
    assert worth[1] < worth[0] - 1.0  # better if the rival at 10 points takes it


def test_at_the_first_deal_points_count(score):
    player = ace(score, worlds=2)
    batch = at_totals(halfway(), [0, 0, 0, 0])
    assert player.stakes(batch) is None
    assert player.think(batch).heads.shape[2] == HEADS
    assert player.think(at_totals(halfway(), [0, 0, 5, 21])).heads.shape[2] == 1


@pytest.mark.parametrize(("rules", "totals", "counted"), [
    ("standard", [10, 0, 30, 40], [10, 0, 30, 40]),
    ("standard,limit=50", [10, 0, 30, 40], [60, 50, 80, 90]),
    ("standard,limit=250", [10, 0, 30, 40], None),
    ("standard,limit=250", [160, 180, 10, 90], [10, 30, -140, -60]),
    ("standard,deals=4", [10, 0, 30, 40], None),
])  # fmt: skip
def test_what_is_left_to_the_limit_counts(score, rules, totals, counted):
    deal = Deal(rules, seed=3, number=3)
    obs = deal.observe(deal.to_move)
    obs.records["scores"][0][:4] = np.roll(totals, deal.to_move)
    found = ace(score).totals(Observations.of(obs))
    assert (None if found is None else found.tolist()) == counted


def test_weights_are_not_changed_by_asking_twice(score):
    player = ace(score, caution=3.0)
    batch = at_totals(halfway(), [30, 40, 50, 60])
    assert (player.weights(batch) == player.weights(batch)).all()


def test_passes_are_tried_for_the_game(score):
    fresh = Deal("standard", seed=4)
    obs = fresh.observe(2)
    obs.records["scores"][0][:4] = [70, 20, 88, 40]
    batch = Observations.of(obs)
    thought = ace(score, worlds=16).think_pass(batch)
    hand = int(batch.records[0]["hand"])
    assert all(mask.bit_count() == 3 and mask & ~hand == 0 for mask in thought.choices.tolist())
    assert thought.heads.shape[2] == 1


def test_the_shipped_model_plays_for_the_game():
    player = make_player("ace:worlds=4,score=yes")
    batch = at_totals(halfway(), [30, 40, 50, 60])
    assert int(player.choose_cards(batch)[0]) in halfway().legal
