"""A run is a folder that survives a kill at any moment.

| file | what |
|---|---|
| `config.toml` | recipe, seed, games, parameters: all that decides the result; files of `--use` by name |
| `metrics.jsonl` | one JSON object per measurement, appended as they come |
| `checkpoint.npz` | what was learned up to some game, and how long the metrics were then; replaced all at once |
| `model.npz` | the finished model |
| `.lock` | empty; locked by the process that works on the run |

To resume, the checkpoint is restored and the metrics are truncated to the length that it names, which also removes a
line that was cut off by the kill. Since steps depend only on seed and game numbers, the files end up the same as those
of a run that was never stopped. If the metrics are shorter, somebody has changed or deleted them: the run warns of it
and goes on with what is there.
"""

from __future__ import annotations

import json
import os
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shlex import quote
from typing import IO, Annotated, Any

import msgspec
from msgspec import Meta, Struct

from heartlab import __version__
from heartlab.training.model import save_model
from heartlab.training.recipes import Learning, Metrics, Recipe, RecipeError, Trainer, find_recipe
from heartlab.util.bundle import BundleError, garbled_field, open_bundle, write_bundle
from heartlab.util.errors import clipped, error_sentence
from heartlab.util.files import naming, remove_parts, replacing
from heartlab.util.interrupts import interrupt_noted
from heartlab.util.locks import alone
from heartlab.util.toml import toml_text

CONFIG, METRICS, CHECKPOINT, MODEL, LOCK = "config.toml", "metrics.jsonl", "checkpoint.npz", "model.npz", ".lock"
SECONDS_BETWEEN_CHECKPOINTS = 30.0
MOST_GAMES = 10**15
CONFIG_LIMIT = 16 << 10
"""Bytes of a configuration: the parser takes minutes for a dotted key of 1 MB."""


class RunError(ValueError):
    """A folder with no run, another run, or a damaged one."""


@dataclass(frozen=True)
class Run:
    """What a run folder says about itself.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = train(Run(Path(folder), "advice-t", seed=1, games=100, parameters={}))
    ...     run.finished, run.done, run.metrics()[0]["games"]
    (True, 100, 100)
    >>> run.command
    'heartlab train advice-t --games 100 --seed 1'
    """

    folder: Path
    recipe: str
    seed: int
    games: int
    """Games of the finished run."""
    parameters: Mapping[str, Any]
    """All parameters of the recipe, defaults included."""
    used: tuple[str, ...] = ()
    """The user's files (--use), named as on the command line."""
    package: str = __version__
    done: int = 0
    """Games done at the last checkpoint."""
    seconds: float = 0.0
    """Time spent training up to then."""

    @property
    def finished(self) -> bool:
        """Whether all games are done and the model is written."""
        return self.done >= self.games and (self.folder / MODEL).is_file()

    @property
    def call(self) -> str:
        """The beginning of the commands that train it."""
        return " ".join(["heartlab", *(f"--use {quote(name)}" for name in self.used), "train", self.recipe])

    @property
    def command(self) -> str:
        """The command that repeats it."""
        words = [f"{self.call} --games {self.games} --seed {self.seed}"]
        defaults = asdict(find_recipe(self.recipe).settings())
        return " ".join(
            words + [f"--set {quote(f'{k}={v}')}" for k, v in self.parameters.items() if defaults.get(k) != v]
        )

    def metrics(self) -> list[Metrics]:
        """The measurements so far, without an incomplete last line."""
        return list(_whole_lines(self.folder / METRICS))


def _whole_lines(path: Path) -> Iterator[Metrics]:
    if not path.is_file():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                try:
                    yield dict(json.loads(line))
                except (ValueError, TypeError, RecursionError) as error:
                    raise RunError(f"{path}: line {number} is not a measurement ({clipped(error, 80)})") from error


_Scalar = bool | int | float | str


class _Config(Struct):
    """What `config.toml` holds."""

    recipe: str
    seed: int
    games: Annotated[int, Meta(ge=1, le=MOST_GAMES)]
    parameters: dict[str, _Scalar | list[_Scalar]] = {}
    use: list[str] = []
    package: str = ""


class _Progress(Struct):
    """The header of a checkpoint."""

    done: Annotated[int, Meta(ge=0, le=MOST_GAMES)]
    metrics_bytes: Annotated[int, Meta(ge=0)]
    seconds: Annotated[float, Meta(ge=0)]


