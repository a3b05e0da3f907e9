"""Learners whose steps are sums over rows: memory, blocks from disk, Dask, ``partial_fit``, from the same methods.

- :class:`PassLearner` goes over the rows in passes, as many as it likes, and adds up in each;
- :class:`SumLearner` needs one pass, so that rows can be added later as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import is_classifier, is_regressor

from assay.core.encoded_blocks import EncodedBlocks
from assay.core.fitting import all_or_nothing, observed
from assay.core.kept import no_blocks
from assay.core.sums import Block, DaskRows, Mapped, Rows, Source, Stream, check_dask_rows
from assay.core.targets import (
    EncodedLabels,
    check_weights,
    encode_labels,
    label_codes,
    numeric_target,
    plain_values,
)
from assay.errors import DataError, DegenerateError, ParameterError, SchemaError
from assay.tables import Schema, Table
from assay.tables.encode import text_codes
from assay.tables.float_blocks import is_sparse
from assay.tables.rows import row_count
from assay.types import Labels, TableLike, Target, Weights

if TYPE_CHECKING:
    from assay.core.learner import Learner as _Learner
else:
    _Learner = object  # a mixin: it stands before a learner's base

__all__ = ["PassLearner", "SumLearner", "WithoutTarget", "more_rows_than_memory"]


class PassLearner(_Learner):
    """Mixin for a learner that adds up over the rows, in several passes; stands before its base class.

    The author writes ``_learn_from(source)`` and calls ``source.add_up`` as often as needed. A learner for which one
    pass is nearly always enough says ``_reads_once``: then what is read is not kept for others.
    """

    _reads_once = False

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

        def prepare(raw: Any) -> Block | None:
            block = split(raw)
            return self._prepare(*block) if row_count(block.X, who) else None

        with self._place_for(read) as encoded:
            survey, total = self._first_pass(read, split, encoded)
            self._adopt(survey, classes)
            again, rows = f"{who}: learning", sum(survey.heights)
            together = _of_files(read)
            if encoded is None:
                source = Stream(read, prepare, again, total, rows, together)
            else:
                encoded.schema = self.schema_
                source = Stream(encoded, lambda block: self._prepare(*block), again, total, rows, together)
            self._learn_from(source)
        return self

    def _first_pass(
        self, read: Any, split: _Split, encoded: EncodedBlocks | None
    ) -> tuple[_Survey, int | None]:
        """What must be known of all blocks, and how many they are; they are kept on the way, if there is a place."""
        from assay.tables.readers import Blocks
        from assay.tables.readers.csv import OtherTypes

        description = f"{type(self).__name__}: reading the columns"

        def look(blocks: Any) -> tuple[_Survey, int | None]:
            first = Stream(blocks, split, description, together=_of_files(read))
            return first.add_up(lambda block: self._survey_and_keep(block, encoded)), first.total

        if isinstance(read, Blocks) and read.types_are_open:
            try:
                return look(read.as_begun)
            except OtherTypes:  # the types of the columns are found in a pass of their own
                if encoded is not None:
                    encoded.clear()
        return look(read)

    def _place_for(self, read: Any) -> AbstractContextManager[EncodedBlocks | None]:
        """Where the blocks of files are kept in numbers, if there are several passes over them to come."""
        if self._reads_once or not _of_files(read) or not EncodedBlocks.allowed():
            return nullcontext()
        return EncodedBlocks()

    def _fit_dask(self, X: Any, y: Any, w: Any) -> None:
        check_dask_rows(X, "fit", type(self).__name__)
        self._forget()
        survey = DaskRows(X, y, w, Block).add_up(lambda block: self._survey(block).without_rows())
        if not sum(survey.heights):
            raise no_blocks()
        self._adopt(survey, None)
        source = DaskRows(X, y, w, self._prepare, survey.heights)
        if self._reads_once:
            self._learn_from(source)
            return
        with source.encoded_once() as encoded:
            self._learn_from(encoded)

    @all_or_nothing
    def _fit_source(self, source: Source, schema: Schema, classes: np.ndarray | None = None) -> Self:
        """Learn from blocks that somebody else has read: numbers that the schema explains, and class numbers or numbers
        as y."""
        self._check_parameters()
        self._forget()
        self._remember(schema)
        if classes is not None:
            self.classes_ = classes
        self._learn_from(Mapped(source, self._admit_numbers))
        return self

    def _admit_numbers(self, block: Block) -> Block:
        table = Table(block.X, self.schema_, None)
        return Block(self._numbers(table, getattr(self, "design_", None)), block.y, block.w)

    @property
    def _has_classes(self) -> bool:
        return getattr(self, "_estimator_type", None) == "classifier" or hasattr(self, "_posterior")

    def _survey(self, block: Block) -> _Survey:
        """What must be known of a block before it can be encoded: its columns and its classes."""
        who, n = type(self).__name__, row_count(block.X, type(self).__name__)
        if not n:
            return _Survey(None, frozenset(), [n])
        labels, y = frozenset[Any](), None
        if self._has_classes:
            present, codes = encode_labels(_class_values(block.y), n, who)
            labels, y = frozenset(present.tolist()), EncodedLabels(codes, present)
        table = Table.of(block.X, who=who)
        return _Survey(table.schema, labels, [n], Block(table, y, block.w))

    def _survey_and_keep(self, block: Block, encoded: EncodedBlocks | None) -> _Survey:
        """The same, and the block in numbers, by its own columns, in a store."""
        survey = self._survey(block)
        if encoded is not None and survey.rows is not None:
            table, y, w = survey.rows
            y = y if self._has_classes else self._number_target(block.y, len(table))
            encoded.append(table, y, _weights(w, len(table), type(self).__name__), block.start)
        return survey.without_rows()

    def _adopt(self, survey: _Survey, classes: Any) -> None:
        assert survey.schema is not None  # some block has rows
        self._remember(survey.schema)
        if not self._has_classes:
            return
        labels = np.array(sorted(survey.labels))
        self.classes_ = labels if classes is None else np.unique(classes)
        if not set(labels.tolist()) <= set(self.classes_.tolist()):
            raise DataError(
                f"y has labels {labels.tolist()}, classes are {list(classes)}.", who=type(self).__name__
            )

    def _prepare(self, X: Any, y: Any, w: Any) -> Block:
        """A raw block as numbers, by the schema and the classes adopted before."""
        values, who = self._admit_block(X), type(self).__name__
        n = values.shape[0]
        weights = _weights(w, n, who)
        if self._has_classes:
            return Block(values, label_codes(_class_values(y), self.classes_, n, who), weights)
        return Block(values, self._number_target(y, n), weights)

    def _number_target(self, y: Any, n: int) -> Any:
        if y is None and not is_regressor(self):
            return None
        return numeric_target(None if y is None else _values(y), n, type(self).__name__)

    def _admit_block(self, X: Any) -> Any:
        table = Table.like(X, self.schema_, type(self).__name__)
        return self._numbers(table, getattr(self, "design_", None))


class SumLearner(PassLearner):
    """Mixin for a learner whose model follows from sums over rows alone; stands before its base class.

    The author writes ``_summarize(X, y, w)``, what one block of rows adds, as an object that knows ``+``, and
    ``_solve(sums)``, what follows from the total.
    """

    _reads_once = True
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
        w = _weights(sample_weight, values.shape[0], who)
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

    def _number_target(self, y: Any, n: int) -> None:
        return None

    def _admit_numbers(self, block: Block) -> Block:
        return super()._admit_numbers(Block(block.X, None, block.w))

    def _partial_target(self, y: Any, classes: Any, n: int, first: bool) -> None:
        return None


def more_rows_than_memory(learner: Any) -> DataError:
    """The error for a learner that is no sum over rows, with what to do about it.

    >>> from assay.core.sum_learner import more_rows_than_memory
    >>> from assay.trees import C45Classifier
    >>> print(more_rows_than_memory(C45Classifier()))
    C45Classifier needs all rows in memory; call X.compute() first, or use a learner that is a sum, such as NaiveBayes.
    On a sample of the rows: SubsampledClassifier(C45Classifier()). One member for each part of them:
    PartitionBaggingClassifier(C45Classifier()).
    """
    name = type(learner).__name__
    kind = "Regressor" if is_regressor(learner) else "Classifier"
    ways = (
        f" On a sample of the rows: Subsampled{kind}({name}()). One member for each part of them: "
        f"PartitionBagging{kind}({name}())."
    )
    sums = "LinearRegression" if kind == "Regressor" else "NaiveBayes"
    return DataError(
        f"{name} needs all rows in memory; call X.compute() first, or use a learner that is a sum, such as {sums}."
        f"{ways if is_regressor(learner) or is_classifier(learner) else ''}"
    )


@dataclass
class _Survey:
    """The columns of some blocks (None if they have no row), their classes, and how many rows each has.

    That of a single block also has its rows in numbers, by its own columns and classes.
    """

    schema: Schema | None
    labels: frozenset[Any]
    heights: list[int]
    rows: Block | None = None

    def without_rows(self) -> _Survey:
        return _Survey(self.schema, self.labels, self.heights)

    def __add__(self, other: _Survey) -> _Survey:
        schema = other.schema if self.schema is None else self.schema
        if self.schema is not None and other.schema is not None:
            schema = self.schema.merge(other.schema)
        return _Survey(schema, self.labels | other.labels, self.heights + other.heights)


class _Split:
    """A raw block (a frame, a tuple, or X alone if there is no target) as Block(X, y, w), by column names."""

    def __init__(self, target: str | None, weights: str | None, needs_target: bool):
        self.target, self.weights, self.needs_target = target, weights, needs_target

    def __call__(self, raw: Any) -> Block:
        if isinstance(raw, tuple) and 1 <= len(raw) <= 3:
            return Block(*raw)
        if isinstance(raw, (np.ndarray, Table)) or is_sparse(raw):
            if self.needs_target:
                raise DataError(
                    "fit_blocks: a block without column names must be a tuple (X, y) or (X, y, weights)."
                )
            return Block(raw)
        import narwhals.stable.v2 as nw

        try:
            frame = nw.from_native(raw, eager_only=True)
        except TypeError:
            raise DataError(
                f"fit_blocks: a block must be a frame, or a tuple (X, y) or (X, y, weights), got {_of_kind(raw)}."
            ) from None
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
    one_table = isinstance(blocks, (np.ndarray, Table)) or hasattr(blocks, "columns") or is_sparse(blocks)
    if one_table or not (callable(blocks) or isinstance(blocks, Iterable)):
        raise ParameterError(
            "fit_blocks: blocks must be a path, a list of paths, a list of blocks or a function that returns one, got "
            f"{_of_kind(blocks)}.",
            remedy="A single table is a list of one: fit_blocks([table]).",
        )
    return blocks


def _of_files(blocks: Any) -> bool:
    """Whether the blocks are those of files, of which some may be in memory at a time."""
    return bool(getattr(type(blocks), "of_files", False))


def _of_kind(value: Any) -> str:
    size = f" of {len(value)} entries" if isinstance(value, tuple) else ""
    return "None" if value is None else f"one of type {type(value).__name__}{size}"


def _values(y: Any) -> Any:
    return np.asarray(plain_values(y))


def _class_values(y: Any) -> Any:
    """Class labels as they are encoded fastest: text of Arrow by its dictionary."""
    if y is None or isinstance(y, EncodedLabels):
        return y
    native = y.to_native() if hasattr(y, "to_native") else y
    coded = text_codes(native)
    return _values(y) if coded is None else EncodedLabels(coded[1], np.array(coded[0], dtype=object))


def _weights(w: Any, n: int, who: str) -> np.ndarray | None:
    """Checked weights of the n rows of a block, in which every row may weigh nothing: it adds nothing."""
    plain = None if w is None or isinstance(w, np.ma.MaskedArray) else _values(w)
    if plain is not None and plain.shape in ((), (n,)) and plain.dtype.kind in "biufO" and (plain == 0).all():
        return np.zeros(n)
    return check_weights(w, n, who)
