"""`heartlab ggp ...`: parses, calls, prints. Everything that does work is imported when its command runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heartlab.cli.app import JsonOption, SeedOption, leave, positive, print_json
from heartlab.util.progress import Progress

if TYPE_CHECKING:
    from heartlab.ggp.gdl.parse import Description
    from heartlab.ggp.machine.base import Machine
    from heartlab.ggp.protocol.manager import Watch
    from heartlab.learners.transfer.settings import Opponent, Settings
    from heartlab.learners.transfer.trainer import TurnGame

ggp = typer.Typer(
    name="ggp",
    help="General game playing. Games as GDL texts, players, matches over the network, learning.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="A GDL file, or the name of one of our games.")]
MachineOption = Annotated[str, typer.Option("--machine", help="auto, network or prover.")]
BudgetOption = Annotated[
    float, typer.Option("--budget", help="Seconds that grounding may take, and each question to the prover.")
]
StartOption = Annotated[float, typer.Option("--start", help="Seconds before the first turn.")]
PlayOption = Annotated[float, typer.Option("--play", help="Seconds for each turn.")]
ScrambleOption = Annotated[bool, typer.Option("--scramble", help="Replace all words, anew in each match.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Play games in which `check` finds errors, too.")]
PagePortOption = Annotated[int, typer.Option("--port", help="With --browser: the port; 0: any free one.")]
OpenOption = Annotated[bool, typer.Option("--open/--no-open", help="With --browser: open the page.")]


def _say(text: str) -> None:
    """A remark for people: not part of the result."""
    print(text, file=sys.stderr, flush=True)


def _load(file: str, kind: str, budget: float, force: bool) -> tuple[Description, Machine]:
    """A game and its machine; says if only the prover takes it, and refuses a game with errors unless forced."""
    from heartlab.ggp.gdl.validate import errors
    from heartlab.ggp.machine.grounding import Budget
    from heartlab.ggp.machine.load import make_machine, read_game

    description = read_game(file)
    found = errors(description)
    if found:
        more = f" (and {len(found) - 1} more: heartlab ggp check)" if len(found) > 1 else ""
        if not force:
            raise ValueError(f"{found[0]}{more}; --force plays it all the same")
        _say(f"{found[0]}{more}")
    machine = make_machine(description, kind, Budget(seconds=positive("--budget", budget)))
    if machine.kind == "prover":
        _say(f"{description.source}: {machine.note}")
    if not machine.roles:
        raise ValueError(f"{description.source}: the game has no roles")
    return description, machine


@contextmanager
def _needs_web() -> Iterator[None]:
    """Imports that need the extra for the browser."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ValueError(f"{error.name} is missing: install the extra with pip install 'heartlab[web]'") from error


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

    if as_json:
        print_json(known_games())
    else:
        print("\n".join(known_games()))


@ggp.command()
def players(as_json: JsonOption = False) -> None:
    """List the players of games by name."""
    from heartlab.ggp.players.registry import known_game_players

    known = known_game_players()
    if as_json:
        print_json(known)
    else:
        print("\n".join(f"{name:<12} {text}" for name, text in known.items()))


@ggp.command()
def check(file: FileArgument, as_json: JsonOption = False) -> None:
    """Check whether a text is a game. All errors and warnings with their places; status 1 if there are errors."""
    from heartlab.ggp.gdl.validate import ERROR, validate
    from heartlab.ggp.machine.load import read_game

    found = validate(read_game(file))
    wrong = sum(finding.severity == ERROR for finding in found)
    if as_json:
        print_json({"file": file, "valid": not wrong, "findings": [finding.to_dict() for finding in found]})
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
    """Describe a game. Its roles, propositions, moves, grounding, playouts per second."""
    from heartlab.ggp.machine.describe import describe, describe_text

    _, chosen = _load(file, machine, budget, force=True)
    found = describe(chosen, positive("--seconds", seconds))
    if as_json:
        print_json(found)
    else:
        print(describe_text(found))


