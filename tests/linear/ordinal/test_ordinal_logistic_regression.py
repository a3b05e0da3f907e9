"""The proportional odds model: statsmodels and R as peers, order, degenerate tables, inference."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.stats import chi2
from statsmodels.miscmodels.ordinal_model import OrderedModel

from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError
from assay.linear import LogisticRegression, OrdinalLogisticRegression, likelihood_ratio_test
from assay.linear.ordinal.cumulative_links import CUMULATIVE_LINKS, between

LINKS = list(CUMULATIVE_LINKS)

# The frequencies of Madsen's housing survey (R: MASS::housing), satisfaction low, medium, high in a row.
HOUSING = {
    ("low", "tower"): [(21, 21, 28), (34, 22, 36), (10, 11, 36)],
    ("low", "apartment"): [(61, 23, 17), (43, 35, 40), (26, 18, 54)],
    ("low", "atrium"): [(13, 9, 10), (8, 8, 12), (6, 7, 9)],
    ("low", "terrace"): [(18, 6, 7), (15, 13, 13), (7, 5, 11)],
    ("high", "tower"): [(14, 19, 37), (17, 23, 40), (3, 5, 23)],
    ("high", "apartment"): [(78, 46, 43), (48, 45, 86), (15, 25, 62)],
    ("high", "atrium"): [(20, 23, 20), (10, 22, 24), (7, 10, 21)],
    ("high", "terrace"): [(57, 23, 13), (31, 21, 13), (5, 6, 13)],
}


def housing():
    rows = [
        (infl, kind, contact, level, count)
        for (contact, kind), table in HOUSING.items()
        for infl, counts in zip(["low", "medium", "high"], table)
        for level, count in zip(["low", "medium", "high"], counts)
    ]
    frame = pd.DataFrame(rows, columns=["infl", "kind", "contact", "sat", "count"])
    X = pd.DataFrame(
        {
            "medium": 1.0 * (frame["infl"] == "medium"),
            "high": 1.0 * (frame["infl"] == "high"),
            **{kind: 1.0 * (frame["kind"] == kind) for kind in ("apartment", "atrium", "terrace")},
            "contact": 1.0 * (frame["contact"] == "high"),
        }
    )
    return X, frame["sat"], frame["count"]


def ordered(n=300, K=4, seed=0, d=3):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, d)) * np.array([1, 10, 0.1])[:d] + np.array([0, 50, 3])[:d]
    latent = X @ np.array([1, 0.1, -5])[:d] + draw.logistic(size=n)
    return X, np.digitize(latent, np.quantile(latent, np.arange(1, K) / K))


def test_the_published_fit_of_the_housing_survey():
    """Venables and Ripley, Modern Applied Statistics with S (2002), section 7.3: polr(Sat ~ Infl + Type + Cont)."""
    X, y, count = housing()
    assert count.sum() == 1681
    model = OrdinalLogisticRegression(order=["low", "medium", "high"]).fit(X, y, sample_weight=count)
    table = model.summary(X, y, sample_weight=count)
    assert_allclose(model.coef_, [0.5664, 1.2888, -0.5724, -0.3662, -1.0910, 0.3603], atol=5.1e-5)
    assert_allclose(model.thresholds_, [-0.4961, 0.6907], atol=5.1e-5)
    errors = [0.10465, 0.12716, 0.11924, 0.15517, 0.15149, 0.09554, 0.1248, 0.1255]
    assert_allclose(table.standard_error, errors, atol=6e-5)
    assert_allclose(table.measures["deviance"], 3479.149, atol=5e-4)
    assert_allclose(table.measures["AIC"], 3495.149, atol=5e-4)


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("K", [3, 5])
def test_estimates_errors_and_likelihood_are_those_of_statsmodels(link, K):
    """Peer: OrderedModel, statsmodels 0.15, whose thresholds after the first are logarithms of the steps between."""
    X, y = ordered(K=K)
    X = (X - [0, 50, 3]) / [1, 10, 0.1]  # units in which the peer converges
    peer = OrderedModel(y, X, distr=link).fit(method="bfgs", disp=0, gtol=1e-7, maxiter=500)
    ours = OrdinalLogisticRegression(link=link).fit(X, y)
    table = ours.summary(X, y)
    d = X.shape[1]
    steps = peer.params[d + 1 :]
    thresholds = peer.params[d] + np.append(0, np.cumsum(np.exp(steps)))
    assert_allclose(ours.coef_, peer.params[:d], rtol=1e-6)
    assert_allclose(ours.thresholds_, thresholds, rtol=1e-6)
    assert_allclose(table.measures["log-likelihood"], peer.llf, rtol=1e-10)
    turn = np.eye(d + K - 1)  # d threshold / d step
    for k in range(K - 1):
        turn[d + k, d] = 1
        turn[d + k, d + 1 : d + 1 + k] = np.exp(steps[:k])
    peers = turn @ peer.cov_params() @ turn.T
    assert_allclose(
        table.standard_error, np.sqrt(np.diag(peers)), rtol=1e-5
    )  # its second derivatives are numeric
    assert_allclose(table.standard_error[:d], peer.bse[:d], rtol=1e-5)
    assert_allclose(ours.predict_proba(X), peer.predict(), atol=1e-6)


@pytest.mark.parametrize("link", LINKS)
def test_standard_errors_are_those_of_exact_second_derivatives(link):
    """By complex-free central differences of the log likelihood, written out in the columns as they are."""
    X, y = ordered(200, 3)
    model = OrdinalLogisticRegression(link=link).fit(X, y)
    table = model.summary(X, y)
    at = np.append(model.coef_, model.thresholds_)
    size = np.append(1 / X.std(axis=0), [1.0, 1.0])

    def gradient(v):
        row = between(CUMULATIVE_LINKS[link], X @ v[:3], y, v[3:])
        r = row.upper + row.lower
        return np.append(
            -X.T @ r, [np.sum(row.upper[y == k]) + np.sum(row.lower[y == k + 1]) for k in range(2)]
        )

    assert_allclose(gradient(at) * size, 0, atol=1e-5)
    steps = 1e-5 * np.diag(size)
    H = np.array([(gradient(at + step) - gradient(at - step)) / (2 * step.sum()) for step in steps])
    assert_allclose(table.standard_error, np.sqrt(np.diag(np.linalg.inv(-(H + H.T) / 2))), rtol=1e-5)


@pytest.mark.parametrize("link", LINKS)
def test_probabilities_and_derivatives_of_the_classes_are_those_of_differences(link):
    thresholds, eta = np.array([-1.0, 0.2, 1.5]), np.linspace(-3, 3, 13)
    chosen = CUMULATIVE_LINKS[link]
    total = np.zeros(13)
    h = 1e-5
    for k in range(4):
        y = np.full(13, k)
        row = between(chosen, eta, y, thresholds)
        total += np.exp(row.log_probability)
        for end, first, twice in ((k, row.upper, row.upper_twice), (k - 1, row.lower, row.lower_twice)):
            if not 0 <= end < 3:
                assert not first.any() and not twice.any()
                continue
            step = h * (np.arange(3) == end)
            up, down = (between(chosen, eta, y, thresholds + s) for s in (step, -step))
            assert_allclose(
                first, (up.log_probability - down.log_probability) / (2 * h), rtol=1e-6, atol=1e-8
            )
            slope = "upper" if end == k else "lower"
            assert_allclose(
                twice, (getattr(up, slope) - getattr(down, slope)) / (2 * h), rtol=1e-6, atol=1e-8
            )
            other = "lower" if end == k else "upper"
            assert_allclose(
                row.mixed, (getattr(up, other) - getattr(down, other)) / (2 * h), rtol=1e-6, atol=1e-8
            )
    assert_allclose(total, 1, rtol=1e-12)


@pytest.mark.parametrize("link", LINKS)
def test_far_out_probabilities_keep_their_logarithms(link):
    row = between(CUMULATIVE_LINKS[link], np.array([-30.0, 30.0]), np.array([2, 0]), np.array([0.0, 1.0]))
    assert (
        np.isfinite(row.log_probability).all()
        and np.isfinite(row.upper).all()
        and np.isfinite(row.lower).all()
    )
    model = OrdinalLogisticRegression(link=link).fit(*ordered(200, 3))
    P = model.predict_proba([[1e3, 0, 0], [-1e3, 0, 0]])
    assert_allclose(P.sum(axis=1), 1)


def test_two_classes_are_logistic_regression():
    X, y = ordered(K=2)
    ours = OrdinalLogisticRegression().fit(X, y)
    peer = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    assert_allclose(ours.coef_, peer.coef_[0], rtol=1e-6)
    assert_allclose(-ours.thresholds_, peer.intercept_, rtol=1e-6)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-8)
    table, other = ours.summary(X, y), peer.summary(X, y)
    assert_allclose(table.standard_error[:3], other.standard_error[1:], rtol=1e-6)
    assert_allclose(table.odds_ratio[:3], other.odds_ratio[1:], rtol=1e-6)
    assert np.isnan(table.odds_ratio[3:]).all()


def test_the_order_is_given_or_that_of_the_categories_or_sorted():
    X, codes = ordered(K=3)
    names = np.array(["low", "medium", "high"])[codes]
    given = OrdinalLogisticRegression(order=["low", "medium", "high"]).fit(X, names)
    column = pd.Series(pd.Categorical(names, ["low", "medium", "high"], ordered=True))
    by_column = OrdinalLogisticRegression().fit(X, column)
    numbers = OrdinalLogisticRegression().fit(X, codes)
    for model in (given, by_column):
        assert model.levels_.tolist() == ["low", "medium", "high"]
        assert model.classes_.tolist() == ["high", "low", "medium"]  # sorted, as everywhere
        assert_allclose(model.coef_, numbers.coef_, rtol=1e-8)
        assert_allclose(model.predict_proba(X)[:, [1, 2, 0]], numbers.predict_proba(X), rtol=1e-8)
        assert_array_equal(model.predict(X), np.array(["low", "medium", "high"])[numbers.predict(X)])
        assert_allclose(model.expected_rank(X), numbers.predict_proba(X) @ [1, 2, 3], rtol=1e-8)
    turned = OrdinalLogisticRegression(order=["high", "medium", "low"]).fit(X, names)
    assert_allclose(turned.coef_, -given.coef_, rtol=1e-7)
    assert OrdinalLogisticRegression().fit(X, names).levels_.tolist() == ["high", "low", "medium"]


def test_the_answer_does_not_depend_on_the_units_of_the_columns():
    X, y = ordered()
    plain = OrdinalLogisticRegression().fit(X, y)
    other = OrdinalLogisticRegression().fit(X * [1e6, 1e-6, 1] + [1e6, 0, -4], y)
    assert_allclose(other.coef_, plain.coef_ / [1e6, 1e-6, 1], rtol=1e-6)


def test_sparse_tables_and_weights():
    X, y = ordered()
    X = np.where(np.abs(X) < 1, 0.0, X)
    w = np.tile([1.0, 2.0, 0.0], 100)
    dense = OrdinalLogisticRegression().fit(X, y, sample_weight=w)
    sparse = OrdinalLogisticRegression().fit(csr_array(X), y, sample_weight=w)
    times = w.astype(int)
    again = OrdinalLogisticRegression().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6)
    assert_allclose(again.coef_, dense.coef_, rtol=1e-6)
    errors = again.summary(np.repeat(X, times, axis=0), np.repeat(y, times)).standard_error
    assert_allclose(dense.summary(X, y, w).standard_error, errors, rtol=1e-6)
    assert_allclose(sparse.summary(csr_array(X), y, w).standard_error, errors, rtol=1e-6)
    assert_allclose(sparse.predict_proba(csr_array(X)), dense.predict_proba(X), atol=1e-7)


def test_a_penalty_shrinks_and_is_noted():
    X, y = ordered()
    free, bound = OrdinalLogisticRegression().fit(X, y), OrdinalLogisticRegression(alpha=1.0).fit(X, y)
    assert (np.abs(bound.coef_) < np.abs(free.coef_)).all()
    table = bound.summary(X, y)
    assert table.penalised and "shrunken" in " ".join(table.notes)
    assert (table.standard_error[:3] < free.summary(X, y).standard_error[:3]).all()


def test_summary_reads_as_the_others_do():
    X, y = ordered(K=3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    names = np.array(["low", "medium", "high"])[y]
    model = OrdinalLogisticRegression(order=["low", "medium", "high"]).fit(frame, names)
    table = model.summary(frame, names)
    text = str(table)
    assert "Odds ratios: log odds of a higher class" in text and "Thresholds" in text
    assert "low | medium" in table.terms and "Odds ratios: thresholds" not in text
    assert_allclose(table["a"]["odds_ratio"], np.exp(model.coef_[0]))
    smaller = OrdinalLogisticRegression(order=["low", "medium", "high"]).fit(frame[["a"]], names)
    test = likelihood_ratio_test(smaller.summary(frame[["a"]], names), table)
    assert test.df == 2 and test.p_value < 0.01
    assert table.wald_test(["b", "c"]).df == 2
    frame["flat"] = 3.0
    again = OrdinalLogisticRegression(order=["low", "medium", "high"]).fit(frame, names).summary(frame, names)
    assert_allclose(again.estimate, table.estimate, rtol=1e-6)
    assert "flat" in " ".join(again.notes)


def test_robust_errors_are_sandwiches_of_the_rows_gradients():
    """By hand: bread from the model's covariance, meat from the gradients of statsmodels' likelihood."""
    X, y = ordered(K=3)
    model = OrdinalLogisticRegression().fit(X, y)
    peer = OrderedModel(y, X, distr="logit")
    steps = np.append(model.coef_, [model.thresholds_[0], np.log(np.diff(model.thresholds_))[0]])
    scores = peer.score_obs(steps)
    turn = np.eye(5)
    turn[4, 3:] = 1, np.diff(model.thresholds_)[0]
    scores = scores @ np.linalg.inv(turn)
    V = model.summary(X, y).covariance
    by_hand = np.sqrt(np.diag(V @ scores.T @ scores @ V))
    assert_allclose(model.summary(X, y, covariance="HC0").standard_error, by_hand, rtol=1e-5)
    assert_allclose(
        model.summary(X, y, covariance="HC1").standard_error, by_hand * np.sqrt(300 / 295), rtol=1e-5
    )
    each = model.summary(X, y, covariance="cluster", groups=np.arange(300)).standard_error
    assert_allclose(each, by_hand * np.sqrt(300 / 299 * 299 / 295), rtol=1e-5)


def brant_by_the_book(X, y, K):
    """Brant (1990), equations of section 2, with statsmodels' logistic regressions."""
    D = sm.add_constant(X)
    fits = [sm.Logit((y > k).astype(float), D).fit(disp=0, tol=1e-12) for k in range(K - 1)]
    pi = [fit.predict() for fit in fits]
    bread = [np.linalg.inv(D.T @ (D * (p * (1 - p))[:, None])) for p in pi]
    d = X.shape[1]
    V = np.zeros(((K - 1) * d, (K - 1) * d))
    for k in range(K - 1):
        for j in range(K - 1):
            low, high = min(k, j), max(k, j)
            middle = D.T @ (D * (pi[high] * (1 - pi[low]))[:, None])
            V[k * d : (k + 1) * d, j * d : (j + 1) * d] = (bread[k] @ middle @ bread[j])[1:, 1:]
    beta = np.concatenate([fit.params[1:] for fit in fits])
    L = np.vstack(
        [np.hstack([-np.eye(d), *[np.eye(d) * (m == k) for m in range(1, K - 1)]]) for k in range(1, K - 1)]
    )
    W = (L @ beta) @ np.linalg.solve(L @ V @ L.T, L @ beta)
    return W, len(L)


