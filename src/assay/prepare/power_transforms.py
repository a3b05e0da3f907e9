r"""Power transformations of a target with the exponent of greatest likelihood: Box and Cox, Yeo and Johnson.

Both likelihoods are those of a normal distribution of the transformed numbers. With :math:`l = \log y`, less its mean,
the Jacobian of the Box-Cox transformation cancels, and what is left to minimise is the variance

.. math:: \hat\lambda = \arg\min_\lambda \log \operatorname{Var}\frac{e^{\lambda l}-1}{\lambda},

in which numbers of any size can be had without overflow: the largest exponent is taken out, and the constant does not
matter. Yeo and Johnson's transformation of numbers of one sign is Box and Cox's of 1 + |y|.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.core.stored import Kind, Scalar
from assay.errors import DegenerateWarning, warn_user
from assay.prepare.target_transforms import LARGEST_EXPONENT, TargetTransform

__all__ = ["BoxCox", "YeoJohnson", "box_cox_lambda", "yeo_johnson_lambda"]

WIDEST = 100.0  # the largest exponent, lambda times the logarithm of a target by its mean, that is considered
FAR_FROM_ONE = 10.0  # beyond this exponent, at the geometric mean, targets are divided by that mean first
CEILING = 10.0  # where the inverse has a pole: how many times the largest training target is answered at most


@dataclass(frozen=True)
class BoxCox(TargetTransform):
    r"""z = ((y / unit)^lambda - 1) / lambda, or log(y / unit) where lambda is 0, for targets above 0.

    ``unit`` is 1 unless the targets are so far from 1 that powers of them would lose their digits. With lambda below 0
    there is a largest z, at which y is infinite; ``highest`` is the largest target that is answered there.
    """

    stored: ClassVar[dict[str, Kind]] = {
        "lambda_": Scalar(),
        "unit": Scalar(low=0),
        "highest": Scalar(low=0),
    }
    name: ClassVar[str] = "box-cox"
    lowest: ClassVar[float] = 0.0

    lambda_: float
    unit: float
    highest: float

    @classmethod
    def fitted(cls, y: np.ndarray, w: np.ndarray | None, who: str) -> BoxCox:
        """With the lambda of greatest likelihood."""
        cls.check(y, who)
        l = np.log(y)
        lam = box_cox_lambda(l, w) if varies(y, w, who) else 1.0
        mean = float(np.average(l, weights=w))
        unit = float(np.exp(mean)) if abs(lam * mean) > FAR_FROM_ONE else 1.0
        return cls(lam, unit, float(np.exp(min(l.max() + np.log(CEILING), LARGEST_EXPONENT))))

    def transform(self, y: np.ndarray) -> np.ndarray:
        """The powers; minus infinity, or the smallest power, at 0 and below."""
        inside = self.within(y)
        l = np.log(np.where(inside, y, self.unit)) - np.log(self.unit)
        return np.where(inside, _power(l, self.lambda_), -np.inf)

    def inverse_transform(self, z: np.ndarray) -> np.ndarray:
        """The targets; 0 where no target has so small a power."""
        z = np.asarray(z, np.float64)
        if self.lambda_ < 0:
            z = np.minimum(z, self.transform(np.array(self.highest)))
        l = _root(z, self.lambda_)
        return np.exp(np.minimum(l + np.log(self.unit), LARGEST_EXPONENT))

    def log_derivative(self, y: np.ndarray) -> np.ndarray:
        """(lambda - 1) log(y / unit) - log(unit)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return (self.lambda_ - 1) * (np.log(y) - np.log(self.unit)) - np.log(self.unit)

    def phrase(self, target: str) -> str:
        """The new scale in words."""
        of = target if self.unit == 1 else f"{target} / {self.unit:.6g}"
        return f"Box-Cox of {of} with lambda {self.lambda_:.6g}"


