"""`heartlab ggp ...`: parses, calls, prints. Everything that does work is imported when its command runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heartlab.cli.app import positive
from heartlab.util.progress import Progress

if TYPE_CHECKING:
    from heartlab.ggp.gdl.parse import Description
    from heartlab.ggp.machine.base import Machine

ggp = typer.Typer(
    name="ggp",
    help="General game playing: games as GDL texts, players, matches over the wire.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="A GDL file, or the name of one of our games.")]
MachineOption = Annotated[str, typer.Option("--machine", help="auto, network or prover.")]
BudgetOption = Annotated[float, typer.Option("--budget", help="Seconds that grounding may take.")]
SeedOption = Annotated[int, typer.Option("--seed", "-s", help="The same seed gives the same result.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Machine-readable result on standard output.")]


def _say(text: str) -> None:
    """A remark for people: not part of the result."""
    print(text, file=sys.stderr, flush=True)


def _load(file: str, kind: str, budget: float) -> tuple[Description, Machine]:
    """A game and its machine, with a remark where something is odd about it."""
    from heartlab.ggp.gdl.validate import errors
    from heartlab.ggp.machine.grounding import Budget
    from heartlab.ggp.machine.load import make_machine, read_game

    description = read_game(file)
    found = errors(description)
    if found:
        _say(f"{found[0]}" + (f" (and {len(found) - 1} more: heartlab ggp check)" if len(found) > 1 else ""))
    machine = make_machine(description, kind, Budget(seconds=positive("--budget", budget)))
    if machine.kind == "prover":
        _say(f"{description.source}: {machine.note}")
    if not machine.roles:
        raise ValueError(f"{description.source}: the game has no roles")
    return description, machine


def _seed(value: int) -> int:
    if value < 0:
        raise ValueError(f"--seed {value}: needs a number from 0 on")
    return value


def _clock(option: str, value: float) -> float:
    from heartlab.ggp.protocol.messages import MAX_CLOCK

    if not 0.001 <= value <= MAX_CLOCK:
        raise ValueError(f"{option} {value:g}: a clock has 0.001 to {MAX_CLOCK} seconds")
    return value


@ggp.command()
def games(as_json: JsonOption = False) -> None:
    """List our own games by name."""
    from heartlab.ggp.machine.load import known_games

    print(json.dumps(known_games()) if as_json else "\n".join(known_games()))


@ggp.command()
def players(as_json: JsonOption = False) -> None:
    """List the players of games by name."""
    from heartlab.ggp.players.registry import known_game_players

    known = known_game_players()
    print(json.dumps(known) if as_json else "\n".join(f"{name:<12} {text}" for name, text in known.items()))


@ggp.command()
def check(file: FileArgument, as_json: JsonOption = False) -> None:
    """Say whether a text is a game: all errors and warnings with their places. Status 1 if there are errors."""
    from heartlab.ggp.gdl.validate import ERROR, validate
    from heartlab.ggp.machine.load import read_game

    found = validate(read_game(file))
    wrong = sum(finding.severity == ERROR for finding in found)
    if as_json:
        rows = [
            {
                "severity": finding.severity,
                "file": finding.place.source,
                "line": finding.place.line,
                "column": finding.place.column,
                "message": finding.message,
            }
            for finding in found
        ]
        print(json.dumps({"file": file, "valid": not wrong, "findings": rows}, ensure_ascii=False))
    else:
        for finding in found:
            print(finding)
        print(f"{file}: {wrong} error(s), {len(found) - wrong} warning(s)")
    raise typer.Exit(1 if wrong else 0)


@ggp.command()
def info(
    file: FileArgument,
    machine: MachineOption = "auto",
    budget: BudgetOption = 20.0,
    seconds: Annotated[float, typer.Option("--seconds", help="About how long to measure playouts.")] = 1.0,
    as_json: JsonOption = False,
) -> None:
    """Describe a game: roles, propositions, moves, grounding, playouts per second."""
    from heartlab.ggp.machine.describe import describe

    _, chosen = _load(file, machine, budget)
    found = describe(chosen, positive("--seconds", seconds))
    if as_json:
        print(json.dumps(found, ensure_ascii=False))
        return
    for key, value in found.items():
        shown = f"{value:,.0f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
        print(f"{key.replace('_', ' '):<26} {', '.join(shown) if isinstance(shown, list) else shown}")


@ggp.command()
def play(
    file: FileArgument,
    opponent: Annotated[str, typer.Option("--opponent", "-o", help="A player by name.")] = "uct",
    role: Annotated[str | None, typer.Option("--role", help="Yours; default: the first.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="The opponent's time per move.")] = 1.0,
    machine: MachineOption = "auto",
    budget: BudgetOption = 20.0,
    seed: SeedOption = 0,
) -> None:
    """Play a game at the terminal against a player."""
    from heartlab.ggp.players.terminal import play_at_terminal

    _, chosen = _load(file, machine, budget)
    play_at_terminal(chosen, opponent, role, positive("--seconds", seconds), seed)


@ggp.command()
def match(
    file: FileArgument,
    player: Annotated[
        list[str],
        typer.Option("--player", "-p", help="An address (http://HOST:PORT) or a name; one per role."),
    ],
    start: Annotated[float, typer.Option("--start", help="Seconds before the first turn.")] = 10.0,
    clock: Annotated[float, typer.Option("--play", help="Seconds for each turn.")] = 5.0,
    number: Annotated[int, typer.Option("-n", "--matches", help="How many matches.")] = 1,
    scramble: Annotated[bool, typer.Option("--scramble", help="Replace all words of the game.")] = False,
    rotate: Annotated[bool, typer.Option("--rotate", help="Change seats from match to match.")] = False,
    record: Annotated[Path | None, typer.Option("--record", help="Add each match to this file, as JSON.")] = None,
    machine: MachineOption = "auto",
    budget: BudgetOption = 20.0,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Run matches between players here or elsewhere, by the protocol of general game playing."""
    from heartlab.ggp.protocol.manager import Clocks, Manager
    from heartlab.ggp.protocol.matches import play_matches

    description, chosen = _load(file, machine, budget)
    clocks = Clocks(_clock("--start", start), _clock("--play", clock))
    manager = Manager(description, chosen, clocks, scramble)
    summary = play_matches(
        manager, player, positive("--matches", number), seed, rotate, record, None if as_json else print
    )
    if as_json:
        print(json.dumps(summary, ensure_ascii=False))


