"""The web server through its own protocol, without a browser: games, honesty, limits, persistence."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import DATA, ROOT

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

import urllib.error
import urllib.request

from support import page_types
from support.strategies import rules as any_rules
from support.web_client import Client, moon_hands, serving
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from heartlab.cards import QUEEN_OF_SPADES, CardSet, card_name, parse_card, pretty_card
from heartlab.coach import values
from heartlab.coach.coach import Coach
from heartlab.coach.puzzles import make_puzzle, origin_of
from heartlab.coach.values import Decision
from heartlab.deal import Deal
from heartlab.players import PlayerError
from heartlab.records.reader import from_json
from heartlab.rules import Rules
from heartlab.util.locks import alone
from heartlab.web import messages
from heartlab.web.bots import Bots
from heartlab.web.coaching import CoachService
from heartlab.web.commitment import check_proof, commit, proof_of, run_verify
from heartlab.web.connection import Connection
from heartlab.web.house import SLICE, House
from heartlab.web.how import how_to_play, how_to_play_in
from heartlab.web.messages import MAX_RECORDS, Incoming
from heartlab.web.serve import run_server
from heartlab.web.session import Session, SessionError, nothing_counts, takes_all, takes_none
from heartlab.web.store import Row, Settings, Store, StoreError
from heartlab.web.tokens import CAPACITY, MAX_ORDINARY, Bucket, entry_cost, further_cost
from heartlab.web.workers import Workers

CODES = {"message", "key", "table", "limit", "server"}


@pytest.fixture(scope="module")
def served():
    with serving() as server:
        yield server


# --- playing ---


@pytest.mark.slow
def test_a_whole_game_to_its_limit_adds_up(served):
    with served.client() as client:
        client.create(served.key, rules="standard,limit=40", seed=3)
        directions = []
        while client.view["phase"] != "end":
            view = client.view
            if view["plays"] == 0 and (not directions or directions[-1][0] != view["deal"]):
                directions.append((view["deal"], view["direction"]))
            client.act()
        assert [direction for _, direction in directions[:4]] == ["left", "right", "across", "hold"][: len(directions)]
        course = client.view["course"]
        assert max(course[-1]) >= 40
        assert all(max(totals) < 40 for totals in course[:-1])
        for before, after in pairwise(course):
            assert sum(after) - sum(before) in (26, 78)
        assert client.view["winners"] == [s for s, total in enumerate(course[-1]) if total == min(course[-1])]
        assert client.ask("next", "failed")["code"] == "table"


@pytest.mark.parametrize("rules", ["black-maria", "advice", "omnibus", "standard,players=5", "spot,players=6"])
def test_other_rules_are_played_to_the_end_of_a_deal(served, rules):
    with served.client() as client:
        view = client.create(served.key, ["random"] * (Rules.parse(rules).players - 1), rules=rules)
        assert len(view["names"]) == Rules.parse(rules).players
        final = client.finish_deal()
        assert len(final["reveal"]["hands"]) == Rules.parse(rules).players


def test_a_card_that_the_rules_forbid_is_refused_with_the_rule(served):
    with served.client() as client:
        client.create(served.key, seed=5)
        client.act()
        assert client.ask("play", "refused", card="AH", at=client.view["plays"]) == {
            "type": "refused", "card": "AH", "rule": "penalty cards may not fall on the first trick",
        }  # fmt: skip
        assert client.ask("play", "refused", card="KC", at=client.view["plays"])["rule"] == "the seat does not hold it"
        assert client.ask("pass", "refused", cards=["AH", "2H", "4H"])["type"] == "refused"
        stale = client.ask("play", "failed", card=client.view["legal"][0], at=0)
        assert stale["code"] == "table"
        client.act()
        assert client.view["plays"] > 4


def test_passed_and_received_cards_are_told(served):
    with served.client() as client:
        view = client.create(served.key, seed=9)
        given = view["may_pass"][:3]
        client.act()
        assert client.view["passed"] == given
        assert len(client.view["received"]) == 3
        assert set(client.view["received"]) <= set(client.view["hand"]) | {card for _, card in client.view["trick"]}


def test_undo_is_for_practice_only(served):
    with served.client() as client:
        client.create(served.key, seed=5)
        client.act(), client.act()
        assert client.ask("undo", "failed")["text"] == "cards can be taken back in practice only"
        client.create(served.key, seed=5, practice=True)
        client.act()
        assert not client.view["can_undo"]
        before = client.view
        client.act()
        client.say("undo")
        client.until(lambda got: got["type"] == "view" and got["event"]["kind"] == "undone")
        for key in ("hand", "legal", "trick", "plays", "points", "commitment"):
            assert client.view[key] == before[key]
        assert client.view["undos"] == 1


@pytest.mark.parametrize(("what", "points"), [("others", [0, 26, 26, 26]), ("self", [-26, 0, 0, 0])])
def test_the_shooter_of_the_moon_is_asked_where_the_rules_say_so(tmp_path, what, points):
    def dealer(rules, _seed, _number, scores):
        return Deal.from_hands(moon_hands(), rules, number=3, scores=scores)

    with serving(tmp_path / "games.sqlite", dealer=dealer) as server, server.client() as client:
        client.create(server.key, rules="standard,moon=choice")
        assert client.ask("moon", "failed", what=what)["code"] == "table"
        while client.view["phase"] == "play":
            high = sorted(
                client.view["legal"], key=lambda card: ("CSHD".index(card[1]), -"23456789TJQKA".index(card[0]))
            )
            client.say("play", card=high[0], at=client.view["plays"])
            client.until(lambda got: got["type"] == "view" and (got["legal"] or got["phase"] != "play"))
        assert client.view["phase"] == "moon"
        assert client.view["points"] == [26, 0, 0, 0]
        assert "reveal" not in client.view
        assert client.ask("next", "failed")["code"] == "table"
        assert client.ask("replay", "deals", number=0)["type"] == "failed"
        again = client.ask("open", "view", key=client.key)
        assert (again["phase"], again["scores"]) == ("moon", [0, 0, 0, 0])
        client.say("moon", what=what)
        over = client.until(lambda got: got["type"] == "view" and got["event"]["kind"] == "moon")
        assert (over["phase"], over["points"], over["scores"]) == ("over", points, points)
        assert over["reveal"]["points"] == points
        assert client.ask("moon", "failed", what="others")["code"] == "table"
        proof = client.ask("replay", "deals", number=0)["proof"]
        checks = {name: good for name, good, _ in check_proof(proof)}
        assert checks["every card followed the rules, to the end"]
        assert tuple(Deal.from_record(from_json(json.dumps(proof["record"]))).points) == tuple(points)


def test_claims_need_a_proof_and_finish_the_deal(served):
    with served.client() as client:
        client.create(served.key, seed=5)
        client.act()
        assert client.ask("claim", "failed", what="all")["code"] == "table"
        while not client.view["claims"] and client.view["phase"] != "over":
            client.act()
        if client.view["phase"] == "play":
            points = client.view["points"]
            client.say("claim", what=client.view["claims"][0])
            client.until(lambda got: got["type"] == "view" and got["phase"] == "over")
            if "rest" in client.view["claims"]:
                assert client.view["points"] == points


def test_claims_hold_in_every_world():
    """Whoever holds what: play on at random from positions with a proven claim."""
    proven = 0
    for seed in range(14):
        deal = Deal("standard", seed, 3)
        deal_rng = seed
        while not deal.is_over:
            obs = deal.observe(0)
            if deal.to_move == 0 and len(obs.hand) <= 6 and (takes_all(obs) or takes_none(obs)):
                everything = takes_all(obs)
                proven += 1
                for number, world in enumerate(obs.worlds(3, seed)):
                    won = world.tricks_won[0]
                    world.play_randomly(number)
                    assert world.tricks_won[0] - won == (len(obs.hand) if everything else 0)
            deal_rng = (deal_rng * 1103515245 + 12345) % 2**31
            legal = sorted(deal.legal)
            deal.play(legal[deal_rng % len(legal)])
    assert proven >= 3


def test_the_same_deal_again_and_from_its_middle(served):
    with served.client() as client:
        first = client.create(served.key, seed=21)
        client.finish_deal()
        plays = client.ask("replay", "deals", number=0)["records"][0]["tricks"]
        client.say("again", number=0)
        key = client.until(lambda got: got["type"] == "opened")["key"]
        again = client.my_turn()
        assert key != client.key
        assert again["hand"] == first["hand"]
        assert again["practice"]
        client.finish_deal()
        assert client.view["phase"] == "end"
        client.say("open", key=client.key)
        client.my_turn()
        client.say("again", number=0, at=22)
        middle = client.my_turn()
        assert middle["plays"] >= 22
        assert [card for _, card in middle["last"]] == plays[middle["plays"] // 4 - 1][1].split()


def test_watching_sends_every_deal_when_it_is_over_and_nothing_else(served, monkeypatch):
    monkeypatch.setattr(Bucket, "take", lambda self, cost: True)
    bots = ["gnome", "random", "gnome:jake", "random"]
    with served.client() as client:
        client.say("create", house=served.key, players=bots, watch=True, practice=True, seed=2)
        for number in range(3):
            got = client.until(lambda message: message["type"] == "deals")
            record = got["records"][0]
            assert record["deal"] == number
            assert sum(record["points"]) in (26, 78)
            assert all(good for _, good, _ in check_proof(got["proof"]))
            assert record["players"] == [
                f"{name} ({bot})" for name, bot in zip(["Ada", "Emil", "Ines", "Oskar"], bots, strict=True)
            ]
            assert got["more"]
            for kind, values in (
                ("undo", {}), ("play", {"card": "2C", "at": 0}), ("pass", {"cards": []}), ("check", {}), ("count", {}),
                ("hint", {}), ("claim", {}), ("moon", {"what": "self"}), ("review", {"number": 0}),
            ):  # fmt: skip
                assert client.ask(kind, "view", **values)["code"] == "table", kind
            client.say("next")
        client.until(lambda message: message["type"] == "deals")
        assert not [text for text in client.traffic if '"type":"view"' in text]


def test_a_watched_table_that_nobody_looks_at_rests_and_is_forgotten(served, monkeypatch):
    chosen, alone = [], threading.Event()
    play = Bots.play

    def slow(self, name, obs):
        chosen.append(name)
        alone.wait(600)
        time.sleep(SLICE)
        return play(self, name, obs)

    monkeypatch.setattr(Bots, "play", slow)
    with served.client() as client:
        client.create(served.key, ["gnome"] * 4, watch=True)
        key = client.key
        while not chosen:
            time.sleep(0.01)
        live = served.house.live[key]
    while live.guests:
        time.sleep(0.01)
    alone.set()
    while key in served.house.live or not live.driving.done():
        time.sleep(0.01)
    assert len(chosen) < 52
    monkeypatch.undo()
    with served.client() as client:
        client.say("open", key=key)
        assert sum(client.until(lambda got: got["type"] == "deals")["records"][0]["points"]) in (26, 78)


def test_a_deal_can_be_left_in_practice(served):
    with served.client() as client:
        first = client.create(served.key, seed=5, practice=True)
        assert first["can_leave"]
        client.act(), client.act()
        client.say("next")
        second = client.until(lambda got: got["type"] == "view" and got["event"]["kind"] == "dealt")
        assert (second["deal"], second["phase"], second["scores"]) == (1, "pass", [0, 0, 0, 0])
        assert second["hand"] != first["hand"]
        client.finish_deal()
        assert client.ask("replay", "deals", number=0)["code"] == "table"
        served.house.live.pop(client.key)
        assert client.ask("open", "view", key=client.key)["scores"] == client.view["scores"]
        assert not client.create(served.key, seed=5)["can_leave"]
        assert client.ask("next", "failed")["code"] == "table"


def test_a_record_can_be_read(served):
    deal = Deal("standard", 4)
    deal.play_randomly(4)
    with served.client() as client:
        got = client.ask("read", "deals", house=served.key, text=deal.to_text())
        assert got["records"][0]["points"] == list(deal.points)
        assert client.ask("read", "deals", house=served.key, text="%hearts 1\nrubbish")["type"] == "failed"
        line = json.dumps(got["records"][0])
        many = client.ask("read", "deals", house=served.key, text="\n".join([line] * (MAX_RECORDS + 4)))
        assert (many["title"], len(many["records"])) == (f"{MAX_RECORDS} of {MAX_RECORDS + 4} deals", MAX_RECORDS)


# --- honesty ---


def test_the_proof_holds_and_every_change_of_it_is_found(served, tmp_path):
    with served.client() as client:
        client.create(served.key)
        promised = client.view["commitment"]
        client.finish_deal()
        proof = client.ask("replay", "deals", number=0)["proof"]
    assert proof["commitment"] == promised
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(proof))
    assert run_verify(path, promised)[0]
    assert not run_verify(path, "0" * 64)[0]
    hands = [hand.split() for hand in proof["record"]["hands"]]
    hands[1][0], hands[2][0] = hands[2][0], hands[1][0]
    swapped = {**proof, "record": {**proof["record"], "hands": [" ".join(hand) for hand in hands]}}
    for forged in (swapped, {**proof, "seed": proof["seed"] + 1}, {**proof, "salt": "0" * 32}):
        path.write_text(json.dumps(forged))
        assert not run_verify(path, promised)[0]
    for text in ("", "[]", "{}", '{"format": "x"}'):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"proof|JSON"):
            run_verify(path, None)


@pytest.mark.parametrize(
    "rules", ["seed", "standard", "standard,passing=random", "standard,passing=pool", "black-maria", "falcon"]
)
def test_a_proof_holds_under_all_kinds_of_chance(rules):
    for seed in range(6):
        deal = Deal(rules, seed, number=seed)
        promised = commit(deal, seed, "00")
        deal.play_randomly(seed)
        checks = check_proof(proof_of(deal, seed, "00", ["a"] * deal.rules.players), promised)
        assert all(good for _, good, _ in checks), checks


@pytest.mark.parametrize(
    ("rules", "rig", "remark"),
    [
        ("seed", dict(leader=3), "seat 3 leads first, and by the seed it is seat 2"),
        ("standard,passing=random", dict(pass_direction="left"), "pass left is written, and the seed gives across"),
        ("standard,passing=random", dict(pass_direction="hold"), "pass hold is written, and the seed gives across"),
        ("standard", dict(pass_direction="right"), "pass right is written, and the seed gives left"),
        ("standard,passing=pool", dict(seed=6), "and the seed gives it"),
        ("black-maria", dict(leader=2), "seat 2 leads first, and by the seed it is seat 1"),
    ],
)
def test_a_proof_with_rigged_chance_is_found(rules, rig, remark):
    """The promised hands, and then another direction, first leader or exchange than those of the seed."""
    start = Deal(rules, seed=5)
    rigged = Deal.from_hands(start.dealt, rules, **rig)
    rigged.play_randomly(1)
    proof = proof_of(rigged, 5, "00", ["a"] * start.rules.players)
    wrong = {what: told for what, good, told in check_proof(proof, commit(start, 5, "00")) if not good}
    assert remark in wrong.pop("pass direction, exchange and first leader are the seed's")
    assert list(wrong) == (["every card followed the rules, to the end"] if rules == "black-maria" else [])


def test_the_commitment_is_the_documented_hash():
    import hashlib

    deal = Deal("standard", 7, 3)
    deal.play_randomly(1)
    lines = ["heartlab deal 1", "rules standard", "number 3", "seed 7", "salt 00ff"]
    lines += [f"hand {seat} {hand.names()}" for seat, hand in enumerate(deal.dealt)] + ["kitty -"]
    wanted = hashlib.sha256(("\n".join(lines) + "\n").encode()).hexdigest()
    assert proof_of(deal, 7, "00ff", list("abcd"))["commitment"] == wanted


def sha256(*lines: str) -> str:
    import hashlib

    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def test_the_page_has_a_share_in_the_seed(served, tmp_path):
    """The server's secret is promised before the page's text, the seed follows from both, and all of it is checked."""
    path = tmp_path / "proof.json"
    with served.client() as client:
        promise = client.hello["promise"]
        for number, share in enumerate(("ab" * 8, "0123456789abcdef")):
            if number == 0:
                client.create(served.key, share=share)
            else:
                client.say("next", share=share)
                client.until(lambda got: got["type"] == "view" and got["event"]["kind"] == "dealt")
            view = client.view
            assert (view["promise"], view["share"]) == (promise, share)
            following = client.until(lambda got: got["type"] == "promised")["promise"]
            assert following != promise
            with served.client() as reloaded:
                again = reloaded.ask("open", "view", key=client.key)
                assert [again[key] for key in ("promise", "share", "commitment", "hand")] == [
                    view[key] for key in ("promise", "share", "commitment", "hand")
                ]
            final = client.finish_deal()
            secret, seed = final["reveal"]["secret"], final["reveal"]["seed"]
            assert sha256("heartlab secret 1", f"secret {secret}") == promise
            made = sha256("heartlab seed 1", f"number {number}", f"secret {secret}", f"share {share}")
            assert int(made, 16) >> (256 - 53) == seed
            lines = ["heartlab deal 1", "rules standard", f"number {number}", f"seed {seed}"]
            lines += [f"salt {final['reveal']['salt']}", f"promise {promise}", f"share {share}"]
            lines += [f"hand {seat} {hand}" for seat, hand in enumerate(final["reveal"]["hands"])] + ["kitty -"]
            assert sha256(*lines) == view["commitment"]
            proof = client.ask("replay", "deals", number=number)["proof"]
            path.write_text(json.dumps(proof))
            assert run_verify(path, view["commitment"], promise)[0]
            assert len(run_verify(path, None)[1]) == 6
            assert not run_verify(path, None, following)[0]
            unshared = {key: value for key, value in proof.items() if key not in ("secret", "share", "promise")}
            for forged in ({**proof, "secret": "0" * 64}, {**proof, "share": "f" * 16}, unshared):
                path.write_text(json.dumps(forged))
                assert not run_verify(path, view["commitment"], promise)[0]
            path.write_text(json.dumps({**proof, "seed": 1}))
            wrong = {check["check"] for check in run_verify(path, None)[1] if not check["holds"]}
            assert "the seed is made from the secret and the page's text" in wrong
            path.write_text(json.dumps({key: value for key, value in proof.items() if key != "secret"}))
            with pytest.raises(ValueError, match="secret"):
                run_verify(path, None)
            promise = following


def test_a_given_seed_stays_as_it_is(served):
    with served.client() as client:
        view = client.create(served.key, seed=5, share="ab" * 8)
        assert (view["promise"], view["share"]) == ("", "")
        assert client.finish_deal()["reveal"]["seed"] == 5
        assert client.ask("create", "opened", house=served.key, players=["gnome"] * 3, share="XY")["code"] == "message"


def swapped_hands(deal: Deal, first: int, second: int | None, one: int, other: int) -> list[CardSet]:
    """The hands of a deal in which a seat has exchanged a card with another seat, or with the kitty."""
    hands = [set(hand) for hand in deal.hands]
    hands[first] = hands[first] - {one} | {other}
    if second is not None:
        hands[second] = hands[second] - {other} | {one}
    return [CardSet(hand) for hand in hands]


def play_with_everything(hands: list[CardSet], deal: Deal, seed: int) -> list[str]:
    """All traffic of a deal with given hands, coach included; salted hashes, which must differ, are masked."""

    def dealer(rules, _seed, _number, scores):
        return Deal.from_hands(hands, rules, number=deal.number, scores=scores, seed=seed)

    with pytest.MonkeyPatch.context() as patch, serving(dealer=dealer) as server, server.client() as client:
        patch.setattr(Bucket, "take", lambda self, cost: True)
        client.create(server.key, ["gnome"] * (len(hands) - 1), rules=str(deal.rules), share="ab" * 8)
        if client.view["phase"] == "pass":
            client.ask("hint", "passing")
        while client.view["phase"] in ("pass", "play"):
            if client.view["phase"] == "play" and client.view["plays"] % 12 < 4:
                client.ask("hint", "coaching")
                client.ask("count", "counted")
            client.act()
            if client.view["plays"] > 16:
                client.ask("check", "checked")
        texts = client.traffic
    return [re.sub('"(commitment|promise)":"[0-9a-f]{64}"|"key":"[^"]+"', '"masked":0', text) for text in texts]


def first_difference(
    deal: Deal, seed: int, first: int, second: int | None, one: int, other: int
) -> tuple[int, dict, dict]:
    """Where the traffic of a deal and of the one with two cards exchanged differ first, and the two messages."""
    hands = [list(deal.hands), swapped_hands(deal, first, second, one, other)]
    assert hands[0][0] == hands[1][0]
    assert hands[0] != hands[1]
    texts = [play_with_everything(each, deal, seed) for each in hands]
    same = next(index for index, (a, b) in enumerate(zip(*texts, strict=False)) if a != b)
    return same, json.loads(texts[0][same]), json.loads(texts[1][same])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "number", "first", "second", "place"),
    [(1, 3, 1, 2, 12), (2, 3, 2, 3, 0), (3, 3, 1, 3, 6), (1, 0, 1, 2, 12), (2, 1, 2, 3, 3)],
)
def test_traffic_is_the_same_until_a_hidden_card_becomes_visible(seed, number, first, second, place):
    """Two deals differ in two cards of others: all bytes are the same up to the first card that is played otherwise.

    After passing, also up to other cards that are received, or, where the difference was passed away, to the end.
    """
    deal = Deal("standard", seed, number)
    one, other = sorted(deal.hands[first])[place], sorted(deal.hands[second])[place]
    same, a, b = first_difference(deal, seed, first, second, one, other)
    assert a["type"] == b["type"] == "view", "only a played card may make the difference, never the coach"
    assert same > 3
    if a["received"] == b["received"] and not ("reveal" in a and "reveal" in b):
        assert a["event"]["kind"] in ("played", "over")
        assert a["event"]["seat"] == b["event"]["seat"]
        assert a["event"]["card"] != b["event"]["card"]
    elif "reveal" not in a:
        assert number != 3


@pytest.mark.slow
def test_traffic_does_not_tell_what_lies_in_the_kitty():
    """9♥ in the kitty or with a player, all other cards that count are out: the page may not offer to finish."""
    deal = Deal("advice", 7)
    ten, nine = parse_card("TC"), parse_card("9H")
    assert nine in deal.kitty
    same, a, b = first_difference(deal, 7, 2, None, ten, nine)
    assert a["type"] == b["type"] == "view"
    assert a["plays"] > 40
    assert (a["event"]["seat"], a["event"]["card"]) != (b["event"]["seat"], b["event"]["card"]), "only by a card"
    assert same > 40


@pytest.mark.parametrize(
    "rules", ["advice", "standard,players=3,removed=none,kitty=nobody,opening=lowest-club", "omnibus,players=5"]
)
def test_claims_are_the_same_in_every_world_that_fits(rules):
    """The person sees the same in all of them, so a claim that only some of them allow would tell where cards are."""
    bots, compared = Bots(), 0
    for seed in range(16):
        deal = Deal(rules, seed, Rules.parse(rules).players - 1)
        deal = Deal.from_hands(deal.hands, rules, number=deal.number, pass_direction="hold", seed=seed)
        while not deal.is_over:
            if len(deal.observe(0).hand) <= 4:
                obs = deal.observe(0)
                told = nothing_counts(obs, deal)
                for world in obs.worlds(3, seed):
                    assert nothing_counts(world.observe(0), world) == told
                    compared += not world.points_open
                    assert not (told and world.points_open)
            deal.play(bots.play("gnome", deal.observe(deal.to_move)))
    assert compared > 10


def test_no_view_of_a_running_deal_names_a_hidden_card(served):
    with served.client() as client:
        client.create(served.key, seed=77)
        client.finish_deal()
        views = [json.loads(text) for text in client.traffic if '"type":"view"' in text]
    hands = [set(hand.split()) for hand in views[-1]["reveal"]["hands"]]
    seen: set[str] = set()
    for view in views[:-1]:
        assert "reveal" not in view
        seen |= {card for _, card in view["trick"] + view["last"]} | set(view["received"])
        told = set(re.findall(r'"([2-9TJQKA][CDSH])"', json.dumps(view)))
        assert told <= hands[0] | seen, view


# --- strangers ---


def test_a_wrong_key_opens_nothing(served):
    with served.client() as client, served.client() as stranger:
        client.create(served.key)
        for wrong in (client.key[:-1] + ("A" if client.key[-1] != "A" else "B"), "x" * 22, client.key.lower() + "_"):
            got = stranger.ask("open", "view", key=wrong)
            assert (got["type"], got["code"]) == ("failed", "key")
        assert stranger.ask("create", "opened", house="y" * 22, players=["gnome"] * 3)["code"] == "key"
        assert stranger.ask("play", "view", card="2C", at=0)["code"] == "table"
        assert stranger.ask("read", "deals", house="z" * 22, text="x")["code"] == "key"
        assert stranger.ask("open", "view", key=client.key)["hand"] == client.view["hand"]


def test_only_offered_players_sit_down(served):
    with served.client() as client:
        for name in ("exec:touch /tmp/x", "td:/etc/passwd", "pie", "nobody"):
            got = client.ask("create", "opened", house=served.key, players=[name, "gnome", "gnome"])
            assert (got["type"], got["code"]) == ("failed", "table"), got
        got = client.ask("create", "opened", house=served.key, players=["gnome"] * 2)
        assert "need 3 bots" in got["text"]
        got = client.ask("create", "opened", house=served.key, players=["gnome"] * 3, rules="chess")
        assert "no rules are called" in got["text"]


def test_a_player_that_cannot_play_the_rules_does_not_sit_down(served, monkeypatch):
    def only_standard(self, rules):
        if str(rules) != "standard":
            raise PlayerError(f"it does not know {rules}")

    monkeypatch.setattr(type(served.house.bots.player("gnome")[0]), "check_rules", only_standard)
    with served.client() as client:
        tables = len(served.house.live)
        got = client.ask("create", "opened", house=served.key, players=["random", "gnome", "random"], rules="spot")
        assert (got["type"], got["code"]) == ("failed", "table")
        assert got["text"] == "gnome cannot sit at this table: it does not know spot"
        assert len(served.house.live) == tables
        assert client.create(served.key, ["random", "gnome", "random"])["rules"] == "standard"


def test_a_player_of_openspiel_sits_down_where_openspiel_knows_the_rules():
    pytest.importorskip("pyspiel", reason="needs the extra envs")
    bots = Bots(["openspiel:uniform_random"])
    bots.admit("openspiel:uniform_random", Rules.parse("openspiel"))
    with pytest.raises(ValueError, match=r"cannot sit at this table: .* does not have heart_points=rank"):
        bots.admit("openspiel:uniform_random", Rules.parse("spot"))


def test_rules_are_described(served):
    """How many sit down and how it is played, before there is a table; a wrong change is told in one sentence."""
    with served.client() as client:
        got = client.ask("describe", "described", house=served.key, rules="standard,players=5,moon=choice")
        assert (got["rules"], got["players"]) == ("standard,players=5,moon=choice", 5)
        assert any("the shooter says whether" in text for text in got["how"])
        got = client.ask("describe", "described", house=served.key, rules="standard")
        assert 5 <= len(got["how"]) <= 7
        german = client.ask("describe", "described", house=served.key, rules="standard", language="de")["how"]
        assert german[0].startswith("Vermeide Punkte: jedes Herz zählt 1, Q♠ zählt 13")
        assert (
            client.ask("describe", "described", house=served.key, rules="standard", language="fr")["code"] == "message"
        )
        got = client.ask("describe", "described", house=served.key, rules="standard,moon=perhaps")
        assert (got["type"], got["code"]) == ("failed", "table")
        assert got["text"] == "moon=perhaps is unknown; choose from off, others, self, best, choice"


@given(rules=any_rules())
def test_how_to_play_can_be_said_for_any_rules(rules):
    told = " ".join(how_to_play(rules))
    assert "None" not in told
    assert ("shoots the moon" in told) == (rules.moon != "off")
    counts = rules.queen_points > 0 and QUEEN_OF_SPADES not in rules.removed
    assert (f"Q♠ counts {rules.queen_points}" in told) == counts
    assert ("No cards are passed" in told) == (set(rules.passing) == {"hold"})
    assert all(pretty_card(card) in told for card in rules.removed)
    german = how_to_play_in("de", rules)
    assert len(german) == len(how_to_play(rules))
    for english, text in zip(how_to_play(rules), german, strict=True):
        figures = [set(re.findall(r"\d+|[2-9TJQKA][♣♦♠♥]", one)) - {"1"} for one in (english, text)]
        assert figures[0] == figures[1], "the same numbers and cards"
        assert not re.search(r"\b(the|None|cards?|trick|you)\b", text), "nothing is left in English"


def test_a_failing_player_is_reported(capsys):
    """Once per kind in the server's output, with its words; on the page without them: they might tell its cards."""

    class Failing:
        is_open = False

        def check_rules(self, _rules):
            pass

        def choose_cards(self, _batch):
            raise RuntimeError("I hold Q♠")

        def choose_passes(self, _batch):
            return [0]

    with serving() as server:
        server.house.bots._players["random"] = (Failing(), threading.Lock())
        with server.client() as client:
            client.create(server.key, ["gnome", "random", "gnome"], seed=5)
            assert client.view["faults"] == [""] * 4
            client.act()
            client.finish_deal()
            told = client.view["faults"]
            assert told[0] == told[1] == told[3] == ""
            assert told[2] == (
                "random failed (no legal pass), and legal cards were passed for it; the server's output says more."
            )
            assert not any("I hold" in text for text in client.traffic)
        with server.client() as client:
            client.create(server.key, ["gnome", "random", "gnome", "gnome"], seed=5, watch=True)
            deals = client.until(lambda got: got["type"] == "deals")
            assert deals["faults"] == [told[2]]
    lines = [line for line in capsys.readouterr().err.splitlines() if "heartlab: random" in line]
    assert lines == [
        "heartlab: random: no legal pass: it chose nothing (deal 0, seat 2, after 0 cards); "
        "legal cards were passed for it",
        lines[-1],
    ]
    assert re.fullmatch(
        r"heartlab: random: RuntimeError: I hold Q♠ \(deal 0, seat 2, after \d+ cards\); "
        r"a legal card was played for it",
        lines[-1],
    )


