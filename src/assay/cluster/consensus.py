"""Consensus: one grouping out of many, by how often two rows are together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from assay.cluster.hierarchy import first_come, merge_tree
from assay.cluster.k_means import KMeans
from assay.cluster.row_clusterer import RowClusterer
from assay.core import Card
from assay.core.parameters import Choice, Count, Instance, Range, Seed
from assay.core.seeds import random_state_of, with_seed
from assay.core.stored import FloatArray, Integer
from assay.errors import DataError
from assay.types import Estimator, Labels, RandomState

__all__ = ["ConsensusClustering", "co_association", "consensus_labels"]


def co_association(labelings: Sequence[Labels], share: bool = False) -> np.ndarray:
    """(n, n) how often two rows are in one group, or in what share of the groupings that have both.

    A label below 0, or None, leaves a row out of a grouping.

    Examples
    --------
    >>> from assay.cluster import co_association
    >>> co_association([[1, 1, 2, 2, 3], [1, 1, 1, 2, 2], [2, 2, 1, 1, 1]]).astype(int).tolist()[2]
    [1, 1, 3, 2, 1]

    See Also
    --------
    ConsensusClustering, consensus_labels

    References
    ----------
    - Fred, A. L. N. and Jain, A. K. (2005). Combining multiple clusterings using evidence accumulation. IEEE
      Transactions on Pattern Analysis and Machine Intelligence 27(6), 835-850. doi:10.1109/TPAMI.2005.113
    """
    together = both = None
    if not isinstance(labelings, Iterable):
        raise DataError("co_association: the groupings must be a list of lists of labels.")
    for labels in labelings:
        plain = np.asarray(labels, dtype=object).tolist()
        values = [None if v is None or (isinstance(v, (int, float)) and v < 0) else v for v in plain]
        present = np.array([v is not None for v in values])
        _, codes = np.unique(np.array([str(v) for v in values]), return_inverse=True)
        members = np.eye(int(codes.max(initial=0)) + 1)[codes] * present[:, None]
        pairs = members @ members.T
        if together is not None and pairs.shape != together.shape:
            raise DataError("co_association: all groupings must be of the same rows.")
        known = np.outer(present, present).astype(np.float64)
        together = pairs if together is None else together + pairs
        both = known if both is None else both + known
    if together is None or both is None:
        raise DataError("co_association: there is no grouping.")
    if not share:
        return together
    shares = np.divide(together, both, out=np.zeros_like(together), where=both > 0)
    np.fill_diagonal(shares, 1.0)
    return shares


def consensus_labels(
    labelings: Sequence[Labels],
    n_clusters: int | None = None,
    *,
    linkage: str = "average",
    threshold: float = 0.5,
) -> np.ndarray:
    """(n,) one grouping out of many: a hierarchy of the shares of :func:`co_association`, cut.

    Parameters
    ----------
    labelings : groupings of the same n rows
    n_clusters : int or None, default None
        None joins what is together in at least ``threshold`` of the groupings.
    linkage : "average", "single" or "complete", default "average"
    threshold : float, default 0.5

    Examples
    --------
    >>> from assay.cluster import consensus_labels
    >>> consensus_labels([[1, 1, 2, 2, 3], [1, 1, 1, 2, 2], [2, 2, 1, 1, 1]], 2).tolist()
    [0, 0, 1, 1, 1]

    See Also
    --------
    co_association, ConsensusClustering
    """
    apart = 1 - co_association(labelings, share=True)
    tree = merge_tree(apart, linkage, apart)
    return tree.cut(n_clusters) if n_clusters is not None else tree.cut(height=1 - threshold + 1e-12)


class ConsensusClustering(RowClusterer):
    r"""Group the rows many times, with other rows and other starts each time, and keep what stays together.

    With :math:`c_{ij}` the share of the groupings, of those that saw both, in which rows i and j are together, rows are
    merged by average linkage of :math:`1 - c_{ij}`. Groups that one start finds by chance vanish; many small groups,
    joined in this way, may have any form (evidence accumulation). A new row belongs to the group of its nearest
    training row.

    Cost: fit m times that of the estimator, and O(m n^2); predict O(n d) a row; memory O(n^2).

    Parameters
    ----------
    n_clusters : int, default 2
    estimator : clusterer or None, default None
        None is k-means with a number of groups drawn between ``n_clusters`` and its fourfold.
    n_estimators : int, default 30
    share : float, default 0.8
        Of the rows, drawn for each grouping.
    linkage : "average", "single" or "complete", default "average"
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    labels_ : (n,)      co_association_ : (n, n)      n_clusters_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from assay.cluster import ConsensusClustering
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 1, (20, 2)) for m in (0, 9)])
    >>> ConsensusClustering(2, random_state=0).fit(X).labels_.tolist() == [0] * 20 + [1] * 20
    True

    See Also
    --------
    co_association, consensus_labels, stability_of_clusters

    References
    ----------
    - Fred, A. L. N. and Jain, A. K. (2005). Combining multiple clusterings using evidence accumulation. IEEE
      Transactions on Pattern Analysis and Machine Intelligence 27(6), 835-850. doi:10.1109/TPAMI.2005.113
    - Monti, S., Tamayo, P., Mesirov, J. and Golub, T. (2003). Consensus clustering. Machine Learning 52, 91-118.
      doi:10.1023/A:1023949509487
    """

    card = Card("consensus clustering", "what stays together over many groupings", scale=True)
    accepts = {
        "n_clusters": Count(1),
        "estimator": Instance(having="fit", words="a clusterer") | None,
        "n_estimators": Count(1),
        "share": Range(0, 1, open="low"),
        "linkage": Choice("average", "single", "complete"),
        "random_state": Seed(),
    }
    stored = {"co_association_": FloatArray("n", "n"), "n_clusters_": Integer(low=1)}

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        estimator: Estimator | None = None,
        n_estimators: int = 30,
        share: float = 0.8,
        linkage: str = "average",
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.share = share
        self.linkage = linkage
        self.random_state = random_state

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """Numbers alone."""
        return frozenset()

    def _group(self, X: Any, w: np.ndarray | None) -> None:
        n, who = X.shape[0], type(self).__name__
        if n < self.n_clusters:
            raise DataError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.", who=who)
        self._refuse_many(n)
        draw = random_state_of(self.random_state)
        size = min(n, max(self.n_clusters, round(self.share * n)))
        labelings = []
        for _ in range(self.n_estimators):
            rows = np.sort(draw.choice(n, size=size, replace=False))
            k = int(draw.randint(self.n_clusters, 4 * self.n_clusters + 1))
            seed = int(draw.randint(2**31 - 1))
            model = KMeans(min(k, size)) if self.estimator is None else clone(self.estimator)
            labels = np.full(n, -1, dtype=np.int64)
            labels[rows] = with_seed(model, seed).fit(X[rows]).labels_
            labelings.append(labels)
        self.co_association_ = co_association(labelings, share=True)
        apart = 1 - self.co_association_
        tree = merge_tree(apart, self.linkage, apart)
        self.labels_ = first_come(tree.cut(self.n_clusters))
        self.n_clusters_ = self.n_clusters

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Find groups among the rows of X; y is ignored."""
        return super().fit(X)