@dataclass(frozen=True)
class YeoJohnson(TargetTransform):
    r"""Box and Cox's transformation of 1 + y above 0 and, with 2 - lambda and mirrored, of 1 - y below.

    ``sign`` is 1 or -1 if all targets are from 0 up, or all are from 0 down, and so far from 1 that powers of them
    would lose their digits. Then ``centre``, the mean of log(1 + |y|), is taken out first (as a unit); numbers of the
    other sign become 0. Otherwise ``sign`` is 0 and z may be divided by exp(``centre``).
    """

    stored: ClassVar[dict[str, Kind]] = {
        "lambda_": Scalar(),
        "sign": Scalar(low=-1, high=1),
        "centre": Scalar(),
        "highest": Scalar(low=0),
    }
    name: ClassVar[str] = "yeo-johnson"

    lambda_: float
    sign: float
    centre: float
    highest: float

    @classmethod
    def fitted(cls, y: np.ndarray, w: np.ndarray | None, who: str) -> YeoJohnson:
        """With the lambda of greatest likelihood."""
        lam = yeo_johnson_lambda(y, w) if varies(y, w, who) else 1.0
        l = np.log1p(np.abs(y))
        sign, centre = 0.0, 0.0
        counted = y if w is None else y[w > 0]
        if (counted >= 0).all() or (counted <= 0).all():
            side = 1.0 if (counted >= 0).all() else -1.0
            mean = float(np.average(l, weights=w))
            if abs((lam if side > 0 else 2 - lam) * mean) > FAR_FROM_ONE:
                sign, centre = side, mean
        else:
            exponent = float(np.where(y >= 0, lam * l, (2 - lam) * l).max())
            centre = exponent - FAR_FROM_ONE if exponent > WIDEST else 0.0
        return cls(lam, sign, centre, float(np.expm1(min(l.max() + np.log(CEILING), LARGEST_EXPONENT))))

    def transform(self, y: np.ndarray) -> np.ndarray:
        """The signed powers."""
        y = np.asarray(y, np.float64)
        if self.sign:
            exponent = self.lambda_ if self.sign > 0 else 2 - self.lambda_
            return self.sign * _power(np.log1p(np.maximum(self.sign * y, 0.0)) - self.centre, exponent)
        l = np.log1p(np.abs(y))
        above = _scaled_power(l, self.lambda_, self.centre)
        below = -_scaled_power(l, 2 - self.lambda_, self.centre)
        return np.where(y >= 0, above, below)

    def inverse_transform(self, z: np.ndarray) -> np.ndarray:
        """The targets."""
        z = np.asarray(z, np.float64)
        lowest, highest = self.transform(np.array([-self.highest, self.highest]))
        if self.sign:
            exponent = self.lambda_ if self.sign > 0 else 2 - self.lambda_
            sized = self.sign * z
            if exponent < 0:
                sized = np.minimum(sized, self.sign * (highest if self.sign > 0 else lowest))
            l = np.maximum(_root(sized, exponent) + self.centre, 0.0)
            return self.sign * np.expm1(np.minimum(l, LARGEST_EXPONENT))
        up, down = np.maximum(z, 0.0), np.maximum(-z, 0.0)
        up = np.minimum(up, highest) if self.lambda_ < 0 else up
        down = np.minimum(down, -lowest) if self.lambda_ > 2 else down
        above = np.expm1(np.minimum(_scaled_root(up, self.lambda_, self.centre), LARGEST_EXPONENT))
        below = np.expm1(np.minimum(_scaled_root(down, 2 - self.lambda_, self.centre), LARGEST_EXPONENT))
        return np.where(z >= 0, above, -below)

    def log_derivative(self, y: np.ndarray) -> np.ndarray:
        """(lambda - 1) log(1 + y) above 0, (1 - lambda) log(1 - y) below."""
        y = np.asarray(y, np.float64)
        l = np.log1p(np.abs(y))
        if self.sign:
            exponent = self.lambda_ if self.sign > 0 else 2 - self.lambda_
            return np.where(self.sign * y >= 0, exponent * (l - self.centre) - l, -np.inf)
        return np.where(y >= 0, self.lambda_ - 1, 1 - self.lambda_) * l - self.centre

    def phrase(self, target: str) -> str:
        """The new scale in words."""
        unit = f", per {np.exp(self.centre):.6g}" if self.centre and self.centre < LARGEST_EXPONENT else ""
        return f"Yeo-Johnson of {target} with lambda {self.lambda_:.6g}{unit}"


def varies(y: np.ndarray, w: np.ndarray | None, who: str) -> bool:
    """Whether the targets that count differ; if they do not, a warning says that lambda is 1."""
    counted = y if w is None else y[w > 0]
    if counted.min() < counted.max():
        return True
    warn_user(
        f"{who}: all targets are {counted[0]:g}, so no exponent is more likely than another; lambda is 1 (the "
        "target as it is, but for a constant).",
        DegenerateWarning,
    )
    return False


