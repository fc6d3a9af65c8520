"""The paper's learners under each reading, its figures, and claims about which learner is ahead of which."""

from __future__ import annotations

from collections.abc import Mapping

from heartlab.learners.transfer.parts import CONTROL, Learner, Rewards, Source, difference, spread, units
from heartlab.reproduction.claims import Claim, Verdict, above, all_of
from heartlab.util.statistics import Estimate

READINGS = ("literal", "terminal-check", "look-up")
HEADLINE = "terminal-check"
SHORT, LONG = Source(matches=75), Source(matches=3000)

BASELINE = Learner("baseline", "baseline", "literal")
CONTROLS = dict.fromkeys(READINGS, CONTROL)
CONTROLS["literal"] = Learner("terminal-only, literal", "terminal-only", "literal")
"""The control knows when a candidate move ends the game, except under the literal reading."""


def transfer(reading: str, source: Source = SHORT, note: str = "") -> Learner:
    """The Transfer Learner under a reading."""
    return Learner(f"transfer, {reading}{note}", "transfer", reading, source)


def look_ahead(reading: str) -> Learner:
    """The learner that begins with minimax values, under a reading."""
    return Learner(f"look-ahead, {reading}", "look-ahead", reading)


FIGURES = {
    "figure-3": ("connect3", "eps-greedy"),
    "figure-4": ("othello4", "eps-greedy"),
    "figure-5": ("capturego", "eps-greedy"),
    "figure-6": ("othello4", "weak"),
    "figure-7": ("othello4", "random"),
}


def claim_about(identity: str, statement: str, value: Estimate, verdict: Verdict, note: str) -> Claim:
    """A claim with its estimate."""
    return Claim(identity, statement, None, value.mean, value.ci95, value.n, verdict, note)


def order_claim(identity: str, statement: str, one: Rewards, other: Rewards, note: str = "") -> Claim:
    """A claim that one learner earns more than another over all matches."""
    gap, early = difference(one, other), difference(one, other, 1, 300)
    told = (
        f"mean reward per match over all matches, paired by run, {units(one, other)}; "
        f"matches 1–300: {spread(early, True)}"
    )
    return claim_about(identity, statement, gap, above(gap.ci95), f"{told}{'; ' if note else ''}{note}")


def everywhere(identity: str, statement: str, gaps: Mapping[str, Estimate], note: str) -> Claim:
    """A claim that something is above zero in all of several cases; shown is the case whose interval begins lowest."""
    weakest = min(gaps, key=lambda name: gaps[name].ci95[0])
    verdicts = [above(gap.ci95) for gap in gaps.values()]
    told = f"the lowest of {len(gaps)} intervals: {weakest}; above zero in {verdicts.count('holds')}"
    below_zero = verdicts.count("fails")
    told += f", below in {below_zero}" if below_zero else ""
    return claim_about(identity, statement, gaps[weakest], all_of(verdicts), f"{told}; {note}")


def suffix(reading: str) -> str:
    """How the id of a claim under a reading ends."""
    return "" if reading == HEADLINE else f"-{reading}"


def identity_of(experiment: str, what: str, reading: str) -> str:
    """The id of a claim of the paper under a reading."""
    return f"{'' if reading == HEADLINE else 'readings/'}{experiment}/{what}{suffix(reading)}"
