"""Our players as bots: `heartlab uhi PLAYER` reads UHI from standard input and answers on standard output.

An invalid line is answered with `info error` and a sentence, and otherwise ignored. Lines that are valid one by one may
still contradict each other: a player that samples worlds then finds that no deal fits, and reports that when it is
asked for a card.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TextIO

from heartlab import __version__
from heartlab.cards import CardSet, card_name, parse_card
from heartlab.deal import Deal
from heartlab.players.base import Observations, Player
from heartlab.players.registry import PlayerError, make_player
from heartlab.rules import Rules
from heartlab.uhi.lines import LineError, shorten
from heartlab.uhi.view import SeatView

MAX_SEED = (1 << 31) - 1


class Server:
    """One bot; the caller passes it the lines.

    >>> from heartlab import Deal
    >>> from heartlab.uhi.lines import dialogue
    >>> server = Server(make_player("gnome"))
    >>> deal = Deal("seed", seed=1)
    >>> for line in dialogue(deal.observe(deal.to_move)):
    ...     assert list(server.hear(line)) == []
    >>> list(server.hear("card?")), list(server.hear("card? please")), list(server.hear("passed 2C 3C"))
    (['card 2C'], ['card 2C'], [])
    """

    def __init__(self, player: Player) -> None:
        """
        :raises PlayerError: if the player sees all hands: the protocol does not send them.
        """
        if player.is_open:
            raise PlayerError(f"player {player.name} sees all hands: it cannot play over UHI")
        self.player = player
        self.seed = 0
        self.over = False
        self._game: tuple[Rules, int, list[int]] | None = None
        self._view: SeatView | None = None
        self._passed: CardSet | None = None

    def hear(self, line: str) -> Iterator[str]:
        """The answers to one line."""
        word, _, rest = line.strip().partition(" ")
        act = getattr(self, f"_on_{word.rstrip('?')}", None) if word.rstrip("?").isidentifier() else None
        if act is None:
            return
        try:
            yield from act(rest.strip())
        except ValueError as error:
            yield f"info error {' '.join(str(error).split())}"

    # --- one method per kind of line; each yields the lines of the answer ---

    def _on_uhi(self, rest: str) -> Iterable[str]:
        yield f"id name heartlab {__version__} {self.player.name}"
        yield "id author the heartlab engineers"
        yield f"option name seed type spin default 0 min 0 max {MAX_SEED}"
        self._warm_up()
        yield "uhiok"

    def _on_setoption(self, rest: str) -> Iterable[str]:
        name, _, value = rest.partition(" ")
        if name != "seed" or not (_is_number(value, 10) and int(value) <= MAX_SEED):
            raise LineError(f"the only option is seed, a number from 0 to {MAX_SEED}, not {shorten(rest)}")
        self.seed = int(value)
        return ()

    def _on_newgame(self, rest: str) -> Iterable[str]:
        self._game = self._view = None
        game = _read_game(rest)
        self.player.check_rules(game[0])
        self._game = game
        return ()

    def _on_newdeal(self, rest: str) -> Iterable[str]:
        if self._game is None:
            raise LineError("newdeal before newgame")
        self._view = self._passed = None
        words = rest.split()
        if len(words) < 4 or words[1] != "hand" or words[-2] != "pass" or not _is_number(words[0]):
            raise LineError(f"newdeal needs `NUMBER hand CARDS pass DIRECTION`, not {shorten(rest)}")
        rules, seat, scores = self._game
        self._view = SeatView(rules, seat, scores, int(words[0]), _cards(" ".join(words[2:-2])), words[-1])
        return ()

    def _on_pass(self, rest: str) -> Iterable[str]:
        view = self._need_view()
        if not view.must_pass:
            raise LineError("there is nothing to pass")
        obs = view.observe(self.seed)
        chosen = CardSet(int(self.player.choose_passes(Observations.of(obs))[0]))
        self._passed = chosen
        yield f"pass {chosen.names()}"

    def _on_passed(self, rest: str) -> Iterable[str]:
        self._need_view()
        self._passed = _cards(rest)
        return ()

    def _on_received(self, rest: str) -> Iterable[str]:
        if self._passed is None:
            raise LineError("received before anything was passed")
        self._need_view().exchange(self._passed, _cards(rest))
        return ()

    def _on_played(self, rest: str) -> Iterable[str]:
        seat, _, name = rest.partition(" ")
        view = self._need_view()
        if not _is_number(seat) or not int(seat) < view.rules.players:
            raise LineError(f"played needs `SEAT CARD`, not {shorten(rest)}")
        view.play(int(seat), parse_card(name))
        return ()

    def _on_kitty(self, rest: str) -> Iterable[str]:
        self._need_view().see_kitty(_cards(rest))
        return ()

    def _on_card(self, rest: str) -> Iterable[str]:
        view = self._need_view()
        if view.must_pass:
            raise LineError("the pass comes before the first card")
        yield f"card {card_name(int(self.player.choose_cards(Observations.of(view.observe(self.seed)))[0]))}"

    def _on_enddeal(self, rest: str) -> Iterable[str]:
        self._view = None
        return ()

    def _on_quit(self, rest: str) -> Iterable[str]:
        self.over = True
        return ()

    def _need_view(self) -> SeatView:
        if self._view is None:
            raise LineError("no deal: newgame and newdeal come first")
        return self._view

    def _warm_up(self) -> None:
        """Let the player pass and play once, so that its kernels are compiled before a time limit applies."""
        deal = Deal("standard")
        self.player.choose_passes(Observations.of(deal.observe(0)))
        held = Deal("standard", number=3)
        self.player.choose_cards(Observations.of(held.observe(held.to_move or 0)))


def _is_number(text: str, digits: int = 9) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= digits


def _cards(text: str) -> CardSet:
    words = text.split()
    cards = CardSet(parse_card(word) for word in words)
    if len(cards) != len(words):
        raise LineError(f"duplicate card: {shorten(text)}")
    return cards


def _read_game(text: str) -> tuple[Rules, int, list[int]]:
    """Parse `rules {json} seat 2 scores 0 0 0 0`."""
    word, _, rest = text.partition(" ")
    try:
        if word != "rules":
            raise ValueError
        data, end = json.JSONDecoder().raw_decode(rest.lstrip())
        words = rest.lstrip()[end:].split()
        if not isinstance(data, dict) or words[0] != "seat" or words[2] != "scores":
            raise ValueError
        seat, scores = int(words[1]), [int(value) for value in words[3:]]
    except (ValueError, IndexError, RecursionError):
        raise LineError(f"newgame needs `rules {{json}} seat SEAT scores SCORES`, not {shorten(text)}") from None
    try:
        rules = Rules.from_dict(data)
    except (TypeError, AttributeError, KeyError, OverflowError) as error:
        raise LineError(f"invalid rules: {error}") from None
    if not 0 <= seat < rules.players or len(scores) != rules.players:
        raise LineError(f"there are {rules.players} players, but the line says seat {seat} and {len(scores)} scores")
    if max(map(abs, scores)) >= 1 << 31:
        raise LineError("scores must be below 2^31")
    return rules, seat, scores


def serve(name: str, lines: TextIO, out: TextIO) -> None:
    """Answer lines until `quit` or the end of the input."""
    server = Server(make_player(name))
    for line in lines:
        for answer in server.hear(line):
            print(answer, file=out, flush=True)
        if server.over:
            break
