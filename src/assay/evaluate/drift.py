"""Whether new rows look like the training rows: column by column, and all columns together."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from assay.core.explanation import text_table
from assay.core.parameters import check_count
from assay.core.seeds import random_state_of
from assay.errors import DataError, ParameterError
from assay.sentence import Sentence
from assay.stats.significance.multiple_tests import holm
from assay.tables import Table
from assay.tables.table import UNSEEN
from assay.types import RandomState, TableLike

__all__ = ["ColumnDrift", "Drift", "drift"]

_FEWEST = 20  # rows of either table below which a classifier cannot tell them apart beyond chance
_LEAST_EXPECTED = (
    5  # rows that a category needs in both tables together, in proportion, to be counted by itself
)


@dataclass(frozen=True)
class ColumnDrift:
    """One test of one column.

    Attributes
    ----------
    column, kind : its name; "numeric", "nominal" or "ordinal"
    what : "values" or "missing values"
    test : which test, in words
    effect, effect_name : how large the difference is, and as what it is measured
    p, adjusted : the p-value, and Holm's over all tests of the table
    note : what else is to be said, such as categories that training did not have
    """

    column: str
    kind: str
    what: str
    test: str
    effect_name: str
    effect: float
    p: float
    adjusted: float
    note: str = ""


@dataclass(frozen=True, eq=False)
class Drift(Sentence):
    """How new rows differ from the training rows; printed as a sentence and a table.

    Attributes
    ----------
    columns : list of ColumnDrift, the smallest p first
    auc, low, high : float
        How well a classifier tells new rows from training rows that it has not seen, as the area under the ROC curve
        with its interval; 0.5 is chance. NaN if there are too few rows, or if it was not asked for.
    rows : (training rows, new rows)
    alpha : the level
    """

    columns: list[ColumnDrift]
    auc: float
    low: float
    high: float
    rows: tuple[int, int]
    alpha: float

    @property
    def drifted(self) -> list[ColumnDrift]:
        """The tests whose adjusted p is at most alpha."""
        return [c for c in self.columns if c.adjusted <= self.alpha]

    @property
    def found(self) -> bool:
        """Whether any column drifted, or the interval of the area lies above 0.5."""
        return bool(self.drifted) or self.low > 0.5

    def table(self) -> list[dict[str, Any]]:
        """One record per test."""
        return [asdict(c) for c in self.columns]

    def to_frame(self) -> Any:
        """The tests as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.table())

    def sentence(self) -> str:
        """What was found, in words."""
        n, m = self.rows
        names = list(dict.fromkeys(c.column for c in self.drifted))
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        which = "1 column differs" if len(names) == 1 else f"{len(names)} columns differ"
        between = f"between {n} training row{'s' * (n != 1)} and {m} new row{'s' * (m != 1)}"
        parts = [f"{which} {between} (Holm, level {self.alpha:g}): {shown}"]
        if not names:
            parts = [f"No column is shown to differ {between}"]
        if not np.isnan(self.auc):
            interval = f"{self.auc:.3f} ({self.low:.3f} to {self.high:.3f})"
            parts.append(
                f"a classifier tells new rows from training rows with an AUC of {interval}, "
                + ("better than chance" if self.low > 0.5 else "no better than chance")
            )
        return "; ".join(parts) + "."

    def __str__(self) -> str:
        heads = ["column", "what", "test", "effect", "", "adjusted p", "note"]
        rows = [
            [c.column, c.what, c.test, c.effect_name, f"{c.effect:.3f}", f"{c.adjusted:.3g}", c.note]
            for c in self.columns[:20]
        ]
        more = f"\n  ... and {len(self.columns) - 20} more tests" if len(self.columns) > 20 else ""
        return f"{self.sentence()}\n{text_table(heads, rows)}{more}"


