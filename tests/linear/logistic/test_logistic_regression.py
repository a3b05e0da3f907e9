"""Logistic regression: exact optima of the books, the peer on real tables, rows from anywhere, hard data."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from scipy.special import expit
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.metrics import (
    f1_score,
    precision_recall_curve,
    precision_score,
    recall_score,
    roc_curve,
)
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.prepare import MinMaxScaler, StandardScaler
from assay.tables.data import (
    load_breast_cancer,
    load_charity_donors,
    load_digits,
    load_german_credit,
    load_iris,
    load_wine,
)

EXACT = {"tol": 1e-11, "max_iter": 1000}


def numbers(dataset):
    return dataset.X.values, dataset.codes


def iris_pair():
    """Versicolor 0 and virginica 1."""
    X, y = numbers(load_iris())
    return X[50:], y[50:] - 1


def cancer():
    """C3: the table split in a fixed way, standardised over all rows."""
    X, y = numbers(load_breast_cancer())
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    train, test = train_test_split(np.arange(569), test_size=0.2, random_state=2020)
    return X, Z, y, train, test


# --- exact optima of the books


@pytest.mark.capability("C3-20", "BC-32")
def test_newton_on_two_irises_step_by_step():
    """Oracle: BC 5.3.1 and C3 3.1.3, unpenalised, zero start: the summed losses of all steps, and the end."""
    X, y = iris_pair()
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", **EXACT).fit(X, y)
    losses = [100 * record.value for record in model.history_]
    assert_allclose(losses[0], 100 * np.log(2), rtol=1e-12)
    printed = [23.823339, 13.705390, 9.327501, 7.329964, 6.426563, 6.055805, 5.957368, 5.949335, 5.949273]
    assert_allclose(losses[1:10], printed, atol=6e-7)
    assert_allclose(model.intercept_, [-42.63780381], atol=5e-8)
    assert_allclose(model.coef_, [[-2.4652202, -6.68088701, 9.42938515, 18.28613689]], atol=5e-8)
    assert (model.predict(X) != y).sum() == 2
    first = LogisticRegression(C=np.inf, solver="newton-cholesky", max_iter=1)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        first.fit(X, y)
    assert_allclose(first.coef_, [[-0.784238, -1.230201, 1.537058, 2.731379]], atol=5e-7)
    assert_allclose(first.intercept_, [-3.674555], atol=5e-7)


@pytest.mark.capability("IML-10-13", "LS-01")
def test_six_points_that_overlap():
    """Oracle: IML 10.7.1; hard class, score and probability agree about the half."""
    x, r = np.arange(6.0)[:, None], np.array([0, 0, 1, 0, 1, 1])
    model = LogisticRegression(C=np.inf, **EXACT).fit(x, r)
    assert_allclose([model.intercept_[0], model.coef_[0, 0]], [-3.035069, 1.214028], atol=5e-7)
    assert_allclose(6 * model.history_[-1].value, 2.477987, atol=5e-7)
    p = model.predict_proba(x)[:, 1]
    assert_allclose(p, [0.045866, 0.139309, 0.352741, 0.647259, 0.860691, 0.954134], atol=5e-7)
    assert_allclose(p, expit(model.decision_function(x)), rtol=1e-12)
    assert ((p > 0.5) == (model.decision_function(x) > 0)).all()
    assert (model.predict(x) == (p > 0.5)).all()


@pytest.mark.capability("LS-14")
def test_a_record_has_a_risk_beside_its_answer():
    """LS-3: the heart record (age 40, male, 130/85, cholesterol 240, weight 70) among rows whose risk is known.

    Persons fall ill with a probability that is logistic in their columns, and 80 % for the record: the hard
    answer is yes, the soft one about 80 %, and the cut at 0.5 is the sign of the score.
    """
    rng = np.random.default_rng(0)
    record = {"age": 40, "sex": "male", "systolic": 130, "diastolic": 85, "cholesterol": 240, "weight": 70}
    n = 5000
    people = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "sex": rng.choice(["female", "male"], n),
            "systolic": rng.normal(125, 15, n).round(),
            "diastolic": rng.normal(80, 10, n).round(),
            "cholesterol": rng.normal(200, 35, n).round(),
            "weight": rng.normal(72, 12, n).round(),
        }
    )

    def score(row):
        return (
            0.04 * (row["age"] - 40)
            + 0.5 * (row["sex"] == "male")
            + 0.02 * (row["systolic"] - 130)
            + 0.015 * (row["cholesterol"] - 240)
            + np.log(4)
            - 0.5
        )

    one = pd.DataFrame([record])
    assert_allclose(expit(score(one)), [0.8])
    ill = np.where(rng.random(n) < expit(score(people)), "yes", "no")
    model = LogisticRegression(C=np.inf, max_iter=1000).fit(people, ill)
    risk = model.predict_proba(one)[0, 1]
    assert model.predict(one).tolist() == ["yes"] and abs(risk - 0.8) < 0.03
    soft = model.predict_proba(people)[:, 1]
    assert ((soft > 0.5) == (model.predict(people) == "yes")).all()
    assert_allclose(soft.mean(), (ill == "yes").mean(), atol=1e-6)  # risks add up to the number of the ill
    assert model.explain(one).answer == "yes"


@pytest.mark.capability("BC-39")
def test_softmax_of_three_irises():
    """Oracle: BC 5.3.2, lambda 1, free biases."""
    X, y = numbers(load_iris())
    expected = np.array(
        [
            [9.849568, -0.423510, 0.967351, -2.517152, -1.079337],
            [2.237206, 0.534462, -0.321588, -0.206392, -0.944298],
            [-12.086774, -0.110952, -0.645763, 2.723544, 2.023635],
        ]
    )
    for solver in ("lbfgs", "newton-cholesky"):
        model = LogisticRegression(solver=solver, **EXACT).fit(X, y)
        assert_allclose(np.column_stack((model.intercept_, model.coef_)), expected, atol=6e-7)
        assert_allclose(150 * model.history_[-1].value, 28.886317, atol=5e-7)
        assert (model.predict(X) == y).sum() == 146
    # the slope of the intercepts is the sum of posterior minus one-hot target, which vanishes
    assert_allclose((model.predict_proba(X) - np.eye(3)[y]).sum(axis=0), 0, atol=1e-8)


@pytest.mark.capability("BC-58")
def test_forty_to_learn_and_ten_to_test():
    """Oracle: BC exercise 8, the first 40 and last 10 rows of each class."""
    X, y = numbers(load_iris())
    train = np.concatenate([np.arange(50 * k, 50 * k + 40) for k in range(3)])
    test = np.setdiff1d(np.arange(150), train)
    two, last = train[train >= 50], test[test >= 50]
    model = LogisticRegression(C=np.inf, **EXACT).fit(X[two], y[two])
    assert_allclose(
        np.append(model.intercept_, model.coef_),
        [-41.786329, -2.413188, -6.606271, 9.246223, 17.991141],
        atol=6e-7,
    )
    assert_allclose(80 * model.history_[-1].value, 5.923025, atol=5e-7)
    assert model.score(X[two], y[two]) == 78 / 80 and model.score(X[last], y[last]) == 1
    three = LogisticRegression(**EXACT).fit(X[train], y[train])
    assert_allclose(120 * three.history_[-1].value, 26.048381, atol=5e-7)
    assert three.score(X[train], y[train]) == 117 / 120 and three.score(X[test], y[test]) == 1


@pytest.mark.capability("DC-73", "BC-34")
def test_charity_with_a_ridge():
    """Oracle: DC 10.5.2.1, Age / 50 and Salary / 50000, lambda 1, free bias; and the slope without the ridge at 0."""
    data = load_charity_donors()
    X, y = data.X.values / [50, 50_000], data.y
    model = LogisticRegression(**EXACT).fit(X, y)
    assert_allclose(np.append(model.intercept_, model.coef_), [-1.564888, 0.697009, 1.066176], atol=6e-7)
    assert_allclose(11 * model.history_[-1].value, 6.516323, atol=5e-7)
    assert_allclose(11 * model.history_[0].value, 7.624619, atol=5e-7)
    assert (model.predict(X) == y).sum() == 10
    bar = np.column_stack((np.ones(11), X))
    assert_allclose(((y == "Y") - 0.5) @ bar, [0.5, 1.38, 1.92], atol=1e-12)
    # stationary: the gradient of the loss is the pull of the penalty, of the bias too if it is penalised
    for penalised in (False, True):
        fit = LogisticRegression(C=0.5, penalize_intercept=penalised, **EXACT).fit(X, y)
        pull = ((y == "Y") - fit.predict_proba(X)[:, 1]) @ bar
        assert_allclose(pull, 2 * np.append(fit.intercept_ * penalised, fit.coef_), atol=1e-9)


CANCER_WEIGHTS = [
    -0.583352014, -0.4239914626, -0.5484847286, -0.5810074739, -0.0485014482, 0.3225805178, -0.8332289588,
    -1.0042124064, -0.2594313077, 0.5142470528, -1.2105032482, 0.4742400559, -0.4874269594, -0.8770406197,
    -0.4544547464, 0.8534927405, 0.0195663297, -0.2930109179, 0.4657379255, 0.6613049047, -0.9754986941,
    -1.455979032, -0.6888071559, -0.8562948281, -0.6133361136, -0.1501430778, -0.6367601905, -0.8975059237,
    -0.9699745778, -0.6471142252,
]  # fmt: skip


@pytest.mark.capability("C3-22")
def test_cancer_with_a_ridge_exactly():
    """Oracle: C3 3.1.3, standardised training part, C = 1, free intercept."""
    _, Z, y, train, test = cancer()
    model = LogisticRegression(**EXACT).fit(Z[train], y[train])
    assert_allclose(model.coef_[0], CANCER_WEIGHTS, atol=1e-9)
    assert_allclose(model.intercept_, [0.27923897], atol=1e-8)
    assert_allclose(455 * model.history_[-1].value, 27.827393035, atol=1e-8)
    loss = 455 * model.history_[-1].value - 0.5 * (model.coef_**2).sum()
    assert_allclose(loss, 20.367246606, atol=1e-7)
    posterior = model.predict_proba(Z[test][:5])[:, 1]
    assert_allclose(
        posterior, [3.42873498e-13, 0.917708168, 0.999778157, 0.00158657311, 0.978643162], rtol=1e-7
    )


# --- the master table of C3


@pytest.mark.capability("C3-22")
def test_master_table_rows_2_7_8_9():
    _, Z, y, train, test = cancer()
    with pytest.warns(FutureWarning, match="penalty"):
        model = LogisticRegression(penalty="l2", C=1.0, random_state=2020).fit(Z[train], y[train])
    assert model.score(Z[train], y[train]) == 0.989010989010989
    assert model.score(Z[test], y[test]) == 0.9736842105263158
    answer, posterior = model.predict(Z[test]), model.predict_proba(Z[test])[:, 1]
    assert precision_score(y[test], answer) == 0.9846153846153847
    assert recall_score(y[test], answer) == 0.9696969696969697
    assert f1_score(y[test], answer) == pytest.approx(0.9770992366412214, abs=1e-15)
    precision, recall, thresholds = precision_recall_curve(y[test], posterior)
    assert (len(precision), len(recall), len(thresholds)) == (115, 115, 114)
    full = int((recall == 1).sum()) - 1  # the printed arrays begin where the recall is first full
    assert (len(precision) - full, len(thresholds) - full) == (69, 68)
    assert [len(a) for a in roc_curve(y[test], posterior)] == [8, 8, 8]
    assert len(roc_curve(y[test], posterior, drop_intermediate=False)[0]) == 115
    assert model.predict(Z[test][:2]).tolist() == [0, 1]


@pytest.mark.capability("C3-22")
def test_master_table_row_11_needs_a_penalised_intercept():
    _, Z, y, train, test = cancer()
    pca = PCA(5).fit(Z[train])
    A, B = pca.transform(Z[train]), pca.transform(Z[test])
    free = LogisticRegression(**EXACT).fit(A, y[train])
    penalised = LogisticRegression(penalize_intercept=True, **EXACT).fit(A, y[train])
    as_liblinear = LogisticRegression(solver="liblinear", **EXACT).fit(A, y[train])
    for model, errors in ((free, 2), (penalised, 3), (as_liblinear, 3)):
        assert (model.predict(A) != y[train]).sum() == 10
        assert (model.predict(B) != y[test]).sum() == errors
    assert_allclose(penalised.coef_, as_liblinear.coef_, rtol=1e-9)
    assert abs(free.predict_proba(B)[87, 1] - 0.5) < 0.004  # one row decides


@pytest.mark.capability("C3-18", "IML-10-26")
def test_scaling_learned_from_the_training_part_alone():
    """Oracle: C3 set-up. Row 236 and 106 standardised over all rows; leak-free: the same accuracies for z-scores.

    The scaler keeps what it learned: test rows are moved by the training part's mean and scale.
    """
    X, _, y, train, test = cancer()
    Z = StandardScaler().fit_transform(X)
    assert test[:5].tolist() == [236, 106, 284, 262, 356]
    assert_allclose(Z[236, :4], [2.57961809, 1.78726935, 2.53447284, 2.88707955], atol=5e-9)
    assert_allclose(Z[106, -3:], [0.10953674, -0.15329395, 0.38925083], atol=5e-9)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[train], y[train])
    assert_allclose(
        model[0].transform(X[test]),
        (X[test] - X[train].mean(axis=0)) / X[train].std(axis=0),
        rtol=1e-9,
        atol=1e-9,
    )
    assert_allclose(
        [model.score(X[train], y[train]), model.score(X[test], y[test])], [0.98901, 0.97368], atol=5e-6
    )
    small = make_pipeline(MinMaxScaler(), LogisticRegression()).fit(X[train], y[train])
    assert_allclose(
        [small.score(X[train], y[train]), small.score(X[test], y[test])], [0.969231, 0.956140], atol=5e-7
    )


@pytest.mark.capability("C3-26")
def test_softmax_of_standardised_irises():
    """Oracle: C3 3.5, iris standardised, split with state 2020: weights, accuracies, confusion; and unscaled."""
    X, y = numbers(load_iris())
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    train, test = train_test_split(np.arange(150), test_size=0.2, random_state=2020)
    model = LogisticRegression(**EXACT).fit(Z[train], y[train])
    weights = [
        [-0.98184327, 1.13506913, -1.62636968, -1.5894316],
        [0.42278012, -0.72899825, -0.15284391, -0.91509395],
        [0.55906315, -0.40607088, 1.77921359, 2.50452555],
    ]
    assert_allclose(model.coef_, weights, atol=5e-8)
    assert_allclose(model.intercept_, [-0.2007735, 1.74556803, -1.54479453], atol=5e-8)
    assert_allclose(
        [model.score(Z[train], y[train]), model.score(Z[test], y[test])], [0.9916667, 0.8], atol=5e-8
    )
    answer = model.predict(Z[test])
    confusion = [[9, 1, 0], [0, 8, 2], [0, 3, 7]]
    assert [[int(((y[test] == j) & (answer == k)).sum()) for k in range(3)] for j in range(3)] == confusion
    assert sorted(test[answer != y[test]]) == [41, 70, 77, 106, 119, 134]
    raw = LogisticRegression(**EXACT).fit(X[train], y[train])
    assert_allclose(
        [raw.score(X[train], y[train]), raw.score(X[test], y[test])], [0.9833333, 0.8666667], atol=5e-8
    )


@pytest.mark.capability("BC-30")
def test_basis_functions_are_columns():
    """Identity basis = linear model; with squares, a class between two others' ends is found."""
    x = np.linspace(-3, 3, 60)[:, None]
    y = (np.abs(x[:, 0] + 0.1 * np.sin(40 * x[:, 0])) < 1).astype(int)
    plain, squares = LogisticRegression().fit(x, y), LogisticRegression().fit(np.hstack((x, x**2)), y)
    assert plain.score(x, y) < 0.7 < 0.95 < squares.score(np.hstack((x, x**2)), y)
    assert_allclose(
        LogisticRegression(**EXACT).fit(x * 1.0, y).coef_, Peer(tol=1e-10).fit(x, y).coef_, atol=1e-6
    )


