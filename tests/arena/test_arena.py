"""The arena: fair seatings, results that depend on the seed alone, honest counting of bad answers, records that
replay."""

import os
import re
import signal
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from heartlab import Deal, Player, Rules, make_player
from heartlab.arena import Match, PlayerFailure, result_dict, run_match
from heartlab.arena.match import _play_batch
from heartlab.arena.recording import Recorder
from heartlab.arena.report import summary_lines
from heartlab.arena.resume import Keeper
from heartlab.arena.rows import RowsInPlay
from heartlab.arena.seating import arrangements
from heartlab.players import Observations, PlayerError
from heartlab.records.replay import load_deals
from heartlab.util.bundle import read_bundle, write_bundle
from heartlab.util.executor import LocalExecutor, Stopped, asked_to_stop, make_executor
from heartlab.util.statistics import estimate

TIMING = ("seconds", "deals_per_second", "ms_per_decision")


class Lowest(Player):
    """Plays the card of the lowest rank: a player written for one observation."""

    def play(self, obs):
        return min(obs.legal, key=lambda card: (card % 13, card))


class Stubborn(Player):
    """Always answers 2♣, and passes one card too few: mostly illegal."""

    def play(self, obs):
        return "2C"

    def pass_cards(self, obs):
        return list(obs.hand)[:2]


class Peeking(Player):
    is_open = True

    def choose_cards(self, batch):
        assert len(batch.states) == len(batch)
        return make_player("random").choose_cards(batch)


def without_times(result):
    found = result_dict(result)
    for player in found["players"]:
        player.pop("ms_per_decision")
    return {key: value for key, value in found.items() if key not in TIMING}


def play(players, rules="standard", units=6, **options):
    run = {key: options.pop(key) for key in ("threads", "batch", "until_se", "progress", "listener") if key in options}
    return run_match(Match(players, Rules.parse(rules), units, **options), **run)


# --- seatings ---


@pytest.mark.parametrize(
    ("names", "seats", "count"),
    [([0, 1], 4, 14), ([0, 1, 2], 4, 36), ([0, 1, 2, 3], 4, 24), ([0, 1, 1, 1], 4, 4), ([0, 1], 3, 6), ([0], 4, 1)],
)
def test_all_distinct_seatings(names, seats, count):
    found = arrangements(names, seats)
    assert found.shape == (count, seats)
    assert len({tuple(row) for row in found.tolist()}) == count
    assert all(set(row) == set(names) for row in found.tolist())
    times_in_seat = [(found[:, seat] == names[0]).sum() for seat in range(seats)]
    assert len(set(times_in_seat)) == 1, "every seat is taken equally often"


def test_impossible_seatings_are_refused():
    with pytest.raises(ValueError, match="5 players are named, but these rules have 4 seats"):
        arrangements([0, 1, 2, 3, 4], 4)
    with pytest.raises(ValueError, match="name each player once"):
        arrangements([0, 0, 1], 4)


# --- the same seed, the same result ---


@pytest.mark.parametrize("rules", ["standard", "advice", "standard,players=6", "openspiel"])
def test_threads_and_batches_do_not_matter(rules):
    players = [make_player("gnome"), make_player("random"), Lowest("lowest")]
    expected = without_times(play(players, rules, 5, seed=3, threads=1))
    for threads, batch in ((2, None), (1, 2), (2, 1)):
        assert without_times(play(players, rules, 5, seed=3, threads=threads, batch=batch)) == expected
    assert without_times(play(players, rules, 5, seed=4, threads=1)) != expected


def test_games_do_not_depend_on_batches_either():
    players = [make_player("gnome"), make_player("random")]
    expected = without_times(play(players, units=4, seed=1, games=True, threads=1))
    assert without_times(play(players, units=4, seed=1, games=True, threads=2, batch=1)) == expected


