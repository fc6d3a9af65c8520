"""The messages between the page and the server: one JSON object each, told apart by ``type``.

``docs/web-protocol.md`` documents them for authors of clients. Cards are written by name (``"QS"``), seats as
numbers, clockwise; the person at the table sits on seat 0. What the server sends about a running deal is made from that
seat's observation (:mod:`heartlab.web.view`), so it can hold nothing that the seat may not know.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from heartlab.coach.values import (
    Checked,
    Coaching,
    Counted,
    Graded,
    LevelEstimate,
    PassCoaching,
    PuzzleView,
    Reviewed,
)

VERSION = 1
MAX_SEED = 2**53 - 1
"""The largest whole number that every JSON reader keeps exact."""

MAX_RECORD, MAX_RECORDS = 200_000, 200
"""Characters and deals of the longest record file that is read at once."""
MAX_POSITION = 3_000
"""Characters of the record of one deal."""
MAX_NAME, MAX_RULES = 24, 300
"""Characters of a person's name, and of rules."""

Key = Annotated[str, Meta(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+\Z")]
CardName = Annotated[str, Meta(min_length=2, max_length=3)]
PersonName = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
Number = Annotated[int, Meta(ge=0, le=100_000)]
Share = Annotated[str, Meta(min_length=16, max_length=64, pattern=r"^[0-9a-f]+\Z")]
"""The page's part of a seed: random hexadecimal digits, chosen after the server's promise."""

Phase = Literal["pass", "play", "moon", "over", "end"]

# --- from the page ---


class Create(Struct, tag="create", forbid_unknown_fields=True):
    """Open a new table. With `watch` the bots play all seats, and each deal is sent when it is over."""

    house: Key
    players: Annotated[list[Annotated[str, Meta(max_length=80)]], Meta(min_length=2, max_length=6)]
    rules: Annotated[str, Meta(max_length=MAX_RULES)] = "standard"
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] | None = None
    name: PersonName = "You"
    practice: bool = False
    watch: bool = False
    share: Share | None = None


class Describe(Struct, tag="describe", forbid_unknown_fields=True):
    """Ask what rules mean before a table is opened: how many players there are, and how it is played."""

    house: Key
    rules: Annotated[str, Meta(max_length=MAX_RULES)]


class Open(Struct, tag="open", forbid_unknown_fields=True):
    """Sit down at a table whose key one knows."""

    key: Key


class Pass(Struct, tag="pass", forbid_unknown_fields=True):
    """Pass cards."""

    cards: Annotated[list[CardName], Meta(max_length=13)]


class Play(Struct, tag="play", forbid_unknown_fields=True):
    """Play a card; `at` is the number of cards played before it, so that no card is played twice by mistake."""

    card: CardName
    at: Annotated[int, Meta(ge=0, le=52)]


class Undo(Struct, tag="undo", forbid_unknown_fields=True):
    """Take back one's last card, and what followed; in practice only."""


class Claim(Struct, tag="claim", forbid_unknown_fields=True):
    """Let the rest be played out: because nothing counts any more, or one takes all, or no further trick."""

    what: Literal["rest", "all", "none"] = "rest"


class Moon(Struct, tag="moon", forbid_unknown_fields=True):
    """Say what one's moon does, where the rules leave the choice to the shooter."""

    what: Literal["others", "self"]


class Next(Struct, tag="next", forbid_unknown_fields=True):
    """Deal the next deal; in practice also in the middle of one, which is then left."""

    share: Share | None = None


class Again(Struct, tag="again", forbid_unknown_fields=True):
    """Play a finished deal again, at a table of its own, from the beginning or from its card number `at`."""

    number: Number
    at: Annotated[int, Meta(ge=0, le=52)] = 0


class Daily(Struct, tag="daily", forbid_unknown_fields=True):
    """Play the deal of the day; who has begun it goes on, who has finished it sees how it ended."""

    house: Key
    name: PersonName = "You"


class Compare(Struct, tag="compare", forbid_unknown_fields=True):
    """Ask what others made of the daily deal that one has finished."""


class Hint(Struct, tag="hint", forbid_unknown_fields=True):
    """Ask the coach about the decision at hand."""


class Check(Struct, tag="check", forbid_unknown_fields=True):
    """Ask whether there was something better than one's last card, and no more than that."""


class Count(Struct, tag="count", forbid_unknown_fields=True):
    """Ask what is out, who is void, who may hold Q♠, and whether somebody may shoot the moon."""


class Review(Struct, tag="review", forbid_unknown_fields=True):
    """Ask for the review of a finished deal."""

    number: Number


class Replay(Struct, tag="replay", forbid_unknown_fields=True):
    """Ask for a finished deal, with all hands and its proof."""

    number: Number


class Read(Struct, tag="read", forbid_unknown_fields=True):
    """Read a record file, to step through it; or, with a name, to take its deals into that person's history."""

    house: Key
    text: Annotated[str, Meta(max_length=MAX_RECORD)]
    into: PersonName | None = None


class History(Struct, tag="history", forbid_unknown_fields=True):
    """Ask for all games that somebody has played."""

    house: Key
    name: PersonName = "You"


class Game(Struct, tag="game", forbid_unknown_fields=True):
    """Ask for the finished deals of a game of the history, or of all games; or for one deal, with its proof."""

    house: Key
    key: Key | None = None
    number: Number | None = None
    name: PersonName = "You"


class Analyse(Struct, tag="analyse", forbid_unknown_fields=True):
    """Ask the coach about a decision of any recorded deal, after `at` cards; it sees what the seat to move may know."""

    house: Key
    record: Annotated[str, Meta(max_length=MAX_POSITION)]
    at: Annotated[int, Meta(ge=0, le=52)]


class Puzzle(Struct, tag="puzzle", forbid_unknown_fields=True):
    """Ask for a puzzle that is due."""

    house: Key
    name: PersonName = "You"


class Answer(Struct, tag="answer", forbid_unknown_fields=True):
    """Answer a puzzle."""

    house: Key
    puzzle: Annotated[int, Meta(ge=0, le=MAX_SEED)]
    card: CardName
    name: PersonName = "You"


class Level(Struct, tag="level", forbid_unknown_fields=True):
    """Ask for the estimate of one's level."""

    house: Key
    name: PersonName = "You"


Incoming = (
    Create | Describe | Open | Pass | Play | Undo | Claim | Moon | Next | Again | Hint | Check | Count | Review | Replay
    | Read | History | Game | Daily | Compare | Analyse | Puzzle | Answer | Level
)  # fmt: skip


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
    """What is being prepared: `table`, the name of a player, or `coach`; empty once all is done."""
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

    kind: Literal["opened", "dealt", "passed", "played", "undone", "over", "moon"]
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
    """The table as seat 0 sees it: everything that the page shows."""

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
    reveal: Reveal | UnsetType = UNSET


class Refused(Struct, tag="refused"):
    """The rules forbid it; nothing has changed."""

    card: str | None
    rule: str


class Failed(Struct, tag="failed"):
    """A message that could not be followed; nothing has changed."""

    code: Literal["message", "key", "table", "limit", "server"]
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
)  # fmt: skip

_decoder: msgspec.json.Decoder[Incoming] = msgspec.json.Decoder(Incoming)
_encoder = msgspec.json.Encoder()


def decode(text: str | bytes) -> Incoming:
    """Read a message from the page.

    :raises msgspec.ValidationError: if it is none; :raises msgspec.DecodeError: if it is not even JSON.
    """
    return _decoder.decode(text)


def encode(message: Outgoing) -> str:
    """Write a message to the page."""
    return _encoder.encode(message).decode()
