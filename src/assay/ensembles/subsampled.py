"""A learner fitted to a random sample of more rows than fit in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from assay.core import Card, Classifier, Regressor
from assay.core.explanations import Explanations, RowValues
from assay.core.meta_estimator import PassesDistributionsOn, aligned, predicted_codes
from assay.core.model_view import Part
from assay.core.parameters import Accepted, Count, Instance, Seed
from assay.core.row_sample import sample_rows
from assay.core.seeds import drawn_seed
from assay.core.stored import Integer
from assay.core.sums import Block, Source
from assay.ensembles.of_blocks import OfBlocks
from assay.tables import Table
from assay.types import Estimator, RandomState

__all__ = ["SubsampledClassifier", "SubsampledRegressor"]


class _Subsampled(OfBlocks):
    """What both share: the sample, and the estimator that is fitted to it."""

    accepts: ClassVar[dict[str, Accepted | None]] = {
        "estimator": Instance(having="fit") | None,
        "max_samples": Count(1),
        "random_state": Seed(),
    }
    stored = {"n_samples_seen_": Integer(low=1), "n_samples_drawn_": Integer(low=1)}
    estimator: Any
    max_samples: int
    random_state: Any

    def _learn_from(self, source: Source) -> None:
        sample = sample_rows(source, self.max_samples, drawn_seed(self.random_state, type(self).__name__))
        self.n_samples_seen_, self.n_samples_drawn_ = sample.count, len(sample.number)
        self.estimator_ = self._fit_block(Block(*sample.entries), sample.number)

    def _explain_block(self, X: Table, rows: RowValues) -> Explanations:
        return replace(self.estimator_._explain_table(X), rows=rows)

    def _model_name(self) -> str:
        drawn, rows = self.n_samples_drawn_, self.n_samples_seen_
        name: str = self.estimator_._model_name()
        return name if drawn == rows else f"{name} (fitted to {drawn:,} of {rows:,} rows, drawn at random)"

    def _learner_of_settings(self) -> Any:
        return self.estimator_

    def _model_parts(self) -> list[Part]:
        parts: list[Part] = self.estimator_._model_parts()
        return parts


class SubsampledClassifier(_Subsampled, Classifier):
    """A classifier fitted to a random sample of the rows, for those that need all their rows in memory.

    C4.5, RIPPER, nearest neighbours or a kernel machine cannot be had from sums over rows. From blocks on disk
    (``fit_blocks``) or a Dask collection this wrapper draws at most ``max_samples`` rows, all sets of rows equally
    likely, and fits the classifier to them: an approximation, as good as the sample is large. Of fewer rows all are
    taken. Which rows are drawn depends on ``random_state`` and on their numbers alone, so memory, blocks and Dask give
    the same model however the rows are cut.

    Cost: fit O(n d) to read the rows, and that of the classifier for ``max_samples`` of them; predict that of the
    classifier; memory O(max_samples d) to fit.

    Parameters
    ----------
    estimator : classifier of Assay, default None
        None stands for C4.5.
    max_samples : int, default 100000
        Rows at most.
    random_state : int, RandomState or None, default None
        Seed of the sample.

    Attributes
    ----------
    classes_ : (K,)      estimator_ : the fitted classifier
    n_samples_seen_, n_samples_drawn_ : rows there were, and rows that it was fitted to

    Examples
    --------
    >>> import numpy as np
    >>> from assay.ensembles import SubsampledClassifier
    >>> from assay.rules import RipperClassifier
    >>> def blocks():
    ...     rng = np.random.default_rng(0)
    ...     for _ in range(20):
    ...         X = rng.normal(size=(500, 2))
    ...         yield X, np.where(X[:, 0] > 0, "up", "down")
    >>> model = SubsampledClassifier(RipperClassifier(random_state=0), 1000, random_state=0).fit_blocks(blocks)
    >>> model.n_samples_drawn_, model.n_samples_seen_, model.predict([[1.0, 0.0], [-1.0, 0.0]]).tolist()
    (1000, 10000, ['up', 'down'])

    See Also
    --------
    PartitionBaggingClassifier, SubsampledRegressor

    References
    ----------
    - Vitter, J. S. (1985). Random sampling with a reservoir. ACM Transactions on Mathematical Software 11(1), 37-57.
      doi:10.1145/3147.3165
    """

    card = Card("subsampled", "a classifier fitted to a random sample of many rows", wraps=True)
    multiclass = "as the estimator"

    def __init__(
        self,
        estimator: Estimator | None = None,
        max_samples: int = 100_000,
        *,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.max_samples = max_samples
        self.random_state = random_state

    def _default_estimator(self) -> Any:
        from assay.trees.c45_classifier import C45Classifier

        return C45Classifier()

    def _posterior(self, X: Table) -> np.ndarray:
        if not hasattr(self.estimator_, "predict_proba"):
            return np.eye(len(self.classes_))[self._choose(X)]
        return aligned(self.estimator_.predict_proba(X), self.estimator_.classes_, self.classes_)

    def _choose(self, X: Table) -> np.ndarray:
        return predicted_codes(self.estimator_, X, self.classes_)


class SubsampledRegressor(PassesDistributionsOn, _Subsampled, Regressor):
    """A regressor fitted to a random sample of the rows, for those that need all their rows in memory.

    As :class:`SubsampledClassifier`: from blocks on disk or a Dask collection at most ``max_samples`` rows are drawn,
    the same ones however the rows are cut, and the regressor is fitted to them.

    Cost: fit O(n d) to read the rows, and that of the regressor for ``max_samples`` of them; predict that of the
    regressor; memory O(max_samples d) to fit.

    Parameters
    ----------
    estimator : regressor of Assay, default None
        None stands for a regression tree.
    max_samples : int, default 100000
        Rows at most.
    random_state : int, RandomState or None, default None
        Seed of the sample.

    Attributes
    ----------
    estimator_ : the fitted regressor
    n_samples_seen_, n_samples_drawn_ : rows there were, and rows that it was fitted to

    Examples
    --------
    >>> import numpy as np
    >>> from assay.ensembles import SubsampledRegressor
    >>> from assay.neighbors import KNeighborsRegressor
    >>> x = np.arange(10_000.0)
    >>> model = SubsampledRegressor(KNeighborsRegressor(1), 2000, random_state=0).fit(x[:, None], 3 * x)
    >>> bool(abs(model.predict([[5000.0]])[0] - 15000) < 100)
    True

    See Also
    --------
    PartitionBaggingRegressor, SubsampledClassifier

    References
    ----------
    - Vitter, J. S. (1985). Random sampling with a reservoir. ACM Transactions on Mathematical Software 11(1), 37-57.
      doi:10.1145/3147.3165
    """

    card = Card("subsampled regressor", "a regressor fitted to a random sample of many rows", wraps=True)
    _task = "regressor"

    def __init__(
        self,
        estimator: Estimator | None = None,
        max_samples: int = 100_000,
        *,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.max_samples = max_samples
        self.random_state = random_state

    def _default_estimator(self) -> Any:
        from assay.trees.decision_tree_regressor import DecisionTreeRegressor

        return DecisionTreeRegressor()

    def _rows_for_answers(self, X: Any) -> Any:
        return self._admit(X)

    def _predict(self, X: Table) -> np.ndarray:
        answers: np.ndarray = self.estimator_.predict(X)
        return answers
