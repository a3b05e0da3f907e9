"""The full-joint Bayes classifier: counts of whole rows, with a Gaussian in each cell for the numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from assay.bayes.cell_spread import cell_gaussians, total_scatter
from assay.bayes.counts import class_shares
from assay.bayes.derivation import Number, derivation, priors, rational, whole
from assay.bayes.drawing import as_table, draw_classes
from assay.bayes.gaussian_classifier import check_overflow
from assay.bayes.joint_sums import JointSums, joint_sums
from assay.bayes.joint_table import JointTable
from assay.core import Card, Generative, SumLearner
from assay.core.complaints import missing_remedy
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Any_, Choice, Range, Simplex
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Object
from assay.errors import DataError, DegenerateWarning, warn_user
from assay.tables import Schema, Table
from assay.types import Priors, RandomState, TableLike


class JointBayes(SumLearner, Generative):
    r"""Classify by the full joint distribution of the categories, without an independence assumption.

    The discrete columns together select a cell v. Cells are counted in each class, and within a cell and
    class the continuous columns are Gaussian:

    .. math:: P(k, v, z) = P(k)\ P(v|k)\ N(z;\ \mu_{kv}, \Sigma_{kv}), \qquad
              P(v|k) = \frac{n_{kv} + \alpha}{n_k + \alpha M}                            \quad (1)

    with means and covariances by maximum likelihood (divisor :math:`n_{kv}`) and M the number of possible
    cells. This is what naive Bayes approximates; it needs far more rows, since the number of cells is the
    product of the columns' numbers of values. Only cells that occur are kept, so memory grows with the
    rows seen, not with M.

    Degenerate cells: a variance of 0 (one row, or equal ones) is replaced by the variance within the
    cells of that class, then of all classes, then by the column's own, with a ``DegenerateWarning``; so is
    a singular covariance with ``covariance="full"``. A column that never varies is left out. A cell that a
    class never had has probability 0 there, or, with alpha above 0, the Gaussian of the whole class.
    ``fit`` needs complete rows. In ``predict`` a missing or unseen category is summed out over all cells that
    agree with the rest of the row; a missing number is refused.

    Cost: fit O(n d^2) in one pass; predict O(d^2 K) a row; memory O(c d) for c distinct combinations of categories, and
    O(d^2 K).

    Parameters
    ----------
    covariance : "diagonal" or "full", default "diagonal"
        Whether the continuous columns are independent within a cell and class.
    alpha : float, default 0
        Pseudo-count of each cell; 0 is plain counting.
    var_floor : float, default 0
        Smallest variance (eigenvalue of a full covariance) of any cell; above 0 nothing is degenerate.
    discrete : "auto", "all" or a list of column names or positions, default "auto"
        The columns that are counted; "auto" takes text and categories.
    priors : array of K probabilities, default None
        Class priors; None takes the classes' shares of the rows.
    zero_evidence : "prior" or "raise", default "prior"
        What to do with a row that has probability 0 in every class: answer by the prior with a
        ``DegenerateWarning``, or raise a ``DegenerateError``.

    Attributes
    ----------
    cells_ : dict of cell to dict of class to its count, means and variances (or covariance)
    joint_ : JointTable, the same as arrays
    class_count_ : (K,)      class_prior_ : (K,)      classes_ : (K,)

    Examples
    --------
    Three sweet apples, of which two are Fuji; seven sour-sweet ones, of which four are:

    >>> taste = [["sweet"]] * 3 + [["sour-sweet"]] * 7
    >>> model = JointBayes().fit(taste, ["Fuji"] * 2 + ["Guoguang"] * 4 + ["Fuji"] * 4)
    >>> model.predict_proba([["sour-sweet"]]).round(6)  # 4/7, 3/7
    array([[0.571429, 0.428571]])

    See Also
    --------
    NaiveBayes, CategoricalNB

    References
    ----------
    - Friedman, N., Geiger, D. and Goldszmidt, M. (1997). Bayesian network classifiers. Machine Learning 29,
      131-163. doi:10.1023/A:1007465528199
    """

    card = Card(
        "joint bayes",
        "Bayes' rule on the full joint table of few categories",
        learns=(
            "Gaussians of the numbers in each cell of the categories",
            "negative log joint likelihood",
            "counts and moments",
            "analytic",
        ),
    )
    accepts = {
        "covariance": Choice("diagonal", "full"),
        "alpha": Range(0, open="high"),
        "var_floor": Range(0, open="high"),
        "discrete": Any_(
            '"auto", "all" or a list of columns', lambda v: not isinstance(v, str) or v in ("auto", "all")
        ),
        "priors": Simplex() | None,
        "zero_evidence": Choice("prior", "raise"),
    }
    stored = {
        "_sums": Object(JointSums, K="K"),
        "class_count_": FloatArray("K", low=0),
        "class_prior_": FloatArray("K", low=0),
        "joint_": Object(JointTable, K="K"),
    }
    takes = frozenset({"nominal", "missing"})

    def __init__(
        self,
        covariance: str = "diagonal",
        *,
        alpha: float = 0.0,
        var_floor: float = 0.0,
        discrete: Any = "auto",
        priors: Priors | None = None,
        zero_evidence: str = "prior",
    ):
        self.covariance = covariance
        self.alpha = alpha
        self.var_floor = var_floor
        self.discrete = discrete
        self.priors = priors
        self.zero_evidence = zero_evidence

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False  # only a category may be missing, and only in predict
        return tags

    def why_not(self, X: TableLike) -> str | None:
        """None if the learner can be fitted to this table, else a sentence with the reason."""
        reason = super().why_not(X)
        if reason is None:
            table = Table.of(X, who=type(self).__name__)
            reason = _n_missing(type(self).__name__, table.values, table.schema)
        return reason

    def _summarize(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> JointSums:
        reason = _n_missing(type(self).__name__, X, self.schema_)
        if reason:
            raise DataError(reason)
        full = self.covariance == "full"
        return joint_sums(X, y, w, len(self.classes_), self._discrete(), self._continuous(), full)

    def _solve(self, sums: JointSums) -> None:
        K, who = len(self.classes_), type(self).__name__
        self.class_count_ = sums.class_count
        self.class_prior_ = class_shares(who, self.priors, sums.class_count)
        keys = sums.keys[:, :-1]
        widths = [
            len(self.schema_[j].categories) if self.schema_[j].coded else len(np.unique(keys[:, c]))
            for c, j in enumerate(self._discrete())
        ]
        check_overflow(who, sums.scatter, total_scatter(sums))
        mean, spread, varies, fallen = cell_gaussians(sums, K, float(self.var_floor))
        self.joint_ = JointTable(
            keys, sums.keys[:, -1].astype(np.int64), sums.count, mean, spread, varies, np.array(widths, dtype=float),
            sums.class_count, self.class_prior_, float(self.alpha), self.priors is None,
        )  # fmt: skip
        if fallen.any():
            self._warn_degenerate(np.flatnonzero(fallen))

    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        X = np.asarray(X, dtype=np.float64)
        discrete = self._discrete()
        Z = X[:, self._continuous()] if discrete else X
        return self.joint_.log_joint(X[:, discrete], Z)  # (1)

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        values = super()._admit(X, fitting)
        if not fitting:
            reason = _n_missing(type(self).__name__, values, self.schema_, self._continuous())
            if reason:
                raise DataError(reason)
        return values

    def _discrete(self) -> list[int]:
        """The columns that are counted."""
        if isinstance(self.discrete, str):
            every = self.discrete == "all"
            return [j for j, column in enumerate(self.schema_) if every or column.coded]
        named = {self.schema_.index(name) if isinstance(name, str) else int(name) for name in self.discrete}
        return [j for j, column in enumerate(self.schema_) if column.coded or j in named]

    def _continuous(self) -> list[int]:
        counted = set(self._discrete())
        return [j for j in range(len(self.schema_)) if j not in counted]

    def _cell(self, key: np.ndarray) -> tuple[Any, ...]:
        return tuple(self.schema_.label(j, v) for j, v in zip(self._discrete(), key))

    def _warn_degenerate(self, fallen: np.ndarray) -> None:
        table, g = self.joint_, int(fallen[0])
        names = [self.schema_[j].name for j in self._discrete()]
        where = ", ".join(f"{name} = {value}" for name, value in zip(names, self._cell(table.keys[g])))
        what = "a singular covariance" if table.spread.ndim == 3 else "variance 0"
        more = f" (and {len(fallen) - 1} more such)" if len(fallen) > 1 else ""
        warn_user(
            f"{type(self).__name__}: class {self.classes_[table.owner[g]]} has {what}"
            f"{' where ' + where if where else ''}{more}; the spread within the class, or over all rows, is taken. "
            "Give var_floor to choose it.",
            DegenerateWarning,
        )

    @property
    def cells_(self) -> dict[tuple[Any, ...], dict[Any, dict[str, Any]]]:
        """Of each cell and class that occur: the count, and the continuous columns' means and spread."""
        table, labels = self.joint_, self.classes_.tolist()
        spread = "covariance" if table.spread.ndim == 3 else "var"
        cells: dict[tuple[Any, ...], dict[Any, dict[str, Any]]] = {}
        for g, key in enumerate(table.keys):
            entry = {"count": float(table.count[g]), "mean": table.mean[g], spread: table.spread[g]}
            cells.setdefault(self._cell(key), {})[labels[table.owner[g]]] = entry
        return cells

    def sample(self, n: int, random_state: RandomState = None) -> tuple[Any, np.ndarray]:
        """n rows drawn from the cells that occur: a table (an array if all columns are unnamed numbers), classes."""
        rng, table = random_state_of(random_state), self.joint_
        y = draw_classes(rng, self.class_prior_, n, type(self).__name__)
        entry = np.empty(n, dtype=np.int64)
        for k in np.unique(y):
            mine, rows = np.flatnonzero(table.owner == k), np.flatnonzero(y == k)
            entry[rows] = rng.choice(mine, size=len(rows), p=table.count[mine] / table.count[mine].sum())
        X = np.empty((n, len(self.schema_)))
        X[:, self._discrete()] = table.keys[entry]
        noise = rng.standard_normal(table.mean[entry].shape)
        if table.spread.ndim == 2:
            noise *= np.sqrt(table.spread)[entry]
        else:
            noise = (np.linalg.cholesky(table.spread)[entry] @ noise[:, :, None])[:, :, 0]
        X[:, self._continuous()] = table.mean[entry] + np.where(table.varies, noise, 0.0)
        return as_table(self.schema_, X), self.classes_[y]

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        table, block, joints = self.joint_, np.asarray(X, dtype=np.float64), self._log_joint(X)
        discrete, continuous = self._discrete(), self._continuous()
        names, prior = self.schema_.names, priors(self.class_count_, self.priors)
        varies = bool(table.varies.any())

        def sections(i: int) -> list[Section]:
            key, z, log_joint = block[i, discrete], block[i, continuous], joints[i]
            likelihoods: list[tuple[str, Any, list[Number]]] = []
            if discrete:
                numbers = [self._share(k, key) for k in range(len(self.classes_))]
                present = [j for j, v in zip(discrete, key) if not np.isnan(v)]
                shown = ", ".join(str(rows[i][names[j]]) for j in present)
                likelihoods.append((", ".join(names[j] for j in present) or "any cell", shown, numbers))
            likelihoods += [(names[j], None, []) for j, v in zip(discrete, key) if np.isnan(v)]
            if varies:  # the density is what is left of the joint after prior and cell
                with np.errstate(divide="ignore", invalid="ignore"):
                    known = np.log([float(p) for p in prior])
                    known = known + np.log([float(p) for p in likelihoods[0][2]]) if discrete else known
                    density = np.nan_to_num(np.exp(log_joint - known), nan=0.0)
                head = ", ".join(names[j] for j in continuous) + (" in the cell" if discrete else "")
                likelihoods.append((head, ", ".join(f"{v:g}" for v in z), density.tolist()))
            return derivation(self.classes_, prior, likelihoods, log_joint, density=varies)

        return Reasons(sections)

    def _share(self, k: int, key: np.ndarray) -> Number:
        """P(v|k) of all cells that agree with the key, exactly if it can be."""
        table, alpha = self.joint_, rational(self.alpha)
        free, cells = int(np.prod(table.widths[np.isnan(key)])), int(np.prod(table.widths))
        count = table.count[table.agreeing(key) & (table.owner == k)].sum()
        total = whole(self.class_count_[k]) + alpha * cells
        return (whole(count) + alpha * free) / total if total else Fraction(free, cells)


def _n_missing(who: str, X: np.ndarray, schema: Schema, columns: list[int] | None = None) -> str | None:
    """The sentence about missing entries, if there are any in these columns."""
    n_missing = np.isnan(X).sum(axis=0)
    if columns is not None:
        n_missing = np.where(np.isin(np.arange(len(n_missing)), columns), n_missing, 0)
    if not n_missing.any():
        return None
    j = int(np.argmax(n_missing))
    return (
        f"{who}: column {schema[j].name} has {n_missing[j]} missing value{'' if n_missing[j] == 1 else 's'} (NaN), "
        f"and such a row has no cell. {missing_remedy(who, 'Prepared', 'NaiveBayes takes them as they are.')}"
    )
