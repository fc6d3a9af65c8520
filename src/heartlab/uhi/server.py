"""Our players as bots: `heartlab uhi PLAYER` reads lines of UHI on standard input and answers on standard output.

A line that makes no sense is answered with `info error` and a sentence, and otherwise ignored; so a bot that talks to
an arena with a defect says so and goes on. Lines that make sense one by one may still contradict each other: a player
that draws worlds finds that no deal fits them when it is asked for a card, and then that is the sentence.
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
    """One bot, fed line by line."""

    def __init__(self, player: Player) -> None:
        """
        :raises PlayerError: if the player sees all hands: lines cannot show them.
        """
        if player.is_open:
            raise PlayerError(f"player {player.name} sees all hands, and a bot is shown only its own")
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

    # --- one method per line; all give the lines of the answer ---

    def _on_uhi(self, rest: str) -> Iterable[str]:
        yield f"id name heartlab {__version__} {self.player.name}"
        yield "id author the heartlab engineers"
        yield f"option name seed type spin default 0 min 0 max {MAX_SEED}"
        self._warm_up()
        yield "uhiok"

    def _on_setoption(self, rest: str) -> Iterable[str]:
        name, _, value = rest.partition(" ")
        if name != "seed" or not (_is_number(value, 10) and int(value) <= MAX_SEED):
            raise LineError(f"the only option is seed, a number from 0 to {MAX_SEED}; not {shorten(rest)}")
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
            raise LineError(f"newdeal wants `NUMBER hand CARDS pass DIRECTION`, not {shorten(rest)}")
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
            raise LineError(f"played wants `SEAT CARD`, not {shorten(rest)}")
        view.play(int(seat), parse_card(name))
        return ()

    def _on_kitty(self, rest: str) -> Iterable[str]:
        self._need_view().see_kitty(_cards(rest))
        return ()

    def _on_card(self, rest: str) -> Iterable[str]:
        view = self._need_view()
        if view.must_pass:
            raise LineError("cards have to be passed before one is played")
        yield f"card {card_name(int(self.player.choose_cards(Observations.of(view.observe(self.seed)))[0]))}"

    def _on_enddeal(self, rest: str) -> Iterable[str]:
        self._view = None
        return ()

    def _on_quit(self, rest: str) -> Iterable[str]:
        self.over = True
        return ()

    def _need_view(self) -> SeatView:
        if self._view is None:
            raise LineError("there is no deal: newgame and newdeal come first")
        return self._view

    def _warm_up(self) -> None:
        """Let the player answer once of each kind, so that what is compiled on first use is compiled before a clock."""
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
        raise LineError(f"a card is there twice: {shorten(text)}")
    return cards


def _read_game(text: str) -> tuple[Rules, int, list[int]]:
    """`rules {json} seat 2 scores 0 0 0 0`"""
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
        raise LineError(f"newgame wants `rules {{json}} seat SEAT scores SCORES`, not {shorten(text)}") from None
    try:
        rules = Rules.from_dict(data)
    except (TypeError, AttributeError, KeyError, OverflowError) as error:
        raise LineError(f"these rules cannot be read: {error}") from None
    if not 0 <= seat < rules.players or len(scores) != rules.players:
        raise LineError(f"there are {rules.players} players, but the line says seat {seat} and {len(scores)} scores")
    if max(map(abs, scores)) >= 1 << 31:
        raise LineError("no score is that large")
    return rules, seat, scores


def serve(name: str, lines: TextIO, out: TextIO) -> None:
    """Be a bot until `quit` or the end of the input."""
    server = Server(make_player(name))
    for line in lines:
        for answer in server.hear(line):
            print(answer, file=out, flush=True)
        if server.over:
            break
