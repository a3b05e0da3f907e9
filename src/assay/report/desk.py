"""The cost section of the page: sliders set the costs of errors and of rejection, computed in the page itself.

The probabilities of the test rows are inside the page, packed as their number requires; ``desk.js`` decides on them
again whenever a slider moves. The table below the sliders, made here, shows a few costs to readers without a script.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri

from assay.decide import decide
from assay.evaluate import Comparison
from assay.evaluate.out_of_fold import OutOfFold
from assay.report.curves import positive_class

__all__ = ["Account", "account", "desk", "loss_matrix", "script", "script_hash"]

MAX_BYTES = 300_000  # of probabilities, before base64, which adds a third
BINS = 1000  # of the probability of two classes, where there are too many rows to store each
MAX_CLASSES = 12  # up to which every entry of the loss matrix can be changed
MIN_ROWS = 50  # of a sample; a smaller one is left out
_WORDS = {
    "exact": "Computed in this page from the probabilities of {n:,} test rows.",
    "rounded": "Computed in this page from the probabilities of {n:,} test rows, rounded to 1/65535.",
    "binned": "Computed in this page from the probabilities of {n:,} test rows, rounded to 1/1000.",
    "sampled": "Computed in this page from a random sample of {rows:,} of the {n:,} test rows, "
    "to keep the page small.",
    "top": "Computed in this page from the probability of each predicted class, on {rows:,} of {n:,} test rows; "
    "with {K} classes all errors cost the same here.",
}


@dataclass(frozen=True)
class Account:
    """The cost of decisions on rows whose class is known.

    Attributes
    ----------
    cost : mean cost per row, rejected rows included
    error : error rate among the rows not rejected, NaN if there is none
    rejected : share of rejected rows
    confusion : (K, K + 1) true class by predicted class; the last column counts rejected rows
    """

    cost: float
    error: float
    rejected: float
    confusion: np.ndarray


def account(posterior: np.ndarray, truth: np.ndarray, loss: np.ndarray, reject: float | None) -> Account:
    """Decide on every row by least expected loss, and add up the losses.

    >>> import numpy as np
    >>> from assay.report.desk import account
    >>> posterior = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    >>> result = account(posterior, np.array([0, 1, 1]), np.array([[0, 5.0], [1, 0]]), reject=None)
    >>> result.cost, result.error
    (0.0, 0.0)
    >>> account(posterior, np.array([0, 1, 1]), np.array([[0, 5.0], [1, 0]]), reject=0.3).rejected
    0.6666666666666666
    """
    K = posterior.shape[1]
    plain = np.array_equal(loss, 1.0 - np.eye(K))  # the most probable class: no products of large tables
    chosen = decide(posterior, None if plain else loss, reject).chosen
    confusion = np.zeros((K, K + 1), dtype=np.int64)
    np.add.at(confusion, (truth, np.where(chosen < 0, K, chosen)), 1)
    n_rejected = int(confusion[:, K].sum())
    total = float(np.sum(confusion[:, :K] * loss.T)) + n_rejected * (reject or 0.0)
    n, decided = len(truth), len(truth) - n_rejected
    wrong = decided - int(np.trace(confusion))
    return Account(total / n, wrong / decided if decided else float("nan"), n_rejected / n, confusion)


def loss_matrix(result: Comparison) -> np.ndarray:
    """(K, K) the loss of the comparison, predicted by true class; 0/1 loss without one, or with one per row."""
    K = len(result.classes)
    loss = 1.0 - np.eye(K)
    costs = result.settings.get("loss")
    if isinstance(costs, list):
        index = {label: k for k, label in enumerate(result.classes)}
        for predicted, truth, cost in costs:
            loss[index[predicted], index[truth]] = cost
    return loss


def desk(
    result: Comparison, answers: dict[str, OutOfFold], max_bytes: int = MAX_BYTES
) -> dict[str, Any] | None:
    """The data of the cost section, or None where no learner gives probabilities.

    Returns
    -------
    dict with ``data`` (for the script), ``words`` (what the numbers rest on), ``table`` (at a few costs)
    """
    with_probabilities = {name: a for name, a in answers.items() if a.posterior is not None}
    K = len(result.classes)
    if not with_probabilities or K < 2:
        return None
    n = len(next(iter(with_probabilities.values())).truth)
    with_probabilities = {name: a for name, a in with_probabilities.items() if len(a.truth) == n}
    reject = result.settings.get("reject")
    data: dict[str, Any] = {
        "classes": [str(c) for c in result.classes],
        "loss": loss_matrix(result).tolist() if K <= MAX_CLASSES else [[0.0] * K],
        "reject": None if reject is None else float(reject),
        "z": float(-ndtri(result.alpha / 2)),
        "positive": positive_class(next(iter(with_probabilities.values())).truth),
    }
    packed = _packed(with_probabilities, K, n, max_bytes)
    if packed is None:
        return None
    data |= packed
    rows = packed.pop("rows")
    words = _WORDS[data["how"]].format(n=n, rows=rows, K=K)
    no_probabilities = [name for name in result.finished if name not in with_probabilities]
    if no_probabilities:
        words += f" Without probabilities, and so not here: {', '.join(no_probabilities)}."
    repetitions = len({place[0] for place in result.places})
    if repetitions > 1:
        words += (
            f" They are those of the first of {repetitions} repetitions; the ranking is the mean of all "
            f"{repetitions}, so "
            "at equal costs the error here differs a little from the error there."
        )
    if result.settings.get("weighted"):
        words += " Rows count alike here, whatever they weigh."
    if result.settings.get("loss") == "per row":
        words += " The costs of single rows are not used here."
    return {"data": data, "words": words, "table": _table(result, with_probabilities)}


def _packed(
    with_probabilities: dict[str, OutOfFold], K: int, n: int, max_bytes: int
) -> dict[str, Any] | None:
    """The probabilities as text: exact, rounded, counted in bins, or of a sample of the rows."""
    first, L = next(iter(with_probabilities.values())), len(with_probabilities)
    if K > MAX_CLASSES:
        rows = _sample(n, max_bytes // (4 * L + 2))
        if len(rows) < min(n, MIN_ROWS):
            return None
        learners = [
            {"name": name, "p": _shares(_top(a)[1][rows], 16), "answer": _text(_top(a)[0][rows], "<u2")}
            for name, a in with_probabilities.items()
        ]
        return {
            "how": "top", "bits": 16, "rows": len(rows), "truth": _text(first.truth[rows], "<u2"),
            "learners": learners,
        }  # fmt: skip
    exact, rounded = n * K * L * 8 <= max_bytes, n * K * L * 2 <= max_bytes
    if not rounded and K == 2:
        learners = [
            {"name": name, "counts": _text(_binned(a), "<u4")} for name, a in with_probabilities.items()
        ]
        return {"how": "binned", "bits": 32, "rows": n, "learners": learners}
    rows = np.arange(n) if rounded else _sample(n, max_bytes // (2 * K * L))
    if len(rows) < min(n, MIN_ROWS):
        return None
    bits = 64 if exact else 16
    return {
        "how": "exact" if exact else "rounded" if rounded else "sampled",
        "bits": bits,
        "rows": len(rows),
        "truth": _text(first.truth[rows], "<u2"),
        "learners": [
            {"name": name, "p": _shares(np.asarray(a.posterior)[rows], bits)}
            for name, a in with_probabilities.items()
        ],
    }


def _sample(n: int, size: int) -> np.ndarray:
    return np.sort(np.random.default_rng(0).permutation(n)[: max(size, 0)])


def _top(answer: OutOfFold) -> tuple[np.ndarray, np.ndarray]:
    """The most probable class of each row, and its probability."""
    posterior = np.asarray(answer.posterior)
    best = posterior.argmax(axis=1)
    return best, posterior[np.arange(len(best)), best]


def _binned(answer: OutOfFold) -> np.ndarray:
    """(2 (BINS + 1),) rows of each class, by the rounded probability of the second class."""
    place = np.rint(np.asarray(answer.posterior)[:, 1] * BINS).astype(np.int64)
    return np.bincount(answer.truth.astype(np.int64) * (BINS + 1) + place, minlength=2 * (BINS + 1))


def _shares(values: np.ndarray, bits: int) -> str:
    if bits == 64:
        return _text(values, "<f8")
    return _text(np.rint(np.clip(values, 0, 1) * 65535), "<u2")


def _text(values: np.ndarray, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")


def _table(result: Comparison, with_probabilities: dict[str, OutOfFold]) -> dict[str, Any]:
    """Each learner's cost per row at a few costs, for readers without a script and for paper."""
    base, K = loss_matrix(result), len(result.classes)
    settings: list[tuple[str, np.ndarray, float | None]] = []
    loss, reject = result.settings.get("loss"), result.settings.get("reject")
    if loss != "per row" and (loss or reject is not None):
        settings.append(("the costs given", base, reject))
    plain = 1.0 - np.eye(K)
    settings.append(("all errors cost 1", plain, None))
    if K == 2:
        labels = [str(c) for c in result.classes]
        for k in (1, 0):
            costly = plain.copy()
            costly[1 - k, k] = 10.0
            settings.append((f"a missed {labels[k]} costs 10", costly, None))
    settings.append(("undecided costs 0.1", plain, 0.1))
    settings.append(("undecided costs 0.3", plain, 0.3))
    rows, best = [], [np.inf] * len(settings)
    for name, a in with_probabilities.items():
        accounts = [account(np.asarray(a.posterior), a.truth, loss, reject) for _, loss, reject in settings]
        best = [min(b, f.cost) for b, f in zip(best, accounts)]
        rows.append((name, accounts))
    return {
        "heads": [words for words, _, _ in settings],
        "rows": [
            {
                "learner": name,
                "cells": [
                    {
                        "cost": f"{f.cost:.4f}" if setting[1].max() >= 0.01 else f"{f.cost:.4g}",
                        "more": f"{f.rejected:.1%} undecided" if setting[2] is not None else "",
                        "best": f.cost <= least + 1e-12,
                    }
                    for f, least, setting in zip(accounts, best, settings)
                ],
            }
            for name, accounts in rows
        ],
    }


def script() -> str:
    """The script of the page, hand-written, without any library."""
    return (Path(__file__).parent / "desk.js").read_text(encoding="utf-8")


def script_hash(text: str) -> str:
    """What the page's security policy names as the only script that may run.

    >>> from assay.report.desk import script_hash
    >>> script_hash("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
