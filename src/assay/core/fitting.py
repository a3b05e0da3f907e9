"""A fit that fails leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from assay.core.callbacks import call_observed

F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["all_or_nothing", "observed"]


def all_or_nothing(fit: F) -> F:
    """Decorate a ``fit``: if it fails, the estimator is as if never fitted, neither now nor before.

    Otherwise a model refitted in vain would answer with one part of the old model and one of the new. Callbacks of the
    estimator are called.

    >>> from assay.bayes import GaussianNB
    >>> model = GaussianNB().fit([[1.0], [2.0]], ["a", "b"])
    >>> model.fit([[1.0], [float("inf")]], ["a", "b"])
    Traceback (most recent call last):
    assay.errors.DataError: GaussianNB: X contains infinity or a value too large (inf): column x0, row 2. ...
    >>> hasattr(model, "classes_")
    False
    """

    @wraps(fit)
    def whole(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            if not vars(self).get("_skl_callbacks"):  # as nearly always, without a frame more in warnings
                return fit(self, *args, **kwargs)
            return call_observed(fit, self, args, kwargs)
        except BaseException:
            for name in [name for name in vars(self) if name.endswith("_") or name in ("_sums", "_unsolved")]:
                delattr(self, name)
            raise

    return whole  # type: ignore[return-value]


def observed(fit: F) -> F:
    """Decorate a ``partial_fit``: callbacks of the estimator are called; a failure leaves the model as it was.

    What is changed in place is not put back: arrays are to be copied first.
    """

    @wraps(fit)
    def with_callbacks(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            if not vars(self).get("_skl_callbacks"):
                return fit(self, *args, **kwargs)
            return call_observed(fit, self, args, kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return with_callbacks  # type: ignore[return-value]
