"""Bots that eat memory, leave children behind or end when they like: the match goes on, and nothing stays."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.bots import PATIENCE, appeared, gone, left_behind, python_bot

from heartlab import Deal, Rules, make_player
from heartlab.arena import Match, run_match
from heartlab.players import PlayerError
from heartlab.uhi.player import parse_settings
from heartlab.uhi.process import BotProcess, limit_memory
from heartlab.uhi.strays import VARIABLE, Strays

needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
needs_prlimit = pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs prlimit")

CLOCK = f"movetime={1000 * PATIENCE},start={PATIENCE}"
LEAVE_GROUP = "import subprocess; subprocess.Popen([sys.executable, '-S', '{}'], start_new_session=True)"
DEAF = "import signal, time\nfor one in (1, 2, 15): signal.signal(one, signal.SIG_IGN)\nwhile True: time.sleep(1)\n"


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    monkeypatch.setattr("heartlab.uhi.process.FIRST_WORD", PATIENCE)


def forfeits(player, units=2, rules="seed", **options):
    """The forfeits of a bot in a match against random players."""
    match = Match([player, *[make_player("random")] * 3], Rules.parse(rules), units, seed=5)
    return int(run_match(match, threads=1, **options).forfeits[:, 0].sum())


# --- memory ---


@needs_prlimit
def test_a_bot_that_eats_memory_is_stopped_by_its_limit(tmp_path):
    """It asks for a gigabyte: with 256 MB it cannot have it, without a limit it can."""
    eat = python_bot(tmp_path / "bot.py", on_card="stomach = bytearray(1 << 30)")
    faults = []
    for limit in ("memory=256", "memory=0"):
        player = make_player(f"exec:{CLOCK},{limit}:{eat}")
        deal = Deal("seed", seed=1)
        player.play(deal.observe(deal.to_move))
        faults.append(dict(player.faults))
        player.close()
    assert [sorted(one) for one in faults] in ([["crash"], []], [["crash"], ["illegal"]])
    assert gone(tmp_path)


@needs_prlimit
def test_a_bot_has_the_documented_limit_unless_told_otherwise():
    bot = BotProcess(["cat"])
    try:
        assert resource.prlimit(bot.pid, resource.RLIMIT_DATA)[0] == 4096 << 20
        assert resource.prlimit(bot.pid, resource.RLIMIT_CORE) == (0, 0)
    finally:
        bot.close(leave=0.0)


def test_a_system_without_limits_for_others_starts_bots_all_the_same(monkeypatch):
    monkeypatch.delattr(resource, "prlimit", raising=False)
    limit_memory(os.getpid(), 1)


@pytest.mark.parametrize("value", ["much", "-1", "3", "99999999999"])
def test_a_limit_that_makes_no_sense_gets_a_sentence(value):
    with pytest.raises(PlayerError, match=r"memory .*number"):
        parse_settings(f"memory={value}:sh")


# --- children ---


@needs_proc
def test_children_that_leave_the_group_are_ended_with_their_bot(tmp_path):
    helper = tmp_path / "helper.py"
    helper.write_text(DEAF)
    command = python_bot(tmp_path / "bot.py", on_start=LEAVE_GROUP.format(helper))
    player = make_player(f"exec:{CLOCK}:{command}")
    deal = Deal("seed", seed=1)
    player.play(deal.observe(deal.to_move))
    assert appeared(helper)
    player.close()
    assert not left_behind(helper)


@needs_proc
def test_children_that_leave_the_group_are_ended_when_we_are_killed(tmp_path):
    helper = tmp_path / "helper.py"
    helper.write_text(DEAF)
    command = python_bot(tmp_path / "bot.py", on_start=LEAVE_GROUP.format(helper))
    program = (
        f"import sys, time; from heartlab.uhi.process import BotProcess; bot = BotProcess({command.split()!r})\n"
        f"bot.handshake({PATIENCE}); print('ready', flush=True); time.sleep({PATIENCE})"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as arena:
        assert arena.stdout is not None
        try:
            assert arena.stdout.readline() == b"ready\n"
            assert appeared(helper)
        finally:
            arena.send_signal(signal.SIGKILL)
    assert gone(tmp_path)


@needs_proc
def test_only_what_carries_the_mark_of_a_closed_bot_is_ended():
    now = [0.0]
    strays = Strays(lambda: now[0])
    closed, other = strays.mark(), strays.mark()

    def start(mark):
        return subprocess.Popen(["sleep", "600"], env=strays.environment(mark), start_new_session=True)

    with start(closed) as first, start(other) as second, start(closed) as nested:
        strays.closed(closed, at_once=False)
        assert (first.wait(PATIENCE), nested.wait(PATIENCE)) == (-signal.SIGKILL, -signal.SIGKILL)
        assert second.poll() is None
        strays.closed(other, at_once=False)
        time.sleep(0)
        assert second.poll() is None, "searches are expensive: the next one comes a second later"
        now[0] = 2.0
        strays.closed(strays.mark(), at_once=False)
        assert second.wait(PATIENCE) == -signal.SIGKILL


def test_a_bot_that_runs_bots_keeps_its_own_mark(monkeypatch):
    strays = Strays()
    monkeypatch.setenv(VARIABLE, "outer.1.")
    assert strays.environment("inner.2.")[VARIABLE] == "outer.1.inner.2."


# --- ending when it likes ---


@pytest.mark.parametrize("pause", ["", "time.sleep(0.02); ", "time.sleep(random.random() / 30); "])
def test_a_bot_that_ends_after_a_deal_forfeits_nothing(tmp_path, pause):
    command = python_bot(tmp_path / "bot.py", on_start="import random", on_end=f"{pause}sys.exit()")
    for _ in range(2):
        player = make_player(f"exec:{CLOCK},processes=2:{command}")
        deal = Match([player, *[make_player("gnome")] * 3], Rules.parse("seed"), 3, seed=5)
        run_match(deal, threads=2)
        faults = dict(player.faults)
        player.close()
        assert "crash" not in faults
        assert "out" not in faults
    assert gone(tmp_path)


@pytest.mark.parametrize("pause", ["", "time.sleep(0.02); "])
def test_a_bot_that_ends_after_each_answer_forfeits_the_same_in_equal_runs(tmp_path, pause):
    """Whether its end is noticed before the next question or by it."""
    on_card = f"print('card', hand[0], flush=True); {pause}sys.exit()"
    command = python_bot(tmp_path / "bot.py", on_card=on_card)
    counts = set()
    for _ in range(3):
        player = make_player(f"exec:{CLOCK},processes=1:{command}")
        deal = Deal("seed", seed=3)
        dice = random.Random(5)
        while not deal.is_over:
            mine = deal.to_move == 1
            deal.play(player.play(deal.observe(1)) if mine else dice.choice(sorted(deal.legal)))
        counts.add((player.faults["crash"], player.faults["out"]))
        player.close()
    assert len(counts) == 1
    assert counts.pop()[0] == 2, "a process that is gone in the middle of its deal is a crash"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_log_that_cannot_be_written_costs_no_card(tmp_path, capsys):
    """The disk may be full; that is no fault of the bot."""
    command = python_bot(tmp_path / "bot.py")
    quiet, logged = (make_player(f"exec:{CLOCK}{log}:{command}") for log in ("", ",log=/dev/full"))
    try:
        assert forfeits(logged, units=1) == forfeits(quiet, units=1) == 0
    finally:
        logged.close()
        quiet.close()
    assert capsys.readouterr().err.count("/dev/full: No space left on device; there is no log from here on") == 1
