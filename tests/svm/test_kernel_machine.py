"""What all machines with a kernel do: look at matrices that may be none of a kernel."""

import numpy as np
import pytest

from assay.errors import DegenerateWarning
from assay.svm import SVC, SVR


def test_matrices_that_are_no_kernel_matrices_are_named():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 60))
    y = np.tile([0, 1], 30)
    with pytest.warns(
        DegenerateWarning, match="symmetric, but not positive semidefinite: .* The solution may be one"
    ):
        SVC(kernel="precomputed").fit(A + A.T, y)
    with pytest.warns(DegenerateWarning, match="not symmetric: K and its transpose differ"):
        SVC(kernel="precomputed").fit(A @ A.T + np.triu(A), y)
    with pytest.warns(DegenerateWarning, match="not positive semidefinite"):
        SVR(kernel="sigmoid", gamma=2.0, coef0=1.0).fit(rng.normal(size=(60, 2)), y)
    SVC(kernel="precomputed").fit(A @ A.T, y)  # without a word
