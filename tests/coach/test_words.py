"""What the coach says is true: outcomes, counts and sentences against plain Python, in positions at random."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("msgspec", reason="needs the extra web")

from heartlab.cards import HEARTS, QUEEN_OF_SPADES, SPADES, SUIT_NAMES, CardSet, card_rank, card_suit, pretty_card
from heartlab.coach.counting import queen_shares, queen_words
from heartlab.coach.ideas import Idea, ideas_for
from heartlab.coach.judgement import Judge, Judgement, PassReport
from heartlab.coach.outcomes import Outcome
from heartlab.coach.passing import pass_ideas, pass_reasons
from heartlab.coach.phrases import price_of_trick
from heartlab.coach.playing_on import SOMEBODY, STRONG, stand_ins
from heartlab.coach.reasons import in_numbers, reasons_for, rival_of
from heartlab.coach.words import Words, learned_under, same_cards, sources
from heartlab.deal import Deal
from heartlab.observation import Observation
from heartlab.rules import PRESETS, Rules
from heartlab.util.said import Said
from heartlab.web.bots import Bots

pytestmark = pytest.mark.slow  # the kernels of the coach take long to compile

SCALE = int(os.environ.get("HEARTLAB_SCALE", "1"))
NAMES = ["You", "Ada", "Emil", "Ines"]


@pytest.fixture(scope="module")
def judge():
    return Judge(worlds=24)


def decisions(rules: str, seeds: range, last: int = 52) -> Iterator[Deal]:
    """Deals in which seat 0 has a choice; all play legal cards at random, but often a high one."""
    for seed in seeds:
        deal, rng = Deal(rules, seed, 3), np.random.default_rng(seed)
        for seat in deal.to_pass:
            deal.pass_cards(seat, sorted(deal.observe(seat).may_pass)[: deal.rules.pass_count])
        while deal.to_move is not None and len(deal.history) < last:
            if deal.to_move == 0 and len(deal.legal) > 1:
                yield deal.copy()
            legal = sorted(deal.legal)
            deal.play(int(rng.choice([legal[-1], rng.choice(legal)])))


def plain_winner(trick: list[tuple[int, int]]) -> int:
    """Who takes a trick."""
    led = card_suit(trick[0][1])
    return max((card, seat) for seat, card in trick if card_suit(card) == led)[1]


def played_out(judged: Judgement, deal: Deal, number: int, card: int, seats: list[str], bots: Bots) -> Deal:
    """A world after a card, finished one card at a time; none of these players throws dice."""
    world = Deal._from_state(deal.rules, judged.worlds[number : number + 1].copy(), deal.history)
    world.play(card)
    while world.to_move is not None:
        world.play(bots.play(seats[world.to_move], world.observe(world.to_move)))
    return world


def lowest_equivalent(deal: Deal, card: int) -> int:
    """The lowest card of the hand that is as good as a card: nobody else can come between, and neither is Q♠ or J♦."""
    obs = deal.observe(0)
    others = obs.unseen | CardSet([one for _, one in obs.trick])
    while card not in (QUEEN_OF_SPADES, CARD["J♦"]):
        lower = [one for one in obs.legal if card_suit(one) == card_suit(card) and one < card]
        if (
            not lower
            or any(one in others for one in range(max(lower) + 1, card))
            or max(lower) in (QUEEN_OF_SPADES, CARD["J♦"])
        ):
            break
        card = max(lower)
    return card


def plain_outcome(deal: Deal, worlds: list[Deal]) -> list[float]:
    """What happened in finished deals, in the order of `told`."""
    seen = np.zeros(9)
    for world in worlds:
        trick = world.tricks[deal.observe(0).trick_number]
        cards, mine = [one for _, one in trick], plain_winner(trick) == 0
        queen, moon = QUEEN_OF_SPADES in cards, world.shooter
        points = sum(deal.rules.card_points(one) for one in cards)
        hearts = len(world.taken[0] & CardSet.suit("H"))
        seen += [
            mine, points, mine and points > 0, queen and mine, queen and not mine, moon not in (None, 0), moon == 0,
            QUEEN_OF_SPADES in world.taken[0], hearts,
        ]  # fmt: skip
    return list(seen / len(worlds))


@pytest.mark.slow
def test_outcomes_are_those_of_a_plain_replay(judge):
    """In all four places of a trick; above all in the last, where the trick is over with the card itself."""
    bots, wanted = Bots(), dict.fromkeys(range(4), 2 * SCALE)
    seats = stand_ins(["gnome", "uct:worlds=20,sims=200", "gnome:jake"])
    assert seats == [STRONG, "gnome", SOMEBODY, "gnome:jake"]
    players = [STRONG if name == SOMEBODY else name for name in seats]
    for deal in decisions("standard", range(40 * SCALE), last=30):
        obs = deal.observe(0)
        place = len(obs.trick)
        takes = [card for card in obs.legal if obs.winning and card_suit(card) == obs.led and card > obs.winning[1]]
        on_table = sum(deal.rules.card_points(card) for _, card in obs.trick)
        if not wanted[place] or (place == 3 and not (takes and on_table)):
            continue
        wanted[place] -= 1
        judged = judge.judge(deal, 0, None, seats)
        assert judged.source == "network"
        for card in obs.legal:
            stands = lowest_equivalent(deal, card)
            worlds = [played_out(judged, deal, number, stands, players, bots) for number in range(len(judged.worlds))]
            one = judged.outcomes[card]
            told = [
                one.takes, one.trick_points, one.takes_points, one.queen_to_me, one.queen_to_other, one.moon,
                one.own_moon, one.queen, one.hearts,
            ]  # fmt: skip
            assert told == pytest.approx(plain_outcome(deal, worlds))
            worth = [-26 if world.shooter == 0 else world.points[0] for world in worlds]
            assert one.points == pytest.approx(np.mean(worth))
            if place == 3:
                assert one.takes == (card in takes)
    assert not any(wanted.values()), wanted


# --- sentences ---

CARD = {pretty_card(card): card for card in range(52)}
TRUTHS: dict[str, Callable[..., bool]] = {}


class Facts:
    """A card in a position, in plain Python."""

    def __init__(self, deal: Deal, judged: Judgement, card: int) -> None:
        self.rules, self.obs, self.judged, self.card = deal.rules, deal.observe(0), judged, card
        self.suit, self.outcome = card_suit(card), judged.outcomes[card]
        self.hand, self.legal, self.unseen = (list(cards) for cards in (self.obs.hand, self.obs.legal, self.obs.unseen))
        self.table = [one for _, one in self.obs.trick]
        self.led = card_suit(self.table[0]) if self.table else None
        self.high = max((one for one in self.table if card_suit(one) == self.led), default=-1)
        self.last = len(self.table) == deal.rules.players - 1
        self.follows, self.throws = self.led == self.suit, self.led not in (None, self.suit)
        self.ducks = self.follows and card < self.high
        self.never_mine = self.throws or self.ducks

    @cached_property
    def expected(self) -> float:
        return next(one.expected for one in self.judged.analysis.cards if one.card == self.card)

    @cached_property
    def winner(self) -> int:
        return plain_winner(self.obs.trick)

    def points(self, cards: list[int]) -> int:
        return sum(max(0, self.rules.card_points(one)) for one in cards if one != self.rules.bonus)

    def out(self, suit: int) -> list[int]:
        return [one for one in self.unseen if card_suit(one) == suit]

    def share(self, text: str, share: float) -> bool:
        """Whether a number of 100 deals is a share of them."""
        told = 100 * share if share in (0, 1) else min(99, max(1, round(100 * share)))
        return number(text) == told and text.isdigit() == (share not in (0, 1))


def number(text: str) -> int:
    """A number of 100 deals as the coach says it."""
    return {"none": 0, "all": 100}[text] if text in ("none", "all") else int(text)


def truth(form: str) -> Callable[[Callable[..., bool]], Callable[..., bool]]:
    """Add what a form of sentences asserts; X stands for the card, other capitals for groups."""

    def add(check: Callable[..., bool]) -> Callable[..., bool]:
        named = (
            form.replace("COUNT", r"in (\d+|none|all)(?: of)? 100 deals")
            .replace("MANY", r"in (\d+|none|all)")
            .replace("<card>", r"(..)")
        )
        TRUTHS[f"^{named}$"] = check
        return check

    return add


@truth(r"Duck: (you are last, and )?Q♠ lies there; <card> stays under <card>\.")
def _(f: Facts, last: str, _card: str, high: str) -> bool:
    fears = f.rules.queen_points > 0 and QUEEN_OF_SPADES in f.table
    return f.ducks and fears and bool(last) == f.last and CARD[high] == f.high


@truth(r"Duck: <card> leaves (\d+) points? to somebody else\.")
def _(f: Facts, _card: str, points: str) -> bool:
    return f.ducks and int(points) == f.points(f.table) > 0


@truth(r"Duck: <card> stays under <card>\.")
def _(f: Facts, _card: str, high: str) -> bool:
    return f.ducks and CARD[high] == f.high and max(f.legal) > f.high


@truth(r"Duck high: <card> is the highest that stays under <card>\.")
def _(f: Facts, _card: str, high: str) -> bool:
    below = max(one for one in f.legal if one < f.high)
    return f.ducks and CARD[high] == f.high and f.card == below and len(f.legal) > 1


@truth(r"Flush the queen: <card> cannot take Q♠(?:, which must fall COUNT)?\.")
def _(f: Facts, _card: str, alone: str | None) -> bool:
    hands = [[CardSet(int(mask)) for mask in state["hands"][: f.rules.players]] for state in f.judged.worlds]
    single = sum(any(QUEEN_OF_SPADES in hand and len(hand & CardSet.suit("S")) == 1 for hand in one) for one in hands)
    safe = not f.table and f.suit == SPADES and f.card < QUEEN_OF_SPADES and f.outcome.queen_to_me == 0
    return safe and f.rules.queen_points > 0 and (alone is None or f.share(alone, single / len(hands)))


@truth(r"(Stop|Make) (\w+)'s moon(?: harder)?: (.*); the moon succeeds COUNT, after <card> MANY\.")
def _(f: Facts, verb: str, who: str, how: str, here: str, card: str, worst: str) -> bool:
    takers = [seat for seat, cards in enumerate(f.obs.taken) if f.points(list(cards))]
    risks = {card: one.moon for card, one in f.judged.outcomes.items()}
    kept = [one for one in f.hand if one != f.card and one not in f.judged.equal]
    hows = {
        "take one heart yourself": f.outcome.takes_points >= 0.5 and f.outcome.trick_points < 1.5,
        f"take {f.outcome.trick_points:.0f} points now to save {f.rules.total_points}": f.outcome.takes_points >= 0.5,
        f"keep {pretty_card(max(kept, default=0))} to take a heart later": bool(kept) and max(kept) >= CARD["J♥"],
        f"keep {card} to take a heart later": f.suit == HEARTS and CARD[card] in kept and f.card < CARD[card],
        f"keep {card}": bool(f.table) and CARD[card] in kept,
        f"win this trick with {pretty_card(f.card)}": f.follows and f.outcome.takes >= 0.5,
        f"do not lead {SUIT_NAMES[card_suit(CARD[card])]}, which {who} needs": not f.table
        and card_suit(CARD[card]) not in {f.suit, *map(card_suit, f.judged.equal)},
        f"play {pretty_card(f.card)}": True,
    }
    if f.throws and f.winner == takers[0]:
        feeds = f.points([CARD[card]]) > 0 >= f.points([f.card])
        hows[f"throw no points on {who}'s trick"] = feeds
    if f.throws and f.winner != takers[0]:
        hows[f"throw points on {NAMES[f.winner]}'s trick"] = f.points([f.card]) > 0
    counted = f.share(here, f.outcome.moon) and f.share(worst, max(risks.values())) and number(here) < number(worst)
    named = risks[CARD[card]] == max(risks.values()) and (verb == "Make") == (f.outcome.moon >= 0.5)
    return f.rules.moon != "off" and [NAMES[seat] for seat in takers] == [who] and hows[how] and counted and named


@truth(r"Shoot the moon: it succeeds COUNT(?:, after <card> (?:only MANY|(never)))?\.")
def _(f: Facts, share: str, worst: str | None, least: str | None, never: str | None) -> bool:
    other = f.outcome.own_moon if worst is None else f.judged.outcomes[CARD[worst]].own_moon
    fits = f.share(share, f.outcome.own_moon) and f.outcome.own_moon >= 0.25
    fits = fits and (least is None or (f.share(least, other) and other > 0)) and (never is None or other == 0)
    return fits and f.card in f.judged.equal


@truth(r"Get rid of Q♠: (\w+) is winning this trick\.")
def _(f: Facts, who: str) -> bool:
    return f.never_mine and NAMES[f.winner] == who and f.rules.queen_points > 0


@truth(r"Get rid of <card>: it could take Q♠, which is still out\.")
def _(f: Facts, _card: str) -> bool:
    return f.throws and f.card in (CARD["K♠"], CARD["A♠"]) and QUEEN_OF_SPADES in f.unseen and f.rules.queen_points > 0


@truth(r"Get rid of <card> now, while it cannot take Q♠\.")
def _(f: Facts, _card: str) -> bool:
    could_later = f.card in (CARD["K♠"], CARD["A♠"]) and QUEEN_OF_SPADES in f.unseen
    return could_later and (f.ducks or f.last) and f.outcome.queen_to_me == 0 and f.rules.queen_points > 0


@truth(r"Throw a heart: <card> gives (\d+) points? away\.")
def _(f: Facts, _card: str, points: str) -> bool:
    return f.throws and f.suit == HEARTS and int(points) == f.rules.card_points(f.card) > 0


@truth(r"Throw high: <card> could win a trick that you do not want\.")
def _(f: Facts, _card: str) -> bool:
    could = any(one < f.card for one in f.out(f.suit)) or not f.out(f.suit)
    return f.throws and card_rank(f.card) >= 8 and could and f.card != f.rules.bonus


@truth(r"Keep your (?:(\d+) spades|spade) below Q♠ to guard her\.")
def _(f: Facts, count: str | None) -> bool:
    low = [one for one in f.hand if card_suit(one) == SPADES and one < QUEEN_OF_SPADES]
    held = QUEEN_OF_SPADES in f.hand and f.rules.queen_points > 0
    return held and len(low) == int(count or 1) and f.suit != SPADES and bool(f.out(SPADES))


@truth(r"Make a void: <card> is your last (\w+)\.")
def _(f: Facts, _card: str, suit: str) -> bool:
    return SUIT_NAMES[f.suit] == f"{suit}s" and [one for one in f.hand if card_suit(one) == f.suit] == [f.card]


EXIT = r"<card> stays as an exit\."
PRICE = r"(no points|hardly any points|\d\.\d points on average)"


def is_price(f: Facts, price: str) -> bool:
    """Whether the trick is cheap, and its price in words."""
    mean = f.outcome.trick_points
    words = f"{mean:.1f} points on average" if mean >= 0.05 else "hardly any points" if mean else "no points"
    return price == words and mean < 0.5


def is_exit(f: Facts, card: str) -> bool:
    """Whether a lower card stays in the hand, is none of the best, not Q♠, and most of those that are out beat it."""
    higher = [one for one in f.out(f.suit) if one > CARD[card]]
    stays = CARD[card] in f.hand and CARD[card] < f.card and CARD[card] not in f.judged.equal
    fears = CARD[card] == QUEEN_OF_SPADES and f.rules.queen_points > 0
    return stays and not fears and len(higher) > len(f.out(f.suit)) / 2


@truth(r"Take it high: the trick is yours anyway, and " + EXIT)
def _(f: Facts, left: str) -> bool:
    forced = f.last and f.follows and min(f.legal) > f.high and f.card == max(f.legal)
    return forced and f.outcome.takes == 1 and is_exit(f, left)


@truth(r"Spend <card> while the trick is cheap \(" + PRICE + r"\); " + EXIT)
def _(f: Facts, _card: str, price: str, left: str) -> bool:
    return f.follows and f.card > f.high and is_price(f, price) and is_exit(f, left)


@truth(r"Lead <card> while it is cheap \(" + PRICE + r"\); " + EXIT)
def _(f: Facts, _card: str, price: str, left: str) -> bool:
    return not f.table and is_price(f, price) and is_exit(f, left)


@truth(r"Keep <card> as an exit\.")
def _(f: Facts, left: str) -> bool:
    return (f.throws or (f.ducks and f.points(f.table) > 0)) and is_exit(f, left)


@truth(r"<card> cannot win under <card>; " + EXIT)
def _(f: Facts, _card: str, high: str, left: str) -> bool:
    return f.ducks and CARD[high] == f.high and f.outcome.takes == 0 and is_exit(f, left)


@truth(r"Stay low: somebody goes over <card> COUNT\.")
def _(f: Facts, _card: str, share: str) -> bool:
    could = f.follows and f.card > f.high and not f.last and max(f.legal) > f.card
    lowest = all(one >= f.card or one in f.judged.equal for one in f.legal)
    return could and lowest and f.share(share, 1 - f.outcome.takes) and f.outcome.takes <= 0.5


@truth(r"<card> is low enough: somebody goes over it COUNT\.")
def _(f: Facts, _card: str, share: str) -> bool:
    could = f.follows and f.card > f.high and not f.last and min(f.legal) < f.card < max(f.legal)
    return could and f.share(share, 1 - f.outcome.takes) and f.outcome.takes <= 0.5


@truth(r"Lose the lead: somebody beats <card> COUNT\.")
def _(f: Facts, _card: str, share: str) -> bool:
    return not f.table and f.share(share, 1 - f.outcome.takes) and f.outcome.takes <= 0.5


@truth(r"Taking this trick is cheap: " + PRICE + r"\.")
def _(f: Facts, price: str) -> bool:
    return f.outcome.takes >= 0.5 and is_price(f, price)


@truth(r"Catch J♦: <card> takes it(?: COUNT)?\.")
def _(f: Facts, _card: str, share: str | None) -> bool:
    sure = f.outcome.takes == 1 if share is None else f.share(share, f.outcome.takes) and number(share) > 0
    return f.rules.bonus in f.table and sure


# sentences of numbers: the first card is always the better one


@truth(r"You take Q♠ COUNT (?:after <card>|if you play her now), MANY (?:after <card>|if you play her now)\.")
def _(f: Facts, here: str, card: str | None, there: str, other: str | None) -> bool:
    rival = f.judged.outcomes[CARD[other or "Q♠"]]
    fits = f.share(here, f.outcome.queen) and f.share(there, rival.queen) and number(here) < number(there)
    return fits and (card is None) == (f.card == QUEEN_OF_SPADES)


@truth(r"You end with (\d+\.\d|no|hardly any) points of hearts on average after <card>, (\d+\.\d) after <card>\.")
def _(f: Facts, here: str, _card: str, there: str, other: str) -> bool:
    mine, rival = f.outcome.hearts, f.judged.outcomes[CARD[other]].hearts
    few = "no" if mine == 0 else "hardly any" if mine < 0.05 else f"{mine:.1f}"
    return (here, there) == (few, f"{rival:.1f}") and mine < rival


@truth(r"(\w+) shoots the moon COUNT after <card>, MANY after <card>\.")
def _(f: Facts, who: str, here: str, _card: str, there: str, other: str) -> bool:
    seat, rival = NAMES.index(who), f.judged.outcomes[CARD[other]]
    fits = f.share(here, f.outcome.shooters[seat]) and f.share(there, rival.shooters[seat])
    return fits and seat != 0 and number(here) < number(there)


@truth(r"You shoot the moon COUNT with <card>, MANY with <card>\.")
def _(f: Facts, here: str, _card: str, there: str, other: str) -> bool:
    rival = f.judged.outcomes[CARD[other]]
    return f.share(here, f.outcome.own_moon) and f.share(there, rival.own_moon) and number(here) > number(there)


@truth(r"J♦ takes off (\d+\.\d) points on average after <card>, (\d+\.\d) after <card>\.")
def _(f: Facts, here: str, _card: str, there: str, other: str) -> bool:
    saved = [-f.outcome.bonus, max(0.0, -f.judged.outcomes[CARD[other]].bonus)]
    return f.rules.bonus == CARD["J♦"] and [here, there] == [f"{one:.1f}" for one in saved] and saved[0] > saved[1]


@truth(r"You end with (\d+\.\d) points of other cards on average after <card>, (\d+\.\d) after <card>\.")
def _(f: Facts, here: str, _card: str, there: str, other: str) -> bool:
    counts = [f.outcome.bonus, f.judged.outcomes[CARD[other]].bonus]
    return [here, there] == [f"{one:.1f}" for one in counts] and counts[0] < counts[1]


def check_sentence(facts: Facts, sentence: str) -> str:
    """Find the form of a sentence, and whether it is true; the form."""
    for form, check in TRUTHS.items():
        found = re.match(form, sentence)
        if found:
            told = [group for group in found.groups() if group in CARD]
            told += ["Q♠"] if "her now" in sentence else []
            free = sentence.split()[0] in ("Stop", "Make", "Shoot") or "exit" in sentence
            of_it = free or pretty_card(facts.card) in told
            assert not told or of_it, sentence
            assert check(facts, *found.groups()), (sentence, str(facts.obs), pretty_card(facts.card), facts.outcome)
            return form
    raise AssertionError(f"no form: {sentence}")


SHORT = [
    "QS 3H / AD 2C / KD 4C / 5D 6C | AD KD 5D",
    "KS 3H / AD QS / KD 4C / 5D 6C | AD KD 5D",
    "KS 2S 3H / TS QS 2C / 9S 4C 5C / 8S 6C 7C | TS 9S 8S",
    "KD 9D 2H / 3D QD 2C / 4D 4C 5C / 5D 6C 7C | 3D 4D 5D",
    "AH KH / 2C 2H / 3C 3H / 4C 4H | 2C 3C 4C",
]
"""Positions for what is rarely met: four hands, and what has been played; seat 1 leads."""


def short_deal(text: str, rules: str = "seed") -> Deal:
    """A deal with a pack that is just these hands."""
    hands, plays = text.split(" | ")
    held = [CardSet(hand) for hand in hands.split(" / ")]
    removed = CardSet(((1 << 52) - 1) & ~sum(hand.mask for hand in held))
    deal = Deal.from_hands(held, Rules.parse(rules).replace(removed=removed), leader=1)
    for card in plays.split():
        deal.play(card)
    return deal


def test_every_sentence_is_true(judge):
    """Every sentence about every legal card, under rules that differ in what counts; most forms are met."""
    met, deals = set(), [short_deal(text) for text in SHORT]
    for rules in ("standard", "spot", "seed-hearts", "seed-queen", "omnibus", "black-maria", "advice"):
        deals += decisions(rules, range(2 * SCALE))
    for deal in deals:
        judged = judge.judge(deal, 0)
        for card in deal.legal:
            facts = Facts(deal, judged, card)
            met |= {check_sentence(facts, one.sentence) for one in ideas_for(judged, card, NAMES)}
            numbers = [in_numbers(judged, card, other, NAMES) for other in deal.legal if other != card]
            met |= {check_sentence(facts, text) for text in numbers if text}
    assert len(met) >= len(TRUTHS) - 3, set(TRUTHS) - met


def test_the_last_player_is_told_what_lies_there(judge):
    """J♦ lies on the table, and Q♦ takes it."""
    deal = short_deal("QD 2D 3H / JD 4H 5C / 3D 6C 7C / 4D 8C 9C | JD 3D 4D", "seed-nomoon,bonus=JD")
    judged = judge.judge(deal, 0)
    texts = [one.sentence for one in ideas_for(judged, CARD["Q♦"], NAMES)]
    assert texts[0] == "Catch J♦: Q♦ takes it."


def test_equal_numbers_set_no_card_apart(judge):
    """A moon in 1.4 of 100 deals and one in 0.6 are both told as 1: the hearts, which differ as well, are told."""
    deal = Deal("seed", 1)
    judged = judge.judge(deal, 0)
    this, that = list(deal.legal)[:2]
    alike = replace(judged.outcomes[this], queen=0.0, bonus=0.0, moon=0.0, own_moon=0.014, hearts=1.0)
    outcomes = {this: alike, that: replace(alike, own_moon=0.006, hearts=1.3)}
    assert "hearts" in (in_numbers(replace(judged, outcomes=outcomes), this, that, NAMES) or "")
    outcomes[this], outcomes[that] = replace(alike, own_moon=0.044), replace(alike, own_moon=0.03, hearts=1.3)
    assert "hearts" in (in_numbers(replace(judged, outcomes=outcomes), this, that, NAMES) or ""), "4 and 3 of 100"
    outcomes[this], outcomes[that] = alike, replace(alike, own_moon=0.006)
    assert in_numbers(replace(judged, outcomes=outcomes), this, that, NAMES) is None
    outcomes[this], outcomes[that] = (replace(alike, moon=share, shooters=(0, share, 0, 0)) for share in (0.06, 0.08))
    assert in_numbers(replace(judged, outcomes=outcomes), this, that, NAMES) is None, "6 and 8 of 100"
    outcomes[that] = replace(alike, moon=0.1, shooters=(0, 0.1, 0, 0))
    assert "Ada shoots the moon in 6 of 100" in (
        in_numbers(replace(judged, outcomes=outcomes), this, that, NAMES) or ""
    )


def test_an_own_moon_is_no_reason_to_duck(judge):
    """A card that is best because it may shoot the moon is not praised for losing the lead as well."""
    (judged, told) = next(
        (judged, [one.code for one in ideas_for(judged, judged.best, NAMES)])
        for deal in decisions("standard", range(1, 40), last=30)
        for judged in [judge.judge(deal, 0)]
        if len(judged.equal) < len(judged.outcomes) and judged.best in judged.equal
        if ideas_for(judged, judged.best, NAMES) and judged.outcomes[judged.best].moon == 0
    )
    assert told
    assert "shoot-moon" not in told
    never = {card: replace(one, own_moon=0.0) for card, one in judged.outcomes.items()}
    words, _ = reasons_for(replace(judged, outcomes={**never}), judged.best, NAMES)
    assert not any("You shoot the moon" in one for one in words)
    few = {**never, judged.best: replace(judged.outcomes[judged.best], own_moon=0.2)}
    words, codes = reasons_for(replace(judged, outcomes=few), judged.best, NAMES)
    assert [one[:18] for one in words] == ["You shoot the moon"]
    assert codes == []


def test_any_of_some_cards_has_a_reason_that_all_of_them_share(judge):
    """ "Anything but 2♦ 5♥" is not followed by "Throw a heart", where diamonds are as good."""
    several = 0
    for deal in decisions("standard", range(12 * SCALE)):
        judged = judge.judge(deal, 0)
        if 1 < len(judged.equal) < len(judged.outcomes):
            words, codes = reasons_for(judged, judged.best, NAMES)
            several += bool(codes)
            under = re.match(r".. cannot win under (..);", words[0])
            assert not under or max(judged.equal) < CARD[under[1]], (words, judged.equal)
            for card in judged.equal:
                theirs = [code for one in ideas_for(judged, card, NAMES) for code in (one.code, one.kind)]
                assert set(codes) <= set(theirs), (str(judged.obs), pretty_card(card), codes)
    assert several > 10


def test_once_a_moon_is_shot_nothing_more_is_foretold(judge):
    """ "Ada shoots the moon in all 100 deals" is no news where she has all the points."""
    hands = "2H 2C 3D 4D / AH QS KC AC / 3H 8C 5D 7D / 4H 9C 6D 8D"
    deal = short_deal(f"{hands} | AH 3H 4H 2H QS 8C 9C 2C KC 5D 6D")
    judged = judge.judge(deal, 0)
    assert reasons_for(judged, judged.best, NAMES)[0] == ["Ada has shot the moon: nothing more can happen."]


def with_one_best(judge: Judge) -> Judgement:
    """A decision with one best card."""
    deal = next(deal for deal in decisions("standard", range(1, 40)) if len(judge.judge(deal, 0).equal) == 1)
    return judge.judge(deal, 0)


def test_where_nothing_sets_cards_apart_their_points_are_told(judge, monkeypatch):
    """ "9♣ costs 0.4 points less than A♣" says only that it costs less; the points stand in the table as well."""
    judged = with_one_best(judge)
    monkeypatch.setattr("heartlab.coach.reasons.ideas_for", lambda *asked: [])
    monkeypatch.setattr("heartlab.coach.reasons.in_numbers", lambda *asked: None)
    means = {card: replace(one, points=5.04) for card, one in judged.outcomes.items()}
    for mine, words in (
        (4.6, "You end with 4.6 points on average after {this}, 5.0 after {that}."),
        (-1.0, "{this} costs 6.0 points less than {that}."),  # a moon of one's own counts below nothing
    ):
        means[judged.best] = replace(means[judged.best], points=mine)
        (told,), _ = reasons_for(replace(judged, outcomes=means), judged.best, NAMES)
        this, that = pretty_card(judged.best), pretty_card(rival_of(judged) or 0)
        assert told == words.format(this=this, that=that)


def test_no_hearts_are_told_as_none(judge):
    """Not as "0.0 points of hearts"."""
    judged = with_one_best(judge)
    this, that = judged.best, judged.analysis.cards[1].card
    one = replace(judged.outcomes[this], queen=0.0, bonus=0.0, moon=0.0, own_moon=0.0)
    for few, words in ((0.0, "no points"), (0.04, "hardly any points"), (0.06, "0.1 points")):
        outcomes = {this: replace(one, hearts=few), that: replace(one, hearts=1.2)}
        said = in_numbers(replace(judged, outcomes=outcomes), this, that, NAMES)
        assert said == (
            f"You end with {words} of hearts on average after {pretty_card(this)}, 1.2 after {pretty_card(that)}."
        )


def test_about_is_said_only_of_what_is_not_certain(judge):
    """ "You end with about 21.0 points" where every deal ends so; and "about 0.0" where hardly any more can come."""
    judged = next(
        judged
        for deal in decisions("standard", range(1, 40))
        for judged in [judge.judge(deal, 0)]
        if len(judged.equal) == len(judged.outcomes) > 1 and judged.obs.points[0] == 0
    )

    def told(mean: float, se: float, spread: tuple[float, float]) -> str:
        cards = tuple(replace(one, se=se, spread=spread) for one in judged.analysis.cards)
        every = {
            card: replace(one, points=mean, shooters=(0.0,) * 4, moon=0.0, own_moon=0.0)
            for card, one in judged.outcomes.items()
        }
        found = replace(judged, outcomes=every, analysis=replace(judged.analysis, cards=cards))
        return reasons_for(found, judged.best, NAMES)[0][0]

    assert told(21.0, 0.0, (21.0, 21.0)) == "You end with 21 points whichever you play."
    assert told(21.0, 0.4, (20.0, 22.0)) == "You end with about 21.0 points whichever you play."
    assert told(1.0, 0.0, (1.0, 1.0)) == "You end with 1 point whichever you play."
    assert told(0.1, 0.1, (0.0, 1.0)) == "You take hardly any more points with any of them."


def test_the_queen_is_no_exit(judge):
    """Nor is a card that most cards out lie below; a trick that costs nothing is not "0.0 points on average"."""
    deal = short_deal("QS AS 3H / 2S KS 2C / 3S 3C 5H / 4S 4C 6H | 2S 3S 4S")
    judged = judge.judge(deal, 0)
    assert "exit" not in " ".join(one.sentence for one in ideas_for(judged, CARD["A♠"], NAMES))
    deal = short_deal("TC KC 3H / 2C AC 5H / 3C 6C 7C / 4C 8C 9C | 2C 3C 4C")
    judged = judge.judge(deal, 0)
    assert "exit" not in " ".join(one.sentence for one in ideas_for(judged, CARD["K♣"], NAMES))
    assert [price_of_trick(mean) for mean in (0, 0.04, 0.25)] == [
        "no points", "hardly any points", "0.2 points on average"
    ]  # fmt: skip


def test_who_may_shoot_hears_no_numbers_for_those_who_duck(judge):
    """ "Shoot the moon", and beside it fewer hearts: the second speaks against the first."""
    deal = next(deal for deal in decisions("standard", range(1, 40)) if len(judge.judge(deal, 0).equal) == 1)
    judged = judge.judge(deal, 0)
    plan = {card: replace(one, own_moon=0.3, hearts=3.0, moon=0.0, queen=0.0) for card, one in judged.outcomes.items()}
    plan[judged.best] = replace(plan[judged.best], hearts=1.0)
    words, codes = reasons_for(replace(judged, outcomes=plan), judged.best, NAMES)
    assert (words, codes) == (["Shoot the moon: it succeeds in 30 of 100 deals."], ["shoot-moon"])
    plan = {card: replace(one, own_moon=0.5) for card, one in plan.items()}
    plan[judged.best] = replace(plan[judged.best], own_moon=0.3)
    assert "shoot-moon" not in reasons_for(replace(judged, outcomes=plan), judged.best, NAMES)[1], "others shoot more"


def test_where_all_cards_are_alike_a_moon_is_told_first(judge):
    """ "You end with about 19.5 points" is no number that anybody can check where Ada's moon makes it."""
    judged = next(
        judged
        for deal in decisions("standard", range(1, 40))
        for judged in [judge.judge(deal, 0)]
        if len(judged.equal) == len(judged.outcomes) > 1
    )

    def told(*shares: float, spread: float = 0.0) -> str:
        one = judged.outcomes[judged.best]
        alike = replace(one, shooters=shares, own_moon=shares[0], moon=sum(shares[1:]), points=12.3)
        other = replace(alike, shooters=(shares[0] + spread, *shares[1:]))
        every = dict.fromkeys(judged.outcomes, other) | {judged.best: alike}
        (text,), _ = reasons_for(replace(judged, outcomes=every), judged.best, NAMES)
        return text

    assert told(0.0, 0.75, 0.0, 0.0) == "Ada shoots the moon in 75 of 100 deals whichever you play."
    assert told(0.14, 0.0, 0.05, 0.0) == "You shoot the moon in 14 of 100 deals whichever you play."
    assert told(0.14, 0.0, 0.0, 0.0, spread=0.05) == "You end with about 12.3 points whichever you play."
    assert told(0.05, 0.05, 0.0, 0.0) == "You end with about 12.3 points whichever you play."