def box_cox_lambda(l: np.ndarray, w: np.ndarray | None = None) -> float:
    """The exponent of greatest likelihood for targets whose logarithms are l, (n,), with weights w.

    >>> import numpy as np
    >>> from assay.prepare.power_transforms import box_cox_lambda
    >>> squares = np.arange(1.0, 200.0) ** 2
    >>> round(box_cox_lambda(np.log(squares)), 2)  # below 1/2: even steps have short tails
    0.36
    """
    shares = np.full(len(l), 1 / len(l)) if w is None else w / w.sum()
    l = l - shares @ l

    def loss(lam: float) -> float:
        t = lam * l
        if np.abs(t).max() < 1:
            size, e = 0.0, np.expm1(t)
        else:
            size = float(t.max())
            e = np.exp(t - size)
        if not lam:
            e, lam = l, 1.0
        return size + _half_log_variance(e, shares) - np.log(abs(lam))

    widest = WIDEST / float(np.abs(l[shares > 0]).max())
    return _least(loss, -widest, widest)


def yeo_johnson_lambda(y: np.ndarray, w: np.ndarray | None = None) -> float:
    """The exponent of greatest likelihood for targets y, (n,), with weights w."""
    if w is not None:
        y, w = y[w > 0], w[w > 0]
    l = np.log1p(np.abs(y))
    if (y >= 0).all():
        return box_cox_lambda(l, w)
    if (y <= 0).all():
        return 2 - box_cox_lambda(l, w)
    shares = np.full(len(y), 1 / len(y)) if w is None else w / w.sum()
    above = y >= 0
    slope = float(shares @ np.where(above, l, -l))

    def loss(lam: float) -> float:
        size = max(0.0, float(np.where(above, lam * l, (2 - lam) * l).max()) - WIDEST)
        z = np.where(above, _scaled_power(l, lam, size), -_scaled_power(l, 2 - lam, size))
        return size + _half_log_variance(z, shares) - (lam - 1) * slope

    up, down = float(l[above].max()), float(l[~above].max())
    reach = WIDEST / max(up, 1e-300), WIDEST / max(down, 1e-300)
    return _least(loss, 1 - min(max(reach), 1e4), 1 + min(max(reach), 1e4))


def _half_log_variance(z: np.ndarray, shares: np.ndarray) -> float:
    centred = z - shares @ z
    scale = float(np.abs(centred).max())
    return float(np.log(scale) + 0.5 * np.log(shares @ (centred / scale) ** 2)) if scale else -np.inf


def _least(loss: Callable[[float], float], low: float, high: float) -> float:
    """Where a function is least: Brent's search near 0 first, within the bounds if that leaves them."""
    from scipy.optimize import minimize_scalar

    with np.errstate(all="ignore"):
        near = minimize_scalar(loss, bracket=(-2.0, 2.0), method="brent", options={"xtol": 1e-9})
        if low <= near.x <= high and np.isfinite(near.fun):
            return float(near.x)
        return float(minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-9}).x)


def _power(l: np.ndarray, lam: float) -> np.ndarray:
    """(e^(lambda l) - 1) / lambda."""
    return l if lam == 0 else np.expm1(np.minimum(lam * l, LARGEST_EXPONENT)) / lam


def _root(z: np.ndarray, lam: float) -> np.ndarray:
    """The inverse of :func:`_power`; minus or plus infinity where there is none."""
    if lam == 0:
        return z
    with np.errstate(divide="ignore", over="ignore"):
        return np.log1p(np.maximum(np.clip(lam * z, -1.0, np.finfo(np.float64).max), -1.0)) / lam


def _scaled_power(l: np.ndarray, lam: float, size: float) -> np.ndarray:
    """(e^(lambda l) - 1) / lambda, divided by e^size."""
    if not size:
        return _power(l, lam)
    if lam == 0:
        return l * np.exp(-size)
    return (np.exp(np.minimum(lam * l - size, LARGEST_EXPONENT)) - np.exp(-size)) / lam


def _scaled_root(z: np.ndarray, lam: float, size: float) -> np.ndarray:
    """The inverse of :func:`_scaled_power`."""
    if not size:
        return _root(z, lam)
    if lam == 0:
        return z * np.exp(size)
    with np.errstate(divide="ignore"):
        return (np.log(np.maximum(lam * z + np.exp(-size), 0.0)) + size) / lam
