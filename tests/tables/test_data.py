"""Built-in data: the numbers that their sources state, and the ways to take a data set apart."""

import csv
from importlib.resources import files

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import datasets as bundled
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import train_test_split

from assay.bayes import GaussianNB
from assay.errors import ParameterError
from assay.tables import Design, Table
from assay.tables.data import (
    datasets,
    load_apples,
    load_breast_cancer,
    load_breast_cancer_ljubljana,
    load_charity_donors,
    load_colour_size,
    load_contact_lenses,
    load_cubic,
    load_dataset,
    load_diabetes,
    load_digits,
    load_german_credit,
    load_iris,
    load_linnerud,
    load_ranks,
    load_t5,
    load_transactions,
    load_weather,
    load_wine,
    load_xor,
)
from assay.tables.data.files import read_packaged
from assay.tables.readers import read_table


@pytest.mark.capability("C3-07")
def test_apples_are_those_of_the_table():
    """C3, Table 3-1; the marginals are those of Tables 3-2 to 3-5."""
    data = load_apples()
    assert data.shape == (10, 4)
    assert [c.kind for c in data.X.schema] == ["nominal", "nominal", "nominal", "numeric"]
    rows = [
        ("yellow", "round", "sweet", 190, "Fuji"),
        ("yellow-green", "oblate", "sour-sweet", 260, "Fuji"),
        ("green", "oblate", "sour-sweet", 150, "Guoguang"),
        ("yellow-green", "round", "sweet", 200, "Fuji"),
        ("green", "oblate", "sour-sweet", 210, "Guoguang"),
        ("yellow-green", "oblate", "sour-sweet", 170, "Guoguang"),
        ("yellow", "round", "sour-sweet", 200, "Fuji"),
        ("yellow-green", "oblate", "sour-sweet", 230, "Fuji"),
        ("green", "oblate", "sweet", 180, "Guoguang"),
        ("yellow-green", "oblate", "sour-sweet", 240, "Fuji"),
    ]
    columns = data.X.to_columns()
    assert list(columns) == ["colour", "shape", "taste", "weight"] and data.target_name == "variety"
    assert list(zip(*columns.values(), data.y.tolist())) == rows
    assert [set(c.categories) for c in data.X.schema if c.coded] == [
        {"yellow", "yellow-green", "green"}, {"round", "oblate"}, {"sweet", "sour-sweet"}
    ]  # fmt: skip


@pytest.mark.capability("C3-16")
def test_breast_cancer_names_its_classes_rightly_and_survives_csv(tmp_path):
    """Code 0 is malignant (212 rows), code 1 benign (357): the source swaps them."""
    data = load_breast_cancer()
    assert data.shape == (569, 30)
    assert data.classes == ("malignant", "benign")
    assert (data.y == "malignant").sum() == 212
    assert (data.y == "benign").sum() == 357
    assert_array_equal(data.codes, bundled.load_breast_cancer().target)

    path = tmp_path / "cancer.csv"
    data.frame("pandas").to_csv(path, index=False)
    with open(path, newline="") as file:
        header, *rows = list(csv.reader(file))
    assert header == [*data.feature_names, "diagnosis"]
    assert_array_equal(np.array([row[:-1] for row in rows], dtype=float), data.X.values)  # bit for bit
    assert_array_equal([row[-1] for row in rows], data.y)
    again = read_table(path, target="diagnosis")
    assert_array_equal(again.table.values, data.X.values)
    assert_array_equal(again.y, data.y)


@pytest.mark.capability("C3-17")
def test_split_gives_the_rows_of_the_book():
    data = load_breast_cancer()
    X_train, X_test, y_train, y_test = data.split(test_size=0.2, random_state=2020)
    assert (len(X_train), len(X_test)) == (455, 114)
    assert ((y_train == "malignant").sum(), (y_test == "malignant").sum()) == (164, 48)
    position = {row.tobytes(): i for i, row in enumerate(data.X.values)}  # no two rows are equal
    test = [position[row.tobytes()] for row in X_test.values]
    assert test[:5] == [236, 106, 284, 262, 356]
    assert sum(test) == 32440
    train = [position[row.tobytes()] for row in X_train.values]
    assert train[:5] == [215, 460, 540, 270, 357]


def test_scikit_learn_splits_a_table_and_reads_it():
    data = load_iris()
    X_train, X_test, y_train, y_test = train_test_split(data.X, data.y, test_size=30, random_state=0)
    assert isinstance(X_test, Table)
    assert X_test.shape == (30, 4)
    assert_array_equal(np.asarray(data.X), bundled.load_iris().data)
    assert GaussianNB().fit(X_train, y_train).score(X_test, y_test) > 0.9


