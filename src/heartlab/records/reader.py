"""Parsing records of deals: the text form, JSON Lines and OpenSpiel histories, with errors that name the line.

>>> [record] = read_records('{"hearts": 1, "deal": 0, "rules": "standard,passing=hold", "tricks": [[2, ""]], "hands":'
...     '["2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC", "2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD",'
...     ' "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"]}')
>>> record.leader, record.hands[2] == CardSet.suit("S"), record.is_finished
(2, True, False)
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from io import StringIO
from itertools import chain
from typing import Any, ParamSpec, TextIO, TypeAlias

from heartlab.cards import Card, CardError, CardSet, card_name, parse_cards
from heartlab.records.format import (
    HEADER,
    OPENSPIEL_CARDS,
    OPENSPIEL_DIRECTIONS,
    VERSION,
    DealRecord,
    RecordError,
    check_openspiel_rules,
    fail,
)
from heartlab.rules import Rules
from heartlab.util.errors import quoted

P = ParamSpec("P")
Result: TypeAlias = DealRecord | RecordError
Lines: TypeAlias = Iterator[tuple[int, str]]
Block: TypeAlias = list[tuple[int, str]]

LONGEST_LINE = 1_000_000
"""Characters of a line."""
MOST_LINES = 100_000
"""Lines of a deal: notes may be many."""


def read_records(
    lines: Iterable[str],
    source: str = "<text>",
    *,
    skip_bad: bool = False,
    on_error: Callable[[RecordError], None] | None = None,
    rules: Rules | str = "openspiel",
) -> Iterator[DealRecord]:
    """Parse records in any form: text, JSON Lines, or one OpenSpiel history per line. The form is detected.

    :param lines: an open file, any lines, or a whole text.
    :param source: the name of the file, for messages.
    :param skip_bad: continue with the next deal after a bad one instead of raising.
    :param on_error: called with the error of each deal that is skipped.
    :param rules: the rules of OpenSpiel histories, which do not contain them.
    :raises RecordError: at the first bad deal unless `skip_bad`; always if the version is missing or unknown.
    """
    numbered = enumerate(StringIO(lines) if isinstance(lines, str) else lines, 1)
    stripped = ((number, line.lstrip("\ufeff").strip()) for number, line in numbered)
    content: Lines = ((number, line) for number, line in stripped if line and line[0] != "#")
    first = next(content, None)
    if first is None:
        return
    content, start = chain([first], content), first[1][0]
    if start == "{":
        results = _read_json(content, source)
    elif start in "[0123456789":
        results = _read_openspiel(content, source, Rules.parse(rules))
    else:
        results = _read_text(content, source)
    for result in results:
        if isinstance(result, DealRecord):
            yield result
        elif not skip_bad:
            raise result
        elif on_error is not None:
            on_error(result)


def lines_of(file: TextIO, source: str) -> Iterator[str]:
    """The lines of an open file, none of which may be so long that it fills the memory.

    :raises RecordError: at the first line that is.
    """
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise RecordError(f"a line of a record has at most {LONGEST_LINE:,} characters", source, number)
        yield line


def _attempt(read: Callable[P, DealRecord], *args: P.args, **kwargs: P.kwargs) -> Result:
    try:
        return read(*args, **kwargs)
    except RecordError as error:
        return error


# --- the text form ---

_KEYWORDS = {
    "deal": "number",
    "game": "number",
    "rules": "text",
    "players": "names",
    "seed": "number",
    "scores": "numbers",
    "hand": "seat",
    "kitty": "text",
    "pass": "text",
    "gives": "seat",
    "gets": "seat",
    "trick": "trick",
    "points": "numbers",
    "moon": "number",
    "note": "note",
    "end": "end",
}
"""The first words of lines, in the order in which they are written, and the kind of value that follows."""
_NAME = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^\s"]+)(?=\s|$)')
_SEAT_LINE = re.compile(r"([0-9]{1,9})(?:\s+(.*))?")
_TRICK_LINE = re.compile(r"([0-9]{1,9})\s+([0-9]{1,9})\s*:\s*(.*)")


def _read_text(lines: Lines, source: str) -> Iterator[Result]:
    """The deals of the text form, with an error in place of each bad one."""
    rules: Rules | None = None
    for index, block in enumerate(_blocks(lines, source)):
        number, line = block[0]
        if index == 0 or line.startswith("%"):
            _check_header(line, source, number)
            rules = Rules()
            continue
        for _, line in block:
            if line.split()[:1] == ["rules"]:
                rules = _rules_or_none(line.removeprefix("rules").strip())
        yield _attempt(_read_block, block, rules, source)


def _check_header(line: str, source: str, number: int) -> None:
    if line.split() != HEADER.split():
        what = "is an unknown version" if line.startswith("%hearts") else "is not the header of a file of records"
        raise RecordError(
            f"{quoted(line, 40)} {what}: known is version {VERSION}, which starts with the line `{HEADER}`",
            source,
            number,
        )


def _blocks(lines: Lines, source: str) -> Iterator[Block]:
    """The lines from each `deal` to its `end`; headers and lines outside of deals are blocks of their own.

    A block without `end` gets an empty line instead, with the number of the line where that was noticed.
    """
    block: Block = []
    for number, line in lines:
        word = line.split(maxsplit=1)[0]
        if word.startswith("x_"):
            continue
        if block and (word == "deal" or line.startswith("%")):
            yield [*block, (number, "")]
            block = []
        block.append((number, line))
        if len(block) > MOST_LINES:
            raise RecordError(f"a deal has at most {MOST_LINES:,} lines", source, number)
        if word == "end" or line.startswith("%"):
            yield block
            block = []
    if block:
        yield [*block, (block[-1][0], "")]


def _read_block(block: Block, rules: Rules | None, source: str) -> DealRecord:
    """Parse one deal; `rules` are those of the deal before, or None if they were invalid."""
    document: dict[str, Any] = {}
    lines: dict[str, int] = {}
    number = block[0][0]
    try:
        for number, line in block:
            if not line:
                fail("end", f"the deal of line {lines['deal']} has no `end`: write `end` after its last line")
            word, *rest = line.split(maxsplit=1)
            if word not in _KEYWORDS:
                fail(word, f"`{word}` is not a keyword{_known(word, _KEYWORDS)}; words of your own start with x_")
            if word != "deal" and not document:
                fail(word, f"`{word}` stands outside of a deal: a deal starts with a line like `deal 0`")
            if word != "note" and word in lines:
                fail(word, f"`{word}` is there twice, first in line {lines[word]}: write it once")
            lines[_read_line(document, word, "".join(rest))] = number
    except RecordError as error:
        raise error.at(source, number) from None
    try:
        return _build(document, rules, lines)
    except RecordError as error:
        raise error.at(source, lines.get(error.part, lines["deal"])) from None


def _read_line(document: dict[str, Any], word: str, rest: str) -> str:
    """Add a line to the document; returns the key for its line number."""
    kind = _KEYWORDS[word]
    if kind == "seat":
        sets = document.setdefault("hands" if word == "hand" else word, [])
        match = _SEAT_LINE.fullmatch(rest)
        if match is None:
            fail(word, f"`{word} {rest}`: write `{word} SEAT  CARDS`, as in `{word} 0  2C TD QS`")
        if int(match[1]) != len(sets):
            fail(word, f"`{word} {match[1]}` where `{word} {len(sets)}` is due: seats come in order, each once")
        sets.append(match[2] or "")
        return f"{word} {match[1]}"
    if kind == "trick":
        tricks = document.setdefault("tricks", [])
        match = _TRICK_LINE.fullmatch(rest)
        if match is None:
            fail(word, f"`trick {rest}`: write `trick NUMBER  LEADER: CARDS`, as in `trick 1  0: 2C 5C KC AC`")
        if int(match[1]) != len(tricks) + 1:
            fail(word, f"`trick {match[1]}` where `trick {len(tricks) + 1}` is due: tricks come in order, each once")
        tricks.append([int(match[2]), match[3]])
        return f"trick {match[1]}"
    if kind == "note":
        document.setdefault("notes", []).append(_unquoted(rest, "a note") if rest.startswith('"') else rest)
    elif kind == "names":
        if _NAME.sub("", rest).strip():
            fail(word, f"`players {rest}`: a name with blanks or quotes goes into JSON quotes as a whole")
        document[word] = [_unquoted(name, "a name") if name[0] == '"' else name for name in _NAME.findall(rest)]
    elif kind == "numbers":
        document[word] = [_int(item, word) for item in rest.split()]
    elif kind == "number":
        document[word] = _int(rest, word)
    elif kind == "text":
        document[word] = rest
    elif rest:
        fail(word, f"`end {rest}`: `end` stands alone on its line")
    return word


def _int(text: str, word: str) -> int:
    if not re.fullmatch("-?[0-9]{1,4000}", text):
        fail(word, f"`{word}`: {quoted(text, 40)} is not a whole number like 12 or -3")
    return int(text)


def _unquoted(text: str, what: str) -> str:
    try:
        value = json.loads(text)
    except ValueError as error:
        fail("deal", f"{what} that starts with a quote is a JSON string, which {text[:40]} is not: {error}")
    return str(value)


# --- JSON Lines ---


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
"""For each key of the document a test of its value, and a description of valid values."""


def from_json(line: str, *, source: str = "<json>", line_number: int = 1) -> DealRecord:
    """Parse one line of the JSON form.

    :param source: the name of the file, for messages.
    :param line_number: the number of the line, for messages.
    :raises RecordError: if the line is not a valid record.
    """
    try:
        document = json.loads(line, object_pairs_hook=_unique)
        if not isinstance(document, dict):
            fail("deal", "a record is a JSON object, in braces")
        if document.get("hearts") != VERSION:
            given = f"is {quoted(document['hearts'])}" if "hearts" in document else "is missing"
            fail("deal", f'the version, "hearts", {given}: known is version {VERSION}, written as "hearts": {VERSION}')
        for key, value in document.items():
            if key not in _SHAPES:
                known = _known(key, _SHAPES)
                fail("deal", f"{quoted(key)} is not a key of a record{known}; keys of your own start with x_")
            fits, shape = _SHAPES[key]
            if not fits(value):
                fail("deal", f"the value of {quoted(key)} has to be {shape}")
        return _build(document, Rules(), {"deal": line_number})
    except RecordError as error:
        raise error.at(source, line_number) from None
    except (ValueError, RecursionError) as error:
        raise RecordError(f"this is not a JSON object on one line: {error}", source, line_number) from None


def _read_json(lines: Lines, source: str) -> Iterator[Result]:
    for number, line in lines:
        yield _attempt(from_json, line, source=source, line_number=number)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without private keys (`x_`); duplicate keys are an error, because one value would be lost."""
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            fail("deal", f"the key {quoted(key)} is there twice: write it once")
        if not key.startswith("x_"):
            result[key] = value
    return result


