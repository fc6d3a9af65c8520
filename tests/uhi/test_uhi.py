"""UHI: bots in any language under the arena's clock, our players as bots, and bots that do everything wrong."""

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT
from support.strategies import examples, random_rules

from heartlab import Deal, Player, Rules, make_player
from heartlab.arena import Match, result_dict, run_match
from heartlab.cards import CARD_NAMES, CardSet
from heartlab.players import PlayerError
from heartlab.uhi import check as check_module
from heartlab.uhi import player as player_module
from heartlab.uhi import process as process_module
from heartlab.uhi.check import run_check
from heartlab.uhi.lines import dialogue, enddeal_line
from heartlab.uhi.player import parse_settings
from heartlab.uhi.process import BotProcess, Fault
from heartlab.uhi.server import Server

PATIENCE = 600
"""Seconds after which a test gives up: nothing else depends on how long something takes."""
EXAMPLES = ROOT / "examples" / "uhi"
GOOD = f"sh {EXAMPLES / 'lowest.sh'}"


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """On a busy machine everything may take long: bots that do nothing wrong have all the time they need."""
    monkeypatch.setattr(player_module, "MOVETIME", 1000 * PATIENCE)
    monkeypatch.setattr(player_module, "START", PATIENCE)
    monkeypatch.setattr(process_module, "FIRST_WORD", PATIENCE)
    monkeypatch.setattr(check_module, "LEAVE", PATIENCE)


@pytest.fixture
def bot(tmp_path):
    """Write a bot as a shell script, `act` being what it does when it is asked for a card; gives its command."""

    def write(act, greet="echo uhiok", name="bot.sh"):
        path = tmp_path / name
        path.write_text(
            f"""while read -r word rest; do case $word in
            uhi) echo started >> {tmp_path}/starts; {greet};;
            newdeal) hand=${{rest#*hand }}; first=${{hand%% *}};;
            "pass?") set -- $hand; echo "pass $1 $2 $3";;
            "card?") {act};;
            quit) exit;;
            esac; done"""
        )
        return f"sh {path}"

    return write


