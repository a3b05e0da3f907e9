"""The bases that do all the plumbing, so that a learner's file holds its mathematics.

A learner writes a constructor that only stores, a table ``accepts`` of what its parameters may be, a set
``takes`` of what its mathematics can use as it is ("nominal", "missing", "sparse", "infinite"), and its own two or
three methods:

- :class:`Classifier`: ``_learn(X, y, w)`` and ``_posterior(X)``;
- :class:`Generative`: ``_learn(X, y, w)`` and ``_log_joint(X)``;
- :class:`Regressor`: ``_learn(X, y, w)`` and ``_predict(X)``;
- :class:`Transformer`: ``_learn(X, y, w)`` and ``_transform(X)``;
- :class:`Clusterer`: ``_learn(X, y, w)``, which sets ``labels_``, and ``_assign(X)``;
- with :class:`SumLearner` in front: ``_summarize(X, y, w)`` and ``_solve(sums)`` instead of ``_learn``;
- with :class:`PassLearner` in front: ``_learn_from(source)``, which adds up over the rows as often as it likes.

There X is a float block (categories as codes, missing as NaN), y holds codes 0..K-1 or floats, and w is
None or the rows' weights.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, ClusterMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from assay.core.available import available_if
from assay.core.callbacks import set_callbacks
from assay.core.complaints import missing_message, missing_remedy, warn_unseen
from assay.core.dated import dated
from assay.core.explanation import Explanation
from assay.core.explanations import Contributions, Explanations, Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.lazy_answers import LazyTransforms, lazy_methods, refuse_dask
from assay.core.model_view import ModelView, Part, model_facts, model_parts
from assay.core.parameters import Accepted, check, check_count
from assay.core.scores import impossible_rows, log_softmax, softmax, winner
from assay.core.stored import AnyArray, Each, IntArray, Integer, Kind, Mapped, Object, Plain, Scalar, Text
from assay.core.sum_learner import PassLearner, SumLearner, more_rows_than_memory
from assay.core.sums import is_dask
from assay.core.targets import check_weights, encode_labels, numeric_target, plain_values, target_names
from assay.errors import DataError, DegenerateError, DegenerateWarning, warn_user
from assay.tables import Design, RowNames, Schema, Table
from assay.tables.rows import row_count, take_rows
from assay.types import Codes, Floats, TableLike, Target, Weights

__all__ = [
    "Classifier",
    "Clusterer",
    "Generative",
    "Learner",
    "PassLearner",
    "Regressor",
    "SumLearner",
    "Transformer",
]

INTERVAL_ROWS = 8192  # rows whose distributions are in memory at a time while intervals are made


class Learner(BaseEstimator):
    """What all learners share: parameters, the schema, and what they take of a table.

    Attributes
    ----------
    schema_ : Schema
        The columns of the training table; at predict time columns are matched with it by name.
    design_ : Design
        For learners that need numbers: how nominal columns were expanded into indicators.
    n_features_in_ : int          feature_names_in_ : (d,) only if the table had names
    """

    accepts: ClassVar[Mapping[str, Accepted | None]] = {}
    stored: ClassVar[Mapping[str, Kind]] = {
        "schema_": Object(Schema),
        "design_": Object(Design),
        "n_features_in_": Integer("d"),
        "feature_names_in_": AnyArray("d"),
        "classes_": AnyArray("K") | Each(AnyArray("*")),
        "n_iter_": Integer() | IntArray("*") | IntArray("*", "*", "*") | Scalar(low=0) | None,
        "history_": Each(Plain()),
        "n_outputs_": Integer(low=1),
        "n_classes_": Integer("K") | Each(Integer()) | IntArray("*", low=0),
        "_unsolved": Text() | None,
        "target_names_": Each(Text()),  # of several targets in a frame
        "target_name_": Text() | None,  # what assay fit was asked to predict
        "reading_": Mapped(Each(Text())),  # how its table was read: marks of missing values, cleaned columns
        "_sklearn_output_config": Mapped(Text()),
        "row_names_": Object(RowNames),  # of learners that keep them
    }
    takes: ClassVar[frozenset[str]] = frozenset()
    reference_category: ClassVar[bool] = False  # leave out each nominal column's first indicator
    kept_in_single: ClassVar[
        tuple[str, ...]
    ] = ()  # attributes that are float32 if X is, as with scikit-learn
    keeps_row_names: ClassVar[bool] = False  # whether ``row_names_`` says what the training rows were called
    row_names_: RowNames
    _param_names: ClassVar[list[str]]
    alternative_for_missing: ClassVar[str] = ""  # what else a learner offers that cannot use missing values

    def __init_subclass__(cls, **options: Any):
        super().__init_subclass__(**options)
        lazy_methods(cls)

    def _score_by_blocks(self) -> str:
        """How the score of all rows follows from blocks of them: "mean", "r2", or "" if ``score`` knows by itself."""
        return ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = "sparse" in self.takes
        tags.input_tags.allow_nan = "missing" in self.takes
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """The constructor's parameters, looked up once for each class: every clone asks several times."""
        if "_param_names" not in vars(cls):
            cls._param_names = super()._get_param_names()
        return cls._param_names

    def why_not(self, X: TableLike) -> str | None:
        """None if the learner can use this table, else the sentence that says why not.

        >>> from assay.bayes import GaussianNB
        >>> GaussianNB().why_not([[1.0], [None]])
        'GaussianNB: column x0 has 1 missing value (NaN). ...'
        """
        try:
            table = Table.of(X, who=type(self).__name__, infinite=self._takes_infinite())
            self._numbers(table, Design(table.schema, self.reference_category))
        except DataError as error:
            return str(error)
        return None

    def show(self, limit: int | None = 50) -> ModelView:
        """What the learner has learned: its tree, rules, coefficients, priors, importances, or the models inside.

        Parameters
        ----------
        limit : int or None, default 50
            The most rows of a table and lines of a text that are shown; None shows all.

        Returns
        -------
        ModelView
            ``print`` it, call ``to_dict`` or ``to_html``; a notebook draws it.
        """
        check_count(f"{type(self).__name__}.show", "limit", limit, none=True)
        check_is_fitted(self)
        return ModelView(self._model_name(), model_facts(self), self._model_parts(), limit)

    def _model_name(self) -> str:
        """The headline of the view."""
        return type(self).__name__

    def _model_parts(self) -> list[Part]:
        """What ``show`` shows; overridden by learners with more."""
        return model_parts(self)

    def _model_html(self) -> str:
        """The drawing of a model that prints itself; empty shows the text."""
        return ""

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {**super()._repr_mimebundle_(**kwargs), "text/plain": str(self)}

    def _html_repr(self) -> str:
        """What notebooks show: before fit the learner as scikit-learn draws it, after fit also the model."""
        drawn: str = super()._html_repr()
        try:
            return drawn + self.show()._repr_html_()
        except Exception:  # not fitted, or half fitted: a display must never fail
            return drawn

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Register callbacks that follow scikit-learn's protocol, such as ``sklearn.callback.ProgressBar()``.

        They are called at the beginning and the end of every fit and, where the learner iterates with callbacks
        (:class:`~assay.linear.LogisticRegression`), of each iteration. No callbacks removes those there are.
        """
        set_callbacks(self, callbacks)
        return self

    def _most_iterations(self) -> int:
        """How many iterations a fit may report to callbacks; 0 if it reports none."""
        return 0

    def _explain_table(self, X: Any) -> Explanations:
        """What the learner says of each row of a table."""
        return explain_table(copy.copy(self), X)  # a copy, which a later fit leaves as it is

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        """What the learner says of each row of a block of numbers; ``rows`` has them as the table does."""
        raise TypeError(f"{type(self).__name__} must define _explain_block")

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        """The learner's own reasoning about the rows of a block."""
        return Reasons()

    def _contributions(
        self, values: np.ndarray, base: np.ndarray, outputs: Sequence[str], chosen: np.ndarray
    ) -> Contributions:
        """(n, D, V) what the columns that the mathematics sees add, gathered by the columns of the table."""
        design = getattr(self, "design_", None)
        if design is not None and not design.plain:
            gathered = np.zeros((values.shape[0], len(self.schema_), values.shape[2]))
            for j, source in enumerate(design.source.tolist()):
                gathered[:, source] += values[:, j]
            values = gathered
        return Contributions(values, base, self.schema_.names, outputs, chosen)

    def _check_parameters(self) -> None:
        if self.accepts:
            check(type(self).__name__, self.accepts, vars(self))

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        """X as the block of numbers that this learner's mathematics sees."""
        if fitting and self.keeps_row_names:
            self.row_names_ = RowNames.of(X).stored()
        table = self._read(X, fitting)
        if table.unseen and not fitting:
            warn_unseen(table, type(self).__name__, "treated as missing")
        return self._numbers(table, getattr(self, "design_", None))

    def _read(self, X: Any, fitting: bool = False) -> Table:
        """X as a checked table with the columns of fit; one that was checked by whoever hands it on, as it is."""
        if fitting:
            table = (
                X
                if isinstance(X, Table)
                else Table.of(X, who=type(self).__name__, infinite=self._takes_infinite())
            )
            self._remember(table.schema)
            return table
        self._ready()
        if isinstance(X, Table) and (X.schema is self.schema_ or X.schema == self.schema_):
            return X
        refuse_dask(X, type(self).__name__)
        return Table.like(X, self.schema_, type(self).__name__, infinite=self._takes_infinite())

    def _takes_infinite(self) -> bool:
        """Whether infinite numbers stand beyond all others, rather than being refused."""
        return "infinite" in self.takes

    def _explained(self, X: Any) -> tuple[Table, Any]:
        """X as the table has it, and as the mathematics sees it."""
        table = self._read(X)
        return table, self._admit(table)

    def _admit_to_answer(self, X: Any) -> Any:
        """X as ``predict`` and its kin see it; a learner whose answers show what is wrong with X may look later."""
        return self._admit(X)

    @property
    def _cases(self) -> RowNames:
        """The names of the training rows; numbers for a model of an earlier version, which did not keep them."""
        return getattr(self, "row_names_", RowNames())

    def _keep_precision(self, X: Any) -> None:
        """After learning from float32: the attributes of ``kept_in_single`` are float32, too."""
        if self.kept_in_single and X.dtype == np.float32:
            for name in self.kept_in_single:
                value = getattr(self, name, None)
                if isinstance(value, (np.ndarray, np.floating, float)):
                    setattr(self, name, np.asarray(value).astype(np.float32)[()])

    def _ready(self) -> None:
        """Refuse to answer before there is a model, or while the rows so far do not determine one."""
        if "schema_" not in vars(self):  # every fit makes one
            check_is_fitted(self)
        if getattr(self, "_unsolved", None):
            raise NotFittedError(self._unsolved)

    def _remember_targets(self, y: Any) -> None:
        """Keep the names of several targets, if y is a frame of them."""
        self.__dict__.pop("target_names_", None)
        if names := target_names(y):
            self.target_names_ = names

    def _target_names(self, targets: int) -> list[str]:
        """What several targets are called: the columns of y in training, else y0, y1, ..."""
        return getattr(self, "target_names_", [f"y{o}" for o in range(targets)])

    def _remember(self, schema: Schema) -> None:
        self.schema_ = schema
        self.n_features_in_ = len(schema)
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if "nominal" not in self.takes:
            self.design_ = Design(schema, self.reference_category)

    def _numbers(self, table: Table, design: Design | None) -> Any:
        who, X = type(self).__name__, table.values
        self._refuse_sparse(table)
        if not table.complete and "missing" not in self.takes:
            raise DataError(missing_message(who, table, self._missing_remedy()))
        if "nominal" not in self.takes:
            return X if design is None or design.plain else design.expand(X)
        if table.unseen:  # a category nobody has seen is missing
            table = table.unseen_as_missing()
            if not table.complete and "missing" not in self.takes:
                raise DataError(missing_message(who, table, self._missing_remedy()))
        return table.values

    def _refuse_sparse(self, table: Table) -> None:
        if not isinstance(table.values, np.ndarray) and "sparse" not in self.takes:
            raise TypeError(
                f"{type(self).__name__}: sparse data was passed, but dense data is required. Use X.toarray()."
            )

    def _missing_remedy(self) -> str:
        """What to do about missing values that the learner cannot use."""
        kinds = ((Classifier, "Prepared"), (Regressor, "PreparedRegressor"))
        wrapper = next((name for kind, name in kinds if isinstance(self, kind)), "")
        return missing_remedy(type(self).__name__, wrapper, self.alternative_for_missing)

    @property
    def _names(self) -> list[str]:
        """The names of the columns that the mathematics sees."""
        return self.design_.names if hasattr(self, "design_") else self.schema_.names