def test_a_table_with_categories_is_no_array():
    with pytest.raises(ValueError, match=r"column 'colour' holds categories"):
        np.asarray(load_apples().X)


def test_stratified_split_keeps_the_class_shares():
    _, _, _, y_test = load_iris().split(test_size=30, random_state=1, stratify=True)
    assert np.unique(y_test, return_counts=True)[1].tolist() == [10, 10, 10]


@pytest.mark.capability("DC-01")
def test_charity_donors_satisfy_what_the_text_states():
    """P(Age > 50) = 6/11, P(Donor) = 6/11, P(Age > 50 | Donor) = 5/6, separable by Age/50 + Salary/50000 = 2."""
    data = load_charity_donors()
    age, salary = data.X.values.T
    donor = data.y == "Y"
    assert ((age > 50).sum(), donor.sum(), (age > 50)[donor].sum()) == (6, 6, 5)
    assert_array_equal(age / 50 + salary / 50000 > 2, donor)
    assert data.row_names[2] == "Allen"


@pytest.mark.capability("DC-02")
@pytest.mark.parametrize(
    ("algorithm", "area", "precision"),
    [("A", 441, 0.458333), ("B", 441, 0.306560), ("random", 267, 0.064920), ("oracle", 475, 1.0)],
)
def test_ranks_have_the_areas_of_the_book(algorithm, area, precision):
    data = load_ranks()
    score = -data.X.values[:, data.feature_names.index(algorithm)]
    assert_allclose(roc_auc_score(data.y == "positive", score), area / 475, rtol=1e-12)
    assert_allclose(average_precision_score(data.y == "positive", score), precision, atol=5e-7)
    assert sorted(-score) == list(range(1, 101))


@pytest.mark.capability("BC-24")
def test_xor_and_its_mapped_image():
    assert load_xor().X.values.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    mapped = load_xor(mapped=True)
    assert mapped.X.values.tolist() == [[-1, 1], [-1, -1], [1, -1], [1, 1]]
    assert_array_equal(np.sign(-mapped.X.values[:, 1]), mapped.y)  # separable by phi2 = 0


def test_iris_variants_differ_in_the_two_rows_only():
    fisher, uci = load_iris().X.values, load_iris(variant="uci").X.values
    assert_array_equal(np.flatnonzero((fisher != uci).any(axis=1)), [34, 37])
    assert_array_equal(uci[[34, 37]], [[4.9, 3.1, 1.5, 0.1]] * 2)
    assert_array_equal(fisher[[34, 37]], [[4.9, 3.1, 1.5, 0.2], [4.9, 3.6, 1.4, 0.1]])
    assert_array_equal(load_iris().X.values, fisher)  # one call does not change the next
    with pytest.raises(ParameterError, match="variant must be 'fisher' or 'uci', got 'weka'"):
        load_iris(variant="weka")


def test_moments_of_t5():
    """IML 5.2, all eleven points: mean, covariance with divisor n, correlation."""
    X = load_t5().X.values
    assert_allclose(X.mean(axis=0), [4.636364, 3.454545], atol=5e-7)
    S = np.cov(X.T, bias=True)
    assert_allclose(S, [[4.049587, 1.256198], [1.256198, 2.975207]], atol=5e-7)
    assert_allclose(np.corrcoef(X.T)[0, 1], 0.3619048, atol=5e-8)


def test_transactions_count_as_in_the_exercise():
    """IML exercise 3.7: milk and bananas 2, milk and chocolate 3, bananas and chocolate 1 of 6."""
    data = load_transactions()
    assert data.y is None
    assert (data.X.values.T @ data.X.values).tolist() == [[4, 2, 3], [2, 2, 1], [3, 1, 5]]
    with pytest.raises(ParameterError, match="no target"):
        data.split()
    with pytest.raises(ParameterError, match="no classes"):
        _ = data.codes


def test_weather_in_numbers_and_in_words():
    numeric, nominal = load_weather(), load_weather(numeric=False)
    assert_array_equal(numeric.y, nominal.y)
    assert numeric.X.to_columns()["outlook"] == nominal.X.to_columns()["outlook"]
    assert numeric.X.to_columns()["temperature"][:3] == [85, 80, 83]
    assert nominal.X.schema["temperature"].categories == ("hot", "mild", "cool")


