"""The ways in which data go wrong: shifted attributes, wrong labels, hidden attributes, missing values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from assay.errors import ParameterError
from assay.tables.data.dataset import Dataset
from assay.tables.schema import Column, Schema
from assay.tables.table import Table
from assay.types import RandomState, TableLike, Target

__all__ = ["attribute_noise", "insert_missing", "label_noise", "make_hidden_attribute"]


def attribute_noise(X: TableLike, sd: ArrayLike = 1.0, random_state: RandomState = None) -> Any:
    """Measure imprecisely: add Gaussian noise to every number; categories and missing values stay.

    Parameters
    ----------
    X : array, Table, frame or Dataset
    sd : standard deviation of the noise, one for all columns or one for each column
    random_state : seed

    Returns
    -------
    an array for an array, a Dataset for a Dataset, else a Table

    Examples
    --------
    >>> import numpy as np
    >>> from assay.tables.generators import attribute_noise
    >>> attribute_noise(np.zeros((2, 2)), [0.0, 1.0], random_state=0).round(2)
    array([[0.  , 0.4 ],
           [0.  , 2.24]])
    """
    if isinstance(X, Dataset):
        return replace(X, X=attribute_noise(X.X, sd, random_state), bayes_error=None)
    table = Table.of(X, who="attribute_noise")
    n, d = table.shape
    scale = np.broadcast_to(np.asarray(sd, dtype=np.float64), (d,))
    if not (scale >= 0).all():
        raise ParameterError(f"attribute_noise: sd must be numbers from 0 up, got {sd!r}.")
    noise = check_random_state(random_state).standard_normal((n, d)) * np.where(
        table.schema.coded, 0.0, scale
    )
    return _like(X, Table(table.values + noise, table.schema, table.complete))


def label_noise(y: Target, rate: float = 0.1, random_state: RandomState = None) -> Any:
    r"""Label carelessly: with probability ``rate`` a label becomes one of the other classes, each as likely.

    For a Dataset whose smallest possible error e is known it is known afterwards too: with K classes

    .. math:: 1 - e' = (1 - e)\left(1 - \tfrac{K}{K-1}\,\text{rate}\right) + \tfrac{\text{rate}}{K-1}

    as long as the rate is at most (K - 1)/K, beyond which labels say nothing.

    Parameters
    ----------
    y : (n,) labels, or a Dataset
    rate : from 0 to 1
    random_state : seed

    Examples
    --------
    >>> from assay.tables.generators import make_box, label_noise
    >>> label_noise(["a", "b", "a", "b"], rate=1.0)
    array(['b', 'a', 'b', 'a'], dtype='<U1')
    >>> label_noise(make_box(1000, random_state=0), 0.1, random_state=1).bayes_error
    0.1
    """
    if not 0 <= rate <= 1:
        raise ParameterError(f"label_noise: rate must be a number from 0 to 1, got {rate!r}.")
    if isinstance(y, Dataset):
        if y.y is None or not y.classes:
            raise ParameterError(f"label_noise: Dataset {y.name!r} has no classes.")
        error = None
        K = len(y.classes)
        if y.bayes_error is not None and K > 1 and rate <= (K - 1) / K:
            error = 1 - (1 - y.bayes_error) * (1 - rate * K / (K - 1)) - rate / (K - 1)
            error = round(error, 15)
        return replace(y, y=_flip(y.y, np.array(y.classes), rate, random_state), bayes_error=error)
    labels = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    return _flip(labels, np.unique(labels), rate, random_state)


def make_hidden_attribute(
    n: int = 200, hidden: float = 1.0, show: bool = False, random_state: RandomState = None
) -> Dataset:
    r"""Label by an attribute that the learner does not get to see.

    The class is "yes" where :math:`x_1 + h z > 0`, with x and the hidden z standard normal; :math:`x_2` has no
    part in it. Without z the best rule is the sign of :math:`x_1`, which errs with probability
    :math:`\arctan(h)/\pi`: to the learner a hidden attribute is noise.

    Parameters
    ----------
    n : number of rows
    hidden : the weight h of the hidden attribute
    show : whether to give z as a third column after all; then there is no error to be made
    random_state : seed

    Examples
    --------
    >>> from assay.tables.generators import make_hidden_attribute
    >>> make_hidden_attribute(100, hidden=1.0, random_state=0).bayes_error
    0.25
    """
    X = check_random_state(random_state).standard_normal((n, 3))
    y = np.where(X[:, 0] + hidden * X[:, 2] > 0, "yes", "no")
    names = ("x1", "x2", "z")[: 3 if show else 2]
    table = Table(np.ascontiguousarray(X[:, : len(names)]), Schema([Column(name) for name in names]))
    error = 0.0 if show else float(np.arctan(abs(hidden)) / np.pi)
    return Dataset("hidden_attribute", table, y, "class", ("no", "yes"), "A hidden cause.", bayes_error=error)


def insert_missing(
    X: TableLike,
    rate: float = 0.1,
    columns: Sequence[str | int] | None = None,
    depends_on: str | int | None = None,
    random_state: RandomState = None,
) -> Any:
    """Lose values: each entry becomes missing with probability ``rate``.

    With ``depends_on`` the probability grows with that column's rank, from 0 at its smallest value to twice
    the rate at its largest; the column itself keeps its values. Then what is known of a column is no fair
    sample of it, yet the other columns tell why (missing at random, not completely at random).

    Parameters
    ----------
    X : array, Table, frame or Dataset
    rate : from 0 to 1; at most 0.5 with ``depends_on``
    columns : names or numbers of the columns that lose values; None for all
    depends_on : name or number of the column that the loss depends on
    random_state : seed

    Returns
    -------
    an array for an array, a Dataset for a Dataset, else a Table

    Examples
    --------
    >>> from assay.tables.data import load_apples
    >>> from assay.tables.generators import insert_missing
    >>> insert_missing(load_apples(), 0.25, columns=["weight"], random_state=0)
    apples: 10 rows, 4 columns (1 numeric, 3 nominal), 1 missing
      target variety: Fuji 6, Guoguang 4
    """
    if isinstance(X, Dataset):
        return replace(X, X=insert_missing(X.X, rate, columns, depends_on, random_state), bayes_error=None)
    most = 1.0 if depends_on is None else 0.5
    if not 0 <= rate <= most:
        raise ParameterError(f"insert_missing: rate must be a number from 0 to {most:g}, got {rate!r}.")
    table = Table.of(X, who="insert_missing")
    n, d = table.shape
    lossy = np.zeros(d, dtype=bool)
    lossy[[_index(table, c) for c in (range(d) if columns is None else columns)]] = True
    chance = np.full(n, rate)
    if depends_on is not None:
        j = _index(table, depends_on)
        lossy[j] = False
        order = np.argsort(np.argsort(table.values[:, j], kind="stable"), kind="stable")
        chance = 2 * rate * order / max(1, n - 1)
    lost = (check_random_state(random_state).random_sample((n, d)) < chance[:, None]) & lossy
    values = np.where(lost, np.nan, table.values)
    return _like(X, Table(values, table.schema, table.complete and not lost.any()))


def _flip(y: np.ndarray, classes: np.ndarray, rate: float, random_state: Any) -> np.ndarray:
    random = check_random_state(random_state)
    position = {label: k for k, label in enumerate(classes.tolist())}
    codes = np.array([position[label] for label in y.tolist()], dtype=np.intp)
    K = len(classes)
    if K < 2:
        raise ParameterError("label_noise: there is only one class, so no label can be wrong.")
    wrong = random.random_sample(len(codes)) < rate
    step = random.randint(1, K, len(codes))
    return classes[np.where(wrong, (codes + step) % K, codes)]


def _index(table: Table, column: str | int) -> int:
    return table.schema.index(column) if isinstance(column, str) else range(len(table.schema))[column]


def _like(X: Any, table: Table) -> Any:
    return table.values if isinstance(X, np.ndarray) and not table.schema.coded.any() else table
