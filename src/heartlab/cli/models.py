"""Commands about what was learned: the contents of models, and why a card was chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heartlab.cli.app import (
    DealOption,
    JsonOption,
    RecordArgument,
    RecordRulesOption,
    SeedOption,
    app,
    positive,
    print_json,
)
from heartlab.rules import Rules

ModelArgument = Annotated[
    str, typer.Argument(help="A model: a name, a file or the folder of a run. Default: the shipped one.")
]
ChoiceOption = Annotated[
    int | None, typer.Option("--at", help="Explain one choice: the number of the card in the deal, from 1.")
]
ChoiceRecordOption = Annotated[
    Path | None,
    typer.Option("--record", help="Recorded deals to explain a choice of. Default: a random deal of --seed."),
]
ChoiceRulesOption = Annotated[
    str | None, typer.Option("--rules", "-r", help="Rules of that deal, without --record. Default: those of the model.")
]


def _check_deal(number: int, record: Path | None) -> None:
    """Refuse --deal where there is no file to count in.

    :raises ValueError: also for a place before the first.
    """
    if positive("--deal", number) > 1 and record is None:
        raise ValueError(f"--deal {number} asks about a deal of a record: name its file as well")


@app.command()
def features(
    model: ModelArgument = "",
    top: Annotated[int, typer.Option("--top", help="How many weights to show, of each sign.")] = 20,
    contains: Annotated[
        list[str] | None,
        typer.Option(
            "--contains",
            metavar="WORDS",
            help="Only conjunctions with this atomic feature, by name or words; repeatable.",
        ),
    ] = None,
    atoms: Annotated[bool, typer.Option("--atoms", help="List the atomic features instead.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the largest weights of a td model, in words."""
    from heartlab.learners.td_features.explain import list_atoms, run_features

    if atoms:
        list_atoms(print_json if as_json else None)
        return
    run_features(model, top=positive("--top", top), contains=contains or [], report=print_json if as_json else None)


@app.command()
def advice(
    model: Annotated[
        str | None, typer.Argument(help="A model, such as advice-best. Default: list all pieces of advice.")
    ] = None,
    when: Annotated[
        list[str] | None,
        typer.Option(
            "--when",
            metavar="NAME",
            help="Show the weights in situations where this holds, such as queen-own; repeatable.",
        ),
    ] = None,
    record: ChoiceRecordOption = None,
    number: DealOption = 1,
    at: ChoiceOption = None,
    instance: Annotated[int, typer.Option("--instance", help="Which voter, if the model holds several, from 0.")] = 0,
    rules: ChoiceRulesOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Show learned weights of advice. With --at: the advice behind a choice."""
    from heartlab.learners.advice.explain import describe_choice, describe_model, list_advice

    _check_deal(number, record)
    report = print_json if as_json else None
    of_choice = at is not None or record is not None
    if model is None and (when or of_choice):
        raise ValueError("--when, --at and --record ask about a model: name one, such as advice-best")
    if when and of_choice:
        raise ValueError("--when asks about a situation, --at and --record about a choice: give one of them")
    if model is None:
        list_advice(report)
    elif of_choice:
        chosen = None if rules is None else Rules.parse(rules)
        place = 1 if at is None else positive("--at", at)
        describe_choice(model, record, number, place, chosen, seed, instance, report)
    else:
        describe_model(model, when or [], instance, report)


@app.command()
def falcon(
    model: ModelArgument = "",
    top: Annotated[int, typer.Option("--top", help="How many rules to show.")] = 20,
    contains: Annotated[
        list[str] | None,
        typer.Option("--contains", metavar="WORDS", help="Only rules with this among their conditions; repeatable."),
    ] = None,
    record: ChoiceRecordOption = None,
    number: DealOption = 1,
    at: ChoiceOption = None,
    rules: ChoiceRulesOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Show a FALCON network as rules. With --at: the rule behind a choice.

    The number after each action of a rule is its motor weight. In networks grown from playouts, such as the shipped
    one, it says how many points more (+) or fewer (-) the action costs until the end of the deal than the mean of the
    choices.
    """
    from heartlab.learners.falcon.explain import describe_choice, describe_network

    _check_deal(number, record)
    report = print_json if as_json else None
    if at is not None or record is not None:
        chosen = None if rules is None else Rules.parse(rules)
        place = 1 if at is None else positive("--at", at)
        describe_choice(model, record, number, place, chosen, seed, report)
    else:
        describe_network(model, positive("--top", top), contains or [], report)


@app.command()
def explain(
    file: Annotated[
        Path | None, typer.Argument(help="Recorded deals. Default: say what the model has learned.")
    ] = None,
    at: Annotated[int | None, typer.Option("--at", help="Number of the card to be chosen, from 1.")] = None,
    number: DealOption = 1,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            help="A name, a file or the folder of a run: td, advice, falcon or whole-game. Default: td.",
        ),
    ] = "",
    worlds: Annotated[int, typer.Option("--worlds", help="(td) Worlds to sample; 0: look at all hands.")] = 50,
    top: Annotated[int, typer.Option("--top", help="(td) Reasons to give for each card.")] = 4,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    rules: RecordRulesOption = "openspiel",
) -> None:
    """Say why a model prefers a card. Needs a record and --at; without them: what the model has learned."""
    from heartlab.training.explain import Question, explain_choice, find_explainer

    report = print_json if as_json else None
    if file is None and at is not None:
        raise ValueError(f"--at {at} asks about a card of a record: name its file as well")
    _check_deal(number, file)
    if file is None:
        find_explainer(model).describe_model(model, report)
        return
    if at is None:
        raise ValueError("--at is missing: give the number of the card to be chosen, from 1")
    question = Question(seed, worlds, positive("--top", top))
    explain_choice(model, file, number, at, Rules.parse(rules), question, report)


@app.command("analyse")
def analyse_record(
    file: RecordArgument,
    at: Annotated[
        int | None, typer.Option("--at", help="Number of the card to be chosen, from 1. Default: all of the deal.")
    ] = None,
    number: DealOption = 1,
    seat: Annotated[int | None, typer.Option("--seat", help="Only the choices of this seat.")] = None,
    player: Annotated[
        str,
        typer.Option(
            "--player",
            "-p",
            help="The player that judges the choices; it must be one that searches, such as uct or pimc.",
        ),
    ] = "uct",
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    rules: RecordRulesOption = "openspiel",
) -> None:
    """Show what a player thinks of recorded choices. With --at: the value of each card; else: what each choice cost."""
    from heartlab.cli.analysis import run_analysis

    run_analysis(
        file,
        place=positive("--deal", number),
        at=at,
        seat=seat,
        player=player,
        seed=seed,
        openspiel_rules=Rules.parse(rules),
        report=print_json if as_json else None,
    )
