"""What a fitted machine thinks of each of its training rows, and how near to its optimum it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.explanation import text_table
from assay.core.targets import check_weights, label_codes
from assay.errors import DataError, ParameterError
from assay.svm.binary_fit import BinaryFit
from assay.svm.kernel_classifier import KernelClassifier
from assay.svm.linear.margin_report import EDGE, STATUS, margin_status
from assay.svm.votes import sides
from assay.tables.rows import take_rows
from assay.types import TableLike, Target, Weights

__all__ = ["MachineFacts", "MarginDiagnostics", "margin_diagnostics"]

LINES_PRINTED = 12


@dataclass(frozen=True)
class MachineFacts:
    r"""One binary machine: how large its margin is, and how near to its optimum it is.

    Attributes
    ----------
    machine : what it separates
    rows, support_vectors, free : how many, and how many multipliers are strictly between their bounds
    squared_norm : :math:`\|w\|^2` in the space of the kernel      margin : :math:`2/\|w\|`, the whole width
    bias, bias_range : b, and where it may lie
    slack : the sum of :math:`\xi`      margin_errors, misclassified : rows with :math:`\xi > 0` and with :math:`yf < 0`
    primal, dual, gap : both objectives and their difference, 0 at the optimum
    kkt_violation : the largest of any row
    support_share : support vectors a row, which the expected error on new rows does not exceed
    loo_error : the share of rows on the wrong side of the machine without them, by the span rule
    """

    machine: str
    rows: int
    support_vectors: int
    free: int
    squared_norm: float
    margin: float
    bias: float
    bias_range: tuple[float, float]
    slack: float
    margin_errors: int
    misclassified: int
    primal: float
    dual: float
    gap: float
    kkt_violation: float
    support_share: float
    loo_error: float


@dataclass(frozen=True, eq=False)
class MarginDiagnostics:
    """The answer of :func:`margin_diagnostics`: a record for each machine, and columns with a line for each row of it.

    Attributes
    ----------
    machines : list of MachineFacts
    machine : (N,) the name of the machine, N lines in all      row : (N,) the place of the training row
    side : (N,) 1 or -1      alpha, upper : (N,) its multiplier and the bound of it
    score : (N,) f      margin : (N,) y f      slack : (N,) max(0, 1 - y f)
    status : (N,) "outside", "on the margin", "inside the margin" or "misclassified"
    kkt_violation : (N,) by how much the row violates its optimality condition
    loo_score : (N,) f of the machine that has not seen the row, by the span rule
    """

    machines: list[MachineFacts]
    machine: np.ndarray
    row: np.ndarray
    side: np.ndarray
    alpha: np.ndarray
    upper: np.ndarray
    score: np.ndarray
    margin: np.ndarray
    slack: np.ndarray
    status: np.ndarray
    kkt_violation: np.ndarray
    loo_score: np.ndarray

    def to_frame(self) -> Any:
        """A pandas frame with a line for each row of each machine."""
        import pandas as pd

        return pd.DataFrame({name: value for name, value in vars(self).items() if name != "machines"})

    def __str__(self) -> str:
        heads = ["machine", "rows", "support", "margin", "slack", "misclassified", "gap", "loo error"]
        lines: list[list[Any]] = [
            [
                m.machine,
                m.rows,
                m.support_vectors,
                m.margin,
                m.slack,
                m.misclassified,
                m.gap,
                m.loo_error,
            ]
            for m in self.machines[:LINES_PRINTED]
        ]
        return text_table(heads, lines)


def margin_diagnostics(
    model: KernelClassifier, X: TableLike, y: Target, sample_weight: Weights | None = None
) -> MarginDiagnostics:
    r"""Slack, status, multiplier and optimality of each training row of a support vector classifier.

    A row with :math:`yf > 1` is outside the margin, with 1 on it, between 0 and 1 inside, below 0 misclassified. At the
    optimum :math:`\alpha = 0` outside, :math:`\alpha = C` inside and beyond, and anything between on the margin; the
    optimality violation says how far :math:`yf` is from where the multiplier wants it. The objectives

    .. math:: P = \tfrac12\|w\|^2 + \sum_iC_i\xi_i^r, \qquad
              D = \sum_i\alpha_i - \tfrac12\|w\|^2 - [r = 2]\sum_i\frac{\alpha_i^2}{4C_i} \quad (1)

    enclose the minimum. The share of support vectors bounds the expected error on new rows (Vapnik), since a row that
    carries nothing is right when it is left out.

    Parameters
    ----------
    model : fitted SVC or NuSVC      X, y, sample_weight : what it was fitted to

    Examples
    --------
    >>> from assay.svm import SVC, margin_diagnostics
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0], [1.5]], [-1, -1, 1, 1, -1]
    >>> report = margin_diagnostics(SVC(C=0.5, kernel="linear").fit(X, y), X, y)
    >>> report.status.tolist()
    ['outside', 'on the margin', 'inside the margin', 'on the margin', 'misclassified']
    >>> report.slack.round(4)
    array([0.    , 0.    , 0.6667, 0.    , 1.6667])
    >>> round(report.machines[0].primal, 6), round(report.machines[0].dual, 6)
    (1.388889, 1.388889)

    See Also
    --------
    SVC, NuSVC, MarginReport

    References
    ----------
    - Vapnik, V. (1998). Statistical Learning Theory. Wiley.
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """
    if not isinstance(model, KernelClassifier):
        raise ParameterError(
            f"margin_diagnostics: model must be a fitted SVC or NuSVC, got {type(model).__name__}. Teaching "
            "machines of linear scores, such as HardMarginSVC, have it as report_."
        )
    values = model._admit(X)
    n, who = values.shape[0], "margin_diagnostics"
    if n != model.shape_fit_[0]:
        raise DataError(
            f"X has {n} rows, but the machine was fitted to {model.shape_fit_[0]}. Give the training rows.",
            who=who,
        )
    codes = label_codes(y, model.classes_, n, who)
    if not _are_training_rows(model, values, codes):
        raise DataError(
            "the support vectors are not where the machine has them: X or y is not what it was fitted to, or in "
            "another order. Give the training rows.",
            who=who,
        )
    w = check_weights(sample_weight, n, who)
    weight = (np.ones(n) if w is None else w) * model.class_weight_[codes]
    problems = sides(codes, weight > 0, len(model.classes_), model.multi_class == "ovr")
    scores, gram = model._outputs(values), model.kernel_.gram_rows(values)
    machines, parts = [], []
    for p, (rows, sign) in enumerate(problems):
        fit = model._machine(p, rows, sign, weight[rows], scores[rows, p])
        part = gram if len(rows) == n else gram.subset(rows)
        loo = fit.left_out_scores(part)[0]
        columns = _columns(fit, loo)
        machines.append(_facts(model._machine_name(p), fit, columns))
        parts.append({"machine": np.full(len(rows), model._machine_name(p)), "row": rows, **columns})
    return MarginDiagnostics(
        machines, **{name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    )


def _are_training_rows(model: KernelClassifier, X: Any, codes: np.ndarray) -> bool:
    """Whether the support vectors and their classes are at their places in the table."""
    support, classes = model.support_, np.repeat(np.arange(len(model.classes_)), model.n_support_)
    if not np.array_equal(codes[support], classes):
        return False
    if model.kernel_.precomputed:
        return True
    rows, kept = take_rows(X, support), model.support_vectors_
    if hasattr(rows, "tocsr") or hasattr(kept, "tocsr"):
        return rows.shape == kept.shape and abs(rows - kept).sum() == 0
    if rows.dtype == object:
        return all(a is b or np.array_equal(a, b) for a, b in zip(rows, kept))
    return np.array_equal(rows, kept, equal_nan=True)


def _columns(fit: BinaryFit, loo: np.ndarray) -> dict[str, np.ndarray]:
    margin = fit.sign * fit.scores
    slack = np.maximum(0.0, 1.0 - margin)
    wanted = (
        1.0 - margin - (0.0 if fit.ridge is None else fit.ridge * fit.alpha)
    )  # above 0: alpha should grow
    violation = np.where(
        fit.alpha <= 0,
        np.maximum(wanted, 0),
        np.where(fit.alpha >= fit.upper, np.maximum(-wanted, 0), np.abs(wanted)),
    )
    return {
        "side": fit.sign,
        "alpha": fit.alpha,
        "upper": fit.upper,
        "score": fit.scores,
        "margin": margin,
        "slack": slack,
        "status": margin_status(margin),
        "kkt_violation": violation,
        "loo_score": loo,
    }


def _facts(name: str, fit: BinaryFit, columns: dict[str, np.ndarray]) -> MachineFacts:
    alpha, slack = fit.alpha, columns["slack"]
    squared_norm = float((fit.sign * alpha) @ (fit.scores - fit.offset))
    if fit.ridge is None:
        paid = np.where(slack > 0, fit.upper, 0.0) @ slack if np.isfinite(fit.upper).all() else 0.0
        extra = 0.0
    else:
        paid, extra = float((slack**2 / (2 * fit.ridge)).sum()), 0.5 * float(fit.ridge @ alpha**2)
    primal, dual = 0.5 * squared_norm + float(paid), float(alpha.sum()) - 0.5 * squared_norm - extra
    return MachineFacts(
        machine=name,
        rows=len(alpha),
        support_vectors=len(fit.support),
        free=int(((alpha > 0) & (alpha < fit.upper)).sum()),
        squared_norm=squared_norm,
        margin=2 / np.sqrt(squared_norm) if squared_norm > 0 else np.inf,
        bias=fit.offset,
        bias_range=fit.offset_range,
        slack=float(slack.sum()),
        margin_errors=int((slack > EDGE).sum()),
        misclassified=int((columns["status"] == STATUS[3]).sum()),
        primal=primal,
        dual=dual,
        gap=primal - dual,
        kkt_violation=float(columns["kkt_violation"].max()),
        support_share=len(fit.support) / len(alpha),
        loo_error=float(np.mean(columns["loo_score"] * fit.sign <= 0)),
    )
