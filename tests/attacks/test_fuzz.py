"""Every text that comes from outside, mangled: only the documented errors, never a traceback, a hang or a lost match.

The lines that a served player gets are in test_uhi.py.
"""

import json
import random
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import examples, random_rules

from heartlab import PRESETS, Deal, Rules, RulesError, make_player
from heartlab.cards import CARD_NAMES, CardSet
from heartlab.players import PlayerError
from heartlab.records.format import RecordError, to_json, to_openspiel, to_text
from heartlab.records.reader import read_records
from heartlab.training.model import Model, ModelError, load_model, save_model
from heartlab.uhi.lines import LineError, read_answer
from heartlab.uhi.process import BotProcess, Fault
from heartlab.util.bundle import BundleError, read_bundle

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(CARD_NAMES),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=6,
)


def only(errors, action):
    """Do something that may fail with these errors, and then must say why; gives its result, or None."""
    try:
        return action()
    except errors as error:
        if not str(error).strip():
            raise AssertionError(f"{type(error).__name__} without a sentence") from error
        return None


def mangled(text, dice):
    """A text with a few of its characters, words or lines changed, moved or lost."""
    for _ in range(dice.randrange(1, 4)):
        kind = dice.randrange(6)
        place = dice.randrange(len(text) + 1)
        if kind == 0:
            text = text[:place] + dice.choice("\x00\n\t {}[]:,=-+09QSé♠￿") + text[place:]
        elif kind == 1:
            text = text[:place] + text[place + dice.randrange(1, 30) :]
        elif kind == 2:
            lines = text.split("\n")
            dice.shuffle(lines)
            text = "\n".join(lines)
        elif kind == 3:
            words = text.split(" ")
            words[dice.randrange(len(words))] = dice.choice(["", "9" * 30, "QS", "-1", "nan", "\ud800", "1e999"])
            text = " ".join(words)
        elif kind == 4:
            text = text[:place] + text[: dice.randrange(40)] + text[place:]
        else:
            text = text[:place]
    return text


# --- rules ---

KEYS = st.sampled_from([*Rules.__dataclass_fields__, "colour"])
VALUES = st.sampled_from(
    ["", "yes", "no", "3", "-1", "99999999999999999999", "JD", "none", "left/right", "²", "1_0", "+2"]
)


@given(
    st.text(max_size=40)
    | st.builds(
        lambda preset, pairs: ",".join([preset, *(f"{key}={value}" for key, value in pairs)]),
        st.sampled_from([*PRESETS, "", "nobody"]),
        st.lists(st.tuples(KEYS, VALUES | st.text(string.printable, max_size=6)), max_size=4),
    )
)
@examples(200)
def test_rules_as_text(text):
    rules = only(RulesError, lambda: Rules.parse(text))
    if rules:
        assert Rules.parse(str(rules)) == rules
        Deal(rules, seed=1)


@given(st.dictionaries(KEYS, JSON | VALUES, max_size=3))
@examples(200)
def test_rules_as_json(data):
    rules = only(RulesError, lambda: Rules.from_dict(json.loads(json.dumps(data))))
    if rules:
        assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
        Deal(rules, seed=1)


# --- records ---


@given(st.integers(0, 1 << 40), st.sampled_from([to_text, to_json, to_openspiel]))
@examples(60)
def test_mangled_records(seed, write):
    dice = random.Random(seed)
    deal = Deal("openspiel" if write is to_openspiel else random_rules(dice), seed)
    deal.play_randomly(seed)
    text = mangled(write(deal.to_record(players=tuple("abcdef"[: deal.rules.players]), seed=seed)), dice)
    only(RecordError, lambda: [Deal.from_record(record) for record in read_records(text)])


@given(st.text(max_size=200) | st.binary(max_size=100).map(lambda data: data.decode("latin-1")))
@examples(150)
def test_any_text_as_a_record(text):
    only(RecordError, lambda: list(read_records(text)))


# --- models ---


@given(st.integers(0, 1 << 40))
@examples(60)
def test_damaged_models(tmp_path_factory, seed):
    dice = random.Random(seed)
    path = tmp_path_factory.mktemp("models") / "model.npz"
    arrays = {"weights": np.arange(6.0).reshape(2, 3)}
    save_model(
        path, Model("advice-table", arrays, names=("a", "b"), extras={"inputs": [], "hidden": 0, "choice": "sum"})
    )
    data = bytearray(path.read_bytes())
    for _ in range(dice.randrange(1, 6)):
        place = dice.randrange(len(data))
        if dice.random() < 0.3:
            del data[place:]
            break
        data[place] = dice.randrange(256)
    path.write_bytes(bytes(data))
    only(ModelError, lambda: load_model(path))
    only((ModelError, PlayerError), lambda: make_player(f"learner-t:{path}"))


@given(st.dictionaries(st.sampled_from(["format", "version", "kind", "names", "seed", "games", "extras"]), JSON))
@examples(60)
def test_strange_model_headers(tmp_path_factory, changes):
    path = tmp_path_factory.mktemp("models") / "model.npz"
    header = {
        "format": "heartlab-model", "version": 1, "kind": "advice-table", "recipe": "", "rules": "", "command": "",
        "package": "", "names": ["lead"], "seed": 0, "games": 1, "extras": {"inputs": [], "hidden": 0, "choice": "sum"},
    }  # fmt: skip
    text = json.dumps({**header, **changes}).encode()
    np.savez(path, header=np.frombuffer(text, np.uint8), weights=np.zeros((1, 1)))
    only(ModelError, lambda: load_model(path))
    only((ModelError, PlayerError), lambda: make_player(f"learner-t:{path}"))


@given(st.binary(max_size=200))
@examples(50)
def test_any_bytes_as_a_model(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("models") / "model.npz"
    path.write_bytes(data)
    with pytest.raises(BundleError):
        read_bundle(path)


# --- names of players ---


@given(
    st.sampled_from(["random", "gnome", "uct", "exec", "openspiel", "learner-t", "x", ""]),
    st.text(string.printable, max_size=12)
    | st.sampled_from(["worlds=x", "sims=-1", "movetime=1:", "a=b", "(", "ismcts,c=z"]),
)
@examples(150)
def test_names_of_players(family, argument):
    only((PlayerError, ModelError), lambda: make_player(f"{family}:{argument}"))


# --- what bots say ---

POSITION = Deal("standard", seed=3, number=3)
OBS = POSITION.observe(POSITION.to_move)


@given(
    st.text(max_size=30)
    | st.lists(st.sampled_from(["card", "pass", "2C", "QS", "zz", "", "10♠"]), max_size=5).map(" ".join)
)
@examples(300)
def test_any_line_as_an_answer(line):
    cards = only(LineError, lambda: read_answer(line, OBS))
    assert cards is None or len(cards) == 1


@given(
    st.lists(
        st.binary(max_size=40) | st.sampled_from([b"card 2C\n", b"info x\n", b"\n", b"uhiok\n", b"\xff\n"]), max_size=6
    )
)
@examples(25)
def test_any_bytes_from_a_bot(tmp_path_factory, chunks):
    folder = tmp_path_factory.mktemp("bot")
    (folder / "said").write_bytes(b"".join(chunks))
    loop = f'while read -r word rest; do case $word in "card?") cat {folder}/said; exit;; esac; done'
    bot = BotProcess(["sh", "-c", f"read -r line; echo uhiok; {loop}"])
    try:
        bot.handshake(600.0)
        cards = only(Fault, lambda: bot.ask(["newgame"], "card? movetime 600000", OBS, 600_000))
        assert cards is None or isinstance(cards, CardSet)
    finally:
        bot.close(leave=0.0)
