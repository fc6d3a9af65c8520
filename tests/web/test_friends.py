"""Tables of friends through the protocol: seats, secrets, people who leave and come back, the host's rights."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from support.friends import NAMES, Friends, friends_at
from support.web_client import Client, moon_hands, serving
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from heartlab.cards import CardSet
from heartlab.deal import Deal
from heartlab.rules import Rules
from heartlab.web.commitment import check_proof
from heartlab.web.friends import Patience, proper_name
from heartlab.web.guard import Hosts
from heartlab.web.session import SessionError
from heartlab.web.tokens import Bucket

NEVER = Patience(gone=1e6, idle=1e6)


@pytest.fixture(scope="module")
def served():
    with serving(patience=NEVER) as server:
        yield server


@pytest.fixture(autouse=True)
def no_flood(monkeypatch):
    monkeypatch.setattr(Bucket, "take", lambda self, cost: True)


def cards_in(client) -> set[str]:
    return set(client.view["hand"])


# --- sitting down and playing ---


def test_everybody_sees_the_own_seat_below_and_the_own_cards(served):
    with friends_at(served, 3) as table:
        zoe, max_, lea = table.clients
        assert [seat["occupant"] for seat in table.room(zoe, again=False)["seats"]] == ["person"] * 3 + ["bot"]
        assert not any(got["type"] == "view" for client in table.clients for got in client.heard), "no cards yet"
        table.begin()
        assert zoe.view["names"] == ["Zoe", "Max", "Lea", "Ada"]
        assert max_.view["names"] == ["Max", "Lea", "Ada", "Zoe"]
        assert lea.view["names"] == ["Lea", "Ada", "Zoe", "Max"]
        assert [client.view["seat"] for client in table.clients] == [0, 1, 2]
        hands = [cards_in(client) for client in table.clients]
        assert len(set.union(*hands)) == 39
        table.finish_deal()
        reveals = [client.view["reveal"] for client in table.clients]
        assert [set(one["hands"][0].split()) for one in reveals] == hands
        assert reveals[1]["hands"] == reveals[0]["hands"][1:] + reveals[0]["hands"][:1]
        assert max_.view["points"] == zoe.view["points"][1:] + zoe.view["points"][:1]
        proof = lea.ask("replay", "deals", number=0)["proof"]
        assert all(holds for _, holds, _ in check_proof(proof))
        assert proof["record"]["players"] == ["Zoe", "Max", "Lea", "Ada (gnome)"]


@pytest.mark.parametrize(("rules", "seats"), [("black-maria", 3), ("standard,players=5", 5)])
def test_other_numbers_of_seats(served, rules, seats):
    with friends_at(served, seats, rules=rules, seats=seats) as table:
        table.begin()
        table.finish_deal()
        assert len({client.view["seat"] for client in table.clients}) == seats == Rules.parse(rules).players
        with served.client() as more:
            text = more.ask("join", "opened", invitation=table.invitation, name="Ulf")["text"]
        assert text == "all seats of this table are taken now"


def test_passing_waits_for_everybody(served):
    with friends_at(served, 3) as table:
        table.begin()
        zoe, max_, lea = table.clients
        for client in (lea, zoe):
            client.say("pass", cards=client.view["may_pass"][:3])
            table.settle()
            assert client.view["may_pass"] == []
            assert client.view["received"] == []
            assert zoe.view["phase"] == "pass"
        assert zoe.view["waiting"] == [1]
        assert lea.view["waiting"] == [3]
        assert max_.view["waiting"] == [0]
        max_.say("pass", cards=max_.view["may_pass"][:3])
        table.settle()
        assert zoe.view["phase"] == "play"
        assert set(max_.view["received"]) == set(zoe.view["passed"]), "to the left"


def test_the_next_deal_waits_for_everybody_who_is_there(served):
    with friends_at(served, 2) as table:
        table.begin()
        table.finish_deal()
        zoe, max_ = table.clients
        assert zoe.view["waiting"] == [0, 1]
        max_.say("next", share="cd" * 8)
        table.settle()
        assert (zoe.view["phase"], zoe.view["waiting"]) == ("over", [0])
        zoe.say("next", share="ef" * 8)
        table.settle()
        assert (zoe.view["deal"], zoe.view["phase"], zoe.view["share"]) == (1, "pass", "ef" * 8)


def test_who_comes_during_a_deal_plays_from_the_next_one_on(served):
    with friends_at(served, 2) as table:
        table.begin()
        table.act(), table.act()
        late = table.join("Lea")
        assert not table.room(late, again=False)["playing"]
        assert late.ask("play", "failed", card="2C", at=0)["text"] == "you sit down with the next deal"
        assert not any(got["type"] == "view" for got in late.heard)
        assert table.host.view["names"] == ["Zoe", "Max", "Ada", "Emil"]
        assert table.host.view["people"] == ["person", "person", "next", "bot"]
        table.finish_deal()
        assert not any(got["type"] == "view" for got in late.heard)
        table.act()
        table.clients.append(late)
        table.act()
        assert late.view["names"] == ["Lea", "Ada", "Zoe", "Max"]
        assert len(late.view["hand"]) == 13


def test_a_rematch_takes_everybody_along(served):
    with friends_at(served, 2, rules="standard,limit=1") as table:
        table.begin()
        assert table.clients[1].ask("rematch", "opened")["text"] == "the game is not over"
        table.finish_deal()
        assert table.host.view["phase"] == "end"
        old = [client.key for client in table.clients]
        table.clients[1].say("rematch", share="ab" * 8)
        for client in table.clients:
            client.key = client.until(lambda got: got["type"] == "opened")["key"]
        table.settle()
        assert (table.host.view["deal"], table.host.view["phase"], table.host.view["scores"]) == (0, "pass", [0] * 4)
        assert len({*old, *(client.key for client in table.clients)}) == 4
        table.join("Lea")
        with served.client() as again:
            assert again.ask("open", "view", key=old[1])["phase"] == "end"


# --- leaving and coming back ---


def test_somebody_whose_line_is_lost_is_replaced_and_comes_back():
    with serving(patience=Patience(gone=0.0, idle=1e6)) as served, friends_at(served, 2) as table:
        table.begin()
        table.act(), table.act()
        zoe, max_ = table.clients
        while 0 not in max_.view["waiting"]:
            table.act()
        before = max_.view
        max_.socket.close()
        table.settle(zoe)
        zoe.until(lambda got: got["type"] == "view" and got["people"][1] == "away" and got["waiting"] == [0])
        assert zoe.view["plays"] > before["plays"], "a bot has played"
        assert zoe.view["players"][1] == "gnome"
        again = table.stack.enter_context(served.client())
        view = again.ask("open", "view", key=max_.key)
        assert set(view["hand"]) < set(before["hand"])
        assert view["people"][0] == "person"
        table.clients[1] = again
        table.settle()
        table.finish_deal()
        assert again.view["reveal"]["hands"][0].split() == zoe.view["reveal"]["hands"][1].split()


def test_somebody_who_does_nothing_is_replaced_and_says_so_when_back():
    with serving(patience=Patience(gone=1e6, idle=0.0)) as served, friends_at(served, 2) as table:
        table.host.say("next")
        for client in table.clients:
            client.until(lambda got: got["type"] == "view" and got["phase"] == "over")
            assert client.view["people"][:1] == ["away"]
        zoe, max_ = table.clients
        max_.say("back")
        zoe.until(lambda got: got["type"] == "view" and got["people"][1] == "person")


def test_who_leaves_is_replaced_at_once_and_without_anybody_nothing_is_played(served):
    with friends_at(served, 2) as table:
        table.begin()
        zoe, max_ = table.clients
        max_.say("leave")
        zoe.until(lambda got: got["type"] == "view" and got["people"][1] == "away")
        assert max_.ask("pass", "failed", cards=max_.view["may_pass"][:3])["code"] == "table"
        zoe.say("pass", cards=zoe.view["may_pass"][:3])
        table.settle(zoe)
        assert zoe.view["phase"] == "play"
        plays = zoe.view["plays"]
        zoe.say("leave")
        view = zoe.ask("open", "view", key=zoe.key)
        assert view["plays"] == plays, "bots do not play among themselves"


def test_a_server_that_starts_again_knows_the_seats(tmp_path):
    file = tmp_path / "games.sqlite"
    with serving(file, patience=NEVER) as served, friends_at(served, 2) as table:
        table.begin()
        keys, hands = [client.key for client in table.clients], [cards_in(client) for client in table.clients]
    with serving(file, patience=NEVER) as served:
        for key, hand, seat in zip(keys, hands, (0, 1), strict=True):
            with served.client() as client:
                view = client.ask("open", "view", key=key)
                assert (set(view["hand"]), view["seat"]) == (hand, seat)


# --- secrets ---


def swapped(deal: Deal, first: int, second: int, place: int) -> list[CardSet]:
    """The hands of a deal in which two seats have exchanged a card."""
    one, other = sorted(deal.hands[first])[place], sorted(deal.hands[second])[place]
    hands = [set(hand) for hand in deal.hands]
    hands[first] ^= {one, other}
    hands[second] ^= {one, other}
    return [CardSet(hand) for hand in hands]


MASKED = re.compile('"(commitment|promise)":"[0-9a-f]{64}"|"(key|invitation)":"[^"]+"')


def is_told_of_seats(got: dict) -> bool:
    return got["type"] == "view" and got["event"]["kind"] == "seats"


def leave_and_return(table: Friends, guest: Client) -> None:
    """Somebody leaves and comes back while the table waits for somebody else; everybody has heard of both."""
    guest.say("leave")
    for client in table.clients:
        if client is not guest:
            client.until(lambda got: got["type"] == "view" and "away" in got["people"])
    guest.ask("open", "view", key=guest.key)
    for client in table.clients:
        client.until(
            lambda got: got["type"] == "view" and got["event"]["kind"] == "seats" and "away" not in got["people"]
        )


def recorded(hands: list[CardSet], deal: Deal, people: int) -> list[list[str]]:
    """All that each of the people is sent in a deal with given hands, in which they try everything that they can."""

    def dealer(rules, _seed, _number, scores):
        return Deal.from_hands(hands, rules, number=deal.number, scores=scores, seed=1)

    with serving(dealer=dealer, patience=NEVER) as served, friends_at(served, people) as table:
        table.begin()
        left = False
        while table.host.view["phase"] in ("pass", "play"):
            actor = table.act()
            if table.host.view["plays"] % 16 < 4:
                for question in ("hint", "count", "check", "undo"):
                    assert actor.ask(question, "failed")["code"] == "table"
                assert actor.ask("review", "failed", number=0)["code"] == "table"
                assert actor.ask("replay", "failed", number=0)["code"] == "table"
                actor.say("react", what="ouch")
                for client in table.clients:
                    client.until(lambda got: got["type"] == "reacted")
            if not left and table.host.view["plays"] > 20 and table.awaited is not table.clients[-1]:
                left = True
                leave_and_return(table, table.clients[-1])
        return [[MASKED.sub('"masked":0', text) for text in client.traffic] for client in table.clients]


@pytest.mark.slow
@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize(("people", "number"), [(4, 3), (4, 0), (2, 3)])
def test_no_seat_is_told_of_anothers_cards_before_they_show(seat, people, number):
    """The recorder, for every seat: two deals differ in two cards of others, and all bytes are the same until one
    of these cards is played or received."""
    if seat >= people:
        seat, others = seat % people, (2, 3)  # the bots' cards
    else:
        others = tuple(one for one in range(4) if one != seat)[:2]
    deal = Deal("standard", 11 + seat, number)
    hands = swapped(deal, *others, place=6)
    assert hands[seat] == deal.hands[seat]
    told = [recorded(each, deal, people)[seat] for each in (list(deal.hands), hands)]
    place = next((n for n, (a, b) in enumerate(zip(*told, strict=False)) if a != b), None)
    assert place is not None, "the cards are played at last"
    a, b = (json.loads(texts[place]) for texts in told)
    assert place > 5
    assert a["type"] == b["type"] == "view", (a, b)
    if a["received"] == b["received"] and not ("reveal" in a and "reveal" in b):
        assert a["event"]["kind"] in ("played", "over")
        assert a["event"]["seat"] == b["event"]["seat"]
        assert a["event"]["card"] != b["event"]["card"]
    elif "reveal" not in a:
        assert number != 3


def test_no_view_of_a_running_deal_names_a_hidden_card(served):
    with friends_at(served, 4) as table:
        table.begin()
        table.finish_deal()
        for client in table.clients:
            views = [got for got in client.heard if got["type"] == "view"]
            own, seen = set(views[-1]["reveal"]["hands"][0].split()), set()
            running = [view for view in views if view["phase"] in ("pass", "play")]
            assert len(running) > 40
            for view in running:
                assert "reveal" not in view
                seen |= {card for _, card in view["trick"] + view["last"]} | set(view["received"])
                told = set(re.findall(r'"([2-9TJQKA][CDSH])"', json.dumps(view)))
                assert told <= own | seen, view


def test_a_key_acts_for_its_own_seat_only(served):
    with friends_at(served, 3) as table:
        table.begin()
        for _ in range(3):
            table.act()
        zoe, max_, lea = table.clients
        mover = table.awaited
        other = next(client for client in table.clients if client is not mover)
        card = mover.view["legal"][0]
        assert other.ask("play", "refused", card=card, at=mover.view["plays"])["type"] == "refused"
        for kind, values in (("invite", {}), ("remove", {"seat": 1}), ("remove", {"seat": 2})):
            assert max_.ask(kind, "failed", **values)["text"] == "only the host can do that"
        assert lea.ask("next", "failed")["text"] == "this deal is not finished"
        assert zoe.ask("remove", "failed", seat=3)["text"] == "no guest sits there"
        assert max_.ask("again", "failed", number=0)["code"] == "table"


def test_only_the_host_begins(served):
    with friends_at(served, 2) as table:
        assert table.clients[1].ask("next", "failed")["text"] == "only the host can do that"
        assert table.host.ask("pass", "failed", cards=["2C"])["text"] == "the host has not begun yet"


def test_wrong_tokens_open_nothing(served):
    with friends_at(served, 2) as table, served.client() as stranger:
        for key in (table.invitation, "x" * 22):
            assert stranger.ask("open", "view", key=key)["code"] == "key"
        for invitation in (table.host.key, table.clients[1].key, "x" * 22):
            assert stranger.ask("join", "opened", invitation=invitation, name="Eve")["code"] == "key"
        assert len({table.invitation, *(client.key for client in table.clients)}) == 3
        assert all(len(key) >= 22 for key in (table.invitation, table.clients[1].key)), "128 random bits"
        assert table.room(table.clients[1], again=False)["invitation"] == "", "only the host invites"
        table.host.say("invite")
        fresh = table.room(table.host)["invitation"]
        assert stranger.ask("join", "opened", invitation=table.invitation, name="Eve")["code"] == "key"
        assert stranger.ask("join", "opened", invitation=fresh, name="Eve")["type"] == "opened"


def test_the_host_gives_a_guests_seat_to_a_bot(served):
    with friends_at(served, 2) as table:
        table.begin()
        zoe, max_ = table.clients
        zoe.say("remove", seat=1)
        told = max_.until(lambda got: got["type"] == "failed")
        assert (told["code"], told["text"]) == ("key", "your host has given this seat to a bot")
        assert max_.ask("pass", "failed", cards=max_.view["may_pass"][:3])["code"] == "table"
        assert max_.ask("open", "view", key=max_.key)["code"] == "key"
        zoe.until(lambda got: got["type"] == "view" and got["people"][1] == "away")
        table.clients.remove(max_)
        while zoe.view["deal"] == 0:
            table.act()
        assert zoe.view["people"] == ["person", "bot", "bot", "bot"]


def test_the_seat_of_a_removed_guest_is_not_given_away_within_a_deal(served):
    """Otherwise somebody could see two hands of one deal: the own one, and, by the invitation, that of the other."""
    with friends_at(served, 4) as table:
        table.begin()
        table.host.say("remove", seat=1)
        table.clients[1].until(lambda got: got["type"] == "failed")
        with served.client() as again:
            asked = dict(invitation=table.invitation, name="Eve")
            assert again.ask("join", "opened", **asked)["text"] == "all seats of this table are taken now"
            del table.clients[1]
            table.settle(table.host)
            for client in table.clients[1:]:
                client.until(lambda got: got["type"] == "view" and "away" in got["people"])
            table.finish_deal()
            assert again.ask("join", "opened", **asked)["type"] == "opened"


def test_the_history_of_friends_gives_no_key_of_a_seat(served):
    with friends_at(served, 2) as table:
        table.begin()
        table.finish_deal()
        points = [client.view["points"] for client in table.clients]
        with served.client() as stranger:
            for name, own in zip(NAMES, points, strict=False):
                games = stranger.ask("history", "games", house=served.key, name=name)["games"]
                game = next(one for one in games if one["deals"][-1]["points"] == own)
                assert (game["names"][0], game["players"][:1] or ["friend"]) != ("", [])
                assert stranger.ask("open", "view", key=game["key"])["code"] == "key"
                asked = dict(house=served.key, name=name, key=game["key"])
                assert len(stranger.ask("game", "deals", **asked)["records"]) >= 1
                assert stranger.ask("game", "deals", **asked, number=0)["proof"]["record"]["players"][0] == "Zoe"
            assert game["players"] == ["gnome", "gnome", "friend"]
            asked = dict(house=served.key, text=json.dumps(stranger.heard[-1]["records"][0]), into="Max")
            assert stranger.ask("read", "imported", **asked)["deals"] == 0, "it is there already"


def test_a_person_who_shoots_the_moon_is_asked(served):
    def dealer(rules, _seed, _number, scores):
        hands = moon_hands()
        return Deal.from_hands([hands[1], hands[0], *hands[2:]], rules, number=3, scores=scores)

    def high(view):
        return min(view["legal"], key=lambda card: ("CSHD".index(card[1]), -"23456789TJQKA".index(card[0])))

    with (
        serving(dealer=dealer, patience=NEVER) as server,
        friends_at(server, 2, rules="standard,moon=choice") as table,
    ):
        table.begin()
        while table.host.view["phase"] == "play":
            table.act(high if table.awaited is table.clients[1] else None)
        zoe, max_ = table.clients
        assert [client.view["phase"] for client in table.clients] == ["moon", "moon"]
        assert (zoe.view["chooser"], max_.view["chooser"]) == (1, 0)
        assert "reveal" not in zoe.view
        assert zoe.ask("moon", "failed", what="self")["code"] == "table"
        table.act()
        assert max_.view["points"] == [0, 26, 26, 26]
        assert zoe.view["points"] == [26, 0, 26, 26]


# --- what may be asked, and limits ---


@pytest.mark.slow
def test_the_coach_keeps_out_until_the_deal_is_over(served):
    with friends_at(served, 2) as table:
        table.begin()
        table.act(), table.act()
        asked = table.awaited
        for question in ("hint", "check", "count"):
            assert asked.ask(question, "failed")["text"].startswith("the coach does not help against friends")
        table.finish_deal()
        hands = table.clients[1].view["reveal"]["hands"]
        reviewed = table.clients[1].ask("review", "reviewed", number=0)
        played = {one["card"] for one in reviewed["decisions"]}
        assert played <= set(hands[0].split()) | set(table.clients[1].view["received"])
        assert table.clients[1].ask("again", "failed", number=0)["code"] == "table"


def test_reactions_are_seen_from_every_seat(served):
    with friends_at(served, 3) as table:
        table.clients[2].say("react", what="nice")
        seats = [client.until(lambda got: got["type"] == "reacted")["seat"] for client in table.clients]
        assert seats == [2, 1, 0]
        assert table.host.ask("react", "failed", what="<b>")["code"] == "message"
    with served.client() as alone:
        alone.create(served.key)
        assert alone.ask("react", "failed", what="nice")["text"] == "this is not a table of friends"


def test_names_are_said_and_are_different(served):
    for wrong in ("You", " you ", "\t", "a\u202eb", ""):
        with pytest.raises(SessionError):
            proper_name(wrong)
    with friends_at(served, 1) as table, served.client() as other:
        asked = dict(invitation=table.invitation)
        assert "is called zoe already" in other.ask("join", "opened", **asked, name=" zoe ")["text"]
        assert other.ask("join", "opened", **asked, name="Ada")["type"] == "opened"
        other.until(lambda got: got["type"] == "room")
        assert other.heard[-1]["seats"][0]["name"] == "Ada"
        assert [seat["name"] for seat in other.heard[-1]["seats"]] == ["Ada", "Emil", "Ines", "Zoe"]
        assert other.ask("join", "opened", **asked, name="Bo")["text"] == "you sit at this table already"
    wrong = dict(house=served.key, players=["gnome"] * 3, friends=True)
    with served.client() as client:
        assert "what the others shall call you" in client.ask("create", "opened", **wrong)["text"]
        for change in ({"seed": 1}, {"practice": True}, {"watch": True, "players": ["gnome"] * 4}):
            assert client.ask("create", "opened", **{**wrong, "name": "Zoe", **change})["code"] == "table"


# --- names of the server ---


def test_a_server_for_others_answers_to_numbers_and_known_names_only():
    with serving(hosts=Hosts.beyond(["hearts.example"])) as served:

        def asked(host: str) -> int:
            request = urllib.request.Request(served.page, headers={"Host": host})
            try:
                return urllib.request.urlopen(request).status
            except urllib.error.HTTPError as error:
                return error.code

        good = ("192.168.1.7:8026", "[fe80::1]:8026", "hearts.example", "localhost")
        assert [asked(host) for host in good] == [200] * 4
        assert [asked(host) for host in ("evil.example", "192.168.1.7.evil.example", "")] == [421] * 3
        here = f"127.0.0.1:{served.port}"
        with pytest.raises(WebSocketException), connect(f"ws://{here}/ws", origin="http://192.168.1.7:8026"):
            pass
