"""Files that were damaged, or made to do harm: each is refused in one sentence, and nothing runs."""

import contextlib
import copy
import importlib
import json
import os
import struct
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import assay
from assay.associations import FrequentItems
from assay.bayes import GaussianNB
from assay.core.persistence import container, describe, registry
from assay.decide import DecisionRule
from assay.distances import Minkowski
from assay.errors import PersistenceError
from assay.neighbors import CondensedNearestNeighbor, RadiusNeighborsTransformer
from assay.trees import DecisionTreeClassifier, FisherTreeClassifier

FRAME = pd.DataFrame({"size": [1.0, 2.0, 4.0, 8.0], "taste": ["sour", "sweet", "sweet", "bitter"]})
LABELS = ["a", "b", "a", "b"]

watched: list[str] = []
watching = False


def _watch(event, details):
    """Note what only running code does: an import of something new, a program started, a file written."""
    if not watching:
        return
    if event in (
        "exec",
        "compile",
        "os.system",
        "subprocess.Popen",
        "os.exec",
        "ctypes.dlopen",
        "socket.connect",
    ):
        watched.append(event)
    if event == "import" and not str(details[0]).startswith(("assay", "numpy", "scipy", "safetensors")):
        watched.append(f"import {details[0]}")
    if event == "open" and isinstance(details[1], str) and set(details[1]) & set("wax+"):
        watched.append(f"open {details[0]}")


sys.addaudithook(_watch)
for module in registry._modules().values():  # so that an import of Assay's own does not count
    importlib.import_module(module)


