"""What the coach says is true: outcomes, counts and sentences against plain Python, in positions at random."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("msgspec", reason="needs the extra web")

from heartlab.cards import HEARTS, QUEEN_OF_SPADES, SPADES, SUIT_NAMES, CardSet, card_rank, card_suit, pretty_card
from heartlab.coach.counting import moon_words, queen_shares, queen_words
from heartlab.coach.ideas import ideas_for, passing_words
from heartlab.coach.judgement import PLAY_ON, Judge, Judgement, stand_ins
from heartlab.coach.words import Words, learned_under, same_cards, sources
from heartlab.compiled.rng import seed_key, substream
from heartlab.deal import Deal
from heartlab.observation import Observation
from heartlab.rules import PRESETS, Rules
from heartlab.web.bots import Bots

SCALE = int(os.environ.get("HEARTLAB_SCALE", "1"))
NAMES = ["You", "Ada", "Emil", "Ines"]
LIGHT_COACH = "uct:worlds=12,sims=10,endgame=2,pick=value"


@pytest.fixture(scope="module")
def judge():
    return Judge(LIGHT_COACH)


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


def played_out(judged: Judgement, deal: Deal, number: int, row: int, card: int, seats: list[str], bots: Bots) -> Deal:
    """A world after a card, finished one card at a time, with the dice that the judge throws in that row."""
    world = Deal._from_state(deal.rules, judged.worlds[number : number + 1].copy(), deal.history)
    key = substream(np.uint64(seed_key(0, "analyse")), judged.analysis.place)
    world._player_keys[:] = substream(np.uint64(key), 5000 + row)
    world.play(card)
    while world.to_move is not None:
        world.play(bots.play(seats[world.to_move], world.observe(world.to_move)))
    return world


def test_outcomes_are_those_of_a_plain_replay(judge):
    """In all four places of a trick; above all in the last, where the trick is over with the card itself."""
    bots, wanted = Bots(), dict.fromkeys(range(4), 2 * SCALE)
    seats = stand_ins(["gnome", "uct:worlds=20,sims=200", "gnome"])
    assert seats == [PLAY_ON, "gnome", PLAY_ON, "gnome"]
    for deal in decisions("standard", range(40 * SCALE)):
        obs = deal.observe(0)
        place = len(obs.trick)
        takes = [card for card in obs.legal if obs.winning and card_suit(card) == obs.led and card > obs.winning[1]]
        on_table = sum(deal.rules.card_points(card) for _, card in obs.trick)
        if not wanted[place] or (place == 3 and not (takes and on_table)):
            continue
        wanted[place] -= 1
        judged = judge.judge(deal, 0, None, seats)
        count, legal = len(judged.worlds), sorted(obs.legal)
        for index, card in enumerate(legal):
            seen = np.zeros(7)
            for number in range(count):
                world = played_out(judged, deal, number, index * count + number, card, seats, bots)
                trick = world.tricks[obs.trick_number]
                cards, mine = [one for _, one in trick], plain_winner(trick) == 0
                queen, moon = QUEEN_OF_SPADES in cards, world.shooter
                points = sum(deal.rules.card_points(one) for one in cards)
                seen += [
                    mine, points, mine and points > 0, queen and mine, queen and not mine,
                    moon not in (None, 0), moon == 0,
                ]  # fmt: skip
            found = judged.outcomes[card]
            told = [
                found.takes, found.trick_points, found.takes_points, found.queen_to_me, found.queen_to_other,
                found.moon, found.own_moon,
            ]  # fmt: skip
            assert told == pytest.approx(seen / count)
            if place == 3:
                assert found.takes == (card in takes)
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
        """Whether a number of worlds is a share of them."""
        return int(text) == round(share * len(self.judged.worlds))


def truth(form: str) -> Callable[[Callable[..., bool]], Callable[..., bool]]:
    """Add what a form of sentences asserts; X stands for the card, other capitals for groups."""

    def add(check: Callable[..., bool]) -> Callable[..., bool]:
        named = form.replace("COUNT", r"in (\d+) of \d+ deals that fit what you have seen").replace("<card>", r"(..)")
        TRUTHS[f"^{named}$"] = check
        return check

    return add


@truth(r"Duck: (you are last, and )?Q♠ lies on the table; <card> stays under <card>\.")
def _(f: Facts, last: str, _card: str, high: str) -> bool:
    fears = f.rules.queen_points > 0 and QUEEN_OF_SPADES in f.table
    return f.ducks and fears and bool(last) == f.last and CARD[high] == f.high


@truth(r"Duck: <card> leaves the (\d+) points? on the table to another\.")
def _(f: Facts, _card: str, points: str) -> bool:
    return f.ducks and int(points) == f.points(f.table) > 0


@truth(r"Duck: <card> stays under <card>\.")
def _(f: Facts, _card: str, high: str) -> bool:
    return f.ducks and CARD[high] == f.high and max(f.legal) > f.high


@truth(r"Duck with <card>, the highest that stays under: lower cards are worth more later\.")
def _(f: Facts, _card: str) -> bool:
    return f.ducks and f.card == max(one for one in f.legal if one < f.high) and len(f.legal) > 1


@truth(
    r"Flush the queen: a spade below Q♠ never takes it and pulls the holder's spades"
    r"(?:: COUNT the holder of Q♠ has no other spade and must drop it)?\."
)
def _(f: Facts, alone: str | None) -> bool:
    hands = [[CardSet(int(mask)) for mask in state["hands"][: f.rules.players]] for state in f.judged.worlds]
    single = sum(any(QUEEN_OF_SPADES in hand and len(hand & CardSet.suit("S")) == 1 for hand in one) for one in hands)
    safe = not f.table and f.suit == SPADES and f.card < QUEEN_OF_SPADES and f.outcome.queen_to_me == 0
    return safe and f.rules.queen_points > 0 and (alone is None or int(alone) == single)


@truth(
    r"Stop the moon: (\w+) has all the points so far; (.*); "
    r"after this card the moon succeeds COUNT, after the worst in (\d+)\."
)
def _(f: Facts, who: str, how: str, here: str, worst: str) -> bool:
    takers = [seat for seat, cards in enumerate(f.obs.taken) if f.points(list(cards))]
    risks = [one.moon for one in f.judged.outcomes.values()]
    hows = {
        "take points yourself": f.outcome.takes_points >= 0.5,
        "keep a high heart for later": f.suit != HEARTS and max(f.hand) >= CARD["J♥"],
        "this card leaves it the least chance": f.outcome.moon == min(risks),
        "this card leaves it less chance than another": f.outcome.moon < max(risks),
    }
    if f.throws and f.winner != takers[0]:
        hows[f"throw points on {NAMES[f.winner]}'s trick"] = f.points([f.card]) > 0
    saves = int(worst) - int(here) >= 0.03 * len(f.judged.worlds)
    counted = f.share(here, f.outcome.moon) and f.share(worst, max(risks))
    return f.rules.moon != "off" and [NAMES[seat] for seat in takers] == [who] and hows[how] and saves and counted


@truth(r"Shoot the moon: it succeeds COUNT, if you play on like gnome:peter\.")
def _(f: Facts, share: str) -> bool:
    return f.share(share, f.outcome.own_moon) and f.outcome.own_moon >= 0.25


@truth(r"Get rid of Q♠: (\w+) is winning this trick, and you do not take the (\d+) points\.")
def _(f: Facts, who: str, points: str) -> bool:
    return f.never_mine and NAMES[f.winner] == who and int(points) == f.rules.queen_points > 0


@truth(r"Get rid of <card>: it could take Q♠, which is still out\.")
def _(f: Facts, _card: str) -> bool:
    return f.throws and f.card in (CARD["K♠"], CARD["A♠"]) and QUEEN_OF_SPADES in f.unseen and f.rules.queen_points > 0


@truth(r"Get rid of <card> now, while it cannot take Q♠\.")
def _(f: Facts, _card: str) -> bool:
    could_later = f.card in (CARD["K♠"], CARD["A♠"]) and QUEEN_OF_SPADES in f.unseen
    return could_later and (f.ducks or f.last) and f.outcome.queen_to_me == 0 and f.rules.queen_points > 0


@truth(r"Throw a heart: <card> gives (\d+) points? away and can take none later\.")
def _(f: Facts, _card: str, points: str) -> bool:
    return f.throws and f.suit == HEARTS and int(points) == f.rules.card_points(f.card) > 0


@truth(r"Throw a high card: <card> can no longer win a trick that you do not want\.")
def _(f: Facts, _card: str) -> bool:
    could = any(one < f.card for one in f.out(f.suit)) or not f.out(f.suit)
    return f.throws and card_rank(f.card) >= 8 and could and f.card != f.rules.bonus


@truth(r"Keep the (\d+) spades? below Q♠: then another card than Q♠ can fall while others lead the suit\.")
def _(f: Facts, count: str) -> bool:
    low = [one for one in f.hand if card_suit(one) == SPADES and one < QUEEN_OF_SPADES]
    held = QUEEN_OF_SPADES in f.hand and f.rules.queen_points > 0
    return held and len(low) == int(count) and f.suit != SPADES and bool(f.out(SPADES))


@truth(r"Make a void: <card> is your last (\w+); then you can throw\.")
def _(f: Facts, _card: str, suit: str) -> bool:
    return SUIT_NAMES[f.suit] == f"{suit}s" and [one for one in f.hand if card_suit(one) == f.suit] == [f.card]


EXIT = r"<card> stays as an exit, to give up the lead when you must\."


def is_exit(f: Facts, card: str) -> bool:
    """Whether a lower card of the suit stays in the hand, and another seat may have one above it."""
    return CARD[card] in f.hand and CARD[card] < f.card and any(one > CARD[card] for one in f.out(f.suit))


@truth(r"Keep an exit: you take the trick anyway, so take it high; " + EXIT)
def _(f: Facts, left: str) -> bool:
    forced = f.last and f.follows and min(f.legal) > f.high and f.card == max(f.legal)
    return forced and f.outcome.takes == 1 and is_exit(f, left)


@truth(r"Keep an exit: this trick is harmless, so spend <card>; " + EXIT)
def _(f: Facts, _card: str, left: str) -> bool:
    return f.follows and f.card > f.high and f.outcome.trick_points == 0 and is_exit(f, left)


@truth(r"Keep an exit: this trick holds only (\d\.\d) points on average, so spend <card>; " + EXIT)
def _(f: Facts, mean: str, _card: str, left: str) -> bool:
    return f.follows and f.card > f.high and f"{f.outcome.trick_points:.1f}" == mean < "0.6" and is_exit(f, left)


@truth(r"Keep an exit: lead <card> while it is cheap \((\d\.\d) points on average\); " + EXIT)
def _(f: Facts, _card: str, mean: str, left: str) -> bool:
    return not f.table and f"{f.outcome.trick_points:.1f}" == mean < "0.6" and is_exit(f, left)


@truth(r"Keep an exit: throw <card>; " + EXIT)
def _(f: Facts, _card: str, left: str) -> bool:
    return f.throws and is_exit(f, left)


@truth(r"Exit with <card>: another seat takes the trick COUNT\.")
def _(f: Facts, _card: str, share: str) -> bool:
    return not f.table and f.share(share, 1 - f.outcome.takes) and f.outcome.takes <= 0.5


@truth(r"Taking this trick is cheap: it holds (\d\.\d) points on average\.")
def _(f: Facts, mean: str) -> bool:
    return f.outcome.takes >= 0.5 and f"{f.outcome.trick_points:.1f}" == mean < "0.6"


@truth(r"Catch J♦: it lies on the table, and <card> takes it(?: COUNT)?\.")
def _(f: Facts, _card: str, share: str | None) -> bool:
    sure = f.outcome.takes == 1 if share is None else f.share(share, f.outcome.takes) and int(share) > 0
    return f.rules.bonus in f.table and sure


@truth(r"It costs the least over the deals that fit\.")
def _(f: Facts) -> bool:
    return all(f.expected <= one.expected for one in f.judged.analysis.cards)


def check_sentence(facts: Facts, sentence: str) -> str:
    """Find the form of a sentence, and whether it is true; the form."""
    for form, check in TRUTHS.items():
        found = re.match(form, sentence)
        if found:
            told = [group for group in found.groups() if group in CARD]
            assert not told or pretty_card(facts.card) in told or "exit" in sentence, sentence
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
    assert len(met) >= len(TRUTHS) - 1, set(TRUTHS) - met


def test_the_last_player_is_told_what_lies_there(judge):
    """J♦ lies on the table, and Q♦ takes it."""
    deal = short_deal("QD 2D 3H / JD 4H 5C / 3D 6C 7C / 4D 8C 9C | JD 3D 4D", "seed-nomoon,bonus=JD")
    judged = judge.judge(deal, 0)
    texts = [one.sentence for one in ideas_for(judged, CARD["Q♦"], NAMES)]
    assert texts[0] == "Catch J♦: it lies on the table, and Q♦ takes it."


def test_learned_words_are_silent_under_other_points():
    """Models learned with 13 hearts of one point and Q♠ of 13 have nothing to say where cards count otherwise."""
    for learned in learned_under():
        fits = {name for name, rules in PRESETS.items() if same_cards(rules, learned)}
        assert fits == {"standard", "seed", "seed-nomoon", "openspiel", "gnome", "falcon"}
    deal = next(decisions("spot", range(1)))
    assert Words().learned(deal, min(deal.legal)) == []
    assert all(f"under {rules} rules" in sources() for rules in learned_under())


def check_passing(obs: Observation, cards: CardSet, sentence: str) -> bool:
    """Whether a sentence about a pass is true."""
    kept = obs.hand - cards
    low = [one for one in kept if card_suit(one) == SPADES and one < QUEEN_OF_SPADES]
    fears = obs.rules.queen_points > 0
    said = [CARD[text] for text in re.findall(r"[2-9TJQKA][♣♦♠♥]", sentence)]
    if void := re.match(r"It makes you void in (\w+), unless you get some", sentence):
        return all(card_suit(one) != SUIT_NAMES.index(void[1]) for one in kept)
    if guard := re.match(r"Q♠ would have (\d) low spades? to guard it, and that is not enough", sentence):
        return fears and QUEEN_OF_SPADES in cards and len(low) == int(guard[1]) <= 2
    if guard := re.match(r"Q♠ stays with (\d) low spades to guard it", sentence):
        return fears and QUEEN_OF_SPADES in kept and len(low) == int(guard[1]) >= 3
    if "could take Q♠" in sentence:
        return fears and QUEEN_OF_SPADES not in kept and set(said[:-1]) <= {CARD["K♠"], CARD["A♠"]} & set(cards)
    if "can take no hearts" in sentence:
        return obs.rules.heart_points != "none" and set(said) <= set(cards) and {card_suit(one) for one in said} == {3}
    if sentence.startswith("High cards go"):
        return np.mean([card_rank(one) for one in cards]) > np.mean([card_rank(one) for one in kept])
    return sentence == "Nothing speaks for it but the numbers."


def test_words_about_passes_are_true():
    rng = np.random.default_rng(2)
    starts = set()
    for seed in range(300 * SCALE):
        obs = Deal(("standard", "seed-hearts,passing=left", "spot")[seed % 3], seed, 0).observe(0)
        ranked = sorted(obs.may_pass, key=lambda card: card_rank(card) + 3 * rng.random())
        cards = CardSet(ranked[-3:] if seed % 5 else [int(one) for one in rng.choice(ranked, 3, replace=False)])
        for sentence in passing_words(obs, cards):
            starts.add(re.sub(r"[2-9TJQKA][♣♦♠♥]", "", sentence)[:24])
            assert check_passing(obs, cards, sentence), (sentence, str(obs.hand), str(cards))
    assert len(starts) >= 6, starts


# --- counting ---


def test_the_moon_alarm_agrees_with_its_number():
    """However many points one seat has: what hardly ever succeeds is no alarm."""
    rings = 0
    for deal in decisions("standard", range(30)):
        obs = deal.observe(0)
        points = [sum(deal.rules.card_points(card) for card in cards) for cards in obs.taken]
        if sum(map(bool, points)) != 1 or max(points) < 13:
            continue
        holder = points.index(max(points))
        for risk in (0.0, 0.04, 0.5):
            shares = [risk if seat == holder else 0.0 for seat in range(4)]
            seat, told, text = moon_words(obs, shares, NAMES)
            assert (seat == holder, "alarm" in text, told) == (risk == 0.5, risk == 0.5, risk)
            assert f"{100 * risk:.0f} %" in text
            rings += risk == 0.5
    assert rings


def test_a_bonus_does_not_hide_points():
    """Who took J♦ and a heart has points, though they sum up below zero."""
    deal = short_deal("AD 2C / JD 3C / 2H 4C / 3D 5C | JD 2H 3D AD", "seed,bonus=JD")
    seat, _, text = moon_words(deal.observe(0), [0.9, 0, 0, 0], NAMES)
    assert seat == 0
    assert text.startswith("Moon alarm: You have all the points so far (1); it succeeds in 90 %")


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


def test_the_moon_risk_depends_on_who_sits_there(judge):
    """Three players that shoot the moon when they can, and three that never try."""
    bots, risks = Bots(), []
    for seed in range(6 * SCALE):
        deal = Deal("standard", seed, 3)
        while len(deal.history) < 16 or deal.to_move != 0:
            deal.play(bots.play("gnome", deal.observe(deal.to_move)))
        tables = (stand_ins([name] * 3) for name in ("gnome", "gnome:peter"))
        risks.append([sum(judge.moon_risk(deal.observe(0), 60, seats)[1:]) for seats in tables])
    plain, sly = np.mean(risks, axis=0)
    assert sly > 2 * plain
