"""The rules of a Hearts game as one immutable value, and presets by name.

Published rules of Hearts differ, so the rules are data. Where they leave something open, we chose:

- **Seats** go clockwise; *left* is the next seat. Deal number d uses entry ``d % len(passing)`` of the pass cycle
  and is dealt by seat ``d % players``.
- **Penalty cards** are the cards worth more than zero: by default the hearts and Q♠. These are the cards that may
  not be played to the first trick, and the cards that a *moon* must take. A bonus card (J♦) is not one of them.
- **Moon**: the shooter's own penalty points go to each of the others (`others`) or are subtracted from the shooter's
  score (`self`); 26 by default, doubled for a *sun* (every trick). A bonus stays with whoever took the bonus card.
  `best` gives the points to the others unless that ends the game without the shooter as the only winner, and then
  subtracts them; `choice` does the same unless the shooter chooses otherwise. Nobody gets the no-tricks bonus in a
  deal with a moon.
- **Kitty**: when the cards do not divide evenly, the rest is the kitty, face down until the end of the deal
  (with `kitty_seen` its taker may look). Its points count for its taker. If nobody takes it, a moon needs only the
  penalty cards that were dealt.
- **Doubler**: all cards that its taker took, bonus included, count twice.
- **Scatter** passes one card to each other seat, the lowest to the left and so on clockwise. **Pool** shuffles all
  passed cards together and deals them out again. **Random** draws the number of seats, hold included.
- **Pips**: number cards count their number, J Q K ten, the ace eleven.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args, get_type_hints

from heartlab.cards import (
    ACE_OF_SPADES,
    CARDS,
    CS_HIGH_SPADES,
    HEARTS,
    JACK,
    KING_OF_SPADES,
    QUEEN_OF_SPADES,
    TWO_OF_CLUBS,
    Card,
    CardError,
    CardSet,
    card_name,
    card_rank,
    card_suit,
    parse_card,
)
from heartlab.util.errors import clipped, quoted

Kitty = Literal["none", "first-trick", "first-heart", "nobody"]
Opening = Literal["2C", "any-club", "lowest-club", "left-of-dealer", "random"]
HeartsLead = Literal["broken", "any"]
Moon = Literal["off", "others", "self", "best", "choice"]
HeartPoints = Literal["one", "rank", "pips", "none"]
Ties = Literal["shared", "play-on"]

MIN_PLAYERS, MAX_PLAYERS = 3, 6
MAX_POINTS, MAX_LIMIT = 1000, 1_000_000
_CARD_KEYS = ("bonus", "doubler")
PASS_WORDS = ("left", "right", "across", "hold", "scatter", "pool", "random")

SCATTER, POOL, RANDOM_OFFSET = -1, -2, -3
"""Codes of the pass directions that are not a number of seats."""


class RulesError(ValueError):
    """Rules that contradict each other, or a text that cannot be parsed as rules."""


def _default_removed(players: int) -> CardSet:
    """The cards usually removed so that the rest divides evenly; 2♣ is kept for the first lead."""
    return CardSet({3: "2D", 4: "", 5: "2D 2S", 6: "2D 3D 3C 4C"}[players])


def _default_passing(players: int) -> tuple[str, ...]:
    return {
        3: ("left", "right", "hold"),
        4: ("left", "right", "across", "hold"),
        5: ("+1", "-1", "+2", "-2", "hold"),
        6: ("left", "right", "across", "hold"),
    }[players]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules of a game. `Rules()` is the standard game; `Rules.parse` reads a preset with changes.

    >>> Rules.parse("standard,moon=self,bonus=JD").moon
    'self'
    >>> print(Rules.parse("omnibus,players=3"))
    omnibus,players=3
    """

    players: int = 4
    """Seats at the table, 3 to 6."""
    removed: CardSet = field(default_factory=CardSet)
    """Cards removed from the pack before dealing."""
    kitty: Kitty = "none"
    """Who takes the cards left over: the winner of the first trick, of the first heart, or nobody."""
    kitty_seen: bool = False
    """The taker of the kitty may look at it."""
    passing: tuple[str, ...] = ("left", "right", "across", "hold")
    """The cycle of pass directions, one per deal: left, right, across, hold, +2, -2, scatter, pool, random."""
    pass_count: int = 3
    """Cards that each seat passes."""
    pass_high_spades: bool = True
    """Q♠ K♠ A♠ may be passed."""
    opening: Opening = "2C"
    """The first lead: 2♣; any club of its holder; the lowest club dealt; any card of the seat left of the dealer, or of
    a random seat."""
    first_trick_points: bool = False
    """Penalty cards may be played to the first trick even if another card could be."""
    hearts: HeartsLead = "broken"
    """Whether hearts may be led before they are broken."""
    queen_breaks_hearts: bool = False
    """Q♠ breaks hearts as well."""
    hearts_before_queen: bool = False
    """A seat that could otherwise lead only Q♠ may lead a heart before hearts are broken."""
    queen_after_hearts: bool = False
    """Q♠ may be played before hearts are broken only if nothing else is legal."""
    moon: Moon = "others"
    """What happens when one seat takes all penalty cards."""
    moon_needs_bonus: bool = False
    """A moon needs the bonus card as well."""
    sun: bool = False
    """Taking every trick counts as two moons."""
    bonus: Card | None = None
    """A card with negative points, usually JD or TD."""
    bonus_points: int = -10
    """What the bonus card counts."""
    no_tricks: int = 0
    """The score of a seat that takes no trick: zero or negative."""
    heart_points: HeartPoints = "one"
    """What a heart counts: one, its rank (ace 14), its pips, or none."""
    queen_points: int = 13
    """What Q♠ counts."""
    king_points: int = 0
    """What K♠ counts."""
    ace_points: int = 0
    """What A♠ counts."""
    doubler: Card | None = None
    """A card that doubles its taker's points, usually TC."""
    limit: int = 100
    """The score that ends the game."""
    over_limit: bool = False
    """The limit has to be exceeded, not only reached."""
    deals: int | None = None
    """A fixed number of deals instead of the limit."""
    ties: Ties = "shared"
    """With equal lowest totals at the end: the winners share the game, or play goes on until one is ahead."""

    def __post_init__(self) -> None:
        if not isinstance(self.removed, CardSet):
            object.__setattr__(self, "removed", CardSet(self.removed))
        for name in _CARD_KEYS:
            value = getattr(self, name)
            if isinstance(value, str):
                object.__setattr__(self, name, parse_card(value))
        object.__setattr__(self, "passing", tuple(self.passing))
        _check(self)

    # --- derived values ---

    @property
    def hand_size(self) -> int:
        """Cards dealt to each seat, which is also the number of tricks."""
        return (52 - len(self.removed)) // self.players

    @property
    def kitty_size(self) -> int:
        """Cards left over after dealing."""
        return 52 - len(self.removed) - self.players * self.hand_size

    @property
    def plays(self) -> int:
        """Cards played in a whole deal."""
        return self.players * self.hand_size

    def card_points(self, card: Card) -> int:
        """What a card counts for its taker, before doubling."""
        points = {
            QUEEN_OF_SPADES: self.queen_points,
            KING_OF_SPADES: self.king_points,
            ACE_OF_SPADES: self.ace_points,
        }.get(card, 0)
        if card_suit(card) == HEARTS:
            rank = card_rank(card)
            points = {
                "one": 1,
                "rank": rank + 2,
                "pips": rank + 2 if rank < JACK else 11 if rank == 12 else 10,
                "none": 0,
            }[self.heart_points]
        if card == self.bonus:
            points += self.bonus_points
        return points

    @property
    def penalty_cards(self) -> CardSet:
        """The cards in the pack that are worth more than zero."""
        return CardSet(c for c in CARDS if c not in self.removed and c != self.bonus and self.card_points(c) > 0)

    @property
    def total_points(self) -> int:
        """The sum of all penalty cards: 26 in the standard game."""
        return sum(self.card_points(card) for card in self.penalty_cards)

    def pass_direction(self, deal_number: int) -> str:
        """The pass direction of a deal, by the pass cycle."""
        return self.passing[deal_number % len(self.passing)]

    def pass_code(self, direction: str) -> int:
        """A pass direction as a number: seats clockwise (0 is hold), or SCATTER, POOL, RANDOM_OFFSET."""
        return _pass_code(direction, self.players)

    def pass_name(self, code: int) -> str:
        """The inverse of `pass_code`: left, right, across, hold, scatter, pool, or a number of seats such as +2."""
        names = {0: "hold", 1: "left", self.players - 1: "right", SCATTER: "scatter", POOL: "pool"}
        if self.players % 2 == 0:
            names[self.players // 2] = "across"
        return names.get(code, f"+{code}")

    # --- text forms ---

    @classmethod
    def parse(cls, text: str | Rules) -> Rules:
        """Parse `PRESET[,KEY=VALUE...]`; without a preset, `standard`.

        :raises RulesError: for an unknown preset, key or value, or a contradiction; the message lists the known ones.
        """
        if isinstance(text, Rules):
            return text
        if not isinstance(text, str):
            raise RulesError(f"{quoted(text)} is not a rule set: write a Rules or a text such as 'standard,moon=self'")
        words = [word.strip() for word in text.split(",") if word.strip()]
        base = "standard"
        if words and "=" not in words[0]:
            base = words.pop(0)
        if base not in PRESETS:
            raise RulesError(f"no rules are called {quoted(base)}; known are {', '.join(PRESETS)}")
        changes: dict[str, Any] = {}
        for word in words:
            key, equals, value = word.partition("=")
            key = key.strip().replace("-", "_")
            if not equals:
                raise RulesError(f"{quoted(word)} is not a rule: write KEY=VALUE, as in moon=self")
            if key not in _HINTS:
                raise RulesError(f"no rule is called {quoted(key)}; known are {', '.join(_HINTS)}")
            if key in changes:
                raise RulesError(f"duplicate rule {key}: the second is {clipped(word)}")
            changes[key] = _read_value(key, value.strip())
        return _with_changes(PRESETS[base], changes)

    def __str__(self) -> str:
        best = ""
        for name, preset in PRESETS.items():
            text = ",".join([name, *_differences(preset, self)])
            if not best or text.count("=") < best.count("="):
                best = text
        return best

    def __repr__(self) -> str:
        return f"Rules.parse({str(self)!r})"

    def to_dict(self) -> dict[str, Any]:
        """The rules as plain values for JSON, with cards by name."""
        return {f.name: _plain(f.name, getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Rules:
        """The inverse of `to_dict`; missing keys take their value from the standard game.

        :raises RulesError: for an unknown key, a value of the wrong type, or a contradiction.
        """
        unknown = sorted(set(data) - set(_HINTS))
        if unknown:
            raise RulesError(f"no rule is called {quoted(unknown[0])}; known are {', '.join(_HINTS)}")
        return cls(**{key: _read_plain(key, value) for key, value in data.items()})

    def replace(self, **changes: Any) -> Rules:
        """A copy with some rules changed; a new number of players brings its usual pack and pass cycle."""
        return _with_changes(self, changes)


_HINTS = get_type_hints(Rules)


def _pass_code(direction: str, players: int) -> int:
    words = {"hold": 0, "left": 1, "right": players - 1, "scatter": SCATTER, "pool": POOL, "random": RANDOM_OFFSET}
    if direction in words:
        return words[direction]
    if direction == "across" and players % 2 == 0:
        return players // 2
    if (
        direction[:1] in "+-"
        and direction[1:].isascii()
        and direction[1:].isdigit()
        and 0 < int(direction[1:]) < players
    ):
        return int(direction) % players
    if direction == "across":
        raise RulesError(f"passing 'across' needs an even number of players, not {players}; +2 or -2 would do")
    known = ", ".join(PASS_WORDS)
    raise RulesError(f"{quoted(direction)} is not a pass direction; known are {known}, and seats as +2 or -2")


def _check(rules: Rules) -> None:
    """Raise an error, with the reason, for rules that cannot be played."""

    def refuse(condition: bool, reason: str) -> None:
        if condition:
            raise RulesError(reason)

    for key in ("kitty", "opening", "hearts", "moon", "heart_points", "ties"):
        choices = get_args(_HINTS[key])
        value = getattr(rules, key)
        refuse(value not in choices, f"{key}={value} is unknown; choose from {', '.join(choices)}")
    n = rules.players
    refuse(not MIN_PLAYERS <= n <= MAX_PLAYERS, f"players={n}: Hearts needs {MIN_PLAYERS} to {MAX_PLAYERS} players")
    left = rules.kitty_size
    refuse(
        left > 0 and rules.kitty == "none",
        f"{52 - len(rules.removed)} cards do not divide among {n} players: remove {left} more, or name a kitty",
    )
    refuse(left == 0 and rules.kitty != "none", f"kitty={rules.kitty} but no card is left over for a kitty")
    refuse(rules.hand_size < 1, "too many cards are removed: nobody gets a card")
    refuse(len(rules.passing) > 32, "the pass cycle is longer than 32 deals")
    refuse(not rules.passing, "passing is empty; write passing=hold for no passing")
    for direction in rules.passing:
        code = _pass_code(direction, n)
        refuse(
            code == SCATTER and rules.pass_count != n - 1,
            f"passing=scatter gives one card to each of the others: pass_count must be {n - 1}, not {rules.pass_count}",
        )
    highest = rules.hand_size - (0 if rules.pass_high_spades else len(CardSet(CS_HIGH_SPADES) - rules.removed))
    refuse(
        set(rules.passing) != {"hold"} and not 1 <= rules.pass_count <= highest,
        f"pass_count={rules.pass_count}: a hand of {rules.hand_size} can always pass 1 to {highest} cards",
    )
    if rules.opening in ("2C", "any-club"):
        refuse(TWO_OF_CLUBS in rules.removed, f"opening={rules.opening} but 2C is removed; use opening=lowest-club")
        refuse(left > 0, f"opening={rules.opening} but 2C may lie in the kitty; use opening=lowest-club")
    clubs = len(CardSet.suit("C") - rules.removed)
    refuse(rules.opening == "lowest-club" and clubs <= left, "opening=lowest-club but there may be no club in any hand")
    refuse(not rules.penalty_cards, "no card in the pack counts any points: there is nothing to avoid")
    refuse(not 0 <= rules.pass_count <= 52, f"pass_count={rules.pass_count}: there are 52 cards")
    spades = (rules.queen_points, rules.king_points, rules.ace_points)
    refuse(min(spades) < 0, "penalty points cannot be negative")
    values = (*spades, -rules.bonus_points, -rules.no_tricks)
    refuse(max(values) > MAX_POINTS, f"{max(values)} points are too many for one card: {MAX_POINTS} at most")
    refuse(rules.limit > MAX_LIMIT, f"limit={rules.limit}: {MAX_LIMIT} at most")
    for key in _CARD_KEYS:
        card = getattr(rules, key)
        refuse(card is not None and card in rules.removed, f"{key}={card_name(card or 0)} but that card is removed")
    refuse(rules.bonus is not None and rules.bonus_points >= 0, "bonus_points must be negative: it is a bonus")
    refuse(
        rules.bonus is not None and rules.card_points(rules.bonus) != rules.bonus_points,
        f"bonus={card_name(rules.bonus or 0)} is a penalty card at the same time",
    )
    refuse(rules.bonus is not None and rules.bonus == rules.doubler, "bonus and doubler are the same card")
    refuse(rules.moon_needs_bonus and rules.bonus is None, "moon_needs_bonus but there is no bonus card")
    refuse(rules.sun and rules.moon == "off", "sun counts two moons, but moon=off")
    refuse(rules.no_tricks > 0, "no_tricks must be zero or negative: it is a bonus")
    refuse(rules.limit < 1, f"limit={rules.limit}: the game would be over before the first deal")
    refuse(rules.deals is not None and rules.deals < 1, f"deals={rules.deals}: a game needs at least one deal")


def _brought_along(base: Rules, players: int) -> dict[str, Any]:
    """What a change of the number of players implies: its usual pack, and its pass cycle if the old one was usual."""
    if players == base.players or not MIN_PLAYERS <= players <= MAX_PLAYERS:
        return {}
    brought: dict[str, Any] = {"removed": _default_removed(players), "kitty": "none"}
    if base.passing == _default_passing(base.players):
        brought["passing"] = _default_passing(players)
    return brought


def _with_changes(base: Rules, changes: dict[str, Any]) -> Rules:
    brought = _brought_along(base, changes.get("players", base.players))
    if "removed" in changes or "kitty" in changes:
        brought.pop("removed", None)
        brought.pop("kitty", None)
    return replace(base, **{**brought, **changes})


def _differences(preset: Rules, rules: Rules) -> list[str]:
    """The changes from the preset to the rules, as texts that can be parsed."""
    start = {f.name: getattr(preset, f.name) for f in fields(preset)}
    brought = _brought_along(preset, rules.players)
    pack: dict[str, Any] = {key: brought.pop(key) for key in ("removed", "kitty") if key in brought}
    own_pack = bool(pack) and (rules.removed, rules.kitty) != (pack["removed"], pack["kitty"])
    start |= brought if own_pack else {**brought, **pack}
    changed = [name for name, value in start.items() if getattr(rules, name) != value]
    if own_pack and "removed" not in changed and "kitty" not in changed:
        changed.append("kitty")
    return [f"{name}={_write_value(name, getattr(rules, name))}" for name in changed]


def _plain(key: str, value: Any) -> Any:
    if isinstance(value, CardSet):
        return value.names()
    if key in _CARD_KEYS and value is not None:
        return card_name(value)
    return list(value) if isinstance(value, tuple) else value


def _write_value(key: str, value: Any) -> str:
    value = _plain(key, value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "/".join(value)
    if key == "removed":
        value = "+".join(value.split()) or None
    return "none" if value is None else str(value)


def _read_plain(key: str, value: Any) -> Any:
    """Parse a JSON value: the inverse of `_plain`."""
    if isinstance(value, str):
        return _read_value(key, value)
    hint = _HINTS[key]
    if hint is bool:
        fits = isinstance(value, bool)
    elif key == "passing":
        fits = isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)
    elif hint is int or key == "deals":
        fits = type(value) is int or (key == "deals" and value is None)
    else:
        fits = key in _CARD_KEYS and value is None
    if not fits:
        raise RulesError(
            f"{key}={quoted(value)} has the wrong type; `heartlab rules standard --json` shows valid values"
        )
    return value


def _read_value(key: str, text: str) -> Any:
    hint = _HINTS[key]
    try:
        if hint is bool:
            return {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}[text.lower()]
        if hint is CardSet:
            return CardSet() if text in ("", "none") else CardSet(text.replace("+", " "))
        if key in _CARD_KEYS:
            return None if text == "none" else parse_card(text)
        if key == "passing":
            return ("hold",) if text == "none" else tuple(text.split("/"))
        if key == "deals" and text == "none":
            return None
        if hint is int or key == "deals":
            return int(text)
    except KeyError:
        raise RulesError(f"{key}={clipped(text)}: write yes or no") from None
    except CardError as error:
        raise RulesError(f"{key}={clipped(text)}: {error}") from None
    except ValueError:
        raise RulesError(f"{key}={clipped(text)}: write a whole number") from None
    return text


_FREE_PLAY: dict[str, Any] = dict(passing=("hold",), opening="random", first_trick_points=True, hearts="any")

PRESETS: dict[str, Rules] = {
    "standard": Rules(),
    "seed": Rules(**_FREE_PLAY),
    "seed-nomoon": Rules(**_FREE_PLAY, moon="off"),
    "seed-queen": Rules(**_FREE_PLAY, moon="off", heart_points="none"),
    "seed-hearts": Rules(**_FREE_PLAY, moon="off", queen_points=0),
    "openspiel": Rules(passing=("random",), queen_breaks_hearts=True),
    "gnome": Rules(passing=("left", "across", "right", "hold"), queen_breaks_hearts=True, moon="self", sun=True),
    "omnibus": Rules(bonus=parse_card("JD")),
    "spot": Rules(heart_points="rank", queen_points=25, limit=500),
    "black-maria": Rules(
        players=3,
        removed=CardSet("2C"),
        passing=("right",),
        opening="left-of-dealer",
        first_trick_points=True,
        hearts="any",
        moon="off",
        king_points=10,
        ace_points=7,
    ),
    "advice": Rules(
        players=3,
        kitty="first-trick",
        passing=("hold",),
        opening="lowest-club",
        first_trick_points=True,
        hearts="any",
        moon="self",
        bonus=parse_card("JD"),
    ),
    "falcon": Rules(**_FREE_PLAY, moon="off", limit=100, over_limit=True),
}
"""Rule sets by name."""
PRESET_NOTES: dict[str, str] = {
    "standard": "the game most people play: pass three, 2♣ leads, no points at first, hearts broken, moon +26",
    "seed": "Sturtevant & White 2006: no passing, no restriction on play, random first lead, moon counts",
    "seed-nomoon": "the same without the moon, as in their training and open tests",
    "seed-queen": "their first task: only Q♠ counts",
    "seed-hearts": "their second task: only hearts count",
    "openspiel": "OpenSpiel's defaults: pass direction at random, Q♠ breaks hearts, too",
    "gnome": "gnome-hearts: pass left, across, right, hold; moon -26, sun -52 for the shooter",
    "omnibus": "standard with J♦ at -10",
    "spot": "each heart counts its rank, Q♠ 25, game to 500",
    "black-maria": "three players, pass right, K♠ 10 and A♠ 7 count as well",
    "advice": "Fürnkranz et al. 2000: three players, a kitty card for the first trick, J♦ -10, moon -26",
    "falcon": "Nimoto et al. 2016: no passing, no moon, free play; a big game goes past 100",
}
