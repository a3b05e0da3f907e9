"""Statistics of logistic and softmax regression beside statsmodels 0.15, and the numbers of the chapters."""

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning

from assay.errors import DegenerateError, DegenerateWarning, ParameterError
from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.tables.data import load_german_credit, load_iris

INF = float("inf")
TIGHT = {"C": INF, "tol": 1e-10, "max_iter": 500}


def overlapping(n=400, d=4, K=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1, 10, 0.1, 3][:d] + [0, 5, 1, -2][:d]
    scores = (X - X.mean(0)) / X.std(0) @ rng.normal(size=(d, K)) + rng.gumbel(size=(n, K))
    return X, scores.argmax(axis=1), rng


def same_table(table, peer, rtol=1e-6):
    """estimates, standard errors, statistics, p, intervals; statsmodels has several classes as columns."""
    for ours, theirs in (
        (table.estimate, peer.params),
        (table.standard_error, peer.bse),
        (table.statistic, peer.tvalues),
        (table.p_value, peer.pvalues),
    ):
        assert_allclose(ours, np.asarray(theirs).T.ravel(), rtol=rtol)
    ends = np.asarray(peer.conf_int()).reshape(-1, 2)
    assert_allclose(np.column_stack((table.lower, table.upper)), ends, rtol=rtol)


@pytest.mark.capability("BC-33")
def test_standard_errors_of_iris():
    # Oracle: 5.3.1, Iris versicolor 0 and virginica 1, no penalty.
    data = load_iris()
    rows = np.asarray(data.y) != np.unique(data.y)[0]
    X, y = data.X.values[rows], np.asarray(data.y)[rows]
    table = LogisticRegression(**TIGHT).fit(X, y).summary(X, y)
    assert_allclose(
        table.standard_error, [25.707661, 2.394301, 4.479565, 4.737208, 9.742612], rtol=0, atol=5e-7
    )
    assert_allclose(
        table.estimate, [-42.637804, -2.465220, -6.680887, 9.429385, 18.286137], rtol=0, atol=5e-6
    )
    assert_allclose(table.measures["log-likelihood"], -5.949273, atol=5e-7)
    peer = sm.Logit(y == np.unique(y)[1], sm.add_constant(X)).fit(disp=0, tol=1e-12, maxiter=100)
    same_table(table, peer)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_same_as_logit(seed, fit_intercept):
    """Peer: Logit; without a constant its null model still has one, and so has ours."""
    X, y, _ = overlapping(seed=seed)
    model = LogisticRegression(**TIGHT, fit_intercept=fit_intercept).fit(X, y)
    table = model.summary(X, y, level=0.9)
    peer = sm.Logit(y, sm.add_constant(X) if fit_intercept else X).fit(disp=0, tol=1e-12, maxiter=100)
    assert_allclose(table.estimate, peer.params, rtol=1e-6)
    assert_allclose(table.covariance, peer.cov_params(), rtol=1e-6, atol=1e-12)
    assert_allclose(np.column_stack((table.lower, table.upper)), peer.conf_int(0.1), rtol=1e-6)
    measures = table.measures
    assert_allclose(measures["log-likelihood"], peer.llf, rtol=1e-10)
    assert_allclose(measures["null log-likelihood"], peer.llnull, rtol=1e-10)
    assert_allclose(measures["McFadden R2"], peer.prsquared, rtol=1e-9)
    assert_allclose(measures["AIC"], peer.aic, rtol=1e-10)
    assert_allclose(measures["BIC"], peer.bic, rtol=1e-10)
    assert_allclose(measures["likelihood ratio"], peer.llr, rtol=1e-9)
    if fit_intercept:  # without one the peer still takes one degree of freedom off
        assert_allclose(measures["p of likelihood ratio"], peer.llr_pvalue, rtol=1e-6)
    cox_snell = 1 - np.exp(2 * (peer.llnull - peer.llf) / len(y))
    assert_allclose(measures["Cox-Snell R2"], cox_snell, rtol=1e-9)
    assert_allclose(measures["Nagelkerke R2"], cox_snell / (1 - np.exp(2 * peer.llnull / len(y))), rtol=1e-9)
    assert_allclose(table.odds_ratio, np.exp(peer.params), rtol=1e-6)
    assert_allclose(measures["deviance"], -2 * peer.llf, rtol=1e-10)


