"""The command line: parses, calls, prints. Everything that does work is imported when its command runs.

What every command shares: `--json` puts the machine-readable result on standard output and everything else on standard
error; bad input gets one clear sentence and exit status 2.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from heartlab.ggp.commands import ggp
from heartlab.rules import PRESET_NOTES, PRESETS, Rules

app = typer.Typer(
    name="heartlab",
    help="A laboratory for learning to play games from features and advice, with Hearts at its heart.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.add_typer(ggp)

RulesOption = Annotated[str, typer.Option("--rules", "-r", help="Preset and changes: standard,moon=self,bonus=JD")]
SeedOption = Annotated[int, typer.Option("--seed", "-s", help="The same seed gives the same result.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Machine-readable result on standard output.")]
RecordArgument = Annotated[Path, typer.Argument(help="A record: text, JSON Lines or OpenSpiel integer lines.")]
DealOption = Annotated[int, typer.Option("--deal", "-d", help="The deal at this place in the file, from 1.")]
RecordRulesOption = Annotated[str, typer.Option("--rules", help="The rules of OpenSpiel integer lines.")]
OnOption = Annotated[str, typer.Option("--on", help="Where tasks run: local, ray or ray:ADDRESS; same result.")]
SkipBadOption = Annotated[bool, typer.Option("--skip-bad", help="Report bad deals and keep the good ones.")]


def main() -> None:
    """Run the command line; bad input ends with one sentence on standard error and status 2."""
    from heartlab.cards import CardError

    try:
        app()
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(0) from None
    except (ValueError, OSError, CardError) as error:
        fail(str(error) if not isinstance(error, OSError) else f"{error.filename}: {error.strerror}")


def fail(message: str, status: int = 2) -> None:
    """Say what was wrong and leave."""
    print(f"heartlab: {message}", file=sys.stderr)
    raise SystemExit(status)


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    print(json.dumps(value, ensure_ascii=False))


def _version(wanted: bool) -> None:
    if wanted:
        from heartlab import __version__

        print(f"heartlab {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options before the command."""


