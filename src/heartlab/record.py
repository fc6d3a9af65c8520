"""Records of deals: one value, two forms of text (lines for people, JSON Lines for programs), and OpenSpiel's numbers.

``docs/records.md`` specifies the format. Both forms carry the same *document*, a dict of plain values, so that what one
of them can say the other can, too, and both go through the same checks. A :class:`DealRecord` checks itself when it is
made: cards are where they can be, passes and tricks add up, winners lead. Whether the rules allow a play is for whoever
replays the record to say; :meth:`DealRecord.line_of_play` tells where in the file that play stands.

>>> record = next(read_records(["%hearts 1", "deal 3", "rules standard,players=4,removed=" + FIVE_TO_ACE,
...     "hand 0  2C 2D 2S", "hand 1  3C 3D 3S", "hand 2  4C 4D 4S", "hand 3  2H 3H 4H", "trick 1  0: 2C 3C", "end"]))
>>> record.trick_leaders, record.is_finished
((0,), False)
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from io import StringIO
from itertools import chain
from typing import Any, NoReturn, TextIO

from heartlab.cards import (
    CARDS,
    CLUBS,
    DIAMONDS,
    HEARTS,
    SPADES,
    Card,
    CardError,
    CardSet,
    card_name,
    card_rank,
    card_suit,
    make_card,
    parse_cards,
)
from heartlab.rules import POOL, RANDOM_OFFSET, SCATTER, Rules

VERSION = 1
HEADER = f"%hearts {VERSION}"
_VERSIONS = f"known is version {VERSION}, which starts with the line `{HEADER}`"
KEYWORDS = "deal game rules players seed scores hand kitty pass gives gets trick points moon note end".split()
"""The first words of the lines of the text form, in the order in which they are written."""
_PLURALS = {"hand": "hands", "trick": "tricks", "note": "notes"}
"""Keys of the document that differ from the keyword of the line."""

OPENSPIEL_DIRECTIONS = ("hold", "left", "across", "right")
OPENSPIEL_SUITS = (CLUBS, DIAMONDS, HEARTS, SPADES)


class RecordError(ValueError):
    """A record that cannot be: ``FILE:LINE: what is wrong and what would be right``."""

    def __init__(self, reason: str, source: str = "", line: int = 0, part: str = "deal", ply: int | None = None) -> None:
        """
        :param part: the start of the line that is wrong, as in ``"hand 2"``, from which readers find its number.
        :param ply: the number of the card played that is wrong, from 0.
        """
        super().__init__(reason, source, line, part, ply)
        self.reason, self.source, self.line, self.part, self.ply = reason, source, line, part, ply

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.reason}" if self.line else self.reason

    def at(self, source: str, line: int) -> RecordError:
        """The same error at a known place."""
        return RecordError(self.reason, source, line, self.part, self.ply)


def _fail(part: str, reason: str, ply: int | None = None) -> NoReturn:
    raise RecordError(reason, part=part, ply=ply)


# --- the value ---


@dataclass(frozen=True, kw_only=True)
class DealRecord:
    """All that happened in one deal, finished or not. Seats count from 0, clockwise.

    :raises RecordError: if the parts contradict each other or the rules' pack.
    """

    rules: Rules
    number: int
    """Number of the deal, from 0: it decides the dealer and, by the rules, the pass direction."""
    hands: tuple[CardSet, ...]
    """The hands as dealt, before passing."""
    pass_direction: str
    """What was done in this deal, which need not be what the pass cycle says; ``+1`` becomes ``left`` and so on."""
    kitty: CardSet = field(default_factory=CardSet)
    passed: tuple[CardSet, ...] | None = None
    """What each seat gave away; None for hold, or before passing."""
    received: tuple[CardSet, ...] | None = None
    """What each seat got from a pool; None for all other directions, which imply it."""
    leader: int | None = None
    """The leader of the first trick, if known."""
    plays: tuple[Card, ...] = ()
    """The cards in order of play."""
    points: tuple[int, ...] | None = None
    moon: int | None = None
    """The seat that shot the moon."""
    scores: tuple[int, ...] | None = None
    """Totals before the deal."""
    players: tuple[str, ...] | None = None
    game: int | None = None
    """Number of the game that the deal belongs to."""
    seed: int | None = None
    notes: tuple[str, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    """Where the record was read: line numbers by the start of the line, as in ``"gives 2"`` or ``"trick 10"``."""
    stated_leaders: InitVar[Sequence[int]] = ()
    """Leaders of the tricks as a file gives them, to be checked against the play; not kept, as they follow from it."""

    def __post_init__(self, stated_leaders: Sequence[int]) -> None:
        _check_numbers(self)
        _check_hands(self)
        object.__setattr__(self, "pass_direction", _pass_word(self.rules, self.pass_direction))
        _check_passing(self)
        _check_play(self, stated_leaders)

    @property
    def line(self) -> int:
        """The line of ``deal`` in the file, or 0 if the record was not read from one."""
        return self.lines.get("deal", 0)

    def line_of(self, part: str) -> int:
        """The line that starts with these words, as in ``"points"`` or ``"gives 2"``; else the line of the deal."""
        return self.lines.get(part, self.line)

    def line_of_play(self, ply: int) -> int:
        """The line of the trick in which card number ``ply``, from 0, was played."""
        return self.line_of(f"trick {ply // self.rules.players + 1}")

    @property
    def is_finished(self) -> bool:
        """Whether all cards are played."""
        return len(self.plays) == self.rules.plays

    @property
    def trick_leaders(self) -> tuple[int, ...]:
        """Who led each trick: the first leader, then always the winner of the trick before."""
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
        """The hands after passing, with which the play begins; as dealt if nothing was passed."""
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
            _fail(part, f"`{part} {number}`: numbers count from 0")
    per_seat: dict[str, Sequence[object] | None] = {
        "scores": record.scores,
        "points": record.points,
        "players": record.players,
    }
    for part, values in per_seat.items():
        if values is not None and len(values) != n:
            _fail(part, f"`{part}` lists {len(values)}: write one for each of the {n} seats")
    for part, seat in (("moon", record.moon), ("trick 1", record.leader)):
        if seat is not None and not 0 <= seat < n:
            _fail(part, f"`{part}`: there is no seat {seat}; seats are 0 to {n - 1}")
    for part, value in (("points", record.points), ("moon", record.moon)):
        if value is not None and not record.is_finished:
            _fail(
                part,
                f"`{part}` belongs to finished deals only: {len(record.plays)} of {record.rules.plays} cards are played",
            )


def _check_hands(record: DealRecord) -> None:
    rules = record.rules
    if len(record.hands) != rules.players:
        _fail("deal", f"the deal has {len(record.hands)} hands: the rules have {rules.players} players")
    places = [(f"hand {seat}", hand, rules.hand_size) for seat, hand in enumerate(record.hands)]
    places.append(("kitty", record.kitty, rules.kitty_size))
    dealt = CardSet(sum(1 << card for card in set(chain.from_iterable(cards for _, cards, _ in places))))
    missing = (CardSet(CARDS) - dealt - rules.removed).names() or "none"
    seen = CardSet()
    for part, cards, size in places:
        if cards & rules.removed:
            _fail(part, f"`{part}` has {(cards & rules.removed).names()}, which the rules remove from the pack")
        if cards & seen:
            _fail(part, f"`{part}` has {(cards & seen).names()}, which a hand before has: each card is dealt once")
        if len(cards) != size:
            _fail(part, f"`{part}` has {len(cards)} cards: the rules want {size} (cards that nobody has: {missing})")
        seen = seen | cards


def _pass_word(rules: Rules, direction: str) -> str:
    """The one word for a direction, so that records of the same deal are equal."""
    try:
        code = rules.pass_code(direction)
    except ValueError as error:
        _fail("pass", f"`pass {direction}`: {error}")
    n = rules.players
    if code == RANDOM_OFFSET:
        _fail("pass", "`pass random`: write the direction that chance chose, as in `pass left`, `pass +2`, `pass hold`")
    if code == SCATTER and rules.pass_count != n - 1:
        _fail("pass", f"`pass scatter` gives a card to each of the others, but the rules pass {rules.pass_count} cards")
    words = {0: "hold", 1: "left", n - 1: "right", SCATTER: "scatter", POOL: "pool"}
    if n % 2 == 0:
        words[n // 2] = "across"
    return words.get(code, f"+{code}")


def _check_passing(record: DealRecord) -> None:
    rules, direction = record.rules, record.pass_direction
    if record.received is not None and (direction != "pool" or record.passed is None):
        _fail("gets 0", f"`gets` is only for what seats got from a pool; here it follows from `pass {direction}`")
    if record.passed is None:
        if record.plays and direction != "hold":
            _fail("trick 1", f"cards are played before passing: write the `gives` lines of `pass {direction}`")
        return
    if direction == "hold":
        _fail("gives 0", "`gives` in a deal without passing: leave it out, or write the direction, as in `pass left`")
    if direction == "pool" and record.received is None:
        _fail("pass", "`pass pool` shuffles the cards: write what each seat got, as in `gets 0  2C 3C 4C`")
    pool = CardSet(chain.from_iterable(record.passed))
    for word, sets in (("gives", record.passed), ("gets", record.received)):
        if sets is not None and len(sets) != rules.players:
            _fail("deal", f"`{word}` is there for {len(sets)} seats: every seat from 0 to {rules.players - 1} needs one")
        for seat, cards in enumerate(sets or ()):
            part = f"{word} {seat}"
            if len(cards) != rules.pass_count:
                _fail(part, f"`{part}` has {len(cards)} cards: the rules pass {rules.pass_count}")
            source = record.hands[seat] if word == "gives" else pool
            if not cards <= source:
                owner = f"seat {seat} does not hold" if word == "gives" else "nobody passed, or another seat got"
                _fail(part, f"`{part}` has {(cards - source).names()}, which {owner}; possible are {source.names()}")
            pool = pool if word == "gives" else pool - cards


def _check_play(record: DealRecord, stated_leaders: Sequence[int]) -> None:
    rules, plays, n = record.rules, record.plays, record.rules.players
    if plays and record.leader is None:
        _fail("trick 1", "cards are played, but nobody leads the first trick: say which seat does")
    if len(plays) > rules.plays:
        _fail(f"trick {rules.hand_size + 1}", f"the deal has more than the {rules.hand_size} tricks of the rules")
    held = [hand.mask for hand in record.playing_hands]
    for trick, (leader, cards) in enumerate(record.tricks):
        part = f"trick {trick + 1}"
        if trick < len(stated_leaders) and stated_leaders[trick] != leader:
            stated = stated_leaders[trick]
            _fail(part, f"`{part}` is led by seat {stated}: seat {leader} won trick {trick} and leads", trick * n)
        for turn, card in enumerate(cards):
            seat = (leader + turn) % n
            if not held[seat] >> card & 1:
                ply = trick * n + turn
                _fail(part, f"`{part}`: seat {seat} cannot play {card_name(card)}: {_where(record, card, ply)}", ply)
            held[seat] ^= 1 << card


def _where(record: DealRecord, card: Card, ply: int) -> str:
    """Where a card is that a seat played without having it."""
    if card in record.plays[:ply]:
        return f"it was played in trick {record.plays.index(card) // record.rules.players + 1} already"
    owners = [seat for seat, hand in enumerate(record.playing_hands) if card in hand]
    if owners:
        return f"seat {owners[0]} holds it"
    return "it lies in the kitty" if card in record.kitty else "the rules remove it from the pack"


# --- writing ---


def _document(record: DealRecord) -> dict[str, Any]:
    """The record as plain values, in the order of the lines; what is None or empty is left out."""
    tricks = [[leader, _names(cards)] for leader, cards in record.tricks]
    if record.leader is not None and not tricks:
        tricks = [[record.leader, ""]]
    document = {
        "hearts": VERSION,
        "deal": record.number,
        "game": record.game,
        "rules": str(record.rules),
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
    """The record in the text form: by default a whole file, without header the lines to add to one."""
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
    """The record as one line of JSON, without the line break."""
    return _quoted(_document(record))


def to_openspiel(record: DealRecord) -> str:
    """The deal as OpenSpiel's history: numbers separated by blanks. It keeps pass direction, deal, passes and plays.

    :raises RecordError: if OpenSpiel cannot play such a deal: four players, the full pack, three cards by seats.
    """
    _check_openspiel_rules(record.rules)
    if record.pass_direction not in OPENSPIEL_DIRECTIONS:
        _fail("pass", f"OpenSpiel passes {', '.join(OPENSPIEL_DIRECTIONS)}, not {record.pass_direction}")
    dealt = chain.from_iterable(zip(*record.hands, strict=True))
    cards = chain(dealt, chain.from_iterable(record.passed or ()), record.plays)
    numbers = (card_rank(card) * 4 + OPENSPIEL_SUITS.index(card_suit(card)) for card in cards)
    return " ".join(map(str, [OPENSPIEL_DIRECTIONS.index(record.pass_direction), *numbers]))


def _names(cards: Iterable[Card]) -> str:
    return " ".join(map(card_name, cards))


def _hides(text: str) -> bool:
    """Whether a text would not survive on a line of its own."""
    return not text or text != text.strip() or not text.isprintable()


def _quoted(value: Any) -> str:
    """As JSON on one line: what is not printable, line breaks of all kinds above all, becomes an escape."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)


