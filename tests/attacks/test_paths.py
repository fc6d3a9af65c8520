"""Paths that are no ordinary files: devices that never end, links in a circle, lines and deals without end."""

import pytest
from support.bombs import memory_below, sentence_of
from support.commands import run as run_fixture

from heartlab import Deal
from heartlab.records import reader
from heartlab.records.format import HEADER, RecordError, to_json, to_text
from heartlab.records.replay import load_deals
from heartlab.util.files import followed, read_at_most

run = run_fixture
ENDLESS = "/dev/zero"


@pytest.mark.parametrize("command", ["verify", "replay", "ggp features"])
def test_a_device_that_never_ends_is_refused(run, command):
    status, out, err = run(*command.split(), ENDLESS)
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert ENDLESS in err


def test_files_are_read_up_to_a_limit(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_at_most(path, 5) == b"12345"
    assert read_at_most(path, 4) is None
    with memory_below(8 << 20):
        assert read_at_most(type(path)(ENDLESS), 3 << 20) is None


def deals(path):
    with memory_below(64 << 20):
        return list(load_deals(path))


def a_deal():
    deal = Deal("standard", seed=1)
    deal.play_randomly(1)
    return deal.to_record(players=tuple("abcd"), seed=1)


@pytest.mark.parametrize("start", ["{", "1 ", "%", "#"])
def test_a_line_without_end(tmp_path, start):
    path = tmp_path / "deals.hearts"
    path.write_text(start + "x" * (40 << 20))
    with pytest.raises(RecordError) as caught:
        deals(path)
    assert "at most 1,000,000 characters" in sentence_of(caught.value, path)


def test_a_deal_without_end(tmp_path):
    path = tmp_path / "deals.hearts"
    path.write_text(f"{HEADER}\ndeal 0\n" + "note a\n" * 3_000_000)
    with pytest.raises(RecordError) as caught:
        deals(path)
    assert "at most 100,000 lines" in sentence_of(caught.value, path)


@pytest.mark.parametrize("write", [to_text, to_json])
def test_long_lines_and_deals_that_are_allowed(tmp_path, write, monkeypatch):
    """The limits are those that the messages name: a line or deal of just that length is read."""
    text = write(a_deal())
    lines = text.splitlines()
    path = tmp_path / "deals.hearts"
    path.write_text(text)
    monkeypatch.setattr(reader, "LONGEST_LINE", max(map(len, lines)) + 1)
    monkeypatch.setattr(reader, "MOST_LINES", len(lines))
    assert len(deals(path)) == 1
    monkeypatch.setattr(reader, "LONGEST_LINE", max(map(len, lines)) - 1)
    with pytest.raises(RecordError):
        deals(path)


@pytest.mark.parametrize("option", ["--keep", "--record"])
def test_links_in_a_circle(run, tmp_path, option):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    status, _, err = run("arena", "random", "--deals", "1", option, tmp_path / "a")
    assert (status, err.count("\n")) == (2, 1), err
    assert "symbolic links" in err


def test_links_are_followed(tmp_path):
    (tmp_path / "a").symlink_to("b")
    assert followed(tmp_path / "a") == (tmp_path / "b").resolve()
    (tmp_path / "b").write_text("x")
    assert followed(tmp_path / "a").read_text() == "x"
