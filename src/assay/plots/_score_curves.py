"""Shared by displays of curves over scores: reading true labels and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from assay.errors import DataError
from assay.plots._checks import both_classes, score_of
from assay.plots.of_comparison import over_folds, scored
from assay.types import Axes, Estimator, Label, Scores, TableLike, Target, Weights

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["ScoreCurvesDisplay"]


class ScoreCurvesDisplay:
    """Curves of rankings by score, one per learner; a subclass makes the curve and draws it.

    Parameters
    ----------
    curves : dict of name to curve
    pos_label : label of the positives, or None

    Attributes
    ----------
    lines_ : dict of name to drawn line
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    """

    over_folds: ClassVar[Any] = (
        None  # the kind of a curve of ranks, which is averaged over the folds of a comparison
    )

    def __init__(self, curves: Mapping[str, Any], *, pos_label: Label | None = None):
        self.curves = {str(name): curve for name, curve in curves.items()}
        self.pos_label = pos_label
        self.lines_: dict[str, Any] = {}
        if not self.curves:
            raise DataError(f"{type(self).__name__}: there is no curve to draw.")

    @staticmethod
    def _curve(truth: np.ndarray, score: Any, sample_weight: Any) -> Any:
        """The curve of (n,) bool and (n,) scores."""
        raise TypeError("a display of curves must say how a curve is made")

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the curves."""
        raise TypeError("a display of curves must say how it is drawn")

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        y: Target,
        *,
        pos_label: Label | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier on rows X whose true classes are y; options as below."""
        pos_label, score = score_of(estimator, X, pos_label, cls.__name__)
        name = name or type(estimator).__name__
        return cls.from_predictions(y, score, pos_label=pos_label, name=name, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Target,
        y_score: Scores,
        *,
        pos_label: Label | None = None,
        name: str | None = None,
        sample_weight: Weights | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of scores, or of several.

        Parameters
        ----------
        y_true : (n,) labels of two classes
        y_score : (n,) the higher, the likelier positive; or dict of name to such scores
        pos_label : label of the positives; default the later of the two labels in order
        name : str
        sample_weight : (n,)
        options : as in ``plot``
        """
        who = cls.__name__
        both_classes(y_true, who)
        labels = np.asarray(y_true)
        if pos_label is None:
            classes = np.unique(labels)
            if len(classes) != 2:
                raise DataError(
                    f"{who}: there are {len(classes)} classes; name the positive one by pos_label."
                )
            pos_label = classes[1].item() if hasattr(classes[1], "item") else classes[1]
        truth = labels == pos_label
        if not truth.any():
            raise DataError(f"{who}: no row is of class {pos_label!r}.")
        scores = y_score if isinstance(y_score, Mapping) else {name or "Classifier": y_score}
        curves = {str(key): cls._curve(truth, score, sample_weight) for key, score in scores.items()}
        return cls(curves, pos_label=pos_label).plot(ax, **options)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        learners: Sequence[str] | str | None = None,
        *,
        positive: Label | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw one curve per learner into one picture, from its predictions on test rows.

        Parameters
        ----------
        comparison : result of ``compare``
        learners : names; default all with probabilities, best first
        positive : label, needed for more than two classes
        options : as in ``plot``
        """
        if cls.over_folds is not None:
            label, means = over_folds(cls.over_folds, comparison, learners, positive, cls.__name__)
            return cls({mean.learner: mean.curve for mean in means}, pos_label=label).plot(ax, **options)
        label, rows = scored(comparison, learners, positive, cls.__name__)
        for row in rows:
            both_classes(row.truth, cls.__name__)
        curves = {row.learner: cls._curve(row.truth, row.score, row.weight) for row in rows}
        return cls(curves, pos_label=label).plot(ax, **options)
