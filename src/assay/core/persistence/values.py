"""Values as data: what a manifest says and which arrays go with it.

None, True, False, text, whole and finite numbers, and lists stand for themselves in JSON. Everything else is an
object whose key ``is`` says what it is, with exactly the other keys of this table:

==========  =============================  =====================================================
``is``      keys                           value
==========  =============================  =====================================================
int         hex                            a whole number beyond 64 bits
float       hex                            inf, -inf or NaN, its 8 bytes
bytes       hex                            the bytes
fraction    of                             numerator and denominator
tuple       items                          the values; a set and a frozenset likewise
dict        items                          pairs of key and value, in order
scalar      dtype, hex                     a NumPy scalar, its bytes
array       tensor; dtype, order           numbers; dtype and order only if the tensor's own differ
objects     shape, items                   an array of Python objects
texts       into, text, ends; shape        many texts: their UTF-8 in one tensor, where each ends in another
sparse      kind, shape, data ...          a compressed sparse matrix: data, indices, indptr
object      class, state                   an object of a class in the registry
==========  =============================  =====================================================
"""

from __future__ import annotations

import re

import numpy as np

from assay.core.csr import COMPRESSED

__all__ = ["DEPTH_LIMIT", "DTYPE", "INT_DIGITS", "SPARSE", "TENSOR_TYPES"]

DEPTH_LIMIT = 100
INT_DIGITS = 4096  # hexadecimal digits of one whole number
TENSOR_TYPES = {f"<{t}" for t in ("f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8", "c8")} | {
    "|b1",
    "|i1",
    "|u1",
}
DTYPE = re.compile(
    r"[<|](?:b1|[iu][1248]|f[248]|c(?:8|16)|[mM]8(?:\[(?:[1-9]\d{0,8})?[a-zA-Zμ]{1,7}\])?|[US]\d{1,9})"
)
SPARSE = COMPRESSED
NUMBER_TYPES: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
        np.float16, np.float32, np.float64,
    )
}  # fmt: skip
