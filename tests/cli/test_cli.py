"""The commands as a newcomer types them: results, JSON shapes that others script against, and wrong input."""

import json
import math
import re
import shlex
import sys

import pytest
from numba.core.errors import NumbaError
from support import ROOT
from support.slow import slow

from heartlab.cli.app import print_json
from heartlab.compiled.jit import compile_reason
from heartlab.players import known_players
from heartlab.players.registry import FAMILIES
from heartlab.training import known_recipes, load_model
from heartlab.training.recipes import RECIPES


def test_rules_lists_and_shows(run):
    status, out, _ = run("rules")
    assert status == 0
    assert {"standard", "seed", "falcon", "black-maria"} <= {line.split()[0] for line in out.splitlines() if line}
    status, out, _ = run("rules", "standard,players=3,moon=self", "--json")
    found = json.loads(out)
    assert (found["players"], found["moon"], found["removed"]) == (3, "self", "2D")


def test_deal_shows_all_cards(run):
    status, out, _ = run("deal", "--rules", "seed", "--seed", 3)
    assert status == 0
    assert sum(out.count(rank) for rank in "JQKA") >= 16
    status, out, _ = run("deal", "--seed", 3, "--json")
    assert sorted(" ".join(json.loads(out)["hands"]).split()) == sorted(
        rank + suit for rank in "23456789TJQKA" for suit in "CDSH"
    )


def test_arena_json_has_the_promised_shape(run):
    status, out, _err = run("arena", "gnome", "random", "--rules", "seed", "--deals", 20, "--seed", 1, "--json")
    assert status == 0
    found = json.loads(out)
    assert (found["rules"], found["deals"], found["arrangements"], found["seed"]) == ("seed", 20, 14, 1)
    for player in found["players"]:
        assert {"name", "mean", "ci95", "deals_won", "games_won", "moons", "forfeits", "ms_per_decision"} <= set(player)
        assert player["ci95"][0] <= player["mean"] <= player["ci95"][1]
    assert found["difference"]["mean"] < 0
    assert found["difference"]["p"] < 0.01
    assert found["seconds"] > 0


def test_arena_reports_moons(run):
    line = ("arena", "gnome:peter", "gnome", "--deals", 5, "--seed", 1, "--moons")
    status, out, _err = run(*line)
    assert status == 0
    assert "failing costs" in out
    status, out, _err = run(*line, "--json")
    assert status == 0
    found = json.loads(out)["moons"]
    assert [one["name"] for one in found] == ["gnome:peter", "gnome"]
    status, _out, err = run(*line, "--keep", "match.npz")
    assert status == 2
    assert "--keep and --moons do not go together" in err


def test_arena_table_and_record(run, tmp_path):
    path = tmp_path / "m.hearts"
    status, out, err = run("arena", "gnome", "random", "--deals", 5, "--seed", 1, "--record", path)
    assert status == 0
    assert "gnome − random" in out
    assert "70 deals written" in err
    status, out, err = run("replay", path, "--deal", 2)
    assert status == 0
    assert out.count("trick ") == 13
    assert "1 deals replayed" in err


@pytest.mark.slow
def test_bench_json_has_the_promised_shape(run):
    status, out, _ = run("bench", "--only", "engine.worlds", "--seconds", 0.05, "--json")
    assert status == 0
    for line in json.loads(out)["benchmarks"]:
        assert {"name", "unit", "threads", "ours", "peer", "theirs", "ratio"} <= set(line)
        assert line["ours"] > 0


@pytest.mark.parametrize(
    "line", ["foo", "arena", "deal --seed x", "arena gnome gnome --rulse seed", "ggp foo", "ggp match", "deal extra"]
)
def test_what_the_parser_refuses_is_one_sentence(run, line):
    status, out, err = run(*line.split())
    assert (status, out) == (2, "")
    assert re.fullmatch(r"heartlab: .+; see `heartlab[a-z ]* --help`\n", err)