@ggp.command()
def serve(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="A player by name.")],
    port: Annotated[int, typer.Option("--port", help="Where to listen.")] = 9147,
    host: Annotated[
        str,
        typer.Option("--host", help="Where to listen; by default only for this machine."),
    ] = "127.0.0.1",
    seed: SeedOption = 0,
) -> None:
    """Serve a player over HTTP until interrupted."""
    from heartlab.ggp.protocol.matches import make_agent
    from heartlab.ggp.protocol.server import PlayerServer

    if not 0 <= port < 65536:
        raise ValueError(f"--port {port}: a port is a number from 0 to 65535")
    try:
        agent = make_agent(player, seed)
        server = PlayerServer(agent, host, port)
    except OSError as error:
        raise ValueError(f"cannot listen at {host}:{port}: {error.strerror or error}") from None
    _say(f"{player} listens at {server.url}; stop it with Ctrl-C")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        _say("stopped")
    finally:
        agent.close()


ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="Where to save the features, as JSON.")]
OutcomesOption = Annotated[
    str, typer.Option("--outcomes", help="What goals count as, such as 0-30=L,31-69=D,70-100=W; default: around 50.")
]
RoleOption = Annotated[int, typer.Option("--role", help="The learner's role: 0 or 1.")]
AlternateOption = Annotated[bool, typer.Option("--alternate", help="Change roles from match to match.")]
DepthOption = Annotated[int, typer.Option("--depth", help="Plies of look-ahead: 2, as in the paper, to 6.")]
RecordingOption = Annotated[
    str, typer.Option("--recording", help="Positions that are learned: all, own-and-last or own (afterstates).")
]
SlipsOption = Annotated[
    float | None, typer.Option("--slips", help="How often opponents but random move at random (0 to 1); default: 0.1.")
]
RecallOption = Annotated[bool, typer.Option("--recall", help="Learned values count where the look-ahead stops.")]


@ggp.command()
def discover(
    file: FileArgument,
    model: ModelArgument,
    opponent: Annotated[
        list[str] | None, typer.Option("--opponent", "-o", help="Default: eps-greedy, random and weak.")
    ] = None,
    matches: Annotated[int, typer.Option("--matches", "-n", help="Learning matches of each run.")] = 75,
    runs: Annotated[int, typer.Option("--runs", help="Runs that are averaged.")] = 10,
    role: RoleOption = 0,
    alternate: AlternateOption = False,
    depth: DepthOption = 2,
    recall: RecallOption = False,
    recording: RecordingOption = "all",
    slips: SlipsOption = None,
    outcomes: OutcomesOption = "",
    budget: BudgetOption = 20.0,
    seed: SeedOption = 0,
) -> None:
    """Learn a source game and save the values of its look-ahead features, for each kind of opponent."""
    from heartlab.learners.transfer.discovery import STANDARD, learn_features
    from heartlab.learners.transfer.trainer import TurnGame, parse_outcomes

    parse_outcomes(outcomes)
    _writable(model)
    _, machine = _load(file, "auto", budget)
    game, opponents = TurnGame(machine, outcomes), tuple(opponent or STANDARD)
    with Progress(positive("--runs", runs) * len(opponents), "runs") as bar:
        found = learn_features(
            game,
            opponents,
            positive("--matches", matches),
            runs,
            _seed(seed),
            bar.update,
            role=_player("--role", role),
            alternate=int(alternate),
            depth=depth,
            recall=int(recall),
            recording=recording,
            opponent_epsilon=_slips(slips, opponents),
        )
    found.save(model)
    _say(f"{model}: {found.size} features of {file}")


