"""Replaying records: files as deals, and deals on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from heartlab.cards import pretty_card
from heartlab.deal import Deal, IllegalPlay
from heartlab.records.format import DealRecord, RecordError, to_json
from heartlab.records.reader import lines_of, read_records
from heartlab.rules import Rules


def replay(record: DealRecord) -> Deal:
    """Replay a record: see `Deal.from_record`."""
    deal = Deal.from_hands(
        record.hands,
        record.rules,
        number=record.number,
        pass_direction=record.pass_direction,
        leader=record.leader if record.rules.opening == "random" else None,
        scores=record.scores,
    )
    line = record.line
    try:
        for seat, cards in enumerate(record.passed or ()):
            line = record.line_of(f"gives {seat}")
            deal.pass_cards(seat, cards)
        if record.received is not None:
            deal.force_exchange(record.received)
        for ply, card in enumerate(record.plays):
            line = record.line_of_play(ply)
            if ply == 0 and deal.to_move != record.leader:
                raise IllegalPlay(f"seat {record.leader} leads, but seat {deal.to_move} should")
            deal.play(card)
    except IllegalPlay as error:
        raise RecordError(str(error), line=line) from error
    if deal.rules.moon == "choice" and deal.shooter is not None and record.points is not None:
        _choose_moon(deal, record.points)
    for name, said, found in (("points", record.points, deal.points), ("moon", record.moon, deal.shooter)):
        if deal.is_over and said is not None and said != found:
            raise RecordError(f"{name} {said} is written, but the cards give {found}", line=record.line_of(name))
    return deal


def _choose_moon(deal: Deal, points: Sequence[int]) -> None:
    """Make the choice that leads to these points, if one does: records hold the points, not the choice."""
    for choice in ("others", "self"):
        chosen = deal.copy()
        chosen.choose_moon(choice)
        if chosen.points == tuple(points):
            deal.choose_moon(choice)
            return


def load_deals(
    path: Path | str,
    *,
    skip_bad: bool = False,
    on_error: Callable[[RecordError], None] | None = None,
    openspiel_rules: Rules | str = "openspiel",
) -> Iterator[tuple[DealRecord, Deal]]:
    """The deals of a record file, each replayed and checked against its rules.

    :param skip_bad: continue after a bad deal instead of raising.
    :param on_error: called with the error of each deal that is skipped.
    :param openspiel_rules: the rules of OpenSpiel histories, which do not contain them.
    :raises RecordError: at the first bad line, unless bad deals are skipped.
    """
    source = str(path)
    with open(path, encoding="utf-8", errors="replace") as file:
        for record in read_records(
            lines_of(file, source), source, skip_bad=skip_bad, on_error=on_error, rules=openspiel_rules
        ):
            try:
                deal = replay(record)
            except RecordError as error:
                placed = error.at(source, error.line or record.line)
                if not skip_bad:
                    raise placed from error
                if on_error:
                    on_error(placed)
                continue
            yield record, deal


def describe(record: DealRecord, deal: Deal) -> Iterator[str]:
    """A replayed deal as text, part by part: the hands, each trick, the result."""
    names = record.players or tuple(f"seat {seat}" for seat in range(record.rules.players))
    start = Deal.from_hands(
        record.hands, record.rules, number=record.number, pass_direction=record.pass_direction, leader=record.leader
    )
    yield str(start)
    if record.passed is not None:
        for seat, cards in enumerate(record.passed):
            yield f"{names[seat]} passes {cards} and gets {deal.received[seat]}"
    for number, trick in enumerate(deal.tricks, 1):
        shown = "  ".join(f"{names[seat]} {pretty_card(card)}" for seat, card in trick)
        if len(trick) < record.rules.players:
            yield f"trick {number:>2}: {shown}"
        else:
            led = trick[0][1] // 13
            winner = max((card, seat) for seat, card in trick if card // 13 == led)[1]
            yield f"trick {number:>2}: {shown}  -> {names[winner]}"
    if deal.is_over:
        yield "points: " + "  ".join(f"{name} {value}" for name, value in zip(names, deal.points, strict=True))
        if deal.shooter is not None:
            yield f"{names[deal.shooter]} shot the moon"
    else:
        yield str(deal)


def _wants_more() -> bool:
    """Wait for Enter; `q` and the end of the input mean no."""
    try:
        return not input("-- Enter for more, q to quit -- ").strip().lower().startswith("q")
    except EOFError:
        return False


def replay_file(
    path: Path,
    *,
    place: int | None,
    step: bool,
    skip_bad: bool,
    as_json: bool,
    openspiel_rules: Rules,
) -> int:
    """Print the deals of a file, or only the one at `place` (from 1); returns the number of bad deals skipped.

    :raises ValueError: if the file holds no deals, or no good deal at the place.
    """
    errors: list[RecordError] = []

    def note(error: RecordError) -> None:
        errors.append(error)
        print(f"heartlab: {error}", file=sys.stderr)

    index = shown = 0
    for index, (record, deal) in enumerate(
        load_deals(path, skip_bad=skip_bad, on_error=note, openspiel_rules=openspiel_rules), 1
    ):
        if place is not None and index != place:
            continue
        shown += 1
        if as_json:
            print(to_json(replace(record, points=deal.points, moon=deal.shooter) if deal.is_over else record))
            continue
        for piece in describe(record, deal):
            print(piece)
            if step and not _wants_more():
                return len(errors)
        print()
    if place is not None and not shown:
        good = "good deals" if errors else "deals"
        raise ValueError(f"{path} holds {index} {good}, none at place {place}; the first is at place 1")
    if not shown and not errors:
        raise ValueError(f"{path} holds no deals")
    print(f"{shown} deals replayed, {len(errors)} bad ones skipped", file=sys.stderr)
    return len(errors)
