"""The effect of other rules: which rows change their answer, and what that does to the errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from assay.core.explanation import text_table
from assay.core.targets import check_weights
from assay.errors import DataError
from assay.types import TableLike, Target, Weights

__all__ = ["Effect", "effect"]


@dataclass(frozen=True)
class Effect:
    """What changes from one model to another on some rows.

    Parameters
    ----------
    n : float
        The rows, or their weight.
    rows : tuple of int
        The rows whose answer changes.
    before, after : tuple
        Their answers.
    truth : tuple
        What would be right.
    errors : (float, float)
        Errors before and after: how many rows are wrong; for numbers the root mean squared error.
    better, worse : float
        The rows that become right, and that become wrong; for numbers that come nearer, or go further away.
    classes : dict of label to (rows, errors before, errors after)
        Empty for numbers.
    """

    n: float
    rows: tuple[int, ...]
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    truth: tuple[Any, ...]
    errors: tuple[float, float]
    better: float
    worse: float
    classes: dict[Any, tuple[float, float, float]] = field(default_factory=dict)

    def __str__(self) -> str:
        single = len(self.rows) == 1
        text = "1 row changes its answer" if single else f"{len(self.rows):,} rows change their answers"
        if not self.rows:
            text = "No row changes its answer"
        elif self.classes:
            text += f": {self.better:g} become right, {self.worse:g} become wrong"
        else:
            text += f": {self.better:g} come nearer to the truth, {self.worse:g} go away from it"
        parts = [text + ".", self._errors()]
        if self.classes:
            rows = [[str(c), *figures] for c, figures in self.classes.items()]
            parts.append(text_table(["class", "rows", "errors before", "errors after"], rows))
        shown = list(zip(self.rows, self.truth, self.before, self.after))[:10]
        if shown:
            rows = [[i, *(_plain(v) for v in more)] for i, *more in shown]
            parts.append(text_table(["row", "truth", "before", "after"], rows))
            if len(self.rows) > 10:
                parts[-1] += f"\n  ... and {len(self.rows) - 10} more"
        return "\n".join(parts)

    def _errors(self) -> str:
        a, b = self.errors
        if not self.classes:
            return f"Root mean squared error {a:.6g} before, {b:.6g} after."
        return f"{a:g} of {self.n:g} wrong before ({a / self.n:.2%}), {b:g} after ({b / self.n:.2%})."

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def effect(before: Any, after: Any, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Effect:
    """Compare two models, or two rule bases, on the same rows.

    Parameters
    ----------
    before, after : fitted models or rule bases
    X : table      y : (n,) what is right      sample_weight : (n,) or None

    Examples
    --------
    >>> from assay.rulebase.rules import RuleBase
    >>> from assay.rules.editing import effect
    >>> from assay.tables import Schema
    >>> base = RuleBase.parse("x0 > 2 => yes" + chr(10) + "else no", Schema.numeric(1), ["no", "yes"])
    >>> print(effect(base, base.replaced(0, "x0 > 1 => yes"), [[1.0], [2.0], [3.0]], ["no", "yes", "yes"]))
    1 row changes its answer: 1 become right, 0 become wrong.
    1 of 3 wrong before (33.33%), 0 after (0.00%).
      class  rows  errors before  errors after
      no        1              0             0
      yes       2              1             0
      row  truth  before  after
        1  yes    no      yes
    """
    old, new = np.asarray(before.predict(X)), np.asarray(after.predict(X))
    truth = np.asarray(y)
    if truth.shape != old.shape:
        raise DataError(f"effect: X has {len(old)} rows, y has shape {truth.shape}.")
    w = check_weights(sample_weight, np.empty((len(old), 0)))
    w = np.ones(len(old)) if w is None else w
    rows = np.flatnonzero(old != new)
    numbers = getattr(before, "classes", getattr(before, "classes_", None)) is None
    if numbers:
        was, now = np.abs(old - truth.astype(float)), np.abs(new - truth.astype(float))
        total = w.sum() or 1.0
        errors = float(np.sqrt((w * was**2).sum() / total)), float(np.sqrt((w * now**2).sum() / total))
        classes = {}
    else:
        was, now = (old != truth).astype(float), (new != truth).astype(float)
        errors = float((w * was).sum()), float((w * now).sum())
        classes = {
            c: tuple(float((w * part)[truth == c].sum()) for part in (np.ones(len(w)), was, now))
            for c in dict.fromkeys(sorted(truth.tolist(), key=str))
        }
    return Effect(
        float(w.sum()),
        tuple(rows.tolist()),
        tuple(old[rows].tolist()),
        tuple(new[rows].tolist()),
        tuple(truth[rows].tolist()),
        errors,
        float(w[now < was].sum()),
        float(w[now > was].sum()),
        classes,  # type: ignore[arg-type]
    )


def _plain(value: Any) -> Any:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
