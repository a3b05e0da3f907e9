"""Naive Bayes on mixed tables: one distribution family per column."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

import assay.bayes._counts as _counts
from assay.bayes.counts import CategoryCounts, class_shares, extent
from assay.bayes.derivation import Number, derivation, look_up, priors, rational, share
from assay.bayes.drawing import as_table, draw_classes, draw_rows
from assay.bayes.gaussian_classifier import check_overflow
from assay.bayes.gaussian_columns import gaussian_columns, gaussian_logs
from assay.bayes.informativeness import ranked_columns
from assay.bayes.mixed_sums import NUMBERS, MixedSums, mixed_sums
from assay.bayes.naive_tables import naive_tables, naive_text
from assay.core import Card, Generative, SumLearner
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.parameters import Any_, Choice, Range, Simplex
from assay.core.seeds import random_state_of
from assay.core.stored import CodeArray, Each, FloatArray, Mapped, Object, Scalar, Text
from assay.errors import DataError, DegenerateWarning, ParameterError, SchemaWarning, warn_user
from assay.tables import row_name
from assay.types import Priors, RandomState

WORDS = ("auto", "gaussian", "categorical", "bernoulli")


def _is_density(family: Any) -> bool:
    return (
        isinstance(family, type) or (hasattr(family, "fit") and hasattr(family, "logpdf")) or callable(family)
    )


def _is_family(value: Any) -> bool:
    return value in WORDS if isinstance(value, str) else _is_density(value)


class NaiveBayes(SumLearner, Generative):
    r"""Classify raw tables of numbers, categories and missing values, with one distribution family per column.

    Given the class, the columns are taken to be independent, so their densities multiply, whatever they are:

    .. math:: P(k, x) = P(k) \prod_{j:\, x_j \text{ is there}} p_j(x_j|k)              \quad (1)

    By default numbers are Gaussian, numbers that are all 0 or 1 are Bernoulli, and text and categories are
    categorical:

    .. math:: N(x_j;\ \mu_{kj},\ \sigma^2_{kj} + \varepsilon), \qquad
              P(x_j = v|k) = \frac{n_{kjv} + \alpha}{n_{kj} + \alpha m_j}              \quad (2)

    with means and variances by maximum likelihood (divisor n) and :math:`\varepsilon` as in GaussianNB.
    A missing entry is left out of the product, in learning as in predicting, and so is a category that was
    not there in ``fit``; a column that is missing in all rows is ignored.

    Degenerate columns: a Gaussian column without variance in one class takes its variance over all
    classes, one that a class has no entry for takes mean and variance over all classes (both with a
    ``DegenerateWarning``), and one that is constant everywhere is left out.

    Cost: fit O(n d) in one pass; predict O(d K) a row; memory O(d K), blocks of rows are not kept.

    Parameters
    ----------
    families : "auto", or a family for all columns, or a mapping of column names (or positions) to families
        A family is "gaussian", "categorical", "bernoulli", "auto", or a density: an object or a class with
        ``fit(x, weights)`` and ``logpdf(x)``, such as those of :mod:`assay.stats`; each class gets a copy of its
        own. Columns that the mapping leaves out are "auto". A column with a density keeps its entries
        in memory, one number a row; all others are sums. A number column declared "categorical" holds
        codes 0, 1, 2, ...
    alpha : float, default 1
        Pseudo-count of each category and of both outcomes of a binary column; 0 is plain frequencies.
    var_smoothing : float, default 1e-9
        The share of the largest Gaussian column's variance that is added to all variances.
    priors : array of K probabilities, default None
        Class priors; None takes the classes' shares of the rows.
    zero_evidence : "prior" or "raise", default "prior"
        What to do with a row that has probability 0 in every class: answer by the prior with a
        ``DegenerateWarning``, or raise a ``DegenerateError``.

    Attributes
    ----------
    families_ : dict of column name to the family in use ("none" for an uninformative column)
    tables_ : dict of column name to what was learned, in the columns' own names
    class_count_ : (K,)      class_prior_ : (K,)      classes_ : (K,)
    category_count_, feature_log_prob_ : lists of d arrays (K, m_j), m_j = 0 if column j is not discrete
    theta_, var_ : (K, g) of the Gaussian columns      epsilon_ : float
    densities_ : dict of column name to K densities

    Examples
    --------
    >>> import pandas as pd
    >>> apples = pd.DataFrame({"taste": ["sweet", "sour", "sour", "sour"], "weight": [200.0, 220, 150, None]})
    >>> model = NaiveBayes().fit(apples, ["Fuji", "Fuji", "Guoguang", "Guoguang"])
    >>> model.predict_proba(pd.DataFrame({"taste": ["sweet"], "weight": [None]})).round(3)
    array([[0.667, 0.333]])

    See Also
    --------
    GaussianNB, CategoricalNB, JointBayes

    References
    ----------
    - Domingos, P. and Pazzani, M. (1997). On the optimality of the simple Bayesian classifier under zero-one loss.
      Machine Learning 29, 103-130. doi:10.1023/A:1007413511361
    - John, G. H. and Langley, P. (1995). Estimating continuous distributions in Bayesian classifiers. Uncertainty
      in Artificial Intelligence, 338-345.
    """

    card = Card(
        "naive bayes",
        "columns independent within a class: Gaussian numbers, counted categories",
        also=("nb",),
        suits="any",
        learns=(
            "independent densities and category shares of each class",
            "negative log joint likelihood",
            "counts and moments",
            "analytic",
        ),
    )
    accepts = {
        "families": Any_(
            'one of "auto", "gaussian", "categorical", "bernoulli", a density with fit() and logpdf(), or a mapping '
            "of columns to these",
            lambda v: all(map(_is_family, v.values())) if isinstance(v, Mapping) else _is_family(v),
        ),
        "alpha": Range(0, open="high"),
        "var_smoothing": Range(0, open="high"),
        "priors": Simplex() | None,
        "zero_evidence": Choice("prior", "raise"),
    }
    stored = {
        "_sums": Object(MixedSums, K="K"),
        "class_count_": FloatArray("K", low=0),
        "class_prior_": FloatArray("K", low=0),
        "category_count_": Each(FloatArray("K", "*"), "d"),
        "feature_log_prob_": Each(FloatArray("K", "*"), "d"),
        "densities_": Mapped(Each(Object("assay.stats.distributions.density.Density"), "K")),
        "epsilon_": Scalar(),
        "families_": Mapped(Text()),
        "gaussian_columns_": CodeArray("q", below="d"),
        "theta_": FloatArray("K", "q") | FloatArray(0, 0),  # earlier versions: empty without Gaussian columns
        "var_": FloatArray("K", "q") | FloatArray(0, 0),
    }
    takes = frozenset({"nominal", "missing"})

    def __init__(
        self,
        families: Any = "auto",
        *,
        alpha: float = 1.0,
        var_smoothing: float = 1e-9,
        priors: Priors | None = None,
        zero_evidence: str = "prior",
    ):
        self.families = families
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.priors = priors
        self.zero_evidence = zero_evidence

    def _summarize(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> MixedSums:
        return mixed_sums(X, y, w, len(self.classes_), self._plan(), self.schema_, type(self).__name__)

    def _solve(self, sums: MixedSums) -> None:
        K = len(self.classes_)
        self.class_count_ = sums.class_count
        self.class_prior_ = class_shares(type(self).__name__, self.priors, sums.class_count)
        plan = self._plan()
        families = ["none" if family in NUMBERS else family for family in plan]
        numbers = [j for j, family in enumerate(plan) if family in NUMBERS]
        tables = [table.T for table in sums.counts.tables()]
        gaussian: dict[int, int] = {}  # place among the moments, place in the table
        for c, j in enumerate(numbers):
            if sums.moments is None or not sums.moments.observed[:, c].any():
                continue  # all missing: says nothing
            families[j] = self._number_family(j, plan[j], bool(sums.binary[c]))
            if families[j] == "bernoulli":
                ones = sums.ones[:, c]
                tables[j] = np.stack([np.maximum(sums.moments.observed[:, c] - ones, 0.0), ones], axis=1)
            else:
                gaussian[c] = j
        self._learn_tables(tables)
        if sums.moments is not None:
            with np.errstate(over="ignore", invalid="ignore"):
                check_overflow(type(self).__name__, sums.moments.scatter, sums.moments.pooled().scatter)
        fitted = gaussian_columns(sums.moments, gaussian, self.var_smoothing, len(self.classes_))
        self.theta_, self.var_, self.epsilon_ = fitted.mean, fitted.var, fitted.epsilon
        self.gaussian_columns_ = np.array(fitted.columns, dtype=np.int64)
        for j in set(gaussian.values()) - set(fitted.columns):
            families[j] = "none"  # constant everywhere
        for column, k, what in fitted.stand_ins:
            self._warn_stand_in(column, k, what)
        self.densities_ = {}
        for j, sample in sums.samples.items():
            families[j] = self._learn_density(j, families[j], *sample, K)
        self.families_ = dict(zip(self.schema_.names, families))

    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            out = np.tile(np.log(self.class_prior_), (len(X), 1))
        width = [table.shape[1] for table in self.feature_log_prob_]
        if any(width):
            start = np.concatenate([[0], np.cumsum(width)]).astype(np.int64)
            table = np.ascontiguousarray(np.concatenate([logs.T for logs in self.feature_log_prob_]))
            _counts.look_up(np.ascontiguousarray(X), start, table, out)  # (2), discrete
        if len(self.gaussian_columns_):
            Z = X if len(self.gaussian_columns_) == X.shape[1] else X[:, self.gaussian_columns_]
            out += gaussian_logs(np.ascontiguousarray(Z), self.theta_, self.var_)  # (2), Gaussian
        for name, densities in self.densities_.items():
            j = self.schema_.index(name)
            observed = ~np.isnan(X[:, j])
            if observed.any():
                values = self._own_values(j, X[observed, j])
                out[observed] += np.stack([density.logpdf(values) for density in densities], axis=1)
        return out

    def _plan(self) -> list[Any]:
        """Of each column: "categorical", "number" (decided when all rows are known), a number family, a density."""
        wanted, who = self.families, type(self).__name__
        if isinstance(wanted, Mapping):
            names = self.schema_.names
            for key in wanted:
                if key not in names and not (isinstance(key, int) and 0 <= key < len(names)):
                    raise ParameterError(f"{who}: families names {key!r}. Columns: {', '.join(names)}.")
            chosen = [wanted.get(name, wanted.get(j, "auto")) for j, name in enumerate(names)]
        else:
            chosen = [wanted] * len(self.schema_)
        plan = []
        for column, family in zip(self.schema_, chosen):
            if not isinstance(family, str):
                plan.append(family)
            elif column.coded:
                if family == "gaussian" or (family == "bernoulli" and len(column.categories) > 2):
                    raise ParameterError(
                        f"{who}: column {column.name!r} holds {len(column.categories)} categories, so it cannot be "
                        f"{family}. Use 'categorical' or 'auto'."
                    )
                plan.append("categorical")
            else:
                plan.append("number" if family == "auto" else family)
        return plan

    def _number_family(self, j: int, family: str, binary: bool) -> str:
        if family == "bernoulli" and not binary:
            raise DataError(
                f"{type(self).__name__}: column {self.schema_[j].name} is declared bernoulli and holds other numbers "
                "than 0 and 1. Compare it with a threshold first, or use BernoulliNB(binarize=...)."
            )
        return family if family != "number" else "bernoulli" if binary else "gaussian"

    def _learn_tables(self, tables: list[np.ndarray]) -> None:
        width = np.array([table.shape[1] for table in tables], dtype=np.int64)
        counts = CategoryCounts(self.class_count_, width, np.concatenate([table.T for table in tables]))
        self.category_count_ = [np.ascontiguousarray(table) for table in tables]
        logs = counts.logs(self.alpha) if len(counts.cells) else counts.cells
        self.feature_log_prob_ = [part.T for part in np.split(logs, counts.start[1:-1])]

    def _warn_stand_in(self, j: int, k: int, what: str) -> None:
        warn_user(
            f"{type(self).__name__}: column {self.schema_[j].name} has {what} in class {self.classes_[k]}; what it has "
            "over all classes is taken.",
            DegenerateWarning,
        )

    def _learn_density(self, j: int, family: Any, x: np.ndarray, y: np.ndarray, w: np.ndarray, K: int) -> str:
        """One density for each class; a class without entries takes the one over all classes."""
        if not len(x):
            return "none"
        values, name = self._own_values(j, x), self.schema_[j].name
        weights = None if (w == 1).all() else w
        learned = []
        for k in range(K):
            rows = y == k
            if not rows.any():
                if self.class_count_[k] > 0:
                    self._warn_stand_in(j, k, "no entry")
                rows = np.ones(len(x), dtype=bool)
            density = (
                family()
                if not hasattr(family, "logpdf") or isinstance(family, type)
                else copy.deepcopy(family)
            )
            learned.append(density.fit(values[rows], None if weights is None else weights[rows]))
        self.densities_[name] = learned
        return type(learned[0]).__name__

    def _own_values(self, j: int, numbers: np.ndarray) -> np.ndarray:
        """A column's numbers, or the categories behind its codes."""
        column = self.schema_[j]
        return np.array(column.categories)[numbers.astype(np.intp)] if column.coded else numbers

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        """X as numbers; at predict time entries that a discrete number column cannot have are missing."""
        values = super()._admit(X, fitting)
        if fitting:
            return values
        width = np.array([table.shape[1] for table in self.feature_log_prob_])
        codes = (width > 0) & ~self.schema_.coded
        if not codes.any():
            return values
        low, high, broken = extent(values)
        for j in np.flatnonzero(codes & ((low < 0) | (high >= width) | (broken > 0))).tolist():
            column, m = self.schema_[j], width[j]
            x = values[:, j]
            strange = ~np.isnan(x) & ((x < 0) | (x >= m) | (x != np.floor(x)))
            if strange.any():
                warn_user(
                    f"{type(self).__name__}: column {column.name} held whole numbers from 0 to {m - 1} in fit, and has "
                    f"{x[strange][0]:g} in {row_name(np.argmax(strange))} ({strange.sum()} such); treated as missing.",
                    SchemaWarning,
                )
                values = values.copy()
                values[strange, j] = np.nan
        return values

    @property
    def tables_(self) -> dict[str, dict[Any, Any]]:
        """Of each column and class: probabilities of values, mean and variance, or the density."""
        return naive_tables(self)

    def _check_stored(self) -> None:
        if "theta_" in vars(self) and not self.theta_.shape[1] == self.var_.shape[1] == len(
            self.gaussian_columns_
        ):
            raise ValueError("NaiveBayes: not one mean and one variance for each Gaussian column.")

    def __str__(self) -> str:
        return naive_text(self) if hasattr(self, "families_") else repr(self)

    def informativeness(self) -> dict[str, float]:
        """Mutual information of each column and the class, in nats, largest first.

        From the counts, unsmoothed, of a discrete column; by quadrature of the class densities of a Gaussian
        one; as the mean log ratio of densities over the training rows for a density of its own. The weights
        of the classes are their shares of the rows.

        >>> X = [["a", 1.0], ["a", 2.0], ["b", 1.0], ["b", 2.5]]
        >>> list(NaiveBayes().fit(X, [0, 0, 1, 1]).informativeness())
        ['x0', 'x1']
        """
        return ranked_columns(self)

    def sample(self, n: int, random_state: RandomState = None) -> tuple[Any, np.ndarray]:
        """n rows drawn from the model: a table (an array if all columns are unnamed numbers) and their classes."""
        rng = random_state_of(random_state)
        y = draw_classes(rng, self.class_prior_, n, type(self).__name__)
        X = np.full((n, len(self.schema_)), np.nan)
        for j, logs in enumerate(self.feature_log_prob_):
            if logs.shape[1]:
                X[:, j] = draw_rows(rng, np.exp(logs), y)
        if len(self.gaussian_columns_):
            noise = rng.standard_normal((n, len(self.gaussian_columns_)))
            X[:, self.gaussian_columns_] = self.theta_[y] + np.sqrt(self.var_[y]) * noise
        drawn = {}
        for name, densities in self.densities_.items():
            columns = [density.sample(n, rng) for density in densities]
            drawn[name] = np.stack(columns)[y, np.arange(n)]
        return as_table(self.schema_, X, drawn), self.classes_[y]

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        alpha, joint = rational(self.alpha), self._log_joint(X)
        place = {j: g for g, j in enumerate(self.gaussian_columns_.tolist())}
        prior = priors(self.class_count_, self.priors)

        def sections(i: int) -> list[Section]:
            likelihoods: list[tuple[str, Any, list[Number]]] = []
            x = X[i]
            for j, (name, value) in enumerate(rows[i].items()):
                counts = self.category_count_[j]
                numbers: list[Number] = []
                if np.isnan(x[j]):
                    likelihoods.append((name, None, []))
                elif name in self.densities_ or j in place:
                    numbers = np.exp(self._number_logs(j, place.get(j), x[j : j + 1])[0]).tolist()
                elif counts.shape[1]:
                    numbers = [share(c[int(x[j])], c.sum(), alpha, len(c)) for c in counts]
                if numbers:
                    likelihoods.append((name, value, numbers))
            dense = any(isinstance(p, float) for _, _, numbers in likelihoods for p in numbers)
            return derivation(self.classes_, prior, likelihoods, joint[i], density=dense)

        def contributions(some: np.ndarray) -> Contributions:
            block = X[some]
            logs = np.zeros((*block.shape, len(self.classes_)))
            for j, name in enumerate(self.schema_.names):
                known = ~np.isnan(block[:, j])
                if name in self.densities_ or j in place:
                    logs[known, j] = self._number_logs(j, place.get(j), block[known, j])
                elif self.feature_log_prob_[j].shape[1]:
                    logs[:, j] = look_up(self.feature_log_prob_[j], block[:, j])
            return self._joint_contributions(logs, joint[some])

        return Reasons(sections, contributions)

    def _number_logs(self, j: int, place: int | None, x: np.ndarray) -> np.ndarray:
        """(n, K) the log densities of values of column j, which is Gaussian at this place or has a density."""
        if place is None:
            values = self._own_values(j, x)
            return np.stack(
                [density.logpdf(values) for density in self.densities_[self.schema_.names[j]]], axis=1
            )
        at = slice(place, place + 1)
        return gaussian_logs(np.ascontiguousarray(x[:, None]), self.theta_[:, at], self.var_[:, at])
