"""The messages between the page and the server: one JSON object each, told apart by ``type``.

``docs/web-protocol.md`` documents them for authors of clients. Cards are written by name (``"QS"``), seats as
numbers, clockwise; everybody sees the own seat as seat 0. What the server sends about a running deal is made from that
seat's observation (:mod:`heartlab.web.view`), so it can hold nothing that the seat may not know.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from heartlab.coach.values import (
    Checked,
    Coaching,
    Counted,
    Graded,
    LevelEstimate,
    MoonRisk,
    PassCoaching,
    PuzzleView,
    Reviewed,
)
from heartlab.util.said import Language, Said
from heartlab.web.german import GERMAN
from heartlab.web.incoming import (
    MAX_NAME as MAX_NAME,
)
from heartlab.web.incoming import (
    MAX_POSITION as MAX_POSITION,
)
from heartlab.web.incoming import (
    MAX_RECORD as MAX_RECORD,
)
from heartlab.web.incoming import (
    MAX_RECORDS as MAX_RECORDS,
)
from heartlab.web.incoming import (
    MAX_RULES as MAX_RULES,
)
from heartlab.web.incoming import (
    MAX_SEED as MAX_SEED,
)
from heartlab.web.incoming import (
    Again as Again,
)
from heartlab.web.incoming import (
    Analyse as Analyse,
)
from heartlab.web.incoming import (
    Answer as Answer,
)
from heartlab.web.incoming import (
    Back as Back,
)
from heartlab.web.incoming import (
    Check as Check,
)
from heartlab.web.incoming import (
    Claim as Claim,
)
from heartlab.web.incoming import (
    Compare as Compare,
)
from heartlab.web.incoming import (
    Count as Count,
)
from heartlab.web.incoming import (
    Create as Create,
)
from heartlab.web.incoming import (
    Daily as Daily,
)
from heartlab.web.incoming import (
    Describe as Describe,
)
from heartlab.web.incoming import (
    Game as Game,
)
from heartlab.web.incoming import (
    Hint as Hint,
)
from heartlab.web.incoming import (
    History as History,
)
from heartlab.web.incoming import (
    Incoming as Incoming,
)
from heartlab.web.incoming import (
    Invite as Invite,
)
from heartlab.web.incoming import (
    Join as Join,
)
from heartlab.web.incoming import (
    LanguageName as LanguageName,
)
from heartlab.web.incoming import (
    Leave as Leave,
)
from heartlab.web.incoming import (
    Level as Level,
)
from heartlab.web.incoming import (
    Line as Line,
)
from heartlab.web.incoming import (
    Moon as Moon,
)
from heartlab.web.incoming import (
    Next as Next,
)
from heartlab.web.incoming import (
    Open as Open,
)
from heartlab.web.incoming import (
    Pass as Pass,
)
from heartlab.web.incoming import (
    Play as Play,
)
from heartlab.web.incoming import (
    Puzzle as Puzzle,
)
from heartlab.web.incoming import (
    React as React,
)
from heartlab.web.incoming import (
    Reaction as Reaction,
)
from heartlab.web.incoming import (
    Read as Read,
)
from heartlab.web.incoming import (
    Rematch as Rematch,
)
from heartlab.web.incoming import (
    Remove as Remove,
)
from heartlab.web.incoming import (
    Replay as Replay,
)
from heartlab.web.incoming import (
    Review as Review,
)
from heartlab.web.incoming import (
    Risk as Risk,
)
from heartlab.web.incoming import (
    Speak as Speak,
)
from heartlab.web.incoming import (
    Undo as Undo,
)

VERSION = 1

Phase = Literal["pass", "play", "moon", "over", "end"]
Occupant = Literal["person", "gone", "away", "next", "bot"]
"""Who is on a seat: a person; one whose line is lost; one for whom a bot plays; one who sits down next; a bot."""

# --- from the server ---


class Opponent(Struct):
    """A player that the page offers."""

    name: str
    level: str
    note: str


class Strength(Struct):
    """A plain strength that the page offers, and the players that sit there under standard rules."""

    name: Literal["beginner", "casual", "skilled", "expert"]
    players: list[str]


class Preset(Struct):
    """Rules that the page offers."""

    name: str
    note: str
    players: int


class Limits(Struct):
    """What the server accepts, so that the page need not repeat the numbers."""

    name: int = MAX_NAME
    rules: int = MAX_RULES
    seed: int = MAX_SEED
    record: int = MAX_RECORD
    records: int = MAX_RECORDS


class Hello(Struct, tag="hello"):
    """The first message: what this server offers."""

    version: int
    opponents: list[Opponent]
    levels: list[Strength]
    rules: list[Preset]
    words: str
    """Where the coach's words come from; empty while the coach is not loaded, see `Ready`."""
    promise: str
    """See `Promised`."""
    limits: Limits


class Ready(Struct, tag="ready"):
    """How much of what a new computer has to compile is done; sent on every step until all of it is."""

    done: int
    of: int
    what: str
    """What is being prepared: `table`, `deal`, the name of a player, or `coach`; empty once all is done."""
    words: str
    """Where the coach's words come from, once all is done."""


class Described(Struct, tag="described"):
    """Rules in words. `rules` are those of the question; `text` says them as briefly as can be."""

    rules: str
    text: str
    players: int
    how: list[str]


class Promised(Struct, tag="promised"):
    """The hash of the secret from which, with the page's next share, this connection's next seed is made."""

    promise: str


class Opened(Struct, tag="opened"):
    """A table was opened; the key is the only way to it."""

    key: str


class Event(Struct):
    """What happened just before a view."""

    kind: Literal["opened", "dealt", "passed", "played", "undone", "over", "moon", "seats"]
    seat: int | None = None
    card: str | None = None
    winner: int | None = None