def test_who_stops_a_moon_is_not_told_to_leave_points_to_the_shooter(judge, monkeypatch):
    deal = next(deal for deal in decisions("standard", range(1, 40)) if len(judge.judge(deal, 0).equal) == 1)
    judged = judge.judge(deal, 0)
    stop, duck, void = (
        Idea(code, weight, Said(text))
        for code, weight, text in [
            ("stop-moon", 9.0, "Stop Ada's moon."),
            ("duck", 3.0, "Duck."),
            ("void", 2.0, "Void."),
        ]
    )
    for found, codes in ([stop, duck, void], ["stop-moon", "void"]), ([duck, void], ["duck", "void"]):
        monkeypatch.setattr("heartlab.coach.reasons.ideas_for", lambda *asked, found=found: found)
        monkeypatch.setattr("heartlab.coach.reasons.in_numbers", lambda *asked: None)
        assert reasons_for(judged, judged.best, NAMES)[1] == codes


def test_learned_words_are_silent_under_other_points():
    """Models learned with 13 hearts of one point and Q♠ of 13 have nothing to say where cards count otherwise."""
    for learned in learned_under():
        fits = {name for name, rules in PRESETS.items() if same_cards(rules, learned)}
        assert fits == {"standard", "seed", "seed-nomoon", "openspiel", "gnome", "falcon"}
    deal = next(decisions("spot", range(1)))
    assert Words().learned(deal, min(deal.legal)) == []
    assert all(f"under {rules} rules" in sources() for rules in learned_under())