def test_sequential_stop_is_the_same_for_any_batch(tmp_path):
    match = Match([make_player("gnome"), make_player("random")], Rules.parse("standard"), 2000, seed=1)
    results, records = [], []
    for batch in (37, 400):
        path = tmp_path / f"{batch}.jsonl"
        with Recorder(path, match) as recorder:
            results.append(run_match(match, until_se=0.2, batch=batch, listener=recorder))
        records.append(path.read_bytes())
    assert without_times(results[0]) == without_times(results[1])
    assert records[0] == records[1]
    assert recorder.count == results[0].deals == 14 * results[0].units
    assert results[0].units % 50 == 0
    assert results[0].units < 2000
    gaps = results[0].points[:, 0] - results[0].points[:, 1]
    errors = [estimate(gaps[:count]).se for count in range(100, len(gaps) + 1, 50)]
    assert [se <= 0.2 for se in errors] == [False] * (len(errors) - 1) + [True]


def test_recorded_games_come_in_the_same_order_for_any_batch(tmp_path):
    match = Match([make_player("gnome"), make_player("random")], Rules.parse("standard,limit=30"), 3, games=True)
    records = []
    for batch in (1, 3):
        path = tmp_path / f"{batch}.jsonl"
        with Recorder(path, match) as recorder:
            run_match(match, batch=batch, listener=recorder)
        records.append(path.read_bytes())
    assert records[0] == records[1]


def test_equal_players_tie_exactly():
    found = result_dict(play([make_player("random"), make_player("random")], units=20, seed=1))
    assert found["difference"]["mean"] == 0.0
    assert found["players"][0]["mean"] == pytest.approx(found["players"][1]["mean"])


def test_points_add_up():
    result = play([make_player("gnome"), make_player("random")], "seed-nomoon", 30, seed=2)
    assert result.points.sum(axis=1) == pytest.approx(2 * 6.5)
    assert result.deals_won.sum(axis=1) == pytest.approx(1.0)
    assert result.deals == 30 * 14
    found = result_dict(result)
    assert found["difference"]["mean"] == pytest.approx(found["players"][0]["mean"] - found["players"][1]["mean"])


# --- players that misbehave ---


def test_illegal_answers_are_replaced_and_counted():
    result = play([Stubborn("stubborn"), make_player("random")], units=3, seed=1)
    forfeits = [player["forfeits"] for player in result_dict(result)["players"]]
    seat_deals = 3 * 28
    assert forfeits[1] == 0
    passing = sum(deal % 4 != 3 for deal in range(3)) * 28
    assert passing + 11 * seat_deals <= forfeits[0] <= passing + 13 * seat_deals


def test_the_first_illegal_answer_of_each_kind_is_told_in_words(capsys):
    result = play([Stubborn("stubborn"), make_player("random")], units=3, seed=1, batch=1)
    told = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1:3] for line in told] == [["stubborn", "illegal pass"], ["stubborn", "illegal card"]]
    assert "passes 2 cards" in told[0]
    assert "the rules want 3 (deal 0, seat " in told[0]
    assert "may not play 2♣: the seat does not hold it (hand " in told[1]
    assert all(line.endswith("such choices are forfeited") for line in told)
    assert [f"heartlab: stubborn: illegal {what}: {words}; such choices are forfeited"
            for (_, what), words in result.illegal.items()] == told  # fmt: skip


@pytest.mark.parametrize(("card", "mask"), [(-1, 0), (77, 1 << 60)])
def test_an_answer_of_a_batch_that_is_no_card_is_told(card, mask, capsys):
    class Beyond(Player):
        def choose_cards(self, batch):
            return np.full(len(batch), card)

        def choose_passes(self, batch):
            return np.full(len(batch), mask, np.uint64)

    play([Beyond("beyond"), make_player("random")], units=1)
    err = capsys.readouterr().err
    assert f"beyond: illegal card: {card} is not a card (deal 0, seat " in err
    assert ("passes 0 cards" if mask == 0 else f"{mask} is not a mask of cards") in err


@pytest.mark.parametrize("name", ["gnome", "gnome:jake", "random"])
def test_a_bot_can_ask_our_players_one_observation_at_a_time(name):
    class Asks(Player):
        ours = make_player(name)

        def play(self, obs):
            return self.ours.play(obs)

        def pass_cards(self, obs):
            return self.ours.pass_cards(obs)

    asked, direct = (
        play([player, make_player("gnome:luis")], units=3, seed=5) for player in (Asks(), make_player(name))
    )
    assert np.array_equal(asked.points, direct.points)


