"""Numbers whose squares overflow: a sentence that says what to do, and no warning from inside."""

import numpy as np
import pytest

from assay.errors import DataError
from assay.kernels import Linear, Nystroem, pivoted_cholesky
from assay.svm import LandmarkSVC, LandmarkSVR, ProjectedGradientSVC, SubgradientSVC

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("scale", [1e160, 1e200, 1e300])
@pytest.mark.parametrize("Machine", [SubgradientSVC, ProjectedGradientSVC])
def test_machines_of_the_textbook_refuse_them(Machine, scale):
    with pytest.raises(DataError, match=f"{Machine.__name__}: X has values too large to be squared. Divide"):
        Machine().fit(X * scale, Y)


@pytest.mark.parametrize("landmarks", ["random", "cholesky", "random cholesky"])
@pytest.mark.parametrize("Machine", [LandmarkSVC, LandmarkSVR])
def test_landmark_machines_refuse_them(Machine, landmarks):
    with pytest.raises(DataError, match=r"an infinite value for a pair of training rows\. Scale the columns"):
        Machine(kernel="linear", landmarks=landmarks).fit(X * 1e200, Y)


def test_landmarks_of_sums_that_overflow():
    with pytest.raises(DataError, match="Scale the columns"):
        pivoted_cholesky(Linear().gram_rows(X[:, :1] * 1e154), 3)
    with pytest.raises(DataError, match="Nystroem: the kernel gave an infinite value"):
        Nystroem(kernel="linear", n_components=5).fit(X * 1e200)