PASS_TRUTHS: dict[str, Callable[[Observation, CardSet, list[int], list[str]], bool]] = {
    r"Q♠ has (?:only (\d) low spades?|no low spade) to guard her: pass her on\.": lambda obs, kept, said, found: (
        QUEEN_OF_SPADES not in kept and int((*found, 0)[0]) == low_spades(kept) <= 2 and obs.rules.queen_points > 0
    ),
    r"Keep low spades: Q♠ is safe with (\d) of them\.": lambda obs, kept, said, found: (
        QUEEN_OF_SPADES in kept and int(found[0]) == low_spades(kept) >= 3
    ),
    r"Keep low spades: you have (\d) beside .*\.": lambda obs, kept, said, found: (
        int(found[0]) == low_spades(kept) >= 3 and set(said) <= {CARD["K♠"], CARD["A♠"]} & set(kept)
    ),
    r"Keep low spades: you have (\d) below Q♠\.": lambda obs, kept, said, found: int(found[0]) == low_spades(kept) >= 3,
    r".* could take Q♠, and you have (?:only (\d)|no) low spades? to duck with\.": lambda _, kept, said, found: (
        int((*found, 0)[0]) == low_spades(kept) < 3
        and set(said[:-1]) <= {CARD["K♠"], CARD["A♠"]}
        and highest(said[:-1], kept)
    ),
    r"Get rid of .*, which could take Q♠\.": lambda obs, kept, said, found: (
        low_spades(kept) >= 3 and set(said[:-1]) <= {CARD["K♠"], CARD["A♠"]} and highest(said[:-1], kept)
    ),
    r"Void in (\w+)(?: and (\w+))?: there you can throw what hurts\.": lambda obs, kept, said, found: all(
        SUIT_NAMES[card_suit(one)] not in found for one in kept
    ),
    r"Nearly void in (\w+): only .. stays\.": lambda obs, kept, said, found: (
        [one for one in kept if SUIT_NAMES[card_suit(one)] == found[0]] == said
    ),
    r"Hold back (..): it stops a moon, and (..) ducks\.": lambda obs, kept, said, found: (
        set(said) <= set(kept) and said[0] > CARD["J♥"] > CARD["8♥"] > said[1] and obs.rules.moon != "off"
    ),
    r".* makes? a moon harder for whoever gets (?:it|them): .* seldom wins? a trick\.": lambda obs, kept, said, found: (
        all(CARD["2♥"] <= one < CARD["8♥"] for one in said) and not set(said) & set(kept)
    ),
    r".* would take hearts: let somebody else have (?:it|them)\.": lambda obs, kept, said, found: (
        all(one >= CARD["8♥"] for one in said) and highest(said, kept) and obs.rules.heart_points != "none"
    ),
    r".* would win tricks that you do not want\.": lambda obs, kept, said, found: (
        all(card_rank(one) >= 9 and one < CARD["2♠"] for one in said) and highest(said, kept)
    ),
}


