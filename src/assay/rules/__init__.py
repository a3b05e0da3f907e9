"""Learners of rules that people can read, check and change."""

from assay.core.conditions import Condition
from assay.core.rules import Rule, RuleBase
from assay.rules.active_query import Query, active_queries, next_query
from assay.rules.aq_classifier import AQClassifier
from assay.rules.associative_classifier import AssociativeClassifier
from assay.rules.ball_classifier import BallClassifier
from assay.rules.boolean_hypotheses import BooleanHypotheses
from assay.rules.box import Box
from assay.rules.box_classifier import BoxClassifier
from assay.rules.box_union_classifier import BoxUnionClassifier
from assay.rules.c45_rules_classifier import C45RulesClassifier
from assay.rules.candidate_elimination import CandidateElimination
from assay.rules.cba_classifier import CBAClassifier
from assay.rules.class_association_rules import class_association_rules
from assay.rules.cmar_classifier import CMARClassifier
from assay.rules.cn2_classifier import CN2Classifier
from assay.rules.covering_classifier import SequentialCoveringClassifier
from assay.rules.covering_regressor import CoveringRegressor
from assay.rules.cpar_classifier import CPARClassifier
from assay.rules.decision_table_classifier import DecisionTableClassifier
from assay.rules.editing import Effect, effect
from assay.rules.facts import Facts
from assay.rules.first_order import Clause, Literal, Variable, parse_clause
from assay.rules.foil import FOIL
from assay.rules.hypothesis_errors import HypothesisErrors, hypothesis_areas, hypothesis_errors
from assay.rules.irep_classifier import IrepClassifier
from assay.rules.learn_one_rule import growth_along, learn_one_rule
from assay.rules.linear_rule_classifier import LinearRuleClassifier
from assay.rules.m5_rules_regressor import M5RulesRegressor
from assay.rules.maximal_pattern_classifier import MaximalPatternClassifier
from assay.rules.measure import Measure
from assay.rules.memorising_rule_classifier import MemorisingRuleClassifier
from assay.rules.one_class_each import OneClassEach
from assay.rules.one_r_classifier import OneRClassifier
from assay.rules.other_answers import OtherAnswer, other_answers
from assay.rules.part_classifier import PartClassifier
from assay.rules.pattern_features import PatternFeatures
from assay.rules.prism_classifier import PrismClassifier
from assay.rules.ripper_classifier import RipperClassifier
from assay.rules.rule_growth import Growth
from assay.rules.rule_pruning import RulePruning, prune_rules
from assay.rules.threshold_rule_classifier import ThresholdRuleClassifier
from assay.rules.version_space import VersionSpace

__all__ = [
    "FOIL",
    "AQClassifier",
    "AssociativeClassifier",
    "BallClassifier",
    "BooleanHypotheses",
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
    "Condition",
    "CoveringRegressor",
    "DecisionTableClassifier",
    "Effect",
    "Facts",
    "Growth",
    "HypothesisErrors",
    "IrepClassifier",
    "LinearRuleClassifier",
    "Literal",
    "M5RulesRegressor",
    "MaximalPatternClassifier",
    "Measure",
    "MemorisingRuleClassifier",
    "OneClassEach",
    "OneRClassifier",
    "OtherAnswer",
    "PartClassifier",
    "PatternFeatures",
    "PrismClassifier",
    "Query",
    "RipperClassifier",
    "Rule",
    "RuleBase",
    "RulePruning",
    "SequentialCoveringClassifier",
    "ThresholdRuleClassifier",
    "Variable",
    "VersionSpace",
    "active_queries",
    "class_association_rules",
    "effect",
    "growth_along",
    "hypothesis_areas",
    "hypothesis_errors",
    "learn_one_rule",
    "next_query",
    "other_answers",
    "parse_clause",
    "prune_rules",
]