# --- reading documents ---


def _all(kind: type) -> Callable[[Any], bool]:
    return lambda value: type(value) is list and all(type(item) is kind for item in value)


def _are_tricks(value: Any) -> bool:
    return type(value) is list and all(type(item) is list and [type(x) for x in item] == [int, str] for item in value)


_SHAPES: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("hearts", "deal", "game", "seed", "moon"), (lambda v: type(v) is int, "a whole number")),
    **dict.fromkeys(("rules", "kitty", "pass"), (lambda v: type(v) is str, "a string")),
    **dict.fromkeys(("players", "hands", "gives", "gets", "notes"), (_all(str), "a list of strings")),
    **dict.fromkeys(("scores", "points"), (_all(int), "a list of whole numbers")),
    "tricks": (_are_tricks, 'a list of [leader, cards], as in [[0, "2C 5C KC AC"]]'),
}
"""For each key of the document a test of its value, and what it has to be."""


def from_json(line: str, *, source: str = "<json>", line_number: int = 1) -> DealRecord:
    """Read one line of the JSON form.

    :raises RecordError: if it is no record; ``source`` and ``line_number`` are for the message.
    """
    try:
        document = json.loads(line, object_pairs_hook=_unique)
        if not isinstance(document, dict):
            _fail("deal", "a record is a JSON object, in braces")
        for key, value in document.items():
            if key not in _SHAPES:
                _fail("deal", f"{key!r} is no key{_known(key, _SHAPES)}; keys of your own start with x_")
            fits, shape = _SHAPES[key]
            if not fits(value):
                _fail("deal", f"the value of {key!r} has to be {shape}")
        if document.get("hearts") != VERSION:
            given = f"is {document['hearts']}" if "hearts" in document else "is missing"
            _fail("deal", f'the version, "hearts", {given}; known is version {VERSION}, written as "hearts": {VERSION}')
        return _build(document, Rules(), {"deal": line_number})
    except RecordError as error:
        raise error.at(source, line_number) from None
    except (ValueError, RecursionError) as error:
        raise RecordError(f"this is no JSON object on one line: {error}", source, line_number) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs if not key.startswith("x_")]
    for key in keys:
        if keys.count(key) > 1:
            _fail("deal", f"the key {key!r} is there twice: write it once")
    return {key: value for key, value in pairs if not key.startswith("x_")}


