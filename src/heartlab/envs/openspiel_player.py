"""OpenSpiel's bots as our players: `openspiel:ismcts,sims=200`.

| name | bot |
|---|---|
| `openspiel:ismcts,sims=200` | information-set tree search; options `c=X`, `worlds=N` (its samples, -1: no limit) |
| `openspiel:mcts,sims=200,worlds=5` | tree search with open hands, in sampled worlds; option `c=X` |
| `openspiel:uniform_random` | random bot; likewise any bot that is registered in OpenSpiel, by its name |
| `openspiel:policy,from=MODULE:FUNCTION` | a policy; the function takes the game and returns an OpenSpiel policy |
| `openspiel:bot,from=MODULE:FUNCTION` | a bot; the function takes the game and the seat |

OpenSpiel's bots need a full state. A closed player does not have one, so the bot gets a world: a full deal that fits
the observation, sampled like all our worlds. It is independent of the true hidden hands. Rules that OpenSpiel does not
have are refused before the match.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from heartlab.cards import CARDS, Card
from heartlab.envs.openspiel import (
    deal_openspiel,
    from_openspiel,
    load_openspiel,
    openspiel_flags,
    to_openspiel,
)
from heartlab.observation import Observation
from heartlab.players.base import Player
from heartlab.players.registry import PlayerError, parse_options, register
from heartlab.rules import Rules
from heartlab.util.errors import quoted

__all__ = ["OpenSpielPlayer", "make_openspiel"]

Adviser = Callable[[Any, Observation, Sequence[Card], int], int]
"""Maps a game, an observation, the cards chosen so far for a pass, and a seed to OpenSpiel's action."""

DEFAULTS = {
    "ismcts": {"sims": "200", "c": "20", "worlds": "-1"},
    "mcts": {"sims": "200", "c": "20", "worlds": "5"},
    "uniform_random": {},
    "policy": {"from": ""},
    "bot": {"from": ""},
}
"""The options of each kind with their defaults. The exploration constant c is in points, as OpenSpiel's returns are."""


# --- a state for an observation ---


@lru_cache(maxsize=16)
def game_for(rules: Rules) -> Any:
    """OpenSpiel's game for these rules.

    :raises PlayerError: if OpenSpiel does not have them.
    """
    flags = openspiel_flags(rules)
    return load_openspiel().load_game("hearts", flags)


def state_for(game: Any, obs: Observation, given: Sequence[Card], seed: int) -> Any:
    """A sampled state of OpenSpiel's game that fits an observation, with `given` already chosen for the pass.

    During the pass the seats are rotated so that the observer is seat 0: in OpenSpiel the seats pass one after the
    other, and its ISMCTS crashes when it resamples the pass of a later seat.
    """
    dice = random.Random(seed)
    code = int(obs.records[0]["pass_code"])
    passes: list[list[Card]] = [list(given)]
    if obs.phase == "pass":
        others = [card for card in CARDS if card not in obs.hand]
        dice.shuffle(others)
        hands = [set(obs.hand), *(set(others[start::3]) for start in range(3))]
    else:
        (world,) = obs.worlds(1, seed)
        hands = [set(hand) | set(played) for hand, played in zip(world.hands, obs.played, strict=True)]
        passes = _invent_passes(obs, hands, code, dice) if code else []
        for giver, cards in enumerate(passes):
            hands[(giver + code) % 4] -= set(cards)
        for giver, cards in enumerate(passes):
            hands[giver] |= set(cards)
    state = deal_openspiel(game, code, [sorted(hand) for hand in hands])
    for card in [*(card for cards in passes for card in cards), *obs.history]:
        state.apply_action(to_openspiel(card))
    return state


def _invent_passes(obs: Observation, hands: Sequence[set[Card]], code: int, dice: random.Random) -> list[list[Card]]:
    """A possible pass of each seat: the observer's own pass and what it received are known, the others are random."""
    passes = []
    for giver in range(4):
        taker = (giver + code) % 4
        if giver == obs.seat:
            passes.append(sorted(obs.passed))
        elif taker == obs.seat:
            passes.append(sorted(obs.received))
        else:
            passes.append(dice.sample(sorted(hands[taker]), 3))
    return passes


# --- advisers ---


def _ismcts(options: Mapping[str, str]) -> Adviser:
    pyspiel = load_openspiel()
    sims, c, worlds = _number(options, "sims", int, 1), _number(options, "c", float), _number(options, "worlds", int)

    def advise(game: Any, obs: Observation, given: Sequence[Card], seed: int) -> int:
        judge = pyspiel.RandomRolloutEvaluator(1, seed)
        final = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        bot = pyspiel.ISMCTSBot(seed, judge, c, sims, worlds, final)
        return int(bot.step(state_for(game, obs, given, seed)))

    return advise


def _mcts(options: Mapping[str, str]) -> Adviser:
    pyspiel = load_openspiel()
    sims, c, worlds = _number(options, "sims", int, 1), _number(options, "c", float), _number(options, "worlds", int, 1)

    def advise(game: Any, obs: Observation, given: Sequence[Card], seed: int) -> int:
        visits: Counter[int] = Counter()
        for world in range(worlds):
            judge = pyspiel.RandomRolloutEvaluator(1, seed + world)
            bot = pyspiel.MCTSBot(game, judge, c, sims, 1000, False, seed + world, False)
            root = bot.mcts_search(state_for(game, obs, given, seed + world))
            visits.update({int(child.action): int(child.explore_count) for child in root.children})
        return max(visits, key=lambda action: (visits[action], -action))

    return advise


