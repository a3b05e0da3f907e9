"""Makes the model files of the current format version, with the answers that they must give for ever.

Run once for a new format version or a new kind of learner: ``python tests/data/models/make.py``. Files that are
there already are never written again.
"""

import json
import pathlib

import numpy as np

import assay
from assay.associations import ItemNeighbors
from assay.baselines import MajorityClassifier, MeanRegressor
from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, MultinomialNB, NaiveBayes
from assay.cluster import AgglomerativeClustering, KMeans
from assay.core.persistence.container import VERSION
from assay.decide import ConformalRegressor, DecisionRule
from assay.densities import KernelDensity
from assay.ensembles import (
    DynamicSelectionClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    OneVsOneClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingRegressor,
    VotingClassifier,
)
from assay.graphs import AODEClassifier, BayesianNetworkClassifier, TANClassifier
from assay.kernels import (
    DiffusionKernel,
    Graph,
    MahalanobisKernel,
    Matern,
    MixedKernel,
    Nystroem,
    Spectrum,
    WhiteKernel,
)
from assay.linear import (
    BayesianGeneralizedLinearModel,
    BayesianLinearRegression,
    BayesianLogisticRegression,
    BayesianRidge,
    FlexibleDiscriminantAnalysis,
    Lasso,
    LinearRegression,
    LogisticRegression,
    ModelAveragingRegressor,
    OrdinalLogisticRegression,
    Perceptron,
    PoissonRegressor,
    PolynomialRegressor,
    QuantileRegressor,
    Ridge,
    SGDClassifier,
)
from assay.local import LVQClassifier, RBFNetworkClassifier, SelfOrganizingMap
from assay.mixture import (
    BayesianGaussianMixture,
    BayesianMixtureOfExperts,
    DirichletProcessMixture,
    GaussianMixture,
    MixturePrior,
)
from assay.neighbors import KNeighborsClassifier, KNeighborsRegressor
from assay.neural import (
    LSTM,
    Autoencoder,
    Convolution,
    Dense,
    Flatten,
    MLPClassifier,
    MLPRegressor,
    NetworkClassifier,
    NetworkRegressor,
    ProjectionPursuitRegressor,
    SammonNetwork,
    TabularNetClassifier,
    TabularNetRegressor,
)
from assay.outliers import IsolationForest, LocalOutlierFactor
from assay.prepare import Prepared, StandardScaler
from assay.processes import (
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    SparseGaussianProcessRegressor,
)
from assay.reduce import (
    PCA,
    TSNE,
    BilingualLDA,
    CommonPrincipalComponents,
    IndianBuffetModel,
    KernelCCA,
    LatentDirichletAllocation,
    MultipleCorrespondenceAnalysis,
    PLSRegression,
)
from assay.rules import (
    FOIL,
    BoxClassifier,
    CBAClassifier,
    CN2Classifier,
    M5RulesRegressor,
    OneRClassifier,
    PartClassifier,
    RipperClassifier,
)
from assay.select import (
    RFECV,
    AtMost,
    CFSSelector,
    Floating,
    SelectKBest,
    Significant,
    SubsetSelector,
    VarianceThreshold,
)
from assay.sequences import (
    ConditionalRandomField,
    CoupledHMM,
    GaussianHMM,
    HiddenSemiMarkovModel,
    LinearDynamicalSystem,
    MarkovMixtureOfExperts,
    MixedHMM,
    SequenceClassifier,
)
from assay.smoothers import Loess
from assay.stats import Gaussian
from assay.svm import (
    SVC,
    SVDD,
    SVR,
    KernelFisherDiscriminant,
    KernelLogisticRegression,
    KernelRankSVM,
    KernelRidge,
    LandmarkSVC,
    LinearSVC,
    LocalizedMultipleKernelSVC,
    MultipleKernelSVC,
    MultipleKernelSVR,
    OneClassSVM,
    WestonWatkinsSVC,
)
from assay.tables import Table
from assay.text import TfidfVectorizer
from assay.trees import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    FisherTreeClassifier,
)
from assay.tuning import Tuned

