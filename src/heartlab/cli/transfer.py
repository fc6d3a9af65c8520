"""The commands of `heartlab ggp` that learn, and carry what was learned from game to game."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heartlab.cli.app import JsonOption, SeedOption, positive, print_json
from heartlab.cli.ggp import BudgetOption, FileArgument, ForceOption, ggp, load_game, natural_seed, say
from heartlab.util.progress import Progress

if TYPE_CHECKING:
    from heartlab.learners.transfer.settings import Opponent, Settings
    from heartlab.learners.transfer.trainer import TurnGame

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="The file to write the features to, as JSON.")]
OutcomesOption = Annotated[
    str,
    typer.Option(
        "--outcomes", help="Goals that are lost, drawn and won: 0-30=L,31-69=D,70-100=W. Default: under, at, over 50."
    ),
]
RoleOption = Annotated[int, typer.Option("--role", help="The learner's role: 0 or 1.")]
AlternateOption = Annotated[bool, typer.Option("--alternate", help="Let the learner change roles from match to match.")]
RecordingOption = Annotated[
    str,
    typer.Option(
        "--recording",
        help="Positions to learn: own (after the learner's moves), own-and-last (the last one, too) or all.",
    ),
]
SlipsOption = Annotated[
    float | None,
    typer.Option("--slips", help="How often opponents other than random move at random (0 to 1); default: 0.1."),
]
RecallOption = Annotated[bool, typer.Option("--recall", help="Use learned values where the look-ahead stops.")]


def _set_up(
    settings: Settings,
    opponents: Sequence[Opponent],
    role: int,
    alternate: bool,
    recall: bool,
    recording: str,
    slips: float | None,
) -> Settings:
    """Settings with the options that `discover` and `learn` share."""
    from heartlab.learners.transfer.settings import Opponent, Recording

    if slips is not None and set(opponents) == {Opponent.RANDOM}:
        raise ValueError("--slips makes no difference to the opponent random, which always moves at random")
    settings = settings._replace(role=role, alternate=alternate, recall=recall, recording=Recording.parse(recording))
    settings = settings if slips is None else settings._replace(opponent_epsilon=slips)
    settings.check()
    return settings


def _check_numbers(seed: int, runs: int, matches: int) -> None:
    """Refuse what no run can have, before the game is loaded and compiled."""
    natural_seed(seed)
    positive("--runs", runs)
    positive("--matches", matches)


def _turn_game(file: str, outcomes: str, budget: float, force: bool) -> TurnGame:
    from heartlab.learners.transfer.trainer import TurnGame

    _, machine = load_game(file, "auto", budget, force)
    return TurnGame(machine, outcomes)


@ggp.command()
def discover(
    file: FileArgument,
    model: ModelArgument,
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            "--opponent",
            "-o",
            metavar="PLAYER",
            help="An opponent to learn against; repeatable. Default: eps-greedy, random and weak.",
        ),
    ] = None,
    matches: Annotated[int, typer.Option("--matches", "-n", help="Matches of each run.")] = 75,
    runs: Annotated[int, typer.Option("--runs", help="Runs that are averaged.")] = 10,
    role: RoleOption = 0,
    alternate: AlternateOption = False,
    depth: Annotated[int, typer.Option("--depth", hidden=True)] = 2,
    recall: RecallOption = False,
    recording: RecordingOption = "own",
    slips: SlipsOption = None,
    outcomes: OutcomesOption = "",
    budget: BudgetOption = 20.0,
    force: ForceOption = False,
    seed: SeedOption = 0,
) -> None:
    """Learn the features of a game. Saves the value of each against each opponent, to begin other games with."""
    from heartlab.learners.transfer.discovery import SOURCE, learn_features
    from heartlab.learners.transfer.models import check_writable
    from heartlab.learners.transfer.settings import FEATURE_DEPTH, STANDARD, Opponent
    from heartlab.learners.transfer.trainer import parse_outcomes

    if depth != FEATURE_DEPTH:
        raise ValueError(f"--depth {depth}: features look {FEATURE_DEPTH} plies ahead; deeper ones were removed")
    opponents = tuple(Opponent.parse(name) for name in opponent or ()) or STANDARD
    settings = _set_up(SOURCE, opponents, role, alternate, recall, recording, slips)
    parse_outcomes(outcomes)
    check_writable(model)
    _check_numbers(seed, runs, matches)
    game = _turn_game(file, outcomes, budget, force)
    with Progress(runs * len(opponents), "runs") as bar:
        found = learn_features(game, opponents, matches, runs, seed, bar.update, settings)
    found.save(model)
    say(f"{model}: {found.size} features of {file}")


@ggp.command()
def pool(
    model: ModelArgument,
    sources: Annotated[list[Path], typer.Argument(metavar="SOURCE", help="Models to pool, of several games.")],
) -> None:
    """Pool models that `discover` saved into one."""
    from heartlab.learners.transfer.models import FeatureModel, check_writable
    from heartlab.learners.transfer.models import pool as pool_models

    check_writable(model)
    pooled = pool_models([FeatureModel.load(path) for path in sources])
    pooled.save(model)
    say(f"{model}: {pooled.size} features of {', '.join(pooled.games)}")


@ggp.command()
def learn(
    file: FileArgument,
    learner: Annotated[
        str,
        typer.Option(
            "--learner",
            help="How to value new positions: baseline, terminal-only, transfer, habits, look-ahead, avgmax, maxmax.",
        ),
    ] = "baseline",
    opponent: Annotated[
        str,
        typer.Option(
            "--opponent",
            "-o",
            metavar="PLAYER",
            help="Who to learn against: eps-greedy, random, weak, blocking, adaptive or switching.",
        ),
    ] = "eps-greedy",
    reading: Annotated[
        str | None,
        typer.Option(
            "--reading",
            help="Moves whose initial values are known: literal (those tried before), terminal-check (also those that "
            "end the game; default) or look-up (all).",
        ),
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="Features for the learners transfer and habits, made by `discover`.")
    ] = None,
    matches: Annotated[int, typer.Option("--matches", "-n", help="Matches of each run.")] = 3000,
    runs: Annotated[int, typer.Option("--runs", help="Independent runs.")] = 10,
    role: RoleOption = 0,
    alternate: AlternateOption = False,
    depth: Annotated[
        int | None, typer.Option("--depth", help="Plies of look-ahead of learners that search: 2 (default) to 6.")
    ] = None,
    recall: RecallOption = False,
    recognise: Annotated[
        bool, typer.Option("--recognise", help="The learner must find out by itself who the opponent is.")
    ] = False,
    recording: RecordingOption = "own",
    slips: SlipsOption = None,
    outcomes: OutcomesOption = "",
    budget: BudgetOption = 20.0,
    force: ForceOption = False,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Learn a game match by match. Shows the rewards against an opponent."""
    from heartlab.learners.transfer.models import FeatureModel
    from heartlab.learners.transfer.settings import Learner, Opponent, Reading, Settings, check_options
    from heartlab.learners.transfer.trainer import learn_runs, parse_outcomes

    settings = Settings(
        Learner.parse(learner),
        Reading.parse(reading or "terminal-check"),
        Opponent.parse(opponent),
        depth=2 if depth is None else depth,
        recognise=recognise,
    )
    settings = _set_up(settings, (settings.opponent,), role, alternate, recall, recording, slips)
    check_options(settings.learner, reading=reading, depth=depth, recall=recall, recognise=recognise, model=model)
    parse_outcomes(outcomes)
    features = None if model is None else FeatureModel.load(model)
    _check_numbers(seed, runs, matches)
    game = _turn_game(file, outcomes, budget, force)
    with Progress(runs, "runs") as bar:
        found = learn_runs(game, settings, matches, runs, seed, features, bar.update)
    if as_json:
        print_json(found.to_dict())
    else:
        print(found)


@ggp.command()
def features(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file that `discover` or `pool` saved.")],
    picture: Annotated[Path | None, typer.Option("--picture", help="Draw the features into this SVG file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show learned features, each as a small tree with its values."""
    from heartlab.learners.transfer.explain import features_svg, features_text
    from heartlab.learners.transfer.models import FeatureModel, check_writable

    found = FeatureModel.load(model)
    if picture is not None:
        check_writable(picture)
        picture.write_text(features_svg(found), "utf-8")
        say(f"drew {picture}")
    if as_json:
        print_json(found.features)
    else:
        print(features_text(found))
