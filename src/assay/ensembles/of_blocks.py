"""Meta-learners that fit learners which are no sums to blocks of rows, or to some of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.learner import Classifier, Regressor
from assay.core.meta_estimator import MetaEstimator
from assay.core.sum_learner import PassLearner
from assay.core.sums import Block
from assay.core.targets import EncodedLabels
from assay.errors import ParameterError
from assay.tables import RowNames, Table

__all__ = ["OfBlocks"]


class OfBlocks(PassLearner, MetaEstimator):
    """Mixin of a learner around ``estimator`` that hands it blocks of rows; stands before its base class."""

    def _template(self) -> Any:
        template = super()._template()
        base = Classifier if self._task == "classifier" else Regressor
        if not isinstance(template, (base, MetaEstimator)):
            raise ParameterError(
                f"estimator must be one of Assay's {self._task}s, got {template!r}.", who=type(self).__name__
            )
        return template

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        super()._learn(X.values, y, w)

    def _fit_block(self, block: Block, numbers: np.ndarray, seed: int | None = None) -> Any:
        """A clone of the estimator, fitted to one block whose rows have these numbers."""
        table = Table(block.X, self.schema_, None, row_names=RowNames(numbers + 1))
        target = EncodedLabels(block.y, self.classes_) if self._task == "classifier" else block.y
        return self._fit_clone(table, target, block.w, seed)