def left_behind(marker):
    """Processes whose command line holds a text."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(marker).encode() in entry.read_bytes() and int(entry.parent.name) != os.getpid():
                found.append(entry.parent.name)
        except OSError:
            continue
    return found


def gone(marker, seconds=PATIENCE):
    """Wait until no such process is left."""
    deadline = time.monotonic() + seconds
    while left_behind(marker) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not left_behind(marker)


def measured(players, rules="standard", units=1, seed=1, **options):
    match = Match(players, Rules.parse(rules), units, seed=seed)
    return run_match(match, **options)


# --- our players as bots ---


def told_observation(deal, seat):
    """What a bot knows that was told all about a deal, as a record."""
    server = Server(make_player("random"))
    for line in dialogue(deal.observe(seat)):
        assert list(server.hear(line)) == [], line
    return server._view.observe(0).records[0]


def check_same_knowledge(deal, seat):
    true, told = deal.observe(seat).records[0], told_observation(deal, seat)
    for name in true.dtype.names:
        known_later = name == "leader" and deal.phase == "pass"
        if name not in ("random", "to_pass", "hand_sizes") and not known_later:
            np.testing.assert_array_equal(told[name], true[name], err_msg=name)


@given(st.integers(0, 1 << 30))
@examples(40)
def test_a_bot_is_told_exactly_what_its_seat_may_know(seed):
    dice = random.Random(seed)
    deal = Deal(random_rules(dice), seed, dice.randrange(40))
    scores = [dice.randrange(-30, 90) for _ in range(deal.rules.players)]
    deal._set_scores(scores)
    for seat in list(deal.to_pass):
        check_same_knowledge(deal, seat)
        deal.pass_cards(seat, dice.sample(sorted(deal.observe(seat).may_pass), deal.rules.pass_count))
    while not deal.is_over:
        if dice.random() < 0.4:
            check_same_knowledge(deal, deal.to_move)
        deal.play(dice.choice(sorted(deal.legal)))


@pytest.mark.slow
def test_a_served_player_plays_like_the_player_itself():
    command = f"exec:processes=2:{sys.executable} -m heartlab.cli uhi gnome:jake"
    served, itself = make_player(command), make_player("gnome:jake")
    other = make_player("gnome")
    first, second = (measured([player, other], units=1) for player in (served, itself))
    served.close()
    np.testing.assert_array_equal(first.points, second.points)
    assert first.forfeits.sum() == 0


def test_an_open_player_cannot_be_served():
    class Peeking(Player):
        is_open = True

    with pytest.raises(PlayerError, match="sees all hands"):
        Server(Peeking())


def test_a_served_player_refuses_seeds_and_rules_that_it_cannot_take():
    class Choosy(Player):
        def check_rules(self, rules):
            if rules.players != 4:
                raise PlayerError("choosy wants\nfour players")

    server = Server(Choosy())
    assert "the only option is seed" in " ".join(server.hear("setoption seed " + "9" * 5000))
    assert list(server.hear("setoption seed 2147483647")) == []
    three = dialogue(Deal("standard,players=3", 1).observe(0))
    assert [list(server.hear(line)) for line in three[:2]] == [
        ["info error choosy wants four players"],
        ["info error newdeal before newgame"],
    ]
    assert list(server.hear(dialogue(Deal("standard", 1).observe(0))[0])) == []


def test_lines_that_contradict_each_other_get_a_sentence():
    """Nobody follows the diamond, and the other diamonds are not all ours: no deal fits that."""
    server = Server(make_player("iie"))
    told = dialogue(Deal("seed", 1).observe(0))
    contradiction = [f"played {seat} {card}" for seat, card in enumerate(("3D", "KC", "QC", "JC"))]
    for line in [*told, *contradiction]:
        assert list(server.hear(line)) == []
    (answer,) = server.hear("card?")
    assert answer.startswith("info error no deal fits the observation")
    for line in [*told, "played 0 3D", "played 1 KD", "played 2 KC", "played 3 2D", "played 1 AD", "played 2 QC"]:
        assert list(server.hear(line)) == [], "a new game sets everything right"
    assert list(server.hear("played 3 5D")) == []
    (answer,) = server.hear("card?")
    assert answer.split()[0] == "card"


# --- the examples, and the tester ---


@pytest.mark.parametrize(("option", "seeds"), [("", "many"), ("option.seed=7:", "7")])
def test_the_tester_sets_a_seed_before_each_dialogue_and_speaks_whole_lines(tmp_path, option, seeds):
    heard, script = tmp_path / "heard", tmp_path / "dice.sh"
    script.write_text(
        f"""while read -r word rest; do echo "$word $rest" >> {heard}; case $word in
        uhi) echo option name seed type spin default 0; echo uhiok;;
        quit) exit;;
        esac; done"""
    )
    report_of(f"{option}sh {script}", movetime=100, rules=[Rules.parse("standard")])
    lines = heard.read_text().splitlines()
    assert not {"newgame", "newdeal"} & {line.strip() for line in lines}
    values = {line.removeprefix("setoption seed ") for line in lines if line.startswith("setoption seed ")}
    assert values == {"7"} if seeds == "7" else len(values) > 1
    before = [lines[index - 1].split()[0] for index, line in enumerate(lines) if line.startswith("newgame")]
    assert before
    assert seeds == "7" or set(before) == {"setoption"}


def report_of(command, **options):
    reports = []
    settings = dict(rules=[Rules.parse("standard"), Rules.parse("advice")], deals=1, movetime=1000 * PATIENCE, seed=1)
    passed = run_check(command, **{**settings, **options}, report=reports.append)
    verdicts = {check["check"]: check["verdict"] for check in reports[0]["checks"]}
    assert passed == ("FAIL" not in verdicts.values())
    return verdicts


@pytest.mark.skipif(shutil.which("awk") is None, reason="there is no awk on this machine")
def test_the_awk_example_conforms():
    assert set(report_of(GOOD).values()) == {"ok"}


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler on this machine")
def test_the_c_example_compiles_and_conforms(tmp_path):
    program = tmp_path / "ducker"
    subprocess.run(["cc", "-Wall", "-Werror", "-o", program, EXAMPLES / "ducker.c"], check=True)
    assert set(report_of(str(program)).values()) == {"ok"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("act", "movetime"),
    [
        ("echo card 2C", 1000 * PATIENCE),
        ("echo good day", 1000 * PATIENCE),
        ("exit 3", 1000 * PATIENCE),
        ("sleep 5", 200),
    ],
)
def test_the_tester_finds_what_is_wrong(bot, act, movetime):
    verdicts = report_of(bot(act), movetime=movetime, rules=[Rules.parse("standard")])
    assert verdicts["handshake"] == "warn"
    assert verdicts["deals: standard"] == "FAIL"
    assert verdicts["quit"] == "ok"


@pytest.mark.slow
def test_the_tester_finds_who_cannot_leave_or_start(tmp_path, monkeypatch):
    monkeypatch.setattr(check_module, "LEAVE", 0.2)
    deaf = tmp_path / "deaf.sh"
    deaf.write_text("read line; echo id name deaf; echo uhiok; while :; do sleep 1; done")
    verdicts = report_of(f"sh {deaf}", movetime=100, rules=[Rules.parse("seed")])
    assert (verdicts["quit"], verdicts["end of input"], verdicts["handshake"]) == ("FAIL", "warn", "ok")
    assert report_of("false") == {"handshake": "FAIL"}
    assert gone(deaf)


# --- bots that do everything wrong ---


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "act", "greet"),
    [
        ("crash", "exit 1", "echo uhiok"),
        ("crash", "kill -SEGV $$", "echo uhiok"),
        ("crash", "exec >&-", "echo uhiok"),
        ("clock", "sleep 60", "echo uhiok"),
        ("flood", "while :; do echo info info info info info info; done", "echo uhiok"),
        ("flood", "head -c 100000 /dev/zero", "echo uhiok"),
        ("nonsense", "echo I play the queen", "echo uhiok"),
        ("nonsense", "echo card QQ", "echo uhiok"),
        ("nonsense", "echo card 2C 3C", "echo uhiok"),
        ("illegal", "echo card $first; :", "echo uhiok"),
        ("start", ":", "sleep 60"),
        ("start", ":", "exit 7"),
    ],
)
def test_no_bot_stops_a_match_or_stays(bot, tmp_path, capfd, kind, act, greet):
    clocks = {"clock": "movetime=600", "start": "start=0.3"}.get(kind, f"movetime={1000 * PATIENCE}")
    player = make_player(f"exec:{clocks}:{bot(act, greet)}")
    result = measured([player, *[make_player("random")] * 3], rules="standard", units=1, seed=3, threads=2)
    player.close()
    assert result.units == 1
    assert player.faults[kind] > 0
    choices = result_dict(result)["players"][0]
    if kind in ("illegal", "start"):
        assert choices["forfeits"] > 0.2 * choices["decisions"]
    elif kind == "clock":
        assert choices["forfeits"] >= 4 * 13, "every card; and a pass if the machine is busy"
    else:
        assert choices["forfeits"] == 4 * 13, "every card, and no pass"
    told = [line for line in capfd.readouterr().err.splitlines() if f": {kind}: " in line]
    assert len(told) == 1, "the first of a kind is told, and no more"
    assert gone(tmp_path), "no process is left behind"


def play_by_hand(player, deal, seat):
    dice = random.Random(5)
    for giver in list(deal.to_pass):
        own = player.pass_cards(deal.observe(giver)) if giver == seat else sorted(deal.hands[giver])[:3]
        deal.pass_cards(giver, own)
    while not deal.is_over:
        turn = deal.to_move == seat
        deal.play(player.play(deal.observe(seat)) if turn else dice.choice(sorted(deal.legal)))


def test_a_bot_is_started_anew_once_in_a_deal(bot, tmp_path):
    player = make_player(f"exec:{bot('exit 1')}")
    play_by_hand(player, Deal("standard", seed=2), 1)
    assert (tmp_path / "starts").read_text().count("started") == 2
    assert (player.faults["crash"], player.faults["out"]) == (2, 11)
    play_by_hand(player, Deal("standard", seed=3), 1)
    assert (tmp_path / "starts").read_text().count("started") == 4, "the next deal, the next chance"
    player.close()


def test_an_illegal_card_costs_that_choice_only(bot, tmp_path):
    player = make_player(f"exec:{bot('echo card 2C')}")
    play_by_hand(player, Deal("standard", seed=2), 1)
    assert (tmp_path / "starts").read_text().count("started") == 1
    assert player.faults["illegal"] >= 12
    player.close()


def test_bots_are_killed_with_us_even_if_we_are_killed(bot, tmp_path):
    command = f"exec:movetime=600000:{bot('sleep 600')}"
    program = [sys.executable, "-m", "heartlab.cli", "arena", command, "random", "--rules", "seed", "--deals", "1"]
    arena = subprocess.Popen(program, stdout=subprocess.DEVNULL, start_new_session=True)
    while not (tmp_path / "starts").exists():
        time.sleep(0.05)
        assert arena.poll() is None
    assert left_behind(tmp_path / "bot.sh")
    arena.send_signal(signal.SIGKILL)
    arena.wait()
    assert gone(tmp_path / "bot.sh")


def test_a_guard_that_was_ended_is_replaced(bot, tmp_path):
    """Its successor knows the bots that were started before."""
    program = f"""
