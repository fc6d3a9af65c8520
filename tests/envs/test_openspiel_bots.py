"""OpenSpiel both ways: our players as its bots, its bots as our players, and rules that it does not know."""

import random
import sys
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import examples

from heartlab import PRESETS, Deal, Player, Rules, make_player
from heartlab.arena import Match, result_dict, run_match
from heartlab.players import PlayerError

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'heartlab[envs]' brings it")

from heartlab.envs.openspiel import (  # noqa: E402
    bot,
    from_openspiel,
    openspiel_deal,
    openspiel_flags,
    openspiel_points,
    openspiel_rules,
    to_openspiel,
)
from heartlab.envs.openspiel_player import OpenSpielPlayer, game_for, state_for  # noqa: E402

FLAGS = st.fixed_dictionaries(
    {name: st.booleans() for name in ("pass_cards", "no_pts_on_first_trick", "can_lead_any_club", "jd_bonus")}
    | {name: st.booleans() for name in ("avoid_all_tricks_bonus", "must_break_hearts", "qs_breaks_hearts")}
    | {"can_lead_hearts_instead_of_qs": st.booleans()}
)


# --- our players walk out ---


class Watched(Player):
    """Notes what it was shown, and plays the lowest."""

    def __init__(self):
        super().__init__("watched")
        self.seen = []

    def play(self, obs):
        self.seen.append(obs)
        return min(obs.legal)


def test_any_player_is_a_bot_in_their_own_loop():
    game = pyspiel.load_game("hearts")
    watched = Watched()
    for seed in range(4):
        seats = [bot("gnome:jake"), bot(watched), bot("random", seed=seed), pyspiel.make_uniform_random_bot(3, seed)]
        returns = pyspiel.evaluate_bots(game.new_initial_state(), seats, seed)
        assert sum(26 - value for value in returns) in (26, 78)
    assert len(watched.seen) == 4 * 13
    assert all(obs.seat == 1 for obs in watched.seen)


def test_our_players_beat_theirs_at_random_there():
    game = pyspiel.load_game("hearts")
    seats = [bot("gnome:jake"), *(pyspiel.make_uniform_random_bot(seat, 1) for seat in (1, 2, 3))]
    points = [26 - pyspiel.evaluate_bots(game.new_initial_state(), seats, seed)[0] for seed in range(30)]
    assert np.mean(points) < 5.0, "an equal share would be 6.5"


def test_their_states_are_our_deals_at_every_step():
    dice = random.Random(3)
    for _ in range(5):
        state = pyspiel.load_game("hearts").new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(dice.choice([action for action, _ in state.chance_outcomes()]))
                continue
            deal = openspiel_deal(state)
            if deal.phase == "play":
                assert deal.to_move == state.current_player()
                assert sorted(map(to_openspiel, deal.legal)) == state.legal_actions()
            state.apply_action(dice.choice(state.legal_actions()))
        assert list(openspiel_deal(state).points) == openspiel_points(state)


def test_no_open_player_walks_out():
    class Peeking(Player):
        is_open = True

    with pytest.raises(PlayerError, match="it would cheat"):
        bot(Peeking())


# --- theirs walk in ---


@given(FLAGS)
@examples(60)
def test_flags_and_rules_are_each_others_inverse(flags):
    rules = openspiel_rules(flags)
    assert openspiel_flags(rules) == flags
    assert openspiel_flags(rules.replace(limit=50, deals=3)) == flags


@pytest.mark.parametrize(
    ("rules", "word"),
    [
        ("seed", "opening=random"),
        ("gnome", "moon=self"),
        ("advice", "players=3"),
        ("spot", "heart_points=rank"),
        ("standard,passing=pool", "passing=pool"),
        ("standard,pass_count=2", "pass_count=2"),
    ],
)
def test_rules_that_openspiel_does_not_know_get_a_sentence(rules, word):
    player = make_player("openspiel:ismcts,sims=5")
    with pytest.raises(PlayerError, match=f"does not have {word}"):
        Match([player, make_player("random")], Rules.parse(rules), 1)