@pytest.mark.parametrize("K", [3, 4])
def test_brants_test_is_by_the_book(K):
    X, y = ordered(400, K)
    W, df = brant_by_the_book(X, y, K)
    result = OrdinalLogisticRegression().fit(X, y).brant_test(X, y)
    assert_allclose(result.overall.statistic, W, rtol=1e-5)
    assert result.overall.df == df and result.slopes.shape == (K - 1, 3)
    assert_allclose(result.overall.p_value, chi2.sf(W, df), rtol=1e-4)
    assert list(result.terms) == ["x0", "x1", "x2"] and "Same coefficients" in str(result)


@pytest.mark.parametrize("link", ["logit", "probit", "cloglog"])
def test_brants_test_sees_an_effect_that_differs_between_thresholds(link):
    draw = np.random.default_rng(1)
    X = draw.normal(size=(3000, 2))
    latent = X[:, 1] + draw.logistic(size=3000)
    y = (latent > -1).astype(int) + ((latent + 1.5 * X[:, 0] > 1) & (latent > -1))
    result = OrdinalLogisticRegression(link=link).fit(X, y).brant_test(X, y)
    assert result.overall.p_value < 1e-6 and result.terms["x0"].p_value < 1e-6
    assert result.terms["x1"].p_value > result.terms["x0"].p_value