def test_what_a_player_cannot_say_is_an_error():
    obs = Deal("seed", seed=1).observe(0)
    with pytest.raises(ValueError, match="player peeking sees all hands: an observation is not enough"):
        Peeking("peeking").play(obs)
    with pytest.raises(NotImplementedError, match="player silent does not say which card to play"):
        Player("silent").play(obs)


def test_an_error_in_a_player_names_it():
    class Broken(Player):
        def play(self, obs):
            raise RuntimeError("no idea")

    with pytest.raises(PlayerFailure, match="player broken failed: RuntimeError: no idea"):
        play([Broken("broken"), make_player("random")], "seed")


def test_an_error_in_a_player_says_where_it_is():
    class Divides(Lowest):
        def play(self, obs):
            return super().play(obs) if len(obs.history) < 7 else np.concatenate([])

    line = Divides.play.__code__.co_firstlineno + 1
    place = rf"\(.*test_arena.py:{line}, in play; deal 0, seat \d, after 7 cards\)$"
    with pytest.raises(PlayerFailure, match=place):
        play([Divides("divides"), make_player("random")], "seed", 1)


@pytest.mark.parametrize("answer", [None, "Queen", 52, 3.0, [3]])
def test_an_answer_that_is_no_card_is_an_error_in_words(answer):
    class Odd(Player):
        def play(self, obs):
            return answer

    words = re.escape(f"player odd answered {answer!r}, which is not a card:") + ".*deal 0, seat \\d, after 0 cards"
    with pytest.raises(PlayerFailure, match=words):
        play([Odd("odd"), make_player("random")], "seed,passing=hold", 1)


@pytest.mark.parametrize("answer", [None, ["Queen"], [None, 1, 2], 1 << 60])
def test_a_pass_that_is_no_cards_is_an_error_in_words(answer):
    class Odd(Lowest):
        def pass_cards(self, obs):
            return answer

    with pytest.raises(PlayerFailure, match=re.escape(f"player odd answered {answer!r}, which are not cards")):
        play([Odd("odd"), make_player("random")], units=1)


def test_a_wrong_number_of_answers_is_an_error():
    class Short(Player):
        def choose_cards(self, batch):
            return np.zeros(len(batch) - 1, np.int8)

    with pytest.raises(PlayerFailure, match="player short gave"):
        play([Short("short"), make_player("random")], "seed")


@pytest.mark.parametrize("answer", [None, "x", float("nan")])
@pytest.mark.parametrize("method", ["choose_cards", "choose_passes"])
def test_answers_that_are_no_numbers_are_an_error(method, answer):
    player = Lowest("odd")
    setattr(player, method, lambda batch: [answer] * len(batch))
    with pytest.raises(PlayerFailure, match="player odd gave answers that are not whole numbers"):
        play([player, make_player("random")], units=1)


def test_an_error_at_the_end_of_a_deal_names_the_player():
    class Sore(Lowest):
        def deal_over(self, batch, points):
            raise KeyError("lost")

    with pytest.raises(PlayerFailure, match="player sore failed: KeyError: 'lost'"):
        play([Sore("sore"), make_player("random")], "seed", 1)


def test_threads_mean_nothing_on_a_cluster():
    with pytest.raises(ValueError, match="--threads 2 means nothing with --on ray"):
        make_executor("ray", 2)


def test_open_players_need_an_open_match():
    with pytest.raises(PlayerError, match="may only play in an open match"):
        play([Peeking("peeking"), make_player("random")])
    assert play([Peeking("peeking"), make_player("random")], "seed", 2, open=True).units == 2


def test_closed_players_get_observations_only(monkeypatch):
    kinds = []
    seen = RowsInPlay._ask

    def spy(self, kind, batch, *, passing):
        kinds.append(type(batch))
        return seen(self, kind, batch, passing=passing)

    monkeypatch.setattr(RowsInPlay, "_ask", spy)
    play([make_player("random"), Lowest("lowest")], units=1, open=True)
    assert set(kinds) == {Observations}


