"""Kernels of objects beside kernels of tables: columns of a frame, views of a mapping, and machines on top."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV, cross_val_score

import assay
from assay.errors import DataError, ParameterError
from assay.kernels import (
    RBF,
    EditSimilarity,
    EmpiricalKernel,
    Graph,
    Nystroem,
    SharedWalks,
    Spectrum,
    Subsequences,
    SubsetTrees,
    WeisfeilerLehman,
)
from assay.kernels.objects import objects_of
from assay.svm import SVC, SVR

random = np.random.default_rng(0)
y = np.repeat(["even", "skew"], 40)
TEXT = [
    "".join(random.choice(list("acgt"), 30, p=[0.25] * 4 if c == "even" else [0.4, 0.1, 0.4, 0.1])) for c in y
]
NUMBERS = random.normal(size=(80, 2)) + (y == "skew")[:, None]
FRAME = pd.DataFrame({"a": NUMBERS[:, 0], "text": TEXT, "b": NUMBERS[:, 1]})
VIEWS = {"text": TEXT, "numbers": NUMBERS}
SPECTRUM = Spectrum(3).normalized()


def of_both():
    return SPECTRUM(TEXT) + RBF(1.0)(NUMBERS)


@pytest.mark.parametrize(
    ("kernel", "X"),
    [
        (SPECTRUM.on("text") + RBF(1.0).on(["a", "b"]), FRAME),
        (SPECTRUM.on(["text"]) + RBF(1.0).on(["a", "b"]), FRAME),
        (SPECTRUM.on("text") + RBF(1.0).on("numbers"), VIEWS),
        (SPECTRUM.on([1]) + RBF(1.0).on([0, 2]), FRAME.to_numpy()),
    ],
    ids=["column", "columns", "views", "numbers of columns"],
)
def test_text_beside_numbers(kernel, X):
    assert_allclose(kernel(X), of_both(), rtol=1e-12)


@pytest.mark.parametrize(
    ("kernel", "X"),
    [
        (SPECTRUM.on("text") + RBF(1.0).on(["a", "b"]), FRAME),
        (SPECTRUM.on("text") * RBF(1.0).on("numbers"), VIEWS),
    ],
    ids=["frame", "views"],
)
def test_a_machine_of_text_and_numbers_is_saved_and_loaded(kernel, X, tmp_path):
    model = SVC(kernel=kernel).fit(X, y)
    assert model.score(X, y) > 0.9
    assay.save(model, tmp_path / "model.assay")
    back = assay.load(tmp_path / "model.assay")
    assert_allclose(back.decision_function(X), model.decision_function(X), rtol=0)
    plain = SVC(kernel="precomputed").fit(kernel(X), y)
    assert_allclose(model.decision_function(X), plain.decision_function(kernel(X)), atol=1e-6)


@pytest.mark.capability("DC-91")
def test_strings_are_classified_and_cross_validated(tmp_path):
    model = SVC(kernel=SPECTRUM).fit(TEXT, y)
    assert model.score(TEXT, y) > 0.9 and model.predict_proba(TEXT[:3]).shape == (3, 2)
    assert cross_val_score(SVC(kernel=SPECTRUM), TEXT, y, cv=4).mean() > 0.8
    search = GridSearchCV(SVC(), {"kernel": [Spectrum(p).normalized() for p in (1, 2, 3)]}, cv=3).fit(TEXT, y)
    assert search.best_score_ > 0.8
    assert TEXT[int(model.support_[0])] == model.support_vectors_[0]
    assert SVR(kernel=SPECTRUM).fit(TEXT, NUMBERS[:, 0]).predict(TEXT).shape == (80,)


@pytest.mark.capability("DC-91")
def test_graphs_are_classified(tmp_path):
    rings = [Graph.of_edges([(i, (i + 1) % n) for i in range(n)]) for n in range(5, 25)]
    stars = [Graph.of_edges([(0, i) for i in range(1, n)]) for n in range(5, 25)]
    graphs, kinds = rings + stars, ["ring"] * 20 + ["star"] * 20
    kernel = WeisfeilerLehman(2).normalized()
    model = SVC(kernel=kernel).fit(graphs, kinds)
    assert model.score(graphs, kinds) == 1.0
    assert cross_val_score(SVC(kernel=kernel), graphs, kinds, cv=4).mean() > 0.95
    assay.save(model, tmp_path / "model.assay")
    back = assay.load(tmp_path / "model.assay")
    assert_allclose(back.decision_function(graphs), model.decision_function(graphs), rtol=0)


def test_a_similarity_that_is_no_kernel_serves_a_machine_by_templates():
    kernel = EmpiricalKernel(EditSimilarity(), n_templates=20, templates="by class")
    assert SVC(kernel=kernel).fit(TEXT, y).score(TEXT, y) > 0.8


@pytest.mark.parametrize(
    ("kernel", "X"),
    [
        (SPECTRUM, TEXT),
        (Subsequences(2), TEXT),
        (SubsetTrees(), [("s", *text[:6]) for text in TEXT]),
        (SharedWalks(2), [Graph.of_edges([(0, 1, 1.0 + k % 3), (1, k % 4)]) for k in range(80)]),
        (SPECTRUM.on("text") + 0.5 * RBF(1.0).on(["a", "b"]), FRAME),
        (EmpiricalKernel(EditSimilarity(), n_templates=5).learn(TEXT), TEXT),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_rows_of_a_matrix_of_objects_in_any_order(kernel, X):
    """Solvers ask for some rows and columns, in an order of theirs, and for places of their own."""
    K, rows = kernel(X), objects_of(X, "SVC")
    gram, some, columns = kernel.gram_rows(rows), np.array([7, 3, 70, 3]), np.array([50, 0, 12])
    out = np.full((6, 4), -1.0, dtype=np.float32)
    gram.fill(some, columns, out, np.array([5, 0, 2, 1]))
    assert_allclose(out[[5, 0, 2, 1], :3], K[np.ix_(some, columns)], rtol=1e-6)
    assert (out[3:5] == -1).all() and (out[:, 3] == -1).all()
    assert_allclose(gram.whole(), K, rtol=1e-9)
    assert_allclose(gram.subset(some).whole(), K[np.ix_(some, some)], rtol=1e-9)
    assert_allclose(gram.diagonal, np.diagonal(K), rtol=1e-9)


def test_landmarks_of_text_and_numbers():
    Z = Nystroem(
        SPECTRUM.on("text") + RBF(1.0).on(["a", "b"]), n_components=80, random_state=0
    ).fit_transform(FRAME)
    assert_allclose(Z @ Z.T, of_both(), atol=1e-7)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SPECTRUM.on("txt")(FRAME), "no column or view 'txt', there are a, text, b"),
        (lambda: SPECTRUM.on(["a", "text"])(FRAME), "compares one object a row"),
        (
            lambda: (SPECTRUM.on("a") + RBF().on("text"))(np.array([{"a": "x", "text": "y"}])),
            "do not hold numbers",
        ),
        (lambda: SPECTRUM(assay.tables.Table.of(FRAME)), "texts are categories"),
        (lambda: SPECTRUM.on("text")({"text": TEXT, "numbers": NUMBERS[:3]}), "different numbers of rows"),
    ],
)
def test_what_is_wrong_is_said(make, words):
    with pytest.raises((DataError, ParameterError), match=words):
        make()
