"""Classifiers that are networks: of raw tables with categories, numbers and missing values."""

from assay.graphs.classifiers.aode import AODEClassifier
from assay.graphs.classifiers.kdb import KDBClassifier
from assay.graphs.classifiers.network_classifier import BayesianNetworkClassifier
from assay.graphs.classifiers.tan import TANClassifier

__all__ = ["AODEClassifier", "BayesianNetworkClassifier", "KDBClassifier", "TANClassifier"]