def test_an_interrupt_keeps_what_was_measured():
    def stop_after_two(done):
        if done >= 2:
            raise KeyboardInterrupt

    result = play([make_player("random"), make_player("gnome")], units=50, batch=1, threads=1, progress=stop_after_two)
    assert result.interrupted
    assert result.units == 2
    assert result_dict(result)["difference"] is not None


def test_an_interrupt_does_not_tear_what_is_recorded(tmp_path):
    match = Match([make_player("random"), make_player("gnome")], Rules.parse("standard"), 50, seed=3)
    with Recorder(tmp_path / "r.hearts", match) as recorder:

        def interrupted_while_writing(deals):
            os.kill(os.getpid(), signal.SIGINT)
            recorder(deals)

        result = run_match(match, batch=2, threads=1, listener=interrupted_while_writing)
    assert result.interrupted
    assert recorder.count == result.deals == 28


def test_a_batch_that_nobody_wants_any_more_ends_between_two_cards():
    asked, choices = threading.Event(), []

    class Slow(Lowest):
        def choose_cards(self, batch):
            choices.append(len(batch))
            asked.set()
            while not asked_to_stop():
                time.sleep(0.001)
            return super().choose_cards(batch)

    match = Match([Slow("slow")] * 4, Rules.parse("standard"), 1, seed=3)
    executor = LocalExecutor(1)
    task = executor.submit(_play_batch, match, np.arange(1))
    asked.wait()
    executor.close()
    with pytest.raises(Stopped):
        task.result()
    assert len(choices) == 1, "no card after the executor was closed"


def test_slow_players_get_small_batches(monkeypatch):
    """Progress shows, and an interrupt is answered, although a single deal takes a while."""
    now = [0.0]
    monkeypatch.setattr("heartlab.arena.match.time", SimpleNamespace(perf_counter=lambda: now[0]))

    class Sleepy(Lowest):
        def choose_cards(self, batch):
            now[0] += 0.001 * len(batch)
            return super().choose_cards(batch)

    steps = []
    play([Sleepy("sleepy"), make_player("random")], "seed", 12, threads=1, progress=steps.append)
    assert steps[-1] == 12
    assert max(after - before for before, after in zip([0, *steps], steps, strict=False)) <= 6


# --- records ---


@pytest.mark.parametrize("rules", ["standard", "advice", "standard,passing=pool,players=5", "black-maria"])
def test_a_deal_in_the_middle_comes_back_from_its_text(rules):
    deal = Deal(rules, seed=8)
    assert Deal.from_text(deal.to_text()).hands == deal.hands
    for seat in deal.to_pass:
        deal.pass_cards(seat, sorted(deal.hands[seat])[:3])
    for _ in range(18):
        deal.play(max(deal.legal))
    twin = Deal.from_text(deal.to_text())
    assert twin == deal
    twin.play(min(twin.legal))
    assert twin != deal


@pytest.mark.parametrize("suffix", ["hearts", "jsonl"])
@pytest.mark.parametrize("rules", ["standard", "advice", "standard,players=5,passing=pool/scatter,pass_count=4"])
def test_recorded_deals_replay_to_the_same_points(tmp_path, suffix, rules):
    players = [make_player("gnome"), make_player("random")]
    match = Match(players, Rules.parse(rules), 4, seed=5)
    path = tmp_path / f"match.{suffix}"
    with Recorder(path, match) as recorder:
        result = run_match(match, listener=recorder)
    deals = list(load_deals(path))
    assert len(deals) == recorder.count == result.deals
    sums = {"gnome": [], "random": []}
    for record, deal in deals:
        assert deal.is_over
        for name, points in zip(record.players, deal.points, strict=True):
            sums[name].append(points)
    means = [player["mean"] for player in result_dict(result)["players"]]
    assert [np.mean(sums[player.name]) for player in players] == pytest.approx(means)


