"""The coach: its numbers are those of `heartlab analyse`, it is right where the truth is known, it names the idea."""

from __future__ import annotations

import os

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.ideas import hands_to_pass, moon_positions, positions
from support.web_client import serving

from heartlab.cards import CardSet, card_name, parse_cards, pretty_card
from heartlab.coach.coach import Coach, Seats
from heartlab.coach.counting import count_cards
from heartlab.coach.ideas import ideas_for, moon_threatens
from heartlab.coach.judgement import Judge
from heartlab.coach.level import compare, estimate_level, interval
from heartlab.coach.passing import pass_reasons
from heartlab.coach.playing_on import PlayingOn
from heartlab.coach.puzzles import DAYS, grade, make_puzzle
from heartlab.coach.reasons import reasons_for
from heartlab.coach.scene import MOON_ALARM
from heartlab.coach.story import summary
from heartlab.coach.values import Decision, PassReview, clear_cost, is_mistake
from heartlab.coach.words import _feature, knows_moon, sources, speaking_for
from heartlab.deal import Deal
from heartlab.learners.td_features.explain import Reason
from heartlab.players import make_player
from heartlab.players.analysis import analyse
from heartlab.rules import Rules
from heartlab.web.bots import Bots
from heartlab.web.coaching import FIRST, counts_for_level
from heartlab.web.session import Session
from heartlab.web.store import Settings, Store

pytestmark = pytest.mark.slow  # the kernels of the coach take long to compile

SCALE = int(os.environ.get("HEARTLAB_SCALE", "1"))
NAMES = ["You", "Ada", "Emil", "Ines"]


@pytest.fixture(scope="module")
def served():
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def judge():
    return Judge()


def test_a_review_counts_what_the_hint_said(served):
    """One truth: a hint, the check after it and the review give the same numbers."""
    with served.client() as client:
        client.create(served.key, seed=5)
        client.act(), client.act(), client.act()
        hint = client.ask("hint", "coaching")
        worst = hint["cards"][-1]
        client.act(lambda view: worst["card"])
        checked = client.ask("check", "checked")
        client.finish_deal()
        told = client.ask("review", "reviewed", number=0)
    assert checked["cost"] == pytest.approx(worst["cost"], abs=0.01)
    mine = [one for one in told["decisions"] if one["at"] == hint["at"]]
    assert [one["best"] for one in mine] == [hint["cards"][0]["card"]]
    assert mine[0]["cost"] == pytest.approx(max(0, worst["cost"]), abs=2e-3)
    assert len(told["course"]) == 13
    counted = [one["cost"] for one in told["decisions"] if one["se"] is None or one["cost"] > 2 * one["se"]]
    assert told["total"] == pytest.approx(sum(counted), abs=0.02)
    assert all(one["cost"] in counted for one in told["worst"])
    assert len([part for part in told["text"].split(". ") if part]) <= 3


def test_the_line_of_the_coach_can_be_stepped_through(served):
    """From any decision of the person: the same deal up to there, then the coach's card, and on to the end."""
    with served.client() as client:
        client.create(served.key, seed=6)
        client.finish_deal()
        played = client.ask("replay", "deals", number=0)["records"][0]
        told = client.ask("review", "reviewed", number=0)
        one = next(one for one in told["decisions"] if one["card"] != one["best"])
        line = client.ask("line", "deals", number=0, at=one["at"])
        assert "coach's line" in line["title"]
        (record,) = line["records"]
        cards, other = (" ".join(text for _, text in deal["tricks"]).split() for deal in (played, record))
        assert record["hands"] == played["hands"]
        assert cards[: one["at"] - 1] == other[: one["at"] - 1]
        assert other[one["at"] - 1] == one["best"]
        assert sorted(other) == sorted(cards), "it is played to its end"
        assert client.ask("line", "deals", number=0, at=52)["type"] == "deals"
        assert client.ask("line", "deals", number=7, at=5)["type"] == "failed"


