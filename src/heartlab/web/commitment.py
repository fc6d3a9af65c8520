"""The promise that a deal was not rigged: a hash that is shown before the first card, and how it is checked afterwards.

The hash is SHA-256 over a short text: rules, number, seed, salt and all hands. The salt keeps anybody from trying out
deals until the hash fits. When the deal is over its *proof* tells everything; whoever kept the hash can check that
these very hands were fixed from the start, that they are what the seed deals under the rules, and that play followed
the rules.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from heartlab.cards import CardSet
from heartlab.deal import Deal
from heartlab.record import RecordError, to_json
from heartlab.record_reader import from_json
from heartlab.rules import Rules

FORMAT = "heartlab-proof 1"


class ProofError(ValueError):
    """A file that is no proof."""


def commitment_text(rules: Rules, number: int, seed: int, salt: str, hands: Sequence[CardSet], kitty: CardSet) -> str:
    """The text whose hash is the commitment: one line per fact, each ended by a newline."""
    lines = ["heartlab deal 1", f"rules {rules}", f"number {number}", f"seed {seed}", f"salt {salt}"]
    lines += [f"hand {seat} {hand.names()}" for seat, hand in enumerate(hands)]
    lines.append(f"kitty {kitty.names() or '-'}")
    return "".join(f"{line}\n" for line in lines)


def commit(deal: Deal, seed: int, salt: str) -> str:
    """The hash of a deal as it was dealt."""
    text = commitment_text(deal.rules, deal.number, seed, salt, deal.dealt, deal.kitty)
    return hashlib.sha256(text.encode()).hexdigest()


def proof_of(deal: Deal, seed: int, salt: str, names: Sequence[str]) -> dict[str, Any]:
    """Everything about a finished deal, for `heartlab verify`."""
    record = json.loads(to_json(deal.to_record(players=tuple(names), seed=seed)))
    return {"format": FORMAT, "commitment": commit(deal, seed, salt), "seed": seed, "salt": salt, "record": record}


def check_proof(proof: Mapping[str, Any], promised: str | None = None) -> list[tuple[str, bool, str]]:
    """All checks of a proof: what is checked, whether it holds, and a remark.

    :raises ProofError: if something is missing, or of the wrong kind.
    """
    try:
        if proof["format"] != FORMAT:
            raise ProofError(f"this is {proof['format']!r}, and {FORMAT!r} is known")
        said, seed, salt = str(proof["commitment"]), int(proof["seed"]), str(proof["salt"])
        record = from_json(json.dumps(proof["record"]), source="proof")
    except (KeyError, TypeError) as error:
        raise ProofError(f"the proof lacks or garbles {error}") from error
    except RecordError as error:
        return [("the record of the deal is possible", False, str(error))]
    text = commitment_text(record.rules, record.number, seed, salt, record.hands, record.kitty)
    found = hashlib.sha256(text.encode()).hexdigest()
    wanted = promised or said
    checks = [("the hands, seed and salt give the promised hash", found == wanted, f"{found} / {wanted}")]
    dealt = Deal(record.rules, seed, record.number)
    same = dealt.dealt == record.hands and dealt.kitty == record.kitty
    checks.append(("the seed deals these very hands", same, f"seed {seed}, deal {record.number}"))
    try:
        played = Deal.from_record(record)
        over, remark = played.is_over, f"{len(played.history)} cards, points {list(played.points)}"
    except (RecordError, ValueError) as error:
        over, remark = False, str(error)
    checks.append(("every card followed the rules, to the end", over, remark))
    return checks


def run_verify(path: Path, promised: str | None) -> tuple[bool, list[dict[str, Any]]]:
    """`heartlab verify`: check the proof in a file.

    :raises ProofError: if the file holds none.
    """
    try:
        proof = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ProofError(f"{path}: is no JSON ({error})") from error
    if not isinstance(proof, dict):
        raise ProofError(f"{path}: a proof is a JSON object")
    if promised is not None and (len(promised) != 64 or set(promised.lower()) - set("0123456789abcdef")):
        raise ProofError(f"{promised!r} is no commitment: it has 64 hexadecimal digits")
    checks = check_proof(proof, promised.lower() if promised else None)
    return all(good for _, good, _ in checks), [
        {"check": what, "holds": good, "remark": remark} for what, good, remark in checks
    ]