def _build(document: Mapping[str, Any], rules: Rules, lines: Mapping[str, int]) -> DealRecord:
    """The record of a document whose values have the right shapes; rules are the ones to take if it has none."""
    if "deal" not in document or "hands" not in document:
        _fail("deal", "a record needs the number of the deal and the hands")
    if "rules" in document:
        rules = _parse_rules(document["rules"])
    number, tricks = document["deal"], document.get("tricks", [])
    cycle = rules.pass_direction(number)
    if "pass" not in document and cycle != "hold":
        _fail("deal", f"the direction is missing, which by the rules is {cycle}: write `pass DIRECTION` or `pass hold`")

    def card_sets(key: str, word: str) -> tuple[CardSet, ...] | None:
        if key not in document:
            return None
        return tuple(_card_set(text, f"{word} {seat}") for seat, text in enumerate(document[key]))

    plays: list[Card] = []
    for index, (_, text) in enumerate(tricks, 1):
        plays += _trick_cards(text, index, rules.players, is_last=index == len(tricks))
    return DealRecord(
        rules=rules,
        number=number,
        hands=card_sets("hands", "hand") or (),
        kitty=_card_set(document.get("kitty", ""), "kitty"),
        pass_direction=document.get("pass", "hold"),
        passed=card_sets("gives", "gives"),
        received=card_sets("gets", "gets"),
        leader=tricks[0][0] if tricks else None,
        plays=tuple(plays),
        stated_leaders=[leader for leader, _ in tricks],
        notes=tuple(document.get("notes", ())),
        lines=lines,
        **{key: tuple(document[key]) for key in ("points", "scores", "players") if key in document},
        **{key: document.get(key) for key in ("game", "seed", "moon")},
    )


