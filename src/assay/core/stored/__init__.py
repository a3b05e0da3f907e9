"""What a stored object may hold: one small table beside each class, checked whenever an object is built from a file.

A class that can be saved says for every fitted attribute (or field) of what kind it is, of which shape, and within
which range, so that no method ever meets an array that it was not written for::

    class NearestCentroid(Classifier):
        stored = {
            "centroids_": FloatArray("K", "p"),
            "class_prior_": FloatArray("K", low=0, high=1) | None,
        }

**Sizes** are names or small formulas: ``"K"``, ``"m + 1"``, ``"G + 2 * K"``; ``"K | 1"`` is either, ``"*"`` any, a
number is itself. A name stands for the same number in all attributes of one object; the first attribute of that shape
gives it its value. Three names have their value from the learner itself:

====  ==========================================================
name  value
====  ==========================================================
d     columns of the training table (``n_features_in_``)
p     columns of the design: indicators counted (``design_``), or d
K     classes (``classes_``, where it is one array)
====  ==========================================================

Tables of the bases add up: a family declares what it shares once, and a class that needs another kind for an attribute
declares it again. What a table cannot say, such as "these arrays make up a tree", stands in a method
``_check_stored`` which raises a ValueError; it is called after the table was checked. ``stored = None`` says that
objects of a class cannot be stored although those of its bases can, such as a metric that is the user's own function.

The cost is one pass over the arrays for ranges and order, and none at all for kinds and shapes.
"""

from assay.core.stored.arrays import (
    AnyArray,
    BoolArray,
    CodeArray,
    FloatArray,
    IntArray,
    NumberArray,
    OffsetArray,
    TableRows,
)
from assay.core.stored.kind import Kind, Size
from assay.core.stored.plain import Boolean, Integer, Plain, Scalar, Text, Unchecked
from assay.core.stored.tables import (
    Each,
    Mapped,
    Object,
    ObjectRows,
    declare,
    fault,
    is_declared,
    require,
    sizes_of,
    table_of,
)

__all__ = [
    "AnyArray",
    "BoolArray",
    "Boolean",
    "CodeArray",
    "Each",
    "FloatArray",
    "IntArray",
    "Integer",
    "Kind",
    "Mapped",
    "NumberArray",
    "Object",
    "ObjectRows",
    "OffsetArray",
    "Plain",
    "Scalar",
    "Size",
    "TableRows",
    "Text",
    "Unchecked",
    "declare",
    "fault",
    "is_declared",
    "require",
    "sizes_of",
    "table_of",
]
