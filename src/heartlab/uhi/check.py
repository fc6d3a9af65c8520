"""`heartlab uhi-check COMMAND`, the conformance tester: plays deals with a bot under many rules and tests edge cases.

Every check starts a new process and ends in `ok`, `warn` (allowed, but worth knowing) or `FAIL`, with a sentence that
says what was asked, what the bot answered, and what would have been right.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

from heartlab.cards import CardSet
from heartlab.deal import Deal
from heartlab.rules import PRESETS, Rules
from heartlab.uhi.lines import dialogue, enddeal_line, question, why_refused
from heartlab.uhi.player import Settings, missing_lines, parse_settings
from heartlab.uhi.process import BotProcess, Fault

PAUSE = 0.1
"""Seconds for which the tester listens to a bot that was not asked anything."""
LEAVE = 2.0
"""Seconds that a bot has to exit."""


@dataclass(frozen=True)
class Finding:
    """The result of a check.

    >>> Finding("quit", "ok", "it exited")
    Finding(check='quit', verdict='ok', detail='it exited')
    """

    check: str
    verdict: Literal["ok", "warn", "FAIL"]
    detail: str


class Failure(Exception):
    """What the bot did wrong, in one sentence."""


class Tester:
    """Plays deals with one process of the bot."""

    def __init__(self, bot: BotProcess, options: Mapping[str, str], movetime: int, seed: int) -> None:
        self.bot, self.options, self.movetime = bot, options, movetime
        self.dice = random.Random(seed)
        self.choices = 0
        self.slowest = 0.0

    def ask(self, deal: Deal, seat: int) -> CardSet:
        """The bot's choice.

        :raises Failure: if it is late, malformed or illegal.
        """
        obs = deal.observe(seat)
        lines = dialogue(obs)
        missing = missing_lines(self.bot, lines, self.options)
        begun = time.perf_counter()
        try:
            chosen = self.bot.ask(missing, question(obs, self.movetime), obs, self.movetime)
        except Fault as fault:
            raise Failure(
                f"{fault.kind}: {fault}; the last lines were `{lines[-1]}`, `{question(obs, self.movetime)}`"
            ) from None
        self.slowest = max(self.slowest, time.perf_counter() - begun)
        self.choices += 1
        refusal = why_refused(chosen, obs)
        if refusal:
            raise Failure(f"illegal: {refusal} (deal {deal.number}, seat {seat}, after {len(deal.history)} cards)")
        return chosen

    def play_deal(self, deal: Deal, seat: int, *, overrule: float = 0.0, until: int = 52) -> None:
        """Play a deal with the bot in one seat and random cards in the others.

        :param overrule: probability that a random choice replaces the bot's, as after a forfeit.
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
            bot = BotProcess(self.settings.command, memory=self.settings.memory, show_errors=True)
        except Fault as fault:
            raise Failure(str(fault)) from None
        try:
            try:
                bot.handshake(self.settings.start)
            except Fault as fault:
                raise Failure(f"{fault}; expected: id name NAME, id author WHO, uhiok") from None
            bot.set_options(self.settings.options)
            yield Tester(bot, self.settings.options, self.movetime, self.seed)
        finally:
            bot.close(leave=0.0)

    def checks(self) -> Iterator[tuple[str, Callable[[], Finding | str]]]:
        """All checks by name."""
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
        """The bot introduces itself and says `uhiok`."""
        with self._bot() as tester:
            bot = tester.bot
            if not bot.name:
                return Finding("handshake", "warn", "no `id name NAME`")
            options = f"; options {', '.join(bot.options)}" if bot.options else ""
            return f"{bot.name}{' by ' + bot.author if bot.author else ''}{options}"

    def whole_deals(self, rules: Rules) -> Finding | str:
        """Every choice of whole deals, in every seat, is legal and in time."""
        with self._bot() as tester:
            for number in range(self.deals):
                for seat in range(rules.players):
                    tester.play_deal(Deal(rules, self.seed, number), seat)
            return f"{tester.choices} choices, the slowest took {1000 * tester.slowest:.0f} ms"

    def overruled(self) -> Finding | str:
        """The bot continues when other cards than its own were passed or played for it."""
        rules = self.rules[0]
        with self._bot() as tester:
            for number in range(4):
                tester.play_deal(Deal(rules, self.seed, number), number % rules.players, overrule=0.5)
            return f"{tester.choices} choices, half of them overruled"

    def taken_up_again(self) -> Finding | str:
        """An interrupted deal is repeated from `newgame` on; the same question gets the same answer."""
        rules = self.rules[0]
        with self._bot() as tester:
            different = 0
            for number in range(4):
                deal, seat = Deal(rules, self.seed, number), number % rules.players
                tester.play_deal(deal, seat, until=rules.plays // 2)
                while deal.to_move != seat:
                    deal.play(min(deal.legal))
                first = tester.ask(deal, seat)
                tester.play_deal(Deal(rules, self.seed + 1, number), seat, until=rules.plays // 3)
                different += tester.ask(deal, seat) != first
            if different:
                note = f"{different} of 4 questions got a different answer when repeated: matches are not reproducible"
                return Finding("taken up again", "warn", f"{note}; an option `seed` would help")
            return "4 deals, the same answers"

    def unknown_lines(self) -> Finding | str:
        """Unknown and empty lines are ignored."""
        with self._bot() as tester:
            tester.bot.tell(["", "hello world", "info from the arena", "   ", "x" * 1000])
            tester.play_deal(Deal(self.rules[0], self.seed), 0)
            return "ignored"

    def silence(self) -> Finding | str:
        """Unless asked, the bot writes nothing but `info`."""
        with self._bot() as tester:
            deal = Deal(self.rules[0], self.seed, 3)
            tester.play_deal(deal, 0, until=deal.rules.players)
            tester.bot.tell(dialogue(Deal(self.rules[0], self.seed, 1).observe(0)))
            time.sleep(PAUSE)
            tester.bot.sent = []
            tester.play_deal(Deal(self.rules[0], self.seed, 0), 0, until=8)
            return "it answers only when asked"

    def quit(self) -> Finding | str:
        """The bot exits after `quit`."""
        with self._bot() as tester:
            if tester.bot.close(LEAVE):
                return "it exited"
            return Finding("quit", "FAIL", f"it was still running {LEAVE:.0f} s after `quit`")

    def end_of_input(self) -> Finding | str:
        """The bot exits at the end of its input."""
        with self._bot() as tester:
            if tester.bot.hang_up(LEAVE):
                return "it exited"
            return Finding(
                "end of input", "warn", "it keeps running after the end of its input; the arena has to kill it"
            )


def run_check(
    command: str,
    *,
    rules: Sequence[Rules],
    deals: int,
    movetime: int,
    seed: int,
    report: Callable[[dict[str, Any]], None] | None,
) -> bool:
    """Run all checks and print their findings, or pass them to `report`; True if none failed.

    :param rules: the rules to test; none means all presets.
    :param deals: deals per rules and seat.
    :param movetime: milliseconds per choice.
    """
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
        print(f"\n{len(findings) - failed} of {len(findings)} checks passed" + (": not conforming" if failed else ""))
    return not failed
