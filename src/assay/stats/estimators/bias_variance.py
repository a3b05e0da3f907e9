"""The bias and the variance of regression models, by drawing many samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.sentence import Sentence
from assay.types import RandomState

__all__ = [
    "BiasVariance",
    "bias_variance",
    "constant_model",
    "first_model",
    "mean_model",
    "minimum_model",
    "polynomial_model",
]

Model = Callable[[NDArray[np.float64], NDArray[np.float64]], Callable[[NDArray[np.float64]], ArrayLike]]


@dataclass(frozen=True)
class BiasVariance(Sentence):
    """Result of `bias_variance`, one entry for each model.

    names : of the models      points : (P,) where the fits are compared      truth : (P,) f there
    fits : (m, M, P) every fit at every point
    bias_squared, variance, error : (m,); error = bias² + variance, without the noise
    """

    names: tuple[Any, ...]
    points: NDArray[np.float64]
    truth: NDArray[np.float64]
    fits: NDArray[np.float64]

    @property
    def mean_fits(self) -> NDArray[np.float64]:
        """(m, P) the average fit of each model."""
        return self.fits.mean(axis=1)

    @property
    def bias_squared(self) -> NDArray[np.float64]:
        return np.mean((self.mean_fits - self.truth) ** 2, axis=1)  # (1)

    @property
    def variance(self) -> NDArray[np.float64]:
        return np.mean(self.fits.var(axis=1), axis=1)  # (2)

    @property
    def error(self) -> NDArray[np.float64]:
        return self.bias_squared + self.variance

    @property
    def best(self) -> Any:
        """The name of the model with the smallest error."""
        return self.names[int(np.argmin(self.error))]

    def __str__(self) -> str:
        width = max(len(str(name)) for name in self.names)
        rows = zip(self.names, self.bias_squared, self.variance, self.error)
        lines = [f"{'model':<{max(width, 5)}}    bias²  variance    error"]
        lines += [f"{name!s:<{max(width, 5)}} {b:8.4f}  {v:8.4f} {e:8.4f}" for name, b, v, e in rows]
        return "\n".join(lines)


def bias_variance(
    f: Callable[[NDArray[np.float64]], ArrayLike],
    noise: float | Callable[[Any, int], ArrayLike],
    draw: Callable[[Any, int], ArrayLike],
    N: int,
    M: int,
    models: Mapping[Any, Any],
    points: ArrayLike | None = None,
    random_state: RandomState = None,
) -> BiasVariance:
    r"""Fit models to M samples of N rows each, and see how far their average is from f and how much they scatter.

    .. math:: \bar g(x) = \frac1M\sum_i g_i(x), \qquad
              \mathrm{bias}^2 = \frac1P\sum_t [\bar g(x^t) - f(x^t)]^2                         \quad (1)

    .. math:: \mathrm{variance} = \frac1{PM}\sum_t\sum_i [g_i(x^t) - \bar g(x^t)]^2            \quad (2)

    The expected squared error on new rows is noise + bias² + variance.

    Parameters
    ----------
    f : the true function of an array
    noise : standard deviation of Gaussian noise, or a function (random, n) that draws noise
    draw : function (random, n) that draws n inputs; for a fixed design return the same ones every time
    N, M : rows of a sample, and number of samples
    models : name to model; a model is a function (x, r) that returns the fitted function, or a learner with ``fit``
        and ``predict``, which gets x as one column
    points : (P,) where fits are compared; None takes N equally spaced ones over the range of what was drawn
    random_state : seed

    Examples
    --------
    The more flexible model has less bias and more variance.

    >>> from assay.stats.estimators.bias_variance import bias_variance, constant_model, mean_model
    >>> result = bias_variance(lambda x: 2 * np.sin(1.5 * x), 1.0, lambda random, n: random.uniform(0, 5, n), 20, 100,
    ...                       {"two": constant_model(2.0), "mean": mean_model}, random_state=0)
    >>> result.bias_squared[0] > result.bias_squared[1], result.variance[0] < result.variance[1]
    (np.True_, np.True_)

    See Also
    --------
    study_estimator

    References
    ----------
    - Geman, S., Bienenstock, E. and Doursat, R. (1992). Neural networks and the bias/variance dilemma. Neural
      Computation 4(1), 1-58. doi:10.1162/neco.1992.4.1.1
    """
    if N < 1 or M < 1 or not models:
        raise ParameterError(
            f"bias_variance: N, M and models must not be empty, got N={N}, M={M}, {len(models)} models."
        )
    random = as_generator(random_state, "bias_variance")
    samples = []
    for _ in range(M):
        x = _as_inputs(draw(random, N), N)
        e = np.asarray(
            noise(random, N) if callable(noise) else noise * random.normal(size=N), dtype=np.float64
        )
        samples.append((x, np.asarray(f(x), dtype=np.float64) + e))
    if points is None:
        points = np.linspace(min(x.min() for x, _ in samples), max(x.max() for x, _ in samples), N)
    at = np.asarray(points, dtype=np.float64)
    fits = np.empty((len(models), M, len(at)))
    for k, model in enumerate(models.values()):
        for i, (x, r) in enumerate(samples):
            fits[k, i] = _fitted(model, x, r, at)
    return BiasVariance(tuple(models), at, np.asarray(f(at), dtype=np.float64), fits)


def constant_model(value: float) -> Model:
    """A model that answers always the same: no variance, whatever bias.

    >>> from assay.stats import constant_model
    >>> constant_model(2.0)(np.zeros(3), np.zeros(3))(np.zeros(1))
    array([2.])
    """
    return lambda x, r: lambda at: np.full(len(at), float(value))


def mean_model(x: NDArray[np.float64], r: NDArray[np.float64]) -> Callable[[NDArray[np.float64]], ArrayLike]:
    """The mean of the sample's numbers.

    >>> from assay.stats import mean_model
    >>> mean_model(np.zeros(3), np.array([3.0, 1.0, 2.0]))(np.zeros(1))
    array([2.])
    """
    return lambda at: np.full(len(at), r.mean())


def first_model(x: NDArray[np.float64], r: NDArray[np.float64]) -> Callable[[NDArray[np.float64]], ArrayLike]:
    """The first of the sample's numbers: the bias of the mean, N times its variance.

    >>> from assay.stats import first_model
    >>> first_model(np.zeros(3), np.array([3.0, 1.0, 2.0]))(np.zeros(1))
    array([3.])
    """
    return lambda at: np.full(len(at), r[0])


def minimum_model(
    x: NDArray[np.float64], r: NDArray[np.float64]
) -> Callable[[NDArray[np.float64]], ArrayLike]:
    """The smallest of the sample's numbers: strongly biased, less variable than a single one.

    >>> from assay.stats import minimum_model
    >>> minimum_model(np.zeros(3), np.array([3.0, 1.0, 2.0]))(np.zeros(1))
    array([1.])
    """
    return lambda at: np.full(len(at), r.min())


def polynomial_model(degree: int) -> Model:
    """The least-squares polynomial of a degree.

    >>> from assay.stats import polynomial_model
    >>> polynomial_model(1)(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))(np.array([10.0])).round(9)
    array([21.])
    """
    from numpy.polynomial import Polynomial

    return lambda x, r: Polynomial.fit(x, r, degree)


def _fitted(model: Any, x: NDArray[np.float64], r: NDArray[np.float64], at: NDArray[np.float64]) -> ArrayLike:
    if hasattr(model, "fit"):
        from sklearn.base import clone

        model = clone(model)
        model.fit(x[:, None], r)
        return model.predict(at[:, None])
    return model(x, r)(at)


def _as_inputs(x: ArrayLike, n: int) -> NDArray[np.float64]:
    drawn = np.asarray(x, dtype=np.float64)
    if drawn.shape != (n,):
        raise DataError(f"bias_variance: draw must give {n} numbers, got shape {drawn.shape}.")
    return drawn
