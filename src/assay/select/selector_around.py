"""Selectors around an estimator, whose table is read once, for learners of ours and for others."""

from __future__ import annotations

from typing import Any

from sklearn.utils import get_tags

from assay.core.complaints import missing_message
from assay.core.meta_estimator import MetaEstimator
from assay.errors import DataError
from assay.select.selector import Selector
from assay.tables import Table

__all__ = ["SelectorAround"]


class SelectorAround(MetaEstimator, Selector):
    """A selector that asks an estimator, ``estimator``: a learner of ours is given tables, any other X as it came.

    See Also
    --------
    SequentialFeatureSelector, SubsetSelector

    References
    ----------
    - Kohavi, R. and John, G. H. (1997). Wrappers for feature subset selection. Artificial Intelligence 97, 273-324.
      doi:10.1016/S0004-3702(97)00043-X
    """

    _task = ""

    def _default_estimator(self) -> Any:
        from assay.bayes import GaussianNB

        return GaussianNB()

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        values = super()._admit(X, fitting)
        if fitting and not isinstance(values, Table):
            self._read(X, fitting=True)
        return values

    def _refuse_missing(self, X: Any) -> None:
        """Raise if values are missing and the estimator cannot use them: no subset could be judged."""
        table = X if isinstance(X, Table) else Table.of(X, who=type(self).__name__)
        if not table.complete and not get_tags(self._template()).input_tags.allow_nan:
            raise DataError(missing_message(type(self).__name__, table, self._missing_remedy()))