class Classifier(ClassifierMixin, Learner):
    """A learner of classes: posteriors first, decisions from them.

    Attributes
    ----------
    classes_ : (K,) the class labels, sorted
    multiclass : how more than two classes are learned
        "native": by one model of all classes; "one-vs-rest": by a part for each class against the others;
        "one-vs-one", "output code": by binary problems; "two classes only"; "as the estimator" of a meta-learner
    """

    multiclass: ClassVar[str] = "native"

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Learn from the rows of X and their classes y.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) class labels of any kind
        sample_weight : (n,) what each row counts; None counts each once
        """
        self._check_parameters()
        if fit_elsewhere(self, X, y, sample_weight):
            return self
        values = self._admit(X, fitting=True)
        self.classes_, codes = encode_labels(y, values.shape[0], type(self).__name__)
        self._learn(values, codes, check_weights(sample_weight, values, type(self).__name__))
        self._keep_precision(values)
        return self

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the posterior probability of each class, in the order of ``classes_``."""
        return self._posterior(self._admit_to_answer(X))

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the most probable class; among equals the first of ``classes_``."""
        values = self._admit_to_answer(X)
        answers: np.ndarray = self.classes_[self._choose(values)]
        return answers

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the logarithm of the posterior."""
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(self.predict_proba(X))
            return logs

    def score(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> float:
        """The accuracy: the (weighted) share of rows whose class is right; of several targets, those right in all."""
        if not isinstance(getattr(self, "classes_", None), list):
            return float(super().score(X, y, sample_weight))
        answers, truth = self.predict(X).astype(object), np.asarray(plain_values(y), dtype=object)
        if truth.shape != answers.shape:
            raise DataError(
                f"y has the shape {truth.shape}, expected {answers.shape}: a label of each row and target.",
                who=type(self).__name__,
            )
        return float(
            np.average(
                (truth == answers).all(axis=1),
                weights=check_weights(sample_weight, answers, type(self).__name__),
            )
        )

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """How the learner reached its answer: an Explanation for one row, Explanations for several."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        return Explanations(
            type(self).__name__,
            python_labels(self.classes_[self._choose(X)]),
            rows,
            self._reasons(X, rows),
            python_labels(self.classes_),
            self._posterior(X),
        )

    def _score_by_blocks(self) -> str:
        return "mean"

    def _choose(self, X: Any) -> np.ndarray:
        best: Codes = np.argmax(self._posterior(X), axis=1)
        return best

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        raise TypeError(f"{type(self).__name__} must define _learn")

    def _posterior(self, X: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _posterior")


class Generative(Classifier):
    r"""A classifier that models log P(x, k) for each class k; the posterior is its softmax.

    A row to which every class gives probability zero has no posterior. Then the answer is the prior, with a
    ``DegenerateWarning``; a learner with ``zero_evidence="raise"`` raises instead.
    """

    def predict_joint_log_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) log P(x, k), not normalised over the classes."""
        return self._log_joint(self._admit(X))

    def log_density(self, X: TableLike) -> np.ndarray:
        r"""(n,) log p(x), the joint probability summed over the classes; -inf for rows that no class can have.

        .. math:: \ln p(x) = \ln \sum_k p(x \mid k) P(k)

        A row of low density is unlike the training rows, whatever its posterior says.
        """
        joint = self._log_joint(self._admit(X))
        top = joint.max(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            total = np.exp(joint - np.where(np.isneginf(top), 0.0, top)[:, None]).sum(axis=1)
            density: Floats = top + np.log(np.where(total > 0, total, 1.0))
            return density

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the logarithm of the posterior, exact also where the posterior underflows."""
        return log_softmax(self._evident(self._scores(self._admit(X))))

    def _posterior(self, X: Any) -> np.ndarray:
        return softmax(self._evident(self._scores(X)))

    def _choose(self, X: Any) -> np.ndarray:
        return winner(self._evident(self._scores(X)))

    def _evident(self, joint: np.ndarray) -> np.ndarray:
        """log P(x, k) with the rows of zero evidence replaced by the log prior."""
        if not impossible_rows(joint):
            return joint
        impossible = np.isneginf(joint.max(axis=1))
        problem = (
            f"{type(self).__name__}: {int(impossible.sum())} row(s) have probability zero under every class, so their "
            "posterior is undefined"
        )
        if getattr(self, "zero_evidence", "prior") == "raise":
            raise DegenerateError(f"{problem}. Smooth the counts (alpha above 0).")
        warn_user(f"{problem}; the prior is given instead.", DegenerateWarning)
        with np.errstate(divide="ignore"):
            joint[impossible] = np.log(self._prior())
        return joint

    def _prior(self) -> np.ndarray:
        """(K,) the prior probabilities of the classes."""
        priors: Floats
        if hasattr(self, "class_log_prior_"):
            priors = np.exp(self.class_log_prior_)
        else:
            priors = self.class_prior_ if hasattr(self, "class_prior_") else self.priors_
        return priors

    def _joint_contributions(self, logs: np.ndarray, joint: np.ndarray) -> Contributions:
        """(n, D, K) what each column adds to log P(x, k), (n, K)."""
        with np.errstate(divide="ignore"):
            base = np.log(self._prior())
        outputs = [f"the log joint probability of {label}" for label in self.classes_]
        return self._contributions(logs, base, outputs, winner(joint))

    def _scores(self, X: Any) -> np.ndarray:
        """(n, K) log P(k | x) up to a term that is the same for all classes."""
        return self._log_joint(X)

    def _log_joint(self, X: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _log_joint")


def has_distribution(model: Regressor) -> bool:
    """A condition for ``available_if``: whether the learner gives distributions; the error says why not."""
    if reason := model._no_distribution():
        raise AttributeError(f"{type(model).__name__}: {reason}")
    return True


class Regressor(RegressorMixin, Learner):
    """A learner of numbers; one with a model of its noise writes ``_distribution(X)`` besides."""

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Learn from the rows of X and their numbers y."""
        self._check_parameters()
        if fit_elsewhere(self, X, y, sample_weight):
            return self
        values = self._admit(X, fitting=True)
        target = numeric_target(y, values.shape[0], type(self).__name__)
        self._remember_targets(y)
        self._learn(values, target, check_weights(sample_weight, values, type(self).__name__))
        self._keep_precision(values)
        return self

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the expected number for each row."""
        return self._predict(self._admit_to_answer(X))

    def _score_by_blocks(self) -> str:
        return "r2"

    @available_if(has_distribution)
    def predict_distribution(self, X: TableLike) -> Any:
        """The predictive distribution of each row's number: means, quantiles, intervals, scores.

        See :mod:`assay.stats.distributions.predictive` for what can be asked of it.
        """
        return self._distribution(self._admit_to_answer(X))

    @available_if(has_distribution)
    def predict_interval(self, X: TableLike, coverage: float = 0.9) -> np.ndarray:
        """(n, 2) an interval for each row's number, low and high, by the learner's own model of its noise.

        Half of the remaining probability lies on either side. The coverage is as good as the model;
        :class:`assay.decide.ConformalRegressor` makes intervals that need no such model.
        """
        values = self._admit_to_answer(X)
        n = row_count(values, type(self).__name__)
        if n <= INTERVAL_ROWS:
            return np.column_stack(self._distribution(values).interval(coverage))
        ends = np.empty((n, 2))
        for start in range(0, n, INTERVAL_ROWS):
            rows = np.arange(start, min(start + INTERVAL_ROWS, n))
            ends[rows] = np.column_stack(self._distribution(take_rows(values, rows)).interval(coverage))
        return ends

    def _distribution(self, X: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must define _distribution")

    def _no_distribution(self) -> str:
        """Why there is no predictive distribution, as a sentence; empty if there is one."""
        if type(self)._distribution is Regressor._distribution:
            return (
                "it has no model of its noise, and so no predictive distribution of its own. Wrap it: "
                f"ConformalRegressor({type(self).__name__}())."
            )
        return ""

    def _interval_doubt(self, coverage: float) -> str:
        """Why the learner's own intervals may hold less than asked for, as the end of a sentence; mostly empty."""
        return ""

    def _refuse_several_targets(self, several: bool) -> None:
        """Raise for a model of several targets, which has no distribution of one number a row."""
        if several:
            raise DataError(
                f"{type(self).__name__}: predictive distributions are of one target, the model was fitted to several. "
                "Fit one model for each."
            )

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """How the learner reached its number: an Explanation for one row, Explanations for several."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        answers = np.asarray(self._predict(X)).tolist()
        return Explanations(type(self).__name__, answers, rows, self._reasons(X, rows))

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        raise TypeError(f"{type(self).__name__} must define _learn")

    def _predict(self, X: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _predict")


class Transformer(LazyTransforms, Learner):
    """A learner of a new table from the old one."""

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None) -> Self:
        """Learn what the transformation needs from the rows of X."""
        self._check_parameters()
        if fit_elsewhere(self, X, y, sample_weight):
            return self
        values = self._admit(X, fitting=True)
        self._learn(values, y, check_weights(sample_weight, values, type(self).__name__))
        return self

    def transform(self, X: TableLike) -> Any:
        """The rows of X in the new table."""
        return self._transform(self._admit(X))

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the new table's columns."""
        check_is_fitted(self)
        if input_features is not None and list(input_features) != self.schema_.names:
            if len(input_features) != len(self.schema_):
                raise ValueError("input_features should have length equal to number of features")
            if self.schema_.named:
                raise ValueError("input_features is not equal to feature_names_in_")
            return np.asarray(input_features, dtype=object)
        return np.array(self._names_out(), dtype=object)

    def _names_out(self) -> list[str]:
        return self._names

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        raise TypeError(f"{type(self).__name__} must define _learn")

    def _transform(self, X: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must define _transform")


class Clusterer(ClusterMixin, Learner):
    """A learner of groups.

    Attributes
    ----------
    labels_ : (n,) the group of each training row
    """

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None) -> Self:
        """Find groups among the rows of X; y is ignored."""
        self._check_parameters()
        values = self._admit(X, fitting=True)
        self._learn(values, None, check_weights(sample_weight, values, type(self).__name__))
        return self

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the group that each row belongs to."""
        return self._assign(self._admit(X))

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        raise TypeError(f"{type(self).__name__} must define _learn")

    def _assign(self, X: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _assign")


def fit_elsewhere(learner: Learner, X: Any, y: Any, w: Any) -> bool:
    """Fit on a Dask cluster if X lives there; whether that was done."""
    if not is_dask(X):
        return False
    if not isinstance(learner, PassLearner):
        raise more_rows_than_memory(learner)
    learner._fit_dask(X, y, w)
    return True


def explain_table(learner: Any, X: Any) -> Explanations:
    """What the learner says of each row: as the mathematics sees it, and as the table has it."""
    table, values = learner._explained(X)
    schema = table.schema
    block: Explanations = learner._explain_block(values, RowValues(table))
    reasons = replace(block.reasons, sections=lambda i: [dated(s, schema) for s in block.reasons.sections(i)])
    return replace(block, reasons=reasons, names=RowNames.of(X))


def python_label(label: Any) -> Any:
    """A label as plain Python has it."""
    return label.item() if isinstance(label, np.generic) else label


def python_labels(labels: Any) -> list[Any]:
    """Labels as plain Python has them."""
    return [python_label(label) for label in labels]