def highest(passed: list[int], kept: CardSet) -> bool:
    """Whether no card above these is kept in their suits: nobody passes J♣, which would win tricks, and keeps Q♣."""
    return all(card_suit(one) != card_suit(card) or one < card for card in passed for one in kept)


def low_spades(cards: CardSet) -> int:
    """The spades below Q♠."""
    return sum(card_suit(one) == SPADES and one < QUEEN_OF_SPADES for one in cards)


def report(cards: str, queen: float = 0.1, own_moon: float = 0.0) -> PassReport:
    """What a pass leads to, as far as its reasons ask."""
    outcome = Outcome(4.0, queen, 2.0, 0.0, 0.0, (own_moon, 0, 0, 0), 0.0, own_moon, 0, 0, 0, 0, 0)
    return PassReport(CardSet(cards), outcome, 0.3, 0.0, 0.0)


def test_a_pass_for_a_moon_of_ones_own_says_so():
    """Nobody who keeps high hearts to shoot is told that they stop a moon; below that chance the other ideas speak."""
    hand = CardSet("5C 7C 9C QC AC AD QS 2H 6H 7H 8H 9H AH")
    rest = [card for card in range(52) if card not in hand]
    obs = Deal.from_hands([hand, *(CardSet(rest[i::3]) for i in range(3))], pass_direction="left").observe(0)
    other = report("7C AD QS", 0.4, 0.22)
    words, codes = pass_reasons(obs, [report("5C 7C 9C", 0.9, 0.4), other])
    assert words == ["Play for the moon: you shoot it in 40 of 100 deals, in 22 if you pass 7♣ A♦ Q♠."]
    assert codes == ["shoot-moon"]
    assert pass_reasons(obs, [report("5C 7C 9C", 0.9, 0.39), other])[0] == [
        "You shoot the moon in 39 of 100 deals with these, in 22 if you pass 7♣ A♦ Q♠."
    ]
    assert pass_reasons(obs, [report("5C 7C 9C", 0.9, 0.22), other])[0] == [
        "Play for the moon: you shoot it in 22 of 100 deals."
    ]
    assert "shoot-moon" not in pass_reasons(obs, [report("5C 7C 9C", 0.9, 0.19), other])[1]


