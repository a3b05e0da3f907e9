"""What bagging classifiers and regressors share: bags of rows and columns, and a member for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from assay.core.explanations import Contributions, dense_block
from assay.core.meta_estimator import MetaEstimator, takes_weights
from assay.core.parameters import Accepted, Any_, Count, Flag, Instance, Range, Seed
from assay.core.routing import routing_enabled
from assay.core.stored import CodeArray, Each, FloatArray, IntArray, Integer, Object, Plain
from assay.ensembles.out_of_bag import bag_size, draw_rows, draw_seeds, refuse_without_bags, seeded
from assay.errors import AssayWarning, DataError, ParameterError, warn_user
from assay.tables import Schema
from assay.tables.rows import entries_of_rows, take_columns, take_rows
from assay.types import TableLike, Target, Weights

__all__ = ["BAGGING", "Bagging"]

BAGGING: Mapping[str, Accepted] = {
    "estimator": Instance(having="fit", words="an estimator with fit and predict") | None,
    "n_estimators": Count(1),
    "max_samples": Count(1) | Range(0, 1, open="low") | None,
    "max_features": Count(1) | Range(0, 1, open="low"),
    "bootstrap": Flag(),
    "bootstrap_features": Flag(),
    "oob_score": Flag(),
    "warm_start": Flag(),
    "n_jobs": Any_(
        "a whole number other than 0, or None", lambda v: v is None or (isinstance(v, Integral) and v != 0)
    ),
    "random_state": Seed(),
    "verbose": Any_("a whole number or a flag", lambda v: isinstance(v, (Integral, bool))),
}


class Bagging(MetaEstimator):
    """A learner that fits ``estimator`` once for each bag of rows and columns.

    A member that is a learner of Assay gets a table with the columns of the bag, so that categories mean the same in
    all bags and missing values stay missing. Any other estimator gets X as it came. Rows are drawn by weights where
    the estimator takes them, else by repeating rows.
    """

    accepts: ClassVar[Mapping[str, Accepted | None]] = BAGGING
    stored = {
        "_drawn_by": FloatArray("n") | None,
        "_meant": Each(Plain() | Object(Schema)),
        "_rows": Integer("n"),
        "_seeds": IntArray("t"),
        "_size": Integer(),
        "_width": Integer(low=1),
        "estimators_": Each(Object(BaseEstimator), "t"),
        "estimators_features_": Each(CodeArray("*", below="d"), "t"),
    }
    estimator: Any
    n_estimators: int
    max_samples: float | None
    max_features: float
    bootstrap: bool
    bootstrap_features: bool
    oob_score: bool
    warm_start: bool
    n_jobs: int | None
    random_state: Any
    verbose: int
    _meant: list[Any]
    _fit_params: dict[str, Any]

    # ------------------------------------------------------------------ metadata for the members

    def _routes(self) -> dict[str, str]:
        """Methods here, and the methods of the members that they call."""
        return {"fit": "fit", "predict": "predict"}

    def _for_members(self, caller: str, params: dict[str, Any]) -> dict[str, Any]:
        """What of the metadata each method of the members asked for."""
        if not params:
            return {}
        from sklearn.utils.metadata_routing import process_routing

        if not routing_enabled():
            raise ParameterError(
                f"{type(self).__name__}: {caller} got {', '.join(sorted(params))}, which goes to the members only "
                "with metadata routing: sklearn.set_config(enable_metadata_routing=True)."
            )
        return process_routing(self, caller, **params).estimator

    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None, **fit_params: Any) -> Self:
        """Fit the members with the rows of X and their targets y.

        Parameters
        ----------
        X : array, sparse matrix, or frame, (n, d)
        y : (n,) targets
        sample_weight : (n,) the chances of the rows to be drawn; None makes them equal
        fit_params : passed on to the ``fit`` of the members that request them, with scikit-learn's metadata routing
        """
        self._fit_params = self._for_members("fit", fit_params).get("fit", {})
        try:
            return super().fit(X, y, sample_weight)  # type: ignore[misc]
        finally:
            del self._fit_params

    # ------------------------------------------------------------------ members

    def _fit_members(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        """Fit the members that are not there yet."""
        who, (n, d) = type(self).__name__, X.shape
        refuse_without_bags(who, self.bootstrap, self.oob_score)
        if self.warm_start and self.oob_score:
            raise ParameterError(f"{who}: Out of bag estimate only available if warm_start=False.")
        if w is not None and not self.bootstrap:
            warn_user(
                f"When fitting {who} with sample_weight it is recommended to use bootstrap=True, got False: weights "
                "are chances to be drawn, and without replacement a row is drawn once at most.",
                AssayWarning,
            )
        self.estimator_ = self._template()
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)
        self._size, self._rows = bag_size(n, self.max_samples, w), n
        if not self.bootstrap and self._size > n:
            raise ParameterError(
                f"{who}: Effective max_samples={self._size} must be <= n_samples={n} to be able to sample without "
                "replacement."
            )
        m = self.max_features
        self._width = int(m) if isinstance(m, Integral) else max(1, int(m * d))
        if self._width > d:
            raise ParameterError(f"{who}: max_features must be <= n_features, got {m} of {d} columns.")
        if not self.warm_start or "estimators_" not in vars(self):
            self.estimators_, self.estimators_features_, self._seeds = [], [], np.zeros(0, np.int64)
        old, meant = len(self.estimators_), self._meaning()
        if old and self._meant != meant:
            raise DataError(
                f"{who}: a warm start adds members to those of the last fit, so the columns, their categories and the "
                "classes must be the same. Fit with warm_start=False."
            )
        self._meant = meant
        if self.n_estimators < old:
            raise ParameterError(
                f"{who}: n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={old} when "
                "warm_start==True."
            )
        if self.n_estimators == old:
            notice = "Warm-start fitting without increasing n_estimators does not fit new trees."
            warn_user(f"{who}: {notice}", AssayWarning)
        self._drawn_by = w
        seeds = draw_seeds(self.random_state, old, self.n_estimators - old)
        self._seeds = np.concatenate([self._seeds, seeds])
        fitted = self._each(lambda seed: self._fit_member(seed, X, y), seeds.tolist(), self.n_jobs)
        self.estimators_ += [model for model, _ in fitted]
        self.estimators_features_ += [features for _, features in fitted]

    def _meaning(self) -> list[Any]:
        """What the columns and the numbers of the classes stand for."""
        names = getattr(self, "feature_names_in_", [])
        classes = np.asarray(getattr(self, "classes_", [])).tolist()
        return [self.n_features_in_, list(names), getattr(self, "schema_", None), classes]

    def _fit_member(self, seed: int, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        features, rows = self._bag(seed)
        columns, more = take_columns(X, features), self._fit_params
        if takes_weights(self.estimator_):
            counts = np.bincount(rows, minlength=len(y)).astype(np.float64)
            return self._fit_clone(columns, y, counts, seed, **more), features
        more = entries_of_rows(more, rows, len(y))
        return self._fit_clone(take_rows(columns, rows), y[rows], None, seed, **more), features

    def _bag(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """The columns and rows of the member with this seed; scikit-learn draws the same."""
        state = seeded(seed)
        features = draw_rows(state, self.n_features_in_, self._width, None, self.bootstrap_features)
        if self._width == self.n_features_in_ and not self.bootstrap_features:
            features = np.arange(self._width)  # all of them, in their own order
        return features, draw_rows(state, self._rows, self._size, self._drawn_by, self.bootstrap)

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each member was fitted with, drawn again from its seed."""
        check_is_fitted(self)
        return [self._bag(seed)[1] for seed in self._seeds.tolist()]

    def _answers(self, X: Any, ask: Callable[[Any, Any], Any]) -> list[Any]:
        """The answer of each member for its columns of X."""
        pairs = list(zip(self.estimators_, self.estimators_features_))
        return self._each(lambda pair: ask(pair[0], take_columns(X, pair[1])), pairs, self.n_jobs)

    def _column_contributions(
        self, X: Any, answers: np.ndarray, outputs: list[str], chosen: np.ndarray
    ) -> Any:
        """What each column adds to the members' mean, (n, V), where the members answer as their trees do, else None."""
        from assay.trees.shap import contributions
        from assay.trees.tree_learner import TreeLearner

        if any(getattr(type(m), "_reasons", None) is not TreeLearner._reasons for m in self.estimators_):
            return None  # a member does not end in the leaf of a tree
        n, V = answers.shape
        phi, base = np.zeros((n, self.n_features_in_, V)), np.zeros(V)
        for member, features in zip(self.estimators_, self.estimators_features_):
            block = dense_block(member._admit(take_columns(X, features)))
            shares, start = contributions(member.tree_, block, 1 / len(self.estimators_))
            for j, feature in enumerate(features.tolist()):  # a column may have been drawn several times
                phi[:, feature] += shares[:, j]
            base += start
        if not np.allclose(
            base + phi.sum(axis=1), answers, rtol=1e-9, atol=1e-12 * np.abs(answers).max(initial=0)
        ):
            return None  # leaves that answer with other numbers than the tree holds, such as Laplace's
        return Contributions(phi, base, self.schema_.names, outputs, chosen)

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Any:
        return iter(self.estimators_)