# --- the peer


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"C": 0.01},
        {"C": 100.0, "class_weight": "balanced"},
        {"fit_intercept": False},
        {"class_weight": {0: 3.0, 1: 0.5}},
    ],
    ids=str,
)
def test_same_weights_as_scikit_learn(load, how):
    """Peer: scikit-learn 1.9, newton-cholesky at tol 1e-12; the same objective, so the same weights to 1e-6."""
    X, y = numbers(load())
    if load is load_digits:
        X, y = X[:600, 10:30], y[:600]
    w = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    ours = LogisticRegression(**EXACT, **how).fit(X, y, sample_weight=w)
    peer = Peer(solver="newton-cholesky", tol=1e-12, max_iter=1000, **how).fit(X, y, sample_weight=w)
    unit = np.maximum(X.std(axis=0), 1e-12)
    assert_allclose(ours.coef_ * unit, peer.coef_ * unit, atol=1e-6)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)
    assert ours.coef_.shape == peer.coef_.shape and ours.intercept_.shape == peer.intercept_.shape
    assert (ours.classes_ == peer.classes_).all() and ours.n_iter_.shape == peer.n_iter_.shape


@pytest.mark.parametrize("scaling", [1, 10.0])
def test_same_weights_as_liblinear(scaling):
    _, Z, y, train, _ = cancer()
    how = {"solver": "liblinear", "intercept_scaling": scaling, "C": 0.3}
    ours = LogisticRegression(**EXACT, **how).fit(Z[train], y[train])
    peer = Peer(tol=1e-12, max_iter=10_000, **how).fit(Z[train], y[train])
    assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-6)


