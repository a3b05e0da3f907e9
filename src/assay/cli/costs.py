"""Costs on the command line: ``--cost predicted:actual=10`` and ``--reject 0.5``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import click

__all__ = ["a_number", "cost_option", "decision_rule", "loss_from", "refuse_options", "reject_option"]

cost_option: Callable[[Any], Any] = click.option(
    "--cost",
    multiple=True,
    metavar="PREDICTED:ACTUAL=COST",
    help="Cost of predicting PREDICTED when the class is ACTUAL, such as yes:no=10; repeatable. Other errors cost 1.",
)
reject_option: Callable[[Any], Any] = click.option(
    "--reject",
    type=click.FloatRange(min=0),
    callback=lambda *args: a_number(*args),  # defined below
    help="Cost of rejecting a row (making no prediction); allows rejection.",
)


def loss_from(costs: tuple[str, ...], classes: Iterable[Any] = ()) -> dict[tuple[Any, Any], float] | None:
    """The costs as {(predicted, actual): cost}, or None if there are none; labels are matched by their text.

    >>> from assay.cli.costs import loss_from
    >>> loss_from(("yes:no=10",), ["no", "yes"]), loss_from(("0:1=10",), [0, 1])
    ({('yes', 'no'): 10.0}, {(0, 1): 10.0})
    """
    labels = {str(label): label for label in classes}
    loss = {}
    for text in costs:
        pair, sign, number = text.rpartition("=")
        predicted, colon, actual = _split_pair(pair, labels)
        try:
            loss[labels.get(predicted, predicted), labels.get(actual, actual)] = float(number)
        except ValueError:
            sign = ""
        if not sign or not colon:
            raise click.BadParameter(
                f"{text!r} is not PREDICTED:ACTUAL=COST, such as yes:no=10", param_hint="--cost"
            )
    return loss or None


def _split_pair(pair: str, labels: Iterable[str]) -> tuple[str, str, str]:
    """Predicted class, colon, actual class; of several colons, the first with classes on both sides."""
    parts = pair.split(":")
    for i in range(1, len(parts)):
        predicted, actual = ":".join(parts[:i]).strip(), ":".join(parts[i:]).strip()
        if predicted in labels and actual in labels:
            return predicted, ":", actual
    predicted, colon, actual = pair.partition(":")
    return predicted.strip(), colon, actual.strip()


def a_number(ctx: click.Context, option: click.Parameter, value: float | None) -> float | None:
    """The number; infinite or NaN is an error."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is no number from 0 up")
    return value


def refuse_options(options: dict[str, Any], about: str, instead: str) -> None:
    """Refuse the first option that was given: what it is about, and why there is no such thing.

    >>> from assay.cli.costs import refuse_options
    >>> refuse_options({"--cost": (), "--reject": None}, "classes", "price holds numbers")
    """
    for option, value in options.items():
        if value is not None and value is not False and value != ():
            raise click.UsageError(f"{option} is about {about}, and {instead}.")


def decision_rule(fitted: Any, costs: tuple[str, ...], reject: float | None) -> Any:
    """The fitted model with costs and reject on top, or None if there are neither."""
    loss = loss_from(costs, fitted.classes_.tolist())
    if loss is None and reject is None:
        return None
    from assay.decide import DecisionRule

    return DecisionRule(fitted, loss=loss, reject=reject)
