"""Fisher's linear discriminant for two classes: one direction, one threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.bayes.gaussian_classifier import check_overflow, class_priors, log_of
from assay.bayes.low_rank import few_rows, whitening_of_rows
from assay.core import Card, Classifier, SumLearner
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.lazy_answers import LazyTransforms
from assay.core.moments import ClassScatter, RowScatter, class_scatter
from assay.core.parameters import Choice, Simplex
from assay.core.scores import logistic
from assay.core.stored import FloatArray, Object, Scalar
from assay.core.sums import Block, Source
from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.multivariate.scatter import fisher_criterion, fisher_direction
from assay.types import Priors, TableLike


class FisherDiscriminant(LazyTransforms, SumLearner, Classifier):
    r"""Project on the direction that keeps two classes apart best, and cut it at a threshold.

    .. math:: J(w) = \frac{w^TS_Bw}{w^TS_Ww},\qquad w = S_W^{-1}(m_1-m_0),\qquad
              z = \frac{w^Tx}{\lVert w\rVert}                                                             \quad (1)

    points from the first class to the second (in the order of ``classes_``); where z exceeds the threshold
    the answer is the second. ``transform`` gives z, so that any classifier can follow on the axis. For more
    classes: the ``transform`` of `LinearDiscriminantAnalysis`.

    The direction needs no distribution. The probabilities take the classes to be Gaussians of equal covariance
    :math:`\Sigma`, the scatter :math:`S_W` per row, with even odds at the threshold t:

    .. math:: \ln\frac{P(1\mid x)}{P(0\mid x)} = \lVert\Sigma^{-1}(m_1-m_0)\rVert\,(z - t)              \quad (2)

    A collinear or constant column does no harm: directions without scatter are left out. No scatter at all,
    or equal means, is a ``DegenerateError``.

    Cost: fit O(n d^2 + d^3), with fewer rows than columns O(n^2 d); predict O(d) a row; memory O(min(n, d) d) to fit
    and for more rows to come, O(d) for the answers.

    Parameters
    ----------
    within : "sum" or "prior-weighted-scatter", default "sum"
        :math:`S_W=S_0+S_1`, or :math:`\frac{n_0}nS_0+\frac{n_1}nS_1`, which counts the size of a class twice,
        since a scatter is a sum over rows.
    threshold : "midpoint", "gaussian" or "accuracy", default "midpoint"
        Halfway between the projected means; moved by :math:`\ln(\pi_0/\pi_1)` in (2), which makes it the linear
        discriminant; or where most training rows are on their side (among the midpoints of neighbouring z; of
        equals the widest gap, then the one closest to the midpoint of the means). "accuracy" keeps one number a
        row, and looks at the rows twice.
    priors : (2,) probabilities, default None
        For "gaussian"; None takes the class shares.

    Attributes
    ----------
    direction_ : (d,) w, of length 1      threshold_ : float, t      criterion_ : float, J
    means_ : (2, d)      projected_means_ : (2,)      priors_ : (2,)
    coef_ : (1, d), intercept_ : (1,) of the log odds (2)

    Examples
    --------
    >>> from assay.bayes import FisherDiscriminant
    >>> model = FisherDiscriminant().fit([[0, 0], [2, 0], [4, 2], [6, 4]], ["a", "a", "b", "b"])
    >>> model.direction_.round(4)                        # (1, 2), as the inverse of [[4, 2], [2, 2]] turns (4, 3)
    array([0.4472, 0.8944])
    >>> model.predict([[4, 0], [2, 3]])
    array(['a', 'b'], dtype='<U1')

    See Also
    --------
    LinearDiscriminantAnalysis, FisherDirections

    References
    ----------
    - Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics 7(2),
      179-188. doi:10.1111/j.1469-1809.1936.tb02137.x
    - Duda, R. O., Hart, P. E. and Stork, D. G. (2001). Pattern Classification, second edition. Wiley.
    """

    card = Card(
        "fisher",
        "two classes: the direction that separates them best, and a threshold",
        also=("fisher discriminant",),
        learns=(
            "a direction and a threshold",
            "ratio of within to between scatter",
            "a linear system",
            "analytic",
        ),
    )
    multiclass = "two classes only"
    accepts = {
        "within": Choice("sum", "prior-weighted-scatter"),
        "threshold": Choice("midpoint", "gaussian", "accuracy"),
        "priors": Simplex() | None,
    }
    stored = {
        "_sums": Object(ClassScatter, RowScatter, K="K", d="p"),
        "_centre": FloatArray("p"),
        "_shift": Scalar(),
        "coef_": FloatArray(1, "p"),
        "criterion_": Scalar(),
        "direction_": FloatArray("p"),
        "intercept_": FloatArray(1),
        "means_": FloatArray("K", "p"),
        "priors_": FloatArray("K", low=0),
        "projected_means_": FloatArray("K"),
        "threshold_": Scalar(),
    }

    def __init__(self, within: str = "sum", threshold: str = "midpoint", *, priors: Priors | None = None):
        self.within = within
        self.threshold = threshold
        self.priors = priors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.categorical = False  # the checks would round the columns until no scatter is left
        return tags

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassScatter:
        K = len(self.classes_)
        if K != 2:
            kind = "multiclass" if K > 2 else "one class"
            raise DataError(
                f"FisherDiscriminant separates two classes, y has {K} class{'' if K == 1 else 'es'}. Only binary "
                f"classification is supported. The type of the target is {kind}. For more classes: "
                "LinearDiscriminantAnalysis."
            )
        return class_scatter(X, y, w, K, pooled=False)

    def _learn_from(self, source: Source) -> None:
        few = few_rows(source, 2) if len(self.classes_) == 2 else None
        self._sums = source.add_up(self._summarize_block) if few is None else few
        self._solve(self._sums, source)

    def _solve(self, sums: ClassScatter | RowScatter, source: Source | None = None) -> None:
        who = type(self).__name__
        if not sums.count.all():
            empty = self.classes_[int(np.argmin(sums.count))]
            raise DegenerateError(f"{who}: class {empty} has no row that weighs anything, so it has no mean.")
        check_overflow(who, sums.mean, sums.squares if isinstance(sums, RowScatter) else sums.scatter)
        priors = class_priors(who, self.priors, sums.count, self.classes_)
        share = np.ones(2) if self.within == "sum" else sums.count / sums.count.sum()
        if isinstance(sums, RowScatter):  # its product with itself is the scatter within
            within = sums.deviations * np.sqrt(share)[sums.classes][:, None]
        else:
            within = np.tensordot(share, sums.scatter, 1)
        gap = sums.mean[1] - sums.mean[0]
        if not within.any() or not gap.any():
            what = "no column varies within a class" if gap.any() else "the classes have the same mean"
            raise DegenerateError(
                f"{who}: {what}, so no direction is best (got {int(sums.rows.sum())} rows)."
            )
        self.means_ = sums.mean
        self.priors_ = priors
        if isinstance(sums, RowScatter):
            w = whitening_of_rows(within).solve(gap[None])[0]  # (1)
            self.criterion_ = float((w @ gap) ** 2 / np.sum((within @ w) ** 2))
        else:
            w = fisher_direction(self.means_[1], self.means_[0], within)  # (1)
            self.criterion_ = fisher_criterion(w, within, np.outer(gap, gap))
        self.direction_ = w / np.linalg.norm(w)
        self.projected_means_ = self.means_ @ self.direction_
        self._centre = self.means_.mean(axis=0)
        self.coef_ = w[None] * (share @ sums.count)  # the scatter per row inverts to the row count times w
        self._shift = self._cut(source)
        length = np.linalg.norm(self.coef_)
        self.threshold_ = float(self.direction_ @ self._centre + self._shift)
        self.intercept_ = np.array([-length * self.threshold_])

    def _cut(self, source: Source | None) -> float:
        """Where the threshold lies, measured from the midpoint of the means."""
        if self.threshold == "midpoint":
            return 0.0
        if self.threshold == "gaussian":
            return float((log_of(self.priors_[0]) - log_of(self.priors_[1])) / np.linalg.norm(self.coef_))
        if source is None:
            raise ParameterError(
                "FisherDiscriminant: threshold='accuracy' looks at the rows twice, so it has no partial_fit. Use fit "
                "or fit_blocks."
            )
        return most_accurate_cut(*source.add_up(self._project).columns())

    def _project(self, block: Block) -> _Projected:
        w = np.ones(len(block.y)) if block.w is None else block.w
        return _Projected([((block.X - self._centre) @ self.direction_, block.y, w)])

    def transform(self, X: TableLike) -> np.ndarray:
        """(n, 1) the scalar projection z of each row, (1)."""
        return (self._admit(X) @ self.direction_)[:, None]

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The name of the axis."""
        return np.array(["fisherdiscriminant0"], dtype=object)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n,) the log odds (2) of the second class; 0 is a tie, which ``predict`` gives to the first."""
        return self._log_odds(self._admit(X))

    def _log_odds(self, X: Any) -> np.ndarray:
        cut = np.linalg.norm(self.coef_) * self._shift
        with np.errstate(over="ignore", invalid="ignore"):
            odds = (X - self._centre) @ self.coef_[0] - cut  # (2)
            if np.isnan(odds).any():  # numbers near the end of the floats: the same, scaled down
                scale = np.maximum(np.abs(X).max(axis=1), 1.0)
                odds = (X / scale[:, None] - self._centre / scale[:, None]) @ self.coef_[0] * scale - cut
        return odds

    def _posterior(self, X: Any) -> np.ndarray:
        return logistic(self._log_odds(X))

    def _choose(self, X: Any) -> np.ndarray:
        return (self._log_odds(X) > 0).astype(np.int64)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        above = self._log_odds(X) > 0

        def sections(i: int) -> list[Section]:
            parts = self.direction_ * X[i]
            lines: list[list[Any]] = [
                [name, float(v), float(u), float(p)]
                for name, v, u, p in zip(self._names, X[i], self.direction_, parts)
            ]
            lines.append(["sum", "", "", float(parts.sum())])
            note = f"The projection is {'above' if above[i] else 'not above'} the threshold {self.threshold_:.4g}."
            heads = ["term", "value", "direction", "product"]
            return [Section("Projection on Fisher's direction", heads, lines, note)]

        def contributions(some: np.ndarray) -> Contributions:
            values, outputs = (
                (X[some] * self.direction_)[:, :, None],
                ["the projection on Fisher's direction"],
            )
            return self._contributions(values, np.zeros(1), outputs, np.zeros(len(some), int))

        return Reasons(sections, contributions)


def most_accurate_cut(z: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    """The midpoint of neighbouring z with the most weight on its side: class 1 above, class 0 below.

    Of equals the widest gap wins, then the one closest to 0.

    >>> import numpy as np
    >>> from assay.bayes.fisher_discriminant import most_accurate_cut
    >>> most_accurate_cut(np.array([-3.0, -2.0, 1.0, 2.0]), np.array([0, 0, 1, 1]), np.ones(4))
    -0.5
    """
    z, y, w = z[w > 0], y[w > 0], w[w > 0]
    order = np.argsort(z, kind="stable")
    z, signed = z[order], np.where(y[order] == 0, w[order], -w[order])
    right = np.cumsum(signed)[:-1]  # class 0 below minus class 1 below: accuracy up to a constant
    gap = np.diff(z)
    if not (gap > 0).any():
        return float(z[0])
    cut = z[:-1] + gap / 2
    right, gap, cut = right[gap > 0], gap[gap > 0], cut[gap > 0]
    return float(cut[np.lexsort((np.abs(cut), -gap, -right))[0]])


@dataclass
class _Projected:
    """Rows on the axis, block after block."""

    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]]

    def __add__(self, other: _Projected) -> _Projected:
        return _Projected(self.parts + other.parts)

    def columns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        z, y, w = (np.concatenate(column) for column in zip(*self.parts))
        return z, y, w
