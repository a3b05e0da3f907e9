"""Top-k accuracy: whether the true class is among the k most probable ones."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.core.targets import check_weights
from assay.errors import DataError
from assay.metrics._inputs import classes_of, numbers, undefined
from assay.metrics.forms import OfRows
from assay.metrics.measure import Measure
from assay.metrics.outcome import Outcome
from assay.types import Bools, Labels, Scores, Target, Weights

__all__ = ["top_k_accuracy_score"]


def top_k_accuracy_score(
    y_true: Target,
    y_score: Scores,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: Weights | None = None,
    labels: Labels | None = None,
) -> float:
    """The share of rows whose class is among the k with the highest scores; of equal scores the later class counts.

    Parameters
    ----------
    y_true : (n,) labels
    y_score : (n, K) scores, or (n,) of two classes
    k : int
    normalize : False gives the number of rows, or their weight
    sample_weight : (n,)
    labels : (K,) the classes of the columns, if not those of y_true

    Examples
    --------
    >>> from assay.metrics import top_k_accuracy_score
    >>> top_k_accuracy_score([0, 1, 2], [[0.5, 0.3, 0.2], [0.4, 0.35, 0.25], [0.5, 0.4, 0.1]], k=2)
    0.6666666666666666
    """
    who = "top_k_accuracy_score"
    check_count(who, "k", k)
    S = numbers(y_score, who, "the score", (1, 2))
    if S.ndim == 2 and S.shape[1] == 1:
        S = S[:, 0]
    K = 2 if S.ndim == 1 else S.shape[1]
    _, codes = classes_of(y_true, K, labels, who)
    if len(codes) != len(S):
        raise DataError(f"{len(codes)} true labels and {len(S)} rows of scores.", who=who)
    if k >= K:
        undefined(f"{who}: k ({k}) is not below the number of classes ({K}), so every row is a hit.")
        hit = np.ones(len(S), dtype=bool)
    elif S.ndim == 1:
        cut = 0.5 if S.min() >= 0 and S.max() <= 1 else 0.0
        hit = (cut < S) == codes
    else:
        hit = _among(S, codes, k)
    w = check_weights(sample_weight, len(S), who, squared=True)
    if normalize:
        return float(np.average(hit, weights=w))
    return float(hit.sum()) if w is None else float(w @ hit)


def _among(S: np.ndarray, codes: np.ndarray, k: int) -> np.ndarray:
    """(n,) bool: fewer than k classes come before the true one; of equal scores the later class does."""
    of_truth = S[np.arange(len(S)), codes][:, None]
    before = (of_truth < S) | ((of_truth == S) & (np.arange(S.shape[1]) > codes[:, None]))
    among: Bools = before.sum(axis=1) < k
    return among


def _hits(k: int, outcome: Outcome) -> np.ndarray | None:
    return None if outcome.posterior is None else _among(outcome.posterior, outcome.truth, k)


def _top(k: int, **more: Any) -> Measure:
    words = f"share of rows whose class is among the {k} most probable"
    form = OfRows(partial(_hits, k), share=True)
    return Measure(f"top-{k}", form, "higher", words, "probabilities", bounds=(0.0, 1.0), **more)


def _top_named(name: str) -> Measure | None:
    """ "top 5" """
    k = name.removeprefix("top ")
    return _top(int(k)) if name == f"top {k}" and k.isdigit() and int(k) > 0 else None


TOP_2 = _top(2, functions=(top_k_accuracy_score,), variant=_top_named)