def test_other_sites_and_names_are_turned_away(served):
    with pytest.raises(urllib.error.HTTPError, match="421"):
        urllib.request.urlopen(urllib.request.Request(served.page, headers={"Host": "evil.example"}))
    here = f"127.0.0.1:{served.port}"
    with pytest.raises(WebSocketException), connect(f"ws://{here}/ws", origin="http://evil.example"):
        pass
    for odd in ("[abc", "testserver", ""):
        with pytest.raises(urllib.error.HTTPError, match="421"):
            urllib.request.urlopen(urllib.request.Request(served.page, headers={"Host": odd}))
    plain = socket.create_connection(("127.0.0.1", served.port))
    with pytest.raises(WebSocketException), connect("ws://evil.example/ws", sock=plain):
        pass
    with connect(f"ws://{here}/ws", origin=f"http://{here}") as line:
        assert json.loads(line.recv(60))["type"] == "hello"


def test_the_page_may_load_only_from_here(served):
    with urllib.request.urlopen(served.page) as answer:
        policy, text = answer.headers["Content-Security-Policy"], answer.read().decode()
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in policy
    assert not re.search(r'(src|href)="(?!/page/|#)', text)
    with urllib.request.urlopen(served.page + "page/main.js") as answer:
        assert "javascript" in answer.headers["Content-Type"]
    for path in ("page/../store.py", "page/%2e%2e/store.py", "nothing"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(served.page + path)


KINDS = [kind.__struct_config__.tag for kind in get_args(Incoming)]
CARDS_FOR_FUZZ = ["2C", "QS", "XX", "", "10H", "2C\n"]
PLAIN_ERRORS = CODES - {"server"}


def fuzzed(house: str, key: str) -> st.SearchStrategy[str]:
    """Messages of all kinds and of none; the keys are often right."""
    fields = {
        "card": st.sampled_from(CARDS_FOR_FUZZ) | st.integers(),
        "at": st.integers(-5, 99) | st.none(),
        "cards": st.lists(st.sampled_from(["2C", "3C", "ZZ"]), max_size=20),
        "key": st.just(key) | st.text(max_size=30),
        "house": st.just(house) | st.text(max_size=30),
        "number": st.integers(-2, 2**70) | st.integers(0, 2),
        "puzzle": st.integers(-2, 2**70) | st.sampled_from([2**53 - 1, 2**63]),
        "name": st.sampled_from(["You", "", "x" * 25, "\ud800", "Zoe"]),
        "players": st.lists(st.sampled_from(["random", "nobody"]), max_size=7) | st.just(["random"] * 3),
        "rules": st.sampled_from(["standard", "chess", "standard,players=7", "spot"]),
        "seed": st.integers(-1, 2**70) | st.none(),
        "watch": st.booleans(),
        "text": st.text(max_size=40),
        "share": st.sampled_from(["ab" * 8, "AB" * 8, "", "ab" * 8 + "\n"]) | st.integers(),
        "what": st.sampled_from(["others", "self", "all", "rest"]) | st.text(max_size=5),
    }
    fitting = [
        st.fixed_dictionaries(
            {"type": st.just(kind.__struct_config__.tag)},
            optional={name: fields.get(name, st.booleans()) for name in kind.__struct_fields__},
        )
        for kind in get_args(Incoming)
    ]
    return st.one_of(
        st.text(max_size=60),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=8),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
            max_leaves=6,
        ).map(json.dumps),
        st.one_of(fitting).map(json.dumps),
        st.fixed_dictionaries({"type": st.sampled_from(KINDS)}, optional=fields).map(json.dumps),
    )


