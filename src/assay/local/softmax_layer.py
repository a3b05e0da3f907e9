"""The output layer of classes: softmax regression on the hidden units, by Newton's method."""

from __future__ import annotations

import numpy as np

import assay.local._softmax_layer as _softmax_layer
from assay.core.scores import softmax
from assay.optimize.lbfgs import lbfgs
from assay.optimize.newton import newton

__all__ = ["MOST_NEWTON_WEIGHTS", "better_softmax_layer", "softmax_layer"]

MOST_NEWTON_WEIGHTS = 600  # whose curvature is worth a matrix of all pairs
MOST_NATIVE_WEIGHTS = 128  # for which the calls of a step cost more than its arithmetic


class _CrossEntropy:
    """Weighted cross-entropy of the softmax of F W^T, with a penalty on each weight."""

    def __init__(self, F: np.ndarray, target: np.ndarray, weight: np.ndarray, penalty: np.ndarray):
        self.F, self.target, self.weight, self.penalty = F, target, weight, penalty

    def value_gradient(self, w: np.ndarray, /) -> tuple[float, np.ndarray]:
        W = w.reshape(self.target.shape[1], -1)
        Z = self.F @ W.T
        Z -= Z.max(axis=1, keepdims=True)
        logs = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
        value = -float((self.weight[:, None] * self.target * logs).sum())
        gradient = ((np.exp(logs) - self.target) * self.weight[:, None]).T @ self.F
        return value + 0.5 * float((self.penalty * W**2).sum()), (gradient + self.penalty * W).ravel()

    def curvature(self, w: np.ndarray, /) -> tuple[float, np.ndarray, np.ndarray]:
        K, p = self.target.shape[1], self.F.shape[1]
        P = softmax(self.F @ w.reshape(K, p).T)
        second = np.empty((K, p, K, p))
        for k in range(K):
            for j in range(k + 1):
                share = self.weight * P[:, k] * ((k == j) - P[:, j])
                second[k, :, j] = (self.F * share[:, None]).T @ self.F
                second[j, :, k] = second[k, :, j].T
        matrix = second.reshape(K * p, K * p)
        matrix[np.diag_indices(K * p)] += np.tile(self.penalty, K)
        return *self.value_gradient(w), matrix


def softmax_layer(
    F: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    penalty: np.ndarray,
    max_iter: int,
    start: np.ndarray | None = None,
) -> tuple[np.ndarray, int, bool]:
    """(K, p) the weights of least penalised cross-entropy, the steps, and whether the gradient vanished.

    Steps never raise what is minimised, so that a few of them from a ``start`` (K, p) make it better.
    """
    K = target.shape[1]
    scale = max(float(weight.sum()), 1e-300)
    problem = _CrossEntropy(F, target, weight / scale, penalty / scale)
    first = np.zeros(K * F.shape[1]) if start is None else start.ravel()
    if len(first) <= MOST_NEWTON_WEIGHTS:
        result = newton(problem, first, tol=1e-12, max_iter=max_iter)
    else:
        result = lbfgs(problem, first, tol=1e-10, max_iter=max_iter)
    W: np.ndarray = result.w.reshape(K, -1)
    W = W - W.mean(axis=0)  # the softmax does not see what all classes share
    return W, result.n_iter, result.reason in ("gradient", "value", "stuck")


def better_softmax_layer(
    F: np.ndarray, target: np.ndarray, weight: np.ndarray, penalty: np.ndarray, steps: int, start: np.ndarray
) -> np.ndarray:
    """(K, p) the weights after a few steps from ``start``, none of which raises the penalised cross-entropy."""
    if start.size > MOST_NATIVE_WEIGHTS:
        return softmax_layer(F, target, weight, penalty, steps, start)[0]
    scale = max(float(weight.sum()), 1e-300)
    W = np.array(start, dtype=np.float64, order="C")
    _softmax_layer.improve(
        np.ascontiguousarray(F),
        np.ascontiguousarray(target),
        weight / scale,
        penalty / scale,
        W,
        steps,
    )
    return W - W.mean(axis=0)