@pytest.mark.parametrize("line", ["", "ggp"])
def test_without_a_command_all_are_shown(run, line):
    status, out, err = run(*line.split())
    assert status == 2
    assert "Commands:" in out + err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["arena", "gnom", "random"], "no player is called 'gnom'; did you mean gnome?"),
        (["arena", "gnome:fred", "random"], "no gnome player is called 'fred'"),
        (["arena", "random:3", "gnome"], "player random takes no options"),
        (["arena", "gnome", "random", "--rules", "standrad"], "no rules are called 'standrad'"),
        (
            ["arena", "gnome", "random", "--rules", "standard,moon=blue"],
            "moon=blue is unknown; choose from off, others",
        ),
        (["arena", "gnome", "random", "--rules", "standard,mon=self"], "no rule is called 'mon'"),
        (
            ["arena", "gnome", "--rules", "standard,moon=self,moon=off"],
            "duplicate rule moon: the second is moon=off",
        ),
        (["deal", "--number", "2147483648"], "there is no deal 2147483648"),
        (["arena", "gnome", "random", "--deals", "0"], "--deals 0: needs a number above zero"),
        (["arena", *["random"] * 5], "5 players are named, but these rules have 4 seats"),
        (["arena", "gnome", "--record", "/no/such/folder/x.hearts"], "/no/such/folder: there is no such folder"),
        (["deal", "--number", "-1"], "deals are numbered from 0"),
        (["replay", "/no/such/file.hearts"], "/no/such/file.hearts: No such file or directory"),
        (["bench", "--only", "nothing"], "no benchmark starts with 'nothing'; known are engine."),
        (["rules", "standard,players=5,removed=none"], "52 cards do not divide among 5 players: remove 2 more"),
    ],
)
def test_bad_input_gets_one_clear_sentence(run, arguments, sentence):
    status, out, err = run(*arguments)
    assert status == 2
    assert out == ""
    assert sentence in err
    assert "Traceback" not in err
    assert len([line for line in err.splitlines() if not line.startswith("heartlab: compiling")]) == 1


def test_bad_records_name_the_line_and_good_deals_survive(run, tmp_path):
    path = tmp_path / "m.hearts"
    run("arena", "gnome", "random", "--rules", "seed", "--deals", 1, "--seed", 1, "--record", path)
    lines = path.read_text().splitlines()
    tricks = [number for number, line in enumerate(lines) if line.startswith("trick 1 ")]
    words = lines[tricks[1]].split()
    words[3], words[4] = words[4], words[3]
    lines[tricks[1]] = " ".join(words)
    path.write_text("\n".join(lines) + "\n")
    status, _, err = run("replay", path)
    assert status == 2
    assert f"m.hearts:{tricks[1] + 1}: " in err
    status, _out, err = run("replay", path, "--skip-bad")
    assert status == 1
    assert "13 deals replayed, 1 bad ones skipped" in err


@pytest.mark.slow  # all that learns from advice is compiled
def test_training_resumes_and_lists(run, tmp_path):
    folder = tmp_path / "runs" / "one"
    status, out, err = run(
        "train", "advice-t", "--games", 2000, "--seed", 3, "--out", folder, "--set", "test=50", "--json"
    )
    assert status == 0
    found = json.loads(out)
    assert (found["recipe"], found["seed"], found["done"], found["finished"]) == ("advice-t", 3, 2000, True)
    assert found["metrics"]["games"] == 2000
    assert "2,000 games in" in err
    status, out, _ = run("train", "advice-t", "--games", 3000, "--out", folder, "--resume")
    assert status == 0
    assert out.startswith("games 3000")
    status, out, _ = run("runs", tmp_path)
    assert "finished" in out
    assert "3,000/3,000" in out
    status, out, _ = run("recipes", "--json")
    assert json.loads(out)["advice-t"]["parameters"]["initial"] == 0.36
    status, out, _ = run(
        "arena", f"learner-t:{folder}", "voting", "random", "--rules", "advice", "--deals", 2, "--json"
    )
    assert json.loads(out)["players"][0]["forfeits"] == 0


