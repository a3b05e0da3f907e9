"""What kernels say of parameters, objects and matrices that are not what they should be."""

import numpy as np
import pytest

from assay import kernels
from assay.errors import DataError, ParameterError
from assay.kernels import RBF, FourierFeatures, Graph, Linear, Polynomial, RBFSampler, SubsetTrees, Subtrees

ROWS = np.array([[1.0, -2.0], [-3.0, 4.0], [0.5, 1.0]])


@pytest.mark.parametrize("gamma", [-1.0, float("nan")])
def test_a_negative_gamma_is_refused(gamma):
    with pytest.raises(ParameterError, match=r"rbf: gamma must be .* a number from 0, got"):
        RBF(gamma=gamma)(ROWS)


@pytest.mark.parametrize("kernel", [Linear() ** 0.5, Polynomial(degree=2.5, gamma=1.0)], ids=str)
def test_powers_of_negative_values_are_whole(kernel):
    with pytest.raises(DataError, match=r"the power \S+ of a negative kernel value is no number"):
        kernel(ROWS)
    assert np.isfinite(kernel(np.abs(ROWS))).all()


@pytest.mark.parametrize("kernel", [SubsetTrees(), Subtrees()], ids=str)
@pytest.mark.parametrize("tree", [["a"], ("a", ["b"]), {}, ("a", {"b": 1})], ids=str)
def test_labels_of_trees_are_text_or_numbers(kernel, tree):
    with pytest.raises(DataError, match="its labels text or numbers; got the label"):
        kernel([("a", "b"), tree])


def test_graphs_are_made_of_numbers():
    for weight in ("w", None):
        with pytest.raises(DataError, match="Graph: the weights of edges must be numbers"):
            Graph.of_edges([("a", "b", weight)])
    with pytest.raises(DataError, match="Graph: expected a table of numbers"):
        Graph.of_matrix([["a", "b"], ["b", "a"]])
    with pytest.raises(DataError, match=r"Graph: rows must be a table of rows and columns, got shape \(\)"):
        Graph.of_matrix(3.0)


@pytest.mark.parametrize("name", ["check_gram", "center_gram", "normalize_gram", "repair_gram"])
def test_matrices_of_text_are_refused(name):
    with pytest.raises(DataError, match="K must be a square matrix of numbers, got"):
        getattr(kernels, name)([["a", "b"], ["b", "a"]])


def test_columns_without_squares_have_no_scale():
    for X in (1e200 * ROWS, ROWS * [1e-3, 1e160]):
        with pytest.raises(DataError, match=r"FourierFeatures: the squares of the columns are no numbers"):
            FourierFeatures(gamma="scale").fit(X)
        assert np.isfinite(RBFSampler(gamma=1.0, random_state=0).fit_transform(X)).all()