class Reveal(Struct):
    """The whole deal, once it is over."""

    seed: int
    salt: str
    secret: str
    hands: list[str]
    kitty: str
    passed: list[str] | None
    points: list[int]
    shooter: int | None


class View(Struct, tag="view"):
    """The table as one seat sees it, which is seat 0 in it: everything that the page shows."""

    event: Event
    rules: str
    names: list[str]
    players: list[str]
    practice: bool
    branch: int | None
    """At a table that plays a finished deal again: how many of its cards were there from the start."""
    helped: bool
    """Whether the person asked the coach in this deal."""
    daily: str
    """The day, if this is its daily deal."""
    deal: int
    phase: Phase
    direction: str
    pass_count: int
    may_pass: list[str]
    hand: list[str]
    legal: list[str]
    passed: list[str]
    received: list[str]
    to_move: int | None
    leader: int | None
    plays: int
    trick: list[tuple[int, str]]
    last: list[tuple[int, str]]
    last_winner: int | None
    hand_sizes: list[int]
    tricks_won: list[int]
    points: list[int]
    taken: list[list[str]]
    breaking: bool
    broken: bool
    scores: list[int]
    course: list[list[int]]
    limit: int | None
    claims: list[str]
    can_undo: bool
    can_leave: bool
    undos: int
    commitment: str
    promise: str
    share: str
    winners: list[int]
    faults: list[str]
    """By seat: a sentence if its player has failed since the server started."""
    seat: int
    """The own seat as records and proofs number it."""
    friends: bool
    people: list[Occupant]
    waiting: list[int]
    """With friends: the people for whom the table waits."""
    chooser: int | None
    """In the phase `moon`: who says what the moon does."""
    reveal: Reveal | UnsetType = UNSET


class RoomSeat(Struct):
    """A seat of a table of friends."""

    name: str
    player: str
    """The bot that plays here, or stands in."""
    occupant: Occupant
    host: bool


class Room(Struct, tag="room"):
    """Who is at a table of friends; sent whenever that changes."""

    seats: list[RoomSeat]
    seat: int
    """The own seat as records number it."""
    host: bool
    begun: bool
    playing: bool
    """Whether one takes part in the current deal."""
    rules: str
    invitation: str
    """For the host: what a link needs."""
    addresses: list[str]
    """For the host: where other computers reach this server; empty if they do not."""


class Reacted(Struct, tag="reacted"):
    """Somebody at the table shows something."""

    seat: int
    what: Reaction


class Refused(Struct, tag="refused"):
    """The rules forbid it; nothing has changed."""

    card: str | None
    rule: str


FailureCode = Literal["message", "key", "table", "limit", "server"]


class Failed(Struct, tag="failed"):
    """A message that could not be followed; nothing has changed."""

    code: FailureCode
    text: str


class Deals(Struct, tag="deals"):
    """Finished deals to step through: records as the JSON Lines format has them; `more` if `next` deals another."""

    title: str
    records: list[dict[str, Any]]
    proof: dict[str, Any] | None = None
    more: bool = False
    faults: list[str] = []


class DealFacts(Struct):
    """A finished deal in a history: what statistics need."""

    number: int
    points: list[int]
    queen: int | None
    """Who took Q♠."""
    shooter: int | None
    hand: str
    """The person's cards as dealt."""
    helped: bool
    """Whether the coach was asked, or a card taken back."""


class PlayedGame(Struct):
    """A game in a history, with its finished deals."""

    key: str
    made: float
    """When it was opened, or imported: seconds since 1970."""
    rules: str
    names: list[str]
    players: list[str]
    practice: bool
    over: bool
    scores: list[int]
    deals: list[DealFacts]


class MadeOfIt(Struct):
    """What a plain strength made of the daily deal."""

    name: str
    points: int


class Compared(Struct, tag="compared"):
    """What the plain strengths made of the daily deal from the person's seat."""

    day: str
    levels: list[MadeOfIt]


class Games(Struct, tag="games"):
    """All games that somebody has played, the latest first."""

    games: list[PlayedGame]


class Imported(Struct, tag="imported"):
    """Deals of a file were taken into a history; those that were there already are not counted."""

    deals: int


class Progress(Struct, tag="progress"):
    """Something takes long."""

    text: str


Outgoing = (
    Hello | Ready | Described | Promised | Opened | View | Refused | Failed | Coaching | PassCoaching | Checked
    | Counted | Reviewed | Deals | Games | Imported | Compared | PuzzleView | Graded | LevelEstimate | Progress
    | MoonRisk | Room | Reacted
)  # fmt: skip

_decoder: msgspec.json.Decoder[Incoming] = msgspec.json.Decoder(Incoming)


def _in(language: Language) -> msgspec.json.Encoder:
    """Writes messages in a language: msgspec asks what to do with every `Said`, since it knows only plain texts."""

    def tell(said: object) -> str:
        if not isinstance(said, Said):
            raise NotImplementedError(f"{type(said)} cannot be sent")
        return language.tell(said)

    return msgspec.json.Encoder(enc_hook=tell)


_encoders: dict[LanguageName, msgspec.json.Encoder] = {"en": _in(Language({})), "de": _in(GERMAN)}


def decode(text: str | bytes) -> Incoming:
    """Read a message from the page.

    :raises msgspec.ValidationError: if it is none; :raises msgspec.DecodeError: if it is not even JSON.
    """
    return _decoder.decode(text)


def encode(message: Outgoing, language: LanguageName = "en") -> str:
    """Write a message to the page, in its language."""
    return _encoders[language].encode(message).decode()
