"""Records of deals: the value, its checks, and how it is written. Parsing is in `heartlab.records.reader`.

`docs/records.md` specifies the format: lines for people, JSON Lines for programs. Both are written from the same
*document*, a dict of plain values, so they hold the same information. A `DealRecord` is checked when it is made: hands,
passes and tricks are consistent, and winners lead. Whether a play is legal is checked when the record is replayed
(`Deal.from_record`); `DealRecord.line_of_play` gives the line of a play for error messages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any, NoReturn, TextIO

from heartlab.cards import (
    CLUBS,
    CS_ALL,
    DIAMONDS,
    HEARTS,
    RANKS,
    SPADES,
    Card,
    CardSet,
    card_name,
    card_suit,
    make_card,
)
from heartlab.rules import RANDOM_OFFSET, SCATTER, Rules

VERSION = 1
HEADER = f"%hearts {VERSION}"
"""The first line of a file in the text form."""
MAX_NUMBER = (1 << 31) - 1
"""The largest deal number, and the largest total of a seat, that a state record can hold."""

OPENSPIEL_DIRECTIONS = ("hold", "left", "across", "right")
"""Pass directions, indexed by OpenSpiel's numbers."""
OPENSPIEL_CARDS: list[Card] = [make_card(rank, suit) for rank in RANKS for suit in (CLUBS, DIAMONDS, HEARTS, SPADES)]
"""Cards, indexed by OpenSpiel's numbers."""


class RecordError(ValueError):
    """An invalid record. The message is `FILE:LINE: what is wrong and what would be right`."""

    def __init__(
        self, reason: str, source: str = "<record>", line: int = 0, part: str = "deal", ply: int | None = None
    ) -> None:
        """
        :param part: the start of the wrong line, as in `"hand 2"`, from which the reader finds its number.
        :param ply: the number of the wrong play, from 0.
        """
        super().__init__(reason, source, line, part, ply)
        self.reason, self.source, self.line, self.part, self.ply = reason, source, line, part, ply

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.reason}" if self.line else self.reason

    def at(self, source: str, line: int) -> RecordError:
        """The same error with its file and line."""
        return RecordError(self.reason, source, line, self.part, self.ply)


def fail(part: str, reason: str, ply: int | None = None) -> NoReturn:
    """Raise an error without a file and line, which the reader adds."""
    raise RecordError(reason, part=part, ply=ply)


# --- the value ---


