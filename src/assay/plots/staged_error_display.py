"""The error of an ensemble as it grows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.types import Axes, Estimator

__all__ = ["StagedErrorDisplay"]

LINES = ("-", "--", "-.", ":")


class StagedErrorDisplay:
    """The error after each round of boosting: error rate of a classifier, mean squared error of a regressor.

    Parameters
    ----------
    errors : dict of name to (rounds,) errors
    kind : str
        What the errors are; stands at the axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import StagedErrorDisplay
    >>> display = StagedErrorDisplay.from_errors({"training": [0.3, 0.1, 0.0], "test": [0.35, 0.2, 0.18]})
    >>> display.best("test")
    (3, 0.18)
    """

    def __init__(self, errors: Mapping[str, Any], *, kind: str = "error rate"):
        self.errors = {str(name): np.asarray(values, np.float64) for name, values in errors.items()}
        self.kind = kind

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        data: Mapping[str, tuple[Any, Any]],
        *,
        ax: Axes | None = None,
        **options: Any,
    ) -> StagedErrorDisplay:
        """Work out and draw the errors of a fitted ensemble that has ``staged_predict``.

        Parameters
        ----------
        estimator : fitted ensemble
        data : dict of name to (X, y)
            For example ``{"training": (X, y), "test": (X_test, y_test)}``.
        options : as in ``plot``
        """
        if not hasattr(estimator, "staged_predict"):
            raise TypeError(f"StagedErrorDisplay: {type(estimator).__name__} has no staged_predict.")
        classify = hasattr(estimator, "classes_")
        errors = {}
        for name, (X, y) in data.items():
            y = np.asarray(y)
            wrong = (lambda a, y=y: np.mean(a != y)) if classify else (lambda a, y=y: np.mean((a - y) ** 2))
            errors[name] = [float(wrong(answers)) for answers in estimator.staged_predict(X)]
        return cls(errors, kind="error rate" if classify else "mean squared error").plot(ax, **options)

    @classmethod
    def from_errors(
        cls, errors: Mapping[str, Any], *, kind: str = "error rate", ax: Axes | None = None, **options: Any
    ) -> StagedErrorDisplay:
        """Draw errors that are known, each curve under its name."""
        return cls(errors, kind=kind).plot(ax, **options)

    def best(self, name: str) -> tuple[int, float]:
        """The round (from 1) with the least error of a curve, the first if there are several, and that error."""
        if name not in self.errors:
            raise DataError(f"StagedErrorDisplay: no curve {name!r}. There are: {', '.join(self.errors)}.")
        at = int(np.argmin(self.errors[name]))
        return at + 1, float(self.errors[name][at])

    def plot(self, ax: Axes | None = None, *, log: bool = False) -> StagedErrorDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        log : bool
            Rounds on a logarithmic axis.
        """
        self.ax_ = ax = axes_for(ax, (5.5, 3.8))
        self.figure_ = ax.figure
        for k, (name, values) in enumerate(self.errors.items()):
            rounds = np.arange(1, len(values) + 1)
            ax.plot(rounds, values, color=class_colour(k), ls=LINES[k % len(LINES)], lw=1.6, label=name)
        ax.set(xlabel="rounds", ylabel=self.kind, xscale="log" if log else "linear")
        ax.set_ylim(bottom=0)
        ax.legend(frameon=False)
        return self