def test_recorded_games_run_to_the_limit(tmp_path):
    match = Match(
        [make_player("random"), make_player("gnome")], Rules.parse("standard,limit=40"), 2, seed=5, games=True
    )
    path = tmp_path / "games.hearts"
    with Recorder(path, match) as recorder:
        result = run_match(match, listener=recorder)
    last = {}
    for record, deal in load_deals(path):
        totals = np.array(record.scores or (0, 0, 0, 0))
        assert totals.max() < 40, "no deal after the end of a game"
        last[(record.game, record.players)] = totals + deal.points
    assert len(last) == 2 * 14
    assert all(totals.max() >= 40 for totals in last.values())
    found = result_dict(result)["players"]
    finals = [
        total
        for (_, names), totals in last.items()
        for name, total in zip(names, totals, strict=True)
        if name == "random"
    ]
    assert np.mean(finals) == pytest.approx(found[0]["final_score"])
    assert found[0]["games_won"] + found[1]["games_won"] == pytest.approx(1.0)


def test_games_that_do_not_end_are_won_by_nobody(monkeypatch):
    monkeypatch.setattr("heartlab.arena.match.MAX_DEALS_PER_GAME", 3)
    players = [make_player("random"), make_player("gnome")]
    result = play(players, "standard,limit=100000", 2, games=True, threads=1)
    found = result_dict(result)
    assert found["games_unfinished"] == 2 * 14
    assert [player["games_won"] for player in found["players"]] == [0.0, 0.0]
    assert any("28 games were abandoned" in line for line in summary_lines(result))
    ended = play(players, "standard,deals=2", 2, games=True, threads=1)
    assert result_dict(ended)["games_unfinished"] == 0
    assert not any("abandoned" in line for line in summary_lines(ended))


# --- kept matches ---


def test_a_kept_match_goes_on_to_the_same_result(tmp_path):
    def match(units):
        return Match([make_player("gnome"), make_player("random")], Rules.parse("standard"), units, seed=3)

    whole = run_match(match(30))
    kept = tmp_path / "match.npz"
    run_match(match(12), keep=kept)
    again = run_match(match(30), keep=kept)
    assert (again.points == whole.points).all()
    assert (again.moons == whole.moons).all()
    assert again.deals == whole.deals
    assert (again.decisions == whole.decisions).all()
    stopped = run_match(match(400), until_se=5.0, keep=kept)
    assert stopped.units < 400


def test_a_process_that_is_behind_does_not_replace_what_another_kept(tmp_path):
    match = Match([make_player("gnome"), make_player("random")], Rules.parse("standard"), 12, seed=3)
    kept = tmp_path / "match.npz"
    behind = Keeper(kept, match)
    run_match(match, keep=kept)
    behind.save(run_match(replace(match, units=5)))
    assert len(read_bundle(kept)[1]["points"]) == 12
    behind.save(run_match(replace(match, units=13)))
    assert len(read_bundle(kept)[1]["points"]) == 13


def test_links_are_followed_and_pipes_stay_pipes(tmp_path):
    match = Match([make_player("gnome"), make_player("random")], Rules.parse("standard"), 2, seed=3)
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "there.hearts"
    os.mkfifo(pipe)
    link.symlink_to(target)
    heard = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    for path in (pipe, link):
        with Recorder(path, match) as recorder:
            run_match(match, listener=recorder)
    reader.join()
    assert link.is_symlink()
    assert pipe.is_fifo()
    assert heard == [target.read_text()]
    with pytest.raises(ValueError, match="is not a regular file"):
        run_match(match, keep=pipe)
    link.unlink()
    link.symlink_to(tmp_path / "kept.npz")
    run_match(match, keep=link)
    assert link.is_symlink()
    assert run_match(match, keep=link, listener=pytest.fail).units == 2


def test_a_kept_match_is_not_cut_by_a_shorter_one(tmp_path):
    def match(units):
        return Match([make_player("gnome"), make_player("random")], Rules.parse("standard"), units, seed=3)

    kept = tmp_path / "match.npz"
    run_match(match(12), keep=kept)
    before = kept.read_bytes()
    shorter = run_match(match(5), keep=kept)
    assert without_times(shorter) == without_times(run_match(match(5)))
    assert kept.read_bytes() == before
    assert run_match(match(12), keep=kept, listener=pytest.fail).units == 12