@dataclass(frozen=True, kw_only=True)
class DealRecord:
    """What happened in one deal, finished or not. Seats are numbered from 0, clockwise.

    >>> from heartlab import Deal
    >>> from heartlab.records import from_json, to_json
    >>> deal = Deal("seed", seed=1)
    >>> deal.play_randomly(seed=1)
    >>> record = deal.to_record(players=("north", "east", "south", "west"))
    >>> record.is_finished, len(record.tricks), sum(record.points)
    (True, 13, 26)
    >>> from_json(to_json(record)) == record
    True

    :raises RecordError: if the parts contradict each other, or do not fit the pack of the rules.
    """

    rules: Rules
    number: int
    """Number of the deal, from 0: it decides the dealer and the entry of the pass cycle."""
    hands: tuple[CardSet, ...]
    """The hands as dealt, before passing."""
    pass_direction: str
    """The direction used in this deal, which may differ from the pass cycle; `+1` becomes `left` and so on."""
    kitty: CardSet = field(default_factory=CardSet)
    """The cards left over after dealing."""
    passed: tuple[CardSet, ...] | None = None
    """What each seat passed; None for hold, or before passing."""
    received: tuple[CardSet, ...] | None = None
    """What each seat received from a pool; None for all other directions, where it follows from `passed`."""
    leader: int | None = None
    """The leader of the first trick, if known."""
    plays: tuple[Card, ...] = ()
    """The cards in order of play."""
    points: tuple[int, ...] | None = None
    """The points of each seat, only in finished deals."""
    moon: int | None = None
    """The seat that shot the moon."""
    scores: tuple[int, ...] | None = None
    """Totals before the deal."""
    players: tuple[str, ...] | None = None
    """A name for each seat."""
    game: int | None = None
    """Number of the game that the deal belongs to."""
    seed: int | None = None
    """The seed of the deal, for information only."""
    notes: tuple[str, ...] = ()
    """Any remarks."""
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    """Line numbers in the file by the start of the line, as in `"gives 2"` or `"trick 10"`."""
    stated_leaders: InitVar[Sequence[int]] = ()
    """The leaders of the tricks in the file, checked against the play; not stored, because they follow from it."""

    def __post_init__(self, stated_leaders: Sequence[int]) -> None:
        _check_numbers(self)
        _check_hands(self)
        object.__setattr__(self, "pass_direction", _pass_word(self.rules, self.pass_direction))
        _check_passing(self)
        _check_play(self, stated_leaders)

    @property
    def line(self) -> int:
        """The line of `deal` in the file, or 0 if the record was not read from a file."""
        return self.lines.get("deal", 0)

    def line_of(self, part: str) -> int:
        """The line that starts with these words, as in `"points"` or `"gives 2"`; without one, the line of `deal`."""
        return self.lines.get(part, self.line)

    def line_of_play(self, ply: int) -> int:
        """The line of the trick in which card number `ply`, from 0, was played."""
        return self.line_of(f"trick {ply // self.rules.players + 1}")

    @property
    def is_finished(self) -> bool:
        """Whether all cards are played."""
        return len(self.plays) == self.rules.plays

    @property
    def trick_leaders(self) -> tuple[int, ...]:
        """The leader of each trick: the first leader, then the winner of the trick before."""
        return tuple(leader for leader, _ in self.tricks)

    @property
    def tricks(self) -> tuple[tuple[int, tuple[Card, ...]], ...]:
        """Leader and cards of each trick; the last may be incomplete."""
        tricks, leader, n = [], self.leader or 0, self.rules.players
        for start in range(0, len(self.plays), n):
            cards = self.plays[start : start + n]
            tricks.append((leader, cards))
            highest = max(card for card in cards if card_suit(card) == card_suit(cards[0]))
            leader = (leader + cards.index(highest)) % n
        return tuple(tricks)

    @property
    def playing_hands(self) -> tuple[CardSet, ...]:
        """The hands after passing; as dealt if nothing was passed."""
        if self.passed is None:
            return self.hands
        n, code = self.rules.players, self.rules.pass_code(self.pass_direction)
        masks = [hand.mask & ~given.mask for hand, given in zip(self.hands, self.passed, strict=True)]
        for seat in range(n):
            if self.received is not None:
                masks[seat] |= self.received[seat].mask
                continue
            for index, card in enumerate(self.passed[seat]):
                masks[(seat + (1 + index if code == SCATTER else code)) % n] |= 1 << card
        return tuple(CardSet(mask) for mask in masks)


# --- checks ---


def _check_numbers(record: DealRecord) -> None:
    n = record.rules.players
    for part, number in (("deal", record.number), ("game", record.game)):
        if number is not None and number < 0:
            fail(part, f"`{part} {number}`: numbers count from 0")
    if record.number > MAX_NUMBER:
        fail("deal", f"`deal {record.number}`: deals are numbered up to {MAX_NUMBER}")
    if record.scores is not None and any(abs(score) > MAX_NUMBER for score in record.scores):
        fail("scores", f"`scores`: totals go up to {MAX_NUMBER}")
    per_seat: dict[str, Sequence[object] | None] = {
        "scores": record.scores,
        "points": record.points,
        "players": record.players,
    }
    for part, values in per_seat.items():
        if values is not None and len(values) != n:
            fail(part, f"`{part}` lists {len(values)}: write one for each of the {n} seats")
    for part, seat in (("moon", record.moon), ("trick 1", record.leader)):
        if seat is not None and not 0 <= seat < n:
            fail(part, f"`{part}`: there is no seat {seat}; seats are 0 to {n - 1}")


def _check_hands(record: DealRecord) -> None:
    rules = record.rules
    if len(record.hands) != rules.players:
        part = f"hand {rules.players}"
        fail(part, f"the deal has {len(record.hands)} hands: the rules have {rules.players} players")
    places = [(f"hand {seat}", hand.mask, rules.hand_size) for seat, hand in enumerate(record.hands)]
    places.append(("kitty", record.kitty.mask, rules.kitty_size))
    unseen = CS_ALL & ~rules.removed.mask
    for _, cards, _ in places:
        unseen &= ~cards
    missing = f" (in no hand: {CardSet(unseen).names()})" if unseen else ""
    seen = 0
    for part, cards, size in places:
        if cards & rules.removed.mask:
            removed = CardSet(cards & rules.removed.mask).names()
            fail(part, f"`{part}` has {removed}, which the rules remove: deal only the others{missing}")
        if cards & seen:
            fail(part, f"`{part}` has {CardSet(cards & seen).names()} again: each card is dealt once{missing}")
        if cards.bit_count() != size:
            fail(part, f"`{part}` has {cards.bit_count()} cards: the rules want {size}{missing}")
        seen |= cards


