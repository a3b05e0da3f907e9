import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine

from assay import load, save
from assay.bayes import BayesianGaussianClassifier, GaussianNB, QuadraticDiscriminantAnalysis
from assay.errors import DegenerateError
from assay.stats import NormalGamma, NormalInverseWishart, NormalMean

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3)) @ np.array([[1.0, 0.5, 0], [0, 1, 0.2], [0, 0, 2]]) + 5
y = np.repeat(["a", "b", "c"], [3, 12, 15])


# Oracle: variance 1, prior N(2, 4) of both means, class 1 mean 0 of 2 rows, class 2 mean 4 of 20; worked by hand.
@pytest.mark.capability("IML-16-05")
def test_the_class_of_few_rows_is_wider():
    rows = np.concatenate([[[-1.0], [1.0]], np.tile([[3.0], [5.0]], (10, 1))])
    model = BayesianGaussianClassifier("known", prior_mean=2, prior_cov=1, kappa=0.25, priors=[0.5, 0.5])
    model.fit(rows, [1] * 2 + [2] * 20)
    assert_allclose(model.means_[:, 0], [0.22222222, 3.97530864], rtol=1e-7)
    assert_allclose(model.scale_[:, 0, 0], [1.44444444, 1.04938272], rtol=1e-8)
    posterior = model.predict_proba([[1.5], [2.0], [2.5]])[:, 0]
    assert_allclose(posterior, [0.89975234, 0.64687605, 0.28523380], rtol=1e-7)
    by_likelihood = GaussianNB(priors=[0.5, 0.5], var_smoothing=0.0).fit(rows, [1] * 2 + [2] * 20)
    plug_in = by_likelihood.predict_proba([[1.5], [2.0], [2.5]])[:, 0]
    assert_allclose(plug_in, [0.88079708, 0.5, 0.11920292], rtol=1e-7)


def beliefs(covariance, m0, C):
    """Log predictive densities by the conjugate models of stats, one class after the other."""
    logs = []
    for label in "abc":
        rows = X[y == label]
        if covariance == "full":
            belief = NormalInverseWishart(m0, 5.0 * np.diag(C), kappa=0.5, nu=5.0).update(rows)
            logs.append(belief.density().logpdf(X))
        elif covariance == "diag":
            parts = [
                NormalGamma.from_variance(C[j], 5.0, mean=m0[j], kappa=0.5).update(rows[:, j])
                for j in range(3)
            ]
            logs.append(sum(part.density().logpdf(X[:, j]) for j, part in enumerate(parts)))
        else:
            parts = [NormalMean(m0[j], C[j] / 0.5, noise_var=C[j]).update(rows[:, j]) for j in range(3)]
            logs.append(sum(part.density().logpdf(X[:, j]) for j, part in enumerate(parts)))
    return np.column_stack(logs)


@pytest.mark.capability("IML-16-05")
@pytest.mark.parametrize("covariance", ["full", "diag", "known"])
def test_class_densities_are_the_predictives_of_the_conjugate_models(covariance, tmp_path):
    m0, C = np.array([4.0, 5, 6]), np.array([1.0, 2, 3])
    model = BayesianGaussianClassifier(covariance, prior_mean=m0, prior_cov=C, kappa=0.5, nu=5.0).fit(X, y)
    expected = beliefs(covariance, m0, C) + np.log([0.1, 0.4, 0.5])
    assert_allclose(model.predict_joint_log_proba(X), expected, rtol=1e-10)
    assert_allclose(model.decision_function(X), expected, rtol=1e-10)
    save(model, tmp_path / "model.assay")
    assert_allclose(load(tmp_path / "model.assay").predict_proba(X), model.predict_proba(X), rtol=1e-15)


@pytest.mark.parametrize("covariance", ["full", "diag", "known"])
def test_explanations_add_up_to_the_log_joint(covariance):
    model = BayesianGaussianClassifier(covariance).fit(X, y)
    heads, columns = model._terms(X[4])
    total = np.sum([values for _, values in heads], axis=0) + columns.sum(axis=0)
    assert_allclose(total, model._log_joint(X[4:5])[0], rtol=1e-10)
    assert "log density at the centre" in str(model.explain(X[4:5]))
    assert_allclose(model._terms(model.means_[1])[1][:, 1], 0, atol=1e-12)  # at the centre of its class


@pytest.mark.parametrize("covariance", ["full", "diag", "known"])
def test_drawn_rows_have_the_moments_of_the_densities(covariance):
    model = BayesianGaussianClassifier(covariance, nu=8.0).fit(X, y)
    rows, labels = model.sample(60_000, random_state=0)
    drawn = rows[labels == "b"]
    scale = model.scale_[1] if covariance == "diag" else np.diag(model.scale_[1])
    factor = 1.0 if covariance == "known" else model.dof_[1] / (model.dof_[1] - 2)
    assert_allclose(drawn.mean(axis=0), model.means_[1], atol=0.06)
    assert_allclose(drawn.var(axis=0), scale * factor, rtol=0.08)


