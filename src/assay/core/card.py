"""What a learner says of itself to those who look for one: its short name, what it does, which tables it suits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["OPTIMA", "Card", "Learning"]

OPTIMA = {  # what is known of the parameters that a learner ends with
    "analytic": "a formula, or counting, gives the best parameters",
    "global": "steps that end at the best parameters",
    "local": "steps that end where no small step helps",
    "greedy": "one choice after the other, never taken back as a whole",
    "stored": "nothing is optimised: the rows answer",
    "as the estimator": "that of the learner inside",
}


class Learning(NamedTuple):
    r"""The three parts of a learner: :math:`\theta^* = \arg\min_\theta \sum_i L(y_i, g(x_i \mid \theta))`.

    Parameters
    ----------
    model : what g is      loss : what L is, with the penalty on the parameters
    optimizer : how the minimum is found      optimum : one of OPTIMA
    """

    model: str
    loss: str
    optimizer: str
    optimum: str


@dataclass(frozen=True)
class Card:
    """The line of a learner in every list of learners, as its class attribute ``card``.

    ``tools/registry.py`` gathers the cards for ``compare``, the command line and the documentation.

    Parameters
    ----------
    name : str
        The short name, as people say it: "naive bayes". Two learners of one kind (classifiers, regressors ...) may
        not share a name.
    summary : str
        What it does, in a few words.
    also : tuple of str
        Further names.
    suits : "any", "numeric" (some column is), "all numeric" or "on request"
        The tables for which ``compare`` tries it when nobody named learners.
    scale : bool
        Whether its numbers should be made comparable (z-scores) first.
    most_rows : int, default None
        The number of rows beyond which it is tried only if named, because it is slow there.
    most_columns : int, default None
        The number of columns, categories counted one by one, beyond which it is tried only if named.
    wraps : bool
        Whether it is of use around another learner alone, so that it is not listed among those to try.
    learns : Learning, or a tuple of four texts, default None
        Its model, its loss, its optimiser, and what is known of the optimum.
    settings : dict
        Parameters that differ from the class's defaults when it is made by its name.

    Examples
    --------
    >>> from assay.bayes import NaiveBayes
    >>> NaiveBayes.card.name, NaiveBayes.card.suits
    ('naive bayes', 'any')
    """

    name: str
    summary: str
    also: tuple[str, ...] = ()
    suits: str = "on request"
    scale: bool = False
    most_rows: int | None = None
    most_columns: int | None = None
    wraps: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    learns: Learning | tuple[str, str, str, str] | None = None

    def __post_init__(self) -> None:
        if self.learns is not None:
            object.__setattr__(self, "learns", Learning(*self.learns))
