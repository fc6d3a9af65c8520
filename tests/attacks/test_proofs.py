"""Proofs from strangers: deep, absurd or ambiguous ones get one sentence, or do not hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bombs import memory_below, sentence_of
from support.strategies import examples

from heartlab import Deal
from heartlab.web.commitment import ProofError, Shared, check_proof, proof_of, run_verify


def sound(shared=None):
    deal = Deal("standard", 5)
    deal.play_randomly(5)
    return proof_of(deal, 5, "00ff" * 8, list("abcd"), shared)


def with_share():
    shared = Shared("ab" * 16, "cd" * 8)
    deal = Deal("standard", shared.seed(0))
    deal.play_randomly(5)
    return proof_of(deal, shared.seed(0), "00ff" * 8, list("abcd"), shared)


def refused(path, text):
    path.write_bytes(text if isinstance(text, bytes) else json.dumps(text).encode())
    with memory_below(64 << 20), pytest.raises(ProofError) as caught:
        run_verify(path, None)
    return sentence_of(caught.value, path)


def test_sound_proofs_hold(tmp_path):
    for proof in (sound(), with_share()):
        (tmp_path / "p.json").write_text(json.dumps(proof))
        assert run_verify(tmp_path / "p.json", proof["commitment"])[0]


@pytest.mark.parametrize(
    "text",
    [b"[" * 100_000, b'{"a":' * 100_000, b'{"format":' + b"[" * 5000 + b"]" * 5000 + b"}", b'{"format": Infinity}',
     b"\xff\xfe", b"", b"3", b" " * (9 << 20)],
    ids=range(8),
)  # fmt: skip
def test_what_is_no_proof(tmp_path, text):
    refused(tmp_path / "p.json", text)


def test_a_deep_record(tmp_path):
    start = json.dumps({key: value for key, value in sound().items() if key != "record"})[:-1]
    for depth in (*range(50, 3000, 50), 200_000):
        path = tmp_path / "p.json"
        path.write_text(start + ', "record": ' + '{"x":' * depth + "0" + "}" * depth + "}")
        try:
            assert not run_verify(path, None)[0]
        except ProofError as error:
            sentence_of(error, path)


@pytest.mark.parametrize("salt", ["00\n", "00\nhand 0 QS", "", "salt", "00 ", "٣", 7, None, "0" * 500, "00\u2028"])
def test_the_salt_is_hexadecimal(tmp_path, salt):
    assert "salt" in refused(tmp_path / "p.json", {**sound(), "salt": salt})


def test_secret_and_share_are_hexadecimal(tmp_path):
    for field in ("secret", "share", "promise", "commitment"):
        assert field in refused(tmp_path / "p.json", {**with_share(), field: "ab\nshare cd"})
    for field in ("secret", "promise"):
        assert field in refused(tmp_path / "p.json", {key: v for key, v in with_share().items() if key != field})


@pytest.mark.parametrize("seed", [None, "5", 5.5, 1e308, [], True])
def test_seeds_that_are_none(tmp_path, seed):
    assert "seed" in refused(tmp_path / "p.json", {**sound(), "seed": seed})


@pytest.mark.parametrize("seed", [-1, 1 << 64, 10**18])
def test_seeds_of_another_deal(seed):
    assert not all(good for _, good, _ in check_proof({**sound(), "seed": seed}))


@given(st.data())
@examples(60)
def test_sound_proofs_with_a_part_replaced(data):
    proof = json.loads(json.dumps(with_share() if data.draw(st.booleans()) else sound()))
    odd = st.sampled_from([None, -1, 10**30, "", "x" * 5000, "\n", [], {}, [[]], ["2C"], True, 1.5, {"a": []}])
    inside = data.draw(st.booleans())
    where = proof["record"] if inside else proof
    where[data.draw(st.sampled_from(sorted(where)))] = data.draw(odd)
    try:
        checks = check_proof(proof)
    except ProofError as error:
        sentence_of(error)
    else:
        assert all(len(remark) < 1000 for _, _, remark in checks)
