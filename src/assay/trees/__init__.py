"""Trees: learners that ask one question after the other, and can be read."""

from assay.trees.c45_classifier import C45Classifier
from assay.trees.criteria import check_impurity
from assay.trees.criterion_table import criterion_table
from assay.trees.graphviz import tree_graphviz
from assay.trees.grove import Grove
from assay.trees.id3_classifier import ID3Classifier
from assay.trees.outline import Outline, outline_of
from assay.trees.pruning import prune
from assay.trees.rule_pruning import simplify
from assay.trees.rules import Rule, RuleBase, rules_of
from assay.trees.shap import contributions
from assay.trees.svg import tree_svg
from assay.trees.text import tree_text
from assay.trees.textbook_tree_classifier import TextbookTreeClassifier
from assay.trees.textbook_tree_regressor import TextbookTreeRegressor
from assay.trees.tree import Tree
from assay.trees.tree_learner import TreeLearner

__all__ = [
    "C45Classifier",
    "Grove",
    "ID3Classifier",
    "Outline",
    "Rule",
    "RuleBase",
    "TextbookTreeClassifier",
    "TextbookTreeRegressor",
    "Tree",
    "TreeLearner",
    "check_impurity",
    "contributions",
    "criterion_table",
    "outline_of",
    "prune",
    "rules_of",
    "simplify",
    "tree_graphviz",
    "tree_svg",
    "tree_text",
]
