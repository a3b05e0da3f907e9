"""Linear learners: a weighted sum of the columns, and a decision."""

from assay.linear.coefficient_report import CoefficientReport, coefficient_report, pruned
from assay.linear.coefficient_table import CoefficientTable, CoefficientTest
from assay.linear.convergence import convergence_bound, convergence_trace
from assay.linear.elastic_net import ElasticNet
from assay.linear.elastic_net_cv import ElasticNetCV
from assay.linear.epsilon_insensitive_regressor import EpsilonInsensitiveRegressor
from assay.linear.huber_regressor import HuberRegressor
from assay.linear.hyperplane import Hyperplane
from assay.linear.independent_sigmoids import IndependentSigmoids
from assay.linear.inference import Inference
from assay.linear.lasso import Lasso
from assay.linear.lasso_cv import LassoCV
from assay.linear.least_squares_classifier import LeastSquaresClassifier
from assay.linear.likelihood_ratio import likelihood_ratio_test
from assay.linear.linear_regression import LinearRegression
from assay.linear.logistic_discriminant import LogisticDiscriminant
from assay.linear.logistic_regression import LogisticRegression
from assay.linear.logistic_regression_cv import LogisticRegressionCV
from assay.linear.pairwise_ranker import PairwiseRanker
from assay.linear.parametrisation import one_score, reference_form, symmetric_form
from assay.linear.paths import enet_path, lasso_path
from assay.linear.penalty_curve import PenaltyCurve
from assay.linear.perceptron import Perceptron
from assay.linear.perceptron_rule import PerceptronRule
from assay.linear.pocket import PocketClassifier
from assay.linear.polynomial_regressor import ExtrapolationWarning, PolynomialRegressor
from assay.linear.prior_correction import correct_priors, intercept_without_priors, shift_intercept
from assay.linear.quadratic_form import QuadraticForm, quadratic_form
from assay.linear.quantile_regressor import QuantileRegressor
from assay.linear.ranking_pairs import RankingError, pairs_from_clicks, pairs_from_grades, ranking_error
from assay.linear.ridge import Ridge
from assay.linear.ridge_classifier import RidgeClassifier
from assay.linear.ridge_classifier_cv import RidgeClassifierCV
from assay.linear.ridge_cv import RidgeCV
from assay.linear.separability import Separability, Separation, is_linearly_separable, separation
from assay.linear.sgd_classifier import SGDClassifier
from assay.linear.sgd_regressor import SGDRegressor

__all__ = [
    "CoefficientReport",
    "CoefficientTable",
    "CoefficientTest",
    "ElasticNet",
    "ElasticNetCV",
    "EpsilonInsensitiveRegressor",
    "ExtrapolationWarning",
    "HuberRegressor",
    "Hyperplane",
    "IndependentSigmoids",
    "Inference",
    "Lasso",
    "LassoCV",
    "LeastSquaresClassifier",
    "LinearRegression",
    "LogisticDiscriminant",
    "LogisticRegression",
    "LogisticRegressionCV",
    "PairwiseRanker",
    "PenaltyCurve",
    "Perceptron",
    "PerceptronRule",
    "PocketClassifier",
    "PolynomialRegressor",
    "QuadraticForm",
    "QuantileRegressor",
    "RankingError",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SGDClassifier",
    "SGDRegressor",
    "Separability",
    "Separation",
    "coefficient_report",
    "convergence_bound",
    "convergence_trace",
    "correct_priors",
    "enet_path",
    "intercept_without_priors",
    "is_linearly_separable",
    "lasso_path",
    "likelihood_ratio_test",
    "one_score",
    "pairs_from_clicks",
    "pairs_from_grades",
    "pruned",
    "quadratic_form",
    "ranking_error",
    "reference_form",
    "separation",
    "shift_intercept",
    "symmetric_form",
]
