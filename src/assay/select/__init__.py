"""Choosing columns (and members): filters, searches around a learner, embedded selection, how stable a choice is."""

from assay.select.embedded.rfe import RFE
from assay.select.embedded.rfecv import RFECV
from assay.select.embedded.select_by_lasso_path import SelectByLassoPath
from assay.select.embedded.select_by_permutation import SelectByPermutation
from assay.select.embedded.select_by_significance import SelectBySignificance
from assay.select.embedded.select_by_weights import SelectByWeights
from assay.select.embedded.select_from_model import SelectFromModel
from assay.select.filters.cfs_selector import CFSSelector
from assay.select.filters.chi_squared import chi2
from assay.select.filters.discriminating_words import DiscriminatingWords, discriminating_words
from assay.select.filters.f_tests import f_classif, f_oneway, f_regression, r_regression
from assay.select.filters.feature_scores import FeatureScores, feature_scores
from assay.select.filters.generic_univariate_select import GenericUnivariateSelect
from assay.select.filters.mrmr_selector import MRMRSelector
from assay.select.filters.mutual_info import mutual_info_classif, mutual_info_regression
from assay.select.filters.redundancy_filter import RedundancyFilter
from assay.select.filters.relieff import relieff
from assay.select.filters.select_fdr import SelectFdr
from assay.select.filters.select_fpr import SelectFpr
from assay.select.filters.select_fwe import SelectFwe
from assay.select.filters.select_k_best import SelectKBest
from assay.select.filters.select_percentile import SelectPercentile
from assay.select.filters.separability import class_separability, separability_scores
from assay.select.filters.separability_selector import SeparabilitySelector
from assay.select.filters.variance_threshold import VarianceThreshold
from assay.select.members.ensemble_selection_classifier import EnsembleSelectionClassifier
from assay.select.members.ensemble_selection_regressor import EnsembleSelectionRegressor
from assay.select.members.model_library import ModelLibrary
from assay.select.members.select_members import MemberSelection, select_members
from assay.select.nested_selection import NestedSelection, nested_selection
from assay.select.search.annealing import Annealing
from assay.select.search.beam import Beam
from assay.select.search.branch_and_bound import BranchAndBound
from assay.select.search.exhaustive import Exhaustive
from assay.select.search.floating import Floating
from assay.select.search.genetic import Genetic
from assay.select.search.plus_minus import PlusMinus
from assay.select.search.proposals import Proposals
from assay.select.search.search import SearchResult, search_subsets
from assay.select.search.sequential import Backward, Forward
from assay.select.search.stop import AtMost, AtSize, Improves, Patience, Significant
from assay.select.sequential_feature_selector import SequentialFeatureSelector
from assay.select.stability.all_relevant_selection import AllRelevantSelection
from assay.select.stability.selection_frequency import SelectionFrequency, selection_frequency
from assay.select.stability.stability_index import StabilityIndex, stability_index
from assay.select.stability.stability_selection import StabilitySelection, expected_false_bound
from assay.select.subset_selector import SubsetSelector
from assay.select.subsets.subset_scores import FunctionScores, SubsetScores, subset_scores
from assay.select.trace import Round, Trace

__all__ = [
    "RFE",
    "RFECV",
    "AllRelevantSelection",
    "Annealing",
    "AtMost",
    "AtSize",
    "Backward",
    "Beam",
    "BranchAndBound",
    "CFSSelector",
    "DiscriminatingWords",
    "EnsembleSelectionClassifier",
    "EnsembleSelectionRegressor",
    "Exhaustive",
    "FeatureScores",
    "Floating",
    "Forward",
    "FunctionScores",
    "GenericUnivariateSelect",
    "Genetic",
    "Improves",
    "MRMRSelector",
    "MemberSelection",
    "ModelLibrary",
    "NestedSelection",
    "Patience",
    "PlusMinus",
    "Proposals",
    "RedundancyFilter",
    "Round",
    "SearchResult",
    "SelectByLassoPath",
    "SelectByPermutation",
    "SelectBySignificance",
    "SelectByWeights",
    "SelectFdr",
    "SelectFpr",
    "SelectFromModel",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "SelectionFrequency",
    "SeparabilitySelector",
    "SequentialFeatureSelector",
    "Significant",
    "StabilityIndex",
    "StabilitySelection",
    "SubsetScores",
    "SubsetSelector",
    "Trace",
    "VarianceThreshold",
    "chi2",
    "class_separability",
    "discriminating_words",
    "expected_false_bound",
    "f_classif",
    "f_oneway",
    "f_regression",
    "feature_scores",
    "mutual_info_classif",
    "mutual_info_regression",
    "nested_selection",
    "r_regression",
    "relieff",
    "search_subsets",
    "select_members",
    "selection_frequency",
    "separability_scores",
    "stability_index",
    "subset_scores",
]
