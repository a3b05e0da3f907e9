"""Learners whose steps are sums over rows: memory, blocks from disk, Dask, ``partial_fit``, from the same methods.

- :class:`PassLearner` goes over the rows in passes, as many as it likes, and adds up in each;
- :class:`SumLearner` needs one pass, so that rows can be added later as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import is_regressor

from assay.core.fitting import all_or_nothing, observed
from assay.core.sums import Block, DaskRows, Rows, Source, Stream
from assay.core.targets import check_weights, encode_labels, label_codes, numeric_target, plain_values
from assay.errors import DataError, DegenerateError, ParameterError, SchemaError
from assay.tables import Schema, Table
from assay.tables.float_blocks import is_sparse
from assay.types import Labels, TableLike, Target, Weights

if TYPE_CHECKING:
    from assay.core.learner import Learner as _Learner
else:
    _Learner = object  # a mixin: it stands before a learner's base

__all__ = ["PassLearner", "SumLearner", "WithoutTarget"]


class PassLearner(_Learner):
    """Mixin for a learner that adds up over the rows, in several passes; stands before its base class.

    The author writes ``_learn_from(source)`` and calls ``source.add_up`` as often as needed.
    """

    def _learn_from(self, source: Source) -> None:
        raise TypeError(f"{type(self).__name__} must define _learn_from")

    def _learn(self, X: Any, y: Any, w: Any) -> None:
        self._forget()
        self._learn_from(Rows(X, y, w))

    def _forget(self) -> None:
        """Drop what an earlier fit kept for more rows to come."""

    @all_or_nothing
    def fit_blocks(
        self,
        blocks: Any,
        target: str | None = None,
        weights: str | None = None,
        classes: Labels | None = None,
    ) -> Self:
        """Learn from more rows than fit in memory, one block at a time.

        Parameters
        ----------
        blocks : path, glob pattern or list of paths of CSV, Parquet or ARFF files; or an iterable (or a
            function that returns one) of frames, or of tuples (X, y) or (X, y, weights)
        target : name of the column to predict, when the blocks are frames or files
        weights : name of the column of row weights
        classes : all class labels, if known; saves nothing but the check
        """
        self._check_parameters()
        self._forget()
        read = _block_reader(blocks)
        split = _Split(target, weights, needs_target=self._has_classes or hasattr(self, "_predict"))
        who = type(self).__name__
        first = Stream(read, split, f"{who}: reading the columns")
        self._adopt(first.add_up(self._survey), classes)
        self._learn_from(
            Stream(read, lambda raw: self._prepare(*split(raw)), f"{who}: learning", first.total)
        )
        return self

    def _fit_dask(self, X: Any, y: Any, w: Any) -> None:
        self._forget()
        self._adopt(DaskRows(X, y, w, Block).add_up(self._survey), None)
        self._learn_from(DaskRows(X, y, w, self._prepare))

    @property
    def _has_classes(self) -> bool:
        return getattr(self, "_estimator_type", None) == "classifier" or hasattr(self, "_posterior")

    def _survey(self, block: Block) -> _Survey:
        """What must be known of a block before it can be encoded: its columns and its classes."""
        who = type(self).__name__
        labels = None
        if self._has_classes:
            labels = encode_labels(_values(block.y), len(_values(block.y)), who)[0].tolist()
        return _Survey(Table.of(block.X, who=who).schema, None if labels is None else frozenset(labels))

    def _adopt(self, survey: _Survey, classes: Any) -> None:
        self._remember(survey.schema)
        if survey.labels is None:
            return
        labels = np.array(sorted(survey.labels))
        self.classes_ = labels if classes is None else np.unique(classes)
        if not set(labels.tolist()) <= set(self.classes_.tolist()):
            raise DataError(
                f"y has labels {labels.tolist()}, classes are {list(classes)}.", who=type(self).__name__
            )

    def _prepare(self, X: Any, y: Any, w: Any) -> Block:
        """A raw block as numbers, by the schema and the classes adopted before."""
        values = self._admit_block(X)
        weights = None if w is None else np.asarray(_values(w), dtype=np.float64)
        n, who = values.shape[0], type(self).__name__
        if self._has_classes:
            return Block(values, label_codes(_values(y), self.classes_, n, who), weights)
        return Block(values, None if y is None else numeric_target(_values(y), n, who), weights)

    def _admit_block(self, X: Any) -> Any:
        table = Table.like(X, self.schema_, type(self).__name__)
        return self._numbers(table, getattr(self, "design_", None))


class SumLearner(PassLearner):
    """Mixin for a learner whose model follows from sums over rows alone; stands before its base class.

    The author writes ``_summarize(X, y, w)``, what one block of rows adds, as an object that knows ``+``, and
    ``_solve(sums)``, what follows from the total.
    """

    _unsolved: str | None

    def _summarize(self, X: Any, y: Any, w: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must define _summarize")

    def _solve(self, sums: Any) -> None:
        raise TypeError(f"{type(self).__name__} must define _solve")

    def _learn_from(self, source: Source) -> None:
        self._sums = source.add_up(self._summarize_block)
        self._solve(self._sums)

    def _summarize_block(self, block: Block) -> Any:
        return self._summarize(block.X, block.y, block.w)

    def _forget(self) -> None:
        for name in ("_sums", "_unsolved"):
            self.__dict__.pop(name, None)

    @observed
    def partial_fit(
        self,
        X: TableLike,
        y: Target | None = None,
        classes: Labels | None = None,
        sample_weight: Weights | None = None,
    ) -> Self:
        """Add some rows to what was learned so far; the order of the calls does not matter.

        As long as the rows so far do not determine the model (a class with a single row has no covariance,
        say), the complaint waits until something is predicted.

        Parameters
        ----------
        X, y, sample_weight : as in fit
        classes : all class labels; needed in the first call, since a block may lack some
        """
        who = type(self).__name__
        first = not hasattr(self, "_sums")
        self._check_parameters()
        if first:
            self._remember(Table.of(X, who=who).schema)
        else:
            self._widen(X)
        values = self._admit_block(X)
        w = check_weights(sample_weight, values) if np.any(sample_weight) else _zeros(sample_weight, values)
        target = self._partial_target(y, classes, values.shape[0], first)
        part = Rows(values, target, w).add_up(self._summarize_block)
        self._sums = part if first else self._sums + part
        self._unsolved = None
        try:
            self._solve(self._sums)
        except DegenerateError as error:
            self._unsolved = f"{error} (So far: call partial_fit with more rows first.)"
        return self

    def _partial_target(self, y: Any, classes: Any, n: int, first: bool) -> Any:
        who = type(self).__name__
        if not self._has_classes:
            return None if y is None and not is_regressor(self) else numeric_target(y, n, who)
        if first and classes is None:
            raise ParameterError("classes must be passed on the first call to partial_fit.", who=who)
        if first:
            self.classes_ = np.unique(classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ParameterError(
                f"classes={classes!r} is not the same as on last call to partial_fit.", who=who
            )
        return label_codes(y, self.classes_, n, who)

    def _widen(self, X: Any) -> None:
        """Admit categories that earlier blocks did not have."""
        if not self.schema_.coded.any():
            return
        old, block_schema = self.schema_, Table.of(X, who=type(self).__name__).schema
        if block_schema.names != old.names:
            return  # Table.like says what is wrong with the columns
        new = old.merge(block_schema)
        if new == old:
            return
        if not hasattr(self._sums, "recode"):
            strange = next(b for a, b in zip(old, block_schema) if a.merge(b) != a)
            raise SchemaError(
                f"column {strange.name!r} has categories that the first block lacked. "
                "Declare them all in the first call, for example as a pandas Categorical, or use fit_blocks.",
                who=type(self).__name__,
            )
        self._sums = self._sums.recode(old, new)
        self._remember(new)


class WithoutTarget(PassLearner):
    """Mixin for a learner that does not look at y, whatever it is; stands before :class:`SumLearner` or its like."""

    def _learn(self, X: Any, y: Any, w: Any) -> None:
        super()._learn(X, None, w)

    def _prepare(self, X: Any, y: Any, w: Any) -> Block:
        return super()._prepare(X, None, w)

    def _partial_target(self, y: Any, classes: Any, n: int, first: bool) -> None:
        return None


@dataclass
class _Survey:
    schema: Schema
    labels: frozenset[Any] | None

    def __add__(self, other: _Survey) -> _Survey:
        both = None if self.labels is None or other.labels is None else self.labels | other.labels
        return _Survey(self.schema.merge(other.schema), both)


class _Split:
    """A raw block (a frame, a tuple, or X alone if there is no target) as Block(X, y, w), by column names."""

    def __init__(self, target: str | None, weights: str | None, needs_target: bool):
        self.target, self.weights, self.needs_target = target, weights, needs_target

    def __call__(self, raw: Any) -> Block:
        if isinstance(raw, tuple):
            return Block(*raw)
        if isinstance(raw, (np.ndarray, Table)) or is_sparse(raw):
            if self.needs_target:
                raise DataError(
                    "fit_blocks: a block without column names must be a tuple (X, y) or (X, y, weights)."
                )
            return Block(raw)
        import narwhals.stable.v2 as nw

        frame = nw.from_native(raw, eager_only=True)
        for name in (self.target, self.weights):
            if name is not None and name not in frame.columns:
                raise DataError(
                    f"There is no column {name!r} in a block. Columns: {', '.join(frame.columns)}."
                )
        if self.target is None and self.needs_target:
            raise ParameterError("fit_blocks: give target=, the name of the column to predict.")
        left = [name for name in frame.columns if name not in (self.target, self.weights)]
        y = None if self.target is None else frame[self.target]
        w = None if self.weights is None else frame[self.weights].to_numpy()
        return Block(frame.select(left).to_native(), y, w)


def _block_reader(
    blocks: str | Path | Iterable[Any] | Callable[[], Iterable[Any]],
) -> Iterable[Any] | Callable[[], Iterable[Any]]:
    if isinstance(blocks, (str, Path)) or (
        isinstance(blocks, list) and blocks and all(isinstance(b, (str, Path)) for b in blocks)
    ):
        from assay.tables.readers import read_blocks

        return read_blocks(blocks)
    return blocks


def _values(y: Any) -> Any:
    return np.asarray(plain_values(y))


def _zeros(w: Any, X: Any) -> np.ndarray | None:
    """A block in which every row weighs nothing is allowed: it adds nothing."""
    return None if w is None else np.zeros(X.shape[0])
