"""Maps by class, and all pairs of columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris

from assay.errors import DataError, ParameterError
from assay.reduce import PCA
from assay.stats import box_m, henze_zirkler, mardia

matplotlib = pytest.importorskip("matplotlib", reason="pictures need the extra assay[plot]")

from assay.plots import BiplotDisplay, EmbeddingDisplay, ScatterMatrixDisplay  # noqa: E402

DATA = load_iris()
NAMES = DATA.target_names[DATA.target]


@pytest.fixture(autouse=True)
def closed_figures():
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    yield
    plt.close("all")


@pytest.mark.capability("C3-77")
@pytest.mark.parametrize("m", [2, 3])
def test_points_of_each_class_are_where_the_map_has_them(m):
    pca = PCA(m).fit(DATA.data)
    display = EmbeddingDisplay.from_estimator(pca, DATA.data, NAMES)
    groups = display.ax_.collections
    assert len(groups) == 3 and [t.get_text() for t in display.ax_.get_legend().get_texts()] == list(
        DATA.target_names
    )
    if m == 2:
        assert_array_equal(groups[1].get_offsets(), pca.transform(DATA.data)[NAMES == "versicolor"])
    assert display.ax_.get_title() == "PCA" and hasattr(display.ax_, "set_zlabel") == (m == 3)


def test_numbers_are_shades_and_no_classes_one_colour():
    shaded = EmbeddingDisplay.from_coordinates(DATA.data[:, :2], np.linspace(0, 1, 150))
    assert len(shaded.figure_.axes) == 2  # the bar of shades
    plain = EmbeddingDisplay.from_estimator(PCA(4).fit(DATA.data), DATA.data)
    assert len(plain.ax_.collections) == 1 and plain.ax_.get_legend() is None
    with pytest.raises(DataError, match="2 or 3 coordinates"):
        EmbeddingDisplay(DATA.data)
    with pytest.raises(DataError, match="as many classes"):
        EmbeddingDisplay(DATA.data[:, :2], [1, 2])
    with pytest.raises(DataError, match="projection='3d'"):
        EmbeddingDisplay.from_coordinates(DATA.data[:, :3], ax=plain.ax_)


@pytest.mark.capability("IML-5-29")
def test_the_matrix_has_every_pair():
    frame = pd.DataFrame(DATA.data, columns=list("abcd")).assign(e=NAMES)
    frame.loc[3, "a"] = np.nan
    display = ScatterMatrixDisplay.from_data(frame, NAMES)
    assert display.axes_.shape == (4, 4) and display.names == list("abcd")
    drawn = display.axes_[2, 0].collections[0].get_offsets()
    assert_array_equal(np.asarray(drawn)[5], DATA.data[5, [0, 2]])
    assert ScatterMatrixDisplay.from_data(frame, columns=["d", 1]).names == ["d", "b"]
    with pytest.raises(ParameterError, match="no column 'q'"):
        ScatterMatrixDisplay(frame, columns=["q"])
    with pytest.raises(ParameterError, match="1 to 12"):
        ScatterMatrixDisplay(np.ones((3, 13)))
    with pytest.raises(DataError, match="as many classes"):
        ScatterMatrixDisplay(DATA.data, [1])


@pytest.mark.capability("IML-5-29")
def test_a_normal_sample_is_not_rejected_and_unequal_covariances_are():
    rng = np.random.default_rng(1)
    one = rng.multivariate_normal([0, 1, 2], [[2, 1, 0], [1, 2, 0.5], [0, 0.5, 1]], 300)
    two = rng.multivariate_normal([0, 1, 2], [[2, 1, 0], [1, 2, 0.5], [0, 0.5, 1]], 300)
    y = np.repeat([0, 1], 300)
    tests = mardia(one)
    assert min(t.p for t in (tests if isinstance(tests, (tuple, list)) else [tests])) > 0.05
    assert henze_zirkler(one).p > 0.05 and henze_zirkler(np.exp(one)).p < 1e-6
    assert box_m(np.vstack([one, two]), y).p > 0.05
    assert box_m(np.vstack([one, 2 * two]), y).p < 1e-6


@pytest.mark.parametrize(
    "labels, names",
    [
        (["b", None, "a"], ["a", "b", "missing"]),
        ([2.0, np.nan, 1.0], ["1.0", "2.0", "missing"]),
        (["b", 1, None], ["1", "b", "missing"]),
        ([pd.NA, "b", "a"], ["a", "b", "missing"]),
    ],
    ids=str,
)
def test_rows_without_a_class_are_drawn_as_missing(labels, names):
    numbers = all(isinstance(label, float) for label in labels)
    y, X = np.array(labels * 5, dtype=float if numbers else object), DATA.data[:15]
    flat = EmbeddingDisplay.from_coordinates(X[:, :2], y)
    assert [text.get_text() for text in flat.ax_.get_legend().get_texts()] == names
    assert [len(points.get_offsets()) for points in flat.ax_.collections] == [5, 5, 5]
    matrix = ScatterMatrixDisplay.from_data(X, y)
    assert [text.get_text() for text in matrix.figure_.legends[0].get_texts()] == names


def test_many_whole_numbers_are_shades_and_a_column_without_values_is_drawn_empty():
    shades = EmbeddingDisplay.from_coordinates(DATA.data[:40, :2], np.arange(40))
    assert shades.ax_.get_legend() is None and len(shades.ax_.collections) == 1
    frame = pd.DataFrame({"a": np.full(9, np.nan), "b": np.arange(9.0)})
    assert ScatterMatrixDisplay.from_data(frame, [0, 1, 2] * 3).axes_.shape == (2, 2)


def test_biplots_draw_rows_without_a_class():
    y = np.array(["b", None, "a"] * 5, dtype=object)
    display = BiplotDisplay(DATA.data[:15, :2], labels=y).plot(printed=4, random_state=0)
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["a", "b", "missing"]
    drawn = sum(len(points.get_offsets()) for points in display.ax_.collections)
    assert drawn + len(display.printed_) == 15
    words = [text.get_text() for text in display.ax_.texts]
    assert sorted(words) == sorted(y[i] or "missing" for i in display.printed_)
