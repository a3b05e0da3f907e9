"""Answers for Dask collections, for every learner alike: lazy, with the right types, columns and index.

Every class of learners has its methods of :data:`ANSWERS` decorated when it is defined (:func:`lazy_methods`). Given a
Dask frame or array they return a Dask collection whose partitions are the answers for the partitions of X; nothing is
computed before that is asked for. Of a frame they are a series or a frame with its index and divisions, of an array an
array with its chunks. The model is one key of the graph: it travels to the workers once, whatever the number of
partitions. ``score`` is computed at once, as a sum over the partitions, and ``explain`` gives
:class:`LazyExplanations`: a Dask frame of what each column contributes, or the reasoning itself of a few rows.
"""

from __future__ import annotations

import copy
import uuid
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from sklearn.base import TransformerMixin

from assay.core.kept import tree_sum
from assay.core.sums import check_dask_rows, is_dask, partitions
from assay.errors import DataError, DegenerateError
from assay.types import Floats

__all__ = ["ANSWERS", "LazyExplanations", "LazyTransforms", "lazily", "lazy_methods", "refuse_dask"]

F = TypeVar("F", bound=Callable[..., Any])

ANSWERS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "predict_joint_log_proba",
    "predict_interval",
    "decision_function",
    "score_samples",
    "log_density",
    "risks",
    "apply",
    "transform",
    "inverse_transform",
)  # methods of X that give one answer, or one row of answers, for each row of X
MOST_EXPLAINED = 10_000  # rows of a Dask collection whose reasoning is made in memory


class LazyTransforms(TransformerMixin):
    """scikit-learn's ``TransformerMixin`` for learners whose ``transform`` takes Dask collections.

    That mixin puts the results of ``transform`` into frames (``set_output``); a lazy result must not pass through that.
    """

    def __init_subclass__(cls, **options: Any):
        super().__init_subclass__(**options)
        lazy_methods(cls)


def lazy_methods(cls: type) -> None:
    """Let the methods of :data:`ANSWERS`, ``score`` and ``explain`` of a class of learners take Dask collections."""
    for name in (*ANSWERS, "score", "explain"):
        method = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
        if method is None or method in _LAZY:
            continue
        if hasattr(method, "fn"):  # available_if: the method is inside
            descriptor = copy.copy(method)
            descriptor.fn = lazily(method.fn, name)
            _LAZY.add(descriptor)
            setattr(cls, name, descriptor)
        elif callable(method):
            setattr(cls, name, lazily(method, name))


_LAZY: set[Any] = set()  # what has been decorated


def lazily(method: F, name: str) -> F:
    """Decorate a method of X (``predict``, ``transform``, ``score`` ...) so that it takes Dask collections."""

    @wraps(method)
    def answer(self: Any, *args: Any, **options: Any) -> Any:
        X = args[0] if args else options.get("X")
        if not is_dask(X) or getattr(self, "takes_sequences", False):
            return method(self, *args, **options)
        options.pop("X", None)
        if name == "explain":
            if not hasattr(self, "_explain_table"):  # a reasoning of its own kind, such as a topic model's
                return method(self, _few_rows(self, X))
            return LazyExplanations(copy.copy(self), X)
        if name == "score":
            if not self._score_by_blocks():
                return method(self, X, *args[1:], **options)
            return _score(self, X, *args[1:], **options)
        return _lazy(self, name, X, args[1:], options)

    _LAZY.add(answer)
    return answer  # type: ignore[return-value]


def refuse_dask(X: Any, who: str) -> None:
    """Raise if X is a Dask collection: what was asked for is for rows in memory."""
    if is_dask(X):
        raise DataError(
            "this is for rows in memory, and X is a Dask collection.",
            who=who,
            remedy="Take some rows, X.head(1000) of a frame or X[:1000].compute() of an array, or all of them, "
            "X.compute().",
        )


# ---------------------------------------------------------------------- answers


