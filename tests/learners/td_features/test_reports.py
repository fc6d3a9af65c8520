"""Paragraphs of the report on features: what they say follows from runs."""

from __future__ import annotations

from heartlab.learners.td_features.beyond import _searches_found
from heartlab.learners.td_features.claims import PAPER, leads_of_both
from heartlab.learners.td_features.controls import VARIANTS, _why
from heartlab.learners.td_features.trainer import Partners
from heartlab.reproduction import Claim


def _runs(drop: float, gain: float) -> list[dict]:
    """Three runs that move by `drop` from the first snapshot on; the falling rate ends better by `gain`, and so on."""
    found = []
    for luck in (-0.01, 0.0, 0.01):
        curves = {name: [[0.0, 0], [drop + luck, 0]] for name in VARIANTS}
        curves["falling rate"] = [[0.0, 0], [drop - gain + luck / 2, 0]]
        curves["cut to 0…26"] = [[0.0, 0], [drop + 2 * gain + luck / 2, 0]]
        found.append(curves)
    return found


def test_why_training_gets_worse_is_told_from_intervals():
    worse = _why(Partners.EXPERT, _runs(drop=0.5, gain=0.4), [10_000, 50_000])
    assert "From 10,000 to 50,000 deals expert training moves by +0.50 [+0.48, +0.52]: it gets worse." in worse
    assert "Clearly better in the end: falling rate -0.40" in worse
    assert "Clearly worse: cut to 0…26 +0.80" in worse
    same = _why(Partners.SELF, _runs(drop=0.0, gain=0.0), [10_000, 50_000])
    assert "that it gets worse is not shown; a loss of 0.1 or more, which would need a reason, is excluded." in same
    assert "Clearly better in the end: no change. Clearly worse: none." in same


def test_searches_are_told_by_their_intervals():
    def claim(name, low, high):
        return Claim(name, f"{name} is better than max^n", None, (low + high) / 2, (low, high), 9, "fails")

    told = _searches_found([claim("playing paranoid", 0.2, 0.4), claim("soft-max^n in both", -0.1, 0.1)])
    assert told == (
        "Clearly better than max^n in both: none. Clearly worse: playing paranoid (0.30 [0.20, 0.40]). In points per "
        "deal; fewer are better."
    )
    assert "in both: soft (-0.30 [-0.40, -0.20])" in _searches_found([claim("soft", -0.4, -0.2)])


def test_the_third_sentence_follows_from_claims():
    def claim(name, measured):
        return Claim(name, "", None, measured, (measured - 0.1, measured + 0.1), 9, "holds")

    names = (
        "figure-4a/self-trained-beats-expert",
        "figure-4a/expert-trained-beats-expert",
        "imperfect/points-per-deal",
    )
    claims = {name: claim(name, value) for name, value in zip(names, (-1.1, -0.6, -0.2), strict=True)}
    told = leads_of_both(claims)
    assert "self-play leads the expert by 1.10 [1.00, 1.20] points" in told
    assert "expert training by 0.60 [0.50, 0.70]" in told
    assert PAPER.remark is leads_of_both
    assert leads_of_both({}) == ""