def _parse_rules(text: str) -> Rules:
    try:
        return Rules.parse(text)
    except ValueError as error:
        _fail("rules", f"`rules {text}`: {error}")


def _cards(text: str, part: str) -> list[Card]:
    try:
        return parse_cards(text)
    except CardError as error:
        _fail(part, f"`{part}`: {error}")


def _card_set(text: str, part: str) -> CardSet:
    cards = _cards(text, part)
    twice = [card for card in cards if cards.count(card) > 1] if len(set(cards)) < len(cards) else []
    if twice:
        _fail(part, f"`{part}` has {card_name(twice[0])} twice: each card is there once")
    return CardSet(cards)


def _trick_cards(text: str, index: int, players: int, *, is_last: bool) -> list[Card]:
    part = f"trick {index}"
    cards = _cards(text, part)
    if len(cards) > players:
        _fail(part, f"`{part}` has {len(cards)} cards: {players} players play one each")
    if len(cards) < players and not is_last:
        _fail(part, f"`{part}` has {len(cards)} cards: {players} players play one each, and only the last trick may wait")
    if not cards and index > 1:
        _fail(part, f"`{part}` has no cards: only the first trick is written before a card is played, for its leader")
    return cards


def _known(word: str, words: Iterable[str]) -> str:
    close = difflib.get_close_matches(word.lower(), words, 1)
    return (f"; did you mean {close[0]}?" if close else ";") + f" known are {', '.join(words)}"


