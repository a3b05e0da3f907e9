r"""How much each column matters to a forest: three answers, from fast and biased to slow and direct.

- :func:`impurity_importances`: what the tests of a column lower the impurity of the training rows. Free, but a
  column with many distinct values gets credit for splits that fit noise.
- :func:`unbiased_importances`: the same credit, paid only as far as rows that a tree has not seen bear it out
  (MDI-oob of Li, Wang, Basu, Kumbier and Yu 2019). A column of noise gets about 0, perhaps a little less.
- :func:`permutation_importances`: how much worse the trees answer for rows they have not seen when the column's
  values are shuffled among these (Breiman 2001).

The last two need the training table again, in the same order of rows: which rows a tree has seen follows from its
seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from assay.core.parallel import in_threads
from assay.core.progress import progress
from assay.core.targets import label_codes, numeric_target
from assay.ensembles.forest import refuse_no_forest
from assay.ensembles.out_of_bag import out_of_bag
from assay.errors import DataError, DegenerateError
from assay.trees.forest_walker import gather_up
from assay.types import TableLike, Target

__all__ = ["impurity_importances", "permutation_importances", "unbiased_importances"]


def impurity_importances(forest: Any) -> np.ndarray:
    r"""(d,) the mean over trees of each column's share in what all tests of the tree lower the impurity.

    The test of a node with weight W and impurity I, and children l and r, lowers it by

    .. math:: W I - W_l I_l - W_r I_r                                        \quad (1)

    >>> from assay.ensembles import RandomForestClassifier
    >>> from assay.ensembles.importances import impurity_importances
    >>> X = [[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]
    >>> impurity_importances(RandomForestClassifier(10, random_state=0).fit(X, [0, 0, 1, 1]))
    array([1., 0.])
    """
    refuse_no_forest(forest, "impurity_importances")
    trees, d = forest.trees_, forest.n_features_in_
    if not len(trees.impurity):
        raise DegenerateError(
            f"{type(forest).__name__}: a forest made compact has no impurities, so it cannot show what its columns "
            "matter. Ask the forest it was made from."
        )
    amount = trees.weights() * trees.impurity
    inner = np.flatnonzero(trees.kind)
    inner = inner[trees.parent[inner + 1] == inner]
    gain = amount[inner] - amount[inner + 1] - amount[trees.walker.right[inner]]  # (1)
    tree = np.searchsorted(trees.roots, inner, side="right") - 1
    gains = np.bincount(tree * d + trees.feature, weights=gain, minlength=len(trees) * d).reshape(-1, d)
    gains = np.maximum(gains, 0.0)
    total = gains.sum(axis=1)
    if not (total > 0).any():
        return np.zeros(d)
    mean = (gains[total > 0] / total[total > 0, None]).mean(axis=0)
    return mean / mean.sum()


def unbiased_importances(forest: Any, X: TableLike, y: Target) -> np.ndarray:
    r"""(d,) what the tests of each column explain of rows that their tree has not seen (MDI-oob).

    Let :math:`\mu` be the value of a node: its class shares, or its mean. On its way down a row collects for each
    column the changes of :math:`\mu` at the tests of that column, :math:`f_{tj}(x)`. With the class of a row as a
    vector of zeros and a one, or its number as it is, :math:`z_i`, and the rows O outside of the bag of tree t,

    .. math:: \mathrm{MDI\text{-}oob}_j = \frac1T\sum_t\frac1{|O|}\sum_{i\in O} f_{tj}(x_i)\cdot z_i     \quad (1)

    Summed over the rows inside the bag instead, this is what the impurity (Gini, or the squared error) falls by, the
    ordinary importance, not divided by its sum.

    Parameters
    ----------
    forest : a fitted forest with ``bootstrap=True``
    X, y : the table and the target that it was fitted with

    Examples
    --------
    A column of noise with many values, beside one that decides:

    >>> from assay.ensembles import RandomForestClassifier
    >>> from assay.ensembles.importances import unbiased_importances
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.integers(0, 2, 300), rng.normal(size=300)])
    >>> y = np.where(rng.random(300) < 0.2, 1 - X[:, 0], X[:, 0])
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X, y)
    >>> bool(forest.feature_importances_[1] > 0.3), bool(abs(unbiased_importances(forest, X, y)[1]) < 0.03)
    (True, True)
    """
    values, target = _training_rows(forest, X, y)
    trees, d = forest.trees_, forest.n_features_in_
    z = np.eye(trees.n_classes)[target] if trees.n_classes else target.reshape(len(target), -1)

    def one(t: int) -> np.ndarray:
        tree = trees.tree(t)
        rows = np.flatnonzero(out_of_bag(forest._drawn(t, t + 1)[0], len(z)))
        sums = np.zeros((tree.node_count, z.shape[1]))
        np.add.at(sums, tree.apply(_some(values, rows)), z[rows])
        gather_up(tree.parent, sums)
        change = tree.values[1:] - tree.values[tree.parent[1:]]
        credit = np.sum(change * sums[1:], axis=1) / max(1, len(rows))
        return np.bincount(tree.feature[tree.parent[1:]], weights=credit, minlength=d)

    return np.mean(_over_trees(forest, one), axis=0)  # (1)


def permutation_importances(
    forest: Any, X: TableLike, y: Target, *, n_repeats: int = 1, random_state: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """How much the trees' accuracy (or R squared) for rows they have not seen falls when a column is shuffled.

    For every tree the rows outside of its bag are answered, then answered again with one column shuffled among them;
    the difference is averaged over trees. A column that a tree does not test changes nothing.

    Parameters
    ----------
    forest : a fitted forest with ``bootstrap=True``
    X, y : the table and the target that it was fitted with
    n_repeats : how often each column is shuffled
    random_state : int
        Of the shuffles.

    Returns
    -------
    (d,) mean over trees, and (d,) its standard error

    Examples
    --------
    >>> from assay.ensembles import RandomForestClassifier
    >>> from assay.ensembles.importances import permutation_importances
    >>> X = np.column_stack([np.arange(60.0), np.tile([0.0, 1.0, 2.0], 20)])
    >>> forest = RandomForestClassifier(30, random_state=0).fit(X, np.arange(60) >= 30)
    >>> mean, error = permutation_importances(forest, X, np.arange(60) >= 30)
    >>> bool(mean[0] > 0.3), bool(abs(mean[1]) < 0.05)
    (True, True)
    """
    values, target = _training_rows(forest, X, y)
    walker, d = forest.trees_.walker, forest.n_features_in_
    dense = values if isinstance(values, np.ndarray) else values.toarray()
    classes = forest.trees_.n_classes > 0
    scale = 1.0 if classes else max(float(np.mean((target - target.mean(axis=0)) ** 2)), 1e-300)

    def wrong(t: int, block: np.ndarray, truth: np.ndarray) -> float:
        answers = walker.sums(block, t, t + 1, n_jobs=1)
        if classes:
            return float(np.mean(np.argmax(answers, axis=1) != truth))
        return float(np.mean((answers - truth.reshape(answers.shape)) ** 2)) / scale

    def one(t: int) -> np.ndarray:
        random = np.random.default_rng([random_state, t])
        rows = np.flatnonzero(out_of_bag(forest._drawn(t, t + 1)[0], len(dense)))
        worse, truth = np.zeros(d), target[rows]
        if not len(rows):
            return worse
        block = dense[rows].astype(np.float64)
        before = wrong(t, block, truth)
        for j in np.unique(forest.trees_.tree(t).feature):
            if j < 0:
                continue
            column = block[:, j].copy()
            for _ in range(n_repeats):
                block[:, j] = random.permutation(column)
                worse[j] += (wrong(t, block, truth) - before) / n_repeats
            block[:, j] = column
        return worse

    each = np.array(_over_trees(forest, one))
    return each.mean(axis=0), each.std(axis=0, ddof=min(1, len(each) - 1)) / np.sqrt(len(each))


def _training_rows(forest: Any, X: Any, y: Any) -> tuple[Any, np.ndarray]:
    refuse_no_forest(forest, "importances")
    who = type(forest).__name__
    values = forest._admit(X)
    if "_bags" not in vars(forest):
        raise DegenerateError(
            f"{who}: a forest made compact does not know the bags of its trees. Ask the forest it was made from."
        )
    if forest.n_outputs_ > 1 and is_classifier(forest):
        raise DataError(
            f"{who}: importances from rows outside of the bags are for one target of classes. Fit a forest for each."
        )
    if not forest.bootstrap:
        raise DegenerateError(f"{who}: every tree has seen every row. Fit the forest with bootstrap=True.")
    if forest._bags["rows"] != values.shape[0]:
        raise DataError(
            f"{who}: expected the table that the forest was fitted with, got {values.shape[0]} rows."
        )
    if is_classifier(forest):
        return values, label_codes(y, forest.classes_, values.shape[0], who)
    return values, numeric_target(y, values.shape[0], who)


def _over_trees(forest: Any, work: Any) -> list[Any]:
    T = len(forest.trees_)
    with progress(total=T, description="importances") as bar:

        def one(t: int) -> Any:
            result = work(t)
            bar.advance()
            return result

        return in_threads(one, range(T), forest.n_jobs)


def _some(values: Any, rows: np.ndarray) -> np.ndarray:
    return values[rows] if isinstance(values, np.ndarray) else values[rows].toarray()
