"""Baskets with a rule of chosen support and confidence."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sklearn.utils import check_random_state

from assay.errors import ParameterError
from assay.tables.data.dataset import Dataset
from assay.tables.schema import Column, Schema
from assay.tables.table import Table
from assay.types import RandomState

__all__ = ["make_transactions"]


def make_transactions(
    n: int = 10,
    support: float = 0.4,
    confidence: float = 0.8,
    others: Mapping[str, float] | None = None,
    random_state: RandomState = None,
) -> Dataset:
    r"""Baskets in which the rule X -> Y has exactly the support and the confidence that you choose.

    .. math:: \text{support} = \#(X \text{ and } Y)/n, \qquad \text{confidence} = \#(X \text{ and } Y)/\#X

    so X is in support/confidence of the baskets; Y comes with X only. The support is never above the
    confidence.

    Parameters
    ----------
    n : number of baskets
    support, confidence : of the rule; both counts must come out whole
    others : further items and the share of baskets that each is in, independently of all else
    random_state : seed of the order of the baskets and of the other items

    Returns
    -------
    Dataset of zeros and ones, without a target

    Examples
    --------
    >>> from assay.tables.generators import make_transactions
    >>> make_transactions(10, support=0.1, confidence=0.125, random_state=0).X.values.sum(axis=0)
    array([8., 1.])
    """
    together, antecedent = support * n, support * n / confidence if confidence > 0 else np.inf
    if not 0 <= support <= confidence <= 1 or antecedent > n + 1e-9:
        raise ParameterError(
            f"make_transactions: support {support!r} and confidence {confidence!r} do not go together: support must "
            "be at most confidence, and support / confidence at most 1."
        )
    for name, count in (("support * n", together), ("support * n / confidence", antecedent)):
        if abs(count - round(count)) > 1e-9 * max(1, n):
            raise ParameterError(f"make_transactions: {name} = {count:g} must be a whole number of baskets.")
    random = check_random_state(random_state)
    X = np.zeros((n, 2))
    X[: round(antecedent), 0] = 1
    X[: round(together), 1] = 1
    names = ["X", "Y"]
    for name, share in (others or {}).items():
        names.append(name)
        X = np.column_stack([X, (random.random_sample(n) < share).astype(np.float64)])
    table = Table(X[random.permutation(n)], Schema([Column(name) for name in names]))
    return Dataset("transactions", table, description="Generated baskets.", source="assay.tables.generators")
