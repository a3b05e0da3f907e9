"""Bayesian logistic regression: a Gaussian posterior of the weights, and probabilities that know how sure they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card, Classifier, PassLearner
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues, dense_block
from assay.core.parameters import Array, Choice, Count, Flag, Range, Seed, check_count
from assay.core.scores import softmax
from assay.core.seeds import as_generator
from assay.core.stored import Each, FloatArray, Integer, Object, Scalar, TableRows
from assay.core.sums import Block, Rows, Source
from assay.errors import DataError, DegenerateError, warn_user
from assay.linear.affine import affine
from assay.linear.bayesian.laplace_fit import (
    GaussianPrior,
    Laplace,
    Shortcut,
    best_precision,
    laplace,
    unfinished,
)
from assay.linear.bayesian.logistic_normal import logistic_normal, pairwise_probit
from assay.linear.bayesian.posterior_table import PosteriorTable
from assay.linear.bayesian.precision_grid import PrecisionGrid, draw, marginals, precisions_of, total_variance
from assay.linear.inference.summary import constant_name
from assay.linear.linear_classifier import LinearClassifier
from assay.linear.logistic.logistic_objective import LogisticObjective, Scale
from assay.linear.logistic.row_sample import RowSample, survey
from assay.linear.regression.least_squares import intercept_kind
from assay.linear.terms import MAX_TERMS
from assay.optimize.objective import Record
from assay.stats.bayesian.draws import Draws
from assay.stats.bayesian.linear_posterior import LinearPosterior
from assay.stats.checks import tail_of
from assay.types import RandomState

__all__ = ["BayesianLogisticRegression"]

BLOCK_NUMBERS = 2**21  # of rows times draws times classes at a time
MOST_WEIGHTS = 6000  # of all classes together, whose curvature is a matrix
SAMPLE_ROWS = 1024  # of each class that are solved first: at least these,
SAMPLE_ROWS_PER_WEIGHT = 32  # for each weight these;
SAMPLE_FACTOR = 8  # so many times as many rows make that worth while
FARTHEST = 1e100  # a term's deviation, so that variances of scores are numbers
LARGEST = float(np.finfo(np.float64).max)


class BayesianLogisticRegression(PrecisionGrid, LinearClassifier, PassLearner, Classifier):
    r"""Logistic (softmax) regression whose weights have a posterior.

    Weights are :math:`N(m_0, S_0/\alpha)` beforehand. Their posterior is taken to be Gaussian around its mode, with the
    curvature there (Laplace's approximation):

    .. math:: q(w) = N(w_{MAP}, A^{-1}), \qquad A = \alpha S_0^{-1} + \sum_ip_i(1-p_i)\,x_ix_i^T            \quad (1)

    A probability is then an average over all weights that the data leave possible. With the mean
    :math:`\mu = w_{MAP}^Tx` and the variance :math:`\sigma^2 = x^TA^{-1}x` of the score it is, by the probit rule,

    .. math:: P(1\mid x) \approx \mathrm{sigmoid}\bigl(\mu\,/\sqrt{1+\pi\sigma^2/8}\bigr)                   \quad (2)

    so that far from the rows it returns to one half; the boundary of two classes stays where it is. For more classes
    the rule holds for each pair of them. Where classes are separable, maximum likelihood runs away; this does not.
    ``alpha="evidence"`` takes the precision under which the labels are most probable; a list of numbers is integrated
    out, each with its posterior probability (the evidence of its approximation, all being equally probable
    beforehand), and probabilities are averages over it. ``decision_function`` is then of the mean weights, whose sign
    may differ from ``predict`` next to the boundary.

    A step is a sum over rows, so that blocks and Dask give the same model.

    Cost: fit O(n d^2 K^2 + (d K)^3) a step, some 5 to 10 steps (for "evidence" some 15 times as many, for a list some 3
    more for each number); predict O(d^2 K^2) a row; memory O(n d + d^2 K^2) to fit, O(d^2 K^2) kept; of a list of G
    numbers G times as much.

    Parameters
    ----------
    alpha : float, "evidence" or list of float, default 1.0
        Precision of the weights; 1/C of LogisticRegression.
    m_0 : float or (D,), default 0
        Prior mean of the weights (of the constant first, if it is penalised), the same for all classes.
    S_0 : (D, D) or None
        Prior covariance of the weights, divided by alpha; None is the identity.
    fit_intercept : bool, default True
        Whether there is a constant.
    penalize_intercept : bool, default False
        Whether the constant has a prior as the weights have; else its prior is flat.
    predictive : "probit", "quadrature", "draws" or "map", default "probit"
        How probabilities average over the posterior: by (2); by numerical integration, exact for two classes (for more
        classes by draws); by draws; or not at all, at the mode.
    n_draws : int, default 1000
        For "draws", at each precision.
    max_iter : int, default 100
        Steps at most.
    tol : float, default 1e-8
        Stop once the gradient, divided by the number of rows, is no larger.
    random_state : default 0
        Of the draws, which are the same for all rows.

    Attributes
    ----------
    coef_ : (1, D) or (K, D) mode of the posterior (of a list the posterior mean)      intercept_ : (1,) or (K,)
    alpha_ : float, the precision (of a list its posterior mean)
    log_evidence_ : float, log probability of the labels, weights integrated out; of a list, averaged over it
    posteriors_ : LinearPosterior (with noise 1) of the constant and the weights, class after class, for each precision,
        with the probabilities ``probabilities_``
    posterior_ : the most probable of them
    grid_ : (G,) the precisions      grid_posterior_ : (G,) their probabilities
    n_iter_ : int      history_ : list of Record, minus the log posterior step by step, at the most probable precision

    Examples
    --------
    >>> from assay.linear import BayesianLogisticRegression
    >>> X, y = [[-2.0], [-1], [1], [2], [0.5]], [0, 0, 1, 1, 0]
    >>> model = BayesianLogisticRegression(fit_intercept=False).fit(X, y)
    >>> model.coef_.round(4), model.predict_proba([[1.0], [3.0]])[:, 1].round(4)
    (array([[0.8757]]), array([0.6929, 0.8439]))

    Where nothing is known of the precision, it is integrated out over a grid:

    >>> model = BayesianLogisticRegression([0.01, 0.1, 1, 10], fit_intercept=False).fit(X, y)
    >>> model.grid_posterior_.round(3), model.predict_proba([[1.0], [3.0]])[:, 1].round(4)
    (array([0.148, 0.334, 0.321, 0.198]), array([0.7107, 0.8198]))

    See Also
    --------
    LogisticRegression, BayesianLinearRegression

    References
    ----------
    - MacKay, D. J. C. (1992). The evidence framework applied to classification networks. Neural Computation 4(5),
      720-736.
    - Spiegelhalter, D. J. and Lauritzen, S. L. (1990). Sequential updating of conditional probabilities on directed
      graphical structures. Networks 20(5), 579-605.
    """

    card = Card(
        "bayesian logistic regression",
        "log odds with a posterior of the weights",
        also=("bayesian logistic", "laplace logistic"),
        scale=True,
        most_columns=500,
        learns=(
            "log odds linear in the columns, Gaussian weights",
            "negative log posterior",
            "Newton steps, Laplace's approximation",
            "global",
        ),
    )
    accepts = {
        "alpha": Range(0, open="both") | Choice("evidence") | Array(1, low=0, open="both"),
        "m_0": Range() | Array(1),
        "S_0": Array(2) | None,
        "fit_intercept": Flag(),
        "penalize_intercept": Flag(),
        "predictive": Choice("probit", "quadrature", "draws", "map"),
        "n_draws": Count(1),
        "max_iter": Count(1),
        "tol": Range(0, open="low"),
        "random_state": Seed(),
    }
    stored = {
        "coef_": FloatArray("K | 1", "p", finite=True) | TableRows("K | 1", "p"),
        "intercept_": FloatArray("K | 1", finite=True),
        "posterior_": Object(LinearPosterior),  # the only one, in model files of earlier versions
        "log_evidence_": Scalar(),
        "alpha_": Scalar(low=0),
        "n_iter_": Integer(low=0),
        "history_": Each(Object(Record)),
    }

    def __init__(
        self,
        alpha: ArrayLike = 1.0,
        *,
        m_0: ArrayLike | None = 0.0,
        S_0: ArrayLike | None = None,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        predictive: str = "probit",
        n_draws: int = 1000,
        max_iter: int = 100,
        tol: float = 1e-8,
        random_state: RandomState = 0,
    ):
        self.alpha = alpha
        self.m_0 = m_0
        self.S_0 = S_0
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.predictive = predictive
        self.n_draws = n_draws
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_stored(self) -> None:
        if not hasattr(self, "coef_"):
            return
        self._adopt_single()
        self._check_grid(self.coef_.shape[0] * (self.coef_.shape[1] + self.fit_intercept))

    # ------------------------------------------------------------------ learning

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._learn_from(Rows(X, y, w))

    def _learn_from(self, source: Source) -> None:
        who, K = type(self).__name__, len(self.classes_)
        if K < 2:
            raise DataError(
                f"{who}: y has one class, {self.classes_[0].item()!r}, expected at least 2 classes."
            )
        sums = survey(source, K, 0)
        d, F = len(sums.columns.mean), 1 if K == 2 else K
        quota = max(SAMPLE_ROWS, SAMPLE_ROWS_PER_WEIGHT * (d + 1) * F // K)
        if not sums.weight.sum() > 0:
            raise DataError(f"{who}: the weights of all rows are zero, so there is nothing to learn.")
        if self.fit_intercept and not self.penalize_intercept and not sums.weight.all():
            label = self.classes_[int(np.argmin(sums.weight))]
            raise DegenerateError(
                f"{who}: no row of class {label} has a weight above zero, so that a constant with a flat prior has no "
                "posterior. Drop the rows that do not weigh, or give the constant a prior: penalize_intercept=True."
            )
        if not np.isfinite(sums.columns.scatter).all():
            j = int(np.argmin(np.isfinite(sums.columns.scatter)))
            raise DataError(
                f"{who}: column {self._names[j]} has values too large to be squared. Divide them by 1e150."
            )
        if (d + 1) * F > MOST_WEIGHTS:
            raise DataError(
                f"{who}: {(d + 1) * F} weights, whose covariance would be too large; at most {MOST_WEIGHTS}. Drop "
                "columns, or use LogisticRegression."
            )
        mean, square = sums.columns.mean, sums.columns.scatter / sums.columns.total
        scale = Scale.of(mean, square, float(sums.weight.sum()), self.fit_intercept)
        objective = LogisticObjective(source, K, scale, strength=0.0, fit_intercept=self.fit_intercept)
        kind = intercept_kind(self.fit_intercept, self.penalize_intercept)
        prior = GaussianPrior.of(d, 1.0, self.m_0, self.S_0, kind, who)
        last: list[Laplace] = []

        def summed(v: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
            value, g, H = objective.hessian(v)  # means over the rows
            return scale.total * value, scale.total * g, scale.total * H

        shortcut = None
        if isinstance(source, Rows) and source.X.shape[0] >= SAMPLE_FACTOR * quota * K:
            sample = RowSample.of(Block(source.X, source.y, source.w), K, quota).rows()
            small = objective.over(sample)

            def few(v: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
                value, g, H = small.hessian(v)
                return scale.total * value, scale.total * g, scale.total * H

            def gradient(v: np.ndarray) -> tuple[float, np.ndarray]:
                value, g = objective.value_gradient(v)
                return scale.total * value, scale.total * g

            shortcut = Shortcut(few, gradient)

        def fit(alpha: float) -> Laplace:
            start = last[-1].inner if last else None
            last.append(
                laplace(
                    summed,
                    scale,
                    prior.scaled(alpha),
                    start,
                    scores=F,
                    constant=self.fit_intercept,
                    tol=self.tol,
                    max_iter=self.max_iter,
                    shortcut=shortcut,
                )
            )
            return last[-1]

        if isinstance(self.alpha, str):
            precisions = [best_precision(lambda a: fit(a).log_evidence)]
        else:
            precisions = precisions_of(self.alpha, "alpha", who)
        self._keep(precisions, [fit(alpha) for alpha in precisions], F)

    def _keep(self, precisions: list[float], fits: list[Laplace], F: int) -> None:
        kept = self._weigh(
            precisions, [fit.log_evidence for fit in fits], "no precision of the weights has an evidence."
        )
        self.posteriors_ = [fits[g].posterior for g in kept]
        self.alpha_ = float(self._expected([precisions[g] for g in kept]))
        mean = self._expected([posterior.mean for posterior in self.posteriors_])
        self.coef_, self.intercept_ = self._weights_of(mean.reshape(F, -1))
        best = fits[int(np.argmax(self.grid_posterior_))]
        self.history_, self.n_iter_ = best.history, len(best.history) - 1
        last = unfinished(fits[g] for g in kept)
        if last is not None:
            warn_user(
                f"{type(self).__name__} stopped after {last.iteration} steps with a gradient of {last.gradient:.2g}. "
                "Raise max_iter or tol.",
                ConvergenceWarning,
            )

    def _weights_of(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weights of the columns and the constants, from (F, p) of both."""
        constants = weights[:, 0].copy() if self.fit_intercept else np.zeros(len(weights))
        return weights[:, int(self.fit_intercept) :].copy(), constants

    # ------------------------------------------------------------------ probabilities

    def _posterior(self, X: Any) -> np.ndarray:
        rows = self._design(X)
        each = [p * self._probabilities(X, rows, posterior) for p, posterior in self._parts()]
        return each[0] if len(each) == 1 else np.sum(each, axis=0)

    def _probabilities(self, X: Any, rows: np.ndarray, posterior: LinearPosterior) -> np.ndarray:
        """(n, K) averages over one posterior."""
        weights = posterior.mean.reshape(-1, rows.shape[1])
        scores = affine(X, *self._weights_of(weights), self._admit)  # which refuses what is no number
        if self.predictive == "map":
            return softmax(scores) if scores.shape[1] > 1 else _both(logistic_normal(scores[:, 0], 0.0))
        spread = np.abs(posterior.spread).max(axis=1).reshape(-1, rows.shape[1]).max(axis=0)
        with np.errstate(over="ignore"):
            deviations = np.abs(rows) * spread
        far = np.minimum(deviations, LARGEST).max(axis=1, keepdims=True, initial=0.0) / FARTHEST
        if (
            far > 1
        ).any():  # squares would overflow; so uncertain, the probability depends on the direction alone
            rows, scores = rows / np.maximum(far, 1.0), scores / np.maximum(far, 1.0)
        if self.predictive == "draws" or (self.predictive == "quadrature" and scores.shape[1] > 1):
            return self._by_draws(rows, posterior)
        if scores.shape[1] == 1:
            deviation = np.sqrt(posterior.leverages(rows))
            if self.predictive == "quadrature":
                return _both(logistic_normal(scores[:, 0], deviation))
            return _both(logistic_normal(scores[:, 0] / np.sqrt(1 + np.pi / 8 * deviation**2), 0.0))  # (2)
        return pairwise_probit(scores, self._gap_variances(rows, posterior))

    def _choose(self, X: Any) -> np.ndarray:
        return np.argmax(self._posterior(X), axis=1)

    def _design(self, X: Any) -> np.ndarray:
        """(n, p) rows with a 1 for the constant first."""
        Z = dense_block(X).astype(np.float64)
        return np.column_stack((np.ones(len(Z)), Z)) if self.fit_intercept else Z

    def _gap_variances(self, rows: np.ndarray, posterior: LinearPosterior) -> np.ndarray:
        """(n, K, K) the variances of the differences of two scores."""
        n, p = rows.shape
        K = self.coef_.shape[0]
        parts = posterior.spread.reshape(K, p, -1)
        parts = parts - parts.mean(
            axis=0
        )  # what all scores share is in no difference, and known from the prior alone
        variances = np.empty((n, K, K))
        step = max(1, BLOCK_NUMBERS // (K * parts.shape[2]))
        for a in range(0, n, step):
            Z = np.einsum("ij,kjq->ikq", rows[a : a + step], parts, optimize=True)
            cross = np.einsum("ikq,ilq->ikl", Z, Z, optimize=True)
            squares = np.einsum("ikk->ik", cross)
            variances[a : a + step] = squares[:, :, None] + squares[:, None, :] - 2 * cross
        return np.maximum(variances, 0.0)

    def _by_draws(self, rows: np.ndarray, posterior: LinearPosterior) -> np.ndarray:
        """(n, K) probabilities averaged over the same draws for all rows."""
        F, p = self.coef_.shape[0], rows.shape[1]
        W = posterior.sample(self.n_draws, self.random_state).reshape(-1, F, p)
        out = np.empty((len(rows), max(F, 2)))
        step = max(1, BLOCK_NUMBERS // (len(W) * F))
        for a in range(0, len(rows), step):
            scores = np.einsum("ij,skj->isk", rows[a : a + step], W, optimize=True)
            if F == 1:
                out[a : a + step] = _both(logistic_normal(scores[:, :, 0], 0.0).mean(axis=1))
            else:
                each = softmax(scores.reshape(-1, F)).reshape(scores.shape)
                out[a : a + step] = each.mean(axis=1)
        return out

    # ------------------------------------------------------------------ what is believed

    def sample_coef(self, n: int = 1000, random_state: RandomState = None) -> Draws:
        """Independent draws from the posterior: "intercept", (1, n, F), and "coef", (1, n, F, D)."""
        self._ready()
        check_count(type(self).__name__, "the number of draws", n)
        random = as_generator(random_state, type(self).__name__)
        W = draw(self._parts(), int(n), random)[0].reshape(int(n), self.coef_.shape[0], -1)
        values = {"coef": W[None, :, :, int(self.fit_intercept) :]}
        return Draws({"intercept": W[None, :, :, 0], **values} if self.fit_intercept else values)

    def summary(self, level: float = 0.95) -> PosteriorTable:
        """The posterior of the constant and of each weight: mean, standard deviation, credible interval.

        Parameters
        ----------
        level : of the central credible intervals
        """
        self._ready()
        tail = tail_of(level, f"{type(self).__name__}.summary")
        constant = constant_name(self._names, self.fit_intercept)
        names = ([constant] if constant else []) + self._names
        if self.coef_.shape[0] > 1:
            names = [f"{label}: {name}" for label in self.classes_ for name in names]
        each = marginals(self._parts())
        return PosteriorTable(
            type(self).__name__,
            names,
            each.mean,
            each.sd,
            each.quantile(tail),
            each.quantile(1 - tail),
            1 - each.cdf(0.0),
            level,
            {"log evidence": self.log_evidence_, "precision of the weights (alpha)": self.alpha_},
        )

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        answers = self._choose(X)

        def uncertainty(i: int) -> list[Section]:
            block = X[i : i + 1]
            x, coef = self._design(block)[0], self._dense(self.coef_)
            F = len(coef)
            scores, labels = self._affine(block)[0], [str(label) for label in self.classes_]
            contrast = np.ones(1)  # of the scores: the second class, or the answer less the next class
            if F == 1:
                best, other, mean = labels[1], labels[0], float(scores[0])
            else:
                k = int(answers[i])
                j = int(np.argmax(np.where(np.arange(F) == k, -np.inf, scores)))
                best, other, mean = labels[k], labels[j], float(scores[k] - scores[j])
                contrast = np.zeros(F)
                contrast[[k, j]] = 1.0, -1.0
            shift = int(self.fit_intercept)
            products, (each, together) = (contrast @ coef) * x[shift:], self._term_deviations(x, contrast)
            order = np.argsort(-np.abs(products), kind="stable")[:MAX_TERMS]
            cells: list[list[Any]] = [
                [self._names[q], float(products[q]), float(each[shift + q])] for q in order
            ]
            cells.append(["all terms together", mean, together])
            plain = float(logistic_normal(np.array([mean]), 0.0)[0])
            which = "most probable" if len(self.posteriors_) == 1 else "mean"
            note = (
                f"Between the two, the {which} weights give {best} {plain:.4g}; averaged over all weights it is "
                "nearer to one half."
            )
            title = f"Uncertainty of the log odds of {best} against {other}"
            return [Section(title, ["term", "product", "sd"], cells, note)]

        return super()._reasons(X, rows).then(uncertainty)

    def _term_deviations(self, x: np.ndarray, contrast: np.ndarray) -> tuple[np.ndarray, float]:
        """The standard deviations of the terms of a contrast of the scores at a row, and that of their sum."""
        size, means, variances = max(float(np.abs(x).max(initial=0.0)), 1.0), [], []
        x = x / size  # squares of x itself may overflow
        for posterior in self.posteriors_:
            w = contrast @ posterior.mean.reshape(len(contrast), -1)
            S = np.tensordot(contrast, posterior.spread.reshape(len(contrast), len(x), -1), axes=1)
            means.append(np.append(w * x, w @ x))
            variances.append(np.append((np.linalg.norm(S, axis=1) * x) ** 2, np.sum((x @ S) ** 2)))
        deviations = size * np.sqrt(total_variance(self.probabilities_, means, variances))
        return deviations[:-1], float(deviations[-1])


def _both(p: np.ndarray) -> np.ndarray:
    return np.column_stack((1 - p, p))
