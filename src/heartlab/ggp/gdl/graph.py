"""Strongly connected components, for the graph of relations and for the graph of ground atoms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

Node = TypeVar("Node")


def strong_components(edges: Mapping[Node, Iterable[Node]]) -> list[list[Node]]:
    """The strongly connected components, each after all those that it points to (Tarjan, without recursion)."""
    search = _Tarjan(edges)
    for root in edges:
        if root not in search.index:
            search.visit(root)
    return search.found


class _Tarjan(Generic[Node]):
    """Tarjan's depth-first search, with its names."""

    def __init__(self, edges: Mapping[Node, Iterable[Node]]) -> None:
        self.edges = edges
        self.index: dict[Node, int] = {}
        self.found: list[list[Node]] = []
        self._low: dict[Node, int] = {}
        self._stack: list[Node] = []
        self._on_stack: set[Node] = set()

    def visit(self, root: Node) -> None:
        """Find the components of all nodes that can be reached from one and are new."""
        path = [(root, self._enter(root))]
        while path:
            node, targets = path[-1]
            for target in targets:
                if target not in self.index:
                    path.append((target, self._enter(target)))
                    break
                if target in self._on_stack:
                    self._low[node] = min(self._low[node], self.index[target])
            else:
                path.pop()
                if path:
                    parent = path[-1][0]
                    self._low[parent] = min(self._low[parent], self._low[node])
                if self._low[node] == self.index[node]:
                    self.found.append(self._component(node))

    def _enter(self, node: Node) -> Iterator[Node]:
        """Number a new node; returns an iterator over what it points to."""
        self.index[node] = self._low[node] = len(self.index)
        self._stack.append(node)
        self._on_stack.add(node)
        return iter(self.edges.get(node, ()))

    def _component(self, root: Node) -> list[Node]:
        """Take the component of its first node off the stack."""
        component: list[Node] = []
        while not component or component[-1] != root:
            component.append(self._stack.pop())
        self._on_stack.difference_update(component)
        return component
