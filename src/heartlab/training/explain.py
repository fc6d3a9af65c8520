"""Explaining models: what every learner's explanations share."""

from __future__ import annotations


class ExplainError(ValueError):
    """A question about a model that has no answer: a situation, a feature or a category that is not there."""
