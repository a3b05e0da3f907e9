"""What regressors share whose family and link are parameters, given by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.parameters import Any_, Choice, Count, Flag, Range
from assay.linear.generalized.deviance_regressor import DevianceRegressor
from assay.linear.generalized.families import FAMILIES, Family, find_family
from assay.linear.generalized.links import Link, find_link

__all__ = ["NamedFamilyRegressor"]

_A_COLUMN = Any_(
    "the name or number of a column, or None", lambda v: v is None or isinstance(v, (str, int, np.integer))
)


class NamedFamilyRegressor(DevianceRegressor):
    """Base of regressors with the parameters ``family``, ``link``, ``power`` and ``overdispersion``."""

    accepts = {
        "family": Choice(*FAMILIES),
        "link": Any_("the name of a link", lambda v: isinstance(v, str)),
        "fit_intercept": Flag(),
        "offset": _A_COLUMN,
        "exposure": _A_COLUMN,
        "power": Range(),
        "overdispersion": Choice("estimate") | Range(0, open="low"),
        "max_iter": Count(1),
    }

    family: str
    link: str
    power: float
    overdispersion: Any

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._get_family(), self._get_link()

    def _get_family(self) -> Family:
        alpha = 1.0 if self.overdispersion == "estimate" else float(self.overdispersion)
        return find_family(
            self.family,
            power=float(self.power),
            alpha=getattr(self, "overdispersion_", alpha) or alpha,
            who=type(self).__name__,
        )

    def _get_link(self) -> Link:
        name = self._get_family().default_link if self.link == "auto" else self.link
        return find_link(name, type(self).__name__)

    def _estimates_overdispersion(self) -> bool:
        return self.family == "negative_binomial" and self.overdispersion == "estimate"
