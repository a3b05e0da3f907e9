r"""Half the mean deviance of a generalised linear model and its penalty, as a sum over rows.

With :math:`\eta_i = w^Tx_i + b + o_i` (o the offset), :math:`\mu_i = g^{-1}(\eta_i)` and the sum S of the row weights

.. math:: E(w,b) = \frac1{2S}\sum_i v_i\,d(y_i,\mu_i) + \tfrac\alpha2\lVert w\rVert^2               \quad (1)

.. math:: \nabla_wE = -\frac1S\sum_i v_i\frac{y_i-\mu_i}{V(\mu_i)}\mu_i'\,x_i + \alpha w,\qquad
          H = \frac1S\sum_i v_i\frac{\mu_i'^2}{V(\mu_i)}\,x_ix_i^T + \alpha I                       \quad (2)

H is the expected curvature (Fisher's information), which is positive for every family and link. The optimiser moves in
coordinates in which every column has mean 0 and spread 1, as in
:mod:`assay.linear.logistic.logistic_objective`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.linear.generalized._log_link as _log_link
from assay.core.sums import Block, Source
from assay.linear.generalized.families import Family
from assay.linear.generalized.links import Link
from assay.linear.logistic.logistic_objective import Scale, grams
from assay.optimize.newton import newton_step

__all__ = ["DevianceObjective", "DevianceSums", "means"]

EMPTY = np.empty(0)
FUSED_COLUMNS = 64  # up to which curvatures are added up row by row; BLAS is quicker beyond


@dataclass
class DevianceSums:
    """What blocks add up to: half the deviance, (p,) gradient or right-hand side, (p, p) curvature or None."""

    loss: float
    gradient: np.ndarray
    curvature: np.ndarray | None = None

    def __add__(self, other: DevianceSums) -> DevianceSums:
        both = None if self.curvature is None or other.curvature is None else self.curvature + other.curvature
        return DevianceSums(self.loss + other.loss, self.gradient + other.gradient, both)


def means(eta: np.ndarray, family: Family, link: Link) -> np.ndarray | None:
    """The means of linear predictors; None if some lie outside of what link and family allow."""
    if link.positive and not (eta > 0).all():
        return None
    mu = link.mean(eta)
    if link.low == 0 and family.low == 0:  # rounded to 0 or 1 where the mean is within a rounding error of it
        mu = np.clip(
            mu, np.finfo(np.float64).tiny, 1 - np.finfo(np.float64).eps / 2 if family.high == 1 else None
        )
    inside = np.isfinite(mu).all() and (mu > family.low).all() and (mu < family.high).all()
    return mu if inside else None


class DevianceObjective:
    """(1) over the rows of a source; the vector is (d + 1,) in the inner coordinates, the constant last.

    Parameters
    ----------
    source : gives blocks (X, y, w); y is (n,), or (n, 2) with the offset beside the target
    family, link : Family and Link
    scale : Scale of the columns
    alpha : the penalty
    fit_intercept : whether there is b
    """

    def __init__(
        self, source: Source, family: Family, link: Link, scale: Scale, alpha: float, fit_intercept: bool
    ):
        self.source, self.family, self.link, self.scale = source, family, link, scale
        self.alpha, self.fit_intercept = alpha, fit_intercept
        self.size = len(scale.mean) + fit_intercept
        self.power = family.variance_power if link.name == "log" else None
        self.decay = np.zeros(self.size)
        self.decay[: len(scale.mean)] = alpha / scale.spread**2
        self._last: tuple[np.ndarray, tuple[float, np.ndarray, np.ndarray]] | None = None

    @property
    def unbounded(self) -> bool:
        """Whether every linear predictor gives a mean that the family can have."""
        link, family = self.link, self.family
        return not link.positive and link.low >= family.low and link.high <= family.high

    def over(self, source: Source, total: float) -> DevianceObjective:
        """The same objective over other rows, whose weights sum to ``total``."""
        scale = Scale(self.scale.mean, self.scale.spread, total)
        return DevianceObjective(source, self.family, self.link, scale, self.alpha, self.fit_intercept)

    def outside(self, v: np.ndarray) -> tuple[np.ndarray, float]:
        """The weights (d,) and the constant in the columns as they are."""
        d = len(self.scale.mean)
        w = v[:d] / self.scale.spread
        return w, float(v[d] - self.scale.mean @ w) if self.fit_intercept else 0.0

    def inside(self, w: np.ndarray, b: float) -> np.ndarray:
        """The vector of these weights."""
        v = w * self.scale.spread
        return np.append(v, b + self.scale.mean @ w) if self.fit_intercept else v

    def value_gradient(self, v: np.ndarray, /) -> tuple[float, np.ndarray]:
        """(1), perhaps without the terms that depend on the targets alone, and its gradient."""
        sums = self._sums(v, False)
        return self._value(v, sums.loss), self._gradient(v, sums)

    def curvature(self, v: np.ndarray, /) -> tuple[float, np.ndarray, np.ndarray]:
        """(1), its gradient and H of (2): one pass over the rows, none for the vector that was asked for last."""
        if self._last is not None and self._last[0] is v:
            return self._last[1]
        sums = self._sums(v, True)
        assert sums.curvature is not None
        H = sums.curvature / self.scale.total
        H.flat[:: self.size + 1] += self.decay
        self._last = v, (self._value(v, sums.loss), self._gradient(v, sums), H)
        return self._last[1]

    def working_start(self) -> np.ndarray:
        """Weights of the regression of g(first means) on the columns, by the weights that the means give."""
        sums = self.source.add_up(self._working_part)
        assert sums.curvature is not None
        A = sums.curvature / self.scale.total
        A.flat[:: self.size + 1] += self.decay
        return newton_step(A, -self._inner(sums.gradient) / self.scale.total)

    def level_start(self) -> np.ndarray:
        """The same mean for all rows, where there is a constant."""
        sums = self.source.add_up(_target_part)
        v = np.zeros(self.size)
        if self.fit_intercept:
            middle = self.family.first_mean(np.array([sums[1] / sums[0]]), np.array([sums[0]]))
            v[-1] = float(self.link.predictor(middle)[0]) - sums[2] / sums[0]
        return v

    def _value(self, v: np.ndarray, loss: float) -> float:
        return loss / self.scale.total + 0.5 * float(self.decay @ (v * v))

    def _gradient(self, v: np.ndarray, sums: DevianceSums) -> np.ndarray:
        return self._inner(sums.gradient) / self.scale.total + self.decay * v

    def _inner(self, g: np.ndarray) -> np.ndarray:
        """(d + 1,) sums of x r and r, as the gradient by the inner coordinates."""
        d = len(self.scale.mean)
        inner = (g[:d] - self.scale.mean * g[d]) / self.scale.spread
        return np.append(inner, g[d]) if self.fit_intercept else inner

    def _sums(self, v: np.ndarray, curved: bool) -> DevianceSums:
        w, b = self.outside(v)

        def part(block: Block) -> DevianceSums:
            if self.power is not None and isinstance(block.X, np.ndarray):
                if not curved:
                    return self._fused(block, w, b)
                if len(w) <= FUSED_COLUMNS:
                    return self._fused_curvature(block, w, b)
            y, offset = split(block.y)
            eta = np.asarray(block.X @ w) + (b + offset)
            weight = np.ones(len(y)) if block.w is None else block.w
            with np.errstate(all="ignore"):
                mu = means(eta, self.family, self.link)
                if mu is None:
                    return DevianceSums(
                        np.inf, np.zeros(len(w) + 1), np.zeros((self.size, self.size)) if curved else None
                    )
                slope = self.link.slope(eta, mu) / self.family.variance(mu)  # the score of a unit of eta
                loss = 0.5 * float(weight @ self.family.deviance(y, mu))
                r = weight * (mu - y) * slope
                g = np.append(np.asarray(block.X.T @ r), r.sum())
                if not curved:
                    return DevianceSums(loss, g)
                h = weight * slope * self.link.slope(eta, mu)
            return DevianceSums(loss, g, grams(block.X, [h], self.scale, self.fit_intercept)[0])

        return self.source.add_up(part)

    def _fused(self, block: Block, w: np.ndarray, b: float) -> DevianceSums:
        """Loss and gradient of a block in one look at its rows: log link, variance a power of the mean."""
        X, y, weight, shift = _prepared(block)
        g = np.zeros(len(w) + 1)
        assert self.power is not None  # whoever calls this has seen to it
        loss = _log_link.loss_gradient(
            X=X, y=y, v=weight, offset=shift, coef=w, intercept=b, power=self.power, G=g
        )
        return DevianceSums(loss if np.isfinite(loss) else np.inf, g)

    def _fused_curvature(self, block: Block, w: np.ndarray, b: float) -> DevianceSums:
        """Half the deviance itself, gradient and curvature of a block in one look at its rows."""
        X, y, weight, shift = _prepared(block)
        d, p = len(w), self.power
        assert p is not None
        with np.errstate(all="ignore"):
            of_target = (
                np.log(np.where(y > 0, y, 1.0)) if p in (1.0, 2.0) else y ** (2 - p) / ((1 - p) * (2 - p))
            )
        g, H = np.zeros(d + 1), np.zeros((d + 1, d + 1))
        point = _log_link.Point(coef=w, intercept=b, power=p, mean=self.scale.mean, spread=self.scale.spread)
        loss = _log_link.curvature(X=X, y=y, own=of_target, v=weight, offset=shift, point=point, G=g, H=H)
        return DevianceSums(loss if np.isfinite(loss) else np.inf, g, H if self.fit_intercept else H[:d, :d])

    def _working_part(self, block: Block) -> DevianceSums:
        y, offset = split(block.y)
        weight = np.ones(len(y)) if block.w is None else block.w
        with np.errstate(all="ignore"):
            mu = self.family.first_mean(y, weight)
            if self.link.low == 0:
                mu = np.maximum(mu, np.finfo(np.float64).tiny)
            eta = self.link.predictor(mu)
            h = weight * self.link.slope(eta, mu) ** 2 / self.family.variance(mu)
        sound = np.isfinite(h) & np.isfinite(eta)
        h, z = np.where(sound, h, 0.0), np.where(sound, eta - offset, 0.0)
        r = h * z
        g = np.append(np.asarray(block.X.T @ r), r.sum())
        return DevianceSums(0.0, g, grams(block.X, [h], self.scale, self.fit_intercept)[0])


def split(y: np.ndarray) -> tuple[np.ndarray, Any]:
    """The target and the offset of a block."""
    return (y, 0.0) if y.ndim == 1 else (y[:, 0], y[:, 1])


def _prepared(block: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """X, y, weights and offsets of a dense block as native code takes them; what there is none of is empty."""
    y, offset = split(block.y)
    X = block.X
    if X.dtype not in (np.float64, np.float32) or not X.flags.c_contiguous:
        X = np.ascontiguousarray(X, dtype=np.float64)
    weight = EMPTY if block.w is None else np.ascontiguousarray(block.w, dtype=np.float64)
    shift = EMPTY if block.y.ndim == 1 else np.ascontiguousarray(offset)
    return X, np.ascontiguousarray(y, dtype=np.float64), weight, shift


def _target_part(block: Block) -> np.ndarray:
    """The sums of the weights, of the weighted targets and of the weighted offsets."""
    y, offset = split(block.y)
    w = np.ones(len(y)) if block.w is None else block.w
    return np.array([w.sum(), w @ y, float(np.sum(w * offset))])