@pytest.mark.parametrize("family", ["exec", "model"])
def test_a_kept_match_does_not_go_on_with_other_files(tmp_path, monkeypatch, family):
    """A program that was replaced, or a model that was trained anew, is another player of the same name."""
    monkeypatch.chdir(tmp_path)
    named, kept = tmp_path / "player.npz", tmp_path / "match.npz"
    named.write_text("one")

    def match():
        if family == "exec":
            log = "log=log.txt,movetime=1:" if (tmp_path / "log.txt").exists() else ""
            player = make_player(f"exec:{log}cat player.npz")
            player.name = "exec:cat player.npz"
            player.choose_cards = make_player("random").choose_cards
        else:
            player = Lowest("maxn:eval=(td:player.npz),tricks=1")
        return Match([player, make_player("random")], Rules.parse("seed"), 2)

    run_match(match(), keep=kept)
    (tmp_path / "log.txt").write_text("files that a player writes do not matter")
    run_match(match(), keep=kept)
    named.write_text("two")
    with pytest.raises(ValueError, match=r"player\.npz changed since this match was saved"):
        run_match(match(), keep=kept)


def test_a_match_that_cannot_be_kept_fails_at_once_and_later_loses_nothing(tmp_path, monkeypatch):
    match = Match([Lowest("lowest"), make_player("random")], Rules.parse("seed"), 2)
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OSError, match="file"):
        run_match(match, keep=tmp_path / "file" / "match.npz", listener=lambda deals: pytest.fail("it was played"))

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("heartlab.arena.resume.write_bundle", full)
    result = run_match(match, keep=tmp_path / "match.npz")
    assert result.units == 2
    assert result.not_kept == "No space left on device"


def test_a_refused_command_leaves_no_files(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for words, sentence in (
        ("random --record r.txt --on nowhere", "--on nowhere"),
        ("random --record folder", "folder: is a directory"),
        ("exec:log=l.txt:cat nobody", "no player is called"),
        ("exec:log=nowhere/l.txt:cat", "cannot write the log nowhere"),
    ):
        status, _, err = run("arena", *words.split(), "--rules", "seed", "--deals", 1)
        assert (status, sentence in err) == (2, True), err
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_kept_match_does_not_go_on_in_another_version(tmp_path):
    kept = tmp_path / "match.npz"
    match = Match([Lowest("lowest"), make_player("random")], Rules.parse("seed"), 2)
    run_match(match, keep=kept)
    header, arrays = read_bundle(kept)
    write_bundle(kept, {**header, "package": "0.0.1"}, arrays)
    with pytest.raises(ValueError, match=r"holds a match with package 0\.0\.1, not"):
        run_match(match, keep=kept)


def test_a_match_kept_by_an_older_version_goes_on(tmp_path):
    """Its file has sums of the counts in place of counts per unit."""

    def match(units):
        return Match([make_player("gnome"), make_player("random")], Rules.parse("standard"), units, seed=3)

    kept = tmp_path / "match.npz"
    run_match(match(6), keep=kept)
    header, arrays = read_bundle(kept)
    del header["files"]
    arrays["decisions"] = arrays["decisions"].sum(axis=0)
    header["deals"] = int(arrays.pop("played").sum())
    del arrays["unfinished"]
    write_bundle(kept, header, arrays)
    again = run_match(match(9), keep=kept)
    assert without_times(again) == without_times(run_match(match(9)))


def test_a_kept_match_with_other_players_or_seed_is_refused(tmp_path):
    kept = tmp_path / "match.npz"
    players = [make_player("gnome"), make_player("random")]
    run_match(Match(players, Rules.parse("standard"), 2, seed=3), keep=kept)
    with pytest.raises(ValueError, match="holds a match with seed 3, not 4"):
        run_match(Match(players, Rules.parse("standard"), 2, seed=4), keep=kept)
    with pytest.raises(ValueError, match="rules standard, not seed"):
        run_match(Match(players, Rules.parse("seed"), 2, seed=3), keep=kept)
    kept.write_text("something else")
    with pytest.raises(ValueError, match=r"match\.npz"):
        run_match(Match(players, Rules.parse("seed"), 2, seed=3), keep=kept)