def test_advice_is_explained(run, tmp_path):
    status, out, _ = run("advice")
    assert status == 0
    assert "get-void-hearts" in out
    status, out, _ = run("advice", "advice-t", "--when", "queen-out", "--json")
    found = json.loads(out)
    assert len(found["trust"]) == 9
    weights = [one["weight"] for one in found["trust"]]
    assert weights == sorted(weights, reverse=True)
    status, out, _ = run("advice", "advice-best")
    assert "What changes most with the situation:" in out
    path = tmp_path / "m.hearts"
    run("arena", "voting", "advice", "random", "--rules", "advice", "--deals", 1, "--record", path)
    status, out, _ = run("advice", "advice-best", "--record", path, "--deal", 2, "--at", 17, "--json")
    found = json.loads(out)
    best = max(found["cards"], key=lambda card: card["score"])
    assert found["choice"] in [card["card"] for card in found["cards"] if card["score"] == best["score"]]
    assert best["score"] == pytest.approx(sum(best["votes"].values()))
    status, out, _ = run("advice", "advice-best", "--record", path, "--deal", 2, "--at", 17)
    assert "plays" in out
    assert status == 0


@pytest.mark.slow
def test_reproduce_lists_and_runs(run, tmp_path):
    status, out, _ = run("reproduce")
    assert status == 0
    assert "advice/table-1" in out
    status, out, err = run("reproduce", "advice/figure-3", "--quick", "--out", tmp_path, "--json")
    found = json.loads(out)
    assert (found["paper"], found["quick"]) == ("advice", True)
    for claim in found["claims"]:
        assert {"id", "statement", "published", "measured", "ci95", "n", "verdict", "note"} <= set(claim)
        assert claim["origin"] == "paper"
        assert claim["verdict"] in ("holds", "fails", "unclear")
    assert "quick run" in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["train", "advice"], "no recipe is called 'advice'; did you mean advice-"),
        (["train", "advice-t", "--set", "rats=1"], "recipe advice-t has no parameter 'rats'"),
        (["train", "advice-t", "--set", "rate"], "--set rate: write key=value"),
        (["train", "advice-t", "--set", "rules=chess"], "no rules are called 'chess'"),
        (["train", "advice-t", "--games", "-1"], "--games -1: needs a number above zero"),
        (["train", "advice-t", "--resume", "--out", "/no/such/run"], "/no/such/run: no run is here"),
        (["advice", "nothing"], "no model is called 'nothing'; shipped are advice-best"),
        (["advice", "advice-t", "--when", "raining"], "this model does not look at 'raining'; it looks at queen-out"),
        (["advice", "advice-best", "--at", "99"], "--at 99: this deal has 51 cards"),
        (["reproduce", "chess"], "no paper is called 'chess'. Known are advice"),
        (["reproduce", "advice/figure-9"], "advice has no experiment 'figure-9'; it has figure-2"),
        (["reproduce", "advice", "--threads", "0"], "--threads 0: needs a number above zero"),
    ],
)
def test_bad_input_to_learning_gets_one_clear_sentence(run, arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    test_bad_input_gets_one_clear_sentence(run, arguments, sentence)
    assert list(tmp_path.iterdir()) == []


def test_a_situation_is_told_as_it_was_asked_for(run):
    told = {}
    for situation in ("queen-out", "queen-out=1", "queen-out=0", "queen-out=0.75"):
        status, out, _ = run("advice", "advice-t", "--when", situation)
        assert status == 0
        told[situation] = out.partition("Situation: ")[2].partition(" Trust")[0]
    assert told["queen-out"] == told["queen-out=1"] == "Q♠ has been played or is in our hand."
    assert told["queen-out=0"] == "Q♠ has been played or is in our hand: no."
    assert told["queen-out=0.75"] == "Q♠ has been played or is in our hand: 0.75."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--at", "3"], "ask about a model"),
        (["--when", "queen-out"], "ask about a model"),
        (["advice-best", "--at", "0"], "--at 0: needs a number above zero"),
        (["advice-best", "--at", "3", "--when", "queen-out"], "give one of them"),
        (["advice-t", "--when", "queen-out=7"], "queen-out=7: needs a number from 0 (no) to 1 (yes)"),
        (["advice-t", "--when", "queen-out=nan"], "queen-out=nan: needs a number from 0 (no) to 1 (yes)"),
        (["advice-t", "--when", "queen-out="], "queen-out=: '' is not a number"),
        (["advice-t", "--when", "queen-out", "--when", "queen-out=0"], "queen-out was given before"),
    ],
)
def test_questions_about_advice_that_have_no_answer(run, arguments, sentence):
    status, out, err = run("advice", *arguments)
    assert (status, out) == (2, "")
    assert sentence in err


