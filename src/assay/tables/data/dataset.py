"""What a built-in or generated data set is: a table, its target, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from assay.errors import ParameterError, did_you_mean
from assay.tables.frames import to_frame
from assay.tables.table import Table
from assay.types import RandomState

__all__ = ["Dataset"]


@dataclass(frozen=True, repr=False)
class Dataset:
    """A table of rows, the target of each row, and the story of both.

    ``X, y = data`` takes it apart. Every learner takes ``X`` as it is; so do scikit-learn's splitters, and,
    when all columns are numbers, its estimators.

    Parameters
    ----------
    name : str
    X : Table
        The attributes, with their names, kinds and categories.
    y : (n,) array or None
        The class of each row by its own name, or a number in a regression problem.
    target_name : str or None
    classes : tuple
        The class names in the order of the source's codes: ``classes[codes[i]]`` is ``y[i]``.
    description, source : str
    row_names : tuple of str
        What the rows are called, if they are called anything.
    bayes_error : float or None
        For generated data: the error of the best possible rule, where it is known exactly.

    Examples
    --------
    >>> from assay.tables.data import load_apples
    >>> data = load_apples()
    >>> data
    apples: 10 rows, 4 columns (1 numeric, 3 nominal)
      target variety: Fuji 6, Guoguang 4
    >>> X, y = data
    >>> X.schema.names, y[:3].tolist()
    (['colour', 'shape', 'taste', 'weight'], ['Fuji', 'Fuji', 'Guoguang'])
    """

    name: str
    X: Table
    y: np.ndarray | None = None
    target_name: str | None = None
    classes: tuple[Any, ...] = ()
    description: str = ""
    source: str = ""
    row_names: tuple[str, ...] = ()
    bayes_error: float | None = field(default=None)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y))

    def __len__(self) -> int:
        return len(self.X)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, the target not counted."""
        return self.X.shape

    @property
    def feature_names(self) -> list[str]:
        """The names of the columns, the target not counted."""
        return self.X.schema.names

    @property
    def codes(self) -> np.ndarray:
        """(n,) the class of each row as its number in ``classes``."""
        if self.y is None or not self.classes:
            raise ParameterError(f"Dataset {self.name!r} has no classes, so there are no class codes.")
        position = {label: k for k, label in enumerate(self.classes)}
        return np.array([position[label] for label in self.y.tolist()], dtype=np.int64)

    def frame(self, library: str = "pandas", target: bool = True) -> Any:
        """The data as a pandas, polars or pyarrow frame, the target last.

        >>> from assay.tables.data import load_apples
        >>> load_apples().frame("pyarrow").num_columns
        5
        """
        extra = {str(self.target_name): self.y} if target and self.y is not None else None
        return to_frame(self.X, library, extra)

    def with_target(self, name: str) -> Dataset:
        """The same rows with another column as the target; the target so far becomes a column, the last.

        >>> from assay.tables.data import load_apples
        >>> load_apples().with_target("weight").feature_names
        ['colour', 'shape', 'taste', 'variety']
        """
        if name == self.target_name:
            return self
        if name not in self.feature_names:
            raise ParameterError(
                f"Dataset {self.name!r} has no column {name!r}.{did_you_mean(name, self.feature_names)}"
            )
        kinds = {c.name: c.kind for c in self.X.schema if c.kind != "ordinal" and c.name != name}
        frame, j = self.frame("pyarrow"), self.feature_names.index(name)
        X = Table.of(frame.drop_columns([name]), kinds, who=self.name)
        column = self.X.schema[j]
        values = self.X.select([j]).to_columns()[name]
        y = np.array(values, dtype=np.float64 if column.kind == "numeric" else object)
        classes = () if column.kind == "numeric" else tuple(c for c in column.categories if c in set(values))
        return replace(self, X=X, y=y, target_name=name, classes=classes, bayes_error=None)

    def split(
        self, test_size: float | int = 0.25, random_state: RandomState = None, stratify: bool = False
    ) -> tuple[Table, Table, np.ndarray, np.ndarray]:
        """X_train, X_test, y_train, y_test, cut as scikit-learn's ``train_test_split`` cuts.

        Parameters
        ----------
        test_size : share of the rows, or their number
        random_state : the seed; the same seed gives the same cut
        stratify : keep the class shares in both parts

        Examples
        --------
        >>> from assay.tables.data import load_breast_cancer
        >>> X_train, X_test, y_train, y_test = load_breast_cancer().split(test_size=0.2, random_state=2020)
        >>> len(X_train), len(X_test)
        (455, 114)
        """
        from sklearn.model_selection import train_test_split

        if self.y is None:
            raise ParameterError(f"Dataset {self.name!r} has no target to split with its rows.")
        rows = np.arange(len(self))
        groups = self.y if stratify else None
        train, test = train_test_split(rows, test_size=test_size, random_state=random_state, stratify=groups)
        return self.X[train], self.X[test], self.y[train], self.y[test]

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{'<br>'.join(map(escape, repr(self).splitlines()))}</p>{self.X._repr_html_()}"

    def __repr__(self) -> str:
        n, d = self.shape
        kinds = [c.kind for c in self.X.schema]
        counts = ", ".join(
            f"{kinds.count(k)} {k}" for k in ("numeric", "nominal", "ordinal") if kinds.count(k)
        )
        n_missing = 0 if self.X.complete else int(np.isnan(self.X.values).sum())
        missing = f", {n_missing} missing" if n_missing else ""
        lines = [f"{self.name}: {n} rows, {d} column{'' if d == 1 else 's'} ({counts}){missing}"]
        if self.classes and self.y is not None:
            labels = self.y.tolist()
            shown = [f"{label} {labels.count(label)}" for label in self.classes[:10]]
            more = ", ..." if len(self.classes) > 10 else ""
            lines.append(f"  target {self.target_name}: {', '.join(shown)}{more}")
        elif self.y is not None:
            lines.append(f"  target {self.target_name}: numbers from {self.y.min():g} to {self.y.max():g}")
        if self.bayes_error is not None:
            lines.append(f"  smallest possible error {self.bayes_error:.4g}")
        return "\n".join(lines)