@pytest.fixture(autouse=True, scope="module")
def no_waiting_for_the_disk():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A folder with a sound file, and its model."""
    folder, model = tmp_path_factory.mktemp("sound"), GaussianNB().fit(FRAME, LABELS)
    assay.save(model, folder / "sound")
    return folder, model


@pytest.fixture
def model():
    return GaussianNB().fit(FRAME, LABELS)


@pytest.fixture
def parts(tmp_path, model):
    """Manifest and tensors of a sound file, free to be spoilt."""
    assay.save(model, tmp_path / "sound.assay")
    assay.load(tmp_path / "sound.assay").predict(FRAME)  # all imports of an honest load are done
    manifest, tensors = container.read(tmp_path / "sound.assay")
    return copy.deepcopy(manifest), tensors


@pytest.fixture
def open_parts(tmp_path, model):
    """The same of a learner whose parameter ``loss`` takes any value, so that only the value itself can be refused."""
    assay.save(DecisionRule(model, loss=[1, ("a", 2.5)]), tmp_path / "open.assay")
    assert assay.load(tmp_path / "open.assay").loss == [1, ("a", 2.5)]
    manifest, tensors = container.read(tmp_path / "open.assay")
    return copy.deepcopy(manifest), tensors


def refused(path, match=None):
    """load refuses the file without running anything; describe refuses it or only tells."""
    global watching
    watched.clear()
    watching = True
    try:
        with pytest.raises(PersistenceError, match=match) as caught:
            assay.load(path)
    finally:
        watching = False
    assert watched == []
    assert len(str(caught.value)) < 800 and "\n" not in str(caught.value)
    with contextlib.suppress(PersistenceError):
        describe(path)


def array(tensors, name, value):
    tensors[name] = np.asarray(value)
    return {"is": "array", "tensor": name}


def nested(depth):
    node = []
    for _ in range(depth):
        node = [node]
    return node


HOSTILE_CLASSES = [
    "os.system",
    "posix.system",
    "builtins.eval",
    "builtins.exec",
    "builtins.object",
    "subprocess.Popen",
    "pickle.loads",
    "sklearn.linear_model.LogisticRegression",
    "sklearn.base.BaseEstimator",
    "assay.bayes.GaussianNB",
    "bayes.gaussian_nb.GaussianNB",
    "bayes.gaussian_nb.np",
    "bayes.np",
    "bayes.__doc__",
    "bayes",
    "",
    ".",
    "..",
    "GaussianNB",
    "core.persistence.container.os",
    "core.persistence.os.system",
    "core.persistence.registry.import_module",
    "core.learner.BaseEstimator",
    "core.sums.Rows",
    "core.parallel.lru_cache",
    "core.parameters.Function",
    "tables.readers.read_table",
    "cli.main",
    "evaluate.compare",
    "report.Report",
    "errors.AssayError",
    "bayes.GaussianNB\x00",
    "bayes.gaussian_nb\nos.system",
    "x" * 100_000,
]


@pytest.mark.parametrize("name", HOSTILE_CLASSES, ids=lambda name: repr(name)[:40])
@pytest.mark.parametrize("place", ["top", "inside"])
def test_a_class_outside_the_registry_is_refused(tmp_path, open_parts, name, place):
    manifest, tensors = open_parts
    if place == "top":
        manifest["model"]["class"] = name
    else:
        manifest["model"]["state"]["loss"] = {"is": "object", "class": name, "state": {}}
    container.write(tmp_path / "hostile", manifest, tensors)
    refused(tmp_path / "hostile", "none of the classes that a model file may hold")


@pytest.mark.parametrize(
    "name",
    [
        "__class__",
        "__dict__",
        "__reduce__",
        "__getattr__",
        "__init__",
        "__setstate__",
        "predict",
        "_posterior",
        "_log_joint",
        "_check_parameters",
        "accepts",
        "takes",
        "remedy",
        "_names",
        "_estimator_type",
        "_metadata_request",
        "unknown",
        "",
        "a.b",
        "a b_",
        "1_",
    ],
)
def test_an_attribute_that_is_not_the_learners_own_is_refused(tmp_path, parts, name):
    manifest, tensors = parts
    manifest["model"]["state"][name] = 1
    container.write(tmp_path / "hostile", manifest, tensors)
    refused(tmp_path / "hostile", "not one of its own")


def node_at(manifest, path):
    node = manifest["model"]["state"]
    for step in path:
        node = node[step]
    return node


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("schema_", None),
        ("schema_", "schema"),
        ("schema_", {"is": "object", "class": "tables.Schema", "state": {"columns": [], "named": True}}),
        ("schema_", {"is": "object", "class": "tables.Schema", "state": {"named": True}}),
        (
            "schema_",
            {"is": "object", "class": "tables.Schema", "state": {"columns": {"is": "tuple", "items": [1]}}},
        ),
        ("classes_", "ab"),
        ("classes_", ["a", "b"]),
        ("classes_", {"is": "objects", "shape": [0], "items": []}),
        ("n_features_in_", 3),
        ("n_features_in_", "2"),
        ("n_features_in_", True),
        ("feature_names_in_", ["size", "taste"]),
        ("feature_names_in_", {"is": "objects", "shape": [2], "items": [1, 2]}),
        ("design_", {"is": "dict", "items": []}),
        ("design_", {"is": "object", "class": "tables.Design", "state": {"schema": 1, "drop_first": False}}),
        ("design_", {"is": "object", "class": "tables.Design", "state": {}}),
        ("var_smoothing", "small"),
        ("var_smoothing", -1.0),
        ("var_smoothing", {"is": "float", "hex": "000000000000f87f"}),
        ("priors", [0.5, 0.9]),
        ("priors", {"is": "dict", "items": []}),
        ("theta_", "text"),
        ("theta_", None),
        ("var_", [["a", "b"]]),
        ("class_prior_", {"is": "dict", "items": []}),
        ("_sums", {"is": "object", "class": "core.moments.ClassMoments", "state": {"count": 1}}),
        ("_unsolved", 3),
        ("_sklearn_output_config", {"is": "dict", "items": [["transform", 1]]}),
    ],
)
def test_attributes_of_a_wrong_kind_are_refused_when_loading_not_later(tmp_path, parts, name, value):
    manifest, tensors = parts
    manifest["model"]["state"][name] = value
    used = json.dumps(manifest)
    tensors = {key: tensor for key, tensor in tensors.items() if json.dumps(key) in used}
    container.write(tmp_path / "hostile", manifest, tensors)
    refused(tmp_path / "hostile")


@pytest.mark.parametrize(
    "column",
    [
        {"name": 1, "kind": "numeric"},
        {"name": "size", "kind": "weird"},
        {"name": "size", "kind": ["numeric"]},
        {"name": "size", "kind": "nominal", "categories": ["a"]},
        {"name": "size", "kind": "nominal", "categories": {"is": "tuple", "items": ["a", "a"]}},
        {"name": "size", "kind": "nominal", "categories": {"is": "tuple", "items": [["a"]]}},
        {"name": "size", "kind": "numeric", "categories": {"is": "tuple", "items": ["a"]}},
        {"name": "size", "kind": "numeric", "date": "yes"},
        {"name": "size", "kind": "numeric", "merge": 1},
        {"name": "taste", "kind": "numeric"},
        {"kind": "numeric"},
    ],
)
def test_a_column_that_makes_no_sense_is_refused(tmp_path, parts, column):
    manifest, tensors = parts
    columns = node_at(manifest, ["schema_", "state", "columns", "items"])
    columns[0] = {"is": "object", "class": "tables.Column", "state": column}
    container.write(tmp_path / "hostile", manifest, tensors)
    refused(tmp_path / "hostile")


KINDS_OF_NONSENSE = {
    "unknown kind": {"is": "pickle", "data": "gASVBwAAAA=="},
    "no kind": {"class": "bayes.GaussianNB"},
    "kind of a wrong type": {"is": ["tuple"], "items": []},
    "an extra key": {"is": "tuple", "items": [], "code": "import os"},
    "a key lost": {"is": "tuple"},
    "items that are no list": {"is": "tuple", "items": {"is": "tuple", "items": []}},
    "a pair of three": {"is": "dict", "items": [[1, 2, 3]]},
    "a list as key": {"is": "dict", "items": [[[1], 2]]},
    "a dict as key": {"is": "dict", "items": [[{"is": "dict", "items": []}, 2]]},
    "a key twice": {"is": "dict", "items": [["a", 1], ["a", 2]]},
    "a key twice under two names": {"is": "dict", "items": [[1, 1], [True, 2]]},
    "NaN as key": {"is": "dict", "items": [[{"is": "float", "hex": "000000000000f87f"}, 1]]},
    "NaN in a set": {"is": "set", "items": [{"is": "scalar", "dtype": "<f8", "hex": "000000000000f87f"}]},
    "a set of lists": {"is": "set", "items": [[1]]},
    "too deep": nested(200),
    "a tower of tuples": json.loads('{"is":"tuple","items":[' * 150 + "]}" * 150),
    "an int in decimal": {"is": "int", "hex": "9" * 10_000},
    "an int with an underscore": {"is": "int", "hex": "1_0"},
    "an int that is none": {"is": "int", "hex": 5},
    "a short float": {"is": "float", "hex": "00"},
    "bytes that are none": {"is": "bytes", "hex": "0g"},
    "odd bytes": {"is": "bytes", "hex": "000"},
    "a fraction over zero": {"is": "fraction", "of": [1, 0]},
    "a fraction of text": {"is": "fraction", "of": ["1", "2"]},
    "a fraction of three": {"is": "fraction", "of": [1, 2, 3]},
    "a scalar of objects": {"is": "scalar", "dtype": "|O8", "hex": "00" * 8},
    "a scalar of a structure": {"is": "scalar", "dtype": "f8,f8", "hex": "00" * 16},
    "a scalar too short": {"is": "scalar", "dtype": "<f8", "hex": "00"},
    "a huge text scalar": {"is": "scalar", "dtype": "<U999999999", "hex": "00"},
    "a text scalar of no characters": {"is": "scalar", "dtype": "<U0", "hex": ""},
    "a character that does not exist": {"is": "scalar", "dtype": "<U1", "hex": "ffffffff"},
    "half a truth": {"is": "scalar", "dtype": "|b1", "hex": "02"},
    "an unknown date unit": {"is": "scalar", "dtype": "<M8[xy]", "hex": "00" * 8},
    "a date in no units": {"is": "scalar", "dtype": "<M8[0D]", "hex": "00" * 8},
    "objects of a giant shape": {"is": "objects", "shape": [2**61, 2**61], "items": []},
    "objects of an empty giant shape": {"is": "objects", "shape": [0, 2**61], "items": []},
    "objects of a negative shape": {"is": "objects", "shape": [-1, -1], "items": [1]},
    "objects of too many dimensions": {"is": "objects", "shape": [1] * 100, "items": [1]},
    "objects of the wrong number": {"is": "objects", "shape": [3], "items": [1]},
    "a shape of truth": {"is": "objects", "shape": [True], "items": [1]},
    "an array that is not there": {"is": "array", "tensor": "nowhere"},
    "an array twice": [{"is": "array", "tensor": "estimator.theta_"}],
    "an array by number": {"is": "array", "tensor": 0},
    "a sparse matrix without parts": {"is": "sparse", "kind": "csr_matrix", "shape": [1, 1]},
    "a sparse matrix of lists": {
        "is": "sparse", "kind": "csr_matrix", "shape": [1, 1], "data": [1], "indices": [0], "indptr": [0, 1]
    },
    "a number beyond all": 1e999,
}  # fmt: skip


@pytest.mark.parametrize("what", [k for k in KINDS_OF_NONSENSE if k != "a number beyond all"])
def test_nonsense_is_refused(tmp_path, open_parts, what):
    manifest, tensors = open_parts
    manifest["model"]["state"]["loss"] = KINDS_OF_NONSENSE[what]
    container.write(tmp_path / "hostile", manifest, tensors)
    refused(tmp_path / "hostile")


def spoil(tensors, what):
    """A node, and the tensors it needs, that do not fit together."""
    t = tensors
    extra = {
        "text of another type": lambda: {**array(t, "n", np.zeros((2, 3))), "dtype": "<U3"},
        "text of another width": lambda: {**array(t, "n", np.zeros((2, 3), "u4")), "dtype": "<U5"},
        "text without a width": lambda: {**array(t, "n", np.zeros((), "u4")), "dtype": "<U1"},
        "text beyond Unicode": lambda: {**array(t, "n", np.full((2, 1), 0x110000, "u4")), "dtype": "<U1"},
        "numbers called objects": lambda: {**array(t, "n", np.zeros(2, "i8")), "dtype": "|O8"},
        "numbers called other numbers": lambda: {**array(t, "n", np.zeros(2, "i8")), "dtype": "<f8"},
        "dates from floats": lambda: {**array(t, "n", np.zeros(2)), "dtype": "<M8[D]"},
        "an unknown order": lambda: {**array(t, "n", np.zeros(2)), "order": "C"},
        "truth values of two": lambda: array(t, "n", np.full(2, 2, "u1").view(bool)),
        "a loose tensor": lambda: array(t, "n", np.zeros(2)) and array(t, "m", np.zeros(2)) and None,
        "texts of floats": lambda: texts(t, np.zeros(3), np.array([3])),
        "texts with ends of floats": lambda: texts(t, np.zeros(3, "u1"), np.array([3.0])),
        "texts that go back": lambda: texts(t, np.zeros(3, "u1"), np.array([3, 1, 3])),
        "texts that end too late": lambda: texts(t, np.zeros(3, "u1"), np.array([99])),
        "texts that end before the start": lambda: texts(t, np.zeros(3, "u1"), np.array([-5, 3])),
        "texts that are no text": lambda: texts(t, np.full(3, 255, "u1"), np.array([3])),
        "texts into code": lambda: {**texts(t, np.zeros(3, "u1"), np.array([3])), "into": "exec"},
        "texts into a wrong shape": lambda: {**texts(t, np.zeros(3, "u1"), np.array([3]), "objects"), "shape": [7]},
        "a column too far": lambda: csr(t, [1.0], [9], [0, 1, 1]),
        "a column before the first": lambda: csr(t, [1.0], [-1], [0, 1, 1]),
        "rows that go back": lambda: csr(t, [1.0, 2.0], [0, 1], [0, 2, 1]),
        "rows beyond the data": lambda: csr(t, [1.0], [0], [0, 1, 500]),
        "a sparse matrix of another kind": lambda: {**csr(t, [1.0], [0], [0, 1, 1]), "kind": "dia_matrix"},
        "a sparse matrix of giant shape": lambda: {**csr(t, [1.0], [0], [0, 1, 1]), "shape": [2**61, 2**61]},
        "a sparse matrix of truth by text": lambda: csr(t, texts(t, np.zeros(1, "u1"), np.array([1])), [0], [0, 1, 1]),
        "a sparse matrix with columns by floats": lambda: csr(t, [1.0], np.array([0.0]), [0, 1, 1]),
    }  # fmt: skip
    return extra if what is None else extra[what]()


def texts(tensors, text, ends, into="list"):
    tensors["a"], tensors["b"] = text, ends
    return {"is": "texts", "into": into, "text": "a", "ends": "b"}


def csr(tensors, data, indices, indptr):
    parts = {"data": data, "indices": indices, "indptr": indptr}
    nodes = {k: v if isinstance(v, dict) else array(tensors, k, v) for k, v in parts.items()}
    return {"is": "sparse", "kind": "csr_matrix", "shape": [2, 2], **nodes}


@pytest.mark.parametrize("what", spoil({}, None))
def test_arrays_that_do_not_fit_are_refused(tmp_path, open_parts, what):
    manifest, tensors = open_parts
    manifest["model"]["state"]["loss"] = spoil(tensors, what)
    container.write(tmp_path / "hostile", manifest, tensors)
    refused(tmp_path / "hostile")


@pytest.mark.parametrize("name", ["theta_", "var_", "class_prior_"])
@pytest.mark.parametrize(
    "shape", [(0,), (1,), (2,), (1, 1), (2, 1), (2, 2), (3, 4), (2, 5), (2, 2, 2), (0, 0)]
)
def test_parameters_of_another_shape_are_refused(tmp_path, parts, name, shape):
    """The model answers for one row while it is loaded, so this shows at once."""
    manifest, tensors = parts
    if tensors[name].shape == shape:
        pytest.skip("this is the right shape")
    tensors[name] = np.ones(shape)
    container.write(tmp_path / "hostile", manifest, tensors)
    refused(tmp_path / "hostile")


@pytest.mark.parametrize("key", ["written_by", "answers", "model"])
def test_a_manifest_that_lacks_a_part_is_refused(tmp_path, parts, key):
    manifest, tensors = parts
    del manifest[key]
    container.write(tmp_path / "hostile", manifest, tensors)
    refused(tmp_path / "hostile")


@pytest.mark.parametrize(
    "model", [None, 1, "x", [], {}, {"is": "tuple", "items": []}, {"is": "dict", "items": []}]
)
def test_a_manifest_without_a_model_is_refused(tmp_path, model):
    container.write(tmp_path / "hostile", {"written_by": {}, "answers": False, "model": model}, {})
    refused(tmp_path / "hostile")


def test_an_unknown_part_of_the_manifest_is_refused(tmp_path, parts):
    manifest, tensors = parts
    container.write(tmp_path / "hostile", {**manifest, "run": "me"}, tensors)
    refused(tmp_path / "hostile")
    container.write(tmp_path / "hostile", {**manifest, "written_by": {"assay": 1}}, tensors)
    refused(tmp_path / "hostile")


# Files that are no files of ours


def raw(path, header, data=b""):
    """A safetensors file by hand."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def entry(manifest, version="1", digest=None):
    text = manifest if isinstance(manifest, str) else json.dumps(manifest)
    return {
        "__metadata__": {"assay": f"assay-model {version} {digest or container._digest(text, {})}\n{text}"}
    }


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0",
        b"\0" * 8,
        b"\0" * 100,
        b"{}",
        b"PK\x03\x04" + b"\0" * 50,
        b"\x80\x04\x95" + b"\0" * 50,
        b"size,taste\n1,sweet\n",
        b"\x89PNG\r\n" + b"\0" * 50,
    ],
)
def test_a_foreign_file_is_refused(tmp_path, content):
    (tmp_path / "f").write_bytes(content)
    refused(tmp_path / "f", "not an Assay model. Give a file that assay.save wrote")