@pytest.mark.parametrize("ratio", [0.3, 1.0])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_penalties_with_corners_as_saga_finds_them(load, ratio):
    X, y = numbers(load())
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    how = {"l1_ratio": ratio, "C": 0.1}
    ours = LogisticRegression(tol=1e-9, max_iter=1000, **how).fit(Z, y)
    peer = Peer(solver="saga", tol=1e-9, max_iter=100_000, **how).fit(Z, y)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-5)
    assert ((ours.coef_ == 0) == (np.abs(peer.coef_) < 1e-6)).all()
    if load is load_breast_cancer and ratio == 1.0:
        lasso = {"solver": "liblinear", "C": 0.1, "l1_ratio": 1.0}
        ours = LogisticRegression(tol=1e-9, max_iter=1000, **lasso).fit(Z, y)
        peer = Peer(tol=1e-10, max_iter=10_000, **lasso).fit(Z, y)
        assert_allclose(
            np.append(ours.intercept_, ours.coef_), np.append(peer.intercept_, peer.coef_), atol=1e-4
        )


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("penalised", [False, True])
def test_sparse_rows_give_the_dense_weights(load, penalised):
    X, y = numbers(load())
    how = {"penalize_intercept": penalised, "tol": 1e-9, "max_iter": 1000, "C": 0.5}
    dense = LogisticRegression(**how).fit(X, y)
    sparse = LogisticRegression(**how).fit(csr_matrix(X), y)
    assert_allclose(sparse.predict_proba(csr_matrix(X)), dense.predict_proba(X), atol=1e-6)
    if load is load_iris:
        for own in (dense, sparse):
            own.set_params(reference=2, warm_start=True)
        assert_allclose(sparse.fit(csr_matrix(X), y).coef_, dense.fit(X, y).coef_, atol=1e-7)


