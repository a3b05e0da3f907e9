"""What selectors around an estimator share: how it is fitted, and tables for it that are not read here."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.validation import _is_arraylike_not_scalar, assert_all_finite

from assay.core.complaints import missing_message
from assay.core.meta_estimator import MetaEstimator, Routed, takes_tables
from assay.core.parameters import Accepted, Function, Instance
from assay.core.targets import EncodedLabels, check_weights, encode_labels, is_table, numeric_target
from assay.errors import DataError, ParameterError
from assay.linear import LogisticRegression
from assay.select.embedded.column_fits import ColumnFits
from assay.select.selector import Selector
from assay.tables import Column, Schema, Table
from assay.tables.rows import row_count
from assay.types import TableLike

__all__ = ["IMPORTANCE_GETTER", "ModelSelector"]

IMPORTANCE_GETTER: Accepted = Function() | Instance(str, words="a word")


class ModelSelector(MetaEstimator, Selector):
    """A selector that asks an estimator how much each column counts.

    A learner of ours is given checked tables, and a nominal column is one feature; any other estimator is given some
    columns of X as it came.
    """

    accepts = {"estimator": Instance(having="fit"), "importance_getter": IMPORTANCE_GETTER}
    _task: ClassVar[str] = ""
    importance_getter: Any

    def _default_estimator(self) -> Any:
        return LogisticRegression()

    def _template(self) -> Any:
        if self.estimator is None or isinstance(self.estimator, type):
            raise ParameterError(
                f"estimator must be an object with fit(), such as LogisticRegression(), got {self.estimator!r}.",
                who=type(self).__name__,
            )
        return self.estimator

    def _takes_infinite(self) -> bool:
        """Columns are kept as they are, whatever they hold, if the estimator is not afraid of gaps."""
        fitted = "estimator_" in vars(self)
        return super()._takes_infinite() or (fitted and get_tags(self).input_tags.allow_nan)

    # ------------------------------------------------------------------ fitting

    def _fits(self, X: Any, y: Any, sample_weight: Any, routed: Routed) -> ColumnFits:
        """The rows, read and checked once, with which clones are fitted."""
        who = type(self).__name__
        values = self._admit(X, fitting=True)
        if isinstance(values, Table):
            self._refuse_missing(values)
        n = values.shape[0] if hasattr(values, "shape") else row_count(values, who)
        w = None if routed.explicit else check_weights(sample_weight, n, who)
        return ColumnFits(self._template(), values, self._target(y, n), w, routed.fit, who)

    def _target(self, y: Any, n: int) -> Any:
        """Encoded once for a learner of ours; as it came for others."""
        template, who = self._template(), type(self).__name__
        if y is None:
            if get_tags(template).target_tags.required:
                raise DataError("requires y to be passed, but the target y is None.", who=who)
            return None
        if not takes_tables(template) or is_table(y, who):
            y = y if _is_arraylike_not_scalar(y) else np.asarray(y)
            return np.asarray(y) if not hasattr(y, "iloc") else y
        if is_classifier(template):
            labels, codes = encode_labels(y, n, who)
            return EncodedLabels(codes, labels)
        return numeric_target(y, n, who) if is_regressor(template) else y

    def _as_it_came(self, X: Any, fitting: bool) -> Any:
        """X for an estimator that reads it by itself; only the names and the number of its columns are known here."""
        X = super()._as_it_came(X, fitting)
        if fitting:
            named = getattr(self, "feature_names_in_", None)
            names = [f"x{j}" for j in range(X.shape[1])] if named is None else list(map(str, named))
            self.schema_ = Schema([Column(name) for name in names], named is not None)
        return X

    # ------------------------------------------------------------------ new tables

    def transform(self, X: TableLike) -> Any:
        """The kept columns of X, as they are: a frame of the same library and types, an array of the same dtype."""
        self._ready()
        if isinstance(X, Table) or takes_tables(self._asked()):
            table = self._read(X)
            self._refuse_missing(table)
            return self._keep_columns(table if isinstance(X, Table) else X, table)
        X = self._as_it_came(X, fitting=False)
        if isinstance(X, np.ndarray) and not get_tags(self).input_tags.allow_nan:
            assert_all_finite(X, estimator_name=type(self).__name__, input_name="X")
        return self._keep_columns(X)

    def _refuse_missing(self, table: Table) -> None:
        if not table.complete and not get_tags(self).input_tags.allow_nan:
            raise DataError(missing_message(type(self).__name__, table, self._missing_remedy()))
