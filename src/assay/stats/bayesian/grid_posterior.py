"""Posterior of one parameter on a grid: any likelihood, any prior."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.seeds import as_generator
from assay.core.stored import FloatArray, Scalar
from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.checks import as_sample, tail_of
from assay.types import RandomState

Function = Callable[[NDArray[np.float64]], Any]


class GridPosterior:
    r"""Belief about a parameter after data, computed point by point.

    .. math:: p(\theta|x) = \frac{p(x|\theta)\,p(\theta)}{\int p(x|\theta')\,p(\theta')\,d\theta'}   \quad (1)

    with the integral by the trapezoidal rule. Point estimates:
    `ml` maximises the likelihood, `map` the posterior (both refined by a
    parabola through the best grid point and its neighbours), `mean` is the
    Bayes estimate, which minimises the expected squared error.

    Parameters
    ----------
    theta : (n,) increasing grid, at least 3 points
        Wide enough to hold the posterior, fine enough to draw it.
    log_likelihood : function of the grid, or array (n,)
        log p(x|theta), for the whole sample.
    log_prior : function of the grid, or array (n,), default None
        log p(theta), up to a constant; None is flat. ``logpdf`` of a heavy-tailed density is a robust prior, which
        gives way to data that contradict it: ``StudentT(0, 1, dof=3).logpdf``, ``Laplace(0, 1).logpdf``.

    Attributes
    ----------
    theta, density : (n,)      log_evidence : float (meaningful if the prior is a proper density)

    Examples
    --------
    Heads in 3 of 4 throws, flat prior: MAP = ML = 3/4, Bayes estimate 4/6.

    >>> grid = np.linspace(0.001, 0.999, 999)
    >>> belief = GridPosterior(grid, lambda p: 3 * np.log(p) + np.log(1 - p))
    >>> round(belief.map, 4), round(belief.ml, 4), round(belief.mean, 4)
    (0.75, 0.75, 0.6667)

    See Also
    --------
    BetaBernoulli, NormalMean, StudentT, Laplace, PriorMixture

    References
    ----------
    - Gelman, A., Carlin, J. B., Stern, H. S., Dunson, D. B., Vehtari, A. and Rubin, D. B. (2013). Bayesian Data
      Analysis, third edition. CRC Press.
    """

    storable = True
    stored = {
        "theta": FloatArray("m", ascending=True),
        "log_likelihood": FloatArray("m"),
        "log_prior": FloatArray("m"),
        "density": FloatArray("m"),
        "log_evidence": Scalar(),
    }

    def __init__(
        self,
        theta: ArrayLike,
        log_likelihood: Function | ArrayLike,
        log_prior: Function | ArrayLike | None = None,
    ):
        self.theta = as_sample(theta, "GridPosterior")
        if len(self.theta) < 3 or not (np.diff(self.theta) > 0).all():
            raise ParameterError("GridPosterior: theta must be at least 3 increasing numbers.")
        self.log_likelihood = self._on_grid(log_likelihood, "log_likelihood")
        self.log_prior = (
            np.zeros(len(self.theta)) if log_prior is None else self._on_grid(log_prior, "log_prior")
        )
        joint = self.log_likelihood + self.log_prior
        top = joint.max()
        if top == -np.inf:
            raise DegenerateError(
                "GridPosterior: every grid point has probability 0. Is the grid in the right place?"
            )
        area = np.trapezoid(np.exp(joint - top), self.theta)
        self.density = np.exp(joint - top) / area  # (1)
        self.log_evidence = float(top + np.log(area))

    @property
    def map(self) -> float:
        """Most probable value."""
        return self._peak(self.log_likelihood + self.log_prior)

    @property
    def ml(self) -> float:
        """Maximum-likelihood value."""
        return self._peak(self.log_likelihood)

    @property
    def mean(self) -> float:
        """Bayes estimate: the posterior mean."""
        return self.expect(self.theta)

    @property
    def var(self) -> float:
        return self.expect((self.theta - self.mean) ** 2)

    def expect(self, values: Function | ArrayLike) -> float:
        """Posterior expectation of a function of the parameter."""
        v = np.asarray(values(self.theta) if callable(values) else values, dtype=float)
        return float(np.trapezoid(v * self.density, self.theta))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Central credible interval."""
        tail = tail_of(level, "GridPosterior")
        low, high = np.interp([tail, 1 - tail], self._cumulative(), self.theta)
        return float(low), float(high)

    def hpd(self, level: float = 0.95) -> tuple[float, float]:
        """Shortest interval that holds the probability: the most probable values if there is one mode."""
        tail_of(level, "GridPosterior")
        cumulative = self._cumulative()
        upper = np.interp(cumulative + level, cumulative, self.theta, right=np.inf)
        first = int(np.argmin(upper - self.theta))
        return float(self.theta[first]), float(upper[first])

    def logpdf(self, theta: ArrayLike) -> NDArray[np.float64]:
        """Log density of the belief, between grid points by a line; minus infinity outside of the grid."""
        with np.errstate(divide="ignore"):
            points = np.asarray(theta, dtype=float)
            return np.log(np.interp(points, self.theta, self.density, left=0.0, right=0.0))

    def predictive(
        self, logpdf: Callable[[Any, NDArray[np.float64]], Any], x: ArrayLike
    ) -> NDArray[np.float64]:
        r"""Density of further data, :math:`\int p(x|\theta)\,p(\theta|\mathcal X)\,d\theta`.

        `logpdf(x, theta)` gives log p(x|theta) for one x and the whole grid.
        """
        points = np.atleast_1d(np.asarray(x, dtype=float))
        return np.array([self.expect(np.exp(logpdf(point, self.theta))) for point in points])

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[np.float64]:
        """n draws from the posterior."""
        return np.interp(
            as_generator(random_state, type(self).__name__).random(n), self._cumulative(), self.theta
        )

    def _cumulative(self) -> NDArray[np.float64]:
        steps = np.diff(self.theta) * (self.density[1:] + self.density[:-1]) / 2
        total = np.concatenate([[0.0], np.cumsum(steps)])
        return total / total[-1]

    def _on_grid(self, f: Function | ArrayLike, name: str) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            values = np.asarray(f(self.theta) if callable(f) else f, dtype=float)
        if values.shape != self.theta.shape or np.isnan(values).any() or (values == np.inf).any():
            raise DataError(
                f"GridPosterior: {name} must give {len(self.theta)} logarithms, finite or minus infinity, "
                f"got shape {values.shape}."
            )
        return values

    def _peak(self, logs: NDArray[np.float64]) -> float:
        k = int(np.argmax(logs))
        if k in (0, len(logs) - 1) or not np.isfinite(logs[k - 1 : k + 2]).all():
            return float(self.theta[k])
        a, b, c = self.theta[k - 1 : k + 2]
        up, down = (logs[k] - logs[k - 1]) / (b - a), (logs[k + 1] - logs[k]) / (c - b)
        if up == down:
            return float(b)
        # slopes hold at the midpoints of the two steps; a parabola's slope is linear between them
        return float((a + b) / 2 + up / (up - down) * (c - a) / 2)
