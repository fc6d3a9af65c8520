"""The PettingZoo environment under PettingZoo's own tests, for every preset, and what it promises beyond them."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import examples, random_rules

from heartlab import PRESETS, Deal, Rules

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: pip install 'heartlab[envs]' brings it")

from pettingzoo.test import api_test, render_test, seed_test

from heartlab.envs.encoding import describe, observation_size
from heartlab.envs.pettingzoo import ILLEGAL_REWARD, env, raw_env

RULES = [*PRESETS, "standard,players=3", "standard,players=5", "standard,players=6"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("rules", RULES)
def test_pettingzoo_is_content(rules, capsys):
    reward, episode = random.Random(rules).choice([("deal", "deal"), ("trick", "deal"), ("trick", "game")])
    api_test(env(rules, reward=reward, episode=episode), num_cycles=70)
    seed_test(lambda: env(rules, reward=reward, episode=episode), num_cycles=20)
    render_test(lambda render_mode=None: env(rules, render_mode=render_mode))


def play(environment, dice, check=lambda environment: None):
    """One episode at random; the sum of each agent's rewards."""
    totals = dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, _ = environment.last()
        totals[agent] += reward
        if termination or truncation:
            environment.step(None)
            continue
        check(environment)
        environment.step(int(dice.choice(np.flatnonzero(observation["action_mask"]))))
    return totals


@given(st.integers(0, 1 << 30), st.sampled_from(["trick", "deal"]), st.sampled_from(["deal", "game"]))
@examples(15)
def test_rewards_add_up_to_the_points(seed, reward, episode):
    dice = random.Random(seed)
    rules = random_rules(dice, deals=2)
    environment = raw_env(rules, reward=reward, episode=episode)
    environment.reset(seed=seed)
    totals = play(environment, dice)
    assert list(totals.values()) == [-score for score in environment.scores]
    assert environment.deal.is_over


@pytest.mark.parametrize("seen", ["no", "yes"])
def test_rewards_tell_nothing_of_a_hidden_kitty(seen):
    environment = raw_env(f"advice,kitty_seen={seen}", reward="trick")
    rules, late = environment.rules, 0
    for seed in range(20):
        environment.reset(seed=seed)
        dice, paid = random.Random(seed), np.zeros(3)
        while not any(environment.terminations.values()):
            environment.step(dice.choice(sorted(environment._legal)))
            paid -= list(environment.rewards.values())
            deal = environment.deal
            if deal.is_over or deal.trick:
                continue
            known = [sum(map(rules.card_points, deal.observe(seat).taken[seat])) for seat in range(3)]
            assert paid.tolist() == known
            late += deal.points != tuple(known)
        assert paid.tolist() == list(deal.points)
    assert (late > 0) == (seen == "no")


def test_the_deals_are_ours():
    environment = raw_env("standard")
    environment.reset(seed=5)
    numbers = []
    for _ in range(5):
        numbers.append(environment.deal.number)
        assert environment.deal.dealt == Deal("standard", 5, numbers[-1]).dealt
        play(environment, random.Random(1))
        environment.reset()
    assert numbers == [0, 1, 2, 3, 4]
    environment.reset(seed=5, options={"deal": 3})
    assert environment.deal.pass_direction == "hold"


@pytest.mark.parametrize("episode", ["deal", "game"])
@pytest.mark.parametrize("number", [-1, 1 << 31])
def test_numbers_that_no_deal_has_are_refused(episode, number):
    with pytest.raises(ValueError, match=f"there is no deal {number}"):
        Deal("standard", 1, number)
    with pytest.raises(ValueError, match="totals go up to"):
        Deal("standard", 1, scores=[1 << 31, 0, 0, 0])
    environment = raw_env("standard", episode=episode)
    environment.reset(seed=1)
    hands = environment.deal.hands
    with pytest.raises(ValueError, match=f"there is no {episode} {number}"):
        environment.reset(seed=2, options={"deal": number})
    environment.reset(options={"deal": 0})
    assert environment.deal.hands == hands, "a refused reset changes nothing"


