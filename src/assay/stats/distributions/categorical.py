"""Categorical: a variable with one of K named values."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.seeds import as_generator
from assay.core.stored import AnyArray, Boolean, FloatArray, Plain, Scalar
from assay.core.targets import check_weights, is_missing
from assay.errors import DataError, ParameterError, spoken_as
from assay.stats.bayesian.smoothing import smoothed_frequencies
from assay.stats.distributions.density import Density
from assay.tables.row_names import row_name
from assay.types import RandomState


class Categorical(Density):
    r"""The distribution of a variable with K values, estimated by relative frequencies.

    .. math:: P(x = v_i) = p_i, \qquad
              \hat p_i = \frac{\sum_{x_t = v_i} w_t + \alpha}{\sum_t w_t + \alpha K}   \quad (1)

    With alpha = 0 this is maximum likelihood, the relative frequencies. It
    is a multinomial of one trial. A value outside the domain
    has probability 0.

    Parameters
    ----------
    p : array of K probabilities, default None
        None gives every category the same probability.
    categories : sequence of K values, default None
        The domain: declare it, since a value that this sample lacks may exist
        all the same. None means 0..K-1 when p is given, else the distinct
        values that `fit` finds, sorted.
    alpha : float, not negative, default 0
        Pseudo-count of each category used by `fit`; 1 is Laplace's rule.

    Attributes
    ----------
    mean, var : (K,)
        Mean and variance of the indicator of each category: p and p(1-p).

    Examples
    --------
    >>> colours = ["green", "yellow", "yellow-green"]
    >>> fuji = Categorical(categories=colours, alpha=1)
    >>> fuji = fuji.fit(["yellow", "yellow-green", "yellow-green", "yellow", "yellow-green", "yellow-green"])
    >>> (fuji.p * 9).round(12)
    array([1., 3., 5.])
    >>> fuji.pdf(["green", "blue"]).round(4)
    array([0.1111, 0.    ])
    """

    stored = {
        "p": FloatArray("k", low=0) | Plain((list, tuple)) | None,
        "categories": AnyArray("k") | Plain((list, tuple)) | None,
        "declared": Boolean(),
        "alpha": Scalar(low=0),
    }

    def __init__(
        self, p: ArrayLike | None = None, *, categories: ArrayLike | None = None, alpha: float = 0.0
    ):
        if not 0 <= alpha < np.inf:
            raise ParameterError(f"Categorical: alpha must not be negative, got {alpha}.")
        if p is not None:
            p = np.asarray(p, dtype=float)
            if p.ndim != 1 or not (p >= 0).all() or not abs(p.sum() - 1) <= 1e-8:
                raise ParameterError(f"Categorical: p must be probabilities that sum to 1, got {p}.")
        if categories is None and p is not None:
            categories = np.arange(len(p))
        if categories is not None:
            categories = distinct(categories, "Categorical")
            p = np.full(len(categories), 1 / len(categories)) if p is None else p
            if len(p) != len(categories):
                raise ParameterError(
                    f"Categorical: got {len(p)} probabilities for {len(categories)} categories."
                )
        self.p = p
        self.categories = categories
        self.declared = categories is not None  # else every fit finds the domain anew
        self.alpha = float(alpha)

    @property
    def mean(self) -> NDArray[np.float64]:
        return self._known()

    @property
    def var(self) -> NDArray[np.float64]:
        return self._known() * (1 - self._known())

    def fit(self, x: ArrayLike, weights: ArrayLike | None = None) -> Self:
        if not self.declared:
            self.categories = np.unique(_labels(x))
        counts = count_categories(x, self.categories, weights, "Categorical")
        self.p = smoothed_frequencies(counts, self.alpha)  # (1)
        return self

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            logs = np.append(np.log(self._known()), -np.inf)  # the last: outside the domain
        codes = encode(x, self.categories)
        return logs[codes]

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[Any]:
        codes = as_generator(random_state, type(self).__name__).choice(len(self._known()), size=n, p=self.p)
        return np.asarray(self.categories)[codes]

    def _known(self) -> NDArray[np.float64]:
        if self.p is None:
            raise ParameterError("Categorical: no probabilities yet. Give p or categories, or call fit.")
        return np.asarray(self.p)


def distinct(categories: ArrayLike, who: str) -> NDArray[Any]:
    """The categories as an array; each may occur once."""
    values = _labels(categories)
    if values.ndim != 1 or not len(values):
        raise DataError(f"expected at least one category, got shape {values.shape}.", who=who)
    if len(np.unique(values)) < len(values):
        raise DataError(f"a category occurs twice in {values.tolist()}.", who=who)
    return values


def encode(x: ArrayLike, categories: Any) -> NDArray[np.int64]:
    """Position of every x in the categories, -1 where it is none of them."""
    values, categories = _labels(x), np.asarray(categories)
    if values.dtype.kind in "fiub" and categories.dtype.kind not in "fiub":
        return np.full(values.shape, -1)
    if values.dtype.kind not in "fiub" and categories.dtype.kind in "fiub":
        return np.full(values.shape, -1)
    order = np.argsort(categories)
    place = np.minimum(np.searchsorted(categories, values, sorter=order), len(categories) - 1)
    codes = order[place]
    return np.where(categories[codes] == values, codes, -1)


def count_categories(
    x: ArrayLike, categories: Any, weights: ArrayLike | None, who: str
) -> NDArray[np.float64]:
    """Weighted count of every category; a value outside the domain is an error."""
    with spoken_as(who, "Categorical"):
        codes = encode(x, categories)
    if codes.ndim != 1 or not len(codes):
        raise DataError(f"expected a non-empty one-dimensional sample, got shape {codes.shape}.", who=who)
    if (codes < 0).any():
        i = int(np.argmin(codes))
        raise DataError(
            f"{row_name(i)} is {_labels(x)[i].item()!r}, which is none of the categories "
            f"{np.asarray(categories).tolist()}. Add it to categories or drop the row.",
            who=who,
        )
    w = check_weights(weights, len(codes), who, "weights")
    return np.bincount(codes, weights=w, minlength=len(categories)).astype(float)


def _labels(x: ArrayLike) -> NDArray[Any]:
    """The values as an array of numbers or of text; a missing one is an error, not a category."""
    labels = x if isinstance(x, np.ndarray) else np.asarray(x, dtype=object)
    if labels.dtype.kind == "O":
        missing = np.array([is_missing(value) for value in labels.flat], dtype=bool)
        values = np.asarray(labels.tolist()) if not missing.any() else labels
    else:
        values = labels
        missing = np.isnan(labels).ravel() if labels.dtype.kind == "f" else np.zeros(labels.size, dtype=bool)
    if missing.any():
        raise DataError(
            f"{row_name(int(missing.argmax()))} is missing ({int(missing.sum())} in all). "
            "Drop those rows, or give missingness a name of its own.",
            who="Categorical",
        )
    return values.astype(str) if values.dtype.kind == "O" else values
