"""The promise that a deal was not rigged: a hash that is shown before the first card, and how it is checked afterwards.

The hash is SHA-256 over a short text: rules, number, seed, salt and all hands. The salt prevents a search for the deal
that fits the hash. When the deal is over its *proof* reveals everything; with the hash one can check that these hands
were fixed from the start, that the seed deals them under the rules, that all further chance (pass direction, exchange
of a pool, first leader) follows from the seed as well, and that play followed the rules.

So that the server cannot choose the seed, the page has a share in it: the server promises a secret (by
its hash) before it hears the page's random text, and the seed is a hash of both. Unless somebody gave the seed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from heartlab.cards import CardSet
from heartlab.deal import Deal, IllegalPlay
from heartlab.records.format import DealRecord, RecordError, to_json
from heartlab.records.reader import from_json
from heartlab.rules import Rules
from heartlab.util.bundle import garbled_field
from heartlab.util.errors import clipped, quoted
from heartlab.util.files import read_at_most
from heartlab.util.said import Said

FORMAT = "heartlab-proof 1"


class ProofError(ValueError):
    """A file that is not a valid proof."""


FILE_LIMIT = 8 << 20
"""Bytes of a proof; that of a deal has a few thousand."""
Digits = Annotated[str, Meta(pattern=r"\A[0-9a-fA-F]{1,256}\Z")]
"""Hexadecimal digits. A newline among them would let two sets of facts have the same lines, and so the same hash."""


class _Proof(Struct):
    """A proof as it comes."""

    format: str
    commitment: Digits
    seed: int
    salt: Digits
    record: dict[str, Any]
    promise: Digits | None = None
    secret: Digits | None = None
    share: Digits | None = None


@dataclass(frozen=True)
class Shared:
    """What a seed was made from: the server's secret and the page's text."""

    secret: str
    share: str

    @property
    def promise(self) -> str:
        """The hash of the secret, which the page knew before it chose its text."""
        return hash_lines("heartlab secret 1", f"secret {self.secret}")

    def seed(self, number: int) -> int:
        """The seed of a deal: the first 53 bits of a hash of all."""
        lines = "heartlab seed 1", f"number {number}", f"secret {self.secret}", f"share {self.share}"
        return int(hash_lines(*lines)[:16], 16) >> 11


def hash_lines(*lines: str) -> str:
    """SHA-256 of lines, each ended by a newline, in hexadecimal digits."""
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def commitment_of(
    rules: Rules,
    number: int,
    seed: int,
    salt: str,
    hands: Sequence[CardSet],
    kitty: CardSet,
    shared: Shared | None = None,
) -> str:
    """The commitment: the hash of one line per fact."""
    lines = ["heartlab deal 1", f"rules {rules}", f"number {number}", f"seed {seed}", f"salt {salt}"]
    if shared is not None:
        lines += [f"promise {shared.promise}", f"share {shared.share}"]
    lines += [f"hand {seat} {hand.names()}" for seat, hand in enumerate(hands)]
    lines.append(f"kitty {kitty.names() or '-'}")
    return hash_lines(*lines)


def commit(deal: Deal, seed: int, salt: str, shared: Shared | None = None) -> str:
    """The hash of a deal as it was dealt."""
    return commitment_of(deal.rules, deal.number, seed, salt, deal.dealt, deal.kitty, shared)


def proof_of(deal: Deal, seed: int, salt: str, names: Sequence[str], shared: Shared | None = None) -> dict[str, Any]:
    """Everything about a finished deal, for `heartlab verify`."""
    proof = {"format": FORMAT, "commitment": commit(deal, seed, salt, shared), "seed": seed, "salt": salt}
    if shared is not None:
        proof |= {"promise": shared.promise, "secret": shared.secret, "share": shared.share}
    return {**proof, "record": json.loads(to_json(deal.to_record(players=tuple(names), seed=seed)))}


def check_proof(
    proof: Mapping[str, Any], promised: str | None = None, promise: str | None = None
) -> list[tuple[str, bool, str]]:
    """All checks of a proof: what is checked, whether it holds, and a remark.

    :param promised: the commitment that was shown before the first card.
    :param promise: the promise that was shown before the page chose its text.

    :raises ProofError: if something is missing, or of the wrong kind.
    """
    facts, shared = _read_proof(proof)
    seed = facts.seed
    try:
        record = from_json(json.dumps(facts.record), source="proof")
    except (RecordError, RecursionError) as error:
        return [("the record of the deal is possible", False, clipped(error))]
    found = commitment_of(record.rules, record.number, seed, facts.salt, record.hands, record.kitty, shared)
    wanted = promised or facts.commitment
    checks = [("the hands, seed and salt give the promised hash", found == wanted, f"{found} / {wanted}")]
    dealt = Deal(record.rules, seed, record.number)
    same = dealt.dealt == record.hands and dealt.kitty == record.kitty
    checks.append(("the seed deals these very hands", same, f"seed {seed}, deal {record.number}"))
    checks.append(("pass direction, exchange and first leader are the seed's", *check_chance(record, dealt)))
    if shared is not None:
        kept = shared.promise == (promise or facts.promise)
        checks.append(("the server's secret is the one promised before the page's text", kept, shared.promise))
        made = shared.seed(record.number)
        checks.append(("the seed is made from the secret and the page's text", made == seed, f"share {shared.share}"))
    elif promise is not None:
        checks.append(("the page had a share in the seed", False, "the proof names no secret and no text"))
    try:
        played = Deal.from_record(record)
        over, remark = played.is_over, f"{len(played.history)} cards, points {list(played.points)}"
    except (RecordError, ValueError) as error:
        over, remark = False, str(error)
    checks.append(("every card followed the rules, to the end", over, remark))
    return checks


def proof_in(text: str) -> dict[str, Any] | None:
    """The proof that a text holds, still unchecked; None if it is no proof but perhaps records."""
    if "heartlab-proof" not in text:
        return None
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return found if isinstance(found, dict) and "format" in found else None


def _read_proof(proof: Mapping[str, Any]) -> tuple[_Proof, Shared | None]:
    """The facts of a proof, and what its seed was made from.

    :raises ProofError: if something is missing, or of the wrong kind.
    """
    if proof.get("format") != FORMAT:
        raise ProofError(f"unknown format {quoted(proof.get('format'), 80)}; {FORMAT!r} is known")
    try:
        facts = msgspec.convert(dict(proof), _Proof)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ProofError(f"missing or invalid in the proof: {garbled_field(error)}") from error
    if facts.share is None:
        return facts, None
    if facts.secret is None or facts.promise is None:
        raise ProofError(f"missing or invalid in the proof: {'secret' if facts.secret is None else 'promise'!r}")
    return facts, Shared(facts.secret, facts.share)


def check_chance(record: DealRecord, dealt: Deal) -> tuple[bool, str]:
    """Whether what a seed decides after the hands is as in a record, and a remark; the passes are made on `dealt`."""
    if record.pass_direction != dealt.pass_direction:
        return False, f"pass {record.pass_direction} is written, and the seed gives {dealt.pass_direction}"
    try:
        for seat, cards in enumerate(record.passed or ()):
            dealt.pass_cards(seat, cards)
    except IllegalPlay as error:
        return False, str(error)
    for seat, cards in enumerate(record.received or ()):
        if cards != dealt.received[seat]:
            return False, f"seat {seat} got {cards.names()}, and the seed gives it {dealt.received[seat].names()}"
    if record.leader != dealt.leader:
        return False, f"seat {record.leader} leads first, and by the seed it is seat {dealt.leader}"
    return True, f"pass {dealt.pass_direction}, seat {dealt.leader} leads"


def run_verify(path: Path, promised: str | None, promise: str | None = None) -> tuple[bool, list[dict[str, Any]]]:
    """`heartlab verify`: check the proof in a file.

    :raises ProofError: if the file holds none.
    """
    text = read_at_most(path, FILE_LIMIT)
    if text is None:
        raise ProofError(f"{path}: too long for a proof; at most {FILE_LIMIT >> 20} MB are read")
    try:
        proof = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ProofError(f"{path}: not valid JSON ({clipped(error, 120)})") from error
    if not isinstance(proof, dict):
        raise ProofError(f"{path}: a proof is a JSON object")
    for what, given in (("commitment", promised), ("promise", promise)):
        if given is not None and (len(given) != 64 or set(given.lower()) - set("0123456789abcdef")):
            raise ProofError(f"{quoted(given, 80)} is not a {what}: 64 hexadecimal digits are expected")
    checks = check_proof(proof, promised.lower() if promised else None, promise.lower() if promise else None)
    return all(good for _, good, _ in checks), [
        {"check": what, "holds": good, "remark": remark} for what, good, remark in checks
    ]


def checked_proof(text: str) -> dict[str, Any] | None:
    """The proof that a text holds, and that holds; None if it is no proof but perhaps records.

    :raises ValueError: for a proof that cannot be read, or in which something is not so.
    """
    proof = proof_in(text)
    if proof is None:
        return None
    failed = [what for what, holds, _ in check_proof(proof) if not holds]
    if failed:
        raise ValueError(Said("this proof does not hold: {what} is not so", what="; ".join(failed)))
    return proof
