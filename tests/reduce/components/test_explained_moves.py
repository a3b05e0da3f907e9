"""Reasons of new columns that are no sums over the columns: how far each column moves a row, and the rows behind it."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_allclose

from assay.kernels import Spectrum
from assay.linear import LinearRegression
from assay.reduce import (
    MDS,
    PCA,
    SNE,
    TSNE,
    ClassicalMDS,
    ClassInformedEmbedding,
    Isomap,
    KernelCCA,
    KernelPCA,
    LandmarkIsomap,
    LocallyLinearEmbedding,
    ParametricSammon,
    SammonMapping,
    SpectralEmbedding,
)
from assay.tables.data import load_iris

IRIS = load_iris()
ROWS = np.asarray(IRIS.X)


def section(explanation, title):
    return next(part for part in explanation.sections if title in part.title)


def moves(explanation, columns):
    """(d, k) by the order of the columns; 0 for columns that are not listed."""
    found = {line[0]: line[1:] for line in section(explanation, "How far each column").rows}
    k = len(explanation.answer)
    return np.array([found.get(name, [0.0] * k) for name in columns])


@pytest.mark.parametrize("model", [KernelPCA(2), ClassicalMDS(2)], ids=str)
def test_of_a_linear_map_the_moves_are_the_terms_of_principal_components(model):
    """z = W (x - m): setting x_j to m_j takes away w_j (x_j - m_j), and that of all columns sums to z."""
    pca = PCA(2).fit(ROWS)
    asked = ROWS[[60]] + 0.05
    explanation = model.fit(ROWS).explain(asked)
    terms = (asked - pca.mean_).T * pca.components_.T
    signs = np.sign(explanation.answer / pca.transform(asked)[0])  # of an axis either is right
    by_column = moves(explanation, model.schema_.names)
    assert_allclose(by_column, terms * signs, atol=1e-9)
    assert_allclose(by_column.sum(axis=0), explanation.answer, atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_terms_of_the_training_rows_sum_to_the_components(kernel):
    pca = KernelPCA(2, kernel=kernel, gamma=0.1).fit(ROWS[:9])
    explanation = pca.explain(ROWS[[60]])
    rows = section(explanation, "What training rows add").rows
    assert len(rows) == 9
    assert_allclose(np.sum([line[2:] for line in rows], axis=0), pca.transform(ROWS[[60]])[0], rtol=1e-9)
    cca = KernelCCA(2, kernel=kernel, gamma=0.1).fit(ROWS[:9], ROWS[:9, :2])
    part = section(cca.explain(ROWS[[60]]), "What training rows add")
    answer = cca.transform(ROWS[[60]])[0]
    assert part.note.endswith(f": kernelcca0 {answer[0]:.6g}, kernelcca1 {answer[1]:.6g}.")


@pytest.mark.parametrize(
    "model",
    [
        LocallyLinearEmbedding(n_neighbors=30),
        SpectralEmbedding(n_neighbors=30),
        MDS(random_state=0, n_init=1),
        Isomap(n_neighbors=30, extension="weights"),
    ],
    ids=str,
)
def test_the_weights_of_the_neighbours_make_the_place(model):
    model.fit(ROWS)
    explanation = model.explain(ROWS[[60]] + 0.05)
    part = section(explanation, "nearest of 150 training rows")
    assert part.columns[:3] == ["row", "distance", "weight"]
    weights, places = np.array([r[2] for r in part.rows]), np.array([r[3:] for r in part.rows])
    assert weights.sum() == pytest.approx(1)
    assert_allclose(weights @ places, explanation.answer, atol=1e-9 * np.abs(places).max())
    assert part.rows[0][0] == 61  # row 60, counted from 1


@pytest.mark.parametrize(
    "model",
    [
        Isomap(),
        LandmarkIsomap(n_landmarks=30),
        SammonMapping(max_iter=20),
        SNE(max_iter=20),
        TSNE(max_iter=250),
        ClassInformedEmbedding(alpha=0.2),
        ClassicalMDS(extension=LinearRegression()),
        ParametricSammon(regressor=LinearRegression()),
        Isomap(n_neighbors=5, disconnected="separate"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore")
def test_every_embedding_shows_the_nearest_training_rows_and_what_moves_the_row(model):
    asked = ROWS[[7, 60, 140]] + 0.05
    explanations = model.fit(ROWS, IRIS.y).explain(asked)
    assert_allclose([e.answer for e in explanations], model.transform(asked), rtol=1e-9)
    for explanation in explanations:
        near = section(explanation, "training rows, and their places").rows
        assert [r[1] for r in near] == sorted(r[1] for r in near)
        assert np.isfinite(moves(explanation, model.schema_.names)).all()
        assert np.abs(moves(explanation, model.schema_.names)).max() > 0
        assert "Their values beside this row's" in str(explanation)


def test_a_category_moves_a_row_from_the_most_frequent_one():
    frame = pd.DataFrame(
        {"size": [1.0, 2.0, 3.0, 4.0, 6.0], "taste": ["sweet", "sour", "sweet", "salt", "sour"]}
    )
    frame = pd.concat([frame, frame.iloc[:1]], ignore_index=True)  # sweet is in three of six rows
    for model in (ClassicalMDS(2), ClassicalMDS(2, metric="gower"), KernelPCA(2, kernel="rbf")):
        model.fit(frame)
        sour, sweet = frame.iloc[[1]], frame.iloc[[1]].assign(taste="sweet")
        expected = model.transform(sour)[0] - model.transform(sweet)[0]
        assert_allclose(moves(model.explain(sour), ["size", "taste"])[1], expected, atol=1e-12)
        assert_allclose(moves(model.explain(sweet), ["taste"])[0], 0)
        assert "taste" not in [line[0] for line in section(model.explain(sweet), "How far each column").rows]


def test_missing_values_are_columns_like_others():
    frame = pd.DataFrame({"a": np.r_[np.arange(20.0), np.nan], "b": np.tile([1.0, 2.0, 4.0], 7)})
    model = ClassicalMDS(2, metric="heom").fit(frame)
    explanation = model.explain(frame.iloc[[20]])
    assert np.isfinite(moves(explanation, ["a", "b"])).all()
    assert section(explanation, "training rows").rows[0][0] == "20" or len(
        section(explanation, "training rows").rows
    )


def test_sparse_rows_move_as_dense_ones():
    rng = np.random.default_rng(0)
    X = rng.random((40, 500)) * (rng.random((40, 500)) < 0.1)
    dense = KernelPCA(2, kernel="cosine").fit(X).explain(X[:1])
    sparse = (
        KernelPCA(2, kernel="cosine").fit(scipy.sparse.csr_array(X)).explain(scipy.sparse.csr_array(X[:1]))
    )
    names = [f"x{j}" for j in range(500)]
    assert_allclose(moves(sparse, names), moves(dense, names), atol=1e-9)


def test_rows_that_have_no_columns_have_the_training_rows_alone():
    texts = ["banana", "bandana", "cabana", "ananas", "canada"]
    explanation = KernelPCA(2, kernel=Spectrum(2)).fit(texts).explain(["panama"])
    assert [part.title for part in explanation.sections] == ["What training rows add"]
    D = np.abs(np.subtract.outer(np.arange(9.0), np.arange(9.0)))
    distances = Isomap(n_neighbors=2, metric="precomputed", n_components=1).fit(D).explain(D[:1])
    assert [part.title for part in distances.sections] == [
        "The 2 nearest of 9 training rows, and their places"
    ]


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_moves_do_not_depend_on_units(scale):
    model = ClassicalMDS(2).fit(ROWS * scale)
    names = model.schema_.names
    plain = moves(ClassicalMDS(2).fit(ROWS).explain(ROWS[[60]]), names)
    assert_allclose(moves(model.explain(ROWS[[60]] * scale), names) / scale, plain, atol=1e-9)


def test_a_column_at_its_usual_value_is_not_listed():
    X = np.c_[np.ones(6), np.arange(6.0)]
    assert [line[0] for line in section(ClassicalMDS(1).fit(X).explain(X[:1]), "How far").rows] == ["x1"]