@pytest.mark.capability("LS-21")
@pytest.mark.parametrize("K", [3, 4])
def test_same_as_mnlogit(K):
    """Peer: MNLogit, reference is the first class."""
    X, y, _ = overlapping(n=600, K=K)
    table = LogisticRegression(**TIGHT).fit(X, y).summary(X, y)
    peer = sm.MNLogit(y, sm.add_constant(X)).fit(disp=0, tol=1e-12, maxiter=100)
    same_table(table, peer)
    assert_allclose(table.covariance, peer.cov_params(), rtol=1e-6, atol=1e-12)
    for name, theirs in (("log-likelihood", peer.llf), ("AIC", peer.aic), ("BIC", peer.bic)):
        assert_allclose(table.measures[name], theirs, rtol=1e-10)
    assert_allclose(table.measures["p of likelihood ratio"], peer.llr_pvalue, rtol=1e-6)
    assert table.equations[0] == "log odds of 1 against 0" and len(table.terms) == 5 * (K - 1)


@pytest.mark.parametrize(
    "load,columns", [(load_breast_cancer, [1, 4, 9]), (load_wine, [1, 2, 4]), (load_digits, [19, 20, 27])]
)
def test_real_tables(load, columns):
    """Peers: Logit and MNLogit on columns in which the classes overlap."""
    X, y = load(return_X_y=True)
    X = X[y < 4][:, columns]
    y = y[y < 4]
    table = LogisticRegression(**TIGHT).fit(X, y).summary(X, y)
    family = sm.Logit if y.max() == 1 else sm.MNLogit
    peer = family(y, sm.add_constant(X)).fit(disp=0, tol=1e-12, maxiter=200)
    same_table(table, peer)
    for name, theirs in (("McFadden R2", peer.prsquared), ("AIC", peer.aic), ("BIC", peer.bic)):
        assert_allclose(table.measures[name], theirs, rtol=1e-8)


@pytest.mark.parametrize("reference", [0, 1, 2])
def test_other_references_are_the_same_model(reference):
    X, y, _ = overlapping(n=600, K=3)
    names = np.array(["a", "b", "c"])
    model = LogisticRegression(**TIGHT).fit(X, names[y])
    table = model.summary(X, names[y], reference=names[reference])
    turned = (y - reference) % 3  # the reference first, the others after it
    peer = sm.MNLogit(turned, sm.add_constant(X)).fit(disp=0, tol=1e-12, maxiter=100)
    for block, k in enumerate(k for k in range(3) if k != reference):
        rows = slice(5 * block, 5 * block + 5)
        theirs = (k - reference) % 3 - 1
        assert_allclose(table.estimate[rows], peer.params[:, theirs], rtol=1e-6)
        assert_allclose(table.standard_error[rows], peer.bse[:, theirs], rtol=1e-6)
        assert table.equations[rows.start] == f"log odds of {names[k]} against {names[reference]}"
    own = LogisticRegression(**TIGHT, reference=names[reference]).fit(X, names[y]).summary(X, names[y])
    assert_allclose(own.estimate, table.estimate, rtol=1e-6)
    assert_allclose(own.standard_error, table.standard_error, rtol=1e-6)


def test_two_classes_with_the_second_as_reference_change_sign():
    X, y, _ = overlapping()
    model = LogisticRegression(**TIGHT).fit(X, y)
    first, second = model.summary(X, y), model.summary(X, y, reference=1)
    assert_allclose(second.estimate, -first.estimate, rtol=1e-12)
    assert_allclose(second.upper, -first.lower, rtol=1e-12)
    assert second.equations[0] == "log odds of 0 against 1"