def test_what_is_no_file_is_refused(tmp_path):
    refused(tmp_path / "missing", "There is no file .* Check the path")
    refused(tmp_path, "is not a file")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "is not a file")


def test_a_safetensors_file_of_others_is_refused(tmp_path):
    from safetensors.numpy import save_file

    save_file({"weight": np.zeros(3)}, tmp_path / "f")
    refused(tmp_path / "f", "is a safetensors file, but not an Assay model")
    save_file({"weight": np.zeros(3)}, tmp_path / "f", metadata={"format": "pt"})
    refused(tmp_path / "f", "is a safetensors file, but not an Assay model")
    raw(tmp_path / "f", {"__metadata__": {"assay": "assay-model 1 x\n{}", "other": "x"}})
    refused(tmp_path / "f", "is a safetensors file, but not an Assay model")


def test_a_newer_format_says_to_upgrade(tmp_path):
    raw(tmp_path / "f", entry({"whatever": "comes"}, version="2"))
    refused(tmp_path / "f", r"has format version 2, this Assay reads up to 1\. .*upgrade with pip")


@pytest.mark.parametrize("version", ["", "-1", "1.0", "one", "²", "1" * 50])
def test_a_version_that_is_no_number_is_refused(tmp_path, version):
    raw(tmp_path / "f", entry({}, version=version))
    refused(tmp_path / "f")


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "null",
        "[]",
        "1",
        "{",
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": 1, "a": 2}',
        "[" * 100_000,
        "9" * 10_000,
    ],
    ids=lambda text: text[:20],
)
def test_a_manifest_that_is_not_our_json_is_refused(tmp_path, manifest):
    raw(tmp_path / "f", entry(manifest))
    refused(tmp_path / "f", "manifest")


