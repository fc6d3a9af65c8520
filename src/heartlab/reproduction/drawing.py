"""Figures of reports as PNG and SVG, in one style.

A legend stands below its figure, never over data; what a paper printed is grey; numbers of deals and games are written
out; a band is 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from heartlab.reproduction.registry import Curve, Figure
from heartlab.util.files import replacing

FEW_POINTS = 3
"""So many published values are no curve."""
NARROW = 1.3
"""Decades of a logarithmic axis that are too few for a tick at each power of ten."""
LARGE = 1_000
"""From here on numbers of an axis have separators."""


def draw_figures(paper: str, figures: Sequence[Figure], folder: Path) -> list[Path]:
    """Draw figures as PNG and SVG; none if the drawing library is not installed."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        return []
    written = []
    with rc_context({"svg.hashsalt": "heartlab", "font.size": 9.0}):
        for figure in figures:
            rows_of_legend = (len(figure.curves) + 1) // 2 if len(figure.curves) > 1 else 0
            canvas = Canvas(figsize=(6.4, 4.0 + 0.17 * rows_of_legend), layout="constrained")
            _draw(figure, canvas.add_subplot())
            for suffix, options in (("png", {"dpi": 144}), ("svg", {"metadata": {"Date": None}})):
                path = folder / f"{paper}-{figure.name}.{suffix}"
                with replacing(path) as file:
                    canvas.savefig(file, format=suffix, **options)
                written.append(path)
    return written


def _draw(figure: Figure, axes: Any) -> None:
    for curve in figure.curves:
        (line,) = axes.plot(curve.x, curve.y, label=curve.label, linewidth=1.4, **style_of(curve, bool(figure.ticks)))
        if curve.low is not None:
            axes.fill_between(curve.x, curve.low, curve.high, color=line.get_color(), alpha=0.2, linewidth=0)
    for label, level in figure.levels:
        axes.axhline(level, color="0.4", linestyle=":", linewidth=1.0)
        axes.annotate(f" {label}", (1.0, level), xycoords=("axes fraction", "data"), va="center", fontsize=7.5)
    _number_x(figure, axes)
    axes.set_title(figure.title)
    axes.set_xlabel(figure.x_label)
    axes.set_ylabel(figure.y_label)
    axes.grid(alpha=0.25)
    if len(figure.curves) > 1:
        axes.figure.legend(frameon=False, loc="outside lower center", ncols=2)


def style_of(curve: Curve, marked: bool = False) -> dict[str, str]:
    """How a curve is drawn: the paper's is dashed and grey, and a value or two that it prints are points, no course.

    :param marked: the places on the x axis are things by name, so each has a mark.
    """
    if not curve.published:
        colour = {} if curve.colour is None else {"color": f"C{curve.colour}"}
        return {"marker": "." if marked or len(curve.x) < 10 else "", **colour}
    points = len(curve.x) <= FEW_POINTS
    return {
        "color": "0.35",
        "linestyle": "none" if points else "--",
        "marker": "D" if points else "." if marked else "",
    }


def _number_x(figure: Figure, axes: Any) -> None:
    """The numbers below the x axis, or the names of what stands there."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

    places = [float(x) for curve in figure.curves for x in curve.x]
    if figure.ticks:
        axes.set_xticks(range(1, len(figure.ticks) + 1), figure.ticks)
        return
    if figure.log_x:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
        if places and math.log10(max(places) / min(places)) < NARROW:
            axes.set_xticks(sorted(set(places)))
    if places and max(places) >= LARGE:
        if not figure.log_x:
            axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    elif figure.log_x:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
