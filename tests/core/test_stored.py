"""The tables of what stored objects may hold: their words, and that no class which can be stored goes without."""

import ast
import dataclasses
import functools
import importlib
import inspect
import textwrap
import types
import typing
from functools import cached_property

import numpy as np
import pytest
import scipy.sparse as sp

from assay.core.moments import ClassMoments
from assay.core.persistence import registry
from assay.core.stored import (
    AnyArray,
    BoolArray,
    Boolean,
    CodeArray,
    Each,
    FloatArray,
    IntArray,
    Integer,
    Mapped,
    NumberArray,
    Object,
    OffsetArray,
    Plain,
    Scalar,
    Size,
    TableRows,
    Text,
    fault,
    sizes_of,
    table_of,
)
from assay.tables import Column, Design, Schema


def storable():
    """Every class that a model file may speak of, by its name there."""
    found = {}
    for module in registry._modules().values():
        for value in vars(importlib.import_module(module)).values():
            if isinstance(value, type) and registry.name_of(value) is not None:
                found[registry.name_of(value)] = value
    return found


STORABLE = storable()
BY_HAND = (Column, Schema, Design)  # below core; checked in core/persistence/checks.py


def assigned(cls):
    """Attributes that methods of a class and its bases give to self and leave there."""
    bases = [base for base in cls.__mro__ if base.__module__.startswith("assay.")]
    found = [assigned_in(base, hasattr(cls, "accepts")) for base in bases]
    return set().union(*(made for made, _ in found)) - set().union(*(gone for _, gone in found))


@functools.cache
def assigned_in(cls, has_parameters):
    """The same of one class alone: given, and taken away again; a constructor may store parameters alone."""
    made, gone = set(), set()
    for method in ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0].body:
        if has_parameters and getattr(method, "name", "") == "__init__":
            continue
        for node in ast.walk(method):
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self":
                made |= {node.attr} if isinstance(node.ctx, ast.Store) else set()
                gone |= {node.attr} if isinstance(node.ctx, ast.Del) else set()
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "pop" and node.args:
                name = getattr(node.args[0], "value", "")  # self.__dict__.pop("_passing", None)
                gone |= {name} if str(name).startswith("_") else set()
    return made, gone


