"""Rule learners: covering, associative, tree-based and first-order rules, version spaces."""

from assay.rulebase.conditions import Condition
from assay.rulebase.rules import Rule, RuleBase
from assay.rules.associative.associative_classifier import AssociativeClassifier
from assay.rules.associative.cba_classifier import CBAClassifier
from assay.rules.associative.class_association_rules import class_association_rules
from assay.rules.associative.cmar_classifier import CMARClassifier
from assay.rules.associative.cpar_classifier import CPARClassifier
from assay.rules.associative.maximal_pattern_classifier import MaximalPatternClassifier
from assay.rules.associative.pattern_features import PatternFeatures
from assay.rules.cluster_rules import ClusterRules, GroupRules, describe_clusters
from assay.rules.covering.aq_classifier import AQClassifier
from assay.rules.covering.cn2_classifier import CN2Classifier
from assay.rules.covering.covering_classifier import SequentialCoveringClassifier
from assay.rules.covering.covering_regressor import CoveringRegressor
from assay.rules.covering.irep_classifier import IrepClassifier
from assay.rules.covering.learn_one_rule import growth_along, learn_one_rule
from assay.rules.covering.measure import RuleMeasure
from assay.rules.covering.prism_classifier import PrismClassifier
from assay.rules.covering.ripper_classifier import RipperClassifier
from assay.rules.covering.rule_growth import Growth
from assay.rules.covering.rule_pruning import RulePruning, prune_rules
from assay.rules.decision_table_classifier import DecisionTableClassifier
from assay.rules.editing import Effect, effect
from assay.rules.first_order.clauses import Clause, Literal, Variable, parse_clause
from assay.rules.first_order.facts import Facts
from assay.rules.first_order.foil import FOIL
from assay.rules.from_trees.c45_rules_classifier import C45RulesClassifier
from assay.rules.from_trees.m5_rules_regressor import M5RulesRegressor
from assay.rules.from_trees.part_classifier import PartClassifier
from assay.rules.linear_rule_classifier import LinearRuleClassifier
from assay.rules.memorising_rule_classifier import MemorisingRuleClassifier
from assay.rules.one_r_classifier import OneRClassifier
from assay.rules.other_answers import OtherAnswer, other_answers
from assay.rules.version_spaces.active_query import Query, active_queries, next_query
from assay.rules.version_spaces.ball_classifier import BallClassifier
from assay.rules.version_spaces.boolean_hypotheses import BooleanHypotheses
from assay.rules.version_spaces.box import Box
from assay.rules.version_spaces.box_classifier import BoxClassifier
from assay.rules.version_spaces.box_union_classifier import BoxUnionClassifier
from assay.rules.version_spaces.candidate_elimination import CandidateElimination
from assay.rules.version_spaces.hypothesis_errors import HypothesisErrors, hypothesis_areas, hypothesis_errors
from assay.rules.version_spaces.one_class_each import OneClassEach
from assay.rules.version_spaces.threshold_rule_classifier import ThresholdRuleClassifier
from assay.rules.version_spaces.version_space import VersionSpace

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
    "ClusterRules",
    "Condition",
    "CoveringRegressor",
    "DecisionTableClassifier",
    "Effect",
    "Facts",
    "GroupRules",
    "Growth",
    "HypothesisErrors",
    "IrepClassifier",
    "LinearRuleClassifier",
    "Literal",
    "M5RulesRegressor",
    "MaximalPatternClassifier",
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
    "RuleMeasure",
    "RulePruning",
    "SequentialCoveringClassifier",
    "ThresholdRuleClassifier",
    "Variable",
    "VersionSpace",
    "active_queries",
    "class_association_rules",
    "describe_clusters",
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