def _pass_word(rules: Rules, direction: str) -> str:
    """The standard word for a direction, so that records of the same deal are equal."""
    try:
        code = rules.pass_code(direction)
    except ValueError as error:
        fail("pass", f"`pass {direction}`: {error}")
    if code == RANDOM_OFFSET:
        fail("pass", "`pass random`: write the direction that chance chose, as in `pass left`, `pass +2`, `pass hold`")
    if code == SCATTER and rules.pass_count != rules.players - 1:
        fail("pass", f"`pass scatter` gives a card to each of the others, but the rules pass {rules.pass_count} cards")
    return rules.pass_name(code)


def _check_passing(record: DealRecord) -> None:
    rules, direction = record.rules, record.pass_direction
    if record.received is not None and (direction != "pool" or record.passed is None):
        fail("gets 0", f"`gets` is only for what seats got from a pool; here it follows from `pass {direction}`")
    if record.passed is None:
        if record.plays and direction != "hold":
            fail("trick 1", f"cards are played before passing: write the `gives` lines of `pass {direction}`")
        return
    if direction == "hold":
        fail("gives 0", "`gives` in a deal without passing: leave it out, or write the direction, as in `pass left`")
    if direction == "pool" and record.received is None:
        fail("pass", "`pass pool` shuffles the cards: write what each seat got, as in `gets 0  2C 3C 4C`")
    pool = 0
    for word, sets in (("gives", record.passed), ("gets", record.received)):
        if sets is None:
            continue
        if len(sets) != rules.players:
            part = f"{word} {rules.players}"
            fail(
                part,
                f"`{word}` is there for {len(sets)} seats: write one for each of the seats 0 to {rules.players - 1}",
            )
        for seat, cards in enumerate(sets):
            part = f"{word} {seat}"
            if len(cards) != rules.pass_count:
                fail(part, f"`{part}` has {len(cards)} cards: the rules pass {rules.pass_count}")
            source = record.hands[seat].mask if word == "gives" else pool
            if cards.mask & ~source:
                wrong, right = CardSet(cards.mask & ~source).names(), CardSet(source).names()
                fail(part, f"`{part}` has {wrong}, which seat {seat} cannot {word[:-1]}: possible are {right}")
            pool ^= cards.mask


def _check_play(record: DealRecord, stated_leaders: Sequence[int]) -> None:
    rules, plays, n = record.rules, record.plays, record.rules.players
    if any(not 0 <= card < 52 for card in plays):
        fail("trick 1", "a play is not a card: cards are the ints 0 to 51")
    if plays and record.leader is None:
        fail("trick 1", "cards are played, but nobody leads the first trick: say which seat does")
    if len(plays) > rules.plays:
        part = f"trick {rules.hand_size + 1}"
        fail(part, f"`{part}` is one too many: a deal of these rules has {rules.hand_size} tricks", rules.plays)
    held = [hand.mask for hand in record.playing_hands]
    for trick, (leader, cards) in enumerate(record.tricks):
        part = f"trick {trick + 1}"
        if trick < len(stated_leaders) and stated_leaders[trick] != leader:
            stated = stated_leaders[trick]
            fail(part, f"`{part}` is led by seat {stated}: seat {leader} won trick {trick} and leads", trick * n)
        for turn, card in enumerate(cards):
            seat = (leader + turn) % n
            if not held[seat] >> card & 1:
                ply = trick * n + turn
                fail(part, f"`{part}`: seat {seat} cannot play {card_name(card)}: {_where(record, card, ply)}", ply)
            held[seat] ^= 1 << card
    for part, value in (("points", record.points), ("moon", record.moon)):
        if value is not None and not record.is_finished:
            done = f"{len(plays)} of {rules.plays} cards are played"
            fail(part, f"`{part}` is for finished deals, but {done}: add the rest, or leave `{part}` out")


