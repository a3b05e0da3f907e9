"""LMCA: few directions in which each row's neighbours of its class are nearer than all others, by a margin."""

from __future__ import annotations

from assay.core import Card
from assay.core.parameters import Count
from assay.neighbors.large_margin_metric import LargeMarginMetric

__all__ = ["LMCA"]


class LMCA(LargeMarginMetric):
    r"""Map rows into few dimensions in which nearest neighbours do well (large margin component analysis).

    The objective of :class:`LMNN` over maps L of ``n_components`` rows,

    .. math:: \min_{L}\; (1-\mu) \sum_{i,j} \|L(x_i-x_j)\|^2
              + \mu \sum_{i,j,l} \max(0,\; 1 + \|L(x_i-x_j)\|^2 - \|L(x_i-x_l)\|^2) \quad (1)

    with the targets j of row i, its k nearest rows of its own class, and all rows l of other classes. The rank of
    :math:`M = L^T L` is then at most ``n_components``, and (1) is not convex: the descent, which begins with the
    directions in which all rows vary most when targets vary alike, ends in a local minimum. Use it to plot classes, and
    before neighbour searches in many columns.

    Cost: fit O(n^2 (d + s m)) for s steps and m components; transform O(d m) a row; memory O(n (d + k) + d^2).

    Parameters
    ----------
    n_components : int, default 2
        Dimensions after the map; more than there are columns means all.
    n_neighbors : int, default 3
        Targets of a row; in a smaller class all other rows of it.
    mu : float, default 0.5
        The weight of the second sum of (1) against the first.
    impostors : "all" or "nearest", default "all"
        Which l the second sum runs over: all rows of other classes, or the ``n_neighbors`` nearest of each row at the
        start.
    n_refreshes : int, default 0
        How often targets (and the nearest impostors) are taken anew by the learned distance, and the map learned again;
        fewer if they stay the same.
    max_iter : int, default 1000
        Steps at the most for each choice of targets.
    tol : float, default 1e-3
        Stops when the objective, with ever less rounded hinges, falls by less than this share.

    Attributes
    ----------
    components_ : (m, d) L, the directions that count most first; fewer rows where L has a lower rank
    metric_ : (d, d) M      distance_ : Mahalanobis
    target_neighbors_ : (n, n_neighbors) the targets of each row; -1 where a class has no more
    impostors_ : (q, 2) rows and their impostors that are within the margin in the end      slack_ : (q,) by how much
    objective_ : float, the value of (1)
    bound_ : float, no metric has a lower one; 0 unless there are as many components as columns
    history_ : list of dicts: objective (the least so far), bound, triplets within the margin, and violations
        (triplets whose impostor is nearer than the target)

    Examples
    --------
    One column separates the classes, three are noise:

    >>> import numpy as np
    >>> from assay.neighbors import LMCA
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["a", "b"], 40)
    >>> X = np.column_stack([rng.normal(size=80) + 4 * (y == "b"), rng.normal(size=(80, 3))])
    >>> abs(LMCA(1).fit(X, y).components_).argmax()
    np.int64(0)

    See Also
    --------
    LMNN, TripletMetric

    References
    ----------
    - Torresani, L. and Lee, K.-C. (2007). Large margin component analysis. Advances in Neural Information Processing
      Systems 19, 1385-1392.
    """

    card = Card(
        "lmca",
        "few directions in which a row's neighbours of its class are nearest, by a margin",
        also=("large margin component analysis",),
        scale=True,
        most_rows=20_000,
    )
    accepts = {"n_components": Count(1), **LargeMarginMetric.accepts}

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 3,
        mu: float = 0.5,
        impostors: str = "all",
        n_refreshes: int = 0,
        max_iter: int = 1000,
        tol: float = 1e-3,
    ):
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.mu = mu
        self.impostors = impostors
        self.n_refreshes = n_refreshes
        self.max_iter = max_iter
        self.tol = tol

    def _directions(self, p: int) -> int:
        return min(self.n_components, p)
