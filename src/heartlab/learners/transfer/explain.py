"""Learned features for people: each shape as a small tree in text, and all of them as a picture (SVG)."""

from __future__ import annotations

from html import escape

from heartlab.learners.transfer.lookahead import ShapeTree, parse_shape
from heartlab.learners.transfer.models import FeatureModel

MEANINGS = {"W": "won", "L": "lost", "D": "drawn", "N": "goes on", "G": "known to be good", "B": "known to be bad"}
COLOURS = {"W": "#2e7d32", "L": "#c62828", "D": "#757575", "N": "#1565c0", "G": "#7cb342", "B": "#ef6c00", "?": "#000"}
CELL_WIDTH, LEVEL_HEIGHT, COLUMNS, GAP = 250, 45, 3, 26
MOST_DRAWN = 300
"""Shapes in a picture; the most visited ones."""


def rows(model: FeatureModel) -> list[tuple[str, dict[str, tuple[float, int]]]]:
    """Every shape of a model with its value and visits against each opponent, the most visited first."""
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for opponent, values in model.features.items():
        for shape, (value, visits) in values.items():
            found.setdefault(shape, {})[opponent] = (value, int(visits))
    return sorted(found.items(), key=lambda row: (-sum(visits for _, visits in row[1].values()), row[0]))


def features_text(model: FeatureModel) -> str:
    """All features of a model as trees of text."""
    lines = [
        f"{', '.join(model.games)}: {model.matches} matches, {model.runs} runs, seed {model.seed}; "
        f"after our move, their moves, and our replies, {model.depth} plies"
    ]
    for shape, values in rows(model):
        told = "  ".join(f"{opponent} {value:.1f} ({visits} visits)" for opponent, (value, visits) in values.items())
        lines.append(f"\n{shape}  {told}")
        lines += _branches(parse_shape(shape), "  ", True)
    return "\n".join(lines)


def _branches(tree: ShapeTree, margin: str, theirs: bool) -> list[str]:
    """The nodes of a tree, a line each."""
    lines = []
    for number, (kind, below) in enumerate(tree, 1):
        last = number == len(tree)
        whose = "their move" if theirs else "our reply"
        lines.append(f"{margin}{'└' if last else '├'}─ {whose}: {MEANINGS[kind]}")
        lines += _branches(below, margin + ("      " if last else "│     "), not theirs)
    return lines


def features_svg(model: FeatureModel) -> str:
    """All features of a model as a picture."""
    found = rows(model)[:MOST_DRAWN]
    cell_height = LEVEL_HEIGHT * model.depth + 60
    height = cell_height * -(-len(found) // COLUMNS) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{CELL_WIDTH * COLUMNS}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        f'<text x="8" y="16">{escape(", ".join(model.games))}: W won, L lost, D drawn, N goes on</text>',
    ]
    for number, (shape, values) in enumerate(found):
        left, top = CELL_WIDTH * (number % COLUMNS), cell_height * (number // COLUMNS) + GAP
        told = " · ".join(f"{opponent} {value:.0f}" for opponent, (value, _) in values.items())
        below = top + cell_height - 12
        parts.append(f'<text x="{left + 8}" y="{below}" fill="#444" font-size="10">{escape(told)}</text>')
        edges, marks = _draw(parse_shape(shape), "?", left, CELL_WIDTH, top + 20)
        parts += edges + marks
    return "\n".join([*parts, "</svg>\n"])


def _leaves(tree: ShapeTree) -> int:
    return sum(_leaves(below) for _, below in tree) or 1


def _draw(tree: ShapeTree, kind: str, left: float, width: float, y: float) -> tuple[list[str], list[str]]:
    """The edges and nodes of a tree; each node gets as much width as it has leaves."""
    x, place = left + width / 2, left
    edges, marks = [], [_node(x, y, kind)]
    for name, below in tree:
        share = width * (_leaves(below) if below else 1) / _leaves(tree)
        edges.append(_edge(x, y, place + share / 2, y + LEVEL_HEIGHT))
        deeper = _draw(below, name, place, share, y + LEVEL_HEIGHT)
        edges += deeper[0]
        marks += deeper[1]
        place += share
    return edges, marks


def _edge(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="#999"/>'


def _node(x: float, y: float, kind: str) -> str:
    label = "" if kind == "?" else kind
    return (
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="11" fill="#fff" stroke="{COLOURS[kind]}" stroke-width="2"/>'
        f'<text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle" fill="{COLOURS[kind]}">{label}</text>'
    )