@pytest.mark.slow
def test_fuzzed_messages_get_documented_errors_and_disturb_nobody(served, monkeypatch):
    """All kinds of messages, from a stranger, and from somebody who has the keys: an answer to each, never a crash."""
    monkeypatch.setattr(Bucket, "take", lambda self, cost: True)
    with served.client() as quiet, served.client() as stranger, served.client() as noisy:
        quiet.create(served.key, seed=4)
        before = quiet.view
        own = noisy.create(served.key, ["random"] * 3, seed=4, practice=True) and noisy.key

        @settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
        @given(fuzzed("x" * 22, "y" * 22))
        def throw(text):
            stranger.socket.send(text)
            got = stranger.receive()
            assert got["type"] == "failed", got
            assert got["code"] in PLAIN_ERRORS
            assert len(got["text"]) <= 300

        @settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
        @given(fuzzed(served.key, own))
        def throw_with_keys(text):
            noisy.socket.send(text)
            noisy.socket.send('{"type": "no such message"}')
            got = noisy.until(lambda got: got["type"] == "failed" and "no such message" in got["text"])
            assert got["code"] == "message"

        throw()
        throw_with_keys()
        failures = [got for got in map(json.loads, noisy.traffic) if got["type"] == "failed"]
        assert {got["code"] for got in failures} <= PLAIN_ERRORS, failures
        for number in (2**53, 2**63):
            assert noisy.ask("answer", "graded", house=served.key, puzzle=number, card="2C")["code"] == "message"
        assert noisy.ask("answer", "graded", house=served.key, puzzle=2**53 - 1, card="2C")["code"] == "table"
        noisy.socket.send(b"\x00\xff")
        assert noisy.receive()["code"] == "message"
        noisy.socket.send('{"type":"play","card":"' + "A" * 5000 + '","at":0}')
        assert noisy.receive()["code"] == "limit"
        assert quiet.ask("open", "view", key=quiet.key)["hand"] == before["hand"]
        quiet.act()