def test_a_header_larger_than_the_file_or_the_limit_is_refused(tmp_path, monkeypatch):
    (tmp_path / "f").write_bytes(struct.pack("<Q", 2**63) + b"{}")
    refused(tmp_path / "f", "its header claims 9223372036854775808 bytes, the file has 10")
    monkeypatch.setattr(container, "HEADER_LIMIT", 100)
    raw(tmp_path / "f", entry({"a": "x" * 200}))
    refused(tmp_path / "f", "its header is larger than")
    monkeypatch.undo()
    monkeypatch.setattr(container, "MANIFEST_LIMIT", 100)
    raw(tmp_path / "f", entry({"a": "x" * 200}))
    refused(tmp_path / "f", "its manifest is larger than")


TENSOR = {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]}


@pytest.mark.parametrize(
    "tensors",
    [
        {"a": TENSOR, "b": TENSOR},
        {"a": TENSOR, "b": {**TENSOR, "data_offsets": [8, 24]}},
        {"a": {**TENSOR, "data_offsets": [0, 8]}},
        {"a": {**TENSOR, "data_offsets": [16, 0]}},
        {"a": {**TENSOR, "data_offsets": [0, 2**63]}},
        {"a": {**TENSOR, "data_offsets": [-16, 0]}},
        {"a": {**TENSOR, "shape": [2**40]}},
        {"a": {**TENSOR, "shape": [2**32, 2**32, 2**32]}},
        {"a": {**TENSOR, "shape": [-2]}},
        {"a": {**TENSOR, "dtype": "O"}},
        {"a": {**TENSOR, "dtype": "BF16", "shape": [8]}},
        {"a": {**TENSOR, "dtype": "F8_E4M3", "shape": [16]}},
        {"a": {**TENSOR, "code": "x"}},
        {"a": {}},
        {"a": 1},
    ],
    ids=str,
)
def test_tensors_that_overlap_or_lie_about_their_size_are_refused(tmp_path, tensors):
    raw(tmp_path / "f", {**entry({"written_by": {}, "answers": False, "model": None}), **tensors}, b"\0" * 24)
    refused(tmp_path / "f")


