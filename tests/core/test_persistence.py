"""Saving and loading: what comes back, what is refused, and what the file looks like."""

import dataclasses
import os
import stat
from fractions import Fraction
from functools import cached_property

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression

import assay
from assay.bayes import GaussianNB
from assay.core import Classifier
from assay.core.moments import ClassMoments
from assay.core.persistence import container, describe
from assay.core.persistence.reader import Reader
from assay.core.persistence.writer import Writer
from assay.decide import DecisionRule
from assay.errors import PersistenceError
from assay.tables import Column, Schema, Table


def through_file(value, path):
    """A value after a trip through a file on disk."""
    writer = Writer("value")
    container.write(path, {"value": writer.node(value)}, writer.tensors)
    manifest, tensors = container.read(path)
    return Reader(tensors).value(manifest["value"])


def same(a, b):
    """Equal in type and in every bit, all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return np.float64(a).tobytes() == np.float64(b).tobytes()
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, np.ndarray) and a.dtype.kind == "O":
        return a.shape == b.shape and same(a.ravel().tolist(), b.ravel().tolist())
    if isinstance(a, (np.ndarray, np.generic)):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if hasattr(a, "__dict__"):
        return same(learned(a), learned(b))
    return a == b


def learned(value):
    """What an object holds, without what it can work out again."""
    kept = {
        k: v for k, v in vars(value).items() if not isinstance(getattr(type(value), k, None), cached_property)
    }
    return dict(sorted(kept.items()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("values")


plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**200), 2**200),
    st.floats(allow_nan=True),
    st.text(st.characters(exclude_categories=()), max_size=8),  # lone surrogates too
    st.binary(max_size=8),
    st.fractions(),
)
keys = plain.filter(lambda v: v == v)
nested = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(keys, inner, max_size=4),
        st.sets(keys, max_size=4),
        st.frozensets(keys, max_size=4),
    ),
    max_leaves=12,
)
number_types = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(endianness="<"),
    hnp.unsigned_integer_dtypes(endianness="<"),
    hnp.floating_dtypes(endianness="<", sizes=(16, 32, 64)),
    hnp.complex_number_dtypes(endianness="<", sizes=(64, 128)),
    hnp.datetime64_dtypes(endianness="<"),
    hnp.timedelta64_dtypes(endianness="<"),
    hnp.unicode_string_dtypes(endianness="<"),
    hnp.byte_string_dtypes(),
)
arrays = hnp.arrays(number_types, hnp.array_shapes(min_dims=0, min_side=0, max_side=4))


@settings(max_examples=150, deadline=None)
@given(nested)
def test_plain_values_come_back_with_type_and_bits(folder, value):
    assert same(through_file(value, folder / "f"), value)


@settings(max_examples=150, deadline=None)
@given(arrays)
def test_arrays_come_back_with_type_shape_and_bits(folder, array):
    back = through_file([array, array.T], folder / "f")
    assert same(back, [array, array.T])


@pytest.mark.parametrize(
    "value",
    [
        np.float32(0.1),
        np.float64(np.nan),
        np.int8(-3),
        np.bool_(True),
        np.str_("é"),
        np.datetime64("2026-01-31", "D"),
        np.array(["a", None, 1.5, ("b", 2)], dtype=object),
        np.array([["a", "b"], ["c", "d"]], dtype=object),
        np.array([], dtype=object),
        [f"word {i}" for i in range(100)],
        tuple(f"word {i}\ud800" for i in range(100)),
        np.array([f"word {i}" for i in range(100)], dtype=object).reshape(4, 25),
        -0.0,
        {1: "a", "1": "b", (1, "x"): "c"},
    ],
    ids=repr,
)
def test_particular_values_come_back(tmp_path, value):
    assert same(through_file(value, tmp_path / "f"), value)


def test_a_nan_keeps_its_payload(tmp_path):
    odd = np.frombuffer(bytes.fromhex("010000000000f87f"), "<f8")
    back = through_file([float(odd[0]), odd], tmp_path / "f")
    assert np.float64(back[0]).tobytes() == back[1].tobytes() == odd.tobytes()


def test_memory_order_is_kept(tmp_path):
    """A product may round differently in another order, so a model would not answer bit for bit."""
    fortran = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    assert through_file(fortran, tmp_path / "f").flags.f_contiguous
    sliced = np.arange(10.0)[::2]
    assert_array_equal(through_file(sliced, tmp_path / "f"), sliced)


def test_big_endian_arrays_come_back_as_the_same_numbers(tmp_path):
    assert_array_equal(through_file(np.arange(3, dtype=">f8"), tmp_path / "f"), [0, 1, 2])
    assert_array_equal(through_file(np.array(["ab"], dtype=">U2"), tmp_path / "f"), ["ab"])


@pytest.mark.parametrize("kind", ["csr_matrix", "csr_array", "csc_matrix", "csc_array"])
def test_sparse_matrices_come_back(tmp_path, kind):
    matrix = getattr(scipy.sparse, kind)(np.array([[0.0, 1.5], [0.0, 0.0], [2.5, 0.0]]))
    back = through_file(matrix, tmp_path / "f")
    assert type(back) is type(matrix)
    for part in ("data", "indices", "indptr"):
        assert same(getattr(back, part), getattr(matrix, part))


def test_loaded_arrays_can_be_written_to(tmp_path):
    back = through_file({"a": np.zeros(2), "b": np.zeros(2, "U3"), "c": np.zeros(2, complex)}, tmp_path / "f")
    assert all(array.flags.writeable for array in back.values())


# Models


X, y = load_iris(return_X_y=True)
mixed = pd.DataFrame({"size": X[:, 0], "kind": np.where(X[:, 3] > 1.5, "wide", "thin")})
names = np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.mark.parametrize(
    "data", [(X, y), (mixed, names), load_wine(return_X_y=True)], ids=["numbers", "mixed", "wine"]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_fitted_model_comes_back_bit_for_bit(tmp_path, data, weighted):
    weights = np.random.default_rng(0).uniform(size=len(data[1])) if weighted else None
    model = GaussianNB().fit(*data, sample_weight=weights)
    assay.save(model, tmp_path / "model.assay")
    back = assay.load(tmp_path / "model.assay")
    assert same(back, model)
    assert_array_equal(back.predict_proba(data[0]), model.predict_proba(data[0]))
    assert_array_equal(back.predict(data[0]), model.predict(data[0]))
    assert str(back.explain(data[0][:1])) == str(model.explain(data[0][:1]))


def test_a_loaded_model_goes_on_learning(tmp_path):
    model = GaussianNB().partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    assay.save(model, tmp_path / "model.assay")
    back = assay.load(tmp_path / "model.assay").partial_fit(X[100:], y[100:])
    assert same(back, model.partial_fit(X[100:], y[100:]))


def test_an_unfitted_model_comes_back_with_its_parameters(tmp_path):
    assay.save(GaussianNB(priors=[0.5, 0.5], var_smoothing=0.1), tmp_path / "model.assay")
    assert assay.load(tmp_path / "model.assay").get_params() == {"priors": [0.5, 0.5], "var_smoothing": 0.1}


def test_schemas_and_sums_can_be_saved_on_their_own(tmp_path):
    schema = Table.of(mixed).schema
    assay.save(schema, tmp_path / "schema")
    assert assay.load(tmp_path / "schema") == schema
    sums = ClassMoments(*(np.random.default_rng(1).normal(size=s) for s in [(2,), (2, 3), (2, 3), (2, 3)]))
    assay.save(sums, tmp_path / "sums")
    assert same(assay.load(tmp_path / "sums"), sums)


def test_the_same_model_makes_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        assay.save(GaussianNB().fit(mixed, names), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_file_names_no_place_on_the_machine(tmp_path):
    assay.save(GaussianNB().fit(mixed, names), tmp_path / "model.assay")
    content = (tmp_path / "model.assay").read_bytes()
    for place in (str(tmp_path), os.path.expanduser("~"), os.path.dirname(assay.__file__)):
        assert place.encode() not in content


def test_other_tools_can_read_the_arrays(tmp_path):
    from safetensors.numpy import load_file

    model = GaussianNB().fit(X, y)
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(load_file(tmp_path / "model.assay")["theta_"], model.theta_)


def test_describe_tells_what_a_file_holds(tmp_path):
    assay.save(GaussianNB(priors=np.array([0.2, 0.3, 0.5])).fit(mixed, names), tmp_path / "model.assay")
    found = describe(tmp_path / "model.assay")
    assert found["learner"] == "GaussianNB" and found["format"] == 1
    assert found["columns"] == {"size": "numeric", "kind": "nominal"}
    assert found["parameters"] == {"priors": "(array)", "var_smoothing": 1e-9}
    assert found["written_by"]["assay"] == assay.__version__
    assert found["arrays"]["theta_"] == "F64 (3, 3)"
    assert found["bytes"] == os.path.getsize(tmp_path / "model.assay")


# Writing


def test_a_failed_save_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "model.assay"
    assay.save(GaussianNB().fit(X, y), path)
    before = path.read_bytes()
    broken = GaussianNB().fit(X, y)
    broken.extra_ = lambda: None
    with pytest.raises(PersistenceError):
        assay.save(broken, path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.assay"]


def test_an_interrupted_save_leaves_nothing_behind(tmp_path, monkeypatch):
    import safetensors.numpy

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(safetensors.numpy, "save_file", interrupted)
    with pytest.raises(KeyboardInterrupt):
        assay.save(GaussianNB(), tmp_path / "model.assay")
    assert os.listdir(tmp_path) == []


def test_permissions_follow_the_umask_and_an_existing_file(tmp_path):
    path = tmp_path / "model.assay"
    old = os.umask(0o027)
    try:
        assay.save(GaussianNB(), path)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    assay.save(GaussianNB(), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "model.assay")
    assay.save(GaussianNB(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real" / "model.assay").is_file()


@pytest.mark.parametrize("place", ["nowhere/model.assay", "folder"])
def test_a_place_that_cannot_be_written_is_one_clear_sentence(tmp_path, place):
    (tmp_path / "folder").mkdir()
    with pytest.raises(PersistenceError, match=r"Cannot write .*Check the folder"):
        assay.save(GaussianNB(), tmp_path / place)
    assert os.listdir(tmp_path) == ["folder"]


# What is refused when saving


class Mine(Classifier):
    """A learner that is not Assay's own."""


