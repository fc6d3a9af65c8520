"""The closed learner in the td report: trained and seated by name."""

import pytest

from heartlab import Deal
from heartlab.learners.td_features.information import ClosedStudy, information, seated
from heartlab.players.registry import PlayerError
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.series import train_study
from heartlab.rules import Rules


@pytest.mark.slow
def test_a_run_ends_in_a_player_of_the_same_arrays():
    study = ClosedStudy((256,))
    arrays = train_study(study, 1)
    again = train_study(study, 1)
    assert all((arrays[name] == again[name]).all() for name in arrays)
    player, deal = seated(arrays), Deal("seed", seed=1)
    while deal.to_move is not None:
        deal.play(player.play(deal.observe(deal.to_move)))
    assert sum(deal.points) in (26, 78, 0, -26)
    with pytest.raises(PlayerError, match="four players"):
        player.check_rules(Rules.parse("standard,players=3"))


def test_the_experiment_reports_both_opponents_over_runs(tmp_path, monkeypatch):
    """With runs that were measured before: nothing is trained."""
    found = [{"td-closed": [-1.0 - 0.1 * run, 0.2], "iie": [0.05 * run, 0.2]} for run in range(5)]
    monkeypatch.setattr("heartlab.learners.td_features.information.run_units", lambda *_args: found)
    first, second = information(Workshop(tmp_path, tell=lambda line: None)).claims
    assert (first.id, first.verdict, first.runs) == ("beyond/information-beats-td-closed", "holds", 5)
    assert (second.id, second.verdict) == ("beyond/information-beats-iie", "fails")
    assert first.measured == pytest.approx(-1.2)