# Damage


def test_every_truncation_is_refused(tmp_path, model):
    assay.save(model, tmp_path / "sound")
    content = (tmp_path / "sound").read_bytes()
    for length in {*range(0, len(content), 37), len(content) - 1}:
        (tmp_path / "cut").write_bytes(content[:length])
        refused(tmp_path / "cut")


def test_every_changed_number_is_noticed(tmp_path, model):
    assay.save(model, tmp_path / "sound")
    content = bytearray((tmp_path / "sound").read_bytes())
    start = 8 + struct.unpack("<Q", content[:8])[0]
    for at in range(start, len(content), 11):
        damaged = bytearray(content)
        damaged[at] ^= 1
        (tmp_path / "damaged").write_bytes(damaged)
        refused(tmp_path / "damaged", "does not match its digest|neither true")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 10**6), st.binary(max_size=6), st.integers(0, 6)), min_size=1, max_size=4
    )
)
def test_mutated_bytes_are_refused_or_harmless(sound, mutations):
    """Bytes replaced, inserted and removed anywhere: an error of ours, or the very same model."""
    folder, model = sound
    content = (folder / "sound").read_bytes()
    for place, new, gone in mutations:
        at = place % len(content)
        content = content[:at] + new + content[at + gone :] or b"\0"
    (folder / "mutated").write_bytes(content)
    try:
        back = assay.load(folder / "mutated")
    except PersistenceError:
        return
    assert_array_equal(back.predict_proba(FRAME), model.predict_proba(FRAME))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
