"""Which members of a committee are competent near a row: rules on how they did for its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["CLASS_METHODS", "NearRows", "class_weights_by"]

CLASS_METHODS = ("ola", "lca", "knora-e", "knora-u", "meta")


@dataclass(frozen=True)
class NearRows:
    """How L members did for the k nearest validation rows of each of n queries.

    Attributes
    ----------
    right : (L, n, k) whether the member was right about the neighbour, nearest first
    chance : (L, n, k) its posterior of the neighbour's class
    answer : (L, n, k) the class that it answered for the neighbour
    output : (L, n, K) its posterior for the query
    overall : (L,) its accuracy on all validation rows
    alike : (L, n, p) whether it was right about the p validation rows for which the members answered most alike
    """

    right: np.ndarray
    chance: np.ndarray
    answer: np.ndarray
    output: np.ndarray
    overall: np.ndarray
    alike: np.ndarray | None = None


def class_weights_by(method: str, near: NearRows, meta: Any = None) -> np.ndarray:
    """(L, n) the weight of each member for each query, of sum 1 over the members."""
    weights = {"ola": _ola, "lca": _lca, "knora-e": _eliminate, "knora-u": _union}
    unscaled = _by_meta(near, meta) if method == "meta" else weights[method](near)
    total = unscaled.sum(axis=0)
    return np.divide(unscaled, total, out=np.full_like(unscaled, 1 / len(unscaled)), where=total > 0)


def _best(quality: np.ndarray, near: NearRows) -> np.ndarray:
    """1 for the best member; among equals the one with more posterior for the neighbours' classes, then overall."""
    rank = np.lexsort(
        np.stack([
            np.broadcast_to(-np.arange(len(quality))[:, None], quality.shape),
            np.broadcast_to(near.overall[:, None], quality.shape),
            near.chance.mean(axis=2),
            quality,
        ]),
        axis=0,
    )  # fmt: skip
    return np.eye(len(quality))[rank[-1]].T


def _ola(near: NearRows) -> np.ndarray:
    """Overall local accuracy: the member that is right most often about the neighbours."""
    return _best(near.right.mean(axis=2), near)


def _lca(near: NearRows) -> np.ndarray:
    """Local class accuracy: the share right of the neighbours that the member takes for its answer to the query."""
    same = near.answer == near.output.argmax(axis=2)[:, :, None]
    count = same.sum(axis=2)
    quality = np.divide((near.right & same).sum(axis=2), count, out=np.zeros(count.shape), where=count > 0)
    return _best(quality, near)


def _eliminate(near: NearRows) -> np.ndarray:
    """KNORA-Eliminate: the members that are right about all of the k, else k - 1, ... nearest rows."""
    streak = np.cumprod(near.right, axis=2).sum(
        axis=2
    )  # neighbours, from the nearest on, before the first error
    return ((streak == streak.max(axis=0)) & (streak > 0)).astype(np.float64)


def _union(near: NearRows) -> np.ndarray:
    """KNORA-Union: as many votes as neighbours that the member is right about."""
    return near.right.sum(axis=2).astype(np.float64)


def meta_features(near: NearRows) -> np.ndarray:
    """(L, n, 2 k + p + 2) what tells whether a member is competent: successes and posteriors nearby, its confidence.

    Nearby are the k neighbours by the columns, and the p neighbours by what the members answer.
    """
    parts = [
        near.right.astype(np.float64),
        near.chance,
        near.right.mean(axis=2, keepdims=True),
        near.output.max(axis=2)[:, :, None],
    ]
    if near.alike is not None:
        parts.append(near.alike.astype(np.float64))
    return np.concatenate(parts, axis=2)


def _by_meta(near: NearRows, meta: Any) -> np.ndarray:
    """The probability that the member is right, by a classifier that learned it; below one half it is not asked."""
    F = meta_features(near)
    L, n, m = F.shape
    P = meta.predict_proba(F.reshape(L * n, m))
    competent = P[:, list(meta.classes_).index(1)].reshape(L, n) if 1 in meta.classes_ else np.zeros((L, n))
    return np.where(competent > 0.5, competent, 0.0)
