"""What the page says to the server: one JSON object each, told apart by ``type``; see :mod:`heartlab.web.messages`."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

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
LanguageName = Literal["en", "de"]
"""The languages that the page and the server speak."""
Reaction = Literal["hello", "nice", "ouch", "oops", "thanks", "think"]
"""What friends can show each other."""
Share = Annotated[str, Meta(min_length=16, max_length=64, pattern=r"^[0-9a-f]+\Z")]
"""The page's part of a seed: random hexadecimal digits, chosen after the server's promise."""


class Create(Struct, tag="create", forbid_unknown_fields=True):
    """Open a new table. With `watch` the bots play all seats, and each deal is sent when it is over.

    With `friends` people can be invited, and the first deal is dealt when the host says `next`.
    """

    house: Key
    players: Annotated[list[Annotated[str, Meta(max_length=80)]], Meta(min_length=2, max_length=6)]
    rules: Annotated[str, Meta(max_length=MAX_RULES)] = "standard"
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] | None = None
    name: PersonName = "You"
    practice: bool = False
    watch: bool = False
    friends: bool = False
    share: Share | None = None


class Describe(Struct, tag="describe", forbid_unknown_fields=True):
    """Ask what rules mean before a table is opened: how many players there are, and how it is played."""

    house: Key
    rules: Annotated[str, Meta(max_length=MAX_RULES)]
    language: LanguageName = "en"


class Speak(Struct, tag="speak", forbid_unknown_fields=True):
    """Say which language the texts of all further answers shall have."""

    language: LanguageName


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


class Join(Struct, tag="join", forbid_unknown_fields=True):
    """Take a free seat at a table to which one is invited."""

    invitation: Key
    name: PersonName


class Invite(Struct, tag="invite", forbid_unknown_fields=True):
    """The host makes a new invitation; the one before is void."""


class Remove(Struct, tag="remove", forbid_unknown_fields=True):
    """The host gives the seat of a guest to a bot."""

    seat: Annotated[int, Meta(ge=1, le=5)]


class Back(Struct, tag="back", forbid_unknown_fields=True):
    """Somebody for whom a bot has played plays again."""


class Leave(Struct, tag="leave", forbid_unknown_fields=True):
    """Leave the table; with friends a bot plays on at once. Who has the key can come back."""


class Rematch(Struct, tag="rematch", forbid_unknown_fields=True):
    """With friends, after the end of a game: another one with all who are still there."""

    share: Share | None = None


class React(Struct, tag="react", forbid_unknown_fields=True):
    """With friends: one of a few signs, shown to everybody at the table."""

    what: Reaction


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


class Risk(Struct, tag="risk", forbid_unknown_fields=True):
    """Ask whether somebody may shoot the moon: the page does so by itself when one seat has all the points."""


class Review(Struct, tag="review", forbid_unknown_fields=True):
    """Ask for the review of a finished deal."""

    number: Number


class Line(Struct, tag="line", forbid_unknown_fields=True):
    """Ask how a finished deal would have gone on after the coach's card at a decision; answered by `deals`."""

    number: Number
    at: Annotated[int, Meta(ge=1, le=52)]


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
    Create | Describe | Open | Pass | Play | Undo | Claim | Moon | Next | Again | Hint | Check | Count | Risk | Review
    | Line | Replay | Read | History | Game | Daily | Compare | Analyse | Puzzle | Answer | Level
    | Join | Invite | Remove | Back | Leave | Rematch | React | Speak
)  # fmt: skip