lies = st.one_of(
    json_values,
    st.sampled_from([*KINDS_OF_NONSENSE.values()]).filter(lambda v: v != 1e999),
    st.builds(
        lambda name: {"is": "array", "tensor": name}, st.sampled_from(["theta_", "var_", "classes_", "x"])
    ),
    st.builds(lambda items: {"is": "tuple", "items": items}, st.lists(json_values, max_size=3)),
    st.builds(lambda name: {"is": "object", "class": name, "state": {}}, st.sampled_from(HOSTILE_CLASSES)),
)


def places(node, path=()):
    """Every place in a manifest."""
    yield path
    for key, value in (
        node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    ):
        yield from places(value, (*path, key))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), lies)
def test_a_manifest_with_one_lie_is_refused_or_answers(sound, where, lie):
    """With a digest that fits, as a stranger would make it: an error of ours, or a model that can be asked."""
    folder, _ = sound
    manifest, tensors = container.read(folder / "sound")
    spots = [path for path in places(manifest) if path and path != ("answers",)]
    *way, last = spots[where % len(spots)]
    node = manifest
    for step in way:
        node = node[step]
    node[last] = lie
    container.write(folder / "hostile", manifest, tensors)
    try:
        back = assay.load(folder / "hostile")
    except PersistenceError:
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert back.predict_proba(
            np.zeros((1, 2)) if not back.schema_.named else FRAME[list(back.schema_.names)]
        ).shape


