"""Axes, colours and names that the pictures share."""

import sys
from pathlib import Path

import numpy as np
import pytest

import assay.plots
from assay.bayes import GaussianNB
from assay.cluster import AgglomerativeClustering, KMeans
from assay.core.palette import shade
from assay.errors import MissingExtraError
from assay.plots import (
    BoundaryDisplay,
    DendrogramDisplay,
    FeaturePairsDisplay,
    FeatureStripsDisplay,
    RankStripDisplay,
    ScreeDisplay,
    SilhouetteDisplay,
    TreeDisplay,
)
from assay.plots.canvas import amounts, axes_for, names_of
from assay.reduce import PCA
from assay.tables.data import load_iris
from assay.trees import CARTClassifier


def test_axes_are_made_only_if_none_are_given():
    ax = axes_for(None, (3, 2))
    assert tuple(ax.figure.get_size_inches()) == (3, 2)
    assert axes_for(ax, (9, 9)) is ax


@pytest.fixture
def no_matplotlib(monkeypatch):
    for name in [*sys.modules, "matplotlib", "matplotlib.pyplot"]:
        if name.split(".")[0] in ("matplotlib", "mpl_toolkits"):
            monkeypatch.setitem(sys.modules, name, None)


def test_without_matplotlib_the_way_to_get_it_is_told(no_matplotlib):
    with pytest.raises(MissingExtraError, match=r'pip install "assay\[plot\]"'):
        axes_for(None, (3, 2))


X, y = load_iris()
PLANE = np.asarray(X.values)[:, :2]


@pytest.mark.parametrize(
    "draw",
    [
        lambda: BoundaryDisplay.from_estimator(GaussianNB().fit(PLANE, y), PLANE, y),
        lambda: DendrogramDisplay.from_estimator(AgglomerativeClustering().fit(X)),
        lambda: FeaturePairsDisplay(X, y, 0).plot(),
        lambda: FeatureStripsDisplay(X, y).plot(),
        lambda: RankStripDisplay({"a": [True, False, True]}).plot(),
        lambda: ScreeDisplay.from_estimator(PCA().fit(X)),
        lambda: SilhouetteDisplay.from_estimator(KMeans(3, random_state=0).fit(X), X),
        lambda: TreeDisplay.from_estimator(CARTClassifier(random_state=0).fit(X, y)),
    ],
)
def test_every_picture_tells_it(no_matplotlib, draw):
    with pytest.raises(MissingExtraError, match=r'pip install "assay\[plot\]"'):
        draw()


def test_pictures_bring_pyplot_in_by_one_way():
    source = Path(assay.plots.__file__).parent
    asking = [p.name for p in source.rglob("*.py") if "import matplotlib.pyplot" in p.read_text()]
    assert asking == ["canvas.py"]


def test_the_colour_map_is_the_palette_s():
    from matplotlib.colors import to_hex

    assert [to_hex(amounts()(s)) for s in (0.0, 1.0)] == [shade(0.0), shade(1.0)]


def test_names():
    X = np.arange(8.0).reshape(4, 2)
    assert names_of(GaussianNB().fit(X, [0, 0, 1, 1]), 2) == ["x0", "x1"]
    assert names_of(GaussianNB().fit({"a": X[:, 0], "b": X[:, 1]}, [0, 0, 1, 1]), 2) == ["a", "b"]
    assert names_of(object(), 2) == ["x0", "x1"]
