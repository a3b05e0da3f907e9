"""Learners of rules that people can read, check and change."""

from assay.rules.aq_classifier import AQClassifier
from assay.rules.associative_classifier import AssociativeClassifier
from assay.rules.ball_classifier import BallClassifier
from assay.rules.box import Box
from assay.rules.box_classifier import BoxClassifier
from assay.rules.box_union_classifier import BoxUnionClassifier
from assay.rules.c45_rules_classifier import C45RulesClassifier
from assay.rules.candidate_elimination import CandidateElimination
from assay.rules.candidates import Measure
from assay.rules.cba_classifier import CBAClassifier
from assay.rules.class_association_rules import class_association_rules
from assay.rules.cmar_classifier import CMARClassifier
from assay.rules.cn2_classifier import CN2Classifier
from assay.rules.covering_classifier import SequentialCoveringClassifier
from assay.rules.covering_regressor import CoveringRegressor
from assay.rules.cpar_classifier import CPARClassifier
from assay.rules.decision_table_classifier import DecisionTableClassifier
from assay.rules.facts import Facts
from assay.rules.first_order import Clause, Literal, Variable, parse_clause
from assay.rules.foil import FOIL
from assay.rules.irep_classifier import IrepClassifier
from assay.rules.learn_one_rule import Growth, learn_one_rule
from assay.rules.linear_rule_classifier import LinearRuleClassifier
from assay.rules.m5_rules_regressor import M5RulesRegressor
from assay.rules.maximal_pattern_classifier import MaximalPatternClassifier
from assay.rules.memorising_rule_classifier import MemorisingRuleClassifier
from assay.rules.one_r_classifier import OneRClassifier
from assay.rules.part_classifier import PartClassifier
from assay.rules.pattern_features import PatternFeatures
from assay.rules.prism_classifier import PrismClassifier
from assay.rules.ripper_classifier import RipperClassifier
from assay.rules.rule_learner import RuleClassifier, RuleRegressor, class_rules
from assay.rules.rule_pruning import RulePruning, prune_rules
from assay.rules.threshold_rule_classifier import ThresholdRuleClassifier
from assay.rules.version_space import VersionSpace

__all__ = [
    "FOIL",
    "AQClassifier",
    "AssociativeClassifier",
    "BallClassifier",
    "Box",
    "BoxClassifier",
    "BoxUnionClassifier",
    "C45RulesClassifier",
    "CBAClassifier",
    "CMARClassifier",
    "CN2Classifier",
    "CPARClassifier",
    "CandidateElimination",
    "Clause",
    "CoveringRegressor",
    "DecisionTableClassifier",
    "Facts",
    "Growth",
    "IrepClassifier",
    "LinearRuleClassifier",
    "Literal",
    "M5RulesRegressor",
    "MaximalPatternClassifier",
    "Measure",
    "MemorisingRuleClassifier",
    "OneRClassifier",
    "PartClassifier",
    "PatternFeatures",
    "PrismClassifier",
    "RipperClassifier",
    "RuleClassifier",
    "RulePruning",
    "RuleRegressor",
    "SequentialCoveringClassifier",
    "ThresholdRuleClassifier",
    "Variable",
    "VersionSpace",
    "class_association_rules",
    "class_rules",
    "learn_one_rule",
    "parse_clause",
    "prune_rules",
]
