"""Models are data, never code: arrays, and a header that says what they are and how they were made.

A model is named by its path, or by a bare name if it ships with the package (`heartlab/models/NAME.npz`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from heartlab import __version__
from heartlab.util.bundle import Arrays, Bundle, BundleError, Forms, open_bundle, write_bundle
from heartlab.util.errors import clipped, quoted

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


def save_model(path: Path | str, model: Model) -> None:
    """Write a model atomically."""
    header = {name: getattr(model, name) for name in _Header.__struct_fields__}
    header |= {"names": list(model.names), "extras": dict(model.extras)}
    write_bundle(Path(path), {"format": FORMAT, "version": FORMAT_VERSION, **header}, model.arrays, compress=True)


def shipped_models() -> list[str]:
    """The names of the models that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.npz"))


def model_path(name: str) -> Path:
    """The file of a model: a bare name is a model of the package, if there is one, anything else a path.

    A run folder stands for the model in it; what has the name of a model of the package is written ``./NAME``.

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
    elif is_bare and not path.is_file():
        known = ", ".join(shipped_models()) or "none"
        raise ModelError(f"no model is called {quoted(name)}; shipped are {known}; for a file of yours give its path")
    if not path.is_file():
        raise ModelError(f"{clipped(path)}: no such model")
    return path


def load_model(name: str | Path, kind: str | None = None, forms: Mapping[str, Forms] = {}) -> Model:
    """The model with this name or path.

    :param kind: how its kind must start.
    :param forms: the arrays of models, by their kind: only these are read. Of other kinds all arrays are.
    :raises ModelError: if there is none, or it is damaged, too large, from a newer version, or of another kind.
    """
    path = model_path(str(name))
    try:
        with open_bundle(path) as bundle:
            header = _header(path, bundle)
            if kind is not None and not header.kind.startswith(kind):
                raise ModelError(
                    f"{path}: a model of kind {clipped(header.kind, 80)}, but {kind.rstrip('-')} is needed"
                )
            arrays = bundle.arrays(forms.get(header.kind))
    except BundleError as error:
        raise ModelError(str(error)) from error
    fields = {**msgspec.structs.asdict(header), "names": tuple(header.names)}
    return Model(arrays=arrays, **fields)


def model_kind(name: str | Path) -> str:
    """The kind of a model; its arrays are not read.

    :raises ModelError: if there is no such model, or its header is damaged.
    """
    path = model_path(str(name))
    try:
        with open_bundle(path) as bundle:
            return _header(path, bundle).kind
    except BundleError as error:
        raise ModelError(str(error)) from error


class _Preface(Struct):
    """What the header of every version and format has."""

    format: Any = None
    version: Any = None


class _Header(Struct):
    """The header of a model: the fields of :class:`Model` without its arrays."""

    kind: str
    recipe: str
    rules: str
    command: str
    package: str
    names: list[str]
    seed: int | None
    games: Annotated[int, Meta(ge=0)]
    extras: dict[str, Any]


def _header(path: Path, bundle: Bundle) -> _Header:
    preface = bundle.header(_Preface)
    if preface.format != FORMAT:
        raise ModelError(f"{path}: not a model of heartlab (its format is {quoted(preface.format, 80)})")
    if not isinstance(preface.version, int) or preface.version > FORMAT_VERSION:
        version = clipped(preface.version, 80)
        raise ModelError(f"{path}: written in format {version}, but this heartlab reads up to {FORMAT_VERSION}")
    return bundle.header(_Header)
