"""Models from strangers: bombs, broken files, sound ones with a part replaced. One sentence each, in little memory."""

import json
import random
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import bombs
from support.bombs import BROKEN_NPY, HEADERS, ODD_ARRAYS, header_entry, memory_below, npy, sentence_of, write_entries
from support.strategies import examples

from heartlab import make_player
from heartlab.ggp.gdl.terms import GdlError
from heartlab.learners.falcon.actions import COUNT as ACTIONS
from heartlab.learners.transfer.models import FeatureModel
from heartlab.players import PlayerError
from heartlab.training.explain import ExplainError, find_explainer
from heartlab.training.model import SHIPPED, Model, ModelError, load_model, save_model
from heartlab.util.bundle import FLOATS, LIMIT, BundleError, Form, open_bundle, read_bundle, write_bundle

LITTLE = 24 << 20
"""Bytes that a bad file may take: its header of a megabyte, decoded, is the largest."""
MODELS = {"td": "td", "advice-best": "advice", "advice-t": "learner-t", "advice-n": "learner-n", "falcon": "falcon"}
"""Shipped models, and the players that use them."""


def entries_of(name):
    """The entries of a shipped model, by file name."""
    with zipfile.ZipFile(SHIPPED / f"{name}.npz") as file:
        return {entry: file.read(entry) for entry in file.namelist()}


def header_of(name):
    with np.load(SHIPPED / f"{name}.npz") as file:
        return json.loads(file["header"].tobytes())


def refused(path, action=load_model):
    """The sentence with which a file is refused."""
    with memory_below(LITTLE), pytest.raises((ModelError, PlayerError)) as caught:
        action(path)
    return sentence_of(caught.value, path)


@pytest.mark.parametrize("header", HEADERS, ids=range(len(HEADERS)))
def test_headers_that_are_none(tmp_path, header):
    path = write_entries(tmp_path / "m.npz", {"header.npy": header_entry(header), "weights.npy": npy(np.ones(3))})
    refused(path)
    refused(path, find_explainer)


def test_a_header_that_is_a_bomb(tmp_path):
    """20 MB of blanks in 20 kB: the header is read before anything says what the file is."""
    header = b"{" + b" " * (20 << 20) + b"}"
    path = write_entries(tmp_path / "m.npz", {"header.npy": header_entry(header)})
    assert path.stat().st_size < 100_000
    assert "too long" in refused(path)
    write_entries(path, {"header.npy": npy(np.zeros(3))})
    assert "is not text" in refused(path)


@pytest.mark.parametrize("entry", BROKEN_NPY[:-1], ids=range(len(BROKEN_NPY) - 1))
def test_entries_that_are_no_arrays(tmp_path, monkeypatch, entry):
    monkeypatch.chdir(tmp_path)
    entries = {**entries_of("advice-best"), "weights.npy": entry}
    refused(write_entries(tmp_path / "m.npz", entries))
    refused(write_entries(tmp_path / "m.npz", {**entries, "header.npy": entry}))
    assert not (tmp_path / "trapped").exists()


def test_a_bomb_in_an_array_that_nobody_needs_is_not_opened(tmp_path):
    path = bombs.write_zeros(tmp_path / "m.npz", entries_of("td"), "padding.npy", LIMIT + (16 << 20))
    assert path.stat().st_size < 1 << 20
    make_player("td")  # what it compiles and keeps does not count
    with memory_below(LITTLE):
        make_player(f"td:{path}")
        find_explainer(str(path))
    assert "MB are read" in refused(path)


@pytest.mark.parametrize("name", MODELS)
def test_a_bomb_in_an_array_that_is_needed_is_refused(tmp_path, name):
    entries = entries_of(name)
    needed = next(entry for entry in entries if entry == "weights.npy")
    del entries[needed]
    path = bombs.write_zeros(tmp_path / "m.npz", entries, needed, LIMIT + (16 << 20))
    refused(path, lambda path: make_player(f"{MODELS[name]}:{path}"))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite(tmp_path, value):
    path = tmp_path / "a.npz"
    write_bundle(path, {}, {"weights": np.array([1.0, value])})
    with open_bundle(path) as bundle:
        assert len(bundle.arrays()["weights"]) == 2, "it is only refused where a form is declared"
        with pytest.raises(BundleError, match="not finite numbers"):
            bundle.arrays({"weights": Form(FLOATS, "units")})


def test_a_dimension_for_which_nothing_vouches(tmp_path):
    """An empty array of 200 million columns takes no byte in the file; whoever makes a row of it does."""
    entries = entries_of("advice-best") | {"weights.npy": bombs.npy_claiming("(0, 200000000)")}
    assert "shape that is not read" in refused(write_entries(tmp_path / "m.npz", entries))


def test_sizes_that_the_zip_directory_only_claims(tmp_path):
    entries = entries_of("advice-best") | {"weights.npy": bombs.npy_claiming(f"({3 << 27},)")}
    path = write_entries(tmp_path / "m.npz", entries)
    size = len(entries["weights.npy"]) + (3 << 30)
    bombs.directory_entry(path, "weights.npy", 24, size.to_bytes(4, "little"))
    assert "shape that is not read" in refused(path)


@pytest.mark.parametrize(
    ("offset", "value", "words"),
    [
        (8, b"\x01\x00", "encrypted"),
        (10, b"\x0c\x00", "packed in a way"),
        (10, b"\x63\x00", "packed in a way"),
        (16, b"abcd", "BadZipFile"),
        (24, b"\x01\x00\x00\x00", "damaged"),
        (42, b"\x00\xff\x00\x00", "damaged"),
    ],
)
def test_entries_that_zip_cannot_give(tmp_path, offset, value, words):
    path = write_entries(tmp_path / "m.npz", entries_of("advice-best"))
    bombs.directory_entry(path, "weights.npy", offset, value)
    assert words in refused(path)


