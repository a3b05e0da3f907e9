"""Data as a model: nodes and tensors checked and put together; nothing a file says is believed."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from assay.core.csr import compressed_matrix
from assay.core.persistence import registry
from assay.core.persistence.values import DEPTH_LIMIT, DTYPE, INT_DIGITS, NUMBER_TYPES, SPARSE, TENSOR_TYPES
from assay.errors import PersistenceError

__all__ = ["Reader"]


class Reader:
    """Builds the value of a node from the tensors of the same file, and believes nothing."""

    def __init__(self, tensors: Mapping[str, np.ndarray]):
        self._tensors = dict(tensors)  # each may be used once, and must be

    def model(self, node: Any) -> Any:
        """The value of the topmost node, which must be an object and use every tensor."""
        if not isinstance(node, dict) or node.get("is") != "object":
            raise PersistenceError("It holds no model.")
        value = self.value(node)
        if self._tensors:
            raise PersistenceError(
                f"It has an array {next(iter(self._tensors))[:80]!r} that nothing refers to."
            )
        return value

    def value(self, node: Any, depth: int = 0) -> Any:
        if node is None or isinstance(node, (bool, int, float, str)):
            return node
        if depth > DEPTH_LIMIT:
            raise PersistenceError("It is nested too deeply.")
        if isinstance(node, list):
            return [self.value(item, depth + 1) for item in node]
        kind = node.get("is")
        if not isinstance(kind, str) or kind not in _READ:
            raise PersistenceError(f"It holds a value of unknown kind {str(kind)[:80]!r}.")
        must, may, read = _READ[kind]
        keys = set(node) - {"is"}
        if not must <= keys <= must | may:
            raise PersistenceError(f"It describes a {kind} by {sorted(keys)}, expected {sorted(must)}."[:300])
        return read(self, node, depth + 1)

    def _items(self, node: dict[str, Any], depth: int) -> list[Any]:
        return [self.value(item, depth) for item in _list(node["items"])]

    def _dict(self, node: dict[str, Any], depth: int) -> dict[Any, Any]:
        pairs = [_list(pair, 2) for pair in _list(node["items"])]
        keys = _hashable([self.value(key, depth) for key, _ in pairs])
        return {key: self.value(value, depth) for key, (_, value) in zip(keys, pairs)}

    def _object(self, node: dict[str, Any], depth: int) -> Any:
        if not isinstance(node["class"], str) or not isinstance(node["state"], dict):
            raise PersistenceError("It describes an object without a class or a state.")
        cls = registry.class_of(node["class"])  # before its parts are built
        return registry.rebuild(cls, {name: self.value(v, depth) for name, v in node["state"].items()})

    def _array(self, node: dict[str, Any], depth: int) -> np.ndarray:
        array = self._take(node["tensor"])
        if "dtype" in node:
            array = _from_tensor(array, _dtype(node["dtype"]))
        elif array.dtype.kind == "b" and array.size and int(array.view(np.uint8).max()) > 1:
            raise PersistenceError("It has truth values that are neither true nor false.")
        if "order" in node:
            if node["order"] != "F":
                raise PersistenceError(f"It has an array of unknown order {str(node['order'])[:80]!r}.")
            array = array.T
        return array

    def _texts(self, node: dict[str, Any], depth: int) -> Any:
        text, ends = self._take(node["text"]), self._take(node["ends"])
        if text.dtype != np.uint8 or ends.dtype != np.int64 or text.ndim != 1 or ends.ndim != 1:
            raise PersistenceError("It has texts in arrays of the wrong kind.")
        starts = np.concatenate([[0], ends])
        if (np.diff(starts) < 0).any() or starts[-1] != len(text):
            raise PersistenceError("It has texts whose ends do not fit.")
        data = text.tobytes()
        items = [
            data[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts[:-1].tolist(), ends.tolist())
        ]
        if (node["into"] == "objects") != ("shape" in node) or node["into"] not in (
            "list",
            "tuple",
            "objects",
        ):
            raise PersistenceError("It has texts of an unknown kind.")
        if node["into"] == "objects":
            return _objects(items, node["shape"])
        return items if node["into"] == "list" else tuple(items)

    def _objects(self, node: dict[str, Any], depth: int) -> np.ndarray:
        return _objects(self._items(node, depth), node["shape"])

    def _sparse(self, node: dict[str, Any], depth: int) -> Any:
        if node["kind"] not in SPARSE:
            raise PersistenceError(f"It has a sparse matrix of unknown kind {str(node['kind'])[:80]!r}.")
        data, indices, indptr = (self.value(node[part], depth) for part in ("data", "indices", "indptr"))
        if not all(isinstance(a, np.ndarray) and a.ndim == 1 for a in (data, indices, indptr)):
            raise PersistenceError("It has a sparse matrix whose parts are not arrays.")
        if indices.dtype.kind != "i" or indptr.dtype.kind != "i" or data.dtype.kind not in "biufc":
            raise PersistenceError("It has a sparse matrix of the wrong kind of numbers.")
        rows, columns = _shape(node["shape"], 2)
        matrix = compressed_matrix(node["kind"], data, indices, indptr, (rows, columns))
        matrix.check_format(full_check=True)
        return matrix

    def _take(self, name: Any) -> np.ndarray:
        if not isinstance(name, str) or name not in self._tensors:
            raise PersistenceError(
                f"It refers to an array {str(name)[:80]!r} that is not there, or twice to one."
            )
        return self._tensors.pop(name)


def _from_tensor(tensor: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    kind = {"M": "<i8", "m": "<i8", "c": "<f8", "U": "<u4", "S": "|u1"}.get(dtype.kind)
    if kind is None or dtype.str in TENSOR_TYPES or tensor.dtype.str != kind:
        raise PersistenceError(f"It has an array of {tensor.dtype} that claims to be {dtype}.")
    if kind == "<i8":
        return tensor.view(dtype)
    if tensor.ndim == 0 or tensor.shape[-1] * tensor.itemsize != dtype.itemsize:
        raise PersistenceError(f"It has an array of shape {tensor.shape} that claims to be {dtype}.")
    if dtype.kind == "U":
        _check_text(tensor)
    return tensor.reshape(-1).view(dtype).reshape(tensor.shape[:-1])


def _check_text(points: np.ndarray) -> None:
    if points.size and int(points.max()) > 0x10FFFF:
        raise PersistenceError("It has text with characters that do not exist.")


def _dtype(name: Any) -> np.dtype[Any]:
    if not isinstance(name, str) or not DTYPE.fullmatch(name):
        raise PersistenceError(f"It has numbers of unknown type {str(name)[:80]!r}.")
    dtype = np.dtype(name)
    if dtype.itemsize == 0:
        raise PersistenceError(f"It has numbers of unknown type {name!r}.")
    return dtype


def _scalar(node: dict[str, Any]) -> Any:
    dtype, data = _dtype(node["dtype"]), _bytes(node["hex"])
    if len(data) != dtype.itemsize:
        raise PersistenceError(f"It has a {dtype} of {len(data)} bytes.")
    if dtype.kind == "U":
        _check_text(np.frombuffer(data, "<u4"))
    if dtype.kind == "b" and data not in (b"\0", b"\1"):
        raise PersistenceError("It has a truth value that is neither true nor false.")
    return np.frombuffer(data, dtype)[0]


def _bytes(text: Any) -> bytes:
    if not isinstance(text, str) or not re.fullmatch(r"(?:[0-9a-f]{2})*", text):
        raise PersistenceError("It has bytes that are not written as hexadecimal digits.")
    return bytes.fromhex(text)


def _whole(node: dict[str, Any]) -> int:
    text = node["hex"]
    if not isinstance(text, str) or not re.fullmatch(rf"-?[0-9a-f]{{1,{INT_DIGITS}}}", text):
        raise PersistenceError("It has a whole number that is not written as hexadecimal digits.")
    return int(text, 16)


def _float(node: dict[str, Any]) -> float:
    data = _bytes(node["hex"])
    if len(data) != 8:
        raise PersistenceError(f"It has a number of {len(data)} bytes, expected 8.")
    return float(struct.unpack("<d", data)[0])


def _fraction(parts: list[Any]) -> Fraction:
    if len(parts) != 2 or not all(type(v) is int for v in parts) or parts[1] <= 0:
        raise PersistenceError("It has a fraction that is not one whole number over another.")
    return Fraction(*parts)


def _objects(items: list[Any], shape: Any) -> np.ndarray:
    shape = _shape(shape)
    if math.prod(shape) != len(items) or (0 in shape and max(shape) > 2**31):
        raise PersistenceError(f"It has {len(items)} values for an array of shape {shape}."[:300])
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):  # one by one, since an item may be a sequence itself
        array[i] = item
    return array.reshape(shape)


def _shape(shape: Any, ndim: int | None = None) -> tuple[int, ...]:
    if (
        not isinstance(shape, list)
        or not all(type(v) is int and 0 <= v < 2**62 for v in shape)
        or len(shape) > 32
        or ndim not in (None, len(shape))
    ):
        raise PersistenceError(f"It has an array of impossible shape {str(shape)[:80]}.")
    return tuple(shape)


def _list(value: Any, n: int | None = None) -> list[Any]:
    if not isinstance(value, list) or n not in (None, len(value)):
        raise PersistenceError("It has something else where a list of values belongs.")
    return value


def _hashable(keys: list[Any]) -> list[Any]:
    """Keys that are distinct and equal to themselves."""
    try:
        if len(set(keys)) == len(keys) and all(key == key for key in keys):
            return keys
    except (TypeError, ValueError):
        pass
    raise PersistenceError("It has keys that are not distinct plain values.")


def _number_type(name: Any) -> type:
    if not isinstance(name, str) or name not in NUMBER_TYPES:
        raise PersistenceError(f"It names the unknown type of numbers {str(name)[:80]!r}.")
    return NUMBER_TYPES[name]


_Read = tuple[set[str], set[str], Callable[[Reader, dict[str, Any], int], Any]]
_READ: dict[str, _Read] = {
    "int": ({"hex"}, set(), lambda reader, node, depth: _whole(node)),
    "float": ({"hex"}, set(), lambda reader, node, depth: _float(node)),
    "bytes": ({"hex"}, set(), lambda reader, node, depth: _bytes(node["hex"])),
    "fraction": (
        {"of"},
        set(),
        lambda reader, node, depth: _fraction(reader.value(_list(node["of"], 2), depth)),
    ),
    "tuple": ({"items"}, set(), lambda reader, node, depth: tuple(reader._items(node, depth))),
    "set": ({"items"}, set(), lambda reader, node, depth: set(_hashable(reader._items(node, depth)))),
    "frozenset": (
        {"items"},
        set(),
        lambda reader, node, depth: frozenset(_hashable(reader._items(node, depth))),
    ),
    "dict": ({"items"}, set(), Reader._dict),
    "number type": ({"name"}, set(), lambda reader, node, depth: _number_type(node["name"])),
    "scalar": ({"dtype", "hex"}, set(), lambda reader, node, depth: _scalar(node)),
    "array": ({"tensor"}, {"dtype", "order"}, Reader._array),
    "objects": (
        {"shape", "items"},
        set(),
        Reader._objects,
    ),
    "texts": ({"into", "text", "ends"}, {"shape"}, Reader._texts),
    "sparse": ({"kind", "shape", "data", "indices", "indptr"}, set(), Reader._sparse),
    "object": ({"class", "state"}, set(), Reader._object),
}
