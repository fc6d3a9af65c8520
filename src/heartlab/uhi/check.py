"""`heartlab uhi-check COMMAND`: does a bot speak UHI? It is played with under many rules, and disturbed.

Every check starts a process of its own and ends in `ok`, `warn` (allowed, but worth knowing) or `FAIL`, with a sentence
that says what was asked, what came back, and what would have been right.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from heartlab.cards import CardSet
from heartlab.deal import Deal
from heartlab.rules import PRESETS, Rules
from heartlab.uhi.lines import dialogue, enddeal_line, question, why_refused
from heartlab.uhi.player import Settings, missing_lines, parse_settings
from heartlab.uhi.process import BotProcess, Fault

PAUSE = 0.1
"""Seconds in which a bot that was not asked must stay silent."""
LEAVE = 2.0
"""Seconds that a bot has to end itself."""


@dataclass(frozen=True)
class Finding:
    """What a check found."""

    check: str
    verdict: str
    """ok, warn or FAIL"""
    detail: str


class Failure(Exception):
    """What a bot did wrong, in one sentence."""


class Tester:
    """Plays deals with one process of a bot."""

    def __init__(self, bot: BotProcess, options: Mapping[str, str], movetime: int, seed: int) -> None:
        self.bot, self.options, self.movetime = bot, options, movetime
        self.dice = random.Random(seed)
        self.choices = 0
        self.slowest = 0.0

    def ask(self, deal: Deal, seat: int) -> CardSet:
        """The bot's choice, which must be legal."""
        obs = deal.observe(seat)
        lines = dialogue(obs)
        missing = missing_lines(self.bot, lines, self.options)
        begun = time.perf_counter()
        try:
            chosen = self.bot.ask(missing, question(obs, self.movetime), obs, self.movetime)
        except Fault as fault:
            raise Failure(f"{fault.kind}: {fault}; asked was `{lines[-1]}`, `{question(obs, self.movetime)}`") from None
        self.slowest = max(self.slowest, time.perf_counter() - begun)
        self.choices += 1
        refusal = why_refused(chosen, obs)
        if refusal:
            raise Failure(f"illegal: {refusal} (deal {deal.number}, seat {seat}, after {len(deal.history)} cards)")
        return chosen

    def play_deal(self, deal: Deal, seat: int, *, overrule: float = 0.0, until: int = 52) -> None:
        """Play a deal with the bot in one seat and random cards in the others.

        :param overrule: how often another choice than the bot's is made, as after a forfeit.
        """
        for giver in deal.to_pass:
            free = sorted(deal.observe(giver).may_pass)
            given = CardSet(self.dice.sample(free, deal.rules.pass_count))
            if giver == seat:
                own = self.ask(deal, seat)
                given = given if self.dice.random() < overrule else own
            deal.pass_cards(giver, given)
        while not deal.is_over and len(deal.history) < until:
            card = self.dice.choice(sorted(deal.legal))
            if deal.to_move == seat:
                own = self.ask(deal, seat)
                card = card if self.dice.random() < overrule else min(own)
            deal.play(card)
        if deal.is_over:
            lines = dialogue(deal.observe(seat))
            self.bot.tell([*lines[len(self.bot.sent) :], enddeal_line(deal.points, deal.scores)])
            self.bot.sent = []


