"""Learners of rules that people can read, check and change."""

from assay.rules.rule_learner import RuleClassifier, RuleRegressor, class_rules

__all__ = ["RuleClassifier", "RuleRegressor", "class_rules"]
