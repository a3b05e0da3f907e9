"""How often each column is chosen when the choice is made again on other rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.core.explanation import text_table
from assay.core.meta_estimator import fit_to, takes_tables
from assay.core.parallel import in_threads
from assay.core.progress import progress
from assay.core.seeds import as_generator
from assay.core.targets import EncodedLabels
from assay.errors import DataError, ParameterError
from assay.evaluate.target import as_target
from assay.select.stability.resamples import drawn_rows
from assay.select.stability.stability_index import StabilityIndex, stability_index
from assay.sentence import in_notebook
from assay.stats.checks import is_whole
from assay.stats.intervals.proportion_interval import wilson_interval
from assay.stats.significance.test_result import check_alpha, shown_confidence
from assay.tables import Table
from assay.tables.rows import take_rows
from assay.types import Axes, RandomState

__all__ = ["SelectionFrequency", "selection_frequency"]

MOST_SHOWN = 30  # columns in the text
WAYS = {"half": "halves of the rows", "bootstrap": "bootstrap samples"}


@dataclass(frozen=True, eq=False, repr=False)
class SelectionFrequency:
    """How often each column was chosen over resamples of the rows; made by `selection_frequency`.

    Attributes
    ----------
    names : list of the d columns      selections : (M, d) bool, what was chosen from each resample
    frequency : (d,) share of the resamples that chose the column      low, high : (d,) its interval
    stability : StabilityIndex, how alike the choices are      alpha : 1 - confidence of the intervals
    chosen : (d,) bool, what is chosen from all rows      how : what was resampled
    """

    names: list[str]
    selections: np.ndarray
    frequency: np.ndarray
    low: np.ndarray
    high: np.ndarray
    stability: StabilityIndex
    chosen: np.ndarray
    alpha: float = 0.05
    how: str = field(default="half")

    @property
    def order(self) -> np.ndarray:
        """(d,) the columns, the most frequent first."""
        return np.argsort(-self.frequency, kind="stable")

    def table(self) -> list[dict[str, Any]]:
        """One record per column, the most frequent first."""
        return [
            {
                "column": self.names[j],
                "frequency": float(self.frequency[j]),
                "low": float(self.low[j]),
                "high": float(self.high[j]),
                "chosen": bool(self.chosen[j]),
            }
            for j in self.order
        ]

    def to_frame(self) -> Any:
        """The table as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.table())

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can hold."""
        index = self.stability
        known = not np.isnan(index.value)
        return {
            "how": self.how,
            "resamples": len(self.selections),
            "columns": self.table(),
            "stability": {"value": index.value, "low": index.low, "high": index.high} if known else None,
        }

    def plot(self, ax: Axes | None = None, **options: Any) -> Any:
        """Bars with their intervals: see ``assay.plots.SelectionFrequencyDisplay``."""
        from importlib import import_module

        return import_module("assay.plots").SelectionFrequencyDisplay.from_frequency(self, ax=ax, **options)

    @property
    def headline(self) -> str:
        """What the numbers are, in a line."""
        sizes = self.selections.sum(axis=1)
        return (
            f"Columns chosen over {len(self.selections)} {WAYS[self.how]}, {sizes.mean():.3g} on average "
            f"({sizes.min()} to {sizes.max()})"
        )

    def _rows(self) -> tuple[list[str], list[list[Any]]]:
        heads = ["column", "chosen", f"{shown_confidence(self.alpha)} interval", "with all rows"]
        rows = [
            [r["column"], f"{r['frequency']:.0%}", f"{r['low']:.0%} to {r['high']:.0%}", "yes" if r["chosen"] else ""]
            for r in self.table()[:MOST_SHOWN]
        ]  # fmt: skip
        return heads, rows

    def __str__(self) -> str:
        heads, rows = self._rows()
        more = len(self.names) - len(rows)
        tail = f"\n  ... and {more} more columns" if more > 0 else ""
        return f"{self.headline}\n{text_table(heads, rows)}{tail}\n{self.stability}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        heads, rows = self._rows()
        head = "".join(f"<th>{escape(h)}</th>" for h in heads)
        body = "".join("<tr>" + "".join(f"<td>{escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
        return in_notebook(
            f'<div class="assay-selection"><p>{escape(self.headline)}</p><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table><p>{escape(str(self.stability))}</p></div>"
        )


def selection_frequency(
    selector: Any,
    X: Any,
    y: Any = None,
    resamples: int = 50,
    *,
    how: str = "half",
    alpha: float = 0.05,
    task: str | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> SelectionFrequency:
    """How often a selector chooses each column when it sees other rows, with intervals, and how alike its choices are.

    A clone of the selector is fitted to each resample. Columns that are chosen from nearly all resamples can be relied
    on; those that come and go are exchangeable, or noise. The intervals (Wilson) are of the share over all such
    resamples of these rows.

    Cost: ``resamples`` + 1 times the selector.

    Parameters
    ----------
    selector : any selector, not fitted
    X : array or frame, (n, d)      y : (n,) classes or numbers
    resamples : int, default 50
    how : "half" or "bootstrap", default "half"
        Halves of the rows in disjoint pairs; or samples with replacement, in which rows repeat (a selector
        with inner splits then meets copies of its training rows among the test rows). Classes keep their shares.
    alpha : 1 - confidence of the intervals
    task : "classification", "regression" or None, which goes by the target
    random_state : int, generator or None
    n_jobs : int or None, threads

    Returns
    -------
    SelectionFrequency

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select import SelectByLassoPath, selection_frequency
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 5))
    >>> print(selection_frequency(SelectByLassoPath(2), X, 2 * X[:, 1] + rng.normal(size=80), resamples=20))
    Columns chosen over 20 halves of the rows, 2 on average (2 to 2)
      column  chosen  95% interval  with all rows
      x1      100%    84% to 100%   yes
      x4      80%     58% to 92%    yes
      x0      10%     3% to 30%
      x2      10%     3% to 30%
      x3      0%      0% to 16%
    Stability over 20 choices: 0.70 (intermediate), 95% interval 0.50 to 0.91; ...

    See Also
    --------
    stability_index, StabilitySelection

    References
    ----------
    - Nogueira, S., Sechidis, K. and Brown, G. (2018). On the stability of feature selection algorithms. Journal of
      Machine Learning Research 18(174), 1-54.
    """
    who = "selection_frequency"
    check_alpha(alpha, who)
    if not hasattr(selector, "get_support"):
        raise ParameterError(
            f"selector must choose columns, such as RFE(LogisticRegression()); got {selector!r}.", who=who
        )
    if not is_whole(resamples, 2):
        raise ParameterError(f"resamples must be a whole number from 2 up, got {resamples!r}.", who=who)
    if how not in WAYS:
        raise ParameterError(f"how must be one of {', '.join(map(repr, WAYS))}, got {how!r}.", who=who)
    if y is None and hasattr(X, "target_name"):
        X, y = X
    table = Table.of(X, who=who, infinite=True)
    n = len(table)
    if n < 4:
        raise DataError(f"{who}: {n} rows are too few to be resampled. Bring 4 at least.")
    aim = None if y is None else as_target(y, n, who, lenient=True, task=task)
    codes = np.zeros(n, np.int64) if aim is None else aim.codes
    ours = takes_tables(selector)
    rows_of = table if ours else (np.asarray(X) if isinstance(X, list) else X)
    target = y if not ours or aim is None else (
        EncodedLabels(aim.codes, aim.labels) if aim.numbers is None else aim.numbers
    )  # fmt: skip
    parts = drawn_rows(codes, resamples, how, as_generator(random_state, who))

    def choose(rows: Any) -> np.ndarray:
        X_part = rows_of if rows is None else take_rows(rows_of, rows)
        y_part = target if rows is None or target is None else take_rows(target, rows)
        model = clone(selector)
        if y_part is None:
            return model.fit(X_part).get_support()
        return fit_to(model, X_part, y_part, None, who).get_support()

    with progress(resamples + 1, who) as bar:

        def one(rows: Any) -> np.ndarray:
            mask = np.asarray(choose(rows), dtype=bool)
            bar.advance()
            return mask

        masks = in_threads(one, [None, *parts], n_jobs) if ours else [one(rows) for rows in [None, *parts]]
    selections = np.array(masks[1:])
    share = selections.mean(axis=0)
    low, high = wilson_interval(share, resamples, alpha)
    return SelectionFrequency(
        table.schema.names,
        selections,
        share,
        low,
        high,
        stability_index(selections, alpha),
        masks[0],
        alpha,
        how,
    )