@dataclass
class Checker:
    """All checks of one command."""

    settings: Settings
    rules: Sequence[Rules]
    deals: int
    movetime: int
    seed: int

    @contextmanager
    def _bot(self) -> Iterator[Tester]:
        try:
            bot = BotProcess(self.settings.command, show_errors=True)
        except Fault as fault:
            raise Failure(str(fault)) from None
        try:
            try:
                bot.handshake(self.settings.start)
            except Fault as fault:
                raise Failure(f"{fault}; right would be: id name NAME, id author WHO, uhiok") from None
            bot.set_options(self.settings.options)
            yield Tester(bot, self.settings.options, self.movetime, self.seed)
        finally:
            bot.close(leave=0.0)

    def checks(self) -> Iterator[tuple[str, Callable[[], Finding | str]]]:
        """The checks by name."""
        yield "handshake", self.handshake
        for rules in self.rules:
            yield f"deals: {rules}", partial(self.whole_deals, rules)
        yield "overruled", self.overruled
        yield "taken up again", self.taken_up_again
        yield "unknown lines", self.unknown_lines
        yield "silence", self.silence
        yield "quit", self.quit
        yield "end of input", self.end_of_input

    def handshake(self) -> Finding | str:
        """It says who it is, and uhiok."""
        with self._bot() as tester:
            bot = tester.bot
            if not bot.name:
                return Finding("handshake", "warn", "it did not say `id name NAME`")
            options = f"; options {', '.join(bot.options)}" if bot.options else ""
            return f"{bot.name}{' by ' + bot.author if bot.author else ''}{options}"

    def whole_deals(self, rules: Rules) -> Finding | str:
        """Every choice of whole deals is legal and in time, in every seat."""
        with self._bot() as tester:
            for number in range(self.deals):
                for seat in range(rules.players):
                    tester.play_deal(Deal(rules, self.seed, number), seat)
            return f"{tester.choices} choices, the slowest took {1000 * tester.slowest:.0f} ms"

    def overruled(self) -> Finding | str:
        """It goes on when another card was passed or played for it."""
        rules = self.rules[0]
        with self._bot() as tester:
            for number in range(4):
                tester.play_deal(Deal(rules, self.seed, number), number % rules.players, overrule=0.5)
            return f"{tester.choices} choices, half of them overruled"

    def taken_up_again(self) -> Finding | str:
        """A deal that was broken off is told again from newgame; the same question gets the same answer."""
        rules = self.rules[0]
        with self._bot() as tester:
            other = 0
            for number in range(4):
                deal, seat = Deal(rules, self.seed, number), number % rules.players
                tester.play_deal(deal, seat, until=rules.plays // 2)
                while deal.to_move != seat:
                    deal.play(min(deal.legal))
                first = tester.ask(deal, seat)
                tester.play_deal(Deal(rules, self.seed + 1, number), seat, until=rules.plays // 3)
                other += tester.ask(deal, seat) != first
            if other:
                note = (
                    f"{other} of 4 questions got another answer when they were asked again: matches cannot be repeated"
                )
                return Finding("taken up again", "warn", f"{note}; an option `seed` would help")
            return "4 deals, the same answers"

    def unknown_lines(self) -> Finding | str:
        """Lines that it does not know, and empty ones, change nothing."""
        with self._bot() as tester:
            tester.bot.tell(["", "hello world", "info from the arena", "   ", "x" * 1000])
            tester.play_deal(Deal(self.rules[0], self.seed), 0)
            return "ignored"

    def silence(self) -> Finding | str:
        """It says nothing but info unless it is asked."""
        with self._bot() as tester:
            deal = Deal(self.rules[0], self.seed, 3)
            tester.play_deal(deal, 0, until=deal.rules.players)
            tester.bot.tell(dialogue(Deal(self.rules[0], self.seed, 1).observe(0)))
            time.sleep(PAUSE)
            tester.bot.sent = []
            tester.play_deal(Deal(self.rules[0], self.seed, 0), 0, until=8)
            return "it speaks only when it is asked"

    def quit(self) -> Finding | str:
        """It ends after `quit`."""
        with self._bot() as tester:
            if tester.bot.close(LEAVE):
                return "it ended by itself"
            return Finding("quit", "FAIL", f"it was still running {LEAVE:.0f} s after `quit`")

    def end_of_input(self) -> Finding | str:
        """It ends when nobody speaks to it any more."""
        with self._bot() as tester:
            if tester.bot.hang_up(LEAVE):
                return "it ended by itself"
            return Finding(
                "end of input", "warn", "it goes on when its input has ended; the arena would have to kill it"
            )


def run_check(
    command: str,
    *,
    rules: Sequence[Rules],
    deals: int,
    movetime: int,
    seed: int,
    report: Callable[[Any], None] | None,
) -> bool:
    """Run all checks and say what they found; True if none failed."""
    checker = Checker(parse_settings(command), rules or list(PRESETS.values()), deals, movetime, seed)
    findings = []
    for name, check in checker.checks():
        try:
            found = check()
            finding = found if isinstance(found, Finding) else Finding(name, "ok", found)
        except Failure as failure:
            finding = Finding(name, "FAIL", str(failure))
        findings.append(finding)
        if not report:
            print(f"{finding.verdict:<5} {finding.check:<24} {finding.detail}", flush=True)
        if name == "handshake" and finding.verdict == "FAIL":
            break
    failed = sum(finding.verdict == "FAIL" for finding in findings)
    if report:
        report({"command": command, "passed": not failed, "checks": [asdict(finding) for finding in findings]})
    else:
        print(
            f"\n{len(findings) - failed} of {len(findings)} checks passed" + (": it does not conform" if failed else "")
        )
    return not failed
