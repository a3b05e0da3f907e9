"""Sphere tree: a node tests whether a row lies in a sphere or an ellipsoid."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Count
from assay.trees.multivariate.curved_splits import Ellipsoid, Sphere
from assay.trees.multivariate.multivariate_tree import CLASSIFYING, MultivariateTreeClassifier
from assay.trees.multivariate.quadratic_tree import own_covariances
from assay.trees.multivariate.rows import MAX_SEARCHED, SAMPLE, NodeRows
from assay.trees.multivariate.splits import Split
from assay.types import ClassWeight, RandomState

__all__ = ["SphereTreeClassifier"]

_REFINED = 3  # centres from which a search starts


class SphereTreeClassifier(MultivariateTreeClassifier):
    r"""A tree whose nodes compare the distance from a centre with a radius.

    .. math:: \lVert x - c\rVert \le \alpha                                                  \quad (1)

    in the columns' own units or in standardised columns, whichever parts the classes better; with
    ``shape="ellipsoid"``, the Mahalanobis distance by the covariance of one class.
    Candidates for the centre are the means of the classes and some of the rows, each with its purest radius. The best
    are refined by coordinate search: a sphere is a hyperplane in the columns and the squared length of a row,

    .. math:: q\lVert x\rVert^2 + a^Tx + b \le 0, \qquad c = -\frac{a}{2q}, \quad
              \alpha^2 = \lVert c\rVert^2 - \frac bq                                        \quad (2)

    so the line searches of oblique trees move it. A leaf is an intersection of balls and of what is outside of balls.

    Nominal columns come in as indicators. Cost of a node: O(d n log n) times the few cycles of a search. In nodes of
    more than 20,000 rows the centre is sought on a sample of 5,000.

    Cost: fit O(c n (d + log n)) a level for c centres, and O(d n log n) for each refinement; predict O(d depth) a row;
    memory O(n d) to fit, O(d nodes) kept.

    Parameters
    ----------
    shape : "sphere" or "ellipsoid", default "sphere"
    centres : int, default 10
        How many rows are tried as centres beside the class means.
    criterion : "gini" or "entropy", default "gini"
        How mixed the rows of a node are.
    max_depth : int, default None
        How many tests may lead to a leaf; None is no limit.
    min_samples_split, min_samples_leaf : int, or float as a share of the rows, default 2, 1
        Smaller nodes are not split; no branch has fewer rows.
    min_weight_fraction_leaf : float, default 0
        No branch has less than this share of the weight of all rows.
    min_impurity_decrease : float, default 0
        A split must lower the impurity, weighed by the node's share of all rows, by this much.
    validation_fraction : float, default None
        Set this share of the rows aside and prune by them: a node whose subtree does not err less becomes a leaf.
    class_weight : dict, "balanced" or None, default None
        What each class counts.
    random_state : int, RandomState, Generator or None
        Seed of the rows that are tried, and of the search.

    Attributes
    ----------
    tree_ : BranchTree      classes_ : (K,)      feature_importances_ : (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.trees import SphereTreeClassifier
    >>> X = np.random.default_rng(0).uniform(-2, 2, (300, 2))
    >>> inside = np.sum(X**2, axis=1) <= 1
    >>> model = SphereTreeClassifier(random_state=0).fit(X, inside)
    >>> model.get_n_leaves(), model.score(X, inside)
    (2, 1.0)

    See Also
    --------
    QuadraticTreeClassifier, OC1Classifier

    References
    ----------
    - Devroye, L., Györfi, L. and Lugosi, G. (1996). A Probabilistic Theory of Pattern Recognition. Springer.
    """

    card = Card(
        "sphere tree",
        "a tree of distances from centres",
        settings={"random_state": 0},
        learns=(
            "a tree of curved conditions",
            "impurity of the leaves",
            "one split after the other, each by a small learner",
            "greedy",
        ),
    )
    accepts = {"shape": Choice("sphere", "ellipsoid"), "centres": Count(0), **CLASSIFYING}

    def __init__(
        self,
        shape: str = "sphere",
        centres: int = 10,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        validation_fraction: float | None = None,
        class_weight: ClassWeight = None,
        random_state: RandomState = None,
    ):
        self.shape = shape
        self.centres = centres
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.random_state = random_state

    def _split(self, rows: NodeRows, rng: np.random.Generator) -> Split | None:
        return self._sphere(rows, rng) if self.shape == "sphere" else self._ellipsoid(rows, rng)

    def _sphere(self, rows: NodeRows, rng: np.random.Generator) -> Split | None:
        """The purer of a ball in the columns' own units and one in standardised columns; the former if equal."""
        best, least = None, np.inf
        for scale in (np.ones_like(rows.scale), rows.scale):
            unit = rows.scale.max() if scale is not rows.scale else 1.0  # the search wants numbers of size 1
            centre = self._best_ball((rows.X - rows.centre) / (unit * scale), rows, rng)
            sphere = Sphere(rows.centre + unit * scale * centre, scale, 0.0, rows.scale)
            limit, impurity = rows.cut(sphere.value(rows.X))
            if impurity < least - 1e-12:
                best, least = Sphere(sphere.centre, scale, limit, rows.scale), impurity
        return best

    def _ellipsoid(self, rows: NodeRows, rng: np.random.Generator) -> Split | None:
        """A ball in the coordinates in which one class is round; the best of all classes."""
        best, least = None, np.inf
        _, covariances = own_covariances(rows, np.searchsorted(rows.classes, rows.y), len(rows.classes))
        for S in covariances:
            axes = np.linalg.inv(np.linalg.cholesky(S)).T
            centre = self._best_ball(rows.standard @ axes, rows, rng)
            place = rows.centre + rows.scale * np.linalg.solve(axes.T, centre)
            ellipsoid = Ellipsoid(place, axes / rows.scale[:, None], 0.0, rows.scale)
            limit, impurity = rows.cut(ellipsoid.value(rows.X))
            if impurity < least - 1e-12:
                best, least = Ellipsoid(ellipsoid.centre, ellipsoid.axes, limit, ellipsoid.scale), impurity
        return best

    def _best_ball(self, Z: np.ndarray, rows: NodeRows, rng: np.random.Generator) -> np.ndarray:
        """The centre of the ball in Z that leaves the branches purest."""
        if len(rows) > MAX_SEARCHED:
            which, part = rows.sample(rng, SAMPLE)
            return self._best_ball(Z[which], part, rng)
        candidates = sorted(
            (
                (rows.cut(np.sum((Z - centre) ** 2, axis=1)), i, centre)
                for i, centre in enumerate(self._tries(Z, rows, rng))
            ),
            key=lambda candidate: (candidate[0][1], candidate[1]),
        )
        (_, least), _, best = candidates[0]
        lifted = np.ascontiguousarray(np.vstack((Z.T, np.sum(Z * Z, axis=1))))
        for (limit, impurity), _, centre in candidates[:_REFINED]:
            if not np.isfinite(impurity) or least <= 0:
                break
            start = np.concatenate((-2 * centre, [1.0, centre @ centre - limit]))  # (2)
            weights, reached = rows.descend(start, lifted, jumps=20, seed=int(rng.integers(2**62)))
            if reached < least - 1e-12 and abs(weights[-2]) > 1e-9 * np.abs(weights).max():
                best, least = -weights[:-2] / (2 * weights[-2]), reached
        return best

    def _tries(self, Z: np.ndarray, rows: NodeRows, rng: np.random.Generator) -> np.ndarray:
        """Centres to begin with: the class means, and rows drawn from the distinct ones."""
        means = [np.average(Z[rows.y == k], axis=0, weights=rows.w[rows.y == k]) for k in rows.classes]
        order = np.lexsort(rows.X.T)  # whatever order the rows came in
        apart = np.append(True, (rows.X[order[1:]] != rows.X[order[:-1]]).any(axis=1))
        distinct = order[apart]
        drawn = rng.permutation(len(distinct))[: self.centres]
        return np.vstack((means, Z[distinct[drawn]]))
