"""scikit-learn's callbacks: objects that are called while a learner is fitted.

``learner.set_callbacks(callback)`` registers one, as with scikit-learn's own learners (version 1.9 or newer): its
``setup`` and ``teardown`` are called around every fit, ``on_fit_task_begin`` and ``on_fit_task_end`` at the beginning
and end of the fit and, for learners that say so, of each iteration. A learner without callbacks pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.errors import ParameterError

__all__ = ["Iterations", "call_observed", "iterations_of", "set_callbacks"]


def set_callbacks(learner: Any, callbacks: tuple[Any, ...]) -> None:
    """Register the callbacks with the learner; none removes those that it has."""
    _support().set_callbacks(learner, *callbacks)


def call_observed(
    fit: Callable[..., Any], learner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``fit(learner, *args, **kwargs)``, and its callbacks are called at the beginning and the end.

    A fit inside of a fit is part of the outer one.
    """
    if "_callback_fit_ctx" in vars(learner):
        return fit(learner, *args, **kwargs)
    from sklearn.callback import with_callbacks

    subtasks = learner._most_iterations()

    def observed(learner: Any) -> Any:
        context = _support()._init_callback_context(learner, max_subtasks=subtasks)
        data = _data(args, kwargs)
        learner._observed_data = data
        try:
            context.call_on_fit_task_begin(estimator=learner, **data)
            result = fit(learner, *args, **kwargs)
            context.call_on_fit_task_end(estimator=learner, reconstruction_attributes={}, **data)
        finally:
            del learner._observed_data
        return result

    return with_callbacks(observed)(learner)


def iterations_of(learner: Any, name: str) -> Iterations | None:
    """The iterations of the fit under way as tasks for its callbacks; None if nobody listens."""
    context = vars(learner).get("_callback_fit_ctx")
    return None if context is None else Iterations(learner, context, name)


class Iterations:
    """The iterations of a fit, one task each.

    As in scikit-learn, an iteration begins as soon as the one before has ended, so that one more begins than are made;
    ``close`` ends it without a model.
    """

    def __init__(self, learner: Any, context: Any, name: str):
        self.learner, self.context, self.name = learner, context, name
        self._task: Any = None
        self._attributes: dict[str, Any] = {}
        self.ended = 0

    def begin(self, attributes: dict[str, Any]) -> None:
        """The next iteration begins; ``attributes`` are those that make the learner of this moment predict."""
        self._attributes = attributes
        self._task = self.context.subcontext(task_name=self.name)
        self._task.call_on_fit_task_begin(
            estimator=self.learner, reconstruction_attributes=attributes, **self.learner._observed_data
        )

    def end(self, attributes: dict[str, Any]) -> bool:
        """The iteration has ended and the next begins; whether a callback wants the fit to stop here."""
        stop = self._task.call_on_fit_task_end(
            estimator=self.learner, reconstruction_attributes=attributes, **self.learner._observed_data
        )
        self.ended += 1
        self.begin(attributes)
        return bool(stop)

    def close(self) -> None:
        """No more iterations."""
        if not self.ended:  # the start was good enough, or no iteration was allowed
            self.end(self._attributes)
        self._task.call_on_fit_task_end(estimator=self.learner)


def _data(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """X, y and metadata of a call of fit, as the hooks get them."""
    arguments = dict(zip(("X", "y"), args)) | {name: kwargs[name] for name in ("X", "y") if name in kwargs}
    metadata = {name: value for name, value in kwargs.items() if name not in ("X", "y") and value is not None}
    if len(args) > 2 and args[2] is not None:
        metadata["sample_weight"] = args[2]
    return {"X": arguments.get("X"), "y": arguments.get("y"), "metadata": metadata or None}


def _support() -> Any:
    try:
        from sklearn.callback import CallbackSupportMixin
    except ImportError:
        raise ParameterError(
            "Callbacks need scikit-learn 1.9 or newer. Upgrade it, or listen to assay.core.progress.listen."
        ) from None
    return CallbackSupportMixin
