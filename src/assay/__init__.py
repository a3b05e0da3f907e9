"""Assay tells things apart, and proves it.

Rooms are imported when they are first used, so ``import assay`` is quick:

>>> import assay
>>> sorted(assay.__all__)[:3]
['__version__', 'associations', 'baselines']
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

if TYPE_CHECKING:  # what type checkers and editors see; at run time each comes when it is first used
    from assay import (
        associations,
        baselines,
        bayes,
        core,
        decide,
        densities,
        distances,
        ensembles,
        evaluate,
        experiments,
        linear,
        metrics,
        neighbors,
        optimize,
        outliers,
        plots,
        prepare,
        report,
        rulebase,
        rules,
        smoothers,
        stats,
        tables,
        theory,
        trees,
        tuning,
    )
    from assay.core.persistence import load, save
    from assay.evaluate.compare import compare

__version__ = "0.1.0"

_ROOMS = (
    "associations",
    "baselines",
    "bayes",
    "core",
    "decide",
    "densities",
    "distances",
    "ensembles",
    "evaluate",
    "experiments",
    "linear",
    "metrics",
    "neighbors",
    "optimize",
    "outliers",
    "plots",
    "prepare",
    "report",
    "rulebase",
    "rules",
    "smoothers",
    "stats",
    "tables",
    "theory",
    "trees",
    "tuning",
)
_FUNCTIONS = {"compare": "evaluate", "load": "core.persistence", "save": "core.persistence"}

__all__ = [
    "__version__",
    "associations",
    "baselines",
    "bayes",
    "compare",
    "core",
    "decide",
    "densities",
    "distances",
    "ensembles",
    "evaluate",
    "experiments",
    "linear",
    "load",
    "metrics",
    "neighbors",
    "optimize",
    "outliers",
    "plots",
    "prepare",
    "report",
    "rulebase",
    "rules",
    "save",
    "smoothers",
    "stats",
    "tables",
    "theory",
    "trees",
    "tuning",
]


def _first_use(name: str) -> _Any:
    """A room or a function, imported when somebody asks for it."""
    if name in _FUNCTIONS:
        return getattr(_import_module(f"assay.{_FUNCTIONS[name]}"), name)
    if name in _ROOMS:
        return _import_module(f"assay.{name}")
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


if not TYPE_CHECKING:  # a checker that saw it would take every name for Any
    __getattr__ = _first_use


def __dir__() -> list[str]:
    return __all__