@ggp.command()
def play(
    file: FileArgument,
    opponent: Annotated[str, typer.Option("--opponent", "-o", metavar="PLAYER", help="A player by name.")] = "uct",
    role: Annotated[str | None, typer.Option("--role", help="Your role; default: the first.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="The opponent's time per move.")] = 1.0,
    machine: MachineOption = "auto",
    budget: BudgetOption = 20.0,
    force: ForceOption = False,
    seed: SeedOption = 0,
    browser: Annotated[
        bool, typer.Option("--browser", help="Play in the browser instead, as many matches as you like.")
    ] = False,
    port: PagePortOption = 8027,
    opens: OpenOption = True,
) -> None:
    """Play a game against a player. At the terminal, or in the browser."""
    _, chosen = _load(file, machine, budget, force)
    clock = positive("--seconds", seconds)
    if browser:
        if role is not None:
            raise ValueError("--role: the page asks for the role; leave it out with --browser")
        with _needs_web():
            from heartlab.web.gdl_serve import run_game_server
        run_game_server(chosen, opponent, clock, _seed(seed), port, browser=opens)
        return
    from heartlab.ggp.players.terminal import play_at_terminal

    play_at_terminal(chosen, opponent, role, clock, _seed(seed))


@ggp.command()
def match(
    file: FileArgument,
    player: Annotated[
        list[str],
        typer.Option("--player", "-p", metavar="PLAYER", help="An address (http://HOST:PORT) or a name; one per role."),
    ],
    start: StartOption = 10.0,
    clock: PlayOption = 5.0,
    number: Annotated[int, typer.Option("-n", "--matches", help="How many matches.")] = 1,
    scramble: ScrambleOption = False,
    rotate: Annotated[bool, typer.Option("--rotate", help="Rotate the seats from match to match.")] = False,
    record: Annotated[Path | None, typer.Option("--record", help="Append each match to this file, as JSON.")] = None,
    machine: MachineOption = "auto",
    budget: BudgetOption = 20.0,
    force: ForceOption = False,
    seed: SeedOption = 0,
    browser: Annotated[
        bool, typer.Option("--browser", help="Show the matches in the browser as they are played, and after that.")
    ] = False,
    port: PagePortOption = 8027,
    opens: OpenOption = True,
    as_json: JsonOption = False,
) -> None:
    """Run matches by the GGP protocol. Players in this process or at addresses; the browser can show them live."""
    from heartlab.ggp.protocol.manager import Clocks, Manager
    from heartlab.ggp.protocol.matches import play_matches

    description, chosen = _load(file, machine, budget, force)
    clocks = Clocks(_clock("--start", start), _clock("--play", clock))
    manager = Manager(description, chosen, clocks, scramble)
    number = positive("--matches", number)
    watching: AbstractContextManager[Watch | None] = nullcontext()
    if browser:
        with _needs_web():
            from heartlab.web.gdl_live import showing_matches
        watching = showing_matches(chosen, number, port, browser=opens)
    with watching as watch:
        summary = play_matches(manager, player, number, _seed(seed), rotate, record, None if as_json else print, watch)
        if as_json:
            print_json(summary)
        sys.stdout.flush()


@ggp.command()
def tournament(
    player: Annotated[
        list[str],
        typer.Option("--player", "-p", metavar="PLAYER", help="An address (http://HOST:PORT) or a name; two or more."),
    ],
    game: Annotated[
        list[str] | None,
        typer.Option("--game", "-g", metavar="GAME", help="A game by name or file; default: tictactoe and connect4."),
    ] = None,
    rounds: Annotated[
        int, typer.Option("--rounds", "-n", help="How often all groups of players meet in all seats.")
    ] = 1,
    start: StartOption = 10.0,
    clock: PlayOption = 5.0,
    scramble: ScrambleOption = False,
    record: Annotated[
        Path | None, typer.Option("--record", help="Save the matches in this file, and continue what it holds.")
    ] = None,
    machine: MachineOption = "auto",
    budget: BudgetOption = 20.0,
    force: ForceOption = False,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Let players meet in several games. In all seats; shows ratings with their uncertainty, and a table."""
    from heartlab.ggp.protocol.manager import Clocks, Manager
    from heartlab.ggp.protocol.tournament import Tournament, standings_text
    from heartlab.util.interrupts import interrupt_noted

    clocks = Clocks(_clock("--start", start), _clock("--play", clock))
    loaded = [_load(file, machine, budget, force) for file in game or ["tictactoe", "connect4"]]
    managers = [Manager(description, chosen, clocks, scramble) for description, chosen in loaded]
    found = Tournament(managers, player, positive("--rounds", rounds), _seed(seed))
    with interrupt_noted() as interrupted, Progress(len(found.schedule()), "matches") as progress:

        def tell(done: int, total: int, text: str) -> None:
            progress.update(done)
            if not as_json:
                _say(f"{done}/{total}  {text}")

        complete = found.play(record, tell, interrupted)
    standings = found.standings()
    if as_json:
        print_json(standings)
    else:
        print(standings_text(standings))
    if not complete:
        kept = f"; the same command with --record {record} resumes it" if record else ""
        _say(f"stopped after {standings['matches']} of {standings['scheduled']} matches{kept}")
        leave(interrupted=True)


@ggp.command()
def serve(
    context: typer.Context,
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="A player by name.")],
    port: Annotated[int, typer.Option("--port", help="The port to listen on.")] = 9147,
    host: Annotated[
        str,
        typer.Option("--host", help="The address to listen on; by default only for this machine."),
    ] = "127.0.0.1",
    memory: Annotated[int, typer.Option("--memory", help="Megabytes that a match may take (on Linux).")] = 2000,
    seconds: Annotated[
        float, typer.Option("--seconds", help="Most seconds of work for one message, however long the clock.")
    ] = 600.0,
    matches: Annotated[
        int, typer.Option("--matches", help="Most matches at a time; 0: as many as fit into memory, at most 32.")
    ] = 0,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Another host name of this server; repeatable."),
    ] = None,
    any_host: Annotated[bool, typer.Option("--any-host", help="Allow any Host and Origin header.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse games in which `check` finds errors.")] = False,
    seed: SeedOption = 0,
) -> None:
    """Serve a player over HTTP. Until interrupted; every match has a process of its own."""
    from heartlab.ggp.protocol.frames import Setup
    from heartlab.ggp.protocol.server import PlayerServer
    from heartlab.ggp.protocol.supervisor import Limits, Supervisor

    if not 0 <= port < 65536:
        raise ValueError(f"--port {port}: a port is a number from 0 to 65535")
    if matches < 0:
        raise ValueError(f"--matches {matches}: needs a number from 0 on")
    limits = Limits(positive("--seconds", seconds), positive("--memory", memory), matches)
    hosts = None if any_host else frozenset(map(str.lower, allow_host or ()))
    supervisor = Supervisor(Setup(player, context.obj or (), memory, strict), limits, seed)
    try:
        server = PlayerServer(supervisor, host, port, hosts)
        _say(f"{player} listens at {server.url}; stop it with Ctrl-C")
        server.serve_forever()
    except OSError as error:
        raise ValueError(f"cannot listen at {host}:{port}: {error.strerror or error}") from None
    except KeyboardInterrupt:
        _say("stopped")
    finally:
        supervisor.close()


ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="The file for the features, as JSON.")]
OutcomesOption = Annotated[
    str, typer.Option("--outcomes", help="The class of goals, such as 0-30=L,31-69=D,70-100=W; default: around 50.")
]
RoleOption = Annotated[int, typer.Option("--role", help="The learner's role: 0 or 1.")]
AlternateOption = Annotated[bool, typer.Option("--alternate", help="Change roles from match to match.")]
RecordingOption = Annotated[
    str, typer.Option("--recording", help="Positions that are learned: own (afterstates), own-and-last or all.")
]
SlipsOption = Annotated[
    float | None,
    typer.Option("--slips", help="How often opponents other than random move at random (0 to 1); default: 0.1."),
]
RecallOption = Annotated[bool, typer.Option("--recall", help="Learned values count where the look-ahead stops.")]


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
        raise ValueError("--slips makes no difference to the opponent random")
    settings = settings._replace(role=role, alternate=alternate, recall=recall, recording=Recording.parse(recording))
    settings = settings if slips is None else settings._replace(opponent_epsilon=slips)
    settings.check()
    return settings


def _turn_game(file: str, outcomes: str, budget: float, force: bool) -> TurnGame:
    from heartlab.learners.transfer.trainer import TurnGame

    _, machine = _load(file, "auto", budget, force)
    return TurnGame(machine, outcomes)


@ggp.command()
def discover(
    file: FileArgument,
    model: ModelArgument,
    opponent: Annotated[
        list[str] | None,
        typer.Option("--opponent", "-o", metavar="PLAYER", help="Default: eps-greedy, random and weak."),
    ] = None,
    matches: Annotated[int, typer.Option("--matches", "-n", help="Learning matches of each run.")] = 75,
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
    """Learn a source game. Saves the values of its look-ahead features, for each opponent."""
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
    game = _turn_game(file, outcomes, budget, force)
    with Progress(positive("--runs", runs) * len(opponents), "runs") as bar:
        found = learn_features(game, opponents, positive("--matches", matches), runs, _seed(seed), bar.update, settings)
    found.save(model)
    _say(f"{model}: {found.size} features of {file}")


@ggp.command()
def pool(
    model: ModelArgument,
    sources: Annotated[list[Path], typer.Argument(metavar="SOURCE", help="Models of several source games.")],
) -> None:
    """Pool the models of several source games into one."""
    from heartlab.learners.transfer.models import FeatureModel, check_writable
    from heartlab.learners.transfer.models import pool as pool_models

    check_writable(model)
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
        str,
        typer.Option(
            "--opponent", "-o", metavar="PLAYER", help="eps-greedy, random, weak, blocking, adaptive or switching."
        ),
    ] = "eps-greedy",
    reading: Annotated[
        str | None,
        typer.Option("--reading", help="When initial values are known: literal, terminal-check (default) or look-up."),
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="Features for transfer and habits; see `discover`.")
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
        bool, typer.Option("--recognise", help="The learner is not told who the opponent is, and finds out.")
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
    game = _turn_game(file, outcomes, budget, force)
    with Progress(positive("--runs", runs), "runs") as bar:
        found = learn_runs(game, settings, positive("--matches", matches), runs, _seed(seed), features, bar.update)
    if as_json:
        print_json(found.to_dict())
    else:
        print(found)


@ggp.command()
def features(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file that `discover` saved.")],
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
        _say(f"drew {picture}")
    if as_json:
        print_json(found.features)
    else:
        print(features_text(found))
