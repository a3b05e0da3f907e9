"""Nonnegative factors of a table, as a function."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import ParameterError, warn_user
from assay.reduce.factorization.nmf import NMF
from assay.types import RandomState, TableLike

__all__ = ["non_negative_factorization"]


def non_negative_factorization(
    X: TableLike,
    W: Any = None,
    H: Any = None,
    n_components: int | str | None = "auto",
    *,
    init: str | None = None,
    update_H: bool = True,
    solver: str = "cd",
    beta_loss: float | str = "frobenius",
    tol: float = 1e-4,
    max_iter: int = 200,
    alpha_W: float = 0.0,
    alpha_H: float | str = "same",
    l1_ratio: float = 0.0,
    random_state: RandomState = None,
    verbose: int = 0,
    shuffle: bool = False,
) -> tuple[np.ndarray, np.ndarray, int]:
    """W (n, k), H (k, d) and the number of rounds: X is nearly W H, all entries from 0 up; scikit-learn's function.

    Parameters
    ----------
    X : (n, d) numbers from 0 up, dense or sparse
    W, H : where the factors begin, with ``init="custom"``
    update_H : whether the parts are learned; False takes those of H (k, d) as they are and finds W alone
    n_components, init, solver, beta_loss, tol, max_iter, alpha_W, alpha_H, l1_ratio, random_state, verbose, shuffle
        As those of :class:`NMF`.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import non_negative_factorization
    >>> W, H, rounds = non_negative_factorization(np.array([[1, 2], [2, 4], [3, 6]]), n_components=1)
    >>> (W @ H).round(3)
    array([[1., 2.],
           [2., 4.],
           [3., 6.]])
    >>> non_negative_factorization(np.array([[5, 10]]), H=H, update_H=False)[0] @ H
    array([[ 5., 10.]])

    See Also
    --------
    NMF
    """
    nmf = NMF(
        n_components,
        init=init,
        solver=solver,
        beta_loss=beta_loss,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
        alpha_W=alpha_W,
        alpha_H=alpha_H,
        l1_ratio=l1_ratio,
        verbose=verbose,
        shuffle=shuffle,
    )
    if update_H:
        amounts = nmf.fit_transform(X, W=W, H=H)
        return amounts, nmf.components_, nmf.n_iter_
    if H is None:
        raise ParameterError("non_negative_factorization: update_H=False needs the parts H (k, d).")
    if W is not None:
        warn_user("When update_H=False, the provided initial W is not used.", RuntimeWarning)
    nmf._check_parameters()
    nmf._check_solver()
    table = nmf._admit(X, fitting=True)
    parts = nmf._checked_factor("H", H, (n_components, table.shape[1]), table.dtype)
    amounts, rounds = nmf._rows_of_parts(table, parts)
    return amounts, np.asarray(H), rounds