# --- reading files ---

_Lines = Iterator[tuple[int, str]]
_Block = list[tuple[int, str]]


def read_records(
    lines: Iterable[str],
    source: str = "<text>",
    *,
    skip_bad: bool = False,
    on_error: Callable[[RecordError], None] | None = None,
    rules: Rules | str = "openspiel",
) -> Iterator[DealRecord]:
    """Read records in whatever form they are: text, JSON Lines, or one OpenSpiel history per line.

    :param lines: an open file, any lines, or a whole text.
    :param source: the name of the file, for messages.
    :param skip_bad: go on with the next deal after a bad one, instead of raising; ``on_error`` is told about it.
    :param rules: the rules of OpenSpiel histories, which do not say them; the other forms do.
    :raises RecordError: at the first bad deal unless ``skip_bad``; always if the version is missing or unknown.
    """
    numbered = enumerate(StringIO(lines) if isinstance(lines, str) else lines, 1)
    stripped = ((number, line.lstrip("\ufeff").strip()) for number, line in numbered)
    content = ((number, line) for number, line in stripped if line and line[0] != "#")
    first = next(content, None)
    if first is None:
        return
    content = chain([first], content)
    results: Iterator[DealRecord | RecordError]
    if first[1][0] == "{":
        results = _each(content, lambda _, number, line: from_json(line, source=source, line_number=number))
    elif first[1][0] in "[0123456789":
        played = Rules.parse(rules)
        results = _each(
            content,
            lambda index, number, line: parse_openspiel(line, played, number=index, source=source, line_number=number),
        )
    else:
        _check_header(first[1], source, first[0])
        results = _read_text(content, source)
    for result in results:
        if isinstance(result, DealRecord):
            yield result
        elif not skip_bad:
            raise result
        elif on_error is not None:
            on_error(result)


