"""Pictures of groups: what is drawn, not how it looks."""

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")
import matplotlib.pyplot as plt

from assay.cluster import AgglomerativeClustering, KMeans, merge_rows
from assay.errors import AssayError
from assay.mixture import GaussianMixture
from assay.plots import ClusterPathDisplay, DendrogramDisplay, MixtureDisplay, SilhouetteDisplay

SIX = np.array([[0, 0], [1, 0], [5, 0], [5, 2], [3, 6], [7, 1]], dtype=float)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.capability("IML-7-09")
def test_four_panels_of_k_means_with_crosses():
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [5, 0]], 30, axis=0)
    model = KMeans(2, init=[[0.0, 0.0], [0.1, 0.0]], tol=0, keep_path=True).fit(X)
    display = ClusterPathDisplay.from_estimator(model, X)
    assert len(display.axes_) == min(4, len(model.history_))
    assert display.axes_[0].get_title() == "start"
    crosses = [c for c in display.axes_[1].collections if len(c.get_offsets()) == 1]
    np.testing.assert_allclose(crosses[0].get_offsets()[0], model.history_[1]["centers"][0])
    with pytest.raises(AssayError, match="keep_path"):
        ClusterPathDisplay.from_estimator(KMeans(2, random_state=0).fit(X), X)


@pytest.mark.capability("IML-7-16")
def test_ellipses_and_the_curve_between_components():
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [5, 0]], 30, axis=0)
    model = GaussianMixture(2, random_state=0).fit(X)
    display = MixtureDisplay(X, model).plot()
    ellipses = [line.get_xydata() for line in display.ax_.lines]
    assert len(ellipses) == 4
    gaps = ellipses[0] - model.means_[0]
    distance = np.einsum("ij,jk,ik->i", gaps, np.linalg.inv(model.covariances_[0]), gaps)
    np.testing.assert_allclose(distance, 1, rtol=1e-9)
    curves = [path for c in display.ax_.collections for path in c.get_paths() if len(path.vertices) > 50]
    assert curves
    np.testing.assert_allclose(model.predict_proba(curves[0].vertices)[:, 0], 0.5, atol=0.05)


@pytest.mark.capability("IML-7-30")
def test_brackets_at_the_heights_of_merges():
    tree = merge_rows(SIX, "single", names="abcdef")
    display = DendrogramDisplay(tree, height=3).plot()
    assert display.labels_.tolist() == [0, 0, 1, 1, 2, 1]
    (brackets,) = display.ax_.collections
    tops = [segment[1][1] for segment in brackets.get_segments()]
    np.testing.assert_allclose(tops, tree.heights)
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == list("abcdfe")
    model = AgglomerativeClustering(3).fit(SIX)
    assert len(np.unique(DendrogramDisplay.from_estimator(model).labels_)) == 3
    with pytest.raises(AssayError, match="no tree_"):
        DendrogramDisplay.from_estimator(KMeans(2, random_state=0).fit(SIX))


def test_a_bar_for_each_row():
    model = KMeans(2, random_state=0).fit(SIX)
    display = SilhouetteDisplay.from_estimator(model, SIX)
    assert len(display.ax_.patches) == 6
    assert -1 <= display.mean_ <= 1
