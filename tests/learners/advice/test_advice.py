"""Advice against its plain twins: pieces, abstractions, votes, and learning from games card by card."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.advice_twin import (
    Situation,
    abstraction_values,
    certain_cards,
    scores_of,
    softmax_shares,
    suggestions,
    wins_points,
)
from support.strategies import examples

from heartlab.cards import CardSet
from heartlab.compiled.bits import ONE
from heartlab.deal import Deal
from heartlab.kernel.layout import compile_rules
from heartlab.kernel.ranks import HEARTS
from heartlab.learners.advice.games import AdviceTable, Sitter, constant, reward_range, sitter, tournament
from heartlab.learners.advice.player import VoterPlayer, load_voter
from heartlab.learners.advice.policy import draw
from heartlab.learners.advice.registry import (
    AdviceError,
    abstraction,
    find_abstractions,
    find_pieces,
    known_abstractions,
    known_pieces,
    piece,
)
from heartlab.learners.advice.trainer import AdviceParameters, AdviceTrainer, NetParameters, make_learner
from heartlab.learners.advice.vote import CONSTANT, LINEAR, NET, TABULAR, THOUGHT, Choice, make_voter
from heartlab.learners.advice.vote_trainer import VoteParameters, VoteTrainer
from heartlab.players import make_player
from heartlab.players.base import Observations
from heartlab.rules import Rules
from heartlab.training.model import ModelError, save_model
from heartlab.training.run import begin, train

RULES = [
    "advice",
    "advice,hearts=broken,removed=2C,kitty=none",
    "standard",
    "seed,bonus=TD",
    "standard,players=5,passing=hold",
]
WHOLE_DEALS = dict(zip(RULES, [(32, 18), (45, 1), (32, 1), (32, 2, 1), (23, 26)], strict=True))
"""Deals in which, played for the moon, every piece speaks at least twice."""
ADVICE = Rules.parse("advice")


def position(rules: str, seed: int, cards: int):
    """What the seat to move sees after some random cards; or before the last card."""
    deal = Deal(rules, seed=seed, number=3)
    dice = random.Random(seed)
    for seat in list(deal.to_pass):
        deal.pass_cards(seat, dice.sample(sorted(deal.observe(seat).may_pass), deal.rules.pass_count))
    high = dice.random() < 0.3  # somebody who takes everything, so that moons come up
    while len(deal.history) < cards and len(deal.history) < deal.rules.players * deal.rules.hand_size - 1:
        legal = sorted(deal.legal, key=lambda card: card % 13)
        deal.play(legal[-1] if high and deal.to_move == 0 else legal[0] if high else dice.choice(legal))
    return deal.observe(deal.to_move)


def think(obs, voters, floats):
    """A card and the thought behind it."""
    player = VoterPlayer("test", voters, np.asarray(floats, np.float64))
    cards, thoughts = player.think(Observations(obs.rules, compile_rules(obs.rules), obs.records))
    return int(cards[0]), thoughts[0]


def masks(thought, pieces):
    return {one.name: set(CardSet(int(thought["masks"][i]))) for i, one in enumerate(pieces)}


def along(rules: str, seed: int, moon: bool = True):
    """What the seat to move sees at every card of a deal.

    :param moon: seat 0 takes what it can and the others what they must, so that moons come up; else cards are random.
    """
    deal = Deal(rules, seed=seed, number=3)
    dice = random.Random(seed)
    for seat in list(deal.to_pass):
        deal.pass_cards(seat, dice.sample(sorted(deal.observe(seat).may_pass), deal.rules.pass_count))
    while len(deal.history) < deal.rules.players * deal.rules.hand_size - 1:
        yield deal.observe(deal.to_move)
        legal = sorted(deal.legal, key=lambda card: card % 13)
        deal.play(dice.choice(legal) if not moon else legal[-1] if deal.to_move == 0 else legal[0])


def searched(obs):
    """What the piece that searches suggests."""
    voters = make_voter(CONSTANT, find_pieces("avoid-points-search"))
    return set(CardSet(int(think(obs, voters, np.ones(1))[1]["masks"][0])))


# --- pieces and abstractions ---


@given(st.sampled_from(RULES), st.integers(0, 10**6), st.integers(0, 51))
@examples(150)
def test_pieces_agree_with_their_twins(rules, seed, cards):
    obs = position(rules, seed, cards)
    pieces = find_pieces("all")
    _, thought = think(obs, make_voter(CONSTANT, pieces), np.ones(len(pieces)))
    found, expected = masks(thought, pieces), suggestions(obs, certain=False)
    assert set(expected) == {one.name for one in pieces} - {"avoid-points-search"}
    for name, suggested in expected.items():
        assert found[name] == suggested, name
    assert all(suggested <= set(obs.legal) for suggested in found.values())


@pytest.mark.parametrize("rules", RULES)
def test_every_piece_speaks_and_agrees_along_whole_deals(rules):
    pieces = find_pieces("all")
    voters = make_voter(CONSTANT, pieces)
    spoke: Counter[str] = Counter()
    for seed in WHOLE_DEALS[rules]:
        for obs in along(rules, seed):
            found, expected = (
                masks(think(obs, voters, np.ones(len(pieces)))[1], pieces),
                suggestions(obs, certain=False),
            )
            assert {name: found[name] for name in expected} == expected
            spoke.update(name for name, cards in found.items() if cards)
    about_bonus = {"take-bonus", "keep-bonus", "fetch-bonus"} if obs.rules.bonus is None else set()
    silent = {one.name for one in pieces if spoke[one.name] < 2} - about_bonus
    assert not silent


@pytest.mark.parametrize("rules", ["advice", "standard", "standard,players=5,passing=hold"])
def test_the_search_piece_agrees_with_trying_everything(rules):
    n, size = Rules.parse(rules).players, Rules.parse(rules).hand_size
    certain = possible = 0
    for seed in range(110):
        for left in {3: (2, 3, 4), 4: (1, 2), 5: (1, 2)}[n]:
            obs = position(rules, seed, n * (size - left) + seed % n)
            if len(obs.unseen) > 9:
                continue
            found = searched(obs)
            assert found == certain_cards(obs), (seed, left)
            certain, possible = certain + len(found), possible + len(obs.legal)
    assert 0 < certain < possible


@pytest.mark.parametrize("rules", RULES)
def test_a_card_that_the_search_calls_certain_wins_points_in_no_world(rules):
    """Early in a deal worlds are too many to try, so some are drawn, and all ways to follow are tried in each."""
    n = Rules.parse(rules).players
    certain = possible = 0
    for seed in range(6):
        for obs in list(along(rules, seed, moon=seed % 2 == 0))[seed % 3 :: 3]:
            found = searched(obs)
            certain, possible = certain + len(found), possible + len(obs.legal)
            s = Situation(obs)
            later = [(obs.seat + 1 + i) % n for i in range(n - 1 - len(obs.trick))]
            for world in obs.worlds(3, seed=seed) if found and later else ():
                hands = [set(world.hands[seat]) for seat in later]
                assert not [card for card in found if wins_points(s, card, hands)]
    assert 30 < certain < possible


@given(st.sampled_from(RULES), st.integers(0, 10**6), st.integers(0, 51))
@examples(120)
def test_abstractions_agree_with_their_twins(rules, seed, cards):
    obs = position(rules, seed, cards)
    expected = abstraction_values(obs)
    for part in (find_abstractions(name, obs.rules.players) for name in ("paper", "table", "play")):
        _, thought = think(obs, make_voter(CONSTANT, find_pieces("paper"), part), np.ones(9))
        for j, one in enumerate(part):
            assert thought["values"][j] == pytest.approx(expected[one.name]), one.name


def test_the_paper_has_nine_pieces_and_seventeen_inputs():
    assert len(find_pieces("paper")) == 9
    assert len(find_abstractions("paper", 3)) == 17
    assert len(find_abstractions("table", 3)) == 9
    learner = make_learner(TABULAR, AdviceParameters(), 0)
    assert len(learner.weights) == 4608
    assert len(make_learner(NET, NetParameters(), 0).weights) == 13 * 18 + 9 * 14
    for one in [*known_pieces().values(), *known_abstractions().values()]:
        assert one.sentence.endswith(".")


def test_no_hidden_card_matters():
    for seed in range(40):
        obs = position("advice", seed, 3 + seed)
        for world in obs.worlds(2, seed=seed):
            again = world.observe(obs.seat)
            pieces, values = find_pieces("all"), find_abstractions("play", 3)
            voters = make_voter(CONSTANT, pieces, values)
            _, one = think(obs, voters, np.ones(len(pieces)))
            _, two = think(again, voters, np.ones(len(pieces)))
            assert masks(one, pieces) == masks(two, pieces)
            np.testing.assert_array_equal(one["values"][: len(values)], two["values"][: len(values)])


# --- votes ---


@given(
    st.integers(0, 10**6),
    st.integers(0, 50),
    st.sampled_from(list(Choice)),
    st.lists(st.sampled_from([-0.5, 0.25, 0.5, 1.0]), min_size=9, max_size=9),
)
@examples(120)
def test_the_vote_goes_to_the_highest_score(seed, cards, choice, weights):
    obs = position("advice", seed, cards)
    pieces = find_pieces("paper")
    card, thought = think(obs, make_voter(CONSTANT, pieces, choice=choice), weights)
    proposals = list(masks(thought, pieces).values())
    scores = scores_of(proposals, weights, set(obs.legal), choice)
    best = {c for c, score in scores.items() if score == max(scores.values())}
    assert card in best
    assert set(CardSet(int(thought["best"]))) == (best if len(obs.legal) > 1 else set(obs.legal))
    assert {i for i in range(9) if card in proposals[i]} == {i for i in range(9) if int(thought["suggesters"]) >> i & 1}


def test_ties_are_broken_evenly():
    obs = position("advice", 1, 9)
    assert obs.led is None
    player = make_player("voting")
    records = np.repeat(obs.records, 3000)
    records["random"] = np.random.default_rng(1).integers(0, 2**63, 3000).astype(np.uint64)
    cards, thoughts = player.think(Observations(obs.rules, compile_rules(obs.rules), records))
    best = sorted(CardSet(int(thoughts["best"][0])))
    assert len(best) > 1
    counts = np.array([(cards == card).sum() for card in best])
    assert counts.sum() == 3000
    assert (np.abs(counts - 3000 / len(best)) < 5 * np.sqrt(3000 / len(best))).all()


def test_advice_of_users_is_heard():
    @piece("test-lowest-heart", "Play the lowest heart.")
    def lowest_heart(rules, obs):
        hearts = obs["hand"] & HEARTS
        return hearts & (~hearts + ONE)

    @piece("test-everything", "Play anything.")
    def everything(rules, obs):
        return obs["legal"]

    @abstraction("test-tricks", "The share of the tricks that are over.")
    def tricks(rules, obs):
        return obs["trick_number"] / rules["hand_size"]

    pieces = find_pieces("get-lead+test-everything+test-lowest-heart")
    values = find_abstractions("test-tricks+leading", 3)
    for seed in range(30):
        obs = position("advice", seed, seed)
        _, thought = think(obs, make_voter(LINEAR, pieces, values), np.zeros(9))
        found = masks(thought, pieces)
        hearts = [card for card in sorted(obs.hand) if card >= 39][:1]
        assert found["test-everything"] == set(obs.legal)
        assert found["test-lowest-heart"] == set(hearts) & set(obs.legal)
        assert thought["values"][0] == pytest.approx(obs.trick_number / 17)
        assert thought["values"][1] == (obs.led is None)
    points = tournament(
        ADVICE, constant(np.ones(3), "get-lead+test-everything+test-lowest-heart"), [sitter("random")] * 2, 1, "u", 50
    )
    assert points.shape == (50, 3)


# --- learning ---


def test_switches_of_credit():
    def learned(**changes):
        learner = make_learner(TABULAR, AdviceParameters(test=0, **changes), 1)
        table = AdviceTable(ADVICE, [learner, sitter("random"), sitter("random")])
        table.play(1, "train", 0, 40)
        return table.weights(0).reshape(512, 9)

    default, everybody, chosen_only = learned(), learned(everybody=True), learned(forced=False)
    touched = (everybody != 0.36).any(axis=1)
    assert (everybody[touched] != 0.36).all()
    assert not (default[(default != 0.36).any(axis=1)] != 0.36).all()
    assert not np.array_equal(default, chosen_only)


def test_rewards_span_the_scores():
    assert reward_range(ADVICE) == (-36.0, 26.0)
    assert reward_range(Rules.parse("standard")) == (0.0, 26.0)


def test_equal_weights_are_voting_and_games_do_not_depend_on_portions():
    voting, learner = sitter("voting"), make_learner(TABULAR, AdviceParameters(), 0).frozen()
    others = [sitter("voting"), sitter("random")]
    first = AdviceTable(ADVICE, [voting, *others]).play(2, "x", 0, 60)
    np.testing.assert_array_equal(first, AdviceTable(ADVICE, [learner, *others]).play(2, "x", 0, 60))
    table = AdviceTable(ADVICE, [voting, *others])
    parts = [table.play(2, "x", 0, 25), table.play(2, "x", 25, 35)]
    np.testing.assert_array_equal(first, np.concatenate(parts))


def test_a_tournament_swaps_seats_and_keeps_columns():
    points = tournament(ADVICE, sitter("voting"), [sitter("voting-all"), sitter("random")], 1, "x", 2000)
    means = points.mean(axis=0)
    assert means[1] < means[0] < means[2]
    halves = points[:1000].mean(axis=0), points[1000:].mean(axis=0)
    assert all(half[1] < half[0] < half[2] for half in halves)


def test_learner_t_beats_voting_and_half_as_initial_value_spoils_it():
    gaps = {}
    for initial in (0.36, 0.5):
        trainer = AdviceTrainer(TABULAR, AdviceParameters(initial=initial, test=0), 1)
        for first in range(0, 5000, 1000):
            trainer.step(first, 1000)
        points = tournament(ADVICE, trainer.current(0), trainer.testers, 1, "x", 20_000)
        gaps[initial] = (points[:, 1] - points[:, 0]).mean()
    assert gaps[0.36] > 0.25
    assert gaps[0.5] < 0.1


# --- the learned vote ---


@given(st.integers(0, 10**6), st.integers(0, 48))
@examples(60)
def test_cards_are_drawn_by_softmax_with_the_right_slopes(seed, cards):
    obs = position("advice", seed, cards)
    pieces = find_pieces("pilot")
    weights = np.random.default_rng(seed).normal(size=len(pieces))
    _, thought = think(obs, make_voter(CONSTANT, pieces), weights)
    proposals = list(masks(thought, pieces).values())
    box = np.zeros(1, THOUGHT)
    box[0] = thought
    scratch = np.zeros(52, np.uint64), np.zeros(52)
    rng = np.array([seed], np.uint64)
    card = draw(obs.records[0]["legal"], box[0], 1.5, *scratch, rng)
    assert card in obs.legal

    def log_share(changed):
        return np.log(softmax_shares(scores_of(proposals, list(changed), set(obs.legal)), 1.5)[card])

    for k in range(int(box[0]["speaker_count"])):
        nudge = np.zeros(len(pieces))
        nudge[int(box[0]["speakers"][k])] = 1e-5
        slope = (log_share(weights + nudge) - log_share(weights - nudge)) / 2e-5
        assert box[0]["slopes"][k] == pytest.approx(slope, abs=1e-5)


def test_drawn_cards_come_with_their_shares():
    obs = position("advice", 8, 6)
    pieces = find_pieces("pilot")
    weights = np.random.default_rng(2).normal(size=len(pieces))
    _, thought = think(obs, make_voter(CONSTANT, pieces), weights)
    box = np.zeros(1, THOUGHT)
    box[0] = thought
    rng, scratch = np.array([9], np.uint64), (np.zeros(52, np.uint64), np.zeros(52))
    drawn = [draw(obs.records[0]["legal"], box[0], 0.7, *scratch, rng) for _ in range(4000)]
    shares = softmax_shares(scores_of(list(masks(thought, pieces).values()), list(weights), set(obs.legal)), 0.7)
    for card, share in shares.items():
        assert abs(drawn.count(card) - 4000 * share) < 5 * np.sqrt(4000 * share * (1 - share)) + 1


def test_the_learned_vote_is_far_better_than_voting(tmp_path):
    run = begin(
        "advice-vote",
        tmp_path / "v",
        seed=1,
        games=60_000,
        changes={"state": "play", "batch": 2000, "horizon": 60_000, "rate": 0.05, "test": 100},
    )
    train(run)
    _, voter = load_voter(str(tmp_path / "v"))
    points = tournament(ADVICE, voter, [sitter("voting"), sitter("random")], 1, "x", 4000)
    assert (points[:, 1] - points[:, 0]).mean() > 3.0


@pytest.mark.parametrize("recipe", ["advice-t", "advice-n", "advice-joint", "advice-vote"])
def test_advice_runs_resume_to_the_same_result(tmp_path, recipe):
    changes = {"advice-vote": {"batch": 500, "test_every": 2, "test": 100}}.get(recipe, {"test": 100})
    results = []
    for name, stops in (("whole", []), ("torn", [1000, 2000])):
        run = begin(recipe, tmp_path / name, seed=4, games=3000, changes=changes)
        for stop in stops:
            train(run, stop_after=stop)
            run = begin(recipe, tmp_path / name, resume=True)
        train(run)
        model, _ = load_voter(str(tmp_path / name))
        results.append((model.arrays["weights"].tobytes(), (tmp_path / name / "metrics.jsonl").read_text()))
    assert results[0] == results[1]
    assert results[0][1]


# --- players and models ---


def test_models_become_players_that_play_the_same(tmp_path):
    run = begin("advice-n", tmp_path / "n", seed=4, games=1000, changes={"test": 0})
    train(run)
    obs = position("advice", 3, 9)
    batch = Observations(obs.rules, compile_rules(obs.rules), obs.records)
    cards = {
        tuple(make_player(f"learner-n:{tmp_path / 'n'},instance={i}").think(batch)[1]["weights"][0, :9])
        for i in range(3)
    }
    assert len(cards) == 3
    trainer = AdviceTrainer(NET, NetParameters(test=0), 4)
    trainer.step(0, 1000)
    _, voter = load_voter(str(tmp_path / "n"), instance=2)
    np.testing.assert_array_equal(voter.weights, trainer.current(2).weights)


def test_wrong_names_and_models_get_a_sentence(tmp_path):
    for name, words in [
        ("voting:advice=nothing", r"no piece of advice is called 'nothing'\. `--use FILE` brings advice of your own"),
        ("voting:trust=1", "voting has no option trust"),
        ("learner-t:nothing", "no model is called 'nothing'"),
        (f"learner-t:{tmp_path / 'm.npz'}", "of kind advice-net, but advice-table is needed"),
        (f"learner-n:{tmp_path / 'm.npz'},instance=7", "has 1 voters, numbered from 0, and no number 7"),
        (f"learner-n:{tmp_path / 'm.npz'},choice=wild", "choice=wild is unknown"),
        (f"learner-n:{tmp_path / 'm.npz'},mood=bad", "no option mood"),
    ]:
        trainer = AdviceTrainer(NET, NetParameters(partners="random+random", test=0), 4)
        save_model(tmp_path / "m.npz", trainer.model())
        with pytest.raises(ValueError, match=words):
            make_player(name)
    broken = trainer.model()
    broken.arrays["weights"] = broken.arrays["weights"][:, :-1]
    save_model(tmp_path / "b.npz", broken)
    with pytest.raises(ModelError, match="needs rows of 360 finite weights"):
        load_voter(str(tmp_path / "b.npz"))
    with pytest.raises(AdviceError, match="already"):
        piece("get-lead", "Again.")(lambda rules, obs: obs["legal"])
    with pytest.raises(ValueError, match="nobody called 'fred'"):
        sitter("fred")
    with pytest.raises(ValueError, match="2 sitters for the 3 seats"):
        AdviceTable(ADVICE, [sitter("random")] * 2)
    with pytest.raises(ValueError, match="partners and testers need 2 names"):
        AdviceTrainer(TABULAR, AdviceParameters(partners="random"), 0)
    with pytest.raises(ValueError, match="needs constant or linear weights"):
        VoteTrainer(VoteParameters(advice="paper", start=str(tmp_path / "m.npz")), 0)


def test_a_vote_can_start_from_a_model(tmp_path):
    settings = VoteParameters(state="leading+last", initial=0.5)
    trainer = VoteTrainer(settings, 0)
    trainer.weights = np.arange(float(len(trainer.weights)))
    save_model(tmp_path / "m.npz", trainer.model())
    again = VoteTrainer(VoteParameters(state="last+early", start=str(tmp_path / "m.npz")), 0)
    rows = again.weights.reshape(-1, 3)
    np.testing.assert_array_equal(rows[1], [4.0, 0.0, 5.0])  # last, early, constant
    assert isinstance(again.current(), Sitter)
