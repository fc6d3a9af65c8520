"""Models are data, never code: arrays, and a header that says what they are and how they were made.

A model is named by its path, or by a bare name if it ships with the package (`heartlab/models/NAME.npz`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heartlab import __version__
from heartlab.util.bundle import Arrays, BundleError, read_bundle, write_bundle

FORMAT, FORMAT_VERSION = "heartlab-model", 1
SHIPPED = Path(__file__).parent.parent / "models"
"""The folder of the models that ship with the package."""


class ModelError(ValueError):
    """No such model, a damaged file, or a model of another kind."""


@dataclass(frozen=True)
class Model:
    """What a run saved.

    >>> import tempfile
    >>> import numpy as np
    >>> model = Model("demo", {"weights": np.array([0.5, 2.0])}, names=("hearts", "spades"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(f"{folder}/demo.npz", model)
    ...     again = load_model(f"{folder}/demo.npz", kind="demo")
    >>> again.names, again.arrays["weights"].tolist()
    (('hearts', 'spades'), [0.5, 2.0])
    """

    kind: str
    """What the arrays mean, such as ``advice-table``; it decides which players can use them."""
    arrays: Arrays
    recipe: str = ""
    """The recipe that made it."""
    rules: str = ""
    """The rules it was trained under, as text."""
    names: tuple[str, ...] = ()
    """The names of its features or pieces of advice, in the order of the arrays."""
    seed: int | None = None
    games: int = 0
    """Games (or deals) it was trained for."""
    command: str = ""
    """The command that made it."""
    package: str = __version__
    """The version of this package that wrote it."""
    extras: Mapping[str, Any] = field(default_factory=dict)
    """Further values of this kind of model; JSON must be able to express them."""


_TEXTS = ("kind", "recipe", "rules", "command", "package")


def save_model(path: Path | str, model: Model) -> None:
    """Write a model atomically."""
    header = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        **{name: getattr(model, name) for name in _TEXTS},
        "names": list(model.names),
        "seed": model.seed,
        "games": model.games,
        "extras": dict(model.extras),
    }
    write_bundle(Path(path), header, model.arrays, compress=True)


def shipped_models() -> list[str]:
    """The names of the models that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.npz"))


def model_path(name: str) -> Path:
    """The file of a model: a bare name is a model of the package, anything else a path.

    A run folder stands for the model in it; a folder with the name of a model of the package is written ``./NAME``.

    :raises ModelError: if there is none.
    """
    if not name:
        raise ModelError(f"a model must be named: a file, or one of {', '.join(shipped_models()) or '(none shipped)'}")
    path = Path(name)
    is_bare = "/" not in name and "\\" not in name and path.suffix != ".npz"
    if is_bare and name in shipped_models():
        path = SHIPPED / f"{name}.npz"
    elif path.is_dir():
        path = path / "model.npz"
    elif is_bare:
        known = ", ".join(shipped_models()) or "none"
        raise ModelError(f"no model is called {name!r}; shipped are {known}; for a file of yours give its path")
    if not path.is_file():
        raise ModelError(f"{path}: no such model")
    return path


def load_model(name: str | Path, kind: str | None = None) -> Model:
    """The model with this name or path.

    :param kind: how its kind must start.
    :raises ModelError: if there is none, or it is damaged, from a newer version, or of another kind.
    """
    path = model_path(str(name))
    try:
        header, arrays = read_bundle(path)
    except BundleError as error:
        raise ModelError(str(error)) from error
    if header.get("format") != FORMAT:
        raise ModelError(f"{path}: not a model of heartlab (its format is {header.get('format')!r})")
    version = header.get("version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise ModelError(f"{path}: written in format {version}, but this heartlab reads up to {FORMAT_VERSION}")
    try:
        texts = {name: _text(header, name) for name in _TEXTS}
        model = Model(
            arrays=arrays,
            names=tuple(str(name) for name in header["names"]),
            seed=None if header["seed"] is None else int(header["seed"]),
            games=int(header["games"]),
            extras=dict(header["extras"]),
            **texts,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: its header lacks or garbles {error}") from error
    if kind is not None and not model.kind.startswith(kind):
        raise ModelError(f"{path}: a model of kind {model.kind}, but {kind} is needed")
    return model


def _text(header: Mapping[str, Any], name: str) -> str:
    if not isinstance(header[name], str):
        raise TypeError(name)
    return str(header[name])
