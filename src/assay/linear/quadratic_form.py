"""The quadratic function of a linear learner on products of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.parameters import check_count
from assay.core.pipelines import pipeline_steps
from assay.errors import DataError, ParameterError
from assay.stats.multivariate.quadratic_boundary import LogOdds
from assay.types import Estimator

__all__ = ["QuadraticForm", "quadratic_form"]


@dataclass(frozen=True)
class QuadraticForm(LogOdds):
    r"""The function :math:`g(x) = x^TWx + w^Tx + w_0`, W symmetric; made by `quadratic_form`.

    W : (d, d)      w : (d,)      w0 : float

    Call it with rows for its values; ``conic`` names the curve g = 0 in the plane.
    """

    def low_rank(self, rank: int) -> QuadraticForm:
        r"""The same with only the leading eigenvectors of W, those whose eigenvalues are largest in size.

        .. math:: W = \sum_j \lambda_j v_jv_j^T \approx \sum_{j \le r} \lambda_jv_jv_j^T         \quad (1)

        Of all matrices of that rank it is the nearest to W; fewer directions in which the function bends, hence less
        variance.

        >>> from assay.linear.quadratic_form import QuadraticForm
        >>> QuadraticForm(np.diag([3.0, -5.0, 1.0]), np.zeros(3), 0.0).low_rank(1).W
        array([[ 0.,  0.,  0.],
               [ 0., -5.,  0.],
               [ 0.,  0.,  0.]])
        """
        check_count("QuadraticForm", "rank", rank, low=0, high=len(self.w))
        values, vectors = np.linalg.eigh(self.W)
        lead = np.argsort(-np.abs(values), kind="stable")[:rank]
        V = vectors[:, lead]
        return QuadraticForm((V * values[lead]) @ V.T, self.w, self.w0)  # (1)

    def __repr__(self) -> str:
        return f"QuadraticForm(W={self.W.tolist()}, w={self.w.tolist()}, w0={self.w0!r})"


def quadratic_form(
    model: Estimator | None = None,
    *,
    coef: ArrayLike | None = None,
    intercept: ArrayLike = 0.0,
    powers: ArrayLike | None = None,
) -> QuadraticForm | list[QuadraticForm]:
    r"""W, w and w0 of a score that is linear in products of at most two columns.

    .. math:: \sum_a c_a \prod_j x_j^{a_j} = x^TWx + w^Tx + w_0, \qquad
              W_{jj} = c_{x_j^2}, \quad W_{jk} = W_{kj} = \tfrac12 c_{x_jx_k}                   \quad (1)

    Parameters
    ----------
    model : a fitted pipeline that ends in a linear learner, with one step that has ``powers_`` (PolynomialFeatures);
        standard or min-max scalers before and after it are undone, so that the form is one of the original columns
    coef, intercept, powers : instead of a model; (m,) or (K, m), number or (K,), (m, d)

    Returns
    -------
    One form, or a list with one for each score of a learner of several classes or outputs.

    Examples
    --------
    >>> from assay.linear.quadratic_form import quadratic_form
    >>> quadratic_form(coef=[5.0, 1.0, 4.0], intercept=-2.0, powers=[[1, 0], [2, 0], [1, 1]])
    QuadraticForm(W=[[1.0, 2.0], [2.0, 0.0]], w=[5.0, 0.0], w0=-2.0)
    """
    before: list[Any] = []
    if model is not None:
        coef, intercept, powers, before = _from_pipeline(model)
    if coef is None or powers is None:
        raise ParameterError("quadratic_form: give a fitted pipeline, or coef and powers.")
    C, P = np.asarray(coef, dtype=np.float64), np.asarray(powers, dtype=np.int64)
    b = np.asarray(intercept, dtype=np.float64)
    if P.ndim != 2 or C.shape[-1] != len(P):
        raise DataError(
            f"quadratic_form: there must be one coefficient for each of {len(P)} terms, got {C.shape}."
        )
    if (P.sum(axis=1) > 2).any():
        raise DataError("quadratic_form: some terms have more than two factors; use degree=2.")
    forms = [
        _form(c, float(w0), P)
        for c, w0 in zip(np.atleast_2d(C), np.broadcast_to(b.ravel(), len(np.atleast_2d(C))))
    ]
    for step in reversed(before):  # g(s x + t), from the last scaler to the first
        s, t = _affine(step)
        forms = [_moved(form, s, t) for form in forms]
    return forms[0] if len(forms) == 1 else forms


def _form(c: NDArray[np.float64], w0: float, P: NDArray[np.int64]) -> QuadraticForm:
    d = P.shape[1]
    W, w = np.zeros((d, d)), np.zeros(d)
    for weight, row in zip(c, P):
        factors = np.repeat(np.arange(d), row)
        if len(factors) == 2:
            W[factors[0], factors[1]] += weight / 2  # (1)
            W[factors[1], factors[0]] += weight / 2
        elif len(factors) == 1:
            w[factors[0]] += weight
        else:
            w0 += float(weight)
    return QuadraticForm(W, w, w0)


def _moved(form: QuadraticForm, s: NDArray[np.float64], t: NDArray[np.float64]) -> QuadraticForm:
    """The form of x when it was one of z = s x + t."""
    W, w = form.W, form.w
    return QuadraticForm(W * np.outer(s, s), s * (w + 2 * W @ t), float(t @ W @ t + w @ t + form.w0))


def _from_pipeline(model: Any) -> tuple[Any, Any, Any, list[Any]]:
    """Coefficients and intercept over the terms as they leave the expansion, the terms, and the scalers before it."""
    steps = [step for _, step in pipeline_steps(model) or [("", model)] if step not in (None, "passthrough")]
    at = [i for i, step in enumerate(steps[:-1]) if hasattr(step, "powers_")]
    if len(at) != 1 or not hasattr(steps[-1], "coef_"):
        raise DataError(
            "quadratic_form: expected a fitted pipeline with one PolynomialFeatures and a linear learner at its end, "
            f"got {[type(step).__name__ for step in steps]}."
        )
    C = np.atleast_2d(np.asarray(steps[-1].coef_, dtype=np.float64))
    b = np.array(np.broadcast_to(np.asarray(steps[-1].intercept_, dtype=np.float64).ravel(), len(C)))
    for step in reversed(steps[at[0] + 1 : -1]):
        s, t = _affine(step)
        b = b + C @ t
        C = C * s
    return C, b, steps[at[0]].powers_, steps[: at[0]]


def _affine(step: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(factor, offset) of a fitted scaler: z = factor x + offset."""
    if getattr(step, "clip", False):
        raise DataError(
            f"quadratic_form: {type(step).__name__} with clip=True is not linear. Fit it with clip=False."
        )
    if hasattr(step, "data_min_"):
        return np.asarray(step.scale_), np.asarray(step.min_)
    if hasattr(step, "mean_") and hasattr(step, "scale_"):
        d = step.n_features_in_
        scale = np.ones(d) if step.scale_ is None else np.asarray(step.scale_)
        moved = step.mean_ is not None and getattr(step, "with_mean", True)
        mean = np.asarray(step.mean_) if moved else np.zeros(d)
        return 1 / scale, -mean / scale
    raise DataError(
        f"quadratic_form: {type(step).__name__} is no scaler whose effect could be undone. Use StandardScaler or "
        "MinMaxScaler."
    )
