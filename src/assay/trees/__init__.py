"""Decision trees, model trees, soft and multivariate trees."""

from assay.trees.c45_classifier import C45Classifier
from assay.trees.cart_classifier import CARTClassifier
from assay.trees.cart_regressor import CARTRegressor
from assay.trees.columns import Columns, rank_columns
from assay.trees.continuous_tree_regressor import ContinuousTreeRegressor
from assay.trees.criteria import check_impurity
from assay.trees.criterion_table import criterion_table
from assay.trees.decision_tree_classifier import DecisionTreeClassifier
from assay.trees.decision_tree_regressor import DecisionTreeRegressor
from assay.trees.export import export_graphviz, export_text, plot_tree
from assay.trees.extra_tree import ExtraTreeClassifier, ExtraTreeRegressor
from assay.trees.forest_walker import ForestWalker
from assay.trees.graphviz import tree_graphviz
from assay.trees.growing import grow
from assay.trees.id3_classifier import ID3Classifier
from assay.trees.linear_leaf_classifier import LinearLeafClassifier
from assay.trees.model_tree_regressor import ModelTreeRegressor
from assay.trees.multivariate.fisher_tree import FisherTreeClassifier
from assay.trees.multivariate.hyperplanes import candidate_hyperplanes
from assay.trees.multivariate.lda_tree import LDATreeClassifier
from assay.trees.multivariate.linear_combination_tree import LinearCombinationTreeClassifier
from assay.trees.multivariate.linear_combination_tree_regressor import LinearCombinationTreeRegressor
from assay.trees.multivariate.linear_machine_tree import LinearMachineTreeClassifier
from assay.trees.multivariate.neural_tree import NeuralTreeClassifier
from assay.trees.multivariate.oc1 import OC1Classifier
from assay.trees.multivariate.omnivariate_tree import OmnivariateTreeClassifier
from assay.trees.multivariate.quadratic_tree import QuadraticTreeClassifier
from assay.trees.multivariate.soft_margin_tree import SoftMarginTreeClassifier
from assay.trees.multivariate.sphere_tree import SphereTreeClassifier
from assay.trees.outline import Outline, outline_of
from assay.trees.packed_forest import PackedForest
from assay.trees.pruning import prune
from assay.trees.rule_pruning import simplify
from assay.trees.rules import Rule, RuleBase, rules_of
from assay.trees.shap import contributions, interactions
from assay.trees.soft_tree_classifier import SoftTreeClassifier
from assay.trees.soft_tree_regressor import SoftTreeRegressor
from assay.trees.svg import tree_html, tree_svg
from assay.trees.text import tree_text
from assay.trees.textbook_tree_classifier import TextbookTreeClassifier
from assay.trees.textbook_tree_regressor import TextbookTreeRegressor
from assay.trees.tree import Tree
from assay.trees.tree_features import (
    TreeFeatureSelector,
    closeness_to_root,
    neighbors_from_tree,
    used_features,
)
from assay.trees.tree_learner import TreeLearner

__all__ = [
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "Columns",
    "ContinuousTreeRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "FisherTreeClassifier",
    "ForestWalker",
    "ID3Classifier",
    "LDATreeClassifier",
    "LinearCombinationTreeClassifier",
    "LinearCombinationTreeRegressor",
    "LinearLeafClassifier",
    "LinearMachineTreeClassifier",
    "ModelTreeRegressor",
    "NeuralTreeClassifier",
    "OC1Classifier",
    "OmnivariateTreeClassifier",
    "Outline",
    "PackedForest",
    "QuadraticTreeClassifier",
    "Rule",
    "RuleBase",
    "SoftMarginTreeClassifier",
    "SoftTreeClassifier",
    "SoftTreeRegressor",
    "SphereTreeClassifier",
    "TextbookTreeClassifier",
    "TextbookTreeRegressor",
    "Tree",
    "TreeFeatureSelector",
    "TreeLearner",
    "candidate_hyperplanes",
    "check_impurity",
    "closeness_to_root",
    "contributions",
    "criterion_table",
    "export_graphviz",
    "export_text",
    "grow",
    "interactions",
    "neighbors_from_tree",
    "outline_of",
    "plot_tree",
    "prune",
    "rank_columns",
    "rules_of",
    "simplify",
    "tree_graphviz",
    "tree_html",
    "tree_svg",
    "tree_text",
    "used_features",
]
