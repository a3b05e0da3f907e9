r"""What each column adds to the answer of trees, for one row: exact Shapley values (TreeSHAP).

Let :math:`f(S)` be what a tree is expected to answer when only the columns in S are known: at a test of a known
column the row goes its way, at any other it is spread over the children in proportion to their training weights.
The contribution of column j is its Shapley value, the average over all orders in which the d columns may become
known of what j changes:

.. math:: \phi_j = \sum_{S \not\ni j} \frac{|S|!\,(d-|S|-1)!}{d!}\,[f(S\cup j) - f(S)],\qquad
          f(\emptyset) + \sum_j\phi_j = f(x)                                                 \quad (1)

The sum has :math:`2^d` terms, yet for trees it is an integral of a polynomial for each leaf, and the native code takes
a row through m nodes in O(m D) where D is the number of columns on a path (Lundberg and others 2020 need
:math:`m D^2`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

import assay.trees._shap as _shap
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.parallel import in_threads
from assay.core.progress import progress
from assay.trees.tree import Tree

__all__ = ["column_reasons", "contribution_section", "contributions", "interactions"]

BLOCK = 256  # rows that one thread takes at a time
SHOWN = 16  # columns that a section lists one by one


def contributions(
    trees: Tree | Sequence[Tree],
    X: np.ndarray,
    scale: float | Sequence[float] | np.ndarray = 1.0,
    *,
    output: Sequence[int] | np.ndarray | None = None,
    n_outputs: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The exact contribution of each column to what a weighted sum of trees answers.

    A column that no tree tests gets exactly 0, and so does one whose missing value is spread over all children.
    Where a surrogate decides, the credit goes to the column it stands in for.

    Parameters
    ----------
    trees : one Tree, or several whose answers are added up
    X : (n, d) the rows as the trees see them: categories as codes, missing as NaN
    scale : what each tree's answer is multiplied with: one number, or one per tree (a forest of T trees: 1 / T)
    output : for each tree the output that its (first) value belongs to; None: 0
    n_outputs : how many outputs there are; None: as many as the trees' values have

    Returns
    -------
    (n, d, V) contributions and (V,) base values: the base plus the sum over columns is the answer

    Examples
    --------
    Two tests of equal weight; the row passes both. Known alone, each column takes the answer from 1 to 2, and
    together to 4: of the 3 that they add, each gets the half.

    >>> from assay.trees.shap import contributions
    >>> from assay.trees.tree import Tree
    >>> low = {"value": 0.0, "n": 2}
    >>> tree = Tree.of({"feature": 0, "threshold": 0.5, "children": [low, {"feature": 1, "threshold": 0.5,
    ...                 "children": [{"value": 0.0, "n": 1}, {"value": 4.0, "n": 1}]}]}, n_categories=[0, 0])
    >>> phi, base = contributions(tree, [[1.0, 1.0]])
    >>> phi[0, :, 0], base
    (array([1.5, 1.5]), array([1.]))
    """
    forest = [trees] if isinstance(trees, Tree) else list(trees)
    X = np.ascontiguousarray(X, dtype=np.float64)
    places = np.zeros(len(forest), np.int64) if output is None else np.asarray(output, np.int64)
    if n_outputs is None:
        n_outputs = max((int(p) + t.values.shape[1] for p, t in zip(places, forest)), default=1)
    scales = np.broadcast_to(np.asarray(scale, np.float64), (len(forest),))
    phi, base = np.zeros((*X.shape, n_outputs)), np.zeros(n_outputs)
    paths = [_paths(tree, X.shape[1]) for tree in forest]
    for tree, path, s, at in zip(forest, paths, scales, places):
        base[at : at + tree.values.shape[1]] += s * (path.reach[tree.is_leaf] @ tree.values[tree.is_leaf])
    blocks = [slice(a, min(a + BLOCK, len(X))) for a in range(0, len(X), BLOCK)]
    with progress(total=len(blocks), description="contributions") as bar:

        def work(rows: slice) -> None:
            for tree, path, s, at in zip(forest, paths, scales, places):
                _add(path, X[rows], tree.values, s, at, -1, phi[rows])
            bar.advance()

        in_threads(work, blocks)
    return phi, base