def test_a_pass_of_the_queen_says_what_that_saves():
    """Also if she has guards enough."""
    hand = CardSet("2C 3C JC 2D 8D 9D JD 6S 9S TS QS 4H KH")
    rest = [card for card in range(52) if card not in hand]
    obs = Deal.from_hands([hand, *(CardSet(rest[i::3]) for i in range(3))], pass_direction="left").observe(0)
    words, codes = pass_reasons(obs, [report("2C QS KH", 0.03), report("2C JC KH", 0.2)])
    assert words == [
        "K♥ would take hearts: let somebody else have it.",
        "You take Q♠ in 3 of 100 deals if you pass her, in 20 if you keep her.",
    ]
    assert codes == ["high-hearts"]
    assert len(pass_reasons(obs, [report("2C QS KH", 0.03), report("2C JC KH", 0.05)])[0]) == 1, "3 and 5 of 100"


def test_words_about_passes_are_true():
    rng = np.random.default_rng(2)
    met = set()
    for seed in range(300 * SCALE):
        obs = Deal(("standard", "seed-hearts,passing=left", "spot")[seed % 3], seed, 0).observe(0)
        ranked = sorted(obs.may_pass, key=lambda card: card_rank(card) + 3 * rng.random())
        cards = CardSet(ranked[-3:] if seed % 5 else [int(one) for one in rng.choice(ranked, 3, replace=False)])
        for one in pass_ideas(obs, cards):
            form, check = next((form, check) for form, check in PASS_TRUTHS.items() if re.fullmatch(form, one.sentence))
            met.add(form)
            said = [CARD[text] for text in re.findall(r"[2-9TJQKA][♣♦♠♥]", one.sentence)]
            found = [group for group in re.fullmatch(form, one.sentence).groups() if group]
            assert check(obs, obs.hand - cards, said, found), (one.sentence, str(obs.hand), str(cards))
    assert len(met) >= len(PASS_TRUTHS) - 1, set(PASS_TRUTHS) - met