def test_the_end_of_a_deal_is_told_once():
    environment = raw_env("standard", episode="game")
    environment.reset(seed=1)
    while not environment.infos["player_0"]:
        environment.step(min(environment._legal))
    assert environment.deal.number == 1
    assert set(environment.infos["player_2"]) == {"points", "moon", "scores"}
    environment.step(min(environment._legal))
    assert environment.infos == {agent: {} for agent in environment.agents}


def test_passing_is_three_actions_of_one_card():
    environment = raw_env("standard")
    environment.reset(seed=1)
    hand = sorted(environment.deal.hands[0])
    for chosen in range(3):
        assert environment.agent_selection == "player_0"
        seen = environment.observe("player_0")
        assert seen["action_mask"].sum() == 13 - chosen
        assert seen["observation"][:52].sum() == 13 - chosen
        assert seen["observation"][52:104].sum() == chosen
        environment.step(hand[chosen])
    assert environment.agent_selection == "player_1"
    assert sorted(environment.deal.passed[0]) == hand[:3]


def test_nothing_hidden_is_shown():
    """Hands that a seat cannot tell apart give it the same numbers."""
    deal = Deal("standard", seed=3, number=3)
    dice = random.Random(3)
    environment = raw_env("standard")
    environment.reset(seed=3, options={"deal": 3})
    for _ in range(14):
        card = dice.choice(sorted(deal.legal))
        deal.play(card)
        environment.step(card)
    agent = environment.agent_selection
    before = environment.observe(agent)["observation"]
    for world in deal.observe(deal.to_move).worlds(5):
        world._states["kitty_taker"] = deal._states["kitty_taker"]
        environment.deal = world
        np.testing.assert_array_equal(environment.observe(agent)["observation"], before)


@pytest.mark.parametrize("rules", ["standard", "advice", "standard,players=6"])
def test_every_place_has_a_meaning(rules):
    names, size = describe(rules), observation_size(rules)
    rules = Rules.parse(rules)
    assert (names, size) == (describe(rules), observation_size(rules)), "a text will do"
    assert len(names) == len(set(names)) == observation_size(rules)
    environment = raw_env(rules)
    environment.reset(seed=2)
    dice = random.Random(2)

    def check(environment):
        deal, seat = environment.deal, environment.seat
        obs, n = deal.observe(seat), rules.players
        seen = dict(zip(names, environment.observe(environment.agent_selection)["observation"], strict=True))
        said = {name for name, value in seen.items() if value == 1.0}
        for step in range(n):
            other, label = (seat + step) % n, f"+{step}" if step else "own"
            for what, cards in (("played", obs.played), ("taken", obs.taken)):
                shown = {name for name in said if name.startswith(f"{what} {label} ")}
                assert shown == {f"{what} {label} {card}" for card in cards[other].names().split()}
            points = sum(max(0, rules.card_points(card)) for card in obs.taken[other] if card != rules.bonus)
            bonus = sum(rules.card_points(card) for card in obs.taken[other] if card == rules.bonus)
            assert seen[f"points {label}"] == pytest.approx((points + bonus) / rules.total_points)
        for other, card in obs.trick:
            label = f"+{(other - seat) % n}" if other != seat else "own"
            assert f"table {label} {'23456789TJQKA'[card % 13]}{'CDSH'[card // 13]}" in said
        assert (seen["hearts broken"] == 1.0) == obs.hearts_broken

    play(environment, dice, check)


def test_an_illegal_action_ends_the_episode():
    environment = env("standard,passing=hold")
    environment.reset(seed=1)
    agent = environment.agent_selection
    illegal = int(np.flatnonzero(environment.observe(agent)["action_mask"] == 0)[0])
    environment.step(illegal)
    assert all(environment.terminations.values())
    assert environment.rewards[agent] == ILLEGAL_REWARD


@pytest.mark.parametrize("options", [{"reward": "card"}, {"episode": "match"}, {"render_mode": "rgb"}])
def test_unknown_options_get_a_sentence(options):
    with pytest.raises(ValueError, match="is unknown; choose from"):
        raw_env("standard", **options)


def test_rendering(capsys):
    environment = env("standard", render_mode="ansi")
    environment.reset(seed=1)
    assert "seat 0" in environment.render()
    shown = env("seed", render_mode="human")
    shown.reset(seed=1)
    assert "seat 0" in capsys.readouterr().out