HERE = pathlib.Path(__file__).resolve().parent

# Twelve apples: grams, sugar in degrees Brix, taste, and the sort. The last row has a gap.
COLUMNS = {
    "weight": [190.0, 201.5, 180.25, 215.0, 250.5, 262.0, 240.75, 259.0, 150.0, 161.25, 155.5, None],
    "sugar": [11.5, 12.0, 11.0, 12.5, 14.0, 13.5, 14.5, 13.0, 10.0, 10.5, 9.75, 10.25],
    "taste": [
        "sour",
        "sweet",
        "sour",
        "sweet",
        "sweet",
        "sweet",
        "sweet",
        None,
        "sour",
        "sour",
        "sour",
        "sweet",
    ],
}
SORTS = np.repeat(["Elstar", "Fuji", "Granny Smith"], 4)
SORTS_AND_SIZES = np.column_stack((SORTS, ["mid", "mid", "small", "large"] * 3))
WEIGHTS = np.linspace(0.5, 2.0, 12)

# Who likes which sort, and how much; and who is whose father.
TASTES = [("Ann", "Elstar", 9), ("Ann", "Fuji", 7), ("Bob", "Elstar", 8), ("Bob", "Granny Smith", 3)]
TASTES += [("Cleo", "Fuji", 8), ("Cleo", "Granny Smith", 2), ("Dan", "Elstar", 2), ("Dan", "Granny Smith", 9)]
FAMILY = {"Father": [("Sharon", "Bob"), ("Tom", "Bob"), ("Bob", "Victor")], "Female": [("Sharon",)]}
DAUGHTERS = {"Daughter": [("Bob", "Sharon")]}
FRIENDS = [("Ann", "Bob"), ("Bob", "Cleo", 2.0), ("Cleo", "Dan"), ("Dan", "Ann")]
TEXTS = ["A sweet apple and a sour apple", "Apples of the sour sort", "Sweeter than honey"]
PEOPLE = ["Ann", "Bob", "Cleo", "Dan"]


def numbers():
    """The two numeric columns of the rows that have both."""
    return np.array([COLUMNS["weight"][:11], COLUMNS["sugar"][:11]]).T