def test_the_first_answer_says_why_it_takes_long():
    """A coach that has just been started says that it gets ready: once, and not for a question that is refused."""
    with serving() as fresh, fresh.client() as client:
        client.create(fresh.key, seed=5)
        for kind, answer in (("hint", "passing"), ("hint", "coaching"), ("count", "counted")):
            first, again = [], []
            for told in (first, again):
                client.say(kind)
                while not told or told[-1]["type"] not in (answer, "failed"):
                    told.append(client.receive())
            assert [one["type"] for one in first] == ["progress", answer]
            assert first[0]["text"] == FIRST
            assert [one["type"] for one in again] == [answer]
            if answer == "passing":
                assert [client.ask("count", "counted")["type"]] == ["failed"]
                client.act()


def test_passes_are_compared_in_the_same_worlds(served):
    with served.client() as client:
        view = client.create(served.key, seed=5)
        got = client.ask("hint", "passing")
        rest = [one["expected"] for one in got["sets"][1:]]
        assert rest == sorted(rest)
        for one in got["sets"]:
            assert one["cost"] == pytest.approx(one["expected"] - got["sets"][0]["expected"], abs=0.02)
            added = 13 * one["queen"] + one["hearts"] + 26 * one["moon"] - 52 * one["own_moon"]
            assert added == pytest.approx(one["expected"], abs=0.1), "rounded to thousandths"
        assert all(len(one["cards"]) == 3 and set(one["cards"]) <= set(view["hand"]) for one in got["sets"])
        assert len({tuple(one["cards"]) for one in got["sets"]}) == len(got["sets"])
        assert got["first"].startswith("Pass ")
        assert 1 <= len(got["words"]) <= 2
        again = client.ask("hint", "passing")
        assert again == got
        client.say("pass", cards=got["sets"][0]["cards"])
        client.my_turn()


@pytest.mark.slow
def test_the_cost_of_a_bad_pass_does_not_hang_on_the_seed(judge):
    """Three low cards instead of high ones: clearly worse in two lots of worlds, and the coach's own pass never is."""
    for number in range(3):
        deal = Deal("standard", 3, number)
        low = CardSet(sorted(deal.observe(0).may_pass, key=lambda card: card % 13)[:3])
        one, other = (judge.passes(deal.observe(0), seed, low) for seed in (0, 1))
        costs = [next((each.cost, each.cost_se) for each in found if each.cards == low) for found in (one, other)]
        assert all(is_mistake(*cost) for cost in costs), costs
        assert abs(costs[0][0] - costs[1][0]) <= 4 * np.hypot(costs[0][1], costs[1][1])
        again = judge.passes(deal.observe(0), 1, one[0].cards)
        mine = next(each for each in again if each.cards == one[0].cards)
        assert mine.cost <= 3 * mine.cost_se + 0.4


def test_a_pool_is_dealt_out_in_another_way_in_every_world(monkeypatch):
    """And in the same way, by places in the pool, for all passes that are compared."""
    found, finish = [], PlayingOn.after_passes

    def watched(self, batch, *rest):
        found.append(finish(self, batch, *rest))
        return found[-1]

    monkeypatch.setattr(PlayingOn, "after_passes", watched)
    deal, judge = Deal("standard,passing=pool", 3), Judge(worlds=40)
    first = judge.passes(deal.observe(0), 0)
    for ends in found:
        ways = []
        for states in ends.states:
            ways.append([])
            for state in states:
                pool = sorted(CardSet(int(np.bitwise_or.reduce(state["passed"]))))
                got = [CardSet(int(mask)) for mask in state["received"][:4]]
                ways[-1].append(tuple(next(seat for seat in range(4) if card in got[seat]) for card in pool))
        assert all(len(set(one)) > 0.9 * len(one) for one in ways)
        assert all(one == ways[0] for one in ways)
    assert Judge(worlds=40).passes(deal.observe(0), 0) == first