def _each(lines: _Lines, read: Callable[[int, int, str], DealRecord]) -> Iterator[DealRecord | RecordError]:
    """One record, or what is wrong with it, per line; read gets the index of the record, its line number and line."""
    for index, (number, line) in enumerate(lines):
        try:
            yield read(index, number, line)
        except RecordError as error:
            yield error


def _check_header(line: str, source: str, number: int) -> None:
    if line.split() != HEADER.split():
        what = "is an unknown version" if line.startswith("%hearts") else "is no header of a file of records"
        raise RecordError(f"{line[:40]!r} {what}; {_VERSIONS}", source, number)


def _read_text(lines: _Lines, source: str) -> Iterator[DealRecord | RecordError]:
    """The deals of the text form, and in place of each bad one what is wrong with it."""
    inherited: Rules | None = None
    for block in _blocks(lines):
        number, line = block[0]
        if line.startswith("%"):
            _check_header(line, source, number)
            inherited = Rules()
            continue
        given = [(place, line) for place, line in block if line.split(maxsplit=1)[:1] == ["rules"]]
        try:
            for number, line in given:
                inherited = None
                inherited = _parse_rules(line.removeprefix("rules").strip())
            if inherited is None:
                _fail("deal", "the deal takes its rules from the one before, where they are wrong: write a `rules` line")
            result: DealRecord | RecordError = _read_block(block, inherited, source)
        except RecordError as error:
            result = error if error.line else error.at(source, number)
        yield result


def _blocks(lines: _Lines) -> Iterator[_Block]:
    """The lines from each `deal` to its `end`; headers, and what stands outside of deals, are blocks of their own.

    A block whose `end` is missing gets an empty line instead, with the number of the line where that was noticed.
    """
    block: _Block = []
    for number, line in lines:
        word = line.split(maxsplit=1)[0]
        if word.startswith("x_"):
            continue
        if block and (word == "deal" or line.startswith("%")):
            yield [*block, (number, "")]
            block = []
        block.append((number, line))
        if word == "end" or line.startswith("%"):
            yield block
            block = []
    if block:
        yield [*block, (block[-1][0], "")]


def _read_block(block: _Block, rules: Rules, source: str) -> DealRecord:
    document: dict[str, Any] = {}
    lines: dict[str, int] = {}
    number, line = block[0]
    try:
        for number, line in block:
            word, _, rest = (line + " ").replace("\t", " ").partition(" ")
            if not line:
                _fail("end", f"the deal of line {lines['deal']} has no `end`: write `end` after its last line")
            if word not in KEYWORDS:
                _fail(word, f"`{word}` is no keyword{_known(word, KEYWORDS)}")
            if word != "deal" and "deal" not in document:
                _fail(word, f"`{word}` stands outside of a deal: a deal starts with a line as `deal 0`")
            part = _read_line(document, word, rest.strip())
            if part in lines:
                _fail(part, f"`{part}` is there twice, first in line {lines[part]}: write it once")
            lines.setdefault(part, number)
    except RecordError as error:
        raise error.at(source, number) from None
    try:
        return _build(document, rules, lines)
    except RecordError as error:
        raise error.at(source, lines.get(error.part, lines["deal"])) from None