def needs_a_line(hint):
    """Whether a field's type says too little: only plain scalars and storable classes speak for themselves."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return any(map(needs_a_line, typing.get_args(hint)))
    if typing.get_origin(hint) is typing.Literal or hint in (str, bool, float, None, type(None)):
        return False
    return not (isinstance(hint, type) and registry.name_of(hint) is not None)


@pytest.mark.parametrize("name", [name for name, cls in STORABLE.items() if cls not in BY_HAND])
def test_every_class_that_can_be_stored_declares_what_it_holds(name):
    cls = STORABLE[name]
    if dataclasses.is_dataclass(cls) or issubclass(cls, tuple):
        hints = typing.get_type_hints(cls)
        fields = cls._fields if issubclass(cls, tuple) else [field.name for field in dataclasses.fields(cls)]
        wanted = {field for field in fields if needs_a_line(hints[field])}
    else:
        static = {attribute: inspect.getattr_static(cls, attribute, None) for attribute in assigned(cls)}
        wanted = {a for a, value in static.items() if not isinstance(value, (cached_property, property))}
        wanted -= set(inspect.signature(cls).parameters) if hasattr(cls, "accepts") else set()
    assert wanted <= set(table_of(cls)), (
        f"add to {cls.__name__}.stored: {sorted(wanted - set(table_of(cls)))}"
    )


def test_the_registry_knows_learners_and_what_they_are_made_of_and_no_more():
    assert {"bayes.GaussianNB", "trees.Tree", "associations.Baskets", "core.moments.ClassMoments"} <= set(
        STORABLE
    )
    assert not {"stats.TestResult", "evaluate.Comparison", "tables.readers.delimited.Record"} & set(STORABLE)
    assert not {"core.Classifier", "trees.decision_tree.DecisionTree", "distances.Function"} & set(STORABLE)


def test_the_table_of_a_class_holds_those_of_its_bases_and_its_own_word_counts():
    class Base:
        stored = {"a": Integer(), "b": Text()}

    class Derived(Base):
        stored = {"b": Boolean(), "c": Scalar()}

    table = table_of(Derived)
    assert list(table) == ["a", "b", "c"] and isinstance(table["b"], Boolean)


@pytest.mark.parametrize(
    ("size", "length", "sizes", "fits"),
    [
        ("K", 3, {"K": 3}, True),
        ("K", 2, {"K": 3}, False),
        ("m + 1", 4, {"m": 3}, True),
        ("m - 1", 4, {"m": 5}, True),
        ("2 * m", 8, {"m": 4}, True),
        ("2 * m + 1", 8, {"m": 4}, False),
        ("G + K", 7, {"G": 4, "K": 3}, True),
        ("K | 1", 1, {"K": 3}, True),
        ("K | 1", 2, {"K": 3}, False),
        ("*", 9, {}, True),
        ("unknown", 9, {}, True),
        (3, 3, {}, True),
        (3, 4, {}, False),
    ],
)
def test_sizes(size, length, sizes, fits):
    assert Size(size).fits(length, sizes) is fits


@pytest.mark.parametrize("text", ["", "K+1", "K + ", "K |", "K K", "-", "1.5"])
def test_a_size_that_is_none_is_an_error_when_it_is_written(text):
    with pytest.raises(ValueError, match="is no size"):
        Size(text)


def test_one_formula_gives_a_name_its_value():
    class Thing:
        stored = {
            "start": OffsetArray("m + 1", end="e"),
            "items": CodeArray("e", below="q"),
            "both": FloatArray("m + q"),
        }

    state = {"start": np.array([0, 2, 3]), "items": np.array([1, 0, 4]), "both": np.zeros(7)}
    assert fault(Thing, state) == ""
    assert (
        fault(Thing, {**state, "items": np.array([1, 0, 5])})
        == "Thing.items has values that are not below 5."
    )
    assert fault(Thing, {**state, "start": np.array([0, 2, 4])}) == "Thing.start does not end with 3."


BIG, NAN = np.array([0, 2**30]), np.array([0.0, np.nan])


@pytest.mark.parametrize(
    ("kind", "good", "bad", "words"),
    [
        (FloatArray("*"), NAN, [0.0], "is not an array"),
        (FloatArray("*"), NAN, np.zeros(2, int), "is not an array"),
        (FloatArray("*"), NAN, np.zeros((2, 1)), "has the shape"),
        (FloatArray("*", finite=True), np.zeros(2), NAN, "not finite"),
        (FloatArray("*", low=0, high=1), NAN, np.array([0.0, 1.5]), "above 1"),
        (FloatArray("*", low=0, high=1), NAN, np.array([-0.5]), "below 0"),
        (FloatArray("*", ascending=True), np.array([1.0, 1.0, 2.0]), NAN, "ascending"),
        (IntArray("*", high=9), np.array([9], np.uint8), BIG, "above 9"),
        (NumberArray("*"), np.array([True]), np.array(["a"]), "is not an array"),
        (BoolArray("*"), np.array([True]), np.array([1]), "truth values"),
        (
            AnyArray("*"),
            np.array([None, "a", (1, 2)], object),
            np.array([{"a": np.zeros(1)}], object),
            "plain",
        ),
        (CodeArray("*", below=5), np.array([0, 4]), BIG, "not below 5"),
        (CodeArray("*", below=5), np.array([], int), np.array([-1]), "below 0"),
        (OffsetArray("*", end="3"), np.array([0, 1, 3]), np.array([0, 4, 3]), "begin with 0 and rise"),
        (OffsetArray("*", end="3"), np.array([0, 3]), np.array([1, 3]), "begin with 0 and rise"),
        (OffsetArray("*", end="3"), np.array([0, 3]), np.array([], int), "begin with 0 and rise"),
        (
            OffsetArray("*", end="3"),
            np.array([0, 3]),
            np.array([0, -(2**31), 3], np.int32),
            "begin with 0 and rise",
        ),
        (TableRows("*", "*"), sp.csr_array((2, 2)), sp.coo_array((2, 2)), "table"),
        (TableRows(2, "*"), np.zeros((2, 2)), np.zeros((3, 2)), "has the shape"),
        (TableRows("*", "*", finite=True), sp.csr_array((2, 2)), sp.csr_array([[np.inf]]), "not finite"),
        (Integer(), 3, True, "whole number"),
        (Integer(), np.int32(3), -1, "from 0"),
        (Integer(high=9), 9, 10, "to 9"),
        (Scalar(), float("nan"), "1", "number"),
        (Scalar(low=0), np.float32(1), -1.0, "from 0"),
        (Scalar(finite=True), 1, float("inf"), "number"),
        (Boolean(), np.True_, 1, "True or False"),
        (Text("a", "b"), "b", "c", "one of"),
        (Text(), "c", 1, "text"),
        (Plain(), [{"a": (1, None, {2})}], [print], "plain"),
        (Plain(list), [], {}, "of type dict"),
        (Object(ClassMoments), ClassMoments(np.ones(1), *[np.ones((1, 1))] * 3), 1, "is not a ClassMoments"),
        (
            Object("assay.core.moments.ClassMoments"),
            ClassMoments(np.ones(1), *[np.ones((1, 1))] * 3),
            1,
            "ClassMoments",
        ),
        (Each(Integer(), 2), (1, 2), [1], "has 1 entries"),
        (Each(Integer()), np.array([1, 2], object), [1, "a"], r"\[1\] is not a whole number"),
        (Each(Integer()), [], np.array([1, 2]), "is not a list"),
        (Mapped(Text()), {"a": "b"}, {"a": 1}, r"\['a'\] is not a text"),
        (Mapped(Text()), {}, [], "is not a dict"),
        (Integer() | Text() | None, None, 1.5, "is not a whole number"),
    ],
)
def test_kinds(kind, good, bad, words):
    class Thing:
        stored = {"x": kind}

    assert fault(Thing, {"x": good}) == ""
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(fault(Thing, {"x": bad}))


def test_the_sizes_of_a_part_must_be_those_of_the_whole():
    class Whole:
        stored = {"names": AnyArray("d"), "moments": Object(ClassMoments, d="d")}

    moments = ClassMoments(np.ones(2), *[np.ones((2, 3))] * 3)
    assert sizes_of(moments) == {"K": 2, "d": 3}
    assert fault(Whole, {"names": np.array(list("abc")), "moments": moments}) == ""
    wrong = fault(Whole, {"names": np.array(list("ab")), "moments": moments})
    assert wrong == "Whole.moments has d = 3, expected d = 2."
