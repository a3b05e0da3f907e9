"""Bayes classifiers: priors times likelihoods, from counts to Gaussians."""

from assay.bayes.bernoulli_nb import BernoulliNB
from assay.bayes.categorical_nb import CategoricalNB
from assay.bayes.complement_nb import ComplementNB
from assay.bayes.dot_product_classifier import DotProductClassifier
from assay.bayes.gaussian_nb import GaussianNB
from assay.bayes.joint_bayes import JointBayes
from assay.bayes.linear_discriminant import LinearDiscriminantAnalysis
from assay.bayes.multinomial_nb import MultinomialNB
from assay.bayes.naive_bayes import NaiveBayes
from assay.bayes.nearest_mean import NearestMean
from assay.bayes.quadratic_discriminant import QuadraticDiscriminantAnalysis
from assay.bayes.regularized_discriminant import RegularizedDiscriminantAnalysis
from assay.bayes.shared_diagonal_nb import SharedDiagonalNB

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "DotProductClassifier",
    "GaussianNB",
    "JointBayes",
    "LinearDiscriminantAnalysis",
    "MultinomialNB",
    "NaiveBayes",
    "NearestMean",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "SharedDiagonalNB",
]