def _where(record: DealRecord, card: Card, ply: int) -> str:
    """Where a card is that a seat played without holding it."""
    if card in record.plays[:ply]:
        return f"it was played in trick {record.plays.index(card) // record.rules.players + 1} already"
    owners = [seat for seat, hand in enumerate(record.playing_hands) if card in hand]
    if owners:
        return f"seat {owners[0]} holds it"
    return "it lies in the kitty" if card in record.kitty else "the rules remove it from the pack"


# --- writing ---


def _document(record: DealRecord) -> dict[str, Any]:
    """The record as plain values, in the order of the lines; None and empty values are left out."""
    tricks = [[leader, _names(cards)] for leader, cards in record.tricks]
    if record.leader is not None and not tricks:
        tricks = [[record.leader, ""]]
    document = {
        "hearts": VERSION,
        "deal": record.number,
        "game": record.game,
        "rules": _rules_text(record.rules),
        "players": record.players and list(record.players),
        "seed": record.seed,
        "scores": record.scores and list(record.scores),
        "hands": [hand.names() for hand in record.hands],
        "kitty": record.kitty.names() or None,
        "pass": record.pass_direction,
        "gives": record.passed and [cards.names() for cards in record.passed],
        "gets": record.received and [cards.names() for cards in record.received],
        "tricks": tricks or None,
        "points": record.points and list(record.points),
        "moon": record.moon,
        "notes": list(record.notes) or None,
    }
    return {key: value for key, value in document.items() if value is not None}


def to_text(record: DealRecord, *, header: bool = True) -> str:
    """The record in the text form: by default a whole file, or without the header lines to append to one."""
    lines = [HEADER] if header else []
    lines.append("")
    for key, value in _document(record).items():
        if key in ("hands", "gives", "gets"):
            word = "hand" if key == "hands" else key
            lines += [f"{word} {seat}  {cards}".rstrip() for seat, cards in enumerate(value)]
        elif key == "tricks":
            lines += [f"trick {n}  {leader}: {cards}".rstrip() for n, (leader, cards) in enumerate(value, 1)]
        elif key == "notes":
            lines += ["note " + (_quoted(text) if _hides(text) or text.startswith('"') else text) for text in value]
        elif key == "players":
            names = [_quoted(name) if _hides(name) or " " in name or '"' in name else name for name in value]
            lines.append(" ".join(["players", *names]))
        elif key != "hearts":
            lines.append(" ".join([key, *map(str, value if isinstance(value, list) else [value])]))
    return "\n".join([*lines, "end", ""])


def write_text(record: DealRecord, out: TextIO, *, header: bool = True) -> None:
    """Write the text form to a stream; only the first record of a file needs the header."""
    out.write(to_text(record, header=header))


def to_json(record: DealRecord) -> str:
    """The record in the JSON form: one line, without the line break."""
    return _quoted(_document(record))


def to_openspiel(record: DealRecord) -> str:
    """The deal as an OpenSpiel history: pass direction, cards dealt, passes and plays as numbers separated by blanks.

    :raises RecordError: unless four players use the full pack and pass three cards left, right or across, or hold.
    """
    check_openspiel_rules(record.rules)
    if record.pass_direction not in OPENSPIEL_DIRECTIONS:
        fail("pass", f"OpenSpiel passes {', '.join(OPENSPIEL_DIRECTIONS)}, not {record.pass_direction}")
    dealt = chain.from_iterable(zip(*record.hands, strict=True))
    cards = chain(dealt, chain.from_iterable(record.passed or ()), record.plays)
    numbers = [OPENSPIEL_DIRECTIONS.index(record.pass_direction), *map(OPENSPIEL_CARDS.index, cards)]
    return " ".join(map(str, numbers))


def check_openspiel_rules(rules: Rules) -> None:
    """Raise an error for rules whose deals cannot be written as OpenSpiel histories."""
    if rules.players != 4 or rules.removed or rules.pass_count != 3:
        fail("rules", f"OpenSpiel deals all 52 cards to four players, who pass three; that is not `rules {rules}`")


@lru_cache(maxsize=64)
def _rules_text(rules: Rules) -> str:
    """The text of the rules, cached: it takes as long as the rest of a record, and files repeat it."""
    return str(rules)


def _names(cards: Iterable[Card]) -> str:
    return " ".join(map(card_name, cards))


def _hides(text: str) -> bool:
    """Whether a text has to be quoted to be read back from a line."""
    return not text or text != text.strip() or not text.isprintable()


def _quoted(value: Any) -> str:
    """JSON on one line, with escapes for line breaks and other unprintable characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)
