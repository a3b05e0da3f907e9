"""Fisher's directions one after the other, each at a right angle to those before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import qr
from scipy.linalg import null_space

from assay.bayes.gaussian_classifier import check_overflow
from assay.core.learner import Transformer
from assay.core.moments import ClassScatter, class_scatter
from assay.core.parameters import Count
from assay.core.stored import FloatArray
from assay.core.sum_learner import PassLearner
from assay.core.sums import Block, Source
from assay.core.targets import encode_labels
from assay.errors import DataError, DegenerateError
from assay.stats.multivariate.scatter import discriminant_directions, fisher_criterion, whitener

__all__ = ["FisherDirections"]


class FisherDirections(PassLearner, Transformer):
    r"""Project classes on several directions, each the best that is left at a right angle to the others.

    The first direction is Fisher's; every further one is Fisher's direction of the rows projected on the orthogonal
    complement of those before (DC 10.2.1.4):

    .. math:: FS(w) = \frac{w^TS_bw}{w^TS_ww},\qquad S_b = \sum_{k<l}(\mu_l-\mu_k)(\mu_l-\mu_k)^T,\qquad
              S_w = \sum_k p_k\Sigma_k                                                               \quad (1)

    with class shares p and covariances divided by the class sizes. Two classes have one discriminant only; these
    directions show what else tells them apart, for a plot or as columns for another learner. The criterion never
    grows from one direction to the next. The directions of `LinearDiscriminantAnalysis` are at no right angles, but
    uncorrelated within the classes.

    Directions end where the means agree in all that is left. All are sought where some class varies: collinear or
    constant columns, and more columns than rows, add no direction that says the same again.

    Cost: fit O(n d^2 + d^3); transform O(d K) a row; memory O(d^2), blocks of rows are not kept.

    Parameters
    ----------
    n_components : int or None, default 2
        Number of directions; None takes as many as there are columns, though each inherits the rounding of those
        before. There may be fewer.

    Attributes
    ----------
    directions_ : (k, d) of length 1 and at right angles; each points from the first class to the last
    criteria_ : (k,) FS of each, (1)
    classes_ : (K,)      means_ : (K, d)      priors_ : (K,) class shares      within_ : (d, d) S_w

    Examples
    --------
    >>> from assay.bayes import FisherDirections
    >>> X, y = [[0, 0], [2, 0], [4, 2], [6, 4]], ["a", "a", "b", "b"]
    >>> model = FisherDirections().fit(X, y)
    >>> model.directions_.round(4)
    array([[ 0.4472,  0.8944],
           [ 0.8944, -0.4472]])
    >>> model.criteria_.round(4)
    array([20., 10.])
    """

    accepts = {"n_components": Count(1) | None}
    stored = {
        "criteria_": FloatArray("r"),
        "directions_": FloatArray("r", "p"),
        "means_": FloatArray("K", "p"),
        "priors_": FloatArray("K", low=0),
        "within_": FloatArray("p", "p"),
    }
    _has_classes = True  # type: ignore[assignment]

    def __init__(self, n_components: int | None = 2):
        self.n_components = n_components

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.categorical = False  # the checks would round the columns until no scatter is left
        return tags

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        self.classes_, codes = encode_labels(y, X.shape[0], type(self).__name__)
        super()._learn(X, codes, w)

    def _learn_from(self, source: Source) -> None:
        self._solve(source.add_up(self._summarize))

    def _summarize(self, block: Block) -> ClassScatter:
        if len(self.classes_) < 2:
            raise DataError(
                "FisherDirections tells classes apart, y has one class (1 class). Give rows of another."
            )
        return class_scatter(block.X, block.y, block.w, len(self.classes_), pooled=True)

    def _solve(self, sums: ClassScatter) -> None:
        who = type(self).__name__
        if not sums.count.all():
            empty = self.classes_[int(np.argmin(sums.count))]
            raise DegenerateError(f"{who}: class {empty} has no row that weighs anything, so it has no mean.")
        check_overflow(who, sums.mean, sums.scatter)
        S_w = np.asarray(sums.scatter).reshape(sums.mean.shape[1], -1) / sums.count.sum()  # (1)
        first, second = np.triu_indices(len(sums.mean), 1)
        gaps = sums.mean[second] - sums.mean[first]
        if not S_w.any() or not gaps.any():
            what = "no column varies within a class" if gaps.any() else "the classes have the same mean"
            raise DegenerateError(
                f"{who}: {what}, so no direction is best (got {int(sums.rows.sum())} rows)."
            )
        self.means_, self.within_, self.priors_ = sums.mean, S_w, sums.count / sums.count.sum()
        found, self.criteria_ = orthogonal_directions(gaps, S_w, self.n_components)
        self.directions_ = found * np.where(found @ (sums.mean[-1] - sums.mean[0]) < 0, -1.0, 1.0)[:, None]

    def _transform(self, X: Any) -> np.ndarray:
        return X @ self.directions_.T

    def _names_out(self) -> list[str]:
        return [f"fisherdirections{k}" for k in range(len(self.directions_))]


def orthogonal_directions(
    gaps: np.ndarray, within: np.ndarray, n_components: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(k, d) directions and (k,) criteria of (m, d) differences of means and a scatter within classes.

    >>> import numpy as np
    >>> from assay.bayes.fisher_directions import orthogonal_directions
    >>> orthogonal_directions(np.array([[3.0, 0.0]]), np.eye(2))[0]  # in the second column the means agree
    array([[1., 0.]])
    """
    d, between = len(within), gaps.T @ gaps
    found: list[np.ndarray] = []
    criteria: list[float] = []
    P = whitener(within)
    space = np.eye(d) if P.shape[1] == d else qr(within @ P)[0]  # of all that varies within classes
    basis, r = space, space.shape[1]  # of the complement in it
    while len(found) < (r if n_components is None else min(n_components, r)):
        left, spread = gaps @ basis, basis.T @ within @ basis
        if np.linalg.norm(left) <= 1e-10 * np.linalg.norm(gaps) or not spread.any():
            break
        best = discriminant_directions(spread, left.T @ left, 1).directions
        if not best.size:
            break  # what is left of the means lies where no class has any spread
        w = basis @ best[:, 0]
        found.append(w / np.linalg.norm(w))
        criteria.append(fisher_criterion(found[-1], within, between))
        basis = space @ null_space(np.array(found) @ space)
    return np.array(found).reshape(-1, d), np.array(criteria)