# --- from the document to the record ---


def _build(document: Mapping[str, Any], rules: Rules | None, lines: Mapping[str, int]) -> DealRecord:
    """The record of a document whose values have the right types; `rules` are used if the document has none."""
    if "deal" not in document:
        fail("deal", 'the number of the deal is missing, as in "deal": 0')
    if "rules" in document:
        rules = _parse_rules(document["rules"])
    if rules is None:
        fail("deal", "the deal takes its rules from the one before, where they are wrong: write a `rules` line")
    number, tricks = document["deal"], document.get("tricks", [])
    cycle = rules.pass_direction(number)
    if "pass" not in document and cycle != "hold":
        fail("deal", f"the pass direction is missing, which by the rules is {cycle}: write it, as in `pass left`")

    def card_sets(key: str, word: str) -> tuple[CardSet, ...] | None:
        if key not in document:
            return None
        return tuple(_card_set(text, f"{word} {seat}") for seat, text in enumerate(document[key]))

    details: dict[str, Any] = {key: document[key] for key in ("game", "seed", "moon") if key in document}
    details |= {key: tuple(document[key]) for key in ("players", "scores", "points", "notes") if key in document}
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
        lines=lines,
        **details,
    )


@lru_cache(maxsize=64)
def _parse_rules(text: str) -> Rules:
    try:
        return Rules.parse(text)
    except ValueError as error:
        fail("rules", f"`rules {text}`: {error}")


