"""Learned features for people: each shape as a small tree in text, and all of them as a picture (SVG)."""

from __future__ import annotations

from html import escape

from heartlab.ggp.learners import FeatureModel
from heartlab.ggp.lookahead import CLASS_NAMES, parse_shape, reply_sets

MEANINGS = {"W": "won", "L": "lost", "D": "drawn", "N": "goes on"}
COLOURS = {"W": "#2e7d32", "L": "#c62828", "D": "#757575", "N": "#1565c0", "?": "#000000"}
CELL_WIDTH, CELL_HEIGHT, COLUMNS, GAP = 250, 150, 3, 26


def branches(shape: str) -> list[tuple[str, list[str]]]:
    """The opponent's moves of a shape: the class of each, and the classes of our replies below it."""
    number = parse_shape(shape)
    decided: list[tuple[str, list[str]]] = [(CLASS_NAMES[kind], []) for kind in range(3) if number >> kind & 1]
    return decided + [("N", names) for names in reply_sets(number)]


def rows(model: FeatureModel) -> list[tuple[str, dict[str, tuple[float, int]]]]:
    """Every shape of a model with its value and visits against each opponent, the most visited first."""
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for opponent, values in model.features.items():
        for shape, (value, visits) in values.items():
            found.setdefault(shape, {})[opponent] = (value, int(visits))
    return sorted(found.items(), key=lambda row: -sum(visits for _, visits in row[1].values()))


def features_text(model: FeatureModel) -> str:
    """All features of a model as trees of text."""
    lines = [
        f"{model.game}: {model.matches} matches, {model.runs} runs, seed {model.seed}; "
        f"after our move, their moves, and our replies"
    ]
    for shape, values in rows(model):
        told = "  ".join(f"{opponent} {value:.1f} ({visits} visits)" for opponent, (value, visits) in values.items())
        lines.append(f"\n{shape}  {told}")
        parts = branches(shape)
        for number, (kind, replies) in enumerate(parts):
            last = number == len(parts) - 1
            lines.append(f"  {'└' if last else '├'}─ their move: {MEANINGS[kind]}")
            for place, reply in enumerate(replies):
                corner = "└" if place == len(replies) - 1 else "├"
                lines.append(f"  {' ' if last else '│'}    {corner}─ our reply: {MEANINGS[reply]}")
    return "\n".join(lines)


def features_svg(model: FeatureModel) -> str:
    """All features of a model as a picture."""
    found = rows(model)
    height = CELL_HEIGHT * -(-len(found) // COLUMNS) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{CELL_WIDTH * COLUMNS}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        f'<text x="8" y="16">{escape(model.game)}: W won, L lost, D drawn, N goes on</text>',
    ]
    for number, (shape, values) in enumerate(found):
        left, top = CELL_WIDTH * (number % COLUMNS), CELL_HEIGHT * (number // COLUMNS) + GAP
        told = " · ".join(f"{opponent} {value:.0f}" for opponent, (value, _) in values.items())
        parts.append(f'<text x="{left + 8}" y="{top + 138}" fill="#444" font-size="10">{escape(told)}</text>')
        parts += _tree(shape, left, top)
    return "\n".join([*parts, "</svg>\n"])


def _tree(shape: str, left: int, top: int) -> list[str]:
    """The nodes and edges of one shape."""
    nodes = branches(shape)
    leaves = max(1, sum(max(1, len(replies)) for _, replies in nodes))
    step, used = CELL_WIDTH / (leaves + 1), 0
    edges, marks = [], [_node(left + CELL_WIDTH / 2, top + 20, "?")]
    for kind, replies in nodes:
        width = max(1, len(replies))
        middle = left + step * (used + (width + 1) / 2)
        edges.append(_edge(left + CELL_WIDTH / 2, top + 20, middle, top + 65))
        for place, reply in enumerate(replies):
            across = left + step * (used + place + 1)
            edges.append(_edge(middle, top + 65, across, top + 110))
            marks.append(_node(across, top + 110, reply))
        marks.append(_node(middle, top + 65, kind))
        used += width
    return edges + marks


def _edge(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="#999"/>'


def _node(x: float, y: float, kind: str) -> str:
    label = "" if kind == "?" else kind
    return (
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="11" fill="#fff" stroke="{COLOURS[kind]}" stroke-width="2"/>'
        f'<text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle" fill="{COLOURS[kind]}">{label}</text>'
    )