def test_an_error_inside_the_server_is_answered_and_the_line_stays(served, monkeypatch):
    with served.client() as client:
        client.create(served.key, seed=4)
        monkeypatch.setattr(Session, "deal_at", lambda self, number: 1 // 0)
        got = client.ask("replay", "deals", number=0)
        assert (got["type"], got["code"]) == ("failed", "server")
        monkeypatch.undo()
        client.act()


@pytest.fixture
def stopped_clock(monkeypatch):
    """Tokens come back only when the test moves the clock on."""
    now = [0.0]
    monkeypatch.setattr("heartlab.web.connection.Bucket", lambda: Bucket(lambda: now[0]))
    return now


@pytest.mark.slow
@pytest.mark.parametrize("text", ['{"type":"nonsense"}', b"\x00\xff", '{"type":"play","x":"' + "A" * 5000 + '"}'])
def test_rubbish_is_paid_for_before_it_is_read(served, text, stopped_clock):
    with served.client() as client:
        for _ in range(int(CAPACITY) + 20):
            client.socket.send(text)
        codes = [client.receive()["code"] for _ in range(int(CAPACITY) + 20)]
    assert codes.count("limit") >= 5 if isinstance(text, bytes) or len(text) < 100 else codes.count("limit") > CAPACITY


@pytest.mark.slow
def test_a_flood_is_stemmed_and_the_table_goes_on(served, stopped_clock):
    with served.client() as client:
        client.create(served.key)
        for _ in range(int(CAPACITY) + 40):
            client.say("undo")
        codes = [client.receive()["code"] for _ in range(int(CAPACITY) + 40)]
        assert "limit" in codes
        stopped_clock[0] += 1.0
        client.act()


def test_tokens_come_back_with_time():
    now = [0.0]
    bucket = Bucket(lambda: now[0])
    taken = 0
    while bucket.take(1.0):
        taken += 1
    assert taken == CAPACITY
    now[0] = 1.0
    assert bucket.take(1.0)
    now[0] = 1e6
    assert [bucket.take(entry_cost(40) + further_cost("review", 40)) for _ in range(4)] == [True, True, True, False]
    assert further_cost("read", MAX_ORDINARY + 1) == 0, "a large message has paid before it was read"


def test_the_protocol_page_explains_every_field():
    """Of every message and of its parts, in a table of its own; and every code of a failure."""
    page = (ROOT / "docs" / "web-protocol.md").read_text()
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", page, re.MULTILINE | re.DOTALL))
    known = {**vars(messages), **vars(values)}.values()
    kinds = [kind for kind in known if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    kinds.remove(msgspec.Struct)
    assert set(sections) == {kind.__name__ for kind in kinds}
    for kind in kinds:
        told = re.findall(r"^\| `(\w+)` \|", sections[kind.__name__], re.MULTILINE)
        assert told == list(kind.__struct_fields__), kind.__name__
        tag = kind.__struct_config__.tag
        assert tag is None or f"`{tag}`" in sections[kind.__name__]
    assert set(get_args(get_type_hints(messages.Failed)["code"])) == CODES
    assert all(f"`{code}` (" in page for code in CODES)


def test_the_types_of_the_page_are_those_of_the_server():
    assert page_types.FILE.read_text() == page_types.text(), "run: PYTHONPATH=tests python tests/support/page_types.py"


# --- what is kept ---


def test_games_of_version_0_1_go_on(tmp_path):
    """Six unfinished games, a watched one and puzzles, kept by 0.1, with what 0.1 sent when they were opened."""
    path = tmp_path / "games.sqlite"
    shutil.copy(DATA / "games-0.1.sqlite", path)
    expected = json.loads((DATA / "games-0.1.json").read_text())
    with serving(path) as server:
        for question in ("level", "puzzle"):
            with server.client() as client:
                told, got = expected.pop(question), client.ask(question, question, house=server.key, name="Zoe")
                assert {name: got[name] for name in told} == told
        for key, told in expected.items():
            with server.client() as client:
                got = client.ask("open", told["type"], key=key)
                assert {name: got[name] for name in told} == told
                if told["type"] == "view":
                    assert client.finish_deal()["phase"] in ("over", "end")


@pytest.mark.slow
def test_a_killed_server_loses_nothing(tmp_path):
    file = tmp_path / "games.sqlite"

    def start() -> tuple[subprocess.Popen[str], int, str]:
        command = [sys.executable, "-m", "heartlab.cli", "play", "--port", "0", "--no-browser", "--file", str(file)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert process.stdout is not None
        found = re.search(r"http://127.0.0.1:(\d+)/#(\S+)", process.stdout.readline())
        assert found
        return process, int(found[1]), found[2]

    process, port, house = start()
    try:
        with Client(port) as client:
            client.create(house, seed=8)
            client.act()
            while len(client.view["trick"]) == 0:
                client.act()
            key, before = client.key, client.view
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    process, port, again = start()
    try:
        assert again == house
        with Client(port) as client:
            view = client.ask("open", "view", key=key)
            assert {**view, "event": None} == {**before, "event": None}
            client.finish_deal()
    finally:
        process.terminate()
        process.wait(600)


def test_a_table_can_be_built_again_at_any_moment():
    """From what the store has after every pass and card: the same deal, the same promise, the same totals."""
    session, bots = Session(Settings("standard,limit=30", ["random"] * 3, seed=6), [], lambda row: None), Bots()
    moments = 0
    while not session.game_over:
        kept = msgspec.json.decode(msgspec.json.encode(session.rows), type=list[Row])
        again = Session(session.settings, kept, lambda row: None)
        assert again.deal == session.deal
        assert (again.commitment, again.course, again.claims()) == (
            session.commitment,
            session.course,
            session.claims(),
        )
        moments += 1
        if session.deal.is_over:
            session.next_deal()
            continue
        seat = session.deal.to_pass[0] if session.deal.to_pass else session.deal.to_move
        obs = session.deal.observe(seat)
        if session.deal.to_pass:
            session.pass_cards(seat, bots.pass_cards("random", obs))
        else:
            for _ in range(7):
                if session.deal.to_move is not None:
                    session.play(bots.play("random", session.deal.observe(session.deal.to_move)))
    assert moments > 20


def test_a_card_does_not_wait_for_the_coach(served, monkeypatch):
    """The first answer may have to be compiled. What is played meanwhile is not held up, and the answer still comes."""
    go_on = threading.Event()

    def slow(self, deal, seats, line=False):
        assert go_on.wait(600)
        raise SessionError("the coach has thought")

    monkeypatch.setattr(Coach, "hint", slow)
    with served.client() as client:
        client.create(served.key, seed=6, rules="seed")
        client.ask("hint", "progress")
        before = client.view["plays"]
        client.say("play", card=client.view["legal"][0], at=before)
        client.until(lambda got: got["type"] == "view" and got["plays"] > before)
        go_on.set()
        client.until(lambda got: got.get("text") == "the coach has thought")


def test_two_browsers_at_one_table_see_the_same(served):
    with served.client() as one, served.client() as two:
        one.create(served.key, seed=6)
        two.ask("open", "view", key=one.key)
        one.act()
        two.until(lambda got: got["type"] == "view" and got["plays"] == one.view["plays"])
        assert {**two.view, "event": 0} == {**one.view, "event": 0}


def test_a_table_that_is_opened_again_stays_the_same():
    """On one line, as the page does after a failure: there is never a second copy that overwrites the first one."""

    async def scene(house):
        one, two = (Connection(house, CoachService(house), QuietSocket()) for _ in range(2))
        await one.create(messages.Create(house.key, ["random"] * 3, seed=3))
        live = one.live
        await one.open(messages.Open(live.key))
        await two.open(messages.Open(live.key))
        assert one.live is two.live is house.live[live.key] is live
        assert set(live.guests) == {one, two}
        house.leave(live, two)
        await live.driving
        house._lose(live)
        await one.open(messages.Open(live.key))
        again = one.live
        assert again is house.live[live.key] is not live
        assert (set(live.guests), set(again.guests)) == (set(), {one})
        house.leave(live, two)
        assert house.live == {live.key: again}
        await again.driving
        await one.create(messages.Create(house.key, ["random"] * 3, seed=3))
        assert house.live == {one.live.key: one.live}
        await one.live.driving

    in_a_house(scene)


def test_the_bots_of_a_lost_table_do_not_play_on():
    """They may wait for the lock while a card cannot be kept; then the table goes on in another copy."""

    async def scene(house):
        live = await house.create(Settings("standard,passing=hold", ["random"] * 4, seed=3, watch=True))
        live.guests[house] = QuietSocket().send_text
        house._lose(live)
        house.drive(live)
        await live.driving
        assert not live.session.row.plays

    in_a_house(scene)


def test_a_table_that_went_on_while_it_was_opened_is_built_again(monkeypatch):
    """Somebody else opens it, passes and leaves while the one who asked first still waits for a thread."""

    async def scene(house):
        key = (await house.create(Settings("standard", ["random"] * 3, seed=3))).key
        house.live.clear()
        real, gate = house.prepare, asyncio.Event()

        async def held_up(work, *arguments):
            found = await real(work, *arguments)
            await gate.wait()
            return found

        monkeypatch.setattr(house, "prepare", held_up)
        slow = asyncio.create_task(house.open(key))
        await asyncio.sleep(0)
        monkeypatch.setattr(house, "prepare", real)
        quick = await house.open(key)
        await house.pass_cards(quick, 0, [card_name(card) for card in sorted(quick.session.deal.hands[0])[:3]])
        await quick.driving
        assert not house.live
        gate.set()
        assert (await slow).session.row == quick.session.row != Row(0, 3, quick.session.row.salt)

    in_a_house(scene)


class QuietSocket:
    """The end of a line to a browser that says nothing."""

    async def send_text(self, text):
        pass


def in_a_house(scene):
    """Run what happens in a house without a server."""
    house = House(Store(":memory:"))
    try:
        asyncio.run(scene(house))
    finally:
        house.close()


def test_a_foreign_file_is_no_store(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("this is not a database, and should not become one " * 40)
    with pytest.raises(StoreError, match="cannot be used"):
        Store(path)
    assert path.read_text().startswith("this is not")


def test_a_card_that_cannot_be_kept_is_not_played(served, monkeypatch):
    with served.client() as client:
        client.create(served.key, seed=5)
        client.act()
        before = client.view
        monkeypatch.setattr(served.house.store, "save_deal", full_disk)
        got = client.ask("play", "view", card=before["legal"][0], at=before["plays"])
        assert got["type"] == "failed"
        monkeypatch.undo()
        assert client.ask("open", "view", key=client.key)["hand"] == before["hand"]
        client.act()


def test_a_bots_card_that_cannot_be_kept_is_told_and_played_later(served, monkeypatch):
    with served.client() as client:
        client.create(served.key, seed=5)
        client.act()
        before, real, saved = client.view, served.house.store.save_deal, []

        def second_fails(key, row):
            saved.append(row.number)
            if len(saved) == 2:
                raise StoreError("this cannot be kept")
            real(key, row)

        monkeypatch.setattr(served.house.store, "save_deal", second_fails)
        client.say("play", card=before["legal"][0], at=before["plays"])
        assert client.until(lambda got: got["type"] != "view")["code"] == "server"
        assert "open it again" in client.ask("hint", "coaching")["text"]
        client.say("open", key=client.key)
        assert client.my_turn()["plays"] > before["plays"]
        client.act()


def test_what_the_file_refuses_is_one_kind_of_error(tmp_path):
    store = Store(tmp_path / "games.sqlite")
    store.close()
    for refused in (
        lambda: store.add_session("key", Settings("standard", [])),
        lambda: store.add_decisions("key", 0, "You", [(1, 1.0, None)]),
        lambda: store.schedule_puzzle(1, 0, 0.0),
        lambda: store.waiting_puzzles("You"),
    ):
        with pytest.raises(StoreError, match="cannot be kept"):
            refused()


def test_only_its_owner_reads_the_file(tmp_path):
    path = tmp_path / "games.sqlite"
    for mode in (None, 0o644):
        if mode is not None:
            path.chmod(mode)
        store = Store(path)
        store.house_key()
        assert {one.name: one.stat().st_mode & 0o777 for one in tmp_path.iterdir()} == {
            one.name: 0o600 for one in tmp_path.iterdir()
        }
        store.close()


def test_everybody_keeps_the_own_puzzles():
    """The same mistake of two persons is two puzzles, another one in the same place is a further one."""
    store, deal = Store(":memory:"), Deal("standard", 4, 3)
    choice = Decision(9, 3, "2C", "3C", 1.0, None, 0.0, [])
    bodies = []
    for legal in (0, -1):
        other = deal.copy()
        for _ in range(8):
            other.play(sorted(other.legal)[legal])
        bodies.append(make_puzzle(other, choice, ["You", "Ada", "Emil", "Ines"]))
    for person in ("Zoe", "Max"):
        for body in (*bodies, bodies[0]):
            store.add_puzzle(person, origin_of(person, body), body, 0.0)
    assert [store.waiting_puzzles(person) for person in ("Zoe", "Max")] == [2, 2]


# --- the queue ---


def test_those_who_used_little_time_go_first():
    """One thread: ten pieces of a busy owner wait, and a new owner comes before all but the one that is being done."""

    async def scene():
        workers, busy, quick, order = Workers(1, "test"), threading.Event(), threading.Event(), []

        def piece(name):
            order.append(name)
            time.sleep(0.01)

        first = [asyncio.create_task(workers.run(busy, piece, f"busy {number}")) for number in range(3)]
        await asyncio.gather(*first)
        waiting = [asyncio.create_task(workers.run(busy, piece, f"more {number}")) for number in range(10)]
        await asyncio.sleep(0)
        late = asyncio.create_task(workers.run(quick, piece, "quick"))
        waiting[-1].cancel()
        await asyncio.gather(late, *waiting[:-1])
        assert order.index("quick") <= 4, order
        assert len(order) == 13
        with pytest.raises(ZeroDivisionError):
            await workers.run(quick, lambda: 1 // 0)
        assert await workers.run(quick, lambda: 7) == 7
        workers.close()

    asyncio.run(scene())


def test_waiting_for_a_thread_is_the_servers_own_time(served, monkeypatch):
    """The threads are taken for a while; then three passes and the cards up to the person are one piece of work."""
    pieces = []
    choose = House._choose

    def counted(self, deal, seats):
        found = choose(self, deal, seats)
        pieces.append(len(found[0]))
        return found

    monkeypatch.setattr(House, "_choose", counted)
    monkeypatch.setattr("heartlab.web.house.SLICE", 1e9)
    with served.client() as client:
        view = client.create(served.key, seed=5)
        gate, moves = threading.Event(), len(served.house.own_seconds)
        for _ in range(2):
            asyncio.run_coroutine_threadsafe(served.house.prepare(gate.wait, 60), served.loop)
        client.say("pass", cards=view["may_pass"][:3])
        client.receive()
        time.sleep(0.2)
        gate.set()
        plays = client.my_turn()["plays"]
        while len(served.house.own_seconds) == moves:
            time.sleep(0.01)
        assert served.house.own_seconds[-1] >= 0.2
        assert pieces == [3 + plays]


def test_the_tables_do_not_wait_for_the_coach(served):
    with served.client() as client:
        client.create(served.key, seed=5)
        gate = threading.Event()
        asked = asyncio.run_coroutine_threadsafe(served.house.think(gate.wait, 60), served.loop)
        client.act(), client.act()
        assert not asked.done()
        gate.set()
        assert asked.result(60)


def full_disk(key, row):
    raise StoreError("this cannot be kept")


def test_games_are_not_kept_in_a_folder(tmp_path):
    folder = tmp_path / "games"
    folder.mkdir()
    with pytest.raises(ValueError, match="games is a folder"):
        run_server(
            host="127.0.0.1", port=0, beyond=False, file=folder, players=[], coach=None, browser=False, workers=1
        )
    assert list(tmp_path.iterdir()) == [folder], "a refused folder leaves no lock beside it"


def test_two_servers_do_not_share_a_file(tmp_path):
    """Each would keep its own view of a table, and undo the other's cards."""
    program = "import sys, pathlib; from heartlab.util.locks import alone; p = pathlib.Path(sys.argv[1])\n"
    program += "with alone(p, 'busy'): print('locked', flush=True); sys.stdin.read()"
    file, pipes = tmp_path / "games.sqlite", dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with subprocess.Popen([sys.executable, "-c", program, f"{file}.lock"], **pipes) as other:
        assert other.stdout.readline() == b"locked\n"
        try:
            with pytest.raises(ValueError, match="in use by another `heartlab play`"):
                run_server(
                    host="127.0.0.1", port=0, beyond=False, file=file, players=[], coach=None, browser=False, workers=1
                )
        finally:
            other.kill()
    with alone(Path(f"{file}.lock"), "still busy"):
        assert not file.exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"host": "0.0.0.0"}, "--listen 0.0.0.0 says that this is meant"),
        ({"host": "nonsense", "beyond": True}, "^nonsense is no address of this computer; lan means all of them$"),
        ({"host": "192.0.2.7", "beyond": True}, "^192.0.2.7 is no address of this computer; lan means"),
        ({"names": ["http://x"]}, "a name without port and slashes is needed"),
        ({"port": 99999}, "a port is a number from 0 to 65535"),
        ({"coach": "gnome"}, "no model is called 'gnome'"),
        ({"coach": "td"}, "whole-game is needed"),
        ({"players": ["pie"]}, "sees all hands and may not sit"),
        ({"players": ["nobody"]}, "no player is called"),
    ],
)
def test_a_server_that_must_not_start_says_why(tmp_path, change, words):
    usual = dict(host="127.0.0.1", port=0, beyond=False, players=[], coach=None, browser=False, workers=1)
    with pytest.raises(ValueError, match=words):
        run_server(file=tmp_path / "games.sqlite", **{**usual, **change})
    assert not list(tmp_path.iterdir())


def test_the_kept_row_is_small_and_has_no_view(served):
    with served.client() as client:
        client.create(served.key, seed=5)
        client.finish_deal()
        kept = served.house.store.load_session(client.key)
        assert kept is not None
        assert [card_name(card) for card in kept[1][0].plays][:1]
        assert kept[1][0].points == client.view["points"]