@app.command()
def rules(
    name: Annotated[
        str | None, typer.Argument(help="A preset with changes; without it all presets are listed.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the rules by name, or show one set of rules in full."""
    from dataclasses import fields

    if name is not None:
        chosen = Rules.parse(name)
        if as_json:
            print_json({"rules": str(chosen), **chosen.to_dict()})
            return
        print(chosen)
        for field in fields(chosen):
            value = chosen.to_dict()[field.name]
            print(f"  {field.name:<20} {' '.join(value) if isinstance(value, list) else value}")
        print(f"  {'(cards each)':<20} {chosen.hand_size}\n  {'(points in all)':<20} {chosen.total_points}")
    elif as_json:
        print_json({preset: value.to_dict() for preset, value in PRESETS.items()})
    else:
        for preset in PRESETS:
            print(f"{preset:<12} {PRESET_NOTES[preset]}")
        print("\nCompose them: --rules standard,moon=self,bonus=JD. In full: heartlab rules standard")


@app.command()
def players(as_json: JsonOption = False) -> None:
    """List the players by name."""
    from heartlab.players import known_players

    known = known_players()
    if as_json:
        print_json(known)
    else:
        for name, summary in known.items():
            print(f"{name:<12} {summary}")


@app.command()
def deal(
    rules: RulesOption = "standard",
    seed: SeedOption = 0,
    number: Annotated[int, typer.Option("--number", "-n", help="Number of the deal: decides who passes where.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Deal the cards and show the table."""
    from heartlab.deal import Deal

    if number < 0:
        raise ValueError(f"--number {number}: deals are numbered from 0")
    dealt = Deal(rules, seed, number)
    if as_json:
        from heartlab.record import to_json

        print(to_json(dealt.to_record(seed=seed)))
    else:
        print(dealt)


@app.command()
def replay(
    file: RecordArgument,
    number: Annotated[
        int | None, typer.Option("--deal", "-d", help="Only the deal at this place in the file, from 1.")
    ] = None,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after each trick.")] = False,
    skip_bad: SkipBadOption = False,
    as_json: JsonOption = False,
    rules: RecordRulesOption = "openspiel",
) -> None:
    """Step through a record, checking every card against the rules."""
    from heartlab.replay import replay_file

    bad = replay_file(
        file, place=number, step=step, skip_bad=skip_bad, as_json=as_json, openspiel_rules=Rules.parse(rules)
    )
    raise typer.Exit(1 if bad else 0)


@app.command("analyse")
def analyse_record(
    file: RecordArgument,
    at: Annotated[
        int | None, typer.Option("--at", help="Number of the card to be chosen, from 1; without it every choice.")
    ] = None,
    number: DealOption = 1,
    seat: Annotated[int | None, typer.Option("--seat", help="Only the choices of this seat.")] = None,
    player: Annotated[str, typer.Option("--player", "-p", help="The player that judges; it has to search.")] = "uct",
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    rules: RecordRulesOption = "openspiel",
) -> None:
    """Show what a player thinks of each card in a recorded position, or what every choice of a deal cost."""
    from heartlab.analysis.command import run_analysis

    run_analysis(
        file,
        place=_positive("--deal", number),
        at=at,
        seat=seat,
        player=player,
        seed=seed,
        openspiel_rules=Rules.parse(rules),
        report=print_json if as_json else None,
    )


@app.command()
def features(
    model: Annotated[
        str, typer.Argument(help="A model: a name, a file or a run's folder; without it the shipped one.")
    ] = "",
    top: Annotated[int, typer.Option("--top", help="How many of each sign.")] = 20,
    contains: Annotated[
        list[str] | None, typer.Option("--contains", help="Only conjunctions with this atomic feature; repeatable.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a network has learned: the conjunctions with the largest weights, in words."""
    from heartlab.analysis.weights import run_features

    run_features(model, top=_positive("--top", top), contains=contains or [], report=print_json if as_json else None)


@app.command()
def explain(
    file: RecordArgument,
    at: Annotated[int, typer.Option("--at", help="Number of the card to be chosen, from 1.")],
    number: DealOption = 1,
    model: Annotated[
        str, typer.Option("--model", "-m", help="The network that explains; without it the shipped one.")
    ] = "",
    worlds: Annotated[int, typer.Option("--worlds", help="Sampled worlds; 0 looks at all hands.")] = 50,
    top: Annotated[int, typer.Option("--top", help="Reasons per card.")] = 4,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    rules: RecordRulesOption = "openspiel",
) -> None:
    """Say in words which learned features made a card look good or bad."""
    from heartlab.analysis.explain import run_explanation

    run_explanation(
        file,
        place=_positive("--deal", number),
        at=at,
        model=model,
        worlds=worlds,
        top=_positive("--top", top),
        seed=seed,
        openspiel_rules=Rules.parse(rules),
        report=print_json if as_json else None,
    )


@app.command()
def play(
    players: Annotated[
        list[str] | None, typer.Argument(metavar="[PLAYER...]", help="More players for the page to offer, by name.")
    ] = None,
    port: Annotated[int, typer.Option("--port", help="0 takes a free one.")] = 8026,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    beyond: Annotated[
        bool, typer.Option("--beyond-this-computer", help="Allow a --host that other computers can reach.")
    ] = False,
    file: Annotated[Path | None, typer.Option("--file", help="The SQLite file that keeps the games.")] = None,
    coach: Annotated[str | None, typer.Option("--coach", help="The player that judges; it has to search.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    workers: Annotated[int, typer.Option("--workers", help="Threads on which bots and coach think.")] = 2,
) -> None:
    """Play Hearts in the browser against our players, with a coach who says why."""
    try:
        from heartlab.web.command import run_server
    except ModuleNotFoundError as error:
        raise ValueError(f"{error.name} is missing: install the extra with pip install 'heartlab[web]'") from error

    run_server(
        host=host,
        port=port,
        beyond=beyond,
        file=file,
        players=players or [],
        coach=coach,
        browser=browser,
        workers=_positive("--workers", workers),
    )


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="A proof, saved from the page after a deal.")],
    commitment: Annotated[
        str | None, typer.Option("--commitment", help="The hash that the page showed before the first card.")
    ] = None,
    promise: Annotated[
        str | None,
        typer.Option("--promise", help="The hash of the server's secret that the page got before its own text."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check that a deal played in the browser was fixed before its first card and not rigged."""
    from heartlab.web.commitment import run_verify

    good, checks = run_verify(file, commitment, promise)
    if as_json:
        print_json({"file": str(file), "holds": good, "checks": checks})
    else:
        for check in checks:
            print(f"{'yes' if check['holds'] else 'NO ':<4} {check['check']}  ({check['remark']})")
        if commitment is None:
            print("Compare the hash with the one that the page showed, or give it with --commitment.")
    raise typer.Exit(0 if good else 1)


@app.command()
def arena(
    names: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="Players by name; see `heartlab players`.")],
    rules: RulesOption = "standard",
    deals: Annotated[
        int, typer.Option("--deals", "-n", help="Distinct deals (or games), each in every arrangement.")
    ] = 1000,
    seed: SeedOption = 0,
    games: Annotated[
        bool, typer.Option("--games", help="Play whole games to the limit instead of single deals.")
    ] = False,
    until_se: Annotated[
        float | None, typer.Option("--until-se", help="Stop when the standard error of the difference is this small.")
    ] = None,
    open_match: Annotated[bool, typer.Option("--open", help="Let players sit down who see all hands.")] = False,
    record: Annotated[
        Path | None, typer.Option("--record", help="Keep every deal in this file (.jsonl: JSON Lines).")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Keep the match in this file; the same command goes on with it.")
    ] = None,
    threads: Annotated[int | None, typer.Option("--threads", help="Default: one per core.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", help="Deals per batch; does not change the result.")] = None,
    on: OnOption = "local",
    as_json: JsonOption = False,
) -> None:
    """Play a match: the same deals in every seat arrangement, with confidence intervals."""
    from heartlab.arena.command import run_arena

    interrupted = run_arena(
        names,
        rules=Rules.parse(rules),
        units=_positive("--deals", deals),
        seed=seed,
        games=games,
        open_match=open_match,
        until_se=None if until_se is None else _positive("--until-se", until_se),
        record=record,
        keep=keep,
        threads=None if threads is None else _positive("--threads", threads),
        batch=None if batch is None else _positive("--batch", batch),
        on=on,
        report=print_json if as_json else None,
    )
    raise typer.Exit(130 if interrupted else 0)


@app.command()
def bench(
    only: Annotated[str | None, typer.Option("--only", help="Only benchmarks whose name starts with this.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="About how long to measure each line.")] = 5.0,
    as_json: JsonOption = False,
) -> None:
    """Measure speed, ours beside a peer's, in one run."""
    from heartlab.benchmarks import known_benchmarks

    chosen = {name: run for name, run in known_benchmarks().items() if name.startswith(only or "")}
    if not chosen:
        raise ValueError(f"no benchmark starts with {only!r}; known are {', '.join(known_benchmarks())}")
    results = []
    tell: Callable[[str], None] = lambda line: print(line, file=sys.stderr if as_json else sys.stdout, flush=True)  # noqa: E731
    for run in chosen.values():
        for result in run(_positive("--seconds", seconds)):
            results.append(result.to_dict())
            line = f"{result.name:<28} {result.ours:>14,.0f} {result.unit:<9} {result.threads} thread(s)"
            if result.peer is not None:
                line += f"  {result.ratio:8.2f} × {result.peer} ({result.theirs:,.0f})"
            tell(line + (f"  [{result.note}]" if result.note else ""))
    if as_json:
        print_json({"benchmarks": results})


@app.command()
def train(
    recipe: Annotated[str, typer.Argument(help="What to train; see `heartlab recipes`.")],
    games: Annotated[int | None, typer.Option("--games", "-n", help="Default: the recipe's own number.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", "-s", help="The same seed gives the same result; 0.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="The run's folder; runs/RECIPE-SEED.")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="Change a parameter: key=value.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Train a model by a recipe, in a folder that survives any interruption."""
    from heartlab.learn.command import run_training
    from heartlab.learn.recipes import parse_changes

    interrupted = run_training(
        recipe,
        games=games,
        seed=seed,
        resume=resume,
        folder=out,
        changes=parse_changes(changes or []),
        report=print_json if as_json else None,
    )
    raise typer.Exit(130 if interrupted else 0)


@app.command()
def sweep(
    recipe: Annotated[str, typer.Argument(help="What to train; see `heartlab recipes`.")],
    games: Annotated[int | None, typer.Option("--games", "-n", help="Default: the recipe's own number.")] = None,
    seed: SeedOption = 0,
    seeds: Annotated[int, typer.Option("--seeds", help="Runs for each setting, with seeds from --seed on.")] = 1,
    out: Annotated[Path, typer.Option("--out", help="Folder for the runs' folders.")] = Path("runs"),
    changes: Annotated[list[str] | None, typer.Option("--set", help="Change a parameter: key=value.")] = None,
    varied: Annotated[list[str] | None, typer.Option("--vary", help="Try several values: key=value/value.")] = None,
    threads: Annotated[int | None, typer.Option("--threads", help="Runs at the same time; one per core.")] = None,
    on: OnOption = "local",
    as_json: JsonOption = False,
) -> None:
    """Train a recipe over seeds and values of its parameters; what is finished is not repeated."""
    from heartlab.executor import make_executor
    from heartlab.learn.recipes import parse_changes
    from heartlab.learn.sweep import plan, run_sweep

    numbers = range(seed, seed + _positive("--seeds", seeds))
    jobs = plan(recipe, numbers, games, parse_changes(changes or []), parse_changes(varied or [], "--vary"))
    executor = make_executor(on, None if threads is None else _positive("--threads", threads))
    try:
        run_sweep(jobs, out, executor, print_json if as_json else None)
    finally:
        executor.close()


@app.command()
def recipes(as_json: JsonOption = False) -> None:
    """List the recipes with their parameters."""
    from heartlab.learn.command import list_recipes

    list_recipes(print_json if as_json else None)


@app.command()
def runs(
    folder: Annotated[Path, typer.Argument(help="Where to look, subfolders included.")] = Path("runs"),
    as_json: JsonOption = False,
) -> None:
    """List the training runs in a folder."""
    from heartlab.learn.command import list_runs

    list_runs(folder, print_json if as_json else None)


@app.command()
def advice(
    model: Annotated[str | None, typer.Argument(help="A model; without it all pieces of advice are listed.")] = None,
    when: Annotated[
        list[str] | None, typer.Option("--when", help="What is true in the situation, such as queen-out.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--record", help="A record; explains a choice in one of its deals.")
    ] = None,
    number: DealOption = 1,
    at: Annotated[int | None, typer.Option("--at", help="Explain the choice of this card of the deal, from 1.")] = None,
    instance: Annotated[int, typer.Option("--instance", help="Which of several voters in the model, from 0.")] = 0,
    rules: Annotated[str | None, typer.Option("--rules", "-r", help="Of the deal, if there is no record.")] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Show what a model has learned about advice, or which advice carries a choice (--at)."""
    from heartlab.learn.advice_explain import describe_choice, describe_model, list_advice

    report = print_json if as_json else None
    if model is None:
        list_advice(report)
    elif at is not None or record is not None:
        chosen = None if rules is None else Rules.parse(rules)
        describe_choice(model, record, number, at or 1, chosen, seed, instance, report)
    else:
        describe_model(model, when or [], instance, report)


@app.command()
def falcon(
    model: Annotated[
        str, typer.Argument(help="A model: a name, a file or a run's folder; without it the shipped one.")
    ] = "",
    top: Annotated[int, typer.Option("--top", help="How many categories.")] = 20,
    contains: Annotated[
        list[str] | None,
        typer.Option("--contains", help="Only categories with this among their conditions; repeatable."),
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--record", help="A record; explains a choice in one of its deals.")
    ] = None,
    number: DealOption = 1,
    at: Annotated[int | None, typer.Option("--at", help="Explain the choice of this card of the deal, from 1.")] = None,
    rules: Annotated[str | None, typer.Option("--rules", "-r", help="Of the deal, if there is no record.")] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Show the categories of a FALCON network as rules, or the one behind a choice (--at)."""
    from heartlab.learn.falcon_explain import describe_choice, describe_network

    report = print_json if as_json else None
    if at is not None or record is not None:
        chosen = None if rules is None else Rules.parse(rules)
        describe_choice(model, record, number, at or 1, chosen, seed, report)
    else:
        describe_network(model, _positive("--top", top), contains or [], report)


@app.command()
def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="PAPER[/EXPERIMENT]", help="Without it all papers are listed.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A smoke test with small samples; it says so.")] = False,
    seed: SeedOption = 0,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the report; reproduced.")] = None,
    threads: Annotated[int, typer.Option("--threads", help="Parts worked on at the same time.")] = 1,
    on: OnOption = "local",
    as_json: JsonOption = False,
) -> None:
    """Measure the claims of a paper, with intervals and verdicts; what is finished is not repeated."""
    from heartlab.experiments.command import list_papers, run_reproduction

    if name is None:
        list_papers()
        return
    run_reproduction(
        name,
        quick=quick,
        seed=seed,
        threads=_positive("--threads", threads),
        on=on,
        folder=out,
        report_json=print_json if as_json else None,
    )


@app.command()
def uhi(name: Annotated[str, typer.Argument(metavar="PLAYER", help="A player by name.")]) -> None:
    """Serve a player as a bot: read the line protocol UHI on standard input, answer on standard output."""
    from heartlab.envs.uhi.server import serve

    serve(name, sys.stdin, sys.stdout)


@app.command("uhi-check")
def uhi_check(
    command: Annotated[str, typer.Argument(help="The bot, as in './mybot --fast'.")],
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", "-r", help="Rules that the bot plays; repeatable. Default: all presets."),
    ] = None,
    deals: Annotated[int, typer.Option("--deals", "-n", help="Deals for each seat under each of the rules.")] = 2,
    movetime: Annotated[int, typer.Option("--movetime", help="Milliseconds for a choice.")] = 2000,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Test whether a bot speaks UHI: play with it, disturb it, and say what it does wrong."""
    from heartlab.envs.uhi.check import run_check

    passed = run_check(
        command,
        rules=[Rules.parse(text) for text in rules or ()],
        deals=_positive("--deals", deals),
        movetime=_positive("--movetime", movetime),
        seed=seed,
        report=print_json if as_json else None,
    )
    raise typer.Exit(0 if passed else 1)


def _positive(option: str, value: Any) -> Any:
    if not value > 0:
        raise ValueError(f"{option} {value}: needs a number above zero")
    return value


if __name__ == "__main__":
    main()