def test_larger_data_have_their_known_shape():
    credit = load_german_credit()
    assert credit.shape == (1000, 20)
    assert (credit.y == "bad").sum() == 300
    assert credit.X.schema["credit_amount"].kind == "numeric"
    assert_allclose(credit.X.values[:, credit.X.schema.index("credit_amount")].mean(), 3271.258)
    assert "critical/other existing credit" in credit.X.schema["credit_history"].categories
    recurrence = load_breast_cancer_ljubljana()
    assert not recurrence.X.complete
    with_missing = dict(zip(recurrence.feature_names, np.isnan(recurrence.X.values).sum(axis=0)))
    assert (with_missing["node-caps"], with_missing["breast-quad"], sum(with_missing.values())) == (8, 1, 9)
    lenses = load_contact_lenses()
    assert len({tuple(row) for row in lenses.X.values}) == 24
    assert load_cubic().y.sum() == pytest.approx(-0.51)
    for ours, peer in [(load_wine(), bundled.load_wine()), (load_digits(), bundled.load_digits())]:
        assert_array_equal(ours.X.values, peer.data)
        assert_array_equal(ours.codes, peer.target)
    assert load_digits().y.dtype.kind == "i"


@pytest.mark.parametrize("name", list(datasets()))
def test_every_name_loads_and_says_what_it_is(name):
    data = load_dataset(name)
    assert data.X.complete == (not np.isnan(data.X.values).any())
    assert data.description
    assert data.source
    assert repr(data).startswith(f"{data.name}: {len(data)} row")
    assert data.y is None or len(data.y) == len(data)
    assert data.X.values.flags.c_contiguous


def test_an_unknown_name_lists_those_there_are():
    with pytest.raises(
        ParameterError, match=r"no built-in data set 'titanic'. There are: apples, breast_cancer"
    ):
        load_dataset("titanic")
    assert load_dataset("Contact-Lenses").name == "contact_lenses"


PACKAGED = sorted(files("assay.tables.data").joinpath("packaged").iterdir())


@pytest.mark.parametrize("path", PACKAGED, ids=lambda path: path.name)
def test_the_general_reader_sees_the_same_in_a_packaged_file(path):
    table, strings = read_packaged(path.name.removesuffix(".arff"))
    general = read_table(path).table
    kept = [j for j, name in enumerate(general.schema.names) if name not in strings]
    assert [general.schema[j] for j in kept] == list(table.schema)
    assert_array_equal(general.values[:, kept], table.values)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", ["apples", "breast_cancer_ljubljana", "german_credit"])
def test_a_frame_of_any_library_is_the_same_table(name, library):
    data = load_dataset(name)
    frame = data.frame(library, target=False)
    assert_array_equal(Table.like(frame, data.X.schema).values, data.X.values)
    assert Table.of(frame).schema == data.X.schema


def test_an_unknown_library_is_an_error():
    with pytest.raises(ParameterError, match="library must be one of pandas, polars, pyarrow, got 'excel'"):
        load_apples().frame("excel")


@pytest.mark.capability("IML-5-25")
def test_one_indicator_of_each_attribute_is_one():
    table = load_colour_size().X
    design = Design(table.schema)
    assert design.names == ["colour=blue", "colour=green", "colour=red", "size=L", "size=S"]
    Z = design.expand(table.values)
    assert_array_equal(Z[:, :3].sum(axis=1), np.ones(7))
    assert_array_equal(Z[:, 3:].sum(axis=1), np.ones(7))
    assert Z[0].tolist() == [0, 0, 1, 0, 1]  # red, S


def test_diabetes_and_linnerud_have_the_numbers_as_measured():
    """Source: scikit-learn's copies; the first patient is 59 years old with a body mass index of 32.1."""
    data = load_diabetes()
    raw = bundled.load_diabetes(scaled=False)
    assert data.X.row(0)["age"] == 59 and data.X.row(0)["bmi"] == 32.1 and data.X.row(0)["sex"] == "2"
    assert_array_equal(np.delete(data.X.values, 1, axis=1), np.delete(raw.data, 1, axis=1))
    assert_array_equal(data.y, raw.target)
    for target in ("Weight", "Waist", "Pulse"):
        men = load_linnerud(target)
        assert men.shape == (20, 3) and men.target_name == target
        assert_array_equal(
            men.y, bundled.load_linnerud().target[:, ["Weight", "Waist", "Pulse"].index(target)]
        )
    with pytest.raises(ParameterError, match="target must be one of Weight, Waist, Pulse"):
        load_linnerud("Chins")


def test_another_column_becomes_the_target():
    iris = load_dataset("iris")
    lengths = iris.with_target("sepal length (cm)")
    assert lengths.feature_names == [*iris.feature_names[1:], "species"] and lengths.classes == ()
    np.testing.assert_array_equal(lengths.y, iris.X.values[:, 0])
    back = lengths.with_target("species")
    assert back.classes == iris.classes and (back.y == iris.y).all()
    assert back.feature_names == [*iris.feature_names[1:], "sepal length (cm)"]
    with pytest.raises(ParameterError, match="no column 'sepal'"):
        iris.with_target("sepal")