# Files that once did harm


def tampered(tmp_path, model, **arrays):
    """A file of the model in which some arrays are others."""
    assay.save(model, tmp_path / "sound")
    manifest, tensors = container.read(tmp_path / "sound")
    assert set(arrays) <= {name.replace(".", "___") for name in tensors}
    spoilt = {name: arrays.get(name.replace(".", "___"), tensor) for name, tensor in tensors.items()}
    container.write(tmp_path / "hostile", manifest, spoilt)
    return tmp_path / "hostile", manifest, spoilt


def test_a_number_of_training_rows_that_is_not_theirs_is_refused(tmp_path):
    """The graph of neighbours had columns beyond its shape, and toarray wrote past the end."""
    model = RadiusNeighborsTransformer(radius=9.0).fit(np.arange(12.0).reshape(6, 2))
    path, manifest, tensors = tampered(tmp_path, model)
    manifest["model"]["state"]["n_samples_fit_"] = 3
    container.write(path, manifest, tensors)
    refused(path, "n_samples_fit_ is 3, expected n = 6")


def test_item_numbers_beyond_the_items_are_refused(tmp_path):
    """Native code read where there was nothing, while the file was loaded."""
    model = FrequentItems(0.5).fit(pd.DataFrame({"tea": [1, 1], "milk": [1, 0]}))
    path, _, _ = tampered(tmp_path, model, sets____indices=np.full(len(model.sets_.indices), 2**30, np.int32))
    refused(path, "ItemSets.indices has values that are not below 2")


def test_what_a_dataclass_checks_when_it_is_made_is_checked_when_it_is_loaded(tmp_path):
    path, manifest, tensors = tampered(tmp_path, Minkowski(3.0))
    manifest["model"]["state"]["p"] = 0
    container.write(path, manifest, tensors)
    refused(path, "p must be a number above 0")


def test_a_class_number_beyond_the_classes_is_refused(tmp_path):
    """Votes were counted up to it, in 16 GB."""
    model = CondensedNearestNeighbor(random_state=0).fit([[0.0], [1.0], [6.0], [7.0]], list("aabb"))
    path, _, _ = tampered(tmp_path, model, codes_=np.full(len(model.codes_), 2**31, np.int64))
    refused(path, "codes_ has values that are not below 2")


@pytest.mark.parametrize("offsets", [[0, 2**31 - 1, -(2**31), 2], [0, 2**30, 2**30, 2]])
def test_numbers_of_children_that_wrap_around_are_refused(tmp_path, offsets):
    """Nodes were repeated by differences that no check had added up: gigabytes from a file of a few kilobytes."""
    X, y = np.array([[0.0], [1.0], [6.0], [7.0]]), [0, 0, 1, 1]
    for learner in (DecisionTreeClassifier(), FisherTreeClassifier()):
        model = learner.fit(X, y)
        assert len(model.tree_.offset) == 4
        path, _, _ = tampered(tmp_path, model, tree____offset=np.array(offsets, np.int32))
        refused(path, "offset does not begin with 0 and rise")
