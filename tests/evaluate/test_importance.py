"""Permutation importance: against scikit-learn's, against exact values, with intervals that cover."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.inspection import permutation_importance as peer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from assay import compare
from assay.bayes import GaussianNB, NaiveBayes
from assay.errors import DataError, ParameterError
from assay.evaluate import permutation_importance
from assay.evaluate.importance import _other_rows
from assay.tables.data import load_breast_cancer, load_iris


def rows(n=200, seed=0):
    """One column that is the class with noise, one that is noise, one constant."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return pd.DataFrame(
        {"signal": y + rng.normal(size=n), "noise": rng.normal(size=n), "same": np.ones(n)}
    ), y


def test_every_row_gets_the_value_of_another_row_and_a_new_one_each_time():
    for n in (2, 3, 6, 50):
        orders = _other_rows(n, n - 1, np.random.default_rng(0))
        assert (np.sort(orders, axis=1) == np.arange(n)).all()  # permutations
        assert (
            np.sort(orders.T, axis=1) == [np.delete(np.arange(n), i) for i in range(n)]
        ).all()  # all others once
    assert _other_rows(3, 5, np.random.default_rng(0)).shape == (5, 3)


def test_with_all_repeats_it_is_the_exact_mean_over_all_pairs_of_rows():
    """Oracle: for each row, the error with the value of every other row in its place."""
    X, y = rows(12)
    model = GaussianNB().fit(*rows(60, seed=1))
    found = permutation_importance(model, X, y, n_repeats=11)
    base = np.mean(model.predict(X) != y)
    for j, name in enumerate(X):
        wrong = []
        for i in range(12):
            for k in set(range(12)) - {i}:
                row = X.iloc[[i]].copy()
                row[name] = X[name].iloc[k]
                wrong.append(model.predict(row)[0] != y[i])
        assert found.importances_mean[j] == pytest.approx(np.mean(wrong) - base, abs=1e-12)


@pytest.mark.parametrize(
    ("scoring", "ours"), [("accuracy", "accuracy"), ("roc_auc", "auc"), ("neg_log_loss", "log-loss")]
)
def test_as_scikit_learn_up_to_the_chance_of_the_permutations(scoring, ours):
    """Peer: sklearn.inspection.permutation_importance, 1.9. Ours never gives a row its own value back: n/(n-1) more."""
    X, y = load_breast_cancer()
    X, y = X.values[:, :6], (np.asarray(y) == "malignant").astype(int)
    model = LogisticRegression(max_iter=5000).fit(X[::2], y[::2])
    theirs = peer(model, X[1::2], y[1::2], scoring=scoring, n_repeats=20, random_state=0)
    ours = permutation_importance(model, X[1::2], y[1::2], scoring=ours, n_repeats=20)
    assert ours.importances.shape == theirs.importances.shape and set(ours.keys()) == set(theirs)
    error = (theirs.importances_std + ours.importances_std) / np.sqrt(20)
    assert (np.abs(ours["importances_mean"] - theirs["importances_mean"]) <= 5 * error + 1e-12).all()


def test_on_held_out_rows_noise_does_not_matter_however_well_it_was_learned():
    """A tree grown to the end knows its training rows by heart: on them noise matters, on others it does not."""
    X, y = rows(300)
    tree = DecisionTreeClassifier(random_state=0)
    by_heart = permutation_importance(tree.fit(X, y), X, y)
    assert by_heart.matters == ["signal", "noise"]
    held_out = permutation_importance(DecisionTreeClassifier(random_state=0), X, y, design="10-fold")
    assert held_out.matters == ["signal"] and held_out.low[1] < 0 < held_out.high[0]
    assert held_out.importances_mean[2] == held_out.low[2] == held_out.high[2] == 0 and held_out.p[2] == 1


def test_intervals_over_folds_cover_what_other_rows_show():
    """40 tables of 80 rows: the interval holds the importance measured on 5,000 rows, for a model of such tables."""
    fresh, labels = rows(5_000, seed=99)
    inside = 0
    for seed in range(40):
        X, y = rows(80, seed=seed)
        found = permutation_importance(GaussianNB(), X[["signal"]], y, design="10-fold", n_repeats=3)
        truth = permutation_importance(
            GaussianNB().fit(X[["signal"]], y), fresh[["signal"]], labels, n_repeats=1
        )
        inside += found.low[0] <= truth.importances_mean[0] <= found.high[0]
    assert inside >= 35  # of 40 at 95 %: fewer than 35 has probability 0.003