@ggp.command()
def pool(
    model: ModelArgument,
    sources: Annotated[list[Path], typer.Argument(metavar="MODEL...", help="Models of several source games.")],
) -> None:
    """Pool what was learned in several source games into one model."""
    from heartlab.learners.transfer.models import FeatureModel
    from heartlab.learners.transfer.models import pool as pool_models

    _writable(model)
    pooled = pool_models([FeatureModel.load(path) for path in sources])
    pooled.save(model)
    _say(f"{model}: {pooled.size} features of {', '.join(pooled.games)}")


@ggp.command()
def learn(
    file: FileArgument,
    learner: Annotated[
        str, typer.Option("--learner", help="baseline, terminal-only, transfer, habits, look-ahead, avgmax or maxmax.")
    ] = "baseline",
    opponent: Annotated[
        str, typer.Option("--opponent", "-o", help="eps-greedy, random, weak, blocking, adaptive or switching.")
    ] = "eps-greedy",
    reading: Annotated[
        str | None, typer.Option("--reading", help="literal, terminal-check (the default) or look-up.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="Features for transfer and habits; see `discover`.")
    ] = None,
    matches: Annotated[int, typer.Option("--matches", "-n", help="Matches of each run.")] = 3000,
    runs: Annotated[int, typer.Option("--runs", help="Independent runs.")] = 10,
    role: RoleOption = 0,
    alternate: AlternateOption = False,
    depth: Annotated[
        int | None, typer.Option("--depth", help="Plies of look-ahead of learners that search: 2 (the default) to 6.")
    ] = None,
    recall: RecallOption = False,
    recognise: Annotated[
        bool, typer.Option("--recognise", help="The learner is not told who the opponent is, and finds out.")
    ] = False,
    recording: RecordingOption = "all",
    slips: SlipsOption = None,
    outcomes: OutcomesOption = "",
    budget: BudgetOption = 20.0,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Learn a game against an opponent, match by match, and show the rewards."""
    from heartlab.learners.transfer.models import FeatureModel
    from heartlab.learners.transfer.trainer import TurnGame, check_options, learn_runs, make_settings, parse_outcomes

    settings = make_settings(
        learner=learner,
        opponent=opponent,
        reading=reading or "terminal-check",
        role=_player("--role", role),
        alternate=int(alternate),
        depth=2 if depth is None else depth,
        recall=int(recall),
        recognise=int(recognise),
        recording=recording,
        opponent_epsilon=_slips(slips, (opponent,)),
    )
    check_options(learner, reading=reading, depth=depth, recall=recall, recognise=recognise, model=model)
    parse_outcomes(outcomes)
    features = None if model is None else FeatureModel.load(model)
    _, machine = _load(file, "auto", budget)
    game = TurnGame(machine, outcomes)
    with Progress(positive("--runs", runs), "runs") as bar:
        found = learn_runs(game, settings, positive("--matches", matches), runs, _seed(seed), features, bar.update)
    if as_json:
        print(json.dumps(found))
        return
    for window in found["windows"]:
        spread = "" if window["standard_error"] is None else f" ± {window['standard_error']:.2f} (s.e.)"
        print(f"matches {window['first']:>5} to {window['last']:>5}: {window['mean']:6.2f}{spread}")
    print(f"{found['matches_per_second']:,.0f} learning matches per second")


@ggp.command()
def features(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file that `discover` saved.")],
    picture: Annotated[Path | None, typer.Option("--picture", help="Draw the features into this SVG file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show learned features, each as a small tree with its values."""
    from heartlab.learners.transfer.explain import features_svg, features_text
    from heartlab.learners.transfer.models import FeatureModel

    found = FeatureModel.load(model)
    if picture is not None:
        _writable(picture)
        picture.write_text(features_svg(found), "utf-8")
        _say(f"drew {picture}")
    print(json.dumps(found.features) if as_json else features_text(found))


def _writable(path: Path) -> None:
    """See beforehand that there is a folder to write a file into.

    Raises:
        ValueError: there is none.
    """
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(f"{path}: cannot be written: " + ("it is a folder" if path.is_dir() else "no such folder"))


def _player(option: str, value: int) -> int:
    if value not in (0, 1):
        raise ValueError(f"{option} {value}: there are the roles 0 and 1")
    return value


def _slips(value: float | None, opponents: Sequence[str]) -> float:
    if value is None:
        return 0.1
    if not 0 <= value <= 1:
        raise ValueError(f"--slips {value:g}: needs a share from 0 to 1")
    if set(opponents) == {"random"}:
        raise ValueError("--slips makes no difference to the opponent random")
    return value