def test_a_review_judges_the_pass(served):
    with served.client() as client:
        view = client.create(served.key, seed=5)
        low = sorted(view["may_pass"], key=lambda card: "23456789TJQKA".index(card[0]))[:3]
        client.say("pass", cards=low)
        client.my_turn()
        client.finish_deal()
        told = client.ask("review", "reviewed", number=0)["passing"]
        assert sorted(told["cards"]) == sorted(low)
        assert ("costs" in told["text"]) == bool(told["words"]) == is_mistake(told["cost"], told["se"])
        client.create(served.key, seed=5)
        best = client.ask("hint", "passing")["sets"][0]["cards"]
        client.say("pass", cards=best)
        client.my_turn()
        client.finish_deal()
        told = client.ask("review", "reviewed", number=0)["passing"]
        assert (told["cards"], told["best"], told["cost"], told["words"]) == (best, best, 0.0, [])
        assert told["text"].endswith("was the coach's too.")


def ended(seed: int, cards: int) -> Deal:
    """A deal that was played by `gnome` until seat 0 is to move with so many cards in hand and a choice."""
    deal, bots = Deal("standard", seed, 3), Bots()
    while deal.to_move is not None:
        obs = deal.observe(deal.to_move)
        if deal.to_move == 0 and len(obs.hand) <= cards and len(obs.legal) > 1 and deal.points_open:
            return deal
        deal.play(bots.play("gnome", obs))
    return ended(seed + 1000, cards)


@pytest.mark.slow
def test_its_card_is_optimal_where_few_cards_are_left(judge):
    """All worlds of a late position, each solved to the end by max^n: the coach's card has the least mean of them
    (within 0.05 points)."""
    count, right = 40 * SCALE, 0
    solver = make_player("maxn:eval=points,tricks=all,worlds=0")
    for seed in range(count):
        deal = ended(seed, 3)
        obs = deal.observe(0)
        worlds = obs.worlds(min(600, 6 * int(obs.count_worlds()) + 20), seed)
        unique = {tuple(hand.mask for hand in world.hands): world for world in worlds}
        totals = np.zeros(52)
        for world in unique.values():
            for one in analyse(world, solver, lines=False).cards:
                totals[one.card] += one.expected
        means = {card: totals[card] / len(unique) for card in obs.legal}
        choice = judge.analyse(deal, 0).choice
        right += means[choice] <= min(means.values()) + 0.05
    print(f"the coach's card is optimal in {right} of {count} late positions")
    assert right >= 0.98 * count - 1, f"{right} of {count}"


def test_it_names_the_idea(judge):
    """In at least nine of ten of the 50 positions, the 30 about the moon and the 20 about passing, the two sentences
    that are shown name the idea that we had written down."""
    for every in (positions(), moon_positions()):
        missed = []
        for code, deal in every:
            assert deal.to_move == 0
            judged = judge.judge(deal, 0)
            _, told = reasons_for(judged, judged.best, NAMES)
            if code not in told:
                missed.append(f"{code}: {deal.hands[0]} -> {card_name(judged.best)} {told}")
        assert len(every) in (50, 30)
        assert len(missed) <= 0.1 * len(every), "\n".join(missed)


@pytest.mark.slow
def test_it_names_the_idea_of_a_pass(judge):
    every, missed = hands_to_pass(), []
    for code, deal in every:
        obs = deal.observe(0)
        _, told = pass_reasons(obs, judge.passes(obs, 0))
        if code not in told:
            missed.append(f"{code}: {obs.hand} {told}")
    assert len(every) == 20
    assert len(missed) <= 2, "\n".join(missed)