def drift(
    train: TableLike,
    new: TableLike,
    *,
    alpha: float = 0.05,
    classifier: bool = True,
    most: int = 20_000,
    random_state: RandomState = 0,
) -> Drift:
    r"""Compare new rows with the training rows: is a model that was fitted to these still asked about its own kind?

    - A column of numbers: the two-sample test of Kolmogorov and Smirnov; the effect is the largest distance of the two
      distribution functions.
    - A column of categories: the chi-square test of homogeneity; the effect is Cramér's
      :math:`V = \sqrt{\chi^2/n}`. Categories with fewer than 5 expected rows are counted together; those that
      training did not have are named.
    - Missing values: Fisher's exact test of their two shares; the effect is the difference of the shares.
    - All columns together: boosted trees learn to tell the tables apart (a classifier two-sample test, Lopez-Paz and
      Oquab 2017). Its area under the ROC curve, on rows it has not seen, is 0.5 if they do not differ. It sees what
      single columns do not show, such as a correlation that has gone.

    The p-values are adjusted by Holm's method for the number of tests. Large tables show differences that do not
    matter: look at the effects.

    Parameters
    ----------
    train, new : tables with the same columns
    alpha : level of the tests, and of the interval of the area
    classifier : whether to compare all columns together
    most : rows of each table that are used at most, drawn at random
    random_state : seed of the draws and folds

    Examples
    --------
    >>> import numpy as np
    >>> from assay.evaluate import drift
    >>> rng = np.random.default_rng(0)
    >>> train, new = rng.normal(size=(300, 2)), rng.normal(size=(200, 2)) + [0, 1]
    >>> result = drift(train, new)
    >>> [c.column for c in result.drifted]
    ['x1']
    >>> print(result.sentence())
    1 column differs between 300 training rows and 200 new rows (Holm, level 0.05): x1; a classifier tells ...
    """
    if not 0 < alpha < 1:
        raise ParameterError(f"drift: alpha must be a number between 0 and 1, got {alpha!r}.")
    check_count("drift", "most", most, low=2)
    old = Table.of(train, who="drift")
    later = Table.like(new, old.schema, "drift")
    rng = random_state_of(random_state)
    A, B = (_some(table, most, rng) for table in (old, later))
    if not len(A) or not len(B):
        raise DataError("drift: both tables need rows.")
    unseen = {j: sorted({str(v) for v in values}) for j, values in _unseen(new, old, later).items()}
    tests: list[ColumnDrift] = []
    for j, column in enumerate(old.schema):
        tests += _values(column, A[:, j], B[:, j], unseen.get(j, []))
        tests += _gaps(column, A[:, j], B[:, j])
    adjusted = holm([t.p for t in tests]) if tests else []
    tests = [ColumnDrift(**(asdict(t) | {"adjusted": float(q)})) for t, q in zip(tests, adjusted)]
    tests.sort(key=lambda t: (t.p, -abs(t.effect)))
    area = (np.nan, np.nan, np.nan)
    if classifier and min(len(A), len(B)) >= _FEWEST:
        area = _told_apart(old.schema, A, B, alpha, rng)
    return Drift(tests, *area, (len(old), len(later)), alpha)


def _some(table: Table, most: int, rng: Any) -> np.ndarray:
    values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
    if len(values) <= most:
        return np.asarray(values, np.float64)
    return np.asarray(values[np.sort(rng.permutation(len(values))[:most])], np.float64)


def _unseen(new: Any, old: Table, later: Table) -> dict[int, set[Any]]:
    """Categories of the new rows that training did not have, by column."""
    if not later.unseen:
        return {}
    theirs = Table.of(new, who="drift")
    unseen = {}
    for j, column in enumerate(old.schema):
        if column.coded and column.name in theirs.schema.names:
            other = theirs.schema[theirs.schema.index(column.name)]
            known = {str(c) for c in column.categories}
            strange = {c for c in other.categories if str(c) not in known}
            if strange:
                unseen[j] = strange
    return unseen


