"""`heartlab analyse`: its numbers are those of the search, its costs those of the cards, its refusals clear."""

import json

import numpy as np
import pytest
from support import search_twin as twin
from support.slow import slow
from typer.testing import CliRunner

from heartlab import Deal, Rules, make_player
from heartlab.cli import app, main
from heartlab.players.analysis import _spread, analyse, review
from heartlab.search.evaluators.base import evaluator
from heartlab.search.ordering import MAX_MOVES, candidates


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
            end = follow(after, report.line)
            assert end.phase == "over"
            assert report.expected == twin.final_points(end)[deal.to_move], "the line leads to the value"
        assert found.cards[0].expected == min(report.expected for report in found.cards)


def searched(deal):
    """The cards that are searched for themselves; each of the others has the value of an equivalent one."""
    cards = np.zeros(MAX_MOVES, np.int64)
    return set(cards[: candidates(deal._compiled[0], deal._states[0], True, cards)].tolist())


def follow(referee, line):
    """The position at the end of a line in which all worlds agree."""
    for step in line:
        assert step.seat == referee.to_move
        assert step.card in referee.legal()
        assert step.share == 1.0
        referee = twin.after(referee, step.card)
    return referee


@pytest.mark.parametrize("name", [
    "pie:merge=no", "pie", "pie:tricks=2", "maxn:worlds=0,plies=3", "pie:ties=worst,tricks=2", "pie:ms=60000,tricks=2",
])  # fmt: skip
def test_a_line_is_that_of_the_search_and_ends_where_it_stopped(name):
    """The evaluation at its end, made for the seat to move, is the value of the card: another's view would differ."""
    tricks, steps = (2 if "tricks=2" in name else 1), 0
    for number in range(24):
        deal, referee = twin.late_position(Rules.parse("seed"), 300 + number, 5, number % 4)
        stop = (len(deal.history) // 4 + tricks) * 4 if "plies" not in name else len(deal.history) + 3
        for report in analyse(deal, make_player(name)).cards:
            end = follow(twin.after(referee, report.card), report.line)
            assert len(end.history) == stop
            exact = report.card in searched(deal) or "merge=no" in name
            slack = 1e-9 if exact else 0.2
            assert report.expected == pytest.approx(twin.pie(end, deal.to_move)[deal.to_move], abs=slack)
            steps += len(report.line)
    assert steps > 100


def test_a_paranoid_line_expects_the_worst():
    for seed in range(8):
        deal, referee = twin.late_position(Rules.parse("seed"), seed, 3, seed % 3)
        for report in analyse(deal, make_player("paranoid:worlds=0,tricks=all,eval=points")).cards:
            end = follow(twin.after(referee, report.card), report.line)
            assert report.expected == twin.final_points(end)[deal.to_move]


def test_a_solved_endgame_has_a_line_to_its_end():
    deal, referee = twin.late_position(Rules.parse("seed"), 4, 4)
    for name in ("iie:worlds=0,endgame=4", "uct:worlds=0,endgame=4"):
        found = analyse(deal, make_player(name))
        assert found.unit == "points"
        for report in found.cards:
            end = follow(twin.after(referee, report.card), report.line)
            assert report.expected == twin.final_points(end)[deal.to_move]


def test_the_line_of_a_tree_is_what_it_tried_most():
    deal, referee = twin.late_position(Rules.parse("seed"), 6, 6)
    found = analyse(deal, make_player("uct:worlds=0,sims=2000"))
    assert all(len(report.line) >= 2 for report in found.cards)
    for report in found.cards:
        follow(twin.after(referee, report.card), report.line)


@pytest.mark.slow
def test_values_say_what_they_are():
    deal = Deal("seed", seed=5)
    units = {
        name: analyse(deal, make_player(name), lines=False).unit
        for name in ("pie", "iie:worlds=2", "sage", "uct:worlds=2,sims=20", "ismcts:sims=20", "td-closed:worlds=2",
                     "iie:worlds=2,endgame=12", "iie:endgame=13,ms=5", "uct:worlds=2,sims=20,cut=1,eval=pie",
                     "ismcts:sims=20,playout=evaluate,eval=pie")
    }  # fmt: skip
    assert units == {name: "share" if "pie" in name or "iie" in name else "points" for name in units}


def test_spreads_go_by_weight():
    values, weights = np.array([0.0, 10.0, 10.0, 20.0]), np.array([0.91, 0.03, 0.03, 0.03])
    assert _spread(values, weights) == (0.0, 0.0)
    assert _spread(values, np.full(4, 0.25)) == (pytest.approx(3.0), pytest.approx(17.0))


@pytest.mark.parametrize("name", ["uct:worlds=8,sims=100", "iie:worlds=8", slow("ismcts:sims=400,trees=3")])
def test_a_closed_analysis_agrees_with_the_players_choice_and_sees_nothing(name):
    deal = Deal("standard", seed=5, number=3)
    while len(deal.history) < 9 or len(deal.legal) < 3:
        deal.play(min(deal.legal))
    player = make_player(name)
    found = analyse(deal, player, seed=4)
    assert sum(report.best_in for report in found.cards) >= 1 - 1e-9
    assert all(report.spread[0] <= report.expected + 1e-9 for report in found.cards)
    left = 3 - len(deal.history) % 4
    assert left > 0
    if name.startswith("iie"):
        assert all(len(report.line) == left for report in found.cards), "to the end of the trick"
    assert len(found.cards[0].line) > 0
    for step in found.cards[0].line[:left]:
        assert step.seat == (deal.to_move + 1 + found.cards[0].line.index(step)) % 4
        assert 0 < step.share <= 1
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


def test_a_review_adds_up_points_and_shares_apart(record):
    every = CliRunner().invoke(app, ["analyse", str(record), "--seat", "1", "-p", "iie:worlds=3,endgame=6"])
    assert " points and " in every.stdout
    assert "on the scale of the evaluation" in every.stdout


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
    assert "values of seat" in table.stdout
    assert "not points" in table.stdout
    assert "expected points" not in table.stdout
    points = CliRunner().invoke(app, ["analyse", str(record), "--at", "9", "-p", "uct:worlds=3,sims=30"])
    assert "expected points of seat" in points.stdout
    assert "forecast" not in points.stdout
    every = CliRunner().invoke(app, ["analyse", str(record), "-p", "iie:worlds=5"])
    assert every.exit_code == 0
    assert "on the scale of the evaluation" in every.stdout
    assert "not points" in every.stdout


def test_the_command_speaks_json(record):
    done = CliRunner().invoke(app, ["analyse", str(record), "--at", "9", "-p", "iie:worlds=5", "--json"])
    found = json.loads(done.stdout)
    deal = played().before(9)
    assert {card["card"] for card in found["cards"]} == set(deal.legal.names().split())
    assert found["worlds"] == 5
    assert found["unit"] == "share"
    assert found["choice"] == found["cards"][0]["card"]
    best = analyse(deal, make_player("iie:worlds=5"), played=played().history[8])
    assert np.isclose(found["cost"], best.cost)
    every = CliRunner().invoke(app, ["analyse", str(record), "--seat", "1", "-p", "iie:worlds=5", "--json"])
    assert {one["seat"] for one in json.loads(every.stdout)["decisions"]} == {1}


@evaluator("test-nan")
def nan_for_all(rules, state, root, floats, ints, scratch, out):
    for seat in range(rules["players"]):
        out[seat] = np.nan


@evaluator("test-infinite")
def infinite_for_all(rules, state, root, floats, ints, scratch, out):
    for seat in range(rules["players"]):
        out[seat] = np.inf


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--at", "9", "-p", "maxn:eval=test-nan,worlds=2", "--json"], "its evaluator (test-nan) gave NaN for"),
        (["-p", "maxn:eval=test-infinite,worlds=2"], "its evaluator (test-infinite) gave no finite number for"),
        (["--at", "9", "-p", "paranoid:eval=test-nan,worlds=2"], "its evaluator (test-nan) gave no finite number for"),
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
