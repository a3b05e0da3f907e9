r"""The cross-entropy of logistic and softmax regression, as a sum over rows.

With class scores :math:`z_i = Wx_i + b` and the sum S of the row weights

.. math:: E(W,b) = \frac1S\sum_i w_i\Big(\ln\sum_k e^{z_{ik}} - z_{i,y_i}\Big)
                   + \frac{1}{2CS}\Big(\lVert W\rVert^2 + \tau\lVert b\rVert^2\Big)               \quad (1)

.. math:: \nabla_{W_k}E = \frac1S\sum_i w_i(p_{ik}-[y_i=k])\,x_i + \frac{W_k}{CS},\qquad
          H_{jk} = \frac1S\sum_i w_i\,p_{ij}([j=k]-p_{ik})\,x_ix_i^T + \frac{[j=k]}{CS}I          \quad (2)

Two classes have one row of weights, the first class having the score 0; so has any class chosen as reference.

The optimiser moves in coordinates in which every column has mean 0 and spread 1: :math:`U = Ws,\ c = b + Wm`, so
that neither the unit of a column nor its distance from 0 costs steps or digits. Many rows stay as they are and the
weights are translated there and back; few are copied into these coordinates. With a penalised intercept m stays 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from assay.core.sums import Rows, Source
from assay.linear.logistic.logistic_sums import (
    CurvatureSums,
    Scale,
    curvature_part,
    gradient_part,
    grams,
    pairs,
    scatter_part,
)

__all__ = ["LogisticObjective", "Scale", "grams", "inverse"]


class LogisticObjective:
    r"""(1) over the rows of a source, in the coordinates (U, c); the vector is (p, F) row by row, c last.

    Parameters
    ----------
    source : gives blocks (X, y, w), X dense or sparse, y codes 0..K-1
    K : number of classes
    scale : Scale
    strength : 1 / C
    fit_intercept : whether there is b       intercept_strength : :math:`\tau/C`; 0 leaves b free
    reference : number of the class whose score is 0; None for none. Two classes always have one.
    class_weight : (K,) factors of the row weights, or None
    inside : whether the rows of the source are in the inner coordinates already
    """

    def __init__(
        self,
        source: Source,
        K: int,
        scale: Scale,
        *,
        strength: float,
        fit_intercept: bool = True,
        intercept_strength: float = 0.0,
        reference: int | None = None,
        class_weight: np.ndarray | None = None,
        inside: bool = False,
    ):
        self.source, self.K, self.scale = source, K, scale
        self.seen = scale.plain() if inside else scale
        self.strength, self.intercept_strength = strength, intercept_strength
        self.fit_intercept, self.class_weight = fit_intercept, class_weight
        self.reference = 0 if K == 2 else reference
        self.free = np.array([k for k in range(K) if k != self.reference])
        d, F = len(scale.mean), len(self.free)
        self.shape = (d + fit_intercept, F)
        decay = np.empty(self.shape[0])
        with np.errstate(over="ignore", under="ignore"):
            decay[:d] = strength / scale.total / scale.spread**2
        decay[d:] = intercept_strength / scale.total
        self.decay = np.minimum(decay, 1e300)[:, None]
        self.noise = 1e-14 * (np.abs(scale.mean) + scale.spread)[:, None]

    def over(self, rows: Rows, class_weight: np.ndarray | None = None) -> LogisticObjective:
        """The same objective in the same coordinates over other rows in memory, copied into the coordinates."""
        inside = isinstance(rows.X, np.ndarray)
        return LogisticObjective(
            Rows(self.scale.apply(rows.X), rows.y, rows.w) if inside else rows,
            self.K,
            self.scale,
            strength=self.strength,
            fit_intercept=self.fit_intercept,
            intercept_strength=self.intercept_strength,
            reference=self.reference,
            class_weight=class_weight,
            inside=inside,
        )

    def value_gradient(self, v: np.ndarray, /) -> tuple[float, np.ndarray]:
        """(1) and its gradient: one pass over the rows."""
        W = self._of_rows(v)
        sums = self.source.add_up(partial(gradient_part, W=W, K=self.K, class_weight=self.class_weight))
        return self._value_gradient(v, float(sums[0]), sums[1:].reshape(W.shape))

    def curvature(self, v: np.ndarray, /) -> tuple[float, np.ndarray, np.ndarray]:
        """As :meth:`hessian`, but with some curvature also where there is none.

        Without a reference class the same constant may be added to all weights of a column; without a penalty nothing
        changes. No gradient points that way, so a curvature there changes no step, and the matrix can be inverted.
        """
        value, g, H = self.hessian(v)
        p, F = self.shape
        if self.K == F:
            level = H.diagonal().reshape(p, F).mean(axis=1)
            free = np.flatnonzero(self.decay[:, 0] <= 1e-10 * level)
            H.reshape(p, F, p, F)[free, :, free, :] += (level[free] / F)[:, None, None]
        return value, g, H

    def hessian(self, v: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """(1), its gradient and H of (2): one pass over the rows."""
        sums = self._curvature_sums(v, pairs(self.K))
        value, g = self._value_gradient(v, sums.loss, sums.gradient)
        H = np.ascontiguousarray(self._assemble(sums.blocks / self.scale.total))
        H.flat[:: len(H) + 1] += np.repeat(self.decay[:, 0], self.shape[1])
        return value, g, H

    def metric_of_classes(self, v: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """The inverse of the curvature without the blocks of two different classes; one pass over the rows."""
        sums = self._curvature_sums(v, [(0, 1)] if self.K == 2 else [(int(k), int(k)) for k in self.free])
        each = [inverse(block / self.scale.total, self.decay[:, 0]) for block in sums.blocks]

        def metric(G: np.ndarray) -> np.ndarray:
            return np.column_stack([solve(G[:, f]) for f, solve in enumerate(each)])

        return self._shared_apart(metric)

    def _shared_apart(self, metric: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
        """A metric (p, F) -> (p, F) for what differs between the classes; what they share has the penalty alone."""
        if self.shape[1] < self.K:
            return lambda g: metric(g.reshape(self.shape)).ravel()
        soft = np.divide(1.0, self.decay, out=np.zeros_like(self.decay), where=self.decay > 0)

        def apart(g: np.ndarray) -> np.ndarray:
            G = g.reshape(self.shape)
            mean = G.mean(axis=1, keepdims=True)
            deviation = metric(G - mean)
            return (deviation - deviation.mean(axis=1, keepdims=True) + soft * mean).ravel()

        return apart

    def scatter(self) -> np.ndarray:
        """(p, p) the mean of w x x' in the inner coordinates; one pass over the rows."""
        part = partial(
            scatter_part, class_weight=self.class_weight, scale=self.seen, intercept=self.fit_intercept
        )
        return self.source.add_up(part) / self.scale.total

    def size(self, g: np.ndarray) -> float:
        """How large a gradient is: its largest entry, in the user's units or in those of the spread.

        What rounding leaves of a column far from 0 does not count.
        """
        scale, G = self.scale, g.reshape(self.shape)
        d = len(scale.mean)
        user = scale.spread[:, None] * G[:d]
        if self.fit_intercept:
            user += scale.mean[:, None] * G[d:]
        user = np.abs(user)
        user *= user > self.noise
        return max(float(user.max(initial=0.0)), float(np.abs(g).max(initial=0.0)))

    def weights(self, v: np.ndarray) -> np.ndarray:
        """(d + 1, K) W and b, last, of all classes in the user's units; (d + 1, 1) for two classes."""
        return self._weights(v, self.scale)

    def start(self, W: np.ndarray) -> np.ndarray:
        """The vector of given (d + 1, K or 1) weights, :meth:`weights` the other way round."""
        scale = self.scale
        d = len(scale.mean)
        if self.K > 2 and self.reference is not None:
            W = (W - W[:, [self.reference]])[:, self.free]
        U = np.zeros(self.shape)
        U[:d] = W[:d] * scale.spread[:, None]
        if self.fit_intercept:
            U[d] = W[d] + scale.mean @ W[:d]
        return U.ravel()

    def _of_rows(self, v: np.ndarray) -> np.ndarray:
        """The weights that the rows of the source are multiplied with."""
        return self._weights(v, self.seen)

    def _weights(self, v: np.ndarray, scale: Scale) -> np.ndarray:
        U = v.reshape(self.shape)
        d, F = len(scale.mean), self.shape[1]
        W = np.zeros((d + 1, F))
        W[:d] = U[:d] / scale.spread[:, None]
        if self.fit_intercept:
            W[d] = U[d] - scale.mean @ W[:d]
        if self.K == 2 or F == self.K:
            return W
        full = np.zeros((d + 1, self.K))
        full[:, self.free] = W
        return full

    def _value_gradient(self, v: np.ndarray, loss: float, G: np.ndarray) -> tuple[float, np.ndarray]:
        """From the sums over the rows, the gradient being by W and b."""
        U, scale = v.reshape(self.shape), self.seen
        d = len(scale.mean)
        if self.K > 2 and self.shape[1] < self.K:
            G = G[:, self.free]
        inner = np.empty(self.shape)
        inner[:d] = (G[:d] - scale.mean[:, None] * G[d]) / scale.spread[:, None]
        inner[d:] = G[d] if self.fit_intercept else 0.0
        pull = self.decay * U
        return (
            loss / self.scale.total + 0.5 * float((pull * U).sum()),
            (inner / self.scale.total + pull).ravel(),
        )

    def _curvature_sums(self, v: np.ndarray, products: list[tuple[int, int]]) -> CurvatureSums:
        part = partial(
            curvature_part,
            W=self._of_rows(v),
            products=products,
            K=self.K,
            class_weight=self.class_weight,
            scale=self.seen,
            intercept=self.fit_intercept,
        )
        return self.source.add_up(part)

    def _assemble(self, blocks: np.ndarray) -> np.ndarray:
        """H from the (p, p) blocks of :func:`curvature_part`."""
        p, F = self.shape
        if self.K == 2:
            return blocks[0]
        full = np.zeros((self.K, self.K, p, p))
        for block, (j, k) in zip(blocks, pairs(self.K)):
            full[j, k] = full[k, j] = -block
            full[j, j] += block
            full[k, k] += block
        if F < self.K:
            full = full[np.ix_(self.free, self.free)]
        return full.transpose(2, 0, 3, 1).reshape(p * F, p * F)


def inverse(A: np.ndarray, ridge: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The function G -> (A + diag(ridge))^-1 G, in units of the diagonal; a singular A is lifted a little."""
    from scipy.linalg.lapack import dpotrf, dpotrs

    diagonal = A.diagonal() + ridge
    if not np.isfinite(diagonal).all():
        return lambda G: G
    unit = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    B = (A + np.diag(ridge)) * unit[:, None] * unit
    lift = 1e-12 * len(B)
    while True:
        C = B.copy()
        C[np.diag_indices(len(B))] += lift
        factor, failed = dpotrf(C, lower=1)
        if not failed and np.isfinite(factor.diagonal()).all():
            break
        lift *= 100  # at 1 at the latest it is positive, unless it is not finite
        if lift > 1e6:
            return lambda G: G

    def solve(G: np.ndarray) -> np.ndarray:
        units = unit if G.ndim == 1 else unit[:, None]
        return dpotrs(factor, G * units, lower=1)[0] * units

    return solve
