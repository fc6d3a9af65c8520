"""Every game that somebody has played: results of finished deals, kept beside the sessions, and read from files.

A result holds the record of its deal, so that it can be replayed and exported without the session; an imported deal has
no session at all. Results are made when the history is asked for, and then kept.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Sequence
from itertools import groupby

import msgspec
from msgspec import Struct

from heartlab.cards import QUEEN_OF_SPADES
from heartlab.deal import Deal
from heartlab.game import game_is_over
from heartlab.records.format import DealRecord, to_json
from heartlab.records.reader import read_records
from heartlab.web.commitment import checked_proof
from heartlab.web.messages import DealFacts, PlayedGame
from heartlab.web.session import PERSON, Dealer, Session, deal_out
from heartlab.web.store import Row, Settings, Store
from heartlab.web.view import Turned

MAX_GAMES = 500
"""Games that a history shows; older ones are kept."""
IMPORTED = "import-"
"""What the key of a game begins with that was read from a file."""
FRIENDS = "friends-"
"""What the key of a game of friends begins with: it opens nothing."""
FRIEND = "friend"
"""What stands in the place of a player where a person sits."""


class Result(Struct):
    """A finished deal, as it is kept."""

    rules: str
    names: list[str]
    players: list[str]
    """The bots on seats 1 and up."""
    facts: DealFacts
    scores: list[int]
    """Totals after the deal."""
    over: bool
    """Whether the game ended with it."""
    practice: bool
    record: str
    """The deal as a line of JSON."""


def facts_of(deal: Deal, seat: int = PERSON, *, helped: bool) -> DealFacts:
    """What statistics need to know of a finished deal, as a seat sees it."""
    turned = Turned(seat, deal.rules.players)
    takers = [one for one, cards in enumerate(deal.taken) if QUEEN_OF_SPADES in cards]
    queen, hand = turned.maybe(takers[0] if takers else None), deal.dealt[seat].names()
    return DealFacts(deal.number, turned.seats(deal.points), queen, turned.maybe(deal.shooter), hand, helped)


def results_of(
    settings: Settings, rows: list[Row], person: str, known: set[int], dealer: Dealer = deal_out
) -> list[Result]:
    """The results of the finished deals in which somebody sat at a session, and that are not known yet."""
    session = Session(settings, rows, lambda row: None, dealer)
    course, found = session.course, []
    for place, row in enumerate(session.finished):
        seats = [seat for seat, name in session.people_in(row).items() if name == person]
        if row.number in known or not seats:
            continue
        _, deal = session.deal_at(row.number)
        turned = Turned(seats[0], session.rules.players)
        record = to_json(deal.to_record(players=tuple(session.labels_in(row)), seed=row.seed))
        result = Result(
            rules=session.rules_text,
            names=turned.seats(session.names_in(row)),
            players=[player or FRIEND for player in turned.seats(session.players_in(row))[1:]],
            facts=facts_of(deal, seats[0], helped=row.helped > 0 or row.undos > 0),
            scores=turned.seats(course[place + 1]),
            over=session.game_over and row is session.finished[-1],
            practice=settings.practice,
            record=record,
        )
        found.append(result)
    return found


def public_key(key: str, settings: Settings) -> str:
    """What a history calls a game. With friends it must not be the key: that opens the host's seat."""
    if not settings.friends:
        return key
    return FRIENDS + hashlib.sha256(f"heartlab history {key}".encode()).hexdigest()[:24]


def update(store: Store, person: str, dealer: Dealer = deal_out) -> None:
    """Keep the results of all deals that somebody has finished since the last time."""
    known = store.known_results(person)
    for key, made, settings, numbers in store.sessions_of(person):
        public = public_key(key, settings)
        there = known.get(public, set())
        if settings.watch or (settings.only is not None and not settings.daily) or numbers <= there:
            continue
        kept = store.load_session(key)
        if kept is not None and kept[1]:
            for result in results_of(*kept, person, there, dealer):
                store.add_result(public, result.facts.number, person, made, msgspec.json.encode(result))