def test_the_interval_of_given_rows_shrinks_with_their_root():
    X, y = rows(4000)
    model = GaussianNB().fit(*rows(500, seed=3))
    wide = permutation_importance(model, X[:250], y[:250])
    narrow = permutation_importance(model, X, y)
    ratio = (wide.high - wide.low)[0] / (narrow.high - narrow.low)[0]
    assert 3.0 < ratio < 5.3  # about 4


def test_nominal_columns_are_exchanged_whole():
    rng = np.random.default_rng(0)
    town = rng.choice(list("abcd"), 300)
    X = pd.DataFrame({"town": town, "age": rng.normal(size=300)})
    y = np.isin(town, ["a", "c"])
    found = permutation_importance("logistic", X, y, design="5-fold")
    assert found.names == ["town", "age"] and found.matters == ["town"]
    assert found.importances_mean[0] == pytest.approx(0.5, abs=0.07)
    pipeline = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    own = permutation_importance(pipeline, X[["town"]], y, design="5-fold")
    assert own.importances_mean[0] == pytest.approx(0.5, abs=0.07)


@pytest.mark.parametrize(
    "kind", [pd.DataFrame, np.asarray, lambda X: pl.from_pandas(X), lambda X: X.to_numpy().tolist()]
)
def test_any_kind_of_table_gives_the_same(kind):
    X, y = rows(60)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    wanted = permutation_importance(pipeline, X.to_numpy(), y, design="3-fold")
    found = permutation_importance(pipeline, kind(X), y, design="3-fold")
    np.testing.assert_allclose(found.importances, wanted.importances, atol=1e-12)


def test_sparse_tables():
    from scipy.sparse import csr_matrix

    X, y = rows(60)
    model = LogisticRegression().fit(X.to_numpy(), y)
    dense = permutation_importance(model, X.to_numpy(), y)
    sparse = permutation_importance(model, csr_matrix(X.to_numpy()), y)
    np.testing.assert_allclose(sparse.importances, dense.importances, atol=1e-12)


def test_of_a_comparison_it_is_on_its_splits_and_begins_at_its_table():
    result = compare(["lda", "majority"], load_iris(), design="2x5", metrics=["error", "auc"])
    found = result.importance()
    assert found.learner == "lda" and found.baseline == result.ranking()[0].mean
    again = permutation_importance("lda", load_iris(), design="5-fold")
    np.testing.assert_array_equal(found.importances, again.importances)
    assert result.importance(metric="auc").baseline == result.ranking("auc")[0].mean
    few = result.importance(splits=3, n_repeats=2)
    assert few.by_split.shape == (4, 3) and "3 splits of 2x5" in few.how and "exchanged 2 times" in few.how
    nothing = result.importance("majority")
    assert nothing.matters == [] and (nothing.importances_mean == 0).all()
    one = compare(["lda"], load_iris(), design="holdout").importance()
    assert "resampling the rows" in one.how and one.low[2] > 0


def test_it_is_told_as_text_as_a_table_and_as_a_picture():
    found = permutation_importance("lda", load_iris(), design="5-fold")
    assert str(found).splitlines()[2].split()[:2] == ["petal", "length"]
    assert found.to_frame().columns.tolist() == ["column", "importance", "low", "high", "p"]
    assert "<td>petal length (cm)</td>" in found._repr_html_()
    assert found.to_dict()["columns"][0]["column"] == "petal length (cm)"
    display = found.plot()
    assert display.ends.shape == (4, 2) and "loss in error" in display.ax_.get_xlabel()


def test_what_is_refused():
    X, y = rows(40)
    with pytest.raises(ParameterError, match="n_repeats must be a whole number from 1"):
        permutation_importance(GaussianNB(), X, y, n_repeats=0)
    with pytest.raises(ParameterError, match="cost would need costs"):
        permutation_importance(GaussianNB(), X, y, scoring="cost")
    with pytest.raises(ParameterError, match="max_samples"):
        permutation_importance(GaussianNB().fit(X, y), X, y, max_samples=1.5)
    with pytest.raises(DataError, match="'c' is none of those"):
        permutation_importance(NaiveBayes().fit(X, np.where(y, "a", "b")), X, np.where(y, "a", "c"))
