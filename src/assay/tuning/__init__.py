"""Tuning: parameters chosen by resampling the training rows, and the error of a tuned learner."""

from assay.tuning.bayesian_optimization import BayesianOptimization
from assay.tuning.nested import Nested, nested
from assay.tuning.optimization import Try
from assay.tuning.random_optimization import RandomOptimization
from assay.tuning.space import Category, Quantiles, Real, Space, Whole
from assay.tuning.spaces import default_space
from assay.tuning.tree_parzen_optimization import TreeParzenOptimization
from assay.tuning.tuned import Tuned, TunedRegressor

# Not in the list below: it is scikit-learn's search class, with its attributes, and keeps none of our learners'
# promises (model files, show, reasons). Those are kept by Tuned.
from assay.tuning.bayes_search_cv import BayesSearchCV as BayesSearchCV  # isort: skip

__all__ = [
    "BayesianOptimization",
    "Category",
    "Nested",
    "Quantiles",
    "RandomOptimization",
    "Real",
    "Space",
    "TreeParzenOptimization",
    "Try",
    "Tuned",
    "TunedRegressor",
    "Whole",
    "default_space",
    "nested",
]