def _uniform(options: Mapping[str, str]) -> Adviser:
    pyspiel = load_openspiel()

    def advise(game: Any, obs: Observation, given: Sequence[Card], seed: int) -> int:
        state = state_for(game, obs, given, seed)
        return int(pyspiel.make_uniform_random_bot(state.current_player(), seed).step(state))

    return advise


def _of_bot(make: Callable[[Any, int], Any]) -> Adviser:
    def advise(game: Any, obs: Observation, given: Sequence[Card], seed: int) -> int:
        state = state_for(game, obs, given, seed)
        return int(make(game, state.current_player()).step(state))

    return advise


def _of_policy(make: Callable[[Any], Any]) -> Adviser:
    policies: dict[str, Any] = {}

    def advise(game: Any, obs: Observation, given: Sequence[Card], seed: int) -> int:
        state = state_for(game, obs, given, seed)
        policy = policies.setdefault(str(game), policies.get(str(game)) or make(game))
        chances = policy.action_probabilities(state, state.current_player())
        actions = sorted(chances)
        return int(random.Random(seed).choices(actions, [chances[action] for action in actions])[0])

    return advise


def make_adviser(kind: str, options: Mapping[str, str]) -> Adviser:
    """The adviser for a kind of bot.

    :raises PlayerError: if there is no such kind, or an option is unknown or invalid.
    """
    pyspiel = load_openspiel()
    registered = [name for name in pyspiel.registered_bots() if name not in DEFAULTS]
    if kind not in DEFAULTS and kind not in registered:
        raise PlayerError(f"OpenSpiel has no bot {quoted(kind)}; known are {', '.join([*DEFAULTS, *registered])}")
    defaults = DEFAULTS.get(kind, {})
    unknown = [key for key in options if key not in defaults]
    if unknown:
        raise PlayerError(
            f"openspiel:{kind} has no option {quoted(unknown[0])}; it has {', '.join(defaults) or 'none'}"
        )
    values = {**defaults, **options}
    if kind in registered:
        return _of_bot(lambda game, seat: pyspiel.load_bot(kind, game, seat))
    if kind in ("policy", "bot"):
        found = _imported(values["from"])
        return _of_policy(found) if kind == "policy" else _of_bot(found)
    return {"ismcts": _ismcts, "mcts": _mcts, "uniform_random": _uniform}[kind](values)


def _number(options: Mapping[str, str], key: str, kind: Callable[[str], Any], least: float | None = None) -> Any:
    try:
        value = kind(options[key])
    except ValueError:
        raise PlayerError(f"openspiel: {key}={options[key]} is not a number") from None
    if least is not None and value < least:
        raise PlayerError(f"openspiel: {key}={value} is too small")
    return value


def _imported(name: str) -> Callable[..., Any]:
    """The function that `MODULE:FUNCTION` names."""
    module, colon, attribute = name.partition(":")
    if not colon or not module or not attribute:
        raise PlayerError(f"openspiel: from={name} must name a function as MODULE:FUNCTION")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise PlayerError(f"openspiel: from={name} cannot be loaded: {error}") from None
    if not callable(found):
        raise PlayerError(f"openspiel: from={name} is not a function")
    return found  # type: ignore[no-any-return]


# --- the player ---


class OpenSpielPlayer(Player):
    """Plays what a bot or policy of OpenSpiel chooses in a sampled world.

    >>> from heartlab import Deal
    >>> player, deal = make_openspiel("ismcts,sims=10"), Deal("openspiel", seed=1)
    >>> len(set(player.pass_cards(deal.observe(0))))
    3
    """

    def __init__(self, adviser: Adviser, name: str = "openspiel") -> None:
        super().__init__(name)
        self._advise = adviser

    def check_rules(self, rules: Rules) -> None:
        game_for(rules)

    def play(self, obs: Observation) -> Card:
        return from_openspiel(self._advise(game_for(obs.rules), obs, (), _seed(obs, 0)))

    def pass_cards(self, obs: Observation) -> list[Card]:
        chosen: list[Card] = []
        for number in range(obs.pass_count):
            chosen.append(from_openspiel(self._advise(game_for(obs.rules), obs, chosen, _seed(obs, number))))
        return chosen


def _seed(obs: Observation, number: int) -> int:
    """A seed for one action, derived from the observation's random number; OpenSpiel takes 31 bits."""
    return random.Random(int(obs.records[0]["random"]) + number).getrandbits(30)


@register("openspiel", "a bot or policy of OpenSpiel: openspiel:ismcts,sims=200; mcts, policy, bot (docs/envs.md)")
def make_openspiel(argument: str) -> Player:
    """The player for `openspiel:KIND,key=value`."""
    kind, _, options = argument.partition(",")
    if not kind:
        raise PlayerError(f"openspiel: needs a bot, as in openspiel:ismcts,sims=200; known are {', '.join(DEFAULTS)}")
    return OpenSpielPlayer(make_adviser(kind, parse_options(options)))
