"""What committees of different learners share: named members, their fits, outputs for unseen rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils import Bunch, get_tags
from sklearn.utils.metaestimators import _BaseComposition

from assay.core.meta_estimator import MetaEstimator, aligned, fit_to, predicted_codes, takes_tables
from assay.core.parameters import Accepted, Any_, Choice
from assay.core.routing import routing_enabled
from assay.core.stored import Each, Mapped, Object, Text
from assay.core.targets import EncodedLabels
from assay.ensembles.committees.folds import folds_of, is_cv
from assay.errors import AssayWarning, DataError, ParameterError, SchemaError, warn_user
from assay.tables import Table
from assay.tables.rows import entries_of_rows, take_columns, take_rows
from assay.types import RowLabels, TableLike, Target, Weights

__all__ = ["COMMITTEE", "FOLDS", "Committee", "elapsed_time", "numbers_of"]


def _is_members(value: Any) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, (list, tuple))
        and len(value) > 0
        and all(isinstance(m, (list, tuple)) and len(m) == 2 and isinstance(m[0], str) for m in value)
    )


COMMITTEE: Mapping[str, Accepted] = {
    "estimators": Any_("a non-empty list of pairs (name, estimator), or None", _is_members),
    "n_jobs": Any_(
        "a whole number other than 0, or None", lambda v: v is None or (isinstance(v, Integral) and v != 0)
    ),
    "views": Any_(
        "a dict from names of members to lists of columns, or None",
        lambda v: v is None or isinstance(v, Mapping),
    ),
    "verbose": Any_("a whole number or a flag", lambda v: isinstance(v, (Integral, bool))),
    "on_error": Choice("raise", "leave out"),
}
FOLDS = Any_("a whole number from 2 up, a splitter, a list of splits, or None", is_cv)


class _MemberFailed(Exception):
    """A member could not learn, or could not answer for rows that it did not see.

    Parameters
    ----------
    name : of the member      why : the message of its error
    """

    def __init__(self, name: str, why: str):
        super().__init__(name, why)
        self.name, self.why = name, why


class Committee(_BaseComposition, MetaEstimator):
    """A learner whose members are different learners, ``estimators``: pairs of a name and an estimator, or "drop".

    If all members are learners of Assay, they are given one checked table; else X as it came.

    With ``on_error="leave out"`` a member that fails, on all rows or on those of a fold, takes no part: the others are
    fitted without it, ``failures_`` says why, and so does a warning.

    Attributes
    ----------
    estimators_ : list of the fitted members      named_estimators_ : the same by name
    failures_ : dict from the names of the members left out to what they said
    """

    accepts: ClassVar[Mapping[str, Accepted | None]] = COMMITTEE
    stored = {"estimators_": Each(Object(BaseEstimator)), "failures_": Mapped(Text())}
    estimators: Any
    on_error: str
    failures_: dict[str, str]
    estimators_: list[Any]
    n_jobs: int | None
    views: Mapping[str, Any] | None
    verbose: int
    _fit_params: Mapping[str, dict[str, Any]] = {}  # of each member, besides the weights, while fitting
    _split: Mapping[str, Any] = {}  # what the splitter is given, while fitting
    _left_out: Mapping[str, str] | None = None  # members that failed, while fitting
    _library: Any = None  # fitted members and their answers for unseen rows, while fitting, if they are known
    cv: Any = None

    # ------------------------------------------------------------------ parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, with those of the members by ``name__parameter``."""
        if self.estimators is None:
            return BaseEstimator.get_params(self, deep)
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: Any) -> Any:
        """Set parameters; a member by its name (an estimator, or "drop"), its parameters by ``name__parameter``."""
        if self.estimators is None and "estimators" not in params:
            return BaseEstimator.set_params(self, **params)
        self._set_params("estimators", **params)
        return self

    @property
    def named_estimators(self) -> Bunch:
        """The members as they were given, by name."""
        return Bunch(**dict(self._all_pairs()))

    @property
    def named_estimators_(self) -> Bunch:
        """The fitted members by name; "drop" for those left out."""
        fitted = dict(zip(self._fitted_names(), self.estimators_))
        return Bunch(**{name: fitted.get(name, "drop") for name, _ in self._all_pairs()})

    def _all_pairs(self) -> list[tuple[str, Any]]:
        return (
            self._default_members() if self.estimators is None else [tuple(pair) for pair in self.estimators]
        )

    def _default_members(self) -> list[tuple[str, Any]]:
        """The members that None stands for."""
        raise TypeError(f"{type(self).__name__} must define _default_members")

    def _default_estimator(self) -> Any:
        return self._default_members()[0][1]

    def _members(self) -> list[tuple[str, Any]]:
        """The names and estimators of the members that take part."""
        pairs, who = self._all_pairs(), type(self).__name__
        self._check_names([name for name, _ in pairs], who)
        taking_part = [
            (name, model) for name, model in pairs if not (isinstance(model, str) and model == "drop")
        ]
        if not taking_part:
            raise ParameterError(
                "All estimators are dropped. At least one is required to be an estimator.", who=who
            )
        absent = self._absent()
        taking_part = [(name, model) for name, model in taking_part if name not in absent]
        for name, model in taking_part:
            if not hasattr(model, "fit") or isinstance(model, type) or not self._may_be_member(model):
                raise ParameterError(
                    f"The estimator {name} should be a {self._task}, got {model!r}.", who=who
                )
        return taking_part

    def _absent(self) -> Mapping[str, str]:
        """The members that failed: so far, while fitting, or at the last fit."""
        return vars(self).get("failures_", {}) if self._left_out is None else self._left_out

    def _refuse_other_task(self, model: Any) -> None:
        """Members are checked one by one, with their names."""

    def _may_be_member(self, model: Any) -> bool:
        return is_classifier(model) if self._task == "classifier" else is_regressor(model)

    def _check_names(self, names: list[str], who: str) -> None:
        if len(set(names)) < len(names):
            raise ParameterError(f"Names provided are not unique: {names!r}.", who=who)
        strange = sorted(set(self.views or ()) - set(names))
        if strange:
            raise ParameterError(f"views names {strange[0]!r}, the members are {names!r}.", who=who)
        reserved = sorted(set(names) & set(BaseEstimator.get_params(self, deep=False)))
        if reserved:
            raise ParameterError(
                f"Estimator names conflict with constructor arguments: {reserved!r}.", who=who
            )
        bad = [name for name in names if "__" in name]
        if bad:
            raise ParameterError(f"Estimator names must not contain __: got {bad!r}.", who=who)

    def _template(self) -> Any:
        """One of the members; if some take no tables, one of these."""
        members = [model for _, model in self._members()]
        return next((model for model in members if not takes_tables(model)), members[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            inner = [get_tags(model).input_tags for _, model in self._members()]
        except (ParameterError, AttributeError, TypeError):
            return tags  # fit will say what is wrong
        tags.input_tags.sparse = all(t.sparse for t in inner)
        tags.input_tags.allow_nan = all(t.allow_nan for t in inner)
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []
        return tags

    def why_not(self, X: Any) -> str | None:
        """None if all members can use this table, else the sentence of the first that cannot."""
        return next(
            (s for _, m in self._members() if hasattr(m, "why_not") and (s := m.why_not(X)) is not None), None
        )

    # ------------------------------------------------------------------ metadata

    def get_metadata_routing(self) -> Any:
        """What ``fit`` passes on to each member and to the splitter, as scikit-learn's routing asks."""
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

        router = MetadataRouter(owner=type(self).__name__)
        fit = MethodMapping().add(caller="fit", callee="fit")
        for name, model in self._members():
            router.add(**{name: model}, method_mapping=fit)
        if "cv" in self.accepts:
            splits = MethodMapping().add(caller="fit", callee="split")
            cv: Any = getattr(self, "cv", None)
            router.add(splitter=None if isinstance(cv, str) else cv, method_mapping=splits)
        self._route_more(router)
        return router

    def _route_more(self, router: Any) -> None:
        """Further parts that are given metadata."""

    def _shared_out(
        self, w: Any, of_rows: Mapping[str, Any], params: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Of what comes beside the rows, what each member is given, and what the folds are made of: groups, times."""
        folds = {name: column for name, column in of_rows.items() if column is not None}
        if routing_enabled():
            from sklearn.utils.metadata_routing import process_routing

            routed_rows = {name: folds.pop(name) for name in self._routed_rows(folds)}
            weights = {} if w is None else {"sample_weight": w}
            routed = process_routing(self, "fit", **weights, **routed_rows, **params)
            members = {name: dict(routed[name].fit) for name, _ in self._members()}
            kept = {} if hasattr(self.cv, "split") else routed_rows
            return members, {**folds, **kept, **(dict(routed.splitter.split) if "cv" in self.accepts else {})}
        if params:
            raise ParameterError(
                f"fit got {', '.join(sorted(params))}, which reaches the members with metadata routing only: "
                "sklearn.set_config(enable_metadata_routing=True).",
                who=type(self).__name__,
            )
        return {}, folds

    def _routed_rows(self, folds: Mapping[str, Any]) -> list[str]:
        """Groups go the way of metadata to a splitter, or to members that ask for them."""
        if "groups" not in folds:
            return []
        asked = hasattr(self.cv, "split") or self.get_metadata_routing().consumes("fit", ["groups"])
        return ["groups"] if asked else []

    # ------------------------------------------------------------------ members

    def fit(
        self,
        X: TableLike,
        y: Target,
        sample_weight: Weights | None = None,
        *,
        groups: RowLabels | None = None,
        times: RowLabels | None = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the members, and what is made of their answers.

        Parameters
        ----------
        X : table of n rows      y : (n,) classes or numbers      sample_weight : (n,) what each row counts
        groups : (n,) rows of one group are never answered for by a member that learned from others of it; a splitter
            is given them
        times : (n,) when each row was: members answer for rows later than those that they learned from, in as many
            blocks as ``cv`` has folds; a splitter is given the rows in this order
        fit_params : what reaches the members that request it, by metadata routing
        """
        self._check_parameters()
        left_out: dict[str, str] = {}
        self._left_out, self._fit_params, self._split = left_out, {}, {}
        try:
            of_rows = {"groups": groups, "times": times}
            self._fit_params, self._split = self._shared_out(sample_weight, of_rows, fit_params)
            self._fit_those_who_can(X, y, sample_weight, left_out)
        finally:
            del self._left_out, self._fit_params, self._split
        self.failures_ = left_out
        for name, why in left_out.items():
            warn_user(f"{type(self).__name__}: {name!r} failed and is left out. {why}", AssayWarning)
        return self

    def _fit_those_who_can(self, X: Any, y: Any, w: Any, left_out: dict[str, str]) -> None:
        """Fit, without the members that fail, whose reasons are added to ``left_out``."""
        while True:
            try:
                super().fit(X, y, w)  # type: ignore[misc]
            except _MemberFailed as failure:
                left_out[failure.name] = failure.why
                if not self._members():
                    whys = " ".join(f"{name}: {why}" for name, why in left_out.items())
                    raise DataError(f"all members failed. {whys}", who=type(self).__name__) from None
            else:
                return

    def _fit_one(self, name: str, X: Any, y: Any, w: np.ndarray | None, rows: Any = None) -> Any:
        """A clone of a member, fitted to some rows, or to all."""
        if self._library is not None and rows is None:
            return self._library.models[name]
        n, model, params = len(y), clone(dict(self._members())[name]), self._fit_params.get(name)
        if isinstance(y, EncodedLabels) and is_regressor(model):
            y = y.codes.astype(np.float64)
        if params is None:
            params = {}
        else:  # weights are among them, where the member asked for them
            w, params = None, dict(params)
        X = self._view(name, X)
        if rows is not None:
            X, y, w = take_rows(X, rows), y[rows], None if w is None else w[rows]
            params = entries_of_rows(params, rows, n)
        with self._naming(name):
            return fit_to(model, X, y, w, type(self).__name__, **params)

    @contextmanager
    def _naming(self, name: str) -> Iterator[None]:
        """Errors say which member they come from; where it is to be left out, only that."""
        try:
            yield
        except _MemberFailed:
            raise
        except Exception as problem:
            if self.on_error == "leave out" and self._left_out is not None:
                why = " ".join(str(problem).split()) or type(problem).__name__
                raise _MemberFailed(name, why) from problem
            if isinstance(problem, ValueError):
                problem.add_note(f"{type(self).__name__}: this was the member {name!r}.")
            raise

    def _fit_all(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        names = [name for name, _ in self._members()]

        def fitted(name: str) -> Any:
            with self._telling(names.index(name) + 1, len(names), name):
                return self._fit_one(name, X, y, w)

        self.estimators_ = self._each(fitted, names, self.n_jobs)

    def _telling(self, number: int, total: int, name: str) -> Any:
        """A context in which a member is fitted; a committee may say how long that takes."""
        return nullcontext()

    def _ask_all(self, X: Any, ask: Callable[[int, Any, Any], Any]) -> list[Any]:
        """What ``ask`` gives for each member's number, the fitted member, and the columns of X that it sees."""
        names = self._fitted_names()

        def work(j: int) -> Any:
            return ask(j, self.estimators_[j], self._view(names[j], X))

        return self._each(work, list(range(len(self.estimators_))), self.n_jobs)

    def _fitted_names(self) -> list[str]:
        """The names of ``estimators_``."""
        return [name for name, _ in self._members()]

    def _as_it_came(self, X: Any, fitting: bool) -> Any:
        """A table whose columns have names keeps these, by which views choose, also where members take arrays."""
        if not isinstance(X, Table) or not X.schema.named:
            return super()._as_it_came(X, fitting)
        names = list(X.schema.names)
        if fitting:
            values = super()._as_it_came(X, fitting)
            self.feature_names_in_ = np.array(names, dtype=object)
            return values
        known = list(getattr(self, "feature_names_in_", names))
        if set(known) != set(names):
            odd = sorted(set(known) ^ set(names))
            raise SchemaError(
                f"X must have the columns of training; {odd[0]!r} is in one of them alone.",
                who=type(self).__name__,
            )
        X = X.select([names.index(name) for name in known])
        return np.asarray(X) if isinstance(X.values, np.ndarray) else X.values

    def _view(self, name: str, X: Any) -> Any:
        """The columns of X that a member sees."""
        if self.views is None or name not in self.views:
            return X
        return take_columns(X, self._columns_of_view(name))

    def _columns_of_view(self, name: str) -> list[int]:
        """The numbers of the columns that a member sees."""
        wanted, who = list((self.views or {})[name]), type(self).__name__
        names = list(getattr(self, "feature_names_in_", []))
        places = [names.index(c) if isinstance(c, str) and c in names else c for c in wanted]
        d = self.n_features_in_
        wrong = [c for c in places if not isinstance(c, Integral) or not 0 <= int(c) < d]
        if wrong or not places:
            raise ParameterError(
                f"views[{name!r}] must be a list of columns of the table (names, or numbers from 0 to {d - 1}), got "
                f"{wanted!r}.",
                who=who,
            )
        return [int(c) for c in places]

    def _unseen(
        self, X: Any, y: Any, w: np.ndarray | None, classes: bool, ask: Callable[[int, Any, Any], np.ndarray]
    ) -> tuple[list[np.ndarray], np.ndarray]:
        """For each member its outputs for rows that it did not learn from, and these rows; see ``_out_of_fold``."""
        if self._library is not None:
            return [
                ask(j, self._library.answers[name], None) for j, (name, _) in enumerate(self._members())
            ], (self._library.rows)
        folds = folds_of(self.cv, X, y, classes, type(self).__name__, self._split)
        return self._out_of_fold(X, y, w, folds, ask)

    def _out_of_fold(
        self,
        X: Any,
        y: Any,
        w: np.ndarray | None,
        folds: list[tuple[np.ndarray, np.ndarray]],
        ask: Callable[[int, Any, Any], np.ndarray],
        names: list[str] | None = None,
    ) -> tuple[list[np.ndarray], np.ndarray]:
        """For each member (or those named) its outputs for the rows of the test folds, (m, columns), and these m rows.

        A row in several test folds is given the mean of its outputs; rows in none are left out. ``ask`` is given the
        number of a member, the model and rows.
        """
        names, n = names or [name for name, _ in self._members()], len(y)
        jobs = [(j, f) for j in range(len(names)) for f in range(len(folds))]

        def work(job: tuple[int, int]) -> np.ndarray:
            j, (train, test) = job[0], folds[job[1]]
            model = self._fit_one(names[j], X, y, w, train)
            with self._naming(names[j]):
                return ask(j, model, take_rows(self._view(names[j], X), test))

        answers = self._each(work, jobs, self.n_jobs)
        times = np.zeros(n)
        for _, test in folds:
            np.add.at(times, test, 1)
        rows = np.flatnonzero(times)
        if not len(rows):
            raise DataError("no row is in a test fold.", who=type(self).__name__)
        outputs = []
        for j in range(len(names)):
            total: Any = 0.0
            for (member, f), part in zip(jobs, answers):
                if member == j:
                    total = np.zeros((n, part.shape[1])) if np.isscalar(total) else total
                    np.add.at(total, folds[f][1], part)
            outputs.append(total[rows] / times[rows, None])
        return outputs, rows

    def _posterior_of(self, model: Any, X: Any, classes: np.ndarray) -> np.ndarray:
        """(n, K) the posterior of a member, in the order of all classes."""
        self._require_posterior(model)
        return aligned(np.asarray(model.predict_proba(X), np.float64), model.classes_, classes)

    def _require_posterior(self, model: Any) -> None:
        if not hasattr(model, "predict_proba"):
            raise ParameterError(
                f"{type(model).__name__} has no predict_proba. Use voting='hard', or wrap it: "
                f"CalibratedClassifierCV({type(model).__name__}()).",
                who=type(self).__name__,
            )

    def _votes_of(self, model: Any, X: Any, classes: np.ndarray) -> np.ndarray:
        """(n, K) 1 for the class that a member answers."""
        return np.eye(len(classes))[predicted_codes(model, X, classes)]


def elapsed_time(verbose: Any, number: int, total: int, name: str) -> Any:
    """A context that prints, if asked to, how long a member of a vote took, as scikit-learn does."""
    from sklearn.utils._user_interface import _print_elapsed_time

    return _print_elapsed_time("Voting", f"({number} of {total}) Processing {name}" if verbose else None)


def numbers_of(model: Any, X: Any) -> np.ndarray:
    """(n,) the numbers that a regressor answers."""
    return np.asarray(model.predict(X), np.float64).reshape(-1)
