import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB as StrangersBayes

from assay import compare, load, save
from assay.bayes import GaussianNB, MultinomialNB, NaiveBayes
from assay.ensembles import StackingClassifier, VotingClassifier, view_tables
from assay.errors import DataError, ParameterError, SchemaError, SchemaWarning

X, y = load_iris(return_X_y=True)
MEMBERS = [("sepals", GaussianNB()), ("petals", NaiveBayes())]


def two_tables(rows=slice(None)):
    petals = pd.DataFrame({"length": X[rows, 2], "wide": np.where(X[rows, 3] > 1, "yes", "no")})
    petals.loc[petals.index[3], "length"] = np.nan
    return {"sepal": X[rows, :2], "petal": petals}


@pytest.mark.capability("IML-17-02")
def test_each_member_has_a_table_of_its_own(tmp_path):
    """Oracle: the mean of the posteriors of two models, each fitted to one table."""
    table, columns = view_tables(two_tables())
    assert columns == {"sepal": ["sepal x0", "sepal x1"], "petal": ["petal length", "petal wide"]}
    views = {"sepals": columns["sepal"], "petals": columns["petal"]}
    model = VotingClassifier(MEMBERS, voting="soft", views=views).fit(table, y)
    tables = two_tables()
    parts = [GaussianNB().fit(tables["sepal"], y), NaiveBayes().fit(tables["petal"], y)]
    expected = np.mean([m.predict_proba(t) for m, t in zip(parts, tables.values())], axis=0)
    assert_allclose(model.predict_proba(table), expected, rtol=1e-9)
    some = view_tables(two_tables(slice(0, 40)))[
        0
    ]  # of which no row is wide: the categories are those of training
    assert_allclose(model.predict_proba(some)[4:], expected[4:40], rtol=1e-9)
    save(model, tmp_path / "m.assay")
    assert_array_equal(load(tmp_path / "m.assay").predict_proba(table), model.predict_proba(table))
    result = compare(
        {"both": StackingClassifier(MEMBERS, views=views), "one": "naive bayes"}, table, y, design="3-fold"
    )
    assert result.failures == {}


def test_unseen_categories_of_new_tables_are_missing():
    table, columns = view_tables(two_tables())
    model = NaiveBayes().fit(table, y)
    new = two_tables()
    new["petal"]["wide"] = "perhaps"
    with pytest.warns(SchemaWarning, match="petal wide"):
        assert np.isfinite(model.predict_proba(view_tables(new)[0])).all()


def test_sparse_tables_and_members_of_scikit_learn():
    counts = csr_array(np.eye(3, dtype=float)[y])
    table, columns = view_tables({"words": counts, "sepal": np.abs(X[:, :2])})
    assert hasattr(table.values, "tocsr") and table.shape == (150, 5)
    model = VotingClassifier([("a", MultinomialNB()), ("b", MultinomialNB())], views={"a": columns["words"]})
    assert model.fit(table, y).score(table, y) > 0.9
    dense, columns = view_tables({"sepal": X[:, :2], "petal": X[:, 2:]})
    strange = VotingClassifier([("a", StrangersBayes()), ("b", GaussianNB())], voting="soft",
                               views={"a": columns["petal"], "b": columns["sepal"]}).fit(dense, y)  # fmt: skip
    assert strange.score(dense, y) > 0.9
    turned, _ = view_tables({"petal": X[:, 2:], "sepal": X[:, :2]})
    assert_array_equal(strange.predict_proba(turned), strange.predict_proba(dense))
    with pytest.raises(SchemaError, match="'leaf x0' is in one of them alone"):
        strange.predict(view_tables({"sepal": X[:, :2], "leaf": X[:, 2:]})[0])


@pytest.mark.parametrize(
    ("tables", "error", "words"),
    [
        ({}, ParameterError, "a dict of names to tables is needed"),
        ([X], ParameterError, "a dict of names"),
        ({"a": X, "b": X[:10]}, DataError, "'a' has 150 and 'b' 10"),
        ({"a": X, "b": np.full((150, 1), np.inf)}, ValueError, "infinity"),
    ],
)
def test_what_cannot_stand_side_by_side_is_refused(tables, error, words):
    with pytest.raises(error, match=words):
        view_tables(tables)
