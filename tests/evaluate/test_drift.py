"""Drift: which columns, how much, and what single columns do not show."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2_contingency, fisher_exact, ks_2samp

from assay.errors import AssayError, ParameterError
from assay.evaluate import drift
from assay.tables.data import load_german_credit


def mixed(n, seed, *, shift=0.0, tilt=0.0, lost=0.02):
    rng = np.random.default_rng(seed)
    income = rng.lognormal(size=n) + shift
    income[rng.random(n) < lost] = np.nan
    city = rng.choice(["bonn", "kiel", "ulm"], n, p=[0.5 - tilt, 0.3, 0.2 + tilt])
    return pd.DataFrame({"income": income, "city": city, "age": rng.normal(40, 10, n)})


def by_name(result):
    return {(c.column, c.what): c for c in result.columns}


def test_each_kind_of_drift_is_found_and_the_numbers_are_those_of_the_tests():
    a, b = mixed(800, 0), mixed(500, 1, shift=0.4, tilt=0.2, lost=0.15)
    result = drift(a, b)
    tests = by_name(result)
    ks = ks_2samp(a.income.dropna(), b.income.dropna(), method="auto")
    assert_allclose(tests["income", "values"].effect, ks.statistic)
    assert_allclose(tests["income", "values"].p, ks.pvalue)
    counts = [[(t.city == c).sum() for c in ("bonn", "kiel", "ulm")] for t in (a, b)]
    chi2, p, *_ = chi2_contingency(counts, correction=False)
    assert_allclose(tests["city", "values"].p, p)
    assert_allclose(tests["city", "values"].effect, np.sqrt(chi2 / 1300))
    gaps = [[t.income.isna().sum(), t.income.notna().sum()] for t in (a, b)]
    assert_allclose(tests["income", "missing values"].p, fisher_exact(gaps)[1])
    assert_allclose(tests["income", "missing values"].effect, gaps[1][0] / 500 - gaps[0][0] / 800)
    assert {c.column for c in result.drifted} == {"income", "city"}  # age has not drifted
    assert [c.p for c in result.columns] == sorted(c.p for c in result.columns)
    smallest = result.columns[0]
    assert_allclose(smallest.adjusted, min(1, 4 * smallest.p))  # Holm: four tests
    assert result.found and result.low > 0.5 and result.low < result.auc < result.high
    assert "city" in result.sentence() and "better than chance" in result.sentence()
    assert len(result.to_frame()) == 4 and "Kolmogorov-Smirnov" in str(result)


def test_rows_of_the_same_kind_have_not_drifted():
    """30 pairs of tables of the same kind: at level 0.05, 7 false alarms or more have probability 0.002."""
    results = [drift(mixed(200, 2 * seed), mixed(150, 2 * seed + 1), random_state=seed) for seed in range(30)]
    assert sum(bool(r.drifted) for r in results) < 7
    assert sum(r.low > 0.5 or r.high < 0.5 for r in results) < 7
    calm = next(r for r in results if not r.drifted)
    assert calm.sentence().startswith(
        "No column is shown to differ between 200 training rows and 150 new rows"
    )


def test_false_alarms_are_as_rare_as_the_level_says():
    """Holm over 40 columns: of 100 tables of the same kind about 5 may show drift; 12 would be odd (p < 0.005)."""
    rng = np.random.default_rng(0)
    alarms = sum(
        bool(drift(rng.normal(size=(60, 40)), rng.normal(size=(50, 40)), classifier=False).drifted)
        for _ in range(100)
    )
    assert alarms < 12


def test_a_correlation_that_has_gone_is_seen_by_all_columns_together_only():
    rng = np.random.default_rng(0)
    x = rng.normal(size=1500)
    a = np.column_stack((x, x + 0.3 * rng.normal(size=1500)))
    b = np.column_stack((a[:, 0], rng.permutation(a[:, 1])))
    result = drift(a, b)
    assert not result.drifted and result.low > 0.7 and result.found


def test_new_categories_are_named_and_rare_ones_counted_together():
    a = pd.DataFrame({"c": ["u"] * 50 + ["v"] * 50 + [f"rare{i}" for i in range(20)]})
    b = pd.DataFrame({"c": ["u"] * 20 + ["v"] * 20 + ["w"] * 60})
    only = drift(a, b).columns[0]
    assert only.note == "not in training: w" and only.adjusted < 1e-6 and only.effect > 0.4
    same = drift(a, a.iloc[::-1]).columns[0]
    assert same.p == 1 and same.effect == 0


def test_few_rows_constants_and_empty_columns():
    a = pd.DataFrame({"one": [1.0] * 5, "none": [np.nan] * 5, "t": list("aaaaa")})
    result = drift(a, a)
    assert np.isnan(result.auc) and not result.found and "AUC" not in result.sentence()
    assert all(c.p == 1 for c in result.columns)
    assert str(drift(np.zeros((30, 1)), np.zeros((30, 1)))).startswith("No column is shown to differ")
    assert "between 5 training rows and 1 new row." in drift(a, a.iloc[:1]).sentence()


def test_large_tables_are_drawn_from_and_faults_are_said():
    rng = np.random.default_rng(0)
    result = drift(rng.normal(size=(5000, 2)), rng.normal(size=(4000, 2)) + 1, most=300, random_state=1)
    assert result.rows == (5000, 4000) and len(result.drifted) == 2
    again = drift(rng.normal(size=(5000, 2)), rng.normal(size=(4000, 2)), most=300, random_state=1)
    assert not again.drifted
    with pytest.raises(ParameterError, match="alpha must be a number between 0 and 1"):
        drift([[1.0]], [[1.0]], alpha=0)
    with pytest.raises(AssayError):
        drift(pd.DataFrame({"a": [1.0]}), pd.DataFrame({"b": [1.0]}))


def test_on_real_rows_split_by_a_column():
    data = load_german_credit()
    frame = data.X.to_pandas() if hasattr(data.X, "to_pandas") else pd.DataFrame(data.X.to_columns())
    name = frame.columns[1]
    order = frame[name].rank(method="first")
    result = drift(frame[order <= 500], frame[order > 500])
    assert result.columns[0].column == name and result.auc > 0.95
