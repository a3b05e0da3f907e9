"""Fingerprints: the same for the same rows, settings and split, on every machine and in every process."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.evaluate import Split
from assay.evaluate.fold import Data

__all__ = ["data_print", "digest", "settings_text", "split_print"]


def digest(*parts: str | bytes) -> str:
    """32 hexadecimal digits of any number of texts; their boundaries count.

    >>> from assay.experiments.fingerprint import digest
    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    hasher = hashlib.blake2b(digest_size=16)
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        hasher.update(len(raw).to_bytes(8, "little"))
        hasher.update(raw)
    return hasher.hexdigest()


def data_print(data: Data) -> str:
    """Of rows: values, names and kinds of columns, categories, classes, groups and times, in their order."""
    values = data.table.values
    if isinstance(values, np.ndarray):
        numbers = [np.ascontiguousarray(values).tobytes()]
    else:
        sparse = values.tocsr()
        numbers = [np.asarray(part).tobytes() for part in (sparse.data, sparse.indices, sparse.indptr)]
    columns = [f"{c.name!r} {c.kind} {list(c.categories)!r}" for c in data.table.schema]
    if data.target.numbers is None:
        target: list[str | bytes] = [repr(data.labels.tolist()), data.codes.astype(np.int64).tobytes()]
    else:
        target = ["numbers", data.target.numbers.tobytes()]
    extra = [
        "" if v is None else repr(np.asarray(v).tolist()) for v in (data.groups, data.times, data.weight)
    ]
    return digest(str(data.table.shape), *numbers, *columns, *target, *extra)


def split_print(split: Split) -> str:
    """Of a split: its place and its rows."""
    rows = [np.asarray(part, dtype=np.int64).tobytes() for part in (split.train, split.test)]
    return digest(f"{split.repetition} {split.fold}", *rows)


def settings_text(value: Any) -> str:
    """A learner, or a parameter of one, as a text of all its settings and nothing else.

    Parameters stand in the order of their names, arrays as a fingerprint of their bytes, functions as their
    name and a fingerprint of their code and of the values they hold: defaults, and what they took from the function
    around them. A class that is written beside the experiment, rather than installed, has a fingerprint of its code
    too: changed methods give new cells. No memory addresses, so that two processes write the same.

    >>> from assay.bayes import GaussianNB
    >>> from assay.experiments.fingerprint import settings_text
    >>> settings_text(GaussianNB(var_smoothing=0.5))
    'assay.bayes.gaussian_nb.GaussianNB(priors=None, var_smoothing=0.5)'
    """
    if hasattr(value, "get_params") and not isinstance(value, type):
        inside = sorted(value.get_params(deep=False).items())
        name = _name(type(value)) + _own_code(type(value))
        return f"{name}({', '.join(f'{k}={settings_text(v)}' for k, v in inside)})"
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)
    if isinstance(value, np.generic):
        return settings_text(value.item())
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"array{value.shape}{value.dtype.str}#{digest(np.ascontiguousarray(value).tobytes())}"
    if isinstance(value, Mapping):
        inside = sorted((settings_text(k), settings_text(v)) for k, v in value.items())
        return "{" + ", ".join(f"{k}: {v}" for k, v in inside) + "}"
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(settings_text(v) for v in value)) + "}"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(settings_text(v) for v in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, type):
        return _name(value)
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, partial):
        return f"partial({settings_text([value.func, value.args, value.keywords])})"
    if hasattr(value, "__code__"):
        return _function_text(value)
    from joblib import hash as content

    try:
        return f"{_name(type(value))}#{content(value)}"
    except Exception as error:  # objects that cannot be serialised
        raise ParameterError(
            f"a setting that is a {_name(type(value))} cannot be identified, because it cannot "
            f"be pickled ({error}). Give plain values, arrays, functions or estimators.",
            who="experiment",
        ) from None


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _own_code(kind: type) -> str:
    """A fingerprint of the methods of a class and its parents, as far as no package has them; else ""."""
    parts = []
    for base in kind.__mro__:
        file = str(getattr(sys.modules.get(base.__module__), "__file__", None) or "")
        if base.__module__.partition(".")[0] in ("assay", "builtins") or "-packages" in file:
            continue
        for name, member in sorted(vars(base).items()):
            method = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
            if hasattr(method, "__code__"):
                parts.append(f"{name} {digest(method.__code__.co_code, _constants(method.__code__))}")
    return f"#{digest(*parts)}" if parts else ""


def _function_text(function: Any) -> str:
    """Its name, and a fingerprint of its code, its defaults, its object if it is a method, and what it encloses."""
    code, unbound = function.__code__, getattr(function, "__func__", function)
    held = [unbound.__defaults__, unbound.__kwdefaults__, getattr(function, "__self__", None)]
    for name, cell in zip(code.co_freevars, unbound.__closure__ or ()):
        try:
            inside = cell.cell_contents
        except ValueError:  # not yet filled
            continue
        if inside is not unbound:  # a function that calls itself
            held.append((name, inside))
    return f"{unbound.__module__}.{unbound.__qualname__}#{digest(code.co_code, _constants(code), settings_text(held))}"


def _constants(code: Any) -> str:
    """The constants of a function's code, those of functions inside it included."""
    parts = [_constants(c) if hasattr(c, "co_code") else settings_text(c) for c in code.co_consts]
    return "|".join([*parts, *code.co_names])