def test_learned_words_are_silent_where_a_moon_threatens(judge):
    """If the network never saw a moon. And no idea praises points for the seat that is about to shoot it."""
    coach, silent, spoken = Coach(judge), 0, 0
    whole = [("standard", ended(seed, 9)) for seed in range(6)]
    for code, deal in positions()[::3] + whole:
        judged = judge.judge(deal, 0)
        words, _ = reasons_for(judged, judged.best, NAMES)
        learned = coach.learned(judged, deal)
        if moon_threatens(judged) and not knows_moon():
            silent += 1
            assert not learned, (code, learned)
        spoken += bool(learned)
        assert not learned or code == "standard", "these packs are short: the network would count hearts that are not"
        if code not in ("stop-moon", "standard"):
            assert "moon" not in " ".join(words), "these rules know none"
        for card in deal.legal:
            winner, _ = judged.obs.winning or (None, None)
            texts = " ".join(one.sentence for one in ideas_for(judged, card, NAMES))
            if code == "stop-moon" and winner is not None and "Throw a heart" in texts:
                assert judged.outcomes[card].moon < MOON_ALARM or not judged.obs.points[winner]
    assert silent >= 1 or knows_moon()
    assert spoken >= 3
    assert ("without the moon" in sources()) != knows_moon()


def test_points_taken_are_a_reason_in_words():
    """A network that foresees only what is still to come names the points themselves: a reason without features."""
    card, other = parse_cards("2S KS")
    assert _feature(Reason((), 1.0, 4.25, 1.0), card, other) == (
        "Points once the trick is over: 4.2 on average after K♠, 1.0 after 2♠."
    )


@pytest.mark.parametrize(
    ("weight", "after_other", "after_choice", "words"),
    [
        (1.5, 1.0, 0.0, "in 60 of 60 deals after K♠ and in 0 after 2♠: this makes K♠ 1.5 points worse."),
        (-3.0, 1.0, 0.5, "in 60 of 60 deals after K♠ and in 30 after 2♠: this makes K♠ 1.5 points better."),
        (-0.9, 0.0, 1.0, "in 60 of 60 deals after 2♠ and in 0 after K♠: this makes 2♠ 0.9 points better."),
        (0.9, 0.0, 1.0, "in 60 of 60 deals after 2♠ and in 0 after K♠: this makes 2♠ 0.9 points worse."),
    ],
)
def test_a_feature_speaks_of_the_card_after_which_it_is_true(weight, after_other, after_choice, words):
    card, other = parse_cards("2S KS")
    text = _feature(Reason((1,), weight, after_other, after_choice), card, other)
    assert text.startswith("Learned feature: ")
    assert text.endswith(words)


def test_features_that_cancel_each_other_are_not_told():
    """And none that speaks against the coach's card."""
    good, bad, more = Reason((1,), 1.0, 0.9, 0.0), Reason((2,), -1.0, 0.85, 0.0), Reason((3,), 0.5, 1.0, 0.0)
    assert speaking_for([good, bad, more]) == [more]
    assert speaking_for([bad]) == []
    assert speaking_for([more, good]) == [good, more]


def test_counting_agrees_with_the_observation(judge):
    deal = Deal("standard", 11, 3)
    rng = np.random.default_rng(1)
    while len(deal.history) < 22 or deal.to_move != 0:
        deal.play(int(rng.choice(sorted(deal.legal))))
    obs = deal.observe(0)
    counted = count_cards(judge, obs, NAMES)
    assert CardSet(counted.out) == obs.unseen
    assert [len(voids) for voids in counted.voids] == [len(obs.voids(seat)) for seat in range(4)]
    if counted.queen is not None:
        assert sum(counted.queen) == pytest.approx(1, abs=0.01)
        assert counted.queen[0] == 0


def decision(cost: float, se: float | None) -> Decision:
    return Decision(5, 2, "KS", "3S", cost, se, 0.0, [])


def played_deal(hands: list[str], leader: int, plays: str, rules: str = "seed") -> Deal:
    """A deal with a pack that is just these hands, played to its end."""
    held = [CardSet(hand) for hand in hands]
    removed = CardSet(((1 << 52) - 1) & ~sum(hand.mask for hand in held))
    deal = Deal.from_hands(held, Rules.parse(rules).replace(removed=removed), leader=leader)
    for card in parse_cards(plays):
        deal.play(card)
    assert deal.is_over
    return deal


def told(deal: Deal, *rest: object, seat: int = 0) -> str:
    return summary(deal, *rest, NAMES, seat)