def test_weights_are_frequencies():
    """Peer: GLM with freq_weights; and the same as repeating the rows."""
    X, y, rng = overlapping()
    w = rng.integers(0, 4, len(y)).astype(float)
    table = LogisticRegression(**TIGHT).fit(X, y, w).summary(X, y, w)
    peer = sm.GLM(y, sm.add_constant(X), family=sm.families.Binomial(), freq_weights=w).fit(tol=1e-14)
    assert_allclose(table.estimate, peer.params, rtol=1e-6)
    assert_allclose(table.standard_error, peer.bse, rtol=1e-6)
    assert_allclose(table.measures["log-likelihood"], peer.llf, rtol=1e-9)
    assert_allclose(table.measures["null log-likelihood"], peer.llnull, rtol=1e-9)
    assert_allclose(table.measures["AIC"], peer.aic, rtol=1e-9)
    assert table.measures["rows"] == w.sum()
    long = np.repeat(np.arange(len(y)), w.astype(int))
    for kind in ("model", "HC0", "HC1", "HC2", "HC3"):
        ours = LogisticRegression(**TIGHT).fit(X, y, w).summary(X, y, w, covariance=kind)
        repeated = (
            LogisticRegression(**TIGHT).fit(X[long], y[long]).summary(X[long], y[long], covariance=kind)
        )
        assert_allclose(ours.covariance, repeated.covariance, rtol=1e-6, atol=1e-12)
        assert_allclose(ours.measures["BIC"], repeated.measures["BIC"], rtol=1e-9)
    assert "Weights count as frequencies." in table.notes


def test_class_weights_count_like_row_weights():
    X, y, _ = overlapping()
    w = np.where(y == 1, 3.0, 1.0)
    ours = LogisticRegression(**TIGHT, class_weight={1: 3.0}).fit(X, y).summary(X, y)
    same = LogisticRegression(**TIGHT).fit(X, y, w).summary(X, y, w)
    assert_allclose(ours.covariance, same.covariance, rtol=1e-6, atol=1e-12)
    assert ours.measures["rows"] == w.sum()


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("kind", ["HC0", "HC1"])
def test_robust_errors_are_those_of_the_score_covariance(kind, K):
    """Peer: statsmodels' GLM with HC0, and what MNLogit says of the rows' gradients.

    Its HC1 of a GLM is its HC0; ours has the factor n/(n - k), as its least squares has.
    """
    X, y, _ = overlapping(K=K)
    table = LogisticRegression(**TIGHT).fit(X, y).summary(X, y, covariance=kind)
    if K == 2:
        peer = sm.GLM(y, sm.add_constant(X), family=sm.families.Binomial()).fit(cov_type="HC0", tol=1e-14)
        factor = 400 / 395 if kind == "HC1" else 1.0
        assert_allclose(table.covariance, factor * peer.cov_params(), rtol=1e-6, atol=1e-12)
        return
    peer = sm.MNLogit(y, sm.add_constant(X)).fit(disp=0, tol=1e-12, maxiter=100)
    H = np.linalg.inv(-peer.model.hessian(peer.params))
    scores = peer.model.score_obs(peer.params)
    factor = len(y) / (len(y) - H.shape[0]) if kind == "HC1" else 1.0
    assert_allclose(table.covariance, factor * H @ scores.T @ scores @ H, rtol=1e-6, atol=1e-12)


def test_leverage_corrections_of_two_classes():
    """HC2 and HC3 by their definition, with the hat matrix of the weighted problem."""
    X, y, _ = overlapping(n=60)
    model = LogisticRegression(**TIGHT).fit(X, y)
    A = sm.add_constant(X)
    p = model.predict_proba(X)[:, 1]
    V = np.diag(p * (1 - p))
    H = np.linalg.inv(A.T @ V @ A)
    h = np.diag(V @ A @ H @ A.T)
    for kind, power in (("HC2", 1), ("HC3", 2)):
        meat = A.T @ (((y - p) ** 2 / (1 - h) ** power)[:, None] * A)
        table = model.summary(X, y, covariance=kind)
        assert_allclose(table.covariance, H @ meat @ H, rtol=1e-6, atol=1e-12)
        assert any(kind in note for note in table.notes)