def open_run(folder: Path) -> Run:
    """The run in a folder.

    :raises RunError: if there is none, or its files are damaged.
    """
    path = folder / CONFIG
    if not path.is_file():
        raise RunError(f"{folder}: no run is here (it has no {CONFIG})")
    config = _read_config(path)
    run = Run(
        folder, config.recipe, config.seed, config.games, config.parameters, tuple(config.use), config.package
    )  # fmt: skip
    if (folder / CHECKPOINT).is_file():
        progress = _read_progress(folder)
        run = replace(run, done=progress.done, seconds=progress.seconds)
    return run


def _read_config(path: Path) -> _Config:
    if path.stat().st_size > CONFIG_LIMIT:
        raise RunError(f"{path}: not the configuration of a run (it is too long)")
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _Config)
    except msgspec.ValidationError as error:
        which = garbled_field(error)
        raise RunError(f"{path}: not the configuration of a run (it lacks or garbles {which})") from error
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: not the configuration of a run ({clipped(error, 120)})") from error
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from error


def known_runs(folder: Path, warn: Callable[[str], None] = lambda line: None) -> list[Run]:
    """The runs in a folder and its subfolders, by name; damaged ones are skipped with a warning.

    :raises RunError: if there is no such folder.
    """
    if not folder.is_dir():
        raise RunError(f"{folder}: {'is not a folder' if folder.exists() else 'there is no such folder'}")
    runs = []
    for path in sorted(folder.rglob(CONFIG)):
        try:
            runs.append(open_run(path.parent))
        except RunError as error:
            warn(str(error))
    return runs


def new_run(
    folder: Path, recipe: Recipe, seed: int, games: int, changes: Mapping[str, Any], used: tuple[str, ...] = ()
) -> Run:
    """Plan a run in a folder that holds none; :func:`train` writes to it.

    :raises RunError: if there is one already.
    """
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder}: is a file; a run needs a folder")
    if (folder / CONFIG).exists():
        raise RunError(f"{folder}: holds a run already; --resume continues it, --out puts a new one elsewhere")
    return Run(folder, recipe.name, seed, games, asdict(recipe.settings(changes)), used)


def resume_run(
    folder: Path,
    recipe: Recipe,
    seed: int | None,
    games: int | None,
    changes: Mapping[str, Any],
    used: tuple[str, ...] = (),
) -> Run:
    """Plan to continue the run in a folder; only its number of games and the paths of the user's files may change.

    :raises RunError: if the folder holds another run.
    """
    run = open_run(folder)
    if run.recipe != recipe.name:
        raise RunError(f"{folder}: a run of recipe {run.recipe}, not of {recipe.name}")
    if seed is not None and seed != run.seed:
        raise RunError(f"{folder}: a run with seed {run.seed}, not {seed}")
    wanted = asdict(recipe.settings({**run.parameters, **changes}))
    for key, value in wanted.items():
        if run.parameters.get(key, value) != value:
            raise RunError(f"{folder}: a run with {key}={run.parameters[key]}, not {value}")
    if games is not None and games < run.done:
        raise RunError(f"{folder}: {run.done} games are done already, more than {games}")
    return replace(run, games=run.games if games is None else games, used=used or run.used)


def _write_config(run: Run) -> None:
    values = {"recipe": run.recipe, "seed": run.seed, "games": run.games, "package": run.package}
    values |= {"use": list(run.used)} if run.used else {}
    with replacing(run.folder / CONFIG) as file:
        file.write(toml_text({**values, "parameters": run.parameters}).encode())


def _read_progress(folder: Path) -> _Progress:
    try:
        with open_bundle(folder / CHECKPOINT) as bundle:
            return bundle.header(_Progress)
    except BundleError as error:
        raise RunError(str(error)) from error


def _restore(folder: Path, trainer: Trainer) -> None:
    """Bring a trainer to where the checkpoint is.

    :raises RunError: if the checkpoint is damaged, or one of another trainer.
    """
    path = folder / CHECKPOINT
    try:
        with open_bundle(path) as bundle:
            arrays = bundle.arrays()
    except BundleError as error:
        raise RunError(str(error)) from error
    try:
        trainer.restore(arrays)
    except Exception as error:  # a trainer may be anybody's, and the arrays may be anything
        reason = str(error) if isinstance(error, BundleError) else error_sentence(error)
        raise RunError(f"{path}: does not fit the recipe ({clipped(reason)})") from error


def steps(trainer: Learning, done: int, until: int) -> Iterator[tuple[int, Sequence[Metrics]]]:
    """Train chunk by chunk, from a number of games to another; gives the games done and what was measured."""
    while done < until:
        count = min(trainer.chunk - done % trainer.chunk, until - done)
        rows = trainer.step(done, count)
        done += count
        yield done, rows


