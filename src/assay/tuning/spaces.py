"""Where to look for the parameters of each learner, if nobody says where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.errors import ParameterError
from assay.learners import KIND_OF_TASK, Entry, find_learner
from assay.tuning.space import Category, Real, Whole

__all__ = ["NOTHING_TO_TUNE", "default_space", "learners_with_spaces"]

Spaces = Callable[[int, int], dict[str, Any]]  # of the numbers of rows and of columns

PENALTY = Real(1e-3, 1e3, log=True)


GAMMA = Real(1e-4, 10.0, log=True)
SHARE = Real(0.0, 1.0)
SMOOTHING = Real(1e-12, 1.0, log=True)
COUNTS = Real(1e-3, 100.0, log=True)  # added to counts


def _leaves(n: int, most: int = 100) -> Whole:
    return Whole(1, max(2, min(most, n // 5)), log=True)


def _near(n: int, low: int = 1) -> Whole:
    return Whole(low, max(low + 1, min(100, n // 3)), log=True)


def _always(**space: Any) -> Spaces:
    """A space that does not depend on the table."""
    return lambda n, d: dict(space)


def _neighbours(n: int, d: int) -> dict[str, Any]:
    return {
        "n_neighbors": _near(n),
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
        "min_samples_leaf": _leaves(n),
        "l2_regularization": Real(1e-3, 100.0, log=True),
    }


def _gradient_boosting(n: int, d: int) -> dict[str, Any]:
    return {
        "learning_rate": Real(0.01, 0.5, log=True),
        "n_estimators": Whole(20, 300, log=True),
        "max_depth": Whole(1, 6),
        "subsample": Real(0.4, 1.0),
    }


def _rounds(n: int, d: int) -> dict[str, Any]:
    return {"n_estimators": Whole(10, 300, log=True), "learning_rate": Real(0.05, 2.0, log=True)}


def _bagging(n: int, d: int) -> dict[str, Any]:
    return {
        "n_estimators": Whole(10, 100, log=True),
        "max_samples": Real(0.3, 1.0),
        "max_features": Real(min(0.9, max(0.3, 1.0 / d)), 1.0),
    }


def _of_kernel(n: int, d: int) -> dict[str, Any]:
    return {
        "kernel": Category(["rbf", "linear"]),
        "gamma": Real(1e-4, 10.0, log=True, when={"kernel": "rbf"}),
    }


def _machine(n: int, d: int) -> dict[str, Any]:
    return {"C": Real(0.01, 1000.0, log=True), **_of_kernel(n, d)}


def _tube(n: int, d: int) -> dict[str, Any]:
    return {**_machine(n, d), "epsilon": Real(1e-3, 1.0, log=True)}


def _several_kernels(n: int, d: int) -> dict[str, Any]:
    return {"C": Real(0.01, 1000.0, log=True), "gamma": GAMMA}


def _tree(n: int, d: int) -> dict[str, Any]:
    return {
        "max_depth": Whole(1, 20),
        "min_samples_leaf": _leaves(n),
        "ccp_alpha": Real(1e-6, 0.05, log=True),
    }


def _grown(**more: Any) -> Spaces:
    """A tree whose growth depth and leaves limit, with parameters of its own."""
    return lambda n, d: {"max_depth": Category([None, 2, 4, 8]), "min_samples_leaf": _leaves(n), **more}


def _smooth(n: int, d: int) -> dict[str, Any]:
    return {"n_neighbors": _near(n, 2)}


def _items(**more: Any) -> Spaces:
    """A classifier by frequent item sets."""
    return _always(min_support=Real(0.005, 0.2, log=True), min_confidence=Real(0.3, 0.95), **more)


def _gradient_steps(n: int, d: int) -> dict[str, Any]:
    return {"error": Category(["cross_entropy", "squared_error"]), "max_iter": Whole(10, 2000, log=True)}


def _components(n: int, d: int) -> dict[str, Any]:
    return {"n_components": Whole(1, max(2, min(d, 20)))} if d > 1 else {"scale": Category([True, False])}


def _network(n: int, d: int) -> dict[str, Any]:
    return {
        "hidden_layer_sizes": Category([(10,), (30,), (100,), (100, 50)]),
        "alpha": Real(1e-6, 1.0, log=True),
        "learning_rate_init": Real(1e-4, 0.05, log=True),
    }


def _tabular_network(n: int, d: int) -> dict[str, Any]:
    return {
        "learning_rate_init": Real(5e-4, 0.02, log=True),
        "alpha": Real(1e-5, 0.3, log=True),
        "dropout": Real(0.0, 0.5),
        "hidden_layer_sizes": Category([(64,), (128, 128), (256, 256)]),
    }


def _layers(n: int, d: int) -> dict[str, Any]:
    return {"alpha": Real(1e-6, 1.0, log=True), "learning_rate_init": Real(1e-4, 0.05, log=True)}


def _bumps(n: int, d: int) -> dict[str, Any]:
    return {
        "n_units": Whole(2, max(3, min(100, n // 5)), log=True),
        "normalize": Category([False, True]),
        "alpha": Real(1e-6, 1.0, log=True),
    }


def _experts(n: int, d: int) -> dict[str, Any]:
    return {
        "n_experts": Whole(1, max(2, min(10, n // 30))),
        "training": Category(["em", "cooperative"]),
        "alpha": Real(1e-4, 10.0, log=True),
    }


def _tree_of_experts(n: int, d: int) -> dict[str, Any]:
    return {
        "depth": Whole(1, 3),
        "training": Category(["em", "cooperative"]),
        "alpha": Real(1e-4, 10.0, log=True),
    }


def _highest_degree(d: int) -> int:
    """Of polynomials of d columns with some hundred terms at the most, from 2 to 5."""
    from math import comb

    return next((degree for degree in (5, 4, 3) if comb(d + degree, degree) <= 500), 2)


SPACES: dict[str, Spaces] = {  # by the names of the classes
    "AODEClassifier": _always(alpha=COUNTS, min_count=Real(0.0, 30.0)),
    "AQClassifier": _always(max_star=Whole(1, 30, log=True), seeds=Category(["first", "random"])),
    "ARDRegression": _always(threshold_lambda=Real(1e2, 1e6, log=True), lambda_1=Real(1e-8, 1e-2, log=True)),
    "AdaBoostClassifier": _rounds,
    "AdaBoostM2Classifier": _rounds,
    "AdaBoostRegressor": lambda n, d: {
        **_rounds(n, d),
        "loss": Category(["linear", "square", "exponential"]),
    },
    "AdaptiveNeighborsClassifier": lambda n, d: {
        "n_neighbors": _near(n),
        "epsilon": Real(0.01, 10.0, log=True),
        "n_iter": Whole(0, 3),
    },
    "AssociativeClassifier": _items(
        top=Whole(1, 20, log=True), vote=Category(["votes", "confidence", "support", "product"])
    ),
    "BaggingClassifier": _bagging,
    "BaggingRegressor": _bagging,
    "BallClassifier": _always(
        shape=Category(["ball", "axes", "tilted"]), hypothesis=Category(["middle", "specific"])
    ),
    "BayesianGaussianClassifier": _always(
        covariance=Category(["full", "diag"]), kappa=Real(1e-3, 100.0, log=True)
    ),
    "BayesianGeneralizedLinearModel": _always(alpha=Real(1e-3, 1e3, log=True)),
    "BayesianLinearRegression": _always(degree=Whole(1, 3)),
    "BayesianLogisticRegression": _always(alpha=Real(1e-3, 1e3, log=True)),
    "BayesianMixtureOfExperts": _always(
        n_experts=Whole(1, 8), gate=Category(["softmax", "gaussian"]), concentration=Real(0.1, 10.0, log=True)
    ),
    "BayesianNetworkClassifier": _always(
        criterion=Category(["bic", "aic", "bdeu"]), augmented=Category([False, True]), alpha=COUNTS
    ),
    "BernoulliNB": _always(alpha=COUNTS),
    "BoxClassifier": _always(hypothesis=Category(["middle", "specific", "general"])),
    "BoxUnionClassifier": lambda n, d: {
        "min_weight": Whole(1, max(2, min(20, n // 10))),
        "hypothesis": Category(["middle", "specific"]),
    },
    "C45Classifier": lambda n, d: {
        "confidence": Real(0.01, 0.5, log=True),
        "min_samples_leaf": Whole(1, max(2, min(50, n // 10)), log=True),
    },
    "C45RulesClassifier": _always(confidence=Real(0.01, 0.5, log=True), theory_weight=Real(0.1, 2.0)),
    "CARTClassifier": lambda n, d: {
        "criterion": Category(["gini", "entropy"]),
        "within": Real(0.0, 2.0),
        "min_samples_leaf": _leaves(n),
    },
    "CARTRegressor": lambda n, d: {"within": Real(0.0, 2.0), "min_samples_leaf": _leaves(n)},
    "CBAClassifier": _items(pessimistic=Category([True, False])),
    "CCA": _always(ridge=Real(1e-6, 10.0, log=True)),
    "CMARClassifier": _items(coverage=Whole(1, 10), significance=Real(0.001, 0.2, log=True)),
    "CN2Classifier": _always(
        ordered=Category([True, False]), beam=Whole(1, 10), alpha=Real(0.001, 0.5, log=True)
    ),
    "CPARClassifier": _always(decay=Real(0.3, 0.95), min_gain=Real(0.1, 3.0, log=True), best=Whole(1, 10)),
    "CategoricalNB": _always(alpha=COUNTS),
    "CommonPrincipalComponents": _always(shrinkage=SHARE),
    "ComplementNB": _always(alpha=COUNTS, norm=Category([True, False])),
    "CondensedNearestNeighbor": lambda n, d: {
        "n_neighbors": Whole(1, max(2, min(15, n // 10)), log=True),
        "reduce": Category([True, False]),
    },
    "ContinuousTreeRegressor": lambda n, d: {
        "width": Real(0.0, 2.0),
        "ridge": Real(1e-3, 100.0, log=True),
        "min_samples_leaf": _leaves(n),
    },
    "CoveringRegressor": lambda n, d: {
        "answer": Category(["mean", "linear"]),
        "min_samples": Whole(2, max(3, min(50, n // 5)), log=True),
        "min_deviation": Real(0.005, 0.3, log=True),
    },
    "CrammerSingerSVC": _machine,
    "DecisionTableClassifier": _always(max_stale=Whole(1, 10), nearest=Category([True, False])),
    "DecisionTreeClassifier": _tree,
    "DecisionTreeRegressor": _tree,
    "DynamicSelectionClassifier": lambda n, d: {
        "method": Category(["ola", "lca", "knora-e", "knora-u", "meta"]),
        "n_neighbors": Whole(3, max(4, min(50, n // 5)), log=True),
    },
    "DynamicSelectionRegressor": lambda n, d: {
        "method": Category(["best", "weighted"]),
        "n_neighbors": Whole(3, max(4, min(50, n // 5)), log=True),
    },
    "EditedNearestNeighbors": lambda n, d: {
        "n_neighbors": Whole(1, max(2, min(30, n // 5)), log=True),
        "kind": Category(["mode", "all"]),
    },
    "ElasticNet": _always(alpha=Real(1e-4, 100.0, log=True), l1_ratio=Real(0.01, 1.0)),
    "EnsembleSelectionClassifier": _always(max_size=Whole(1, 50, log=True)),
    "EnsembleSelectionRegressor": _always(max_size=Whole(1, 50, log=True)),
    "EpsilonInsensitiveRegressor": _always(
        epsilon=Real(1e-3, 1.0, log=True), alpha=Real(1e-6, 10.0, log=True)
    ),
    "ExtraTreeClassifier": _tree,
    "ExtraTreeRegressor": _tree,
    "ExtraTreesClassifier": _forest,
    "ExtraTreesRegressor": _forest,
    "FisherDiscriminant": _always(threshold=Category(["midpoint", "gaussian", "accuracy"])),
    "FisherTreeClassifier": _grown(criterion=Category(["gini", "entropy"])),
    "FuzzyRuleRegressor": _always(n_rules=Whole(2, 20), alpha=Real(1e-3, 10.0, log=True)),
    "GammaRegressor": _always(alpha=PENALTY),
    "GaussianNB": _always(var_smoothing=SMOOTHING),
    "GaussianProcessClassifier": _always(kernel=Category(["rbf", "laplacian", "linear"])),
    "GaussianProcessRegressor": _always(alpha=Real(1e-6, 1.0, log=True)),
    "GeneralizedLinearModel": _always(alpha=Real(1e-6, 100.0, log=True)),
    "GentleBoostClassifier": _rounds,
    "GradientBoostingClassifier": _gradient_boosting,
    "GradientBoostingRegressor": _gradient_boosting,
    "HardMarginSVC": _always(overlap=Category(["soft"]), C=Real(0.01, 1000.0, log=True)),
    "HierarchicalMixtureOfExpertsClassifier": _tree_of_experts,
    "HierarchicalMixtureOfExpertsRegressor": _tree_of_experts,
    "HistGradientBoostingClassifier": _boosting,
    "HistGradientBoostingRegressor": _boosting,
    "HistRandomForestClassifier": _forest,
    "HistRandomForestRegressor": _forest,
    "HuberRegressor": _always(epsilon=Real(1.01, 5.0), alpha=Real(1e-6, 100.0, log=True)),
    "ID3Classifier": _always(
        criterion=Category(["gain", "gain_ratio", "gini"]), max_depth=Category([None, 1, 2, 3, 5, 8])
    ),
    "IncrementalRunningMean": _always(
        bandwidth=Real(0.05, 20.0, log=True), threshold=Real(0.01, 1.0, log=True)
    ),
    "IndependentSigmoids": _gradient_steps,
    "IrepClassifier": _always(prune_share=Real(0.2, 0.5), threshold=Category(["midpoint", "value"])),
    "JointBayes": _always(covariance=Category(["diagonal", "full"]), alpha=COUNTS, var_floor=SMOOTHING),
    "KDBClassifier": _always(k=Whole(0, 4), alpha=COUNTS),
    "KNeighborsClassifier": _neighbours,
    "KNeighborsRegressor": _neighbours,
    "KernelFisherDiscriminant": lambda n, d: {"ridge": Real(1e-6, 10.0, log=True), **_of_kernel(n, d)},
    "KernelLogisticRegression": _always(C=PENALTY, gamma=GAMMA),
    "KernelRidge": lambda n, d: {"alpha": PENALTY, **_of_kernel(n, d)},
    "KernelSmoother": _smooth,
    "LDATreeClassifier": _grown(criterion=Category(["gini", "entropy"])),
    "LVQClassifier": _always(
        n_prototypes=Whole(1, 15),
        algorithm=Category(["glvq", "lvq1", "olvq1"]),
        learning_rate=Real(0.005, 0.5, log=True),
    ),
    "LandmarkSVC": _machine,
    "LandmarkSVR": _tube,
    "LaplaceNB": _always(scale=Category(["class", "shared", "unit"]), var_smoothing=SMOOTHING),
    "Lasso": _always(alpha=Real(1e-4, 100.0, log=True)),
    "LeastSquaresClassifier": _always(alpha=PENALTY),
    "LinearCombinationTreeClassifier": _grown(deletion=Category([None, 0.05, 0.1, 0.2])),
    "LinearCombinationTreeRegressor": _grown(deletion=Category([None, 0.05, 0.1, 0.2])),
    "LinearDiscriminantAnalysis": _always(solver=Category(["lsqr"]), shrinkage=SHARE),
    "LinearLeafClassifier": lambda n, d: {
        "min_samples_leaf": _leaves(n),
        "impurity_threshold": Real(0.01, 0.5),
        "ridge": Real(1e-3, 100.0, log=True),
    },
    "LinearMachineTreeClassifier": _grown(alpha=Real(1e-6, 0.1, log=True)),
    "LinearRuleClassifier": lambda n, d: {
        "max_estimators": Whole(1, 5),
        "min_samples": Whole(2, max(3, min(50, n // 5)), log=True),
    },
    "LinearSVC": _always(C=PENALTY),
    "LinearSVR": _always(C=PENALTY, epsilon=Real(1e-3, 1.0, log=True)),
    "LocalModelClassifier": lambda n, d: {"n_neighbors": _near(n, 5), "alpha": PENALTY},
    "LocalModelRegressor": lambda n, d: {"n_neighbors": _near(n, 5), "alpha": PENALTY},
    "LocalizedMultipleKernelSVC": _several_kernels,
    "Loess": _always(span=Real(0.1, 1.0), degree=Whole(0, 2)),
    "LogisticDiscriminant": _gradient_steps,
    "LogisticRegression": _always(C=PENALTY),
    "LogitBoostClassifier": _rounds,
    "MLPClassifier": _network,
    "MLPRegressor": _network,
    "M5RulesRegressor": lambda n, d: {
        "min_samples_leaf": Whole(2, max(3, min(50, n // 5)), log=True),
        "smoothing": Real(0.0, 50.0),
        "min_deviation": Real(0.005, 0.3, log=True),
    },
    "MaximalPatternClassifier": _items(max_length=Whole(1, 5)),
    "MemorisingRuleClassifier": _always(tolerance=SHARE),
    "MixtureClassifier": _always(
        n_components=Whole(1, 5), covariance_type=Category(["full", "diag", "spherical"])
    ),
    "MixtureOfExpertsClassifier": _experts,
    "MixtureOfExpertsRegressor": _experts,
    "ModelAveragingRegressor": _always(prior=Category(["g", "gaussian"]), degree=Whole(1, 3)),
    "ModelTreeRegressor": lambda n, d: {
        "min_samples_leaf": Whole(2, max(3, min(50, n // 5)), log=True),
        "smoothing": Real(0.0, 50.0),
        "min_deviation": Real(0.005, 0.3, log=True),
    },
    "MultinomialNB": _always(alpha=COUNTS),
    "MultipleKernelSVC": _several_kernels,
    "MultipleKernelSVR": lambda n, d: {**_several_kernels(n, d), "epsilon": Real(1e-3, 1.0, log=True)},
    "NaiveBayes": _always(alpha=COUNTS, var_smoothing=SMOOTHING),
    "NearestCentroid": _always(shrink_threshold=Real(0.01, 10.0, log=True)),
    "NearestClusterClassifier": lambda n, d: {
        "n_clusters": Whole(1, max(2, min(20, n // 20)), log=True),
        "metric": Category(["euclidean", "mahalanobis"]),
    },
    "NearestMean": _always(metric=Category(["euclidean", "mahalanobis"])),
    "NetworkClassifier": _layers,
    "NetworkRegressor": _layers,
    "NeuralTreeClassifier": _grown(hidden=Whole(1, 10), alpha=Real(1e-6, 0.1, log=True)),
    "NuSVC": lambda n, d: {"nu": Real(0.02, 0.6), **_of_kernel(n, d)},
    "NuSVR": lambda n, d: {"nu": Real(0.05, 0.95), "C": Real(0.01, 1000.0, log=True), **_of_kernel(n, d)},
    "OC1Classifier": _grown(restarts=Whole(1, 30, log=True)),
    "OmnivariateTreeClassifier": _grown(alpha=Real(0.001, 0.2, log=True)),
    "OneClassClassifier": _always(nu=Real(0.01, 0.9), gamma=GAMMA),
    "OneRClassifier": lambda n, d: {"min_bucket_size": Whole(1, max(2, min(50, n // 5)), log=True)},
    "OneVsOneClassifier": _always(decision=Category(["vote", "sum"])),
    "OrdinalLogisticRegression": _always(
        alpha=Real(1e-6, 100.0, log=True), link=Category(["logit", "probit", "cloglog", "loglog", "cauchit"])
    ),
    "OutputCodeClassifier": _always(
        code_size=Real(0.5, 4.0), decoding=Category(["euclidean", "hamming", "margin", "hinge"])
    ),
    "PLSCanonical": _always(scale=Category([True, False])),
    "PLSRegression": _components,
    "ParzenClassifier": _always(
        bandwidth=Real(0.05, 10.0, log=True),
        kernel=Category(["gaussian", "exponential", "epanechnikov", "box"]),
    ),
    "PartClassifier": lambda n, d: {
        "confidence": Real(0.01, 0.5, log=True),
        "min_samples_leaf": Whole(1, max(2, min(50, n // 10)), log=True),
    },
    "Perceptron": _always(penalty=Category(["l2", "l1"]), alpha=Real(1e-7, 0.1, log=True)),
    "PerceptronRule": _always(
        margin=Real(0.0, 2.0), average=Category([True, False]), order=Category(["cyclic", "random"])
    ),
    "PocketClassifier": _always(
        max_updates=Whole(100, 10_000, log=True), order=Category(["cyclic", "random"])
    ),
    "PoissonRegressor": _always(alpha=PENALTY),
    "PolynomialRegressor": lambda n, d: {
        "degree": Whole(1, _highest_degree(d)),
        "alpha": Real(1e-6, 100.0, log=True),
    },
    "PrismClassifier": lambda n, d: {
        "min_coverage": Whole(0, max(1, min(20, n // 10))),
        "max_conditions": Category([None, 1, 2, 3, 5]),
    },
    "ProjectedGradientSVC": _always(C=Real(0.01, 1000.0, log=True)),
    "ProjectionPursuitRegressor": _always(n_terms=Whole(1, 5), pieces=Whole(2, 10)),
    "PrototypeSearch": _always(penalty=Real(0.0, 2.0)),
    "QuadraticDiscriminantAnalysis": _always(reg_param=SHARE),
    "QuadraticTreeClassifier": _grown(criterion=Category(["gini", "entropy"])),
    "QuantileRegressor": _always(alpha=Real(1e-6, 10.0, log=True)),
    "RBFNetworkClassifier": _bumps,
    "RBFNetworkRegressor": _bumps,
    "RadiusNeighborsClassifier": _always(
        radius=Real(0.1, 20.0, log=True), weights=Category(["uniform", "distance"])
    ),
    "RadiusNeighborsRegressor": _always(
        radius=Real(0.1, 20.0, log=True), weights=Category(["uniform", "distance"])
    ),
    "RandomForestClassifier": _forest,
    "RandomForestRegressor": _forest,
    "RegularizedDiscriminantAnalysis": _always(alpha=Real(1e-3, 0.5, log=True), beta=Real(0.0, 0.5)),
    "ResourceAllocatingNetwork": _always(
        error=Real(0.01, 0.5, log=True),
        nearest=Real(0.02, 0.7, log=True),
        learning_rate=Real(0.01, 0.3, log=True),
    ),
    "Ridge": _always(alpha=PENALTY),
    "RidgeClassifier": _always(alpha=PENALTY),
    "RipperClassifier": _always(k=Whole(0, 4), prune_share=Real(0.2, 0.5)),
    "RunningLine": _smooth,
    "RunningMean": _smooth,
    "RunningMedian": _smooth,
    "SGDClassifier": _always(
        loss=Category(["hinge", "log_loss", "modified_huber"]),
        alpha=Real(1e-7, 0.1, log=True),
        penalty=Category(["l2", "l1", "elasticnet"]),
    ),
    "SGDRegressor": _always(
        loss=Category(["squared_error", "huber", "epsilon_insensitive"]),
        alpha=Real(1e-7, 0.1, log=True),
        eta0=Real(1e-3, 0.1, log=True),
    ),
    "SVC": _machine,
    "SVR": _tube,
    "SequentialCoveringClassifier": _always(
        measure=Category(["foil", "laplace", "accuracy"]),
        beam=Whole(1, 10),
        pruning=Category([None, "greedy"]),
    ),
    "SharedDiagonalNB": _always(var_smoothing=SMOOTHING),
    "SmoothingSpline": _always(lam=Real(1e-6, 1e3, log=True)),
    "SoftMarginTreeClassifier": _grown(C=Real(0.01, 100.0, log=True)),
    "SoftTreeClassifier": _always(
        max_depth=Whole(1, 6), sharpness=Real(0.5, 20.0, log=True), ridge=Real(1e-6, 1.0, log=True)
    ),
    "SoftTreeRegressor": _always(
        max_depth=Whole(1, 6), sharpness=Real(0.5, 20.0, log=True), ridge=Real(1e-6, 1.0, log=True)
    ),
    "SparseGaussianProcessRegressor": lambda n, d: {
        "alpha": Real(1e-6, 1.0, log=True),
        "n_inducing": Whole(10, max(11, min(500, n // 2)), log=True),
    },
    "SphereTreeClassifier": _grown(shape=Category(["sphere", "ellipsoid"])),
    "StackingClassifier": _always(
        stack_method=Category(["auto", "predict"]), passthrough=Category([True, False])
    ),
    "StackingRegressor": _always(passthrough=Category([True, False])),
    "SubgradientSVC": _always(C=Real(0.01, 1000.0, log=True), average=Category([True, False])),
    "TANClassifier": _always(alpha=COUNTS),
    "TabularNetClassifier": _tabular_network,
    "TabularNetRegressor": _tabular_network,
    "TextbookTreeClassifier": lambda n, d: {
        "criterion": Category(["entropy", "gini"]),
        "max_depth": Category([None, 2, 4, 8]),
        "impurity_threshold": Real(0.0, 0.5),
    },
    "TextbookTreeRegressor": _always(max_depth=Whole(1, 10), min_share=Real(0.0, 0.2)),
    "ThresholdRuleClassifier": _always(directions=Category(["above", "either"])),
    "TweedieRegressor": _always(power=Category([0.0, 1.0, 1.5, 2.0]), alpha=PENALTY),
    "UnivariateGaussianClassifier": lambda n, d: {
        "column": Category(list(range(min(max(d, 1), 50)))),
        "variances": Category(["own", "shared"]),
    },
    "VotingClassifier": _always(voting=Category(["hard", "soft", "median", "product", "borda"])),
    "VotingRegressor": _always(voting=Category(["mean", "median"])),
    "WestonWatkinsSVC": _machine,
}

NOTHING_TO_TUNE = {  # and why
    "AdditiveModel": "its smoothers choose their own smoothness",
    "BayesianRidge": "the evidence chooses its precisions",
    "CandidateElimination": "it keeps all hypotheses that the rows allow",
    "DotProductClassifier": "it has no parameters",
    "ElasticNetCV": "it chooses its penalty by itself",
    "FlexibleDiscriminantAnalysis": "what there is to choose belongs to its regressor",
    "GaussianClassifierCV": "it chooses the structure of the covariances by itself",
    "KNeighborsClassifierCV": "it chooses the neighbours by itself",
    "LassoCV": "it chooses its penalty by itself",
    "LinearRegression": "least squares have no parameters",
    "LogisticRegressionCV": "it chooses its penalty by itself",
    "MajorityClassifier": "it has no parameters",
    "MeanRegressor": "it has no parameters but the statistic",
    "MixtureOfEstimatorsClassifier": "what there is to choose belongs to its experts and gate",
    "MixtureOfEstimatorsRegressor": "what there is to choose belongs to its experts and gate",
    "OneClassEach": "what there is to choose belongs to its classifiers",
    "OneVsRestClassifier": "what there is to choose belongs to its classifier",
    "Regressogram": "it chooses the width of its bins by itself",
    "RidgeCV": "it chooses its penalty by itself",
    "RidgeClassifierCV": "it chooses its penalty by itself",
    "SVCCV": "it chooses its penalty and its kernel's width by itself",
    "ThreeLearnerBoosting": "what there is to choose belongs to its classifier",
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
        why = NOTHING_TO_TUNE.get(entry.class_name, "its ranges are not known")
        raise ParameterError(
            f"{entry.name} has nothing to tune by default: {why}. "
            "Say where to look: --space NAME=RANGE, in Python a dict of ranges."
        )
    return SPACES[entry.class_name](n, max(d, 1))