def test_the_summary_follows_from_the_costs_that_count():
    """Three sentences at most; "well played" never stands beside points lost by mistakes, nor beside many points."""
    deal = Deal("standard", seed=2, number=3)
    deal.play_randomly(seed=2)
    assert deal.points[0] > 0
    noise = [decision(0.4, 0.3)] * 12
    took = told(deal, noise, [], None).split(". ")[0]
    assert str(deal.points[0]) in took
    end = "That was bad luck, not bad play." if deal.points[0] >= 10 else "Well played."
    assert told(deal, noise, [], None) == f"{took}. None of your 12 decisions was a mistake. {end}"
    bad, luck = decision(3.0, 0.5), "and most of your points were bad luck."
    lost = told(deal, [*noise, bad], [bad], None)
    assert lost == f"{took}. You lost most at trick 2: K♠ instead of 3♠ cost 3.0 points. The rest was fine, {luck}"
    two = told(deal, [*noise, bad, decision(2.0, 0.1)], [bad, decision(2.0, 0.1)], None)
    assert two.endswith("The rest cost 2.0 points; most of yours were bad luck.")
    passed, fine = (PassReview([], [], cost, 0.3, "", []) for cost in (4.0, 0.5))
    assert "You lost most with your pass, 4.0 points." in told(deal, noise, [], passed)
    assert told(deal, noise, [], fine) == told(deal, noise, [], None)
    assert "There was no card to decide on." in told(deal, [], [], None)
    ends = [told(deal, noise, [], None, seat=seat).endswith("bad play.") for seat in range(4)]
    assert ends == [points >= 10 for points in deal.points]
    assert any(ends)


def test_the_summary_names_who_shot_the_moon():
    """By the name of the seat; and who came close, until when, and who stopped it."""
    hands = ["2H 2C", "QS AH", "3H 3C", "4H 4C"]
    shot = played_deal(hands, 1, "QS 3C 4C 2C AH 3H 4H 2H")
    assert told(shot, [], [], None).startswith("Ada shot the moon, and it cost you 17 points. ")
    assert told(shot, [], [], None, seat=1).startswith("You shot the moon! ")
    bad = decision(3.0, 0.5)
    bad.words = ["You shoot the moon in 97 of 100 deals with 3♠, in none with K♠."]
    risked = "You shot the moon! At trick 2, K♠ instead of 3♠ risked 3.0 points. The rest was fine."
    assert told(shot, [bad], [bad], None, seat=1) == risked, "nobody who shot it passed it up"
    failed = played_deal(["2H 4H", "QS 2C", "5H 3C", "6H 4C"], 1, "QS 5H 6H 2H 2C 3C 4C 4H")
    assert [told(failed, [], [], None, seat=seat).split(". ")[0] for seat in range(4)] == [
        "Not a single point: well done; Ines stopped Ada's moon at trick 2",
        "You took 16 points, with Q♠; you had all the points until trick 2, which Ines won",
        "Not a single point: well done; Ines stopped Ada's moon at trick 2",
        "You took 1 point, without Q♠; you stopped Ada's moon at trick 2",
    ]


def test_without_points_a_mistake_was_a_risk():
    """Nobody loses points in a deal without a single one."""
    deal = played_deal(["2H 4H", "QS 2C", "5H 3C", "6H 4C"], 1, "QS 5H 6H 2H 2C 3C 4C 4H")
    bad = decision(3.0, 0.5)
    lost = told(deal, [bad], [bad], None)
    assert lost.startswith("Not a single point, with some luck; ")
    assert lost.endswith(" At trick 2, K♠ instead of 3♠ risked 3.0 points. The rest was fine.")
    praise = told(deal, [decision(0.1, 0.3)] * 2, [], None)
    assert praise.startswith("Not a single point: well done; ")
    assert praise.endswith(" None of your 2 decisions was a mistake."), "well done, once"
    bad.words = ["K♠ costs 3.0 points more than 3♠.", "You shoot the moon in 97 of 100 deals with 3♠, in none with K♠."]
    missed = told(deal, [bad], [bad], None)
    assert " You passed up a chance of a moon at trick 2: K♠ instead of 3♠ cost 3.0 points." in missed
    passed = PassReview([], [], 9.0, 0.3, "", ["Play for the moon: you shoot it in 80 of 100 deals."])
    assert " You passed up a chance of a moon with your pass: it cost 9.0 points." in told(deal, [bad], [bad], passed)