def test_a_directory_of_a_million_entries(tmp_path):
    path = tmp_path / "m.npz"
    write_entries(path, entries_of("advice-best"))
    data = path.read_bytes()
    start, end = data.index(b"PK\x01\x02"), data.rindex(b"PK\x05\x06")
    one = data[start : data.index(b"PK\x01\x02", start + 4)]
    directory = one * (8_000_000 // len(one))
    tail = bytearray(data[end:])
    tail[12:16] = len(directory).to_bytes(4, "little")
    path.write_bytes(data[:start] + directory + tail)
    assert "directory is too long" in refused(path)


def test_two_entries_of_one_name(tmp_path):
    entries = [*entries_of("advice-best").items(), ("weights.npy", npy(np.ones((1, 1))))]
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = write_entries(tmp_path / "m.npz", entries)
    assert "two entries" in refused(path)


def test_a_model_in_a_large_honest_file_is_read(tmp_path):
    """The limit grows with the file: what was trained here can be read here."""
    values = np.random.default_rng(1).random(1 << 15)
    save_model(tmp_path / "m.npz", Model("mine", {"values": values}))
    assert (load_model(tmp_path / "m.npz").arrays["values"] == values).all()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
    | st.sampled_from([-1, 10**30, 1 << 63, "x" * 5000, "\x1b[31m\n", [[]] * 300, 1e308]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
@given(st.data())
@examples(40)
def test_sound_models_with_a_part_replaced(tmp_path_factory, name, data):
    """Fields of the header, arrays, and entries of the zip file: whatever changes, only the documented errors come."""
    entries, header = entries_of(name), header_of(name)
    for _ in range(data.draw(st.integers(1, 2))):
        kind = data.draw(st.sampled_from(["field", "extra", "array", "dtype", "npy", "lost"]))
        array = data.draw(st.sampled_from([entry for entry in entries if entry != "header.npy"] or ["weights.npy"]))
        if kind == "field":
            header[data.draw(st.sampled_from([*header, "other"]))] = data.draw(JSON)
        elif kind == "extra" and isinstance(header.get("extras"), dict):
            header["extras"][data.draw(st.sampled_from([*header["extras"], "other"]))] = data.draw(JSON)
        elif kind == "array":
            entries[array] = npy(data.draw(st.sampled_from(ODD_ARRAYS)))
        elif kind == "dtype":
            entries[array] = npy(np.resize(np.arange(9).astype(data.draw(st.sampled_from("?bBhqQfdF"))), (3, 3)))
        elif kind == "npy":
            entries[array] = data.draw(st.sampled_from(BROKEN_NPY))
        else:
            entries.pop(array, None)
    entries["header.npy"] = header_entry(header)
    path = write_entries(tmp_path_factory.mktemp("models") / "m.npz", entries)
    for action in (load_model, find_explainer, lambda path: make_player(f"{MODELS[name]}:{path}")):
        try:
            action(str(path))
        except (ModelError, PlayerError, ExplainError) as error:
            sentence_of(error, path)


def test_many_equal_categories_do_not_take_minutes(tmp_path):
    """All of them would look for a free slot in the same place."""
    count = 200_000
    entries = {
        "header.npy": header_entry({**header_of("falcon"), "kind": "falcon", "extras": {"settings": {}}}),
        "codes.npy": npy(np.zeros(count, np.uint64)), "owners.npy": npy(np.zeros(count, np.int32)),
        "weights.npy": npy(np.zeros((count, ACTIONS), np.float32)),
        "visits.npy": npy(np.zeros((count, ACTIONS), np.int8)),
    }  # fmt: skip
    path = write_entries(tmp_path / "m.npz", entries)
    with pytest.raises((ModelError, PlayerError)) as caught:
        make_player(f"falcon:{path}")
    assert "twice" in sentence_of(caught.value, path)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(BundleError, match="is not a regular file"):
        read_bundle(tmp_path)
    with pytest.raises(BundleError, match="no such file"):
        read_bundle(tmp_path / "nothing")


# --- models of features, which are JSON ---

FEATURES = {
    "format": "heartlab-ggp-features/2", "games": ["nim"], "matches": 1, "runs": 1, "seed": 0, "depth": 2,
    "recall": False, "features": {"random": {"{N{N,W},L}": [40.0, 25.0]}}, "profiles": {"random": [1.0, None, 1, 1]},
}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        b"", b"[" * 100_000, b'{"a":' * 100_000, b"\xff", json.dumps({**FEATURES, "x" * 5000: 1}).encode(),
        json.dumps({**FEATURES, "features": {"random": {"{" * 50_000: [1, 1]}}}).encode(),
        json.dumps({**FEATURES, "features": {"random": {"{L}": [1, "x" * 9000]}}}).encode(),
        json.dumps({**FEATURES, "matches": float("inf")}).encode(),
    ],
    ids=range(8),
)  # fmt: skip
def test_models_of_features(tmp_path, text):
    path = tmp_path / "model.json"
    path.write_bytes(json.dumps(FEATURES).encode())
    FeatureModel.load(path)
    path.write_bytes(text)
    with memory_below(LITTLE), pytest.raises(GdlError) as caught:
        FeatureModel.load(path)
    sentence_of(caught.value, path)


def test_random_bytes(tmp_path):
    dice = random.Random(1)
    for place in range(200):
        path = tmp_path / f"{place}.npz"
        path.write_bytes(b"PK\x03\x04" + dice.randbytes(dice.randrange(300)) + b"PK\x05\x06" + dice.randbytes(18))
        refused(path)
