"""Bayes classifiers: priors times likelihoods, from counts to Gaussians."""

from assay.bayes.bayesian_gaussian import BayesianGaussianClassifier
from assay.bayes.bernoulli_nb import BernoulliNB
from assay.bayes.categorical_nb import CategoricalNB
from assay.bayes.complement_nb import ComplementNB
from assay.bayes.dependency_graph import DependencyGraph, dependency_graph
from assay.bayes.dot_product_classifier import DotProductClassifier
from assay.bayes.fisher_directions import FisherDirections
from assay.bayes.fisher_discriminant import FisherDiscriminant
from assay.bayes.gaussian_classifier import DiscriminantFunctions, SingularCovarianceError
from assay.bayes.gaussian_classifier_cv import GaussianClassifierCV, covariance_parameters
from assay.bayes.gaussian_nb import GaussianNB
from assay.bayes.joint_bayes import JointBayes
from assay.bayes.laplace_nb import LaplaceNB
from assay.bayes.linear_discriminant import LinearDiscriminantAnalysis
from assay.bayes.multinomial_nb import MultinomialNB
from assay.bayes.naive_bayes import NaiveBayes
from assay.bayes.nearest_mean import NearestMean
from assay.bayes.quadratic_discriminant import QuadraticDiscriminantAnalysis
from assay.bayes.regularized_discriminant import RegularizedDiscriminantAnalysis
from assay.bayes.shared_diagonal_nb import SharedDiagonalNB
from assay.bayes.synthetic_table import SyntheticTable, synthetic_table
from assay.bayes.univariate_gaussian import UnivariateGaussianClassifier, decision_points

__all__ = [
    "BayesianGaussianClassifier",
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "DependencyGraph",
    "DiscriminantFunctions",
    "DotProductClassifier",
    "FisherDirections",
    "FisherDiscriminant",
    "GaussianClassifierCV",
    "GaussianNB",
    "JointBayes",
    "LaplaceNB",
    "LinearDiscriminantAnalysis",
    "MultinomialNB",
    "NaiveBayes",
    "NearestMean",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "SharedDiagonalNB",
    "SingularCovarianceError",
    "SyntheticTable",
    "UnivariateGaussianClassifier",
    "covariance_parameters",
    "decision_points",
    "dependency_graph",
    "synthetic_table",
]