def test_brants_test_keeps_its_level():
    rejected = 0
    for seed in range(50):
        draw = np.random.default_rng(seed)
        X = draw.normal(size=(300, 1))
        y = np.digitize(X[:, 0] + draw.logistic(size=300), [-1, 0.5])
        rejected += OrdinalLogisticRegression().fit(X, y).brant_test(X, y).overall.p_value < 0.05
    assert rejected <= 8  # 2.5 are expected; more than 8 has a probability of 0.001


def test_separated_classes_are_predicted_and_a_warning_names_the_column():
    X = np.column_stack([np.arange(30.0), np.tile([0.0, 1.0], 15)])
    y = np.repeat([0, 1, 2], 10)
    with pytest.warns(DegenerateWarning, match="do not overlap along x0"):
        model = OrdinalLogisticRegression().fit(X, y)
    assert_array_equal(model.predict(X), y)
    assert np.isfinite(model.predict_proba(X)).all() and np.isfinite(model.coef_).all()
    penalised = OrdinalLogisticRegression(alpha=0.01).fit(X, y)
    assert np.isfinite(penalised.summary(X, y).standard_error).all()


def test_a_column_that_separates_some_rows_is_named():
    X, y = ordered(K=3)
    rare = ((y == 2) & (np.arange(300) % 7 == 0)).astype(float)
    with pytest.warns(DegenerateWarning, match="do not overlap along x3"):
        OrdinalLogisticRegression().fit(np.column_stack([X, rare]), y)