def test_many_points_beside_a_small_mistake_were_bad_luck():
    """Nobody who took 23 points and gave away 4 of them is told of the 4 only."""
    hands = ["QS 2C", "2S 3C", "3S 4C", "4S 5C"]
    deal = played_deal(hands, 1, "2S 3S 4S QS 2C 3C 4C 5C", "seed-nomoon")
    assert deal.points[0] == 13
    bad, other = decision(3.0, 0.5), decision(2.0, 0.1)
    assert told(deal, [bad], [bad], None).endswith(" The rest was fine, and most of your points were bad luck.")
    rest = told(deal, [bad, other], [bad, other], None)
    assert rest.endswith(" The rest cost 2.0 points; most of yours were bad luck.")
    worse = decision(6.0, 0.5)
    assert told(deal, [worse, other], [worse, other], None).endswith(" The rest cost 2.0 points.")


def test_the_summary_counts_what_the_rules_count():
    """J♦ pays for hearts: that is no "not a single point". Q♠ is named only where it counts."""
    hands = ["2H 4H", "JD 2C", "5H 3C", "6H 4C"]
    play = "JD 5H 6H 4H 2C 3C 4C 2H"
    assert told(played_deal(hands, 1, play, "seed,bonus=JD,bonus_points=-3"), [], [], None, seat=1).startswith(
        "You end with 0 points, J♦ included; "
    )
    assert told(played_deal(hands, 1, play, "seed-hearts"), [], [], None, seat=1).startswith(
        ("You took 3 points.", "You took 3 points;")
    )
    deal = played_deal(["6H JH", "3H AH", "4H KH", "5H QH"], 0, "6H 3H 4H 5H JH AH KH QH", "seed,heart_points=rank")
    assert (deal.points[0], deal.points[1]) == (18, 50)
    assert "moon" not in told(deal, [], [], None, seat=1)


def test_the_level_counts_what_the_review_counts(tmp_path):
    store = Store(tmp_path / "games.sqlite")
    costs = [(1, 0.4, 0.3), (2, 3.0, 0.5), (3, 0.2, 0.05), (4, 1.0, None), (5, 0.0, 0.0)]
    store.add_session("k", Settings("standard", ["gnome"] * 3, "Zoe"))
    store.add_decisions("k", 0, "Zoe", costs)
    total = pytest.approx(sum(clear_cost(cost, se) for _, cost, se in costs))
    assert store.deal_costs("Zoe") == [(total, 5, ["gnome"] * 3)]
    assert sum(clear_cost(cost, se) for _, cost, se in costs) == pytest.approx(4.2)


def test_the_level_follows_the_deals_in_the_order_of_play(tmp_path):
    store = Store(tmp_path / "games.sqlite")
    for key, made, player in (("b", 1.0, "net"), ("a", 2.0, "gnome")):
        store.add_session(key, Settings("standard", [player] * 3, "Zoe"))
        store.add_result(key, 0, "Zoe", made, b"{}")
        store.add_decisions(key, 0, "Zoe", [(1, made, None)])
    assert [(cost, players[0]) for cost, _, players in store.deal_costs("Zoe")] == [(1.0, "net"), (2.0, "gnome")]
    store.close()


def test_mistakes_are_clear_of_noise():
    assert is_mistake(1.0, 0.2)
    assert not is_mistake(1.0, 0.9)
    assert not is_mistake(0.1, None)