def _rules_or_none(text: str) -> Rules | None:
    try:
        return _parse_rules(text)
    except RecordError:
        return None


def _cards(text: str, part: str) -> list[Card]:
    try:
        return parse_cards(text)
    except CardError as error:
        fail(part, f"`{part}`: {error}")


def _card_set(text: str, part: str) -> CardSet:
    cards = _cards(text, part)
    result = CardSet(cards)
    if len(result) < len(cards):
        twice = next(card for card in cards if cards.count(card) > 1)
        fail(part, f"`{part}` has {card_name(twice)} twice: each card is there once")
    return result


def _trick_cards(text: str, index: int, players: int, *, is_last: bool) -> list[Card]:
    part = f"trick {index}"
    cards = _cards(text, part)
    if len(cards) > players or (len(cards) < players and not is_last):
        fail(
            part, f"`{part}` has {len(cards)} cards: {players} players play one each; only the last trick may be short"
        )
    if not cards and index > 1:
        fail(part, f"`{part}` has no cards: only the first trick may be empty, to tell who is to lead")
    return cards


def _known(word: str, words: Iterable[str]) -> str:
    close = difflib.get_close_matches(word.lower(), words, 1)
    return (f"; did you mean {close[0]}?" if close else ";") + f" known are {', '.join(words)}"


