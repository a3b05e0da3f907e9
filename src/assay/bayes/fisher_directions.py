"""Fisher's discriminant directions, each orthogonal to those before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import qr
from scipy.linalg import null_space

from assay.bayes.gaussian_classifier import check_overflow
from assay.bayes.low_rank import few_rows, whitening_of_rows
from assay.core import Card
from assay.core.learner import Transformer
from assay.core.moments import ClassScatter, RowScatter, class_scatter
from assay.core.parameters import Count
from assay.core.stored import FloatArray
from assay.core.sum_learner import PassLearner
from assay.core.sums import Block, Source
from assay.core.targets import encode_labels
from assay.errors import DataError, DegenerateError
from assay.stats.multivariate.scatter import discriminant_directions, fisher_criterion, whitener

__all__ = ["FisherDirections"]


class FisherDirections(PassLearner, Transformer):
    r"""Project on several orthogonal directions, each maximising Fisher's criterion.

    The first direction is Fisher's; every further one is Fisher's direction of the rows projected on the orthogonal
    complement of those before:

    .. math:: FS(w) = \frac{w^TS_bw}{w^TS_ww},\qquad S_b = \sum_{k<l}(\mu_l-\mu_k)(\mu_l-\mu_k)^T,\qquad
              S_w = \sum_k p_k\Sigma_k                                                               \quad (1)

    with class shares p and covariances divided by the class sizes. Two classes have one discriminant only; these
    directions show what else separates them, for a plot or as columns for another learner. The criterion never
    grows from one direction to the next. The directions of `LinearDiscriminantAnalysis` are at no right angles, but
    uncorrelated within the classes.

    Directions end where the means agree in all that is left. All are sought where some class varies: collinear or
    constant columns, and more columns than rows, add no redundant direction.

    Cost: fit O(n d^2 + d^3), with fewer rows than columns O(n^2 d); transform O(d k) a row; memory O(d^2), then
    O(n d); blocks of rows are not kept.

    Parameters
    ----------
    n_components : int or None, default 2
        Number of directions; None takes as many as there are columns, though each inherits the rounding of those
        before. There may be fewer.

    Attributes
    ----------
    directions_ : (k, d) of length 1 and at right angles; each points from the first class to the last
    criteria_ : (k,) FS of each, (1)
    classes_ : (K,)      means_ : (K, d)      priors_ : (K,) class shares      within_ : (d, d) S_w,
        of fewer rows than columns made when it is asked for

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

    See Also
    --------
    FisherDiscriminant, LinearDiscriminantAnalysis

    References
    ----------
    - Foley, D. H. and Sammon, J. W. (1975). An optimal set of discriminant vectors. IEEE Transactions on Computers
      C-24(3), 281-289.
    - Rao, C. R. (1948). The utilization of multiple measurements in problems of biological classification. Journal
      of the Royal Statistical Society B 10(2), 159-203.
    """

    card = Card("fisher directions", "projections at right angles that keep the classes apart")
    accepts = {"n_components": Count(1) | None}
    stored = {
        "criteria_": FloatArray("r"),
        "directions_": FloatArray("r", "p"),
        "means_": FloatArray("K", "p"),
        "priors_": FloatArray("K", low=0),
        "within_": FloatArray("p", "p"),
        "_within_rows": FloatArray("*", "p"),
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
        few = few_rows(source, len(self.classes_)) if len(self.classes_) > 1 else None
        self._solve(source.add_up(self._summarize) if few is None else few)

    def _summarize(self, block: Block) -> ClassScatter:
        if len(self.classes_) < 2:
            raise DataError(
                "FisherDirections tells classes apart, y has one class (1 class). Give rows of another."
            )
        return class_scatter(block.X, block.y, block.w, len(self.classes_), pooled=True)

    def _solve(self, sums: ClassScatter | RowScatter) -> None:
        who = type(self).__name__
        if not sums.count.all():
            empty = self.classes_[int(np.argmin(sums.count))]
            raise DegenerateError(f"{who}: class {empty} has no row that weighs anything, so it has no mean.")
        few = isinstance(sums, RowScatter)
        check_overflow(who, sums.mean, sums.squares if isinstance(sums, RowScatter) else sums.scatter)
        if isinstance(sums, RowScatter):  # its product with itself is S_w
            within = sums.deviations / np.sqrt(sums.count.sum())
        else:
            within = np.asarray(sums.scatter).reshape(sums.mean.shape[1], -1) / sums.count.sum()  # (1)
        first, second = np.triu_indices(len(sums.mean), 1)
        gaps = sums.mean[second] - sums.mean[first]
        if not within.any() or not gaps.any():
            what = "no column varies within a class" if gaps.any() else "the classes have the same mean"
            raise DegenerateError(
                f"{who}: {what}, so no direction is best (got {int(sums.rows.sum())} rows)."
            )
        self.means_, self.priors_ = sums.mean, sums.count / sums.count.sum()
        for name in ("within_", "_within_rows"):
            self.__dict__.pop(name, None)
        setattr(self, "_within_rows" if few else "within_", within)
        along = _directions_of_rows if few else orthogonal_directions
        directions, self.criteria_ = along(gaps, within, self.n_components)
        turned = directions @ (sums.mean[-1] - sums.mean[0]) < 0
        self.directions_ = directions * np.where(turned, -1.0, 1.0)[:, None]

    def __getattr__(self, name: str) -> Any:
        if name == "within_" and "_within_rows" in vars(self):  # large, so it is computed on access
            return self._within_rows.T @ self._within_rows
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

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
    P = whitener(within)
    if P.shape[1] == len(within):
        return _directions_in_space(gaps, within, n_components, np.linalg.norm(gaps))
    space = qr(within @ P)[0]  # of all that varies within classes
    inside = gaps @ space, space.T @ within @ space
    directions, criteria = _directions_in_space(*inside, n_components, np.linalg.norm(gaps))
    return directions @ space.T, criteria


def _directions_of_rows(
    gaps: np.ndarray, F: np.ndarray, n_components: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """`orthogonal_directions` of a scatter F' F of fewer rows than columns, found in the span of the rows."""
    space = qr(whitening_of_rows(F).root)[0]
    inside = gaps @ space, (F @ space).T @ (F @ space)
    directions, criteria = _directions_in_space(*inside, n_components, np.linalg.norm(gaps))
    return directions @ space.T, criteria


def _directions_in_space(
    gaps: np.ndarray, within: np.ndarray, n_components: int | None, apart: np.floating[Any]
) -> tuple[np.ndarray, np.ndarray]:
    """The directions of a scatter of full rank r, in its own coordinates; ``apart`` is the length of all gaps."""
    r, between = len(within), gaps.T @ gaps
    directions: list[np.ndarray] = []
    criteria: list[float] = []
    basis = np.eye(r)  # of the complement
    while len(directions) < (r if n_components is None else min(n_components, r)):
        left, spread = gaps @ basis, basis.T @ within @ basis
        if np.linalg.norm(left) <= 1e-10 * apart or not spread.any():
            break
        best = discriminant_directions(spread, left.T @ left, 1).directions
        if not best.size:
            break  # what is left of the means lies where no class has any spread
        w = basis @ best[:, 0]
        directions.append(w / np.linalg.norm(w))
        criteria.append(fisher_criterion(directions[-1], within, between))
        basis = null_space(np.array(directions))
    return np.array(directions).reshape(-1, r), np.array(criteria)