def games_of(store: Store, person: str) -> list[PlayedGame]:
    """The games of somebody, the latest first, each with its deals."""
    found: list[PlayedGame] = []
    for key, rows in groupby(store.results_of(person), key=lambda row: row[0]):
        kept = list(rows)
        results = [msgspec.json.decode(body, type=Result) for _, _, body in kept]
        made, last = kept[-1][1], results[-1]
        game = PlayedGame(
            key, made, last.rules, last.names, last.players, last.practice, last.over, last.scores,
            [one.facts for one in results],
        )  # fmt: skip
        found.append(game)
    return sorted(found, key=lambda game: -game.made)[:MAX_GAMES]


def records_of(store: Store, person: str, key: str | None = None) -> list[str]:
    """The records of somebody's deals, or of one game, as lines of JSON."""
    rows = store.results_of(person)
    return [msgspec.json.decode(body, type=Result).record for one, _, body in rows if key is None or one == key]


def label_parts(text: str) -> tuple[str, str]:
    """A seat's name and its player: `Ada (gnome)` is both."""
    name, _, rest = text.partition(" (")
    return name, rest.removesuffix(")")


def _grouped(deals: Iterable[tuple[DealRecord, Deal]]) -> list[list[tuple[DealRecord, Deal]]]:
    """Deals that follow one another in a game: the same rules and players, rising numbers."""
    games: list[list[tuple[DealRecord, Deal]]] = []
    for record, deal in deals:
        before = games[-1][-1][0] if games else None
        same = before is not None and (before.rules, before.players) == (record.rules, record.players)
        if same and before is not None and before.number < record.number:
            games[-1].append((record, deal))
        else:
            games.append([(record, deal)])
    return games


def import_deals(store: Store, person: str, text: str) -> int:
    """Take finished deals of a file, or that of a proof, into somebody's history; the same deals twice are there once.

    Returns how many.

    :raises RecordError: at the first bad line, before anything is kept.
    :raises ValueError: for a proof that does not hold.
    """
    proof = checked_proof(text)
    if proof is not None:
        text = json.dumps(proof["record"])
    read = [(record, Deal.from_record(record)) for record in read_records(text)]
    finished = [(record, deal) for record, deal in read if deal.is_over]
    known = {record for _, _, body in store.results_of(person) for record in [_record_in(body)]}
    count = 0
    for game in _grouped(finished):
        key = IMPORTED + hashlib.sha256(to_json(game[0][1].to_record()).encode()).hexdigest()[:16]
        for result in _results_in(game, person):
            if result.record not in known:
                count += 1
                body = msgspec.json.encode(result)
                store.add_result(key, result.facts.number, person, time.time(), body)
    return count


def _results_in(game: list[tuple[DealRecord, Deal]], person: str) -> list[Result]:
    """The results of the deals of a file that follow one another, from the seat that has the person's name."""
    labels = [label_parts(one) for one in game[0][0].players or ()] or [(f"Seat {n}", "") for n in range(4)]
    names, players = [name for name, _ in labels], [player for _, player in labels]
    seat = names.index(person) if person in names else PERSON
    turned = Turned(seat, len(labels))
    scores, found = [0] * len(labels), []
    for record, deal in game:
        scores = [a + b for a, b in zip(scores, deal.points, strict=True)]
        found.append(
            Result(
                rules=str(deal.rules),
                names=turned.seats(names),
                players=turned.seats(players)[1:],
                facts=facts_of(deal, seat, helped=False),
                scores=turned.seats(scores),
                over=game_is_over(deal.rules, scores, deal.number + 1),
                practice=False,
                record=to_json(deal.to_record(players=record.players, seed=record.seed)),
            )
        )
    return found


def _record_in(body: bytes) -> str:
    return msgspec.json.decode(body, type=Result).record


def as_messages(lines: Sequence[str]) -> list[dict[str, object]]:
    """Records as messages carry them."""
    return [json.loads(line) for line in lines]