def test_columns_that_depend_on_each_other_are_refused_by_summary_alone():
    X, y = ordered()
    twice = np.column_stack([X, X[:, 0]])
    model = OrdinalLogisticRegression().fit(twice, y)
    assert_allclose(
        model.predict_proba(twice), OrdinalLogisticRegression().fit(X, y).predict_proba(X), atol=1e-6
    )
    with pytest.raises(DegenerateError, match="column x3 is a combination"):
        model.summary(twice, y)


def test_a_class_without_rows_is_left_out_and_said():
    X, y = ordered(K=3)
    with pytest.warns(DegenerateWarning, match="no row has the label 'none'"):
        model = OrdinalLogisticRegression(order=[0, "none", 1, 2]).fit(X, y)
    assert_allclose(model.coef_, OrdinalLogisticRegression().fit(X, y).coef_)
    unused = pd.Series(pd.Categorical(np.array(["a", "b", "d"])[y], list("abcd"), ordered=True))
    assert OrdinalLogisticRegression().fit(X, unused).levels_.tolist() == ["a", "b", "d"]
    w = (y != 1).astype(float)
    with pytest.raises(DataError, match="all rows of the class 1 have weight 0"):
        OrdinalLogisticRegression().fit(X, y, sample_weight=w)


def test_one_class_is_the_answer():
    model = OrdinalLogisticRegression().fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[5.0]]).tolist() == ["a"] and model.predict_proba([[5.0]]).tolist() == [[1.0]]
    with pytest.raises(DataError, match="knows one class"):
        model.summary([[1.0], [2.0]], ["a", "a"])


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"order": [0, 1]}, "y has the label 2, which order does not list"),
        ({"order": [0, 1, 1, 2]}, "order names a label twice"),
        ({"link": "log"}, "link must be"),
    ],
)
def test_settings_that_cannot_be_are_said_in_a_sentence(settings, message):
    with pytest.raises(ValueError, match=message):
        OrdinalLogisticRegression(**settings).fit(*ordered(K=3))


def test_what_summary_and_tests_refuse():
    X, y = ordered(K=2)
    model = OrdinalLogisticRegression().fit(X, y)
    with pytest.raises(DataError, match="2 classes have no two thresholds"):
        model.brant_test(X, y)
    with pytest.raises(ParameterError, match=r"summary\(X, y\)"):
        model.summary()
    with pytest.raises(ParameterError, match="is for LogisticRegression"):
        model.score_test(X, y, X)


def test_explanations_show_terms_and_thresholds():
    X, y = ordered(K=3)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": np.where(X[:, 2] > 3, "up", "down")})
    model = OrdinalLogisticRegression().fit(frame, y)
    reasons = model.explain(frame.head(4))
    sums = reasons.to_frame()[["base", "a", "b", "kind"]].sum(axis=1)
    assert_allclose(sums, model.linear_predictor(frame.head(4)))
    assert "Thresholds" in str(reasons[0]) and "Thresholds" in str(model.show())