def train(
    run: Run,
    *,
    progress: Callable[[int], None] | None = None,
    checkpoint_seconds: float = SECONDS_BETWEEN_CHECKPOINTS,
    stop_after: int | None = None,
) -> Run:
    """Train until the run is finished or interrupted (Ctrl-C); either way there is a checkpoint then.

    On a thread of an executor it is interrupted when the executor is closed.

    :param progress: called with the number of games done.
    :param stop_after: stop as if interrupted once so many games are done.
    :raises InUse: if another process trains in the folder.
    :raises RunError: if the folder holds another run by now.
    """
    recipe = find_recipe(run.recipe)
    trainer = recipe.make(recipe.settings(run.parameters), run.seed)
    busy = f"{run.folder}: another process works on this run; --out puts a new one elsewhere"
    with alone(run.folder / LOCK, busy):
        run = _settle(run)
        length = 0
        remove_parts(run.folder)
        if (run.folder / CHECKPOINT).is_file():
            length = _read_progress(run.folder).metrics_bytes
            _restore(run.folder, trainer)
        saved = time.perf_counter()
        started = saved - run.seconds
        path = run.folder / METRICS
        with interrupt_noted() as interrupted, path.open("ab+") as metrics:
            _cut(path, metrics, length)
            for done, rows in steps(trainer, run.done, run.games):
                with naming(path):
                    _append(metrics, rows)
                run = replace(run, done=done, seconds=time.perf_counter() - started)
                if progress:
                    progress(run.done)
                stop = interrupted() or (stop_after is not None and run.done >= stop_after)
                if stop or run.done == run.games or time.perf_counter() - saved > checkpoint_seconds:
                    _save_checkpoint(run, trainer, metrics)
                    saved = time.perf_counter()
                if stop:
                    break
        if run.done >= run.games:
            model = replace(trainer.model(), recipe=run.recipe, seed=run.seed, games=run.games)
            save_model(run.folder / MODEL, replace(model, command=run.command, package=__version__))
    return run


def _settle(run: Run) -> Run:
    """The planned run with the progress in its folder, where another process may have trained meanwhile."""
    if not (run.folder / CONFIG).exists():
        _write_config(run)
        return run
    there = open_run(run.folder)
    if (there.recipe, there.seed, there.parameters) != (run.recipe, run.seed, run.parameters):
        raise RunError(f"{run.folder}: holds another run by now; --out puts a new one elsewhere")
    if (there.games, there.used) != (run.games, run.used):
        _write_config(run)
    return replace(run, done=there.done, seconds=there.seconds)


def _cut(path: Path, metrics: IO[bytes], length: int) -> None:
    """Truncate the metrics to what a checkpoint counts, or to whole lines if there is less."""
    if metrics.seek(0, os.SEEK_END) < length:
        print(f"heartlab: {path}: measurements from before the last checkpoint are missing; it goes on without them",
              file=sys.stderr)  # fmt: skip
        metrics.seek(0)
        length = sum(len(line) for line in metrics if line.endswith(b"\n"))
    metrics.truncate(length)
    metrics.seek(length)


def _append(metrics: Any, rows: Sequence[Metrics]) -> None:
    for row in rows:
        metrics.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    metrics.flush()


def _save_checkpoint(run: Run, trainer: Trainer, metrics: Any) -> None:
    os.fsync(metrics.fileno())
    header = {"done": run.done, "metrics_bytes": metrics.tell(), "seconds": run.seconds}
    write_bundle(run.folder / CHECKPOINT, header, trainer.checkpoint())


def default_folder(recipe: str, seed: int) -> Path:
    """The default folder of a run."""
    return Path("runs") / f"{recipe}-{seed}"


def begin(
    recipe_name: str,
    folder: Path | None,
    *,
    seed: int | None = None,
    games: int | None = None,
    changes: Mapping[str, Any] = {},
    used: tuple[str, ...] = (),
    resume: bool = False,
) -> Run:
    """Plan a new run, or (`resume`) the continuation of the one in the folder."""
    recipe = find_recipe(recipe_name)
    if games is not None and games <= 0:
        raise RecipeError(f"--games {games}: needs a number above zero")
    if games is not None and games > MOST_GAMES:
        raise RecipeError(f"--games {games}: at most {MOST_GAMES}")
    folder = folder or default_folder(recipe.name, seed or 0)
    if resume:
        return resume_run(folder, recipe, seed, games, changes, used)
    return new_run(folder, recipe, seed or 0, games or recipe.games, changes, used)