def _values(column: Any, a: np.ndarray, b: np.ndarray, unseen: list[str]) -> list[ColumnDrift]:
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    if not len(a) or not len(b):
        return []
    if column.coded:
        return [_categories(column, a, b, unseen)]
    from scipy.stats import ks_2samp

    result = ks_2samp(a, b, method="auto" if max(len(a), len(b)) <= 1000 else "asymp")
    spread = a.std()
    note = f"mean {a.mean():.4g} became {b.mean():.4g}" if spread > 0 else ""
    return [
        ColumnDrift(
            column.name, column.kind, "values", "Kolmogorov-Smirnov", "distance", float(result.statistic),
            float(result.pvalue), 1.0, note,
        )
    ]  # fmt: skip


def _categories(column: Any, a: np.ndarray, b: np.ndarray, unseen: list[str]) -> ColumnDrift:
    from scipy.stats import chi2_contingency

    K = len(column.categories)
    codes = [np.where(part == UNSEEN, K, part).astype(np.int64) for part in (a, b)]
    counts = np.array([np.bincount(part, minlength=K + 1) for part in codes])
    share = min(len(a), len(b)) / (len(a) + len(b))
    rare = counts.sum(axis=0) * share < _LEAST_EXPECTED
    counts = np.column_stack((counts[:, ~rare], counts[:, rare].sum(axis=1)))
    counts = counts[:, counts.any(axis=0)]
    effect, p = 0.0, 1.0
    if counts.shape[1] > 1:
        chi2, p, *_ = chi2_contingency(counts, correction=False)
        effect = float(np.sqrt(chi2 / counts.sum()))
    note = ""
    if unseen:
        shown = ", ".join(unseen[:3]) + (f" and {len(unseen) - 3} more" if len(unseen) > 3 else "")
        note = f"not in training: {shown}"
    return ColumnDrift(
        column.name, column.kind, "values", "chi-square", "Cramér's V", effect, float(p), 1.0, note
    )


def _gaps(column: Any, a: np.ndarray, b: np.ndarray) -> list[ColumnDrift]:
    missing = [int(np.isnan(part).sum()) for part in (a, b)]
    if not any(missing):
        return []
    from scipy.stats import fisher_exact

    table = [[m, len(part) - m] for m, part in zip(missing, (a, b))]
    shares = [m / len(part) for m, part in zip(missing, (a, b))]
    note = f"{shares[0]:.1%} became {shares[1]:.1%}"
    return [
        ColumnDrift(
            column.name, column.kind, "missing values", "Fisher's exact", "difference", shares[1] - shares[0],
            float(fisher_exact(table)[1]), 1.0, note,
        )
    ]  # fmt: skip


def _told_apart(
    schema: Any, A: np.ndarray, B: np.ndarray, alpha: float, rng: Any
) -> tuple[float, float, float]:
    """The area under the ROC curve of boosted trees that tell B from A, with its interval.

    They learn from one half of the rows and are judged by the other: out of several folds, whose models depend on each
    other's rows, the interval would be too short by a quarter.
    """
    from assay.ensembles import HistGradientBoostingClassifier
    from assay.metrics import auc_interval

    X = np.vstack((A, B))
    X = np.where((X == UNSEEN) & schema.coded, np.nan, X)
    y = np.repeat([0, 1], [len(A), len(B)])
    learn = np.zeros(len(y), bool)
    for start, size in ((0, len(A)), (len(A), len(B))):
        learn[start + rng.permutation(size)[: size // 2]] = True
    model = HistGradientBoostingClassifier(max_iter=40, early_stopping=False, random_state=0)
    model.fit(Table(X[learn], schema, None), y[learn])
    score = model.predict_proba(Table(X[~learn], schema, None))[:, 1]
    area = auc_interval(y[~learn], score, pos_label=1, alpha=alpha)
    return float(area.value), float(area.low), float(area.high)
