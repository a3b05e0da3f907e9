"""Assay tells things apart, and proves it.

Rooms are imported when they are first used, so ``import assay`` is quick:

>>> import assay
>>> sorted(assay.__all__)[:3]
['__version__', 'associations', 'bayes']
"""

from importlib import import_module as _import_module

__version__ = "0.1.0"

_ROOMS = (
    "associations",
    "bayes",
    "core",
    "decide",
    "densities",
    "distances",
    "ensembles",
    "evaluate",
    "experiments",
    "explain",
    "linear",
    "metrics",
    "neighbors",
    "optimize",
    "outliers",
    "plots",
    "prepare",
    "report",
    "rules",
    "smoothers",
    "stats",
    "tables",
    "theory",
    "trees",
)
_FUNCTIONS = {"compare": "evaluate", "load": "core.persistence", "save": "core.persistence"}

__all__ = ["__version__", *_FUNCTIONS, *_ROOMS]


def __getattr__(name: str):
    if name in _FUNCTIONS:
        return getattr(_import_module(f"assay.{_FUNCTIONS[name]}"), name)
    if name in _ROOMS:
        return _import_module(f"assay.{name}")
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__():
    return __all__