def models():
    """Name to (model, rows to ask about as a dict of columns or as lists of numbers)."""
    X, y, w = numbers(), SORTS[:11], WEIGHTS[:11]
    named = {"weight": COLUMNS["weight"][:11], "sugar": COLUMNS["sugar"][:11]}
    counts = np.round(X / 10)
    whole = named | {"taste": [taste or "sweet" for taste in COLUMNS["taste"][:11]]}
    Z = (X - [200, 12]) / [40, 1.5]
    return {
        "gaussian_nb": (GaussianNB().fit(Table.of(named), y, sample_weight=w), named),
        "naive_bayes": (
            NaiveBayes(families={"sugar": Gaussian(floor=0.01)}).fit(Table.of(COLUMNS), SORTS),
            COLUMNS,
        ),
        "linear_discriminant": (
            LinearDiscriminantAnalysis(shrinkage=0.1, solver="eigen").fit(X, y),
            X.tolist(),
        ),
        "multinomial_nb": (MultinomialNB(alpha=0.5).fit(counts, y == "Fuji"), counts.tolist()),
        "topics": (
            LatentDirichletAllocation(2, learning_method="gibbs", n_sweeps=20, random_state=0).fit(counts),
            counts.tolist(),
        ),
        "topics_online": (
            LatentDirichletAllocation(2, learning_method="online", random_state=0).fit(counts),
            counts.tolist(),
        ),
        "topics_of_languages": (
            BilingualLDA(2, languages=["en", "fr"], n_sweeps=20, random_state=0).fit(counts),
            counts.tolist(),
        ),
        "tsne": (TSNE(perplexity=3, max_iter=250).fit(X), X.tolist()),
        "weighed_words": (
            TfidfVectorizer(stop_words="function words", ngram_range=(1, 2), stemmer="porter").fit(TEXTS),
            TEXTS,
        ),
        "binary_features": (IndianBuffetModel(n_sweeps=20, random_state=0).fit(Z), Z.tolist()),
        "decision_rule": (DecisionRule(GaussianNB(), reject=0.3).fit(X, y), X.tolist()),
        "standard_scaler": (StandardScaler().fit(X), X.tolist()),
        "c45": (C45Classifier(min_samples_leaf=1, pruning=None).fit(Table.of(COLUMNS), SORTS), COLUMNS),
        "cart": (CARTClassifier(cv=3, random_state=0).fit(Table.of(COLUMNS), SORTS), COLUMNS),
        "tree_regressor": (DecisionTreeRegressor(max_depth=3).fit(X, X[:, 1]), X.tolist()),
        "fisher_tree": (FisherTreeClassifier().fit(X, y), X.tolist()),
        "forest": (RandomForestClassifier(5, random_state=0).fit(Table.of(COLUMNS), SORTS), COLUMNS),
        "tree_of_targets": (
            DecisionTreeClassifier(max_depth=4).fit(Table.of(COLUMNS), SORTS_AND_SIZES),
            COLUMNS,
        ),
        "forest_of_targets": (
            RandomForestClassifier(5, random_state=0).fit(Table.of(COLUMNS), SORTS_AND_SIZES),
            COLUMNS,
        ),
        "hist_boosting": (
            HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=2).fit(Table.of(COLUMNS), SORTS),
            COLUMNS,
        ),
        "logistic_regression": (LogisticRegression().fit(Table.of(whole), y, sample_weight=w), whole),
        "scaled_logistic": (
            Prepared(LogisticRegression(), scale=True).fit(Table.of(COLUMNS), SORTS),
            COLUMNS,
        ),
        "linear_regression": (LinearRegression().fit(X, np.column_stack((X[:, 1], w))), X.tolist()),
        "ridge": (Ridge(alpha=2.0).fit(Table.of(whole), w), whole),
        "bayesian_ridge": (BayesianRidge(compute_score=True).fit(Table.of(whole), w), whole),
        "bayesian_linear_regression": (
            BayesianLinearRegression([0.1, 1.0], degree=2, keep_rows=True).fit(X, X[:, 1] ** 2 + w),
            X.tolist(),
        ),
        "bayesian_logistic": (BayesianLogisticRegression().fit(Table.of(whole), y, sample_weight=w), whole),
        "bayesian_glm": (BayesianGeneralizedLinearModel("gamma").fit(X, w + 1.0), X.tolist()),
        "bayesian_glm_of_several": (
            BayesianGeneralizedLinearModel("poisson", alpha=[0.1, 1.0]).fit(X, w + 1.0),
            X.tolist(),
        ),
        "bayesian_logistic_of_several": (BayesianLogisticRegression(alpha=[0.1, 1.0]).fit(X, y), X.tolist()),
        "model_averaging": (ModelAveragingRegressor().fit(Table.of(whole), w), whole),
        "lasso": (Lasso(alpha=0.1).fit(X, X[:, 1]), X.tolist()),
        "sgd_classifier": (SGDClassifier("log_loss", random_state=0).fit(Z, y), Z.tolist()),
        "perceptron": (Perceptron(random_state=0).fit(Z, y), Z.tolist()),
        "polynomial_regressor": (PolynomialRegressor(3).fit(X[:, :1], X[:, 1]), X[:, :1].tolist()),
        "one_vs_one": (OneVsOneClassifier(LogisticRegression()).fit(X, y), X.tolist()),
        "ripper": (RipperClassifier(random_state=0).fit(Table.of(COLUMNS), SORTS), COLUMNS),
        "one_r": (OneRClassifier(3).fit(Table.of(COLUMNS), SORTS), COLUMNS),
        "cn2": (CN2Classifier(ordered=False, alpha=0.2).fit(Table.of(COLUMNS), SORTS), COLUMNS),
        "part": (PartClassifier(pruning=None).fit(Table.of(COLUMNS), SORTS), COLUMNS),
        "cba": (
            CBAClassifier(min_support=2, cuts={"weight": [170, 230]}).fit(Table.of(COLUMNS), SORTS),
            COLUMNS,
        ),
        "m5_rules": (M5RulesRegressor(min_samples_leaf=2).fit(X, X[:, 1] * (X[:, 0] > 200)), X.tolist()),
        "box": (BoxClassifier(cost_fn=3.0).fit(Table.of(whole), y), whole),
        "item_neighbours": (
            ItemNeighbors(shrinkage=1).fit(TASTES),
            [["Ann", "Bob", "Cleo", "Dan"], ["Granny Smith", "Fuji", "Elstar", "Fuji"]],
        ),
        "foil": (FOIL().fit(FAMILY | DAUGHTERS, "Daughter"), [["Bob", "Sharon"], ["Bob", "Tom"]]),
        "gradient_boosting": (
            GradientBoostingClassifier(n_estimators=5, random_state=0).fit(Table.of(COLUMNS), SORTS),
            COLUMNS,
        ),
        "gaussian_process_classifier": (  # a process for all classes, of columns with categories and missing values
            GaussianProcessClassifier(
                4.0 * MixedKernel().on(["weight", "taste"]), optimizer=None, multi_class="softmax"
            ).fit(Table.of(COLUMNS), SORTS, sample_weight=WEIGHTS),
            COLUMNS,
        ),
        "k_neighbors": (
            KNeighborsClassifier(3, weights="gaussian", metric="heom").fit(Table.of(COLUMNS), SORTS),
            COLUMNS,
        ),
        "kernel_of_columns": (  # kernels within kernels, of categories and missing values
            KernelRidge(
                kernel=2.0 * MixedKernel().on(["weight", "taste"])
                + MahalanobisKernel().on(["sugar"]).normalized()
            ).fit(Table.of(COLUMNS), WEIGHTS),
            COLUMNS,
        ),
        "gaussian_process": (  # routes by targets, a factor, a choice of parameters
            GaussianProcessRegressor("auto", alpha=0.01, optimizer=None).fit(
                Table.of(COLUMNS), [[w, np.nan if i == 1 else 2.0 * w] for i, w in enumerate(WEIGHTS)]
            ),
            COLUMNS,
        ),
        "gaussian_process_on_a_line": (
            GaussianProcessRegressor(
                2.0 * Matern(60.0, nu=2.5), alpha=0.1, optimizer=None, method="line", normalize_y=True
            ).fit(X[:, :1], X[:, 1]),
            X[:, :1].tolist(),
        ),
        "gaussian_process_by_neighbours": (
            GaussianProcessRegressor(
                Matern([60.0, 3.0]) + WhiteKernel(0.1), optimizer=None, method="vecchia"
            ).fit(X, X[:, 1]),
            X.tolist(),
        ),
        "sparse_gaussian_process": (
            SparseGaussianProcessRegressor(n_inducing=4, optimizer=None).fit(X, X[:, 1], sample_weight=w),
            X.tolist(),
        ),
        "kernel_density": (KernelDensity(bandwidth="scott").fit(X, sample_weight=w), X.tolist()),
        "loess": (Loess(robust_iterations=2).fit(X[:, :1], X[:, 1], sample_weight=w), X[:, :1].tolist()),
        "local_outlier_factor": (LocalOutlierFactor(3, novelty=True).fit(X), (X + 1).tolist()),
        "isolation_forest": (IsolationForest(n_estimators=5, random_state=0).fit(Table.of(COLUMNS)), COLUMNS),
        "mean_regressor": (
            MeanRegressor(strategy="median").fit(Table.of(COLUMNS), COLUMNS["sugar"], sample_weight=WEIGHTS),
            COLUMNS,
        ),
        "majority": (MajorityClassifier().fit(Table.of(COLUMNS), SORTS, sample_weight=WEIGHTS), COLUMNS),
        "quantile_forest": (
            RandomForestRegressor(5, min_samples_leaf=3, keep_targets=True, random_state=0).fit(
                Table.of(COLUMNS), COLUMNS["sugar"]
            ),
            COLUMNS,
        ),
        "conformal_leverages": (
            ConformalRegressor(Ridge(), coverage=0.8).fit(X[:, :1], X[:, 1], w),
            X[:, :1].tolist(),
        ),
        "conformal_neighbours": (
            ConformalRegressor(KNeighborsRegressor(3), coverage=0.8).fit(X[:, :1], X[:, 1]),
            X[:, :1].tolist(),
        ),
        "conformal_folds": (
            ConformalRegressor(Lasso(0.1), "cv+", cv=3, coverage=0.8, random_state=0).fit(X[:, :1], X[:, 1]),
            X[:, :1].tolist(),
        ),
        "conformal_bags": (
            ConformalRegressor(RandomForestRegressor(20, random_state=0), coverage=0.7).fit(
                Table.of(COLUMNS), COLUMNS["sugar"]
            ),
            COLUMNS,
        ),
        "conformal_quantiles": (
            ConformalRegressor(QuantileRegressor(alpha=0), cv=0.4, coverage=0.7, random_state=0).fit(
                X[:, :1], X[:, 1]
            ),
            X[:, :1].tolist(),
        ),
        "svc_of_strings": (
            SVC(kernel=Spectrum(2).normalized(), C=10.0).fit(list(y), [len(sort) > 5 for sort in y]),
            sorted(set(y)),
        ),
        "svr": (SVR(C=10.0).fit(X, X[:, 0] ** 2), X.tolist()),
        "one_class_svm": (OneClassSVM(nu=0.4).fit(X), X.tolist()),
        "svdd": (SVDD(nu=0.4).fit(X), X.tolist()),
        "linear_svc": (LinearSVC().fit(X, y), X.tolist()),
        "kernel_ridge": (KernelRidge(kernel="rbf", alpha=0.1).fit(X, X[:, 0] ** 2), X.tolist()),
        "kernel_logistic": (KernelLogisticRegression().fit(X, y), X.tolist()),
        "kernel_fisher": (KernelFisherDiscriminant().fit(X, y), X.tolist()),
        "weston_watkins": (WestonWatkinsSVC().fit(X, y), X.tolist()),
        "kernel_rank_svm": (KernelRankSVM().fit(X, X[:, 0]), X.tolist()),
        "landmark_svc": (LandmarkSVC(random_state=0).fit(X, y), X.tolist()),
        "multiple_kernel_svc": (MultipleKernelSVC().fit(X, y), X.tolist()),
        "multiple_kernel_svr": (MultipleKernelSVR().fit(X, X[:, 0] ** 2), X.tolist()),
        "localized_multiple_kernel_svc": (
            LocalizedMultipleKernelSVC(random_state=0).fit(X, y == y[0]),
            X.tolist(),
        ),
        "poisson": (PoissonRegressor().fit(X, np.arange(len(X)) % 4), X.tolist()),
        "ordinal_logistic": (OrdinalLogisticRegression().fit(X, np.arange(len(X)) % 3), X.tolist()),
        "nystroem_of_nodes": (
            Nystroem(DiffusionKernel(Graph.of_edges(FRIENDS), 0.5), n_components=3, random_state=0).fit(
                PEOPLE
            ),
            PEOPLE,
        ),
        "k_means": (KMeans(3, random_state=0).fit(X), X.tolist()),
        "merged_groups": (AgglomerativeClustering(3, linkage="average").fit(X), X.tolist()),
        "gaussian_mixture": (
            GaussianMixture(2, prior=MixturePrior(2.0), random_state=0).fit(X, sample_weight=w),
            X.tolist(),
        ),
        "bayesian_mixture": (
            BayesianGaussianMixture(n_components=3, moves=True, max_iter=1000, random_state=0).fit(X),
            X.tolist(),
        ),
        "dirichlet_process": (
            DirichletProcessMixture(n_sweeps=5, burn_in=5, random_state=0).fit(Table.of(named)),
            named,
        ),
        "experts": (
            BayesianMixtureOfExperts(2, gate="gaussian", random_state=0).fit(X[:, :1], X[:, 1]),
            X[:, :1].tolist(),
        ),
        "pca": (PCA(2, standardize=True, whiten=True).fit(X), X.tolist()),
        "pls": (PLSRegression(1).fit(X, np.column_stack([X @ [1.0, 2.0], X[:, 0] ** 2])), X.tolist()),
        "kernel_cca": (KernelCCA(1, gamma=0.5).fit(X, X[:, 1] ** 2), X.tolist()),
        "common_components": (CommonPrincipalComponents(shrinkage=0.1).fit(X, y), X.tolist()),
        "multiple_correspondence": (MultipleCorrespondenceAnalysis().fit(Table.of(whole)), whole),
        "fda": (FlexibleDiscriminantAnalysis(Ridge(0.5)).fit(X, y), X.tolist()),
        "voting": (
            VotingClassifier(
                [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))],
                voting="soft",
            ).fit(X, y),
            X.tolist(),
        ),
        "stacking": (
            StackingRegressor([("line", Ridge(0.1)), ("mean", MeanRegressor())], Ridge(1.0), cv=2).fit(
                X, X[:, 1] ** 2
            ),
            X.tolist(),
        ),
        "dynamic_selection": (
            DynamicSelectionClassifier(
                [("bayes", GaussianNB()), ("lda", LinearDiscriminantAnalysis())], cv=2
            ).fit(X, y),
            X.tolist(),
        ),
        "rfecv": (RFECV(LogisticRegression(C=10.0), cv=2).fit(X, y), X.tolist()),
        "select_by_f": (SelectKBest("f", k=1).fit(X, y, w), X.tolist()),
        "select_by_line": (SelectKBest("f_regression", k=1).fit(X, X[:, 1] ** 2), X.tolist()),
        "select_by_counts": (SelectKBest("chi2", k=1).fit(np.abs(X), y), np.abs(X).tolist()),
        "variance_threshold": (VarianceThreshold(0.1).fit(X), X.tolist()),
        "cfs": (CFSSelector("correlation").fit(X, y), X.tolist()),
        "subset_selector": (
            SubsetSelector(
                LinearDiscriminantAnalysis(),
                search=Floating(),
                stop=[AtMost(1), Significant()],
                cv=3,
                costs=[0.0, 0.1],
            ).fit(X, y),
            X.tolist(),
        ),
        "tan": (TANClassifier(cuts=2).fit(Table.of(COLUMNS), SORTS), COLUMNS),
        "aode": (AODEClassifier().fit(Table.of(COLUMNS), SORTS), COLUMNS),
        "bayesian_network": (
            BayesianNetworkClassifier(augmented=True, cuts=2).fit(Table.of(COLUMNS), SORTS),
            COLUMNS,
        ),
        "rbf_network": (RBFNetworkClassifier(3, random_state=0).fit(X, y), X.tolist()),
        "lvq": (LVQClassifier(2, random_state=0).fit(X, y), X.tolist()),
        "self_organising_map": (SelfOrganizingMap((3, 2), random_state=0).fit(X), X.tolist()),
        "gaussian_hmm": (GaussianHMM(2, random_state=0).fit(X), X.tolist()),
        "mixed_hmm": (MixedHMM(2, random_state=0).fit(Table.of(whole)), whole),
        "sequence_classifier": (
            SequenceClassifier(GaussianHMM(1)).fit([X[:3], X[3:6], X[6:]], ["a", "b", "b"]),
            X.tolist(),
        ),
        # the first file is of before there was an offset
        "kalman_filter": (LinearDynamicalSystem(1, n_iter=3).fit(X), X.tolist()),
        "kalman_filter_with_offset": (LinearDynamicalSystem(1, n_iter=3).fit(X), X.tolist()),
        "semi_markov": (HiddenSemiMarkovModel(2, 3, n_iter=3, random_state=0).fit(X), X.tolist()),
        "random_field": (ConditionalRandomField().fit(X, y), X.tolist()),
        "coupled_hmm": (CoupledHMM((2, 2), n_iter=3, random_state=0).fit(X), X.tolist()),
        "experts_hmm": (MarkovMixtureOfExperts(2, n_iter=3, random_state=0).fit(X), X.tolist()),
        "mlp": (
            MLPClassifier(3, max_iter=3, scale="standard", early_stopping=True, random_state=0).fit(
                np.tile(X, (3, 1)), np.tile(y, 3)
            ),
            X.tolist(),
        ),
        "mlp_regression": (
            MLPRegressor(
                hidden_layer_sizes=(3, 2), solver="lbfgs", max_iter=3, scale_target=True, random_state=0
            ).fit(X, X[:, 1]),
            X.tolist(),
        ),
        "network": (
            NetworkClassifier([Convolution(2, 2, "tanh"), Flatten()], (2, 1), max_iter=2, random_state=0).fit(
                X, y
            ),
            X.tolist(),
        ),
        "network_regression": (
            NetworkRegressor([LSTM(2), Dense(2, "relu")], (2, 1), max_iter=2, scale=True, random_state=0).fit(
                X, X[:, 1]
            ),
            X.tolist(),
        ),
        "tabular_net": (
            TabularNetClassifier((4, 3), 2, max_iter=2, random_state=0).fit(Table.of(COLUMNS), SORTS),
            COLUMNS,
        ),
        "tabular_net_regression": (
            TabularNetRegressor("poisson", (3,), 2, embedding=None, max_iter=2, random_state=0).fit(
                Table.of(COLUMNS), np.arange(len(SORTS)) * 1.0
            ),
            COLUMNS,
        ),
        "autoencoder": (Autoencoder(1, max_iter=5, random_state=0).fit(X), X.tolist()),
        "sammon_network": (SammonNetwork(1, hidden=2, max_iter=5, random_state=0).fit(X), X.tolist()),
        "projection_pursuit": (
            ProjectionPursuitRegressor(1, pieces=2, random_state=0).fit(X, X[:, 0] * X[:, 1]),
            X.tolist(),
        ),
        "tuned": (Tuned(GaussianNB(), {"var_smoothing": [1e-9, 0.1]}, inner="3-fold").fit(X, y), X.tolist()),
    }


