"""Learners of rules that people can read, check and change."""

from assay.rules.one_r_classifier import OneRClassifier
from assay.rules.rule_learner import RuleClassifier, RuleRegressor, class_rules

__all__ = [
    "OneRClassifier",
    "RuleClassifier",
    "RuleRegressor",
    "class_rules",
]
