"""Evaluators: what an open state is worth to each seat. `base` says what one is, `pie` and `sage` are hand-tuned."""

from heartlab.search.evaluators.base import Bounds, Evaluator, EvaluatorError, evaluator, exact_points, make_evaluator

__all__ = ["Bounds", "Evaluator", "EvaluatorError", "evaluator", "exact_points", "make_evaluator"]