def interactions(
    trees: Tree | Sequence[Tree],
    X: np.ndarray,
    scale: float | Sequence[float] | np.ndarray = 1.0,
    *,
    output: Sequence[int] | np.ndarray | None = None,
    n_outputs: int | None = None,
) -> np.ndarray:
    r"""The contributions of each column, divided into its own and what it adds together with each other column.

    .. math:: \Phi_{ij} = \sum_{S \not\ni i,j} \frac{|S|!\,(d-|S|-2)!}{2\,(d-1)!}
              \,[f(S\cup ij) - f(S\cup i) - f(S\cup j) + f(S)],\qquad \Phi_{ii} = \phi_i - \sum_{j\ne i}\Phi_{ij}

    The table is symmetric, and its rows sum to the contributions. Cost: d times that of :func:`contributions`, and
    n d\ :sup:`2` numbers.

    Parameters
    ----------
    trees, X, scale, output, n_outputs : as in :func:`contributions`

    Returns
    -------
    (n, d, d, V)

    Examples
    --------
    An effect of both columns together is divided equally between them:

    >>> from assay.trees.shap import interactions
    >>> from assay.trees.tree import Tree
    >>> low = {"value": 0.0, "n": 2}
    >>> tree = Tree.of({"feature": 0, "threshold": 0.5, "children": [low, {"feature": 1, "threshold": 0.5,
    ...                 "children": [{"value": 0.0, "n": 1}, {"value": 4.0, "n": 1}]}]}, n_categories=[0, 0])
    >>> interactions(tree, [[1.0, 1.0]])[0, :, :, 0]
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    forest = [trees] if isinstance(trees, Tree) else list(trees)
    X = np.ascontiguousarray(X, dtype=np.float64)
    phi, _ = contributions(forest, X, scale, output=output, n_outputs=n_outputs)
    places = np.zeros(len(forest), np.int64) if output is None else np.asarray(output, np.int64)
    scales = np.broadcast_to(np.asarray(scale, np.float64), (len(forest),))
    paths = [_paths(tree, X.shape[1]) for tree in forest]
    table = np.zeros((len(X), X.shape[1], *phi.shape[1:]))
    used = [set(tree.feature[~tree.is_leaf].tolist()) for tree in forest]

    def work(i: int) -> None:
        twice = np.zeros_like(phi)
        for tree, columns, path, s, at in zip(forest, used, paths, scales, places):
            if i in columns:
                _add(path, X, tree.values, s, at, i, twice)
        table[:, i] = twice / 2

    in_threads(work, sorted(set().union(*used)))
    diagonal = np.arange(X.shape[1])
    table[:, diagonal, diagonal] = phi - table.sum(axis=2)
    return table


def _add(
    path: Any, X: np.ndarray, values: np.ndarray, scale: float, at: int, fixed: int, out: np.ndarray
) -> None:
    """Add the contributions of one tree; with a fixed column, those with it minus those without it."""
    point, weight = _gauss(path)
    _shap.add_contributions(
        paths=path,
        X=X,
        value=values,
        point=point,
        weight_of_point=weight,
        scale=float(scale),
        first=int(at),
        fixed=fixed,
        out=out,
    )


def _paths(tree: Tree, d: int) -> Any:
    """What the native code needs to know of a tree's paths."""
    if d != tree.n_features:
        raise ValueError(f"contributions: the trees were grown on {tree.n_features} columns, X has {d}.")
    return _shap.Paths(tree._nodes, tree.parent, tree.branch, tree.depth)


def _gauss(path: Any) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights that integrate the polynomials of a tree's paths exactly, see (1) in shap.cpp."""
    return _gauss_points((path.distinct + 1) // 2)


@lru_cache(maxsize=64)
def _gauss_points(Q: int) -> tuple[np.ndarray, np.ndarray]:
    """(Q,) points and weights that integrate polynomials of degree below 2 Q over 0 to 1 exactly."""
    from scipy.special import roots_legendre

    if Q == 0:
        return np.zeros(0), np.zeros(0)
    t, w = roots_legendre(Q)
    return np.ascontiguousarray((t + 1) / 2), np.ascontiguousarray(w / 2)


def column_reasons(
    contributions: Contributions, rows: RowValues, first: Callable[[int], list[Section]] | None = None
) -> Reasons:
    """Reasons that end with what each column adds to the output that explains the answer."""
    values, base = contributions.of_answers()

    def sections(i: int) -> list[Section]:
        of = contributions.outputs[contributions.chosen[i]]
        section = contribution_section(rows[i], values[i], float(base[i]), of=of, names=contributions.columns)
        return [*(first(i) if first else []), section]

    return Reasons(sections, contributions.take)


def contribution_section(
    row: Mapping[str, Any],
    contributions: np.ndarray,
    base: float,
    *,
    of: str = "the answer",
    title: str = "What each column adds",
    names: Sequence[str] | None = None,
) -> Section:
    """The contributions of one row as a section of an Explanation, the largest first.

    Columns that add nothing are left out, and of very many the small ones stand together in one line.

    Parameters
    ----------
    row : column name to value, as in ``Explanation.row``
    contributions : (d,) one number per column
    base : what is answered when nothing is known
    of : what the numbers are contributions to, such as "the log odds of yes"
    names : (d,) the columns' names if they are not the keys of ``row``

    Examples
    --------
    >>> from assay.core.explanation import text_table
    >>> from assay.trees.shap import contribution_section
    >>> section = contribution_section({"age": 31.0, "job": "none", "id": 7.0}, np.array([0.5, -1.25, 0]), 2.0)
    >>> print(text_table(section.columns, section.rows))
      column  value  contribution
      job     none          -1.25
      age     31              0.5
      base                      2
      sum                    1.25
    """
    phi = np.asarray(contributions, np.float64)
    labels = list(row) if names is None else list(names)
    order = [int(j) for j in np.argsort(-np.abs(phi), kind="stable") if phi[j] != 0]
    rows: list[list[Any]] = [[labels[j], row.get(labels[j], ""), float(phi[j])] for j in order[:SHOWN]]
    if len(order) > SHOWN:
        others = order[SHOWN:]
        rows.append([f"{len(others)} others", "", float(phi[others].sum())])
    rows += [["base", "", float(base)], ["sum", "", float(base + phi.sum())]]
    note = f"Shapley values: the base is {of} when nothing is known of the row, the sum is {of} for the row."
    return Section(title, ["column", "value", "contribution"], rows, note)
