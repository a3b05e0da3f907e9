"""Central composite and Box-Behnken designs: points, rotatability, orthogonality, published sizes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import ParameterError
from assay.experiments.designs.surface_designs import box_behnken, central_composite


@pytest.mark.parametrize(("F", "a"), [(2, 1.41421356), (3, 1.68179283), (4, 2.0)])
def test_same_points_as_pydoe(F, a):
    """Peer: pyDOE3 1.6.2, ccdesign(F, center=(0, 3), alpha="r", face="ccc")."""
    design = central_composite(F)
    assert len(design) == 2**F + 2 * F + 3 and np.abs(design.coded).max() == pytest.approx(a, abs=5e-9)
    assert (np.abs(design.coded[: 2**F]) == 1).all() and (design.coded[-3:] == 0).all()


def test_rotatable_designs_predict_equally_well_in_all_directions():
    X = central_composite(3).coded
    Z = lambda X: np.column_stack(  # noqa: E731
        [np.ones(len(X)), X, X**2, X[:, 0] * X[:, 1], X[:, 0] * X[:, 2], X[:, 1] * X[:, 2]]
    )
    P = np.linalg.inv(Z(X).T @ Z(X))
    sphere = np.random.default_rng(0).normal(size=(50, 3))
    at = Z(sphere / np.linalg.norm(sphere, axis=1, keepdims=True))
    assert np.ptp(np.einsum("ij,jk,ik->i", at, P, at)) < 1e-12


@pytest.mark.parametrize("F", [2, 3, 4])
def test_orthogonal_designs_have_uncorrelated_squares(F):
    squares = central_composite(F, axial="orthogonal", centre=2).coded ** 2
    C = np.cov(squares.T)
    assert_allclose(C - np.diag(np.diag(C)), 0, atol=1e-12)


def test_face_sphere_number_and_fraction():
    assert np.abs(central_composite(3, axial="face").coded).max() == 1
    assert_allclose(np.abs(central_composite(3, axial="spherical").coded).max(), 3**0.5)
    assert np.abs(central_composite(2, axial=1.2).coded).max() == 1.2
    small = central_composite(5, fraction=True)
    assert len(small) == 16 + 10 + 3 and np.abs(small.coded).max() == pytest.approx(2.0)
    real = central_composite({"rate": (0.1, 0.3), "depth": (2, 8)})
    assert real.runs[-1] == {"rate": pytest.approx(0.2), "depth": 5}
    assert_allclose(real.runs[4]["rate"], 0.2 - 0.1 * 2**0.5)


@pytest.mark.parametrize(("F", "runs"), [(3, 12), (4, 24), (5, 40), (6, 48), (7, 56)])
def test_box_behnken_sizes_and_balance(F, runs):
    # Oracle: Box and Behnken (1960): 12, 24, 40, 48, 56 runs besides the centre.
    design = box_behnken(F, centre=2)
    assert len(design) == runs + 2
    X = design.coded
    assert set(np.unique(X)) == {-1, 0, 1} and not X.sum(axis=0).any()
    G = X.T @ X
    assert_allclose(G, G[0, 0] * np.eye(F))
    assert len(np.unique(X, axis=0)) == runs + 1
    assert len({tuple(sorted(np.abs(r).astype(int))) for r in X[:-2]}) == 1  # all at one distance


def test_eight_factors_vary_in_pairs():
    assert len(box_behnken(8, centre=0)) == 4 * 28


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: central_composite(2, axial="far"), "axial must be one of rotatable"),
        (lambda: central_composite(2, axial=-1), "axial must be"),
        (lambda: central_composite(2, centre=-1), "centre must be a whole number"),
        (lambda: central_composite({"a": ("x", "y"), "b": (1, 2)}), "a needs numbers as levels"),
        (lambda: box_behnken(2), "three or more factors"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
