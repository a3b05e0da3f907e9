"""Bayesian model averaging: regressions of all subsets of the columns, each with its posterior probability."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Regressor
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.seeds import as_generator
from assay.core.stored import BoolArray, Each, FloatArray, IntArray, Object, Plain, Text
from assay.errors import ParameterError
from assay.linear.bayesian.basis import PolynomialTerms
from assay.linear.bayesian.compressed_rows import CompressedRows, CompressingLearner
from assay.linear.bayesian.posterior_regressor import PosteriorRegressor
from assay.linear.bayesian.precision_grid import total_variance
from assay.linear.bayesian.subset_evidence import SubsetEvidence, all_subsets, walk
from assay.stats.bayesian.linear_posterior import LinearPosterior
from assay.stats.bayesian.model_comparison import model_probabilities
from assay.stats.distributions.predictive import Mixture, Student
from assay.types import RandomState, TableLike

__all__ = ["ModelAveragingRegressor"]

KEPT_SHARE = 0.9999  # of the posterior probability, whose models are kept for predictions,
MOST_KEPT = 200  # and at most so many


class ModelAveragingRegressor(PolynomialTerms, CompressingLearner, PosteriorRegressor, Regressor):
    r"""Average the regressions of all subsets of the columns, by how probable each subset is.

    Choosing one model and forgetting the others overstates what is known. Here every model M counts with

    .. math:: P(M\mid y) \propto p(y\mid M)\,P(M)                                                          \quad (1)

    where the evidence p(y|M) has weights and noise integrated out and so pays for every column by itself. What comes
    out is an average prediction, and for each column its inclusion probability: the sum of (1) over the models that
    have it. The indicators of a nominal column are in a model together (with Zellner's prior all but one, which the
    others and the constant determine).

    Up to ``max_exact`` columns all subsets are looked at; of more columns a greedy search and then Metropolis steps
    that add, remove and swap columns (MC3) look for the probable ones, whose evidences are then (1), too.
    ``search="degrees"`` averages over polynomials of degree 0 to ``degree``. The rows enter through sums, so
    blocks, Dask and ``partial_fit`` give the same answer.

    Cost: fit O(n d^2 + 2^d d^3), or O(n d^2 + steps d^3) beyond ``max_exact``; predict O(models d^2) a row; memory
    O(n d + d^2) to fit, O(models d^2) kept.

    Parameters
    ----------
    prior : "g" or "gaussian", default "g"
        Of the weights: Zellner's :math:`N(0, g\sigma^2(X^TX)^{-1})`, or :math:`N(0, \sigma^2/\alpha)` each.
    g : float or None
        Of Zellner's prior; None is the sum of the row weights (unit information).
    alpha : float, default 1.0
        Of the other prior; scale the columns alike.
    inclusion : float or "uniform sizes", default "uniform sizes"
        Prior probability of each column; or all numbers of columns alike (beta-binomial), which guards against many
        columns.
    degree : int, default 1
        Highest degree of the products of columns.
    search : "auto", "exact", "mc3" or "degrees", default "auto"
    max_exact : int, default 14
        Columns (terms) up to which "auto" looks at all subsets.
    n_steps : int, default 5000
        Metropolis steps of "mc3".
    a_0, b_0 : float, default 1e-6
        Shape and rate of the gamma prior of the noise's precision.
    random_state : default 0
        Of the steps.

    Attributes
    ----------
    inclusion_ : (U,) posterior probability of each column or term      units_ : their names
    models_ : (M, U) bool, those looked at, the most probable first      probabilities_ : (M,)
    log_evidences_ : (M,)      log_evidence_ : float, averaged over the prior of the models
    coef_ : (D,) averaged, columns that are not in a model counting as 0      intercept_ : float
    posteriors_ : LinearPosterior of the models kept for predictions      search_ : what was done, as a sentence

    Examples
    --------
    >>> import numpy as np
    >>> from assay.linear import ModelAveragingRegressor
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 3))
    >>> model = ModelAveragingRegressor().fit(X, 2 * X[:, 0] + random.normal(size=200))
    >>> model.inclusion_.round(2), model.search_
    (array([1.  , 0.17, 0.11]), 'all 8 subsets of 3 columns')

    See Also
    --------
    BayesianLinearRegression, ARDRegression, Lasso

    References
    ----------
    - Raftery, A. E., Madigan, D. and Hoeting, J. A. (1997). Bayesian model averaging for linear regression models.
      Journal of the American Statistical Association 92, 179-191.
    - Liang, F., Paulo, R., Molina, G., Clyde, M. A. and Berger, J. O. (2008). Mixtures of g priors for Bayesian
      variable selection. Journal of the American Statistical Association 103, 410-423.
    """

    card = Card(
        "model averaging",
        "regressions of all subsets of the columns, by their probability",
        also=("bayesian model averaging", "bma"),
        scale=True,
        most_columns=100,
        learns=(
            "a mean of linear functions of all subsets of columns",
            "none: models are averaged by their evidence",
            "all subsets, or a Markov chain over them",
            "global",
        ),
    )
    accepts = {
        "prior": Choice("g", "gaussian"),
        "g": Range(0, open="low") | None,
        "alpha": Range(0, open="low"),
        "inclusion": Range(0, 1, open="both") | Choice("uniform sizes"),
        "degree": Count(1),
        "search": Choice("auto", "exact", "mc3", "degrees"),
        "max_exact": Count(0),
        "n_steps": Count(0),
        "a_0": Range(0, open="low"),
        "b_0": Range(0, open="low"),
        "random_state": Seed(),
    }
    stored = {
        "coef_": FloatArray("q", finite=True),
        "inclusion_": FloatArray("u", low=0),
        "units_": Plain(),
        "models_": BoolArray("m", "u"),
        "probabilities_": FloatArray("m", low=0),
        "log_evidences_": FloatArray("m"),
        "log_evidence_": Plain(),
        "posteriors_": Each(Object(LinearPosterior)),
        "_kept_columns": Each(IntArray("*", low=0)),
        "_kept_probabilities": FloatArray("*", low=0),
        "search_": Text(),
    }
    fit_intercept = True

    def __init__(
        self,
        *,
        prior: str = "g",
        g: float | None = None,
        alpha: float = 1.0,
        inclusion: float | str = "uniform sizes",
        degree: int = 1,
        search: str = "auto",
        max_exact: int = 14,
        n_steps: int = 5000,
        a_0: float = 1e-6,
        b_0: float = 1e-6,
        random_state: RandomState = 0,
    ):
        self.prior = prior
        self.g = g
        self.alpha = alpha
        self.inclusion = inclusion
        self.degree = degree
        self.search = search
        self.max_exact = max_exact
        self.n_steps = n_steps
        self.a_0 = a_0
        self.b_0 = b_0
        self.random_state = random_state

    def _check_stored(self) -> None:
        self._check_terms()
        if not hasattr(self, "posteriors_"):
            return
        sizes = [len(columns) + 1 for columns in self._kept_columns]
        if sizes != [len(q.mean) for q in self.posteriors_] or len(self._kept_probabilities) != len(sizes):
            raise ValueError("posteriors_, their columns and their probabilities do not fit together")
        if not sizes or len(self.units_) != len(self.inclusion_):
            raise ValueError("there must be a model, and a name for each unit")
        if any((columns >= len(self.coef_)).any() for columns in self._kept_columns):
            raise ValueError("a model has a column that is not there")

    def _summarize(self, X: Any, y: Any, w: Any) -> Any:
        self._check_single(y)
        return super()._summarize(X, y, w)

    def _infer(self, rows: CompressedRows) -> None:
        self._set_terms()
        units, self.units_ = self._grouped()
        evidence = SubsetEvidence(
            rows,
            units,
            None if self.prior == "gaussian" else float(rows.weight if self.g is None else self.g),
            float(self.alpha),
            float(self.a_0),
            float(self.b_0),
            self._log_prior(len(units)),
        )
        self._look(evidence, rows)
        self.models_, self.log_evidences_, joint = evidence.models()
        result = model_probabilities(joint)
        self.probabilities_ = result.posterior
        self.inclusion_ = self.probabilities_ @ self.models_
        top = float(joint.max())
        self.log_evidence_ = top + float(np.log(np.exp(joint - top).sum()))
        self._publish(rows, evidence)

    def _grouped(self) -> tuple[list[np.ndarray], list[str]]:
        """The columns of each unit, and its name: a column of the table, or a term of a polynomial."""
        if self.search == "degrees":
            total = self.powers_.sum(axis=1)
            degrees = range(1, self.degree + 1)
            return [np.flatnonzero(total == k) for k in degrees], [f"degree {k}" for k in degrees]
        if self.degree > 1:
            return [np.array([j]) for j in range(len(self.powers_))], self._terms()
        design = self.design_
        source, names = np.asarray(design.source), [column.name for column in design.schema]
        present = [k for k in range(len(names)) if (source == k).any()]
        return [np.flatnonzero(source == k) for k in present], [names[k] for k in present]

    def _log_prior(self, units: int) -> np.ndarray:
        """(units + 1,) log prior probability of one model with so many units."""
        from scipy.special import gammaln

        size = np.arange(units + 1)
        if self.search == "degrees":
            return np.full(units + 1, -np.log(units + 1))
        if isinstance(self.inclusion, str):
            ways = gammaln(units + 1) - gammaln(size + 1) - gammaln(units - size + 1)
            return -ways - np.log(units + 1)
        return size * np.log(self.inclusion) + (units - size) * np.log1p(-self.inclusion)

    def _look(self, evidence: SubsetEvidence, rows: CompressedRows) -> None:
        """Compute the evidences of the models that are worth it."""
        units = len(evidence.units)
        if self.search == "degrees":
            for k in range(units + 1):
                evidence(np.arange(units) < k)
            self.search_ = f"polynomials of degree 0 to {units}"
            return
        what = "columns" if self.degree == 1 else "terms"
        if self.search == "exact" and units > 24:
            raise ParameterError(
                f"{type(self).__name__}: {units} {what} have too many subsets for search='exact', which takes 24. Use "
                "search='mc3'."
            )
        if self.search == "exact" or (self.search == "auto" and units <= self.max_exact):
            for model in all_subsets(units):
                evidence(model)
            self.search_ = f"all {1 << units} subsets of {units} {what}"
            return
        rank = int(np.linalg.matrix_rank(rows.R / evidence.unit))
        largest = (
            units if self.prior == "gaussian" else max(0, min(units, rank - 1))
        )  # fewer than reach y exactly
        random = as_generator(self.random_state, type(self).__name__)
        accepted = walk(evidence, self.n_steps, largest, random)
        self.search_ = (
            f"{len(evidence.known)} subsets of {units} {what}, found by {self.n_steps} Metropolis steps of which "
            f"{100 * accepted:.0f} % were taken"
        )

    def _publish(self, rows: CompressedRows, evidence: SubsetEvidence) -> None:
        """The posteriors of the probable models, and the averaged weights."""
        share = np.cumsum(self.probabilities_)
        kept = min(int(np.searchsorted(share, KEPT_SHARE)) + 1, MOST_KEPT, len(share))
        self._kept_probabilities = self.probabilities_[:kept] / share[kept - 1]
        self._kept_columns = [evidence.columns(model) for model in self.models_[:kept]]
        self.posteriors_ = [self._posterior_of(rows, columns, evidence) for columns in self._kept_columns]
        means = np.sum([p * self._embedded(q.mean, c) for p, q, c in self._weighted_models()], axis=0)
        self.intercept_, self.coef_ = float(means[0]), means[1:]

    def _posterior_of(
        self, rows: CompressedRows, columns: np.ndarray, evidence: SubsetEvidence
    ) -> LinearPosterior:
        A, t = rows.with_constant()
        chosen = np.append(0, columns + 1)
        k = len(columns)
        root = np.zeros((k + 1, k + 1))
        if self.prior == "gaussian":
            root[1:, 1:] = np.sqrt(self.alpha) * np.eye(k)
        elif k:
            root[1:, 1:] = np.linalg.qr(rows.R[:, columns], mode="r") / np.sqrt(float(evidence.g or 1.0))
        prior = LinearPosterior(np.zeros(k + 1), root, self.b_0 / self.a_0, 2 * self.a_0)
        return prior.absorb(A[:, chosen], t, rows.weight, rows.outside)

    # ------------------------------------------------------------------ answers

    def _weighted_models(self) -> list[tuple[float, LinearPosterior, np.ndarray]]:
        return list(zip(self._kept_probabilities.tolist(), self.posteriors_, self._kept_columns))

    def _embedded(self, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """(..., D + 1) values of the constant and some columns among those of all, 0 for the others."""
        full = np.zeros((*values.shape[:-1], len(self.powers_) + 1))
        full[..., np.append(0, columns + 1)] = values
        return full

    @property
    def posterior_(self) -> LinearPosterior:  # type: ignore[override]
        """The posterior of the constant and the weights of the most probable model."""
        return self.posteriors_[0]

    def predict(self, X: TableLike, return_std: bool = False) -> Any:
        """(n,) the expected number for each row; with ``return_std`` also (n,) the standard deviation."""
        values = self._admit_to_answer(X)
        mean = self._predict(values)
        return (mean, self._distribution(values).sd) if return_std else mean

    def _distribution(self, X: Any) -> Any:
        rows = self._design_rows(X)
        parts = [q.density(rows[:, np.append(0, c + 1)]) for _, q, c in self._weighted_models()]
        return parts[0] if len(parts) == 1 else Mixture(parts, self._kept_probabilities)

    def _marginals(self) -> Any:
        parts = [
            Student(self._embedded(q.mean, c), self._embedded(q.scale, c), q.dof)
            for _, q, c in self._weighted_models()
        ]
        return Mixture(parts, self._kept_probabilities)

    def _draw(self, n: int, random_state: RandomState) -> tuple[np.ndarray, np.ndarray]:
        random, models = as_generator(random_state, type(self).__name__), self._weighted_models()
        counts = random.multinomial(self._number_of_draws(n), self._kept_probabilities)
        drawn = [(q.sample_both(int(m), random), c) for m, (_, q, c) in zip(counts, models) if m]
        order = random.permutation(int(counts.sum()))
        W = np.concatenate([self._embedded(values, c) for (values, _), c in drawn])
        return W[order], np.concatenate([variance for (_, variance), _ in drawn])[order]

    def _noise_is_known(self) -> bool:
        return all(np.isinf(q.dof) for _, q, _ in self._weighted_models())

    def _uncertain(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        rows, models = self._design_rows(X), self._weighted_models()
        parts = [(q, rows[:, np.append(0, c + 1)]) for _, q, c in models]
        means = [part @ q.mean for q, part in parts]
        variances = [q.noise_variance * q.leverages(part) for q, part in parts]
        noise = sum(p * q.noise_variance for p, q, _ in models)
        return total_variance(self._kept_probabilities, means, variances), np.full(len(rows), noise)

    def _named(self, model: np.ndarray) -> str:
        return (
            ", ".join(name for name, included in zip(self.units_, model) if included) or "the constant alone"
        )

    def _measures(self) -> dict[str, Any]:
        return {
            "models": self.search_,
            "probability of the best": float(self.probabilities_[0]),
            "expected number of columns": float(self.inclusion_.sum()),
            "log evidence": self.log_evidence_,
        }

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        def models(i: int) -> list[Section]:
            design = self._design_rows(X[i : i + 1])[0]
            cells = [
                [
                    ", ".join(np.array(self.units_)[model]) or "the constant alone",
                    p,
                    float(design[np.append(0, c + 1)] @ q.mean),
                ]
                for model, (p, q, c) in list(zip(self.models_, self._weighted_models()))[:6]
            ]
            return [Section("The most probable models", ["columns", "probability", "answer"], cells)]

        return super()._reasons(X, rows).then(models)