def test_single_precision():
    X, y = numbers(load_wine())
    ours = LogisticRegression(**EXACT).fit(X.astype(np.float32), y)
    peer = Peer(solver="newton-cholesky", tol=1e-12).fit(X.astype(np.float32).astype(float), y)
    assert ours.coef_.dtype == np.float32 and ours.intercept_.dtype == np.float32
    assert_allclose(ours.coef_, peer.coef_, rtol=1e-5, atol=1e-6)


# --- our own parameters


@pytest.mark.parametrize("C", [1.0, np.inf])
def test_a_reference_class_has_the_score_zero(C):
    """Without a penalty the model is the same; with one, the penalty counts the other classes' rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.array(["a", "b", "c", "d"])[
        (X @ rng.normal(size=(3, 4)) + 2 * rng.gumbel(size=(300, 4))).argmax(1)
    ]
    model = LogisticRegression(C=C, reference="c", **EXACT).fit(X, y)
    free = LogisticRegression(C=C, **EXACT).fit(X, y)
    assert not model.coef_[2].any() and model.intercept_[2] == 0
    assert_allclose(free.intercept_.sum(), 0, atol=1e-9)
    assert_allclose(free.coef_.sum(axis=0), 0, atol=1e-9)
    onehot = y[:, None] == model.classes_
    pull = (onehot - model.predict_proba(X)).T @ X  # the slope of the loss
    others = [0, 1, 3]
    held = 0.0 if np.isinf(C) else model.coef_[others] / C
    assert_allclose(pull[others], held, atol=1e-7)
    if np.isinf(C):
        assert_allclose(model.predict_proba(X), free.predict_proba(X), atol=1e-8)
        assert_allclose(model.coef_, free.coef_ - free.coef_[2], atol=1e-7)
    with pytest.raises(ValueError, match="one of"):
        LogisticRegression(reference="z").fit(X, y)


def test_the_reference_of_two_classes_is_the_first():
    X, y = iris_pair()
    plain = LogisticRegression().fit(X, y)
    for label in (0, 1):
        assert_allclose(LogisticRegression(reference=label).fit(X, y).coef_, plain.coef_)


def test_warm_start_goes_on():
    X, y = numbers(load_digits())
    model = LogisticRegression(warm_start=True, tol=1e-6, max_iter=1000).fit(X, y)
    steps = model.n_iter_[0]
    coef = model.coef_
    model.fit(X, y)
    assert model.n_iter_[0] <= 1 < steps
    assert_allclose(model.coef_, coef, atol=1e-3)
    with pytest.raises(ValueError, match="expected shape"):
        model.fit(X[:, :30], y)


def test_weights_are_repetitions_and_class_weights_are_weights():
    X, y = numbers(load_wine())
    w = np.random.default_rng(0).integers(0, 3, len(y))
    a = LogisticRegression(**EXACT).fit(X, y, sample_weight=w)
    b = LogisticRegression(**EXACT).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(a.coef_, b.coef_, atol=1e-9)
    c = LogisticRegression(class_weight={0: 2, 1: 0.5, 2: 1}, **EXACT).fit(X, y, sample_weight=w)
    d = LogisticRegression(**EXACT).fit(X, y, sample_weight=w * np.array([2, 0.5, 1])[y])
    assert_allclose(c.coef_, d.coef_, atol=1e-9)


# --- rows from anywhere


def big_table(n=60_000, d=6, K=3):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.normal(size=d) * 10
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, (Z @ rng.normal(size=(d, K)) + rng.gumbel(size=(n, K))).argmax(axis=1)


@pytest.mark.parametrize("K", [2, 3, 5])
def test_many_rows_are_learned_by_a_sample_and_few_passes(K):
    X, y = big_table(K=K)
    ours = LogisticRegression(**EXACT).fit(X, y)
    peer = Peer(solver="newton-cholesky", tol=1e-12).fit(X, y)
    assert_allclose(ours.coef_ * X.std(axis=0), peer.coef_ * X.std(axis=0), atol=1e-6)
    quick = LogisticRegression().fit(X, y)
    assert quick.n_iter_[0] <= 6
    assert_allclose(quick.history_[-1].value, ours.history_[-1].value, rtol=1e-6)


@pytest.mark.parametrize("n", [300, 60_000])
def test_blocks_and_files_give_the_weights_of_the_whole(n, tmp_path):
    X, y = big_table(n)
    names = [f"x{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names).assign(kind=np.array(["u", "v", "w"])[np.arange(n) % 3])
    label, w = np.array(["one", "two", "three"])[y], np.random.default_rng(1).uniform(0.5, 2, n)
    whole = LogisticRegression(class_weight="balanced", **EXACT).fit(frame, label, sample_weight=w)
    frame.assign(label=label, w=w).to_parquet(tmp_path / "rows.parquet", row_group_size=max(50, n // 7))
    blocks = LogisticRegression(class_weight="balanced", **EXACT).fit_blocks(
        str(tmp_path / "rows.parquet"), target="label", weights="w"
    )
    assert (blocks.classes_ == whole.classes_).all()
    unit = np.append(X.std(axis=0), [1, 1, 1])
    assert_allclose(blocks.coef_ * unit, whole.coef_ * unit, atol=1e-7)
    assert_allclose(blocks.predict_proba(frame[:50]), whole.predict_proba(frame[:50]), atol=1e-7)
    assert not hasattr(whole, "partial_fit")
    with pytest.raises(ValueError, match="in memory"):
        LogisticRegression(l1_ratio=0.5).fit_blocks([(X, y)])


def test_dask_gives_the_weights_of_the_whole():
    """On threads here; tests/core/test_sums.py has a cluster."""
    import dask
    import dask.array as da

    X, y = big_table()
    whole = LogisticRegression(**EXACT).fit(X, y)
    with dask.config.set(scheduler="threads"):
        spread = LogisticRegression(**EXACT).fit(
            da.from_array(X, chunks=(9_000, 6)), da.from_array(y, chunks=9_000)
        )
    assert_allclose(spread.coef_ * X.std(axis=0), whole.coef_ * X.std(axis=0), atol=1e-7)


def test_threads_change_nothing(monkeypatch):
    X, y = big_table(d=12)
    monkeypatch.setenv("ASSAY_NUM_THREADS", "1")
    one = LogisticRegression().fit(X, y).coef_
    monkeypatch.setenv("ASSAY_NUM_THREADS", "3")
    assert (LogisticRegression().fit(X, y).coef_ == one).all()


# --- mixed tables


def test_nominal_columns_are_indicators_and_reasons_are_reported():
    data = load_german_credit()
    model = LogisticRegression(max_iter=1000).fit(data.X, data.y)
    assert model.score(data.X, data.y) > 0.75
    told = str(model.explain(data.frame().drop(columns=data.target_name).iloc[[3]]))
    assert "Terms of the score" in told and "odds" in told and "constant" in told
    free = LogisticRegression(C=np.inf, max_iter=1000).fit(data.X, data.y)
    assert len(free.coef_[0]) < len(model.coef_[0])  # a reference category is left out
    assert np.isfinite(free.coef_).all()


# --- data without a good answer


def quiet_fit(model, X, y, **how):
    """Fit, allowing only the warning that says it is not finished."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, **how)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("C", [1.0, 1e8, np.inf])
