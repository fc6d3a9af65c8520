"""`heartlab analyse`: its numbers are those of the search, its costs those of the cards, its refusals clear."""

import json

import numpy as np
import pytest
import search_twin as twin
from typer.testing import CliRunner

from heartlab import Deal, Rules, make_player
from heartlab.analysis import analyse, review
from heartlab.cli import app, main


def played(rules="standard", seed=3):
    deal = Deal(rules, seed=seed)
    deal.play_randomly(seed)
    return deal


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "deals.txt"
    path.write_text(played().to_text())
    return path


def test_an_open_analysis_gives_exact_values_and_lines():
    for seed in range(12):
        deal, referee = twin.late_position(Rules.parse("seed"), seed, 3, seed % 3)
        found = analyse(deal, make_player("maxn:worlds=0,tricks=all,eval=points"))
        assert {report.card for report in found.cards} == set(deal.legal)
        for report in found.cards:
            after = twin.after(referee, report.card)
            assert report.expected == pytest.approx(twin.maxn(after, 99, twin.final_points)[deal.to_move])
            assert report.spread == (report.expected, report.expected)
            assert report.se is None
            for step in report.line:
                assert step.seat == after.to_move
                assert step.share == 1.0
                after = twin.after(after, step.card)
        assert found.cards[0].expected == min(report.expected for report in found.cards)


@pytest.mark.parametrize("name", ["uct:worlds=8,sims=100", "iie:worlds=8", "ismcts:sims=400,trees=3"])
def test_a_closed_analysis_agrees_with_the_players_choice_and_sees_nothing(name):
    deal = Deal("standard", seed=5, number=3)
    while len(deal.history) < 9 or len(deal.legal) < 3:
        deal.play(min(deal.legal))
    player = make_player(name)
    found = analyse(deal, player, seed=4)
    assert sum(report.best_in for report in found.cards) >= 1 - 1e-9
    assert all(report.spread[0] <= report.expected + 1e-9 for report in found.cards)
    assert all(len(report.line) == 3 for report in found.cards)
    obs = deal.observe(deal.to_move)
    for world in obs.worlds(2, seed=1):
        assert analyse(world, player, seed=4) == found
    assert analyse(deal, player, seed=5) != found


def test_a_review_covers_every_choice_and_charges_what_the_search_says():
    deal = played("seed")
    player = make_player("maxn:worlds=0,tricks=1")
    found = list(review(deal, player))
    choices = [place for place in range(1, 53) if len(deal.before(place).legal) > 1]
    assert [analysis.place for analysis in found] == choices
    for analysis in found:
        values = {report.card: report.expected for report in analysis.cards}
        assert analysis.played == deal.history[analysis.place - 1]
        assert analysis.cost == pytest.approx(values[analysis.played] - min(values.values()))
    assert sum(analysis.cost for analysis in found) > 0, "random play costs something"
    own = list(review(deal, player, seat=2))
    assert own == [analysis for analysis in found if analysis.seat == 2]


def test_positions_before_a_card():
    deal = played()
    for place in (1, 17, 52):
        before = deal.before(place)
        assert before.history == deal.history[: place - 1]
        assert deal.history[place - 1] in before.legal
        assert before.dealt == deal.dealt
        assert before.received == deal.received
    with pytest.raises(ValueError, match="cards 1 to 52, not 53"):
        deal.before(53)
    with pytest.raises(ValueError, match="not 0"):
        deal.before(0)


def test_the_command_prints_a_table_and_a_review(record):
    table = CliRunner().invoke(app, ["analyse", str(record), "--at", "9", "-p", "iie:worlds=5"])
    assert table.exit_code == 0
    assert "is to play" in table.stdout
    assert "expected points of seat" in table.stdout
    every = CliRunner().invoke(app, ["analyse", str(record), "-p", "iie:worlds=5"])
    assert every.exit_code == 0
    assert "points in all" in every.stdout


def test_the_command_speaks_json(record):
    done = CliRunner().invoke(app, ["analyse", str(record), "--at", "9", "-p", "iie:worlds=5", "--json"])
    found = json.loads(done.stdout)
    deal = played().before(9)
    assert {card["card"] for card in found["cards"]} == set(deal.legal.names().split())
    assert found["worlds"] == 5
    assert found["choice"] == found["cards"][0]["card"]
    best = analyse(deal, make_player("iie:worlds=5"), played=played().history[8])
    assert np.isclose(found["cost"], best.cost)
    every = CliRunner().invoke(app, ["analyse", str(record), "--seat", "1", "-p", "iie:worlds=5", "--json"])
    assert {one["seat"] for one in json.loads(every.stdout)["decisions"]} == {1}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--at", "99"], "cards 1 to 52, not 99"),
        (["-p", "gnome"], "gnome does not search"),
        (["--deal", "7"], "holds 1 deals, none at place 7"),
        (["--seat", "4"], "seats 0 to 3"),
        (["-p", "nobody"], "no player is called 'nobody'"),
    ],
)
def test_wrong_questions_get_one_sentence(record, arguments, sentence, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["heartlab", "analyse", str(record), *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said
    assert len(said.splitlines()) == 1