# --- OpenSpiel ---


def parse_openspiel(
    line: str, rules: Rules, *, number: int = 0, source: str = "<openspiel>", line_number: int = 1
) -> DealRecord:
    """Parse one deal in the form of OpenSpiel's `state.history()`: numbers separated by blanks or commas, or a list.

    First the pass direction, then 52 cards dealt to seats 0, 1, 2, 3, 0 and so on, then the cards passed by seats 0, 1,
    2 and 3 unless nothing is passed, then the cards played. The history may end after the deal, the passes or any card.

    :param number: the number of the deal, which the history does not contain.
    :raises RecordError: if the history is not valid; the message names the wrong number by its position from 1.
    """
    try:
        check_openspiel_rules(rules)
        words = line.strip("[] \t\r\n").replace(",", " ").split()
        numbers = [_openspiel_number(word, position) for position, word in enumerate(words, 1)]
        return _openspiel_deal(numbers, rules, number, {"deal": line_number})
    except RecordError as error:
        raise error.at(source, line_number) from None


def _read_openspiel(lines: Lines, source: str, rules: Rules) -> Iterator[Result]:
    for index, (number, line) in enumerate(lines):
        yield _attempt(parse_openspiel, line, rules, number=index, source=source, line_number=number)


def _openspiel_number(word: str, position: int) -> int:
    top = 3 if position == 1 else 51
    if not re.fullmatch("[0-9]{1,9}", word) or int(word) > top:
        what = "the pass direction (0 none, 1 left, 2 across, 3 right)" if position == 1 else "a card (0 to 51)"
        fail("deal", f"number {position} is {quoted(word, 40)}: it has to be {what}")
    return int(word)


def _openspiel_deal(numbers: list[int], rules: Rules, deal_number: int, lines: Mapping[str, int]) -> DealRecord:
    start = 53 if numbers[:1] == [0] else 65
    if len(numbers) < 53 or 53 < len(numbers) < start:
        fail("deal", f"the history ends after {len(numbers)} numbers: a deal has 53, and {start} with the cards passed")
    cards = [OPENSPIEL_CARDS[number] for number in numbers]
    hands: list[set[Card]] = [set(), set(), set(), set()]
    for position, card in enumerate(cards[1:53]):
        if card in cards[1 : position + 1]:
            fail("deal", f"number {position + 2} deals {card_name(card)} again: each card is dealt once")
        hands[position % 4].add(card)
    passed: list[set[Card]] = [set(), set(), set(), set()]
    for position, card in enumerate(cards[53:start]):
        seat = position // 3
        if card not in hands[seat] or card in passed[seat]:
            fail("deal", f"number {position + 54} passes {card_name(card)}, which seat {seat} does not hold (any more)")
        passed[seat].add(card)
    plays = tuple(cards[start:])
    record = DealRecord(
        rules=rules,
        number=deal_number,
        hands=tuple(map(CardSet, hands)),
        pass_direction=OPENSPIEL_DIRECTIONS[numbers[0]],
        passed=tuple(map(CardSet, passed)) if len(numbers) > 53 and start > 53 else None,
        lines=lines,
    )
    if not plays:
        return record
    leader = next(seat for seat, hand in enumerate(record.playing_hands) if plays[0] in hand)
    try:
        return replace(record, leader=leader, plays=plays)
    except RecordError as error:
        fail(error.part, f"number {start + 1 + (error.ply or 0)} is wrong: {error.reason}")
