"""`heartlab explain` asks the explainer of the model's kind."""

import json

import pytest
from typer.testing import CliRunner

from heartlab import Deal
from heartlab.cli import app
from heartlab.training.explain import EXPLAINERS, find_explainer


@pytest.fixture
def record(tmp_path):
    deal = Deal("seed", seed=3)
    deal.play_randomly(3)
    (tmp_path / "deal.txt").write_text(deal.to_text())
    return str(tmp_path / "deal.txt")


def answer(*arguments):
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize(("model", "command"), [("advice-best", "advice"), ("falcon", "falcon")])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_other_models_are_explained_like_by_their_own_command(record, model, command, form):
    explained = answer("explain", record, "--at", "7", "--model", model, *form)
    assert explained == answer(command, model, "--record", record, "--at", "7", *form)
    assert "choice" in json.loads(explained) if form else "plays" in explained


@pytest.mark.parametrize(("model", "command"), [("td", "features"), ("advice-best", "advice"), ("falcon", "falcon")])
def test_without_a_file_the_model_is_described(model, command):
    assert answer("explain", "--model", model) == answer(command, model)


def test_a_record_may_end_before_the_card_to_be_explained(tmp_path):
    deal = Deal("seed", seed=3)
    deal.play(min(deal.legal))
    (tmp_path / "begun.txt").write_text(deal.to_text())
    for model in ("advice-best", "falcon"):
        said = answer("explain", str(tmp_path / "begun.txt"), "--at", "2", "--model", model)
        assert f"Seat {deal.to_move} is to play; {model} plays" in said
        values = json.loads(answer("explain", str(tmp_path / "begun.txt"), "--at", "2", "--model", model, "--json"))
        assert values["played"] is None


def test_explainers_are_found_by_the_kind_of_the_model(record):
    assert EXPLAINERS.names() == ["advice", "falcon", "td", "whole"]
    assert type(find_explainer("")).__name__ == "TdExplainer"
    assert type(find_explainer("advice-t")).__name__ == "AdviceExplainer"
    refused = CliRunner().invoke(app, ["explain", record])
    assert refused.exit_code != 0
    assert "--at is missing" in str(refused.exception or refused.output)
    refused = CliRunner().invoke(app, ["explain", "--at", "3"])
    assert "--at 3 asks about a card of a record: name its file" in str(refused.exception or refused.output)