import os, signal
from heartlab.uhi.process import BotProcess, _guard
first = BotProcess({bot("sleep 600").split()!r})
_guard._shell.kill()
_guard._shell.wait()
second = BotProcess({bot("sleep 600").split()!r})
second.close()
print(first.is_running, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")
    assert gone(tmp_path)


def test_options_that_a_bot_does_not_name_are_not_set(bot, tmp_path, capfd):
    log = tmp_path / "log"
    player = make_player(f"exec:option.nope=3,log={log}:{bot('echo card $first')}")
    measured([player, make_player("random")], "seed", units=1)
    player.close()
    assert "setoption" not in log.read_text()
    assert capfd.readouterr().err.count("has no option nope: not set; its options: none") == 1


def test_a_platform_without_waitid_gets_a_sentence(monkeypatch):
    monkeypatch.delattr(os, "waitid")
    with pytest.raises(PlayerError, match="needs Linux, or macOS with Python 3"):
        make_player(f"exec:{GOOD}")


def heed_interrupts():
    """In a child process: interrupts count, even if the tests run in the background, where shells ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupt_does_not_wait_for_a_bot(bot, tmp_path):
    asked = tmp_path / "asked"
    command = f"exec:movetime=600000:{bot(f'echo > {asked}; sleep 600')}"
    program = [sys.executable, "-m", "heartlab.cli", "arena", command, "random", "--rules", "seed", "--deals", "3"]
    arena = subprocess.Popen(
        program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    )
    while not asked.exists():
        time.sleep(0.05)
        assert arena.poll() is None
    arena.send_signal(signal.SIGINT)
    out, err = arena.communicate(timeout=PATIENCE)
    assert arena.returncode == 130, err
    assert "interrupted" in out
    assert gone(tmp_path / "bot.sh")


def test_children_of_a_bot_go_with_it(bot, tmp_path):
    helper = tmp_path / "helper.sh"
    helper.write_text("trap '' TERM HUP INT; while :; do sleep 1; done")
    player = make_player(f"exec:movetime=200:{bot('exit 1', f'sh {helper} & echo uhiok')}")
    play_by_hand(player, Deal("seed", seed=1), 0)
    player.close()
    assert gone(helper)


# --- the dialogue ---


def test_a_deal_by_hand_is_one_dialogue(tmp_path):
    log = tmp_path / "uhi.log"
    player = make_player(f"exec:log={log}:{GOOD}")
    deal = Deal("standard", seed=4)
    play_by_hand(player, deal, 2)
    player.close()
    lines = [line.split(" ", 2) for line in log.read_text().splitlines()]
    said = [text for _, sign, text in lines if sign == ">"]
    assert len({pid for pid, *_ in lines}) == 1
    assert sum(line.startswith("newgame") for line in said) == 1
    last = max(ply for ply, (seat, _) in enumerate(card for trick in deal.tricks for card in trick) if seat == 2)
    assert [line.split()[2] for line in said if line.startswith("played")] == [
        CARD_NAMES[card] for card in deal.history[:last]
    ]
    assert [line for line in said if line.startswith("passed")] == [f"passed {deal.passed[2].names()}"]
    assert sum(line.startswith("card?") for line in said) == 13


@pytest.mark.parametrize("kitty", ["first-trick", "first-heart"])
def test_a_kitty_is_told_after_the_trick_that_took_it(kitty):
    """So that what was told before stays the beginning of what is told later."""
    rules = Rules.parse(f"advice,kitty={kitty},kitty_seen=yes")
    tricks = set()
    for seed in range(8):
        dice, deal = random.Random(seed), Deal(rules, seed)
        told = [dialogue(deal.observe(seat)) for seat in range(rules.players)]
        while not deal.is_over:
            deal.play(dice.choice(sorted(deal.legal)))
            for seat in range(rules.players):
                before, told[seat] = told[seat], dialogue(deal.observe(seat))
                assert told[seat][: len(before)] == before
        for seat, lines in enumerate(told):
            places = [place for place, line in enumerate(lines) if line.startswith("kitty")]
            assert len(places) == (seat == deal.kitty_taker)
            tricks |= {(place - 2) / rules.players for place in places}
    assert tricks == {1} if kitty == "first-trick" else len(tricks) > 1


def is_open(path):
    """Whether we hold a file open."""
    return any(entry.exists() and entry.samefile(path) for entry in Path("/proc/self/fd").iterdir())


def test_a_log_is_closed_with_its_player(bot, tmp_path):
    log = tmp_path / "uhi.log"
    player = make_player(f"exec:log={log}:{GOOD}")
    deal = Deal("seed", seed=4)
    player.play(deal.observe(deal.to_move))
    assert is_open(log)
    player.close()
    assert not is_open(log)
    assert log.read_text().splitlines()[-1].endswith("> quit")


def test_a_log_stays_open_for_who_is_thinking(bot, tmp_path):
    """A bot that is ended while it thinks is still logged; the log is closed after it, and nothing is left behind."""
    log = tmp_path / "uhi.log"
    player = make_player(f"exec:movetime=600000,log={log}:{bot('echo info hm; sleep 600')}")
    deal = Deal("seed", seed=4)
    answers = []
    thinking = threading.Thread(target=lambda: answers.append(player.answer(deal.observe(deal.to_move))))
    thinking.start()
    while not log.exists() or "info hm" not in log.read_text():
        time.sleep(0.02)
    player.close()
    thinking.join()
    assert answers == [None]
    assert not player.faults, "that was no fault of the bot"
    assert not is_open(log)
    assert gone(tmp_path / "bot.sh")


def test_the_end_of_every_deal_is_told(tmp_path):
    log = tmp_path / "uhi.log"
    player = make_player(f"exec:processes=1,log={log}:{GOOD}")
    result = measured([player, *[make_player("random")] * 3], rules="seed", units=3, threads=1)
    player.close()
    told = [line.split("points ")[1] for line in log.read_text().splitlines() if " enddeal points" in line]
    assert len(told) == 3 * 4
    assert all(sum(map(int, line.split(" scores ")[0].split())) in (26, 78) for line in told)
    assert result.forfeits.sum() == 0
    assert enddeal_line([3, 0, 23, 0], [1, 2, 3, 4]) == "enddeal points 3 0 23 0 scores 4 2 26 4"


@pytest.mark.parametrize("options", [{"threads": 2}, {"batch": 2}], ids=str)
def test_threads_batches_and_processes_do_not_change_the_result(options):
    results = []
    for processes, run in ((1, {"threads": 1, "batch": 1}), (3, options)):
        player = make_player(f"exec:processes={processes}:{GOOD}")
        results.append(measured([player, make_player("random")], rules="omnibus", units=2, seed=7, **run))
        player.close()
    np.testing.assert_array_equal(results[0].points, results[1].points)
    assert results[0].forfeits.sum() == 0


# --- names and lines from outside ---


def test_an_echo_is_not_waited_for():
    bot = BotProcess(("cat",))
    try:
        with pytest.raises(Fault, match="echoes its input"):
            bot.handshake(PATIENCE)
    finally:
        bot.close()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("exec:", "needs a command"),
        ("exec:no-such-program-here", "there is no executable program"),
        (
            "exec:speed=1:sh",
            "there is no executable program 'speed=1:sh'; options are movetime, start, processes, log, option.NAME",
        ),
        ("exec:movetime=soon:sh", "must be numbers"),
        ("exec:movetime=0:sh", "above zero"),
        ("exec:'unfinished", "cannot be split"),
    ],
)
def test_bad_commands_get_a_sentence(name, sentence):
    with pytest.raises(PlayerError, match=sentence):
        make_player(name)


def test_options_stand_before_the_command():
    settings = parse_settings("movetime=50,processes=3,option.depth=7:sh -c 'a=b:c'")
    assert (settings.movetime, settings.processes, settings.options) == (50, 3, {"depth": "7"})
    assert settings.command == ("sh", "-c", "a=b:c")
    assert parse_settings("sh x=1:2").command == ("sh", "x=1:2")


WORDS = st.sampled_from(
    [
        "uhi",
        "setoption",
        "seed",
        "newgame",
        "newdeal",
        "pass?",
        "passed",
        "received",
        "played",
        "card?",
        "kitty",
        "enddeal",
        "quit",
        "rules",
        "seat",
        "scores",
        "hand",
        "pass",
        "left",
        "none",
        "pool",
        "movetime",
        "-1",
        "0",
        "3",
        "2C",
        "QS",
        "AH",
        "10d",
        "ZZ",
        "{}",
        '{"players":3}',
        '{"players":"x"}',
        '{"limit":1e99}',
        "[",
        "99999999999",
    ]
)


@given(st.lists(st.lists(WORDS | st.text(max_size=6), max_size=9).map(" ".join), max_size=12), st.integers(0, 1 << 30))
@examples(150)
def test_no_line_breaks_a_served_player(lines, seed):
    dice = random.Random(seed)
    deal = Deal(random_rules(dice), seed, dice.randrange(5))
    whole = dialogue(deal.observe(0))
    server = Server(make_player("random"))
    server._warm_up = lambda: None
    for line in [*lines[:3], *whole, *lines[3:]]:
        for answer in server.hear(line):
            assert "\n" not in answer
            assert answer.split()[0] in ("id", "option", "uhiok", "info", "pass", "card")
    for line in whole:
        assert list(server.hear(line)) == [], "a new game sets everything right"
    if 0 in deal.to_pass:
        (answer,) = server.hear("pass? movetime 100")
        assert CardSet(answer.removeprefix("pass ")) <= deal.observe(0).may_pass