@pytest.mark.parametrize("K", [2, 3])
def test_clusters(K):
    """Peer: cov_type="cluster" of Logit and MNLogit, small-sample correction included."""
    X, y, rng = overlapping(K=K)
    groups = rng.integers(0, 25, len(y))
    table = LogisticRegression(**TIGHT).fit(X, y).summary(X, y, covariance="cluster", groups=groups)
    peer = (sm.Logit if K == 2 else sm.MNLogit)(y, sm.add_constant(X)).fit(disp=0, tol=1e-12, maxiter=100)
    k = peer.params.size
    scores = peer.model.score_obs(peer.params)
    sums = np.array([scores[groups == g].sum(axis=0) for g in np.unique(groups)])
    H = np.linalg.inv(-peer.model.hessian(peer.params))
    G, n = len(sums), len(y)
    wanted = G / (G - 1) * (n - 1) / (n - k) * H @ sums.T @ sums @ H
    assert_allclose(table.covariance, wanted, rtol=1e-6, atol=1e-12)
    if K == 2:
        peer = sm.Logit(y, sm.add_constant(X)).fit(
            disp=0, tol=1e-12, maxiter=100, cov_type="cluster", cov_kwds={"groups": groups}
        )
        assert_allclose(table.covariance, peer.cov_params(), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("K,reference", [(2, None), (3, None), (3, 2)])
def test_penalised_errors_are_the_spread_of_shrunken_estimates(K, reference):
    """A^-1 H A^-1 by hand over all K classes; what the reference paid for depends on the learner's own reference."""
    X, y, _ = overlapping(K=K, n=150)
    X = (X - X.mean(0)) / X.std(0)
    model = LogisticRegression(C=0.3, tol=1e-10, max_iter=500, reference=reference).fit(X, y)
    table = model.summary(X, y, reference=0)
    P = model.predict_proba(X)
    A = sm.add_constant(X)
    free = [1] if K == 2 else [k for k in range(K) if k != reference]
    F, p = len(free), A.shape[1]
    H = np.zeros((F * p, F * p))
    for a, j in enumerate(free):
        for b, k in enumerate(free):
            block = A.T @ ((P[:, j] * ((j == k) - P[:, k]))[:, None] * A)
            H[a * p : (a + 1) * p, b * p : (b + 1) * p] = block
    bread = np.linalg.pinv(H + np.diag(np.tile([0.0] + [1 / 0.3] * 4, F)), hermitian=True)
    V = bread @ H @ bread
    T = np.zeros((K - 1, F))
    for row in range(K - 1):
        if row + 1 in free:
            T[row, free.index(row + 1)] = 1
        if 0 in free:
            T[row, free.index(0)] = -1
    T = np.kron(T, np.eye(p))
    assert_allclose(table.covariance, T @ V @ T.T, rtol=1e-6, atol=1e-12)
    assert table.penalised and "shrunken towards 0" in table.notes[0]
    assert "AIC" not in table.measures


def test_penalised_errors_tell_how_estimates_vary():
    """Simulated: the standard deviation of 300 shrunken estimates, drawn with the same columns."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 2))
    probability = 1 / (1 + np.exp(-(X @ [1.0, -0.5] + 0.3)))
    result, text = [], []
    for _ in range(300):
        y = rng.random(200) < probability
        model = LogisticRegression(C=0.5).fit(X, y)
        table = model.summary(X, y)
        result.append(table.estimate)
        text.append(table.standard_error)
    assert_allclose(np.mean(text, axis=0), np.std(result, axis=0), rtol=0.12)  # sampling error 4 % each


@pytest.mark.parametrize("K", [2, 3])
def test_score_test_is_that_of_statsmodels(K):
    """Peer: GLM.score_test for two classes; for three the gradient and Hessian of MNLogit at the smaller fit."""
    X, y, _ = overlapping(K=K)
    few, more = X[:, :2], X[:, 2:]
    test = LogisticRegression(**TIGHT).fit(few, y).score_test(few, y, more)
    if K == 2:
        peer = sm.GLM(y, sm.add_constant(few), family=sm.families.Binomial()).fit(tol=1e-14)
        (statistic, p), df = peer.score_test(more), 2
    else:
        small = sm.MNLogit(y, sm.add_constant(few)).fit(disp=0, tol=1e-12, maxiter=100)
        large = sm.MNLogit(y, sm.add_constant(X))
        at = np.vstack((small.params, np.zeros((2, 2))))
        g, H = large.score(at.ravel(order="F")), -large.hessian(at.ravel(order="F"))
        statistic, df = g @ np.linalg.solve(H, g), 4
        p = test.p_value
    assert_allclose(test.statistic, statistic, rtol=1e-6)
    assert_allclose(test.p_value, p, rtol=1e-6)
    assert test.df == df


def test_columns_of_any_scale_and_place():
    """Columns times powers of ten, and far from 0: the same z; statsmodels would not get that far."""
    X, y, _ = overlapping()
    X = (X - X.mean(0)) / X.std(0)
    plain = LogisticRegression(**TIGHT).fit(X, y).summary(X, y)
    scale = 10.0 ** np.array([-12, 12, 5, -5])
    wide = LogisticRegression(**TIGHT).fit(X * scale, y).summary(X * scale, y)
    assert_allclose(wide.statistic, plain.statistic, rtol=1e-6)
    assert_allclose(wide.estimate[1:] * scale, plain.estimate[1:], rtol=1e-6)
    far = X + np.array([1e6, 0, 0, 0])
    moved = LogisticRegression(**TIGHT).fit(far, y).summary(far, y)
    assert_allclose(moved.statistic[1:], plain.statistic[1:], rtol=1e-6)
    assert_allclose(moved.vif[1:], plain.vif[1:], rtol=1e-6)


def test_sparse_rows_say_the_same():
    X, y, rng = overlapping()
    X = np.where(rng.random(X.shape) < 0.5, X, 0.0)
    dense = LogisticRegression(**TIGHT).fit(X, y)
    sparse = LogisticRegression(**TIGHT).fit(csr_matrix(X), y)
    for kind in ("model", "HC1"):
        ours, theirs = dense.summary(X, y, covariance=kind), sparse.summary(csr_matrix(X), y, covariance=kind)
        assert_allclose(theirs.estimate, ours.estimate, rtol=1e-6)
        assert_allclose(theirs.covariance, ours.covariance, rtol=1e-6, atol=1e-12)
        assert_allclose(theirs.vif[1:], ours.vif[1:], rtol=1e-9)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_separated_classes_have_no_standard_errors(load):
    X, y = load(return_X_y=True)
    with pytest.warns(ConvergenceWarning):
        model = LogisticRegression(C=INF, max_iter=30).fit(X, y)
    with pytest.raises(DegenerateError, match="completely separated"):
        model.summary(X, y)
    table = LogisticRegression(C=1.0, tol=1e-6, max_iter=1000).fit(X, y).summary(X, y)
    assert np.isfinite(table.standard_error).all()


def test_partly_separated_classes_are_noted():
    X, y, rng = overlapping(d=2)
    seldom = (rng.random(len(y)) < 0.05).astype(float)
    y = np.where(seldom > 0, 1, y)
    X = np.column_stack((X, seldom))
    with pytest.warns(ConvergenceWarning, match="partly separated"):
        model = LogisticRegression(C=INF, max_iter=60).fit(X, y)
    with pytest.warns(DegenerateWarning, match="all .* rows with x2 above 0 are 1"):
        table = model.summary(X, y)
    assert "quasi-complete" in table.notes[0]
    without = LogisticRegression(**TIGHT).fit(X[seldom == 0, :2], y[seldom == 0])
    kept = without.summary(X[seldom == 0, :2], y[seldom == 0])
    assert_allclose(table.standard_error[:3], kept.standard_error, rtol=1e-4)  # the rows that overlap decide
    assert table.standard_error[3] > 10  # and grows with every further step


def test_other_rows_than_those_of_fit_are_noticed():
    X, y, _ = overlapping()
    model = LogisticRegression(**TIGHT).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="standard errors away"):
        model.summary(X[::2], y[::2])


def test_dependent_columns_are_named():
    X, y, _ = overlapping()
    X = np.column_stack((X, X[:, 0] - 2 * X[:, 1]))
    model = LogisticRegression(C=INF).fit(X, y)
    with pytest.raises(DegenerateError, match="column x4 is a combination of the columns before it"):
        model.summary(X, y)
    constant = np.column_stack((X[:, :2], np.ones(len(y))))
    table = LogisticRegression(**TIGHT).fit(constant, y).summary(constant, y)
    same = LogisticRegression(**TIGHT).fit(X[:, :2], y).summary(X[:, :2], y)
    assert table.terms == same.terms and "Left out, since they are the same in all rows: x2." in table.notes
    assert_allclose(table.covariance, same.covariance, rtol=1e-6, atol=1e-12)
    table = LogisticRegression(C=1.0).fit(X, y).summary(X, y)
    assert np.isfinite(table.standard_error).all() and np.isinf(table.vif[1:]).all()


def test_a_mixed_table_in_its_own_words():
    """Nominal columns: indicators without the first category, which a note names."""
    data = load_german_credit()
    X, y = data.frame(target=False), data.y
    model = LogisticRegression(C=INF, tol=1e-8, max_iter=1000).fit(X, y)
    table = model.summary(X, y)
    design = model.design_.expand(data.X.values)
    varies = np.ptp(design, axis=0) > 0  # categories that are declared, but that no row has
    assert table.terms[1:] == [name for name, v in zip(model.design_.names, varies) if v]
    assert "Left out, since they are the same in all rows: purpose=vacation" in "".join(table.notes)
    A = sm.add_constant(design[:, varies])
    peer = sm.Logit(np.asarray(y) == model.classes_[1], A).fit(disp=0, tol=1e-12, maxiter=100)
    assert_allclose(table.standard_error, peer.bse, rtol=1e-5)
    column = next(c.name for c in model.schema_ if c.kind == "nominal")
    test = table.wald_test(column)
    rows = [i for i, t in enumerate(table.terms) if t.startswith(f"{column}=")]
    theirs = peer.wald_test(np.eye(len(table.terms))[rows], scalar=True)
    assert_allclose([test.statistic, test.p_value], [theirs.statistic, theirs.pvalue], rtol=1e-4)
    assert test.df == len(rows) and str(test).startswith(f"{column} = 0: chi2")
    assert any(note.startswith("Categories without a row are the reference: ") for note in table.notes)


def test_the_estimate_is_where_the_likelihood_is_largest():
    """Not statsmodels but a plain minimiser, to have a second opinion on the log likelihood itself."""
    X, y, _ = overlapping()
    A = sm.add_constant(X)

    def loss(w):
        z = A @ w
        return np.logaddexp(0, z).sum() - y @ z, A.T @ (1 / (1 + np.exp(-z)) - y)

    best = minimize(loss, np.zeros(5), jac=True, method="BFGS", options={"gtol": 1e-6})
    table = LogisticRegression(**TIGHT).fit(X, y).summary(X, y)
    assert_allclose(table.measures["log-likelihood"], -best.fun, rtol=1e-9)


def test_what_is_refused():
    X, y, _ = overlapping(K=3)
    model = LogisticRegression(**TIGHT).fit(X, y)
    with pytest.raises(ParameterError, match="'HC3' is for two classes"):
        model.summary(X, y, covariance="HC3")
    with pytest.raises(ParameterError, match="reference must be one of"):
        model.summary(X, y, reference="z")
    with pytest.raises(ParameterError, match="profile intervals follow from the likelihood alone"):
        LogisticRegression(C=1.0).fit(X, y).summary(X, y, intervals="profile")
    with pytest.raises(ParameterError, match="penalty on absolute values"):
        LogisticRegression(C=1.0, l1_ratio=1.0, solver="saga").fit(X, y).summary(X, y)
    with pytest.raises(ParameterError, match="without a penalty"):
        LogisticRegression(C=1.0).fit(X, y).score_test(X, y, X[:, 0] ** 2)