def test_puzzles_come_back_later_each_time_they_are_solved(judge):
    deal = next(deal for code, deal in positions() if code == "duck")
    body = make_puzzle(deal, Decision(4, 1, "KS", "3S", 9.0, None, 0.0, ["Duck."]), NAMES, ["net"] * 4)
    stage, now = 0, 1000.0
    for days in DAYS[1:] + DAYS[-1:]:
        graded, stage, due = grade(judge, 1, body, stage, parse_cards("3S")[0], now)
        assert graded.right
        assert due == now + days * 86400
        assert f"in {days} days" in graded.again or (days == 1 and "tomorrow" in graded.again)
        assert (graded.played, graded.chosen, graded.best) == ("KS", "3S", "3S")
        assert "Duck" in graded.text
    graded, stage, due = grade(judge, 1, body, stage, parse_cards("KS")[0], now)
    assert not graded.right
    assert (stage, due) == (0, now + 600)
    assert (graded.chosen, graded.again) == ("KS", "It comes back in 10 minutes.")
    with pytest.raises(ValueError, match="spades were led"):
        grade(judge, 1, body, stage, parse_cards("5D")[0], now)


def test_a_right_answer_beside_the_coachs_card_is_called_as_good(judge, monkeypatch):
    """ "Right", and the reason of another card: the page shows both, so it is said that they are about the same."""
    deal = next(deal for code, deal in positions() if code == "duck")
    judged = judge.judge(deal, 0, None, ["net"] * 4)
    other = next(card for card in deal.legal if card != judged.best)
    body = make_puzzle(deal, decision(1.0, 0.1), NAMES, ["net"] * 4)
    best = grade(judge, 1, body, 0, judged.best, 0.0)[0]
    assert best.right
    assert "about as good" not in best.text
    monkeypatch.setattr(type(judged), "equal", property(lambda self: [self.best, other]))
    graded = grade(judge, 1, body, 0, other, 0.0)[0]
    assert graded.right
    assert graded.text.startswith(f"{pretty_card(other)} is about as good. ")


def test_the_level_is_a_mean_with_its_interval():
    """With many deals that of Student's t; with few, or with deals that cost nothing, never without a width."""
    scipy = pytest.importorskip("scipy.stats", reason="the judge of the interval")
    rng = np.random.default_rng(1)
    costs = list(rng.exponential(2.0, 400))
    level = estimate_level("Zoe", [(cost, 10, "casual") for cost in costs])
    low, high = scipy.t.interval(0.95, len(costs) - 1, np.mean(costs), scipy.sem(costs))
    assert (level.per_deal, level.decisions) == (round(float(np.mean(costs)), 2), 4000)
    assert (level.low, level.high) == (pytest.approx(low, abs=0.02), pytest.approx(high, abs=0.02))
    assert len(level.course) == 40
    assert level.course[-1] == (400, level.per_deal, level.low, level.high)
    assert level.course[0][0] == 10
    assert level.course[0][1] == round(float(np.mean(costs[:10])), 2)
    widths = []
    for number in (2, 3, 9, 10, 40):
        nothing = estimate_level("Zoe", [(0.0, 12, "casual")] * number)
        assert (nothing.per_deal, nothing.low) == (0, 0)
        assert ("That is" in nothing.text) == (number >= 10)
        assert "better than" not in nothing.text or number == 40
        widths.append(nothing.high)
    assert widths == sorted(widths, reverse=True)
    assert min(widths) > 0
    assert compare(0.0, 0.05) == "That is like net."
    assert compare(15, 16) == "That is like random."
    assert compare(30, 40) == "That is more than random gives away."


def test_the_level_has_a_course_for_each_strength():
    costs = [(1.0, 10, "casual"), (5.0, 10, "expert"), (2.0, 10, "casual"), (3.0, 10, "casual")]
    level = estimate_level("Zoe", costs)
    alone = estimate_level("Zoe", [one for one in costs if one[2] == "casual"])
    assert level.courses == {"casual": alone.course, "expert": []}
    assert [(number, mean) for number, mean, _, _ in alone.course] == [(2, 1.5), (3, 2.0)]
    assert [number for number, *_ in level.course] == [2, 3, 4]


