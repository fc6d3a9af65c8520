"""The committed reports: what a reader meets first, and rows that fit a screen."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from heartlab.reproduction import Claim
from heartlab.reproduction.registry import find_paper

FOLDER = Path(__file__).parents[2] / "docs" / "reports"
PAPERS = ("td-features", "advice", "falcon", "ggp-transfer")
SCREEN = 140
"""Characters of a claim's row, which a page of usual width shows without scrolling."""
CELLS = 7


def _claims(paper: str) -> list[dict[str, Any]]:
    return json.loads((FOLDER / f"{paper}.json").read_text())["claims"]


def _claim(values: dict[str, Any]) -> Claim:
    return Claim(**{name: value for name, value in values.items() if name != "origin"})


@pytest.mark.parametrize("paper", PAPERS)
def test_a_report_opens_with_three_sentences_a_table_and_a_figure(paper):
    opening = (FOLDER / f"{paper}.md").read_text().partition("\n## ")[0]
    title, sentences, table, figure, *rest = opening.split("\n\n")
    assert title.startswith("# ")
    assert len(re.findall(r"[.](?= [A-Z]|$)", sentences)) == 3, sentences
    assert table.startswith("| claim | published | ours | runs | verdict |")
    assert len(table.splitlines()) <= 26
    assert figure.startswith("![")
    assert (FOLDER / figure.rpartition("](")[2].rstrip(")")).is_file()
    assert "Made with `heartlab reproduce" in rest[-1]


@pytest.mark.parametrize("paper", PAPERS)
def test_the_third_sentence_is_what_the_claims_say(paper):
    remark = find_paper(paper).remark
    assert remark is not None
    assert remark({}) == ""
    told = remark({claim["id"]: _claim(claim) for claim in _claims(paper)})
    assert told
    assert told in (FOLDER / f"{paper}.md").read_text().partition("\n| ")[0]


def test_the_page_of_all_papers_counts_as_the_reports_do():
    page = (FOLDER.parent / "reproducing.md").read_text()
    (row,) = (line for line in page.splitlines() if line.startswith("| its claims hold / fail / are unclear |"))
    for paper, cell in zip(PAPERS, row.split(" | ")[1:], strict=True):
        verdicts = [claim["verdict"] for claim in _claims(paper) if claim["origin"] == "paper"]
        counts = [str(verdicts.count(verdict)) for verdict in ("holds", "fails", "unclear")]
        assert cell.rstrip(" |") == " / ".join(counts), paper


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.md")), ids=lambda page: page.stem)
def test_no_claim_is_wider_than_a_screen(page):
    rows = [line for line in page.read_text().splitlines() if re.match(r"[|] \d+ [|]", line)]
    wide = [row for row in rows if row.count(" | ") == CELLS - 1 and len(row) > SCREEN]
    assert not wide


@pytest.mark.parametrize("paper", PAPERS)
def test_a_claim_lies_in_its_own_interval(paper):
    for claim in _claims(paper):
        if claim["ci95"] is not None:
            low, high = claim["ci95"]
            assert low <= claim["measured"] <= high, claim["id"]
