"""OC1: oblique nodes by coordinate search from many starts, with random jumps out of local minima."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parallel import in_threads
from assay.core.parameters import Count, Range
from assay.trees.multivariate.hyperplanes import delete_inputs, hyperplane, univariate_start
from assay.trees.multivariate.multivariate_tree import CLASSIFYING, MultivariateTreeClassifier
from assay.trees.multivariate.rows import MAX_SEARCHED, SAMPLE, NodeRows
from assay.trees.multivariate.splits import Split
from assay.types import ClassWeight, RandomState

__all__ = ["OC1Classifier", "oc1_split"]

_MIN_PARALLEL = 100_000  # entries of a node's table from which several threads pay off


class OC1Classifier(MultivariateTreeClassifier):
    r"""A tree of hyperplanes, each the best that many randomised searches find.

    With :math:`g(x) = w^Tx + w_0` and all weights but :math:`w_j` fixed, row i is on the positive side if

    .. math:: w_j > U_i \text{ for } x_{ij} > 0, \qquad w_j < U_i \text{ for } x_{ij} < 0, \qquad
              U_i = \frac{w_j x_{ij} - g(x_i)}{x_{ij}}                                         \quad (1)

    so the best :math:`w_j` is found by sorting the :math:`U_i`. Weights are improved one after the other until none
    helps; a move to equal impurity is made with a probability that falls with every such move. Then the hyperplane
    jumps, as far as is best, in up to ``jumps`` random directions. The first search starts at the purest threshold of
    a single column, so that no node is less pure than a univariate one; the others start anywhere.

    Columns are standardised in each node; nominal ones come in as indicators. Cost of a node: O(restarts d n log n)
    times the few cycles that a search takes; large nodes are searched on several threads, with the same result. Nodes
    of more than 20,000 rows are searched on a sample of 5,000, and the best is then improved on all rows.

    Cost: fit O(r c d n log n) a level for r starts of c cycles over the columns; predict O(d depth) a row; memory O(n
    d) to fit, O(d nodes) kept.

    Parameters
    ----------
    restarts : int, default 20
        How many searches, the univariate start included. A pure split ends them early.
    jumps : int, default 5
        How many random directions are tried at a local minimum.
    deletion : float from 0 to 1, or None, default 0
        Afterwards the cheapest column is deleted while its cost in impurity is at most this share of the dearest; 0
        deletes what costs nothing, None keeps all.
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
        Seed of the starts and jumps.

    Attributes
    ----------
    tree_ : BranchTree      classes_ : (K,)      feature_importances_ : (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.trees import OC1Classifier
    >>> X = np.array([[i, j] for i in range(5) for j in range(5)], dtype=float)
    >>> model = OC1Classifier(random_state=0).fit(X, X.sum(axis=1) > 4)
    >>> model.get_n_leaves(), model.score(X, X.sum(axis=1) > 4)
    (2, 1.0)

    See Also
    --------
    LinearCombinationTreeClassifier, FisherTreeClassifier, SoftMarginTreeClassifier

    References
    ----------
    - Murthy, S. K., Kasif, S. and Salzberg, S. (1994). A system for induction of oblique decision trees. Journal
      of Artificial Intelligence Research 2, 1-32. doi:10.1613/jair.63
    """

    card = Card(
        "oc1",
        "a tree of hyperplanes found by randomised search",
        settings={"random_state": 0},
        learns=(
            "a tree of linear conditions",
            "impurity of the leaves",
            "one split after the other, its direction by a search or a discriminant",
            "greedy",
        ),
    )
    accepts = {"restarts": Count(), "jumps": Count(0), "deletion": Range(0, 1) | None, **CLASSIFYING}

    def __init__(
        self,
        restarts: int = 20,
        jumps: int = 5,
        deletion: float | None = 0.0,
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
        self.restarts = restarts
        self.jumps = jumps
        self.deletion = deletion
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
        return oc1_split(rows, rng, self.restarts, self.jumps, self.deletion)


def oc1_split(
    rows: NodeRows, rng: np.random.Generator, restarts: int, jumps: int, deletion: float | None
) -> Split | None:
    """The purest hyperplane of all searches, or the best threshold of a single column if that is as pure."""
    start = univariate_start(rows)
    if start is None:
        return None
    if len(rows) <= MAX_SEARCHED:
        weights, _ = _restarts(rows, rows.columns, start, rng, restarts, jumps)
    else:
        which, part = rows.sample(rng, SAMPLE)
        columns = np.ascontiguousarray(rows.columns[:, which])
        best, _ = _restarts(part, columns, start, rng, restarts, jumps)
        weights, _ = min(
            (rows.descend(initial, rows.columns, tol=1e-3) for initial in (start, best)), key=_impurity
        )
    if deletion is not None:
        weights = delete_inputs(weights, rows, deletion)
    split, impurity = hyperplane(weights[:-1], rows)
    simple, before = rows.best_threshold
    return split if impurity < before else simple


def _restarts(
    rows: NodeRows,
    columns: np.ndarray,
    start: np.ndarray,
    rng: np.random.Generator,
    restarts: int,
    jumps: int,
) -> tuple[np.ndarray, float]:
    """Weights and impurity of the best of all searches; among equals the first."""
    drawn = rng.random((restarts, len(start) + 1))
    starts = [start, *(2 * drawn[1:, :-1] - 1)]
    seeds = (drawn[:, -1] * 2**53).astype(np.int64).tolist()

    def climb(i: int) -> tuple[np.ndarray, float]:
        return rows.descend(starts[i], columns, jumps=jumps, seed=seeds[i])  # (1)

    if columns.size >= _MIN_PARALLEL:
        return min(in_threads(climb, range(restarts)), key=_impurity)
    results = [climb(0)]
    while len(results) < restarts and results[-1][1] > 0:
        results.append(climb(len(results)))
    return min(results, key=_impurity)


def _impurity(result: tuple[np.ndarray, float]) -> float:
    return result[1]