@pytest.mark.parametrize(
    "trouble",
    [
        "collinear",
        "constant",
        "wide",
        "tiny",
        "huge",
        "mixed",
        "duplicated",
        "one of each",
        "far",
        "zero",
        "outlier",
    ],
)
def test_degenerate_tables_have_sound_answers(trouble, C, K):
    rng = np.random.default_rng(0)
    n = 40
    X = rng.normal(size=(n, 3))
    y = rng.integers(0, K, n)
    match trouble:
        case "collinear":
            X[:, 2] = X[:, 0] - 2 * X[:, 1]
        case "constant":
            X[:, 1] = 7.25
        case "wide":
            X = rng.normal(size=(n, 3 * n))
        case "tiny":
            X *= 1e-12
        case "huge":
            X *= 1e12
        case "mixed":
            X *= [1e-12, 1.0, 1e12]
        case "duplicated":
            X = np.hstack((X, X))
        case "one of each":
            X, y = X[:K], np.arange(K)
        case "far":
            X += 1e9
        case "zero":
            X[:] = 0
        case "outlier":
            X[0] = 1e100
    model = quiet_fit(LogisticRegression(C=C, max_iter=300), X, y)
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    P = model.predict_proba(X)
    assert np.isfinite(P).all()
    assert_allclose(P.sum(axis=1), 1, atol=1e-12)
    shares = np.bincount(y) / len(y)
    null = -(shares * np.log(shares)).sum()
    assert model.history_[-1].value <= null + 1e-6
    if trouble in ("constant", "zero", "collinear", "duplicated"):  # intercepts fit the shares at the optimum
        assert_allclose(P.mean(axis=0), shares, atol=1e-3)


