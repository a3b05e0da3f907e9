"""Where to look for the parameters of our main learners, if nobody says where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.errors import ParameterError
from assay.learners import KIND_OF_TASK, Entry, find_learner
from assay.tuning.space import Category, Real, Whole

__all__ = ["default_space", "learners_with_spaces"]

Spaces = Callable[[int, int], dict[str, Any]]  # of the numbers of rows and of columns

PENALTY = Real(1e-3, 1e3, log=True)


def _neighbours(n: int, d: int) -> dict[str, Any]:
    return {
        "n_neighbors": Whole(1, max(2, min(100, n // 3)), log=True),
        "weights": Category(["uniform", "distance"]),
        "p": Category([1, 2]),
    }


def _forest(n: int, d: int) -> dict[str, Any]:
    return {
        "max_features": Real(min(0.9, max(0.05, 1.0 / d)), 1.0),
        "min_samples_leaf": Whole(1, max(2, min(50, n // 10)), log=True),
        "max_depth": Category([None, 4, 8, 16]),
    }


def _boosting(n: int, d: int) -> dict[str, Any]:
    return {
        "learning_rate": Real(0.01, 0.5, log=True),
        "max_iter": Whole(20, 400, log=True),
        "max_leaf_nodes": Whole(3, 63, log=True),
        "min_samples_leaf": Whole(1, max(2, min(100, n // 5)), log=True),
        "l2_regularization": Real(1e-3, 100.0, log=True),
    }


def _gradient_boosting(n: int, d: int) -> dict[str, Any]:
    return {
        "learning_rate": Real(0.01, 0.5, log=True),
        "n_estimators": Whole(20, 300, log=True),
        "max_depth": Whole(1, 6),
        "subsample": Real(0.4, 1.0),
    }


def _machine(n: int, d: int) -> dict[str, Any]:
    return {
        "C": Real(0.01, 1000.0, log=True),
        "kernel": Category(["rbf", "linear"]),
        "gamma": Real(1e-4, 10.0, log=True, when={"kernel": "rbf"}),
    }


def _tube(n: int, d: int) -> dict[str, Any]:
    return {**_machine(n, d), "epsilon": Real(1e-3, 1.0, log=True)}


def _tree(n: int, d: int) -> dict[str, Any]:
    return {
        "max_depth": Whole(1, 20),
        "min_samples_leaf": Whole(1, max(2, min(100, n // 5)), log=True),
        "ccp_alpha": Real(1e-6, 0.05, log=True),
    }


SPACES: dict[str, Spaces] = {  # by the names of the classes
    "AdaBoostClassifier": lambda n, d: {
        "n_estimators": Whole(10, 300, log=True),
        "learning_rate": Real(0.05, 2.0, log=True),
    },
    "BernoulliNB": lambda n, d: {"alpha": Real(1e-3, 100.0, log=True)},
    "C45Classifier": lambda n, d: {
        "confidence": Real(0.01, 0.5, log=True),
        "min_samples_leaf": Whole(1, max(2, min(50, n // 10)), log=True),
    },
    "CategoricalNB": lambda n, d: {"alpha": Real(1e-3, 100.0, log=True)},
    "DecisionTreeClassifier": _tree,
    "DecisionTreeRegressor": _tree,
    "ElasticNet": lambda n, d: {"alpha": Real(1e-4, 100.0, log=True), "l1_ratio": Real(0.01, 1.0)},
    "ExtraTreesClassifier": _forest,
    "ExtraTreesRegressor": _forest,
    "GaussianNB": lambda n, d: {"var_smoothing": Real(1e-12, 1.0, log=True)},
    "GaussianProcessClassifier": lambda n, d: {"kernel": Category(["rbf", "laplacian", "linear"])},
    "GaussianProcessRegressor": lambda n, d: {"alpha": Real(1e-6, 1.0, log=True)},
    "GradientBoostingClassifier": _gradient_boosting,
    "GradientBoostingRegressor": _gradient_boosting,
    "HistGradientBoostingClassifier": _boosting,
    "HistGradientBoostingRegressor": _boosting,
    "KNeighborsClassifier": _neighbours,
    "KNeighborsRegressor": _neighbours,
    "KernelLogisticRegression": lambda n, d: {"C": PENALTY, "gamma": Real(1e-4, 10.0, log=True)},
    "KernelRidge": lambda n, d: {
        "alpha": PENALTY,
        "kernel": Category(["rbf", "linear"]),
        "gamma": Real(1e-4, 10.0, log=True, when={"kernel": "rbf"}),
    },
    "Lasso": lambda n, d: {"alpha": Real(1e-4, 100.0, log=True)},
    "LinearSVC": lambda n, d: {"C": PENALTY},
    "LogisticRegression": lambda n, d: {"C": PENALTY},
    "MultinomialNB": lambda n, d: {"alpha": Real(1e-3, 100.0, log=True)},
    "RandomForestClassifier": _forest,
    "RandomForestRegressor": _forest,
    "RegularizedDiscriminantAnalysis": lambda n, d: {
        "alpha": Real(1e-3, 0.5, log=True),
        "beta": Real(0.0, 0.5),
    },
    "Ridge": lambda n, d: {"alpha": PENALTY},
    "RidgeClassifier": lambda n, d: {"alpha": PENALTY},
    "RipperClassifier": lambda n, d: {"k": Whole(0, 4), "prune_share": Real(0.2, 0.5)},
    "SVC": _machine,
    "SVR": _tube,
}


def learners_with_spaces(task: str = "classification") -> list[str]:
    """The short names of the learners that have a space by default.

    >>> from assay.tuning.spaces import learners_with_spaces
    >>> "knn" in learners_with_spaces(), "lasso" in learners_with_spaces("regression")
    (True, True)
    """
    from assay.learners import learners

    return [name for name, entry in learners(KIND_OF_TASK[task]).items() if entry.class_name in SPACES]


def default_space(learner: str, n: int = 1000, d: int = 10, task: str = "classification") -> dict[str, Any]:
    """The parameters of a learner that are worth tuning, and where to look for them.

    Parameters
    ----------
    learner : str
        Its short name.
    n, d : int
        Rows and columns of the table: neighbours and leaves are not larger than what is there.
    task : "classification" or "regression"

    Examples
    --------
    >>> from assay.tuning import default_space
    >>> default_space("logistic")
    {'C': Real(low=0.001, high=1000.0, log=True, when=None)}
    """
    entry: Entry = find_learner(learner, KIND_OF_TASK[task])
    if entry.class_name not in SPACES:
        raise ParameterError(
            f"{entry.name} has no space by default. Say where to look (--space NAME=RANGE, in Python a dict), or take "
            f"one of {', '.join(learners_with_spaces(task))}."
        )
    return SPACES[entry.class_name](n, max(d, 1))
