"""Assay tells things apart, and proves it.

Rooms are imported when they are first used, so ``import assay`` is quick:

>>> import assay
>>> sorted(assay.__all__)[:3]
['__version__', 'associations', 'baselines']
"""

from importlib import import_module as _import_module
from typing import Any as _Any

__version__ = "0.1.0"

# begin rooms (tools/registry.py)
_ROOMS = (
    "associations",
    "baselines",
    "bayes",
    "cluster",
    "core",
    "decide",
    "densities",
    "distances",
    "ensembles",
    "evaluate",
    "experiments",
    "graphs",
    "kernels",
    "linear",
    "local",
    "metrics",
    "mixture",
    "neighbors",
    "neural",
    "optimize",
    "outliers",
    "plots",
    "prepare",
    "processes",
    "reduce",
    "reinforcement",
    "report",
    "rulebase",
    "rules",
    "select",
    "sequences",
    "smoothers",
    "stats",
    "svm",
    "tables",
    "text",
    "theory",
    "trees",
    "tuning",
)
# end rooms (tools/registry.py)
_FUNCTIONS = {"compare": "evaluate", "load": "core.persistence", "save": "core.persistence"}

__all__ = ["__version__", *_FUNCTIONS, *_ROOMS]


def __getattr__(name: str) -> _Any:
    """A room or a function, imported when somebody asks for it."""
    if name in _FUNCTIONS:
        return getattr(_import_module(f"assay.{_FUNCTIONS[name]}"), name)
    if name in _ROOMS:
        return _import_module(f"assay.{name}")
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