def answers(model, rows):
    """What a model says, as JSON holds it."""
    if isinstance(model, ItemNeighbors):
        return {"predict": model.predict(*rows).tolist()}  # users and items
    X = Table.of(rows) if isinstance(rows, dict) else np.array(rows)
    ways = [way for way in ("predict_proba", "predict", "transform") if hasattr(model, way)]
    if "predict_proba" not in ways and hasattr(model, "decision_function"):
        ways.append("decision_function")
    if not ways and hasattr(model, "score_samples"):
        ways.append("score_samples")
    if not ways and hasattr(model, "log_likelihoods"):
        ways.append("log_likelihoods")
    if hasattr(model, "residuals_") or hasattr(model, "leaf_targets_"):
        ways.append("predict_interval")
    told = {way: getattr(model, way)(X) for way in ways}
    return {
        way: np.asarray(answer.toarray() if hasattr(answer, "toarray") else answer).tolist()
        for way, answer in told.items()
    }


if __name__ == "__main__":
    for name, (model, rows) in models().items():
        place = HERE / f"{name}-{VERSION}.assay"
        if not place.exists():
            assay.save(model, place)
            said = {"rows": rows, "answers": answers(model, rows)}
            place.with_suffix(".json").write_text(json.dumps(said, indent=1) + "\n")
            print(place.name)
