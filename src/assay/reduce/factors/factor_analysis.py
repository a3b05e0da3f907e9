"""Factor analysis."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import chdtrc
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import dense_block
from assay.core.model_view import Part
from assay.core.moments import ClassScatter
from assay.core.new_columns import NumberedColumns
from assay.core.parameters import Array, Choice, Count, Flag, Range, Seed
from assay.core.stored import Boolean, FloatArray, Integer, Object, Plain, Scalar
from assay.core.sum_learner import SumLearner, WithoutTarget
from assay.core.sums import Block
from assay.errors import DataError, DegenerateError, DegenerateWarning, warn_user
from assay.reduce.components.explained_sums import ExplainedSums
from assay.reduce.components.pca import rows_of, scatter_of_block
from assay.reduce.factors.factor_fits import (
    FLOOR,
    FactorFit,
    by_em,
    by_likelihood,
    by_principal_axes,
    by_principal_components,
    vanishing,
)
from assay.reduce.factors.rotation import METHODS, rotate_loadings
from assay.types import RandomState, TableLike, Target

__all__ = ["FactorAnalysis"]

HEYWOOD = 100 * FLOOR  # share of its variance below which a column has next to none for itself


class FactorAnalysis(WithoutTarget, SumLearner, ExplainedSums, NumberedColumns):
    r"""Few hidden factors that explain how the columns vary together; each column has noise of its own besides.

    .. math:: x - \mu = Vz + \epsilon, \quad z \sim N(0, I),\; \epsilon_i \sim N(0, \psi_i), \qquad
              \Sigma = VV^T + \Psi                                                            \quad (1)

    Unlike principal components, factors explain what columns share (the communality, :math:`\sum_j v_{ij}^2`) and leave
    what is specific to each, :math:`\psi_i`, to itself; they do not depend on the units of the columns. The loadings V
    are unique up to a rotation. Names and attributes are scikit-learn's; by default the likelihood is maximised by
    quasi-Newton steps from the covariance matrix alone, so the answer is the maximum itself, where scikit-learn stops
    when a step gains less than ``tol``. The learner is a sum: ``partial_fit``, ``fit_blocks`` and Dask give the same
    numbers.

    Cost: fit O(n d^2) for the covariance matrix and O(d^3) a step, some 20 to 200 of them; transform O(d k) a row;
    memory O(d^2).

    Parameters
    ----------
    n_components : int or None, default None
        The number k of factors; None is that of the columns.
    tol : float, default 1e-2
        Iterations stop when the log-likelihood gains less. "ml" goes on to the maximum whatever it is.
    copy : bool, default True
        Accepted as scikit-learn's; X is never changed.
    max_iter : int, default 1000
    noise_variance_init : (d,) or None, default None
        First specific variances; None starts from those that the columns do not explain of each other.
    svd_method, iterated_power : "randomized" or "lapack", and int
        Accepted as scikit-learn's; the answer is exact.
    rotation : "varimax", "quartimax", "promax" or None, default None
        See :func:`rotate_loadings`.
    random_state : int, RandomState or None, default 0
        Accepted as scikit-learn's; nothing is drawn.
    method : "ml", "em", "axes" or "principal", default "ml"
        Maximum likelihood by quasi-Newton steps or by expectation and maximisation, iterated principal axes, or the
        principal-component method: :math:`V = CD^{1/2}` of the leading eigenvectors.
    standardize : bool, default False
        Whether loadings are those of standardised columns. "axes" and "principal" depend on it, likelihood does not.
    kaiser : bool, default False
        Whether rows of loadings are brought to length 1 while they are rotated.

    Attributes
    ----------
    components_ : (k, d) the loadings, transposed      noise_variance_ : (d,) the specific variances
    communalities_ : (d,) the variance of each column that the factors explain
    mean_ : (d,)      scale_ : (d,) standard deviations, if standardised
    loglike_ : log-likelihood of each step      n_iter_ : steps
    factor_correlation_ : (k, k), the identity unless the rotation is oblique
    statistic_, p_value_, degrees_of_freedom_ : Bartlett's test that k factors suffice; NaN if no degrees are left

    Examples
    --------
    >>> from assay.reduce import FactorAnalysis
    >>> from assay.tables.data import load_wine
    >>> factors = FactorAnalysis(n_components=2, rotation="varimax", standardize=True).fit(load_wine().X)
    >>> factors.communalities_[:5].round(3)      # how much of each column the two factors explain
    array([0.534, 0.237, 0.105, 0.158, 0.143])
    >>> bool(factors.p_value_ < 0.001)           # two are not enough
    True

    See Also
    --------
    PCA, rotate_loadings

    References
    ----------
    - Lawley, D. N. and Maxwell, A. E. (1971). Factor Analysis as a Statistical Method, second edition. Butterworths.
    - Rubin, D. B. and Thayer, D. T. (1982). EM algorithms for ML factor analysis. Psychometrika 47, 69-76.
    """

    card = Card("factor analysis", "hidden factors behind correlated columns", also=("factors",))
    accepts = {
        "n_components": Count(0) | None,
        "tol": Range(0),
        "copy": Flag(),
        "max_iter": Count(1),
        "noise_variance_init": Array(1, low=0) | None,
        "svd_method": Choice("randomized", "lapack"),
        "iterated_power": Count(0),
        "rotation": Choice(*METHODS) | None,
        "random_state": Seed(),
        "method": Choice("ml", "em", "axes", "principal"),
        "standardize": Flag(),
        "kaiser": Flag(),
    }
    stored = {
        "components_": FloatArray("m", "p", finite=True),
        "noise_variance_": FloatArray("p", low=0, finite=True),
        "communalities_": FloatArray("p", low=0, finite=True),
        "mean_": FloatArray("p", finite=True),
        "scale_": FloatArray("p", low=0, finite=True),
        "loglike_": Plain(list),
        "n_iter_": Integer(low=0),
        "factor_correlation_": FloatArray("m", "m", finite=True),
        "statistic_": Scalar(),
        "p_value_": Scalar(),
        "degrees_of_freedom_": Integer(low=-(2**31)),
        "_converged": Boolean(),
        "_sums": Object(ClassScatter),
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        tol: float = 1e-2,
        copy: bool = True,
        max_iter: int = 1000,
        noise_variance_init: Any = None,
        svd_method: str = "randomized",
        iterated_power: int = 3,
        rotation: str | None = None,
        random_state: RandomState = 0,
        method: str = "ml",
        standardize: bool = False,
        kaiser: bool = False,
    ):
        self.n_components = n_components
        self.tol = tol
        self.copy = copy
        self.max_iter = max_iter
        self.noise_variance_init = noise_variance_init
        self.svd_method = svd_method
        self.iterated_power = iterated_power
        self.rotation = rotation
        self.random_state = random_state
        self.method = method
        self.standardize = standardize
        self.kaiser = kaiser

    # Learning

    def _summarize(self, X: Any, y: Any, w: np.ndarray | None) -> ClassScatter:
        return scatter_of_block(Block(X, None, w))

    def _solve(self, sums: ClassScatter) -> None:
        n, d, who = rows_of(sums), sums.mean.shape[1], type(self).__name__
        if n < 2:
            raise DegenerateError(f"{who} needs at least 2 rows to measure a variance, got {n} sample.")
        S = sums.scatter[0] / sums.count[0]
        if not np.isfinite(S).all():
            raise DegenerateError(f"{who}: the squares of the columns overflow. Scale the columns first.")
        if vanishing(np.diag(S)):
            raise DegenerateError(f"{who}: the squares of the columns underflow. Scale the columns first.")
        k = d if self.n_components is None else self.n_components
        if k > d:
            raise DataError(f"{who}: n_components={k} factors are more than the {d} columns.")
        self._fit_matrix(S, k, sums.count[0], sums.mean[0])
        if self.n_components is not None:
            self._complain(k, d)

    def _fit_matrix(self, S: np.ndarray, k: int, n: float, mean: np.ndarray) -> None:
        """Fit k factors to the covariance matrix S, divisor n."""
        sd = np.sqrt(np.diag(S))
        varies = sd > 0
        sd[~varies] = 1.0
        unit = sd if self.method in ("ml", "em") or self.standardize else np.ones(len(sd))
        R = S / unit / unit[:, None]
        R[~varies, ~varies] = FLOOR  # a constant column is specific, with next to no variance
        fit = self._fit(R, k, n, unit)
        V, psi, constant = fit.V, fit.psi, 2 * float(np.sum(np.log(unit)))
        correlation = np.eye(k)
        if self.rotation is not None and k > 1:
            turned = rotate_loadings(V, self.rotation, kaiser=self.kaiser)
            V, correlation = turned.loadings, turned.correlation
        scale = np.ones(len(sd)) if self.standardize else unit
        self.mean_ = mean
        if self.standardize:
            self.scale_ = sd
        else:
            self.__dict__.pop("scale_", None)
        self.components_ = np.ascontiguousarray((V * scale[:, None]).T)
        self.noise_variance_ = psi * scale**2
        self.communalities_ = np.einsum("ij,jl,il->i", V, correlation, V) * scale**2
        self.factor_correlation_ = correlation
        const = len(S) * np.log(2 * np.pi) + constant
        self.loglike_ = [-n / 2 * (const + value) for value in fit.deviance]
        self.n_iter_, self._n_features_out, self._converged = len(fit.deviance), k, fit.converged
        self._test(fit.deviance[-1], R, k, n)

    def _fit(self, R: np.ndarray, k: int, n: float, unit: np.ndarray) -> FactorFit:
        start = self.noise_variance_init
        if start is not None:
            if len(start) != len(R):
                raise DataError(
                    f"{type(self).__name__}: noise_variance_init dimension does not fit: {len(start)} numbers for "
                    f"{len(R)} columns."
                )
            start = np.maximum(np.asarray(start, dtype=float) / unit**2, FLOOR)
        if k == 0:
            psi = np.diag(R).copy()
            return FactorFit(np.zeros((len(R), 0)), psi, [float(np.sum(np.log(psi)) + len(R))], True)
        if self.method == "principal":
            return by_principal_components(R, k)
        if self.method == "axes":
            return by_principal_axes(R, k, min(self.tol, 1e-8), self.max_iter)
        if self.method == "em":
            return by_em(R, k, 2 * self.tol / n, self.max_iter, start)
        return by_likelihood(R, k, 1e-14, self.max_iter, start)

    def _test(self, deviance: float, R: np.ndarray, k: int, n: float) -> None:
        """Bartlett's test of the hypothesis that k factors suffice."""
        d = len(R)
        self.degrees_of_freedom_ = ((d - k) ** 2 - (d + k)) // 2
        self.statistic_ = self.p_value_ = float("nan")
        sign, log_det = np.linalg.slogdet(R)
        if self.degrees_of_freedom_ > 0 and sign > 0:
            factor = n - 1 - (2 * d + 5) / 6 - 2 * k / 3
            self.statistic_ = max(0.0, factor * (deviance - float(log_det) - d))
            self.p_value_ = float(chdtrc(self.degrees_of_freedom_, self.statistic_))

    def _complain(self, k: int, d: int) -> None:
        who = type(self).__name__
        total = self.communalities_ + self.noise_variance_
        names = np.array(self._column_names())[self.noise_variance_ <= HEYWOOD * total]
        if k and len(names) and self.method in ("ml", "em"):
            warn_user(
                f"{who}: next to no variance is left that is specific to {', '.join(map(str, names[:5]))} (a Heywood "
                "case): factors repeat such columns. Try fewer factors.",
                DegenerateWarning,
            )
        if k and self.degrees_of_freedom_ < 0:
            warn_user(
                f"{who}: with n_components={k} there are more free loadings than covariances of {d} columns, so the "
                "data do not determine them. Try fewer factors.",
                DegenerateWarning,
            )
        if not self._converged:
            warn_user(
                f"{who} did not converge in {self.max_iter} iterations. Raise max_iter, or use method='ml'.",
                ConvergenceWarning,
            )

    # Answers

    def _deviations(self, X: Any) -> np.ndarray:
        return dense_block(X) - self.mean_

    def _weights(self) -> np.ndarray:
        return self.score_weights("model").T

    def _transform(self, X: Any) -> np.ndarray:
        return self._deviations(X) @ self.score_weights("model")

    def score_weights(self, covariance: str = "model") -> np.ndarray:
        r"""(d, k) the weights W of the scores :math:`z = W^T(x - \mu)`.

        Parameters
        ----------
        covariance : "model" or "sample"
            :math:`W = \Sigma^{-1}V` with the covariance matrix of the model, as scikit-learn has it, or
            :math:`S^{-1}V` with that of the training rows.
        """
        self._ready()
        unit = self._unit()
        if covariance == "model":
            V, psi, sd = self._standard()
            scaled = V / psi
            inner = np.linalg.inv(self.factor_correlation_) + scaled @ V.T
            return np.linalg.solve(inner, scaled).T / (sd * unit)[:, None]
        if covariance != "sample":
            raise DataError(
                f'{type(self).__name__}: covariance must be "model" or "sample", got {covariance!r}.'
            )
        S = self._sums.scatter[0] / self._sums.count[0] / unit / unit[:, None]
        structure = self.components_.T @ self.factor_correlation_
        return np.linalg.lstsq(S, structure, rcond=None)[0] / unit[:, None]

    def get_covariance(self) -> np.ndarray:
        """(d, d) the covariance matrix of the model, :math:`VV^T + \\Psi`."""
        self._ready()
        C = self.components_.T @ self.factor_correlation_ @ self.components_
        C.flat[:: len(C) + 1] += self.noise_variance_
        unit = self._unit()
        return C * unit * unit[:, None]

    def get_precision(self) -> np.ndarray:
        """(d, d) the inverse of the covariance matrix of the model."""
        self._ready()
        sd = self._standard()[2] * self._unit()
        R = self.get_covariance() / sd / sd[:, None]
        return np.linalg.inv(R) / sd / sd[:, None]  # a specific variance near 0 spoils shorter ways

    def score_samples(self, X: TableLike) -> np.ndarray:
        """(n,) the log density of each row under the model."""
        V, psi, sd = self._standard()
        A = self._deviations(self._admit(X)) / (sd * self._unit())
        scaled = V / psi
        inner = np.linalg.inv(self.factor_correlation_) + scaled @ V.T
        Z = np.linalg.solve(inner, scaled @ A.T).T  # the expected factors
        left = A - Z @ V
        square = np.einsum("ij,ij->i", left / psi, left)
        square += np.einsum("ij,ij->i", Z @ np.linalg.inv(self.factor_correlation_), Z)
        log_det = float(np.sum(np.log(psi)) + np.linalg.slogdet(inner)[1])
        log_det += float(np.linalg.slogdet(self.factor_correlation_)[1]) + 2 * float(
            np.sum(np.log(sd * self._unit()))
        )
        return -0.5 * (len(psi) * np.log(2 * np.pi) + log_det + square)

    def score(self, X: TableLike, y: Target | None = None) -> float:
        """The mean log density of the rows under the model; y is ignored."""
        return float(np.mean(self.score_samples(X)))

    def _unit(self) -> np.ndarray:
        return self.scale_ if "scale_" in vars(self) else np.ones(self.components_.shape[1])

    def _standard(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Loadings and specific variances of columns divided by the standard deviations of the model, and these."""
        sd = np.sqrt(self.communalities_ + self.noise_variance_)
        sd[sd == 0] = 1.0
        psi = self.noise_variance_ / sd / sd
        return self.components_ / sd, np.maximum(psi, np.finfo(float).tiny ** 0.5), sd

    # What it shows

    def _model_parts(self) -> list[Part]:
        names, factors = self._column_names(), self._names_out()[:10]
        rows: list[list[Any]] = [
            [
                name,
                *self.components_[: len(factors), j].tolist(),
                float(self.communalities_[j]),
                float(self.noise_variance_[j]),
            ]
            for j, name in enumerate(names[:30])
        ]
        heads = ["column", *factors, "communality", "specific"]
        explained = np.einsum("kj,kj->k", self.components_, self.components_)
        total = float((self.communalities_ + self.noise_variance_).sum()) or 1.0
        note = (
            "Share of variance: "
            + ", ".join(f"{f} {v / total:.1%}" for f, v in zip(factors, explained))
            + "."
        )
        if np.isfinite(self.p_value_):
            note += (
                f" That {self._n_features_out} factors suffice: chi-squared {self.statistic_:.4g} with "
                f"{self.degrees_of_freedom_} degrees of freedom, p = {self.p_value_:.3g}."
            )
        return [Section("Loadings", heads, rows, note)]

    def _column_names(self) -> list[str]:
        design = getattr(self, "design_", None)
        return self.schema_.names if design is None or design.plain else list(design.names)
