"""Classifiers whose class densities are mixtures: one for each class, or one for all with some labels known."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from scipy.special import logsumexp

from assay.core import Card, Generative
from assay.core.parameters import Any_, Choice, Count, Range, Seed, check_count
from assay.core.seeds import LARGEST_SEED, random_state_of
from assay.core.stored import Each, FloatArray, IntArray, Object
from assay.errors import DataError, ParameterError
from assay.mixture.gaussian_mixture import GaussianMixture
from assay.mixture.shaped_covariances import FORMS
from assay.types import RandomState

__all__ = ["MixtureClassifier"]


class MixtureClassifier(Generative):
    r"""Each class a mixture of Gaussians with its own number of components.

    .. math:: p(x \mid C_i) = \sum_{j=1}^{k_i} \pi_{ij} N(x; \mu_{ij}, \Sigma_{ij}), \qquad
              \text{decide by}\ \max_i P(C_i)\, p(x \mid C_i)                                           \quad (1)

    A class with several modes (a digit written in two ways) is described as such. With one full Gaussian a class this
    is quadratic discriminant analysis with maximum-likelihood covariances. With ``n_components="auto"`` the number of
    each class is chosen, one class after the other, by cross-validated log posterior of the right class. Missing values
    are left out of the densities, as :class:`GaussianMixture` says; every class needs some value in each column.

    Cost: fit that of one mixture a class (times sizes and folds for "auto"); predict O(K k d^2) a row; memory
    O(K k d^2).

    Parameters
    ----------
    n_components : int, list of int or "auto", default 1
        Of all classes, or of each in the order of ``classes_``.
    max_components : int, default 4
        The most that "auto" tries.
    covariance_type : as GaussianMixture, default "full"
        Within a class.
    reg_covar : float, default 1e-6
    n_init : int, default 1
    max_iter : int, default 200
    folds : int, default 5
        Of "auto".
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    classes_ : (K,)      class_prior_ : (K,)      mixtures_ : list of GaussianMixture      n_components_ : (K,)
    n_iter_ : int, of the slowest mixture

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.mixture import MixtureClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> int((MixtureClassifier(1).fit(X, y).predict(X) == y).sum())
    147

    See Also
    --------
    GaussianMixture, QuadraticDiscriminantAnalysis, SemiSupervisedMixture

    References
    ----------
    - Hastie, T. and Tibshirani, R. (1996). Discriminant analysis by Gaussian mixtures. Journal of the Royal Statistical
      Society B 58(1), 155-176. doi:10.1111/j.2517-6161.1996.tb02073.x
    """

    card = Card(
        "mixture classifier",
        "each class a sum of Gaussians",
        also=("mda",),
        suits="on request",
        learns=(
            "a mixture of Gaussians of each class",
            "negative log joint likelihood",
            "expectation and maximisation by turns",
            "local",
        ),
    )
    takes = frozenset({"missing"})
    accepts = {
        "n_components": Count(1) | Choice("auto") | Any_("a list of whole numbers", lambda v: _is_sizes(v)),
        "max_components": Count(1),
        "covariance_type": Choice(*FORMS),
        "reg_covar": Range(0, open="high"),
        "n_init": Count(1),
        "max_iter": Count(1),
        "folds": Count(2),
        "random_state": Seed(),
    }
    stored = {
        "class_prior_": FloatArray("K", low=0),
        "mixtures_": Each(Object(GaussianMixture), "K"),
        "n_components_": IntArray("K", low=1),
    }

    def __init__(
        self,
        n_components: int | Sequence[int] | str = 1,
        *,
        max_components: int = 4,
        covariance_type: str = "full",
        reg_covar: float = 1e-6,
        n_init: int = 1,
        max_iter: int = 200,
        folds: int = 5,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.max_components = max_components
        self.covariance_type = covariance_type
        self.reg_covar = reg_covar
        self.n_init = n_init
        self.max_iter = max_iter
        self.folds = folds
        self.random_state = random_state

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        X = np.ascontiguousarray(X, dtype=np.float64)
        K, who = len(self.classes_), type(self).__name__
        weights = np.ones(len(X)) if w is None else w
        self.class_prior_ = np.bincount(y, weights, K) / weights.sum()
        draw = random_state_of(self.random_state)
        seed = int(draw.randint(2**31 - 1))
        if isinstance(self.n_components, str):
            sizes = self._chosen_sizes(X, y, w, draw, seed)
        else:
            sizes = [int(v) for v in np.atleast_1d(self.n_components)]
            sizes = sizes * K if len(sizes) == 1 else sizes
        if len(sizes) != K:
            raise ParameterError(f"n_components must be one number, or {K}: one for each class.", who=who)
        self.n_components_ = np.array(sizes, dtype=np.int64)
        self._check_columns(X, y, weights)
        parts = [(X[y == k], None if w is None else w[y == k]) for k in range(K)]
        self.mixtures_ = [self._mixture(*part, size, seed) for part, size in zip(parts, sizes)]
        self.n_iter_ = max(mixture.n_iter_ for mixture in self.mixtures_)

    def _check_columns(self, X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> None:
        lacking = np.argwhere(_lacking(X, y, weights, len(self.classes_)))
        if len(lacking):
            k, j = lacking[0]
            raise DataError(
                f"no row of class {self.classes_.tolist()[k]!r} has a value in column {self._names[j]!r}, so the "
                "class says nothing about it. Leave the column out, or impute it.",
                who=type(self).__name__,
            )

    def _mixture(self, X: np.ndarray, w: Any, size: int, seed: int) -> GaussianMixture:
        import warnings

        from sklearn.exceptions import ConvergenceWarning

        if w is not None:
            X, w = X[w > 0], w[w > 0]
        if len(X) < size:
            raise DataError(
                f"a class has {len(X)} rows, fewer than its {size} components.", who=type(self).__name__
            )
        if len(X) == 1:  # a class of one row is a point; the covariance is what reg_covar says
            X, w = np.repeat(X, 2, axis=0), None
        model = GaussianMixture(
            min(size, len(X)),
            covariance_type=self.covariance_type,
            reg_covar=self.reg_covar,
            n_init=self.n_init,
            max_iter=self.max_iter,
            random_state=seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(X, sample_weight=w)

    def _chosen_sizes(self, X: Any, y: Any, w: Any, draw: np.random.RandomState, seed: int) -> list[int]:
        """For each class in turn, the number of components whose held-out log posterior is best."""
        from sklearn.model_selection import StratifiedKFold

        K = len(self.classes_)
        weights = np.ones(len(X)) if w is None else w
        folds = min(self.folds, int(np.bincount(y, minlength=K).min()))
        if folds < 2:
            return [1] * K
        splits = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y))
        splits = [
            split for split in splits if not _lacking(X[split[0]], y[split[0]], weights[split[0]], K).any()
        ]
        if not splits:
            return [1] * K
        sizes = [1] * K
        cache: dict[tuple[int, int, int], np.ndarray] = {}

        def density(f: int, k: int, size: int) -> np.ndarray:
            if (f, k, size) not in cache:
                train, test = splits[f]
                rows = train[y[train] == k]
                model = self._mixture(X[rows], None if w is None else w[rows], min(size, len(rows)), seed)
                cache[f, k, size] = model.score_samples(X[test])
            return cache[f, k, size]

        def quality(chosen: list[int]) -> float:
            total = 0.0
            for f, (_, test) in enumerate(splits):
                logs = np.column_stack([density(f, k, size) for k, size in enumerate(chosen)])
                logs = logs + np.log(np.maximum(self.class_prior_, 1e-300))
                logs = logs - logsumexp(logs, axis=1, keepdims=True)
                right = np.maximum(logs[np.arange(len(test)), y[test]], -700.0)
                total += float(right.sum() if w is None else right @ w[test])
            return total

        for k in range(K):
            options = range(1, min(self.max_components, int((y == k).sum() * (folds - 1) // folds)) + 1)
            scores = [quality([*sizes[:k], size, *sizes[k + 1 :]]) for size in options]
            sizes[k] = int(options[int(np.argmax(scores))]) if scores else 1
        return sizes

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
        """Rows drawn from the mixtures of their classes, (n_samples, d), and (n_samples,) classes."""
        self._ready()
        check_count(type(self).__name__, "n_samples", n_samples)
        draw = random_state_of(random_state)
        y = draw.choice(len(self.classes_), size=n_samples, p=self._prior())
        X = np.empty((n_samples, self.mixtures_[0].means_.shape[1]))
        for k in np.unique(y):
            rows, mixture = np.flatnonzero(y == k), copy(self.mixtures_[k])
            mixture.random_state = int(draw.randint(LARGEST_SEED))
            X[draw.permutation(rows)] = mixture.sample(len(rows))[0]  # which come component after component
        return X, self.classes_[y]

    def _log_joint(self, X: Any) -> np.ndarray:
        X = np.ascontiguousarray(X, dtype=np.float64)
        with np.errstate(divide="ignore"):
            prior = np.log(self.class_prior_)
        return np.column_stack([mixture.score_samples(X) for mixture in self.mixtures_]) + prior


def _lacking(X: np.ndarray, y: np.ndarray, weights: np.ndarray, K: int) -> np.ndarray:
    """(K, p) whether no row of a class has a value in a column."""
    known = ~np.isnan(X)
    return np.array([~known[(y == k) & (weights > 0)].any(axis=0) for k in range(K)])


def _is_sizes(value: Any) -> bool:
    try:
        numbers = np.asarray(value)
    except ValueError:
        return False
    return (
        numbers.ndim == 1 and numbers.dtype.kind in "iu" and len(numbers) > 0 and bool((numbers >= 1).all())
    )