def test_presets_that_openspiel_knows():
    known = []
    for name, rules in PRESETS.items():
        try:
            openspiel_flags(rules)
            known.append(name)
        except PlayerError:
            continue
    assert known == ["standard", "openspiel", "omnibus"]


@given(st.integers(0, 1 << 30), st.sampled_from(["standard", "openspiel", "omnibus"]))
@examples(25)
def test_their_state_shows_what_our_seat_knows(seed, rules):
    dice = random.Random(seed)
    deal = Deal(rules, seed, dice.randrange(4))
    game = game_for(deal.rules)
    for seat in list(deal.to_pass):
        obs = deal.observe(seat)
        given = dice.sample(sorted(obs.hand), 3)
        state = state_for(game, obs, given[:2], seed)
        assert state.current_player() == 0, "in a pass the seat is moved to 0"
        assert sorted(map(from_openspiel, state.legal_actions())) == sorted(obs.hand - set(given[:2]))
        deal.pass_cards(seat, given)
    while not deal.is_over:
        if dice.random() < 0.2:
            obs = deal.observe(deal.to_move)
            state = state_for(game, obs, (), seed)
            assert state.current_player() == deal.to_move
            assert sorted(map(from_openspiel, state.legal_actions())) == sorted(deal.legal)
            again = openspiel_deal(state)
            assert again.observe(obs.seat).passed == obs.passed
            assert again.observe(obs.seat).received == obs.received
            assert again.history == deal.history
        deal.play(dice.choice(sorted(deal.legal)))


@pytest.mark.parametrize("name", ["ismcts,sims=10", "mcts,sims=5,worlds=2", "uniform_random"])
def test_their_bots_play_in_our_arena_without_forfeits(name):
    players = [make_player(f"openspiel:{name}"), *[make_player("random")] * 3]
    match = Match(players, Rules.parse("standard"), 2, seed=1)
    first, second = (run_match(match, threads=threads) for threads in (1, 2))
    found = result_dict(first)["players"][0]
    assert found["forfeits"] == 0
    assert found["decisions"] == 2 * 4 * 14
    if "ismcts" not in name:  # OpenSpiel's ISMCTS breaks ties by the order of a hash table, whatever its seed
        np.testing.assert_array_equal(first.points, second.points)


def test_a_policy_plays(monkeypatch):
    module = types.ModuleType("their_policies")

    class Highest:
        def __init__(self, game):
            self.game = game

        def action_probabilities(self, state, player=None):
            return {max(state.legal_actions()): 1.0}

    module.highest = Highest
    monkeypatch.setitem(sys.modules, "their_policies", module)
    player = make_player("openspiel:policy,from=their_policies:highest")
    deal = Deal("standard", seed=1, number=3)
    obs = deal.observe(deal.to_move)
    assert to_openspiel(player.play(obs)) == max(map(to_openspiel, obs.legal))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("openspiel", "needs a bot"),
        ("openspiel:alphazero", "no bot 'alphazero'"),
        ("openspiel:ismcts,depth=3", "no option 'depth'"),
        ("openspiel:ismcts,sims=many", "is not a number"),
        ("openspiel:mcts,worlds=0", "too small"),
        ("openspiel:policy,from=nowhere:f", "cannot be loaded"),
        ("openspiel:policy,from=nowhere", "MODULE:FUNCTION"),
    ],
)
def test_bad_names_get_a_sentence(name, sentence):
    with pytest.raises(PlayerError, match=sentence):
        make_player(name)


def test_the_player_class_takes_any_adviser():
    player = OpenSpielPlayer(lambda game, obs, given, seed: to_openspiel(max(obs.legal)))
    deal = Deal("standard", seed=1, number=3)
    assert player.play(deal.observe(deal.to_move)) == max(deal.legal)