# --- counting ---


def test_queen_shares_are_counted_exactly():
    """Against all deals that fit, found by drawing until none is new; nobody is named where two are equally likely."""
    found = 0
    for rules in ("standard", "advice"):
        for deal in decisions(rules, range(40)):
            obs = deal.observe(0)
            every = obs.count_worlds()
            if QUEEN_OF_SPADES not in obs.unseen or every > 60 or found >= 6 * SCALE * (1 + (rules == "advice")):
                continue
            found += 1
            worlds = {tuple(hand.mask for hand in one.hands): one for one in obs.worlds(int(20 * every), 1)}
            assert len(worlds) == every
            n = deal.rules.players
            held = [sum(QUEEN_OF_SPADES in one.hands[seat] for one in worlds.values()) / every for seat in range(n)]
            assert queen_shares(obs) == pytest.approx(held)
    assert found
    assert (
        queen_words([0.0, 1 / 3, 1 / 3, 1 / 3], NAMES)
        == "Q♠ is out; as likely with Ada, Emil as with Ines (33 % each)."
    )
    assert queen_words([0.0, 0.5, 0.25, 0.25], NAMES) == "Q♠ is out; most likely with Ada (50 %)."
    assert queen_words([0.0, 0.0, 1.0, 0.0], NAMES) == "Q♠ is with Emil."
    assert queen_words([0.0, 0.0, 0.0], NAMES) == "Q♠ lies in the kitty."
