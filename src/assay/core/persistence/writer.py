"""A model as data: JSON nodes for its structure, tensors for its numbers."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Any

import numpy as np

from assay.core.persistence import registry
from assay.core.persistence.values import DEPTH_LIMIT, DTYPE, INT_DIGITS, NUMBER_TYPES, SPARSE, TENSOR_TYPES
from assay.errors import PersistenceError

__all__ = ["Writer"]

TEXTS_AS_TENSOR = 64  # from this length on a list of texts is stored in tensors


class Writer:
    """Turns a value into JSON nodes, and collects the arrays on the way.

    Parameters
    ----------
    who : what messages call the value

    Attributes
    ----------
    tensors : dict of name to C-ordered array of a type that safetensors knows
    """

    def __init__(self, who: str):
        self.who = who
        self.tensors: dict[str, np.ndarray] = {}
        self._open: list[int] = []

    def node(self, value: Any, path: str = "") -> Any:
        """The node of a value; ``path`` says where in the model it stands."""
        kind = type(value)
        if value is None or kind in (bool, str):
            return value
        if kind is int:
            return value if abs(value) < 2**63 else {"is": "int", "hex": self._hex(value, path)}
        if kind is float:
            return value if math.isfinite(value) else {"is": "float", "hex": struct.pack("<d", value).hex()}
        if kind is bytes:
            return {"is": "bytes", "hex": value.hex()}
        if kind is Fraction:
            return {"is": "fraction", "of": [self.node(v, path) for v in value.as_integer_ratio()]}
        if kind is type and value in NUMBER_TYPES.values():
            return {"is": "number type", "name": str(value.__name__)}
        if isinstance(value, np.generic):
            little = self._little(np.array(value), path)
            return {"is": "scalar", "dtype": little.dtype.str, "hex": little.tobytes().hex()}
        if kind in (np.ndarray, np.memmap) and value.dtype.kind != "O":
            return self._array(np.asarray(value), path)
        if id(value) in self._open:
            raise PersistenceError(f"{self.who}{path} cannot be saved: it contains itself.")
        if len(self._open) >= DEPTH_LIMIT:
            raise PersistenceError(f"{self.who}{path[:200]} cannot be saved: it is nested too deeply.")
        self._open.append(id(value))
        try:
            return self._compound(value, kind, path)
        finally:
            self._open.pop()

    def _compound(self, value: Any, kind: type, path: str) -> Any:
        if kind is list or kind is tuple:
            if len(value) >= TEXTS_AS_TENSOR and all(type(v) is str for v in value):
                return self._texts(value, kind.__name__, path)
            items = [self.node(v, f"{path}[{i}]") for i, v in enumerate(value)]
            return items if kind is list else {"is": "tuple", "items": items}
        if kind is np.ndarray:
            items = value.ravel().tolist()
            if len(items) >= TEXTS_AS_TENSOR and all(type(v) is str for v in items):
                return {**self._texts(items, "objects", path), "shape": list(value.shape)}
            nodes = [self.node(v, f"{path}[{i}]") for i, v in enumerate(items)]
            return {"is": "objects", "shape": list(value.shape), "items": nodes}
        if kind is dict:
            return {"is": "dict", "items": [self._pair(k, v, path) for k, v in value.items()]}
        if kind is set or kind is frozenset:
            items = [self._key(v, path) for v in value]
            return {"is": kind.__name__, "items": sorted(items, key=repr)}  # same set, same file
        if kind.__module__.startswith("scipy.sparse") and kind.__name__ in SPARSE:
            parts = {p: self._array(getattr(value, p), f"{path}.{p}") for p in ("data", "indices", "indptr")}
            return {"is": "sparse", "kind": kind.__name__, "shape": list(value.shape), **parts}
        name = registry.name_of(kind)
        if name is None:
            raise self._refusal(value, path)
        state = registry.state_of(value, f"{self.who}{path}")
        return {
            "is": "object",
            "class": name,
            "state": {k: self.node(v, f"{path}.{k}") for k, v in state.items()},
        }

    def _pair(self, key: Any, value: Any, path: str) -> list[Any]:
        return [self._key(key, path), self.node(value, f"{path}[{key!r}]")]

    def _key(self, key: Any, path: str) -> Any:
        if key != key:
            raise PersistenceError(
                f"{self.who}{path} cannot be saved: NaN is a key in it, and equals nothing."
            )
        return self.node(key, f"{path}[{key!r}]")

    def _array(self, value: np.ndarray, path: str) -> dict[str, Any]:
        node: dict[str, Any] = {"is": "array", "tensor": ""}
        array = self._little(value, path)
        if array.flags.f_contiguous and not array.flags.c_contiguous:
            array, node["order"] = array.T, "F"
        array = np.array(array, order="C", copy=None)
        if array.dtype.str not in TENSOR_TYPES:
            node["dtype"] = array.dtype.str
            array = _as_tensor(array)
        node["tensor"] = self._store(array, path)
        return node

    def _texts(self, texts: Any, into: str, path: str) -> dict[str, Any]:
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([len(e) for e in encoded], dtype=np.int64)
        text = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        names = self._store(text, f"{path}.text"), self._store(ends, f"{path}.ends")
        return {"is": "texts", "into": into, "text": names[0], "ends": names[1]}

    def _store(self, array: np.ndarray, path: str) -> str:
        name = path.lstrip(".")
        if not name or len(name) > 200 or not name.isprintable() or name in self.tensors:
            name = f"#{len(self.tensors)}"
        self.tensors[name] = array
        return name

    def _little(self, value: np.ndarray, path: str) -> np.ndarray:
        """Little-endian, and of a type that the format has."""
        if value.dtype.byteorder == ">":
            value = value.astype(value.dtype.newbyteorder("<"))
        if not DTYPE.fullmatch(value.dtype.str) or value.dtype.itemsize == 0:
            raise PersistenceError(
                f"{self.who}{path} cannot be saved: a file has no place for {value.dtype}."
            )
        return value

    def _hex(self, value: int, path: str) -> str:
        text = format(value, "x")
        if len(text) > INT_DIGITS:
            raise PersistenceError(
                f"{self.who}{path} cannot be saved: a number of {len(text)} digits is too long."
            )
        return text

    def _refusal(self, value: Any, path: str) -> PersistenceError:
        refusal = f"{self.who}{path} cannot be saved: it is "
        if isinstance(value, type) or (callable(value) and not hasattr(value, "fit")):
            name = getattr(value, "__name__", type(value).__name__)
            return PersistenceError(f"{refusal}the function {name}, and a model file holds data, not code.")
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        if hasattr(value, "fit"):
            return PersistenceError(f"{refusal}a {kind}; only Assay's own learners can be saved as data.")
        return PersistenceError(f"{refusal}a {kind}. Use numbers, text, lists, dicts or arrays of them.")


def _as_tensor(array: np.ndarray) -> np.ndarray:
    """Types that safetensors lacks, in those it has: text as code points, dates as whole numbers."""
    kind, unit = {"M": ("<i8", 8), "m": ("<i8", 8), "c": ("<f8", 8), "U": ("<u4", 4), "S": ("|u1", 1)}[
        array.dtype.kind
    ]
    shape = array.shape if kind == "<i8" else (*array.shape, array.dtype.itemsize // unit)
    return array.reshape(-1).view(kind).reshape(shape)