def test_scales_do_not_change_the_answer_without_a_penalty():
    X, y = iris_pair()
    units = np.array([1e-12, 1e-3, 1e6, 1e12])
    plain = LogisticRegression(C=np.inf, **EXACT).fit(X, y)
    scaled = LogisticRegression(C=np.inf, **EXACT).fit(X * units + 5 * units, y)
    assert_allclose(scaled.coef_ * units, plain.coef_, rtol=1e-5)


def test_one_sentence_for_what_cannot_be_learned():
    X = np.arange(8.0)[:, None]
    with pytest.raises(ValueError, match="only one class, 'a'"):
        LogisticRegression().fit(X, ["a"] * 8)
    with pytest.raises(ValueError, match="non-zero"):
        LogisticRegression().fit(X, [0, 1] * 4, sample_weight=np.zeros(8))
    with pytest.raises(ValueError, match="too large to be squared"):
        LogisticRegression().fit(X * 1e200, [0, 1] * 4)
    with pytest.raises(ValueError, match="multiclass"):
        LogisticRegression(solver="liblinear").fit(X, [0, 1, 2, 0] * 2)
    with pytest.raises(ValueError, match="dual=False"):
        LogisticRegression(dual=True).fit(X, [0, 1] * 4)
    with pytest.raises(ValueError, match="C must be a number above 0"):
        LogisticRegression(C=0).fit(X, [0, 1] * 4)
    with pytest.raises(ValueError, match="class_weight"):
        LogisticRegression(class_weight="even").fit(X, [0, 1] * 4)
    with pytest.raises(ValueError, match="class_weight"):
        LogisticRegression(class_weight={5: 1.0}).fit(X, [0, 1] * 4)


