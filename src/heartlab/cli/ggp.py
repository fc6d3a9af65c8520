"""`heartlab ggp ...`: games, players and matches; the commands that learn are in :mod:`heartlab.cli.transfer`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heartlab.cli.app import JsonOption, SeedOption, leave, needs_web, positive, print_json
from heartlab.util.progress import Progress

if TYPE_CHECKING:
    from heartlab.ggp.gdl.parse import Description
    from heartlab.ggp.machine.base import Machine
    from heartlab.web.gdl_live import LiveMatches

ggp = typer.Typer(
    name="ggp",
    help="General game playing. Play, run and learn any game that is written in GDL.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="A GDL file, or the name of one of our games.")]
MachineOption = Annotated[
    str,
    typer.Option(
        "--machine", help="How to run the rules: network (fast), prover (any game) or auto (the best that works)."
    ),
]
BudgetOption = Annotated[
    float, typer.Option("--budget", help="Most seconds for grounding the game, and for each question to the prover.")
]
StartOption = Annotated[float, typer.Option("--start", help="Seconds before the first turn.")]
PlayOption = Annotated[float, typer.Option("--play", help="Seconds for each turn.")]
ScrambleOption = Annotated[
    bool, typer.Option("--scramble", help="Replace the words of the rules by random ones, anew in each match.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Go on although `heartlab ggp check` finds errors.")]
PagePortOption = Annotated[int, typer.Option("--port", help="With --browser: the port; 0: any free one.")]
ShowOption = Annotated[
    bool, typer.Option("--browser", help="Show the matches in the browser as they are played, and after that.")
]
OpenOption = Annotated[bool, typer.Option("--open/--no-open", help="With --browser: open the page.")]


def say(text: str) -> None:
    """A remark for people: not part of the result."""
    print(text, file=sys.stderr, flush=True)


def load_game(file: str, kind: str, budget: float, force: bool) -> tuple[Description, Machine]:
    """A game and its machine; says what the prover has to play, and refuses a game with errors unless forced."""
    from heartlab.ggp.gdl.validate import errors
    from heartlab.ggp.machine.grounding import Budget
    from heartlab.ggp.machine.load import make_machine, read_game

    description = read_game(file)
    found = errors(description)
    if found:
        more = f" (and {len(found) - 1} more: heartlab ggp check)" if len(found) > 1 else ""
        if not force:
            raise ValueError(f"{found[0]}{more}; --force plays it all the same")
        say(f"{found[0]}{more}")
    machine = make_machine(description, kind, Budget(seconds=positive("--budget", budget)))
    if machine.kind != "network":
        say(f"{description.source}: {machine.note}")
    if not machine.roles:
        raise ValueError(f"{description.source}: the game has no roles")
    return description, machine


def _showing(
    machines: Sequence[Machine], total: int, browser: bool, port: int, opens: bool
) -> AbstractContextManager[LiveMatches | None]:
    """Show matches in the browser while a block plays them, and then until Ctrl-C; nothing without --browser."""
    if not browser:
        return nullcontext()
    with needs_web():
        from heartlab.web.gdl_live import showing_matches
    return showing_matches(machines, total, port, browser=opens)


def natural_seed(value: int) -> int:
    """The value of --seed, if it is not negative.

    :raises ValueError: if it is.
    """
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
    """List the players of such games, with their options."""
    from heartlab.ggp.players.registry import known_game_players

    known = known_game_players()
    if as_json:
        print_json(known)
    else:
        print("\n".join(f"{name:<12} {text}" for name, text in known.items()))


@ggp.command()
def check(file: FileArgument, as_json: JsonOption = False) -> None:
    """Check the rules of a game. Lists errors and warnings with their places; exit status 1 if there are errors."""
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
    """Describe a game. Shows its roles, propositions and moves, how it was grounded, and playouts per second."""
    from heartlab.ggp.machine.describe import describe, describe_text

    _, chosen = load_game(file, machine, budget, force=True)
    found = describe(chosen, positive("--seconds", seconds))
    if as_json:
        print_json(found)
    else:
        print(describe_text(found))


@ggp.command()
def play(
    file: FileArgument,
    opponent: Annotated[str, typer.Option("--opponent", "-o", metavar="PLAYER", help="A player by name.")] = "uct",
    role: Annotated[str | None, typer.Option("--role", help="Your role. Default: the first.")] = None,
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
    _, chosen = load_game(file, machine, budget, force)
    clock = positive("--seconds", seconds)
    if browser:
        if role is not None:
            raise ValueError("--role: the page asks for the role; leave it out with --browser")
        with needs_web():
            from heartlab.web.gdl_serve import run_game_server
        run_game_server(chosen, opponent, clock, natural_seed(seed), port, browser=opens)
        return
    from heartlab.ggp.players.terminal import play_at_terminal

    play_at_terminal(chosen, opponent, role, clock, natural_seed(seed))


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
    rotate: Annotated[bool, typer.Option("--rotate", help="Let the players change roles from match to match.")] = False,
    record: Annotated[Path | None, typer.Option("--record", help="Append each match to this file, as JSON.")] = None,
    machine: MachineOption = "auto",
    budget: BudgetOption = 20.0,
    force: ForceOption = False,
    seed: SeedOption = 0,
    browser: ShowOption = False,
    port: PagePortOption = 8027,
    opens: OpenOption = True,
    as_json: JsonOption = False,
) -> None:
    """Run matches by the GGP protocol. Players in this process or at addresses; the browser can show them live."""
    from heartlab.ggp.protocol.manager import Clocks, Manager
    from heartlab.ggp.protocol.matches import play_matches

    description, chosen = load_game(file, machine, budget, force)
    clocks = Clocks(_clock("--start", start), _clock("--play", clock))
    manager = Manager(description, chosen, clocks, scramble)
    number = positive("--matches", number)
    with _showing([chosen], number, browser, port, opens) as live:
        watch = None if live is None else live.watch
        summary = play_matches(
            manager, player, number, natural_seed(seed), rotate, record, None if as_json else print, watch
        )
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
        typer.Option(
            "--game", "-g", metavar="GAME", help="A game by name or file; repeatable. Default: tictactoe and connect4."
        ),
    ] = None,
    rounds: Annotated[
        int, typer.Option("--rounds", "-n", help="How often every group of players meets, in all roles.")
    ] = 1,
    start: StartOption = 10.0,
    clock: PlayOption = 5.0,
    scramble: ScrambleOption = False,
    record: Annotated[
        Path | None,
        typer.Option("--record", help="Save the matches in this file; the same command resumes the tournament."),
    ] = None,
    machine: MachineOption = "auto",
    budget: BudgetOption = 20.0,
    force: ForceOption = False,
    seed: SeedOption = 0,
    browser: ShowOption = False,
    port: PagePortOption = 8027,
    opens: OpenOption = True,
    as_json: JsonOption = False,
) -> None:
    """Let players meet in several games, in all roles. Ratings and a table; the browser can show it all live."""
    from heartlab.ggp.protocol.manager import Clocks, Manager
    from heartlab.ggp.protocol.tournament import Tournament, standings_text
    from heartlab.util.interrupts import interrupt_noted

    clocks = Clocks(_clock("--start", start), _clock("--play", clock))
    loaded = [load_game(file, machine, budget, force) for file in game or ["tictactoe", "connect4"]]
    managers = [Manager(description, chosen, clocks, scramble) for description, chosen in loaded]
    found = Tournament(managers, player, positive("--rounds", rounds), natural_seed(seed))
    total = len(found.schedule())
    with _showing([one.machine for one in managers], total, browser, port, opens) as live:
        with interrupt_noted() as interrupted, Progress(total, "matches") as progress:

            def tell(done: int, total: int, text: str) -> None:
                progress.update(done)
                if not as_json:
                    say(f"{done}/{total}  {text}")

            if live is None:
                complete = found.play(record, tell, interrupted)
            else:
                complete = found.play(record, tell, interrupted, live.watch, partial(live.note, found))
        standings = found.standings()
        if as_json:
            print_json(standings)
        else:
            print(standings_text(standings))
        sys.stdout.flush()
        if not complete:
            kept = f"; the same command with --record {record} resumes it" if record else ""
            say(f"stopped after {standings['matches']} of {standings['scheduled']} matches{kept}")
            leave(interrupted=True)


@ggp.command()
def serve(
    context: typer.Context,
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="A player by name.")],
    port: Annotated[int, typer.Option("--port", help="The port to listen on.")] = 9147,
    host: Annotated[
        str,
        typer.Option("--host", help="Address to listen on; the default serves this computer only."),
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
        typer.Option(
            "--allow-host", metavar="NAME", help="Another host name that this server is reached by; repeatable."
        ),
    ] = None,
    any_host: Annotated[bool, typer.Option("--any-host", help="Allow any Host and Origin header.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse games in which `heartlab ggp check` finds errors.")
    ] = False,
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
        say(f"{player} listens at {server.url}; stop it with Ctrl-C")
        server.serve_forever()
    except OSError as error:
        raise ValueError(f"cannot listen at {host}:{port}: {error.strerror or error}") from None
    except KeyboardInterrupt:
        say("stopped")
    finally:
        supervisor.close()