@pytest.mark.parametrize("number", [3, 10, 40])
def test_the_interval_of_the_level_holds_the_truth(number):
    """Players whose deals often cost nothing and sometimes much: nearly as often as it says, in spite of the skew."""
    rng, hits = np.random.default_rng(number), 0
    for _ in range(400):
        costs = rng.exponential(2.5, number) * (rng.random(number) < 0.4)
        _, low, high = interval(list(costs))
        hits += low <= 1.0 <= high
    assert hits >= 0.88 * 400, hits


def test_only_deals_like_those_of_the_yardstick_count_for_the_level():
    def counts(rules="standard", helped=0, undos=0, **settings):
        session = Session(Settings(rules, ["gnome"] * 3, **settings), [], lambda row: None)
        session.row.helped, session.row.undos = helped, undos
        return counts_for_level(session, session.row)

    assert counts()
    assert not counts("spot")
    assert not counts("standard,moon=self")
    assert not counts(helped=1)
    assert not counts(undos=1)
    assert not counts(seed=5)
    assert not counts(only=1)


@pytest.mark.slow
def test_mistakes_become_puzzles_and_a_level(served, monkeypatch):
    monkeypatch.setattr("heartlab.web.connection.Bucket.take", lambda self, cost: True)
    with served.client() as client:
        assert client.ask("level", "level", house=served.key, name="Zoe")["per_deal"] is None
        client.create(served.key, name="Zoe")
        for number in range(3):
            if number == 2:
                assert client.ask("hint", "passing")["type"] == "passing"
            while client.view["phase"] not in ("over", "end"):
                client.act(lambda view: view["legal"][-1])
            reviewed = client.ask("review", "reviewed", number=number)
            assert reviewed["type"] == "reviewed"
            client.ask("review", "reviewed", number=number)
            client.act()
        level = client.ask("level", "level", house=served.key, name="Zoe")
        assert level["deals"] == 2, "a deal with hints says nothing about the level"
        assert level["low"] <= level["per_deal"] < level["high"]
        assert "Too few deals to compare" in level["text"]
        puzzle = client.ask("puzzle", "puzzle", house=served.key, name="Zoe")
        if puzzle["puzzle"] is None:
            assert not reviewed["worst"]
            return
        reply = dict(house=served.key, name="Zoe", puzzle=puzzle["puzzle"])
        graded = client.ask("answer", "graded", **reply, card=puzzle["legal"][0])
        assert graded["best"] in puzzle["legal"]
        assert client.ask("answer", "graded", house=served.key, puzzle=puzzle["puzzle"], card="2C")["type"] == "failed"


def test_a_mistake_is_judged_once(monkeypatch):
    """By the check, its reasons, the review and a puzzle together; a hint before it has judged the same position."""
    judged, finish = [], PlayingOn.after_cards

    def counted(self, batch, *rest, **options):
        judged.append(int(batch.records["plays"][0]))
        return finish(self, batch, *rest, **options)

    monkeypatch.setattr(PlayingOn, "after_cards", counted)
    deal = next(deal for code, deal in positions() if code == "duck")
    coach, seats = Coach(Judge(worlds=40)), Seats(NAMES, ["gnome"] * 4)
    coach.hint(deal, seats)
    card = max(deal.legal, key=lambda card: coach.judge.analyse(deal, 0, card, seats.players).cost)
    checked = coach.check(deal, card, seats)
    assert checked.better
    _, decision = coach.decide(deal, card, seats)
    assert decision.cost == pytest.approx(checked.cost, abs=0.01)
    assert checked.words == coach.against(deal, card, decision.cost, seats)
    coach.worst(deal, [decision], seats)
    assert checked.words[1:] == decision.words, "the heading of the review has the cost"
    grade(coach.judge, 1, make_puzzle(deal, decision, NAMES, seats.players), 0, card, 0.0)
    assert judged == [len(deal.history)]