@pytest.mark.capability("C3-20")
def test_separated_classes_are_reported_by_column():
    """Oracle: the charity table and the standardised cancer table are separable; without a penalty nothing is best."""
    data = load_charity_donors()
    with pytest.warns(ConvergenceWarning, match="separated"):
        model = LogisticRegression(C=np.inf).fit(data.X, data.y)
    assert model.score(data.X, data.y) == 1
    frame = pd.DataFrame({"dose": [1.0, 2.0, 3.0, 4.0], "other": [0.0, 1.0, 1.0, 0.0]})
    with pytest.warns(ConvergenceWarning, match="dose"):
        LogisticRegression(C=np.inf).fit(frame, ["no", "no", "yes", "yes"])
    _, Z, y, train, _ = cancer()
    with pytest.warns(ConvergenceWarning, match="separated"):
        model = LogisticRegression(C=np.inf).fit(Z[train], y[train])
    losses = [455 * record.value for record in model.history_]
    assert_allclose(losses[1:6], [105, 58.3, 35.7, 23.2, 15.6], rtol=0.005)
    assert_allclose(losses[0], 315, atol=0.5)


def test_separated_classes_end_even_without_a_tolerance():
    X = np.linspace(-1, 1, 40)[:, None]
    with pytest.warns(ConvergenceWarning, match="separated"):
        model = LogisticRegression(C=np.inf, tol=0, max_iter=100_000).fit(X, X[:, 0] > 0)
    assert model.n_iter_[0] < 100
    assert np.isfinite(model.coef_).all() and model.score(X, X[:, 0] > 0) == 1


