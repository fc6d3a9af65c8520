"""Finished deals to step through: of a session, of a history, of a file."""

from __future__ import annotations

import json
from typing import Any

from heartlab.deal import Deal
from heartlab.records.format import to_json
from heartlab.records.reader import read_records
from heartlab.util.said import Said
from heartlab.web.commitment import checked_proof, proof_of
from heartlab.web.history import as_messages, games_of, public_key, records_of, update
from heartlab.web.messages import MAX_RECORDS, Deals, PlayedGame
from heartlab.web.session import Dealer, Session, deal_out, shared_of
from heartlab.web.store import Store


def replay_deal(session: Session, number: int) -> Deals:
    """A finished deal of a session with its proof."""
    row, deal = session.deal_at(number)
    proof = proof_of(deal, row.seed, row.salt, session.labels_in(row), shared_of(row))
    more = session.settings.watch and not session.game_over
    faults = sorted({fault for fault in session.seat_faults() if fault})
    return Deals(Said("Deal {n}", n=number + 1), [proof["record"]], proof, more, faults)


def games_played(store: Store, person: str, dealer: Dealer = deal_out) -> list[PlayedGame]:
    """All games that somebody has played."""
    update(store, person, dealer)
    return games_of(store, person)


def deals_played(store: Store, person: str, key: str | None, number: int | None, dealer: Dealer = deal_out) -> Deals:
    """The finished deals of a game of somebody's history, or of all games; or one deal with its proof.

    :raises ValueError: if there are none.
    """
    if key is not None and number is not None:
        mine = [one for one, _, settings, _ in store.sessions_of(person) if public_key(one, settings) == key]
        kept = store.load_session(mine[0]) if mine else None
        if kept is None:
            raise ValueError(Said("this deal was imported: it has no proof here"))
        return replay_deal(Session(*kept, lambda row: None, dealer), number)
    update(store, person, dealer)
    lines = records_of(store, person, key)
    if not lines:
        raise ValueError(Said("no deal is finished yet"))
    return Deals(so_many_deals(len(lines)), as_messages(lines))


def read_deals(text: str) -> Deals:
    """The deals of a record file, each checked against its rules; or that of a proof, with what it proves.

    :raises RecordError: at the first bad line.
    :raises ProofError: for a proof that cannot be read.
    """
    proof = checked_proof(text)
    if proof is not None:
        return Deals(Said("Deal {n}", n=proof["record"].get("deal", 0) + 1), [proof["record"]], proof)
    records: list[dict[str, Any]] = []
    there = 0
    for record in read_records(text):
        there += 1
        if there > MAX_RECORDS:
            continue
        whole = Deal.from_record(record)
        records.append(json.loads(to_json(whole.to_record(players=record.players, seed=record.seed))))
    if not records:
        raise ValueError(Said("there is no deal in this text"))
    return Deals(
        Said("{n} of {of} deals", n=len(records), of=there) if there > len(records) else so_many_deals(there), records
    )


def so_many_deals(number: int) -> Said:
    """The title of some deals."""
    return Said("1 deal") if number == 1 else Said("{n} deals", n=number)
