"""A session: a game of people and bots, or of bots alone, as a state machine without input or output.

One person sits on seat 0; with friends, up to all seats are people's, and the first deal waits until the host begins.
The session says who is to act; :mod:`heartlab.web.house` asks a person or a bot and passes the answer on. It can be
built again from what the store keeps, at any moment. The page and the protocol call a session a table.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from heartlab.cards import CS_SUITS, Card, CardSet, card_suit
from heartlab.deal import Deal
from heartlab.game import game_is_over, winners
from heartlab.observation import Observation
from heartlab.rules import Rules
from heartlab.util.said import Said
from heartlab.web.bots import BOT_NAMES
from heartlab.web.commitment import Shared, commit
from heartlab.web.messages import MAX_SEED
from heartlab.web.store import Row, Settings

PERSON = 0
"""The seat of the person who opened the session; with friends, the host."""

Dealer = Callable[[Rules, int, int, Sequence[int]], Deal]
"""Makes a deal from rules, seed, number and scores."""


class SessionError(ValueError):
    """Something that cannot be done in this session now."""


def shared_of(row: Row) -> Shared | None:
    """What the seed of a deal was made from, if the page had a share in it."""
    return Shared(row.secret, row.share) if row.share else None


def deal_out(rules: Rules, seed: int, number: int, scores: Sequence[int]) -> Deal:
    """The default dealer: the cards follow from the seed."""
    return Deal(rules, seed, number, scores=scores)


def check_seats(rules: Rules, settings: Settings, rows: Sequence[Row] = ()) -> None:
    """See that there is a bot for every seat that the person does not have, and points for every seat.

    :raises ValueError: if there are more or fewer.
    """
    wanted = rules.players - (not settings.watch)
    if len(settings.players) != wanted:
        raise ValueError(Said("these rules need {wanted} bots, not {n}", wanted=wanted, n=len(settings.players)))
    if any(row.points is not None and len(row.points) != rules.players for row in rows):
        raise ValueError(f"a deal has points for {rules.players} seats")


def seat_names(players: int, people: Mapping[int, str]) -> list[str]:
    """What the seats are called: people by their names, bots by those that are left.

    >>> seat_names(4, {0: "Zoe", 2: "Ada"})
    ['Zoe', 'Emil', 'Ada', 'Ines']
    """
    taken = {name.casefold() for name in people.values()}
    free = iter([name for name in BOT_NAMES if name.casefold() not in taken])
    return [people[seat] if seat in people else next(free) for seat in range(players)]


class Session:
    """One game in progress."""

    def __init__(
        self,
        settings: Settings,
        rows: list[Row],
        save: Callable[[Row], None],
        dealer: Dealer = deal_out,
        shared: Shared | None = None,
    ) -> None:
        self.settings = settings
        self.rules = Rules.parse(settings.rules)
        self.rules_text = str(self.rules)
        self.rows = rows
        self._save, self._dealer = save, dealer
        self.faults: Mapping[str, str] = {}
        """Players that have failed, with a sentence about it; set by the house."""
        self.holders: dict[int, str] = {PERSON: settings.name} if settings.friends else {}
        """With friends: who has a seat, by name; somebody who came during a deal plays from the next one on."""
        self.away: set[int] = set()
        """People for whom a bot plays until they come back."""
        self.ready: set[int] = set()
        """People who have asked for the next deal."""
        self._together = False
        if rows:
            self._rebuild()
        elif not settings.friends:
            self._deal_next(self._new_row(settings.first, shared))

    # --- looking ---

    @property
    def begun(self) -> bool:
        """Whether there is a deal: with friends the first one is dealt when the host says so."""
        return bool(self.rows)

    def people_in(self, row: Row) -> dict[int, str]:
        """The people of a deal, by seat."""
        if self.settings.friends:
            return row.people
        return {} if self.settings.watch else {PERSON: self.settings.name}

    @property
    def people(self) -> dict[int, str]:
        """The people of the current deal, by seat."""
        return self.people_in(self.row) if self.begun else {}

    def names_in(self, row: Row) -> list[str]:
        """What the seats are called in a deal: no bot has the name of a person."""
        return seat_names(self.rules.players, self.people_in(row))

    @property
    def names(self) -> list[str]:
        """What the seats are called."""
        return self.names_in(self.row)

    @property
    def awaited(self) -> list[int]:
        """The people for whom the session waits now."""
        if not self.begun or self.game_over:
            return []
        present = [seat for seat in sorted(self.people) if seat not in self.away]
        if self.row.points is not None:
            return [seat for seat in present if seat not in self.ready]
        if self.deal.phase == "pass":
            return [seat for seat in present if seat in self.deal.to_pass]
        mover = self.moon_asked if self.deal.is_over else self.deal.to_move
        return [seat for seat in present if seat == mover]

    @property
    def row(self) -> Row:
        """The current deal, as it is kept."""
        return self.rows[-1]

    @property
    def course(self) -> list[list[int]]:
        """The totals before the first deal and after every finished one."""
        totals = [list(self.settings.scores or [0] * self.rules.players)]
        for row in self.rows:
            if row.points is not None:
                totals.append([a + b for a, b in zip(totals[-1], row.points, strict=True)])
        return totals

    @property
    def finished(self) -> list[Row]:
        """The finished deals."""
        return [row for row in self.rows if row.points is not None]

    @property
    def game_over(self) -> bool:
        """Whether no further deal follows."""
        done = len(self.finished)
        if self.row.points is None or not done:
            return False
        if self.settings.only is not None:
            return done >= self.settings.only
        return game_is_over(self.rules, self.course[-1], self.settings.first + done)

    @property
    def winners(self) -> list[int]:
        """Who won, once the game is over."""
        return winners(self.course[-1]) if self.game_over else []

    def claims(self, seat: int = PERSON) -> list[str]:
        """Which claims a person can prove from what is known to everybody and the own hand."""
        if seat not in self.people or self.deal.phase != "play":
            return []
        obs = self.deal.observe(seat)
        found = ["rest"] if nothing_counts(obs, self.deal) else []
        if self.deal.to_move == seat and obs.hand and not found:
            found += ["all"] if takes_all(obs) else []
            found += ["none"] if takes_none(obs) else []
        return found

    @property
    def moon_asked(self) -> int | None:
        """The person who shot the moon and must still choose what it does. Bots take what is best for them."""
        if not self.deal.is_over or self.row.points is not None or self.rules.moon != "choice":
            return None
        shooter = self.deal.shooter
        return shooter if shooter in self.people and shooter not in self.away else None

    @property
    def can_undo(self) -> bool:
        """Whether the person has a card that may be taken back."""
        return (
            self.settings.practice and PERSON in self.people and self.last_own_place(PERSON, self.row.kept) is not None
        )

    @property
    def can_leave(self) -> bool:
        """Whether the next deal may follow although this one is not finished."""
        return self.settings.practice and not self.settings.watch and self.settings.only is None

    def last_own_place(self, seat: int = PERSON, first: int = 0) -> int | None:
        """How many cards were played before a person's last one, if that is not before the place `first`."""
        own = self.deal.observe(seat).played[seat]
        places = [place for place, card in enumerate(self.row.plays) if card in own and place >= first]
        return places[-1] if places else None

    def seat_player(self, seat: int) -> str | None:
        """The name of the bot that plays on a seat; None for a person who does."""
        return None if seat in self.people and seat not in self.away else self.bot_for(seat)

    def bot_for(self, seat: int) -> str:
        """The bot of a seat, or the one that stands in for its person."""
        return self.settings.players[seat if self.settings.watch else max(0, seat - 1)]

    def players_in(self, row: Row) -> list[str]:
        """Who plays on each seat in a deal: the players of the bots, and nothing for people."""
        people = self.people_in(row)
        return ["" if seat in people else self.bot_for(seat) for seat in range(self.rules.players)]

    def labels_in(self, row: Row) -> list[str]:
        """Who sits where in a deal, for records: the bots with the name of their player."""
        pairs = zip(self.names_in(row), self.players_in(row), strict=True)
        return [f"{name} ({player})" if player else name for name, player in pairs]

    def bots(self) -> dict[int, str]:
        """All seats that bots have, with the names of their players."""
        players = {seat: self.seat_player(seat) for seat in range(self.rules.players)}
        return {seat: player for seat, player in players.items() if player is not None}

    def seat_faults(self) -> list[str]:
        """By seat, a sentence if its player has failed."""
        return [self.faults.get(self.seat_player(seat) or "", "") for seat in range(self.rules.players)]

    def check_person(self) -> None:
        """Refuse what only a person can do.

        :raises SessionError: if bots play on all seats.
        """
        if self.settings.watch:
            raise SessionError(Said("bots play on all seats here, and you watch"))

    def next_bot(self) -> int | None:
        """The bot that has to choose now, if any: bots pass only after all people have passed."""
        if self.deal.phase == "pass":
            return None if self.awaited else self.deal.to_pass[0]
        seat = self.deal.to_move
        return seat if seat is not None and self.seat_player(seat) is not None else None

    def deal_at(self, number: int) -> tuple[Row, Deal]:
        """A finished deal by its number.

        :raises SessionError: if there is none.
        """
        for row in self.finished:
            if row.number == number:
                return row, self._replayed(row)
        raise SessionError(Said("deal {number} of this table is not finished, or does not exist", number=number))

    # --- acting ---

    def pass_cards(self, seat: int, cards: CardSet) -> None:
        """Pass for a seat.

        :raises IllegalPlay: if that is not allowed.
        """
        self.deal.pass_cards(seat, cards)
        self.row.passes[seat] = list(cards)
        self._keep()

    def play(self, card: Card) -> None:
        """Play a card for the seat to move.

        :raises IllegalPlay: if that is not allowed.
        """
        self.deal.play(card)
        self.row.plays.append(card)
        self._close_deal()
        self._keep()

    def _close_deal(self) -> None:
        """Note the points of a deal that is over, unless its shooter has to say what they are."""
        if self.deal.is_over and self.row.points is None and self.moon_asked is None:
            self.row.points = list(self.deal.points)

    def stand_in(self, seat: int) -> None:
        """Let a bot play for a person who is away."""
        self.away.add(seat)
        if self.begun and self.row.points is None and self.deal.is_over:  # a moon whose shooter has left
            self._close_deal()
            self._save(self.row)

    @contextmanager
    def kept_together(self) -> Iterator[None]:
        """Keep what is done within once, at its end."""
        self._together = True
        try:
            yield
        finally:
            self._together = False
        self._keep()

    def _keep(self) -> None:
        if not self._together:
            self._save(self.row)

    def choose_moon(self, seat: int, what: str) -> None:
        """Say what a person's moon does: 26 points for each of the others, or 26 off the own score.

        :raises SessionError: if there is no such choice now.
        """
        if self.moon_asked != seat:
            raise SessionError(Said("there is no moon of yours to decide on now"))
        self.deal.choose_moon(what)
        self.row.moon = what
        self.row.points = list(self.deal.points)
        self._save(self.row)

    def undo(self) -> None:
        """Go back to the person's last decision.

        :raises SessionError: if this is no practice, or there is nothing to take back.
        """
        self.check_person()
        if not self.settings.practice:
            raise SessionError(Said("cards can be taken back in practice only"))
        place = self.last_own_place(PERSON, self.row.kept)
        if place is None:
            raise SessionError(Said("there is no card of yours to take back"))
        self.row.plays = self.row.plays[:place]
        self.row.points = self.row.moon = None
        self.row.undos += 1
        self._save(self.row)
        self._rebuild()

    def next_deal(self, shared: Shared | None = None) -> None:
        """Deal again; from a shared seed, unless the session has one. In practice a deal can be left unfinished.

        :raises SessionError: if the deal or the whole game is not at that point.
        """
        if self.begun and self.row.points is None and not self.can_leave:
            raise SessionError(Said("this deal is not finished"))
        if self.begun and self.game_over:
            raise SessionError(Said("the game is over"))
        self.ready.clear()
        self._deal_next(self._new_row(self.row.number + 1 if self.begun else self.settings.first, shared))

    # --- within ---

    def _new_row(self, number: int, shared: Shared | None) -> Row:
        salt, people = secrets.token_hex(16), dict(self.holders)
        if self.settings.seed is not None:
            return Row(number, self.settings.seed, salt, people=people)
        if shared is None:
            return Row(number, secrets.randbelow(MAX_SEED + 1), salt, people=people)
        return Row(number, shared.seed(number), salt, secret=shared.secret, share=shared.share, people=people)

    def _deal_next(self, row: Row) -> None:
        self.rows.append(row)
        self._rebuild()
        self._save(row)

    def _rebuild(self) -> None:
        self.deal = self._replayed(self.row)
        start = self.dealt(self.row)
        self.commitment = commit(start, self.row.seed, self.row.salt, shared_of(self.row))

    def dealt(self, row: Row) -> Deal:
        """A deal of this session before its first pass or card."""
        before = self.course[sum(one.points is not None for one in self.rows if one.number < row.number)]
        return self._dealer(self.rules, row.seed, row.number, before)

    def _replayed(self, row: Row) -> Deal:
        deal = self.dealt(row)
        for seat, cards in sorted(row.passes.items()):
            deal.pass_cards(seat, cards)
        for card in row.plays:
            deal.play(card)
        if row.moon is not None:
            deal.choose_moon(row.moon)
        return deal


def nothing_counts(obs: Observation, deal: Deal) -> bool:
    """Whether a seat can tell that the rest of a deal changes no points.

    A card that counts and that the seat has not seen may be in a hand as well as in the kitty, so it proves nothing.
    Once all of them are seen, what is open (see :attr:`heartlab.deal.Deal.points_open`) is the same in every world.
    """
    rules = deal.rules
    hidden = any(rules.card_points(card) or card == rules.doubler for card in obs.unseen)
    return not hidden and not deal.points_open


def takes_all(obs: Observation) -> bool:
    """Whether the seat to lead takes every further trick, whoever holds what: it has only winners."""
    unseen = obs.unseen.mask
    return not obs.trick and all(not unseen & CS_SUITS[card_suit(card)] >> card << card for card in obs.hand)


def takes_none(obs: Observation) -> bool:
    """Whether a seat that follows takes no further trick: all its cards are below all that is out in their suits."""
    if not obs.trick or obs.winning is None:
        return False
    unseen = obs.unseen.mask
    led, best = obs.led, obs.winning[1]
    for card in obs.hand:
        lower = (1 << card) - 1
        if unseen & CS_SUITS[card_suit(card)] & lower:
            return False
        if card_suit(card) == led and card > best:
            return False
    return True