@pytest.mark.parametrize("model", ["advice", slow("falcon")])
def test_choices_of_a_negative_seed_are_explained(run, model):
    name = ["advice-best"] if model == "advice" else []
    told = [run(model, *name, "--at", 20, "--seed", seed, "--json") for seed in (-4, -4, 4)]
    assert [status for status, _, _ in told] == [0, 0, 0], told[0][2]
    assert told[0][1] == told[1][1] != told[2][1]


def test_json_has_null_for_what_is_no_number(capsys):
    print_json({"ci95": (-math.inf, math.inf), "rows": [{"mean": math.nan, "n": 1}], "name": "x"})
    assert capsys.readouterr().out == '{"ci95": [null, null], "rows": [{"mean": null, "n": 1}], "name": "x"}\n'


# --- files of users ---

OWN = """
import numpy as np
from heartlab import Player, register
from heartlab.learners.td_features.features import atom


@atom("test: A♣ held", "the ace of clubs is with us")
def ace_of_clubs(rules, state, seat):
    return state["hands"][seat] & np.uint64(1 << 12) != np.uint64(0)


@register("test-lowest", summary="the lowest card")
class Lowest(Player):
    def play(self, obs):
        return min(obs.legal, key=lambda card: card % 13)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("own_atoms")
def test_a_file_of_ones_own_brings_features_and_players(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    training = ["train", "td-full", "--set", "extra=test: A♣ held", "--set", "orders=1", "--games", 300, "--out", "own"]
    status, _, err = run(*training)
    assert status == 2
    assert "no atomic feature is called 'test: A♣ held'" in err
    assert "--use FILE" in err
    assert not (tmp_path / "own").exists(), "what cannot begin leaves nothing behind"
    status, _, err = run("--use", "own.py", *training)
    assert status == 0, err
    _, out, _ = run("features", "own", "--contains", "ace of clubs", "--json")
    assert json.loads(out)["census"]["among"] == 103
    status, out, err = run("arena", "test-lowest", "gnome", "--deals", 2, "--json")
    assert status == 0, err


@pytest.mark.usefixtures("own_names")
def test_the_command_of_a_model_names_the_files_that_it_needs(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(RECIPES, "_things", dict(RECIPES._things))
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    (tmp_path / "my walk.py").write_text(re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0], encoding="utf-8")
    status, _, err = run("--use", "my walk.py", "train", "walk", "--games", 200, "--set", "rate=0.25", "--out", "first")
    assert status == 0, err
    command = "heartlab --use 'my walk.py' train walk --games 200 --seed 0 --set rate=0.25"
    assert load_model("first").command == command
    status, _, err = run(*shlex.split(command)[1:])
    assert status == 0, err
    assert load_model("runs/walk-0").arrays["place"] == load_model("first").arrays["place"]
    status, _, err = run("train", "walk", "--games", 300, "--out", "first", "--resume")
    assert status == 0, err
    assert load_model("first").command == command.replace("200", "300"), "it is kept when a run goes on"
    status, _, err = run(
        "--use", "my walk.py", "sweep", "walk", "--games", 200, "--vary", "rate=0.25", "--out", "swept"
    )
    assert status == 0, err
    assert load_model("swept/walk-rate=0.25-0").command == command


@pytest.mark.slow
@pytest.mark.usefixtures("own_names")
def test_the_advice_of_ones_own_in_the_documentation_works(run, tmp_path, monkeypatch, capsys):
    text = (ROOT / "docs" / "advice.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(python|sh)\n(.*?)```", text.partition("## Advice of your own")[2], re.DOTALL)
    assert [kind for kind, _ in blocks] == ["python", "sh", "python"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "my_advice", None)  # gone again when the test is over
    del sys.modules["my_advice"]
    (tmp_path / "my_advice.py").write_text(blocks[0][1], encoding="utf-8")
    told = []
    for line in blocks[1][1].splitlines():
        words = shlex.split(line, comments=True)
        assert words[0] == "heartlab"
        for option, less in (("--games", "2000"), ("--deals", "2")):
            if option in words:
                words[words.index(option) + 1] = less
        status, out, err = run(*words[1:])
        assert status == 0, err
        told.append(out)
    assert "lowest-heart             Play the lowest heart." in told[0]
    assert "More than half of the tricks are over." in told[3]
    assert "lowest-heart" in told[3]
    exec(blocks[2][1], {})
    assert len(re.findall(r"\d\.", capsys.readouterr().out)) == 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "there is no such file"),
        ("1 +", "SyntaxError"),
        ("raise SystemExit(0)", "own.py: SystemExit: 0"),
        ("from heartlab.learners.advice import piece\n@piece('test-b', 'Bad.')\ndef b(rules, obs):\n"
         "    return obs['hands'] & 1\n", "advice 'test-b' cannot be compiled"),
        ("x = 1\n\nx / 0\n", "own.py: ZeroDivisionError: division by zero ("),
        ("x = 1\n\nx / 0\n", "own.py:3, in <module>)"),
        ("from heartlab.learners.advice import piece\n@piece('all', 'Bad.')\ndef b(rules, obs):\n"
         "    return obs['legal']\n", "advice cannot be called 'all'"),
        ("from heartlab.learners.td_features.features import atom\n@atom('test: b')\ndef b(rules, state, seat):\n"
         "    return state['hand'] == 1\n", "the predicate of 'test: b' cannot be compiled"),
    ],
)  # fmt: skip
def test_a_bad_file_of_ones_own_gets_one_sentence(run, tmp_path, text, sentence):
    if text is not None:
        (tmp_path / "own.py").write_text(text)
    status, _, err = run("--use", tmp_path / "own.py", "players")
    assert status == 2
    assert sentence in err
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) == 1


def test_the_compilers_colours_are_left_out():
    error = NumbaError("\x1b[1mFailed\x1b[0m\n\x1b[1m\x1b[1mField 'hand' was \x1b[31mnot\x1b[0m found\x1b[0m")
    assert compile_reason(error) == "Field 'hand' was not found"


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("def play(self, obs):\n        raise ValueError('first\\nsecond')", "test-odd failed: ValueError: first"),
        ("def play(self, obs):\n        raise SystemExit(0)", "player test-odd failed: SystemExit: 0"),
        ("def pass_cards(self, obs):\n        raise SystemExit", "player test-odd failed: SystemExit"),
        ("def __init__(self):\n        raise SystemExit(0)", "player 'test-odd': SystemExit: 0"),
        ("def play(self, obs):\n        return min(obs.legal)\n\n    def deal_over(self, batch, points):\n"
         "        raise SystemExit(0)", "player test-odd failed: SystemExit: 0"),
    ],
)  # fmt: skip
def test_a_player_that_fails_or_leaves_gets_one_line(run, tmp_path, body, sentence):
    head = "from heartlab import Player, register\n@register('test-odd')\nclass Odd(Player):\n"
    (tmp_path / "odd.py").write_text(f"{head}    {body}\n")
    status, out, err = run("--use", tmp_path / "odd.py", "arena", "test-odd", "random", "--deals", 1)
    assert (status, out) == (2, "")
    assert sentence in err
    assert "odd.py:" in err or "__init__" in body, "the line is named"
    assert "second" not in err


@pytest.mark.parametrize("command", ["arena", "train", "ggp match"])
def test_a_file_of_ones_own_after_the_command_is_told_its_place(run, command):
    status, out, err = run(*command.split(), "gnome", "random", "--use", "own.py")
    assert (status, out) == (2, "")
    assert err == f"heartlab: --use comes before the command: heartlab --use FILE {command} ...\n"


def test_help_names_all_that_a_file_of_ones_own_can_add(run):
    _, out, _ = run("--help")
    text = " ".join(out.split())
    for kind in ("players", "features", "evaluators", "playout policies", "advice", "recipes"):
        assert kind in text


PLAYER = "from heartlab import Player, register\n@register({name!r})\nclass Own(Player):\n    pass\n"
RECIPE = "from heartlab.training import recipe\n@recipe({name!r}, '', object, 1)\nclass Own:\n    pass\n"
ATOM = (
    "from heartlab.learners.td_features import atom\n@atom({name!r})\ndef own(rules, state, seat):\n    return True\n"
)
POLICY = (
    "from heartlab.search.playouts import policy\n@policy({name!r})\ndef own(rules, state, cards, rng):\n    return 0\n"
)
PIECE = (
    "from heartlab.learners.advice import piece\n@piece({name!r}, 'Own.')\n"
    "def own(rules, obs):\n    return obs['legal']\n"
)


@pytest.mark.parametrize(
    ("text", "name", "sentence"),
    [
        (PLAYER, "gnome", "there is a player called 'gnome' already"),
        (PLAYER, "td", "there is a player called 'td' already"),
        (PLAYER, "exec", "there is a player called 'exec' already"),
        (RECIPE, "td-full", "there is a recipe called 'td-full' already"),
        (ATOM, "we have Q♠", "an atomic feature is called 'we have Q♠' already"),
        (ATOM, "points split", "an atomic feature is called 'points split' already"),
        (POLICY, "throw", "there is a policy called 'throw' already"),
        (PIECE, "throw-heart", "there is a piece of advice called 'throw-heart' already"),
    ],
)
@pytest.mark.usefixtures("own_atoms")
def test_names_of_ours_cannot_be_taken(run, tmp_path, text, name, sentence):
    (tmp_path / "own_names.py").write_text(text.format(name=name), encoding="utf-8")
    status, _, err = run("--use", tmp_path / "own_names.py", "players")
    assert status == 2
    assert sentence in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "name", "sentence"),
    [
        (PLAYER, "test-own", "there is a player called 'test-own' already"),
        (RECIPE, "test-own-recipe", "there is a recipe called 'test-own-recipe' already"),
        (POLICY, "test-own-policy", "there is a policy called 'test-own-policy' already"),
        (PIECE, "test-own-piece", "there is a piece of advice called 'test-own-piece' already"),
    ],
)
def test_another_file_cannot_take_a_name(run, tmp_path, monkeypatch, text, name, sentence):
    monkeypatch.setattr(RECIPES, "_things", dict(RECIPES._things))
    for stem in ("own_first", "own_second"):
        (tmp_path / f"{stem}.py").write_text(text.format(name=name))
    use = ["--use", tmp_path / "own_first.py"]
    assert run(*use, *use, "players")[0] == 0, "the same file may define it again"
    status, _, err = run(*use, "--use", tmp_path / "own_second.py", "players")
    assert status == 2
    assert sentence in err


def test_the_registries_know_where_our_own_are():
    """A name that is missing there would never be found."""
    known_players(), known_recipes()
    for registry in (FAMILIES, RECIPES):
        makers = {name: thing.make.__module__ for name, thing in registry._things.items()}
        plugins = "heartlab.players.registry"
        registered = {
            name: module for name, module in makers.items() if module.startswith("heartlab.") and module != plugins
        }
        listed = {name: entry.module for name, entry in registry._entries.items() if registry.is_ours(name)}
        assert registered == listed