def spoilt(**attributes):
    model = GaussianNB().fit(X, y)
    vars(model).update(attributes)
    return model


def holding(value):
    """A learner with a parameter that takes anything."""
    return DecisionRule(loss=value)


@dataclasses.dataclass
class Foreign:
    value: int = 1


loop = []
loop.append(loop)
deep = []
for _ in range(200):
    deep = [deep]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LogisticRegression(), "only Assay's own learners, and pipelines of them, can be saved"),
        (Mine(), "only Assay's own learners"),
        ({"a": 1}, "builtins.dict was given"),
        (GaussianNB, "builtins.type|abc.ABCMeta"),
        (holding(LogisticRegression()), r"DecisionRule\.loss .*LogisticRegression; only Assay's own"),
        (holding([{"a": (1, Mine())}]), r"DecisionRule\.loss\[0\]\['a'\]\[1\] .*only Assay's own"),
        (holding(lambda x: x), r"DecisionRule\.loss .*the function <lambda>.*data, not code"),
        (holding(np.mean), "the function mean"),
        (holding(os.path.join), "the function join"),
        (holding(GaussianNB), "the function GaussianNB"),
        (holding(Foreign()), r"Foreign\. Use numbers, text"),
        (holding(np.random.default_rng(0)), "Generator"),
        (holding(np.ma.array([1.0])), "MaskedArray"),
        (holding(np.zeros(2, "longdouble")), "no place for"),
        (holding(np.zeros(2, [("a", "f8")])), "no place for"),
        (holding(np.array([object()], dtype=object)), r"loss\[0\]"),
        (holding(pd.Timestamp("2026-01-01")), "Timestamp"),
        (holding({float("nan"): 1}), "NaN is a key"),
        (holding(loop), "contains itself"),
        (holding(deep), "nested too deeply"),
        (holding(1 << 100_000), "too long"),
        (spoilt(secret=1), "not 'secret'"),
        (spoilt(_metadata_request=1), "not '_metadata_request'"),
        (spoilt(_log_joint=1), "not '_log_joint'"),
        (spoilt(predict=1), "not 'predict'"),
        (spoilt(__class_getitem__=1), "__class_getitem__"),
        (spoilt(classes_="abc"), "classes_ is not what a fitted"),
        (spoilt(theta_=np.zeros((2, 7))), r"theta_ has the shape \(2, 7\), expected \(K, p\)"),
        (spoilt(part_=1), r"not 'part_'. What fit makes stands in GaussianNB\.stored"),
        (spoilt(var_smoothing=-1.0), "var_smoothing must be"),
    ],
)
def test_what_is_not_data_is_refused_and_named(tmp_path, model, message):
    with pytest.raises(PersistenceError, match=message):
        assay.save(model, tmp_path / "model.assay")
    assert os.listdir(tmp_path) == []


def test_a_structure_too_large_for_a_manifest_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(container, "MANIFEST_LIMIT", 1000)
    with pytest.raises(PersistenceError, match="Numbers belong in arrays"):
        assay.save(holding(list(range(1000))), tmp_path / "model.assay")


def test_a_parameter_younger_than_the_file_has_its_default(tmp_path):
    """Files stay readable when a learner gains a parameter."""
    assay.save(GaussianNB().fit(X, y), tmp_path / "model.assay")
    manifest, tensors = container.read(tmp_path / "model.assay")
    del manifest["model"]["state"]["var_smoothing"]
    container.write(tmp_path / "old.assay", manifest, tensors)
    assert assay.load(tmp_path / "old.assay").var_smoothing == 1e-9


def test_categories_of_many_kinds_survive(tmp_path):
    columns = [Column("a", "nominal", ("x", 2, 2.5, None, True, Fraction(1, 3), (1, 2)))]
    assay.save(Schema(columns), tmp_path / "s")
    assert assay.load(tmp_path / "s") == Schema(columns)
