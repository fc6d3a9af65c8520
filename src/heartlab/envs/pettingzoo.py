"""Hearts as a PettingZoo environment (AEC): seats act in turn, and a pass of three cards is three actions of one card.

    from heartlab.envs import pettingzoo
    env = pettingzoo.env(rules="standard", reward="trick", episode="deal")

An observation is a dict with `observation`, an array as described in `heartlab.envs.encoding`, and `action_mask`.
Actions are the 52 cards. Rewards are negative points; over an episode they add up to minus the seat's score.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

try:
    import gymnasium
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(f"PettingZoo is not installed ({error}): pip install 'heartlab[envs]'") from error

from heartlab.cards import CardSet, pretty_card
from heartlab.deal import Deal
from heartlab.envs.encoding import encode, observation_size, told_points
from heartlab.game import game_is_over
from heartlab.records.format import MAX_NUMBER
from heartlab.rules import Rules
from heartlab.util.errors import quoted

__all__ = ["env", "raw_env"]

REWARDS = ("trick", "deal")
EPISODES = ("deal", "game")
RENDER_MODES = ("ansi", "human")
ILLEGAL_REWARD = -100.0
"""The reward of an illegal action, which ends the episode."""


def env(
    rules: Rules | str = "standard", *, reward: str = "deal", episode: str = "deal", render_mode: str | None = None
) -> AECEnv[Any, Any, Any]:
    """The environment in PettingZoo's usual wrappers; an illegal action ends the episode.

    >>> hearts = env("standard", reward="trick")
    >>> hearts.reset(seed=1)
    >>> observation, reward, termination, truncation, info = hearts.last()
    >>> observation["observation"].shape, int(observation["action_mask"].sum())
    ((959,), 13)

    :param reward: after every trick ("trick"), or at the end of a deal ("deal"); moon, bonuses and a hidden kitty count
        at the end of the deal in either case.
    :param episode: one deal ("deal"), or a whole game ("game").
    :param render_mode: "human" prints the state after every action; with "ansi", `render` returns it as text.
    """
    made: Any = raw_env(rules, reward=reward, episode=episode, render_mode=render_mode)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=ILLEGAL_REWARD)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


class raw_env(AECEnv[str, Any, Any]):  # noqa: N801 - PettingZoo's name
    """Hearts without PettingZoo's wrappers: an illegal action raises ValueError.

    >>> hearts = raw_env("standard", episode="game")
    >>> hearts.reset(seed=1)
    >>> hearts.agent_selection, hearts.deal.phase
    ('player_0', 'pass')
    """

    def __init__(
        self,
        rules: Rules | str = "standard",
        *,
        reward: str = "deal",
        episode: str = "deal",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.rules = Rules.parse(rules)
        for name, value, choices in (
            ("reward", reward, REWARDS),
            ("episode", episode, EPISODES),
            ("render_mode", render_mode, (None, *RENDER_MODES)),
        ):
            if value not in choices:
                known = ", ".join(str(choice) for choice in choices)
                raise ValueError(f"{name}={quoted(value)} is unknown; choose from {known}")
        self.metadata = {
            "name": "hearts_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.reward_after, self.episode, self.render_mode = reward, episode, render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self.agents = self.possible_agents[:]
        size = observation_size(self.rules)
        self.observation_spaces = {
            agent: Dict(
                {
                    "observation": Box(-np.inf, np.inf, (size,), np.float32),
                    "action_mask": Box(0, 1, (52,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(52) for agent in self.possible_agents}
        self._seed = 0
        self._next_deal = 0

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same object at every call."""
        return self.action_spaces[agent]

    # --- the course of an episode ---

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode.

        :param seed: begin with deal 0 of this seed; without it, continue with the next deal (or game) of the last seed.
        :param options: ``{"deal": 3}`` begins with that deal of the seed, whose number determines the pass direction;
            if episodes are games, with the first deal of that game of the seed.
        :raises ValueError: if the number is out of range; the current episode is not changed.
        """
        number = int((options or {}).get("deal", self._next_deal if seed is None else 0))
        if not 0 <= number <= MAX_NUMBER:
            raise ValueError(f"there is no {self.episode} {number}: numbers go from 0 to {MAX_NUMBER}")
        if seed is not None:
            self._seed = seed
        if self.episode == "game":
            self._game_seed = (self._seed, number)
            self._next_deal = number + 1
            number = 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.scores = [0] * self.rules.players
        self._deals_played = 0
        self._begin_deal(number)
        if self.render_mode == "human":
            self.render()

    def _begin_deal(self, number: int) -> None:
        if self.episode == "game":
            self.deal = Deal(self.rules, _game_key(*self._game_seed), number, scores=self.scores)
        else:
            self.deal = Deal(self.rules, self._seed, number)
            self._next_deal = number + 1
        self._chosen = CardSet()
        self._paid = [0] * self.rules.players
        self._select()

    def _select(self) -> None:
        """Find the seat to act and its legal cards."""
        waiting = self.deal.to_pass
        seat = (waiting[0] if waiting else self.deal.to_move) or 0
        self.agent_selection = self.possible_agents[seat]
        self._legal = self.deal.observe(seat).may_pass - self._chosen if waiting else self.deal.legal

    @property
    def seat(self) -> int:
        """The seat that is to act."""
        return self.possible_agents.index(self.agent_selection)

    def step(self, action: int | None) -> None:
        """Pass or play a card for the selected agent."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        card = int(action) if action is not None else -1
        if card not in self._legal:
            raise ValueError(f"{agent} may not choose {card}: legal are {sorted(self._legal)}")
        self.infos = {other: {} for other in self.agents}
        if self.deal.to_pass:
            self._pass(card)
        else:
            self.deal.play(card)
        if self.deal.is_over or (self.reward_after == "trick" and self._trick_is_over()):
            self._pay()
        if self.deal.is_over:
            self._end_deal()
        else:
            self._select()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _pass(self, card: int) -> None:
        self._chosen = CardSet([*self._chosen, card])
        if len(self._chosen) == self.rules.pass_count:
            self.deal.pass_cards(self.seat, self._chosen)
            self._chosen = CardSet()

    def _trick_is_over(self) -> bool:
        return bool(self.deal.history) and not self.deal.trick

    def _pay(self) -> None:
        """Reward every seat for the points since the last reward; moon, bonuses and a hidden kitty come at the end."""
        for seat, points in enumerate(told_points(self.rules, self.deal._compiled, self.deal._states)):
            self.rewards[self.possible_agents[seat]] = float(self._paid[seat] - points)
            self._paid[seat] = points

    def _end_deal(self) -> None:
        self._deals_played += 1
        self.scores = [before + own for before, own in zip(self.scores, self.deal.points, strict=True)]
        for agent in self.agents:
            self.infos[agent] = {"points": list(self.deal.points), "moon": self.deal.shooter, "scores": self.scores}
        if self.episode == "game" and not game_is_over(self.rules, self.scores, self._deals_played):
            self._begin_deal(self._deals_played)
        else:
            self.terminations = dict.fromkeys(self.agents, True)

    # --- observations ---

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """Observation and action mask of an agent; the mask is empty unless the agent is to act."""
        seat = self.possible_agents.index(agent)
        chosen = self._chosen.mask if self.deal.to_pass and agent == self.agent_selection else 0
        deal = self.deal
        return {
            "observation": encode(self.rules, deal._compiled, deal._states, seat, chosen),
            "action_mask": self.action_mask(agent),
        }

    def action_mask(self, agent: str) -> npt.NDArray[np.int8]:
        """1 for every card that the agent may choose now."""
        mask = np.zeros(52, np.int8)
        if agent == self.agent_selection and not self.deal.is_over:
            mask[list(self._legal)] = 1
        return mask

    def render(self) -> str | None:
        """The state of the deal: as text ("ansi"), or printed ("human")."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without render_mode: pass render_mode='ansi' or 'human'")
            return None
        text = str(self.deal)
        if self._chosen:
            text += f"\n{self.agent_selection} has chosen {' '.join(map(pretty_card, self._chosen))} to pass"
        if self.episode == "game":
            text += f"\ntotals {'  '.join(f'{seat}:{score}' for seat, score in enumerate(self.scores))}"
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """Nothing to close."""


def _game_key(seed: int, number: int) -> int:
    """The seed of a game, from the seed of the environment and the number of the game."""
    return seed if number == 0 else seed + (number << 32)
