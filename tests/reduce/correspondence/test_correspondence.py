"""Correspondence analysis, simple and multiple."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2_contingency

from assay.errors import DataError, DegenerateError
from assay.reduce import PCA, CorrespondenceAnalysis, MultipleCorrespondenceAnalysis
from assay.tables.data import load_iris

# Greenacre (1984), the staff of a firm by smoking habit; numbers as printed by the package ca for R, signs turned.
STAFF = np.array([[4, 2, 3, 2], [4, 3, 7, 4], [25, 10, 12, 4], [18, 24, 33, 13], [10, 6, 7, 2]], float)
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "a": RNG.choice(["p", "q", "r"], 80),
        "b": RNG.choice(["u", "v"], 80, p=[0.8, 0.2]),
        "c": RNG.choice(["k", "l", "m", "n"], 80),
    }
)


def test_the_staff_of_a_firm_by_smoking_habit():
    ca = CorrespondenceAnalysis(n_components=3).fit(STAFF)
    assert_allclose(ca.principal_inertias_, [0.074759, 0.010017, 0.000414], atol=5e-7)
    assert_allclose(ca.inertia_shares_, [0.878, 0.118, 0.005], atol=5e-4)
    root = np.sqrt(ca.principal_inertias_)
    assert_allclose(
        ca.column_coordinates_[:, 0] / root[0], [1.438471, -0.363746, -0.718017, -1.074445], atol=5e-7
    )
    rows = ca.transform(STAFF)
    assert_allclose(rows[:, 0] / root[0], [0.240539, -0.947105, 1.391973, -0.851989, 0.735456], atol=5e-7)
    assert_allclose(ca.total_inertia_ * STAFF.sum(), chi2_contingency(STAFF)[0], rtol=1e-10)
    assert_allclose(ca.column_contributions_.sum(axis=0), 1)
    assert_allclose(ca.column_quality_.sum(axis=1), 1)  # three axes show all of it


def test_distances_of_rows_are_chi_squared_and_the_transposed_table_has_the_same_map():
    ca = CorrespondenceAnalysis(n_components=3).fit(STAFF)
    F, profiles = ca.transform(STAFF), STAFF / STAFF.sum(axis=1, keepdims=True)
    expected = np.sum((profiles[0] - profiles[3]) ** 2 / ca.column_masses_)
    assert_allclose(np.sum((F[0] - F[3]) ** 2), expected, rtol=1e-10)
    turned = CorrespondenceAnalysis(n_components=3).fit(STAFF.T)  # fewer rows than columns
    assert_allclose(turned.principal_inertias_, ca.principal_inertias_, rtol=1e-9)
    assert_allclose(np.abs(turned.column_coordinates_), np.abs(F), atol=1e-9)


def test_supplementary_rows_and_columns_do_not_change_the_map():
    ca = CorrespondenceAnalysis().fit(STAFF)
    assert_allclose(ca.transform(STAFF[:1] * 10), ca.transform(STAFF[:1]), atol=1e-12)  # profiles alone count
    assert_allclose(ca.transform([ca.column_masses_]), 0, atol=1e-12)
    assert_allclose(ca.supplementary_columns(STAFF, STAFF), ca.column_coordinates_, atol=1e-9)
    assert_allclose(ca.supplementary_columns(STAFF, STAFF.sum(axis=1)), 0, atol=1e-9)
    parts = ca.explain(STAFF[:2]).reasons.contributions(np.arange(2))
    assert_allclose(parts.values.sum(axis=1), ca.transform(STAFF[:2]), atol=1e-12)


def test_counts_in_blocks_and_as_weights():
    ca = CorrespondenceAnalysis().fit(STAFF)
    blocks = CorrespondenceAnalysis().fit_blocks([STAFF[:2], STAFF[2:]])
    assert_allclose(blocks.column_coordinates_, ca.column_coordinates_, atol=1e-9)
    repeated = CorrespondenceAnalysis().fit(np.repeat(STAFF, [1, 2, 3, 1, 1], axis=0))
    weighted = CorrespondenceAnalysis().fit(STAFF, sample_weight=[1, 2, 3, 1, 1])
    assert_allclose(weighted.column_coordinates_, repeated.column_coordinates_, atol=1e-9)
    with pytest.raises(DataError, match="Negative values in data"):
        CorrespondenceAnalysis().fit(-STAFF)
    with pytest.raises(DegenerateError, match="all counts are 0"):
        CorrespondenceAnalysis().fit(np.zeros((3, 4)))
    assert_allclose(ca.transform(np.zeros((1, 4))), 0)


def test_multiple_is_simple_analysis_of_the_indicators():
    mca = MultipleCorrespondenceAnalysis(n_components=4).fit(FRAME)
    Z = pd.get_dummies(FRAME).to_numpy(float)
    ca = CorrespondenceAnalysis(n_components=4).fit(Z)
    assert_allclose(mca.principal_inertias_, ca.principal_inertias_, rtol=1e-9)
    assert_allclose(mca.total_inertia_, (9 - 3) / 3, rtol=1e-10)
    assert_allclose(np.abs(mca.transform(FRAME)), np.abs(ca.transform(Z)), atol=1e-9)
    assert_allclose(np.abs(mca.column_coordinates_), np.abs(ca.column_coordinates_), atol=1e-9)
    assert_allclose(mca.column_masses_, ca.column_masses_, rtol=1e-10)


def test_two_columns_give_the_analysis_of_their_cross_table():
    two = FRAME[["a", "c"]]
    mca = MultipleCorrespondenceAnalysis(n_components=2).fit(two)
    ca = CorrespondenceAnalysis(n_components=2).fit(pd.crosstab(FRAME["a"], FRAME["c"]))
    root = np.sqrt(ca.principal_inertias_)
    assert_allclose(mca.principal_inertias_, (1 + root) / 2, rtol=1e-9)
    assert_allclose(
        mca.adjusted_inertias_, ca.principal_inertias_, rtol=1e-8
    )  # Benzecri's correction undoes it
    assert_allclose(mca.adjusted_shares_, ca.inertia_shares_, rtol=1e-8)


def test_categories_lie_in_the_middle_of_their_rows_also_supplementary_ones():
    mca = MultipleCorrespondenceAnalysis().fit(FRAME)
    places = mca.supplementary_categories(FRAME, FRAME["a"])
    assert_allclose(np.array(list(places.values())), mca.column_coordinates_[:3], atol=1e-9)
    Z = mca.transform(FRAME)
    middle = Z[(FRAME["b"] == "v").to_numpy()].mean(axis=0)
    assert_allclose(middle / np.sqrt(mca.principal_inertias_), mca.column_coordinates_[4], atol=1e-9)
    assert "Adjusted inertias" in str(mca.show())


def test_numbers_alone_give_components_of_the_correlation_matrix_and_mixed_tables_both():
    X = np.asarray(load_iris().X)
    mca, pca = MultipleCorrespondenceAnalysis().fit(X), PCA(n_components=2, standardize=True).fit(X)
    assert_allclose(mca.principal_inertias_ * 4, pca.explained_variance_, rtol=1e-9)
    assert_allclose(
        np.abs(mca.transform(X)) * 2, np.abs(pca.transform(X)) * np.sqrt(150 / 149), rtol=1e-7, atol=1e-9
    )
    for r in range(2):
        correlations = [np.corrcoef(x, mca.transform(X)[:, r])[0, 1] for x in X.T]
        assert_allclose(mca.column_coordinates_[:, r], correlations, atol=1e-9)
    frame = pd.DataFrame({"length": X[:, 0], "species": load_iris().y})
    mixed = MultipleCorrespondenceAnalysis().fit(frame)
    assert_allclose(mixed.total_inertia_, (1 + 2) / 2, rtol=1e-10)


def test_blocks_weights_and_units_of_a_mixed_table():
    X = np.asarray(load_iris().X)
    frame = pd.DataFrame({"length": X[:, 0], "species": load_iris().y})
    whole = MultipleCorrespondenceAnalysis().fit(frame)
    blocks = MultipleCorrespondenceAnalysis().fit_blocks([frame[:70], frame[70:]])
    assert_allclose(np.abs(blocks.transform(frame)), np.abs(whole.transform(frame)), atol=1e-9)
    large = MultipleCorrespondenceAnalysis().fit(frame.assign(length=frame["length"] * 1e150))
    assert_allclose(large.principal_inertias_, whole.principal_inertias_, rtol=1e-9)
    with pytest.raises(DegenerateError, match="at least 2 rows"):
        MultipleCorrespondenceAnalysis().fit(frame[:1])