def test_quasi_separation_is_reported_too():
    """Whenever the alarm rings somebody dies, but people die without an alarm as well."""
    alarm = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1])
    dies = np.array([0, 1, 0, 1, 0, 0, 1, 1, 1])
    age = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5])
    with pytest.warns(ConvergenceWarning, match="separated"):
        LogisticRegression(C=np.inf).fit(np.column_stack((alarm, age)), dies)


def test_blocks_report_separation_from_the_growth_of_the_weights():
    X, y = big_table(40_000, 2, 2)
    X = np.column_stack((X, y + 0.1 * np.sin(np.arange(len(y)))))
    blocks = [(X[a : a + 8000], y[a : a + 8000]) for a in range(0, len(y), 8000)]
    with pytest.warns(ConvergenceWarning, match="separated"):
        LogisticRegression(C=np.inf).fit_blocks(blocks)


def test_sparse_rows_report_separation_too():
    X = csr_matrix(np.column_stack((np.arange(20.0), np.arange(20) % 3)))
    with pytest.warns(ConvergenceWarning, match="separated"):
        LogisticRegression(C=np.inf).fit(X, np.arange(20) > 11)


def test_a_class_that_no_block_has():
    """Its posterior goes to 0; the others are as if it were not there."""
    X, y = big_table(2_000, 3, 2)
    model = LogisticRegression(tol=1e-7, max_iter=500).fit_blocks(
        [(X[:900], y[:900]), (X[900:], y[900:])], classes=[0, 1, 7]
    )
    assert model.classes_.tolist() == [0, 1, 7]
    assert model.predict_proba(X)[:, 2].max() < 1e-3
    assert set(model.predict(X)) <= {0, 1}
    with pytest.raises(ValueError, match="nothing to learn"):
        LogisticRegression().fit_blocks([(X, y, np.zeros(2000))])


def test_overlapping_classes_raise_no_alarm():
    X, y = iris_pair()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for tol in (1e-2, 1e-4, 1e-10):
            LogisticRegression(C=np.inf, tol=tol).fit(X, y)
        LogisticRegression(C=np.inf).fit(np.hstack((X, X)), y)  # dependent columns are no separation


@given(seed=st.integers(0, 500), K=st.integers(2, 4), power=st.floats(-2, 3))
@settings(max_examples=25, deadline=None)
def test_the_gradient_vanishes_at_the_answer(seed, K, power):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(50, 3)) * 10.0 ** rng.uniform(-2, 2, 3), rng.integers(0, K, 50)
    y[:K] = np.arange(K)
    C = 10**power
    model = LogisticRegression(C=C, tol=1e-10, max_iter=500).fit(X, y)
    onehot = np.eye(K)[y]
    P = model.predict_proba(X)
    pull = (P - onehot)[:, 1:].T @ X if K == 2 else (P - onehot).T @ X
    assert_allclose((pull + model.coef_ / C) / 50 / X.std(axis=0), 0, atol=2e-9)
    assert_allclose((P - onehot).sum(axis=0) / 50, 0, atol=2e-9)
    values = [record.value for record in model.history_]
    assert (np.diff(values) <= 1e-12).all()


def test_too_few_steps_are_said():
    X, y = numbers(load_wine())
    with pytest.warns(ConvergenceWarning, match=r"stopped after 2 steps .*Raise max_iter"):
        model = LogisticRegression(max_iter=2).fit(X, y)
    assert model.n_iter_.tolist() == [2]
    with pytest.warns(ConvergenceWarning):
        assert not LogisticRegression(max_iter=0).fit(X, y).coef_.any()


@pytest.mark.parametrize("weight", [1e-300, 1e300])
def test_weights_at_the_end_of_the_range_of_floats(weight):
    """Without a penalty a common factor of the weights changes nothing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    y = (X[:, 0] + rng.logistic(size=40) > 0).astype(int)
    plain = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
    model = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y, np.full(40, weight))
    assert_allclose(model.coef_, plain.coef_, rtol=1e-5)


def test_an_intercept_that_costs_nearly_everything_is_nearly_zero():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 1, 1]
    model = LogisticRegression(solver="liblinear", intercept_scaling=1e-200).fit(X, y)
    free = LogisticRegression(fit_intercept=False).fit(X, y)
    assert_allclose(model.coef_, free.coef_, rtol=1e-3)
    assert_allclose(model.intercept_, 0, atol=1e-12)


def test_a_warm_start_without_numbers_is_refused():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    model = LogisticRegression(warm_start=True, max_iter=1000).fit(X, y)
    model.coef_[:] = np.nan
    with pytest.raises(ValueError, match="no finite numbers"):
        model.fit(X, y)