@dataclass(frozen=True)
class _Call:
    """What is asked of the model, and what its answers look like.

    Attributes
    ----------
    name, args, options : the method and its further arguments
    part : which answer is meant where the method gives several
    like : an answer for one row, as the method gives it
    names : of the columns of answers with several
    title : of a single column
    """

    name: str
    args: tuple[Any, ...]
    options: dict[str, Any]
    part: int | None = None
    like: Any = None
    names: Sequence[Any] = ()
    title: Any = None

    def of(self, model: Any, X: Any) -> Any:
        answers = getattr(model, self.name)(X, *self.args, **self.options)
        return answers if self.part is None else answers[self.part]


def _lazy(model: Any, name: str, X: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    who = type(model).__name__
    if any(is_dask(value) for value in (*args, *options.values())):
        raise DataError(f"{name} takes one Dask collection, X.", who=who)
    check_dask_rows(X, name, who)
    lazy = _of_frame
    if not hasattr(X, "columns"):
        lazy = _of_array
        X = X.rechunk({1: -1})  # whole rows
    model = copy.copy(model)  # a later fit leaves it as it is
    call = _Call(name, args, options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a row that is not in X
        try:
            example = call.of(model, _one_row(model, X))
        except DegenerateError:  # a row far from all others may have no answer
            example = _expected(model, name)
    key = _one_key(model)
    if isinstance(example, (list, tuple)):
        calls = [replace(call, part=i, like=answers) for i, answers in enumerate(example)]
        return type(example)([lazy(X, key, _named(model, each)) for each in calls])
    return lazy(X, key, _named(model, replace(call, like=example)))


def _one_key(model: Any) -> Any:
    """The model as a key of the graph that all tasks share."""
    from dask.delayed import delayed

    return delayed(model, pure=False, traverse=False, name=f"{type(model).__name__}-{uuid.uuid4().hex}")


def _one_row(model: Any, X: Any) -> Any:
    """A row such as the model knows them, in the types of X: what is answered for it has the types of all answers."""
    schema = getattr(model, "schema_", None)
    known = {} if schema is None else {c.name: c.categories[0] for c in schema if c.coded and c.categories}
    if hasattr(X, "columns"):
        from dask.dataframe.utils import meta_nonempty

        row = meta_nonempty(X._meta).iloc[:1]
        if schema is not None and not schema.named and len(schema) == len(row.columns):
            known = {name: known[c.name] for name, c in zip(row.columns, schema) if c.name in known}
        return row.assign(**{name: [value] for name, value in known.items() if name in row.columns})
    d = X.shape[1] if X.shape[1] == X.shape[1] else model.n_features_in_
    values = np.ones((1, d), dtype=X.dtype if X.dtype.kind in "biuf" else object)
    if hasattr(X._meta, "tocsr"):
        return type(X._meta)(values)
    if known and schema is not None and len(schema) == d:
        row = values.astype(object)
        row[0] = [known.get(c.name, 1) for c in schema]
        return row if X.dtype == object else row.astype(X.dtype)
    return values


def _expected(model: Any, name: str) -> Any:
    """What an answer for one row looks like, by the model alone."""
    classes = getattr(model, "classes_", None)
    if name == "predict" and classes is not None:
        return classes[:1]
    return np.zeros(1) if classes is None else np.zeros((1, len(classes)))


def _named(model: Any, call: _Call) -> _Call:
    """The call with the names of the columns of its answers."""
    if hasattr(call.like, "columns"):
        return replace(call, names=list(call.like.columns))
    if call.like.ndim == 1:
        title = getattr(model, "target_name_", None) or "prediction" if call.name == "predict" else call.name
        return replace(call, title=title)
    if call.like.ndim > 2:
        return call
    width = call.like.shape[1]
    names: Sequence[Any] = range(width)
    if call.name == "transform":
        names = _names_out(model)
    elif call.name == "inverse_transform":
        names = getattr(model, "feature_names_in_", names)
    elif call.name == "predict":
        names = model._target_names(width)
    elif call.name == "predict_interval":
        names = ("lower", "upper")
    elif call.name == "risks":
        names = model.actions_.tolist()
    else:
        classes = getattr(model, "classes_", names)
        classes = classes[call.part or 0] if isinstance(classes, list) else classes
        names = classes.tolist() if isinstance(classes, np.ndarray) else classes
    prefix = type(model).__name__.lower()
    return replace(call, names=list(names) if len(names) == width else [f"{prefix}{j}" for j in range(width)])


def _names_out(model: Any) -> Sequence[Any]:
    try:
        return [str(name) for name in model.get_feature_names_out()]
    except (AttributeError, ValueError, TypeError):
        return ()


def _of_frame(X: Any, key: Any, call: _Call) -> Any:
    if hasattr(call.like, "tocsr") or len(call.like.shape) > 2:  # a frame of them would be dense, or is none
        from dask.array import concatenate, from_delayed
        from dask.delayed import delayed

        task, shape = delayed(_answers_of, pure=False), (np.nan, *call.like.shape[1:])
        like = call.like[:0]
        blocks = [
            from_delayed(task(part, key, call), shape, meta=like)  # type: ignore[no-untyped-call]
            for part in X.to_delayed()
        ]
        return concatenate(blocks, allow_unknown_chunksizes=True)  # type: ignore[no-untyped-call]
    meta = _framed(call.like, call, X._meta_nonempty.index[:1]).iloc[:0]
    return X.map_partitions(_framed_answers_of, model=key, call=call, meta=meta, transform_divisions=False)


def _framed_answers_of(X: Any, model: Any, call: _Call) -> Any:
    return _framed(_answers_of(X, model, call), call, X.index)


def _framed(answers: Any, call: _Call, index: Any) -> Any:
    """Answers as a series or a frame with the index of their rows."""
    import pandas as pd

    if hasattr(answers, "columns"):  # by set_output
        frame = answers if isinstance(answers, pd.DataFrame) else answers.to_pandas()
        return frame.set_axis(index)
    dtype = object if answers.dtype == object else None  # labels of several types stay what they are
    if answers.ndim == 1:
        return pd.Series(answers, index=index, name=call.title, dtype=dtype)
    return pd.DataFrame(answers, index=index, columns=pd.Index(call.names), dtype=dtype)


def _of_array(X: Any, key: Any, call: _Call) -> Any:
    like = call.like
    if hasattr(like, "columns"):  # by set_output
        from dask.dataframe import from_dask_array

        return from_dask_array(
            _of_array(X, key, replace(call, like=like.to_numpy())), columns=list(like.columns)
        )
    shape: dict[str, Any] = {"drop_axis": 1}
    if like.ndim > 1:
        chunks = (X.chunks[0], *((width,) for width in like.shape[1:]))
        shape = {"chunks": chunks, "new_axis": list(range(2, like.ndim)) or None}
    return X.map_blocks(_answers_of, model=key, call=call, dtype=like.dtype, meta=like[:0], **shape)


def _answers_of(X: Any, model: Any, call: _Call) -> Any:
    """The answers for one partition, in the type of all answers."""
    n, like = X.shape[0], call.like
    if n == 0:
        return like[:0]
    answers = call.of(model, X)
    if hasattr(answers, "columns") and not hasattr(like, "columns"):
        answers = answers.to_numpy()
    if answers.shape[0] != n:
        raise DataError(
            f"{call.name} gave {answers.shape[0]} answers for {n} rows, so they cannot be given for the partitions "
            "of a Dask collection.",
            who=type(model).__name__,
        )
    dtype = getattr(like, "dtype", None)
    if dtype is None or dtype.kind not in "biuf" or not np.can_cast(answers.dtype, dtype, "same_kind"):
        return answers  # text keeps its width
    return answers.astype(dtype, copy=False)


# ---------------------------------------------------------------------- explanations and scores


class LazyExplanations:
    """Why a learner answers as it does, for the rows of a Dask collection; nothing is computed before you ask for it.

    ``to_frame`` is a Dask frame, made where the rows are. ``compute`` gives what ``explain`` gives for rows in memory,
    the reasoning about each row, of at most 10,000 rows; ``print``, ``len`` and ``[i]`` are about the result of that.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from assay.linear import LinearRegression
    >>> X = pd.DataFrame({"age": [1.0, 2.0, 4.0], "size": [0.0, 1.0, 0.0]}, index=["ann", "bob", "cy"])
    >>> model = LinearRegression().fit(X, [3.0, 8.0, 9.0])
    >>> explanations = model.explain(dd.from_pandas(X, npartitions=2))
    >>> explanations.to_frame().compute().round(6)[["answer", "base", "age", "size"]]
         answer  base  age  size
    ann     3.0   1.0  2.0   0.0
    bob     8.0   1.0  4.0   3.0
    cy      9.0   1.0  8.0   0.0
    """

    def __init__(self, model: Any, X: Any):
        self._model, self._X = model, X
        self._computed: Any = None
        check_dask_rows(X, "explain", type(model).__name__)
        if not hasattr(X, "columns"):
            self._X = X.rechunk({1: -1})  # whole rows
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a row that is not in X
            try:
                self._example = model._explain_table(_one_row(model, X))
            except DegenerateError:  # a row far from all others may have no answer
                self._example = model._explain_table(_first_row(X))

    def to_frame(self, output: Any = None) -> Any:
        """A Dask frame with one line for each row: its answer, and what each column contributes to it.

        Columns are those of :meth:`Explanations.to_frame`. Index and divisions are those of a frame that is explained;
        of an array the rows of each chunk are counted from 0.

        Parameters
        ----------
        output : class label, default None
            The class whose score or probability is explained, the same for all rows; None takes for each row the
            output that decided its answer.
        """
        key, like = _one_key(self._model), self._example.to_frame(output)
        if hasattr(self._X, "columns"):
            meta = like.set_axis(self._X._meta_nonempty.index[:1]).iloc[:0]
            return self._X.map_partitions(
                _contributions_of, model=key, output=output, like=meta, meta=meta, transform_divisions=False
            )
        import dask.dataframe as dd
        import pandas as pd
        from dask.delayed import delayed

        meta, task = like.set_axis(pd.RangeIndex(1)).iloc[:0], delayed(_contributions_of, pure=False)
        parts = [task(part, key, output, meta) for part in self._X.to_delayed().ravel()]
        return dd.from_delayed(parts, meta=meta, verify_meta=False)

    def compute(self) -> Any:
        """The reasoning about each row: an Explanation for one row, Explanations for several."""
        if self._computed is None:
            self._computed = self._model.explain(_few_rows(self._model, self._X))
        return self._computed

    def __len__(self) -> int:
        explained = self.compute()
        return len(explained) if isinstance(explained, Sequence) else 1

    def __getitem__(self, i: Any) -> Any:
        explained = self.compute()
        return explained[i] if isinstance(explained, Sequence) else [explained][i]

    def __str__(self) -> str:
        return str(self.compute())

    def __repr__(self) -> str:
        return f"<explanations by {type(self._model).__name__} of a Dask collection: to_frame(), compute()>"


def _contributions_of(X: Any, model: Any, output: Any, like: Any) -> Any:
    """The lines for one partition, in the types of all."""
    if X.shape[0] == 0:
        return like
    lines = model._explain_table(X).to_frame(output).astype(like.dtypes.to_dict())
    return lines.set_axis(X.index) if hasattr(X, "columns") else lines


def _first_row(X: Any) -> Any:
    return X.head(1, npartitions=-1) if hasattr(X, "columns") else X[:1].compute()


def _few_rows(model: Any, X: Any) -> Any:
    """The rows of a Dask collection in memory, if they are few enough to be explained one by one."""
    heights = [_height(part) for part in partitions(X)]
    n = sum(_together(heights))
    if n <= MOST_EXPLAINED:
        return X.compute()
    raise DataError(
        f"the reasoning is about single rows, at most {MOST_EXPLAINED:,} of a Dask collection; X has {n:,}.",
        who=type(model).__name__,
        remedy="Choose some: explain(X.loc[[label]]) or explain(X.partitions[0]) of a frame, explain(X[:10]) of an "
        "array. explain(X).to_frame() has what each column contributes, of any number of rows.",
    )


def _height(part: Any) -> Any:
    from dask.delayed import delayed

    return delayed(lambda rows: rows.shape[0], pure=False)(part)


def _together(tasks: list[Any]) -> Any:
    from dask.delayed import delayed

    return delayed(list)(tasks).compute()


def _score(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    from dask.delayed import delayed

    check_dask_rows(X, "score", type(model).__name__)
    parts = [partitions(v) if v is not None else None for v in (X, y, sample_weight)]
    counts = {len(p) for p in parts if p is not None}
    if len(counts) > 1:
        raise DataError(
            "X, y and weights are cut into different numbers of Dask partitions; rechunk them alike.",
            who=type(model).__name__,
        )
    forms: dict[str, Callable[..., Any]] = {"mean": _MeanScore.of, "r2": _SquaredErrors.of}
    key, task = _one_key(copy.copy(model)), delayed(forms[model._score_by_blocks()], pure=False)
    weights = parts[2] or [None] * len(parts[0] or ())
    blocks = [task(key, *block) for block in zip(parts[0] or (), parts[1] or (), weights)]
    total: _MeanScore | _SquaredErrors = tree_sum(blocks).compute()
    return total.score()


@dataclass(frozen=True)
class _MeanScore:
    """A score that is the mean over rows, such as the accuracy."""

    total: float = 0.0
    weight: float = 0.0

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, w: Any) -> _MeanScore:
        weight = float(X.shape[0] if w is None else np.sum(np.asarray(w, dtype=np.float64)))
        if weight == 0:
            return cls()
        return cls(weight * model.score(X, y, sample_weight=None if w is None else np.asarray(w)), weight)

    def __add__(self, other: _MeanScore) -> _MeanScore:
        return _MeanScore(self.total + other.total, self.weight + other.weight)

    def score(self) -> float:
        if self.weight == 0:
            raise DataError("The Dask collection has no rows (or no weight) to score.")
        return self.total / self.weight


@dataclass(frozen=True)
class _SquaredErrors:
    """What R2 needs of some rows, for each target: weight, mean, squares around the mean, squared errors."""

    weight: float
    mean: Floats
    scatter: Floats
    errors: Floats
    rows: int

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, w: Any) -> _SquaredErrors:
        n = X.shape[0]
        truth = np.asarray(y, dtype=np.float64).reshape(n, -1) if n else np.zeros((0, 1))
        weights = np.ones(n) if w is None else np.asarray(w, dtype=np.float64)
        total = float(weights.sum())
        if n == 0 or total == 0:
            zero = np.zeros(1)
            return cls(0.0, zero, zero, zero, n)
        predicted = np.asarray(model.predict(X), dtype=np.float64).reshape(n, -1)
        mean = weights @ truth / total
        return cls(total, mean, weights @ (truth - mean) ** 2, weights @ (truth - predicted) ** 2, n)

    def __add__(self, other: _SquaredErrors) -> _SquaredErrors:
        total = self.weight + other.weight
        if not self.weight or not other.weight:
            heavy = self if self.weight else other
            return replace(heavy, rows=self.rows + other.rows)
        shift = other.mean - self.mean
        return _SquaredErrors(
            total,
            self.mean + shift * (other.weight / total),
            self.scatter + other.scatter + shift**2 * (self.weight * other.weight / total),
            self.errors + other.errors,
            self.rows + other.rows,
        )

    def score(self) -> float:
        """R2, the mean over targets; of a constant target 1 if it is met exactly, else 0, as in scikit-learn."""
        if self.rows < 2:
            raise DataError(f"R2 needs at least two rows, the Dask collection has {self.rows}.")
        constant = self.scatter == 0
        explained = np.where(
            constant, self.errors == 0, 1 - self.errors / np.where(constant, 1.0, self.scatter)
        )
        return float(explained.mean())
