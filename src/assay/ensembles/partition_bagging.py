"""One member for each block of rows or partition of a cluster, which answer together."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from assay.core import Card, Classifier, Regressor
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.meta_estimator import aligned, predicted_codes
from assay.core.parallel import in_threads
from assay.core.parameters import Accepted, Choice, Count, Instance, Seed
from assay.core.row_draws import row_uniforms
from assay.core.seeds import LARGEST_SEED, drawn_seed
from assay.core.stored import Each, FloatArray, Object
from assay.core.sums import Block, Source
from assay.ensembles.of_blocks import OfBlocks
from assay.errors import AssayError, DataError
from assay.tables import Table
from assay.types import Estimator, Floats, RandomState

__all__ = ["PartitionBaggingClassifier", "PartitionBaggingRegressor"]


class _PartitionBagging(OfBlocks):
    """What both share: a member for each block, with the weight of its rows."""

    accepts: ClassVar[dict[str, Accepted | None]] = {
        "estimator": Instance(having="fit") | None,
        "n_estimators": Count(1),
        "random_state": Seed(),
    }
    stored = {
        "estimators_": Each(Object(BaseEstimator), "t"),
        "estimator_weights_": FloatArray("t", low=0, finite=True),
    }
    estimator: Any
    n_estimators: int
    random_state: Any
    estimators_: list[Any]
    estimator_weights_: np.ndarray

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        values, seed = X.values, drawn_seed(self.random_state, type(self).__name__)
        part = _dealt(y if self._task == "classifier" else np.zeros(len(y)), self.n_estimators, seed)
        parts = [rows for t in range(self.n_estimators) if len(rows := np.flatnonzero(part == t))]

        def member(rows: np.ndarray) -> list[tuple[Any, float]]:
            block = Block(values[rows], y[rows], None if w is None else w[rows])
            return self._members(block, rows, seed)

        self._keep([pair for pairs in in_threads(member, parts) for pair in pairs])

    def _learn_from(self, source: Source) -> None:
        seed = drawn_seed(self.random_state, type(self).__name__)

        def member(block: Block) -> list[tuple[Any, float]]:
            return self._members(block, block.start + np.arange(block.X.shape[0]), seed)

        self._keep(source.numbered().add_up(member))

    def _members(self, block: Block, numbers: np.ndarray, seed: int) -> list[tuple[Any, float]]:
        """The member of a block whose rows have these numbers, and what they weigh; none if they weigh nothing."""
        weight = float(len(numbers) if block.w is None else block.w.sum())
        if weight <= 0:
            return []
        try:
            return [(self._fit_block(block, numbers, (seed + int(numbers[0])) % LARGEST_SEED), weight)]
        except AssayError as error:
            n = len(numbers)
            raise DataError(
                f"{error} (This is the member of a part of {n} row{'s' * (n > 1)}. Take larger parts whose rows are in "
                "no order.)",
                who=type(self).__name__,
            ) from error

    def _keep(self, members: list[tuple[Any, float]]) -> None:
        if not members:
            raise DataError("all rows have the weight zero.", who=type(self).__name__)
        self.estimators_ = [model for model, _ in members]
        weights = np.array([weight for _, weight in members])
        self.estimator_weights_ = weights / weights.sum()

    def _asked(self) -> Any:
        members = vars(self).get("estimators_")
        return members[0] if members else self._template()

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Any:
        return iter(self.estimators_)


def _dealt(kinds: np.ndarray, parts: int, seed: int) -> np.ndarray:
    """(n,) the part of each row: the rows of a class are dealt in a random order, one part after the other."""
    order = np.lexsort((row_uniforms(seed, 0, 0, len(kinds)), kinds))
    ordered = kinds[order]
    first = np.searchsorted(ordered, ordered)
    part = np.empty(len(kinds), dtype=np.int64)
    part[order] = (np.arange(len(kinds)) - first) % parts
    return part


class PartitionBaggingClassifier(_PartitionBagging, Classifier):
    r"""Bagging over partitions: one classifier for each block of rows, which vote.

    C4.5, RIPPER or nearest neighbours cannot be had from sums over rows. From blocks on disk (``fit_blocks``) or a Dask
    collection this wrapper fits one member to each block or partition by itself, where its rows are, and weighs the
    members' posteriors by the weight :math:`n_l` of their rows:

    .. math:: P(k\mid x) = \sum_l \frac{n_l}{n}\,P_l(k\mid x)                       \quad (1)

    or, with ``combine="vote"``, their answers. This is not the classifier of all rows: each member has seen one part,
    and what is learned depends on the cut. Rows should be in no order (a part with one class only teaches its member
    nothing), and each part large enough to learn from. A table in memory is dealt at random, class by class, into
    ``n_estimators`` parts.

    Cost: fit that of the estimator for each part, in parallel; predict that of all members; memory O(m d) to fit, with
    m rows in the largest part, and all members kept.

    Parameters
    ----------
    estimator : classifier of Assay, default None
        None stands for C4.5.
    n_estimators : int, default 10
        Parts into which a table in memory is dealt; blocks and partitions are taken as they come.
    combine : "average" or "vote", default "average"
        Whether posteriors (1) or answers are put together.
    random_state : int, RandomState or None, default None
        Seed of the parts of a table in memory, and of members that draw.

    Attributes
    ----------
    classes_ : (K,)      estimators_ : list of the members
    estimator_weights_ : (T,) the share of each member's rows

    Examples
    --------
    >>> import numpy as np
    >>> from assay.ensembles import PartitionBaggingClassifier
    >>> def blocks():
    ...     rng = np.random.default_rng(0)
    ...     for _ in range(5):
    ...         X = rng.normal(size=(500, 2))
    ...         yield X, np.where(X[:, 0] > 0, "up", "down")
    >>> model = PartitionBaggingClassifier().fit_blocks(blocks)
    >>> len(model), model.predict([[1.0, 0.0], [-1.0, 0.0]]).tolist()
    (5, ['up', 'down'])

    See Also
    --------
    SubsampledClassifier, BaggingClassifier, PartitionBaggingRegressor

    References
    ----------
    - Breiman, L. (1999). Pasting small votes for classification in large databases and on-line. Machine Learning
      36, 85-103. doi:10.1023/A:1007563306331
    - Chawla, N. V., Hall, L. O., Bowyer, K. W. and Kegelmeyer, W. P. (2004). Learning ensembles from bites: a scalable
      and accurate approach. Journal of Machine Learning Research 5, 421-451.
    """

    card = Card("partition bagging", "one classifier for each part of many rows, which vote", wraps=True)
    multiclass = "as the estimator"
    accepts: ClassVar[dict[str, Accepted | None]] = {
        **_PartitionBagging.accepts,
        "combine": Choice("average", "vote"),
    }

    def __init__(
        self,
        estimator: Estimator | None = None,
        n_estimators: int = 10,
        *,
        combine: str = "average",
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.combine = combine
        self.random_state = random_state

    def _default_estimator(self) -> Any:
        from assay.trees.c45_classifier import C45Classifier

        return C45Classifier()

    def _answers(self, X: Table) -> np.ndarray:
        """(T, n, K) the posterior, or the vote, of each member."""
        return np.stack(in_threads(lambda member: self._ask(member, X), self.estimators_))

    def _ask(self, member: Any, X: Table) -> np.ndarray:
        if self.combine == "average" and hasattr(member, "predict_proba"):
            return aligned(np.asarray(member.predict_proba(X)), member.classes_, self.classes_)
        votes: Floats = np.eye(len(self.classes_))[predicted_codes(member, X, self.classes_)]
        return votes

    def _posterior(self, X: Table) -> np.ndarray:
        posterior: Floats = np.tensordot(self.estimator_weights_, self._answers(X), axes=1)  # (1)
        return posterior

    def _reasons(self, X: Table, rows: RowValues) -> Reasons:
        answers = self._answers(X)
        heads = ["class", "votes", "mean probability", "lowest", "highest"]

        def votes(i: int) -> list[Section]:
            P = answers[:, i]
            counts = np.bincount(P.argmax(axis=1), minlength=len(self.classes_))
            mean = self.estimator_weights_ @ P
            lines = [
                [str(label), int(v), float(p), float(low), float(high)]
                for label, v, p, low, high in zip(self.classes_, counts, mean, P.min(axis=0), P.max(axis=0))
            ]
            return [Section(f"Votes of {len(P)} members, one for each part of the rows", heads, lines)]

        return Reasons(votes)


class PartitionBaggingRegressor(_PartitionBagging, Regressor):
    r"""Bagging over partitions: one regressor for each block of rows, whose answers are averaged.

    As :class:`PartitionBaggingClassifier`: one member for each block or partition, fitted to it by itself, and

    .. math:: f(x) = \sum_l \frac{n_l}{n}\,f_l(x)                       \quad (1)

    with the weights :math:`n_l` of their rows. What is learned depends on the cut.

    Cost: fit that of the estimator for each part, in parallel; predict that of all members; memory O(m d) to fit, with
    m rows in the largest part, and all members kept.

    Parameters
    ----------
    estimator : regressor of Assay, default None
        None stands for a regression tree.
    n_estimators : int, default 10
        Parts into which a table in memory is dealt at random; blocks and partitions are taken as they come.
    random_state : int, RandomState or None, default None
        Seed of the parts of a table in memory, and of members that draw.

    Attributes
    ----------
    estimators_ : list of the members      estimator_weights_ : (T,) the share of each member's rows

    Examples
    --------
    >>> import numpy as np
    >>> from assay.ensembles import PartitionBaggingRegressor
    >>> x = np.random.default_rng(0).uniform(0, 10, 3000)
    >>> model = PartitionBaggingRegressor(random_state=0).fit_blocks([(x[a::3, None], 2 * x[a::3]) for a in range(3)])
    >>> len(model), bool(abs(model.predict([[5.0]])[0] - 10) < 0.1)
    (3, True)

    See Also
    --------
    SubsampledRegressor, BaggingRegressor, PartitionBaggingClassifier

    References
    ----------
    - Breiman, L. (1999). Pasting small votes for classification in large databases and on-line. Machine Learning
      36, 85-103. doi:10.1023/A:1007563306331
    """

    card = Card(
        "partition bagging regressor",
        "one regressor for each part of many rows, whose answers are averaged",
        wraps=True,
    )
    _task = "regressor"

    def __init__(
        self, estimator: Estimator | None = None, n_estimators: int = 10, *, random_state: RandomState = None
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _default_estimator(self) -> Any:
        from assay.trees.decision_tree_regressor import DecisionTreeRegressor

        return DecisionTreeRegressor()

    def _answers(self, X: Table) -> np.ndarray:
        """(T, n) the answer of each member."""
        return np.stack(in_threads(lambda member: np.asarray(member.predict(X)), self.estimators_))

    def _predict(self, X: Table) -> np.ndarray:
        mean: Floats = np.tensordot(self.estimator_weights_, self._answers(X), axes=1)  # (1)
        return mean

    def _reasons(self, X: Table, rows: RowValues) -> Reasons:
        answers = self._answers(X)

        def members(i: int) -> list[Section]:
            numbers = answers[:, i]
            line = [float(self.estimator_weights_ @ numbers), float(numbers.min()), float(numbers.max())]
            return [Section(f"Answers of {len(numbers)} members", ["mean", "lowest", "highest"], [line])]

        return Reasons(members)