def test_the_classes_probabilities_are_calibrated():
    """Classes drawn from the prior: of rows that get probability p, a share p belongs to the class."""
    rng = np.random.default_rng(0)
    prior = NormalInverseWishart([0, 0], 4 * np.eye(2), kappa=0.3, nu=4.0)
    model = BayesianGaussianClassifier(prior_mean=0, prior_cov=1, kappa=0.3, nu=4.0, priors=[0.5, 0.5])
    claimed, happened, plugged = [], [], []
    for _ in range(400):
        means, covs = prior.sample(2, rng)
        rows = np.vstack([rng.multivariate_normal(means[k], covs[k], 4) for k in (0, 1)])
        k = rng.integers(2)
        query = rng.multivariate_normal(means[k], covs[k], 1)
        labels = np.repeat([0, 1], 4)
        claimed.append(model.fit(rows, labels).predict_proba(query)[0, 1])
        plugged.append(QuadraticDiscriminantAnalysis().fit(rows, labels).predict_proba(query)[0, 1])
        happened.append(k)
    claimed, happened, plugged = np.array(claimed), np.array(happened), np.array(plugged)
    for low, high in ((0, 0.2), (0.2, 0.8), (0.8, 1.001)):
        part = (claimed >= low) & (claimed < high)
        error = np.sqrt(np.sum(claimed[part] * (1 - claimed[part])))
        assert abs(np.sum(happened[part] - claimed[part])) < 4 * error
    # the plug-in is too sure of itself
    squared = [np.mean((p - happened) ** 2) for p in (claimed, plugged)]
    assert squared[0] < 0.8 * squared[1]


@pytest.mark.parametrize("load_data", [load_iris, load_wine])
def test_with_many_rows_and_a_weak_prior_it_is_the_plug_in(load_data):
    """Peers: scikit-learn's classes through ours of the same name; the difference fades like 1/n."""
    data, target = load_data(return_X_y=True)
    many = np.tile(data, (40, 1))
    for covariance, peer in (
        ("full", QuadraticDiscriminantAnalysis()),
        ("diag", GaussianNB(var_smoothing=0)),
    ):
        model = BayesianGaussianClassifier(covariance, kappa=1e-6, nu=data.shape[1] + 0.0).fit(
            many, np.tile(target, 40)
        )
        assert_allclose(model.predict_proba(data), peer.fit(data, target).predict_proba(data), atol=0.03)


def test_a_class_of_one_row_and_constant_columns_have_densities():
    model = BayesianGaussianClassifier().fit([[0.0, 1], [1, 1], [9, 1]], ["a", "a", "b"])
    assert model.predict([[8.0, 1]]).tolist() == ["b"]
    assert np.isfinite(model.decision_function([[100.0, 1]])).all()


def test_units_do_not_matter():
    scale, shift = np.array([1e-3, 1.0, 1e5]), np.array([5.0, -2, 1e3])
    for covariance in ("full", "diag", "known"):
        plain = BayesianGaussianClassifier(covariance).fit(X, y).predict_proba(X)
        other = (
            BayesianGaussianClassifier(covariance).fit(X * scale + shift, y).predict_proba(X * scale + shift)
        )
        assert_allclose(other, plain, rtol=1e-6, atol=1e-12)


def test_a_matrix_as_known_covariance_has_linear_boundaries_only_for_equal_counts():
    C = np.cov(X.T)
    model = BayesianGaussianClassifier("known", prior_cov=C).fit(X, y)
    assert_allclose(model.scale_[2], C * (17 / 16), rtol=1e-12)
    scores = model.discriminants()(X)
    assert_allclose(
        scores - scores[:, :1], model.decision_function(X) - model.decision_function(X)[:, :1], atol=1e-9
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"covariance": "spherical"}, "covariance must be"),
        ({"kappa": -1}, "kappa must be a number from 0 up"),
        ({"nu": 0}, "nu must be a number above 0"),
        ({"prior_mean": [1.0, 2.0]}, r"prior_mean must be a finite number or 3 of them.*got shape \(2,\)"),
        ({"prior_cov": 0.0}, "prior_cov must have variances above 0, got 0"),
        ({"prior_cov": np.eye(3), "covariance": "diag"}, "a matrix prior_cov goes with"),
        ({"prior_cov": np.eye(2)}, "prior_cov: the covariance must be 3 by 3"),
        ({"prior_cov": np.ones((3, 3)), "covariance": "known"}, "not full rank"),
        ({"priors": [0.5, 0.5]}, "one number for each class"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        BayesianGaussianClassifier(**parameters).fit(X, y)


def test_too_weak_a_prior_is_named():
    with pytest.raises(DegenerateError, match=r"class a has -1 degrees of freedom.*Raise nu above 3"):
        BayesianGaussianClassifier(nu=1.0).fit(
            [[1.0, 2, 3, 4], [2.0, 1, 4, 3], [0.0, 0, 1, 2]], ["a", "b", "b"]
        )
    with pytest.raises(ValueError, match="logarithms of t densities and no polynomials"):
        BayesianGaussianClassifier().fit(X, y).discriminants()
