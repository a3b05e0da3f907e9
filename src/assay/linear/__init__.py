"""Linear classifiers, regressors and rankers."""

from assay.linear.bayesian.ard_regression import ARDRegression
from assay.linear.bayesian.bayesian_generalized_linear_model import BayesianGeneralizedLinearModel
from assay.linear.bayesian.bayesian_linear_regression import BayesianLinearRegression
from assay.linear.bayesian.bayesian_logistic_regression import BayesianLogisticRegression
from assay.linear.bayesian.bayesian_ridge import BayesianRidge
from assay.linear.bayesian.model_averaging_regressor import ModelAveragingRegressor
from assay.linear.bayesian.penalties import lasso_penalty, ridge_penalty
from assay.linear.bayesian.posterior_table import PosteriorTable
from assay.linear.coefficient_report import CoefficientReport, coefficient_report, pruned
from assay.linear.discriminants.convergence import convergence_bound, convergence_trace
from assay.linear.discriminants.flexible_discriminant import FlexibleDiscriminantAnalysis
from assay.linear.discriminants.least_squares_classifier import LeastSquaresClassifier
from assay.linear.discriminants.perceptron import Perceptron
from assay.linear.discriminants.perceptron_rule import PerceptronRule
from assay.linear.discriminants.pocket import PocketClassifier
from assay.linear.discriminants.ridge_classifier import RidgeClassifier
from assay.linear.discriminants.ridge_classifier_cv import RidgeClassifierCV
from assay.linear.generalized.gamma_regressor import GammaRegressor
from assay.linear.generalized.generalized_linear_model import GeneralizedLinearModel
from assay.linear.generalized.poisson_regressor import PoissonRegressor
from assay.linear.generalized.tweedie_regressor import TweedieRegressor
from assay.linear.gradient.sgd_classifier import SGDClassifier
from assay.linear.gradient.sgd_regressor import SGDRegressor
from assay.linear.hyperplane import Hyperplane
from assay.linear.inference.coefficient_table import CoefficientTable, CoefficientTest
from assay.linear.inference.likelihood_ratio import likelihood_ratio_test
from assay.linear.inference.summary import Inference
from assay.linear.logistic.independent_sigmoids import IndependentSigmoids
from assay.linear.logistic.logistic_discriminant import LogisticDiscriminant
from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.linear.logistic.logistic_regression_cv import LogisticRegressionCV
from assay.linear.logistic.parametrisation import one_score, reference_form, symmetric_form
from assay.linear.logistic.prior_correction import correct_priors, intercept_without_priors, shift_intercept
from assay.linear.ordinal.ordinal_logistic_regression import OrdinalLogisticRegression
from assay.linear.quadratic_form import QuadraticForm, quadratic_form
from assay.linear.ranking.pairwise_ranker import PairwiseRanker
from assay.linear.ranking.ranking_pairs import (
    RankingError,
    pairs_from_clicks,
    pairs_from_grades,
    ranking_error,
)
from assay.linear.regression.elastic_net import ElasticNet
from assay.linear.regression.elastic_net_cv import ElasticNetCV
from assay.linear.regression.epsilon_insensitive_regressor import EpsilonInsensitiveRegressor
from assay.linear.regression.huber_regressor import HuberRegressor
from assay.linear.regression.lasso import Lasso
from assay.linear.regression.lasso_cv import LassoCV
from assay.linear.regression.linear_regression import LinearRegression
from assay.linear.regression.paths import enet_path, lasso_path
from assay.linear.regression.penalty_curve import PenaltyCurve
from assay.linear.regression.polynomial_regressor import ExtrapolationWarning, PolynomialRegressor
from assay.linear.regression.quantile_regressor import QuantileRegressor
from assay.linear.regression.ridge import Ridge
from assay.linear.regression.ridge_cv import RidgeCV
from assay.linear.separation.separability import Separability, Separation, is_linearly_separable, separation

__all__ = [
    "ARDRegression",
    "BayesianGeneralizedLinearModel",
    "BayesianLinearRegression",
    "BayesianLogisticRegression",
    "BayesianRidge",
    "CoefficientReport",
    "CoefficientTable",
    "CoefficientTest",
    "ElasticNet",
    "ElasticNetCV",
    "EpsilonInsensitiveRegressor",
    "ExtrapolationWarning",
    "FlexibleDiscriminantAnalysis",
    "GammaRegressor",
    "GeneralizedLinearModel",
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
    "ModelAveragingRegressor",
    "OrdinalLogisticRegression",
    "PairwiseRanker",
    "PenaltyCurve",
    "Perceptron",
    "PerceptronRule",
    "PocketClassifier",
    "PoissonRegressor",
    "PolynomialRegressor",
    "PosteriorTable",
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
    "TweedieRegressor",
    "coefficient_report",
    "convergence_bound",
    "convergence_trace",
    "correct_priors",
    "enet_path",
    "intercept_without_priors",
    "is_linearly_separable",
    "lasso_path",
    "lasso_penalty",
    "likelihood_ratio_test",
    "one_score",
    "pairs_from_clicks",
    "pairs_from_grades",
    "pruned",
    "quadratic_form",
    "ranking_error",
    "reference_form",
    "ridge_penalty",
    "separation",
    "shift_intercept",
    "symmetric_form",
]
