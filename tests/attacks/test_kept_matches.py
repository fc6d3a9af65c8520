"""Kept matches with missing, inconsistent or absurd content: one sentence each, and none goes on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bombs import BROKEN_NPY, HEADERS, ODD_ARRAYS, header_entry, memory_below, npy, sentence_of, write_entries
from support.strategies import examples

from heartlab import Rules, make_player
from heartlab.arena import Match, run_match
from heartlab.arena.resume import Keeper, KeepError
from heartlab.util.bundle import read_bundle

LITTLE = 24 << 20


def the_match(units=60):
    return Match([make_player("gnome"), make_player("random")], Rules.parse("seed"), units, seed=3)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The header and the arrays of a sound file."""
    path = tmp_path_factory.mktemp("kept") / "match.npz"
    run_match(the_match(), keep=path, threads=1)
    return read_bundle(path)


def write(path, header, arrays):
    entries = {f"{name}.npy": array if isinstance(array, bytes) else npy(array) for name, array in arrays.items()}
    return write_entries(path, {"header.npy": header_entry(header), **entries})


def refused(path):
    with memory_below(LITTLE), pytest.raises(KeepError) as caught:
        Keeper(path, the_match()).load()
    return sentence_of(caught.value, path)


def test_a_sound_file_is_accepted(tmp_path, kept):
    found = Keeper(write(tmp_path / "m.npz", *kept), the_match()).load()
    assert found.units == 60
    assert (found.points == kept[1]["points"]).all()


def test_rows_that_do_not_fit_each_other(tmp_path, kept):
    header, arrays = kept
    words = refused(write(tmp_path / "m.npz", header, {**arrays, "points": arrays["points"][:3]}))
    assert "but units is 3" in words
    words = refused(write(tmp_path / "m.npz", header, {**arrays, "won": arrays["won"][:, :1]}))
    assert "but kinds is 2" in words
    words = refused(write(tmp_path / "m.npz", header, {**arrays, "thinking": np.zeros(3)}))
    assert "but kinds is 2" in words
    short = {name: array[:3] if name != "thinking" else array for name, array in arrays.items()}
    assert "do not fit together" in refused(write(tmp_path / "m.npz", header, short))
    negative = {**arrays, "decisions": -arrays["decisions"]}
    assert "do not fit together" in refused(write(tmp_path / "m.npz", header, negative))


@pytest.mark.parametrize("name", ["points", "finals", "won", "moons", "forfeits", "decisions", "thinking"])
def test_missing_and_broken_arrays(tmp_path, kept, name):
    header, arrays = kept
    assert "missing" in refused(write(tmp_path / "m.npz", header, {n: a for n, a in arrays.items() if n != name}))
    for entry in BROKEN_NPY:
        refused(write(tmp_path / "m.npz", header, {**arrays, name: entry}))


@pytest.mark.parametrize("text", HEADERS, ids=range(len(HEADERS)))
def test_headers_that_are_none(tmp_path, kept, text):
    refused(write(tmp_path / "m.npz", text, kept[1]))


@pytest.mark.parametrize("field", ["players", "rules", "seed", "games", "first", "package", "deals", "seconds"])
def test_missing_and_strange_fields(tmp_path, kept, field):
    header, arrays = kept
    for value in (None, [], {}, "x" * 5000, -1, 10**30, 1.5, [[]] * 50):
        if field != "seconds" or not isinstance(value, float | int) or value < 0:
            refused(write(tmp_path / "m.npz", {**header, field: value}, arrays))
    del (header := dict(header))[field]
    refused(write(tmp_path / "m.npz", header, arrays))


@given(st.data())
@examples(80)
def test_sound_files_with_a_part_replaced(tmp_path_factory, kept, data):
    header, arrays = map(dict, kept)
    for _ in range(data.draw(st.integers(1, 2))):
        if data.draw(st.booleans()):
            value = data.draw(st.sampled_from([None, True, -5, 1 << 70, 1e300, "", "♣\n", [], {"a": {}}, ["gnome"]]))
            header[data.draw(st.sampled_from(sorted(header)))] = value
        else:
            name = data.draw(st.sampled_from(sorted(arrays)))
            arrays[name] = data.draw(st.sampled_from([*ODD_ARRAYS, *BROKEN_NPY]))
    path = write(tmp_path_factory.mktemp("kept") / "m.npz", header, arrays)
    try:
        found = Keeper(path, the_match()).load()
    except KeepError as error:
        sentence_of(error, path)
    else:
        assert found.points.shape == (60, 2)


def test_a_file_that_lost_its_points_meanwhile_is_replaced(tmp_path, kept):
    header, arrays = kept
    path = write(tmp_path / "m.npz", header, {name: array for name, array in arrays.items() if name != "points"})
    keeper = Keeper(path, the_match(2))
    keeper.save(run_match(the_match(2), threads=1))
    assert keeper.failure == ""
    assert len(read_bundle(path)[1]["points"]) == 2


def test_the_command_says_it_in_one_line(run, tmp_path, kept):
    header, arrays = kept
    path = write(tmp_path / "m.npz", header, {**arrays, "points": arrays["points"][:3]})
    status, out, err = run("arena", "gnome", "random", "--rules", "seed", "-n", 60, "--seed", 3, "--keep", path)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
