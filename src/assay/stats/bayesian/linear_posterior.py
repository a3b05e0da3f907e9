"""Belief about the weights of a linear model with Gaussian noise, of known or unknown variance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular

from assay.core.seeds import as_generator
from assay.core.stored import FloatArray, Scalar
from assay.core.targets import check_weights
from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.checks import as_matrix, as_sample, one_of, tail_of
from assay.stats.distributions.predictive import Normal, Student
from assay.types import RandomState

__all__ = ["LinearPosterior"]

Floats = NDArray[np.float64]
LOG_2PI = float(np.log(2 * np.pi))
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class LinearPosterior:
    r"""Belief about w in :math:`r = w^Tx + \varepsilon`: Gaussian, or normal-gamma where the noise is unknown.

    .. math:: \varepsilon \sim N(0, 1/\beta), \quad w|\beta \sim N\!\left(m, (\beta R^TR)^{-1}\right), \quad
              \beta = 1/\sigma^2 \text{ known, or } \beta \sim \mathrm{gamma}(a, b)                     \quad (1)

    A gamma prior of the precision is given by :math:`\nu = 2a` degrees of freedom and :math:`s^2 = b/a`, its guess of
    the variance; a known variance is the limit of infinitely many. Then the weights are Student's t around m with
    :math:`\nu` degrees of freedom and the scale :math:`s^2(R^TR)^{-1}`, and so is a new number r at x, around
    :math:`m^Tx` with the squared scale :math:`s^2(1+x^T(R^TR)^{-1}x)`.

    `update` returns the posterior, an object of the same class, so that today's posterior is tomorrow's prior. It
    factors the rows beside R by orthogonal transformations: nothing is squared, so that no digits are lost to
    nearly collinear columns, and the residual squares that b grows by are never a difference. A row of zeros in R is a
    flat (improper) belief about that weight. Cost: update O(n d^2 + d^3), prediction O(d^2) a row.

    Parameters
    ----------
    mean : (d,) m      root : (d, d) the upper triangular R
    noise : :math:`\sigma^2`, or :math:`s^2 = b/a`      dof : :math:`\nu = 2a`, default infinite: known noise

    Examples
    --------
    A unit prior, a line through four points, and the next one:

    >>> from assay.stats import LinearPosterior
    >>> X, r = [[1, 0], [1, 1], [1, 2], [1, 3]], [1, 3, 4, 8]
    >>> posterior = LinearPosterior.prior(2).update(X, r)
    >>> posterior.mean.round(4), [v.round(4).item() for v in posterior.predict([[1, 4]])]
    (array([0.7692, 2.0256]), [8.8718, 2.2051])
    >>> unknown = LinearPosterior.prior(2, shape=1, rate=1).update(X, r)
    >>> unknown.dof, round(unknown.rate, 6)
    (6.0, 4.397436)

    See Also
    --------
    weight_posterior, log_evidence, bayesian_model_selection

    References
    ----------
    - Bishop, C. M. (2006). Pattern Recognition and Machine Learning. Springer.
    - Bierman, G. J. (1977). Factorization Methods for Discrete Sequential Estimation. Academic Press.
    """

    mean: Floats
    root: Floats
    noise: float
    dof: float = np.inf

    storable = True
    stored = {
        "mean": FloatArray("q", finite=True),
        "root": FloatArray("q", "q", finite=True),
        "noise": Scalar(low=0, finite=True),
        "dof": Scalar(low=0),
    }

    @classmethod
    def prior(
        cls,
        d: int,
        precision: ArrayLike = 1.0,
        mean: ArrayLike = 0.0,
        noise: float = 1.0,
        *,
        shape: float | None = None,
        rate: float | None = None,
    ) -> LinearPosterior:
        r"""A belief before any row.

        Parameters
        ----------
        d : number of weights
        precision : of the weights: a number, (d,) one for each (0 is flat), or a positive definite (d, d) matrix; with
            a gamma prior it is in units of :math:`\beta`, as :math:`R^TR` is
        mean : a number, or (d,)
        noise : the known variance; without meaning if ``shape`` and ``rate`` are given
        shape, rate : a and b of the gamma prior of the noise's precision
        """
        who = "LinearPosterior"
        known = shape is None and rate is None
        if known and not (np.isfinite(noise) and noise > 0):
            raise ParameterError(f"precision and noise must be above 0, got noise {noise}.", who=who)
        if not known and not (shape is not None and rate is not None and shape > 0 and rate > 0):
            raise ParameterError(f"shape and rate must both be above 0, got {shape} and {rate}.", who=who)
        centre = np.broadcast_to(np.asarray(mean, dtype=np.float64), (d,)).copy()
        root = root_of(precision, d, who)
        if known:
            return cls(centre, root * np.sqrt(noise), float(noise))
        assert shape is not None
        assert rate is not None
        return cls(centre, root, rate / shape, 2.0 * shape)

    # ------------------------------------------------------------------ learning

    def update(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> LinearPosterior:
        """The belief after some rows; a weight of 2 counts a row twice."""
        return self.absorb(*_rows(X, y, sample_weight, len(self.mean)))

    def log_evidence(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        r"""The log probability of numbers y at rows X under this belief, weights (and noise) integrated out.

        .. math:: \tfrac12\log\frac{|R^TR|}{|R_N^TR_N|} - \tfrac N2\log 2\pi + a\log b - a_N\log b_N
                  + \log\frac{\Gamma(a_N)}{\Gamma(a)}

        or, with known noise, :math:`-\frac N2\log 2\pi\sigma^2 - \frac1{2\sigma^2}(\text{residual squares})` in place
        of the last terms. A flat belief about f weights counts as density 1, so that N - f stands for N; such
        evidences can be compared between models that are flat about the same weights alone.
        """
        rows = _rows(X, y, sample_weight, len(self.mean))
        return self.absorbed_evidence(*rows)

    def absorb(self, A: Floats, t: Floats, count: float, outside: float = 0.0) -> LinearPosterior:
        """The belief after rows that were compressed: those of A with targets t have the same squares and products.

        Parameters
        ----------
        A : (k, d)      t : (k,)      count : the number of rows      outside : squares of y that no weights reach
        """
        R, z, residual = self._factored(A, t)
        mean = solve_triangular(R, z)
        if np.isinf(self.dof):
            return LinearPosterior(mean, R, self.noise)
        dof = self.dof + count - self.flat
        squares = self.noise * self.dof + residual**2 + outside  # 2 b_N
        return LinearPosterior(mean, R, squares / dof, dof)

    def absorbed_evidence(self, A: Floats, t: Floats, count: float, outside: float = 0.0) -> float:
        """`log_evidence` of rows that were compressed, as in `absorb`."""
        from scipy.special import gammaln

        R, _, residual = self._factored(A, t)
        old, new = np.abs(np.diag(self.root)), np.abs(np.diag(R))
        log_volume = float(np.log(old[old > 0]).sum() - np.log(new).sum())
        rows, squares = count - self.flat, residual**2 + outside
        if np.isinf(self.dof):
            return float(log_volume - 0.5 * (rows * (LOG_2PI + np.log(self.noise)) + squares / self.noise))
        a, b = self.dof / 2, self.rate
        a_N, b_N = a + rows / 2, b + squares / 2
        gammas = gammaln(a_N) - gammaln(a)
        return float(log_volume - rows / 2 * LOG_2PI + a * np.log(b) - a_N * np.log(b_N) + gammas)

    def _factored(self, A: Floats, t: Floats) -> tuple[Floats, Floats, float]:
        """R and R m of the posterior, and the length of the residuals, the prior's among them."""
        d = len(self.mean)
        stacked = np.zeros((max(d + len(A), d + 1), d + 1))
        stacked[:d, :d], stacked[:d, d] = self.root, self.root @ self.mean
        stacked[d : d + len(A), :d], stacked[d : d + len(A), d] = A, t
        full = np.linalg.qr(stacked, mode="r")
        R = np.triu(full[:d, :d])
        if self.flat and (np.abs(np.diag(R)) <= 8 * d * EPS * np.linalg.norm(R, axis=0)).any():
            raise DegenerateError(
                "LinearPosterior: the belief is flat about weights that the rows do not determine. Give all of them a "
                "precision above 0, or update with more rows."
            )
        return R, full[:d, d], float(abs(full[d, d]))

    @property
    def flat(self) -> int:
        """How many weights the belief says nothing about."""
        return int((np.diag(self.root) == 0).sum())

    # ------------------------------------------------------------------ what is believed

    @cached_property
    def spread(self) -> Floats:
        """(d, d) the upper triangular matrix whose product with its transpose is (RᵀR)⁻¹."""
        if self.flat:
            raise DegenerateError(
                "LinearPosterior: the belief is flat about some weights, so it has no covariance. Update it with "
                "rows that determine them."
            )
        return solve_triangular(self.root, np.eye(len(self.mean)))

    @property
    def rate(self) -> float:
        """b of the gamma belief about the noise's precision."""
        return self.noise * self.dof / 2

    @property
    def map(self) -> Floats:
        """(d,) the most probable weights, which are the mean."""
        return self.mean

    @property
    def covariance(self) -> Floats:
        """(d, d) of the weights; with unknown noise the squared scale of their t distribution."""
        return self.noise * (self.spread @ self.spread.T)

    @property
    def scale(self) -> Floats:
        """(d,) the standard deviation of each weight; with unknown noise the scale of its t distribution."""
        return np.sqrt(self.noise) * np.linalg.norm(self.spread, axis=1)

    @property
    def var(self) -> Floats:
        """(d,) the variance of each weight; infinite up to 2 degrees of freedom."""
        return self.scale**2 * _inflation(self.dof)

    def marginals(self) -> Any:
        """The distribution of each weight by itself, one row a weight."""
        return (
            Normal(self.mean, self.scale) if np.isinf(self.dof) else Student(self.mean, self.scale, self.dof)
        )

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """(d,) and (d,) the ends of the central credible interval of each weight."""
        reach = self.scale * -_quantile(self.dof, tail_of(level, "LinearPosterior"))
        return self.mean - reach, self.mean + reach

    def hpd(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """The shortest intervals: the central ones, since each weight's density falls to both sides alike."""
        return self.interval(level)

    def logpdf(self, w: ArrayLike) -> Floats:
        """(n,) the log density at weights w, (n, d) or (d,)."""
        from scipy.special import gammaln

        at, d = np.atleast_2d(np.asarray(w, dtype=np.float64)), len(self.mean)
        if at.shape[1] != d:
            raise DataError(f"expected points of {d} weights, got shape {at.shape}.", who="LinearPosterior")
        z = (at - self.mean) @ self.root.T
        squares = np.einsum("ij,ij->i", z, z) / self.noise
        log_root = float(np.log(np.abs(np.diag(self.root))).sum()) - d / 2 * np.log(self.noise)
        if np.isinf(self.dof):
            return log_root - 0.5 * (d * LOG_2PI + squares)
        nu = self.dof
        norm = gammaln((nu + d) / 2) - gammaln(nu / 2) - d / 2 * np.log(np.pi * nu)
        return norm + log_root - (nu + d) / 2 * np.log1p(squares / nu)

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        """(n, d) independent draws of the weights."""
        return self.sample_both(n, random_state)[0]

    def sample_both(self, n: int, random_state: RandomState = None) -> tuple[Floats, Floats]:
        """(n, d) weights and (n,) variances of the noise, drawn together."""
        random = as_generator(random_state, "LinearPosterior")
        variance = np.full(n, self.noise)
        if np.isfinite(self.dof):
            variance = self.rate / random.gamma(self.dof / 2, size=n)
        normal = random.standard_normal((n, len(self.mean)))
        return self.mean + np.sqrt(variance)[:, None] * (normal @ self.spread.T), variance

    # ------------------------------------------------------------------ new numbers

    def leverages(self, X: Floats) -> Floats:
        """(n,) :math:`x^T(R^TR)^{-1}x`, what the weights' uncertainty adds, in units of the noise."""
        Z = X @ self.spread
        return np.einsum("ij,ij->i", Z, Z)

    def predict(self, X: ArrayLike) -> tuple[Floats, Floats]:
        """Mean and variance of a new number at each row of X; the variance includes the noise."""
        D = as_matrix(X, "LinearPosterior")
        return D @ self.mean, self.noise_variance * (1 + self.leverages(D))

    @property
    def noise_variance(self) -> float:
        """The expected variance of the noise; infinite up to 2 degrees of freedom."""
        return self.noise * _inflation(self.dof)

    def density(self, X: ArrayLike, estimate: str = "predictive") -> Any:
        """The distribution of a new number at each row of X.

        Parameters
        ----------
        X : (n, d)
        estimate : "predictive" averages over the belief; "map" takes the most probable weights as if they were known
        """
        one_of(estimate, ("predictive", "map"), "LinearPosterior", "estimate")
        D = as_matrix(X, "LinearPosterior")
        scale = np.sqrt(
            self.noise * (1 + (self.leverages(D) if estimate == "predictive" else np.zeros(len(D))))
        )
        return Normal(D @ self.mean, scale) if np.isinf(self.dof) else Student(D @ self.mean, scale, self.dof)


def root_of(precision: ArrayLike, d: int, who: str) -> Floats:
    """(d, d) upper triangular R with :math:`R^TR` the precision: a number, (d,) numbers from 0 up, or a matrix."""
    P = np.asarray(precision, dtype=np.float64)
    if P.ndim < 2:
        if P.shape not in ((), (1,), (d,)) or not (np.isfinite(P).all() and (P >= 0).all()):
            raise ParameterError(
                f"precision must be a number, {d} numbers from 0 up or a ({d}, {d}) matrix, got {precision!r:.80}.",
                who=who,
            )
        return np.diag(np.sqrt(np.broadcast_to(P, (d,))))
    if P.shape != (d, d) or not np.isfinite(P).all() or not np.allclose(P, P.T, rtol=1e-10, atol=0):
        raise ParameterError(
            f"precision must be a symmetric ({d}, {d}) matrix, got shape {P.shape}.", who=who
        )
    try:
        return np.asarray(np.linalg.cholesky(P).T, dtype=np.float64)
    except np.linalg.LinAlgError:
        raise ParameterError(
            "precision must be positive definite; some direction has none.", who=who
        ) from None


def _rows(
    X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, d: int
) -> tuple[Floats, Floats, float]:
    """Rows and numbers times the root of the weights, and how many there are."""
    who = "LinearPosterior"
    D, r = as_matrix(X, who), as_sample(y, who)
    if len(D) != len(r):
        raise DataError(f"X has {len(D)} rows and y has {len(r)}.", who=who)
    if D.shape[1] != d:
        raise DataError(f"X has {D.shape[1]} columns, the belief is about {d} weights.", who=who)
    w = check_weights(sample_weight, D, who)
    if w is None:
        return D, r, float(len(r))
    return D * np.sqrt(w)[:, None], r * np.sqrt(w), float(w.sum())


def _inflation(dof: float) -> float:
    """The variance of Student's t of unit scale."""
    return 1.0 if np.isinf(dof) else dof / (dof - 2) if dof > 2 else np.inf


def _quantile(dof: float, p: float) -> float:
    from scipy.special import ndtri, stdtrit

    return float(ndtri(p) if np.isinf(dof) else stdtrit(dof, p))
