"""Sums by class whose classes need not be known before the first rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.learner import SumLearner
from assay.core.targets import encode_labels, label_codes
from assay.select.filters.column_sums import with_classes

__all__ = ["ClassesJoin"]


class ClassesJoin(SumLearner):
    """A learner of sums by class; in ``partial_fit`` the classes of a block join those of earlier ones."""

    classes_: np.ndarray

    def _partial_target(self, y: Any, classes: Any, n: int, first: bool) -> Any:
        """Codes among the classes so far, for which the sums make room."""
        if not self._has_classes:
            return super()._partial_target(y, classes, n, first)
        labels = encode_labels(y, n, type(self).__name__)[0] if classes is None else np.unique(classes)
        known = labels if first else np.union1d(self.classes_, labels)
        if not first and len(known) > len(self.classes_):
            self._sums = with_classes(self._sums, np.searchsorted(known, self.classes_), len(known))
        self.classes_ = known
        return label_codes(y, known, n, type(self).__name__)
