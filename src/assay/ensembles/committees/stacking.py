"""What stacked classifiers and regressors share: outputs for unseen rows, and a learner that combines them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from assay.core.meta_estimator import fit_to, takes_tables
from assay.core.parameters import Accepted, Any_, Choice, Flag, Instance
from assay.core.stored import Each, Object, Plain
from assay.ensembles.committees.committee import COMMITTEE, FOLDS, Committee
from assay.errors import ParameterError
from assay.tables import Column, Schema, Table
from assay.tables.rows import take_rows
from assay.types import TableLike

__all__ = ["STACKING", "Stacking"]

STACKING: Mapping[str, Accepted] = {
    **COMMITTEE,
    "final_estimator": Instance(having="fit", words="an estimator with fit and predict") | None,
    "cv": FOLDS | Any_("'prefit'", lambda v: isinstance(v, str) and v == "prefit"),
    "stack_method": Choice("auto", "predict_proba", "decision_function", "predict"),
    "passthrough": Flag(),
}


class Stacking(Committee):
    """A committee whose outputs, for rows that the members did not learn from, teach a further learner to combine them.

    With a splitter by time, the first rows have no such output: the final estimator learns from the others.
    """

    accepts: ClassVar[Mapping[str, Accepted | None]] = STACKING
    stored = {
        "final_estimator_": Object(BaseEstimator),
        "stack_method_": Each(Plain()),
    }
    final_estimator: Any
    cv: Any
    stack_method: str
    passthrough: bool
    stack_method_: list[str]

    def _default_final(self) -> Any:
        """The final estimator that None stands for."""
        raise TypeError(f"{type(self).__name__} must define _default_final")

    def _final(self) -> Any:
        return self._default_final() if self.final_estimator is None else clone(self.final_estimator)

    def _route_more(self, router: Any) -> None:
        from sklearn.utils.metadata_routing import MethodMapping

        router.add(
            final_estimator_=self._final(),
            method_mapping=MethodMapping().add(caller="predict", callee="predict"),
        )

    def _stack(self, X: Any, target: Any, w: np.ndarray | None, classes: bool) -> None:
        """Fit the members, then the final estimator to their outputs for rows that they did not see."""
        who, members = type(self).__name__, self._members()
        fits, final = is_classifier if self._task == "classifier" else is_regressor, self.final_estimator
        if isinstance(final, type) or (hasattr(final, "__sklearn_tags__") and not fits(final)):
            raise ParameterError(f"final_estimator should be a {self._task}, got {final!r}.", who=who)
        self.stack_method_ = [self._method(name, model) for name, model in members]
        ask = lambda j, model, some: self._columns(model, self.stack_method_[j], some)  # noqa: E731
        rows: Any = slice(None)
        if isinstance(self.cv, str):
            for _, model in members:
                check_is_fitted(model)
            self.estimators_ = [model for _, model in members]
            outputs = self._ask_all(X, ask)
        else:
            outputs, rows = self._unseen(X, target, w, classes, ask)
            self._fit_all(X, target, w)
            rows = slice(None) if len(rows) == len(target) else rows
        final = self._final()
        Z = self._level_one(outputs, X if isinstance(rows, slice) else take_rows(X, rows), final)
        self.final_estimator_ = fit_to(final, Z, target[rows], None if w is None else w[rows], who)

    def _method(self, name: str, model: Any) -> str:
        """The method of a member whose outputs are used."""
        wanted = (
            ("predict_proba", "decision_function", "predict")
            if self.stack_method == "auto"
            else (self.stack_method,)
        )
        method = next((m for m in wanted if hasattr(model, m)), None)
        if method is None:
            raise ParameterError(
                f"Underlying estimator {name} does not implement the method {self.stack_method}.",
                who=type(self).__name__,
            )
        return method

    def _columns(self, model: Any, method: str, X: Any) -> np.ndarray:
        """(n, columns) the outputs of one member."""
        raise TypeError(f"{type(self).__name__} must define _columns")

    def _level_one(self, outputs: list[np.ndarray], X: Any, final: Any) -> Any:
        """What the final estimator is given: the outputs, with ``passthrough`` beside the columns of X."""
        Z = np.hstack(outputs)
        if not self.passthrough:
            return Z
        if isinstance(X, Table):
            if takes_tables(final):
                names = [str(name) for name in self._output_names(outputs)]
                schema = Schema([*(Column(name, "numeric") for name in names), *X.schema])
                values = (
                    np.hstack([Z, X.values]) if isinstance(X.values, np.ndarray) else _beside(Z, X.values)
                )
                return Table(values, schema)
            X = X.values if not isinstance(X.values, np.ndarray) else np.asarray(X)
        return _beside(Z, X) if hasattr(X, "tocsr") else np.hstack([Z, np.asarray(X)])

    def _answers_of(self, X: Any) -> Any:
        """The outputs of the fitted members for rows, as the final estimator takes them."""
        outputs = self._outputs(X)
        return self._level_one(outputs, X, self.final_estimator_)

    def _outputs(self, X: Any) -> list[np.ndarray]:
        return self._ask_all(X, lambda j, model, some: self._columns(model, self.stack_method_[j], some))

    def _output_names(self, outputs: list[np.ndarray]) -> list[str]:
        name = type(self).__name__.lower()
        return [
            f"{name}_{member}{k if block.shape[1] > 1 else ''}"
            for (member, _), block in zip(self._members(), outputs)
            for k in range(block.shape[1])
        ]

    def transform(self, X: TableLike) -> Any:
        """The outputs of the members for each row; with ``passthrough`` the columns of X beside them."""
        check_is_fitted(self)
        values = self._admit(X)
        outputs = self._outputs(values)
        plain = values.values if isinstance(values, Table) else values
        return self._level_one(outputs, plain, None)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns of ``transform``."""
        from sklearn.utils.validation import _check_feature_names_in

        check_is_fitted(self, "n_features_in_")
        columns = _check_feature_names_in(self, input_features, generate_names=self.passthrough)
        names = self._output_names([np.empty((0, self._width(j))) for j in range(len(self.estimators_))])
        return np.array([*names, *(columns if self.passthrough else [])], dtype=object)

    def _width(self, j: int) -> int:
        """How many columns the outputs of a member have."""
        return 1


def _beside(Z: np.ndarray, X: Any) -> Any:
    from scipy.sparse import hstack

    return hstack([Z, X], format="csr")
